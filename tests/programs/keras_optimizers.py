"""Keras optimizers on variables of Keras and of ours, schedules, clipping."""

import warnings

from programs.keras_layers import numbers, weighted
from programs.program import caught

NAMES = [
    "SGD",
    "Adam",
    "AdamW",
    "Nadam",
    "Adamax",
    "Adagrad",
    "Adadelta",
    "RMSprop",
    "Ftrl",
    "Lion",
    "Adafactor",
    "Lamb",
]


def descended(tf, np, optimizer, steps=3, compiled=False):
    """Two variables after some steps on a function of them."""
    v, w = tf.Variable(numbers(np, 3, 2)), tf.Variable([0.5, -1.0])

    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.square(v * w - 1.0)) * 3.0
        gradients = tape.gradient(loss, [v, w])
        optimizer.apply_gradients(zip(gradients, [v, w], strict=True))
        return loss

    step = tf.function(step, reduce_retracing=True) if compiled else step
    optimizer.build([v, w])
    return [*[float(step()) for _ in range(steps)], v.numpy(), w.numpy()]


def optimizers(tf, np):
    made = tf.keras.optimizers
    return {name: descended(tf, np, getattr(made, name)(0.05)) for name in NAMES}


def optimizers_in_functions(tf, np):
    made = tf.keras.optimizers
    return [
        descended(tf, np, made.Adam(0.05), compiled=True),
        descended(tf, np, made.SGD(0.05, momentum=0.9), compiled=True),
        descended(tf, np, made.RMSprop(0.05, centered=True), compiled=True),
        descended(tf, np, made.Adam(0.05, amsgrad=True), compiled=True),
    ]


def settings(tf, np):
    made = tf.keras.optimizers
    return {
        "clipnorm": descended(tf, np, made.SGD(0.1, clipnorm=0.5)),
        "clipvalue": descended(tf, np, made.Adam(0.1, clipvalue=0.1)),
        "global_clipnorm": descended(tf, np, made.SGD(0.1, global_clipnorm=0.5)),
        "weight_decay": descended(tf, np, made.SGD(0.1, weight_decay=0.1)),
        "nesterov": descended(tf, np, made.SGD(0.01, momentum=0.9, nesterov=True)),
        "ema": descended(tf, np, made.SGD(0.01, use_ema=True, ema_overwrite_frequency=2)),
        "accumulated": descended(tf, np, made.SGD(0.01, gradient_accumulation_steps=2)),
        "scaled": descended(tf, np, made.SGD(0.01, loss_scale_factor=2.0)),
    }


def schedules(tf, np):
    made = tf.keras.optimizers.schedules
    schedules = {
        "exponential": made.ExponentialDecay(0.1, 2, 0.5),
        "staircase": made.ExponentialDecay(0.1, 2, 0.5, staircase=True),
        "piecewise": made.PiecewiseConstantDecay([1, 3], [0.1, 0.05, 0.01]),
        "polynomial": made.PolynomialDecay(0.1, 4, 0.01, power=2.0),
        "inverse": made.InverseTimeDecay(0.1, 2, 0.5),
        "cosine": made.CosineDecay(0.1, 5, warmup_target=0.2, warmup_steps=2),
        "restarts": made.CosineDecayRestarts(0.1, 3),
    }
    found = {key: [schedule(step) for step in range(5)] for key, schedule in schedules.items()}
    optimizer = tf.keras.optimizers.SGD(schedules["exponential"])
    found["used"] = (
        descended(tf, np, optimizer),
        optimizer.learning_rate,
        optimizer.iterations.numpy(),
    )
    return {**found, "function": descended(tf, np, tf.keras.optimizers.SGD(lambda: 0.01))}


def schedules_of_ones_own(tf, np):
    class Warm(tf.keras.optimizers.schedules.LearningRateSchedule):
        def __call__(self, step):
            step = tf.cast(step, tf.float32)
            return tf.math.rsqrt(64.0) * tf.minimum(tf.math.rsqrt(step + 1.0), step * 0.05 + 0.01)

    return descended(tf, np, tf.keras.optimizers.Adam(Warm()), compiled=True), Warm()(3)


