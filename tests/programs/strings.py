"""String tensors: values, texts, conversions, and what ops do with them."""

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


def values(tf, np):
    return {
        "matrix": repr(tf.constant([["a", "bb"], ["c", "\u00e9"]])),
        "matrix as text": str(tf.constant([["a", "bb"], ["c", "\u00e9"]])),
        "bytes": tf.constant(b"\xff\x00").numpy(),
        "empty": tf.constant([], tf.string),
        "shaped": tf.constant("ab", shape=[2]),
        "numpy": tf.constant(np.array(["a", "b"])),
        "objects": tf.constant(np.array([b"a", "b"], object)),
        "bad objects": caught(lambda: tf.constant(np.array(["a", 1], object))),
        "as float": caught(lambda: tf.constant("a", tf.float32)),
        "number as string": caught(lambda: tf.constant(1, tf.string)),
        "converted": caught(lambda: tf.convert_to_tensor(tf.constant("a"), tf.float32)),
        "truth of empty": bool(tf.constant("")),
        "int": int(tf.constant("3")),
        "length": len(tf.constant(["a", "b"])),
        "iterated": list(tf.constant(["a", "b"])),
        "contains": "a" in tf.constant(["a", "b"]),
        "formatted": f"{tf.constant('a')}",
        "array": np.array(tf.constant(["a"])),
        "hash": caught(lambda: hash(tf.constant("a"))),
        "zeros": [tf.zeros([2], tf.string), tf.zeros_like(["a", "b"]), tf.fill([2], "a")],
        "ones": caught(lambda: tf.ones([2], tf.string)),
        "cast": [
            tf.cast(tf.constant("a"), tf.string),
            caught(lambda: tf.cast(tf.constant("1"), tf.float32)),
            caught(lambda: tf.cast([1.0], tf.string)),
        ],
    }


def operators(tf, np):
    s = tf.constant(["abc", "d"])
    return {
        "added": [s + "z", "z" + s, s + s, tf.add(s, ["a"])],
        "broadcast": tf.constant([["a"], ["b"]]) + s,
        "wrong shapes": caught(lambda: tf.add(s, ["a", "b", "c"])).name,
        "number added": caught(lambda: s + 1),
        "times": caught(lambda: s * 2),
        "negative": caught(lambda: -s).name,
        "compared": [s == ["abc", "q"], s != "d", tf.equal("a", "b")],
        "less": caught(lambda: s < "d").name,
        "equal to a number": caught(lambda: tf.equal(s, 1)),
        "subscripts": [s[0], s[::-1], s[1:], s[tf.constant(1)], s[tf.newaxis, :1], s[-1]],
        "out of bounds": caught(lambda: s[2]),
        "products": caught(lambda: tf.matmul([["a"]], [["b"]])).name,
        "sin": caught(lambda: tf.sin(s)).name,
        "float and text": caught(lambda: tf.constant(1.0) + tf.constant("a")),
    }


def moved(tf, np):
    s = tf.constant(["abc", "d"])
    return {
        "concat": [tf.concat([s, ["z"]], 0), tf.stack([s, s]), tf.stack(["a", "b"])],
        "mixed concat": caught(lambda: tf.concat([s, [1]], 0)),
        "where": tf.where([True, False], s, "z"),
        "gather": [tf.gather(s, [1, 1]), tf.gather_nd(s, [[0]]), tf.nn.embedding_lookup(s, [0])],
        "gather out of range": caught(lambda: tf.gather(s, [5])),
        "reshape": [tf.reshape(s, [2, 1]), tf.expand_dims(s, 0), tf.squeeze(s[tf.newaxis])],
        "bad reshape": caught(lambda: tf.reshape(s, [3])),
        "sizes": [tf.size(s), tf.shape(s), tf.rank(s), tf.size("a")],
        "repeated": [tf.tile(s, [2]), tf.repeat(s, 2), tf.broadcast_to(s, [2, 2])],
        "padded": [tf.pad(s, [[1, 1]]), tf.pad(s, [[1, 1]], constant_values="q")],
        "order": [tf.reverse(s, [0]), tf.roll(s, 1, 0), tf.transpose(s[:, tf.newaxis])],
        "parts": [*tf.split(s, 2), *tf.unstack(s), tf.slice(s, [0], [1])],
        "masked": tf.boolean_mask(s, [True, False]),
        "same": [tf.identity(s), tf.stop_gradient(s), tf.ensure_shape(s, [2])],
        "scattered": [
            tf.tensor_scatter_nd_update(s, [[0]], ["q"]),
            tf.scatter_nd([[0]], ["q"], [3]),
            *tf.dynamic_partition(s, [0, 1], 2),
            tf.dynamic_stitch([[0], [1]], [["a"], ["b"]]),
        ],
        "unique": list(tf.unique(["a", "b", "a"])),
        "counted": list(tf.unique_with_counts(["a", "b", "a"])),
        "shuffled": sorted(tf.random.shuffle(s).numpy().tolist()),
        "sum": caught(lambda: tf.reduce_sum(s)).name,
        "argmax": caught(lambda: tf.argmax(s)).name,
        "equal": tf.debugging.assert_equal(s, s),
        "unequal": caught(lambda: tf.debugging.assert_equal(s, ["q", "d"])),
        "one hot": caught(lambda: tf.one_hot(s, 2)).name,
    }


def on_a_tape(tf, np):
    names, w = tf.constant(["a", "b", "a"]), tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        chosen = tf.where(names == "a", w, 0.0)
        label = tf.concat([names, ["c"]], 0)
        loss = tf.reduce_sum(chosen * w)
    return {"gradient": tape.gradient(loss, w), "label": label}
