"""What the program claims against what is true, on data whose truth is known.

    cargo build --release && cargo build --release -p rfvm-studies
    python studies/honesty/claims.py [--seeds 40] [--only noise,leak]

Noise goes through every command and through six waves of a study; further tables hold a leaked column, a class that is
the batch, a scale that is not the one of training, classes of 95 and 5 %, and twelve samples. Every row of the table is
one question; the rows are kept in `results.json`, and `docs/honesty.md` shows them (a test holds it to them).
Needs NumPy.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
RESULTS = Path(__file__).parent / "results.json"
PAGE = ROOT / "docs" / "honesty.md"
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release"
BEGIN, END = "<!-- table: python studies/honesty/claims.py -->", "<!-- end of the table -->"


@dataclass(frozen=True)
class Row:
    """One question: what was claimed, what is true, and whether that may go to print."""

    question: str
    data: str
    claimed: str
    true: str
    holds: bool


@dataclass(frozen=True)
class Said:
    """What a command said."""

    code: int
    result: Any
    warned: str


def rfvm(*words: str | Path) -> Said:
    """Run the program; what it prints must be JSON without NaN."""
    done = subprocess.run([TARGET / "rfvm", *map(str, words)], capture_output=True, text=True, check=False)
    text = done.stdout.strip()

    def refuse(name: str) -> None:
        raise ValueError(f"rfvm {words[0]} printed {name}")

    result = json.loads(text, parse_constant=refuse) if text.startswith("{") else text
    return Said(done.returncode, result, done.stderr)


def write(path: Path, values: np.ndarray, labels: np.ndarray, **columns: np.ndarray) -> Path:
    """A table with one sample a row: name, class, further columns, features."""
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["sample", "class", *columns, *(f"g{d + 1}" for d in range(values.shape[1]))])
        for n, row in enumerate(values):
            extra = [column[n] for column in columns.values()]
            writer.writerow([f"p{n + 1}", ("control", "case")[labels[n]], *extra, *(f"{x:.6g}" for x in row)])
    return path


def noise(seed: int, samples: int = 60, features: int = 2000) -> tuple[np.ndarray, np.ndarray]:
    return np.random.default_rng(seed).normal(size=(samples, features)), np.arange(samples) % 2


def signal(seed: int, labels: np.ndarray, features: int, effect: float, informative: int = 3) -> np.ndarray:
    values = np.random.default_rng(seed).normal(size=(len(labels), features))
    values[:, :informative] += effect * labels[:, None]
    return values


def share(count: int, of: int) -> str:
    return f"{count} of {of}"


def most(seeds: int) -> int:
    """How many of so many seeds may claim more than chance: 5 %."""
    return math.floor(0.05 * seeds)


def noise_rows(folder: Path, seeds: int) -> Iterator[Row]:
    """Noise through fit, path, evaluate, report, predict."""
    shape = "60 x 2000 noise"
    counts = dict.fromkeys(("fit", "path", "evaluate", "report", "predict"), 0)
    aucs = []
    for seed in range(seeds):
        table = write(folder / "noise.csv", *noise(seed))
        new = write(folder / "new.csv", *noise(10_000 + seed))
        model = folder / "model.json"
        fitted = rfvm("fit", table, "--target", "class", "-o", model, "--json").result
        counts["fit"] += fitted["feature_count"] > 0
        path = rfvm("path", table, "--target", "class", "--json").result
        counts["path"] += path["verdict"] != "nothing"
        judged = folder / "evaluation.json"
        auc = rfvm("evaluate", table, "--target", "class", "--repeats", "1", "-o", judged, "--json").result["auc"]
        aucs.append(auc["mean"])
        counts["evaluate"] += auc["low"] > 0.5
        summary = rfvm(
            *("report", model, table, "--target", "class", "--evaluation", judged, "-o", folder / "r.html", "--json")
        ).result
        counts["report"] += summary["model"]["judgement"]["verdict"] != "nothing"
        rows = rfvm("predict", model, new, "--json").result["predictions"]
        counts["predict"] += any(abs(row["probability"] - 0.5) > 0.2 for row in rows)
    words = {
        "fit": "fits with a feature",
        "path": "paths that see a signal",
        "evaluate": f"intervals of the AUC above .5 (mean AUC {np.mean(aucs):.3f})",
        "report": "reports that see a signal",
        "predict": "tables of new samples with a probability beyond .3 or .7",
    }
    for command, count in counts.items():
        yield Row(
            f"noise through `{command}`", shape, f"{share(count, seeds)} {words[command]}", "none", count <= most(seeds)
        )


def study_rows(folder: Path, seeds: int) -> Iterator[Row]:
    """Noise through six waves of a study, retired by the advice or by the worst hand: the program `noise_study`."""
    ways = {"advised": "every advice accepted", "screened": "half of the tests retired by correlation after every wave"}
    for way, words in ways.items():
        done = subprocess.run([TARGET / "noise_study", way, str(seeds)], capture_output=True, text=True, check=False)
        for line in done.stdout.splitlines()[1:]:
            cells = line.replace("%", "").split()
            if not cells or not cells[0].isdigit():
                continue
            wave, auc, without, above = cells[0], float(cells[1]), int(cells[2]), float(cells[3])
            claims = round(above * seeds / 100)
            known = f"mean AUC {auc:.3f}" if without < seeds else "no AUC"
            yield Row(
                f"noise through `study`, wave {wave}: {words}",
                "six waves of 50 x 200 noise",
                f"{known} ({share(without, seeds)} call it unknown), {share(claims, seeds)} intervals above .5",
                "AUC .5",
                claims <= most(seeds),
            )


def panel_rows(folder: Path, seeds: int) -> Iterator[Row]:
    """A panel chosen on the same data."""
    said, aucs = 0, []
    for seed in range(seeds):
        values, labels = noise(seed)
        table = write(folder / "noise.csv", values, labels)
        gap = np.abs(values[labels == 1].mean(axis=0) - values[labels == 0].mean(axis=0))
        panel = ",".join(f"g{d + 1}" for d in np.argsort(-gap)[:10])
        told = rfvm("evaluate", table, "--target", "class", "--features", panel, "--repeats", "1", "--json")
        aucs.append(told.result["auc"]["mean"])
        said += "chosen" in told.warned
    yield Row(
        "a panel chosen on the same data (`--features`)",
        "60 x 2000 noise, the ten largest differences",
        f"mean AUC {np.mean(aucs):.3f}; warned {share(said, seeds)}",
        "AUC .5",
        said == seeds,
    )


def names_column(told: Said, column: str) -> bool:
    return any(column in warning["columns"] for warning in told.result.get("warnings", []))


def leak_rows(folder: Path, seeds: int) -> Iterator[Row]:
    """A column that is the class in other words, or nearly; and, for the false alarms, an honest strong feature."""
    kinds: dict[str, Callable[[np.random.Generator, np.ndarray], np.ndarray]] = {
        "a copy of the class as a column of numbers": lambda _, labels: 3.0 - labels,
        "a column that all but gives the class away": lambda random, labels: (
            labels + 0.05 * random.normal(size=len(labels))
        ),
    }
    for name, make in kinds.items():
        warned = 0
        for seed in range(seeds):
            values, labels = noise(seed, 80, 300)
            values[:, 7] = make(np.random.default_rng(seed), labels)
            table = write(folder / "leak.csv", values, labels)
            told = rfvm("evaluate", table, "--target", "class", "--repeats", "1", "--json")
            warned += names_column(told, "g8")
        yield Row(name, "80 x 300", f"warned {share(warned, seeds)}", "a leak", warned == seeds)
    false = 0
    for seed in range(seeds):
        labels = np.arange(80) % 2
        values = signal(seed, labels, 300, 1.5, informative=1)
        told = rfvm("fit", write(folder / "honest.csv", values, labels), "--target", "class", "--json")
        false += names_column(told, "g1")
    yield Row(
        "a strong feature that is honest",
        "80 x 300, AUC .86 alone",
        f"warned {share(false, seeds)}",
        "no leak",
        false <= most(seeds),
    )
    false = 0
    for seed in range(seeds):
        told = rfvm("fit", write(folder / "few.csv", *noise(seed, 12, 5000)), "--target", "class", "--json")
        false += bool(told.result.get("warnings"))
    yield Row(
        "a feature that is perfect by chance",
        "12 x 5000 noise",
        f"warned {share(false, seeds)}",
        "no leak",
        false <= most(seeds),
    )


def batch_rows(folder: Path, seeds: int) -> Iterator[Row]:
    """The class goes with the batch, and the batch with the numbers."""
    plain, held, said = [], [], 0
    for seed in range(seeds):
        random = np.random.default_rng(seed)
        batch = np.repeat(np.arange(6), 15)
        # Three batches are mostly controls, three mostly cases: nothing but the batch tells the classes apart.
        labels = (random.random(90) < np.where(batch % 2 == 0, 0.15, 0.85)).astype(int)
        values = random.normal(size=(90, 400)) + random.normal(size=(6, 400))[batch]
        table = write(folder / "batch.csv", values, labels, batch=np.array([f"plate{b}" for b in batch]))
        told = rfvm("evaluate", table, "--target", "class", "--repeats", "1", "--json")
        plain.append(told.result["auc"]["mean"])
        found = told.result.get("held_out")
        if found and found["auc"]:
            held.append(found["auc"][0])
        said += any(warning["kind"].startswith("batch") for warning in told.result.get("warnings", []))
    yield Row(
        "a class that goes with the batch",
        "90 x 400 in six batches, no effect of the class",
        f"mean AUC {np.mean(plain):.2f}, {np.mean(held) if held else math.nan:.2f} with whole batches held out; said "
        + share(said, seeds),
        "AUC .5 in new batches",
        said == seeds,
    )


def scale_rows(folder: Path, seeds: int) -> Iterator[Row]:
    """New samples in other units, or with -999 for what is missing."""
    kinds = {
        "1000 times as large": lambda x: 1000.0 * x,
        "with -999 in every row": lambda x: np.where(np.arange(x.shape[1]) < 3, -999.0, x),
    }
    for name, change in kinds.items():
        rows = flagged = refused = 0
        for seed in range(seeds):
            labels = np.arange(80) % 2
            model = folder / "model.json"
            table = write(folder / "train.csv", signal(seed, labels, 200, 2.0), labels)
            rfvm("fit", table, "--target", "class", "-o", model, "--json")
            new = write(folder / "new.csv", change(signal(5_000 + seed, labels, 200, 2.0)), labels)
            out = folder / "p.csv"
            rfvm("predict", model, new, "-o", out)
            with out.open() as file:
                marks = [bool(row["unlike_training"]) for row in csv.DictReader(file)]
            rows, flagged = rows + len(marks), flagged + sum(marks)
            out.unlink()
            refused += rfvm("predict", model, new, "-o", out, "--strict").code != 0 and not out.exists()
        yield Row(
            f"new samples {name}",
            "80 x 200, three informative features",
            f"{100 * flagged / rows:.0f} % of the rows marked; refused by --strict {share(refused, seeds)}",
            "another scale",
            flagged > 0.95 * rows and refused == seeds,
        )


def interval_rows(folder: Path, seeds: int) -> Iterator[Row]:
    """Rare classes and few samples: whether the interval holds the AUC on new samples."""
    for name, labels, effect in (
        ("95 / 5 % classes", (np.arange(200) % 20 == 0).astype(int), 1.5),
        ("twelve samples", np.arange(12) % 2, 3.0),
    ):
        inside, ran = 0, 0
        new_labels = np.arange(2000) % 2
        for seed in range(seeds):
            table = write(folder / "t.csv", signal(seed, labels, 100, effect), labels)
            model = folder / "model.json"
            fitted = rfvm("fit", table, "--target", "class", "-o", model, "--json")
            judged = rfvm("evaluate", table, "--target", "class", "--repeats", "2", "--json")
            ran += fitted.code == 0 and judged.code == 0
            if judged.code or not judged.result.get("auc"):
                continue
            new = write(folder / "new.csv", signal(7_000 + seed, new_labels, 100, effect), new_labels)
            out = folder / "p.csv"
            rfvm("predict", model, new, "-o", out)
            with out.open() as file:
                score = np.array([float(row["probability_case"]) for row in csv.DictReader(file)])
            ranks = np.argsort(np.argsort(score, kind="stable"), kind="stable")
            true = 0.5 if np.ptp(score) == 0 else (ranks[new_labels == 1].mean() - 499.5) / 1000
            inside += judged.result["auc"]["low"] <= true + 1e-9 and true - 1e-9 <= judged.result["auc"]["high"]
        yield Row(
            f"{name}: interval of the AUC",
            f"{len(labels)} x 100, three informative features",
            f"ran {share(ran, seeds)}, holds the AUC of the model {share(inside, seeds)}",
            "95 %",
            ran == seeds and inside >= 0.9 * seeds,
        )


def coverage_rows(folder: Path, seeds: int) -> Iterator[Row]:
    """Coverage of the interval of the AUC: the program `interval_coverage`."""
    done = subprocess.run([TARGET / "interval_coverage", "1000", "0"], capture_output=True, text=True, check=False)
    for line in done.stdout.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) != 6 or "%" not in cells[3]:
            continue
        covered = [float(cell.rstrip(" %")) for cell in cells[3:]]
        yield Row(
            "interval of an AUC of .6, .8 and .95",
            f"{cells[1]} samples, {float(cells[2]):.0%} positive, groups: {cells[0]}",
            "holds it in " + ", ".join(f"{each:.1f} %" for each in covered),
            "95 %",
            all(93.0 <= each <= 97.0 for each in covered),
        )


PARTS = {
    "noise": noise_rows,
    "study": study_rows,
    "panel": panel_rows,
    "leak": leak_rows,
    "batch": batch_rows,
    "scale": scale_rows,
    "interval": interval_rows,
    "coverage": coverage_rows,
}


def table(found: dict[str, Any]) -> str:
    """The rows as the page shows them."""
    lines = ["| question | data | claimed | true | holds |", "|---|---|---|---|---|"]
    for part in PARTS:
        for row in found["parts"].get(part, []):
            holds = "yes" if row["holds"] else "NO"
            lines.append(f"| {row['question']} | {row['data']} | {row['claimed']} | {row['true']} | {holds} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description="Claimed against true.")
    parser.add_argument("--seeds", type=int, default=40)
    parser.add_argument("--only", default=",".join(PARTS), help="parts to run, joined by commas")
    asked = parser.parse_args()
    found = json.loads(RESULTS.read_text()) if RESULTS.exists() else {"parts": {}}
    with tempfile.TemporaryDirectory() as folder:
        for part in asked.only.split(","):
            rows = list(PARTS[part](Path(folder), asked.seeds))
            found["parts"][part] = [asdict(row) for row in rows]
            RESULTS.write_text(json.dumps(found, indent=1) + "\n")
            for row in rows:
                print("yes" if row.holds else "NO ", row.question, "|", row.claimed, flush=True)
    page = PAGE.read_text()
    before, after = page.split(BEGIN)[0], page.split(END)[1]
    PAGE.write_text(f"{before}{BEGIN}\n\n{table(found)}\n\n{END}{after}")


if __name__ == "__main__":
    main()
