"""Special functions: the error function, gamma, beta, zeta, `xlogy` and their relatives."""

import math

import jax
import jax.numpy as jnp
from jax import lax
from jax.scipy import special

from tapefacade._core import errors, kernel_dtypes
from tapefacade._core.error_texts import reduction_axis_out_of_range, shape_text
from tapefacade._core.kernel_dtypes import COMPLEX, FLOATS_HALF_FIRST, FLOATS_WIDE
from tapefacade._definition.argument_checks import check_broadcast
from tapefacade._definition.op import Differentiable, TensorLike, op

FLOATS_THEN_COMPLEX = (*FLOATS_HALF_FIRST, *COMPLEX)


@op(
    "math.erf",
    kernel="Erf",
    dtypes=kernel_dtypes.FLOATS,
    elementwise=1,
    keeps_zeros=True,
    raw_op=True,
)
def erf(x: TensorLike) -> jax.Array:
    """Computes the Gauss error function of each element.

    Args:
        x: a floating tensor.

    Returns:
        A tensor of the shape and dtype of `x`, between -1 and 1.

    Raises:
        InvalidArgumentError: if `x` is no floating tensor.

    >>> tf.math.erf([0.0, 1.0]).numpy().round(4)
    array([0.    , 0.8427], dtype=float32)
    """
    return lax.erf(x)


@op("math.erfc", kernel="Erfc", dtypes=kernel_dtypes.FLOATS, elementwise=1, raw_op=True)
def erfc(x: TensorLike) -> jax.Array:
    """Computes one minus the error function of each element, also where that is tiny.

    Args:
        x: a floating tensor.

    Returns:
        A tensor of the shape and dtype of `x`, between 0 and 2.

    Raises:
        InvalidArgumentError: if `x` is no floating tensor.

    >>> tf.math.erfc([0.0, 1.0]).numpy().round(4)
    array([1.    , 0.1573], dtype=float32)
    """
    return lax.erfc(x)


@op("math.erfinv", kernel="Erfinv", dtypes=kernel_dtypes.FLOATS, elementwise=1, raw_op=True)
def erfinv(x: TensorLike) -> jax.Array:
    """Computes the inverse of the error function of each element.

    Args:
        x: a floating tensor.

    Returns:
        A tensor of the shape and dtype of `x`: infinite at -1 and 1, NaN outside.

    Raises:
        InvalidArgumentError: if `x` is no floating tensor.

    >>> tf.math.erfinv([0.0, 0.5]).numpy().round(4)
    array([0.    , 0.4769], dtype=float32)
    """
    return lax.erf_inv(x)


@jax.custom_jvp
def _ndtri(x: jax.Array) -> jax.Array:
    return special.ndtri(x)


@_ndtri.defjvp
def _ndtri_jvp(primals: tuple, tangents: tuple) -> tuple[jax.Array, jax.Array]:
    """Takes the derivative from the value, so that it is infinite at 0 and 1."""
    (x,), (tangent,) = primals, tangents
    y = _ndtri(x)
    return y, tangent * (math.sqrt(2 * math.pi) * lax.exp(lax.square(y) / 2))


@op("math.ndtri", kernel="Ndtri", dtypes=kernel_dtypes.FLOATS, elementwise=1, raw_op=True)
def ndtri(x: TensorLike) -> jax.Array:
    """Computes the quantiles of the standard normal distribution.

    Args:
        x: a floating tensor of probabilities.

    Returns:
        A tensor of the shape and dtype of `x`: infinite at 0 and 1, NaN outside.

    Raises:
        InvalidArgumentError: if `x` is no floating tensor.

    >>> tf.math.ndtri([0.5, 0.975]).numpy().round(4)
    array([0.  , 1.96], dtype=float32)
    """
    return _ndtri(x)


@op("math.erfcinv", kernel="Ndtri", dtypes=kernel_dtypes.FLOATS, elementwise=1)
def erfcinv(x: TensorLike) -> jax.Array:
    """Computes the inverse of the complementary error function of each element.

    Args:
        x: a floating tensor.

    Returns:
        A tensor of the shape and dtype of `x`: infinite at 0 and 2, NaN outside.

    Raises:
        InvalidArgumentError: if `x` is no floating tensor.

    >>> tf.math.erfcinv([0.5, 1.5]).numpy().round(4)
    array([ 0.4769, -0.4769], dtype=float32)
    """
    return -_ndtri(0.5 * x) * math.sqrt(0.5)


