"""Programs as users of strategies write them: how models are trained, fed, kept and reported."""

import contextlib
import pathlib

from programs.program import caught, in_a_new_directory, seeded, shown
from programs.replicas import _float, _mirrored, _number

# The generator divides the CPU into so many for TensorFlow.
LOGICAL_CPUS = 3


def _network(tf, np, *layers, inputs=4, seed=3):
    model = tf.keras.Sequential([tf.keras.Input((inputs,)), *layers])
    seeded(model, np, seed)
    return model


def _data(np, count=18):
    x = np.random.default_rng(5).normal(size=(count, 4)).astype("f")
    return x, np.tanh(x[:, :1] - 0.3 * x[:, 1:2]).astype("f")


def _each(strategy, value):
    return [part.numpy() for part in strategy.experimental_local_results(value)]


def _sums(np, model):
    return [float(np.abs(weight).sum()) for weight in model.get_weights()]


def _minimized(tf, optimizer, variables, loss):
    """Takes a step in a replica."""
    with tf.GradientTape() as tape:
        value = loss()
    gradients = tape.gradient(value, variables)
    optimizer.apply_gradients(zip(gradients, variables, strict=True))
    return value


def gradients_accumulated_and_applied(tf, np):
    strategy, (x, y) = _mirrored(tf, 2), _data(np)
    with strategy.scope():
        model = _network(tf, np, tf.keras.layers.Dense(6, "relu"), tf.keras.layers.Dense(1))
        optimizer = tf.keras.optimizers.Adam(0.01)
        optimizer.build(model.trainable_variables)
        held = [
            tf.Variable(
                tf.zeros_like(variable),
                trainable=False,
                synchronization=tf.VariableSynchronization.ON_READ,
                aggregation=tf.VariableAggregation.SUM,
            )
            for variable in model.trainable_variables
        ]
    batches = tf.data.Dataset.from_tensor_slices((x, y)).batch(6)

    def collect(x, y):
        with tf.GradientTape() as tape:
            errors = tf.square(model(x, training=True) - y)[:, 0]
            loss = tf.nn.compute_average_loss(errors, global_batch_size=6)
        gradients = tape.gradient(loss, model.trainable_variables)
        for variable, gradient in zip(held, gradients, strict=True):
            variable.assign_add(gradient)
        return loss

    def apply():
        gradients = [variable.read_value() / 3.0 for variable in held]
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        for variable in held:
            variable.assign(tf.zeros_like(variable))

    @tf.function
    def step(batch):
        return strategy.reduce("SUM", strategy.run(collect, args=batch), axis=None)

    found = []
    for _ in range(2):
        found += [step(batch) for batch in strategy.experimental_distribute_dataset(batches)]
        found.append([float(np.abs(variable.numpy()).sum()) for variable in held])
        strategy.run(apply)
    return found, _sums(np, model)


def two_models_against_each_other(tf, np):
    strategy, keras = _mirrored(tf, 2), tf.keras
    rng = np.random.default_rng(0)
    real = rng.normal(2.0, 0.5, size=(12, 2)).astype("f")
    noise = rng.normal(size=(12, 3)).astype("f")
    with strategy.scope():
        dense = keras.layers.Dense
        maker = _network(tf, np, dense(8, "tanh"), dense(2), inputs=3)
        judge = _network(tf, np, dense(8), keras.layers.LeakyReLU(), dense(1), inputs=2, seed=4)
        first, second = keras.optimizers.Adam(1e-2, beta_1=0.5), keras.optimizers.RMSprop(1e-2)
        first.build(maker.trainable_variables)
        second.build(judge.trainable_variables)
        entropy = keras.losses.BinaryCrossentropy(from_logits=True, reduction="none")
        mean = keras.metrics.Mean()

    def step(real, noise):
        with tf.GradientTape() as of_maker, tf.GradientTape() as of_judge:
            made = maker(noise, training=True)
            a, b = judge(real, training=True), judge(made, training=True)
            losses = entropy(tf.ones_like(b), b)
            fooled = tf.nn.compute_average_loss(losses, global_batch_size=6)
            losses = entropy(tf.ones_like(a), a) + entropy(tf.zeros_like(b), b)
            judged = tf.nn.compute_average_loss(losses, global_batch_size=6)
        for tape, loss, model, optimizer in (
            (of_maker, fooled, maker, first),
            (of_judge, judged, judge, second),
        ):
            gradients = tape.gradient(loss, model.trainable_variables)
            optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        mean.update_state(fooled)
        return fooled, judged

    @tf.function
    def train(batch):
        return [strategy.reduce("SUM", loss, axis=None) for loss in strategy.run(step, args=batch)]

    batches = tf.data.Dataset.from_tensor_slices((real, noise)).batch(6)
    batches = strategy.experimental_distribute_dataset(batches)
    return [train(batch) for _ in range(2) for batch in batches], mean.result(), _sums(np, judge)


