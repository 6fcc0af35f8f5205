#![allow(clippy::unwrap_used)]

use super::*;
use crate::data::scale::{Scaling, Standardizer};
use crate::numerics::random::standard_normal;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// 60 rows: `copies` features that run with the first one (correlation .9 or so), then noise.
fn table(copies: usize, noise: usize) -> Vec<f64> {
    let mut random = ChaCha8Rng::seed_from_u64(3);
    let base: Vec<f64> = (0..60).map(|_| standard_normal(&mut random)).collect();
    let mut values = base.clone();
    for _ in 0..copies {
        values.extend(base.iter().map(|x| x + 0.3 * standard_normal(&mut random)));
    }
    values.extend((0..60 * noise).map(|_| standard_normal(&mut random)));
    values
}

/// The first feature with gaps in every fifth row, filled; the truth and what was put there, in the table's units.
fn filled(values: &[f64]) -> (Vec<f64>, Vec<f64>, Scales, Vec<f64>) {
    let gaps: Vec<usize> = (0..60).step_by(5).collect();
    let truth: Vec<f64> = gaps.iter().map(|&n| values[n]).collect();
    let mut lacking = values.to_vec();
    gaps.iter().for_each(|&n| lacking[n] = f64::NAN);
    let names: Vec<String> = (0..values.len() / 60).map(|d| format!("g{d}")).collect();
    let rows: Vec<String> = (0..60).map(|n| format!("s{n}")).collect();
    let mut table = Table::with_missing(lacking, names, rows).unwrap();
    let found = gaps_of(&table);
    assert_eq!((found.len(), found[0].rows.clone()), (1, gaps.clone()));
    table.fill_missing();
    let standardizer = Standardizer::fit(&table, Scaling::Plain).unwrap();
    let (mut values, _, _) = table.into_parts();
    standardizer.apply_in_place(1, &mut values, 60);
    let mut scales = standardizer.into_scales();
    fill(&mut values, 60, &found, &mut scales, 1);
    let put = gaps
        .iter()
        .map(|&n| scales.get(0).invert(values[n]))
        .collect();
    (truth, put, scales, values)
}

fn error(truth: &[f64], put: &[f64]) -> f64 {
    let squares = truth.iter().zip(put).map(|(t, p)| (t - p).powi(2));
    (squares.sum::<f64>() / truth.len() as f64).sqrt()
}

#[test]
fn a_feature_that_others_run_with_is_known_from_them() {
    let (truth, put, scales, values) = filled(&table(3, 100));
    assert!(error(&truth, &put) < 0.35, "{}", error(&truth, &put));
    // A known value is what it was, in the table's units.
    let was = table(3, 100)[1];
    assert!((scales.get(0).invert(values[1]) - was).abs() < 1e-12);
}

#[test]
fn what_nothing_tells_gets_nearly_its_mean_and_weighs_less() {
    let (_, put, scales, values) = filled(&table(0, 2000));
    let (_, told, _, sure) = filled(&table(3, 2000));
    let spread = |put: &[f64]| {
        let mean = put.iter().sum::<f64>() / put.len() as f64;
        (put.iter().map(|p| (p - mean).powi(2)).sum::<f64>() / put.len() as f64).sqrt()
    };
    // Of 2,000 features of noise the nearest ten would promise a correlation of a half.
    assert!(
        spread(&put) < 0.3 && spread(&told) > 0.6,
        "{} {}",
        spread(&put),
        spread(&told)
    );
    let squares = |values: &[f64]| values[..60].iter().map(|x| x * x).sum::<f64>() / 60.0;
    assert!(squares(&values) < 0.9, "{}", squares(&values));
    assert!(squares(&sure) > 0.95, "{}", squares(&sure));
    assert!(scales.get(0).sd > 0.0);
}

#[test]
fn threads_change_nothing() {
    let values = table(2, 500);
    let gapped = |threads: usize| {
        let mut values = values.clone();
        let gaps: Vec<FeatureGaps> = (0..80)
            .map(|feature| FeatureGaps {
                feature,
                rows: vec![feature % 60],
            })
            .collect();
        let names: Vec<String> = (0..values.len() / 60).map(|d| format!("g{d}")).collect();
        let rows: Vec<String> = (0..60).map(|n| format!("s{n}")).collect();
        let table = Table::new(values.clone(), names, rows).unwrap();
        let mut scales = Standardizer::fit(&table, Scaling::Plain)
            .unwrap()
            .into_scales();
        fill(&mut values, 60, &gaps, &mut scales, threads);
        (values, scales)
    };
    assert_eq!(gapped(1), gapped(3));
}
