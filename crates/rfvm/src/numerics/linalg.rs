//! The one file that knows the linear-algebra crate: dense products and Cholesky factors, column-major, one thread.
//!
//! Parallelism lives one level up, over fixed chunks of features with sums taken in order, so every
//! product here runs on the calling thread and gives the same bits whatever the number of threads.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt;
use faer::linalg::householder;
use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::linalg::qr::no_pivoting as qr;
use faer::linalg::triangular_inverse::invert_lower_triangular;
use faer::{Accum, Conj, MatMut, MatRef, Par, Spec};

/// A dense column-major matrix that owns its numbers.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Dense {
    rows: usize,
    cols: usize,
    values: Vec<f64>,
}

/// A matrix handed to a Cholesky factorisation was not positive definite (or not finite).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NotPositive;

impl Dense {
    pub(crate) fn zeros(rows: usize, cols: usize) -> Self {
        Self {
            rows,
            cols,
            values: vec![0.0; rows * cols],
        }
    }

    pub(crate) fn from_vec(rows: usize, cols: usize, values: Vec<f64>) -> Self {
        assert_eq!(values.len(), rows * cols, "matrix shape");
        Self { rows, cols, values }
    }

    pub(crate) fn identity(size: usize) -> Self {
        let mut matrix = Self::zeros(size, size);
        matrix.add_diagonal(std::iter::repeat_n(1.0, size));
        matrix
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    pub(crate) fn cols(&self) -> usize {
        self.cols
    }

    pub(crate) fn values(&self) -> &[f64] {
        &self.values
    }

    pub(crate) fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    pub(crate) fn col(&self, j: usize) -> &[f64] {
        &self.values[j * self.rows..(j + 1) * self.rows]
    }

    pub(crate) fn col_mut(&mut self, j: usize) -> &mut [f64] {
        &mut self.values[j * self.rows..(j + 1) * self.rows]
    }

    pub(crate) fn at(&self, i: usize, j: usize) -> f64 {
        self.values[j * self.rows + i]
    }

    /// Changes the shape and sets every entry to zero, keeping the allocation where it is large enough.
    pub(crate) fn reset(&mut self, rows: usize, cols: usize) {
        self.rows = rows;
        self.cols = cols;
        self.values.clear();
        self.values.resize(rows * cols, 0.0);
    }

    pub(crate) fn diagonal(&self) -> impl Iterator<Item = f64> + '_ {
        (0..self.rows.min(self.cols)).map(|i| self.at(i, i))
    }

    pub(crate) fn add_diagonal(&mut self, values: impl IntoIterator<Item = f64>) {
        let stride = self.rows + 1;
        for (entry, value) in self.values.iter_mut().step_by(stride).zip(values) {
            *entry += value;
        }
    }

    pub(crate) fn add(&mut self, other: &Self) {
        for (sum, value) in self.values.iter_mut().zip(&other.values) {
            *sum += value;
        }
    }

    /// Copies the lower triangle onto the upper one.
    pub(crate) fn mirror_lower(&mut self) {
        for j in 0..self.cols {
            for i in j + 1..self.rows {
                self.values[i * self.rows + j] = self.values[j * self.rows + i];
            }
        }
    }

    /// The lower triangular T with x'Tx = x'Qx for every x, so that a quadratic form costs half a product.
    pub(crate) fn quadratic_lower(&self) -> Self {
        let n = self.rows;
        let mut lower = Self::zeros(n, n);
        for j in 0..n {
            lower.values[j * n + j] = self.at(j, j);
            for i in j + 1..n {
                lower.values[j * n + i] = self.at(i, j) + self.at(j, i);
            }
        }
        lower
    }

    /// Keeps the listed rows and columns.
    pub(crate) fn select(&self, rows: &[usize], cols: &[usize]) -> Self {
        let mut kept = Vec::with_capacity(rows.len() * cols.len());
        for &j in cols {
            let column = self.col(j);
            kept.extend(rows.iter().map(|&i| column[i]));
        }
        Self::from_vec(rows.len(), cols.len(), kept)
    }

    /// self * x
    pub(crate) fn times(&self, x: &[f64]) -> Vec<f64> {
        assert_eq!(x.len(), self.cols, "matrix-vector shape");
        let mut out = vec![0.0; self.rows];
        vectorised(|| {
            for (j, &weight) in x.iter().enumerate() {
                for (sum, value) in out.iter_mut().zip(self.col(j)) {
                    *sum += weight * value;
                }
            }
        });
        out
    }

    /// self += scale * x x'
    pub(crate) fn add_square(&mut self, scale: f64, x: &[f64]) {
        vectorised(|| {
            for (&x_j, column) in x.iter().zip(self.values.chunks_exact_mut(self.rows)) {
                let scale = x_j * scale;
                for (entry, &x_i) in column.iter_mut().zip(x) {
                    *entry += scale * x_i;
                }
            }
        });
    }

