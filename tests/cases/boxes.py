"""Rows for boxes drawn on images."""

import numpy as np

from cases.case import Case, d, f, i, raises

A = np.random.default_rng(0).uniform(size=(2, 5, 6, 3)).astype("float32")
BOXES = f([[[0.1, 0.2, 0.7, 0.8], [0, 0, 1, 1]], [[0.5, 0.5, 0.4, 0.6], [-0.5, 0.3, 0.9, 1.5]]])
COLOURS = f([[1, 0, 0.3], [0, 1, 0.5]])
ROWS = f([[[k / 14, 0, k / 14, 0] for k in range(13)]])
BLANK = f(np.zeros((1, 15, 3, 4)))
DRAW = "image.draw_bounding_boxes"


def plain(*inputs, id=""):
    return Case(DRAW, inputs, id=id, gradient=False)


CASES = [
    plain(A, BOXES, COLOURS),
    plain(A, BOXES, COLOURS[:1], id="one colour"),
    plain(A, BOXES, COLOURS[:0], id="no colours"),
    plain(A, BOXES[:, :0], COLOURS, id="no boxes"),
    plain(A[..., :1], BOXES, COLOURS, id="grey"),
    plain(A.astype("float16"), BOXES, COLOURS, id="half"),
    plain(BLANK, ROWS, f(np.eye(4)), id="rgba"),
    plain(BLANK, ROWS, None, id="ten colours"),
    plain(BLANK[..., :1], ROWS, None, id="ten colours grey"),
    plain(
        A[:1],
        f([[[np.nan, 0, 1, 1], [0, np.inf, 1, 1], [-0.1, -0.9, 0.5, 0.5]]]),
        COLOURS,
        id="nan",
    ),
    Case(DRAW, (A, BOXES, COLOURS), id="gradient"),
    Case(DRAW, (A, BOXES.tolist(), None), id="gradient of none"),
    raises(DRAW, (A[0], BOXES, COLOURS), id="rank"),
    raises(DRAW, (A, BOXES[0], COLOURS), id="box rank"),
    raises(DRAW, (A[:1], BOXES, COLOURS), id="batch"),
    raises(DRAW, (A, BOXES[..., :3], COLOURS), id="box"),
    raises(DRAW, (A[..., :2], BOXES, COLOURS), id="channels"),
    raises(DRAW, (A, BOXES, COLOURS[:, :2]), id="colour channels"),
    raises(DRAW, (A, BOXES, COLOURS[0]), id="colour rank"),
    raises(DRAW, (i(A * 9, dtype="uint8"), BOXES, COLOURS), id="uint8"),
    raises(DRAW, (A, d(BOXES), COLOURS), id="box type"),
    raises(DRAW, (A, BOXES, d(COLOURS)), id="colour type"),
]
