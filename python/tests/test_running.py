"""Around a fit: the interpreter goes on, Ctrl-C ends it, callbacks see it, threads are as many as they should be."""

import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
from joblib import Parallel, delayed

from rfvm import RFVMClassifier, datasets
from rfvm._running import Progress, worker_threads


@pytest.fixture(scope="module")
def large():
    return datasets.make_fat_classification(n_samples=100, n_features=20000, random_state=2)


def test_other_threads_run_during_a_fit(large):
    """Where a fit holds the lock, this loop gets no turn between its beginning and its end."""
    ticks, done = [], threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    began = time.monotonic()
    RFVMClassifier(threads=1).fit(large.data, large.target)
    ended = time.monotonic()
    done.set()
    thread.join()
    during = [at for at in ticks if began < at < ended]
    assert np.diff(during).max() < max(0.2, (ended - began) / 4)


@pytest.mark.parametrize("parameters", ["", "method='mean-field'", "method='signatures', signatures=50"])
def test_ctrl_c_ends_a_fit_within_half_a_second(parameters):
    code = f"""
        import sys, time
        from rfvm import RFVMClassifier, datasets
        study = datasets.make_fat_classification(n_samples=200, n_features=40000)
        print("ready", flush=True)
        try:
            while True:
                RFVMClassifier({parameters}).fit(study.data, study.target)
        except KeyboardInterrupt:
            print("ended", time.time(), flush=True)
    """
    process = subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.7)
        sent = time.time()
        process.send_signal(signal.SIGINT)
        word, at = process.communicate(timeout=60)[0].split()
        assert word == "ended"
        assert float(at) - sent < 0.5
    finally:
        process.kill()


def test_a_callback_sees_each_iteration_and_can_end_the_fit(study):
    seen = []
    model = RFVMClassifier(method="signatures", callback=seen.append).fit(study.data, study.target)
    assert [iteration.number for iteration in seen] == list(range(1, model.n_iter_ + 1))
    assert seen[-1].bound == model.bound_
    ending = RFVMClassifier(method="signatures", callback=lambda iteration: iteration.number == 3)
    stopped = ending.fit(study.data, study.target)
    assert stopped.stop_reason_ == "interrupted"
    assert stopped.n_iter_ < model.n_iter_

    folds = []
    RFVMClassifier(callback=folds.append).fit(study.data, study.target)
    assert {fold.phase for fold in folds} == {"path"}
    assert folds[-1].number == folds[-1].total
    stopped = RFVMClassifier(callback=lambda fold: True).fit(study.data, study.target)
    assert stopped.stop_reason_ == "interrupted"


def test_what_a_callback_raises_comes_out(study):
    def fail(iteration):
        raise LookupError("enough")

    for method in ("projected", "signatures"):
        with pytest.raises(LookupError, match="enough"):
            RFVMClassifier(method=method, callback=fail).fit(study.data, study.target)


def test_progress_shows_in_a_terminal_and_is_silent_elsewhere(study, monkeypatch, capsys):
    RFVMClassifier(verbose=1).fit(study.data, study.target)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(Progress, "__init__", _visible(Progress.__init__))
    RFVMClassifier(verbose=1).fit(study.data, study.target)
    text = capsys.readouterr().err
    assert "steps [" in text
    assert text.endswith("\n")


def _visible(init):
    def visible(self, *given):
        init(self, *given)
        self.visible = True

    return visible


def test_threads_change_nothing_but_the_time(study):
    for size in ("balanced", "full"):
        one, two = (RFVMClassifier(size=size, threads=n).fit(study.data, study.target) for n in (1, 2))
        assert np.array_equal(one.coef_, two.coef_)
        assert one.path_.equals(two.path_)


def test_the_number_of_threads(monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    assert worker_threads(3) == 3
    assert worker_threads(None) is None
    assert Parallel(n_jobs=2, backend="threading")(delayed(worker_threads)(None) for _ in range(2)) == [1, 1]
    # joblib tells its processes their share.
    shares = Parallel(n_jobs=2, backend="loky")(delayed(os.getenv)("OMP_NUM_THREADS") for _ in range(2))
    assert [int(share) for share in shares] == [max(1, os.cpu_count() // 2)] * 2


def _probability(X, y):
    return RFVMClassifier(size="compact").fit(X, y).predict_proba(X)


@pytest.mark.filterwarnings("ignore:This process")
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes(study, method):
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"this system cannot {method}")
    expected = _probability(study.data, study.target)
    with multiprocessing.get_context(method).Pool(2) as pool:
        for got in pool.starmap(_probability, [(study.data, study.target)] * 2):
            assert np.array_equal(got, expected)


def test_fits_in_several_threads_at_once(study):
    expected = _probability(study.data, study.target)
    for got in Parallel(n_jobs=4, backend="threading")(
        delayed(_probability)(study.data, study.target) for _ in range(8)
    ):
        assert np.array_equal(got, expected)