    /// self' * x
    pub(crate) fn transpose_times(&self, x: &[f64]) -> Vec<f64> {
        assert_eq!(x.len(), self.rows, "matrix-vector shape");
        (0..self.cols).map(|j| dot(self.col(j), x)).collect()
    }

    /// self * other
    pub(crate) fn product(&self, other: &Self) -> Self {
        let mut out = Self::zeros(self.rows, other.cols);
        multiply(&mut out.values, self, &other.values);
        out
    }

    /// self * other'
    pub(crate) fn product_transposed(&self, other: &Self) -> Self {
        let mut out = Self::zeros(self.rows, other.rows);
        add_outer(&mut out, &self.values, &other.values);
        out
    }

    /// self' * other
    pub(crate) fn transposed_product(&self, other: &Self) -> Self {
        let mut out = Self::zeros(self.cols, other.cols);
        matmul(
            out.view_mut(),
            Accum::Replace,
            self.view().transpose(),
            other.view(),
            1.0,
            Par::Seq,
        );
        out
    }

    /// self' * diag(weight) * self
    pub(crate) fn weighted_gram(&self, weight: &[f64]) -> Self {
        let mut weighted = self.clone();
        for column in weighted.values.chunks_exact_mut(self.rows) {
            column
                .iter_mut()
                .zip(weight)
                .for_each(|(value, weight)| *value *= weight);
        }
        self.transposed_product(&weighted)
    }

    /// The diagonal of self' * middle * self.
    pub(crate) fn transposed_products_diagonal(&self, middle: &Self) -> Vec<f64> {
        let product = middle.product(self);
        (0..self.cols)
            .map(|j| dot(self.col(j), product.col(j)))
            .collect()
    }

    /// The lower triangle of self' * self; the upper one is left at zero.
    pub(crate) fn gram_of_columns(&self) -> Self {
        let mut out = Self::zeros(self.cols, self.cols);
        triangular::matmul(
            out.view_mut(),
            BlockStructure::TriangularLower,
            Accum::Replace,
            self.view().transpose(),
            BlockStructure::Rectangular,
            self.view(),
            BlockStructure::Rectangular,
            1.0,
            Par::Seq,
        );
        out
    }

    /// self = Q U, with orthonormal columns in Q and U upper triangular.
    pub(crate) fn qr(mut self) -> (Self, Self) {
        let (rows, cols) = (self.rows, self.cols);
        let size = rows.min(cols);
        let block = qr::factor::recommended_block_size::<f64>(rows, cols);
        let mut reflections = Self::zeros(block, size);
        let params = Spec::default();
        let scratch = qr::factor::qr_in_place_scratch::<f64>(rows, cols, block, Par::Seq, params);
        qr::factor::qr_in_place(
            self.view_mut(),
            reflections.view_mut(),
            Par::Seq,
            MemStack::new(&mut MemBuffer::new(scratch)),
            params,
        );
        let mut upper = Self::zeros(size, cols);
        for j in 0..cols {
            let filled = (j + 1).min(size);
            upper.col_mut(j)[..filled].copy_from_slice(&self.col(j)[..filled]);
        }
        let mut basis = Self::zeros(rows, size);
        basis.add_diagonal(std::iter::repeat_n(1.0, size));
        let scratch = householder::apply_block_householder_sequence_on_the_left_in_place_scratch::<
            f64,
        >(rows, block, size);
        householder::apply_block_householder_sequence_on_the_left_in_place_with_conj(
            self.view().subcols(0, size),
            reflections.view(),
            Conj::No,
            basis.view_mut(),
            Par::Seq,
            MemStack::new(&mut MemBuffer::new(scratch)),
        );
        (basis, upper)
    }

    fn view(&self) -> MatRef<'_, f64> {
        MatRef::from_column_major_slice(&self.values, self.rows, self.cols)
    }

    fn view_mut(&mut self) -> MatMut<'_, f64> {
        MatMut::from_column_major_slice_mut(&mut self.values, self.rows, self.cols)
    }
}

/// The Cholesky factor of a symmetric positive definite matrix, with the inverse of that factor.
#[derive(Debug, Clone)]
pub(crate) struct Cholesky {
    /// L^-1, lower triangular, zeros above.
    inverse_factor: Dense,
    log_det: f64,
}

