"""Replicas: `run` of strategies with two of them, and what they bring together."""

import functools

from programs.program import caught

# The generator divides the CPU into so many for TensorFlow.
LOGICAL_CPUS = 3


@functools.cache
def _mirrored(tf, count):
    """A strategy; TensorFlow takes the collectives of two of them for one another."""
    return tf.distribute.MirroredStrategy([f"CPU:{k}" for k in range(count)])


def _number(tf):
    return tf.distribute.get_replica_context().replica_id_in_sync_group


def _float(tf):
    return tf.cast(_number(tf), tf.float32)


def values_of_replicas(tf, np):
    return _values(tf, 2)


def _values(tf, count):
    found = []
    strategy = _mirrored(tf, count)
    c = tf.constant([1.0, 2.0])

    def replica(c=c):
        return {"a": c + _float(tf), "b": [c * 2.0, (_number(tf), None)]}

    for run in (strategy.run, tf.function(strategy.run)):
        result = run(replica)
        found.append((sorted(result), result["b"][1][1], strategy.num_replicas_in_sync))
        found.append([repr(result["a"]), repr(result["b"][0]), str(result["b"][1][0])])
        found.append(result["a"].values)
        found.append(isinstance(result["a"], tf.distribute.DistributedValues))
        found.append(type(result["a"]).__name__)
        found.append(hasattr(result["a"], "numpy") or hasattr(result["a"], "shape"))
    return found


def what_is_the_same_for_all(tf, np):
    strategy, c = _mirrored(tf, 2), tf.constant([1.0, 2.0])
    return (
        strategy.run(lambda: c),
        strategy.run(lambda: 3),
        strategy.run(lambda: "text"),
        strategy.run(lambda: None),
        strategy.run(lambda: (c, 2.5)),
        repr(strategy.run(lambda x, y: x + y, args=(c, 1.0))),
        repr(strategy.run(lambda x, y: x + y, args=(c,), kwargs={"y": np.float32(2.0)})),
    )


def values_as_arguments(tf, np):
    strategy = _mirrored(tf, 2)
    own = strategy.run(lambda: _float(tf) + tf.constant([1.0, 2.0]))

    @tf.function
    def through(x, y):
        z = strategy.run(lambda a, b: a * b["k"], args=(x,), kwargs={"b": {"k": y}})
        return z, x, strategy.reduce("SUM", z, axis=None)

    z, x, total = through(own, own)
    return (
        repr(strategy.run(lambda a, b: a * b, args=(own,), kwargs={"b": own})),
        repr(z),
        repr(x),
        total,
        repr(through(z, own)[0]),
        caught(lambda: own + 1.0).name,
        caught(lambda: tf.convert_to_tensor(own)),
        caught(lambda: own.numpy()).name,
        caught(lambda: float(own)).name,
        strategy.experimental_local_results(own),
        strategy.experimental_local_results({"a": own, "b": 2}),
        strategy.experimental_local_results(x.values[0]),
        strategy.experimental_local_results((1, 2)),
    )


def values_from_functions(tf, np):
    return _made(tf, 2)


def _made(tf, count):
    strategy = _mirrored(tf, count)
    make = strategy.experimental_distribute_values_from_function
    numbers = make(lambda context: tf.constant(context.replica_id_in_sync_group * 2.0))
    return (
        repr(numbers),
        repr(make(lambda c: (c.replica_id_in_sync_group, 2))),
        repr(strategy.run(lambda x: x * x, args=(numbers,))),
        strategy.reduce("SUM", numbers, axis=None),
        [make(lambda c: c.num_replicas_in_sync).values],
    )


def reductions_over_replicas(tf, np):
    return _reductions(tf, 2)


def _reductions(tf, count):
    found = []
    strategy = _mirrored(tf, count)
    rows = tf.constant([[1.0, 2.0], [3.0, 5.0]])
    own = strategy.run(lambda rows=rows: rows * (_float(tf) + 1.0))
    op = tf.distribute.ReduceOp
    for kind in (op.SUM, "mean"):
        for axis in (None, 0, 1):
            found.append(strategy.reduce(kind, own, axis=axis))
        found.append(strategy.reduce(kind, rows, axis=0))
        found.append(strategy.reduce(kind, strategy.run(lambda: _number(tf)), axis=None))
    found.append(strategy.reduce("SUM", {"a": own, "b": [own]}, axis=None))
    found.append(caught(lambda s=strategy, r=rows: s.reduce("SUM", r, axis=None)))
    found.append(caught(lambda s=strategy: s.reduce("SUM", 3.0, axis=None)))
    found.append(strategy.reduce("MEAN", tf.constant(3.0), axis=None))
    found.append(caught(lambda s=strategy, o=own: s.reduce("MAX", o, axis=None)))
    found.append([strategy.gather(own, axis=axis) for axis in (0, 1)])
    found.append(strategy.gather(rows, axis=0))
    found.append(caught(lambda s=strategy: s.gather(s.run(lambda: _number(tf)), 0)).name)
    return found


def reduction_in_replicas(tf, np):
    return _collectives(tf, 2)


