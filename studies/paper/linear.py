"""The linear rivals: l1 support vector machine, elastic net, and the relevance vector machine of one package."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import sparse
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.linear_model import LogisticRegression
from task import Fitted, Task, machine, scaled, used

#: C of the elastic net and of the support vector machine.
PENALTIES = np.logspace(-4, 3, 8)
#: Passes of saga over the rows; each C starts where the one before ended.
SAGA_PASSES = 100


def sparse_if_binary(task: Task):
    """Rows as the l1 models take them: dorothea's ones stay sparse, and are then scaled but not centred."""
    if set(np.unique(task.values[:20])) <= {0.0, 1.0} and task.values.mean() < 0.1:
        return sparse.csr_matrix(task.values), sparse.csr_matrix(task.test)
    return task.values, task.test


def svm_l1(task: Task) -> Fitted:
    """LinearSVC with an l1 penalty; it is defined by the rows on or inside the margin."""
    values, test = sparse_if_binary(task)
    grid = PENALTIES[2:6:2] if task.quick else PENALTIES
    right = np.zeros(len(grid))
    for train, held, x, x_held in task.inner(values):
        for i, c in enumerate(grid):
            right[i] += np.sum(machine(c).fit(x, task.truth[train]).predict(x_held) == task.truth[held])
    c = grid[right.argmax()]
    x, x_test = scaled(values, test)
    model = machine(c).fit(x, task.truth)
    margin = (2.0 * task.truth - 1.0) * model.decision_function(x)
    return Fitted(
        model.decision_function(x_test),
        used(model.coef_[0]),
        int(np.sum(margin < 1.0)),
        f"C {c:g}",
        is_probability=False,
    )


def elastic_path(x, truth, ratio: float, grid, predict: Callable):
    """Models for every C from the strongest penalty on, each started from the last."""
    model = LogisticRegression(
        l1_ratio=ratio, solver="saga", warm_start=True, max_iter=SAGA_PASSES, tol=1e-3, random_state=0
    )
    for c in grid:
        model.set_params(C=c).fit(x, truth)
        yield predict(model)


def lr_elastic(task: Task) -> Fitted:
    """Logistic regression with an elastic net, by saga."""
    values, test = sparse_if_binary(task)
    grid = PENALTIES[2:6] if task.quick else PENALTIES
    ratios = [1.0, 0.5] if task.quick else [1.0, 0.75, 0.5, 0.25, 0.0]
    right = np.zeros((len(grid), len(ratios)))
    for train, held, x, x_held in task.inner(values):
        for j, ratio in enumerate(ratios):
            path = elastic_path(x, task.truth[train], ratio, grid, lambda m, rows=x_held: m.predict(rows))
            for i, found in enumerate(path):
                right[i, j] += np.sum(found == task.truth[held])
    i, j = np.unravel_index(right.argmax(), right.shape)
    x, x_test = scaled(values, test)
    path = elastic_path(
        x, task.truth, ratios[j], grid[: i + 1], lambda m: (m.predict_proba(x_test)[:, 1], m.coef_[0].copy())
    )
    scores, weights = list(path)[-1]
    return Fitted(scores, used(weights), len(task.truth), f"C {grid[i]:g} l1 {ratios[j]:g}")


#: Its defaults: first precision, precision from which a weight is pruned, change of a precision that ends the fit.
FIRST_PRECISION, LARGEST_PRECISION, SETTLED = 1e-6, 1e9, 1e-3


def srvm_scikit(task: Task) -> Fitted:
    """The row of the paper that looks odd: all samples at first, pruned in rounds, never below one.

    The posterior's mode is sought by Newton-CG, whose rule to stop looks at the length of a step. Weights of a linear
    kernel over thousands of features are of that length themselves, so the search can end after its first step.
    """
    x, x_test = scaled(task.values, task.test)
    t = task.truth.astype(float)
    basis = np.column_stack([x @ x.T, np.ones(len(x))])
    #: Position of every kept basis function; the last one is the intercept.
    kept = np.arange(basis.shape[1])
    precision, mean = np.full(len(kept), FIRST_PRECISION), np.zeros(len(kept))

    def height(w, phi, a):
        f = phi @ w
        return np.sum(np.logaddexp(0.0, f) - t * f) + 0.5 * np.sum(a * w * w), a * w - phi.T @ (t - expit(f))

    def curvature(w, phi, a):
        y = expit(phi @ w)
        return np.diag(a) + phi.T @ ((y * (1.0 - y))[:, None] * phi)

    over, cut_short = task.clock(), False
    for number in range(3000):
        cut_short = over()
        if cut_short:
            break
        now = (basis[:, kept], precision)
        found = minimize(height, mean, now, jac=True, hess=curvature, method="Newton-CG", options={"maxiter": 50})
        mean = found.x
        gained = 1.0 - precision * np.diag(np.linalg.inv(curvature(mean, *now)))
        fresh = gained / np.maximum(mean**2, 1e-100)
        stay = fresh < LARGEST_PRECISION
        if not stay.any():
            stay[[0, -1]] = True
        settled = stay.all() and np.max(np.abs(fresh - precision)) < SETTLED
        kept, precision, mean = kept[stay], fresh[stay], mean[stay]
        if settled and number > 1:
            break
    weights = np.zeros(basis.shape[1])
    weights[kept] = mean
    scores = expit(x_test @ (x.T @ weights[:-1]) + weights[-1])
    return Fitted(scores, None, int(np.sum(kept < len(x))), "", cut_short=cut_short)
