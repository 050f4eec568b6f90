"""String tensors, as far as they appear among numbers."""

from programs.program import caught


def tensors(tf, np):
    s = tf.constant(["abc", "d"])
    return {
        "repr": [repr(s), str(s), repr(tf.constant("x"))],
        "value": s,
        "item": s[0],
        "dtype": s.dtype,
        "numpy": tf.constant("x").numpy(),
        "item of scalar": caught(lambda: tf.constant("abc")[1]),
    }


def as_sources(tf, np):
    s, x = tf.constant("a"), tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * 2.0
    return caught(lambda: tape.gradient(y, [s, x]))


def conversions(tf, np):
    return {
        "truth": bool(tf.constant("a")),
        "text": tf.convert_to_tensor("a"),
        "string and number": caught(lambda: tf.constant(["a", 1])),
        "number and string": caught(lambda: tf.constant([1, "a"])),
        "added": caught(lambda: tf.constant(1.0) + "a"),
    }


def variables(tf, np):
    v = tf.Variable("text")
    return {
        "value": v.numpy() == b"text",
        "repr": repr(v),
        "assign": caught(lambda: v.assign(1)),
        "assigned": v.assign("more").numpy(),
    }
