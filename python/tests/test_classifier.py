"""What the classifier says of itself, alone and within scikit-learn's tools."""

import copy
import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.feature_selection import SelectFromModel
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import rfvm
from rfvm import RFVMClassifier, datasets


@pytest.fixture(scope="module")
def model(study):
    return RFVMClassifier().fit(study.data, study.target)


@pytest.mark.parametrize("size", [4, "full"])
def test_the_latent_mean_is_what_the_weights_say(study, size):
    model = RFVMClassifier(size=size, scaling="plain").fit(study.data, study.target)
    standardised = (study.data - study.data.mean(axis=0)) / study.data.std(axis=0)
    mean, sd = model.predict_latent(study.data)
    assert np.allclose(mean, standardised @ model.coef_[0] + model.intercept_[0])
    assert (sd > 0).all()


def test_a_committee_is_the_mean_of_its_signatures(study):
    model = RFVMClassifier(method="signatures", signatures=3).fit(study.data, study.target)
    standardised = (study.data - study.data.mean(axis=0)) / study.data.std(axis=0)
    mean, _ = model.predict_latent(study.data)
    assert np.allclose(mean, standardised @ model.coef_[0] + model.intercept_[0])
    assert len(model.signatures_) == 3
    names = [set(table["feature"]) for table in model.signatures_]
    assert not names[0] & names[1]
    assert sum(map(len, model.signatures_)) == len(model.signature_) == model.get_support().sum()


def test_scores_and_probabilities_have_one_order(study):
    for parameters in ({}, {"size": "full"}, {"method": "signatures"}, {"method": "signatures", "signatures": 3}):
        model = RFVMClassifier(**parameters).fit(study.data, study.target)
        score, probability = model.decision_function(study.data), model.predict_proba(study.data)
        assert np.allclose(1.0 / (1.0 + np.exp(-score)), probability[:, 1])
        assert np.array_equal(model.predict(study.data), model.classes_[(score > 0).astype(int)])
        assert np.allclose(np.exp(model.predict_log_proba(study.data)), probability)


def test_tables(model, study):
    table = model.signature_
    assert list(table.columns) == ["feature", "weight", "class", "relevance", "sd", "signature"]
    assert np.array_equal(table["class"], model.classes_[(table["weight"] > 0).astype(int)])
    weights = model.coef_[0]
    assert np.allclose(weights[[int(name[1:]) for name in table["feature"]]], table["weight"])
    path = model.path_
    columns = ["size", "vectors", "share", "loss", "se", "behind", "behind_se", "chosen_as", "features"]
    assert list(path.columns) == columns
    assert path["size"].tolist() == [1, 2, 3, 4, 5, 6, 8, 10, 13, 17, 21, 27, 34, 43, 55]
    chosen = path[path["chosen_as"].str.contains("balanced")]
    assert chosen["size"].tolist() == [len(table)]
    assert [set(names) for names in chosen["features"]] == [set(table["feature"])]
    assert path.attrs["verdict"] == "signal"
    assert path.attrs["detection"] > 5.0
    assert path["loss"].min() < path.attrs["base_loss"]
    assert np.allclose(path["loss"] - path["behind"], path.attrs["full_loss"])
    assert model.stop_reason_ == "converged"
    assert np.isnan(model.bound_)
    assert set(model.trace_["phase"]) == {"wide", "path"}
    assert model.dual_coef_.shape == (1, len(model.relevance_vectors_))
    assert np.array_equal(model.relevance_ > 0, model.get_support())


def test_what_a_model_should_cost_and_how_much_of_the_full_model_it_keeps(model, study, tmp_path):
    own = model.path_[model.path_["chosen_as"].str.contains("balanced")]
    assert [model.explained_share_] == own["share"].tolist()
    assert 0.9 < model.explained_share_ <= 1.0
    assert model.full_loss_ == model.path_.attrs["full_loss"]
    # The choice of the size is part of its price.
    assert own["loss"].item() <= model.expected_loss_ < model.path_.attrs["base_loss"]
    slope, intercept = model.correction_
    mean, sd = model.predict_latent(study.data)
    moderated = mean / np.sqrt(1.0 + np.pi / 8.0 * sd**2)
    assert np.allclose(model.decision_function(study.data), intercept + slope * moderated)
    assert slope != 1.0
    model.save(tmp_path / "model.json")
    again = rfvm.load(tmp_path / "model.json")
    for name in ("explained_share_", "expected_loss_", "full_loss_", "correction_"):
        assert getattr(again, name) == getattr(model, name)


