//! What could stand in for a test that is missing, broken or expensive.

use std::collections::HashMap;
use std::ops::ControlFlow;

use rfvm::{Signatures, stats};
use serde::Serialize;

use super::evidence::Evidence;
use super::leave_one_out::SingleLoss;
use crate::catalogue::{Price, Ruling};
use crate::error::Error;
use crate::performance::{Performance, Uncertain};
use crate::resample::params;

/// How many stand-ins are named.
const NAMED: usize = 3;
/// Correlations below this say little about standing in.
const CORRELATED: f64 = 0.4;
/// Disjoint signatures that are looked for.
const SIGNATURES: usize = 5;

/// A test of the model and what could stand in for it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Replacement {
    /// The test.
    pub test: String,
    /// Its own price.
    pub price: Price,
    /// What is lost without it when everything else is fitted again, stand-ins included.
    pub loss: Performance,
    /// What could stand in, best first.
    pub by: Vec<SubstituteTest>,
}

/// A test that could stand in for another.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SubstituteTest {
    /// Its name.
    pub test: String,
    /// Its own price.
    pub price: Price,
    /// How it correlates with the other, over the subjects that have both.
    pub correlation: Option<Uncertain>,
    /// Share of the refits without the other that it came into.
    pub entered: f64,
    /// The alternative signature it belongs to, from 1, where the other belongs to another one.
    pub signature: Option<usize>,
    /// Whether the model uses it already.
    pub in_use: bool,
    /// Whether it has been retired and would have to be measured again.
    pub retired: bool,
}

pub(crate) fn replacements(
    evidence: &Evidence,
    singles: &[SingleLoss],
) -> Result<Vec<Replacement>, Error> {
    let (cohort, state) = (evidence.cohort, evidence.state);
    let signatures = Signatures {
        count: SIGNATURES,
        ..Signatures::default()
    };
    let data = cohort.dataset(&cohort.all_rows(), &cohort.all_tests())?;
    let model = params(signatures, Some(1))
        .check()?
        .fit_with(data, |_| (evidence.watch)("alternative signatures", 0, 1))?;
    if (evidence.watch)("alternative signatures", 1, 1) == ControlFlow::Break(()) {
        return Err(Error::Interrupted);
    }
    let signature_of = |name: &str| {
        let holds =
            |signature: &rfvm::Signature| signature.features().iter().any(|f| f.name == name);
        model.signatures().iter().position(holds).map(|at| at + 1)
    };
    let own_place: HashMap<usize, usize> = cohort
        .places
        .iter()
        .enumerate()
        .map(|(at, &place)| (place, at))
        .collect();
    // Everything that was ever measured and may be used, retired tests included.
    let known: Vec<usize> = (0..state.verdicts.len())
        .filter(|&place| state.verdicts[place] != Ruling::Never)
        .collect();
    let of_test = |&test: &usize| {
        let (place, name) = (cohort.places[test], &cohort.tests[test]);
        let single = &singles[test];
        let mut by: Vec<SubstituteTest> = known
            .iter()
            .filter(|&&other| other != place)
            .filter_map(|&other| {
                let at = own_place.get(&other).copied();
                let entered = single
                    .entered
                    .iter()
                    .find(|(newcomer, _)| Some(*newcomer) == at)
                    .map_or(0, |(_, fits)| *fits);
                let own = |row: &usize| (state.values[place][*row], state.values[other][*row]);
                let pairs: Vec<(f64, f64)> = cohort.rows.iter().map(own).collect();
                let strong =
                    correlation(&pairs, &cohort.all_rows()).is_some_and(|r| r.abs() >= CORRELATED);
                // Whenever a test is dropped some other one enters; only one that often does is a stand-in.
                if 2 * entered <= single.fits && !strong {
                    return None;
                }
                let signature = signature_of(&state.catalogue.tests[other].name);
                Some(SubstituteTest {
                    test: state.catalogue.tests[other].name.clone(),
                    price: state.catalogue.tests[other].price,
                    correlation: Uncertain::of(
                        &evidence.bootstrap,
                        |rows| correlation(&pairs, rows),
                        &cohort.all_rows(),
                    ),
                    entered: entered as f64 / single.fits.max(1) as f64,
                    signature: signature
                        .filter(|own| signature_of(name).is_some_and(|other| other != *own)),
                    in_use: at.is_some_and(|at| evidence.panel.contains(&at)),
                    retired: state.verdicts[other] == Ruling::Retired,
                })
            })
            .collect();
        let strength =
            |s: &SubstituteTest| s.correlation.map_or(0.0, |r| r.value.abs()) + 0.5 * s.entered;
        by.sort_by(|a, b| {
            strength(b)
                .total_cmp(&strength(a))
                .then(a.test.cmp(&b.test))
        });
        by.truncate(NAMED);
        Replacement {
            test: name.clone(),
            price: state.catalogue.tests[place].price,
            loss: single.loss,
            by,
        }
    };
    Ok(evidence.panel.iter().map(of_test).collect())
}

/// Pearson's correlation over the given rows that have both values; `None` for fewer than eight or a constant one.
fn correlation(pairs: &[(f64, f64)], rows: &[usize]) -> Option<f64> {
    let both: Vec<(f64, f64)> = rows
        .iter()
        .map(|&n| pairs[n])
        .filter(|(a, b)| !a.is_nan() && !b.is_nan())
        .collect();
    (both.len() >= 8)
        .then(|| stats::correlation(&both))
        .flatten()
}
