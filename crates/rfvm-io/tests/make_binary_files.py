"""Makes the files the tests of the binary readers read: python make_binary_files.py FOLDER.

Each is written with the format's own tools (SciPy, h5py, AnnData, pandas with pyarrow, openpyxl); only PLINK's genotypes
are laid out by hand. What a reader must make of each lies beside it in NAME.expected, lines of words with tabs between:
the sizes, a line `features` and one `samples` with names (or `-`), a line for each feature with its values sample by
sample, and a line for each annotation.
"""

import sys
import warnings
from pathlib import Path

import anndata
import h5py
import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import scipy.io
import scipy.sparse

warnings.filterwarnings("ignore")
rng = np.random.default_rng(11)


def number(value):
    return "NaN" if np.isnan(value) else repr(float(value))


def expect(path, matrix, features=None, samples=None, annotations=None):
    """Says what a reader must make of a file; the matrix has the samples as rows."""
    matrix = np.asarray(matrix, dtype=float)
    lines = [("size", *map(str, matrix.shape))]
    lines.append(("features", *(features if features is not None else "-")))
    lines.append(("samples", *(samples if samples is not None else "-")))
    lines += [("values", *map(number, column)) for column in matrix.T]
    lines += [("annotation", name, *map(str, values)) for name, values in (annotations or {}).items()]
    text = "".join("\t".join(line) + "\n" for line in lines)
    Path(f"{path}.expected").write_text(text, encoding="utf-8")


def numpy_and_matlab(folder, matrix, genes, people, labels):
    signs = np.where(np.array(labels) == "tumour", 1, -1)
    codes = (signs + 1) // 2
    base = dict(X=matrix, y=codes, class_names=np.array(["normal", "tumour"]), feature_names=np.array(genes))
    more = dict(sample_names=np.array(people), groups=np.array(["f1", "f1", "f2", "f2", "f3"]), male=codes > 0)
    path = folder / "archive.npz"
    np.savez_compressed(path, **base, **more, note=np.array("hello"), weights=np.array([1, 2]))
    notes = {"y": codes, "groups": ["f1", "f1", "f2", "f2", "f3"], "male": [str(v).lower() for v in (codes > 0).tolist()]}
    expect(path, matrix, genes, people, notes | {"class": labels})
    path = folder / "turned.npz"
    np.savez(path, X=np.asfortranarray(matrix.T), y=signs)
    expect(path, matrix, None, None, {"y": signs})
    for name, array in {"c": matrix, "fortran": np.asfortranarray(matrix), "big": matrix.astype(">f4")}.items():
        path = folder / f"array_{name}.npy"
        np.save(path, array)
        expect(path, array)
    wide = rng.normal(size=(40, 700))
    path = folder / "wide.npy"
    np.save(path, wide)
    expect(path, wide)

    column = signs.reshape(-1, 1).astype(float)
    for compressed in (False, True):
        path = folder / f"matrix_{compressed}.mat"
        content = dict(X=matrix, Y=column, genes=np.array(genes), group=np.array(labels))
        scipy.io.savemat(path, content, do_compression=compressed)
        expect(path, matrix, genes, None, {"Y": signs, "group": labels})
        path = folder / f"large_{compressed}.mat"
        scipy.io.savemat(path, dict(data=wide.astype("f4"), Y=np.arange(40.0)), do_compression=compressed)
        expect(path, wide.astype("f4"), None, None, {"Y": range(40)})


def matlab73(folder, matrix, genes, labels):
    def variable(file, name, array, kind, **options):
        data = file.create_dataset(name, data=np.ascontiguousarray(np.asarray(array).T), **options)
        data.attrs["MATLAB_class"] = np.bytes_(kind)
        return data

    def letters(texts):
        width = max(map(len, texts))
        return np.array([[ord(c) for c in text.ljust(width)] for text in texts], dtype="u2")

    signs = np.where(np.array(labels) == "tumour", 1.0, -1.0)
    for name, options in {"plain": {}, "packed": dict(chunks=(3, 2), compression="gzip", shuffle=True)}.items():
        path = folder / f"v73_{name}.mat"
        with h5py.File(path, "w", userblock_size=512) as file:
            variable(file, "X", matrix, "double", **options)
            variable(file, "Y", signs.reshape(-1, 1), "double")
            variable(file, "good", (signs > 0).reshape(1, -1).astype("u1"), "logical").attrs["MATLAB_int_decode"] = 1
            variable(file, "labels", letters(labels), "char")
            variable(file, "cube", np.zeros((2, 3, 4)), "double")
            file.create_group("options").attrs["MATLAB_class"] = np.bytes_("struct")
            cells = file.create_group("#refs#")
            refs = np.empty((1, len(genes)), dtype=h5py.ref_dtype)
            for place, gene in enumerate(genes):
                refs[0, place] = variable(cells, f"c{place}", letters([gene]), "char").ref
            cell = file.create_dataset("genes", data=refs, dtype=h5py.ref_dtype)
            cell.attrs["MATLAB_class"] = np.bytes_("cell")
        header = b"MATLAB 7.3 MAT-file, by h5py".ljust(124) + b"\x00\x02IM"
        with open(path, "r+b") as file:
            file.write(header)
        notes = {"Y": signs.astype(int), "good": (signs > 0).astype(int), "labels": labels}
        expect(path, matrix, genes, None, notes)
    sparse = scipy.sparse.csc_matrix(np.where(matrix > 0, matrix, 0))
    path = folder / "v73_sparse.mat"
    with h5py.File(path, "w") as file:
        group = file.create_group("X")
        group.attrs["MATLAB_class"] = np.bytes_("double")
        group.attrs["MATLAB_sparse"] = np.uint64(matrix.shape[0])
        group["data"], group["ir"], group["jc"] = sparse.data, sparse.indices.astype("u8"), sparse.indptr.astype("u8")
    expect(path, sparse.toarray())


