# The same numbers, to the last bit, as the program gives, whose place RFVM_PROGRAM says.

program <- function(...) {
    said <- tempfile()
    told <- tempfile()
    status <- system2(Sys.getenv("RFVM_PROGRAM"), shQuote(c(...)), stdout = said, stderr = told)
    if (status != 0) {
        stop(paste(readLines(told), collapse = "\n"))
    }
    paste(readLines(said), collapse = "\n")
}

# Doubles as text that reads as the same doubles; of read.csv, R does not promise the last bit.
write_table <- function(columns, file) {
    texts <- lapply(columns, function(column) if (is.double(column)) sprintf("%.17g", column) else as.character(column))
    writeLines(c(paste(names(columns), collapse = ","), do.call(paste, c(texts, sep = ","))), file)
    file
}

read_table <- function(file) {
    lines <- readLines(file)
    names <- strsplit(lines[1], ",")[[1]][-(1:2)]
    cells <- regmatches(lines[-1], regexpr("^([^,]*),([^,]*),", lines[-1]))
    numbers <- substring(lines[-1], nchar(cells) + 1)
    x <- jsonlite::fromJSON(paste0("[", paste0("[", numbers, "]", collapse = ","), "]"))
    words <- strsplit(cells, ",")
    dimnames(x) <- list(vapply(words, `[`, "", 1), names)
    list(x = x, y = vapply(words, `[`, "", 2))
}

needs_program <- function(name) {
    if (!nzchar(Sys.getenv("RFVM_PROGRAM"))) {
        skip_and_tell(name, "RFVM_PROGRAM does not say where the program is")
    }
}

text_of <- function(file) paste(readLines(file, warn = FALSE), collapse = "\n")

# The program says of a table which columns are no features; R has been given the features alone.
model_of <- function(text) {
    model <- jsonlite::fromJSON(text, simplifyVector = FALSE)$model
    model$training$unused <- NULL
    model
}

test_that("the demo's study gives the program's model and predictions", {
    needs_program("r/tests parity of the demo")
    folder <- tempfile()
    program("demo", "--out", folder)
    train <- read_table(file.path(folder, "train.csv"))
    test <- read_table(file.path(folder, "test.csv"))
    fitted <- rfvm(train$x, train$y)

    file <- tempfile(fileext = ".json")
    program("fit", file.path(folder, "train.csv"), "--target", "class", "-o", file)
    expect_true(identical(text_of(file), fitted$text))
    own <- tempfile(fileext = ".json")
    write_rfvm(fitted, own)
    expect_true(identical(readBin(own, "raw", 1e7), readBin(file, "raw", 1e7)))

    said <- jsonlite::fromJSON(program("predict", file, file.path(folder, "test.csv"), "--reject", "0.9", "--json"))
    said <- said$predictions
    expect_identical(unname(predict(fitted, test$x, type = "response")), said$probability)
    expect_identical(as.character(predict(fitted, test$x)), said$class)
    expect_identical(unname(predict(fitted, test$x, type = "link")), cbind(said$mean, said$sd))
    ends <- predict(fitted, test$x, type = "interval", level = 0.9)
    expect_identical(cbind(ends$lower, ends$upper), do.call(rbind, said$interval))
    expect_identical(ends$abstain, said$abstain)
    expect_identical(ends$unlike, said$unlike_training$far > 0 | said$unlike_training$uncertain)

    # Models of other methods are read and predict too.
    program("fit", file.path(folder, "train.csv"), "--target", "class", "--method", "signatures", "--signatures", "3", "-o", file)
    said <- jsonlite::fromJSON(program("predict", file, file.path(folder, "test.csv"), "--json"))$predictions
    several <- read_rfvm(file)
    expect_identical(unname(predict(several, test$x, type = "response")), said$probability)
    expect_equal(unique(several$features$signature), 1:3)
    expect_output(print(summary(several)), "Signature")
})

test_that("so do covariates, several classes, a regression, and a file of the one is read by the other", {
    needs_program("r/tests parity of other models")
    own <- tempfile(fileext = ".json")
    theirs <- tempfile(fileext = ".json")
    table <- tempfile(fileext = ".csv")
    features <- as.list(as.data.frame(study$x))
    known <- data.frame(age = 40 + 7 * cos(1:80), sex = rep(c("f", "m", "m"), length.out = 80))
    sample <- list(sample = rownames(study$x))

    write_table(c(sample, list(kind = study$y), known, features), table)
    fitted <- rfvm(study$x, study$y, covariates = known, size = "compact")
    program("fit", table, "--target", "kind", "--covariates", "age,sex", "--size", "compact", "-o", theirs)
    expect_true(identical(model_of(text_of(theirs)), model_of(fitted$text)))
    write_rfvm(fitted, own)
    said <- jsonlite::fromJSON(program("predict", own, table, "--json"))$predictions
    expect_identical(unname(predict(fitted, study$x, "response", covariates = known)), said$probability)

    kind <- rep(c("a", "b", "c", "a"), 20)
    shifted <- features
    shifted[[7]] <- shifted[[7]] + 3 * (kind == "b")
    shifted[[50]] <- shifted[[50]] + 3 * (kind == "c")
    x <- do.call(cbind, shifted)
    rownames(x) <- rownames(study$x)
    write_table(c(sample, list(kind = kind), shifted), table)
    program("fit", table, "--target", "kind", "--size", "full", "-o", theirs)
    fitted <- rfvm(x, kind, size = "full")
    expect_true(identical(text_of(theirs), fitted$text))
    said <- jsonlite::fromJSON(program("predict", theirs, table, "--json"))$predictions
    expect_identical(as.character(predict(read_rfvm(theirs), x)), said$class)

    number <- 2 * study$x[, 3] + cos(1:80)
    write_table(c(sample, list(number = number), features), table)
    program("fit", table, "--target", "number", "--task", "regression", "-o", theirs)
    fitted <- rfvm(study$x, unname(number))
    expect_true(identical(text_of(theirs), fitted$text))
    said <- jsonlite::fromJSON(program("predict", theirs, table, "--json"))$predictions
    expect_identical(unname(predict(fitted, study$x)), said$mean)
})

test_that("a cross-validation is the program's", {
    needs_program("r/tests parity of an evaluation")
    table <- write_table(
        c(list(sample = rownames(study$x), kind = study$y), as.list(as.data.frame(study$x))), tempfile(fileext = ".csv")
    )
    theirs <- program("evaluate", table, "--target", "kind", "--cv", "3", "--repeats", "2", "--seed", "7", "--json")
    theirs <- jsonlite::fromJSON(theirs, simplifyDataFrame = FALSE)
    found <- cv_rfvm(study$x, study$y, folds = 3, repeats = 2, seed = 7)$evaluation
    timeless <- function(evaluation) {
        evaluation$fit_seconds <- NULL
        evaluation$results <- lapply(evaluation$results, function(fold) fold[names(fold) != "fit_seconds"])
        evaluation[order(names(evaluation))]
    }
    expect_identical(timeless(found), timeless(theirs))
})
