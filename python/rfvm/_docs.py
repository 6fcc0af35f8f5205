"""Texts that the docstrings of both estimators share."""

from __future__ import annotations

PARAMETERS = """
    method : {"projected", "signatures", "mean-field"}, default="projected"
        How the model is found: the full posterior over all features, or a small model projected from it; signatures of
        very few features each; the paper's model. No other parameter changes it, and one that it does not take is
        refused.
    size : {"compact", "balanced", "accurate", "full"} or int, optional
        Method projected: at most 3 features, at most 27, at most 55, all of them, or this many. By default balanced. A
        size by name takes the fewest features that keep 97 % (accurate: 99 %) of what the full model tells, or those
        within its limit that keep most, or fewer where those do clearly better than the full model.
    share : float, optional
        Method projected: the fewest features that keep this share of what the full model tells, between 0 and 1 (of
        the sizes up to 55). Instead of `size`.
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
    impute : {"median", "conditional"}, optional
        What takes the place of a missing value of a training row: the median, or what the features most like it tell of
        it on the other rows; such a model integrates over gaps of new samples. By default missing values are refused.
    missing : {"integrate", "substitute"}, optional
        What every prediction does about a value that the model needs and a sample lacks, also a column that a data
        frame lacks: integrate over it given the other features of the model, or given also the feature outside of it
        that is most like it. By default it is refused, or filled with the median where `impute` says so. It has no part
        in the fit: ``set_params(missing="integrate")`` does for a fitted or loaded model.
    log2 : bool, default=False
        Take log2(1 + x) of every value first, in the fit and in every prediction.
    feature_cost : dict, Series or path, optional
        What features cost, by name or by position of the column; cheap ones enter first, and `cost_` is what a model
        costs. What has no price counts as free. A price may be of a panel, by its name.
    cost_prior : float, default=1.0
        How strongly prices count: a feature of mean price gets ``1 + cost_prior`` times the precision of a free one. 0
        only tells them.
    feature_panels : dict, Series or path, optional
        Features that are bought together: panel to features, or feature to panel. Once one of a panel has entered, its
        others are free, and a model pays for a panel once.
    feature_blocks : dict, Series or path, optional
        Features of one kind, likewise: each block weighs as much as any other, however many features it has.
    annotation : DataFrame or path, optional
        Texts about the features (gene symbol, description, unit), which its index names: shown beside the names in
        tables, reports and exports.
    threads : int, optional
        Worker threads, which change the time and nothing else. By default ``OMP_NUM_THREADS``, else all cores; inside a
        thread of joblib, one.
    verbose : int, default=0
        1 shows progress, in a terminal and in a notebook.
    callback : callable, optional
        Called with an `rfvm.Iteration` after every iteration (method projected: several times a second, with the steps
        that are done); a true answer ends the fit: with what there is, which before the folds of the method projected
        are done is the base rate."""

ATTRIBUTES = """
    n_features_in_ : int
        Number of features of the training data.
    feature_names_in_ : ndarray of str
        Their names, where the training data had some.
    n_iter_ : int
        Iterations of the fit.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights w, per standard deviation of a feature (after bending, where it is scaled robustly). Here and in
        `relevance_` only where the columns are known: a model file knows names, `load` takes those of all columns.
    relevance_ : ndarray of shape (n_features,)
        Mean of v, the size of a weight that the relevance vectors' values do not explain; one for all classes.
    relevance_vectors_ : ndarray of int
        Rows of the training data that define the model.
    relevance_vector_names_ : ndarray
        Their labels, where the training data had some.
    dual_coef_ : ndarray of shape (1, n_relevance_vectors) or (n_classes, n_relevance_vectors)
        Coefficients a of the relevance vectors.
    signature_ : DataFrame
        The selected features: feature, weight, class, relevance, sd, number of the signature.
    signatures_ : list of DataFrame
        The same, a table for each signature of a committee, or for each of more than two classes.
    path_ : DataFrame
        The small models beside the full one (method projected only): size, vectors, explained share, expected loss and
        its standard error, how far behind the full model and the standard error of that, what the size was chosen as,
        features. Its ``attrs`` have the verdict on the data, and what the full model and the base rate should cost.
    verdict_ : {"signal", "weak", "nothing"} or None
        Whether there was anything to find (method projected only). A fit that finds nothing is the base rate (a full
        model is drawn to it) and warns, and so does a weak one.
    explained_share_ : float or None
        How much of what the full model tells the model keeps on rows that neither has seen: 1 for the full model
        itself. None where that is unknown.
    expected_loss_ : float or None
        What the model should cost on a new sample (log loss in nats; in a regression half the squared error, in units
        of the target's variance), the choice of its size included. None where that is unknown.
    cost_ : float or None
        What the features of the model cost, each panel once; None where nothing has a price.
    full_loss_ : float or None
        The same of the full model.
    correction_ : tuple
        Slope and intercept by which held-back rows corrected the moderated scores (Platt); 1 and 0 where there is no
        correction. More than two classes have a list of intercepts. A regression has it in its weights.
    bound_ : float
        The bound on the log evidence after the last iteration; NaN for the method projected, which has none.
    trace_ : DataFrame
        Bound and active sets, iteration by iteration.
    stop_reason_ : str
        Why the fit ended: converged, iteration_limit, interrupted, no_signal or breakdown.
    model_ : object
        The engine's model."""
