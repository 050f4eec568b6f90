"""The arguments of linear operators: their checks, and functions of stacks of matrices."""

import functools
import operator
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert_to_tensor
from tapefacade._core.tensor_shape import TensorShape
from tapefacade._definition.op import function
from tapefacade._ops.array.casting import cast
from tapefacade._ops.array.shapes import broadcast_static_shape
from tapefacade._ops.array.shaping import broadcast_to
from tapefacade._ops.debugging.shapes import assert_proper_iterable
from tapefacade._ops.linalg.products import adjoint
from tapefacade._ops.linalg.solving import solve
from tapefacade._state.module import Module

Kind = TypeVar("Kind", bound=type)


def register_operator(kind: Kind) -> Kind:
    """Registers a class of linear operators."""
    function(f"linalg.{kind.__name__}")(kind)
    return kind


def constructor_arguments(names: dict[str, Any]) -> dict[str, Any]:
    """Returns the arguments of a constructor, which calls this first, with its `locals()`."""
    return {name: value for name, value in names.items() if name not in ("self", "__class__")}


def is_variable(value: Any) -> bool:
    """Tells whether a value is read at every use: a variable, or a module that stands for a tensor.

    Of the latter kind is `tfp.util.DeferredTensor`.
    """
    return hasattr(value, "_dense_var_to_tensor") or (
        isinstance(value, Module) and hasattr(value, "dtype") and hasattr(value, "shape")
    )


def as_tensor_or_variable(value: Any) -> Any:
    """Returns a variable as it is, and anything else as a tensor."""
    return value if value is None or is_variable(value) else convert_to_tensor(value)


def is_below_rank(tensor: Any, rank: int) -> bool:
    """Whether a tensor has fewer axes than it should; what is made later may not know its axes."""
    found = tensor.shape.rank
    return found is not None and found < rank


def refuse_variable(value: Any, name: str) -> None:
    """Refuses a variable.

    Raises:
        TypeError: if the value is a variable.
    """
    if is_variable(value):
        raise TypeError(f"Argument {name} cannot be reference type. Found: {type(value)}.")


def adjoint_if(x: Any, adjoint_arg: bool) -> Any:
    """Returns the conjugate transpose of `x` if that is asked for."""
    return adjoint(x) if adjoint_arg else x


def common_batch(shapes: Iterable[TensorShape]) -> TensorShape:
    """Returns the shape that batch shapes broadcast to."""
    first, *others = shapes
    for other in others:
        first = broadcast_static_shape(first, other)
    return first


def same_batch(matrices: Sequence[Any]) -> list[Any]:
    """Broadcasts the leading dimensions of matrices to a common shape."""
    batch = common_batch([x.shape[:-2] for x in matrices])
    return [
        x if x.shape[:-2] == batch else broadcast_to(x, [*batch, *x.shape[-2:]]) for x in matrices
    ]


def solve_broadcast(matrix: Any, rhs: Any, adjoint: bool = False) -> Any:
    """Solves systems of equations; leading dimensions broadcast."""
    matrix, rhs = same_batch([convert_to_tensor(matrix), rhs])
    return solve(matrix, rhs, adjoint=adjoint)


def as_complex(x: Any) -> Any:
    """Returns real numbers as complex ones."""
    if x.dtype.is_complex:
        return convert_to_tensor(x)
    return cast(x, dtypes.complex128 if x.dtype is dtypes.float64 else dtypes.complex64)


MESSAGE_NO_OPERATORS = "Expected a non-empty list of operators. Found: []"
MESSAGE_DTYPES = "Expected all operators to have the same dtype.  Found {lines}"


def check_operators(
    operators: Any,
    message_empty: str = MESSAGE_NO_OPERATORS,
    message_dtypes: str = MESSAGE_DTYPES,
) -> list[Any]:
    """Returns the operators that an operator is made of, as a list.

    Args:
        operators: what was given.
        message_empty: the error if there are none.
        message_dtypes: the error if their dtypes differ, with the names and dtypes as one text,
            `{lines}`, or as a list, `{found}`.

    Raises:
        ValueError: if there are no operators.
        TypeError: if they have different dtypes, or are not given in an iterable.
    """
    assert_proper_iterable(operators)
    operators = list(operators)
    if not operators:
        raise ValueError(message_empty)
    if any(o.dtype is not operators[0].dtype for o in operators):
        found = [str((o.name, o.dtype)) for o in operators]
        raise TypeError(message_dtypes.format(found=found, lines="   ".join(found)))
    return operators


def total(tensors: Iterable[Any]) -> Any:
    """Returns the sum of tensors."""
    return functools.reduce(operator.add, tensors)


def product(tensors: Iterable[Any]) -> Any:
    """Returns the product of tensors, entry by entry."""
    return functools.reduce(operator.mul, tensors)
