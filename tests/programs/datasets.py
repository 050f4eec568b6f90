"""tf.data: sources, what is chosen of them and in which order, what datasets say of themselves."""

import collections

from programs.program import caught

Point = collections.namedtuple("Point", ["x", "y"])


def _all(dataset):
    return list(dataset.as_numpy_iterator())


def _some(dataset, count):
    return list(dataset.take(count).as_numpy_iterator())


def slices(tf, np):
    make = tf.data.Dataset.from_tensor_slices
    return {
        "list": _all(make([1, 2, 3])),
        "floats": _all(make([1.5, 2.5])),
        "nested list": _all(make([[1, 2], [3, 4]])),
        "text": _all(make(["a", "b"])),
        "array": _all(make(np.arange(6, dtype=np.float64).reshape(3, 2))),
        "tuple": _all(make(([1, 2], [3.0, 4.0]))),
        "dictionary": _all(make({"b": [1, 2], "a": np.array([True, False])})),
        "nest": _all(make(({"x": [1, 2]}, ([3, 4], ["c", "d"])))),
        "tensors": _all(make(tf.constant([[1], [2]]))),
        "variable": _all(make(tf.Variable([1.0, 2.0]))),
        "empty": _all(make(np.zeros([0, 3], np.float32))),
        "uint8": _all(make(np.array([1, 255], np.uint8))),
        "complex": _all(make([1j, 2.0])),
        "bool": _all(make([True, False])),
    }


def slices_are_copied(tf, np):
    array = np.arange(3)
    dataset = tf.data.Dataset.from_tensor_slices(array)
    array[:] = 7
    return _all(dataset)


def element_types(tf, np):
    dataset = tf.data.Dataset.from_tensor_slices({"a": [1, 2], "b": ([1.0, 2.0], ["x", "y"])})
    element = next(iter(dataset))
    return [
        sorted(element),
        type(element["b"]).__name__,
        element["a"].shape,
        element["a"].dtype,
        element["b"][1].dtype,
        isinstance(element["a"], tf.Tensor),
        element["a"] + 1,
    ]


def named_tuples(tf, np):
    dataset = tf.data.Dataset.from_tensor_slices(Point([1, 2], [3.0, 4.0]))
    found = list(dataset)
    moved = list(dataset.map(lambda point: Point(point.x + 1, point.y)))
    return [
        type(found[0]).__name__,
        found[1].x,
        found[1].y,
        repr(dataset),
        moved[0].x,
        type(moved[0]).__name__,
    ]


def single_tensors(tf, np):
    make = tf.data.Dataset.from_tensors
    return [
        _all(make([1, 2])),
        _all(make(3)),
        _all(make((1, "a"))),
        _all(make({"a": [1.0]})),
        _all(make([[1, 2], [3, 4]]).repeat(2)),
        repr(make((1, [2.0, 3.0]))),
    ]


def lists_of_elements(tf, np):
    make = tf.data.experimental.from_list
    return [
        _all(make([(1, "a"), (2, "b")])),
        repr(make([1, 2])),
        len(make([1])),
        caught(make, []),
        caught(make, ()),
    ]


def ranges(tf, np):
    make = tf.data.Dataset.range
    return [
        _all(make(4)),
        _all(make(2, 5)),
        _all(make(5, 0, -2)),
        _all(make(3, 3)),
        _all(make(5, 2)),
        _all(make(3, output_type=tf.int32)),
        _all(make(3, output_type=tf.float32)),
        _some(make(2**40, 2**41), 2),
        [int(make(5, 0, -2).cardinality()), len(make(3))],
        repr(make(3, output_type=tf.int32)),
    ]


def counters(tf, np):
    make = tf.data.Dataset.counter
    return [
        _some(make(), 3),
        _some(make(5), 2),
        _some(make(5, -2), 3),
        _some(make(dtype=tf.int32), 2),
        _some(tf.data.experimental.Counter(1, 2), 2),
        int(make().cardinality()),
    ]


