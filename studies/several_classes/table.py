"""The table of docs/several-classes.md from `results/`, and whether it stands in the page as it is.

    python studies/several_classes/table.py            # print it
    python studies/several_classes/table.py --write    # put it into the page
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict

import numpy as np
from folds import HERE, SETS, load
from sklearn.metrics import roc_auc_score

PAGE = HERE.parents[1] / "docs" / "several-classes.md"
BEGIN, END = "<!-- table of studies/several_classes/table.py -->", "<!-- end of the table -->"
SIZES = ("full", "accurate", "balanced", "compact")
MODELS = [f"{kind}, {size}" for kind in ("one panel", "one against the rest") for size in SIZES] + [
    f"{kind}, {scaling}" for kind in ("multinomial LR-l1", "one against the rest, LR-l1") for scaling in ("plain", "bent")
]


def measures(name: str, folds: list[dict]) -> tuple[float, float, float]:
    """Accuracy, macro AUC and log loss of one repeat, all its rows together; classes of one row a fold have an AUC so."""
    truth = load(name)[1]
    rows = np.concatenate([fold["rows"] for fold in folds])
    said = np.concatenate([np.array(fold["probability"]) for fold in folds])
    y = truth[rows]
    assert len(np.unique(rows)) == len(truth)
    own = np.clip(said[np.arange(len(y)), y], 1e-5, 1.0)
    auc = np.mean([roc_auc_score(y == k, said[:, k]) for k in np.unique(y)])
    return float((said.argmax(axis=1) == y).mean()), float(auc), float(-np.log(own).mean())


def table() -> str:
    cells: dict[tuple[str, str], dict[int, list[dict]]] = defaultdict(lambda: defaultdict(list))
    for file in ("rfvm.jsonl", "rivals.jsonl"):
        for line in (HERE / "results" / file).read_text().splitlines():
            fold = json.loads(line)
            cells[fold["set"], fold["model"]][fold["repeat"]].append(fold)
    lines = ["| set | model | accuracy | macro AUC | log loss | features in all |", "|---|---|---|---|---|---|"]
    for name in SETS:
        for model in MODELS:
            repeats = cells[name, model]
            means = np.mean([measures(name, folds) for folds in repeats.values()], axis=0)
            features = np.mean([fold["features"] for folds in repeats.values() for fold in folds])
            accuracy, auc, loss = (f"{mean:.3f}".lstrip("0") if mean < 1.0 else f"{mean:.3f}" for mean in means)
            lines.append(f"| {name} | {model} | {accuracy} | {auc} | {loss} | {features:,.0f} |")
    return "\n".join(lines)


def main() -> None:
    made = table()
    print(made)
    if "--write" in sys.argv:
        before, rest = PAGE.read_text().split(BEGIN)
        _, after = rest.split(END)
        PAGE.write_text(f"{before}{BEGIN}\n{made}\n{END}{after}")


if __name__ == "__main__":
    main()
