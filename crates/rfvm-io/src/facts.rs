//! Files about features: prices, panels and blocks, annotation. The first cell of a line is a name, and lines count from 1.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use rfvm::{FeatureFacts, FeatureSet};

use crate::error::{IoError, quoted, quoted_list};
use crate::source::{FeatureTexts, ReadOptions};
use crate::text::cells::{Cells, Delimiter};
use crate::text::open::label_text;
use crate::text::words::{counted, decode};

/// What is asked to be known of the features.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FactFiles {
    /// Prices: a file of two columns, or the name of a column of the annotation.
    pub cost: Option<String>,
    /// [`FeatureFacts::cost_prior`].
    pub cost_prior: Option<f64>,
    /// Panels that are bought whole: a file, or the name of a column of the annotation.
    pub panels: Option<String>,
    /// Blocks that are weighted apart, likewise.
    pub blocks: Option<String>,
    /// A table with the features' names in its first column.
    pub annotation: Option<PathBuf>,
}

/// Lines of cells, with their numbers.
type Lines = Vec<(usize, Vec<String>)>;

impl FactFiles {
    /// The files that are read.
    pub fn paths(&self) -> Vec<PathBuf> {
        let named = [&self.cost, &self.panels, &self.blocks];
        let files = named.into_iter().flatten().map(PathBuf::from);
        files
            .filter(|path| path.is_file())
            .chain(self.annotation.clone())
            .collect()
    }

    /// Reads the files; `carried` is the annotation that the table itself carries, which a file takes the place of.
    pub fn read(&self, carried: FeatureTexts) -> Result<FeatureFacts, IoError> {
        let mut facts = FeatureFacts::default();
        if let Some(strength) = self.cost_prior {
            facts.cost_prior = strength;
        }
        let texts = match &self.annotation {
            Some(path) => read_annotation(path)?,
            None => carried,
        };
        (facts.columns, facts.annotation) = (texts.columns, texts.rows);
        if let Some(given) = &self.cost {
            facts.prices = match column(&facts, given, "prices")? {
                Some(texts) => prices_of(&texts, given)?,
                None => read_prices(Path::new(given))?,
            };
        }
        let sets = |given: &Option<String>, what| match given {
            None => Ok(Vec::new()),
            Some(given) => match column(&facts, given, what)? {
                Some(texts) => Ok(sets_of(texts)),
                None => read_sets(Path::new(given), what),
            },
        };
        let (panels, blocks) = (sets(&self.panels, "panels")?, sets(&self.blocks, "blocks")?);
        (facts.panels, facts.blocks) = (panels, blocks);
        Ok(facts)
    }
}

/// The texts of a column of the annotation, by the features' names; `None` where there is a file of this name instead.
fn column<'f>(
    facts: &'f FeatureFacts,
    given: &str,
    what: &str,
) -> Result<Option<Vec<(&'f str, &'f str)>>, IoError> {
    if Path::new(given).exists() {
        return Ok(None);
    }
    let Some(at) = facts.columns.iter().position(|name| name == given) else {
        let known = match facts.columns.is_empty() {
            true => String::new(),
            false => format!(
                " ({})",
                quoted_list(facts.columns.iter().map(String::as_str))
            ),
        };
        let what = format!(
            "there is neither a file of this name nor a column of the features' annotation{known} to take {what} from"
        );
        return Err(IoError::choice(Path::new(given), what));
    };
    let text = |(name, texts): &'f (String, Vec<String>)| (name.as_str(), texts[at].as_str());
    let all = facts.annotation.iter().map(text);
    Ok(Some(all.filter(|(_, text)| !text.is_empty()).collect()))
}

fn sets_of(texts: Vec<(&str, &str)>) -> Vec<FeatureSet> {
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut sets: Vec<FeatureSet> = Vec::new();
    for (member, name) in texts {
        let at = *places.entry(name).or_insert(sets.len());
        if at == sets.len() {
            sets.push(FeatureSet {
                name: name.to_owned(),
                members: Vec::new(),
            });
        }
        sets[at].members.push(member.to_owned());
    }
    sets
}

