//! What is known of a study now: for every subject and test the newest value that any wave gives.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use rusqlite::Connection;
use sha2::{Digest, Sha256};

use crate::catalogue::{Catalogue, Price, Ruling, Test};
use crate::chain::hex;
use crate::error::Error;
use crate::store::{Study, Terms, terms};

/// A subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    /// Its name.
    pub name: String,
    /// The wave it came with.
    pub wave: usize,
}

/// A study as it is now.
#[derive(Debug, Clone, PartialEq)]
pub struct StudyState {
    /// What it is about.
    pub terms: Terms,
    /// All tests ever named, each with its newest price.
    pub catalogue: Catalogue,
    /// What is decided about each test of the catalogue.
    pub verdicts: Vec<Ruling>,
    /// The wave in which each test was first measured.
    pub first_wave: Vec<Option<usize>>,
    /// The last wave in which each test was measured.
    pub last_wave: Vec<Option<usize>>,
    /// Number of waves.
    pub waves: usize,
    /// The subjects, in order of arrival.
    pub subjects: Vec<Subject>,
    /// The wave that first told each subject's outcome.
    pub outcome_wave: Vec<Option<usize>>,
    /// The last wave whose outcomes were known when tests were retired.
    pub retired_after: Option<usize>,
    /// Waves with which tests were put on or taken off the lists by hand, outcomes being known.
    pub listed_with: Vec<usize>,
    /// Columns of words, one text a subject; empty where nothing is known.
    pub attributes: BTreeMap<String, Vec<String>>,
    /// `values[test][subject]`; NaN where nothing is known.
    pub values: Vec<Vec<f64>>,
}

impl Study {
    /// What is known now.
    pub fn state(&self) -> Result<StudyState, Error> {
        self.reading(|connection| StudyState::load(connection, self.path()))
    }
}

impl StudyState {
    pub(crate) fn load(connection: &Connection, path: &Path) -> Result<Self, Error> {
        load(connection).map_err(Error::store(path))
    }

    /// Positions of the tests that a fit may use.
    pub fn active(&self) -> Vec<usize> {
        let usable = |verdict: Ruling| matches!(verdict, Ruling::Free | Ruling::Keep);
        (0..self.verdicts.len())
            .filter(|&test| usable(self.verdicts[test]))
            .collect()
    }

    /// The price of some tests for one subject.
    pub fn price(&self, tests: &[usize]) -> Price {
        self.catalogue
            .price(tests.iter().map(|&test| &self.catalogue.tests[test]))
    }

    /// A column of words; empty texts where the study has none of that name.
    pub fn attribute(&self, name: &str) -> Vec<String> {
        let none = || vec![String::new(); self.subjects.len()];
        self.attributes.get(name).cloned().unwrap_or_else(none)
    }

    /// SHA-256 over everything a fit can see: subjects, words, tests in use, values.
    pub fn hash(&self) -> String {
        let mut hash = Sha256::new();
        let mut text = |text: &str| {
            hash.update((text.len() as u64).to_le_bytes());
            hash.update(text);
        };
        text(&self.terms.outcome);
        self.subjects.iter().for_each(|subject| text(&subject.name));
        for (name, words) in &self.attributes {
            text(name);
            words.iter().for_each(|word| text(word));
        }
        for test in self.active() {
            text(&self.catalogue.tests[test].name);
            let bytes: Vec<u8> = self.values[test]
                .iter()
                .flat_map(|value| value.to_le_bytes())
                .collect();
            text(&hex(&bytes));
        }
        hex(&hash.finalize())
    }
}

