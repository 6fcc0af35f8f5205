#' The Relevance Feature and Vector Machine
#'
#' A Bayesian classifier for fat data: few samples, very many features. [rfvm()] fits, `predict()` gives probabilities with their
#' intervals, [cv_rfvm()] says what a fit is worth on samples it has not seen, and [rfvm_report()] writes one page about all of
#' it. Numbers and model files are those of the command line program `rfvm`.
#'
#' @name rfvm-package
#' @docType package
#' @keywords internal
#' @useDynLib rfvm, .registration = TRUE
#' @importFrom stats coef predict
NULL
