"""Rows for tapefacade/_ops/nn/normalization.py."""

import numpy as np

from cases.case import Case, c, d, f, i, raises

A = f([[1, 2], [3, 5]])
BATCH, BIAS = "nn.batch_normalization", "nn.bias_add"
IMAGE = np.arange(24, dtype="float32").reshape(1, 2, 3, 4)

FUSED = "compat.v1.nn.fused_batch_norm"
MAPS = np.sin(np.arange(72, dtype="float32") ** 2).reshape(2, 3, 4, 3)
SCALE, OFFSET = f(0.5, 1.0, 2.0), f(0.1, -0.2, 0.3)

CASES_NORMALIZATION = [
    Case("nn.moments", (A, [0])),
    Case("nn.moments", (d(A), [1]), id="float64"),
    Case("nn.moments", (A.astype("float16"), [0]), id="float16"),
    Case("nn.moments", (A,), {"axes": [0, 1]}, id="axes", rtol=2e-6),
    Case("nn.moments", (A, -1), id="axis"),
    Case("nn.moments", (A, [0]), {"keepdims": True}, id="keepdims"),
    Case("nn.moments", (A, []), id="no axes"),
    Case("nn.moments", (A,), {"axes": [0], "shift": 1.0}, id="shift"),
    Case("nn.moments", (i(1, 4), [0]), id="int"),
    Case("nn.moments", (c(1 + 1j, 2), [0]), id="complex"),
    Case("nn.moments", (f(np.zeros((0, 2))), [0]), id="empty"),
    raises("nn.moments", (A, [2]), id="axis error"),
    raises("nn.moments", (A, [0, 0]), id="axis twice"),
    Case("nn.weighted_moments", (A, [0], f([[1], [2]]))),
    Case("nn.weighted_moments", (d(A), [0], d([[1], [2]])), id="float64"),
    Case("nn.weighted_moments", (A, [0, 1], 1.0), id="number"),
    Case("nn.weighted_moments", (A, [0], f([[1], [2]])), {"keepdims": True}, id="keepdims"),
    Case("nn.weighted_moments", (A, 0, f([[1, 1], [2, 3]])), id="full", rtol=2e-6),
    Case("nn.weighted_moments", (A, [0], f([[0], [0]])), id="zero"),
    Case("nn.weighted_moments", (A, [0], i([[1], [2]])), id="int"),
    Case(BATCH, (A, f(1, 2), f(1, 4), f(0, 1), f(2, 3), 1e-3), rtol=2e-6),
    Case(BATCH, (d(A), d(1, 2), d(1, 4), d(0, 1), d(2, 3), 1e-3), id="float64"),
    Case(BATCH, (A, f(1, 2), f(1, 4), None, None, 1e-3), id="plain", rtol=2e-6),
    Case(BATCH, (A, f(1, 2), f(1, 4), None, f(1, 2), 0.0), id="scale", rtol=2e-6),
    Case(BATCH, (A, f(1, 2), f(1, 4), f(1, 2), None, f(0.5)), id="offset", rtol=2e-6),
    Case(
        BATCH,
        (A.astype("float16"), f(1, 2), f(1, 4), f(1, 1), f(1, 1), 1e-3),
        id="float16",
        atol=4e-3,
    ),
    raises(BATCH, (A, f(1, 2, 3), f(1, 4), None, None, 1e-3), id="shape"),
    Case(BIAS, (A, f(1, 2))),
    Case(BIAS, (d(A), d(1, 2)), id="float64"),
    Case(BIAS, (i([[1, 2]]), i(1, 1)), id="int"),
    Case(BIAS, (A, [1.0, 2.0]), id="python"),
    Case(BIAS, (IMAGE, f(1, 2, 3, 4)), id="image"),
    Case(BIAS, (IMAGE, f(1, 2)), {"data_format": "NCHW"}, id="NCHW"),
    Case(BIAS, (IMAGE[0], f(1, 2, 3)), {"data_format": "NC..."}, id="NC..."),
    Case(BIAS, (A, f(1, 2)), {"data_format": "N...C"}, id="N...C"),
    raises(BIAS, (A, f(1, 2, 3)), id="size"),
    raises(BIAS, (A, f([[1, 2]])), id="matrix"),
    raises(BIAS, (f(1, 2), f(1, 2)), id="vector"),
    raises(BIAS, (A, d(1, 2)), id="dtypes"),
    raises(BIAS, (A, f(1, 2)), {"data_format": "XX"}, id="format"),
    Case("nn.local_response_normalization", (IMAGE / 8, 1, 1.0, 0.5, 0.5), gradient=False),
    Case("nn.lrn", (f(np.ones((1, 1, 1, 3))),), id="defaults", gradient=False),
    raises("nn.lrn", (f(1, 2),), id="rank"),
    raises("nn.lrn", (d(np.ones((1, 1, 1, 3))),), id="float64"),
    Case(FUSED, (MAPS, SCALE, OFFSET), rtol=2e-5, atol=5e-6),
    Case(FUSED, (MAPS, SCALE, OFFSET), {"epsilon": 1e-7}, id="epsilon", rtol=2e-5, atol=5e-6),
    Case(
        FUSED,
        (np.moveaxis(MAPS, 3, 1), SCALE, OFFSET),
        {"data_format": "NCHW"},
        id="NCHW",
        rtol=2e-5,
        atol=5e-6,
    ),
    Case(
        FUSED,
        (MAPS, SCALE, OFFSET, OFFSET, SCALE),
        {"is_training": False},
        id="given",
        gradient=False,  # the second one: None in TensorFlow for what has none in the first
        rtol=2e-5,
        atol=5e-6,
    ),
    Case(
        FUSED,
        (MAPS, SCALE, OFFSET, OFFSET, SCALE),
        {"exponential_avg_factor": 0.25},
        id="running",
        rtol=2e-5,
        atol=5e-6,
    ),
    Case(FUSED, (MAPS.astype("float16"), SCALE, OFFSET), id="float16", rtol=2e-2, atol=4e-3),
    Case(FUSED, (MAPS[:1, :1, :1], SCALE, OFFSET), id="one element", rtol=2e-5, atol=5e-6),
    raises(FUSED, (MAPS[0], SCALE, OFFSET), id="rank"),
    raises(FUSED, (MAPS, SCALE[:2], OFFSET), id="size"),
    raises(FUSED, (MAPS, SCALE, OFFSET), {"is_training": False}, id="nothing given"),
    raises(FUSED, (MAPS, SCALE, OFFSET, f([1]), f([1])), {"is_training": False}, id="given error"),
]


