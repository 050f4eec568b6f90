"""Convolutions in the forms that are best on a CPU: they give what XLA's own form gives."""

import itertools

import jax
import numpy as np
import pytest

import tapefacade as tf
from tapefacade._keras.backend import best_forms
from tapefacade._ops.nn import convolution, convolution_forms, convolution_transposed
from tapefacade._trace.body_depth import BODIES_TRACED


@pytest.fixture
def forms(monkeypatch):
    """Lists the calls of other forms that have given a result."""
    found = []

    def counted(function):
        def call(*args):
            result = function(*args)
            if result is not None:
                found.append(function.__name__)
            return result

        return call

    for module in (convolution, convolution_transposed, best_forms):
        for name in ("in_other_form", "transposed_in_other_form"):
            if hasattr(module, name):
                monkeypatch.setattr(module, name, counted(getattr(convolution_forms, name)))
    return found


def derivatives(function, arrays):
    """Returns the result, its gradients, and gradients of these, of one compiled program."""

    def loss(*given):
        return (function(*given) ** 3).sum()

    def slope(*given):
        return sum((g**2).sum() for g in jax.grad(loss, (0, 1))(*given))

    @jax.jit
    def every(*given):
        return function(*given), *jax.grad(loss, (0, 1))(*given), *jax.grad(slope, (0, 1))(*given)

    with jax.enable_x64(True):
        return every(*arrays)


def assert_alike(found, wanted, rtol=1e-9, atol=1e-9):
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_allclose(a, b, rtol=rtol, atol=atol)


