"""The elastic-net logistic regression of many strengths, by Newton's method on the dual.

    min over w, b of   1/n Σ ln(1 + exp(-y_i f_i)) + λ1 |w|_1 + λ2/2 |w|²,      f = X w + b

With far more features than rows the dual is the small side. Its variables are p_i = σ(-y_i f_i), and it is

    min over p of      1/n Σ p_i ln p_i + (1 - p_i) ln(1 - p_i)  +  1/(2 λ2) Σ_d (|v_d| - λ1)_+²,    v = X'(y o p)/n,   y·p = 0

The second part is quadratic where the set A of features with |v_d| > λ1 stays the same, so that a (semismooth) Newton step
needs X_A X_A' alone; w_d = sign(v_d) (|v_d| - λ1)_+ / λ2, and b is the multiplier of the constraint. Every fit ends with a
duality gap below the tolerance, so that it is the minimum that any other solver comes to.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.special import xlogy

#: Relative to the base rate's loss.
TOLERANCE = 1e-8
MOST_STEPS = 200
#: No probability of the dual comes nearer to 0 or 1 in a step than this share of where it was.
KEPT = 0.1


def elastic_path(
    x: np.ndarray, truth: np.ndarray, strengths: list[tuple[float, float]]
) -> Iterator[tuple[np.ndarray, float]]:
    """Weights and intercept for every (λ1, λ2), each from where the one before ended."""
    solver = _Dual(x, truth)
    for one, two in strengths:
        yield solver.fit(one, two)


class _Dual:
    """The rows and where the last fit ended."""

    def __init__(self, x: np.ndarray, truth: np.ndarray) -> None:
        self.n = len(truth)
        self.y = np.where(truth, 1.0, -1.0)
        #: Rows are features, times the labels.
        self.columns = np.ascontiguousarray((self.y[:, None] * x).T)
        share = truth.mean()
        #: What the base rate says, which is the minimum without features.
        self.base = np.where(truth, 1.0 - share, share)
        #: Where the last fit ended, and its λ1.
        self.last = self.base, np.inf

    def fit(self, one: float, two: float) -> tuple[np.ndarray, float]:
        """Weights and intercept for these strengths."""
        y, n = self.y, self.n
        p, weaker = self.last[0], one / self.last[1]
        # In proportion to λ1 the weights stay about what they were.
        p = p * weaker if 0.0 < weaker <= 1.0 else self.base
        v = self.columns @ p / n
        base = self.value(self.base, np.zeros(1), one, two)
        for _ in range(MOST_STEPS):
            w = np.sign(v) * np.maximum(np.abs(v) - one, 0.0) / two
            active = np.flatnonzero(w)
            part = self.columns[active]
            margin = part.T @ w[active]
            gradient = np.log(p) - np.log1p(-p) + margin
            system = part.T @ part / (n * two)
            system[np.diag_indices(n)] += 1.0 / (p * (1.0 - p))
            factor = cho_factor(system, lower=True)
            both = cho_solve(factor, np.stack([gradient, y], axis=1))
            bias = -(y @ both[:, 0]) / (y @ both[:, 1])
            step = -both[:, 0] - bias * both[:, 1]
            # The gap between what w and b cost and what p proves.
            cost = np.logaddexp(0.0, -(margin + bias * y)).mean() + one * np.abs(w).sum() + two / 2 * (w @ w)
            now = self.value(p, v, one, two)
            if cost + now < TOLERANCE * -base:
                break
            change = self.columns @ step / n
            with np.errstate(divide="ignore"):
                room = np.where(step > 0.0, (1.0 - p) / step, np.where(step < 0.0, -p / step, np.inf)).min()
            length = min(1.0, (1.0 - KEPT) * room)
            slope = gradient @ step / n

            def after(length: float) -> float:
                return self.value(p + length * step, v + length * change, one, two)

            while length > 1e-12 and after(length) > now + 1e-4 * length * slope:
                length *= 0.5
            p = p + length * step
            v = v + length * change
        else:
            raise ArithmeticError(f"no minimum after {MOST_STEPS} steps (strengths {one:g} and {two:g})")
        self.last = p, one
        return w, float(bias)

    def value(self, p: np.ndarray, v: np.ndarray, one: float, two: float) -> float:
        """The dual's objective: what is below its negative cannot be reached."""
        entropy = (xlogy(p, p) + xlogy(1.0 - p, 1.0 - p)).mean()
        return float(entropy + (np.maximum(np.abs(v) - one, 0.0) ** 2).sum() / (2.0 * two))

