//! A simulated study with known truth: six waves in which tests arrive late, cost different amounts, measure the same
//! marker twice or thrice, or nothing that matters.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rfvm::{Dataset, Error, Names, Table, Target, standard_normal};

use crate::catalogue::{Catalogue, Price};
use crate::store::{Study, Terms};
use crate::wave::Wave;

/// The files of the waves.
const FILES: [&str; WAVES] = [
    "wave1.csv",
    "wave2.csv",
    "wave3.csv",
    "wave4.csv",
    "wave5.csv",
    "wave6.csv",
];
/// Waves.
const WAVES: usize = 6;
/// Subjects a wave.
const SUBJECTS: usize = 60;
/// Subjects that no wave has, to test on.
const FRESH: usize = 2000;
/// Markers that the outcome depends on.
const MARKERS: usize = 10;
/// Tests in all, beside those of the lists.
const TESTS: usize = 200;
/// The wave in which further tests arrive.
const LATE: usize = 3;
const SITES: [&str; 3] = ["north", "south", "east"];

/// What a test truly is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TestKind {
    /// It measures a marker that the outcome depends on; others may measure the same one.
    Marker(usize),
    /// It has nothing to do with the outcome.
    Irrelevant,
    /// It is known only after the outcome, and so must not be used.
    Leak,
}

/// A test and the truth about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Truth {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: TestKind,
    /// The wave it arrives with.
    pub wave: usize,
    price: Price,
    panel: Option<&'static str>,
}

/// The study: everything is drawn at once and told wave by wave.
#[derive(Debug, Clone)]
pub struct SimulatedStudy {
    tests: Vec<Truth>,
    /// `values[test][subject]`, those of the fresh subjects last.
    values: Vec<Vec<f64>>,
    labels: Vec<usize>,
    site: Vec<usize>,
    family: Vec<usize>,
    /// Value lost on the way: (test, subject).
    lost: BTreeSet<(usize, usize)>,
    /// Values of the second wave that came in the wrong unit: (test, subject).
    wrong: BTreeSet<(usize, usize)>,
}

impl SimulatedStudy {
    /// Draws a study.
    pub fn draw(seed: u64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let subjects = WAVES * SUBJECTS + FRESH;
        let (site, family) = people(subjects, &mut random);
        let families = family.last().map_or(0, |last| last + 1);
        // Members of a family share part of every marker.
        let marker = |random: &mut ChaCha8Rng| -> Vec<f64> {
            let shared: Vec<f64> = (0..families).map(|_| standard_normal(random)).collect();
            family
                .iter()
                .map(|&f| 0.5 * shared[f] + 0.75f64.sqrt() * standard_normal(random))
                .collect()
        };
        let markers: Vec<Vec<f64>> = (0..MARKERS).map(|_| marker(&mut random)).collect();
        // Weights from 1.3 down to 0.7, by turns for and against.
        let weight = |m: usize| {
            (1.3 - 0.6 * m as f64 / (MARKERS - 1) as f64)
                * if m.is_multiple_of(2) { 1.0 } else { -1.0 }
        };
        let labels = (0..subjects)
            .map(|n| {
                let base = if site[n] == 2 { -0.8 } else { -0.1 };
                let score: f64 =
                    base + (0..MARKERS).map(|m| weight(m) * markers[m][n]).sum::<f64>();
                usize::from(random.random::<f64>() < 1.0 / (1.0 + (-score).exp()))
            })
            .collect();
        let mut study = Self {
            tests: Vec::new(),
            values: Vec::new(),
            labels,
            site,
            family,
            lost: BTreeSet::new(),
            wrong: BTreeSet::new(),
        };
        study.draw_tests(&markers, &mut random);
        for test in 0..TESTS {
            for subject in 0..WAVES * SUBJECTS {
                if random.random::<f64>() < 0.02 {
                    study.lost.insert((test, subject));
                }
            }
        }
        for subject in (SUBJECTS..2 * SUBJECTS).step_by(5) {
            study.wrong.insert((subject % 7, subject));
        }
        study
    }

