"""Makes the files the tests of the readers read: python make_files.py FOLDER.

Beside them it writes expected.tsv, a line for each array of numbers: file, array, rows, columns, and the values column
by column as SciPy and NumPy themselves read them back. What SciPy cannot write (big-endian files, numbers stored in
smaller types than their class) is written here byte by byte, and read back with SciPy all the same.
"""

import struct
import sys
import zlib
from pathlib import Path

import numpy as np
import scipy.io
import scipy.sparse

CODES = {"i1": 1, "u1": 2, "i2": 3, "u2": 4, "i4": 5, "u4": 6, "f4": 7, "f8": 9, "i8": 12, "u8": 13}
CLASS_DOUBLE = 6


def element(order, code, data):
    """A tagged element, in the short form where it fits."""
    if 0 < len(data) <= 4:
        return struct.pack(order + "I", len(data) << 16 | code) + data.ljust(4, b"\0")
    return struct.pack(order + "II", code, len(data)) + data + b"\0" * (-len(data) % 8)


def own_mat(path, order, compressed, arrays):
    """Writes arrays of class double, each stored as the type it comes in."""
    mark = b"IM" if order == "<" else b"MI"
    out = b"MATLAB 5.0 MAT-file, by hand".ljust(124) + struct.pack(order + "H", 0x0100) + mark
    for name, array in arrays.items():
        content = element(order, 6, struct.pack(order + "II", CLASS_DOUBLE, 0))
        content += element(order, 5, struct.pack(order + "ii", *array.shape))
        content += element(order, 1, name.encode())
        stored = array.astype(array.dtype.newbyteorder(order)).tobytes(order="F")
        content += element(order, CODES[array.dtype.str[1:]], stored)
        variable = struct.pack(order + "II", 14, len(content)) + content
        if compressed:
            packed = zlib.compress(variable)
            variable = struct.pack(order + "II", 15, len(packed)) + packed
        out += variable
    path.write_bytes(out)


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(7)
    matrix = rng.normal(size=(5, 7))
    whole = rng.integers(-100, 100, size=(6, 4))
    types = {name: (abs(whole) if name[0] == "u" else whole).astype(name) for name in CODES}
    wide = {name: array * (50 if name != "i1" and name != "u1" else 1) for name, array in types.items()}

    plain = dict(wide, X=matrix, Y=np.array([[1.0], [-1.0], [1.0], [1.0], [-1.0]]))
    plain["special"] = np.array([[np.nan, np.inf, -np.inf, -0.0]])
    plain["empty"] = np.zeros((0, 3))
    plain["one"] = np.array([[3]], dtype="u1")
    scipy.io.savemat(folder / "plain.mat", plain, do_compression=False)
    scipy.io.savemat(folder / "compressed.mat", plain, do_compression=True)

    big = rng.integers(-2, 3, size=(300, 2000)).astype("i1")
    scipy.io.savemat(folder / "big_int8.mat", {"X": big}, do_compression=True)
    sparse = scipy.sparse.random(40, 30, density=0.1, random_state=3, format="csc")
    mixed = {
        "truth": whole > 0,
        "text": "grüße",
        "lines": np.array(["ab", "cde"]),
        "cell": np.array([1, "two", matrix], dtype=object),
        "struct": {"a": 1.0, "b": "x"},
        "cube": np.zeros((2, 3, 4)),
        "complex": matrix + 1j,
        "sparse": sparse,
        "sparse_truth": sparse > 0.5,
        "last": np.arange(3.0).reshape(1, 3),
    }
    scipy.io.savemat(folder / "mixed.mat", mixed, do_compression=False)
    scipy.io.savemat(folder / "mixed_compressed.mat", mixed, do_compression=True)
    own_mat(folder / "big_endian.mat", ">", False, dict(wide, X=matrix))
    own_mat(folder / "big_endian_compressed.mat", ">", True, dict(wide, X=matrix))
    own_mat(folder / "small_storage.mat", "<", False, dict(wide, one=np.array([[7]], dtype="i1")))
    own_mat(folder / "small_storage_compressed.mat", "<", True, {"X": big, "Y": np.ones((300, 1), dtype="u1")})

    scipy.io.savemat(folder / "version4.mat", {"X": matrix}, format="4")
    version73 = b"MATLAB 7.3 MAT-file, by hand".ljust(124) + struct.pack("<H", 0x0200) + b"IM"
    (folder / "version73.mat").write_bytes(version73.ljust(512, b"\0") + b"\x89HDF\r\n\x1a\n" + b"\0" * 64)

    arrays = {name: array for name, array in wide.items()}
    arrays |= {"big_" + name: array.astype(">" + name) for name, array in wide.items()}
    arrays |= {"fortran_" + name: np.asfortranarray(array) for name, array in wide.items()}
    arrays |= {"X": matrix, "truth": whole > 0, "none": np.zeros((0, 4)), "special": plain["special"]}
    vectors = {"y": np.array([0, 1, 1, 0]), "weights": np.array([0.5, -2.0, np.nan]), "flags": np.array([True, False])}
    others = {
        "scalar": np.array(2.5),
        "names": np.array(["a", "grüße", "", "x y"]),
        "big_names": np.array(["b", "grüße"]).astype(">U5"),
        "bytes": np.array([b"one", b"three"]),
        "note": np.array("a single text"),
        "objects": np.array(["a", None], dtype=object),
        "record": np.zeros(2, dtype=[("a", "<i4"), ("b", "<f8")]),
        "half": np.zeros((2, 2), dtype="f2"),
        "cube": np.zeros((2, 3, 4)),
    }
    np.savez(folder / "plain.npz", **arrays, **vectors, **others)
    np.savez_compressed(folder / "compressed.npz", **arrays, **vectors, **others)

    with open(folder / "expected.tsv", "w", encoding="utf-8") as out:

        def expect(file, name, array):
            values = " ".join(repr(value) for value in array.astype(float).ravel("F").tolist())
            print(file, name, *array.shape, values, sep="\t", file=out)

        for path in sorted(folder.glob("*.mat")):
            if path.name.startswith("version"):
                continue
            for name, array in scipy.io.loadmat(path).items():
                if scipy.sparse.issparse(array):
                    array = array.toarray()
                if isinstance(array, np.ndarray) and array.dtype.kind in "fiub" and array.ndim == 2:
                    expect(path.name, name, array)
        for path in sorted(folder.glob("*.npz")):
            with np.load(path) as archive:
                for name in arrays:
                    expect(path.name, name, archive[name])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
