"""The rivals are what they claim to be."""

from __future__ import annotations

import forest as forests
import native
import numpy as np
import pytest
from linear import srvm_scikit
from nonlinear import ard_kernel, plain_kernel, sgp_ard
from scipy.special import expit
from sklearn.ensemble import RandomForestClassifier
from summary import jaccard, nogueira
from task import Task, scaled


@pytest.fixture(scope="session")
def program():
    return native.build()


def study(seed: int, samples: int = 60, features: int = 400) -> tuple[np.ndarray, np.ndarray]:
    """Fat data whose first three features tell the classes apart."""
    random = np.random.default_rng(seed)
    truth = np.arange(samples) % 2 == 0
    x = random.normal(size=(samples, features))
    x[:, :3] += 1.5 * truth[:, None]
    return x, truth


@pytest.mark.parametrize("seed", range(6))
def test_srvm_is_that_of_fastrvm(program, seed):
    from fastrvm import RVC

    x, truth = study(seed)
    rows = (np.arange(40), np.arange(40, 60))
    ours = native.cell_of(program, "SRVM", x, truth, rows)
    train, test = scaled(x[:40], x[40:])
    theirs = RVC(kernel="linear", fit_intercept=True).fit(train, truth[:40].astype(int))
    assert len(ours["vectors"]) == int(theirs.n_relevance_[0])
    # Each stops at a tolerance of its own.
    assert np.max(np.abs(theirs.predict_proba(test)[:, 1] - ours["scores"])) < 0.005


def adam(x, t, rate, penalty_v, penalty_a, steps):
    """XOLON as its formulas stand, for a few rows."""
    n, d = x.shape
    values = np.concatenate([np.full(d, d**-0.5), (2 * t - 1) / n, [0.0]])
    first, second = np.zeros_like(values), np.zeros_like(values)
    for step in range(1, steps + 1):
        v, a, b = values[:d], values[d:-1], values[-1]
        residual = (expit(x @ (v**2 * (x.T @ a)) + b) - t) / n
        slope_v = 2 * v * (x.T @ a) * (x.T @ residual) + penalty_v * np.sign(v)
        slope_a = x @ (v**2 * (x.T @ residual)) + penalty_a * np.sign(a)
        slope = np.concatenate([slope_v, slope_a, [residual.sum()]])
        first = 0.9 * first + 0.1 * slope
        second = 0.999 * second + 0.001 * slope**2
        values = values - rate * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
    v, a, b = values[:d] ** 2, values[d:-1].copy(), values[-1]
    v[v < 1e-2 * v.max()] = 0.0
    a[np.abs(a) < 1e-3 * np.abs(a).max()] = 0.0
    return v, a, b


@pytest.mark.parametrize("setting", [(0.01, 1e-3, 1e-3), (0.1, 1e-2, 1e-4)])
def test_xolon_is_the_reference(program, setting):
    x, truth = study(0, samples=16, features=6)
    rows = (np.arange(12), np.arange(12, 16))
    ours = native.cell_of(program, "XOLON", x, truth, rows, xolon=list(setting))
    train, test = scaled(x[:12], x[12:])
    v, a, b = adam(train, truth[:12].astype(float), *setting, steps=500)
    assert np.allclose(expit(test @ (v * (train.T @ a)) + b), ours["scores"], atol=1e-6)
    assert {d for d, _ in ours["selected"]} == set(np.flatnonzero(v))
    assert len(ours["vectors"]) == np.count_nonzero(a)


def test_small_forests_are_inside_the_large_one():
    x, truth = study(1, samples=90)
    large = forests.forest(None, "sqrt", 2, 30, 16).fit(x[:60], truth[:60])
    found = forests.votes(large, x[60:], (2, 4, 16), (10, 30))
    for i, leaves in enumerate((2, 4, 16)):
        for j, trees in enumerate((10, 30)):
            alone = forests.forest(None, "sqrt", 2, trees, leaves).fit(x[:60], truth[:60])
            assert np.allclose(found[i, j], alone.predict_proba(x[60:])[:, 1])


def test_a_limit_that_no_tree_reaches_changes_nothing():
    x, truth = study(2)
    free = forests.forest(None, "log2", 5, 20, 8).fit(x, truth)
    limited = forests.forest(forests.deepest(free), "log2", 5, 20, 8).fit(x, truth)
    assert isinstance(free, RandomForestClassifier)
    assert np.array_equal(free.predict_proba(x), limited.predict_proba(x))


def test_the_relevance_vector_machine_of_the_paper_prunes_what_matters(program):
    random = np.random.default_rng(1)
    truth = np.arange(80) % 2 == 0
    x = random.normal(size=(80, 6000)) + random.normal(size=(80, 5)) @ random.normal(size=(5, 6000))
    x[:, :600] += 1.5 * truth[:, None]
    fitted = srvm_scikit(Task(x, truth, x[:5], None, 0))
    # Its search for the mode ends too early to see a use for the samples that the sequential algorithm
    # keeps.
    assert fitted.vectors <= 1
    assert len(native.cell_of(program, "SRVM", x, truth)["vectors"]) > 1
    assert np.all(np.isfinite(fitted.scores))


def test_stability_is_one_for_equal_selections_and_zero_for_random_ones():
    assert nogueira([{1, 2}] * 5, 100) == (1.0, 0.0)
    assert jaccard([{1, 2}, {2, 3}]) == pytest.approx(1 / 3)
    random = np.random.default_rng(0)
    chosen = [set(random.choice(50, 10, replace=False).tolist()) for _ in range(200)]
    index, half = nogueira(chosen, 50)
    assert abs(index) < 2 * half < 0.05


def test_slopes_of_the_gaussian_process_are_those_of_gpy():
    x, _ = study(3, features=50)
    weights = np.random.default_rng(0).normal(size=(60, 20))
    slopes = []
    for kernel in (plain_kernel(50), ard_kernel(50)):
        kernel.lengthscale[:] = np.linspace(3, 20, 50)
        kernel.update_gradients_full(weights, x, x[:20].copy())
        slopes.append(np.array(kernel.lengthscale.gradient))
    assert np.max(np.abs(slopes[0] - slopes[1])) < 1e-13 * np.max(np.abs(slopes[0]))


def test_a_budget_that_is_over_at_once_leaves_the_smallest_share():
    x, truth = study(4, features=30)
    fitted = sgp_ard(Task(x[:40], truth[:40], x[40:], None, 0, quick=True, budget=0.0))
    assert fitted.cut_short and fitted.setting == "share 0.2"
