"""The greedy ridge path, the default of the program at commit 480424d, as a rival of its own.

Features enter one at a time: the one with the largest slope |x_d . residual| of the likelihood after a ridge fit of
those before it with precision N. At sizes 1, 2, 3, 5, ... 89 the weights are fitted with a common precision found by
cross-validation; a point averages the fits of three sizes, and its score is corrected by a slope and an intercept. The
compact point is the best of at most three features, the balanced one has 21 and the accurate one 34, unless another
size is better by more than one standard error. Where the best of them is no better than the base rate, that is all.

The inner folds are not the program's. On all fifty folds of gravier_breast, mb_turnbaugh_obese and
ovarian_gse8842_serous the accuracy, AUC and log loss of each size are within 1.5 standard errors of the program's.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scaling import bent
from scipy.special import expit
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

SIZES = (1, 2, 3, 5, 8, 13, 21, 34, 55, 89)
#: In units of the number of rows.
PRECISIONS = (3.0, 1.0, 0.3, 0.1, 0.03)
WINDOW = 3
COMPACT, BALANCED, ACCURATE = 3, 21, 34
BIAS_PRECISION = 0.01
#: How firmly the correction is held to "none", in rows.
FIRMNESS = 4.0


@dataclass(frozen=True)
class Point:
    """Scores of the test rows, the features in the order of their entry and the precision of the weights."""

    scores: np.ndarray
    chosen: list[int]
    precision: float


def losses(truth: np.ndarray, score: np.ndarray) -> np.ndarray:
    return np.logaddexp(0.0, np.where(truth, -score, score))


def ridge(x: np.ndarray, truth: np.ndarray, precision: float, start: np.ndarray) -> np.ndarray:
    """Intercept and weights by Newton's method, from a start that may lack the last features."""
    x = np.column_stack([np.ones(len(x)), x])
    prior = np.full(x.shape[1], precision)
    prior[0] = BIAS_PRECISION
    now = np.zeros(x.shape[1])
    now[: len(start)] = start

    def height(w: np.ndarray) -> float:
        return losses(truth, x @ w).sum() + 0.5 * prior @ (w * w)

    for _ in range(50):
        p = expit(x @ now)
        slope = x.T @ (truth - p) - prior * now
        step = np.linalg.solve((x.T * (p * (1.0 - p))) @ x + np.diag(prior), slope)
        before = height(now)
        promise, length = step @ slope, 1.0
        while height(now + length * step) > before and length > 1e-6:
            length *= 0.5
        now = now + length * step
        if promise <= 1e-10 * (1.0 + before):
            break
    return now


def orders(x: np.ndarray, truth: np.ndarray, roads: list[np.ndarray], count: int) -> list[list[int]]:
    """The first features to enter for every set of training rows, all in one pass over the table a step."""
    entered: list[list[int]] = [[] for _ in roads]
    weights = [np.zeros(0)] * len(roads)
    for _ in range(count):
        residuals = np.zeros((len(roads), len(x)))
        for k, rows in enumerate(roads):
            features = x[np.ix_(rows, entered[k])]
            weights[k] = ridge(features, truth[rows], len(rows), weights[k])
            residuals[k, rows] = truth[rows] - expit(weights[k][0] + features @ weights[k][1:])
        slopes = np.abs(residuals @ x)
        for k, slope in enumerate(slopes):
            slope[entered[k]] = -1.0
            entered[k].append(int(slope.argmax()))
    return entered


def correction(score: np.ndarray, truth: np.ndarray, firmness: float) -> tuple[float, float]:
    """Slope and intercept, held to 1 and 0; none where the score runs the wrong way."""
    x = np.column_stack([score, np.ones(len(score))])
    none = np.array([1.0, 0.0])
    now = none
    for _ in range(30):
        p = expit(x @ now)
        curve = (x.T * (p * (1.0 - p))) @ x + firmness * np.eye(2)
        step = np.linalg.solve(curve, x.T @ (truth - p) - firmness * (now - none))
        now = now + step / max(1.0, np.abs(step).max())
        if np.abs(step).max() < 1e-10:
            break
    slope, intercept = now if now[0] > 0.0 else none
    return float(slope), float(intercept)


def windows(members: np.ndarray) -> np.ndarray:
    """The mean of each member and of the two before it."""
    return np.array([members[max(0, i + 1 - WINDOW) : i + 1].mean(axis=0) for i in range(len(members))])


