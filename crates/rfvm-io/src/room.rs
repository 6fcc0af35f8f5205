//! How much memory a file may take: allocations follow the bytes that are there, up to a limit that is stated.
//!
//! A few bytes of a packed, sparse or forged file can describe tables of any size. Where the caller states no limit
//! ([`ReadOptions::max_memory`]), a file is trusted with so many times its own length, and with no more than three
//! quarters of what the machine has to give. All files of one command count together ([`ReadOptions::held`]).

use std::path::Path;
use std::sync::OnceLock;

use bytesize::ByteSize;
use sysinfo::{MemoryRefreshKind, System};

use crate::error::IoError;
use crate::source::{ReadOptions, Source};

/// What any file is trusted with, however small. While fuzzing it is little, so that large allocations stand out.
const ALWAYS: u64 = if cfg!(fuzzing) { 8 << 20 } else { 320 << 20 };

/// Bytes in memory for each byte of a file. Sparse tables of the literature (DOROTHEA) take 150 of them.
const GROWTH: u64 = 160;

/// What is taken where the machine does not tell what it has.
const UNTOLD: u64 = 4 << 30;

/// What a short text takes in memory beside its letters: its place in a list, and what the allocator adds.
pub(crate) const TEXT: u64 = 48;

/// What a column or a row takes beside its numbers: its name, in the lists and tables of names that a fit makes.
pub(crate) const NAMED: u64 = 128;

/// Room in memory for what a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Room {
    /// Bytes of the file.
    pub(crate) length: u64,
    most: u64,
    limit: Limit,
}

/// What is told of memory beforehand.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Limit {
    /// As in [`ReadOptions::max_memory`].
    stated: Option<u64>,
    /// As in [`ReadOptions::held`].
    held: u64,
}

impl ReadOptions {
    pub(crate) fn limit(&self) -> Limit {
        Limit {
            stated: self.max_memory,
            held: self.held,
        }
    }

    /// The same for the next file, with so many more bytes held by those before it.
    pub(crate) fn holding(&self, bytes: u64) -> Self {
        Self {
            held: self.held.saturating_add(bytes),
            ..self.clone()
        }
    }
}

impl Source {
    /// The memory that is taken.
    pub(crate) fn taken(&self) -> u64 {
        let names = [&self.sample_names, &self.feature_names];
        let names: u64 = names
            .into_iter()
            .flatten()
            .map(|names| of_texts(names))
            .sum();
        let columns = self
            .annotations
            .iter()
            .map(|column| of_texts(&column.values));
        let about = self.about_features.rows.iter();
        let about = about.map(|(name, texts)| of_texts(texts) + name.len() as u64);
        8 * self.matrix.values.len() as u64 + names + columns.sum::<u64>() + about.sum::<u64>()
    }
}

impl Room {
    /// The room for a file of so many bytes.
    pub(crate) fn new(length: u64, options: &ReadOptions) -> Self {
        Self::within(length, options.limit())
    }

    /// The same with what is told of memory alone.
    pub(crate) fn within(length: u64, limit: Limit) -> Self {
        let left = |most: u64| most.saturating_sub(limit.held);
        let trusted = || {
            let of_file = ALWAYS.max(length.saturating_mul(GROWTH));
            of_file.min(left(of_machine()))
        };
        Self {
            length,
            most: limit.stated.map_or_else(trusted, left),
            limit,
        }
    }

    /// How many bytes there is room for.
    pub(crate) fn most(self) -> u64 {
        self.most
    }

    /// Makes sure that there is room for so many bytes; says in words what is wrong where there is none.
    pub(crate) fn check(self, needed: u64) -> Result<(), String> {
        self.hold(needed, self.most, "needs")
    }

    /// Makes sure that a text of so many bytes may be unpacked, which takes time if not memory.
    pub(crate) fn check_unpacked(self, bytes: u64) -> Result<(), String> {
        let most = self.limit.stated.map_or(self.most / 2, |_| u64::MAX);
        self.hold(bytes, most, "unpacks to")
    }

    /// Makes sure that a line of so many bytes may be held.
    pub(crate) fn check_line(self, bytes: u64) -> Result<(), String> {
        self.hold(bytes, self.most / 8, "has a line of")
    }

    /// Makes sure that there is room for so many rows, each with a text.
    pub(crate) fn check_rows(self, rows: usize) -> Result<(), String> {
        let needed = (rows as u64).saturating_mul(TEXT);
        self.check(needed)
            .map_err(|what| format!("for its {rows} rows, {what}"))
    }

