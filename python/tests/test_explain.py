"""Why samples have their scores, abstention, and scores that travel."""

from __future__ import annotations

import shutil

import numpy as np
import pandas as pd
import pytest

import rfvm
from rfvm import plotting


@pytest.fixture(scope="module")
def study():
    return rfvm.datasets.make_fat_classification(n_samples=60, n_features=100, effect=2.0, random_state=1)


@pytest.fixture(scope="module")
def model(study):
    return rfvm.RFVMClassifier(size="compact").fit(study.data, study.target)


def test_contributions_sum_to_the_score(study, model):
    table = model.explain(study.data)
    mean, _ = model.predict_latent(study.data)
    sums = table.groupby("sample")["contribution"].sum()
    np.testing.assert_allclose(sums, mean, rtol=0, atol=1e-12)
    assert set(table["part"]) == {"feature", "base"}


def test_samples_keep_their_names_and_a_number_its_units(study):
    X = pd.DataFrame(study.data[:, :20], index=[f"patient {n}" for n in range(60)]).add_prefix("gene ")
    y = 100.0 + 10.0 * X["gene 3"]
    model = rfvm.RFVMRegressor(size=1).fit(X, y)
    table = model.explain(X)
    assert table["sample"].iloc[0] == "patient 0"
    assert table["feature"].iloc[0] == "gene 3"
    sums = table.groupby("sample", sort=False)["contribution"].sum()
    np.testing.assert_allclose(sums, model.predict(X), rtol=1e-12)


def test_the_model_abstains_where_its_interval_holds_both_classes(study, model):
    predicted, abstain, interval = model.predict_reject(study.data, level=0.9)
    assert list(predicted) == list(model.predict(study.data))
    np.testing.assert_array_equal(abstain, (interval[:, 0] <= 0.5) & (interval[:, 1] >= 0.5))
    probability = model.predict_proba(study.data)[:, 1]
    assert ((interval[:, 0] < probability) & (probability < interval[:, 1])).all()
    with pytest.raises(ValueError, match="between 0 and 1"):
        model.predict_reject(study.data, level=95)


def test_an_evaluation_has_what_abstaining_leaves(study):
    found = rfvm.evaluate(rfvm.RFVMClassifier(size="compact"), study.data, study.target, cv=3, repeats=1)
    assert 0.0 < found["rejection"]["coverage"]["mean"] <= 1.0


@pytest.mark.parametrize("format", ["text", "latex", "points", "pmml", "html"])
def test_scores_travel(model, tmp_path, format):
    text = model.export(format, tmp_path / "score")
    assert (tmp_path / "score").read_text(encoding="utf-8") == text
    assert len(text) > 500


def test_an_evaluator_of_pmml_that_knows_nothing_of_this_gives_the_same_probabilities(study, model, tmp_path):
    evaluators = pytest.importorskip("jpmml_evaluator")
    if shutil.which("java") is None:
        pytest.skip("the evaluator of PMML needs Java")
    frame = pd.DataFrame(study.data, columns=[f"g{d}" for d in range(100)])
    two = rfvm.RFVMClassifier(size=7).fit(frame, np.array(["well", "ill"])[study.target])
    few = frame.iloc[:, :20]
    number = rfvm.RFVMRegressor(size=3).fit(few, 100.0 + 10.0 * few["g3"])
    for name, fitted in (("classes", two), ("number", number)):
        fitted.export("pmml", tmp_path / f"{name}.pmml")
        evaluator = evaluators.make_evaluator(str(tmp_path / f"{name}.pmml"), backend="jpype").verify()
        said = evaluator.evaluateAll(frame[fitted.model_.needed_features])
        if name == "classes":
            assert list(said["class"]) == list(two.predict(frame))
            of_positive = said[f"probability({two.classes_[1]})"].astype(float)
            np.testing.assert_allclose(of_positive, two.predict_proba(frame)[:, 1], rtol=0, atol=1e-12)
        else:
            np.testing.assert_allclose(said.iloc[:, 0].astype(float), number.predict(few), rtol=1e-12)


def test_an_unknown_format_is_refused(model):
    with pytest.raises(ValueError, match="it must be one of 'text', 'latex'"):
        model.export("word")


def test_the_waterfall_ends_at_the_score(study, model):
    pytest.importorskip("matplotlib").use("agg")
    ax = plotting.plot_explanation(model, study.data[:1])
    mean, _ = model.predict_latent(study.data[:1])
    assert ax.patches[-1].get_width() == pytest.approx(mean[0], abs=1e-12)
