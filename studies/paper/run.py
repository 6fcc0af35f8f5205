"""The paper's study, run again with every rival: all cells, then what surrounds them, then the page and the figures.

    pip install -r studies/paper/requirements.txt
    python studies/paper/run.py                  # everything; hours on two cores, resumes where it stopped
    python studies/paper/run.py --quick --results FOLDER    # two sets, few settings: is everything in order?
    python studies/paper/run.py --sets colon --models SRVM "RFVM one"

A cell is one model on one fold. Finished cells are lines of `cells.csv` and never run again; to run one again, delete
its line. The data lie beside the project in `../shared`.
"""

from __future__ import annotations

import argparse
import csv
import re
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import figures
import native
import numpy as np
import others
import tables
from catalogue import CHEAP, DEAR, DEAREST, EXTRA_SETS, PAPER_SETS, TOO_DEAR
from models import LIBRARY
from native import NATIVE
from scipy.io import loadmat
from sets import SHARED, DataSet, load
from sklearn.metrics import accuracy_score, balanced_accuracy_score, log_loss, roc_auc_score
from sklearn.model_selection import StratifiedKFold
from tables import RESULTS
from task import Fitted, Task
from threadpoolctl import threadpool_limits
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
REPEATS = 10
FOLDS = 5
#: Seconds a cell may take on dorothea, and on any other set; a cell that reaches them is marked.
BUDGET = {"dorothea": 600.0}
USUAL_BUDGET = 3600.0
#: Longer selections are only counted.
MOST_NAMED = 200


def plan(sets: list[str], models: list[str], repeats: int = REPEATS) -> list[tuple[str, str, int]]:
    """(model, set, repeat): what is cheap and central first, so that a run cut short has the most to show."""

    def effort(key: tuple[str, str, int]) -> tuple[int, int]:
        model, name, repeat = key
        small = name in PAPER_SETS and name != "dorothea"
        # Every model has the smallest set early.
        dearest = model in DEAREST and name != PAPER_SETS[0]
        dear = 2 * (model in DEAR) + 2 * dearest
        return dear + 2 * (not small) + (name == "dorothea") + 3 * (repeat > 0), sets.index(name)

    keys = [
        (model, name, repeat)
        for repeat in range(repeats)
        for model in models
        for name in sets
        if repeat == 0 or (model in CHEAP and name in PAPER_SETS and (model, name) not in TOO_DEAR)
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
            len(cell["vectors"]),
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


def from_file(name: str, path: str, positive: float) -> DataSet:
    """A set from a MATLAB file with X and Y, as scikit-feature offers them, with stratified folds of its own."""
    try:
        content = loadmat(path)
    except (OSError, ValueError, NotImplementedError) as error:
        raise SystemExit(f"--add: {path} cannot be read as a MATLAB file: {error}") from error
    if not {"X", "Y"} <= content.keys():
        raise SystemExit(f"--add: {path} has no X and Y")
    values, truth = np.asarray(content["X"], float), np.asarray(content["Y"], float).ravel() == positive
    if min(truth.sum(), (~truth).sum()) < FOLDS:
        have = f"{truth.sum()} of {len(truth)} samples have label {positive:g}"
        raise SystemExit(f"--add: {path}: {have}; the folds need {FOLDS} of each class")
    folds = np.zeros((len(truth), REPEATS), int)
    for repeat in range(REPEATS):
        parts = StratifiedKFold(FOLDS, shuffle=True, random_state=repeat).split(values, truth)
        for fold, (_, test) in enumerate(parts):
            folds[test, repeat] = fold
    return DataSet(name, values, truth, folds)


def run_cells(
    results: Path, sets: list[str], models: list[str], repeats: int, quick: bool, added: dict[str, DataSet]
) -> None:
    """Runs what the file lacks."""
    path = results / "cells.csv"
    done = finished(path)
    todo: list[tuple[str, str, int, list[int]]] = []
    for model, name, repeat in plan(sets, models, repeats):
        folds = [f for f in range(1 if quick else FOLDS) if (name, model, repeat, f) not in done]
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
                data = added[name] if name in added else load(name)
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
    parser.add_argument("--repeats", type=int, default=REPEATS, help="only the first so many repeats")
    parser.add_argument("--quick", action="store_true", help="colon and leukemia, one fold, few settings")
    parser.add_argument("--cells-only", action="store_true", help="only the cells, nothing of what follows them")
    parser.add_argument(
        "--results", type=Path, help="folder of the result files; the page is written for the usual one"
    )
    parser.add_argument(
        "--add", metavar="NAME=FILE.mat:LABEL", help="add a set: X and Y of a MATLAB file, LABEL is class 1"
    )
    return parser.parse_args()


def main() -> None:
    asked = arguments()
    if not (SHARED / "data").is_dir():
        raise SystemExit("SKIPPED: the data sets are not there (../shared/data)")
    warnings.simplefilter("ignore")
    if asked.quick and asked.results is None:
        raise SystemExit("--quick needs --results FOLDER, so that the committed results stay as they are")
    results = asked.results or RESULTS
    sets = asked.sets or (["colon", "leukemia"] if asked.quick else [*PAPER_SETS, *EXTRA_SETS])
    added = {}
    if asked.add:
        found = re.fullmatch(r"([^=]+)=(.+):([-+.\w]+)", asked.add)
        if not found:
            raise SystemExit(f"--add {asked.add}: expected NAME=FILE.mat:LABEL")
        name, file, label = found.groups()
        added[name] = from_file(name, file, float(label))
        sets = [name, *(asked.sets or [])]
    # One thread a fit: more would fight over small matrices, and times would depend on what else runs.
    with threadpool_limits(1):
        run_cells(results, sets, asked.models, 1 if asked.quick else asked.repeats, asked.quick, added)
        if asked.cells_only:
            return
        others.run(results, native.build(), asked.quick)
    if results == RESULTS:
        tables.write()
        figures.write()


if __name__ == "__main__":
    main()