def single_cell(folder, genes):
    counts = rng.poisson(0.7, size=(30, len(genes))).astype("f4")
    obs = pd.DataFrame(
        {
            "kind": pd.Categorical(["T cell", "B cell", None] * 10),
            "n": np.arange(30),
            "share": np.linspace(0, 1, 30).astype("f4"),
            "good": [True, False, True] * 10,
            "site": [f"site {i % 4}" for i in range(30)],
            "count": pd.array([None, *range(29)], dtype="Int64"),
        },
        index=[f"cell{i}" for i in range(30)],
    )
    shares = [np.format_float_positional(value, trim="-") for value in obs["share"].to_numpy()]
    notes = {
        "kind": ["T cell", "B cell", ""] * 10,
        "n": range(30),
        "share": shares,
        "good": ["true", "false", "true"] * 10,
        "site": obs["site"],
        "count": ["", *range(29)],
    }
    var = pd.DataFrame({"length": range(len(genes))}, index=genes)
    kinds = {
        "dense": counts,
        "csr": scipy.sparse.csr_matrix(counts),
        "csc": scipy.sparse.csc_matrix(counts),
        "int": counts.astype("i4"),
    }
    for name, x in kinds.items():
        for packing in (None, "gzip"):
            data = anndata.AnnData(x, obs=obs, var=var, layers={"double": x * 2})
            path = folder / f"{name}_{packing}.h5ad"
            data.write_h5ad(path, compression=packing)
            expect(path, counts, genes, obs.index, notes)
    path = folder / "old.h5ad"
    with h5py.File(path, "w") as file:
        group = file.create_group("X")
        sparse = scipy.sparse.csr_matrix(counts)
        group.attrs["h5sparse_format"], group.attrs["h5sparse_shape"] = "csr", counts.shape
        group["data"], group["indices"], group["indptr"] = sparse.data, sparse.indices, sparse.indptr
        table = file.create_group("obs")
        table.attrs["_index"], table.attrs["column-order"] = "index", ["kind", "n"]
        table["index"] = np.array(obs.index, dtype=object)
        table["n"] = np.arange(30)
        table["kind"] = np.array([1, 0, -1] * 10, dtype="i1")
        categories = table.create_group("__categories")
        categories["kind"] = np.array(["B cell", "T cell"], dtype=object)
        table["kind"].attrs["categories"] = categories["kind"].ref
        table = file.create_group("var")
        table.attrs["_index"] = "genes"
        table["genes"] = np.array([gene.encode() for gene in genes])
    expect(path, counts, genes, obs.index, {"kind": notes["kind"], "n": range(30)})


def tables(folder, matrix, genes, people, labels):
    frame = pd.DataFrame(matrix, columns=genes)
    frame[genes[0]] = frame[genes[0]].astype("f4")
    frame[genes[1]] = np.array([1, -2, 3, -4, 5], dtype="i2")
    frame[genes[2]] = np.array([1, 2, 3, 4, 2**63 + 2**12], dtype="u8")
    frame.insert(2, "class", labels)
    frame.insert(0, "kind", pd.Categorical(["a", "b", None, "a", "b"]))
    frame["good"] = [True, False, True, True, None]
    frame["cluster"] = pd.Categorical([3, 1, 3, 1, 2])
    frame.loc[2, genes[3]] = np.nan
    frame["when"] = pd.Timestamp("2024-01-01")
    notes = {"kind": ["a", "b", "", "a", "b"], "class": labels, "good": ["true", "false", "true", "true", ""]}
    notes["cluster"] = [3, 1, 3, 1, 2]
    values = frame[genes].to_numpy(dtype=float)
    for packing in ("none", "snappy", "zstd", "gzip", "lz4"):
        path = folder / f"table_{packing}.parquet"
        frame.set_axis(people).to_parquet(path, compression=packing, row_group_size=2)
        expect(path, values, genes, people, notes)
    path = folder / "version2.parquet"
    pq.write_table(pa.Table.from_pandas(frame), path, data_page_version="2.0", use_dictionary=False, version="2.6")
    expect(path, values, genes, None, notes)
    for packing in ("uncompressed", "zstd", "lz4"):
        path = folder / f"table_{packing}.feather"
        frame.to_feather(path, compression=packing, chunksize=2)
        expect(path, values, genes, None, notes)
    views = pa.table({"id": pa.array(people, pa.string_view()), "x": pa.array([1, None, 2.5, 3, 4], pa.float16())})
    long = pa.array(["a text of more than twelve letters", None, "b", "c", ""], pa.string_view())
    path = folder / "views.feather"
    views = views.append_column("long", long).append_column("large", pa.array(labels, pa.large_string()))
    views = views.append_column("list", pa.array([[1], [2, 3], [], None, [4]])).append_column("z", pa.array(range(5), pa.uint8()))
    pyarrow.feather.write_feather(views, path)
    x = np.array([[1, np.nan, 2.5, 3, 4], range(5)]).T
    expect(path, x, ["x", "z"], people, {"long": ["a text of more than twelve letters", "", "b", "c", ""], "large": labels})
    turned = pd.DataFrame(rng.normal(size=(50, 4)), columns=list("abcd"))
    turned.insert(0, "gene", [f"g{i}" for i in range(50)])
    for name, write in {"turned.parquet": turned.to_parquet, "turned.feather": turned.to_feather}.items():
        write(folder / name)
        expect(folder / name, turned[list("abcd")].to_numpy().T, list(turned["gene"]), list("abcd"))
    wide = rng.normal(size=(6, 5000))
    names = [f"f{i}" for i in range(5000)]
    pd.DataFrame(wide, columns=names).to_parquet(folder / "wide.parquet")
    expect(folder / "wide.parquet", wide, names)
    pd.DataFrame(wide, columns=names).to_feather(folder / "wide.feather")
    expect(folder / "wide.feather", wide, names)


