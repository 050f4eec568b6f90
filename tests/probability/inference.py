"""Time series and variational inference: `INFERENCES[name](tf, tfp)`."""

from typing import Any

import numpy as np

SERIES = (np.sin(np.arange(9)) + 0.1 * np.arange(9)).astype("float32")


def _level(tf: Any, tfp: Any) -> tuple[Any, list[Any]]:
    """A model of a level that drifts, and parameters of it."""
    level = tfp.sts.LocalLevel(observed_time_series=SERIES, name="level")
    model = tfp.sts.Sum([level], observed_time_series=SERIES)
    return model, [tf.constant(0.3) for _ in model.parameters]


def series_density(tf: Any, tfp: Any) -> Any:
    model, parameters = _level(tf, tfp)
    with tf.GradientTape() as tape:
        tape.watch(parameters)
        value = model.joint_distribution(SERIES).log_prob(*parameters)
    return value, tape.gradient(value, parameters)


def series_forecast(tf: Any, tfp: Any) -> Any:
    model, parameters = _level(tf, tfp)
    batch = [parameter[tf.newaxis] for parameter in parameters]
    forecast = tfp.sts.forecast(model, SERIES, batch, num_steps_forecast=3)
    return forecast.mean(), forecast.stddev()


def series_parts(tf: Any, tfp: Any) -> Any:
    model, parameters = _level(tf, tfp)
    batch = [parameter[tf.newaxis] for parameter in parameters]
    found = tfp.sts.decompose_by_component(model, SERIES, batch)
    return [(part.mean(), part.stddev()) for part in found.values()]


class Descent:
    """What `fit_surrogate_posterior` asks of an optimizer."""

    def __init__(self, rate: float = 0.05) -> None:
        self.rate = rate

    def apply_gradients(self, pairs: Any) -> Any:
        return [variable.assign_sub(self.rate * slope) for slope, variable in pairs]


def _posterior(tf: Any, tfp: Any) -> Any:
    joint = tfp.distributions.JointDistributionSequential(
        [
            tfp.distributions.Normal(0.0, 2.0),
            tfp.distributions.Gamma(3.0, 2.0),
            lambda rate, mean: tfp.distributions.Sample(tfp.distributions.Normal(mean, rate), 9),
        ]
    )
    return joint, lambda mean, rate: joint.log_prob(mean, rate, SERIES)


def variational(tf: Any, tfp: Any) -> Any:
    _, density = _posterior(tf, tfp)
    location, scale = tf.Variable([0.1, 0.2]), tf.Variable([-1.0, -1.0])
    softplus = tfp.bijectors.Softplus()
    surrogate = tfp.distributions.JointDistributionSequential([
        tfp.distributions.Normal(
            tfp.util.DeferredTensor(location, lambda x: x[0], shape=[]),
            tfp.util.DeferredTensor(scale, lambda x: tf.exp(x[0]), shape=[]),
        ),
        softplus(tfp.distributions.Normal(
            tfp.util.DeferredTensor(location, lambda x: x[1], shape=[]),
            tfp.util.DeferredTensor(scale, lambda x: tf.exp(x[1]), shape=[]),
        )),
    ])  # fmt: skip
    losses = tfp.vi.fit_surrogate_posterior(
        density, surrogate, Descent(), num_steps=12, sample_size=2, seed=tf.constant([3, 4]),
        trainable_variables=[location, scale],
    )  # fmt: skip
    return losses, location, scale


def factored(tf: Any, tfp: Any) -> Any:
    """The posterior that `experimental.vi` builds of an event's shape."""
    surrogate = tfp.experimental.vi.build_factored_surrogate_posterior(
        event_shape=[[], [2]], bijector=[None, tfp.bijectors.Exp()],
        initial_parameters={"loc": 0.2, "scale": 0.1},
    )  # fmt: skip
    drawn = surrogate.sample(2, seed=tf.constant([1, 5]))
    return drawn, surrogate.log_prob(drawn), [len(surrogate.trainable_variables)]


def differential_equation(tf: Any, tfp: Any) -> Any:
    """A solver in a function: the gradient of its gradient would be one of the same kind."""
    times, start = tf.constant([0.1, 0.5]), tf.constant([1.0, 0.5])

    @tf.function
    def solved(start: Any) -> Any:
        solver = tfp.math.ode.DormandPrince(rtol=1e-4)
        return solver.solve(lambda _, x: tf.stack([x[1], -x[0]]), 0.0, start, times).states

    return solved(start)


def learned_scale(tf: Any, tfp: Any) -> Any:
    """Gradients of what a linear operator holds; a distribution given to and made by a function."""
    triangle = tfp.bijectors.FillScaleTriL(diag_bijector=tfp.bijectors.Exp(), diag_shift=1e-5)
    distribution = tfp.distributions.MultivariateNormalTriL(
        tf.Variable([1.0, 2.0]), tfp.util.TransformedVariable(tf.eye(2), triangle)
    )
    with tf.GradientTape() as tape:
        value = distribution.log_prob([0.5, 3.0])
    slopes = tape.gradient(value, distribution.trainable_variables)

    @tf.function
    def moved(normal: Any) -> Any:
        return tfp.distributions.Normal(normal.loc + 1.0, normal.scale)

    found = [moved(tfp.distributions.Normal(x, 2.0)).log_prob(0.5) for x in (0.0, 1.0)]
    return value, slopes, found


