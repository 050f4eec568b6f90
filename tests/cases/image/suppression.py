"""Rows for tapefacade/_ops/image/suppression.py."""

import numpy as np

from cases.case import Case, d, f, i, raises

RANDOM = np.random.default_rng(4)
CENTRES, SIDES = RANDOM.uniform(size=(9, 2)), RANDOM.uniform(0.1, 0.5, size=(9, 2))
BOXES = np.concatenate([CENTRES, CENTRES + SIDES], 1).astype("float32")
SCORES = RANDOM.uniform(size=9).astype("float32")
MIRRORED = BOXES[:, [2, 1, 0, 3]]
HALVES = f([[0, 0, 1, 1], [0, 0, 1, 0.5], [0, 0, 1, 0.25], [0, 0, 0, 1]])
FALLING = f(0.9, 0.8, 0.7, 0.6)
COMMON = f([[1.0, 0.8, 0.1], [0.8, 1.0, 0.3], [0.1, 0.3, 1.0]])
PLAIN, SOFT, GIVEN, PADDED, COMBINED = (
    f"image.{name}"
    for name in (
        "non_max_suppression",
        "non_max_suppression_with_scores",
        "non_max_suppression_overlaps",
        "non_max_suppression_padded",
        "combined_non_max_suppression",
    )
)
BATCH, SCORES_OF_BATCH = np.stack([BOXES, BOXES[::-1]]), np.stack([SCORES, SCORES**2])
PAD = {"pad_to_max_output_size": True}
CLASSES = np.stack([SCORES_OF_BATCH, 1 - SCORES_OF_BATCH], -1)
MANY = np.stack([BATCH, BATCH * f(0.9)], 2)


def plain(path, *inputs, id="", rtol=1e-6, **static):
    return Case(path, inputs, static, id=id, rtol=rtol, gradient=False)


CASES_SUPPRESSION = [
    Case(PLAIN, (BOXES, SCORES, 4)),
    plain(PLAIN, BOXES, SCORES, 20, 0.3, id="more than there are"),
    plain(PLAIN, BOXES, SCORES, i(9), f(0.6), 0.4, id="score"),
    plain(PLAIN, MIRRORED, SCORES, 9, 0.3, id="corners"),
    plain(PLAIN, BOXES, f(np.ones(9)), 9, 0.2, id="equal scores"),
    plain(PLAIN, HALVES, FALLING, 4, 0.5, id="at the threshold"),
    plain(PLAIN, HALVES, FALLING, 4, 0.0, id="no overlap"),
    plain(PLAIN, HALVES, f(np.nan, -np.inf, 0.1, 0.2), 4, id="nan"),
    plain(PLAIN, BOXES, SCORES, 0, id="none"),
    plain(PLAIN, BOXES[:0], SCORES[:0], 3, id="no boxes"),
    plain(PLAIN, BOXES.astype("float16"), SCORES.astype("float16"), 3, id="half"),
    raises(PLAIN, (BOXES, SCORES, -1), id="negative"),
    raises(PLAIN, (BOXES, SCORES, 3, 1.5), id="iou"),
    raises(PLAIN, (BOXES, SCORES[:, None], 3), id="score rank"),
    raises(PLAIN, (BOXES, SCORES[:3], 3), id="count"),
    raises(PLAIN, (BOXES[0], SCORES, 3), id="rank"),
    raises(PLAIN, (BOXES[:, :3], SCORES, 3), id="columns"),
    raises(PLAIN, (d(BOXES), d(SCORES), 3), id="float64"),
    raises(PLAIN, (BOXES, d(SCORES), 3), id="types"),
    raises(PLAIN, (BOXES, SCORES, 3.0), id="float size"),
    raises(PLAIN, (BOXES, SCORES, [3]), id="vector size"),
    raises(PLAIN, (BOXES, SCORES, i(3, dtype="int64")), id="int64 size"),
    raises(PLAIN, (BOXES, SCORES, 3, f([0.5])), id="vector iou"),
    Case(SOFT, (BOXES, SCORES, 9), {"soft_nms_sigma": 0.3}, rtol=1e-5),
    plain(SOFT, BOXES, SCORES, 9, 0.3, 0.4, 0.5, id="score", rtol=1e-5),
    plain(SOFT, BOXES, SCORES, 9, 0.3, id="hard"),
    raises(SOFT, (BOXES, SCORES, 3, 0.5, 0.5, -1.0), id="sigma"),
    raises(SOFT, (BOXES.astype("float16"), SCORES.astype("float16"), 3), id="half"),
    Case(GIVEN, (COMMON, f(0.5, 0.9, 0.7), 3)),
    plain(GIVEN, COMMON, f(0.5, 0.9, 0.7), 3, 0.2, id="threshold"),
    plain(GIVEN, COMMON, [0.5, 0.9, 0.7], 3, 0.9, 0.6, id="score"),
    raises(GIVEN, (COMMON[:2], f(0.5, 0.9, 0.7), 3), id="square"),
    raises(GIVEN, (COMMON[0], f(0.5, 0.9, 0.7), 3), id="rank"),
    raises(GIVEN, (COMMON, f(0.5, 0.9), 3), id="count"),
    raises(GIVEN, (d(COMMON), f(0.5, 0.9, 0.7), 3), id="float64"),
    raises(GIVEN, (COMMON, f(0.5, 0.9, 0.7), -3), id="negative"),
]


