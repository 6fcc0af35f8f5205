//! The method of a fit, and the options that belong to it. `--method` alone chooses it: an option of another method is
//! refused and never switches it.

use std::str::FromStr as _;

use clap::{Args, ValueEnum};
use rfvm::{Family, MeanField, Params, Signatures, Size, Start};

use crate::error::Error;

/// How the model is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum MethodArg {
    /// The full posterior over all features, or a model of few that says what it says
    Projected,
    /// Signatures of very few features each
    Signatures,
    /// The paper's model: signatures by a mean-field approximation
    MeanField,
}

impl MethodArg {
    fn name(self) -> &'static str {
        match self {
            Self::Projected => "projected",
            Self::Signatures => "signatures",
            Self::MeanField => "mean-field",
        }
    }
}

/// The posterior of each feature weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FamilyArg {
    /// The paper's
    Folded,
    /// The exact one on v >= 0, one feature after the other
    Truncated,
    /// Without a sign constraint, one feature after the other
    Gaussian,
}

/// How big a model is, as an option says it.
pub(crate) fn size(text: &str) -> Result<Size, &'static str> {
    Size::from_str(text)
}

/// A share of what the full model tells, as an option says it.
pub(crate) fn share(text: &str) -> Result<f64, &'static str> {
    match text.parse() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("a number from 0 to 1"),
    }
}

#[derive(Debug, Args)]
pub(crate) struct MethodArgs {
    /// How the model is found
    #[arg(
        long,
        value_name = "METHOD",
        default_value = "projected",
        help_heading = "Fit"
    )]
    method: MethodArg,
    /// Method projected: compact (at most 3 features), balanced (at most 27), accurate (at most 55), full (all of them), or
    /// a number of features [default: balanced]
    #[arg(long, value_name = "SIZE", value_parser = size, help_heading = "Fit")]
    size: Option<Size>,
    /// Method projected: the fewest features that keep this share of what the full model tells, from 0 to 1
    #[arg(
        long,
        value_name = "S",
        value_parser = share,
        conflicts_with = "size",
        help_heading = "Fit"
    )]
    share: Option<f64>,
    /// Methods signatures and mean-field: disjoint signatures to look for; more than one make a committee [default: 1]
    #[arg(long, value_name = "K", help_heading = "Fit")]
    signatures: Option<usize>,
    /// Method mean-field: the posterior of each feature weight [default: folded]
    #[arg(long, value_name = "NAME", help_heading = "Fit")]
    family: Option<FamilyArg>,
    /// Methods signatures and mean-field: start from random weights with this seed
    #[arg(long, value_name = "N", help_heading = "Fit")]
    start_seed: Option<u64>,
    /// Methods signatures and mean-field: end the fit of each signature here [default: 2000, mean-field 5000]
    #[arg(long, value_name = "N", help_heading = "Fit")]
    max_iterations: Option<usize>,
}

impl MethodArgs {
    /// The parameters of the method, with the preprocessing that is usual for it.
    pub(crate) fn params(&self) -> Result<Params, Error> {
        self.refuse_options_of_other_methods()?;
        let start = self.start_seed.map(|seed| Start::Random { seed });
        Ok(match self.method {
            MethodArg::Projected => {
                let by_share = self.share.map(Size::Share);
                Params::projected(self.size.or(by_share).unwrap_or(Size::Balanced))
            }
            MethodArg::Signatures => {
                let mut own = Signatures::default();
                own.count = self.signatures.unwrap_or(own.count);
                own.start = start.unwrap_or(own.start);
                let limit = &mut own.stopping.max_iterations;
                *limit = self.max_iterations.unwrap_or(*limit);
                Params::from(own)
            }
            MethodArg::MeanField => {
                let mut own = MeanField::of(match self.family {
                    None | Some(FamilyArg::Folded) => Family::Folded,
                    Some(FamilyArg::Truncated) => Family::Truncated,
                    Some(FamilyArg::Gaussian) => Family::Gaussian,
                });
                own.count = self.signatures.unwrap_or(own.count);
                own.start = start.unwrap_or(own.start);
                let limit = &mut own.stopping.max_iterations;
                *limit = self.max_iterations.unwrap_or(*limit);
                Params::from(own)
            }
        })
    }

    fn refuse_options_of_other_methods(&self) -> Result<(), Error> {
        use MethodArg::{MeanField, Projected, Signatures};
        let options: [(&str, bool, &[MethodArg]); 6] = [
            ("--size", self.size.is_some(), &[Projected]),
            ("--share", self.share.is_some(), &[Projected]),
            (
                "--signatures",
                self.signatures.is_some(),
                &[Signatures, MeanField],
            ),
            ("--family", self.family.is_some(), &[MeanField]),
            (
                "--start-seed",
                self.start_seed.is_some(),
                &[Signatures, MeanField],
            ),
            (
                "--max-iterations",
                self.max_iterations.is_some(),
                &[Signatures, MeanField],
            ),
        ];
        for (option, given, methods) in options {
            if given && !methods.contains(&self.method) {
                let methods: Vec<&str> = methods.iter().map(|method| method.name()).collect();
                return Err(Error::Argument(format!(
                    "{option} is not an option of --method {}; it belongs to --method {}",
                    self.method.name(),
                    methods.join(" or ")
                )));
            }
        }
        Ok(())
    }
}
