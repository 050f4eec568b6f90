"""Keras's trainer: fit, evaluate, predict, callbacks, steps of one's own."""

import warnings

from programs.keras_layers import numbers, weighted
from programs.program import caught, in_a_new_directory, seeded


def classifier(tf, np, **settings):
    layers = tf.keras.layers
    model = tf.keras.Sequential(
        [tf.keras.Input((4,)), layers.Dense(6, activation="relu"), layers.Dense(3)]
    )
    weighted(np, model)
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    settings = {"optimizer": "adam", "loss": loss, "metrics": ["accuracy"], **settings}
    model.compile(**settings)
    return model


def examples(np, count=24):
    y = np.random.default_rng(4).integers(0, 3, count)
    return numbers(np, count, 4), y


def rounded(history):
    return {key: [round(float(v), 4) for v in values] for key, values in history.history.items()}


def fitting(tf, np):
    model, (x, y) = classifier(tf, np), examples(np)
    history = model.fit(x, y, epochs=3, batch_size=7, shuffle=False, verbose=0,
                        validation_split=0.25)  # fmt: skip
    again = model.fit(tf.constant(x), tf.constant(y), epochs=1, batch_size=8, shuffle=False,
                      verbose=0, validation_data=(x[:5], y[:5]))  # fmt: skip
    found = rounded(history), rounded(again), history.epoch, history.params
    return *found, [round(v, 4) for v in model.evaluate(x, y, verbose=0)], model.predict(
        x[:3], verbose=0)  # fmt: skip


def evaluating(tf, np):
    model, (x, y) = classifier(tf, np), examples(np)
    found = [model.evaluate(x, y, batch_size=5, verbose=0)]
    found.append(model.evaluate(x, y, verbose=0, return_dict=True))
    found += [model.predict(x[:4], batch_size=3, verbose=0), model(x[:2])]
    return *found, model.predict_on_batch(x[:2])


def batches(tf, np):
    model, (x, y) = classifier(tf, np), examples(np)
    found = [model.train_on_batch(x[:8], y[:8]) for _ in range(2)]
    found += [model.train_on_batch(x[:8], y[:8], return_dict=True), model.test_on_batch(x, y)]
    return found


def weights_of_examples(tf, np):
    (x, y), weights = examples(np), np.linspace(0.1, 2.0, 24).astype("float32")
    settings = {"epochs": 2, "batch_size": 8, "shuffle": False, "verbose": 0}
    first = classifier(tf, np).fit(x, y, sample_weight=weights, **settings)
    second = classifier(tf, np).fit(x, y, class_weight={0: 1.0, 1: 2.0, 2: 0.5}, **settings)
    model = classifier(tf, np, weighted_metrics=["accuracy"])
    return rounded(first), rounded(second), model.evaluate(x, y, sample_weight=weights, verbose=0)


def generators(tf, np):
    x, y = examples(np)

    def generate():
        while True:
            for k in range(0, 24, 8):
                yield x[k : k + 8], y[k : k + 8]

    class Batches(tf.keras.utils.Sequence):
        def __len__(self):
            return 3

        def __getitem__(self, k):
            return x[8 * k : 8 * k + 8], y[8 * k : 8 * k + 8]

    first = classifier(tf, np).fit(
        generate(), steps_per_epoch=3, epochs=2, verbose=0, shuffle=False
    )
    second = classifier(tf, np).fit(Batches(), epochs=2, verbose=0, shuffle=False)
    return rounded(first), rounded(second)


def datasets(tf, np):
    x, y = examples(np)
    data = tf.data.Dataset.from_tensor_slices((x, y)).batch(8)
    model = classifier(tf, np)
    history = model.fit(data, epochs=2, verbose=0, validation_data=data.take(1))
    return rounded(history), model.evaluate(data, verbose=0), model.predict(
        data.map(lambda x, y: x), verbose=0).shape  # fmt: skip


