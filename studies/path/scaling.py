"""Two ways to bring features to a common scale, both learned on the training rows alone, and none."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from sklearn.preprocessing import StandardScaler


def plain(train, *others):
    """Mean 0 and standard deviation 1; a sparse table is not centred, so that it stays sparse."""
    scaler = StandardScaler(with_mean=not sparse.issparse(train)).fit(train)
    return [scaler.transform(table) for table in (train, *others)]


def raw(train, *others):
    """Nothing: trees do not mind the scale."""
    return [train, *others]


def varies(values: np.ndarray) -> np.ndarray:
    """Which features are more than rounding away from constant."""
    return values.std(axis=0) > 1e-12 * np.abs(values).max(axis=0)


def bent(train, *others):
    """The program's own scaling: asinh bends the tails before mean 0 and standard deviation 1; constants dropped.

    The unit is three times the median distance from the median, or the mean distance where the median one is nothing.
    """
    tables = [table[:, varies(train)] for table in (train, *others)]
    centre = np.median(tables[0], axis=0)
    distance = np.abs(tables[0] - centre)
    median = np.median(distance, axis=0)
    unit = 3.0 * np.where(median > 1e-12 * np.abs(centre), median, distance.mean(axis=0))
    tables = [np.arcsinh((table - centre) / unit) for table in tables]
    tables = [table[:, varies(tables[0])] for table in tables]
    mean, sd = tables[0].mean(axis=0), tables[0].std(axis=0)
    return [(table - mean) / sd for table in tables]


SCALINGS = {"plain": plain, "bent": bent, "raw": raw}
