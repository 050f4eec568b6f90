"""tf.data: functions of elements."""

from programs.program import caught


def _all(dataset):
    return list(dataset.as_numpy_iterator())


def maps(tf, np):
    numbers = tf.data.Dataset.range(5)
    pairs = tf.data.Dataset.from_tensor_slices(([1, 2], [3.0, 4.0]))
    named = tf.data.Dataset.from_tensor_slices({"a": [1, 2], "b": [3.0, 4.0]})
    return {
        "one": _all(numbers.map(lambda x: x * x)),
        "tuple": _all(pairs.map(lambda x, y: (tf.cast(x, tf.float32) + y, x))),
        "dictionary": _all(named.map(lambda d: {"c": d["a"] + 1, "b": d["b"]})),
        "list": _all(numbers.map(lambda x: [x, x + 1])),
        "constant": _all(numbers.take(2).map(lambda x: 3)),
        "python": _all(numbers.take(2).map(lambda x: (x, 1.5, "a", [1, 2]))),
        "array": _all(numbers.take(2).map(lambda x: np.arange(2))),
        "nested": _all(pairs.map(lambda x, y: {"p": (x, y)})),
        "parallel": _all(numbers.map(lambda x: x + 1, num_parallel_calls=2)),
        "autotune": _all(numbers.map(lambda x: x + 1, num_parallel_calls=tf.data.AUTOTUNE)),
        "unordered": sorted(_all(numbers.map(lambda x: x, 2, deterministic=False))),
        "chained": _all(
            numbers.map(lambda x: x + 1).map(lambda y: 2 * y).batch(2).map(tf.reduce_sum)
        ),
        "function": _all(numbers.map(tf.function(lambda x: x + 1))),
        "named": _all(numbers.map(lambda x: x + 1, name="mine")),
    }


def maps_of_many_rows(tf, np):
    tf.random.set_seed(1)
    x = np.arange(600, dtype=np.float32).reshape(200, 3)
    dataset = tf.data.Dataset.from_tensor_slices((x, np.arange(200)))
    mapped = dataset.map(lambda a, b: (tf.nn.softmax(a / 100.0), {"n": b % 7}))
    return {
        "batched": [b[0][-1] for b in mapped.batch(32).as_numpy_iterator()],
        "shapes": [b[0].shape for b in mapped.batch(64)],
        "elements": list(mapped.skip(197).as_numpy_iterator()),
        "shuffled": next(mapped.shuffle(50, seed=3).batch(5).as_numpy_iterator()),
        "shuffled before": next(
            dataset.shuffle(50, seed=3).map(lambda a, b: (a + 1.0, -b)).batch(5).as_numpy_iterator()
        ),
        "repeated": [len(b[1]["n"]) for b in mapped.repeat(2).batch(150).as_numpy_iterator()],
        "condition": list(
            dataset.map(lambda a, b: tf.cond(b > 100, lambda: b, lambda: -b))
            .batch(70)
            .map(tf.reduce_sum)
            .as_numpy_iterator()
        ),
        "matmul": next(
            dataset.map(lambda a, b: tf.linalg.matvec(tf.ones([2, 3]), a))
            .batch(3)
            .as_numpy_iterator()
        ),
    }


def errors_in_one_of_many_rows(tf, np):
    table = tf.constant([1.0] * 150)
    dataset = tf.data.Dataset.range(200).map(lambda i: tf.gather(table, i))
    iterator = iter(dataset)
    found = []
    error = None
    while error is None:
        got = caught(lambda: next(iterator))
        if hasattr(got, "numpy"):
            found.append(float(got))
        else:
            error = got
    return [
        len(found),
        error.name,
        len(_all(dataset.take(150))),
        len(_all(dataset.ignore_errors())),
        caught(lambda: list(dataset.batch(64))).name,
    ]


def traced_once(tf, np):
    called = []

    def counted(x):
        called.append(type(x).__name__)
        return x + 1

    dataset = tf.data.Dataset.range(5).map(counted)
    after = len(called)
    values = _all(dataset) + _all(dataset.batch(2))[:1]
    return [after, len(called), values[:3]]


