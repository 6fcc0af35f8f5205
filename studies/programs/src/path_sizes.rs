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
use rfvm::{Dataset, Missing, Names, Params, Size, Table, Target, metrics};
use rfvm_io::{FeatureChoice, ReadOptions, TargetChoice, load_dataset, read};

const HEADER: &str = "set,size,repeat,fold,accuracy,auc,log_loss,balanced_accuracy,features,vectors,expected,share,detection,seconds,scores";
const REPEATS: usize = 10;
const FOLDS: usize = 5;
const SIZES: [Size; 4] = [Size::Compact, Size::Balanced, Size::Accurate, Size::Full];

/// Name, files under `data`, target column, positive class; `!` before it: all but this class.
const SETS: [(&str, &[&str], &str, &str); 23] = [
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
    ("pomeroy_cns", &["pomeroy_cns.npz"], "y", "1"),
    ("vantveer_breast", &["vantveer_breast.npz"], "y", "1"),
    ("shipp_dlbcl", &["shipp_dlbcl.npz"], "y", "1"),
    ("mb_turnbaugh_obese", &["mb_turnbaugh_obese.npz"], "y", "1"),
    ("gsb_marfan", &["gsb_marfan.npz"], "y", "1"),
    ("lung_michigan_sex", &["lung_michigan_sex.npz"], "y", "1"),
    (
        "ra_methylation_toast",
        &["ra_methylation_toast.npz"],
        "y",
        "1",
    ),
    (
        "ovarian_gse8842_serous",
        &["ovarian_gse8842_serous.npz"],
        "y",
        "1",
    ),
    ("diaplasma_t1_t2", &["diaplasma_t1_t2.npz"], "y", "1"),
    ("msd16s_bangladesh", &["msd16s_bangladesh.npz"], "y", "1"),
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

fn load(
    shared: &Path,
    &(name, files, column, positive): &(&str, &[&str], &str, &str),
) -> Result<Dataset, Box<dyn Error>> {
    let files: Vec<PathBuf> = files
        .iter()
        .map(|file| shared.join("data").join(file))
        .collect();
    if name == "gsb_marfan" {
        return numbered(&files[0]);
    }
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
        group: (name.starts_with("jacobs") || name.starts_with("mb_turnbaugh"))
            .then(|| "groups".to_string()),
        ..TargetChoice::default()
    };
    let options = ReadOptions {
        max_features: (name == "dorothea").then_some(8000),
        ..ReadOptions::default()
    };
    let features = FeatureChoice::default();
    Ok(load_dataset(&files, &options, &target, &features)?.data)
}

/// A set whose names of features come twice, which no table takes: they are numbered instead.
fn numbered(file: &Path) -> Result<Dataset, Box<dyn Error>> {
    let source = read(file, &ReadOptions::default())?;
    let class = source.annotations.iter().find(|column| column.name == "y");
    let labels = class.ok_or("no column y")?.values.iter();
    let target = Target::Classes {
        names: vec!["0".into(), "1".into()],
        labels: labels.map(|y| usize::from(y == "1")).collect(),
    };
    let (samples, features) = (source.matrix.samples, source.matrix.features);
    let names = (
        Names::numbered('f', features),
        Names::numbered('s', samples),
    );
    let table = Table::with_missing(source.matrix.values, names.0, names.1.to_vec())?;
    Ok(Dataset::new(table, target)?)
}

fn run(
    shared: &Path,
    set: &(&str, &[&str], &str, &str),
    repeat: usize,
    is_wanted: impl Fn(&Size) -> bool + Sync,
) -> Result<String, Box<dyn Error>> {
    let data = load(shared, set)?;
    let text = fs::read_to_string(shared.join(format!("folds/{}.csv", set.0)))?;
    let fold_of: Vec<Vec<&str>> = text
        .lines()
        .skip(1)
        .map(|line| line.split(',').collect())
        .collect();
    let fit = |fold: usize| -> Result<String, rfvm::Error> {
        let here = |n: &usize| fold_of[*n][repeat].trim() == fold.to_string();
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
