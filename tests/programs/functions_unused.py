"""`tf.function`: ops that the host computes and nobody uses."""

from programs.functions import kind_of_error


def raised(tf, unused):
    """What a function does in which an op is not used, and one in which its result is returned."""

    @tf.function
    def without(z):
        unused(z)
        return z + 1.0

    @tf.function
    def within(z):
        return unused(z)

    one = tf.constant(1.0)
    return [kind_of_error(lambda: without(one)), kind_of_error(lambda: within(one))]


def integers_on_the_host_1(tf, np):
    ints, zero = tf.constant([1, 2]), tf.constant([0, 0])
    return {
        "division": raised(tf, lambda z: ints // zero),
        "truncated": raised(tf, lambda z: tf.truncatediv(ints, zero)),
        "rest": raised(tf, lambda z: ints % zero),
    }  # fmt: skip


def integers_on_the_host_2(tf, np):
    ints = tf.constant([1, 2])
    return {
        "gather": raised(tf, lambda z: tf.gather(ints, [5])),
        "gather 0": raised(tf, lambda z: tf.gather(ints, 7)),
        "gather_nd": raised(tf, lambda z: tf.gather_nd(ints, [[9]])),
    }  # fmt: skip


def integers_on_the_host_3(tf, np):
    ints = tf.constant([1, 2])
    return {
        "scatter_nd": raised(tf, lambda z: tf.scatter_nd([[9]], ints[:1], [2])),
        "update": raised(tf, lambda z: tf.tensor_scatter_nd_update(ints, [[9]], [1])),
        "unsorted": raised(
            tf, lambda z: tf.math.unsorted_segment_sum(ints, tf.constant([1, 5]), 2)),
    }  # fmt: skip


def integers_on_the_host_4(tf, np):
    ints = tf.constant([1, 2])
    return {
        "one_hot": raised(tf, lambda z: tf.one_hot(ints, 3)),
        "embedding": raised(
            tf, lambda z: tf.nn.embedding_lookup(tf.ones((2, 2)), tf.constant([9]))),
        "invert": raised(tf, lambda z: tf.math.invert_permutation(tf.constant([3, 3]))),
    }  # fmt: skip


def integers_on_the_host_5(tf, np):
    return {
        "reverse": raised(
            tf, lambda z: tf.reverse_sequence(tf.ones((2, 2)), tf.constant([3, 9]), 1)),
        "xent": raised(tf, lambda z: tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=tf.constant([9]), logits=tf.ones((1, 2)))),
    }  # fmt: skip


