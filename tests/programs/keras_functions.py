"""Functions of `keras.ops`: what they give, and what they raise for wrong arguments."""

WORDS = ("out of bounds", "Attempt to convert a value (None)", "non-rectangular", "type promotion",
         "is not in [0, ", "Cannot convert", "permutation", "not in the list of allowed",
         "Incompatible", "mixed types",
         "Invalid reduction dimension", "in the range [-2, 2)")  # fmt: skip


def refusals(np, calls):
    """The class of the error of each call, and the words in it that programs match."""
    found = {}
    for name, call in calls.items():
        try:
            found[name] = ["none", np.asarray(call()).shape]
        except Exception as e:
            found[name] = [type(e).__name__, [word for word in WORDS if word in str(e)]]
    return found


def wrong_axes(tf, np):
    ops, x = tf.keras.ops, np.ones((2, 3), "float32")
    calls = {
        f"{name}({axis})": lambda name=name, axis=axis: getattr(ops, name)(x, axis=axis)
        for name in ("sum", "mean", "max", "std", "argmax", "expand_dims", "flip", "median", "all",
                     "cumsum", "logsumexp", "prod", "count_nonzero")
        for axis in (5, -9)
    }  # fmt: skip
    return refusals(np, {
        **calls,
        "squeeze": lambda: ops.squeeze(x, 0),
        "transpose": lambda: ops.transpose(x, (0, 0)),
        "transpose too far": lambda: ops.transpose(x, (0, 9)),
        "transpose a number": lambda: ops.transpose(x, 5),
        "moveaxis": lambda: ops.moveaxis(x, 0, 5),
        "swapaxes": lambda: ops.swapaxes(x, 0, 5),
        "repeat": lambda: ops.repeat(x, 2, axis=5),
        "concatenate": lambda: ops.concatenate([x, x], axis=5),
        "norm": lambda: ops.linalg.norm(x, ord="a"),
        "sum of a half": lambda: ops.sum(x, axis=1.5),
        "sum of a text": lambda: ops.sum(x, axis="a"),
        "mean of a half": lambda: ops.mean(x, axis=1.5),
        "expand_dims of a text": lambda: ops.expand_dims(x, "a"),
        "glu": lambda: ops.glu(x),
        "transpose a tensor": lambda: ops.transpose(tf.constant(x), (0, 0)),
        "expand a tensor": lambda: ops.expand_dims(tf.constant(x), 7),
        "a convolution": lambda: ops.conv(x, np.ones((3, 3, 1, 2), "float32")),
        "a pool": lambda: ops.max_pool(x, 2),
    })  # fmt: skip


def what_is_no_tensor(tf, np):
    ops, x = tf.keras.ops, np.ones((2, 3), "float32")
    wrong = {"None": None, "rows": [[1.0], [2.0, 3.0]], "a thing": object()}
    calls = {
        f"{name}({what})": lambda name=name, value=value: getattr(ops, name)(value)
        for name in ("abs", "sum", "exp", "sort", "relu", "softmax", "transpose", "argmax", "all",
                     "top_k", "isnan")
        for what, value in wrong.items() if name != "top_k" or what != "a thing"
    }  # fmt: skip
    calls["top_k(rows)"] = lambda: ops.top_k([[1.0], [2.0, 3.0]], 1)
    del calls["top_k(None)"]
    return refusals(np, {
        **calls,
        "add": lambda: ops.add(x, None),
        "matmul": lambda: ops.matmul(None, x),
        "where": lambda: ops.where(x > 0, None, x),
        "einsum": lambda: ops.einsum("ij,kj->ik", x, None),
        "a text alone": lambda: ops.abs(np.array("a")),
        "texts": lambda: ops.multiply(np.array(["a", "b"]), x),
        "norm": lambda: ops.linalg.norm(np.array("a")),
    })  # fmt: skip


