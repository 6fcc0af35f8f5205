"""Rivals on the fixed folds of 22 binary sets, each with plain and with the program's own scaling.

    OMP_NUM_THREADS=1 python studies/path/rivals.py [--repeats 0-9] [--models LR-l1,RF] [--sets colon,golub]

Everything is learned on the training part of a fold: what fills gaps, scaling, setting and weights. The setting is the
one of lowest log loss in an inner 5-fold, which keeps groups whole. Trees do not mind the scale and get raw values. The
support vector machine's scores become probabilities by Platt's method on what it said of the inner folds' held-back
rows; in the tuning each fold is judged with the other folds' Platt. Probabilities are kept within 1e-5 and 1 - 1e-5.
liblinear goes through the features in random order and stops early enough for that to show, so it has a seed here.
Finished cells are kept in `results/rivals.csv` and not run again. Needs lightgbm too.
"""

from __future__ import annotations

import argparse
import csv
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
from elastic import elastic_path
from greedy_ridge import greedy_ridge, losses
from l1 import GRID, logistic, machine
from lightgbm import LGBMClassifier
from scaling import SCALINGS
from scipy import sparse
from scipy.special import expit, logit
from sets import DataSet
from sets22 import SETS22, filled, load22
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, balanced_accuracy_score, log_loss, roc_auc_score
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

RESULTS = Path(__file__).parent / "results" / "rivals.csv"
COLUMNS = [
    *("set", "model", "scaling", "repeat", "fold", "accuracy", "auc", "log_loss", "balanced_accuracy"),
    *("features", "setting", "seconds", "scores"),
]
#: The largest score: a probability of 1 - 1e-5.
LIMIT = float(logit(1.0 - 1e-5))
GREEDY = "greedy ridge"

#: Scores of the test rows and the number of features in use, for every setting of a grid.
Scores = Iterator[tuple[np.ndarray, int]]


def lr_l1(x, truth, x_test, grid) -> Scores:
    for c in grid:
        model = logistic(c).set_params(random_state=0).fit(x, truth)
        yield model.decision_function(x_test), np.count_nonzero(model.coef_)


def svm_l1(x, truth, x_test, grid) -> Scores:
    for c in grid:
        model = machine(c).set_params(random_state=0).fit(x, truth)
        yield model.decision_function(x_test), np.count_nonzero(model.coef_)


def lr_l2(x, truth, x_test, grid) -> Scores:
    """In the coordinates of the training rows' principal axes, of which there are no more than rows."""
    kernel, kernel_test = x @ x.T, x_test @ x.T
    if sparse.issparse(kernel):
        kernel, kernel_test = kernel.toarray(), kernel_test.toarray()
    length, axes = np.linalg.eigh(kernel)
    kept = length > 1e-10 * length[-1]
    axes, root = axes[:, kept], np.sqrt(length[kept])
    for c in grid:
        model = LogisticRegression(C=c, solver="newton-cholesky").fit(axes * root, truth)
        yield model.decision_function(kernel_test @ (axes / root)), x.shape[1]


def lr_elastic(x, truth, x_test, grid) -> Scores:
    """The l1 part of the penalty has the strengths of LR-l1's grid."""
    x = x.toarray() if sparse.issparse(x) else x
    strengths = [np.array([ratio, 1.0 - ratio]) / (c * len(truth)) for c, ratio in grid]
    for w, intercept in elastic_path(x, truth, strengths):
        yield x_test @ w + intercept, np.count_nonzero(w)


def forest(x, truth, x_test, grid) -> Scores:
    """Settings are compared with a fifth of the trees: all of them in every inner fold would take eight hours of a core."""
    trees = 500 if len(grid) == 1 else 100
    for share in grid:
        model = RandomForestClassifier(trees, max_features=share, random_state=0).fit(x, truth)
        yield logit(model.predict_proba(x_test)[:, 1]), np.count_nonzero(model.feature_importances_)


