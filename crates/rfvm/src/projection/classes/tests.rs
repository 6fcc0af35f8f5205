//! The full posterior and the small models of several classes against slow twins.
#![allow(clippy::unwrap_used)]

use super::full::{ClassesState, fit, indicators};
use crate::data::{Dataset, Table, Target};
use crate::inference::ard::fixed_point;
use crate::inference::columns::Columns;
use crate::inference::prepare::{Prepared, prepare_classes};
use crate::inference::start;
use crate::numerics::linalg::{Cholesky, Dense, dot};
use crate::numerics::parallel::Workers;
use crate::numerics::progress::Steps;
use crate::numerics::special::{jj_lambda, ndtr};
use crate::params::{Params, Projected};
use crate::posterior::moments::Spread;
use crate::projection::full::{Full, hyper};
use crate::projection::output::OutputScores;
use crate::projection::small::{Scores, Small};

fn close(what: &str, got: &[f64], want: &[f64]) {
    assert_eq!(got.len(), want.len(), "{what}");
    let scale = want.iter().fold(1e-3, |max: f64, w| max.max(w.abs()));
    for (i, (got, want)) in got.iter().zip(want).enumerate() {
        let fine = (got - want).abs() <= 1e-9 * scale;
        assert!(fine, "{what}[{i}]: got {got}, want {want}");
    }
}

/// Rows of so many classes, each of which raises a feature of its own.
fn prepared(samples: usize, features: usize, classes: usize) -> Prepared {
    let noise = |n: usize, d: usize| ((n * 37 + d * 101 + n * n * d * 7) % 89) as f64 / 40.0;
    let value = |n: usize, d: usize| noise(n, d) + f64::from(u8::from(n % classes == d % 7));
    let columns = (0..features).flat_map(|d| (0..samples).map(move |n| value(n, d)));
    let target = Target::Classes {
        names: (0..classes).map(|class| class.to_string()).collect(),
        labels: (0..samples).map(|n| n % classes).collect(),
    };
    let weight = (0..samples).map(|n| 1.0 + (n % 4) as f64 / 3.0).collect();
    let table = Table::unnamed(columns.collect(), samples).unwrap();
    let data = Dataset::new(table, target).unwrap();
    let data = data.with_sample_weight(weight).unwrap();
    prepare_classes(&Params::default(), data).unwrap()
}

type Rows = Vec<Vec<f64>>;

/// By elimination, without a factorisation.
fn inverse(matrix: &Rows) -> Rows {
    let n = matrix.len();
    let mut work: Rows = matrix.clone();
    for (i, row) in work.iter_mut().enumerate() {
        row.extend((0..n).map(|j| f64::from(u8::from(i == j))));
    }
    for pivot in 0..n {
        let unit = work[pivot][pivot];
        work[pivot].iter_mut().for_each(|value| *value /= unit);
        let own = work[pivot].clone();
        for (i, row) in work.iter_mut().enumerate() {
            let factor = row[pivot];
            if i != pivot {
                row.iter_mut()
                    .zip(&own)
                    .for_each(|(to, own)| *to -= factor * own);
            }
        }
    }
    work.into_iter().map(|row| row[n..].to_vec()).collect()
}

fn sum(count: usize, of: impl Fn(usize) -> f64) -> f64 {
    (0..count).map(of).sum()
}

/// One class of the twin.
struct TwinClass {
    t: Vec<f64>,
    a: Vec<f64>,
    a_cov: Rows,
    psi: Vec<f64>,
    b: f64,
    y: Vec<f64>,
    y_var: Vec<f64>,
    f: Vec<f64>,
}

impl TwinClass {
    fn scores(&mut self, kernel: &Rows, weight: &[f64], rounds: usize) {
        let n = weight.len();
        self.f = (0..n)
            .map(|i| sum(n, |m| kernel[i][m] * self.a[m]))
            .collect();
        self.b = sum(n, |i| self.y[i] - self.f[i]) / (n as f64 + 1.0);
        for _ in 0..rounds {
            for (i, c) in weight.iter().enumerate() {
                let xi = (self.y[i].powi(2) + self.y_var[i]).sqrt();
                self.y_var[i] = 1.0 / (1.0 + 2.0 * c * jj_lambda(xi));
                self.y[i] = self.y_var[i] * (c * (self.t[i] - 0.5) + self.f[i] + self.b);
            }
        }
    }
}

