//! The little linear algebra the rivals need, over faer.

use faer::prelude::*;
use faer::{Mat, Side};

/// Solves A x = b and gives A^-1 too, for a symmetric positive A; `None` where it is not.
pub(crate) fn solve_and_invert(a: &Mat<f64>, b: &[f64]) -> Option<(Vec<f64>, Mat<f64>)> {
    let factor = a.llt(Side::Lower).ok()?;
    let rhs = Mat::from_fn(b.len(), 1, |i, _| b[i]);
    let solution = factor.solve(&rhs);
    let inverse = factor.solve(Mat::<f64>::identity(b.len(), b.len()));
    Some(((0..b.len()).map(|i| solution[(i, 0)]).collect(), inverse))
}

/// L^-1 M where A = LL'.
pub(crate) fn forward_solve(a: &Mat<f64>, m: &Mat<f64>) -> Option<Mat<f64>> {
    let factor = a.llt(Side::Lower).ok()?;
    let mut out = m.clone();
    factor.L().solve_lower_triangular_in_place(&mut out);
    Some(out)
}
