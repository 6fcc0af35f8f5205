//! The path of sizes: how much of the full model every size keeps, and what it should cost on new samples.

use maud::html;
use rfvm::{Expected, Method, Overview, PathSize, Size, Summary, Task};

use crate::page::{Section, figure, grid, missing};
use crate::palette::Color;
use crate::svg::{Axis, Chart, Mark, Panels, Series, Shape};
use crate::table::{Cell, Column, DataTable};
use crate::worth::percent;

/// The full model stands so many times further right than the largest size.
const BEYOND: f64 = 1.6;

/// Size against explained share, and size against expected loss with standard errors and the base rate; the sizes that
/// have names are marked, and the full model stands at the right end.
pub fn path_charts(sizes: &[PathSize], full: Option<Expected>, task: Task) -> [Chart; 2] {
    let view = View::new(sizes, full, task);
    [view.shares(), view.losses()]
}

/// Both charts of [`path_charts`] side by side.
pub fn path_picture(sizes: &[PathSize], full: Option<Expected>, task: Task) -> Panels {
    let charts = path_charts(sizes, full, task).map(|chart| chart.size(520.0, 400.0));
    let title = "Number of features against explained share and expected loss";
    Panels::new("path", title, charts.into())
}

/// What a loss is called.
pub(super) fn measure(task: Task) -> &'static str {
    match task {
        Task::Classification => "expected log loss",
        Task::Regression => "expected half squared error",
    }
}

/// One place of a chart: a size of the path, or the full model.
struct Place {
    x: f64,
    y: f64,
    /// How far up its interval reaches; its label stands there.
    top: f64,
    tip: String,
    names: String,
}

struct View<'s> {
    sizes: &'s [PathSize],
    full: Option<Expected>,
    task: Task,
    /// Where the full model stands.
    end: f64,
}

impl<'s> View<'s> {
    fn new(sizes: &'s [PathSize], full: Option<Expected>, task: Task) -> Self {
        let largest = sizes.last().map_or(1, |size| size.features);
        Self {
            sizes,
            full,
            task,
            end: BEYOND * largest as f64,
        }
    }

    fn shares(&self) -> Chart {
        let place = |size: &PathSize| Place {
            x: size.features as f64,
            y: shown(size.share),
            top: shown(size.share),
            tip: format!("{} features: {}", size.features, percent(size.share)),
            names: names(size),
        };
        let full = self.full.map(|_| Place {
            x: self.end,
            y: 1.0,
            top: 1.0,
            tip: "the full model: 100 %, by definition".to_string(),
            names: Size::Full.to_string(),
        });
        let description = match self.sizes.last() {
            Some(last) => format!(
                "{} features keep {} of what the full model tells.",
                last.features,
                percent(last.share)
            ),
            None => "There are no sizes to show.".to_string(),
        };
        let ticks = (0..=5).map(|fifth| (f64::from(fifth) / 5.0, format!("{} %", 20 * fifth)));
        // Room above 100 % for the names.
        let axis = Axis::new("explained share")
            .range(0.0, 1.15)
            .ticks(ticks.collect());
        let chart = Chart::new(
            "path-share",
            "Number of features against explained share",
            description,
            self.axis(),
            axis,
        );
        let places = self.sizes.iter().map(place).collect();
        self.draw(chart, places, full, 1.0)
    }

