"""Element-wise functions of ragged tensors, and operators: how they broadcast."""

from programs.ragged_tensors import answers, told


def broadcasting(tf, np):
    return answers(
        tf,
        np,
        """
        rt = c([[1, 2], [3]])
        rf = c([[1.0, 2.0], [], [3.0]])
        r2 = c([[[1, 2], [3]], [], [[4, 5, 6]]])
        r3 = R.from_row_splits(t([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), t([0, 2, 3]))
        ru = R.from_uniform_row_length(c([[1], [2, 3], [], [4]]), 2)
        [rt + 1, 1 + rt, rf + 1, rf + np.float64(1), rt + rt, rt + [1], rt + np.array([[1], [2]])]
        [rt + t([[10], [20]]), rt + t([10]), rt + t([[10]]), t([[10], [20]]) + rt]
        rt + t([[[10]], [[20]]])
        c([[1, 2], [3, 4]]) + t([[10, 20], [30, 40]])
        [r2 + 1, r2 + t([[[10]], [[20]], [[30]]]), r2 + t([[10]])]
        r2 + c([[10, 20], [], [30]])[:, :, tf.newaxis]
        [r3 + t([10.0, 20.0]), r3 + t([[10.0, 20.0]]), r3 + t([[[10.0, 20.0]], [[30.0, 40.0]]])]
        r3 + R.from_row_splits(t([[1.0], [3.0], [5.0]]), t([0, 2, 3]))
        [ru + 1, ru + t([[[10], [20]]]), ru + t([[10], [20]]), ru + ru]
        ru + c([[[1], [2, 3]], [[], [4]]])
        rt + 1.5
        rf + t(1)
        rt + "a"
        rt + c([[1, 2], [3]], row_splits_dtype=tf.int32)
        rt + c([[1], [2, 3]])
        rt + t([10, 20])
        rt + t([[10], [20], [30]])
        r2 + c([[10, 20], [], [30]])
        r2 + c([[10, 20], [], [30]])[:, tf.newaxis]
        r3 + t([[[10.0], [20.0]], [[30.0], [40.0]]])
        G(lambda v, w: R.from_row_splits(v, [0, 1, 3]) * w, [1.0, 2.0, 3.0], [[2.0], [3.0]])
        G(lambda v, w: R.from_row_splits(v, [0, 1, 3]) * w, [1.0, 2.0, 3.0], 5.0)
        G(lambda r: r * r, rf)
        G(lambda r: tf.reduce_sum(r * r), rf)
        """,
    )


def operators(tf, np):
    return answers(
        tf,
        np,
        """
        rt = c([[1, 2], [3]])
        rf = c([[1.0, 2.0], [], [3.0]])
        rb = c([[True], [False, True]])
        rs = c([["a", "b"], ["c"]])
        [rf - 1, rf * 2, rf / 2, rt / 2, rf // 2, rf % 2, rf**2, 2**rf, -rf, abs(-rf), 1 / rf]
        [rf == 1.0, rf == rf, rf != rf, rf < 2, 2 < rf, rf >= c([[0.0, 5.0], [], [3.0]])]
        [rf == c([[1.0], [2.0]]), rf == None, rf == "a"]
        [rb & True, True & rb, rb | c([[True], [False, False]]), rb ^ True, ~rb]
        [rs + "x", "x" + rs, rs + rs, rs == rs, rs == "a"]
        ~rt
        rt @ rt
        rs + 1
        """,
    )


def functions(tf, np):
    unary = [
        "exp", "math.log", "sqrt", "square", "sign", "round", "math.ceil", "floor", "nn.relu",
        "nn.gelu", "nn.silu", "nn.softsign", "sigmoid", "tanh", "math.reciprocal", "math.is_nan",
        "math.lgamma", "math.log1p", "zeros_like", "ones_like", "stop_gradient", "identity",
    ]  # fmt: skip
    binary = [
        "add", "subtract", "multiply", "divide", "maximum", "pow", "math.floormod", "math.xlogy",
        "equal", "less",
    ]  # fmt: skip
    rf = tf.ragged.constant([[1.0, 2.0], [], [3.0]])
    return {
        **answers(
            tf,
            np,
            "\n".join(
                ["rf = c([[1.0, 2.0], [], [3.0]])"]
                + [f"tf.{name}(rf)" for name in unary]
                + [f"tf.{name}(rf, 2.0)" for name in binary]
            ),
        ),
        **answers(
            tf,
            np,
            """
            rt = c([[1, 2], [3]])
            rf = c([[1.0, 2.0], [], [3.0]])
            rs = c([["a", "b"], ["c"]])
            tf.nn.leaky_relu(rf - 2, alpha=0.5)
            tf.nn.silu(rf, beta=2.0)
            tf.cast(rf, tf.int32)
            tf.saturate_cast(rf * 200, tf.int8)
            tf.complex(rf, rf)
            tf.math.real(tf.complex(rf, rf))
            tf.math.angle(tf.complex(rf, rf))
            tf.bitcast(rf, tf.int8)
            tf.bitwise.bitwise_and(rt, 1)
            tf.bitwise.invert(rt)
            tf.zeros_like(rt, dtype=tf.float32)
            tf.zeros_like(rs)
            tf.clip_by_value(rf, 1.5, 2.5)
            tf.debugging.check_numerics(rf, "m")
            tf.math.add_n([rf, rf])
            tf.math.add_n([rt, c([[1], [2, 3]])])
            tf.math.scalar_mul(2.0, rf)
            tf.nn.sigmoid_cross_entropy_with_logits(labels=c([[1.0, 0.0], [], [1.0]]), logits=rf)
            tf.nn.dropout(rf, 0.0)
            tf.nn.dropout(rf, 0.5, noise_shape=[1])
            tf.nn.softmax(rf)
            tf.nn.softmax(c([[[1.0, 2.0], [3.0]], []]))
            tf.nn.softmax(rf, axis=0)
            tf.math.cumsum(rf, axis=1, exclusive=True)
            tf.math.cumsum(rf)
            tf.one_hot(rt, 4)
            tf.one_hot(rt, 4, on_value=5, off_value=2)
            tf.one_hot(rt, 4, axis=1)
            tf.debugging.assert_equal(rt, rt)
            tf.debugging.assert_equal(rt, rt + 1)
            tf.debugging.assert_equal(rt, c([[1], [2]]))
            tf.debugging.assert_greater(rt, 10)
            """,
        ),
        "class": type(rf).__name__,
    }