def specs_of_results(tf, np):
    numbers = tf.data.Dataset.range(4)
    batches = numbers.batch(2)
    images = tf.data.Dataset.from_tensor_slices(np.zeros([4, 6, 6, 3], np.uint8))
    make = tf.data.Dataset.from_generator
    lengths = make(lambda: [], output_signature=tf.TensorSpec([None, 3], tf.float32))
    found = {
        "scalar": numbers.map(lambda x: x + 1),
        "cast": numbers.map(lambda x: (tf.cast(x, tf.float32), {"a": tf.zeros([2, 3])})),
        "batch": batches.map(lambda x: x * 2),
        "reduced": batches.map(tf.reduce_sum),
        "one more": batches.map(lambda x: x[:, None]),
        "images": images.map(lambda i: tf.image.resize(i, [4, 5])),
        "batched images": images.batch(2).map(lambda i: tf.cast(i, tf.float32) / 255.0),
        "unknown": lengths.map(lambda x: (x, tf.shape(x)[0], tf.reduce_mean(x, 0))),
        "transposed": lengths.map(tf.transpose),
        "none": numbers.map(lambda x: (x, None)),
        "text": numbers.map(lambda x: "a"),
    }
    return {name: repr(dataset.element_spec) for name, dataset in found.items()}


def dictionaries_may_be_changed(tf, np):
    dataset = tf.data.Dataset.from_tensors({"a": 1, "y": 2}).cache().repeat(2)

    def split(features):
        label = features.pop("y")
        return features, label

    return [_all(dataset.map(split)), _all(dataset)]


def random_numbers(tf, np):
    tf.random.set_seed(1)
    numbers = tf.data.Dataset.range(3)
    seeded = numbers.map(lambda x: tf.random.uniform([], seed=5))
    several = numbers.map(lambda x: (tf.random.uniform([2]), tf.random.normal([])))
    mixed = numbers.map(lambda x: tf.random.uniform([], maxval=100, dtype=tf.int32, seed=2))
    found = [_all(seeded), _all(seeded), _all(several), _all(mixed.batch(2))]
    stateless = numbers.map(lambda x: tf.random.stateless_uniform([], [1, x]))
    found.append(_all(stateless))
    return found


def random_numbers_of_many_rows(tf, np):
    tf.random.set_seed(1)
    numbers = tf.data.Dataset.range(100)
    dataset = numbers.map(lambda x: tf.random.uniform([], seed=5)).batch(40)
    values = np.concatenate(_all(dataset))
    return [values[:5], values[-5:], len(set(values.tolist()))]


def python_in_functions(tf, np):
    def branch(x):
        if x > 2:
            return x
        return -x

    def loop(x):
        total = tf.zeros([], tf.int64)
        for i in tf.range(x):
            total += i
        return total

    numbers = tf.data.Dataset.range(5)
    return {
        "branch": _all(numbers.map(branch)),
        "loop": _all(numbers.map(loop)),
        "filter": _all(numbers.filter(lambda x: x > 1 and x < 4)),
        "py_function": _all(
            numbers.map(lambda x: tf.py_function(lambda v: v.numpy() * 2, [x], tf.int64))
        ),
        "numpy_function": _all(
            numbers.map(lambda x: tf.numpy_function(lambda v: v + np.int64(1), [x], tf.int64))
        ),
        "batched": _all(
            numbers.map(lambda x: tf.py_function(lambda v: v * 2, [x], tf.int64)).batch(2)
        ),
    }


def variables_in_functions(tf, np):
    scale = tf.Variable(2, dtype=tf.int64)
    dataset = tf.data.Dataset.range(3).map(lambda x: x * scale)
    first = _all(dataset)
    scale.assign(5)
    iterator = iter(dataset)
    return [first, next(iterator), next(iterator)]


def captured_tensors(tf, np):
    weights = tf.constant([1, 2, 3], tf.int64) * 2
    return _all(tf.data.Dataset.range(3).map(lambda i: weights[i] + i))


