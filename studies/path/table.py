"""The second study's part of docs/evidence.md, from its result files; `studies/paper/tables.py` writes the page.

    python studies/path/table.py        # says which of the rules hold
"""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from sets22 import SETS22
from sklearn.linear_model import LogisticRegression

HERE = Path(__file__).parent
MEASURES = ("accuracy", "auc", "log_loss", "features", "vectors", "share")
SIZES = ("full", "accurate", "balanced", "compact")
GREEDY = tuple(f"greedy ridge ({size})" for size in ("accurate", "balanced", "compact"))
RIVALS = tuple(
    f"{model} ({scaling})"
    for model in ("LR-l1", "LR-l2", "LR-elastic", "SVM-l1", "RF", "LightGBM")
    for scaling in (("raw",) if model in ("RF", "LightGBM") else ("plain", "bent"))
)
MODELS = (*(f"RFVM {size}" for size in SIZES), *GREEDY, *RIVALS)
#: Sets on which constants were chosen; the other eleven confirm them.
CHOSEN_ON = SETS22[:11]

Cells = dict[tuple[str, str, int], list[dict[str, str]]]


def read() -> Cells:
    """The folds of every model, set and repeat."""
    files = {
        "rfvm.csv": lambda row: f"RFVM {row['size']}",
        "greedy_ridge.csv": lambda row: f"greedy ridge ({row['size']})",
        "rivals.csv": lambda row: f"{row['model']} ({row['scaling']})",
    }
    cells: Cells = defaultdict(list)
    for name, model in files.items():
        with (HERE / "results" / name).open() as file:
            for row in csv.DictReader(file):
                cells[model(row), row["set"], int(row["repeat"])].append(row)
    return cells


def finished(cells: Cells, model: str) -> list[int]:
    """The repeats of which a model has all five folds of all sets."""
    return [r for r in range(10) if all(len(cells.get((model, name, r), ())) == 5 for name in SETS22)]


def mean(cells: Cells, model: str, repeats: Iterable[int], sets: Iterable[str] = SETS22) -> dict[str, float]:
    """Means over folds and repeats, then over sets, of what was measured everywhere."""
    found: dict[str, list[float]] = defaultdict(list)
    sets = tuple(sets)
    for name in sets:
        rows = [row for r in repeats for row in cells[model, name, r]]
        for measure in MEASURES:
            values = [float(row[measure]) for row in rows if row.get(measure) not in (None, "", "NaN", "nan")]
            if values:
                found[measure].append(float(np.mean(values)))
    return {m: float(np.mean(v)) for m, v in found.items() if len(v) == len(sets)}


def slope(cells: Cells, model: str, repeats: list[int]) -> float:
    """The median over sets of the calibration slope, all rows of a repeat together."""
    found = []
    for name in SETS22:
        for repeat in repeats:
            pairs = [pair.split(":") for row in cells[model, name, repeat] for pair in row["scores"].split()]
            truth, p = np.array([(int(t), float(p)) for t, p in pairs]).T
            p = np.clip(p, 1e-6, 1 - 1e-6)
            logit = np.log(p / (1 - p))[:, None]
            # The base rates of five folds are not a model.
            if len(np.unique(logit)) > 5:
                found.append(LogisticRegression(C=1e6).fit(logit, truth).coef_[0, 0])
    return float(np.median(found))


def cell(means: dict[str, float]) -> str:
    return " / ".join(f"{means[m]:.3f}" for m in ("accuracy", "auc", "log_loss"))


def difference(cells: Cells, own: str, rival: str) -> str:
    """By how much the AUC differs on the repeats that both have, with the standard error of that over the sets."""
    shared = sorted(set(finished(cells, own)) & set(finished(cells, rival)))
    each = [mean(cells, own, shared, [s])["auc"] - mean(cells, rival, shared, [s])["auc"] for s in SETS22]
    return f"{np.mean(each):+.4f} ± {np.std(each, ddof=1) / np.sqrt(len(each)):.4f}"


def means_table(cells: Cells) -> list[str]:
    """Every model that has a finished repeat."""
    lines = [
        "| model | repeats | accuracy / AUC / log loss | the eleven chosen on | the eleven others | features | slope |",
        "|---|---|---|---|---|---|---|",
    ]
    for model in MODELS:
        repeats = finished(cells, model)
        if not repeats:
            lines.append(f"| {model} | 0 | not finished | | | | |")
            continue
        all_sets = mean(cells, model, repeats)
        halves = [cell(mean(cells, model, repeats, sets)) for sets in (CHOSEN_ON, SETS22[11:])]
        lines.append(
            f"| {model} | {len(repeats)} | {cell(all_sets)} | {halves[0]} | {halves[1]} | {all_sets['features']:.0f} "
            f"| {slope(cells, model, repeats):.2f} |"
        )
    return lines


