//! PFCVM: f_i = Σ_n y_n w_n k_θ(x_i, x_n) + b with k_θ = Σ_k θ_k x_k x'_k / √D and w, θ >= 0.
//!
//! Newton for w and b, then for θ, each with a Laplace covariance from which its precisions are made anew. The step for θ
//! never forms a D x D matrix: with P = diag(β + o) and R = C^(1/2) Ψ,
//!
//! ```text
//! LL' = I + R P^-1 R',   V = L^-1 R P^-1,   diag S = 1/P - colsum(V²),   step = g/P - V'(V g)
//! ```

use std::time::Instant;

use faer::{ColRef, Mat};

use crate::dense::{forward_solve, solve_and_invert};
use crate::{Linear, Problem, kept, sigmoid};

/// Most rounds of Newton for w, then θ.
pub const PFCVM_ROUNDS: usize = 50;
const NEWTON_STEPS: usize = 25;
const TOLERANCE: f64 = 1e-3;
const MAX_PRECISION: f64 = 1e9;
const BIAS_PRECISION: f64 = 1e-6;
/// The cut at zero is smoothed by sigmoid(STEEP u).
const STEEP: f64 = 5.0;

/// Slope and (minus) curvature of ln sigmoid(5 u).
fn cut(u: f64) -> (f64, f64) {
    let p = sigmoid(STEEP * u);
    (STEEP * (1.0 - p), STEEP * STEEP * p * (1.0 - p))
}

/// (R'R + P)^-1 g and the diagonal of (R'R + P)^-1.
fn direct(r: &Mat<f64>, p: &[f64], g: &[f64]) -> Option<(Vec<f64>, Vec<f64>)> {
    let mut hessian = r.transpose() * r;
    (0..p.len()).for_each(|j| hessian[(j, j)] += p[j]);
    let (step, inverse) = solve_and_invert(&hessian, g)?;
    Some((step, (0..p.len()).map(|j| inverse[(j, j)]).collect()))
}

/// The same without a D x D matrix.
fn woodbury(r: &Mat<f64>, p: &[f64], g: &[f64]) -> Option<(Vec<f64>, Vec<f64>)> {
    let (n, d) = (r.nrows(), r.ncols());
    let scaled = Mat::from_fn(n, d, |i, j| r[(i, j)] / p[j]);
    let mut inner = &scaled * r.transpose();
    for i in 0..n {
        inner[(i, i)] += 1.0;
    }
    let v = forward_solve(&inner, &scaled)?;
    let through = &v * ColRef::from_slice(g);
    let back = v.transpose() * &through;
    let squares = |j: usize| v.col(j).iter().map(|v| v * v).sum::<f64>();
    let step = (0..d).map(|j| g[j] / p[j] - back[j]);
    let diagonal = (0..d).map(|j| 1.0 / p[j] - squares(j));
    Some((step.collect(), diagonal.collect()))
}

