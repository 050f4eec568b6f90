"""Rows for tapefacade/_ops/signal/fourier.py."""

import numpy as np

from cases.case import Case, b, c, d, f, i, raises

RANDOM = np.random.RandomState(0)


def z(*shape, dtype="complex64"):
    parts = RANDOM.randint(-3, 4, (2, *shape))
    return (parts[0] + 1j * parts[1]).astype(dtype)


FFT, SHIFT = "signal.fft", "signal.fftshift"
GRID = i([[0, 1, 2], [3, 4, 5]])

CASES_FOURIER = [
    Case(FFT, (c(1, 2j, 3, -1),)),
    Case(FFT, (z(2, 3),), id="rows", rtol=2e-6),
    Case(FFT, (z(2, 5, dtype="complex128"),), id="complex128"),
    Case(FFT, (c(1 + 2j, dtype="complex128").reshape(1),), id="one"),
    Case(FFT, (np.zeros((0, 2), "complex64"),), id="empty", gradient=False),
    Case(FFT, (np.zeros((2, 0), "complex64"),), id="empty rows", gradient=False),
    Case(FFT, (c(np.nan, 1, 2),), id="nan"),
    Case(FFT, ([1.0, 2.0],), id="floats"),
    Case(FFT, ([1, 2],), id="ints"),
    Case(FFT, ([1j, 2j],), id="complex numbers"),
    raises(FFT, (f(1.0, 2.0),), id="float"),
    raises(FFT, (i(1, 2),), id="int"),
    raises(FFT, (c(1j),), id="scalar"),
    raises(FFT, (1.0,), id="number"),
    raises(FFT, (None,), id="none"),
    Case("signal.ifft", (z(2, 4),)),
    Case("signal.ifft", (z(3, dtype="complex128"),), id="complex128"),
    Case("signal.fft2d", (z(2, 2, 3),), rtol=2e-6),
    Case("signal.ifft2d", (z(3, 2),), rtol=2e-6),
    raises("signal.fft2d", (c(1j, 2),), id="vector"),
    Case("signal.fft3d", (z(2, 2, 2, 2),)),
    Case("signal.ifft3d", (z(2, 1, 3, dtype="complex128"),)),
    raises("signal.ifft3d", (c(1j, 2),), id="vector"),
    Case(SHIFT, (f(0.0, 1.0, 2.0, 3.0, 4.0),)),
    Case(SHIFT, (GRID,), id="int"),
    Case(SHIFT, (GRID, 0), id="axis"),
    Case(SHIFT, (GRID, -1), id="last axis"),
    Case(SHIFT, (z(2, 3), [0, 1]), id="axes"),
    Case(SHIFT, (GRID, [0, 0]), id="twice"),
    Case(SHIFT, (b(True, False, False),), id="bool"),
    Case(SHIFT, (f([[], []]),), id="empty", gradient=False),
    raises(SHIFT, (GRID, 2), id="out of range"),
    raises(SHIFT, (GRID, 1.0), id="float axis"),
    Case("signal.ifftshift", (f(0.0, 1.0, 2.0, 3.0, 4.0),)),
    Case("signal.ifftshift", (GRID, [1]), id="axis"),
]


RANDOM_REAL_FOURIER = np.random.RandomState(1)


def r(*shape):
    return RANDOM_REAL_FOURIER.randint(-3, 4, shape).astype("float32")


def z_real_fourier(*shape, dtype="complex64"):
    parts = RANDOM_REAL_FOURIER.randint(-3, 4, (2, *shape))
    return (parts[0] + 1j * parts[1]).astype(dtype)


R, INVERSE = "signal.rfft", "signal.irfft"
V = f(1.0, 2.0, 4.0, -3.0)
H = c(2, 1 + 1j, 3)

# TensorFlow cannot differentiate what cuts the signals, nor the transforms of volumes.
CASES_REAL_FOURIER = [
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
    Case(INVERSE, (z_real_fourier(2, 3, dtype="complex128"),), id="complex128"),
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
    Case("signal.irfft2d", (z_real_fourier(3, 3),), rtol=2e-6),
    Case("signal.irfft2d", (z_real_fourier(2, 3, dtype="complex128"), [2, 5]), id="odd"),
    raises("signal.irfft2d", (H,), id="vector"),
    Case("signal.rfft3d", (r(2, 2, 2),)),
    Case("signal.rfft3d", (d(r(1, 2, 3)), [2, 2, 4]), id="lengths", gradient=False),
    Case("signal.irfft3d", (z_real_fourier(2, 2, 2),)),
    Case(
        "signal.irfft3d",
        (z_real_fourier(2, 2, 2, dtype="complex128"), [2, 2, 3]),
        id="odd",
        gradient=False,
    ),
]


CASES = [*CASES_FOURIER, *CASES_REAL_FOURIER]
