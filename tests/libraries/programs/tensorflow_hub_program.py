"""Loads a module that a program has saved, as a function and as a layer."""

import tempfile

import numpy as np
import tensorflow as tf
import tensorflow_hub as hub


class Doubled(tf.Module):
    def __init__(self):
        self.factor = tf.Variable(2.0)

    @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32)])
    def __call__(self, x):
        return self.factor * x


with tempfile.TemporaryDirectory() as folder:
    tf.saved_model.save(Doubled(), folder)
    loaded = hub.load(folder)
    np.testing.assert_array_equal(loaded(tf.ones([2, 3])), np.full([2, 3], 2.0))
    assert hub.resolve(folder) == folder
    frozen = hub.KerasLayer(folder)
    assert not frozen.trainable_weights
    layer = hub.KerasLayer(folder, trainable=True)
    np.testing.assert_array_equal(layer(tf.ones([2, 3])), np.full([2, 3], 2.0))
    model = tf.keras.Sequential([tf.keras.Input((3,)), layer])
    model.compile(tf.keras.optimizers.SGD(0.1), "mse")
    model.fit(np.ones([8, 3]), np.full([8, 3], 5.0), epochs=60, verbose=0)
    np.testing.assert_allclose(layer.resolved_object.factor, 5.0, rtol=1e-3)
    model.export(f"{folder}/model", verbose=False)
    again = hub.load(f"{folder}/model").signatures["serving_default"]
    np.testing.assert_allclose(again(tf.ones([1, 3]))["output_0"], np.full([1, 3], 5.0), rtol=1e-3)
