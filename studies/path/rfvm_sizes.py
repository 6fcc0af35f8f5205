"""The three sizes of the signature path on the fixed folds, through the command-line program.

    cargo build --release && python studies/path/rfvm_sizes.py [SET ...]

Finished sets are kept in `results/rfvm.csv` and not run again.
"""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path

from sets import SHARED, TWELVE

ROOT = Path(__file__).resolve().parents[2]
RESULTS = Path(__file__).parent / "results" / "rfvm.csv"
COLUMNS = [
    "set", "size", "repeat", "fold", "accuracy", "auc", "log_loss", "balanced_accuracy", "features", "vectors", "seconds",
]  # fmt: skip
SLOPES = Path(__file__).parent / "results" / "slopes.csv"
SIZES = ("compact", "balanced", "accurate")
DATA = SHARED / "data"
MAT = {"colon": ["1"], "leukemia": ["1"], "Prostate-GE": ["2"], "ALLAML": ["2"], "arcene": ["1"]}


def arguments(name: str) -> list[str]:
    """How the program reads a set."""
    if name in MAT:
        return [str(DATA / f"{name}.mat"), "--target", "Y", "--positive", *MAT[name]]
    if name == "lymphoma":
        return [str(DATA / "lymphoma.mat"), "--target", "Y", "--positive-not", "1"]
    if name == "golub":
        folder = DATA / "golub"
        return [str(folder / "golub.gct"), "--labels", str(folder / "golub.cls"), "--positive", "AML"]
    if name == "dorothea":
        files = [str(DATA / "dorothea" / f"dorothea_{part}.data") for part in ("train", "valid")]
        return [*files, "--target", "label", "--positive", "1", "--max-features", "8000"]
    grouped = ["--group", "groups"] if name.startswith("jacobs") else []
    return [str(DATA / f"{name}.npz"), "--target", "y", "--positive", "1", *grouped]


def evaluate(name: str, size: str) -> dict:
    folds = ["--folds", str(SHARED / "folds" / f"{name}.csv")]
    command = [ROOT / "target/release/rfvm", "evaluate", *arguments(name), *folds, "--size", size, "--json"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def main() -> None:
    RESULTS.parent.mkdir(exist_ok=True)
    done = set()
    if RESULTS.exists():
        with RESULTS.open() as file:
            done = {row["set"] for row in csv.DictReader(file)}
    else:
        RESULTS.write_text(",".join(COLUMNS) + "\n")
        SLOPES.write_text("set,size,calibration_slope\n")
    for name in sys.argv[1:] or (*TWELVE, "ALLAML"):
        if name in done:
            continue
        rows, slopes = [], []
        for size in SIZES:
            evaluation = evaluate(name, size)
            slopes.append([name, size, evaluation["calibration_slope"]])
            for result in evaluation["results"]:
                row = {column: result.get(column, "") for column in COLUMNS}
                rows.append({**row, "set": name, "size": size, "seconds": result["fit_seconds"]})
        with RESULTS.open("a") as file:
            csv.DictWriter(file, COLUMNS).writerows(rows)
        with SLOPES.open("a") as file:
            csv.writer(file).writerows(slopes)
        print(name, "done", flush=True)


if __name__ == "__main__":
    main()
