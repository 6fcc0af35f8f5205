"""Small files that ask for much: memory, time, or both. Every one is below 4 MB."""

import gzip
import io
import math
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

import h5py
import numpy as np
import openpyxl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import scipy.io
import scipy.sparse
from judge import SMALL, Case

MIB = 1 << 20


def _gzip(piece: bytes, times: int, begin: bytes = b"", end: bytes = b"") -> bytes:
    """Pack a piece about so many times, in many members: one that is made once is repeated."""
    at_once = max(1, 8 * MIB // len(piece))
    member = gzip.compress(piece * at_once, mtime=0)
    return gzip.compress(begin, mtime=0) + member * (times // at_once) + gzip.compress(end, mtime=0)


@dataclass(frozen=True)
class Part:
    """An entry of a zip archive, packed."""

    packed: bytes
    checksum: int
    size: int


def _part(begin: bytes, block: bytes = b"", times: int = 0, end: bytes = b"") -> Part:
    """Pack a part in which a block is repeated, without packing the block more than once."""

    def packed(text: bytes, how: int) -> bytes:
        packer = zlib.compressobj(9, zlib.DEFLATED, -15)
        return packer.compress(text) + packer.flush(how)

    checksum = zlib.crc32(begin)
    for _ in range(times):
        checksum = zlib.crc32(block, checksum)
    middle = packed(block, zlib.Z_FULL_FLUSH) * times
    whole = packed(begin, zlib.Z_FULL_FLUSH) + middle + packed(end, zlib.Z_FINISH)
    return Part(whole, zlib.crc32(end, checksum), len(begin) + len(block) * times + len(end))


def _zip(parts: dict[str, Part]) -> bytes:
    """Put packed parts into an archive."""
    out, directory = b"", b""
    for name, part in parts.items():
        about = struct.pack(
            "<HHHHHIIIHH", 20, 0, 8, 0, 33, part.checksum, len(part.packed), part.size, len(name.encode()), 0
        )
        directory += b"PK\x01\x02\x14\0" + about + bytes(10) + struct.pack("<I", len(out)) + name.encode()
        out += b"PK\x03\x04" + about + name.encode() + part.packed
    sizes = (0, 0, len(parts), len(parts), len(directory), len(out), 0)
    return out + directory + b"PK\x05\x06" + struct.pack("<HHHHIIH", *sizes)


def _array(kind: str, shape: tuple[int, ...]) -> Part:
    """Pack an array of zeros."""
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": kind, "fortran_order": False, "shape": shape})
    size = np.dtype(kind).itemsize * math.prod(shape)
    return _part(header.getvalue(), bytes(8 * MIB), size // (8 * MIB), bytes(size % (8 * MIB)))


def _texts() -> Iterator[tuple[str, bytes]]:
    for name, byte in {
        "zeros": b"\0",
        "spaces": b" ",
        "commas": b",",
        "tabs": b"\t",
        "digits": b"1",
        "quotes": b'"',
    }.items():
        yield f"{name}.csv.gz", _gzip(byte, 1600 * MIB)
    yield "lines.csv.gz", _gzip(b"\n", 1600 * MIB)
    yield "narrow.csv.gz", _gzip(b"0,1\n", 400 * MIB, b"a,b\n")
    yield "words.csv.gz", _gzip(b"a,b\n", 400 * MIB, b"x,y\n")
    yield "labels.svm.gz", _gzip(b"1 1:1\n", 200 * MIB)
    yield "wide.csv.gz", _gzip(b"0,", 30 * MIB, end=b"0\n" * 2)
    row = b"0," * 400_000 + b"1\n"
    yield "long rows.csv.gz", _gzip(row, 1500, b"g," * 400_000 + b"h\n")
    tall = b"g" + b"\t0" * 400_000 + b"\n"
    yield "long features.tsv.gz", _gzip(tall, 1500, b"id" + b"\ts" * 400_000 + b"\n")
    yield "texts.csv.gz", _gzip(b"a" + b",b" * 4000 + b"\n", 20_000, b"id" + b",c" * 4000 + b"\n")
    yield "annotations.gct.gz", _gzip(b"a\tb\tc\n", 300 * MIB, b"#1.3\n1\t1\t1\t999999999999\n")
    yield "commas.csv", b"," * (SMALL - 1)
    yield "lines.csv", b"\n" * (SMALL - 1)
    yield "letters.csv", b"a," * (SMALL // 2 - 1)
    yield "quoted.csv", b'"a",' * (SMALL // 4 - 1)
    yield "index.svm", b"1 134217728:1\n0 1:1\n"
    yield "indices.svm", b"1 20000:1\n0 1:1\n" * 100_000
    yield "index.data", b"1 134217728\n1\n"
    samples = 40_000
    cells = "\t".join(f'"k{n}: v"' for n in range(samples))
    names = "\t".join(f'"s{n}"' for n in range(samples))
    geo = f'!Series_title\t"x"\n!Sample_title\t{names}\n!Sample_characteristics_ch1\t{cells}\n'
    geo += f'!series_matrix_table_begin\n"ID_REF"\t{names}\n'
    geo += '"g"' + "\t1" * samples + "\n!series_matrix_table_end\n"
    yield "keys.txt", geo.encode()


def _workbook(change: dict[str, bytes | Part]) -> bytes:
    """Make a workbook with some parts replaced."""
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["id", "g1", "class"])
    for number in range(3):
        sheet.append([f"p{number}", number, "a"])
    whole = io.BytesIO()
    book.save(whole)
    with zipfile.ZipFile(whole) as source:
        parts = {name: change.get(name, source.read(name)) for name in source.namelist()}
    return _zip({name: part if isinstance(part, Part) else _part(part) for name, part in parts.items()})


def _workbooks() -> Iterator[tuple[str, bytes]]:
    space = b'<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" '
    strings, sheet = "xl/sharedStrings.xml", "xl/worksheets/sheet1.xml"
    for count in (b"9999999999", b"4294967296", b"99999999999999999999999", b"10000000"):
        yield (
            f"unique {count.decode()}.xlsx",
            _workbook({strings: space + b'uniqueCount="' + count + b'"><si><t>a</t></si></sst>'}),
        )
    start = b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
    end = b"</sheetData></worksheet>"
    shared = (
        space
        + b'uniqueCount="1"><si><t>'
        + bytes(np.random.default_rng(1).integers(97, 123, MIB, dtype=np.uint8))
        + b"</t></si></sst>"
    )
    for column, name in ((b"A", "names"), (b"C", "texts")):
        cells = b"".join(
            b'<row r="%d"><c r="%s%d" t="s"><v>0</v></c><c r="B%d"><v>%d</v></c></row>' % (n, column, n, n, n)
            for n in range(1, 7000)
        )
        yield f"one text as {name}.xlsx", _workbook({strings: shared, sheet: start + cells + end})
    header = b'<row r="1">' + b'<c t="s"><v>0</v></c>' * 7000 + b"</row>"
    yield "one text as header.xlsx", _workbook({strings: shared, sheet: start + header + end})
    zeros = b"<row>" + b"<c><v>0</v></c>" * 10_000 + b"</row>"
    yield "zeros.xlsx", _workbook({sheet: _part(start, zeros * 50, 160, end)})
    yield "few zeros.xlsx", _workbook({sheet: _part(start, zeros * 50, 20, end)})
    yield "spaces.xlsx", _workbook({strings: _part(space + b"><si><t>", b" " * (8 * MIB), 200, b"</t></si></sst>")})
    far = b'<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
    yield "far.xlsx", _workbook({sheet: start + far + end})


def _arrays() -> Iterator[tuple[str, bytes]]:
    for kind, shape in (("|b1", (20_000, 20_000)), ("<f8", (10_000, 20_000)), ("|u1", (60_000, 60_000))):
        yield f"zeros {kind[1:]}.npz", _zip({"X.npy": _array(kind, shape)})
    for kind, count in (("<U1", 50_000_000), ("|S1", 50_000_000), ("|S400000000", 1), ("<U100000000", 3)):
        parts = {"X.npy": _array("<f8", (3, 3)), "feature_names.npy": _array(kind, (count,))}
        yield f"strings {kind[1:]}.npz", _zip(parts)
    out = io.BytesIO()
    scipy.io.savemat(out, {"X": np.zeros((8_000, 20_000), dtype="u1")}, do_compression=True)
    yield "zeros.mat", out.getvalue()
    out = io.BytesIO()
    scipy.io.savemat(out, {"X": scipy.sparse.csc_matrix(([1.0], ([0], [0])), shape=(100_000_000, 3))})
    yield "sparse.mat", out.getvalue()


def _columns() -> Iterator[tuple[str, bytes]]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x"
        with h5py.File(path, "w") as file:
            file.create_dataset(
                "X", data=np.zeros((8_000, 20_000), dtype="u1"), chunks=(2000, 2000), compression="gzip"
            )
        yield "zeros.h5ad", path.read_bytes()
        with h5py.File(path, "w") as file:
            group = file.create_group("X")
            group.attrs["encoding-type"], group.attrs["shape"] = "csr_matrix", np.array([3, 400_000_000])
            group["data"], group["indices"], group["indptr"] = (
                np.ones(1),
                np.zeros(1, dtype="i4"),
                np.array([0, 1, 1, 1]),
            )
        yield "sparse.h5ad", path.read_bytes()
        rows = 20_000
        with h5py.File(path, "w") as file:
            file["X"] = np.arange(rows, dtype="f4").reshape(-1, 1)
            obs = file.create_group("obs")
            obs.attrs["_index"], obs.attrs["column-order"] = "_index", ["kind"]
            obs["_index"] = np.array([str(n) for n in range(rows)], dtype="S")
            kind = obs.create_group("kind")
            kind.attrs["encoding-type"] = "categorical"
            kind["codes"], kind["categories"] = np.zeros(rows, dtype="i1"), np.array([b"x" * MIB])
        yield "one category.h5ad", path.read_bytes()
    rows = 1_000_000
    words = pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, dtype="i4")), pa.array(["x" * MIB]))
    out = io.BytesIO()
    table = pa.table({"kind": words, "x": pa.array(np.zeros(rows))})
    pq.write_table(table, out, compression="zstd")
    yield "one word.parquet", out.getvalue()
    out = io.BytesIO()
    pq.write_table(pa.table({f"x{n}": pa.array(np.zeros(5_000_000)) for n in range(40)}), out, compression="zstd")
    yield "zeros.parquet", out.getvalue()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x"
        pyarrow.feather.write_feather(table, str(path), compression="zstd")
        yield "one word.feather", path.read_bytes()
        zeros = pa.table({f"x{n}": pa.array(np.zeros(5_000_000)) for n in range(40)})
        pyarrow.feather.write_feather(zeros, str(path), compression="zstd")
        yield "zeros.feather", path.read_bytes()


def scenario(dice: Random, count: int) -> Iterator[Case]:
    """Yield every bomb for ``peek`` and for ``fit``."""
    del dice
    del count
    for make in (_texts, _workbooks, _arrays, _columns):
        for name, data in make():
            assert len(data) < SMALL, f"{name} has {len(data)} bytes"
            yield Case(f"bomb {name}", {name: data}, ["peek", name, "--json"])
            yield Case(f"bomb {name}, fitted", {name: data}, ["fit", name, "--target", "1", "--json"])