def hidden_states(tf: Any, tfp: Any) -> Any:
    """The weather of the week, and rates that are learned."""
    tfd = tfp.distributions
    weather = tfd.HiddenMarkovModel(
        tfd.Categorical(probs=[0.8, 0.2]), tfd.Categorical(probs=[[0.7, 0.3], [0.2, 0.8]]),
        tfd.Normal([0.0, 15.0], [5.0, 10.0]), num_steps=7,
    )  # fmt: skip
    days = tf.constant([-2.0, 0.0, 2.0, 4.0, 6.0, 8.0, 10.0])
    rates = tf.Variable([0.1, 1.0, 2.0])
    counts = tfd.HiddenMarkovModel(
        tfd.Categorical(logits=tf.zeros(3)), tfd.Categorical(logits=3.0 * tf.eye(3)),
        tfd.Poisson(log_rate=rates), num_steps=9,
    )  # fmt: skip
    losses = tfp.math.minimize(
        lambda: -counts.log_prob(np.float32([1, 2, 0, 7, 9, 6, 3, 2, 4])), 5, Descent(),
        trainable_variables=[rates],
    )  # fmt: skip
    marginals = weather.posterior_marginals(days).logits_parameter()
    return weather.mean(), marginals, weather.posterior_mode(days), losses, rates


def linear_models(tf: Any, tfp: Any) -> Any:
    """Fisher scoring, also with coefficients that are 0."""
    random = np.random.RandomState(0)
    x = random.randn(60, 3)
    counts = random.poisson(np.exp(x @ [0.5, -1.0, 0.2])).astype("float64")
    poisson = tfp.glm.fit(x, counts, tfp.glm.Poisson())
    sparse = tfp.glm.fit_sparse(
        tf.constant(x), tf.constant(counts > 1, tf.float64), tfp.glm.Bernoulli(),
        model_coefficients_start=tf.zeros(3, tf.float64), l1_regularizer=0.1, l2_regularizer=0.0,
        maximum_iterations=5, tolerance=1e-6, learning_rate=1.0,
    )  # fmt: skip
    return poisson[:3], sparse[:2]


def particles(tf: Any, tfp: Any) -> Any:
    tfd = tfp.distributions
    return tfp.experimental.mcmc.particle_filter(
        tf.constant([1.0, 1.2, 0.8, 0.5, 0.3]), tfd.Normal(0.0, 1.0),
        lambda step, x: tfd.Normal(0.9 * x, 0.3), lambda step, x: tfd.Normal(x, 0.5),
        num_particles=20, seed=(5, 5),
    )  # fmt: skip


def pinned(tf: Any, tfp: Any) -> Any:
    """A joint distribution of which a part is known, by names."""
    tfd = tfp.distributions
    joint = tfd.JointDistributionNamed({
        "mean": tfd.Normal(0.0, 1.0), "scale": tfd.HalfNormal(1.0),
        "x": lambda mean, scale: tfd.Sample(tfd.Normal(mean, scale), [4]),
    })  # fmt: skip
    rest = joint.experimental_pin(x=tf.constant([1.0, 2.0, 0.5, 1.5]))
    drawn = rest.sample_unpinned(3, seed=(0, 1))
    free = rest.experimental_default_event_space_bijector().inverse(drawn)
    return drawn, rest.unnormalized_log_prob(drawn), free


def learned_kernel(tf: Any, tfp: Any) -> Any:
    """A Gaussian process whose kernel is trained in a function, and what it predicts."""
    tfd, kernels = tfp.distributions, tfp.math.psd_kernels
    x = np.linspace(0, 1, 8)[:, None]
    y, noise = np.sin(6 * x[:, 0]), tf.constant(0.01, tf.float64)
    amplitude, length = (
        tfp.util.TransformedVariable(start, tfp.bijectors.Exp(), dtype=tf.float64)
        for start in (1.0, 0.5)
    )
    kernel = kernels.MaternThreeHalves(amplitude, length) + kernels.Linear(noise)
    process = tfd.GaussianProcess(kernel, x, observation_noise_variance=noise)

    @tf.function
    def step() -> Any:
        with tf.GradientTape() as tape:
            loss = -process.log_prob(y)
        variables = process.trainable_variables
        Descent().apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        return loss

    losses = [step() for _ in range(3)]
    predicted = tfd.GaussianProcessRegressionModel(
        kernel, np.array([[0.15], [0.55]]), x, y, observation_noise_variance=noise
    )
    return losses, predicted.mean(), predicted.stddev()


INFERENCES: dict[str, Any] = {
    "hidden states": hidden_states,
    "linear models": linear_models,
    "particles": particles,
    "pinned": pinned,
    "learned kernel": learned_kernel,
    "differential equation": differential_equation,
    "learned scale": learned_scale,
    "series density": series_density,
    "series forecast": series_forecast,
    "series parts": series_parts,
    "variational": variational,
    "factored": factored,
}
