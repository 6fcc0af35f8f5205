//! Arguments that several commands share: how to read a table, where the target is, which features, how to fit.

use std::path::{Path, PathBuf};

use bytesize::ByteSize;
use clap::{Args, ValueEnum};
use rfvm::{AnyModel, Model, Panel, Provenance};
use rfvm_io::{
    BeyondLimit, FeatureChoice, Loaded, Orientation, ReadOptions, TargetChoice, load_dataset,
};

use crate::error::Error;
use crate::output::tell_notes;

mod facts;
mod method;
pub(crate) mod missing;
mod treatment;

use facts::FactsArgs;
pub(crate) use method::{MethodArgs, share, size};
pub(crate) use missing::MissingArgs;
pub(crate) use treatment::TreatmentArgs;

/// Which way the samples lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Samples {
    /// One sample a row
    Rows,
    /// One sample a column
    Columns,
}

/// What stands for a value beyond a limit of detection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Below {
    /// Half the limit
    Half,
    /// The limit
    Limit,
    /// Nothing
    Missing,
}

#[derive(Debug, Args)]
pub(crate) struct ReadArgs {
    /// Tables to read (- for standard input); the rows of several are stacked
    #[arg(value_name = "TABLE", required = true)]
    pub(crate) tables: Vec<PathBuf>,
    /// Where the samples are [default: found out from labels, names and shape]
    #[arg(long, value_name = "WHERE", help_heading = "Reading")]
    samples: Option<Samples>,
    /// Text tables: the character between cells (`tab` for a tabulator) [default: found out]
    #[arg(long, value_name = "CHAR", value_parser = delimiter, help_heading = "Reading")]
    delimiter: Option<u8>,
    /// Text tables: numbers have a decimal comma [default: found out]
    #[arg(long, help_heading = "Reading")]
    decimal_comma: bool,
    /// Text tables: the first line holds data, not names
    #[arg(long, help_heading = "Reading")]
    no_header: bool,
    /// Text tables: the first column holds data, not names
    #[arg(long, help_heading = "Reading")]
    no_row_names: bool,
    /// Text tables: further spellings of a missing value, separated by commas
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        help_heading = "Reading"
    )]
    na: Vec<String>,
    /// What values below or above a limit of detection (`<0.1`, `>50`) stand for: half the limit (above: the limit), the limit,
    /// or a missing value
    #[arg(long, value_name = "HOW", help_heading = "Reading")]
    below: Option<Below>,
    /// Percentages (`5%`) are numbers
    #[arg(long, help_heading = "Reading")]
    percent: bool,
    /// Numbers may have their thousands set apart (`1,234`)
    #[arg(long, help_heading = "Reading")]
    thousands: bool,
    /// Files of several arrays: the one with the numbers [default: X]
    #[arg(long, value_name = "NAME", help_heading = "Reading")]
    array: Option<String>,
    /// Workbooks: the sheet [default: the first]
    #[arg(long, value_name = "NAME", help_heading = "Reading")]
    sheet: Option<String>,
    /// The most memory that all tables and labels together may take, such as 8G or 500M [default: for each 160 times its file,
    /// at least 320 MiB, and for all three quarters of what is free at most]
    #[arg(long, value_name = "SIZE", value_parser = size_in_bytes, help_heading = "Reading")]
    max_memory: Option<u64>,
    /// Use only the first features of the file
    #[arg(long, value_name = "N", help_heading = "Features")]
    max_features: Option<usize>,
}

fn delimiter(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        [byte] => Ok(*byte),
        _ if text == "tab" || text == "\\t" => Ok(b'\t'),
        _ => Err("one character, or tab".to_string()),
    }
}

/// A size such as `8G`.
fn size_in_bytes(text: &str) -> Result<u64, String> {
    let size = text.parse::<ByteSize>();
    size.map(|size| size.as_u64())
        .map_err(|_| "a number of bytes, such as 8G or 500M".to_string())
}

impl ReadArgs {
    /// What the engine says of the tables.
    pub(crate) fn refused(&self) -> impl FnOnce(rfvm::Error) -> Error {
        Error::about(self.tables.first().map_or(Path::new(""), PathBuf::as_path))
    }

    /// What the data are called: the names of their files.
    pub(crate) fn name(&self) -> String {
        let name = |path: &PathBuf| {
            if path.as_os_str() == "-" {
                return Some("standard input".to_string());
            }
            path.file_name()
                .map(|name| name.to_string_lossy().into_owned())
        };
        let names: Vec<String> = self.tables.iter().filter_map(name).collect();
        names.join(", ")
    }

