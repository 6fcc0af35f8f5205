//! The study file: one SQLite database that only grows.
//!
//! It is kept with a rollback journal and not with a write-ahead log: between commands the study is one file and nothing
//! beside it, so that it can be copied, mailed and archived. Every command computes first and writes in one short
//! transaction at its end; a process that is killed at any moment leaves either all of that or nothing (the next one to
//! open the file rolls the journal back). Writers wait for each other for up to half a minute. Whoever opens a study
//! follows its chain of hashes first (`chain.rs`), so that nothing that was changed since is taken for what was written.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};
use serde::Serialize;

use crate::catalogue::{Catalogue, Ruling};
use crate::chain::{seal, verify};
use crate::error::{Error, quoted};

const SCHEMA: &str = include_str!("schema.sql");
/// "rfvm" in ASCII: what tells a study from other SQLite files.
const APPLICATION: i32 = 0x7266_766d;
/// Raised with every change of the schema.
const VERSION: i32 = 2;
const PATIENCE: Duration = Duration::from_secs(30);
const TABLES: [&str; 12] = [
    "event",
    "study",
    "panel",
    "test",
    "decision",
    "wave",
    "row",
    "measurement",
    "attribute",
    "fit",
    "advice",
    "seal",
];

/// What a study is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Terms {
    /// The column that is to be predicted.
    pub outcome: String,
    /// The class that counts as positive; `None`: the one whose name says so
    /// ([`rfvm_io::positive_class`]), else the second of the two in alphabetical order.
    pub positive: Option<String>,
    /// The column with the site of each subject.
    pub site: Option<String>,
    /// The column with the group of each subject (a family, a ward): no group is split between folds.
    pub group: Option<String>,
}

/// A study file.
#[derive(Debug)]
pub struct Study {
    path: PathBuf,
    connection: Connection,
}

/// What an event is recorded with.
pub(crate) struct Record<'a> {
    pub(crate) kind: &'static str,
    pub(crate) wave: usize,
    pub(crate) data_hash: &'a str,
    pub(crate) parameters: serde_json::Value,
    pub(crate) summary: serde_json::Value,
}

/// One line of a study's log.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Event {
    /// Its number, from 1.
    pub id: i64,
    /// When it was written, in UTC.
    pub at: String,
    /// `init`, `wave`, `fit` or `advice`.
    pub kind: String,
    /// The version of the program that wrote it.
    pub version: String,
    /// The last wave that was known then.
    pub wave: usize,
    /// The hash of all that was known then.
    pub data_hash: String,
    /// What was asked for.
    pub parameters: serde_json::Value,
    /// What came of it.
    pub summary: serde_json::Value,
    /// The hash of it and of all that came before.
    pub seal: String,
}

impl Event {
    /// Whether it is an advice that was accepted and retired something.
    pub fn retires(&self) -> bool {
        let some = self.summary["retire"]
            .as_array()
            .is_some_and(|tests| !tests.is_empty());
        self.kind == "advice" && self.summary["retired"] == true && some
    }
}

