"""Rows for random numbers that depend on a given seed."""

import numpy as np

from cases.case import Case, f, i, raises
from cases.sampling import drawn

SEED = i(1, 2)
UNIFORM = "random.stateless_uniform"

CASES = [
    *[
        row
        for path in ("random.stateless_normal", "random.stateless_truncated_normal", UNIFORM)
        for row in (
            drawn(path, ([2, 3], [1, 2])),
            drawn(path, ([2, 3], i(1, 2, dtype="int64")), id="int64 seed"),
            drawn(path, ([2, 2], SEED, f(1, 2), f(3, 4)), id="parameters"),
            drawn(path, ([2], SEED), {"dtype": "float64"}, id="float64"),
            drawn(path, ([2], SEED), {"alg": "philox"}, id="philox"),
            raises(path, ([2], 1), id="scalar seed"),
            raises(path, ([2], [1, 2, 3]), id="long seed"),
            raises(path, ([2], [1.0, 2.0]), id="float seed"),
            raises(path, ([2], SEED), {"alg": "xx"}, id="algorithm"),
        )
    ],
    raises("random.stateless_normal", ([2], SEED), {"dtype": "int32"}, id="int"),
    drawn(UNIFORM, ([2], SEED, 1, 4, "int32"), id="int32"),
    drawn(UNIFORM, ([2], SEED, None, None, "int32"), id="full int32"),
    drawn(UNIFORM, ([2], SEED, None, None, "uint64"), id="full uint64"),
    raises(UNIFORM, ([2], SEED), {"dtype": "int32"}, id="no maxval"),
    raises(UNIFORM, ([2], SEED, 5, 5, "int32"), id="limits"),
    raises(UNIFORM, ([2], SEED, 0, 10, "uint32"), id="uint32 limits"),
    drawn("random.stateless_categorical", (f([[1, 2]]), 3, SEED)),
    Case("random.stateless_categorical", (f([[0, -np.inf]]), 3, SEED, "int32"), id="certain"),
    drawn("random.experimental.stateless_shuffle", (f(1, 2, 3), SEED)),
    Case("random.experimental.stateless_shuffle", (i(3, 3), SEED), id="equal"),
    drawn("random.split", (SEED,)),
    drawn("random.split", (SEED, 3), id="three"),
    drawn("random.fold_in", (SEED, 3)),
    drawn("random.experimental.stateless_split", (SEED, 3)),
    drawn("random.experimental.stateless_fold_in", (SEED, 3)),
]
