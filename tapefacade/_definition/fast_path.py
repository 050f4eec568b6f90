"""The hot path of calls: an op that was recorded before at this place is one look into the tree.

What is not that simple (an input to convert, an op that is new here, a value on the host) goes the
general way, `record`.
"""

import weakref
from typing import TYPE_CHECKING, Any

import jax

from tapefacade._core.tensor import EagerTensor
from tapefacade._definition.call import record
from tapefacade._trace.recording import THREAD
from tapefacade._trace.tree import EDGES, FLOAT, INT

if TYPE_CHECKING:
    from tapefacade._definition.op import Op

_REFERENCE = weakref.ref
_NEW = object.__new__  # calling the class takes 0.08 us more


def record1(op: "Op", x: Any, static: tuple[Any, ...]) -> Any:
    """Records an op of one tensor."""
    recording = THREAD.recording
    if type(x) is EagerTensor:
        if x._recording is recording:
            slot = x._slot
        elif op.host is not None and x._type.hostable:
            return record(op, (x,), static)
        else:
            slot = recording.leaf(x)
    else:
        try:
            if op.host is not None and x._discrete:
                return record(op, (x,), static)
            slot = x._slot_in(recording)
        except AttributeError:
            return record(op, (x,), static)
    try:
        node = EDGES[(recording.at, op, static, slot)]
    except (KeyError, TypeError):
        return record(op, (x,), static)
    if node.slow:
        return _several(recording, node) if node.listed else record(op, (x,), static)
    recording.at = node
    slot = node.first_output
    tensor = _NEW(EagerTensor)
    tensor._type = node.type
    tensor._value = None
    tensor._recording = recording
    tensor._slot = slot
    recording.owners[slot] = _REFERENCE(tensor)
    return tensor


def record2(  # noqa: C901 - the hot path, written out
    op: "Op", x: Any, y: Any, static: tuple[Any, ...], hint: bool = False
) -> Any:
    """Records an op of two tensors, one of which may be a Python number."""
    recording = THREAD.recording
    scalar: Any = None
    first: Any
    second: Any
    kind = type(x)  # not narrowed: x may be anything
    if kind is EagerTensor:
        if x._recording is recording:
            first = x._slot
        elif op.host is not None and x._type.hostable:
            return record(op, (x, y), static, hint)
        else:
            first = recording.leaf(x)
    elif kind is float and op.matched:
        first, scalar = FLOAT, x
    elif kind is int and op.matched:
        first, scalar = INT, x
    else:
        try:
            if op.host is not None and x._discrete:
                return record(op, (x, y), static, hint)
            first = x._slot_in(recording)
        except AttributeError:
            return record(op, (x, y), static, hint)
    kind = type(y)
    if kind is EagerTensor:
        if y._recording is recording:
            second = y._slot
        elif op.host is not None and y._type.hostable:
            return record(op, (x, y), static, hint)
        else:
            second = recording.leaf(y)
    elif kind is float and op.matched and scalar is None:
        second, scalar = FLOAT, y
    elif kind is int and op.matched and scalar is None:
        second, scalar = INT, y
    else:
        try:
            if op.host is not None and y._discrete:
                return record(op, (x, y), static, hint)
            second = y._slot_in(recording)
        except AttributeError:
            return record(op, (x, y), static, hint)
    try:
        node = EDGES[(recording.at, op, static, first, second)]
    except (KeyError, TypeError):
        return record(op, (x, y), static, hint)
    if node.slow and not node.listed:
        return record(op, (x, y), static, hint)
    if scalar is not None:
        recording.data.scalars[node.first] = scalar
    if node.slow:
        return _several(recording, node)
    recording.at = node
    slot = node.first_output
    tensor = _NEW(EagerTensor)
    tensor._type = node.type
    tensor._value = None
    tensor._recording = recording
    tensor._slot = slot
    recording.owners[slot] = _REFERENCE(tensor)
    return tensor


def record_many(  # noqa: C901 - the hot path, written out
    op: "Op", inputs: tuple[Any, ...], static: tuple[Any, ...]
) -> Any:
    """Records an op of any number of tensors, some of them optional, or of a list of them."""
    recording = THREAD.recording
    scalar: Any = None
    if op.plain:
        values, key_static, common = inputs, static, op.common
    elif op.only_list and type(inputs[0]) in (list, tuple):
        values, key_static, common = inputs[0], (*static, (len(inputs[0]),)), ()
    elif op.no_list and type(inputs[0]) is not list:
        counts = tuple([0 if value is None else 1 for value in inputs])
        values, key_static, common = inputs, (*static, counts), op.common
    else:
        return record(op, inputs, static)
    slots: list[int] = []
    for place, value in enumerate(values):
        kind = type(value)
        if kind is EagerTensor:
            if value._recording is recording:
                slots.append(value._slot)
            elif op.host is not None and value._type.hostable:
                return record(op, inputs, static)
            else:
                slots.append(recording.leaf(value))
        elif (kind is float or kind is int) and scalar is None and place in common:
            scalar = value
            slots.append(FLOAT if kind is float else INT)
        elif value is not None:  # what is optional
            try:
                if op.host is not None and value._discrete:
                    return record(op, inputs, static)
                slots.append(value._slot_in(recording))
            except AttributeError:
                return record(op, inputs, static)
    try:
        node = EDGES[(recording.at, op, key_static, *slots)]
    except (KeyError, TypeError):
        return record(op, inputs, static)
    if node.slow and not node.listed:
        return record(op, inputs, static)
    if scalar is not None:
        recording.data.scalars[node.first] = scalar
    if node.slow:
        return _several(recording, node)
    recording.at = node
    slot = node.first_output
    tensor = _NEW(EagerTensor)
    tensor._type = node.type
    tensor._value = None
    tensor._recording = recording
    tensor._slot = slot
    recording.owners[slot] = _REFERENCE(tensor)
    return tensor


def _several(recording: Any, node: Any) -> Any:
    """Makes the results of an op that has a list or a tuple of them."""
    recording.at = node
    return jax.tree_util.tree_unflatten(node.structure, recording.results(node))
