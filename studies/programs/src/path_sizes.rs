//! The sizes of the default method on the fixed folds of 22 sets and dorothea: one line of CSV a fit and size.
//!
//!     cargo run --release -p rfvm-studies --bin path_sizes -- studies/path/results/rfvm.csv [REPEATS [SET ...]]
//!
//! What the file already has of a set, size and repeat is not run again. The data lie beside the project in `../shared`; without
//! them the program says so and stops. The same numbers come from `rfvm evaluate TABLE ... --folds FILE --size SIZE`, which
//! fits anew for every size.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

use rayon::prelude::*;
use rfvm::{Missing, Params, Size, metrics};

mod sets;

use sets::{BinarySet, SETS, fold_of_rows, load};

const HEADER: &str = "set,size,repeat,fold,accuracy,auc,log_loss,balanced_accuracy,features,vectors,expected,share,detection,seconds,scores";
const REPEATS: usize = 10;
const FOLDS: usize = 5;
const SIZES: [Size; 4] = [Size::Compact, Size::Balanced, Size::Accurate, Size::Full];

fn main() -> Result<(), Box<dyn Error>> {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    if !shared.join("data").is_dir() {
        println!("SKIPPED: the data sets are not there (../shared/data)");
        return Ok(());
    }
    let mut arguments = std::env::args().skip(1);
    let output = PathBuf::from(arguments.next().ok_or("name the file to write")?);
    let repeats: usize = arguments
        .next()
        .map_or(Ok(REPEATS), |count| count.parse())?;
    let wanted: Vec<String> = arguments.collect();
    if !output.exists() {
        fs::write(&output, format!("{HEADER}\n"))?;
    }
    let text = fs::read_to_string(&output)?;
    for repeat in 0..repeats {
        for set in &SETS {
            let (name, ..) = set;
            let has = |size: &Size| text.contains(&format!("\n{name},{size},{repeat},"));
            let asked = wanted.is_empty() || wanted.iter().any(|wanted| wanted == name);
            if SIZES.iter().all(has) || !asked {
                continue;
            }
            let lines = run(&shared, set, repeat, |size| !has(size))?;
            fs::OpenOptions::new()
                .append(true)
                .open(&output)?
                .write_all(lines.as_bytes())?;
            println!("{name} repeat {repeat} done");
        }
    }
    Ok(())
}

fn run(
    shared: &Path,
    set: &BinarySet,
    repeat: usize,
    is_wanted: impl Fn(&Size) -> bool + Sync,
) -> Result<String, Box<dyn Error>> {
    let data = load(shared, set)?;
    let fold_of = fold_of_rows(shared, set.0, repeat)?;
    let fit = |fold: usize| -> Result<String, rfvm::Error> {
        let here = |n: &usize| fold_of[*n] == fold;
        let (test, train): (Vec<usize>, Vec<usize>) = (0..fold_of.len()).partition(here);
        // The full model is made only where it is asked for; the path has the others in any case.
        let mut params = Params::projected(Size::Full);
        params.threads = Some(1);
        if data.table().missing() > 0 {
            params.preprocessing.missing = Missing::Median;
        }
        let start = Instant::now();
        let path = params
            .check()?
            .path(data.rows(&train)?, |_| ControlFlow::Continue(()))?;
        let seconds = start.elapsed().as_secs_f64();
        let new = data.rows(&test)?;
        let mut lines = String::new();
        for size in SIZES.into_iter().filter(&is_wanted) {
            let model = path.clone().into_model(size)?;
            let expected = model.expected().map_or(f64::NAN, |expected| expected.loss);
            let p = model.predict_probability(new.table())?;
            let scores = p
                .iter()
                .zip(new.labels())
                .map(|(p, t)| format!("{t}:{p:.6}"));
            let _ = writeln!(
                lines,
                "{},{size},{repeat},{fold},{:.6},{:.6},{:.6},{:.6},{},{},{expected:.6},{:.4},{:.3},{seconds:.3},{}",
                set.0,
                metrics::accuracy(new.labels(), &p),
                metrics::auc(new.labels(), &p).unwrap_or(f64::NAN),
                metrics::log_loss(new.labels(), &p),
                metrics::balanced_accuracy(new.labels(), &p).unwrap_or(f64::NAN),
                model.feature_count(),
                model.vector_count(),
                model.share().unwrap_or(f64::NAN),
                path.judgement().map_or(0.0, |found| found.detection),
                scores.collect::<Vec<_>>().join(" ")
            );
        }
        Ok(lines)
    };
    let lines: Result<Vec<String>, rfvm::Error> = (0..FOLDS).into_par_iter().map(fit).collect();
    Ok(lines?.concat())
}
