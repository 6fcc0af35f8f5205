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
    let svg = svg.replacen("</desc>", &format!("</desc>{ground}"), 1) + "\n";
    svg.replace(is_no_xml, "\u{fffd}")
}

/// What XML cannot hold, not even escaped; names from a user's table may.
pub(crate) fn is_no_xml(c: char) -> bool {
    matches!(c, '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}') && !matches!(c, '\t' | '\n' | '\r')
}
