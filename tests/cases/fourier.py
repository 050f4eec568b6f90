"""Rows for Fourier transforms of complex tensors."""

import numpy as np

from cases.case import Case, b, c, f, i, raises

RANDOM = np.random.RandomState(0)


def z(*shape, dtype="complex64"):
    parts = RANDOM.randint(-3, 4, (2, *shape))
    return (parts[0] + 1j * parts[1]).astype(dtype)


FFT, SHIFT = "signal.fft", "signal.fftshift"
GRID = i([[0, 1, 2], [3, 4, 5]])

CASES = [
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
