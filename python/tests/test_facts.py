"""What is known of features: prices, panels, blocks, annotation; and gaps of training rows."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest

import rfvm
from rfvm import RFVMClassifier


@pytest.fixture(scope="module")
def study():
    return rfvm.datasets.make_fat_classification(n_samples=80, n_features=60, effect=2.0, random_state=3)


def fitted(study, **parameters):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return RFVMClassifier(size=3, **parameters).fit(study.data, study.target)


def test_prices_and_panels_are_told_and_kept(study, tmp_path):
    plain = fitted(study)
    assert plain.cost_ is None and "price" not in plain.signature_.columns
    columns = [int(name[1:]) for name in plain.signature_["feature"]]
    model = fitted(
        study,
        feature_cost={columns[0]: 4.0, columns[1]: 2.5, columns[2]: 1.0},
        feature_panels={"kit": columns[:2]},
        cost_prior=0,
    )
    assert list(model.signature_["feature"]) == list(plain.signature_["feature"])
    assert model.cost_ == 5.0
    table = model.signature_.set_index("feature")
    assert dict(table["price"]) == dict(zip(table.index, [4.0, 4.0, 1.0], strict=True))
    assert list(table["panel"].fillna("")) == ["kit", "kit", ""]
    assert "cost" in model.path_.columns
    model.save(tmp_path / "model.json")
    assert rfvm.load(tmp_path / "model.json").cost_ == 5.0
    # So dear that what is free takes their place.
    dear = fitted(study, feature_cost=dict.fromkeys(columns, 1.0), cost_prior=1e6)
    assert not set(dear.signature_["feature"]) & set(plain.signature_["feature"]) and dear.cost_ == 0.0


def test_the_same_files_as_the_program_takes(study, tmp_path):
    pd = pytest.importorskip("pandas")
    prices = tmp_path / "prices.csv"
    prices.write_text("feature,price\nf1,3\nf2,5\n", encoding="utf-8")
    panels = tmp_path / "kits.gmt"
    panels.write_text("kit\tabout\tf1\tf2\n", encoding="utf-8")
    genes = tmp_path / "genes.csv"
    genes.write_text("name,symbol\nf1,TP53\n", encoding="utf-8")
    by_file = fitted(study, feature_cost=prices, feature_panels=str(panels), feature_blocks=panels, annotation=genes)
    by_value = fitted(
        study,
        feature_cost=pd.Series({"f1": 3.0, "f2": 5.0}),
        feature_panels={"f1": "kit", "f2": "kit"},
        feature_blocks={"kit": [0, 1]},
        annotation=pd.DataFrame({"symbol": ["TP53", None]}, index=[0, 1]).iloc[:1],
    )
    assert by_file.model_.to_json() == by_value.model_.to_json()
    data = json.loads(by_file.model_.to_json())["model"]["parameters"]["data"]
    assert (data["cost_prior"], data["panels"], data["blocks"]) == (1.0, 1, 1)


def test_an_evaluation_has_the_cost_of_every_fold(study):
    estimator = RFVMClassifier(size=3, feature_cost=dict.fromkeys(range(60), 2.0))
    found = rfvm.evaluate(estimator, study.data, study.target, repeats=1)
    costs = [fold["cost"] for fold in found["results"]]
    assert costs == [2.0 * fold["features"] for fold in found["results"]]
    assert found["cost"]["mean"] == pytest.approx(np.mean(costs))


def test_annotation_goes_into_exports_and_reports(study, tmp_path):
    pd = pytest.importorskip("pandas")
    names = [f"g{d}" for d in range(60)]
    frame = pd.DataFrame(study.data, columns=names)
    annotation = pd.DataFrame({"symbol": [f"SYM{d}" for d in range(60)]}, index=names)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = RFVMClassifier(size=2, annotation=annotation).fit(frame, study.target)
    first = model.signature_.iloc[0]
    assert first["symbol"] == f"SYM{first['feature'][1:]}"
    assert f"{first['feature']} ({first['symbol']})" in model.export("points")
    (page,) = rfvm.report(model, frame, study.target, tmp_path / "page.html")
    assert first["symbol"] in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"feature_cost": {0: -1.0}}, "the price of 'f1' is -1"),
        ({"feature_cost": {0: "dear"}}, "feature_cost of 0 is 'dear'"),
        ({"feature_cost": {60: 1.0}}, "neither a name nor a column from 0 to 59"),
        ({"feature_cost": [1.0]}, "it must be a dict, a Series, the path of a file, or None"),
        ({"feature_panels": {"a": [0], "b": [0]}}, "'f1' is in the panels 'a' and 'b'"),
        ({"cost_prior": -1.0, "feature_cost": {0: 1.0}}, "strength of the cost prior is -1"),
        ({"annotation": {"f1": "TP53"}}, "it must be a DataFrame"),
    ],
)
def test_mistakes_are_named(study, parameters, words):
    with pytest.raises(ValueError, match=words.replace("(", r"\(")):
        fitted(study, **parameters)


def test_names_that_are_not_there_are_told(study):
    with pytest.warns(UserWarning, match="prices: 1 of 2 name"):
        RFVMClassifier(size=2, feature_cost={"f1": 1.0, "nowhere": 2.0}).fit(study.data, study.target)


def test_gaps_of_training_rows_are_told_by_other_features(study, tmp_path):
    lacking = study.data.copy()
    lacking[::7, ::3] = np.nan
    with pytest.raises(ValueError, match="impute='median'"):
        RFVMClassifier().fit(lacking, study.target)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = RFVMClassifier(size=3, impute="conditional").fit(lacking, study.target)
    said = model.predict_proba(lacking)
    assert np.isfinite(said).all()
    model.save(tmp_path / "model.json")
    again = rfvm.load(tmp_path / "model.json")
    assert again.impute == "conditional" and (again.predict_proba(lacking) == said).all()
