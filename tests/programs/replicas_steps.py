"""What steps of replicas meet: weights that say how they are shared, gradients, loops, batches."""

import functools

import numpy

from programs.program import caught

LOGICAL_CPUS = 3
X = numpy.random.RandomState(0).normal(size=(14, 3)).astype("float32")


@functools.cache
def _strategy(tf):
    return tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])


def _number(tf):
    return tf.cast(tf.distribute.get_replica_context().replica_id_in_sync_group, tf.float32)


def _values(tf, make):
    strategy = _strategy(tf)
    return strategy.experimental_distribute_values_from_function(
        lambda c: make(float(c.replica_id_in_sync_group))
    )


def _local(tf, structure):
    return tf.nest.map_structure(_strategy(tf).experimental_local_results, structure)


def _both(tf, function, *args):
    """What replicas give at once, and in a `tf.function`."""
    strategy = _strategy(tf)
    in_function = tf.function(lambda *args: strategy.run(function, args=args))
    return [_local(tf, strategy.run(function, args=args)), _local(tf, in_function(*args))]


def _counting(tf, aggregation):
    class Counting(tf.keras.layers.Layer):
        def build(self, input_shape):
            self.seen = self.add_weight(
                shape=(), initializer="zeros", trainable=False, aggregation=aggregation
            )

        def call(self, x, training=False):
            if training:
                self.seen.assign_add(tf.reduce_mean(x))
            return x

    return Counting()


def weights_of_layers(tf, np):
    """`add_weight` says how replicas bring their assignments together."""
    strategy, keras, found = _strategy(tf), tf.keras, []

    for aggregation in ("none", "mean", "sum", "only_first_replica"):
        with strategy.scope():
            layers = [
                keras.Input([3]),
                _counting(tf, aggregation),
                keras.layers.Dense(1, kernel_initializer="ones"),
            ]
            model = keras.Sequential(layers)
            model.compile(keras.optimizers.SGD(0.05), "mse")
        data = tf.data.Dataset.from_tensor_slices((X[:12], X[:12, :1])).batch(4)
        loss = model.fit(data, epochs=2, verbose=0).history["loss"]
        found.append([loss, model.layers[0].seen.numpy()])
    return found


def metrics_from_outside(tf, np):
    keras = tf.keras
    metric = keras.metrics.MeanAbsoluteError(name="error")
    with _strategy(tf).scope():
        dense = keras.layers.Dense(1, kernel_initializer="ones")
        model = keras.Sequential([keras.Input([3]), dense])
    with _strategy(tf).scope():
        model.compile(keras.optimizers.SGD(0.05), "mse", metrics=[metric])
    data = tf.data.Dataset.from_tensor_slices((X, X[:, :1])).batch(4)
    return [model.fit(data, epochs=2, verbose=0).history, model.evaluate(data, verbose=0)]


def gradients_through_collectives(tf, np):
    context = tf.distribute.get_replica_context
    with _strategy(tf).scope():
        w = tf.Variable([3.0, 1.0])

    def gathered():
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(context().all_gather(w * (_number(tf) + 1.0), 0) ** 2)
        return tape.gradient(y, w)

    def reduced():
        with tf.GradientTape() as tape:
            total = context().all_reduce("sum", w * (_number(tf) + 1.0))
            y = tf.reduce_sum(total**2) * (_number(tf) + 1.0)
        return tape.gradient(y, w)

    def jacobian():
        with tf.GradientTape() as tape:
            y = w * w * (_number(tf) + 1.0)
        return tape.jacobian(y, w)

    def twice():
        with tf.GradientTape() as outer:
            with tf.GradientTape() as tape:
                y = tf.reduce_sum(w**3 * (_number(tf) + 1.0))
            first = tape.gradient(y, w)
        return outer.gradient(first, w)

    return [_both(tf, function) for function in (gathered, reduced, jacobian, twice)]


def loops_in_replicas(tf, np):
    x = _values(tf, lambda number: tf.range(3.0) + number)

    def scanned(x):
        return (
            tf.scan(lambda a, b: a + b, x), tf.map_fn(lambda a: a * 2.0, x),
            tf.vectorized_map(lambda a: a + 1.0, x),
        )  # fmt: skip

    def branched(x):
        number = tf.distribute.get_replica_context().replica_id_in_sync_group
        one = tf.cond(number == 0, lambda: x, lambda: -x)
        return one, tf.while_loop(lambda k: k < number + 3, lambda k: [k + 1], [tf.constant(0)])

    def stored(x):
        array = tf.TensorArray(tf.float32, 3)
        for i in tf.range(3):
            array = array.write(i, x[i] * tf.cast(i, tf.float32))
        return array.stack()

    in_function = tf.function(lambda x: _strategy(tf).run(stored, args=(x,)))
    return [_both(tf, scanned, x), _both(tf, branched, x), _local(tf, in_function(x))]


def batches_until_there_are_none(tf, np):
    strategy = _strategy(tf)
    data = strategy.experimental_distribute_dataset(tf.data.Dataset.range(10).batch(4))

    def total(x):
        return tf.reduce_sum(x)

    @tf.function
    def optional(iterator):
        found = tf.constant(0, tf.int64)
        element = iterator.get_next_as_optional()
        while element.has_value():
            each = strategy.run(total, args=(element.get_value(),))
            found += strategy.reduce("SUM", each, None)
            element = iterator.get_next_as_optional()
        return found

    iterator, found = iter(data), []
    for _ in range(3):
        found.append(strategy.experimental_local_results(next(iterator)))
    element = iter(data).get_next_as_optional()
    found.append([bool(element.has_value()), _local(tf, element.get_value())])
    for x in data:
        found += [strategy.reduce(kind, x, 0) for kind in ("SUM", "MEAN")]
    return [*found, caught(lambda: next(iterator)), optional(iter(data))]


def rows_of_embeddings(tf, np):
    strategy = _strategy(tf)
    with strategy.scope():
        table = tf.Variable(tf.reshape(tf.range(8.0), [4, 2]))
        optimizer = tf.keras.optimizers.SGD(0.1)
        optimizer.build([table])

    def step(rows):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.gather(table, rows) ** 2)
        optimizer.apply_gradients([(tape.gradient(loss, table), table)])

    def summed():
        number = tf.distribute.get_replica_context().replica_id_in_sync_group
        rows = tf.ones([2, 2]) * (_number(tf) + 1.0)
        slices = tf.IndexedSlices(rows, tf.stack([number, number + 1]), tf.constant([4, 2]))
        return tf.distribute.get_replica_context().all_reduce("sum", slices)

    rows = _values(tf, lambda number: tf.constant([0, 1 + int(number)]))
    tf.function(lambda rows: strategy.run(step, args=(rows,)))(rows)
    parts = strategy.experimental_local_results(strategy.run(summed))
    return [table.numpy(), [tf.convert_to_tensor(part) for part in parts]]
