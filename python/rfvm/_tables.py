"""What a fit found, as data frames."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

    from rfvm._base import RFVMBase
    from rfvm._core import Signature


#: Columns of a table of features that are there in any case.
_OWN = ("feature", "weight", "class", "relevance", "sd", "signature")


def _pandas() -> Any:
    try:
        import pandas
    except ImportError as error:
        raise ImportError("tables need pandas: pip install 'rfvm[pandas]'") from error
    return pandas


def _classes(estimator: RFVMBase) -> list[Any] | None:
    classes = getattr(estimator, "classes_", None)
    return None if classes is None else list(classes)


def _features(estimator: RFVMBase, row_of: int, number: int, signature: Signature) -> list[dict[str, Any]]:
    classes = _classes(estimator)
    rows = []
    known = estimator.model_.known([feature.name for feature in signature.features])
    for at, feature in enumerate(signature.features):
        row: dict[str, Any] = {"feature": estimator._shown(feature.name), "weight": feature.weight}
        if classes is not None:
            # With two classes the sign says which one; with more, each class has a signature of its own.
            several = len(classes) > 2
            row["class"] = classes[row_of] if several else classes[int(feature.weight > 0)]
        row |= {"relevance": feature.relevance, "sd": feature.sd, "signature": number}
        row |= {_beside(title): cells[at] for title, cells in known.items()}
        rows.append(row)
    return rows


def _columns(estimator: RFVMBase) -> list[str]:
    of_class = [] if _classes(estimator) is None else ["class"]
    own = ["feature", "weight", *of_class, "relevance", "sd", "signature"]
    known = list(estimator.model_.known([]))
    return own + [_beside(title) for title in known]


def _beside(title: str) -> str:
    """A column of what is known of features beside the data, by a name that no other column has."""
    return f"{title} (annotation)" if title in _OWN else title


def signatures(estimator: RFVMBase) -> list[pd.DataFrame]:
    """One table per signature."""
    pandas, columns = _pandas(), _columns(estimator)
    # Without a row nothing else says that these are numbers.
    numbers = dict.fromkeys(("weight", "relevance", "sd"), float)
    return [
        pandas.DataFrame(_features(estimator, row, number, signature), columns=columns).astype(numbers)
        for row, own in enumerate(estimator._rows())
        for number, signature in enumerate(own, 1)
    ]


def signature(estimator: RFVMBase) -> pd.DataFrame:
    """All signatures one below the other."""
    return _pandas().concat(signatures(estimator), ignore_index=True)


def trace(estimator: RFVMBase) -> pd.DataFrame:
    """Every iteration of every signature; with more than two classes, a first column says whose each row is."""
    pandas = _pandas()
    columns = ["signature", "number", "phase", "bound", "features", "vectors"]
    tables = []
    for own in estimator._rows():
        iterations = [iteration for signature in own for iteration in signature.trace]
        rows = [[getattr(iteration, name) for name in columns] for iteration in iterations]
        tables.append(pandas.DataFrame(rows, columns=columns).astype({"bound": float}))
    if len(tables) == 1:
        return tables[0]
    for name, table in zip(_classes(estimator) or [], tables, strict=True):
        table.insert(0, "class", [name] * len(table))
    return pandas.concat(tables, ignore_index=True)


def path(estimator: RFVMBase) -> pd.DataFrame:
    """Every point of the path."""
    whole = ("verdict", "detection", "chance", "full_loss", "full_se", "base_loss")
    described = estimator._path or {}
    points = {name: values for name, values in described.items() if name not in whole}
    if "features" in points:
        points["features"] = [[estimator._shown(name) for name in names] for names in points["features"]]
    table = _pandas().DataFrame(points)
    table.attrs.update({name: described.get(name) for name in whole})
    return table


def explained(estimator: RFVMBase, text: str, labels: Any) -> pd.DataFrame:
    """What every feature adds to the score of every sample, from the engine's text."""
    columns = ["sample", "part", "feature", "value", "contribution", "sd", "low", "high"]
    rows = []
    for n, parts in enumerate(json.loads(text)):
        sample = n if labels is None else labels[n]
        for part in parts:
            name = estimator._shown(part["feature"]) if part["part"] == "feature" else part["feature"]
            rows.append({**part, "sample": sample, "feature": name})
    return _pandas().DataFrame(rows, columns=columns).astype({"value": float})
