"""More programs of TensorFlow's guides in our own words: input, saved models, loops, Keras."""

import os
import tempfile

from programs.replicas import _mirrored

# The generator divides the CPU into so many for TensorFlow.
LOGICAL_CPUS = 2


def _own(strategy, value):
    return [part.numpy() for part in strategy.experimental_local_results(value)]


def inputs(tf, np):
    strategy, slices = _mirrored(tf, 2), tf.data.Dataset.from_tensor_slices
    even = slices(tf.range(10)).batch(4)
    distributed = strategy.experimental_distribute_dataset(even)

    def make(context):
        size = context.get_per_replica_batch_size(8)
        own = tf.data.Dataset.range(12).shard(
            context.num_input_pipelines, context.input_pipeline_id
        )
        return own.batch(size).prefetch(2)

    apart = strategy.distribute_datasets_from_function(make)
    texts = tf.strings.as_string(tf.range(6))
    nested = slices({"a": tf.range(6), "b": (tf.ones([6, 2]), texts)}).batch(3)
    iterator = iter(strategy.experimental_distribute_dataset(nested))
    first = next(iterator)

    @tf.function
    def total(iterator):
        found = 0
        for _ in tf.range(3):
            element = iterator.get_next_as_optional()
            if element.has_value():
                sums = strategy.run(tf.reduce_sum, args=(element.get_value(),))
                found += strategy.reduce("SUM", sums, axis=None)
        return found

    given = strategy.experimental_distribute_values_from_function(
        lambda context: tf.ones([2]) * context.replica_id_in_sync_group
    )
    return [
        [repr(dataset.element_spec) for dataset in (distributed, apart)],
        [[_own(strategy, batch) for batch in dataset] for dataset in (distributed, apart)],
        [_own(strategy, part) for part in (first["a"], *first["b"])],
        iterator.get_next_as_optional().has_value(),
        total(iter(distributed)),
        _own(strategy, strategy.run(lambda x: x + 1.0, args=(given,))),
    ]


def saved_models(tf, np):
    strategy, other = _mirrored(tf, 2), _mirrored(tf, 2)
    folder = tempfile.mkdtemp()

    class Line(tf.Module):
        def __init__(self):
            self.w = tf.Variable([[1.0], [2.0]])
            self.b = tf.Variable(0.5)

        @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32)])
        def __call__(self, x):
            return tf.matmul(x, self.w) + self.b

    with strategy.scope():
        line = Line()
    tf.saved_model.save(line, folder)
    x = tf.reshape(tf.range(12.0), [6, 2])
    loaded = tf.saved_model.load(folder)
    found = [loaded(x), loaded.signatures["serving_default"](x=x)["output_0"]]
    with other.scope():
        again = tf.saved_model.load(folder)
    infer = again.signatures["serving_default"]
    batches = tf.data.Dataset.from_tensor_slices(x).batch(4)
    for batch in other.experimental_distribute_dataset(batches):
        found.append(_own(other, other.run(lambda b: infer(x=b)["output_0"], args=(batch,))))
    again.w.assign_add([[1.0], [1.0]])
    found.append(again(x))

    def step(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(again(x) ** 2)
        gradients = tape.gradient(loss, [again.w, again.b])
        gradients = tf.distribute.get_replica_context().all_reduce("MEAN", gradients)
        again.w.assign_sub(0.01 * gradients[0])
        again.b.assign_sub(0.01 * gradients[1])
        return loss

    rows = other.experimental_distribute_values_from_function(
        lambda context: x[3 * context.replica_id_in_sync_group :][:3]
    )
    train = tf.function(lambda x: other.reduce("MEAN", other.run(step, args=(x,)), axis=None))
    found += [train(rows), train(rows), again(x), again.w.numpy(), again.b.numpy()]
    one = tf.distribute.OneDeviceStrategy("/cpu:0")
    with one.scope():
        alone = tf.saved_model.load(folder)
    return [*found, one.run(lambda: alone(x))]


def saved_variables(tf, np):
    strategy, folder = _mirrored(tf, 2), tempfile.mkdtemp()
    kinds, ways = tf.VariableSynchronization, tf.VariableAggregation
    module = tf.Module()
    with strategy.scope():
        module.each = [
            tf.Variable(0.0, synchronization=kinds.ON_READ, aggregation=way)
            for way in (ways.SUM, ways.MEAN, ways.ONLY_FIRST_REPLICA)
        ]
        module.mean = tf.Variable(0.0, aggregation=ways.MEAN)
        first = tf.Variable(1.0, synchronization=kinds.ON_READ, aggregation=ways.SUM)
    first = [_own(strategy, strategy.run(first.read_value)), first.numpy()]

    def change(values):
        number = tf.distribute.get_replica_context().replica_id_in_sync_group
        for value in values:
            value.assign_add(tf.cast(number, tf.float32) + 1.0)

    strategy.run(change, args=([*module.each, module.mean],))
    tf.saved_model.save(module, folder)
    with strategy.scope():
        loaded = tf.saved_model.load(folder)
    values = [*loaded.each, loaded.mean]
    found = [first, [value.numpy() for value in values]]
    found += [_own(strategy, strategy.run(value.read_value)) for value in values]
    strategy.run(change, args=(values,))
    found += [[value.numpy() for value in values], [type(value).__name__ for value in values]]
    return [*found, [value.numpy() for value in tf.saved_model.load(folder).each]]


def loop_of_ones_own(tf, np):
    keras, size = tf.keras, 8
    rng, strategy = np.random.default_rng(4), _mirrored(tf, 2)
    x = rng.normal(size=(24, 5)).astype("f")
    y = (x.sum(1) > 0).astype("int64")
    with strategy.scope():
        dense = keras.layers.Dense
        model = keras.Sequential(
            [keras.Input((5,)), dense(6, "tanh"), keras.layers.BatchNormalization(), dense(2)]
        )
        for weight in model.trainable_variables:
            weight.assign((rng.normal(size=weight.shape) * 0.4).astype("f"))
        rates = keras.optimizers.schedules.PiecewiseConstantDecay([2, 5], [0.1, 0.05, 0.01])
        optimizer = keras.optimizers.SGD(rates, momentum=0.9)
        optimizer.build(model.trainable_variables)
        objective = keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="none")
        mean, accuracy = keras.metrics.Mean(), keras.metrics.SparseCategoricalAccuracy()

    def step(inputs):
        x, y = inputs
        with tf.GradientTape() as tape:
            logits = model(x, training=True)
            loss = tf.nn.compute_average_loss(objective(y, logits), global_batch_size=size)
            squares = [tf.nn.l2_loss(weight) for weight in model.trainable_weights]
            loss += tf.nn.scale_regularization_loss(1e-3 * tf.add_n(squares))
        gradients = tape.gradient(loss, model.trainable_variables)
        gradients, _ = tf.clip_by_global_norm(gradients, 1.0)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        accuracy.update_state(y, logits)
        mean.update_state(loss)
        return loss

    def together(batch):
        return strategy.reduce("SUM", strategy.run(step, args=(batch,)), axis=None)

    @tf.function
    def epoch(dataset):
        total, count = 0.0, 0
        for batch in dataset:
            total += together(batch)
            count += 1
        return total / tf.cast(count, tf.float32)

    @tf.function
    def several(iterator):
        total = 0.0
        for _ in tf.range(2):
            total += together(next(iterator))
        return total

    batches = tf.data.Dataset.from_tensor_slices((x, y)).batch(size)
    distributed, one = strategy.experimental_distribute_dataset(batches), tf.function(together)
    found = [[one(batch) for batch in distributed], mean.result(), accuracy.result()]
    found.append(epoch(distributed))
    iterator = iter(strategy.experimental_distribute_dataset(batches.repeat()))
    found += [several(iterator), several(iterator), mean.result(), accuracy.result()]
    rate = float(np.asarray(optimizer.learning_rate))
    return [*found, optimizer.iterations.numpy(), rate, model.get_weights()]


