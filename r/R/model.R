# A fitted model: the text of its file, and what the engine says of it.

as_model <- function(text) {
    told <- jsonlite::fromJSON(said(.Call(wrap__describe_model, text)), simplifyVector = FALSE)
    classes <- unlist(told$classes)
    if (is.null(classes)) {
        classes <- character()
    }
    several <- length(classes) > 2
    directions <- if (length(classes) == 2) classes else c("lower", "higher")
    number <- function(rows, name) vapply(rows, function(row) as.double(row[[name]]), 0)
    word <- function(rows, name) vapply(rows, function(row) as.character(row[[name]]), "")
    features <- lapply(seq_along(told$signatures), function(at) {
        rows <- told$signatures[[at]]$features
        part <- data.frame(
            feature = word(rows, "feature"), weight = number(rows, "weight"), sd = number(rows, "sd"),
            relevance = number(rows, "relevance")
        )
        # With several classes the weights are those of one class against the rest.
        part$class <- if (several) rep(classes[at], nrow(part)) else directions[number(rows, "class") + 1]
        part$signature <- rep(at, nrow(part))
        part
    })
    vectors <- lapply(seq_along(told$signatures), function(at) {
        rows <- told$signatures[[at]]$vectors
        part <- data.frame(sample = word(rows, "sample"), coefficient = number(rows, "coefficient"))
        if (several) {
            part$class <- rep(classes[at], nrow(part))
        }
        part$signature <- rep(at, nrow(part))
        part
    })
    effects <- told$covariates
    covariates <- data.frame(
        column = word(effects, "column"), effect = number(effects, "effect"), sd = number(effects, "sd"),
        alone = number(effects, "alone"), alone_sd = number(effects, "alone_sd")
    )
    counts <- as.integer(unlist(told$class_counts))
    structure(
        list(
            task = told$task,
            classes = classes,
            features = do.call(rbind, features),
            vectors = do.call(rbind, vectors),
            covariates = covariates,
            path = as_path(told$sizes),
            share = told$share,
            expected = unlist(told$expected),
            full = unlist(told$full),
            verdict = told$verdict,
            samples = told$samples,
            class_counts = if (length(counts) == length(classes)) stats::setNames(counts, classes) else counts,
            features_in = told$features_in,
            feature_count = told$feature_count,
            vector_count = told$vector_count,
            is_full = told$is_full,
            stop = told$stop,
            warnings = unlist(told$warnings),
            # The engine speaks of the program's option.
            worth = if (!is.null(told$worth)) gsub("--size full", "size = \"full\"", told$worth, fixed = TRUE),
            needed = as.character(unlist(told$needed)),
            stand_ins = as.character(unlist(told$stand_ins)),
            covariate_names = as.character(unlist(told$covariate_names)),
            made_up_features = told$made_up_features,
            version = told$version,
            text = text
        ),
        class = "rfvm"
    )
}

# The sizes of a path as a data frame.
as_path <- function(sizes) {
    part <- function(of) vapply(sizes, function(size) as.double(of(size)), 0)
    name <- function(size) {
        if (is.list(size)) paste(names(size), unlist(size)) else as.character(size)
    }
    chosen <- vapply(sizes, function(size) paste(vapply(size$chosen_as, name, ""), collapse = ", "), "")
    data.frame(
        features = as.integer(part(function(size) size$features)),
        share = part(function(size) size$share),
        loss = part(function(size) size$expected$loss),
        se = part(function(size) size$expected$se),
        behind = part(function(size) size$behind[[1]]),
        chosen_as = chosen
    )
}

#' Weights of a model
#'
#' @param object A model of [rfvm()].
#' @param ... Nothing.
#' @return The weights of the selected features, of which a feature changes the score by one standard deviation of its own: a named
#'   vector, largest first; with more than two classes a matrix with a column for each class against the rest. The weights of
#'   several signatures are those of their mean.
#' @examples
#' study <- simulate_study(samples = 60, features = 100)
#' coef(rfvm(study$x, study$y))
#' @export
coef.rfvm <- function(object, ...) {
    features <- object$features
    if (length(object$classes) > 2) {
        names <- unique(features$feature)
        weights <- matrix(features$weight, length(names), length(object$classes))
        dimnames(weights) <- list(names, object$classes)
        return(weights)
    }
    signatures <- max(1, features$signature)
    stats::setNames(features$weight / signatures, features$feature)
}

