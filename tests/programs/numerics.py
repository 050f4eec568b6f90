"""Errors of tf.debugging.enable_check_numerics: which ops raise, and what they say."""

from programs.program import caught


def _checked(tf, steps):
    tf.debugging.enable_check_numerics()
    tf.debugging.enable_check_numerics()
    try:
        return {name: caught(step) for name, step in steps.items()}
    finally:
        tf.debugging.disable_check_numerics()
        tf.debugging.disable_check_numerics()


def texts(tf, np):
    x = tf.constant([1.0, 0.0])
    found = _checked(
        tf,
        {
            "log": lambda: tf.math.log(x),
            "all kinds": lambda: tf.sqrt(tf.constant([[1.0, -1.0], [float("inf"), 4.0]])),
            "two inputs": lambda: x / tf.constant([0.0, 0.0]),
            "a number": lambda: tf.constant([1.0, float("nan")]) + 1.0,
            "float64": lambda: tf.constant([1.0, -1.0], tf.float64) / 0.0,
            "half": lambda: tf.constant([float("inf")], tf.half) * 1.0,
            "scalar": lambda: tf.constant(0.0) / 0.0,
            "after": lambda: tf.math.log(x + 1.0),
        },
    )
    return found | {"disabled": tf.math.log(x)}


def ops_that_pass(tf, np):
    inf = tf.constant([float("inf"), 1.0])
    return _checked(
        tf,
        {
            "constant": lambda: tf.constant([1.0, float("nan")]),
            "reshape": lambda: tf.reshape(inf, [2, 1]),
            "concat": lambda: tf.concat([inf, inf], 0),
            "maximum": lambda: tf.maximum(inf, 0.0),
            "slice": lambda: inf[:1],
            "transpose": lambda: tf.transpose([inf]),
            "fill": lambda: tf.fill([2], inf[0]),
            "squeeze": lambda: tf.squeeze(inf),
            "expand_dims": lambda: tf.expand_dims(inf, 0),
            "unstack": lambda: tf.unstack(inf),
            "comparison": lambda: tf.math.is_inf(inf),
            "assign": lambda: tf.Variable([0.0, 0.0]).assign(inf).shape,
        },
    )


def the_op_that_fails(tf, np):
    inf = tf.constant([float("inf"), 1.0])
    m = tf.constant([[float("inf"), 1.0], [2.0, 3.0]])
    found = _checked(
        tf,
        {
            "tile": lambda: tf.tile(inf, [2]),
            "split": lambda: tf.split(inf, 2),
            "cast": lambda: tf.cast(inf, tf.float64),
            "reduce_max": lambda: tf.reduce_max(inf),
            "relu": lambda: tf.nn.relu(inf),
            "negative": lambda: -inf,
            "roll": lambda: tf.roll(inf, 1, 0),
            "matmul": lambda: m @ m,
            "pad": lambda: tf.pad(inf, [[1, 1]]),
            "within a function": lambda: tf.nn.l2_normalize(inf * 0.0),
        },
    )
    # TensorFlow shows the name as bytes where it has converted an input.
    texts = {name: error.text.split("(#")[0] for name, error in found.items()}
    return {name: text.replace("b'", "").replace("'", "") for name, text in texts.items()}


def tracebacks(tf, np):
    debugging = tf.debugging
    found = [debugging.is_traceback_filtering_enabled()]
    debugging.disable_traceback_filtering()
    found.append(debugging.is_traceback_filtering_enabled())
    debugging.enable_traceback_filtering()
    return [*found, debugging.is_traceback_filtering_enabled()]
