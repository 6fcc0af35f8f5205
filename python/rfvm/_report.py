"""The page about a model."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.validation import check_consistent_length

from rfvm import _core, _facts, _inputs
from rfvm._base import RFVMBase
from rfvm._classifier import RFVMClassifier, class_name, one_against_rest

_Target = tuple[list[str], list[int]] | list[float]


def report(
    model: RFVMBase, X: Any, y: Any, path: Any, evaluation: Any = None, *, groups: Any = None, name: str = "study"
) -> list[Path]:
    """Write one self-contained HTML page about a model, its data and its evaluation.

    The page needs no network: it opens from a mail attachment, prints, and can be sorted and searched. It is the page
    that ``rfvm report`` writes. With more than two classes every class has a model against the rest, and a page of its
    own beside `path`, with the class in its name. Columns without names are f1, f2, ... on the page.

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
    written = []
    for fitted, (of_class, target) in zip(model.models_, _targets(model, y), strict=True):
        file, whole, judged = Path(path), name, evaluation
        if of_class is not None:
            spelled = re.sub(r"[^\w.-]+", "_", of_class)
            file = file.with_name(f"{file.stem}-{spelled}{file.suffix}")
            whole = f"{name}, {of_class} against the rest"
            judged = None if evaluation is None else evaluation["by_class"][of_class]
        _core.report(
            fitted,
            _inputs.numbers(values),
            target,
            file,
            feature_names=None if names is None else [str(each) for each in names],
            rows={
                "names": _inputs.sample_names(labels),
                "weight": None,
                "groups": None if groups is None else groups.tolist(),
            },
            facts=_facts.of(model, None if names is None else [str(each) for each in names], values.shape[1]),
            evaluation=None if judged is None else json.dumps(judged),
            name=whole,
        )
        written.append(file)
    return written


def _targets(model: RFVMBase, y: Any) -> Iterator[tuple[str | None, _Target]]:
    """The target of each model as the engine takes it: positions in its classes, or numbers; and the class it is of."""
    if not isinstance(model, RFVMClassifier):
        yield None, [float(value) for value in np.asarray(y, dtype=np.float64)]
        return
    known = [class_name(label) for label in model.classes_]
    given = [class_name(label) for label in np.asarray(y)]
    for label in given:
        if label not in known:
            raise ValueError(f"y has a class {label!r} that the model does not know; it knows {', '.join(known)}")
    labels = np.array([known.index(label) for label in given])
    if len(known) == 2:
        yield None, (known, labels.tolist())
        return
    for k, label in enumerate(known):
        yield label, one_against_rest(label, labels == k)
