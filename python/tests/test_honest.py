"""What used to go wrong without a word."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_selection import SelectFromModel
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rfvm
from rfvm import (
    LeakageWarning,
    RFVMClassifier,
    RFVMRegressor,
    WeakSignalWarning,
    datasets,
    evaluate,
    plotting,
    resample,
)


def noise(samples=60, features=300, seed=0):
    random = np.random.default_rng(seed)
    return random.normal(size=(samples, features)), np.arange(samples) % 2


@pytest.fixture(scope="module")
def nothing():
    """A fit that found nothing."""
    X, y = noise()
    with pytest.warns(WeakSignalWarning, match="nothing was found"):
        return RFVMClassifier().fit(X, y)


@pytest.mark.parametrize(
    ("groups", "words"),
    [
        (lambda y: np.ones(len(y)), "all samples are in one"),
        (lambda y: y, "go with the classes"),
        (lambda y: np.full(len(y), np.nan), "missing for 60"),
        (lambda y: np.array([None] + [1] * (len(y) - 1), dtype=object), "the first in row 0"),
        (lambda y: np.ones((len(y), 2)), "1d array"),
    ],
)
def test_groups_that_cannot_be_held_back_are_refused(study, groups, words):
    with pytest.raises(ValueError, match=words):
        RFVMClassifier().fit(study.data, study.target, groups=groups(study.target))


def test_groups_may_be_a_column_and_texts(study):
    groups = np.arange(len(study.target)) // 3
    models = [
        RFVMClassifier().fit(study.data, study.target, groups=each)
        for each in (groups, groups[:, None], [f"family {g}" for g in groups])
    ]
    assert all(np.array_equal(models[0].coef_, model.coef_) for model in models)


def test_a_layer_is_the_one_of_the_fit(study):
    anndata = pytest.importorskip("anndata", reason="anndata is not installed")
    obs = pd.DataFrame({"class": study.target}, index=[f"s{n}" for n in range(len(study.target))])
    adata = anndata.AnnData(X=np.zeros_like(study.data), obs=obs, layers={"log": study.data})
    model = RFVMClassifier().fit_anndata(adata, "class", layer="log")
    assert np.array_equal(
        model.predict_proba(adata), RFVMClassifier().fit(study.data, study.target).predict_proba(study.data)
    )
    bare = anndata.AnnData(X=study.data, obs=obs)
    with pytest.raises(ValueError, match="no layer 'log'"):
        model.predict(bare)
    # A fit on the object itself means its own numbers.
    assert model.fit(bare, study.target).score(bare, study.target) > 0.8


def test_a_model_that_found_nothing_selects_nothing(nothing):
    X, _ = noise()
    assert nothing.verdict_ == "nothing" and not nothing.get_support().any()
    with pytest.warns(UserWarning, match="No features were selected"):
        assert SelectFromModel(nothing, prefit=True).transform(X).shape[1] == 0
    found = datasets.make_fat_classification(n_samples=60, n_features=100, effect=3.0)
    selector = SelectFromModel(RFVMClassifier(size="compact")).fit(found.data, found.target)
    assert np.array_equal(selector.get_support(), selector.estimator_.get_support())


def test_a_picture_of_nothing(nothing):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed").use("Agg")
    assert "base rate" in plotting.plot_signature(nothing).get_title()


def test_weak_and_nothing_warn_and_signal_does_not(study):
    called = 0
    for seed in range(10):
        X, y = noise(seed=seed)
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            model = RFVMClassifier().fit(X, y)
        assert bool(heard) == (model.verdict_ != "signal")
        called += model.verdict_ == "signal"
    assert called <= 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert RFVMClassifier().fit(study.data, study.target).verdict_ == "signal"


def test_a_number_of_features_that_was_asked_for_comes_with_a_warning():
    X, y = noise()
    with pytest.warns(WeakSignalWarning, match="number was asked for"):
        model = RFVMClassifier(size=4).fit(X, y)
    assert model.get_support().sum() == 4


def test_a_callback_that_stops_says_what_is_left(study):
    with pytest.warns(WeakSignalWarning, match="callback ended the fit"):
        model = RFVMClassifier(callback=lambda iteration: True).fit(study.data, study.target)
    assert model.stop_reason_ == "interrupted" and model.verdict_ is None
    assert np.allclose(model.predict_proba(study.data)[:, 1], np.mean(study.target), atol=0.02)


def test_a_loaded_model_with_names_does_not_call_its_weights_zero(frame, tmp_path):
    model = RFVMClassifier().fit(frame.data, frame.target)
    model.save(tmp_path / "m.json")
    again = rfvm.load(tmp_path / "m.json")
    assert not hasattr(again, "coef_") and not hasattr(again, "relevance_")
    with pytest.raises(AttributeError, match="by name only"):
        again.coef_  # noqa: B018
    assert again.verdict_ == model.verdict_ == "signal"
    named = rfvm.load(tmp_path / "m.json", feature_names=list(frame.data.columns))
    assert np.array_equal(named.coef_, model.coef_)
    assert np.array_equal(named.relevance_, model.relevance_)


def test_a_second_fit_forgets_the_first_ones_samples(frame):
    model = RFVMClassifier().fit(frame.data, frame.target)
    assert hasattr(model, "relevance_vector_names_")
    model.fit(frame.data.to_numpy(), frame.target)
    assert not hasattr(model, "relevance_vector_names_")


def test_labels_that_are_texts_of_digits_stay_texts(study, tmp_path):
    for classes in (["01", "02"], ["1.50", "2.50"], [1, 2], ["a", "b"]):
        model = RFVMClassifier().fit(study.data, np.array(classes)[study.target])
        model.save(tmp_path / "m.json")
        again = rfvm.load(tmp_path / "m.json")
        assert again.classes_.tolist() == model.classes_.tolist()


def test_columns_without_names_have_one_name(study):
    model = RFVMClassifier().fit(study.data, study.target)
    shown = set(model.signature_["feature"])
    assert shown == set(model.get_feature_names_out()) and all(name.startswith("x") for name in shown)
    assert {name for names in model.path_["features"] for name in names} >= shown
    found = resample(RFVMClassifier(size="compact"), study.data, study.target, cv=3)
    assert all(name.startswith("x") for name in found.table["feature"])
    piped = make_pipeline(StandardScaler(), RFVMClassifier()).fit(study.data, study.target)
    assert set(piped[-1].signature_["feature"]) == set(piped.get_feature_names_out())


def test_resample_takes_pipelines_and_several_scorers(frame):
    estimator = make_pipeline(StandardScaler(), RFVMClassifier(size="compact"))
    groups = np.arange(len(frame.target)) // 2
    found = resample(estimator, frame.data, frame.target, cv=3, groups=groups, scoring=["roc_auc", "accuracy"])
    assert set(found.scores) == {"roc_auc", "accuracy"} and found.scores["roc_auc"].shape == (3,)
    assert set(found.table["feature"]) <= set(frame.data.columns)


def test_resample_keeps_groups_whole(study):
    groups = np.arange(len(study.target)) // 3
    seen = []

    class Spy(RFVMClassifier):
        def fit(self, X, y, sample_weight=None, groups=None):
            seen.append(set(groups))
            return super().fit(X, y, sample_weight, groups)

    resample(Spy(size="compact"), study.data, study.target, cv=4, groups=groups)
    assert sum(len(each) for each in seen) == 3 * len(set(groups))


def test_an_evaluation_is_the_programs(study, tmp_path):
    model = RFVMClassifier(size="compact")
    found = evaluate(model, study.data, study.target, cv=3, repeats=2)
    assert found["repeats"] == 2 and found["auc"]["low"] < found["auc"]["high"]
    fitted = model.fit(study.data, study.target)
    (page,) = rfvm.report(fitted, study.data, study.target, tmp_path / "report.html", found)
    assert "AUC" in page.read_text(encoding="utf-8")


def test_several_classes_are_evaluated_and_reported(tmp_path):
    random = np.random.default_rng(4)
    y = np.repeat(["a", "b", "c"], 20)
    X = random.normal(size=(60, 40))
    for k, name in enumerate("abc"):
        X[y == name, k] += 4.0
    model = RFVMClassifier(size="compact")
    found = evaluate(model, X, y, cv=3, repeats=1)
    assert found["accuracy"]["mean"] > 0.8 and found["macro_auc"]["mean"] > 0.8
    assert [each["class"] for each in found["per_class"]] == found["classes"] == ["a", "b", "c"]
    assert np.sum(found["confusion"]) == pytest.approx(60.0)
    (page,) = rfvm.report(model.fit(X, y), X, y, tmp_path / "report.html", found)
    text = page.read_text(encoding="utf-8")
    assert "Confusion matrix" in text and "weight, b" in text


def test_a_regression_is_evaluated_too():
    random = np.random.default_rng(1)
    X = random.normal(size=(60, 40))
    found = evaluate(RFVMRegressor(), X, 2.0 * X[:, 3] + random.normal(size=60), cv=3, repeats=1)
    assert found["r2"]["mean"] > 0.3


def test_of_a_frame_only_the_columns_that_a_model_needs_are_read(monkeypatch):
    study = datasets.make_fat_classification(n_samples=60, n_features=20_000, effect=3.0, as_frame=True)
    model = RFVMClassifier(size="compact").fit(study.data, study.target)
    row = study.data.iloc[:1]
    with pytest.warns(UserWarning, match="valid feature names"):
        whole = model.predict_proba(study.data.to_numpy()[:1])
    # Checking all columns of a frame takes a third of a second.
    monkeypatch.setattr("rfvm._base.validate_data", None)
    assert np.array_equal(model.predict_proba(row), whole)
    row = row.copy()
    row.iloc[0, model.get_support(indices=True)[0]] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        model.predict(row)


def test_a_column_that_is_the_target_is_told(study):
    X = study.data.copy()
    X[:, 7] = 3.0 - study.target
    with pytest.warns(LeakageWarning, match="'x7'"):
        RFVMClassifier().fit(X, study.target)
    found = evaluate(RFVMClassifier(), X, study.target, cv=3, repeats=1)
    assert found["warnings"][0]["columns"] == ["f8"]


def test_marked_numbers_are_asked_about(tmp_path):
    rows = [f"{n},{'<0.1' if n % 3 == 0 else n / 10},{n % 2}" for n in range(40)]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["age,crp,class", *rows]) + "\n")
    with pytest.raises(ValueError, match="crp"):
        datasets.load_table(path, target="class")
    half = datasets.load_table(path, target="class", below="half")
    assert half.data[0, list(half.feature_names).index("crp")] == 0.05
    left = datasets.load_table(path, target="class", drop=["crp"])
    assert list(left.feature_names) == ["age"]
