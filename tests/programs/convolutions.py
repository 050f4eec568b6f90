"""Convolutions of several batch dimensions and of integers."""

from programs.program import answers


def several_batch_dimensions(tf, np):
    x = tf.reshape(tf.range(60.0), [2, 3, 5, 2])
    rows = tf.reshape(tf.range(12.0), [2, 2, 3])
    y = tf.reshape(tf.range(192.0), [2, 3, 4, 4, 2])
    filters = tf.reshape(tf.range(24.0), [2, 2, 2, 3])
    return answers(
        lambda: tf.nn.conv1d(x, rows, 1, "SAME"),
        lambda: tf.nn.conv1d(x, rows, 2, "VALID"),
        lambda: tf.nn.conv1d(x[None], rows, 1, "SAME"),
        lambda: tf.nn.conv1d(x[0, 0], rows, 1, "SAME"),
        lambda: tf.nn.conv2d(y, filters, 1, "SAME"),
        lambda: tf.nn.conv2d(y, filters, 2, "VALID"),
        lambda: tf.nn.conv2d(y, filters, [1, 2, 2, 1], [[0, 0], [1, 1], [1, 0], [0, 0]]),
        lambda: tf.nn.conv2d(y[None], filters, 1, "SAME", dilations=2),
        lambda: tf.nn.conv2d(y[0, 0], filters, 1, "SAME"),
        lambda: tf.nn.conv2d(y[:0], filters, 1, "SAME"),
        lambda: tf.nn.convolution(y, filters),
        lambda: tf.nn.convolution(x, rows),
        lambda: tf.nn.conv3d(
            tf.ones([2, 2, 2, 2, 2, 1]), tf.ones([1, 2, 1, 1, 1]), [1] * 5, "SAME"
        ),
        lambda: tf.function(lambda y: tf.nn.conv2d(y, filters, 1, "SAME"))(y),
    )


def gradients_of_several_batch_dimensions(tf, np):
    x = tf.reshape(tf.range(60.0), [2, 3, 5, 2]) / 60
    rows = tf.reshape(tf.range(12.0), [2, 2, 3]) / 12
    y = tf.reshape(tf.range(192.0), [2, 3, 4, 4, 2]) / 192
    filters = tf.reshape(tf.range(24.0), [2, 2, 2, 3]) / 24
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, rows, y, filters])
        one = tf.reduce_sum(tf.nn.conv1d(x, rows, 1, "SAME") ** 2)
        two = tf.reduce_sum(tf.nn.conv2d(y, filters, 2, "SAME") ** 2)
    return [tape.gradient(one, [x, rows]), tape.gradient(two, [y, filters])]


def transposes_of_integers(tf, np):
    found = {}
    cases = (
        ("SAME", 2, 3, 5), ("SAME", 2, 3, 6), ("VALID", 2, 2, 5), ("VALID", 1, 3, 5),
        ("SAME", 1, 4, 4), ("SAME", 3, 2, 4), ("VALID", 3, 2, 6),
        ([[0, 0], [1, 0], [0, 1], [0, 0]], 2, 2, 4),
    )  # fmt: skip
    for padding, stride, size, new in cases:
        x = tf.reshape(tf.range(size * size * 4), [1, size, size, 4])
        filters = tf.reshape(tf.range(72), [3, 3, 2, 4])
        shape = [1, new, new, 2]
        found[f"{padding} {stride} {size}"] = tf.nn.conv2d_transpose(
            x, filters, shape, stride, padding
        )
    sequence = tf.reshape(tf.range(12), [1, 3, 4])
    found["1"] = tf.nn.conv1d_transpose(sequence, tf.reshape(tf.range(24), [3, 2, 4]), [1, 6, 2], 2)
    return found
