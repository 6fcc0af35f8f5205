use super::*;
use crate::evaluate::metrics;
use crate::numerics::random::standard_normal;
use proptest::prelude::*;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// All rows in one block.
fn whole(score: &[f64]) -> Vec<ScoreBlock> {
    let block = ScoreBlock {
        rows: (0..score.len()).collect(),
        score: score.to_vec(),
        weight: 1.0,
    };
    vec![block]
}

/// Every pair of a positive and a negative, written out: the AUC of each score, the variance of their difference after
/// DeLong, and the squares of single pairs.
fn literal(labels: &[usize], scores: [&[f64]; 2]) -> ([f64; 2], f64, f64) {
    let of = |class: usize| Vec::from_iter((0..labels.len()).filter(|&n| labels[n] == class));
    let (positive, negative) = (of(1), of(0));
    let (m, n) = (positive.len() as f64, negative.len() as f64);
    let one = |s: usize, x: usize, y: usize| match scores[s][x].total_cmp(&scores[s][y]) {
        std::cmp::Ordering::Greater => 1.0,
        std::cmp::Ordering::Equal => 0.5,
        std::cmp::Ordering::Less => 0.0,
    };
    let psi = |x: usize, y: usize| one(0, x, y) - one(1, x, y);
    let mean = |of: &dyn Fn(usize, usize) -> f64| {
        let pairs = positive
            .iter()
            .flat_map(|&x| negative.iter().map(move |&y| (x, y)));
        pairs.map(|(x, y)| of(x, y)).sum::<f64>() / (m * n)
    };
    let value = mean(&psi);
    let v10 = positive
        .iter()
        .map(|&x| negative.iter().map(|&y| psi(x, y)).sum::<f64>() / n);
    let v01 = negative
        .iter()
        .map(|&y| positive.iter().map(|&x| psi(x, y)).sum::<f64>() / m);
    let s10: f64 = v10.map(|v| (v - value).powi(2)).sum();
    let s01: f64 = v01.map(|v| (v - value).powi(2)).sum();
    let pairs = mean(&|x, y| (psi(x, y) - value).powi(2)) / (m * n);
    let areas = [mean(&|x, y| one(0, x, y)), mean(&|x, y| one(1, x, y))];
    (areas, s10 / (m - 1.0) / m + s01 / (n - 1.0) / n, pairs)
}

proptest! {
    #[test]
    fn mid_ranks_give_what_every_pair_written_out_gives(
        // Few levels, so that there are ties.
        rows in prop::collection::vec((0..2usize, 0..9i32, 0..9i32), 4..40),
    ) {
        let labels: Vec<usize> = rows.iter().map(|row| row.0).collect();
        let positive = labels.iter().sum::<usize>();
        prop_assume!(positive >= 2 && labels.len() - positive >= 2);
        let first: Vec<f64> = rows.iter().map(|row| f64::from(row.1)).collect();
        let second: Vec<f64> = rows.iter().map(|row| f64::from(row.1 + row.2)).collect();
        let none = vec![0.0; labels.len()];
        let one = auc(&labels, None, &whole(&first)).unwrap();
        prop_assert!((one.value - metrics::auc(&labels, &first).unwrap()).abs() < 1e-12);
        let (_, delong, pairs) = literal(&labels, [&first, &none]);
        prop_assert!((one.variance - (delong - pairs).max(0.25 * delong)).abs() < 1e-12);
        let both = difference(&labels, None, &whole(&first), &whole(&second)).unwrap();
        let (areas, delong, _) = literal(&labels, [&first, &second]);
        prop_assert!((both.value - (areas[0] - areas[1])).abs() < 1e-12);
        prop_assert!((both.variance - delong).abs() < 1e-12);
    }

    #[test]
    fn groups_of_one_are_none_and_copies_tell_nothing_new(
        rows in prop::collection::vec((0..2usize, 0..99i32), 6..30),
    ) {
        let labels: Vec<usize> = rows.iter().map(|row| row.0).collect();
        let positive = labels.iter().sum::<usize>();
        prop_assume!(positive >= 3 && labels.len() - positive >= 3);
        let score: Vec<f64> = rows.iter().map(|row| f64::from(row.1)).collect();
        let plain = auc(&labels, None, &whole(&score)).unwrap();
        let alone: Vec<usize> = (0..labels.len()).rev().collect();
        prop_assert_eq!(auc(&labels, Some(&alone), &whole(&score)).unwrap().value, plain.value);
        // Every row three times, in groups: the same AUC, and no smaller variance.
        let thrice = |n: usize| n / 3;
        let copies: Vec<usize> = (0..3 * labels.len()).map(thrice).collect();
        let many_labels: Vec<usize> = copies.iter().map(|&n| labels[n]).collect();
        let many: Vec<f64> = copies.iter().map(|&n| score[n]).collect();
        let grouped = auc(&many_labels, Some(&copies), &whole(&many)).unwrap();
        prop_assert!((grouped.value - plain.value).abs() < 1e-12);
        prop_assert!((grouped.variance - plain.variance).abs() < 1e-12);
    }
}