def averages_that_are_read_together(tf, np):
    strategy = _mirrored(tf, 2)
    on_read = tf.VariableSynchronization.ON_READ
    with strategy.scope():
        seen, total = [
            tf.Variable(first, synchronization=on_read, aggregation=aggregation, trainable=False)
            for first, aggregation in (
                (0.0, tf.VariableAggregation.MEAN),
                (0, tf.VariableAggregation.SUM),
            )
        ]

    @tf.function
    def step(batch):
        def replica(x):
            seen.assign(0.9 * seen + 0.1 * tf.reduce_mean(x))
            total.assign_add(tf.size(x))
            return seen.read_value(), total + 0

        return strategy.run(replica, args=(batch,))

    found = []
    dataset = tf.data.Dataset.range(10).map(lambda i: tf.cast(i, tf.float32)).batch(4)
    for batch in strategy.experimental_distribute_dataset(dataset):
        found += [_each(strategy, part) for part in step(batch)]
        found += [seen.numpy(), total.numpy(), seen.read_value()]
    found += [caught(lambda: seen.assign(4.0)), _each(strategy, seen)]
    found += [
        caught(lambda: seen.assign_add(4.0)),
        caught(lambda: seen.assign(1, read_value=False)),
    ]
    found += [caught(lambda: total.assign(7)), _each(strategy, total), total.numpy()]
    return found


def structures_of_ragged_rows(tf, np):
    strategy = _mirrored(tf, 2)
    boxes = tf.ragged.constant([[1], [2, 3], [], [4], [5, 6, 7], [8], [9]])
    numbers = np.arange(7), np.arange(7) * 2.0
    words = [*"abcdefg"]
    dataset = tf.data.Dataset.from_tensor_slices({"boxes": boxes, "words": words, "pair": numbers})

    @tf.function
    def step(element):
        def replica(element):
            return {
                "sum": tf.reduce_sum(element["boxes"]),
                "lengths": element["boxes"].row_lengths(),
                "text": tf.strings.reduce_join(element["words"]),
                "other": tf.reduce_sum(element["pair"][1]),
            }

        return strategy.run(replica, args=(element,))

    found = []
    for element in strategy.experimental_distribute_dataset(dataset.batch(4)):
        parts = step(element)
        of_each = strategy.experimental_local_results
        found.append({name: [*map(shown, of_each(part))] for name, part in parts.items()})
        found.append(strategy.gather(parts["lengths"], 0))
    return found


def products_of_sparse_rows(tf, np):
    strategy = _mirrored(tf, 2)
    rows = tf.sparse.from_dense([[1.0, 0, 2], [0, 0, 3], [4, 0, 0], [0, 5, 0]])
    with strategy.scope():
        weights = tf.Variable([[1.0], [10.0], [100.0]])

    def replica(x):
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.sparse.sparse_dense_matmul(x, weights))
        gradient = tape.gradient(y, weights)
        return y, tf.distribute.get_replica_context().all_reduce("SUM", gradient), x

    found, dataset = [], tf.data.Dataset.from_tensor_slices(rows).batch(2)
    for batch in strategy.experimental_distribute_dataset(dataset):
        for run in (strategy.run, tf.function(strategy.run)):
            y, gradient, x = run(replica, args=(batch,))
            of_each = strategy.experimental_local_results
            found += [strategy.reduce("SUM", y, None), of_each(gradient), [*map(shown, of_each(x))]]
    return found


