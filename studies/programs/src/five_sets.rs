//! Accuracy and compactness on the paper's five sets: the default method in two sizes, and signatures against the figures
//! of a prototype.
//!
//!     cargo run --release -p rfvm-studies --bin five_sets
//!
//! Fixed folds, repeats 0 and 1, everything (standardising, selecting) inside the training part of a fold. The data
//! lie beside the project in `../shared`; without them the program says so and stops.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::ops::ControlFlow;
use std::path::Path;

use rfvm::{Dataset, Estimate, Folds, Params, Signatures, Size, Table, Target};

/// Name, label rule, and the prototype's figures for one signature and for five: accuracy, AUC, log loss, features,
/// vectors.
type Set = (&'static str, fn(f64) -> bool, [[f64; 5]; 2]);

const SETS: [Set; 5] = [
    (
        "colon",
        |y| y == 1.0,
        [
            [0.833, 0.858, 0.48, 2.0, 1.0],
            [0.857, 0.884, 0.42, 10.3, 4.4],
        ],
    ),
    (
        "leukemia",
        |y| y == 1.0,
        [
            [0.930, 0.959, 0.25, 1.3, 1.0],
            [0.943, 0.991, 0.17, 9.6, 4.9],
        ],
    ),
    (
        "lymphoma",
        |y| y != 1.0,
        [
            [0.890, 0.932, 0.32, 1.9, 1.0],
            [0.906, 0.953, 0.28, 10.3, 5.9],
        ],
    ),
    (
        "Prostate-GE",
        |y| y == 2.0,
        [
            [0.912, 0.952, 0.26, 1.6, 1.2],
            [0.931, 0.973, 0.23, 11.2, 5.4],
        ],
    ),
    (
        "ALLAML",
        |y| y == 2.0,
        [
            [0.902, 0.954, 0.38, 1.1, 1.1],
            [0.916, 0.984, 0.24, 8.6, 5.1],
        ],
    ),
];
const REPEATS: usize = 2;

/// Accuracy, AUC, log loss, features, vectors, seconds.
type Row = [f64; 6];

fn main() -> Result<(), Box<dyn Error>> {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    if !shared.join("data").is_dir() {
        println!("SKIPPED: the data sets are not there (../shared/data)");
        return Ok(());
    }
    let signatures = |count| {
        Params::from(Signatures {
            count,
            ..Signatures::default()
        })
    };
    // The last is the position of the prototype's figures, where there are any.
    let methods = [
        ("balanced, the default", Params::default(), None),
        ("the full model", Params::projected(Size::Full), None),
        ("one signature", signatures(1), Some(0)),
        ("committee of five", signatures(5), Some(1)),
    ];
    for (title, params, compared) in methods {
        println!("{title}, repeats 0-{}, one thread a fit", REPEATS - 1);
        println!(
            "{:12} {:>8} {:>7} {:>8} {:>8} {:>7} {:>8}{}",
            "",
            "accuracy",
            "AUC",
            "log loss",
            "features",
            "vectors",
            "seconds",
            compared.map_or("", |_| "   (prototype)")
        );
        let mut rows: Vec<(Row, Option<[f64; 5]>)> = Vec::new();
        for (name, rule, prototype) in SETS {
            let before = compared.map(|at: usize| prototype[at]);
            let row = cross_validate(&shared, name, rule, &params)?;
            print_row(name, &row, before.as_ref());
            rows.push((row, before));
        }
        let count = rows.len() as f64;
        let mean = |at: usize| rows.iter().map(|(row, _)| row[at]).sum::<f64>() / count;
        let before = compared.map(|_| {
            let sum = |at: usize| {
                rows.iter()
                    .filter_map(|(_, b)| Some(b.as_ref()?[at]))
                    .sum::<f64>()
            };
            std::array::from_fn(|at| sum(at) / count)
        });
        print_row("mean", &std::array::from_fn(mean), before.as_ref());
        println!();
    }
    Ok(())
}

fn print_row(name: &str, row: &Row, before: Option<&[f64; 5]>) {
    let [accuracy, auc, loss, features, vectors, seconds] = row;
    print!(
        "{name:12} {accuracy:8.4} {auc:7.4} {loss:8.3} {features:8.2} {vectors:7.2} {seconds:8.3}"
    );
    match before {
        Some(b) => println!(
            "   ({:.4} / {:.4} / {:.2} / {:.2} / {:.2})",
            b[0], b[1], b[2], b[3], b[4]
        ),
        None => println!(),
    }
}

fn cross_validate(
    shared: &Path,
    name: &str,
    rule: fn(f64) -> bool,
    params: &Params,
) -> Result<Row, Box<dyn Error>> {
    let mut file = rfvm_io::read_mat_file(shared.join(format!("data/{name}.mat")))?;
    let x = file.take("X")?.into_matrix();
    let labels: Vec<usize> = file
        .take("Y")?
        .values
        .into_iter()
        .map(|y| usize::from(rule(y)))
        .collect();
    let names = vec!["negative".to_string(), "positive".to_string()];
    let data = Dataset::new(
        Table::unnamed(x.values, x.samples)?,
        Target::Classes { names, labels },
    )?;
    let folds = Folds::given(
        read_folds(&shared.join(format!("folds/{name}.csv")))?,
        x.samples,
    )?;
    let go_on = |_, _| ControlFlow::Continue(());
    let result = params
        .clone()
        .check()?
        .evaluate(&data, &folds, go_on)?
        .ok_or("stopped")?;
    let mean = |estimate: Option<Estimate>| estimate.map_or(f64::NAN, |estimate| estimate.mean);
    Ok([
        mean(result.accuracy),
        mean(result.auc),
        mean(result.log_loss),
        result.features.mean,
        result.vectors.mean,
        result.fit_seconds.mean,
    ])
}

/// The first repeats of a fold file: one column a repeat, one line a sample.
fn read_folds(path: &Path) -> Result<Vec<Vec<usize>>, Box<dyn Error>> {
    let text = std::fs::read_to_string(path)?;
    let mut repeats = vec![Vec::new(); REPEATS];
    for line in text.lines().skip(1) {
        for (repeat, fold) in repeats.iter_mut().zip(line.split(',')) {
            repeat.push(fold.trim().parse()?);
        }
    }
    Ok(repeats)
}