def workbooks(folder, matrix, genes, people, labels):
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["id", *genes, "class", "good", "empty"])
    for row, (person, label) in enumerate(zip(people, labels)):
        sheet.append([person, *matrix[row].tolist(), label, label == "tumour"])
    sheet["B3"] = "#N/A"
    sheet["B3"].data_type = "e"
    sheet["C4"] = "NA"
    sheet["D5"] = " 2.5 "
    values = matrix.copy()
    values[1, 0] = values[2, 1] = np.nan
    values[3, 2] = 2.5
    other = book.create_sheet("second")
    other.append(["Table S1"])
    other.append([])
    other.append(["", "p1", "p2", "p3"])
    for row in range(8):
        other.append(["2-Sep" if row == 3 else f"G{row}", row, row + 0.5, -row])
    book.save(folder / "book.xlsx")
    truth = [str(label == "tumour").lower() for label in labels]
    expect(folder / "book.xlsx", values, genes, people, {"class": labels, "good": truth})
    turned = np.array([[row, row + 0.5, -row] for row in range(8)]).T
    names = ["2-Sep" if row == 3 else f"G{row}" for row in range(8)]
    expect(folder / "book.xlsx.second", turned, names, ["p1", "p2", "p3"])


def genotypes(folder):
    individuals, snps = 7, 11
    counts = rng.integers(0, 4, size=(snps, individuals))
    bits = {0: 3, 1: 2, 2: 0, 3: 1}
    out = bytearray(b"\x6c\x1b\x01")
    for row in counts:
        for start in range(0, individuals, 4):
            four = row[start : start + 4]
            out.append(sum(bits[int(c)] << (2 * place) for place, c in enumerate(four)))
    (folder / "people.bed").write_bytes(out)
    names = [f"rs{i}" if i else "3:1000" for i in range(snps)]
    lines = [f"3\t{name if i else '.'}\t0\t{1000 + i}\tA\tG\n" for i, name in enumerate(names)]
    (folder / "people.bim").write_text("".join(lines))
    phenotypes = ["1", "2", "-9", "0", "2", "1", "2.5"]
    sexes = ["1", "2", "0", "1", "2", "1", "2"]
    lines = [f"fam{i // 2} {i % 2} 0 0 {sexes[i]} {phenotypes[i]}\n" for i in range(individuals)]
    (folder / "people.fam").write_text("".join(lines))
    values = np.where(counts.T == 3, np.nan, counts.T.astype(float))
    sex = [{"1": "male", "2": "female"}.get(s, "") for s in sexes]
    phenotype = ["" if p in ("-9", "0") else p for p in phenotypes]
    people = [f"fam{i // 2}_{i % 2}" for i in range(individuals)]
    expect(folder / "people.bed", values, names, people, {"sex": sex, "phenotype": phenotype})


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    matrix = rng.normal(size=(5, 7))
    matrix[0, 0], matrix[1, 2] = 1e300, -0.0
    genes = [f"gene{i}" for i in range(6)] + ["größe"]
    people = [f"p{i}" for i in range(5)]
    labels = ["tumour", "normal", "tumour", "tumour", "normal"]
    numpy_and_matlab(folder, matrix, [*genes[:6], "grosse"], people, labels)
    matlab73(folder, matrix, genes, labels)
    single_cell(folder, genes)
    tables(folder, matrix, genes, people, labels)
    workbooks(folder, np.round(matrix, 6), genes, people, labels)
    genotypes(folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
