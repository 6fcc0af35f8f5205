//! Charts of two axes: lines, steps, bands, intervals and marks.

use maud::{Markup, PreEscaped, Render, html};

use super::axis::{Axis, Placed};
use super::picture::{Keys, Picture, px, text_width};
use crate::palette::Color;

/// How a mark looks; classes differ in shape as well as in colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Shape {
    Circle,
    Square,
    Triangle,
    /// Not drawn: a place on a line that has something to say.
    Hidden,
}

/// One mark, with what it says when pointed at.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)]
pub struct Mark {
    pub x: f64,
    pub y: f64,
    pub color: Color,
    pub shape: Shape,
    /// Half its width.
    pub size: f64,
    /// Drawn as an outline.
    pub hollow: bool,
    /// A ring around it.
    pub ring: bool,
    pub tip: String,
    /// Written above it.
    pub label: Option<String>,
    /// Where the label stands, if not right above the mark: above an interval's end, say.
    pub label_y: Option<f64>,
}

impl Mark {
    /// A filled circle.
    pub fn new(x: f64, y: f64, color: Color, tip: impl Into<String>) -> Self {
        Self {
            x,
            y,
            color,
            shape: Shape::Circle,
            size: 4.0,
            hollow: false,
            ring: false,
            tip: tip.into(),
            label: None,
            label_y: None,
        }
    }
}

/// A line through points.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)]
pub struct Series {
    /// In the key, unless empty.
    pub name: String,
    pub color: Color,
    pub points: Vec<(f64, f64)>,
    pub step: bool,
    pub dashed: bool,
    pub thin: bool,
}

impl Series {
    /// A plain line.
    pub fn new(name: impl Into<String>, color: Color, points: Vec<(f64, f64)>) -> Self {
        Self {
            name: name.into(),
            color,
            points,
            step: false,
            dashed: false,
            thin: false,
        }
    }
}

#[derive(Debug, Clone)]
enum Layer {
    Line(Series),
    Band(Color, Vec<(f64, f64, f64)>),
    Interval(Color, Vec<(f64, f64, f64)>),
    Marks(String, Vec<Mark>),
    Level(f64, String),
}

/// A chart of two axes. Layers are drawn in the order in which they are added; values that are not finite are left out.
#[derive(Debug, Clone)]
pub struct Chart {
    pub(super) picture: Picture,
    x: Axis,
    y: Axis,
    layers: Vec<Layer>,
}

impl Chart {
    /// A chart without layers. The description is for those who do not see it: say what there is to see.
    pub fn new(
        id: impl Into<String>,
        title: impl Into<String>,
        description: impl Into<String>,
        x: Axis,
        y: Axis,
    ) -> Self {
        let picture = Picture::new(id, title, description, (460.0, 320.0));
        Self {
            picture,
            x,
            y,
            layers: Vec::new(),
        }
    }

    /// Another size than 460 x 320.
    pub fn size(mut self, width: f64, height: f64) -> Self {
        (self.picture.width, self.picture.height) = (width, height);
        self
    }

    /// The same for a narrow screen.
    pub fn narrow(&self) -> Self {
        let mut chart = self.clone().size(460.0, 360.0);
        chart.picture.id.push_str("-narrow");
        chart
    }

    /// Adds a line.
    pub fn line(mut self, series: Series) -> Self {
        self.layers.push(Layer::Line(series));
        self
    }

    /// Adds a band: place, lower and upper end.
    pub fn band(mut self, color: Color, points: Vec<(f64, f64, f64)>) -> Self {
        self.layers.push(Layer::Band(color, points));
        self
    }

    /// Adds intervals as upright whiskers: place, lower and upper end.
    pub fn intervals(mut self, color: Color, points: Vec<(f64, f64, f64)>) -> Self {
        self.layers.push(Layer::Interval(color, points));
        self
    }

    /// Adds marks, with a name for the key unless it is empty.
    pub fn marks(mut self, name: impl Into<String>, marks: Vec<Mark>) -> Self {
        self.layers.push(Layer::Marks(name.into(), marks));
        self
    }

