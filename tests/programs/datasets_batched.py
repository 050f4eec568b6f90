"""tf.data: batches, windows, groups and mixtures."""

import tempfile

from programs.program import caught


def _all(dataset):
    return list(dataset.as_numpy_iterator())


def _growing(tf, count=4):
    return tf.data.Dataset.range(1, count + 1).map(lambda n: tf.fill([n], n))


def batches(tf, np):
    make = tf.data.Dataset
    numbers = make.range(5)
    named = make.from_tensor_slices({"a": [1, 2, 3], "b": ([1.0, 2.0, 3.0], ["x", "y", "z"])})
    return {
        "plain": _all(numbers.batch(2)),
        "drop": _all(numbers.batch(2, drop_remainder=True)),
        "large": _all(numbers.batch(9)),
        "large drop": _all(numbers.batch(9, True)),
        "named": _all(named.batch(2)),
        "twice": _all(numbers.batch(2).batch(2, True)),
        "rows": _all(make.from_tensor_slices(np.arange(12).reshape(3, 2, 2)).batch(2)),
        "text": _all(make.from_tensor_slices(["a", "bc"]).batch(2)),
        "filtered": _all(numbers.filter(lambda x: x > 1).batch(2)),
        "mapped": _all(numbers.map(lambda x: (x, [x, x])).batch(2)),
        "parallel": _all(numbers.batch(2, num_parallel_calls=tf.data.AUTOTUNE)),
        "shuffled": _all(numbers.shuffle(5, seed=1, reshuffle_each_iteration=False).batch(3))[
            0
        ].shape,
        "tensor": _all(numbers.batch(tf.constant(4, tf.int64))),
        "generated": _all(make.from_generator(lambda: range(3), tf.int32, []).batch(2)),
    }


def batches_of_batches(tf, np):
    numbers = tf.data.Dataset.range(7)
    return [
        _all(numbers.batch(3).unbatch()),
        _all(numbers.batch(3).map(lambda x: x + 1).unbatch()),
        _all(numbers.batch(3).rebatch(2)),
        _all(numbers.batch(3).rebatch(2, drop_remainder=True)),
        _all(numbers.batch(3).rebatch([1, 2])),
        repr(numbers.batch(3).rebatch(2)),
        repr(numbers.batch(3).unbatch()),
        _all(tf.data.Dataset.from_tensors({"a": [1, 2], "b": [[3], [4]]}).unbatch()),
        _all(tf.data.Dataset.from_tensors(["a", "b"]).unbatch()),
        _all(numbers.batch(3).apply(tf.data.experimental.unbatch())),
    ]


def batches_that_are_wrong(tf, np):
    make = tf.data.Dataset
    numbers = make.range(3)
    lists = make.from_generator(lambda: [[1], [1, 2]], tf.int32, [None])
    return [
        caught(lambda: numbers.batch(0)),
        caught(lambda: numbers.batch(-1)),
        caught(lambda: list(lists.batch(2))),
        caught(lambda: numbers.unbatch()),
        caught(lambda: make.from_tensors(([1, 2], [1, 2, 3])).unbatch()),
        caught(lambda: list(make.zip(numbers, _growing(tf)).batch(3))),
        caught(lambda: numbers.window(0)),
        caught(lambda: numbers.window(2, 0)),
        caught(lambda: numbers.window(2, 1, 0)),
    ]


