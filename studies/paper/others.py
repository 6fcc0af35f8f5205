"""What surrounds the cells: bootstraps, cost against the number of features, a fit from the inside, and other tasks.

Each writes its own result file and, like the cells, runs only what the file lacks.
"""

from __future__ import annotations

import csv
import time
from pathlib import Path

import native
import numpy as np
from catalogue import BOOTSTRAP_MODELS, BOOTSTRAP_SETS
from linear import svm_l1
from nonlinear import ard_kernel, gaussian_process, plain_kernel
from sets import SHARED, DataSet, load
from sklearn.linear_model import ElasticNetCV, LassoCV, LogisticRegressionCV
from sklearn.metrics import accuracy_score, r2_score, roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from summary import read_rows
from task import Task, scaled
from tqdm import tqdm

BOOTSTRAPS = 100
COST_SIZES = (50, 100, 200, 400, 800, 1600, 3200, 6400, 13500)
COST_RUNS = 10
COST_ROWS = 300
ROUNDING_AT = (5, 10, 20, 50)
ROUNDS_AT = (5, 10, 20, 30, 40, 50)
TRACE_AT = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)


def run(results: Path, program: Path, quick: bool) -> None:
    """All of them; with `quick` a little of each."""
    if quick:
        bootstraps(results, program, ("colon",), 2)
        cost(results, program, (50, 100), 1)
        trace(results, program, ("colon",), (1, 2, 5, 10))
        rounds(results, program, ("colon",), (1, 2))
        rounding(results, (1, 2))
    else:
        bootstraps(results, program)
        cost(results, program)
        trace(results, program)
        rounds(results, program)
        rounding(results)
        other_tasks(results, program)
    golub_probes(results)


class Rows:
    """A result file whose lines are added one at a time and known by their first columns."""

    def __init__(self, path: Path, keys: list[str], values: list[str]):
        """Opens the file, with a header where it is new."""
        self.path, self.columns, self.keys = path, [*keys, *values], keys
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(",".join(self.columns) + "\n")
        text = path.read_text()
        if not text.endswith("\n"):
            path.write_text(text[: text.rindex("\n") + 1])
        with path.open() as file:
            self.done = {tuple(row[key] for key in keys) for row in csv.DictReader(file)}

    def __contains__(self, key: tuple) -> bool:
        return tuple(map(str, key)) in self.done

    def add(self, *values) -> None:
        """Appends a line."""
        with self.path.open("a") as file:
            csv.writer(file, lineterminator="\n").writerow(values)
        self.done.add(tuple(map(str, values[: len(self.keys)])))


def resampled(truth: np.ndarray, number: int) -> np.ndarray:
    """Rows of a bootstrap; both classes keep their numbers, so that none can vanish."""
    random = np.random.default_rng(number)
    classes = [np.flatnonzero(truth == value) for value in (False, True)]
    return np.sort(np.concatenate([random.choice(rows, len(rows)) for rows in classes]))


def bootstraps(results: Path, program: Path, sets=BOOTSTRAP_SETS, count: int = BOOTSTRAPS) -> None:
    """Which features are selected on resampled rows, and which samples are relevance vectors."""
    values = ["all_features", "selected", "all_samples", "vectors"]
    file = Rows(results / "bootstraps.csv", ["set", "model", "number"], values)
    for name in sets:
        data = load(name)
        todo = [(m, n) for m in BOOTSTRAP_MODELS for n in range(count) if (name, m, n) not in file]
        for model, number in tqdm(todo, desc=f"bootstraps of {name}"):
            rows = resampled(data.truth, number)
            x, truth = data.values[rows], data.truth[rows]
            # The copies of a row are a group: inner folds must not have one on either side.
            if model in native.NATIVE:
                cell = native.cell_of(program, model, x, truth, groups=rows)
                selected, vectors = cell["selected"], sorted({int(rows[m]) for m in cell["vectors"]})
            else:
                # Samples have no part in its prediction.
                selected, vectors = svm_l1(Task(x, truth, x[:1], rows, 0)).selected, []
            features = " ".join(str(d) for d, _ in selected)
            file.add(name, model, number, x.shape[1], features, len(truth), " ".join(map(str, vectors)))


