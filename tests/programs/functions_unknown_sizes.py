"""`tf.function` and `Dataset.map` with sizes that are not known: what Python sees of shapes."""

from programs.functions import kind_of_error


def seen(tf, x):
    shape = x.shape
    return [
        str(shape), shape[0], shape[1], shape.as_list(), shape.rank, shape.num_elements(),
        shape.is_fully_defined(), str(x.get_shape()), shape == [None, 2], shape == [1009, 2],
        str(x), tf.TensorShape([3, 2]).is_compatible_with(shape),
    ]  # fmt: skip


def what_is_seen_of_an_argument(tf, np):
    found = []

    @tf.function
    def f(x):
        found.append(seen(tf, x))
        return x

    f.get_concrete_function(tf.TensorSpec([None, 2]))
    return found


def sizes_that_come_from_unknown_ones(tf, np):
    found = []

    @tf.function
    def f(x):
        results = {
            "concat": tf.concat([x, x], 0), "stack": tf.stack([x, x]), "flat": tf.reshape(x, [-1]),
            "matmul": tf.matmul(x, tf.ones((2, 3))), "rows": x[1:], "column": x[:, 0],
            "reversed": x[::-1], "sum": tf.reduce_sum(x, 0), "sums": tf.reduce_sum(x, 1),
            "transposed": tf.transpose(x), "new": x[None], "more": x + 1.0,
            "tile": tf.tile(x, [2, 1]), "zeros": tf.zeros_like(x),
            "filled": tf.zeros([tf.shape(x)[0], 3]), "padded": tf.pad(x, [[1, 1], [0, 0]]),
            "shape": tf.shape(x), "half": x[::2], "gram": tf.matmul(x, x, transpose_b=True),
            "outer": x[:, None] * x[None], "cast": tf.cast(x, tf.int32),
            "where": tf.where(x > 0.0, x, -x),
        }  # fmt: skip
        found.append({name: str(result.shape) for name, result in results.items()})
        return tf.concat([x, x], 0), tf.reduce_sum(x)

    concrete = f.get_concrete_function(tf.TensorSpec([None, 2]))
    return found, [str(shape) for shape in concrete.output_shapes]


def python_that_needs_a_size(tf, np):
    @tf.function
    def counts(x):
        return x * float(range(x.shape[0])[-1])

    @tf.function
    def multiplies(x):
        return x.shape[0] * 2

    spec = tf.TensorSpec([None, 2])
    return [
        kind_of_error(lambda: counts.get_concrete_function(spec)),
        kind_of_error(lambda: multiplies.get_concrete_function(spec)),
    ]


def rows_of_an_unknown_number(tf, np):
    @tf.function
    def f(x):
        total = tf.zeros([2])
        for row in x:
            total += row
        return total

    concrete = f.get_concrete_function(tf.TensorSpec([None, 2]))
    return [concrete(tf.ones([count, 2])) for count in (3, 5, 3)]


def shapes_are_whole_again_afterwards(tf, np):
    x = tf.ones([1009, 2]) + 1.0

    @tf.function
    def f(y):
        return y

    f.get_concrete_function(tf.TensorSpec([None]))
    return [str(x.shape), x.shape[0], len(x), str((x + 1.0).shape)]


def elements_of_unknown_sizes(tf, np):
    found = []

    def step(x):
        found.append([str(x.shape), x.shape[0], str(tf.concat([x, x], 0).shape)])
        return tf.concat([x, x], 0)

    dataset = tf.data.Dataset.range(5).batch(2).map(step)
    return found[0], str(dataset.element_spec.shape), [x.numpy().tolist() for x in dataset]


def layers_of_keras(tf, np):
    layer = tf.keras.layers.Dense(3)
    found = []

    @tf.function
    def f(x):
        y = layer(x)
        found.append([str(x.shape), str(y.shape)])
        return y

    concrete = f.get_concrete_function(tf.TensorSpec([None, 2]))
    return found[0], str(concrete.output_shapes), [concrete(tf.ones([n, 2])).shape for n in (1, 4)]


