"""What programs of Keras 2 write, against what Keras 2 (`tf_keras` 2.21) does with it."""

import logging

import numpy as np
import pytest
from steps import close_everything, settle

import tapefacade as tf
from tapefacade._keras.keras2 import learning_phase, notices

X = np.linspace(-1, 1, 24).reshape(8, 3).astype("float32")
Y = np.linspace(0, 1, 8).reshape(8, 1).astype("float32")


@pytest.fixture(autouse=True)
def nothing_pending(monkeypatch):
    monkeypatch.setattr(notices, "_NOTICES_GIVEN", set())
    settle()
    yield
    learning_phase._PHASE.value = None
    close_everything()


@pytest.fixture
def said(caplog):
    caplog.set_level(logging.WARNING, "tensorflow")
    return lambda: [r.getMessage() for r in caplog.records if r.name == "tensorflow"]


def near(value, expected, tolerance=3e-5):  # Keras 2's numbers are rounded to five places
    np.testing.assert_allclose(np.asarray(value), expected, rtol=0, atol=tolerance)


def small_model(activation=None):
    layers, constant = tf.keras.layers, tf.keras.initializers.Constant
    return tf.keras.Sequential([
        tf.keras.Input(3),
        layers.Dense(4, activation="tanh", kernel_initializer=constant(0.3)),
        layers.Dense(1, activation=activation, kernel_initializer=constant(0.2)),
    ])  # fmt: skip


# Notices and refusals.


def test_each_spelling_is_reported_once(said):
    for _ in range(2):
        tf.keras.optimizers.Adam(lr=0.1)
        tf.keras.Input(2)
    assert said() == [
        "Adam(lr=...) is Keras 2; write Adam(learning_rate=...).",
        "Input(2) is Keras 2; write Input((2,)).",
    ]


def test_spellings_of_today_are_not_reported(said, tmp_path):
    model = small_model()
    settle_notices = len(said())
    model.compile(tf.keras.optimizers.SGD(0.1), "mse", metrics=["mae"])
    model.fit(X, Y, verbose=0)
    model.save(tmp_path / "a.keras")
    tf.keras.models.load_model(tmp_path / "a.keras")
    model.save_weights(tmp_path / "a.weights.h5")
    model.load_weights(tmp_path / "a.weights.h5")
    assert len(said()) == settle_notices


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("utils.multi_gpu_model", "use `tf.distribute.MirroredStrategy`"),
        ("estimator", "train with `model.fit`"),
        ("layers.DenseFeatures", "use preprocessing layers"),
        ("experimental.LinearModel", r"use a `Dense\(1\)` layer"),
        ("models.model_from_yaml", "use `model_from_json`"),
    ],
)
def test_what_is_gone_says_what_to_do(path, text):
    *above, last = path.split(".")
    owner = tf.keras
    for name in above:
        owner = getattr(owner, name)
    with pytest.raises(AttributeError, match=text):
        getattr(owner, last)
    assert not hasattr(owner, last)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: tf.keras.backend.gradients(1, 2), "K.gradients .* use `tf.GradientTape`"),
        (lambda: tf.keras.backend.get_session(), "K.get_session .* there are no sessions"),
        (lambda: tf.keras.optimizers.SGD().get_gradients(1, 2), "use `tf.GradientTape` around"),
        (lambda: tf.keras.optimizers.SGD().get_updates(1, 2), "`apply_gradients`"),
        (
            lambda: small_model().compile("sgd", target_tensors=[1]),
            r"target_tensors=...\) .* pass the targets to `fit`",
        ),
        (
            lambda: tf.keras.layers.LSTM(2, time_major=True),
            r"LSTM\(time_major=...\) .* transpose the first two axes",
        ),
        (
            lambda: tf.keras.backend.random_normal(
                (tf.keras.backend.shape(tf.keras.Input((2,)))[0], 2)
            ),
            "of a shape that is symbolic .* write it within a layer's `call`",
        ),
        (
            lambda: tf.keras.backend.function([tf.keras.Input((2,))], [], updates=[1]),
            "assign to the variables",
        ),
        (
            lambda: tf.keras.layers.Dense(2).add_loss(tf.keras.Input((2,))),
            "call `add_loss` within `call`",
        ),
    ],
)
def test_what_cannot_be_done_says_what_to_do(call, text):
    with pytest.raises(notices.RefusedError, match=text):
        call()


# Names.


def test_names_that_moved():
    keras = tf.keras
    near(keras.losses.mean_squared_error([1.0, 2.0], [2.0, 4.0]), 2.5)
    near(tf.losses.mean_absolute_error([1.0, 2.0], [2.0, 4.0]), 1.5)
    near(tf.metrics.mean_squared_error([1.0, 2.0], [2.0, 4.0]), 2.5)
    assert keras.layers.experimental.preprocessing.Rescaling is keras.layers.Rescaling
    assert keras.layers.CuDNNLSTM is keras.layers.LSTM
    assert keras.optimizers.experimental.Adam is keras.optimizers.Adam
    assert keras.experimental.CosineDecay is keras.optimizers.schedules.CosineDecay
    assert keras.mixed_precision.experimental.Policy is keras.mixed_precision.Policy
    assert keras.losses.Reduction.AUTO == "auto"
    with pytest.raises(AttributeError, match="has no attribute 'Denze'"):
        keras.layers.Denze  # noqa: B018


