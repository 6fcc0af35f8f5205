#' One page about a model
#'
#' Writes one self-contained HTML page about a model, its data and its evaluation: the page of the program's `rfvm report`. It needs
#' no network.
#'
#' @param model A model of [rfvm()].
#' @param x,y The samples that it was fitted on, and their target.
#' @param file The HTML file. It appears whole or not at all.
#' @param evaluation What [cv_rfvm()] gave for the same data and options, or the file that `rfvm evaluate -o` wrote. Without it the
#'   page has no curves of unseen samples, and says so.
#' @param covariates,weights,groups As in the fit.
#' @param name What the data are called on the page.
#' @return The file's name, invisibly.
#' @examples
#' study <- simulate_study(samples = 60, features = 100)
#' model <- rfvm(study$x, study$y)
#' page <- tempfile(fileext = ".html")
#' rfvm_report(model, study$x, study$y, page)
#' file.size(page)
#' @export
rfvm_report <- function(model, x, y, file, evaluation = NULL, covariates = NULL, weights = NULL, groups = NULL, name = "study") {
    if (!inherits(model, "rfvm")) {
        stop("model must be what rfvm() or read_rfvm() gave", call. = FALSE)
    }
    data <- as_data(x, y, covariates, weights, groups, NULL, "auto", as_model = model$classes)
    given <- data$given
    given$evaluation <- if (inherits(evaluation, "rfvm_cv")) {
        evaluation$text
    } else if (!is.null(evaluation)) {
        enc2utf8(paste(readLines(evaluation, encoding = "UTF-8", warn = FALSE), collapse = "\n"))
    }
    said(.Call(wrap__write_report, model$text, data$x, given, path.expand(file), utf8(name)))
    invisible(file)
}
