"""Rows for tapefacade/_ops/nn/dropout.py."""

import numpy as np

from cases.case import Case, d, f, i, raises

X = np.ones((3, 2), "float32")
DROPOUT, A = "nn.dropout", f([[1, 2], [3, 5]])
DROP, GENERAL = "nn.experimental.stateless_dropout", "nn.experimental.general_dropout"


def half(shape, dtype):
    return np.array([[0.25, 0.75], [0.5, 0.125], [0.0, 1.0]], "float32")


CASES = [
    Case(DROPOUT, (f(1, 2), 0.0)),
    Case(DROPOUT, (f(1, 2), 0.5), id="half", values=False),
    Case(DROPOUT, (d(1, 2), 0.5), id="float64", values=False, numerical=False),
    Case(DROPOUT, (A, 0.5, [2, 1]), id="noise shape", values=False),
    Case(DROPOUT, (A, f(0.0)), id="tensor"),
    raises(DROPOUT, (f(1, 2), 1.0), id="one"),
    raises(DROPOUT, (f(1, 2), -0.1), id="negative"),
    raises(DROPOUT, (i(1, 2), 0.5), id="int"),
    raises(DROPOUT, (f(1, 2), d(0.5)), id="dtypes"),
    raises(DROPOUT, (f(1, 2), 0.5, [3]), id="noise shape error"),
    Case(DROP, (X, 0.5, [1, 2]), values=False),
    Case(DROP, (d(X), 0.5, i(1, 2, dtype="int64")), id="float64", values=False, numerical=False),
    Case(DROP, (X, 0.0, [1, 2]), id="nothing"),
    Case(DROP, (X, 0.5, [1, 2]), {"noise_shape": [3, None]}, id="noise shape", values=False),
    raises(DROP, (X, 1.0, [1, 2]), id="rate 1"),
    raises(DROP, (X, 0.5, [1, 2], "xx"), id="algorithm"),
    raises(DROP, (i(1, 2), 0.5, [1, 2]), id="int"),
    raises(DROP, (X, 0.5, [1]), id="short seed"),
    raises(DROP, (X, 0.5, None), id="no seed"),
    raises(DROP, (X, d(0.5), [1, 2]), id="rate dtype"),
    raises(DROP, (X, 0.5, [1, 2]), {"noise_shape": [4, 2]}, id="wrong shape"),
    Case(GENERAL, (X, 0.5, half)),
    Case(GENERAL, (X, f(0.25), half), id="tensor rate"),
    Case(GENERAL, (X, 0.0, None), id="nothing"),
    raises(GENERAL, (X, 0.5, None), id="no sampler"),
]