def callbacks(tf, np):
    made, said = tf.keras.callbacks, []

    class Own(made.Callback):
        def on_train_begin(self, logs=None):
            said.append("begin")

        def on_epoch_begin(self, epoch, logs=None):
            said.append(f"epoch {epoch}")

        def on_train_batch_end(self, batch, logs=None):
            said.append((batch, sorted(logs)))

        def on_epoch_end(self, epoch, logs=None):
            said.append((epoch, sorted(logs), round(float(self.model.optimizer.learning_rate), 4)))

    (x, y), epochs = examples(np), []
    model = classifier(tf, np, optimizer=tf.keras.optimizers.SGD(0.1))
    history = model.fit(
        x, y, epochs=3, batch_size=12, shuffle=False, verbose=0, validation_data=(x[:6], y[:6]),
        callbacks=[
            Own(), made.LambdaCallback(on_epoch_end=lambda epoch, logs: epochs.append(epoch)),
            made.LearningRateScheduler(lambda epoch, rate: rate * 0.5),
        ],
    )  # fmt: skip
    return said, epochs, rounded(history)


def stopping_early(tf, np):
    (x, y), made = examples(np), tf.keras.callbacks
    model = classifier(tf, np, optimizer=tf.keras.optimizers.SGD(3.0))
    stop = made.EarlyStopping(monitor="loss", patience=1, restore_best_weights=True)
    slower = made.ReduceLROnPlateau(monitor="loss", factor=0.1, patience=1, min_delta=10.0)
    history = model.fit(x, y, epochs=8, batch_size=24, verbose=0, callbacks=[stop, slower])
    return len(history.epoch), stop.stopped_epoch, round(float(model.optimizer.learning_rate), 4)


@in_a_new_directory
def checkpoints(tf, np):
    (x, y), made = examples(np), tf.keras.callbacks
    model = classifier(tf, np)
    kept = made.ModelCheckpoint("best.weights.h5", monitor="loss", save_best_only=True,
                                save_weights_only=True)  # fmt: skip
    whole = made.ModelCheckpoint("model-{epoch}.keras")
    model.fit(x, y, epochs=2, batch_size=8, shuffle=False, verbose=0, callbacks=[kept, whole])
    logger = made.CSVLogger("log.csv")
    model.fit(x, y, epochs=1, shuffle=False, verbose=0, callbacks=[logger])
    again = classifier(tf, np)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the optimizer has no variables yet
        again.load_weights("best.weights.h5")
    loaded = tf.keras.models.load_model("model-2.keras")
    return again.predict(x[:2], verbose=0), loaded.predict(x[:2], verbose=0)


