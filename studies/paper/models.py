"""The rivals that libraries offer, each tuned on the training rows as the paper tuned it.

Every function takes a :class:`Task` and gives a :class:`Fitted`. Grids are the paper's, accuracy over five inner folds
decides, and of equals the first in the order of the grid is taken. Where work is shared between settings the result is
that of fitting each alone; where a fit has a stated limit the page names it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import native  # noqa: F401  (finds the path study's modules)
import numpy as np
from baselines import inner_folds, machine, scaled
from scipy import sparse
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier

#: C of the elastic net and of the support vector machine.
PENALTIES = np.logspace(-4, 3, 8)
#: Passes of saga over the rows; each C starts where the one before ended.
SAGA_PASSES = 100
#: Steps of L-BFGS for the Gaussian process's length scales.
GP_STEPS = 50


@dataclass(frozen=True)
class Task:
    """The rows of one cell."""

    values: np.ndarray
    truth: np.ndarray
    test: np.ndarray
    groups: np.ndarray | None
    repeat: int
    quick: bool = False
    #: Seconds that tuning may take; a model that reaches them says so.
    budget: float | None = None

    def inner(self, values=None):
        """Inner folds, standardised."""
        return inner_folds(self.values if values is None else values, self.truth, self.groups, self.repeat)


@dataclass(frozen=True)
class Fitted:
    """What a model says of the test rows, and what it is made of."""

    #: Probability of the positive class, or a score with its boundary at 0.
    scores: np.ndarray
    #: Position and weight of every feature in use; `None`: all are.
    selected: list[tuple[int, float]] | None
    #: Number of training rows that define the model.
    vectors: int
    setting: str
    is_probability: bool = True
    cut_short: bool = False


def used(weights: np.ndarray) -> list[tuple[int, float]]:
    """The features whose weight is not zero."""
    return [(int(d), float(weights[d])) for d in np.flatnonzero(weights)]


def sparse_if_binary(task: Task):
    """Rows as the l1 models take them: dorothea's ones stay sparse, and are then scaled but not centred."""
    if set(np.unique(task.values[:20])) <= {0.0, 1.0} and task.values.mean() < 0.1:
        return sparse.csr_matrix(task.values), sparse.csr_matrix(task.test)
    return task.values, task.test


# Support vector machine -------------------------------------------------------------------------------------------------


def svm_l1(task: Task) -> Fitted:
    """LinearSVC with an l1 penalty; it is defined by the rows on or inside the margin."""
    values, test = sparse_if_binary(task)
    grid = PENALTIES[2:6:2] if task.quick else PENALTIES
    right = np.zeros(len(grid))
    for train, held, x, x_held in task.inner(values):
        for i, c in enumerate(grid):
            right[i] += np.sum(machine(c).fit(x, task.truth[train]).predict(x_held) == task.truth[held])
    c = grid[right.argmax()]
    x, x_test = scaled(values, test)
    model = machine(c).fit(x, task.truth)
    margin = (2.0 * task.truth - 1.0) * model.decision_function(x)
    return Fitted(
        model.decision_function(x_test),
        used(model.coef_[0]),
        int(np.sum(margin < 1.0)),
        f"C {c:g}",
        is_probability=False,
    )


# Elastic net ------------------------------------------------------------------------------------------------------------


def elastic_path(x, truth, ratio: float, grid, predict: Callable):
    """Models for every C from the strongest penalty on, each started from the last."""
    model = LogisticRegression(
        l1_ratio=ratio, solver="saga", warm_start=True, max_iter=SAGA_PASSES, tol=1e-3, random_state=0
    )
    for c in grid:
        model.set_params(C=c).fit(x, truth)
        yield predict(model)


