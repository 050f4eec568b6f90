"""Calls of ops: conversion of the inputs, the checks, and the instruction that is recorded."""

import functools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import jax
import numpy as np
from jax.core import Tracer

from tapefacade._core import dtypes, nest
from tapefacade._core.conversion import convert
from tapefacade._core.dispatch import HandOver, hand_over, is_handled
from tapefacade._core.operands import is_operand
from tapefacade._core.random_keys import loop_draws
from tapefacade._core.registry import FUNCTIONS
from tapefacade._core.tensor import EagerTensor, from_host, host_value
from tapefacade._core.tensor_type import TensorType, type_of
from tapefacade._definition.parameters import Parameter, freeze
from tapefacade._trace import execution
from tapefacade._trace.open_sizes import ACCOUNTS, note_static, open_sizes
from tapefacade._trace.operation import Check
from tapefacade._trace.recording import THREAD, Recording
from tapefacade._trace.tree import BOOL, COMPLEX, EDGES, FLOAT, INT, TREE, Node

if TYPE_CHECKING:
    from tapefacade._definition.op import Op

# Loops of more iterations over a tensor, in a function, run in Python at every call.
MAX_ITERATIONS = 32
MAX_NOTED_ELEMENTS = 1 << 16  # of what shape arithmetic would give for other sizes
MARKERS = {float: FLOAT, int: INT, bool: BOOL, complex: COMPLEX}


def record(op: "Op", inputs: tuple[Any, ...], static: tuple[Any, ...], hint: bool = False) -> Any:
    """Records any op; converts its inputs.

    Args:
        op: the op.
        inputs: a value for each tensor parameter.
        static: a value for each static parameter.
        hint: a Python value that cannot have the common dtype keeps its own, and the op then says
            that the dtypes differ (as operators do), instead of a failed conversion.

    Returns:
        The result, in the structure the implementation returns.
    """
    values, given = list(inputs), static
    if not op.plain:
        values, counts = spread(op, inputs)
        static = (*static, counts)
    try:
        static, other = _frozen(op, static)
        values, scalars = _convert_inputs(op, static, values, hint)
    except HandOver as met:
        return hand_over(op.name, met, kwargs=op.named_arguments(inputs, given), is_operator=hint)
    if op.host is not None:
        on_host = _on_host(op, values, scalars, static)
        if on_host is not NotImplemented:
            return _noted_on_host(op, values, scalars, (static, other), on_host)
    is_right = op.check is not None and _check_on_host(op, values, scalars, static)
    recording, slots = _placed(values)
    key = (recording.at, op, static, *slots)
    node = EDGES.get(key) or _extend(key, values, bool(scalars))
    for _, value in scalars:
        recording.data.scalars[node.first] = value
    recording.at = node
    if other is not static:
        note_static(recording, node.first_output, other)
    tensors = recording.results(node)
    if node.eager:
        recording.flush()
    elif op.check is not None and op.check.asserts and not is_right:
        _raise_asserted(op.check, recording)
    if node.structure is None:
        return tensors[0]
    return jax.tree_util.tree_unflatten(node.structure, tensors)


def _raise_asserted(check: Check, recording: Recording) -> None:
    """Raises what an op that exists in order to raise has found; in a function, if it is used."""
    if check.stays or not THREAD.functions:
        recording.raise_asserted()
    else:
        THREAD.functions[-1].asserted = True


def _extend(key: tuple[Any, ...], values: list[Any], has_scalars: bool) -> Node:
    """Adds an instruction that was never recorded at this place."""
    at, op, static, *slots = key
    types = [value._type for value in values]
    outputs, structure = op.infer(static, types)
    scalars: tuple[TensorType, ...] = ()
    if has_scalars:
        scalars = tuple([value._type for value in values if type(value) is _Scalar])
        slots = [at.end if slot < 0 else slot for slot in slots]
    execution.STATISTICS.recorded += 1
    return TREE.add(key, Node(
        at, op, static, tuple(slots), scalars, outputs, structure, (), op.checked(static, types),
        counted=True,
    ))  # fmt: skip


def _iterating(count: int, rows: Iterator[EagerTensor]) -> Iterator[EagerTensor]:
    """Decides whether a loop over the rows of a tensor is written out in a function."""
    recording = THREAD.recording
    if not count and THREAD.functions:
        THREAD.functions[-1].has_empty_loop = True
    if count > MAX_ITERATIONS and recording.frame is not None:
        recording.observe(f"a Python loop over {count} rows of a tensor would be written out")
        recording.flush()
    return loop_draws(rows)


FUNCTIONS["_iterating"] = _iterating


class _Scalar:
    """A Python number among the operands, and the type it takes."""

    __slots__ = ("_type", "marker")

    def __init__(self, marker: int, type_: TensorType) -> None:
        self.marker = marker
        self._type = type_


def _slot(value: Any, recording: Any) -> int:
    if type(value) is EagerTensor:
        return value._slot if value._recording is recording else recording.leaf(value)
    return value.marker if type(value) is _Scalar else value._slot_in(recording)


