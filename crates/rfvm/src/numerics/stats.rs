//! Moments, quantiles and intervals.

/// Mean and standard deviation (divisor n - 1; 0 of a single value).
pub fn mean_and_sd(values: &[f64]) -> (f64, f64) {
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

/// Wilson's interval of a share among `count`, with `z` standard errors to each side (1.96: 95 %).
pub fn wilson(share: f64, count: f64, z: f64) -> (f64, f64) {
    let z2 = z * z;
    let centre = (share + z2 / (2.0 * count)) / (1.0 + z2 / count);
    let reach = z / (1.0 + z2 / count)
        * (share * (1.0 - share) / count + z2 / (4.0 * count * count)).sqrt();
    ((centre - reach).max(0.0), (centre + reach).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wilson_stays_within_its_range() {
        let (low, high) = wilson(0.0, 10.0, 1.96);
        assert!(low == 0.0 && high > 0.2 && high < 0.35, "{high}");
        let (low, high) = wilson(0.5, 100.0, 1.96);
        assert!((high - 0.5 - (0.5 - low)).abs() < 1e-12);
        // Brown, Cai and DasGupta's formula, by hand: 8 of 10.
        let (low, high) = wilson(0.8, 10.0, 1.96);
        assert!((low - 0.4902).abs() < 1e-4 && (high - 0.9433).abs() < 1e-4);
    }
}
