"""State of replicas: variables read on their own, generators, checkpoints, saved models."""

import tempfile

from programs.program import caught
from programs.replicas import _float, _mirrored, _number

# The generator divides the CPU into so many for TensorFlow.
LOGICAL_CPUS = 3


def _on_read(tf, strategy, aggregation, value):
    with strategy.scope():
        return tf.Variable(
            value, trainable=False, synchronization=tf.VariableSynchronization.ON_READ,
            aggregation=tf.VariableAggregation[aggregation],
        )  # fmt: skip


WAYS = ("SUM", "MEAN", "ONLY_FIRST_REPLICA")


def read_in_every_place(tf, np):
    """Inside, outside, in merges, in functions, in updates; after each, what is seen outside."""
    strategy, found = _mirrored(tf, 2), []
    context = tf.distribute.get_replica_context
    for way in WAYS:
        v = _on_read(tf, strategy, way, 1.0)

        def inside(v=v):
            v.assign_add(_float(tf) + 1.0)
            return v + 0.0, v.read_value()

        def merged(v=v):
            read = context().merge_call(lambda s, w: w.read_value(), args=(v,))
            return read, context().merge_call(lambda s, w: s.reduce("SUM", w, axis=None), (v,))

        for run in (strategy.run, tf.function(strategy.run)):
            found.append([part.values for part in run(inside)])
            found.append([repr(part) for part in run(merged)])
            found.append([v.numpy(), repr(v)])
        found.append(tf.function(lambda v=v: v * 2.0)())
        v.assign(8.0)
        found.append([strategy.run(lambda v=v: v + 0.0).values, v.numpy()])
        found.append(caught(lambda v=v: (v.assign_add(2.0), v.numpy())[1]))
        found.append([value.numpy() for value in strategy.experimental_local_results(v)])
    return found


def read_under_tapes(tf, np):
    strategy, found = _mirrored(tf, 2), []
    for way in WAYS:
        with strategy.scope():
            v = tf.Variable(
                [1.0, 2.0], synchronization=tf.VariableSynchronization.ON_READ,
                aggregation=tf.VariableAggregation[way], trainable=True,
            )  # fmt: skip
        found.append(v.trainable)

        def replica(v=v):
            with tf.GradientTape() as tape:
                tape.watch(v)
                loss = tf.reduce_sum(v * v) * (_float(tf) + 1.0)
            gradient = tape.gradient(loss, v)
            v.assign_sub(0.1 * gradient)
            return gradient

        found.append(strategy.run(replica).values)
        found.append(tf.function(strategy.run)(replica).values)
        found.append(v.numpy())
    return found


def aggregations_of_dtypes(tf, np):
    strategy, found = _mirrored(tf, 2), []
    values = (
        tf.constant([1, 2], tf.int32), tf.constant(1.5, tf.float64),
        tf.constant([1.0, 2.0], tf.float16), tf.constant(3, tf.int64), tf.constant(2 + 1j),
    )  # fmt: skip
    for value in values:
        for way in ("NONE", *WAYS):
            for kind in ("ON_WRITE", "ON_READ"):

                def made(value=value, way=way, kind=kind):
                    with strategy.scope():
                        v = tf.Variable(
                            value, trainable=False,
                            synchronization=tf.VariableSynchronization[kind],
                            aggregation=tf.VariableAggregation[way],
                        )  # fmt: skip
                    strategy.run(lambda: (v.assign(v + v if v.dtype != tf.bool else v), None)[1])
                    return [x.numpy() for x in strategy.experimental_local_results(v)]

                result = caught(made)
                found.append(result.name if hasattr(result, "text") else result)
    return found


