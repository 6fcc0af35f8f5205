"""Model files: those of the engine, of two classes, of several and of a number."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rfvm import _core

if TYPE_CHECKING:
    from rfvm._base import RFVMBase

#: How files began that held a model for each of several classes.
_CONTAINER = b'{"format":"rfvm-models"'


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
    if content.startswith(_CONTAINER):
        raise ValueError(
            f"{path} holds a model for each of several classes, as older versions wrote it, which this version of rfvm "
            "no longer reads; fit it again"
        )
    try:
        model = _core.read_model(content)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    estimator: RFVMBase
    if model.classes:
        estimator = RFVMClassifier()
        estimator.classes_ = _labels(model.classes)
    else:
        estimator = RFVMRegressor()
    estimator.impute = model.imputes
    estimator.n_features_in_ = model.features_in
    if feature_names is not None:
        if len(feature_names) != model.features_in:
            raise ValueError(f"{path} was fitted on {model.features_in} features, got {len(feature_names)} names")
        estimator.feature_names_in_ = np.asarray(feature_names, dtype=object)
    return estimator._adopt(model, None)


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
