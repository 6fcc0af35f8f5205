"""The page about a model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.validation import check_consistent_length

from rfvm import _core, _facts, _inputs
from rfvm._base import RFVMBase
from rfvm._classifier import RFVMClassifier, class_name

_Target = tuple[list[str], list[int]] | list[float]


def report(
    model: RFVMBase, X: Any, y: Any, path: Any, evaluation: Any = None, *, groups: Any = None, name: str = "study"
) -> list[Path]:
    """Write one self-contained HTML page about a model, its data and its evaluation.

    The page needs no network: it opens from a mail attachment, prints, and can be sorted and searched. It is the page
    that ``rfvm report`` writes. Columns without names are f1, f2, ... on the page.

    Parameters
    ----------
    model : RFVMClassifier or RFVMRegressor
        Fitted.
    X : array-like, sparse matrix, data frame or AnnData of shape (n_samples, n_features)
        The samples that it was fitted on.
    y : array-like of shape (n_samples,)
        Their target.
    path : path-like
        The HTML file. It appears whole or not at all.
    evaluation : path-like or dict, optional
        What `rfvm.evaluate` gave, or ``rfvm evaluate --json`` printed, for the same data and parameters. Without it the
        page has no curves of unseen samples and says so.
    groups : array-like of shape (n_samples,), optional
        The groups that it was fitted with: no group is split between the folds by which replacements are judged.
    name : str, default="study"
        What the data are called on the page.

    Returns
    -------
    list of Path
        The files that were written.

    Examples
    --------
    >>> import rfvm, tempfile, pathlib
    >>> study = rfvm.datasets.make_fat_classification(n_samples=40, n_features=50, random_state=1)
    >>> model = rfvm.RFVMClassifier().fit(study.data, study.target)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     (page,) = rfvm.report(model, study.data, study.target, pathlib.Path(folder) / "report.html")
    ...     page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    True
    """
    model._check_fitted()
    labels = _inputs.named(X).sample_names
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        columns = _inputs.column_names(X)
        names = None if columns is None else np.asarray(columns, dtype=object)
    values = model._validated(X, reset=False)
    check_consistent_length(values, y)
    groups = _inputs.numbered_groups(X, groups)
    if evaluation is not None and not isinstance(evaluation, dict):
        evaluation = json.loads(Path(evaluation).read_text(encoding="utf-8"))
    file = Path(path)
    named = None if names is None else [str(each) for each in names]
    several = isinstance(model.model_, _core.MulticlassModel)
    draw: Any = _core.report_classes if several else _core.report
    known = {} if several else {"facts": _facts.of(model, named, values.shape[1])}
    draw(
        model.model_,
        _inputs.numbers(values),
        _target(model, y),
        file,
        feature_names=named,
        rows={
            "names": _inputs.sample_names(labels),
            "weight": None,
            "groups": None if groups is None else groups.tolist(),
        },
        evaluation=None if evaluation is None else json.dumps(evaluation),
        name=name,
        **known,
    )
    return [file]


def _target(model: RFVMBase, y: Any) -> _Target:
    """The target as the engine takes it: positions in the model's classes, or numbers."""
    if not isinstance(model, RFVMClassifier):
        return [float(value) for value in np.asarray(y, dtype=np.float64)]
    known = [class_name(label) for label in model.classes_]
    given = [class_name(label) for label in np.asarray(y)]
    for label in given:
        if label not in known:
            raise ValueError(f"y has a class {label!r} that the model does not know; it knows {', '.join(known)}")
    return known, [known.index(label) for label in given]
