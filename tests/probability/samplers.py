"""Samplers and minimizers on a logistic regression: `SAMPLERS[name](tf, tfp)`."""

from typing import Any

import numpy as np


def _model(tf: Any, tfp: Any) -> Any:
    tfd = tfp.distributions
    random = np.random.RandomState(0)
    x = random.randn(200, 5).astype("float32")
    weights = np.arange(5).astype("float32") * 0.3
    y = (random.rand(200) < 1 / (1 + np.exp(-x @ weights))).astype("float32")

    def log_density(b: Any) -> Any:
        logits = tf.linalg.matvec(tf.constant(x), b)
        prior = tf.reduce_sum(tfd.Normal(0.0, 1.0).log_prob(b))
        return prior + tf.reduce_sum(tfd.Bernoulli(logits=logits).log_prob(tf.constant(y)))

    return log_density


def _chain(kernel: Any, traced: Any) -> Any:
    def sample(tf: Any, tfp: Any) -> Any:
        @tf.function
        def run(seed: Any) -> Any:
            return tfp.mcmc.sample_chain(
                20, tf.zeros(5), kernel=kernel(tfp.mcmc, _model(tf, tfp)), num_burnin_steps=5,
                trace_fn=lambda _, results: traced(results), seed=seed,
            )  # fmt: skip

        return run(tf.constant([1, 2]))

    return sample


def _minimized(minimize: str) -> Any:
    def find(tf: Any, tfp: Any) -> Any:
        log_density = _model(tf, tfp)

        @tf.function
        def run(x: Any) -> Any:
            def loss(x: Any) -> Any:
                return tfp.math.value_and_gradient(lambda x: -log_density(x), x)

            found = getattr(tfp.optimizer, minimize)(loss, initial_position=x, tolerance=1e-4)
            return found.position, found.converged, found.num_iterations

        return run(tf.zeros(5))

    return find


def _two_hills(tf: Any, tfp: Any) -> Any:
    """Chains of several temperatures that exchange their states."""
    tfd = tfp.distributions
    hills = tfd.MixtureSameFamily(
        tfd.Categorical(probs=[0.3, 0.7]), tfd.Normal([-3.0, 3.0], [0.5, 0.5])
    )
    kernel = tfp.mcmc.ReplicaExchangeMC(
        hills.log_prob, inverse_temperatures=0.4 ** tf.range(3, dtype=tf.float32),
        make_kernel_fn=lambda f: tfp.mcmc.HamiltonianMonteCarlo(f, 0.5, 2),
    )  # fmt: skip

    @tf.function
    def run(seed: Any) -> Any:
        return tfp.mcmc.sample_chain(
            12, tf.constant(1.0), kernel=kernel, seed=seed,
            trace_fn=lambda _, results: results.is_swap_accepted_adjacent,
        )  # fmt: skip

    return run(tf.constant([7, 8]))


SAMPLERS: dict[str, Any] = {
    "two hills": _two_hills,
    "hamiltonian": _chain(
        lambda mcmc, f: mcmc.HamiltonianMonteCarlo(f, 0.05, 8), lambda r: r.is_accepted
    ),
    "dual averaging": _chain(
        lambda mcmc, f: mcmc.DualAveragingStepSizeAdaptation(
            mcmc.HamiltonianMonteCarlo(f, 0.05, 8), 15
        ),
        lambda r: r.new_step_size,
    ),
    "random walk": _chain(lambda mcmc, f: mcmc.RandomWalkMetropolis(f), lambda r: r.is_accepted),
    "no u-turn": _chain(lambda mcmc, f: mcmc.NoUTurnSampler(f, 0.1), lambda r: r.leapfrogs_taken),
    "lbfgs": _minimized("lbfgs_minimize"),
    "bfgs": _minimized("bfgs_minimize"),
}