/// The sweeps by their formulas as they stand, v in the primal: a matrix of features by features.
fn twin(data: &Prepared, params: &Projected, sweeps: usize) -> (Vec<f64>, Vec<TwinClass>) {
    let (n, d) = (data.samples, data.names.len());
    let x: Rows = (0..n)
        .map(|i| (0..d).map(|j| data.column(j)[i]).collect())
        .collect();
    let hyper = hyper(params, d);
    let total: f64 = data.weight.iter().sum();
    let targets = indicators(data, &(0..n).collect::<Vec<_>>());
    let correlation = |t: &Vec<f64>, j: usize| {
        let c = &data.weight;
        let (m_t, m_x) = (
            sum(n, |i| c[i] * t[i]) / total,
            sum(n, |i| c[i] * x[i][j]) / total,
        );
        let cross = sum(n, |i| c[i] * (t[i] - m_t) * (x[i][j] - m_x));
        let squares =
            sum(n, |i| c[i] * (t[i] - m_t).powi(2)) * sum(n, |i| c[i] * (x[i][j] - m_x).powi(2));
        cross / squares.sqrt()
    };
    let raw = |j: usize| -> f64 {
        let square: f64 = targets.iter().map(|t| correlation(t, j).powi(2)).sum();
        square.sqrt().powf(params.power)
    };
    let norm = sum(d, |j| raw(j).powi(2)).sqrt();
    let mut v: Vec<f64> = (0..d).map(|j| raw(j) / norm).collect();
    let mut v_var = vec![1e-3 / d as f64; d];
    let mut delta: Vec<f64> = (0..d).map(|j| 1.0 / (v[j].powi(2) + v_var[j])).collect();
    let mut classes: Vec<TwinClass> = (targets.into_iter())
        .map(|t| TwinClass {
            a: Vec::new(),
            a_cov: Vec::new(),
            psi: vec![1.0; n],
            b: 0.0,
            y: t.iter().map(|t| 2.0 * t - 1.0).collect(),
            y_var: vec![1.0; n],
            f: Vec::new(),
            t,
        })
        .collect();
    let square = |j: usize| sum(n, |i| x[i][j].powi(2));
    let kernel = |v: &[f64]| -> Rows {
        let entry = |i: usize, m: usize| sum(d, |j| x[i][j] * v[j] * x[m][j]);
        (0..n)
            .map(|i| (0..n).map(|m| entry(i, m)).collect())
            .collect()
    };
    for sweep in 1..=sweeps {
        let k = kernel(&v);
        for own in &mut classes {
            let entry = |i: usize, m: usize| {
                let spread = sum(d, |j| x[i][j] * v_var[j] * square(j) * x[m][j]);
                let prior = if i == m { own.psi[i] } else { 0.0 };
                sum(n, |r| k[r][i] * k[r][m]) + spread + prior
            };
            let precision: Rows = (0..n)
                .map(|i| (0..n).map(|m| entry(i, m)).collect())
                .collect();
            own.a_cov = inverse(&precision);
            let pull: Vec<f64> = (0..n)
                .map(|m| sum(n, |i| k[i][m] * (own.y[i] - own.b)))
                .collect();
            own.a = own
                .a_cov
                .iter()
                .map(|row| sum(n, |m| row[m] * pull[m]))
                .collect();
            own.psi = (0..n)
                .map(|m| {
                    let second = own.a[m].powi(2) + own.a_cov[m][m];
                    (hyper.psi_shape + 0.5) / (hyper.psi_rate + 0.5 * second)
                })
                .collect();
            own.scores(&k, &data.weight, 5);
        }
        if sweep == sweeps {
            break;
        }
        let g = |own: &TwinClass, j: usize| sum(n, |m| x[m][j] * own.a[m]);
        let mut precision: Rows = vec![vec![0.0; d]; d];
        let mut linear = vec![0.0; d];
        for own in &classes {
            for j in 0..d {
                for l in 0..d {
                    precision[j][l] += g(own, j) * g(own, l) * sum(n, |i| x[i][j] * x[i][l]);
                }
                let along = |i: usize| x[i][j] * sum(n, |m| own.a_cov[i][m] * x[m][j]);
                precision[j][j] += square(j) * sum(n, along);
                linear[j] += g(own, j) * sum(n, |i| x[i][j] * (own.y[i] - own.b));
            }
        }
        (0..d).for_each(|j| precision[j][j] += delta[j]);
        let cov = inverse(&precision);
        for j in 0..d {
            let (mu, s2) = (sum(d, |l| cov[j][l] * linear[l]), cov[j][j]);
            let s = s2.sqrt();
            let density = (2.0 * s2 / std::f64::consts::PI).sqrt() * (-0.5 * mu * mu / s2).exp();
            v[j] = density + mu * (1.0 - 2.0 * ndtr(-mu / s));
            v_var[j] = mu * mu + s2 - v[j].powi(2);
            let second = v[j].powi(2) + v_var[j];
            delta[j] = (hyper.delta_shape + 0.5) / (hyper.delta_rate + 0.5 * second);
        }
        let k = kernel(&v);
        classes
            .iter_mut()
            .for_each(|own| own.scores(&k, &data.weight, 1));
    }
    (v, classes)
}