fn load(connection: &Connection) -> rusqlite::Result<StudyState> {
    let catalogue = load_catalogue(connection)?;
    let place: HashMap<String, usize> = catalogue
        .tests
        .iter()
        .enumerate()
        .map(|(at, test)| (test.name.clone(), at))
        .collect();
    let mut verdicts = vec![Ruling::Free; catalogue.tests.len()];
    let mut statement = connection.prepare("SELECT test, verdict FROM decision ORDER BY event")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        if let Some(&at) = place.get(&row.get::<_, String>(0)?) {
            verdicts[at] = Ruling::of(&row.get::<_, String>(1)?);
        }
    }
    let (subjects, rows_of) = load_subjects(connection)?;
    let count = subjects.len();
    let mut state = StudyState {
        terms: terms(connection)?,
        first_wave: vec![None; catalogue.tests.len()],
        last_wave: vec![None; catalogue.tests.len()],
        values: vec![vec![f64::NAN; count]; catalogue.tests.len()],
        attributes: BTreeMap::new(),
        catalogue,
        verdicts,
        waves: rows_of.0.len(),
        subjects,
        outcome_wave: vec![None; count],
        retired_after: None,
        listed_with: Vec::new(),
    };
    let mut statement =
        connection.prepare("SELECT wave, test, data FROM measurement ORDER BY wave")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (wave, test): (i64, String) = (row.get(0)?, row.get(1)?);
        let wave = wave.unsigned_abs() as usize;
        let Some(&test) = place.get(&test) else {
            continue;
        };
        let data = row.get_ref(2)?.as_blob()?;
        let mut known = false;
        for (bytes, &subject) in data.chunks_exact(8).zip(rows_of.of(wave)?) {
            let value = f64::from_le_bytes(bytes.try_into().unwrap_or_default());
            if !value.is_nan() {
                state.values[test][subject] = value;
                known = true;
            }
        }
        if known {
            state.first_wave[test].get_or_insert(wave);
            state.last_wave[test] = Some(wave);
        }
    }
    let mut statement =
        connection.prepare("SELECT wave, name, data FROM attribute ORDER BY wave")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (wave, name, data): (i64, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let wave = wave.unsigned_abs() as usize;
        let words: Vec<String> = serde_json::from_str(&data).unwrap_or_default();
        let is_outcome = name == state.terms.outcome;
        let known = state
            .attributes
            .entry(name)
            .or_insert_with(|| vec![String::new(); count]);
        for (word, &subject) in words.into_iter().zip(rows_of.of(wave)?) {
            if !word.is_empty() {
                known[subject] = word;
                if is_outcome {
                    state.outcome_wave[subject].get_or_insert(wave);
                }
            }
        }
    }
    load_choices(connection, &mut state)?;
    Ok(state)
}

/// Which outcomes had a part in choosing the tests. What comes with a wave was decided before its outcomes were seen.
fn load_choices(connection: &Connection, state: &mut StudyState) -> rusqlite::Result<()> {
    let first_outcome = state.outcome_wave.iter().flatten().min().copied();
    let mut statement = connection.prepare(
        "SELECT DISTINCT kind, wave, verdict = 'retired' FROM decision JOIN event ON event.id = decision.event
           ORDER BY event.id",
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (kind, wave, retired): (String, i64, bool) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let number = wave.unsigned_abs() as usize;
        let seen = number.saturating_sub(usize::from(kind == "wave"));
        if first_outcome.is_none_or(|first| seen < first) {
            continue;
        }
        match retired {
            true => state.retired_after = state.retired_after.max(Some(seen)),
            false => state.listed_with.push(number),
        }
    }
    Ok(())
}

fn load_catalogue(connection: &Connection) -> rusqlite::Result<Catalogue> {
    let mut catalogue = Catalogue::default();
    let price = |row: &rusqlite::Row| -> rusqlite::Result<Price> {
        Ok(Price {
            cost: row.get(1)?,
            minutes: row.get(2)?,
            burden: row.get(3)?,
        })
    };
    let mut statement =
        connection.prepare("SELECT name, cost, minutes, burden FROM panel ORDER BY event")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        catalogue.panels.insert(row.get(0)?, price(row)?);
    }
    let mut place: HashMap<String, usize> = HashMap::new();
    // The rows of one event are in the order of its file.
    let mut statement =
        connection.prepare("SELECT name, cost, minutes, burden, panel FROM test ORDER BY rowid")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let test = Test {
            name: row.get(0)?,
            price: price(row)?,
            panel: row.get(4)?,
        };
        match place.get(&test.name) {
            Some(&at) => catalogue.tests[at] = test,
            None => {
                place.insert(test.name.clone(), catalogue.tests.len());
                catalogue.tests.push(test);
            }
        }
    }
    Ok(catalogue)
}

/// For every wave the subject of each of its rows.
struct WaveRows(Vec<Vec<usize>>);

impl WaveRows {
    /// Those of a wave by its number; one that the study does not have is an error and no panic.
    fn of(&self, wave: usize) -> rusqlite::Result<&Vec<usize>> {
        let rows = wave.checked_sub(1).and_then(|at| self.0.get(at));
        rows.ok_or(rusqlite::Error::IntegralValueOutOfRange(0, wave as i64))
    }
}

/// The subjects in order of arrival, and the rows of every wave.
fn load_subjects(connection: &Connection) -> rusqlite::Result<(Vec<Subject>, WaveRows)> {
    let (mut subjects, mut place) = (Vec::new(), HashMap::new());
    let waves: i64 = connection.query_row("SELECT count(*) FROM wave", [], |row| row.get(0))?;
    let mut rows_of = WaveRows(vec![Vec::new(); waves.unsigned_abs() as usize]);
    let mut statement =
        connection.prepare("SELECT wave, subject FROM row ORDER BY wave, position")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let wave = row.get::<_, i64>(0)?.unsigned_abs() as usize;
        let name: String = row.get(1)?;
        rows_of.of(wave)?;
        let subject = *place.entry(name.clone()).or_insert_with(|| {
            subjects.push(Subject { name, wave });
            subjects.len() - 1
        });
        rows_of.0[wave - 1].push(subject);
    }
    Ok((subjects, rows_of))
}
