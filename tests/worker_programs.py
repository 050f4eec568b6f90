"""Programs that several processes run together; each prints what it has found, as JSON.

`tests/goldens/generate_workers.py` runs them under TensorFlow, `tests/test_workers.py` here.
"""

import json
import os
import signal
import tempfile

import numpy as np

MARK = "found: "


def values_of_workers(tf, strategy):
    context = tf.distribute.get_replica_context
    number = strategy.cluster_resolver.task_id
    ids = strategy.run(lambda: context().replica_id_in_sync_group)
    given = strategy.experimental_distribute_values_from_function(
        lambda c: tf.constant([1.0 + c.replica_id_in_sync_group, 2.0])
    )
    doubled = strategy.run(lambda x: x * 2.0 + 1.0, args=(given,))
    function = tf.function(
        lambda x: strategy.reduce("SUM", strategy.run(lambda y: y * 2.0, args=(x,)), axis=None)
    )
    return [
        (strategy.num_replicas_in_sync, list(strategy.extended.worker_devices)),
        (strategy.cluster_resolver.task_type, number),
        (strategy.extended.should_checkpoint, strategy.extended.should_save_summary),
        ids,
        strategy.reduce("SUM", ids, axis=None),
        strategy.experimental_local_results(ids),
        doubled,
        strategy.reduce("MEAN", doubled, axis=None),
        strategy.reduce("SUM", doubled, axis=0),
        strategy.gather(doubled, axis=0),
        strategy.gather(tf.ones([1 + number, 2]) * number, axis=0),
        strategy.reduce("MEAN", tf.constant(1.0 + number), axis=None),
        strategy.reduce("SUM", tf.constant([1.0, 2.0]) * (1.0 + number), axis=0),
        strategy.reduce("MEAN", tf.ones([2 + number]) * (1.0 + number), axis=0),
        strategy.reduce("MEAN", strategy.run(lambda: tf.constant([1, 2]) + number), axis=0),
        strategy.reduce("SUM", 3.0, axis=None),
        strategy.run(lambda x: x + 1.0, args=(tf.constant(10.0 * number),)),
        strategy.run(lambda x: context().all_reduce("mean", x), args=(tf.constant(1.0 + number),)),
        strategy.run(lambda x: context().all_gather(x, 0), args=(given,)),
        function(given),
        function(given),
    ]


def variables_of_workers(tf, strategy):
    number = strategy.cluster_resolver.task_id
    kinds, ways = tf.VariableSynchronization, tf.VariableAggregation
    with strategy.scope():
        first = tf.Variable(5.0 + number)  # the chief's
        total = tf.Variable(0.0, synchronization=kinds.ON_READ, aggregation=ways.SUM)
        mean = tf.Variable([1.0, 2.0], aggregation=ways.MEAN)
        chief = tf.Variable(1.0, aggregation=ways.ONLY_FIRST_REPLICA)
    given = strategy.experimental_distribute_values_from_function(
        lambda c: tf.constant(1.0 + c.replica_id_in_sync_group)
    )

    def replica(x):
        total.assign_add(x)
        mean.assign([x, 2.0 * x])
        chief.assign(chief + 10.0)
        return first * x

    found = [first, strategy.run(replica, args=(given,)), total, mean, chief]
    found = [part.numpy() if hasattr(part, "numpy") else part for part in found]
    tf.function(lambda: strategy.run(replica, args=(given,)))()
    first.assign(7.0)
    total.assign(10.0)
    strategy.run(lambda: total.assign_add(1.0))
    return [*found, first.numpy(), total.numpy(), mean.numpy(), chief.numpy()]


def data_of_workers(tf, strategy):
    count, policy = tf.data.Dataset.range, tf.data.experimental.AutoShardPolicy
    hint = tf.data.experimental.SHARD_HINT

    def by(dataset, kind):
        options = tf.data.Options()
        options.experimental_distribute.auto_shard_policy = kind
        return dataset.with_options(options)

    with tempfile.TemporaryDirectory() as folder:
        names = [os.path.join(folder, f"{k}.txt") for k in range(4)]
        for k, name in enumerate(names):
            with open(name, "w") as file:
                file.writelines(f"{k}{line}\n" for line in range(3))
        lines, slices = tf.data.TextLineDataset, tf.data.Dataset.from_tensor_slices
        datasets = [
            count(14).batch(4),
            count(13).batch(5),
            count(9).batch(4).map(lambda x: x * 2),
            count(9).batch(4).filter(lambda x: x[0] < 100),
            count(13).batch(5, drop_remainder=True),
            count(8).map(lambda x: tf.ones([x + 1])).padded_batch(4),
            count(6).batch(4).repeat(2),
            count(9).shuffle(9, seed=1).batch(4).prefetch(2),
            by(count(13).batch(5), policy.OFF),
            by(count(13).batch(5).map(lambda x: x + 1), policy.OFF),
            by(count(13).batch(4), policy.HINT),
            by(count(13).shard(hint, hint).batch(4), policy.HINT),
            lines(names).batch(4),
            slices(names).interleave(lines, cycle_length=2).batch(4),
            tf.data.Dataset.list_files(names, shuffle=False).flat_map(lines).batch(4),
            by(lines(names).batch(4), policy.DATA),
            by(lines(names).batch(4), policy.FILE),
        ]
        distributed = [strategy.experimental_distribute_dataset(d) for d in datasets]
        told = []

        def part(context):
            told.append(str(context))
            told.append(context.get_per_replica_batch_size(8))
            own = count(7).shard(context.num_input_pipelines, context.input_pipeline_id)
            return own.batch(2)

        distributed.append(strategy.distribute_datasets_from_function(part))
        return [
            told,
            [repr(distributed[k].element_spec) for k in (0, 4, 5)],
            [int(d.cardinality) for d in distributed[:5]],
            [
                [list(map(shown, strategy.experimental_local_results(x))) for x in d]
                for d in distributed
            ],
        ]