def lr_elastic(task: Task) -> Fitted:
    """Logistic regression with an elastic net, by saga."""
    values, test = sparse_if_binary(task)
    grid = PENALTIES[2:6] if task.quick else PENALTIES
    ratios = [1.0, 0.5] if task.quick else [1.0, 0.75, 0.5, 0.25, 0.0]
    right = np.zeros((len(grid), len(ratios)))
    for train, held, x, x_held in task.inner(values):
        for j, ratio in enumerate(ratios):
            path = elastic_path(x, task.truth[train], ratio, grid, lambda m, rows=x_held: m.predict(rows))
            for i, found in enumerate(path):
                right[i, j] += np.sum(found == task.truth[held])
    i, j = np.unravel_index(right.argmax(), right.shape)
    x, x_test = scaled(values, test)
    last = None
    for last in elastic_path(
        x, task.truth, ratios[j], grid[: i + 1], lambda m: (m.predict_proba(x_test)[:, 1], m.coef_[0].copy())
    ):
        pass
    scores, weights = last
    return Fitted(scores, used(weights), len(task.truth), f"C {grid[i]:g} l1 {ratios[j]:g}")


# Random forest ----------------------------------------------------------------------------------------------------------

LEAVES = (2, 4, 8, 16, 32)
TREES = (200, 400, 600, 800, 1000)
DEPTHS = (10, 20, 30, 40, 50)


def forest(depth: int | None, features: str, split: int, trees: int, leaves: int) -> RandomForestClassifier:
    """A forest whose trees grow best split first."""
    return RandomForestClassifier(
        trees, max_depth=depth, max_features=features, min_samples_split=split, max_leaf_nodes=leaves, random_state=0
    )


def votes(model: RandomForestClassifier, rows, leaves: tuple[int, ...], trees: tuple[int, ...]) -> np.ndarray:
    """Probabilities [limit of leaves, number of trees, row] of all smaller forests that a large one holds.

    A tree that grows best split first numbers the children of its k-th split 2k - 1 and 2k, so the tree with at most L
    leaves is this one without the nodes from 2L - 1 on. The first n trees are the forest of n trees.
    """
    rows = np.asarray(rows, np.float32)
    total = np.zeros((len(leaves), len(rows)))
    found = np.zeros((len(leaves), len(trees), len(rows)))
    for number, tree in enumerate(model.estimators_, 1):
        share = tree.tree_.value[:, 0, 1] / tree.tree_.value[:, 0].sum(axis=1)
        on_path = tree.decision_path(rows, check_input=False).toarray().astype(bool)
        order = np.where(on_path, np.arange(on_path.shape[1]), 0)
        for i, limit in enumerate(leaves):
            total[i] += share[order[:, : 2 * limit - 1].max(axis=1)]
        if number in trees:
            found[:, trees.index(number)] = total / number
    return found


def deepest(model: RandomForestClassifier) -> int:
    """Depth of the deepest tree."""
    return max(tree.get_depth() for tree in model.estimators_)


def random_forest(task: Task) -> Fitted:
    """The paper's 1250 settings from ten forests an inner fold.

    Limits on leaves and trees come from one forest (see :func:`votes`). A limit on the depth that no tree reaches changes
    nothing, so a forest with that limit is grown only where one does.
    """
    leaves, trees = ((4, 16), (50, 100)) if task.quick else (LEAVES, TREES)
    splits = (2, 10) if task.quick else (2, 5, 10, 20, 50)
    kinds = [(features, split) for features in ("sqrt", "log2") for split in splits]
    right: dict[tuple, float] = {}
    start, cut_short = time.monotonic(), False
    for features, split in kinds:
        if task.budget is not None and time.monotonic() - start > task.budget and right:
            cut_short = True
            break
        for train, held, x, x_held in task.inner():
            grow = partial(forest, features=features, split=split, trees=trees[-1], leaves=leaves[-1])
            whole = grow(depth=None).fit(x, task.truth[train])
            depth_of_whole = deepest(whole)
            unlimited = votes(whole, x_held, leaves, trees)
            for depth in DEPTHS:
                found = unlimited
                if depth < depth_of_whole:
                    found = votes(grow(depth=depth).fit(x, task.truth[train]), x_held, leaves, trees)
                hits = np.sum((found > 0.5) == task.truth[held], axis=2)
                for i, limit in enumerate(leaves):
                    for j, number in enumerate(trees):
                        key = (features, split, depth, limit, number)
                        right[key] = right.get(key, 0.0) + hits[i, j]
    features, split, depth, limit, number = max(right, key=right.get)
    x, x_test = scaled(task.values, task.test)
    model = forest(depth, features, split, number, limit).fit(x, task.truth)
    importance = model.feature_importances_
    in_splits = {int(d) for tree in model.estimators_ for d in tree.tree_.feature if d >= 0}
    return Fitted(
        model.predict_proba(x_test)[:, 1],
        [(d, float(importance[d])) for d in sorted(in_splits)],
        len(task.truth),
        f"features {features} split {split} depth {depth} leaves {limit} trees {number}",
        cut_short=cut_short,
    )


