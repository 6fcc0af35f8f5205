//! A wave: new subjects, new tests, and what completes or corrects what is known.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use rfvm_io::{Orientation, ReadOptions, Source, read_tables};
use rusqlite::Connection;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::catalogue::{Catalogue, Ruling, Test};
use crate::chain::{hex, seal};
use crate::error::{Error, quoted};
use crate::state::StudyState;
use crate::store::{
    Record, Study, Terms, check_decisions, insert_catalogue, insert_decisions, insert_event,
};

/// What to add.
#[derive(Debug, Clone, Default)]
pub struct Wave {
    /// The tables; the rows of several are stacked.
    pub tables: Vec<PathBuf>,
    /// How to read them.
    pub options: ReadOptions,
    /// Whether rows of subjects that are already there complete and correct what is known of them.
    pub update: bool,
    /// New tests and new prices.
    pub catalogue: Option<Catalogue>,
    /// What is decided anew about tests.
    pub decisions: Vec<(String, Ruling)>,
}

/// What a wave brought.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Added {
    /// Its number, from 1.
    pub wave: usize,
    /// Its rows.
    pub rows: usize,
    /// Subjects that came with it.
    pub new_subjects: usize,
    /// Subjects that were there before.
    pub known_subjects: usize,
    /// Values that were not known before, of subjects that were.
    pub completed: usize,
    /// Values (and words) that differ from what was known.
    pub corrected: usize,
    /// Tests measured for the first time.
    pub new_tests: Vec<String>,
    /// Tests in use that this wave did not measure.
    pub not_measured: Vec<String>,
    /// Subjects of the study whose outcome is not known yet.
    pub without_outcome: usize,
    /// What the reader has to say.
    pub notes: Vec<String>,
}

/// A wave as read, checked against nothing yet.
struct WaveSheet {
    file: String,
    hash: String,
    subjects: Vec<String>,
    words: BTreeMap<String, Vec<String>>,
    tests: Vec<(String, Vec<f64>)>,
    notes: Vec<String>,
}

impl Study {
    /// Adds a wave, all of it or nothing.
    pub fn add(&mut self, wave: &Wave) -> Result<Added, Error> {
        let sheet = read(wave, &self.terms()?)?;
        let path = self.path().to_path_buf();
        let transaction = self.begin()?;
        let before = StudyState::load(&transaction, &path)?;
        let first = wave.tables.first().map_or(Path::new(""), PathBuf::as_path);
        let known: Option<i64> = transaction
            .query_row(
                "SELECT max(number) FROM wave WHERE file_hash = ?1",
                [&sheet.hash],
                |row| row.get(0),
            )
            .map_err(Error::store(&path))?;
        if let Some(known) = known {
            return Err(Error::file(
                first,
                format!("this is wave {known} of the study already; give another file"),
            ));
        }
        let catalogue = with_news(&before, wave.catalogue.as_ref());
        check_decisions(&catalogue, &wave.decisions)?;
        check(&sheet, &before, &catalogue, wave.update, first)?;
        let mut added = compare(&sheet, &before);
        let number = before.waves + 1;
        let write = |transaction: &Connection| -> rusqlite::Result<()> {
            let event = insert_event(
                transaction,
                Record {
                    kind: "wave",
                    wave: number,
                    // The hash of what came; those of what is known stand with fits and advice.
                    data_hash: &sheet.hash,
                    parameters: serde_json::json!({"file": sheet.file, "update": wave.update, "decisions": wave.decisions}),
                    summary: serde_json::json!(added),
                },
            )?;
            insert_sheet(transaction, event, number, &sheet)?;
            if let Some(catalogue) = &wave.catalogue {
                insert_catalogue(transaction, event, catalogue)?;
            }
            insert_decisions(transaction, event, &wave.decisions)?;
            seal(transaction, event)
        };
        write(&transaction).map_err(Error::store(&path))?;
        transaction.commit().map_err(Error::store(&path))?;
        added.notes = sheet.notes;
        Ok(added)
    }
}

/// The catalogue with new tests and new prices.
fn with_news(before: &StudyState, news: Option<&Catalogue>) -> Catalogue {
    let mut catalogue = before.catalogue.clone();
    let place = |(at, test): (usize, &Test)| (test.name.clone(), at);
    let known: HashMap<String, usize> = catalogue.tests.iter().enumerate().map(place).collect();
    for test in news.iter().flat_map(|news| &news.tests) {
        match known.get(&test.name) {
            Some(&at) => catalogue.tests[at] = test.clone(),
            None => catalogue.tests.push(test.clone()),
        }
    }
    catalogue
}

