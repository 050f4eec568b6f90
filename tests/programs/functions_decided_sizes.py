"""`tf.function`: sizes that values, texts, files and loops decide are None to its Python."""


def shown(tf, make, *arguments):
    """The shapes that a function sees in its first and last call, and those that it gives."""
    seen, given = [], []

    @tf.function
    def f(*inner):
        made = {key: tf.nest.flatten(value) for key, value in make(*inner).items()}
        seen.append({key: [str(tensor.shape) for tensor in made[key]] for key in made})
        return tf.nest.flatten(made)

    for _ in range(3):
        given.append([str(tensor.shape) for tensor in f(*arguments)])
    return [seen[0], seen[-1], given[-1]]


def masks(tf, np):
    def make(x):
        rows = x[x > 0.0]
        return {
            "rows": [rows, rows + 1.0, tf.concat([rows, rows], 0), tf.gather(rows, [0])],
            "mask": tf.boolean_mask(x, x > 0.0), "where": tf.where(x > 0.0),
            "unique": tf.unique(tf.reshape(x, [-1]))[0],
            "repeated": tf.repeat([1, 2], tf.cast(tf.abs(x[0, :2]), tf.int32)),
            "counted": tf.math.bincount(tf.cast(tf.abs(x[0]), tf.int32)),
            "parts": tf.dynamic_partition(x[0], [0, 1, 0], 2),
            "segments": tf.math.segment_sum(x, [0, 1]),
            "known": [x, tf.gather(x, [0]), x[:1]],
        }  # fmt: skip

    return shown(tf, make, tf.constant([[1.0, 2.0, -1.0], [3.0, -4.0, -5.0]]))


def arguments_that_decide(tf, np):
    """Integers that a function is given, and what it computes of them."""

    def make(n, x):
        twice = n * 2
        return {
            "made": [tf.zeros([n, 2]), tf.ones([twice, 2]), tf.fill([n], 1.0), tf.range(n)],
            "more": [tf.eye(n), tf.linspace(0.0, 1.0, n), tf.one_hot([1, 2], n)],
            "drawn": tf.random.uniform([n, 3]),
            "reshaped": [tf.reshape(x, [n, -1]), tf.reshape(x, [twice, 2])],
            "repeated": [tf.tile(x, [1, n]), tf.repeat(x, n, 0), tf.broadcast_to(x[0], [n, 2])],
            "padded": tf.pad(x, [[n, n], [0, 0]]),
            "parts": [x[:n], x[n:], x[n], x[n - 1 : n + 1], tf.gather(x, tf.range(n))],
            "blocks": [tf.slice(x, [0, 0], [n, 1]), tf.slice(x, [n, 0], [1, 1])],
            "pieces": tf.split(x, [n, n]),
            "axes": [tf.concat([x, x], n - 1), tf.transpose(x, [n - 1, n - 2])],
            "best": tf.math.top_k(x[:, 0], n).values,
            "image": tf.image.resize(tf.ones([1, 2, 2, 1]), [n, n]),
            "scattered": tf.scatter_nd([[0]], [1.0], [n]),
            "segments": tf.math.unsorted_segment_sum(x, [0, 0, 1, 1], n),
            "mask": tf.sequence_mask([1, 2], n),
            "after": [tf.zeros([n, 3]) + 1.0, tf.reduce_sum(tf.zeros([n, 3]), 0)],
        }  # fmt: skip

    first, _, given = shown(tf, make, tf.constant(2), tf.ones([4, 2]))
    return first, given


def values_that_decide(tf, np):
    def make(i, boxes):
        scores, matrix = tf.cast(i, tf.float32), tf.reshape(tf.cast(i, tf.float32), [2, 2])
        return {
            "counted": [tf.math.bincount(i), tf.math.confusion_matrix(i, i)],
            "repeated": tf.repeat(matrix, i[:2], 0),
            "mask": tf.sequence_mask(i),
            "distinct": list(tf.unique_with_counts(i)),
            "boxes": tf.image.non_max_suppression(boxes, scores, 2),
        }

    first, _, given = shown(tf, make, tf.constant([1, 2, 2, 3]), tf.random.uniform([4, 4]))
    return first, given


def loops_with_invariants(tf, np):
    def make(n):
        _, x = tf.while_loop(
            lambda i, x: i < n, lambda i, x: (i + 1, tf.concat([x, x], 0)),
            [0, tf.ones([1, 2])], [tf.TensorShape([]), tf.TensorShape([None, 2])],
        )  # fmt: skip
        return {
            "result": [x, x * 2.0, tf.transpose(x), tf.reduce_sum(x, 1), tf.reshape(x, [-1])],
            "parts": [x[0], x[:2], x[0:2], x[1:], x[:2, :1]],
            "joined": [tf.concat([x, tf.ones([3, 2])], 0), tf.zeros_like(x)],
            "mapped": tf.map_fn(lambda row: row * 2.0, x),
            "branch": tf.cond(n > 1, lambda: x, lambda: tf.ones([2, 2])),
        }

    return shown(tf, make, tf.constant(2))


