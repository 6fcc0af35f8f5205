//! The wide phase (docs/method.md, "Two schemes"): q(v) joint in the dual, no D x D matrix.
//!
//! ```text
//! P_d = δ_d + τ |x_d|² (z_d' S_a z_d),   g = Z'a,   Φ = X diag(g)
//! C   = I/τ + Φ diag(1/P) Φ' = LL'
//! mu  = diag(1/P) Φ' C^-1 (y - b),       s2_d = 1/P_d - |L^-1 Φ_d / P_d|²
//! ```
//!
//! Two walks over the data per iteration: one for P and C, one for the moments and the next K.

use super::passes::{scale_columns, square_norm};
use super::state::State;
use crate::data::Task;
use crate::numerics::linalg::{Cholesky, NotPositive, add_outer_lower, dot, multiply_lower};
use crate::posterior::family::Family;

/// One wide iteration: a, ψ, v, δ, b, τ (learned in a regression only), ξ, y.
pub(crate) fn iterate(state: &mut State) -> Result<(), NotPositive> {
    state.update_a()?;
    state.update_psi();
    update_v(state)
}

/// v, δ, b, τ (learned in a regression only), ξ, y.
pub(crate) fn update_v(state: &mut State) -> Result<(), NotPositive> {
    let dual = precisions_and_dual(state)?;
    let spread = moments(state, &dual);
    state.update_delta();
    state.update_f();
    state.f_square += spread;
    state.update_latent();
    Ok(())
}

/// P_d of every feature, and the factor of C.
fn precisions_and_dual(state: &mut State) -> Result<Cholesky, NotPositive> {
    // Both are made anew with the moments.
    (state.kernel, state.spread) = Default::default();
    let covariance = state.a_cov.quadratic_lower();
    let (tau, a) = (state.latent.tau, &state.a);
    let (n, m) = (state.x.rows(), state.z.len());
    let shape = [(n, n), (0, 0)];
    state.passes.run(
        &state.x,
        &state.z,
        &mut state.features,
        shape,
        |block, f| {
            let out = &mut block.room[..f.v.len() * m];
            multiply_lower(out, &covariance, block.z);
            let columns = block.z.chunks_exact(m).zip(out.chunks_exact(m));
            for (d, (z, sz)) in columns.enumerate() {
                f.precision[d] = f.delta[d] + tau * square_norm(block.x, n, d) * dot(z, sz);
            }
            let weight = |d: usize| {
                let g = dot(&block.z[d * m..(d + 1) * m], a);
                g * g / f.precision[d]
            };
            let scaled = scale_columns(block.room, block.x, n, weight);
            add_outer_lower(block.first, scaled, block.x);
        },
    );
    let (mut dual, _) = state.passes.matrices();
    drop(covariance);
    dual.add_diagonal(std::iter::repeat_n(1.0 / tau, n));
    Cholesky::new(dual)
}

/// Joint means and marginal variances, folded; returns what the spread of v adds to E Σ f².
fn moments(state: &mut State, dual: &Cholesky) -> f64 {
    let solved = dual.solve(&state.latent.centred());
    let factor = dual.inverse_factor();
    let (tau, a) = (state.latent.tau, &state.a);
    let (n, m) = (state.x.rows(), state.z.len());
    let shape = state.product_shape();
    state.passes.run(
        &state.x,
        &state.z,
        &mut state.features,
        shape,
        |mut block, f| {
            let out = &mut block.room[..f.v.len() * n];
            multiply_lower(out, factor, block.x);
            let columns = block.x.chunks_exact(n).zip(out.chunks_exact(n));
            for (d, (x, lx)) in columns.enumerate() {
                // Made anew, as it takes less time than a million of them take room.
                let g = dot(&block.z[d * m..(d + 1) * m], a);
                let precision = f.precision[d];
                let mu = g * dot(x, &solved) / precision;
                let marginal = 1.0 / precision - (g / precision).powi(2) * dot(lx, lx);
                // Never below the variance given all other features, whatever the rounding.
                let given_others = 1.0 / (precision + tau * g * g * dot(x, x));
                let moments = Family::Folded.moments(mu, marginal.max(given_others));
                f.v[d] = moments.mean;
                f.v_var[d] = moments.var;
                block.sums[0] += moments.var * (precision - f.delta[d]) / tau;
            }
            block.add_kernel_and_spread(&f);
        },
    );
    state.collect_products();
    match state.latent.task {
        Task::Classification => 0.0,
        // tr(Φ S Φ') = N/τ - tr(C^-1)/τ² and Σ var_v |x|² z'S_a z, for the noise of a regression.
        Task::Regression => {
            let joint = n as f64 / tau - dot(factor.values(), factor.values()) / (tau * tau);
            joint + state.passes.plain(0)
        }
    }
}
