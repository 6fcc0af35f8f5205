"""Sentences of the page that depend on the numbers."""

from __future__ import annotations

import numpy as np
from catalogue import BOTH, EXTRA_SETS, OWN, PAPER_SETS, RIVALS, SINGLE
from summary import Cells

#: A mean over five folds moves by about this much with the folds alone.
FAR = 0.05
#: Per cent of the features or samples from which a difference is worth a line.
FAR_SHARE = 20.0


def mean(cells: dict[tuple[str, str], Cells], name: str, model: str, measure: str = "accuracy") -> float | None:
    """Mean over the five folds of repeat 0; `None` where they are not all there."""
    found = cells.get((name, model))
    first = found.of_repeat(0) if found else Cells(())
    return float(first.values(measure).mean()) if len(first.rows) == 5 else None


def listed(parts: list[str]) -> str:
    """a, b and c."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def overview(cells: dict) -> str:
    """Every model's mean over the sets that all finished models share."""
    models = [*OWN, *RIVALS]
    finished = [m for m in models if len(finished_sets(cells, m)) >= 4]
    sets = [s for s in PAPER_SETS if finished and all(mean(cells, s, m) is not None for m in finished)]
    if not sets:
        return "Not run yet."
    rows = []
    for model in finished:
        values = [
            np.mean([mean(cells, s, model, measure) for s in sets])
            for measure in ("accuracy", "auc", "features", "features %", "vectors %")
        ]
        rows.append((model, *values))
    rows.sort(key=lambda row: -row[1])
    lines = ["| model | accuracy | AUC | features | features % | defining samples % |", "|---|---|---|---|---|---|"]
    lines += [f"| {m} | {a:.3f} | {u:.3f} | {f:.0f} | {s:.2f} | {v:.1f} |" for m, a, u, f, s, v in rows]
    by_model = {row[0]: row for row in rows}

    def in_words(model: str) -> str:
        _, accuracy, _, count, _, vectors = by_model[model]
        return f"{model} {accuracy:.3f} with {count:.0f} features and {vectors:.0f} % of the samples"

    first = next(row[0] for row in rows if row[0] in RIVALS)
    own = [m for m in ("RFVM balanced", "RFVM paper") if m in by_model]
    words = f"The most accurate rival: {in_words(first)}. Beside it: {listed([in_words(m) for m in own])}.\n\n"
    late = [m for m in models if m not in finished]
    note = f"\n\nNot in this table, because too few sets are finished: {listed(late)}." if late else ""
    return words + f"Means over {listed(sets)} (repeat 0, most accurate first):\n\n" + "\n".join(lines) + note


def with_size(cells: dict, name: str, model: str) -> str:
    """Accuracy and number of features, as means over the five folds."""
    return f"{mean(cells, name, model):.3f} with {mean(cells, name, model, 'features'):.0f} features"


def losses(cells: dict) -> str:
    """Where a rival is more accurate than the default."""
    lines = []
    for name in sorted({name for name, _ in cells}):
        own = mean(cells, name, "RFVM balanced")
        if own is None:
            continue
        better = [(m, mean(cells, name, m)) for m in RIVALS]
        better = sorted(((m, a) for m, a in better if a is not None and a > own + 5e-4), key=lambda pair: -pair[1])
        if better:
            rivals = listed([f"{model} {with_size(cells, name, model)}" for model, _ in better])
            lines.append(f"- {name}: the default {with_size(cells, name, 'RFVM balanced')}, behind {rivals}.")
    return "\n".join(lines) if lines else "On no finished set is a rival ahead."


def differences(cells: dict, paper: dict) -> str:
    """Accuracies that are far from the paper's."""
    lines = []
    for model, theirs in (*SINGLE, *BOTH, ("RFVM paper", "RFVM")):
        far = []
        for name in PAPER_SETS:
            ours = mean(cells, name, model)
            if ours is not None and abs(ours - float(paper[name, theirs]["accuracy"])) > FAR:
                far.append(f"{name} {ours:.2f} (paper {paper[name, theirs]['accuracy']})")
        if far:
            lines.append(f"- {model}: {listed(far)}.")
    return "\n".join(lines) if lines else f"No finished cell is more than {FAR} away."


