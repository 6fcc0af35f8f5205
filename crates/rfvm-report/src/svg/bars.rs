//! Bars that lie: one row a name, room for long names, values with intervals, stacked parts.

use maud::{Markup, Render, html};

use super::axis::Axis;
use super::picture::{Keys, Picture, fitted, px, text_width};
use crate::palette::Color;

const ROW: f64 = 24.0;

/// One bar: parts from the left, an interval around its end, a word behind it.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)]
pub struct Bar {
    pub label: String,
    /// Where it begins: zero, but in a waterfall.
    pub start: f64,
    /// Stacked from there.
    pub parts: Vec<(f64, Color)>,
    pub interval: Option<(f64, f64)>,
    pub tip: String,
}

impl Bar {
    /// A bar of one part.
    pub fn new(label: impl Into<String>, value: f64, color: Color, tip: impl Into<String>) -> Self {
        Self {
            label: label.into(),
            start: 0.0,
            parts: vec![(value, color)],
            interval: None,
            tip: tip.into(),
        }
    }

    /// From another place than zero.
    pub fn starting(mut self, start: f64) -> Self {
        self.start = start;
        self
    }

    /// With an interval around its end.
    pub fn between(mut self, low: f64, high: f64) -> Self {
        self.interval = Some((low, high));
        self
    }
}

/// Lying bars, from top to bottom.
#[derive(Debug, Clone)]
pub struct Bars {
    picture: Picture,
    axis: Axis,
    keys: Vec<(String, Color)>,
    bars: Vec<Bar>,
}

impl Bars {
    /// Bars over an axis; the height follows their number.
    pub fn new(
        id: impl Into<String>,
        title: impl Into<String>,
        description: impl Into<String>,
        axis: Axis,
        bars: Vec<Bar>,
    ) -> Self {
        let picture = Picture::new(id, title, description, (460.0, 0.0));
        Self {
            picture,
            axis,
            keys: Vec::new(),
            bars,
        }
    }

    /// Another width than 460.
    pub fn width(mut self, width: f64) -> Self {
        self.picture.width = width;
        self
    }

    /// The same for a narrow screen.
    pub fn narrow(&self) -> Self {
        let mut bars = self.clone().width(460.0);
        bars.picture.id.push_str("-narrow");
        bars
    }

    /// What a colour means.
    pub fn key(mut self, name: impl Into<String>, color: Color) -> Self {
        self.keys.push((name.into(), color));
        self
    }

    fn values(&self) -> impl Iterator<Item = f64> {
        let ends = self.bars.iter().flat_map(|bar| {
            let total = bar.start + bar.parts.iter().map(|part| part.0).sum::<f64>();
            let (low, high) = bar.interval.unwrap_or((total, total));
            [0.0, bar.start, total, low, high]
        });
        ends.filter(|v| v.is_finite())
    }
}

impl Render for Bars {
    fn render(&self) -> Markup {
        let width = self.picture.width;
        let mut keys = Keys::new(8.0, width - 8.0);
        for (name, color) in &self.keys {
            keys.add(name, |x, y| html! {
                rect class={ "bar " (color.class()) } x=(px(x + 2.0)) y=(px(y - 5.0)) width="12" height="10" rx="2" {}
            });
        }
        let top = 8.0 + keys.height();
        let bottom = top + ROW * self.bars.len() as f64 + 4.0;
        let widest = self
            .bars
            .iter()
            .map(|bar| text_width(&bar.label))
            .fold(30.0, f64::max);
        let label_width = widest.min(0.4 * width);
        let (left, right) = (label_width + 14.0, width - 16.0);
        let axis = self.axis.place(self.values(), left, right);
        let zero = axis.at(0.0).clamp(left, right);
        let picture = Picture {
            height: bottom + 46.0,
            ..self.picture.clone()
        };
        let row = |position: usize, bar: &Bar| {
            let y = top + ROW * position as f64;
            let mut from = bar.start;
            let parts: Vec<(f64, f64, Color)> = bar
                .parts
                .iter()
                .filter(|part| part.0.is_finite())
                .map(|&(value, color)| {
                    let (a, b) = (axis.at(from), axis.at(from + value));
                    from += value;
                    (a.min(b), a.max(b), color)
                })
                .collect();
            html! {
                text .end x=(px(left - 8.0)) y=(px(y + 16.0)) { (fitted(&bar.label, label_width)) }
                // The whole row answers the pointer: short bars are hard to hit.
                g data-tip=[Some(&bar.tip).filter(|tip| !tip.is_empty())] {
                    rect x="0" y=(px(y)) width=(px(width)) height=(px(ROW)) fill="none" pointer-events="all" {}
                    @for (a, b, color) in parts {
                        rect class={ "bar " (color.class()) } x=(px(a)) y=(px(y + 5.0)) width=(px((b - a).max(0.5))) height="14" rx="2" {}
                    }
                    @if let Some((low, high)) = bar.interval.filter(|i| i.0.is_finite() && i.1.is_finite()) {
                        path .whisker d={ "M" (px(axis.at(low))) " " (px(y + 8.0)) "v8m0-4H" (px(axis.at(high))) "m0-4v8" } {}
                    }
                }
            }
        };
        picture.svg(
            None,
            html! {
                @for (value, word) in &axis.ticks {
                    path .grid d={ "M" (px(axis.at(*value))) " " (px(top)) "V" (px(bottom)) } {}
                    text .soft .mid x=(px(axis.at(*value))) y=(px(bottom + 18.0)) { (word) }
                }
                @for (position, bar) in self.bars.iter().enumerate() { (row(position, bar)) }
                path .frame d={ "M" (px(zero)) " " (px(top)) "V" (px(bottom)) } {}
                text .mid x=(px(0.5 * (left + right))) y=(px(bottom + 38.0)) { (self.axis.label) }
                (keys.into_markup())
            },
        )
    }
}
