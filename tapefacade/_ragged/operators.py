"""Python's operators for ragged tensors."""

from collections.abc import Callable
from typing import Any

from tapefacade._core import errors
from tapefacade._core.registry import FUNCTIONS
from tapefacade._core.tracebacks import shortening
from tapefacade._ops.math.elementary import pow as dense_pow
from tapefacade._ops.operators import COMPARISONS
from tapefacade._ragged.broadcasting import combined_elementwise
from tapefacade._ragged.tensor import RaggedTensor

BINARY = {
    "add": "math.add", "sub": "math.subtract", "mul": "math.multiply", "truediv": "math.truediv",
    "div": "math.truediv", "floordiv": "math.floordiv", "mod": "math.floormod",
    "and": "math.logical_and", "or": "math.logical_or", "xor": "math.logical_xor",
}  # fmt: skip


def _operator(path: str, reflected: bool) -> Callable[[Any, Any], Any]:
    function = FUNCTIONS[path]

    @shortening
    def operator(self: Any, other: Any) -> Any:
        return (
            combined_elementwise(other, self, function)
            if reflected
            else combined_elementwise(self, other, function)
        )

    return operator


def _unary(path: str) -> Callable[[Any], Any]:
    function = FUNCTIONS[path]
    return lambda self: self.with_flat_values(function(self.flat_values))


@shortening
def _power(self: Any, other: Any) -> Any:
    if isinstance(other, int | float):
        return self.with_flat_values(self.flat_values**other)
    return combined_elementwise(self, other, dense_pow)


def _equality(path: str, otherwise: bool) -> Callable[[Any, Any], Any]:
    """`==` and `!=`: shapes and types that do not fit are unequal."""
    function = FUNCTIONS[path]

    def operator(self: Any, other: Any) -> Any:
        if other is None:
            return otherwise
        try:
            return combined_elementwise(self, other, function)
        except (errors.InvalidArgumentError, ValueError):
            return otherwise

    return operator


def attach(cls: Any) -> None:
    """Gives ragged tensors their operators."""
    for name, path in BINARY.items():
        setattr(cls, f"__{name}__", _operator(path, False))
        setattr(cls, f"__r{name}__", _operator(path, True))
    for name, path in COMPARISONS.items():
        setattr(cls, f"__{name}__", _operator(path, False))
    cls.__pow__ = _power
    cls.__rpow__ = _operator("math.pow", True)
    cls.__eq__ = _equality("math.equal", False)
    cls.__ne__ = _equality("math.not_equal", True)
    cls.__neg__ = _unary("math.negative")
    cls.__abs__ = _unary("math.abs")
    cls.__invert__ = _unary("math.logical_not")


attach(RaggedTensor)
