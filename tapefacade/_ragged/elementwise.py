"""Element-wise functions and assertions of ragged tensors: they work on the flat values."""

import functools
import inspect
from collections.abc import Callable
from typing import Any

from tapefacade._core.dispatch import handles
from tapefacade._core.registry import FUNCTIONS
from tapefacade._definition.op_properties import OpFacts, for_each
from tapefacade._ops.math.arithmetic import add_n as dense_add_n
from tapefacade._ops.nn.dropout import (
    dropout as dense_dropout,
    stateless_dropout as dense_stateless_dropout,
)
from tapefacade._ragged.broadcasting import aligned_operands, combined_elementwise
from tapefacade._ragged.map_flat_values import check_same
from tapefacade._ragged.partition import nested_ragged
from tapefacade._ragged.tensor import RaggedTensor

MESSAGE_NOISE_SHAPE = "noise_shape is not supported yet for RaggedTensor x"

# TensorFlow takes no ragged tensors of these, although they are element-wise.
NOT_RAGGED = {"_complex", "math.igamma", "math.igammac", "math.polygamma"}


@functools.cache
def _parameters(function: Any) -> list[str]:
    return list(inspect.signature(function).parameters)


def taken_arguments(
    function: Any, count: int, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> list[Any]:
    """Takes the first arguments of a call out of it, however they were given.

    Args:
        function: what was called.
        count: how many arguments.
        args: the positional arguments.
        kwargs: the keyword arguments, without those that are taken afterwards.
    """
    names = _parameters(function)[:count]
    return [args[i] if i < len(args) else kwargs.pop(n) for i, n in enumerate(names)]


def _unary(name: str) -> Callable[..., Any]:
    def handler(*args: Any, **kwargs: Any) -> Any:
        function = FUNCTIONS[name]
        (value,) = taken_arguments(function, 1, args, kwargs)
        if not isinstance(value, RaggedTensor):
            return NotImplemented
        return value.with_flat_values(function(value.flat_values, *args[1:], **kwargs))

    return handler


def _binary(name: str) -> Callable[..., Any]:
    def handler(*args: Any, **kwargs: Any) -> Any:
        function = FUNCTIONS[name]
        x, y = taken_arguments(function, 2, args, kwargs)
        return combined_elementwise(x, y, lambda a, b: function(a, b, *args[2:], **kwargs))

    return handler


@for_each
def _take_ragged(path: str, facts: OpFacts) -> None:
    """Has an element-wise function take ragged tensors."""
    if facts.elementwise == 1:
        handles(RaggedTensor, path)(_unary(path))
    elif facts.elementwise == 2 and path not in NOT_RAGGED:
        handles(RaggedTensor, path)(_binary(path))


# -- functions that are written out ---------------------------------------------------------------


@handles(RaggedTensor, "nn.dropout")
def dropout(x: Any, rate: Any, noise_shape: Any = None, seed: Any = None, name: Any = None) -> Any:
    """Replaces elements by 0 at random."""
    if noise_shape is not None:
        raise ValueError(MESSAGE_NOISE_SHAPE)
    return x.with_flat_values(dense_dropout(x.flat_values, rate, seed=seed))


@handles(RaggedTensor, "nn.experimental.stateless_dropout")
def stateless_dropout(
    x: Any, rate: Any, seed: Any, rng_alg: Any = None, noise_shape: Any = None, name: Any = None
) -> Any:
    """Replaces elements by 0 at random."""
    if noise_shape is not None:
        raise ValueError(MESSAGE_NOISE_SHAPE)
    options = {} if rng_alg is None else {"rng_alg": rng_alg}
    return x.with_flat_values(dense_stateless_dropout(x.flat_values, rate, seed, **options))


@handles(RaggedTensor, "math.add_n")
def add_n(inputs: Any, name: str | None = None) -> Any:
    """Adds tensors of the same partitions."""
    ragged = [value for value in inputs if isinstance(value, RaggedTensor)]
    partitions = check_same(ragged)
    flat = [value.flat_values if isinstance(value, RaggedTensor) else value for value in inputs]
    return nested_ragged(dense_add_n(flat), partitions, RaggedTensor)


# -- assertions: partitions have to fit, and values ----------------------------------------------

ASSERTIONS = ("equal", "greater", "greater_equal", "less", "less_equal", "near", "none_equal")


def _assertion(name: str) -> Callable[..., Any]:
    def handler(*args: Any, **kwargs: Any) -> Any:
        function = FUNCTIONS[name]
        x, y = taken_arguments(function, 2, args, kwargs)
        first, second, _ = aligned_operands(x, y)
        return function(first, second, *args[2:], **kwargs)

    return handler


for _name in ASSERTIONS:
    handles(RaggedTensor, f"debugging.assert_{_name}")(_assertion(f"debugging.assert_{_name}"))
