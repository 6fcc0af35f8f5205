//! Cross-validation of a model of several classes: measures over all of them and of each against the rest.

use std::ops::ControlFlow;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::evaluation::{FoldResult, Selection};
use super::measures::Estimate;
use super::metrics::row_loss;
use super::summarise::selection;
use super::unseen_rows::UnseenRows;
use crate::data::{Dataset, Folds, Provenance, Target};
use crate::error::Error;
use crate::model::likeliest;
use crate::params::{CheckedParams, Parameters};
use crate::posterior::trace::StopReason;

/// What one fold gave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct ClassesFold {
    pub repeat: usize,
    pub fold: usize,
    pub accuracy: f64,
    /// Multinomial.
    pub log_loss: f64,
    pub features: usize,
    pub vectors: usize,
    pub fit_seconds: f64,
    pub stop: StopReason,
    /// Features that the fit selected.
    #[serde(default)]
    pub selected: Vec<String>,
    /// The test rows, as positions in [`ClassesEvaluation::samples`].
    pub rows: Vec<usize>,
    /// Probability of every class for each of them.
    pub predicted: Vec<Vec<f64>>,
    /// Share of every class among the training rows.
    pub base: Vec<f64>,
}

/// How well one class is told from the rest. What no row can tell is `None`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClassMeasures {
    /// Its name.
    pub class: String,
    /// Its samples.
    pub samples: usize,
    /// AUC of its probability against all other classes.
    pub auc: Option<Estimate>,
    /// Share of its samples that are taken for it.
    pub recall: Option<Estimate>,
    /// Share of it among the samples that are taken for it.
    pub precision: Option<Estimate>,
}

/// The result of a cross-validation with several classes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct ClassesEvaluation {
    pub n: usize,
    pub d: usize,
    pub repeats: usize,
    pub folds: usize,
    /// Names of the classes.
    pub classes: Vec<String>,
    /// Share of samples whose likeliest class is right.
    pub accuracy: Option<Estimate>,
    /// Mean of the classes' recalls; its ends are the means of theirs, which takes their errors as fully dependent.
    pub balanced_accuracy: Option<Estimate>,
    /// Mean of the classes' AUCs against the rest; its ends likewise.
    pub macro_auc: Option<Estimate>,
    /// Multinomial log loss.
    pub log_loss: Option<Estimate>,
    /// The same of the classes' shares among the training rows.
    pub base_log_loss: Option<Estimate>,
    pub per_class: Vec<ClassMeasures>,
    /// Samples of each class (row) by the class that they are taken for (column), a mean over the repeats.
    pub confusion: Vec<Vec<f64>>,
    pub features: Estimate,
    pub vectors: Estimate,
    pub fit_seconds: Estimate,
    /// Fits that found no signal.
    pub no_signal: usize,
    pub selection: Vec<Selection>,
    pub results: Vec<ClassesFold>,
    /// Names of the samples.
    pub samples: Vec<String>,
    /// The class of every sample, as a position in `classes`.
    pub labels: Vec<usize>,
    /// The group of every sample, where there are groups.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub groups: Option<Vec<usize>>,
    /// [`crate::Dataset::fingerprint`] of the data.
    pub data: String,
    /// The parameters of the fits.
    pub parameters: Parameters,
    /// How the data came about, where whoever read them has said so.
    #[serde(flatten)]
    pub provenance: Provenance,
}

impl CheckedParams {
    /// Cross-validates models of several classes, as [`CheckedParams::evaluate`] does those of two.
    pub fn evaluate_classes(
        &self,
        data: &Dataset,
        folds: &Folds,
        on_fold: impl Fn(usize, usize) -> ControlFlow<()> + Sync,
    ) -> Result<Option<ClassesEvaluation>, Error> {
        let results = self.over_folds(folds, on_fold, |params, repeat, fold| {
            one_fold(params, data, folds, (repeat, fold))
        })?;
        Ok(results.map(|results| summarise(self, data, folds, results)))
    }
}

fn one_fold(
    params: &CheckedParams,
    data: &Dataset,
    folds: &Folds,
    (repeat, fold): (usize, usize),
) -> Result<ClassesFold, Error> {
    let (train, test) = folds.split(repeat, fold);
    let training = data.rows(&train)?;
    let labels = data.labels();
    let classes = names(data).len();
    let base = (0..classes).map(|class| {
        let rows = train.iter().filter(|&&n| labels[n] == class).count();
        rows as f64 / train.len() as f64
    });
    let base = base.collect();
    let start = Instant::now();
    let model = match params.fit_classes(training) {
        // What is left may be one group, and nothing of it can be held back whole: the fold itself still is.
        Err(Error::Groups(_)) => params.fit_classes(data.rows(&train)?.without_groups())?,
        fitted => fitted?,
    };
    let fit_seconds = start.elapsed().as_secs_f64();
    let said = model.predict(&data.table().rows(&test)?)?;
    let predicted: Vec<Vec<f64>> = said.into_iter().map(|said| said.probability).collect();
    let rows = || test.iter().map(|&n| labels[n]).zip(&predicted);
    let count = test.len() as f64;
    let right = rows().filter(|(label, p)| likeliest(p) == *label).count();
    let loss: f64 = rows().map(|(label, p)| row_loss(1, p[label])).sum();
    Ok(ClassesFold {
        repeat,
        fold,
        accuracy: right as f64 / count,
        log_loss: loss / count,
        features: model.feature_count(),
        vectors: model.vector_count(),
        fit_seconds,
        stop: model.stop_reason(),
        selected: model.needed_features(),
        rows: test,
        predicted,
        base,
    })
}

