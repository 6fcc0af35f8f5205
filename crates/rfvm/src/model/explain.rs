//! Why this sample: what every feature adds to its score.
//!
//! A score is linear in the standardised features, b + Σ w_d x_d, and the average training sample has x = 0. So w_d x_d is
//! what feature d adds against that sample, b is what the sample itself has, and together they are the score: no
//! approximation, and no other sample, has a part in it.

use serde::{Deserialize, Serialize};

use super::predict::Model;
use crate::data::{Table, Task};
use crate::error::Error;
use crate::numerics::special::two_sided;

/// Models of more features than this list some of them.
const ALL: usize = 100;
/// How many then.
const LISTED: usize = 20;

/// What a [`Contribution`] is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScorePart {
    /// One feature.
    Feature,
    /// All features that are not listed.
    Others,
    /// One column of the covariates.
    Covariate,
    /// The average training sample.
    Base,
}

/// What one part adds to a score, or to the value of a regression in its units.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Contribution {
    /// What adds it.
    pub part: ScorePart,
    /// Name of the feature; of other parts, what they are.
    pub feature: String,
    /// The feature's value in the table; `None` where it is missing (the contribution is that of what takes its place), and of
    /// other parts.
    pub value: Option<f64>,
    /// How much it adds.
    pub contribution: f64,
    /// Posterior standard deviation of that, |x| times the weight's.
    pub sd: f64,
    /// Lower end of the 95 % interval.
    pub low: f64,
    /// Upper end of the 95 % interval.
    pub high: f64,
}

impl Contribution {
    fn new(
        part: ScorePart,
        feature: String,
        value: Option<f64>,
        contribution: f64,
        sd: f64,
    ) -> Self {
        let reach = two_sided(0.95) * sd;
        Self {
            part,
            feature,
            value,
            contribution,
            sd,
            low: contribution - reach,
            high: contribution + reach,
        }
    }
}

/// Why one sample has its score.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Explanation {
    /// The score, [`crate::Prediction::mean`].
    pub mean: f64,
    /// What it is the sum of: features, those that add most first, then all others together where a model has very many, then
    /// the base.
    pub contributions: Vec<Contribution>,
}

impl Model {
    /// What every feature adds to the score of every row, against the average training sample. Committees average their
    /// signatures, and so does this; a regression's contributions are in units of its target. Of a model of more than 100
    /// features the 20 that add most are listed, and the rest is one sum.
    pub fn explain(&self, table: &Table) -> Result<Vec<Explanation>, Error> {
        let predictions = self.predict(table)?;
        let positions = table.find_features(&self.needed_features())?;
        let (unit, offset) = match self.task {
            Task::Classification => (1.0, 0.0),
            Task::Regression => (
                self.correction.slope * self.target_scale.sd,
                self.correction.apply(self.target_scale.mean),
            ),
        };
        let unit = unit / self.signatures.len() as f64;
        let listed = match self.feature_count() > ALL {
            true => LISTED,
            false => usize::MAX,
        };
        let mut rows: Vec<Vec<Term>> = vec![Vec::new(); table.samples()];
        let mut others = vec![Sum::default(); table.samples()];
        let mut base = Sum {
            mean: offset,
            sd: 0.0,
            count: 0,
        };
        let mut first = 0;
        for (signature, columns) in self.signatures.iter().zip(self.seen_in(table)?) {
            let columns = columns?;
            let moments = &signature.moments;
            let (weights, sds) = (moments.weights(), moments.weight_sd());
            let covariance = (weights.len() > listed).then(|| moments.weight_covariance());
            base.mean += unit * moments.b;
            base.sd += unit.abs() * moments.b_var.sqrt();
            let mut x = vec![0.0; weights.len()];
            for (n, (row, others)) in rows.iter_mut().zip(&mut others).enumerate() {
                signature.standardise(&columns, n, &mut x);
                let mut own: Vec<(usize, Term)> = (0..x.len())
                    .map(|d| {
                        let term = Term {
                            at: first + d,
                            adds: unit * weights[d] * x[d],
                            sd: (unit * x[d]).abs() * sds[d],
                        };
                        (d, term)
                    })
                    .collect();
                own.sort_by(|one, other| other.1.adds.abs().total_cmp(&one.1.adds.abs()));
                for (d, _) in own.iter().take(listed) {
                    x[*d] = 0.0;
                }
                if let Some(covariance) = &covariance {
                    // What is left of the sample is a sample too.
                    let rest = covariance.of_score(&x);
                    others.mean += own[listed..].iter().map(|(_, term)| term.adds).sum::<f64>();
                    others.sd += unit.abs() * rest.max(0.0).sqrt();
                    others.count += own.len() - listed;
                    own.truncate(listed);
                }
                row.extend(own.into_iter().map(|(_, term)| term));
            }
            first += x.len();
        }
        let covariates = self.covariate_terms(table, unit)?;
        let names = self.needed_features();
        let explained = (rows.into_iter().zip(others).zip(predictions).enumerate()).map(
            |(n, ((mut terms, others), prediction))| {
                terms.sort_by(|one, other| other.adds.abs().total_cmp(&one.adds.abs()));
                let of_feature = |term: Term| {
                    let value = table.feature(positions[term.at])[n];
                    let value = Some(value).filter(|value| !value.is_nan());
                    let name = names[term.at].clone();
                    Contribution::new(ScorePart::Feature, name, value, term.adds, term.sd)
                };
                let mut contributions: Vec<Contribution> =
                    terms.into_iter().map(of_feature).collect();
                if others.count > 0 {
                    let words = format!("all {} others", others.count);
                    let rest =
                        Contribution::new(ScorePart::Others, words, None, others.mean, others.sd);
                    contributions.push(rest);
                }
                contributions.extend(covariates.iter().map(|column| column[n].clone()));
                let words = "average training sample".to_string();
                let base = Contribution::new(ScorePart::Base, words, None, base.mean, base.sd);
                contributions.push(base);
                Explanation {
                    mean: prediction.mean,
                    contributions,
                }
            },
        );
        Ok(explained.collect())
    }
}

impl Model {
    /// What every column of the covariates adds to every row's score; empty where the model allows for none.
    fn covariate_terms(&self, table: &Table, unit: f64) -> Result<Vec<Vec<Contribution>>, Error> {
        let effects = self.signatures[0].moments.effects.as_ref();
        let (Some(base), Some(design), Some(effects)) =
            (&self.covariates, self.design(table)?, effects)
        else {
            return Ok(Vec::new());
        };
        let columns = base.coding.columns().iter().enumerate();
        let terms = columns.map(|(j, column)| {
            let (effect, variance) = (effects.mean[j + 1], effects.cov.at(j + 1, j + 1));
            let term = |&c: &f64| {
                let (adds, sd) = (unit * effect * c, (unit * c).abs() * variance.sqrt());
                Contribution::new(ScorePart::Covariate, column.name(), None, adds, sd)
            };
            design.col(j + 1).iter().map(term).collect()
        });
        Ok(terms.collect())
    }
}

/// What one feature adds; `at` is its place among all that the model needs.
#[derive(Clone)]
struct Term {
    at: usize,
    adds: f64,
    sd: f64,
}

/// What several parts add.
#[derive(Clone, Copy, Default)]
struct Sum {
    mean: f64,
    sd: f64,
    count: usize,
}
