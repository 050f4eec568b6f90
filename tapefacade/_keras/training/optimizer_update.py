"""The update of an optimizer, recorded once: later steps repeat it without its Python.

A step that is not decorated spends most of its Python in the optimizer, which does the same for
each variable. So what an optimizer of Keras does with the gradients is recorded like the body of a
loop, for the settings it has, and recorded again as a whole wherever gradients are applied.
"""

import contextlib
import functools
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tapefacade._core import errors
from tapefacade._core.conversion import convert
from tapefacade._core.error_texts import invalid, shape_text
from tapefacade._core.placement import PLACED, Placement
from tapefacade._core.replica_places import current_replica, entered, replica_count
from tapefacade._core.tensor import EagerTensor, from_host, host_value
from tapefacade._function.function.recorded_program import RecordedProgram
from tapefacade._function.function.tracing import record_body
from tapefacade._keras.backend.conversion import NUMBERS
from tapefacade._keras.backend.lifted_functions import KerasState
from tapefacade._keras.backend.variables import put_on_device
from tapefacade._ops.math.clipping import clip_by_norm
from tapefacade._state.disconnected_variables import add_reason
from tapefacade._state.indexed_slices import IndexedSlices
from tapefacade._trace.frames import ValueWanted
from tapefacade._trace.recording import THREAD, all_or_nothing

SETTINGS = (int, float, bool, str, type(None))
MAX_PROGRAMS = 8  # of an optimizer; one whose settings change all the time runs its Python

_PROGRAMS: weakref.WeakKeyDictionary[Any, dict[Any, Any]] = weakref.WeakKeyDictionary()


def repeated_update(original: Callable[..., None]) -> Callable[..., None]:
    """Makes the method that applies gradients from Keras's own."""

    def _backend_apply_gradients(self: Any, grads: Any, trainable_variables: Any) -> None:
        grads, variables = list(grads), list(trainable_variables)
        try:
            apply(self, grads, variables)
        except (ValueError, errors.InvalidArgumentError):
            _check_shapes(grads, variables)  # what Keras says names an accumulator
            raise

    def apply(self: Any, grads: list[Any], variables: list[Any]) -> None:
        parts = list(map(_tensors_of, grads)) if _is_repeatable(self) else [[]]
        if not all(parts):
            return original(self, grads, variables)
        shapes, tensors = list(map(_rows_shape, grads)), [t for part in parts for t in part]
        programs = _PROGRAMS.setdefault(self, {})
        key = _key(self, shapes, tensors, variables)
        if key not in programs and len(programs) < MAX_PROGRAMS:
            kept = variables, self._learning_rate, self._iterations  # the key has their places
            put_on_device(self._iterations)
            programs[key] = _recorded(original, self, shapes, tensors, variables), kept
        recorded, _ = programs.get(key, (None, None))
        # A tape that is open may ask for derivatives of branches, for which their Python is needed.
        if recorded is None or (not recorded.replayable and THREAD.recording.watchers()):
            return original(self, grads, variables)
        recorded.replay(tensors)
        return None

    return _backend_apply_gradients


def whole_call(original: Callable[..., Any]) -> Callable[..., Any]:
    """Makes a method that assigns several variables: after Ctrl-C it has done all or nothing."""

    @functools.wraps(original)
    def method(*args: Any, **kwargs: Any) -> Any:
        return all_or_nothing(functools.partial(original, *args, **kwargs))

    return method


def _check_shapes(grads: Sequence[Any], variables: Sequence[Any]) -> None:
    for gradient, variable in zip(grads, variables, strict=True):
        theirs, ours = tuple(gradient.shape), tuple(variable.shape)
        if theirs != ours:
            error = invalid(
                f"Cannot update variable with shape {shape_text(ours)} using a Tensor with shape "
                f"{shape_text(theirs)}, shapes must be equal. [Op:AssignAddVariableOp]"
            )
            error.add_note(f"It is the gradient for {variable.name}.")
            raise error from None


def filter_with_reason(original: Callable[..., Any]) -> Callable[..., Any]:
    """Makes the method that leaves out gradients that are None: where all are, it says why."""

    @functools.wraps(original)
    def _filter_empty_gradients(self: Any, grads: Any, vars: Any) -> Any:
        grads, vars = list(grads), list(vars)
        try:
            return original(self, grads, vars)
        except ValueError as error:
            if all(gradient is None for gradient in grads):
                add_reason(error, vars)
            raise

    return _filter_empty_gradients


def clip_with_rows(original: Callable[..., Any]) -> Callable[..., Any]:
    """Makes the method that clips a gradient: one made of rows keeps them, as on TensorFlow."""

    @functools.wraps(original)
    def _clip_by_norm(self: Any, values: Any, axes: Any = None) -> Any:
        if isinstance(values, IndexedSlices):
            return clip_by_norm(values, self.clipnorm, axes)
        return original(self, values, axes)

    return _clip_by_norm


