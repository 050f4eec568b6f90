"""Rows for tapefacade/_ops/image/resizing.py."""

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

CASES_RESIZING = [
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


RANDOM = np.random.default_rng(0)
A_CROPPING = RANDOM.uniform(size=(2, 4, 5, 2)).astype("float32")
BOXES = f([[0.1, 0.1, 0.8, 0.9], [-0.3, 0.2, 0.5, 1.3], [0.7, 0.9, 0.1, 0.2]])
WHICH = i(0, 1, 0)
ALL = f([[0.0, 0.0, 1.0, 1.0]])
CROP = "image.crop_and_resize"

CASES_CROPPING = [
    # TensorFlow cannot differentiate the gradient for boxes: rows with a gradient compare the error
    # that the second one raises, so boxes are Python values where a gradient is compared.
    Case(CROP, (A_CROPPING, BOXES.tolist(), WHICH, [3, 4]), rtol=1e-5, id="image"),
    Case(CROP, (A_CROPPING, BOXES.tolist(), WHICH, [3, 4], "nearest"), id="image nearest"),
    Case(CROP, (A_CROPPING, BOXES, WHICH, [3, 4]), rtol=1e-5, gradient=False),
    Case(CROP, (A_CROPPING, BOXES, WHICH, [3, 4], "nearest", -1.0), id="nearest", gradient=False),
    Case(CROP, (A_CROPPING, ALL, [1], [4, 5]), id="same size", gradient=False, rtol=1e-5),
    Case(CROP, (A_CROPPING, ALL, [1], [1, 1]), id="one pixel", gradient=False, rtol=1e-5),
    Case(
        CROP,
        (d(A_CROPPING), [[0.0, 0.0, 0.5, 0.5]], [1], i(2, 2)),
        id="float64",
        rtol=1e-5,
        numerical=False,
    ),
    Case(
        CROP,
        (A_CROPPING.astype("float16"), [[0.0, 0.0, 1, 0.5]], [1], [2, 3]),
        id="half",
        rtol=1e-5,
    ),
    Case(
        CROP, (i(A_CROPPING * 9, dtype="uint8"), BOXES, WHICH, [2, 3]), id="uint8", gradient=False
    ),
    Case(CROP, (A_CROPPING, f(np.zeros((0, 4))), i([]), [2, 3]), id="no boxes", gradient=False),
    raises(CROP, (b(A_CROPPING > 0), BOXES, WHICH, [2, 3]), id="bool"),
    raises(CROP, (A_CROPPING, BOXES, WHICH, [2, 3], "bicubic"), id="method"),
    raises(CROP, (A_CROPPING, BOXES, [0, 2, 0], [2, 3]), id="index"),
    raises(CROP, (A_CROPPING, BOXES, [0, -1, 0], [2, 3]), id="negative index"),
    raises(CROP, (A_CROPPING, f([[np.nan, 0, 1, 1]]), [0], [2, 3]), id="nan"),
    raises(CROP, (A_CROPPING, BOXES, [0, 1], [2, 3]), id="count"),
    raises(CROP, (A_CROPPING, BOXES, [[0, 1]], [2, 3]), id="index rank"),
    raises(CROP, (A_CROPPING, BOXES[:, :3], WHICH, [2, 3]), id="columns"),
    raises(CROP, (A_CROPPING, BOXES[0], [0], [2, 3]), id="box rank"),
    raises(CROP, (A_CROPPING, BOXES, WHICH, [0, 3]), id="no size"),
    raises(CROP, (A_CROPPING, BOXES, WHICH, [1, 2, 3]), id="three sizes"),
    raises(CROP, (A_CROPPING, BOXES, WHICH, 3), id="one size"),
    raises(CROP, (A_CROPPING, BOXES, WHICH, [2.0, 3]), id="float size"),
    raises(CROP, (A_CROPPING[0], BOXES, WHICH, [2, 3]), id="rank"),
    raises(CROP, (A_CROPPING[:, :0], BOXES, WHICH, [2, 3]), id="no height"),
]


CASES = [*CASES_RESIZING, *CASES_CROPPING]
