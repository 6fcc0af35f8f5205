//! What blocks that are weighted apart and panels that are bought whole are worth, on studies whose truth is known.
//!
//!     cargo run --release -p rfvm-studies --bin blocks_and_panels -- [SEEDS] [FIRST]
//!
//! Studies of 100 samples with a block of 40 clinical tests and a block of 5000 omics features. The classes differ by .8
//! standard deviations in three clinical tests (`clinical`), in three omics features (`omics`), or in three of each (`both`); the
//! features of a block run together in tens (correlation .5). Told is the mean log loss on 2000 new samples of the full and of
//! the balanced model, without and with `blocks`; and for `both` what a model costs where omics come in panels of ten at the
//! price of a clinical test each, without and with `panels`.
#![allow(clippy::print_stdout)]

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use rfvm::{
    Dataset, Error, FeatureFacts, FeatureSet, Params, Size, Table, Target, metrics, standard_normal,
};

const CLINICAL: usize = 40;
const OMICS: usize = 5000;
const TOGETHER: usize = 10;
const EFFECT: f64 = 0.8;

fn draw(informative: &[usize], samples: usize, random: &mut ChaCha8Rng) -> Result<Dataset, Error> {
    let labels: Vec<usize> = (0..samples).map(|n| n % 2).collect();
    let normals = |random: &mut ChaCha8Rng| -> Vec<f64> {
        (0..samples).map(|_| standard_normal(random)).collect()
    };
    let mut values = Vec::with_capacity(samples * (CLINICAL + OMICS));
    let mut shared = Vec::new();
    for d in 0..CLINICAL + OMICS {
        if d % TOGETHER == 0 {
            shared = normals(random);
        }
        let shift = if informative.contains(&d) {
            EFFECT
        } else {
            0.0
        };
        let own = normals(random);
        let both = shared
            .iter()
            .zip(own)
            .map(|(s, o)| 0.5_f64.sqrt() * (s + o));
        values.extend(
            both.zip(&labels)
                .map(|(x, &class)| x + shift * (class as f64 - 0.5)),
        );
    }
    let names = vec!["well".to_string(), "ill".to_string()];
    Dataset::new(
        Table::unnamed(values, samples)?,
        Target::Classes { names, labels },
    )
}

fn set(name: String, features: std::ops::Range<usize>) -> FeatureSet {
    FeatureSet {
        name,
        members: features.map(|d| format!("f{}", d + 1)).collect(),
    }
}

/// Log loss, number of features and cost.
fn fitted(size: Size, data: Dataset, new: &Dataset) -> Result<[f64; 3], Error> {
    let mut params = Params::projected(size);
    params.threads = Some(1);
    let model = params.check()?.fit(data)?;
    let loss = metrics::log_loss(new.labels(), &model.predict_probability(new.table())?);
    let cost = model.cost().unwrap_or(f64::NAN);
    Ok([loss, model.feature_count() as f64, cost])
}

fn study(informative: &[usize], seed: u64) -> Result<Vec<[f64; 3]>, Error> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let data = draw(informative, 100, &mut random)?;
    let new = draw(informative, 2000, &mut random)?;
    let blocks = FeatureFacts {
        blocks: vec![set("clinical".to_string(), 0..CLINICAL)],
        ..FeatureFacts::default()
    };
    let panel = |k: usize| {
        let from = CLINICAL + k * TOGETHER;
        set(format!("kit{k}"), from..from + TOGETHER)
    };
    let panels = |cost_prior: f64| FeatureFacts {
        panels: (0..OMICS / TOGETHER).map(panel).collect(),
        cost_prior,
        ..FeatureFacts::default()
    };
    let facts = [
        FeatureFacts::default(),
        blocks,
        panels(0.0),
        panels(1.0),
        panels(4.0),
    ];
    let mut found = Vec::new();
    for facts in facts {
        let data = data.clone().with_facts(facts)?;
        for size in [Size::Full, Size::Balanced] {
            found.push(fitted(size, data.clone(), &new)?);
        }
    }
    Ok(found)
}

fn main() -> Result<(), Error> {
    let given: Vec<u64> = std::env::args()
        .skip(1)
        .filter_map(|text| text.parse().ok())
        .collect();
    let (seeds, first) = (
        given.first().copied().unwrap_or(50),
        given.get(1).copied().unwrap_or(1),
    );
    let both = [0, 10, 20, 40, 50, 60];
    println!("| differ | facts | log loss, full | log loss, balanced | features | cost |");
    println!("|---|---|---|---|---|---|");
    for (name, informative) in [
        ("clinical", &both[..3]),
        ("omics", &both[3..]),
        ("both", &both),
    ] {
        let studies: Result<Vec<_>, Error> = (first..first + seeds)
            .into_par_iter()
            .map(|seed| study(informative, seed))
            .collect();
        let studies = studies?;
        let mean = |at: usize, which: usize| {
            studies.iter().map(|found| found[at][which]).sum::<f64>() / seeds as f64
        };
        let what = [
            "none",
            "blocks",
            "panels, strength 0",
            "panels, strength 1",
            "panels, strength 4",
        ];
        for (at, what) in what.iter().enumerate() {
            println!(
                "| {name} | {what} | {:.4} | {:.4} | {:.1} | {:.1} |",
                mean(2 * at, 0),
                mean(2 * at + 1, 0),
                mean(2 * at + 1, 1),
                mean(2 * at + 1, 2)
            );
        }
    }
    Ok(())
}
