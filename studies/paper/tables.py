"""Writes docs/evidence-paper.md, docs/evidence.md and the tables' CSV files from the result files.

python studies/paper/tables.py              # write them
python studies/paper/tables.py --check      # fail where what is committed differs
"""

from __future__ import annotations

import argparse
import csv
import io
from pathlib import Path

import findings
import native  # noqa: F401  (finds the path study's modules)
import numpy as np
import table as path_table
from catalogue import (
    BOOTSTRAP_MODELS,
    BOOTSTRAP_SETS,
    BOTH,
    CHEAP,
    EXTRA_SETS,
    MODELS,
    NOT_AVAILABLE,
    OWN,
    PAPER_TABLE,
    SINGLE,
    TOO_DEAR,
)
from summary import Cells, exponent, interval, jaccard, nogueira, paired, read_cells, read_rows

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PAGE = ROOT / "docs" / "evidence-paper.md"
FRONT_PAGE = ROOT / "docs" / "evidence.md"
RESULTS = HERE / "results"

#: Columns of table 2 and 3: ours, and the paper's beside which each stands.
TABLE_2 = (*SINGLE, *((model, "RFVM") for model in OWN))
TABLE_3 = (*BOTH, *((model, "RFVM") for model in OWN))
MEASURES = (("accuracy", "accuracy", 2), ("features %", "features", 2), ("vectors %", "vectors", 1))
MISSING = "not run yet"


def markdown(head: list[str], rows: list[list[str]]) -> str:
    """A table."""
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def as_csv(head: list[str], rows: list[list[str]]) -> str:
    """The same as a file."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([head, *rows])
    return out.getvalue()


def paper_numbers() -> dict[tuple[str, str], dict[str, str]]:
    """The paper's own numbers by set and model."""
    return {(row["set"], row["model"]): row for row in read_rows(HERE / "paper.csv")}


def five_folds(cells: Cells | None, measure: str, digits: int) -> str:
    """Mean and standard deviation over the five folds of repeat 0."""
    first = cells.of_repeat(0) if cells else Cells(())
    if not first.rows:
        return MISSING
    values = first.values(measure)
    text = f"{values.mean():.{digits}f} ± {values.std():.{digits}f}"
    if len(first.rows) < 5:
        text += f" ({len(first.rows)} of 5 folds)"
    return text + (" *" if first.marked else "")


def with_paper(ours: str, theirs: dict[str, str], measure: str) -> str:
    """Our number, and the paper's in brackets."""
    return f"{ours} [{theirs[measure]}]" if theirs else ours


def comparison(cells: dict, columns) -> tuple[list[str], list[list[str]]]:
    """Table 2 or 3: three lines a set, ours with the paper's in brackets, and means over the sets that are there."""
    paper = paper_numbers()
    rows = []
    for name, label, *_ in PAPER_TABLE:
        for measure, column, digits in MEASURES:
            row = [label, measure]
            for model, theirs in columns:
                number = paper[name, theirs]
                if name in NOT_AVAILABLE and (name, model) not in cells:
                    row.append(f"data not available [{number[column]}]")
                else:
                    row.append(with_paper(five_folds(cells.get((name, model)), measure, digits), number, column))
            rows.append(row)
    there = [name for name, *_ in PAPER_TABLE if name not in NOT_AVAILABLE]
    for measure, column, digits in MEASURES:
        row = ["mean", measure]
        for model, theirs in columns:
            full = [name for name in there if (name, model) in cells and len(cells[name, model].of_repeat(0).rows) == 5]
            if not full:
                row.append(MISSING)
                continue
            ours = np.mean([cells[name, model].of_repeat(0).values(measure).mean() for name in full])
            other = np.mean([float(paper[name, theirs][column]) for name in full])
            sets = "" if len(full) == len(there) else f" ({len(full)} sets)"
            row.append(f"{ours:.{digits}f}{sets} [{other:.{digits}f}]")
        rows.append(row)
    return ["set", "measure", *(model for model, _ in columns)], rows


def table_1() -> tuple[list[str], list[list[str]]]:
    """The sets."""
    rows = [
        [
            label,
            str(n),
            str(d),
            f"{share:.2f}",
            f"{n / d:.3f}",
            "data not available" if name in NOT_AVAILABLE else "yes",
        ]
        for name, label, n, d, share in PAPER_TABLE
    ]
    return ["set", "samples", "features", "% class 1 (paper)", "N/D", "run here"], rows


def without_repeats(name: str, model: str) -> str:
    """What stands where ten repeats are not there."""
    return "too dear" if (model, name) in TOO_DEAR else MISSING