def keras_with_callbacks(tf, np):
    keras, callbacks = tf.keras, tf.keras.callbacks
    rng, strategy = np.random.default_rng(2), _mirrored(tf, 2)
    x = rng.normal(size=(20, 6)).astype("f")
    y = x[:, :3].argmax(1).astype("int64")
    slices = tf.data.Dataset.from_tensor_slices
    train, test = slices((x, y)).cache().batch(8), slices((x[:10] * 0.5, y[:10])).batch(8)
    with strategy.scope():
        model = keras.Sequential(
            [keras.Input((6,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(3)]
        )
        weights = [(rng.normal(size=w.shape) * 0.4).astype("f") for w in model.get_weights()]
        model.set_weights(weights)
        loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        model.compile(keras.optimizers.Adam(0.05), loss, metrics=["accuracy"])
    rates = []

    class Rates(callbacks.Callback):
        def on_epoch_end(self, epoch, logs=None):
            rates.append((epoch, float(np.asarray(model.optimizer.learning_rate))))

    def evaluated(model):
        return [float(value) for value in model.evaluate(test, verbose=0)]

    with tempfile.TemporaryDirectory() as folder:
        each = os.path.join(folder, "epoch_{epoch}.weights.h5")
        decay = callbacks.LearningRateScheduler(lambda epoch, _: [0.05, 0.05, 0.01, 0.001][epoch])
        kept = callbacks.ModelCheckpoint(each, save_weights_only=True)
        fitted = model.fit(train, epochs=4, verbose=0, callbacks=[decay, kept, Rates()]).history
        found = [fitted["loss"], fitted["accuracy"], rates, sorted(os.listdir(folder))]
        found.append(evaluated(model))
        model.load_weights(os.path.join(folder, "epoch_2.weights.h5"))
        found.append(evaluated(model))
        whole = os.path.join(folder, "model.keras")
        model.save(whole)
        plain = keras.models.load_model(whole)
        with strategy.scope():
            copied = keras.models.load_model(whole)
    found += [evaluated(plain), evaluated(copied)]
    found.append(copied.fit(train, epochs=1, verbose=0).history["loss"])
    return [*found, copied.predict(test, verbose=0)[:3]]
