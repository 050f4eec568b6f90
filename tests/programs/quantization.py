"""Gradients of numbers that are rounded, and training with them."""


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
