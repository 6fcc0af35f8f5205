"""The page about a model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.validation import check_consistent_length

from rfvm import _core, _inputs
from rfvm._base import RFVMBase
from rfvm._classifier import RFVMClassifier, class_name


def report(
    model: RFVMBase, X: Any, y: Any, path: Any, evaluation: Any = None, *, groups: Any = None, name: str = "study"
) -> None:
    """Write one self-contained HTML page about a model, its data and its evaluation.

    The page needs no network: it opens from a mail attachment, prints, and can be sorted and searched. It is the page
    that ``rfvm report`` writes.

    Parameters
    ----------
    model : RFVMClassifier or RFVMRegressor
        Fitted, with at most two classes.
    X : array-like, sparse matrix, data frame or AnnData of shape (n_samples, n_features)
        The samples that it was fitted on.
    y : array-like of shape (n_samples,)
        Their target.
    path : path-like
        The HTML file. It appears whole or not at all.
    evaluation : path-like or dict, optional
        What ``rfvm evaluate --json`` printed for the same data and parameters. Without it the page has no curves of
        unseen samples and says so.
    groups : array-like of shape (n_samples,), optional
        The groups that it was fitted with: no group is split between the folds by which replacements are judged.
    name : str, default="study"
        What the data are called on the page.

    Examples
    --------
    >>> import rfvm, tempfile, pathlib
    >>> study = rfvm.datasets.make_fat_classification(n_samples=40, n_features=50, random_state=1)
    >>> model = rfvm.RFVMClassifier().fit(study.data, study.target)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = pathlib.Path(folder) / "report.html"
    ...     rfvm.report(model, study.data, study.target, page)
    ...     page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    True
    """
    model._check_fitted()
    if len(model.models_) > 1:
        raise ValueError("a report is about one model; with more than two classes there is one for each")
    labels = _inputs.from_anndata(X).sample_names if _inputs.is_anndata(X) else _inputs.row_labels(X)
    names = getattr(model, "feature_names_in_", None)
    if names is None and hasattr(X, "columns"):
        names = np.asarray(list(getattr(X, "column_names", X.columns)), dtype=object)
    values = model._validated(X, reset=False)
    check_consistent_length(values, y)
    groups = _inputs.numbered_groups(X, groups)
    text = None
    if evaluation is not None:
        text = json.dumps(evaluation) if isinstance(evaluation, dict) else Path(evaluation).read_text(encoding="utf-8")
    _core.report(
        model.models_[0],
        _inputs.numbers(values),
        _target(model, y),
        path,
        feature_names=None if names is None else [str(each) for each in names],
        rows={
            "names": _inputs.sample_names(labels),
            "weight": None,
            "groups": None if groups is None else groups.tolist(),
        },
        evaluation=text,
        name=name,
    )


def _target(model: RFVMBase, y: Any) -> tuple[list[str], list[int]] | list[float]:
    """The target as the engine takes it: positions in the model's classes, or numbers."""
    if not isinstance(model, RFVMClassifier):
        return [float(value) for value in np.asarray(y, dtype=np.float64)]
    known = [class_name(label) for label in model.classes_]
    given = [class_name(label) for label in np.asarray(y)]
    for label in given:
        if label not in known:
            raise ValueError(f"y has a class {label!r} that the model does not know; it knows {', '.join(known)}")
    return known, [known.index(label) for label in given]