fn prices_of(texts: &[(&str, &str)], column: &str) -> Result<Vec<(String, f64)>, IoError> {
    let price = |(name, text): &(&str, &str)| match price(text) {
        Some(price) => Ok(((*name).to_owned(), price)),
        None => Err(IoError::choice(
            Path::new(column),
            format!(
                "in this column of the annotation, '{name}' has {}, which is no price; write a number from 0",
                quoted(text)
            ),
        )),
    };
    texts.iter().map(price).collect()
}

fn price(text: &str) -> Option<f64> {
    let price: f64 = text.parse().ok()?;
    (price.is_finite() && price >= 0.0).then_some(price)
}

const PRICES: &str = "a file of prices";

/// Reads a file of two columns, the names of features or panels and their prices; a first line of words names the columns.
pub fn read_prices(path: &Path) -> Result<Vec<(String, f64)>, IoError> {
    let lines = two_columns(path, PRICES, "feature and price")?;
    let mut prices = Vec::with_capacity(lines.len());
    for (position, (line, cells)) in lines.iter().enumerate() {
        match price(&cells[1]) {
            Some(price) => prices.push((cells[0].clone(), price)),
            None if position == 0 => {}
            None => {
                let what = format!(
                    "the price of '{}' is {}; it must be a number from 0",
                    cells[0],
                    quoted(&cells[1])
                );
                return Err(IoError::malformed(path, PRICES, place(*line, 2), what));
            }
        }
    }
    unique(path, PRICES, &lines)?;
    match prices.is_empty() {
        true => Err(IoError::unsupported(
            path,
            "it has no price; write a feature and its price on a line, such as crp,4.50",
        )),
        false => Ok(prices),
    }
}

/// Reads sets of features: GMT (name, description, members, parted by tabs) where the file is called so, else two columns, the
/// feature and its set, below a line that names them. `what` they are: panels or blocks.
pub fn read_sets(path: &Path, what: &'static str) -> Result<Vec<FeatureSet>, IoError> {
    let kind = match what {
        "panels" => "a file of panels",
        _ => "a file of blocks",
    };
    let is_gmt = |path: &Path| {
        let name = path.file_name().map(|name| name.to_string_lossy());
        name.is_some_and(|name| {
            name.to_lowercase()
                .trim_end_matches(".gz")
                .ends_with(".gmt")
        })
    };
    let sets = match is_gmt(path) {
        true => gmt(path)?,
        false => {
            let lines = two_columns(path, kind, "feature and set, or be a GMT file called .gmt")?;
            let members = lines.iter().skip(1);
            let named = members.filter(|(_, cells)| !cells[1].is_empty());
            let named = named.map(|(_, cells)| (cells[0].as_str(), cells[1].as_str()));
            sets_of(named.collect())
        }
    };
    if sets.is_empty() {
        return Err(IoError::unsupported(
            path,
            format!(
                "it has no {what}; write a feature and its set on each line below the names of the two columns, or use GMT"
            ),
        ));
    }
    let mut facts = FeatureFacts::default();
    match what {
        "panels" => facts.panels = sets,
        _ => facts.blocks = sets,
    }
    facts
        .check()
        .map_err(|error| IoError::engine(path, error))?;
    Ok(match what {
        "panels" => facts.panels,
        _ => facts.blocks,
    })
}

const GMT: &str = "a GMT file";

fn gmt(path: &Path) -> Result<Vec<FeatureSet>, IoError> {
    let set = |(line, cells): (usize, Vec<String>)| {
        let mut cells = cells.into_iter();
        let name = cells.next().unwrap_or_default();
        let members: Vec<String> = cells.skip(1).filter(|cell| !cell.is_empty()).collect();
        if name.is_empty() || members.is_empty() {
            let what = format!(
                "the set {} has no member; a line is a name, a description and members, parted by tabs",
                quoted(&name)
            );
            return Err(IoError::malformed(path, GMT, format!("line {line}"), what));
        }
        Ok(FeatureSet { name, members })
    };
    let lines = lines(path, Some(b'\t'))?;
    lines.into_iter().map(set).collect()
}