def by_hand(x, filters, steps, pads, rates, groups):
    """Convolves with loops: channels last, any number of spatial axes."""
    spatial = x.ndim - 2
    x = np.pad(x, [(0, 0), *pads, (0, 0)])
    *window, inner, outer = filters.shape
    sizes = [
        (x.shape[1 + k] - (window[k] - 1) * rates[k] - 1) // steps[k] + 1 for k in range(spatial)
    ]
    y = np.zeros((len(x), *sizes, outer))
    for place in itertools.product(*map(range, sizes)):
        for pixel in itertools.product(*map(range, window)):
            at = tuple(p * s + i * r for p, s, i, r in zip(place, steps, pixel, rates, strict=True))
            for group in range(groups):
                own = slice(group * outer // groups, (group + 1) * outer // groups)
                part = x[(slice(None), *at, slice(group * inner, (group + 1) * inner))]
                y[(slice(None), *place, own)] += part @ filters[pixel][:, own]
    return y


CASES = [
    # input, filters, strides, padding, dilations, groups
    ((2, 5, 6, 4), (1, 1, 4, 3), (1, 1), "SAME", (1, 1), 1),
    ((2, 5, 6, 4), (1, 1, 4, 3), (2, 3), "VALID", (1, 1), 1),
    ((2, 5, 6, 4), (1, 1, 4, 3), (1, 1), ((1, 0), (0, 2)), (1, 1), 1),
    ((2, 5, 6, 4), (3, 2, 1, 4), (1, 1), "SAME", (1, 1), 4),
    ((2, 5, 6, 4), (3, 2, 1, 8), (2, 2), "SAME", (1, 1), 4),
    ((2, 7, 8, 4), (3, 3, 1, 4), (1, 1), "VALID", (2, 3), 4),
    ((2, 5, 6, 4), (3, 3, 1, 12), (1, 2), ((2, 0), (1, 1)), (1, 1), 4),
    ((2, 5, 6, 8), (3, 3, 4, 6), (1, 1), "SAME", (1, 1), 2),
    ((2, 7, 6, 8), (2, 3, 2, 8), (2, 1), "VALID", (1, 2), 4),
    ((3, 9, 6), (4, 1, 6), (2,), "SAME", (1,), 6),
    ((3, 9, 6), (3, 2, 6), (1,), "SAME", (2,), 3),
    ((2, 4, 3, 5, 4), (2, 2, 3, 2, 4), (1, 2, 1), "SAME", (1, 1, 1), 2),
    ((2, 4, 3, 5, 4), (1, 1, 1, 4, 2), (2, 2, 2), "SAME", (1, 1, 1), 1),
    ((2, 4, 3, 5, 4), (3, 2, 2, 4, 3), (1, 1, 1), "SAME", (1, 1, 1), 1),
    ((2, 7, 6, 5, 2), (2, 3, 2, 2, 3), (2, 1, 2), "VALID", (1, 2, 1), 1),
    ((2, 7, 6, 5, 2), (3, 2, 2, 2, 3), (3, 1, 1), ((1, 0), (0, 1), (2, 2)), (2, 1, 1), 1),
    ((2, 3, 2, 3, 40), (2, 2, 1, 5, 48), (1, 1, 1), "SAME", (1, 1, 1), 8),
]


@pytest.mark.parametrize(("shape", "filters", "steps", "padding", "rates", "groups"), CASES)
def test_form_is_the_convolution(shape, filters, steps, padding, rates, groups):
    rng = np.random.default_rng(5)
    x, w = rng.normal(size=shape), rng.normal(size=filters)
    with jax.enable_x64(True):
        found = convolution_forms.in_other_form(
            jax.numpy.array(x), jax.numpy.array(w), steps, padding, rates, groups
        )
    assert found is not None
    reach = [(n - 1) * rate + 1 for n, rate in zip(filters, rates, strict=False)]
    pads = padding
    if isinstance(padding, str):
        pads = jax.lax.padtype_to_pads(shape[1:-1], reach, steps, padding)
    np.testing.assert_allclose(found, by_hand(x, w, steps, pads, rates, groups), rtol=1e-12)


@pytest.mark.parametrize(
    ("shape", "filters", "steps", "padding", "groups"),
    [
        ((2, 5, 6, 4), (3, 3, 4, 3), (1, 1), "SAME", 1),  # XLA's own form is better
        ((0, 5, 6, 4), (1, 1, 4, 3), (1, 1), "SAME", 1),
        ((2, 2, 6, 4), (3, 3, 1, 4), (1, 1), "VALID", 4),  # nothing comes of it
    ],
)
def test_what_has_no_other_form(shape, filters, steps, padding, groups):
    x, w = jax.numpy.ones(shape), jax.numpy.ones(filters)
    assert convolution_forms.in_other_form(x, w, steps, padding, (1, 1), groups) is None


def test_other_platforms_and_halves_keep_their_form(monkeypatch):
    x, w = jax.numpy.ones((1, 4, 4, 2)), jax.numpy.ones((1, 1, 2, 2))
    half = jax.numpy.bfloat16
    arguments = (1, 1), "SAME", (1, 1), 1
    assert convolution_forms.in_other_form(x.astype(half), w.astype(half), *arguments) is None
    assert convolution_forms.in_other_form(x, w, *arguments) is not None
    monkeypatch.setattr(jax, "default_backend", lambda: "gpu")
    assert convolution_forms.in_other_form(x, w, *arguments) is None
    assert convolution_forms.transposed_in_other_form(x, w, (2, 2), (0, 0), (8, 8)) is None


@pytest.mark.parametrize("case", CASES)
def test_derivatives_are_those_of_xlas_form(case):
    shape, filters, steps, padding, rates, groups = case
    rng = np.random.default_rng(5)
    letters = "DHW"[5 - len(shape) :]

    def own(x, w):
        return jax.lax.conv_general_dilated(
            x, w, steps, padding, rhs_dilation=rates, feature_group_count=groups,
            dimension_numbers=(f"N{letters}C", f"{letters}IO", f"N{letters}C"),
        )  # fmt: skip

    def other(x, w):
        return convolution_forms.in_other_form(x, w, steps, padding, rates, groups)

    arrays = rng.normal(size=shape), rng.normal(size=filters)
    assert_alike(derivatives(other, arrays), derivatives(own, arrays))


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize(
    ("sizes", "window", "steps"),
    [
        ((7,), (3,), (2,)), ((6,), (4,), (2,)), ((5,), (2,), (3,)), ((9, 8), (5, 3), (4, 1)),
        ((8, 8), (2, 2), (2, 2)), ((6, 5), (1, 1), (2, 2)), ((4, 5, 6), (3, 2, 3), (2, 1, 2)),
    ],
)  # fmt: skip
def test_transposed_form(sizes, window, steps, padding):
    spatial = len(sizes)
    letters = "DHW"[3 - spatial :]
    pads = jax.lax.padtype_to_pads(sizes, window, steps, padding)

    def convolved(x, w):
        return jax.lax.conv_general_dilated(
            x, w, steps, padding,
            dimension_numbers=(f"N{letters}C", f"{letters}IO", f"N{letters}C"),
        )  # fmt: skip

    def own(y, w):
        of = jax.ShapeDtypeStruct((2, *sizes, 3), y.dtype)
        return jax.linear_transpose(lambda x: convolved(x, w), of)(y)[0]

    def other(y, w):
        before = [first for first, _ in pads]
        return convolution_forms.transposed_in_other_form(y, w, steps, before, sizes)

    rng = np.random.default_rng(5)
    w = rng.normal(size=(*window, 3, 4))
    small = jax.eval_shape(convolved, np.zeros((2, *sizes, 3)), w).shape
    arrays = rng.normal(size=small), w
    assert_alike(derivatives(other, arrays), derivatives(own, arrays))


def channels_first(tensor):
    axes = [0, len(tensor.shape) - 1, *range(1, len(tensor.shape) - 1)]
    return tf.transpose(tensor, axes)


@pytest.mark.parametrize(
    ("call", "shape", "filters", "form"),
    [
        (lambda x, w, f: tf.nn.depthwise_conv2d(x, w, [1, 1, 1, 1], "SAME", f),
         (2, 5, 7, 3), (3, 3, 3, 2), "in_other_form"),
        (lambda x, w, f: tf.nn.conv2d(x, w, 1, "SAME", f), (2, 5, 7, 4), (3, 3, 2, 6),
         "in_other_form"),
        (lambda x, w, f: tf.nn.conv2d(x, w, 2, "VALID", f), (2, 5, 7, 4), (1, 1, 4, 6),
         "in_other_form"),
        (lambda x, w, f: tf.nn.conv2d_transpose(
            x, w, [2, 9, 14, 3] if f == "NHWC" else [2, 3, 9, 14], 2, "SAME", f),
         (2, 5, 7, 4), (3, 3, 3, 4), "transposed_in_other_form"),
    ],
)  # fmt: skip
def test_ops_take_it(call, shape, filters, form, forms):
    rng = np.random.default_rng(5)
    x, w = (tf.Variable(rng.normal(size=size)) for size in (shape, filters))
    with tf.GradientTape(persistent=True) as tape:
        last = call(x, w, "NHWC")
        assert set(forms) == {form}
        del forms[:]
        first = call(channels_first(x), w, "NCHW")  # XLA's own form
        assert not forms
        losses = tf.reduce_sum(last**3), tf.reduce_sum(first**3)
    np.testing.assert_allclose(channels_first(last), first, rtol=1e-9)
    gradients = [tape.gradient(loss, [x, w]) for loss in losses]
    assert_alike(*[[g.numpy() for g in each] for each in gradients])


@pytest.mark.parametrize(
    ("make", "shape"),
    [
        (lambda k, f: k.DepthwiseConv2D(3, padding="same", depth_multiplier=2, data_format=f),
         (2, 6, 7, 3)),
        (lambda k, f: k.DepthwiseConv2D((3, 2), padding="valid", data_format=f), (2, 6, 7, 3)),
        (lambda k, f: k.DepthwiseConv1D(3, dilation_rate=2, data_format=f), (2, 9, 3)),
        (lambda k, f: k.SeparableConv2D(5, 3, padding="same", data_format=f), (2, 6, 7, 3)),
        (lambda k, f: k.Conv2D(6, 3, groups=3, padding="same", data_format=f), (2, 6, 7, 3)),
        (lambda k, f: k.Conv2D(5, 1, strides=2, data_format=f), (2, 6, 7, 3)),
        (lambda k, f: k.Conv2DTranspose(5, 3, strides=2, padding="same", data_format=f),
         (2, 4, 3, 3)),
        (lambda k, f: k.Conv2DTranspose(5, 3, strides=2, padding="valid", data_format=f),
         (2, 4, 3, 3)),
        (lambda k, f: k.Conv2DTranspose(5, 4, strides=3, output_padding=1, data_format=f),
         (2, 4, 4, 3)),
        (lambda k, f: k.Conv1DTranspose(5, 3, strides=2, padding="same", data_format=f), (2, 4, 3)),
        (lambda k, f: k.Conv3DTranspose(2, 3, strides=2, data_format=f), (1, 2, 3, 2, 3)),
    ],
)  # fmt: skip
def test_layers_of_keras_take_it(make, shape, forms):
    x = tf.constant(np.random.default_rng(1).normal(size=shape), tf.float32)
    layer, other = (make(tf.keras.layers, f) for f in ("channels_last", "channels_first"))
    y = layer(x)
    assert forms
    del forms[:]
    other(channels_first(x))
    assert not forms
    other.set_weights(layer.get_weights())
    with tf.GradientTape(persistent=True) as tape:
        y, z = layer(x), other(channels_first(x))
        losses = tf.reduce_sum(tf.sin(y)), tf.reduce_sum(tf.sin(z))
    np.testing.assert_allclose(channels_first(y), z, rtol=1e-4, atol=1e-5)
    pairs = zip(losses, (layer, other), strict=True)
    gradients = [tape.gradient(loss, one.trainable_weights) for loss, one in pairs]
    assert_alike(*[[g.numpy() for g in each] for each in gradients], rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    ("shape", "filters", "strides", "padding", "rates"),
    [
        ((2, 6, 7, 3), (3, 3, 3, 3), 1, "SAME", 1),
        ((2, 6, 7, 3), (3, 2, 3, 3), 1, [[0, 0], [2, 0], [0, 1], [0, 0]], 1),
        ((2, 6, 7, 1), (3, 3, 1, 1), 1, "SAME", 2),
    ],
)
def test_none_is_left_in_a_body(shape, filters, strides, padding, rates):
    """XLA has nothing fast for the gradients of those in loops and branches."""
    rng = np.random.default_rng(6)
    x, w = (tf.Variable(rng.normal(size=size)) for size in (shape, filters))

    def convolved(h):
        return tf.tanh(tf.nn.conv2d(h, w, strides, padding, dilations=rates))

    def in_loop():
        return tf.while_loop(lambda i, _: i < 3, lambda i, h: (i + 1, convolved(h)), (0, x))[1]

    def scanned():
        return tf.scan(lambda h, _: convolved(h), tf.range(3), tf.convert_to_tensor(x))[-1]

    def chosen():
        h = convolved(convolved(x))
        return tf.cond(tf.reduce_sum(w) > -1e9, lambda: convolved(h), lambda: h)

    def written_out():
        return convolved(convolved(convolved(x)))

    def gradients(function):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(function() ** 2)
        return [loss, *tape.gradient(loss, [x, w])]

    wanted = gradients(written_out)
    for function in (in_loop, scanned, chosen):
        compiled = tf.function(gradients, jit_compile=True)
        found = compiled(function)
        assert_alike([g.numpy() for g in found], [g.numpy() for g in wanted])
        text = compiled.experimental_get_compiler_ir(function)(stage="stablehlo")
        assert text.count("stablehlo.convolution") == (6 if function is chosen else 0)


def test_transposes_in_a_body(forms):
    rng = np.random.default_rng(6)
    x, w = (tf.Variable(rng.normal(size=size)) for size in ((2, 5, 4, 3), (3, 2, 3, 3)))

    def step(h):
        return tf.tanh(tf.nn.conv2d_transpose(h, w, (2, 5, 4, 3), 1, "SAME"))

    with tf.GradientTape(persistent=True) as tape:
        written_out = tf.reduce_sum(step(step(x)) ** 2)
    assert not forms
    with tape:
        scanned = tf.reduce_sum(tf.foldl(lambda h, _: step(h), tf.range(2), 1.0 * x) ** 2)
    assert set(forms) == {"transposed_in_other_form"}
    found, wanted = (tape.gradient(loss, [x, w]) for loss in (scanned, written_out))
    assert_alike([g.numpy() for g in found], [g.numpy() for g in wanted])


def test_a_convolutional_lstm_takes_it(forms):
    x = tf.constant(np.random.default_rng(1).normal(size=(2, 4, 6, 5, 3)), tf.float32)
    layer = tf.keras.layers.ConvLSTM2D(4, 3, padding="same")
    unrolled = tf.keras.layers.ConvLSTM2D(4, 3, padding="same", unroll=True)
    gradients = []
    for one in (layer, unrolled):
        one.build(x.shape)
        one.set_weights(layer.get_weights())
        del forms[:]
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(one(x) ** 2)
        gradients.append([g.numpy() for g in tape.gradient(loss, one.trainable_weights)])
        assert bool(forms) == (one is layer)
    assert_alike(*gradients, rtol=1e-4, atol=1e-5)


def test_layers_refuse_what_they_refused():
    layer = tf.keras.layers.DepthwiseConv2D(3)
    layer.build((None, 5, 5, 2))
    with pytest.raises(ValueError, match=r"channels|shape"):
        tf.keras.ops.depthwise_conv(tf.ones([1, 5, 5, 3]), layer.kernel)
    with pytest.raises(ValueError, match="evenly divisible"):
        tf.keras.ops.conv(tf.ones([1, 5, 5, 3]), tf.ones([1, 1, 2, 2]))


@pytest.mark.parametrize("filters", [(3, 3, 8, 8), (3, 3, 1, 8)])
def test_a_loop_does_not_keep_what_the_filters_are_multiplied_with(filters, monkeypatch):
    """It is nine times the input, of each iteration."""
    monkeypatch.setattr(BODIES_TRACED, "depth", 1)
    x, w = np.ones((4, 16, 16, 8), np.float32), np.ones(filters, np.float32)
    groups = 8 // filters[2]

    def loss(x, w):
        def step(h, _):
            convolved = convolution_forms.in_other_form(h, w, (1, 1), "SAME", (1, 1), groups)
            return jax.numpy.tanh(convolved), None

        return jax.lax.scan(step, x, None, 40)[0].sum()

    compiled = jax.jit(jax.grad(loss, (0, 1))).lower(x, w).compile()
    assert compiled.memory_analysis().temp_size_in_bytes < 4 * 40 * x.nbytes


@pytest.mark.parametrize(
    ("strides", "padding"), [(1, "SAME"), (2, "VALID"), (1, [[0, 0], [1, 0], [2, 1], [0, 0]])]
)
def test_kernels_of_gradients_give_those_of_tapes(strides, padding):
    """TensorFlow has no CPU kernel of these names, so that its answers cannot be stored."""
    x = tf.reshape(tf.range(100.0), [2, 5, 5, 2]) / 50
    filters = tf.reshape(tf.range(36.0), [3, 3, 2, 2]) / 10 - 1
    with tf.GradientTape() as tape:
        tape.watch([x, filters])
        y = tf.nn.conv2d(x, filters, strides, padding)
    grads = tf.ones_like(y) * [1.0, -2.0]
    wanted = tape.gradient(y, [x, filters], output_gradients=grads)
    given = {"strides": [1, strides, strides, 1], "padding": padding}
    if not isinstance(padding, str):
        given |= {"padding": "EXPLICIT", "explicit_paddings": [n for pair in padding for n in pair]}
    for kernel, gradient in zip(
        (tf.conv2d_backprop_input_v2, tf.conv2d_backprop_filter_v2), wanted, strict=True
    ):
        np.testing.assert_allclose(kernel(x, filters, grads, **given), gradient, rtol=1e-5)