def steps_of_ones_own(tf, np):
    class Own(tf.keras.Model):
        def __init__(self, inner):
            super().__init__()
            self.inner = inner
            self.tracker = tf.keras.metrics.Mean(name="own")

        def call(self, x, training=False):
            return self.inner(x, training=training)

        def train_step(self, data):
            x, y = data
            with tf.GradientTape() as tape:
                loss = self.compute_loss(y=y, y_pred=self(x, training=True))
            variables = self.trainable_variables
            gradients = tape.gradient(loss, variables)
            self.optimizer.apply_gradients(zip(gradients, variables, strict=True))
            self.tracker.update_state(loss)
            return {"own": self.tracker.result()}

        def test_step(self, data):
            x, y = data
            loss = tf.reduce_mean(tf.keras.losses.sparse_categorical_crossentropy(
                y, self(x, training=False), from_logits=True))  # fmt: skip
            self.tracker.update_state(loss)
            return {"own": self.tracker.result()}

        @property
        def metrics(self):
            return [self.tracker]

    (x, y), model = examples(np), Own(classifier(tf, np))
    model.compile("sgd", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    history = model.fit(x, y, epochs=2, batch_size=8, shuffle=False, verbose=0,
                        validation_data=(x[:6], y[:6]))  # fmt: skip
    return rounded(history), model.evaluate(x, y, verbose=0)


def adversarial_training(tf, np):
    class Pair(tf.keras.Model):
        def __init__(self):
            super().__init__()
            layers = tf.keras.layers
            self.make = weighted(np, tf.keras.Sequential([tf.keras.Input((2,)), layers.Dense(1)]))
            self.judge = weighted(np, tf.keras.Sequential([tf.keras.Input((1,)), layers.Dense(1)]))

        def compile(self, first, second, loss):
            super().compile()
            self.first, self.second, self.measure = first, second, loss

        def train_step(self, real):
            noise = tf.ones((tf.shape(real)[0], 2))
            with tf.GradientTape() as tape:
                yes, no = self.judge(real), self.judge(self.make(noise))
                loss = self.measure(tf.ones_like(yes), yes) + self.measure(tf.zeros_like(no), no)
            variables = self.judge.trainable_weights
            self.second.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
            with tf.GradientTape() as tape:
                no = self.judge(self.make(noise))
                other = self.measure(tf.ones_like(no), no)
            variables = self.make.trainable_weights
            self.first.apply_gradients(zip(tape.gradient(other, variables), variables, strict=True))
            return {"judge": loss, "make": other}

    model, made = Pair(), tf.keras.optimizers
    model.compile(made.Adam(0.1), made.SGD(0.1), tf.keras.losses.BinaryCrossentropy(True))
    return rounded(model.fit(numbers(np, 12, 1), epochs=2, batch_size=4, shuffle=False, verbose=0))


def several_outputs(tf, np):
    layers, i = tf.keras.layers, tf.keras.Input((4,), name="in")
    h = layers.Dense(5, activation="tanh")(i)
    outputs = {"a": layers.Dense(1, name="a")(h), "b": layers.Dense(3, name="b")(h)}
    model = weighted(np, tf.keras.Model(i, outputs))
    entropy = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("sgd", {"a": "mse", "b": entropy}, loss_weights={"a": 0.5, "b": 2.0},
                  metrics={"b": ["accuracy"]})  # fmt: skip
    x, y = examples(np)
    targets = {"a": numbers(np, 24, 1, seed=8), "b": y}
    history = model.fit(x, targets, epochs=2, batch_size=8, shuffle=False, verbose=0)
    found = model.predict(x[:2], verbose=0)
    return rounded(history), found, model.evaluate(x, targets, verbose=0, return_dict=True)


def settings_of_compile(tf, np):
    (x, y), found = examples(np), []
    for settings in ({"run_eagerly": True}, {"steps_per_execution": 2}, {"jit_compile": True},
                     {"optimizer": "sgd", "metrics": []}):  # fmt: skip
        model = classifier(tf, np, **settings)
        history = model.fit(x, y, epochs=2, batch_size=8, shuffle=False, verbose=0)
        found.append(rounded(history))
    return found


def before_compiling(tf, np):
    model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(3)])
    x, y = examples(np)
    found = [caught(lambda: model.fit(x, y, verbose=0)), caught(lambda: model.evaluate(x, y))]
    unbuilt = tf.keras.Sequential([tf.keras.layers.Dense(3)])
    found += [caught(lambda: unbuilt.count_params()), caught(lambda: unbuilt.get_weights())]
    model.compile("sgd", "mse")
    found.append(caught(lambda: model.fit(x, numbers(np, 5, 3), verbose=0)))
    return [getattr(error, "name", error) for error in found]


def losses_of_regularizers(tf, np):
    layers = tf.keras.layers
    model = tf.keras.Sequential([tf.keras.Input((4,)), layers.Dense(3, kernel_regularizer="l2"),
                                 layers.Dropout(0.0), layers.BatchNormalization()])  # fmt: skip
    weighted(np, model)
    model.compile(tf.keras.optimizers.SGD(0.1, momentum=0.5), "mae", metrics=["mse"])
    x = numbers(np, 16, 4)
    history = model.fit(x, x[:, :3], epochs=2, batch_size=8, shuffle=False, verbose=0)
    return rounded(history), model.get_weights()


