"""Rows for tapefacade/_numpy: functions of each element, and comparisons."""

import numpy as np

from cases.case import Case, b, c, d, f, i, raises

TNP = "experimental.numpy."
V = d(-1.5, 0.5, 2.0)
P = d(0.25, 1.0, 4.0)
M = f([[1.0, 2.0], [3.0, 4.0]])
N = i([[1, 2], [3, 4]])
B = b(True, False)


def unary(names: str, *values: float) -> list[Case]:
    """A row in float64 for each function, for the numerical derivatives."""
    return [Case(TNP + name, (d(*values),)) for name in names.split()]


CASES = [
    *unary("sin cos tan sinh cosh tanh arctan arcsinh exp exp2 expm1 deg2rad rad2deg", 0.5, -2),
    *unary("arcsin arccos arctanh", 0.5, -0.25),
    *unary("log log2 log10 log1p sqrt", 0.5, 2),
    *unary("ceil floor fix", 1.5, -1.5),
    *unary("arccosh", 1.5, 3),
    Case(TNP + "sinc", (f(0.0, 1.0),), rtol=1e-5, atol=1e-6, id="zero"),
    Case(TNP + "cbrt", (f(0.0, 1.0),), numerical=False, id="zero"),
    Case(TNP + "square", (V,)),
    raises(TNP + "square", (B,), id="bool"),
    Case(TNP + "reciprocal", (P,)),
    Case(TNP + "abs", (V,)),
    Case(TNP + "absolute", (c(1 + 2j),)),
    Case(TNP + "fabs", (i(-1, 2),)),
    raises(TNP + "abs", (B,), id="bool"),
    Case(TNP + "negative", (M,)),
    Case(TNP + "positive", (M,)),
    Case(TNP + "sign", (f(-2.0, 0.0, 3.0),)),
    raises(TNP + "sign", (1.0,), {"out": 1}, id="out"),
    raises(TNP + "sign", (1.0,), {"where": True}, id="where"),
    raises(TNP + "sign", (1.0,), {"casting": "no"}, id="casting"),
    Case(TNP + "signbit", (f(-1.0, -0.0, 1.0),), gradient=False),
    Case(TNP + "conj", (c(1 + 2j),)),
    Case(TNP + "conjugate", (M,)),
    Case(TNP + "real", (c(1 + 2j),)),
    Case(TNP + "imag", (c(1 + 2j),)),
    Case(TNP + "angle", (c(1 + 2j), True)),
    Case(TNP + "arctan2", (d(1.0, -2.0), d(0.5))),
    raises(TNP + "arctan2", (1, 2), id="int"),
    Case(TNP + "hypot", (d(3.0, 1.0), d(4.0))),
    Case(TNP + "logaddexp", (d(0.5, 2.0), d(1.0))),
    Case(TNP + "logaddexp", (f(-np.inf, np.inf), f(-np.inf, 0.0)), id="infinite"),
    Case(TNP + "logaddexp2", (d(0.5, 2.0), d(1.0))),
    Case(TNP + "heaviside", (f(-1.0, 0.0, 2.0), f(0.5))),
    Case(TNP + "nextafter", (1.0, 2.0)),
    raises(TNP + "nextafter", (1, 2), id="int"),
    # Two operands.
    Case(TNP + "add", (M, 1)),
    Case(TNP + "add", (M, N), id="float32 int32"),
    Case(TNP + "add", (N, 1.5), id="int float"),
    Case(TNP + "add", (M, [1.0, 2.0]), id="list"),
    Case(TNP + "add", (1, 2.5), id="python"),
    Case(TNP + "add", (B, B), id="bool"),
    Case(TNP + "add", (B, 1), id="bool int"),
    Case(TNP + "add", (f(1.0, dtype="bfloat16"), 1), id="bfloat16"),
    Case(TNP + "add", (f(1.0), 2j), id="complex"),
    raises(TNP + "add", (M, f(1.0, 2.0, 3.0)), id="shapes"),
    raises(TNP + "add", (None, 1), id="None"),
    Case(TNP + "subtract", (M, d(0.5))),
    raises(TNP + "subtract", (B, B), id="bool"),
    Case(TNP + "multiply", (M, d(0.5, 2.0))),
    Case(TNP + "multiply", (B, B), id="bool"),
    Case(TNP + "divide", (M, d(0.5, 2.0))),
    Case(TNP + "divide", (i(1, dtype="int8"), 2), id="int8"),
    Case(TNP + "true_divide", (1, 2)),
    Case(TNP + "floor_divide", (7.5, -2)),
    raises(TNP + "floor_divide", (N, 0), id="zero"),
    Case(TNP + "mod", (d(-7.5, 7.5), d(2.0))),
    Case(TNP + "remainder", (N, 2)),
    Case(TNP + "divmod", (7, -2)),
    Case(TNP + "power", (P, d(0.5, 2.0, 3.0))),
    Case(TNP + "power", (2, [1, 3]), id="int"),
    raises(TNP + "power", (2, -1), id="negative"),
    Case(TNP + "float_power", (N, 2)),
    Case(TNP + "maximum", (M, f(2.0, 2.0)), numerical=False),
    Case(TNP + "maximum", (N, 2.5), id="int float"),
    Case(TNP + "maximum", (B, b(False)), id="bool"),
    Case(TNP + "minimum", (M, d(2.0, 2.0)), numerical=False),
    Case(TNP + "clip", (M, 2, 3)),
    Case(TNP + "clip", (M, None, d(2.0, 3.0)), numerical=False, id="upper"),
    Case(TNP + "clip", (N, 1.5, 3), id="int"),
    Case(TNP + "clip", (M, f(1.0, 2.5), f(3.0)), numerical=False, id="array"),
    raises(TNP + "clip", (M, None, None), id="None"),
    Case(TNP + "polyval", (d(1.0, 2.0, 3.0), d(0.5, 2.0))),
    Case(TNP + "gcd", (12, [18, 5, 0])),
    raises(TNP + "gcd", (1.0, 2), id="float"),
    Case(TNP + "lcm", (N, i(6, dtype="int64"))),
    Case(TNP + "bitwise_and", (N, 1)),
    Case(TNP + "bitwise_or", (N, i(4, dtype="int8"))),
    Case(TNP + "bitwise_xor", (5, 3)),
    Case(TNP + "bitwise_not", (N,)),
    Case(TNP + "bitwise_not", (B,), id="bool"),
    raises(TNP + "bitwise_or", (M, M), id="float"),
    # Comparisons.
    Case(TNP + "equal", (N, M), gradient=False),
    Case(TNP + "not_equal", (M, 1), gradient=False),
    Case(TNP + "greater", (B, False)),
    Case(TNP + "greater_equal", (N, 2.5)),
    Case(TNP + "less", (M, d(2.0, 3.0)), gradient=False),
    Case(TNP + "less_equal", (1, 2)),
    raises(TNP + "less", (c(1, 2), c(1, 2)), id="complex"),
    Case(TNP + "logical_and", (M, B), gradient=False),
    Case(TNP + "logical_or", (0.0, 1)),
    Case(TNP + "logical_xor", (B, 2)),
    Case(TNP + "logical_not", (M,), gradient=False),
    Case(TNP + "isclose", (f(1.0, 2.0, np.inf), f(1.00001, 2.1, -np.inf)), gradient=False),
    Case(TNP + "isclose", (f(np.nan), f(np.nan)), {"equal_nan": True}, gradient=False, id="nan"),
    Case(TNP + "allclose", (M, M), gradient=False),
    Case(TNP + "array_equal", (N, M), gradient=False),
]
