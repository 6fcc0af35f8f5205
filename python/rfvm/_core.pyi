"""The engine."""

from os import PathLike
from typing import Any, Self, final

import numpy as np
from numpy.typing import NDArray

__version__: str

type _Numbers = (
    NDArray[np.float64]
    | NDArray[np.float32]
    | tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64], int]
)
