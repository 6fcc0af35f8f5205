//! Studies of pure noise, wave by wave: what does each fit claim, once tests were retired with all outcomes in view?
//!
//!     cargo run --release -p rfvm-studies --bin noise_study -- advised|screened [SEEDS] [WAVES] [SUBJECTS] [TESTS]
//!
//! `advised` accepts the advice after every wave; `screened` retires by hand, after every wave, the half of the tests
//! that correlate least with the outcome, which is the worst that a study can do to its own numbers. By default 40 seeds
//! of six waves of 50 subjects with 200 tests. It fails where more than 5 % of the seeds claim more than chance after any wave.
#![allow(clippy::print_stdout)]

use std::collections::BTreeSet;
use std::error::Error;
use std::process::ExitCode;
use std::time::Instant;

use rfvm::Estimate;
use rfvm_study::{AdviceChoice, FitChoice, NoiseStudy, Study, unwatched};

/// What to play.
struct Play {
    screened: bool,
    waves: usize,
    subjects: usize,
    tests: usize,
}

/// What the fit after a wave claims, and how many tests had been retired until then.
struct Claim {
    auc: Option<Estimate>,
    retired: usize,
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let screened = match arguments.next().as_deref() {
        Some("advised") => false,
        Some("screened") => true,
        _ => return Err("say which: advised or screened".into()),
    };
    let mut number = |usual: usize| arguments.next().map_or(Ok(usual), |text| text.parse());
    let seeds = number(40)?;
    let play = Play {
        screened,
        waves: number(6)?,
        subjects: number(50)?,
        tests: number(200)?,
    };
    let start = Instant::now();
    let claims: Result<Vec<Vec<Claim>>, Box<dyn Error>> =
        (1..=seeds).map(|seed| play.seed(seed as u64)).collect();
    let claims = claims?;
    println!("wave  mean AUC  without  above chance  below chance  retired before");
    let mut most = 0.0f64;
    for wave in 0..play.waves {
        let of_wave: Vec<&Claim> = claims.iter().map(|of_seed| &of_seed[wave]).collect();
        let known: Vec<Estimate> = of_wave.iter().filter_map(|claim| claim.auc).collect();
        let share = |of: &dyn Fn(&Estimate) -> bool| {
            known.iter().filter(|auc| of(auc)).count() as f64 / seeds as f64
        };
        let (above, below) = (share(&|auc| auc.low > 0.5), share(&|auc| auc.high < 0.5));
        let mean = known.iter().map(|auc| auc.mean).sum::<f64>() / known.len().max(1) as f64;
        let retired = of_wave.iter().map(|claim| claim.retired).sum::<usize>();
        println!(
            "{:>4}  {mean:>8.3}  {:>7}  {:>10.1} %  {:>10.1} %  {:>14.1}",
            wave + 1,
            seeds - known.len(),
            100.0 * above,
            100.0 * below,
            retired as f64 / seeds as f64
        );
        most = most.max(above);
    }
    println!(
        "seeds: {seeds}; seconds: {:.0}",
        start.elapsed().as_secs_f64()
    );
    Ok(match most <= 0.05 {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}

impl Play {
    fn seed(&self, seed: u64) -> Result<Vec<Claim>, Box<dyn Error>> {
        let noise = NoiseStudy::draw(self.waves, self.subjects, self.tests, seed)?;
        let folder = tempfile::tempdir()?;
        let mut study = noise.begin(folder.path())?;
        let mut retired: BTreeSet<String> = BTreeSet::new();
        let mut by_hand: Vec<String> = Vec::new();
        let mut claims = Vec::new();
        for wave in 1..=self.waves {
            noise.join(&mut study, wave, &retired, &by_hand)?;
            let fit = FitChoice {
                signatures: 1,
                ..FitChoice::default()
            };
            let fitted = study.fit(&fit, &unwatched)?;
            claims.push(Claim {
                auc: fitted.evaluation.and_then(|found| found.auc),
                retired: retired.len(),
            });
            if self.screened {
                let stay = (self.tests - retired.len()).div_ceil(2);
                by_hand = noise.least_correlated(wave, &retired, stay);
                retired.extend(by_hand.iter().cloned());
            } else {
                retired.extend(advised(&mut study)?);
            }
        }
        Ok(claims)
    }
}

fn advised(study: &mut Study) -> Result<Vec<String>, Box<dyn Error>> {
    let choice = AdviceChoice {
        repeats: 1,
        quick: true,
        accept: true,
        ..AdviceChoice::default()
    };
    Ok(study.advise(&choice, &unwatched)?.retirement.tests)
}
