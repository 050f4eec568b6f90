"""Rows for tapefacade/_ops/array/positions.py."""

from cases.case import Case, b, c, d, f, i, raises

INF, NAN = float("inf"), float("nan")
M = f([[1.0, 5.0, 3.0], [4.0, 2.0, 6.0]])
PAIRS = i([[1, 2], [2, 2]])

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
    Case("math.bincount", (i(1, 1, 2, 5),)),
    Case("math.bincount", (i(1, 1, 2),), {"minlength": 5}, id="minlength"),
    Case("math.bincount", (i(1, 1, 2, 5),), {"maxlength": 3}, id="maxlength"),
    Case("math.bincount", (i(1, 1, 2), f(1.0, 2.0, 3.0)), id="weights"),
    Case("math.bincount", (i(1, 1, 2), d(1.0, 2.0, 3.0)), id="float64 weights"),
    Case("math.bincount", (i(1, 1, 2), i(1, 2, 3)), id="int weights"),
    Case("math.bincount", (i(1, 1),), {"dtype": "float32"}, id="float result"),
    Case("math.bincount", (i(1, 1, dtype="int64"),), {"dtype": "int64"}, id="int64"),
    Case("math.bincount", (i([]),), id="empty"),
    Case("math.bincount", (i(3),), id="scalar"),
    Case("math.bincount", (f(1.0, 2.0),), id="float"),
    Case("math.bincount", (PAIRS,), id="matrix"),
    Case("math.bincount", (PAIRS,), {"axis": -1}, id="rows"),
    Case("math.bincount", (PAIRS,), {"axis": -1, "binary_output": True}, id="binary rows"),
    Case("math.bincount", (PAIRS,), {"binary_output": True}, id="binary"),
    Case("math.bincount", (PAIRS, f([[1.0, 2.0], [3.0, 4.0]])), {"axis": -1}, id="weighted rows"),
    Case("math.bincount", (PAIRS, f([[1.0, 2.0], [3.0, 4.0]])), {"axis": 0}, id="weighted matrix"),
    raises("math.bincount", (i(-1, 2),), id="negative"),
    raises("math.bincount", (PAIRS,), {"axis": 1}, id="axis"),
    raises("math.bincount", (i(1, 2), f([1.0])), id="weights shape"),
    raises("math.bincount", (i(1), f([1.0])), {"binary_output": True}, id="binary with weights"),
    raises("math.bincount", (i(1, 2),), {"dtype": "int16"}, id="int16"),
    raises("math.bincount", (i(1, 2),), {"maxlength": -1}, id="negative length"),
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
