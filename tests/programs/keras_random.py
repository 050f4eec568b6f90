"""Random numbers in Keras: initializers, layers, and the order in which `fit` takes arrays."""

import random

from programs.keras_layers import numbers

INITIALIZERS = (
    "GlorotNormal", "GlorotUniform", "HeNormal", "HeUniform", "LecunNormal", "LecunUniform",
    "Orthogonal", "RandomNormal", "RandomUniform", "TruncatedNormal", "VarianceScaling",
)  # fmt: skip


def rounded(np, x):
    return np.round(np.asarray(x, "float64"), 4) + 0.0


def initial_values(tf, np):
    tf.keras.utils.set_random_seed(7)
    made = [getattr(tf.keras.initializers, name) for name in INITIALIZERS]
    found = [(rounded(np, kind()((4, 5))), rounded(np, kind(seed=3)((2, 3)))) for kind in made]
    generator = tf.keras.random.SeedGenerator(11)
    drawn = [rounded(np, made[0](seed=generator)((3,) * 2)) for _ in range(2)]
    return found, drawn, generator.state.dtype, generator.state.numpy(), random.random()


def draws(tf, np):
    tf.keras.utils.set_random_seed(8)
    draw, ones = tf.keras.random, np.ones((4, 5), "float32")
    odds = np.log(np.array([[0.1, 0.2, 0.7], [0.3, 0.3, 0.4]], "float32"))
    found = []
    for seed in (None, 5, draw.SeedGenerator(3)):
        found += [
            rounded(np, x)
            for x in (
                draw.normal((3,), seed=seed),
                draw.normal((2, 3), mean=2.0, stddev=0.5, dtype="float64", seed=seed),
                draw.uniform((3,), -1, 2, seed=seed),
                draw.truncated_normal((4,), seed=seed),
                draw.randint((5,), 0, 10, seed=seed),
                draw.randint((5,), -3, 3, dtype="int8", seed=seed),
                draw.shuffle(np.arange(10), seed=seed),
                draw.shuffle(numbers(np, 3, 4), axis=1, seed=seed),
                draw.categorical(odds, 5, seed=seed),
                draw.dropout(ones, 0.4, seed=seed),
                draw.dropout(ones, 0.4, noise_shape=(4, None), seed=seed),
                draw.dropout(ones, 0.0, seed=seed),
                draw.dropout(ones, 1.0, seed=seed),
            )
        ]
    return found


def draws_in_functions(tf, np):
    tf.keras.utils.set_random_seed(9)
    generator = tf.keras.random.SeedGenerator(3)

    @tf.function
    def drawn(x):
        return tf.keras.random.normal(tf.shape(x), seed=generator) + x

    found = [rounded(np, drawn(tf.zeros([2, 2]))) for _ in range(3)]
    return found, rounded(np, tf.keras.random.normal((2,), seed=generator)), generator.state.numpy()


def layers_in_training(tf, np):
    tf.keras.utils.set_random_seed(10)
    made, x = tf.keras.layers, numbers(np, 3, 8, 4)
    pictures = np.arange(2 * 4 * 4 * 3.0, dtype="float32").reshape(2, 4, 4, 3)
    found = [
        rounded(np, layer(x, training=True))
        for layer in (
            made.Dropout(0.3), made.SpatialDropout1D(0.5), made.GaussianNoise(0.2),
            made.GaussianDropout(0.4), made.AlphaDropout(0.3), made.LSTM(3, dropout=0.2),
            made.GRU(3, recurrent_dropout=0.2),
        )
    ]  # fmt: skip
    attention = made.MultiHeadAttention(2, 3, dropout=0.1)
    found.append(rounded(np, attention(x, x, training=True)))
    for layer in (made.RandomFlip(), made.RandomRotation(0.2), made.RandomCrop(2, 2),
                  made.RandomTranslation(0.3, 0.2), made.RandomZoom(0.2)):  # fmt: skip
        found.append(np.round(np.asarray(layer(pictures, training=True)), 2) + 0.0)
    return found


def trained_models(tf, np):
    layers, found = tf.keras.layers, []
    x, y = numbers(np, 50, 4), np.arange(50) % 3
    for shuffle in (True, "batch", False):
        tf.keras.utils.set_random_seed(11)
        model = tf.keras.Sequential(
            [tf.keras.Input((4,)), layers.Dense(8, "relu"), layers.Dropout(0.5), layers.Dense(3)]
        )
        model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
        for size in (16, 7):
            settings = {"batch_size": size, "verbose": 0, "validation_split": 0.2}
            history = model.fit(x, y, epochs=2, shuffle=shuffle, **settings).history
            found.append({key: rounded(np, values) for key, values in history.items()})
        found.append([rounded(np, model.predict(x[:2], verbose=0)), np.random.rand()])
    return found