def encoders(tf, np):
    class Encoder(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.encode, self.decode = tf.keras.layers.Dense(4), tf.keras.layers.Dense(4)

        def call(self, x):
            mean, spread = tf.split(self.encode(x), 2, axis=1)
            self.add_loss(-0.5 * tf.reduce_mean(1.0 + spread - mean**2 - tf.exp(spread)))
            return self.decode(mean + tf.exp(0.5 * spread) * 0.1)

    model, x = Encoder(), numbers(np, 12, 4)
    model(x)
    weighted(np, model)
    model.compile("adam", "mse")
    return rounded(model.fit(x, x, epochs=2, batch_size=6, shuffle=False, verbose=0))


def shuffled_datasets(tf, np):
    """Another order in each epoch; Keras makes more iterators than it reads."""
    x, y = examples(np)
    found = []
    for built in (True, False):
        tf.random.set_seed(5)
        made = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(24, seed=3).batch(8)
        model = classifier(tf, np)
        if built:
            model(x[:2])
        settings = {"epochs": 3, "verbose": 0}
        found.append(rounded(model.fit(made.prefetch(2), **settings)))
        found.append(rounded(model.fit(made, validation_data=made.take(2), **settings)))
        found.append(model.evaluate(made.take(1), verbose=0))
        found.append(rounded(model.fit(made.repeat(), steps_per_epoch=2, **settings)))
    return found


def steps_of_ones_own_run_eagerly(tf, np):
    """They are given tensors: inputs can be watched."""
    kinds = []

    class Robust(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.dense = tf.keras.layers.Dense(3)

        def call(self, x):
            return self.dense(x)

        def train_step(self, data):
            kinds.append([tf.is_tensor(leaf) for leaf in tf.nest.flatten(data)])
            x, y = data
            with tf.GradientTape() as tape:
                tape.watch(x)
                loss = self.compute_loss(y=y, y_pred=self(x))
            x = x + 0.1 * tf.sign(tape.gradient(loss, x))
            with tf.GradientTape() as tape:
                loss = self.compute_loss(y=y, y_pred=self(x))
            variables = self.trainable_variables
            pairs = zip(tape.gradient(loss, variables), variables, strict=True)
            self.optimizer.apply_gradients(pairs)
            return {"loss": loss}

        def test_step(self, data):
            kinds.append([tf.is_tensor(leaf) for leaf in tf.nest.flatten(data)])
            return {"worst": tf.reduce_max(tf.abs(self(data[0])))}

        def predict_step(self, data):
            kinds.append([tf.is_tensor(leaf) for leaf in tf.nest.flatten(data)])
            return self(data if tf.is_tensor(data) else data[0])

    model, (x, y) = Robust(), examples(np)
    model(x)
    weighted(np, model)
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("sgd", loss, run_eagerly=True)
    history = model.fit(x, y, epochs=2, batch_size=8, shuffle=False, verbose=0)
    worst = model.evaluate(x, y, verbose=0)
    return kinds, rounded(history), np.round(worst, 4), np.round(model.predict(x[:3], verbose=0), 4)


def losses_of_each_output(tf, np):
    """Whose mean counts each batch once where a function does not know its size."""
    keras, rng = tf.keras, np.random.default_rng(0)
    x = rng.normal(size=(14, 3)).astype("f")
    y = {"a": rng.normal(size=(14, 1)).astype("f"), "b": rng.integers(0, 3, 14)}
    found = []
    for is_eager in (False, True):
        for weights in (None, {"a": 0.5, "b": 2.0}):
            inputs = keras.Input((3,))
            hidden = keras.layers.Dense(4, "relu")(inputs)
            outputs = {
                "a": keras.layers.Dense(1, name="a")(hidden),
                "b": keras.layers.Dense(3, activation="softmax", name="b")(hidden),
            }
            model = keras.Model(inputs, outputs)
            seeded(model, np, 3)
            model.compile(
                keras.optimizers.SGD(0.05),
                {"a": "mse", "b": "sparse_categorical_crossentropy"},
                loss_weights=weights,
                metrics={"b": ["accuracy"]},
                run_eagerly=is_eager,
            )
            history = model.fit(x, y, batch_size=4, shuffle=False, verbose=0).history
            found.append({name: float(value) for name, (value,) in sorted(history.items())})
            found.append(model.evaluate(x, y, batch_size=4, verbose=0, return_dict=True))
    return found