impl Study {
    /// Makes a study. A file that holds anything is refused.
    pub fn create(
        path: &Path,
        terms: &Terms,
        catalogue: &Catalogue,
        keep: &[String],
        never: &[String],
    ) -> Result<Self, Error> {
        let named = [
            ("outcome", Some(&terms.outcome)),
            ("site", terms.site.as_ref()),
            ("group", terms.group.as_ref()),
        ];
        for (what, column) in named {
            if column.is_some_and(|column| catalogue.tests.iter().any(|test| &test.name == column))
            {
                let column = column.map_or("", String::as_str);
                return Err(Error::asked(format!(
                    "the {what} column '{column}' is also a test of the catalogue; rename one of them"
                )));
            }
        }
        let decisions = decisions(catalogue, keep, never)?;
        if path
            .metadata()
            .is_ok_and(|file| file.len() > 0 || !file.is_file())
        {
            return Err(taken(path));
        }
        // Beside its place and then renamed: a full disk leaves nothing behind, and two who start at once do not mix.
        let draft = rfvm::draft_beside(path).map_err(Error::read(path))?;
        let at = draft.path().to_path_buf();
        let mut study = Self::connect(&at)?;
        let transaction = study.begin()?;
        let write = || -> rusqlite::Result<()> {
            transaction.execute_batch(&script())?;
            let event = insert_event(
                &transaction,
                Record {
                    kind: "init",
                    wave: 0,
                    data_hash: "",
                    parameters: serde_json::json!(terms),
                    summary: serde_json::json!({"tests": catalogue.tests.len(), "panels": catalogue.panels.len(), "keep": keep, "never": never}),
                },
            )?;
            transaction.execute(
                "INSERT INTO study VALUES (?1, ?2, ?3, ?4, ?5)",
                (
                    event,
                    &terms.outcome,
                    &terms.positive,
                    &terms.site,
                    &terms.group,
                ),
            )?;
            insert_catalogue(&transaction, event, catalogue)?;
            insert_decisions(&transaction, event, &decisions)?;
            seal(&transaction, event)
        };
        write().map_err(Error::store(path))?;
        transaction.commit().map_err(Error::store(path))?;
        drop(study);
        let empty = path.is_file();
        let placed = match empty {
            true => draft.persist(path),
            false => draft.persist_noclobber(path),
        };
        placed.map_err(|error| match error.error.kind() {
            std::io::ErrorKind::AlreadyExists => taken(path),
            _ => Error::read(path)(error.error),
        })?;
        Self::open(path)
    }

    /// Opens a study.
    pub fn open(path: &Path) -> Result<Self, Error> {
        if !path.is_file() {
            return Err(Error::file(
                path,
                "there is no such file; rfvm study init makes one",
            ));
        }
        let study = Self::connect(path)?;
        let number = |pragma: &str| {
            let value = study
                .connection
                .pragma_query_value(None, pragma, |row| row.get::<_, i32>(0));
            value.map_err(Error::store(path))
        };
        let (application, version) = (number("application_id")?, number("user_version")?);
        if application != APPLICATION {
            return Err(Error::file(
                path,
                "this is not a study file; give one that rfvm study init has made",
            ));
        }
        if version < VERSION {
            return Err(Error::file(
                path,
                format!(
                    "it was made by an older version of rfvm (schema {version}), which sealed nothing; make it anew with study init and add its waves"
                ),
            ));
        }
        if version > VERSION {
            return Err(Error::file(
                path,
                format!(
                    "it was made by a newer version of rfvm (schema {version}, this one knows {VERSION}); use that one"
                ),
            ));
        }
        study.seals()?;
        Ok(study)
    }

