"""Keras models on files, `tf.keras.utils`, preprocessing."""

import pathlib

from programs.keras_layers import numbers, weighted
from programs.program import caught, in_a_new_directory


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


@in_a_new_directory
def exported_models(tf, np):
    model, x = _model(tf, np), numbers(np, 2, 3)
    model.export("exported", verbose=False)
    loaded = tf.saved_model.load("exported")
    served = loaded.signatures["serving_default"]
    layer = tf.keras.layers.TFSMLayer("exported", call_endpoint="serve")
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(layer(x))
    slopes = tape.gradient(loss, layer.trainable_weights)
    layer.trainable_weights[0].assign(0.0 * layer.trainable_weights[0])
    inputs = next(iter(served.structured_input_signature[1].values()))
    return {
        "serve": [loaded.serve(x), loaded.serve(x[:1])],
        "same": np.abs(loaded.serve(x) - model(x)).max() < 1e-6,
        "signature": [list(loaded.signatures), served(tf.constant(x))["output_0"], inputs.shape],
        "variables": [
            [v.shape for v in getattr(loaded, name)]
            for name in ("variables", "trainable_variables", "non_trainable_variables")
        ],
        "layer": [layer(x), sorted(tf.reduce_sum(slope) for slope in slopes if slope is not None)],
        "weights": [len(layer.trainable_weights), len(layer.non_trainable_weights)],
        "no model": caught(lambda: loaded.fit(x)).name,
    }


class Scaled:
    """A model that takes a dictionary, and returns another."""

    def __new__(cls, tf):
        class Model(tf.keras.Model):
            def __init__(self):
                super().__init__()
                self.dense = tf.keras.layers.Dense(2, kernel_initializer="ones")

            def call(self, inputs, training=False):
                y = self.dense(inputs["a"]) * inputs["b"]
                return {"y": y, "twice": 2.0 * y if training else y}

        return Model()


@in_a_new_directory
def export_archives(tf, np):
    model, x = Scaled(tf), {"a": numbers(np, 2, 3), "b": numbers(np, 2, 1)}
    archive = tf.keras.export.ExportArchive()
    refused = [
        caught(lambda: archive.track(model)), caught(lambda: archive.write_out("archive")),
        caught(lambda: model.export("no")), caught(lambda: archive.track(3)).name,
    ]  # fmt: skip
    model(x)
    archive.track(model)
    spec = tf.keras.layers.InputSpec
    signature = [{"a": spec(shape=(None, 3), dtype="float32"),
                  "b": spec(shape=(None, 1), dtype="float32")}]  # fmt: skip
    archive.add_endpoint("infer", lambda x: model.call(x), signature)
    archive.add_endpoint("train", lambda x: model.call(x, training=True), signature)
    weigh = tf.function(lambda y: tf.reduce_sum(y * tf.convert_to_tensor(model.dense.kernel)))
    refused += [caught(lambda: archive.add_endpoint("weigh", weigh)).name,
                caught(lambda: archive.add_endpoint("infer", model.call, signature)),
                caught(lambda: archive.add_endpoint("plain", model.call)).name]  # fmt: skip
    weigh(tf.constant(2.0))
    archive.add_endpoint("weigh", weigh)
    archive.add_variable_collection("kernels", [model.dense.kernel])
    archive.write_out("archive", verbose=False)
    loaded = tf.saved_model.load("archive")
    return {
        "refused": refused,
        "found": [loaded.infer(x), loaded.train(x), loaded.weigh(tf.constant(3.0))],
        "kernels": [v.shape for v in loaded.kernels],
        "signatures": sorted(loaded.signatures),
        "tracked": [len(archive.variables), len(archive.trainable_variables)],
    }


@in_a_new_directory
def models_saved_as_modules(tf, np):
    model, x = _model(tf, np), numbers(np, 2, 3)
    tf.saved_model.save(model, "model")
    served = tf.saved_model.load("model").signatures["serving_default"]
    inputs = served.structured_input_signature[1]["inputs"]
    return served(tf.constant(x))["output_0"], model(x), inputs.shape, inputs.dtype
