//! The full posterior and the selection against the oracle's numbers, and both kinds of model against slow twins.
#![allow(clippy::unwrap_used)]

use std::ops::ControlFlow;
use std::path::Path;

use serde::Deserialize;

use super::full::{Full, left_out, sweep};
use super::output::OutputScores;
use super::select::{ForwardSelection, select};
use super::small::{Scores, Small};
use crate::data::{Dataset, Table, Target, Task};
use crate::inference::ard::fixed_point;
use crate::inference::columns::{CandidateRows, Columns};
use crate::inference::latent::Latent;
use crate::inference::prepare::{Prepared, prepare};
use crate::inference::start;
use crate::inference::state::State;
use crate::numerics::linalg::{Cholesky, Dense, dot};
use crate::numerics::parallel::Workers;
use crate::numerics::progress::{Progress, Steps};
use crate::numerics::special::sigmoid;
use crate::params::{Params, Projected, Start};
use crate::posterior::moments::Spread;
use crate::posterior::prior::Hyper;
use crate::simulate::Simulation;
use crate::skipped::skipped;

#[derive(Deserialize)]
struct Case {
    #[serde(rename = "X")]
    x: Vec<Vec<f64>>,
    t: Vec<f64>,
    power: f64,
    mean_scores: Vec<f64>,
    order: Vec<usize>,
    sweeps: Vec<Sweep>,
}

#[derive(Deserialize)]
struct Sweep {
    v: Vec<f64>,
    a: Vec<f64>,
    psi: Vec<f64>,
    b: f64,
    y: Vec<f64>,
    f: Vec<f64>,
}

fn close(what: &str, got: &[f64], want: &[f64]) {
    assert_eq!(got.len(), want.len(), "{what}");
    let scale = want.iter().fold(1e-3, |max: f64, w| max.max(w.abs()));
    for (i, (got, want)) in got.iter().zip(want).enumerate() {
        let fine = (got - want).abs() <= 1e-9 * scale;
        assert!(fine, "{what}[{i}]: got {got}, want {want}");
    }
}

fn prepared(rows: &[Vec<f64>], t: &[f64]) -> Prepared {
    let values = (0..rows[0].len()).flat_map(|d| rows.iter().map(move |row| row[d]));
    let table = Table::unnamed(values.collect(), rows.len()).unwrap();
    let target = Target::Classes {
        names: vec!["0".into(), "1".into()],
        labels: t.iter().map(|&t| t as usize).collect(),
    };
    let params = Params {
        preprocessing: Params::signatures().preprocessing,
        ..Params::default()
    };
    prepare(&params, Dataset::new(table, target).unwrap()).unwrap()
}

/// The state before the first sweep.
fn started<'s>(
    data: &'s Prepared,
    hyper: Hyper,
    power: f64,
    workers: &'s Workers,
) -> State<'s, 's> {
    let x = Columns::new(&data.values, data.samples);
    let (target, weight) = (&data.target, &data.weight);
    let latent = Latent::start(Task::Classification, target, weight, hyper, Some(1.0));
    let power = Start::Correlation { power };
    let v = start::weights(&power, &x, target, weight, std::iter::empty());
    let z = CandidateRows::new(data.samples, None, None);
    State::start(x, z, latent, hyper, v, workers)
}

fn check(path: &Path) {
    let case: Case = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let name = path.file_stem().unwrap().to_str().unwrap();
    let data = prepared(&case.x, &case.t);
    // The oracle's hyperpriors are all 1e-6.
    let vague = 1e-6;
    let hyper = Hyper {
        psi_shape: vague,
        psi_rate: vague,
        delta_shape: vague,
        delta_rate: vague,
        tau_shape: vague,
        tau_rate: vague,
    };
    let workers = Workers(None);
    for (number, want) in case.sweeps.iter().enumerate() {
        let mut state = started(&data, hyper, case.power, &workers);
        sweep(&mut state, number + 1, &Steps::default()).unwrap();
        let f: Vec<f64> = state.f.iter().map(|f| f + state.latent.b).collect();
        for (what, got, want) in [
            ("v", &state.features.v, &want.v),
            ("a", &state.a, &want.a),
            ("psi", &state.psi, &want.psi),
            ("b", &vec![state.latent.b], &vec![want.b]),
            ("y", &state.latent.y, &want.y),
            ("f", &f, &want.f),
        ] {
            close(&format!("{name} sweep {}: {what}", number + 1), got, want);
        }
    }
    let said = case
        .mean_scores
        .iter()
        .zip(&case.t)
        .map(|(f, t)| 0.5 * (t + sigmoid(*f)));
    let order = ForwardSelection::new(vec![said.collect()], data.weight.clone());
    let mut go_on = |_| ControlFlow::Continue(());
    let mut watch = Progress::new(1, &mut go_on);
    let found = select(&data, vec![order], case.order.len(), 1.0, &mut watch).unwrap();
    assert_eq!(found[0].order, case.order, "{name}: order of entry");
}