def test_modules_are_imported_by_their_names():
    from tapefacade.keras.layers.experimental.preprocessing import RandomFlip
    from tapefacade.keras.losses import mean_squared_error
    from tapefacade.keras.optimizers.legacy import Adam

    from tapefacade.keras import losses

    assert losses is tf.keras.losses
    assert mean_squared_error is tf.keras.losses.mean_squared_error
    assert RandomFlip is tf.keras.layers.RandomFlip
    assert Adam is tf.keras.optimizers.legacy.Adam


def test_classes_that_were_dropped():
    layers = tf.keras.layers
    assert layers.LocallyConnected1D(2, 3)(np.ones((2, 7, 3))).shape == (2, 5, 2)
    assert layers.LocallyConnected2D(2, 3, strides=2)(np.ones((2, 7, 7, 3))).shape == (2, 3, 3, 2)
    near(layers.ThresholdedReLU(1.0)(np.array([0.5, 2.0])), [0.0, 2.0])
    features = layers.experimental.RandomFourierFeatures(4000, scale=1.0)
    a, b = features(np.array([[0.0, 0.0], [1.0, 0.5]], "float32")).numpy()
    near(2 * np.mean(a * b), np.exp(-(1 + 0.25) / 2), 0.1)  # the Gaussian kernel
    mean = tf.keras.metrics.MeanTensor()
    mean.update_state([1.0, 2.0])
    mean.update_state([3.0, 2.0])
    near(mean.result(), [2.0, 2.0])
    ring = tf.keras.constraints.RadialConstraint()(tf.reshape(tf.range(25.0), (5, 5, 1, 1)))
    expected = [[18] * 5, [18, 12, 12, 12, 18], [18, 12, 6, 12, 18], [18, 12, 12, 12, 18], [18] * 5]
    near(ring.numpy().reshape(5, 5), expected)


def test_to_categorical_takes_a_dtype():
    made = tf.keras.utils.to_categorical([0, 2], num_classes=3, dtype="int32")
    assert made.dtype == "int32"
    assert made.tolist() == [[1, 0, 0], [0, 0, 1]]


# Optimizers.


def trained(optimizer, steps=4):
    v = tf.Variable([[1.0, -2.0, 0.3], [0.001, 4.0, -0.5]])
    b = tf.Variable([0.1, -0.2])
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.tanh(v) ** 2) * 0.5 + tf.reduce_sum(b**4)
        optimizer.apply_gradients(zip(tape.gradient(loss, [v, b]), [v, b], strict=True))
    return v.numpy().ravel()


FORMULAS = [
    (
        "SGD",
        {"decay": 0.1, "momentum": 0.9},
        [0.72582, -1.94281, 0.10133, 0.00028, 3.99889, -0.21573],
    ),
    (
        "Adam",
        {"clipnorm": 0.1, "decay": 0.5},
        [0.74283, -1.7433, 0.0505, 0.02021, 3.74567, -0.24413],
    ),
    ("RMSprop", {}, [0.12626, -0.89691, 0.00049, 0.00006, 2.86566, -0.00057]),
    (
        "RMSprop",
        {"momentum": 0.9, "epsilon": 1e-2, "centered": True},
        [-0.60225, -1.26811, -0.22451, 0.00008, 3.98782, 0.44704],
    ),
    (
        "RMSprop",
        {"epsilon": 1e-2, "centered": True},
        [0.10031, -1.0453, -0.00003, 0.09845, 3.94718, -0.0007],
    ),
    ("Adagrad", {"epsilon": 1e-2}, [0.77089, -1.91643, 0.12739, 0.00023, 3.99836, -0.28527]),
    ("Adamax", {"epsilon": 1e-2}, [0.62681, -1.6754, -0.00056, -0.00799, 3.95201, -0.14815]),
    ("Nadam", {"epsilon": 1e-2}, [0.66864, -1.68519, 0.04761, 0.02683, 3.95996, -0.2035]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "arguments", "expected"), FORMULAS)
def test_legacy_optimizers(name, arguments, expected):
    near(trained(getattr(tf.keras.optimizers.legacy, name)(lr=0.1, **arguments)), expected)


