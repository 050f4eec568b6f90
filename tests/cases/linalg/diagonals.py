"""Rows for tapefacade/_ops/linalg/diagonals.py."""

import numpy as np

from cases.case import Case, b, c, d, f, i, raises

Q = np.arange(1, 13, dtype="float32").reshape(3, 4)
PAIR = f([[1, 2, 3], [4, 5, 0]])
DIAG, PART, SET, BAND = (
    "linalg.diag",
    "linalg.diag_part",
    "linalg.set_diag",
    "linalg.band_part",
)

CASES = [
    Case(DIAG, (f(1, 2),)),
    Case(DIAG, (d(1, 2),), id="float64"),
    Case(DIAG, (i(1, 2),), id="int"),
    Case(DIAG, (b(True, False),), id="bool"),
    Case(DIAG, (c(1j, 2),), id="complex"),
    Case(DIAG, (f([[1, 2], [3, 4]]),), id="batch"),
    Case(DIAG, (f(np.zeros(0)),), id="empty"),
    *[Case(DIAG, (f(1, 2),), {"k": k}, id=f"k={k}") for k in (-2, -1, 1)],
    *[Case(DIAG, (PAIR,), {"k": k}, id=f"band {k}") for k in ((-1, 0), (0, 1))],
    Case(DIAG, (f([[0, 2], [3, 4], [5, 0]]),), {"k": (-1, 1)}, id="three"),
    *[
        Case(DIAG, (PAIR,), {"k": (-1, 0), "align": align}, id=align)
        for align in ("LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT", "RIGHT_LEFT")
    ],
    Case(DIAG, (f(1, 2),), {"num_cols": 3}, id="columns"),
    Case(DIAG, (f(1, 2),), {"num_rows": 4}, id="rows"),
    Case(DIAG, (f(1, 2),), {"padding_value": 9}, id="padding"),
    raises(DIAG, (f(1.0),), id="scalar"),
    raises(DIAG, (f(1, 2),), {"num_rows": 1}, id="too few rows"),
    raises(DIAG, (f(1, 2),), {"num_rows": 3, "num_cols": 4}, id="inconsistent"),
    raises(DIAG, (f(1, 2),), {"k": (1, 0)}, id="order"),
    raises(DIAG, (f([[1, 2], [3, 4]]),), {"k": (0, 2)}, id="count"),
    raises(DIAG, (f(1, 2),), {"align": "X"}, id="alignment"),
    Case(PART, (Q,)),
    Case(PART, (d(Q),), id="float64"),
    Case(PART, (i([[1, 2], [3, 4]]),), id="int"),
    Case(PART, (Q[None],), id="batch"),
    *[Case(PART, (Q,), {"k": k}, id=f"k={k}") for k in (-2, 1, 3, (-1, 1), (0, 2), (-2, 3))],
    *[
        Case(PART, (Q,), {"k": (-2, 2), "align": align, "padding_value": 9.0}, id=align)
        for align in ("LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT", "RIGHT_LEFT")
    ],
    raises(PART, (f(1, 2),), id="vector"),
    raises(PART, (Q,), {"k": 5}, id="no such diagonal"),
    raises(PART, (Q,), {"k": (1, 0)}, id="order"),
    raises(PART, (Q,), {"k": (-1, 0, 1)}, id="three"),
    Case(SET, (Q, f(7, 8, 9))),
    Case(SET, (d(Q), d(7, 8, 9)), id="float64"),
    Case(SET, (i([[1, 2], [3, 4]]), i(7, 8)), id="int"),
    Case(SET, (Q, [7, 8, 9]), id="python"),
    Case(SET, (np.stack([Q, Q]), f([[7, 8, 9], [1, 2, 3]])), id="batch"),
    *[Case(SET, (Q, f(7, 8, 9)), {"k": k}, id=f"k={k}") for k in (1,)],
    Case(SET, (Q, f(7, 8)), {"k": -1}, id="k=-1"),
    Case(SET, (Q, f([[7, 8, 9], [1, 2, 3]])), {"k": (0, 1)}, id="band"),
    Case(SET, (Q, f([[0, 7, 8], [1, 2, 3]])), {"k": (-1, 0)}, id="lower band"),
    Case(SET, (Q, PAIR), {"k": (-1, 0), "align": "RIGHT_RIGHT"}, id="alignment"),
    raises(SET, (Q, f(7, 8)), id="length"),
    raises(SET, (np.stack([Q, Q]), f(1, 2, 3)), id="batch shape"),
    raises(SET, (Q, d(7, 8, 9)), id="dtypes"),
    raises(SET, (f(1, 2), f([1])), id="vector"),
    raises(SET, (Q, f(7, 8, 9)), {"k": 7}, id="no such diagonal"),
    *[Case(BAND, (Q, *n), id=f"{n}") for n in ((0, 0), (-1, 0), (0, -1), (1, 1), (-2, 0), (1, 3))],
    Case(BAND, (d(Q), 1, 0), id="float64"),
    Case(BAND, (i([[1, 2], [3, 4]]), 0, -1), id="int"),
    Case(BAND, (b([[True, True], [True, True]]), 0, -1), id="bool"),
    Case(BAND, (f([[np.nan, np.nan], [1, np.nan]]), 0, 0), id="nan"),
    Case(BAND, (np.stack([Q, Q]), 0, 1), id="batch"),
    raises(BAND, (Q, 5, 0), id="rows"),
    raises(BAND, (Q, 3, 5), id="columns"),
    raises(BAND, (f(1, 2), 0, 0), id="vector"),
    raises(BAND, (Q, 1.0, 0), id="float"),
    Case("linalg.trace", (f([[1, 2], [3, 4]]),)),
    Case("linalg.trace", (d([[1, 2, 3], [3, 4, 5]]),), id="wide"),
    Case("linalg.trace", (i([[1, 2], [3, 4]]),), id="int"),
    Case("linalg.trace", (f(np.ones((2, 2, 2))),), id="batch"),
    Case("linalg.trace", (f(np.zeros((0, 0))),), id="empty"),
    raises("linalg.trace", (f(1, 2),), id="vector"),
    Case("linalg.tensor_diag", (f(1, 2),)),
    Case("linalg.tensor_diag", (d([[1, 2], [3, 4]]),), id="matrix"),
    Case("linalg.tensor_diag", (i(1, 2),), id="int"),
    raises("linalg.tensor_diag", (f(1.0),), id="scalar"),
    raises("linalg.tensor_diag", (b([True]),), id="bool"),
    Case("linalg.tensor_diag_part", (f([[1, 2], [3, 4]]),)),
    Case("linalg.tensor_diag_part", (d(np.arange(16).reshape(2, 2, 2, 2)),), id="four"),
    Case("linalg.tensor_diag_part", (i([[1, 2], [3, 4]]),), id="int"),
    raises("linalg.tensor_diag_part", (Q,), id="shape"),
    raises("linalg.tensor_diag_part", (f(1, 2),), id="vector"),
]
