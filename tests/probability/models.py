"""Models, their gradients in functions, and how they are fitted: `MODELS[name](tf, tfp)`."""

from typing import Any

import numpy as np

from probability.inference import Descent

SEED = (4, 5)


def _slopes(tf: Any, function: Any, *given: Any) -> Any:
    """The value of a function and its gradient, computed in a `tf.function`."""

    @tf.function
    def both(*values: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(values)
            found = function(*values)
        return found, tape.gradient(found, values)

    return both(*(tf.constant(value) for value in given))


def real_nvp(tf: Any, tfp: Any) -> Any:
    """A flow whose networks are templates of TensorFlow 1."""
    template = tfp.bijectors.real_nvp_default_template(
        [4, 3], kernel_initializer=tf.compat.v1.ones_initializer()
    )
    flow = tfp.distributions.TransformedDistribution(
        tfp.distributions.MultivariateNormalDiag(np.zeros(3, "f")),
        tfp.bijectors.RealNVP(1, shift_and_log_scale_fn=template),
    )
    x = tf.constant([[0.1, -0.2, 0.3], [1.0, 0.5, -0.4]])
    with tf.GradientTape() as tape:
        found = flow.log_prob(x)
    variables = template.trainable_variables
    return found, tape.gradient(found, variables), flow.sample(2, seed=SEED)


def masked_flow(tf: Any, tfp: Any) -> Any:
    """The same with a template of masked layers."""
    template = tfp.bijectors.masked_autoregressive_default_template(
        [4], kernel_initializer=tf.compat.v1.constant_initializer(0.3)
    )
    flow = tfp.bijectors.MaskedAutoregressiveFlow(template)
    x = tf.constant([[0.1, -0.2, 0.3]])
    with tf.GradientTape() as tape:
        found = tf.reduce_sum(flow.inverse(x)) + flow.inverse_log_det_jacobian(x, event_ndims=1)
    return found, flow.forward(x), tape.gradient(found, template.trainable_variables)


def order_of_flows(tf: Any, tfp: Any) -> Any:
    """In which order a flow finds the variables of its networks."""
    tfb = tfp.bijectors
    flows = [
        tfb.MaskedAutoregressiveFlow(tfb.AutoregressiveNetwork(
            params=2, hidden_units=units, event_shape=[2], activation="relu",
            kernel_initializer="ones",
        ))
        for units in ([4, 3], [5])
    ]  # fmt: skip
    base = tfp.distributions.Sample(tfp.distributions.Normal(tf.Variable(0.1), 1.0), 2)
    both = tfb.Chain([flows[0], tfb.Permute([1, 0]), tfb.Scale(tf.Variable(2.0)), flows[1]])
    found = tfp.distributions.TransformedDistribution(base, both)
    density = found.log_prob([[0.1, 0.2]])
    return density, [tf.shape(variable) for variable in found.trainable_variables]


def joint_in_order(tf: Any, tfp: Any) -> Any:
    """A hierarchy, as a coroutine that is batched by itself, and its fit by descent."""
    tfd = tfp.distributions
    y = np.array([0.3, 1.2, -0.5, 0.8])

    @tfd.JointDistributionCoroutineAutoBatched
    def model() -> Any:
        mean = yield tfd.Normal(np.float64(0.0), 2.0, name="mean")
        scale = yield tfd.LogNormal(np.float64(0.0), 0.5, name="scale")
        parts = yield tfd.Sample(tfd.Normal(mean, scale), 4, name="parts")
        yield tfd.Independent(tfd.Normal(parts, np.float64(0.3)), 1, name="y")

    pinned = model.experimental_pin(y=y)
    drawn = model.sample(2, seed=SEED)
    surrogate = tfp.experimental.vi.build_affine_surrogate_posterior(
        event_shape=pinned.event_shape, operators=(
            tf.linalg.LinearOperatorDiag, tf.linalg.LinearOperatorDiag,
            tf.linalg.LinearOperatorDiag,
        ),
        bijector=pinned.experimental_default_event_space_bijector(), dtype=tf.float64,
        seed=SEED,
    )  # fmt: skip
    losses = tfp.vi.fit_surrogate_posterior(
        pinned.unnormalized_log_prob,
        surrogate,
        Descent(0.0005),
        num_steps=6,
        sample_size=2,
        seed=SEED,
    )
    return drawn, model.log_prob(drawn), losses, surrogate.sample(seed=SEED)


def joint_gradients(tf: Any, tfp: Any) -> Any:
    tfd = tfp.distributions
    model = tfd.JointDistributionSequentialAutoBatched(
        [
            tfd.Gamma(np.float64(2.0), 1.0),
            tfd.Dirichlet(np.array([1.0, 2.0, 3.0])),
            lambda p, rate: tfd.Multinomial(np.float64(5.0), probs=p),
            lambda counts, p, rate: tfd.Exponential(rate),
        ]
    )

    def density(rate: Any, p: Any, x: Any) -> Any:
        return model.log_prob([rate, p, np.array([1.0, 2.0, 2.0]), x])

    return _slopes(tf, density, np.float64(1.5), np.array([0.2, 0.3, 0.5]), np.float64(0.7))


def markov_chain(tf: Any, tfp: Any) -> Any:
    tfd = tfp.distributions
    chain = tfd.MarkovChain(
        tfd.Normal(np.float64(0.0), 1.0), lambda k, x: tfd.Normal(0.8 * x, np.float64(0.5)), 6
    )
    drawn = chain.sample(2, seed=SEED)
    return drawn, chain.log_prob(drawn), _slopes(tf, chain.log_prob, np.linspace(0.0, 1.0, 6))


def bijector_chains(tf: Any, tfp: Any) -> Any:
    tfb = tfp.bijectors
    x = np.array([[0.3, -0.5, 1.2], [0.1, 0.2, -0.3]])
    chains = [
        tfb.Chain([tfb.Exp(), tfb.Scale(np.float64(2.0)), tfb.Shift(np.array([1.0, 0.0, -1.0]))]),
        tfb.Chain([tfb.NormalCDF(), tfb.ScaleMatvecTriL(np.diag([1.0, 2.0, 3.0]))]),
        tfb.Invert(tfb.Chain([tfb.Softplus(), tfb.Softsign()])),
        tfb.Blockwise([tfb.Sigmoid(), tfb.Exp()], block_sizes=[1, 2]),
        tfb.Chain([tfb.Ascending(), tfb.Permute([2, 0, 1])]),
        tfb.Chain([tfb.Sinh(), tfb.RationalQuadraticSpline(
            np.full([3, 2], 1.0), np.full([3, 2], 1.0), np.full([3, 1], 1.0), range_min=-1.0
        )]),
    ]  # fmt: skip

    def volume(chain: Any) -> Any:
        def found(x: Any) -> Any:
            y = chain.forward(x)
            return tf.reduce_sum(y) + tf.reduce_sum(
                chain.forward_log_det_jacobian(x, event_ndims=1)
            )

        return found

    return [
        (chain.forward(x), chain.inverse(tf.identity(chain.forward(x))))
        for chain in chains
        if not isinstance(chain, tfb.Invert)
    ], [_slopes(tf, volume(chain), 0.1 * x if k == 2 else x) for k, chain in enumerate(chains)]


def restructured(tf: Any, tfp: Any) -> Any:
    tfb = tfp.bijectors
    joint = tfb.JointMap({"a": tfb.Exp(), "b": tfb.Sigmoid(low=np.float64(-1.0), high=2.0)})
    split = tfb.Chain([joint, tfb.Restructure({"a": 0, "b": 1}), tfb.Split([1, 2])])
    x = np.array([0.5, -1.0, 0.3])
    y = split.forward(x)
    shape = {"a": 1, "b": 1}
    return y, split.inverse(y), split.forward_log_det_jacobian(x, event_ndims=1), [
        split.inverse_log_det_jacobian(y, event_ndims=shape)
    ]  # fmt: skip


def hidden_chain(tf: Any, tfp: Any) -> Any:
    """A hidden Markov model: densities, gradients, the likeliest states, the marginals."""
    tfd = tfp.distributions
    x = np.array([0.1, 2.2, 1.9, -0.3, 2.1])

    def model(logits: Any, means: Any) -> Any:
        return tfd.HiddenMarkovModel(
            tfd.Categorical(probs=np.array([0.6, 0.4])), tfd.Categorical(logits=logits),
            tfd.Normal(means, np.float64(0.5)), 5,
        )  # fmt: skip

    given = np.array([[1.0, -0.5], [0.2, 0.7]]), np.array([0.0, 2.0])
    made = model(*map(tf.constant, given))
    mask = np.array([False, False, True, False, False])
    return (
        _slopes(tf, lambda *parameters: model(*parameters).log_prob(x), *given),
        made.posterior_mode(x), made.posterior_marginals(x).probs_parameter(),
        made.posterior_marginals(x, mask=mask).logits_parameter(), made.mean(),
        made.sample(2, seed=SEED), made.prior_marginals().probs,
    )  # fmt: skip


def kalman(tf: Any, tfp: Any) -> Any:
    tfd, operators = tfp.distributions, tf.linalg

    def model(noise: Any) -> Any:
        return tfd.LinearGaussianStateSpaceModel(
            6, operators.LinearOperatorFullMatrix(np.array([[1.0, 1.0], [0.0, 0.9]])),
            tfd.MultivariateNormalDiag(scale_diag=tf.stack([noise, 0.5 * noise])),
            operators.LinearOperatorFullMatrix(tf.constant([[1.0, 0.0]], tf.float64)),
            tfd.MultivariateNormalDiag(scale_diag=np.array([0.3])),
            tfd.MultivariateNormalDiag(scale_diag=np.ones(2)),
        )  # fmt: skip

    x = np.sin(np.arange(6.0))[:, None]
    made = model(tf.constant(0.4, tf.float64))
    mask = np.array([False, True, False, False, True, False])
    return (
        _slopes(tf, lambda noise: model(noise).log_prob(x), np.float64(0.4)),
        made.forward_filter(x, mask=mask), made.posterior_marginals(x),
        made.posterior_sample(x, 2, seed=SEED),
        made.latents_to_observations(*made.posterior_marginals(x)),
    )  # fmt: skip


def structural_series(tf: Any, tfp: Any) -> Any:
    """Trend, season, regression and autoregression in one model, fitted by descent."""
    sts = tfp.sts
    x = np.arange(16.0)
    y = 0.1 * x + np.sin(x * np.pi / 2) + 0.05 * np.cos(7 * x)
    model = sts.Sum([
        sts.LocalLinearTrend(observed_time_series=y), sts.Seasonal(4, observed_time_series=y),
        sts.LinearRegression(np.cos(7 * np.arange(20.0))[:, None]),
        sts.Autoregressive(1, observed_time_series=y),
    ], observed_time_series=y)  # fmt: skip
    surrogate = sts.build_factored_surrogate_posterior(model, seed=SEED)
    losses = tfp.vi.fit_surrogate_posterior(
        model.joint_distribution(y).log_prob, surrogate, Descent(), num_steps=3, seed=SEED
    )
    drawn = surrogate.sample(2, seed=SEED)
    predicted = sts.one_step_predictive(model, y, parameter_samples=drawn)
    parts = sts.decompose_forecast_by_component(
        model, sts.forecast(model, y, drawn, num_steps_forecast=3), drawn
    )
    return losses, predicted.mean(), [part.mean() for part in parts.values()]


def smooth_seasons(tf: Any, tfp: Any) -> Any:
    sts = tfp.sts
    y = np.cos(np.arange(12.0))
    model = sts.Sum(
        [sts.SmoothSeasonal(6.0, [1, 2], observed_time_series=y), sts.SemiLocalLinearTrend(
            observed_time_series=y
        )], observed_time_series=y
    )  # fmt: skip
    values = [0.3 * np.ones(p.prior.event_shape.as_list()) for p in model.parameters]
    density = model.joint_distribution(y).log_prob
    return _slopes(tf, lambda *parameters: density(*parameters), *values)


def generalized_linear(tf: Any, tfp: Any) -> Any:
    """Families of generalized linear models, fitted by Fisher's scoring."""
    random = np.random.RandomState(1)
    x = np.concatenate([np.ones([40, 1]), random.randn(40, 2)], 1)
    eta = x @ np.array([0.2, 0.5, -0.4])
    targets = {
        "Bernoulli": (random.rand(40) < 1 / (1 + np.exp(-eta))).astype(float),
        "Normal": eta + 0.1 * random.randn(40),
        "Poisson": np.floor(np.exp(eta) + random.rand(40)),
        "BernoulliNormalCDF": (random.randn(40) < eta).astype(float),
        "GammaExp": np.exp(eta) * (0.5 + random.rand(40)),
    }
    found = []
    for name, y in targets.items():
        model = getattr(tfp.glm, name)()

        @tf.function
        def fit(model: Any = model, y: Any = y) -> Any:
            return tfp.glm.fit(x, y, model, maximum_iterations=30, l2_regularizer=0.1)

        weights, _, converged, iterations = fit()
        found.append(
            (weights, converged, iterations, model.log_prob(y, tf.linalg.matvec(x, weights)))
        )
    return found


def regression(tf: Any, tfp: Any) -> Any:
    """Regression by Gaussian processes: kernels, gradients, what is predicted."""
    tfd, kernels = tfp.distributions, tfp.math.psd_kernels
    x, at = np.linspace(0, 2, 7)[:, None], np.array([[0.3], [1.1]])
    y = np.cos(3 * x[:, 0])
    made = {
        "ExponentiatedQuadratic": kernels.ExponentiatedQuadratic,
        "MaternOneHalf": kernels.MaternOneHalf,
        "MaternFiveHalves": kernels.MaternFiveHalves,
        "RationalQuadratic": kernels.RationalQuadratic,
    }
    found = []
    for kind in made.values():

        def density(amplitude: Any, length: Any, noise: Any, kind: Any = kind) -> Any:
            process = tfd.GaussianProcess(
                kind(amplitude, length), x, observation_noise_variance=noise
            )
            return process.log_prob(y)

        found.append(_slopes(tf, density, np.float64(1.2), np.float64(0.4), np.float64(0.05)))
    periodic = kernels.ExpSinSquared(np.float64(1.0), np.float64(0.8), np.float64(2.0))
    scaled = kernels.FeatureScaled(periodic * kernels.Linear(np.float64(0.3)), np.array([0.7]))
    predicted = tfd.GaussianProcessRegressionModel.precompute_regression_model(
        scaled + kernels.Constant(np.float64(0.1)), x, y, index_points=at,
        observation_noise_variance=np.float64(0.05),
    )  # fmt: skip
    return found, predicted.mean(), predicted.covariance(), predicted.sample(2, seed=SEED)


def sparse_process(tf: Any, tfp: Any) -> Any:
    """A variational Gaussian process with fewer points than data."""
    tfd, kernels = tfp.distributions, tfp.math.psd_kernels
    x = np.linspace(-1, 1, 10)[:, None]
    y, inducing = np.sin(4 * x[:, 0]), np.linspace(-1, 1, 4)[:, None]
    kernel = kernels.ExponentiatedQuadratic(np.float64(1.0), np.float64(0.5))

    def loss(mean: Any, scale: Any, noise: Any) -> Any:
        process = tfd.VariationalGaussianProcess(
            kernel, x, inducing, mean, scale, observation_noise_variance=noise
        )
        return process.variational_loss(observations=y, observation_index_points=x, kl_weight=0.5)

    best = tfd.VariationalGaussianProcess.optimal_variational_posterior(
        kernel, inducing, x, y, np.float64(0.1)
    )
    return best, _slopes(tf, loss, np.zeros(4), np.eye(4), np.float64(0.1))


def operators(tf: Any, tfp: Any) -> Any:
    """Normal densities whose scales are linear operators."""
    tfd, linalg = tfp.distributions, tf.linalg

    def block(d: Any, u: Any) -> Any:
        diag = linalg.LinearOperatorDiag(d, is_positive_definite=True)
        update = linalg.LinearOperatorLowRankUpdate(diag, u, is_self_adjoint=True,
                                                    is_positive_definite=True)  # fmt: skip
        return linalg.LinearOperatorBlockDiag(
            [update, linalg.LinearOperatorIdentity(1, dtype=d.dtype)]
        )

    def density(d: Any, u: Any, x: Any) -> Any:
        scale = block(d, u)
        return tfd.MultivariateNormalLinearOperator(tf.zeros(4, d.dtype), scale).log_prob(x)

    def kronecker(a: Any, b: Any) -> Any:
        scale = linalg.LinearOperatorKronecker(
            [linalg.LinearOperatorLowerTriangular(a), linalg.LinearOperatorDiag(b)]
        )
        precision = tfp.experimental.distributions.MultivariateNormalPrecisionFactorLinearOperator(
            tf.zeros(4, a.dtype), scale
        )
        normal = tfd.MultivariateNormalLinearOperator(tf.zeros(4, a.dtype), scale)
        return tf.stack([normal.log_prob(x[:4]), precision.log_prob(x[:4]), normal.entropy()])

    x = np.array([0.3, -0.2, 0.5, 1.0])
    u = np.array([[0.2], [0.4], [-0.1]])
    lower = np.array([[1.0, 0.0], [0.5, 2.0]])
    made = tfd.MultivariateNormalLinearOperator(tf.zeros(4, tf.float64), block(
        tf.constant([1.0, 2.0, 0.5], tf.float64), tf.constant(u)
    ))  # fmt: skip
    return (
        _slopes(tf, density, np.array([1.0, 2.0, 0.5]), u, x),
        _slopes(tf, lambda a, b: tf.reduce_sum(kronecker(a, b)), lower, np.array([0.5, 1.5])),
        made.covariance(), made.sample(2, seed=SEED), made.kl_divergence(made),
        made.kl_divergence(tfd.MultivariateNormalDiag(x, 2 * np.ones(4))),
    )  # fmt: skip


def matrices(tf: Any, tfp: Any) -> Any:
    tfd = tfp.distributions
    scale = np.array([[1.0, 0.0], [0.3, 0.8]])
    point = np.array([[2.0, 0.4], [0.4, 1.5]])
    return (
        _slopes(tf, lambda s, x: tfd.WishartTriL(np.float64(4.0), s).log_prob(x), scale, point),
        _slopes(
            tf, lambda s, x: tfd.MatrixNormalLinearOperator(
                tf.zeros([2, 2], tf.float64), tf.linalg.LinearOperatorLowerTriangular(s),
                tf.linalg.LinearOperatorDiag(np.array([1.0, 0.5])),
            ).log_prob(x), scale, point,
        ),
        _slopes(
            tf, lambda c, x: tfd.LKJ(2, c).log_prob(x), np.float64(1.5),
            np.array([[1.0, 0.3], [0.3, 1.0]]),
        ),
        tfd.CholeskyLKJ(3, np.float64(2.0)).sample(2, seed=SEED),
    )  # fmt: skip


DENSITIES: dict[str, Any] = {
    "SinhArcsinh": lambda d, a, b: d.SinhArcsinh(a, b, skewness=a),
    "GeneralizedPareto": lambda d, a, b: d.GeneralizedPareto(a, b, 0.1),
    "JohnsonSU": lambda d, a, b: d.JohnsonSU(a, b, a, b),
    "Kumaraswamy": lambda d, a, b: d.Kumaraswamy(b, b),
    "ExponentiallyModifiedGaussian": lambda d, a, b: d.ExponentiallyModifiedGaussian(a, b, b),
    "NormalInverseGaussian": lambda d, a, b: d.NormalInverseGaussian(a, b, 0.1 * b, b),
    "PowerSpherical": lambda d, a, b: d.PowerSpherical([0.6, 0.8], b),
    "VonMisesFisher": lambda d, a, b: d.VonMisesFisher([0.6, 0.8], b),
    "Moyal": lambda d, a, b: d.Moyal(a, b),
    "TruncatedCauchy": lambda d, a, b: d.TruncatedCauchy(a, b, -2.0, 3.0),
    "LogLogistic": lambda d, a, b: d.LogLogistic(a, b),
    "GeneralizedExtremeValue": lambda d, a, b: d.GeneralizedExtremeValue(a, b, 0.2),
    "BetaBinomial": lambda d, a, b: d.BetaBinomial(5.0, b, b),
    "NegativeBinomial": lambda d, a, b: d.NegativeBinomial(3.0, logits=a),
    "Inflated counts": lambda d, a, b: d.Inflated(
        d.NegativeBinomial(3.0, logits=a), 0.2, inflated_loc=0.0
    ),
    "Skellam": lambda d, a, b: d.Skellam(b, b),
    "Inflated": lambda d, a, b: d.Inflated(d.Normal(a, b), 0.3),
    "Mixture": lambda d, a, b: d.Mixture(
        d.Categorical(probs=[0.3, 0.7]), [d.Normal(a, b), d.Laplace(a, b)]
    ),
    "QuantizedDistribution": lambda d, a, b: d.QuantizedDistribution(
        d.Normal(a, 2 * b), low=-3.0, high=5.0
    ),
    "StoppingRatioLogistic": lambda d, a, b: d.StoppingRatioLogistic([0.2, 1.0], a),
    "OrderedLogistic": lambda d, a, b: d.OrderedLogistic([0.2, 1.0], a),
}


def gradients_of_densities(tf: Any, tfp: Any) -> Any:
    """Gradients of densities in functions, for the parameters and the point."""
    found = {}
    for name, make in DENSITIES.items():
        at = {"Kumaraswamy": 0.4, "GeneralizedPareto": 1.2, "LogLogistic": 1.1}.get(name, 1.0)
        point = (
            np.float32([0.0, 1.0]) if "Spherical" in name or "Fisher" in name else np.float32(at)
        )

        def density(a: Any, b: Any, x: Any, make: Any = make) -> Any:
            return make(tfp.distributions, a, b).log_prob(x)

        found[name] = _slopes(tf, density, np.float32(0.3), np.float32(1.4), point)
    return found


def divergences(tf: Any, tfp: Any) -> Any:
    """Kullback and Leibler's divergences, and other divergences from samples."""
    tfd, vi = tfp.distributions, tfp.vi
    pairs = [
        (lambda a, b: tfd.Normal(a, b), lambda: tfd.Normal(np.float64(0.0), 1.0)),
        (lambda a, b: tfd.Gamma(b, b), lambda: tfd.Gamma(np.float64(2.0), 1.0)),
        (lambda a, b: tfd.Beta(b, b), lambda: tfd.Beta(np.float64(2.0), 1.0)),
        (lambda a, b: tfd.Laplace(a, b), lambda: tfd.Laplace(np.float64(0.0), 1.0)),
        (lambda a, b: tfd.Weibull(b, b), lambda: tfd.Gamma(np.float64(2.0), 1.0)),
        (lambda a, b: tfd.Gumbel(a, b), lambda: tfd.Gumbel(np.float64(0.0), 1.0)),
        (lambda a, b: tfd.HalfNormal(b), lambda: tfd.HalfNormal(np.float64(1.0))),
        (lambda a, b: tfd.VonMises(a, b), lambda: tfd.VonMises(np.float64(0.0), 1.0)),
    ]  # fmt: skip
    exact = [
        _slopes(
            tf, lambda a, b, m=make, o=other: m(a, b).kl_divergence(o()), np.float64(0.2),
            np.float64(1.3),
        )
        for make, other in pairs
    ]  # fmt: skip
    functions = (vi.kl_reverse, vi.kl_forward, vi.jensen_shannon, vi.total_variation, vi.pearson)

    def sampled(a: Any, b: Any, function: Any) -> Any:
        return vi.monte_carlo_variational_loss(
            tfd.Normal(np.float64(0.3), 1.1).log_prob, tfd.Normal(a, b), sample_size=4, seed=SEED,
            discrepancy_fn=function,
        )  # fmt: skip

    return exact, [
        _slopes(tf, lambda a, b, f=f: sampled(a, b, f), np.float64(0.1), np.float64(0.9))
        for f in functions
    ]


def weighted_bound(tf: Any, tfp: Any) -> Any:
    """Bounds of several samples, with gradients that are doubly reparametrized."""
    tfd = tfp.distributions
    location, scale = tf.Variable(np.float64(0.1)), tf.Variable(np.float64(0.8))
    surrogate = tfd.Normal(location, scale)
    losses = []
    for method in ("DOUBLY_REPARAMETERIZED", "VIMCO"):
        with tf.GradientTape() as tape:
            loss = tfp.vi.monte_carlo_variational_loss(
                tfd.Normal(np.float64(1.0), 0.5).log_prob, surrogate, sample_size=3,
                importance_sample_size=4, seed=SEED,
                gradient_estimator=getattr(tfp.vi.GradientEstimators, method),
                stopped_surrogate_posterior=tfd.Normal(
                    tf.stop_gradient(location), tf.stop_gradient(scale)
                ),
            )  # fmt: skip
        losses.append((loss, tape.gradient(loss, [location, scale])))
    return losses


def solvers(tf: Any, tfp: Any) -> Any:
    """Roots, extrema and integrals of functions."""

    def cubic(x: Any) -> Any:
        return x**3 - x - 2.0

    start = tf.constant([1.0, 3.0], tf.float64)

    @tf.function
    def found() -> Any:
        chandrupatla = tfp.math.find_root_chandrupatla(cubic, start * 0.0, start + 2.0)
        secant = tfp.math.secant_root(cubic, start, start + 0.5)
        simplex = tfp.optimizer.nelder_mead_minimize(
            lambda x: tf.reduce_sum((x - [1.0, -2.0]) ** 2), initial_vertex=tf.zeros(2, tf.float64),
            max_iterations=20,
        )  # fmt: skip
        return (
            chandrupatla.estimated_root, chandrupatla.num_iterations, secant.estimated_root,
            simplex.position, simplex.num_objective_evaluations,
            tfp.math.trapz(tf.sin(start), start),
        )  # fmt: skip

    return found()


def special_functions(tf: Any, tfp: Any) -> Any:
    m = tfp.math
    x = np.array([0.3, 1.2, 4.0])
    functions = [
        m.bessel_ive, m.bessel_kve, m.log_bessel_ive, m.betainc, m.lbeta, m.log_gamma_difference,
        m.owens_t, m.igammainv, m.log_add_exp, m.log_sub_exp,
    ]  # fmt: skip
    alone = [m.lambertw, m.erfcx, m.logerfc, m.log1mexp, m.softplus_inverse]
    second = np.array([0.8, 0.5, 2.5])

    def evaluated(f: Any) -> Any:
        if f is m.betainc:
            return _slopes(tf, lambda a, b: tf.reduce_sum(f(a, b, 0.3)), x, second)
        if f is m.igammainv:
            return _slopes(tf, lambda a, b: tf.reduce_sum(f(a, b / 3.0)), x, second)
        if f is m.log_sub_exp:
            return _slopes(tf, lambda a, b: tf.reduce_sum(f(a + 5.0, b)), x, second)
        return _slopes(tf, lambda a, b: tf.reduce_sum(f(a, b)), x, second)

    return [evaluated(f) for f in functions], [
        _slopes(tf, lambda a, f=f: tf.reduce_sum(f(a)), x) for f in alone
    ]


def matrices_of_kernels(tf: Any, tfp: Any) -> Any:
    """Decompositions that tfp has itself."""
    random = np.random.RandomState(2)
    a = random.randn(4, 4)
    spd = a @ a.T + 4 * np.eye(4)
    m = tfp.math
    lower = m.pivoted_cholesky(spd, max_rank=2)
    sparse = m.sparse_or_dense_matmul(
        tf.sparse.from_dense(np.diag([1.0, 2.0, 0.0, 3.0])), tf.constant(a)
    )
    return (
        lower, sparse, m.fill_triangular(np.arange(6.0)),
        m.cholesky_concat(np.linalg.cholesky(spd[:3, :3]), spd[:, 3:]),
        _slopes(tf, lambda x: tf.reduce_sum(m.hpsd_logdet(x)), spd),
        _slopes(tf, lambda x: tf.reduce_sum(m.hpsd_quadratic_form_solve(x, np.ones([4, 1]))), spd),
        m.cholesky_update(np.linalg.cholesky(spd), np.array([0.5, 0.2, -0.1, 0.3])),
    )  # fmt: skip


def scans(tf: Any, tfp: Any) -> Any:
    x = tf.constant(np.arange(1.0, 8.0))
    found = tfp.math.scan_associative(lambda a, b: a * b, x)
    lengths = tfp.math.scan_associative(
        lambda a, b: (a[0] * b[0], a[1] * b[0] + b[1]), (x / 4.0, tf.ones_like(x))
    )
    interpolated = tfp.math.interp_regular_1d_grid(
        np.array([0.2, 1.7, 9.0]), 0.0, 6.0, x, fill_value="extrapolate"
    )
    batched = tfp.math.batch_interp_regular_1d_grid(
        np.array([[0.5], [1.5]]), 0.0, 2.0, np.arange(6.0).reshape(2, 3)
    )
    reduced = tfp.math.reduce_weighted_logsumexp(
        x, w=tf.cast([1, -1, 2, 1, 1, -1, 3], x.dtype), return_sign=True
    )
    return found, lengths, interpolated, batched, reduced, tfp.math.log_cumsum_exp(x)


MODELS: dict[str, Any] = {
    "real nvp": real_nvp,
    "masked flow": masked_flow,
    "order of flows": order_of_flows,
    "joint in order": joint_in_order,
    "joint gradients": joint_gradients,
    "markov chain": markov_chain,
    "bijector chains": bijector_chains,
    "restructured": restructured,
    "hidden chain": hidden_chain,
    "kalman": kalman,
    "structural series": structural_series,
    "smooth seasons": smooth_seasons,
    "generalized linear": generalized_linear,
    "regression": regression,
    "sparse process": sparse_process,
    "operators": operators,
    "matrices": matrices,
    "gradients of densities": gradients_of_densities,
    "divergences": divergences,
    "weighted bound": weighted_bound,
    "solvers": solvers,
    "special functions": special_functions,
    "matrices of kernels": matrices_of_kernels,
    "scans": scans,
}