#[test]
fn the_sweeps_and_the_order_of_entry_are_the_oracles() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/oracle/cases");
    let committed = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/golden");
    check(&committed.join("full_n10_d7.json"));
    for name in ["full_n24_d40.json", "full_n30_d120.json"] {
        let file = folder.join(name);
        if file.exists() {
            check(&file);
        } else {
            skipped(
                "rfvm projection::tests::the_sweeps_and_the_order_of_entry_are_the_oracles",
                &format!("../shared/oracle/cases/{name} is not there"),
            );
        }
    }
}

fn simulated(samples: usize, features: usize) -> Prepared {
    let simulation = Simulation {
        samples,
        features,
        informative: 4,
        ..Simulation::default()
    };
    prepare(&Params::default(), simulation.draw().unwrap().data).unwrap()
}

#[test]
fn some_rows_of_a_table_are_a_table_of_these_rows() {
    let data = simulated(40, 120);
    let rows: Vec<usize> = (0..40).filter(|n| n % 5 != 2).collect();
    let fit = |data: &Prepared, rows: &[usize]| {
        let (params, workers) = (Projected::default(), Workers(None));
        Full::fit(data, &params, rows, &workers, &Steps::default()).unwrap()
    };
    let part = fit(&data, &rows);
    let mut alone = simulated(40, 120);
    let columns = alone.values.chunks_exact(40);
    let pick = |of: &[f64]| rows.iter().map(|&n| of[n]).collect::<Vec<f64>>();
    alone.values = columns.flat_map(pick).collect();
    (alone.target, alone.weight) = (pick(&alone.target), pick(&alone.weight));
    alone.samples = rows.len();
    let whole = fit(&alone, &(0..rows.len()).collect::<Vec<_>>());
    assert_eq!(part.scores, whole.scores);
    assert_eq!(part.v, whole.v);
}

/// The inverse of a symmetric matrix.
fn inverse(matrix: Dense) -> Dense {
    Cholesky::new(matrix).unwrap().inverse()
}

/// The small model by its formulas as they stand: M x M matrices, every covariance made anew for every candidate.
struct Twin<'t> {
    x: &'t Dense,
    scores: &'t Scores<'t>,
    gram: Dense,
    tau: f64,
    v: Vec<f64>,
    v_cov: Dense,
    delta: f64,
    active: Vec<usize>,
    psi: Vec<f64>,
    b: f64,
    /// Z'a and Z'S_aZ that v was last updated with.
    g: Vec<f64>,
    spread: Dense,
}

