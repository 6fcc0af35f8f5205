//! XOLON: p = sigmoid(x' diag(v²) X'a + b) by gradient descent with l1 penalties on v and a.

#[cfg(test)]
use crate::log1p_exp;
use crate::{Linear, Problem, kept, sigmoid};

/// Settings of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Xolon {
    /// Adam's learning rate.
    pub rate: f64,
    /// Penalty on Σ|v|.
    pub penalty_v: f64,
    /// Penalty on Σ|a|.
    pub penalty_a: f64,
    /// Steps of Adam.
    pub steps: usize,
}

/// v, a and b, one after the other.
struct Parameters {
    v: Vec<f64>,
    a: Vec<f64>,
    b: f64,
}

impl Parameters {
    fn weights(&self, problem: &Problem) -> Vec<f64> {
        let g = problem.combine(&self.a);
        self.v.iter().zip(g).map(|(v, g)| v * v * g).collect()
    }

    /// Mean cross entropy and the penalties: what the gradient is held against.
    #[cfg(test)]
    fn loss(&self, problem: &Problem, settings: &Xolon) -> f64 {
        let f = problem.scores(&self.weights(problem), self.b);
        let entropy: f64 = f
            .iter()
            .zip(&problem.t)
            .map(|(f, t)| log1p_exp(*f) - t * f)
            .sum();
        let size = |values: &[f64]| values.iter().map(|v| v.abs()).sum::<f64>();
        entropy / f.len() as f64
            + settings.penalty_v * size(&self.v)
            + settings.penalty_a * size(&self.a)
    }

    /// The gradient in the order v, a, b; sign(0) = 0.
    fn gradient(&self, problem: &Problem, settings: &Xolon) -> Vec<f64> {
        let g = problem.combine(&self.a);
        let weights: Vec<f64> = self.v.iter().zip(&g).map(|(v, g)| v * v * g).collect();
        let n = problem.samples() as f64;
        let f = problem.scores(&weights, self.b);
        let residual: Vec<f64> = f
            .iter()
            .zip(&problem.t)
            .map(|(f, t)| (sigmoid(*f) - t) / n)
            .collect();
        let pull = problem.combine(&residual);
        let sign = |v: f64| if v == 0.0 { 0.0 } else { v.signum() };
        let of_v = (0..self.v.len())
            .map(|d| 2.0 * self.v[d] * g[d] * pull[d] + settings.penalty_v * sign(self.v[d]));
        let through: Vec<f64> = self.v.iter().zip(&pull).map(|(v, p)| v * v * p).collect();
        let of_a = problem.scores(&through, 0.0).into_iter().zip(&self.a);
        let of_a = of_a.map(|(slope, &a)| slope + settings.penalty_a * sign(a));
        of_v.chain(of_a).chain([residual.iter().sum()]).collect()
    }
}

/// Fits with Adam from v = 1, a = (2t - 1) / N, and prunes as the paper does.
pub fn xolon(problem: &Problem, settings: &Xolon) -> Linear {
    let (samples, features) = (problem.samples(), problem.features);
    let mut now = Parameters {
        v: vec![(features as f64).powf(-0.5); features],
        a: problem
            .t
            .iter()
            .map(|t| (2.0 * t - 1.0) / samples as f64)
            .collect(),
        b: 0.0,
    };
    let count = features + samples + 1;
    let (mut first, mut second) = (vec![0.0; count], vec![0.0; count]);
    let (keep_first, keep_second, tiny) = (0.9f64, 0.999f64, 1e-8);
    for step in 1..=settings.steps {
        let gradient = now.gradient(problem, settings);
        let (fix_first, fix_second) = (
            1.0 - keep_first.powi(step as i32),
            1.0 - keep_second.powi(step as i32),
        );
        let all = now.v.iter_mut().chain(now.a.iter_mut()).chain([&mut now.b]);
        for (i, value) in all.enumerate() {
            first[i] = keep_first * first[i] + (1.0 - keep_first) * gradient[i];
            second[i] = keep_second * second[i] + (1.0 - keep_second) * gradient[i] * gradient[i];
            *value -=
                settings.rate * (first[i] / fix_first) / ((second[i] / fix_second).sqrt() + tiny);
        }
    }
    let squares: Vec<f64> = now.v.iter().map(|v| v * v).collect();
    let (features, vectors) = (kept(&squares, 1e-2), kept(&now.a, 1e-3));
    let hold = |values: &mut Vec<f64>, kept: &[usize]| {
        for i in (0..values.len()).filter(|i| kept.binary_search(i).is_err()) {
            values[i] = 0.0;
        }
    };
    hold(&mut now.v, &features);
    hold(&mut now.a, &vectors);
    Linear {
        weights: now.weights(problem),
        bias: now.b,
        features,
        vectors,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example;

    const SETTINGS: Xolon = Xolon {
        rate: 0.01,
        penalty_v: 0.02,
        penalty_a: 0.03,
        steps: 300,
    };

    #[test]
    fn the_gradient_is_the_slope_of_the_loss() {
        let problem = example(12, 5);
        let at = || Parameters {
            v: vec![0.3, -0.5, 0.8, 0.1, -0.9],
            a: (0..12).map(|n| 0.1 * f64::from(n) - 0.55).collect(),
            b: 0.2,
        };
        let gradient = at().gradient(&problem, &SETTINGS);
        for (i, slope) in gradient.iter().enumerate() {
            let moved = |by: f64| {
                let mut p = at();
                match i {
                    0..5 => p.v[i] += by,
                    5..17 => p.a[i - 5] += by,
                    _ => p.b += by,
                }
                p.loss(&problem, &SETTINGS)
            };
            let difference = (moved(1e-6) - moved(-1e-6)) / 2e-6;
            assert!(
                (slope - difference).abs() < 1e-8,
                "{i}: {slope} {difference}"
            );
        }
    }

    #[test]
    fn it_learns_what_tells_the_classes_apart() {
        let problem = example(40, 6);
        let model = xolon(&problem, &SETTINGS);
        assert!(
            model.features.contains(&0) && model.features.contains(&1),
            "{model:?}"
        );
        assert!(model.weights[0] > 0.0 && model.weights[1] < 0.0);
        let right = model
            .probabilities(&problem.x)
            .iter()
            .zip(&problem.t)
            .filter(|(p, t)| (**p > 0.5) == (**t > 0.5))
            .count();
        assert!(right > 32, "{right}");
    }
}
