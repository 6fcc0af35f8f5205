//! Thresholds: what is found and missed above one, and which to take for a wanted sensitivity or specificity.

use std::ops::ControlFlow;

use super::evaluation::{Evaluation, FoldResult};
use super::measures::{AtThreshold, CalibrationMeasures, NetBenefit, Wanted};
use super::unseen_rows::{ANY, UnseenRows};
use crate::data::{Dataset, Folds};
use crate::error::{Error, require};
use crate::params::CheckedParams;

/// Folds of the training rows by which a threshold is chosen.
const INNER_FOLDS: usize = 5;
/// Where net benefit is told without being asked for.
const THRESHOLDS: [f64; 5] = [0.1, 0.2, 0.3, 0.4, 0.5];

impl UnseenRows<'_> {
    /// What a threshold, one for each fold, finds and misses.
    pub(super) fn at_threshold(
        &self,
        of: impl Fn(&FoldResult) -> f64,
        threshold: f64,
    ) -> AtThreshold {
        let taken = |fold: &FoldResult, p: f64| p > of(fold);
        AtThreshold {
            threshold,
            range: None,
            wanted: None,
            sensitivity: self.share(|fold, label, p| (taken(fold, p), label == 1)),
            specificity: self.share(|fold, label, p| (!taken(fold, p), label == 0)),
            ppv: self.share(|fold, label, p| (label == 1, taken(fold, p))),
            npv: self.share(|fold, label, p| (label == 0, !taken(fold, p))),
        }
    }

    /// Net benefit at one threshold.
    fn net_benefit(&self, threshold: f64) -> Option<NetBenefit> {
        let odds = threshold / (1.0 - threshold);
        let gain = |label: usize| if label == 1 { 1.0 } else { -odds };
        let acted = |label, p| if p > threshold { gain(label) } else { 0.0 };
        let count = self.labels.len() as f64;
        Some(NetBenefit {
            threshold,
            model: self.mean(acted, ANY)?,
            all: self.labels.iter().map(|&label| gain(label)).sum::<f64>() / count,
        })
    }

    /// What could not be computed or was computed otherwise, and why, a sentence each.
    pub(super) fn notes(
        &self,
        calibration: &CalibrationMeasures,
        thresholds: &[AtThreshold],
    ) -> Vec<String> {
        let mut notes = Vec::new();
        if self.is_pooled() {
            notes.push("Some folds lack a class: there the AUC compares scores across the folds of a repeat, each relative to the base rate of its training rows.".to_string());
        }
        notes.extend(absent(calibration, thresholds));
        notes
    }

    pub(super) fn net_benefits(&self, asked: f64) -> Vec<NetBenefit> {
        let mut thresholds = THRESHOLDS.to_vec();
        if !thresholds.contains(&asked) {
            thresholds.push(asked);
            thresholds.sort_by(f64::total_cmp);
        }
        let found = thresholds.into_iter();
        found
            .filter_map(|threshold| self.net_benefit(threshold))
            .collect()
    }
}

/// Measures that have no value, and why, a sentence each.
pub(super) fn absent(calibration: &CalibrationMeasures, thresholds: &[AtThreshold]) -> Vec<String> {
    let mut notes = Vec::new();
    if calibration.slope.is_none() {
        notes.push(
            "There is no calibration slope: the predictions separate the classes or do not differ."
                .to_string(),
        );
    }
    for at in thresholds {
        for (measure, what, side) in [(at.ppv, "PPV", "above"), (at.npv, "NPV", "below")] {
            if measure.is_none() {
                let threshold = at.threshold;
                notes.push(format!(
                    "There is no {what}: no probability is {side} the threshold {threshold}."
                ));
            }
        }
    }
    notes
}

impl Evaluation {
    /// With sensitivity, specificity, predictive values and net benefit at this threshold instead of one half; a regression
    /// and an evaluation that does not know the labels are left alone.
    pub fn with_threshold(mut self, threshold: f64) -> Result<Self, Error> {
        let fine = threshold > 0.0 && threshold < 1.0;
        require(fine, "threshold", threshold, "a number between 0 and 1")?;
        let calibration = self.calibration;
        let found = UnseenRows::of(&self)
            .zip(calibration)
            .map(|(unseen, calibration)| {
                let thresholds = vec![unseen.at_threshold(|_| threshold, threshold)];
                let notes = unseen.notes(&calibration, &thresholds);
                (thresholds, unseen.net_benefits(threshold), notes)
            });
        if let Some((thresholds, benefits, notes)) = found {
            self.thresholds = thresholds;
            self.net_benefit = benefits;
            self.notes = notes;
        }
        Ok(self)
    }
}

