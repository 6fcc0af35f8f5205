"""The same numbers in any container give the same model."""

import numpy as np
import pandas
import pytest
from scipy import sparse

from rfvm import RFVMClassifier, RFVMRegressor, load


@pytest.fixture(scope="module")
def expected(study):
    return RFVMClassifier(size="compact").fit(np.ascontiguousarray(study.data), study.target)


def same(model, expected):
    assert np.array_equal(model.get_support(), expected.get_support())
    assert np.array_equal(model.coef_, expected.coef_)
    assert model.expected_loss_ == expected.expected_loss_
    assert np.array_equal(model.relevance_vectors_, expected.relevance_vectors_)
    return True


def test_memory_orders_and_views(study, expected):
    doubled = np.empty((study.data.shape[0] * 2, study.data.shape[1] * 2))
    doubled[::2, ::2] = study.data
    for X in (np.asfortranarray(study.data), doubled[::2, ::2], np.ascontiguousarray(study.data)[:, :]):
        assert same(RFVMClassifier(size="compact").fit(X, study.target), expected)


def test_memory_mapped_files(study, expected, tmp_path):
    np.save(tmp_path / "x.npy", study.data)
    X = np.load(tmp_path / "x.npy", mmap_mode="r")
    assert same(RFVMClassifier(size="compact").fit(X, study.target), expected)


def test_single_precision_is_read_as_it_is(study):
    single = study.data.astype(np.float32)
    once = RFVMClassifier(size="compact").fit(single, study.target)
    assert same(once, RFVMClassifier(size="compact").fit(single.astype(np.float64), study.target))
    assert once.transform(single).dtype == np.float32


@pytest.mark.parametrize("container", [sparse.csc_matrix, sparse.csr_array, sparse.coo_array])
def test_sparse_matrices(study, container):
    X = np.where(study.data > 8.5, study.data, 0.0)
    dense = RFVMClassifier(size="compact").fit(X, study.target)
    model = RFVMClassifier(size="compact").fit(container(X), study.target)
    assert same(model, dense)
    assert np.array_equal(model.predict_proba(container(X)), dense.predict_proba(X))


def test_pandas_names_features_and_samples(frame, expected):
    model = RFVMClassifier(size="compact").fit(frame.data, frame.target)
    assert same(model, expected)
    chosen = frame.data.columns[model.get_support()]
    assert list(model.get_feature_names_out()) == list(chosen)
    assert set(model.signature_["feature"]) == set(chosen)
    assert list(model.relevance_vector_names_) == list(frame.data.index[model.relevance_vectors_])
    selected = model.set_output(transform="pandas").transform(frame.data)
    assert selected.equals(frame.data[chosen])
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame.data[frame.data.columns[::-1]])


def test_polars_and_pyarrow(frame, expected):
    polars, pyarrow = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    for table in (polars.from_pandas(frame.data), pyarrow.Table.from_pandas(frame.data, preserve_index=False)):
        model = RFVMClassifier(size="compact").fit(table, frame.target)
        assert same(model, expected)
        assert list(model.feature_names_in_) == list(frame.data.columns)
        assert np.array_equal(model.predict_proba(table), expected.predict_proba(frame.data.to_numpy()))


def test_a_model_from_a_file_finds_columns_by_name(frame, expected, tmp_path):
    polars, pyarrow = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    RFVMClassifier(size="compact").fit(frame.data, frame.target).save(tmp_path / "model.json")
    model = RFVMClassifier.load(tmp_path / "model.json")
    probability = expected.predict_proba(frame.data.to_numpy())
    shuffled = frame.data[frame.data.columns[::-1]]
    tables = (shuffled, polars.from_pandas(shuffled), pyarrow.Table.from_pandas(shuffled))
    for table in tables:
        assert np.array_equal(model.predict_proba(table), probability)
    with pytest.raises(ValueError, match="names of the columns"):
        model.predict(frame.data.to_numpy())
    with pytest.raises(ValueError, match="lacks 3 feature"):
        model.predict(frame.data.drop(columns=model.signature_["feature"]))
    named = RFVMClassifier.load(tmp_path / "model.json", feature_names=list(frame.data.columns))
    assert np.array_equal(named.get_support(), expected.get_support())
    with pytest.raises(ValueError, match="400 features, got 2"):
        RFVMClassifier.load(tmp_path / "model.json", feature_names=["a", "b"])


