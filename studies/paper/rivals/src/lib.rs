//! The rivals of the paper that no library offers, written for the study and for nothing else.
//!
//! Each takes standardised rows and 0/1 labels and gives a [`Linear`] scorer with the features and the samples it kept,
//! counted as the paper counts them.

use faer::MatRef;

pub mod cells;
mod dense;
pub mod job;
mod pfcvm;
mod srvm;
mod xolon;

pub use pfcvm::{PFCVM_ROUNDS, pfcvm};
pub use srvm::srvm;
pub use xolon::{Xolon, xolon};

/// Standardised training rows with their labels.
#[derive(Debug, Clone)]
pub struct Problem {
    /// N x D, row by row.
    pub x: Vec<f64>,
    /// Number of features.
    pub features: usize,
    /// 1 for the positive class, 0 for the other.
    pub t: Vec<f64>,
}

impl Problem {
    /// Number of rows.
    pub fn samples(&self) -> usize {
        self.t.len()
    }

    pub(crate) fn row(&self, n: usize) -> &[f64] {
        &self.x[n * self.features..(n + 1) * self.features]
    }

    /// The rows as a matrix, without a copy.
    pub(crate) fn matrix(&self) -> MatRef<'_, f64> {
        MatRef::from_row_major_slice(&self.x, self.samples(), self.features)
    }

    /// X'a
    pub(crate) fn combine(&self, a: &[f64]) -> Vec<f64> {
        let mut sum = vec![0.0; self.features];
        for (n, &a) in a.iter().enumerate().filter(|(_, a)| **a != 0.0) {
            sum.iter_mut()
                .zip(self.row(n))
                .for_each(|(s, x)| *s += a * x);
        }
        sum
    }

    /// Xw + b
    pub(crate) fn scores(&self, w: &[f64], b: f64) -> Vec<f64> {
        (0..self.samples())
            .map(|n| b + dot(self.row(n), w))
            .collect()
    }
}

/// All three rivals are linear in the end: a score is `bias` + weights · x.
#[derive(Debug, Clone, PartialEq)]
pub struct Linear {
    /// One weight a feature.
    pub weights: Vec<f64>,
    /// The score at the mean of the training rows.
    pub bias: f64,
    /// Positions of the features that are used.
    pub features: Vec<usize>,
    /// Positions of the samples that define the model.
    pub vectors: Vec<usize>,
    /// Whether a deadline ended the fit.
    pub cut_short: bool,
}

impl Linear {
    /// Probability of the positive class for rows of the training scale.
    pub fn probabilities(&self, x: &[f64]) -> Vec<f64> {
        x.chunks_exact(self.weights.len())
            .map(|row| sigmoid(self.bias + dot(row, &self.weights)))
            .collect()
    }
}

pub(crate) fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

pub(crate) fn sigmoid(x: f64) -> f64 {
    if x >= 0.0 {
        1.0 / (1.0 + (-x).exp())
    } else {
        let e = x.exp();
        e / (1.0 + e)
    }
}

/// ln(1 + e^x)
pub(crate) fn log1p_exp(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

/// Positions of the values whose size is at least `share` of the largest: the paper's pruning.
pub(crate) fn kept(values: &[f64], share: f64) -> Vec<usize> {
    let largest = values.iter().fold(0.0, |max: f64, v| max.max(v.abs()));
    (0..values.len())
        .filter(|&i| values[i].abs() >= share * largest && values[i] != 0.0)
        .collect()
}

#[cfg(test)]
pub(crate) fn example(samples: usize, features: usize) -> Problem {
    // A fixed, irregular pattern: the first two features tell the classes apart, with some noise.
    let value = |n: usize, d: usize| ((n * 37 + d * 101 + n * d * 7) % 97) as f64 / 48.0 - 1.0;
    let mut x: Vec<f64> = (0..samples * features)
        .map(|i| value(i / features, i % features))
        .collect();
    let t: Vec<f64> = (0..samples)
        .map(|n| f64::from(u8::from(n % 2 == 0)))
        .collect();
    for n in 0..samples {
        let sign = 2.0 * t[n] - 1.0;
        x[n * features] += 0.9 * sign;
        x[n * features + 1] -= 0.7 * sign;
    }
    Problem { x, features, t }
}
