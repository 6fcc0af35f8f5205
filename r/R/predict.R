#' What a model says of new samples
#'
#' @param object A model of [rfvm()] or [read_rfvm()].
#' @param newdata A numeric matrix or data frame, samples as rows. Features are found by the names of the columns; a model of a
#'   matrix without names takes one of as many columns.
#' @param type What to give, see below. By default the class, or the number of a regression.
#' @param level Probability of the intervals.
#' @param covariates The covariates of the new samples where the model allows for some; by default the columns of `newdata`.
#' @param missing What to do about values that are missing and features that `newdata` lacks: `"integrate"` over what they could
#'   be given the others, or `"substitute"` by the feature most like it, where that is there. By default they are refused, unless
#'   the model was fitted with `impute`.
#' @param ... Nothing.
#' @return
#'   \item{`"class"`}{a factor with the likelier class}
#'   \item{`"prob"`}{a matrix of probabilities with a column for each class}
#'   \item{`"response"`}{the probability of the positive class, or the number of a regression, as a vector}
#'   \item{`"link"`}{a matrix with mean and standard deviation of the latent score, noise included; with several classes the
#'     means, a column for each}
#'   \item{`"interval"`}{a data frame with the probability of the positive class, the ends of its interval, whether the interval
#'     holds both classes, so that one had better abstain, and whether the sample is unlike those that the model was trained on, so
#'     that the prediction extrapolates; of a regression the number, the ends of its interval, and the last of these}
#'   The rows have the names of `newdata`.
#' @examples
#' study <- simulate_study(samples = 100, features = 200)
#' model <- rfvm(study$x[1:80, ], study$y[1:80])
#' new <- study$x[81:100, ]
#' table(predict(model, new), study$y[81:100])
#' head(predict(model, new, type = "prob"))
#' head(predict(model, new, type = "interval", level = 0.9))
#' @export
predict.rfvm <- function(object, newdata, type = NULL, level = 0.95, covariates = NULL, missing = NULL, ...) {
    no_more(...)
    if (base::missing(newdata)) {
        stop("a model does not keep the samples that it was fitted on; give newdata", call. = FALSE)
    }
    classes <- object$classes
    type <- prediction_type(type, classes)
    given <- list(level = as.double(level), missing = one_of(missing, c("integrate", "substitute"), "missing"))
    rows <- nrow(newdata)
    if (is.null(rows)) {
        stop("newdata must be a numeric matrix or a data frame with samples as rows", call. = FALSE)
    }
    if (is.null(covariates) && length(object$covariate_names) > 0 && !is.null(colnames(newdata))) {
        there <- intersect(object$covariate_names, colnames(newdata))
        covariates <- if (length(there) > 0) as.data.frame(newdata)[there]
    }
    given$covariates <- as_covariates(covariates, rows, "newdata")
    samples <- if (!is.data.frame(newdata) || .row_names_info(newdata) > 0) rownames(newdata)
    wanted <- needed_columns(object, newdata, !is.null(given$missing))
    x <- wanted$x
    given$feature_names <- wanted$feature_names
    # Two samples of one name are two samples here.
    if (!is.null(samples) && anyDuplicated(samples) == 0) {
        given$sample_names <- utf8(samples)
    }
    said <- said(.Call(wrap__predict_rows, object$text, x, rows, given))
    shaped(said, type, level, classes, samples)
}

prediction_type <- function(type, classes) {
    known <- if (length(classes) == 0) {
        c("response", "link", "interval")
    } else if (length(classes) == 2) {
        c("class", "prob", "response", "link", "interval")
    } else {
        c("class", "prob", "link")
    }
    if (is.null(type)) {
        return(known[1])
    }
    if (!is.character(type) || length(type) != 1 || !type %in% known) {
        stop("type must be one of '", paste(known, collapse = "', '"), "' for this model", call. = FALSE)
    }
    type
}

# What newdata has of the features that the model needs and, where gaps may be filled, of those that stand in for them.
needed_columns <- function(object, newdata, gaps) {
    wanted <- object$needed
    if (length(wanted) == 0) {
        # The base rate needs no feature, and a table needs one.
        return(list(x = matrix(0, nrow(newdata), 1), feature_names = ""))
    }
    if (gaps) {
        wanted <- c(wanted, object$stand_ins)
    }
    names <- colnames(newdata)
    if (is.null(names)) {
        if (!object$made_up_features) {
            stop("newdata has no column names, by which the model finds its features", call. = FALSE)
        }
        if (ncol(newdata) != object$features_in) {
            stop("newdata has ", ncol(newdata), " columns, and the model was fitted on ", object$features_in, call. = FALSE)
        }
        at <- as.integer(substring(wanted, 2))
    } else {
        there <- wanted %in% utf8(names)
        if (!any(there)) {
            stop("newdata has none of the features that the model needs: ", paste(utils::head(wanted, 10), collapse = ", "),
                call. = FALSE
            )
        }
        wanted <- wanted[there]
        at <- match(wanted, utf8(names))
    }
    table <- as_numbers(newdata[, at, drop = FALSE], "newdata")
    list(x = table$x, feature_names = wanted)
}

# The engine's vectors as R has predictions.
shaped <- function(said, type, level, classes, samples) {
    by_class <- function(values) {
        matrix(values, ncol = length(classes), dimnames = list(samples, classes))
    }
    named <- function(values) stats::setNames(values, samples)
    frame <- function(...) {
        frame <- data.frame(...)
        if (!is.null(samples)) {
            row.names(frame) <- make.unique(samples)
        }
        frame
    }
    if (length(classes) > 2) {
        probability <- by_class(said$probability)
        return(switch(type,
            class = named_factor(classes[max.col(probability, "first")], classes, samples),
            prob = probability,
            link = by_class(said$mean)
        ))
    }
    if (type == "link") {
        return(matrix(c(said$mean, said$sd), ncol = 2, dimnames = list(samples, c("mean", "sd"))))
    }
    if (length(classes) == 0) {
        reach <- stats::qnorm((1 + level) / 2) * said$sd
        return(switch(type,
            response = named(said$mean),
            interval = frame(fit = said$mean, lower = said$mean - reach, upper = said$mean + reach, unlike = said$unlike)
        ))
    }
    p <- said$probability
    switch(type,
        class = named_factor(classes[1 + (p > 0.5)], classes, samples),
        prob = by_class(c(1 - p, p)),
        response = named(p),
        interval = frame(probability = p, lower = said$low, upper = said$high, abstain = said$abstains, unlike = said$unlike)
    )
}

named_factor <- function(values, classes, samples) stats::setNames(factor(values, levels = classes), samples)
