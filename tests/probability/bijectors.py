"""Every bijector with ordinary parameters: `BIJECTORS[name] = make(tfp, tf, c), input`."""

from typing import Any

TRIL = [[1.2, 0.0], [0.5, 0.8]]
UNIT, REAL, POSITIVE = [0.2, 0.7], [-0.5, 1.3], [0.4, 2.3]
LU = [[2.0, 0.5], [0.3, 1.5]]

BIJECTORS: dict[str, tuple[Any, Any]] = {
    "AbsoluteValue": (lambda b, tf, c: b.AbsoluteValue(), REAL),
    "Ascending": (lambda b, tf, c: b.Ascending(), [0.3, -0.5, 1.2]),
    "Blockwise": (
        lambda b, tf, c: b.Blockwise([b.Exp(), b.Scale(c(2.0))], [1, 2]), [0.1, 0.2, 0.3],
    ),
    "Chain": (lambda b, tf, c: b.Chain([b.Exp(), b.Shift(c(0.3)), b.Scale(c(2.0))]), REAL),
    "CholeskyOuterProduct": (lambda b, tf, c: b.CholeskyOuterProduct(), TRIL),
    "CholeskyToInvCholesky": (lambda b, tf, c: b.CholeskyToInvCholesky(), TRIL),
    "CorrelationCholesky": (lambda b, tf, c: b.CorrelationCholesky(), [0.3, -0.5, 1.2]),
    "Cumsum": (lambda b, tf, c: b.Cumsum(), [0.3, -0.5, 1.2]),
    "DiscreteCosineTransform": (
        lambda b, tf, c: b.DiscreteCosineTransform(), [0.3, -0.5, 1.2, 0.4],
    ),
    "Exp": (lambda b, tf, c: b.Exp(), REAL),
    "Expm1": (lambda b, tf, c: b.Expm1(), REAL),
    "FFJORD": (
        lambda b, tf, c: b.FFJORD(lambda t, z: z * 0.5), [[0.3, -0.5], [0.1, 0.7]],
    ),
    "FillScaleTriL": (lambda b, tf, c: b.FillScaleTriL(), [0.3, -0.5, 1.2]),
    "FillTriangular": (lambda b, tf, c: b.FillTriangular(), [0.3, -0.5, 1.2]),
    "FrechetCDF": (lambda b, tf, c: b.FrechetCDF(c(0.1), c(1.5), c(2.0)), POSITIVE),
    "GeneralizedExtremeValueCDF": (
        lambda b, tf, c: b.GeneralizedExtremeValueCDF(c(0.1), c(1.5), c(0.3)), REAL,
    ),
    "GeneralizedPareto": (lambda b, tf, c: b.GeneralizedPareto(c(0.1), c(1.5), c(0.3)), REAL),
    "GompertzCDF": (lambda b, tf, c: b.GompertzCDF(c(0.4), c(1.5)), POSITIVE),
    "GumbelCDF": (lambda b, tf, c: b.GumbelCDF(c(0.1), c(1.5)), REAL),
    "Householder": (lambda b, tf, c: b.Householder(tf.constant([0.6, 0.8])), REAL),
    "Identity": (lambda b, tf, c: b.Identity(), REAL),
    "Inline": (
        lambda b, tf, c: b.Inline(
            tf.exp, tf.math.log, lambda y: -tf.math.log(y), lambda x: x, forward_min_event_ndims=0
        ), REAL,
    ),
    "Invert": (lambda b, tf, c: b.Invert(b.Scale(c(2.0))), REAL),
    "IteratedSigmoidCentered": (lambda b, tf, c: b.IteratedSigmoidCentered(), [0.3, -0.5, 1.2]),
    "KumaraswamyCDF": (lambda b, tf, c: b.KumaraswamyCDF(c(1.5), c(2.0)), UNIT),
    "LambertWTail": (lambda b, tf, c: b.LambertWTail(c(0.1), c(1.5), c(0.2)), REAL),
    "Log": (lambda b, tf, c: b.Log(), POSITIVE),
    "Log1p": (lambda b, tf, c: b.Log1p(), POSITIVE),
    "MaskedAutoregressiveFlow": (
        lambda b, tf, c: b.MaskedAutoregressiveFlow(
            lambda x: (tf.concat([tf.zeros_like(x[..., :1]), 0.5 * x[..., :1]], -1),
                       tf.zeros_like(x)),
        ), REAL,
    ),
    "MatrixInverseTriL": (lambda b, tf, c: b.MatrixInverseTriL(), TRIL),
    "MoyalCDF": (lambda b, tf, c: b.MoyalCDF(c(0.1), c(1.5)), REAL),
    "NormalCDF": (lambda b, tf, c: b.NormalCDF(), REAL),
    "Pad": (lambda b, tf, c: b.Pad(), REAL),
    "Permute": (lambda b, tf, c: b.Permute([2, 0, 1]), [0.3, -0.5, 1.2]),
    "Power": (lambda b, tf, c: b.Power(3.0), POSITIVE),
    "PowerTransform": (lambda b, tf, c: b.PowerTransform(0.3), REAL),
    "RationalQuadraticSpline": (
        lambda b, tf, c: b.RationalQuadraticSpline(
            c([1.0, 2.0, 1.0]), c([1.5, 1.0, 1.5]), c([0.7, 1.2]), range_min=-2.0
        ), REAL,
    ),
    "RayleighCDF": (lambda b, tf, c: b.RayleighCDF(c(1.5)), POSITIVE),
    "RealNVP": (
        lambda b, tf, c: b.RealNVP(
            1, shift_and_log_scale_fn=lambda x, n, **k: (0.5 * x, 0.1 * x)
        ), REAL,
    ),
    "Reciprocal": (lambda b, tf, c: b.Reciprocal(), POSITIVE),
    "Reshape": (lambda b, tf, c: b.Reshape([2, 1], [2]), REAL),
    "Scale": (lambda b, tf, c: b.Scale(c([2.0, -3.0])), REAL),
    "ScaleMatvecDiag": (lambda b, tf, c: b.ScaleMatvecDiag(c([2.0, -3.0])), REAL),
    "ScaleMatvecLU": (lambda b, tf, c: b.ScaleMatvecLU(c(LU), [1, 0]), REAL),
    "ScaleMatvecLinearOperator": (
        lambda b, tf, c: b.ScaleMatvecLinearOperator(tf.linalg.LinearOperatorDiag(c([2.0, 3.0]))),
        REAL,
    ),
    "ScaleMatvecTriL": (lambda b, tf, c: b.ScaleMatvecTriL(c(TRIL)), REAL),
    "Shift": (lambda b, tf, c: b.Shift(c([2.0, -3.0])), REAL),
    "ShiftedGompertzCDF": (lambda b, tf, c: b.ShiftedGompertzCDF(c(0.4), c(1.5)), POSITIVE),
    "Sigmoid": (lambda b, tf, c: b.Sigmoid(), REAL),
    "Sigmoid bounded": (lambda b, tf, c: b.Sigmoid(c(-1.0), c(2.0)), REAL),
    "Sinh": (lambda b, tf, c: b.Sinh(), REAL),
    "SinhArcsinh": (lambda b, tf, c: b.SinhArcsinh(c(0.3), c(1.2)), REAL),
    "SoftClip": (lambda b, tf, c: b.SoftClip(c(-1.0), c(2.0)), REAL),
    "Softfloor": (lambda b, tf, c: b.Softfloor(c(0.7)), [0.3, 1.7]),
    "SoftmaxCentered": (lambda b, tf, c: b.SoftmaxCentered(), REAL),
    "Softplus": (lambda b, tf, c: b.Softplus(c(0.7)), REAL),
    "Softsign": (lambda b, tf, c: b.Softsign(), REAL),
    "Square": (lambda b, tf, c: b.Square(), POSITIVE),
    "Tanh": (lambda b, tf, c: b.Tanh(), REAL),
    "TransformDiagonal": (lambda b, tf, c: b.TransformDiagonal(b.Exp()), TRIL),
    "Transpose": (lambda b, tf, c: b.Transpose([1, 0]), TRIL),
    "UnitVector": (lambda b, tf, c: b.UnitVector(), REAL),
    "WeibullCDF": (lambda b, tf, c: b.WeibullCDF(c(1.5), c(2.0)), POSITIVE),
}  # fmt: skip
