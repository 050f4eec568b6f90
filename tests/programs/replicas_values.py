"""Values of replicas: in and out of functions, reduced along axes, gathered, given by datasets."""

from programs.program import caught
from programs.replicas import _float, _mirrored, _number

# The generator divides the CPU into so many for TensorFlow.
LOGICAL_CPUS = 3


def _rows(strategy, batch):
    return [part.numpy().tolist() for part in strategy.experimental_local_results(batch)]


def reductions_along_axes(tf, np):
    strategy, found = _mirrored(tf, 2), []
    make = strategy.experimental_distribute_values_from_function
    even = make(
        lambda c: tf.reshape(tf.range(12.0), [2, 2, 3]) * (c.replica_id_in_sync_group + 1.0)
    )
    uneven = make(lambda c: tf.ones([3 - c.replica_id_in_sync_group, 2]) *
                  (c.replica_id_in_sync_group + 1.0))  # fmt: skip
    numbers = make(lambda c: tf.constant([1, 2, 4 + c.replica_id_in_sync_group]))
    for way in ("SUM", "MEAN"):
        for axis in (None, 0, 1, 2, -1, (0, 1), (0, 2), (0, 1, 2)):

            def reduced(way=way, axis=axis):
                return strategy.reduce(way, even, axis=axis)

            found.append(reduced())
            found.append(tf.function(reduced)())
        found.append(strategy.reduce(way, uneven, axis=0))
        found.append(tf.function(lambda way=way: strategy.reduce(way, uneven, axis=0))())
        found.append(strategy.reduce(way, numbers, axis=0))
        found.append(strategy.reduce(way, numbers, axis=None))
        found.append(caught(lambda way=way: strategy.reduce(way, even, axis=5)).name)
    found.append(strategy.reduce("SUM", (even, {"a": numbers}), axis=None))
    found.append(strategy.gather(uneven, axis=0))
    found.append([strategy.gather(part, axis=0) for part in (even, numbers)])
    found.append(tf.function(lambda: strategy.gather(uneven, axis=0))())
    found.append(strategy.gather(even, axis=2))
    return found


def structures_through_runs(tf, np):
    import collections

    Pair = collections.namedtuple("Pair", ["a", "b"])
    strategy = _mirrored(tf, 2)
    make = strategy.experimental_distribute_values_from_function
    given = make(lambda c: Pair(tf.constant(c.replica_id_in_sync_group), {"x": tf.ones([2])}))

    def replica(pair, *rest, scale=1, **others):
        kept = {"z": pair.b["x"] * 2.0, "a": rest, "n": None, "s": sorted(others)}
        return Pair(pair.a + scale, kept), (), [], {}, (pair.a,)

    found = [type(given).__name__, repr(given)]
    for run in (strategy.run, tf.function(strategy.run)):
        result = run(replica, args=(given, 1, tf.constant(2)), kwargs={"scale": 3, "k": given.a})
        found.append([type(result).__name__, type(result[0]).__name__, repr(result)])
        found.append([repr(x) for x in strategy.experimental_local_results(result[0].a)])
        found.append(len(strategy.experimental_local_results(result)))
    return found


def what_functions_are_given(tf, np):
    """`PerReplica` values as arguments of functions: how often these are traced."""
    strategy, traced = _mirrored(tf, 2), []
    make = strategy.experimental_distribute_values_from_function

    @tf.function
    def step(values, scale=1.0):
        traced.append(scale)
        own = strategy.run(lambda x: x * scale, args=(values,))
        return own, strategy.reduce("SUM", own, axis=None), values

    found = []
    for k in range(3):
        values = make(lambda c, k=k: tf.constant([1.0 * k, c.replica_id_in_sync_group]))
        own, total, back = step(values)
        found.append([repr(own), total, repr(back), len(traced)])
    other = make(lambda c: tf.ones([3]))
    found.append([repr(step(other)[0]), len(traced)])
    found.append([repr(step(values, scale=2.0)[0]), len(traced)])
    uneven = make(lambda c: tf.ones([c.replica_id_in_sync_group + 1]))
    for _ in range(2):
        found.append([[x.numpy() for x in step_of(tf, strategy, uneven)], len(traced)])
    return found


def step_of(tf, strategy, values):
    return tf.function(lambda v: strategy.run(lambda x: x + 1.0, args=(v,)))(values).values


def arguments_of_python(tf, np):
    strategy = _mirrored(tf, 2)
    array = np.array([1.0, 2.0], np.float32)
    table = {"a": 1, "b": (2.0, "text"), "c": None, "d": [True, array]}

    def replica(table, flag, ragged, sparse, text):
        return {
            "sum": table["d"][1] + table["b"][0],
            "flag": flag,
            "ragged": ragged.row_lengths(),
            "dense": tf.sparse.to_dense(sparse),
            "text": tf.strings.length(text),
        }

    args = (
        table, True, tf.ragged.constant([[1.0], [2.0, 3.0]]),
        tf.sparse.from_dense([[0.0, 2.0]]), tf.constant(["ab", "c"]),
    )  # fmt: skip
    found = []
    for run in (strategy.run, tf.function(strategy.run)):
        result = run(replica, args=args)
        shown = [
            repr(part) if hasattr(part, "values") else part
            for part in (result[key] for key in sorted(result))
        ]
        found.append(shown)
    return found


