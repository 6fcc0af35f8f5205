//! The mean-field sweep over the feature weights (docs/method.md, "Two schemes"), in both orders, and one whole iteration.
//!
//! For every feature d, with A = ⟨aa'⟩ and K = X diag(v) Z':
//!
//! ```text
//! G_dd = (z_d' A z_d) |x_d|²
//! s2_d = 1 / (τ G_dd + δ_d)
//! mu_d = s2_d τ [ (x_d·(y - b)) (z_d·a) - z_d' A K' x_d + v_d G_dd ]
//! ```
//!
//! The term z_d' A K' x_d needs only the M x N matrix A K': a sweep costs O(N M D) and no D x D matrix exists.

use super::passes::square_norm;
use super::state::State;
use crate::numerics::linalg::{Dense, NotPositive, add_outer, dot, multiply, multiply_lower};
use crate::params::Sweep;
use crate::posterior::family::Family;

/// One iteration in this order: a, ψ, v, δ, b, τ, ξ, y.
pub(crate) fn iterate(state: &mut State, family: Family, sweep: Sweep) -> Result<(), NotPositive> {
    state.update_a()?;
    state.update_psi();
    let spread = match sweep {
        Sweep::Simultaneous => simultaneous(state, family),
        Sweep::Sequential => sequential(state, family),
    };
    state.update_delta();
    state.update_f();
    state.f_square += spread;
    state.update_latent();
    Ok(())
}

/// ln 2 for families whose prior lives on v >= 0: its density is twice the normal's.
pub(crate) fn prior_constant(family: Family) -> f64 {
    match family {
        Family::Gaussian => 0.0,
        Family::Folded | Family::Truncated => std::f64::consts::LN_2,
    }
}

/// All features from the old weights; returns Σ var_v G_dd.
fn simultaneous(state: &mut State, family: Family) -> f64 {
    let moment = state.a_moment();
    // z' A z by a lower triangular product; z' A K' x too where Z is X and the form is quadratic.
    let moment_lower = moment.quadratic_lower();
    let cross = moment.product_transposed(&state.kernel);
    let symmetric = state.z.is_data();
    let cross_lower = if symmetric {
        cross.quadratic_lower()
    } else {
        Dense::default()
    };
    let centred = state.latent.centred();
    let (tau, a, constant) = (state.latent.tau, &state.a, prior_constant(family));
    let (n, m) = (state.x.rows(), state.z.len());
    let shape = state.product_shape();
    state.passes.run(
        &state.x,
        &state.z,
        &mut state.features,
        shape,
        |mut block, f| {
            let width = f.v.len();
            let out = &mut block.room[..width * m];
            multiply_lower(out, &moment_lower, block.z);
            let columns = block.z.chunks_exact(m).zip(out.chunks_exact(m));
            for (d, (z, az)) in columns.enumerate() {
                f.precision[d] = dot(z, az) * square_norm(block.x, n, d);
            }
            if symmetric {
                multiply_lower(out, &cross_lower, block.x);
            } else {
                multiply(out, &cross, block.x);
            }
            for d in 0..width {
                let x = &block.x[d * n..(d + 1) * n];
                let z = &block.z[d * m..(d + 1) * m];
                let cross = dot(z, &out[d * m..(d + 1) * m]);
                let pull = dot(x, &centred) * dot(z, a) - cross + f.v[d] * f.precision[d];
                let s2 = 1.0 / (tau * f.precision[d] + f.delta[d]);
                let mu = s2 * tau * pull;
                let moments = family.moments(mu, s2);
                f.v[d] = moments.mean;
                f.v_var[d] = moments.var;
                block.sums[0] += moments.var * f.precision[d];
                block.sums[1] += family.entropy(mu, s2) + constant;
            }
            block.add_kernel_and_spread(&f);
        },
    );
    state.collect_products();
    state.v_entropy = state.passes.plain(1);
    state.passes.plain(0)
}

/// One feature after the other; returns Σ var_v G_dd.
///
/// Done in blocks: K' is brought up to date after each block, and within it the coupling of two features is
/// (Z_B'A Z_B) o (X_B'X_B), so every feature sees the newest weights of all others exactly.
fn sequential(state: &mut State, family: Family) -> f64 {
    const BLOCK: usize = 64;
    let moment = state.a_moment();
    let centred = state.latent.centred();
    let (tau, constant) = (state.latent.tau, prior_constant(family));
    let (n, m, features) = (state.x.rows(), state.z.len(), state.x.len());
    let mut kernel_t = transpose(&state.kernel);
    let mut spread = Dense::zeros(m, m);
    let (mut x_scratch, mut z_scratch) = (vec![0.0; n * BLOCK], vec![0.0; m * BLOCK]);
    let (mut entropy, mut trace) = (0.0, 0.0);
    let f = &mut state.features;
    for start in (0..features).step_by(BLOCK) {
        let range = start..(start + BLOCK).min(features);
        let width = range.len();
        let x = state.x.block(range.clone(), &mut x_scratch);
        let z = state.z.block(range.clone(), x, &mut z_scratch);
        let x_block = Dense::from_vec(n, width, x.to_vec());
        let z_block = Dense::from_vec(m, width, z.to_vec());
        let moment_z = moment.product(&z_block);
        let kernel_x = kernel_t.product(&x_block);
        let mut coupling = z_block.transposed_product(&moment_z);
        let gram = x_block.transposed_product(&x_block);
        for (entry, gram) in coupling.values_mut().iter_mut().zip(gram.values()) {
            *entry *= gram;
        }
        let mut change = vec![0.0; width];
        for d in 0..width {
            let at = start + d;
            let own = coupling.at(d, d);
            let moved: f64 = (0..d).map(|e| change[e] * coupling.at(e, d)).sum();
            let cross = dot(moment_z.col(d), kernel_x.col(d)) + moved;
            let linear = dot(x_block.col(d), &centred) * dot(z_block.col(d), &state.a);
            let s2 = 1.0 / (tau * own + f.delta[at]);
            let mu = s2 * tau * (linear - cross + f.v[at] * own);
            let moments = family.moments(mu, s2);
            change[d] = moments.mean - f.v[at];
            f.v[at] = moments.mean;
            f.v_var[at] = moments.var;
            f.precision[at] = own;
            trace += moments.var * own;
            entropy += family.entropy(mu, s2) + constant;
        }
        let scaled = |block: &Dense, weight: &dyn Fn(usize) -> f64| {
            let mut scaled = block.clone();
            for d in 0..width {
                let weight = weight(d);
                scaled
                    .col_mut(d)
                    .iter_mut()
                    .for_each(|value| *value *= weight);
            }
            scaled
        };
        let moved = scaled(&z_block, &|d| change[d]);
        add_outer(&mut kernel_t, moved.values(), x_block.values());
        let spread_z = scaled(&z_block, &|d| f.v_var[start + d] * square_norm(x, n, d));
        add_outer(&mut spread, spread_z.values(), z_block.values());
    }
    state.kernel = transpose(&kernel_t);
    state.spread = spread;
    state.v_entropy = entropy;
    trace
}

fn transpose(matrix: &Dense) -> Dense {
    let (rows, cols) = (matrix.rows(), matrix.cols());
    let mut values = Vec::with_capacity(rows * cols);
    for i in 0..rows {
        values.extend((0..cols).map(|j| matrix.at(i, j)));
    }
    Dense::from_vec(cols, rows, values)
}