def finished_sets(cells: dict, model: str) -> list[str]:
    """The paper's sets on which a model has all five folds."""
    return [name for name in PAPER_SETS if mean(cells, name, model) is not None]


def shares(cells: dict, paper: dict, sets: list[str], model: str, theirs: str) -> list[tuple[float, float]]:
    """Per cent of the features, then of the samples, that a model keeps: means over the sets, ours and the paper's."""
    return [
        (
            float(np.mean([mean(cells, name, model, f"{what} %") for name in sets])),
            float(np.mean([float(paper[name, theirs][what]) for name in sets])),
        )
        for what in ("features", "vectors")
    ]


def sparsity(cells: dict, paper: dict) -> str:
    """How many features and samples RFVM keeps, beside the paper's claim."""
    lines = []
    for model in OWN:
        sets = finished_sets(cells, model)
        if not sets:
            continue
        features, samples = shares(cells, paper, sets, model, "RFVM")
        lines.append(
            f"- {model}: {features[0]:.2f} % of the features and {samples[0]:.1f} % of the samples on {listed(sets)}; "
            f"the paper's RFVM {features[1]:.2f} % and {samples[1]:.1f} % there."
        )
    return "\n".join(lines) if lines else "Not run yet."


def course(trace: list[dict[str, str]]) -> str:
    """How far the paper's algorithm gets in its iterations."""
    lines = []
    for name in dict.fromkeys(row["set"] for row in trace):
        own = [row for row in trace if row["set"] == name]
        full = [row for row in own if row["features"] == own[0]["features"]]
        last = own[-1]
        end = ", where it ends" if last is full[-1] else f", {last['features']} are left after {last['iteration']}"
        whole = f"all {own[0]['features']} features are still in after {full[-1]['iteration']} iterations"
        lines.append(f"on {name} (fold 0) {whole}{end}")
    return "; ".join(lines) if lines else "not run yet"


def sizes(cells: dict, paper: dict) -> str:
    """Shares of features or samples that are far from the paper's, as means over the finished sets."""
    lines = []
    for model, theirs in (*SINGLE, *BOTH):
        sets = finished_sets(cells, model)
        if not sets:
            continue
        found = zip(("features", "samples"), shares(cells, paper, sets, model, theirs), strict=True)
        far = [
            f"{here:.0f} % of the {what} (paper {there:.0f} %)"
            for what, (here, there) in found
            if abs(here - there) > FAR_SHARE
        ]
        if far:
            lines.append(f"- {model} keeps {listed(far)} over {len(sets)} sets.")
    return "\n".join(lines) if lines else f"No finished model is more than {FAR_SHARE:.0f} % away."


def stopped(rounds: list[dict[str, str]]) -> str:
    """How PFCVM's samples depend on the number of its rounds."""
    lines = []
    for name in dict.fromkeys(row["set"] for row in rounds):
        own = [row for row in rounds if row["set"] == name]
        parts = [f"{row['vectors']} after {row['rounds']}" for row in own]
        lines.append(f"{name} {listed(parts)} rounds (of {own[0]['train_rows']})")
    return "; ".join(lines) if lines else "not run yet"


def drift(rounding: list[dict[str, str]]) -> str:
    """How far SGP+ARD's probabilities are apart where only the rounding differs."""
    parts = [f"{row['largest_difference']} after {row['steps']}" for row in rounding]
    return f"{listed(parts)} steps" if parts else "not run yet"


def unfinished(cells: dict) -> str:
    """What the tables lack."""
    lines = []
    for model in (*OWN, *RIVALS):
        late = [name for name in (*PAPER_SETS, *EXTRA_SETS) if mean(cells, name, model) is None]
        if late:
            lines.append(f"- {model}: {listed(late)}.")
    return "\n".join(lines) if lines else "Nothing: every model has run on every set that is at hand."


def sentences(cells: dict, paper: dict, trace: list[dict], rounds: list[dict], rounding: list[dict]) -> dict[str, str]:
    """All of them by their place on the page."""
    return {
        "overview": overview(cells),
        "losses": losses(cells),
        "differences": differences(cells, paper),
        "sparsity": sparsity(cells, paper),
        "sizes": sizes(cells, paper),
        "course": course(trace),
        "stopped": stopped(rounds),
        "drift": drift(rounding),
        "unfinished": unfinished(cells),
    }
