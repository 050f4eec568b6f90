"""Bessel functions of all kinds, and integrals without an elementary form.

JAX has no J, Y and K. They are computed in float64, whatever the dtype: up to `HANKEL_BEGINS` by
the trapezoidal rule for Bessel's integral, which converges geometrically for a periodic function
(Trefethen and Weideman, SIAM Review 56, 2014), beyond by Hankel's asymptotic series (DLMF 10.17).

The coefficients of Dawson's integral are those of Cephes (S. L. Moshier, Methods and Programs for
Mathematical Functions, 1989; https://www.netlib.org/cephes), which TensorFlow uses as well.
"""

import functools
import math

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.scipy import special

from tapefacade._core import kernel_dtypes
from tapefacade._definition.op import TensorLike, op

HANKEL_BEGINS = 25.0
EULER_GAMMA = 0.5772156649015329
# Half a period: the integrands are symmetric. 2 * NODES - 2 * TERMS exceeds the orders of the
# Bessel functions that are not negligible up to FAR, and so does 2 * TERMS.
NODES, TERMS = 136, 34
ANGLES = np.pi * (np.arange(NODES) + 0.5) / NODES
SINES = np.sin(ANGLES)
# Of Neumann's series of Y0, the sum of (-1)**(k + 1) * J[2k] / k (DLMF 10.8.3).
NEUMANN = np.sum(
    [(-1) ** (k + 1) / k * np.cos(2 * k * ANGLES) for k in range(1, TERMS + 1)], axis=0
)
# Of the trapezoidal rule for K, whose integrand decays like exp(-x * (cosh(t) - 1)).
STEP, STEPS = 0.3, np.arange(32.0)
HANKEL_TERMS = 16


def _near(x: jax.Array) -> jax.Array:
    """Keeps the argument of a formula in its domain."""
    return jnp.where(x > HANKEL_BEGINS, jnp.ones_like(x), x)


def _mean(weights: np.ndarray, values: jax.Array) -> jax.Array:
    return values @ jnp.asarray(weights / NODES)