    fn hold(self, bytes: u64, most: u64, does: &str) -> Result<(), String> {
        if bytes <= most {
            return Ok(());
        }
        let whose = match self.limit {
            Limit { stated: None, .. } => "a file of its size is trusted with",
            Limit { held: 0, .. } => "--max-memory allows",
            _ => "beside the other files --max-memory allows",
        };
        Err(format!(
            "its content {does} {} or more, where {whose} {}; if the file is sound, allow more with --max-memory",
            in_words(bytes),
            in_words(most)
        ))
    }

    /// Room for `samples` times `features` values, all zero.
    pub(crate) fn zeros(
        self,
        path: &Path,
        samples: usize,
        features: usize,
    ) -> Result<Vec<f64>, IoError> {
        let refused = |what: String| {
            let what = format!(
                "its {samples} samples by {features} features: {what}, or read fewer with --max-features"
            );
            IoError::unsupported(path, what)
        };
        let count = samples.saturating_mul(features);
        self.check((count as u64).saturating_mul(8))
            .map_err(refused)?;
        // Asked for first, as `vec!` would end the program; then taken as zeros that the system makes when needed.
        Vec::<f64>::new()
            .try_reserve_exact(count)
            .map_err(|_| refused("there is no memory for them".to_owned()))?;
        Ok(vec![0.0; count])
    }
}

/// Texts as they are gathered, counted: a file may name one long text a million times.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Held {
    room: Room,
    bytes: u64,
}

impl Held {
    pub(crate) fn new(room: Room) -> Self {
        Self { room, bytes: 0 }
    }

    /// Counts one more text.
    pub(crate) fn add(&mut self, text: &str) -> Result<(), String> {
        self.add_bytes(TEXT + text.len() as u64)
    }

    /// Counts so many more bytes.
    pub(crate) fn add_bytes(&mut self, bytes: u64) -> Result<(), String> {
        self.check_more(bytes)?;
        self.bytes = self.bytes.saturating_add(bytes);
        Ok(())
    }

    /// Makes sure that there is room for so many more, for a while.
    pub(crate) fn check_more(&self, bytes: u64) -> Result<(), String> {
        self.room.check(self.bytes.saturating_add(bytes))
    }
}

/// What texts take that are kept.
pub(crate) fn of_texts(texts: &[String]) -> u64 {
    texts.iter().map(|text| TEXT + text.len() as u64).sum()
}

fn in_words(bytes: u64) -> String {
    ByteSize::b(bytes).display().si().to_string()
}

/// Three quarters of what the machine, or the group of processes that this one belongs to, has to give now.
fn of_machine() -> u64 {
    static MOST: OnceLock<u64> = OnceLock::new();
    *MOST.get_or_init(|| {
        let mut system = System::new();
        system.refresh_memory_specifics(MemoryRefreshKind::nothing().with_ram());
        let free = match system.cgroup_limits() {
            Some(group) => group.total_memory.min(system.available_memory()),
            None => system.available_memory(),
        };
        match free {
            0 => UNTOLD,
            free => free / 4 * 3,
        }
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn small_files_are_trusted_with_little_unless_told_otherwise() {
        let stated = |max_memory| ReadOptions {
            max_memory,
            ..ReadOptions::default()
        };
        let room = Room::new(1000, &stated(None));
        assert!(room.check(ALWAYS).is_ok() || of_machine() < ALWAYS);
        let message = room.check(6_000_000_000).unwrap_err();
        assert!(
            message.contains("6.0 GB") && message.contains("--max-memory"),
            "{message}"
        );
        assert!(
            Room::new(1000, &stated(Some(7_000_000_000)))
                .check(6_000_000_000)
                .is_ok()
        );
        let message = Room::new(1 << 40, &stated(Some(500_000_000))).check(6_000_000_000);
        assert!(
            message
                .unwrap_err()
                .contains("--max-memory allows 500.0 MB")
        );
        assert!(of_machine() > 0);
        let second = stated(Some(1000)).holding(400);
        assert!(Room::new(10, &second).check(600).is_ok());
        let message = Room::new(10, &second.holding(1)).check(600).unwrap_err();
        assert!(
            message.contains("beside the other files --max-memory allows 599 B"),
            "{message}"
        );
        let all = stated(None).holding(u64::MAX);
        assert!(Room::new(10, &all).check(1).is_err());
    }

    #[test]
    fn forged_sizes_are_refused() {
        let (path, room) = (Path::new("forged"), Room::new(10, &ReadOptions::default()));
        assert!(room.zeros(path, usize::MAX, 2).is_err());
        assert!(room.zeros(path, 1 << 20, 1 << 20).is_err());
        assert_eq!(room.zeros(path, 2, 3).unwrap().len(), 6);
    }

    #[test]
    fn one_text_many_times_is_counted_each_time() {
        let mut held = Held::new(Room::new(10, &ReadOptions::default()));
        let long = "x".repeat(1 << 20);
        assert!((0..1000).any(|_| held.add(&long).is_err()));
    }
}
