"""First gradients of ops that TensorFlow differentiates only once."""


def _images(np):
    rows = np.array([[3, 1, 4, 1], [5, 9, 2, 6], [5, 3, 5, 8], [9, 7, 9, 3]], "float32")
    return np.stack([rows, rows.T[::-1]], axis=-1)[None]


def _gradient(tf, function, *sources):
    sources = [tf.constant(source) for source in sources]
    with tf.GradientTape() as tape:
        tape.watch(sources)
        result = function(*sources)
        weights = tf.reshape(tf.cast(tf.range(1, 1 + tf.size(result)), tf.float32), result.shape)
        loss = tf.reduce_sum(result * weights)
    return tape.gradient(loss, sources)


def of_argmax_pooling(tf, np):
    x = _images(np)
    pool = tf.nn.max_pool_with_argmax
    return {
        "valid": _gradient(tf, lambda x: pool(x, 2, 2, "VALID").output, x),
        "overlapping": _gradient(tf, lambda x: pool(x, 3, 1, "SAME").output, x),
        "ties": _gradient(tf, lambda x: pool(x, 2, 1, "SAME").output, np.zeros_like(x)),
    }


def of_fractional_pooling(tf, np):
    x = _images(np)
    half = [1.0, 2.0, 2.0, 1.0]
    return {
        "max": _gradient(tf, lambda x: tf.nn.fractional_max_pool(x, half).output, x),
        "max ties": _gradient(tf, lambda x: tf.nn.fractional_max_pool(x, half).output, 0 * x),
        "max overlapping": _gradient(
            tf, lambda x: tf.nn.fractional_max_pool(x, half, overlapping=True).output, x
        ),
        "average": _gradient(tf, lambda x: tf.nn.fractional_avg_pool(x, half).output, x),
        "average overlapping": _gradient(
            tf, lambda x: tf.nn.fractional_avg_pool(x, half, overlapping=True).output, x
        ),
    }


def of_morphology(tf, np):
    x, filters = _images(np), np.array([[[1, 0], [0, 2]], [[0, 0], [3, 1]]], "float32")
    ones, twos = [1, 1, 1, 1], [1, 2, 2, 1]

    def dilated(padding, strides, rates):
        return lambda x, f: tf.nn.dilation2d(x, f, strides, padding, "NHWC", rates)

    return {
        "valid": _gradient(tf, dilated("VALID", ones, ones), x, filters),
        "same": _gradient(tf, dilated("SAME", twos, twos), x, filters),
        "ties": _gradient(tf, dilated("SAME", ones, ones), 0 * x, 0 * filters),
        "erosion": _gradient(
            tf, lambda x, f: tf.nn.erosion2d(x, f, ones, "SAME", "NHWC", ones), x, filters
        ),
    }


def of_response_normalization(tf, np):
    x, lrn = _images(np), tf.nn.local_response_normalization
    return {
        "defaults": _gradient(tf, lrn, x),
        "narrow": _gradient(tf, lambda x: lrn(x, 0, 2.0, 0.5, 0.75), x),
    }