def test_the_full_model_keeps_every_feature_that_varies(study, tmp_path):
    X = np.column_stack([study.data, np.ones(60)])
    model = RFVMClassifier(size="full").fit(X, study.target)
    assert model.get_support(indices=True).tolist() == list(range(400))
    assert np.array_equal(model.transform(X), study.data)
    assert model.coef_.shape == (1, 401)
    assert len(model.signature_) == 400
    assert model.signature_["weight"].abs().is_monotonic_decreasing
    assert set(model.signature_["feature"].head(5)) & {f"x{d}" for d in study.truth}
    assert model.explained_share_ == 1.0
    assert model.expected_loss_ == model.full_loss_ == model.path_.attrs["full_loss"]
    assert not model.path_["chosen_as"].str.contains("full").any()
    model.save(tmp_path / "model.json")
    for again in (rfvm.load(tmp_path / "model.json"), pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert np.array_equal(again.predict_proba(X), model.predict_proba(X))
        assert again.signature_.equals(model.signature_)


def test_a_share_asks_for_the_fewest_features_that_keep_it(study):
    for share in (0.5, 0.9, 1.0):
        model = RFVMClassifier(share=share).fit(study.data, study.target)
        path = model.path_
        keeps = path[path["share"] >= share]
        size = path["size"].max() if keeps.empty else keeps["size"].min()
        assert model.get_support().sum() == size
        assert path.loc[path["chosen_as"].str.contains(f"share {share:g}"), "size"].tolist() == [size]
        assert model.explained_share_ == path.loc[path["size"] == size, "share"].item()


def test_what_is_unknown_is_none(study):
    signatures = RFVMClassifier(method="signatures").fit(study.data, study.target)
    few = RFVMClassifier().fit(study.data[[0, 1, -2, -1]], study.target[[0, 1, -2, -1]])
    for model in (signatures, few):
        assert model.explained_share_ is None
        assert model.expected_loss_ is None
        assert model.full_loss_ is None
        assert model.correction_ == (1.0, 0.0)


def test_a_classic_fit_has_a_trace_and_no_path(study):
    model = RFVMClassifier(method="signatures").fit(study.data, study.target)
    assert model.n_iter_ == len(model.trace_) > 1
    assert set(model.trace_["phase"]) <= {"wide", "narrow"}
    with pytest.raises(AttributeError, match="only a fit of method='projected' has a path_"):
        _ = model.path_


def test_a_study_without_signal_gives_the_base_rate():
    noise = np.random.default_rng(0).normal(size=(40, 50))
    y = np.arange(40) % 4 == 0
    for parameters in ({"method": "signatures"}, {}, {"share": 0.9}):
        model = RFVMClassifier(**parameters).fit(noise, y)
        assert model.stop_reason_ == "no_signal"
        assert np.allclose(model.predict_proba(noise)[:, 1], 0.25)
        assert model.get_support().sum() == 0
        assert model.explained_share_ is None
    assert model.path_.attrs["verdict"] == "nothing"
    # Whoever asks for a number of features gets them.
    assert RFVMClassifier(size=2).fit(noise, y).get_support().sum() == 2


def test_a_full_model_without_signal_is_drawn_to_the_base_rate():
    noise = np.random.default_rng(0).normal(size=(40, 50))
    y = np.arange(40) % 4 == 0
    with pytest.warns(rfvm.WeakSignalWarning, match="drawn to the base rate"):
        model = RFVMClassifier(size="full").fit(noise, y)
    assert model.verdict_ == "nothing"
    assert model.get_support().all()
    # It claims the base rate's loss, whatever it would cost by itself.
    known = model.path_.attrs
    assert model.expected_loss_ == known["base_loss"] != known["full_loss"]


def test_pickles_and_copies_predict_the_same(model, study):
    for again in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert np.array_equal(again.predict_proba(study.data), model.predict_proba(study.data))
        assert again.path_.equals(model.path_)
        assert again.signature_.equals(model.signature_)


def test_more_than_two_classes(tmp_path):
    first = datasets.make_fat_classification(n_samples=90, n_features=200, effect=4.0, random_state=1)
    y = np.array(["a", "b", "rest"])[np.arange(90) % 3]
    X = np.random.default_rng(2).normal(size=first.data.shape)
    X[y == "a", 10] += 4.0
    X[y == "b", 20] += 4.0
    model = RFVMClassifier(size=2).fit(X, y)
    probability = model.predict_proba(X)
    assert np.allclose(probability.sum(axis=1), 1.0)
    assert model.decision_function(X).shape == probability.shape == (90, 3)
    assert model.score(X, y) > 0.9
    assert np.array_equal(model.classes_[np.argmax(model.decision_function(X), axis=1)], model.predict(X))
    assert model.coef_.shape == (3, 200)
    assert {10, 20} <= set(model.get_support(indices=True))
    assert set(model.signature_["class"]) == {"a", "b", "rest"}
    assert [len(table) for table in model.signatures_] == [2, 2, 2]
    assert model.path_["size"].tolist() == [1, 2]
    assert model.stop_reason_ == "converged"
    for said in (model.explained_share_, model.expected_loss_, model.full_loss_):
        assert isinstance(said, float)
    slope, intercepts = model.correction_
    assert slope > 0.0 and len(intercepts) == 3
    assert model.relevance_.shape == (200,) and model.intercept_.shape == (3,)
    assert model.dual_coef_.shape == (3, len(model.relevance_vectors_))
    score = model.decision_function(X)
    assert np.allclose(np.exp(score) / np.exp(score).sum(axis=1, keepdims=True), probability)
    mean, sd = model.predict_latent(X)
    assert mean.shape == sd.shape == (90, 3) and (sd > 0.0).all()
    full = RFVMClassifier(size="full").fit(X, y)
    assert full.score(X, y) > 0.9
    assert full.get_support().all()
    assert full.explained_share_ == 1.0
    model.save(tmp_path / "model.json")
    again = rfvm.load(tmp_path / "model.json")
    assert np.array_equal(again.predict_proba(X), probability)
    assert np.array_equal(again.predict(X), model.predict(X))
    weighted = RFVMClassifier(size=2, class_weight={"a": 50.0}).fit(X, y)
    assert (weighted.predict(X) == "a").sum() >= (model.predict(X) == "a").sum()
    with pytest.raises(ValueError, match="no class of y"):
        RFVMClassifier(class_weight={"z": 2.0}).fit(X, y)
    copied = pickle.loads(pickle.dumps(model))
    assert np.array_equal(copied.predict_proba(X), probability)


def test_what_is_for_two_classes_alone_is_refused(tmp_path):
    X, y = np.random.default_rng(3).normal(size=(45, 30)), np.arange(45) % 3
    X[y == 1, 4] += 4.0
    model = RFVMClassifier(size=2).fit(X, y)
    for ask in (model.explain, model.predict_reject):
        with pytest.raises(ValueError, match="more than two classes"):
            ask(X)
    with pytest.raises(ValueError, match="more than two classes"):
        model.export("text")
    with pytest.raises(ValueError, match="missing values"):
        model.set_params(missing="integrate").predict(X)
    with pytest.raises(ValueError, match="Only binary classification is supported by method='signatures'"):
        RFVMClassifier(method="signatures").fit(X, y)
    old = tmp_path / "old.json"
    old.write_text('{"format":"rfvm-models","version":1,"models":[]}', encoding="utf-8")
    with pytest.raises(ValueError, match="no longer reads; fit it again"):
        rfvm.load(old)


@pytest.mark.parametrize("labels", [[False, True], [0, 1], [-1, 1], ["no", "yes"]])
def test_classes_come_back_from_a_file_as_they_were(study, tmp_path, labels):
    y = np.array(labels)[study.target]
    RFVMClassifier(size="compact").fit(study.data, y).save(tmp_path / "model.json")
    again = RFVMClassifier.load(tmp_path / "model.json")
    assert np.array_equal(again.classes_, np.unique(y))
    assert again.classes_.dtype.kind == np.unique(y).dtype.kind


def test_files_that_are_no_models(tmp_path, study):
    with pytest.raises(FileNotFoundError):
        rfvm.load(tmp_path / "nothing.json")
    (tmp_path / "other.json").write_text("{}")
    with pytest.raises(ValueError, match=r"other\.json: this is not an rfvm model file"):
        rfvm.load(tmp_path / "other.json")
    model = RFVMClassifier(size="compact").fit(study.data, study.target)
    with pytest.raises(FileNotFoundError):
        model.save(tmp_path / "no" / "folder.json")
    model.save(tmp_path / "model.json")
    with pytest.raises(ValueError, match="holds a RFVMClassifier"):
        rfvm.RFVMRegressor.load(tmp_path / "model.json")


def test_it_drops_into_scikit_learns_tools(study):
    X, y = study.data, study.target
    pipeline = make_pipeline(FunctionTransformer(), RFVMClassifier(size="compact"), LogisticRegression())
    assert cross_validate(pipeline, X, y, cv=3)["test_score"].mean() > 0.8
    grid = [{"size": [1, "compact", "accurate", "full"]}, {"share": [0.8]}]
    search = GridSearchCV(RFVMClassifier(), grid, cv=3).fit(X, y)
    assert search.best_score_ > 0.8
    assert clone(search.best_estimator_).get_params() == search.best_estimator_.get_params()
    selected = SelectFromModel(RFVMClassifier(size="compact"), threshold=1e-9).fit(X, y)
    alone = RFVMClassifier(size="compact").fit(X, y)
    assert np.array_equal(selected.get_support(), alone.get_support())
    assert np.array_equal(alone.inverse_transform(alone.transform(X))[:, alone.get_support()], alone.transform(X))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"size": "huge"}, "parameter size is 'huge'"),
        ({"size": 0}, "parameter size is 0"),
        ({"share": 1.5}, "parameter share is 1.5; it must be between 0 and 1"),
        ({"share": -0.1}, "parameter share is -0.1; it must be between 0 and 1"),
        ({"share": float("nan")}, "parameter share is NaN; it must be between 0 and 1"),
        ({"share": "most"}, "parameter share is 'most'; it must be between 0 and 1"),
        ({"share": 0.9, "size": "compact"}, "size and share both say how large the model is; give one of them"),
        ({"method": "odd"}, "parameter method is 'odd'; it must be projected, signatures or mean-field"),
        ({"method": "mean-field", "family": "odd"}, "parameter family is 'odd'"),
        ({"impute": "mean"}, "parameter impute is 'mean'"),
        ({"threads": -1}, "parameter threads is -1"),
        ({"method": "signatures", "start_seed": 1.5}, "parameter start_seed is 1.5"),
        ({"class_weight": "fair"}, "parameter class_weight is 'fair'"),
        ({"log2": True}, "log2"),
    ],
)
def test_wrong_parameters_are_named(study, parameters, message):
    X = study.data - 20.0
    with pytest.raises(ValueError, match=message):
        RFVMClassifier(**parameters).fit(X, study.target)


