"""What a model is given and what it gives back."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import native  # noqa: F401  (finds the path study's modules)
import numpy as np
from l1 import machine
from scaling import plain as scaled
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

__all__ = ["Fitted", "Task", "machine", "scaled", "used"]


@dataclass(frozen=True)
class Task:
    """The rows of one cell."""

    values: np.ndarray
    truth: np.ndarray
    test: np.ndarray
    groups: np.ndarray | None
    repeat: int
    quick: bool = False
    #: Seconds that tuning may take; a model that reaches them says so.
    budget: float | None = None

    def clock(self) -> Callable[[], bool]:
        """Says, from now on, whether the seconds are over."""
        start = time.monotonic()
        return lambda: self.budget is not None and time.monotonic() - start > self.budget

    def inner(self, values=None):
        """Rows of five inner folds that keep groups whole, with the values standardised by the training rows."""
        values = self.values if values is None else values
        kind = StratifiedKFold if self.groups is None else StratifiedGroupKFold
        folds = kind(5, shuffle=True, random_state=self.repeat)
        for train, held in folds.split(values, self.truth, self.groups):
            yield train, held, *scaled(values[train], values[held])


@dataclass(frozen=True)
class Fitted:
    """What a model says of the test rows, and what it is made of."""

    #: Probability of the positive class, or a score with its boundary at 0.
    scores: np.ndarray
    #: Position and weight of every feature in use; `None`: all are.
    selected: list[tuple[int, float]] | None
    #: Number of training rows that define the model.
    vectors: int
    setting: str
    is_probability: bool = True
    cut_short: bool = False


def used(weights: np.ndarray) -> list[tuple[int, float]]:
    """The features whose weight is not zero."""
    return [(int(d), float(weights[d])) for d in np.flatnonzero(weights)]