def wrong_shapes_and_dtypes(tf, np):
    ops, x, y = tf.keras.ops, np.ones((2, 3), "float32"), np.ones((4, 5), "float32")
    return refusals(np, {
        "zeros": lambda: ops.zeros("a"),
        "ones": lambda: ops.ones(2.5),
        "zeros of None": lambda: ops.zeros(None),
        "zeros of a text": lambda: ops.zeros((2, "a")),
        "zeros of a dtype": lambda: ops.zeros((2,), dtype="float33"),
        "zeros of less": lambda: ops.zeros((-2, 3)),
        "reshape": lambda: ops.reshape(x, (5, 7)),
        "broadcast_to": lambda: ops.broadcast_to(x, (5, 7)),
        "add": lambda: ops.add(x, y),
        "matmul": lambda: ops.matmul(x, y),
        "einsum": lambda: ops.einsum("ij,jk->ik", x, x),
        "einsum of other ranks": lambda: ops.einsum("ij,kj->ik", x, np.float32(1.0)),
        "one_hot": lambda: ops.one_hot(np.array([0, 1]), 1.5),
        "tri": lambda: ops.tril(x, k=1.5),
        "allclose": lambda: ops.allclose(x, x, rtol="a"),
    })  # fmt: skip


def indices(tf, np):
    ops, x = tf.keras.ops, np.arange(6, dtype="float32").reshape(3, 2)
    given = {
        "last": ops.take(x, [-1], axis=0),
        "last column": ops.take(tf.constant(x), [-1, 0], axis=1),
        "of all": ops.take(x, np.array([[-1], [4]])),
        "a tensor": ops.take(tf.constant(x), tf.constant(2), axis=-2),
    }
    wrong = refusals(np, {
        "rows": lambda: ops.take(x, [0, 9], axis=0),
        "columns": lambda: ops.take(x, [2], axis=1),
        "of all": lambda: ops.take(x, [6]),
        "None": lambda: ops.take(x, None, axis=0),
        "embedding": lambda: tf.keras.layers.Embedding(4, 3)(np.array([[1, 4]])),
    })  # fmt: skip
    return given, wrong


def counts_and_segments(tf, np):
    ops, x = tf.keras.ops, np.arange(6, dtype="float32").reshape(3, 2)
    return [
        ops.bincount(np.array([1, 2, 2])), ops.bincount(tf.constant([[1, 2, 2], [0, 0, 1]])),
        ops.bincount(np.array([1, 2, 2]), weights=np.array([0.5, 1.0, 1.0], "float32")),
        ops.bincount(np.array([1, 2, 2]), minlength=5), ops.bincount(np.array([True, False])),
        ops.segment_sum(x, np.array([0, 0, 1])), ops.segment_max(x, np.array([0, 1, 1])),
        ops.segment_sum(x, tf.constant([0, 0, 1]), num_segments=3),
        ops.average_pool(np.ones((1, 6, 6, 3), "float32"), 2),
        ops.transpose(tf.constant(x), (-1, 0)), ops.expand_dims(tf.constant(x), -3),
        ops.expand_dims(tf.constant(x), 2), ops.max_pool(x[None], 2, padding="same"),
        ops.max_pool(x[None], 2, strides=1),
    ]  # fmt: skip


def values_that_are_refused(tf, np):
    ops, x = tf.keras.ops, np.arange(6, dtype="float32").reshape(3, 2)
    bad = np.array([[1.0, 2.0], [2.0, 1.0]], "float32")  # not positive definite
    wrong = refusals(np, {
        "scatter_update": lambda: ops.scatter_update(x, [[9]], np.ones((1, 2), "float32")),
        "cholesky": lambda: ops.cholesky(bad),
        "axis": lambda: ops.argsort(x, axis=(0, 9)),
        "fft": lambda: ops.fft([[1.0], [2.0, 3.0]]),
    })  # fmt: skip
    return [
        wrong, ops.scatter_update(x, [[1]], np.ones((1, 2), "float32")), ops.size(x),
        ops.cholesky(bad @ bad + np.eye(2, dtype="float32")),
    ]  # fmt: skip