def randoms(tf, np):
    tf.random.set_seed(1)
    first = tf.data.Dataset.random(seed=3)
    second = tf.data.Dataset.random()
    renewed = tf.data.Dataset.random(seed=3, rerandomize_each_iteration=True)
    return [
        _some(first, 5),
        _some(first, 2),
        _some(second, 3),
        _some(renewed, 2),
        _some(renewed, 2),
        repr(first),
        int(first.cardinality()),
    ]


def generators(tf, np):
    def numbers():
        yield from range(3)

    def pairs():
        yield 1, [1.0]
        yield 2, [2.0, 3.0]

    def dictionaries():
        yield {"a": 1, "b": "x"}

    make = tf.data.Dataset.from_generator
    signature = (tf.TensorSpec([], tf.int32), tf.TensorSpec([None], tf.float32))
    return [
        _all(make(numbers, tf.int64)),
        _all(make(numbers, output_signature=tf.TensorSpec([], tf.float32))),
        _all(make(pairs, output_signature=signature)),
        _all(make(pairs, (tf.int32, tf.float32), ([], [None]))),
        _all(make(dictionaries, {"a": tf.int32, "b": tf.string})),
        _all(make(lambda: [[1, 2], [3, 4]], tf.int32, [2])),
        _all(make(lambda n: range(n), tf.int32, args=(2,))),
        _all(make(numbers, tf.int32).repeat(2)),
        repr(make(numbers, tf.int64)),
        repr(make(pairs, output_signature=signature)),
        int(make(numbers, tf.int64).cardinality()),
        _all(make(lambda: [np.float64(1.5), 2], tf.float32)),
        _all(make(lambda: iter([tf.constant(3)]), tf.int32)),
    ]


def generators_of_ragged_tensors(tf, np):
    def rows():
        yield tf.ragged.constant([[1], [2, 3]])

    spec = tf.RaggedTensorSpec([None, None], tf.int32)
    dataset = tf.data.Dataset.from_generator(rows, output_signature=spec)
    return [repr(dataset), [repr(x) for x in dataset]]


def generators_that_are_wrong(tf, np):
    def first_line(statement):
        error = caught(statement)
        return [error.name, error.text.split("\n")[0].removesuffix(" [Op:IteratorGetNext] name: ")]

    make = tf.data.Dataset.from_generator
    spec = tf.TensorSpec
    return [
        first_line(lambda: make(3, tf.int32)),
        first_line(lambda: make(lambda: [1])),
        first_line(lambda: make(lambda: [1], tf.int32, output_signature=spec([], tf.int32))),
        first_line(lambda: make(lambda: [1], output_signature=[1])),
        first_line(lambda: list(make(lambda: [[1, 2]], tf.int32, [3]))),
        first_line(lambda: list(make(lambda: [(1, 2)], (tf.int32,) * 3))),
        first_line(lambda: list(make(lambda: [1.5], output_signature=spec([1], tf.float32)))),
        first_line(lambda: list(make(lambda: [[1.5]], output_signature=spec([2], tf.float32)))),
    ]


def elements_before_a_generator_fails(tf, np):
    def numbers():
        yield 1
        yield 2
        raise KeyError("no more")

    iterator = iter(tf.data.Dataset.from_generator(numbers, tf.int32))
    found = [int(next(iterator)), int(next(iterator))]
    text = str(caught(lambda: next(iterator)).text)
    return [found, "no more" in text]