def padded_batches(tf, np):
    make = tf.data.Dataset
    pairs = make.from_generator(
        lambda: [([1], "a"), ([1, 2], "b"), ([], "c")],
        output_signature=(tf.TensorSpec([None], tf.int32), tf.TensorSpec([], tf.string)),
    )
    words = make.from_generator(
        lambda: [["a"], ["b", "c"]], output_signature=tf.TensorSpec([None], tf.string)
    )
    matrices = make.from_generator(
        lambda: [np.ones([1, 2]), np.ones([2, 1])],
        output_signature=tf.TensorSpec([None, None], tf.float64),
    )
    lists = _growing(tf)
    return [
        _all(lists.padded_batch(2)),
        _all(lists.padded_batch(2, [None])),
        _all(lists.padded_batch(2, [5])),
        _all(lists.padded_batch(2, padded_shapes=[-1], padding_values=np.int64(-1))),
        _all(lists.padded_batch(3, drop_remainder=True)),
        _all(pairs.padded_batch(2)),
        _all(pairs.padded_batch(3, ([4], []), (7, "z"))),
        _all(words.padded_batch(2)),
        _all(words.padded_batch(2, padding_values="?")),
        _all(matrices.padded_batch(2)),
        _all(matrices.padded_batch(2, [3, None], padding_values=tf.constant(0.5, tf.float64))),
        _all(make.range(3).padded_batch(2)),
        repr(lists.padded_batch(2, [5])),
        repr(pairs.padded_batch(2)),
        _all(lists.map(lambda x: {"a": x}).padded_batch(4, {"a": [None]})),
        _all(lists.padded_batch(2, tf.TensorShape([None]))),
        caught(lambda: lists.padded_batch(2, padding_values=9)),
    ]


def padded_batches_that_are_wrong(tf, np):
    make = tf.data.Dataset
    rows = make.from_tensor_slices([[1, 2]])
    return [
        caught(lambda: rows.padded_batch(2, [1])),
        caught(lambda: rows.padded_batch(2, [None, None])),
        caught(lambda: rows.padded_batch(2, [4], 1.5)),
        caught(lambda: make.from_generator(lambda: [1], tf.int32).padded_batch(2)),
        caught(lambda: list(_growing(tf).padded_batch(3, [2]))).name,
        caught(lambda: rows.padded_batch(0)).name,
    ]


def ragged_batches(tf, np):
    lists = _growing(tf, 3)
    numbers = tf.data.Dataset.range(3)
    return [
        [repr(x) for x in lists.ragged_batch(2)],
        [repr(x) for x in lists.ragged_batch(2, drop_remainder=True)],
        repr(lists.ragged_batch(2)),
        _all(numbers.ragged_batch(2)),
        [x.row_splits.dtype for x in lists.ragged_batch(2, row_splits_dtype=tf.int32)],
        [repr(x) for x in lists.apply(tf.data.experimental.dense_to_ragged_batch(3))],
    ]


def ragged_elements(tf, np):
    make = tf.data.Dataset
    rows = make.from_tensor_slices(tf.ragged.constant([[1], [2, 3], []]))
    whole = make.from_tensors(tf.ragged.constant([[1], [2, 3]]))
    return [
        [x.numpy() for x in rows],
        [repr(x) for x in rows.batch(2)],
        [repr(x) for x in whole],
        [repr(x) for x in whole.repeat(2).batch(2)],
        repr(rows.batch(2)),
        [repr(x) for x in rows.batch(3).unbatch().batch(2)],
        [x.numpy() for x in rows.map(lambda r: tf.reduce_sum(r))],
        [repr(x) for x in make.from_tensor_slices(tf.ragged.constant([[[1], []], [[2, 3]]]))],
        [
            repr(x)
            for x in make.from_tensor_slices(
                {"a": tf.ragged.constant([[1], [2, 3]]), "b": [1, 2]}
            ).map(lambda d: d["a"])
        ],
    ]


def sparse_elements(tf, np):
    make = tf.data.Dataset
    matrix = tf.sparse.from_dense([[1, 0], [0, 2], [3, 4]])

    def dense(values):
        return [tf.sparse.to_dense(x).numpy() for x in values]

    return [
        dense(make.from_tensors(matrix)),
        dense(make.from_tensor_slices(matrix)),
        dense(make.from_tensor_slices(matrix).batch(2)),
        repr(make.from_tensor_slices(matrix)),
        dense(make.from_tensor_slices(matrix).batch(3).unbatch()),
        dense(_growing(tf, 2).sparse_batch(2, [3])),
        repr(_growing(tf, 2).sparse_batch(2, [3])),
        dense(_growing(tf, 2).apply(tf.data.experimental.dense_to_sparse_batch(2, [4]))),
        [type(x).__name__ for x in make.from_tensors(matrix).as_numpy_iterator()],
    ]


