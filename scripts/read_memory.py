"""The most memory each reader takes, in sizes of the matrix it ends in: python scripts/read_memory.py

Needs numpy, scipy, pandas, h5py, anndata, pyarrow and openpyxl, which write a table of every format to a temporary
folder, and builds the program read_table of the studies. Fails where a reader takes more than 1.3 times the matrix.
"""

import argparse
import gzip
import sys
import tempfile
from pathlib import Path

import anndata
import h5py
import numpy as np
import openpyxl
import pandas as pd
import scipy.io
import scipy.sparse
from read_speed import build, ours, write

LIMIT = 1.3


def binary_files(folder, table, frame, sparse):
    """Name and writer of every format that a library writes in one call."""
    names = {"obs": pd.DataFrame(index=frame.index), "var": pd.DataFrame(index=frame.columns)}
    yield "table.npy", lambda path: np.save(path, table)
    yield "table.npz", lambda path: np.savez(path, X=table)
    yield "packed.npz", lambda path: np.savez_compressed(path, X=table)
    yield "v5.mat", lambda path: scipy.io.savemat(path, {"X": table})
    yield "v7.mat", lambda path: scipy.io.savemat(path, {"X": table}, do_compression=True)
    yield "sparse.mat", lambda path: scipy.io.savemat(path, {"X": sparse})
    yield "dense.h5ad", lambda path: anndata.AnnData(table, **names).write_h5ad(path)
    yield "csr.h5ad", lambda path: anndata.AnnData(sparse.tocsr(), **names).write_h5ad(path)
    yield "csc.h5ad", lambda path: anndata.AnnData(sparse.tocsc(), **names).write_h5ad(path)
    yield "wide.parquet", lambda path: frame.to_parquet(path)
    yield "tall.parquet", lambda path: frame.T.to_parquet(path)
    yield "wide.feather", lambda path: frame.reset_index().to_feather(path)
    yield "tall.feather", lambda path: frame.T.reset_index().to_feather(path)


def matlab73(path, table):
    """A v7.3 file as MATLAB lays it out: HDF5 behind a header of 512 bytes, matrices turned."""
    with h5py.File(path, "w", userblock_size=512) as file:
        file.create_dataset("X", data=table.T).attrs["MATLAB_class"] = np.bytes_("double")
    with open(path, "r+b") as file:
        file.write(b"MATLAB 7.3 MAT-file, HDF5 schema 1.00 .".ljust(124) + b"\x00\x02IM")


def gct(path, table):
    with open(path, "w", encoding="ascii") as out:
        print("#1.2", f"{table.shape[1]}\t{table.shape[0]}", sep="\n", file=out)
        print("Name", "Description", *(f"s{i}" for i in range(len(table))), sep="\t", file=out)
        for number, row in enumerate(table.T):
            print(f"g{number}", "na", *map("{:.6f}".format, row.tolist()), sep="\t", file=out)


def geo(path, table):
    with gzip.open(path, "wt", compresslevel=1) as out:
        titles = [f'"s{i}"' for i in range(len(table))]
        print("!Series_title\t\"study\"", file=out)
        print("!Sample_title", *titles, sep="\t", file=out)
        print("!Sample_geo_accession", *titles, sep="\t", file=out)
        print("!series_matrix_table_begin", file=out)
        print('"ID_REF"', *titles, sep="\t", file=out)
        for number, row in enumerate(table.T):
            print(f'"g{number}"', *map("{:.6f}".format, row.tolist()), sep="\t", file=out)
        print("!series_matrix_table_end", file=out)


def svmlight(path, sparse):
    with open(path, "w", encoding="ascii") as out:
        for number, row in enumerate(sparse.tocsr()):
            print(number % 2, *(f"{j + 1}:{v:.6f}" for j, v in zip(row.indices, row.data, strict=True)), file=out)


def workbook(path, table):
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet()
    sheet.append(["sample", *(f"g{i}" for i in range(table.shape[1]))])
    for number, row in enumerate(table):
        sheet.append([f"s{number}", *row.tolist()])
    book.save(path)


def plink(path, samples, variants):
    rng = np.random.default_rng(3)
    packed = rng.integers(0, 256, size=(variants, (samples + 3) // 4), dtype=np.uint8)
    path.write_bytes(b"\x6c\x1b\x01" + packed.tobytes())
    path.with_suffix(".bim").write_text("".join(f"1\trs{i}\t0\t{i}\tA\tG\n" for i in range(variants)))
    path.with_suffix(".fam").write_text("".join(f"f{i} s{i} 0 0 1 {1 + i % 2}\n" for i in range(samples)))


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("formats", nargs="*", help="names of files to make, by default all")
    wanted = arguments.parse_args().formats
    rng = np.random.default_rng(1)
    table = rng.uniform(1, 10, size=(400, 40_000))
    sparse = scipy.sparse.random(400, 40_000, density=0.1, random_state=2, format="csc")
    frame = pd.DataFrame(table, [f"s{i}" for i in range(400)], [f"g{i}" for i in range(40_000)])
    files = [
        *binary_files(None, table, frame, sparse),
        ("v73.mat", lambda path: matlab73(path, table)),
        ("table.gct", lambda path: gct(path, table)),
        ("series_matrix.txt.gz", lambda path: geo(path, table)),
        ("table.svm", lambda path: svmlight(path, sparse)),
        ("table.xlsx", lambda path: workbook(path, table[:, :10_000])),
        ("table.bed", lambda path: plink(path, 400, 40_000)),
        ("rows.csv", lambda path: write(path, "sample", frame.columns, "s", table, ",")),
        ("rows.tsv.gz", lambda path: write(path, "sample", frame.columns, "s", table, "\t")),
        ("columns.tsv.gz", lambda path: write(path, "gene", frame.index, "g", table.T, "\t")),
    ]
    program, failed = build(), False
    for name, make in files:
        if wanted and name not in wanted:
            continue
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / name
            make(path)
            seconds, _, memory = ours(program, path)
        failed |= not memory <= LIMIT
        print(f"{name:22} {memory:.2f} of the matrix, {seconds:.2f} s{'' if memory <= LIMIT else ': TOO MUCH'}", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
