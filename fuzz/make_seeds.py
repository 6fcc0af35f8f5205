"""Makes the inputs that the fuzz targets start from: python make_seeds.py FOLDER (a folder in it for each target).

Written with the formats' own tools and as small as these make them; model.json beside them, where it is there, is the
seed of the target `model`.
"""

import gzip
import struct
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
MATRIX = np.array([[1, 0, 2.5], [0, -3, np.nan], [4, 5, 1e300], [0.5, 0, 7]])
GENES = ["g1", "g2", "g3"]
PEOPLE = ["p1", "p2", "p3", "p4"]
CLASSES = ["a", "b", "a", "b"]
SIGNS = np.array([1.0, -1.0, 1.0, -1.0])
FRAME = pd.DataFrame(MATRIX, columns=GENES, index=pd.Index(PEOPLE, name="id")).assign(**{"class": CLASSES})


class Seeds:
    """The folder of a target."""

    def __init__(self, root, target):
        self.folder = root / target
        self.folder.mkdir(parents=True, exist_ok=True)
        self.count = 0

    def path(self):
        self.count += 1
        return self.folder / f"seed{self.count}"

    def add(self, content):
        self.path().write_bytes(content if isinstance(content, bytes) else content.encode())


def text_tables(root):
    numbers = FRAME.drop(columns="class")
    texts = [FRAME.to_csv(), numbers.T.to_csv(sep="\t"), FRAME.to_csv(sep=";", decimal=",", na_rep="NA")]
    texts += [FRAME.to_csv(quoting=1, lineterminator="\r\n"), "# by hand\n" + numbers.to_csv(index=False, header=False)]
    texts += ["a b  c\n1 2 3\n4 -1e-5 nan\n", 'name,x\n"two\nlines",1\n"a ""b""",2\n']
    try:
        import zstandard

        texts.append(zstandard.compress(texts[0].encode()))
    except ImportError:
        texts.append(pa.compress(texts[0].encode(), codec="zstd", asbytes=True))
    texts += [gzip.compress(texts[1].encode(), mtime=0)]
    values = "".join(f"{g}\tof {g}\t" + "\t".join(map(str, MATRIX[:, d])) + "\n" for d, g in enumerate(GENES))
    names = "\t".join(PEOPLE)
    gct = [f"#1.2\n3\t4\nName\tDescription\t{names}\n{values}"]
    gct += [f"#1.3\n3\t4\t1\t1\nid\tDescription\t{names}\nclass\tna\t" + "\t".join(CLASSES) + f"\n{values}"]
    gct += [gzip.compress(gct[0].encode(), mtime=0)]
    quoted = "\t".join(f'"{p}"' for p in PEOPLE)
    geo = f'!Series_title\t"x"\n!Sample_geo_accession\t{quoted}\n!Sample_characteristics_ch1\t'
    geo += "\t".join(f'"class: {c}"' for c in CLASSES) + f'\n!series_matrix_table_begin\n"ID_REF"\t{quoted}\n'
    geo += "".join(f'"{g}"\t' + "\t".join(map(str, MATRIX[:, d])) + "\n" for d, g in enumerate(GENES))
    geo += "!series_matrix_table_end\n"
    svmlight = ["+1 1:0.5 3:2 # note\n-1 qid:1 2:1\n", "0 0:1 2:3\n2 1:1e-3\n"]
    dorothea = ["3 9 100 \n1 2 \n", "1 5\n2\n"]
    cls = ["4 2 1\n# a b\n0 1 0 1\n", "4 2 1\r\n# a b\r\na b a b\r\n", "#numeric\n#g1\n1 2 3 4\n"]
    for target, contents in {"delimited": texts, "gct": gct, "geo": [geo], "svmlight": svmlight, "cls": cls}.items():
        seeds = Seeds(root, target)
        for content in contents:
            seeds.add(content)
    seeds = Seeds(root, "dorothea")
    for content in dorothea:
        seeds.add(content + "\0" + "1\n-1\n")
    seeds = Seeds(root, "any")
    for content in [*texts, *gct, geo, *svmlight, *dorothea, *cls]:
        seeds.add(content)
    seeds = Seeds(root, "labels")
    named = "id,class,site\n" + "".join(f"{p},{c},{p[1]}\n" for p, c in zip(PEOPLE, CLASSES))
    for content in [FRAME.assign(site=list("xxyy")).to_csv(), numbers.to_csv() + "\0" + named, numbers.T.to_csv() + "\0" + named]:
        seeds.add(content)
    for labels in ["1\n-1\n1\n-1\n", cls[0]]:
        seeds.add(numbers.to_csv() + "\0" + labels)


