# One study and one model for many tests.
study <- simulate_study(samples = 80, features = 200)
model <- rfvm(study$x, study$y, size = "compact")

# What cannot be tested here, told where the project's own checks count such things.
skip_and_tell <- function(name, lacks) {
    file <- Sys.getenv("RFVM_SKIPPED")
    if (nzchar(file)) {
        cat(name, "\t", lacks, "\n", sep = "", file = file, append = TRUE)
    }
    skip(lacks)
}
