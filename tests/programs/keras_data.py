"""Keras's functions that make and take datasets."""

from programs.keras_layers import numbers
from programs.program import caught


def elements(np, dataset):
    return [
        tuple(np.round(np.asarray(part, "float64"), 3) for part in e)
        if isinstance(e, tuple) else np.asarray(e)
        for e in dataset
    ]  # fmt: skip


def series(tf, np):
    tf.keras.utils.set_random_seed(1)
    make, x = tf.keras.utils.timeseries_dataset_from_array, np.arange(12.0)
    return [
        elements(np, make(x, x[3:], 3, batch_size=4)),
        elements(np, make(x, x, 3, batch_size=4, shuffle=True, seed=3)),
        elements(np, make(x, None, 4, sequence_stride=2, sampling_rate=2)),
    ]


def splits(tf, np):
    tf.keras.utils.set_random_seed(2)
    split, data, found = tf.keras.utils.split_dataset, tf.data.Dataset, []
    pairs = data.from_tensor_slices((np.arange(10.0), np.arange(10) % 2))
    shuffled = pairs.shuffle(10, seed=3).map(lambda x, y: x)
    for dataset in (data.range(10), pairs, pairs.batch(3), shuffled):
        for settings in ({}, {"shuffle": True, "seed": 4}):
            parts = split(dataset, left_size=0.7, **settings)
            found.append([[elements(np, part), part.cardinality()] for part in parts])
    wrong = [caught(lambda k=k: split(data.range(10), **k)).name for k in ({}, {"left_size": 2.0})]
    return found, wrong


def pictures_are_changed_in_datasets(tf, np):
    tf.keras.utils.set_random_seed(3)
    layers, x = tf.keras.layers, np.abs(numbers(np, 4, 6, 6, 3))
    change = tf.keras.Sequential([layers.RandomFlip("horizontal"), layers.RandomRotation(0.1)])
    brighter = tf.keras.Sequential([layers.RandomContrast(0.2), layers.Resizing(3, 3)])
    batches = tf.data.Dataset.from_tensor_slices(x).batch(2)
    found = [batches.map(change), batches.map(lambda p: brighter(p, training=True))]
    return [[np.round(np.asarray(e), 2) + 0.0 for e in dataset] for dataset in found]


def words(tf, np):
    texts = tf.data.Dataset.from_tensor_slices(["a good film", "a bad, bad film", "the film"])
    layer = tf.keras.layers.TextVectorization(max_tokens=6, output_sequence_length=4)
    layer.adapt(texts.batch(2))
    lookup = tf.keras.layers.StringLookup(vocabulary=["a", "b"])
    norm = tf.keras.layers.Normalization()
    norm.adapt(tf.data.Dataset.from_tensor_slices(np.arange(12.0).reshape(4, 3)).batch(2))
    return (
        layer.get_vocabulary(), list(texts.map(layer)), lookup(tf.constant(["a", "c"])),
        np.round(np.asarray(norm(np.ones((1, 3)))), 4),
    )  # fmt: skip


def tensors_of_texts(tf, np):
    layers = tf.keras.layers
    words = layers.TextVectorization(max_tokens=10, output_sequence_length=3)
    words.adapt(["a b c", "b d"])
    model = tf.keras.Sequential([
        words, layers.Embedding(11, 2, embeddings_initializer="ones"),
        layers.GlobalAveragePooling1D(),
    ])  # fmt: skip
    texts = tf.constant(["a b", "c"])
    found = model.predict(texts, verbose=0)
    model.compile("sgd", "mse")
    model.fit(texts, np.ones((2, 2), "float32"), verbose=0)
    return found, model.evaluate(texts, np.ones((2, 2), "float32"), verbose=0)