def numpy_and_matlab(root):
    seeds = Seeds(root, "npy")
    for array in [MATRIX, np.asfortranarray(MATRIX), MATRIX.astype(">f4"), np.arange(6, dtype="i2").reshape(2, 3), MATRIX > 0]:
        np.save(path := seeds.path(), array)
        Path(f"{path}.npy").rename(path)
    seeds = Seeds(root, "npz")
    content = dict(X=MATRIX, y=np.array([0, 1, 0, 1]), class_names=np.array(["a", "b"]), genes=np.array(GENES))
    content["samples"] = np.array(PEOPLE, dtype="S")
    for write in (np.savez, np.savez_compressed):
        with open(seeds.path(), "wb") as file:
            write(file, **content)
    with open(seeds.path(), "wb") as file:
        np.savez_compressed(file, X=MATRIX.T.astype("f4"), y=SIGNS)
    seeds = Seeds(root, "mat")
    sparse = scipy.sparse.csc_matrix(np.nan_to_num(MATRIX))
    others = dict(X=sparse, good=MATRIX[:, :1] > 0, cell=np.array(["x", 1.0], dtype=object), s={"a": 1.0}, i=np.ones((4, 2), "i2"))
    for variables in [dict(X=MATRIX, Y=SIGNS.reshape(-1, 1), genes=np.array(GENES)), others, dict(X=MATRIX.astype("f4"))]:
        for packed in (False, True):
            with open(seeds.path(), "wb") as file:
                scipy.io.savemat(file, variables, do_compression=packed)
    big = b"MATLAB 5.0 MAT-file".ljust(124) + struct.pack(">H", 0x100) + b"MI" + struct.pack(">II", 14, 64)
    big += struct.pack(">IIII", 6, 8, 6, 0) + struct.pack(">IIii", 5, 8, 1, 2) + struct.pack(">I", 1 << 16 | 1) + b"X\0\0\0"
    seeds.add(big + struct.pack(">IIdd", 9, 16, 1.0, 2.0))


def hdf5(root):
    seeds = Seeds(root, "mat73")
    for libver, options in [("v110", {}), ("earliest", dict(chunks=(2, 2), compression="gzip", shuffle=True))]:
        with h5py.File(path := seeds.path(), "w", libver=(libver, "v110"), userblock_size=512) as file:
            file.create_dataset("X", data=MATRIX.T, **options).attrs["MATLAB_class"] = np.bytes_("double")
            file.create_dataset("Y", data=SIGNS.reshape(1, -1)).attrs["MATLAB_class"] = np.bytes_("double")
            letters = np.array([[ord(c) for c in gene] for gene in GENES], dtype="u2").T
            file.create_dataset("genes", data=letters).attrs["MATLAB_class"] = np.bytes_("char")
        with open(path, "r+b") as file:
            file.write(b"MATLAB 7.3 MAT-file, by h5py".ljust(124) + b"\x00\x02IM")
    with h5py.File(seeds.path(), "w", libver="v110") as file:
        cells = file.create_group("#refs#")
        refs = np.empty((1, 3), dtype=h5py.ref_dtype)
        for place, gene in enumerate(GENES):
            cell = cells.create_dataset(f"c{place}", data=np.array([[ord(c)] for c in gene], dtype="u2"))
            cell.attrs["MATLAB_class"] = np.bytes_("char")
            refs[0, place] = cell.ref
        file.create_dataset("genes", data=refs, dtype=h5py.ref_dtype).attrs["MATLAB_class"] = np.bytes_("cell")
        sparse = scipy.sparse.csc_matrix(np.nan_to_num(MATRIX))
        group = file.create_group("X")
        group.attrs["MATLAB_class"], group.attrs["MATLAB_sparse"] = np.bytes_("double"), np.uint64(4)
        group["data"], group["ir"], group["jc"] = sparse.data, sparse.indices.astype("u8"), sparse.indptr.astype("u8")

    seeds = Seeds(root, "h5ad")
    for libver, options in [("v110", dict(chunks=(2, 3), compression="gzip")), ("earliest", {}), ("earliest", dict(chunks=(1, 2))), ("v110", dict(maxshape=(None, None), chunks=(2, 3)))]:
        with h5py.File(seeds.path(), "w", libver=(libver, "v110")) as file:
            file.create_dataset("X", data=MATRIX, **options)
            obs = file.create_group("obs")
            obs.attrs["_index"], obs.attrs["column-order"] = np.bytes_("_index"), np.array(["kind", "n"], dtype="S")
            obs["_index"], obs["n"] = np.array(PEOPLE, dtype="S"), np.array([7, 8, 9, 10])
            obs["kind/codes"], obs["kind/categories"] = np.array([1, 0, 1, -1], dtype="i1"), np.array(["a", "b"], dtype="S")
            var = file.create_group("var")
            var.attrs["_index"] = np.bytes_("_index")
            var["_index"] = np.array(GENES, dtype="S")
    with h5py.File(seeds.path(), "w", libver="v110") as file:
        group = file.create_group("X")
        sparse = scipy.sparse.csr_matrix(np.nan_to_num(MATRIX))
        group.attrs["h5sparse_format"], group.attrs["h5sparse_shape"] = "csr", MATRIX.shape
        group["data"], group["indices"], group["indptr"] = sparse.data, sparse.indices, sparse.indptr
        table = file.create_group("obs")
        table.attrs["_index"], table.attrs["column-order"] = "index", ["n"]
        table["index"], table["n"] = np.array(PEOPLE, dtype=object), np.arange(4)
    whole = anndata.AnnData(scipy.sparse.csc_matrix(np.nan_to_num(MATRIX)), obs=FRAME[["class"]].astype("category"))
    whole.write_h5ad(seeds.path())