def repeats(cells: dict) -> tuple[list[str], list[list[str]]]:
    """Ten repeats of the cheap models: accuracy with 95 % intervals, then AUC."""
    rows = []
    for name, label, *_ in PAPER_TABLE:
        if name in NOT_AVAILABLE:
            continue
        row = [label]
        for model in CHEAP:
            found = cells.get((name, model))
            if not found or len(found.rows) < 10:
                row.append(without_repeats(name, model))
                continue
            mean, half = interval(found.values("accuracy"))
            auc, _ = interval(found.values("auc"))
            row.append(f"{mean:.3f} ± {half:.3f} / {auc:.3f} ({len(found.rows) / 5:.0f})")
        rows.append(row)
    return ["set", *CHEAP], rows


def tests(cells: dict) -> tuple[list[str], list[list[str]]]:
    """The default against each other cheap model, paired on the same folds."""
    rows = []
    for name, label, *_ in PAPER_TABLE:
        own = cells.get((name, "RFVM balanced"))
        if not own:
            continue
        row = [label]
        for model in CHEAP:
            other = cells.get((name, model))
            if model == "RFVM balanced":
                continue
            if not other or len(set(own.keys()) & set(other.keys())) < 10:
                row.append(without_repeats(name, model))
                continue
            gap, p, count = paired(own, other)
            row.append(f"{gap:+.3f}, p {p:.2f} ({count})")
        rows.append(row)
    return ["set", *(f"against {model}" for model in CHEAP if model != "RFVM balanced")], rows


def golub_genes(cells: dict, model: str) -> tuple[list[str], list[list[str]]]:
    """Table 4: what is selected on golub in the five folds of repeat 0."""
    probes = read_rows(RESULTS / "golub_probes.csv")
    listed = {row["accession"]: row["high_in"] for row in read_rows(HERE / "golub50.csv")}
    weights: dict[int, list[float]] = {}
    found = cells.get(("golub", model))
    for row in found.of_repeat(0).rows if found else ():
        for pair in row["selected"].split():
            position, weight = pair.split(":")
            weights.setdefault(int(position), []).append(float(weight))
    names = {int(row["position"]): row for row in probes}
    rows = []
    for position, values in sorted(weights.items(), key=lambda item: (-len(item[1]), -abs(np.mean(item[1])))):
        probe = names.get(position, {"probe": str(position), "description": ""})
        mean = float(np.mean(values))
        rows.append(
            [
                probe["probe"],
                probe["description"],
                str(len(values)),
                f"{mean:+.2f}",
                "AML" if mean > 0 else "ALL",
                listed.get(probe["probe"].split("_")[0], ""),
            ]
        )
    return ["probe", "description", "folds", "mean weight", "speaks for", "in Golub's list for"], rows


def extra_sets(cells: dict) -> tuple[list[str], list[list[str]]]:
    """Sets that the paper did not use: accuracy / AUC / features, repeat 0."""
    rows = []
    for name in EXTRA_SETS:
        row = [name]
        for model in MODELS:
            found = cells.get((name, model))
            first = found.of_repeat(0) if found else Cells(())
            if len(first.rows) < 5:
                row.append(MISSING)
                continue
            text = " / ".join(
                (
                    f"{first.values('accuracy').mean():.3f}",
                    f"{first.values('auc').mean():.3f}",
                    f"{first.values('features').mean():.0f}",
                )
            )
            row.append(text + (" *" if first.marked else ""))
        rows.append(row)
    return ["set", *MODELS], rows


def other_tasks(results: Path) -> tuple[list[str], list[list[str]]]:
    """Regression, several classes, a second study."""
    grouped: dict[tuple[str, str, str], list] = {}
    for row in read_rows(results / "other.csv"):
        grouped.setdefault((row["task"], row["model"], row["measure"]), []).append(row)
    rows = []
    for (task, model, measure), found in grouped.items():
        values = np.array([float(row["value"]) for row in found])
        spread = f" ± {values.std():.3f}" if len(values) > 1 else ""
        features = np.mean([float(row["features"]) for row in found])
        vectors = np.mean([float(row["vectors"]) for row in found])
        rows.append([task, model, measure, f"{values.mean():.3f}{spread}", f"{features:.1f}", f"{vectors:.1f}"])
    return ["task", "model", "measure", "value", "features", "defining samples"], rows


def stability(cells: dict, results: Path) -> tuple[list[str], list[list[str]]]:
    """Nogueira's index with its interval and Jaccard's, over folds and over bootstraps."""
    resampled: dict[tuple[str, str], list[dict]] = {}
    for row in read_rows(results / "bootstraps.csv"):
        resampled.setdefault((row["set"], row["model"]), []).append(row)
    rows = []
    names = [name for name, *_ in PAPER_TABLE] + list(EXTRA_SETS)
    for name in names:
        for model in MODELS:
            found = cells.get((name, model))
            over_folds, over_samples, of_vectors = "", "", "-"
            chosen = found.selections() if found else None
            if chosen and len(chosen) >= 5:
                over_folds = stability_text(chosen, int(found.rows[0]["all_features"]))
            again = resampled.get((name, model), [])
            if len(again) >= 20:
                sets = [{int(d) for d in row["selected"].split()} for row in again]
                over_samples = stability_text(sets, int(again[0]["all_features"]))
                vectors = [{int(n) for n in row["vectors"].split()} for row in again]
                if any(vectors):
                    of_vectors = stability_text(vectors, int(again[0]["all_samples"]))
            if over_folds or over_samples:
                lacking = "too many features" if found and chosen is None else MISSING
                planned = name in BOOTSTRAP_SETS and model in BOOTSTRAP_MODELS
                rows.append(
                    [name, model, over_folds or lacking, over_samples or (MISSING if planned else "-"), of_vectors]
                )
    return ["set", "model", "over folds", "over bootstraps", "relevance vectors over bootstraps"], rows


