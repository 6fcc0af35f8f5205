"""The page is what the result files give, and a small run of everything gives what it should."""

from __future__ import annotations

import csv
import subprocess
import sys

import findings
import numpy as np
import pytest
import run
import tables
from catalogue import CHEAP, DEAR, EXTRA_SETS, NOT_AVAILABLE, PAPER_SETS, PAPER_TABLE
from native import HERE
from scipy.io import savemat
from sets import SHARED
from summary import read_cells

csv.field_size_limit(10**7)


def test_the_page_and_the_tables_are_what_the_result_files_give():
    for path, text in tables.build(tables.RESULTS).items():
        assert path.read_text() == text, f"{path}: run python studies/paper/tables.py"


def test_every_figure_of_the_page_is_there():
    for part in tables.PAGE.read_text().split("](")[1:]:
        target = part[: part.index(")")]
        if not target.startswith("http"):
            assert (tables.PAGE.parent / target).is_file(), target


@pytest.mark.parametrize("page", [tables.PAGE, tables.FRONT_PAGE])
def test_every_place_of_a_page_is_filled(page):
    assert "<!--" not in page.read_text()


def test_result_files_hold_a_cell_once_and_only_numbers_in_range():
    seen = set()
    with (tables.RESULTS / "cells.csv").open() as file:
        for row in csv.DictReader(file):
            key = (row["set"], row["model"], row["repeat"], row["fold"])
            assert key not in seen
            seen.add(key)
            assert row["model"] in (*CHEAP, *DEAR)
            assert row["set"] in (*PAPER_SETS, *NOT_AVAILABLE, *EXTRA_SETS)
            assert 0.0 <= float(row["accuracy"]) <= 1.0
            assert 0.0 <= float(row["auc"]) <= 1.0
            assert 0 <= int(row["features"]) <= int(row["all_features"])
            assert 0 <= int(row["vectors"]) <= int(row["train_rows"])


def test_what_is_cheap_and_central_runs_first():
    order = run.plan([*PAPER_SETS, *EXTRA_SETS], [*CHEAP, *DEAR])
    assert len(order) == len(set(order))
    place = {key: i for i, key in enumerate(order)}
    assert place["RFVM one", "colon", 0] < place["RF", "colon", 0] < place["RF", "dorothea", 0]
    assert place["RFVM one", "colon", 0] < place["RFVM one", "colon", 9]
    assert ("RF", "colon", 1) not in place


def test_golubs_list_is_what_his_rule_gives():
    """(mean - mean) / (sd + sd) on the first 38 patients, values cut at 20 and 16000, genes that vary."""
    if not (SHARED / "data").is_dir():
        pytest.skip("the data sets are not there (../shared/data)")
    with (SHARED / "data" / "golub" / "golub.gct").open() as file:
        head, *lines = [line.rstrip("\n").split("\t") for line in file][2:]
    first = [head.index(f"patient_{n}") for n in range(1, 39)]
    values = np.clip(np.array([[float(line[i]) for i in first] for line in lines]), 20.0, 16000.0)
    low, high = values.min(axis=1), values.max(axis=1)
    varies = (high / low > 5.0) & (high - low > 500.0)
    # The first 27 of them have ALL, the other 11 AML.
    parts = values[varies, :27], values[varies, 27:]
    gap = parts[0].mean(axis=1) - parts[1].mean(axis=1)
    order = np.argsort(-gap / (parts[0].std(axis=1, ddof=1) + parts[1].std(axis=1, ddof=1)))
    genes = [line[0].split("_")[0] for line, varies in zip(lines, varies, strict=True) if varies]
    ranks = {"ALL": [genes[i] for i in order], "AML": [genes[i] for i in order[::-1]]}
    places = [ranks[row["high_in"]].index(row["accession"]) + 1 for row in tables.read_rows(HERE / "golub50.csv")]
    assert len(places) == 50
    assert sum(place <= 25 for place in places) >= 45
    assert max(places) <= 35


