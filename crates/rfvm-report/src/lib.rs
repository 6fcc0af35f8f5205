//! Self-contained HTML pages about fits.
//!
//! [`Page`] is the shell: one file without a single request, light and dark, for screens, paper, keyboards and screen
//! readers. [`DataTable`] is a table that can be sorted, searched and downloaded; [`Chart`], [`Bars`] and [`HeatMap`]
//! are its pictures, [`Panels`] several of them side by side, which [`standalone`] also makes files of their own. [`worth`] says in words what a model keeps of
//! the full one, [`validated`] how it does on new samples. Markup is written with [`maud`], so that every
//! name from a user's table is escaped.
//!
//! ```
//! use maud::html;
//! use rfvm_report::{Axis, Chart, Color, Mark, Page, Section, Series, figure};
//!
//! let cost = vec![(1.0, 900.0), (2.0, 620.0), (3.0, 310.0)];
//! let marks = cost.iter().map(|&(x, y)| Mark::new(x, y, Color::Blue, format!("wave {x}: {y}")));
//! let chart = Chart::new(
//!     "cost",
//!     "Cost of a subject by wave",
//!     "It falls from 900 in the first wave to 310 in the third.",
//!     Axis::new("wave"),
//!     Axis::new("cost"),
//! )
//! .line(Series { step: true, ..Series::new("all tests", Color::Blue, cost.clone()) })
//! .marks("", marks.collect());
//! let mut page = Page::new("A study", "All waves");
//! page.lead = html! { p { "Three waves." } };
//! page.sections.push(Section::new("cost-section", "Cost", figure(&chart, "Cost by wave", "Per subject.")));
//! assert!(page.render().starts_with("<!DOCTYPE html>"));
//! ```
//!
//! `examples/draw_page.rs` writes such a page about a fit.

mod cost;
mod export;
mod known;
mod page;
mod palette;
#[cfg(feature = "png")]
mod png;
mod report;
mod svg;
mod table;
mod worth;

pub use cost::cost_words;
pub use export::{ExportFormat, export};
pub use maud;
pub use page::{
    Page, Section, Tile, figure, fitted_figure, grid, missing, note, tiles, wide_figure,
};
pub use palette::Color;
#[cfg(feature = "png")]
pub use png::to_png;
pub use report::{
    FigureFile, classes_report, evaluation_figures, path_charts, path_picture, report,
    report_figures, validated, validation_figures, validation_page,
};
pub use svg::{Axis, Bar, Bars, Chart, HeatMap, Mark, Panels, Series, Shape, standalone};
pub use table::{Cell, Column, DataTable};
pub use worth::{percent, thousands, worth};
