"""Dropout, with random numbers of its own or with given ones."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tapefacade._core import random_keys
from tapefacade._core.conversion import convert_to_tensor, is_tensor
from tapefacade._core.error_texts import invalid, shape_text
from tapefacade._core.tensor import EagerTensor
from tapefacade._definition.op import FreeTensor, TensorLike, function, op
from tapefacade._ops.random import philox
from tapefacade._ops.random.stateless import stateless_uniform
from tapefacade._trace.open_sizes import ACCOUNTS, with_sizes_of


@function("nn.dropout", dispatch=True)
def dropout(
    x: TensorLike, rate: Any, noise_shape: Any = None, seed: int | None = None, name: None = None
) -> EagerTensor:
    """Sets randomly chosen elements to 0 and scales the others so that the sum is kept on average.

    Args:
        x: a floating tensor.
        rate: the probability with which an element is dropped, a number or scalar tensor.
        noise_shape: the shape of the random decisions, which broadcasts to that of `x`.
        seed: makes the decisions repeatable together with `tf.random.set_seed`.
        name: ignored.

    Returns:
        A tensor of the shape and type of `x`.

    Raises:
        ValueError: if `rate` is not in [0, 1), or `x` is not floating.

    >>> tf.nn.dropout([1.0, 2.0], rate=0.0).numpy()
    array([1., 2.], dtype=float32)
    """
    number = isinstance(rate, int | float | np.number)
    if number:
        _check_number(rate)
    x = convert_to_tensor(x)
    _check_floating(x)
    if not number:
        _check_rate(rate, x.dtype)
    drawn = _known_noise_shape(tuple(x.shape), noise_shape)
    state = random_keys.next_state("RandomUniform", x.dtype, seed, drawn)
    if number and rate == 0:
        return x
    return _dropout(state, x, rate, noise_shape)


def _known_noise_shape(shape: tuple[int, ...], noise_shape: Any) -> Any:
    if not isinstance(noise_shape, list | tuple):
        return shape if noise_shape is None else noise_shape
    return tuple(
        n if n is not None and n != -1 else shape[axis] for axis, n in enumerate(noise_shape)
    )


# What is refused. A number is checked before `x` becomes a tensor, a tensor after it.


def _check_number(rate: Any) -> None:
    if not 0 <= float(rate) < 1:
        raise ValueError(
            f"`rate` must be a scalar tensor or a float in the range [0, 1). Received: rate={rate}"
        )


def _check_rate(rate: Any, dtype: Any) -> None:
    if not is_tensor(rate):
        raise ValueError(f"`rate` must be a scalar or scalar tensor. Received: {rate=}")
    if rate.dtype != dtype:
        raise ValueError(
            "`x.dtype` must be compatible with `rate.dtype`. "
            f"Received: x.dtype={dtype} and rate.dtype={rate.dtype}"
        )


def _check_floating(x: Any) -> None:
    if not x.dtype.is_floating:
        raise ValueError(
            "`x.dtype` must be a floating point tensor as `x` will be scaled. "
            f"Received: x_dtype={x.dtype}"
        )


def _check_choice(condition: tuple[int, ...], shape: tuple[int, ...]) -> None:
    try:
        np.broadcast_shapes(condition, shape)
    except ValueError:
        raise invalid(
            f"condition {shape_text(condition)}, then {shape_text(shape)}, and else [] must be "
            "broadcastable"
        ) from None


@op("_dropout", kernel="SelectV2")
def _dropout(state: FreeTensor, x: TensorLike, rate: TensorLike, noise_shape: Any) -> jax.Array:
    """Drops elements of `x` where uniform numbers lie below `rate`."""
    shape = _known_noise_shape(x.shape, noise_shape)
    _check_choice(shape, x.shape)
    one = jnp.ones((), x.dtype)
    draws = philox.uniform(state, shape, x.dtype)
    return jnp.where(draws >= rate, x / (one - rate), jnp.zeros((), x.dtype))


@op("_kept", kernel="SelectV2")
def _kept(x: TensorLike, rate: TensorLike, draws: TensorLike) -> jax.Array:
    """Sets elements to 0 where the draws lie below `rate`, and scales the others."""
    _check_choice(draws.shape, x.shape)
    one = jnp.ones((), x.dtype)
    return jnp.where(draws >= rate, x / (one - rate), jnp.zeros((), x.dtype))


def _checked_rate(rate: Any, dtype: Any) -> bool:
    """Checks the rate; says whether it is a number."""
    if isinstance(rate, int | float | np.number):
        _check_number(rate)
        return True
    _check_rate(rate, dtype)
    return False


def _noise_shape(noise_shape: Any, shape: Any) -> Any:
    if noise_shape is None:
        return shape
    given = noise_shape.numpy().tolist() if is_tensor(noise_shape) else list(noise_shape)
    if len(given) != len(shape):
        return given
    return [size if n is None else n for n, size in zip(given, shape, strict=True)]


@function("nn.experimental.general_dropout")
def general_dropout(
    x: Any,
    rate: Any,
    uniform_sampler: Callable[..., Any],
    noise_shape: Any = None,
    name: str | None = None,
) -> EagerTensor:
    """Sets elements to 0 where a function of one's own draws numbers below `rate`.

    The others are scaled so that the sum is kept on average.

    Args:
        x: a floating tensor.
        rate: the probability with which an element is dropped, a number or scalar tensor.
        uniform_sampler: draws numbers from 0 to 1; it is called with a `shape` and a `dtype`.
        noise_shape: the shape of the draws, which broadcasts to that of `x`; None in it is the
            size of `x`.
        name: ignored.

    Returns:
        A tensor of the shape and type of `x`.

    Raises:
        ValueError: if `rate` is not in [0, 1), or `x` is not floating.
        InvalidArgumentError: if the shapes do not fit together.

    >>> def draw(shape, dtype):
    ...     return tf.constant([0.1, 0.5, 0.9], dtype)
    >>> tf.nn.experimental.general_dropout([1.0, 1.0, 1.0], 0.5, draw).numpy()
    array([0., 2., 2.], dtype=float32)
    """
    x = convert_to_tensor(x)
    _check_floating(x)
    if _checked_rate(rate, x.dtype) and rate == 0:
        return x
    draws = uniform_sampler(shape=_noise_shape(noise_shape, x.shape), dtype=x.dtype)
    return _kept(x, rate, with_sizes_of(draws, x) if ACCOUNTS else draws)


@function("nn.experimental.stateless_dropout")
def stateless_dropout(
    x: Any,
    rate: Any,
    seed: Any,
    rng_alg: Any = None,
    noise_shape: Any = None,
    name: str | None = None,
) -> EagerTensor:
    """Sets randomly chosen elements to 0, the same for the same `seed`, and scales the others.

    Args:
        x: a floating tensor.
        rate: the probability with which an element is dropped, a number or scalar tensor.
        seed: two integers.
        rng_alg: is only checked.
        noise_shape: the shape of the random decisions, which broadcasts to that of `x`; None in
            it is the size of `x`.
        name: ignored.

    Returns:
        A tensor of the shape and type of `x`.

    Raises:
        ValueError: if `rate` is not in [0, 1), or `x` is not floating.
        InvalidArgumentError: if `seed` is no pair of integers, or the shapes do not fit together.

    >>> y = tf.nn.experimental.stateless_dropout(tf.ones([100]), 0.5, [1, 2])
    >>> sorted(set(y.numpy().tolist()))
    [0.0, 2.0]
    """

    def draw(shape: Any, dtype: Any) -> EagerTensor:
        algorithm = "auto_select" if rng_alg is None else rng_alg
        return stateless_uniform(shape, convert_to_tensor(seed), dtype=dtype, alg=algorithm)

    return general_dropout(x, rate, draw, noise_shape)
