"""Keras models: functional, subclassed, sequential, shared parts, and what they are made of."""

import copy
import io
import pickle

from programs.keras_layers import numbers, summary, weighted
from programs.program import caught


def descent(tf, np, model, x, y, steps=3, compiled=True):
    """The losses of some steps, and the weights then."""
    model(x)
    weighted(np, model)
    optimizer = tf.keras.optimizers.SGD(0.1)

    def step(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(model(x, training=True) - y))
        variables = model.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        return loss

    step = tf.function(step, reduce_retracing=True) if compiled else step
    return [step(x, y) for _ in range(steps)], [summary(np, w) for w in model.get_weights()]


def sequential(tf, np):
    layers = tf.keras.layers
    model = tf.keras.Sequential([layers.Dense(8, activation="relu"), layers.Dense(1)])
    model.add(layers.Dense(2))
    x, y = tf.constant(numbers(np, 6, 4)), tf.constant(numbers(np, 6, 2, seed=1))
    found = descent(tf, np, model, x, y), descent(tf, np, model, x, y, compiled=False)
    return found, len(model.layers), model.count_params(), model.input_shape, model.output_shape


def functional(tf, np):
    layers = tf.keras.layers
    a, b = tf.keras.Input((4,), name="a"), tf.keras.Input((3,), name="b")
    shared = layers.Dense(5, activation="tanh", name="shared")
    first = shared(layers.Dense(4)(a))
    second = shared(layers.Dense(4)(b))
    joined = layers.Concatenate()([first, second])
    out = layers.Dense(2, name="out")(joined)
    model = tf.keras.Model([a, b], [out, first * 2.0 + 1.0])
    weighted(np, model)
    x, y = numbers(np, 6, 4), numbers(np, 6, 3, seed=1)
    with tf.GradientTape() as tape:
        found, other = model([x, y])
        loss = tf.reduce_sum(found) + tf.reduce_sum(other**2)
    gradients = tape.gradient(loss, model.trainable_variables)
    inner = tf.keras.Model(a, first)
    return found, other, gradients, inner.count_params(), [t.shape for t in model.outputs]


def residual(tf, np):
    layers = tf.keras.layers
    i = tf.keras.Input((6, 6, 2))
    h = layers.Conv2D(4, 3, padding="same", activation="relu")(i)
    h = layers.BatchNormalization()(h)
    h = layers.Add()([h, layers.Conv2D(4, 1)(i)])
    o = layers.Dense(2)(layers.GlobalAveragePooling2D()(h))
    x, y = tf.constant(numbers(np, 4, 6, 6, 2)), tf.constant(numbers(np, 4, 2, seed=1))
    return descent(tf, np, tf.keras.Model(i, o), x, y)


