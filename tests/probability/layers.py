"""Layers that return distributions, and flows with networks in them: `LAYERS[name](tf, tfp)`.

tensorflow_probability means Keras 2, `tf_keras`, which is `tf.keras` on tapefacade.
"""

import importlib
import pathlib
import tempfile
from typing import Any

import numpy as np

RANDOM = np.random.RandomState(1)
X = RANDOM.randn(24, 3).astype("float32")
Y = (X @ np.float32([[1.0], [-0.5], [0.3]]) + 0.1 * RANDOM.randn(24, 1)).astype("float32")
FIT = {"epochs": 2, "batch_size": 8, "shuffle": False, "verbose": 0}


def _keras() -> Any:
    return importlib.import_module("tf_keras")


def _dense(units: int, **options: Any) -> Any:
    keras = _keras()
    start = keras.initializers.Constant(0.3)
    return keras.layers.Dense(units, kernel_initializer=start, **options)


def _unlikely(y: Any, distribution: Any) -> Any:
    return -distribution.log_prob(y)


def _history(history: Any) -> Any:
    return [np.float32(history.history[key]) for key in sorted(history.history)]


def regression(tf: Any, tfp: Any) -> Any:
    """The tutorial's: the loss is given the distribution, a metric and `predict` its tensor."""
    tfd, keras = tfp.distributions, _keras()
    model = keras.Sequential([
        _dense(2),
        tfp.layers.DistributionLambda(
            lambda t: tfd.Normal(t[..., :1], 1e-3 + tf.math.softplus(0.05 * t[..., 1:])),
            convert_to_tensor_fn=tfd.Distribution.mean,
        ),
    ])  # fmt: skip
    model.compile(keras.optimizers.Adam(0.01), loss=_unlikely, metrics=["mse"])
    history = model.fit(X, Y, sample_weight=np.linspace(0, 1, 24, dtype="float32"), **FIT)
    found = model(X[:3])
    return [
        _history(history), np.float32(model.evaluate(X, Y, verbose=0)),
        model.predict(X, verbose=0), found.mean(), found.stddev(), found + 1.0,
    ]  # fmt: skip


def two_outputs(tf: Any, tfp: Any) -> Any:
    tfpl, keras = tfp.layers, _keras()
    mean = tfp.distributions.Distribution.mean
    given = keras.Input([3])

    class Unlikely(keras.losses.Loss):
        def call(self, y_true: Any, y_pred: Any) -> Any:
            return -y_pred.log_prob(y_true)

    hidden = _dense(4, activation="tanh")(given)
    normal = tfpl.IndependentNormal(1, convert_to_tensor_fn=mean, name="normal")
    poisson = tfpl.IndependentPoisson(1, convert_to_tensor_fn=mean, name="poisson")
    model = keras.Model(given, [normal(_dense(2)(hidden)), poisson(_dense(1)(hidden))])
    model.compile(keras.optimizers.Adam(0.01), loss=[Unlikely(), _unlikely])
    history = model.fit(X, [Y, np.abs(np.round(Y))], **FIT)
    return np.float32(history.history["loss"]), model.predict(X, verbose=0)


def autoencoder(tf: Any, tfp: Any) -> Any:
    """The regularizer of the encoder's distribution counts in the loss of the whole."""
    tfd, tfpl, keras = tfp.distributions, tfp.layers, _keras()
    x = np.float32(X > 0)
    prior = tfd.Independent(tfd.Normal(tf.zeros(2), 1.0), 1)
    encoder = keras.Sequential([
        keras.layers.InputLayer([3]),
        _dense(tfpl.MultivariateNormalTriL.params_size(2)),
        tfpl.MultivariateNormalTriL(
            2, convert_to_tensor_fn=tfd.Distribution.mean,
            activity_regularizer=tfpl.KLDivergenceRegularizer(prior, weight=0.3),
        ),
    ])  # fmt: skip
    decoder = keras.Sequential([
        keras.layers.InputLayer([2]), _dense(3), tfpl.IndependentBernoulli(3, tfd.Bernoulli.logits),
    ])  # fmt: skip
    model = keras.Model(encoder.inputs, decoder(encoder.outputs[0]))
    model.compile(keras.optimizers.SGD(0.05), loss=_unlikely)
    history = model.fit(x, x, **FIT)
    return _history(history), model(x[:4]).mean(), encoder(x[:3]).covariance()


def learned_prior(tf: Any, tfp: Any) -> Any:
    """A layer finds the variables of the distribution that it is given."""
    tfd, tfpl, keras = tfp.distributions, tfp.layers, _keras()
    x = np.float32(X > 0)
    prior = tfd.MultivariateNormalDiag(tf.Variable([0.5, -0.5]), tf.ones(2))
    model = keras.Sequential([
        keras.layers.InputLayer([3]), _dense(5),
        tfpl.MultivariateNormalTriL(2, convert_to_tensor_fn=tfd.Distribution.mean),
        tfpl.KLDivergenceAddLoss(prior, weight=0.5, use_exact_kl=True),
        _dense(3), tfpl.IndependentBernoulli(3, tfd.Bernoulli.logits),
    ])  # fmt: skip
    model.compile(keras.optimizers.SGD(0.05), loss=_unlikely)
    history = model.fit(x, x, **FIT)
    return _history(history), prior.loc, len(model.trainable_variables)


