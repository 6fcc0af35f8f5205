"""Draws the figures of docs/evidence-paper.md from the result files.

python studies/paper/figures.py
"""

from __future__ import annotations

import io
from pathlib import Path

import matplotlib as mpl

mpl.use("svg")
import matplotlib.pyplot as plt
import numpy as np
from catalogue import MODELS, OWN, PAPER_TABLE
from summary import Cells, exponent, nogueira, read_cells, read_rows
from tables import RESULTS, ROOT

FOLDER = ROOT / "docs" / "figures" / "paper"
#: The same file from the same numbers: no date, no random names, text as text.
mpl.rcParams.update(
    {"svg.hashsalt": "paper", "svg.fonttype": "none", "font.size": 8, "figure.constrained_layout.use": True}
)
COLOURS = dict(zip(MODELS, plt.get_cmap("tab20").colors, strict=False))


def saved(figure: plt.Figure) -> str:
    """The figure as text."""
    out = io.StringIO()
    figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    plt.close(figure)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def accuracy_features(cells: dict[tuple[str, str], Cells]) -> str:
    """Accuracy against number of features, a panel a set."""
    names = [name for name, *_ in PAPER_TABLE if any(key[0] == name for key in cells)]
    figure, panels = plt.subplots(2, 3, figsize=(10, 6), squeeze=False)
    for panel, name in zip(panels.flat, names, strict=False):
        for model in MODELS:
            found = cells.get((name, model))
            first = found.of_repeat(0) if found else Cells(())
            if len(first.rows) == 5:
                x, y = first.values("features").mean(), first.values("accuracy").mean()
                panel.plot(x, y, "o" if model in OWN else "s", color=COLOURS[model], label=model)
        panel.set(title=name, xscale="log", xlabel="features", ylabel="accuracy")
    for panel in panels.flat[len(names) :]:
        panel.set_visible(False)
    handles = {label: h for p in panels.flat for h, label in zip(*p.get_legend_handles_labels(), strict=True)}
    figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=7)
    return saved(figure)


def cost(results: Path) -> str:
    """Time against D with fitted exponents, beside straight lines of slope 1/2, 1 and 2."""
    kinds: dict[str, dict[int, list[float]]] = {}
    for row in read_rows(results / "cost.csv"):
        size, seconds = int(row["size"]), float(row["seconds"])
        names = {"RFVM balanced": "RFVM, whole default fit", "RFVM one": "RFVM, one signature"}
        whole = row["model"] in names
        kind = names.get(row["model"], "the paper's algorithm here, an iteration")
        value = seconds if whole else seconds / int(row["iterations"])
        kinds.setdefault(kind, {}).setdefault(size, []).append(value)
        if row["square_step_seconds"]:
            step = kinds.setdefault("one O(N D²) step", {})
            step.setdefault(size, []).append(float(row["square_step_seconds"]))
    figure, panel = plt.subplots(figsize=(6, 4))
    for kind, found in kinds.items():
        sizes = sorted(found)
        middle = [np.median(found[size]) for size in sizes]
        grows = exponent(dict(zip(sizes, middle, strict=True)))
        label = kind if grows is None else f"{kind}: $D^{{{grows:.2f}}}$"
        [line] = panel.plot(sizes, middle, "o-", label=label)
        low, high = ([np.percentile(found[size], q) for size in sizes] for q in (10, 90))
        panel.fill_between(sizes, low, high, color=line.get_color(), alpha=0.2, linewidth=0)
    sizes = np.array([400, 13500])
    for power in (0.5, 1, 2):
        panel.plot(sizes, 1e-2 * (sizes / 400) ** power, ":", color="grey", linewidth=1)
        panel.annotate(f"$D^{{{power}}}$", (13500, 1e-2 * (13500 / 400) ** power), color="grey")
    panel.set(xscale="log", yscale="log", xlabel="features", ylabel="seconds")
    if kinds:
        panel.legend()
    return saved(figure)