    pub(crate) fn options(&self) -> ReadOptions {
        ReadOptions {
            orientation: self.samples.map(|samples| match samples {
                Samples::Rows => Orientation::SamplesAsRows,
                Samples::Columns => Orientation::FeaturesAsRows,
            }),
            delimiter: self.delimiter,
            decimal_comma: self.decimal_comma.then_some(true),
            header: self.no_header.then_some(false),
            row_names: self.no_row_names.then_some(false),
            missing: self.na.clone(),
            below: self.below.map(|below| match below {
                Below::Half => BeyondLimit::Half,
                Below::Limit => BeyondLimit::Limit,
                Below::Missing => BeyondLimit::Missing,
            }),
            percent: self.percent,
            thousands: self.thousands,
            max_features: self.max_features,
            array: self.array.clone(),
            sheet: self.sheet.clone(),
            max_memory: self.max_memory,
            ..ReadOptions::default()
        }
    }
}

/// What is predicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TaskArg {
    /// One of two classes
    Classification,
    /// A number
    Regression,
}

#[derive(Debug, Args)]
pub(crate) struct TargetArgs {
    /// Column to predict: its name, else its position as the file has its columns (1 is the first, -1 the last)
    #[arg(
        long,
        value_name = "COL",
        help_heading = "Target",
        allow_negative_numbers = true
    )]
    target: Option<String>,
    /// File with the labels: a table with sample names and labels, a CLS file, or one label a line
    #[arg(long, value_name = "FILE", help_heading = "Target")]
    labels: Option<PathBuf>,
    /// Classes that together are the positive one, separated by commas [default: the one whose name says so (case, yes,
    /// tumour, 1), else the last in order]
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        help_heading = "Target",
        allow_hyphen_values = true
    )]
    positive: Option<Vec<String>>,
    /// All classes but these are the positive one
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        conflicts_with = "positive",
        help_heading = "Target",
        allow_hyphen_values = true
    )]
    positive_not: Option<Vec<String>>,
    /// What is predicted
    #[arg(
        long,
        value_name = "TASK",
        default_value = "classification",
        help_heading = "Target"
    )]
    task: TaskArg,
}

impl TargetArgs {
    /// Whether a target was named.
    pub(crate) fn is_named(&self) -> bool {
        self.target.is_some() || self.labels.is_some()
    }

    /// The file with the labels.
    pub(crate) fn file(&self) -> Option<&PathBuf> {
        self.labels.as_ref()
    }

    pub(crate) fn choice(&self, as_model: &[String]) -> TargetChoice {
        TargetChoice {
            as_model: as_model.to_vec(),
            column: self.target.clone(),
            labels: self.labels.clone(),
            positive: self.positive.clone(),
            positive_not: self.positive_not.clone(),
            regression: self.task == TaskArg::Regression,
            group: None,
            covariates: Vec::new(),
            batch: None,
        }
    }
}

#[derive(Debug, Args)]
struct FeatureArgs {
    /// Use only these features: names separated by commas, or @FILE with one a line (features that were chosen on the same
    /// data make every figure of an evaluation too good)
    #[arg(long, value_name = "LIST", help_heading = "Features")]
    features: Option<String>,
    /// Where the list of --features came from (a paper, an earlier study), in a few words: kept in the model, the evaluation and
    /// the report, and a promise that these samples had no part in it
    #[arg(
        long,
        value_name = "TEXT",
        requires = "features",
        help_heading = "Features"
    )]
    panel_from: Option<String>,
    /// Leave these features out (a list as for --features)
    #[arg(long, value_name = "LIST", help_heading = "Features")]
    drop: Option<String>,
    /// Let no other rule (--features, --drop, --max-missing) leave these features out; a fit may still pass them over, which it
    /// never does with --covariates (a list as for --features)
    #[arg(long, value_name = "LIST", help_heading = "Features")]
    exempt: Option<String>,
    /// Leave out features with more than this share of missing values
    #[arg(long, value_name = "SHARE", help_heading = "Features")]
    max_missing: Option<f64>,
}

impl FeatureArgs {
    fn choice(&self) -> Result<FeatureChoice, Error> {
        let list = |given: &Option<String>| given.as_deref().map(names).transpose();
        if let Some(share) = self.max_missing
            && !(0.0..=1.0).contains(&share)
        {
            return Err(Error::Argument(format!(
                "--max-missing is {share}; it must be between 0 and 1"
            )));
        }
        Ok(FeatureChoice {
            only: list(&self.features)?,
            drop: list(&self.drop)?.unwrap_or_default(),
            exempt: list(&self.exempt)?.unwrap_or_default(),
            max_missing: self.max_missing,
        })
    }
}

