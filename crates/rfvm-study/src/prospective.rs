//! How each recorded model did on the subjects that came after it: nothing about them was known when it was fitted.

use std::collections::HashSet;

use rfvm::{Bootstrap, Model};
use rusqlite::Connection;
use serde::Serialize;

use crate::cohort::Cohort;
use crate::error::Error;
use crate::performance::{DRAWS, HeldBackScores, Performance};
use crate::state::StudyState;
use crate::store::Study;

/// How the last model before a wave did on the wave's subjects.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProspectiveWave {
    /// The wave that the subjects came with.
    pub wave: usize,
    /// The model's number in the log.
    pub fit: i64,
    /// Subjects with a known outcome; those whose group (family, ward) the fit knew are left out.
    pub subjects: usize,
    /// What it was worth on them.
    pub performance: Performance,
}

impl Study {
    /// How the last model before each wave did on the subjects of that wave.
    pub fn prospective(&self) -> Result<Vec<ProspectiveWave>, Error> {
        let fits = self.fits()?;
        if fits.is_empty() {
            return Ok(Vec::new());
        }
        let state = self.state()?;
        // Every test that was ever measured: a model may use one that is retired by now.
        let cohort = state.cohort_of((0..state.catalogue.tests.len()).collect(), 0.0)?;
        let mut waves = Vec::new();
        for wave in 2..=state.waves {
            let Some(&(fit, known)) = fits.iter().rfind(|(_, known)| *known < wave) else {
                continue;
            };
            let rows = cohort.came_with(&state, wave, known);
            let model = self.model(fit)?;
            if rows.is_empty() || model.classes() != cohort.classes {
                continue;
            }
            waves.push(ProspectiveWave {
                wave,
                fit,
                subjects: rows.len(),
                performance: cohort.performance_of(&model, &rows)?,
            });
        }
        Ok(waves)
    }

    /// Every fit: its number in the log and the last wave that it knew.
    fn fits(&self) -> Result<Vec<(i64, usize)>, Error> {
        let read = |connection: &Connection| -> rusqlite::Result<Vec<(i64, usize)>> {
            let mut statement =
                connection.prepare("SELECT id, wave FROM event WHERE kind = 'fit' ORDER BY id")?;
            let of = |row: &rusqlite::Row| {
                let wave: i64 = row.get(1)?;
                Ok((row.get(0)?, wave.unsigned_abs() as usize))
            };
            statement.query_map([], of)?.collect()
        };
        self.reading(|connection| read(connection).map_err(Error::store(self.path())))
    }
}

impl Cohort {
    /// Rows of a wave's subjects whose group has nobody in the waves that a fit knew.
    fn came_with(&self, state: &StudyState, wave: usize, known: usize) -> Vec<usize> {
        let wave_of = |n: usize| state.subjects[self.rows[n]].wave;
        let group = |n: usize| self.groups.as_ref().map_or(n, |groups| groups[n]);
        let all = self.all_rows();
        let before = all.iter().filter(|&&n| wave_of(n) <= known);
        let before: HashSet<usize> = before.map(|&n| group(n)).collect();
        let came = |n: &usize| wave_of(*n) == wave && !before.contains(&group(*n));
        all.into_iter().filter(came).collect()
    }

    /// What a model is worth on some rows.
    fn performance_of(&self, model: &Model, rows: &[usize]) -> Result<Performance, Error> {
        let mut tests = self.find(&model.needed_features());
        if tests.is_empty() {
            // A model that is the base rate needs none, but a table has at least one.
            tests.push(0);
        }
        let table = self.table(rows, &tests)?;
        let labels: Vec<usize> = rows.iter().map(|&n| self.labels[n]).collect();
        let groups = self.groups.as_ref();
        let groups: Option<Vec<usize>> =
            groups.map(|groups| rows.iter().map(|&n| groups[n]).collect());
        let bootstrap = Bootstrap::new(rows.len(), groups.as_deref(), DRAWS, 1);
        let scores = HeldBackScores(vec![model.predict_probability(&table)?]);
        Ok(Performance::of(&bootstrap, &scores, &labels))
    }
}
