"""On a cluster of several processes the numbers are those of the serial run."""

import joblib
import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, cross_validate

from rfvm import RFVMClassifier, resample


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        assert len(client.scheduler_info()["workers"]) == 2
        yield client


def everything(X, y):
    scores = cross_validate(RFVMClassifier(size="compact"), X, y, cv=4)["test_score"]
    search = GridSearchCV(RFVMClassifier(), {"size": [1, "compact"]}, cv=3).fit(X, y)
    found = resample(RFVMClassifier(size="compact"), X, y, cv=4, scoring="neg_log_loss")
    return scores, search.cv_results_["mean_test_score"], found.scores, found.support


def test_dask_gives_the_serial_numbers(cluster, study):
    serial = everything(study.data, study.target)
    with joblib.parallel_config(backend="dask", scatter=[study.data, study.target], wait_for_workers_timeout=60):
        distributed = everything(study.data, study.target)
    for one, other in zip(serial, distributed, strict=True):
        assert np.array_equal(one, other)


def test_processes_and_threads_of_this_machine_too(study):
    alone = resample(RFVMClassifier(size="compact"), study.data, study.target, cv=4)
    for backend in ("loky", "threading"):
        with joblib.parallel_config(backend=backend, n_jobs=2):
            found = resample(RFVMClassifier(size="compact"), study.data, study.target, cv=4)
        assert np.array_equal(found.support, alone.support)
        assert np.array_equal(found.scores, alone.scores)


def test_stability_and_frequencies(frame):
    found = resample(RFVMClassifier(size="compact"), frame.data, frame.target, cv=5, n_jobs=1)
    assert found.support.shape == (5, 400)
    assert found.table["frequency"].is_monotonic_decreasing
    assert set(found.table["feature"]) == set(frame.data.columns[found.support.any(axis=0)])
    assert 0.0 < found.stability <= 1.0
    same = type(found)(found.scores, np.repeat(found.support[:1], 5, axis=0), found.feature_names)
    assert same.stability == 1.0
