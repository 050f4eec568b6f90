"""Datasets and iterators as arguments, results and captures of functions."""

from programs.functions import kind_of_error


def one_trace_for_datasets_of_one_spec(tf, np):
    @tf.function
    def f(dataset):
        total = tf.constant(0, tf.int64)
        for x in dataset:
            total += x
        return total

    make = tf.data.Dataset
    results = [f(make.range(3)), f(make.range(5)), f(make.range(4).map(lambda x: x * 2))]
    before = f.experimental_get_tracing_count()
    return {
        "results": results,
        "traces": [before, f.experimental_get_tracing_count()],
        "another spec": f(make.range(4).batch(2).map(tf.reduce_sum)),
        "traces then": f.experimental_get_tracing_count(),
    }


def a_dataset_with_a_signature(tf, np):
    spec = tf.data.DatasetSpec(tf.TensorSpec([], tf.int64))

    @tf.function(input_signature=[spec])
    def f(dataset):
        return dataset.reduce(tf.constant(0, tf.int64), lambda a, b: a + b)

    make = tf.data.Dataset
    found = [f(make.range(3)), f(make.range(5))]
    return [
        *found,
        f.experimental_get_tracing_count(),
        kind_of_error(lambda: f(tf.constant(1))),
    ]


def datasets_reduced(tf, np):
    @tf.function
    def f(dataset, start):
        return dataset.reduce(start, lambda a, b: a + b)

    make = tf.data.Dataset
    zero = tf.constant(0, tf.int64)
    results = [f(make.range(n), zero) for n in (3, 4, 5)]
    return [*results, f.experimental_get_tracing_count()]


def a_dataset_made_in_a_function(tf, np):
    @tf.function
    def f(n):
        total = tf.constant(0, tf.int64)
        for x in tf.data.Dataset.range(n).map(lambda x: x * x).batch(2):
            total += tf.reduce_sum(x)
        return total

    results = [f(tf.constant(n, tf.int64)) for n in (3, 6, 1)]
    return [*results, f.experimental_get_tracing_count()]


def a_dataset_that_is_returned(tf, np):
    @tf.function
    def f(dataset, k):
        return dataset.map(lambda x: x * k).batch(2)

    @tf.function
    def g(x):
        return {"data": tf.data.Dataset.from_tensor_slices(x), "sum": tf.reduce_sum(x)}

    found = []
    for n, k in ((3, 2), (5, 3)):
        result = f(tf.data.Dataset.range(n), tf.constant(k, tf.int64))
        found.append([x.numpy().tolist() for x in result])
        found.append(repr(result.element_spec))
    both = g(tf.constant([1.0, 2.0]))
    found += [[float(x) for x in both["data"]], both["sum"]]
    both = g(tf.constant([3.0, 2.0]))
    found += [[float(x) for x in both["data"]], both["sum"]]
    return [*found, isinstance(result, tf.data.Dataset), f.experimental_get_tracing_count()]


def a_dataset_that_is_captured(tf, np):
    dataset = tf.data.Dataset.range(4)

    @tf.function
    def f(k):
        total = tf.constant(0, tf.int64)
        for x in dataset:
            total += x * k
        return total

    @tf.function
    def g(k):
        return dataset.map(lambda x: x + k).reduce(np.int64(0), lambda a, b: a + b)

    results = [h(tf.constant(k, tf.int64)) for h in (f, g) for k in (1, 2, 3)]
    return [*results, f.experimental_get_tracing_count(), g.experimental_get_tracing_count()]


def an_iterator_that_is_an_argument(tf, np):
    @tf.function
    def f(iterator):
        return next(iterator) + next(iterator)

    iterator = iter(tf.data.Dataset.range(5))
    found = [f(iterator), f(iterator), kind_of_error(lambda: f(iterator))]
    found += [f(iter(tf.data.Dataset.range(2, 9))), f.experimental_get_tracing_count()]
    return found


def an_iterator_that_is_captured(tf, np):
    iterator = iter(tf.data.Dataset.range(5))

    @tf.function
    def f(k):
        return next(iterator) * k

    found = [f(tf.constant(k, tf.int64)) for k in (1, 2, 3)]
    return [*found, next(iterator), f.experimental_get_tracing_count()]


