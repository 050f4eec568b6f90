"""Keras losses, metrics, regularizers and constraints."""

from programs.keras_layers import numbers, weighted
from programs.program import caught

LOSSES = [
    "MeanSquaredError",
    "MeanAbsoluteError",
    "MeanAbsolutePercentageError",
    "MeanSquaredLogarithmicError",
    "Huber",
    "LogCosh",
    "CosineSimilarity",
    "KLDivergence",
    "Poisson",
    "BinaryCrossentropy",
    "BinaryFocalCrossentropy",
    "CategoricalCrossentropy",
    "CategoricalFocalCrossentropy",
    "Hinge",
    "SquaredHinge",
    "CategoricalHinge",
    "Dice",
    "Tversky",
]


def probabilities(np, *shape, seed=0):
    x = np.random.default_rng(seed).uniform(0.05, 1.0, size=shape)
    return (x / x.sum(-1, keepdims=True)).astype("float32")


def losses(tf, np):
    y, p = probabilities(np, 4, 3), probabilities(np, 4, 3, seed=1)
    found = {}
    for name in LOSSES:
        loss, given = getattr(tf.keras.losses, name)(), tf.constant(p)
        with tf.GradientTape() as tape:
            tape.watch(given)
            value = loss(y, given)
        found[name] = value, tape.gradient(value, given)
    return found


def losses_of_classes(tf, np):
    made, y = tf.keras.losses, np.array([0, 2, 1])
    logits = tf.constant(numbers(np, 3, 3))
    found = []
    for loss in (made.SparseCategoricalCrossentropy(from_logits=True),
                 made.SparseCategoricalCrossentropy(from_logits=True, reduction="none"),
                 made.SparseCategoricalCrossentropy(from_logits=True, ignore_class=1)):  # fmt: skip
        with tf.GradientTape() as tape:
            tape.watch(logits)
            value = loss(y, logits)
        found.append((value, tape.gradient(value, logits)))
    dense = tf.one_hot(y, 3)
    for loss in (made.CategoricalCrossentropy(from_logits=True, label_smoothing=0.1),
                 made.BinaryCrossentropy(from_logits=True)):  # fmt: skip
        found.append(loss(dense, logits))
    p = tf.nn.softmax(logits)
    return [*found, made.SparseCategoricalCrossentropy()(y, p), made.mse(dense, p),
            made.sparse_categorical_crossentropy(y, p), made.binary_crossentropy(dense, p),
            made.get("mae")(dense, p), made.categorical_crossentropy(dense, p)]  # fmt: skip


def reductions(tf, np):
    y, p, w = numbers(np, 4, 2), numbers(np, 4, 2, seed=1), np.array([1.0, 0.0, 2.0, 1.0])
    found = {}
    for reduction in ("sum", "none", "sum_over_batch_size", "mean_with_sample_weight"):
        loss = tf.keras.losses.MeanSquaredError(reduction=reduction)
        found[reduction] = loss(y, p), loss(y, tf.constant(p), sample_weight=w)
    wrong = caught(lambda: tf.keras.losses.MeanSquaredError(reduction="all"))
    return found, wrong.name


def losses_of_ones_own(tf, np):
    class Weighted(tf.keras.losses.Loss):
        def call(self, y_true, y_pred):
            return tf.reduce_mean(tf.square(y_true - y_pred) * 2.0, axis=-1)

    y, p = numbers(np, 4, 2), tf.Variable(numbers(np, 4, 2, seed=1))
    with tf.GradientTape() as tape:
        value = Weighted()(y, p)
    return value, tape.gradient(value, p)


METRICS = {
    "classes": "SparseCategoricalAccuracy SparseCategoricalCrossentropy "
               "SparseTopKCategoricalAccuracy",
    "dense": "CategoricalAccuracy CategoricalCrossentropy TopKCategoricalAccuracy KLDivergence "
             "MeanSquaredError RootMeanSquaredError MeanAbsoluteError CosineSimilarity "
             "LogCoshError Poisson MeanMetricWrapper",
    "binary": "BinaryAccuracy AUC Precision Recall BinaryCrossentropy FalsePositives "
              "TruePositives TrueNegatives FalseNegatives",
}  # fmt: skip


def metrics(tf, np):
    p = probabilities(np, 6, 7)
    y = np.array([0, 6, 1, 2, 3, 1])
    given = {"classes": (y, p), "dense": (np.eye(7, dtype="float32")[y], p),
             "binary": (np.array([0, 1, 1, 0, 1, 1]), p[:, 0] * 3.0)}  # fmt: skip
    found = {}
    for kind, names in METRICS.items():
        for name in names.split():
            if name == "MeanMetricWrapper":
                metric = tf.keras.metrics.MeanMetricWrapper(tf.keras.losses.mse)
            else:
                metric = getattr(tf.keras.metrics, name)()
            metric.update_state(*given[kind])
            first = metric.result()
            weights = None if name == "BinaryCrossentropy" else [1.0, 0.5]
            metric.update_state(given[kind][0][:2], given[kind][1][:2], sample_weight=weights)
            second = metric.result()
            metric.reset_state()
            found[name] = first, second, metric.result(), len(metric.variables)
    return found


