"""A model on labelled new samples."""

from __future__ import annotations

import copy
import json
import os
from typing import Any, Literal, overload

import numpy as np
from sklearn.utils.validation import check_consistent_length

from rfvm import _core, _inputs
from rfvm._base import RFVMBase
from rfvm._report import _target


@overload
def validate(
    model: RFVMBase,
    X: Any,
    y: Any,
    *,
    threshold: float = ...,
    groups: Any = ...,
    recalibrate: None = ...,
    html: Any = ...,
    name: str = ...,
) -> dict[str, Any]: ...


@overload
def validate(
    model: RFVMBase,
    X: Any,
    y: Any,
    *,
    threshold: float = ...,
    groups: Any = ...,
    recalibrate: Literal["intercept", "slope"],
    html: Any = ...,
    name: str = ...,
) -> tuple[dict[str, Any], RFVMBase]: ...


def validate(
    model: RFVMBase,
    X: Any,
    y: Any,
    *,
    threshold: float = 0.5,
    groups: Any = None,
    recalibrate: str | None = None,
    html: Any = None,
    name: str = "new samples",
) -> dict[str, Any] | tuple[dict[str, Any], RFVMBase]:
    """Measure a fitted model on labelled new samples (external validation), as ``rfvm validate`` does.

    Parameters
    ----------
    model : RFVMClassifier or RFVMRegressor
        Fitted or loaded, of two classes or a number; it stays as it is. Its parameter `missing` says what is done about
        features and values that the samples lack.
    X : array-like, sparse matrix, data frame or AnnData of shape (n_samples, n_features)
        The new samples. Of a data frame the features are found by name, whatever else it holds.
    y : array-like of shape (n_samples,)
        Their classes, which are the model's, or numbers. A class may be absent.
    threshold : float, default=0.5
        Samples with a probability above it are taken for the positive class.
    groups : array-like of shape (n_samples,), optional
        Samples that belong together: intervals and folds take whole groups.
    recalibrate : {"intercept", "slope"}, optional
        What of the model's correction is learned anew on these samples: what is added to all logits, or that and by how
        much they are stretched.
    html : path-like, optional
        Write one self-contained page to this file.
    name : str, default="new samples"
        What the new samples are called.

    Returns
    -------
    dict, or dict and estimator
        What ``rfvm validate --json`` prints: measures with their 95 % intervals, calibration, curves, base rates, the
        shift of every feature, every sample. With `recalibrate`, under ``recalibrated`` what that is worth,
        cross-validated on these samples, and beside the dict the recalibrated estimator.

    Examples
    --------
    >>> import rfvm
    >>> study = rfvm.datasets.make_fat_classification(n_samples=120, n_features=100, effect=2.0, random_state=1)
    >>> model = rfvm.RFVMClassifier(size="compact").fit(study.data[:60], study.target[:60])
    >>> found = rfvm.validate(model, study.data[60:], study.target[60:])
    >>> found["n"], found["auc"]["mean"] > 0.8
    (60, True)
    >>> found, again = rfvm.validate(model, study.data[60:], study.target[60:], recalibrate="intercept")
    >>> again.correction_[0] == model.correction_[0], again.correction_[1] == model.correction_[1]
    (True, False)
    """
    fitted = model._of_two("validated")
    labels = _inputs.named(X, model._layer).sample_names
    columns, known = _inputs.column_names(X), getattr(model, "feature_names_in_", None)
    names = None if known is None else known.tolist()
    if columns is None and model._positions is None:
        raise ValueError(
            "this model was read from a file, which knows its features by name only; "
            "validate on a data frame, or give load() the names of the columns"
        )
    if columns is not None and (known is not None or model._positions is None) and not _inputs.is_anndata(X):
        names, values = _by_name(model, X, columns)
    else:
        values = model._validated(X, reset=False)
        names = columns if model._positions is None else names
    check_consistent_length(values, y)
    groups = _inputs.numbered_groups(X, groups)
    text, engine = _core.validate(
        fitted,
        _inputs.numbers(values),
        _target(model, y),
        feature_names=None if names is None else [str(each) for each in names],
        rows={
            "names": _inputs.sample_names(labels),
            "weight": None,
            "groups": None if groups is None else groups.tolist(),
        },
        asked={
            "threshold": float(threshold),
            "recalibrate": recalibrate,
            "missing": model.missing,
            "name": name,
            "page": None if html is None else os.fspath(html),
        },
    )
    found: dict[str, Any] = json.loads(text)
    if engine is None:
        return found
    recalibrated = copy.copy(model)
    return found, recalibrated._adopt(engine, model._path)


def _by_name(model: RFVMBase, X: Any, names: list[Any]) -> tuple[list[Any], Any]:
    """All columns of a frame where they are numbers, as the program reads a table; else those that the model needs."""
    fitted = model._of_two("validated")
    needed = fitted.needed_features
    shown = {str(name) for name in names}
    if model.missing is not None:
        needed = [name for name in [*needed, *fitted.stand_ins] if name in shown]
    if all(name in shown for name in needed):
        try:
            return names, _inputs.columns_by_name(X, names)
        except (TypeError, ValueError):
            pass
    return needed, np.asarray(model._picked(X, needed))
