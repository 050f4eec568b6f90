"""Keras layers: values, gradients, states and masks; the weights come from NumPy."""


def numbers(np, *shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


def weighted(np, model, scale=0.3):
    """Gives a model or layer weights that are the same everywhere."""
    rng = np.random.default_rng(1)
    weights = []
    for value in model.get_weights():
        if value.ndim > 1:
            value = (rng.normal(size=value.shape) * scale).astype(value.dtype)
        weights.append(value)
    model.set_weights(weights)
    return model


def summary(np, x):
    """A few numbers that tell whether two arrays are the same."""
    x = np.array(x, np.float64)
    spread = np.cos(np.arange(x.size)).reshape(x.shape)
    return [list(x.shape), round(float(x.sum()), 4), round(float((x * spread).sum()), 4)]


def outcome(tf, np, layer, *inputs, **kwargs):
    """What a layer gives, and its gradients; all in a few numbers."""
    inputs = [tf.constant(x) for x in inputs]
    given = inputs[0] if len(inputs) == 1 else inputs
    layer(given, **kwargs)
    weighted(np, layer)
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        y = layer(given, **kwargs)
        loss = tf.reduce_sum(tf.sin(y))
    sources = [*layer.trainable_variables, *inputs]
    gradients = tape.gradient(loss, sources)
    return [
        isinstance(y, tf.Tensor), y.dtype, summary(np, y),
        [None if g is None else summary(np, tf.convert_to_tensor(g)) for g in gradients],
    ]  # fmt: skip


def dense(tf, np):
    layers, x = tf.keras.layers, numbers(np, 4, 5)
    found = {}
    for activation in (None, "relu", "tanh", "sigmoid", "softmax", "gelu", "selu", "swish"):
        found[str(activation)] = outcome(tf, np, layers.Dense(3, activation=activation), x)
    found["no bias"] = outcome(tf, np, layers.Dense(3, use_bias=False), x)
    found["three axes"] = outcome(tf, np, layers.Dense(3), numbers(np, 2, 3, 4))
    found["einsum"] = outcome(tf, np, layers.EinsumDense("ab,bc->ac", 3, bias_axes="c"), x)
    return found


def convolutions(tf, np):
    layers = tf.keras.layers
    image, row = numbers(np, 2, 7, 6, 3), numbers(np, 2, 9, 3)
    made = [
        layers.Conv2D(4, 3), layers.Conv2D(4, (3, 2), padding="same", activation="relu"),
        layers.Conv2D(4, 3, strides=2, padding="same"), layers.Conv2D(2, 2, dilation_rate=2),
        layers.Conv2D(6, 3, groups=3, use_bias=False),
        layers.Conv2DTranspose(2, 3, strides=2, padding="same"), layers.Conv2DTranspose(2, 3),
        layers.DepthwiseConv2D(3, depth_multiplier=2), layers.SeparableConv2D(4, 3),
    ]  # fmt: skip
    found = [outcome(tf, np, layer, image) for layer in made]
    made = [layers.Conv1D(4, 3, padding="causal"), layers.Conv1DTranspose(2, 3, strides=2),
            layers.SeparableConv1D(2, 3), layers.DepthwiseConv1D(2)]  # fmt: skip
    found += [outcome(tf, np, layer, row) for layer in made]
    return [*found, outcome(tf, np, layers.Conv3D(2, 2), numbers(np, 1, 4, 4, 4, 2))]


def pooling(tf, np):
    layers = tf.keras.layers
    image, row = numbers(np, 2, 7, 6, 3), numbers(np, 2, 9, 3)
    found = [outcome(tf, np, layer, image) for layer in (
        layers.MaxPooling2D(), layers.MaxPooling2D(3, strides=1, padding="same"),
        layers.AveragePooling2D(2, padding="same"), layers.AveragePooling2D(3),
        layers.GlobalAveragePooling2D(), layers.GlobalMaxPooling2D(keepdims=True),
    )]  # fmt: skip
    return found + [outcome(tf, np, layer, row) for layer in (
        layers.MaxPooling1D(3), layers.AveragePooling1D(2), layers.GlobalMaxPooling1D(),
        layers.GlobalAveragePooling1D(),
    )]  # fmt: skip


def shapes(tf, np):
    layers, x = tf.keras.layers, numbers(np, 2, 6, 4)
    image = numbers(np, 1, 4, 4, 2)
    found = [outcome(tf, np, layer, x) for layer in (
        layers.Flatten(), layers.Reshape((3, 8)), layers.Reshape((-1, 2)), layers.Permute((2, 1)),
        layers.Cropping1D(1), layers.UpSampling1D(2), layers.ZeroPadding1D((1, 2)),
        layers.Rescaling(2.0, offset=1.0), layers.Activation("softplus"),
        layers.Lambda(lambda t: tf.square(t) + 1.0), layers.Identity(),
    )]  # fmt: skip
    found += [outcome(tf, np, layer, image) for layer in (
        layers.UpSampling2D(2), layers.UpSampling2D(2, interpolation="bilinear"),
        layers.ZeroPadding2D(1), layers.Cropping2D(1), layers.Resizing(3, 5),
        layers.CenterCrop(2, 2),
    )]  # fmt: skip
    return [*found, outcome(tf, np, layers.RepeatVector(3), numbers(np, 2, 4))]


def merging(tf, np):
    layers, a, b = tf.keras.layers, numbers(np, 2, 3, 4), numbers(np, 2, 3, 4, seed=1)
    return [outcome(tf, np, layer, a, b) for layer in (
        layers.Add(), layers.Subtract(), layers.Multiply(), layers.Average(), layers.Maximum(),
        layers.Minimum(), layers.Concatenate(), layers.Concatenate(axis=1), layers.Dot(axes=2),
        layers.Dot(axes=2, normalize=True),
    )]  # fmt: skip


def normalization(tf, np):
    layers, x = tf.keras.layers, numbers(np, 4, 3, 6)
    return [outcome(tf, np, layer, x) for layer in (
        layers.LayerNormalization(), layers.LayerNormalization(axis=[1, 2], epsilon=1e-3),
        layers.GroupNormalization(2), layers.UnitNormalization(), layers.RMSNormalization(),
        layers.BatchNormalization(), layers.SpectralNormalization(layers.Dense(2)),
    )]  # fmt: skip


def batch_normalization(tf, np):
    layer, x = tf.keras.layers.BatchNormalization(momentum=0.8), numbers(np, 8, 3)
    found = [outcome(tf, np, layer, x, training=True)]
    found.append([summary(np, v) for v in layer.non_trainable_variables])
    found.append(outcome(tf, np, layer, x, training=False))
    step = tf.function(lambda x: layer(x, training=True))
    for _ in range(3):
        y = step(tf.constant(x) + 1.0)
    found += [y, layer.moving_mean.numpy(), layer.moving_variance.numpy()]
    layer.trainable = False
    found += [layer(x, training=True), layer.moving_mean.numpy(), len(layer.trainable_variables)]
    return found


def statistics_of_data(tf, np):
    layer, x = tf.keras.layers.Normalization(), numbers(np, 16, 3) * 3.0 + 1.0
    layer.adapt(x)
    return layer(x[:2]), layer.mean, layer.variance


def activations(tf, np):
    layers, x = tf.keras.layers, numbers(np, 3, 5) * 2.0
    found = [outcome(tf, np, layer, x) for layer in (
        layers.ReLU(), layers.ReLU(max_value=1.0, negative_slope=0.1), layers.LeakyReLU(0.2),
        layers.ELU(), layers.PReLU(), layers.Softmax(axis=0),
    )]  # fmt: skip
    functions = [
        "elu",
        "exponential",
        "gelu",
        "hard_sigmoid",
        "leaky_relu",
        "linear",
        "log_softmax",
        "mish",
        "relu",
        "relu6",
        "selu",
        "sigmoid",
        "silu",
        "softmax",
        "softplus",
        "softsign",
        "swish",
        "tanh",
    ]
    given = tf.constant(x)
    return found, {name: getattr(tf.keras.activations, name)(given) for name in functions}


def recurrent(tf, np):
    layers, x = tf.keras.layers, numbers(np, 3, 5, 4)
    return [outcome(tf, np, layer, x) for layer in (
        layers.LSTM(3), layers.LSTM(3, return_sequences=True), layers.LSTM(3, unroll=True),
        layers.GRU(3), layers.GRU(3, reset_after=False, go_backwards=True),
        layers.SimpleRNN(3, return_sequences=True), layers.RNN(layers.LSTMCell(2)),
        layers.RNN([layers.GRUCell(2), layers.SimpleRNNCell(3)]),
        layers.Bidirectional(layers.LSTM(2, return_sequences=True)),
        layers.Bidirectional(layers.GRU(2), merge_mode="sum"),
        layers.TimeDistributed(layers.Dense(2)),
    )]  # fmt: skip


def recurrent_states(tf, np):
    layers, x = tf.keras.layers, tf.constant(numbers(np, 2, 4, 3))
    lstm = layers.LSTM(2, return_state=True, return_sequences=True)
    lstm(x)
    weighted(np, lstm)
    whole, h, c = lstm(x)
    again = lstm(x, initial_state=[h, c])
    kept = layers.GRU(2, stateful=True)
    kept(x)
    weighted(np, kept)
    kept.reset_states()
    first, second = kept(x), kept(x)
    kept.reset_states()
    return whole, h, c, again, first, second, kept(x)


def convolutional_recurrent(tf, np):
    return outcome(tf, np, tf.keras.layers.ConvLSTM2D(2, 2), numbers(np, 1, 3, 4, 4, 1))


def masks(tf, np):
    layers = tf.keras.layers
    words = tf.constant([[1, 2, 0, 0], [3, 1, 2, 0]])
    embedding = layers.Embedding(5, 3, mask_zero=True)
    embedded = embedding(words)
    weighted(np, embedding)
    embedded = embedding(words)
    found = [embedding.compute_mask(words), embedded]
    for layer in (layers.LSTM(2), layers.GRU(2, return_sequences=True),
                  layers.GlobalAveragePooling1D()):  # fmt: skip
        layer(embedded)
        weighted(np, layer)
        found += [layer(embedding(words)), layer(embedded, mask=embedding.compute_mask(words))]
    x = numbers(np, 2, 3, 2) * np.array([1, 0, 1], "float32")[:, None]
    masking = layers.Masking(0.0)
    return [*found, masking(x), masking.compute_mask(x)]


def embeddings(tf, np):
    layer, words = tf.keras.layers.Embedding(6, 3), tf.constant([[1, 2], [2, 5]])
    layer(words)
    weighted(np, layer)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.square(layer(words)))
    gradient = tape.gradient(loss, layer.embeddings)
    return loss, type(gradient).__name__, tf.convert_to_tensor(gradient), layer(np.array([[1.0]]))


