"""The path's part of docs/evidence.md, from its result files; `studies/paper/tables.py` writes the page.

    python studies/path/table.py        # says which of the rules hold
"""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

from sets import TWELVE

HERE = Path(__file__).parent
MEASURES = ("accuracy", "auc", "log_loss", "balanced_accuracy", "features", "vectors")
BASELINES = ("LR-l1", "LR-l1 (accuracy)", "SVM-l1")
SIZES = ("compact", "balanced", "accurate")
PAPER_FIVE = ("colon", "leukemia", "lymphoma", "Prostate-GE", "ALLAML")


def read(name: str, key: str) -> dict[tuple[str, str], dict[str, float]]:
    """Means over all folds by set and model."""
    values: dict = defaultdict(lambda: defaultdict(list))
    with (HERE / "results" / name).open() as file:
        for row in csv.DictReader(file):
            for measure in MEASURES:
                if row.get(measure):
                    values[row["set"], row[key]][measure].append(float(row[measure]))
    return {k: {m: float(np.mean(v)) for m, v in found.items()} for k, found in values.items()}


def slopes() -> dict[tuple[str, str], float]:
    """Calibration slope: the mean over repeats, each with all its test rows together."""
    rows: dict = defaultdict(list)
    with (HERE / "results" / "rfvm.csv").open() as file:
        for row in csv.DictReader(file):
            pairs = [pair.split(":") for pair in row["scores"].split()]
            rows[row["set"], row["size"], row["repeat"]] += [(int(t), float(p)) for t, p in pairs]
    found: dict = defaultdict(list)
    for (name, size, _), pairs in rows.items():
        truth, p = np.array(pairs).T
        p = np.clip(p, 1e-6, 1 - 1e-6)
        logit = np.log(p / (1 - p))[:, None]
        found[name, size].append(LogisticRegression(C=1e6).fit(logit, truth).coef_[0, 0] if np.ptp(logit) > 0 else 0.0)
    return {key: float(np.mean(value)) for key, value in found.items()}


def cell(means: dict[str, float]) -> str:
    loss = f"{means['log_loss']:.3f}" if "log_loss" in means else "-"
    return f"{means['accuracy']:.3f} / {means['auc']:.3f} / {loss} / {means['features']:.0f}"


def over_sets(results: dict, model: str) -> dict[str, float]:
    found = [results[name, model] for name in TWELVE]
    return {m: float(np.mean([f[m] for f in found])) for m in MEASURES if all(m in f for f in found)}


def parts() -> dict[str, str]:
    """What stands in the places of evidence.head.md."""
    rivals, sizes, slope = read("baselines.csv", "model"), read("rfvm.csv", "size"), slopes()
    results = {**rivals, **sizes}
    models = (*BASELINES, *SIZES)
    lines = [
        "| set | " + " | ".join(models) + " |",
        "|---" * (len(models) + 1) + "|",
    ]
    lines += [f"| {name} | " + " | ".join(cell(results[name, m]) for m in models) + " |" for name in TWELVE]
    means = {m: over_sets(results, m) for m in models}
    lines.append("| **mean** | " + " | ".join(f"**{cell(means[m])}**" for m in models) + " |")
    best_auc = {name: max(rivals[name, m]["auc"] for m in ("LR-l1", "SVM-l1")) for name in TWELVE}

    def rule(words: str, holds: bool) -> str:
        return f"| {words} | {'yes' if holds else 'NO'} |"

    checks = ["| must hold | |", "|---|---|"]
    for size in ("balanced", "accurate"):
        for measure, better in (("accuracy", max), ("auc", max), ("log_loss", min)):
            rival = better(means[m][measure] for m in BASELINES if measure in means[m])
            own = means[size][measure]
            holds = own <= rival if better is min else own >= rival
            checks.append(rule(f"{size}: mean {measure} {own:.4f}, best rival {rival:.4f}", holds))
        worst = min(TWELVE, key=lambda name: sizes[name, size]["auc"] - best_auc[name])
        gap = sizes[worst, size]["auc"] - best_auc[worst]
        checks.append(rule(f"{size}: AUC of the worst set against the better rival {gap:+.3f} ({worst}), limit -0.02", gap >= -0.02))
    share = means["balanced"]["features"] / means["LR-l1"]["features"]
    checks.append(rule(f"balanced: {share:.2f} of LR-l1's features on average, limit a third", share <= 1 / 3))
    calibration = float(np.mean([slope[name, "balanced"] for name in TWELVE]))
    checks.append(rule(f"balanced: mean calibration slope {calibration:.2f}, limits 0.8 and 1.25", 0.8 <= calibration <= 1.25))
    compact = [sizes[name, "compact"] for name in PAPER_FIVE]
    accuracy, count = (float(np.mean([c[m] for c in compact])) for m in ("accuracy", "features"))
    checks.append(rule(f"compact: accuracy {accuracy:.3f} over the paper's five sets, limit .89", accuracy >= 0.89))
    checks.append(rule(f"compact: {count:.2f} features there, limit 3", count <= 3))
    svm = rivals["dorothea", "SVM-l1"]
    for size in ("balanced", "accurate"):
        own = sizes["dorothea", size]
        for measure, limit in (("balanced_accuracy", svm["balanced_accuracy"]), ("auc", svm["auc"]), ("accuracy", 0.93)):
            checks.append(rule(f"dorothea, {size}: {measure} {own[measure]:.3f}, limit {limit:.3f}", own[measure] >= limit))
    rules = ["| rule | accuracy / AUC / log loss / features | share of LR-l1's features | AUC of the worst set |", "|---|---|---|---|"]
    for size, words in (("balanced", "21, or fewer where clearly better"), ("one-se", "smallest within one standard error")):
        own = over_sets(results, size)
        worst = min(sizes[name, size]["auc"] - best_auc[name] for name in TWELVE)
        rules.append(f"| {words} | {cell(own)} | {own['features'] / means['LR-l1']['features']:.2f} | {worst:+.3f} |")
    vectors = ", ".join(f"{size} {means[size]['vectors']:.1f}" for size in SIZES)
    return {
        "table": "\n".join(lines),
        "checks": "\n".join(checks),
        "vectors": vectors,
        "one-se": "\n".join(rules),
        "timing": (HERE / "results" / "timing.md").read_text().strip(),
    }


if __name__ == "__main__":
    print(parts()["checks"])