fn read(wave: &Wave, terms: &Terms) -> Result<WaveSheet, Error> {
    let mut options = wave.options.clone();
    options
        .orientation
        .get_or_insert(Orientation::SamplesAsRows);
    options.row_names.get_or_insert(true);
    options.target = Some(terms.outcome.clone());
    let first = wave.tables.first().map_or(Path::new(""), PathBuf::as_path);
    let mut source = read_tables(&wave.tables, &options)?;
    let mut hash = Sha256::new();
    for path in &wave.tables {
        hash.update(std::fs::read(path).map_err(Error::read(path))?);
    }
    let Some(subjects) = source.sample_names.take() else {
        return Err(Error::file(
            first,
            "its rows have no names; the first column must name the subjects",
        ));
    };
    let mut words = BTreeMap::new();
    for column in [
        Some(&terms.outcome),
        terms.site.as_ref(),
        terms.group.as_ref(),
    ]
    .into_iter()
    .flatten()
    {
        if let Some(texts) = source.take_column(column) {
            words.insert(column.clone(), texts);
        }
    }
    let Source {
        matrix,
        feature_names,
        annotations,
        notes,
        ..
    } = source;
    words.extend(
        annotations
            .into_iter()
            .map(|annotation| (annotation.name, annotation.values)),
    );
    let names = feature_names.unwrap_or_default();
    let column = |d: usize| matrix.feature(d).unwrap_or_default().to_vec();
    let tests = names
        .into_iter()
        .enumerate()
        .map(|(d, name)| (name, column(d)))
        .collect();
    let file = wave.tables.iter().filter_map(|path| path.file_name());
    Ok(WaveSheet {
        file: file
            .map(|name| name.to_string_lossy())
            .collect::<Vec<_>>()
            .join(", "),
        hash: hex(&hash.finalize()),
        subjects,
        words,
        tests,
        notes,
    })
}

fn check(
    sheet: &WaveSheet,
    before: &StudyState,
    catalogue: &Catalogue,
    update: bool,
    path: &Path,
) -> Result<(), Error> {
    let mut seen = HashSet::new();
    for (row, name) in sheet.subjects.iter().enumerate() {
        if name.is_empty() {
            return Err(Error::file(
                path,
                format!("row {} has no subject name; give it one", row + 1),
            ));
        }
        if !seen.insert(name) {
            return Err(Error::file(
                path,
                format!("subject '{name}' is there twice; remove one row"),
            ));
        }
    }
    if !update {
        let known: Vec<&str> = before
            .subjects
            .iter()
            .map(|s| s.name.as_str())
            .filter(|name| seen.contains(&name.to_string()))
            .collect();
        if !known.is_empty() {
            return Err(Error::file(
                path,
                format!(
                    "{} of its subjects are in the study already ({}); --update lets them complete and correct what is known",
                    known.len(),
                    quoted(known)
                ),
            ));
        }
    }
    let listed: HashSet<&str> = catalogue
        .tests
        .iter()
        .map(|test| test.name.as_str())
        .collect();
    for (name, texts) in &sheet.words {
        if listed.contains(name.as_str()) {
            let row = texts
                .iter()
                .position(|text| text.parse::<f64>().is_err() && !text.is_empty())
                .unwrap_or(0);
            return Err(Error::file(
                path,
                format!(
                    "test '{name}' of subject '{}' is '{}'; write a number, or nothing where it is missing",
                    sheet.subjects[row], texts[row]
                ),
            ));
        }
    }
    let unknown: Vec<&str> = sheet
        .tests
        .iter()
        .map(|(name, _)| name.as_str())
        .filter(|name| !listed.contains(name))
        .collect();
    if !unknown.is_empty() {
        return Err(Error::file(
            path,
            format!(
                "{} columns are not in the catalogue ({}); name them and their costs in a file for --tests, or remove them",
                unknown.len(),
                quoted(unknown)
            ),
        ));
    }
    for (name, values) in &sheet.tests {
        if let Some(row) = values.iter().position(|value| value.is_infinite()) {
            return Err(Error::file(
                path,
                format!(
                    "test '{name}' of subject '{}' is infinite; correct it",
                    sheet.subjects[row]
                ),
            ));
        }
    }
    let says_nothing = sheet
        .tests
        .iter()
        .all(|(_, values)| values.iter().all(|value| value.is_nan()))
        && sheet.words.values().flatten().all(String::is_empty);
    if says_nothing {
        return Err(Error::file(
            path,
            "it holds subjects and nothing about them; give a table with values",
        ));
    }
    Ok(())
}

