"""Times the reading of text tables, here and with pandas, in the same run: python scripts/read_speed.py

Needs pandas, and builds the program read_table of the studies. Two tables of 100 samples by 100,000 features are written to
a temporary folder: a CSV with samples as rows and a gzipped TSV with features as rows. Each is read several times in
turn by both; the quickest counts. `--large` also reads 200 by 500,000, with this project's reader alone.
"""

import argparse
import gzip
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

ROOT = Path(__file__).resolve().parent.parent


def build():
    """The compiled program."""
    command = ["cargo", "build", "--release", "--quiet", "-p", "rfvm-studies", "--bin", "read_table"]
    subprocess.run(command, cwd=ROOT, check=True)
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    return target / "release" / "read_table"


def write(path, first, columns, row_letter, table, separator):
    """Writes a table with names; six decimals, as expression values often have."""
    opened = gzip.open(path, "wt", compresslevel=6) if path.suffix == ".gz" else open(path, "w", encoding="ascii")
    with opened as out:
        print(first, *columns, sep=separator, file=out)
        for number, row in enumerate(table):
            print(f"{row_letter}{number}", *map("{:.6f}".format, row.tolist()), sep=separator, file=out)


def ours(program, path):
    """Seconds, sum of the values, and memory over the size of the matrix."""
    output = subprocess.run([program, path], check=True, capture_output=True, text=True).stdout
    said = dict(line.split(" ", 1) for line in output.splitlines())
    return float(said["seconds"]), float(said["sum"]), float(said.get("memory", "nan"))


def theirs(path, separator):
    """Seconds and sum of the values."""
    start = time.perf_counter()
    frame = pd.read_csv(path, sep=separator, index_col=0, engine="c")
    seconds = time.perf_counter() - start
    return seconds, float(frame.to_numpy().sum())


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--large", action="store_true", help="also read 200 x 500,000")
    arguments.add_argument("--times", type=int, default=3, help="readings of each file [default: 3]")
    options = arguments.parse_args()
    program = build()
    samples, features = 100, 100_000
    table = np.random.default_rng(1).uniform(1, 10, size=(samples, features))
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        wide, tall = Path(folder) / "wide.csv", Path(folder) / "tall.tsv.gz"
        write(wide, "sample", [f"g{i}" for i in range(features)], "s", table, ",")
        write(tall, "gene", [f"s{i}" for i in range(samples)], "g", table.T, "\t")
        del table
        print(f"{samples} x {features}; pandas {pd.__version__}, {os.cpu_count()} cores; quickest of {options.times}")
        for path, separator, wanted in [(wide, ",", 10), (tall, "\t", 3)]:
            pairs = [(theirs(path, separator), ours(program, path)) for _ in range(options.times)]
            their_seconds, their_sum = min(pair[0] for pair in pairs)
            our_seconds, our_sum, memory = min(pair[1] for pair in pairs)
            ratio = their_seconds / our_seconds
            agree = abs(their_sum - our_sum) <= 1e-9 * abs(their_sum)
            failed |= not agree or ratio < wanted or memory > 1.3
            print(
                f"{path.name}: pandas {their_seconds:.3f} s, here {our_seconds:.3f} s: {ratio:.1f} times as fast"
                f" (wanted: {wanted}); memory {memory:.2f} of the matrix; sums {'agree' if agree else 'DIFFER'}"
            )
        if options.large:
            wide.unlink()
            table = np.random.default_rng(2).uniform(1, 10, size=(200, 500_000))
            write(wide, "sample", [f"g{i}" for i in range(500_000)], "s", table, ",")
            right = float(table.round(6).sum())
            del table
            seconds, got, memory = ours(program, wide)
            agree = abs(right - got) <= 1e-9 * right
            failed |= not agree or memory > 1.3
            print(f"200 x 500000: {seconds:.3f} s; memory {memory:.2f}; sums {'agree' if agree else 'DIFFER'}")
    sys.exit(failed)


if __name__ == "__main__":
    main()
