//! Reads a table of any format and cross-validates the default on it.
//!
//!     cargo run --release -p rfvm-io --example evaluate_table -- FILE TARGET
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::ops::ControlFlow;
use std::path::PathBuf;

use rfvm::{Folds, Params};
use rfvm_io::{FeatureChoice, ReadOptions, TargetChoice, load_dataset};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = PathBuf::from(
        arguments
            .next()
            .ok_or("name a file and its target column")?,
    );
    let target = TargetChoice {
        column: arguments.next(),
        ..TargetChoice::default()
    };
    let options = ReadOptions {
        target: target.column.clone(),
        ..ReadOptions::default()
    };
    let loaded = load_dataset(&[file], &options, &target, &FeatureChoice::default())?;
    for note in &loaded.notes {
        println!("note: {note}");
    }
    let data = loaded.data;
    let folds = Folds::stratified(data.labels(), data.groups(), 5, 1, 1)?;
    let checked = Params::default().check()?;
    let evaluation = checked.evaluate(&data, &folds, |_, _| ControlFlow::Continue(()))?;
    let evaluation = evaluation.ok_or("the callback stopped the work")?;
    if let (Some(auc), Some(loss)) = (evaluation.auc, evaluation.log_loss) {
        println!("AUC {:.3}, log loss {:.3}", auc.mean, loss.mean);
    }
    println!("{:.1} features a fold", evaluation.features.mean);
    Ok(())
}