/// What the sheet changes.
fn compare(sheet: &WaveSheet, before: &StudyState) -> Added {
    let place: HashMap<&str, usize> = before
        .subjects
        .iter()
        .enumerate()
        .map(|(at, s)| (s.name.as_str(), at))
        .collect();
    let at: Vec<Option<usize>> = sheet
        .subjects
        .iter()
        .map(|name| place.get(name.as_str()).copied())
        .collect();
    let test_place: HashMap<&str, usize> = before
        .catalogue
        .tests
        .iter()
        .enumerate()
        .map(|(at, t)| (t.name.as_str(), at))
        .collect();
    let (mut completed, mut corrected, mut new_tests) = (0, 0, Vec::new());
    for (name, values) in &sheet.tests {
        let known = test_place.get(name.as_str()).copied();
        if known.is_none_or(|test| before.first_wave[test].is_none())
            && values.iter().any(|v| !v.is_nan())
        {
            new_tests.push(name.clone());
        }
        for (&value, &subject) in values.iter().zip(&at) {
            let Some(subject) = subject.filter(|_| !value.is_nan()) else {
                continue;
            };
            match known.map(|test| before.values[test][subject]) {
                Some(old) if old == value => {}
                Some(old) if !old.is_nan() => corrected += 1,
                _ => completed += 1,
            }
        }
    }
    for (name, texts) in &sheet.words {
        let old = before.attributes.get(name);
        for (text, &subject) in texts.iter().zip(&at) {
            let Some(subject) = subject.filter(|_| !text.is_empty()) else {
                continue;
            };
            match old.map(|old| &old[subject]) {
                Some(old) if old == text => {}
                Some(old) if !old.is_empty() => corrected += 1,
                _ => completed += 1,
            }
        }
    }
    let measured: HashSet<&str> = sheet
        .tests
        .iter()
        .filter(|(_, values)| values.iter().any(|v| !v.is_nan()))
        .map(|(name, _)| name.as_str())
        .collect();
    let in_use = before
        .active()
        .into_iter()
        .map(|test| &before.catalogue.tests[test].name);
    let not_measured = in_use
        .filter(|name| !measured.contains(name.as_str()))
        .cloned()
        .collect();
    let outcome = before.attribute(&before.terms.outcome);
    let unknown = outcome.iter().filter(|text| text.is_empty()).count();
    let told = sheet.words.get(&before.terms.outcome);
    let told = |row: usize| told.is_some_and(|texts| !texts[row].is_empty());
    let (mut without_outcome, mut fresh) = (unknown, 0);
    for (row, subject) in at.iter().enumerate() {
        match subject {
            None => {
                fresh += 1;
                without_outcome += usize::from(!told(row));
            }
            Some(subject) if outcome[*subject].is_empty() && told(row) => without_outcome -= 1,
            Some(_) => {}
        }
    }
    Added {
        wave: before.waves + 1,
        rows: sheet.subjects.len(),
        new_subjects: fresh,
        known_subjects: sheet.subjects.len() - fresh,
        completed,
        corrected,
        new_tests,
        not_measured,
        without_outcome,
        notes: Vec::new(),
    }
}

fn insert_sheet(
    connection: &Connection,
    event: i64,
    number: usize,
    sheet: &WaveSheet,
) -> rusqlite::Result<()> {
    let number = number as i64;
    connection.execute(
        "INSERT INTO wave VALUES (?1, ?2, ?3, ?4, ?5)",
        (
            number,
            event,
            &sheet.file,
            &sheet.hash,
            sheet.subjects.len() as i64,
        ),
    )?;
    let mut row = connection.prepare("INSERT INTO row VALUES (?1, ?2, ?3)")?;
    for (position, subject) in sheet.subjects.iter().enumerate() {
        row.execute((number, position as i64, subject))?;
    }
    let mut measurement = connection.prepare("INSERT INTO measurement VALUES (?1, ?2, ?3)")?;
    for (test, values) in sheet
        .tests
        .iter()
        .filter(|(_, values)| values.iter().any(|v| !v.is_nan()))
    {
        let data: Vec<u8> = values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect();
        measurement.execute((number, test, data))?;
    }
    let mut attribute = connection.prepare("INSERT INTO attribute VALUES (?1, ?2, ?3)")?;
    for (name, texts) in &sheet.words {
        attribute.execute((number, name, serde_json::json!(texts).to_string()))?;
    }
    Ok(())
}
