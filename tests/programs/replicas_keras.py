"""Keras in the scope of a strategy: steps of the user's, `fit`, `evaluate`, `predict`, metrics."""

from programs.program import seeded
from programs.replicas import _mirrored

# The generator divides the CPU into so many for TensorFlow.
LOGICAL_CPUS = 3


def _data(np, count=21):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(count, 5)).astype("f")
    return x, (x[:, :1] * 0.5 - x[:, 1:2]).astype("f")


def _network(tf, np):
    keras = tf.keras
    model = keras.Sequential(
        [
            keras.Input((5,)),
            keras.layers.Dense(8, activation="tanh"),
            keras.layers.BatchNormalization(),
            keras.layers.Dense(1, kernel_regularizer=keras.regularizers.L2(0.01)),
        ]
    )
    seeded(model, np, 1)
    return model


def _sums(np, model):
    return [float(np.abs(weight).sum()) for weight in model.get_weights()]


def steps_of_ones_own(tf, np):
    strategy = _mirrored(tf, 2)
    with strategy.scope():
        model = _network(tf, np)
        optimizer = tf.keras.optimizers.Adam(0.05, clipnorm=1.0)
        optimizer.build(model.trainable_variables)
        mean = tf.keras.metrics.Mean()
        error = tf.keras.metrics.MeanSquaredError()
    x, y = _data(np)
    dataset = tf.data.Dataset.from_tensor_slices((x, y)).batch(8)
    dataset = strategy.experimental_distribute_dataset(dataset)

    def replica(inputs):
        x, y = inputs
        with tf.GradientTape() as tape:
            predicted = model(x, training=True)
            losses = tf.reduce_sum((predicted - y) ** 2, 1)
            loss = tf.nn.compute_average_loss(losses, global_batch_size=8)
            loss += tf.nn.scale_regularization_loss(tf.add_n(model.losses))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        mean.update_state(losses)
        error.update_state(y, predicted)
        return loss

    @tf.function
    def train(inputs):
        return strategy.reduce(tf.distribute.ReduceOp.SUM, strategy.run(replica, (inputs,)), None)

    found = []
    for _ in range(2):
        found += [train(batch) for batch in dataset]
        found.append((mean.result(), error.result(), _sums(np, model)))
        mean.reset_state()
        error.reset_state()
    return found, optimizer.iterations.numpy(), [tuple(v.shape) for v in optimizer.variables]


def fitting_in_a_scope(tf, np):
    strategy = _mirrored(tf, 2)
    with strategy.scope():
        model = _network(tf, np)
        model.compile(tf.keras.optimizers.SGD(0.1, momentum=0.9), "mse", metrics=["mae"])
    x, y = _data(np, 24)
    history = model.fit(x, y, batch_size=8, epochs=2, shuffle=False, verbose=0)
    return (
        {key: [float(v) for v in values] for key, values in history.history.items()},
        [float(v) for v in model.evaluate(x, y, batch_size=8, verbose=0)],
        model.predict(x[:16], batch_size=8, verbose=0),
        _sums(np, model),
    )


def fitting_with_batches_of_several_sizes(tf, np):
    strategy = _mirrored(tf, 2)
    with strategy.scope():
        model = _network(tf, np)
        model.compile(tf.keras.optimizers.Adam(0.05), "mse", weighted_metrics=["mae"])
    x, y = _data(np)
    weights = np.linspace(0.5, 1.5, len(x)).astype("f")
    dataset = tf.data.Dataset.from_tensor_slices((x, y, weights)).batch(8)
    history = model.fit(dataset, epochs=2, verbose=0)
    return (
        {key: [float(v) for v in values] for key, values in history.history.items()},
        [float(v) for v in model.evaluate(dataset, verbose=0)],
        model.predict(x, batch_size=8, verbose=0),
        _sums(np, model),
    )


def statistics_of_batches(tf, np):
    strategy = _mirrored(tf, 2)
    with strategy.scope():
        layer = tf.keras.layers.BatchNormalization(momentum=0.5)
        layer.build((None, 1))
    x = tf.data.Dataset.from_tensor_slices([[1.0], [3.0], [10.0], [30.0]]).batch(4)
    outputs = [
        strategy.run(lambda rows: layer(rows, training=True), args=(rows,))
        for rows in strategy.experimental_distribute_dataset(x)
    ]
    return (
        [output.values for output in outputs],
        list(layer.get_weights()),
        strategy.run(lambda: layer.moving_mean + 0.0).values,
    )


def _regression(tf, np, *layers):
    """A model of a strategy that has not been compiled."""
    with _mirrored(tf, 2).scope():
        model = tf.keras.Sequential([tf.keras.Input((5,)), *[make() for make in layers]])
    seeded(model, np, 1)
    return model


