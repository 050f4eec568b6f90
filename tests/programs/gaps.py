"""Sliding operations with gaps, as `tf.nn.with_space_to_batch` makes them."""

from programs.program import caught


def _inputs(tf):
    images = tf.reshape(tf.range(32.0), [1, 4, 4, 2])
    filters = tf.reshape(tf.range(16.0), [2, 2, 2, 2])
    return images, lambda x, dimensions, padding: tf.nn.conv2d(x, filters, 1, padding)


def results(tf, np):
    x, convolve = _inputs(tf)
    call = tf.nn.with_space_to_batch
    return {
        "valid": call(x, [2, 2], "VALID", convolve),
        "same": call(x, [2, 2], "SAME", convolve, filter_shape=[2, 2]),
        "no gaps": call(x, [1, 1], "SAME", convolve),
        "rows": call(x, [2, 1], "SAME", convolve, filter_shape=tf.constant([2, 2])),
        "one": call(x, [2], "VALID", convolve),
        "columns": call(x, [2], "VALID", convolve, spatial_dims=[2]),
    }


def refusals(tf, np):
    x, convolve = _inputs(tf)
    call = tf.nn.with_space_to_batch
    return {
        "no filter shape": caught(lambda: call(x, [2, 2], "SAME", convolve)),
        "order": caught(lambda: call(x, [2, 2], "VALID", convolve, spatial_dims=[2, 1])),
        "repeated": caught(lambda: call(x, [2, 2], "VALID", convolve, spatial_dims=[1, 1])),
        "batch": caught(lambda: call(x, [2, 2], "VALID", convolve, spatial_dims=[0, 1])),
        "rank": caught(lambda: call(x, [2, 2], "VALID", convolve, spatial_dims=[1, 4])),
        "zero": caught(lambda: call(x, [0, 2], "VALID", convolve)),
        "scalar": caught(lambda: call(x, 2, "VALID", convolve)),
        "padding": caught(lambda: call(x, [2, 2], "XX", convolve)),
        "float": caught(lambda: call(x, [2.0, 2], "VALID", convolve)),
    }


def gradient(tf, np):
    x, convolve = _inputs(tf)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.with_space_to_batch(x, [2, 2], "SAME", convolve, filter_shape=[2, 2])
    return tape.gradient(y, x)