    fn draw_tests(&mut self, markers: &[Vec<f64>], random: &mut ChaCha8Rng) {
        let subjects = self.labels.len();
        let mut block = vec![0.0; subjects];
        for number in 0..TESTS {
            // The first thirty measure the ten markers thrice: well, nearly as well, and a little worse.
            let (kind, fidelity): (TestKind, f64) = match number {
                0..10 => (TestKind::Marker(number), 0.95),
                10..20 => (TestKind::Marker(number - 10), 0.92),
                20..30 => (TestKind::Marker(number - 20), 0.88),
                _ => (TestKind::Irrelevant, 0.0),
            };
            if number >= 30 && (number - 30).is_multiple_of(8) {
                block.fill_with(|| standard_normal(random));
            }
            let correlated = number.is_multiple_of(2);
            let noise = (1.0 - fidelity * fidelity).sqrt();
            let site_shift = if number.is_multiple_of(11) { 0.5 } else { 0.0 };
            let column: Vec<f64> = (0..subjects)
                .map(|n| {
                    let own = standard_normal(random);
                    let z = match kind {
                        TestKind::Marker(m) => fidelity * markers[m][n] + noise * own,
                        _ if correlated => 0.7f64.sqrt() * block[n] + 0.3f64.sqrt() * own,
                        _ => own,
                    };
                    10.0 + 2.0 * (z + site_shift * self.site[n] as f64)
                })
                .collect();
            // The second and third measure of a marker are sometimes much cheaper and sometimes dearer.
            let cost = (5.0 + 60.0 * random.random::<f64>().powi(2)).round();
            let panel = match number % 10 {
                1..=3 => Some("blood"),
                4 => Some("urine"),
                5 if number > 100 => Some("imaging"),
                _ => None,
            };
            self.tests.push(Truth {
                name: format!("test{:03}", number + 1),
                kind,
                // Both other measures of the fourth marker and a tenth of the rest come late.
                wave: if number == 13 || number == 23 || number % 10 == 9 {
                    LATE
                } else {
                    1
                },
                price: Price {
                    cost,
                    minutes: (2.0 + 10.0 * random.random::<f64>()).round(),
                    burden: f64::from(random.random_range(0..4u32)),
                },
                panel,
            });
            self.values.push(column);
        }
        let age: Vec<f64> = (0..subjects)
            .map(|_| 50.0 + 12.0 * standard_normal(random))
            .collect();
        self.push("age", TestKind::Irrelevant, 0.0, age);
        let leak = (0..subjects)
            .map(|n| self.labels[n] as f64 + 0.1 * standard_normal(random))
            .collect();
        self.push("treatment_dose", TestKind::Leak, 3.0, leak);
    }

    fn push(&mut self, name: &str, kind: TestKind, cost: f64, column: Vec<f64>) {
        let price = Price {
            cost,
            minutes: 1.0,
            burden: 0.0,
        };
        self.tests.push(Truth {
            name: name.to_string(),
            kind,
            wave: 1,
            price,
            panel: None,
        });
        self.values.push(column);
    }

    /// Number of waves.
    pub fn waves(&self) -> usize {
        WAVES
    }

    /// The tests and the truth about them.
    pub fn tests(&self) -> &[Truth] {
        &self.tests
    }

    /// Tests that the study must keep.
    pub fn keep(&self) -> Vec<String> {
        vec!["age".to_string()]
    }

    /// Tests that no fit may use.
    pub fn never(&self) -> Vec<String> {
        vec!["treatment_dose".to_string()]
    }

    /// Whether retiring a test is right, given what is kept: it is irrelevant, or a kept one measures the same marker.
    pub fn right_to_retire(&self, name: &str, kept: &BTreeSet<String>) -> bool {
        let kind = self
            .tests
            .iter()
            .find(|test| test.name == name)
            .map_or(TestKind::Irrelevant, |test| test.kind);
        match kind {
            TestKind::Irrelevant | TestKind::Leak => true,
            TestKind::Marker(_) => self
                .tests
                .iter()
                .any(|test| test.kind == kind && kept.contains(&test.name)),
        }
    }

    /// The catalogue file of the tests that arrive with a wave; `None` where none does.
    pub fn catalogue(&self, wave: usize) -> Option<String> {
        let arriving: Vec<&Truth> = self.tests.iter().filter(|test| test.wave == wave).collect();
        if arriving.is_empty() {
            return None;
        }
        let mut text = "test,cost,minutes,burden,panel\n".to_string();
        for test in arriving {
            let Price {
                cost,
                minutes,
                burden,
            } = test.price;
            let _ = writeln!(
                text,
                "{},{cost},{minutes},{burden},{}",
                test.name,
                test.panel.unwrap_or("")
            );
        }
        if wave == 1 {
            text.push_str(",15,10,1,blood\n,5,5,0,urine\n,120,30,2,imaging\n");
        }
        Some(text)
    }

    /// The table of a wave's subjects: all tests that have arrived and are not retired.
    pub fn wave(&self, wave: usize, retired: &BTreeSet<String>) -> String {
        let subjects = (wave - 1) * SUBJECTS..wave * SUBJECTS;
        let tests: Vec<usize> = (0..self.tests.len())
            .filter(|&d| self.tests[d].wave <= wave && !retired.contains(&self.tests[d].name))
            .collect();
        self.rows(subjects.collect(), &tests, wave == 2)
    }

    /// A table of corrections that comes after a wave; `None` after most.
    pub fn corrections(&self, wave: usize, retired: &BTreeSet<String>) -> Option<String> {
        if wave != LATE {
            return None;
        }
        let subjects: BTreeSet<usize> = self.wrong.iter().map(|&(_, subject)| subject).collect();
        let tests: BTreeSet<usize> = self.wrong.iter().map(|&(test, _)| test).collect();
        let tests: Vec<usize> = tests
            .into_iter()
            .filter(|&d| !retired.contains(&self.tests[d].name))
            .collect();
        (!tests.is_empty()).then(|| self.rows(subjects.into_iter().collect(), &tests, false))
    }

