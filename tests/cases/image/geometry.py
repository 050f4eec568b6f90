"""Rows for tapefacade/_ops/image/geometry.py."""

import numpy as np

from cases.case import Case, b, c, d, f, i, raises

G = np.arange(16, dtype="float32").reshape(1, 4, 4, 1)
ODD = np.arange(25, dtype="float32").reshape(5, 5, 1)
A = np.arange(12, dtype="float32").reshape(2, 2, 3) / 12
U = i(0, 1, 128, 255, dtype="uint8")
CONVERT = "image.convert_image_dtype"
CROP, PAD, BOTH, MIDDLE = (
    "image.crop_to_bounding_box",
    "image.pad_to_bounding_box",
    "image.resize_with_crop_or_pad",
    "image.central_crop",
)

CASES = [
    *[
        row
        for path in ("flip_left_right", "flip_up_down", "transpose", "rot90")
        for row in (
            Case("image." + path, (A,)),
            Case("image." + path, (d(A)[None],), id="batch"),
            Case("image." + path, (i([[[1], [2]]]),), id="int"),
            raises("image." + path, (A[0],), id="rank 2"),
            raises("image." + path, (f(1.0),), id="scalar"),
        )
    ],
    raises("image.flip_left_right", (A[None, None],), id="rank 5"),
    raises("image.rot90", (A[None, None],), id="rank 5"),
    *[Case("image.rot90", (A, k), id=f"k={k}") for k in (0, 2, 3, -1, 5)],
    raises("image.rot90", (A, 1.5), id="k"),
    Case(CROP, (G, 1, 1, 2, 2)),
    Case(CROP, (d(G[0]), 1, 0, 2, 3), id="rank 3"),
    Case(CROP, (G[0], i(1), 1, 2, 2), id="tensor"),
    raises(CROP, (G[0], -1, 1, 2, 2), id="offset"),
    raises(CROP, (G[0], 1, -1, 2, 2), id="offset width"),
    raises(CROP, (G[0], 1, 1, 0, 2), id="height"),
    raises(CROP, (G[0], 1, 1, 2, 0), id="width"),
    raises(CROP, (G[0], 3, 1, 2, 2), id="below"),
    raises(CROP, (G[0], 1, 3, 2, 2), id="right"),
    raises(CROP, (A[0], 0, 0, 1, 1), id="rank 2"),
    Case(PAD, (A, 1, 1, 4, 4)),
    Case(PAD, (d(A)[None], 0, 0, 2, 3), id="batch"),
    Case(PAD, (i([[[1]]]), 0, 1, 1, 2), id="int"),
    raises(PAD, (A, -1, 0, 3, 3), id="offset"),
    raises(PAD, (A, 0, -1, 3, 3), id="offset width"),
    raises(PAD, (A, 1, 0, 2, 3), id="height"),
    raises(PAD, (A, 0, 2, 3, 3), id="width"),
    raises(PAD, (A[0], 0, 0, 3, 3), id="rank 2"),
    Case(MIDDLE, (G[0], 0.5)),
    Case(MIDDLE, (d(G), 0.5), id="batch"),
    Case(MIDDLE, (G[0], 1.0), id="all"),
    Case(MIDDLE, (G[0], 0.3), id="third"),
    Case(MIDDLE, (ODD, 0.5), id="odd"),
    Case(MIDDLE, (ODD, 0.25), id="odd quarter"),
    raises(MIDDLE, (G[0], 0.0), id="zero"),
    raises(MIDDLE, (G[0], 1.5), id="above"),
    raises(MIDDLE, (A[0], 0.5), id="rank 2"),
    Case(BOTH, (G, 2, 2)),
    Case(BOTH, (d(G), 5, 3), id="both"),
    Case(BOTH, (A, 3, 4), id="pad"),
    Case(BOTH, (ODD, 2, 8), id="odd"),
    raises(BOTH, (A, 0, 1), id="height"),
    raises(BOTH, (A, 1, 0), id="width"),
    raises(BOTH, (A[0], 1, 1), id="rank 2"),
    Case("image.per_image_standardization", (A,), atol=1e-5),
    Case(
        "image.per_image_standardization",
        (d(np.stack([A, A**2])),),
        id="batch",
        atol=1e-5,
        numerical=False,
    ),
    Case("image.per_image_standardization", (i([[[1], [9]]], dtype="uint8"),), id="uint8"),
    Case(
        "image.per_image_standardization", (f(np.ones((2, 2, 1))),), id="constant", gradient=False
    ),
    raises("image.per_image_standardization", (A[0],), id="rank 2"),
    raises("image.per_image_standardization", (f(np.zeros((0, 2, 2))),), id="empty"),
    Case("image.psnr", (A, A + f(0.1), 1.0), rtol=1e-5),
    Case("image.psnr", (A[None], A[None] + f(0.1), 1.0), id="batch", rtol=1e-5),
    Case("image.psnr", (d(A), d(A) + 0.1, 1.0), id="float64", rtol=1e-5, numerical=False),
    Case(
        "image.psnr",
        (i([[[1, 2]]], dtype="uint8"), i([[[1, 5]]], dtype="uint8"), 255),
        id="uint8",
        rtol=1e-5,
    ),
    Case("image.psnr", (A, A, 1.0), id="equal", gradient=False),
    Case("image.psnr", (i([[[1, 77]]], dtype="uint8"),) * 2, {"max_val": 255}, id="equal uint8"),
    raises("image.psnr", (A, A[:1], 1.0), id="shapes"),
    Case(CONVERT, (U, "float32")),
    Case(CONVERT, (f(0, 0.5, 1), "uint8"), id="to uint8"),
    Case(CONVERT, (f(0, 0.5, 1, 1.5, -1), "uint8"), {"saturate": True}, id="saturate"),
    Case(CONVERT, (U, "uint8"), id="same"),
    Case(CONVERT, (U, "uint16"), id="uint16"),
    Case(CONVERT, (U, "int16"), id="int16"),
    Case(CONVERT, (U, "int32"), id="int32"),
    Case(CONVERT, (i(0, 300, 65535, dtype="uint16"), "uint8"), id="down"),
    Case(CONVERT, (i(0, 300, 65535, dtype="uint16"), "uint8", True), id="down saturate"),
    Case(CONVERT, (i(-5, 100, dtype="int8"), "uint8", True), id="int8 saturate"),
    Case(CONVERT, (f(0.25), "float64"), id="float64"),
    Case(CONVERT, (d(0.25), "float16"), id="float16", numerical=False),
    Case(CONVERT, (i(0, 2**31 - 1), "float32"), id="int32 to float"),
    Case(CONVERT, (f(0.1, 0.9), "uint16"), id="to uint16"),
    raises(CONVERT, (b([True]), "float32"), id="bool"),
    raises(CONVERT, (U, "bool"), id="to bool"),
    raises(CONVERT, (c(1j), "float32"), id="complex"),
]
