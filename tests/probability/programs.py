"""Programs as users write them, of several parts of the library: `PROGRAMS[name](tf, tfp)`."""

from typing import Any

import numpy as np

SEED = (3, 7)


def drawn_in_rows(tf: Any, tfp: Any) -> Any:
    """Joint distributions that are batched by themselves draw in `tf.vectorized_map`."""
    tfd = tfp.distributions

    @tfd.JointDistributionCoroutineAutoBatched
    def model() -> Any:
        rate = yield tfd.Gamma(np.float64(2.0), 1.0)
        low = yield tfd.Gamma(np.float64(0.4), rate)
        chance = yield tfd.Beta(rate, np.float64(1.5))
        yield tfd.Sample(tfd.Poisson(rate + low), 3)
        yield tfd.Binomial(np.float64(8.0), probs=chance)
        yield tfd.Dirichlet(np.array([1.0, 0.5, 2.0]) * rate)
        yield tfd.StudentT(rate + 2.0, np.float64(0.0), 1.0)

    draw = tf.function(lambda seed: model.sample(3, seed=seed))
    drawn = draw(tf.constant(SEED))
    return drawn, draw(tf.constant([1, 2])), model.log_prob(drawn)


def stochastic_volatility(tf: Any, tfp: Any) -> Any:
    tfd = tfp.distributions

    @tfd.JointDistributionCoroutineAutoBatched
    def model() -> Any:
        phi = yield tfd.Beta(np.float64(20.0), 1.5, name="phi")
        mean = yield tfd.Cauchy(np.float64(0.0), 5.0, name="mean")

        def after(_: Any, x: Any) -> Any:
            return tfd.Normal(mean + phi * (x - mean), np.float64(0.3))

        h = yield tfd.MarkovChain(tfd.Normal(mean, np.float64(1.0)), after, 6, name="h")
        yield tfd.Normal(np.float64(0.0), tf.exp(h / 2), name="y")

    pinned = model.experimental_pin(y=np.linspace(-1.0, 1.0, 6))

    @tf.function
    def both(seed: Any) -> Any:
        drawn = model.sample(3, seed=seed)
        values = [drawn.phi, drawn.mean, drawn.h]
        with tf.GradientTape() as tape:
            tape.watch(values)
            density = pinned.unnormalized_log_prob(*values)
        return drawn, density, tape.gradient(density, values)

    return both(tf.constant(SEED))


def filtered_particles(tf: Any, tfp: Any) -> Any:
    """The traces are arrays that grow in a `tf.while_loop`."""
    tfd, mcmc = tfp.distributions, tfp.experimental.mcmc
    y = np.sin(np.linspace(0.0, 3.0, 8))
    parts = (
        y, tfd.Normal(np.float64(0.0), 1.0), lambda _, x: tfd.Normal(0.9 * x, 0.3),
        lambda _, x: tfd.Normal(x, 0.2),
    )  # fmt: skip

    @tf.function
    def both(seed: Any) -> Any:
        return (
            mcmc.particle_filter(*parts, num_particles=16, seed=seed),
            mcmc.infer_trajectories(*parts, num_particles=8, seed=seed),
        )

    return both(tf.constant(SEED))


def sparse_regression(tf: Any, tfp: Any) -> Any:
    """Coordinates one after the other, in loops whose bodies move dimensions by `tf.roll`."""
    random = np.random.RandomState(0)
    x = random.randn(40, 3)
    y = random.poisson(np.exp(x @ [0.3, -0.2, 0.1])).astype("float64")

    @tf.function
    def fitted(penalty: Any) -> Any:
        return tfp.glm.fit_sparse(
            x, y, model=tfp.glm.Poisson(), model_coefficients_start=tf.zeros(3, tf.float64),
            tolerance=1e-6, l1_regularizer=penalty, maximum_iterations=5,
            maximum_full_sweeps_per_iteration=2,
        )  # fmt: skip

    return [fitted(tf.constant(penalty, tf.float64)) for penalty in (1.0, 8.0)]


