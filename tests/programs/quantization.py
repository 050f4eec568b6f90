"""Gradients of numbers that are rounded, and training with them."""

from programs.program import answers


def of_limits(tf, np):
    # TensorFlow fails to differentiate these gradients, which the rows of an op ask for.
    x = tf.constant([-7.0, -1.0, -0.02, 0.0, 1.5, 2.0, 6.1])
    low, high = tf.constant(-1.0), tf.constant(2.0)
    found = {}
    for given in (False, True):
        with tf.GradientTape() as tape:
            tape.watch([x, low, high])
            y = tf.quantization.quantize_and_dequantize_v2(x, low, high, range_given=given)
            loss = tf.reduce_sum(y * [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0])
        found[str(given)] = tape.gradient(loss, [x, low, high])
    return found


def training(tf, np):
    weights = tf.Variable([0.31, -0.52, 0.11])
    low, high = tf.Variable(-0.4), tf.Variable(0.4)
    x = tf.constant([[1.0, 2.0, 3.0], [0.5, -1.0, 2.0]])
    losses = []
    for _ in range(4):
        with tf.GradientTape() as tape:
            rounded = tf.quantization.fake_quant_with_min_max_vars(weights, low, high, num_bits=4)
            loss = tf.reduce_mean((tf.linalg.matvec(x, rounded) - [1.0, 0.5]) ** 2)
        variables = [weights, low, high]
        for variable, gradient in zip(variables, tape.gradient(loss, variables), strict=True):
            variable.assign_sub(0.05 * gradient)
        losses.append(loss)
    return {"losses": losses, "weights": weights, "limits": [low, high]}


def of_all_channels(tf, np):
    x = tf.reshape(tf.range(-6.0, 6.0), [3, 2, 2])
    low, high = tf.constant([-3.0, -2.0]), tf.constant([2.0, 4.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, low, high])
        y = tf.quantization.fake_quant_with_min_max_vars_per_channel(x, low, high)
        z = tf.quantization.quantize_and_dequantize(x, low, high, axis=2) ** 2
    return [tape.gradient(y, [x, low, high]), tape.gradient(z, [x, low, high])]


def _stored(tf, x, low, high, kind, **options):
    found = tf.quantization.quantize(x, low, high, kind, **options)
    # the integers have the dtype uint8 for quint8, and so on
    return tf.cast(found.output, tf.int64), found.output_min, found.output_max


def _numbers(np):
    return (3 * np.sin(np.arange(60.0))).astype("float32")


def stored_as_integers(tf, np):
    x = _numbers(np)
    kinds = [tf.qint8, tf.quint8, tf.qint16, tf.quint16]
    found = {}
    for low, high in ((-1.0, 1.0), (-0.3, 5.0), (0.5, 3.0), (-4.0, -1.0), (0.0, 0.0)):
        for kind in kinds:
            for mode in ("MIN_COMBINED", "MIN_FIRST", "SCALED"):
                found[f"{low} {high} {kind.name} {mode}"] = _stored(
                    tf, x, low, high, kind, mode=mode
                )
    for kind in kinds:
        options = {"mode": "SCALED", "round_mode": "HALF_TO_EVEN", "narrow_range": True}
        found[f"even {kind.name}"] = _stored(tf, x, -2.0, 3.0, kind, **options)
    found["wide"] = _stored(tf, x, -1.0, -1.0, tf.qint8, ensure_minimum_range=0.5)
    found["32"] = _stored(tf, x[:20] / 4, -1.0, 1.0, tf.qint32)
    return found


def read_from_integers(tf, np):
    x = _numbers(np)
    found = {}
    for kind in (tf.qint8, tf.quint8, tf.qint16, tf.quint16):
        for mode in ("MIN_COMBINED", "MIN_FIRST", "SCALED"):
            stored = tf.quantization.quantize(x, -2.0, 3.0, kind, mode=mode).output
            for low, high in ((-2.0, 3.0), (-0.3, 5.0), (1.0, -1.0), (0.0, 0.0)):
                read = tf.quantization.dequantize(stored, low, high, mode=mode)
                found[f"{low} {high} {kind.name} {mode}"] = read
            key = f"{kind.name} {mode} narrow"
            found[key] = tf.quantization.dequantize(stored, -2.0, 3.0, mode, narrow_range=True)
        stored = tf.quantization.quantize(x, -2.0, 3.0, kind).output
        read = tf.quantization.dequantize(stored, -2.0, 3.0, dtype=tf.bfloat16)
        found[f"{kind.name} bfloat16"] = tf.cast(read, tf.float32)
    return found