def texts_of_open_sizes(tf, np):
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a"], [1]), 0)
    strings = tf.strings
    ops = {
        "itself": tf.identity, "length": strings.length, "upper": strings.upper,
        "join": lambda s: strings.join([s, "a"]), "number": strings.to_number,
        "part": lambda s: strings.substr(s, 0, 1), "all": strings.reduce_join,
        "hash": lambda s: strings.to_hash_bucket_fast(s, 5),
        "replaced": lambda s: strings.regex_replace(s, "1", "2"),
        "matched": lambda s: strings.regex_full_match(s, "1"),
        "numbers": lambda s: strings.as_string(strings.length(s)), "base64": tf.io.encode_base64,
        "equal": lambda s: s == "1", "twice": lambda s: tf.concat([s, s], 0),
        "stack": lambda s: tf.stack([s, s]), "reshaped": lambda s: tf.reshape(s, [-1, 1]),
        "where": lambda s: tf.where(s == "1", s, "q"), "some": lambda s: tf.gather(s, [0, 1]),
        "one": lambda s: s[0], "rest": lambda s: s[1:], "column": lambda s: s[:, None],
        "tiled": lambda s: tf.tile(s, [2]), "back": lambda s: tf.reverse(s, [0]),
        "turned": lambda s: tf.transpose(s[:, None]), "padded": lambda s: tf.pad(s, [[1, 0]]),
        "repeated": lambda s: tf.repeat(s, 2), "print": tf.fingerprint,
        "sorted": lambda s: tf.argsort(strings.length(s)), "found": table.lookup,
        "one hot": lambda s: tf.one_hot(strings.length(s), 4), "size": tf.size, "shape": tf.shape,
        "masked": lambda s: tf.boolean_mask(s, s == "1"), "unique": lambda s: tf.unique(s)[0],
    }  # fmt: skip
    found = {}

    @tf.function(autograph=False, input_signature=[tf.TensorSpec([None], tf.string)])
    def f(texts):
        for name, op in ops.items():
            found[name] = str(op(texts).shape)
        return texts

    f(tf.constant(["1", "12", "3"]))
    return found


def results_of_texts_of_open_sizes(tf, np):
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a"], [1]), 0)
    strings = tf.strings
    ops = {
        "length": strings.length, "upper": strings.upper, "number": strings.to_number,
        "all": strings.reduce_join, "table": table.lookup, "print": tf.fingerprint,
        "raw": lambda s: tf.io.decode_raw(s, tf.uint8), "unique": lambda s: tf.unique(s)[0],
        "points": lambda s: strings.unicode_decode(s, "UTF-8").to_tensor(),
        "pairs": lambda s: strings.ngrams(s, 2), "equal": lambda s: s == "1",
    }  # fmt: skip
    found = []
    for shape in ([None], [None, 2], [], [3]):
        spec = tf.TensorSpec(shape, tf.string)
        for name, op in ops.items():
            if name in ("length", "upper", "number", "all", "table") or shape == [None]:
                made = tf.function(op, autograph=False).get_concrete_function(spec)
                result = made.structured_outputs
                found.append([name, str(tf.TensorShape(result.shape)), result.dtype.name])
    return found


def bodies_of_loops_with_invariants(tf, np):
    found = []

    def body(i, x):
        found.append([str(x.shape), str((x * 2.0).shape), x.shape[0]])
        return i + 1, tf.concat([x, x], 0)

    def rows(i, x):
        found.append([str(x.shape), str(tf.transpose(x).shape), x.shape[1]])
        return i + 1, x * 2.0

    def loop(python, x, shape):
        invariants = [tf.TensorShape([]), tf.TensorShape(shape)]
        ends = [tf.constant(0), x]
        return tf.while_loop(lambda i, x: i < 2, python, ends, shape_invariants=invariants)[1]

    grown = tf.function(lambda x: loop(body, x, [None]))(tf.ones([2]))
    same = tf.function(lambda x: loop(rows, x, [None, 3]))(tf.ones([2, 3]))
    return found[0], found[-1], grown, same