count_words <- function(count) format(count, big.mark = ",", trim = TRUE)

header_words <- function(x) {
    kind <- if (x$task == "regression") "regression" else paste(length(x$classes), "classes")
    counts <- if (length(x$classes) > 0) {
        paste0(" (", paste(x$class_counts, names(x$class_counts), collapse = ", "), ")")
    }
    c(
        sprintf(
            "RFVM, %s: %s of %s features, %s relevance vector%s", kind, count_words(x$feature_count),
            count_words(x$features_in), count_words(x$vector_count), if (x$vector_count == 1) "" else "s"
        ),
        paste0("Fitted on ", count_words(x$samples), " samples", counts)
    )
}

#' @export
print.rfvm <- function(x, ...) {
    cat(header_words(x), sep = "\n")
    if (x$feature_count > 0) {
        few <- utils::head(unique(x$features$feature), 10)
        more <- x$feature_count - length(few)
        cat("Features: ", paste(few, collapse = ", "), if (more > 0) paste(" and", count_words(more), "more"), "\n", sep = "")
    }
    if (!is.null(x$worth)) {
        cat(strwrap(x$worth), sep = "\n")
    }
    invisible(x)
}

#' What a model has found
#'
#' @param object A model of [rfvm()].
#' @param x What `summary` gave.
#' @param n How many features and relevance vectors are printed at most.
#' @param ... Nothing.
#' @return The signature, the relevance vectors, the effects of covariates and what the model is worth, as the model has them
#'   (see [rfvm()]); printing it shows them as tables.
#' @examples
#' study <- simulate_study(samples = 60, features = 100)
#' summary(rfvm(study$x, study$y))
#' @export
summary.rfvm <- function(object, ...) {
    kept <- c(
        "task", "classes", "features", "vectors", "covariates", "share", "expected", "full", "verdict", "samples",
        "class_counts", "features_in", "feature_count", "vector_count", "is_full", "warnings", "worth"
    )
    structure(unclass(object)[kept], class = "summary.rfvm")
}

#' @rdname summary.rfvm
#' @export
print.summary.rfvm <- function(x, n = 20, ...) {
    cat(header_words(x), sep = "\n")
    if (x$feature_count == 0) {
        cat("No feature carries enough signal", if (nrow(x$covariates) > 0) " beside the covariates", ".\n", sep = "")
    } else {
        cat("\nSignature", if (length(x$classes) > 2) " (weights for each class against the rest)", ":\n", sep = "")
        print_top(signature_table(x), n)
    }
    if (nrow(x$covariates) > 0) {
        cat("\nCovariates, allowed for and not selected:\n")
        print(x$covariates, row.names = FALSE, digits = 4)
    }
    if (x$feature_count > 0 && x$is_full) {
        cat("\nAll samples define the full model.\n")
    } else if (nrow(x$vectors) > 0) {
        cat("\nRelevance vectors:\n")
        print_top(shown_columns(x$vectors), n)
    }
    if (!is.null(x$worth)) {
        cat("\n")
        cat(strwrap(x$worth), sep = "\n")
    }
    for (words in x$warnings) {
        cat("To be checked: ", words, "\n", sep = "")
    }
    invisible(x)
}

# A line for each feature: with several classes a column of weights for each.
signature_table <- function(x) {
    if (length(x$classes) <= 2) {
        table <- shown_columns(x$features)
        names(table)[names(table) == "class"] <- "speaks for"
        return(table)
    }
    weights <- coef.rfvm(x)
    data.frame(feature = rownames(weights), weights, check.names = FALSE, row.names = NULL)
}

# Without the number of the signature where there is one only.
shown_columns <- function(table) {
    if (length(unique(table$signature)) > 1 && is.null(table$class)) table else table[names(table) != "signature"]
}

print_top <- function(table, n) {
    print(utils::head(table, n), row.names = FALSE, digits = 4)
    if (nrow(table) > n) {
        cat("  and ", count_words(nrow(table) - n), " more\n", sep = "")
    }
}