def rows_of_several_lengths(tf, strategy):
    """Ragged rows, also where a process has none left, and texts."""
    rows = tf.ragged.constant([[1.0], [2, 3], [], [4], [5, 6, 7]])
    ragged = tf.data.Dataset.from_tensor_slices({"rows": rows, "numbers": [1, 2, 3, 4, 5]})
    words = tf.data.Dataset.from_tensor_slices(["a", "bb", "ccc", "d", "e"])

    @tf.function
    def sums(element):
        return strategy.run(
            lambda e: tf.reduce_sum(e["rows"]) + tf.cast(tf.reduce_sum(e["numbers"]), tf.float32),
            args=(element,),
        )

    def lengths(words):
        return tf.strings.length(words), tf.strings.reduce_join(words)

    found = []
    for element in strategy.experimental_distribute_dataset(ragged.batch(4)):
        found.append(strategy.reduce("SUM", sums(element), axis=None))
    for element in strategy.experimental_distribute_dataset(words.batch(4)):
        counts, joined = strategy.run(lengths, args=(element,))
        found.append(strategy.reduce("SUM", counts, axis=0))
        found.append(strategy.experimental_local_results(joined))
    return found


def training_of_workers(tf, strategy):
    random = np.random.RandomState(0)
    x = random.normal(size=(14, 3)).astype("float32")
    y = (x @ [[1.0], [2.0], [3.0]]).astype("float32")
    kinds, ways = tf.VariableSynchronization, tf.VariableAggregation
    with strategy.scope():
        w = tf.Variable(tf.zeros([3, 1]))
        optimizer = tf.keras.optimizers.SGD(0.1, momentum=0.9)
        seen = tf.Variable(0, dtype=tf.int64, synchronization=kinds.ON_READ, aggregation=ways.SUM)

    def step(x, y):
        with tf.GradientTape() as tape:
            errors = tf.reduce_sum((tf.matmul(x, w) - y) ** 2, 1)
            loss = tf.nn.compute_average_loss(errors, global_batch_size=4)
        optimizer.apply_gradients(zip(tape.gradient(loss, [w]), [w], strict=True))
        seen.assign_add(tf.cast(tf.shape(x)[0], tf.int64))
        return loss

    @tf.function
    def train(x, y):
        return strategy.reduce("SUM", strategy.run(step, args=(x, y)), axis=None)

    data = tf.data.Dataset.from_tensor_slices((x, y)).batch(4)
    found = []
    for _ in range(3):
        found += [train(*b) for b in strategy.experimental_distribute_dataset(data)]
    return [*found, w.numpy(), seen.numpy()]


