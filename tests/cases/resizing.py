"""Rows for images of other sizes."""

import numpy as np

from cases.case import Case, b, d, f, i, raises

G = np.arange(16, dtype="float32").reshape(1, 4, 4, 1)
A = np.arange(12, dtype="float32").reshape(2, 2, 3) / 12
U = (A * 255).astype("uint8")
RESIZE = "image.resize"
METHODS = [
    "bilinear",
    "nearest",
    "bicubic",
    "area",
    "lanczos3",
    "lanczos5",
    "gaussian",
    "mitchellcubic",
]

CASES = [
    *[
        # TensorFlow cannot differentiate the gradient of most methods.
        Case(
            RESIZE,
            (G, size),
            {"method": method, "antialias": antialias},
            id=f"{method} {antialias} {size}",
            rtol=3e-6,
            gradient=method == "nearest" or (method == "bilinear" and not antialias),
        )
        for method in METHODS
        for antialias in (False, True)
        for size in ([2, 3], [6, 5], [4, 4], [1, 7])
    ],
    Case(RESIZE, (A, [3, 3])),
    Case(RESIZE, (A, i(4, 2)), id="tensor size"),
    Case(RESIZE, (d(A), [3, 3]), id="float64", numerical=False),
    Case(RESIZE, (A.astype("float16"), [3, 3]), id="float16"),
    Case(RESIZE, (A.astype("float16"), [3, 3], "nearest"), id="float16 nearest"),
    Case(RESIZE, (U, [3, 3]), id="uint8"),
    Case(RESIZE, (U, [3, 3], "nearest"), id="uint8 nearest"),
    Case(RESIZE, (U, [2, 2], "area"), id="uint8 same size"),
    Case(RESIZE, (G, [2, 8]), {"preserve_aspect_ratio": True}, id="aspect"),
    Case(RESIZE, (G, [6, 8]), {"preserve_aspect_ratio": True}, id="aspect up", rtol=2e-6),
    Case(RESIZE, (f(np.zeros((0, 2, 2, 1))), [3, 3]), id="no images"),
    Case(RESIZE, (f(np.zeros((2, 3, 3, 2))) + 2, [2, 2], "area"), id="batch", gradient=False),
    Case(RESIZE, (A, [3, 3], "area"), id="area gradient"),
    raises(RESIZE, (A, 4), id="int"),
    raises(RESIZE, (A, [1, 2, 3]), id="three"),
    raises(RESIZE, (A, [0, 2]), id="zero"),
    raises(RESIZE, (A, [3.0, 3.0]), id="float"),
    raises(RESIZE, (A[0], [2, 2]), id="rank"),
    raises(RESIZE, (A, [3, 3], "xx"), id="method"),
    raises(RESIZE, (b([[[True]]]), [3, 3]), id="bool"),
    raises(RESIZE, (f(np.zeros((1, 0, 2, 1))), [3, 3]), id="no pixels"),
    Case("image.resize_with_pad", (G, 2, 3)),
    Case("image.resize_with_pad", (G, 6, 4), id="high"),
    Case("image.resize_with_pad", (A, 3, 4), id="rank 3"),
    Case("image.resize_with_pad", (G[:, :2], 3, 3), id="wide", rtol=2e-6),
    Case("image.resize_with_pad", (G, 3, 5, "nearest"), id="nearest"),
    Case("image.resize_with_pad", (G, 2, 2), {"antialias": True}, id="antialias", gradient=False),
    raises("image.resize_with_pad", (A, 0, 1), id="zero"),
]