def stability_text(chosen: list[set[int]], features: int) -> str:
    """Index ± half width / Jaccard (number of fits)."""
    found = nogueira(chosen, features)
    index = "undefined" if found is None else f"{found[0]:.2f} ± {found[1]:.2f}"
    return f"{index} / {jaccard(chosen):.2f} ({len(chosen)})"


def cost_table(results: Path) -> tuple[list[str], list[list[str]], str]:
    """Median seconds against D, and the exponents that fit them."""
    found: dict[str, dict[int, list[float]]] = {"default": {}, "fit": {}, "iteration": {}, "square": {}}
    for row in read_rows(results / "cost.csv"):
        size, seconds = int(row["size"]), float(row["seconds"])
        if row["model"] == "RFVM balanced":
            found["default"].setdefault(size, []).append(seconds)
        elif row["model"] == "RFVM one":
            found["fit"].setdefault(size, []).append(seconds)
        else:
            found["iteration"].setdefault(size, []).append(seconds / int(row["iterations"]))
            if row["square_step_seconds"]:
                found["square"].setdefault(size, []).append(float(row["square_step_seconds"]))
    sizes = sorted(found["fit"])
    rows = [
        [
            str(size),
            str(len(found["fit"][size])),
            *(f"{np.median(found[k][size]):.4f}" if size in found[k] else MISSING for k in found),
        ]
        for size in sizes
    ]

    def of(kind: str) -> str:
        grows = exponent({size: float(np.median(values)) for size, values in found[kind].items()})
        return MISSING if grows is None else f"{grows:.2f}"

    text = (
        f"Exponents of D from 400 on: whole default fits {of('default')}, one signature {of('fit')}, an iteration of "
        f"the paper's algorithm here {of('iteration')}, the O(N D²) step {of('square')}."
    )
    head = [
        *("D", "runs", "whole default fit, s", "one signature, s"),
        *("an iteration of the paper's algorithm here, s", "one O(N D²) step, s"),
    ]
    return head, rows, text


def filled(head: Path, places: dict[str, str]) -> str:
    """A page with a text in each of its places."""
    page = head.read_text()
    for name, text in places.items():
        page = page.replace(f"<!-- {name} -->", text)
    return page


def build(results: Path) -> dict[Path, str]:
    """Every file that is made from the results, by path."""
    cells = read_cells(results)
    cost_head, cost_rows, exponents = cost_table(results)
    tables = {
        "table1": table_1(),
        "table2": comparison(cells, TABLE_2),
        "table3": comparison(cells, TABLE_3),
        "table4": golub_genes(cells, "RFVM balanced"),
        "table4-committee": golub_genes(cells, "RFVM committee"),
        "repeats": repeats(cells),
        "tests": tests(cells),
        "extra": extra_sets(cells),
        "other": other_tasks(results),
        "stability": stability(cells, results),
        "cost": (cost_head, cost_rows),
    }
    places = {name: markdown(head, rows) if rows else "Not run yet." for name, (head, rows) in tables.items()}
    others = [read_rows(results / f"{name}.csv") for name in ("trace", "rounds", "rounding")]
    sentences = findings.sentences(cells, paper_numbers(), *others)
    page = filled(HERE / "evidence-paper.head.md", places | sentences | {"exponents": exponents})
    front = filled(Path(path_table.__file__).with_name("evidence.head.md"), path_table.parts() | sentences)
    files = {HERE / "tables" / f"{name}.csv": as_csv(head, rows) for name, (head, rows) in tables.items()}
    return {PAGE: page, FRONT_PAGE: front, **files}


def write() -> None:
    """Writes the page and the tables."""
    for path, text in build(RESULTS).items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; fail where a committed file differs")
    asked = parser.parse_args()
    if asked.check:
        files = build(RESULTS)
        stale = [str(p.relative_to(ROOT)) for p, text in files.items() if not p.exists() or p.read_text() != text]
        if stale:
            raise SystemExit(f"{', '.join(stale)}: not what the result files give; run python studies/paper/tables.py")
        return
    write()


if __name__ == "__main__":
    main()