def attention(tf, np):
    layers, q, v = tf.keras.layers, numbers(np, 2, 3, 4), numbers(np, 2, 5, 4, seed=2)
    mha = layers.MultiHeadAttention(2, 3)
    mha(q, v)
    weighted(np, mha)
    y, scores = mha(q, v, return_attention_scores=True)
    causal = mha(q, q, use_causal_mask=True)
    masked = mha(q, v, attention_mask=np.arange(30).reshape(2, 3, 5) % 3 > 0)
    simple = layers.Attention()([q, v])
    additive = layers.AdditiveAttention(use_scale=False)([q, v])
    grouped = layers.GroupQueryAttention(2, 2, 1)
    grouped(q, v)
    weighted(np, grouped)
    return [summary(np, t) for t in (y, scores, causal, masked, simple, additive, grouped(q, v))]


def dropout(tf, np):
    layers, x = tf.keras.layers, np.ones((200, 50), "float32")
    found = []
    for layer in (layers.Dropout(0.25, seed=1), layers.SpatialDropout1D(0.5, seed=1),
                  layers.GaussianDropout(0.2, seed=1), layers.GaussianNoise(0.5, seed=1),
                  layers.AlphaDropout(0.1, seed=1)):  # fmt: skip
        given = x[None] if "Spatial" in type(layer).__name__ else x
        y = layer(given, training=True).numpy()
        again = layer(given, training=True).numpy()
        idle = layer(given, training=False).numpy()
        found.append([round(float(y.mean()), 0), bool((y != again).any()), bool((idle == 1).all())])
    drop = layers.Dropout(0.25, seed=3)
    step = tf.function(lambda: drop(x, training=True))
    a, b = step().numpy(), step().numpy()
    with tf.GradientTape() as tape:
        given = tf.constant(x)
        tape.watch(given)
        y = drop(given, training=True)
    g = tape.gradient(y, given).numpy()
    values = sorted({round(float(value), 4) for value in a.ravel()})
    return found, values, bool((a != b).any()), bool((g == y.numpy()).all())


