"""Random forest: the paper's grid from as few forests as give all of it."""

from __future__ import annotations

from functools import partial

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from task import Fitted, Task, scaled

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

    Limits on leaves and trees come from one forest (see :func:`votes`). A limit on the depth that no tree reaches
    changes nothing, so a forest with that limit is grown only where one does.
    """
    leaves, trees = ((4, 16), (50, 100)) if task.quick else (LEAVES, TREES)
    splits = (2, 10) if task.quick else (2, 5, 10, 20, 50)
    kinds = [(features, split) for features in ("sqrt", "log2") for split in splits]
    right: dict[tuple, float] = {}
    over, cut_short = task.clock(), False
    for features, split in kinds:
        hits_of_kind: dict[tuple, float] = {}
        for train, held, x, x_held in task.inner():
            cut_short = bool(right) and over()
            if cut_short:
                break
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
                        hits_of_kind[key] = hits_of_kind.get(key, 0.0) + hits[i, j]
        if cut_short:
            break
        right |= hits_of_kind
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
