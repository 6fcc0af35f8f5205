"""The l1 models of both studies and the strengths they are tuned over."""

from __future__ import annotations

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

GRID = np.logspace(-2, 2, 9)


def logistic(c: float) -> LogisticRegression:
    return LogisticRegression(l1_ratio=1.0, solver="liblinear", C=c, max_iter=1000)


def machine(c: float) -> LinearSVC:
    return LinearSVC(penalty="l1", dual=False, C=c, max_iter=2000)
