"""Pictures of a fitted model, with matplotlib (``pip install 'rfvm[plot]'``).

Every function draws into ``ax``, or into new axes, and returns them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from rfvm._base import RFVMBase
    from rfvm._classifier import RFVMClassifier

__all__ = [
    "plot_active_sets",
    "plot_calibration",
    "plot_explanation",
    "plot_path",
    "plot_relevance",
    "plot_signature",
    "plot_trace",
]


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("pictures need matplotlib: pip install 'rfvm[plot]'") from error
    return plt.subplots(layout="constrained")[1]


def plot_signature(model: RFVMBase, *, n_features: int = 50, ax: Any = None) -> Any:
    """Draw the weights of the selected features, with one standard deviation to each side.

    Parameters
    ----------
    model : RFVMClassifier or RFVMRegressor
        A fitted model.
    n_features : int, default=50
        At most so many, those of the largest weights: a full model has thousands.
    ax : matplotlib axes, optional
        Where to draw.

    Returns
    -------
    matplotlib axes
        The picture.
    """
    ax = _axes(ax)
    table = model.signature_
    table = table.loc[table["weight"].abs().nlargest(n_features).index.sort_values()][::-1]
    groups = table["class"].unique() if "class" in table else [None]
    for group in groups:
        rows = table if group is None else table[table["class"] == group]
        at = np.flatnonzero(np.ones(len(table)) if group is None else table["class"] == group)
        ax.errorbar(rows["weight"], at, xerr=rows["sd"], fmt="o", label=None if group is None else str(group))
    ax.axvline(0.0, color="grey", linewidth=0.8)
    ax.set_yticks(range(len(table)), table["feature"])
    ax.set_xlabel("weight per standard deviation")
    if "class" in table and len(table):
        ax.legend(title="class")
    if not len(table):
        ax.set_title("no feature: the base rate")
    return ax


def plot_trace(model: RFVMBase, *, ax: Any = None) -> Any:
    """Draw the bound on the log evidence against the iterations.

    Parameters
    ----------
    model : RFVMClassifier or RFVMRegressor
        Fitted by the method signatures or mean-field; no other has a bound.
    ax : matplotlib axes, optional
        Where to draw.

    Returns
    -------
    matplotlib axes
        The picture.
    """
    if np.isnan(model.bound_).all():
        raise ValueError("this model has no bound; plot_path shows what a fit of method='projected' found")
    ax = _axes(ax)
    for name, trace in _by_model(model):
        known = trace.dropna(subset=["bound"])
        ax.plot(known["number"], known["bound"], marker=".", label=name)
    ax.set_xlabel("iteration")
    ax.set_ylabel("bound on the log evidence")
    _legend(ax)
    return ax


def plot_active_sets(model: RFVMBase, *, ax: Any = None) -> Any:
    """Draw how many features and relevance vectors are active, iteration by iteration.

    Parameters
    ----------
    model : RFVMClassifier or RFVMRegressor
        A fitted model.
    ax : matplotlib axes, optional
        Where to draw.

    Returns
    -------
    matplotlib axes
        The picture.
    """
    ax = _axes(ax)
    for name, trace in _by_model(model):
        for what, style in (("features", "-"), ("vectors", "--")):
            ax.plot(trace["number"], trace[what], style, label=what if name is None else f"{what}, {name}")
    ax.set_yscale("log")
    ax.set_xlabel("iteration")
    ax.set_ylabel("active")
    _legend(ax)
    return ax


def plot_relevance(model: RFVMBase, *, ax: Any = None) -> Any:
    """Draw the coefficients of the relevance vectors.

    A sample that is not among them is redundant for this model; that says nothing of its worth for another.

    Parameters
    ----------
    model : RFVMClassifier or RFVMRegressor
        A fitted model.
    ax : matplotlib axes, optional
        Where to draw.

    Returns
    -------
    matplotlib axes
        The picture.
    """
    ax = _axes(ax)
    names = getattr(model, "relevance_vector_names_", getattr(model, "relevance_vectors_", None))
    at = np.arange(model.dual_coef_.shape[1])
    classes = getattr(model, "classes_", [None])
    for k, row in enumerate(model.dual_coef_):
        label = str(classes[k]) if len(model.dual_coef_) > 1 else None
        ax.vlines(at, 0.0, row, color=f"C{k}")
        ax.plot(at, row, "o", color=f"C{k}", label=label)
    ax.axhline(0.0, color="grey", linewidth=0.8)
    ax.set_xticks(at, names, rotation=90)
    ax.set_xlabel("sample")
    ax.set_ylabel("coefficient")
    _legend(ax)
    return ax


def plot_path(model: RFVMBase, *, ax: Any = None) -> Any:
    """Draw what each size should cost on new samples, and the share of the full model that it keeps.

    Parameters
    ----------
    model : RFVMClassifier or RFVMRegressor
        Fitted by the method projected.
    ax : matplotlib axes, optional
        Where to draw the loss, with the sizes that have names and, dashed, the full model's; the share gets an axis of
        its own at the right.

    Returns
    -------
    matplotlib axes
        The picture: the axes of the loss.
    """
    path = model.path_
    ax = _axes(ax)
    beside = ax.twinx()
    ax.errorbar(path["size"], path["loss"], yerr=path["se"], marker="o", color="C0")
    beside.plot(path["size"], path["share"], marker=".", linestyle=":", color="C0")
    if model.full_loss_ is not None:
        ax.axhline(model.full_loss_, color="C0", linestyle="--", linewidth=0.8)
    for _, point in path[path["chosen_as"] != ""].iterrows():
        ax.annotate(point["chosen_as"], (point["size"], point["loss"]), rotation=45, xytext=(4, 4),
                    textcoords="offset points")  # fmt: skip
    ax.set_xscale("log")
    ax.set_xlabel("features")
    ax.set_ylabel("expected loss on new samples (dashed: the full model)")
    beside.set_ylabel("explained share of the full model (dotted)")
    beside.set_ylim(top=1.0)
    return ax


def plot_calibration(model: RFVMClassifier, X: Any, y: Any, *, n_bins: int = 5, ax: Any = None) -> Any:
    """Draw how often a class is there against how probable the model calls it; use samples that it has not seen.

    Parameters
    ----------
    model : RFVMClassifier
        A fitted model.
    X : array-like of shape (n_samples, n_features)
        The samples.
    y : array-like of shape (n_samples,)
        Their classes.
    n_bins : int, default=5
        Bins of equally many samples.
    ax : matplotlib axes, optional
        Where to draw.

    Returns
    -------
    matplotlib axes
        The picture.
    """
    from sklearn.calibration import calibration_curve

    ax = _axes(ax)
    probability = model.predict_proba(X)
    several = len(model.classes_) > 2
    for k in range(len(model.classes_)) if several else [1]:
        is_class = np.asarray(y) == model.classes_[k]
        share, mean = calibration_curve(is_class, probability[:, k], n_bins=n_bins, strategy="quantile")
        ax.plot(mean, share, marker="o", label=str(model.classes_[k]))
    ax.plot([0, 1], [0, 1], color="grey", linewidth=0.8)
    ax.set_xlabel("predicted probability")
    ax.set_ylabel("observed share")
    _legend(ax)
    return ax


def plot_explanation(model: RFVMBase, x: Any, *, n_features: int = 12, ax: Any = None) -> Any:
    """Draw why one sample has its score: from the average training sample, feature by feature.

    Parameters
    ----------
    model : RFVMClassifier or RFVMRegressor
        A fitted model, of two classes or a number.
    x : array-like of shape (1, n_features)
        The sample.
    n_features : int, default=12
        At most so many, those that add most; the others are one bar.
    ax : matplotlib axes, optional
        Where to draw.

    Returns
    -------
    matplotlib axes
        The picture.
    """
    table = model.explain(x)
    if table["sample"].nunique() > 1 or "class" in table:
        raise ValueError("plot_explanation draws one sample of a model of two classes or of a number")
    ax = _axes(ax)
    base = float(table.loc[table["part"] == "base", "contribution"].iloc[0])
    parts = table[table["part"] == "feature"][:n_features]
    rest = float(table["contribution"].sum() - base - parts["contribution"].sum())
    names = ["average training sample", *parts["feature"]]
    adds = [base, *parts["contribution"]]
    if len(parts) < (table["part"] != "base").sum():
        names, adds = [*names, "all others"], [*adds, rest]
    starts = np.concatenate([[0.0], np.cumsum(adds)[:-1]])
    colors = ["grey", *("C1" if add > 0 else "C0" for add in adds[1:])]
    at = np.arange(len(names))[::-1] + 1
    ax.barh(at, adds, left=starts, color=colors)
    ax.barh(0, sum(adds), color="grey")
    ax.axvline(0.0, color="grey", linewidth=0.8)
    ax.set_yticks([*at, 0], [*names, "score"])
    ax.set_xlabel("score")
    return ax


def _by_model(model: RFVMBase) -> Any:
    """The trace of each signature, or of each class."""
    trace = model.trace_
    if "class" in trace:
        return [(str(name), part) for name, part in trace.groupby("class", sort=False)]
    if trace["signature"].nunique() > 1:
        return [(f"signature {name}", part) for name, part in trace.groupby("signature")]
    return [(None, trace)]


def _legend(ax: Any) -> None:
    if ax.get_legend_handles_labels()[1]:
        ax.legend()
