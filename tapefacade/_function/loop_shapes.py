"""What TensorFlow says of loop variables that change their type in a `tf.function`."""

from collections.abc import Sequence
from typing import Any

from tapefacade._core import nest
from tapefacade._core.shapes import as_shape
from tapefacade._core.tensor import EagerTensor
from tapefacade._core.tensor_spec import TensorSpec
from tapefacade._function.bodies import Body
from tapefacade._function.loop_variables import NotOneProgramError
from tapefacade._trace.recording import THREAD

MESSAGE_DTYPE = (
    "Loop var {0} enters the loop with type {1} but has type {2} after 1 iteration. {0} type "
    "should remain constant."
)
MESSAGE_SHAPE = (
    "Input tensor `{}` enters the loop with shape {}, but has shape {} after one iteration. To "
    "allow the shape to vary across iterations, use the `shape_invariants` argument of "
    "tf.while_loop to specify a less-specific shape."
)


def check_invariants(values: Any, invariants: Any) -> None:
    """Checks that shape invariants fit the loop variables.

    Raises:
        ValueError: if they have another structure.
        TypeError: if a `tf.TensorSpec` has another dtype.
    """
    nest.assert_same_structure(values, invariants)
    for leaf, invariant in zip(nest.flatten(values), nest.flatten(invariants), strict=True):
        if (
            isinstance(invariant, TensorSpec)
            and isinstance(leaf, EagerTensor)
            and not invariant.is_compatible_with(leaf)
        ):
            raise TypeError(f"TypeSpec {invariant} is not compatible with {leaf!r}")


def require_same_types(
    values: Any, state: Sequence[EagerTensor], body: Body, invariants: Any
) -> None:
    """Refuses loop variables that have another type after an iteration.

    Raises:
        TypeError: if a dtype changes.
        ValueError: if a shape changes that must not.
        NotOneProgramError: if a shape changes that may.
    """
    types = body.program.types[: body.count]
    allowed = [None] * len(state)
    flat = [] if invariants is None else nest.flatten(invariants)
    if len(flat) == len(state):
        allowed = [spec.shape if isinstance(spec, TensorSpec) else spec for spec in flat]
    names = [_name(tensor) for tensor in state]
    for tensor, type_, name in zip(state, types, names, strict=True):
        if tensor._type.numpy_dtype != type_.numpy_dtype:
            raise TypeError(MESSAGE_DTYPE.format(name, tensor.dtype, type_.dtype))
    changes = False
    for tensor, type_, name, shape in zip(state, types, names, allowed, strict=True):
        if tensor._type.shape == type_.shape:
            continue
        wide = tensor.shape if shape is None else as_shape(shape)
        if wide.is_fully_defined() or not wide.is_compatible_with(type_.shape):
            raise ValueError(MESSAGE_SHAPE.format(name, wide, as_shape(type_.shape)))
        changes = True
    if changes:
        raise NotOneProgramError("a loop variable changes its shape")


def _name(tensor: EagerTensor) -> str:
    """Returns TensorFlow's name of a tensor in a graph."""
    name = THREAD.recording.symbolic_name(tensor) if tensor._value is None else None
    return name or "Const:0"
