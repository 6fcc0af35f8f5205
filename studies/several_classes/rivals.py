"""Rivals of the models of several classes: l1 logistic regression, multinomial and one class against the rest.

    OMP_NUM_THREADS=1 python studies/several_classes/rivals.py [SET ...]

Each with plain and with the program's own scaling (`studies/path/scaling.py`), on the folds of `folds.py`. Scaling and
strength are learned on the training part of a fold: the strength is the one of lowest log loss in an inner 5-fold, for one
against the rest the same for all classes, whose probabilities are scaled to one. Both are solved by
`multinomial.py`. Finished folds are kept in `results/rivals.jsonl` and not run again.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from folds import COUNT, HERE, SETS, load
from multinomial import Multinomial
from sklearn.model_selection import StratifiedKFold

sys.path.insert(0, str(HERE.parent / "path"))
from scaling import SCALINGS

RESULTS = HERE / "results" / "rivals.jsonl"
#: Strengths of the penalty, the strongest first: every fit starts where the one before it ended.
GRID = np.logspace(-1.5, 1.5, 7)

#: Probability of every class for every new row, and the features in use, for every strength.
Said = Iterator[tuple[np.ndarray, int]]


def multinomial(x: np.ndarray, y: np.ndarray, x_new: np.ndarray, grid: np.ndarray, classes: int) -> Said:
    model = Multinomial(x, y, classes)
    for c in grid:
        model.fit(c)
        yield model.probability(x_new), np.count_nonzero(model.weights.any(axis=1))


def against_the_rest(x: np.ndarray, y: np.ndarray, x_new: np.ndarray, grid: np.ndarray, classes: int) -> Said:
    # With two classes the multinomial optimum is that of the logistic regression of the same strength.
    models = {k: Multinomial(x, (y == k).astype(int), 2) for k in np.unique(y)}
    for c in grid:
        said, used = np.full((len(x_new), classes), 1e-12), np.zeros(x.shape[1], bool)
        for k, model in models.items():
            said[:, k] = np.maximum(model.fit(c).probability(x_new)[:, 1], 1e-12)
            used |= model.weights.any(axis=1)
        yield said / said.sum(axis=1, keepdims=True), np.count_nonzero(used)


RIVALS = {"multinomial LR-l1": multinomial, "one against the rest, LR-l1": against_the_rest}


def loss(said: np.ndarray, y: np.ndarray) -> float:
    return float(-np.log(np.clip(said[np.arange(len(y)), y], 1e-5, None)).mean())


def tuned(rival, scaling: str, x: np.ndarray, y: np.ndarray, x_new: np.ndarray, classes: int, seed: int):
    """The strength of lowest log loss on the inner folds' held-back rows, fitted on all rows."""
    losses = np.zeros(len(GRID))
    inner = StratifiedKFold(COUNT, shuffle=True, random_state=seed)
    for train, held in inner.split(x, y):
        scaled, scaled_held = SCALINGS[scaling](x[train], x[held])
        for i, (said, _) in enumerate(rival(scaled, y[train], scaled_held, GRID, classes)):
            losses[i] += loss(said, y[held]) * len(held)
    best = int(losses.argmin())
    scaled, scaled_new = SCALINGS[scaling](x, x_new)
    *_, (said, used) = rival(scaled, y, scaled_new, GRID[: best + 1], classes)
    return said, used, GRID[best]


def main() -> None:
    # A class of fewer rows than folds is in some of them only.
    warnings.simplefilter("ignore", UserWarning)
    asked = sys.argv[1:] or list(SETS)
    lines = RESULTS.read_text().splitlines() if RESULTS.exists() else []
    done = {tuple(json.loads(line)[key] for key in ("set", "repeat", "fold", "model")) for line in lines}
    for name in asked:
        x, y = load(name)
        classes = len(np.unique(y))
        columns = np.loadtxt(HERE / "results" / f"folds_{name}.csv", delimiter=",", skiprows=1, dtype=int, ndmin=2)
        for repeat, fold in np.ndindex(columns.shape[1], COUNT):
            test = columns[:, repeat] == fold
            for kind, rival in RIVALS.items():
                for scaling in ("plain", "bent"):
                    model = f"{kind}, {scaling}"
                    if (name, repeat, fold, model) in done:
                        continue
                    began = time.perf_counter()
                    said, used, c = tuned(rival, scaling, x[~test], y[~test], x[test], classes, repeat)
                    line = {
                        "set": name,
                        "repeat": repeat,
                        "fold": fold,
                        "model": model,
                        "features": int(used),
                        "seconds": round(time.perf_counter() - began, 1),
                        "setting": c,
                        "rows": np.flatnonzero(test).tolist(),
                        "probability": said.round(6).tolist(),
                    }
                    with RESULTS.open("a") as file:
                        file.write(json.dumps(line, separators=(",", ":")) + "\n")
                    print(name, repeat, fold, model, line["seconds"], "s", flush=True)


if __name__ == "__main__":
    main()