impl Twin<'_> {
    fn pull(&self) -> Vec<f64> {
        let rows = self.scores.outputs[0]
            .y
            .iter()
            .zip(&self.scores.outputs[0].weight);
        self.x
            .transpose_times(&rows.map(|(y, h)| h * (y - self.b)).collect::<Vec<_>>())
    }

    fn z(&self) -> Dense {
        self.x
            .select(&self.active, &(0..self.x.cols()).collect::<Vec<_>>())
    }

    /// a and S_a for the present ψ.
    fn a(&self) -> (Vec<f64>, Dense) {
        let (k, z) = (self.v.len(), self.z());
        let mut middle = Dense::zeros(k, k);
        for i in 0..k {
            for j in 0..k {
                let second = self.v[i] * self.v[j] + self.v_cov.at(i, j);
                middle.col_mut(j)[i] = self.tau * second * self.gram.at(i, j);
            }
        }
        let mut precision = z.product(&middle).product_transposed(&z);
        precision.add_diagonal(self.psi.iter().copied());
        let cov = inverse(precision);
        let linear = self
            .v
            .iter()
            .zip(self.pull())
            .map(|(v, c)| self.tau * v * c);
        let a = cov.times(&z.times(&linear.collect::<Vec<_>>()));
        (a, cov)
    }

    fn settle(&mut self) {
        let (a, cov) = self.a();
        let relevance = |m: usize| {
            let (s, h) = (1.0 / cov.at(m, m) - self.psi[m], a[m] / cov.at(m, m));
            h * h / s.max(f64::MIN_POSITIVE)
        };
        let mut order: Vec<usize> = (0..a.len()).collect();
        order.sort_by(|&i, &j| relevance(i).total_cmp(&relevance(j)));
        let mut may_go = a.len().div_ceil(5).min(a.len() - 1);
        let all = self.active.clone();
        for m in order.into_iter().map(|place| all[place]) {
            let at = self.active.iter().position(|&n| n == m).unwrap();
            let (a, cov) = self.a();
            match fixed_point(a[at], cov.at(at, at), self.psi[at]) {
                Some(psi) => self.psi[at] = psi,
                None if may_go > 0 => {
                    self.active.remove(at);
                    self.psi.remove(at);
                    may_go -= 1;
                }
                None => {}
            }
        }
    }

    fn common_precision(&self) -> f64 {
        let k = self.v.len();
        let second = |d: usize| self.v[d].powi(2) + self.v_cov.at(d, d);
        k as f64 / (0..k).map(|d| self.scores.cost[d] * second(d)).sum::<f64>()
    }

    /// τ (Z'AZ) o G + δ diag κ
    fn v_precision(&self) -> Dense {
        let k = self.v.len();
        let mut precision = Dense::zeros(k, k);
        for i in 0..k {
            for j in 0..k {
                let second = self.g[i] * self.g[j] + self.spread.at(i, j);
                precision.col_mut(j)[i] = self.tau * second * self.gram.at(i, j);
            }
        }
        precision.add_diagonal(self.scores.cost.iter().map(|cost| cost * self.delta));
        precision
    }

    fn update_v_and_b(&mut self) -> Vec<f64> {
        let (z, (a, cov)) = (self.z(), self.a());
        self.g = z.transpose_times(&a);
        self.spread = z.transposed_product(&cov.product(&z));
        self.v_cov = inverse(self.v_precision());
        let linear = (self.g.iter())
            .zip(self.pull())
            .map(|(g, c)| self.tau * g * c);
        self.v = self.v_cov.times(&linear.collect::<Vec<_>>());
        self.delta = self.common_precision();
        let w: Vec<f64> = self.v.iter().zip(&self.g).map(|(v, g)| v * g).collect();
        let f = self.x.times(&w);
        let total: f64 = self.scores.outputs[0].weight.iter().sum();
        let rows = self.scores.outputs[0]
            .y
            .iter()
            .zip(&f)
            .zip(&self.scores.outputs[0].weight);
        let gap: f64 = rows.map(|((y, f), h)| h * (y - f)).sum();
        self.b = self.tau * gap / (self.tau * total + 1.0);
        w
    }
}

#[test]
fn a_score_without_its_row_is_that_of_a_fit_without_the_row() {
    let data = simulated(36, 60);
    let (n, workers) = (data.samples, Workers(None));
    let hyper = Hyper::for_size(Task::Classification, n, n, data.names.len());
    let mut state = started(&data, hyper, 2.5, &workers);
    let pulled = sweep(&mut state, 1, &Steps::default()).unwrap();
    let every: Vec<usize> = (0..n).collect();
    let without = |row: usize| {
        let others: Vec<usize> = every.iter().copied().filter(|&m| m != row).collect();
        let kernel = state.kernel.select(&others, &every);
        let y: Vec<f64> = others.iter().map(|&m| pulled[m]).collect();
        let mut precision = kernel.gram_of_columns();
        precision.add(&state.spread);
        // ψ = 1 when the first a is made.
        precision.add_diagonal(vec![1.0; n]);
        let a = Cholesky::new(precision)
            .unwrap()
            .solve(&kernel.transpose_times(&y));
        let own: Vec<f64> = (0..n).map(|m| state.kernel.at(row, m)).collect();
        state.latent.b + dot(&own, &a)
    };
    let want: Vec<f64> = (0..n).map(without).collect();
    close("left out", &left_out(&state, &pulled), &want);
}

