"""The perceptron and the sparse Gaussian process."""

from __future__ import annotations

import numpy as np
from sklearn.neural_network import MLPClassifier
from task import Fitted, Task, scaled

#: Steps of L-BFGS for the Gaussian process's length scales.
GP_STEPS = 50
LAYOUTS = ((100, 50), (100, 50, 100), (100, 50, 50, 100), (100, 50, 25, 50, 100))


def mlp(task: Task) -> Fitted:
    """scikit-learn's perceptron with its own defaults, four layouts."""
    layouts = LAYOUTS[:2] if task.quick else LAYOUTS

    def fitted(layout, x, truth):
        return MLPClassifier(layout, random_state=0).fit(x.astype(np.float32), truth)

    right = np.zeros(len(layouts))
    over, cut_short = task.clock(), False
    for i, layout in enumerate(layouts):
        cut_short = i > 0 and over()
        if cut_short:
            break
        for train, held, x, x_held in task.inner():
            found = fitted(layout, x, task.truth[train]).predict(x_held.astype(np.float32))
            right[i] += np.sum(found == task.truth[held])
    layout = layouts[right.argmax()]
    x, x_test = scaled(task.values, task.test)
    scores = fitted(layout, x, task.truth).predict_proba(x_test.astype(np.float32))[:, 1]
    setting = "layers " + "-".join(map(str, layout))
    return Fitted(scores, None, len(task.truth), setting, cut_short=cut_short)


def ard_kernel(features: int):
    """GPy's kernel with a length scale for every feature, its slopes as products of matrices.

    GPy goes through every feature and pair of rows, sum_ij t_ij (x_i - z_j)^2, and moves points that are held; both
    together are most of its time. Multiplied out, the sum is a product. The function that is climbed is GPy's own.
    """
    import GPy

    class Ard(GPy.kern.RBF):
        def _lengthscale_grads_cython(self, tmp, X, X2):
            squares = tmp.sum(1) @ np.square(X) + tmp.sum(0) @ np.square(X2) - 2.0 * np.sum(X * (tmp @ X2), axis=0)
            return -squares / self.lengthscale**3

        _lengthscale_grads_pure = _lengthscale_grads_cython

        def gradients_X(self, dL_dK, X, X2=None):
            return np.zeros(X.shape)

    return Ard(features, ARD=True, lengthscale=np.sqrt(features))


def plain_kernel(features: int):
    """The same with GPy's own slopes."""
    import GPy

    return GPy.kern.RBF(features, ARD=True, lengthscale=np.sqrt(features))


def gaussian_process(x, truth, share: float, steps: int, kernel=ard_kernel):
    """A sparse Gaussian process with a length scale for every feature; `None` where it fails.

    The logarithm of a probability of classes is never positive, so a positive marginal likelihood is a numerical
    failure.
    """
    import GPy

    rows = np.random.default_rng(0).permutation(len(x))[: max(1, round(share * len(x)))]
    try:
        model = GPy.models.SparseGPClassification(
            x, truth[:, None].astype(float), kernel=kernel(x.shape[1]), Z=x[rows].copy()
        )
        # Held where they are: as parameters that are fixed they would cost as much time as the climb.
        model.unlink_parameter(model.Z)
        model.optimize(max_iters=steps)
        likelihood = float(model.log_likelihood())
    except (np.linalg.LinAlgError, FloatingPointError, ValueError, ZeroDivisionError):
        return None, len(rows)
    return (model if np.isfinite(likelihood) and likelihood <= 0.0 else None), len(rows)


def sgp_ard(task: Task) -> Fitted:
    """SGP+ARD: inducing points at training rows, their share tuned; failed shares are out of the running."""
    shares = (0.2, 0.5) if task.quick else tuple(np.arange(1, 11) / 10)
    steps = 5 if task.quick else GP_STEPS
    right = np.full(len(shares), -1.0)
    # Where the seconds do not suffice for one share, the first is taken as it is.
    right[0] = 0.0
    over, cut_short = task.clock(), False
    for i, share in enumerate(shares):
        hits = 0.0
        for train, held, x, x_held in task.inner():
            cut_short = over()
            if cut_short:
                break
            model, _ = gaussian_process(x, task.truth[train], share, steps)
            if model is None:
                hits = -np.inf
                break
            hits += np.sum((model.predict(x_held)[0][:, 0] > 0.5) == task.truth[held])
        if cut_short:
            break
        right[i] = hits
    x, x_test = scaled(task.values, task.test)
    for i in np.argsort(-right, kind="stable")[: np.sum(right >= 0.0)]:
        model, points = gaussian_process(x, task.truth, shares[i], steps)
        if model is not None:
            scores = np.clip(model.predict(x_test)[0][:, 0], 0.0, 1.0)
            return Fitted(scores, None, points, f"share {shares[i]:g}", cut_short=cut_short)
    rate = float(np.mean(task.truth))
    return Fitted(np.full(len(task.test), rate), None, 0, "every share failed", cut_short=cut_short)