def composites_out_of_runs(tf, np):
    strategy = _mirrored(tf, 2)

    def replica():
        n = _number(tf)
        ragged = tf.RaggedTensor.from_row_lengths(tf.range(3.0) + _float(tf), [1, 2])
        sparse = tf.sparse.from_dense(tf.stack([_float(tf), 0.0, 5.0]))
        slices = tf.IndexedSlices(tf.ones([1, 2]) * _float(tf), tf.reshape(n, [1]))
        return ragged, sparse, slices, tf.strings.as_string(n), tf.TensorShape([1, 2])

    found = []
    for run in (strategy.run, tf.function(strategy.run)):
        result = run(replica)
        ragged, sparse, slices, text, shape = result
        found.append([part.to_list() for part in ragged.values])
        found.append([tf.sparse.to_dense(part, default_value=-1.0) for part in sparse.values])
        found.append([tf.convert_to_tensor(tf.IndexedSlices(
            part.values, part.indices, [2, 2])) for part in slices.values])  # fmt: skip
        found.append([part.numpy() for part in text.values])
        found.append([type(part).__name__ for part in result])
        found.append(str(shape))
    return found


def ragged_last_batches(tf, np):
    strategy, found = _mirrored(tf, 2), []
    with strategy.scope():
        w = tf.Variable(1.0)

    @tf.function
    def step(batch):
        def replica(rows):
            with tf.GradientTape() as tape:
                loss = tf.nn.compute_average_loss((w * rows - 1.0) ** 2, global_batch_size=4)
            gradient = tape.gradient(loss, w)
            w.assign_sub(0.1 * tf.distribute.get_replica_context().all_reduce("sum", gradient))
            return loss, tf.shape(rows)[0]

        parts = strategy.run(replica, args=(batch,))
        return [strategy.reduce("SUM", part, axis=None) for part in parts]

    for count in (8, 9, 12, 5, 8, 6, 1, 4):
        x = tf.data.Dataset.from_tensor_slices(tf.range(float(count)) / 10.0).batch(4)
        dataset = strategy.experimental_distribute_dataset(x)
        found.append([_rows(strategy, batch) for batch in dataset])
        found.append([step(batch) for batch in dataset])
        found.append(w.numpy())
    return found


def datasets_of_structures(tf, np):
    strategy, found = _mirrored(tf, 2), []
    data = tf.data.Dataset.from_tensor_slices(
        {"x": tf.reshape(tf.range(10.0), [5, 2]), "y": (tf.range(5), tf.constant(list("abcde")))}
    ).batch(2)
    distributed = strategy.experimental_distribute_dataset(data)
    for batch in distributed:
        found.append([repr(batch["x"]), repr(batch["y"][0]), repr(batch["y"][1])])
        doubled = strategy.run(lambda b: {"x": b["x"] * 2.0, "n": tf.size(b["y"][0])}, (batch,))
        found.append([repr(doubled["x"]), repr(doubled["n"])])
    found.append(repr(distributed.element_spec))
    found.append(distributed.cardinality)
    iterator = iter(distributed)
    found.append(repr(iterator.element_spec["y"][0]))
    found.append(type(next(iterator)["x"]).__name__)
    found.append(iterator.get_next_as_optional().has_value())
    found.append(repr(iterator.get_next()["y"][0]))
    found.append(iterator.get_next_as_optional().has_value())
    found.append(caught(iterator.get_next).name)
    found.append(caught(lambda: next(iterator)).name)
    return found


def datasets_of_functions(tf, np):
    strategy, found = _mirrored(tf, 2), []

    def make(context, size=3):
        found.append([str(context), context.num_replicas_in_sync, context.input_pipeline_id])
        data = tf.data.Dataset.range(7).shard(context.num_input_pipelines, 0)
        return data.batch(context.get_per_replica_batch_size(4), drop_remainder=size == 2)

    for size in (3, 2):
        data = strategy.distribute_datasets_from_function(lambda c, size=size: make(c, size))
        for batch in data:
            found.append(_rows(strategy, batch))
        found.append(repr(data.element_spec))
    found.append(caught(lambda: make(tf.distribute.InputContext(num_replicas_in_sync=3))))
    found.append(tf.distribute.InputContext(4, 2, 8).get_per_replica_batch_size(16))
    return found