#[test]
fn the_sweeps_are_their_slow_twin() {
    let params = Projected::default();
    for (samples, features, classes) in [(13, 17, 3), (16, 9, 4)] {
        let data = prepared(samples, features, classes);
        let (n, d) = (data.samples, data.names.len());
        for sweeps in 1..=3 {
            let (v, want) = twin(&data, &params, sweeps);
            let x = Columns::new(&data.values, n);
            let targets = indicators(&data, &(0..n).collect::<Vec<_>>());
            let start = start::of_classes(&x, &targets, &data.weight, params.power);
            let workers = Workers(None);
            let hyper = hyper(&params, d);
            let mut state = ClassesState::start(x, hyper, &targets, &data.weight, start, &workers);
            state.sweep(sweeps, &Steps::default()).unwrap();
            close("v", &state.features.v, &v);
            for (class, (got, want)) in state.classes.iter().zip(&want).enumerate() {
                let what = |name: &str| format!("class {class}, sweep {sweeps}: {name}");
                close(&what("a"), &got.a, &want.a);
                close(&what("psi"), &got.psi, &want.psi);
                close(&what("b"), &[got.latent.b], &[want.b]);
                close(&what("y"), &got.latent.y, &want.y);
                close(&what("f"), &got.f, &want.f);
            }
        }
    }
}

fn full(data: &Prepared) -> Vec<Full> {
    let rows: Vec<usize> = (0..data.samples).collect();
    let params = Projected::default();
    fit(data, &params, &rows, &Workers(None), &Steps::default()).unwrap()
}

#[test]
fn of_two_classes_each_says_what_the_other_does_not() {
    let data = prepared(40, 60, 2);
    let both = full(&data);
    let turned: Vec<f64> = both[0].scores.iter().map(|score| -score).collect();
    close("scores", &both[1].scores, &turned);
    // The model of two classes has the same evidence once where this has it twice: it is timider, and says much the same.
    let rows: Vec<usize> = (0..data.samples).collect();
    let params = Projected::default();
    let one = Full::fit(&data, &params, &rows, &Workers(None), &Steps::default()).unwrap();
    let cosine = dot(&one.scores, &both[1].scores)
        / (dot(&one.scores, &one.scores) * dot(&both[1].scores, &both[1].scores)).sqrt();
    assert!(cosine > 0.98, "{cosine}");
}

#[test]
fn a_class_that_is_not_there_is_unlikely_and_harms_nobody() {
    let data = prepared(30, 20, 3);
    let rows: Vec<usize> = (0..data.samples)
        .filter(|&n| data.target[n] < 1.5)
        .collect();
    let params = Projected::default();
    let full = fit(&data, &params, &rows, &Workers(None), &Steps::default()).unwrap();
    assert!(
        full[2].scores.iter().all(|&score| score < -1.0),
        "{:?}",
        full[2].scores
    );
}

/// The exact mean variance of the training rows is kept, whatever the class.
#[test]
fn variances_of_scores_are_right_on_average() {
    let data = prepared(25, 40, 3);
    let rows: Vec<usize> = (0..data.samples).collect();
    for own in full(&data) {
        let floor = own.floor.0 + own.floor.1;
        let all = own.latent(&data, &rows);
        assert!(all.iter().all(|(_, variance)| *variance > floor));
        let means: Vec<f64> = all.iter().map(|(mean, _)| *mean).collect();
        close("mean", &means, &own.scores);
    }
}