impl CheckedParams {
    /// Chooses a threshold in every fold of an evaluation for each wanted sensitivity or specificity, and puts what it
    /// reaches on the fold's test rows into the evaluation. The choice is made on predictions of training rows by fits to
    /// other training rows, with folds drawn by `seed`; the test rows have no part in it. `on_fold` as in
    /// [`CheckedParams::evaluate`]; after a break nothing is put in.
    pub fn evaluate_thresholds(
        &self,
        data: &Dataset,
        evaluation: &mut Evaluation,
        wanted: &[Wanted],
        seed: u64,
        on_fold: impl Fn(usize, usize) -> ControlFlow<()> + Sync,
    ) -> Result<(), Error> {
        for wanted in wanted {
            let (Wanted::Sensitivity(share) | Wanted::Specificity(share)) = *wanted;
            let name = match wanted {
                Wanted::Sensitivity(_) => "sensitivity",
                Wanted::Specificity(_) => "specificity",
            };
            require(
                share > 0.0 && share <= 1.0,
                name,
                share,
                "a number above 0 and at most 1",
            )?;
        }
        if data.labels().is_empty() {
            return Err(Error::Target("a regression has no threshold"));
        }
        let total = evaluation.results.len();
        let mut chosen: Vec<Vec<Option<f64>>> = vec![Vec::new(); wanted.len()];
        for (done, fold) in evaluation.results.iter().enumerate() {
            let inner = inner_predictions(self, data, fold, seed)?;
            for (chosen, wanted) in chosen.iter_mut().zip(wanted) {
                let inner = inner.as_ref();
                chosen.push(inner.and_then(|(labels, p)| choose(*wanted, labels, p)));
            }
            if on_fold(done + 1, total).is_break() {
                return Ok(());
            }
        }
        for (chosen, &wanted) in chosen.into_iter().zip(wanted) {
            put_in(evaluation, &chosen, wanted);
        }
        Ok(())
    }
}

fn put_in(evaluation: &mut Evaluation, chosen: &[Option<f64>], wanted: Wanted) {
    let all: Option<Vec<f64>> = chosen.iter().copied().collect();
    let (what, share) = match wanted {
        Wanted::Sensitivity(share) => ("sensitivity", share),
        Wanted::Specificity(share) => ("specificity", share),
    };
    let Some(all) = all.filter(|all| !all.is_empty()) else {
        evaluation.notes.push(format!(
            "There is no threshold for a {what} of {share}: a fold's training rows are too few to be cut once more."
        ));
        return;
    };
    let of = |fold: &FoldResult| {
        let place = (evaluation.results.iter())
            .position(|r| (r.repeat, r.fold) == (fold.repeat, fold.fold));
        place.map_or(0.5, |at| all[at])
    };
    let mean = all.iter().sum::<f64>() / all.len() as f64;
    let range = all.iter().fold((1.0, 0.0), |(low, high): (f64, f64), &t| {
        (low.min(t), high.max(t))
    });
    let found = UnseenRows::of(evaluation).map(|unseen| AtThreshold {
        range: Some(range),
        wanted: Some(wanted),
        ..unseen.at_threshold(of, mean)
    });
    evaluation.thresholds.extend(found);
}

/// Labels and probabilities.
type Labelled = (Vec<usize>, Vec<f64>);

/// Labels of a fold's training rows and what fits to others of them say; `None` where they are too few to be cut once more.
fn inner_predictions(
    params: &CheckedParams,
    data: &Dataset,
    fold: &FoldResult,
    seed: u64,
) -> Result<Option<Labelled>, Error> {
    let train: Vec<usize> = (0..data.table().samples())
        .filter(|row| !fold.rows.contains(row))
        .collect();
    let training = data.rows(&train)?;
    let labels = training.labels();
    let positive = labels.iter().sum::<usize>();
    let smallest = positive.min(labels.len() - positive);
    let Ok(inner) = Folds::stratified(
        labels,
        training.groups(),
        INNER_FOLDS.min(smallest),
        1,
        seed,
    ) else {
        return Ok(None);
    };
    let go_on = |_, _| ControlFlow::Continue(());
    let found = match params.evaluate(&training, &inner, go_on) {
        // Groups can leave a class out of a part of the rows.
        Err(Error::ClassTooSmall { .. }) => return Ok(None),
        found => found?,
    };
    let mut said = vec![0.5; labels.len()];
    for result in found.iter().flat_map(|found| &found.results) {
        for (&row, &p) in result.rows.iter().zip(&result.predicted) {
            said[row] = p;
        }
    }
    Ok(Some((labels.to_vec(), said)))
}

