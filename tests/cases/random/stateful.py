"""Rows for tapefacade/_ops/random/stateful.py."""

import numpy as np

from cases.case import Case, d, f, i, raises


def drawn(path, inputs, static=None, id=""):
    return Case(path, inputs, static or {}, id=id, values=False, numerical=False)


NORMAL, CUT, UNIFORM, CLASSES = (
    "random.normal",
    "random.truncated_normal",
    "random.uniform",
    "random.categorical",
)

CASES = [
    Case("random.set_seed", (3,)),
    *[
        row
        for path in (NORMAL, CUT)
        for row in (
            drawn(path, ([2, 3],)),
            drawn(path, ((2,), 0, 1, "float64"), id="float64"),
            drawn(path, ([2],), {"dtype": "float16"}, id="float16"),
            drawn(path, ([2],), {"dtype": "bfloat16"}, id="bfloat16"),
            drawn(path, ([],), id="scalar"),
            drawn(path, ([0, 2],), id="empty"),
            drawn(path, (i(2, 3),), id="tensor shape"),
            drawn(path, ([2, 2], f(1, 2), f(0.5)), id="parameters"),
            drawn(path, ([2, 2], d(1, 2), 1.0, "float64"), id="parameters float64"),
            drawn(path, ([2],), {"mean": 1, "stddev": 2}, id="ints"),
            drawn(path, ([2],), {"seed": 1}, id="seed"),
            raises(path, (2,), id="int shape"),
            raises(path, ([-1],), id="negative"),
            raises(path, ([[2]],), id="matrix shape"),
            raises(path, (None,), id="None"),
            raises(path, ([2],), {"dtype": "int32"}, id="int"),
            raises(path, ([2],), {"dtype": "complex64"}, id="complex"),
            raises(path, ([2, 3],), {"mean": [1.0, 2.0]}, id="mean shape"),
        )
    ],
    drawn(NORMAL, ([2, 3], f(np.zeros((4, 1, 3)))), id="larger mean"),
    drawn(UNIFORM, ([2],)),
    drawn(UNIFORM, ([2], 0, 10), id="ints for floats"),
    drawn(UNIFORM, ([2],), {"dtype": "float64"}, id="float64"),
    drawn(UNIFORM, ([2], 1, 10, "int32"), id="int32"),
    drawn(UNIFORM, ([2],), {"maxval": 10, "dtype": "int64"}, id="int64"),
    drawn(UNIFORM, ([2],), {"maxval": i(3), "dtype": "int32"}, id="tensor limit"),
    drawn(UNIFORM, ([2], f(1.0), f(3.0)), id="limits"),
    drawn(UNIFORM, ([2], 0.0, [1.0, 2.0]), id="broadcast"),
    drawn(UNIFORM, ([2], 5.0, 2.0), id="reversed"),
    drawn(UNIFORM, ([0], 5, 2), {"dtype": "int32"}, id="empty"),
    Case(UNIFORM, ([3], 4, 5, "int32"), id="one value"),
    raises(UNIFORM, ([2],), {"dtype": "int32"}, id="no maxval"),
    raises(UNIFORM, ([2], 5, 5, "int32"), id="equal limits"),
    raises(UNIFORM, ([2], 5, 2, "int32"), id="reversed limits"),
    raises(UNIFORM, ([2], 0, [2, 3], "int32"), id="vector limit"),
    raises(UNIFORM, ([2],), {"maxval": 2.5, "dtype": "int32"}, id="float limit"),
    raises(UNIFORM, ([2],), {"dtype": "uint8"}, id="uint8"),
    raises(UNIFORM, ([2],), {"dtype": "bool"}, id="bool"),
    drawn(CLASSES, (f([[0.5, 0.5]]), 5)),
    drawn(CLASSES, (d([[0.5, 0.5]]), 5, "int32"), id="int32"),
    drawn(CLASSES, (f(np.zeros((0, 2))), 3), id="no rows"),
    drawn(CLASSES, (f([[1, 2]]), 0), id="no samples"),
    Case(CLASSES, (f([[-np.inf, 0, -np.inf]]), 4), id="certain"),
    raises(CLASSES, (f(0.5, 0.5), 5), id="vector"),
    raises(CLASSES, (f(np.zeros((2, 0))), 3), id="no classes"),
    raises(CLASSES, (f([[1, 2]]), -1), id="negative"),
    raises(CLASSES, (f([[1, 2]]), 2.0), id="float samples"),
    raises(CLASSES, (f([[1, 2]]), [2]), id="vector samples"),
    raises(CLASSES, (f([[1, 2]]), 2, "float32"), id="dtype"),
    drawn("random.shuffle", (f(1, 2, 3),)),
    drawn("random.shuffle", (i([[1, 2], [3, 4]]),), id="int"),
    Case("random.shuffle", (f(3, 3),), {"seed": 1}, id="equal"),
    Case("random.shuffle", (i(1),), id="scalar"),
    Case("random.shuffle", (f(np.zeros(0)),), id="empty"),
]