M = f([[1.0, 2.0], [3.0, 5.0]])
IMAGE_STATISTICS = np.arange(8, dtype=np.float32).reshape(1, 2, 2, 2)
SUMS, MOMENTS = "nn.sufficient_statistics", "nn.normalize_moments"
NORM = "nn.batch_norm_with_global_normalization"
PARTS = (IMAGE_STATISTICS, f(1.0, 2.0), f(4.0, 5.0), f(0.0, 1.0), f(1.0, 2.0), 0.1)

CASES_STATISTICS = [
    Case(SUMS, (M, [0])),
    Case(SUMS, (d(M), [0, 1]), id="float64"),
    Case(SUMS, (M, [-1]), {"shift": 1.0, "keepdims": True}, id="keepdims"),
    Case(SUMS, (M, [0], f(1.0, 2.0)), id="shift"),
    Case(SUMS, (i([[1, 2], [3, 4]]), [0]), id="int"),
    raises(SUMS, (M, 0), id="int axis"),
    raises(SUMS, (M, [2]), id="axis"),
    Case(MOMENTS, (f(4.0), f(2.0, 1.0), f(8.0, 3.0), None)),
    Case(MOMENTS, (d(4.0), d(2.0, 1.0), d(8.0, 3.0), d(1.0, 2.0)), id="shift"),
    Case(MOMENTS, (4.0, 2.0, 8.0, None), id="numbers"),
    Case(NORM, (*PARTS, True)),
    Case(NORM, (*PARTS, False), id="unscaled"),
]


CASES = [*CASES_NORMALIZATION, *CASES_STATISTICS]
