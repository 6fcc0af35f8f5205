"""What a fit is worth on samples it has not seen."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from rfvm import _core
from rfvm._base import Problem, RFVMBase
from rfvm._classifier import class_name, scaled_to_one


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
        unseen sample. With more than two classes ``by_class`` has that for each class against the rest, on the same
        folds, and beside it stand accuracy, balanced accuracy and log loss of all classes together, folds as the unit.

    Examples
    --------
    >>> import rfvm
    >>> study = rfvm.datasets.make_fat_classification(n_samples=60, n_features=100, effect=3.0)
    >>> found = rfvm.evaluate(rfvm.RFVMClassifier(size="compact"), study.data, study.target, repeats=1)
    >>> found["auc"]["mean"] > 0.9, found["auc"]["low"] < found["auc"]["high"] <= 1.0
    (True, True)
    """
    estimator = clone(estimator)
    X, problems, labels = estimator._problems(X, y, sample_weight, groups)
    dealing = {"strata": labels.tolist(), "folds": int(cv), "repeats": int(repeats), "seed": int(random_state)}
    found = [_one(estimator, X, problem, dealing) for problem in problems]
    if len(found) == 1:
        return found[0]
    names = [class_name(label) for label in estimator.classes_]
    return {**_together(found, labels), "classes": names, "by_class": dict(zip(names, found, strict=True))}


def _one(estimator: RFVMBase, X: Any, problem: Problem, dealing: dict[str, Any]) -> dict[str, Any]:
    with estimator._looking_on(problem.what) as callback:
        text = _core.evaluate(**estimator._asked(X, problem), dealing=dealing, callback=callback)
    if text is None:
        raise RuntimeError("the callback ended the evaluation before it was done")
    evaluation: dict[str, Any] = json.loads(text)
    return evaluation


def _together(found: list[dict[str, Any]], labels: NDArray[np.intp]) -> dict[str, Any]:
    """Measures of all classes together, fold by fold: probabilities are scaled to sum to one, as in predict_proba."""
    of_folds: dict[str, list[float]] = {"accuracy": [], "balanced_accuracy": [], "log_loss": []}
    for folds in zip(*(each["results"] for each in found), strict=True):
        truth = labels[folds[0]["rows"]]
        probability = scaled_to_one(np.column_stack([fold["predicted"] for fold in folds]))
        right = probability.argmax(axis=1) == truth
        of_folds["accuracy"].append(float(right.mean()))
        of_folds["balanced_accuracy"].append(float(np.mean([right[truth == k].mean() for k in np.unique(truth)])))
        own = probability[np.arange(len(truth)), truth]
        of_folds["log_loss"].append(float(-np.log(np.clip(own, 1e-15, None)).mean()))
    return {name: {"mean": float(np.mean(each)), "sd": float(np.std(each, ddof=1))} for name, each in of_folds.items()}
