"""Makes small checkpoints with TensorFlow, and notes what TensorFlow reads in them.

python tests/goldens/generate_checkpoints.py
"""

import json
import os
import pathlib
import shutil

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
HERE = pathlib.Path(__file__).parent / "checkpoints"
SEED = 7


def module(tf):
    model = tf.Module()
    model.w = tf.Variable([[1.0, 2.0], [3.0, 4.0]], name="w")
    model.layers = [tf.Variable(10.0), tf.Variable(11.0)]
    model.named = {"a/b": tf.Variable(3, dtype=tf.int64), "t": (tf.Variable(True),)}
    model.texts = tf.Variable(["a", "", "é" * 100])
    for dtype in ("float16", "bfloat16", "float64", "complex64", "complex128", "int8", "uint16"):
        setattr(model, dtype, tf.Variable(tf.cast([1, 2, 3], dtype)))
    model.none = tf.Variable(tf.zeros([0, 3]))
    model.generator = tf.random.Generator.from_seed(SEED)
    return model


def object_based(tf):
    step = tf.Variable(41, dtype=tf.int64)
    checkpoint = tf.train.Checkpoint(model=module(tf), step=step)
    manager = tf.train.CheckpointManager(checkpoint, str(HERE / "objects"), max_to_keep=2)
    manager.save()
    step.assign_add(1)
    manager.save()
    return manager.latest_checkpoint


def name_based(tf):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        tf.compat.v1.get_variable("dense/kernel", initializer=[[1.0, 2.0]])
        with tf.device("/cpu:1"):
            tf.compat.v1.get_variable("dense/bias", initializer=[3.0])
        tf.compat.v1.get_variable(
            "parts", [4], initializer=tf.compat.v1.constant_initializer(5.0),
            partitioner=tf.compat.v1.fixed_size_partitioner(2), use_resource=False,
        )  # fmt: skip
        session.run(tf.compat.v1.global_variables_initializer())
        (HERE / "names").mkdir(parents=True)
        saver = tf.compat.v1.train.Saver(sharded=True)
        return saver.save(session, str(HERE / "names" / "model.ckpt"), write_meta_graph=False)


def saved_model(tf):
    model = tf.Module()
    model.w = tf.Variable([1.0, 2.0])
    model.double = tf.function(lambda x: 2.0 * x, input_signature=[tf.TensorSpec([])])
    tf.saved_model.save(model, str(HERE / "saved_model"))
    shutil.rmtree(HERE / "saved_model" / "assets", ignore_errors=True)
    return str(HERE / "saved_model" / "variables" / "variables")


def keras_model(tf):
    tf.keras.utils.set_random_seed(SEED)
    model = tf.keras.Sequential([tf.keras.layers.Input([2]), tf.keras.layers.Dense(1)])
    model.compile(optimizer=tf.keras.optimizers.Adam(0.1), loss="mse")
    model.fit(tf.ones([4, 2]), tf.ones([4, 1]), epochs=1, verbose=0)
    checkpoint = tf.train.Checkpoint(model=model, optimizer=model.optimizer)
    return checkpoint.save(str(HERE / "keras" / "ckpt"))


def training(tf, optimizer, folder):
    """A model of models, and what trains it; the batch normalization keeps the names apart."""
    keras = tf.keras

    class Part(keras.Model):
        def __init__(self):
            super().__init__()
            self.first, self.last = keras.layers.Dense(3), keras.layers.Dense(2)

        def call(self, x):
            return self.last(self.first(x))

    class Whole(keras.Model):
        def __init__(self):
            super().__init__()
            self.encoder, self.decoder = Part(), Part()
            self.between = keras.layers.BatchNormalization()

        def call(self, x, training=None):
            return self.decoder(self.between(self.encoder(x), training=training))

    x, model = tf.reshape(tf.range(8.0), [4, 2]) / 8, Whole()

    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((model(x, training=True) - x) ** 2)
        variables = model.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        return float(loss)

    return model, step, tf.train.Checkpoint(model=model, **{folder: optimizer})


OPTIMIZERS = {
    "an_adam": lambda keras: keras.optimizers.Adam(0.01),
    "plain_sgd": lambda keras: keras.optimizers.SGD(0.01),
    "scaled": lambda keras: keras.mixed_precision.LossScaleOptimizer(keras.optimizers.Adam(0.01)),
}


def doubled_slots(tf):
    """Files of optimizers that were restored early and saved again, and the losses after that."""
    losses = {}
    for name, make in OPTIMIZERS.items():
        tf.keras.utils.set_random_seed(SEED)
        _, step, checkpoint = training(tf, make(tf.keras), name)
        step(), step()
        saved = checkpoint.save(str(HERE / "doubled" / "before"))
        _, step, checkpoint = training(tf, make(tf.keras), name)
        checkpoint.restore(saved).expect_partial()
        step()
        checkpoint.write(str(HERE / "doubled" / name))
        if name == "an_adam":
            tf.train.Checkpoint(other=checkpoint.an_adam).write(str(HERE / "doubled" / "alone"))
        losses[name] = [step(), step(), step()]
        for file in (HERE / "doubled").glob("before*"):
            file.unlink()
    (HERE / "doubled" / "checkpoint").unlink()
    (HERE / "doubled" / "losses.json").write_text(json.dumps(losses) + "\n")


def answer(tf, path):
    """What TensorFlow reads: dtype, shape and value of each name but the graph's."""
    reader = tf.train.load_checkpoint(path)
    found = {}
    for name, dtype in sorted(reader.get_variable_to_dtype_map().items()):
        if name == "_CHECKPOINTABLE_OBJECT_GRAPH":
            continue
        value = reader.get_tensor(name)
        if dtype == tf.string:
            listed = [text.decode() for text in value.reshape(-1)]
        elif dtype.is_complex:
            listed = [[float(v.real), float(v.imag)] for v in value.reshape(-1)]
        elif dtype.is_floating:
            listed = [float(v) for v in value.reshape(-1)]
        else:
            listed = [v.item() for v in value.reshape(-1)]
        found[name] = [dtype.name, list(value.shape), listed]
    return found


def main() -> None:
    import tensorflow as tf

    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
    shutil.rmtree(HERE, ignore_errors=True)
    doubled_slots(tf)
    answers = {}
    for make in (object_based, name_based, saved_model, keras_model):
        path = make(tf)
        answers[str(pathlib.Path(path).relative_to(HERE))] = answer(tf, path)
    text = ",\n".join(f"{json.dumps(key)}: {json.dumps(answers[key])}" for key in answers)
    (HERE / "answers.json").write_text("{\n" + text + "\n}\n")


if __name__ == "__main__":
    main()
