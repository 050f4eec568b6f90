"""Functions that go through the dataset of a strategy, and what replicas gather of its batches."""

from programs.program import caught
from programs.replicas import _mirrored

# The generator divides the CPU into so many for TensorFlow.
LOGICAL_CPUS = 3


def _data(tf, rows=7):
    x = tf.reshape(tf.sin(tf.range(2.0 * rows)), [rows, 2])
    return tf.data.Dataset.from_tensor_slices(x).batch(2)


def _trained(tf, strategy):
    """A variable, and a step of it."""
    with strategy.scope():
        w = tf.Variable([1.0, 2.0])

    def step(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((w * x) ** 2)
        gradient = tape.gradient(loss, w)
        w.assign_sub(0.1 * tf.distribute.get_replica_context().all_reduce("sum", gradient))
        return loss

    return w, step


def epochs_in_functions(tf, np):
    found = []
    for distribute in ("experimental_distribute_dataset", "distribute_datasets_from_function"):
        strategy = _mirrored(tf, 2)
        w, step = _trained(tf, strategy)

        @tf.function
        def train(dataset, strategy=strategy, step=step):
            total, count = 0.0, 0
            for x in dataset:
                total += strategy.reduce("SUM", strategy.run(step, args=(x,)), axis=None)
                count += 1
            return total, count

        given = _data(tf)
        if distribute == "distribute_datasets_from_function":
            given = lambda context: _data(tf)  # noqa: E731
        dataset = getattr(strategy, distribute)(given)
        found += [train(dataset) for _ in range(3)]
        found.append(w.numpy())
    return found


def epochs_over_what_is_captured(tf, np):
    strategy = _mirrored(tf, 2)
    w, step = _trained(tf, strategy)
    dataset = strategy.experimental_distribute_dataset(_data(tf, 8))

    @tf.function
    def train():
        for x in dataset:
            strategy.run(step, args=(x,))

    train()
    train()
    return w.numpy()


def epochs_over_pairs(tf, np):
    strategy = _mirrored(tf, 2)
    x = tf.reshape(tf.range(20.0), [10, 2])
    data = tf.data.Dataset.from_tensor_slices({"x": x, "y": (x[:, 0], tf.range(10))}).batch(4)
    dataset = strategy.experimental_distribute_dataset(data)

    def replica(x, y):
        return tf.reduce_sum(x) + tf.reduce_sum(y[0]) * tf.cast(tf.reduce_max(y[1]), tf.float32)

    @tf.function
    def total(dataset):
        found = tf.constant(0.0)
        for batch in dataset:
            values = strategy.run(replica, kwargs=batch)
            if strategy.reduce("MEAN", values, axis=None) > 0.0:
                found += strategy.reduce("SUM", values, axis=None)
        return found

    return total(dataset), total(dataset)


def epochs_over_iterators(tf, np):
    strategy = _mirrored(tf, 2)
    w, step = _trained(tf, strategy)

    @tf.function
    def rest(iterator):
        count = 0
        for x in iterator:
            strategy.run(step, args=(x,))
            count += 1
        return count

    iterator = iter(strategy.experimental_distribute_dataset(_data(tf)))
    strategy.run(step, args=(next(iterator),))
    return rest(iterator), rest(iterator), w.numpy()


def steps_that_take_the_next_batch(tf, np):
    strategy = _mirrored(tf, 2)
    w, step = _trained(tf, strategy)

    @tf.function
    def one(iterator):
        values = strategy.run(step, args=(next(iterator),))
        return strategy.reduce("SUM", values, axis=None)

    @tf.function
    def several(iterator, count):
        for _ in tf.range(count):
            strategy.run(step, args=(next(iterator),))

    iterator = iter(strategy.experimental_distribute_dataset(_data(tf)))
    found = [one(iterator), one(iterator)]
    several(iterator, tf.constant(2))
    found += [w.numpy(), caught(lambda: one(iterator)).name, w.numpy()]
    endless = iter(strategy.experimental_distribute_dataset(_data(tf).repeat()))
    several(endless, tf.constant(9))
    return [*found, w.numpy(), one(endless)]


def optionals_in_functions(tf, np):
    strategy = _mirrored(tf, 2)
    w, step = _trained(tf, strategy)

    @tf.function
    def train(iterator):
        count = 0
        following = iterator.get_next_as_optional()
        while following.has_value():
            strategy.run(step, args=(following.get_value(),))
            count += 1
            following = iterator.get_next_as_optional()
        return count

    iterator = iter(strategy.experimental_distribute_dataset(_data(tf)))
    return train(iterator), w.numpy()


def batches_returned_by_functions(tf, np):
    strategy = _mirrored(tf, 2)
    dataset = strategy.experimental_distribute_dataset(tf.data.Dataset.range(8).batch(4))

    @tf.function
    def following(iterator):
        return next(iterator)

    iterator = iter(dataset)
    return repr(following(iterator)), repr(following(iterator))


def batches_of_several_sizes_gathered(tf, np):
    strategy = _mirrored(tf, 2)
    context = tf.distribute.get_replica_context
    data = strategy.experimental_distribute_dataset(tf.data.Dataset.range(7).batch(4))

    def replica(x):
        y = tf.cast(x, tf.float32)[:, None] * tf.constant([[1.0, -1.0]])
        every = context().all_gather({"x": x, "y": y}, axis=0)
        flat = tf.reshape(every["y"], [-1])
        wide = context().all_gather(tf.transpose(y), axis=1)
        again = context().all_gather(flat[: 2 * tf.shape(x)[0]], axis=0)
        return every, wide, again, tf.shape(again)

    run = tf.function(lambda x: strategy.run(replica, args=(x,)))
    found = []
    for x in data:
        found += [run(x), strategy.gather(x, axis=0)]
    return [tf.nest.map_structure(strategy.experimental_local_results, each) for each in found]


def merged_batches_of_several_sizes(tf, np):
    strategy = _mirrored(tf, 2)
    context = tf.distribute.get_replica_context
    data = strategy.experimental_distribute_dataset(tf.data.Dataset.range(7).batch(4))

    def merge(strategy, x):
        return strategy.gather(x, axis=0)

    def replica(x):
        return context().merge_call(merge, args=(x * 2,))

    return [strategy.experimental_local_results(strategy.run(replica, args=(x,))) for x in data]


def what_is_called_in_the_wrong_place(tf, np):
    x, dataset = tf.constant([1.0, 2.0]), tf.data.Dataset.range(4).batch(2)
    found = []
    for strategy in (_mirrored(tf, 2), tf.distribute.OneDeviceStrategy("CPU:0")):
        for wrong in (
            lambda s=strategy: s.reduce("SUM", x, axis=None),
            lambda s=strategy: s.gather(x, axis=0),
            lambda s=strategy: s.run(lambda: x),
            lambda s=strategy: s.scope().__enter__(),
            lambda s=strategy: s.extended.reduce_to("SUM", x, x),
        ):
            found.append(str(caught(lambda s=strategy, w=wrong: s.run(w))))
        slices = tf.IndexedSlices(x, tf.constant([0, 1]))
        found.append(str(caught(lambda s=strategy, i=slices: s.gather(i, 0))))
    for axis in (-1, 1):
        two = _mirrored(tf, 2)
        found.append(caught(lambda a=axis, s=two: s.gather(s.run(lambda: x + 1.0), a)).name)
    alone = tf.distribute.get_strategy()
    found.append(alone.experimental_distribute_values_from_function(lambda context: 1.0))
    found.append(alone.experimental_distribute_dataset(dataset) is dataset)
    found.append(alone.distribute_datasets_from_function(lambda context: dataset) is dataset)
    return found


def reductions_of_flags(tf, np):
    strategy, context = _mirrored(tf, 2), tf.distribute.get_replica_context
    slices = tf.IndexedSlices(tf.constant([1.0]), tf.constant([0]), tf.constant([2], tf.int64))
    return [
        caught(lambda: strategy.run(lambda: context().all_reduce("sum", tf.constant(True)))).name,
        caught(lambda: strategy.run(lambda: context().all_gather(slices, 0))).name,
    ]


def constants_made_in_replicas(tf, np):
    strategy = _mirrored(tf, 2)
    c = tf.constant(5.0)
    whole = strategy.experimental_distribute_values_from_function(lambda _: tf.ones([2, 3]))
    (parts,) = strategy.experimental_distribute_dataset(tf.data.Dataset.range(3).batch(3))

    def made(x):
        return tf.shape(x)[0], {"a": tf.constant(1.0), "b": [tf.constant([b"a"]), tf.size(x)]}

    def known(x, y):
        return c, y

    found = []
    for decorated in (False, True):
        run = tf.function(strategy.run) if decorated else strategy.run
        for x in (whole, parts):
            count, rest = run(made, args=(x,))
            found.append(strategy.reduce("SUM", count, axis=None))
            found.append(strategy.reduce("MEAN", rest["a"], axis=None))
            found.append(strategy.experimental_local_results(rest["b"][0]))
            found += [repr(rest["b"][1]), repr(count), run(known, args=(x, c))]
    found.append(repr(strategy.run(lambda: np.float32(2.0))))
    return found
