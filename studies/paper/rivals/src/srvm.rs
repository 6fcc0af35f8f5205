//! SRVM: the relevance vector classifier with a linear kernel, f = K w + b, K = XX'.
//!
//! Tipping and Faul's sequential algorithm: start from b alone and, at every step, add, re-estimate or delete the basis
//! function that raises the marginal likelihood most.

use std::time::Instant;

use faer::Mat;

use crate::dense::solve_and_invert;
use crate::{Linear, Problem, dot, sigmoid};

const BIAS_PRECISION: f64 = 1e-6;
const NEWTON_STEPS: usize = 50;
/// The gain in log marginal likelihood below which no step is worth taking.
const SETTLED: f64 = 1e-6;

/// Posterior mode and covariance of the kept basis functions (b's last) by Newton's method.
struct Mode {
    mean: Vec<f64>,
    covariance: Mat<f64>,
    /// y (1 - y) and t - y at the mode.
    curvature: Vec<f64>,
    residual: Vec<f64>,
}

fn mode(basis: &[Vec<f64>], t: &[f64], precision: &[f64], start: Vec<f64>) -> Option<Mode> {
    let n = t.len();
    let all: Vec<&[f64]> = basis.iter().map(Vec::as_slice).collect();
    let k = all.len();
    let height = |w: &[f64]| -> f64 {
        let f = |i: usize| (0..k).map(|j| all[j][i] * w[j]).sum::<f64>();
        let entropy: f64 = (0..n).map(|i| crate::log1p_exp(f(i)) - t[i] * f(i)).sum();
        entropy + 0.5 * (0..k).map(|j| precision[j] * w[j] * w[j]).sum::<f64>()
    };
    let mut mean = start;
    let mut now = height(&mean);
    let mut left = NEWTON_STEPS;
    loop {
        let y: Vec<f64> = (0..n)
            .map(|i| sigmoid((0..k).map(|j| all[j][i] * mean[j]).sum()))
            .collect();
        let residual: Vec<f64> = t.iter().zip(&y).map(|(t, y)| t - y).collect();
        let curvature: Vec<f64> = y.iter().map(|y| (y * (1.0 - y)).max(1e-12)).collect();
        let slope: Vec<f64> = (0..k)
            .map(|j| dot(all[j], &residual) - precision[j] * mean[j])
            .collect();
        let weighted = Mat::from_fn(n, k, |i, j| all[j][i] * curvature[i].sqrt());
        let mut hessian = weighted.transpose() * &weighted;
        (0..k).for_each(|j| hessian[(j, j)] += precision[j]);
        let (step, covariance) = solve_and_invert(&hessian, &slope)?;
        if dot(&step, &slope) < 1e-9 * (1.0 + now.abs()) || left == 0 {
            return Some(Mode {
                mean,
                covariance,
                curvature,
                residual,
            });
        }
        left -= 1;
        let mut length = 1.0;
        loop {
            let next: Vec<f64> = mean
                .iter()
                .zip(&step)
                .map(|(m, s)| m + length * s)
                .collect();
            let reached = height(&next);
            if reached <= now || length < 1e-8 {
                mean = next;
                now = now.min(reached);
                break;
            }
            length *= 0.5;
        }
    }
}

fn kernel(problem: &Problem) -> Vec<Vec<f64>> {
    (0..problem.samples())
        .map(|m| problem.scores(problem.row(m), 0.0))
        .collect()
}

fn linear(problem: &Problem, vectors: &[usize], mean: &[f64], cut_short: bool) -> Linear {
    let mut a = vec![0.0; problem.samples()];
    vectors.iter().zip(mean).for_each(|(&m, w)| a[m] = *w);
    Linear {
        weights: problem.combine(&a),
        bias: mean.last().copied().unwrap_or_default(),
        features: (0..problem.features).collect(),
        vectors: vectors.to_vec(),
        cut_short,
    }
}

/// Sparsity and quality factors of every candidate with the basis as it is.
fn factors(columns: &[Vec<f64>], basis: &[Vec<f64>], mode: &Mode) -> Vec<(f64, f64)> {
    // S_m = φ'Bφ - φ'BΦ Σ Φ'Bφ and, since t̂ = Φw + B^-1 (t - y), Q_m = φ'(t - y) at the mode.
    let b = |x: &[f64], y: &[f64]| -> f64 {
        x.iter()
            .zip(y)
            .zip(&mode.curvature)
            .map(|((x, y), b)| x * y * b)
            .sum()
    };
    columns
        .iter()
        .map(|column| {
            let cross: Vec<f64> = basis.iter().map(|phi| b(phi, column)).collect();
            let k = cross.len();
            let through: f64 = (0..k)
                .map(|i| {
                    (0..k)
                        .map(|j| cross[i] * mode.covariance[(i, j)] * cross[j])
                        .sum::<f64>()
                })
                .sum();
            (b(column, column) - through, dot(column, &mode.residual))
        })
        .collect()
}