def windows(tf, np):
    numbers = tf.data.Dataset.range(7)
    pairs = tf.data.Dataset.from_tensor_slices(([1, 2, 3], ["a", "b", "c"]))

    def lists(dataset):
        return [_all(window) for window in dataset]

    return [
        lists(numbers.window(3)),
        lists(numbers.window(3, drop_remainder=True)),
        lists(numbers.window(3, shift=1)),
        lists(numbers.window(3, 2, drop_remainder=True)),
        lists(numbers.window(2, shift=3)),
        lists(numbers.window(3, 1, 2, True)),
        lists(numbers.window(3, 2, 2)),
        lists(numbers.window(2, stride=3)),
        [[_all(a), _all(b)] for a, b in pairs.window(2)],
        [len(window) for window in numbers.window(3)],
        repr(numbers.window(2)),
        repr(pairs.window(2)),
        [repr(w) for w in numbers.window(4)],
        _all(numbers.window(3, 1, drop_remainder=True).flat_map(lambda w: w.batch(3))),
        _all(pairs.window(2).flat_map(lambda a, b: tf.data.Dataset.zip(a, b).batch(2))),
        [int(w.reduce(np.int64(0), lambda s, x: s + x)) for w in numbers.window(3)],
    ]


def groups(tf, np):
    numbers = tf.data.Dataset.range(9)
    pairs = tf.data.Dataset.from_tensor_slices((np.arange(5), ["a", "b", "c", "d", "e"]))

    def size(key):
        return key + 1

    return [
        _all(numbers.group_by_window(lambda x: x % 2, lambda key, w: w.batch(3), 3)),
        _all(numbers.group_by_window(lambda x: x % 3, lambda key, w: w.batch(9), 2)),
        _all(
            numbers.group_by_window(
                lambda x: x % 3, lambda key, w: w.batch(9), window_size_func=size
            )
        ),
        _all(pairs.group_by_window(lambda n, t: n % 2, lambda key, w: w.batch(2), 4)),
        _all(
            numbers.group_by_window(
                lambda x: x % 2, lambda key, w: w.map(lambda x: x + 10 * key), 2
            )
        ),
        caught(lambda: numbers.group_by_window(lambda x: x, lambda key, w: w)),
        caught(
            lambda: numbers.group_by_window(lambda x: tf.cast(x, tf.int32), lambda key, w: w, 2)
        ).name,
        _all(
            numbers.apply(
                tf.data.experimental.group_by_window(lambda x: x % 2, lambda key, w: w.batch(5), 5)
            )
        ),
    ]


def reduced_groups(tf, np):
    make = tf.data.experimental.Reducer
    counted = make(lambda key: np.int64(0), lambda n, x: n + 1, lambda n: n)
    summed = make(
        lambda key: (key, 0.0),
        lambda s, x: (s[0], s[1] + tf.cast(x, tf.float32)),
        lambda key, total: (key, total),
    )
    numbers = tf.data.Dataset.range(7)
    step = tf.data.experimental.group_by_reducer
    return [
        _all(numbers.apply(step(lambda x: x % 3, counted))),
        _all(numbers.apply(step(lambda x: x % 2, summed))),
    ]


def buckets(tf, np):
    def lists():
        return tf.data.Dataset.from_generator(
            lambda: [[1] * n for n in (1, 5, 3, 2, 6, 1, 4, 2)],
            output_signature=tf.TensorSpec([None], tf.int32),
        )

    def bucketed(**settings):
        return _all(
            lists().bucket_by_sequence_length(
                lambda x: tf.shape(x)[0], bucket_boundaries=[3, 5], **settings
            )
        )

    sizes = [2, 2, 2]
    return [
        bucketed(bucket_batch_sizes=sizes),
        bucketed(bucket_batch_sizes=[1, 2, 3]),
        bucketed(bucket_batch_sizes=sizes, padding_values=7),
        bucketed(bucket_batch_sizes=sizes, drop_remainder=True),
        bucketed(bucket_batch_sizes=sizes, padded_shapes=[None]),
        _all(
            lists()
            .filter(lambda x: tf.size(x) < 5)
            .bucket_by_sequence_length(
                lambda x: tf.size(x), [3, 5], sizes, pad_to_bucket_boundary=True
            )
        ),
        caught(lambda: bucketed(bucket_batch_sizes=[1])),
        _all(
            tf.data.Dataset.range(4).bucket_by_sequence_length(
                lambda x: tf.cast(x, tf.int32), [2], [2, 2], no_padding=True
            )
        ),
    ]


