"""`batch_jacobian(check=True)`: rows that mix are found, with the op and the line."""

import numpy as np
import pytest

import tapefacade as tf

BATCH = 6
rng = np.random.default_rng(0)


def rows(*shape):
    return tf.constant(rng.normal(size=(BATCH, *shape)).astype(np.float32))


def jacobian(function, x, check):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.batch_jacobian(y, x, check=check)


def line_of(function, mark):
    first = function.__code__.co_firstlineno
    with open(function.__code__.co_filename, encoding="utf-8") as file:
        lines = file.read().splitlines()
    return next(n for n in range(first, len(lines) + 1) if lines[n - 1].endswith(mark))


W = rng.normal(size=(4, 4)).astype(np.float32)
DENSE = tf.keras.Sequential(
    [tf.keras.Input((3, 4)), tf.keras.layers.Dense(5, "gelu"), tf.keras.layers.LayerNormalization(),
     tf.keras.layers.Flatten(), tf.keras.layers.Dense(2, "softmax")]
)  # fmt: skip
CONVOLUTION = tf.keras.Sequential(
    [tf.keras.Input((8, 8, 1)), tf.keras.layers.Conv2D(3, 3, 2, "same", activation="relu"),
     tf.keras.layers.MaxPooling2D(), tf.keras.layers.GlobalAveragePooling2D(),
     tf.keras.layers.Dense(2)]
)  # fmt: skip
RECURRENT = tf.keras.Sequential([tf.keras.Input((5, 2)), tf.keras.layers.LSTM(3)])
NORMALIZED = tf.keras.Sequential(
    [tf.keras.Input((4,)), tf.keras.layers.Dense(3), tf.keras.layers.BatchNormalization()]
)


@tf.custom_gradient
def by_hand(x):
    return x * 2.0, lambda upstream: upstream * 2.0


def attention(x):
    scores = tf.einsum("bik,bjk->bij", x, x)
    return tf.einsum("bij,bjk->bik", tf.nn.softmax(scores), x)


def second_order(x):
    with tf.GradientTape() as inner:
        inner.watch(x)
        y = tf.reduce_sum(tf.sin(x @ W) ** 3)
    return inner.gradient(y, x)


SEPARATE = {
    "elementwise": ((4,), lambda x: tf.sin(x) * x + tf.maximum(x, 0.0)),
    "matmul": ((4,), lambda x: tf.tanh(x @ W)),
    "matmul of more axes": ((3, 4), lambda x: tf.tanh(x @ W)),
    "matmul from the left": ((4, 3), lambda x: tf.matmul(W, x)),
    "attention": ((3, 4), attention),
    "reductions": (
        (3, 4),
        lambda x: x / tf.norm(x, axis=[1, 2], keepdims=True) - tf.reduce_max(x, 1, True),
    ),
    "reshapes": ((3, 4), lambda x: tf.reshape(tf.reshape(x, [-1, 4]) @ W, [BATCH, 2, 6])),
    "transposed twice": (
        (3, 4),
        lambda x: tf.transpose(tf.cumsum(tf.transpose(x, [1, 0, 2])), [1, 0, 2]),
    ),
    "matrices": ((3, 3), lambda x: tf.linalg.solve(x @ tf.transpose(x, [0, 2, 1]) + tf.eye(3), x)),
    "cholesky": ((3, 3), lambda x: tf.linalg.cholesky(x @ tf.transpose(x, [0, 2, 1]) + tf.eye(3))),
    "slices": ((5,), lambda x: tf.concat([x[:, 1:3], x[:, ::2]], 1)),
    "gather along": ((5,), lambda x: tf.gather(x, [0, 2, 2], axis=1)),
    "gather in batches": ((5,), lambda x: tf.gather(x, tf.argsort(x, 1), axis=1, batch_dims=1)),
    "sort": ((5,), lambda x: tf.sort(x, axis=1)),
    "top_k": ((5,), lambda x: tf.math.top_k(x, 2).values),
    "fourier": ((8,), lambda x: tf.math.real(tf.signal.rfft(x))),
    "map_fn": ((4,), lambda x: tf.map_fn(lambda row: tf.reduce_sum(row) * row, x)),
    "vectorized_map": ((4,), lambda x: tf.vectorized_map(lambda row: tf.reduce_sum(row) * row, x)),
    "loop": (
        (4,),
        lambda x: tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, tf.sin(y) @ W), (0, x))[1],
    ),
    "scan over time": (
        (3, 4),
        lambda x: tf.transpose(tf.scan(lambda s, t: s * t, tf.transpose(x, [1, 0, 2])), [1, 0, 2]),
    ),
    "branch": ((4,), lambda x: tf.cond(tf.constant(True), lambda: x * 2.0, lambda: tf.sin(x))),
    "second order": ((4,), second_order),
    "mixed without a gradient": ((4,), lambda x: x - tf.stop_gradient(tf.reduce_mean(x, 0))),
    "mixed but not used": ((4,), lambda x: (tf.reduce_sum(x), x * 2.0)[1]),
    "dense layers": ((3, 4), lambda x: DENSE(x)),
    "convolutions": ((8, 8, 1), lambda x: CONVOLUTION(x)),
    "recurrent": ((5, 2), lambda x: RECURRENT(x)),
    "batch normalization in use": ((4,), lambda x: NORMALIZED(x, training=False)),
}