def columns(root):
    small = pa.table({"id": PEOPLE, "g1": MATRIX[:, 0], "g2": pa.array([1, None, 3, 4], pa.int16()), "class": CLASSES})
    seeds = Seeds(root, "parquet")
    for packing in ("none", "snappy", "zstd", "gzip", "lz4"):
        pq.write_table(small, seeds.path(), compression=packing, row_group_size=3, write_statistics=False)
    pq.write_table(small, seeds.path(), data_page_version="2.0", use_dictionary=False, version="2.6")
    kinds = {"t": [True, None, False], "h": pa.array([0.5, 1, 2], pa.float16()), "f": pa.array([1, 2, 3], pa.float32())}
    kinds |= {"d": pd.to_datetime(["2024"] * 3), "l": [[1], [], None], "u": pa.array([1, 2, 3], pa.uint64())}
    pq.write_table(pa.table(kinds), seeds.path())
    FRAME.to_parquet(seeds.path())
    seeds = Seeds(root, "feather")
    kinds |= {"v": pa.array(["a", None, "longer than twelve bytes"], pa.string_view()), "c": pa.array(["a", "b", "a"]).dictionary_encode()}
    for table in (small, pa.table(kinds)):
        for packing in ("uncompressed", "zstd", "lz4"):
            pyarrow.feather.write_feather(table, seeds.path(), compression=packing, chunksize=2)
    FRAME.assign(**{"class": FRAME["class"].astype("category")}).reset_index().to_feather(path := root / "frame")
    seeds.add(path.read_bytes())
    path.unlink()


def workbooks(root):
    import io
    import zipfile

    seeds = Seeds(root, "xlsx")
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["id", *GENES, "class", "good"])
    for person, row, label in zip(PEOPLE, MATRIX, CLASSES):
        sheet.append([person, *(None if np.isnan(value) else value for value in row), label, label == "a"])
    book.create_sheet("second").append(["Table S1"])
    book.save(packed := io.BytesIO())
    seeds.add(packed.getvalue())
    # Not compressed and without what is not needed, so that damage reaches the cells.
    needed = ("[Content_Types].xml", "_rels/.rels", "xl/workbook.xml", "xl/_rels/", "xl/worksheets/", "xl/sharedStrings.xml", "xl/styles.xml")
    with zipfile.ZipFile(packed) as source, zipfile.ZipFile(seeds.path(), "w") as out:
        for name in source.namelist():
            if name.startswith(needed):
                out.writestr(zipfile.ZipInfo(name), source.read(name))


def genotypes(root):
    bim = "".join(f"3\t{name}\t0\t{i}\tA\tG\n" for i, name in enumerate(["rs1", ".", "rs3"])).encode()
    fam = "".join(f"f{p} {p} 0 0 {i % 3} {i - 1}\n" for i, p in enumerate([*PEOPLE, "p5"])).encode()
    Seeds(root, "plink").add(struct.pack("<HH", len(bim), len(fam)) + bim + fam + b"\x6c\x1b\x01\xe4\x02\x1b\x00\x27\x01")


def model(root):
    path = root / "model.json"
    if path.is_file():
        text = path.read_text()
        seeds = Seeds(root, "model")
        seeds.add(text)
        seeds.add(text[text.index('"model":') + len('"model":') : -1])


if __name__ == "__main__":
    root = Path(sys.argv[1])
    for make in (text_tables, numpy_and_matlab, hdf5, columns, workbooks, genotypes, model):
        make(root)
