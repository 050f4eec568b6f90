"""What linear operators ask of their arguments, and small functions of stacks of matrices."""

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert_to_tensor
from tapefacade._core.tensor_shape import TensorShape
from tapefacade._definition.op import function
from tapefacade._ops.array.casting import cast
from tapefacade._ops.array.shapes import broadcast_static_shape
from tapefacade._ops.array.shaping import broadcast_to
from tapefacade._ops.linalg.products import adjoint
from tapefacade._ops.linalg.solving import solve

Kind = TypeVar("Kind", bound=type)


def exported(kind: Kind) -> Kind:
    """Registers a class of linear operators."""
    function(f"linalg.{kind.__name__}")(kind)
    return kind


def given(names: dict[str, Any]) -> dict[str, Any]:
    """Returns the arguments of a constructor, which calls this first, with its `locals()`."""
    return {name: value for name, value in names.items() if name not in ("self", "__class__")}


def is_reference(value: Any) -> bool:
    """Tells whether a value is a variable, which is read at every use."""
    return hasattr(value, "_dense_var_to_tensor")


def kept(value: Any) -> Any:
    """Returns a variable as it is, and anything else as a tensor."""
    return value if value is None or is_reference(value) else convert_to_tensor(value)


def not_reference(value: Any, name: str) -> None:
    """Refuses a variable.

    Raises:
        TypeError: if the value is a variable.
    """
    if is_reference(value):
        raise TypeError(f"Argument {name} cannot be reference type. Found: {type(value)}.")


def read(value: Any) -> Any:
    """Returns the value of a tensor or variable as a tensor."""
    return convert_to_tensor(value)


def turned(x: Any, adjoint_arg: bool) -> Any:
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


def solved(matrix: Any, rhs: Any, adjoint: bool = False) -> Any:
    """Solves systems of equations; leading dimensions broadcast."""
    matrix, rhs = same_batch([read(matrix), rhs])
    return solve(matrix, rhs, adjoint=adjoint)


def as_complex(x: Any) -> Any:
    """Returns real numbers as complex ones."""
    if x.dtype.is_complex:
        return read(x)
    return cast(x, dtypes.complex128 if x.dtype is dtypes.float64 else dtypes.complex64)


def same_dtype(operators: Sequence[Any]) -> bool:
    """Tells whether all operators have one dtype."""
    return all(operator.dtype is operators[0].dtype for operator in operators)
