"""Python's operators for tensors and variables, which find their op by name in the registry."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tapefacade._core import errors
from tapefacade._core.conversion import convert
from tapefacade._core.dispatch import HandOver, hand_over
from tapefacade._core.operands import is_variable
from tapefacade._core.registry import FUNCTIONS
from tapefacade._core.tensor import EagerTensor, Tensor, from_host
from tapefacade._core.tracebacks import shorten
from tapefacade._definition.call import record
from tapefacade._definition.fast_path import record1, record2
from tapefacade._definition.op import REGISTRY, Op
from tapefacade._ops.array.indexing import getitem

BINARY = {
    "add": "math.add", "sub": "math.subtract", "mul": "math.multiply", "truediv": "math.truediv",
    "div": "math.truediv", "floordiv": "math.floordiv", "mod": "math.floormod",
    "matmul": "linalg.matmul",
}  # fmt: skip
COMPARISONS = {
    "lt": "math.less", "le": "math.less_equal", "gt": "math.greater", "ge": "math.greater_equal",
}  # fmt: skip
LOGICAL = {
    "and": ("math.logical_and", "bitwise.bitwise_and"),
    "or": ("math.logical_or", "bitwise.bitwise_or"),
    "xor": ("math.logical_xor", "bitwise.bitwise_xor"),
}
MULTIPLY = REGISTRY["math.multiply"]
# Exponents up to which a power is a product, which is exact and fast.
SMALL_EXPONENTS = range(-4, 17)


# Operators whose Python operand keeps a dtype of its own if it cannot have the tensor's.
HINTED_OPERATORS = ("add", "sub", "matmul", "floordiv", "mod", "truediv", "div")


def _operator(op: Op, name: str) -> Callable[[Any, Any], Any]:
    static: tuple[Any, ...] = tuple(p_default(op, p.name) for p in op.statics)
    hint = name in HINTED_OPERATORS

    def operator(self: Any, other: Any) -> Any:
        try:
            return record2(op, self, other, static, hint)
        except (TypeError, ValueError) as error:
            if hasattr(type(other), f"__r{name}__") and not _ours(other):
                return NotImplemented
            shorten(error)
            raise
        except Exception as error:
            shorten(error)
            raise

    operator.__name__ = f"__{name}__"
    return operator


def _reflected(op: Op, name: str) -> Callable[[Any, Any], Any]:
    static: tuple[Any, ...] = tuple(p_default(op, p.name) for p in op.statics)

    def operator(self: Any, other: Any) -> Any:
        try:
            return record2(op, other, self, static)
        except Exception as error:
            shorten(error)
            raise

    operator.__name__ = f"__r{name}__"
    return operator


def p_default(op: Op, name: str) -> Any:
    """Returns the default of a static parameter of an op."""
    return FUNCTIONS[op.name].__signature__.parameters[name].default


def _ours(other: Any) -> bool:
    """Whether `other` is a value whose class has no say in an operator on tensors."""
    kinds = bool | int | float | complex | str | bytes | list | tuple | np.ndarray | Tensor
    return isinstance(other, kinds) or is_variable(other)


def _product(self: Any, other: Any) -> Any:
    """`*`, which is a logical and for booleans."""
    try:
        return record2(MULTIPLY, self, other, ())
    except HandOver as given:
        return hand_over("_product", given, (self, other), is_operator=True)
    except errors.InvalidArgumentError as error:
        if self.dtype.is_bool:
            return record(REGISTRY["math.logical_and"], (self, other), ())
        shorten(error)
        raise
    except Exception as error:
        shorten(error)
        raise


def _unary(op: Op, name: str) -> Callable[[Any], Any]:
    def operator(self: Any) -> Any:
        try:
            return record1(op, self, ())
        except Exception as error:
            shorten(error)
            raise

    operator.__name__ = f"__{name}__"
    return operator


def _power(self: Any, other: Any) -> Any:
    kind = type(other)
    try:
        if (kind is int or kind is float) and other in SMALL_EXPONENTS and self.dtype.is_floating:
            return record1(REGISTRY["_pow_integer"], self, (int(other),))
        return record2(REGISTRY["math.pow"], self, other, ())
    except Exception as error:
        shorten(error)
        raise


def _logical(name: str, reflected: bool) -> Callable[[Any, Any], Any]:
    for_booleans, for_integers = (REGISTRY[path] for path in LOGICAL[name])

    def operator(self: Any, other: Any) -> Any:
        op = for_booleans if self.dtype.is_bool else for_integers
        try:
            if reflected:
                return record(op, (convert(other, self.dtype), self), ())
            return record(op, (self, other), ())
        except Exception as error:
            shorten(error)
            raise

    operator.__name__ = f"__{'r' if reflected else ''}{name}__"
    return operator


def _invert(self: Any) -> Any:
    path = "math.logical_not" if self.dtype.is_bool else "bitwise.invert"
    try:
        return record(REGISTRY[path], (self,), ())
    except Exception as error:
        shorten(error)
        raise


def _equality(op: Op, name: str, otherwise: bool) -> Callable[[Any, Any], Any]:
    """`==` and `!=`: shapes that do not fit are unequal, as is None."""
    static: tuple[Any, ...] = tuple(p_default(op, p.name) for p in op.statics)

    def operator(self: Any, other: Any) -> Any:
        if other is None and type(self) is EagerTensor:
            return otherwise
        try:
            return record2(op, self, other, static)
        except errors.InvalidArgumentError as error:
            if "ncompatible shapes" in error.message:
                return from_host(np.array(otherwise))
            shorten(error)
            raise
        except Exception as error:
            shorten(error)
            raise

    operator.__name__ = f"__{name}__"
    return operator


def attach(cls: Any) -> None:
    """Gives a class of tensor-like values the operators of tensors."""
    for name, path in BINARY.items():
        setattr(cls, f"__{name}__", _operator(REGISTRY[path], name))
        setattr(cls, f"__r{name}__", _reflected(REGISTRY[path], name))
    for name, path in COMPARISONS.items():
        setattr(cls, f"__{name}__", _operator(REGISTRY[path], name))
    for name in LOGICAL:
        setattr(cls, f"__{name}__", _logical(name, False))
        setattr(cls, f"__r{name}__", _logical(name, True))
    cls.__eq__ = _equality(REGISTRY["math.equal"], "eq", False)
    cls.__ne__ = _equality(REGISTRY["math.not_equal"], "ne", True)
    cls.__mul__ = _product
    cls.__pow__ = _power
    cls.__rpow__ = _reflected(REGISTRY["math.pow"], "pow")
    cls.__neg__ = _unary(REGISTRY["math.negative"], "neg")
    cls.__abs__ = _unary(REGISTRY["math.abs"], "abs")
    cls.__invert__ = _invert


# Libraries take the operators of their own tensor-like classes from the base class.
for _kind in (Tensor, EagerTensor):
    attach(_kind)
    _kind.__getitem__ = getitem  # type: ignore[attr-defined, method-assign, assignment]
