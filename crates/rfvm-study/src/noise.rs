//! A simulated study in which there is nothing to find: whatever it claims, it has made up.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

use rfvm::stats::correlation;
use rfvm::{Dataset, Simulation};

use crate::catalogue::{Catalogue, Price, Ruling, Test};
use crate::error::Error;
use crate::store::{Study, Terms};
use crate::wave::{Added, Wave};

/// Waves of subjects, half of them cases, whose tests have nothing to do with the outcome.
#[derive(Debug, Clone)]
pub struct NoiseStudy {
    data: Dataset,
    subjects: usize,
}

impl NoiseStudy {
    /// Draws so many waves of so many subjects.
    pub fn draw(waves: usize, subjects: usize, tests: usize, seed: u64) -> Result<Self, Error> {
        let simulation = Simulation {
            samples: waves * subjects,
            features: tests,
            informative: 1,
            effect: 0.0,
            block: 1,
            correlation: 0.0,
            seed,
        };
        let data = simulation.draw()?.data;
        Ok(Self { data, subjects })
    }

    /// The study file, in a folder; the tables of the waves are written beside it.
    pub fn begin(&self, folder: &Path) -> Result<Study, Error> {
        let test = |name: &str| Test {
            name: name.to_string(),
            price: Price {
                cost: 1.0,
                ..Price::default()
            },
            panel: None,
        };
        let names = self.data.table().feature_names();
        let catalogue = Catalogue {
            tests: names.iter().map(test).collect(),
            ..Catalogue::default()
        };
        let terms = Terms {
            outcome: "outcome".into(),
            positive: None,
            site: None,
            group: None,
        };
        Study::create(&folder.join("study.rfvm"), &terms, &catalogue, &[], &[])
    }

    /// Adds a wave (from 1) that measures what is not retired; `just` are tests retired by hand before it came.
    pub fn join(
        &self,
        study: &mut Study,
        wave: usize,
        retired: &BTreeSet<String>,
        just: &[String],
    ) -> Result<Added, Error> {
        let path = study.path().with_file_name(format!("wave{wave}.csv"));
        std::fs::write(&path, self.wave(wave, retired)).map_err(Error::read(&path))?;
        study.add(&Wave {
            tables: vec![path],
            decisions: (just.iter().cloned().map(|test| (test, Ruling::Retired))).collect(),
            ..Wave::default()
        })
    }

    fn wave(&self, wave: usize, retired: &BTreeSet<String>) -> String {
        let table = self.data.table();
        let tests = self.in_use(retired);
        let mut text = "subject,outcome".to_string();
        for &test in &tests {
            text.extend([",", &table.feature_names()[test]]);
        }
        text.push('\n');
        for n in (wave - 1) * self.subjects..wave * self.subjects {
            let outcome = ["control", "case"][self.data.labels()[n]];
            let _ = write!(text, "{},{outcome}", table.sample_names()[n]);
            for &test in &tests {
                let _ = write!(text, ",{:.4}", table.feature(test)[n]);
            }
            text.push('\n');
        }
        text
    }

    fn in_use(&self, retired: &BTreeSet<String>) -> Vec<usize> {
        let names = self.data.table().feature_names();
        (0..names.len())
            .filter(|&test| !retired.contains(&names[test]))
            .collect()
    }

    /// The worst that a study can do to its own numbers: of the tests in use all but `stay`, namely those that correlate
    /// least with the outcome over the waves so far.
    pub fn least_correlated(
        &self,
        waves: usize,
        retired: &BTreeSet<String>,
        stay: usize,
    ) -> Vec<String> {
        let table = self.data.table();
        let strength = |test: usize| {
            let values = table.feature(test)[..waves * self.subjects].iter().copied();
            let labels = self.data.labels().iter().map(|&label| label as f64);
            correlation(&values.zip(labels).collect::<Vec<_>>()).map_or(0.0, f64::abs)
        };
        let in_use = self.in_use(retired).into_iter();
        let mut in_use: Vec<(f64, usize)> = in_use.map(|test| (strength(test), test)).collect();
        in_use.sort_by(|a, b| a.0.total_cmp(&b.0));
        in_use.truncate(in_use.len().saturating_sub(stay));
        let name = |(_, test): (f64, usize)| table.feature_names()[test].to_string();
        in_use.into_iter().map(name).collect()
    }
}
