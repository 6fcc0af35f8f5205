//! What every chart is made of: places, words that fit, keys, and the frame around them.

use maud::{Markup, PreEscaped, html};

/// A number as a place: a tenth of a unit is finer than any screen.
pub(super) fn px(value: f64) -> String {
    let text = format!("{value:.1}");
    match text.strip_suffix(".0") {
        Some(whole) => whole.to_string(),
        None => text,
    }
}

/// Width of a character in the wider of the usual fonts.
const CHARACTER: f64 = 7.2;

/// How wide a text is, near enough to lay out labels.
pub(super) fn text_width(text: &str) -> f64 {
    CHARACTER * text.chars().count() as f64
}

/// The text, cut where it would be wider than this.
pub(super) fn fitted(text: &str, width: f64) -> String {
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
    pub(super) fn new(
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

    pub(super) fn svg(&self, attributes: Option<String>, body: Markup) -> Markup {
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

/// A key: the sample of a mark, and what it means, from left to right and down.
pub(super) struct Keys {
    from: f64,
    to: f64,
    x: f64,
    y: f64,
    drawn: String,
}

impl Keys {
    pub(super) const LINE: f64 = 18.0;

    pub(super) fn new(from: f64, to: f64) -> Self {
        Self {
            from,
            to,
            x: from,
            y: 14.0,
            drawn: String::new(),
        }
    }

    pub(super) fn add(&mut self, name: &str, sample: impl FnOnce(f64, f64) -> Markup) {
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
    pub(super) fn height(&self) -> f64 {
        if self.drawn.is_empty() {
            0.0
        } else {
            self.y + 8.0
        }
    }

    pub(super) fn into_markup(self) -> Markup {
        PreEscaped(self.drawn)
    }
}