@pytest.mark.parametrize("name", SEPARATE)
def test_what_does_not_mix_rows_is_proved(name):
    shape, function = SEPARATE[name]
    x = rows(*shape)
    found, plain = jacobian(function, x, True), jacobian(function, x, False)
    np.testing.assert_array_equal(found, plain)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    full = tape.jacobian(y, x).numpy()
    rest = full.reshape(BATCH, y.numpy()[0].size, BATCH, x.numpy()[0].size)
    for i in range(BATCH):
        rest[i, :, i] = 0.0
    assert not rest.any()  # so the proof is right


def regrouped(x):
    pairs = tf.reshape(x, [2, 3, 4])
    return tf.reshape(tf.reduce_sum(pairs, 1, True) + pairs, [BATCH, 4])


def looped(x):
    def body(i, y):
        return i + 1, y * tf.reduce_sum(y)

    return tf.while_loop(lambda i, y: i < 2, body, (0, x))[1]


MIXED = {
    "mean over rows": (lambda x: x - tf.reduce_mean(x, 0), "tf.math.reduce_mean"),
    "sum of all": (lambda x: x * tf.reduce_sum(x), "tf.math.reduce_sum"),
    "product of rows": (lambda x: tf.matmul(x, x, transpose_b=True), "tf.linalg.matmul"),
    "reversed": (lambda x: x[::-1] * x, ""),
    "rolled": (lambda x: tf.roll(x, 1, 0), "tf.roll"),
    "shifted": (lambda x: tf.concat([x[1:], x[:1]], 0), ""),
    "cumulative": (lambda x: tf.cumsum(x, 0), "tf.math.cumsum"),
    "sorted": (lambda x: tf.sort(x, 0), "tf.sort"),
    "softmax": (lambda x: tf.nn.softmax(x, 0), "tf.nn.softmax"),
    "scan": (lambda x: tf.scan(lambda s, row: s + row, x), "tf.scan"),
    "regrouped": (regrouped, ""),
    "batch normalization": (lambda x: NORMALIZED(x, training=True), ""),
    "within a loop": (looped, "tf.while_loop"),
}


@pytest.mark.parametrize("name", MIXED)
def test_what_mixes_rows_is_named_with_its_line(name):
    function, op = MIXED[name]
    with pytest.raises(ValueError, match=r"batch_jacobian\(check=True\): .*") as caught:
        jacobian(function, rows(4), True)
    assert f"by {op}" in str(caught.value)
    assert "test_batch_jacobian_check.py:" in str(caught.value)
    assert jacobian(function, rows(4), False) is not None


def test_the_line_is_that_of_the_first_op_that_mixes():
    def normalized(x):
        y = tf.sin(x)
        mean = tf.reduce_mean(y, axis=0)  # mixes
        y = tf.exp(y - mean)
        return y / tf.reduce_sum(y, axis=0)

    with pytest.raises(ValueError, match=r"rows are mixed by tf\.math\.reduce_mean") as caught:
        jacobian(normalized, rows(4), True)
    assert f"test_batch_jacobian_check.py:{line_of(normalized, '# mixes')}  mean =" in str(
        caught.value
    )
    assert "Use tape.jacobian" in str(caught.value)


def test_what_is_not_known_is_not_proved():
    for function in (by_hand, lambda x: tf.gather(x, tf.range(BATCH))):
        with pytest.raises(ValueError, match="it is not proved that rows are not mixed by"):
            jacobian(function, rows(4), True)


def test_examples_along_another_axis():
    square = tf.constant(rng.normal(size=(BATCH, BATCH)).astype(np.float32))
    with pytest.raises(ValueError, match="not along its first axis: its axis 1 has them"):
        jacobian(tf.transpose, square, True)


def test_in_functions_persistent_and_of_one_example():
    x = rows(4)

    @tf.function
    def inside(x):
        return jacobian(tf.sin, x, True)

    np.testing.assert_allclose(inside(x), jacobian(tf.sin, x, False))
    with pytest.raises(ValueError, match="rows are mixed"):
        tf.function(lambda x: jacobian(lambda y: tf.cumsum(y, 0), x, True))(x)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x - tf.reduce_mean(x, 0)
        z = x * 2.0
    with pytest.raises(ValueError, match="rows are mixed"):
        tape.batch_jacobian(y, x, check=True)
    assert tape.batch_jacobian(z, x, check=True).shape == (BATCH, 4, 4)
    one = tf.ones([1, 3])
    assert jacobian(lambda x: x - tf.reduce_mean(x), one, True).shape == (1, 3, 3)
    other = tf.Variable(tf.ones([BATCH, 2]))
    with tf.GradientTape() as tape:
        y = tf.ones([BATCH, 2])
    assert not tape.batch_jacobian(y, other, check=True).numpy().any()
