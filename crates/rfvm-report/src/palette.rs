//! Colours: one table for pages (light and dark) and for pictures that stand alone.
//!
//! The colours of data are those of Okabe and Ito, which people with any common colour blindness tell apart; those of
//! the dark page are lighter. No chart relies on colour alone: shapes, positions and words say the same.

use std::fmt::Write;

/// A colour of data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Color {
    Blue,
    Vermillion,
    Green,
    Orange,
    Purple,
    Grey,
}

impl Color {
    /// The colours in the order in which series take them.
    pub const SERIES: [Self; 6] = [
        Self::Blue,
        Self::Vermillion,
        Self::Green,
        Self::Purple,
        Self::Orange,
        Self::Grey,
    ];

    pub(crate) fn class(self) -> &'static str {
        match self {
            Self::Blue => "blue",
            Self::Vermillion => "vermillion",
            Self::Green => "green",
            Self::Orange => "orange",
            Self::Purple => "purple",
            Self::Grey => "grey",
        }
    }
}

/// Name, light, dark.
const PALETTE: [(&str, &str, &str); 13] = [
    ("page", "#f5f6f8", "#0e1217"),
    ("card", "#ffffff", "#161b22"),
    ("ink", "#1c2128", "#e6edf3"),
    ("soft", "#57606a", "#a3adb8"),
    ("rule", "#dfe3e8", "#2d343d"),
    ("axis", "#8b949e", "#6e7681"),
    ("link", "#005a8f", "#6cc0f2"),
    ("blue", "#0072b2", "#56b4e9"),
    ("vermillion", "#d55e00", "#ff8c42"),
    ("green", "#009e73", "#2fc79b"),
    ("orange", "#c98a00", "#f0b429"),
    ("purple", "#b6588c", "#e19bc2"),
    ("grey", "#6b7280", "#9aa3ad"),
];

/// Steps of the diverging scale of heat maps: an odd number, the middle one neutral.
pub(crate) const HEAT_STEPS: usize = 13;

/// The ends and the middle of the diverging scale, light and dark.
const HEAT_LIGHT: [[f64; 3]; 3] = [
    [0.0, 94.0, 154.0],
    [247.0, 247.0, 245.0],
    [205.0, 84.0, 0.0],
];
const HEAT_DARK: [[f64; 3]; 3] = [
    [86.0, 180.0, 233.0],
    [30.0, 36.0, 44.0],
    [255.0, 140.0, 66.0],
];

fn heat([low, middle, high]: [[f64; 3]; 3], step: usize) -> String {
    let centre = (HEAT_STEPS / 2) as f64;
    let distance = (step as f64 - centre) / centre;
    let end = if distance < 0.0 { low } else { high };
    let mut color = String::from("#");
    for (m, e) in middle.iter().zip(end) {
        let _ = write!(
            color,
            "{:02x}",
            (m + distance.abs() * (e - m)).round() as u8
        );
    }
    color
}

/// Every variable of a page in one of its two lights.
pub(crate) fn variables(dark: bool) -> String {
    let mut css = String::new();
    for (name, light, night) in PALETTE {
        let _ = write!(css, "--{name}:{};", if dark { night } else { light });
    }
    let ends = if dark { HEAT_DARK } else { HEAT_LIGHT };
    for step in 0..HEAT_STEPS {
        let _ = write!(css, "--h{step}:{};", heat(ends, step));
    }
    css
}

/// The style of charts as it is in a page, where every colour is a variable.
pub(crate) fn chart_style() -> String {
    let mut css = String::from(include_str!("chart.css"));
    for color in Color::SERIES {
        let name = color.class();
        let _ = writeln!(css, ".{name}{{color:var(--{name})}}");
    }
    for step in 0..HEAT_STEPS {
        let _ = writeln!(css, ".h{step}{{fill:var(--h{step})}}");
    }
    css
}

/// The style of charts with the colours written out: what opens an SVG file need not know variables.
pub(crate) fn standalone_style() -> String {
    let mut css = chart_style();
    // Longest first: --h1 is the beginning of --h12.
    for step in (0..HEAT_STEPS).rev() {
        css = css.replace(&format!("var(--h{step})"), &heat(HEAT_LIGHT, step));
    }
    for (name, light, _) in PALETTE {
        css = css.replace(&format!("var(--{name})"), light);
    }
    css
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_that_stands_alone_needs_no_variables() {
        let style = standalone_style();
        assert!(!style.contains("var("), "{style}");
        assert!(style.contains(".vermillion{color:#d55e00}"));
    }

    #[test]
    fn the_middle_of_the_heat_scale_is_neutral_and_its_ends_are_the_classes_colours() {
        assert_eq!(heat(HEAT_LIGHT, 6), "#f7f7f5");
        assert_eq!(heat(HEAT_LIGHT, 0), "#005e9a");
        assert_eq!(heat(HEAT_DARK, 12), "#ff8c42");
    }
}
