#' What a fit is worth on samples it has not seen
#'
#' Cross-validates the whole fit, the choice of features and size included, as the program's `rfvm evaluate` does: the same data,
#' folds and seed give the same numbers.
#'
#' @param x,y,data,formula As in [rfvm()].
#' @param covariates,size,share,positive,task,scaling,impute,log2,weights,class_weights,threads As in [rfvm()].
#' @param groups The group of each row: no fold splits a group, and intervals respect them.
#' @param folds Number of folds, stratified by class.
#' @param repeats How often samples are dealt to folds.
#' @param seed By which they are dealt.
#' @param verbose Whether to show a bar while it runs.
#' @param ... For the formula: the arguments above. Nothing else is taken.
#' @return An object of class `rfvm_cv`: a list with
#'   \item{measures}{a data frame with a row for each measure (accuracy, AUC, log loss, ...): its mean, the standard deviation over
#'     folds and its 95 % interval}
#'   \item{selection}{how often each feature was selected}
#'   \item{predictions}{every prediction of a sample that the fit had not seen: the probability of the positive class, of every
#'     class where they are more than two, or the number of a regression}
#'   \item{evaluation}{everything that `rfvm evaluate --json` prints, as a list}
#'   \item{text}{the same as text, for [rfvm_report()]}
#' @examples
#' study <- simulate_study(samples = 60, features = 100)
#' cv_rfvm(study$x, study$y, size = "compact", folds = 3, repeats = 1)
#' @export
cv_rfvm <- function(x, ...) UseMethod("cv_rfvm")

#' @rdname cv_rfvm
#' @export
cv_rfvm.default <- function(x, y, covariates = NULL, size = "balanced", share = NULL, positive = NULL, task = "auto",
                            scaling = NULL, impute = NULL, log2 = FALSE, weights = NULL, class_weights = NULL, groups = NULL,
                            threads = NULL, folds = 5, repeats = 10, seed = 1, verbose = FALSE, ...) {
    no_more(...)
    if (!is.null(share) && missing(size)) {
        size <- NULL
    }
    data <- as_data(x, y, covariates, weights, groups, positive, task)
    settings <- as_settings(size, share, scaling, impute, log2, class_weights, data$given$classes, threads)
    dealing <- list(folds = as.double(folds), repeats = as.double(repeats), seed = as.double(seed))
    job <- said(.Call(wrap__start_evaluation, data$x, c(data$given, settings, dealing)))
    as_evaluation(finished(job, verbose))
}

#' @rdname cv_rfvm
#' @export
cv_rfvm.formula <- function(formula, data, covariates = NULL, ...) {
    parts <- from_formula(formula, data, covariates)
    cv_rfvm.default(parts$x, parts$y, covariates = parts$covariates, ...)
}

# The measures in the order in which they are shown, as the engine calls them.
known_measures <- c("accuracy", "balanced_accuracy", "auc", "log_loss", "brier", "rmse", "r2", "features", "vectors")

as_evaluation <- function(text) {
    evaluation <- jsonlite::fromJSON(text, simplifyDataFrame = FALSE)
    there <- intersect(known_measures, names(evaluation))
    there <- there[vapply(evaluation[there], is.list, logical(1))]
    rows <- lapply(evaluation[there], function(found) as.data.frame(found[c("mean", "sd", "low", "high")]))
    selection <- evaluation$selection
    predictions <- lapply(evaluation$results, function(fold) {
        said <- fold$predicted
        said <- if (is.matrix(said)) in_columns(said, evaluation$classes) else list(predicted = said)
        rows <- as.integer(fold$rows) + 1L
        data.frame(
            `repeat` = fold$`repeat` + 1L, fold = fold$fold + 1L, sample = evaluation$samples[rows], said,
            check.names = FALSE
        )
    })
    structure(
        list(
            measures = do.call(rbind, rows),
            selection = data.frame(
                feature = vapply(selection, function(row) row$feature, ""),
                frequency = vapply(selection, function(row) as.double(row$frequency), 0)
            ),
            predictions = do.call(rbind, predictions),
            evaluation = evaluation,
            text = text
        ),
        class = "rfvm_cv"
    )
}

# A column for each class.
in_columns <- function(probability, classes) stats::setNames(as.data.frame(probability), classes)

#' @export
print.rfvm_cv <- function(x, ...) {
    found <- x$evaluation
    cat(sprintf(
        "Cross-validation of %s samples and %s features: %d folds, %d repeat(s)\n", count_words(found$n),
        count_words(found$d), found$folds, found$repeats
    ))
    table <- x$measures
    names(table) <- c("mean", "sd of folds", "95 % from", "to")
    print(table, digits = 3)
    if (nrow(x$selection) > 0) {
        often <- utils::head(x$selection, 10)
        cat("Selected most often: ", paste0(often$feature, " (", round(100 * often$frequency), " %)", collapse = ", "), "\n",
            sep = ""
        )
    }
    for (words in found$notes) {
        cat(strwrap(words), sep = "\n")
    }
    invisible(x)
}
