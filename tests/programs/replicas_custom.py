"""Replicas in loops of one's own: metrics, nested tapes, clipping, accumulation, merges."""

from programs.program import caught
from programs.replicas import _float, _mirrored, _number

# The generator divides the CPU into so many for TensorFlow.
LOGICAL_CPUS = 3


def _rows(tf, count=10, width=3):
    x = tf.reshape(tf.sin(tf.range(float(count * width))), [count, width])
    return x, tf.reduce_sum(x, 1, keepdims=True)


def gradients_accumulated_over_batches(tf, np):
    strategy = _mirrored(tf, 2)
    kinds, ways = tf.VariableSynchronization, tf.VariableAggregation
    with strategy.scope():
        w = tf.Variable(tf.zeros([3, 1]))
        total = tf.Variable(
            tf.zeros([3, 1]), trainable=False, synchronization=kinds.ON_READ, aggregation=ways.SUM
        )
        count = tf.Variable(0, trainable=False, aggregation=ways.ONLY_FIRST_REPLICA)
    data = tf.data.Dataset.from_tensor_slices(_rows(tf)).batch(4)

    @tf.function
    def accumulate(batch):
        def replica(batch):
            x, y = batch
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum((tf.matmul(x, w) - y) ** 2) / 4.0
            total.assign_add(tape.gradient(loss, w))
            count.assign_add(1)
            return loss

        return strategy.reduce("SUM", strategy.run(replica, args=(batch,)), axis=None)

    found = []
    for step, batch in enumerate(strategy.experimental_distribute_dataset(data)):
        found.append(accumulate(batch))
        if step % 2:
            found.append(total.numpy())
            w.assign_sub(0.1 * total)
            total.assign(tf.zeros([3, 1]))
    return [*found, w.numpy(), count.numpy(), total.numpy()]


def second_derivatives_in_replicas(tf, np):
    strategy = _mirrored(tf, 2)
    with strategy.scope():
        w = tf.Variable([1.0, 2.0])
    context = tf.distribute.get_replica_context

    def replica():
        x = tf.constant([1.0, -1.0]) * (_float(tf) + 1.0)
        with tf.GradientTape(persistent=True) as outer:
            with tf.GradientTape() as inner:
                loss = tf.reduce_sum(w**3 * x)
            first = inner.gradient(loss, w)
            norm = tf.reduce_sum(context().all_reduce("sum", first) ** 2)
        return first, outer.gradient(norm, w), outer.jacobian(first, w), loss

    found = []
    for run in (strategy.run, tf.function(strategy.run)):
        found.append([part.values for part in run(replica)])
    return found


def tapes_around_runs(tf, np):
    strategy, found = _mirrored(tf, 2), []
    with strategy.scope():
        w = tf.Variable([1.0, 2.0])
    x = tf.constant([3.0, -1.0])

    def replica(x):
        return tf.reduce_sum(tf.tanh(w * x)) * (_float(tf) + 1.0)

    def step():
        with tf.GradientTape() as tape:
            tape.watch(x)
            own = strategy.run(replica, args=(x,))
            total = strategy.reduce("SUM", own, axis=None)
        return total, tape.gradient(total, x)

    for run in (step, tf.function(step)):
        found.append(run())
    return found


def metrics_of_replicas(tf, np):
    strategy = _mirrored(tf, 2)
    keras = tf.keras
    with strategy.scope():
        metrics = [
            keras.metrics.Mean(), keras.metrics.Sum(), keras.metrics.MeanSquaredError(),
            keras.metrics.BinaryAccuracy(), keras.metrics.AUC(num_thresholds=11),
            keras.metrics.Mean(name="second"),
        ]  # fmt: skip
    x, y = tf.sigmoid(tf.sin(tf.range(10.0))), tf.cast(tf.range(10) % 2, tf.float32)
    data = tf.data.Dataset.from_tensor_slices((x, y)).batch(4)

    @tf.function
    def update(batch):
        def replica(batch):
            x, y = batch
            metrics[0].update_state(x)
            metrics[1].update_state(x, sample_weight=y)
            for metric in metrics[2:5]:
                metric.update_state(y, x)
            metrics[5].update_state(x[:1])

        strategy.run(replica, args=(batch,))

    found = []
    for _ in range(2):
        for batch in strategy.experimental_distribute_dataset(data):
            update(batch)
        found.append([metric.result() for metric in metrics])
        for metric in metrics:
            metric.reset_state()
        found.append([metric.result() for metric in metrics[:2]])
    return found