def means_and_sums(tf, np):
    mean, total = tf.keras.metrics.Mean(name="loss"), tf.keras.metrics.Sum()
    found = [mean(3.0), mean([1.0, 2.0]), mean(tf.constant([4.0]), sample_weight=0.5)]
    found += [mean.result(), mean.name, total([1, 2, 3]), float(mean.result())]
    mean.reset_state()
    iou = tf.keras.metrics.MeanIoU(num_classes=2)
    iou.update_state([0, 0, 1, 1], [0, 1, 0, 1])
    return *found, mean.result(), iou.result()


def metrics_in_functions(tf, np):
    loss, accuracy = tf.keras.metrics.Mean(), tf.keras.metrics.SparseCategoricalAccuracy()

    @tf.function
    def update(x, y, p):
        loss.update_state(tf.reduce_sum(x))
        accuracy.update_state(y, p)
        return accuracy.result()

    found = []
    for seed in range(3):
        x, p = numbers(np, 3, seed=seed), probabilities(np, 4, 3, seed=seed)
        found.append(update(tf.constant(x), tf.constant([0, 1, 2, 0]), tf.constant(p)))
    found += [loss.result(), accuracy.result()]
    loss.reset_state()
    accuracy.reset_state()
    return *found, loss.result(), [v.numpy() for v in accuracy.variables]


def metrics_of_ones_own(tf, np):
    class Largest(tf.keras.metrics.Metric):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.value = self.add_weight(name="largest", initializer="zeros")

        def update_state(self, y_true, y_pred, sample_weight=None):
            found = tf.reduce_max(tf.abs(tf.cast(y_true, tf.float32) - y_pred))
            self.value.assign(tf.maximum(self.value, found))

        def result(self):
            return self.value

    metric = Largest(name="largest")
    metric.update_state(numbers(np, 3), tf.constant(numbers(np, 3, seed=1)))
    first = tf.convert_to_tensor(metric.result())
    metric.update_state(numbers(np, 3), numbers(np, 3, seed=2))
    return first, metric.result().numpy(), metric.name


def regularizers(tf, np):
    made, x = tf.keras.regularizers, tf.constant(numbers(np, 4, 4))
    found = [made.L1(0.1)(x), made.L2(0.1)(x), made.L1L2(0.1, 0.2)(x),
             made.OrthogonalRegularizer()(x), made.get("l2")(x)]  # fmt: skip
    model = tf.keras.Sequential([
        tf.keras.layers.Dense(3, kernel_regularizer=made.L2(0.01), bias_regularizer="l1"),
        tf.keras.layers.Dense(2, activity_regularizer=made.L2(0.1),
                              kernel_regularizer=lambda w: 0.5 * tf.reduce_sum(tf.abs(w))),
    ])  # fmt: skip
    model(x)
    weighted(np, model)
    with tf.GradientTape() as tape:
        y = model(x)
        loss = tf.reduce_sum(y) + tf.add_n(model.losses)
    return found, len(model.losses), loss, tape.gradient(loss, model.trainable_variables)


def losses_of_layers(tf, np):
    class Activity(tf.keras.layers.Layer):
        def call(self, x):
            self.add_loss(0.1 * tf.reduce_sum(tf.abs(x)))
            return 2.0 * x

    model = tf.keras.Sequential([Activity(), Activity()])
    x = tf.constant(numbers(np, 2, 3))
    model(x)
    first = len(model.losses)
    with tf.GradientTape() as tape:
        tape.watch(x)
        model(x)
        total = sum(model.losses)
    step = tf.function(lambda x: (model(x), sum(model.losses)))
    return first, len(model.losses), total, tape.gradient(total, x), step(x)


def constraints(tf, np):
    made, x = tf.keras.constraints, tf.constant(numbers(np, 3, 4) * 2.0)
    found = [made.MaxNorm(1.0)(x), made.NonNeg()(x), made.UnitNorm()(x), made.MinMaxNorm(0.5, 1)(x)]
    layer = tf.keras.layers.Dense(4, kernel_constraint=made.MaxNorm(0.5), bias_constraint="non_neg")
    layer(x)
    weighted(np, layer)
    optimizer = tf.keras.optimizers.SGD(1.0)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.square(layer(x) - 1.0))
    gradients = tape.gradient(loss, layer.trainable_variables)
    optimizer.apply_gradients(zip(gradients, layer.trainable_variables, strict=True))
    return found, layer.kernel.numpy(), layer.bias.numpy()