/// Fits until the precisions of w settle, pruning what the paper prunes; after so many rounds, or past the deadline, it
/// ends with what there is.
pub fn pfcvm(problem: &Problem, rounds: usize, deadline: Option<Instant>) -> Linear {
    let (n, d) = (problem.samples(), problem.features);
    let root = (d as f64).sqrt();
    let y: Vec<f64> = problem.t.iter().map(|t| 2.0 * t - 1.0).collect();
    let (mut samples, mut features): (Vec<usize>, Vec<usize>) =
        ((0..n).collect(), (0..d).collect());
    let (mut w, mut theta, mut b) = (vec![1.0 / n as f64; n], vec![1.0; d], 0.0);
    let (mut alpha, mut beta) = (vec![1.0; n], vec![1.0; d]);
    let x = problem.matrix();
    let mut cut_short = false;
    for _ in 0..rounds {
        if deadline.is_some_and(|end| Instant::now() > end) {
            cut_short = true;
            break;
        }
        let before = alpha.clone();
        // Columns y_n k_θ(x_i, x_n) of the kept samples, and b's.
        let rows = Mat::from_fn(n, features.len(), |i, j| x[(i, features[j])]);
        let weighted = Mat::from_fn(features.len(), samples.len(), |j, m| {
            theta[j] * y[samples[m]] * x[(samples[m], features[j])] / root
        });
        let kernel = &rows * &weighted;
        let design = Mat::from_fn(n, samples.len() + 1, |i, j| {
            if j < samples.len() {
                kernel[(i, j)]
            } else {
                1.0
            }
        });
        let mut all: Vec<f64> = w.iter().copied().chain([b]).collect();
        let precision: Vec<f64> = alpha.iter().copied().chain([BIAS_PRECISION]).collect();
        let cut_off = samples.len();
        let Some(spread) = newton(&design, &problem.t, 0.0, &precision, cut_off, &mut all) else {
            break;
        };
        b = all.pop().unwrap_or_default();
        w = all;
        renew(&mut alpha, &w, &spread);
        prune(&mut samples, &mut w, &mut alpha, 1e-3);
        // Columns x_ik Σ_n y_n w_n x_nk / √D of the kept features.
        let mut a = vec![0.0; n];
        samples.iter().zip(&w).for_each(|(&m, w)| a[m] = y[m] * w);
        let g = problem.combine(&a);
        let design = Mat::from_fn(n, features.len(), |i, j| {
            rows[(i, j)] * g[features[j]] / root
        });
        let Some(spread) = newton(&design, &problem.t, b, &beta, features.len(), &mut theta) else {
            break;
        };
        renew(&mut beta, &theta, &spread);
        prune(&mut features, &mut theta, &mut beta, 1e-2);
        let settled = alpha.len() == before.len()
            && alpha
                .iter()
                .zip(&before)
                .all(|(now, then)| (now.ln() - then.ln()).abs() < TOLERANCE);
        if settled || samples.is_empty() || features.is_empty() {
            break;
        }
    }
    let mut a = vec![0.0; n];
    samples.iter().zip(&w).for_each(|(&m, w)| a[m] = y[m] * w);
    let g = problem.combine(&a);
    let mut weights = vec![0.0; d];
    features
        .iter()
        .zip(&theta)
        .for_each(|(&k, t)| weights[k] = t * g[k] / root);
    Linear {
        weights,
        bias: b,
        features,
        vectors: samples,
        cut_short,
    }
}

/// γ = 1 - p S_ii, then p = γ / u².
fn renew(precision: &mut [f64], u: &[f64], spread: &[f64]) {
    for ((p, u), s) in precision.iter_mut().zip(u).zip(spread) {
        let gamma = (1.0 - *p * s).clamp(1e-12, 1.0);
        *p = (gamma / (u * u).max(1e-300)).min(MAX_PRECISION);
    }
}

fn prune(positions: &mut Vec<usize>, u: &mut Vec<f64>, precision: &mut Vec<f64>, share: f64) {
    let keep = kept(u, share);
    *positions = keep.iter().map(|&i| positions[i]).collect();
    *precision = keep.iter().map(|&i| precision[i]).collect();
    *u = keep.iter().map(|&i| u[i]).collect();
}

