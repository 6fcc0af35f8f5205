"""The paper's study, run again with every rival: all cells, then what surrounds them, then the page and the figures.

    pip install -r studies/paper/requirements.txt
    python studies/paper/run.py                  # everything; hours on two cores, resumes where it stopped
    python studies/paper/run.py --quick          # two sets, few settings, into a folder of its own
    python studies/paper/run.py --sets colon --models SRVM "RFVM one"

A cell is one model on one fold. Finished cells are lines of `cells.csv` and never run again; to run one again, delete
its line. The data lie beside the project in `../shared`.
"""

from __future__ import annotations

import argparse
import csv
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import native
import numpy as np
from models import LIBRARY, Fitted, Task
from native import HERE, NATIVE
from sets import SHARED, DataSet, load
from sklearn.metrics import accuracy_score, balanced_accuracy_score, log_loss, roc_auc_score
from tqdm import tqdm

COLUMNS = [
    "set",
    "model",
    "repeat",
    "fold",
    "accuracy",
    "auc",
    "log_loss",
    "balanced_accuracy",
    "features",
    "vectors",
    "all_features",
    "train_rows",
    "seconds",
    "setting",
    "note",
    "selected",
    "scores",
]
#: The paper's sets that are there, small ones first.
PAPER_SETS = ("colon", "lymphoma", "leukemia", "ALLAML", "Prostate-GE", "dorothea")
#: Binary sets that the paper did not use.
EXTRA_SETS = (
    "golub",
    "gravier_breast",
    "jacobs_ibd_metabolome",
    "mb_qin2014_cirrhosis",
    "ALL_BCRABL_vs_NEG",
    "singh_prostate",
    "arcene",
)
#: Models that ten repeats can be afforded for.
CHEAP = ("RFVM one", "RFVM committee", "RFVM balanced", "SVM-l1", "SRVM", "SRVM top-down")
DEAR = ("PFCVM", "MLP", "LR-elastic", "XOLON", "RFVM paper", "RF", "SGP+ARD")
#: The dearest of them.
DEAREST = ("RF", "SGP+ARD")
REPEATS = 10
FOLDS = 5
#: Seconds a cell may take on dorothea, and on any other set; a cell that reaches them is marked.
BUDGET = {"dorothea": 600.0}
USUAL_BUDGET = 3600.0
#: Longer selections are only counted.
MOST_NAMED = 200


def plan(sets: list[str], models: list[str]) -> list[tuple[str, str, int]]:
    """(model, set, repeat): what is cheap and central first, so that a run cut short has the most to show."""

    def effort(key: tuple[str, str, int]) -> int:
        model, name, repeat = key
        small = name in PAPER_SETS and name != "dorothea"
        return 2 * (model in DEAR) + 2 * (model in DEAREST) + 2 * (not small) + 3 * (repeat > 0)

    keys = [
        (model, name, repeat)
        for repeat in range(REPEATS)
        for model in models
        for name in sets
        if repeat == 0 or (model in CHEAP and name in PAPER_SETS)
    ]
    return sorted(keys, key=effort)


def split(data: DataSet, repeat: int, fold: int) -> tuple[np.ndarray, np.ndarray]:
    """Training and test rows of a fold."""
    test = data.folds[:, repeat] == fold
    return np.flatnonzero(~test), np.flatnonzero(test)


def native_cells(program: Path, table: Path, data: DataSet, model: str, repeat: int, folds: list[int], quick: bool):
    """The cells of a native model."""
    rows = [split(data, repeat, fold) for fold in folds]
    job = {
        "table": str(table),
        "grouped": data.groups is not None,
        "model": model,
        "budget": BUDGET.get(data.name, USUAL_BUDGET),
        "quick": quick,
        "cells": [{"train": train.tolist(), "test": test.tolist()} for train, test in rows],
    }
    if quick and model == "RFVM paper":
        job["max_iterations"] = 300
    for cell in native.cells(program, job):
        fitted = Fitted(
            np.array(cell["scores"]),
            [(d, w) for d, w in cell["selected"]],
            cell["vectors"],
            cell["setting"],
            cut_short=cell["cut_short"],
        )
        yield fitted, cell["seconds"]


def library_cells(data: DataSet, model: str, repeat: int, folds: list[int], quick: bool):
    """The cells of a library's model."""
    for fold in folds:
        train, test = split(data, repeat, fold)
        groups = None if data.groups is None else data.groups[train]
        budget = BUDGET.get(data.name, USUAL_BUDGET)
        task = Task(data.values[train], data.truth[train], data.values[test], groups, repeat, quick, budget)
        start = time.perf_counter()
        yield LIBRARY[model](task), time.perf_counter() - start