@op("math.lgamma", kernel="Lgamma", dtypes=kernel_dtypes.FLOATS, elementwise=1, raw_op=True)
def lgamma(x: TensorLike) -> jax.Array:
    """Computes the logarithm of the absolute value of the gamma function of each element.

    Args:
        x: a floating tensor.

    Returns:
        A tensor of the shape and dtype of `x`: inf at 0 and at negative integers.

    Raises:
        InvalidArgumentError: if `x` is no floating tensor.

    >>> tf.math.lgamma([0.5, 5.0]).numpy().round(4)
    array([0.5724, 3.1781], dtype=float32)
    """
    return lax.lgamma(x)


@op("math.digamma", kernel="Digamma", dtypes=kernel_dtypes.FLOATS, elementwise=1, raw_op=True)
def digamma(x: TensorLike) -> jax.Array:
    """Computes the derivative of `lgamma` of each element.

    Args:
        x: a floating tensor.

    Returns:
        A tensor of the shape and dtype of `x`: NaN at 0 and at negative integers.

    Raises:
        InvalidArgumentError: if `x` is no floating tensor.

    >>> tf.math.digamma([1.0, 5.0]).numpy().round(4)
    array([-0.5772,  1.5061], dtype=float32)
    """
    return lax.digamma(x)


@jax.custom_jvp
def _polygamma(a: jax.Array, x: jax.Array) -> jax.Array:
    return jnp.where(a == lax.floor(a), lax.polygamma(a, x), jnp.full_like(x, jnp.nan))


@_polygamma.defjvp
def _polygamma_jvp(primals: tuple, tangents: tuple) -> tuple[jax.Array, jax.Array]:
    (a, x), (_, tangent) = primals, tangents
    # TensorFlow has no derivative for the order, at any order.
    return _polygamma(a, x), tangent * _polygamma(lax.stop_gradient(a) + 1, x)


@op(
    "math.polygamma",
    kernel="Polygamma",
    dtypes=FLOATS_WIDE,
    gradient=Differentiable(except_for=("a",)),
    elementwise=2,
    raw_op=True,
)
def polygamma(a: TensorLike, x: TensorLike) -> jax.Array:
    """Computes the derivative number `a` of `digamma` at `x`.

    Args:
        a: how many times to differentiate: a floating tensor of non-negative integers.
        x: where, a tensor of the same dtype that can be broadcast with `a`.

    Returns:
        A tensor of the common shape; NaN where `a` is no integer. The gradient with respect to
        `a` is None.

    Raises:
        InvalidArgumentError: if the inputs are not of dtype float32 or float64, or if the shapes
            do not fit.

    >>> tf.math.polygamma([0.0, 1.0], [1.0, 1.0]).numpy().round(4)
    array([-0.5772,  1.6449], dtype=float32)
    """
    check_broadcast(a, x)
    return _polygamma(*jnp.broadcast_arrays(a, x))


@jax.custom_jvp
def _zeta(x: jax.Array, q: jax.Array) -> jax.Array:
    return lax.zeta(x, q)


@_zeta.defjvp
def _zeta_jvp(primals: tuple, tangents: tuple) -> tuple[jax.Array, jax.Array]:
    """JAX has no derivative with respect to `x`, and refuses that to `q` with it."""
    (x, q), (_, tangent) = primals, tangents
    return _zeta(x, q), tangent * (-x * _zeta(x + 1, q))


@op(
    "math.zeta",
    kernel="Zeta",
    dtypes=FLOATS_WIDE,
    gradient=Differentiable(except_for=("x",)),
    elementwise=2,
    raw_op=True,
)
def zeta(x: TensorLike, q: TensorLike) -> jax.Array:
    """Computes the Hurwitz zeta function, the sum of `(q + n) ** -x` over all `n >= 0`.

    Args:
        x: a floating tensor, greater than 1.
        q: a positive tensor of the same dtype that can be broadcast with `x`.

    Returns:
        A tensor of the common shape. The gradient with respect to `x` is None.

    Raises:
        InvalidArgumentError: if the inputs are not of dtype float32 or float64, or if the shapes
            do not fit.

    >>> tf.math.zeta([2.0], [1.0]).numpy().round(4)
    array([1.6449], dtype=float32)
    """
    check_broadcast(x, q)
    return _zeta(*jnp.broadcast_arrays(x, q))


