"""Strategies with one replica: their variables and values are those of replicas all the same."""

import copy

from programs.program import caught

LOGICAL_CPUS = 3


def _strategies(tf):
    distribute = tf.distribute
    return [
        distribute.MirroredStrategy(["CPU:0"]),
        distribute.MultiWorkerMirroredStrategy(),
        distribute.OneDeviceStrategy("CPU:0"),
        distribute.experimental.CentralStorageStrategy(["CPU:0"]),
    ]


def _seen(v):
    return [part.numpy() for part in getattr(v, "values", [v])]


def variables_of_one_replica(tf, np):
    found = []
    kinds, ways = tf.VariableSynchronization, tf.VariableAggregation
    for strategy in _strategies(tf):
        with strategy.scope():
            v = tf.Variable([1.0, 2.0])
            total = tf.Variable(2.0, synchronization=kinds.ON_READ, aggregation=ways.SUM)
            truth = tf.Variable(True, synchronization=kinds.ON_READ, aggregation=ways.SUM)
            text = tf.Variable("a")
        for each in (v, total, truth, text):
            found.append([isinstance(each, tf.Variable), type(each).__name__, repr(each)])
            found.append(isinstance(each, tf.distribute.DistributedValues))
            found.append([repr(copy.deepcopy(each)), each.trainable, each.synchronization.name])
            found.append([repr(p) for p in strategy.experimental_local_results(each)])
        created = strategy.extended.variable_created_in_scope
        found.append([created(v), created(tf.Variable(1.0))])
        found.append([strategy.run(lambda v=v: v) is v, v.device, total.trainable])
        strategy.run(lambda truth=truth: (truth.assign(False), None)[1])
        found.append(_seen(truth))
    plain = tf.distribute.get_strategy().extended.variable_created_in_scope(tf.Variable(1.0))
    return [*found, plain]


def refused_for_one_replica(tf, np):
    found = []
    kinds, ways = tf.VariableSynchronization, tf.VariableAggregation
    for strategy in _strategies(tf):
        with strategy.scope():
            found += [
                caught(lambda: (tf.Variable(1, aggregation=ways.MEAN), None)[1]),
                caught(lambda: (tf.Variable(1, synchronization=kinds.NONE), None)[1]),
            ]
            total = tf.Variable(2.0, synchronization=kinds.ON_READ, aggregation=ways.SUM)
            own = tf.Variable(2.0, synchronization=kinds.ON_READ, aggregation=ways.NONE)
        found.append(caught(lambda total=total: (total.assign_add(1.0), None)[1]))
        found.append([caught(own.numpy), caught(lambda own=own: own + 1.0)])
        strategy.run(lambda own=own: (own.assign_add(1.0), None)[1])
        found.append([strategy.run(lambda own=own: own * 2.0), *_seen(own)])
        found.append(caught(lambda own=own: (own.assign(3.0), None)[1]))
    return found


def assigned_in_one_replica(tf, np):
    found = []
    ways, kinds = tf.VariableAggregation, tf.VariableSynchronization
    rows = tf.IndexedSlices(tf.constant([1.0]), tf.constant([1]))
    for strategy in _strategies(tf)[:2]:
        for way in (ways.NONE, ways.SUM, ways.MEAN):
            for kind in (kinds.AUTO, kinds.ON_READ):
                with strategy.scope():
                    v = tf.Variable([1.0, 2.0], synchronization=kind, aggregation=way)

                def changed(v=v):
                    v.assign(v * 2.0)
                    v.assign_add([1.0, 1.0])
                    v.assign_sub(tf.constant([0.5, 3.0]))
                    return v.read_value()

                found.append([strategy.run(changed), tf.function(strategy.run)(changed)])
                found.append(_seen(v))
                found.append(
                    strategy.extended.update(v, lambda v, x: v.assign_add(x), args=(tf.ones([2]),))
                    is not None
                )
                found.append(_seen(v))
                v.values[0].assign([7.0, 8.0])
                found.append([_seen(v), caught(lambda v=v: v.numpy())])
                found.append(caught(lambda v=v: (v.scatter_add(rows), v.numpy())[1]))
                if kind is kinds.AUTO:
                    with tf.GradientTape() as tape:
                        y = tf.reduce_sum(v**2)
                    found.append(tape.gradient(y, v))
    return found


def values_of_one_replica(tf, np):
    found = []
    for strategy in _strategies(tf):
        x = strategy.experimental_distribute_values_from_function(
            lambda c: {"a": tf.constant([1.0, 5.0]) + c.replica_id_in_sync_group}
        )
        with strategy.scope():
            v = tf.Variable([0.0, 0.0])
        twice = tf.function(lambda x, s=strategy: s.run(lambda x: x["a"] * 2.0, args=(x,)))
        found += [
            repr(x),
            strategy.run(lambda x, y: x["a"] + y["a"], args=(x,), kwargs={"y": x}),
            twice(x),
            [strategy.reduce(kind, x["a"], axis) for kind in ("SUM", "MEAN") for axis in (None, 0)],
            strategy.gather(x["a"], 0),
            strategy.experimental_local_results(x["a"]),
            strategy.extended.reduce_to("SUM", x["a"], v),
            strategy.extended.reduce_to("MEAN", x["a"], "CPU:0"),
            strategy.extended.broadcast_to(tf.constant(3.0), v),
            strategy.reduce("MEAN", v, 0),
            [repr(b) for b in strategy.experimental_distribute_dataset(
                tf.data.Dataset.range(3).batch(2))],
        ]  # fmt: skip
        v.assign_add(strategy.experimental_local_results(x["a"])[0])
        strategy.extended.update(v, lambda v, x: (v.assign_add(x), None)[1], args=(x["a"],))
        found.append(_seen(v))
    return found


def central_storage(tf, np):
    """Variables of which there is one; replicas that assign them say how."""
    strategy = tf.distribute.experimental.CentralStorageStrategy(["CPU:0", "CPU:1"])
    kinds, ways = tf.VariableSynchronization, tf.VariableAggregation
    with strategy.scope():
        v = tf.Variable([1.0, 2.0], aggregation=ways.SUM)
        total = tf.Variable(1.0, synchronization=kinds.ON_READ, aggregation=ways.SUM)
        whole = tf.Variable(1, aggregation=ways.MEAN)
    found = [type(v).__name__, type(total).__name__, type(whole).__name__, v.device, repr(total)]
    found += [v.synchronization.name, total.synchronization.name, hasattr(v, "values")]
    found += [isinstance(v, tf.distribute.DistributedValues)]
    found.append([repr(part) for part in strategy.experimental_local_results(v)])
    ids = strategy.run(
        lambda: tf.distribute.get_replica_context().replica_id_in_sync_group + tf.constant(1)
    )
    found.append(strategy.extended.reduce_to("SUM", ids, v))
    total.assign_add(1.0)
    found.append(total.numpy())

    def replica(x):
        v.assign_add(tf.cast(x, tf.float32) * [1.0, 2.0])
        total.assign(tf.cast(x, tf.float32))

    for run in (strategy.run, tf.function(strategy.run)):
        run(replica, args=(ids,))
        found.append([v.numpy(), total.numpy()])
    found.append(caught(lambda: strategy.run(lambda: (total.assign_add(1.0), None)[1])))
    return found