def row(data: DataSet, model: str, repeat: int, fold: int, fitted: Fitted, seconds: float) -> dict:
    """A line of the result file: every measure is counted here, for every model alike."""
    train, test = split(data, repeat, fold)
    truth, scores = data.truth[test], fitted.scores
    found = scores > (0.5 if fitted.is_probability else 0.0)
    selected = fitted.selected
    named = selected is not None and len(selected) <= MOST_NAMED
    return {
        "set": data.name,
        "model": model,
        "repeat": repeat,
        "fold": fold,
        "accuracy": f"{accuracy_score(truth, found):.6f}",
        "auc": f"{roc_auc_score(truth, scores):.6f}",
        "log_loss": f"{log_loss(truth, scores, labels=[False, True]):.6f}" if fitted.is_probability else "",
        "balanced_accuracy": f"{balanced_accuracy_score(truth, found):.6f}",
        "features": data.values.shape[1] if selected is None else len(selected),
        "vectors": fitted.vectors,
        "all_features": data.values.shape[1],
        "train_rows": len(train),
        "seconds": f"{seconds:.2f}",
        "setting": fitted.setting,
        "note": "budget" if fitted.cut_short else "",
        "selected": " ".join(f"{d}:{w:.4g}" for d, w in selected) if named else "",
        "scores": " ".join(f"{int(t)}:{s:.5g}" for t, s in zip(truth, scores, strict=True)),
    }


def finished(path: Path) -> set[tuple[str, str, int, int]]:
    """Cells that the file has. A line that a kill cut in two is taken away first."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(",".join(COLUMNS) + "\n")
    text = path.read_text()
    if not text.endswith("\n"):
        path.write_text(text[: text.rindex("\n") + 1])
    with path.open() as file:
        return {(r["set"], r["model"], int(r["repeat"]), int(r["fold"])) for r in csv.DictReader(file)}


def run_cells(results: Path, sets: list[str], models: list[str], quick: bool) -> None:
    """Runs what the file lacks."""
    path = results / "cells.csv"
    done = finished(path)
    todo: list[tuple[str, str, int, list[int]]] = []
    for model, name, repeat in plan(sets, models):
        if quick and repeat > 0:
            continue
        folds = [f for f in range(2 if quick else FOLDS) if (name, model, repeat, f) not in done]
        if folds:
            todo.append((model, name, repeat, folds))
    if not todo:
        return
    program = native.build()
    bar = tqdm(total=sum(len(folds) for *_, folds in todo), unit="cell", smoothing=0.05, mininterval=1.0)
    with tempfile.TemporaryDirectory() as folder:
        data: DataSet | None = None
        table = Path(folder) / "table.npz"
        for model, name, repeat, folds in todo:
            bar.set_description(f"{name}, {model}, repeat {repeat}")
            if data is None or data.name != name:
                data = load(name)
                native.write_table(table, data.values, data.truth, data.groups)
            found: Iterator[tuple[Fitted, float]]
            if model in NATIVE:
                found = native_cells(program, table, data, model, repeat, folds, quick)
            else:
                found = library_cells(data, model, repeat, folds, quick)
            for fold, (fitted, seconds) in zip(folds, found, strict=True):
                with path.open("a") as file:
                    csv.DictWriter(file, COLUMNS, lineterminator="\n").writerow(
                        row(data, model, repeat, fold, fitted, seconds)
                    )
                bar.update()
    bar.close()


def arguments() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    every = [*CHEAP, *DEAR]
    parser.add_argument("--sets", nargs="+", choices=[*PAPER_SETS, *EXTRA_SETS], help="only these sets")
    parser.add_argument("--models", nargs="+", choices=every, default=every, help="only these models")
    parser.add_argument("--quick", action="store_true", help="colon and leukemia, two folds, few settings")
    parser.add_argument("--cells-only", action="store_true", help="only the cells, nothing of what follows them")
    parser.add_argument("--results", type=Path, help="folder of the result files (default: results, quick-results)")
    return parser.parse_args()


def main() -> None:
    asked = arguments()
    if not (SHARED / "data").is_dir():
        raise SystemExit("SKIPPED: the data sets are not there (../shared/data)")
    warnings.simplefilter("ignore")
    results = asked.results or HERE / ("quick-results" if asked.quick else "results")
    usual = ["colon", "leukemia"] if asked.quick else [*PAPER_SETS, *EXTRA_SETS]
    run_cells(results, asked.sets or usual, asked.models, asked.quick)


if __name__ == "__main__":
    main()
