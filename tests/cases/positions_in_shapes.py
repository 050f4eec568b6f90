"""Rows for flat positions as positions in a shape."""

from cases.case import Case, f, i, raises

UNRAVEL = "unravel_index"

CASES = [
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