    fn losses(&self) -> Chart {
        let measure = measure(self.task);
        let place = |size: &PathSize| {
            let Expected { loss, se, .. } = size.expected;
            Place {
                x: size.features as f64,
                y: loss,
                top: loss + se,
                tip: format!("{} features: {loss:.4} ± {se:.4}", size.features),
                names: names(size),
            }
        };
        let full = self.full.map(|full| Place {
            x: self.end,
            y: full.loss,
            top: full.loss + full.se,
            tip: format!("the full model: {:.4} ± {:.4}", full.loss, full.se),
            names: Size::Full.to_string(),
        });
        let all: Vec<(f64, Expected)> = (self.sizes.iter())
            .map(|size| (size.features as f64, size.expected))
            .chain(self.full.map(|full| (self.end, full)))
            .collect();
        let ends = all.iter().flat_map(|(_, e)| [e.loss, e.base]);
        let (low, high) = ends.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| {
            (low.min(v), high.max(v))
        });
        let description = match (self.full, self.sizes.first()) {
            (Some(full), _) => format!(
                "The full model has an {measure} of {:.3}; the base rate costs {:.3}.",
                full.loss, full.base
            ),
            (None, Some(first)) => format!("The base rate costs {:.3}.", first.expected.base),
            (None, None) => String::new(),
        };
        let interval = |(x, e): &(f64, Expected)| (*x, e.loss - e.se, e.loss + e.se);
        let chart = Chart::new(
            "path-loss",
            format!("Number of features against {measure}"),
            description,
            self.axis(),
            Axis::new(measure),
        )
        .intervals(Color::Blue, all.iter().map(interval).collect());
        let places = self.sizes.iter().map(place).collect();
        let chart = self.draw(chart, places, full, high - low);
        match all.first() {
            Some((_, first)) => chart.level(first.base, "base rate"),
            None => chart,
        }
    }

    fn axis(&self) -> Axis {
        let mut ticks: Vec<(f64, String)> = (self.sizes.iter())
            .map(|size| (size.features as f64, size.features.to_string()))
            .collect();
        if self.full.is_some() {
            ticks.push((self.end, "all".to_string()));
        }
        Axis::new("features").log().ticks(ticks)
    }

    /// The sizes as a line with marks, and the full model apart; `height` is that of the chart, for the labels.
    fn draw(&self, chart: Chart, places: Vec<Place>, full: Option<Place>, height: f64) -> Chart {
        let line = places.iter().map(|place| (place.x, place.y)).collect();
        let mut labels = 0;
        let mut mark = |place: Place| {
            let named = !place.names.is_empty();
            labels += usize::from(named);
            // Every other label stands higher: named sizes may be neighbours.
            let raised = if labels % 2 == 1 { 0.1 * height } else { 0.0 };
            let tip = match named {
                true => format!("{}\n{}", place.tip, place.names),
                false => place.tip,
            };
            Mark {
                size: if named { 7.0 } else { 4.0 },
                label: named.then_some(place.names),
                label_y: Some(place.top + raised),
                ..Mark::new(
                    place.x,
                    place.y,
                    if named {
                        Color::Vermillion
                    } else {
                        Color::Blue
                    },
                    tip,
                )
            }
        };
        let marks = places.into_iter().map(&mut mark).collect();
        let full = full.map(&mut mark).map(|full| Mark {
            shape: Shape::Square,
            color: Color::Green,
            ..full
        });
        chart
            .line(Series::new("", Color::Blue, line))
            .marks("", marks)
            .marks("", full.into_iter().collect())
    }
}

/// A share within reason: one below nothing is of a model that says less of the full one than the base rate does.
fn shown(share: f64) -> f64 {
    share.clamp(0.0, 1.0)
}

fn names(size: &PathSize) -> String {
    let names: Vec<String> = size.chosen_as.iter().map(Size::to_string).collect();
    names.join(", ")
}

pub(super) fn section(summary: &Summary) -> Section {
    let model = &summary.model;
    let body = match (model.sizes.as_slice(), &model.parameters.method) {
        ([], Method::Signatures(_) | Method::MeanField(_)) => missing(
            "The model is a signature or a committee of signatures, not a point of the path; rfvm path shows what every size should cost.",
        ),
        ([], Method::Projected(_)) => missing(
            "The samples were too few to hold some back, so nothing can be said of any size.",
        ),
        (sizes, _) => {
            let [shares, losses] = path_charts(sizes, model.full, model.task);
            let own = match model.is_full {
                true => "This model is the full one.".to_string(),
                false => format!("This model has {} features.", model.feature_count),
            };
            html! {
                p { (own) " The full model is the posterior over all features; small models are made to say what it says. Shares and losses come from cross-validation within the fit, selection included: they are of the training samples, each judged by fits that did not know it." }
                (grid(&[
                    figure(&shares, "How much each size keeps", "Of what the full model tells of samples unseen, the share that a model of so many features tells too."),
                    figure(&losses, "How many features are worth having", "Whiskers are standard errors."),
                ]))
                (table(model))
            }
        }
    };
    Section::new("sizes", "Path of sizes", body)
}

fn table(model: &Overview) -> DataTable {
    let priced = model.sizes.iter().any(|size| size.cost.is_some());
    let row = |size: &PathSize| -> Vec<Cell> {
        let mut row: Vec<Cell> = vec![
            size.features.into(),
            (100.0 * size.share).into(),
            size.expected.loss.into(),
            size.expected.se.into(),
            size.behind.0.into(),
            size.behind.1.into(),
            names(size).into(),
        ];
        row.extend(priced.then(|| Cell::from(size.cost)));
        row
    };
    let full = model.full.map(|full| {
        let mut row = vec![
            model.training.varying().into(),
            100.0.into(),
            full.loss.into(),
            full.se.into(),
            0.0.into(),
            Cell::Empty,
            Size::Full.to_string().into(),
        ];
        row.extend(priced.then_some(Cell::Empty));
        row
    });
    let mut columns = vec![
        Column::number("features", 0),
        Column::number("explained share, %", 0),
        Column::number("expected loss", 4),
        Column::number("se", 4),
        Column::number("behind the full model", 4),
        Column::number("se of that", 4),
        Column::text("known as"),
    ];
    columns.extend(priced.then(|| Column::number("cost", 2)));
    DataTable::new(
        "path-table",
        "Every size of the path, and the full model",
        columns,
        model.sizes.iter().map(row).chain(full).collect(),
    )
}
