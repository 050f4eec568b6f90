"""Rows for tapefacade/_ops/array/positions.py."""

from cases.case import Case, b, c, d, f, i, raises

INF, NAN = float("inf"), float("nan")
M = f([[1.0, 5.0, 3.0], [4.0, 2.0, 6.0]])

CASES_POSITIONS = [
    Case("math.argmax", (M,)),
    Case("argmax", (M, 1), id="axis"),
    Case("argmax", (M,), {"axis": -1, "output_type": "int32"}, id="int32"),
    Case("argmax", (M,), {"axis": 0, "output_type": "int16"}, id="int16"),
    Case("argmax", (M,), {"output_type": "uint16"}, id="uint16"),
    Case("argmax", (f(1.0, 1.0),), id="ties"),
    Case("argmax", (d(0.1, 0.2),), id="float64"),
    Case("argmax", (i(3, 9, 9),), id="int"),
    Case("argmax", (f(1.0, 3.0, dtype="bfloat16"),), id="bfloat16"),
    Case("argmax", (f(1.0, NAN, 3.0),), id="nan"),
    Case("argmax", (f(NAN, NAN),), id="all nan"),
    Case("argmax", (f(NAN, -INF),), id="nan and inf"),
    Case("argmax", (b([[False, True], [True, True]]), 1), id="bool"),
    Case("argmax", (f([[], []]), 0), id="empty"),
    Case("argmax", ([[1, 2], [3, 0]],), id="python"),
    raises("argmax", (M, 2), id="axis out of range"),
    raises("argmax", (M, -3), id="axis below range"),
    raises("argmax", (f(5.0),), id="scalar"),
    raises("argmax", (f([]),), id="no elements"),
    raises("argmax", (M, [0]), id="list axis"),
    raises("argmax", (M,), {"output_type": "float32"}, id="float output"),
    raises("argmax", (c(1j),), id="complex"),
    Case("math.argmin", (M,)),
    Case("argmin", (M, 1), id="axis"),
    Case("argmin", (M,), {"axis": -1, "output_type": "int32"}, id="int32"),
    Case("argmin", (f(3.0, NAN, 1.0),), id="nan"),
    Case("argmin", (i(3, 3),), id="ties"),
    raises("argmin", (M, 2), id="axis out of range"),
    raises("argmin", (M,), {"output_type": "int16"}, id="int16"),
    raises("argmin", (c(1j),), id="complex"),
    Case("math.count_nonzero", (M,)),
    Case("math.count_nonzero", (f([[0.0, 1.0], [2.0, 0.0]]),), {"axis": 1}, id="axis"),
    Case(
        "math.count_nonzero",
        (f([[0.0, 1.0], [2.0, 0.0]]),),
        {"axis": 0, "keepdims": True, "dtype": "int32"},
        id="keepdims",
    ),
    Case("math.count_nonzero", (b(True, False, True),), id="bool"),
    Case("math.count_nonzero", (i(0, 3),), id="int"),
    Case("math.count_nonzero", (c(0, 1j),), id="complex"),
    Case("math.count_nonzero", (f(NAN, 0.0),), id="nan"),
    Case("math.count_nonzero", (f([]),), id="empty"),
    raises("math.count_nonzero", (M, 2), id="axis out of range"),
]


UNRAVEL = "unravel_index"

CASES_POSITIONS_IN_SHAPES = [
    Case(UNRAVEL, ([3, 5], [2, 3])),
    Case(UNRAVEL, (i(4), [2, 3]), id="scalar"),
    Case(UNRAVEL, (i(3, 17, dtype="int64"), i(2, 3, 4, dtype="int64")), id="int64"),
    Case(UNRAVEL, (i(3, -1), i(2, 3)), id="negative"),
    Case(UNRAVEL, ([0], i([])), id="no dims"),
    raises(UNRAVEL, ([[3, 5], [1, 1]], [2, 3]), id="matrix"),
    raises(UNRAVEL, (i(3, 5, dtype="int64"), i(2, 3)), id="dtypes"),
    raises(UNRAVEL, ([3, 6], [2, 3]), id="too large"),
    raises(UNRAVEL, ([3, 1], [2, 0]), id="zero"),
    raises(UNRAVEL, ([3, 1], 3), id="scalar dims"),
    raises(UNRAVEL, ([3, 1], [[2, 3]]), id="matrix of dims"),
    raises(UNRAVEL, (i([]), [2, 3]), id="empty"),
    raises(UNRAVEL, (f(3.0, 1.0), f(2.0, 3.0)), id="float"),
]


CASES = [*CASES_POSITIONS, *CASES_POSITIONS_IN_SHAPES]