class Momentum(tf.keras.optimizers.legacy.Optimizer):
    """Written as the guides of Keras 2 said."""

    def __init__(self, learning_rate=0.01, mom=0.9, name="Momentum", **kwargs):
        super().__init__(name, **kwargs)
        self._set_hyper("learning_rate", kwargs.get("lr", learning_rate))
        self._set_hyper("decay", self._initial_decay)
        self._set_hyper("mom", mom)

    def _create_slots(self, var_list):
        for variable in var_list:
            self.add_slot(variable, "v")

    def _resource_apply_dense(self, grad, var, apply_state=None):
        device, dtype = var.device, var.dtype.base_dtype
        state = (apply_state or {}).get((device, dtype)) or self._fallback_apply_state(
            device, dtype
        )
        v = self.get_slot(var, "v")
        v.assign(self._get_hyper("mom", dtype) * v - state["lr_t"] * grad)
        return var.assign_add(v)

    def _resource_apply_sparse(self, grad, var, indices, apply_state=None):
        rate = self._decayed_lr(var.dtype.base_dtype)
        return self._resource_scatter_add(var, indices, -rate * grad)

    def get_config(self):
        return {**super().get_config(), "mom": self._serialize_hyperparameter("mom")}


class Newer(tf.keras.optimizers.Optimizer):
    """Written as the last versions of Keras 2 wanted it."""

    def __init__(self, learning_rate=0.01, name="Newer", **kwargs):
        super().__init__(name=name, **kwargs)
        self._learning_rate = self._build_learning_rate(learning_rate)

    def build(self, var_list):
        super().build(var_list)
        self.ms = [
            self.add_variable_from_reference(model_variable=v, variable_name="m") for v in var_list
        ]

    def update_step(self, gradient, variable):
        m = self.ms[self._index_dict[self._var_key(variable)]]
        m.assign(0.9 * m + tf.convert_to_tensor(gradient))
        variable.assign_sub(tf.cast(self.learning_rate, variable.dtype) * m)


def on_rows(optimizer):
    v, b = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), tf.Variable([0.5])
    for _ in range(3):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.gather(v, [0, 2, 2]) ** 2) * b[0]
        optimizer.apply_gradients(zip(tape.gradient(loss, [v, b]), [v, b], strict=True))
    return v.numpy(), b.numpy()


def test_optimizers_of_the_older_manner():
    v, b = on_rows(Momentum(0.01))
    near(v, [[1.06825, 2.1365], [3, 4], [5.68404, 6.82085]])
    near(b, [-6.55652])
    v, b = on_rows(Momentum(0.01, decay=0.5))
    near(v, [[1.02744, 2.05487], [3, 4], [5.27333, 6.32799]])
    assert Momentum(0.01).get_config()["mom"] == 0.9


def test_optimizers_of_the_older_manner_in_fit():
    dense = tf.keras.layers.Dense(2, kernel_initializer="ones")
    model = tf.keras.Sequential([tf.keras.Input((3,)), dense])
    model.compile(Momentum(0.05), "mse")
    model.fit(np.ones((4, 3)), np.ones((4, 2)), epochs=3, verbose=0, batch_size=2)
    near(model.get_weights()[0], np.full((3, 2), 0.14551))


def test_an_update_step_without_the_learning_rate():
    v, _ = on_rows(Newer(0.01))
    near(v, [[1.06431, 2.12861], [3, 4], [5.63759, 6.76511]])


def test_minimize():
    v, optimizer = tf.Variable(2.0), tf.keras.optimizers.SGD(0.1)
    optimizer.minimize(lambda: v * v, [v])
    optimizer.minimize(lambda: v * v, var_list=lambda: [v])
    with tf.GradientTape() as tape:
        loss = v * v
    optimizer.minimize(loss, [v], tape=tape)
    near(v, 2 * 0.8**3)
    assert int(optimizer.iterations) == 3
    with pytest.raises(ValueError, match="`tape` is required when a `Tensor` loss is passed"):
        optimizer.minimize(loss, [v])


def test_the_learning_rate_under_its_older_name():
    K, optimizer = tf.keras.backend, tf.keras.optimizers.Adam(lr=0.1)  # noqa: N806
    near(optimizer.lr, 0.1)
    optimizer.lr = 0.2
    near(K.get_value(optimizer.learning_rate), 0.2)
    K.set_value(optimizer.lr, 0.3)
    near(optimizer.lr, 0.3)
    optimizer.lr.assign(0.4)
    near(optimizer._decayed_lr(tf.float32), 0.4)


def test_decay_makes_the_rate_less_and_can_be_saved():
    optimizer, v = tf.keras.optimizers.SGD(lr=0.1, decay=0.5), tf.Variable(1.0)
    rates = []
    for _ in range(3):
        optimizer.minimize(lambda: v**2, [v])
        rates.append(float(optimizer._decayed_lr("float32")))
    near(rates, [0.1 / 1.5, 0.1 / 2, 0.1 / 2.5])
    near(v, 0.8 * (1 - 0.2 / 1.5) * (1 - 0.2 / 2))
    near(optimizer.lr, 0.1)
    again = type(optimizer).from_config(optimizer.get_config())
    assert again._decay == 0.5


