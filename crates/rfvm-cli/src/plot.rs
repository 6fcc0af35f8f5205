//! Pictures as SVG text: no library draws just this, and a few lines of SVG need none.

use std::fmt::Write;

use rfvm::{Path, Task};

use crate::commands::path::marks;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 400.0;
/// Left, right, top, bottom.
const MARGIN: [f64; 4] = [70.0, 20.0, 24.0, 56.0];

/// Size against expected loss with standard errors, the base rate, and the chosen points named.
pub(crate) fn path_plot(path: &Path) -> String {
    let points = path.points();
    let sizes: Vec<f64> = points
        .iter()
        .map(|p| p.model.feature_count() as f64)
        .collect();
    let base = points.first().map_or(1.0, |p| p.expected.base);
    let ends = points.iter().flat_map(|p| {
        [
            p.expected.loss - p.expected.se,
            p.expected.loss + p.expected.se,
        ]
    });
    let (low, high) = ends
        .chain([base])
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), y| {
            (low.min(y), high.max(y))
        });
    let pad = 0.06 * (high - low).max(1e-9);
    let (low, high) = (low - pad, high + pad);
    let last = sizes.last().copied().unwrap_or(1.0).max(2.0);
    let [left, right, top, bottom] = MARGIN;
    let x = |size: f64| left + (WIDTH - left - right) * size.ln() / last.ln();
    let y = |loss: f64| top + (HEIGHT - top - bottom) * (high - loss) / (high - low);
    let measure = match points.first().map(|p| p.model.task()) {
        Some(Task::Regression) => "expected half squared error",
        _ => "expected log loss",
    };
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
         aria-label=\"Number of features against {measure}\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
    );
    let line = |svg: &mut String, from: (f64, f64), to: (f64, f64), style: &str| {
        let _ = writeln!(
            svg,
            "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" {style}/>",
            from.0, from.1, to.0, to.1
        );
    };
    let text = |svg: &mut String, at: (f64, f64), style: &str, words: &str| {
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" {style}>{words}</text>",
            at.0, at.1
        );
    };
    let floor = HEIGHT - bottom;
    line(&mut svg, (left, top), (left, floor), "stroke=\"#444\"");
    line(
        &mut svg,
        (left, floor),
        (WIDTH - right, floor),
        "stroke=\"#444\"",
    );
    for step in 0..=4 {
        let loss = low + (high - low) * f64::from(step) / 4.0;
        line(
            &mut svg,
            (left, y(loss)),
            (WIDTH - right, y(loss)),
            "stroke=\"#e4e4e4\"",
        );
        text(
            &mut svg,
            (left - 8.0, y(loss) + 4.0),
            "text-anchor=\"end\" fill=\"#222\"",
            &format!("{loss:.2}"),
        );
    }
    line(
        &mut svg,
        (left, y(base)),
        (WIDTH - right, y(base)),
        "stroke=\"#777\" stroke-dasharray=\"6 4\"",
    );
    text(
        &mut svg,
        (WIDTH - right, y(base) - 5.0),
        "text-anchor=\"end\" fill=\"#555\"",
        "base rate",
    );
    let corners: Vec<String> = sizes
        .iter()
        .zip(points)
        .map(|(&size, p)| format!("{:.1},{:.1}", x(size), y(p.expected.loss)))
        .collect();
    let _ = writeln!(
        svg,
        "<polyline points=\"{}\" fill=\"none\" stroke=\"#0072b2\" stroke-width=\"2\"/>",
        corners.join(" ")
    );
    for (position, (&size, point)) in sizes.iter().zip(points).enumerate() {
        let (at, expected) = (x(size), point.expected);
        let (up, down) = (
            y(expected.loss + expected.se),
            y(expected.loss - expected.se),
        );
        line(&mut svg, (at, up), (at, down), "stroke=\"#0072b2\"");
        let names = marks(path, position);
        let (radius, fill) = if names.is_empty() {
            (4.0, "#0072b2")
        } else {
            (7.0, "#d55e00")
        };
        let _ = writeln!(
            svg,
            "<circle cx=\"{at:.1}\" cy=\"{:.1}\" r=\"{radius}\" fill=\"{fill}\"><title>{size} features: {:.4} ± {:.4}</title></circle>",
            y(expected.loss),
            expected.loss,
            expected.se
        );
        text(
            &mut svg,
            (at, floor + 18.0),
            "text-anchor=\"middle\" fill=\"#222\"",
            &size.to_string(),
        );
        let anchor = match position {
            0 => "start",
            _ if position + 1 == points.len() => "end",
            _ => "middle",
        };
        text(
            &mut svg,
            (at, up - 8.0),
            &format!("text-anchor=\"{anchor}\" fill=\"#9a4300\" font-weight=\"bold\""),
            &names.join(", "),
        );
    }
    text(
        &mut svg,
        (0.5 * (left + WIDTH - right), HEIGHT - 14.0),
        "text-anchor=\"middle\" fill=\"#222\"",
        "features",
    );
    let turned = format!(
        "text-anchor=\"middle\" fill=\"#222\" transform=\"rotate(-90 18 {0})\"",
        0.5 * (top + floor)
    );
    text(&mut svg, (18.0, 0.5 * (top + floor)), &turned, measure);
    svg.push_str("</svg>\n");
    svg
}
