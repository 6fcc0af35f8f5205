//! Heat maps: rows by columns of standardised values, one path a colour so that thousands of cells stay small.

use std::fmt::Write;

use maud::{Markup, Render, html};
use serde_json::json;

use super::picture::{Picture, fitted, px, text_width};
use crate::palette::{Color, HEAT_STEPS};

/// Values beyond this are drawn as this.
const LIMIT: f64 = 3.0;
/// Letters of the values that the page's script reads: tenths from -3 to 3.
const LETTERS: &[u8; 61] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz012345678";
const ROW: f64 = 20.0;

/// A heat map over a diverging scale from -3 to 3.
#[derive(Debug, Clone)]
pub struct HeatMap {
    picture: Picture,
    rows: Vec<(String, Vec<f64>)>,
    columns: Vec<String>,
    bands: Vec<(String, Vec<Option<Color>>)>,
    axis: String,
}

impl HeatMap {
    /// Named rows of one value a column; what is not finite stays empty.
    pub fn new(
        id: impl Into<String>,
        title: impl Into<String>,
        description: impl Into<String>,
        columns: Vec<String>,
        rows: Vec<(String, Vec<f64>)>,
    ) -> Self {
        let picture = Picture::new(id, title, description, (940.0, 0.0));
        Self {
            picture,
            rows,
            columns,
            bands: Vec::new(),
            axis: String::new(),
        }
    }

    /// Adds a thin row of colours above the cells: the class of each column, say.
    pub fn band(mut self, name: impl Into<String>, colors: Vec<Option<Color>>) -> Self {
        self.bands.push((name.into(), colors));
        self
    }

    /// Words below the columns.
    pub fn axis(mut self, words: impl Into<String>) -> Self {
        self.axis = words.into();
        self
    }
}

fn level(value: f64) -> usize {
    let share = (value.clamp(-LIMIT, LIMIT) + LIMIT) / (2.0 * LIMIT);
    (share * (HEAT_STEPS - 1) as f64).round() as usize
}

fn letter(value: f64) -> char {
    if !value.is_finite() {
        return '-';
    }
    let tenth = (10.0 * (value.clamp(-LIMIT, LIMIT) + LIMIT)).round() as usize;
    char::from(LETTERS[tenth.min(60)])
}

/// Runs of equal neighbours as rectangles, one path for each of what they are equal in.
fn cells<K: Copy + PartialEq>(
    rows: &[Vec<Option<K>>],
    keys: impl Iterator<Item = K>,
    place: impl Fn(usize, usize) -> (f64, f64, f64, f64),
) -> Vec<(K, String)> {
    keys.filter_map(|key| {
        let mut d = String::new();
        for (r, row) in rows.iter().enumerate() {
            let mut from = 0;
            for run in row.chunk_by(|a, b| a == b) {
                if run[0] == Some(key) {
                    let (x, y, width, height) = place(r, from);
                    let width = width * run.len() as f64;
                    let _ = write!(
                        d,
                        "M{} {}h{}v{}h-{}z",
                        px(x),
                        px(y),
                        px(width),
                        px(height),
                        px(width)
                    );
                }
                from += run.len();
            }
        }
        (!d.is_empty()).then_some((key, d))
    })
    .collect()
}

impl Render for HeatMap {
    fn render(&self) -> Markup {
        let width = self.picture.width;
        let names = self
            .rows
            .iter()
            .map(|row| &row.0)
            .chain(self.bands.iter().map(|band| &band.0));
        let label_width = names
            .map(|name| text_width(name))
            .fold(40.0, f64::max)
            .min(0.25 * width);
        let (left, right) = (label_width + 14.0, width - 12.0);
        let band_top = 8.0;
        let top = band_top + 16.0 * self.bands.len() as f64 + 4.0;
        let bottom = top + ROW * self.rows.len() as f64;
        let column = (right - left) / self.columns.len().max(1) as f64;
        let picture = Picture {
            height: bottom + 44.0,
            ..self.picture.clone()
        };
        let levels: Vec<Vec<Option<usize>>> = self
            .rows
            .iter()
            .map(|(_, values)| {
                values
                    .iter()
                    .map(|v| v.is_finite().then(|| level(*v)))
                    .collect()
            })
            .collect();
        let place = |r: usize, c: usize| {
            (
                left + column * c as f64,
                top + ROW * r as f64,
                column,
                ROW - 1.0,
            )
        };
        let heat = cells(&levels, 0..HEAT_STEPS, place);
        let bands: Vec<Vec<Option<Color>>> = self.bands.iter().map(|band| band.1.clone()).collect();
        let band_place = |r: usize, c: usize| {
            (
                left + column * c as f64,
                band_top + 16.0 * r as f64,
                column,
                13.0,
            )
        };
        let bands = cells(&bands, Color::SERIES.into_iter(), band_place);
        let values: Vec<String> = self
            .rows
            .iter()
            .map(|(_, values)| values.iter().map(|v| letter(*v)).collect())
            .collect();
        let data = json!({
            "left": left, "top": top, "width": column, "height": ROW,
            "rows": self.rows.iter().map(|row| &row.0).collect::<Vec<_>>(),
            "columns": self.columns, "values": values,
        });
        let scale_left = right - 13.0 * 14.0;
        picture.svg(Some(data.to_string()), html! {
            @for (r, (name, _)) in self.bands.iter().enumerate() {
                text .end .soft .small x=(px(left - 8.0)) y=(px(band_top + 16.0 * r as f64 + 10.0)) { (fitted(name, label_width)) }
            }
            @for (r, (name, _)) in self.rows.iter().enumerate() {
                text .end x=(px(left - 8.0)) y=(px(top + ROW * r as f64 + 14.0)) { (fitted(name, label_width)) }
            }
            @for (color, d) in bands { path class={ "bar cells " (color.class()) } d=(d) {} }
            @for (step, d) in heat { path class={ "cells h" (step) } d=(d) {} }
            text .soft x=(px(left)) y=(px(bottom + 20.0)) { (self.axis) }
            text .soft .end x=(px(scale_left - 8.0)) y=(px(bottom + 34.0)) { "-3 sd" }
            @for step in 0..HEAT_STEPS {
                rect class={ "cells h" (step) } x=(px(scale_left + 11.0 * step as f64)) y=(px(bottom + 24.0)) width="11" height="12" {}
            }
            text .soft x=(px(scale_left + 11.0 * HEAT_STEPS as f64 + 6.0)) y=(px(bottom + 34.0)) { "3 sd" }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_neighbours_are_one_rectangle_and_gaps_stay_empty() {
        let rows = [vec![Some(1), Some(1), None, Some(1)]];
        let drawn = cells(&rows, 0..3, |_, c| (c as f64, 0.0, 1.0, 1.0));
        assert_eq!(drawn, [(1, "M0 0h2v1h-2zM3 0h1v1h-1z".to_string())]);
    }

    #[test]
    fn values_keep_to_the_scale() {
        assert_eq!([level(-9.0), level(0.0), level(9.0)], [0, 6, 12]);
        assert_eq!(
            [letter(-3.0), letter(0.0), letter(99.0), letter(f64::NAN)],
            ['A', 'e', '8', '-']
        );
    }
}