def trace(results: Path) -> str:
    """Bound, active sets and accuracy along the iterations of the paper's algorithm."""
    rows = read_rows(results / "trace.csv")
    figure, panels = plt.subplots(1, 4, figsize=(11, 3))
    for name in dict.fromkeys(row["set"] for row in rows):
        own = [row for row in rows if row["set"] == name]
        at = [int(row["iteration"]) for row in own]
        for panel, what in zip(panels, ("bound", "features", "vectors", "accuracy"), strict=True):
            values = [float(row[what]) if row[what] else np.nan for row in own]
            if what == "bound":
                # Only its rise matters, and sets differ in the constant.
                values = [value - values[0] for value in values]
            panel.plot(at, values, "o-", label=name)
            panel.set(title="rise of the bound" if what == "bound" else what, xscale="log", xlabel="iteration")
    if rows:
        panels[0].legend()
    return saved(figure)


def calibration(cells: dict[tuple[str, str], Cells]) -> str:
    """Share of positives against predicted probability, the paper's sets together."""
    figure, panel = plt.subplots(figsize=(5, 4.5))
    panel.plot([0, 1], [0, 1], ":", color="grey")
    edges = np.linspace(0, 1, 11)
    for model in MODELS:
        truth, chance = [], []
        for name, *_ in PAPER_TABLE:
            found = cells.get((name, model))
            first = found.of_repeat(0) if found else Cells(())
            if len(first.rows) == 5 and model != "SVM-l1":
                t, p = first.pairs()
                truth.append(t)
                chance.append(p)
        if not truth:
            continue
        t, p = np.concatenate(truth), np.concatenate(chance)
        place = np.clip(np.digitize(p, edges) - 1, 0, 9)
        full = [b for b in range(10) if np.sum(place == b) >= 5]
        panel.plot(
            [p[place == b].mean() for b in full],
            [t[place == b].mean() for b in full],
            "o-" if model in OWN else "s--",
            color=COLOURS[model],
            label=model,
            markersize=3,
            linewidth=1.5 if model in OWN else 0.8,
        )
    panel.set(xlabel="predicted probability", ylabel="share of positives")
    panel.legend(fontsize=6)
    return saved(figure)


def stability(results: Path) -> str:
    """Nogueira's index over bootstraps with its interval."""
    grouped: dict[tuple[str, str], list[dict]] = {}
    for row in read_rows(results / "bootstraps.csv"):
        grouped.setdefault((row["set"], row["model"]), []).append(row)
    figure, panel = plt.subplots(figsize=(7, 3.5))
    names = list(dict.fromkeys(name for name, _ in grouped))
    models = list(dict.fromkeys(model for _, model in grouped))
    for i, model in enumerate(models):
        points = []
        for x, name in enumerate(names):
            rows = grouped.get((name, model), [])
            chosen = [{int(d) for d in row["selected"].split()} for row in rows]
            found = nogueira(chosen, int(rows[0]["all_features"])) if len(rows) >= 20 else None
            if found:
                points.append((x + 0.15 * (i - 1.5), *found))
        if points:
            x, index, half = zip(*points, strict=True)
            panel.errorbar(x, index, half, fmt="o", color=COLOURS[model], label=model)
    panel.set(xticks=range(len(names)), xticklabels=names, ylabel="Nogueira's index")
    if panel.get_legend_handles_labels()[0]:
        panel.legend()
    return saved(figure)


def build(results: Path) -> dict[Path, str]:
    """Every figure by its path."""
    cells = read_cells(results)
    return {
        FOLDER / "accuracy-features.svg": accuracy_features(cells),
        FOLDER / "cost.svg": cost(results),
        FOLDER / "trace.svg": trace(results),
        FOLDER / "calibration.svg": calibration(cells),
        FOLDER / "stability.svg": stability(results),
    }


def write() -> None:
    """Draws them all."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for path, text in build(RESULTS).items():
        path.write_text(text)


if __name__ == "__main__":
    write()
