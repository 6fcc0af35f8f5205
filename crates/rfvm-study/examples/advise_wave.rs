//! A study file from its first wave to its first advice, with simulated subjects.
//!
//!     cargo run --release -p rfvm-study --example advise_wave -- FOLDER
#![allow(clippy::print_stdout)]

use std::collections::BTreeSet;
use std::error::Error;
use std::path::PathBuf;

use rfvm_study::{AdviceChoice, SimulatedStudy, unwatched};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).ok_or("name a folder to write to")?);
    std::fs::create_dir_all(&folder)?;
    let write = |name: &str, text: &str| -> Result<PathBuf, Box<dyn Error>> {
        std::fs::write(folder.join(name), text)?;
        Ok(folder.join(name))
    };
    // `Study::create` and `Study::add` do the same with files of one's own.
    let simulated = SimulatedStudy::draw(1);
    let mut study = simulated.begin(&folder.join("study.rfvm"), write)?;
    simulated.join(&mut study, 1, &BTreeSet::new(), write)?;

    let quick = AdviceChoice {
        quick: true,
        ..AdviceChoice::default()
    };
    let advice = study.advise(&quick, &unwatched)?;
    println!("can go: {}", advice.retirement.tests.join(", "));
    for event in study.log()? {
        println!("{event:?}");
    }
    Ok(())
}
