"""Model files: those of the engine, and several of them in one for more than two classes."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rfvm import _core

if TYPE_CHECKING:
    from rfvm._base import RFVMBase

_FORMAT = "rfvm-models"


def save(estimator: RFVMBase, path: Any) -> None:
    """Write the engine's file; for more than two classes, one that holds a file per class."""
    if len(estimator.models_) == 1:
        estimator.models_[0].save(os.fspath(path))
        return
    whole = {"format": _FORMAT, "version": 1, "models": [model.to_json() for model in estimator.models_]}
    path = Path(path)
    # Written beside its place and moved there: it appears whole or not at all.
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=path.parent, delete=False) as file:
        part = Path(file.name)
        try:
            json.dump(whole, file, ensure_ascii=False, separators=(",", ":"))
            file.close()
            part.replace(path)
        except BaseException:
            part.unlink(missing_ok=True)
            raise


def load(path: Any, *, feature_names: Sequence[str] | None = None) -> RFVMBase:
    """Read a model file of `save` or of the command line program.

    Parameters
    ----------
    path : path-like
        The file.
    feature_names : sequence of str, optional
        Names of all columns of the training data, in order. A file has only those that the model needs: without this,
        predictions are made from data frames, whose columns are found by name.

    Returns
    -------
    RFVMClassifier or RFVMRegressor
        Fitted; parameters are at their defaults, for a file does not hold them. Classes that are all numbers are
        numbers again.

    Examples
    --------
    >>> import rfvm, tempfile, pathlib
    >>> study = rfvm.datasets.make_fat_classification(n_samples=40, n_features=50, random_state=1)
    >>> model = rfvm.RFVMClassifier().fit(study.data, study.target)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "model.json"
    ...     model.save(file)
    ...     again = rfvm.load(file)
    >>> bool((again.predict_proba(study.data) == model.predict_proba(study.data)).all())
    True
    """
    from rfvm._classifier import RFVMClassifier
    from rfvm._regressor import RFVMRegressor

    content = Path(path).read_bytes()
    texts = [content]
    if content.startswith(f'{{"format":"{_FORMAT}"'.encode()):
        # Texts within a text: the engine's checksums are over its own spelling of numbers.
        texts = [text.encode() for text in json.loads(content)["models"]]
    try:
        models = [_core.Model.from_json(text) for text in texts]
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    estimator: RFVMBase
    if models[0].classes:
        estimator = RFVMClassifier()
        names = models[0].classes if len(models) == 1 else [model.classes[1] for model in models]
        estimator.classes_ = _labels(names)
    else:
        estimator = RFVMRegressor()
    estimator.impute = models[0].imputes
    estimator.n_features_in_ = models[0].features_in
    if feature_names is not None:
        if len(feature_names) != models[0].features_in:
            raise ValueError(f"{path} was fitted on {models[0].features_in} features, got {len(feature_names)} names")
        estimator.feature_names_in_ = np.asarray(feature_names, dtype=object)
    return estimator._adopt(models, [None] * len(models))


def _labels(names: list[str]) -> NDArray[Any]:
    """Classes of a file: numbers or truth values where all of them are."""
    if set(names) == {"False", "True"}:
        return np.array([name == "True" for name in names])
    for kind in (int, float):
        try:
            numbers = [kind(name) for name in names]
        except ValueError:
            continue
        # '01' and '1.50' are texts: as numbers they would be spelled otherwise.
        if [str(number) for number in numbers] == names:
            return np.array(numbers)
    return np.array(names)
