"""What a fit is worth on samples it has not seen."""

from __future__ import annotations

import json
from typing import Any

from sklearn.base import clone

from rfvm import _core
from rfvm._base import RFVMBase


def evaluate(
    estimator: RFVMBase,
    X: Any,
    y: Any,
    *,
    cv: int = 5,
    repeats: int = 10,
    groups: Any = None,
    sample_weight: Any = None,
    random_state: int = 1,
) -> dict[str, Any]:
    """Cross-validate a whole fit, the choice of features and size included, as ``rfvm evaluate`` does.

    Parameters
    ----------
    estimator : RFVMClassifier or RFVMRegressor
        What is fitted without the rows of each fold; it stays as it is, fitted or not.
    X : array-like, sparse matrix, data frame or AnnData of shape (n_samples, n_features)
        The samples.
    y : array-like of shape (n_samples,)
        The target.
    cv : int, default=5
        Folds, stratified by class.
    repeats : int, default=10
        How often the samples are dealt to folds.
    groups : array-like of shape (n_samples,), optional
        Samples that belong together: no fold splits them, and intervals respect them.
    sample_weight : array-like of shape (n_samples,), optional
        Weight of each sample in the fits.
    random_state : int, default=1
        Seed by which samples are dealt to folds.

    Returns
    -------
    dict
        What ``rfvm evaluate --json`` prints: measures with their 95 % intervals, selections, and every prediction of an
        unseen sample. With more than two classes the measures are those of all of them together, ``per_class`` has
        each against the rest, and ``confusion`` the samples of each class by the class that they are taken for.

    Examples
    --------
    >>> import rfvm
    >>> study = rfvm.datasets.make_fat_classification(n_samples=60, n_features=100, effect=3.0)
    >>> found = rfvm.evaluate(rfvm.RFVMClassifier(size="compact"), study.data, study.target, repeats=1)
    >>> found["auc"]["mean"] > 0.9, found["auc"]["low"] < found["auc"]["high"] <= 1.0
    (True, True)
    """
    estimator = clone(estimator)
    X, problem, labels = estimator._problem(X, y, sample_weight, groups)
    dealing = {"strata": labels.tolist(), "folds": int(cv), "repeats": int(repeats), "seed": int(random_state)}
    with estimator._looking_on() as callback:
        text = _core.evaluate(**estimator._asked(X, problem), dealing=dealing, callback=callback)
    if text is None:
        raise RuntimeError("the callback ended the evaluation before it was done")
    evaluation: dict[str, Any] = json.loads(text)
    return evaluation
