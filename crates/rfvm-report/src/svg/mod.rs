//! Charts as SVG: drawn here, coloured by the page or by themselves.

mod axis;
mod bars;
mod chart;
mod heat;
mod panels;
mod picture;

use maud::Render;

pub use axis::Axis;
pub use bars::{Bar, Bars};
pub use chart::{Chart, Mark, Series, Shape};
pub use heat::HeatMap;
pub use panels::Panels;

use crate::palette::standalone_style;

/// The picture as a file of its own, on a white ground.
pub fn standalone(picture: &impl Render) -> String {
    let svg = picture.render().into_string();
    let ground = format!(
        "<style>{}</style><rect class=\"ground\" width=\"100%\" height=\"100%\"/>",
        standalone_style()
    );
    // After the description, where no reader of titles minds it.
    svg.replacen("</desc>", &format!("</desc>{ground}"), 1) + "\n"
}