@jax.custom_jvp
def _igamma_grad_a(a: jax.Array, x: jax.Array) -> jax.Array:
    return lax.igamma_grad_a(a, x)


@_igamma_grad_a.defjvp
def _igamma_grad_a_jvp(primals: tuple, tangents: tuple) -> tuple[jax.Array, jax.Array]:
    raise LookupError("gradient registry has no entry for: IgammaGradA")


@op("_igamma_grad_a", kernel="IgammaGradA", dtypes=kernel_dtypes.FLOATS)
def igamma_grad_a(a: TensorLike, x: TensorLike) -> jax.Array:
    """Computes the derivative of `tf.math.igamma` by `a`."""
    check_broadcast(a, x)
    return _igamma_grad_a(*jnp.broadcast_arrays(a, x))


@op("_random_gamma_grad", kernel="RandomGammaGrad", dtypes=kernel_dtypes.FLOATS)
def random_gamma_grad(alpha: TensorLike, sample: TensorLike) -> jax.Array:
    """Computes how a sample of a gamma distribution moves with `alpha`, the quantile kept."""
    check_broadcast(alpha, sample)
    alpha, sample = jnp.broadcast_arrays(alpha, sample)
    return lax.random_gamma_grad(alpha, sample)  # pyright: ignore[reportCallIssue]


def _igamma_slopes(a: jax.Array, x: jax.Array) -> tuple[jax.Array, jax.Array]:
    return _igamma_grad_a(a, x), lax.exp(-x + (a - 1) * lax.log(x) - lax.lgamma(a))


def _defined(a: jax.Array, value: jax.Array) -> jax.Array:
    """Puts NaN where `a` is 0, as in TensorFlow; for JAX the limit is the value."""
    return jnp.where(a > 0, value, jnp.full_like(value, jnp.nan))


@jax.custom_jvp
def _igamma(a: jax.Array, x: jax.Array) -> jax.Array:
    return _defined(a, lax.igamma(a, x))


@_igamma.defjvp
def _igamma_jvp(primals: tuple, tangents: tuple) -> tuple[jax.Array, jax.Array]:
    by_a, by_x = _igamma_slopes(*primals)
    return _igamma(*primals), by_a * tangents[0] + by_x * tangents[1]


@op("math.igamma", kernel="Igamma", dtypes=kernel_dtypes.FLOATS, elementwise=2, raw_op=True)
def igamma(a: TensorLike, x: TensorLike) -> jax.Array:
    """Computes the regularized lower incomplete gamma function.

    Args:
        a: a positive floating tensor.
        x: a tensor of the same dtype that can be broadcast with `a`.

    Returns:
        A tensor of the common shape, between 0 and 1. As in TensorFlow there is no second
        derivative: asking for it is a LookupError.

    Raises:
        InvalidArgumentError: if `a` is no floating tensor, or if the shapes do not fit.

    >>> tf.math.igamma([1.0, 2.0], [0.5, 3.0]).numpy().round(4)
    array([0.3935, 0.8009], dtype=float32)
    """
    check_broadcast(a, x)
    return _igamma(*jnp.broadcast_arrays(a, x))


@jax.custom_jvp
def _igammac(a: jax.Array, x: jax.Array) -> jax.Array:
    return _defined(a, lax.igammac(a, x))


@_igammac.defjvp
def _igammac_jvp(primals: tuple, tangents: tuple) -> tuple[jax.Array, jax.Array]:
    by_a, by_x = _igamma_slopes(*primals)
    return _igammac(*primals), -by_a * tangents[0] - by_x * tangents[1]


