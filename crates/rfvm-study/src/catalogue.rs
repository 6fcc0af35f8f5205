//! The tests of a study and what they cost.

use std::collections::{BTreeMap, HashSet};
use std::iter::Sum;
use std::ops::{Add, Sub};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::error::Error;

/// What a test, or the shared part of a panel, costs for one subject.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Price {
    /// Money, in the study's own currency.
    pub cost: f64,
    /// Time.
    pub minutes: f64,
    /// What it asks of the subject, on a scale of the study's own.
    pub burden: f64,
}

impl Add for Price {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            cost: self.cost + other.cost,
            minutes: self.minutes + other.minutes,
            burden: self.burden + other.burden,
        }
    }
}

impl Sub for Price {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self {
            cost: self.cost - other.cost,
            minutes: self.minutes - other.minutes,
            burden: self.burden - other.burden,
        }
    }
}

impl Sum for Price {
    fn sum<I: Iterator<Item = Self>>(prices: I) -> Self {
        prices.fold(Self::default(), Self::add)
    }
}

/// A test of the catalogue.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Test {
    /// Its name: a column of the waves.
    pub name: String,
    /// Its own price.
    pub price: Price,
    /// The panel it is measured with; the panel's own price comes once, with the first of its tests.
    pub panel: Option<String>,
}

/// What is decided about a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ruling {
    /// Nothing.
    Free,
    /// It stays, whatever a fit makes of it.
    Keep,
    /// No fit may use it.
    Never,
    /// It is no longer measured, and no fit uses it.
    Retired,
}

impl Ruling {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::Keep => "keep",
            Self::Never => "never",
            Self::Retired => "retired",
        }
    }

    pub(crate) fn of(text: &str) -> Self {
        match text {
            "keep" => Self::Keep,
            "never" => Self::Never,
            "retired" => Self::Retired,
            _ => Self::Free,
        }
    }
}

/// Tests and panels.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Catalogue {
    /// The tests, in the order of the file.
    pub tests: Vec<Test>,
    /// What panels cost beyond their tests.
    pub panels: BTreeMap<String, Price>,
}

const COLUMNS: [&str; 5] = ["test", "cost", "minutes", "burden", "panel"];

impl Catalogue {
    /// Reads a CSV file with the columns test, cost, minutes, burden and panel (all but the first may be left out). A row
    /// with a panel and no test gives the price of the panel itself.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let bytes = std::fs::read(path).map_err(Error::read(path))?;
        Self::parse(&bytes, path)
    }

    fn parse(bytes: &[u8], path: &Path) -> Result<Self, Error> {
        let mut reader = csv::ReaderBuilder::new()
            .trim(csv::Trim::All)
            .from_reader(bytes);
        let wrong = |error: csv::Error| Error::file(path, error.to_string());
        let header = reader.headers().map_err(wrong)?.clone();
        if let Some(unknown) = header.iter().find(|name| !COLUMNS.contains(name)) {
            return Err(Error::file(
                path,
                format!(
                    "the column '{unknown}' means nothing here; the columns are {}",
                    COLUMNS.join(", ")
                ),
            ));
        }
        let place = |name: &str| header.iter().position(|column| column == name);
        if place("test").is_none() {
            return Err(Error::file(
                path,
                "there is no column 'test'; the first line must name the columns",
            ));
        }
        let mut catalogue = Self::default();
        let mut seen = HashSet::new();
        for record in reader.records() {
            let record = record.map_err(wrong)?;
            let line = record.position().map_or(0, csv::Position::line);
            let cell = |name: &str| place(name).and_then(|at| record.get(at)).unwrap_or("");
            let number = |name: &str| match cell(name) {
                "" => Ok(0.0),
                text => match text.parse::<f64>() {
                    Ok(value) if value.is_finite() && value >= 0.0 => Ok(value),
                    _ => Err(Error::file(
                        path,
                        format!(
                            "line {line}: the {name} is '{text}'; write a number from 0, or nothing"
                        ),
                    )),
                },
            };
            let price = Price {
                cost: number("cost")?,
                minutes: number("minutes")?,
                burden: number("burden")?,
            };
            let panel = Some(cell("panel"))
                .filter(|name| !name.is_empty())
                .map(str::to_string);
            match (cell("test"), panel) {
                ("", None) => {
                    return Err(Error::file(
                        path,
                        format!("line {line}: it names neither a test nor a panel; name one"),
                    ));
                }
                ("", Some(panel)) => {
                    if catalogue.panels.insert(panel.clone(), price).is_some() {
                        return Err(Error::file(
                            path,
                            format!(
                                "line {line}: the panel '{panel}' is priced twice; remove one line"
                            ),
                        ));
                    }
                }
                (name, panel) => {
                    if !seen.insert(name.to_string()) {
                        return Err(Error::file(
                            path,
                            format!(
                                "line {line}: the test '{name}' is there twice; remove one line"
                            ),
                        ));
                    }
                    catalogue.tests.push(Test {
                        name: name.to_string(),
                        price,
                        panel,
                    });
                }
            }
        }
        if catalogue.tests.is_empty() {
            return Err(Error::file(
                path,
                "it names no test; write one a line below the names of the columns",
            ));
        }
        Ok(catalogue)
    }

    /// What a set of tests costs for one subject: their own prices, and each panel's once.
    pub fn price<'a>(&self, tests: impl IntoIterator<Item = &'a Test>) -> Price {
        let mut panels = HashSet::new();
        let of = |test: &'a Test| {
            let shared = test
                .panel
                .as_ref()
                .filter(|panel| panels.insert(panel.as_str()));
            test.price
                + shared
                    .and_then(|panel| self.panels.get(panel))
                    .copied()
                    .unwrap_or_default()
        };
        tests.into_iter().map(of).sum()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Catalogue, String> {
        Catalogue::parse(text.as_bytes(), Path::new("tests.csv")).map_err(|error| error.to_string())
    }

    #[test]
    fn a_panel_is_paid_once() {
        let catalogue = parse("test,cost,minutes,burden,panel\ncrp,4,1,,blood\nferritin,6,1,,blood\nmri,300,40,3,\n,10,5,1,blood\n").unwrap();
        assert_eq!(catalogue.tests.len(), 3);
        let all = catalogue.price(&catalogue.tests);
        assert_eq!((all.cost, all.minutes, all.burden), (320.0, 47.0, 4.0));
        assert_eq!(catalogue.price(&catalogue.tests[1..2]).cost, 16.0);
        assert_eq!(catalogue.price(&catalogue.tests[2..]).cost, 300.0);
    }

    #[test]
    fn mistakes_name_their_line() {
        for (text, words) in [
            ("test,price\ncrp,4\n", "the column 'price' means nothing"),
            ("cost\n4\n", "no column 'test'"),
            (
                "test,cost\ncrp,4\ncrp,5\n",
                "line 3: the test 'crp' is there twice",
            ),
            ("test,cost\ncrp,-4\n", "line 2: the cost is '-4'"),
            ("test,cost\ncrp,NaN\n", "line 2: the cost is 'NaN'"),
            ("test,cost,panel\n,3,\n", "line 2: it names neither"),
            ("test,cost\n", "names no test"),
        ] {
            let message = parse(text).unwrap_err();
            assert!(
                message.starts_with("tests.csv: ") && message.contains(words),
                "{message}"
            );
        }
    }
}
