"""`tf.distribute`: strategies with one replica."""

from programs.program import caught


def where_a_program_is(tf, np):
    distribute = tf.distribute

    def place():
        context = distribute.get_replica_context()
        return (
            distribute.has_strategy(),
            distribute.in_cross_replica_context(),
            distribute.get_strategy().num_replicas_in_sync,
            context is None,
        )

    found = [place(), distribute.get_strategy().run(place)]
    for strategy in (distribute.OneDeviceStrategy("/cpu:0"), distribute.MirroredStrategy()):
        with strategy.scope() as entered:
            found.append((place(), entered is strategy, distribute.get_strategy() is strategy))
            with strategy.scope():
                found.append(place())
            found.append(tf.function(lambda s=strategy: s.run(place))())
        found.append(place())
        distribute.experimental_set_strategy(strategy)
        found.append(place())
        distribute.experimental_set_strategy(None)
    return found


def scopes_of_two_strategies(tf, np):
    one, other = tf.distribute.OneDeviceStrategy("/cpu:0"), tf.distribute.MirroredStrategy()
    with one.scope():
        return caught(lambda: other.scope().__enter__()).name


def contexts_of_replicas(tf, np):
    strategy = tf.distribute.OneDeviceStrategy("/cpu:0")

    def replica(x):
        context = tf.distribute.get_replica_context()
        merged = context.merge_call(
            lambda s, y: (s is strategy, tf.distribute.in_cross_replica_context(), y * 2.0),
            args=(x,),
        )
        return (
            context.num_replicas_in_sync,
            context.replica_id_in_sync_group,
            context.strategy is strategy,
            context.all_reduce("sum", x),
            context.all_reduce(tf.distribute.ReduceOp.MEAN, {"a": x, "b": [x + 1.0]}),
            context.all_gather(tf.stack([x, x]), axis=0),
            merged,
        )

    return strategy.run(replica, args=(tf.constant(3.0),))


def reductions(tf, np):
    strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
    rows = tf.constant([[1.0, 2.0], [3.0, 5.0]])
    op = tf.distribute.ReduceOp
    return (
        strategy.reduce("SUM", strategy.run(lambda: tf.constant(2.0)), axis=None),
        strategy.reduce("mean", rows, axis=0),
        strategy.reduce(op.SUM, rows, axis=1),
        strategy.reduce(op("MEAN"), rows, axis=None),
        strategy.gather(rows, axis=1),
        strategy.experimental_local_results(rows),
        [kind.name for kind in op],
        caught(lambda: strategy.reduce("max", rows, axis=None)),
        strategy.extended.reduce_to(op.SUM, rows, rows),
    )


def training_with_a_strategy(tf, np):
    strategy = tf.distribute.MirroredStrategy()
    with strategy.scope():
        w = tf.Variable([0.5, -0.25], name="w")
        mean = tf.Variable(
            0.0, trainable=False, synchronization=tf.VariableSynchronization.ON_READ,
            aggregation=tf.VariableAggregation.MEAN,
        )  # fmt: skip
    x = tf.reshape(tf.range(12.0), [6, 2]) / 10.0
    dataset = tf.data.Dataset.from_tensor_slices(x).batch(3)
    batches = strategy.experimental_distribute_dataset(dataset)

    def replica(batch):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.reduce_sum(batch * w, 1) ** 2)
        context = tf.distribute.get_replica_context()
        gradient = context.all_reduce("mean", tape.gradient(loss, w))
        w.assign_sub(0.5 * gradient)
        mean.assign(loss)
        return loss

    @tf.function
    def step(batch):
        return strategy.reduce("SUM", strategy.run(replica, args=(batch,)), axis=None)

    losses = [step(batch) for batch in batches for _ in range(2)]
    return losses, w.numpy(), mean.numpy(), batches.element_spec


def datasets_made_for_a_strategy(tf, np):
    strategy = tf.distribute.MirroredStrategy()

    def make(context):
        size = context.get_per_replica_batch_size(2)
        found.append((context.num_replicas_in_sync, context.num_input_pipelines, str(context)))
        return tf.data.Dataset.range(5).batch(size)

    found = []
    dataset = strategy.distribute_datasets_from_function(make)
    context = tf.distribute.InputContext(2, 1, 4)
    return (
        [x.numpy() for x in dataset],
        found,
        context.get_per_replica_batch_size(8),
        caught(lambda: context.get_per_replica_batch_size(6)),
    )


def strategies_of_a_kind_of_their_own(tf, np):
    class Mine(tf.distribute.OneDeviceStrategy):
        def scope(self):
            return super().scope()

    strategy = Mine("/cpu:0")
    with strategy.scope():
        v = tf.Variable(2.0)
    strategy.extended.update(v, lambda v, x: v.assign(x), args=(3.0,))
    return isinstance(strategy, tf.distribute.Strategy), strategy.run(lambda: v * 1.0)
