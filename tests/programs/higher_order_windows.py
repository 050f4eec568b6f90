"""Derivatives of windows' maxima and averages, up to the third: zeros are zeros, not None."""


def _derivatives(tf, np, function, shape):
    x = tf.constant(np.random.default_rng(0).permutation(int(np.prod(shape))).reshape(shape) / 9.0)
    found, tapes = [], [tf.GradientTape() for _ in range(3)]
    for tape in tapes:
        tape.__enter__()
        tape.watch(x)
    value = function(x)
    for tape in reversed(tapes):
        tape.__exit__(None, None, None)
        value = None if value is None else tape.gradient(value, x)
        found.append(value)
    return found


def of_maxima(tf, np):
    images, rows, volumes = [1, 4, 4, 2], [1, 6, 2], [1, 2, 4, 4, 1]
    pool = tf.nn.max_pool2d
    return {
        "disjoint": _derivatives(tf, np, lambda x: pool(x, 2, 2, "VALID"), images),
        "overlapping": _derivatives(tf, np, lambda x: pool(x, 3, 1, "SAME"), images),
        "cubes": _derivatives(tf, np, lambda x: pool(x, 2, 1, "SAME") ** 3, images),
        "of cubes": _derivatives(tf, np, lambda x: pool(x**3, 2, 2, "SAME"), images),
        "rows": _derivatives(tf, np, lambda x: tf.nn.max_pool1d(x, 2, 2, "VALID"), rows),
        "any": _derivatives(tf, np, lambda x: tf.nn.max_pool(x, 2, 2, "VALID"), rows),
        "pool": _derivatives(tf, np, lambda x: tf.nn.pool(x, [2, 2], "MAX"), images),
        "single": _derivatives(
            tf, np, lambda x: tf.nn.max_pool3d(tf.cast(x, tf.float32), 2, 2, "VALID"), volumes
        ),
    }


def of_averages(tf, np):
    images = [1, 4, 4, 2]
    return {
        "average": _derivatives(tf, np, lambda x: tf.nn.avg_pool2d(x, 2, 2, "VALID"), images),
        "cubes": _derivatives(tf, np, lambda x: tf.nn.avg_pool2d(x, 2, 1, "SAME") ** 3, images),
    }


def in_a_function(tf, np):
    function = tf.function(lambda x: tf.nn.max_pool2d(x, 2, 2, "VALID"))
    return _derivatives(tf, np, function, [1, 4, 4, 1])