fn names(data: &Dataset) -> &[String] {
    match data.target() {
        Target::Classes { names, .. } => names,
        Target::Values(_) => &[],
    }
}

fn summarise(
    params: &CheckedParams,
    data: &Dataset,
    folds: &Folds,
    results: Vec<ClassesFold>,
) -> ClassesEvaluation {
    let (labels, names) = (data.labels(), names(data));
    let unseen = UnseenClasses {
        labels,
        groups: data.groups(),
        repeats: folds.repeats(),
        results: &results,
    };
    let per_class: Vec<ClassMeasures> = (0..names.len())
        .map(|class| unseen.measures(class, &names[class]))
        .collect();
    // n_test / n_train of equal folds.
    let overlap = 1.0 / (folds.count() as f64 - 1.0);
    let count = |of: &dyn Fn(&ClassesFold) -> f64| {
        let values: Vec<f64> = results.iter().map(of).collect();
        Estimate::resampled(&values, overlap, (0.0, f64::INFINITY)).unwrap_or(Estimate::ZERO)
    };
    let mean_of = |of: &dyn Fn(&ClassMeasures) -> Option<Estimate>| {
        mean(&per_class.iter().filter_map(of).collect::<Vec<_>>())
    };
    ClassesEvaluation {
        n: data.table().samples(),
        d: data.table().features(),
        repeats: folds.repeats(),
        folds: folds.count(),
        classes: names.to_vec(),
        accuracy: unseen.accuracy(),
        balanced_accuracy: mean_of(&|class| class.recall),
        macro_auc: mean_of(&|class| class.auc),
        log_loss: unseen.loss(|fold, n| &fold.predicted[n]),
        base_log_loss: unseen.loss(|fold, _| &fold.base),
        confusion: unseen.confusion(names.len()),
        features: count(&|fold| fold.features as f64),
        vectors: count(&|fold| fold.vectors as f64),
        fit_seconds: count(&|fold| fold.fit_seconds),
        no_signal: (results.iter())
            .filter(|fold| fold.stop == StopReason::NoSignal)
            .count(),
        selection: selection(results.iter().map(|fold| &fold.selected[..])),
        samples: data.table().sample_names().to_vec(),
        labels: labels.to_vec(),
        groups: data.groups().map(<[usize]>::to_vec),
        data: data.fingerprint(),
        parameters: params.parameters_for(data),
        provenance: Provenance::default(),
        per_class,
        results,
    }
}

/// The mean of some classes' estimates, and of their ends and spreads.
fn mean(of: &[Estimate]) -> Option<Estimate> {
    let mean = |part: fn(&Estimate) -> f64| of.iter().map(part).sum::<f64>() / of.len() as f64;
    (!of.is_empty()).then(|| Estimate {
        mean: mean(|own| own.mean),
        sd: mean(|own| own.sd),
        low: mean(|own| own.low),
        high: mean(|own| own.high),
    })
}

/// What the fits said of rows that they had not seen.
struct UnseenClasses<'e> {
    labels: &'e [usize],
    groups: Option<&'e [usize]>,
    repeats: usize,
    results: &'e [ClassesFold],
}

