"""The same data, parameters and threads give the same numbers here and at the command line, to the last bit."""

import subprocess

import numpy as np
import pandas as pd
import pytest

import rfvm
from rfvm import RFVMClassifier, RFVMRegressor


def run(program, *words):
    done = subprocess.run([program, *map(str, words)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def table(frame, tmp_path_factory):
    path = tmp_path_factory.mktemp("parity") / "study.csv"
    data = frame.data.copy()
    data.insert(0, "class", frame.target_names[frame.target])
    data.to_csv(path, index_label="sample")
    return path


@pytest.mark.parametrize(
    ("options", "parameters"),
    [
        ([], {}),
        (["--size", "compact", "--threads", "1"], {"size": "compact", "threads": 1}),
        (["--size", "full"], {"size": "full"}),
        (
            ["--size", "full", "--impute", "median", "--scaling", "plain"],
            {"size": "full", "impute": "median", "scaling": "plain"},
        ),
        (["--share", "0.9"], {"share": 0.9}),
        (["--size", "7", "--class-weight", "balanced"], {"size": 7, "class_weight": "balanced"}),
        (
            ["--method", "signatures", "--signatures", "3", "--class-weight", "1,3"],
            {"method": "signatures", "signatures": 3, "class_weight": {"control": 3, "case": 1}},
        ),
        (
            ["--method", "mean-field", "--family", "truncated", "--max-iterations", "40"],
            {"method": "mean-field", "family": "truncated", "max_iterations": 40},
        ),
        (["--method", "mean-field"], {"method": "mean-field"}),
        (
            ["--method", "signatures", "--start-seed", "5", "--log2", "--scaling", "robust"],
            {"method": "signatures", "start_seed": 5, "log2": True, "scaling": "robust"},
        ),
    ],
)
def test_the_program_writes_the_same_model(program, frame, table, tmp_path, options, parameters):
    data = pd.read_csv(table, index_col="sample", float_precision="round_trip")
    y = data.pop("class").to_numpy()
    model = RFVMClassifier(**parameters).fit(data, y)
    model.save(tmp_path / "python.json")
    # Positive is the last class in order for scikit-learn, for the program the one whose name says so.
    positive = model.classes_[1]
    run(program, "fit", table, "--target", "class", "--positive", positive, *options, "-o", tmp_path / "program.json")
    assert (tmp_path / "python.json").read_bytes() == (tmp_path / "program.json").read_bytes()

    run(program, "predict", tmp_path / "python.json", table, "-o", tmp_path / "predicted.csv")
    predicted = pd.read_csv(tmp_path / "predicted.csv", float_precision="round_trip")
    mean, sd = model.predict_latent(data)
    assert np.array_equal(predicted[f"probability_{positive}"], model.predict_proba(data)[:, 1])
    assert np.array_equal(predicted["mean"], mean)
    assert np.array_equal(predicted["sd"], sd)
    assert np.array_equal(predicted["class"], model.predict(data))
    assert np.array_equal(rfvm.load(tmp_path / "program.json").predict_proba(data), model.predict_proba(data))


def test_arrays_and_regressions_too(program, tmp_path):
    X = np.random.default_rng(1).normal(size=(50, 300))
    y = 5.0 + 2.0 * X[:, 11] - X[:, 40] + np.random.default_rng(2).normal(size=50)
    np.save(tmp_path / "x.npy", X)
    (tmp_path / "y.txt").write_text("".join(f"{value!r}\n" for value in y.tolist()))
    for given, parameters in (
        ([], {}),
        (["--size", "full"], {"size": "full"}),
        (["--share", "0.95"], {"share": 0.95}),
    ):
        options = ["--labels", tmp_path / "y.txt", "--task", "regression", *given]
        run(program, "fit", tmp_path / "x.npy", *options, "-o", tmp_path / "program.json")
        model = RFVMRegressor(**parameters).fit(X, y)
        model.save(tmp_path / "python.json")
        assert (tmp_path / "python.json").read_bytes() == (tmp_path / "program.json").read_bytes()
        again = RFVMRegressor.load(tmp_path / "program.json")
        assert np.array_equal(again.predict(X), model.predict(X))
        assert np.array_equal(again.get_support(), model.get_support())


def test_rows_that_are_there_twice_too(program, tmp_path):
    X = np.random.default_rng(3).normal(size=(40, 60))
    y = np.repeat([0, 1], 20)
    X[y == 1, 7] += 2.0
    X, y = np.vstack([X, X[:5]]), np.append(y, y[:5])
    np.savez(tmp_path / "x.npz", X=X, y=y)
    run(program, "fit", tmp_path / "x.npz", "--target", "y", "-o", tmp_path / "program.json")
    RFVMClassifier().fit(X, y).save(tmp_path / "python.json")
    assert (tmp_path / "python.json").read_bytes() == (tmp_path / "program.json").read_bytes()