def texts(tf, np):
    return answers(
        tf,
        np,
        """
        rs = c([["a", "bc"], [], ["d"]])
        r2 = c([[["a", "b"], ["c"]], [["d"]]])
        tf.strings.length(rs)
        tf.strings.upper(rs)
        tf.strings.substr(rs, 0, 1)
        tf.strings.to_number(c([["1", "2"], ["3"]]))
        tf.strings.as_string(c([[1, 2], [3]]))
        tf.strings.join([rs, rs], "-")
        tf.strings.join([rs, "x"])
        tf.strings.join([rs, c([["a"], ["b"]])])
        tf.strings.reduce_join(rs)
        tf.strings.reduce_join(rs, axis=1, separator=",")
        tf.strings.reduce_join(rs, axis=0)
        tf.strings.reduce_join(r2, axis=-1)
        tf.strings.reduce_join(r2, axis=[1, 2])
        tf.strings.reduce_join(r2, axis=1, keepdims=True)
        tf.strings.format("{} {}", [c([[1, 2], [3]]), rs])
        tf.strings.format("x {}", c([list(range(20)), [1]]))
        tf.ragged.cross([rs, [["x"], ["y"], ["z"]]])
        tf.ragged.cross([c([[1], [2, 3]]), c([["d"], ["e", "f"]])])
        tf.ragged.cross([c([["a"]]), c([["a"], ["b"]])])
        tf.ragged.cross([c([[["a"]]])])
        tf.ragged.cross_hashed([rs, c([["d"], ["e"], ["f", "g"]])], num_buckets=10)
        tf.ragged.cross_hashed([rs, c([[1], [2], [3, -4]])])
        tf.ragged.cross_hashed([rs], num_buckets=1000, hash_key=5)
        """,
    )


def map_flat_values(tf, np):
    return answers(
        tf,
        np,
        """
        rt = c([[1, 2], [3]])
        mapped = tf.ragged.map_flat_values
        mapped(tf.abs, rt)
        mapped(lambda x, y: x + y, rt, rt)
        mapped(lambda x, y: x + y, rt, 1)
        mapped(lambda x, y: x + y, 1, 2)
        mapped(lambda x, y=None: x + y, rt, y=rt)
        mapped(lambda xs: xs[0] + xs[1], [rt, rt])
        mapped(tf.one_hot, rt, depth=4)
        mapped(lambda x, y: x + y, rt, c([[1], [2, 3]]))
        mapped(tf.reduce_sum, rt)
        mapped(lambda x: x[:2], rt)
        mapped(3, rt)
        """,
    )


def watching(tf, np):
    """A tape takes ragged tensors as what it watches, as targets and as sources."""
    rt = tf.ragged.constant([[1.0, 2.0], [], [3.0]])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(rt)
        y = rt * rt
        z = tf.reduce_sum(rt[:, 1:])
        dense = rt.to_tensor() ** 2
    return {
        "ragged": told(tf, tape.gradient(y, rt)),
        "scalar": told(tf, tape.gradient(z, rt)),
        "dense": told(tf, tape.gradient(dense, rt)),
        "values": tf.convert_to_tensor(tape.gradient(y, rt.flat_values)),
        "nested": told(tf, tape.gradient([y, z], {"rt": rt})["rt"]),
        "unconnected": tape.gradient(z, tf.ragged.constant([[1.0]])),
        "upstream": told(tf, tape.gradient(y, rt, output_gradients=rt)),
    }
