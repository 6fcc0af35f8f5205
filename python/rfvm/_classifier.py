"""The classifier."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight

from rfvm import _inputs
from rfvm._base import Problem, RFVMBase
from rfvm._docs import ATTRIBUTES, PARAMETERS
from rfvm._running import Callback

if TYPE_CHECKING:
    from typing import Self  # of Python 3.11

#: Methods that tell two classes apart.
_OF_TWO = ("signatures", "mean-field")

_DOC = f"""The Relevance Feature and Vector Machine for classes.

    One fit finds the few features and the few samples that define the classes. More than two classes have one panel of
    features together (method projected only), with weights and relevance vectors of each class against the rest.

    Parameters
    ----------{PARAMETERS}
    class_weight : "balanced" or dict, optional
        Weight of each class; ``"balanced"`` lets all of them weigh the same.

    Attributes
    ----------
    classes_ : ndarray
        The classes; of two, the second is the positive one.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        The bias b, of more than two classes of each.{ATTRIBUTES}

    Notes
    -----
    Rows that are equal in every value, in their class and in their group count as one row of their summed weight, so
    that a `sample_weight` of k is k copies of a row.

    Examples
    --------
    >>> from rfvm import RFVMClassifier, datasets
    >>> study = datasets.make_fat_classification(n_samples=60, n_features=300, effect=3.0, random_state=1)
    >>> model = RFVMClassifier(size="compact").fit(study.data, study.target)
    >>> set(model.get_support(indices=True)) <= set(study.truth)
    True
    >>> model.predict_proba(study.data[:2]).shape
    (2, 2)
    >>> model.transform(study.data).shape
    (60, 3)
    """


class RFVMClassifier(ClassifierMixin, RFVMBase):
    __doc__ = _DOC

    def __init__(
        self,
        *,
        method: str = "projected",
        size: str | int | None = None,
        share: float | None = None,
        signatures: int | None = None,
        family: str | None = None,
        start_seed: int | None = None,
        max_iterations: int | None = None,
        scaling: str | None = None,
        class_weight: str | dict[Any, float] | None = None,
        impute: str | None = None,
        missing: str | None = None,
        log2: bool = False,
        feature_cost: Any = None,
        cost_prior: float = 1.0,
        feature_panels: Any = None,
        feature_blocks: Any = None,
        annotation: Any = None,
        threads: int | None = None,
        verbose: int = 0,
        callback: Callback | None = None,
    ) -> None:
        super().__init__(
            method=method,
            size=size,
            share=share,
            signatures=signatures,
            family=family,
            start_seed=start_seed,
            max_iterations=max_iterations,
            scaling=scaling,
            impute=impute,
            missing=missing,
            log2=log2,
            feature_cost=feature_cost,
            cost_prior=cost_prior,
            feature_panels=feature_panels,
            feature_blocks=feature_blocks,
            annotation=annotation,
            threads=threads,
            verbose=verbose,
            callback=callback,
        )
        self.class_weight = class_weight

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = self.method not in _OF_TWO
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or AnnData of shape (n_samples, n_features)
            The samples. Numbers are read where they are; the engine makes the one copy that it scales.
        y : array-like of shape (n_samples,)
            The class of each sample.
        sample_weight : array-like of shape (n_samples,), optional
            Weight of each sample; k is the same as k copies of it, 0 as none.
        groups : array-like of shape (n_samples,), optional
            Samples that belong together; the folds by which a size is chosen never split them.

        Returns
        -------
        self
            The fitted estimator.
        """
        X, problem, _ = self._problem(X, y, sample_weight, groups)
        self._adopt(*self._engine_fit(X, problem))
        self._warn()
        return self

    def _problem(self, X: Any, y: Any, sample_weight: Any, groups: Any) -> tuple[Any, Problem, NDArray[np.intp]]:
        """The checked matrix, what the engine is asked, and labels."""
        self._begin(X)
        X, y = self._validated(X, y, reset=True)
        check_classification_targets(y)
        weight = None
        if sample_weight is not None:
            weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        self.classes_, labels = np.unique(y, return_inverse=True)
        present = self.classes_ if weight is None else np.unique(y[weight > 0])
        if len(present) < 2:
            raise ValueError(f"the target needs at least two classes, found {len(present)} class")
        groups = _inputs.numbered_groups(X, groups)
        settings = self._settings()
        names = [class_name(label) for label in self.classes_]
        if len(names) > 2 and self.method in _OF_TWO:
            raise ValueError(
                f"Only binary classification is supported by method={self.method!r}, and there are {len(names)} "
                "classes; take method='projected', or set one class against the rest"
            )
        if len(names) == 2:
            settings["class_weight"] = self._pair_of_weights()
        else:
            weight = self._weights_of_rows(labels, weight, settings)
        return X, Problem((names, labels.tolist()), settings, weight, groups), labels

    def _pair_of_weights(self) -> Any:
        """The weights of negative and positive class, as the engine takes them."""
        if not isinstance(self.class_weight, dict):
            return self.class_weight
        return tuple(float(weight) for weight in self._weight_of_class())

    def _weight_of_class(self) -> NDArray[np.float64]:
        assert isinstance(self.class_weight, dict)
        known = set(self.classes_.tolist())
        unknown = [label for label in self.class_weight if label not in known]
        if unknown:
            raise ValueError(f"class_weight names {unknown}, which is no class of y; the classes are {sorted(known)}")
        return np.array([self.class_weight.get(label, 1.0) for label in self.classes_.tolist()], dtype=np.float64)

    def _weights_of_rows(
        self, labels: NDArray[np.intp], weight: NDArray[np.float64] | None, settings: dict[str, Any]
    ) -> NDArray[np.float64] | None:
        """More than two classes: weights of their own are put on the rows."""
        if not isinstance(self.class_weight, dict):
            settings["class_weight"] = self.class_weight
            return weight
        of_rows = self._weight_of_class()[labels]
        return of_rows if weight is None else of_rows * weight

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Log odds of the positive class; of more than two classes what the probabilities are the softmax of.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            The latent mean, moderated by its variance and corrected (`correction_`).
        """
        return self._scores(X)[0]

    def _scores(self, X: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Log odds and probabilities, columns of each class where there are more than two."""
        mean, variance, probability = self._predictions(X)
        assert probability is not None
        if self._committee:
            least = np.finfo(np.float64).tiny
            return logit(np.clip(probability, least, 1.0 - np.finfo(np.float64).epsneg)), probability
        slope, intercept = self.correction_
        return np.asarray(intercept) + slope * mean / np.sqrt(1.0 + np.pi / 8.0 * variance), probability

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probability of every class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Columns in the order of `classes_`; every row sums to one.
        """
        _, probability = self._scores(X)
        return probability if probability.ndim > 1 else np.column_stack([1.0 - probability, probability])

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Logarithm of the probability of every class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            The logarithm of `predict_proba`.
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """The likeliest class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            A class of `classes_` for every sample.
        """
        _, probability = self._scores(X)
        at = np.argmax(probability, axis=1) if probability.ndim > 1 else (probability > 0.5).astype(np.intp)
        predicted: NDArray[Any] = self.classes_[at]
        return predicted

    def predict_reject(self, X: Any, *, level: float = 0.95) -> tuple[NDArray[Any], NDArray[np.bool_], NDArray[Any]]:
        """The likeliest class, and whether the model had better abstain, as ``rfvm predict --reject`` tells.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.
        level : float, default=0.95
            Probability of the interval of the score.

        Returns
        -------
        predicted : ndarray of shape (n_samples,)
            What `predict` gives.
        abstain : ndarray of bool of shape (n_samples,)
            Whether the interval holds both classes.
        interval : ndarray of shape (n_samples, 2)
            Ends of the interval of the probability of ``classes_[1]``.
        """
        if not 0.0 < level < 1.0:
            raise ValueError(f"level is {level}; it must be between 0 and 1, 0.95 for 95 %")
        model = self._of_two("asked to abstain")
        found = np.array(model.intervals(self._given(X), float(level), self.missing), dtype=np.float64)
        return self.predict(X), found[:, 2] == 1.0, found[:, :2]


def class_name(label: Any) -> str:
    """A class as the command line reads it from a table: whole numbers without a decimal point."""
    if isinstance(label, (float, np.floating)) and float(label).is_integer():
        return str(int(label))
    return str(label)
