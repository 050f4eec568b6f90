"""Datasets of strategies, batches of different sizes, and random numbers of replicas."""

from programs.program import caught
from programs.replicas import _float, _mirrored

# The generator divides the CPU into so many for TensorFlow.
LOGICAL_CPUS = 3


def _lists(tf, dataset):
    """What the replicas get of each element."""
    strategy = _mirrored(tf, 2)

    def numbers(value):
        return [part.numpy().tolist() for part in strategy.experimental_local_results(value)]

    return [tf.nest.map_structure(numbers, element) for element in dataset]


def batches_cut_for_replicas(tf, np):
    distribute = _mirrored(tf, 2).experimental_distribute_dataset
    count = tf.data.Dataset.range
    nested = tf.data.Dataset.from_tensor_slices(
        {"a": [1.0, 2.0, 3.0], "b": ([4, 5, 6], [[1], [2], [3]])}
    )
    whole = tf.data.Dataset.from_tensors(tf.reshape(tf.range(10), [5, 2]))
    datasets = [
        count(11).batch(4),
        count(9).batch(4),
        count(7).batch(3),
        count(3).batch(1),
        count(11).batch(4, drop_remainder=True),
        nested.batch(2),
        whole,
    ]
    specs = [distribute(d).element_spec for d in datasets]
    return (
        [_lists(tf, distribute(dataset)) for dataset in datasets],
        [repr(spec) for spec in tf.nest.flatten(specs)],
        [distribute(dataset).cardinality for dataset in datasets],
        caught(lambda: list(distribute(count(3)))).name,
        repr(next(iter(distribute(datasets[0])))),
    )


def iterators_of_replicas(tf, np):
    distributed = _mirrored(tf, 2).experimental_distribute_dataset(
        tf.data.Dataset.range(11).batch(4)
    )
    iterator = iter(distributed)
    found = [repr(next(iterator)), repr(iterator.get_next())]
    optional = iterator.get_next_as_optional()
    found += [optional.has_value(), repr(optional.get_value())]
    found.append(iterator.get_next_as_optional().has_value())
    found += [caught(lambda: next(iterator)).name, caught(iterator.get_next).name]
    found += [type(distributed).__name__, type(iterator).__name__, repr(iterator.element_spec)]
    again = _mirrored(tf, 2).make_dataset_iterator(tf.data.Dataset.range(4).batch(4))
    return found, repr(next(iter(again)))


def datasets_from_functions(tf, np):
    strategy = _mirrored(tf, 2)
    told = []

    def make(context):
        told.append((str(context), context.num_replicas_in_sync, context.num_input_pipelines))
        return tf.data.Dataset.range(10).batch(context.get_per_replica_batch_size(4))

    dataset = strategy.distribute_datasets_from_function(make)
    return _lists(tf, dataset), told, repr(dataset.element_spec)


def steps_over_batches_of_several_sizes(tf, np):
    strategy = _mirrored(tf, 2)
    x = tf.cast(tf.reshape(tf.range(22), [11, 2]), tf.float32) / 10.0
    dataset = tf.data.Dataset.from_tensor_slices(x).batch(4)
    distributed = strategy.experimental_distribute_dataset(dataset)
    found = []
    for decorated in (False, True):
        with strategy.scope():
            w = tf.Variable([0.5, -0.25])
            counted = tf.Variable(
                0.0, trainable=False, synchronization=tf.VariableSynchronization.ON_READ,
                aggregation=tf.VariableAggregation.SUM,
            )  # fmt: skip

        def replica(rows, w=w, counted=counted):
            with tf.GradientTape() as tape:
                losses = tf.reduce_sum(rows * w, 1) ** 2
                loss = tf.nn.compute_average_loss(losses, global_batch_size=4)
            gradient = tape.gradient(loss, w)
            gradient = tf.distribute.get_replica_context().all_reduce("sum", gradient)
            w.assign_sub(0.1 * gradient)
            counted.assign_add(tf.cast(tf.shape(rows)[0], tf.float32))
            return loss, tf.reduce_mean(losses), rows[:1]

        def step(batch, replica=replica):
            loss, mean, first = strategy.run(replica, args=(batch,))
            return strategy.reduce("SUM", loss, axis=None), mean, strategy.gather(first, axis=0)

        call = tf.function(step) if decorated else step
        for batch in distributed:
            loss, mean, first = call(batch)
            found.append((loss, mean.values, first))
        found.append((w.numpy(), counted.read_value()))
    return found


def gradients_through_reductions_of_several_sizes(tf, np):
    strategy = _mirrored(tf, 2)
    x = tf.cast(tf.range(9), tf.float32)
    distributed = strategy.experimental_distribute_dataset(
        tf.data.Dataset.from_tensor_slices(x).batch(4)
    )

    def replica(rows):
        context = tf.distribute.get_replica_context()
        with tf.GradientTape() as tape:
            tape.watch(rows)
            total = context.all_reduce("SUM", tf.reduce_sum(rows**2))
            loss = total * (_float(tf) + 1.0)
        return tape.gradient(loss, rows), total

    run = tf.function(lambda batch: strategy.run(replica, args=(batch,)))
    return [[part.values for part in run(batch)] for batch in distributed]


def numbers_of_replicas(tf, np):
    strategy = _mirrored(tf, 2)

    def draw():
        return (
            tf.random.normal([2]),
            tf.random.normal([2], seed=5),
            tf.random.uniform([1]),
            tf.random.stateless_normal([1], [1, 2]),
        )

    found = []
    for run in (strategy.run, tf.function(strategy.run)):
        tf.random.set_seed(1)
        found += [[value.values for value in run(draw)] for _ in range(2)]
    return found