def test_decay_in_a_function():
    optimizer, v = tf.keras.optimizers.SGD(lr=0.1, decay=0.5), tf.Variable(1.0)

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            loss = v**2
        optimizer.apply_gradients([(tape.gradient(loss, v), v)])

    for _ in range(3):
        step()
    near(v, 0.8 * (1 - 0.2 / 1.5) * (1 - 0.2 / 2))


def test_rates_of_other_kinds():
    v, rate = tf.Variable(1.0), tf.Variable(0.1)
    optimizer = tf.keras.optimizers.SGD(rate)
    optimizer.apply_gradients([(tf.constant(1.0), v)])
    rate.assign(0.5)
    optimizer.apply_gradients(
        [(tf.constant(1.0), v)], name="a", experimental_aggregate_gradients=False
    )
    near(v, 0.4)
    near(tf.keras.optimizers.SGD(1).learning_rate, 1.0)
    near(tf.keras.optimizers.SGD(np.float32(0.5)).learning_rate, 0.5)
    with pytest.raises(TypeError, match="unexpected keyword argument 'foo'"):
        optimizer.apply_gradients([], foo=1)
    with pytest.raises(ValueError, match=r"Argument\(s\) not recognized"):
        tf.keras.optimizers.SGD(foo=1)


def test_weights_of_optimizers():
    v, w = tf.Variable([1.0, 2.0]), tf.Variable([3.0])
    one, other = tf.keras.optimizers.Adam(0.1), tf.keras.optimizers.Adam(0.1)

    def loss():
        return tf.reduce_sum(v**2) + tf.reduce_sum(w**3)

    for _ in range(2):
        one.minimize(loss, [v, w])
    values = one.get_weights()
    assert [value.shape for value in values] == [(), (2,), (1,), (2,), (1,)]  # m, m, v, v
    near(one.get_slot(v, "m"), values[1])
    before = [v.numpy(), w.numpy()]
    one.minimize(loss, [v, w])
    after = v.numpy()
    other.apply_gradients([(tf.zeros_like(v), v), (tf.zeros_like(w), w)])
    other.set_weights(values)
    v.assign(before[0])
    w.assign(before[1])
    other.minimize(loss, [v, w])
    near(v, after, 1e-6)
    assert len(other.variables()) == len(other.variables) == 6
    assert len(other.weights) == 5
    with pytest.raises(ValueError, match="with a weight list of length 2, but the optimizer was"):
        other.set_weights(values[:2])


def test_iterations_and_scaled_losses():
    optimizer = tf.keras.optimizers.SGD(0.1)
    optimizer.iterations = tf.Variable(5, dtype=tf.int64)
    assert int(optimizer.iterations) == 5
    v, scaled = tf.Variable(2.0), tf.keras.mixed_precision.LossScaleOptimizer(optimizer)
    scaled.build([v])
    with tf.GradientTape() as tape:
        loss = scaled.get_scaled_loss(v * v)
    gradients = scaled.get_unscaled_gradients(tape.gradient(loss, [v]))
    near(gradients[0], 4.0)
    scaled.apply_gradients([(tf.clip_by_value(gradients[0], -1.0, 1.0), v)])
    near(v, 1.9)


def test_an_optimizer_that_is_not_built_unscales_gradients():
    v = tf.Variable(2.0)
    scaled = tf.keras.mixed_precision.LossScaleOptimizer(
        tf.keras.optimizers.SGD(0.1), initial_scale=8.0, dynamic_growth_steps=1
    )
    for step, (scale, wanted) in enumerate([(8.0, 1.6), (16.0, 1.28)]):
        with tf.GradientTape() as tape:
            loss = scaled.get_scaled_loss(v * v)
        scaled_gradients = tape.gradient(loss, [v])
        near(scaled_gradients[0], 2 * v * scale)
        gradients = scaled.get_unscaled_gradients([*scaled_gradients, None])
        assert gradients[1] is None
        near(gradients[0], 2 * v)
        assert scaled.built is bool(step)
        scaled.apply_gradients([(gradients[0], v)])
        near(v, wanted)


def test_legacy_optimizers_take_new_variables_at_any_time():
    optimizer = tf.keras.optimizers.legacy.SGD(0.1, momentum=0.9)
    a, b = tf.Variable(1.0), tf.Variable(1.0)
    for _ in range(2):
        optimizer.minimize(lambda: a * a, [a])
    for _ in range(2):
        optimizer.minimize(lambda: b * b, [b])
    optimizer.minimize(lambda: a * a + b, [a, b])
    near([a, b], [0.062, 0.054])
    newer = tf.keras.optimizers.SGD(0.1)
    newer.minimize(lambda: a * a, [a])
    with pytest.raises(ValueError, match="Unknown variable") as caught:
        newer.minimize(lambda: b * b, [b])
    assert "tf.keras.optimizers.legacy" in caught.value.__notes__[-1]


# Layers.