def copula(tf: Any, tfp: Any) -> Any:
    tfd, tfb = tfp.distributions, tfp.bijectors

    @tf.function
    def both(scale: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(scale)
            normal = tfd.MultivariateNormalTriL(tf.zeros(2, tf.float64), scale)
            uniform = tfd.TransformedDistribution(normal, tfb.NormalCDF())
            marginals = tfb.Blockwise(
                [
                    tfb.Invert(tfb.KumaraswamyCDF(np.float64(2.0), np.float64(3.0))),
                    tfb.Invert(tfb.WeibullCDF(np.float64(1.5), np.float64(2.0))),
                ]
            )
            joint = tfd.TransformedDistribution(uniform, marginals)
            drawn = joint.sample(4, seed=SEED)
            density = joint.log_prob(tf.stop_gradient(drawn))
        return drawn, density, tape.gradient(density, scale)

    return both(tf.constant([[1.0, 0.0], [0.6, 0.8]], tf.float64))


def variational_process(tf: Any, tfp: Any) -> Any:
    """The bound of a sparse Gaussian process, written out, with its gradients."""
    tfd, kernels = tfp.distributions, tfp.math.psd_kernels
    x, z = np.linspace(0.0, 1.0, 12)[:, None], np.linspace(0.0, 1.0, 4)[:, None]
    y = np.sin(5 * x[:, 0])

    @tf.function
    def both(mean: Any, scale: Any, length: Any) -> Any:
        kernel = kernels.MaternThreeHalves(np.float64(1.0), length)
        with tf.GradientTape() as tape:
            tape.watch([mean, scale, length])
            root = tf.linalg.cholesky(kernel.matrix(z, z) + 1e-6 * tf.eye(4, dtype=tf.float64))
            weights = tf.linalg.cholesky_solve(root, kernel.matrix(z, x))
            found = tf.linalg.matvec(weights, mean, transpose_a=True)
            spread = tf.linalg.matmul(scale, weights, transpose_a=True) ** 2
            variance = 1 - tf.reduce_sum(weights * kernel.matrix(z, x) - spread, 0)
            fit = tf.reduce_sum(-0.5 * ((y - found) ** 2 + variance) / 0.01)
            prior = tfd.MultivariateNormalTriL(tf.zeros(4, tf.float64), root)
            bound = tfd.kl_divergence(tfd.MultivariateNormalTriL(mean, scale), prior) - fit
        return bound, tape.gradient(bound, [mean, scale, length])

    eye = tf.eye(4, dtype=tf.float64)
    return both(tf.zeros(4, tf.float64), eye, tf.constant(0.3, tf.float64))


def adapted_trajectories(tf: Any, tfp: Any) -> Any:
    target = tfp.distributions.MultivariateNormalDiag(np.zeros(3), np.array([1.0, 2.0, 0.5]))

    @tf.function
    def run(seed: Any) -> Any:
        inner = tfp.mcmc.HamiltonianMonteCarlo(target.log_prob, np.float64(0.3), 5)
        adapted = tfp.experimental.mcmc.GradientBasedTrajectoryLengthAdaptation(inner, 8)
        kernel = tfp.mcmc.DualAveragingStepSizeAdaptation(adapted, 8)
        return tfp.mcmc.sample_chain(
            4, np.full([4, 3], 0.1), kernel=kernel, num_burnin_steps=8, seed=seed,
            trace_fn=lambda _, r: (r.new_step_size, r.inner_results.max_trajectory_length),
        )  # fmt: skip

    return run(tf.constant(SEED))


PROGRAMS = {
    "drawn in rows": drawn_in_rows,
    "stochastic volatility": stochastic_volatility,
    "filtered particles": filtered_particles,
    "sparse regression": sparse_regression,
    "copula": copula,
    "variational process": variational_process,
    "adapted trajectories": adapted_trajectories,
}
