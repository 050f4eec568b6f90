"""Keras's random functions, which draw the numbers that they draw when Keras runs on TensorFlow.

Gamma, beta and binomial numbers are JAX's, as those of `tf.random` are.
"""

import gc
import importlib
import inspect
import types
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from tapefacade._core.conversion import convert
from tapefacade._core.tensor import EagerTensor
from tapefacade._keras.backend.lifted_functions import KerasState, shape_without_tensors
from tapefacade._keras.backend.variables import put_on_device
from tapefacade._ops.array.casting import cast
from tapefacade._ops.array.gathering import gather
from tapefacade._ops.array.sorting import argsort
from tapefacade._ops.math.division import floormod
from tapefacade._ops.nn.dropout import stateless_dropout
from tapefacade._ops.random.stateless import (
    stateless_categorical,
    stateless_normal,
    stateless_truncated_normal,
    stateless_uniform,
)

SEED_DTYPE = "int64"  # of a generator's state, with TensorFlow
KEY_DTYPE = "uint32"  # of the keys of JAX's generator
MODULUS = 2**31 - 2  # what Keras takes seeds by, with TensorFlow


def core_functions(core: types.ModuleType) -> dict[Any, Any]:
    """Returns our version of the function that tells the dtype of seeds."""

    def random_seed_dtype() -> str:
        return SEED_DTYPE

    return {core.random_seed_dtype: random_seed_dtype}


def release(generator_class: type) -> None:
    """Makes the states of generators what they are for JAX's backend."""
    for found in gc.get_objects():
        if isinstance(found, generator_class):
            state: Any = found.state
            state._dtype, state._value = KEY_DTYPE, jnp.asarray(state._value).astype(KEY_DTYPE)


def takes_seed(function: Callable[..., Any]) -> bool:
    """Whether a function of the backend draws random numbers."""
    return "seed" in inspect.signature(function).parameters


def seeded(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a random function that draws its seed before its call is recorded.

    Args:
        function: a function of the backend on tensors, and on JAX's arrays where Keras uses these.
    """
    signature = inspect.signature(function)
    draw = importlib.import_module("keras.src.random.seed_generator").draw_seed
    own = _OWN_FUNCTIONS.get(function.__name__)

    def drawn(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        given = bound.arguments
        if "rate" in given and _is_certain(given["rate"]):
            given["seed"] = None  # none is drawn
            return function(*bound.args, **bound.kwargs)
        if not isinstance(given["seed"], EagerTensor | jax.Array):
            if hasattr(given["seed"], "state"):
                put_on_device(given["seed"].state)
            given["seed"] = draw(given["seed"])
        if KerasState.computes_on_arrays():
            given["seed"] = jnp.asarray(given["seed"]).astype(KEY_DTYPE)
            return function(*bound.args, **bound.kwargs)
        seed = cast(given["seed"], SEED_DTYPE)
        if own is None:
            given["seed"] = cast(seed, KEY_DTYPE)
            return function(*bound.args, **bound.kwargs)
        given["seed"] = cast(floormod(seed, MODULUS), "int32")
        if "shape" in given:
            given["shape"] = shape_without_tensors(given["shape"])
        if "dtype" in given:
            given["dtype"] = given["dtype"] or KerasState.floatx()
        return own(**given)

    drawn.__name__, drawn.__doc__ = function.__name__, function.__doc__
    return drawn


def _is_certain(rate: Any) -> bool:
    return isinstance(rate, int | float) and rate in (0, 1)


def _randint(shape: Any, minval: Any, maxval: Any, dtype: Any, seed: EagerTensor) -> EagerTensor:
    drawn_as = dtype if dtype in ("int32", "int64") else "int64"
    drawn = stateless_uniform(shape, seed, minval, maxval, drawn_as)
    return cast(drawn, dtype)


def _categorical(logits: Any, num_samples: Any, dtype: Any, seed: EagerTensor) -> EagerTensor:
    drawn = stateless_categorical(logits, num_samples, seed)
    return cast(drawn, dtype)


def _dropout(inputs: Any, rate: Any, noise_shape: Any, seed: EagerTensor) -> EagerTensor:
    return stateless_dropout(inputs, rate, seed, noise_shape=noise_shape)


def _shuffle(x: Any, axis: int, seed: EagerTensor) -> EagerTensor:
    x = convert(x)
    drawn = stateless_uniform([x.shape[axis]], seed)
    return gather(x, argsort(drawn), axis=axis)


# By the names of the backend's functions, whose parameters they have.
_OWN_FUNCTIONS: dict[str, Callable[..., EagerTensor]] = {
    "normal": stateless_normal,
    "truncated_normal": stateless_truncated_normal,
    "uniform": stateless_uniform,
    "randint": _randint,
    "categorical": _categorical,
    "dropout": _dropout,
    "shuffle": _shuffle,
}