def mixture(tf: Any, tfp: Any) -> Any:
    keras, layer = _keras(), tfp.layers.MixtureNormal
    model = keras.Sequential([_dense(6), _dense(layer.params_size(3, [1])), layer(3, [1])])
    model.compile(keras.optimizers.Adam(0.01), loss=_unlikely)
    with tempfile.TemporaryDirectory() as folder:
        history = model.fit(X, Y, **FIT)
        path = str(pathlib.Path(folder) / "kept.weights.h5")
        model.save_weights(path)
        before = model(X[:3]).mean()
        model.fit(X, Y, **FIT)
        model.load_weights(path)
        return _history(history), before, model(X[:3]).mean()


def weights_of_chance(tf: Any, tfp: Any) -> Any:
    """Which variables and losses layers with posteriors over their weights have."""
    tfpl, tfd = tfp.layers, tfp.distributions

    def posterior(dtype: Any, shape: Any, name: str, trainable: bool, add: Any) -> Any:
        values = tf.reshape(tf.range(float(np.prod(shape))), shape)
        return tfd.Independent(tfd.Deterministic(values), len(shape))

    zero = {"bias_posterior_fn": None, "kernel_divergence_fn": None}
    fixed = tfpl.Convolution2DReparameterization(
        2, 3, padding="same", strides=2, kernel_posterior_fn=posterior, **zero
    )
    dilated = tfpl.Convolution1DReparameterization(
        2, 3, dilation_rate=2, kernel_posterior_fn=posterior, **zero
    )
    found = [
        fixed(tf.reshape(tf.range(50.0), [2, 5, 5, 1])),
        dilated(tf.reshape(tf.range(14.0), [1, 7, 2])),
    ]
    for layer, shape in (
        (tfpl.Convolution3DFlipout(2, 2), [1, 4, 4, 4, 1]),
        (tfpl.DenseFlipout(3), [2, 4]),
        (tfpl.DenseLocalReparameterization(3), [2, 4]),
    ):
        result = layer(tf.ones(shape))
        found += [len(layer.losses), len(layer.trainable_weights), result.shape.as_list()]
        found += [list(weight.shape) for weight in layer.weights]
    return found


def inducing_points(tf: Any, tfp: Any) -> Any:
    keras, kernels = _keras(), tfp.math.psd_kernels
    constant = keras.initializers.Constant

    class Kernel(keras.layers.Layer):
        def __init__(self) -> None:
            super().__init__()
            self._amplitude = self.add_weight(name="amplitude", shape=(), initializer="zeros")

        def call(self, x: Any) -> Any:
            return x

        @property
        def kernel(self) -> Any:
            return kernels.ExponentiatedQuadratic(tf.nn.softplus(self._amplitude), 1.5)

    layer = tfp.layers.VariationalGaussianProcess(
        num_inducing_points=5, kernel_provider=Kernel(), event_shape=[1],
        inducing_index_points_initializer=constant(np.float32(np.linspace(-2, 2, 5)[:, None])),
        unconstrained_observation_noise_variance_initializer=constant(0.5),
    )  # fmt: skip
    model = keras.Sequential([keras.layers.InputLayer([3]), _dense(1), layer])
    with tf.GradientTape() as tape:
        found = model(X[:4])
        loss = found.variational_loss(Y[:4], kl_weight=0.3)
    variables = model.trainable_variables
    return loss, found.mean(), tape.gradient(loss, variables[:1]), len(variables)


def flow(tf: Any, tfp: Any) -> Any:
    """A bijector finds the variables of the network in it, and a distribution those of both."""
    tfd, tfb = tfp.distributions, tfp.bijectors
    network = tfb.AutoregressiveNetwork(
        params=2, hidden_units=[8], activation="tanh",
        kernel_initializer=_keras().initializers.Constant(0.3),
    )  # fmt: skip
    bijector = tfb.Chain(
        [tfb.Shift(tf.Variable([0.1, 0.2])), tfb.MaskedAutoregressiveFlow(network)]
    )
    distribution = tfd.TransformedDistribution(tfd.Sample(tfd.Normal(0.0, 1.0), 2), bijector)
    with tf.GradientTape() as tape:
        loss = -tf.reduce_mean(distribution.log_prob([[0.1, 0.2], [0.3, -0.4]]))
    variables = sorted(distribution.trainable_variables, key=lambda v: list(v.shape))
    return loss, tape.gradient(loss, variables), len(bijector.variables)


LAYERS: dict[str, Any] = {
    "regression": regression,
    "two outputs": two_outputs,
    "autoencoder": autoencoder,
    "learned prior": learned_prior,
    "mixture": mixture,
    "weights of chance": weights_of_chance,
    "inducing points": inducing_points,
    "flow": flow,
}