def subclassed(tf, np):
    class Model(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.hidden = [tf.keras.layers.Dense(4, activation="relu") for _ in range(2)]
            self.last = {"out": tf.keras.layers.Dense(2)}
            self.scale = tf.Variable(1.5)

        def call(self, x, training=False):
            for layer in self.hidden:
                x = layer(x)
            if training:
                x = x * 2.0
            return self.last["out"](tf.concat([x, tf.square(x)], -1)) * tf.stop_gradient(2.0)

    model, x = Model(), tf.constant(numbers(np, 6, 4))
    y = tf.constant(numbers(np, 6, 2, seed=1))
    found = descent(tf, np, model, x, y)
    return found, len(model.layers), len(model.trainable_weights), model(x, training=True)


def custom_layers(tf, np):
    class Linear(tf.keras.layers.Layer):
        def __init__(self, units=3, **kwargs):
            super().__init__(**kwargs)
            self.units = units

        def build(self, input_shape):
            shape = (input_shape[-1], self.units)
            self.w = self.add_weight(shape=shape, initializer="random_normal", trainable=True)
            self.b = self.add_weight(shape=(self.units,), initializer="zeros", name="bias")

        def call(self, inputs):
            return tf.nn.softplus(tf.einsum("ij,jk->ik", inputs, self.w) + self.b)

        def get_config(self):
            return {**super().get_config(), "units": self.units}

    layer = Linear(2, name="linear")
    again = Linear.from_config(layer.get_config())
    model = tf.keras.Sequential([Linear(4, name="first"), again])
    x, y = tf.constant(numbers(np, 6, 4)), tf.constant(numbers(np, 6, 2, seed=1))
    return descent(tf, np, model, x, y), again.units, again.name, [w.shape for w in model.weights]


def keras_ops(tf, np):
    ops, x = tf.keras.ops, tf.Variable(numbers(np, 3, 4))
    with tf.GradientTape() as tape:
        y = ops.matmul(x, ops.transpose(x))
        y = ops.softmax(y, axis=-1) + ops.mean(ops.square(x), axis=1, keepdims=True)
        y = ops.where(y > 0.5, ops.sqrt(y), ops.exp(-y))
        y = ops.concatenate([y, ops.reshape(ops.sum(x, axis=1), (3, 1))], axis=1)
        loss = ops.sum(ops.clip(y, 0.1, 0.9) * ops.arange(4, dtype="float32"))
    found = [y, loss, tape.gradient(loss, x), ops.argmax(x + 0.0, axis=1), ops.one_hot([1, 0], 3)]
    found += [ops.shape(x), ops.cast(x, "int32"), ops.stack([x, x]).shape, ops.convert_to_numpy(x)]
    found += [ops.logsumexp(x, axis=0), ops.norm(x, axis=1), ops.einsum("ij,kj->ik", x, x)]
    found += [ops.top_k(x, 2)[1], ops.max(x, axis=0), ops.cumsum(x, axis=1), ops.sort(x)]
    found += [ops.take(x, [0, 2], axis=1), ops.pad(x, [[0, 0], [1, 0]]), ops.split(x, 2, axis=1)]
    return found


def dtypes_of_ops(tf, np):
    ops, x = tf.keras.ops, tf.ones((2, 2))
    ints, wide = np.ones(2, "int64"), np.ones(2)
    values = [
        ops.argmax(x),
        ops.sum(ints),
        ops.arange(3),
        ops.arange(3.0),
        ops.convert_to_tensor(1),
        ops.convert_to_tensor(1.0),
        ops.convert_to_tensor(wide),
        ops.one_hot([1], 2),
        ops.add(1, 2),
        ops.add(wide, 1),
        ops.mean(ints),
        ops.cast(1, "int64"),
        ops.argsort(x),
        ops.count_nonzero(x),
        ops.zeros_like(x, dtype="int64"),
        ops.full((2,), 3),
        ops.linspace(0, 1, 3),
        ops.eye(2),
        ops.add(x, wide),
        ops.add(x, 2.0),
        ops.add(tf.constant([1]), 2.5),
        ops.divide(ints, 2),
        ops.power(2, 3),
        ops.floor(ints),
        ops.prod([2, 3]),
        ops.var([1, 2]),
        ops.max(ints),
        tf.keras.random.uniform((2,), dtype="float64"),
        tf.keras.random.randint((2,), 0, 5),
    ]
    return [[isinstance(value, tf.Tensor), value.dtype, list(value.shape)] for value in values]


def control_flow_of_ops(tf, np):
    ops, x = tf.keras.ops, tf.constant(numbers(np, 4))
    found = [
        ops.cond(tf.constant(True), lambda: x * 2.0, lambda: x),
        ops.while_loop(lambda i, s: i < 5, lambda i, s: (i + 1, s + i), (0, 0)),
        ops.fori_loop(0, 4, lambda i, s: s + x[i], 0.0),
        ops.scan(lambda c, v: (c + v, c * v), 0.0, x),
        ops.map(lambda row: row * 2.0, x),
        ops.vectorized_map(lambda value: value + 1.0, x), ops.switch(1, [tf.abs, tf.negative], x),
    ]  # fmt: skip
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = ops.scan(lambda c, v: (c * v + v, c), 1.0, x)[0]
    return found, y, tape.gradient(y, x), ops.stop_gradient(x)


def the_backend(tf, np):
    k = tf.keras.backend
    k.clear_session()
    return k.floatx(), k.epsilon(), k.image_data_format(), tf.keras.layers.Dense(1).name


def gradients_at_edges(tf, np):
    names = [
        "relu",
        "relu6",
        "leaky_relu",
        "elu",
        "selu",
        "silu",
        "gelu",
        "softplus",
        "hard_sigmoid",
        "tanh",
        "mish",
    ]
    found = {}
    for name in names:
        x = tf.constant([-3.0, 0.0, 1.0, 3.0, 6.0])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = getattr(tf.keras.activations, name)(x)
        found[name] = y, tape.gradient(y, x)
    for name, f in {
        "abs": tf.keras.ops.abs, "maximum": lambda x: tf.keras.ops.maximum(x, 0.0),
        "clip": lambda x: tf.keras.ops.clip(x, 0.0, 1.0),
        "max": lambda x: tf.keras.ops.max(tf.keras.ops.stack([x, x]), axis=0),
    }.items():  # fmt: skip
        x = tf.constant([-1.0, 0.0, 1.0])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        found[name] = tape.gradient(y, x)
    return found


def variables(tf, np):
    tf.keras.backend.clear_session()
    layer = tf.keras.layers.Dense(2, name="d", kernel_initializer="ones")
    layer.build((None, 2))
    v = layer.kernel
    found = [v.name, v.path, v.shape, v.dtype, v.trainable, repr(v), str(layer.bias)]
    v.assign([[1.0, 2.0], [3.0, 4.0]])
    v.assign_add(tf.ones((2, 2)))
    v.assign_sub(np.full((2, 2), 0.5))
    found += [v.numpy(), v + 1.0, 2.0 * v, v @ v, v[0], tf.reduce_sum(v), tf.convert_to_tensor(v)]
    found += [np.asarray(v), len(v.shape), v.shape.as_list(), tf.cast(v, tf.int32), tf.shape(v)]
    found += [caught(lambda: v.assign(tf.ones(3))).name, tf.is_tensor(v), v == v]
    made = tf.keras.Variable([1, 2], dtype="int32", name="mine", trainable=False)
    return [*found, repr(made), made.assign([3, 4]), made.numpy(), float(tf.keras.Variable(2.0))]


def copies(tf, np):
    model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(2)])
    weighted(np, model)
    x, found = numbers(np, 2, 3), []
    found.append(model(x))
    for again in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        found.append(again(x))
        again.layers[0].kernel.assign_add(tf.ones((3, 2)))
        found += [again(x), model(x)]
    clone = tf.keras.models.clone_model(model)
    clone.set_weights(model.get_weights())
    return *found, clone(x), type(clone).__name__