#[test]
fn an_example_by_hand() {
    // Positives 3, 4, 2 and negatives 1, 2. Placements 1, 1, 3/4 of the positives, 1 and 5/6 of the negatives: the AUC is
    // 11/12, and each class's placements have the variance 1/144 of their mean. Five pairs are 1/12 off and one is 5/12.
    let found = auc(&[1, 1, 1, 0, 0], None, &whole(&[3.0, 4.0, 2.0, 1.0, 2.0])).unwrap();
    assert!((found.value - 11.0 / 12.0).abs() < 1e-15);
    let pairs = (5.0 + 25.0) / 144.0 / 36.0;
    assert!((found.variance - (1.0 / 72.0 - pairs)).abs() < 1e-15);
    assert!((found.se() - found.variance.sqrt()).abs() < 1e-15);
}

#[test]
fn equal_scores_do_not_differ_and_one_sample_of_a_class_is_too_few() {
    let labels = [1, 0, 1, 0, 1];
    let score = [0.9, 0.4, 0.3, 0.2, 0.8];
    let same = difference(&labels, None, &whole(&score), &whole(&score)).unwrap();
    assert_eq!(
        (same.value, same.variance, same.p_value()),
        (0.0, 0.0, None)
    );
    let few = whole(&score[..3]);
    assert_eq!(auc(&[1, 0, 0], None, &few), None);
    assert_eq!(difference(&[1, 0, 0], None, &few, &few), None);
    assert_eq!(auc(&[1, 1, 1, 0, 0], None, &few), None);
    assert_eq!(auc(&labels, None, &[]), None);
}

#[test]
fn perfect_order_is_not_certain_and_less_so_in_groups() {
    let labels: Vec<usize> = (0..60).map(|n| n / 30).collect();
    let score: Vec<f64> = (0..60).map(f64::from).collect();
    let (low, high) = auc(&labels, None, &whole(&score)).unwrap().interval();
    assert!(high == 1.0 && low > 0.9 && low < 0.96, "{low} {high}");
    let reversed: Vec<f64> = score.iter().map(|score| -score).collect();
    let (below, above) = auc(&labels, None, &whole(&reversed)).unwrap().interval();
    assert!(below == 0.0 && (above - (1.0 - low)).abs() < 1e-9);
    let groups: Vec<usize> = (0..60).map(|n| n / 3).collect();
    let (grouped, _) = auc(&labels, Some(&groups), &whole(&score))
        .unwrap()
        .interval();
    assert!(grouped < low - 0.02, "{grouped} {low}");
}

/// The coarse version of `studies/programs/src/interval_coverage.rs`.
#[test]
fn intervals_hold_the_true_auc_about_95_times_in_100() {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    for (grouped, gap, area) in [
        (false, 0.358_287, 0.6),
        (false, 2.326_174, 0.95),
        (true, 0.358_287, 0.6),
        (true, 2.326_174, 0.95),
    ] {
        let labels: Vec<usize> = (0..48).map(|n| n / 24).collect();
        let groups: Vec<usize> = (0..48).map(|n| n / 3).collect();
        let held = (0..400).filter(|_| {
            let effects: Vec<f64> = (0..16).map(|_| standard_normal(&mut random)).collect();
            let score: Vec<f64> = (0..48)
                .map(|n| {
                    let own = standard_normal(&mut random);
                    let noise = match grouped {
                        true => (effects[n / 3] + own) / f64::sqrt(2.0),
                        false => own,
                    };
                    gap * labels[n] as f64 + noise
                })
                .collect();
            // Four folds of twelve, whole groups each, twice.
            let fold = |repeat: usize, fold: usize| {
                let dealt = |n: &usize| match repeat {
                    0 => n / 3 % 4 == fold,
                    _ => (n / 3 + n / 12) % 4 == fold,
                };
                let rows: Vec<usize> = (0..48).filter(dealt).collect();
                ScoreBlock {
                    score: rows.iter().map(|&n| score[n]).collect(),
                    rows,
                    weight: 1.0,
                }
            };
            let blocks: Vec<ScoreBlock> = (0..8).map(|n| fold(n / 4, n % 4)).collect();
            let groups = grouped.then_some(groups.as_slice());
            let (low, high) = auc(&labels, groups, &blocks).unwrap().interval();
            low <= area && area <= high
        });
        let held = held.count();
        assert!(
            (368..=396).contains(&held),
            "{grouped} {area}: {held} of 400"
        );
    }
}

#[test]
fn rows_without_a_score_are_no_evidence() {
    let score = |n: usize| (n * 37 % 20) as f64 + if n % 2 == 1 { 4.0 } else { 0.0 };
    let block = |rows: Vec<usize>| ScoreBlock {
        score: rows.iter().map(|&n| score(n)).collect(),
        rows,
        weight: 1.0,
    };
    let labels: Vec<usize> = (0..20).map(|n| n % 2).collect();
    let many: Vec<usize> = (0..200).map(|n| n % 2).collect();
    let alone = auc(&labels, None, &[block((0..20).collect())]).unwrap();
    let among = auc(&many, None, &[block((0..20).collect())]).unwrap();
    assert_eq!(alone, among);
    assert_eq!(among.counts, (10, 10));
    let groups: Vec<usize> = (0..200).map(|n| n / 2).collect();
    let grouped = auc(&many, Some(&groups), &[block((0..20).collect())]).unwrap();
    let own = auc(&labels, Some(&groups[..20]), &[block((0..20).collect())]).unwrap();
    assert_eq!(grouped, own);
}
