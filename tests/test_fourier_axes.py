"""Fourier transforms over any dimensions, for which TensorFlow has no kernel: against NumPy."""

import numpy as np
import pytest

import tapefacade as tf

RANDOM = np.random.RandomState(0)
X = RANDOM.standard_normal((2, 3, 4)) + 1j * RANDOM.standard_normal((2, 3, 4))
HYPERCUBE = RANDOM.standard_normal((2, 2, 3, 2, 2))
VARIANTS = [
    (X, None, None, None),
    (X, None, [0, -1], "ortho"),
    (X, [4, 2], [2, 0], "forward"),
    (X, None, [], "backward"),
    (X.astype("complex64"), [5], [1], None),
]


@pytest.mark.parametrize("name", ["fftnd", "ifftnd", "irfftnd"])
@pytest.mark.parametrize("variant", VARIANTS, ids=range(len(VARIANTS)))
def test_complex_transforms(name, variant):
    x, lengths, axes, norm = variant
    got = getattr(tf.signal, name)(x if name != "irfftnd" else tf.constant(x), lengths, axes, norm)
    assert_agrees(got, name, x, lengths, axes, norm)


@pytest.mark.parametrize("variant", VARIANTS, ids=range(len(VARIANTS)))
def test_real_transforms(variant):
    x, lengths, axes, norm = variant
    x = x.real.astype("float32" if x.dtype == "complex64" else "float64")
    assert_agrees(
        tf.signal.rfftnd(tf.constant(x), lengths, axes, norm), "rfftnd", x, lengths, axes, norm
    )


def assert_agrees(got, name, x, lengths, axes, norm):
    """NumPy computes in complex128, and wants to know which axes the lengths are for."""
    axes = axes or range(x.ndim)
    want = getattr(np.fft, name.replace("nd", "n"))(x, lengths, axes, norm)
    single = x.dtype in ("complex64", "float32")
    kind = "c" if want.dtype.kind == "c" else "f"
    assert (
        got.dtype.name
        == {"c": ["complex128", "complex64"], "f": ["float64", "float32"]}[kind][single]
    )
    np.testing.assert_allclose(got, want, rtol=1e-5 if single else 1e-12, atol=1e-6)


def test_five_dimensions():
    got = tf.signal.rfftnd(tf.constant(HYPERCUBE))
    np.testing.assert_allclose(got, np.fft.rfftn(HYPERCUBE), atol=1e-12)


def test_kernels():
    x = tf.constant(X)
    np.testing.assert_allclose(tf.fftnd(x, [3], [1]), np.fft.fftn(X, [3], [1]))
    np.testing.assert_allclose(tf.ifftnd(x, [3], [1]), np.fft.ifftn(X, [3], [1]))
    real = tf.constant(X.real)
    assert tf.rfftnd(real, [3], [1]).dtype == tf.complex64
    np.testing.assert_allclose(
        tf.rfftnd(real, [3], [1], tf.complex128), np.fft.rfftn(X.real, [3], [1])
    )
    assert tf.irfftnd(x, [3], [1]).dtype == tf.float32
    np.testing.assert_allclose(tf.irfftnd(x, [3], [1], tf.float64), np.fft.irfftn(X, [3], [1]))


def test_gradients_are_those_of_the_transforms_over_the_last_dimensions():
    x = tf.constant(X)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        over_all = tf.reduce_sum(tf.abs(tf.signal.fftnd(x)) ** 2)
        over_last = tf.reduce_sum(tf.abs(tf.signal.fft3d(x)) ** 2)
    np.testing.assert_allclose(tape.gradient(over_all, x), tape.gradient(over_last, x))


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"axes": [3]}, tf.errors.InvalidArgumentError, "Axis 3 is not among the 3 dimensions"),
        ({"axes": [0, -3]}, tf.errors.InvalidArgumentError, "name a dimension twice"),
        ({"fft_length": [2]}, tf.errors.InvalidArgumentError, "1 numbers for 3 axes"),
        ({"fft_length": [0], "axes": [0]}, tf.errors.InvalidArgumentError, "must be positive"),
        ({"norm": "x"}, ValueError, "Invalid norm value 'x'"),
    ],
)
def test_refusals(arguments, error, text):
    with pytest.raises(error, match=text):
        tf.signal.fftnd(tf.constant(X), **arguments)


def test_refused_dtypes():
    real, complex_ = tf.constant(X.real), tf.constant(X)
    with pytest.raises(tf.errors.InvalidArgumentError, match="list of allowed values: complex64"):
        tf.signal.fftnd(real)
    with pytest.raises(ValueError, match=r"RFFT requires tf.float32 or tf.float64 inputs, got"):
        tf.signal.rfftnd(complex_)
    with pytest.raises(ValueError, match=r"IRFFT requires tf.complex64 or tf.complex128 inputs"):
        tf.signal.irfftnd(real)