# Multi-layer perceptron -------------------------------------------------------------------------------------------------

LAYOUTS = ((100, 50), (100, 50, 100), (100, 50, 50, 100), (100, 50, 25, 50, 100))


def mlp(task: Task) -> Fitted:
    """scikit-learn's perceptron with its own defaults, four layouts."""
    layouts = LAYOUTS[:2] if task.quick else LAYOUTS

    def fitted(layout, x, truth):
        return MLPClassifier(layout, random_state=0).fit(x.astype(np.float32), truth)

    right = np.zeros(len(layouts))
    start, cut_short = time.monotonic(), False
    for i, layout in enumerate(layouts):
        if task.budget is not None and time.monotonic() - start > task.budget and i > 0:
            cut_short = True
            break
        for train, held, x, x_held in task.inner():
            found = fitted(layout, x, task.truth[train]).predict(x_held.astype(np.float32))
            right[i] += np.sum(found == task.truth[held])
    layout = layouts[right.argmax()]
    x, x_test = scaled(task.values, task.test)
    scores = fitted(layout, x, task.truth).predict_proba(x_test.astype(np.float32))[:, 1]
    setting = "layers " + "-".join(map(str, layout))
    return Fitted(scores, None, len(task.truth), setting, cut_short=cut_short)


# Sparse Gaussian process ------------------------------------------------------------------------------------------------


def gaussian_process(x, truth, share: float, steps: int):
    """A sparse Gaussian process with a length scale for every feature; `None` where it fails.

    The logarithm of a probability of classes is never positive, so a positive marginal likelihood is a numerical failure.
    """
    import GPy

    rows = np.random.default_rng(0).permutation(len(x))[: max(1, round(share * len(x)))]
    kernel = GPy.kern.RBF(x.shape[1], ARD=True, lengthscale=np.sqrt(x.shape[1]))
    try:
        model = GPy.models.SparseGPClassification(x, truth[:, None].astype(float), kernel=kernel, Z=x[rows].copy())
        model.Z.fix(warning=False)
        model.optimize(max_iters=steps)
        likelihood = float(model.log_likelihood())
    except (np.linalg.LinAlgError, FloatingPointError, ValueError, ZeroDivisionError):
        return None, len(rows)
    return (model if np.isfinite(likelihood) and likelihood <= 0.0 else None), len(rows)


def sgp_ard(task: Task) -> Fitted:
    """SGP+ARD: inducing points at training rows, their share tuned; failed shares are out of the running."""
    shares = (0.2, 0.5) if task.quick else tuple(np.arange(1, 11) / 10)
    steps = 5 if task.quick else GP_STEPS
    right = np.full(len(shares), -1.0)
    start, cut_short = time.monotonic(), False
    for i, share in enumerate(shares):
        if task.budget is not None and time.monotonic() - start > task.budget and i > 0:
            cut_short = True
            break
        hits = 0.0
        for train, held, x, x_held in task.inner():
            model, _ = gaussian_process(x, task.truth[train], share, steps)
            if model is None:
                hits = -np.inf
                break
            hits += np.sum((model.predict(x_held)[0][:, 0] > 0.5) == task.truth[held])
        right[i] = hits
    x, x_test = scaled(task.values, task.test)
    for i in np.argsort(-right, kind="stable"):
        model, points = gaussian_process(x, task.truth, shares[i], steps)
        if model is not None and right[i] >= 0.0:
            scores = np.clip(model.predict(x_test)[0][:, 0], 0.0, 1.0)
            return Fitted(scores, None, points, f"share {shares[i]:g}", cut_short=cut_short)
    rate = float(np.mean(task.truth))
    return Fitted(np.full(len(task.test), rate), None, 0, "every share failed", cut_short=cut_short)


LIBRARY = {
    "SVM-l1": svm_l1,
    "LR-elastic": lr_elastic,
    "RF": random_forest,
    "MLP": mlp,
    "SGP+ARD": sgp_ard,
}
