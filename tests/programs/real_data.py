"""Programs whose data flow through pipelines and whose state goes to files and comes back."""

import os

from .program import in_a_new_directory, seeded


def images_through_a_pipeline(tf, np):
    rng = np.random.default_rng(0)
    images = rng.integers(0, 255, (20, 6, 6, 1), dtype=np.uint8)
    labels = (images.mean((1, 2, 3)) > 127).astype("int64")

    def normalize_img(image, label):
        return tf.cast(image, tf.float32) / 255.0, label

    ds_train = tf.data.Dataset.from_tensor_slices((images[:12], labels[:12]))
    ds_train = ds_train.map(normalize_img, num_parallel_calls=tf.data.AUTOTUNE)
    ds_train = ds_train.cache()
    ds_train = ds_train.batch(5)
    ds_train = ds_train.prefetch(tf.data.AUTOTUNE)
    ds_test = tf.data.Dataset.from_tensor_slices((images[12:], labels[12:]))
    ds_test = ds_test.map(normalize_img).batch(4).cache().prefetch(tf.data.AUTOTUNE)
    model = tf.keras.models.Sequential(
        [
            tf.keras.layers.Input((6, 6, 1)),
            tf.keras.layers.Flatten(),
            tf.keras.layers.Dense(8, activation="relu"),
            tf.keras.layers.Dense(2),
        ]
    )
    seeded(model, np, 1)
    model.compile(
        optimizer=tf.keras.optimizers.Adam(0.001),
        loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=[tf.keras.metrics.SparseCategoricalAccuracy()],
    )
    history = model.fit(ds_train, epochs=2, validation_data=ds_test, verbose=0)
    spec = [str(s.shape) + s.dtype.name for s in ds_train.element_spec]
    return {
        "history": history.history,
        "spec": spec,
        "batches": int(ds_train.cardinality()),
        "evaluated": model.evaluate(ds_test, verbose=0),
        "predicted": model.predict(ds_test.map(lambda x, y: x).take(1), verbose=0),
    }


def windows_of_a_series(tf, np):
    def windowed_dataset(series, window_size, batch_size):
        dataset = tf.data.Dataset.from_tensor_slices(series)
        dataset = dataset.window(window_size + 1, shift=1, drop_remainder=True)
        dataset = dataset.flat_map(lambda window: window.batch(window_size + 1))
        dataset = dataset.map(lambda window: (window[:-1], window[-1:]))
        return dataset.batch(batch_size).prefetch(1)

    series = np.sin(np.arange(24) / 3).astype("float32")
    dataset = windowed_dataset(series, 5, 8)
    model = tf.keras.Sequential([tf.keras.Input((5,)), tf.keras.layers.Dense(1)])
    seeded(model, np, 2)
    model.compile(loss="mse", optimizer=tf.keras.optimizers.SGD(1e-2, momentum=0.9))
    history = model.fit(dataset.repeat(), epochs=3, steps_per_epoch=3, verbose=0)
    shapes = [x.shape.as_list() for x, _ in dataset]
    mean = dataset.unbatch().reduce(0.0, lambda total, pair: total + pair[1][0]) / 19.0
    return {"loss": history.history["loss"], "shapes": shapes, "mean": mean}


def padded_sentences(tf, np):
    def generator():
        for k in range(7):
            yield list(range(1, 2 + (3 * k) % 5)), k % 2

    signature = (
        tf.TensorSpec(shape=(None,), dtype=tf.int32),
        tf.TensorSpec(shape=(), dtype=tf.int32),
    )
    dataset = tf.data.Dataset.from_generator(generator, output_signature=signature)
    batches = dataset.filter(lambda x, y: tf.size(x) > 1).padded_batch(3)
    embedding = tf.keras.layers.Embedding(8, 3, embeddings_initializer="ones")
    dense = tf.keras.layers.Dense(1, kernel_initializer=tf.keras.initializers.Constant(0.1))
    optimizer, losses, shapes = tf.keras.optimizers.Adagrad(0.1), [], []
    for x, y in batches:
        mask = tf.cast(tf.sequence_mask(tf.math.count_nonzero(x, 1), tf.shape(x)[1]), tf.float32)
        with tf.GradientTape() as tape:
            h = embedding(x) * mask[..., tf.newaxis]
            pooled = tf.reduce_sum(h, 1) / tf.reduce_sum(mask, 1, keepdims=True)
            logits = tf.squeeze(dense(pooled), -1)
            loss = tf.nn.sigmoid_cross_entropy_with_logits(tf.cast(y, tf.float32), logits)
            loss = tf.reduce_mean(loss)
        variables = embedding.trainable_variables + dense.trainable_variables
        grads = tape.gradient(loss, variables)
        optimizer.apply_gradients(zip(grads, variables, strict=True))
        losses.append(float(loss))
        shapes.append(x.shape.as_list())
    return {"losses": losses, "shapes": shapes, "embeddings": embedding.embeddings.numpy()}


