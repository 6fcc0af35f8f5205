test_that("a model has names, numbers and what it is worth", {
    expect_s3_class(model, "rfvm")
    expect_equal(model$classes, c("control", "case"))
    expect_equal(model$class_counts, c(control = 40, case = 40))
    expect_true(model$feature_count <= 3)
    expect_true(any(model$features$feature %in% study$truth))
    expect_named(model$features, c("feature", "weight", "sd", "relevance", "class", "signature"))
    expect_true(all(model$vectors$sample %in% rownames(study$x)))
    expect_equal(model$verdict, "signal")
    expect_true(model$expected[["loss"]] < model$expected[["base"]])
    expect_true(all(c("features", "share", "loss", "chosen_as") %in% names(model$path)))
    weights <- coef(model)
    expect_named(weights, model$features$feature)
    expect_equal(sign(unname(weights)), ifelse(model$features$class == "case", 1, -1))
})

test_that("it prints, and a summary says more", {
    expect_output(print(model), "RFVM, 2 classes: .* of 200 features.*40 control, 40 case")
    expect_output(print(summary(model)), "Signature.*speaks for.*Relevance vectors")
    expect_output(print(summary(rfvm(study$x, study$y, size = "full"))), "and 180 more.*All samples define the full model")
})

test_that("a matrix, a data frame and labels of any kind give one model", {
    again <- function(x, y) rfvm(x, y, size = "compact")$text
    expect_identical(again(as.data.frame(study$x), study$y), model$text)
    expect_identical(again(study$x, as.character(study$y)), model$text)
    expect_identical(again(study$x, factor(study$y, levels = c("case", "control"))), model$text)
    expect_identical(rfvm(study$x, study$y, size = "compact", threads = 1)$text, model$text)
    unnamed <- rfvm(unname(study$x), study$y == "case", size = "compact")
    expect_equal(unnamed$classes, c("FALSE", "TRUE"))
    expect_equal(unname(coef(unnamed)), unname(coef(model)))
    expect_equal(unname(predict(unnamed, unname(study$x), type = "response")),
        unname(predict(model, study$x, type = "response")))
})

test_that("which class is positive follows its name, or what was asked for", {
    kind <- factor(ifelse(study$y == "case", "ALL", "AML"))
    expect_message(told <- rfvm(study$x, kind, size = 2), "probabilities are of 'AML'")
    expect_equal(told$classes, c("ALL", "AML"))
    asked <- rfvm(study$x, kind, size = 2, positive = "ALL")
    expect_equal(asked$classes, c("AML", "ALL"))
    expect_equal(unname(coef(asked)), -unname(coef(told)))
    expect_equal(rfvm(study$x, as.integer(study$y == "case"), size = 2)$classes, c("0", "1"))
})

test_that("the size is what was asked for", {
    expect_equal(rfvm(study$x, study$y, size = 2)$feature_count, 2)
    share <- rfvm(study$x, study$y, share = 0.8)
    expect_true(share$share >= 0.8)
    full <- rfvm(study$x, study$y, size = "full")
    expect_equal(full$feature_count, 200)
    expect_true(full$is_full)
})

test_that("weights are copies, and class weights have names", {
    weighted <- rfvm(study$x, study$y, size = 2, weights = rep(c(2, 1), c(10, 70)))
    copied <- rfvm(unname(study$x[c(1:10, 1:80), ]), study$y[c(1:10, 1:80)], size = 2)
    expect_equal(unname(coef(copied)), unname(coef(weighted)))
    named <- rfvm(study$x, study$y, size = 2, class_weights = c(case = 3, control = 1))
    expect_identical(rfvm(study$x, study$y, size = 2, class_weights = c(1, 3))$text, named$text)
})

test_that("covariates are allowed for, by formula or by frame", {
    known <- data.frame(age = rep(40:59, 4), sex = rep(c("f", "m", "m"), length.out = 80))
    beside <- rfvm(study$x, study$y, covariates = known, size = "compact")
    expect_equal(beside$covariates$column, c("age", "sex: f against m"))
    data <- data.frame(class = study$y, known, study$x, row.names = rownames(study$x))
    by_formula <- rfvm(class ~ ., data, covariates = ~ age + sex, size = "compact")
    expect_identical(by_formula$text, beside$text)
    expect_identical(rfvm(class ~ . - age - sex, data, size = "compact")$text, model$text)
    expect_identical(predict(beside, study$x, covariates = known), predict(by_formula, data))
    expect_error(predict(beside, study$x), "the model allows for it, and the table does not have it")
    expect_output(print(summary(beside)), "Covariates, allowed for")
})

test_that("several classes have one panel", {
    kind <- rep(c("a", "b", "c", "a"), 20)
    x <- study$x
    x[kind == "b", 7] <- x[kind == "b", 7] + 3
    x[kind == "c", 50] <- x[kind == "c", 50] + 3
    several <- rfvm(x, kind, size = "compact")
    expect_equal(several$classes, c("a", "b", "c"))
    expect_equal(colnames(coef(several)), several$classes)
    probability <- predict(several, x, type = "prob")
    expect_equal(unname(rowSums(probability)), rep(1, 80))
    expect_true(mean(predict(several, x) == kind) > 0.8)
    expect_output(print(summary(several)), "weights for each class against the rest")
    expect_error(predict(several, x, type = "interval"), "must be one of 'class', 'prob', 'link'")
    one <- rfvm(x, kind, size = "compact", positive = "b")
    expect_equal(one$classes, c("not b", "b"))
})

test_that("many numbers are a regression", {
    number <- 2 * study$x[, 3] + cos(1:80)
    line <- rfvm(study$x, number)
    expect_equal(line$task, "regression")
    said <- predict(line, study$x)
    expect_true(cor(said, number) > 0.9)
    ends <- predict(line, study$x, type = "interval", level = 0.9)
    expect_true(all(ends$lower < ends$fit & ends$fit < ends$upper))
    expect_true(mean(ends$lower < number & number < ends$upper) > 0.8)
    expect_equal(rfvm(study$x, rep(1:4, 20), task = "regression", size = 2)$task, "regression") |>
        expect_warning("chance")
})

test_that("noise is called noise, and a leak a leak", {
    noise <- simulate_study(samples = 40, features = 100, effect = 0)
    expect_warning(nothing <- rfvm(noise$x, noise$y), "base rate")
    expect_equal(nothing$feature_count, 0)
    expect_output(print(summary(nothing)), "No feature carries enough signal")
    p <- predict(nothing, noise$x, type = "prob")
    expect_equal(dim(p), c(40, 2))
    expect_error(plot(nothing), "no feature")
    expect_warning(alone <- rfvm(noise$x, noise$y, covariates = data.frame(age = cos(1:40))), "predicts by these alone")
    expect_output(print(summary(alone)), "beside the covariates")
    leak <- cbind(study$x, told = as.integer(study$y))
    expect_warning(rfvm(leak, study$y), "told")
})
