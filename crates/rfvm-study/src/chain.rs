//! A chain of hashes over everything that a study holds, so that no change of it goes unnoticed.
//!
//! Every event has a *seal*: SHA-256 over the seal of the event before it, its own row of the log and every row of every
//! table that came with it, in the order in which they were written. Whoever changes, adds or removes a row, or flips a bit
//! of it, breaks the seal of its event and of all events after it. The last seal stands for the whole study: written down
//! elsewhere (a protocol, a report, a mail), it also shows that nobody has made a new chain over changed rows.

use std::path::Path;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, Statement};
use sha2::{Digest, Sha256};

use crate::error::Error;

/// What belongs to an event, each with its rows in the order of their writing; `?1` is the event.
const BELONGS: [(&str, &str); 11] = [
    ("event", "id = ?1"),
    ("study", "event = ?1"),
    ("panel", "event = ?1"),
    ("test", "event = ?1"),
    ("decision", "event = ?1"),
    ("wave", "event = ?1"),
    ("row", WITH_WAVE),
    ("measurement", WITH_WAVE),
    ("attribute", WITH_WAVE),
    ("fit", "event = ?1"),
    ("advice", "event = ?1"),
];
const WITH_WAVE: &str = "wave = (SELECT number FROM wave WHERE event = ?1)";

/// Seals an event: to be done last in the transaction that writes it.
pub(crate) fn seal(connection: &Connection, event: i64) -> rusqlite::Result<()> {
    let before: String = connection.query_row(
        "SELECT coalesce((SELECT hash FROM seal WHERE event = ?1 - 1), '')",
        [event],
        |row| row.get(0),
    )?;
    let (hash, _) = Links::new(connection)?.hash(&before, event)?;
    connection.execute("INSERT INTO seal VALUES (?1, ?2)", (event, hash))?;
    Ok(())
}

/// Follows the chain from its first event to its last; an error names the first one that is not what it was. Gives the seals.
pub(crate) fn verify(connection: &Connection, path: &Path) -> Result<Vec<String>, Error> {
    let broken = |what: String| {
        Error::file(
            path,
            format!(
                "the study was changed or damaged ({what}); take the last copy that rfvm study check finds sound"
            ),
        )
    };
    // Whatever SQLite cannot read of a study is damage, too.
    let unreadable =
        |error: rusqlite::Error| broken(error.to_string().replace(char::is_control, " "));
    let seals = read_seals(connection).map_err(unreadable)?;
    let mut links = Links::new(connection).map_err(unreadable)?;
    let mut before = String::new();
    let mut covered = [0; BELONGS.len()];
    for (number, (event, kept)) in (1..).zip(&seals) {
        if *event != number {
            return Err(broken(format!("event {number} is missing")));
        }
        let (hash, rows) = links.hash(&before, number).map_err(unreadable)?;
        if hash != *kept {
            return Err(broken(format!("event {number} is not as it was written")));
        }
        for (sum, rows) in covered.iter_mut().zip(rows) {
            *sum += rows;
        }
        before = hash;
    }
    for ((table, _), covered) in BELONGS.iter().zip(covered) {
        let rows = connection.query_row(
            &format!("SELECT count(*) FROM {table} NOT INDEXED"),
            [],
            |row| row.get::<_, i64>(0),
        );
        if rows.map_err(unreadable)? != covered {
            return Err(broken(format!("rows of {table} belong to no event")));
        }
    }
    if seals.is_empty() {
        return Err(broken("it has no event".to_string()));
    }
    Ok(seals.into_iter().map(|(_, hash)| hash).collect())
}

fn read_seals(connection: &Connection) -> rusqlite::Result<Vec<(i64, String)>> {
    let mut statement =
        connection.prepare("SELECT event, hash FROM seal NOT INDEXED ORDER BY event")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    rows.collect()
}

/// The queries for the rows of an event.
struct Links<'c>(Vec<Statement<'c>>);

impl<'c> Links<'c> {
    fn new(connection: &'c Connection) -> rusqlite::Result<Self> {
        let queries = BELONGS.iter().map(|(table, of)| {
            connection.prepare(&format!("SELECT * FROM {table} WHERE {of} ORDER BY rowid"))
        });
        Ok(Self(queries.collect::<rusqlite::Result<_>>()?))
    }

    /// The hash of an event after another's, and how many rows of each table are in it.
    fn hash(
        &mut self,
        before: &str,
        event: i64,
    ) -> rusqlite::Result<(String, [i64; BELONGS.len()])> {
        let mut hash = Sha256::new();
        hash.update(before);
        let mut counts = [0; BELONGS.len()];
        for (at, statement) in self.0.iter_mut().enumerate() {
            // The table's place and a row's width keep rows of one from passing as rows of another.
            let width = statement.column_count();
            let mut rows = statement.query([event])?;
            while let Some(row) = rows.next()? {
                hash.update([at as u8, width as u8]);
                for column in 0..width {
                    add(&mut hash, row.get_ref(column)?);
                }
                counts[at] += 1;
            }
        }
        Ok((hex(&hash.finalize()), counts))
    }
}

/// A value with its kind and length, so that no two lists of values give the same bytes.
fn add(hash: &mut Sha256, value: ValueRef) {
    let mut part = |kind: u8, bytes: &[u8]| {
        hash.update([kind]);
        hash.update((bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    };
    match value {
        ValueRef::Null => part(0, &[]),
        ValueRef::Integer(number) => part(1, &number.to_le_bytes()),
        ValueRef::Real(number) => part(2, &number.to_bits().to_le_bytes()),
        ValueRef::Text(text) => part(3, text),
        ValueRef::Blob(bytes) => part(4, bytes),
    }
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
