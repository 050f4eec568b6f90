"""Inputs of replicas as in the guide about them: signatures, generators, partial batches."""

from programs.program import caught
from programs.replicas import _float, _mirrored, _number

# The generator divides the CPU into so many for TensorFlow.
LOGICAL_CPUS = 3


def _pairs(tf, count=10):
    x = tf.reshape(tf.range(2.0 * count), [count, 2])
    return tf.data.Dataset.from_tensor_slices((x, tf.range(count)))


def signatures_of_elements(tf, np):
    strategy, found = _mirrored(tf, 2), []
    data = strategy.experimental_distribute_dataset(_pairs(tf).batch(4))

    @tf.function(input_signature=[data.element_spec])
    def step(inputs):
        own = strategy.run(lambda x, y: tf.reduce_sum(x) + tf.cast(tf.size(y), tf.float32), inputs)
        return strategy.reduce("SUM", own, axis=None)

    found.append([step(batch) for batch in data])
    iterator = iter(data)
    found.append(step(next(iterator)))
    found.append([repr(data.element_spec), repr(iterator.element_spec)])
    even = strategy.experimental_distribute_dataset(_pairs(tf).batch(4, drop_remainder=True))
    found.append(repr(even.element_spec))
    found.append(caught(step, 3).name)
    return found


def signatures_of_values(tf, np):
    strategy = _mirrored(tf, 2)
    make = strategy.experimental_distribute_values_from_function
    own = make(lambda c: tf.ones([2]) * (c.replica_id_in_sync_group + 1.0))
    spec = own._type_spec

    @tf.function(input_signature=[spec])
    def doubled(values):
        return strategy.run(lambda x: x * 2.0, args=(values,))

    traced = doubled.get_concrete_function()
    nested = tf.nest.map_structure(lambda x: x, {"a": own})
    return [
        repr(doubled(own)), type(spec).__name__, repr(spec), repr(traced(own)),
        tf.nest.is_nested(own), len(tf.nest.flatten(own)), repr(nested["a"]),
        len(tf.nest.flatten(own, expand_composites=True)),
        [x.numpy() for x in tf.nest.flatten(own, expand_composites=True)],
    ]  # fmt: skip


def generators_of_elements(tf, np):
    strategy, found = _mirrored(tf, 2), []

    def rows():
        for k in range(5):
            yield {"x": np.full([2], k, np.float32), "n": k}

    spec = {"x": tf.TensorSpec([2], tf.float32), "n": tf.TensorSpec([], tf.int32)}
    data = tf.data.Dataset.from_generator(rows, output_signature=spec).batch(2)
    for batch in strategy.experimental_distribute_dataset(data):
        own = strategy.run(
            lambda b: tf.reduce_sum(b["x"], 1) + tf.cast(b["n"], tf.float32), (batch,)
        )
        found.append(repr(own))
    return found


def preprocessing_in_datasets(tf, np):
    strategy, found = _mirrored(tf, 2), []
    words = tf.constant(["a b", "c", "d e f", "g"])
    table = tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(tf.constant(list("abcdefg")), tf.range(7)), -1
    )

    def ids(text):
        return table.lookup(tf.strings.split(text)).to_tensor(-1)

    data = tf.data.Dataset.from_tensor_slices(words).batch(2).map(ids)
    for batch in strategy.experimental_distribute_dataset(data):
        own = strategy.run(lambda x: tf.reduce_max(x, 1), args=(batch,))
        found.append([repr(batch), repr(own)])
    return found


