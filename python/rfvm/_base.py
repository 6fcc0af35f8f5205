"""What classifier and regressor share: parameters, the way into the engine, and what a fit leaves behind."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import _check_n_features, check_array, validate_data

from rfvm import _core, _facts, _inputs, _tables
from rfvm._running import Callback, Progress, worker_threads

if TYPE_CHECKING:
    from typing import Self  # of Python 3.11

    import pandas as pd

_KINDS = [np.float64, np.float32]


#: What the engine fits: a model of two classes or of a number, or one of several classes.
AnyModel: TypeAlias = _core.Model | _core.MulticlassModel


class Problem(NamedTuple):
    """What the engine is asked to fit: classes, or a number."""

    target: tuple[list[str], list[int]] | list[float]
    settings: dict[str, Any]
    weight: NDArray[np.float64] | None
    groups: NDArray[np.intp] | None


class WeakSignalWarning(UserWarning):
    """A fit found nothing, hardly anything, or was ended before it could tell."""


class LeakageWarning(UserWarning):
    """Something in the data may make a model look better than it is: to be checked by someone who knows them."""


class RFVMBase(SelectorMixin, BaseEstimator):
    """Parameters and fitted attributes of both estimators."""

    #: What is not selected has a weight of exactly zero. By this word `SelectFromModel` knows, and keeps what has a
    #: weight instead of what lies above the mean, which for a model without features is everything.
    penalty = "l1"

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
        self.method = method
        self.size = size
        self.share = share
        self.signatures = signatures
        self.family = family
        self.start_seed = start_seed
        self.max_iterations = max_iterations
        self.scaling = scaling
        self.impute = impute
        self.missing = missing
        self.log2 = log2
        self.feature_cost = feature_cost
        self.cost_prior = cost_prior
        self.feature_panels = feature_panels
        self.feature_blocks = feature_blocks
        self.annotation = annotation
        self.threads = threads
        self.verbose = verbose
        self.callback = callback

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.impute is not None
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    # Fitting

    def _settings(self) -> dict[str, Any]:
        """The parameters of the engine, by the rules of the command line."""
        counts: dict[str, Any] = {
            "size": self.size,
            "signatures": self.signatures,
            "start_seed": self.start_seed,
            "max_iterations": self.max_iterations,
            "threads": worker_threads(self.threads),
        }
        for name, value in counts.items():
            if value is None or (name == "size" and isinstance(value, str)):
                continue
            least = 0 if name == "start_seed" else 1
            if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
                raise ValueError(f"parameter {name} is {value!r}; it must be a whole number from {least}, or None")
            counts[name] = int(value)
        share = self.share
        if share is not None and (isinstance(share, bool) or not isinstance(share, Real)):
            raise ValueError(f"parameter share is {share!r}; it must be between 0 and 1, or None")
        return {
            **counts,
            "method": self.method,
            "share": None if share is None else float(share),
            "family": self.family,
            "scaling": self.scaling,
            "class_weight": None,
            "impute": self.impute,
            "log2": bool(self.log2),
        }

    def _validated(self, X: Any, y: Any = None, *, reset: bool, **more: Any) -> Any:
        """A checked matrix (with the target, where one is given), float64 or float32, not copied where it can be."""
        # Gaps of new samples alone can be integrated over.
        gaps = self.impute is not None or (self.missing is not None and not reset)
        finite = "allow-nan" if gaps else True
        checks = {"accept_sparse": "csc", "dtype": _KINDS, "ensure_all_finite": finite, **more}
        try:
            return self._checked(X, y, reset, checks)
        except ValueError as error:
            if "Input X contains NaN" not in str(error):
                raise
            # scikit-learn's own words advise other estimators, and do not say where to look.
            raise ValueError(_inputs.where_missing(_inputs.named(X, self._layer))) from None

    def _checked(self, X: Any, y: Any, reset: bool, checks: dict[str, Any]) -> Any:
        if not _inputs.is_anndata(X):
            return validate_data(self, X, y, **checks) if reset else validate_data(self, X, reset=False, **checks)
        values, names, _ = _inputs.from_anndata(X, None if reset else self._layer)
        if reset:
            checked = validate_data(self, values, y, **checks)
            self.feature_names_in_ = names
            return checked
        known = getattr(self, "feature_names_in_", None)
        if known is not None and list(known) != list(X.var_names):
            raise ValueError("the features of this AnnData object are not those of the fit, in the same order")
        values = check_array(values, input_name="X", **checks)
        _check_n_features(self, values, reset=False)
        return values

    def _begin(self, X: Any) -> None:
        """Forget an earlier fit, and remember what the samples are called, for the relevance vectors."""
        for name in ("relevance_vectors_", "relevance_vector_names_"):
            self.__dict__.pop(name, None)
        self._layer = None
        self._row_labels = np.asarray(X.obs_names, dtype=object) if _inputs.is_anndata(X) else _inputs.row_labels(X)

    def fit_anndata(self, adata: Any, target: str, *, layer: str | None = None, group: str | None = None) -> Self:
        """Fit on an AnnData object; samples without a target are left out.

        Parameters
        ----------
        adata : AnnData
            Samples by features.
        target : str
            Column of ``adata.obs`` with the classes, or the numbers of a regression.
        layer : str, optional
            Layer with the numbers instead of ``adata.X``, also of AnnData objects in later predictions.
        group : str, optional
            Column of ``adata.obs`` with samples that belong together.

        Returns
        -------
        self
            The fitted estimator.
        """
        adata = _inputs.with_target(adata, target, layer, group)
        groups = None if group is None else adata.obs[group]
        self.fit(adata, np.asarray(adata.obs[target]), groups=groups)
        self._layer = layer
        return self

    def _asked(self, X: Any, problem: Problem) -> dict[str, Any]:
        """A checked matrix and a problem as the engine takes them."""
        names = getattr(self, "feature_names_in_", None)
        weight, groups = problem.weight, problem.groups
        return {
            "x": _inputs.numbers(X),
            "target": problem.target,
            "settings": problem.settings,
            "feature_names": None if names is None else names.tolist(),
            "rows": {
                "names": _inputs.sample_names(self._row_labels),
                "weight": None if weight is None else weight.tolist(),
                "groups": None if groups is None else groups.tolist(),
            },
            "facts": self._facts_of(X),
        }

    def _facts_of(self, X: Any) -> dict[str, Any]:
        """What is known of the columns of a checked matrix, as the engine takes it."""
        names = getattr(self, "feature_names_in_", None)
        return _facts.of(self, None if names is None else names.tolist(), X.shape[1])

    @contextmanager
    def _looking_on(self) -> Iterator[Callback | None]:
        """Whoever is to be told of every iteration."""
        progress = Progress("rfvm", self.callback) if self.verbose else None
        try:
            yield progress or self.callback
        finally:
            if progress is not None:
                progress.close()

    def _engine_fit(self, X: Any, problem: Problem) -> tuple[AnyModel, dict[str, Any] | None]:
        with self._looking_on() as callback:
            return _core.fit(**self._asked(X, problem), callback=callback)

    def _adopt(self, model: AnyModel, path: dict[str, Any] | None) -> Self:
        """Everything that can be said of a fitted model."""
        self.model_ = model
        self._path = path
        rows = self._rows()
        self._committee = len(rows[0]) > 1
        self.n_iter_ = max(1, *(sum(len(s.trace) for s in each) for each in rows))
        self._find_features()
        self._find_vectors(rows)
        self._place_weights(rows)
        self.intercept_: Any = np.array([np.mean([s.bias for s in each]) for each in rows])
        first = rows[0][0]
        self.bound_ = float("nan") if first.bound is None else first.bound
        self.stop_reason_ = first.stop_reason
        self.correction_ = model.correction
        self.explained_share_ = model.share
        self.expected_loss_ = _loss(model.expected)
        self.cost_ = model.cost
        self.full_loss_ = _loss(model.full)
        self.verdict_ = model.verdict
        return self

    def _rows(self) -> list[list[_core.Signature]]:
        """The signatures behind every row of `coef_`: all of the model's, or of several classes each class's own."""
        if isinstance(self.model_, _core.MulticlassModel):
            return [[signature] for signature in self.model_.signatures]
        return [self.model_.signatures]

    def _of_two(self, what: str) -> _core.Model:
        """The model, where it is of two classes or of a number; `what` is asked of it."""
        self._check_fitted()
        if isinstance(self.model_, _core.MulticlassModel):
            raise ValueError(f"a model of more than two classes cannot be {what} yet; fit one class against the rest")
        return self.model_

    def _place_weights(self, signatures: Sequence[Sequence[_core.Signature]]) -> None:
        """Weights and relevances at the places of their columns, where these are known."""
        shape = (len(signatures), self.n_features_in_)
        self._weights = self._relevance = None
        if self._positions is None:
            return
        weights, relevance = np.zeros(shape), np.zeros(shape)
        at = self._positions
        for k, each in enumerate(signatures):
            selected = [feature for signature in each for feature in signature.features]
            # The latent score of a committee is the mean of its signatures' scores.
            weights[k, at] = [feature.weight / len(each) for feature in selected]
            relevance[k, at] = [feature.relevance for feature in selected]
        self._weights, self._relevance = weights, relevance

    @property
    def coef_(self) -> Any:
        """Weights w of all columns: one row, or of more than two classes one for each."""
        return self._placed(self._weights, "coef_")

    @property
    def relevance_(self) -> NDArray[np.float64]:
        """Mean of v of all columns."""
        # Every class has the same.
        relevance: NDArray[np.float64] = self._placed(self._relevance, "relevance_")[0]
        return relevance

    def _placed(self, values: Any, name: str) -> Any:
        if not self.__sklearn_is_fitted__():
            raise AttributeError(f"{type(self).__name__} has no {name} before it is fitted")
        if values is None:
            raise AttributeError(
                f"{name} is unknown: a model file knows its features by name only (signature_ has them); give load() "
                "the names of all columns"
            )
        return values

    def _warn(self) -> None:
        """Say what a fit has not found; nothing where it found something."""
        model = self.model_
        for message in model.warnings:
            shown = re.sub(r"'(f\d+)'", lambda quoted: f"'{self._shown(quoted[1])}'", message)
            warnings.warn(shown, LeakageWarning, stacklevel=3)
        if not model.needed_features:
            words = {
                "interrupted": "the callback ended the fit before there was a model: this is the base rate",
                "breakdown": "the fit broke down on numbers that it could not compute with: this is the base rate",
            }.get(
                model.signatures[0].stop_reason,
                "nothing was found that chance does not give too: the model is the base rate",
            )
        elif model.verdict == "nothing" and self.size == "full":
            words = "nothing was found that chance does not give too: the full model is drawn to the base rate"
        elif model.verdict == "nothing":
            words = "chance gives as much as was found; the features are there because their number was asked for"
        elif model.verdict == "weak":
            words = "the signal is weak: held-back rows do not show clearly that the model beats the base rate"
        else:
            return
        # Out of _warn, of fit and of nothing else: the line that called fit.
        warnings.warn(words, WeakSignalWarning, stacklevel=3)

    def _numbered(self, kind: int, letter: str) -> Callable[[str], bool]:
        """Tells names that say where a column (kind 0) or row (1) stands from real ones that only look so."""
        made_up = self.model_.made_up_names
        if made_up is None or made_up[kind]:
            return lambda name: _is_numbered(name, letter)
        return lambda name: False

    def _find_features(self) -> None:
        """Columns of the selected features; unknown where a file has names for them and nobody said which is where."""
        names = getattr(self, "feature_names_in_", None)
        needed = self.model_.needed_features
        if names is not None:
            position = {name: at for at, name in enumerate(names)}
        else:
            numbered = self._numbered(0, "f")
            position = {name: int(name[1:]) - 1 for name in needed if numbered(name)}
        known = all(name in position for name in needed)
        self._positions = np.array([position[name] for name in needed], dtype=np.intp) if known else None

    def _find_vectors(self, signatures: Sequence[Sequence[_core.Signature]]) -> None:
        """Training rows that define the model, and their coefficients: one line per row of `coef_`."""
        coefficients = [_coefficients(each) for each in signatures]
        named = list(dict.fromkeys(name for each in coefficients for name in each))
        labels = self._row_labels
        names = _inputs.sample_names(labels)
        if names is not None:
            position = {name: at for at, name in enumerate(names)}
        else:
            numbered = self._numbered(1, "s")
            position = {name: int(name[1:]) - 1 for name in named if numbered(name)}
        if all(name in position for name in named):
            named.sort(key=position.__getitem__)
            self.relevance_vectors_ = np.array([position[name] for name in named], dtype=np.intp)
            if labels is not None:
                self.relevance_vector_names_ = labels[self.relevance_vectors_]
        else:
            self.relevance_vector_names_ = np.array(named, dtype=object)
        self.dual_coef_ = np.array([[each.get(name, 0.0) for name in named] for each in coefficients])

    # Prediction

    def _predictions(self, X: Any) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64] | None]:
        """Means, variances and probabilities; of more than two classes a column for each."""
        values = self._given(X)
        if isinstance(self.model_, _core.MulticlassModel):
            return self.model_.predict(values)
        return self.model_.predict(values, self.missing)

    def _given(self, X: Any) -> Any:
        """What X has of the model's features and their stand-ins, or all that it needs where none may lack."""
        if self.missing is None:
            return self._needed(X)
        self._check_fitted()
        return self._with_gaps(X)

    def _needed(self, X: Any) -> Any:
        """The columns that the model needs, in its order."""
        self._check_fitted()
        known = getattr(self, "feature_names_in_", None)
        if self._positions is None or _inputs.has_columns(X, known):
            # Few of very many columns are needed, and a frame is slow to turn into numbers whole.
            return self._picked(X, self.model_.needed_features)
        return _inputs.columns(self._validated(X, reset=False), self._positions)

    def _with_gaps(self, X: Any) -> NDArray[np.float64]:
        """The model's features and then their stand-ins; gaps where a frame lacks a column."""
        model = self._of_two("predicted with missing values")
        wanted = [*model.needed_features, *model.stand_ins]
        names = getattr(self, "feature_names_in_", None)
        columns = _inputs.column_names(X)
        if columns is not None and (names is not None or self._positions is None):
            known = set(columns)
            there = [name for name in wanted if name in known]
            if wanted and not there:
                raise ValueError(f"X has none of the features that the model needs: {', '.join(wanted[:10])}")
            values = np.full((len(X), len(wanted)), np.nan)
            if there:
                at = [wanted.index(name) for name in there]
                values[:, at] = _inputs.columns_by_name(X, there, self._layer)
            if np.isinf(values).any():
                raise ValueError("Input X contains infinity or a value too large for dtype('float64').")
            return values
        X = self._validated(X, reset=False)
        if names is not None:
            position = {name: at for at, name in enumerate(names)}
        else:
            position = {name: int(name[1:]) - 1 for name in wanted}
        return np.asarray(_inputs.columns(X, np.array([position[name] for name in wanted], dtype=np.intp)))

    def filled(self, X: Any) -> list[list[str]]:
        """What every sample lacks and `missing` integrates over, as the column `filled` of ``rfvm predict`` has it.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        list of list of str
            For every sample the features that it lacks, "a by b" where b stood in for a.
        """
        self._check_fitted()
        if self.missing is None:
            raise ValueError("nothing is filled in unless missing is 'integrate' or 'substitute'")
        return self._of_two("predicted with missing values").filled(self._with_gaps(X), self.missing)

    def _picked(self, X: Any, names: list[str]) -> NDArray[np.float64]:
        """The named columns of a frame or AnnData object, checked; what a model does not use may be anything."""
        values = _inputs.columns_by_name(X, names, self._layer)
        if not np.isfinite(values).all():
            if np.isinf(values).any():
                raise ValueError("Input X contains infinity or a value too large for dtype('float64').")
            if self.impute is None and self.missing is None:
                named = _inputs.Named(values, np.asarray(names, dtype=object), _inputs.row_labels(X))
                raise ValueError(_inputs.where_missing(named))
        return values

    def predict_latent(self, X: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Mean and standard deviation of the latent score (in a regression: of the target), the noise included.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        mean, sd : ndarray of shape (n_samples,), or (n_samples, n_classes) for more than two classes
            How far a sample is on the side of the positive class, and how sure that is.
        """
        mean, variance, _ = self._predictions(X)
        return mean, np.sqrt(variance)

    def explain(self, X: Any) -> pd.DataFrame:
        """What every feature adds to the score of each sample, as ``rfvm predict --explain`` tells.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        DataFrame
            A row for every feature of every sample, largest first, then the base, which is the average training sample:
            sample, part ("feature", "others" or "base"), feature, value, contribution, sd, low and high (95 %). The
            contributions of a sample sum to the mean of `predict_latent`. Of a model of more than 100 features the 20
            largest are listed, and the others are one row.
        """
        model = self._of_two("explained")
        return _tables.explained(self, model.explain(self._needed(X)), _inputs.row_labels(X))

    def export(self, format: str, path: Any = None) -> str:
        """The score for those who do not have this package, as ``rfvm export`` writes it.

        Parameters
        ----------
        format : {"text", "latex", "points", "pmml", "html"}
            The formula as text or LaTeX, a score of whole points, PMML 4.4, or one page that computes.
        path : path-like, optional
            Write it to this file too.

        Returns
        -------
        str
            The text of the file.
        """
        text = self._of_two("exported").export(format)
        if path is not None:
            Path(path).write_text(text, encoding="utf-8")
        return text

    # Selection

    def _get_support_mask(self) -> NDArray[np.bool_]:
        self._check_fitted()
        mask = np.zeros(self.n_features_in_, dtype=bool)
        if self._positions is None:
            raise ValueError("a model file knows its features by name only; give load() the names of the columns")
        mask[self._positions] = True
        return mask

    @property
    def signatures_(self) -> list[pd.DataFrame]:
        """A table like `signature_` for every signature of the committee (for every class, one list after another)."""
        self._check_fitted()
        return _tables.signatures(self)

    @property
    def signature_(self) -> pd.DataFrame:
        """The selected features: feature, weight, class it speaks for, relevance, sd of the weight."""
        self._check_fitted()
        return _tables.signature(self)

    @property
    def trace_(self) -> pd.DataFrame:
        """Bound and active sets after every iteration."""
        self._check_fitted()
        return _tables.trace(self)

    @property
    def path_(self) -> pd.DataFrame:
        """The small models beside the full one: size, explained share, expected loss, and which sizes chose which."""
        self._check_fitted()
        if self._path is None:
            raise AttributeError("only a fit of method='projected' has a path_, and a model file does not keep it")
        return _tables.path(self)

    def _check_fitted(self) -> None:
        if not hasattr(self, "model_"):
            name = type(self).__name__
            raise NotFittedError(f"This {name} instance is not fitted yet. Call 'fit' before using it.")

    # Files

    def save(self, path: Any) -> None:
        """Write the model to a file, the same JSON that ``rfvm fit`` writes; `rfvm.load` and the program read it.

        Parameters
        ----------
        path : path-like
            The file. It appears whole or not at all.
        """
        self._check_fitted()
        self.model_.save(os.fspath(path))

    @classmethod
    def load(cls, path: Any, *, feature_names: Sequence[str] | None = None) -> Self:
        """Read a model that `save` or the command line program wrote.

        Parameters
        ----------
        path : path-like
            The file.
        feature_names : sequence of str, optional
            Names of all columns of the training data, in order. A file has only those that the model needs: without
            this, predictions are made from data frames, whose columns are found by name.

        Returns
        -------
        estimator
            Fitted; parameters are at their defaults, for a file does not hold them.
        """
        from rfvm._files import load

        estimator = load(path, feature_names=feature_names)
        if not isinstance(estimator, cls):
            raise ValueError(f"{path} holds a {type(estimator).__name__}, not a {cls.__name__}")
        return estimator

    def _shown(self, name: str) -> str:
        """A feature as scikit-learn calls it: columns without names are x0, x1, ... (f1, f2, ... in the file)."""
        if hasattr(self, "feature_names_in_") or not self._numbered(0, "f")(name):
            return name
        return f"x{int(name[1:]) - 1}"

    # Kept from the fit; None before it and in models read from a file.
    _row_labels: NDArray[Any] | None = None
    _layer: str | None = None
    _weights: Any = None
    _relevance: NDArray[np.float64] | None = None


def _loss(costs: tuple[float, float, float, float] | None) -> float | None:
    return None if costs is None else costs[0]


def _is_numbered(name: str, letter: str) -> bool:
    return name[:1] == letter and name[1:].isascii() and name[1:].isdigit()


def _coefficients(signatures: Sequence[_core.Signature]) -> dict[str, float]:
    """What every relevance vector of a model adds, over all signatures; a row that stood twice is one row."""
    total: dict[str, float] = {}
    for vector in (vector for signature in signatures for vector in signature.vectors):
        name = vector.sample.removesuffix(" (copy)")
        total[name] = total.get(name, 0.0) + vector.coefficient
    return total
