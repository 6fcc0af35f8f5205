#' Draw a model
#'
#' @param x A model of [rfvm()].
#' @param type `"weights"`: the weights of the selected features with their intervals; `"path"`: what a model of every number of
#'   features should cost on new samples, beside the full model and the base rate.
#' @param n How many features are drawn at most, largest first.
#' @param level Probability of the intervals.
#' @param ... Further graphical parameters, for [graphics::plot.default()].
#' @return `x`, invisibly.
#' @examples
#' study <- simulate_study(samples = 80, features = 200)
#' model <- rfvm(study$x, study$y)
#' plot(model)
#' plot(model, type = "path")
#' @export
plot.rfvm <- function(x, type = c("weights", "path"), n = 20, level = 0.95, ...) {
    switch(match.arg(type),
        weights = plot_weights(x, n, level, ...),
        path = plot_path(x, ...)
    )
    invisible(x)
}

plot_weights <- function(model, n, level, xlab = NULL, ylab = "", main = "Weights of the selected features", ...) {
    if (model$feature_count == 0) {
        stop("the model has selected no feature, so there is no weight to draw", call. = FALSE)
    }
    features <- model$features
    shown <- utils::head(unique(features$feature), n)
    features <- features[features$feature %in% shown, ]
    several <- length(model$classes) > 2
    class <- match(features$class, model$classes)
    lines <- match(features$feature, shown)
    # The weights of several classes lie below one another.
    shift <- if (several) (class - mean(seq_along(model$classes))) * 0.6 / length(model$classes) else 0
    at <- length(shown) + 1 - lines - shift
    reach <- stats::qnorm((1 + level) / 2) * features$sd
    # Without its black; many classes share colours.
    colours <- rep(grDevices::palette.colors(9, "Okabe-Ito")[-1], length.out = max(1, length(model$classes)))
    colour <- if (several) colours[class] else 1
    if (is.null(xlab)) {
        xlab <- if (several) {
            "weight for the class against the rest"
        } else if (length(model$classes) == 2) {
            paste0(model$classes[1], "  <  weight  >  ", model$classes[2])
        } else {
            "weight"
        }
    }
    room <- max(graphics::strwidth(shown, "inches", cex = 0.8)) / graphics::par("csi") + 1.5
    old <- graphics::par(mar = c(4.1, min(max(room, 4.1), 16), 3.1, 1.1))
    on.exit(graphics::par(old))
    graphics::plot.default(features$weight, at,
        xlim = range(0, features$weight - reach, features$weight + reach), ylim = c(0.5, length(shown) + 0.5),
        yaxt = "n", pch = 19, col = colour, xlab = xlab, ylab = ylab, main = main, ...
    )
    graphics::abline(v = 0, lty = 3)
    graphics::segments(features$weight - reach, at, features$weight + reach, at, col = colour)
    graphics::axis(2, rev(seq_along(shown)), shown, las = 1, cex.axis = 0.8)
    if (several) {
        graphics::legend("bottomright", model$classes, col = colours, pch = 19, bg = "white")
    }
}

plot_path <- function(model, xlab = "features", ylab = "expected loss on a new sample", main = "Models of every size", ...) {
    path <- model$path
    if (nrow(path) == 0) {
        stop("the model has no path: it was not projected, or nothing was found", call. = FALSE)
    }
    full <- model$full
    graphics::plot.default(path$features, path$loss,
        log = "x", type = "b", pch = 19, ylim = range(path$loss - path$se, path$loss + path$se, full[c("loss", "base")]),
        xlab = xlab, ylab = ylab, main = main, ...
    )
    graphics::segments(path$features, path$loss - path$se, path$features, path$loss + path$se)
    graphics::abline(h = full[c("loss", "base")], lty = c(2, 3))
    graphics::legend("topright", c("full model", "base rate"), lty = c(2, 3), bg = "white", inset = 0.02)
    named <- path[nzchar(path$chosen_as), ]
    graphics::text(named$features, named$loss, named$chosen_as, pos = 3, cex = 0.8, xpd = NA)
}