impl Cholesky {
    /// Factors the matrix whose lower triangle is given.
    pub(crate) fn new(mut matrix: Dense) -> Result<Self, NotPositive> {
        let n = matrix.rows;
        if matrix.diagonal().any(|value| !value.is_finite()) {
            return Err(NotPositive);
        }
        let params = Spec::default();
        let scratch = llt::factor::cholesky_in_place_scratch::<f64>(n, Par::Seq, params);
        llt::factor::cholesky_in_place(
            matrix.view_mut(),
            Default::default(),
            Par::Seq,
            MemStack::new(&mut MemBuffer::new(scratch)),
            params,
        )
        .map_err(|_| NotPositive)?;
        let log_det: f64 = 2.0 * matrix.diagonal().map(f64::ln).sum::<f64>();
        if !log_det.is_finite() {
            return Err(NotPositive);
        }
        let mut inverse_factor = Dense::zeros(n, n);
        invert_lower_triangular(inverse_factor.view_mut(), matrix.view(), Par::Seq);
        Ok(Self {
            inverse_factor,
            log_det,
        })
    }

    pub(crate) fn inverse_factor(&self) -> &Dense {
        &self.inverse_factor
    }

    pub(crate) fn log_det(&self) -> f64 {
        self.log_det
    }

    /// The inverse of the factored matrix, both triangles.
    pub(crate) fn inverse(&self) -> Dense {
        let mut inverse = self.inverse_factor.gram_of_columns();
        inverse.mirror_lower();
        inverse
    }

    /// The factored matrix's inverse times x.
    pub(crate) fn solve(&self, x: &[f64]) -> Vec<f64> {
        self.inverse_factor
            .transpose_times(&self.inverse_factor.times(x))
    }
}

/// Runs a loop with the widest vectors that the processor has. What is added to what stays as written, so that the result
/// is the same, to the bit, with narrow ones.
#[inline(always)]
pub(crate) fn vectorised<T>(work: impl FnOnce() -> T) -> T {
    pulp::Arch::new().dispatch(work)
}

/// x . y, summed in eight lanes so that the compiler can vectorise a fixed order of additions.
pub(crate) fn dot(x: &[f64], y: &[f64]) -> f64 {
    let (x_lanes, x_rest) = x.as_chunks::<8>();
    let (y_lanes, y_rest) = y.as_chunks::<8>();
    let lanes = vectorised(|| {
        let mut lanes = [0.0; 8];
        for (a, b) in x_lanes.iter().zip(y_lanes) {
            for lane in 0..8 {
                lanes[lane] += a[lane] * b[lane];
            }
        }
        lanes
    });
    let rest: f64 = x_rest.iter().zip(y_rest).map(|(a, b)| a * b).sum();
    ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5]))
        + ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]))
        + rest
}

/// out = matrix * block, where the block is a column-major slice.
pub(crate) fn multiply(out: &mut [f64], matrix: &Dense, block: &[f64]) {
    let width = block.len() / matrix.cols.max(1);
    matmul(
        MatMut::from_column_major_slice_mut(out, matrix.rows, width),
        Accum::Replace,
        matrix.view(),
        MatRef::from_column_major_slice(block, matrix.cols, width),
        1.0,
        Par::Seq,
    );
}

/// out = lower * block, where `lower` is lower triangular: half the work of [`multiply`].
pub(crate) fn multiply_lower(out: &mut [f64], lower: &Dense, block: &[f64]) {
    let width = block.len() / lower.cols.max(1);
    triangular::matmul(
        MatMut::from_column_major_slice_mut(out, lower.rows, width),
        BlockStructure::Rectangular,
        Accum::Replace,
        lower.view(),
        BlockStructure::TriangularLower,
        MatRef::from_column_major_slice(block, lower.cols, width),
        BlockStructure::Rectangular,
        1.0,
        Par::Seq,
    );
}

/// sum += left * right', both column-major slices with one column per feature.
pub(crate) fn add_outer(sum: &mut Dense, left: &[f64], right: &[f64]) {
    let width = left.len() / sum.rows.max(1);
    let (rows, cols) = (sum.rows, sum.cols);
    matmul(
        sum.view_mut(),
        Accum::Add,
        MatRef::from_column_major_slice(left, rows, width),
        MatRef::from_column_major_slice(right, cols, width).transpose(),
        1.0,
        Par::Seq,
    );
}

/// The lower triangle of sum += left * right': half the work of [`add_outer`] where the sum is symmetric.
pub(crate) fn add_outer_lower(sum: &mut Dense, left: &[f64], right: &[f64]) {
    let width = left.len() / sum.rows.max(1);
    let rows = sum.rows;
    triangular::matmul(
        sum.view_mut(),
        BlockStructure::TriangularLower,
        Accum::Add,
        MatRef::from_column_major_slice(left, rows, width),
        BlockStructure::Rectangular,
        MatRef::from_column_major_slice(right, rows, width).transpose(),
        BlockStructure::Rectangular,
        1.0,
        Par::Seq,
    );
}