class Scaled(tf.keras.layers.Layer):
    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        self.units = units

    def build(self, input_shape):
        last = input_shape.as_list()[-1]
        self.w = self.add_weight("w", shape=[last, self.units], initializer="ones", trainable=True)
        super().build(input_shape)

    def call(self, x, scale, training=None):
        self.add_metric(tf.reduce_sum(x), name="total", aggregation="mean")
        self.add_loss(tf.reduce_sum(x) * 0.1)
        return tf.matmul(x, self.w) * scale if training else tf.matmul(x, self.w)


def test_arguments_of_call_without_their_names(said):
    layer = Scaled(2)
    near(layer(tf.ones((1, 3)), 2.0, True), [[6.0, 6.0]])
    near(layer(tf.ones((1, 3)), 2.0, False), [[3.0, 3.0]])
    assert [(m.name, float(m.result())) for m in layer.metrics] == [("total", 3.0)]
    assert (
        "Scaled()(x, scale, training) is Keras 2; write layer(x, scale=..., training=...)."
        in said()
    )
    near(tf.keras.layers.Dropout(0.999, seed=1)(np.ones((1, 4)), True), np.zeros((1, 4)))


def test_losses_and_metrics_of_layers_in_fit():
    class Model(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.scaled = Scaled(2)
            self.dense = tf.keras.layers.Dense(1, kernel_initializer="ones")
            self.add_loss(lambda: tf.reduce_sum(self.scaled.w) * 0.5)

        def call(self, x, training=None):
            return self.dense(self.scaled(x, 2.0, training))

    model = Model()
    model.compile(tf.keras.optimizers.SGD(0.0), "mse")
    history = model.fit(np.ones((4, 3), "float32"), np.zeros((4, 1)), batch_size=2, verbose=0)
    assert history.history["total"] == [6.0]
    near(history.history["loss"], [12.0**2 + 0.6 + 3.0])


def test_arguments_of_layers():
    layers = tf.keras.layers
    values = [np.ones((3, 2)), np.zeros(2)]
    dense = tf.keras.Sequential([tf.keras.Input((3,)), layers.Dense(2, weights=values)])
    near(dense(np.ones((1, 3))), [[3.0, 3.0]])
    lstm = layers.LSTM(
        2, stateful=True, batch_input_shape=(2, 3, 4), implementation=2,
        kernel_initializer="ones", recurrent_initializer="ones",
    )  # fmt: skip
    model = tf.keras.Sequential([lstm])
    assert model.input_shape == (2, 3, 4)
    first = model.predict(np.ones((2, 3, 4)), verbose=0)
    second = model.predict(np.ones((2, 3, 4)), verbose=0)
    model.reset_states()
    near(first[0], [0.9921, 0.9921], 1e-4)
    near(second[0], [0.9975, 0.9975], 1e-4)
    near(model.predict(np.ones((2, 3, 4)), verbose=0), first)
    embedding = layers.Embedding(10, 3, input_length=4)
    assert tf.keras.Sequential([embedding, layers.Flatten()]).output_shape == (None, 12)
    near(
        layers.Embedding(4, 2, weights=[np.arange(8.0).reshape(4, 2)])(np.array([1])), [[2.0, 3.0]]
    )


def test_attributes_of_layers():
    dense = tf.keras.layers.Dense(3)
    model = tf.keras.Sequential([tf.keras.Input((2,)), dense])
    assert dense.output_shape == (None, 3)
    assert dense.input_shape == (None, 2)
    assert dense.get_output_at(0).shape == (None, 3)
    assert dense.updates == [] == model.get_updates_for(None)
    assert not hasattr(tf.keras.layers.Dense(3), "output_shape")


def test_the_learning_phase():
    K, drop = tf.keras.backend, tf.keras.layers.Dropout(0.999, seed=1)  # noqa: N806
    x = np.ones((1, 4))
    near(drop(x), x)
    K.set_learning_phase(1)
    near(drop(x), np.zeros((1, 4)))
    near(drop(x, training=False), x)
    assert K.learning_phase() == 1
    with K.learning_phase_scope(0):
        near(drop(x), x)
        near(K.in_train_phase(tf.constant(1.0), tf.constant(2.0)), 2.0)
    near(K.in_train_phase(lambda: tf.constant(1.0), tf.constant(2.0)), 1.0)
    with pytest.raises(ValueError, match="Expected learning phase to be 0 or 1"):
        K.set_learning_phase(2)


# Losses and metrics.


def test_metrics_with_reset_states():
    mean = tf.keras.metrics.Mean("loss")
    mean(3.0)
    mean.reset_states()
    near(mean.result(), 0.0)

    class Own(tf.keras.metrics.Mean):
        times = 0

        def reset_states(self):
            super().reset_states()
            self.times += 1

    own = Own()
    for times, reset in enumerate([own.reset_states, own.reset_state], 1):
        own(2.0)
        reset()
        assert own.times == times
        near(own.total, 0.0)


def test_positions_in_losses_and_metrics():
    class Own(tf.keras.losses.Loss):
        def __init__(self):
            super().__init__(tf.keras.losses.Reduction.NONE, "own")

        def call(self, y, p):
            return (y - p) ** 2

    near(Own()(tf.constant([1.0, 2.0]), tf.constant([3.0, 5.0])), [4.0, 9.0])
    assert Own().name == "own"
    loss = tf.keras.losses.MeanSquaredError(tf.keras.losses.Reduction.AUTO)
    near(loss([1.0, 2.0], [3.0, 5.0]), 6.5)

    class Counting(tf.keras.metrics.Metric):
        def __init__(self):
            super().__init__("counting")
            self.n = self.add_weight("n", initializer="zeros")

        def update_state(self, *values):
            self.n.assign_add(1.0)

        def result(self):
            return self.n

    counting = Counting()
    near(counting(1.0, 2.0), 1.0)
    assert counting.name == "counting"


# Models.


def test_fit_compile_and_names():
    model = small_model()
    model.compile(tf.keras.optimizers.SGD(lr=0.1), "mse", ["mae"])
    history = model.fit(X, Y, batch_size=4, epochs=2, shuffle=False, verbose=0, workers=2)
    near(history.history["loss"], [0.23698, 0.08027])
    near(history.history["mae"], [0.48171, 0.27964])
    assert model.metrics_names == ["loss", "mae"]
    near(model.evaluate(X, Y, verbose=0, use_multiprocessing=False), [0.0295, 0.16974])


def test_generators_and_classes():
    def batches():
        while True:
            yield X[:4], Y[:4]
            yield X[4:], Y[4:]

    model = small_model("sigmoid")
    model.compile(tf.keras.optimizers.SGD(0.1), "mse", metrics=["accuracy"])
    history = model.fit_generator(batches(), 2, epochs=2, verbose=0, max_queue_size=1)
    assert history.history["acc"] == history.history["accuracy"]
    assert len(model.evaluate_generator(batches(), 2, verbose=0)) == 2
    assert model.predict_generator(batches(), 2, verbose=0).shape == (8, 1)
    classes = small_model("sigmoid").predict_classes(X).ravel().tolist()
    assert classes == [0, 0, 0, 0, 1, 1, 1, 1]


def test_a_train_step_of_keras_2():
    class Model(tf.keras.Model):
        def __init__(self):
            super().__init__()
            regularizer = tf.keras.regularizers.l2(0.1)
            self.d = tf.keras.layers.Dense(
                1, kernel_initializer="ones", kernel_regularizer=regularizer
            )

        def call(self, x):
            return self.d(x)

        def train_step(self, data):
            x, y = data
            with tf.GradientTape() as tape:
                p = self(x, training=True)
                loss = self.compiled_loss(y, p, regularization_losses=self.losses)
            self.optimizer.minimize(loss, self.trainable_variables, tape=tape)
            self.compiled_metrics.update_state(y, p)
            return {m.name: m.result() for m in self.metrics}

    model = Model()
    model.compile(tf.keras.optimizers.SGD(0.1), loss="mse", metrics=["mae"])
    history = model.fit(X, Y, batch_size=4, epochs=2, shuffle=False, verbose=0).history
    near(history["loss"], [2.48247, 0.77758])
    near(history["mae"], [1.26652, 0.69201])


def test_symbolic_losses():
    K, layers = tf.keras.backend, tf.keras.layers  # noqa: N806
    i = layers.Input((3,))
    h = layers.Dense(2, kernel_initializer="ones")(i)
    o = layers.Dense(3, kernel_initializer="ones")(h)
    model = tf.keras.Model(i, o)
    model.add_loss(K.mean(K.square(i - o)) + 0.01 * K.mean(K.exp(h)))
    model.compile(tf.keras.optimizers.SGD(0.01))
    history = model.fit(X, None, batch_size=4, epochs=2, shuffle=False, verbose=0)
    near(history.history["loss"], [8.54396, 6.07905])


def test_sampling_in_a_lambda():
    K, layers = tf.keras.backend, tf.keras.layers  # noqa: N806

    def sampling(args):
        mean, log_variance = args
        shape = (K.shape(mean)[0], K.int_shape(mean)[1])
        return mean + K.exp(0.5 * log_variance) * K.random_normal(shape=shape)

    i = tf.keras.Input((6,))
    mean, log_variance = layers.Dense(2)(i), layers.Dense(2)(i)
    z = layers.Lambda(sampling, output_shape=(2,))([mean, log_variance])
    model = tf.keras.Model(i, layers.Dense(6, activation="sigmoid")(z))
    parts = 1 + log_variance - K.square(mean) - K.exp(log_variance)
    model.add_loss(K.mean(tf.keras.losses.mse(i, model.output) - 0.5 * K.sum(parts, axis=-1)))
    model.compile("rmsprop")
    assert np.isfinite(model.fit(np.ones((8, 6)), epochs=2, verbose=0).history["loss"]).all()


def test_functions_of_symbolic_tensors():
    K = tf.keras.backend  # noqa: N806
    i = tf.keras.Input((3,))
    doubled, total = K.function([i], [i * 2, K.sum(i, axis=1)])([X])
    near(doubled, X * 2)
    near(total, X.sum(1))
    model = tf.keras.Model(i, K.dot(i, tf.ones((3, 2))))
    again = tf.keras.Model.from_config(model.get_config())
    assert again.output_shape == (None, 2)


# Files.


@pytest.mark.parametrize("name", ["a.h5", "a.hdf5", "a", "folder/a-0001.ckpt", "a.keras"])
def test_weights_under_any_name(name, tmp_path):
    def model():
        layers = tf.keras.layers
        return tf.keras.Sequential([
            tf.keras.Input((4, 3)), layers.Bidirectional(layers.LSTM(2)),
            layers.BatchNormalization(), layers.Dense(2),
        ])  # fmt: skip

    one, other, x = model(), model(), np.ones((2, 4, 3))
    one.save_weights(tmp_path / name)
    other.load_weights(tmp_path / name)
    near(other(x), one(x))
    if name == "folder/a-0001.ckpt":
        latest = tf.train.latest_checkpoint(tmp_path / "folder")
        model().load_weights(latest).expect_partial()


def test_weights_of_a_model_that_has_none_yet(tmp_path):
    class Model(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.a, self.b = tf.keras.layers.Dense(3), tf.keras.layers.Dense(1)

        def call(self, x):
            return self.b(self.a(x))

    one, other = Model(), Model()
    expected = one(X)
    one.save_weights(tmp_path / "name")
    assert {name for name, _ in tf.train.list_variables(tmp_path / "name")} >= {
        f"{part}/.ATTRIBUTES/VARIABLE_VALUE"
        for part in ("a/kernel", "a/bias", "b/kernel", "b/bias")
    }
    other.load_weights(tmp_path / "name")
    near(other(X), expected)
    with pytest.raises(ValueError, match="has not created its variables yet"):
        Model().save_weights(tmp_path / "other")
    with pytest.raises(tf.errors.NotFoundError, match="Failed to find any matching files"):
        Model().load_weights(tmp_path / "nothing")


@pytest.mark.filterwarnings("ignore:You are saving your model as an HDF5")
@pytest.mark.parametrize(
    ("name", "arguments"),
    [("a.h5", {}), ("folder", {}), ("file", {"save_format": "h5"}), ("b", {"save_format": "tf"})],
)
def test_models_under_any_name(name, arguments, tmp_path):
    model = small_model()
    model.compile("adam", "mse", metrics=["mae"])
    model.fit(X, Y, verbose=0)
    model.save(tmp_path / name, **arguments)
    again = tf.keras.models.load_model(tmp_path / name)
    near(again(X), model(X))
    again.fit(X, Y, verbose=0)
    model.fit(X, Y, verbose=0)
    near(again(X), model(X))
    assert int(again.optimizer.iterations) == 2


def test_a_saved_model_is_refused(tmp_path):
    (tmp_path / "saved_model.pb").write_bytes(b"")
    with pytest.raises(notices.RefusedError, match=r"use `tf\.saved_model"):
        tf.keras.models.load_model(tmp_path)


# Callbacks.


def test_callbacks(tmp_path):
    callbacks = tf.keras.callbacks

    class Rate(callbacks.Callback):
        seen: list[float] = []  # noqa: RUF012

        def on_epoch_begin(self, epoch, logs=None):
            tf.keras.backend.set_value(self.model.optimizer.lr, 0.01 * (epoch + 1))

        def on_epoch_end(self, epoch, logs=None):
            self.seen.append(float(tf.keras.backend.get_value(self.model.optimizer.lr)))

    weights = {"save_weights_only": True}
    model = small_model()
    model.compile("sgd", "mse")
    model.fit(
        X, Y, epochs=4, verbose=0,
        callbacks=[
            Rate(),
            callbacks.ModelCheckpoint(str(tmp_path / "w.{epoch}.hdf5"), **weights),
            callbacks.ModelCheckpoint(str(tmp_path / "cp-{epoch:02d}"), period=2, **weights),
            callbacks.ModelCheckpoint(str(tmp_path / "whole"), "loss", 0, True),
        ],
    )  # fmt: skip
    near(Rate.seen, [0.01, 0.02, 0.03, 0.04])
    names = {path.name for path in tmp_path.iterdir()}
    assert names >= {"w.1.hdf5", "w.4.hdf5", "cp-02.index", "cp-04.index", "whole"}
    assert "cp-01.index" not in names
    near(tf.keras.models.load_model(tmp_path / "whole")(X), model(X), 0.1)


def test_schedules_may_return_tensors():
    model = small_model()
    model.compile("sgd", "mse")
    schedule = tf.keras.callbacks.LearningRateScheduler(lambda epoch: tf.constant(0.1) * 0.5**epoch)
    kept = model.fit(X, Y, epochs=2, verbose=0, callbacks=[schedule]).history
    near(kept["lr"], [0.1, 0.05])
    assert "lr" not in kept


def test_the_progress_bar_counts_anything():
    tf.keras.callbacks.ProgbarLogger("samples", stateful_metrics=["a"])
    with pytest.raises(ValueError, match="Unknown `count_mode`: miles"):
        tf.keras.callbacks.ProgbarLogger("miles")


def test_sequential_models_have_ends_before_they_are_called(said):
    layers = tf.keras.layers
    model = tf.keras.Sequential([
        tf.keras.Input((4, 1)),
        layers.Conv1D(2, 2, kernel_initializer="ones", name="conv"),
        layers.Flatten(),
        layers.Dense(1, kernel_initializer="ones"),
    ])  # fmt: skip
    seen = tf.keras.Model([model.inputs], [model.get_layer("conv").output, model.output])
    with tf.GradientTape() as tape:
        features, y = seen(tf.reshape(tf.range(4.0), [1, 4, 1]))
    near(y, [[18.0]])
    near(tape.gradient(y, features), np.ones((1, 3, 2)))
    assert tuple(model.input.shape) == (None, 4, 1)
    outer = tf.keras.Input((4, 1))
    assert model(outer) is model.output  # as in Keras 3
    assert model.input is outer
    assert said()[-2:] == [
        "sequential_model.output is Keras 2; write sequential_model.outputs[0].",
        "sequential_model.input is Keras 2; write sequential_model.inputs[0].",
    ]


def test_sequential_models_without_a_shape_have_no_ends():
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    with pytest.raises(AttributeError, match="has never been called and thus has no"):
        model.output  # noqa: B018


def test_layers_know_the_dtype_they_compute_in(said):
    class Scaled(tf.keras.layers.Dense):
        def call(self, inputs):
            return tf.matmul(tf.cast(inputs, self._compute_dtype), 2.0 * self.kernel)

    near(Scaled(1, kernel_initializer="ones")(tf.ones([1, 3], tf.float64)), [[6.0]])
    assert said()[-1] == "Scaled._compute_dtype is Keras 2; write `self.compute_dtype`."


def test_layers_are_copied_with_initializers_of_tensorflow():
    import copy

    v1 = tf.compat.v1
    made = [
        tf.zeros_initializer(), tf.ones_initializer(), tf.constant_initializer(3.0),
        tf.random_normal_initializer(seed=1), tf.random_uniform_initializer(seed=1),
        v1.variance_scaling_initializer(2.0, seed=1), v1.truncated_normal_initializer(seed=1),
    ]  # fmt: skip
    for initializer in made:
        layer = tf.keras.layers.Dense(2, kernel_initializer=initializer)
        again = copy.deepcopy(layer)
        assert type(again.kernel_initializer).__name__ == type(initializer).__name__
        assert again(tf.ones([1, 2])).shape == (1, 2)


def test_a_getter_names_the_variable_of_a_weight():
    held = tf.Variable([1.0, 2.0])

    class Layer(tf.keras.layers.Layer):
        def build(self, shape):
            self.w = self.add_weight(
                name="a/w", shape=[2], getter=lambda **kwargs: held, trainable=True
            )

        def call(self, x):
            return x * self.w

    layer = Layer(name="some/layer")
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(layer(tf.ones([1, 2])))
    assert (layer.name, layer.w.name) == ("some_layer", "a_w")
    assert tape.gradient(y, held).numpy().tolist() == [1.0, 1.0]
    layer.w.assign([3.0, 3.0])
    assert held.numpy().tolist() == [3.0, 3.0]


def test_arguments_of_cells_and_sizes_of_numpy():
    cell = tf.keras.layers.LSTMCell(3)
    for states in (
        cell.get_initial_state(batch_size=2, dtype="float64"),
        cell.get_initial_state(tf.ones([2, 4], tf.float64)),
    ):
        assert [(state.shape, state.dtype) for state in states] == 2 * [([2, 3], tf.float64)]
    assert cell.get_initial_state(2)[0].dtype == tf.float32
    assert tf.keras.layers.Dense(np.int64(3)).units == 3


def test_a_layer_asks_for_the_shape_that_its_call_gives():
    class Layer(tf.keras.layers.Layer):
        def call(self, x):
            return tf.concat([x, x], -1)

        def compute_output_shape(self, input_shape):
            return super().compute_output_shape(input_shape)

    assert Layer()(tf.keras.Input([3])).shape == (None, 6)


def test_models_of_a_strategy_of_one_device():
    with tf.distribute.OneDeviceStrategy("/cpu:0").scope():
        model = tf.keras.Sequential([tf.keras.Input([2]), tf.keras.layers.Dense(1)])
        model.compile("sgd", "mse")
    before = model.get_weights()[0]
    model.fit(np.ones([4, 2]), np.ones([4, 1]), verbose=0)
    assert not np.array_equal(before, model.get_weights()[0])