def generators_per_replica(tf, np):
    strategy, found = _mirrored(tf, 2), []
    with strategy.scope():
        own = tf.random.Generator.from_seed(5)
        made = tf.random.Generator.from_state([1, 2, 3], alg="philox")
    outside = tf.random.Generator.from_seed(5)

    def replica():
        a = own.normal([2])
        b = own.uniform([2], maxval=10, dtype=tf.int32)
        c = made.truncated_normal([2])
        return a, b, c, own.make_seeds(1), own.uniform_full_int([1])

    for run in (strategy.run, tf.function(strategy.run)):
        found.append([part.values for part in run(replica)])
    found += [[x.numpy() for x in strategy.experimental_local_results(own.state)]]
    own.reset_from_seed(7)
    found.append([part.values for part in strategy.run(replica)])
    found.append(outside.normal([2]))
    found.append(repr(strategy.run(lambda: tf.random.stateless_normal([2], [1, 2]))))
    found.append(
        strategy.run(
            lambda: (
                tf.random.stateless_uniform([2], tf.random.fold_in([1, 2], _number(tf)))
                if hasattr(tf.random, "fold_in")
                else tf.random.stateless_uniform(
                    [2], tf.random.experimental.stateless_fold_in([1, 2], _number(tf))
                )
            )
        ).values
    )
    return found


def generators_saved(tf, np):
    strategy = _mirrored(tf, 2)
    with strategy.scope():
        own = tf.random.Generator.from_seed(3)
    with tempfile.TemporaryDirectory() as folder:
        checkpoint = tf.train.Checkpoint(g=own)
        strategy.run(lambda: own.normal([1]))
        path = checkpoint.save(f"{folder}/c")
        after = strategy.run(lambda: own.normal([2])).values
        checkpoint.restore(path)
        again = strategy.run(lambda: own.normal([2])).values
        return after, again, sorted(tf.train.list_variables(path))


def checkpoints_between_strategies(tf, np):
    """Written under two replicas, read by none, by one, and by two."""
    strategy, found = _mirrored(tf, 2), []
    one = tf.distribute.OneDeviceStrategy("CPU:0")
    plain = tf.distribute.get_strategy()

    def made(strategy):
        kinds, ways = tf.VariableSynchronization, tf.VariableAggregation
        with strategy.scope():
            return tf.train.Checkpoint(
                w=tf.Variable([1.0, 2.0]),
                s=tf.Variable(0.0, synchronization=kinds.ON_READ, aggregation=ways.SUM),
                m=tf.Variable(0.0, synchronization=kinds.ON_READ, aggregation=ways.MEAN),
                n=tf.Variable(1, aggregation=ways.ONLY_FIRST_REPLICA),
            )

    def change(c):
        c.w.assign(c.w * 2.0)
        c.s.assign_add(3.0)
        c.m.assign_add(_float(tf) + 1.0)
        c.n.assign_add(2)

    with tempfile.TemporaryDirectory() as folder:
        for k, source in enumerate((strategy, one, plain)):
            written = made(source)
            source.run(lambda c=written: change(c))
            path = written.write(f"{folder}/{k}")
            found.append([(name, shape) for name, shape in tf.train.list_variables(path)])
            for target in (strategy, one, plain):
                read = made(target)
                read.read(path).assert_consumed()
                found.append([read.w.numpy(), read.s.numpy(), read.m.numpy(), read.n.numpy()])
                target.run(lambda c=read: change(c))
                found.append([read.w.numpy(), read.s.numpy(), read.m.numpy(), read.n.numpy()])
    return found


def checkpoints_before_creation(tf, np):
    strategy = _mirrored(tf, 2)
    with tempfile.TemporaryDirectory() as folder:
        with strategy.scope():
            first = tf.train.Checkpoint(v=tf.Variable([1.0, 2.0]))
            first.v.assign([5.0, 6.0])
        path = first.save(f"{folder}/c")
        later = tf.train.Checkpoint()
        status = later.restore(path)
        with strategy.scope():
            later.v = tf.Variable([0.0, 0.0])
        status.assert_consumed()
        manager = tf.train.CheckpointManager(first, f"{folder}/m", max_to_keep=2)
        for k in range(3):
            first.v.assign([float(k), 0.0])
            manager.save()
        latest = manager.restore_or_initialize() is not None
        return repr(later.v), latest, first.v.numpy(), len(manager.checkpoints)


