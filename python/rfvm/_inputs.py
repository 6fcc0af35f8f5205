"""Whatever a user has, as arrays and names that the engine takes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import _get_feature_names, check_array, check_consistent_length, column_or_1d


class Named(NamedTuple):
    """A matrix with the names that came with it."""

    values: Any
    feature_names: NDArray[np.object_] | None
    sample_names: NDArray[Any] | None


def is_anndata(X: Any) -> bool:
    """Whether this is an AnnData object, without importing that package."""
    return hasattr(X, "obs_names") and hasattr(X, "var_names")


def from_anndata(adata: Any, layer: str | None = None) -> Named:
    """Numbers and names of an AnnData object."""
    if layer is not None and layer not in adata.layers:
        raise ValueError(f"this AnnData object has no layer {layer!r}, which the model was fitted on")
    values = adata.X if layer is None else adata.layers[layer]
    if values is None:
        raise ValueError("adata.X is empty; name the layer that holds the numbers")
    return Named(
        values[:] if not isinstance(values, np.ndarray) and not sparse.issparse(values) else values,
        np.asarray(adata.var_names, dtype=object),
        np.asarray(adata.obs_names, dtype=object),
    )


def row_labels(X: Any) -> NDArray[Any] | None:
    """The index of a pandas table; nothing else names its rows."""
    index = getattr(X, "index", None)
    if index is None or not hasattr(X, "iloc"):
        return None
    return np.asarray(index)


def sample_names(labels: NDArray[Any] | None) -> list[str] | None:
    """Row labels as names of samples, where they are texts and unique; numbers are positions, not names."""
    if labels is None or labels.dtype != object or not all(isinstance(label, str) for label in labels):
        return None
    names = [str(label) for label in labels]
    return names if len(set(names)) == len(names) else None


def named(X: Any, layer: str | None = None) -> Named:
    """Any matrix with the names that came with it."""
    return from_anndata(X, layer) if is_anndata(X) else Named(X, _get_feature_names(X), row_labels(X))


def where_missing(named: Named) -> str:
    """A sentence on the missing values of a matrix: how many, where the first one is, what to do."""
    values = check_array(named.values, accept_sparse="coo", dtype=np.float64, ensure_all_finite=False)
    if sparse.issparse(values):
        holes = np.isnan(values.data)
        rows, features = values.row[holes], values.col[holes]
    else:
        rows, features = np.nonzero(np.isnan(values))
    first = np.lexsort((features, rows))[0]
    row, column = (
        repr(names[at]) if names is not None and isinstance(names[at], str) else str(at)
        for names, at in ((named.sample_names, rows[first]), (named.feature_names, features[first]))
    )
    count = "a missing value" if len(rows) == 1 else f"{len(rows)} missing values, the first"
    return (
        f"Input X contains NaN: {count} in row {row}, column {column}; impute='median' puts the feature's median "
        "there, and missing='integrate' lets a fitted model integrate over it"
    )


def numbers(X: Any) -> Any:
    """A validated matrix in a form that the engine reads without another copy of it."""
    if sparse.issparse(X):
        X = X.tocsc()
        return (
            X.data.astype(np.float64, copy=False),
            X.indices.astype(np.int64, copy=False),
            X.indptr.astype(np.int64, copy=False),
            X.shape[0],
        )
    return X


def columns(X: Any, positions: NDArray[np.intp]) -> NDArray[np.float64]:
    """Some columns of a validated matrix, dense."""
    if sparse.issparse(X):
        return np.asarray(X.tocsc()[:, positions].toarray(), dtype=np.float64)
    return np.asarray(X[:, positions], dtype=np.float64)


def column_names(X: Any) -> list[Any] | None:
    """The columns of any data frame or AnnData object."""
    if is_anndata(X):
        return list(X.var_names)
    # The columns of pyarrow are the values; its names are elsewhere.
    return list(getattr(X, "column_names", X.columns)) if hasattr(X, "columns") else None


def has_columns(X: Any, names: NDArray[np.object_] | None) -> bool:
    """Whether this is a data frame with just these columns, in this order."""
    return names is not None and not is_anndata(X) and column_names(X) == names.tolist()


def columns_by_name(X: Any, names: list[str], layer: str | None = None) -> NDArray[np.float64]:
    """The named columns of any data frame or AnnData object, dense."""
    known = column_names(X)
    if known is None:
        raise ValueError(
            "this model was read from a file, which knows its features by name only; "
            "predict from a data frame, or give load() the names of the columns"
        )
    missing = sorted(set(names).difference(known))
    if missing:
        raise ValueError(
            f"X lacks {len(missing)} feature(s) that the model needs: {', '.join(missing[:10])}; "
            "set_params(missing='integrate') integrates over them"
        )
    if is_anndata(X):
        position = {name: at for at, name in enumerate(known)}
        return columns(from_anndata(X, layer).values, np.array([position[name] for name in names], dtype=np.intp))
    # polars and pyarrow select, pandas takes a list of names.
    picked = X.select(names) if hasattr(X, "select") else X[names]
    if hasattr(picked, "convert_dtypes"):
        # pandas has a missing value of its own, which numpy does not know.
        return np.asarray(picked.to_numpy(dtype=np.float64, na_value=np.nan))
    return np.asarray(picked, dtype=np.float64).reshape(-1, len(names))


def with_target(adata: Any, target: str, layer: str | None, group: str | None) -> Any:
    """The samples that have a target, with the chosen layer as their numbers."""
    for column in (target, group):
        if column is not None and column not in adata.obs:
            raise ValueError(f"adata.obs has no column {column!r}; it has {', '.join(map(str, adata.obs.columns))}")
    known = ~np.asarray(adata.obs[target].isna())
    adata = adata if known.all() else adata[known]
    return adata if layer is None else type(adata)(X=adata.layers[layer], obs=adata.obs, var=adata.var)


def numbered_groups(X: Any, groups: Any) -> NDArray[np.intp] | None:
    """A number for each sample's group, equal where the groups are."""
    if groups is None:
        return None
    groups = column_or_1d(groups, dtype=object)
    check_consistent_length(X, groups)
    # What is missing is not equal to itself, or None.
    missing = [at for at, group in enumerate(groups) if group is None or group != group]
    if missing:
        raise ValueError(f"groups is missing for {len(missing)} sample(s), the first in row {missing[0]}")
    numbers: dict[Any, int] = {}
    return np.array([numbers.setdefault(group, len(numbers)) for group in groups], dtype=np.intp)
