"""`tf.IndexedSlices`: gradients of tables whose rows are taken, and what ops do with them."""

from programs.program import caught


def _gradient(tf, function, **keywords):
    w = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with tf.GradientTape() as tape:
        y = function(w)
    return tape.gradient(y, w, **keywords)


def _constant_gradient(tf, function):
    w = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with tf.GradientTape() as tape:
        tape.watch(w)
        y = function(w)
    return tape.gradient(y, w)


def gathers(tf, np):
    return {
        "variable": _gradient(tf, lambda w: tf.gather(w, [0, 2, 0]) * 2.0),
        "constant": _constant_gradient(tf, lambda w: tf.gather(w, [0, 2, 0])),
        "scalar index": _gradient(tf, lambda w: tf.gather(w, 1)),
        "matrix of indices": _gradient(tf, lambda w: tf.gather(w, [[0, 1], [2, 2]]) ** 2),
        "int64": _gradient(tf, lambda w: tf.gather(w, tf.constant([0], tf.int64))),
        "axis 1": _gradient(tf, lambda w: tf.gather(w, [0], axis=1)),
        "axis -2": _gradient(tf, lambda w: tf.gather(w, [0], axis=-2)),
        "axis 1 of a constant": _constant_gradient(tf, lambda w: tf.gather(w, [0], axis=1)),
        "batch": _gradient(tf, lambda w: tf.gather(w, [[0], [1], [0]], batch_dims=1)),
        "lookup": _gradient(tf, lambda w: tf.nn.embedding_lookup(w, [1, 1])),
        "lookup in a list": _gradient(tf, lambda w: tf.nn.embedding_lookup([w], [1, 1])),
        "lookup with a norm": _gradient(tf, lambda w: tf.nn.embedding_lookup(w, [2], max_norm=1.0)),
        "gather_nd": _gradient(tf, lambda w: tf.gather_nd(w, [[0], [1]])),
        "gather_nd of a constant": _constant_gradient(tf, lambda w: tf.gather_nd(w, [[0], [1]])),
        "gather_nd of elements": _gradient(tf, lambda w: tf.gather_nd(w, [[0, 1], [1, 0]])),
        "gather_nd in batches": _gradient(
            tf, lambda w: tf.gather_nd(w, [[0], [1], [1]], batch_dims=1)
        ),
        "subscript": _gradient(tf, lambda w: w[0]),
        "sparse_read": _gradient(tf, lambda w: w.sparse_read([0, 1])),
        "method gather_nd": _gradient(tf, lambda w: w.gather_nd([[0]])),
        "no rows": _gradient(tf, lambda w: tf.gather(w, tf.zeros([0], tf.int32))),
    }


def several_uses(tf, np):
    return {
        "two": _gradient(
            tf, lambda w: tf.reduce_sum(tf.gather(w, [0, 1])) + tf.reduce_sum(tf.gather(w, [1]) * 3)
        ),
        "product": _gradient(
            tf, lambda w: tf.reduce_sum(tf.gather(w, [0, 1]) * tf.gather(w, [1, 1]))
        ),
        "dense as well": _gradient(
            tf, lambda w: tf.reduce_sum(tf.gather(w, [0, 1])) + tf.reduce_sum(w)
        ),
        "identity": _gradient(tf, lambda w: tf.gather(tf.identity(w), [0])),
        "read_value": _gradient(tf, lambda w: tf.gather(w.read_value(), [0])),
        "cast": _gradient(tf, lambda w: tf.gather(tf.cast(w, tf.float64), [0])),
        "scaled": _gradient(tf, lambda w: tf.gather(w * 2.0, [0])),
        "reshaped": _gradient(tf, lambda w: tf.gather(tf.reshape(w, [6]), [0])),
        "gathered twice": _gradient(tf, lambda w: tf.gather(tf.gather(w, [0, 2]), [1, 1])),
        "unconnected is zero": _gradient(
            tf, lambda w: tf.gather(w, [0]), unconnected_gradients="zero"
        ),
        "upstream": _gradient(
            tf,
            lambda w: tf.gather(w, [0, 1]),
            output_gradients=tf.constant([[1.0, 2.0], [3.0, 4.0]]),
        ),
        "a target itself": _gradient(tf, lambda w: [tf.gather(w, [0]), w]),
        "unused": _gradient(tf, lambda w: tf.gather(w, [0])[:0]),
    }


def higher_orders(tf, np):
    w = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with tf.GradientTape(persistent=True) as outer:
        with tf.GradientTape() as inner:
            y = tf.reduce_sum(tf.gather(w, [0, 2, 0]) ** 3)
        gradient = inner.gradient(y, w)
        of_rows = tf.reduce_sum(gradient.values**2)
        of_dense = tf.reduce_sum(tf.square(gradient))
    with tf.GradientTape() as tape:
        rows = tf.gather(w, [0, 1])
    return {
        "gradient": gradient,
        "of its rows": outer.gradient(of_rows, w),
        "of what it stands for": outer.gradient(of_dense, w),
        "jacobian": tape.jacobian(rows, w),
    }


def operations(tf, np):
    c = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    g = _gradient(tf, lambda w: tf.gather(w, [0, 2, 0]) * 2.0)
    v = tf.Variable(c)
    return {
        "text": str(g),
        "shape": [g.shape, g.dtype, g.device],
        "negative": -g,
        "times": caught(lambda: g * 2.0),
        "tensor times": tf.constant(2.0) * g,
        "functions": [
            tf.multiply(g, 2.0),
            tf.add(g, g),
            tf.square(g),
            tf.reduce_sum(g),
            tf.norm(g),
        ],
        "scalar_mul": tf.math.scalar_mul(2.0, g),
        "add_n": [tf.add_n([g, c]), tf.add_n([g, g])],
        "converted": tf.convert_to_tensor(g),
        "clip_by_norm": tf.clip_by_norm(g, 1.0),
        "clip_by_value": tf.clip_by_value(g, -1.0, 1.0),
        "global_norm": tf.linalg.global_norm([g]),
        "clip_by_global_norm": tf.clip_by_global_norm([g, None, c], 1.0),
        "assigned": [v.assign_sub(g).numpy(), v.scatter_sub(g).numpy(), v.assign(g).numpy()],
        "is a tensor": [tf.is_tensor(g), isinstance(g, tf.Tensor)],
        "identity": tf.identity(g),
        "stop_gradient": tf.stop_gradient(g),
        "assert_type": caught(lambda: tf.debugging.assert_type(g, tf.int32)),
        "cast": tf.cast(g, tf.float64),
        "flat": [tf.nest.flatten(g), tf.nest.flatten(g, expand_composites=True)],
        "mapped": tf.nest.map_structure(lambda t: t + t, g, expand_composites=True),
        "concat": tf.concat([g, g], 0),
        "subscript": caught(lambda: g[0]),
        "without a shape": caught(
            lambda: tf.convert_to_tensor(tf.IndexedSlices(c, tf.constant([0, 1, 2])))
        ),
    }
