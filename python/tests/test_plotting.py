"""Pictures show what the tables say."""

import numpy as np
import pytest

from rfvm import RFVMClassifier, RFVMRegressor, plotting

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("agg")


@pytest.fixture(autouse=True)
def _close():
    yield
    matplotlib.pyplot.close("all")


@pytest.fixture(scope="module", params=["path", "classic", "committee", "classes"])
def model(request, study):
    parameters = {
        "path": {},
        "classic": {"method": "signatures"},
        "committee": {"method": "signatures", "signatures": 2},
        "classes": {"size": 2},
    }
    y = np.arange(60) % 3 if request.param == "classes" else study.target
    return RFVMClassifier(**parameters[request.param]).fit(study.data, y)


def test_every_picture_of_every_model(model, study):
    ax = plotting.plot_signature(model)
    assert [label.get_text() for label in ax.get_yticklabels()] == model.signature_["feature"].tolist()[::-1]
    if model.method == "projected":
        with pytest.raises(ValueError, match="no bound; plot_path shows"):
            plotting.plot_trace(model)
    else:
        bounds = np.concatenate([line.get_ydata() for line in plotting.plot_trace(model).get_lines()])
        assert np.allclose(np.sort(bounds), np.sort(model.trace_["bound"].dropna()))
    active = plotting.plot_active_sets(model).get_lines()
    assert sum(len(line.get_ydata()) for line in active) == 2 * len(model.trace_)
    ax = plotting.plot_relevance(model)
    assert len(ax.get_xticks()) == len(model.relevance_vectors_)
    y = study.target if len(model.classes_) == 2 else np.arange(60) % 3
    _, figure = matplotlib.pyplot.subplots()
    assert plotting.plot_calibration(model, study.data, y, ax=figure) is figure


def test_the_path(study):
    model = RFVMClassifier().fit(study.data, study.target)
    ax = plotting.plot_path(model)
    loss, full = (line for line in ax.get_lines() if len(line.get_ydata()) > 0)
    assert np.allclose(loss.get_ydata(), model.path_["loss"])
    assert np.allclose(full.get_ydata(), model.full_loss_)
    assert len(ax.texts) == (model.path_["chosen_as"] != "").sum()
    (beside,) = (other for other in ax.figure.axes if other is not ax)
    assert np.allclose(beside.get_lines()[0].get_ydata(), model.path_["share"])


def test_the_path_of_several_classes(study):
    y = np.array(["a", "b", "c"])[study.target + (study.data[:, 7] > np.median(study.data[:, 7]))]
    model = RFVMClassifier().fit(study.data, y)
    ax = plotting.plot_path(model)
    assert any(
        np.allclose(line.get_ydata(), model.path_["loss"]) for line in ax.get_lines() if len(line.get_ydata()) > 2
    )
    assert len(ax.texts) == (model.path_["chosen_as"] != "").sum()


def test_a_full_model_shows_its_largest_weights(study):
    model = RFVMClassifier(size="full").fit(study.data, study.target)
    ax = plotting.plot_signature(model, n_features=7)
    assert [label.get_text() for label in ax.get_yticklabels()] == model.signature_["feature"].head(7).tolist()[::-1]
    assert len(plotting.plot_signature(model).get_yticklabels()) == 50


def test_a_regression(study):
    model = RFVMRegressor(size=3).fit(study.data, study.data[:, 5] + study.data[:, 50])
    assert plotting.plot_signature(model).get_legend() is None
    plotting.plot_relevance(model)