def a_loop_over_an_iterator(tf, np):
    @tf.function
    def f(iterator):
        total = tf.constant(0, tf.int64)
        for x in iterator:
            total += x
        return total

    @tf.function
    def some(iterator, count):
        total = tf.constant(0, tf.int64)
        for _ in tf.range(count):
            total += next(iterator)
        return total

    iterator = iter(tf.data.Dataset.range(9))
    found = [some(iterator, tf.constant(2)), some(iterator, tf.constant(3)), f(iterator)]
    return [*found, f(iter(tf.data.Dataset.range(3))), f.experimental_get_tracing_count()]


def iterators_with_a_signature(tf, np):
    spec = tf.data.IteratorSpec(tf.TensorSpec([None, 2], tf.float32))

    @tf.function(input_signature=[spec])
    def f(iterator):
        return tf.reduce_sum(next(iterator))

    dataset = tf.data.Dataset.from_tensor_slices(np.ones((5, 2), np.float32)).batch(2)
    iterator = iter(dataset)
    return [f(iterator), f(iterator), f(iterator), f.experimental_get_tracing_count()]


def optional_elements(tf, np):
    @tf.function
    def f(iterator):
        optional = iterator.get_next_as_optional()
        if optional.has_value():
            return optional.get_value()
        return tf.constant(-1, tf.int64)

    iterator = iter(tf.data.Dataset.range(2))
    return [f(iterator), f(iterator), f(iterator), f.experimental_get_tracing_count()]


def training_over_a_dataset(tf, np):
    v = tf.Variable(1.0)

    @tf.function
    def epoch(dataset):
        losses = tf.constant(0.0)
        for x, y in dataset:
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((x * v - y) ** 2)
            v.assign_sub(0.1 * tape.gradient(loss, v))
            losses += loss
        return losses

    x = np.arange(6, dtype=np.float32) / 6
    dataset = tf.data.Dataset.from_tensor_slices((x, 2 * x)).batch(2)
    found = [epoch(dataset) for _ in range(3)]
    found.append(epoch(tf.data.Dataset.from_tensor_slices((x, 3 * x)).batch(2)))
    return [*found, v.numpy(), epoch.experimental_get_tracing_count()]


def datasets_in_nests_and_keywords(tf, np):
    @tf.function
    def f(parts, *, more=None):
        total = tf.constant(0, tf.int64)
        for x in parts["a"][0]:
            total += x
        if more is not None:
            for x in more:
                total -= x
        return total, parts["b"]

    make = tf.data.Dataset
    found = []
    for n in (3, 4):
        found.append(f({"a": [make.range(n)], "b": tf.constant(1.0)}))
        found.append(f({"a": [make.range(n)], "b": tf.constant(1.0)}, more=make.range(2)))
    return [*found, f.experimental_get_tracing_count()]


def concrete_functions_of_datasets(tf, np):
    @tf.function
    def f(dataset):
        return dataset.reduce(np.int64(0), lambda a, b: a + b)

    concrete = f.get_concrete_function(tf.data.DatasetSpec(tf.TensorSpec([], tf.int64)))
    by_value = f.get_concrete_function(tf.data.Dataset.range(3))
    return {
        "called": [concrete(tf.data.Dataset.range(n)) for n in (3, 4)],
        "the same": by_value is concrete,
        "by value": by_value(tf.data.Dataset.range(5)),
        "signature": repr(concrete.structured_input_signature),
        "traces": f.experimental_get_tracing_count(),
    }