/// The highest threshold with the wanted sensitivity, or the lowest with the wanted specificity, halfway to the next
/// probability; `None` where the class is absent.
fn choose(wanted: Wanted, labels: &[usize], probability: &[f64]) -> Option<f64> {
    let of_class = |class: usize| {
        let own = labels
            .iter()
            .zip(probability)
            .filter(|(label, _)| **label == class);
        let mut own: Vec<f64> = own.map(|(_, &p)| p).collect();
        own.sort_by(f64::total_cmp);
        own
    };
    let needed = |share: f64, count: usize| (share * count as f64 - 1e-9).ceil() as usize;
    let (at, up) = match wanted {
        Wanted::Sensitivity(share) => {
            let positive = of_class(1);
            let found = needed(share, positive.len());
            (*positive.get(positive.len().checked_sub(found)?)?, false)
        }
        Wanted::Specificity(share) => {
            let negative = of_class(0);
            (
                *negative.get(needed(share, negative.len()).checked_sub(1)?)?,
                true,
            )
        }
    };
    let others = probability.iter().copied();
    let next = match up {
        true => others.filter(|&p| p > at).fold(1.0, f64::min),
        false => others.filter(|&p| p < at).fold(0.0, f64::max),
    };
    Some(0.5 * (at + next))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::params::Params;
    use crate::simulate::Simulation;

    #[test]
    fn a_threshold_reaches_what_was_wanted_where_it_was_chosen_and_no_more_than_needed() {
        let labels = [0, 0, 0, 0, 1, 1, 1, 1, 1];
        let p = [0.1, 0.2, 0.6, 0.7, 0.3, 0.5, 0.65, 0.8, 0.9];
        let sensitivity = |t: f64| {
            labels
                .iter()
                .zip(p)
                .filter(|(l, p)| **l == 1 && *p > t)
                .count()
        };
        let chosen = choose(Wanted::Sensitivity(0.8), &labels, &p).unwrap();
        assert_eq!(sensitivity(chosen), 4);
        assert!((chosen - 0.4).abs() < 1e-12);
        let chosen = choose(Wanted::Specificity(0.75), &labels, &p).unwrap();
        assert!((chosen - 0.625).abs() < 1e-12);
        assert_eq!(choose(Wanted::Sensitivity(0.9), &[0, 0], &[0.1, 0.2]), None);
        // Equal probabilities all round: everything is taken for positive, or nothing.
        assert!(choose(Wanted::Sensitivity(0.9), &[0, 1], &[0.5; 2]).unwrap() < 0.5);
        assert!(choose(Wanted::Specificity(0.9), &[0, 1], &[0.5; 2]).unwrap() > 0.5);
    }

    #[test]
    fn wanted_sensitivity_is_about_reached_on_rows_that_had_no_part_in_the_choice() {
        let simulation = Simulation {
            samples: 90,
            features: 40,
            informative: 2,
            effect: 1.5,
            ..Simulation::default()
        };
        let data = simulation.draw().unwrap().data;
        let folds = Folds::stratified(data.labels(), None, 3, 1, 1).unwrap();
        let params = Params::signatures().check().unwrap();
        let go_on = |_, _| ControlFlow::Continue(());
        let mut evaluation = params.evaluate(&data, &folds, go_on).unwrap().unwrap();
        let plain = evaluation.thresholds[0].sensitivity.unwrap().mean;
        let wanted = [Wanted::Sensitivity(0.95), Wanted::Specificity(0.95)];
        params
            .evaluate_thresholds(&data, &mut evaluation, &wanted, 1, go_on)
            .unwrap();
        let [half, sensitive, specific] = evaluation.thresholds.as_slice() else {
            panic!("{:?}", evaluation.thresholds);
        };
        assert_eq!(half.threshold, 0.5);
        let reached = sensitive.sensitivity.unwrap();
        assert!(reached.mean >= 0.85 && reached.mean >= plain, "{reached:?}");
        assert!(specific.specificity.unwrap().mean >= 0.85);
        assert!(sensitive.threshold < specific.threshold);
        let (low, high) = sensitive.range.unwrap();
        assert!(low <= sensitive.threshold && sensitive.threshold <= high);
        let wrong = params.evaluate_thresholds(
            &data,
            &mut evaluation,
            &[Wanted::Sensitivity(90.0)],
            1,
            go_on,
        );
        assert!(wrong.unwrap_err().to_string().contains("sensitivity is 90"));
    }
}
