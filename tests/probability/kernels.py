"""Kernels of `tfp.mcmc` and what wraps them, in float64: `KERNELS[name](tf, tfp)`."""

from typing import Any

import numpy as np


def _log_density(tf: Any, tfp: Any) -> Any:
    """A slanted normal density of two numbers."""
    scale = tf.linalg.LinearOperatorLowerTriangular(
        tf.constant([[1.0, 0.0], [0.6, 0.5]], "float64")
    )
    mean = np.array([1.0, -0.5])
    return tfp.distributions.MultivariateNormalLinearOperator(mean, scale).log_prob


def _chain(
    tf: Any,
    tfp: Any,
    kernel: Any,
    start: Any = None,
    traced: Any = None,
    steps: int = 12,
    **more: Any,
) -> Any:
    state = tf.zeros(2, tf.float64) if start is None else start

    @tf.function
    def run(seed: Any) -> Any:
        return tfp.mcmc.sample_chain(
            steps, state, kernel=kernel, num_burnin_steps=3, seed=seed,
            trace_fn=None if traced is None else lambda _, results: traced(results), **more,
        )  # fmt: skip

    return run(tf.constant([3, 4])), run(tf.constant([5, 6]))


def slice_sampler(tf: Any, tfp: Any) -> Any:
    kernel = tfp.mcmc.SliceSampler(
        _log_density(tf, tfp), step_size=np.float64(0.7), max_doublings=4
    )
    return _chain(tf, tfp, kernel, traced=lambda r: r.target_log_prob)


def langevin(tf: Any, tfp: Any) -> Any:
    kernel = tfp.mcmc.MetropolisAdjustedLangevinAlgorithm(
        _log_density(tf, tfp), step_size=np.float64(0.3)
    )
    return _chain(tf, tfp, kernel, traced=lambda r: r.is_accepted)


def uncalibrated_langevin(tf: Any, tfp: Any) -> Any:
    kernel = tfp.mcmc.UncalibratedLangevin(
        _log_density(tf, tfp), step_size=np.float64(0.1),
        volatility_fn=lambda x: 1.0 / (1.0 + 0.1 * x**2),
    )  # fmt: skip
    return _chain(tf, tfp, kernel)


def transformed(tf: Any, tfp: Any) -> Any:
    """A density of positive numbers, sampled as their logarithms."""
    density = tfp.distributions.Gamma(np.float64(3.0), np.float64(2.0))
    inner = tfp.mcmc.HamiltonianMonteCarlo(density.log_prob, np.float64(0.3), 3)
    kernel = tfp.mcmc.TransformedTransitionKernel(inner, tfp.bijectors.Exp())
    start = tf.constant([0.5, 1.0, 2.0], tf.float64)
    return _chain(
        tf, tfp, kernel, start, lambda r: r.inner_results.accepted_results.target_log_prob
    )


def transformed_and_adapted(tf: Any, tfp: Any) -> Any:
    density = tfp.distributions.Beta(np.float64(2.0), np.float64(3.0))
    inner = tfp.mcmc.NoUTurnSampler(density.log_prob, np.float64(0.5), max_tree_depth=3)
    kernel = tfp.mcmc.DualAveragingStepSizeAdaptation(
        tfp.mcmc.TransformedTransitionKernel(inner, tfp.bijectors.Sigmoid()), 8,
        step_size_setter_fn=lambda results, size: results._replace(
            inner_results=results.inner_results._replace(step_size=size)
        ),
        step_size_getter_fn=lambda results: results.inner_results.step_size,
        log_accept_prob_getter_fn=lambda results: results.inner_results.log_accept_ratio,
    )  # fmt: skip
    start = tf.constant([0.2, 0.6], tf.float64)
    return _chain(tf, tfp, kernel, start, lambda r: r.new_step_size)


def simple_adaptation(tf: Any, tfp: Any) -> Any:
    inner = tfp.mcmc.HamiltonianMonteCarlo(_log_density(tf, tfp), np.float64(0.1), 4)
    kernel = tfp.mcmc.SimpleStepSizeAdaptation(inner, num_adaptation_steps=9)
    return _chain(tf, tfp, kernel, traced=lambda r: r.new_step_size)


