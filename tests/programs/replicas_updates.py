"""Updates across replicas, and what all replicas have the same of."""

from programs.program import caught

LOGICAL_CPUS = 3


def _variables(tf, strategy):
    kinds, ways = tf.VariableSynchronization, tf.VariableAggregation
    with strategy.scope():
        return (
            tf.Variable([1.0, 2.0]),
            tf.Variable([1.0, 2.0], aggregation=ways.MEAN),
            tf.Variable([1.0, 2.0], synchronization=kinds.ON_READ, aggregation=ways.SUM),
        )


def _strategies(tf):
    distribute = tf.distribute
    return [
        distribute.MirroredStrategy(["CPU:0", "CPU:1", "CPU:2"]),
        distribute.MirroredStrategy(["CPU:0"]),
        distribute.OneDeviceStrategy("CPU:0"),
        distribute.get_strategy(),
    ]


def _own(strategy, tf):
    return strategy.experimental_distribute_values_from_function(
        lambda context: tf.ones([2]) * (1.0 + context.replica_id_in_sync_group)
    )


def updates_outside_of_replicas(tf, np):
    found = []
    for strategy in _strategies(tf):
        for v in _variables(tf, strategy):
            own, update = _own(strategy, tf), strategy.extended.update
            for group in (True, False):
                found.append(repr(update(v, lambda v: v * 2.0, group=group)))
                found.append(repr(update(v, lambda v, x: v.assign_add(x), (own,), group=group)))
                found.append(repr(update(v, lambda v: (v + 1.0, [v.assign(v / 2.0)]), group=group)))
                found.append(repr(update(v, lambda v: None, group=group)))
            update(v, lambda v, x=0.0: (v.assign_sub(x), v.assign(v * x))[1], kwargs={"x": own})
            found.append([repr(part) for part in strategy.experimental_local_results(v)])
            found.append(v.numpy())
    return found


def updates_in_functions(tf, np):
    strategy = _strategies(tf)[0]
    found = []
    for v in _variables(tf, strategy):
        own = _own(strategy, tf)

        @tf.function
        def step(x, v=v):
            return strategy.extended.update(v, lambda v, x: v.assign(x * v), (x,), group=False)

        for _ in range(2):
            found.append([part.numpy() for part in step(own)])
        found.append([part.numpy() for part in strategy.experimental_local_results(v)])
        found.append(v.numpy())
    return found


def parts_of_variables(tf, np):
    v = _variables(tf, _strategies(tf)[0])[0]
    return [[hasattr(part, "values"), part.shape, part.numpy()] for part in v.values]


def updates_with_other_variables(tf, np):
    strategy = _strategies(tf)[0]
    v, w, total = _variables(tf, strategy)
    strategy.extended.update(total, lambda t, x: t.assign(x), (_own(strategy, tf),))
    strategy.extended.update(v, lambda v, w, t: v.assign_add(w * t), (w, total))
    return [part.numpy() for part in strategy.experimental_local_results(v)]


def where_updates_run(tf, np):
    found = []

    def place(v):
        distribute = tf.distribute
        context = distribute.get_replica_context()
        found.append([context is None, distribute.in_cross_replica_context()])
        found.append([distribute.get_strategy() is strategy, v.device[-5:]])
        return v + 0.0

    for strategy in _strategies(tf):
        _, _, total = _variables(tf, strategy)
        strategy.extended.update(total, place)
        found.append([strategy.extended.value_container(part) is total for part in
                      getattr(total, "values", [total])])  # fmt: skip
    return found


def updates_in_replicas(tf, np):
    strategy = _strategies(tf)[0]
    found = []
    for v in _variables(tf, strategy)[:2]:

        def replica(v=v):
            strategy.extended.update(v, lambda v, x: v.assign_add(x), (tf.ones([2]),))
            return v + 0.0

        found.append(repr(strategy.run(replica)))
    return found


def devices_of_contexts(tf, np):
    found = []
    for strategy in _strategies(tf)[1:]:
        found.append(strategy.run(lambda: tf.distribute.get_replica_context().devices))
    return found


def what_all_replicas_have(tf, np):
    strategy = _strategies(tf)[0]
    v = _variables(tf, strategy)[0]
    x = strategy.extended.reduce_to("sum", _own(strategy, tf), destinations=v)

    def merge(strategy, own):
        total = strategy.extended.reduce_to("mean", own, destinations=v)
        return tf.sqrt(total) * 2.0 - total[0]

    def replica(own):
        return tf.distribute.get_replica_context().merge_call(merge, args=(own,))

    y = strategy.run(replica, args=(_own(strategy, tf),))
    v.assign(x)
    return [
        repr(x), x + 1.0, 1.0 - x, x * x, -x, abs(x), x**2, x > 5.0, x[0],
        tf.add(x, 1.0), tf.reduce_sum(x), tf.convert_to_tensor(x), x.numpy(), x.shape, x.dtype,
        np.asarray(x), caught(len, x), x == x, x == 6.0, repr(x.values), v.numpy(), repr(y),
        strategy.run(lambda x: x * 2.0, args=(x,)).values[1], isinstance(x, tf.Tensor),
    ]  # fmt: skip
