"""Rows for non-maximum suppression with results of fixed sizes."""

from cases.case import Case, d, f, raises
from cases.suppression import (
    BATCH,
    BOXES,
    CLASSES,
    COMBINED,
    FALLING,
    HALVES,
    MANY,
    MIRRORED,
    PAD,
    PADDED,
    SCORES,
    SCORES_OF_BATCH,
    plain,
)

ONE = MANY[:, :, :1]

CASES = [
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