def cross_validate(x, truth, splits, entered, sizes):
    """Precision, slope and intercept of every size, what every row costs by size, and at the base rate."""
    repeats = len(splits) / 5
    scores = []
    for (train, held), order in zip(splits, entered, strict=True):
        found = np.zeros((len(sizes), len(PRECISIONS), len(held)))
        for i, size in enumerate(sizes):
            w = np.zeros(0)
            for j, precision in enumerate(PRECISIONS):
                w = ridge(x[np.ix_(train, order[:size])], truth[train], precision * len(train), w)
                found[i, j] = w[0] + x[np.ix_(held, order[:size])] @ w[1:]
        scores.append(found)
    totals = np.array([losses(truth[h], s).sum(axis=2) for (_, h), s in zip(splits, scores, strict=True)])
    every = np.arange(len(sizes))
    others = [[g for g in range(len(splits)) if g != f and g // 5 == f // 5] for f in range(len(splits))]
    averaged = [windows(scores[f][every, totals[others[f]].sum(axis=0).argmin(axis=1)]) for f in range(len(splits))]

    def corrected(i: int, folds, firmness: float) -> tuple[float, float]:
        known = np.concatenate([truth[splits[f][1]] for f in folds])
        return correction(np.concatenate([averaged[f][i] for f in folds]), known, firmness)

    costs, base = np.zeros((len(sizes), len(truth))), np.zeros(len(truth))
    for f, (train, held) in enumerate(splits):
        for i in every:
            slope, intercept = corrected(i, others[f], FIRMNESS)
            costs[i, held] += losses(truth[held], intercept + slope * averaged[f][i]) / repeats
        positive = truth[train].sum()
        rate = np.log((positive + 0.5) / (len(train) - positive + 0.5))
        base[held] += losses(truth[held], np.full(len(held), rate)) / repeats
    precision = [PRECISIONS[j] for j in totals.sum(axis=0).argmin(axis=1)]
    return precision, [corrected(i, range(len(splits)), FIRMNESS * repeats) for i in every], costs, base


def choose(sizes: list[int], costs: np.ndarray) -> dict[str, int]:
    """Position of each named size: the usual one, or what beats it by more than a standard error."""
    mean = costs.mean(axis=1)

    def position(limit: int) -> int:
        return max(sum(size <= limit for size in sizes), 1) - 1

    def clearly_better(usual: int, among: int) -> int:
        behind = costs - costs[usual]
        clear = [i for i in range(among) if behind[i].mean() < -behind[i].std(ddof=1) / np.sqrt(costs.shape[1])]
        return min(clear, key=lambda i: mean[i], default=usual)

    balanced, accurate = position(BALANCED), position(ACCURATE)
    return {
        "compact": int(mean[: position(COMPACT) + 1].argmin()),
        "balanced": clearly_better(balanced, balanced + 1),
        "accurate": clearly_better(accurate, len(sizes)),
    }


def greedy_ridge(values, truth, test, groups=None, seed: int = 0) -> dict[str, Point]:
    """The three named points of the path, with what they say of the test rows."""
    x, x_test = bent(values, test)
    sizes = [size for size in SIZES if size <= x.shape[1]]
    kind = StratifiedKFold if groups is None else StratifiedGroupKFold
    repeats = min(4, -(-400 // len(x)))
    folds = [kind(5, shuffle=True, random_state=4 * seed + r) for r in range(repeats)]
    splits = [split for fold in folds for split in fold.split(x, truth, groups)]
    *entered, order = orders(x, truth, [*(train for train, _ in splits), np.arange(len(x))], sizes[-1])
    precision, corrections, costs, base = cross_validate(x, truth, splits, entered, sizes)
    if costs.mean(axis=1).min() >= base.mean():
        rate = np.log(truth.sum() / (~truth).sum())
        return dict.fromkeys(("compact", "balanced", "accurate"), Point(np.full(len(x_test), rate), [], 0.0))
    scores = []
    for size, share in zip(sizes, precision, strict=True):
        w = ridge(x[:, order[:size]], truth, share * len(x), np.zeros(0))
        scores.append(w[0] + x_test[:, order[:size]] @ w[1:])
    found = {}
    for name, i in choose(sizes, costs).items():
        slope, intercept = corrections[i]
        found[name] = Point(intercept + slope * windows(np.array(scores))[i], order[: sizes[i]], precision[i])
    return found
