"""Functions of replicas whose Python looks at values, and brings values together as well."""

from programs.program import caught
from programs.replicas import _float, _mirrored, _number

# The generator divides the CPU into so many for TensorFlow.
LOGICAL_CPUS = 3


def _own(tf, strategy):
    return strategy.experimental_distribute_values_from_function(
        lambda context: tf.constant(1.0 + context.replica_id_in_sync_group)
    )


def _run(tf, function):
    strategy = _mirrored(tf, 2)
    return repr(strategy.run(function, args=(_own(tf, strategy),)))


def numbers_of_python(tf, np):
    context = tf.distribute.get_replica_context

    def reduced(x):
        return context().all_reduce("SUM", x * float(x)), context().all_reduce("mean", [x, -x])

    def gathered(x):
        return context().all_gather(tf.fill([int(x)], x), 0)

    def merged(x):
        y = float(x)
        return context().merge_call(_added, (x * y, 3)) + x

    def _added(strategy, x, number):
        return strategy.reduce("SUM", x, axis=None) * number

    def numbered(x):
        if _number(tf) == 0:
            x = x + 100.0
        return context().all_reduce("SUM", x * (int(_number(tf)) + 1))

    return [_run(tf, f) for f in (reduced, gathered, merged, numbered)]


def branches_of_python(tf, np):
    context = tf.distribute.get_replica_context

    def replica(x):
        y = x * 10.0 if x > 1.5 else x
        z = context().all_reduce("SUM", y)
        if z > 3.0:
            z = z + 1.0
        return context().all_reduce("MEAN", z * x)

    return _run(tf, replica)


def variables_changed(tf, np):
    strategy = _mirrored(tf, 2)
    ways, kinds = tf.VariableAggregation, tf.VariableSynchronization
    with strategy.scope():
        summed, mean, first = (
            tf.Variable(1.0, aggregation=way)
            for way in (ways.SUM, ways.MEAN, ways.ONLY_FIRST_REPLICA)
        )
        rows = tf.Variable([1.0, 2.0], aggregation=ways.SUM)
        plain = tf.Variable(1.0)
        seen = tf.Variable(0.0, synchronization=kinds.ON_READ, aggregation=ways.SUM)
    variables = (summed, mean, first, rows, plain, seen)
    told = []

    def replica(x):
        told.append(x.numpy())
        for variable in (summed, mean, first):
            variable.assign_add(x)
        rows.scatter_add(tf.IndexedSlices(tf.reshape(x, [1]), tf.constant([0])))
        plain.assign_add(x)
        seen.assign_add(x)
        return summed + x

    found = [repr(strategy.run(replica, args=(_own(tf, strategy),))) for _ in range(2)]
    return found, sorted(told), [repr(variable) for variable in variables], seen.numpy()


def gradients_that_pass(tf, np):
    context = tf.distribute.get_replica_context

    def summed(x):
        return context().all_reduce("SUM", x * x) * x

    def averaged(x):
        return context().all_reduce("MEAN", x * x) * x

    def gathered(x):
        return tf.reduce_sum(context().all_gather(tf.reshape(x, [1]), 0) ** 2) * x

    def gradient_of(function):
        def replica(x):
            assert float(x) > 0.0
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = function(x)
            return y, tape.gradient(y, x)

        return replica

    return [_run(tf, gradient_of(f)) for f in (summed, averaged, gathered)]


def steps_of_an_optimizer(tf, np):
    strategy = _mirrored(tf, 2)
    with strategy.scope():
        w = tf.Variable([1.0, 2.0])
        optimizer = tf.keras.optimizers.SGD(0.1, momentum=0.5)
    seen = []

    def replica(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(w * w) * x
        seen.append(float(loss.numpy()))
        optimizer.apply_gradients([(tape.gradient(loss, w), w)])
        return loss

    found = [repr(strategy.run(replica, args=(_own(tf, strategy),))) for _ in range(2)]
    return found, sorted(seen), w.numpy(), optimizer.iterations.numpy()


def updates_in_merges(tf, np):
    strategy = _mirrored(tf, 2)
    with strategy.scope():
        v = tf.Variable(1.0)

    def merge(strategy, x):
        total = strategy.extended.reduce_to("SUM", x, v)
        strategy.extended.update(v, lambda v, x: v.assign_add(x), args=(total,))

    def replica(x):
        assert v.numpy() > 0.0
        tf.distribute.get_replica_context().merge_call(merge, args=(x,))
        return v + x

    found = [repr(strategy.run(replica, args=(_own(tf, strategy),))) for _ in range(2)]
    return found, repr(v)


def errors_in_replicas(tf, np):
    strategy = _mirrored(tf, 2)
    context = tf.distribute.get_replica_context

    def replica(x):
        if float(x) > 1.5:
            raise KeyError("of the second")
        return context().all_reduce("SUM", x)

    @tf.function
    def nested(x):
        return context().all_reduce("SUM", x)

    def function(x):
        assert float(x) > 0.0
        return nested(x)

    found = [caught(lambda f=f: _run(tf, f)) for f in (replica, function)]
    return [each.name for each in found], repr(strategy.run(lambda: _float(tf) + 1.0))