def clipped_by_the_norm_of_all(tf, np):
    strategy = _mirrored(tf, 2)
    with strategy.scope():
        w, b = tf.Variable(tf.ones([3, 1])), tf.Variable(tf.zeros([1]))
    context = tf.distribute.get_replica_context
    data = tf.data.Dataset.from_tensor_slices(_rows(tf)).batch(5)

    def replica(batch):
        x, y = batch
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.abs(tf.matmul(x, w) + b - y)) / 5.0
        gradients = context().all_reduce("sum", tape.gradient(loss, [w, b]))
        clipped, norm = tf.clip_by_global_norm(gradients, 0.5)
        for v, g in zip([w, b], clipped, strict=True):
            v.assign_sub(0.1 * g)
        return loss, norm

    found = []
    for run in (strategy.run, tf.function(strategy.run)):
        for batch in strategy.experimental_distribute_dataset(data):
            loss, norm = run(replica, args=(batch,))
            found.append((strategy.reduce("SUM", loss, axis=None), norm.values))
    return [*found, w.numpy(), b.numpy()]


def losses_with_weights(tf, np):
    strategy = _mirrored(tf, 2)
    keras = tf.keras
    with strategy.scope():
        loss_of = keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="none")
        w = tf.Variable(tf.reshape(tf.cos(tf.range(9.0)), [3, 3]))
    x, _ = _rows(tf, 7)
    labels, weights = tf.range(7) % 3, tf.range(7.0) / 7.0
    data = tf.data.Dataset.from_tensor_slices((x, labels, weights)).batch(4)

    @tf.function
    def step(batch):
        def replica(x, labels, weights):
            with tf.GradientTape() as tape:
                each = loss_of(labels, tf.matmul(x, w), sample_weight=weights)
                loss = tf.nn.compute_average_loss(each, global_batch_size=4)
                loss += tf.nn.scale_regularization_loss(0.01 * tf.nn.l2_loss(w))
                other = tf.nn.compute_average_loss(each, sample_weight=weights)
            return loss, other, tape.gradient(loss, w)

        return [strategy.reduce("SUM", part, axis=None) for part in strategy.run(replica, batch)]

    return [step(batch) for batch in strategy.experimental_distribute_dataset(data)]


def merges_of_structures(tf, np):
    strategy = _mirrored(tf, 2)
    context = tf.distribute.get_replica_context
    with strategy.scope():
        v = tf.Variable([1.0, 2.0])
        n = tf.Variable(0.0, aggregation=tf.VariableAggregation.SUM)

    def across(strategy, parts, scale=1.0, name=None):
        told = (type(parts["a"]).__name__, name, tf.distribute.in_cross_replica_context())
        total = strategy.extended.reduce_to("SUM", parts["a"], v)
        batch = strategy.extended.batch_reduce_to("MEAN", [(parts["a"], v), (parts["b"][0], v)])
        strategy.extended.update(v, lambda v, g: v.assign_sub(scale * g), args=(total,))
        values = strategy.experimental_local_results(parts["a"])
        return {"told": told, "n": len(values), "same": parts["a"], "total": total}, batch

    def replica(x):
        parts = {"a": x * (_float(tf) + 1.0), "b": [x + 1.0]}
        found, batch = context().merge_call(across, args=(parts,), kwargs={"scale": 0.5})
        n.assign_add(found["total"][0])
        return found["same"], found["total"], batch, found["told"], found["n"]

    def own(part):
        return part.values[1] if hasattr(part, "values") else part

    found = []
    for run in (strategy.run, tf.function(strategy.run)):
        same, total, batch, told, count = run(replica, args=(tf.constant([1.0, 3.0]),))
        found.append([same.values, [own(part) for part in (total, *batch)], told, count])
        found.append([v.numpy(), n.numpy()])
    return found


