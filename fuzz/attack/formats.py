"""Small valid files of every format, random damage to them, broken checksums, and files that were cut."""

import gzip
import io
import struct
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from judge import Case

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import make_seeds

SUFFIXES = {
    "delimited": "csv", "gct": "gct", "geo": "txt", "svmlight": "svm", "npy": "npy", "npz": "npz", "mat": "mat",
    "mat73": "mat", "h5ad": "h5ad", "parquet": "parquet", "feather": "feather", "xlsx": "xlsx",
}  # fmt: skip
# One in so many mutations is fitted too.
FITTED = 10
TABLE = b"id,g1,g2\np1,1,2\np2,3,4\np3,5,6\np4,7,8\n"
LABELS = [b"a\nb\na\nb\n", b"1\n-1\n1\n-1\n", b"id,class\np1,a\np2,b\np3,a\np4,b\n"]


@dataclass(frozen=True)
class Seed:
    """A valid file, those beside it, and how it is read; ``attacked`` is the one to be damaged."""

    name: str
    files: dict[str, bytes]
    attacked: str
    arguments: list[str]


@cache
def seeds() -> list[Seed]:
    """All seeds of ``make_seeds.py``, as files that the program reads."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for make in (make_seeds.text_tables, make_seeds.numpy_and_matlab, make_seeds.hdf5, make_seeds.columns):
            make(root)
        make_seeds.workbooks(root)
        make_seeds.genotypes(root)
        for target, suffix in SUFFIXES.items():
            for path in sorted((root / target).iterdir()):
                name = f"table.{suffix}"
                found.append(Seed(f"{target} {path.name}", {name: path.read_bytes()}, name, [name]))
        for path in sorted((root / "dorothea").iterdir()):
            table, labels = path.read_bytes().split(b"\0")
            files = {"table.data": table, "table.labels": labels}
            found += [Seed(f"dorothea {path.name} {name}", files, name, ["table.data"]) for name in files]
        packed = (root / "plink" / "seed1").read_bytes()
    bim, fam = struct.unpack("<HH", packed[:4])
    parts = {
        "table.bim": packed[4 : 4 + bim],
        "table.fam": packed[4 + bim : 4 + bim + fam],
        "table.bed": packed[4 + bim + fam :],
    }
    found += [Seed(f"plink {name}", parts, name, ["table.bed"]) for name in parts]
    for number, labels in enumerate([*LABELS, b"4 2 1\n# a b\n0 1 0 1\n"]):
        files = {"table.csv": TABLE, "labels.txt": labels}
        found.append(Seed(f"labels {number}", files, "labels.txt", ["table.csv", "--labels", "labels.txt"]))
    return found


def _with(data: bytes, at: int, piece: bytes, length: int | None = None) -> bytes:
    """Put a piece in the place of so many bytes (its own length by default)."""
    return data[:at] + piece + data[at + (len(piece) if length is None else length) :]


def mutate(data: bytes, dice: Random) -> bytes:
    """Damage a file: bits, bytes, numbers, cuts, insertions and repetitions."""
    for _ in range(dice.choice([1, 1, 1, 2, 4])):
        if not data:
            return data
        at = dice.randrange(len(data))
        kind = dice.randrange(8)
        if kind <= 1:
            data = _with(data, at, bytes([data[at] ^ 1 << dice.randrange(8)]))
        elif kind == 2:
            data = _with(data, at, bytes([dice.choice([0, 0xFF, 0x7F, 0x80, dice.randrange(256)])]))
        elif kind == 3:
            data = data[:at]
        elif kind == 4:
            piece = data[dice.randrange(len(data)) :][: dice.randrange(1, 64)]
            data = _with(data, at, piece, 0)
        elif kind == 5:
            number = dice.choice(
                [0, 1, 1 << 16, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, 1 << 40, (1 << 63) - 1, (1 << 64) - 1]
            )
            width = dice.choice([2, 4, 8])
            data = _with(data, at, (number & (1 << 8 * width) - 1).to_bytes(width, dice.choice(["little", "big"])))
        elif kind == 6:
            digits = [place for place, byte in enumerate(data) if 48 <= byte < 58]
            if digits:
                text = dice.choice(
                    [b"", b"-1", b"99999999999", b"1e400", b"nan", b"-inf", b"18446744073709551615", b"0.0000001"]
                )
                data = _with(data, dice.choice(digits), text, 1)
        else:
            data = _with(data, at, b"", dice.randrange(1, 64))
    return data


def mutations(dice: Random, count: int) -> Iterator[Case]:
    """Yield every seed as it is, then so many mutations of each format, dealt over its seeds."""
    formats: dict[str, list[Seed]] = {}
    for seed in seeds():
        formats.setdefault(seed.name.split()[0], []).append(seed)
        yield Case(f"{seed.name} as it is", seed.files, ["peek", *seed.arguments, "--json"])
    # Round by round, so that a deadline leaves no format out.
    for number in range(count):
        for own in formats.values():
            seed = own[number % len(own)]
            files = {**seed.files, seed.attacked: mutate(seed.files[seed.attacked], dice)}
            name = f"{seed.name} mutation {number}"
            yield Case(name, files, ["peek", *seed.arguments, "--json"])
            if number % FITTED == 0:
                target = (
                    [] if "--labels" in seed.arguments else ["--target", dice.choice(["class", "y", "label", "-1"])]
                )
                arguments = ["fit", *seed.arguments, *target, "--json", "-o", "model.json"]
                yield Case(f"{name}, fitted", files, arguments, outputs=["model.json"])


def _flips(dice: Random, places: range, data: bytes, count: int) -> Iterator[tuple[int, bytes]]:
    for _ in range(count):
        at = dice.choice(places)
        yield at, _with(data, at, bytes([data[at] ^ 1 << dice.randrange(8)]))


def _same_gzip(data: bytes, text: bytes) -> bool:
    try:
        return gzip.decompress(data) == text
    except (OSError, EOFError, ValueError):
        return False
    except Exception:  # zlib.error is no subclass of any of these
        return False


def _members(data: bytes) -> dict[str, bytes] | None:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return {name: archive.read(name) for name in archive.namelist()}
    except Exception:  # whatever the damage does to the decoder
        return None


def _xxh64(data: bytes) -> int:
    """Hash a text of fewer than 32 bytes, as zstd does."""
    p1, p2, p3, p4, p5 = (
        0x9E3779B185EBCA87,
        0xC2B2AE3D27D4EB4F,
        0x165667B19E3779F9,
        0x85EBCA77C2B2AE63,
        0x27D4EB2F165667C5,
    )
    mask = (1 << 64) - 1

    def turn(value: int, bits: int) -> int:
        return (value << bits | value >> 64 - bits) & mask

    value = (p5 + len(data)) & mask
    while len(data) >= 8:
        word = turn(int.from_bytes(data[:8], "little") * p2 & mask, 31) * p1 & mask
        value = (turn(value ^ word, 27) * p1 + p4) & mask
        data = data[8:]
    if len(data) >= 4:
        value = (turn(value ^ int.from_bytes(data[:4], "little") * p1 & mask, 23) * p2 + p3) & mask
        data = data[4:]
    for byte in data:
        value = turn(value ^ byte * p5 & mask, 11) * p1 & mask
    value = (value ^ value >> 33) * p2 & mask
    value = (value ^ value >> 29) * p3 & mask
    return value ^ value >> 32


def zstd_frame(text: bytes) -> bytes:
    """Make a frame of one raw block with a checksum; 12 bytes come before the text."""
    head = struct.pack("<IBI", 0xFD2FB528, 0xA4, len(text)) + (len(text) << 3 | 1).to_bytes(3, "little")
    return head + text + (_xxh64(text) & 0xFFFFFFFF).to_bytes(4, "little")


def without_entry(data: bytes, name: str) -> bytes:
    """Take an entry out of the directory of a zip archive, but not out of the archive."""
    end = data.rindex(b"PK\x05\x06")
    count, size, start = struct.unpack("<HII", data[end + 10 : end + 20])
    entries, at = [], start
    for _ in range(count):
        lengths = struct.unpack("<HHH", data[at + 28 : at + 34])
        length = 46 + sum(lengths)
        entries.append((data[at + 46 : at + 46 + lengths[0]].decode(), data[at : at + length]))
        at += length
    kept = b"".join(entry for found, entry in entries if found != name)
    tail = struct.pack("<HHII", count - 1, count - 1, len(kept), start)
    assert size == at - start
    return data[:start] + kept + data[end : end + 8] + tail + data[end + 20 :]


def checksums(dice: Random, count: int) -> Iterator[Case]:
    """Yield files whose checksums do not fit, and archives whose directories do not: all must be refused."""
    flips = max(10, count // 10)
    text = TABLE + b"".join(b"q%d,%d.5,%d\n" % (n, n, n * n) for n in range(200))
    packed = gzip.compress(text, mtime=0)
    for at, data in _flips(dice, range(10, len(packed)), packed, flips):
        if not _same_gzip(data, text):
            yield Case(f"gzip flipped at {at}", {"t.csv.gz": data}, ["peek", "t.csv.gz"], refused=True)
            yield Case(
                f"gzip flipped at {at}, one feature",
                {"t.csv.gz": data},
                ["peek", "t.csv.gz", "--max-features", "1"],
                refused=True,
            )
    short = b"a,b\n1,2\n3,4\n5,6\n7,8\n"
    frame = zstd_frame(short)
    yield Case("zstd", {"t.csv.zst": frame}, ["peek", "t.csv.zst"], accepted=True)
    for at in range(len(short)):
        data = _with(frame, 12 + at, bytes([frame[12 + at] ^ 1]))
        yield Case(f"zstd flipped at {at}", {"t.csv.zst": data}, ["peek", "t.csv.zst"], refused=True)
    for seed in seeds():
        if seed.name.split()[0] not in ("npz", "xlsx"):
            continue
        whole = seed.files[seed.attacked]
        members = _members(whole) or {}
        for at, data in _flips(dice, range(len(whole)), whole, flips):
            # What stands in headers alone, such as a date, is no damage to what is read.
            damaged = _members(data)
            if damaged is None or damaged != members:
                yield Case(f"{seed.name} flipped at {at}", {seed.attacked: data}, ["peek", seed.attacked], refused=True)
        for name in members:
            yield Case(
                f"{seed.name} without {name} in its directory",
                {seed.attacked: without_entry(whole, name)},
                ["peek", seed.attacked],
                refused=True,
            )
            place = whole.rindex(name.encode())
            renamed = _with(whole, place, b"q")
            yield Case(
                f"{seed.name} with {name} renamed in its directory",
                {seed.attacked: renamed},
                ["peek", seed.attacked],
                refused=True,
            )
    values = np.arange(64.0)
    out = io.BytesIO()
    table = pa.table({"x": values, "y": values[::-1]})
    pq.write_table(
        table, out, compression="none", use_dictionary=False, write_page_checksum=True, write_statistics=False
    )
    whole = out.getvalue()
    yield Case("parquet", {"t.parquet": whole}, ["peek", "t.parquet"], accepted=True)
    start = whole.index(values.tobytes())
    for at, data in _flips(dice, range(start, start + 8 * len(values)), whole, flips):
        yield Case(f"parquet page flipped at {at}", {"t.parquet": data}, ["peek", "t.parquet"], refused=True)


def cut_short(dice: Random, count: int) -> Iterator[Case]:
    """Yield text that ends in the middle of a number: refused where that can be told, and told where not."""
    del dice, count
    rows = b"".join(b"%d,%d.25,%d.5\n" % (n, n, n) for n in range(50))
    behind = b"class,g1,g2\n" + rows[:-5]
    yield Case("CSV cut behind a comma", {"t.csv": behind}, ["peek", "t.csv"], says="has no line end")
    for missing in range(6, 9):
        data = b"class,g1,g2\n" + rows[:-missing]
        yield Case(f"CSV without its last {missing} bytes", {"t.csv": data}, ["peek", "t.csv"], refused=True)
    sparse = b"".join(b"%d 1:%d.25 7:%d.5\n" % (n % 2, n, n) for n in range(50))
    for missing in range(1, 4):
        files = {"t.svm": sparse[:-missing]}
        yield Case(f"svmlight without its last {missing} bytes", files, ["peek", "t.svm"], says="has no line end")