def mixtures(tf, np):
    tf.random.set_seed(1)
    make = tf.data.Dataset
    one, two = make.range(5), make.range(10, 15)
    sample = make.sample_from_datasets
    return {
        "weights": _all(sample([one, two], weights=[0.3, 0.7], seed=3)),
        "equal": _all(sample([one, two], seed=5)),
        "stop": _all(sample([one, two], seed=5, stop_on_empty_dataset=True)),
        "global": _all(sample([one, two])),
        "again": [_all(sample([one, two], seed=3)) for _ in range(2)],
        "zero": _all(sample([one, two], weights=[1.0, 0.0], seed=3, stop_on_empty_dataset=True)),
        "one": _all(sample([one])),
        "tensor": _all(sample([one, two], weights=tf.constant([0.5, 0.5]), seed=2)),
        "wrong": [caught(lambda: sample([])), caught(lambda: sample([one, two], weights=[0.3]))],
        "experimental": _all(tf.data.experimental.sample_from_datasets([one, two], seed=5)),
    }


def choices(tf, np):
    make = tf.data.Dataset
    one, two = make.from_tensor_slices(["a", "b"]), make.from_tensor_slices(["x", "y", "z"])
    order = make.from_tensor_slices(tf.constant([1, 0, 1, 0, 0, 1, 1], tf.int64))
    choose = make.choose_from_datasets
    return [
        _all(choose([one, two], order)),
        _all(choose([one, two], order, stop_on_empty_dataset=False)),
        _all(tf.data.experimental.choose_from_datasets([one, two], order)),
        caught(lambda: list(choose([one], make.range(5, 7)))),
        caught(lambda: choose([one], make.from_tensors(1))),
        repr(choose([one, two], order)),
        caught(lambda: choose([], order)),
    ]


def resampled(tf, np):
    numbers = tf.data.Dataset.range(400)
    made = numbers.rejection_resample(
        lambda x: tf.cast(x % 2, tf.int32), [0.0, 1.0], [0.5, 0.5], seed=1
    )
    found = [(int(kind), int(x) % 2) for kind, x in made]
    return [set(found), repr(made)]


def other_steps(tf, np):
    step = tf.data.experimental
    numbers = tf.data.Dataset.range(4)
    return [
        _all(numbers.apply(step.map_and_batch(lambda x: x + 1, 2))),
        len(numbers.apply(step.shuffle_and_repeat(4, 2))),
        _all(numbers.map(lambda x: {"a": x}).apply(step.pad_to_cardinality(6))),
        _all(numbers.prefetch(0)),
        _all(numbers.prefetch(2).batch(3)),
        _all(numbers.prefetch(1).map(lambda x: x * 2).prefetch(tf.data.AUTOTUNE)),
        len(numbers.prefetch(2)),
        _all(numbers.apply(lambda d: d.skip(2))),
    ]


def older_names(tf, np):
    more = tf.data.experimental
    numbers = tf.data.Dataset.range(6)
    bucketed = numbers.apply(
        more.bucket_by_sequence_length(lambda x: tf.cast(x, tf.int32), [2], [2, 2], no_padding=True)
    )
    sampled = numbers.apply(
        more.rejection_resample(lambda x: tf.cast(x % 2, tf.int32), [1.0, 0.0], [0.5, 0.5])
    )
    return [
        _all(bucketed),
        {int(kind) for kind, _ in sampled},
        _all(numbers.apply(more.copy_to_device("/cpu:0"))),
        _all(numbers.apply(more.prefetch_to_device("/cpu:0"))),
    ]


def snapshots_by_their_older_name(tf, np):
    with tempfile.TemporaryDirectory() as path:
        dataset = tf.data.Dataset.range(3).apply(tf.data.experimental.snapshot(path))
        return [_all(dataset), _all(dataset)]