def learning_rates(tf, np):
    optimizer, v = tf.keras.optimizers.SGD(0.5), tf.Variable([1.0, 2.0])
    ones, found = tf.ones(2), []
    for rate in (None, 0.25, tf.constant(0.125), np.float32(2.0)):
        if rate is not None:
            optimizer.learning_rate = rate
        optimizer.apply_gradients([(ones, v)])
        found.append([float(optimizer.learning_rate), v.numpy(), int(optimizer.iterations)])
    optimizer.learning_rate.assign(0.0625)
    step = tf.function(lambda: optimizer.apply_gradients([(ones, v)]) is None)
    step()
    optimizer.learning_rate.assign(1.0)
    step()
    schedule = tf.keras.optimizers.SGD(tf.keras.optimizers.schedules.ExponentialDecay(0.1, 2, 0.5))
    wrong = caught(lambda: setattr(schedule, "learning_rate", 0.5))
    return found, v.numpy(), optimizer.learning_rate.numpy(), wrong, optimizer.iterations.numpy()


def variables_of_optimizers(tf, np):
    tf.keras.backend.clear_session()
    optimizer, v = tf.keras.optimizers.Adam(0.1), tf.Variable([1.0, 2.0], name="v")
    before = len(optimizer.variables)
    optimizer.apply_gradients([(tf.ones(2), v)])
    paths = [[x.path, x.name, x.shape, x.dtype] for x in optimizer.variables]
    values = [x.numpy() for x in optimizer.variables]
    again = tf.keras.optimizers.Adam.from_config(optimizer.get_config())
    config = {key: value for key, value in again.get_config().items() if key != "learning_rate"}
    return before, paths, values, config, float(again.learning_rate)


def no_gradients(tf, np):
    v, w = tf.Variable(1.0), tf.Variable(2.0)
    optimizer = tf.keras.optimizers.SGD(0.1)
    nothing = caught(lambda: optimizer.apply_gradients([(None, v)]))
    optimizer = tf.keras.optimizers.SGD(0.1)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        optimizer.apply_gradients([(None, v), (tf.constant(1.0), w)])
    some = [str(warning.message).split("'")[0] for warning in said]
    empty = caught(lambda: tf.keras.optimizers.SGD(0.1).apply_gradients([]))
    stranger = caught(lambda: optimizer.apply_gradients([(tf.constant(1.0), tf.Variable(1.0))]))
    kinds = [type(x).__name__ if not hasattr(x, "name") else x.name for x in (nothing, empty)]
    return kinds, some, v.numpy(), w.numpy(), getattr(stranger, "name", "applied")


def minimizing(tf, np):
    v, optimizer = tf.Variable([1.0, 2.0]), tf.keras.optimizers.SGD(0.1)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(v**2)
    optimizer.apply(tape.gradient(loss, [v]), [v])
    return v.numpy(), optimizer.iterations.numpy()


def rows(tf, np):
    table, found = numbers(np, 5, 2), []
    for name in ("SGD", "Adam", "Adagrad", "RMSprop"):
        v, optimizer = tf.Variable(table), getattr(tf.keras.optimizers, name)(0.1)
        for _ in range(2):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.gather(v, [1, 3, 1]) ** 2)
            optimizer.apply_gradients([(tape.gradient(loss, v), v)])
        found.append(v.numpy())
    return found