def configurations(tf, np):
    model = tf.keras.Sequential([
        tf.keras.Input((3,), name="in"), tf.keras.layers.Dense(2, activation="relu", name="one"),
        tf.keras.layers.Dropout(0.5, name="two"),
    ])  # fmt: skip
    config = model.get_config()
    again = tf.keras.Sequential.from_config(config)
    again.set_weights(model.get_weights())
    x = numbers(np, 2, 3)
    same = bool((again(x).numpy() == model(x).numpy()).all())
    text = tf.keras.models.model_from_json(model.to_json())
    layer = tf.keras.layers.deserialize(tf.keras.layers.serialize(model.layers[0]))
    names = [layer["class_name"] for layer in config["layers"]]
    return same, names, [layer.name for layer in text.layers], layer.name, layer.units


def summaries(tf, np):
    tf.keras.backend.clear_session()
    model = tf.keras.Sequential(
        [tf.keras.Input((3,)), tf.keras.layers.Dense(2), tf.keras.layers.BatchNormalization()],
        name="m",
    )
    stream = io.StringIO()
    model.summary(print_fn=lambda line, **kwargs: stream.write(line + "\n"))
    return stream.getvalue()


def frozen_layers(tf, np):
    layers = [tf.keras.layers.Dense(3), tf.keras.layers.Dense(1)]
    model = tf.keras.Sequential(layers)
    x, y = tf.constant(numbers(np, 4, 2)), tf.constant(numbers(np, 4, 1, seed=1))
    model(x)
    layers[0].trainable = False
    found = len(model.trainable_variables), len(model.non_trainable_variables)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(model(x))
    frozen = tape.gradient(loss, layers[0].kernel) is not None
    return found, frozen, descent(tf, np, model, x, y)


def in_modules(tf, np):
    class Net(tf.Module):
        def __init__(self):
            super().__init__(name="net")
            self.model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(2)])
            self.scale = tf.Variable(2.0)

        @tf.function
        def __call__(self, x):
            return self.model(x) * self.scale

    net = Net()
    weighted(np, net.model)
    x = tf.constant(numbers(np, 3, 2))
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(net(x))
    gradients = tape.gradient(loss, [net.scale, *net.model.trainable_variables])
    compiled = tf.function(net.model)
    return loss, gradients, compiled(x), compiled(x), len(net.trainable_variables)


def wrong_inputs(tf, np):
    dense = tf.keras.layers.Dense(2)
    dense(numbers(np, 2, 3))
    model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(2)])
    found = [
        caught(lambda: dense(numbers(np, 2, 4))), caught(lambda: model(numbers(np, 2, 4))),
        caught(lambda: tf.keras.layers.Add()([numbers(np, 2, 3), numbers(np, 2, 4)])),
        caught(lambda: tf.keras.layers.Conv2D(2, 3)(numbers(np, 2, 3))),
        caught(lambda: tf.keras.ops.matmul(tf.ones((2, 3)), tf.ones((2, 3)))),
        caught(lambda: tf.keras.ops.add(tf.ones(2), tf.ones(3))),
        caught(lambda: tf.keras.ops.reshape(tf.ones(4), (3,))),
        caught(lambda: tf.keras.ops.concatenate([tf.ones((2, 2)), tf.ones((3, 3))], axis=1)),
        caught(lambda: tf.keras.losses.MeanSquaredError()(tf.ones((2, 3)), tf.ones((4, 5)))),
        caught(lambda: dense.set_weights([np.ones((2, 2))])),
    ]  # fmt: skip
    return [getattr(error, "name", error) for error in found]


def dtypes_of_inputs(tf, np):
    dense = tf.keras.layers.Dense(2)
    found = [dense(x).dtype for x in (
        np.ones((1, 3)), np.ones((1, 3), int), tf.ones((1, 3), tf.float64),
        tf.ones((1, 3), tf.int32), np.ones((1, 3), "float16"),
    )]  # fmt: skip
    wide = tf.keras.layers.Dense(2, dtype="float64")
    return found, wide(np.ones((1, 3))).dtype, wide.kernel.dtype, wide(tf.ones((1, 3))).dtype
