//! Charts as SVG: drawn here, coloured by the page or by themselves.

mod axis;
mod bars;
mod chart;
mod heat;
mod panels;

use maud::{Markup, PreEscaped, Render, html};

pub use axis::Axis;
pub use bars::{Bar, Bars};
pub use chart::{Chart, Mark, Series, Shape};
pub use heat::HeatMap;
pub use panels::Panels;

use crate::palette::standalone_style;

/// A number as a place: a tenth of a unit is finer than any screen.
fn px(value: f64) -> String {
    let text = format!("{value:.1}");
    match text.strip_suffix(".0") {
        Some(whole) => whole.to_string(),
        None => text,
    }
}

/// Width of a character in the wider of the usual fonts.
const CHARACTER: f64 = 7.2;

/// How wide a text is, near enough to lay out labels.
fn text_width(text: &str) -> f64 {
    CHARACTER * text.chars().count() as f64
}

/// The text, cut where it would be wider than this.
fn fitted(text: &str, width: f64) -> String {
    let most = (width / CHARACTER).max(2.0) as usize;
    if text.chars().count() <= most {
        return text.to_string();
    }
    let kept: String = text.chars().take(most - 1).collect();
    format!("{kept}…")
}

/// What every picture has: its words, its size and its marks.
#[derive(Debug, Clone)]
pub(crate) struct Picture {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) description: String,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

impl Picture {
    fn new(
        id: impl Into<String>,
        title: impl Into<String>,
        description: impl Into<String>,
        (width, height): (f64, f64),
    ) -> Self {
        Self {
            id: id.into(),
            title: title.into(),
            description: description.into(),
            width,
            height,
        }
    }

    fn svg(&self, attributes: Option<String>, body: Markup) -> Markup {
        let Self {
            id,
            title,
            description,
            width,
            height,
        } = self;
        html! {
            svg xmlns="http://www.w3.org/2000/svg" class="chart" role="img"
                viewBox={ "0 0 " (px(*width)) " " (px(*height)) }
                aria-labelledby={ (id) "-title" } aria-describedby={ (id) "-desc" } data-heat=[attributes] {
                title id={ (id) "-title" } { (title) }
                desc id={ (id) "-desc" } { (description) }
                (body)
            }
        }
    }
}

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

/// A key: the sample of a mark, and what it means, from left to right and down.
struct Keys {
    from: f64,
    to: f64,
    x: f64,
    y: f64,
    drawn: String,
}

impl Keys {
    const LINE: f64 = 18.0;

    fn new(from: f64, to: f64) -> Self {
        Self {
            from,
            to,
            x: from,
            y: 14.0,
            drawn: String::new(),
        }
    }

    fn add(&mut self, name: &str, sample: impl FnOnce(f64, f64) -> Markup) {
        let width = 26.0 + text_width(name);
        if self.x > self.from && self.x + width > self.to {
            self.x = self.from;
            self.y += Self::LINE;
        }
        let (x, y) = (self.x, self.y);
        let key = html! { (sample(x, y - 4.0)) text .soft x=(px(x + 22.0)) y=(px(y)) { (name) } };
        self.drawn.push_str(&key.into_string());
        self.x += width + 14.0;
    }

    /// How far down they reach.
    fn height(&self) -> f64 {
        if self.drawn.is_empty() {
            0.0
        } else {
            self.y + 8.0
        }
    }

    fn into_markup(self) -> Markup {
        PreEscaped(self.drawn)
    }
}
