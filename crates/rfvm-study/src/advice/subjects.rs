//! Which subjects define the model, and which are near-equals of others for it.

use serde::Serialize;

use super::evidence::Evidence;
use crate::error::Error;

/// A subject that defines the model.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DefiningSubject {
    /// Its name.
    pub subject: String,
    /// Its class.
    pub class: String,
    /// Its coefficient in the model on all subjects; `None` where only resampled models have it.
    pub coefficient: Option<f64>,
    /// Share of the resampled models that it defines, of those that knew it.
    pub frequency: f64,
}

/// Subjects that the model can hardly tell apart.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NearEquals {
    /// Their names; the first stands for all.
    pub subjects: Vec<String>,
    /// Their class.
    pub class: String,
    /// The largest distance from the first, as a share of the model's own uncertainty about it.
    pub spread: f64,
}

/// Which subjects define the model.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Defining {
    /// The relevance vectors, and subjects that are in at least half of the resampled models.
    pub subjects: Vec<DefiningSubject>,
    /// Groups of near-equals, largest first.
    pub near_equals: Vec<NearEquals>,
    /// Subjects that are in a group and do not stand for it.
    pub redundant: usize,
    /// Subjects that define none of the resampled models.
    pub never: usize,
}

pub(crate) fn defining(evidence: &Evidence) -> Result<Defining, Error> {
    let cohort = evidence.cohort;
    let Some(model) = evidence.models.last() else {
        return Ok(Defining {
            subjects: Vec::new(),
            near_equals: Vec::new(),
            redundant: 0,
            never: cohort.len(),
        });
    };
    let vectors = model.signatures()[0].vectors();
    // Every subject is in the training part of all folds but one of each repeat.
    let known = evidence.resampling.folds.repeats() * (evidence.resampling.folds.count() - 1);
    let in_models = |name: &String| {
        (0..evidence.points.len())
            .filter(|&job| evidence.largest(job).vectors.contains(name))
            .count()
    };
    let mut subjects: Vec<DefiningSubject> = (0..cohort.len())
        .map(|n| DefiningSubject {
            subject: cohort.subjects[n].clone(),
            class: cohort.classes[cohort.labels[n]].clone(),
            coefficient: vectors
                .iter()
                .find(|v| v.sample == cohort.subjects[n])
                .map(|v| v.coefficient),
            frequency: in_models(&cohort.subjects[n]) as f64 / known.max(1) as f64,
        })
        .filter(|subject| subject.coefficient.is_some() || subject.frequency >= 0.5)
        .collect();
    let size = |s: &DefiningSubject| s.coefficient.map_or(0.0, f64::abs);
    subjects.sort_by(|a, b| {
        size(b)
            .total_cmp(&size(a))
            .then(b.frequency.total_cmp(&a.frequency))
    });
    let near_equals = near_equals(evidence)?;
    Ok(Defining {
        subjects,
        never: (cohort.subjects.iter())
            .filter(|name| in_models(name) == 0)
            .count(),
        redundant: near_equals
            .iter()
            .map(|group| group.subjects.len() - 1)
            .sum(),
        near_equals,
    })
}

/// Subjects of one class join the first subject that is nearer, in what each test contributes to the score, than the
/// model's standard deviation of that subject's score.
fn near_equals(evidence: &Evidence) -> Result<Vec<NearEquals>, Error> {
    let cohort = evidence.cohort;
    let Some(model) = evidence.models.last() else {
        return Ok(Vec::new());
    };
    let features = model.signatures()[0].features();
    let table = cohort.table(&cohort.all_rows(), &cohort.all_tests())?;
    let predictions = model.predict(&table)?;
    let tests = cohort.find(&model.needed_features());
    let contribution = |n: usize| -> Vec<f64> {
        let part = |(feature, &test): (&rfvm::Feature, &usize)| {
            let value = cohort.columns[test][n];
            let typical = feature.median.unwrap_or(feature.scale.mean);
            let known = if value.is_nan() { typical } else { value };
            feature.weight * feature.scale.apply(known)
        };
        features.iter().zip(&tests).map(part).collect()
    };
    let parts: Vec<Vec<f64>> = (0..cohort.len()).map(contribution).collect();
    let distance = |a: usize, b: usize| -> f64 {
        parts[a]
            .iter()
            .zip(&parts[b])
            .map(|(a, b)| (a - b).powi(2))
            .sum::<f64>()
            .sqrt()
    };
    let mut groups: Vec<(Vec<usize>, f64)> = Vec::new();
    for n in 0..cohort.len() {
        let near = groups.iter_mut().find_map(|group| {
            let first = group.0[0];
            let share =
                distance(first, n) / predictions[first].variance.sqrt().max(f64::MIN_POSITIVE);
            (cohort.labels[first] == cohort.labels[n] && share < 1.0).then_some((group, share))
        });
        match near {
            Some((group, share)) => {
                group.0.push(n);
                group.1 = group.1.max(share);
            }
            None => groups.push((vec![n], 0.0)),
        }
    }
    groups.retain(|(members, _)| members.len() > 1);
    groups.sort_by(|a, b| b.0.len().cmp(&a.0.len()).then(a.0.cmp(&b.0)));
    let named = |(members, spread): (Vec<usize>, f64)| NearEquals {
        class: cohort.classes[cohort.labels[members[0]]].clone(),
        subjects: members
            .iter()
            .map(|&n| cohort.subjects[n].clone())
            .collect(),
        spread,
    };
    Ok(groups.into_iter().map(named).collect())
}