/// Newton for the coefficients `u` of the design beside a fixed `offset`; the first `cut_off` of them are cut at zero.
/// Gives the diagonal of the Laplace covariance, `None` on a breakdown.
fn newton(
    design: &Mat<f64>,
    t: &[f64],
    offset: f64,
    precision: &[f64],
    cut_off: usize,
    u: &mut [f64],
) -> Option<Vec<f64>> {
    let (n, k) = (design.nrows(), design.ncols());
    let mut diagonal = Vec::new();
    for _ in 0..NEWTON_STEPS {
        let f = design * ColRef::from_slice(u);
        let p: Vec<f64> = f.iter().map(|f| sigmoid(offset + f)).collect();
        let residual: Vec<f64> = t.iter().zip(&p).map(|(t, p)| t - p).collect();
        let pull = design.transpose() * ColRef::from_slice(&residual);
        let root: Vec<f64> = p.iter().map(|p| (p * (1.0 - p)).sqrt()).collect();
        let (mut slope, mut prior) = (Vec::with_capacity(k), Vec::with_capacity(k));
        for j in 0..k {
            let (lift, curvature) = if j < cut_off { cut(u[j]) } else { (0.0, 0.0) };
            slope.push(pull[j] - precision[j] * u[j] + lift);
            prior.push(precision[j] + curvature);
        }
        let r = Mat::from_fn(n, k, |i, j| design[(i, j)] * root[i]);
        // Whichever of the two systems is the smaller; with few columns the direct one is also the more exact.
        let (step, spread) = if k > 2 * n {
            woodbury(&r, &prior, &slope)?
        } else {
            direct(&r, &prior, &slope)?
        };
        diagonal = spread;
        let largest = step.iter().fold(0.0, |m: f64, s| m.max(s.abs()));
        let length = (1.0 / largest).min(1.0);
        u.iter_mut().zip(&step).for_each(|(u, s)| *u += length * s);
        if largest < 1e-6 {
            break;
        }
    }
    Some(diagonal)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::example;

    #[test]
    fn woodbury_is_the_direct_formula() {
        let r = Mat::from_fn(4, 7, |i, j| {
            ((i * 5 + j * 3 + i * j) % 11) as f64 / 5.0 - 1.0
        });
        let p: Vec<f64> = (0..7).map(|j| 0.3 + 0.2 * f64::from(j)).collect();
        let g: Vec<f64> = (0..7).map(|j| 1.0 - 0.4 * f64::from(j)).collect();
        let (step, diagonal) = woodbury(&r, &p, &g).unwrap();
        let mut full = r.transpose() * &r;
        (0..7).for_each(|j| full[(j, j)] += p[j]);
        let (direct, inverse) = solve_and_invert(&full, &g).unwrap();
        for j in 0..7 {
            assert!((step[j] - direct[j]).abs() < 1e-12, "{step:?} {direct:?}");
            assert!((diagonal[j] - inverse[(j, j)]).abs() < 1e-12);
        }
    }

    #[test]
    fn the_cut_has_the_slope_and_curvature_it_claims() {
        let height = |u: f64| -crate::log1p_exp(-STEEP * u);
        for u in [-0.7, -0.05, 0.0, 0.3, 1.1] {
            let (slope, curvature) = cut(u);
            assert!((slope - (height(u + 1e-6) - height(u - 1e-6)) / 2e-6).abs() < 1e-6);
            let second = (height(u + 1e-4) - 2.0 * height(u) + height(u - 1e-4)) / 1e-8;
            assert!((curvature + second).abs() < 1e-4, "{curvature} {second}");
        }
    }

    #[test]
    fn newton_ends_where_the_slope_is_zero() {
        let design = Mat::from_fn(9, 3, |i, j| ((i * 7 + j * 5) % 9) as f64 / 4.0 - 1.0);
        let t: Vec<f64> = (0..9).map(|i| f64::from(u8::from(i % 3 == 0))).collect();
        let precision = [0.5, 1.0, 2.0];
        let mut u = vec![0.1; 3];
        newton(&design, &t, 0.2, &precision, 3, &mut u).unwrap();
        for j in 0..3 {
            let slope: f64 = (0..9)
                .map(|i| {
                    let f = 0.2 + (0..3).map(|k| design[(i, k)] * u[k]).sum::<f64>();
                    design[(i, j)] * (t[i] - sigmoid(f))
                })
                .sum::<f64>()
                - precision[j] * u[j]
                + cut(u[j]).0;
            assert!(slope.abs() < 1e-5, "{slope}");
        }
    }

    #[test]
    fn it_keeps_what_tells_the_classes_apart() {
        let problem = example(30, 8);
        let model = pfcvm(&problem, PFCVM_ROUNDS, None);
        assert!(model.features.contains(&0), "{model:?}");
        let p = model.probabilities(&problem.x);
        let right = p
            .iter()
            .zip(&problem.t)
            .filter(|(p, t)| (**p > 0.5) == (**t > 0.5))
            .count();
        assert!(right > 24, "{right}");
    }
}
