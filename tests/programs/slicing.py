"""Indexing of tensors: slices, ellipsis, new axes, tensors as indices, errors, gradients."""

from programs.program import caught


def basic(tf, np):
    x = tf.reshape(tf.range(24), [2, 3, 4])
    v = tf.constant([0.0, 1.0, 2.0, 3.0, 4.0])
    return {
        "item": [v[0], v[-1], x[1], x[1, 2], x[1, 2, 3], x[-1, -1, -1]],
        "slices": [
            v[1:3],
            v[:2],
            v[2:],
            v[:],
            v[::2],
            v[::-1],
            v[3:0:-1],
            v[-3:-1],
            v[1:100],
            v[4:2],
        ],
        "rows": [
            x[:, 0],
            x[:, :, 0],
            x[0, :, 1:3],
            x[..., 0],
            x[0, ...],
            x[..., 1:3, ::2],
            x[1, ..., -1],
        ],
        "new axes": [
            v[tf.newaxis],
            v[:, None],
            v[None, :, None].shape,
            x[:, None, 0].shape,
            x[..., None].shape,
        ],
        "ellipsis in the middle": [x[0, ..., 1], x[..., 0, :]],
        "whole": [x[...].shape, x[:].shape],
        "empty": [v[2:2], v[0:0].shape],
    }


def indices_of_other_kinds(tf, np):
    v = tf.constant([10.0, 11.0, 12.0])
    m = tf.constant([[1, 2], [3, 4]])
    i = tf.constant(1)
    return {
        "tensor": [v[i], v[tf.constant(1, tf.int64)], m[i, i], v[i:], v[: tf.constant(2)]],
        "numpy": [v[np.int64(1)], v[np.int32(1)], v[np.array(1)]],
        "variable": caught(lambda: v[tf.Variable(1)]),
        "bool": [caught(lambda: v[True]), caught(lambda: v[False])],
        "float": caught(lambda: v[1.0]),
        "text": caught(lambda: v["a"]),
        "none": v[None],
        "list": caught(lambda: v[[0, 2]]),
        "list in a matrix": caught(lambda: m[[0, 1]]),
        "array": caught(lambda: v[np.array([0, 2])]),
        "vector": caught(lambda: v[tf.constant([0, 2])]),
        "mask": caught(lambda: v[tf.constant([True, False, True])]),
        "mask by comparison": caught(lambda: v[v > 10.5]),
        "mask in numpy": caught(lambda: v[np.array([True, False, True])]),
        "float tensor": caught(lambda: v[tf.constant(1.0)]),
        "float slice": caught(lambda: v[0.0:1.0]),
        "tuple of list": caught(lambda: m[[0], 1]),
        "uint8": caught(lambda: v[tf.constant(1, tf.uint8)]),
        "int16": caught(lambda: v[tf.constant(1, tf.int16)]),
    }


def errors(tf, np):
    v, m = tf.constant([10.0, 11.0, 12.0]), tf.constant([[1, 2], [3, 4]])
    s = tf.constant(1.0)
    return {
        "too large": caught(lambda: v[5]),
        "too small": caught(lambda: v[-4]),
        "second dimension": caught(lambda: m[0, 2]),
        "too many": caught(lambda: v[0, 0]),
        "of a scalar": caught(lambda: s[0]),
        "slice of a scalar": caught(lambda: s[:]),
        "scalar new axis": s[None],
        "scalar ellipsis": s[...],
        "step of zero": caught(lambda: v[::0]),
        "two ellipses": caught(lambda: m[..., ...]),
        "tensor too large": caught(lambda: v[tf.constant(7)]),
        "computed too large": caught(lambda: v[tf.argmax([0, 0, 0, 0, 1])]),
    }