@pytest.mark.parametrize(
    ("method", "parameter", "methods"),
    [
        ("projected", {"signatures": 2}, "'signatures' or 'mean-field'"),
        ("projected", {"start_seed": 3}, "'signatures' or 'mean-field'"),
        ("projected", {"max_iterations": 9}, "'signatures' or 'mean-field'"),
        ("projected", {"family": "folded"}, "'mean-field'"),
        ("signatures", {"size": 3}, "'projected'"),
        ("signatures", {"share": 0.9}, "'projected'"),
        ("signatures", {"family": "folded"}, "'mean-field'"),
        ("mean-field", {"size": "compact"}, "'projected'"),
    ],
)
def test_what_a_method_does_not_take_is_refused_by_name(study, method, parameter, methods):
    (name,) = parameter
    message = f"^{name} is not a parameter of method='{method}'; it belongs to method={methods}$"
    with pytest.raises(ValueError, match=message):
        RFVMClassifier(method=method, **parameter).fit(study.data, study.target)


def test_a_model_file_of_the_first_format_is_refused(model, tmp_path):
    path = tmp_path / "model.json"
    model.save(path)
    path.write_text(path.read_text().replace('"version":2', '"version":1', 1))
    with pytest.raises(
        ValueError, match="has format version 1, which this version of rfvm no longer reads; fit it again"
    ):
        RFVMClassifier.load(path)


def test_groups_reach_the_folds(study):
    pairs = np.repeat(np.arange(30), 2)
    grouped = RFVMClassifier().fit(study.data, study.target, groups=pairs)
    alone = RFVMClassifier().fit(study.data, study.target)
    assert not np.array_equal(grouped.path_["loss"], alone.path_["loss"])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        RFVMClassifier().fit(study.data, study.target, groups=pairs[:-1])


def test_real_studies_of_many_classes(real_data):
    from scipy.io import loadmat

    lymphoma = loadmat(real_data / "lymphoma.mat")
    X, y = lymphoma["X"].astype(np.float64), lymphoma["Y"].ravel()
    assert len(np.unique(y)) == 9
    model = RFVMClassifier().fit(X, y)
    assert np.allclose(model.predict_proba(X).sum(axis=1), 1.0)
    assert model.score(X, y) > 0.8
    khan = datasets.load_table(real_data / "khan_srbct.npz", target="y")
    model = RFVMClassifier().fit(khan.data, khan.target)
    assert len(model.classes_) == 4
    assert model.score(khan.data, khan.target) > 0.9
