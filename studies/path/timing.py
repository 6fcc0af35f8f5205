"""The whole path against tuning LR-l1 by GridSearchCV, on the same cores in the same run.

    cargo build --release && python studies/path/timing.py

The largest set (dorothea, 1150 x 8000). The grid search runs twice: on the dense table that a user of StandardScaler
has, and on the sparse one, which is liblinear's home ground. Reading the files is counted on neither side.
"""

from __future__ import annotations

import os
import subprocess
import time
import warnings
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sets import SHARED, load

ROOT = Path(__file__).resolve().parents[2]
OUT = Path(__file__).parent / "results" / "timing.md"


def tune(values, truth) -> float:
    scaler = StandardScaler(with_mean=not sparse.issparse(values))
    model = make_pipeline(scaler, LogisticRegression(l1_ratio=1.0, solver="liblinear", max_iter=1000))
    grid = {"logisticregression__C": np.logspace(-2, 2, 9)}
    start = time.perf_counter()
    GridSearchCV(model, grid, cv=5, n_jobs=-1).fit(values, truth)
    return time.perf_counter() - start


def program(*arguments: str) -> float:
    folder = SHARED / "data" / "dorothea"
    files = [str(folder / f"dorothea_{part}.data") for part in ("train", "valid")]
    command = [str(ROOT / "target/release/rfvm"), arguments[0], *files, "--max-features", "8000", *arguments[1:]]
    start = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - start


def main() -> None:
    warnings.simplefilter("ignore")
    data = load("dorothea")
    reading = program("peek")
    path = program("path", "--target", "label", "--positive", "1") - reading
    dense, thin = tune(data.values, data.truth), tune(sparse.csr_matrix(data.values), data.truth)
    text = (
        f"The whole path took {path:.1f} s (the program's time less that of `peek`), tuning LR-l1 by GridSearchCV {dense:.1f} s "
        f"on the dense table and {thin:.1f} s on the sparse one: {dense / path:.1f} and {thin / path:.2f} times as long "
        f"({os.cpu_count()} cores, one run)."
    )
    OUT.write_text(text + "\n")
    print(text)


if __name__ == "__main__":
    main()
