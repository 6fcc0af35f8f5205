"""A whole default fit against tuning LR-l1 by GridSearchCV, on the same cores in the same run.

    cargo build --release -p rfvm-cli && python studies/path/timing.py [--simulated]

golub, dorothea (1150 x 8000) and a simulated 100 x 20,000 (all that there is without the shared data); nine C, five folds,
dense, scaled. The fit is the program's: full model, path, held-back folds and choice of the size. Reading the file is
counted on neither side: it is the time of `peek`. Each is run three times and the fastest counts. liblinear is at home on
sparse tables, so that dorothea's is tried as well.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from l1 import GRID, logistic
from scipy import sparse
from scipy.io import savemat
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sets import load

ROOT = Path(__file__).resolve().parents[2]
OUT = Path(__file__).parent / "results" / "timing.md"
TIMES = 3


def fastest(run: Callable[[], object]) -> float:
    seconds = []
    for _ in range(TIMES):
        start = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def tuning(values, truth) -> float:
    scaler = StandardScaler(with_mean=not sparse.issparse(values))
    model = make_pipeline(scaler, logistic(1.0))
    grid = {"logisticregression__C": GRID}
    return fastest(lambda: GridSearchCV(model, grid, cv=5, n_jobs=-1).fit(values, truth))


def fitting(values: np.ndarray, truth: np.ndarray) -> float:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "table.mat"
        savemat(file, {"X": values, "Y": truth.astype(float)[:, None]})

        def program(command: str, *more: str) -> None:
            call = [str(ROOT / "target/release/rfvm"), command, str(file), *more]
            subprocess.run(call, check=True, capture_output=True)

        return fastest(lambda: program("fit", "--positive", "1")) - fastest(lambda: program("peek"))


def simulated(samples: int, features: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(1)
    values = random.standard_normal((samples, features))
    truth = values[:, :5].sum(axis=1) + random.standard_normal(samples) > 0
    return values, truth


def sets(only_simulated: bool) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    for name in () if only_simulated else ("golub", "dorothea"):
        data = load(name)
        yield name, data.values, data.truth
    yield "simulated", *simulated(100, 20_000)


def main() -> None:
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser()
    parser.add_argument("--simulated", action="store_true", help="only what needs no shared data")
    lines = ["| set | size | default fit, s | GridSearchCV, s | ratio |", "|---|---|---:|---:|---:|"]
    for name, values, truth in sets(parser.parse_args().simulated):
        tables = {"": values, ", sparse": sparse.csr_matrix(values)} if name == "dorothea" else {"": values}
        ours = fitting(values, truth)
        for kind, table in tables.items():
            theirs = tuning(table, truth)
            size = f"{len(values)} x {values.shape[1]:,}"
            lines.append(f"| {name}{kind} | {size} | {ours:.2f} | {theirs:.2f} | {theirs / ours:.1f} |")
            print(lines[-1], flush=True)
    text = "\n".join(lines) + f"\n\n{os.cpu_count()} cores, one run, the fastest of {TIMES} each.\n"
    OUT.write_text(text)


if __name__ == "__main__":
    main()