def merges_in_merges(tf, np):
    strategy = _mirrored(tf, 2)
    context = tf.distribute.get_replica_context

    def again(strategy, x):
        return strategy.run(lambda y: context().all_reduce("sum", y * y), args=(x,))

    def inner(strategy, x):
        def replica(y):
            return context().merge_call(lambda s, z: s.reduce("SUM", z, axis=None), args=(y,))

        return strategy.run(replica, args=(x,))

    def replica(x):
        x = x * (_float(tf) + 1.0)
        return context().merge_call(again, args=(x,)), context().merge_call(inner, args=(x,))

    return [
        [repr(part) for part in run(replica, args=(tf.constant(2.0),))]
        for run in (strategy.run, tf.function(strategy.run))
    ]


def custom_gradients_in_replicas(tf, np):
    strategy = _mirrored(tf, 2)
    context = tf.distribute.get_replica_context

    @tf.custom_gradient
    def clipped(x):
        return x * x, lambda upstream: tf.clip_by_value(upstream * 2.0 * x, -3.0, 3.0)

    @tf.custom_gradient
    def synchronized(x):
        return context().all_reduce("mean", x), lambda g: context().all_reduce("sum", g)

    def replica(x):
        x = x * (_float(tf) + 1.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(clipped(x) * synchronized(x))
        return y, tape.gradient(y, x)

    x = tf.constant([1.0, -2.0, 0.5])
    runs = (strategy.run, tf.function(strategy.run))
    return [[part.values for part in run(replica, args=(x,))] for run in runs]


def gradients_of_collectives(tf, np):
    """What passes the collectives, in tapes of replicas: sums, means, gathered values, twice."""
    strategy = _mirrored(tf, 2)
    context = tf.distribute.get_replica_context

    def replica(x):
        x = x * (_float(tf) + 1.0)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            total = context().all_reduce("sum", {"a": x * x, "b": [x]})
            mean = context().all_reduce(tf.distribute.ReduceOp.MEAN, tf.exp(x))
            every = context().all_gather(x[None] * 2.0, axis=0)
            y = tf.reduce_sum(total["a"] * mean) + tf.reduce_sum(every**2 * total["b"][0])
            z = context().all_reduce("sum", context().all_reduce("mean", x * y))
        return tape.gradient(y, x), tape.gradient(z, x), every

    x = tf.constant([0.5, -1.0])
    runs = (strategy.run, tf.function(strategy.run))
    return [[part.values for part in run(replica, args=(x,))] for run in runs]


def slices_brought_together(tf, np):
    strategy = _mirrored(tf, 2)
    context = tf.distribute.get_replica_context
    with strategy.scope():
        table = tf.Variable(tf.reshape(tf.range(8.0), [4, 2]))

    def replica(ids):
        ids = ids + _number(tf)
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.nn.embedding_lookup(table, ids) ** 2)
        gradient = tape.gradient(loss, table)
        total = context().all_reduce("sum", gradient)
        mean = context().all_reduce("mean", gradient)
        table.scatter_sub(tf.IndexedSlices(0.01 * total.values, total.indices))
        return tf.convert_to_tensor(total), tf.convert_to_tensor(mean), total.indices, gradient

    found = []
    for run in (strategy.run, tf.function(strategy.run)):
        *dense, gradient = run(replica, args=(tf.constant([0, 2, 0]),))
        found.append([part.values for part in dense])
        together = strategy.reduce("SUM", gradient, axis=None)
        found.append([type(together).__name__, tf.convert_to_tensor(together), table.numpy()])
    return found


def early_ends_and_conditions(tf, np):
    strategy = _mirrored(tf, 2)
    with strategy.scope():
        w = tf.Variable([4.0, 2.0])
        best = tf.Variable(float("inf"), aggregation=tf.VariableAggregation.MEAN)
        waits = tf.Variable(0, aggregation=tf.VariableAggregation.ONLY_FIRST_REPLICA)

    @tf.function
    def train(rate):
        def replica():
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(w * w) * (1.0 + 0.1 * _float(tf))
            w.assign_sub(rate * tape.gradient(loss, w) / (1.0 + 0.1 * _float(tf)))
            return loss

        loss = strategy.reduce("MEAN", strategy.run(replica), axis=None)
        if loss < best:
            best.assign(loss)
            waits.assign(0)
        else:
            waits.assign_add(1)
        return loss

    found = []
    for rate in (0.1, 0.1, -0.1, -0.1, 0.1):
        found.append((train(tf.constant(rate)), best.numpy(), waits.numpy(), w.numpy()))
        if waits.numpy() >= 2:
            break
    return found