    /// Adds a dashed horizontal line with a word at its end.
    pub fn level(mut self, y: f64, word: impl Into<String>) -> Self {
        self.layers.push(Layer::Level(y, word.into()));
        self
    }

    fn values(&self) -> (Vec<f64>, Vec<f64>) {
        let (mut xs, mut ys) = (Vec::new(), Vec::new());
        for layer in &self.layers {
            match layer {
                Layer::Line(series) => {
                    xs.extend(series.points.iter().map(|p| p.0));
                    ys.extend(series.points.iter().map(|p| p.1));
                }
                Layer::Band(_, points) | Layer::Interval(_, points) => {
                    xs.extend(points.iter().map(|p| p.0));
                    ys.extend(points.iter().flat_map(|p| [p.1, p.2]));
                }
                Layer::Marks(_, marks) => {
                    xs.extend(marks.iter().map(|m| m.x));
                    ys.extend(marks.iter().map(|m| m.y));
                }
                Layer::Level(y, _) => ys.push(*y),
            }
        }
        (xs, ys)
    }

    fn keys(&self) -> Keys {
        let mut keys = Keys::new(8.0, self.picture.width - 8.0);
        for layer in &self.layers {
            match layer {
                Layer::Line(series) if !series.name.is_empty() => {
                    keys.add(&series.name, |x, y| {
                        html! {
                            path class=(line_class(series)) d={ "M" (px(x)) " " (px(y)) "h16" } {}
                        }
                    });
                }
                Layer::Marks(name, marks) if !name.is_empty() && !marks.is_empty() => {
                    let sample = Mark {
                        size: 5.0,
                        label: None,
                        tip: String::new(),
                        ..marks[0].clone()
                    };
                    keys.add(name, |x, y| draw_mark(&sample, x + 8.0, y));
                }
                _ => {}
            }
        }
        keys
    }
}

fn line_class(series: &Series) -> String {
    let mut class = format!("line {}", series.color.class());
    if series.dashed {
        class.push_str(" dash");
    }
    if series.thin {
        class.push_str(" thin");
    }
    class
}

fn draw_mark(mark: &Mark, x: f64, y: f64) -> Markup {
    let (r, color) = (mark.size, mark.color.class());
    let class = if mark.hollow {
        format!("hollow {color}")
    } else {
        format!("dot {color}")
    };
    let tip = Some(&mark.tip).filter(|tip| !tip.is_empty());
    html! {
        @match mark.shape {
            Shape::Circle => circle class=(class) cx=(px(x)) cy=(px(y)) r=(px(r)) data-tip=[tip] {},
            Shape::Square => rect class=(class) x=(px(x - 0.9 * r)) y=(px(y - 0.9 * r)) width=(px(1.8 * r))
                height=(px(1.8 * r)) data-tip=[tip] {},
            Shape::Triangle => path class=(class) data-tip=[tip] d={
                "M" (px(x)) " " (px(y - 1.2 * r)) "l" (px(1.15 * r)) " " (px(2.0 * r)) "h" (px(-2.3 * r)) "z" } {},
            Shape::Hidden => circle cx=(px(x)) cy=(px(y)) r="6" fill="none" pointer-events="all" data-tip=[tip] {},
        }
        @if mark.ring { circle .ring cx=(px(x)) cy=(px(y)) r=(px(r + 3.0)) pointer-events="none" {} }
    }
}

fn outline(points: impl Iterator<Item = (f64, f64)>, step: bool) -> String {
    let mut d = String::new();
    for (x, y) in points {
        let (x, y) = (px(x), px(y));
        d.push_str(&match (d.is_empty(), step) {
            (true, _) => format!("M{x} {y}"),
            (false, true) => format!("H{x}V{y}"),
            (false, false) => format!("L{x} {y}"),
        });
    }
    d
}

