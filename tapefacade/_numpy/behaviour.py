"""Tensors that behave like NumPy's arrays: `experimental_enable_numpy_behavior` and its end."""

import functools
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from tapefacade._core.missing_names import root_module
from tapefacade._core.tensor import EagerTensor
from tapefacade._definition.op import function
from tapefacade._numpy.indexing import numpy_getitem
from tapefacade._numpy.integers import clip
from tapefacade._numpy.products import matmul
from tapefacade._numpy.promotion import SETTINGS, as_tensor, is_tensor_like, pair
from tapefacade._numpy.reductions import amax, amin, mean
from tapefacade._numpy.shaping import flatten, ravel, reshape, transpose
from tapefacade._numpy.signs_and_rounding import around, positive
from tapefacade._ops.array.casting import cast
from tapefacade._state.variable import Variable

MODES = ("off", "legacy", "safe", "all")
REFLECTED_OPERATORS = (
    "add",
    "sub",
    "mul",
    "truediv",
    "div",
    "floordiv",
    "mod",
    "pow",
    "and",
    "or",
    "xor",
)
COMPARISONS = ("lt", "le", "gt", "ge")
OPERANDS = (bool, int, float, complex, list, tuple, np.ndarray, np.generic, jax.Array)
MISSING_ATTRIBUTE = object()
# (owner, name) -> what was there before, in the order of the changes.
_before: dict[tuple[Any, str], Any] = {}


@function("experimental.numpy.experimental_enable_numpy_behavior")
def experimental_enable_numpy_behavior(
    prefer_float32: bool = False, dtype_conversion_mode: str = "legacy"
) -> None:
    """Makes tensors behave like NumPy's arrays, for the whole process.

    The operators of tensors and variables then promote dtypes by NumPy's rules, tensors are
    indexed by arrays of integers and booleans, and they have the attributes `T`, `data`, `size`,
    `astype`, `clip`, `flatten`, `max`, `mean`, `min`, `ravel`, `reshape`, `tolist`, `transpose`.
    The functions of `tf` do not promote, apart from `tf.divide`.

    Unlike TensorFlow, there are no weakly typed tensors, and so no mode "safe" or "all".

    Args:
        prefer_float32: whether Python floats become float32 in place of float64.
        dtype_conversion_mode: "legacy" for NumPy's rules; "off" leaves the operators as they are.

    Raises:
        ValueError: if the mode is another one.

    >>> from tapefacade._numpy.behaviour import undo
    >>> tf.experimental.numpy.experimental_enable_numpy_behavior()
    >>> (tf.constant([1, 2]) + 0.5)[[1, 0]].numpy()
    array([2.5, 1.5])
    >>> undo()
    """
    if dtype_conversion_mode not in MODES:
        raise ValueError(
            f"The provided promotion mode {dtype_conversion_mode} does not exist. Make sure the "
            "provided dtype conversion mode is one of the followings: 'off', 'legacy', 'safe' or "
            "'all'."
        )
    if dtype_conversion_mode in ("safe", "all"):
        raise ValueError(
            f"tapefacade has no weakly typed tensors, and so no mode {dtype_conversion_mode!r}. "
            "Use 'legacy', or convert with tf.cast."
        )
    undo()
    SETTINGS.prefer_float32 = bool(prefer_float32)
    for name, value in ATTRIBUTES.items():
        _replace(EagerTensor, name, value)
    SETTINGS.promotes = dtype_conversion_mode == "legacy"
    if SETTINGS.promotes:
        _promote_operators(EagerTensor, (*COMPARISONS, "eq", "ne"))
        _promote_operators(Variable, COMPARISONS)
        for namespace in (root_module(), root_module().math):
            _replace(namespace, "divide", divide)


def undo() -> None:
    """Takes everything back; for tests, since TensorFlow has no way back.

    >>> from tapefacade._numpy.behaviour import undo
    >>> undo()
    >>> hasattr(tf.constant(1), "T")
    False
    """
    SETTINGS.prefer_float32 = SETTINGS.promotes = False
    for (owner, name), value in reversed(_before.items()):
        if value is MISSING_ATTRIBUTE:
            delattr(owner, name)
        else:
            setattr(owner, name, value)
    _before.clear()


def _replace(owner: Any, name: str, value: Any) -> None:
    _before.setdefault((owner, name), vars(owner).get(name, MISSING_ATTRIBUTE))
    setattr(owner, name, value)


# Operators.


def _promote_operators(cls: Any, comparisons: tuple[str, ...]) -> None:
    for name in (*REFLECTED_OPERATORS, *comparisons):
        method = f"__{name}__"
        _replace(cls, method, _promoting(getattr(cls, method)))
    for name in REFLECTED_OPERATORS:
        method = f"__r{name}__"
        _replace(cls, method, _promoting(getattr(cls, method)))
    _replace(cls, "__matmul__", _matmul)
    _replace(cls, "__rmatmul__", _rmatmul)


def _promoting(operator: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Makes an operator that gives another one operands of a common dtype."""

    @functools.wraps(operator)
    def promoting(self: Any, other: Any) -> Any:
        if is_tensor_like(other) or isinstance(other, OPERANDS):
            self, other = pair(self, other)
        return operator(self, other)

    return promoting


def _matmul(self: Any, other: Any) -> Any:
    return matmul(self, other)


def _rmatmul(self: Any, other: Any) -> Any:
    return matmul(other, self)


def divide(x: Any, y: Any, name: str | None = None) -> Any:
    """Divides as the operator does.

    Args:
        x: the dividend.
        y: the divisor.
        name: ignored.

    Returns:
        A tensor.
    """
    return x / y if is_tensor_like(x) or is_tensor_like(y) else as_tensor(x) / y


# Attributes.


def _reshape(self: Any, *newshape: Any, **kwargs: Any) -> Any:
    """Arranges the elements in another shape: `x.reshape(2, 3)` or `x.reshape([2, 3])`."""
    order = kwargs.pop("order", "C")
    if kwargs:
        raise ValueError(f"Unsupported arguments: {kwargs.keys()}")
    return reshape(self, newshape[0] if len(newshape) == 1 else newshape, order)


def _astype(self: Any, dtype: Any, name: str | None = None) -> Any:
    """Casts to another dtype."""
    return cast(self, dtype)


def _tolist(self: Any) -> Any:
    """Makes a nested list of Python numbers."""
    return self.numpy().tolist()


def _size(self: Any) -> Any:
    """The number of elements."""
    return np.prod(self.shape.as_list())


def _itself(self: Any) -> Any:
    """The tensor."""
    return self


ATTRIBUTES: dict[str, Any] = {
    "T": property(transpose),
    "data": property(_itself),
    "size": property(_size),
    "astype": _astype,
    "clip": clip,
    "flatten": flatten,
    "max": amax,
    "mean": mean,
    "min": amin,
    "ravel": ravel,
    "reshape": _reshape,
    "tolist": _tolist,
    "transpose": transpose,
    "__getitem__": numpy_getitem,
    "__pos__": positive,
    "__round__": around,
}