def gradients(tf, np):
    x = tf.reshape(tf.range(6, dtype=tf.float32), [2, 3])
    functions = {
        "item": lambda x: x[0, 1],
        "row": lambda x: x[1],
        "column": lambda x: x[:, 0] * 2.0,
        "reversed": lambda x: x[::-1, ::2] * tf.constant([[1.0, 2.0], [3.0, 4.0]]),
        "new axis": lambda x: x[:, None] * 3.0,
        "ellipsis": lambda x: x[..., 1:],
        "used twice": lambda x: x[0] * x[1],
        "same twice": lambda x: x[0] + x[0],
        "empty": lambda x: x[0:0],
    }
    out = {}
    for key, function in functions.items():
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        out[key] = tape.gradient(y, x)
    return out


def gradients_of_variables(tf, np):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape(persistent=True) as tape:
        y = v[0] * v[1, 0]
        z = v[:, 1]
    return {
        "y": tape.gradient(y, v),
        "z": tape.gradient(z, v),
        "watched": len(tape.watched_variables()),
    }


def dynamic_slices(tf, np):
    """The index changes from step to step."""
    v = tf.constant([10.0, 11.0, 12.0, 13.0])
    out = []
    for k in range(4):
        i = tf.constant(k)
        with tf.GradientTape() as tape:
            tape.watch(v)
            y = v[i] * float(k)
        out.append([y, tape.gradient(y, v), v[k : k + 2]])
    return out


def parts_of_what_has_no_rows(tf, np):
    """There is an error where a value is wanted, and none in branches that are not taken."""

    def index(i):
        return tf.zeros([0])[i]

    def row(i):
        return tf.gather(tf.zeros([0, 3]), i)

    def batched(i):
        return tf.gather(tf.zeros([2, 0]), [i, i], axis=1, batch_dims=1)

    out = {}
    for part in (index, row, batched):
        sizes = tf.function(
            lambda i, part=part: tf.cond(i > 0, lambda: tf.size(part(i)), lambda: tf.constant(7))
        )
        out[part.__name__] = {
            "at once": caught(lambda part=part: part(tf.constant(0))),
            "in a function": caught(lambda part=part: tf.function(part)(tf.constant(0))).name,
            "in a branch that is not taken": sizes(tf.constant(0)),
            "for no elements": len(list(tf.data.Dataset.range(0).map(part))),
        }
    return out


def functions_that_slice(tf, np):
    m = tf.reshape(tf.range(12), [3, 4])
    return {
        "slice": tf.slice(m, [1, 0], [2, 2]),
        "slice -1": tf.slice(m, [0, 1], [-1, -1]),
        "slice wrong": caught(lambda: tf.slice(m, [2, 0], [2, 2])),
        "strided_slice": tf.strided_slice(m, [0, 0], [3, 4], [2, 2]),
        "gather": [tf.gather(m, [2, 0]), tf.gather(m, [1], axis=1), tf.gather(m, 1)],
        "gather_nd": tf.gather_nd(m, [[0, 1], [2, 3]]),
        "gather wrong": caught(lambda: tf.gather(m, [3])),
        "gather negative": caught(lambda: tf.gather(m, [-1])),
        "gather wrong axis 1": caught(lambda: tf.gather(m, [0, 9], axis=1)),
        "gather_nd wrong": caught(lambda: tf.gather_nd(m, [[0, 9]])),
        "boolean_mask": tf.boolean_mask(m, [True, False, True]),
        "boolean_mask wrong": caught(lambda: tf.boolean_mask(m, [True, False])),
        "where": tf.where(m > 9),
        "unstack": tf.unstack(m)[1],
        "split": tf.split(m, 2, axis=1),
        "one_hot": tf.one_hot([0, 2, 5], 3),
        "tensor_scatter": tf.tensor_scatter_nd_update([1, 2, 3], [[0], [2]], [10, 30]),
        "tensor_scatter_add": tf.tensor_scatter_nd_add([1, 2, 3], [[0], [0]], [10, 30]),
        "scatter_nd": tf.scatter_nd([[1], [1]], [5, 6], [3]),
        "tensor_scatter wrong": caught(lambda: tf.tensor_scatter_nd_update([1, 2, 3], [[3]], [1])),
    }
