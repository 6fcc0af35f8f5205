# From what R users have to what the engine takes: a matrix of doubles with names, a target, covariates.

# `what` is what the user calls it.
as_numbers <- function(x, what) {
    if (inherits(x, "Matrix")) {
        x <- as.matrix(x)
    }
    samples <- NULL
    if (is.data.frame(x)) {
        wrong <- names(x)[!vapply(x, function(column) is.numeric(column) || is.logical(column), logical(1))]
        if (length(wrong) > 0) {
            stop("column '", wrong[1], "' of ", what, " is not numeric; leave it out, make numbers of it, or allow for it ",
                "with covariates",
                call. = FALSE
            )
        }
        # Numbers that R made up are no names.
        if (.row_names_info(x) > 0) {
            samples <- row.names(x)
        }
        features <- names(x)
        x <- matrix(as.double(unlist(x, use.names = FALSE)), nrow(x), length(features))
    } else if (is.matrix(x) && (is.numeric(x) || is.logical(x))) {
        samples <- rownames(x)
        features <- colnames(x)
        dimnames(x) <- NULL
        storage.mode(x) <- "double"
    } else {
        stop(what, " must be a numeric matrix or a data frame with samples as rows", call. = FALSE)
    }
    list(x = x, feature_names = utf8(features), sample_names = utf8(samples))
}

# More numbers than this are no codes of classes; the program has the same rule.
most_numbered_classes <- 10

# Classes as texts, or numbers to be predicted.
as_target <- function(y, rows, task) {
    if (is.data.frame(y) || is.matrix(y)) {
        if (ncol(y) != 1) {
            stop("y has ", ncol(y), " columns; it must be one value a sample", call. = FALSE)
        }
        y <- y[, 1]
    }
    if (!is.atomic(y)) {
        stop("y must be a factor, texts, TRUE and FALSE, or numbers", call. = FALSE)
    }
    if (length(y) != rows) {
        stop("y has ", length(y), " values, and x has ", rows, " rows; give one value a row", call. = FALSE)
    }
    if (anyNA(y)) {
        stop("y has no value for row ", which(is.na(y))[1], "; leave such samples out", call. = FALSE)
    }
    if (task == "auto") {
        different <- unique(y)
        coded <- length(different) <= 2 ||
            length(different) <= most_numbered_classes && is.numeric(y) && all(different == round(different))
        task <- if (is.numeric(y) && !coded) "regression" else "classification"
    }
    if (task == "regression") {
        if (!is.numeric(y)) {
            stop("y must be numbers where task is 'regression'", call. = FALSE)
        }
        list(numbers = as.double(y))
    } else {
        list(texts = utf8(y))
    }
}

# Numbers stay, everything else is a word.
as_covariates <- function(covariates, rows, what = "x") {
    if (is.null(covariates)) {
        return(NULL)
    }
    if (is.matrix(covariates)) {
        covariates <- as.data.frame(covariates)
    }
    if (!is.list(covariates) || is.null(names(covariates)) || any(!nzchar(names(covariates)))) {
        stop("covariates must be a data frame or a named list, a column for each", call. = FALSE)
    }
    covariates <- as.list(covariates)
    names(covariates) <- utf8(names(covariates))
    for (name in names(covariates)) {
        column <- covariates[[name]]
        if (length(column) != rows) {
            stop("covariate '", name, "' has ", length(column), " values, and ", what, " has ", rows,
                " rows; give one value a row",
                call. = FALSE
            )
        }
        if (is.numeric(column)) {
            covariates[[name]] <- as.double(column)
        } else {
            words <- utf8(column)
            # The engine's sign of what is not there.
            words[is.na(column)] <- "NA"
            covariates[[name]] <- words
        }
    }
    covariates
}

# One of several words, or nothing.
one_of <- function(given, words, name) {
    if (is.null(given)) {
        return(NULL)
    }
    if (!is.character(given) || length(given) != 1 || !given %in% words) {
        stop(name, " must be one of '", paste(words, collapse = "', '"), "', or NULL", call. = FALSE)
    }
    given
}

# All that the engine is told of a data set; `as_model` has the classes of a model where there is one.
as_data <- function(x, y, covariates, weights, groups, positive, task, as_model = NULL) {
    table <- as_numbers(x, "x")
    rows <- nrow(table$x)
    if (is.null(as_model)) {
        task <- match.arg(task, c("auto", "classification", "regression"))
    } else {
        task <- if (length(as_model) == 0) "regression" else "classification"
    }
    given <- list(
        feature_names = table$feature_names,
        sample_names = table$sample_names,
        covariates = as_covariates(covariates, rows)
    )
    target <- as_target(y, rows, task)
    if (is.null(target$texts)) {
        if (!is.null(positive)) {
            stop("a positive class was named for numbers to be predicted; leave out positive or the task", call. = FALSE)
        }
        given$numbers <- target$numbers
    } else {
        classes <- said(.Call(wrap__classes_of, target$texts, list(positive = utf8(positive), as_model = as_model)))
        if (!is.na(classes$note)) {
            message(classes$note)
        }
        given$classes <- classes$names
        given$labels <- classes$labels
    }
    if (!is.null(weights)) {
        if (!is.numeric(weights)) {
            stop("weights must be numbers, one a row", call. = FALSE)
        }
        given$weights <- as.double(weights)
    }
    if (!is.null(groups)) {
        if (anyNA(groups)) {
            stop("groups has no value for row ", which(is.na(groups))[1], "; give every row a group", call. = FALSE)
        }
        given$groups <- match(groups, unique(groups))
    }
    list(x = table$x, given = given)
}

# What a fit is told beside its data.
as_settings <- function(size, share, scaling, impute, log2, class_weights, classes, threads) {
    given <- list(
        size = if (is.null(size)) NULL else if (is.numeric(size)) format(size, scientific = FALSE) else as.character(size),
        share = if (is.null(share)) NULL else as.double(share),
        scaling = one_of(scaling, c("plain", "robust"), "scaling"),
        impute = one_of(impute, c("median", "conditional"), "impute"),
        log2 = isTRUE(log2),
        threads = if (is.null(threads)) NULL else as.double(threads)
    )
    if (identical(class_weights, "balanced")) {
        given$balanced_classes <- TRUE
    } else if (!is.null(class_weights)) {
        if (!is.numeric(class_weights) || length(class_weights) != length(classes)) {
            stop("class_weights must be 'balanced' or a number for each class", call. = FALSE)
        }
        if (!is.null(names(class_weights))) {
            if (!setequal(names(class_weights), classes)) {
                stop("the names of class_weights must be the classes: ", paste(classes, collapse = ", "), call. = FALSE)
            }
            class_weights <- class_weights[classes]
        }
        given$class_weights <- as.double(class_weights)
    }
    given
}
