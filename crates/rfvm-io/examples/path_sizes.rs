//! The three sizes of the signature path on the fixed folds of thirteen sets: one line of CSV a fit and size.
//!
//!     cargo run --release -p rfvm-io --example path_sizes -- studies/path/results/rfvm.csv
//!
//! Sets that the file already has are not run again. The data lie beside the project in `../shared`; without them the
//! program says so and stops. The same numbers come from `rfvm evaluate TABLE ... --folds FILE --size SIZE`, which goes
//! the path anew for every size.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

use rayon::prelude::*;
use rfvm::{Params, PathPoint, Size, Verdict, metrics};
use rfvm_io::{FeatureChoice, Loaded, ReadOptions, TargetChoice, load_dataset};

const HEADER: &str = "set,size,repeat,fold,accuracy,auc,log_loss,balanced_accuracy,features,vectors,expected,seconds,scores";
const REPEATS: usize = 10;
const FOLDS: usize = 5;
const SIZES: [(Size, &str); 3] = [
    (Size::Compact, "compact"),
    (Size::Balanced, "balanced"),
    (Size::Accurate, "accurate"),
];

/// Name, files under `data`, target column, positive class; `!` before it: all but this class.
const SETS: [(&str, &[&str], &str, &str); 13] = [
    ("colon", &["colon.mat"], "Y", "1"),
    ("leukemia", &["leukemia.mat"], "Y", "1"),
    ("lymphoma", &["lymphoma.mat"], "Y", "!1"),
    ("Prostate-GE", &["Prostate-GE.mat"], "Y", "2"),
    ("ALLAML", &["ALLAML.mat"], "Y", "2"),
    ("golub", &["golub/golub.gct"], "", "AML"),
    ("ALL_BCRABL_vs_NEG", &["ALL_BCRABL_vs_NEG.npz"], "y", "1"),
    ("singh_prostate", &["singh_prostate.npz"], "y", "1"),
    ("gravier_breast", &["gravier_breast.npz"], "y", "1"),
    (
        "jacobs_ibd_metabolome",
        &["jacobs_ibd_metabolome.npz"],
        "y",
        "1",
    ),
    (
        "mb_qin2014_cirrhosis",
        &["mb_qin2014_cirrhosis.npz"],
        "y",
        "1",
    ),
    ("arcene", &["arcene.mat"], "Y", "1"),
    (
        "dorothea",
        &[
            "dorothea/dorothea_train.data",
            "dorothea/dorothea_valid.data",
        ],
        "label",
        "1",
    ),
];

fn main() -> Result<(), Box<dyn Error>> {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    if !shared.join("data").is_dir() {
        println!("SKIPPED: the data sets are not there (../shared/data)");
        return Ok(());
    }
    let output = PathBuf::from(std::env::args().nth(1).ok_or("name the file to write")?);
    if !output.exists() {
        fs::write(&output, format!("{HEADER}\n"))?;
    }
    let text = fs::read_to_string(&output)?;
    for set in SETS
        .iter()
        .filter(|set| !text.contains(&format!("\n{},", set.0)))
    {
        let (name, ..) = set;
        let lines = run(&shared, set)?;
        fs::OpenOptions::new()
            .append(true)
            .open(&output)?
            .write_all(lines.as_bytes())?;
        println!("{name} done");
    }
    Ok(())
}

fn load(
    shared: &Path,
    &(name, files, column, positive): &(&str, &[&str], &str, &str),
) -> Result<Loaded, Box<dyn Error>> {
    let files: Vec<PathBuf> = files
        .iter()
        .map(|file| shared.join("data").join(file))
        .collect();
    let class = |class: &str| Some(vec![class.to_string()]);
    let (positive, positive_not) = match positive.strip_prefix('!') {
        Some(rest) => (None, class(rest)),
        None => (class(positive), None),
    };
    let target = TargetChoice {
        column: Some(column.to_string()).filter(|column| !column.is_empty()),
        labels: (name == "golub").then(|| shared.join("data/golub/golub.cls")),
        positive,
        positive_not,
        group: name.starts_with("jacobs").then(|| "groups".to_string()),
        ..TargetChoice::default()
    };
    let options = ReadOptions {
        max_features: (name == "dorothea").then_some(8000),
        ..ReadOptions::default()
    };
    Ok(load_dataset(
        &files,
        &options,
        &target,
        &FeatureChoice::default(),
    )?)
}

fn run(shared: &Path, set: &(&str, &[&str], &str, &str)) -> Result<String, Box<dyn Error>> {
    let Loaded { data, .. } = load(shared, set)?;
    let text = fs::read_to_string(shared.join(format!("folds/{}.csv", set.0)))?;
    let fold_of: Vec<Vec<&str>> = text
        .lines()
        .skip(1)
        .map(|line| line.split(',').collect())
        .collect();
    let jobs: Vec<(usize, usize)> = (0..REPEATS)
        .flat_map(|r| (0..FOLDS).map(move |f| (r, f)))
        .collect();
    let fit = |&(repeat, fold): &(usize, usize)| -> Result<String, rfvm::Error> {
        let here = |n: &usize| fold_of[*n][repeat].trim() == fold.to_string();
        let (test, train): (Vec<usize>, Vec<usize>) = (0..fold_of.len()).partition(here);
        let params = Params {
            threads: Some(1),
            ..Params::default()
        };
        let start = Instant::now();
        let path = params
            .check()?
            .path(data.rows(&train)?, |_| ControlFlow::Continue(()))?;
        let seconds = start.elapsed().as_secs_f64();
        let new = data.rows(&test)?;
        let mut lines = String::new();
        // The smallest within one standard error of the best is no size of the program: it is here to be compared.
        let near = |p: &PathPoint| p.behind.0 <= p.behind.1;
        let smallest_near = path.points().iter().position(near).unwrap_or(0);
        let positions = SIZES.map(|(size, name)| (path.position(size), name));
        for (position, size_name) in positions.into_iter().chain([(smallest_near, "one-se")]) {
            let point = path
                .points()
                .get(position)
                .filter(|_| path.verdict() != Verdict::Nothing);
            let expected = point.map_or(f64::NAN, |p| p.expected.loss);
            let model = point.map_or_else(
                || path.clone().into_model(Size::Balanced),
                |p| p.model.clone(),
            );
            let p = model.predict_probability(new.table())?;
            let scores = p
                .iter()
                .zip(new.labels())
                .map(|(p, t)| format!("{t}:{p:.6}"));
            let _ = writeln!(
                lines,
                "{},{size_name},{repeat},{fold},{:.6},{:.6},{:.6},{:.6},{},{},{expected:.6},{seconds:.3},{}",
                set.0,
                metrics::accuracy(new.labels(), &p),
                metrics::auc(new.labels(), &p).unwrap_or(f64::NAN),
                metrics::log_loss(new.labels(), &p),
                metrics::balanced_accuracy(new.labels(), &p).unwrap_or(f64::NAN),
                model.feature_count(),
                model.vector_count(),
                scores.collect::<Vec<_>>().join(" ")
            );
        }
        Ok(lines)
    };
    let lines: Result<Vec<String>, rfvm::Error> = jobs.par_iter().map(fit).collect();
    Ok(lines?.concat())
}
