"""Rows for Fourier transforms of real tensors."""

import numpy as np

from cases.case import Case, c, d, f, i, raises

RANDOM = np.random.RandomState(1)


def r(*shape):
    return RANDOM.randint(-3, 4, shape).astype("float32")


def z(*shape, dtype="complex64"):
    parts = RANDOM.randint(-3, 4, (2, *shape))
    return (parts[0] + 1j * parts[1]).astype(dtype)


R, INVERSE = "signal.rfft", "signal.irfft"
V = f(1.0, 2.0, 4.0, -3.0)
H = c(2, 1 + 1j, 3)

# TensorFlow cannot differentiate what cuts the signals, nor the transforms of volumes.
CASES = [
    Case(R, (V,)),
    Case(R, (r(2, 5),), id="odd", rtol=3e-6),
    Case(R, (d(r(2, 6)),), id="float64"),
    Case(R, (V, [6]), id="longer", rtol=2e-6),
    Case(R, (V, [7]), id="longer odd", rtol=3e-6),
    Case(R, (V, [3]), id="shorter", gradient=False),
    Case(R, (f(2.0).reshape(1),), id="one"),
    Case(R, (np.zeros((0, 3), "float32"),), id="empty", gradient=False),
    Case(R, ([1, 2, 3],), id="ints"),
    raises(R, (i(1, 2),), id="int"),
    raises(R, (f(1.0, 2.0, dtype="float16"),), id="float16"),
    raises(R, (f(1.0),), id="scalar"),
    raises(R, (V, [2, 3]), id="two lengths"),
    raises(R, (V, 2), id="int length"),
    raises(R, (V, [-2]), id="negative"),
    raises(R, (V, [2.0]), id="float length"),
    raises(R, (np.zeros((0, 3), "float32"), [4]), id="empty longer"),
    Case(INVERSE, (H,)),
    Case(INVERSE, (z(2, 3, dtype="complex128"),), id="complex128"),
    Case(INVERSE, (H, [5]), id="odd", rtol=2e-6),
    Case(INVERSE, (H, [8]), id="longer", gradient=False),
    Case(INVERSE, (H, [3]), id="shorter", gradient=False),
    raises(INVERSE, (V,), id="float"),
    raises(INVERSE, (c(1j),), id="scalar"),
    Case("signal.rfft2d", (r(2, 3, 4),), rtol=2e-6),
    Case("signal.rfft2d", (d(r(3, 3)),), id="odd"),
    Case("signal.rfft2d", (r(3, 3), [2, 4]), id="lengths", gradient=False),
    raises("signal.rfft2d", (V,), id="vector"),
    raises("signal.rfft2d", (r(2, 2), [2]), id="one length"),
    Case("signal.irfft2d", (z(3, 3),), rtol=2e-6),
    Case("signal.irfft2d", (z(2, 3, dtype="complex128"), [2, 5]), id="odd"),
    raises("signal.irfft2d", (H,), id="vector"),
    Case("signal.rfft3d", (r(2, 2, 2),)),
    Case("signal.rfft3d", (d(r(1, 2, 3)), [2, 2, 4]), id="lengths", gradient=False),
    Case("signal.irfft3d", (z(2, 2, 2),)),
    Case("signal.irfft3d", (z(2, 2, 2, dtype="complex128"), [2, 2, 3]), id="odd", gradient=False),
]
