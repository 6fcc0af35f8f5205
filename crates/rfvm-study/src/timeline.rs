//! A study wave by wave: what was in use, what it cost, what was fitted and advised.

use std::collections::{BTreeMap, HashMap};

use rusqlite::Connection;
use serde_json::Value;

use crate::catalogue::{Catalogue, Price, Ruling, Test};
use crate::error::Error;
use crate::prospective::ProspectiveWave;
use crate::state::StudyState;
use crate::store::{Event, Study};

/// A wave and what followed it until the next.
#[derive(Debug, Clone)]
pub(crate) struct Turn {
    pub(crate) wave: Event,
    /// Tests that could be measured and used when the wave came.
    pub(crate) tests: usize,
    pub(crate) price: Price,
    pub(crate) fits: Vec<Event>,
    /// Advice with all its detail.
    pub(crate) advice: Vec<(Event, Value)>,
}

/// The whole story.
#[derive(Debug, Clone)]
pub(crate) struct Timeline {
    pub(crate) state: StudyState,
    pub(crate) log: Vec<Event>,
    pub(crate) turns: Vec<Turn>,
    /// How the last model before each wave did on it.
    pub(crate) prospective: Vec<ProspectiveWave>,
}

/// A row of the catalogue or a decision, with the event that brought it.
struct History {
    panels: Vec<(i64, String, Price)>,
    tests: Vec<(i64, Test)>,
    decisions: Vec<(i64, String, Ruling)>,
    advice: Vec<(i64, Value)>,
}

impl Turn {
    /// The last fit on the wave whose performance can be shown: those of older versions that came after a retirement do
    /// not say whom they were measured on, and were measured on the subjects that had chosen the tests.
    pub(crate) fn shown_fit(&self, key: &str, log: &[Event]) -> Option<&Event> {
        let first_retirement = log
            .iter()
            .find(|event| event.retires())
            .map(|event| event.id);
        let shown = |fit: &&Event| {
            let before = first_retirement.is_none_or(|retirement| fit.id < retirement);
            fit.summary[key].is_object() && (before || fit.summary["basis"].is_object())
        };
        self.fits.iter().rfind(shown)
    }
}

impl Study {
    pub(crate) fn timeline(&self) -> Result<Timeline, Error> {
        let (state, log) = (self.state()?, self.log()?);
        let history = self
            .reading(|connection| History::load(connection).map_err(Error::store(self.path())))?;
        let mut turns: Vec<Turn> = Vec::new();
        for event in &log {
            match (event.kind.as_str(), turns.last_mut()) {
                ("wave", _) => {
                    let (tests, price) = history.in_use(event.id);
                    turns.push(Turn {
                        wave: event.clone(),
                        tests,
                        price,
                        fits: Vec::new(),
                        advice: Vec::new(),
                    });
                }
                ("fit", Some(turn)) => turn.fits.push(event.clone()),
                ("advice", Some(turn)) => {
                    let detail = history
                        .advice
                        .iter()
                        .find(|(id, _)| *id == event.id)
                        .map(|(_, detail)| detail.clone());
                    turn.advice
                        .push((event.clone(), detail.unwrap_or_default()));
                }
                _ => {}
            }
        }
        Ok(Timeline {
            state,
            log,
            turns,
            prospective: self.prospective()?,
        })
    }
}

impl History {
    fn load(connection: &Connection) -> rusqlite::Result<Self> {
        let price = |row: &rusqlite::Row| -> rusqlite::Result<Price> {
            Ok(Price {
                cost: row.get(2)?,
                minutes: row.get(3)?,
                burden: row.get(4)?,
            })
        };
        let mut panels = connection
            .prepare("SELECT event, name, cost, minutes, burden FROM panel ORDER BY event")?;
        let panels = panels
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?, price(row)?)))?
            .collect::<rusqlite::Result<_>>()?;
        let mut tests = connection
            .prepare("SELECT event, name, cost, minutes, burden, panel FROM test ORDER BY rowid")?;
        let tests = tests
            .query_map([], |row| {
                Ok((
                    row.get(0)?,
                    Test {
                        name: row.get(1)?,
                        price: price(row)?,
                        panel: row.get(5)?,
                    },
                ))
            })?
            .collect::<rusqlite::Result<_>>()?;
        let mut decisions =
            connection.prepare("SELECT event, test, verdict FROM decision ORDER BY event")?;
        let decisions = decisions
            .query_map([], |row| {
                Ok((
                    row.get(0)?,
                    row.get(1)?,
                    Ruling::of(&row.get::<_, String>(2)?),
                ))
            })?
            .collect::<rusqlite::Result<_>>()?;
        let mut advice = connection.prepare("SELECT event, detail FROM advice ORDER BY event")?;
        let json = |text: String| serde_json::from_str(&text).unwrap_or(Value::Null);
        let advice = advice
            .query_map([], |row| Ok((row.get(0)?, json(row.get(1)?))))?
            .collect::<rusqlite::Result<_>>()?;
        Ok(Self {
            panels,
            tests,
            decisions,
            advice,
        })
    }

    /// How many tests were in use with an event, and what they cost.
    fn in_use(&self, event: i64) -> (usize, Price) {
        let mut catalogue = Catalogue::default();
        for (_, name, price) in self.panels.iter().filter(|(at, ..)| *at <= event) {
            catalogue.panels.insert(name.clone(), *price);
        }
        let tests = self.tests.iter().filter(|(at, _)| *at <= event);
        let mut newest: BTreeMap<&str, &Test> =
            tests.map(|(_, test)| (test.name.as_str(), test)).collect();
        let decisions = self.decisions.iter().filter(|(at, ..)| *at <= event);
        let decided: HashMap<&str, Ruling> = decisions
            .map(|(_, name, verdict)| (name.as_str(), *verdict))
            .collect();
        newest.retain(|name, _| {
            let verdict = decided.get(name).copied().unwrap_or(Ruling::Free);
            matches!(verdict, Ruling::Free | Ruling::Keep)
        });
        (newest.len(), catalogue.price(newest.into_values()))
    }
}