def test_a_line_that_a_kill_cut_in_two_is_taken_away(tmp_path):
    path = tmp_path / "cells.csv"
    path.write_text(",".join(run.COLUMNS) + "\ncolon,SRVM,0,0" + "," * 13 + "\ncolon,SRVM,0,1,0.7")
    assert run.finished(path) == {("colon", "SRVM", 0, 0)}
    assert path.read_text().endswith("\n")


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    if not (SHARED / "data").is_dir():
        pytest.skip("the data sets are not there (../shared/data)")
    folder = tmp_path_factory.mktemp("quick")
    command = [sys.executable, HERE / "run.py", "--quick", "--results", folder]
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    return folder


def test_quick_mode_runs_every_model(quick):
    cells = read_cells(quick)
    assert set(cells) == {(name, model) for name in ("colon", "leukemia") for model in (*CHEAP, *DEAR)}
    assert all(len(found.rows) == 1 for found in cells.values())
    for found in cells.values():
        truth, scores = found.pairs()
        assert len(truth) in (13, 15)
        assert np.all(np.isfinite(scores))


def test_quick_mode_gives_the_numbers_that_must_hold(quick):
    cells = read_cells(quick)

    def mean(name: str, model: str, measure: str) -> float:
        return cells[name, model].values(measure).mean()

    # leukemia is easy: whatever learns at all is right in nine of ten.
    for model in ("RFVM one", "RFVM committee", "RFVM balanced", "SVM-l1", "SRVM", "LR-elastic", "PFCVM"):
        assert mean("leukemia", model, "accuracy") >= 0.9, model
    assert mean("leukemia", "RFVM one", "features") <= 5
    assert mean("leukemia", "RFVM balanced", "features") <= 27
    assert mean("leukemia", "RFVM committee", "features") > mean("leukemia", "RFVM one", "features")
    assert mean("leukemia", "SRVM", "features %") > 99.0
    assert mean("leukemia", "SRVM", "vectors %") < 15.0
    assert 20.0 < mean("leukemia", "SVM-l1", "vectors %") <= 100.0
    assert mean("leukemia", "SVM-l1", "features") < 100
    for model in ("RF", "MLP", "LR-elastic"):
        assert mean("colon", model, "vectors %") == 100.0


def test_quick_mode_fills_the_tables_shape(quick):
    cells = read_cells(quick)
    for columns in (tables.TABLE_2, tables.TABLE_3):
        head, rows = tables.comparison(cells, columns)
        assert len(rows) == 3 * (len(PAPER_TABLE) + 1)
        assert all(len(row) == len(head) for row in rows)
        colon = next(row for row in rows if row[0] == "colon")
        assert all("±" in cell and "[" in cell for cell in colon[2:])
        assert all("data not available" in cell for row in rows if row[0] == "GLI_85" for cell in row[2:])
    assert "Not run yet." in findings.sentences(cells, tables.paper_numbers(), [], [], [])["overview"]


def test_quick_mode_resumes_with_nothing_to_do(quick):
    before = (quick / "cells.csv").read_text()
    run.run_cells(quick, ["colon", "leukemia"], [*CHEAP, *DEAR], 1, True, {})
    assert (quick / "cells.csv").read_text() == before


def test_a_file_that_cannot_be_a_set_is_named(tmp_path):
    with pytest.raises(SystemExit, match=r"nowhere\.mat cannot be read"):
        run.from_file("added", str(tmp_path / "nowhere.mat"), 1.0)
    path = tmp_path / "few.mat"
    savemat(path, {"X": np.eye(12), "Y": np.r_[np.ones(3), np.zeros(9)]})
    with pytest.raises(SystemExit, match="3 of 12 samples have label 1"):
        run.from_file("added", str(path), 1.0)


def test_a_set_from_a_file_has_stratified_folds():
    if not (SHARED / "data").is_dir():
        pytest.skip("the data sets are not there (../shared/data)")
    data = run.from_file("added", str(SHARED / "data" / "colon.mat"), 1.0)
    assert data.values.shape == (62, 2000)
    assert data.truth.sum() == 22
    for repeat in range(run.REPEATS):
        counts = [data.truth[data.folds[:, repeat] == fold].sum() for fold in range(5)]
        assert min(counts) >= 4
        assert max(counts) <= 5