const ANNOTATION: &str = "an annotation of features";

/// Reads a table of texts: names of the columns, then a line for each feature, its name first.
pub fn read_annotation(path: &Path) -> Result<FeatureTexts, IoError> {
    let lines = lines(path, None)?;
    let width = lines.first().map_or(0, |(_, cells)| cells.len());
    if width < 2 || lines.len() < 2 {
        return Err(IoError::unsupported(
            path,
            "it annotates no feature; write names of at least two columns, and below them a line for each feature, its name first",
        ));
    }
    same_width(path, ANNOTATION, &lines, width)?;
    unique(path, ANNOTATION, &lines)?;
    let mut lines = lines.into_iter().map(|(_, cells)| {
        let mut cells = cells.into_iter();
        (cells.next().unwrap_or_default(), cells.collect())
    });
    let columns = lines.next().map_or_else(Vec::new, |(_, columns)| columns);
    Ok(FeatureTexts {
        columns,
        rows: lines.collect(),
    })
}

fn two_columns(path: &Path, kind: &'static str, columns: &str) -> Result<Lines, IoError> {
    let lines = lines(path, None)?;
    if let Some((line, cells)) = lines.iter().find(|(_, cells)| cells.len() != 2) {
        let what = format!(
            "it has {} where the two columns are {columns}",
            counted(cells.len(), "cell")
        );
        return Err(IoError::malformed(path, kind, format!("line {line}"), what));
    }
    Ok(lines)
}

fn same_width(path: &Path, kind: &'static str, lines: &Lines, width: usize) -> Result<(), IoError> {
    match lines.iter().find(|(_, cells)| cells.len() != width) {
        None => Ok(()),
        Some((line, cells)) => {
            let what = format!(
                "it has {} where the first line has {width}",
                counted(cells.len(), "cell")
            );
            Err(IoError::malformed(path, kind, format!("line {line}"), what))
        }
    }
}

/// Every name once; one that is there twice with the same cells is refused too, since one line may be an old one.
fn unique(path: &Path, kind: &'static str, lines: &Lines) -> Result<(), IoError> {
    let mut met: HashMap<&str, usize> = HashMap::new();
    for (line, cells) in lines {
        let name = cells[0].as_str();
        if name.is_empty() {
            let what = "it names no feature".to_owned();
            return Err(IoError::malformed(path, kind, place(*line, 1), what));
        }
        if let Some(first) = met.insert(name, *line) {
            let what = format!("'{name}' is there already, in line {first}");
            return Err(IoError::malformed(path, kind, place(*line, 1), what));
        }
    }
    Ok(())
}

fn place(line: usize, column: usize) -> String {
    format!("line {line}, column {column}")
}

/// All lines that are not empty, cut by the delimiter, or by the one of tab, semicolon and comma that the first line has.
fn lines(path: &Path, delimiter: Option<u8>) -> Result<Lines, IoError> {
    let (text, _) = label_text(path, &ReadOptions::default())?;
    let filled = |line: &&str| !line.trim().is_empty();
    let first = text.lines().find(filled).unwrap_or_default();
    let found = b"\t;,"
        .iter()
        .copied()
        .find(|&byte| first.as_bytes().contains(&byte));
    let delimiter = Delimiter::Byte(delimiter.or(found).unwrap_or(b','));
    let cells = |line: &str| -> Vec<String> {
        let cells = Cells::new(line.as_bytes(), delimiter);
        cells.map(|cell| decode(cell.trim_ascii())).collect()
    };
    let lines = (1..).zip(text.lines()).filter(|(_, line)| filled(line));
    Ok(lines.map(|(number, line)| (number, cells(line))).collect())
}