def texts(tf, np):
    lines = tf.data.Dataset.from_tensor_slices(["a b", "c d e", ""])
    return {
        "length": _all(lines.map(tf.strings.length)),
        "upper": _all(lines.map(tf.strings.upper)),
        "split": [x.tolist() for x in _all(lines.map(tf.strings.split))],
        "number": _all(tf.data.Dataset.from_tensor_slices(["1", "2.5"]).map(tf.strings.to_number)),
        "csv": _all(
            tf.data.Dataset.from_tensor_slices(["1,2.5"]).map(
                lambda line: tf.io.decode_csv(line, [0, 0.0])
            )
        ),
        "made": _all(tf.data.Dataset.range(2).map(tf.strings.as_string)),
        "joined": _all(lines.map(lambda x: tf.strings.join([x, "!"])).batch(2)),
        "filter": _all(lines.filter(lambda x: tf.strings.length(x) > 3)),
        "spec": repr(lines.map(lambda x: (tf.strings.length(x), x)).element_spec),
    }


def filters(tf, np):
    numbers = tf.data.Dataset.range(6)
    pairs = tf.data.Dataset.from_tensor_slices(([1, 2, 3], [3, 2, 1]))
    return [
        _all(numbers.filter(lambda x: x % 2 == 0)),
        _all(pairs.filter(lambda a, b: a >= b)),
        _all(numbers.filter(lambda x: True)),
        _all(numbers.filter(lambda y: tf.constant(False))),
        _all(numbers.take_while(lambda x: x < 3)),
        _all(pairs.take_while(lambda a, b: a < b)),
        _all(numbers.batch(2).filter(lambda x: tf.reduce_all(x > 1))),
        caught(lambda: numbers.filter(tf.identity)),
        caught(lambda: numbers.take_while(tf.identity)),
        _all(numbers.apply(tf.data.experimental.take_while(lambda x: x < 2))),
    ]


def flat_maps(tf, np):
    make = tf.data.Dataset
    numbers = make.range(4)
    return [
        _all(numbers.flat_map(make.range)),
        _all(numbers.flat_map(lambda n: make.from_tensors(n).repeat(n))),
        _all(make.from_tensor_slices([[1, 2], [3, 4]]).flat_map(make.from_tensor_slices)),
        _all(make.zip(numbers, numbers).flat_map(lambda a, b: make.range(a, a + b))),
        _all(numbers.batch(3).unbatch()),
        _all(numbers.window(2).flat_map(lambda w: w.batch(2))),
        repr(numbers.flat_map(make.from_tensors)),
        _all(make.range(2).flat_map(make.range).batch(2)),
    ]


def interleaved(tf, np):
    make = tf.data.Dataset
    numbers = make.range(1, 6)

    def times(n):
        return make.from_tensors(n).repeat(n)

    return {
        f"{cycle} {block} {parallel}": _all(
            numbers.interleave(
                times, cycle_length=cycle, block_length=block, num_parallel_calls=parallel
            )
        )
        for cycle in (1, 2, 3, 9)
        for block in (1, 2, 3)
        for parallel in (None, 1)
    }


def interleaved_otherwise(tf, np):
    make = tf.data.Dataset
    numbers = make.range(3)
    return [
        caught(lambda: numbers.interleave(make.range, cycle_length=0)),
        caught(lambda: numbers.interleave(make.range, cycle_length=2, block_length=0)),
        _all(numbers.interleave(lambda n: make.range(0), cycle_length=2)),
        _all(make.range(7).interleave(lambda n: make.range(n % 3), cycle_length=3, block_length=2)),
        _all(
            numbers.apply(
                tf.data.experimental.parallel_interleave(
                    lambda n: make.from_tensors(n).repeat(2), cycle_length=1
                )
            )
        ),
    ]