/// The small model by its formulas as they stand: M x M matrices, every covariance made anew for every candidate.
struct SmallTwin<'t> {
    x: &'t Dense,
    scores: &'t Scores<'t>,
    grams: Vec<Dense>,
    tau: f64,
    v: Vec<f64>,
    v_cov: Dense,
    delta: f64,
    active: Vec<Vec<usize>>,
    psi: Vec<Vec<f64>>,
    b: Vec<f64>,
}

impl SmallTwin<'_> {
    fn z(&self, class: usize) -> Dense {
        let columns: Vec<usize> = (0..self.x.cols()).collect();
        self.x.select(&self.active[class], &columns)
    }

    fn pull(&self, class: usize) -> Vec<f64> {
        let of = &self.scores.outputs[class];
        let rows = of.y.iter().zip(&of.weight);
        let gap: Vec<f64> = rows.map(|(y, h)| h * (y - self.b[class])).collect();
        self.x.transpose_times(&gap)
    }

    /// a and S_a for the present ψ.
    fn a(&self, class: usize) -> (Vec<f64>, Dense) {
        let (k, z) = (self.v.len(), self.z(class));
        let mut middle = Dense::zeros(k, k);
        for i in 0..k {
            for j in 0..k {
                let second = self.v[i] * self.v[j] + self.v_cov.at(i, j);
                middle.col_mut(j)[i] = self.tau * second * self.grams[class].at(i, j);
            }
        }
        let mut precision = z.product(&middle).product_transposed(&z);
        precision.add_diagonal(self.psi[class].iter().copied());
        let cov = Cholesky::new(precision).unwrap().inverse();
        let pull = self.pull(class);
        let linear: Vec<f64> = (0..k).map(|d| self.tau * self.v[d] * pull[d]).collect();
        (cov.times(&z.times(&linear)), cov)
    }

    fn settle(&mut self, class: usize) {
        let (a, cov) = self.a(class);
        let relevance = |m: usize| {
            let (s, h) = (1.0 / cov.at(m, m) - self.psi[class][m], a[m] / cov.at(m, m));
            h * h / s.max(f64::MIN_POSITIVE)
        };
        let mut order: Vec<usize> = (0..a.len()).collect();
        order.sort_by(|&i, &j| relevance(i).total_cmp(&relevance(j)));
        let mut may_go = a.len().div_ceil(5).min(a.len() - 1);
        let all = self.active[class].clone();
        for m in order.into_iter().map(|place| all[place]) {
            let at = self.active[class].iter().position(|&n| n == m).unwrap();
            let (a, cov) = self.a(class);
            match fixed_point(a[at], cov.at(at, at), self.psi[class][at]) {
                Some(psi) => self.psi[class][at] = psi,
                None if may_go > 0 => {
                    self.active[class].remove(at);
                    self.psi[class].remove(at);
                    may_go -= 1;
                }
                None => {}
            }
        }
    }

    /// τ Σ (Z'AZ) o G + δ diag κ, and the linear term.
    fn of_v(&self) -> (Dense, Vec<f64>, Vec<Vec<f64>>) {
        let k = self.v.len();
        let (mut precision, mut linear) = (Dense::zeros(k, k), vec![0.0; k]);
        let mut gains = Vec::new();
        for class in 0..self.b.len() {
            let (z, (a, cov), pull) = (self.z(class), self.a(class), self.pull(class));
            let g = z.transpose_times(&a);
            let spread = z.transposed_product(&cov.product(&z));
            for i in 0..k {
                for j in 0..k {
                    let second = g[i] * g[j] + spread.at(i, j);
                    precision.col_mut(j)[i] += self.tau * second * self.grams[class].at(i, j);
                }
                linear[i] += self.tau * g[i] * pull[i];
            }
            gains.push(g);
        }
        precision.add_diagonal(self.scores.cost.iter().map(|cost| cost * self.delta));
        (precision, linear, gains)
    }

    fn common_precision(&self) -> f64 {
        let k = self.v.len();
        let second = |d: usize| self.v[d].powi(2) + self.v_cov.at(d, d);
        k as f64 / sum(k, |d| self.scores.cost[d] * second(d))
    }

    fn update_v_and_b(&mut self) -> Vec<Vec<f64>> {
        let (precision, linear, gains) = self.of_v();
        self.v_cov = Cholesky::new(precision).unwrap().inverse();
        self.v = self.v_cov.times(&linear);
        self.delta = self.common_precision();
        let mut weights = Vec::new();
        for (class, g) in gains.iter().enumerate() {
            let w: Vec<f64> = self.v.iter().zip(g).map(|(v, g)| v * g).collect();
            let (f, of) = (self.x.times(&w), &self.scores.outputs[class]);
            let gap = sum(f.len(), |n| of.weight[n] * (of.y[n] - f[n]));
            let total: f64 = of.weight.iter().sum();
            self.b[class] = self.tau * gap / (self.tau * total + 1.0);
            weights.push(w);
        }
        weights
    }
}

