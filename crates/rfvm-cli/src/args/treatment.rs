//! How every method treats the data: scaling, missing values, weights of the classes, threads.

use clap::{Args, ValueEnum};
use rfvm::{ClassWeight, Dataset, Missing, Params, Scaling, Transform};

/// How missing values are treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ImputeArg {
    /// The median of the training rows
    Median,
    /// What the features most like it tell of it, in a fit; new samples' gaps are integrated over
    Conditional,
}

/// How features are scaled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ScalingArg {
    /// Mean 0 and standard deviation 1
    Plain,
    /// The same after bending the tails, so that a few extreme values do not set the scale
    Robust,
}

#[derive(Debug, Args)]
pub(crate) struct TreatmentArgs {
    /// How features are scaled [default: robust for the method projected, plain for the others]
    #[arg(long, value_name = "HOW", help_heading = "Fit")]
    scaling: Option<ScalingArg>,
    /// `balanced`, or the weights of the negative and the positive class: 1,3
    #[arg(long, value_name = "WEIGHTS", value_parser = class_weight, help_heading = "Fit")]
    class_weight: Option<ClassWeight>,
    /// What takes the place of a missing value [default: missing values are refused]
    #[arg(long, value_name = "HOW", help_heading = "Fit")]
    impute: Option<ImputeArg>,
    /// Take log2(1 + x) of every value first, here and in every prediction of the model
    #[arg(long, help_heading = "Fit")]
    log2: bool,
    /// Worker threads, which change the time and nothing else [default: OMP_NUM_THREADS, else all cores]
    #[arg(long, value_name = "N", help_heading = "Fit")]
    threads: Option<usize>,
}

impl TreatmentArgs {
    /// The parameters of a method with what was asked for here.
    pub(crate) fn params(&self, mut params: Params) -> Params {
        let preprocessing = &mut params.preprocessing;
        match self.scaling {
            None => {}
            Some(ScalingArg::Plain) => preprocessing.scaling = Scaling::Plain,
            Some(ScalingArg::Robust) => preprocessing.scaling = Scaling::Robust,
        }
        if self.log2 {
            preprocessing.transform = Transform::Log2;
        }
        match self.impute {
            None => {}
            Some(ImputeArg::Median) => preprocessing.missing = Missing::Median,
            Some(ImputeArg::Conditional) => preprocessing.missing = Missing::Conditional,
        }
        params.threads = self.threads;
        params
    }

    /// The data with the weights of their classes.
    pub(crate) fn weighted(&self, data: Dataset) -> Result<Dataset, rfvm::Error> {
        match &self.class_weight {
            Some(weight) => data.with_class_weight(weight.clone()),
            None => Ok(data),
        }
    }
}

fn class_weight(text: &str) -> Result<ClassWeight, String> {
    if text == "balanced" {
        return Ok(ClassWeight::Balanced);
    }
    let numbers: Result<Vec<f64>, _> = text.split(',').map(|part| part.trim().parse()).collect();
    match numbers.as_deref() {
        Ok([negative, positive]) => Ok(ClassWeight::PerClass(*negative, *positive)),
        _ => Err("it must be balanced or two numbers, negative class first: 1,3".to_string()),
    }
}