def rows_clipped(tf, np):
    """A row is there twice: the sum of what is clipped or squared is not that of the sum."""
    k, found = tf.keras.optimizers, []
    makers = [
        lambda: k.Adam(0.1, clipnorm=1.0),
        lambda: k.Adam(0.1, clipvalue=0.05, amsgrad=True),
        lambda: k.Adam(0.1, global_clipnorm=0.5),
        lambda: k.LossScaleOptimizer(k.Adam(0.1)),
        lambda: k.SGD(0.1, momentum=0.9, nesterov=True, gradient_accumulation_steps=2),
        lambda: k.AdamW(0.1, use_ema=True, ema_overwrite_frequency=2),
    ]
    for make in makers:
        table, bias, optimizer = tf.Variable(numbers(np, 5, 2)), tf.Variable([0.1, 0.2]), make()
        for places in ([1, 3, 1], [0, 1], [2, 2, 2]):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum((tf.gather(table, places) + bias) ** 2)
            variables = [table, bias]
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        found += [table.numpy(), bias.numpy()]
    return found


def rows_of_functions(tf, np):
    """Which of Keras's functions have rows again, and which."""
    k = tf.keras.ops
    rows = tf.IndexedSlices(
        tf.constant(numbers(np, 4, 2)), tf.constant([1, 3, 1, 0]), tf.constant([5, 2])
    )
    whole = tf.constant(numbers(np, 5, 2, seed=2))

    def told(function, *arguments):
        result = function(*arguments)
        if not isinstance(result, tf.IndexedSlices):
            return np.asarray(result)
        return np.asarray(result.values), np.asarray(result.indices), result.shape.as_list()

    one = [
        "absolute",
        "ceil",
        "copy",
        "expm1",
        "floor",
        "negative",
        "round",
        "sign",
        "sin",
        "sinh",
        "square",
        "tanh",
    ]
    two = ["add", "divide", "maximum", "minimum", "multiply", "subtract"]
    found = [told(getattr(k, name), rows) for name in one]
    for name in two:
        pairs = [(rows, 2.0), (rows, whole), (whole, rows), (rows, rows)]
        pairs = pairs[:2] if name == "divide" else pairs
        found += [told(getattr(k, name), *pair) for pair in pairs]
    return [*found, told(k.clip, rows, -0.3, 0.3), told(k.sum, rows, 0), told(k.multiply, 2, rows)]


def two_optimizers(tf, np):
    layers = [tf.keras.layers.Dense(3, activation="tanh"), tf.keras.layers.Dense(1)]
    model = tf.keras.Sequential(layers)
    x, y = tf.constant(numbers(np, 6, 4)), tf.constant(numbers(np, 6, 1, seed=3))
    model(x)
    weighted(np, model)
    fast, slow = tf.keras.optimizers.Adam(0.1), tf.keras.optimizers.SGD(0.01)

    @tf.function
    def step():
        with tf.GradientTape(persistent=True) as tape:
            loss = tf.reduce_mean(tf.square(model(x, training=True) - y))
        for optimizer, layer in zip((fast, slow), layers, strict=True):
            variables = layer.trainable_variables
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        return loss

    return [float(step()) for _ in range(4)], [v.numpy() for v in model.trainable_variables]


def loss_scaling(tf, np):
    v = tf.Variable([1.0, 2.0])
    optimizer = tf.keras.optimizers.LossScaleOptimizer(tf.keras.optimizers.SGD(0.1))

    @tf.function
    def step(factor):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(v**2) * factor
            scaled = optimizer.scale_loss(loss)
        optimizer.apply_gradients([(tape.gradient(scaled, v), v)])
        return loss, scaled

    found = [step(tf.constant(1.0)), v.numpy(), step(tf.constant(np.inf)), v.numpy()]
    return *found, step(tf.constant(1.0)), v.numpy(), optimizer.dynamic_scale.numpy()


def moving_averages(tf, np):
    tf.keras.backend.clear_session()
    model = tf.keras.Sequential([tf.keras.layers.Dense(2)])
    x = tf.constant(numbers(np, 4, 3))
    model(x)
    weighted(np, model)
    optimizer = tf.keras.optimizers.SGD(0.1, use_ema=True, ema_momentum=0.5)
    for _ in range(2):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.square(model(x)))
        variables = model.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
    before = model.get_weights()
    optimizer.finalize_variable_values(model.trainable_variables)
    return before, model.get_weights()