def shuffles(tf, np):
    tf.random.set_seed(1)
    make = tf.data.Dataset.range
    found = {}
    for name, dataset in {
        "all": make(10).shuffle(10, seed=3),
        "larger buffer": make(10).shuffle(100, seed=3),
        "small buffer": make(12).shuffle(4, seed=3),
        "one": make(5).shuffle(1, seed=3),
        "fixed": make(10).shuffle(4, seed=3, reshuffle_each_iteration=False),
        "global": make(10).shuffle(10),
        "repeated": make(6).shuffle(10, seed=1).repeat(2),
        "taken": make(6).shuffle(10, seed=1).take(3),
        "twice": make(8).shuffle(3, seed=1).shuffle(4, seed=2),
        "after repeat": make(3).repeat(3).shuffle(4, seed=5),
        "filtered": make(12).filter(lambda x: x > 3).shuffle(3, seed=5),
        "mapped": make(12).map(lambda x: 2 * x).shuffle(5, seed=5),
        "seed tensor": make(6).shuffle(6, seed=tf.constant(7, tf.int64)),
        "zipped": tf.data.Dataset.zip(make(6), make(6).map(lambda x: -x)).shuffle(4, seed=2),
        "slices": tf.data.Dataset.from_tensor_slices(([1, 2, 3], ["a", "b", "c"])).shuffle(3, 1),
        "unknown": make(6).shuffle(tf.data.UNKNOWN_CARDINALITY, seed=9),
    }.items():
        found[name] = [_all(dataset), _all(dataset)]
    return found


def shuffles_of_other_seeds(tf, np):
    found = []
    for seed in (0, 1, 7, 2**31, 2**40, -1):
        tf.random.set_seed(5)
        found.append(_all(tf.data.Dataset.range(8).shuffle(8, seed=seed)))
    return found


def shuffles_in_epochs(tf, np):
    tf.random.set_seed(3)
    dataset = tf.data.Dataset.range(7).shuffle(7).batch(3)
    return [[_all(dataset) for _ in range(3)], _all(dataset.repeat(2))]


def long_shuffles(tf, np):
    tf.random.set_seed(3)
    large = tf.data.Dataset.range(3000).shuffle(500, seed=1)
    return [_some(large.skip(2900), 50), sorted(_all(large)) == list(range(3000))]


def parts(tf, np):
    make = tf.data.Dataset.range(10)
    return [
        _all(make.take(3)),
        _all(make.take(-1)),
        _all(make.take(0)),
        _all(make.take(20)),
        _all(make.skip(7)),
        _all(make.skip(-1)),
        _all(make.skip(20)),
        _all(make.skip(2).take(2)),
        _all(make.shard(3, 0)),
        _all(make.shard(3, 2)),
        _all(make.shard(20, 15)),
        [
            len(make.take(3)),
            len(make.take(-1)),
            len(make.skip(7)),
            len(make.skip(20)),
            len(make.shard(3, 0)),
            len(make.shard(3, 2)),
            len(make.shard(20, 15)),
        ],
        _all(make.filter(lambda x: x % 2 == 0).take(2)),
        _all(make.filter(lambda x: x % 2 == 0).skip(3)),
        _all(make.filter(lambda x: x % 2 == 0).shard(2, 1)),
        _all(make.take(tf.constant(2, tf.int64))),
        _all(make.repeat(2).shard(7, 3)),
        _all(make.skip(3).shard(4, 1)),
    ]


def repetitions(tf, np):
    make = tf.data.Dataset.range(2)
    return [
        _all(make.repeat(3)),
        _some(make.repeat(), 5),
        _some(make.repeat(-1), 3),
        _all(make.repeat(0)),
        _all(make.map(lambda x: x + 1).repeat(2)),
        _all(make.repeat(2).repeat(2)),
        _all(make.take(0).repeat()),
        [
            int(d.cardinality())
            for d in (
                make.repeat(3),
                make.repeat(),
                make.repeat(0),
                make.take(0).repeat(),
                make.filter(lambda x: x > 0).repeat(2),
            )
        ],
        _all(make.repeat(3).batch(4)),
        _all(make.batch(4).repeat(2)),
    ]