def slot_beside(original: Callable[..., Any]) -> Callable[..., Any]:
    """Makes the method that adds a slot: it belongs where the variable is that it is of.

    That is its device, and its strategy: `BackupAndRestore` builds optimizers outside of the scope.
    """

    @functools.wraps(original)
    def add_variable_from_reference(
        self: Any, reference_variable: Any, *args: Any, **kw: Any
    ) -> Any:
        variable = getattr(reference_variable, "_root", None)
        strategy = getattr(variable, "_strategy", None)
        if not Placement.is_used and strategy is None:
            return original(self, reference_variable, *args, **kw)
        creating = contextlib.nullcontext() if strategy is None else strategy.creating()
        with creating, PLACED.temporarily(home=getattr(variable, "_home", None)):
            return original(self, reference_variable, *args, **kw)

    return add_variable_from_reference


def update_of_replicas(original: Callable[..., None]) -> Callable[..., None]:
    """Makes the method that changes the variables: replicas add their gradients up before."""

    @functools.wraps(original)
    def _backend_update_step(
        self: Any, grads: Any, trainable_variables: Any, learning_rate: Any
    ) -> None:
        replica = current_replica()
        place = contextlib.nullcontext()
        if replica is not None:
            grads = _summed(replica, grads)
            place = entered(replica.strategy, None)  # all have the same now
        with NUMBERS.temporarily(known={}), place:
            original(self, grads, trainable_variables, learning_rate)

    return _backend_update_step


def _summed(replica: Any, grads: Sequence[Any]) -> list[Any]:
    """Adds the gradients of all replicas up."""
    given = [gradient for gradient in grads if gradient is not None]
    summed = iter(replica.all_reduce("SUM", given))
    return [None if gradient is None else next(summed) for gradient in grads]


def scaled_update_of_replicas(original: Callable[..., None]) -> Callable[..., None]:
    """Makes the method of scaled losses that updates if all gradients are finite.

    Replicas cannot meet in that branch: their gradients are added up before, and what follows is
    done once for all of them.
    """

    @functools.wraps(original)
    def _common_apply(self: Any, grads: Any, trainable_variables: Any = None) -> None:
        replica = current_replica()
        if replica is None:
            original(self, grads, trainable_variables)
            return
        grads = _summed(replica, grads)
        replica.merge_call(lambda strategy: original(self, grads, trainable_variables))

    return _common_apply


def scaled_for_replicas(value: Any) -> Any:
    """Returns a loss divided by the number of replicas, whose gradients are added up."""
    count = replica_count()
    return value if count == 1 else value * convert(1.0 / count, value.dtype)


def unscaled_of_replicas(value: Any) -> Any:
    """Returns what `scaled_for_replicas` was given."""
    count = replica_count()
    return value if count == 1 else value * convert(float(count), value.dtype)


def _is_repeatable(optimizer: Any) -> bool:
    """Whether an update is nothing but what is recorded: no Python of the user's is part of it."""
    if (
        THREAD.functions
        or THREAD.recording.enclosing is not None
        or KerasState.computes_on_arrays()
        or current_replica() is not None  # which runs in a thread, and meets others
    ):
        return False  # the function around it is recorded
    rate = optimizer._learning_rate
    parts = type(optimizer), type(rate)
    own = all(kind.__module__.startswith("keras.src.") for kind in parts) and (
        not callable(rate) or hasattr(rate, "get_config")
    )
    return own and "update_step" not in vars(optimizer)


def _tensors_of(gradient: Any) -> list[EagerTensor]:
    """Returns what a gradient is made of; nothing if an update with it is not recorded."""
    if type(gradient) is EagerTensor:
        return [gradient]
    if type(gradient) is IndexedSlices and type(gradient.dense_shape) is EagerTensor:
        tensors = [gradient.values, gradient.indices]
        if all(type(t) is EagerTensor for t in tensors) and _rows_shape(gradient) is not None:
            return tensors
    return []


def _rows_shape(gradient: Any) -> tuple[int, ...] | None:
    """Returns the shape of the table that a gradient has rows of; None if it has all."""
    if type(gradient) is EagerTensor:
        return None
    shape = host_value(gradient.dense_shape)
    return None if shape is None else tuple(shape.tolist())


def _key(
    optimizer: Any, shapes: Sequence[Any], tensors: Sequence[EagerTensor], variables: Sequence[Any]
) -> Any:
    """Tells updates apart: by settings, gradients (see `_recorded`), and the variables."""
    settings = [
        (name, type(value), value)
        for name, value in vars(optimizer).items()
        if type(value) in SETTINGS
    ]
    types = [tensor._type for tensor in tensors]
    parts = (optimizer._learning_rate, optimizer._iterations, *variables)
    return (*settings, *shapes, *types, *map(id, parts))


def _recorded(
    original: Callable[..., None],
    optimizer: Any,
    shapes: Sequence[Any],
    tensors: Sequence[EagerTensor],
    variables: Sequence[Any],
) -> RecordedProgram | None:
    """Records an update; None if it cannot be repeated.

    Args:
        original: does it.
        optimizer: whose update it is.
        shapes: for each gradient that of the table that it has rows of; None if it has all.
        tensors: what the gradients are made of.
        variables: what is updated.
    """

    def update(tensors: Sequence[EagerTensor]) -> None:
        given = iter(tensors)
        gradients = [
            next(given)
            if shape is None
            else IndexedSlices(next(given), next(given), from_host(np.array(shape, np.int32)))
            for shape in shapes
        ]
        original(optimizer, gradients, list(variables))

    try:
        recorded, _ = record_body(update, original, [tensor._type for tensor in tensors])
    except ValueWanted:
        return None
    return None if recorded.uncertain else recorded