def saved_models_of_replicas(tf, np):
    """Saved under a strategy; loaded under it, and without."""
    strategy = _mirrored(tf, 2)

    class Model(tf.Module):
        def __init__(self):
            super().__init__()
            self.w = tf.Variable([[1.0], [2.0]], name="w")
            self.seen = tf.Variable(
                0.0, trainable=False, synchronization=tf.VariableSynchronization.ON_READ,
                aggregation=tf.VariableAggregation.SUM,
            )  # fmt: skip

        @tf.function(input_signature=[tf.TensorSpec([None, 2])])
        def predict(self, x):
            return tf.matmul(x, self.w)

    with strategy.scope():
        model = Model()
    strategy.run(lambda: (model.seen.assign_add(2.0), None)[1])
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(model, folder)
        alone = tf.saved_model.load(folder)
        found = [alone.predict(tf.ones([1, 2])), alone.seen.numpy()]
        with strategy.scope():
            again = tf.saved_model.load(folder)
        own = strategy.run(lambda: tf.ones([1, 2]) * (_float(tf) + 1.0))
        found += [strategy.run(lambda x: again.predict(x), args=(own,)).values]
        again.w.assign([[3.0], [4.0]])
        found += [
            strategy.run(lambda x: again.predict(x) * 2.0, args=(own,)).values,
            type(again.w).__name__,
        ]
        found += [again.seen.numpy(), repr(again.w)]
        return found


def modules_in_scopes(tf, np):
    strategy = _mirrored(tf, 2)

    class Layer(tf.Module):
        def __init__(self):
            super().__init__(name="layer")
            self.made = None

        def __call__(self, x):
            if self.made is None:
                self.made = tf.Variable(tf.ones([x.shape[-1], 2]), name="kernel")
            return tf.matmul(x, self.made)

    with strategy.scope():
        layer = Layer()
        layer(tf.ones([1, 3]))
    variables = layer.trainable_variables
    assigned = strategy.run(lambda: layer(tf.ones([1, 3])) * (_float(tf) + 1.0))
    layer.made.assign_add(tf.ones([3, 2]))
    return (
        [type(v).__name__ for v in variables], [v.name for v in variables], assigned.values,
        layer.made.values[1].numpy(), strategy.extended.variable_created_in_scope(layer.made),
        strategy.extended.variable_created_in_scope(tf.Variable(1.0)),
        repr(layer.made), layer.made.shape.as_list(), layer.made.dtype.name,
    )  # fmt: skip


def assignments_in_control_flow(tf, np):
    strategy = _mirrored(tf, 2)
    with strategy.scope():
        v = tf.Variable(1.0, aggregation=tf.VariableAggregation.NONE)
        w = tf.Variable(0.0, synchronization=tf.VariableSynchronization.ON_READ,
                        aggregation=tf.VariableAggregation.SUM)  # fmt: skip

    @tf.function
    def step(n):
        def replica(n):
            for _ in tf.range(n):
                w.assign_add(1.0)
            if _number(tf) > 0:
                w.assign_add(10.0)
            v.assign(tf.cond(n > 2, lambda: v + 1.0, lambda: v - 1.0))
            return w + 0.0

        return strategy.run(replica, args=(n,))

    return [(step(tf.constant(n)).values, v.numpy(), w.numpy()) for n in (1, 3, 4)]


def values_of_variables(tf, np):
    """`.values` of variables are variables, in TensorFlow: what programs do with them."""
    strategy = _mirrored(tf, 2)
    with strategy.scope():
        v = tf.Variable([1.0, 2.0], name="v")
    s = _on_read(tf, strategy, "SUM", 3.0)
    found = []
    for each in (v, s):
        parts = each.values
        found.append([len(parts), [p.numpy() for p in parts], [p.name for p in parts]])
        found.append([isinstance(p, tf.Variable) for p in parts])
        found.append([p.device.rpartition("/")[2] for p in parts])
        found.append([parts[0].shape.as_list(), parts[1].dtype.name, parts[0].trainable])
        found.append([parts[1] + 1.0, parts[1].read_value(), parts[0].value()])
        parts[1].assign(parts[1] * 10.0)
        found.append([strategy.run(lambda e=each: e + 0.0).values, each.numpy(), repr(each)])
        parts[0].assign_add(tf.ones_like(parts[0]))
        found.append([strategy.run(lambda e=each: e + 0.0).values, each.numpy()])
        found.append([each.values[0] is parts[0], repr(parts[0]), repr(parts[1])])
        found.append([repr(x) for x in strategy.experimental_local_results(each)])
        found.append([strategy.experimental_local_results(each)[k] is parts[k] for k in range(2)])
        each.assign(tf.zeros_like(parts[0]))
        found.append([p.numpy() for p in parts])
    return found