impl UnseenClasses<'_> {
    /// Asks as of two classes, with labels and predictions of two: `said` gives that of a fold's n-th row.
    fn as_two<T>(
        &self,
        labels: &[usize],
        said: impl Fn(&ClassesFold, usize) -> f64,
        base: impl Fn(&ClassesFold) -> Option<f64>,
        ask: impl Fn(&UnseenRows) -> T,
    ) -> T {
        let fold = |own: &ClassesFold| FoldResult {
            fold: own.fold,
            features: own.features,
            rows: own.rows.clone(),
            predicted: (0..own.rows.len()).map(|n| said(own, n)).collect(),
            base: base(own),
            ..FoldResult::given(own.repeat, &[])
        };
        let results: Vec<FoldResult> = self.results.iter().map(fold).collect();
        ask(&UnseenRows::new(
            labels,
            self.groups,
            &results,
            self.repeats,
        ))
    }

    fn accuracy(&self) -> Option<Estimate> {
        let right = |fold: &ClassesFold, n: usize| {
            f64::from(likeliest(&fold.predicted[n]) == self.labels[fold.rows[n]])
        };
        let all = vec![1; self.labels.len()];
        self.as_two(&all, right, |_| None, |rows| rows.accuracy())
    }

    /// The log loss of what `said` gives of a fold's n-th row.
    fn loss<'s>(&'s self, said: impl Fn(&'s ClassesFold, usize) -> &'s [f64]) -> Option<Estimate> {
        let probability: Vec<Vec<f64>> = (self.results.iter())
            .map(|fold| {
                let rows = fold.rows.iter().enumerate();
                rows.map(|(n, &row)| said(fold, n)[self.labels[row]])
                    .collect()
            })
            .collect();
        let all = vec![1; self.labels.len()];
        let folds = self.results.iter().zip(probability);
        let results: Vec<FoldResult> = folds
            .map(|(fold, predicted)| FoldResult {
                rows: fold.rows.clone(),
                ..FoldResult::given(fold.repeat, &predicted)
            })
            .collect();
        let rows = UnseenRows::new(&all, self.groups, &results, self.repeats);
        rows.mean(row_loss, (0.0, f64::INFINITY))
    }

    fn measures(&self, class: usize, name: &str) -> ClassMeasures {
        let labels: Vec<usize> = (self.labels.iter())
            .map(|&label| usize::from(label == class))
            .collect();
        let taken =
            |fold: &ClassesFold, n: usize| f64::from(likeliest(&fold.predicted[n]) == class);
        let none = |_: &ClassesFold| None;
        let said = |fold: &ClassesFold, n: usize| fold.predicted[n][class];
        let base = |fold: &ClassesFold| Some(fold.base[class]);
        ClassMeasures {
            class: name.to_string(),
            samples: labels.iter().sum(),
            auc: self.as_two(&labels, said, base, |rows| rows.auc()),
            recall: self.as_two(&labels, taken, none, |rows| {
                rows.share(|_, label, p| (p > 0.5, label == 1))
            }),
            precision: self.as_two(&labels, taken, none, |rows| {
                rows.share(|_, label, p| (label == 1, p > 0.5))
            }),
        }
    }

    fn confusion(&self, classes: usize) -> Vec<Vec<f64>> {
        let mut confusion = vec![vec![0.0; classes]; classes];
        for fold in self.results {
            for (&row, p) in fold.rows.iter().zip(&fold.predicted) {
                confusion[self.labels[row]][likeliest(p)] += 1.0 / self.repeats as f64;
            }
        }
        confusion
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn fold(rows: Vec<usize>, predicted: Vec<Vec<f64>>) -> ClassesFold {
        ClassesFold {
            repeat: 0,
            fold: 0,
            accuracy: 0.0,
            log_loss: 0.0,
            features: 1,
            vectors: 1,
            fit_seconds: 0.0,
            stop: StopReason::Converged,
            selected: Vec::new(),
            rows,
            predicted,
            base: vec![0.5, 0.25, 0.25],
        }
    }

    #[test]
    fn measures_agree_with_hand_counts() {
        let labels = [0, 1, 2, 0, 1, 0];
        let results = [
            fold(
                vec![0, 1, 2],
                vec![
                    vec![0.7, 0.2, 0.1],
                    vec![0.3, 0.6, 0.1],
                    vec![0.5, 0.1, 0.4],
                ],
            ),
            fold(
                vec![3, 4, 5],
                vec![
                    vec![0.8, 0.1, 0.1],
                    vec![0.6, 0.3, 0.1],
                    vec![0.2, 0.3, 0.5],
                ],
            ),
        ];
        let unseen = UnseenClasses {
            labels: &labels,
            groups: None,
            repeats: 1,
            results: &results,
        };
        assert_eq!(
            unseen.confusion(3),
            [[2.0, 0.0, 1.0], [1.0, 1.0, 0.0], [1.0, 0.0, 0.0]]
        );
        assert!((unseen.accuracy().unwrap().mean - 0.5).abs() < 1e-12);
        let first = unseen.measures(0, "first");
        assert!((first.recall.unwrap().mean - 2.0 / 3.0).abs() < 1e-12);
        assert!((first.precision.unwrap().mean - 0.5).abs() < 1e-12);
        // Each fold has both kinds: 1 and 0.5.
        assert!((first.auc.unwrap().mean - 0.75).abs() < 1e-12, "{first:?}");
        let want: f64 = [0.7, 0.6, 0.4, 0.8, 0.3, 0.2]
            .iter()
            .map(|p: &f64| -p.ln())
            .sum();
        let loss = unseen.loss(|fold, n| &fold.predicted[n]).unwrap();
        assert!((loss.mean - want / 6.0).abs() < 1e-12);
        let base = unseen.loss(|fold, _| &fold.base).unwrap();
        let want = 0.5 * 2_f64.ln() + 0.5 * 4_f64.ln();
        assert!((base.mean - want).abs() < 1e-12);
    }
}
