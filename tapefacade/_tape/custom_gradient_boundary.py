"""Boundaries: places in a recording where Python code gives the gradient.

The results of a `tf.custom_gradient` function pass through a boundary. When a gradient reaches it,
the user's function is called on the upstream gradients, at that moment and as it is: what it does
is recorded like everything else, so it may look at values and an outer tape differentiates it.
"""

import inspect
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from tapefacade._core.gradient_rules import NoGradient
from tapefacade._core.tensor_type import TensorType
from tapefacade._definition.op import REGISTRY
from tapefacade._trace.operation import Operation
from tapefacade._trace.program_listing import in_sentence


class Boundary(Operation):
    """Passes its first inputs on; the static parameter says how many.

    The rest are what the results depend on: gradients that arrive go to these, through Python code.
    """

    name = "custom_gradient"
    kernel = "IdentityN"
    replayable = False  # its Python belongs to the values that were there

    def infer(
        self, static: tuple[Any, ...], types: Sequence[TensorType]
    ) -> tuple[tuple[TensorType, ...], Any]:
        return tuple(types[: static[0]]), None

    def evaluate(self, arrays: Sequence[Any], static: tuple[Any, ...]) -> Sequence[Any]:
        return arrays[: static[0]]


BOUNDARY = Boundary()


class BoundaryFunction(NamedTuple):
    """The Python side of a boundary.

    Attributes:
        call: takes the upstream gradients; returns a gradient, or None, for each input.
        python: the user's function.
    """

    call: Callable[..., Sequence[Any]]
    python: Callable[..., Any]


def _own_gradients() -> dict[str, Callable[..., Any]]:
    """Returns the implementations whose gradient is known, by TensorFlow's name of the op."""
    return {
        op.kernel: op.implementation
        for op in REGISTRY.values()
        if not isinstance(op.gradient, NoGradient)
    }


_REGISTERED: dict[str, Callable[..., Any]] = {}


def registered_gradient(kernel: str) -> Callable[..., Any] | None:
    """Returns the gradient function that a user registered for a kernel."""
    return _REGISTERED.get(kernel)


class RegisterGradient:
    """Gives an op that has no gradient one: a decorator for the gradient function.

    Args:
        op_type: TensorFlow's name of the op, as the LookupError gives it.

    The function gets the op (with `inputs`, `outputs` and `get_attr`) and a gradient for each
    output; it returns a gradient, or None, for each input (one alone may stand for itself).

    Raises:
        TypeError: if `op_type` is no string.
        KeyError: if the op has a registered gradient already.

    >>> @tf.RegisterGradient("DocumentedOp")
    ... def _gradient(op, upstream):
    ...     return upstream

    See https://www.tensorflow.org/api_docs/python/tf/RegisterGradient.
    """

    def __init__(self, op_type: str) -> None:
        if not isinstance(op_type, str):
            raise TypeError("op_type must be a string")
        self._op_type = op_type

    def __call__(self, f: Callable[..., Any]) -> Callable[..., Any]:
        before = _REGISTERED.get(self._op_type) or _own_gradients().get(self._op_type)
        if before is not None:
            code = inspect.unwrap(before).__code__
            line = in_sentence(f"{code.co_filename}:{code.co_firstlineno}")
            raise KeyError(
                f"Registering two gradient with name '{self._op_type}'! (Previous registration "
                f"was in {before.__name__} {line})"
            )
        _REGISTERED[self._op_type] = f
        return f


def no_gradient(op_type: str) -> None:
    """Declares that an op without a gradient is not differentiable: its inputs get None.

    Args:
        op_type: TensorFlow's name of the op, as the LookupError gives it.

    Raises:
        TypeError: if `op_type` is no string.

    >>> tf.no_gradient("AnotherDocumentedOp")
    """
    RegisterGradient(op_type)(lambda op, *upstream: [None] * len(op.inputs))
