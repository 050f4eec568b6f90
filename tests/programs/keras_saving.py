"""Keras models on files, `tf.keras.utils`, preprocessing."""

import pathlib

from programs.keras_layers import numbers, weighted
from programs.program import in_a_new_directory


def _model(tf, np):
    i = tf.keras.Input((3,))
    h = tf.keras.layers.Dense(4, activation="relu", name="one")(i)
    o = tf.keras.layers.BatchNormalization(name="two")(h)
    return weighted(np, tf.keras.Model(i, tf.keras.layers.Dense(2, name="three")(o)))


@in_a_new_directory
def whole_models(tf, np):
    model, x = _model(tf, np), numbers(np, 2, 3)
    model.compile("adam", "mse", metrics=["mae"])
    model.fit(x, x[:, :2], epochs=2, verbose=0)
    found = []
    model.save("other.keras")
    for name in ("model.keras", "model.h5"):
        model.save(name)
        again = tf.keras.models.load_model(name, compile=name.endswith(".keras"))
        found += [np.abs(again.predict(x, verbose=0) - model.predict(x, verbose=0)).max() < 1e-6]
    again = tf.keras.models.load_model("other.keras")
    again.fit(x, x[:, :2], epochs=1, verbose=0)
    model.fit(x, x[:, :2], epochs=1, verbose=0)
    same = np.allclose(again.get_weights()[0], model.get_weights()[0], atol=1e-6)
    return found, same, int(again.optimizer.iterations), [layer.name for layer in again.layers[1:]]


@in_a_new_directory
def weights(tf, np):
    model, other = _model(tf, np), _model(tf, np)
    model.save_weights("some.weights.h5")
    other.set_weights([w + 1.0 for w in other.get_weights()])
    other.load_weights("some.weights.h5")
    x = numbers(np, 2, 3)
    return other(x), model(x), pathlib.Path("some.weights.h5").exists()


@in_a_new_directory
def custom_objects(tf, np):
    @tf.keras.utils.register_keras_serializable(package="programs")
    class Twice(tf.keras.layers.Layer):
        def __init__(self, factor=2.0, **kwargs):
            super().__init__(**kwargs)
            self.factor = factor

        def call(self, x):
            return tf.multiply(x, self.factor)

        def get_config(self):
            return {**super().get_config(), "factor": self.factor}

    model = tf.keras.Sequential([tf.keras.Input((2,)), Twice(3.0), tf.keras.layers.Dense(1)])
    weighted(np, model)
    model.save("own.keras")
    x = numbers(np, 2, 2)
    again = tf.keras.models.load_model("own.keras")
    return again(x), model(x), again.layers[0].factor


def utilities(tf, np):
    utils = tf.keras.utils
    split = utils.split_dataset if hasattr(utils, "split_dataset") else None
    found = [utils.to_categorical([0, 2, 1]), utils.to_categorical([1], num_classes=4)]
    found += [utils.normalize(numbers(np, 2, 3), axis=1), split is not None]
    padded = tf.keras.preprocessing.sequence.pad_sequences([[1, 2, 3], [4]], maxlen=2)
    found += [padded, utils.pad_sequences([[1], [2, 3]], padding="post", value=9)]
    image = utils.array_to_img(np.arange(12).reshape(2, 2, 3))
    return [*found, image.size, utils.img_to_array(image), utils.get_custom_objects() is not None]


def layers_of_preprocessing(tf, np):
    layers, x = tf.keras.layers, numbers(np, 4, 3)
    scale = layers.Rescaling(1.0 / 255.0)
    encode = layers.CategoryEncoding(num_tokens=4, output_mode="multi_hot")
    one_hot = layers.CategoryEncoding(num_tokens=4, output_mode="one_hot")
    bins = layers.Discretization(bin_boundaries=[0.0, 1.0])
    return scale(x), encode([[0, 1], [2, 2]]), one_hot([1, 3]), bins(x)


def sets_of_weights(tf, np):
    model = _model(tf, np)
    found = [len(model.get_weights()), [w.shape for w in model.weights], model.count_params()]
    layer = model.get_layer("one")
    layer.set_weights([np.ones((3, 4)), np.zeros(4)])
    found += [layer.get_weights(), [v.path.split("/")[-1] for v in model.trainable_variables]]
    return *found, layer.kernel.numpy().dtype, [v.name for v in model.non_trainable_variables]