def _collectives(tf, count):
    strategy = _mirrored(tf, count)
    own = strategy.run(lambda: _float(tf) + tf.constant([1.0, 2.0]))
    context = tf.distribute.get_replica_context
    op = tf.distribute.ReduceOp
    kinds = [
        lambda x: context().all_reduce("sum", x),
        lambda x: context().all_reduce(op.MEAN, {"a": x, "b": [x * 2.0]}),
        lambda x: context().all_gather(x, axis=0),
        lambda x: context().all_gather(x[None], axis=1),
        lambda x: context().all_reduce("MEAN", context().replica_id_in_sync_group),
        lambda x: (context().num_replicas_in_sync, tf.distribute.in_cross_replica_context()),
    ]
    found = []
    for kind in kinds:
        for run in (strategy.run, tf.function(strategy.run)):
            result = run(kind, args=(own,))
            found.append([repr(value) for value in tf.nest.flatten(result)])
    found.append(caught(lambda: strategy.run(lambda x: context().all_reduce("foo", x), (own,))))
    return found


def gradients_of_reductions(tf, np):
    strategy = _mirrored(tf, 2)
    own = strategy.run(lambda: _float(tf) + tf.constant([1.0, 2.0]))
    context = tf.distribute.get_replica_context
    weights = tf.constant([1.0, 2.0, 3.0, 4.0])
    kinds = [
        lambda x: context().all_reduce("SUM", x * x),
        lambda x: context().all_reduce("MEAN", x * x) * (1.0 + _float(tf)),
        lambda x: context().all_gather(x * x, 0) * weights,
        lambda x: tf.reduce_sum(context().all_reduce("SUM", x * x) ** 2) * (1.0 + _float(tf)),
    ]

    def gradient(kind, x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = kind(x)
        return tape.gradient(y, x)

    def second(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            slope = gradient(kinds[3], x)
        return tape.gradient(slope, x)

    found = []
    for function in (*[lambda x, k=k: gradient(k, x) for k in kinds], second):
        for run in (strategy.run, tf.function(strategy.run)):
            found.append(run(function, args=(own,)).values)
    return found


def merging(tf, np):
    strategy = _mirrored(tf, 2)
    own = strategy.run(lambda: _float(tf) + tf.constant([1.0, 2.0]))

    def merged(strategy, x, k):
        places.append((tf.distribute.in_cross_replica_context(), type(x).__name__, k))
        total = strategy.reduce("SUM", x, axis=None)
        return total, x, strategy.experimental_local_results(x)

    def replica(x):
        context = tf.distribute.get_replica_context()
        total, mine, parts = context.merge_call(merged, args=(x,), kwargs={"k": 3})
        return total, mine, parts, total * mine

    places = []
    results = [strategy.run(replica, args=(own,)), tf.function(strategy.run)(replica, args=(own,))]
    first, second = [
        [r.values if hasattr(r, "values") else r for r in tf.nest.flatten(result)]
        for result in results
    ]
    return first, second, set(map(str, places))


def errors_around_replicas(tf, np):
    strategy = _mirrored(tf, 2)
    other = tf.distribute.OneDeviceStrategy("CPU:0")

    def nested():
        return strategy.run(lambda: 1)

    def fails():
        raise ValueError("mine")

    def branch():
        context = tf.distribute.get_replica_context()
        return tf.cond(
            _float(tf) >= 0.0, lambda: context.all_reduce("SUM", _float(tf)), lambda: 1.0
        )

    def entering():
        with strategy.scope():
            other.scope().__enter__()

    return (
        caught(lambda: strategy.run(nested)),
        caught(lambda: strategy.run(fails)),
        caught(tf.function(lambda: strategy.run(branch))).name,
        caught(entering).name,
        caught(lambda: tf.distribute.MirroredStrategy(["CPU:0", "CPU:0"])),
        strategy.extended.worker_devices,
        strategy.extended.parameter_devices,
        repr(strategy.extended.reduce_to("SUM", strategy.run(lambda: _float(tf)), "CPU:0")),
        repr(strategy.run(tf.function(lambda: _float(tf) + 1.0))),
    )


def replicas_that_look_at_values(tf, np):
    strategy = _mirrored(tf, 2)

    def replica(x):
        number = int(_number(tf))
        return tf.ones([number + 1]) * x, float(x) if number else 2.5

    parts, numbers = strategy.run(replica, args=(tf.constant(3.0),))
    whole = strategy.gather(parts, axis=0)
    chosen = strategy.run(lambda: 1.0 if _number(tf) == 0 else 2.0)
    return repr(parts), numbers.values, whole, repr(chosen), strategy.reduce("SUM", parts, axis=0)


def rows_of_tables(tf, np):
    strategy = _mirrored(tf, 2)

    def replica():
        rows = tf.reshape(_float(tf) + 1.0, [1, 1])
        slices = tf.IndexedSlices(rows, tf.constant([1]), tf.constant([3, 1]))
        mean = tf.distribute.get_replica_context().all_reduce("MEAN", slices)
        return slices, tf.convert_to_tensor(mean)

    slices, dense = strategy.run(replica)
    return tf.convert_to_tensor(strategy.reduce("SUM", slices, axis=None)), dense.values


def average_losses_of_replicas(tf, np):
    strategy = _mirrored(tf, 2)
    losses = tf.constant([1.0, 2.0, 3.0])

    def replica():
        return (
            tf.nn.compute_average_loss(losses),
            tf.nn.compute_average_loss(losses, [1.0, 2.0, 3.0], global_batch_size=8),
            tf.nn.scale_regularization_loss(tf.constant([4.0, 2.0])),
        )

    with strategy.scope():
        refused = [
            caught(lambda: tf.nn.compute_average_loss(losses)),
            caught(lambda: tf.nn.scale_regularization_loss(losses)),
        ]
    return [value.values for value in strategy.run(replica)], replica(), refused


def operations_across_devices(tf, np):
    kinds, sum_, mean = tf.distribute, tf.distribute.ReduceOp.SUM, tf.distribute.ReduceOp.MEAN
    strategy = _mirrored(tf, 2)
    with strategy.scope():
        v = tf.Variable(1.0)
    own = strategy.run(lambda: _float(tf) + 1.0)
    found = []
    for operations in (kinds.ReductionToOneDevice(), kinds.HierarchicalCopyAllReduce(2)):
        found += map(repr, (
            operations.reduce(sum_, own, own),
            operations.reduce(mean, own, v),
            operations.reduce(mean, own, "/cpu:0"),
            operations.batch_reduce(mean, [(own, own), (own, "/cpu:0")]),
            operations.broadcast(tf.constant(2.0), own),
            operations.broadcast(tf.constant(2.0), "/cpu:1"),
        ))  # fmt: skip
    return found


def names_of_what_is_default(tf, np):
    context, strategy = tf.distribute.get_replica_context(), tf.distribute.get_strategy()
    one = tf.distribute.MirroredStrategy([tf.config.list_logical_devices("CPU")[0]])
    with one.scope():
        refused = caught(tf.distribute.experimental_set_strategy, one)
    tf.distribute.experimental_set_strategy(one)
    tf.distribute.experimental_set_strategy(None)
    return (
        type(context).__name__, type(strategy).__name__, context.replica_id_in_sync_group,
        one.extended.worker_devices, refused, tf.distribute.has_strategy(),
    )  # fmt: skip


def reductions_along_several_axes(tf, np):
    strategy = _mirrored(tf, 2)
    value = strategy.run(lambda: tf.reshape(tf.range(6.0), [2, 3]) + _float(tf))
    return [strategy.reduce(way, value, axis=(0, 1)) for way in ("SUM", "MEAN")]


def reductions_of_integers(tf, np):
    found = []
    for strategy in (tf.distribute.get_strategy(), _mirrored(tf, 1), _mirrored(tf, 2)):
        for dtype in (tf.int32, tf.int64, tf.uint8, tf.float32):
            plain = tf.constant([[1, 2], [4, 4]], dtype)
            own = strategy.run(lambda x=plain: x + x)
            for way in ("SUM", "MEAN"):
                found += [
                    strategy.reduce(way, x, axis=axis) for x in (plain, own) for axis in (0, 1)
                ]
    return found


def what_libraries_ask_for(tf, np):
    strategy = _mirrored(tf, 2)
    with strategy.scope():
        v = tf.Variable([1.0, 2.0])
    extended = strategy.extended
    value = strategy.run(lambda: tf.ones([2]) * _float(tf))
    updated = extended.update(v, lambda v, x: v.assign_add(x), args=(value,), group=False)
    return [
        [each.numpy() for each in updated],
        repr(v),
        extended.worker_devices,
        extended.parameter_devices,
        extended.non_slot_devices([v]),
        repr(extended.broadcast_to(tf.constant(1.0), destinations=v)),
        repr(extended.broadcast_to(tf.constant(1.0), destinations="CPU:0")),
        repr(extended.call_for_each_replica(lambda: _float(tf))),
        repr(extended.batch_reduce_to("SUM", [(value, v), (value, "CPU:0")])),
        extended.experimental_between_graph,
        extended.experimental_should_init,
    ]


def losses_across_replicas(tf, np):
    with _mirrored(tf, 2).scope():
        return (
            tf.nn.compute_average_loss([1.0, 2.0], global_batch_size=8),
            caught(lambda: tf.nn.compute_average_loss([1.0, 2.0])),
            caught(lambda: tf.nn.scale_regularization_loss([1.0, 2.0])),
        )


def training_with_central_variables(tf, np):
    strategy = tf.distribute.experimental.CentralStorageStrategy(["CPU:0", "CPU:1"])
    with strategy.scope():
        w, optimizer = tf.Variable([1.0, 1.0]), tf.keras.optimizers.SGD(0.1, momentum=0.5)

    @tf.function
    def step():
        def replica():
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(w * w) * (_float(tf) + 1.0)
            optimizer.apply_gradients([(tape.gradient(loss, w), w)])
            return loss

        return strategy.reduce("SUM", strategy.run(replica), axis=None)

    return [step(), step(), w.numpy(), optimizer.iterations.numpy()]
