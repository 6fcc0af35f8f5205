//! Moments and quantiles of some numbers.

/// Mean and standard deviation (divisor n - 1; 0 of a single value).
pub(crate) fn mean_and_sd(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, (squares / (n - 1.0).max(1.0)).sqrt())
}

/// The middle value (the mean of the middle two); the order of the values is lost.
pub(crate) fn median(values: &mut [f64]) -> Option<f64> {
    let middle = values.len() / 2;
    let even = values.len().is_multiple_of(2);
    let (below, &mut upper, _) =
        (!values.is_empty()).then(|| values.select_nth_unstable_by(middle, f64::total_cmp))?;
    let lower = below.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    Some(if even {
        lower + 0.5 * (upper - lower)
    } else {
        upper
    })
}