def zips(tf, np):
    tf.random.set_seed(1)
    make = tf.data.Dataset
    one, two = make.range(3), make.from_tensor_slices(["a", "b"])
    pairs = make.from_tensor_slices(([1, 2, 3], [4.0, 5.0, 6.0]))
    return [
        _all(make.zip(one, two)),
        _all(make.zip((one, two))),
        _all(make.zip(one)),
        _all(make.zip({"x": one, "y": (two, one)})),
        _all(make.zip((pairs, one))),
        _all(make.zip(datasets=(one, one))),
        repr(make.zip(pairs, two)),
        len(make.zip(one, two)),
        int(make.zip(one.repeat(), two.repeat()).cardinality()),
        _all(make.zip(one.shuffle(3, seed=1), one).batch(2)),
        _all(make.zip(one.filter(lambda x: x > 0), two)),
    ]


def zips_that_are_wrong(tf, np):
    make = tf.data.Dataset
    return [
        caught(lambda: make.zip()),
        caught(lambda: make.zip([make.range(1)])),
        caught(lambda: make.zip((make.range(1), 3))),
        caught(lambda: make.zip(make.range(1), datasets=make.range(1))),
    ]


def numbered(tf, np):
    tf.random.set_seed(1)
    make = tf.data.Dataset.from_tensor_slices(["a", "b"])
    return [
        _all(make.enumerate()),
        _all(make.enumerate(5)),
        repr(make.enumerate()),
        _all(make.enumerate().batch(2)),
        _all(make.map(tf.strings.length).enumerate(start=1)),
        _all(make.apply(tf.data.experimental.enumerate_dataset(3))),
        [(int(n), x.numpy()) for n, x in make.enumerate().shuffle(2, seed=1)],
    ]


def concatenations(tf, np):
    tf.random.set_seed(1)
    make = tf.data.Dataset
    one, two = make.range(2), make.range(5, 7)
    shapes = make.from_tensors([1, 2]).concatenate(make.from_tensors([1, 2, 3]))
    return [
        _all(one.concatenate(two)),
        len(one.concatenate(two)),
        repr(shapes),
        _all(shapes),
        int(one.repeat().concatenate(two).cardinality()),
        int(one.filter(lambda x: x > 0).concatenate(two).cardinality()),
        caught(lambda: one.concatenate(make.from_tensors(1.0))),
        caught(lambda: one.concatenate(make.from_tensors((1, 2)))),
        _all(one.concatenate(two).shuffle(4, seed=2)),
    ]


def caches(tf, np):
    called = []

    def counted(x):
        called.append(int(x))
        return x + 1

    numbers = tf.data.Dataset.range(3)
    dataset = numbers.map(lambda x: tf.py_function(counted, [x], tf.int64)).cache()
    first, second = _all(dataset), _all(dataset)
    random = tf.data.Dataset.range(3).map(lambda x: tf.random.uniform([])).cache()
    kept = _all(random) == _all(random)
    return [
        first,
        second,
        sorted(called),
        kept,
        repr(numbers.cache()),
        len(numbers.cache()),
        _all(numbers.cache().repeat(2)),
    ]


def singles(tf, np):
    make = tf.data.Dataset
    return [
        make.range(1).get_single_element(),
        caught(make.range(0).get_single_element),
        caught(make.range(2).get_single_element),
        tf.data.experimental.get_single_element(make.from_tensors(([1], "a"))),
        tf.data.experimental.at(make.range(5), 3),
        caught(lambda: tf.data.experimental.at(make.range(3), 5)),
    ]


