"""The twelve binary data sets, with their fixed folds, as arrays.

The data lie beside the project in `../shared` (see its `data/README.md`); nothing of it is copied here.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.io import loadmat

SHARED = Path(__file__).resolve().parents[2].parent / "shared"

#: Columns of dorothea that are used: the paper's choice.
DOROTHEA_COLUMNS = 8000


@dataclass(frozen=True)
class DataSet:
    """A set: one row a sample, the truth of its label, its test fold in each repeat, its group where it has one."""

    name: str
    values: np.ndarray
    truth: np.ndarray
    folds: np.ndarray
    groups: np.ndarray | None = None


def _mat(name: str) -> tuple[np.ndarray, np.ndarray]:
    content = loadmat(SHARED / "data" / f"{name}.mat")
    return np.asarray(content["X"], float), np.asarray(content["Y"], float).ravel()


def _golub() -> tuple[np.ndarray, np.ndarray]:
    folder = SHARED / "data" / "golub"
    with (folder / "golub.gct").open() as file:
        next(file)
        rows = int(next(file).split()[0])
        next(file)
        values = np.array([line.rstrip("\n").split("\t")[2:] for line in file], float)
    assert len(values) == rows
    with (folder / "golub.cls").open() as file:
        next(file)
        classes = next(file).lstrip("#").split()
        codes = next(file).split()
    order = {code: position for position, code in enumerate(dict.fromkeys(codes))}
    return values.T, np.array([classes[order[code]] == "AML" for code in codes])


def _dorothea() -> tuple[np.ndarray, np.ndarray]:
    folder = SHARED / "data" / "dorothea"
    parts = [next(folder.glob(f"*{part}.data")) for part in ("train", "valid")]
    rows = [line for part in parts for line in part.read_text().splitlines()]
    values = np.zeros((len(rows), DOROTHEA_COLUMNS))
    for row, line in enumerate(rows):
        ones = np.array(line.split(), int) - 1
        values[row, ones[ones < DOROTHEA_COLUMNS]] = 1.0
    labels = [np.loadtxt(part.with_suffix(".labels")) for part in parts]
    return values, np.concatenate(labels) == 1


def _load(name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    rules = {
        "colon": lambda y: y == 1,
        "leukemia": lambda y: y == 1,
        "lymphoma": lambda y: y != 1,
        "Prostate-GE": lambda y: y == 2,
        "ALLAML": lambda y: y == 2,
        "arcene": lambda y: y == 1,
    }
    if name in rules:
        values, label = _mat(name)
        return values, rules[name](label), None
    if name == "golub":
        return *_golub(), None
    if name == "dorothea":
        return *_dorothea(), None
    content = np.load(SHARED / "data" / f"{name}.npz", allow_pickle=False)
    groups = content["groups"] if "groups" in content else None
    return np.asarray(content["X"], float), content["y"] == 1, groups


#: The twelve sets of the comparison.
TWELVE = (
    "colon",
    "leukemia",
    "lymphoma",
    "Prostate-GE",
    "golub",
    "ALL_BCRABL_vs_NEG",
    "singh_prostate",
    "gravier_breast",
    "jacobs_ibd_metabolome",
    "mb_qin2014_cirrhosis",
    "arcene",
    "dorothea",
)


def load(name: str) -> DataSet:
    """Reads one of the sets."""
    values, truth, groups = _load(name)
    folds = np.loadtxt(SHARED / "folds" / f"{name}.csv", delimiter=",", skiprows=1, dtype=int)
    return DataSet(name, values, np.asarray(truth, bool), folds, groups)
