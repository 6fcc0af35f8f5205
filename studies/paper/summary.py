"""From result files to means, intervals, paired tests and stability."""

from __future__ import annotations

import csv
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import stats

csv.field_size_limit(10**7)

#: Test rows over training rows of a 5-fold split, for Nadeau and Bengio's correction.
OVERLAP = 0.25


@dataclass(frozen=True)
class Cells:
    """The finished cells of one model on one set, in the order of repeats and folds."""

    rows: tuple[dict[str, str], ...]

    def values(self, measure: str) -> np.ndarray:
        """A measure of every cell; `features %` and `vectors %` count as the paper counts."""
        if measure == "features %":
            return 100.0 * self.values("features") / self.values("all_features")
        if measure == "vectors %":
            return 100.0 * self.values("vectors") / self.values("train_rows")
        return np.array([float(row[measure]) for row in self.rows if row[measure] != ""])

    @property
    def marked(self) -> bool:
        """Whether a budget ended any of them."""
        return any(row["note"] for row in self.rows)

    def of_repeat(self, repeat: int) -> Cells:
        """Those of one repeat."""
        return Cells(tuple(row for row in self.rows if int(row["repeat"]) == repeat))

    def keys(self) -> list[tuple[int, int]]:
        """Repeat and fold of each."""
        return [(int(row["repeat"]), int(row["fold"])) for row in self.rows]

    def pairs(self) -> tuple[np.ndarray, np.ndarray]:
        """Truth and score of every test row."""
        pairs = [pair.split(":") for row in self.rows for pair in row["scores"].split()]
        return np.array([int(t) for t, _ in pairs]), np.array([float(s) for _, s in pairs])

    def selections(self) -> list[set[int]] | None:
        """The selected features of every cell; `None` where a selection was too long to be kept."""
        if any(int(row["features"]) > 0 and not row["selected"] for row in self.rows):
            return None
        return [{int(pair.split(":")[0]) for pair in row["selected"].split()} for row in self.rows]


def read_rows(path: Path) -> list[dict[str, str]]:
    """The lines of a result file; none where it is not there yet."""
    if not path.exists():
        return []
    with path.open() as file:
        return list(csv.DictReader(file))


def read_cells(results: Path) -> dict[tuple[str, str], Cells]:
    """All cells by set and model."""
    found: dict[tuple[str, str], list] = defaultdict(list)
    for row in read_rows(results / "cells.csv"):
        found[row["set"], row["model"]].append(row)
    return {
        key: Cells(tuple(sorted(rows, key=lambda row: (int(row["repeat"]), int(row["fold"])))))
        for key, rows in found.items()
    }


def interval(values: np.ndarray) -> tuple[float, float]:
    """Mean and half width of its 95 % interval over repeated folds, corrected for their shared training rows."""
    count = len(values)
    if count < 2:
        return float(np.mean(values)), float("nan")
    error = np.sqrt((1 / count + OVERLAP) * np.var(values, ddof=1))
    return float(np.mean(values)), float(stats.t.ppf(0.975, count - 1) * error)


def paired(one: Cells, other: Cells, measure: str = "accuracy") -> tuple[float, float, int]:
    """Mean difference on common cells, Nadeau and Bengio's corrected p value, and the number of cells."""
    common = sorted(set(one.keys()) & set(other.keys()))

    def of(cells: Cells) -> np.ndarray:
        by_key = dict(zip(cells.keys(), cells.values(measure), strict=True))
        return np.array([by_key[key] for key in common])

    gap = of(one) - of(other)
    spread = np.sqrt((1 / len(gap) + OVERLAP) * np.var(gap, ddof=1))
    if spread == 0.0:
        return float(gap.mean()), 1.0, len(gap)
    return float(gap.mean()), float(2 * stats.t.sf(abs(gap.mean()) / spread, len(gap) - 1)), len(gap)


def nogueira(selections: list[set[int]], features: int) -> tuple[float, float] | None:
    """Nogueira's stability and the half width of its 95 % interval; `None` where it is not defined.

    1 - mean variance of a feature's selection over that of a random selection of the same size.
    """
    fits = len(selections)
    sizes = np.array([len(chosen) for chosen in selections], float)
    share = sizes.mean() / features
    if fits < 2 or share in (0.0, 1.0):
        return None
    names = sorted(set().union(*selections))
    chosen = np.array([[d in selection for d in names] for selection in selections], float)
    frequency = chosen.mean(axis=0)
    random = share * (1 - share)
    index = 1 - fits / (fits - 1) * np.sum(frequency * (1 - frequency)) / features / random
    own = sizes / features
    part = chosen @ frequency / features - own * share + index / 2 * (2 * share * own - own - share + 1)
    part /= random
    variance = 4 / fits**2 * np.sum((part - part.mean()) ** 2)
    return float(index), float(1.96 * np.sqrt(variance))


def jaccard(selections: list[set[int]]) -> float:
    """Mean over pairs of selections of what they share over what they hold together."""
    pairs = [(a, b) for i, a in enumerate(selections) for b in selections[:i]]
    return float(np.mean([len(a & b) / len(a | b) if a | b else 1.0 for a, b in pairs]))


def exponent(seconds: dict[int, float]) -> float | None:
    """The power of D with which the time grows from 400 features on; `None` with fewer than three sizes."""
    large = sorted(size for size in seconds if size >= 400)
    if len(large) < 3:
        return None
    return float(np.polyfit(np.log(large), np.log([seconds[size] for size in large]), 1)[0])