    fn rows(&self, subjects: Vec<usize>, tests: &[usize], wrong: bool) -> String {
        let mut text = "subject,outcome,site,family".to_string();
        tests
            .iter()
            .for_each(|&d| text.extend([",", &self.tests[d].name]));
        text.push('\n');
        for n in subjects {
            let outcome = ["well", "ill"][self.labels[n]];
            let _ = write!(
                text,
                "S{:04},{outcome},{},F{:04}",
                n + 1,
                SITES[self.site[n]],
                self.family[n]
            );
            for &d in tests {
                text.push(',');
                if !self.lost.contains(&(d, n)) {
                    let factor = if wrong && self.wrong.contains(&(d, n)) {
                        10.0
                    } else {
                        1.0
                    };
                    let _ = write!(text, "{:.4}", factor * self.values[d][n]);
                }
            }
            text.push('\n');
        }
        text
    }

    /// The study in which these waves happen, at `place`. `write` keeps a file and says where.
    pub fn begin<E: From<crate::error::Error>>(
        &self,
        place: &Path,
        mut write: impl FnMut(&'static str, &str) -> Result<PathBuf, E>,
    ) -> Result<Study, E> {
        let terms = Terms {
            outcome: "outcome".into(),
            positive: Some("ill".into()),
            site: Some("site".into()),
            group: Some("family".into()),
        };
        let tests = write("tests.csv", &self.catalogue(1).unwrap_or_default())?;
        let tests = Catalogue::read(&tests)?;
        Ok(Study::create(
            place,
            &terms,
            &tests,
            &self.keep(),
            &self.never(),
        )?)
    }

    /// Adds a wave, with the tests that arrive and the corrections that follow.
    pub fn join<E: From<crate::error::Error>>(
        &self,
        study: &mut Study,
        wave: usize,
        retired: &BTreeSet<String>,
        mut write: impl FnMut(&'static str, &str) -> Result<PathBuf, E>,
    ) -> Result<(), E> {
        let table = write(FILES[wave - 1], &self.wave(wave, retired))?;
        let catalogue = match self.catalogue(wave).filter(|_| wave > 1) {
            Some(text) => Some(Catalogue::read(&write("new_tests.csv", &text)?)?),
            None => None,
        };
        study.add(&Wave {
            tables: vec![table],
            catalogue,
            ..Wave::default()
        })?;
        if let Some(text) = self.corrections(wave, retired) {
            study.add(&Wave {
                tables: vec![write("corrections.csv", &text)?],
                update: true,
                ..Wave::default()
            })?;
        }
        Ok(())
    }

    /// Subjects that no wave has, with every test but the leak.
    pub fn fresh(&self) -> Result<Dataset, Error> {
        self.dataset(WAVES * SUBJECTS..WAVES * SUBJECTS + FRESH, |_, _| true)
    }

    /// All subjects of all waves with every test but the leak, as a study has them that retires nothing: tests that arrive
    /// late are missing before, and some values are lost.
    pub fn everything(&self) -> Result<Dataset, Error> {
        let there = |d: usize, n: usize| {
            n / SUBJECTS + 1 >= self.tests[d].wave && !self.lost.contains(&(d, n))
        };
        self.dataset(0..WAVES * SUBJECTS, there)
    }

    fn dataset(
        &self,
        subjects: Range<usize>,
        there: impl Fn(usize, usize) -> bool,
    ) -> Result<Dataset, Error> {
        let tests = || (0..self.tests.len()).filter(|&d| self.tests[d].kind != TestKind::Leak);
        let value = |d: usize, n: usize| {
            if there(d, n) {
                self.values[d][n]
            } else {
                f64::NAN
            }
        };
        let values = tests().flat_map(|d| subjects.clone().map(move |n| (d, n)));
        let table = Table::with_missing(
            values.map(|(d, n)| value(d, n)).collect(),
            tests().map(|d| &self.tests[d].name).collect::<Names>(),
            subjects.clone().map(|n| format!("S{:04}", n + 1)).collect(),
        )?;
        let target = Target::Classes {
            names: vec!["well".into(), "ill".into()],
            labels: self.labels[subjects].to_vec(),
        };
        Dataset::new(table, target)
    }
}

/// Sites and families (one to three members, who come together) of all subjects; no family is split between waves.
fn people(subjects: usize, random: &mut ChaCha8Rng) -> (Vec<usize>, Vec<usize>) {
    let (mut site, mut family) = (Vec::new(), Vec::new());
    let mut number = 0;
    while site.len() < subjects {
        let place = match random.random::<f64>() {
            share if share < 0.5 => 0,
            share if share < 0.8 => 1,
            _ => 2,
        };
        let room = SUBJECTS - site.len() % SUBJECTS;
        for _ in 0..random.random_range(1..=3usize).min(room) {
            site.push(place);
            family.push(number);
        }
        number += 1;
    }
    site.truncate(subjects);
    family.truncate(subjects);
    (site, family)
}
