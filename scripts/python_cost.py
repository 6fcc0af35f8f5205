"""What the Python package adds to the engine: time, memory, and what is left behind.

    python scripts/python_cost.py [--fits 1000]

Prints one line each and fails where a promise is broken: at most 10 % more time than the engine's own at 100 x 20000,
at most 2.1 times the input at the peak there and at 200 x 100000, and no growth over many fits.
"""

from __future__ import annotations

import argparse
import gc
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from rfvm import RFVMClassifier, _core, datasets

SETTINGS = {"log2": False} | dict.fromkeys(
    (
        *("size", "share", "signatures", "family", "start_seed", "max_iterations"),
        *("scaling", "class_weight", "impute", "threads"),
    )
)
METHODS = ("signatures", "projected")
ROWS = {"names": None, "weight": None, "groups": None}


def best(work, repeats=7):
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return min(times)


def overhead(method):
    """An estimator on a C-ordered array, against the compiled fit alone on the engine's own order."""
    study = datasets.make_fat_classification(n_samples=100, n_features=20000)
    rows = np.ascontiguousarray(study.data)
    target = (["control", "case"], study.target.tolist())
    settings = SETTINGS | {"method": method}
    engine = best(lambda: _core.fit(study.data, target, settings, feature_names=None, rows=ROWS, callback=None))
    estimator = best(lambda: RFVMClassifier(method=method).fit(rows, study.target))
    print(f"time, {method}: engine {engine:.3f} s, estimator {estimator:.3f} s, {estimator / engine - 1:+.1%}")
    return estimator / engine <= 1.10


PEAK = """
import resource, sys, numpy as np
from rfvm import RFVMClassifier
X = np.load(sys.argv[1])
y = np.arange(len(X)) % 2
small = X[:, :50].copy()
RFVMClassifier(method=sys.argv[2], threads=1).fit(small, y)
with open("/proc/self/statm") as file:
    before = int(file.read().split()[1]) * resource.getpagesize() - X.nbytes
RFVMClassifier(method=sys.argv[2], threads=1).fit(X, y)
# Not that of getrusage, which a process inherits from the one that started it.
with open("/proc/self/status") as file:
    peak = next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM:"))
print((peak - before) / X.nbytes)
"""


def peak(method, samples, features):
    """Peak memory of a fit, the input included, in inputs; what the interpreter needs anyway is left out."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.npy"
        np.save(path, np.random.default_rng(1).normal(size=(samples, features)))
        command = [sys.executable, "-c", PEAK, str(path), method]
        times = float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    input_size = f"{samples} x {features} ({samples * features * 8 / 1e6:.0f} MB)"
    print(f"peak memory, {method}: {times:.2f} times the input of {input_size}, the input included")
    return times <= 2.1


def leak(fits):
    """Growth of the resident memory over many fits, after the first tenth of them."""
    study = datasets.make_fat_classification(n_samples=40, n_features=2000)
    statm = Path("/proc/self/statm")
    resident = lambda: int(statm.read_text().split()[1]) * resource.getpagesize() / 1e6  # noqa: E731
    seen = []
    for done in range(fits):
        model = RFVMClassifier(method=METHODS[done % 2]).fit(study.data, study.target)
        model.predict_proba(study.data)
        if done >= fits // 10:
            gc.collect()
            seen.append(resident())
    print(f"memory over {fits} fits: {seen[0]:.1f} MB, at the end {seen[-1]:.1f} MB; a fit's data are 0.64 MB")
    return seen[-1] - seen[0] < 5.0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fits", type=int, default=1000)
    fits = parser.parse_args().fits
    kept = [*map(overhead, METHODS), leak(fits)]
    for samples, features in ((100, 20_000), (200, 100_000)):
        kept += [peak(method, samples, features) for method in METHODS]
    # Where features are few against samples, matrices of samples by samples weigh; no promise is made there.
    for method in METHODS:
        peak(method, 500, 20_000)
    sys.exit(0 if all(kept) else "a promise is broken")


if __name__ == "__main__":
    main()