def generators_of_replicas(tf, np):
    strategy = _mirrored(tf, 2)
    found = []
    for decorated in (False, True):
        with strategy.scope():
            inside = tf.random.Generator.from_seed(7)

        def draw(inside=inside):
            return inside.normal([2]), inside.uniform([1], maxval=1000, dtype=tf.int64)

        run = tf.function(strategy.run) if decorated else strategy.run
        found += [[value.values for value in run(draw)] for _ in range(2)]
        found.append((inside.state.numpy(), inside.key, inside.normal([2])))
    outside = tf.random.Generator.from_seed(7)
    found.append(strategy.run(lambda: outside.normal([2])).values)
    found.append(outside.normal([2]))
    alone = tf.distribute.OneDeviceStrategy("CPU:0")
    with alone.scope():
        single = tf.random.Generator.from_seed(7)
    found.append(alone.run(lambda: single.normal([2])))
    return found


def datasets_without_open_sizes(tf, np):
    strategy, count = _mirrored(tf, 2), tf.data.Dataset.range
    datasets = [
        count(3),
        count(6).batch(2, drop_remainder=True),
        count(5).batch(2),
        count(5).batch(1),
        count(4).batch(2).map(lambda x: {"x": x, "y": x * 2}),
    ]
    found = []
    for dataset in datasets:
        distributed = strategy.distribute_datasets_from_function(lambda c, d=dataset: d)
        iterator = iter(distributed)
        found.append((_lists(tf, distributed), repr(distributed.element_spec)))
        found.append(distributed.cardinality)
        found.append([repr(tf.nest.flatten(iterator.get_next())[0]), caught(_all, iterator).name])
    return found


def _all(iterator):
    while True:
        iterator.get_next()


def options_of_datasets(tf, np):
    kind, modes = tf.distribute.InputOptions, tf.distribute.InputReplicationMode
    strategy, told = _mirrored(tf, 2), []
    options = [
        kind(), kind(experimental_fetch_to_device=False),
        kind(experimental_replication_mode=modes.PER_REPLICA),
        kind(False, modes.PER_REPLICA, True),
        kind(experimental_place_dataset_on_device=True),
    ]  # fmt: skip

    def part(context):
        told.append((str(context), context.num_replicas_in_sync))
        own = tf.data.Dataset.range(7).shard(context.num_input_pipelines, context.input_pipeline_id)
        return own.batch(2)

    whole, found = tf.data.Dataset.range(6).batch(4), []
    for one in options:
        makers = [
            lambda o=one: strategy.distribute_datasets_from_function(part, o),
            lambda o=one: strategy.experimental_distribute_dataset(whole, o),
        ]
        found += [caught(lambda m=make: _lists(tf, m())) for make in makers]
    run = tf.distribute.RunOptions(experimental_bucketizing_dynamic_shape=True)
    return (
        found, told, [repr(one) for one in options], list(map(repr, modes)), repr(run),
        repr(strategy.run(lambda: _float(tf), options=run)),
        str(tf.distribute.experimental.ValueContext(1, 2)),
    )  # fmt: skip


def steps_that_know_the_size_of_a_batch(tf, np):
    """A replica without examples leaves a division out, at every second step."""
    strategy = _mirrored(tf, 2)
    x = tf.reshape(tf.sin(tf.range(14.0)), [7, 2])
    data = tf.data.Dataset.from_tensor_slices(x).batch(6)
    distributed = strategy.experimental_distribute_dataset(data)
    found = []
    for decorated in (False, True):
        with strategy.scope():
            w = tf.Variable([1.0, 2.0])

        def replica(x, w=w):
            size = tf.cast(tf.shape(x)[0], tf.float32)
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.linalg.matvec(x, w) ** 2)
                if x.shape[0] != 0:
                    loss /= tf.maximum(size, 1.0)
            gradient = tf.distribute.get_replica_context().all_reduce("SUM", tape.gradient(loss, w))
            w.assign_sub(0.1 * gradient)

        step = tf.function(strategy.run) if decorated else strategy.run
        for _ in range(3):
            for batch in distributed:
                step(replica, args=(batch,))
            found.append((w.numpy(), strategy.run(lambda w=w: w + 0.0).values))
    return found


def batches_of_all_sizes(tf, np):
    count = tf.data.Dataset.range
    return [
        _sizes(_mirrored(tf, replicas), dataset)
        for replicas in (2, 3)
        for size in (1, 2, 4, 5, 7)
        for dataset in (
            count(11).batch(size),
            count(9).batch(size, drop_remainder=True),
            count(8).batch(size).map(lambda x: tf.boolean_mask(x, x >= 0)).repeat(2).take(3),
        )
    ]


def _sizes(strategy, dataset):
    distributed = strategy.experimental_distribute_dataset(dataset)
    return [[int(value.shape[0]) for value in element.values] for element in distributed]


def batches_of_sparse_and_ragged_tensors(tf, np):
    strategy = _mirrored(tf, 2)
    sparse = tf.sparse.from_dense([[1, 0], [0, 2], [3, 0], [4, 5]])
    ragged = tf.ragged.constant([[1.0], [2.0, 3.0], [], [4.0]])
    found = []
    for batch in (2, 4):
        for tensor, total in ((sparse, tf.sparse.reduce_sum), (ragged, tf.reduce_sum)):
            dataset = tf.data.Dataset.from_tensor_slices(tensor).batch(batch)
            for x in strategy.experimental_distribute_dataset(dataset):
                sums = strategy.run(total, args=(x,))
                found.append((repr(x), strategy.reduce("SUM", sums, axis=None)))
    return found
