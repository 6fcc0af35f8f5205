"""How stable a selection is: the fit repeated on parts of the data, here or on a cluster."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.metrics import check_scoring
from sklearn.model_selection import GroupKFold, StratifiedGroupKFold, check_cv
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing, indexable
from sklearn.utils.multiclass import type_of_target

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Resampling", "resample"]


@dataclass(frozen=True)
class Resampling:
    """What `resample` found.

    Attributes
    ----------
    scores : ndarray of shape (n_fits,), or dict of such
        Score of each fit on the rows that it did not see; with several scorers, under the name of each.
    support : ndarray of bool, shape (n_fits, n_features)
        Features that each fit selected.
    feature_names : ndarray of str
        Names of the features.
    """

    scores: NDArray[np.float64] | dict[str, NDArray[np.float64]]
    support: NDArray[np.bool_]
    feature_names: NDArray[np.object_]

    @property
    def frequency(self) -> NDArray[np.float64]:
        """Share of the fits that selected each feature."""
        share: NDArray[np.float64] = self.support.mean(axis=0)
        return share

    @property
    def stability(self) -> float:
        """Nogueira's index: 1 where all fits select the same, about 0 where each selects at random."""
        fits, features = self.support.shape
        chosen = self.support.sum(axis=1).mean() / features
        if fits < 2 or chosen in (0.0, 1.0):
            return float("nan")
        variance = fits / (fits - 1) * self.frequency * (1.0 - self.frequency)
        return float(1.0 - variance.mean() / (chosen * (1.0 - chosen)))

    @property
    def table(self) -> pd.DataFrame:
        """Features that any fit selected, most frequent first."""
        import pandas as pd

        at = np.flatnonzero(self.frequency)
        at = at[np.argsort(-self.frequency[at], kind="stable")]
        return pd.DataFrame({"feature": self.feature_names[at], "frequency": self.frequency[at]})


def resample(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    cv: Any = 10,
    groups: Any = None,
    scoring: Any = None,
    n_jobs: int | None = None,
) -> Resampling:
    """Fit again and again on parts of the rows; score each fit on the rest and keep what it selected.

    The fits run through joblib: on this machine's cores with `n_jobs`, or on a cluster inside
    ``joblib.parallel_config("dask")`` or ``("ray")``, with the same numbers.

    Parameters
    ----------
    estimator : RFVMClassifier, RFVMRegressor or a Pipeline that ends in one
        What is fitted; it stays as it is. A pipeline's first steps may change the columns: the features are then those
        that its last step sees.
    X : array-like of shape (n_samples, n_features)
        The samples.
    y : array-like of shape (n_samples,)
        The target.
    cv : int, splitter or iterable, default=10
        As in ``sklearn.model_selection.cross_validate``; with `groups` a number means folds that keep them whole.
    groups : array-like of shape (n_samples,), optional
        Samples that belong together: for the splitter, and for the folds inside each fit.
    scoring : str, callable, or list, tuple or dict of them, optional
        As in ``cross_validate``; by default accuracy or R².
    n_jobs : int, optional
        Fits at a time.

    Returns
    -------
    Resampling
        Scores, selections and their stability.

    Examples
    --------
    >>> import rfvm
    >>> study = rfvm.datasets.make_fat_classification(n_samples=60, n_features=100, effect=3.0)
    >>> found = rfvm.resample(rfvm.RFVMClassifier(size="compact"), study.data, study.target, cv=3)
    >>> found.scores.shape, bool(found.stability > 0.5)
    ((3,), True)
    """
    X, y, groups = indexable(X, y, groups)
    splits = list(_splitter(cv, y, groups, is_classifier(estimator)).split(X, y, groups))
    several = scoring is not None and not isinstance(scoring, str) and not callable(scoring)
    scorer = check_scoring(estimator, scoring)
    fits = Parallel(n_jobs=n_jobs)(
        delayed(_fit_part)(clone(estimator), X, y, groups, train, test, scorer) for train, test in splits
    )
    scores, supports, names = zip(*fits, strict=True)
    if any(len(each) != len(names[0]) or (each != names[0]).any() for each in names):
        raise ValueError(
            "the first steps of the pipeline gave other columns in every fit: selections cannot be compared"
        )
    by_name = {name: np.array([score[name] for score in scores]) for name in scores[0]} if several else np.array(scores)
    return Resampling(by_name, np.array(supports), names[0])


def _splitter(cv: Any, y: Any, groups: Any, classes: bool) -> Any:
    """As scikit-learn's, but that a number of folds never splits a group."""
    if groups is None or not isinstance(cv, Integral):
        return check_cv(cv, y, classifier=classes)
    if classes and type_of_target(y) in ("binary", "multiclass"):
        return StratifiedGroupKFold(int(cv))
    return GroupKFold(int(cv))


def _fit_part(
    estimator: Any, X: Any, y: Any, groups: Any, train: Any, test: Any, scorer: Any
) -> tuple[Any, NDArray[np.bool_], NDArray[np.object_]]:
    prefix = f"{estimator.steps[-1][0]}__" if isinstance(estimator, Pipeline) else ""
    together = {} if groups is None else {f"{prefix}groups": _safe_indexing(groups, train)}
    estimator.fit(_safe_indexing(X, train), _safe_indexing(y, train), **together)
    score = scorer(estimator, _safe_indexing(X, test), _safe_indexing(y, test))
    model = estimator.steps[-1][1] if isinstance(estimator, Pipeline) else estimator
    names = getattr(model, "feature_names_in_", None)
    if names is None and isinstance(estimator, Pipeline):
        try:
            names = estimator[:-1].get_feature_names_out()
        except (AttributeError, ValueError):
            names = None
    if names is None:
        names = np.array([f"x{d}" for d in range(model.n_features_in_)], dtype=object)
    return score, model.get_support(), np.asarray(names, dtype=object)