def spread(op: "Op", inputs: tuple[Any, ...]) -> tuple[list[Any], tuple[int, ...]]:
    """Flattens lists and leaves out what is None; returns how many inputs each parameter has."""
    values: list[Any] = []
    counts = []
    for parameter, value in zip(op.tensors, inputs, strict=True):
        if parameter.form == "list":
            if not isinstance(value, list | tuple):
                value = list(value) if isinstance(value, EagerTensor) else [value]
            values.extend(value)
            counts.append(len(value))
        elif value is None and parameter.form == "optional":
            counts.append(0)
        else:
            values.append(value)
            counts.append(1)
    return values, tuple(counts)


def _convert_inputs(
    op: "Op", static: tuple[Any, ...], values: list[Any], hint: bool
) -> tuple[list[Any], list[tuple[int, Any]]]:
    """Converts the inputs, where there is something to convert."""
    for value in values:
        if type(value) is not EagerTensor:
            return _convert_each(op, op.flat_parameters(static), values, hint)
    return values, []


def _convert_each(
    op: "Op", parameters: list[Parameter], values: list[Any], hint: bool
) -> tuple[list[Any], list[tuple[int, Any]]]:
    """Converts the inputs as TensorFlow does: Python and NumPy values follow the tensors' dtype."""
    common = _common_dtype(parameters, values)
    scalars: list[tuple[int, Any]] = []
    converted: list[Any] = []
    for place, (parameter, value) in enumerate(zip(parameters, values, strict=True)):
        if type(value) is EagerTensor:
            converted.append(value)
        elif is_operand(value):
            if value._type.dtype is dtypes.string:
                raise HandOver(value._string_tensor())
            converted.append(value)
        elif is_handled(op.name, value):
            raise HandOver(value)
        elif parameter.kind == "common":
            if common is not None and not scalars and _fits(value, common):
                converted.append(_Scalar(MARKERS[type(value)], type_of((), _numpy_dtype(common))))
                scalars.append((place, value))
                continue
            tensor = _convert_common(value, common, hint)
            common = common or tensor.dtype
            converted.append(_dense(tensor))
        elif parameter.kind == "index" and type(value) is int and not scalars and _small(value):
            converted.append(_Scalar(INT, type_of((), _numpy_dtype(dtypes.int32))))
            scalars.append((place, value))
        elif parameter.kind == "bool":
            converted.append(_dense(convert(value, dtypes.bool)))
        else:
            converted.append(_dense(convert(value)))
    return converted, scalars


def _dense(tensor: EagerTensor) -> EagerTensor:
    if type(tensor) is not EagerTensor:
        raise HandOver(tensor)
    return tensor


def _common_dtype(parameters: list[Parameter], values: list[Any]) -> dtypes.DType | None:
    """Returns the dtype of the first tensor, or else of the first tensor in a list."""
    lists = []
    for parameter, value in zip(parameters, values, strict=True):
        if parameter.kind == "common":
            if is_operand(value):
                return value._type.dtype
            if isinstance(value, list | tuple):
                lists.append(value)
    found = (dtype for value in lists if (dtype := _dtype_within(value)) is not None)
    return next(found, None)


def _dtype_within(value: Any) -> dtypes.DType | None:
    for item in value:
        if is_operand(item):
            return dtypes.as_dtype(item.dtype)
        if isinstance(item, list | tuple) and (dtype := _dtype_within(item)) is not None:
            return dtype
    return None


def _numpy_dtype(dtype: dtypes.DType) -> np.dtype[Any]:
    assert dtype._numpy is not None
    return dtype._numpy


def _small(value: int) -> bool:
    return -(2**31) <= value < 2**31


def _fits(value: Any, dtype: dtypes.DType) -> bool:
    kind = type(value)
    if kind is float:
        return dtype.is_floating or dtype.is_complex
    if kind is int:
        return not dtype.is_bool and -(2**63) <= value < 2**63
    if kind is bool:
        return True
    return kind is complex and dtype.is_complex


def _convert_common(value: Any, common: dtypes.DType | None, hint: bool) -> EagerTensor:
    try:
        return convert(value, common)
    except TypeError:
        if hint:
            return convert(value)
        raise


def _on_host(
    op: "Op", values: list[Any], scalars: list[tuple[int, Any]], static: tuple[Any, ...]
) -> Any:
    """Computes shape arithmetic at once; NotImplemented if an input is not on the host."""
    arrays = []
    for value in values:
        if type(value) is _Scalar:
            array = np.asarray(scalars[0][1]).astype(value._type.numpy_dtype)
        elif type(value) is EagerTensor:
            array = host_value(value)
        else:
            array = value._host_value()
        if array is None:
            return NotImplemented
        arrays.append(array)
    if not arrays:
        return NotImplemented
    if op.check is not None:
        if not _check_on_host(op, values, scalars, static):
            return NotImplemented
    else:
        op.infer(static, [value._type for value in values])  # raises what is wrong with the types
    assert op.host is not None
    with np.errstate(all="ignore"):
        arguments = op._arguments(arrays, static)
        result = op.host(*[arguments[p.name] for p in op.parameters])
    return jax.tree_util.tree_map(lambda array: from_host(np.asarray(array)), result)