def steps_of_fixed_number(tf, np):
    """The number of steps is fixed: partial batches, then the end, are asked for."""
    strategy, found = _mirrored(tf, 2), []
    data = strategy.experimental_distribute_dataset(_pairs(tf, 6).batch(4))

    @tf.function
    def epoch(iterator):
        total = 0.0
        for _ in tf.range(3):
            value = iterator.get_next_as_optional()
            if not value.has_value():
                break
            own = strategy.run(lambda x, y: tf.reduce_sum(x), args=value.get_value())
            total += strategy.reduce("SUM", own, axis=None)
        return total

    found.append(caught(lambda: epoch(iter(data))))
    iterator = iter(data)
    for _ in range(3):
        found.append(caught(lambda: repr(iterator.get_next()[1])))
    return [f.name if hasattr(f, "text") else f for f in found]


def several_datasets_together(tf, np):
    strategy = _mirrored(tf, 2)
    first = strategy.experimental_distribute_dataset(_pairs(tf).batch(4))
    second = strategy.experimental_distribute_dataset(tf.data.Dataset.range(10).batch(4))
    found = []
    for (x, y), z in zip(first, second, strict=True):
        own = strategy.run(
            lambda x, y, z: tf.reduce_sum(x) * tf.cast(tf.reduce_sum(y) + tf.cast(
                tf.reduce_sum(z), tf.int32), tf.float32), args=(x, y, z))  # fmt: skip
        found.append(own.values)
    return found


def values_of_numpy(tf, np):
    strategy = _mirrored(tf, 2)
    make = strategy.experimental_distribute_values_from_function
    given = [
        make(lambda c: np.arange(3) + c.replica_id_in_sync_group),
        make(lambda c: float(c.replica_id_in_sync_group)),
        make(lambda c: [c.replica_id_in_sync_group, (2.0, "a")]),
        make(lambda c: {"n": tf.constant([c.num_replicas_in_sync]), "none": None}),
    ]
    own = strategy.run(lambda a, b: tf.cast(a, tf.float32) * b, args=(given[0], given[1]))
    total = strategy.reduce("SUM", given[0], axis=None)
    return [repr(given), own.values, total]


def predictions_gathered(tf, np):
    strategy = _mirrored(tf, 2)
    with strategy.scope():
        w = tf.Variable([[1.0], [-1.0]])
    data = strategy.experimental_distribute_dataset(_pairs(tf, 7).batch(4))

    @tf.function
    def predict(x):
        return strategy.gather(strategy.run(lambda x: tf.matmul(x, w), args=(x,)), axis=0)

    found = [predict(x) for x, _ in data]
    labels = [strategy.gather(y, axis=0) for _, y in data]
    locals_ = [strategy.experimental_local_results(y) for _, y in data]
    return [tf.concat(found, 0), tf.concat(labels, 0), [len(each) for each in locals_]]


def confusion_of_replicas(tf, np):
    """Counts in a table with a row for each class, that replicas add to."""
    strategy = _mirrored(tf, 2)
    with strategy.scope():
        counts = tf.Variable(
            tf.zeros([3, 3], tf.int32), trainable=False,
            synchronization=tf.VariableSynchronization.ON_READ,
            aggregation=tf.VariableAggregation.SUM,
        )  # fmt: skip
    labels, guesses = tf.range(10) % 3, (tf.range(10) * 7) % 3
    data = tf.data.Dataset.from_tensor_slices((labels, guesses)).batch(4)

    @tf.function
    def count(batch):
        def replica(labels, guesses):
            counts.assign_add(tf.math.confusion_matrix(labels, guesses, 3))

        strategy.run(replica, args=batch)

    for batch in strategy.experimental_distribute_dataset(data):
        count(batch)
    return [counts.numpy(), [each.numpy() for each in strategy.experimental_local_results(counts)]]


def numbers_drawn_by_replicas(tf, np):
    """Each replica draws its own; drop-out masks differ; stateless ops draw the same."""
    strategy = _mirrored(tf, 2)
    tf.random.set_seed(3)
    with strategy.scope():
        generator = tf.random.Generator.from_seed(1)
        split = tf.random.Generator.from_seed(2).split(2)

    def replica():
        same = tf.random.stateless_uniform([2], [1, 2])
        own = tf.random.stateless_uniform([2], tf.stack([1, _number(tf)]))
        return same, own, generator.normal([2]), generator.uniform([1], maxval=5, dtype=tf.int64)

    found = []
    for run in (strategy.run, tf.function(strategy.run)):
        found.append([part.values for part in run(replica)])
    found.append([each.normal([1]) for each in split])
    found.append(strategy.run(lambda: generator.state.shape.as_list()))
    return found


