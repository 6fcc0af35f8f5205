"""Predictions of samples that lack what the model needs."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest

import rfvm
from rfvm import RFVMClassifier


@pytest.fixture(scope="module")
def study():
    return rfvm.datasets.make_fat_classification(
        n_samples=80, n_features=120, effect=2.0, correlation=0.8, random_state=3
    )


@pytest.fixture(scope="module")
def frame(study):
    pd = pytest.importorskip("pandas")
    return pd.DataFrame(study.data, columns=[f"gene{d}" for d in range(study.data.shape[1])])


@pytest.fixture(scope="module")
def model(study, frame):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return RFVMClassifier(size=3).fit(frame, study.target)


def test_a_column_that_is_not_there_is_integrated_over(model, frame):
    (engine,) = model.models_
    lost = engine.needed_features[0]
    less = frame.drop(columns=lost)
    with pytest.raises(ValueError, match="feature"):
        model.predict_proba(less)
    complete = model.predict_latent(frame)[1]
    sd = {}
    for how in ("integrate", "substitute"):
        model.set_params(missing=how)
        sd[how] = model.predict_latent(less)[1]
        assert (model.predict_latent(frame)[1] == complete).all()
        assert all(row[0].startswith(lost) for row in model.filled(less))
    assert model.filled(less)[0][0].split(" by ")[1] in engine.stand_ins
    assert complete.mean() < sd["substitute"].mean() < sd["integrate"].mean()
    model.set_params(missing="guess")
    with pytest.raises(ValueError, match="'guess'; it must be 'integrate' or 'substitute', or None"):
        model.predict(less)
    model.set_params(missing=None)


def test_gaps_of_an_array_are_integrated_over_and_those_of_a_fit_are_not(study):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = RFVMClassifier(size=3, missing="integrate").fit(study.data, study.target)
    gap = study.data.copy()
    gap[4, model.get_support(indices=True)[1]] = np.nan
    plain, filled = model.predict_proba(study.data), model.predict_proba(gap)
    changed = (plain != filled).any(axis=1)
    assert changed.tolist() == [row == 4 for row in range(len(gap))]
    assert [len(row) for row in model.filled(gap)] == changed.astype(int).tolist()
    with pytest.raises(ValueError, match="NaN"):
        model.fit(gap, study.target)


def test_a_sample_with_a_gap_is_abstained_on_by_its_wider_interval_and_not_explained(study):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = RFVMClassifier(size=3, missing="integrate").fit(study.data, study.target)
    gap = study.data.copy()
    gap[4, model.get_support(indices=True)[0]] = np.nan
    plain, filled = model.predict_reject(study.data)[2], model.predict_reject(gap)[2]
    same = np.arange(len(gap)) != 4
    assert np.array_equal(plain[same], filled[same]) and not np.array_equal(plain[4], filled[4])
    assert filled[4, 0] < model.predict_proba(gap)[4, 1] < filled[4, 1]
    assert len(model.explain(study.data)) == (3 + 1) * len(gap)
    with pytest.raises(ValueError, match="missing"):
        model.explain(gap)


def test_validation_takes_the_same_parameter(model, frame, study):
    less = frame.drop(columns=model.models_[0].needed_features[0])
    model.set_params(missing="integrate")
    found = rfvm.validate(model, less, study.target)
    model.set_params(missing=None)
    assert found["missing"] == "integrate"
    assert all(row["filled"] for row in found["samples"])
    assert json.dumps(found)
