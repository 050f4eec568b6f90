"""Lists with tensors in them, sizes that are tensors, and shapes that are asserted."""

from programs.program import Caught, answers, caught


def lists_of_several_dtypes(tf, np):
    one, two = tf.constant(1), tf.constant(2, tf.int64)
    single, double = tf.constant(1.0), tf.constant(2.0, tf.float64)
    byte, true = tf.constant(3, tf.uint8), tf.constant(True)
    matrix = tf.constant([[1, 2], [3, 4]], tf.int64)
    found = {}
    lists = {
        "int32 int64": [one, two], "int64 int32": [two, one], "1 int64": [1, two],
        "int64 1": [two, 1], "float32 float64": [single, double], "int32 float32": [one, single],
        "1 float64": [1, double], "numpy int32": [np.int64(1), one],
        "int32 numpy": [one, np.int64(1)], "uint8 int32": [byte, one], "bool int32": [true, one],
        "nested": [[1, two], [2, 3]], "variable": [tf.Variable(1), two],
        "int32 1.5": [one, 1.5], "shape": [tf.shape(tf.ones([2]))[0], two],
    }  # fmt: skip
    for name, given in lists.items():
        found[name] = answers(
            lambda given=given: tf.convert_to_tensor(given),
            lambda given=given: tf.convert_to_tensor(given, tf.int64),
            lambda given=given: tf.convert_to_tensor(given, tf.int32),
            lambda given=given: tf.convert_to_tensor(given, tf.float32),
            lambda given=given: matrix + given,
            lambda given=given: tf.stack(given),
        )
    found["function"] = tf.function(lambda a, b: tf.convert_to_tensor([a, b], tf.int64))(one, two)
    return found


def gradients_through_lists_of_several_dtypes(tf, np):
    single, double = tf.constant(1.0), tf.constant(2.0, tf.float64)
    with tf.GradientTape() as tape:
        tape.watch([single, double])
        y = tf.reduce_sum(tf.convert_to_tensor([[single, double]], tf.float64) ** 2)
    return tape.gradient(y, [single, double])


def margins_of_scalars(tf, np):
    found = []
    for x in (tf.constant(3.0), tf.constant(3), 3.0):
        for paddings in (np.zeros([0, 2], np.int32), tf.zeros([0, 2], tf.int32), [], [[1, 1]]):
            for mode in ("CONSTANT", "REFLECT", "SYMMETRIC"):
                found += answers(lambda x=x, p=paddings, mode=mode: tf.pad(x, p, mode))
        found += answers(lambda x=x: tf.pad(x, tf.zeros([0, 2], tf.int64), constant_values=1))
    with tf.GradientTape() as tape:
        x = tf.constant(3.0)
        tape.watch(x)
        y = tf.pad(x, tf.zeros([0, 2], tf.int32))
    return [*found, tape.gradient(y, x)]


def counts_of_texts(tf, np):
    texts = tf.constant([["a", ""], ["", ""]])
    count = tf.math.count_nonzero
    return answers(
        lambda: count(texts),
        lambda: count(texts, 1),
        lambda: count(["", "b"], keepdims=True),
        lambda: count(texts, 0, dtype=tf.int32),
        lambda: count(texts, 0, dtype=tf.uint32),
        lambda: count(tf.constant([], tf.string)),
        lambda: tf.compat.v1.count_nonzero(texts),
    )


def asserted_shapes(tf, np):
    x, sparse = tf.ones([2, 3]), tf.sparse.from_dense(tf.ones([2, 3]))
    found = []
    for pairs in (
        [(x, ("N", "M")), (sparse, ("N", "M"))], [(sparse, ("N", "N"))], [(sparse, (2, None))],
        [(x, None)], [(sparse, None)], [(sparse, (None, None, None))], [(x, "NM"), (sparse, "NM")],
        [(x, (...,))], [(x, (..., 3))], [(sparse, ("*", 3))], [(sparse, (2, "."))], [(sparse, ())],
        [(sparse, tf.TensorShape([2, None]))], [(x, tf.TensorShape([2, None]))], [(None, ("N",))],
        [(sparse, 3)], [(tf.constant(1.0), ())], [(tf.constant(1.0), (None,))],
    ):  # fmt: skip
        found += answers(
            lambda pairs=pairs: tf.debugging.assert_shapes(pairs),
            lambda pairs=pairs: tf.debugging.assert_shapes(pairs, data=[1], message="M"),
        )
    return found


