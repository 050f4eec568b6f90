"""Rows for tapefacade/_ops/signal/mel.py."""

import numpy as np

from cases.case import Case, d, f, i, raises

MEL, MFCC = "signal.linear_to_mel_weight_matrix", "signal.mfccs_from_log_mel_spectrograms"
V = f(1.0, -2.0, 4.0, 3.0)

CASES = [
    Case(MEL, (3, 5), rtol=1e-5),  # TensorFlow's are rounded in another order
    Case(MEL, (), id="defaults", rtol=1e-5),
    Case(MEL, (4, 9, 16000, 0.0, 8000.0), id="edges", rtol=1e-5),
    Case(MEL, (3, 5, 8000.0, f(100.0), f(4000.0)), id="tensors", rtol=1e-5),
    Case(MEL, (i(3), i(5), f(8000.0)), id="numbers", rtol=1e-5, gradient=False),
    Case(MEL, (3, 1), id="one"),
    Case(MEL, (3, 0), id="none"),
    raises(MEL, (0, 5), id="no mels"),
    raises(MEL, (3, 5, 0), id="rate 0"),
    raises(MEL, (3, 5, 8000, -1.0), id="negative"),
    raises(MEL, (3, 5, 8000, 500.0, 400.0), id="order"),
    raises(MEL, (3, 5, 8000, 500.0, 4001.0), id="nyquist"),
    raises(MEL, (3.0, 5), id="float mels"),
    raises(MEL, (3, 5.0), id="float bins"),
    Case(MFCC, (V,), rtol=2e-6),
    Case(MFCC, (d(V).reshape(2, 2),), id="float64"),
    Case(MFCC, ([1.0, 2.0, 5.0],), id="list", rtol=2e-6),
    raises(MFCC, (i(1, 2),), id="int"),
    raises(MFCC, (V.astype("float16"),), id="float16"),
    raises(MFCC, (f(1.0),), id="scalar"),
    raises(MFCC, (np.zeros((2, 0), "float32"),), id="no bins"),
]