def mean_field_step(x: np.ndarray, y: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
    """One update of all feature weights as the authors' program does it, through D x D matrices: O(N D^2).

    The D x D matrix (Z'AZ) o (X'X) couples every pair of features; its rows without the diagonal give each mean.
    """
    g = x.T @ a
    coupling = np.outer(g, g)
    coupling *= x.T @ x
    diagonal = coupling.diagonal().copy()
    return (x.T @ y * g - coupling @ v + diagonal * v) / (diagonal + 1.0)


def simulated(features: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The paper's cost study: 300 rows, a tenth of the features informative."""
    random = np.random.default_rng(seed)
    truth = np.arange(COST_ROWS) % 2 == 1
    x = random.normal(size=(COST_ROWS, features))
    x[:, : features // 10] += 0.5 * (truth[:, None] - 0.5)
    return x, truth


def cost(results: Path, program: Path, sizes=COST_SIZES, runs: int = COST_RUNS) -> None:
    """Seconds of whole fits, of one of their iterations, and of one O(N D^2) step, against D."""
    values = ["seconds", "iterations", "features", "square_step_seconds"]
    file = Rows(results / "cost.csv", ["model", "size", "run"], values)
    todo = [(m, d, r) for d in sizes for r in range(runs) for m in ("RFVM balanced", "RFVM one", "RFVM paper")]
    for model, features, seed in tqdm([key for key in todo if key not in file], desc="cost"):
        x, truth = simulated(features, seed)
        # Only the cost of an iteration is wanted of the paper's algorithm, with all features still in.
        limit = {"max_iterations": 6} if model == "RFVM paper" else {}
        cell = native.cell_of(program, model, x, truth, trace=True, **limit)
        square = ""
        if model == "RFVM paper" and (seed == 0 or features <= 1600):
            x = (x - x.mean(axis=0)) / x.std(axis=0)
            start = time.perf_counter()
            mean_field_step(x, 2.0 * truth - 1.0, np.full(features, features**-0.5), (2.0 * truth - 1.0) / COST_ROWS)
            square = f"{time.perf_counter() - start:.5f}"
        count = len(cell["selected"])
        file.add(model, features, seed, f"{cell['seconds']:.5f}", len(cell["trace"]), count, square)


def after(model: str, program: Path, data: DataSet, limit: int) -> tuple[dict, float]:
    """The cell of fold 0 after so many iterations, and its accuracy."""
    test = data.folds[:, 0] == 0
    rows = (np.flatnonzero(~test), np.flatnonzero(test))
    cell = native.cell_of(program, model, data.values, data.truth, rows, trace=True, max_iterations=limit)
    return cell, accuracy_score(data.truth[test], np.array(cell["scores"]) > 0.5)


def trace(results: Path, program: Path, sets=("colon", "leukemia"), at=TRACE_AT) -> None:
    """The bound, the active sets and the accuracy on the test rows along the iterations of the paper's algorithm.

    A fit is the same every time, so the model after k iterations is that of a fit with the limit k.
    """
    file = Rows(results / "trace.csv", ["set", "iteration"], ["bound", "features", "vectors", "accuracy"])
    for name in sets:
        data = load(name)
        for limit in at:
            if (name, limit) in file:
                continue
            cell, right = after("RFVM paper", program, data, limit)
            number, bound, features, vectors = cell["trace"][-1]
            if (name, number) not in file:
                file.add(name, number, "" if bound is None else f"{bound:.4f}", features, vectors, f"{right:.4f}")
            if number < limit:
                break


def rounds(results: Path, program: Path, sets=("colon", "leukemia", "Prostate-GE"), at=ROUNDS_AT) -> None:
    """What PFCVM keeps after so many of its rounds: the paper does not say how many it was given."""
    file = Rows(results / "rounds.csv", ["set", "rounds"], ["features", "vectors", "train_rows", "accuracy"])
    for name in sets:
        data = load(name)
        for limit in tqdm([limit for limit in at if (name, limit) not in file], desc=f"rounds of PFCVM, {name}"):
            cell, right = after("PFCVM", program, data, limit)
            train_rows = int(np.sum(data.folds[:, 0] != 0))
            file.add(name, limit, len(cell["selected"]), len(cell["vectors"]), train_rows, f"{right:.4f}")


def rounding(results: Path, at=ROUNDING_AT) -> None:
    """How far rounding alone carries SGP+ARD: GPy's slopes against the same ones added up in another order."""
    file = Rows(results / "rounding.csv", ["set", "steps"], ["likelihood", "of_other_order", "largest_difference"])
    data = load("colon")
    train = data.folds[:, 0] != 0
    x, x_test = scaled(data.values[train], data.values[~train])
    for steps in tqdm([steps for steps in at if (data.name, steps) not in file], desc="rounding in SGP+ARD, colon"):
        both = [gaussian_process(x, data.truth[train], 1.0, steps, kernel)[0] for kernel in (plain_kernel, ard_kernel)]
        if None in both:
            continue
        scores = [model.predict(x_test)[0][:, 0] for model in both]
        likelihoods = [f"{float(model.log_likelihood()):.3f}" for model in both]
        file.add(data.name, steps, *likelihoods, f"{np.max(np.abs(scores[0] - scores[1])):.1g}")


def other_tasks(results: Path, program: Path) -> None:
    """Regression, several classes, and a second study to test on."""
    file = Rows(results / "other.csv", ["task", "model", "fold"], ["measure", "value", "features", "vectors"])
    regression(file, program)
    multi_class(file, program)
    second_study(file, program)


def npz(name: str):
    """One of the shared sets as it lies there."""
    return np.load(SHARED / "data" / f"{name}.npz", allow_pickle=False)


def folds_of(name: str) -> np.ndarray:
    """Its fixed folds."""
    return np.loadtxt(SHARED / "folds" / f"{name}.csv", delimiter=",", skiprows=1, dtype=int)


def regression(file: Rows, program: Path) -> None:
    """Riboflavin: R2 against the lasso and the elastic net, tuned by inner 5-fold."""
    content, folds = npz("riboflavin_reg"), folds_of("riboflavin_reg")[:, 0]
    x, y = np.asarray(content["X"], float), np.asarray(content["y"], float)
    for model in ("RFVM one", "RFVM committee", "RFVM balanced", "lasso", "elastic net"):
        for fold in tqdm(range(5), desc=f"riboflavin, {model}"):
            if ("riboflavin", model, fold) in file:
                continue
            train, test = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
            if model in native.NATIVE:
                cell = native.cell_of(program, model, x, y, (train, test), regression=True)
                found, features, vectors = cell["scores"], len(cell["selected"]), len(cell["vectors"])
            else:
                kind = LassoCV(cv=5, max_iter=5000) if model == "lasso" else ElasticNetCV(cv=5, l1_ratio=0.5)
                pipe = make_pipeline(StandardScaler(), kind).fit(x[train], y[train])
                found, features, vectors = pipe.predict(x[test]), np.count_nonzero(pipe[-1].coef_), len(train)
            file.add("riboflavin", model, fold, "R2", f"{r2_score(y[test], found):.4f}", features, vectors)


def multi_class(file: Rows, program: Path) -> None:
    """Khan's four tumours, each against the rest; the most probable wins."""
    content, folds = npz("khan_srbct"), folds_of("khan_srbct")[:, 0]
    x, y = np.asarray(content["X"], float), content["y"]
    classes = np.unique(y)
    for model in ("RFVM one", "RFVM committee", "RFVM balanced", "LR-l1"):
        for fold in tqdm(range(5), desc=f"khan, {model}"):
            if ("khan", model, fold) in file:
                continue
            train, test = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
            chances, features, vectors = [], set(), 0
            for value in classes:
                if model in native.NATIVE:
                    cell = native.cell_of(program, model, x, y == value, (train, test))
                    chances.append(cell["scores"])
                    features |= {d for d, _ in cell["selected"]}
                    vectors += len(cell["vectors"])
                else:
                    fitted = make_pipeline(
                        StandardScaler(),
                        LogisticRegressionCV(
                            Cs=np.logspace(-2, 2, 5), cv=3, l1_ratios=(1.0,), solver="liblinear", max_iter=1000
                        ),
                    ).fit(x[train], y[train] == value)
                    chances.append(fitted.predict_proba(x[test])[:, 1])
                    features |= set(np.flatnonzero(fitted[-1].coef_).tolist())
                    vectors = len(train)
            right = accuracy_score(y[test], classes[np.argmax(chances, axis=0)])
            file.add("khan", model, fold, "accuracy", f"{right:.4f}", len(features), vectors)


def second_study(file: Rows, program: Path) -> None:
    """Singh's prostate study, tested on another laboratory's: as measured, and each study standardised by itself."""
    first, second = npz("singh_prostate"), npz("singh_prostate_indep")
    truth = np.concatenate([first["y"], second["y"]]) == 1
    train, test = np.arange(len(first["y"])), np.arange(len(first["y"]), len(truth))
    raw = [np.asarray(part["X"], float) for part in (first, second)]
    own = [StandardScaler().fit_transform(part) for part in raw]
    for task, parts in (("singh to indep", raw), ("singh to indep, each scaled by itself", own)):
        x = np.vstack(parts)
        for model in ("RFVM one", "RFVM committee", "RFVM balanced", "SVM-l1"):
            if (task, model, 0) in file:
                continue
            if model in native.NATIVE:
                cell = native.cell_of(program, model, x, truth, (train, test))
                scores, middle = np.array(cell["scores"]), 0.5
                features, vectors = len(cell["selected"]), len(cell["vectors"])
            else:
                fitted = svm_l1(Task(x[train], truth[train], x[test], None, 0))
                scores, middle, features, vectors = fitted.scores, 0.0, len(fitted.selected), fitted.vectors
            file.add(
                task, model, 0, "accuracy", f"{accuracy_score(truth[test], scores > middle):.4f}", features, vectors
            )
            file.add(task, model, 0, "AUC", f"{roc_auc_score(truth[test], scores):.4f}", features, vectors)


def golub_probes(results: Path) -> None:
    """Names and descriptions of the probes that any cell selected on golub."""
    chosen = {
        int(pair.split(":")[0])
        for row in read_rows(results / "cells.csv")
        if row["set"] == "golub"
        for pair in row["selected"].split()
    }
    with (SHARED / "data" / "golub" / "golub.gct").open() as file:
        probes = [line.split("\t", 2)[:2] for line in file][3:]
    lines = [["position", "probe", "description"], *([d, *probes[d]] for d in sorted(chosen))]
    with (results / "golub_probes.csv").open("w") as file:
        csv.writer(file, lineterminator="\n").writerows(lines)