@op("math.igammac", kernel="Igammac", dtypes=kernel_dtypes.FLOATS, elementwise=2, raw_op=True)
def igammac(a: TensorLike, x: TensorLike) -> jax.Array:
    """Computes the regularized upper incomplete gamma function, `1 - igamma(a, x)`.

    Args:
        a: a positive floating tensor.
        x: a tensor of the same dtype that can be broadcast with `a`.

    Returns:
        A tensor of the common shape, between 0 and 1. As in TensorFlow there is no second
        derivative: asking for it is a LookupError.

    Raises:
        InvalidArgumentError: if `a` is no floating tensor, or if the shapes do not fit.

    >>> tf.math.igammac([1.0, 2.0], [0.5, 3.0]).numpy().round(4)
    array([0.6065, 0.1991], dtype=float32)
    """
    check_broadcast(a, x)
    return _igammac(*jnp.broadcast_arrays(a, x))


@jax.custom_jvp
def _betainc(a: jax.Array, b: jax.Array, x: jax.Array) -> jax.Array:
    return special.betainc(a, b, x)


@_betainc.defjvp
def _betainc_jvp(primals: tuple, tangents: tuple) -> tuple[jax.Array, jax.Array]:
    """JAX's slope is NaN at 0 and 1 where the density is not zero."""
    (a, b, x), (_, _, tangent) = primals, tangents
    log_beta = lax.lgamma(a) + lax.lgamma(b) - lax.lgamma(a + b)
    slope = lax.exp(_xlog1py(b - 1, -x) + _xlogy(a - 1, x) - log_beta)
    return _betainc(a, b, x), tangent * slope


@op(
    "math.betainc",
    kernel="Betainc",
    dtypes=FLOATS_WIDE,
    gradient=Differentiable(except_for=("a", "b")),
    raw_op=True,
)
def betainc(a: TensorLike, b: TensorLike, x: TensorLike) -> jax.Array:
    """Computes the regularized incomplete beta function.

    Args:
        a: a positive floating tensor.
        b: a positive tensor of the same dtype.
        x: a tensor of the same dtype, between 0 and 1. The three have one shape; scalars fit all.

    Returns:
        A tensor of that shape. The gradients with respect to `a` and `b` are None.

    Raises:
        InvalidArgumentError: if the inputs are not of dtype float32 or float64, or if the shapes
            differ.

    >>> tf.math.betainc(1.0, 2.0, [0.5, 0.8]).numpy().round(4)
    array([0.75, 0.96], dtype=float32)
    """
    named = [(name, v.shape) for name, v in (("a", a), ("b", b), ("x", x)) if v.shape]
    for name, shape in named:
        first, wanted = named[0]
        if shape != wanted:
            raise errors.InvalidArgumentError(
                None,
                None,
                f"Shapes of {first} and {name} are inconsistent: "
                f"{shape_text(wanted)} vs. {shape_text(shape)}",
            )
    return _betainc(*jnp.broadcast_arrays(a, b, x))


@op("math.lbeta", kernel="Lgamma", dtypes=kernel_dtypes.FLOATS)
def lbeta(x: TensorLike) -> jax.Array:
    """Computes the logarithm of the absolute value of the beta function along the last axis.

    Args:
        x: a floating tensor of shape `[..., N]`.

    Returns:
        A tensor of shape `[...]`, `sum(lgamma(x)) - lgamma(sum(x))`.

    Raises:
        InvalidArgumentError: if `x` is no floating tensor, or a scalar.

    >>> tf.math.lbeta([[1.0, 2.0], [2.0, 3.0]]).numpy().round(4)
    array([-0.6931, -2.4849], dtype=float32)
    """
    if x.ndim == 0:
        raise reduction_axis_out_of_range(-1, 0)
    return jnp.sum(lax.lgamma(x), axis=-1) - lax.lgamma(jnp.sum(x, axis=-1))


# As in TensorFlow `x * log(y)` and its like are 0 where `x` is, even beside a NaN, and so are their
# derivatives. Those of JAX (`jax.scipy.special.xlogy`) are NaN and the logarithm there.


def _or_zero(x: jax.Array, value: jax.Array) -> jax.Array:
    return jnp.where(x == 0, jnp.zeros_like(value), value)


def _is_not_zero(x: jax.Array) -> jax.Array:
    return (x != 0).astype(x.dtype)