def batches_given_to_models(tf, np):
    strategy, (x, y) = _mirrored(tf, 2), _data(np, 12)
    with strategy.scope():
        model = _network(tf, np, tf.keras.layers.Dense(3, "tanh"), tf.keras.layers.Dense(1))
        model.compile(tf.keras.optimizers.SGD(0.1), "mse", metrics=["mae"])
    found = [
        model.train_on_batch(x[:6], y[:6]),
        model.train_on_batch(x[6:], y[6:], return_dict=True),
        model.test_on_batch(x, y),
        model.test_on_batch(x[:5], y[:5]),
    ]
    return found, [model.predict_on_batch(x[:count]) for count in (1, 4, 5)], _sums(np, model)


def callbacks_of_models(tf, np):
    strategy, (x, y), keras = _mirrored(tf, 2), _data(np, 24), tf.keras
    with strategy.scope():
        model = _network(tf, np, keras.layers.Dense(3, "tanh"), keras.layers.Dense(1))
        model.compile(keras.optimizers.SGD(0.5), "mse", metrics=["mae"])
    seen = []

    class Seen(keras.callbacks.Callback):
        def on_train_batch_end(self, batch, logs=None):
            seen.append((batch, float(logs["loss"]), model.predict_on_batch(x[:1])))

    callbacks = [
        Seen(),
        keras.callbacks.ReduceLROnPlateau("val_loss", factor=0.5, patience=1, min_delta=0.5),
        keras.callbacks.EarlyStopping("loss", min_delta=1.0, patience=2, restore_best_weights=True),
        keras.callbacks.LearningRateScheduler(lambda epoch, rate: rate * 0.9),
    ]
    history = model.fit(
        x, y, validation_data=(x[:8], y[:8]), batch_size=8, epochs=4, shuffle=False, verbose=0,
        callbacks=callbacks,
    ).history  # fmt: skip
    losses = {name: [float(value) for value in values] for name, values in history.items()}
    return seen, losses, model.optimizer.learning_rate.numpy(), _sums(np, model)


@in_a_new_directory
def checkpoints_under_other_numbers_of_replicas(tf, np):
    x, y = _data(np, 8)
    batch = tf.data.Dataset.from_tensor_slices((x, y)).batch(8)

    def made(strategy):
        with contextlib.nullcontext() if strategy is None else strategy.scope():
            layers = tf.keras.layers
            model = _network(
                tf, np, layers.Dense(3, "tanh"), layers.BatchNormalization(), layers.Dense(1)
            )
            optimizer = tf.keras.optimizers.Adam(0.05)
            optimizer.build(model.trainable_variables)
            seen = tf.Variable(
                1.0,
                synchronization=tf.VariableSynchronization.ON_READ,
                aggregation=tf.VariableAggregation.SUM,
                trainable=False,
            )
        return tf.train.Checkpoint(model=model, optimizer=optimizer, seen=seen)

    def train(strategy, kept):
        def step(x, y):
            kept.seen.assign_add(tf.reduce_sum(x))
            return _minimized(
                tf, kept.optimizer, kept.model.trainable_variables,
                lambda: tf.reduce_sum(tf.square(kept.model(x, training=True) - y)) / 8.0,
            )  # fmt: skip

        if strategy is None:
            return step(x, y)
        for part in strategy.experimental_distribute_dataset(batch):
            strategy.run(step, args=part)

    def state(kept):
        return kept.seen.numpy(), kept.optimizer.iterations.numpy(), _sums(np, kept.model)

    found = []
    for first, second in ((_mirrored(tf, 2), None), (None, _mirrored(tf, 2))):
        kept = made(first)
        train(first, kept)
        train(first, kept)
        path = kept.save(str(pathlib.Path("kept", "all")))
        found.append(tf.train.load_variable(path, "seen/.ATTRIBUTES/VARIABLE_VALUE"))
        other = made(second)
        other.restore(path).assert_existing_objects_matched()
        found.append(state(other))
        train(second, other)
        found.append(state(other))
    return found


