"""Cells that run natively: writes a set as a table, hands rows to the program `rfvm-rivals`, reads what comes back."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent / "path"))

NATIVE = ("RFVM one", "RFVM committee", "RFVM balanced", "RFVM full", "RFVM paper", "SRVM", "PFCVM", "XOLON")


def build() -> Path:
    """Builds the program and says where it lies."""
    subprocess.run(["cargo", "build", "--release", "--quiet", "-p", "rfvm-rivals"], cwd=ROOT, check=True)
    return ROOT / os.environ.get("CARGO_TARGET_DIR", "target") / "release" / "rfvm-rivals"


def write_table(path: Path, values, target, groups=None) -> Path:
    """Values, target and groups as the program reads them; written anew, never half."""
    content = {"X": np.asarray(values, float), "y": np.asarray(target)}
    if content["y"].dtype == bool:
        content["y"] = content["y"].astype(int)
    if groups is not None:
        content["groups"] = np.asarray(groups)
    part = path.with_suffix(".part.npz")
    np.savez(part, **content)
    part.rename(path)
    return path


def cells(program: Path, job: dict) -> Iterator[dict]:
    """The finished cells of a job, in order, each as soon as it is there."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    with subprocess.Popen(
        [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        json.dump(job, process.stdin)
        process.stdin.close()
        try:
            for line in process.stdout:
                yield json.loads(line)
        except BaseException:
            process.kill()
            raise
    if process.returncode != 0:
        raise SystemExit(f"rfvm-rivals ended with {process.returncode} on {job['model']}")


def cell_of(program: Path, model: str, values, target, rows=None, groups=None, **options) -> dict:
    """One cell on values of its own; without `rows` all are learned from and the first is predicted."""
    everything = np.arange(len(target))
    train, test = rows or (everything, everything[:1])
    with tempfile.TemporaryDirectory() as folder:
        table = write_table(Path(folder) / "table.npz", values, target, groups)
        job = {"table": str(table), "model": model, "grouped": groups is not None, **options}
        job["cells"] = [{"train": train.tolist(), "test": test.tolist()}]
        [cell] = cells(program, job)
    return cell
