"""Lists of integer tensors of several dtypes, where sizes, margins, axes and indices are wanted."""

from programs.functions import told
from programs.program import Caught, answers


def numbers(tf):
    return tf.constant(2), tf.constant(3, tf.int64), tf.range(6.0)


def sizes_of_two_dtypes(tf, np):
    a, b, x = numbers(tf)
    return answers(
        lambda: tf.zeros([a, b]), lambda: tf.zeros([b, a]), lambda: tf.ones((a, b, 1)),
        lambda: tf.fill([a, b], 1.0), lambda: tf.fill([b, 1, a], 1.0),
        lambda: tf.reshape(x, [a, b]), lambda: tf.reshape(x, [b, a]),
        lambda: tf.reshape(x, (b, -1)), lambda: tf.reshape(x, [a, 1, b]),
        lambda: tf.reshape(x, [1, b, a]), lambda: tf.broadcast_to(1.0, [a, b]),
        lambda: tf.tile([[1.0]], [a, b]), lambda: tf.tile([[[1.0]]], [b, 1, a]),
        lambda: tf.random.normal([a, b]).shape, lambda: tf.random.uniform([b, 1, a]).shape,
        lambda: tf.random.stateless_uniform([a, b], [1, 2]).shape,
        lambda: tf.eye(2, batch_shape=[a, b]),
    )  # fmt: skip


def sizes_of_other_dtypes(tf, np):
    a, b, x = numbers(tf)
    byte, single, v = tf.constant(2, tf.uint8), tf.constant(2.0), tf.Variable(4, dtype=tf.int64)
    return answers(
        lambda: tf.zeros([a, byte]), lambda: tf.zeros([byte, 2]), lambda: tf.zeros([single, 2]),
        lambda: tf.zeros([a, single]), lambda: tf.zeros([a, v]), lambda: tf.zeros([v, a]),
        lambda: tf.reshape(x, [byte, 3]), lambda: tf.reshape(x, [b, byte]),
        lambda: tf.reshape(tf.range(8.0), [v, a]),
        lambda: tf.reshape(x, [np.int64(2), np.int32(3)]), lambda: tf.zeros([np.int64(2), a]),
    )  # fmt: skip


def margins_and_axes_of_two_dtypes(tf, np):
    a, b, x = numbers(tf)
    x, axes = tf.reshape(tf.range(24.0), [4, 6]), [tf.constant(0), tf.constant(1, tf.int64)]
    return answers(
        lambda: tf.pad(x, [[a, b], [0, 0]]), lambda: tf.pad(x, [[a, 0], [b, 0]]),
        lambda: tf.pad(x, [[0, b], [0, a]]), lambda: tf.pad(x, [[a, a], [b, b]]),
        lambda: tf.pad(x, [[a, a], [b, 1]]), lambda: tf.transpose(x, axes[::-1]),
        lambda: tf.reduce_sum(x, axes), lambda: tf.reverse(x, axes),
        lambda: tf.roll(x, [a, b], [0, 1]), lambda: tf.roll(x, [1, 2], axes),
        lambda: tf.split(x, [a, b, tf.constant(1)], 1), lambda: tf.gather_nd(x, [[a, b]]),
        lambda: tf.slice(x, [a, b], [1, 2]), lambda: tf.slice(x, [a, 0], [1, b]),
        lambda: tf.strided_slice(x, [a, b], [4, 6]), lambda: tf.strided_slice(x, [0, 0], [a, b]),
    )  # fmt: skip


def subscripts_of_two_dtypes(tf, np):
    a, b, _ = numbers(tf)
    x, y, z = tf.range(6.0), tf.reshape(tf.range(25.0), [5, 5]), tf.ones([5, 5, 5])
    return answers(
        lambda: x[a:b], lambda: x[b:a:-1], lambda: x[0:a:b], lambda: y[a:, b:],
        lambda: y[a, b], lambda: y[b, a], lambda: y[b:, a], lambda: y[a, b:], lambda: y[1:a, b],
        lambda: y[1:a, 1:b], lambda: y[1:a, b:1:-1], lambda: y[b, 1], lambda: z[b, :, a],
        lambda: z[b:, 1:3, a:], lambda: z[..., b:, a], lambda: y[a, tf.newaxis, b],
    )  # fmt: skip


def lists_beside_a_tensor(tf, np):
    a, b, _ = numbers(tf)
    ones, t = [tf.constant(1.0), tf.constant(1.0)], tf.constant([1, 2], tf.int64)
    d = tf.constant([1.0, 2.0], tf.float64)
    return answers(
        lambda: [a, b] * t, lambda: tf.multiply([a, b], t), lambda: tf.multiply([a, a], t),
        lambda: [a, b] - t, lambda: [b, a] // t, lambda: tf.less([b, a], t), lambda: [a, b] ** t,
        lambda: tf.maximum(ones, d), lambda: ones + d, lambda: tf.where([True, False], ones, d),
        lambda: tf.concat([ones, d], 0), lambda: tf.stack([ones, d]), lambda: tf.equal(ones, d),
        lambda: tf.add(d, ones), lambda: tf.math.atan2(ones, d), lambda: tf.where([a, b]),
        lambda: tf.convert_to_tensor([[a, 1], [b, 2]]), lambda: tf.convert_to_tensor([[a], [b]]),
    )  # fmt: skip


def sizes_in_functions(tf, np):
    x = tf.range(6.0)
    functions = [
        lambda a, b: tf.zeros([a, b]),
        lambda a, b: tf.reshape(x, [a, b]),
        lambda a, b: tf.fill([a, b], 1.0),
        lambda a, b: tf.tile([[1.0]], [a, b]),
        lambda a, b: tf.broadcast_to(1.0, [a, b]),
        lambda a, b: tf.pad([[1.0]], [[a, b], [0, 0]]),
        lambda a, b: tf.zeros([tf.shape(x)[0], b]),
        lambda a, b: tf.reshape(x, [1, a, b]),
        lambda a, b: tf.slice(x, [a], [b]),
    ]
    a, b, _ = numbers(tf)
    found = [[told(tf.function(f), a, b), told(tf.function(f), b, a)] for f in functions]
    for first, _ in found:
        if isinstance(first, Caught):
            first.text = first.text.split("(")[0]  # before the name of the tensor
    return found
