"""Rows for parts of images chosen at random."""

from cases.case import Case, f, i, raises
from cases.sampling import drawn

SIZE, BOX = i(100, 200, 3), f([[[0.2, 0.2, 0.5, 0.5], [0.1, 0.3, 0.4, 0.9]]])
SAMPLE = "image.sample_distorted_bounding_box"
STATELESS = "image.stateless_sample_distorted_bounding_box"
WHOLE = {"aspect_ratio_range": (2.0, 2.0), "area_range": (1.0, 1.0)}


def refused(id, **static):
    return raises(SAMPLE, (SIZE, BOX), static, id=id)


CASES = [
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
