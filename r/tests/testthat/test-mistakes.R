test_that("a mistake gets one clear sentence", {
    x <- study$x
    y <- study$y
    expect_error(rfvm(x, y[-1]), "y has 79 values, and x has 80 rows")
    expect_error(rfvm(x, replace(y, 3, NA)), "y has no value for row 3")
    expect_error(rfvm(x, rep("case", 80)), "at least two classes")
    expect_error(rfvm(x, rep(1, 80), task = "regression"), "nothing to predict")
    expect_error(rfvm("a", y), "x must be a numeric matrix or a data frame")
    expect_error(rfvm(data.frame(x, site = "a"), y), "column 'site' of x is not numeric")
    expect_error(rfvm(x, y, sise = 3), "the argument 'sise'")
    expect_error(rfvm(x, y, size = "small"), "size is 'small'; it must be compact, balanced")
    expect_error(rfvm(x, y, size = 2.5), "size is '2.5'")
    expect_error(rfvm(x, y, size = 3, share = 0.9), "give one of them")
    expect_error(rfvm(x, y, share = 90), "share")
    expect_error(rfvm(x, y, positive = "tumour"), "there is no class 'tumour'; the classes are 'case', 'control'")
    expect_error(rfvm(x, y, scaling = "log"), "scaling must be one of 'plain', 'robust'")
    expect_error(rfvm(x, y, weights = 1:3), "expected 80 sample weights, one per sample, got 3")
    expect_error(rfvm(x, y, groups = 1:3), "expected 80 groups")
    expect_error(rfvm(x, y, class_weights = c(a = 1, b = 2)), "must be the classes: control, case")
    expect_error(rfvm(x, y, covariates = data.frame(age = 1:3)), "covariate 'age' has 3 values")
    expect_error(rfvm(x, y, covariates = data.frame(age = replace(1:80, 2, NA))), "'age': sample 'subject002' has no value")
    infinite <- replace(x, 5, Inf)
    expect_error(rfvm(infinite, y), "feature 'gene00001' of sample 'subject005' is inf")
    expect_error(predict(model), "give newdata")
    expect_error(predict(model, x, type = "probs"), "type must be one of 'class', 'prob'")
    data <- data.frame(class = y, x)
    expect_error(rfvm(class ~ log(gene00001), data), "may only add and leave out columns")
    expect_error(rfvm(class ~ gene, data), "no column 'gene'")
    expect_error(cv_rfvm(x, y, folds = 1), "folds")
    expect_error(cv_rfvm(x, y, repeats = 0), "repeats is 0")
})

test_that("time limits and Ctrl-C end a fit, and R goes on", {
    # Large enough to take longer than the limit on any machine.
    large <- simulate_study(samples = 200, features = 20000)
    began <- proc.time()[["elapsed"]]
    limited <- function() {
        setTimeLimit(elapsed = 0.2, transient = TRUE)
        on.exit(setTimeLimit())
        cv_rfvm(large$x, large$y, repeats = 20)
    }
    expect_error(limited(), "time limit")
    expect_true(proc.time()[["elapsed"]] - began < 30)
    expect_s3_class(rfvm(study$x, study$y, size = 2), "rfvm")
})
