//! The little linear algebra that a score test needs.

/// The Cholesky factor of a symmetric positive matrix, row by row; `None` where it is not positive.
pub(crate) struct Factor {
    size: usize,
    lower: Vec<f64>,
}

impl Factor {
    pub(crate) fn new(size: usize, matrix: &[f64]) -> Option<Self> {
        let mut lower = vec![0.0; size * size];
        for i in 0..size {
            for j in 0..=i {
                let done: f64 = (0..j)
                    .map(|k| lower[i * size + k] * lower[j * size + k])
                    .sum();
                let rest = matrix[i * size + j] - done;
                lower[i * size + j] = if i == j {
                    if rest.is_nan() || rest <= 0.0 {
                        return None;
                    }
                    rest.sqrt()
                } else {
                    rest / lower[j * size + j]
                };
            }
        }
        Some(Self { size, lower })
    }

    /// The solution of A x = b.
    pub(crate) fn solve(&self, b: &[f64]) -> Vec<f64> {
        let (n, l) = (self.size, &self.lower);
        let mut x = b.to_vec();
        for i in 0..n {
            let done: f64 = (0..i).map(|k| l[i * n + k] * x[k]).sum();
            x[i] = (x[i] - done) / l[i * n + i];
        }
        for i in (0..n).rev() {
            let done: f64 = (i + 1..n).map(|k| l[k * n + i] * x[k]).sum();
            x[i] = (x[i] - done) / l[i * n + i];
        }
        x
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn solves_and_refuses() {
        let factor = Factor::new(2, &[4.0, 2.0, 2.0, 3.0]).unwrap();
        let x = factor.solve(&[10.0, 8.0]);
        assert!(
            (x[0] - 1.75).abs() < 1e-12 && (x[1] - 1.5).abs() < 1e-12,
            "{x:?}"
        );
        assert!(Factor::new(2, &[1.0, 2.0, 2.0, 1.0]).is_none());
    }
}
