//! What is known of the features beside their values: prices, panels, blocks, annotation.

use std::path::PathBuf;

use clap::Args;
use rfvm_io::{FactFiles, Loaded};

use crate::error::Error;

#[derive(Debug, Args)]
pub(super) struct FactsArgs {
    /// What features cost: a file of two columns (feature,price), or a column of the annotation. Cheap ones enter first, tables
    /// show prices, and of a model the sum is told. What has no price counts as free
    #[arg(long, value_name = "FILE", help_heading = "Features")]
    cost: Option<String>,
    /// How strongly prices count: a feature of mean price gets 1 + STRENGTH times the precision of a free one, 0 only tells them
    /// [default: 1]
    #[arg(
        long,
        value_name = "STRENGTH",
        help_heading = "Features",
        allow_negative_numbers = true
    )]
    cost_prior: Option<f64>,
    /// Features that are bought together (GMT: name, description, members; or two columns: feature,panel; or a column of the
    /// annotation): once one of a panel has entered, its others are free, and a model pays for a panel once
    #[arg(long, value_name = "FILE", help_heading = "Features")]
    panels: Option<String>,
    /// Features of one kind (a file as for --panels): each block weighs as much as any other, however many features it has, so
    /// that thousands of one do not drown the few of another
    #[arg(long, value_name = "FILE", help_heading = "Features")]
    blocks: Option<String>,
    /// A table about the features, their names in its first column (gene symbol, description, unit): the others are shown beside
    /// the names in tables, reports and exports [default: what a table itself says of its features, as GCT does]
    #[arg(long, value_name = "FILE", help_heading = "Features")]
    annotation: Option<PathBuf>,
}

impl FactsArgs {
    fn files(&self) -> FactFiles {
        FactFiles {
            cost: self.cost.clone(),
            cost_prior: self.cost_prior,
            panels: self.panels.clone(),
            blocks: self.blocks.clone(),
            annotation: self.annotation.clone(),
        }
    }

    /// The files that are read.
    pub(super) fn inputs(&self) -> Vec<PathBuf> {
        self.files().paths()
    }

    /// What makes no sense whatever the data.
    pub(super) fn check(&self) -> Result<(), Error> {
        match self.cost_prior {
            Some(_) if self.cost.is_none() && self.panels.is_none() => Err(Error::Argument(
                "--cost-prior says how strongly prices count; give them with --cost or --panels"
                    .to_string(),
            )),
            Some(strength) if !(0.0..=1e6).contains(&strength) => Err(Error::Argument(format!(
                "--cost-prior is {strength}; it must be between 0 and 1e6"
            ))),
            _ => Ok(()),
        }
    }

    /// The data with what is known of their features, and what to say of how both agree.
    pub(super) fn attach(&self, loaded: &mut Loaded) -> Result<Vec<String>, Error> {
        let facts = self
            .files()
            .read(std::mem::take(&mut loaded.about_features))?;
        // What a table says of its features by itself needs no note.
        let notes = match *self {
            Self {
                cost: None,
                panels: None,
                blocks: None,
                annotation: None,
                ..
            } => Vec::new(),
            _ => facts.notes(loaded.data.table().feature_names()),
        };
        loaded.data = loaded.data.clone().with_facts(facts)?;
        Ok(notes)
    }
}