def batches_that_are_repeated(tf, np):
    strategy, found = _mirrored(tf, 2), []
    base = tf.data.Dataset.range(5)
    for data in (
        base.batch(2).repeat(2), base.repeat(2).batch(4), base.batch(2).map(lambda x: (x, x * x)),
        base.batch(3).take(1), base.batch(4).cache().prefetch(1), base.batch(2).batch(2, True),
        base.batch(2, drop_remainder=True), base.padded_batch(2), base.batch(2).enumerate(),
        base.window(2).flat_map(lambda w: w.batch(2)), base.batch(2).shuffle(1, seed=1),
        base.batch(2).concatenate(base.batch(3)), tf.data.Dataset.zip((base.batch(2),) * 2),
        base.batch(4).filter(lambda x: x[0] > 0), base.batch(7).interleave(
            lambda x: tf.data.Dataset.from_tensors(x)),
    ):  # fmt: skip

        def all_of(data=data):
            rows = []
            for batch in strategy.experimental_distribute_dataset(data):
                parts = tf.nest.flatten(batch)
                rows.append([[x.numpy() for x in part.values] for part in parts])
            return rows

        result = caught(all_of)
        found.append(result.name if hasattr(result, "text") else result)
    return found


def loops_in_functions(tf, np):
    strategy, found = _mirrored(tf, 2), []
    data = tf.data.Dataset.from_tensor_slices(tf.range(10.0)).batch(4)
    with strategy.scope():
        total = tf.Variable(0.0, aggregation=tf.VariableAggregation.SUM)

    @tf.function
    def epoch(dataset):
        seen, steps = 0.0, 0
        for batch in dataset:
            seen += strategy.reduce(
                "SUM", strategy.run(lambda x: tf.reduce_sum(x), args=(batch,)), axis=None
            )
            strategy.run(lambda x: (total.assign_add(tf.reduce_max(x)), None)[1], args=(batch,))
            steps += 1
        return seen, steps

    @tf.function
    def some(iterator, count):
        seen = tf.TensorArray(tf.float32, 0, dynamic_size=True)
        for k in tf.range(count):
            batch = iterator.get_next()
            loss = strategy.run(lambda x: tf.reduce_mean(x), args=(batch,))
            seen = seen.write(k, strategy.reduce("MEAN", loss, axis=None))
        return seen.stack()

    distributed = strategy.experimental_distribute_dataset(data.take(2))
    found.append((epoch(distributed), total.numpy()))
    found.append((epoch(strategy.experimental_distribute_dataset(data.take(1))), total.numpy()))
    found.append(some(iter(distributed), tf.constant(2)))
    return found


def one_replica(tf, np):
    """What a strategy with one replica says and returns: plain values."""
    strategy = tf.distribute.MirroredStrategy(["CPU:1"])
    context = tf.distribute.get_replica_context
    with strategy.scope():
        v = tf.Variable([1.0, 2.0])
        s = tf.Variable(1.0, synchronization=tf.VariableSynchronization.ON_READ,
                        aggregation=tf.VariableAggregation.SUM)  # fmt: skip
    own = strategy.run(lambda x: x + v, args=(tf.constant([1.0, 1.0]),))
    found = [own, repr(own)]
    found += [strategy.reduce("SUM", own, axis=None), strategy.reduce("MEAN", own, axis=0)]
    found += [strategy.gather(own, 0), strategy.experimental_local_results(own)]
    found += [strategy.experimental_local_results((own, 1))]
    found.append(strategy.run(lambda: context().replica_id_in_sync_group))
    found.append(strategy.run(lambda: context().all_reduce("mean", tf.constant([1.0]))))
    found.append(strategy.run(lambda: context().all_gather(tf.constant([1.0]), 0)))
    found.append(
        strategy.run(
            lambda: context().merge_call(lambda s, x: s.reduce("SUM", x, axis=None), (own,))
        )
    )
    data = tf.data.Dataset.range(5).batch(2)
    found.append(list(strategy.experimental_distribute_dataset(data)))
    strategy.run(lambda: s.assign_add(2.0))
    found += [s.numpy(), strategy.reduce("SUM", s, axis=None), strategy.num_replicas_in_sync]
    return found


def where_a_program_is(tf, np):
    strategy, d = _mirrored(tf, 2), tf.distribute
    found = []

    def state():
        context = d.get_replica_context()
        return (
            d.has_strategy(), d.in_cross_replica_context(), context is None,
            d.get_strategy() is strategy, None if context is None else context.num_replicas_in_sync,
        )  # fmt: skip

    found.append(state())
    with strategy.scope():
        found.append(state())
        found.append(tf.function(state)())
        with strategy.scope():
            found.append(state())
    found.append(strategy.run(state))
    found.append(strategy.run(lambda: d.get_replica_context().merge_call(lambda s: state())))
    one = d.OneDeviceStrategy("CPU:0")
    found.append(one.run(state))
    with one.scope():
        found.append(state())
    d.experimental_set_strategy(strategy)
    try:
        found.append(state())
        found.append(type(tf.Variable(1.0)).__name__)
    finally:
        d.experimental_set_strategy(None)
    return [*found, state()]
