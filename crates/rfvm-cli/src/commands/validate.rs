//! `rfvm validate`: a saved model on labelled new samples, and its recalibration there.

mod text;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use rfvm::{Recalibrate, Validation};
use rfvm_io::{TargetChoice, load_labelled};
use rfvm_report::validation_page;

use crate::args::{MissingArgs, ReadArgs, TargetArgs, load_model};
use crate::error::Error;
use crate::figures::{Figures, write_figures};
use crate::output::{check_place, print, print_json, tell_notes, write_file};

const EXAMPLES: &str = "\
Examples:
  rfvm validate model.json other.csv --target class
  rfvm validate model.json other.csv --target class --threshold 0.3 --json
  rfvm validate model.json other.csv --target status --positive affected --group family
  rfvm validate model.json golub.gct --labels golub.cls --html golub.html --figures figures
  rfvm validate model.json other.csv --target class --missing integrate
  rfvm validate model.json other.csv --target class --recalibrate intercept
  rfvm validate model.json other.csv --target class --recalibrate slope -o model2.json";

/// What is learned anew on the new samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum RecalibrateArg {
    /// What is added to all logits: the mean probability becomes the share seen
    Intercept,
    /// That, and by how much logits are stretched
    Slope,
}

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    /// Model file that `rfvm fit` wrote
    model: PathBuf,
    #[command(flatten)]
    read: ReadArgs,
    #[command(flatten)]
    target: TargetArgs,
    /// Column with the group of each sample (a family, a patient): intervals and folds take whole groups
    #[arg(long, value_name = "COL", help_heading = "Target")]
    group: Option<String>,
    /// Take samples with a probability above this for the positive class
    #[arg(
        long,
        value_name = "P",
        default_value_t = 0.5,
        help_heading = "Threshold"
    )]
    threshold: f64,
    #[command(flatten)]
    missing: MissingArgs,
    /// Learn the model's correction anew on these samples, and tell what that is worth on samples it was not learned from
    /// (cross-validated)
    #[arg(long, value_name = "WHAT", help_heading = "Recalibration")]
    recalibrate: Option<RecalibrateArg>,
    /// Write the recalibrated model to this file
    #[arg(
        short,
        long,
        value_name = "FILE",
        requires = "recalibrate",
        help_heading = "Recalibration"
    )]
    output: Option<PathBuf>,
    /// Write one self-contained page to this file
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write the ROC, precision-recall, calibration and decision curves and the features' shifts to this folder, an SVG file
    /// each
    #[arg(long, value_name = "DIR")]
    figures: Option<PathBuf>,
    /// Print one JSON object instead of tables
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(options: &Options) -> Result<ExitCode, Error> {
    let inputs = options.read.tables.iter().chain(options.target.file());
    let inputs = inputs.chain([&options.model]);
    check_place(options.output.as_ref(), inputs.clone())?;
    check_place(options.html.as_ref(), inputs.chain(&options.output))?;
    let threshold = options.threshold;
    if !(threshold > 0.0 && threshold < 1.0) {
        return Err(Error::Argument(format!(
            "--threshold {threshold} is no share; give a number between 0 and 1, 0.9 for 90 %"
        )));
    }
    let model = load_model(&options.model)?;
    let target = TargetChoice {
        regression: model.classes().is_empty(),
        group: options.group.clone(),
        covariates: model.covariate_names(),
        ..options.target.choice(model.classes())
    };
    let (data, notes) = load_labelled(&options.read.tables, &options.read.options(), &target)?;
    tell_notes(&notes);
    let name = options.read.name();
    let gaps = options.missing.gaps();
    let mut validation = Validation::with_gaps(&model, &data, &name, threshold, gaps)
        .map_err(options.read.refused())?;
    tell_notes(lacking(&validation).as_slice());
    if let Some(how) = options.recalibrate {
        let how = match how {
            RecalibrateArg::Intercept => Recalibrate::Intercept,
            RecalibrateArg::Slope => Recalibrate::Slope,
        };
        let recalibrated = validation
            .recalibrate(&model, &data, how)
            .map_err(options.read.refused())?;
        if let Some(path) = &options.output {
            write_file(path, recalibrated.to_json().as_bytes())?;
        }
    }
    if let Some(path) = &options.html {
        write_file(path, validation_page(&validation).as_bytes())?;
    }
    let figures = match &options.figures {
        Some(folder) => write_figures(folder, &Figures::of_validation(&validation))?,
        None => Vec::new(),
    };
    if options.json {
        return print_json(&validation);
    }
    print(|out| {
        text::write(out, &validation)?;
        let written = options.output.iter().chain(&options.html).chain(&figures);
        for (at, path) in written.enumerate() {
            let apart = if at == 0 { "\n" } else { "" };
            writeln!(out, "{apart}Written: {}", path.display())?;
        }
        Ok(())
    })
}

/// What to say of samples that lacked something; nothing where none did.
fn lacking(validation: &Validation) -> Option<String> {
    let lacking = validation
        .samples
        .iter()
        .filter(|one| !one.filled.is_empty());
    let rows = lacking.count();
    (rows > 0).then(|| {
        format!(
            "{rows} of {} sample(s) lack values that the model needs, which were integrated over",
            validation.n
        )
    })
}
