"""Keras in other precisions: mixed policies, float64, and what has which dtype."""

from programs.keras_layers import numbers, weighted


def _under(tf, policy, program):
    tf.keras.mixed_precision.set_global_policy(policy)
    try:
        return program()
    finally:
        tf.keras.mixed_precision.set_global_policy("float32")


def _trained(tf, np):
    layers = tf.keras.layers
    model = tf.keras.Sequential([
        tf.keras.Input((3,)), layers.Dense(4, activation="relu"), layers.BatchNormalization(),
        layers.Dense(1, dtype="float32"),
    ])  # fmt: skip
    weighted(np, model)
    x, y = tf.constant(numbers(np, 4, 3)), tf.constant(numbers(np, 4, 1, seed=1))
    optimizer = tf.keras.optimizers.SGD(0.1)

    @tf.function
    def step(x, y):
        with tf.GradientTape() as tape:
            hidden = model.layers[0](x)
            loss = tf.reduce_mean(tf.square(model(x, training=True) - y))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        return loss, hidden, gradients

    losses = [round(float(step(x, y)[0]), 2) for _ in range(3)]
    loss, hidden, gradients = step(x, y)
    dtypes = [loss.dtype, hidden.dtype, *[g.dtype for g in gradients]]
    dtypes += [model.layers[0].kernel.dtype, model.layers[0].compute_dtype, model(x).dtype]
    return losses, dtypes, model.layers[0].dtype_policy.name


def mixed_float16(tf, np):
    return _under(tf, "mixed_float16", lambda: _trained(tf, np))


def mixed_bfloat16(tf, np):
    return _under(tf, "mixed_bfloat16", lambda: _trained(tf, np))


def casts_of_variables(tf, np):
    class Own(tf.keras.layers.Layer):
        def build(self, shape):
            self.w = self.add_weight(shape=(3, 2), initializer="ones")
            self.kept = self.add_weight(shape=(2,), initializer="ones", autocast=False)

        def call(self, x):
            y = tf.matmul(x, self.w) + tf.cast(self.kept, x.dtype)
            return y, tf.convert_to_tensor(self.w), self.w + 1.0, tf.reduce_sum(self.w)

    layer = Own(dtype="mixed_float16")
    with tf.GradientTape() as tape:
        found = layer(tf.ones((1, 3)))
        loss = tf.reduce_sum(found[0])
    return [t.dtype for t in found], tape.gradient(loss, layer.w), layer.w.dtype


def mixed_precision_in_fit(tf, np):
    def program():
        model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(1)])
        weighted(np, model)
        model.compile("sgd", "mse")
        history = model.fit(numbers(np, 8, 3), numbers(np, 8, 1), batch_size=4, epochs=2,
                            shuffle=False, verbose=0)  # fmt: skip
        kind = type(model.optimizer).__name__
        return kind, [round(v, 2) for v in history.history["loss"]]

    return _under(tf, "mixed_float16", program)


def double_precision(tf, np):
    tf.keras.backend.set_floatx("float64")
    try:
        model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(2)])
        weighted(np, model)
        x = np.random.default_rng(0).normal(size=(4, 3))
        with tf.GradientTape() as tape:
            y = model(x)
            loss = tf.reduce_sum(tf.sin(y))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer = tf.keras.optimizers.Adam(0.1)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        model.compile("adam", "mse")
        history = model.fit(x, np.ones((4, 2)), verbose=0).history["loss"]
        found = y, loss, gradients, model.get_weights(), history
        return *found, tf.keras.ops.ones(2).dtype, tf.keras.losses.mse(np.ones(2), y).dtype
    finally:
        tf.keras.backend.set_floatx("float32")


def layers_in_double_precision(tf, np):
    x = tf.constant(np.random.default_rng(0).normal(size=(2, 5, 3)))
    found = []
    for layer in (tf.keras.layers.Dense(2, dtype="float64"),
                  tf.keras.layers.LSTM(2, dtype="float64"),
                  tf.keras.layers.Conv1D(2, 2, dtype="float64"),
                  tf.keras.layers.LayerNormalization(dtype="float64")):  # fmt: skip
        layer(x)
        weighted(np, layer)
        found.append(layer(x))
    return found


def integers(tf, np):
    labels = {}
    for dtype in ("int32", "int64", "uint8", "float32"):
        y = np.array([0, 2, 1], dtype)
        loss = tf.keras.losses.sparse_categorical_crossentropy(y, tf.nn.softmax(numbers(np, 3, 3)))
        metric = tf.keras.metrics.SparseCategoricalAccuracy()
        metric.update_state(y, numbers(np, 3, 3))
        labels[dtype] = loss, metric.result(), tf.keras.utils.to_categorical(y, 3)
    embedding = tf.keras.layers.Embedding(4, 2)
    shapes = [embedding(np.array([[1, 2]], d)).shape for d in ("int32", "int64", "uint8")]
    return labels, shapes


def floats_of_python(tf, np):
    """They are float32, as are learning rate schedules, whatever the type of floats is."""
    schedules = tf.keras.optimizers.schedules
    found = []
    for name in ("float64", "float16", "float32"):
        tf.keras.backend.set_floatx(name)
        try:
            made = [schedules.ExponentialDecay(0.1, 3, 0.5), schedules.CosineDecay(0.1, 10)]
            found.append([schedule(tf.constant(3)) for schedule in made])
            found.append([tf.keras.ops.convert_to_tensor(x) for x in (0.5, [0.5, 1], 1, True)])
        finally:
            tf.keras.backend.set_floatx("float32")
    return found
