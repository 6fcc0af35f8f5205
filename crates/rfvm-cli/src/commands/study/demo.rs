//! `rfvm study demo`: a simulated study of six waves with known truth, end to end.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use rfvm::metrics;
use rfvm_study::{Advice, AdviceChoice, FitChoice, Price, SimulatedStudy};
use serde::Serialize;

use crate::error::Error;
use crate::output::{Folder, print, print_json};
use crate::printer::{Align, PrintedTable};
use crate::progress::Stages;

const EXAMPLES: &str = "\
Examples:
  rfvm study demo
  rfvm study demo --out study
  rfvm study demo --seed 7 --json";

const STUDY: &str = "study.rfvm";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    /// Keep the study, its waves, its catalogues and its report in this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Seed of the simulation; the same seed gives the same study and the same advice
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Worker threads, which change the time and nothing else [default: OMP_NUM_THREADS, else all cores]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Print one JSON object instead of tables
    #[arg(long)]
    json: bool,
}

/// One wave of the play.
#[derive(Debug, Serialize)]
struct PlayedWave {
    wave: usize,
    subjects: usize,
    tests: usize,
    price: Price,
    /// Cross-validated; on the wave's own subjects once something is retired.
    auc: Option<f64>,
    retired: Vec<String>,
    /// How many of them truly are irrelevant or have a kept substitute at the end.
    right: usize,
}

#[derive(Debug, Serialize)]
struct Played {
    seed: u64,
    turns: Vec<PlayedWave>,
    price_of_everything: Price,
    price_retained: Price,
    auc_everything: f64,
    auc_retained: f64,
    advice: Advice,
    files: Vec<PathBuf>,
}

pub(crate) fn run(options: &Options) -> Result<ExitCode, Error> {
    // Without --out the play needs a place all the same; it goes with the folder.
    let scratch = match options.out {
        None => Some(tempfile::tempdir().map_err(Error::file(Path::new("a temporary folder")))?),
        Some(_) => None,
    };
    let place = scratch.as_ref().map(|scratch| scratch.path().join("study"));
    let place = options.out.clone().or(place).unwrap_or_default();
    if place.join(STUDY).exists() {
        let file = place.join(STUDY);
        return Err(Error::Argument(format!(
            "{} is there already; a study is never overwritten, so name another folder",
            file.display()
        )));
    }
    let mut folder = Folder::open(&place)?;
    let simulated = SimulatedStudy::draw(options.seed);
    let progress = Stages::new();
    let (mut played, choice) = play(&simulated, &mut folder, options, &progress)?;
    drop(progress);
    let files = folder.commit()?;
    played.files = if options.out.is_some() {
        files
    } else {
        Vec::new()
    };
    if options.json {
        return print_json(&played);
    }
    print(|out| {
        writeln!(
            out,
            "A simulated study of six waves with known truth (seed {})",
            played.seed
        )?;
        writeln!(
            out,
            "  {} tests, 30 of which measure 10 markers of the outcome, each three times; 22 arrive with wave 3.",
            simulated.tests().len()
        )?;
        writeln!(
            out,
            "  After every wave the tests advised for retirement are retired and no longer measured; the corrections\n  after the third are a wave of their own in the file.\n"
        )?;
        let mut table = PrintedTable::new([
            ("wave", Align::Right),
            ("subjects", Align::Right),
            ("tests in use", Align::Right),
            ("cost a subject", Align::Right),
            ("AUC", Align::Right),
            ("retired", Align::Right),
            ("rightly", Align::Right),
        ]);
        for turn in &played.turns {
            table.row([
                turn.wave.to_string(),
                turn.subjects.to_string(),
                turn.tests.to_string(),
                format!("{:.2}", turn.price.cost),
                turn.auc
                    .map_or("unknown".to_string(), |auc| format!("{auc:.3}")),
                turn.retired.len().to_string(),
                turn.right.to_string(),
            ]);
        }
        table.write(out)?;
        writeln!(
            out,
            "  The AUC is that of a cross-validation, once tests are retired on subjects that came later alone."
        )?;
        writeln!(
            out,
            "\nThe retained tests cost {:.2} a subject, all would cost {:.2}.",
            played.price_retained.cost, played.price_of_everything.cost
        )?;
        writeln!(
            out,
            "On 2000 fresh subjects: AUC {:.3} with the retained tests, {:.3} had nothing been retired.\n",
            played.auc_retained, played.auc_everything
        )?;
        super::text::write_advice(out, &played.advice, &choice)?;
        for file in &played.files {
            writeln!(out, "Written: {}", file.display())?;
        }
        Ok(())
    })
}

