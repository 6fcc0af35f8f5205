"""How stable a selection is: the fit repeated on parts of the data, here or on a cluster."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.metrics import check_scoring
from sklearn.model_selection import check_cv
from sklearn.utils import _safe_indexing, indexable

if TYPE_CHECKING:
    import pandas as pd

    from rfvm._base import RFVMBase

__all__ = ["Resampling", "resample"]


@dataclass(frozen=True)
class Resampling:
    """What `resample` found.

    Attributes
    ----------
    scores : ndarray of shape (n_fits,)
        Score of each fit on the rows that it did not see.
    support : ndarray of bool, shape (n_fits, n_features)
        Features that each fit selected.
    feature_names : ndarray of str
        Names of the features.
    """

    scores: NDArray[np.float64]
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
    estimator: RFVMBase,
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
    estimator : RFVMClassifier or RFVMRegressor
        What is fitted; it stays as it is.
    X : array-like of shape (n_samples, n_features)
        The samples.
    y : array-like of shape (n_samples,)
        The target.
    cv : int, splitter or iterable, default=10
        As in ``sklearn.model_selection.cross_validate``.
    groups : array-like of shape (n_samples,), optional
        Samples that belong together: for the splitter, and for the folds inside each fit.
    scoring : str or callable, optional
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
    splitter = check_cv(cv, y, classifier=is_classifier(estimator))
    scorer = check_scoring(estimator, scoring)
    splits = list(splitter.split(X, y, groups))
    fits = Parallel(n_jobs=n_jobs)(
        delayed(_fit_part)(clone(estimator), X, y, groups, train, test, scorer) for train, test in splits
    )
    scores, supports, names = zip(*fits, strict=True)
    return Resampling(np.array(scores), np.array(supports), names[0])


def _fit_part(
    estimator: Any, X: Any, y: Any, groups: Any, train: Any, test: Any, scorer: Any
) -> tuple[float, NDArray[np.bool_], NDArray[np.object_]]:
    together = None if groups is None else _safe_indexing(groups, train)
    estimator.fit(_safe_indexing(X, train), _safe_indexing(y, train), groups=together)
    score = scorer(estimator, _safe_indexing(X, test), _safe_indexing(y, test))
    names = getattr(estimator, "feature_names_in_", None)
    if names is None:
        names = np.array([f"f{d}" for d in range(1, estimator.n_features_in_ + 1)], dtype=object)
    return float(score), estimator.get_support(), names