def boosted(x, truth, x_test, grid) -> Scores:
    """The first trees of a long run are the short run."""
    model = LGBMClassifier(
        n_estimators=max(grid),
        num_leaves=7,
        learning_rate=0.05,
        colsample_bytree=0.1,
        min_child_samples=5,
        random_state=0,
        n_jobs=1,
        deterministic=True,
        force_col_wise=True,
        verbose=-1,
    ).fit(x, truth)
    for trees in grid:
        used = model.booster_.feature_importance(iteration=trees)
        yield model.predict(x_test, raw_score=True, num_iteration=trees), np.count_nonzero(used)


@dataclass(frozen=True)
class Rival:
    """How a model is fitted over a grid of settings, and the scalings it is run with."""

    fit: Callable[..., Scores]
    grid: Iterable
    scalings: tuple[str, ...] = ("plain", "bent")
    is_calibrated: bool = True


#: Cheap ones first.
RIVALS = {
    "LightGBM": Rival(boosted, (100, 200), ("raw",)),
    "LR-l2": Rival(lr_l2, np.logspace(-6, 2, 17)),
    "LR-l1": Rival(lr_l1, GRID),
    "SVM-l1": Rival(svm_l1, GRID, is_calibrated=False),
    "LR-elastic": Rival(lr_elastic, [(ratio * c, ratio) for ratio in (0.5, 0.1) for c in GRID]),
    "RF": Rival(forest, ("sqrt", 0.1), ("raw",)),
}


@dataclass(frozen=True)
class Task:
    """The rows of one cell and how they are scaled."""

    values: np.ndarray
    truth: np.ndarray
    test: np.ndarray
    groups: np.ndarray | None
    repeat: int
    scaling: str

    def scaled(self, train, test):
        """Gaps filled, then scaled."""
        return SCALINGS[self.scaling](*filled(train, test))

    def inner(self):
        """Rows of five inner folds, scaled by the training rows."""
        kind = StratifiedKFold if self.groups is None else StratifiedGroupKFold
        folds = kind(5, shuffle=True, random_state=self.repeat)
        for train, held in folds.split(np.zeros(len(self.truth)), self.truth, self.groups):
            yield train, held, *self.scaled(self.values[train], self.values[held])


@dataclass(frozen=True)
class Fitted:
    """What a model says of the test rows, the number of its features and its setting."""

    scores: np.ndarray
    features: int
    setting: str


def platt(scores: np.ndarray, truth: np.ndarray) -> tuple[float, float]:
    """Slope and intercept for Platt's smoothed labels; the slope stays above 0, so that ranks are the model's own."""
    unit = scores.std() or 1.0
    positive, negative = truth.sum(), (~truth).sum()
    share = np.where(truth, (positive + 1) / (positive + 2), 1 / (negative + 2))
    twice = np.tile(scores / unit, 2)[:, None]
    labels = np.repeat([True, False], len(scores))
    model = LogisticRegression(C=1e6).fit(twice, labels, sample_weight=np.concatenate([share, 1.0 - share]))
    slope, intercept = float(model.coef_[0, 0]), float(model.intercept_[0])
    return (slope / unit, intercept) if slope > 0.01 else (0.01 / unit, float(np.log(positive / negative)))


def tuned(rival: Rival, task: Task) -> Fitted:
    """Picks the setting of lowest log loss on the inner folds' held-back rows and fits it on all rows."""
    grid, rows = list(rival.grid), len(task.truth)
    held_back, fold_of = np.zeros((len(grid), rows)), np.zeros(rows, int)
    for fold, (train, held, x, x_held) in enumerate(task.inner()):
        fold_of[held] = fold
        for i, (scores, _) in enumerate(rival.fit(x, task.truth[train], x_held, grid)):
            held_back[i, held] = scores
    judged = held_back.copy()
    if not rival.is_calibrated:
        for i, fold in product(range(len(grid)), range(5)):
            known = fold_of != fold
            slope, intercept = platt(held_back[i, known], task.truth[known])
            judged[i, ~known] = intercept + slope * held_back[i, ~known]
    best = int(losses(task.truth, np.clip(judged, -LIMIT, LIMIT)).mean(axis=1).argmin())
    x, x_test = task.scaled(task.values, task.test)
    ((scores, features),) = rival.fit(x, task.truth, x_test, grid[best : best + 1])
    if not rival.is_calibrated:
        slope, intercept = platt(held_back[best], task.truth)
        scores = intercept + slope * scores
    setting = grid[best] if isinstance(grid[best], tuple) else (grid[best],)
    return Fitted(scores, features, " ".join(s if isinstance(s, str) else f"{s:.4g}" for s in setting))


