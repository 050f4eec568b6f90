"""Bessel functions of the first and second kind, J and Y, and the modified ones K.

JAX has none of them. They are computed in float64, whatever the dtype: up to `FAR` by the
trapezoidal rule for Bessel's integral, which converges geometrically for a periodic function
(Trefethen and Weideman, SIAM Review 56, 2014), beyond by Hankel's asymptotic series (DLMF 10.17).
"""

import functools
import math

import jax
import jax.numpy as jnp
import numpy as np

from tapefacade._ops import kinds
from tapefacade._ops.op import TensorLike, op

FAR = 25.0
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
    return jnp.where(x > FAR, jnp.ones_like(x), x)


def _mean(weights: np.ndarray, values: jax.Array) -> jax.Array:
    return values @ jnp.asarray(weights / NODES)


def _hankel(x: jax.Array, order: int) -> tuple[jax.Array, jax.Array]:
    """Returns J and Y of a large argument."""
    x = jnp.where(x > FAR, x, jnp.full_like(x, FAR))
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
    value = jnp.where(size > FAR, _hankel(size, order)[0], near)
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
    value = jnp.where(positive > FAR, _hankel(positive, order)[1], near)
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


@op("math.special.bessel_j0", kernel="BesselJ0", dtypes=kinds.FLOATS)
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


@op("math.special.bessel_j1", kernel="BesselJ1", dtypes=kinds.FLOATS)
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


@op("math.special.bessel_y0", kernel="BesselY0", dtypes=kinds.FLOATS)
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


@op("math.special.bessel_y1", kernel="BesselY1", dtypes=kinds.FLOATS)
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


@op("math.special.bessel_k0", kernel="BesselK0", dtypes=kinds.FLOATS)
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


@op("math.special.bessel_k1", kernel="BesselK1", dtypes=kinds.FLOATS)
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


@op("math.special.bessel_k0e", kernel="BesselK0e", dtypes=kinds.FLOATS)
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


@op("math.special.bessel_k1e", kernel="BesselK1e", dtypes=kinds.FLOATS)
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
