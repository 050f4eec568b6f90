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
    layer = hub.KerasLayer(folder, trainable=True)
    np.testing.assert_array_equal(layer(tf.ones([2, 3])), np.full([2, 3], 2.0))
