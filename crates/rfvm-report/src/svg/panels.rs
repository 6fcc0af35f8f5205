//! Charts side by side in one picture, for files of their own; a page puts figures side by side itself.

use maud::{Markup, Render, html};

use super::chart::Chart;
use super::picture::{Picture, px};

/// Charts beside each other, in the order given.
#[derive(Debug, Clone)]
pub struct Panels {
    picture: Picture,
    charts: Vec<Chart>,
}

impl Panels {
    /// Charts in one picture, whose description is theirs.
    pub fn new(id: impl Into<String>, title: impl Into<String>, charts: Vec<Chart>) -> Self {
        let pictures = || charts.iter().map(|chart| &chart.picture);
        let description: Vec<&str> = pictures().map(|p| p.description.as_str()).collect();
        let size = (
            pictures().map(|p| p.width).sum(),
            pictures().map(|p| p.height).fold(0.0, f64::max),
        );
        Self {
            picture: Picture::new(id, title, description.join(" "), size),
            charts,
        }
    }
}

impl Render for Panels {
    fn render(&self) -> Markup {
        let mut left = 0.0;
        let panels: Vec<(f64, Markup)> = (self.charts.iter())
            .map(|chart| {
                let from = left;
                left += chart.picture.width;
                (from, chart.body())
            })
            .collect();
        self.picture.svg(
            None,
            html! { @for (from, body) in panels { g transform={ "translate(" (px(from)) " 0)" } { (body) } } },
        )
    }
}