def members_of_extended(tf, np):
    strategy = _mirrored(tf, 2)
    extended, made = strategy.extended, strategy.experimental_distribute_values_from_function
    with strategy.scope():
        v, w = tf.Variable([1.0, 2.0]), tf.Variable(3.0)
    x = made(lambda context: tf.constant([1.0, 2.0]) * (context.replica_id_in_sync_group + 1.0))
    y = made(lambda context: tf.constant(5.0) * (context.replica_id_in_sync_group + 1.0))

    def added(a, b):
        return a.assign_add(b)

    found = [repr(extended.reduce_to("SUM", x, v))]
    found += [repr(part) for part in extended.batch_reduce_to("MEAN", [(x, v), (y, w)])]
    found.append(extended.variable_created_in_scope(v))
    found.append(extended.variable_created_in_scope(tf.Variable(1.0)))
    found.append(repr(extended.update(v, added, args=(x,))))
    found.append(repr(v))
    found.append(repr(extended.update(v, added, args=(x,), group=False)))
    found.append(repr(extended.call_for_each_replica(lambda a: a + 1.0, args=(y,))))
    found.append(extended.value_container(strategy.experimental_local_results(v)[0]) is v)
    with strategy.scope(), extended.colocate_vars_with(v):
        found.append(repr(tf.Variable(4.0)))
    return found


def weights_of_classes_and_examples(tf, np):
    strategy, (x, _), keras = _mirrored(tf, 2), _data(np, 16), tf.keras
    labels, weights = np.arange(16) % 3, np.linspace(0, 2, 16).astype("f")
    found = []
    for given in ({"class_weight": {0: 1.0, 1: 3.0, 2: 0.5}}, {"sample_weight": weights}, {}):
        with strategy.scope():
            model = _network(tf, np, keras.layers.Dense(5, "relu"), keras.layers.Dense(3))
            model.compile(
                keras.optimizers.SGD(0.2),
                keras.losses.SparseCategoricalCrossentropy(from_logits=True),
                metrics=["accuracy"],
                weighted_metrics=["sparse_categorical_crossentropy"],
            )
        fit = model.fit(x, labels, batch_size=4, epochs=2, shuffle=False, verbose=0, **given)
        found.append({name: [float(v) for v in values] for name, values in fit.history.items()})
        found.append(model.evaluate(x, labels, batch_size=8, verbose=0, sample_weight=weights))
        found.append(_sums(np, model))
    return found


def optimizers_of_every_kind(tf, np):
    strategy, kinds = _mirrored(tf, 2), tf.keras.optimizers
    decay = kinds.schedules.PiecewiseConstantDecay([1], [0.5, 0.05])

    def trained(make):
        with strategy.scope():
            v, w = tf.Variable([[1.0, -2.0], [3.0, 0.5]]), tf.Variable([1.0, 2.0])
            optimizer = make()
            optimizer.build([v, w])

        def replica():
            number = _float(tf) + 1.0
            _minimized(
                tf, optimizer, [v, w],
                lambda: tf.reduce_sum(v**2) * number + tf.reduce_sum(w) * number,
            )  # fmt: skip

        for _ in range(3):
            strategy.run(replica)
        return v.numpy(), w.numpy(), optimizer.iterations.numpy()

    makers = (
        lambda: kinds.Adam(0.1, amsgrad=True),
        lambda: kinds.AdamW(0.1, weight_decay=0.1),
        lambda: kinds.RMSprop(0.1, centered=True, momentum=0.5),
        lambda: kinds.Adadelta(1.0),
        lambda: kinds.Adamax(0.1),
        lambda: kinds.Nadam(0.1),
        lambda: kinds.Ftrl(0.1, l1_regularization_strength=0.01),
        lambda: kinds.Lion(0.1),
        lambda: kinds.SGD(decay, clipvalue=0.6),
        lambda: kinds.Adafactor(0.1),
        lambda: kinds.SGD(0.1, global_clipnorm=0.3, weight_decay=0.01),
    )
    return [trained(make) for make in makers]