def several_parts(tf: Any, tfp: Any) -> Any:
    """States of two parts of several chains, with a step size for each."""
    tfd = tfp.distributions

    def density(rate: Any, x: Any) -> Any:
        prior = tfd.Gamma(np.float64(2.0), np.float64(1.0)).log_prob(rate)
        return prior + tf.reduce_sum(tfd.Normal(np.float64(0.0), rate[..., None]).log_prob(x), -1)

    start = [tf.constant([1.0, 2.0, 0.5], tf.float64), tf.ones([3, 2], tf.float64)]
    kernel = tfp.mcmc.HamiltonianMonteCarlo(
        density, [np.float64(0.02), np.array([[0.05, 0.1]])], num_leapfrog_steps=3
    )
    return _chain(tf, tfp, kernel, start, lambda r: r.is_accepted, steps=6)


def thinned_and_reduced(tf: Any, tfp: Any) -> Any:
    kernel = tfp.mcmc.RandomWalkMetropolis(
        _log_density(tf, tfp), tfp.mcmc.random_walk_normal_fn(np.float64(0.6))
    )
    thinned = _chain(tf, tfp, kernel, num_steps_between_results=2)
    found = tfp.experimental.mcmc.sample_fold(
        20, tf.zeros(2, tf.float64), kernel=kernel, seed=(1, 2),
        reducer=[
            tfp.experimental.mcmc.VarianceReducer(), tfp.experimental.mcmc.ExpectationsReducer()
        ],
    )  # fmt: skip
    return thinned, found[0]


def annealed(tf: Any, tfp: Any) -> Any:
    """The evidence of a normal model, by annealed importance sampling."""
    tfd = tfp.distributions
    prior = tfd.MultivariateNormalDiag(np.zeros(2))
    y = np.array([0.7, -0.4])

    @tf.function
    def run() -> Any:
        return tfp.mcmc.sample_annealed_importance_chain(
            num_steps=6,
            proposal_log_prob_fn=prior.log_prob,
            target_log_prob_fn=lambda x: (
                prior.log_prob(x) + tfd.MultivariateNormalDiag(x, 0.5 * np.ones(2)).log_prob(y)
            ),
            current_state=tf.constant(np.linspace(-1.0, 1.0, 8).reshape(4, 2)),
            make_kernel_fn=lambda f: tfp.mcmc.HamiltonianMonteCarlo(f, np.float64(0.2), 2),
            seed=(2, 3),
        )

    state, weights, _ = run()
    return state, weights


def diagnostics(tf: Any, tfp: Any) -> Any:
    walk = np.cumsum(np.sin(np.arange(120.0) ** 1.3).reshape(40, 3), 0) * 0.2
    x = tf.constant(walk)
    return (
        tfp.mcmc.effective_sample_size(x),
        tfp.mcmc.effective_sample_size(x, filter_beyond_positive_pairs=True, cross_chain_dims=1),
        tfp.mcmc.potential_scale_reduction(x, split_chains=True),
        tfp.stats.auto_correlation(x, axis=0, max_lags=5),
        tfp.stats.percentile(x, [10.0, 50.0, 90.0], axis=0, interpolation="linear"),
        tfp.stats.covariance(x), tfp.stats.cholesky_covariance(x), tfp.stats.quantiles(x[:, 0], 4),
    )  # fmt: skip


def elliptical_slices(tf: Any, tfp: Any) -> Any:
    prior = tfp.distributions.MultivariateNormalDiag(np.zeros(2), np.array([1.0, 2.0]))
    kernel = tfp.experimental.mcmc.EllipticalSliceSampler(
        normal_sampler_fn=lambda seed: prior.sample(seed=seed),
        log_likelihood_fn=lambda x: -tf.reduce_sum((x - 1.0) ** 2, -1),
    )
    return _chain(tf, tfp, kernel, traced=lambda r: r.log_likelihood)


def gradient_steps_with_preconditioner(tf: Any, tfp: Any) -> Any:
    momentum = tfp.distributions.MultivariateNormalTriL(
        np.zeros(2), np.array([[1.2, 0.0], [-0.4, 0.8]])
    )
    kernel = tfp.experimental.mcmc.PreconditionedHamiltonianMonteCarlo(
        _log_density(tf, tfp), np.float64(0.2), 3, momentum_distribution=momentum
    )
    return _chain(tf, tfp, kernel, traced=lambda r: r.is_accepted)


KERNELS: dict[str, Any] = {
    "slices": slice_sampler,
    "langevin": langevin,
    "uncalibrated langevin": uncalibrated_langevin,
    "transformed": transformed,
    "transformed and adapted": transformed_and_adapted,
    "simple adaptation": simple_adaptation,
    "several parts": several_parts,
    "thinned and reduced": thinned_and_reduced,
    "annealed": annealed,
    "diagnostics": diagnostics,
    "elliptical slices": elliptical_slices,
    "preconditioned": gradient_steps_with_preconditioner,
}
