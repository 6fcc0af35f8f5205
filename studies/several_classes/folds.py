"""The three sets of several classes and their folds: 5 stratified folds, seeded, as a file that the program reads too.

    python studies/several_classes/folds.py [REPEATS]

The data lie beside the project in `../shared`; nothing of them is copied here.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np
from scipy.io import loadmat
from sklearn.model_selection import StratifiedKFold

HERE = Path(__file__).resolve().parent
SHARED = HERE.parents[1].parent / "shared"
#: File and its column of classes.
SETS = {
    "khan_srbct": ("khan_srbct.npz", "y"),
    "su_tissue": ("su_tissue.npz", "y"),
    "lymphoma": ("lymphoma.mat", "Y"),
}
COUNT = 5


def load(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Values and classes, numbered from 0."""
    file, column = SETS[name]
    path = SHARED / "data" / file
    content = loadmat(path) if path.suffix == ".mat" else np.load(path, allow_pickle=True)
    classes = np.asarray(content[column]).ravel()
    return np.asarray(content["X"], float), np.unique(classes, return_inverse=True)[1]


def folds(labels: np.ndarray, repeats: int) -> np.ndarray:
    """The test fold of every row, a column for each repeat."""
    columns = np.zeros((len(labels), repeats), int)
    for repeat in range(repeats):
        splitter = StratifiedKFold(COUNT, shuffle=True, random_state=repeat)
        with warnings.catch_warnings():
            # A class of fewer rows than folds is in some of them only.
            warnings.simplefilter("ignore", UserWarning)
            for fold, (_, test) in enumerate(splitter.split(labels, labels)):
                columns[test, repeat] = fold
    return columns


def main() -> None:
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    for name in SETS:
        columns = folds(load(name)[1], repeats)
        header = ",".join(f"r{repeat}" for repeat in range(repeats))
        np.savetxt(HERE / "results" / f"folds_{name}.csv", columns, "%d", ",", header=header, comments="")


if __name__ == "__main__":
    main()
