#' Model files
#'
#' A model file is the JSON file that the program's `rfvm fit -o` writes and `rfvm predict` reads, and that of the Python package.
#' `saveRDS()` keeps a model too.
#'
#' @param model A model of [rfvm()].
#' @param file The file. It appears whole or not at all.
#' @return `read_rfvm` gives the model, `write_rfvm` the file's name, invisibly.
#' @examples
#' study <- simulate_study(samples = 60, features = 100)
#' model <- rfvm(study$x, study$y)
#' file <- tempfile(fileext = ".json")
#' write_rfvm(model, file)
#' identical(predict(read_rfvm(file), study$x), predict(model, study$x))
#' @export
read_rfvm <- function(file) {
    as_model(said(.Call(wrap__read_model_file, path.expand(file))))
}

#' @rdname read_rfvm
#' @export
write_rfvm <- function(model, file) {
    if (!inherits(model, "rfvm")) {
        stop("model must be what rfvm() or read_rfvm() gave", call. = FALSE)
    }
    said(.Call(wrap__write_model_file, model$text, path.expand(file)))
    invisible(file)
}
