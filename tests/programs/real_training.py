"""Ways to train: loops of one's own, custom steps, mixed precision, learning to learn."""

from .program import seeded


def _blobs(np, n=24, features=6, classes=3, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    x = rng.normal(size=(n, features)) + 2.0 * np.eye(features)[y]
    return x.astype("float32"), y.astype("int64")


def custom_train_step(tf, np):
    keras = tf.keras

    class CustomModel(keras.Model):
        def train_step(self, data):
            if len(data) == 3:
                x, y, sample_weight = data
            else:
                sample_weight = None
                x, y = data
            with tf.GradientTape() as tape:
                y_pred = self(x, training=True)
                loss = self.compute_loss(y=y, y_pred=y_pred, sample_weight=sample_weight)
            trainable_vars = self.trainable_variables
            gradients = tape.gradient(loss, trainable_vars)
            self.optimizer.apply_gradients(zip(gradients, trainable_vars, strict=True))
            for metric in self.metrics:
                if metric.name == "loss":
                    metric.update_state(loss)
                else:
                    metric.update_state(y, y_pred, sample_weight=sample_weight)
            return {m.name: m.result() for m in self.metrics}

        def test_step(self, data):
            x, y = data
            y_pred = self(x, training=False)
            loss = self.compute_loss(y=y, y_pred=y_pred)
            for metric in self.metrics:
                if metric.name == "loss":
                    metric.update_state(loss)
                else:
                    metric.update_state(y, y_pred)
            return {m.name: m.result() for m in self.metrics}

    inputs = keras.Input(shape=(6,))
    outputs = keras.layers.Dense(1)(keras.layers.Dense(5, activation="relu")(inputs))
    model = CustomModel(inputs, outputs)
    seeded(model, np, 1)
    model.compile(optimizer="adam", loss="mse", metrics=["mae"])
    x, y = _blobs(np)
    y = y.astype("float32")[:, None]
    weights = np.linspace(0.1, 1.0, len(x))
    plain = model.fit(x, y, epochs=2, batch_size=8, shuffle=False, verbose=0)
    weighted = model.fit(
        x, y, sample_weight=weights, epochs=2, batch_size=8, shuffle=False, verbose=0
    )
    return {
        "plain": plain.history,
        "weighted": weighted.history,
        "evaluated": model.evaluate(x, y, verbose=0, return_dict=True),
    }


def loop_from_scratch(tf, np):
    class MyModel(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.conv1 = tf.keras.layers.Conv2D(3, 3, activation="relu")
            self.flatten = tf.keras.layers.Flatten()
            self.d1 = tf.keras.layers.Dense(6, activation="relu")
            self.d2 = tf.keras.layers.Dense(3)

        def call(self, x):
            return self.d2(self.d1(self.flatten(self.conv1(x))))

    rng = np.random.default_rng(2)
    images = rng.normal(size=(16, 6, 6)).astype("float32")[..., tf.newaxis]
    labels = rng.integers(0, 3, 16)
    train_ds = tf.data.Dataset.from_tensor_slices((images[:12], labels[:12])).batch(4)
    test_ds = tf.data.Dataset.from_tensor_slices((images[12:], labels[12:])).batch(4)
    model = MyModel()
    model(images[:1])
    seeded(model, np, 3)
    loss_object = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    optimizer = tf.keras.optimizers.Adam()
    train_loss = tf.keras.metrics.Mean(name="train_loss")
    train_accuracy = tf.keras.metrics.SparseCategoricalAccuracy(name="train_accuracy")
    test_loss = tf.keras.metrics.Mean(name="test_loss")
    test_accuracy = tf.keras.metrics.SparseCategoricalAccuracy(name="test_accuracy")

    @tf.function
    def train_step(images, labels):
        with tf.GradientTape() as tape:
            predictions = model(images, training=True)
            loss = loss_object(labels, predictions)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        train_loss(loss)
        train_accuracy(labels, predictions)

    @tf.function
    def test_step(images, labels):
        predictions = model(images, training=False)
        t_loss = loss_object(labels, predictions)
        test_loss(t_loss)
        test_accuracy(labels, predictions)

    lines = []
    for epoch in range(2):
        train_loss.reset_state()
        train_accuracy.reset_state()
        test_loss.reset_state()
        test_accuracy.reset_state()
        for images, labels in train_ds:
            train_step(images, labels)
        for test_images, test_labels in test_ds:
            test_step(test_images, test_labels)
        lines.append(
            f"Epoch {epoch + 1}, "
            f"Loss: {train_loss.result():0.2f}, "
            f"Accuracy: {train_accuracy.result() * 100:0.2f}, "
            f"Test Loss: {test_loss.result():0.2f}"
        )
    return {"lines": lines, "loss": train_loss.result(), "test": test_loss.result()}


def mixed_precision(tf, np):
    mixed = tf.keras.mixed_precision
    mixed.set_global_policy("mixed_float16")
    try:
        inputs = tf.keras.Input(shape=(6,), name="digits")
        dense1 = tf.keras.layers.Dense(8, activation="relu", name="dense_1")
        x = tf.keras.layers.Dense(8, activation="relu", name="dense_2")(dense1(inputs))
        x = tf.keras.layers.Dense(3, name="dense_logits")(x)
        outputs = tf.keras.layers.Activation("softmax", dtype="float32", name="predictions")(x)
        model = tf.keras.Model(inputs=inputs, outputs=outputs)
        seeded(model, np, 4)
        optimizer = mixed.LossScaleOptimizer(tf.keras.optimizers.SGD(0.05), initial_scale=1024.0)
        loss_object = tf.keras.losses.SparseCategoricalCrossentropy()

        @tf.function
        def train_step(x, y):
            with tf.GradientTape() as tape:
                predictions = model(x)
                loss = loss_object(y, predictions)
                scaled_loss = optimizer.scale_loss(loss)
            gradients = tape.gradient(scaled_loss, model.trainable_variables)
            optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
            return loss

        x, y = _blobs(np)
        losses = [float(train_step(tf.constant(x), tf.constant(y))) for _ in range(3)]
        hidden = dense1(x[:2])
        return {
            "losses": [round(loss, 2) for loss in losses],
            "dtypes": [dense1.kernel.dtype, hidden.dtype.name, str(dense1.compute_dtype)],
            "output": model(x).dtype.name,
            "policy": mixed.global_policy().name,
            "falls": losses[-1] < losses[0],
            "scale": float(optimizer.dynamic_scale),
        }
    finally:
        mixed.set_global_policy("float32")


def model_agnostic_meta_learning(tf, np):
    class Sine(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.hidden1 = tf.keras.layers.Dense(8, activation="tanh")
            self.hidden2 = tf.keras.layers.Dense(8, activation="tanh")
            self.out = tf.keras.layers.Dense(1)

        def call(self, x):
            return self.out(self.hidden2(self.hidden1(x)))

    def copy_model(model, x):
        copied = Sine()
        copied(x)
        copied.set_weights(model.get_weights())
        return copied

    def functional_forward(weights, x):
        w1, b1, w2, b2, w3, b3 = weights
        return tf.tanh(tf.tanh(x @ w1 + b1) @ w2 + b2) @ w3 + b3

    rng = np.random.default_rng(5)
    x = tf.constant(rng.uniform(-3, 3, (8, 1)), tf.float32)
    model = Sine()
    model(x)
    seeded(model, np, 6)
    optimizer = tf.keras.optimizers.Adam(1e-3)
    lr_inner, losses = 0.01, []
    for _ in range(3):
        tasks = [(rng.uniform(0.5, 2.0), rng.uniform(0, np.pi)) for _ in range(2)]
        with tf.GradientTape() as outer:
            total = 0.0
            for amplitude, phase in tasks:
                y = amplitude * tf.sin(x + phase)
                weights = list(model.trainable_variables)
                with tf.GradientTape() as inner:
                    loss = tf.reduce_mean(tf.square(functional_forward(weights, x) - y))
                grads = inner.gradient(loss, weights)
                fast = [w - lr_inner * g for w, g in zip(weights, grads, strict=True)]
                total += tf.reduce_mean(tf.square(functional_forward(fast, x) - y))
        meta = outer.gradient(total, model.trainable_variables)
        optimizer.apply_gradients(zip(meta, model.trainable_variables, strict=True))
        losses.append(float(total))
    copied = copy_model(model, x)
    with tf.GradientTape() as tape:
        before = tf.reduce_mean(tf.keras.losses.MSE(y, copied(x)))
    sgd = tf.keras.optimizers.SGD(lr_inner)
    variables = copied.trainable_variables
    sgd.apply_gradients(zip(tape.gradient(before, variables), variables, strict=True))
    after = tf.reduce_mean(tf.keras.losses.MSE(y, copied(x)))
    return {"losses": losses, "before": before, "after": after}


def accumulated_gradients(tf, np):
    x, y = _blobs(np)
    model = tf.keras.Sequential(
        [tf.keras.Input((6,)), tf.keras.layers.Dense(5, "relu"), tf.keras.layers.Dense(3)]
    )
    seeded(model, np, 7)
    loss_fn = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    optimizer = tf.keras.optimizers.SGD(0.1)
    n_acum_step = tf.constant(2, dtype=tf.int32)
    n_gradients = tf.Variable(0, trainable=False, dtype=tf.int32)
    accumulation = [
        tf.Variable(tf.zeros_like(v, dtype=tf.float32), trainable=False)
        for v in model.trainable_variables
    ]

    def apply_accu_gradients():
        optimizer.apply_gradients(zip(accumulation, model.trainable_variables, strict=True))
        n_gradients.assign(0)
        for gradient in accumulation:
            gradient.assign(tf.zeros_like(gradient, dtype=tf.float32))
        return tf.constant(True)

    @tf.function
    def train_step(x, y):
        n_gradients.assign_add(1)
        with tf.GradientTape() as tape:
            loss = loss_fn(y, model(x, training=True))
        gradients = tape.gradient(loss, model.trainable_variables)
        for held, gradient in zip(accumulation, gradients, strict=True):
            held.assign_add(gradient)
        applied = tf.cond(
            tf.equal(n_gradients, n_acum_step), apply_accu_gradients, lambda: tf.constant(False)
        )
        return loss, applied

    losses, applied = [], []
    for start in range(0, 24, 6):
        batch = tf.constant(x[start : start + 6]), tf.constant(y[start : start + 6])
        loss, done = train_step(*batch)
        losses.append(float(loss))
        applied.append(bool(done))
    return {"losses": losses, "applied": applied, "bias": model.layers[-1].bias.numpy()}


def callbacks_and_schedules(tf, np):
    class Logger(tf.keras.callbacks.Callback):
        def __init__(self):
            super().__init__()
            self.events = []

        def on_train_begin(self, logs=None):
            self.events.append("begin")

        def on_epoch_end(self, epoch, logs=None):
            self.events.append((epoch, sorted(logs)))

        def on_train_batch_end(self, batch, logs=None):
            if batch == 1:
                self.events.append("batch 1")

    x, y = _blobs(np)
    model = tf.keras.Sequential(
        [tf.keras.Input((6,)), tf.keras.layers.Dense(5, "relu"), tf.keras.layers.Dense(3)]
    )
    seeded(model, np, 8)
    model.compile(
        tf.keras.optimizers.SGD(0.2),
        tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    logger, rates = Logger(), []
    callbacks = [
        logger,
        tf.keras.callbacks.LearningRateScheduler(lambda epoch, lr: lr * 0.9),
        tf.keras.callbacks.ReduceLROnPlateau(monitor="val_loss", patience=1, min_delta=10.0),
        tf.keras.callbacks.EarlyStopping(
            monitor="val_accuracy", min_delta=1.0, patience=3, restore_best_weights=True
        ),
        tf.keras.callbacks.LambdaCallback(
            on_epoch_begin=lambda epoch, logs: rates.append(
                float(model.optimizer.learning_rate.numpy())
            )
        ),
        tf.keras.callbacks.TerminateOnNaN(),
    ]
    history = model.fit(
        x,
        y,
        validation_split=0.25,
        epochs=8,
        batch_size=9,
        shuffle=False,
        verbose=0,
        callbacks=callbacks,
        class_weight={0: 1.0, 1: 2.0, 2: 0.5},
    )
    return {
        "events": logger.events,
        "rates": rates,
        "history": history.history,
        "evaluated": model.evaluate(x, y, verbose=0),
    }


def transfer_learning(tf, np):
    inputs = tf.keras.Input((8, 8, 3))
    h = tf.keras.layers.Conv2D(4, 3, strides=2, use_bias=False)(inputs)
    h = tf.keras.layers.BatchNormalization()(h)
    base_model = tf.keras.Model(inputs, tf.keras.layers.ReLU()(h), name="base")
    seeded(base_model, np, 9)
    base_model.trainable = False
    inputs = tf.keras.Input(shape=(8, 8, 3))
    x = tf.keras.layers.Rescaling(1.0 / 127.5, offset=-1)(inputs)
    x = base_model(x, training=False)
    x = tf.keras.layers.GlobalAveragePooling2D()(x)
    x = tf.keras.layers.Dropout(0.0)(x)
    model = tf.keras.Model(inputs, tf.keras.layers.Dense(1)(x))
    rng = np.random.default_rng(10)
    model.layers[-1].set_weights([rng.normal(size=(4, 1)), np.zeros(1)])
    images = rng.uniform(0, 255, (12, 8, 8, 3)).astype("float32")
    labels = (images.mean((1, 2, 3)) > 127).astype("float32")
    counts = [len(model.trainable_variables)]
    model.compile(
        optimizer=tf.keras.optimizers.Adam(learning_rate=0.01),
        loss=tf.keras.losses.BinaryCrossentropy(from_logits=True),
        metrics=[tf.keras.metrics.BinaryAccuracy(threshold=0.0, name="accuracy")],
    )
    data = {"x": images, "y": labels, "batch_size": 6, "shuffle": False, "verbose": 0}
    first = model.fit(epochs=2, **data).history
    base_model.trainable = True
    for layer in base_model.layers[:2]:
        layer.trainable = False
    counts.append(len(model.trainable_variables))
    model.compile(
        loss=tf.keras.losses.BinaryCrossentropy(from_logits=True),
        optimizer=tf.keras.optimizers.RMSprop(learning_rate=1e-4),
        metrics=[tf.keras.metrics.BinaryAccuracy(threshold=0.0, name="accuracy")],
    )
    second = model.fit(epochs=3, initial_epoch=2, **data)
    return {"first": first, "second": second.history, "epochs": second.epoch, "counts": counts}


def knowledge_distillation(tf, np):
    class Distiller(tf.keras.Model):
        def __init__(self, student, teacher):
            super().__init__()
            self.teacher = teacher
            self.student = student

        def compile(self, optimizer, metrics, student_loss_fn, distillation_loss_fn, alpha=0.1):
            super().compile(optimizer=optimizer, metrics=metrics)
            self.student_loss_fn = student_loss_fn
            self.distillation_loss_fn = distillation_loss_fn
            self.alpha, self.temperature = alpha, 3.0

        def compute_loss(self, x=None, y=None, y_pred=None, sample_weight=None, **kwargs):
            teacher_pred = self.teacher(x, training=False)
            student_loss = self.student_loss_fn(y, y_pred)
            distillation_loss = self.distillation_loss_fn(
                tf.nn.softmax(teacher_pred / self.temperature, axis=1),
                tf.nn.softmax(y_pred / self.temperature, axis=1),
            ) * (self.temperature**2)
            return self.alpha * student_loss + (1 - self.alpha) * distillation_loss

        def call(self, x):
            return self.student(x)

    dense = tf.keras.layers.Dense
    teacher = tf.keras.Sequential([tf.keras.Input((6,)), dense(12, "relu"), dense(3)])
    student = tf.keras.Sequential([tf.keras.Input((6,)), dense(4, "relu"), dense(3)])
    seeded(teacher, np, 11)
    seeded(student, np, 12)
    distiller = Distiller(student=student, teacher=teacher)
    distiller.compile(
        optimizer=tf.keras.optimizers.Adam(),
        metrics=[tf.keras.metrics.SparseCategoricalAccuracy(name="accuracy")],
        student_loss_fn=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        distillation_loss_fn=tf.keras.losses.KLDivergence(),
    )
    x, y = _blobs(np)
    history = distiller.fit(x, y, epochs=2, batch_size=8, shuffle=False, verbose=0).history
    return {"history": history, "evaluated": distiller.evaluate(x, y, verbose=0)}


def sharpness_aware_minimization(tf, np):
    class SAMModel(tf.keras.Model):
        def __init__(self, network, rho=0.05):
            super().__init__()
            self.network = network
            self.rho = rho

        def call(self, inputs):
            return self.network(inputs)

        def train_step(self, data):
            images, labels, *_ = data
            e_ws = []
            with tf.GradientTape() as tape:
                loss = self.compute_loss(y=labels, y_pred=self(images))
            trainable_params = self.network.trainable_variables
            gradients = tape.gradient(loss, trainable_params)
            grad_norm = tf.norm([tf.norm(grad) for grad in gradients])
            scale = self.rho / (grad_norm + 1e-12)
            for grad, param in zip(gradients, trainable_params, strict=True):
                e_w = grad * scale
                e_ws.append(e_w)
                param.assign_add(e_w)
            with tf.GradientTape() as tape:
                predictions = self(images)
                loss = self.compute_loss(y=labels, y_pred=predictions)
            sam_gradients = tape.gradient(loss, trainable_params)
            for param, e_w in zip(trainable_params, e_ws, strict=True):
                param.assign_sub(e_w)
            self.optimizer.apply_gradients(zip(sam_gradients, trainable_params, strict=True))
            return {"loss": loss}

    network = tf.keras.Sequential(
        [tf.keras.Input((6,)), tf.keras.layers.Dense(5, "tanh"), tf.keras.layers.Dense(3)]
    )
    seeded(network, np, 13)
    model = SAMModel(network)
    model.compile(tf.keras.optimizers.SGD(0.1), tf.keras.losses.SparseCategoricalCrossentropy(True))
    x, y = _blobs(np)
    losses = [model.train_on_batch(x, y, return_dict=True)["loss"] for _ in range(4)]
    return {"losses": [float(loss) for loss in losses], "bias": network.get_weights()[-1]}


def several_outputs_and_losses(tf, np):
    layers = tf.keras.layers
    title_input = tf.keras.Input((6,), name="title")
    tags_input = tf.keras.Input((3,), name="tags")
    x = layers.concatenate([layers.Dense(4, "relu")(title_input), tags_input])
    priority_pred = layers.Dense(1, name="priority")(x)
    department_pred = layers.Dense(3, name="department")(x)
    model = tf.keras.Model(
        inputs=[title_input, tags_input],
        outputs={"priority": priority_pred, "department": department_pred},
    )
    seeded(model, np, 14)
    model.compile(
        optimizer=tf.keras.optimizers.RMSprop(1e-3),
        loss={
            "priority": tf.keras.losses.BinaryCrossentropy(from_logits=True),
            "department": tf.keras.losses.CategoricalCrossentropy(from_logits=True),
        },
        loss_weights={"priority": 1.0, "department": 0.2},
        metrics={"department": ["accuracy"]},
    )
    x, y = _blobs(np)
    tags = np.eye(3, dtype="float32")[(y + 1) % 3]
    targets = {
        "priority": (y > 0).astype("float32")[:, None],
        "department": np.eye(3, dtype="float32")[y],
    }
    history = model.fit(
        {"title": x, "tags": tags}, targets, epochs=2, batch_size=12, shuffle=False, verbose=0
    )
    evaluated = model.evaluate([x, tags], targets, verbose=0, return_dict=True)
    predictions = model.predict([x[:2], tags[:2]], verbose=0)
    return {"history": history.history, "evaluated": evaluated, "predictions": predictions}


def mean_teacher_and_clipping(tf, np):
    x, y = _blobs(np)
    unlabeled, _ = _blobs(np, seed=1)

    def make():
        return tf.keras.Sequential(
            [
                tf.keras.layers.Input((6,)),
                tf.keras.layers.Dense(6, "selu", kernel_initializer="ones"),
                tf.keras.layers.BatchNormalization(),
                tf.keras.layers.Dense(3, "softmax"),
            ]
        )

    student, teacher = make(), make()
    seeded(student, np, 15)
    teacher.set_weights(student.get_weights())
    optimizer = tf.keras.optimizers.SGD(
        tf.keras.optimizers.schedules.PolynomialDecay(0.1, 10, power=2.0),
        momentum=0.9,
        clipvalue=0.1,
    )
    noise = tf.random.stateless_normal(unlabeled.shape, seed=(1, 2), stddev=0.1)

    @tf.function
    def train_step(x, y, unlabeled, weight):
        with tf.GradientTape() as tape:
            supervised = tf.keras.losses.sparse_categorical_crossentropy(
                y, student(x, training=True)
            )
            target = tf.stop_gradient(teacher(unlabeled, training=False))
            consistency = tf.keras.losses.KLD(target, student(unlabeled + noise, training=True))
            loss = tf.reduce_mean(supervised) + weight * tf.reduce_mean(consistency)
        grads = tape.gradient(loss, student.trainable_variables)
        optimizer.apply_gradients(zip(grads, student.trainable_variables, strict=True))
        for t, s in zip(teacher.variables, student.variables, strict=True):
            t.assign(0.9 * t + 0.1 * s)
        return loss

    losses = []
    for epoch in range(4):
        rampup = tf.exp(-5.0 * (1.0 - tf.constant(epoch / 4)) ** 2)
        losses.append(float(train_step(x, y, unlabeled, rampup)))
    return {"losses": losses, "teacher": teacher(x[:2]), "rate": float(optimizer.learning_rate)}


def layers_losses_and_metrics_of_ones_own(tf, np):
    @tf.keras.utils.register_keras_serializable(package="programs")
    class Maxout(tf.keras.layers.Layer):
        def __init__(self, units, pieces=2, **kwargs):
            super().__init__(**kwargs)
            self.units, self.pieces = units, pieces

        def build(self, input_shape):
            self.w = self.add_weight(
                shape=(input_shape[-1], self.units * self.pieces),
                initializer="glorot_uniform",
                regularizer=tf.keras.regularizers.L1L2(1e-4, 1e-3),
                constraint=tf.keras.constraints.MaxNorm(2.0),
                name="w",
            )
            self.calls = self.add_weight(shape=(), initializer="zeros", trainable=False)

        def call(self, inputs):
            self.calls.assign_add(1.0)
            h = tf.reshape(inputs @ self.w, (-1, self.units, self.pieces))
            return tf.reduce_max(h, axis=-1)

        def get_config(self):
            return {**super().get_config(), "units": self.units, "pieces": self.pieces}

    class FocalLoss(tf.keras.losses.Loss):
        def __init__(self, gamma=2.0, **kwargs):
            super().__init__(**kwargs)
            self.gamma = gamma

        def call(self, y_true, y_pred):
            y_true = tf.cast(tf.reshape(y_true, [-1]), tf.int32)
            log_p = tf.gather(tf.nn.log_softmax(y_pred), y_true, batch_dims=1)
            return -((1.0 - tf.exp(log_p)) ** self.gamma) * log_p

    class MacroRecall(tf.keras.metrics.Metric):
        def __init__(self, classes, name="macro_recall", **kwargs):
            super().__init__(name=name, **kwargs)
            self.classes = classes
            self.matrix = self.add_weight(shape=(classes, classes), initializer="zeros", name="m")

        def update_state(self, y_true, y_pred, sample_weight=None):
            found = tf.math.confusion_matrix(
                tf.reshape(y_true, [-1]), tf.argmax(y_pred, 1), self.classes, dtype=tf.float32
            )
            self.matrix.assign_add(found)

        def result(self):
            recalls = tf.linalg.diag_part(self.matrix) / tf.reduce_sum(self.matrix, axis=1)
            return tf.reduce_mean(recalls)

    model = tf.keras.Sequential([tf.keras.Input((6,)), Maxout(4), tf.keras.layers.Dense(3)])
    seeded(model, np, 16)
    model.compile(tf.keras.optimizers.Adam(1e-2), FocalLoss(), metrics=[MacroRecall(3)])
    x, y = _blobs(np)
    history = model.fit(x, y, epochs=2, batch_size=8, shuffle=False, verbose=0).history
    rebuilt = tf.keras.Sequential.from_config(model.get_config())
    rebuilt.set_weights(model.get_weights())
    same = np.allclose(rebuilt(x), model(x), atol=1e-6)
    return {"history": history, "same": bool(same), "config": model.layers[0].get_config()["units"]}
