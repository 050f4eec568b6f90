"""Rows for tapefacade/_ops/array/scattering.py."""

from cases.case import Case, b, c, d, f, i, raises

M = f([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
V = f(1.0, 2.0, 3.0)
ALL = ("update", "add", "sub", "max", "min")

CASES = [
    Case("scatter_nd", (i([[1], [3]]), f(5.0, 6.0), [5])),
    Case("scatter_nd", (i([[1], [1]]), f(5.0, 6.0), [3]), id="repeated"),
    Case("scatter_nd", (i([[1]]), f([[5.0, 6.0]]), i(3, 2)), id="rows"),
    Case("scatter_nd", (i([[0, 1], [1, 0]]), d(5.0, 6.0), [2, 2]), id="float64"),
    Case("scatter_nd", (i([[0]], dtype="int64"), i([5]), [3]), id="int64"),
    Case("scatter_nd", (i([[0], [2]]), b(True, True), [3]), id="bool"),
    Case("scatter_nd", (i([[0]]), c([1j]), [2]), id="complex"),
    Case(
        "scatter_nd",
        ([[4]], f([5.0]), [3]),
        {"bad_indices_policy": "IGNORE"},
        gradient=False,
        id="ignore",
    ),
    raises("scatter_nd", ([[1], [5]], [5.0, 6.0], [3]), id="out of range"),
    raises("scatter_nd", ([[-1]], [5.0], [3]), id="negative"),
    raises("scatter_nd", ([[1]], [5.0, 6.0], [3]), id="lengths"),
    raises("scatter_nd", ([[1]], [5.0], [3, 2]), id="slices"),
    raises("scatter_nd", ([[0, 0, 0]], [5.0], [3]), id="too long"),
    raises("scatter_nd", ([[0.0]], [5.0], [3]), id="float"),
    raises("scatter_nd", ([[0]], [5.0], [-1]), id="negative shape"),
    raises("scatter_nd", ([[0]], [5.0], 3), id="integer shape"),
    raises("scatter_nd", ([[0]], [5.0], [0]), id="empty shape"),
    raises("scatter_nd", ([0], 5.0, [3]), id="scalar update"),
    *[Case(f"tensor_scatter_nd_{n}", (V, i([[0], [2]]), f(1.0, 9.0))) for n in ALL],
    *[Case(f"tensor_scatter_nd_{n}", (V, i([[0], [0]]), f(9.0, 9.0)), id="repeated") for n in ALL],
    *[Case(f"tensor_scatter_nd_{n}", (M, [[0]], f([[9.0, -8.0, 3.0]])), id="rows") for n in ALL],
    *[
        Case(f"tensor_scatter_nd_{n}", (d([[1.0, 2.0]]), i([[0, 1]]), d([5.0])), id="float64")
        for n in ALL
    ],
    *[
        Case(f"tensor_scatter_nd_{n}", (i(1, 5), i([[1], [1]], dtype="int64"), i(9, 2)), id="int")
        for n in ALL
    ],
    *[Case(f"tensor_scatter_nd_{n}", (M, [[0, 1]], [9]), id="python") for n in ALL],
    *[raises(f"tensor_scatter_nd_{n}", (V, [[3]], [9.0]), id="out of range") for n in ALL],
    *[raises(f"tensor_scatter_nd_{n}", (V, [[-1]], [9.0]), id="negative") for n in ALL],
    *[raises(f"tensor_scatter_nd_{n}", (M, [[0]], [9.0]), id="slices") for n in ALL],
    *[raises(f"tensor_scatter_nd_{n}", (V, [[0], [1]], [9.0]), id="lengths") for n in ALL],
    *[raises(f"tensor_scatter_nd_{n}", (V, [[0.0]], [9.0]), id="float") for n in ALL],
    Case("tensor_scatter_nd_update", (b(True, False), [[1]], b([True])), id="bool"),
    Case("tensor_scatter_nd_add", (c(1j, 2), [[1]], c([3j])), id="complex"),
    Case("tensor_scatter_nd_update", (V, i([[0]])[:0], f([])), id="nothing"),
    Case("tensor_scatter_nd_add", (V, [[5]], [9.0], "IGNORE"), gradient=False, id="ignore"),
    raises("tensor_scatter_nd_update", (V, [[0, 0]], [9.0]), id="too long"),
    raises("tensor_scatter_nd_update", (V, [0], 9.0), id="scalar update"),
    raises("tensor_scatter_nd_update", (f([]), [[0]], [1.0]), id="empty"),
    raises("tensor_scatter_nd_update", (i(1, 2), [[0]], [1.5]), id="float into int"),
]