def specs_of_loops_with_invariants(tf, np):
    @tf.function
    def f(n):
        return tf.while_loop(
            lambda i, x: i < n, lambda i, x: (i + 1, tf.concat([x, x], 0)),
            [0, tf.ones([1, 2])], [tf.TensorShape([]), tf.TensorShape([None, 2])],
        )  # fmt: skip

    f(tf.constant(3))
    found = f.get_concrete_function(tf.TensorSpec([], tf.int32)).structured_outputs
    return [str(tensor.shape) for tensor in found]


def texts(tf, np):
    def make(text):
        parts = tf.strings.split(text)
        return {
            "parts": [parts, parts[:1], parts[0], tf.concat([parts, ["a"]], 0)],
            "numbers": [tf.strings.length(parts), tf.strings.join([parts, parts])],
            "bytes": [tf.strings.bytes_split(text), tf.io.decode_raw(text, tf.uint8)],
            "known bytes": tf.io.decode_raw(text, tf.uint8, fixed_length=4),
            "letters": tf.strings.unicode_decode(text, "UTF-8"),
            "shaped": tf.reshape(tf.io.decode_raw(text, tf.uint8), [3, 2]),
            "files": tf.io.matching_files(text),
        }

    return shown(tf, make, tf.constant("abc de"))


def files(tf, np):
    def make(png, jpeg, wav, stored):
        image = tf.io.decode_png(png, channels=3)
        return {
            "png": [
                tf.io.decode_png(png),
                image,
                tf.io.decode_image(png, 3, tf.uint8, None, False),
            ],
            "jpeg": [tf.io.decode_jpeg(jpeg), tf.io.decode_jpeg(jpeg, channels=1)],
            "more": [tf.image.resize(image, [4, 4]), tf.cast(image, tf.float32) / 255.0],
            "sound": [tf.audio.decode_wav(wav)[0], tf.audio.decode_wav(wav, 1, 5)[0]],
            "tensor": tf.ensure_shape(tf.io.parse_tensor(stored, tf.float32), [2, 3]),
        }

    black = np.zeros([8, 8, 3], np.uint8)
    return shown(
        tf, make, tf.io.encode_png(black), tf.io.encode_jpeg(black),
        tf.audio.encode_wav(np.zeros([4, 2], np.float32), 8000),
        tf.io.serialize_tensor(tf.ones([2, 3])),
    )  # fmt: skip


def unknown_ranks(tf, np):
    seen = []

    @tf.function(input_signature=[tf.TensorSpec(None)])
    def f(x):
        seen.append([x.shape, (x + 1.0).shape, (x @ x).shape, x[0].shape, tf.stack([x, x]).shape])
        seen.append([tf.reshape(x, [-1]).shape, tf.shape(x).shape, tf.reduce_sum(x).shape])
        return x

    return [f(tf.ones([2, 2])).shape, [[str(shape) for shape in shapes] for shapes in seen[-2:]]]


def options_of_loops(tf, np):
    """A loop whose shapes grow, which `set_loop_options` announces: in it, and after it."""
    tf.get_logger().setLevel("ERROR")  # that such loops run as Python
    seen = []

    @tf.function
    def rows(n):
        x = tf.zeros([1, 2])
        for _ in tf.range(n):
            tf.autograph.experimental.set_loop_options(
                shape_invariants=[(x, tf.TensorShape([None, 2]))]
            )
            x = tf.concat([x, tf.ones([1, 2])], 0)
        seen.append([str(x.shape), x.shape[0], str((x * 2.0).shape), str(x[1:].shape)])
        return x

    @tf.function
    def doubled(n):
        x, i = tf.zeros([1]), 0
        while i < n:
            tf.autograph.experimental.set_loop_options(
                shape_invariants=[(x, tf.TensorShape([None]))]
            )
            x = tf.concat([x, x], 0)
            i += 1
        seen.append([str(x.shape), x.shape.as_list(), x.shape.num_elements()])
        return tf.reduce_sum(x), tf.shape(x)

    @tf.function
    def slopes(n):
        v = tf.constant([1.0, 2.0])
        with tf.GradientTape() as tape:
            tape.watch(v)
            x = v
            for _ in tf.range(n):
                tf.autograph.experimental.set_loop_options(
                    shape_invariants=[(x, tf.TensorShape([None]))]
                )
                x = tf.concat([x, v * 2.0], 0)
            y = tf.reduce_sum(x * x)
        return tape.gradient(y, v)

    found = []
    for f in (rows, doubled, slopes):
        found.append([f(tf.constant(n)) for n in (2, 3, 2)])
        found.append(seen[-1])
    return found


def small_integers_decide_nothing(tf, np):
    """All types of integers, at their limits, in a function that looks at a value."""

    @tf.function
    def f(n, values):
        made = tf.zeros([n, 2])
        return [made, *[value + value for value in values]]

    dtypes = ("int8", "uint8", "int16", "int32", "int64")
    values = [tf.constant(np.iinfo(dtype).max // 2, dtype) for dtype in dtypes]
    return [f(tf.constant(n), values) for n in (2, 3, 2)]