def _hankel(x: jax.Array, order: int) -> tuple[jax.Array, jax.Array]:
    """Returns J and Y of a large argument."""
    x = jnp.where(x > HANKEL_BEGINS, x, jnp.full_like(x, HANKEL_BEGINS))
    parts = [jnp.ones_like(x), jnp.zeros_like(x)]
    factor = jnp.ones_like(x)
    for k in range(1, HANKEL_TERMS + 1):
        factor = factor * ((4 * order**2 - (2 * k - 1) ** 2) / (8 * k * x))
        parts[k % 2] = parts[k % 2] + (-1) ** (k // 2) * factor
    angle = x - (order / 2 + 0.25) * math.pi
    sine, cosine, size = jnp.sin(angle), jnp.cos(angle), jnp.sqrt(2 / (math.pi * x))
    return size * (parts[0] * cosine - parts[1] * sine), size * (
        parts[0] * sine + parts[1] * cosine
    )


def _j(x: jax.Array, order: int) -> jax.Array:
    size = jnp.abs(x.astype(np.float64))
    waves = _near(size)[..., None] * SINES
    near = _mean(SINES, jnp.sin(waves)) if order else _mean(np.ones(NODES), jnp.cos(waves))
    value = jnp.where(size > HANKEL_BEGINS, _hankel(size, order)[0], near)
    return (jnp.sign(x.astype(np.float64)) * value if order else value).astype(x.dtype)


def _y(x: jax.Array, order: int) -> jax.Array:
    wide = x.astype(np.float64)
    positive = jnp.where(wide > 0, wide, jnp.ones_like(wide))
    inside = _near(positive)
    waves = inside[..., None] * SINES
    cosines, sines = jnp.cos(waves), jnp.sin(waves)
    log = 2 / math.pi * (jnp.log(inside / 2) + EULER_GAMMA)
    j0, j1 = _mean(np.ones(NODES), cosines), _mean(SINES, sines)
    if order:
        rest = 4 / math.pi * _mean(NEUMANN * SINES, sines)
        near = log * j1 - 2 / (math.pi * inside) * j0 + rest
    else:
        near = log * j0 + 4 / math.pi * _mean(NEUMANN, cosines)
    value = jnp.where(positive > HANKEL_BEGINS, _hankel(positive, order)[1], near)
    value = jnp.where(wide <= 0, jnp.full_like(wide, -jnp.inf), value)
    return jnp.where(jnp.isnan(wide), wide, value).astype(x.dtype)


def _ke(x: jax.Array, order: int) -> jax.Array:
    """Computes K times `exp(x)`, in float64."""
    wide = x.astype(np.float64)
    small = jnp.where((wide > 0) & (wide < 2), wide, jnp.ones_like(wide))
    quarter, log = small * small / 4, jnp.log(small / 2) + EULER_GAMMA
    near = jnp.zeros_like(wide)
    for k in range(18):
        harmonic = sum(1 / i for i in range(1, k + 1))
        if order:
            size = float(math.factorial(k)) * math.factorial(k + 1)
            term = (log - harmonic - 0.5 / (k + 1)) / size
            near = near + term * quarter**k * small / 2
        else:
            near = near + (harmonic - log) / float(math.factorial(k)) ** 2 * quarter**k
    near = (near + 1 / small if order else near) * jnp.exp(small)
    large = jnp.where(wide >= 2, wide, jnp.full_like(wide, 2.0))
    step = STEP * jnp.sqrt(2 / large)
    times = step[..., None] * STEPS
    terms = jnp.exp(-2 * large[..., None] * jnp.sinh(times / 2) ** 2) * jnp.cosh(order * times)
    far = step * (jnp.sum(terms, axis=-1) - 0.5)
    value = jnp.where(wide < 2, near, far)
    value = jnp.where(wide <= 0, jnp.full_like(wide, jnp.inf), value)
    value = jnp.where(wide == jnp.inf, jnp.zeros_like(wide), value)
    return jnp.where(jnp.isnan(wide), wide, value)


@functools.partial(jax.custom_jvp, nondiff_argnums=(1, 2))
def _bessel(x: jax.Array, kind: str, order: int) -> jax.Array:
    if kind == "j":
        return _j(x, order)
    if kind == "y":
        return _y(x, order)
    scaled = _ke(x, order)
    if kind == "k":
        scaled = jnp.where(x > 0, scaled * jnp.exp(-x.astype(np.float64)), scaled)
    return scaled.astype(x.dtype)


@_bessel.defjvp
def _bessel_jvp(
    kind: str, order: int, primals: tuple, tangents: tuple
) -> tuple[jax.Array, jax.Array]:
    (x,), (tangent,) = primals, tangents
    value, other = _bessel(x, kind, order), _bessel(x, kind, 1 - order)
    if order == 0:
        slope = value - other if kind == "ke" else -other
    elif kind == "j":
        slope = jnp.where(x == 0, jnp.full_like(x, 0.5), other - value / x)
    elif kind == "ke":
        slope = value * (1 - 1 / x) - other
    else:
        slope = (other if kind == "y" else -other) - value / x
    return value, tangent * slope


@op(
    "math.special.bessel_j0",
    kernel="BesselJ0",
    dtypes=kernel_dtypes.FLOATS,
    elementwise=1,
    raw_op=True,
)
def bessel_j0(x: TensorLike) -> jax.Array:
    """Computes the Bessel function of the first kind and order 0 of each element.

    Args:
        x: a floating tensor.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        InvalidArgumentError: if `x` is no floating tensor.

    >>> tf.math.special.bessel_j0([1.0, 2.0]).numpy().round(4)
    array([0.7652, 0.2239], dtype=float32)
    """
    return _bessel(x, "j", 0)


@op(
    "math.special.bessel_j1",
    kernel="BesselJ1",
    dtypes=kernel_dtypes.FLOATS,
    elementwise=1,
    raw_op=True,
)
def bessel_j1(x: TensorLike) -> jax.Array:
    """Computes the Bessel function of the first kind and order 1 of each element.

    Args:
        x: a floating tensor.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        InvalidArgumentError: if `x` is no floating tensor.

    >>> tf.math.special.bessel_j1([1.0, 2.0]).numpy().round(4)
    array([0.4401, 0.5767], dtype=float32)
    """
    return _bessel(x, "j", 1)


@op(
    "math.special.bessel_y0",
    kernel="BesselY0",
    dtypes=kernel_dtypes.FLOATS,
    elementwise=1,
    raw_op=True,
)
def bessel_y0(x: TensorLike) -> jax.Array:
    """Computes the Bessel function of the second kind and order 0 of each element.

    Args:
        x: a floating tensor.

    Returns:
        A tensor of the shape and dtype of `x`: -inf at 0 and below.

    Raises:
        InvalidArgumentError: if `x` is no floating tensor.

    >>> tf.math.special.bessel_y0([1.0, 2.0]).numpy().round(4)
    array([0.0883, 0.5104], dtype=float32)
    """
    return _bessel(x, "y", 0)


@op(
    "math.special.bessel_y1",
    kernel="BesselY1",
    dtypes=kernel_dtypes.FLOATS,
    elementwise=1,
    raw_op=True,
)
def bessel_y1(x: TensorLike) -> jax.Array:
    """Computes the Bessel function of the second kind and order 1 of each element.

    Args:
        x: a floating tensor.

    Returns:
        A tensor of the shape and dtype of `x`: -inf at 0 and below.

    Raises:
        InvalidArgumentError: if `x` is no floating tensor.

    >>> tf.math.special.bessel_y1([1.0, 2.0]).numpy().round(4)
    array([-0.7812, -0.107 ], dtype=float32)
    """
    return _bessel(x, "y", 1)


@op(
    "math.special.bessel_k0",
    kernel="BesselK0",
    dtypes=kernel_dtypes.FLOATS,
    elementwise=1,
    raw_op=True,
)
def bessel_k0(x: TensorLike) -> jax.Array:
    """Computes the modified Bessel function of the second kind and order 0 of each element.

    Args:
        x: a floating tensor.

    Returns:
        A tensor of the shape and dtype of `x`: inf at 0 and below.

    Raises:
        InvalidArgumentError: if `x` is no floating tensor.

    >>> tf.math.special.bessel_k0([1.0, 2.0]).numpy().round(4)
    array([0.421 , 0.1139], dtype=float32)
    """
    return _bessel(x, "k", 0)


@op(
    "math.special.bessel_k1",
    kernel="BesselK1",
    dtypes=kernel_dtypes.FLOATS,
    elementwise=1,
    raw_op=True,
)
def bessel_k1(x: TensorLike) -> jax.Array:
    """Computes the modified Bessel function of the second kind and order 1 of each element.

    Args:
        x: a floating tensor.

    Returns:
        A tensor of the shape and dtype of `x`: inf at 0 and below.

    Raises:
        InvalidArgumentError: if `x` is no floating tensor.

    >>> tf.math.special.bessel_k1([1.0, 2.0]).numpy().round(4)
    array([0.6019, 0.1399], dtype=float32)
    """
    return _bessel(x, "k", 1)


@op(
    "math.special.bessel_k0e",
    kernel="BesselK0e",
    dtypes=kernel_dtypes.FLOATS,
    elementwise=1,
    raw_op=True,
)
def bessel_k0e(x: TensorLike) -> jax.Array:
    """Computes `exp(x) * bessel_k0(x)` of each element.

    Args:
        x: a floating tensor.

    Returns:
        A tensor of the shape and dtype of `x`: inf at 0 and below.

    Raises:
        InvalidArgumentError: if `x` is no floating tensor.

    >>> tf.math.special.bessel_k0e([1.0, 2.0]).numpy().round(4)
    array([1.1445, 0.8416], dtype=float32)
    """
    return _bessel(x, "ke", 0)


@op(
    "math.special.bessel_k1e",
    kernel="BesselK1e",
    dtypes=kernel_dtypes.FLOATS,
    elementwise=1,
    raw_op=True,
)
def bessel_k1e(x: TensorLike) -> jax.Array:
    """Computes `exp(x) * bessel_k1(x)` of each element.

    Args:
        x: a floating tensor.

    Returns:
        A tensor of the shape and dtype of `x`: inf at 0 and below.

    Raises:
        InvalidArgumentError: if `x` is no floating tensor.

    >>> tf.math.special.bessel_k1e([1.0, 2.0]).numpy().round(4)
    array([1.6362, 1.0335], dtype=float32)
    """
    return _bessel(x, "ke", 1)


# The highest power first.
DAWSON_NEAR = (
    (1.13681498971755972054e-11, 8.49262267667473811108e-10, 1.94434204175553054283e-8,
     9.53151741254484363489e-7, 3.07828309874913200438e-6, 3.52513368520288738649e-4,
     -8.50149846724410912031e-4, 4.22618223005546594270e-2, -9.17480371773452345351e-2,
     9.99999999999999994612e-1),
    (2.40372073066762605484e-11, 1.48864681368493396752e-9, 5.21265281010541664570e-8,
     1.27258478273186970203e-6, 2.32490249820789513991e-5, 3.25524741826057911661e-4,
     3.48805814657162590916e-3, 2.79448531198828973716e-2, 1.58874241960120565368e-1,
     5.74918629489320327824e-1, 1.00000000000000000539e0),
)  # fmt: skip
DAWSON_MIDDLE = (
    (5.08955156417900903354e-1, -2.44754418142697847934e-1, 9.41512335303534411857e-2,
     -2.18711255142039025206e-2, 3.66207612329569181322e-3, -4.23209114460388756528e-4,
     3.59641304793896631888e-5, -2.14640351719968974225e-6, 9.10010780076391431042e-8,
     -2.40274520828250956942e-9, 3.59233385440928410398e-11),
    (1.0, -6.31839869873368190192e-1, 2.36706788228248691528e-1, -5.31806367003223277662e-2,
     8.48041718586295374409e-3, -9.47996768486665330168e-4, 7.81025592944552338085e-5,
     -4.55875153252442634831e-6, 1.89100358111421846170e-7, -4.91324691331920606875e-9,
     7.18466403235734541950e-11),
)  # fmt: skip
DAWSON_FAR = (
    (-5.90592860534773254987e-1, 6.29235242724368800674e-1, -1.72858975380388136411e-1,
     1.64837047825189632310e-2, -4.86827613020462700845e-4),
    (1.0, -2.69820057197544900361e0, 1.73270799045947845857e0, -3.93708582281939493482e-1,
     3.44278924041233391079e-2, -9.73655226040941223894e-4),
)  # fmt: skip
DAWSON_MIDDLE_BEGINS, DAWSON_FAR_BEGINS = 3.25, 6.25  # where the next approximation begins


def dawson(x: jax.Array) -> jax.Array:
    """Computes Dawson's integral of each element, in float32 where `x` is of fewer bits.

    JAX has had it since 0.10.2; this serves releases from 0.10.0 on.
    """
    if x.dtype not in (np.float32, np.float64):
        return dawson(x.astype(np.float32)).astype(x.dtype)
    size = jnp.abs(x)
    square = jnp.minimum(size, DAWSON_MIDDLE_BEGINS) ** 2
    near = size * _ratio(DAWSON_NEAR, square)
    inverse = 1 / jnp.maximum(size, DAWSON_MIDDLE_BEGINS) ** 2
    far = jnp.where(
        size < DAWSON_FAR_BEGINS, _ratio(DAWSON_MIDDLE, inverse), _ratio(DAWSON_FAR, inverse)
    )
    beyond = (1 + inverse * far) / (2 * jnp.maximum(size, DAWSON_MIDDLE_BEGINS))
    # Comparisons with NaN are false, and of 1 / infinity no more is left than 0.
    return jnp.sign(x) * jnp.where(size < DAWSON_MIDDLE_BEGINS, near, beyond)


def _ratio(coefficients: tuple, x: jax.Array) -> jax.Array:
    over, under = (np.array(c, x.dtype) for c in coefficients)
    return jnp.polyval(over, x) / jnp.polyval(under, x)


@jax.custom_jvp
def _i0(x: jax.Array) -> jax.Array:
    return special.i0(x)


@_i0.defjvp
def _i0_jvp(primals: tuple, tangents: tuple) -> tuple[jax.Array, jax.Array]:
    """JAX differentiates `exp(abs(x)) * i0e(x)`, whose slope at 0 it takes for 1."""
    (x,), (tangent,) = primals, tangents
    return _i0(x), tangent * _i1(x)


@jax.custom_jvp
def _i1(x: jax.Array) -> jax.Array:
    return special.i1(x)


@_i1.defjvp
def _i1_jvp(primals: tuple, tangents: tuple) -> tuple[jax.Array, jax.Array]:
    (x,), (tangent,) = primals, tangents
    y = _i1(x)
    # The derivative at 0 is 0.5, but TensorFlow says 1.
    return y, tangent * jnp.where(x == 0, jnp.ones_like(x), _i0(x) - y / x)


@jax.custom_jvp
def _i1e(x: jax.Array) -> jax.Array:
    return lax.bessel_i1e(x)


@_i1e.defjvp
def _i1e_jvp(primals: tuple, tangents: tuple) -> tuple[jax.Array, jax.Array]:
    (x,), (tangent,) = primals, tangents
    y = _i1e(x)
    # JAX says 0.5 for NaN, too.
    slope = lax.bessel_i0e(x) - y * (lax.sign(x) + 1 / x)
    return y, tangent * jnp.where(x == 0, jnp.full_like(x, 0.5), slope)


@op(
    "math.bessel_i0",
    "math.special.bessel_i0",
    kernel="BesselI0",
    dtypes=kernel_dtypes.FLOATS,
    elementwise=1,
    raw_op=True,
)
def bessel_i0(x: TensorLike) -> jax.Array:
    """Computes the modified Bessel function of order 0 of each element.

    Args:
        x: a floating tensor.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        InvalidArgumentError: if `x` is no floating tensor.

    >>> tf.math.bessel_i0([0.0, 1.0]).numpy().round(4)
    array([1.    , 1.2661], dtype=float32)
    """
    return _i0(x)


@op(
    "math.bessel_i1",
    "math.special.bessel_i1",
    kernel="BesselI1",
    dtypes=kernel_dtypes.FLOATS,
    elementwise=1,
    raw_op=True,
)
def bessel_i1(x: TensorLike) -> jax.Array:
    """Computes the modified Bessel function of order 1 of each element.

    Args:
        x: a floating tensor.

    Returns:
        A tensor of the shape and dtype of `x`. Its derivative at 0 is 1, as TensorFlow has it,
        where 0.5 would be right.

    Raises:
        InvalidArgumentError: if `x` is no floating tensor.

    >>> tf.math.bessel_i1([0.0, 1.0]).numpy().round(4)
    array([0.    , 0.5652], dtype=float32)
    """
    return _i1(x)


@op(
    "math.bessel_i0e",
    "math.special.bessel_i0e",
    kernel="BesselI0e",
    dtypes=kernel_dtypes.FLOATS,
    elementwise=1,
    keeps_zeros=True,
    raw_op=True,
)
def bessel_i0e(x: TensorLike) -> jax.Array:
    """Computes `exp(-abs(x)) * bessel_i0(x)` of each element.

    Args:
        x: a floating tensor.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        InvalidArgumentError: if `x` is no floating tensor.

    >>> tf.math.bessel_i0e([0.0, 1.0]).numpy().round(4)
    array([1.    , 0.4658], dtype=float32)
    """
    return lax.bessel_i0e(x)


@op(
    "math.bessel_i1e",
    "math.special.bessel_i1e",
    kernel="BesselI1e",
    dtypes=kernel_dtypes.FLOATS,
    elementwise=1,
    keeps_zeros=True,
    raw_op=True,
)
def bessel_i1e(x: TensorLike) -> jax.Array:
    """Computes `exp(-abs(x)) * bessel_i1(x)` of each element.

    Args:
        x: a floating tensor.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        InvalidArgumentError: if `x` is no floating tensor.

    >>> tf.math.bessel_i1e([0.0, 1.0]).numpy().round(4)
    array([0.    , 0.2079], dtype=float32)
    """
    return _i1e(x)


@jax.custom_jvp
def _dawsn(x: jax.Array) -> jax.Array:
    return dawson(x)


@_dawsn.defjvp
def _dawsn_jvp(primals: tuple, tangents: tuple) -> tuple[jax.Array, jax.Array]:
    """Takes the slope from the value, not from the approximations."""
    (x,), (tangent,) = primals, tangents
    y = _dawsn(x)
    return y, tangent * (1 - 2 * x * y)


@op("math.special.dawsn", kernel="Dawsn", dtypes=kernel_dtypes.FLOATS, elementwise=1, raw_op=True)
def dawsn(x: TensorLike) -> jax.Array:
    """Computes Dawson's integral `exp(-x**2)` times the integral of `exp(t**2)` from 0 to `x`.

    Args:
        x: a floating tensor.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        InvalidArgumentError: if `x` is no floating tensor.

    >>> tf.math.special.dawsn([0.0, 1.0]).numpy().round(4)
    array([0.    , 0.5381], dtype=float32)
    """
    return _dawsn(x)


@jax.custom_jvp
def _expint(x: jax.Array) -> jax.Array:
    inside = jnp.where(x < 0, jnp.full_like(x, jnp.nan), special.expi(x))
    return jnp.where(x == 0, jnp.full_like(x, -jnp.inf), inside)


@_expint.defjvp
def _expint_jvp(primals: tuple, tangents: tuple) -> tuple[jax.Array, jax.Array]:
    """JAX would say 0 below 0, where the value is NaN for TensorFlow."""
    (x,), (tangent,) = primals, tangents
    return _expint(x), tangent * lax.exp(x) / x


@op("math.special.expint", kernel="Expint", dtypes=kernel_dtypes.FLOATS, elementwise=1, raw_op=True)
def expint(x: TensorLike) -> jax.Array:
    """Computes the exponential integral, the principal value of that of `exp(t) / t` up to `x`.

    Args:
        x: a floating tensor.

    Returns:
        A tensor of the shape and dtype of `x`: -inf at 0, NaN where `x` is negative.

    Raises:
        InvalidArgumentError: if `x` is no floating tensor.

    >>> tf.math.special.expint([0.5, 1.0]).numpy().round(4)
    array([0.4542, 1.8951], dtype=float32)
    """
    return _expint(x)


@jax.custom_jvp
def _fresnel_cos(x: jax.Array) -> jax.Array:
    return special.fresnel(x)[1]


@_fresnel_cos.defjvp
def _fresnel_cos_jvp(primals: tuple, tangents: tuple) -> tuple[jax.Array, jax.Array]:
    """JAX differentiates its approximations, which is wrong where one takes over from another."""
    (x,), (tangent,) = primals, tangents
    return _fresnel_cos(x), tangent * lax.cos(math.pi / 2 * lax.square(x))


@op(
    "math.special.fresnel_cos",
    kernel="FresnelCos",
    dtypes=kernel_dtypes.FLOATS,
    elementwise=1,
    raw_op=True,
)
def fresnel_cos(x: TensorLike) -> jax.Array:
    """Computes the Fresnel integral of `cos(pi / 2 * t**2)` from 0 to each element.

    Args:
        x: a floating tensor.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        InvalidArgumentError: if `x` is no floating tensor.

    >>> tf.math.special.fresnel_cos([0.0, 1.0]).numpy().round(4)
    array([0.    , 0.7799], dtype=float32)
    """
    return _fresnel_cos(x)


@jax.custom_jvp
def _fresnel_sin(x: jax.Array) -> jax.Array:
    return special.fresnel(x)[0]


@_fresnel_sin.defjvp
def _fresnel_sin_jvp(primals: tuple, tangents: tuple) -> tuple[jax.Array, jax.Array]:
    """JAX differentiates its approximations; beyond 30 nothing of the slope is left in float32."""
    (x,), (tangent,) = primals, tangents
    return _fresnel_sin(x), tangent * lax.sin(math.pi / 2 * lax.square(x))


@op(
    "math.special.fresnel_sin",
    kernel="FresnelSin",
    dtypes=kernel_dtypes.FLOATS,
    elementwise=1,
    raw_op=True,
)
def fresnel_sin(x: TensorLike) -> jax.Array:
    """Computes the Fresnel integral of `sin(pi / 2 * t**2)` from 0 to each element.

    Args:
        x: a floating tensor.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        InvalidArgumentError: if `x` is no floating tensor.

    >>> tf.math.special.fresnel_sin([0.0, 1.0]).numpy().round(4)
    array([0.    , 0.4383], dtype=float32)
    """
    return _fresnel_sin(x)


@jax.custom_jvp
def _spence(x: jax.Array) -> jax.Array:
    return special.spence(x)


@_spence.defjvp
def _spence_jvp(primals: tuple, tangents: tuple) -> tuple[jax.Array, jax.Array]:
    """JAX has 0 for the slope at 0, at 1 and below 0."""
    (x,), (tangent,) = primals, tangents
    slope = jnp.where(x == 1, -jnp.ones_like(x), lax.log(x) / (1 - x))
    return _spence(x), tangent * slope


@op("math.special.spence", kernel="Spence", dtypes=kernel_dtypes.FLOATS, elementwise=1, raw_op=True)
def spence(x: TensorLike) -> jax.Array:
    """Computes Spence's integral of `log(t) / (1 - t)` from 1 to each element.

    Args:
        x: a floating tensor.

    Returns:
        A tensor of the shape and dtype of `x`: NaN where `x` is negative.

    Raises:
        InvalidArgumentError: if `x` is no floating tensor.

    >>> tf.math.special.spence([0.5, 1.0]).numpy().round(4)
    array([0.5822, 0.    ], dtype=float32)
    """
    return _spence(x)