def integers_along_an_axis(tf, np):
    x = tf.reshape(tf.constant(_numbers(np)), [3, 4, 5])
    low, high = tf.constant([-1.0, 0.5, -3.0, 0.0]), tf.constant([1.0, 2.0, -0.5, 0.0])
    found = []
    for mode in ("MIN_COMBINED", "SCALED"):
        stored = tf.quantization.quantize(x, low, high, tf.qint8, mode=mode, axis=-2)
        read = tf.quantization.dequantize(stored.output, *stored[1:], mode=mode, axis=1)
        found += [tf.cast(stored.output, tf.int32), stored[1:], read]
    return found


def joined_integers(tf, np):
    x = _numbers(np).reshape(12, 5)
    found = []
    for kind in (tf.quint8, tf.qint32):
        parts = [
            tf.quantization.quantize(x / 4, low, high, kind).output
            for low, high in ((-1.0, 1.0), (-2.0, 3.0), (-1.0, 1.0))
        ]
        for axis in (0, 1):
            joined = tf.quantization.quantized_concat(
                axis, parts, [-1.0, -2.0, 0.5], [1.0, 3.0, 2.0]
            )
            # float32 has 24 bits, so that the last of 32 are no digits
            rounded = joined.output if kind == tf.quint8 else tf.bitcast(joined.output, tf.int32)
            divisor = 1 if kind == tf.quint8 else 2**14
            found += [tf.cast(rounded, tf.int64) // divisor, joined[1:]]
    return found


def integers_in_a_function(tf, np):
    @tf.function
    def rounded(x, high):
        stored = tf.quantization.quantize(x, -high, high, tf.qint8, mode="SCALED")
        return tf.quantization.dequantize(*stored, mode="SCALED")

    return [rounded(tf.constant(_numbers(np)), tf.constant(high)) for high in (1.0, 2.5)]


def gradients_of_integers(tf, np):
    x = tf.constant([0.1, 0.2])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        stored = tf.quantization.quantize(x, -1.0, x[1], tf.qint8)
        read = tf.quantization.dequantize(stored.output, -1.0, 1.0)
        again = tf.quantization.dequantize(stored.output, x[0], x[1])
    return answers(
        lambda: tape.gradient(stored.output_max, x),
        lambda: tape.gradient(again, x),
        lambda: tape.gradient(read, x),
    )


def refused_integers(tf, np):
    x = tf.constant([[0.1, -1.3], [0.5, 0.25]])
    quantize, dequantize = tf.quantization.quantize, tf.quantization.dequantize
    joined = tf.quantization.quantized_concat
    stored = quantize(x, -1.0, 1.0, tf.quint8).output
    two = [-1.0, 0.0], [1.0, 2.0]
    return answers(
        lambda: quantize(x, -1.0, 1.0, tf.qint8, axis=0),
        lambda: quantize(x, *two, tf.qint8),
        lambda: quantize(x, [-1.0, 0.0, 3.0], [1.0, 2.0, 4.0], tf.qint8, axis=1),
        lambda: quantize(x, *two, tf.qint8, axis=3),
        lambda: quantize(x, *two, tf.qint8, axis=0, mode="MIN_FIRST"),
        lambda: quantize(x, -1.0, 1.0, tf.qint8, mode="X"),
        lambda: quantize(x, -1.0, 1.0, tf.qint8, round_mode="X"),
        lambda: quantize(x, -1.0, 1.0, tf.qint8, round_mode="HALF_TO_EVEN"),
        lambda: quantize(tf.cast(x, tf.float64), -1.0, 1.0, tf.qint8),
        lambda: quantize(x, -1.0, 1.0, tf.float32),
        lambda: quantize(x, 1.0, -1.0, tf.qint8),
        lambda: dequantize(stored, -1.0, 1.0, axis=0),
        lambda: dequantize(stored, *two),
        lambda: dequantize(stored, *two, axis=5),
        lambda: dequantize(stored, *two, axis=0, mode="MIN_FIRST"),
        lambda: dequantize(stored, -1.0, 1.0, dtype=tf.float64),
        lambda: dequantize(stored, -1.0, 1.0, mode="SCALED", dtype=tf.bfloat16),
        lambda: dequantize(x, -1.0, 1.0),
        lambda: joined(-1, [stored, stored], [-1.0, -1.0], [1.0, 1.0]),
        lambda: joined(2, [stored, stored], [-1.0, -1.0], [1.0, 1.0]),
        lambda: joined(0, [stored], [-1.0], [1.0]),
        lambda: joined(0, [stored, stored[:, :1]], [-1.0, -1.0], [1.0, 1.0]),
    )