def loops_within_replicas(tf, np):
    strategy = _mirrored(tf, 2)

    def replica(x):
        total = tf.zeros_like(x)
        for k in tf.range(_number(tf) + 3):
            total += x * tf.cast(k, tf.float32)
        while tf.reduce_sum(total) > 1.0:
            total /= 2.0
        if tf.reduce_sum(total) > 0.7:
            total = -total
        return total, tf.map_fn(lambda y: y * y, x), tf.scan(lambda a, y: a + y, x)

    x = tf.constant([1.0, 2.0, -0.5])
    return [part.values for part in tf.function(strategy.run)(replica, args=(x,))]


def functions_called_in_replicas(tf, np):
    strategy = _mirrored(tf, 2)
    context = tf.distribute.get_replica_context
    with strategy.scope():
        w = tf.Variable(2.0)

    @tf.function
    def model(x):
        return x * w + tf.cast(context().replica_id_in_sync_group, tf.float32)

    @tf.function
    def trained(x):
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(model(x) ** 2)
        return y, tape.gradient(y, w)

    def replica(x):
        y, gradient = trained(x)
        w.assign_sub(0.01 * context().all_reduce("sum", gradient))
        return y, gradient

    found = []
    for run in (strategy.run, tf.function(strategy.run)):
        found.append([part.values for part in run(replica, args=(tf.constant([1.0, 2.0]),))])
        found.append(w.numpy())
    return found


def wrong_uses_of_replicas(tf, np):
    strategy, other = _mirrored(tf, 2), tf.distribute.OneDeviceStrategy("CPU:0")
    context = tf.distribute.get_replica_context
    with strategy.scope():
        v = tf.Variable(1.0)
    own = strategy.run(lambda: _float(tf))

    def scoped():
        with strategy.scope(), other.scope():
            pass

    def scope_in_replica():
        def replica():
            with strategy.scope():
                pass

        strategy.run(replica)

    statements = [
        scoped, scope_in_replica,
        lambda: strategy.run(lambda: strategy.run(lambda: 1.0)),
        lambda: strategy.run(lambda: strategy.reduce("SUM", 1.0, axis=None)),
        lambda: strategy.run(lambda: strategy.gather(tf.ones([1]), axis=0)),
        lambda: strategy.reduce("PRODUCT", own, axis=None),
        lambda: strategy.reduce(tf.VariableAggregation.SUM, own, axis=None),
        lambda: strategy.gather(own, axis=0),
        lambda: strategy.gather(strategy.run(lambda: tf.ones([2, 2]) * _float(tf)), axis=2),
        lambda: strategy.gather(strategy.run(lambda: tf.ones([2, 2])), axis=-1),
        lambda: strategy.run(lambda: context().all_reduce("max", _float(tf))),
        lambda: strategy.run(lambda: context().all_gather(tf.ones([2]), 1)),
        lambda: strategy.run(lambda x: x, args=tf.constant(1.0)),
        lambda: strategy.run(lambda x: x, kwargs={"y": 1.0}),
        lambda: strategy.run(3),
        lambda: strategy.experimental_distribute_dataset([1, 2, 3]),
        lambda: strategy.experimental_distribute_dataset(tf.data.Dataset.range(3)),
        lambda: next(iter(strategy.experimental_distribute_dataset(tf.data.Dataset.range(3)))),
        lambda: tf.distribute.MirroredStrategy(["CPU:0", "CPU:0"]),
        lambda: tf.distribute.MirroredStrategy(["XPU:0"]),
        lambda: tf.distribute.MirroredStrategy([]),
        lambda: own + own, lambda: tf.add(own, 1.0), lambda: own[0], lambda: len(own),
        lambda: v.assign(tf.constant([1.0, 2.0])), lambda: v.assign("a"),
        lambda: strategy.extended.reduce_to("SUM", own, "CPU:0"),
    ]  # fmt: skip
    return [found.name if hasattr(found := caught(s), "name") else "nothing" for s in statements]
