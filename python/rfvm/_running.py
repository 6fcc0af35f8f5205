"""What surrounds a running fit: how many threads it may use, and who looks on."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from joblib.parallel import get_active_backend

if TYPE_CHECKING:
    from rfvm._core import Iteration

Callback = Callable[["Iteration"], Any]


def worker_threads(threads: int | None) -> int | None:
    """The parameter; ``None`` leaves it to the engine (``OMP_NUM_THREADS``, else all cores).

    joblib's worker processes carry a fair ``OMP_NUM_THREADS``; its worker threads cannot, so there a fit uses one.
    """
    if threads is not None or os.environ.get("OMP_NUM_THREADS"):
        return threads
    backend, _ = get_active_backend()
    return 1 if getattr(backend, "nesting_level", 0) else None


def _in_notebook() -> bool:
    """Whether output goes to a notebook, without importing IPython where nothing else did."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and hasattr(shell, "kernel")


class Progress:
    """One line about a running fit on standard error, in a terminal and in a notebook; silent elsewhere."""

    WIDTH = 30

    def __init__(self, what: str, callback: Callback | None) -> None:
        self.what = what
        self.callback = callback
        self.visible = sys.stderr.isatty() or _in_notebook()
        self.began = self.shown = time.monotonic()
        self.length = 0

    def __call__(self, iteration: Iteration) -> Any:
        """Show an iteration, at most ten times a second, and ask the user's own callback."""
        now = time.monotonic()
        done = iteration.total is not None and iteration.number == iteration.total
        if self.visible and (done or now - self.shown > 0.1):
            self.shown = now
            self._write(self.describe(iteration) + f" [{now - self.began:.1f} s]")
        return self.callback(iteration) if self.callback is not None else None

    def describe(self, iteration: Iteration) -> str:
        """An iteration in words, or as a bar where the end is known."""
        if iteration.total:
            filled = self.WIDTH * iteration.number // iteration.total
            bar = "#" * filled + "-" * (self.WIDTH - filled)
            return f"{self.what}: |{bar}| {iteration.number}/{iteration.total} steps"
        bound = "not yet" if iteration.bound is None else f"{iteration.bound:.3f}"
        return (
            f"{self.what}: signature {iteration.signature}, iteration {iteration.number}, "
            f"{iteration.features} features, {iteration.vectors} vectors, bound {bound}"
        )

    def close(self) -> None:
        """Leave the line, so that what follows begins a new one."""
        if self.length:
            print(file=sys.stderr, flush=True)

    def _write(self, text: str) -> None:
        print("\r" + text.ljust(self.length), end="", file=sys.stderr, flush=True)
        self.length = len(text)
