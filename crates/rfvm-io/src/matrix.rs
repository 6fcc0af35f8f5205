//! The common output of the readers.

/// A dense data matrix, stored feature by feature.
#[derive(Debug, Clone, PartialEq)]
pub struct Matrix {
    /// The number of samples (rows).
    pub samples: usize,
    /// The number of features (columns).
    pub features: usize,
    /// The values, feature-major: feature `d` occupies `values[d * samples..(d + 1) * samples]`.
    pub values: Vec<f64>,
}

impl Matrix {
    /// The values of feature `d` over all samples, or `None` where there is no such feature.
    pub fn feature(&self, d: usize) -> Option<&[f64]> {
        if d >= self.features {
            return None;
        }
        let start = d.checked_mul(self.samples)?;
        self.values.get(start..start.checked_add(self.samples)?)
    }

    /// Makes a matrix of values given sample by sample (`values.len()` is `samples * features`).
    pub(crate) fn from_sample_major(samples: usize, features: usize, values: &[f64]) -> Self {
        /// Side of the square blocks in which the transpose goes, so that both sides stay in the cache.
        const BLOCK: usize = 32;
        debug_assert_eq!(samples.checked_mul(features), Some(values.len()));
        let mut out = vec![0.0; values.len()];
        if !values.is_empty() {
            for first_sample in (0..samples).step_by(BLOCK) {
                let end_sample = samples.min(first_sample + BLOCK);
                for first_feature in (0..features).step_by(BLOCK) {
                    let end_feature = features.min(first_feature + BLOCK);
                    for d in first_feature..end_feature {
                        for s in first_sample..end_sample {
                            out[d * samples + s] = values[s * features + d];
                        }
                    }
                }
            }
        }
        Self {
            samples,
            features,
            values: out,
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn transposes_in_blocks() {
        let (samples, features) = (37, 70);
        let by_sample: Vec<f64> = (0..samples * features).map(|i| i as f64).collect();
        let matrix = Matrix::from_sample_major(samples, features, &by_sample);
        for d in 0..features {
            let column = matrix.feature(d).unwrap();
            assert_eq!(column.len(), samples);
            for (s, &value) in column.iter().enumerate() {
                assert_eq!(value, (s * features + d) as f64);
            }
        }
        assert_eq!(matrix.feature(features), None);
    }

    #[test]
    fn empty_sides_are_fine() {
        let matrix = Matrix::from_sample_major(0, usize::MAX, &[]);
        assert_eq!(matrix.feature(5), Some(&[][..]));
    }
}