impl Layer {
    fn draw(&self, x: &Placed, y: &Placed, right: f64) -> Markup {
        let finite = |p: &&(f64, f64, f64)| p.0.is_finite() && p.1.is_finite() && p.2.is_finite();
        match self {
            Self::Line(series) => {
                let finite = series
                    .points
                    .iter()
                    .filter(|p| p.0.is_finite() && p.1.is_finite());
                let d = outline(finite.map(|p| (x.at(p.0), y.at(p.1))), series.step);
                html! { path class=(line_class(series)) d=(d) {} }
            }
            Self::Band(color, points) => {
                let there = points.iter().filter(finite).map(|p| (x.at(p.0), y.at(p.2)));
                let back = points
                    .iter()
                    .rev()
                    .filter(finite)
                    .map(|p| (x.at(p.0), y.at(p.1)));
                let d = outline(there.chain(back), false);
                html! { path class={ "band " (color.class()) } d={ (d) "z" } {} }
            }
            Self::Interval(color, points) => html! {
                @for p in points.iter().filter(finite) {
                    path class={ "line thin " (color.class()) } d={
                        "M" (px(x.at(p.0))) " " (px(y.at(p.1))) "V" (px(y.at(p.2)))
                        "m-4 0h8M" (px(x.at(p.0) - 4.0)) " " (px(y.at(p.1))) "h8" } {}
                }
            },
            Self::Marks(_, marks) => html! {
                @for mark in marks.iter().filter(|m| m.x.is_finite() && m.y.is_finite()) {
                    (draw_mark(mark, x.at(mark.x), y.at(mark.y)))
                    @if let Some(label) = &mark.label { (beside(label, x.at(mark.x), y.at(mark.label_y.unwrap_or(mark.y)), right)) }
                }
            },
            Self::Level(at, word) => html! {
                path class="line thin dash grey" d={ "M" (px(x.from)) " " (px(y.at(*at))) "H" (px(right)) } {}
                text .soft .end x=(px(right - 4.0)) y=(px(y.at(*at) - 5.0)) { (word) }
            },
        }
    }
}

/// A label above a mark, kept inside the chart.
fn beside(label: &str, x: f64, y: f64, right: f64) -> Markup {
    let half = 0.5 * text_width(label);
    let class = if x + half > right {
        "end strong"
    } else {
        "mid strong"
    };
    let x = if x + half > right { right } else { x };
    html! { text class=(class) x=(px(x)) y=(px(y - 12.0)) { (label) } }
}

impl Render for Chart {
    fn render(&self) -> Markup {
        self.picture.svg(None, self.body())
    }
}

impl Chart {
    /// What is drawn, without the picture around it.
    pub(super) fn body(&self) -> Markup {
        let Picture { width, height, .. } = self.picture;
        let keys = self.keys();
        let (xs, ys) = self.values();
        let (top, bottom) = (12.0 + keys.height(), height - 46.0);
        let y = self.y.place(ys.into_iter(), bottom, top);
        let widest = y
            .ticks
            .iter()
            .map(|(_, word)| text_width(word))
            .fold(20.0, f64::max);
        let (left, right) = (34.0 + widest, width - 14.0);
        let x = self.x.place(xs.into_iter(), left, right);
        let layers: String = self
            .layers
            .iter()
            .map(|layer| layer.draw(&x, &y, right).into_string())
            .collect();
        let middle = 0.5 * (top + bottom);
        html! {
            @for (value, word) in &y.ticks {
                path .grid d={ "M" (px(left)) " " (px(y.at(*value))) "H" (px(right)) } {}
                text .soft .end x=(px(left - 7.0)) y=(px(y.at(*value) + 4.0)) { (word) }
            }
            @for (value, word) in &x.ticks {
                path .frame d={ "M" (px(x.at(*value))) " " (px(bottom)) "v4" } {}
                text .soft .mid x=(px(x.at(*value))) y=(px(bottom + 18.0)) { (word) }
            }
            path .frame d={ "M" (px(left)) " " (px(top)) "V" (px(bottom)) "H" (px(right)) } {}
            (PreEscaped(layers))
            text .mid x=(px(0.5 * (left + right))) y=(px(height - 8.0)) { (self.x.label) }
            text .mid x="14" y=(px(middle)) transform={ "rotate(-90 14 " (px(middle)) ")" } { (self.y.label) }
            (keys.into_markup())
        }
    }
}
