"""Rows for spectra of short frames."""

import numpy as np

from cases.case import Case, c, d, f, i, raises

V = f(*np.arange(10.0)) ** 2
RANDOM = np.random.RandomState(2)
S = (RANDOM.randint(-3, 4, (3, 3)) + 1j * RANDOM.randint(-3, 4, (3, 3))).astype("complex64")
STFT, INVERSE = "signal.stft", "signal.inverse_stft"
NONE = {"window_fn": None}

CASES = [
    Case(STFT, (V, 4, 2), rtol=2e-6),
    Case(STFT, (V, 3, 2), id="odd", rtol=2e-6),
    Case(STFT, (V, 4, 2), NONE, id="no window", rtol=2e-6),
    Case(STFT, (V, 4, 2, 8), id="longer", rtol=2e-6),
    Case(STFT, (V, 4, 2, 3), id="shorter", gradient=False),
    Case(STFT, (V, 4, 3, None), {"pad_end": True}, id="padded", rtol=2e-6),
    Case(STFT, (d(V).reshape(2, 5), 4, 1), id="float64"),
    Case(STFT, (V, i(4), i(2), i(8)), id="tensors", gradient=False),
    Case(STFT, (V, 0, 1), id="length 0", gradient=False),
    raises(STFT, (V, 12, 2), id="no frame"),
    raises(STFT, (f(1.0), 4, 2), id="scalar"),
    raises(STFT, (V, [4], 2), id="vector length"),
    raises(STFT, (V, 4, 2, [4]), id="vector fft_length"),
    raises(STFT, (V, 4.0, 2), id="float length"),
    raises(STFT, (V, 4, 2.0), id="float step"),
    raises(STFT, (V, 4, 0), id="step 0"),
    raises(STFT, (i(1, 2, 3, 4), 2, 1), id="int"),
    raises(STFT, (c(1, 2j, 3), 2, 1), id="complex"),
    Case(INVERSE, (S, 4, 2), rtol=2e-6),
    Case(INVERSE, (S, 4, 2), NONE, id="no window", rtol=2e-6),
    Case(INVERSE, (S, 3, 2), id="odd", rtol=2e-6),
    Case(INVERSE, (S, 4, 2, 5), id="odd transform", rtol=2e-6),
    Case(INVERSE, (S, 6, 2, 4), id="padded", rtol=2e-6),
    Case(INVERSE, (S, 4, 2, 8), id="longer", gradient=False),
    Case(INVERSE, (S.astype("complex128").reshape(1, 3, 3), 4, 3), id="complex128"),
    raises(INVERSE, (S[0], 4, 2), id="vector"),
    raises(INVERSE, (V.reshape(5, 2), 2, 2), id="float"),
    raises(INVERSE, (S, [4], 2), id="vector length"),
    raises(INVERSE, (S, 4, [2]), id="vector step"),
    raises(INVERSE, (S, 4, 2.0), id="float step"),
]
