//! The samples that carry given weights: relevance vectors for a point of the signature path.
//!
//! The model writes w_d = v_d (z_:d · a) with v_d >= 0, so the vectors must give every weight its sign. Samples join
//! one at a time, the one most like what of w is still unexplained first, and a is fitted anew (least squares) until
//! every feature's g_d = z_:d · a has the sign of w_d and a tenth of its size. v_d = w_d / g_d then makes the weights
//! exact.

use crate::linalg::{Cholesky, Dense, dot};

/// Share of its weight that the vectors must give a feature before v makes up the rest.
const ENOUGH: f64 = 0.1;

/// Positions of the samples among the rows of `z` (M x D), and their coefficients.
pub(crate) fn carriers(z: &Dense, weights: &[f64]) -> (Vec<usize>, Vec<f64>) {
    let features: Vec<usize> = (0..weights.len()).collect();
    let norms: Vec<f64> = (0..z.rows())
        .map(|m| {
            features
                .iter()
                .map(|&d| z.at(m, d).powi(2))
                .sum::<f64>()
                .sqrt()
        })
        .collect();
    let mut chosen: Vec<usize> = Vec::new();
    let mut coefficients = Vec::new();
    let mut given = vec![0.0; weights.len()];
    let carried = |given: &[f64]| {
        let enough = |(g, w): (&f64, &f64)| g * w >= ENOUGH * w * w;
        given.iter().zip(weights).all(enough)
    };
    while !carried(&given) && chosen.len() < z.rows().min(weights.len()) {
        let rest: Vec<f64> = weights.iter().zip(&given).map(|(w, g)| w - g).collect();
        let along = z.times(&rest);
        let likeness = |&m: &usize| along[m].abs() / norms[m];
        let fresh = (0..z.rows()).filter(|m| norms[*m] > 0.0 && !chosen.contains(m));
        let Some(next) = fresh.max_by(|a, b| likeness(a).total_cmp(&likeness(b)).then(b.cmp(a)))
        else {
            break;
        };
        chosen.push(next);
        let rows = z.select(&chosen, &features);
        let mut gram = rows.product_transposed(&rows);
        // Near-equal samples: enough to keep the system sound.
        let jitter = 1e-9 * gram.diagonal().fold(0.0, f64::max);
        gram.add_diagonal(std::iter::repeat_n(jitter, chosen.len()));
        let Ok(factor) = Cholesky::new(gram) else {
            chosen.pop();
            break;
        };
        coefficients = factor.solve(&rows.times(weights));
        given = rows.transpose_times(&coefficients);
    }
    (chosen, coefficients)
}

/// v with v_d g_d = w_d; 0 where the vectors give a feature nothing.
pub(crate) fn relevances(z: &Dense, a: &[f64], weights: &[f64]) -> Vec<f64> {
    let largest = weights.iter().fold(0.0, |max: f64, w| max.max(w.abs()));
    (0..weights.len())
        .map(|d| match dot(z.col(d), a) {
            g if g.abs() > 1e-9 * largest => weights[d] / g,
            _ => 0.0,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_sample_with_the_right_signs_is_enough() {
        // Three samples by two features; the second is exactly like the weights.
        let z = Dense::from_vec(3, 2, vec![1.0, 2.0, -1.0, 1.0, -1.0, -1.0]);
        let weights = [0.8, -0.4];
        let (chosen, a) = carriers(&z, &weights);
        assert_eq!(chosen, [1]);
        let v = relevances(&z.select(&chosen, &[0, 1]), &a, &weights);
        assert!(v.iter().all(|&v| v > 0.0), "{v:?}");
        assert!((v[0] * a[0] * 2.0 - 0.8).abs() < 1e-12 && (0.4 - v[1] * a[0]).abs() < 1e-12);
    }

    #[test]
    fn samples_join_until_every_weight_has_its_sign() {
        // The likest sample has the wrong sign on the third feature.
        let z = Dense::from_vec(2, 3, vec![2.0, 0.1, 2.0, 0.2, 0.5, -2.0]);
        let (chosen, a) = carriers(&z, &[1.0, 1.0, -1.0]);
        assert_eq!(chosen.len(), 2);
        assert!(
            relevances(&z.select(&chosen, &[0, 1, 2]), &a, &[1.0, 1.0, -1.0])
                .iter()
                .all(|v| *v > 0.0)
        );
    }
}