ONE = MANY[:, :, :1]

CASES_BATCHED_SUPPRESSION = [
    Case(PADDED, (BOXES, SCORES, 4, 0.3)),
    plain(PADDED, BOXES, SCORES, 12, 0.3, 0.2, True, id="pad"),
    plain(PADDED, BATCH, SCORES_OF_BATCH, 5, 0.4, 0.3, id="batch", **PAD),
    plain(PADDED, BATCH[None], SCORES_OF_BATCH[None], 3, id="rank 4", **PAD),
    plain(PADDED, MIRRORED, SCORES, 5, 0.3, id="corners", **PAD),
    plain(PADDED, BOXES, SCORES, 5, 0.3, 0.3, id="sorted", sorted_input=True, **PAD),
    plain(PADDED, BOXES, SCORES, 5, id="canonical", canonicalized_coordinates=True, **PAD),
    plain(PADDED, HALVES, FALLING, 4, 0.5, id="at the threshold", **PAD),
    plain(PADDED, HALVES, FALLING, 4, 0.0, id="zero", **PAD),
    raises(PADDED, (BATCH, SCORES_OF_BATCH, 5), id="batch without padding"),
    Case(COMBINED, (ONE, CLASSES, 3, 4)),
    plain(COMBINED, MANY, CLASSES, 3, 5, 0.3, 0.4, id="boxes of classes"),
    plain(COMBINED, MANY, CLASSES, 3, 20, 0.3, 0.4, id="total"),
    plain(COMBINED, MANY, CLASSES, 3, 20, 0.3, 0.4, True, id="pad per class"),
    plain(COMBINED, MANY, CLASSES, 3, 4, 0.3, 0.4, True, False, id="not clipped"),
    plain(COMBINED, ONE, CLASSES, 30, 10, 0.3, 2.0, id="nothing"),
    raises(COMBINED, (MANY[0], CLASSES, 3, 4), id="batch"),
    raises(COMBINED, (MANY, CLASSES[:, :2], 3, 4), id="count"),
    raises(COMBINED, (MANY[..., :3], CLASSES, 3, 4), id="columns"),
    raises(COMBINED, (MANY, CLASSES[..., :1], 3, 4), id="classes"),
    raises(COMBINED, (MANY, CLASSES, 0, 4), id="per class"),
    raises(COMBINED, (MANY, CLASSES, 3, 0), id="no total"),
    raises(COMBINED, (MANY, CLASSES, [3], 4), id="vector size"),
    raises(COMBINED, (MANY, CLASSES, 3, 4, 1.5), id="iou"),
    raises(COMBINED, (d(MANY), CLASSES, 3, 4), id="float64"),
    raises(COMBINED, (MANY * f(1), d(CLASSES), 3, 4), id="float64 scores"),
]


CASES = [*CASES_SUPPRESSION, *CASES_BATCHED_SUPPRESSION]
