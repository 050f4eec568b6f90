"""Rows for boxes cut out of images."""

import numpy as np

from cases.case import Case, b, d, f, i, raises

RANDOM = np.random.default_rng(0)
A = RANDOM.uniform(size=(2, 4, 5, 2)).astype("float32")
BOXES = f([[0.1, 0.1, 0.8, 0.9], [-0.3, 0.2, 0.5, 1.3], [0.7, 0.9, 0.1, 0.2]])
WHICH = i(0, 1, 0)
ALL = f([[0.0, 0.0, 1.0, 1.0]])
CROP = "image.crop_and_resize"

CASES = [
    # TensorFlow cannot differentiate the gradient for boxes: rows with a gradient compare the error
    # that the second one raises, so boxes are Python values where a gradient is compared.
    Case(CROP, (A, BOXES.tolist(), WHICH, [3, 4]), rtol=1e-5, id="image"),
    Case(CROP, (A, BOXES.tolist(), WHICH, [3, 4], "nearest"), id="image nearest"),
    Case(CROP, (A, BOXES, WHICH, [3, 4]), rtol=1e-5, gradient=False),
    Case(CROP, (A, BOXES, WHICH, [3, 4], "nearest", -1.0), id="nearest", gradient=False),
    Case(CROP, (A, ALL, [1], [4, 5]), id="same size", gradient=False, rtol=1e-5),
    Case(CROP, (A, ALL, [1], [1, 1]), id="one pixel", gradient=False, rtol=1e-5),
    Case(
        CROP, (d(A), [[0.0, 0.0, 0.5, 0.5]], [1], i(2, 2)), id="float64", rtol=1e-5, numerical=False
    ),
    Case(CROP, (A.astype("float16"), [[0.0, 0.0, 1, 0.5]], [1], [2, 3]), id="half", rtol=1e-5),
    Case(CROP, (i(A * 9, dtype="uint8"), BOXES, WHICH, [2, 3]), id="uint8", gradient=False),
    Case(CROP, (A, f(np.zeros((0, 4))), i([]), [2, 3]), id="no boxes", gradient=False),
    raises(CROP, (b(A > 0), BOXES, WHICH, [2, 3]), id="bool"),
    raises(CROP, (A, BOXES, WHICH, [2, 3], "bicubic"), id="method"),
    raises(CROP, (A, BOXES, [0, 2, 0], [2, 3]), id="index"),
    raises(CROP, (A, BOXES, [0, -1, 0], [2, 3]), id="negative index"),
    raises(CROP, (A, f([[np.nan, 0, 1, 1]]), [0], [2, 3]), id="nan"),
    raises(CROP, (A, BOXES, [0, 1], [2, 3]), id="count"),
    raises(CROP, (A, BOXES, [[0, 1]], [2, 3]), id="index rank"),
    raises(CROP, (A, BOXES[:, :3], WHICH, [2, 3]), id="columns"),
    raises(CROP, (A, BOXES[0], [0], [2, 3]), id="box rank"),
    raises(CROP, (A, BOXES, WHICH, [0, 3]), id="no size"),
    raises(CROP, (A, BOXES, WHICH, [1, 2, 3]), id="three sizes"),
    raises(CROP, (A, BOXES, WHICH, 3), id="one size"),
    raises(CROP, (A, BOXES, WHICH, [2.0, 3]), id="float size"),
    raises(CROP, (A[0], BOXES, WHICH, [2, 3]), id="rank"),
    raises(CROP, (A[:, :0], BOXES, WHICH, [2, 3]), id="no height"),
]