def cardinalities(tf, np):
    make = tf.data.Dataset.range(10)
    steps = {
        "map": make.map(lambda x: x),
        "batch": make.batch(3),
        "drop": make.batch(3, True),
        "filter": make.filter(lambda x: x > 1),
        "shuffle": make.shuffle(3),
        "cache": make.cache(),
        "prefetch": make.prefetch(2),
        "unbatch": make.batch(2).unbatch(),
        "window": make.window(3),
        "window shift": make.window(3, 2),
        "window drop": make.window(3, 2, drop_remainder=True),
        "window stride": make.window(3, 1, 2, True),
        "padded": make.padded_batch(4),
        "enumerate": make.enumerate(),
        "flat_map": make.flat_map(tf.data.Dataset.from_tensors),
        "unique": make.unique(),
        "take_while": make.take_while(lambda x: x < 2),
        "scan": make.scan(0, lambda s, x: (s, x)),
        "infinite": make.repeat().batch(3),
        "taken": make.repeat().take(3),
        "taken filter": make.filter(lambda x: x > 1).take(3),
        "skipped": make.repeat().skip(3),
        "empty": make.take(0).repeat(),
        "ignore": make.ignore_errors(),
        "none of filter": make.take(0).filter(lambda x: x > 1),
    }
    found = {name: int(dataset.cardinality()) for name, dataset in steps.items()}
    names = [
        tf.data.INFINITE_CARDINALITY,
        tf.data.UNKNOWN_CARDINALITY,
        tf.data.AUTOTUNE,
        tf.data.experimental.AUTOTUNE,
    ]
    return [found, names, make.cardinality(), tf.data.experimental.cardinality(make)]


def lengths(tf, np):
    make = tf.data.Dataset.range(3)
    return [
        len(make),
        caught(lambda: len(make.repeat())),
        bool(make.take(0)),
        caught(lambda: len(make.filter(lambda x: x > 1))),
    ]


def reprs(tf, np):
    make = tf.data.Dataset
    numbers = make.range(3)
    batches = numbers.batch(2)
    datasets = [
        numbers,
        make.from_tensors(1),
        make.from_tensor_slices([1.0]),
        batches,
        numbers.shuffle(2),
        numbers.repeat(),
        numbers.take(1),
        numbers.skip(1),
        numbers.enumerate(),
        numbers.cache(),
        numbers.prefetch(1),
        numbers.map(lambda x: x),
        numbers.map(lambda y: y, 2),
        numbers.filter(lambda x: x > 1),
        numbers.flat_map(make.from_tensors),
        numbers.interleave(make.from_tensors),
        numbers.concatenate(numbers),
        numbers.window(2),
        make.zip(numbers, numbers),
        numbers.padded_batch(2),
        batches.unbatch(),
        numbers.shard(2, 0),
        numbers.scan(np.int64(0), lambda s, x: (s, x)),
        numbers.take_while(lambda x: x < 1),
        numbers.unique(),
        batches.rebatch(3),
        numbers.with_options(tf.data.Options()),
        make.random(),
        make.counter(),
        numbers.ignore_errors(),
        numbers.batch(2, num_parallel_calls=2),
        make.sample_from_datasets([numbers, numbers]),
        numbers.batch(2, drop_remainder=True),
        numbers.repeat().batch(4),
        make.choose_from_datasets([numbers, numbers], numbers),
        numbers.apply(tf.data.experimental.assert_cardinality(3)),
        make.from_tensor_slices(tf.ragged.constant([[1], [2, 3]])),
        make.from_tensors(tf.sparse.from_dense([[1, 0]])),
        numbers.group_by_window(lambda x: x % 2, lambda k, d: d.batch(2), 2),
    ]
    return [[repr(d), type(d).__name__, isinstance(d, make), str(d) == repr(d)] for d in datasets]


def iterators(tf, np):
    dataset = tf.data.Dataset.range(2)
    iterator = iter(dataset)
    found = [next(iterator), iterator.get_next(), caught(iterator.get_next)]
    found += [iter(dataset).next(), caught(iter(dataset.take(0)).next)]
    found += [
        caught(lambda: next(iterator)),
        iterator.element_spec,
        repr(iter(iterator) is iterator),
    ]
    optional = iter(dataset).get_next_as_optional()
    found += [optional.has_value(), optional.get_value(), repr(optional.element_spec)]
    ended = iter(dataset.take(0)).get_next_as_optional()
    found += [ended.has_value(), isinstance(iterator, tf.data.Iterator)]
    pairs = iter(tf.data.Dataset.zip(dataset.take(0), dataset))
    found += [caught(pairs.get_next)]
    found += [tf.data.experimental.get_next_as_optional(iter(dataset)).get_value()]
    numbers = dataset.as_numpy_iterator()
    return [str(x) if isinstance(x, tf.TensorSpec) else x for x in found] + [
        numbers.next(),
        next(numbers),
        caught(lambda: next(numbers)),
        iter(numbers) is numbers,
    ]