#[test]
fn a_small_model_is_its_slow_twin() {
    let data = simulated(36, 60);
    let rows: Vec<usize> = (0..36).collect();
    let params = Projected::default();
    let full = Full::fit(&data, &params, &rows, &Workers(None), &Steps::default()).unwrap();
    for features in [vec![3], vec![0, 15, 30], vec![0, 1, 7, 15, 30, 44, 45, 59]] {
        let k = features.len();
        let values = features
            .iter()
            .flat_map(|&d| data.column(d))
            .copied()
            .collect();
        let x = Dense::from_vec(36, k, values);
        let cost: Vec<f64> = (0..k).map(|d| 1.0 + d as f64 / 4.0).collect();
        let weight: Vec<f64> = (0..36).map(|n| 0.5 + (n % 7) as f64 / 6.0).collect();
        let outputs = [OutputScores {
            y: full.scores.clone(),
            weight: weight.clone(),
        }];
        let scores = Scores {
            outputs: &outputs,
            noise: 0.05,
            label_precision: 0.2,
            cost: &cost,
            design: &data.design,
        };
        let start: Vec<f64> = features.iter().map(|&d| full.v[d]).collect();
        let small = Small::fit(&x, &scores, &start).unwrap();

        let total: f64 = weight.iter().sum();
        let b = dot(&weight, &outputs[0].y) / total;
        let squares = outputs[0]
            .y
            .iter()
            .zip(&weight)
            .map(|(y, h)| h * (y - b).powi(2));
        let norm = dot(&start, &start).sqrt();
        let mut v_cov = Dense::zeros(k, k);
        v_cov.add_diagonal(std::iter::repeat_n(1e-3 / k as f64, k));
        let mut twin = Twin {
            x: &x,
            scores: &scores,
            gram: x.weighted_gram(&weight),
            tau: total / (0.05 * squares.sum::<f64>()),
            v: start.iter().map(|v| v / norm).collect(),
            v_cov,
            delta: 0.0,
            active: rows.clone(),
            psi: vec![1.0; 36],
            b,
            g: Vec::new(),
            spread: Dense::default(),
        };
        twin.delta = twin.common_precision();
        let mut w = Vec::new();
        for iteration in 1..=small.iterations {
            if iteration == 1 {
                let (a, cov) = twin.a();
                let second = a.iter().zip(cov.diagonal()).map(|(a, var)| a * a + var);
                twin.psi = second.map(|second| 1.0 / second).collect();
            } else {
                twin.settle();
            }
            w = twin.update_v_and_b();
        }
        assert_eq!(small.vectors(0), twin.active, "{k} features");
        close("w", &small.weights(0), &w);
        let moments = small.moments(&x, 0);
        close("b", &[moments.b], &[twin.b]);
        close("v", &moments.v, &twin.v);
        close(
            "b's variance",
            &[moments.b_var],
            &[1.0 / (0.2 * total + 1.0)],
        );
        // The last covariances have the labels' precision.
        twin.tau = scores.label_precision;
        close("S_a", moments.a_cov.values(), twin.a().1.values());
        let Spread::Joint(v_cov) = &moments.v_spread else {
            panic!("a small model has one covariance of all v");
        };
        let expected = inverse(twin.v_precision());
        close("S_v", v_cov.values(), expected.values());
    }
}

#[test]
fn a_relevance_vector_that_goes_changes_what_is_predicted() {
    let data = simulated(50, 80);
    let rows: Vec<usize> = (0..50).collect();
    let full = Full::fit(
        &data,
        &Projected::default(),
        &rows,
        &Workers(None),
        &Steps::default(),
    );
    let full = full.unwrap();
    let features = [0, 20, 40, 60];
    let values = features
        .iter()
        .flat_map(|&d| data.column(d))
        .copied()
        .collect();
    let x = Dense::from_vec(50, 4, values);
    let outputs = [OutputScores {
        y: full.scores,
        weight: vec![1.0; 50],
    }];
    let scores = Scores {
        outputs: &outputs,
        noise: 0.05,
        label_precision: 0.2,
        cost: &[1.0; 4],
        design: &data.design,
    };
    let moments = Small::fit(&x, &scores, &[1.0; 4]).unwrap().moments(&x, 0);
    let before = moments.latent()(&[1.0, -1.0, 0.5, 2.0]);
    for gone in 0..moments.a.len() {
        let mut without = moments.clone();
        without.a[gone] = 0.0;
        assert!((without.latent()(&[1.0, -1.0, 0.5, 2.0]).0 - before.0).abs() > 1e-3);
    }
}