def loops_of_workers(tf, strategy):
    with strategy.scope():
        w = tf.Variable([1.0, 2.0])

    def step(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((w * x) ** 2)
        gradient = tape.gradient(loss, w)
        w.assign_sub(0.1 * tf.distribute.get_replica_context().all_reduce("sum", gradient))
        return loss

    @tf.function
    def train(dataset):
        total, count = 0.0, 0
        for x in dataset:
            total += strategy.reduce("SUM", strategy.run(step, args=(x,)), axis=None)
            count += 1
        return total, count

    @tf.function
    def several(iterator):
        for _ in tf.range(3):
            strategy.run(step, args=(next(iterator),))

    x = tf.reshape(tf.sin(tf.range(14.0)), [7, 2])
    even = tf.data.Dataset.from_tensor_slices(x).batch(2)
    found = []
    for data in (even, even.filter(lambda x: x[0, 0] < 2.0)):  # of known and unknown size
        distributed = strategy.experimental_distribute_dataset(data)
        found += [train(distributed), train(distributed), w.numpy()]
    several(iter(strategy.experimental_distribute_dataset(even.repeat())))
    return [*found, w.numpy()]


def looks_of_workers(tf, strategy):
    """Steps whose Python looks at values: each process runs its own, and they meet."""
    context = tf.distribute.get_replica_context
    kinds, ways = tf.VariableSynchronization, tf.VariableAggregation
    with strategy.scope():
        w = tf.Variable([1.0, 2.0])
        total = tf.Variable(0.0, synchronization=kinds.ON_READ, aggregation=ways.SUM)
        mean = tf.Variable(0.0, aggregation=ways.MEAN)
        own = tf.Variable(0.0)
    outside = tf.Variable(0.0)
    given = strategy.experimental_distribute_values_from_function(
        lambda c: tf.constant([1.0, 2.0]) + c.replica_id_in_sync_group
    )

    def replica(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((w * x) ** 2)
        gradient = context().all_reduce("sum", tape.gradient(loss, w))
        if float(tf.norm(gradient)) > 20.0:
            gradient *= 20.0 / tf.norm(gradient)
        w.assign_sub(0.01 * gradient)
        total.assign_add(loss)
        mean.assign(loss)
        outside.assign_add(float(loss))
        number = int(context().replica_id_in_sync_group)
        if number == 1:
            total.assign_add(100.0)
        own.assign(own + number)
        every = context().all_gather(x[None], axis=0)
        merged = context().merge_call(
            lambda s, y: s.reduce("SUM", y, axis=None) * mean.read_value(), args=(loss,)
        )
        parts = context().all_reduce("mean", {"a": x, "b": [loss]})
        return loss, gradient, every, merged, parts["a"], parts["b"][0], float(loss), number

    found = []
    for _ in range(3):
        result = strategy.run(replica, args=(given,))
        found.append([*result, strategy.reduce("SUM", result[0], axis=None)])
        found.append([v.numpy() for v in (w, total, mean, outside)])
        found.append([v.numpy() for v in strategy.experimental_local_results(own)])
    tf.function(lambda: strategy.run(lambda: (w.assign(w * 2.0), None)[1]))()
    return [*found, w.numpy()]


def fit_of_workers(tf, strategy):
    """Not under TensorFlow, where `fit` of Keras 3 refuses batches of several workers."""
    random = np.random.RandomState(0)
    x = random.normal(size=(14, 3)).astype("float32")
    y = (x @ [[1.0], [2.0], [3.0]]).astype("float32")
    keras = tf.keras
    start = keras.initializers.GlorotUniform
    with strategy.scope():
        model = keras.Sequential([
            keras.Input([3]), keras.layers.Dense(4, "tanh", kernel_initializer=start(seed=1)),
            keras.layers.BatchNormalization(), keras.layers.Dense(1, kernel_initializer=start(2)),
        ])  # fmt: skip
        model.compile(keras.optimizers.SGD(0.01), "mse", metrics=["mae"])
    data = tf.data.Dataset.from_tensor_slices((x, y)).batch(4)
    history = model.fit(data, epochs=2, verbose=0).history
    weights = [np.abs(weight).sum() for weight in model.get_weights()]
    return [history["loss"], history["mae"], model.predict(x, verbose=0), weights]


def files_in_fit(tf, strategy):
    """What `predict` reads of files, and what a loop over the dataset of the strategy reads."""
    keras = tf.keras
    with tempfile.TemporaryDirectory() as folder:
        names = [os.path.join(folder, f"{k}.txt") for k in range(4)]
        for k, name in enumerate(names):
            with open(name, "w") as file:
                file.writelines(f"{10 * k + line}\n" for line in range(3))
        with strategy.scope():
            model = keras.Sequential([keras.Input([1]), keras.layers.ReLU()])
        numbers = tf.data.TextLineDataset(names).map(tf.strings.to_number)
        data = numbers.map(lambda x: tf.reshape(x, [1])).batch(4)
        predicted = model.predict(data, verbose=0)
        batches = [strategy.gather(x, 0) for x in strategy.experimental_distribute_dataset(data)]
        return [predicted, tf.concat(batches, 0)]


PROGRAMS = [
    values_of_workers, variables_of_workers, data_of_workers, rows_of_several_lengths,
    training_of_workers, loops_of_workers, looks_of_workers,
]  # fmt: skip


def shown(value):
    """A value as JSON has it."""
    if hasattr(value, "numpy"):
        value = value.numpy()
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, list | tuple):
        return [shown(part) for part in value]
    return value


def main(tf, programs):
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    found = {program.__name__: shown(program(tf, strategy)) for program in programs}
    print(MARK + json.dumps(found), flush=True)


def lost(tf):
    """One of the processes is killed while the others wait for it."""
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    if strategy.cluster_resolver.task_id == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    strategy.reduce("SUM", tf.constant(1.0), axis=None)


if __name__ == "__main__":
    import tapefacade

    main(tapefacade, [*PROGRAMS, fit_of_workers, files_in_fit])
    lost(tapefacade)
