"""Deep models of different kinds: small enough to be measured in seconds, deep as real ones are.

A Keras model is made with the `keras` of the contestant's package; what is written out by hand is
made with the package itself, and once more with JAX. As in `once_nets`, nothing but NumPy is
imported here.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

WIDTH, HEADS, TOKENS = 64, 4, 16
TIMES, UNITS = 40, 32  # of the network that Python unrolls
TASKS, INNER_STEPS, INNER_RATE = 4, 5, 0.01  # of MAML
VARIABLES, NUMBERS = 500, 8  # of the plain Adam step
RATE = 1e-3


class Model(NamedTuple):
    """What is trained.

    Attributes:
        title: what it is.
        make: makes the Keras model, or the step (`by_hand`).
        shape: of the inputs, the batch first.
        targets: the shape of the targets: of classes if there are fewer dimensions than outputs.
        classes: how many classes there are; 0 where numbers are wanted.
        by_hand: makes the same step with JAX; None for Keras models.
    """

    title: str
    make: Callable[..., Any]
    shape: tuple[int, ...]
    targets: tuple[int, ...]
    classes: int = 10
    by_hand: Callable[..., Any] | None = None


def arrays(model: Model) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Returns a batch and its targets."""
    rng = np.random.default_rng(7)
    x = rng.standard_normal(model.shape).astype(np.float32)
    if model.classes:
        return x, rng.integers(0, model.classes, model.targets)
    return x, rng.standard_normal(model.targets).astype(np.float32)


# Convolutional networks.


def _convolved(layers: Any, x: Any, filters: int, kernel: int = 3, strides: int = 1) -> Any:
    x = layers.Conv2D(filters, kernel, strides, padding="same", use_bias=False)(x)
    return layers.Activation("relu")(layers.BatchNormalization()(x))


def u_net(keras: Any, shape: tuple[int, ...]) -> Any:
    """Down and up again, with 13 convolutions."""
    layers = keras.layers
    x = inputs = layers.Input(shape[1:])
    kept = []
    for filters in (8, 16, 32):
        for _ in range(2):
            x = layers.Conv2D(filters, 3, padding="same", activation="relu")(x)
        kept.append(x)
        x = layers.MaxPooling2D(2)(x)
    x = layers.Conv2D(64, 3, padding="same", activation="relu")(x)
    for filters, other in zip((32, 16, 8), reversed(kept), strict=True):
        x = layers.Concatenate()([layers.UpSampling2D()(x), other])
        x = layers.Conv2D(filters, 3, padding="same", activation="relu")(x)
    for filters in (8, 8):
        x = layers.Conv2D(filters, 3, padding="same", activation="relu")(x)
    return keras.Model(inputs, layers.Conv2D(4, 1)(x))


def dense_net(keras: Any, shape: tuple[int, ...]) -> Any:
    """Blocks in which every convolution sees all before it."""
    layers = keras.layers
    x = inputs = layers.Input(shape[1:])
    x = _convolved(layers, x, 16)
    for block in range(3):
        for _ in range(5):
            x = layers.Concatenate()([x, _convolved(layers, x, 8)])
        if block < 2:
            x = layers.AveragePooling2D(2)(_convolved(layers, x, 24, 1))
    return keras.Model(inputs, layers.Dense(10)(layers.GlobalAveragePooling2D()(x)))


