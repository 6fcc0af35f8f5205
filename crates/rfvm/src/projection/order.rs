//! An order of the rows that their values set, whatever their order in the table.
//!
//! Folds and shuffles go by position. Taken in this order they are the same for the same rows, so that a model does not
//! depend on how its table happens to be sorted. The keys are sums over the features that neither the order of the columns
//! nor their units or signs change but by rounding.

use crate::inference::prepare::Prepared;

/// The rows, those nearest to the features' means first.
pub(super) fn by_values(data: &Prepared) -> Vec<usize> {
    let mut keys = vec![[0.0; 2]; data.samples];
    for column in data.values.chunks_exact(data.samples) {
        for (key, x) in keys.iter_mut().zip(column) {
            let square = x * x;
            key[0] += square;
            key[1] += square * square;
        }
    }
    let mut rows: Vec<usize> = (0..data.samples).collect();
    let by_key = |&n: &usize, &m: &usize| {
        let (a, b) = (keys[n], keys[m]);
        let target = data.target[n].total_cmp(&data.target[m]);
        target.then(compare(a[0], b[0])).then(compare(a[1], b[1]))
    };
    rows.sort_by(by_key);
    rows
}

/// In single precision, so that sums that differ by rounding alone are equal.
fn compare(a: f64, b: f64) -> std::cmp::Ordering {
    (a as f32).total_cmp(&(b as f32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_that_differ_by_rounding_are_equal() {
        assert_eq!(compare(0.1 + 0.2, 0.3), std::cmp::Ordering::Equal);
        assert_eq!(compare(1.0, 1.0 + 1e-6), std::cmp::Ordering::Less);
    }
}
