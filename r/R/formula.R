# Formulas here say which columns, and nothing of how to combine them: the engine takes features as they are, and R's own terms
# are slow with tens of thousands of them.

# Columns that a right-hand side names, `.` being all in `others`.
columns_of <- function(side, data, others) {
    if (is.call(side) && identical(side[[1]], as.name("("))) {
        return(columns_of(side[[2]], data, others))
    }
    if (is.call(side) && length(side) == 3 && as.character(side[[1]])[1] %in% c("+", "-")) {
        left <- columns_of(side[[2]], data, others)
        right <- columns_of(side[[3]], data, others)
        return(if (identical(side[[1]], as.name("+"))) union(left, right) else setdiff(left, right))
    }
    if (identical(side, as.name("."))) {
        return(others)
    }
    if (is.name(side)) {
        name <- as.character(side)
        if (!name %in% names(data)) {
            stop("data has no column '", name, "'", call. = FALSE)
        }
        return(name)
    }
    stop("the formula has '", paste(deparse(side), collapse = " "), "'; it may only add and leave out columns (y ~ . - age)",
        call. = FALSE
    )
}

# The parts of data that a formula and covariates name.
from_formula <- function(formula, data, covariates) {
    if (missing(data) || !is.data.frame(data)) {
        stop("data must be a data frame with the columns that the formula names", call. = FALSE)
    }
    if (length(formula) != 3) {
        stop("the formula must name what is predicted on its left: y ~ .", call. = FALSE)
    }
    allowed <- covariates
    if (inherits(covariates, "formula")) {
        if (length(covariates) != 2) {
            stop("covariates must be a formula with nothing on its left, ~ age + sex, or a data frame", call. = FALSE)
        }
        allowed <- data[columns_of(covariates[[2]], data, names(data))]
    }
    y <- eval(formula[[2]], data, environment(formula))
    others <- setdiff(names(data), c(all.vars(formula[[2]]), names(allowed)))
    features <- columns_of(formula[[3]], data, others)
    list(x = data[features], y = y, covariates = allowed)
}