def iterators_are_independent(tf, np):
    dataset = tf.data.Dataset.range(3)
    one, two = iter(dataset), iter(dataset)
    return [next(one), next(one), next(two), list(one), list(two), list(one)]


def numpy_values(tf, np):
    dataset = tf.data.Dataset.from_tensors({"a": [1, 2], "b": (3.0, "x")})
    value = next(dataset.as_numpy_iterator())
    return [
        value,
        value["a"].flags.writeable,
        type(value["b"][0]).__name__,
        type(value["b"][1]).__name__,
    ]


def specs(tf, np):
    dataset = tf.data.Dataset.from_tensor_slices(([1, 2], [[1.0], [2.0]]))
    spec = tf.data.DatasetSpec(tf.TensorSpec([], tf.int32))
    return [
        repr(tf.data.DatasetSpec.from_value(dataset)),
        repr(tf.type_spec_from_value(dataset)),
        repr(tf.type_spec_from_value(iter(dataset))),
        repr(spec.element_spec),
        spec == tf.data.DatasetSpec(tf.TensorSpec([], tf.int32)),
        spec.is_compatible_with(tf.data.Dataset.range(3, output_type=tf.int32)),
        spec.is_compatible_with(tf.data.Dataset.range(3)),
        repr(tf.data.IteratorSpec(tf.TensorSpec([]))),
        repr(tf.data.experimental.get_structure(dataset)),
        caught(lambda: tf.data.experimental.get_structure(3)).name,
    ]


def options(tf, np):
    made = tf.data.Options()
    made.deterministic = False
    made.threading.private_threadpool_size = 3
    made.autotune.enabled = True
    made.experimental_optimization.map_fusion = True
    made.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.DATA
    dataset = tf.data.Dataset.range(3).with_options(made).map(lambda x: x)
    found = dataset.options()

    def unknown():
        made.foo = 1

    def wrong():
        made.deterministic = 3

    def frozen():
        found.threading.private_threadpool_size = 2

    def wrong_inside():
        tf.data.Options().threading.private_threadpool_size = "a"

    return [
        found.deterministic,
        found.threading.private_threadpool_size,
        found.autotune.enabled,
        found.experimental_optimization.map_fusion,
        found.experimental_optimization.map_and_batch_fusion,
        found.experimental_distribute.auto_shard_policy.name,
        found.dataset_name,
        tf.data.Options() == tf.data.Options(),
        made == tf.data.Options(),
        caught(unknown),
        caught(wrong),
        caught(wrong_inside),
        caught(frozen),
        _all(dataset),
        tf.data.Dataset.range(3).options().deterministic,
        made.merge(tf.data.Options()).deterministic,
        made.experimental_deterministic,
    ]


def mistakes(tf, np):
    numbers = tf.data.Dataset.range(3)
    make = tf.data.Dataset.from_tensor_slices
    return [
        caught(lambda: make(([1, 2], [1, 2, 3]))),
        caught(lambda: make(1)),
        caught(lambda: make(())),
        caught(lambda: numbers.take("a")),
        caught(lambda: numbers.shuffle(0)),
        caught(lambda: numbers.prefetch(-3)),
        caught(lambda: tf.data.Dataset.range(0, 3, 0)),
        caught(lambda: tf.data.Dataset.range()),
        caught(lambda: numbers.shard(2, 5)),
        caught(lambda: numbers.shard(0, 0)),
        caught(lambda: numbers.repeat(1.5)),
        caught(lambda: numbers.apply(lambda d: 3)),
        caught(lambda: numbers.map(3)),
        caught(lambda: tf.data.Dataset()).name,
        caught(lambda: list(numbers.apply(tf.data.experimental.assert_cardinality(4)))),
        caught(lambda: list(numbers.apply(tf.data.experimental.assert_cardinality(2)))),
    ]


