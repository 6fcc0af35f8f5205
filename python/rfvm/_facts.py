"""What is known of features beside their values: prices, panels, blocks, annotation."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from numbers import Real
from typing import TYPE_CHECKING, Any

from rfvm import _core

if TYPE_CHECKING:
    from rfvm._base import RFVMBase


def of(estimator: RFVMBase, names: list[str] | None, features: int) -> dict[str, Any]:
    """All of it as the engine takes it; what is no feature of the data is told in a warning."""
    known = [f"f{d + 1}" for d in range(features)] if names is None else names
    columns, annotation = _annotation(estimator.annotation, known)
    facts = {
        "prices": _prices(estimator.feature_cost, known),
        "cost_prior": _strength(estimator.cost_prior),
        "panels": _sets("feature_panels", "panels", estimator.feature_panels, known),
        "blocks": _sets("feature_blocks", "blocks", estimator.feature_blocks, known),
        "columns": columns,
        "annotation": annotation,
    }
    if any(facts[what] for what in ("prices", "panels", "blocks", "annotation")):
        for note in _core.notes_on_facts(facts, known):
            warnings.warn(note, UserWarning, stacklevel=4)
    return facts


def _is_path(given: Any) -> bool:
    return isinstance(given, (str, os.PathLike))


def _name(feature: Any, known: list[str], parameter: str) -> str:
    """A feature by its name, or by the position of its column."""
    if isinstance(feature, str):
        return feature
    try:
        at = int(feature)
    except (TypeError, ValueError):
        at = -1
    if at != feature or not 0 <= at < len(known):
        raise ValueError(
            f"{parameter} has {feature!r}, which is neither a name nor a column from 0 to {len(known) - 1}"
        )
    return known[at]


def _items(given: Any, parameter: str) -> list[tuple[Any, Any]]:
    """What a dict or a pandas Series holds."""
    if not isinstance(given, Mapping) and not hasattr(given, "items"):
        raise ValueError(
            f"parameter {parameter} is {given!r}; it must be a dict, a Series, the path of a file, or None"
        )
    return list(given.items())


def _prices(given: Any, known: list[str]) -> list[tuple[str, float]]:
    if given is None:
        return []
    if _is_path(given):
        return _core.read_prices(os.fspath(given))
    prices = []
    for feature, price in _items(given, "feature_cost"):
        if isinstance(price, bool) or not isinstance(price, Real):
            raise ValueError(f"feature_cost of {feature!r} is {price!r}; it must be a number from 0")
        prices.append((_name(feature, known, "feature_cost"), float(price)))
    return prices


def _strength(given: Any) -> float:
    if isinstance(given, bool) or not isinstance(given, Real):
        raise ValueError(f"parameter cost_prior is {given!r}; it must be a number from 0")
    return float(given)


def _sets(parameter: str, what: str, given: Any, known: list[str]) -> list[tuple[str, list[str]]]:
    """Sets by name; given so, or as the set of each feature."""
    if given is None:
        return []
    if _is_path(given):
        return _core.read_sets(os.fspath(given), what)
    sets: dict[str, list[str]] = {}
    for key, value in _items(given, parameter):
        if isinstance(value, str):
            sets.setdefault(value, []).append(_name(key, known, parameter))
        elif value is None or value != value:
            continue
        else:
            sets.setdefault(str(key), []).extend(_name(member, known, parameter) for member in value)
    return list(sets.items())


def _annotation(given: Any, known: list[str]) -> tuple[list[str], list[tuple[str, list[str]]]]:
    """Names of columns, and their texts for each feature."""
    if given is None:
        return [], []
    if _is_path(given):
        return _core.read_annotation(os.fspath(given))
    if not hasattr(given, "columns") or not hasattr(given, "itertuples"):
        raise ValueError(
            f"parameter annotation is {type(given).__name__}; it must be a DataFrame whose index names the features, "
            "the path of a file, or None"
        )
    columns = [str(column) for column in given.columns]
    rows = []
    for feature, *texts in given.itertuples(name=None):
        # What is missing is not equal to itself, or None.
        shown = ["" if text is None or text != text else str(text) for text in texts]
        rows.append((_name(feature, known, "annotation"), shown))
    return columns, rows
