"""Rows for tapefacade/_ops/array/padding.py."""

import numpy as np

from cases.case import Case, b, d, f, i, raises

M = f([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
V = f(1.0, 2.0, 3.0)
IMAGE = np.arange(16, dtype=np.float32).reshape(1, 4, 4, 1)
DEEP = np.arange(16, dtype=np.float32).reshape(1, 2, 2, 4)

CASES = [
    Case("pad", (V, [[1, 2]])),
    Case("pad", (M, [[1, 0], [0, 2]]), id="matrix"),
    Case("pad", (V, i([[1, 2]])), id="tensor margins"),
    Case("pad", (V, [[1, 2]], "CONSTANT", f(9.0)), id="value"),
    Case("pad", (V, [[1, 2]]), {"constant_values": 9}, id="number"),
    Case("pad", (d(1.0, 2.0), [[0, 1]]), id="float64"),
    Case("pad", (i(1, 2), [[1, 1]]), id="int"),
    Case("pad", (b([True]), [[1, 1]]), id="bool"),
    Case("pad", (V, [[1, 2]], "REFLECT"), id="reflect"),
    Case("pad", (V, [[1, 2]], "reflect"), id="lower case"),
    Case("pad", (M, [[1, 0], [2, 1]], "REFLECT"), id="reflect matrix"),
    Case("pad", (V, [[3, 2]], "SYMMETRIC"), id="symmetric"),
    Case("pad", (d([[1.0, 2.0]]), [[1, 1], [2, 0]], "SYMMETRIC"), id="symmetric float64"),
    Case("pad", (V, [[0, 0]], "REFLECT"), id="no margins"),
    raises("pad", (V, [[3, 2]], "REFLECT"), id="reflect too far"),
    raises("pad", (V, [[4, 2]], "SYMMETRIC"), id="symmetric too far"),
    raises("pad", (V, [[1, 2]], "FOO"), id="mode"),
    raises("pad", (V, [[1, 2], [1, 2]]), id="rank"),
    raises("pad", (V, [1, 2]), id="vector"),
    raises("pad", (V, [[1, 2, 3]]), id="columns"),
    raises("pad", (V, [[1, -1]]), id="negative"),
    raises("pad", (V, [[1, -1]], "REFLECT"), id="negative reflect"),
    raises("pad", (V, [[1.5, 2.0]]), id="float"),
    raises("pad", (i(1, 2), [[1, 1]]), {"constant_values": 1.5}, id="float into int"),
    raises("pad", (V, [[1, 2]]), {"constant_values": [1.0, 2.0]}, id="vector value"),
    raises("pad", (V, [[1, 2]], "CONSTANT", d(3.0)), id="dtypes"),
    Case("nn.space_to_depth", (IMAGE, 2)),
    Case("nn.space_to_depth", (np.arange(8.0).reshape(1, 2, 2, 2), 2), id="float64"),
    raises("nn.space_to_depth", (IMAGE[:, :3], 2), id="size"),
    raises("nn.space_to_depth", (M, 2), id="rank"),
    raises("nn.space_to_depth", (IMAGE, 1), id="small block"),
    raises("nn.space_to_depth", (IMAGE, 2, "FOO"), id="format"),
    Case("nn.depth_to_space", (DEEP, 2)),
    Case("nn.depth_to_space", (np.arange(8.0).reshape(1, 1, 1, 8), 2), id="float64"),
    raises("nn.depth_to_space", (IMAGE, 2), id="depth"),
    raises("nn.depth_to_space", (M, 2), id="rank"),
    Case("space_to_batch", (IMAGE, [2, 2], [[0, 0], [0, 0]])),
    Case("space_to_batch", (IMAGE, [2, 2], [[1, 1], [0, 2]]), id="margins"),
    Case("space_to_batch", (d([[1.0, 2.0, 3.0, 4.0]]), [2], [[0, 0]]), id="float64"),
    raises("space_to_batch", (IMAGE[:, :3], [2, 2], [[0, 0], [0, 0]]), id="size"),
    raises("space_to_batch", (IMAGE, [2, 2], [[0, 0]]), id="margins of one"),
    raises("space_to_batch", (IMAGE, [2, 0], [[0, 0], [0, 0]]), id="no block"),
    raises("space_to_batch", (IMAGE, [2, 2], [[0, -1], [0, 0]]), id="negative"),
    Case("batch_to_space", (IMAGE.reshape(4, 2, 2, 1), [2, 2], [[0, 0], [0, 0]])),
    Case("batch_to_space", (IMAGE.reshape(8, 1, 2, 1), [2, 2], [[0, 1], [1, 0]]), id="crops"),
    Case("batch_to_space", (d([[1.0], [2.0], [3.0], [4.0]]), [2], [[0, 0]]), id="float64"),
    raises("batch_to_space", (IMAGE.reshape(2, 2, 4, 1), [2, 2], [[0, 0], [0, 0]]), id="batch"),
    Case("reverse_sequence", (M, i(2, 3)), {"seq_axis": 1, "batch_axis": 0}),
    Case("reverse_sequence", (M, [2, 0], 1), id="python"),
    Case("reverse_sequence", (d([[1.0, 2.0], [3.0, 4.0]]), i(1, 2), 0, 1), id="float64"),
    raises("reverse_sequence", (M, [2, 4], 1), id="too long"),
    raises("reverse_sequence", (M, [2, -1], 1), id="negative"),
    raises("reverse_sequence", (M, [2], 1), id="lengths"),
    raises("reverse_sequence", (M, [2, 3], 0, 0), id="same axis"),
    raises("reverse_sequence", (M, [2, 3], 3), id="axis out of range"),
    raises("reverse_sequence", (M, [2, 3]), id="no axis"),
]
