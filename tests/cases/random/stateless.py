"""Rows for tapefacade/_ops/random/stateless.py."""

import numpy as np

from cases.case import Case, d, f, i, raises
from cases.random.stateful import drawn

SEED = i(1, 2)
UNIFORM, CUT = "random.stateless_uniform", "random.stateless_parameterized_truncated_normal"
SHUFFLE = "random.experimental.stateless_shuffle"


def exact(path, inputs, static=None, id=""):
    """Normal numbers differ by 3 units in the last place, since logarithms and sines do."""
    return Case(path, inputs, static or {}, id=id, rtol=3e-6, atol=1e-6, numerical=False)


CASES = [
    *[
        row
        for path in ("random.stateless_normal", "random.stateless_truncated_normal", UNIFORM)
        for row in (
            exact(path, ([2, 3], [1, 2])),
            exact(path, ([51], i(-1, 2**40, dtype="int64")), id="int64 seed"),
            exact(path, ([2, 2], SEED, f(1, 2), f(3, 4)), id="parameters"),
            exact(path, ([5], SEED), {"dtype": "float64"}, id="float64"),
            exact(path, ([5], SEED), {"dtype": "float16"}, id="float16"),
            exact(path, ([5], SEED), {"dtype": "bfloat16"}, id="bfloat16"),
            exact(path, ([], SEED), {"alg": "philox"}, id="philox"),
            exact(path, ([0, 2], SEED), {"alg": 1}, id="empty"),
            raises(path, ([2], 1), id="scalar seed"),
            raises(path, ([2], [1, 2, 3]), id="long seed"),
            raises(path, ([2], [1.0, 2.0]), id="float seed"),
            raises(path, ([2], SEED), {"alg": "xx"}, id="algorithm"),
            raises(path, ([2], SEED), {"alg": "threefry"}, id="threefry"),
        )
    ],
    raises(UNIFORM, ([2], SEED), {"alg": 7}, id="unknown algorithm"),
    raises(UNIFORM, ([2], SEED), {"alg": 1.5}, id="float algorithm"),
    raises("random.stateless_normal", ([2], SEED), {"dtype": "int32"}, id="int"),
    Case(UNIFORM, ([9], SEED, -3, 4, "int32"), id="int32"),
    Case(UNIFORM, ([9], SEED, -3, 2**40, "int64"), id="int64"),
    Case(UNIFORM, ([5], SEED, None, None, "int32"), id="full int32"),
    Case(UNIFORM, ([5], SEED, None, None, "uint64"), id="full uint64"),
    raises(UNIFORM, ([2], SEED), {"dtype": "int32"}, id="no maxval"),
    raises(UNIFORM, ([2], SEED, 5, 5, "int32"), id="limits"),
    raises(UNIFORM, ([2], SEED, 0, 10, "uint32"), id="uint32 limits"),
    Case("random.stateless_categorical", (f([[1, 2, -1]]), 9, SEED)),
    Case("random.stateless_categorical", (d([[0, 2, 1], [1, 0, 0]]), 3, SEED), id="float64"),
    Case("random.stateless_categorical", (f([[0, -np.inf]]), 3, SEED, "int32"), id="certain"),
    Case("random.stateless_categorical", (f([[0, np.inf, np.nan]]), 3, SEED), id="not finite"),
    drawn(SHUFFLE, (f(1, 2, 3), SEED)),
    Case(SHUFFLE, (i(3, 3), SEED), id="equal"),
    raises(SHUFFLE, (i(3, 3), SEED), {"alg": "threefry"}, id="threefry"),
    Case("random.split", (SEED,)),
    Case("random.split", (i(1, 2, dtype="int64"), 3), id="int64"),
    Case("random.fold_in", (SEED, 3)),
    Case("random.fold_in", (SEED, i(3, dtype="int64")), id="int64"),
    Case("random.experimental.stateless_split", (SEED, 3)),
    Case("random.experimental.stateless_fold_in", (SEED, 3)),
    *[
        exact(CUT, inputs, id=id)
        for id, inputs in {
            "": ([3], SEED),
            "parameters": ([2, 3], SEED, f(0, 1, 2), f(1.5), f(-1.0), f(3, 4, 5)),
            "float64": ([2], SEED, d(0.0), d(1.0), d(-1.0), d(1.0)),
            "many": ([100, 2], SEED, f(0, 1), f(1, 2), f(-2.0), f(2, 4)),
            "between near limits": ([100], SEED, f(0.0), f(1.0), f(-0.5), f(0.7)),
            "tail": ([100], SEED, f(0.0), f(1.0), f(3.0), f(np.inf)),
            "lower tail": ([30, 2], SEED, d(1.0), d(0.5, 3.0), d(-np.inf), d(-1.0)),
            "none": ([0], SEED, f(0.0), f(1.0), f(3.0), f(4.0)),
            "float16": ([50], SEED, *(np.float16(x) for x in (0, 1, -1.5, 1))),
        }.items()
    ],
    raises(CUT, ([3, 2], SEED, f(0, 1, 2)), id="shape"),
    raises(CUT, ([3], SEED, f(0.0), f(1.0), f(2.0), f(1.0)), id="limits"),
    raises(CUT, ([3], SEED, f(0.0), f(1.0), f(-np.inf), f(np.inf)), id="no limits"),
    raises(CUT, ([3], SEED, f(0, 1), f(1, 2, 3)), id="broadcast"),
    raises(CUT, ([3], SEED, f(0.0), f(-1.0)), id="negative"),
]
