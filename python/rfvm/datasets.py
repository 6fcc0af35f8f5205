"""Data to learn and to test with: a generator with known truth, and the readers of the command line program.

Nothing here reaches for a network: what is not generated is read from a path.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils import Bunch

from rfvm import _core

__all__ = ["load_geo", "load_table", "make_fat_classification"]


def make_fat_classification(
    n_samples: int = 100,
    n_features: int = 5000,
    *,
    n_informative: int = 5,
    effect: float = 1.2,
    block: int = 20,
    correlation: float = 0.6,
    random_state: int = 1,
    as_frame: bool = False,
) -> Bunch:
    """Draw a study with known truth: two classes that differ in few of many, partly correlated features.

    Features come in blocks that share a hidden factor, as co-expressed genes do. Each informative feature is the first
    of a block and is shifted up or down in the cases. It is the study that ``rfvm demo`` draws its own from.

    Parameters
    ----------
    n_samples : int, default=100
        Subjects, half of them cases.
    n_features : int, default=5000
        Measured features.
    n_informative : int, default=5
        Features that differ between the classes.
    effect : float, default=1.2
        Shift of an informative feature, in standard deviations.
    block : int, default=20
        Features per correlated block.
    correlation : float, default=0.6
        Correlation within a block.
    random_state : int, default=1
        Seed; the same seed gives the same study.
    as_frame : bool, default=False
        Give ``data`` as a pandas DataFrame with names.

    Returns
    -------
    Bunch
        ``data`` (Fortran order), ``target``, ``target_names``, ``feature_names``, ``sample_names`` and ``truth``, the
        positions of the informative features.

    Examples
    --------
    >>> from rfvm.datasets import make_fat_classification
    >>> study = make_fat_classification(n_samples=20, n_features=100, n_informative=2)
    >>> study.data.shape, study.truth.tolist()
    ((20, 100), [0, 40])
    """
    drawn = _core.simulate(
        {
            "samples": n_samples,
            "features": n_features,
            "informative": n_informative,
            "effect": effect,
            "block": block,
            "correlation": correlation,
            "seed": random_state,
        }
    )
    bunch = _bunch(drawn, as_frame)
    bunch.truth = np.array(drawn["truth"], dtype=np.intp)
    return bunch


def load_table(
    path: Any,
    *more: Any,
    target: str | None = None,
    labels: Any = None,
    positive: Sequence[str] | None = None,
    regression: bool = False,
    group: str | None = None,
    samples: str | None = None,
    array: str | None = None,
    sheet: str | None = None,
    below: str | None = None,
    percent: bool = False,
    thousands: bool = False,
    drop: Sequence[str] = (),
    max_memory: int | None = None,
    as_frame: bool = False,
) -> Bunch:
    """Read a table in any format that the command line program reads: CSV, GCT, GEO series, h5ad, MAT, npz, Parquet ...

    Parameters
    ----------
    path, *more : path-like
        Tables; the rows of several are stacked.
    target : str, optional
        Column to predict: its name, else its position.
    labels : path-like, optional
        File with the labels.
    positive : sequence of str, optional
        Classes that together are the positive one.
    regression : bool, default=False
        The target is a number.
    group : str, optional
        Column with the group of each sample.
    samples : {"rows", "columns"}, optional
        Where the samples are; found out by default.
    array, sheet : str, optional
        The array of a file that has several, the sheet of a workbook.
    below : {"half", "limit", "missing"}, optional
        What ``<0.1`` and ``>50`` mean: half the limit (of ``>`` the limit), the limit, or a missing value. Until that
        is said, columns with such cells are refused by name.
    percent : bool, default=False
        Read ``5%`` as 5.
    thousands : bool, default=False
        Read ``1,234`` as 1234.
    drop : sequence of str, optional
        Columns to leave out.
    max_memory : int, optional
        The most memory in bytes that tables and labels together may take. By default 160 times each file, at least
        320 MiB, and three quarters of what is free for all of them at most.
    as_frame : bool, default=False
        Give ``data`` as a pandas DataFrame with names.

    Returns
    -------
    Bunch
        ``data`` (Fortran order; NaN is missing), ``target`` (numbers of ``target_names``, or values),
        ``feature_names``, ``sample_names``, ``groups`` and ``notes`` on how the file was read.
    """
    known = {
        "target": target,
        "labels": None if labels is None else os.fspath(labels),
        "positive": None if positive is None else list(positive),
        "regression": regression,
        "group": group,
        "samples": samples,
        "array": array,
        "sheet": sheet,
        "below": below,
        "percent": percent,
        "thousands": thousands,
        "max_memory": max_memory,
        "drop": list(drop),
    }
    drawn = _core.read_study([os.fspath(each) for each in (path, *more)], known)
    bunch = _bunch(drawn, as_frame)
    bunch.groups = None if drawn["groups"] is None else np.array(drawn["groups"], dtype=np.intp)
    bunch.notes = drawn["notes"]
    return bunch


def load_geo(path: Any, *, target: str, as_frame: bool = False) -> Bunch:
    """Read a series matrix of the Gene Expression Omnibus that lies on this machine.

    Parameters
    ----------
    path : path-like
        The series matrix, packed or not.
    target : str
        The sample characteristic to predict.
    as_frame : bool, default=False
        Give ``data`` as a pandas DataFrame with names.

    Returns
    -------
    Bunch
        As from `load_table`.
    """
    return load_table(path, target=target, samples="columns", as_frame=as_frame)


def _bunch(drawn: dict[str, Any], as_frame: bool) -> Bunch:
    data: Any = drawn["x"]
    if as_frame:
        import pandas as pd

        data = pd.DataFrame(data, index=drawn["sample_names"], columns=drawn["feature_names"], copy=False)
    classes = "classes" in drawn
    return Bunch(
        data=data,
        target=np.array(drawn["labels"], dtype=np.intp) if classes else np.array(drawn["values"]),
        target_names=np.array(drawn["classes"]) if classes else None,
        feature_names=np.array(drawn["feature_names"], dtype=object),
        sample_names=np.array(drawn["sample_names"], dtype=object),
    )
