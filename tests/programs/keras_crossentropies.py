"""Cross entropies of Keras where probabilities are as good as 0 or 1, or are none."""

import functools


def of_what_is_no_probability(tf, np):
    losses = tf.keras.losses
    given = tf.constant([[0.5, -1.0, 2.0], [0.2, 0.3, 0.5], [0.0, 0.0, 0.0], [3.0, 4.0, 1.0]])
    labels = np.array([0, 1, 2, 1])
    rows = np.eye(3, dtype="f")[labels]
    found = [losses.sparse_categorical_crossentropy(labels, given, ignore_class=1)]
    for loss, targets in (
        (losses.sparse_categorical_crossentropy, labels),
        (losses.categorical_crossentropy, rows),
        (losses.binary_crossentropy, rows),
    ):
        with tf.GradientTape() as tape:
            tape.watch(given)
            value = loss(targets, given)
        found += [value, tape.gradient(value, given)]
    numbers = tf.reshape(tf.range(24.0), [2, 3, 4])
    found.append(losses.sparse_categorical_crossentropy(labels[None, :3].repeat(2, 0), numbers))
    return found


def logits_that_are_remembered(tf, np):
    keras, losses = tf.keras, tf.keras.losses
    x = tf.constant([[200.0, 0.0, -100.0], [0.0, 1.0, 2.0]])
    labels = np.array([2, 1])
    rows = np.eye(3, dtype="f")[labels]
    softmax, sigmoid = keras.activations.softmax, keras.activations.sigmoid
    found = []
    for activation, loss, targets in (
        (softmax, losses.sparse_categorical_crossentropy, labels),
        (keras.ops.softmax, losses.categorical_crossentropy, rows),
        (tf.nn.softmax, losses.categorical_crossentropy, rows),
        (sigmoid, losses.binary_crossentropy, rows),
        (keras.ops.sigmoid, losses.BinaryCrossentropy(label_smoothing=0.1), rows),
        (keras.layers.Softmax(), losses.CategoricalCrossentropy(label_smoothing=0.1), rows),
        (keras.layers.Activation("softmax"), losses.CategoricalFocalCrossentropy(), rows),
        (functools.partial(softmax, axis=0), losses.categorical_crossentropy, rows),
        (lambda x: softmax(x) * 1.0, losses.categorical_crossentropy, rows),
        (keras.layers.Activation("sigmoid"), losses.BinaryFocalCrossentropy(), rows),
    ):
        with tf.GradientTape() as tape:
            tape.watch(x)
            value = loss(targets, activation(x))
        found += [value, tape.gradient(value, x)]
    classes, truths = (
        keras.metrics.SparseCategoricalCrossentropy(),
        keras.metrics.BinaryCrossentropy(),
    )
    classes.update_state(labels, softmax(x))
    truths.update_state(rows, sigmoid(x))
    return found, classes.result(), truths.result()


def logits_of_ops_in_functions(tf, np):
    losses = tf.keras.losses
    x = tf.constant([[200.0, 0.0, -100.0], [0.0, 1.0, 2.0]])
    labels, rows = tf.constant([2, 1]), tf.constant([[1.0, 0.0, 1.0], [0.0, 0.0, 1.0]])

    @tf.function
    def values(x):
        return (
            losses.sparse_categorical_crossentropy(labels, tf.keras.activations.softmax(x)),
            losses.sparse_categorical_crossentropy(labels, tf.nn.softmax(x)),
            losses.sparse_categorical_crossentropy(labels, tf.nn.softmax(x, axis=1)),
            losses.sparse_categorical_crossentropy(labels, tf.nn.softmax(x, axis=0)),
            losses.sparse_categorical_crossentropy(labels, tf.identity(tf.nn.softmax(x))),
            losses.binary_crossentropy(rows, tf.sigmoid(x)),
            losses.binary_crossentropy(rows, tf.nn.softmax(x)),
        )

    return values(x)


def models_that_are_sure_of_what_is_wrong(tf, np):
    keras = tf.keras
    x, labels = np.eye(3, dtype="f"), np.array([0, 1, 1])
    rows = np.eye(3, dtype="f")[labels]
    found = []
    for activation, loss, targets in (
        ("softmax", "sparse_categorical_crossentropy", labels),
        ("softmax", "categorical_crossentropy", rows),
        ("sigmoid", "binary_crossentropy", rows),
        (tf.nn.softmax, "sparse_categorical_crossentropy", labels),
        (tf.nn.sigmoid, "binary_crossentropy", rows),
    ):
        for is_eager in (False, True):
            dense = keras.layers.Dense(3, use_bias=False, activation=activation)
            model = keras.Sequential([keras.Input((3,)), dense])
            weights = [[60.0, 0.0, -60.0], [10.0, -10.0, 40.0], [-100.0, 0.0, 100.0]]
            model.set_weights([np.array(weights, "f")])
            model.compile("sgd", loss, run_eagerly=is_eager)
            found.append(model.evaluate(x, targets, verbose=0))
            model.fit(x, targets, verbose=0)
            found.append(model.get_weights()[0])
    return found


def models_of_several_outputs(tf, np):
    keras = tf.keras
    inputs = keras.Input((4,))
    hidden = keras.layers.Dense(5, "relu")(inputs)
    outputs = {
        "a": keras.layers.Dense(3, activation="softmax", name="a")(hidden),
        "b": keras.layers.Dense(1, activation="sigmoid", name="b")(hidden),
    }
    model = keras.Model(inputs, outputs)
    rng = np.random.default_rng(0)
    model.set_weights([rng.normal(size=w.shape).astype("f") * 20 for w in model.get_weights()])
    model.compile(
        "adam",
        {"a": "sparse_categorical_crossentropy", "b": "binary_crossentropy"},
        metrics={"a": "accuracy", "b": "binary_crossentropy"},
    )
    x = rng.normal(size=(8, 4)).astype("f")
    y = {"a": np.arange(8) % 3, "b": (np.arange(8) % 2).astype("f")[:, None]}
    history = model.fit(x, y, verbose=0, epochs=2, batch_size=4, shuffle=False).history
    losses = {name: [float(v) for v in values] for name, values in sorted(history.items())}
    return losses, model.evaluate(x, y, verbose=0)


def several_steps_in_one_call(tf, np):
    keras = tf.keras
    rng = np.random.default_rng(0)
    x = rng.normal(size=(22, 4)).astype("f")
    found = []
    for steps in (1, 2, 3, 10):
        model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1, use_bias=False)])
        model.set_weights([np.array([[1.0], [2.0], [-1.0], [0.5]], "f")])
        model.compile("sgd", "mse", steps_per_execution=steps)
        for count in (22, 12, 5):
            found.append(model.predict(x[:count], batch_size=4, verbose=0))
            found.append(model.evaluate(x[:count], x[:count, :1], batch_size=4, verbose=0))
    return found
