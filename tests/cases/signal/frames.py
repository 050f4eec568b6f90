"""Rows for tapefacade/_ops/signal/frames.py."""

import numpy as np

from cases.case import Case, b, c, d, f, i, raises

V = f(*np.arange(10.0))
M = np.arange(10, dtype=np.float32).reshape(2, 5)
Y = np.arange(12, dtype=np.float32).reshape(3, 4)
FRAME, ADD = "signal.frame", "signal.overlap_and_add"

CASES_FRAMING = [
    Case(FRAME, (V, 4, 2)),
    Case(FRAME, (V, 3, 2), id="coprime"),
    Case(FRAME, (V, 4, 3, True), id="padded"),
    Case(FRAME, (V, 4, 3, True, -1.5), id="pad value"),
    Case(FRAME, (V, 4, 3, True, f(2.0)), id="pad tensor"),
    Case(FRAME, (V, 12, 3), id="too long", gradient=False),
    Case(FRAME, (V, 12, 3, True), id="too long padded"),
    Case(FRAME, (V, 0, 3), id="length 0", gradient=False),
    Case(FRAME, (V, 2, 4), id="gaps"),
    Case(FRAME, (V, 4, 12, True), id="one"),
    Case(FRAME, (V, 4, -1), id="negative step", gradient=False),
    Case(FRAME, (V, i(4), i(2)), id="tensors", gradient=False),
    Case(FRAME, (d(M), 2, 1), id="float64"),
    Case(FRAME, (M, 2, 1), {"axis": 0, "pad_end": True}, id="axis"),
    Case(FRAME, (M, 2, 2), {"axis": -2}, id="negative axis"),
    Case(FRAME, (i(1, 2, 3), 2, 2, True), id="int"),
    Case(FRAME, (b(True, False, True), 2, 1), id="bool"),
    Case(FRAME, (c(1j, 2, 3), 2, 1), id="complex"),
    Case(FRAME, (f([]), 2, 1, True), id="empty", gradient=False),
    Case(FRAME, (np.zeros((0, 4), "float32"), 2, 1), id="empty rows", gradient=False),
    raises(FRAME, (V, 4, 0), id="step 0"),
    raises(FRAME, (V, -1, 1), id="negative length"),
    raises(FRAME, (V, 4.0, 1), id="float length"),
    raises(FRAME, (V, 4, 1.0), id="float step"),
    raises(FRAME, (V, [4], 1), id="vector length"),
    raises(FRAME, (f(1.0), 2, 1), id="scalar"),
    raises(FRAME, (M, 2, 1), {"axis": 2}, id="axis out of range"),
    raises(FRAME, (M, 2, 1), {"axis": 1.0}, id="float axis"),
    raises(FRAME, (i(1, 2, 3), 2, 2, True, 1.5), id="float pad value"),
    raises(FRAME, (V, 4, 3, True, i(2)), id="int pad value"),
    raises(FRAME, (V, 4, 3, True, [2.0]), id="vector pad value"),
    *[Case(ADD, (Y, step), id=str(step)) for step in (1, 2, 3, 4, 6)],
    Case(ADD, (d(Y).reshape(1, 3, 2, 2), 1), id="float64"),
    Case(ADD, (Y.astype("int32"), 2), id="int"),
    Case(ADD, (Y.astype("complex64"), 2), id="complex"),
    Case(ADD, (Y.astype("float16"), 2), id="float16"),
    Case(ADD, (Y, i(2, dtype="int64")), id="int64"),
    Case(ADD, (np.zeros((0, 4), "float32"), 2), id="no frames", gradient=False),
    Case(ADD, (np.zeros((3, 0), "float32"), 2), id="empty frames", gradient=False),
    raises(ADD, (Y, 0), id="step 0"),
    raises(ADD, (Y, -1), id="negative"),
    raises(ADD, (Y, 2.0), id="float"),
    raises(ADD, (Y, [2]), id="vector"),
    raises(ADD, (V, 2), id="no frames in it"),
    raises(ADD, (Y.astype("bool"), 2), id="bool"),
]


V_SHORT_TIME = f(*np.arange(10.0)) ** 2
RANDOM = np.random.RandomState(2)
S = (RANDOM.randint(-3, 4, (3, 3)) + 1j * RANDOM.randint(-3, 4, (3, 3))).astype("complex64")
STFT, INVERSE = "signal.stft", "signal.inverse_stft"
NONE = {"window_fn": None}

CASES_SHORT_TIME = [
    Case(STFT, (V_SHORT_TIME, 4, 2), rtol=2e-6),
    Case(STFT, (V_SHORT_TIME, 3, 2), id="odd", rtol=2e-6),
    Case(STFT, (V_SHORT_TIME, 4, 2), NONE, id="no window", rtol=2e-6),
    Case(STFT, (V_SHORT_TIME, 4, 2, 8), id="longer", rtol=2e-6),
    Case(STFT, (V_SHORT_TIME, 4, 2, 3), id="shorter", gradient=False),
    Case(STFT, (V_SHORT_TIME, 4, 3, None), {"pad_end": True}, id="padded", rtol=2e-6),
    Case(STFT, (d(V_SHORT_TIME).reshape(2, 5), 4, 1), id="float64"),
    Case(STFT, (V_SHORT_TIME, i(4), i(2), i(8)), id="tensors", gradient=False),
    Case(STFT, (V_SHORT_TIME, 0, 1), id="length 0", gradient=False),
    raises(STFT, (V_SHORT_TIME, 12, 2), id="no frame"),
    raises(STFT, (f(1.0), 4, 2), id="scalar"),
    raises(STFT, (V_SHORT_TIME, [4], 2), id="vector length"),
    raises(STFT, (V_SHORT_TIME, 4, 2, [4]), id="vector fft_length"),
    raises(STFT, (V_SHORT_TIME, 4.0, 2), id="float length"),
    raises(STFT, (V_SHORT_TIME, 4, 2.0), id="float step"),
    raises(STFT, (V_SHORT_TIME, 4, 0), id="step 0"),
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
    raises(INVERSE, (V_SHORT_TIME.reshape(5, 2), 2, 2), id="float"),
    raises(INVERSE, (S, [4], 2), id="vector length"),
    raises(INVERSE, (S, 4, [2]), id="vector step"),
    raises(INVERSE, (S, 4, 2.0), id="float step"),
]


CASES = [*CASES_FRAMING, *CASES_SHORT_TIME]