#[test]
fn a_small_model_of_several_classes_is_its_slow_twin() {
    let data = prepared(36, 60, 3);
    let (n, full) = (data.samples, full(&data));
    for features in [vec![3], vec![0, 15, 30], vec![0, 1, 7, 15, 30, 44, 45, 59]] {
        let k = features.len();
        let values = features.iter().flat_map(|&d| data.column(d)).copied();
        let x = Dense::from_vec(n, k, values.collect());
        let cost: Vec<f64> = (0..k).map(|d| 1.0 + d as f64 / 4.0).collect();
        let output = |(class, own): (usize, &Full)| OutputScores {
            y: own.scores.clone(),
            weight: (0..n)
                .map(|n| 0.5 + ((n + class) % 7) as f64 / 6.0)
                .collect(),
        };
        let outputs: Vec<OutputScores> = full.iter().enumerate().map(output).collect();
        let scores = Scores {
            outputs: &outputs,
            noise: 0.05,
            label_precision: 0.2,
            cost: &cost,
            design: &data.design,
        };
        let start: Vec<f64> = features.iter().map(|&d| full[0].v[d]).collect();
        let small = Small::fit(&x, &scores, &start).unwrap();

        let norm = dot(&start, &start).sqrt();
        let mean = |of: &OutputScores| dot(&of.weight, &of.y) / of.weight.iter().sum::<f64>();
        let b: Vec<f64> = outputs.iter().map(mean).collect();
        let squares = sum(3, |c| {
            sum(n, |i| {
                outputs[c].weight[i] * (outputs[c].y[i] - b[c]).powi(2)
            })
        });
        let total = sum(3, |c| outputs[c].weight.iter().sum());
        let mut v_cov = Dense::zeros(k, k);
        v_cov.add_diagonal(std::iter::repeat_n(1e-3 / k as f64, k));
        let mut twin = SmallTwin {
            grams: outputs
                .iter()
                .map(|of| x.weighted_gram(&of.weight))
                .collect(),
            tau: total / (0.05 * squares),
            v: start.iter().map(|v| v / norm).collect(),
            v_cov,
            delta: 0.0,
            active: vec![(0..n).collect(); 3],
            psi: vec![vec![1.0; n]; 3],
            x: &x,
            scores: &scores,
            b,
        };
        twin.delta = twin.common_precision();
        let mut weights = Vec::new();
        for iteration in 1..=small.iterations {
            for class in 0..3 {
                if iteration == 1 {
                    let (a, cov) = twin.a(class);
                    let second = a.iter().zip(cov.diagonal()).map(|(a, var)| a * a + var);
                    twin.psi[class] = second.map(|second| 1.0 / second).collect();
                } else {
                    twin.settle(class);
                }
            }
            weights = twin.update_v_and_b();
        }
        // The last covariances have the labels' precision.
        twin.tau = scores.label_precision;
        for (class, weights) in weights.iter().enumerate() {
            assert_eq!(small.vectors(class), twin.active[class], "{k} features");
            close("w", &small.weights(class), weights);
            let moments = small.moments(&x, class);
            close("b", &[moments.b], &[twin.b[class]]);
            close("v", &moments.v, &twin.v);
            close("S_a", moments.a_cov.values(), twin.a(class).1.values());
        }
        let Spread::Joint(v_cov) = small.moments(&x, 0).v_spread else {
            panic!("a small model has one covariance of all v");
        };
        assert!(v_cov.diagonal().all(|variance| variance > 0.0));
    }
}