def _placed(values: list[Any]) -> tuple[Recording, list[int]]:
    """Returns the recording of this thread, which has room, and the slots of values in it."""
    recording = THREAD.recording
    slots = [_slot(value, recording) for value in values]
    at = recording.at
    if at.depth + 1 >= at.limit and (recording.is_too_long or not recording.is_held):
        recording.flush()
        recording = THREAD.recording
        slots = [_slot(value, recording) for value in values]
    return recording, slots


def _frozen(op: "Op", static: tuple[Any, ...]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Makes static values hashable; returns them, and what they would be for other sizes."""
    if not static:
        return static, static
    frozen = freeze(op.statics, static)
    if not ACCOUNTS or (account := open_sizes()) is None:
        return frozen, frozen
    other = freeze(op.statics, static, account.other_value)
    return frozen, frozen if other == frozen else other


def _noted_on_host(
    op: "Op", values: list[Any], scalars: Any, statics: tuple[Any, Any], result: Any
) -> Any:
    """Takes note of what shape arithmetic would give for other sizes; returns its result."""
    if not ACCOUNTS or (account := open_sizes()) is None:
        return result
    static, other = statics
    typed = [[(v, v._type) for v in nest.flatten(part)] for part in (values, result)]
    if static == other and all(account.other_value(value) is None for value in values):
        account.note_results(op, statics, *typed)
        return result
    own: list[Any] = [
        np.asarray(scalars[0][1]).astype(value._type.numpy_dtype)
        if type(value) is _Scalar
        else host_value(value)
        if type(value) is EagerTensor
        else value._host_value()
        for value in values
    ]
    found = [account.other_value(value) for value in values]
    arrays = [mine if other is None else other for mine, other in zip(own, found, strict=True)]
    types = [type_of(array.shape, array.dtype) for array in arrays]
    try:
        outputs, _ = op.infer(other, types)
        made = op.by_numpy(arrays, other)
    except Exception:  # such sizes do not fit
        made, outputs = None, ()
    if made is None or sum(type_.size for type_ in outputs) > MAX_NOTED_ELEMENTS:
        if static != other:
            account.note_results(op, statics, *typed)
        return result
    for (tensor, _), array in zip(typed[1], made, strict=False):  # of an open number of rows
        array = np.asarray(array)
        if not op.facts.moves and array.shape == tensor._value.shape:
            array = _never_equal(array, tensor._value, own, arrays)
        account.note_value(tensor, array)
    return result


def _never_equal(
    other: np.ndarray[Any, Any],
    value: np.ndarray[Any, Any],
    inputs: Sequence[np.ndarray[Any, Any]],
    others: Sequence[np.ndarray[Any, Any]],
) -> np.ndarray[Any, Any]:
    """Returns what shape arithmetic gives for other sizes, but nowhere by chance the same.

    `n % 2` is not known where `n` is not, though it is the same for `n + 2`.

    Args:
        other: what it has given for them.
        value: what it gives for the real ones.
        inputs: what it is computed of.
        others: what these would be.
    """
    if any(one.shape != more.shape for one, more in zip(inputs, others, strict=True)):
        return other
    changes = [one != more for one, more in zip(inputs, others, strict=True)]
    try:
        changed = np.broadcast_to(functools.reduce(np.logical_or, changes), value.shape)
    except ValueError:  # it is no op of elements
        changed = np.any([np.any(change) for change in changes])
    unlike = ~other if other.dtype == bool else other + 1
    return np.where(changed & (other == value), unlike, other)


def _check_on_host(
    op: "Op", values: list[Any], scalars: list[tuple[int, Any]], static: tuple[Any, ...]
) -> bool:
    """Raises the error of a check whose values are known on the host; tells whether all is right.

    In a function the error belongs to the call: it is raised if somebody uses the result.
    """
    assert op.check is not None
    types = [value._type for value in values]
    op.infer(static, types)  # raises what is wrong with the types, which comes first
    if not op.checked(static, types):
        return True
    arguments = []
    scalar = scalars[0][1] if scalars else None
    for parameter, value in zip(op.flat_parameters(static), values, strict=True):
        array = getattr(value, "_value", None)
        if type(value) is _Scalar:
            array = np.asarray(scalar).astype(value._type.numpy_dtype)
        if type(array) is not np.ndarray:
            if parameter.name in op.check.values:
                return False
            array = jax.ShapeDtypeStruct(value._type.shape, value._type.numpy_dtype)
        arguments.append(array)
    with jax.enable_x64(True):
        ok, *details = op.test_on_host(arguments, static, types)
        if not isinstance(ok, Tracer) and not bool(ok):
            in_function = bool(THREAD.functions) or THREAD.recording.frame is not None
            if in_function and not op.check.stays:
                return False
            raise op.error([np.asarray(d) for d in details], static)
    return not isinstance(ok, Tracer)