@jax.custom_jvp
def _xdivy(x: jax.Array, y: jax.Array) -> jax.Array:
    return _or_zero(x, x / y)


@_xdivy.defjvp
def _xdivy_jvp(primals: tuple, tangents: tuple) -> tuple[jax.Array, jax.Array]:
    (x, y), (dx, dy) = primals, tangents
    return _xdivy(x, y), dx * _xdivy(_is_not_zero(x), y) + dy * _xdivy(-x, y * y)


@op("math.xdivy", kernel="Xdivy", dtypes=FLOATS_THEN_COMPLEX, elementwise=2, raw_op=True)
def xdivy(x: TensorLike, y: TensorLike) -> jax.Array:
    """Divides two tensors element by element, and gives 0 where `x` is 0.

    Unlike TensorFlow, which forgets the conjugate, the gradient of complex numbers is right.

    Args:
        x: a floating or complex tensor.
        y: a tensor of the same dtype that can be broadcast with `x`.

    Returns:
        A tensor of the common shape.

    Raises:
        InvalidArgumentError: if `x` is an integer tensor, or if the shapes do not fit.

    >>> tf.math.xdivy([0.0, 3.0], [0.0, 2.0]).numpy()
    array([0. , 1.5], dtype=float32)
    """
    check_broadcast(x, y)
    return _xdivy(x, y)


@jax.custom_jvp
def _xlogy(x: jax.Array, y: jax.Array) -> jax.Array:
    return _or_zero(x, x * lax.log(y))


@_xlogy.defjvp
def _xlogy_jvp(primals: tuple, tangents: tuple) -> tuple[jax.Array, jax.Array]:
    (x, y), (dx, dy) = primals, tangents
    return _xlogy(x, y), dx * _xlogy(_is_not_zero(x), y) + dy * _xdivy(x, y)


@op("math.xlogy", kernel="Xlogy", dtypes=FLOATS_THEN_COMPLEX, elementwise=2, raw_op=True)
def xlogy(x: TensorLike, y: TensorLike) -> jax.Array:
    """Computes `x * log(y)` element by element, and gives 0 where `x` is 0.

    Unlike TensorFlow, which forgets the conjugate, the gradient of complex numbers is right.

    Args:
        x: a floating or complex tensor.
        y: a tensor of the same dtype that can be broadcast with `x`.

    Returns:
        A tensor of the common shape.

    Raises:
        InvalidArgumentError: if `x` is an integer tensor, or if the shapes do not fit.

    >>> tf.math.xlogy([0.0, 1.0], [0.0, 2.0]).numpy().round(4)
    array([0.    , 0.6931], dtype=float32)
    """
    check_broadcast(x, y)
    return _xlogy(x, y)


@jax.custom_jvp
def _xlog1py(x: jax.Array, y: jax.Array) -> jax.Array:
    return _or_zero(x, x * lax.log1p(y))


@_xlog1py.defjvp
def _xlog1py_jvp(primals: tuple, tangents: tuple) -> tuple[jax.Array, jax.Array]:
    (x, y), (dx, dy) = primals, tangents
    return _xlog1py(x, y), dx * _xlog1py(_is_not_zero(x), y) + dy * _xdivy(x, y + 1)


@op(
    "math.xlog1py",
    kernel="Xlog1py",
    dtypes=FLOATS_THEN_COMPLEX,
    elementwise=2,
    raw_op=True,
)
def xlog1py(x: TensorLike, y: TensorLike) -> jax.Array:
    """Computes `x * log(1 + y)` element by element, and gives 0 where `x` is 0.

    Unlike TensorFlow, which forgets the conjugate, the gradient of complex numbers is right.

    Args:
        x: a floating or complex tensor.
        y: a tensor of the same dtype that can be broadcast with `x`.

    Returns:
        A tensor of the common shape.

    Raises:
        InvalidArgumentError: if `x` is an integer tensor, or if the shapes do not fit.

    >>> tf.math.xlog1py([0.0, 1.0], [-1.0, 1.0]).numpy().round(4)
    array([0.    , 0.6931], dtype=float32)
    """
    check_broadcast(x, y)
    return _xlog1py(x, y)
