"""The programs of TensorFlow's guides to distributed and custom training, in our own words."""

from programs.replicas import _mirrored

# The generator divides the CPU into so many for TensorFlow.
LOGICAL_CPUS = 3


def _pictures(np, count):
    rng = np.random.default_rng(3)
    labels = rng.integers(0, 4, count).astype("int64")
    pictures = rng.normal(size=(count, 8, 8, 1)) * 0.3
    for picture, label in zip(pictures, labels, strict=True):
        picture[2 * label : 2 * label + 2] += 1.0
    return pictures.astype("f"), labels


def _classifier(tf, np):
    layers = tf.keras.layers
    model = tf.keras.Sequential(
        [
            tf.keras.Input((8, 8, 1)),
            layers.Conv2D(4, 3, activation="relu"),
            layers.MaxPooling2D(),
            layers.Flatten(),
            layers.Dense(8, activation="relu"),
            layers.Dense(4),
        ]
    )
    rng = np.random.default_rng(5)
    model.set_weights([(rng.normal(size=w.shape) * 0.3).astype("f") for w in model.get_weights()])
    return model


def training_by_hand(tf, np):
    strategy = _mirrored(tf, 2)
    size, epochs = 8, 2
    train, test = _pictures(np, 28), _pictures(np, 12)
    keras = tf.keras
    with strategy.scope():
        objective = keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="none")
        test_loss = keras.metrics.Mean(name="test_loss")
        accuracy = keras.metrics.SparseCategoricalAccuracy(name="accuracy")
        test_accuracy = keras.metrics.SparseCategoricalAccuracy(name="test_accuracy")
        model = _classifier(tf, np)
        optimizer = keras.optimizers.Adam(0.01)
        optimizer.build(model.trainable_variables)
    checkpoint = tf.train.Checkpoint(model=model, optimizer=optimizer)

    def distributed(data):
        dataset = tf.data.Dataset.from_tensor_slices(data).batch(size)
        return strategy.experimental_distribute_dataset(dataset)

    def loss_of(labels, predictions):
        return tf.nn.compute_average_loss(objective(labels, predictions), global_batch_size=size)

    def train_step(inputs):
        pictures, labels = inputs
        with tf.GradientTape() as tape:
            predictions = model(pictures, training=True)
            loss = loss_of(labels, predictions)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        accuracy.update_state(labels, predictions)
        return loss

    def test_step(inputs):
        pictures, labels = inputs
        predictions = model(pictures, training=False)
        test_loss.update_state(objective(labels, predictions))
        test_accuracy.update_state(labels, predictions)

    @tf.function
    def distributed_train_step(inputs):
        losses = strategy.run(train_step, args=(inputs,))
        return strategy.reduce(tf.distribute.ReduceOp.SUM, losses, axis=None)

    @tf.function
    def distributed_test_step(inputs):
        return strategy.run(test_step, args=(inputs,))

    found = []
    for _ in range(epochs):
        losses = [distributed_train_step(batch) for batch in distributed(train)]
        for batch in distributed(test):
            distributed_test_step(batch)
        found.append((losses, accuracy.result(), test_loss.result(), test_accuracy.result()))
        for metric in (accuracy, test_loss, test_accuracy):
            metric.reset_state()
    saved = len(checkpoint.model.get_weights())
    return found, saved, [float(np.abs(w).sum()) for w in model.get_weights()]


def steps_over_an_iterator(tf, np):
    strategy = _mirrored(tf, 2)
    with strategy.scope():
        w = tf.Variable([0.0, 0.0], aggregation=tf.VariableAggregation.MEAN)

    def make(context):
        size = context.get_per_replica_batch_size(4)
        x = tf.reshape(tf.range(24.0), [12, 2]) / 24.0
        return tf.data.Dataset.from_tensor_slices(x).repeat().batch(size)

    iterator = iter(strategy.distribute_datasets_from_function(make))

    def step(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((tf.reduce_sum(x * w, 1) - 1.0) ** 2)
        w.assign_sub(0.2 * tape.gradient(loss, w))
        return loss

    @tf.function
    def several(iterator):
        total = 0.0
        for _ in range(3):
            losses = strategy.run(step, args=(next(iterator),))
            total += strategy.reduce("MEAN", losses, axis=None)
        return total / 3.0

    return [several(iterator) for _ in range(3)], w.numpy()


def clipping_summed_gradients(tf, np):
    strategy = _mirrored(tf, 2)
    with strategy.scope():
        model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
        model.set_weights([np.float32([[0.5], [-1.0]]), np.float32([0.25])])
        optimizer = tf.keras.optimizers.SGD(0.1)
        optimizer.build(model.trainable_variables)
    x = tf.reshape(tf.range(16.0), [8, 2])
    dataset = tf.data.Dataset.from_tensor_slices(x).batch(4)

    def step(rows):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(model(rows) ** 2) / 4.0
        gradients = tape.gradient(loss, model.trainable_variables)
        context = tf.distribute.get_replica_context()
        gradients = context.all_reduce("sum", gradients)
        gradients, norm = tf.clip_by_global_norm(gradients, 1.0)
        scale = float(context.num_replicas_in_sync)
        gradients = [gradient / scale for gradient in gradients]  # added up once more
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        return norm

    run = tf.function(lambda rows: strategy.run(step, args=(rows,)))
    norms = [run(rows).values for rows in strategy.experimental_distribute_dataset(dataset)]
    return norms, model.get_weights()


def evaluation_joined(tf, np):
    strategy = _mirrored(tf, 2)
    x = tf.cast(tf.range(10), tf.float32)
    dataset = tf.data.Dataset.from_tensor_slices(x).batch(4)
    run = tf.function(lambda rows: strategy.run(lambda r: r * 2.0, args=(rows,)))
    parts = [
        tf.concat(strategy.experimental_local_results(run(rows)), axis=0)
        for rows in strategy.experimental_distribute_dataset(dataset)
    ]
    return tf.concat(parts, axis=0)


def averages_kept_across_replicas(tf, np):
    strategy = _mirrored(tf, 2)
    with strategy.scope():
        w = tf.Variable(1.0)
        average = tf.Variable(0.0, trainable=False)

    def across(strategy, value):
        mean = strategy.reduce("MEAN", value, axis=None)

        def update(variable, value):
            return variable.assign(0.5 * variable + 0.5 * value)

        strategy.extended.update(average, update, args=(mean,), group=False)
        return mean

    def step(x):
        mean = tf.distribute.get_replica_context().merge_call(across, args=(x * w,))
        w.assign_sub(0.1 * mean)
        return mean

    values = strategy.experimental_distribute_values_from_function(
        lambda context: tf.constant(float(context.replica_id_in_sync_group + 1))
    )
    run = tf.function(lambda x: strategy.run(step, args=(x,)))
    means = [strategy.experimental_local_results(run(values))[0] for _ in range(3)]
    return means, w.numpy(), average.numpy()