/// Everything about the data that a model is fitted on.
#[derive(Debug, Args)]
pub(crate) struct DataArgs {
    #[command(flatten)]
    read: ReadArgs,
    #[command(flatten)]
    target: TargetArgs,
    #[command(flatten)]
    features: FeatureArgs,
    #[command(flatten)]
    facts: FactsArgs,
    /// Column with the group of each sample (a family, a patient); no group is split between folds, nor between those
    /// by which a size is chosen
    #[arg(long, value_name = "COL", help_heading = "Target")]
    group: Option<String>,
    /// Columns to allow for, separated by commas (age,sex,site; of the table or the label file): they are in every model,
    /// unpenalised, and what is found and told is what the features add to them. Words get an effect for every level but the
    /// most frequent
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        help_heading = "Target"
    )]
    covariates: Vec<String>,
    /// Column with the batch, site or plate of each sample; it is then no feature [default: known by its name: batch, site,
    /// plate, centre, run, scanner, ...]
    #[arg(long, value_name = "COL", help_heading = "Target")]
    batch: Option<String>,
}

impl DataArgs {
    /// Reads the data, and tells what a user should know of how that went.
    pub(crate) fn load(&self) -> Result<Loaded, Error> {
        self.load_as(&[], &[])
    }

    /// The same with the classes, and where none are named the covariates, as a model has them.
    pub(crate) fn load_as(
        &self,
        classes: &[String],
        covariates: &[String],
    ) -> Result<Loaded, Error> {
        let target = TargetChoice {
            group: self.group.clone(),
            covariates: match self.covariates.is_empty() {
                true => covariates.to_vec(),
                false => self.covariates.clone(),
            },
            batch: self.batch.clone(),
            ..self.target.choice(classes)
        };
        let features = self.features.choice()?;
        self.facts.check()?;
        let mut loaded = load_dataset(&self.read.tables, &self.read.options(), &target, &features)?;
        let more = self.facts.attach(&mut loaded)?;
        loaded.notes.extend(more);
        tell_notes(&loaded.notes);
        loaded.examine();
        let Provenance {
            warnings, panel, ..
        } = &mut loaded.provenance;
        *panel = features.only.map(|listed| Panel {
            features: listed.len(),
            from: self.features.panel_from.clone(),
        });
        warnings.extend(panel.as_ref().and_then(Panel::warning));
        let told: Vec<String> = warnings.iter().map(|one| one.message.clone()).collect();
        tell_notes(&told);
        Ok(loaded)
    }

    /// What the data are called.
    pub(crate) fn name(&self) -> String {
        self.read.name()
    }

    /// The files that are read: tables, labels, lists of features.
    pub(crate) fn inputs(&self) -> Vec<PathBuf> {
        let lists = [
            &self.features.features,
            &self.features.drop,
            &self.features.exempt,
        ];
        let listed = lists.into_iter().flatten();
        let listed = listed.filter_map(|list| list.strip_prefix('@').map(PathBuf::from));
        let tables = (self.read.tables.iter()).chain(self.target.file()).cloned();
        tables.chain(listed).chain(self.facts.inputs()).collect()
    }

    /// Whether a number is to be predicted.
    pub(crate) fn is_regression(&self) -> bool {
        self.target.task == TaskArg::Regression
    }

    /// What the engine says of the data.
    pub(crate) fn refused(&self) -> impl FnOnce(rfvm::Error) -> Error {
        self.read.refused()
    }
}

/// Names from the argument itself or from a file.
pub(crate) fn names(given: &str) -> Result<Vec<String>, Error> {
    let clean = |name: &str| Some(name.trim().to_string()).filter(|name| !name.is_empty());
    let Some(file) = given.strip_prefix('@') else {
        return Ok(given.split(',').filter_map(clean).collect());
    };
    let path = Path::new(file);
    let text = std::fs::read_to_string(path).map_err(Error::read(path))?;
    Ok(text.lines().filter_map(clean).collect())
}

/// Refuses a level of an interval that is none.
pub(crate) fn check_level(level: f64) -> Result<(), Error> {
    match level > 0.0 && level < 1.0 {
        true => Ok(()),
        false => Err(Error::Argument(format!(
            "--reject {level} is no probability of an interval; give a number between 0 and 1, 0.95 for 95 %"
        ))),
    }
}

/// The model in a file, of two classes or of a number.
pub(crate) fn load_model(path: &Path) -> Result<Model, Error> {
    Model::load(path).map_err(unread)
}

/// The model in a file, also of several classes.
pub(crate) fn load_any_model(path: &Path) -> Result<AnyModel, Error> {
    AnyModel::load(path).map_err(unread)
}

fn unread(error: rfvm::Error) -> Error {
    match error {
        rfvm::Error::File { path, source } => Error::read(&path)(source),
        error => Error::Engine(error),
    }
}
