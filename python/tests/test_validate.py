"""A model on labelled new samples: the program's numbers, and those of scikit-learn."""

import json
import subprocess

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from sklearn.metrics import brier_score_loss, log_loss, mean_absolute_error, r2_score, roc_auc_score

import rfvm


@pytest.fixture(scope="module")
def new(frame):
    study = rfvm.datasets.make_fat_classification(
        n_samples=80, n_features=400, effect=1.0, random_state=9, as_frame=True
    )
    return study.data, frame.target_names[study.target]


@pytest.fixture(scope="module")
def model(frame):
    return rfvm.RFVMClassifier(size="compact").fit(frame.data, frame.target_names[frame.target])


def test_measures_are_those_of_scikit_learn(model, new):
    X, y = new
    found = rfvm.validate(model, X, y)
    truth, probability = y == model.classes_[1], model.predict_proba(X)[:, 1]
    assert found["auc"]["mean"] == pytest.approx(roc_auc_score(truth, probability), abs=1e-12)
    assert found["log_loss"]["mean"] == pytest.approx(log_loss(truth, probability), abs=1e-12)
    assert found["brier"]["mean"] == pytest.approx(brier_score_loss(truth, probability), abs=1e-12)
    assert found["accuracy"]["mean"] == pytest.approx(np.mean(model.predict(X) == y), abs=1e-12)
    assert found["model"]["classes"] == list(model.classes_)
    assert [each["predicted"] for each in found["samples"]] == probability.tolist()


def test_calibration_and_intervals_are_those_of_statsmodels(model, new):
    glm = pytest.importorskip("statsmodels.api")
    proportion_confint = pytest.importorskip("statsmodels.stats.proportion").proportion_confint
    X, y = new
    found = rfvm.validate(model, X, y, threshold=0.4)
    truth, probability = y == model.classes_[1], model.predict_proba(X)[:, 1]
    logit, rows = np.log(probability / (1.0 - probability)), len(truth)
    # Student's quantile, and the correction of the sandwich for as many groups as there are rows.
    wide = scipy.stats.t.ppf(0.975, rows - 1) * np.sqrt(rows / (rows - 1))
    family = glm.families.Binomial()
    both = glm.GLM(truth.astype(float), glm.add_constant(logit), family=family).fit(tol=1e-14, cov_type="HC0")
    alone = glm.GLM(truth.astype(float), np.ones(rows), family=family, offset=logit).fit(tol=1e-14, cov_type="HC0")
    for name, value, se in (("slope", both.params[1], both.bse[1]), ("intercept", alone.params[0], alone.bse[0])):
        told = found["calibration"][name]
        assert [told["mean"], told["low"], told["high"]] == pytest.approx(
            [value, value - wide * se, value + wide * se], abs=1e-9
        )
    told = found["calibration"]["in_the_large"]
    assert told["mean"] == pytest.approx(probability.mean() - truth.mean(), abs=1e-12)
    called = probability > 0.4
    shares = {
        "sensitivity": (called & truth, truth),
        "specificity": (~called & ~truth, ~truth),
        "ppv": (called & truth, called),
        "npv": (~called & ~truth, ~called),
    }
    for name, (right, of) in shares.items():
        told = found["at_threshold"][name]
        low, high = proportion_confint(right.sum(), of.sum(), method="wilson")
        assert told["mean"] == pytest.approx(right.sum() / of.sum(), abs=1e-12)
        # Wilson's, a little wider: how alike samples are is estimated.
        assert [told["low"], told["high"]] == pytest.approx([low, high], abs=0.02)
        assert told["low"] <= low and high <= told["high"]
    curve = {round(point["x"], 2): point["y"] for point in found["curves"]["decision"]["model"]["points"]}
    for at in (0.1, 0.25, 0.5):
        called = probability > at
        gained = (called & truth).mean() - (called & ~truth).mean() * at / (1.0 - at)
        assert curve[at] == pytest.approx(gained, abs=1e-9)


