"""Rows for tapefacade/_ops/image/boxes.py."""

import numpy as np

from cases.case import Case, d, f, i, raises
from cases.random.stateful import drawn

A = np.random.default_rng(0).uniform(size=(2, 5, 6, 3)).astype("float32")
BOXES = f([[[0.1, 0.2, 0.7, 0.8], [0, 0, 1, 1]], [[0.5, 0.5, 0.4, 0.6], [-0.5, 0.3, 0.9, 1.5]]])
COLOURS = f([[1, 0, 0.3], [0, 1, 0.5]])
ROWS = f([[[k / 14, 0, k / 14, 0] for k in range(13)]])
BLANK = f(np.zeros((1, 15, 3, 4)))
DRAW = "image.draw_bounding_boxes"


def plain(*inputs, id=""):
    return Case(DRAW, inputs, id=id, gradient=False)


CASES_BOXES = [
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


SIZE, BOX = i(100, 200, 3), f([[[0.2, 0.2, 0.5, 0.5], [0.1, 0.3, 0.4, 0.9]]])
SAMPLE = "image.sample_distorted_bounding_box"
STATELESS = "image.stateless_sample_distorted_bounding_box"
WHOLE = {"aspect_ratio_range": (2.0, 2.0), "area_range": (1.0, 1.0)}


def refused(id, **static):
    return raises(SAMPLE, (SIZE, BOX), static, id=id)


CASES_RANDOM_BOXES = [
    drawn(SAMPLE, (SIZE, BOX)),
    drawn(SAMPLE, ([100, 200, 3], BOX, 3), id="seed"),
    drawn(SAMPLE, (i(100, 20, 3, dtype="int64"), BOX), id="int64"),
    Case(SAMPLE, (i(100, 200, 3, dtype="uint8"), BOX), WHOLE, id="whole"),
    Case(SAMPLE, (SIZE, BOX), {"min_object_covered": 2.0}, id="impossible"),
    Case(SAMPLE, (SIZE, f([[[0.6, 0.2, 0.5, 0.5]]])), id="no object"),
    Case(SAMPLE, (SIZE, BOX[:, :0]), {**WHOLE, "use_image_if_no_bounding_boxes": True}, id="none"),
    raises(SAMPLE, (SIZE, BOX[:, :0]), id="no boxes"),
    raises(SAMPLE, (SIZE[:2], BOX), id="two sizes"),
    raises(SAMPLE, ([[1, 2, 3]], BOX), id="size rank"),
    raises(SAMPLE, (f(1.0, 2.0, 3.0), BOX), id="size type"),
    raises(SAMPLE, (SIZE, BOX[0]), id="box rank"),
    raises(SAMPLE, (SIZE, BOX[..., :3]), id="box"),
    raises(SAMPLE, (SIZE, BOX * f(2.5)), id="box range"),
    refused("covered", min_object_covered=-1.0),
    refused("ratio", aspect_ratio_range=[0.5]),
    refused("negative ratio", aspect_ratio_range=[-0.5, 1.0]),
    refused("area", area_range=[0.5, 1.5]),
    refused("no area", area_range=[0.0, 1.0]),
    refused("attempts", max_attempts=0),
    drawn(STATELESS, (SIZE, BOX, (1, 2))),
    drawn(STATELESS, (SIZE, BOX, i(1, 2, dtype="int64")), {"area_range": [0.1, 0.5]}, id="area"),
    Case(STATELESS, (SIZE, BOX, (1, 2)), WHOLE, id="whole"),
    raises(STATELESS, (SIZE, BOX, (1, 2, 3)), id="seed"),
]


CASES = [*CASES_BOXES, *CASES_RANDOM_BOXES]