    /// The seals of all events, in order, once everything was found to be as it was written: SQLite's own structure, the
    /// tables and their triggers, and the chain of hashes over all rows.
    pub fn seals(&self) -> Result<Vec<String>, Error> {
        self.reading(|connection| {
            let damaged = || "the study was changed or damaged; take the last copy that rfvm study check finds sound";
            let sound = connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get::<_, String>(0));
            // A lock that was held too long is no damage.
            let sound = match sound.map_err(Error::store(&self.path)) {
                Err(busy @ Error::Busy { .. }) => return Err(busy),
                sound => sound.is_ok_and(|line| line == "ok"),
            };
            let planned = plan(connection).ok().zip(planned().ok());
            if !sound || planned.is_none_or(|(is, should)| is != should) {
                return Err(Error::file(&self.path, damaged()));
            }
            verify(connection, &self.path)
        })
    }

    fn connect(path: &Path) -> Result<Self, Error> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags).map_err(Error::store(path))?;
        connection
            .busy_timeout(PATIENCE)
            .map_err(Error::store(path))?;
        // EXTRA also waits until the removal of the journal is on the disk: what was told as written stays so.
        let safe =
            connection.execute_batch("PRAGMA synchronous = EXTRA; PRAGMA foreign_keys = ON;");
        safe.map_err(Error::store(path))?;
        Ok(Self {
            path: path.to_path_buf(),
            connection,
        })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A transaction that has the right to write from its start, so that what it reads cannot go stale under it.
    pub(crate) fn begin(&mut self) -> Result<Transaction<'_>, Error> {
        let transaction = Transaction::new(&mut self.connection, TransactionBehavior::Immediate);
        transaction.map_err(Error::store(&self.path))
    }

    /// Reads with one view of the file, whatever others write meanwhile.
    pub(crate) fn reading<T>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let view = self
            .connection
            .unchecked_transaction()
            .map_err(Error::store(&self.path))?;
        let result = read(&view)?;
        view.finish().map_err(Error::store(&self.path))?;
        Ok(result)
    }

    /// What the study is about.
    pub fn terms(&self) -> Result<Terms, Error> {
        self.reading(|connection| terms(connection).map_err(Error::store(&self.path)))
    }

    /// Everything that was ever done, in order.
    pub fn log(&self) -> Result<Vec<Event>, Error> {
        let read = |connection: &Connection| {
            let mut statement = connection.prepare(
                "SELECT id, at, kind, version, wave, data_hash, parameters, summary, hash FROM event JOIN seal ON event = id ORDER BY id",
            )?;
            let json =
                |text: String| serde_json::from_str(&text).unwrap_or(serde_json::Value::Null);
            let rows = statement.query_map([], |row| {
                Ok(Event {
                    id: row.get(0)?,
                    at: row.get(1)?,
                    kind: row.get(2)?,
                    version: row.get(3)?,
                    wave: row.get::<_, i64>(4)?.unsigned_abs() as usize,
                    data_hash: row.get(5)?,
                    parameters: json(row.get(6)?),
                    summary: json(row.get(7)?),
                    seal: row.get(8)?,
                })
            })?;
            rows.collect::<rusqlite::Result<Vec<Event>>>()
        };
        self.reading(|connection| read(connection).map_err(Error::store(&self.path)))
    }

    /// What is wrong with the file: nothing, in a sound one. SQLite's own checks, and whether every event has all that
    /// belongs to it and nothing belongs to no event.
    pub fn problems(&self) -> Result<Vec<String>, Error> {
        let read = |connection: &Connection| {
            let mut problems = Vec::new();
            for check in CHECKS {
                let mut statement = connection.prepare(check)?;
                let lines = statement.query_map([], |row| row.get::<_, String>(0))?;
                problems.extend(lines.collect::<rusqlite::Result<Vec<String>>>()?);
            }
            problems.retain(|line| line != "ok");
            Ok(problems)
        };
        self.reading(|connection| read(connection).map_err(Error::store(&self.path)))
    }
}

/// What makes a study of an empty file.
fn script() -> String {
    let mut script = SCHEMA.to_string();
    for table in TABLES {
        for change in ["UPDATE", "DELETE"] {
            script.push_str(&format!(
                "CREATE TRIGGER {table}_no_{change} BEFORE {change} ON {table} BEGIN SELECT RAISE(ABORT, 'a study only grows'); END;\n"
            ));
        }
    }
    script.push_str(&format!(
        "PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {VERSION};"
    ));
    script
}

/// A table, index or trigger: kind, name, table, definition.
type SchemaPart = (String, String, String, Option<String>);

/// All tables, indices and triggers of a file.
fn plan(connection: &Connection) -> rusqlite::Result<Vec<SchemaPart>> {
    let mut statement =
        connection.prepare("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY rowid")?;
    let parts = statement.query_map([], |row| {
        Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
    })?;
    parts.collect()
}

/// Those that a study has.
fn planned() -> rusqlite::Result<Vec<SchemaPart>> {
    let connection = Connection::open_in_memory()?;
    connection.execute_batch(&script())?;
    plan(&connection)
}

/// Each gives one line a problem.
const CHECKS: [&str; 7] = [
    "PRAGMA integrity_check",
    "PRAGMA foreign_key_check",
    "SELECT 'event ' || id || ' is not whole' FROM event WHERE NOT EXISTS (SELECT 1 FROM study WHERE event = id)
       AND NOT EXISTS (SELECT 1 FROM wave WHERE event = id) AND NOT EXISTS (SELECT 1 FROM fit WHERE event = id)
       AND NOT EXISTS (SELECT 1 FROM advice WHERE event = id)",
    "SELECT 'event ' || max(id) || ' is not number ' || count(*) FROM event HAVING max(id) <> count(*)",
    "SELECT 'wave ' || number || ' lacks rows' FROM wave
       WHERE subjects <> (SELECT count(*) FROM row WHERE wave = number)",
    "SELECT 'wave ' || wave || ' has a column of another length: ' || test FROM measurement JOIN wave ON number = wave
       WHERE length(data) <> 8 * subjects",
    "SELECT 'wave ' || number || ' has no values' FROM wave WHERE NOT EXISTS (SELECT 1 FROM measurement WHERE wave = number)
       AND NOT EXISTS (SELECT 1 FROM attribute WHERE wave = number)",
];

