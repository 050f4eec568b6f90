"""Rows for tapefacade/_ops/nn/convolution_general.py."""

import numpy as np

from cases.case import Case, d, i, raises

RANDOM = np.random.RandomState(7)


def r(*shape):
    return RANDOM.randint(-3, 4, shape).astype("float32")


X, F = r(1, 5, 4, 2), r(2, 2, 2, 2)
ATROUS, MARGINS, BLOCKS = (
    "nn.atrous_conv2d",
    "required_space_to_batch_paddings",
    "space_to_batch_nd",
)
NONE = [[0, 0], [0, 0]]

CASES_DILATED_CONVOLUTION = [
    Case(ATROUS, (X, F, 2, "VALID")),
    Case(ATROUS, (d(X), d(F), 2, "SAME"), id="same"),
    Case(ATROUS, (X, F, 1, "SAME"), id="rate 1"),
    Case(ATROUS, (X, F, [2, 1], "SAME"), id="two rates", gradient=False),
    raises(ATROUS, (X, F, 0, "SAME"), id="rate 0"),
    raises(ATROUS, (X, F, 2, "XX"), id="padding"),
    raises(ATROUS, (X[0], F, 2, "SAME"), id="rank"),
    Case(MARGINS, ([5, 6], [2, 3])),
    Case(MARGINS, ([5, 6], [2, 3], [[1, 2], [0, 0]]), id="base"),
    Case(MARGINS, (i(5, 6), i(2, 3)), id="tensors"),
    Case(MARGINS, ([], []), id="empty"),
    raises(MARGINS, ([5], [2, 3]), id="lengths"),
    raises(MARGINS, ([5, 6], [2, 3], [[1, 2]]), id="base length"),
    raises(MARGINS, (5, 2), id="scalar"),
    raises(MARGINS, ([5.0], [2]), id="float"),
    Case(BLOCKS, (r(1, 4, 4, 2), [2, 2], NONE)),
    Case(BLOCKS, (i([[[1], [2], [3]]]), [2], [[0, 1]]), id="int"),
    raises(BLOCKS, (X, 2, NONE), id="int block"),
    raises(BLOCKS, (X, [2, 2], NONE), id="indivisible"),
]


RANDOM_GENERAL_CONVOLUTION = np.random.RandomState(6)


def r_general_convolution(*shape):
    return RANDOM_GENERAL_CONVOLUTION.randint(-3, 4, shape).astype("float32")


X_GENERAL_CONVOLUTION, F_GENERAL_CONVOLUTION = (
    r_general_convolution(1, 4, 4, 2),
    r_general_convolution(2, 2, 2, 2),
)
ONES = [1, 1, 1, 1]
CONV, BACK, ANY = "conv", "nn.atrous_conv2d_transpose", "nn.conv_transpose"