/// Fits; `steps` is the most additions, deletions and re-estimations. Past the deadline it ends with what there is.
pub fn srvm(problem: &Problem, steps: usize, deadline: Option<Instant>) -> Linear {
    let mut cut_short = false;
    // Basis functions of unit length: the sequential rule compares them on one scale.
    let mut columns = kernel(problem);
    let lengths: Vec<f64> = columns
        .iter()
        .map(|c| dot(c, c).sqrt().max(1e-300))
        .collect();
    columns
        .iter_mut()
        .zip(&lengths)
        .for_each(|(c, l)| c.iter_mut().for_each(|v| *v /= l));
    let ones = vec![1.0; problem.samples()];
    let mut alpha: Vec<Option<f64>> = vec![None; columns.len()];
    let mut mean = vec![0.0];
    let mut last: Vec<usize> = Vec::new();
    for _ in 0..steps {
        cut_short = deadline.is_some_and(|end| Instant::now() > end);
        if cut_short {
            break;
        }
        let active: Vec<usize> = (0..columns.len()).filter(|&m| alpha[m].is_some()).collect();
        let basis: Vec<Vec<f64>> = active
            .iter()
            .map(|&m| columns[m].clone())
            .chain([ones.clone()])
            .collect();
        let precision: Vec<f64> = active
            .iter()
            .filter_map(|&m| alpha[m])
            .chain([BIAS_PRECISION])
            .collect();
        let begin: Vec<f64> = active
            .iter()
            .map(|m| last.iter().position(|l| l == m).map_or(0.0, |at| mean[at]))
            .chain([mean.last().copied().unwrap_or_default()])
            .collect();
        let Some(found) = mode(&basis, &problem.t, &precision, begin) else {
            break;
        };
        mean = found.mean.clone();
        last = active;
        let mut best: (f64, usize, Option<f64>) = (0.0, 0, None);
        for (m, (big_s, big_q)) in factors(&columns, &basis, &found).into_iter().enumerate() {
            let (s, q) = match alpha[m] {
                Some(a) => (a * big_s / (a - big_s), a * big_q / (a - big_s)),
                None => (big_s, big_q),
            };
            let theta = q * q - s;
            let fresh = s * s / theta;
            let (gain, to) = match (alpha[m], theta > 0.0) {
                (None, true) => (
                    0.5 * ((big_q * big_q - big_s) / big_s + (big_s / (big_q * big_q)).ln()),
                    Some(fresh),
                ),
                (Some(old), true) => {
                    let delta = 1.0 / fresh - 1.0 / old;
                    (
                        0.5 * (big_q * big_q / (big_s + 1.0 / delta) - (1.0 + big_s * delta).ln()),
                        Some(fresh),
                    )
                }
                (Some(old), false) => (
                    0.5 * (big_q * big_q / (big_s - old) - (1.0 - big_s / old).ln()),
                    None,
                ),
                (None, false) => continue,
            };
            if gain.is_finite() && gain > best.0 {
                best = (gain, m, to);
            }
        }
        if best.0 < SETTLED {
            break;
        }
        alpha[best.1] = best.2;
    }
    let bias = mean.pop().unwrap_or_default();
    let scaled: Vec<f64> = last
        .iter()
        .zip(&mean)
        .map(|(&m, w)| w / lengths[m])
        .chain([bias])
        .collect();
    linear(problem, &last, &scaled, cut_short)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example;

    fn right(model: &Linear, problem: &Problem) -> usize {
        model
            .probabilities(&problem.x)
            .iter()
            .zip(&problem.t)
            .filter(|(p, t)| (**p > 0.5) == (**t > 0.5))
            .count()
    }

    #[test]
    fn few_samples_define_it() {
        let problem = example(40, 6);
        let model = srvm(&problem, 500, None);
        assert!(
            model.vectors.len() < 12 && !model.vectors.is_empty(),
            "{:?}",
            model.vectors
        );
        assert!(right(&model, &problem) > 32);
    }

    #[test]
    fn the_factors_are_those_of_the_direct_formula() {
        // C = B^-1 + Φ A^-1 Φ', S = φ'C^-1 φ, Q = φ'C^-1 t̂ with t̂ = Φw + B^-1 (t - y).
        let problem = example(10, 3);
        let columns = kernel(&problem);
        let basis = vec![columns[2].clone(), vec![1.0; 10]];
        let precision = [0.7, 1e-6];
        let Some(found) = mode(&basis, &problem.t, &precision, vec![0.0; 2]) else {
            panic!("no mode")
        };
        let c = Mat::from_fn(10, 10, |i, j| {
            let diagonal = if i == j {
                1.0 / found.curvature[i]
            } else {
                0.0
            };
            diagonal
                + (0..2)
                    .map(|k| basis[k][i] * basis[k][j] / precision[k])
                    .sum::<f64>()
        });
        let target: Vec<f64> = (0..10)
            .map(|i| {
                (0..2).map(|k| basis[k][i] * found.mean[k]).sum::<f64>()
                    + found.residual[i] / found.curvature[i]
            })
            .collect();
        let found = factors(&columns, &basis, &found);
        assert_eq!(found.len(), columns.len());
        for (column, (s, q)) in columns.iter().zip(found) {
            let Some((through, _)) = solve_and_invert(&c, column) else {
                panic!("not positive")
            };
            assert!(
                (s - dot(column, &through)).abs() < 1e-6 * s.abs().max(1.0),
                "{s}"
            );
            assert!(
                (q - dot(&target, &through)).abs() < 1e-5 * q.abs().max(1.0),
                "{q}"
            );
        }
    }
}
