"""The engine."""

from os import PathLike
from typing import Any, Literal, Self, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Feature",
    "Iteration",
    "Model",
    "Signature",
    "Vector",
    "__version__",
    "evaluate",
    "fit",
    "read_study",
    "report",
    "simulate",
    "validate",
]

__version__: str

_Vector: TypeAlias = NDArray[np.float64]
_Numbers: TypeAlias = (
    NDArray[np.float64] | NDArray[np.float32] | tuple[_Vector, NDArray[np.int64], NDArray[np.int64], int]
)

@final
class Iteration:
    @property
    def signature(self) -> int: ...
    @property
    def number(self) -> int: ...
    @property
    def total(self) -> int | None: ...
    @property
    def phase(self) -> str: ...
    @property
    def bound(self) -> float | None: ...
    @property
    def features(self) -> int | None: ...
    @property
    def vectors(self) -> int | None: ...

@final
class Feature:
    @property
    def name(self) -> str: ...
    @property
    def weight(self) -> float: ...
    @property
    def sd(self) -> float: ...
    @property
    def relevance(self) -> float: ...

@final
class Vector:
    @property
    def sample(self) -> str: ...
    @property
    def coefficient(self) -> float: ...

@final
class Signature:
    @property
    def features(self) -> list[Feature]: ...
    @property
    def vectors(self) -> list[Vector]: ...
    @property
    def trace(self) -> list[Iteration]: ...
    @property
    def bound(self) -> float | None: ...
    @property
    def evidence(self) -> float | None: ...
    @property
    def bias(self) -> float: ...
    @property
    def stop_reason(self) -> str: ...

@final
class Model:
    @property
    def classes(self) -> list[str]: ...
    @property
    def features_in(self) -> int: ...
    @property
    def samples_in(self) -> int: ...
    @property
    def imputes(self) -> bool: ...
    @property
    def correction(self) -> tuple[float, float]: ...
    @property
    def share(self) -> float | None: ...
    @property
    def expected(self) -> tuple[float, float, float, float] | None: ...
    @property
    def full(self) -> tuple[float, float, float, float] | None: ...
    @property
    def signatures(self) -> list[Signature]: ...
    @property
    def needed_features(self) -> list[str]: ...
    @property
    def verdict(self) -> Literal["signal", "weak", "nothing"] | None: ...
    @property
    def warnings(self) -> list[str]: ...
    @property
    def made_up_names(self) -> tuple[bool, bool] | None: ...
    @property
    def stand_ins(self) -> list[str]: ...
    def predict(self, x: _Numbers, missing: str | None = None) -> tuple[_Vector, _Vector, _Vector | None]: ...
    def filled(self, x: _Numbers, missing: str | None) -> list[list[str]]: ...
    def to_json(self) -> str: ...
    @classmethod
    def from_json(cls, text: bytes) -> Self: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

def fit(
    x: _Numbers,
    target: tuple[list[str], list[int]] | list[float],
    settings: dict[str, Any],
    *,
    feature_names: list[str] | None,
    rows: dict[str, Any],
    callback: Any,
) -> tuple[Model, dict[str, Any] | None]: ...
def evaluate(
    x: _Numbers,
    target: tuple[list[str], list[int]] | list[float],
    settings: dict[str, Any],
    *,
    feature_names: list[str] | None,
    rows: dict[str, Any],
    dealing: dict[str, Any],
    callback: Any,
) -> str | None: ...
def report(
    model: Model,
    x: _Numbers,
    target: tuple[list[str], list[int]] | list[float],
    path: str | PathLike[str],
    *,
    feature_names: list[str] | None,
    rows: dict[str, Any],
    evaluation: str | None,
    name: str,
) -> None: ...
def simulate(wanted: dict[str, Any]) -> dict[str, Any]: ...
def read_study(paths: list[str], known: dict[str, Any]) -> dict[str, Any]: ...
def validate(
    model: Model,
    x: _Numbers,
    target: tuple[list[str], list[int]] | list[float],
    *,
    feature_names: list[str] | None,
    rows: dict[str, Any],
    asked: dict[str, Any],
) -> tuple[str, Model | None]: ...
