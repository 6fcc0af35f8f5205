test_that("predictions have names and add up", {
    new <- study$x[1:6, ]
    class <- predict(model, new)
    probability <- predict(model, new, type = "prob")
    expect_s3_class(class, "factor")
    expect_equal(dimnames(probability), list(rownames(new), c("control", "case")))
    expect_equal(unname(rowSums(probability)), rep(1, 6))
    expect_equal(names(class), rownames(new))
    expect_equal(as.character(class), ifelse(probability[, "case"] > 0.5, "case", "control"), ignore_attr = TRUE)
    expect_equal(predict(model, new, type = "response"), probability[, "case"])
    expect_equal(colnames(predict(model, new, type = "link")), c("mean", "sd"))
})

test_that("intervals hold the probability, and wider ones more", {
    narrow <- predict(model, study$x, type = "interval", level = 0.5)
    wide <- predict(model, study$x, type = "interval", level = 0.99)
    expect_true(all(narrow$lower < narrow$probability & narrow$probability < narrow$upper))
    expect_true(all(wide$lower < narrow$lower & narrow$upper < wide$upper))
    expect_identical(wide$abstain, wide$lower <= 0.5 & wide$upper >= 0.5)
    expect_error(predict(model, study$x, type = "interval", level = 95), "level is 95; it must be between 0 and 1")
})

test_that("columns are found by name, and only those that are needed", {
    needed <- names(coef(model))
    said <- predict(model, study$x, type = "prob")
    expect_identical(predict(model, study$x[, rev(needed)], type = "prob"), said)
    frame <- data.frame(study$x[, needed], site = "x")
    expect_identical(predict(model, frame, type = "prob"), said)
    expect_error(predict(model, study$x[, needed[-1]]), needed[1])
    expect_error(predict(model, study$x[, 2:3]), "none of the features that the model needs")
    expect_error(predict(model, unname(study$x)), "no column names")
})

test_that("gaps are refused or integrated over", {
    gap <- study$x[1:5, ]
    gap[2, names(coef(model))[1]] <- NA
    expect_error(predict(model, gap), "missing")
    filled <- predict(model, gap, type = "response", missing = "integrate")
    whole <- predict(model, study$x[1:5, ], type = "response")
    expect_identical(filled[-2], whole[-2])
    expect_false(filled[[2]] == whole[[2]])
    holed <- study$x
    holed[3, 4] <- NA
    expect_error(rfvm(holed, study$y), "1 values are missing")
    expect_s3_class(rfvm(holed, study$y, impute = "median", size = 2), "rfvm")
})

test_that("a drawing is drawn", {
    file <- tempfile(fileext = ".pdf")
    grDevices::pdf(file)
    plot(model)
    plot(model, type = "path")
    plot(rfvm(study$x, study$y, covariates = data.frame(age = cos(1:80)), size = 3), main = "beside age")
    grDevices::dev.off()
    expect_true(file.size(file) > 1000)
})