def test_anndata(frame, expected):
    anndata = pytest.importorskip("anndata")
    state = pandas.DataFrame({"state": frame.target_names[frame.target]}, index=frame.data.index)
    adata = anndata.AnnData(frame.data, obs=state)
    adata.layers["tripled"] = sparse.csr_matrix(3.0 * adata.X)
    model = RFVMClassifier(size="compact").fit_anndata(adata, target="state")
    assert list(model.classes_) == ["case", "control"]
    assert np.array_equal(model.get_support(), expected.get_support())
    assert set(adata.var_names[model.get_support()]) == set(model.signature_["feature"])
    assert model.predict(adata).shape == (60,)
    tripled = RFVMClassifier(size="compact").fit_anndata(adata, target="state", layer="tripled")
    assert np.array_equal(tripled.get_support(), expected.get_support())
    with pytest.raises(ValueError, match="no column 'sate'; it has state"):
        RFVMClassifier().fit_anndata(adata, target="sate")
    with pytest.raises(ValueError, match="not those of the fit"):
        model.predict(adata[:, ::-1])
    adata.obs["dose"] = np.where(np.arange(60) % 7 == 0, np.nan, frame.data.iloc[:, 3])
    fitted = RFVMRegressor(size=1).fit_anndata(adata, target="dose")
    assert fitted.get_support(indices=True).tolist() == [3]


def test_missing_values_are_refused_or_filled_in(study):
    X = study.data.copy()
    X[::9, ::2] = np.nan
    with pytest.raises(ValueError, match=r"NaN: 1400 missing values, the first in row 0, column 0; impute"):
        RFVMClassifier().fit(X, study.target)
    model = RFVMClassifier(size="compact", impute="median").fit(X, study.target)
    filled = np.where(np.isnan(X), np.nanmedian(X, axis=0), X)
    assert np.allclose(model.predict_proba(X), model.predict_proba(filled))
    assert set(model.get_support(indices=True)) & set(study.truth)


def test_a_missing_value_is_named(frame):
    anndata = pytest.importorskip("anndata")
    X = frame.data.copy()
    model = RFVMClassifier(size="compact").fit(X, frame.target)
    X.iloc[7, 3] = np.nan
    sentence = "a missing value in row 'subject008', column 'gene00004'; impute"
    forms = [X, anndata.AnnData(X), sparse.csr_array(X.to_numpy()), X.to_numpy()]
    for form, words in zip(forms, [sentence, sentence, "row 7, column 3", "row 7, column 3"], strict=True):
        with pytest.raises(ValueError, match=words):
            RFVMClassifier().fit(form, frame.target)
    # Of a frame only what the model needs is looked at.
    assert "gene00004" not in set(model.signature_["feature"])
    model.predict(X)
    needed = model.signature_["feature"][0]
    X.loc["subject008", needed] = np.nan
    with pytest.raises(ValueError, match=f"a missing value in row 'subject008', column '{needed}'; impute"):
        model.predict(X)


def test_weights_are_copies(study):
    rows = np.random.default_rng(4).integers(0, 4, size=60)
    X, y = study.data.repeat(rows, axis=0), study.target.repeat(rows)
    for parameters in ({}, {"method": "signatures", "signatures": 2}, {"class_weight": "balanced"}):
        copied = RFVMClassifier(**parameters).fit(X, y)
        weighted = RFVMClassifier(**parameters).fit(study.data, study.target, sample_weight=rows)
        assert np.array_equal(copied.predict_proba(study.data), weighted.predict_proba(study.data))
    ones = RFVMClassifier().fit(study.data, study.target, sample_weight=np.ones(60))
    assert np.array_equal(ones.coef_, RFVMClassifier().fit(study.data, study.target).coef_)


def test_names_that_repeat_are_refused(frame):
    data = frame.data.set_axis(["twice", "twice", *frame.data.columns[2:]], axis=1)
    with pytest.raises(ValueError, match="'twice'"):
        RFVMClassifier().fit(data, frame.target)


def test_columns_that_only_look_numbered_are_read_by_name_after_a_load(tmp_path):
    rng = np.random.default_rng(4)
    values = rng.normal(size=(60, 8))
    y = (values[:, 5] > 0).astype(int)
    # Real names that count from 0, so that their number is not their place; rows likewise.
    frame = pandas.DataFrame(values, columns=[f"f{d}" for d in range(8)], index=[f"s{n}" for n in range(60)])
    model = RFVMClassifier(size=2).fit(frame, y)
    model.save(tmp_path / "named.json")
    again = load(tmp_path / "named.json")
    assert np.array_equal(again.predict_proba(frame), model.predict_proba(frame))
    shuffled = frame[frame.columns[::-1]]
    assert np.array_equal(again.predict_proba(shuffled), model.predict_proba(frame))
    # Row s5 is the sixth: its name is all that a file can say.
    assert not hasattr(again, "relevance_vectors_")
    # Arrays have no names, and theirs are made up.
    plain = RFVMClassifier(size=2).fit(values, y)
    plain.save(tmp_path / "plain.json")
    assert np.array_equal(load(tmp_path / "plain.json").predict_proba(values), plain.predict_proba(values))