@in_a_new_directory
def records_in_files(tf, np):
    def _bytes_feature(value):
        return tf.train.Feature(bytes_list=tf.train.BytesList(value=[value]))

    def _float_feature(values):
        return tf.train.Feature(float_list=tf.train.FloatList(value=values))

    def _int64_feature(value):
        return tf.train.Feature(int64_list=tf.train.Int64List(value=[value]))

    rng = np.random.default_rng(3)
    with tf.io.TFRecordWriter("data.tfrecord") as writer:
        for k in range(9):
            image = tf.io.serialize_tensor(tf.constant(rng.random((2, 2)), tf.float32))
            feature = {
                "image": _bytes_feature(image.numpy()),
                "position": _float_feature([k / 10, k / 5]),
                "label": _int64_feature(k % 3),
            }
            example = tf.train.Example(features=tf.train.Features(feature=feature))
            writer.write(example.SerializeToString())

    description = {
        "image": tf.io.FixedLenFeature([], tf.string),
        "position": tf.io.FixedLenFeature([2], tf.float32),
        "label": tf.io.FixedLenFeature([], tf.int64, default_value=0),
    }

    def parse(record):
        parsed = tf.io.parse_single_example(record, description)
        image = tf.io.parse_tensor(parsed["image"], out_type=tf.float32)
        image = tf.ensure_shape(image, [2, 2])
        return tf.concat([tf.reshape(image, [4]), parsed["position"]], 0), parsed["label"]

    dataset = tf.data.TFRecordDataset(["data.tfrecord"]).map(parse)
    dataset = dataset.repeat(2).batch(4, drop_remainder=True)
    w = tf.Variable(tf.ones([6, 3]) * [[0.1, -0.1, 0.0]])
    losses = []
    for x, y in dataset:
        with tf.GradientTape() as tape:
            logits = tf.matmul(x, w)
            loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits)
            loss = tf.reduce_mean(loss)
        w.assign_sub(0.5 * tape.gradient(loss, w))
        losses.append(float(loss))
    return {"losses": losses, "w": w.numpy(), "size": os.path.getsize("data.tfrecord")}


@in_a_new_directory
def resuming_from_a_checkpoint(tf, np):
    class Net(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.l1 = tf.keras.layers.Dense(5, kernel_initializer="ones")

        def call(self, x):
            return self.l1(x)

    def toy_dataset():
        inputs = tf.range(10.0)[:, None]
        labels = inputs * 5.0 + tf.range(5.0)[None, :]
        return tf.data.Dataset.from_tensor_slices({"x": inputs, "y": labels}).repeat().batch(2)

    def train_step(net, example, optimizer):
        with tf.GradientTape() as tape:
            output = net(example["x"])
            loss = tf.reduce_mean(tf.abs(output - example["y"]))
        variables = net.trainable_variables
        gradients = tape.gradient(loss, variables)
        optimizer.apply_gradients(zip(gradients, variables, strict=True))
        return loss

    def train(steps):
        opt = tf.keras.optimizers.Adam(0.1)
        net, iterator = Net(), iter(toy_dataset())
        net(tf.zeros([1, 1]))
        opt.build(net.trainable_variables)
        ckpt = tf.train.Checkpoint(step=tf.Variable(1), optimizer=opt, net=net, iterator=iterator)
        manager = tf.train.CheckpointManager(ckpt, "./tf_ckpts", max_to_keep=2)
        ckpt.restore(manager.latest_checkpoint)
        lines.append("restored" if manager.latest_checkpoint else "from scratch")
        for _ in range(steps):
            loss = train_step(net, next(iterator), opt)
            ckpt.step.assign_add(1)
            if int(ckpt.step) % 3 == 0:
                lines.append(manager.save().replace("\\", "/"))
                lines.append(f"loss {loss.numpy():1.2f}")
            losses.append(float(loss))
        return net

    losses, lines = [], []
    train(5)
    net = train(4)
    return {
        "losses": losses,
        "lines": lines,
        "bias": net.l1.bias.numpy(),
        "names": sorted(name for name in os.listdir("tf_ckpts") if name.endswith(".index")),
    }


@in_a_new_directory
def saving_and_loading_models(tf, np):
    def create_model():
        model = tf.keras.Sequential(
            [
                tf.keras.Input((4,)),
                tf.keras.layers.Dense(5, activation="relu", name="hidden"),
                tf.keras.layers.Dense(2, name="logits"),
            ]
        )
        model.compile(
            optimizer=tf.keras.optimizers.Adam(0.01),
            loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
            metrics=["accuracy"],
        )
        return model

    rng = np.random.default_rng(4)
    x = rng.normal(size=(8, 4)).astype("float32")
    y = (x.sum(1) > 0).astype("int64")
    model = create_model()
    seeded(model, np, 5)
    callback = tf.keras.callbacks.ModelCheckpoint(
        "best.weights.h5", monitor="loss", save_weights_only=True, save_best_only=True
    )
    model.fit(x, y, epochs=2, batch_size=4, shuffle=False, verbose=0, callbacks=[callback])
    model.save("model.keras")
    loaded = tf.keras.models.load_model("model.keras")
    restored = tf.keras.models.clone_model(model)
    restored.load_weights("best.weights.h5")
    restored.compile(loss=model.loss, metrics=["accuracy"])
    cloned = tf.keras.models.clone_model(model)
    cloned.set_weights(model.get_weights())
    resumed = loaded.fit(x, y, epochs=1, batch_size=4, shuffle=False, verbose=0)
    going_on = model.fit(x, y, epochs=1, batch_size=4, shuffle=False, verbose=0)
    return {
        "resumed": resumed.history["loss"],
        "going on": going_on.history["loss"],
        "restored": restored.evaluate(x, y, verbose=0),
        "cloned": cloned(x[:2]),
        "json": tf.keras.models.model_from_json(model.to_json()).count_params(),
        "layers": [layer.name for layer in loaded.layers],
    }