def _found(np, model, history):
    losses = {key: [float(v) for v in values] for key, values in history.history.items()}
    return losses, _sums(np, model)


def replicas_without_examples(tf, np):
    """The last batch has one example, so that one of the replicas has none."""
    model = _regression(tf, np, lambda: tf.keras.layers.Dense(1, kernel_regularizer="l2"))
    with _mirrored(tf, 2).scope():
        model.compile("sgd", "mse", metrics=["mae"])
    x, y = _data(np, 13)
    weights = np.linspace(0.1, 2.0, len(x)).astype("f")
    history = model.fit(
        x, y, sample_weight=weights, batch_size=6, shuffle=False, epochs=2, verbose=0,
        validation_data=(x[:7], y[:7]),
    )  # fmt: skip
    return _found(np, model, history)


def losses_that_are_scaled(tf, np):
    keras = tf.keras
    model = _regression(tf, np, lambda: keras.layers.Dense(1))
    with _mirrored(tf, 2).scope():
        model.compile(keras.optimizers.LossScaleOptimizer(keras.optimizers.SGD(0.1)), "mse")
    x, y = _data(np, 12)
    x[9] = np.inf
    history = model.fit(x, y, batch_size=4, shuffle=False, epochs=1, verbose=0)
    return _found(np, model, history)[1], float(model.optimizer.dynamic_scale.numpy())


def statistics_of_all_replicas(tf, np):
    layers = tf.keras.layers
    model = _regression(
        tf, np, lambda: layers.Dense(3),
        lambda: layers.BatchNormalization(momentum=0.7, synchronized=True), lambda: layers.Dense(1),
    )  # fmt: skip
    with _mirrored(tf, 2).scope():
        model.compile("sgd", "mse")
    x, y = _data(np, 21)
    history = model.fit(x, y, batch_size=8, shuffle=False, epochs=2, verbose=0)
    alone = layers.BatchNormalization(synchronized=True)
    return _found(np, model, history), alone.get_config()["synchronized"], alone(x, training=True)


def steps_of_a_class(tf, np):
    keras = tf.keras

    class Model(keras.Model):
        def __init__(self):
            super().__init__()
            self.dense, self.mean = keras.layers.Dense(1), keras.metrics.Mean("mine")

        def call(self, x, training=None):
            return self.dense(x)

        def train_step(self, data):
            x, y = data
            with tf.GradientTape() as tape:
                errors = tf.reduce_sum((self(x, training=True) - y) ** 2, 1)
                loss = tf.nn.compute_average_loss(errors, global_batch_size=8)
            weights = self.trainable_variables
            self.optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))
            self.mean.update_state(loss)
            return {"mine": self.mean.result(), "loss": loss}

        def test_step(self, data):
            x, y = data
            self.mean.update_state(tf.reduce_mean((self(x) - y) ** 2))
            return {"mine": self.mean.result()}

        def predict_step(self, data):
            x = data[0] if isinstance(data, tuple) else data
            return {"p": self(x), "rows": tf.ones_like(x[:, :1])}

        @property
        def metrics(self):
            return [self.mean]

    with _mirrored(tf, 2).scope():
        model = Model()
        model(np.zeros((1, 5), "f"))
        model.compile("adam")
    seeded(model, np, 3)
    x, y = _data(np, 21)
    history = model.fit(x, y, batch_size=8, shuffle=False, epochs=2, verbose=0)
    return (
        _found(np, model, history),
        model.evaluate(x, y, batch_size=8, verbose=0, return_dict=True),
        model.predict(x[:5], batch_size=4, verbose=0),
    )


def models_built_and_compiled_outside(tf, np):
    keras = tf.keras
    with _mirrored(tf, 2).scope():
        start = keras.initializers.GlorotUniform(seed=3)
        model = keras.Sequential([keras.layers.Dense(1, kernel_initializer=start)])
    model.compile("sgd", "mse")
    x, y = _data(np, 12)
    history = model.fit(x, y, batch_size=4, shuffle=False, epochs=2, verbose=0)
    return _found(np, model, history)


def distributed_datasets_for_fit(tf, np):
    strategy = _mirrored(tf, 2)
    model = _regression(tf, np, lambda: tf.keras.layers.Dense(1))
    with strategy.scope():
        model.compile("sgd", "mse")
    dataset = tf.data.Dataset.from_tensor_slices(_data(np, 21)).batch(6)
    distributed = strategy.experimental_distribute_dataset(dataset)
    history = model.fit(distributed, epochs=2, verbose=0)
    return _found(np, model, history), float(model.evaluate(distributed, verbose=0))