def scans(tf, np):
    numbers = tf.data.Dataset.range(1, 5)
    zero = np.int64(0)
    return [
        _all(numbers.scan(zero, lambda s, x: (s + x, s + x))),
        _all(numbers.scan((zero, 1.0), lambda s, x: ((s[0] + x, s[1] / 2.0), s[1]))),
        repr(numbers.scan(zero, lambda s, x: (s, (x, 1.5)))),
        caught(lambda: numbers.scan(zero, lambda s, x: s)),
        caught(lambda: numbers.scan(zero, lambda s, x: (tf.cast(s, tf.float32), x))),
        _all(numbers.apply(tf.data.experimental.scan(zero, lambda s, x: (x, s)))),
    ]


def reductions(tf, np):
    numbers = tf.data.Dataset.range(5)
    zero = np.int64(0)
    return [
        numbers.reduce(zero, lambda s, x: s + x),
        numbers.reduce(zero, lambda s, _: s + 1),
        numbers.reduce((zero, 1.0), lambda s, x: (s[0] + x, s[1] * 2.0)),
        numbers.take(0).reduce(7, lambda s, x: s),
        numbers.batch(2).reduce(zero, lambda s, x: s + tf.reduce_sum(x)),
        tf.data.Dataset.from_tensor_slices(([1, 2], [3, 4])).reduce(
            0, lambda s, pair: s + pair[0] * pair[1]
        ),
        caught(lambda: numbers.reduce(zero, lambda s, x: tf.cast(s, tf.float32))),
        numbers.reduce({"n": 0}, lambda s, x: {"n": s["n"] + 1}),
    ]


def results_that_are_wrong(tf, np):
    numbers = tf.data.Dataset.range(3)
    return [
        caught(lambda: numbers.map(lambda x: object())).name,
        caught(lambda: numbers.map(lambda x, y: x)).name,
        caught(lambda: numbers.map(lambda x: undefined_name)).name,  # noqa: F821
        caught(lambda: list(numbers.map(lambda x: tf.gather([1, 2], x)))).name,
    ]


def errors_are_ignored(tf, np):
    values = tf.data.Dataset.from_tensor_slices([1.0, 0.0, 2.0])
    checked = values.map(lambda x: tf.debugging.check_numerics(1.0 / x, "bad"))
    iterator = iter(checked)
    found = [next(iterator), caught(lambda: next(iterator)).name, next(iterator)]
    return [
        found,
        _all(checked.ignore_errors()),
        _all(checked.ignore_errors().batch(2)),
        _all(checked.prefetch(1).ignore_errors()),
        _all(checked.apply(tf.data.experimental.ignore_errors())),
    ]


def uniques(tf, np):
    make = tf.data.Dataset.from_tensor_slices
    return [
        _all(make([1, 2, 1, 3, 2]).unique()),
        _all(make(["a", "b", "a"]).unique()),
        _all(make([1, 1]).apply(tf.data.experimental.unique())),
    ]


def in_functions(tf, np):
    numbers = tf.data.Dataset.range(4)
    total = tf.Variable(0, dtype=tf.int64)

    @tf.function
    def summed(dataset):
        found = tf.zeros([], tf.int64)
        for x in dataset:
            found += x
        return found

    @tf.function
    def counted():
        for x in numbers:
            total.assign_add(x)

    @tf.function
    def step(iterator):
        return next(iterator) * 10

    @tf.function
    def reduced(dataset):
        return dataset.reduce(np.int64(0), lambda s, x: s + x)

    counted()
    counted()
    iterator = iter(numbers)
    return [
        summed(numbers),
        summed(numbers.take(2)),
        total,
        step(iterator),
        step(iterator),
        reduced(numbers),
    ]


def under_a_tape(tf, np):
    w = tf.Variable(2.0)
    dataset = tf.data.Dataset.from_tensor_slices([1.0, 2.0, 3.0]).map(lambda x: x * 2.0).batch(2)
    grads = []
    for x in dataset:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(w * x)
        grads.append(tape.gradient(loss, w))
    with tf.GradientTape() as tape:
        loss = tf.add_n([tf.reduce_sum(w * x * x) for x in dataset])
    return [grads, tape.gradient(loss, w)]
