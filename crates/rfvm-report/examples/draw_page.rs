//! A page of one's own: a chart and a table about the path of a simulated study, in one file without a single request.
//!
//!     cargo run --release -p rfvm-report --example draw_page -- page.html
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::ops::ControlFlow;

use rfvm::{Params, Simulation};
use rfvm_report::maud::html;
use rfvm_report::{Axis, Chart, Color, Page, Section, Series, figure};

fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args().nth(1).unwrap_or("page.html".into());
    let simulation = Simulation {
        features: 500,
        ..Simulation::default()
    };
    let path = Params::default()
        .check()?
        .path(simulation.draw()?.data, |_| ControlFlow::Continue(()))?;
    let losses = path
        .sizes()
        .into_iter()
        .map(|size| (size.features as f64, size.expected.loss));
    let losses = Vec::from_iter(losses);
    let chart = Chart::new(
        "loss",
        "Expected log loss by number of features",
        "It falls while features that tell the classes apart enter, and stays where they are all in.",
        Axis::new("features"),
        Axis::new("expected log loss"),
    )
    .line(Series::new("expected", Color::Blue, losses));
    let mut page = Page::new("A simulated study", "What every size should cost");
    page.lead =
        html! { p { "100 subjects with 500 features, of which five tell the classes apart." } };
    let drawn = figure(&chart, "Loss by size", "In nats a new subject.");
    page.sections.push(Section::new("sizes", "Sizes", drawn));
    std::fs::write(&file, page.render())?;
    println!("{file} is written; open it in a browser");
    Ok(())
}
