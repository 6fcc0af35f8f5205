"""The elastic net's Newton method against scikit-learn's saga run to its end."""

from __future__ import annotations

import numpy as np
import pytest
from elastic import elastic_path
from sklearn.linear_model import LogisticRegression


@pytest.mark.parametrize("ratio", [0.5, 0.1])
def test_it_is_the_minimum_that_saga_comes_to(ratio: float) -> None:
    random = np.random.default_rng(1)
    rows, features = 40, 200
    x = random.normal(size=(rows, features))
    truth = x[:, 0] + x[:, 1] + 0.5 * random.normal(size=rows) > 0.3
    inverse = (0.3, 1.0, 10.0)
    strengths = [(ratio / (c * rows), (1.0 - ratio) / (c * rows)) for c in inverse]
    for c, (w, intercept) in zip(inverse, elastic_path(x, truth, strengths), strict=True):
        model = LogisticRegression(C=c, l1_ratio=ratio, solver="saga", tol=1e-10, max_iter=100_000).fit(x, truth)
        scores = x @ w + intercept
        # Both stop a little short of the minimum.
        np.testing.assert_allclose(scores, model.decision_function(x), atol=2e-3)
        assert set(np.flatnonzero(np.abs(w) > 1e-3)) == set(np.flatnonzero(np.abs(model.coef_[0]) > 1e-3))