fn taken(path: &Path) -> Error {
    let what = "this file is there already; a study is never overwritten, so name another file";
    Error::file(path, what)
}

pub(crate) fn terms(connection: &Connection) -> rusqlite::Result<Terms> {
    connection.query_row(
        "SELECT outcome, positive, site, grouping FROM study",
        [],
        |row| {
            Ok(Terms {
                outcome: row.get(0)?,
                positive: row.get(1)?,
                site: row.get(2)?,
                group: row.get(3)?,
            })
        },
    )
}

pub(crate) fn insert_event(connection: &Connection, record: Record) -> rusqlite::Result<i64> {
    connection.execute(
        "INSERT INTO event (kind, version, wave, data_hash, parameters, summary) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        (
            record.kind,
            env!("CARGO_PKG_VERSION"),
            record.wave as i64,
            record.data_hash,
            record.parameters.to_string(),
            record.summary.to_string(),
        ),
    )?;
    Ok(connection.last_insert_rowid())
}

pub(crate) fn insert_catalogue(
    connection: &Connection,
    event: i64,
    catalogue: &Catalogue,
) -> rusqlite::Result<()> {
    let mut panel = connection.prepare("INSERT INTO panel VALUES (?1, ?2, ?3, ?4, ?5)")?;
    for (name, price) in &catalogue.panels {
        panel.execute((event, name, price.cost, price.minutes, price.burden))?;
    }
    let mut test = connection.prepare("INSERT INTO test VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?;
    for entry in &catalogue.tests {
        let price = entry.price;
        test.execute((
            event,
            &entry.name,
            price.cost,
            price.minutes,
            price.burden,
            &entry.panel,
        ))?;
    }
    Ok(())
}

pub(crate) fn insert_decisions(
    connection: &Connection,
    event: i64,
    decisions: &[(String, Ruling)],
) -> rusqlite::Result<()> {
    let mut statement = connection.prepare("INSERT INTO decision VALUES (?1, ?2, ?3)")?;
    for (test, verdict) in decisions {
        statement.execute((event, test, verdict.as_str()))?;
    }
    Ok(())
}

/// The lists as decisions; names that no catalogue has, and names on two lists, are refused.
pub(crate) fn decisions(
    catalogue: &Catalogue,
    keep: &[String],
    never: &[String],
) -> Result<Vec<(String, Ruling)>, Error> {
    let listed = |list: &[String], verdict| {
        list.iter()
            .map(|name| (name.clone(), verdict))
            .collect::<Vec<_>>()
    };
    let decisions = [listed(keep, Ruling::Keep), listed(never, Ruling::Never)].concat();
    check_decisions(catalogue, &decisions)?;
    Ok(decisions)
}

pub(crate) fn check_decisions(
    catalogue: &Catalogue,
    decisions: &[(String, Ruling)],
) -> Result<(), Error> {
    let known = |name: &str| catalogue.tests.iter().any(|test| test.name == name);
    let unknown: Vec<&str> = decisions
        .iter()
        .map(|(name, _)| name.as_str())
        .filter(|name| !known(name))
        .collect();
    if !unknown.is_empty() {
        return Err(Error::asked(format!(
            "the catalogue has no test {}; correct the list",
            quoted(unknown)
        )));
    }
    let mut seen = std::collections::HashSet::new();
    match decisions.iter().find(|(name, _)| !seen.insert(name)) {
        Some((name, _)) => Err(Error::asked(format!(
            "the test '{name}' is listed twice; decide for one list"
        ))),
        None => Ok(()),
    }
}