def batches_that_run_into_each_other(tf, np):
    """With the policy OFF, also where the widths of batches are not known."""
    strategy, of_range = _mirrored(tf, 2), tf.data.Dataset.range
    options = tf.data.Options()
    options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.OFF

    @tf.function
    def total(distributed):
        found = tf.constant(0, tf.int64)
        for element in distributed:
            part = strategy.run(lambda x: tf.reduce_sum(x), args=(element,))
            found += strategy.reduce("SUM", part, axis=None)
        return found

    found = []
    for count in (5, 6, 7, 9):
        ragged = of_range(1, count).map(lambda x: tf.range(x))
        even = of_range(1, count).map(lambda x: tf.range(3 + 0 * x))
        for dataset in (
            ragged.padded_batch(4, padded_shapes=[None]),
            even.padded_batch(4, padded_shapes=[None]).map(lambda x: x * 2),
            of_range(count).batch(4, drop_remainder=True),
            of_range(count).batch(4),
        ):
            distributed = strategy.experimental_distribute_dataset(dataset.with_options(options))
            found.append([[part.tolist() for part in _each(strategy, e)] for e in distributed])
            found.append(total(distributed) if count == 7 else None)
    return found


def last_batches_of_ragged_and_sparse_rows(tf, np):
    """A replica for which there is no batch left gets one of no rows."""
    strategy, slices = _mirrored(tf, 2), tf.data.Dataset.from_tensor_slices
    rows = tf.ragged.constant([[1.0], [2, 3], [], [4], [5, 6, 7]])

    def parts(value):
        dataset = slices(value).batch(2)
        distributed = strategy.distribute_datasets_from_function(lambda context: dataset)
        of_each = strategy.experimental_local_results
        flat = [tf.nest.flatten(element) for element in distributed]
        return [[shown(part) for value in values for part in of_each(value)] for values in flat]

    return [
        parts(rows),
        parts(tf.ragged.constant([[[1.0], [2]], [[3]], [], [[4, 5]], [[6]]])),
        parts(tf.sparse.from_dense([[1.0, 0, 2], [0, 0, 3], [4, 0, 0], [0, 5, 0], [6, 0, 0]])),
        parts({"rows": rows, "words": [*"abcde"]}),
    ]


def collectives_beside_conditions(tf, np):
    strategy = _mirrored(tf, 2)
    with strategy.scope():
        seen = tf.Variable(0.0, aggregation=tf.VariableAggregation.SUM)

    def replica(x):
        context, total = tf.distribute.get_replica_context(), tf.constant(0.0)
        for k in range(3):
            total += context.all_reduce("SUM", x * float(k))
        while tf.reduce_sum(x) < 10.0:
            x = x * 2.0
        if tf.reduce_sum(x) > 11.0:
            x = x - 1.0
        seen.assign_add(tf.reduce_sum(x))
        return total, x, seen + tf.cast(_number(tf), tf.float32)

    @tf.function
    def step(batch):
        return strategy.run(replica, args=(batch,))

    dataset = tf.data.Dataset.from_tensor_slices([[1.0], [2.0], [3.0], [0.5]]).batch(2)
    batches = strategy.experimental_distribute_dataset(dataset)
    return [[_each(strategy, part) for part in step(batch)] for batch in batches], seen.numpy()


