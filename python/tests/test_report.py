"""The page about a model: the program's, from arrays and data frames."""

import json
import subprocess

import numpy as np
import pandas as pd
import pytest

import rfvm


@pytest.fixture(scope="module")
def table(frame, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "study.csv"
    data = frame.data.copy()
    data.insert(0, "class", frame.target_names[frame.target])
    data.to_csv(path, index_label="sample")
    return path


def test_the_program_writes_the_same_page(program, table, tmp_path):
    read = {"index_col": "sample", "float_precision": "round_trip"}
    data = pd.read_csv(table, **read)
    y = data.pop("class").to_numpy()
    model = rfvm.RFVMClassifier(size="compact").fit(data, y)
    model.save(tmp_path / "model.json")
    options = [table, "--target", "class"]
    # Positive is the last class in order for scikit-learn, for the program the one whose name says so.
    evaluate = [
        program,
        "evaluate",
        *options,
        "--positive",
        model.classes_[1],
        "--size",
        "compact",
        "--cv",
        "3",
        "--repeats",
        "1",
        "--json",
    ]
    printed = subprocess.run(evaluate, capture_output=True, text=True, check=True).stdout
    (tmp_path / "evaluation.json").write_text(printed)
    more = ["--evaluation", tmp_path / "evaluation.json", "-o", tmp_path / "program.html"]
    subprocess.run([program, "report", tmp_path / "model.json", *options, *more], check=True, capture_output=True)

    rfvm.report(model, data, y, tmp_path / "python.html", tmp_path / "evaluation.json", name=table.name)
    page = (tmp_path / "python.html").read_text(encoding="utf-8")
    assert page == (tmp_path / "program.html").read_text(encoding="utf-8")
    assert 'id="roc-title"' in page
    rfvm.report(model, data, y, tmp_path / "again.html", json.loads(printed), name=table.name)
    assert (tmp_path / "again.html").read_text(encoding="utf-8") == page


def test_arrays_and_regressions_have_pages(tmp_path):
    X = np.random.default_rng(1).normal(size=(50, 40))
    y = X[:, 3] - 2 * X[:, 7]
    model = rfvm.RFVMRegressor(size=2).fit(X, y)
    rfvm.report(model, X, y, tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "f8" in page
    assert "the data that the model was fitted on" in page
    rfvm.report(model, X, y, tmp_path / "g.html", groups=np.arange(50) // 5)
    assert (tmp_path / "g.html").read_text(encoding="utf-8") != page


def test_what_makes_no_sense_is_refused(tmp_path):
    X = np.random.default_rng(1).normal(size=(60, 10))
    y = np.arange(60) % 3
    two = rfvm.RFVMClassifier(size=2).fit(X, y > 0)
    with pytest.raises(ValueError, match="does not know"):
        rfvm.report(two, X, y, tmp_path / "r.html")
    with pytest.raises(ValueError, match="inconsistent"):
        rfvm.report(two, X, (y > 0)[:10], tmp_path / "r.html")
    with pytest.raises(ValueError, match="not what rfvm evaluate"):
        rfvm.report(two, X, y > 0, tmp_path / "r.html", {"n": 1})
    assert not (tmp_path / "r.html").exists()
