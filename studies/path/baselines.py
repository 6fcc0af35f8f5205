"""l1 logistic regression and the l1 support vector machine on the fixed folds, each tuned by inner 5-fold.

    python studies/path/baselines.py [SET ...]

Everything is learned on the training part of a fold: scaling, C (nine values from 0.01 to 100) and the weights. The
logistic regression is tuned twice, by log loss and by accuracy: the first is better calibrated, the second sometimes
more accurate. Finished sets are kept in `results/baselines.csv` and not run again.
"""

from __future__ import annotations

import csv
import sys
import warnings
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, balanced_accuracy_score, log_loss, roc_auc_score
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from sets import TWELVE, DataSet, load

RESULTS = Path(__file__).parent / "results" / "baselines.csv"
COLUMNS = ["set", "model", "repeat", "fold", "accuracy", "auc", "log_loss", "balanced_accuracy", "features", "c"]
GRID = np.logspace(-2, 2, 9)
REPEATS = 10


def logistic(c: float) -> LogisticRegression:
    return LogisticRegression(l1_ratio=1.0, solver="liblinear", C=c, max_iter=1000)


def machine(c: float) -> LinearSVC:
    return LinearSVC(penalty="l1", dual=False, C=c, max_iter=2000)


def scaled(train, *others):
    """Standardised by the training rows; a sparse table is not centred, so that it stays sparse."""
    scaler = StandardScaler(with_mean=not sparse.issparse(train)).fit(train)
    return [scaler.transform(table) for table in (train, *others)]


def inner_folds(values, truth, groups, repeat: int):
    """Rows of five inner folds that keep groups whole, with the values standardised by the training rows."""
    kind = StratifiedKFold if groups is None else StratifiedGroupKFold
    for train, test in kind(5, shuffle=True, random_state=repeat).split(values, truth, groups):
        yield train, test, *scaled(values[train], values[test])


def inner_losses(values, truth, groups, repeat: int) -> dict[str, np.ndarray]:
    """What every C costs on held-back rows, by model and by what is counted."""
    costs = {key: np.zeros(len(GRID)) for key in ("LR-l1", "LR-l1 (accuracy)", "SVM-l1")}
    for train, test, x, x_test in inner_folds(values, truth, groups, repeat):
        for i, c in enumerate(GRID):
            model = logistic(c).fit(x, truth[train])
            probability = model.predict_proba(x_test)[:, 1]
            costs["LR-l1"][i] += len(test) * log_loss(truth[test], probability, labels=[False, True])
            costs["LR-l1 (accuracy)"][i] += np.sum((probability > 0.5) != truth[test])
            costs["SVM-l1"][i] += np.sum(machine(c).fit(x, truth[train]).predict(x_test) != truth[test])
    return costs


def run(data: DataSet):
    """One row for every model and fold."""
    values = sparse.csr_matrix(data.values) if data.name == "dorothea" else data.values
    for repeat in range(REPEATS):
        for fold in range(5):
            test = data.folds[:, repeat] == fold
            groups = None if data.groups is None else data.groups[~test]
            costs = inner_losses(values[~test], data.truth[~test], groups, repeat)
            x, x_test = scaled(values[~test], values[test])
            truth = data.truth[test]
            for name, cost in costs.items():
                c = GRID[cost.argmin()]
                model = (machine if name == "SVM-l1" else logistic)(c).fit(x, data.truth[~test])
                score = model.decision_function(x_test)
                yield {
                    "set": data.name,
                    "model": name,
                    "repeat": repeat,
                    "fold": fold,
                    "accuracy": accuracy_score(truth, score > 0),
                    "auc": roc_auc_score(truth, score),
                    "log_loss": "" if name == "SVM-l1" else log_loss(truth, model.predict_proba(x_test)[:, 1]),
                    "balanced_accuracy": balanced_accuracy_score(truth, score > 0),
                    "features": int(np.count_nonzero(model.coef_)),
                    "c": c,
                }


def main() -> None:
    warnings.simplefilter("ignore")
    RESULTS.parent.mkdir(exist_ok=True)
    done = set()
    if RESULTS.exists():
        with RESULTS.open() as file:
            done = {row["set"] for row in csv.DictReader(file)}
    else:
        RESULTS.write_text(",".join(COLUMNS) + "\n")
    for name in sys.argv[1:] or TWELVE:
        if name in done:
            continue
        rows = list(run(load(name)))
        with RESULTS.open("a") as file:
            csv.DictWriter(file, COLUMNS).writerows(rows)
        print(name, "done", flush=True)


if __name__ == "__main__":
    main()
