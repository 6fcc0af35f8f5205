"""Texts that the docstrings of both estimators share."""

from __future__ import annotations

PARAMETERS = """
    method : {"projected", "signatures", "mean-field"}, default="projected"
        How the model is found: one model of a chosen size; signatures of very few features each; the paper's model. No
        other parameter changes it, and one that it does not take is refused.
    size : {"compact", "balanced", "accurate"} or int, optional
        Method projected: at most 3 features, at most 21, about 34, or this many. By default balanced.
    signatures : int, optional
        Methods signatures and mean-field: disjoint signatures to look for, by default 1; more make a committee.
    family : {"folded", "truncated", "gaussian"}, optional
        Method mean-field: the posterior of each feature weight. By default folded, the paper's.
    start_seed : int, optional
        Methods signatures and mean-field: start from random weights with this seed.
    max_iterations : int, optional
        Methods signatures and mean-field: end the fit of each signature here.
    scaling : {"plain", "robust"}, optional
        How features are scaled. By default robust for the method projected, plain for the others.
    impute : {"median"}, optional
        What takes the place of a missing value. By default missing values are refused.
    log2 : bool, default=False
        Take log2(1 + x) of every value first, in the fit and in every prediction.
    threads : int, optional
        Worker threads, which change the time and nothing else. By default ``OMP_NUM_THREADS``, else all cores; inside a
        thread of joblib, one.
    verbose : int, default=0
        1 shows progress, in a terminal and in a notebook.
    callback : callable, optional
        Called with an `rfvm.Iteration` after every iteration (of the path: every feature that enters); a true answer
        ends the fit."""

ATTRIBUTES = """
    n_features_in_ : int
        Number of features of the training data.
    feature_names_in_ : ndarray of str
        Their names, where the training data had some.
    n_iter_ : int
        Iterations of the fit.
    coef_ : sparse array of shape (n_models, n_features)
        Weights w, per standard deviation of a feature (after bending, where it is scaled robustly).
    relevance_ : ndarray of shape (n_features,) or (n_classes, n_features)
        Mean of v, the size of a weight that the relevance vectors' values do not explain.
    relevance_vectors_ : ndarray of int
        Rows of the training data that define the model.
    relevance_vector_names_ : ndarray
        Their labels, where the training data had some.
    dual_coef_ : ndarray of shape (n_models, n_relevance_vectors)
        Coefficients a of the relevance vectors.
    signature_ : DataFrame
        The selected features: feature, weight, class, relevance, sd, number of the signature.
    signatures_ : list of DataFrame
        The same, a table for each signature of a committee.
    path_ : DataFrame
        The signature path (method projected only): size, vectors, bound, expected loss and its standard error, how far
        behind the best point, precision, what the point was chosen as, features.
    bound_ : float, or ndarray of shape (n_classes,)
        The bound on the log evidence after the last iteration.
    trace_ : DataFrame
        Bound and active sets, iteration by iteration.
    stop_reason_ : str, or list of str
        Why the fit ended: converged, iteration_limit, interrupted, no_signal or breakdown.
    models_ : list
        The engine's models: one, or one per class where there are more than two."""
