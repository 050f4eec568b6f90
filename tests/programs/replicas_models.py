"""Keras in the scope of a strategy: models saved and loaded, weights of classes and examples."""

import tempfile

from programs.replicas import _mirrored

# The generator divides the CPU into so many for TensorFlow.
LOGICAL_CPUS = 3


def _classes(tf, np):
    """A model of three classes, compiled in a scope, with data for it."""
    keras = tf.keras
    x = np.sin(np.arange(30.0)).reshape(10, 3).astype("float32")
    y = np.arange(10) % 3
    with _mirrored(tf, 2).scope():
        model = keras.Sequential([keras.Input([3]), keras.layers.Dense(3, "softmax")])
        model.compile(
            keras.optimizers.SGD(0.5), "sparse_categorical_crossentropy",
            metrics=["accuracy"], weighted_metrics=["accuracy"],
        )  # fmt: skip
    model.set_weights([np.cos(np.arange(9.0)).reshape(3, 3), np.zeros(3)])
    return model, x, y


def _fitted(model, *data, **options):
    history = model.fit(*data, epochs=2, verbose=0, shuffle=False, **options).history
    return [[key, history[key]] for key in sorted(history)], model.get_weights()


def weights_of_classes(tf, np):
    weights, found = {0: 1.0, 1: 3.0, 2: 0.5}, []
    for size in (4, 2):
        model, x, y = _classes(tf, np)
        found.append(_fitted(model, x, y, batch_size=size, class_weight=weights))
        model, x, y = _classes(tf, np)
        data = tf.data.Dataset.from_tensor_slices((x, y)).batch(size)
        found.append(_fitted(model, data, class_weight=weights))
    return found


def weights_of_examples(tf, np):
    weights, found = np.linspace(0.5, 2.0, 10).astype("float32"), []
    for size in (4, 2):
        model, x, y = _classes(tf, np)
        found.append(_fitted(model, x, y, batch_size=size, sample_weight=weights))
        found.append(model.evaluate(x, y, sample_weight=weights, batch_size=size, verbose=0))
        model, x, y = _classes(tf, np)
        data = tf.data.Dataset.from_tensor_slices((x, y, weights)).batch(size)
        found.append(_fitted(model, data))
        found.append(model.evaluate(data, verbose=0))
        model.train_on_batch(x[:size], y[:size], sample_weight=weights[:size])
        found.append(model.get_weights())
        model.train_on_batch(x[:size], y[:size], class_weight={0: 1.0, 1: 3.0, 2: 0.5})
        found.append(model.get_weights())
    return found


def weights_of_distributed_data(tf, np):
    """Datasets that the strategy has cut already."""
    strategy, found = _mirrored(tf, 2), []
    for size in (4, 2):
        model, x, y = _classes(tf, np)
        each = np.linspace(0.5, 2.0, 10).astype("float32")
        data = tf.data.Dataset.from_tensor_slices((x, y, each)).batch(size)
        cut = strategy.experimental_distribute_dataset(data)
        found.append(_fitted(model, cut, steps_per_epoch=2))
    return found


def models_saved_and_loaded(tf, np):
    strategy = _mirrored(tf, 2)
    keras = tf.keras

    def made():
        model = keras.Sequential([keras.Input([3]), keras.layers.Dense(2, "tanh"),
                                  keras.layers.Dense(1)])  # fmt: skip
        model.compile(keras.optimizers.Adam(0.05), "mse")
        weights = [np.cos(np.arange(w.size)).reshape(w.shape) for w in model.get_weights()]
        model.set_weights(weights)
        return model

    x = np.sin(np.arange(30.0)).reshape(10, 3).astype("float32")
    y = x.sum(1, keepdims=True)
    data = tf.data.Dataset.from_tensor_slices((x, y)).batch(4)
    found = []
    with tempfile.TemporaryDirectory() as folder:
        with strategy.scope():
            model = made()
        found.append(model.fit(data, epochs=2, verbose=0).history["loss"])
        model.save(f"{folder}/m.keras")
        model.save_weights(f"{folder}/m.weights.h5")
        alone = keras.models.load_model(f"{folder}/m.keras")
        with strategy.scope():
            both = keras.models.load_model(f"{folder}/m.keras")
            third = made()
            third.load_weights(f"{folder}/m.weights.h5")
        for each in (alone, both):
            found.append(each.predict(x, verbose=0))
            found.append([each.optimizer.iterations.numpy()])
        found.append(both.fit(data, epochs=1, verbose=0).history["loss"])
        found.append(third.evaluate(data, verbose=0))
        return found
