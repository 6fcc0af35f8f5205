"""Makes the text files that tests/suite/text_files.rs reads: python make_text_files.py FOLDER.

Written by pandas, in the ways its users write tables. Beside them goes expected.tsv, a line for each file: file, the
orientation to be found ("samples" or "features" as rows), target or nothing, samples, features, the values feature by
feature as pandas itself reads them back (with its exact parser), and the names of the features and of the samples.
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(5)
    genes = [f"gene {i}, \"{i % 3}\"" if i % 5 == 0 else f"G{i}" for i in range(40)]
    people = [f"P{i:02d}" for i in range(12)]
    numbers = rng.normal(size=(12, 40)) * 10.0 ** rng.integers(-12, 12, size=(12, 40))
    numbers[rng.random(size=numbers.shape) < 0.1] = np.nan
    samples = pd.DataFrame(numbers, index=people, columns=genes)
    features = samples.T
    outcome = pd.Series(rng.integers(0, 2, size=12), index=people, name="outcome")
    labelled = pd.concat([outcome, samples], axis=1)
    lines = []

    def write(name, frame, way, target="", **options):
        path = folder / name
        frame.to_csv(path, **options)
        reading = {"sep": options.get("sep", ","), "decimal": options.get("decimal", "."), "index_col": 0}
        reading |= {"float_precision": "round_trip", "compression": options.get("compression", "infer")}
        if "na_rep" in options:
            reading["na_values"] = [options["na_rep"]]
        back = pd.read_csv(path, **reading)
        if target:
            back = back.drop(columns=target)
        if way == "features":
            back = back.T
        values = " ".join(repr(value) for value in back.to_numpy(dtype=float).ravel("F").tolist())
        names = ["\x1f".join(map(str, axis)) for axis in (back.columns, back.index)]
        lines.append("\t".join([name, way, target, *map(str, back.shape), values, *names]))

    write("samples.csv", samples, "samples")
    write("features.csv", features, "features")
    write("samples.tsv", samples, "samples", sep="\t", na_rep="NA", lineterminator="\r\n")
    write("features.tsv", features, "features", sep="\t", na_rep="null", index_label="gene")
    write("semicolon.csv", samples, "samples", sep=";", decimal=",")
    write("features_semicolon.csv", features, "features", sep=";", decimal=",", na_rep="#N/A")
    write("quoted.csv", samples, "samples", quoting=1, na_rep="NaN")
    write("bom.csv", features, "features", encoding="utf-8-sig")
    write("packed.csv.gz", samples, "samples")
    write("packed_without_saying.tsv", features, "features", sep="\t", compression="gzip")
    write("labelled.csv", labelled, "samples", target="outcome")
    write("labelled.csv.gz", labelled, "samples", target="outcome", float_format="%.6f")
    write("own_missing.csv", samples, "samples", na_rep="not done")
    wide = pd.DataFrame(rng.normal(size=(5, 30_000)).round(6))
    write("wide.csv", wide, "samples")
    tall = wide.T.add_prefix("s").rename(index=lambda i: f"g{i}")
    write("tall.tsv.gz", tall, "features", sep="\t")

    (folder / "expected.tsv").write_text("".join(line + "\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