def averages_of_weights(tf, np):
    """tf.train.ExponentialMovingAverage on variables of a strategy."""
    strategy = _mirrored(tf, 2)
    with strategy.scope():
        w = tf.Variable([1.0, 2.0])
        average = tf.train.ExponentialMovingAverage(0.5)
        average.apply([w])
    found = [average.average(w).numpy()]

    def replica():
        w.assign_add(tf.ones([2]))

    strategy.run(replica)
    w.assign(w * 2.0)
    with strategy.scope():
        average.apply([w])
    return [*found, w.numpy(), average.average(w).numpy(), type(average.average(w)).__name__]


def functions_across_replicas(tf, np):
    """`extended`: update of several variables, values that are broadcast, batches reduced."""
    strategy = _mirrored(tf, 2)
    with strategy.scope():
        v, w = tf.Variable([1.0, 2.0]), tf.Variable(3.0)
    extended, found = strategy.extended, []
    own = strategy.run(lambda: tf.constant([1.0, 1.0]) * (_float(tf) + 1.0))
    found.append(repr(extended.reduce_to("SUM", own, v)))
    found.append(repr(extended.reduce_to("MEAN", own, own)))
    found.append(repr(extended.broadcast_to(tf.constant(2.0), v)))
    found.append(repr(extended.batch_reduce_to("SUM", [(own, v), (own, v)])))
    updated = extended.update(v, lambda v, x: v.assign_add(x), args=(own,), group=False)
    found.append([len(updated), repr(v)])
    extended.update(w, lambda w, a, b=1.0: w.assign(a * b), args=(2.0,), kwargs={"b": 4.0})
    found.append([w.numpy(), extended.read_var(w), extended.read_var(v)])
    found.append([extended.parameter_devices == extended.worker_devices, repr(own)])
    found.append([len(extended.non_slot_devices([v])), extended.should_checkpoint])
    context = tf.distribute.get_replica_context

    def merged(strategy, x):
        return strategy.extended.update(w, lambda w, x: w.assign_sub(x), args=(
            strategy.reduce("SUM", x, axis=None),))  # fmt: skip

    strategy.run(lambda: (context().merge_call(merged, args=(_float(tf) + 1.0,)), None)[1])
    return [*found, w.numpy()]


def batches_that_are_not_sharded(tf, np):
    """With the policy OFF batches of known sizes run into each other."""
    data, found = tf.data.Dataset, []
    batches = data.from_tensor_slices(np.arange(10) % 9 > 0).batch(4)
    slices = data.from_tensor_slices({"a": np.arange(6), "b": np.sin(np.arange(6.0))})
    options = tf.data.Options()
    options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.OFF
    for dataset in (
        batches, batches.repeat(2), batches.map(tf.identity), batches.filter(tf.reduce_any),
        batches.take_while(tf.reduce_any), batches.prefetch(1).take(2), slices.batch(4),
        data.range(9).batch(4, drop_remainder=True).map(tf.identity),
        data.zip((batches, batches)), batches.concatenate(batches),
        data.range(5).batch(4).concatenate(data.range(3).batch(2)), data.from_tensors(np.arange(4)),
        data.range(8).window(4).flat_map(lambda window: window.batch(4)),
    ):  # fmt: skip
        for replicas in (2, 3):
            strategy = _mirrored(tf, replicas)
            distributed = strategy.experimental_distribute_dataset(dataset.with_options(options))
            found += [[part.values for part in tf.nest.flatten(element)] for element in distributed]
    return found
