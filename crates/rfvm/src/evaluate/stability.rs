//! How alike the selections of several fits are: the measure of Nogueira, Sechidis and Brown (2018).

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

/// Stability of a selection with its approximate 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Stability {
    /// 1 where all fits select the same features, about 0 where each selects at random.
    pub value: f64,
    /// Its standard error, fits taken as independent; folds of a cross-validation share rows, so it is a little small.
    pub se: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval, at most 1.
    pub high: f64,
}

/// The stability of what M fits selected among d features:
///
/// ```text
/// Φ = 1 - mean_f(s²_f) / (k/d (1 - k/d)),   s²_f = M/(M-1) p_f (1 - p_f)
/// ```
///
/// with p_f the share of the fits that selected feature f, and k the mean number of selected features. The interval is
/// the normal one of the same paper (theorem 7). `None` for fewer than two fits, and where nothing or everything was
/// selected, which has no stability.
pub fn stability<S: AsRef<[String]>>(selections: &[S], features: usize) -> Option<Stability> {
    let (m, d) = (selections.len() as f64, features as f64);
    let mut counts: HashMap<&str, f64> = HashMap::new();
    for name in selections.iter().flat_map(|selection| selection.as_ref()) {
        *counts.entry(name).or_default() += 1.0;
    }
    let sizes: Vec<f64> = (selections.iter())
        .map(|selection| selection.as_ref().len() as f64)
        .collect();
    let k = sizes.iter().sum::<f64>() / m;
    let chance = k / d * (1.0 - k / d);
    // NaN, for no fits or features, is no stability either.
    let usable = selections.len() > 1 && chance > 0.0;
    usable.then_some(())?;
    let variances = counts.values().map(|count| {
        let p = count / m;
        m / (m - 1.0) * p * (1.0 - p)
    });
    let value = 1.0 - variances.sum::<f64>() / d / chance;
    let parts: Vec<f64> = selections
        .iter()
        .zip(&sizes)
        .map(|(selection, size)| {
            let common: f64 = (selection.as_ref().iter())
                .map(|name| counts[name.as_str()] / m)
                .sum();
            let drift = 2.0 * k * size / (d * d) - size / d - k / d + 1.0;
            (common / d - size * k / (d * d) + 0.5 * value * drift) / chance
        })
        .collect();
    let mean = parts.iter().sum::<f64>() / m;
    let squares: f64 = parts.iter().map(|part| (part - mean).powi(2)).sum();
    let se = 2.0 / m * squares.sqrt();
    Some(Stability {
        value,
        se,
        low: value - 1.96 * se,
        high: (value + 1.96 * se).min(1.0),
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn fits(names: &[&str]) -> Vec<Vec<String>> {
        let letters = |fit: &&str| fit.chars().map(String::from).collect();
        names.iter().map(letters).collect()
    }

    #[test]
    fn equal_selections_are_stable_and_disjoint_ones_worse_than_chance() {
        let same = stability(&fits(&["ab", "ab", "ab"]), 10).unwrap();
        assert!((same.value - 1.0).abs() < 1e-12 && same.se < 1e-12);
        // Two fits of one feature each, different: s² = 1/2 for two features of ten, over 0.1 * 0.9.
        let apart = stability(&fits(&["a", "b"]), 10).unwrap();
        assert!((apart.value - (1.0 - 0.1 / 0.09)).abs() < 1e-12);
    }

    #[test]
    fn an_uneven_example_agrees_with_the_formulas_on_the_whole_matrix() {
        // Written out over every cell of the 4 x 6 matrix of zeros and ones, as the paper has it.
        let selections = fits(&["abc", "abd", "ab", "ace"]);
        let z: Vec<[f64; 6]> = (selections.iter())
            .map(|fit| {
                ["a", "b", "c", "d", "e", "f"].map(|f| f64::from(fit.contains(&f.to_string())))
            })
            .collect();
        let (m, d) = (4.0, 6.0);
        let p: Vec<f64> = (0..6)
            .map(|f| z.iter().map(|row| row[f]).sum::<f64>() / m)
            .collect();
        let k = p.iter().sum::<f64>();
        let chance = k / d * (1.0 - k / d);
        let value = 1.0 - p.iter().map(|p| m / (m - 1.0) * p * (1.0 - p)).sum::<f64>() / d / chance;
        let part = |row: &[f64; 6]| {
            let size: f64 = row.iter().sum();
            let common: f64 = row.iter().zip(&p).map(|(z, p)| z * p).sum();
            (common / d - size * k / d / d
                + value / 2.0 * (2.0 * k * size / d / d - size / d - k / d + 1.0))
                / chance
        };
        let parts: Vec<f64> = z.iter().map(part).collect();
        let mean = parts.iter().sum::<f64>() / m;
        let variance = 4.0 / m / m * parts.iter().map(|x| (x - mean).powi(2)).sum::<f64>();
        let found = stability(&selections, 6).unwrap();
        assert!((found.value - value).abs() < 1e-12);
        assert!((found.se - variance.sqrt()).abs() < 1e-12);
        assert!(found.low < found.value && found.high <= 1.0);
    }

    #[test]
    fn what_has_no_stability_has_none() {
        assert_eq!(stability(&fits(&["a"]), 10), None);
        assert_eq!(stability(&fits(&["", ""]), 10), None);
        assert_eq!(stability(&fits(&["ab", "ab"]), 2), None);
        assert_eq!(stability::<Vec<String>>(&[], 0), None);
    }
}
