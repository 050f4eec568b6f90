"""Models, training and reshaping in functions whose sizes are not known."""

from programs.functions import kind_of_error


def keras_models(tf, np):
    layers = tf.keras.layers

    def models():
        i = tf.keras.Input((4, 3))
        yield tf.keras.Model(i, layers.LSTM(3)(i)), (4, 3)
        i = tf.keras.Input((4, 3))
        yield tf.keras.Model(i, layers.MultiHeadAttention(2, 3)(i, i)), (4, 3)
        i = tf.keras.Input((4, 3))
        yield (
            tf.keras.Model(i, layers.Dense(2)(layers.Flatten()(layers.LayerNormalization()(i)))),
            (4, 3),
        )

    found = []
    for model, shape in models():

        @tf.function(input_signature=[tf.TensorSpec([None, *shape])])
        def f(x, model=model):
            with tf.GradientTape() as tape:
                y = model(x)
                loss = tf.reduce_mean(y**2)
            return y, [g.shape for g in tape.gradient(loss, model.trainable_variables)] and loss

        for n in (1, 3, 2):
            found.append(
                kind_of_error(lambda f=f, n=n, shape=shape: str(f(tf.ones([n, *shape]))[0].shape))
            )
    return found


def retracing_reduced_for_several(tf, np):
    seen = []

    @tf.function(reduce_retracing=True)
    def f(x, parts):
        seen.append([str(t.shape) for t in (x, parts["a"], x + 1.0, tf.concat([x, x], 0))])
        return x * 2.0

    results = [f(tf.ones([n, 2]), {"a": tf.ones(k)}) for n, k in ((2, 3), (3, 3), (4, 5))]
    return results, seen[:2]


def retracing_reduced(tf, np):
    seen = []

    @tf.function(reduce_retracing=True)
    def f(x):
        seen.append(str(x.shape))
        return x * 2.0

    out = [f(tf.ones([n])) for n in (2, 3, 4)]
    return out, seen[:2]


def training_steps(tf, np):
    v = tf.Variable([[1.0], [2.0]])
    opt = tf.keras.optimizers.Adam(0.1)

    @tf.function(input_signature=[tf.TensorSpec([None, 2]), tf.TensorSpec([None, 1])])
    def step(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((x @ v - y) ** 2) / tf.cast(tf.shape(x)[0], tf.float32)
        opt.apply_gradients([(tape.gradient(loss, v), v)])
        return loss

    return [step(tf.ones([n, 2]), tf.zeros([n, 1])) for n in (2, 3, 2, 3, 4)], v.numpy()


def libraries(tf, np):
    @tf.function(input_signature=[tf.TensorSpec([None, None, 3]), tf.TensorSpec([None], tf.int32)])
    def f(x, lengths):
        batch = x.shape[0] or tf.shape(x)[0]
        time = x.shape[1] if x.shape[1] is not None else tf.shape(x)[1]
        mask = tf.sequence_mask(lengths, time)
        flat = tf.reshape(x, [batch * time, 3])
        back = tf.reshape(flat, [batch, time, 3])
        return (
            back * tf.cast(mask, tf.float32)[..., None],
            tf.nn.softmax(flat),
            tf.image.resize(x[None], [2, 2]),
        )

    return [
        [t.numpy() for t in f(tf.ones([a, b, 3]), tf.range(a))] for a, b in ((2, 3), (1, 4), (3, 3))
    ]
