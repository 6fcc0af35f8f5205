"""How many features the sweeps of the full model make negligible: too few to leave a pass over the data.

    python studies/path/negligible.py [golub gravier_breast arcene]

For each sweep, the share of the features that together hold 99.9 % of the sum of v, of the variances of v, and of |w|. A
pass that left the others out would change the kernel X diag(v) X' by up to a thousandth and save what is missing to 100 %.
The sweeps are those of docs/method.md, in numpy.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np
from scaling import bent
from scipy.special import ndtr
from sets22 import filled, load22

SWEEPS = 4
ROUNDS = 5
HELD = 0.999


def folded(mean: np.ndarray, variance: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and variance of |N(mean, variance)|."""
    sd = np.sqrt(variance)
    first = np.sqrt(2 * variance / np.pi) * np.exp(-(mean**2) / (2 * variance)) + mean * (1 - 2 * ndtr(-mean / sd))
    return first, mean**2 + variance - first**2


def sweeps(x: np.ndarray, truth: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """v, its variance and the weights w at the end of each sweep."""
    rows, features = x.shape
    start = np.abs(x.T @ (truth - truth.mean())) ** 2.5
    v, v_var = start / np.sqrt(start @ start), np.full(features, 1e-3 / features)
    delta, psi, lengths, vague = 1 / (v**2 + v_var), np.ones(rows), (x**2).sum(axis=0), 0.01 / features
    y, y_var, b, b_var = 2 * truth - 1, np.ones(rows), 0.0, 1 / (rows + 1)

    def latent(f):
        xi = np.sqrt(y**2 + y_var)
        variance = 1 / (1 + np.tanh(xi / 2) / (2 * xi))
        return variance * (truth - 0.5 + f + b), variance

    for _ in range(SWEEPS):
        kernel = (x * v) @ x.T
        a_cov = np.linalg.inv(kernel @ kernel + (x * (v_var * lengths)) @ x.T + np.diag(psi))
        a = a_cov @ kernel @ (y - b)
        psi = (1e-6 + 0.5) / (1e-6 + 0.5 * (a**2 + np.diag(a_cov)))
        g = x.T @ a
        f = x @ (v * g)
        b = b_var * (y - f).sum()
        for _ in range(ROUNDS):
            y, y_var = latent(f)
        yield v, v_var, v * g
        precision = delta + lengths * np.einsum("nd,nd->d", x, a_cov @ x)
        phi = x * g
        factor = np.linalg.cholesky(np.eye(rows) + (phi / precision) @ phi.T)
        half = np.linalg.solve(factor, phi / precision)
        v, v_var = folded(half.T @ np.linalg.solve(factor, y - b), 1 / precision - (half**2).sum(axis=0))
        delta = (vague + 0.5) / (vague + 0.5 * (v**2 + v_var))
        f = x @ (v * g)
        b = b_var * (y - f).sum()
        y, y_var = latent(f)


def holding(values: np.ndarray) -> float:
    """The share of the features that hold nearly all of a sum."""
    sums = np.cumsum(np.sort(np.abs(values))[::-1])
    return float(np.searchsorted(sums, HELD * sums[-1]) + 1) / len(values)


def main() -> None:
    print("set              sweep      v  var v    |w|")
    for name in sys.argv[1:] or ["golub", "gravier_breast", "arcene"]:
        data = load22(name)
        x, _ = bent(*filled(data.values, data.values[:2]))
        for sweep, parts in enumerate(sweeps(np.asarray(x), data.truth.astype(float)), 1):
            print(f"{name:16s} {sweep:5d}", *(f"{holding(part):6.3f}" for part in parts))


if __name__ == "__main__":
    main()
