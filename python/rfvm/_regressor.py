"""The regressor."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin

from rfvm import _inputs
from rfvm._base import AnyModel, Problem, RFVMBase
from rfvm._docs import ATTRIBUTES, PARAMETERS

if TYPE_CHECKING:
    from typing import Self  # of Python 3.11

_DOC = f"""The Relevance Feature and Vector Machine for a number.

    Parameters
    ----------{PARAMETERS}

    Attributes
    ----------
    intercept_ : float
        The bias, in units of the target, as the weights in `coef_` are.{ATTRIBUTES}

    Examples
    --------
    >>> import numpy as np
    >>> from rfvm import RFVMRegressor
    >>> X = np.random.default_rng(1).normal(size=(60, 200))
    >>> y = 10.0 + 3.0 * X[:, 7] + np.random.default_rng(2).normal(size=60)
    >>> model = RFVMRegressor(size=1).fit(X, y)
    >>> model.get_support(indices=True)
    array([7])
    >>> bool(model.score(X, y) > 0.8)
    True
    """


class RFVMRegressor(RegressorMixin, RFVMBase):
    __doc__ = _DOC

    def fit(self, X: Any, y: Any, groups: Any = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or AnnData of shape (n_samples, n_features)
            The samples. Numbers are read where they are; the engine makes the one copy that it scales.
        y : array-like of shape (n_samples,)
            The number to predict for each sample.
        groups : array-like of shape (n_samples,), optional
            Samples that belong together; the folds by which a size is chosen never split them.

        Returns
        -------
        self
            The fitted estimator.
        """
        X, problem, _ = self._problem(X, y, None, groups)
        self._adopt(*self._engine_fit(X, problem))
        self._warn()
        return self

    def _problem(self, X: Any, y: Any, sample_weight: Any, groups: Any) -> tuple[Any, Problem, NDArray[np.intp]]:
        """The checked matrix, what the engine is asked, and one stratum for all rows."""
        if sample_weight is not None:
            raise ValueError("a regression takes no sample_weight")
        self._begin(X)
        X, y = self._validated(X, y, reset=True, y_numeric=True, ensure_min_samples=2)
        groups = _inputs.numbered_groups(X, groups)
        target = np.asarray(y, dtype=np.float64).tolist()
        return X, Problem(target, self._settings(), None, groups), np.zeros(len(target), dtype=np.intp)

    def _adopt(self, model: AnyModel, path: dict[str, Any] | None) -> Self:
        super()._adopt(model, path)
        # The engine fits the standardised target.
        scale = json.loads(model.to_json())["model"]["target_scale"]
        slope, added = self._of_two("a regression").correction  # Only a recalibrated regression has one.
        if self._weights is not None:
            self._weights = self._weights * (slope * scale["sd"])
        self.intercept_ = float(added + slope * (scale["mean"] + scale["sd"] * self.intercept_[0]))
        return self

    def predict(self, X: Any) -> NDArray[np.float64]:
        """The expected target.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            The mean of the target; `predict_latent` gives its standard deviation too.
        """
        return self._predictions(X)[0]