def settings(tf, np):
    more = tf.data.experimental
    kinds = [
        tf.data.ThreadingOptions,
        more.ThreadingOptions,
        more.AutotuneOptions,
        more.DistributeOptions,
        more.OptimizationOptions,
        more.ServiceOptions,
    ]
    found = {}
    for kind in kinds:
        made = kind()
        names = [name for name in dir(made) if not name.startswith("_")]
        found[kind.__name__] = {name: str(getattr(made, name)) for name in names}
    for kind in (more.AutoShardPolicy, more.AutotuneAlgorithm, more.ExternalStatePolicy):
        found[kind.__name__] = [repr(member) for member in kind]
    made = more.AutotuneOptions()
    made.autotune_algorithm = more.AutotuneAlgorithm.HILL_CLIMB
    return [found, made.autotune_algorithm.name, made == more.AutotuneOptions(), more.SHARD_HINT]


def numpy_iterators(tf, np):
    iterator = tf.data.NumpyIterator(tf.data.Dataset.range(2))
    same = type(iterator) is type(tf.data.Dataset.range(1).as_numpy_iterator())
    return [next(iterator), iterator.next(), same]


def random_ops_on_batches_of_two_sizes(tf, np):
    """One function serves both, so that its ops go on where they were."""
    tf.random.set_seed(4)
    batches = tf.data.Dataset.range(10).batch(4)
    mapped = batches.map(lambda x: tf.random.shuffle(x) + tf.random.uniform([], 0, 9, tf.int64))
    return [_all(dataset) for dataset in (mapped, mapped, mapped.repeat(2))]


def random_ops_where_python_looks_at_values(tf, np):
    """Its Python runs for each element: the ops begin anew in each iteration, and have seeds."""

    @tf.function
    def flipped(x):
        if tf.random.uniform([]) > 0.5:
            x = -x
        return x

    def moved(x):
        x = flipped(x) + tf.random.uniform([], 0, 9, tf.int64)
        if x > 4:
            x = x + 100
        return x

    tf.random.set_seed(4)
    found = []
    for function in (flipped, moved):
        mapped = tf.data.Dataset.range(1, 9).map(function)
        made = (mapped, mapped.take(2), mapped.repeat(2), mapped.shuffle(8))
        found += [_all(dataset) for dataset in made]
    return found


def iterators_that_nobody_reads(tf, np):
    """Each draws the next seeds of what is shuffled, as soon as it is made."""
    data = tf.data.Dataset
    later = [
        lambda d: d, lambda d: d.map(lambda x: x + 1).prefetch(2), lambda d: d.repeat(2),
        lambda d: d.batch(2), lambda d: d.padded_batch(2), lambda d: d.filter(lambda x: x > 0),
        lambda d: d.concatenate(d), lambda d: d.flat_map(data.from_tensors),
        lambda d: d.interleave(data.from_tensors),
        lambda d: d.scan(np.int64(0), lambda s, x: (s + x, s)),
        lambda d: d.take_while(lambda x: x < 7), lambda d: d.unique(), lambda d: d.take(4),
        lambda d: d.batch(2).unbatch(), lambda d: d.window(2).flat_map(lambda w: w.batch(2)),
    ]  # fmt: skip
    found = []
    for make in later:
        dataset = make(data.range(6).shuffle(6, seed=2))
        first = _all(dataset)
        iter(dataset)
        found.append([first, _all(dataset), _all(dataset)])
    return found


def unique_elements_of_other_types(tf, np):
    make = tf.data.Dataset.from_tensor_slices
    values = [1.0, 1.0], tf.constant([1, 1], tf.int8), [True, True], {"a": [1.0]}
    found = [_all(make(v).unique()) for v in ([1, 1], ["a", "a"], [[1], [1]])]
    return found, [caught(lambda v=v: make(v).unique()) for v in values]
