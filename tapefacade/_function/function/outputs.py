"""What a function returns: the tensors in it, and the structure around them."""

import contextlib
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from tapefacade._core import nest
from tapefacade._core.conversion import convert
from tapefacade._core.dispatch import CompositeTensor, parts, with_parts
from tapefacade._core.tensor import EagerTensor, FailedValue, hinted
from tapefacade._core.tensor_shape import TensorShape
from tapefacade._core.type_spec import spec_of
from tapefacade._extension.extension_type import ExtensionType, is_dense
from tapefacade._ops.array.tensor_array import TensorArray
from tapefacade._state.variable import Variable
from tapefacade._trace.program_listing import function_in_sentence
from tapefacade._trace.recording import THREAD

MESSAGE_NO_TENSOR = (
    "To be compatible with tf.function, Python functions must return zero or more Tensors or "
    "ExtensionTypes or None values; in compilation of {}, found return value of type {}, which is "
    "not a Tensor or ExtensionType."
)
_CONVERTED_TYPES = (
    bool, int, float, complex, str, bytes, np.ndarray, np.generic, jax.Array, TensorShape
)  # fmt: skip


class OutputStructure:
    """The structure of a result, in which other tensors can be put."""

    def __init__(self, result: Any, function: Callable[..., Any]) -> None:
        """Takes a result apart.

        Raises:
            TypeError: if there is something in it that is no tensor and becomes none.
        """
        self.tensors: list[EagerTensor] = []  # of this result
        self._constants: list[Any] = []  # what is no dense tensor, in its place
        self.has_objects = False  # whether there is a TensorArray or a dataset in it
        for leaf in nest.flatten(result, expand_composites=True):
            value = _converted(leaf, function)
            self.has_objects |= _is_object(value)
            if type(value) is EagerTensor:
                self.tensors.append(value)
                value = _TENSOR
            self._constants.append(value)
        # Leaves are left out: they would keep the values of the first call alive.
        self._form: Any = nest.map_structure(_form, result)
        composites = [form for form in nest.flatten(self._form) if form is not None]
        # The number of tensors, where a ragged tensor or the like counts as one.
        self.leaf_count = len(self.tensors) + sum(1 - len(parts(form)) for form in composites)
        self._is_single = not nest.is_nested(result) and not isinstance(result, CompositeTensor)
        self.is_tensor = self._is_single and self._constants[0] is _TENSOR
        self._is_plain = type(result) in (list, tuple) and self._is_flat()
        self._class: Any = type(result)

    def _is_flat(self) -> bool:
        """Whether the result is a sequence of tensors and nothing else."""
        return (
            len(self._form) == len(self._constants)
            and all(constant is _TENSOR for constant in self._constants)
            and not any(nest.is_nested(f) or isinstance(f, CompositeTensor) for f in self._form)
        )

    def has_same_objects(self, other: "OutputStructure") -> bool:
        """Whether what is no dense tensor, as texts, is the same in another result."""
        pairs = zip(self._constants, other._constants, strict=True)
        return all(own is another for own, another in pairs)

    def with_tensors(self, tensors: Sequence[Any]) -> Any:
        """Returns a result with other tensors."""
        if self.is_tensor:
            return tensors[0]
        if self._is_plain:
            return self._class(tensors)
        rest = iter(tensors)
        flat = [next(rest) if value is _TENSOR else value for value in self._constants]
        if self._is_single:
            return flat[0]
        return nest.pack_sequence_as(self._form, flat, expand_composites=True)

    def with_specs(
        self, specs: Sequence[Any], text_spec: Callable[[EagerTensor], Any] = spec_of
    ) -> Any:
        """Returns a result with specs in the place of tensors, also of ragged and sparse ones.

        Args:
            specs: those of the tensors.
            text_spec: returns that of a tensor of texts.
        """
        rest = iter(specs)
        flat = iter([next(rest) if value is _TENSOR else value for value in self._constants])
        leaves = []
        for form in nest.flatten(self._form):
            if isinstance(form, CompositeTensor):
                own = [next(flat) for _ in parts(form)]
                if getattr(form, "_is_shown_as_value", False):
                    leaves.append(_shown_value(form, own))
                    continue
                if isinstance(form, ExtensionType) and is_dense(spec_of(form)):
                    form = with_parts(form, iter(own))
                leaves.append(form._with_known_sizes(spec_of(form), own))
            else:
                leaf = next(flat)
                leaves.append(text_spec(leaf) if isinstance(leaf, EagerTensor) else leaf)
        return nest.pack_sequence_as(self._form, leaves)

    def result(self) -> Any:
        """Returns this result, once: its tensors are let go."""
        tensors, self.tensors = self.tensors, []
        return self.with_tensors(tensors)


_TENSOR = object()


def _shown_value(form: Any, specs: Sequence[Any]) -> Any:
    """Returns a value with specs in it; its spec, if its class wants tensors."""
    try:
        return with_parts(form, iter(specs))
    except (TypeError, ValueError):
        return spec_of(form)


def _form(leaf: Any) -> Any:
    return leaf if isinstance(leaf, CompositeTensor) else None


def _is_object(leaf: Any) -> bool:
    """Whether a result is no tensor, and yet may be one: a TensorArray, a dataset, its iterator."""
    if isinstance(leaf, EagerTensor):
        return False
    return isinstance(leaf, TensorArray) or getattr(leaf, "_is_element", False) is True


def raise_failed(tensors: Sequence[EagerTensor]) -> None:
    """Raises the error of the first tensor that has been computed in vain."""
    for tensor in tensors:
        if type(tensor._value) is FailedValue:
            raise tensor._value.raised()


def _converted(leaf: Any, function: Callable[..., Any]) -> Any:
    if leaf is None:
        return leaf
    if isinstance(leaf, EagerTensor):
        if len(THREAD.functions) == 1:  # the caller of a function in another may use no result
            raise_failed([leaf])
        return leaf
    if isinstance(leaf, Variable):
        return leaf._root.value()
    if _is_object(leaf):
        return leaf
    if isinstance(leaf, _CONVERTED_TYPES) or hasattr(leaf, "__array__"):
        with contextlib.suppress(TypeError, ValueError):
            return convert(leaf)
    raise hinted(
        TypeError(MESSAGE_NO_TENSOR.format(function_in_sentence(function), type(leaf).__name__)),
        "Return the tensors, and keep other objects outside of the function.",
    )
