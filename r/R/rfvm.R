#' Fit a Relevance Feature and Vector Machine
#'
#' One fit finds the posterior over all features and projects a model of few from it. It says which features tell the classes
#' apart, which samples define the model, what the model should cost on new samples (log loss), and how much of what all
#' features tell the few keep.
#'
#' @param x A numeric matrix or data frame, samples as rows, or a formula. Names of columns and rows are kept; a sparse matrix of
#'   the package Matrix is unpacked.
#' @param y What is predicted, one value a row: a factor, texts, `TRUE` and `FALSE`, or numbers. Numbers of at most ten different
#'   whole values are classes, others a regression; `task` says otherwise. More than two classes get one panel of features
#'   for all of them.
#' @param formula What is predicted, `~`, and the columns that are features: `y ~ .`, `y ~ . - age`, `y ~ a + b`. Columns are
#'   taken as they are; nothing is combined or coded.
#' @param data A data frame with these columns.
#' @param covariates What is to be allowed for and not selected (age, sex, site): a data frame with one row a sample, or, with a
#'   formula, `~ age + sex`. Numbers have one effect per unit; anything else has one for every level but the most frequent.
#'   They are in every model, unpenalised, and what is told is what the features add to them.
#' @param size Which model: `"compact"` (at most 3 features), `"balanced"` (at most 27), `"accurate"` (at most 55), `"full"` (all
#'   features), or a number of features.
#' @param share Instead of `size`: the fewest features that keep this share of what the full model tells.
#' @param positive The class that is the positive one, or several that together are. By default it is the one whose name says so
#'   (case, yes, tumour, 1), else the last in order, and then a message says so.
#' @param task `"classification"`, `"regression"` or `"auto"`.
#' @param scaling `"robust"` (the default) or `"plain"`: how features are scaled.
#' @param impute What takes the place of a missing value: `"median"` or `"conditional"` (what the features most like it tell);
#'   without it missing values are refused.
#' @param log2 Whether to take log2(1 + x) of every value first, here and in every prediction.
#' @param weights A weight of each row: k is k copies of it.
#' @param class_weights `"balanced"`, or a number for each of two classes, by their names or negative class first.
#' @param groups The group of each row (a family, a patient): no group is split between the folds by which a size is chosen.
#' @param threads Worker threads, which change the time and nothing else. By default all cores, or `OMP_NUM_THREADS`.
#' @param verbose Whether to show a bar while it runs.
#' @param ... For the formula: the arguments above. Nothing else is taken.
#'
#' @details
#' The same numbers give the same model as the program's `rfvm fit`, to the last bit. There is no seed: nothing is drawn.
#'
#' Where there is nothing to find, or only a weak signal, a warning says so; the same with a column that is the target in other
#' words.
#'
#' Ctrl-C ends a fit at once.
#'
#' @return An object of class `rfvm`: a list with
#'   \item{features}{the signature: a data frame of features with weight, standard deviation of the weight, relevance, and the
#'     class that a high value speaks for; with several classes a line for each feature and class}
#'   \item{vectors}{the relevance vectors, the samples that define the model, with their coefficients}
#'   \item{covariates}{the effect of each covariate, beside the features and alone}
#'   \item{path}{what every size should cost and keep}
#'   \item{classes, samples, class_counts, features_in}{the classes, and what the model was fitted on}
#'   \item{share, expected, full}{the share that is kept, and what this model and the full one should cost on new samples}
#'   \item{verdict}{`"signal"`, `"weak"` or `"nothing"`}
#'   \item{text}{the text of the model file}
#' @seealso [predict.rfvm()], [summary.rfvm()], [plot.rfvm()], [cv_rfvm()], [write_rfvm()], [rfvm_report()]
#' @examples
#' study <- simulate_study(samples = 80, features = 200)
#' model <- rfvm(study$x, study$y)
#' model
#' coef(model)
#'
#' # The same with a formula, and allowing for age.
#' data <- data.frame(class = study$y, age = rep(40:59, 4), study$x)
#' rfvm(class ~ ., data, covariates = ~ age, size = "compact")
#' @export
rfvm <- function(x, ...) UseMethod("rfvm")

#' @rdname rfvm
#' @export
rfvm.default <- function(x, y, covariates = NULL, size = "balanced", share = NULL, positive = NULL, task = "auto",
                         scaling = NULL, impute = NULL, log2 = FALSE, weights = NULL, class_weights = NULL, groups = NULL,
                         threads = NULL, verbose = FALSE, ...) {
    no_more(...)
    if (!is.null(share) && missing(size)) {
        size <- NULL
    }
    data <- as_data(x, y, covariates, weights, groups, positive, task)
    settings <- as_settings(size, share, scaling, impute, log2, class_weights, data$given$classes, threads)
    job <- said(.Call(wrap__start_fit, data$x, c(data$given, settings)))
    model <- as_model(finished(job, verbose))
    model$call <- match.call()
    tell_what_to_check(model, identical(size, "full"))
    model
}

#' @rdname rfvm
#' @export
rfvm.formula <- function(formula, data, covariates = NULL, ...) {
    parts <- from_formula(formula, data, covariates)
    model <- rfvm.default(parts$x, parts$y, covariates = parts$covariates, ...)
    model$call <- match.call()
    model
}

# What a user should know before believing a model, as warnings.
tell_what_to_check <- function(model, is_full) {
    for (words in model$warnings) {
        warning(words, call. = FALSE)
    }
    words <- if (model$feature_count == 0) {
        switch(model$stop,
            breakdown = "the fit broke down on numbers that it could not compute with: this is the base rate",
            if (nrow(model$covariates) > 0) {
                "nothing was found beside the covariates that chance does not give too: the model predicts by these alone"
            } else {
                "nothing was found that chance does not give too: the model is the base rate"
            }
        )
    } else {
        switch(if (is.null(model$verdict)) "" else model$verdict,
            nothing = if (is_full) {
                "nothing was found that chance does not give too: the full model is drawn to the base rate"
            } else {
                "chance gives as much as was found; the features are there because their number was asked for"
            },
            weak = "the signal is weak: held-back rows do not show clearly that the model beats the base rate"
        )
    }
    if (!is.null(words)) {
        warning(words, call. = FALSE)
    }
}