def mobile_net(keras: Any, shape: tuple[int, ...]) -> Any:
    """Inverted residuals: 1x1, depthwise, 1x1."""
    layers = keras.layers
    x = inputs = layers.Input(shape[1:])
    x = _convolved(layers, x, 16, 3, 2)
    for block in range(10):
        filters, strides = 16 + 8 * (block // 3), 2 if block in (3, 6) else 1
        y = _convolved(layers, x, 4 * x.shape[-1], 1)
        y = layers.DepthwiseConv2D(3, strides, padding="same", use_bias=False)(y)
        y = layers.Activation("relu6")(layers.BatchNormalization()(y))
        y = layers.Conv2D(filters, 1, use_bias=False)(y)
        y = layers.BatchNormalization()(y)
        x = layers.Add()([x, y]) if x.shape == y.shape else y
    return keras.Model(inputs, layers.Dense(10)(layers.GlobalAveragePooling2D()(x)))


def res_net(keras: Any, shape: tuple[int, ...]) -> Any:
    """Residual blocks of two convolutions, 17 of them in all."""
    layers = keras.layers
    x = inputs = layers.Input(shape[1:])
    x = _convolved(layers, x, 16)
    for filters in (16, 32, 64):
        for block in range(3):
            strides = 2 if filters > 16 and block == 0 else 1
            y = _convolved(layers, x, filters, 3, strides)
            y = layers.Conv2D(filters, 3, padding="same", use_bias=False)(y)
            y = layers.BatchNormalization()(y)
            if x.shape != y.shape:
                x = layers.Conv2D(filters, 1, strides)(x)
            x = layers.Activation("relu")(layers.Add()([x, y]))
    return keras.Model(inputs, layers.Dense(10)(layers.GlobalAveragePooling2D()(x)))


# Networks on sequences.


def _attended(layers: Any, x: Any, dropout: float, activation: str) -> Any:
    normed = layers.LayerNormalization()(x)
    y = layers.MultiHeadAttention(HEADS, WIDTH // HEADS, dropout=dropout)(normed, normed)
    x = layers.Add()([x, layers.Dropout(dropout)(y) if dropout else y])
    y = layers.Dense(2 * WIDTH, activation=activation)(layers.LayerNormalization()(x))
    y = layers.Dense(WIDTH)(y)
    return layers.Add()([x, layers.Dropout(dropout)(y) if dropout else y])


def _transformer(depth: int, dropout: float, activation: str) -> Callable[..., Any]:
    def make(keras: Any, shape: tuple[int, ...]) -> Any:
        layers = keras.layers
        inputs = layers.Input(shape[1:])
        x = layers.Dense(WIDTH)(inputs)
        for _ in range(depth):
            x = _attended(layers, x, dropout, activation)
        x = layers.GlobalAveragePooling1D()(layers.LayerNormalization()(x))
        return keras.Model(inputs, layers.Dense(10)(x))

    return make


def mixer(keras: Any, shape: tuple[int, ...]) -> Any:
    """Eight blocks that mix tokens, then channels."""
    layers = keras.layers
    inputs = layers.Input(shape[1:])
    x = layers.Dense(WIDTH)(inputs)
    for _ in range(8):
        y = layers.Permute((2, 1))(layers.LayerNormalization()(x))
        y = layers.Dense(TOKENS)(layers.Dense(2 * TOKENS, activation="gelu")(y))
        x = layers.Add()([x, layers.Permute((2, 1))(y)])
        y = layers.Dense(2 * WIDTH, activation="gelu")(layers.LayerNormalization()(x))
        x = layers.Add()([x, layers.Dense(WIDTH)(y)])
    return keras.Model(inputs, layers.Dense(10)(layers.GlobalAveragePooling1D()(x)))


def gru_attention(keras: Any, shape: tuple[int, ...]) -> Any:
    """Two recurrent layers, and attention over what they gave."""
    layers = keras.layers
    inputs = layers.Input(shape[1:])
    x = layers.Bidirectional(layers.GRU(32, return_sequences=True))(inputs)
    x = layers.GRU(WIDTH, return_sequences=True)(x)
    x = layers.Add()([x, layers.MultiHeadAttention(HEADS, 16)(x, x)])
    return keras.Model(inputs, layers.Dense(10)(layers.GlobalAveragePooling1D()(x)))


def autoencoder(keras: Any, shape: tuple[int, ...]) -> Any:
    """Twelve dense layers of widths that all differ, with batch normalisation."""
    layers = keras.layers
    x = inputs = layers.Input(shape[1:])
    for width in (224, 176, 128, 96, 64, 16, 60, 100, 132, 180, 228):
        x = layers.Activation("elu")(layers.BatchNormalization()(layers.Dense(width)(x)))
    return keras.Model(inputs, layers.Dense(shape[-1])(x))


def perceptron(keras: Any, shape: tuple[int, ...]) -> Any:
    """A small one, for comparison: what is not deep has to stay as it is."""
    layers = keras.layers
    hidden = [layers.Dense(WIDTH, activation="tanh") for _ in range(3)]
    return keras.Sequential([layers.Input(shape[1:]), *hidden, layers.Dense(10)])


# Written out by hand.


def _lstm_arrays() -> list[np.ndarray[Any, Any]]:
    rng = np.random.default_rng(8)
    shapes = [(16 + UNITS, 4 * UNITS), (4 * UNITS,), (UNITS, 1)]
    return [(0.1 * rng.standard_normal(shape)).astype(np.float32) for shape in shapes]


def _lstm(tf: Any, concat: Any, sigmoid: Any, values: Any, x: Any) -> Any:
    w, b, out = values
    h = c = tf.zeros((x.shape[0], UNITS))
    for time in range(TIMES):
        gates = tf.matmul(concat([x[:, time], h], 1), w) + b
        i, f, g, o = (gates[:, k * UNITS : (k + 1) * UNITS] for k in range(4))
        c = sigmoid(f + 1.0) * c + sigmoid(i) * tf.tanh(g)
        h = sigmoid(o) * tf.tanh(c)
    return tf.matmul(h, out)


def tf_unrolled(tf: Any, compiled: Any) -> Callable[[Any, Any], Any]:
    """An LSTM whose times are a loop in Python, and Adam by hand."""
    values = [tf.Variable(value) for value in _lstm_arrays()]
    adam = _tf_adam(tf, values)

    @compiled
    def step(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            found = _lstm(tf, tf.concat, tf.sigmoid, values, x)
            loss = tf.reduce_mean(tf.square(found - y))
        adam(tape.gradient(loss, values))
        return loss

    return step


def jax_unrolled(jax: Any) -> Callable[[Any, Any], Any]:
    jnp = jax.numpy

    def loss_of(values: Any, x: Any, y: Any) -> Any:
        return jnp.mean((_lstm(jnp, jnp.concatenate, jax.nn.sigmoid, values, x) - y) ** 2)

    return _jax_trained(jax, loss_of, _lstm_arrays())


def _maml_arrays() -> list[np.ndarray[Any, Any]]:
    rng = np.random.default_rng(9)
    shapes = [(1, 40), (40,), (40, 40), (40,), (40, 1), (1,)]
    return [(rng.standard_normal(shape) / 6).astype(np.float32) for shape in shapes]


def _small_net(np_: Any, values: Any, x: Any) -> Any:
    a, b, c, d, e, f = values
    h = np_.tanh(np_.matmul(x, a) + b)
    return np_.matmul(np_.tanh(np_.matmul(h, c) + d), e) + f


def tf_maml(tf: Any, compiled: Any) -> Callable[[Any, Any], Any]:
    """MAML with several inner steps for each task, in a loop in Python."""
    values = [tf.Variable(value) for value in _maml_arrays()]
    adam = _tf_adam(tf, values)

    @compiled
    def step(x: Any, y: Any) -> Any:
        with tf.GradientTape() as outer:
            total = 0.0
            for task in range(TASKS):
                own = [tf.identity(value) for value in values]
                for _ in range(INNER_STEPS):
                    with tf.GradientTape() as tape:
                        tape.watch(own)
                        loss = tf.reduce_mean(tf.square(_small_net(tf, own, x[task]) - y[task]))
                    gradients = tape.gradient(loss, own)
                    own = [w - INNER_RATE * g for w, g in zip(own, gradients, strict=True)]
                total += tf.reduce_mean(tf.square(_small_net(tf, own, x[task]) - y[task]))
        adam(outer.gradient(total, values))
        return total

    return step


def jax_maml(jax: Any) -> Callable[[Any, Any], Any]:
    jnp = jax.numpy

    def of_task(values: Any, x: Any, y: Any) -> Any:
        return jnp.mean((_small_net(jnp, values, x) - y) ** 2)

    def loss_of(values: Any, x: Any, y: Any) -> Any:
        total = 0.0
        for task in range(TASKS):
            own = values
            for _ in range(INNER_STEPS):
                gradients = jax.grad(of_task)(own, x[task], y[task])
                own = [w - INNER_RATE * g for w, g in zip(own, gradients, strict=True)]
            total += of_task(own, x[task], y[task])
        return total

    return _jax_trained(jax, loss_of, _maml_arrays())


def _many_arrays() -> list[np.ndarray[Any, Any]]:
    rng = np.random.default_rng(10)
    return list(rng.standard_normal((VARIABLES, NUMBERS)).astype(np.float32))


def tf_many(tf: Any, compiled: Any) -> Callable[[Any, Any], Any]:
    """Many small variables, and Adam by hand."""
    values = [tf.Variable(value) for value in _many_arrays()]
    adam = _tf_adam(tf, values)

    @compiled
    def step(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(tf.stack(values) * x - y))
        adam(tape.gradient(loss, values))
        return loss

    return step


def jax_many(jax: Any) -> Callable[[Any, Any], Any]:
    jnp = jax.numpy
    return _jax_trained(
        jax, lambda values, x, y: jnp.mean((jnp.stack(values) * x - y) ** 2), _many_arrays()
    )


def _tf_adam(tf: Any, values: Any) -> Callable[[Any], None]:
    slots = [[tf.Variable(tf.zeros_like(value)) for value in values] for _ in range(2)]
    count = tf.Variable(0.0)

    def apply(gradients: Any) -> None:
        count.assign_add(1.0)
        rate = RATE * tf.sqrt(1.0 - 0.999**count) / (1.0 - 0.9**count)
        for value, m, s, g in zip(values, *slots, gradients, strict=True):
            m.assign_add(0.1 * (g - m))
            s.assign_add(0.001 * (tf.square(g) - s))
            value.assign_sub(rate * m / (tf.sqrt(s) + 1e-7))

    return apply


def _jax_trained(jax: Any, loss_of: Any, values: Any) -> Callable[[Any, Any], Any]:
    jnp, tree_map = jax.numpy, jax.tree.map
    values = tree_map(jnp.asarray, values)
    state = [values, tree_map(jnp.zeros_like, values), tree_map(jnp.zeros_like, values), 0.0]

    @jax.jit
    def update(state: Any, x: Any, y: Any) -> Any:
        values, m, s, count = state
        loss, gradients = jax.value_and_grad(loss_of)(values, x, y)
        count = count + 1.0
        rate = RATE * jnp.sqrt(1.0 - 0.999**count) / (1.0 - 0.9**count)
        m = tree_map(lambda m, g: m + 0.1 * (g - m), m, gradients)
        s = tree_map(lambda s, g: s + 0.001 * (g * g - s), s, gradients)
        values = tree_map(lambda w, m, s: w - rate * m / (jnp.sqrt(s) + 1e-7), values, m, s)
        return loss, [values, m, s, count]

    def step(x: Any, y: Any) -> Any:
        nonlocal state
        loss, state = update(state, x, y)
        return loss

    return step


IMAGES = (8, 32, 32, 3)
SEQUENCES = (16, TOKENS, 32)
MODELS = {
    "u_net": Model("U-Net, 13 convolutions", u_net, IMAGES, (8, 32, 32), 4),
    "dense_net": Model("DenseNet-like, 18 convolutions", dense_net, IMAGES, (8,)),
    "mobile_net": Model("MobileNet-like, 10 blocks", mobile_net, IMAGES, (8,)),
    "res_net": Model("ResNet, 21 convolutions", res_net, IMAGES, (8,)),
    "bert": Model("BERT-like, 6 layers, dropout", _transformer(6, 0.1, "gelu"), SEQUENCES, (16,)),
    "vit": Model("ViT-like, 12 layers", _transformer(12, 0.0, "gelu"), SEQUENCES, (16,)),
    "mixer": Model("MLP-Mixer, 8 blocks", mixer, SEQUENCES, (16,)),
    "gru": Model("GRU and attention, 12 times", gru_attention, (16, 12, 32), (16,)),
    "autoencoder": Model("Autoencoder, 12 widths", autoencoder, (32, 256), (32, 256), 0),
    "unrolled": Model(
        "LSTM, 40 times unrolled in Python", tf_unrolled, (16, TIMES, 16), (16, 1), 0, jax_unrolled
    ),
    "maml": Model(
        "MAML, 4 tasks, 5 inner steps", tf_maml, (TASKS, 10, 1), (TASKS, 10, 1), 0, jax_maml
    ),
    "many": Model(
        "500 variables, Adam by hand", tf_many,
        (VARIABLES, NUMBERS), (VARIABLES, NUMBERS), 0, jax_many,
    ),
    "perceptron": Model("MLP 3x64 (not deep)", perceptron, (32, 16), (32,)),
}  # fmt: skip
