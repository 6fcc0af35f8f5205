# The door to the engine: every call gives back a list of a result and an error, and the error is raised here.

said <- function(answer) {
    if (!is.null(answer$err)) {
        stop(answer$err, call. = FALSE)
    }
    answer$ok
}

# The longest that a job is done and nobody has looked, in seconds.
longest_nap <- 0.05

# Waits for work that the engine does on threads of its own. R hears of Ctrl-C and of time limits meanwhile, and the work ends
# with them.
finished <- function(job, verbose = FALSE) {
    on.exit(.Call(wrap__job_stop, job))
    bar <- NULL
    nap <- 0.001
    while (!.Call(wrap__job_is_done, job)) {
        Sys.sleep(nap)
        nap <- min(1.5 * nap, longest_nap)
        steps <- if (verbose) .Call(wrap__job_steps, job)
        if (verbose && steps[2] > 0) {
            if (is.null(bar)) {
                bar <- utils::txtProgressBar(max = steps[2], style = 3, file = stderr())
                on.exit(close(bar), add = TRUE)
            }
            utils::setTxtProgressBar(bar, min(steps[1], steps[2]))
        }
    }
    said(.Call(wrap__job_result, job))
}

# Texts as the engine takes them.
utf8 <- function(texts) if (is.null(texts)) NULL else enc2utf8(as.character(texts))

# Refuses what nobody asked for, a misspelt argument above all.
no_more <- function(...) {
    if (...length() > 0) {
        named <- names(list(...))
        what <- if (is.null(named) || !nzchar(named[1])) "one more argument" else paste0("the argument '", named[1], "'")
        stop("there is ", what, " that this does not take", call. = FALSE)
    }
}
