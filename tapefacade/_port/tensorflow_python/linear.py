"""`tensorflow.python.ops.linalg.linear_operator` and `linear_operator_addition`."""

from collections.abc import Sequence
from typing import Any, TypeVar

from tapefacade._core.missing_names import root_module

T = TypeVar("T", bound=type)


def make_composite_tensor(cls: T, module_name: str = "tf.linalg") -> T:
    """Returns a class of linear operators as it is: nothing has to be added to it.

    Args:
        cls: the class.
        module_name: accepted for TensorFlow's sake.
    """
    return cls


def add_operators(
    operators: Sequence[Any],
    operator_name: str | None = None,
    addition_tiers: Any = None,
    name: str | None = None,
) -> list[Any]:
    """Adds linear operators.

    Args:
        operators: the operators.
        operator_name: the name of the sum.
        addition_tiers: accepted for TensorFlow's sake: the sum is one dense operator.
        name: accepted for TensorFlow's sake.

    Returns:
        A list of one operator.
    """
    if len(operators) == 1:
        return list(operators)
    linalg = root_module().linalg
    total = operators[0].to_dense()
    for operator in operators[1:]:
        total = total + operator.to_dense()
    return [linalg.LinearOperatorFullMatrix(total, name=operator_name)]
