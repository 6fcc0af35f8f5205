#' Simulate a study with known truth
#'
#' Features come in blocks that share a hidden factor, as co-expressed genes do. An informative feature is the first of a block and
#' is shifted up or down in the cases.
#'
#' @param samples Subjects, half of them cases.
#' @param features Measured features.
#' @param informative Features that differ between the classes.
#' @param effect Shift of an informative feature between the classes, in standard deviations.
#' @param block Features of a block.
#' @param correlation Correlation within a block.
#' @param seed The same seed draws the same study.
#' @return A list with the matrix `x`, the factor `y` (control, case) and the names of the informative features, `truth`.
#' @examples
#' study <- simulate_study(samples = 20, features = 50)
#' dim(study$x)
#' study$truth
#' @export
simulate_study <- function(samples = 100, features = 5000, informative = 5, effect = 1.2, block = 20, correlation = 0.6, seed = 1) {
    given <- lapply(
        list(
            samples = samples, features = features, informative = informative, effect = effect, block = block,
            correlation = correlation, seed = seed
        ),
        as.double
    )
    drawn <- said(.Call(wrap__simulate_study, given))
    x <- matrix(drawn$values, length(drawn$sample_names), length(drawn$feature_names))
    dimnames(x) <- list(drawn$sample_names, drawn$feature_names)
    list(x = x, y = factor(drawn$classes[drawn$labels], levels = drawn$classes), truth = drawn$feature_names[drawn$truth])
}
