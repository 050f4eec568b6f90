"""Rows for tapefacade/_ops/random/index_shuffle.py."""

from cases.case import Case, f, i, raises

SHUFFLE, KERNEL = "random.experimental.index_shuffle", "random_index_shuffle"
FIVE = i(0, 1, 2, 3, 4)

CASES = [
    Case(SHUFFLE, (FIVE, [1, 2], 4), values=False),
    Case(SHUFFLE, (3, [1, 2], 4), id="scalar", values=False),
    Case(SHUFFLE, (FIVE.astype("int64"), [1, 2], 4), id="int64", values=False),
    Case(SHUFFLE, (i(0, 1), [1, 2], [3, 1]), id="limits", values=False),
    Case(SHUFFLE, (i(1), [1, 2], [3, 3]), id="one index", values=False),
    Case(SHUFFLE, (0, [1, 2], 0), id="zero"),
    raises(SHUFFLE, (FIVE, [1, 2], i(4, dtype="int64")), id="dtypes"),
    raises(SHUFFLE, (FIVE, [1, 2, 3], 4), id="long seed"),
    raises(SHUFFLE, (FIVE, [1], 4), id="short seed"),
    raises(SHUFFLE, (FIVE, [1, 2], 3), id="too large"),
    raises(SHUFFLE, (-1, [1, 2], 3), id="negative"),
    raises(SHUFFLE, (0, [1, 2], -3), id="negative limit"),
    raises(SHUFFLE, (f(0.0), [1, 2], f(3.0)), id="float"),
    raises(SHUFFLE, (FIVE, [1.0, 2.0], 4), id="float seed"),
    raises(SHUFFLE, (i([[1]]), [1, 2], 3), id="matrix"),
    raises(SHUFFLE, (i(1, 2), [1, 2], [3, 4, 5]), id="lengths"),
    raises(SHUFFLE, (i(1, 2), [1, 2], [[3]]), id="matrix of limits"),
    Case(KERNEL, (i(0, 1), [[1, 2, 3], [3, 4, 5]], 4), id="seeds", values=False),
    Case(KERNEL, (i(1), i(1, 2, 3), 4), values=False),
    raises(KERNEL, (1, [1, 2], 4), id="short seed"),
    raises(KERNEL, (i(0, 1), [[1, 2, 3]], 4), id="one seed"),
]