@pytest.mark.parametrize("how", ["intercept", "slope"])
def test_the_program_says_the_same_and_writes_the_same_model(program, model, new, tmp_path, how):
    X, y = new
    table = X.copy()
    table.insert(0, "class", y)
    table.to_csv(tmp_path / "new.csv", index_label="sample")
    model.save(tmp_path / "model.json")
    words = ["new.csv", "--target", "class", "--threshold", "0.4", "--recalibrate", how, "-o", "again.json"]
    command = [program, "validate", "model.json", *words, "--html", "program.html", "--json"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path).stdout
    data = pd.read_csv(tmp_path / "new.csv", index_col="sample", float_precision="round_trip")
    found, again = rfvm.validate(
        model,
        data.drop(columns="class"),
        data["class"],
        threshold=0.4,
        recalibrate=how,
        name="new.csv",
        html=tmp_path / "python.html",
    )
    assert found == json.loads(printed)
    again.save(tmp_path / "python.json")
    assert (tmp_path / "python.json").read_bytes() == (tmp_path / "again.json").read_bytes()
    assert (tmp_path / "python.html").read_bytes() == (tmp_path / "program.html").read_bytes()
    change = found["recalibrated"]["recalibration"]["change"]
    slope, intercept = model.correction_
    assert again.correction_ == pytest.approx(
        (change["slope"] * slope, change["intercept"] + change["slope"] * intercept), abs=1e-12
    )
    after = rfvm.validate(again, X, y)
    assert after["calibration"]["in_the_large"]["mean"] == pytest.approx(0.0, abs=1e-6)
    assert not np.array_equal(again.predict_proba(X), model.predict_proba(X))
    assert model.correction_ == (slope, intercept)


def test_features_are_found_by_name_whatever_else_a_frame_holds(model, new, tmp_path):
    X, y = new
    found = rfvm.validate(model, X, y)
    turned = X[X.columns[::-1]].assign(note="text")
    again = rfvm.validate(model, turned, y)
    assert again["auc"] == found["auc"]
    assert again["shifts"] == found["shifts"]
    model.save(tmp_path / "m.json")
    loaded = rfvm.load(tmp_path / "m.json")
    assert rfvm.validate(loaded, X, y)["log_loss"] == found["log_loss"]
    with pytest.raises(ValueError, match="by name only"):
        rfvm.validate(loaded, X.to_numpy(), y)
    with pytest.raises(ValueError, match="lacks"):
        rfvm.validate(model, X.drop(columns=model.signature_["feature"].iloc[0]), y)


def test_a_regression_too():
    random = np.random.default_rng(1)
    X = random.normal(size=(120, 30))
    y = 3.0 + 2.0 * X[:, 3] + random.normal(size=120)
    model = rfvm.RFVMRegressor(size=1).fit(X[:60], y[:60])
    found, again = rfvm.validate(model, X[60:], 2.0 * y[60:], recalibrate="slope")
    predicted = model.predict(X[60:])
    assert found["r2"]["mean"] == pytest.approx(r2_score(2.0 * y[60:], predicted), abs=1e-12)
    assert found["mae"]["mean"] == pytest.approx(mean_absolute_error(2.0 * y[60:], predicted), abs=1e-12)
    slope, intercept = np.polyfit(predicted, 2.0 * y[60:], 1)
    assert again.predict(X[60:]) == pytest.approx(intercept + slope * predicted, abs=1e-9)
    assert found["calibration"]["slope"]["mean"] == pytest.approx(slope, abs=1e-9)
    assert again.coef_ == pytest.approx(slope * model.coef_, abs=1e-12)
    assert again.intercept_ == pytest.approx(intercept + slope * model.intercept_, abs=1e-9)


def test_what_makes_no_sense_is_refused(model, new, frame):
    X, y = new
    with pytest.raises(ValueError, match="does not know"):
        rfvm.validate(model, X, np.where(y == y[0], "other", y))
    with pytest.raises(ValueError, match="recalibrate is 'both'"):
        rfvm.validate(model, X, y, recalibrate="both")
    with pytest.raises(ValueError, match="threshold is 2"):
        rfvm.validate(model, X, y, threshold=2.0)
    one = y == y[0]
    assert "auc" not in rfvm.validate(model, X[one], y[one])
    with pytest.raises(ValueError, match="none of them is of class"):
        rfvm.validate(model, X[one], y[one], recalibrate="slope")
    three = rfvm.RFVMClassifier(size=2).fit(frame.data, np.arange(60) % 3)
    with pytest.raises(ValueError, match="more than two classes"):
        rfvm.validate(three, X, np.arange(80) % 3)
