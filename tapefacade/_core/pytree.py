"""Tensors as nodes of JAX's pytrees, with one child: their array."""

from typing import Any

import jax
import numpy as np

from tapefacade._core.dtypes import DType
from tapefacade._core.tensor import MESSAGE_NO_ARRAY, UNTYPED, EagerTensor
from tapefacade._core.tensor_type import type_of


class NestedChild:
    """In the place of a recording: what a tensor has for its child, if it is no array.

    `jax.jacrev` puts the structure of the result in the place of each array of the arguments, turns
    that inside out, and checks the structures, so that the child must stay what it is.
    """

    __slots__ = ("child",)

    def __init__(self, child: Any) -> None:
        self.child = child

    def compute(self, tensor: EagerTensor) -> None:
        """Gives `tensor` the value of the child, which is a tensor or a variable."""
        if tensor._type is UNTYPED:
            raise TypeError(MESSAGE_NO_ARRAY)
        tensor._value = getattr(self.child, "_tensor", self.child)._array()

    def symbolic_name(self, tensor: EagerTensor) -> str | None:
        """Returns no name: it has a value."""
        return None


def child_of(tensor: EagerTensor) -> Any:
    """Returns the array of a tensor, or what JAX has put in its place."""
    nested = tensor._recording
    return nested.child if type(nested) is NestedChild else tensor._device_array()


def with_child(child: Any) -> EagerTensor:
    """Makes a tensor of what JAX gives it: an array, or what else comes in the place of one."""
    dtype = getattr(child, "dtype", None) if hasattr(child, "shape") else None
    if isinstance(dtype, DType):
        if isinstance(child, EagerTensor) and type(child._recording) not in (
            type(None),
            NestedChild,
        ):
            return child  # the result of an op, in a `jax.tree.map`
        return EagerTensor(child._type, None, NestedChild(child), 0)
    if dtype is None:
        return EagerTensor(UNTYPED, None, NestedChild(child), 0)
    if dtype == jax.dtypes.float0:  # of the gradients of integers
        type_ = type_of(tuple(child.shape), np.dtype(bool))
        return EagerTensor(type_, np.zeros(child.shape, bool), NestedChild(child), 0)
    return EagerTensor(type_of(tuple(child.shape), np.dtype(dtype)), child, None, 0)


jax.tree_util.register_pytree_node(
    EagerTensor,
    lambda tensor: ((child_of(tensor),), None),
    lambda _, children: with_child(*children),
)