def specs_of_datasets(tf, np):
    import pickle

    make, spec = tf.data.DatasetSpec, tf.TensorSpec([2])
    dataset = tf.data.Dataset.range(3).batch(2)
    nested = make({"a": spec, "b": (spec, tf.RaggedTensorSpec([None, None]))})
    iterators = tf.data.IteratorSpec
    iterator = iter(dataset)
    return {
        "reprs": [repr(make(spec)), str(make(spec)), repr(nested), repr(make.from_value(dataset))],
        "of values": [repr(tf.type_spec_from_value(dataset)), repr(dataset.element_spec)],
        "equal": [
            make(spec) == make(tf.TensorSpec([2])), make(spec) == make(tf.TensorSpec([3])),
            make(spec) != make(tf.TensorSpec([3])), make(spec) == spec, make(spec) == 1,
            make.from_value(dataset) == make.from_value(dataset),
        ],
        "hash": [
            hash(make(spec)) == hash(make(tf.TensorSpec([2]))),
            kind_of_error(lambda: hash(nested) == hash(make({"a": spec, "b": (
                spec, tf.RaggedTensorSpec([None, None]))}))),
        ],
        "compatible": [
            make(spec).is_compatible_with(make(tf.TensorSpec([None]))),
            make(spec).is_compatible_with(make(tf.TensorSpec([3]))),
            make(tf.TensorSpec([None], tf.int64)).is_compatible_with(dataset),
            make(spec).is_compatible_with(dataset), make(spec).is_compatible_with(1),
        ],
        "subtype": [
            make(spec).is_subtype_of(make(tf.TensorSpec([None]))),
            make(tf.TensorSpec([None])).is_subtype_of(make(spec)),
            make(spec).is_subtype_of(spec),
        ],
        "common": [
            repr(make(spec).most_specific_common_supertype([make(tf.TensorSpec([3]))])),
            repr(make(spec).most_specific_compatible_type(make(tf.TensorSpec([3])))),
        ],
        "nothing common": kind_of_error(
            lambda: make(spec).most_specific_compatible_type(make(tf.TensorSpec([3], tf.int32)))
        ),
        "pickled": [
            kind_of_error(lambda: repr(pickle.loads(pickle.dumps(make(spec))))),
            kind_of_error(lambda: pickle.loads(pickle.dumps(nested)) == nested),
        ],
        "attributes": [repr(make(spec).element_spec), make(spec).value_type is tf.data.Dataset],
        "iterators": [
            repr(iterators(spec)), repr(iterator.element_spec),
            repr(tf.type_spec_from_value(iterator)), iterators(spec) == iterators(spec),
            hash(iterators(spec)) == hash(iterators(spec)),
            iterators(spec).is_compatible_with(iterators(tf.TensorSpec([None]))),
            repr(iterators.from_value(iterator)), iterators(spec) == make(spec),
            kind_of_error(lambda: repr(pickle.loads(pickle.dumps(iterators(spec))))),
        ],
    }  # fmt: skip


def gradients_over_a_dataset(tf, np):
    v = tf.Variable(2.0)

    @tf.function
    def f(dataset):
        total = tf.constant(0.0)
        for x in dataset:
            total += x * v * v
        return total

    found = []
    for n in (3, 4):
        with tf.GradientTape() as tape:
            total = f(tf.data.Dataset.range(n).map(lambda x: tf.cast(x, tf.float32)))
        found.append([total, tape.gradient(total, v)])
    return found


def an_empty_dataset(tf, np):
    @tf.function
    def f(dataset):
        total = tf.constant(7, tf.int64)
        for x in dataset:
            total += x
        return total

    return [f(tf.data.Dataset.range(n)) for n in (0, 3, 0)] + [f.experimental_get_tracing_count()]


def what_is_seen_of_a_dataset(tf, np):
    found = []

    @tf.function
    def f(dataset):
        found.append([repr(dataset.element_spec), isinstance(dataset, tf.data.Dataset)])
        return tf.constant(0)

    f(tf.data.Dataset.range(3))
    return found[:1]


def equal_datasets_twice(tf, np):
    @tf.function
    def f(one, two):
        return tf.data.Dataset.zip((one, two)).reduce(
            np.int64(0), lambda total, pair: total + pair[0] * pair[1]
        )

    one = tf.data.Dataset.range(3)
    return [f(one, one), f(one, tf.data.Dataset.range(4)), f.experimental_get_tracing_count()]


def datasets_of_several_batch_sizes(tf, np):
    @tf.function(input_signature=[tf.data.DatasetSpec(tf.TensorSpec([None], tf.int64))])
    def f(dataset):
        return dataset.reduce(np.int64(0), lambda a, b: a + tf.reduce_sum(b))

    make = tf.data.Dataset
    return [
        f(make.range(4).batch(2)), f(make.range(4).batch(3)), f(make.range(4).batch(4)),
        f.experimental_get_tracing_count(),
    ]  # fmt: skip


def what_differs_between_datasets_of_one_spec(tf, np):
    @tf.function
    def count(dataset):
        return dataset.cardinality()

    make = tf.data.Dataset
    found = [count(make.range(n)) for n in (3, 5, 3)]
    return [*found, count.experimental_get_tracing_count()]


def steps_until_a_dataset_ends(tf, np):
    v = tf.Variable(0, dtype=tf.int64)

    @tf.function
    def step(iterator):
        v.assign_add(next(iterator))

    found = []
    for n in (3, 4):
        iterator = iter(tf.data.Dataset.range(n))
        try:
            while True:
                step(iterator)
        except tf.errors.OutOfRangeError:
            found.append(v.numpy())
    return [*found, kind_of_error(lambda: next(iterator))]
