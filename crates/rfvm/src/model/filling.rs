//! What takes the place of values that samples lack, and how much wider that makes what a signature says of them.

use crate::numerics::linalg::Dense;
use crate::posterior::companions::Conditional;
use crate::posterior::moments::WeightCovariance;
use crate::posterior::signature::Signature;

/// Values that some rows lack: the same ones, so that they have one distribution.
pub(super) struct GapSet {
    /// Positions among the model's features.
    pub(super) missing: Vec<usize>,
    /// Places among the correlations of what is known.
    pub(super) known: Vec<usize>,
    pub(super) given: Conditional,
}

/// What takes the place of gaps, row by row.
pub(super) struct Filling {
    pub(super) sets: Vec<GapSet>,
    pub(super) of_row: Vec<Option<usize>>,
    /// The means of what each row lacks.
    pub(super) means: Vec<Vec<f64>>,
}

impl Filling {
    /// Puts what is said of rows with gaps in the place of what a signature says, whose features are the model's from `first`
    /// on and whose values are these, beside the coded covariates.
    pub(super) fn widen(
        &self,
        (signature, first): (&Signature, usize),
        columns: &[Vec<f64>],
        design: Option<&Dense>,
        said: &mut [(f64, f64)],
    ) {
        if self.sets.is_empty() {
            return;
        }
        let moments = &signature.moments;
        let (latent, weights) = (moments.latent(), moments.weights());
        let covariance = moments.weight_covariance();
        let count = columns.len();
        let own = |missing: usize| missing.checked_sub(first).filter(|&d| d < count);
        let added = |set: &GapSet| {
            let own: Vec<(usize, usize)> = (set.missing.iter().enumerate())
                .filter_map(|(at, &missing)| Some((at, own(missing)?)))
                .collect();
            let product = |i: usize, j: usize| {
                let of_weights = match &covariance {
                    WeightCovariance::Joint(cov) => cov.at(i, j),
                    WeightCovariance::Independent(var) if i == j => var[i],
                    WeightCovariance::Independent(_) => 0.0,
                };
                of_weights + weights[i] * weights[j]
            };
            let of = |&(at, i): &(usize, usize)| match &set.given.covariance {
                None => product(i, i),
                Some(cov) => (own.iter())
                    .map(|&(other, j)| product(i, j) * cov.at(at, other))
                    .sum(),
            };
            own.iter().map(of).sum::<f64>().max(0.0)
        };
        let added: Vec<f64> = self.sets.iter().map(added).collect();
        let features = signature.features();
        for (n, said) in said.iter_mut().enumerate() {
            let Some(set) = self.of_row[n] else { continue };
            let mut x: Vec<f64> = (features.iter().zip(columns))
                .map(|(feature, column)| feature.scale.apply(column[n]))
                .collect();
            for (&missing, &mean) in self.sets[set].missing.iter().zip(&self.means[n]) {
                if let Some(d) = own(missing) {
                    x[d] = mean;
                }
            }
            if let Some(design) = design {
                x.extend((1..design.cols()).map(|j| design.at(n, j)));
            }
            let (mean, variance) = latent(&x);
            *said = (mean, variance + added[set]);
        }
    }
}