def within_other_functions(tf, np):
    ints, zero = tf.constant([1, 2]), tf.constant([0, 0])
    inner = tf.function(lambda z: ints // zero)
    return {
        "function": raised(tf, inner),
        "branch": raised(tf, lambda z: tf.cond(z > 0.0, lambda: ints // zero, lambda: ints)),
        "loop": raised(tf, lambda z: tf.while_loop(
            lambda i: i < 1, lambda i: i + (ints // zero)[0] + 1, [tf.constant(0)])),
        "used within": raised(tf, lambda z: (ints // zero) * 0 + tf.gather(ints, [5, 5])),
    }  # fmt: skip


def raised_on_texts(tf, op):
    """What functions of a text do in which an op is not used, used for nothing, and returned."""

    @tf.function
    def without(text):
        op(text)
        return tf.constant(7)

    @tf.function
    def followed(text):
        tf.nest.map_structure(tf.size, op(text))
        return tf.constant(7)

    @tf.function
    def within(text):
        return op(text)

    calls = [lambda f=f: f(tf.constant("abc")) for f in (without, without, followed, within)]
    return [kind_of_error(call) for call in calls]


def texts(tf, np):
    return {
        "number": raised_on_texts(tf, tf.strings.to_number),
        "pattern": raised_on_texts(tf, lambda s: tf.strings.regex_replace(s, "(", "b")),
        "part": raised_on_texts(tf, lambda s: tf.strings.substr(s, 99, 1)),
        "letters": raised_on_texts(
            tf, lambda s: tf.strings.unicode_transcode(s + b"\xff", "UTF-8", "UTF-8", "strict")),
    }  # fmt: skip


def files_1(tf, np):
    return {
        "read": raised_on_texts(tf, lambda s: tf.io.read_file(s + "/nowhere")),
        "png": raised_on_texts(tf, tf.io.decode_png),
        "jpeg": raised_on_texts(tf, tf.io.decode_jpeg),
        "image": raised_on_texts(tf, tf.io.decode_image),
    }


def files_2(tf, np):
    return {
        "gif": raised_on_texts(tf, tf.io.decode_gif),
        "sizes": raised_on_texts(tf, tf.io.extract_jpeg_shape),
        "sound": raised_on_texts(tf, lambda s: tf.audio.decode_wav(s)[0]),
    }  # fmt: skip


def messages_1(tf, np):
    return {
        "raw": raised_on_texts(tf, lambda s: tf.io.decode_raw(s, tf.int32)),
        "tensor": raised_on_texts(tf, lambda s: tf.io.parse_tensor(s, tf.int32)),
        "base64": raised_on_texts(tf, lambda s: tf.io.decode_base64(s + "*")),
    }  # fmt: skip


def messages_2(tf, np):
    feature = {"a": tf.io.FixedLenFeature([], tf.int64)}
    return {
        "csv": raised_on_texts(tf, lambda s: tf.io.decode_csv(s, [[1]])),
        "gzip": raised_on_texts(tf, lambda s: tf.io.decode_compressed(s, "GZIP")),
        "json": raised_on_texts(tf, tf.io.decode_json_example),
        "example": raised_on_texts(tf, lambda s: tf.io.parse_single_example(s, feature)["a"]),
    }  # fmt: skip


def what_follows_from_a_failed_text(tf, np):
    v = tf.Variable(2.0)
    number = tf.strings.to_number

    @tf.function
    def unused(text):
        x = number(text)
        tf.reduce_sum((1.0 - x) * [1.0, 2.0])
        tf.where(x > 0.0, x, 0.0)
        return v * v

    @tf.function
    def caught(text):
        try:
            x = number(text)
        except tf.errors.InvalidArgumentError:
            x = tf.constant(-1.0)
        return x

    @tf.function
    def assigned(text):
        v.assign(number(text))
        return 1

    @tf.function
    def asserted(text):
        tf.debugging.assert_positive(number(text))
        return 1

    @tf.function
    def compared(text):
        tf.debugging.assert_less(number(text), 2.0)
        return 1

    @tf.function
    def decided(text):
        return 1 if number(text) > 0.0 else 2

    @tf.function
    def called(text):
        caught(text)
        return 1

    @tf.function
    def gradient(text):
        with tf.GradientTape() as tape:
            x = number(text)
            y = v * v
            x * y
        return tape.gradient(y, v)

    functions = unused, caught, assigned, asserted, compared, decided, called, gradient
    texts = tf.constant("a"), tf.constant("1")
    kinds = [kind_of_error(f, text) for f in functions for text in texts]
    return kinds, v


def checks_in_a_function_whose_python_runs(tf, np):
    v, total = tf.Variable(tf.zeros([1, 1])), tf.Variable(0.0)

    @tf.function
    def unused(x):
        inverse = tf.linalg.inv(tf.zeros([1, 1]) * x)
        if x > 0.0:
            x = x + 1.0
        inverse + 1.0
        return x

    @tf.function
    def returned(x):
        inverse = tf.linalg.inv(tf.zeros([1, 1]) * x)
        if x > 0.0:
            inverse = inverse + 1.0
        return inverse

    @tf.function
    def assigned(x):
        v.assign(tf.linalg.inv(tf.zeros([1, 1]) * x))
        if x > 0.0:
            x = x + 1.0
        return x

    @tf.function
    def with_text(x, text="abc"):
        tf.linalg.inv(tf.zeros([1, 1]) * x)
        tf.gather([1, 2], tf.cast(x, tf.int32) * 9)
        total.assign_add(1.0)
        return x

    functions = unused, returned, assigned, with_text
    kinds = [kind_of_error(lambda f=f: f(tf.constant(1.0))) for f in functions for _ in range(3)]
    return kinds, v, total, tf.constant(1.0) + 1.0


def failing_texts_in_a_dataset(tf, np):
    texts = tf.data.Dataset.from_tensor_slices(["1", "a", "3"])
    unused = texts.map(lambda s: (tf.strings.to_number(s), s)[1])
    used = texts.map(tf.strings.to_number).ignore_errors()
    return list(unused.as_numpy_iterator()), list(used.as_numpy_iterator())


def composites_of_failed_values(tf, np):
    """Values, not partitions, that fail: what is made of them is used, returned, or not."""
    tf.get_logger().setLevel("ERROR")  # not about many functions in one line
    ragged, text = tf.RaggedTensor, tf.constant(["1", "x", "3"])
    splits, places = [0, 1, 3], [[0], [1], [2]]

    def divided(x):
        return ragged.from_row_splits(x, splits)

    def sparse(x):
        return tf.SparseTensor(places, x, [4])

    unused = {
        "cast": lambda x: tf.cast(x, tf.int32),
        "divided": divided,
        "sum of rows": lambda x: tf.reduce_sum(divided(x) + 1.0, 1),
        "dense": lambda x: divided(x).to_tensor(),
        "stack": lambda x: tf.ragged.stack([x, tf.constant([1.0])]),
        "rows of a matrix": lambda x: ragged.from_tensor(tf.stack([x, x])),
        "sparse": sparse,
        "from sparse": lambda x: tf.sparse.to_dense(sparse(x)),
        "sparse sum": lambda x: tf.sparse.reduce_sum(sparse(x)),
        "to sparse": tf.sparse.from_dense,
        "split": lambda x: tf.strings.to_number(tf.strings.split(text)).to_tensor(),
        "slices": lambda x: tf.IndexedSlices(x, tf.constant([0, 1, 2]), tf.constant([4])),
        "assertion": lambda x: tf.debugging.assert_positive(x),
        "printed": lambda x: tf.print(x),
        "lengths": lambda x: ragged.from_row_lengths([1, 2, 3], tf.cast(x, tf.int32)),
    }

    def kinds(step):
        f = tf.function(lambda text: step(tf.strings.to_number(text)), autograph=False)
        return [kind_of_error(lambda: f(text)) for _ in range(2)]

    parts = tf.function(lambda text: [divided(tf.strings.to_number(text)).row_splits,
                                      sparse(tf.strings.to_number(text)).indices])  # fmt: skip
    return {
        "unused": {name: kinds(lambda x, s=s: (s(x), 1.0)[1]) for name, s in unused.items()},
        "used": [kinds(divided), kinds(sparse), kinds(lambda x: tf.reduce_sum(divided(x)))],
        "parts": [parts(text), parts(text)],
    }