def positions_that_overflow(tf, np):
    found = []
    for indices, dims in (
        ([2, 5], [3, 3]), ([9], [3, 3]), ([-1], [3, 3]), (7, [2, 4]), (8, [2, 4]), (5, [7]),
        ([1], [65536, 65536]), ([1], [2**31 - 1, 2]), ([[1]], [2, 2]), ([0], [0, 2]), ([1], [[2]]),
        ([3], [-2, 2]), ([1], []),
    ):  # fmt: skip
        for dtype in (tf.int32, tf.int64):
            given = tf.constant(indices, dtype), tf.constant(dims, dtype)
            found += answers(lambda given=given: tf.unravel_index(*given))
    wide = tf.constant([2**32, 2**32], tf.int64)
    return found + answers(lambda: tf.unravel_index(tf.constant([1], tf.int64), wide))


def sizes_of_images_that_are_tensors(tf, np):
    image = tf.image
    x = tf.reshape(tf.range(48.0), [4, 4, 3])
    calls = {
        "resize": lambda a, b: image.resize(x, [a, b]),
        "resize nearest": lambda a, b: image.resize(x, (a, b), "nearest"),
        "resize_with_crop_or_pad": lambda a, b: image.resize_with_crop_or_pad(x, a, b),
        "resize_with_pad": lambda a, b: image.resize_with_pad(x, a, b),
        "resize_with_pad larger": lambda a, b: image.resize_with_pad(x, 3 * a, 4 * b),
        "resize_with_pad batch": lambda a, b: image.resize_with_pad(x[None], b, a, "nearest"),
        "pad_to_bounding_box": lambda a, b: image.pad_to_bounding_box(x, a, b, 9, 8),
        "larger box": lambda a, b: image.pad_to_bounding_box(x, 1, 1, a + 4, b + 5),
        "crop_to_bounding_box": lambda a, b: image.crop_to_bounding_box(x, a - 1, b - 2, a, b),
        "central_crop": lambda a, b: image.central_crop(x, tf.cast(a, tf.float32) / 4.0),
        "random_crop": lambda a, b: tf.shape(image.random_crop(x, [a, b, 3])),
        "stateless_random_crop": lambda a, b: tf.shape(
            image.stateless_random_crop(x, [a, b, 3], [1, 2])
        ),
        "crop_and_resize": lambda a, b: image.crop_and_resize(
            x[None], [[0.0, 0.0, 1.0, 1.0]], [0], [a, b]
        ),
        "rot90": lambda a, b: image.rot90(x, a),
        "extract_glimpse": lambda a, b: image.extract_glimpse(x[None], [a, b], [[0.0, 0.0]]),
        "non_max_suppression": lambda a, b: image.non_max_suppression(
            [[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 0.5, 0.5]], [1.0, 0.5], a
        ),
    }
    two, three = tf.constant(2), tf.constant(3)
    sizes = {
        "int32": (two, three),
        "variables": (tf.Variable(2), tf.Variable(3)),
        "numpy": (np.int64(2), np.int32(3)),
        "computed": (two + 0, three * 1),
        "mixed": (2, three),
    }
    found = {}
    for name, call in calls.items():
        for kind, (a, b) in sizes.items():
            found[f"{name} {kind}"] = caught(call, a, b)
        answer = caught(tf.function(call), two, three)
        found[f"{name} function"] = answer.name if isinstance(answer, Caught) else answer
    return found