fn play(
    simulated: &SimulatedStudy,
    folder: &mut Folder,
    options: &Options,
    progress: &Stages,
) -> Result<(Played, AdviceChoice), Error> {
    let watch = |what: &str, done: usize, of: usize| progress.show(what, done, of);
    let mut write = |name: &'static str, text: &str| -> Result<PathBuf, Error> {
        let path = folder.place(name)?;
        std::fs::write(&path, text).map_err(Error::file(&path))?;
        Ok(path)
    };
    let place = write(STUDY, "")?;
    let mut study = simulated.begin(&place, &mut write)?;
    let mut retired: BTreeSet<String> = BTreeSet::new();
    let mut turns = Vec::new();
    let mut last = None;
    let fit = FitChoice {
        repeats: 1,
        threads: options.threads,
        ..FitChoice::default()
    };
    for wave in 1..=simulated.waves() {
        simulated.join(&mut study, wave, &retired, &mut write)?;
        let fitted = study.fit(&fit, &watch)?;
        let choice = AdviceChoice {
            repeats: 2,
            quick: wave < simulated.waves(),
            accept: true,
            threads: options.threads,
            ..AdviceChoice::default()
        };
        let advice = study.advise(&choice, &watch)?;
        turns.push(PlayedWave {
            wave,
            subjects: advice.subjects,
            tests: advice.tests.len(),
            price: advice.price,
            auc: fitted
                .evaluation
                .and_then(|found| found.auc)
                .map(|auc| auc.mean),
            retired: advice.retirement.tests.clone(),
            right: 0,
        });
        retired.extend(advice.retirement.tests.iter().cloned());
        last = Some((advice, choice));
    }
    let fitted = study.fit(&fit, &watch)?;
    write("report.html", &study.report()?)?;
    let state = study.state()?;
    let names = |tests: &[usize]| -> BTreeSet<String> {
        tests
            .iter()
            .map(|&t| state.catalogue.tests[t].name.clone())
            .collect()
    };
    let kept = names(&state.active());
    for turn in &mut turns {
        turn.right = turn
            .retired
            .iter()
            .filter(|test| simulated.right_to_retire(test, &kept))
            .count();
    }
    let usable: Vec<usize> = (0..state.catalogue.tests.len())
        .filter(|&test| {
            !simulated
                .never()
                .contains(&state.catalogue.tests[test].name)
        })
        .collect();
    let fresh = simulated.fresh()?;
    let auc = |model: &rfvm::Model| -> Result<f64, Error> {
        let probability = model.predict_probability(fresh.table())?;
        Ok(metrics::auc(fresh.labels(), &probability).unwrap_or(0.5))
    };
    let mut everything = rfvm::Params::default();
    everything.preprocessing.missing = rfvm::Missing::Median;
    everything.threads = options.threads;
    let everything = everything.check()?.fit(simulated.everything()?)?;
    let Some((advice, choice)) = last else {
        return Err(Error::Argument(
            "the simulated study has no waves".to_string(),
        ));
    };
    let played = Played {
        seed: options.seed,
        turns,
        price_of_everything: state.price(&usable),
        price_retained: state.price(&state.active()),
        auc_everything: auc(&everything)?,
        auc_retained: auc(&fitted.model)?,
        advice,
        files: Vec::new(),
    };
    Ok((played, choice))
}