def sets_table(cells: Cells) -> list[str]:
    """The sizes set by set, beside what is finished of the strongest rivals, on the repeats all of them have."""
    rivals = [m for m in ("greedy ridge (balanced)", "LR-l1 (bent)", "LightGBM (raw)") if finished(cells, m)]
    models = [*(f"RFVM {size}" for size in SIZES), *rivals]
    shared = sorted(set.intersection(*(set(finished(cells, m)) for m in models)))
    lines = ["| set | " + " | ".join(models) + " |", "|---" * (len(models) + 1) + "|"]
    for name in SETS22:
        lines.append(f"| {name} | " + " | ".join(cell(mean(cells, m, shared, [name])) for m in models) + " |")
    return [f"Repeats {', '.join(map(str, shared))}:", "", *lines]


def checks(cells: Cells) -> list[str]:
    """The rules, each on the repeats that both sides have."""
    lines = ["| must hold | |", "|---|---|"]

    def rule(words: str, holds: bool) -> None:
        lines.append(f"| {words} | {'yes' if holds else 'NO'} |")

    def pair(own: str, rival: str) -> tuple[dict[str, float], dict[str, float], int]:
        shared = sorted(set(finished(cells, own)) & set(finished(cells, rival)))
        return mean(cells, own, shared), mean(cells, rival, shared), len(shared)

    for rival in (m for m in RIVALS if finished(cells, m)):
        own, other, repeats = pair("RFVM full", rival)
        rule(
            f"full: AUC {own['auc']:.4f} is .005 above {rival} {other['auc']:.4f} and log loss {own['log_loss']:.4f} "
            f"below {other['log_loss']:.4f} ({repeats} repeats)",
            own["auc"] >= other["auc"] + 0.005 and own["log_loss"] < other["log_loss"],
        )
    against = [("full", "greedy ridge (accurate)"), ("balanced", "greedy ridge (balanced)")]
    against += [("compact", "greedy ridge (compact)")]
    against += [("balanced", m) for m in ("LR-l1 (plain)", "LR-l1 (bent)") if finished(cells, m)]
    for size, rival in against:
        own, other, repeats = pair(f"RFVM {size}", rival)
        rule(
            f"{size}: {cell(own)} no worse than {rival} {cell(other)} ({repeats} repeats; "
            f"AUC {difference(cells, f'RFVM {size}', rival)})",
            own["accuracy"] >= other["accuracy"]
            and own["auc"] >= other["auc"]
            and own["log_loss"] <= other["log_loss"],
        )
    for size, limit in (("balanced", 21.0), ("compact", 3.0)):
        repeats = finished(cells, f"RFVM {size}")
        features = mean(cells, f"RFVM {size}", repeats)["features"]
        rule(f"{size}: {features:.1f} features on average, limit {limit:.0f}", features <= limit)
    for size in ("full", "balanced", "compact"):
        found = slope(cells, f"RFVM {size}", finished(cells, f"RFVM {size}"))
        rule(f"{size}: calibration slope {found:.2f}, limits .85 and 1.2", 0.85 <= found <= 1.2)
    return lines


def gaps(cells: Cells) -> list[str]:
    """Sets on which balanced is more than .02 in AUC below the better-scaled LR-l1, with what may tell why."""
    rivals = [m for m in ("LR-l1 (plain)", "LR-l1 (bent)") if finished(cells, m)]
    if not rivals:
        return ["LR-l1 is not finished."]
    rival = max(rivals, key=lambda m: mean(cells, m, finished(cells, m))["auc"])
    shared = sorted(set(finished(cells, rival)) & set(finished(cells, "RFVM balanced")))
    lines = [f"| set | balanced | {rival} | full | explained share of balanced |", "|---|---|---|---|---|"]
    for name in SETS22:
        own, other, full = (mean(cells, m, shared, [name]) for m in ("RFVM balanced", rival, "RFVM full"))
        if own["auc"] < other["auc"] - 0.02:
            share = f"{own['share']:.2f}" if "share" in own else "base rate in some folds"
            lines.append(f"| {name} | {own['auc']:.3f} | {other['auc']:.3f} | {full['auc']:.3f} | {share} |")
    return lines


def parts() -> dict[str, str]:
    """What stands in the places of evidence.head.md."""
    cells = read()
    text = {name: (HERE / "results" / f"{name}.md").read_text().rstrip() for name in ("timing", "false_features")}
    small = ("accurate", "balanced", "compact")
    vectors = {s: mean(cells, f"RFVM {s}", finished(cells, f"RFVM {s}"))["vectors"] for s in small}
    return {
        **text,
        "table": "\n".join(means_table(cells)),
        "gaps": "\n".join(gaps(cells)),
        "sets": "\n".join(sets_table(cells)),
        "checks": "\n".join(checks(cells)),
        "vectors": ", ".join(f"{size} {count:.1f}" for size, count in vectors.items()),
    }


if __name__ == "__main__":
    found = read()
    print("\n".join([*checks(found), "", *gaps(found)]))