def a_seed_gives_the_same_again(tf, np):
    tf.keras.utils.set_random_seed(3)
    a = tf.keras.layers.Dense(4)(np.ones((2, 3), "float32")).numpy()
    b = tf.keras.layers.Dense(4)(np.ones((2, 3), "float32")).numpy()
    tf.keras.utils.set_random_seed(3)
    c = tf.keras.layers.Dense(4)(np.ones((2, 3), "float32")).numpy()
    drops = [tf.keras.layers.Dropout(0.5, seed=7)(np.ones((4, 4)), training=True) for _ in "ab"]
    return bool((a == c).all()), bool((a == b).all()), bool((drops[0] == drops[1]).numpy().all())


def initializers(tf, np):
    made = tf.keras.initializers
    found = {}
    for name in ("Zeros", "Ones", "GlorotUniform", "GlorotNormal", "HeNormal", "HeUniform",
                 "LecunNormal", "LecunUniform", "RandomNormal", "RandomUniform",
                 "TruncatedNormal", "VarianceScaling", "Orthogonal"):  # fmt: skip
        value = getattr(made, name)()((60, 80))
        x = value.numpy()
        found[name] = [isinstance(value, tf.Tensor), value.dtype, value.shape,
                       round(float(x.mean()), 1), round(float(x.std()), 2)]  # fmt: skip
    found["Identity"] = made.Identity(2.0)((2, 3))
    found["Constant"] = made.Constant(3.0)((2,), dtype="float64")
    found["get"] = type(made.get("he_normal")).__name__, made.get("zeros")((2,))
    q = made.Orthogonal()((4, 4)).numpy()
    found["orthogonal"] = bool(np.allclose(q @ q.T, np.eye(4), atol=1e-5))
    return found


def with_variables_of_ours(tf, np):
    class Scaled(tf.keras.layers.Layer):
        def __init__(self):
            super().__init__()
            self.scale = tf.Variable(2.0, name="scale")
            self.kept = tf.Variable([1.0, 1.0], trainable=False)

        def build(self, shape):
            self.kernel = self.add_weight(shape=(shape[-1], 2), initializer="ones", name="kernel")
            self.count = self.add_weight(shape=(), dtype="int32", trainable=False)

        def call(self, x):
            self.count.assign_add(1)
            return tf.matmul(x, self.kernel) * self.scale + self.kept

    layer, x = Scaled(), tf.constant(numbers(np, 2, 3))
    with tf.GradientTape() as tape:
        y = layer(x)
    sources = [layer.scale, layer.kernel]
    step = tf.function(layer)
    return y, tape.gradient(y, sources), step(x), step(x), layer.count.numpy()