def losses_of_replicas(tf, np):
    strategy, losses = _mirrored(tf, 2), tf.keras.losses
    with strategy.scope():
        weights = tf.Variable([[1.0], [2.0]])
        kinds = [losses.MeanSquaredError(reduction=kind) for kind in ("none", "sum")]
        kinds += [losses.MeanSquaredError(), losses.Huber()]
    x = strategy.experimental_distribute_values_from_function(
        lambda context: tf.constant([[1.0, 2.0], [3.0, 4.0 + context.replica_id_in_sync_group]])
    )

    def replica(x):
        y, predicted = tf.ones([2, 1]), x @ weights
        found = [loss(y, predicted) for loss in kinds]
        found.append(losses.Huber()(y, predicted, sample_weight=tf.constant([1.0, 0.0])))
        found.append(tf.nn.compute_average_loss(found[0], sample_weight=tf.constant([1.0, 0.5])))
        return [*found, tf.nn.scale_regularization_loss(tf.constant(4.0))]

    return [
        [_each(strategy, part) for part in run(replica, args=(x,))]
        for run in (strategy.run, tf.function(strategy.run))
    ]


def updates_in_merges(tf, np):
    strategy = _mirrored(tf, 2)
    with strategy.scope():
        weights = tf.Variable([1.0, 1.0])

    def merge(strategy, x, scale=1.0):
        mean = strategy.extended.reduce_to("MEAN", x, weights)

        def change(variable, value):
            variable.assign_sub(value * scale)

        strategy.extended.update(weights, change, args=(mean,))
        return strategy.reduce("SUM", x, axis=None)

    def replica(x):
        context = tf.distribute.get_replica_context()
        merged = context.merge_call(merge, args=(x * weights,), kwargs={"scale": 0.5})
        return merged, weights + 0.0

    x = strategy.experimental_distribute_values_from_function(
        lambda context: tf.constant([1.0, 2.0]) * (1.0 + context.replica_id_in_sync_group)
    )
    found = []
    for run in (strategy.run, tf.function(strategy.run)):
        merged, after = run(replica, args=(x,))
        found += [repr(merged), _each(strategy, after), weights.numpy()]
    return found


def sizes_that_values_decide(tf, np):
    strategy = _mirrored(tf, 2)
    x = strategy.experimental_distribute_values_from_function(
        lambda context: (
            tf.constant([3.0, -1.0, 2.0, -5.0, -7.0])
            * (1.0 if context.replica_id_in_sync_group else -1.0)
        )
    )

    def replica(x):
        is_kept = x > 0
        parts = tf.dynamic_partition(x, tf.cast(is_kept, tf.int32), 2)
        return tf.boolean_mask(x, is_kept), tf.where(is_kept), parts, tf.nn.top_k(x, 2).values

    found = []
    for run in (strategy.run, tf.function(strategy.run)):
        parts = tf.nest.flatten(run(replica, args=(x,)))
        found += [_each(strategy, part) for part in parts]
        found += [strategy.gather(parts[0], axis=0), strategy.reduce("SUM", parts[0], axis=0)]
    return found


@in_a_new_directory
def training_that_goes_on_from_a_backup(tf, np):
    strategy, (x, y), keras = _mirrored(tf, 2), _data(np, 16), tf.keras

    class Interrupted(keras.callbacks.Callback):
        def on_epoch_end(self, epoch, logs=None):
            if epoch == 1:
                raise RuntimeError("interrupted")

    def fitted(*callbacks):
        with strategy.scope():
            dense = keras.layers.Dense
            model = _network(tf, np, dense(3, "tanh"), dense(1))
            model.compile(keras.optimizers.Adam(0.05), "mse")
        backup = keras.callbacks.BackupAndRestore("backup")
        return model.fit(
            x, y, batch_size=8, epochs=3, verbose=0, shuffle=False, callbacks=[backup, *callbacks]
        )

    error = caught(lambda: fitted(Interrupted()))
    rest = fitted()
    return error.text, rest.epoch, [float(loss) for loss in rest.history["loss"]]