# TensorFlow cannot differentiate gaps on a CPU.
CASES_GENERAL_CONVOLUTION = [
    Case(CONV, (X_GENERAL_CONVOLUTION, F_GENERAL_CONVOLUTION, ONES, "VALID")),
    Case(
        CONV,
        (d(X_GENERAL_CONVOLUTION), d(F_GENERAL_CONVOLUTION), [1, 2, 2, 1], "SAME"),
        id="strides",
    ),
    Case(
        CONV,
        (X_GENERAL_CONVOLUTION, F_GENERAL_CONVOLUTION, ONES, "EXPLICIT", [0, 0, 1, 1, 0, 2, 0, 0]),
        id="explicit",
    ),
    Case(
        CONV,
        (X_GENERAL_CONVOLUTION, F_GENERAL_CONVOLUTION, ONES, "VALID"),
        {"dilations": [1, 2, 2, 1]},
        id="dilations",
    ),
    Case(
        CONV,
        (X_GENERAL_CONVOLUTION[None], F_GENERAL_CONVOLUTION, ONES, "VALID"),
        {"batch_dims": 2},
        id="batches",
    ),
    Case(
        CONV,
        (X_GENERAL_CONVOLUTION[None], F_GENERAL_CONVOLUTION[None], [1] * 5, "VALID"),
        id="volumes",
    ),
    Case(
        CONV,
        (
            X_GENERAL_CONVOLUTION.astype("int32"),
            F_GENERAL_CONVOLUTION.astype("int32"),
            ONES,
            "VALID",
        ),
        id="int",
    ),
    raises(CONV, (X_GENERAL_CONVOLUTION, F_GENERAL_CONVOLUTION, [1, 1], "SAME"), id="two strides"),
    raises(
        CONV,
        (X_GENERAL_CONVOLUTION, F_GENERAL_CONVOLUTION, ONES, "EXPLICIT", []),
        id="explicit none",
    ),
    raises(
        CONV,
        (X_GENERAL_CONVOLUTION, F_GENERAL_CONVOLUTION, ONES, "VALID"),
        {"data_format": "NHWC"},
        id="format",
    ),
    raises(
        CONV,
        (X_GENERAL_CONVOLUTION, F_GENERAL_CONVOLUTION, ONES, "VALID"),
        {"groups": 2},
        id="groups",
    ),
    raises(
        CONV, (X_GENERAL_CONVOLUTION[0], F_GENERAL_CONVOLUTION[0], [1, 1, 1], "VALID"), id="rank"
    ),
    raises(CONV, (X_GENERAL_CONVOLUTION, F_GENERAL_CONVOLUTION, ONES, "XX"), id="padding"),
    raises(
        CONV,
        (X_GENERAL_CONVOLUTION, F_GENERAL_CONVOLUTION, [2, 1, 1, 1], "VALID"),
        id="batch stride",
    ),
    raises(
        CONV, (X_GENERAL_CONVOLUTION, F_GENERAL_CONVOLUTION, [1, 0, 1, 1], "VALID"), id="stride 0"
    ),
    raises(
        CONV, (X_GENERAL_CONVOLUTION, F_GENERAL_CONVOLUTION[:, :, :1], ONES, "VALID"), id="depth"
    ),
    raises(
        CONV,
        (
            X_GENERAL_CONVOLUTION.astype("complex64"),
            F_GENERAL_CONVOLUTION.astype("complex64"),
            ONES,
            "VALID",
        ),
        id="complex",
    ),
    Case(ANY, (X_GENERAL_CONVOLUTION, F_GENERAL_CONVOLUTION, [1, 8, 8, 2], 2)),
    Case(
        ANY,
        (X_GENERAL_CONVOLUTION, F_GENERAL_CONVOLUTION, i(1, 8, 8, 2), [2, 2], "VALID"),
        id="tensor",
        gradient=False,
    ),
    Case(ANY, (d(X_GENERAL_CONVOLUTION[0]), d(F_GENERAL_CONVOLUTION[0]), [4, 8, 2], 2), id="one"),
    Case(
        ANY,
        (
            r_general_convolution(1, 2, 2, 2, 1),
            r_general_convolution(2, 2, 2, 1, 1),
            [1, 4, 4, 4, 1],
            2,
        ),
        id="three",
    ),
    raises(ANY, (X_GENERAL_CONVOLUTION, F_GENERAL_CONVOLUTION, [], 2), id="no shape"),
    raises(ANY, (X_GENERAL_CONVOLUTION, F_GENERAL_CONVOLUTION, [8, 8], 2), id="short shape"),
    raises(ANY, (X_GENERAL_CONVOLUTION, F_GENERAL_CONVOLUTION, 8, 2), id="int shape"),
    raises(
        ANY, (X_GENERAL_CONVOLUTION, F_GENERAL_CONVOLUTION, [1, 8, 8, 2], 2, "XX"), id="padding"
    ),
    Case(BACK, (X_GENERAL_CONVOLUTION, F_GENERAL_CONVOLUTION, [1, 6, 6, 2], 2, "VALID")),
    Case(
        BACK,
        (d(X_GENERAL_CONVOLUTION), d(F_GENERAL_CONVOLUTION), [1, 4, 4, 2], 2, "SAME"),
        id="same",
    ),
    Case(
        BACK, (X_GENERAL_CONVOLUTION, F_GENERAL_CONVOLUTION, [1, 5, 5, 2], 1, "VALID"), id="rate 1"
    ),
    raises(
        BACK,
        (X_GENERAL_CONVOLUTION, F_GENERAL_CONVOLUTION, [1, 6, 6, 3], 2, "VALID"),
        id="channels",
    ),
    raises(BACK, (X_GENERAL_CONVOLUTION, F_GENERAL_CONVOLUTION, [1, 6, 6], 2, "VALID"), id="short"),
    raises(
        BACK, (X_GENERAL_CONVOLUTION, F_GENERAL_CONVOLUTION, [1, 6, 6, 2], 0, "VALID"), id="rate 0"
    ),
    raises(
        BACK, (X_GENERAL_CONVOLUTION, F_GENERAL_CONVOLUTION, [1, 6, 6, 2], 2, "XX"), id="padding"
    ),
    raises(
        BACK,
        (X_GENERAL_CONVOLUTION, F_GENERAL_CONVOLUTION[..., :1], [1, 6, 6, 2], 2, "VALID"),
        id="filter channels",
    ),
]


CASES = [*CASES_DILATED_CONVOLUTION, *CASES_GENERAL_CONVOLUTION]