def fitted(model: str, task: Task) -> dict[str, Fitted]:
    """By name; the greedy ridge path gives its three sizes at once."""
    if model != GREEDY:
        return {model: tuned(RIVALS[model], task)}
    tables = (table.toarray() if sparse.issparse(table) else table for table in (task.values, task.test))
    values, test = filled(*tables)
    points = greedy_ridge(values, task.truth, test, task.groups, task.repeat)
    return {f"{GREEDY} ({size})": Fitted(p.scores, len(p.chosen), f"{p.precision:g}") for size, p in points.items()}


def cell(data: DataSet, model: str, scaling: str, repeat: int, fold: int) -> Iterator[dict]:
    """The rows of the table for one fold."""
    test = data.folds[:, repeat] == fold
    groups = None if data.groups is None else data.groups[~test]
    truth = data.truth[test]
    start = time.process_time()
    found = fitted(model, Task(data.values[~test], data.truth[~test], data.values[test], groups, repeat, scaling))
    seconds = time.process_time() - start
    for name, result in found.items():
        p = expit(np.clip(result.scores, -LIMIT, LIMIT))
        yield {
            "set": data.name,
            "model": name,
            "scaling": scaling,
            "repeat": repeat,
            "fold": fold,
            "accuracy": round(accuracy_score(truth, p > 0.5), 6),
            "auc": round(roc_auc_score(truth, p), 6),
            "log_loss": round(log_loss(truth, p), 6),
            "balanced_accuracy": round(balanced_accuracy_score(truth, p > 0.5), 6),
            "features": result.features,
            "setting": result.setting,
            "seconds": round(seconds, 2),
            "scores": " ".join(f"{t:d}:{p:.5f}" for t, p in zip(truth, p, strict=True)),
        }


def jobs(repeats: list[int], models: list[str], sets: list[str]) -> Iterator[tuple[str, str, str, int, int]]:
    """Every cell, one repeat after the other; dorothea, which bends to the same values, last and plain."""
    for late in (False, True):
        for repeat, model, name in product(repeats, models, [name for name in sets if (name == "dorothea") == late]):
            scalings = ("bent",) if model == GREEDY else RIVALS[model].scalings
            for scaling, fold in product(scalings[:1] if late else scalings, range(5)):
                yield name, model, scaling, repeat, fold


def main() -> None:
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser()
    parser.add_argument("--repeats", default="0-9", help="one or a range")
    parser.add_argument("--models", default=",".join(RIVALS), help=f"{GREEDY!r} is one more")
    parser.add_argument("--sets", default=",".join(SETS22), help="dorothea is one more")
    asked = parser.parse_args()
    first, _, last = asked.repeats.partition("-")
    if not RESULTS.exists():
        RESULTS.write_text(",".join(COLUMNS) + "\n")
    with RESULTS.open() as file:
        key = ("set", "model", "scaling", "repeat", "fold")
        done = {tuple(row[k].partition(" (")[0] for k in key) for row in csv.DictReader(file)}
    data = None
    repeats = list(range(int(first), int(last or first) + 1))
    for job in jobs(repeats, asked.models.split(","), asked.sets.split(",")):
        if tuple(map(str, job)) in done:
            continue
        if data is None or data.name != job[0]:
            data = load22(job[0])
        rows = list(cell(data, *job[1:]))
        with RESULTS.open("a") as file:
            csv.DictWriter(file, COLUMNS, lineterminator="\n").writerows(rows)
        print(*job, rows[-1]["seconds"], flush=True)


if __name__ == "__main__":
    main()
