"""Unknown sizes: what is shown in their place while a function is recorded for all of them.

A function that is recorded for a spec like `tf.TensorSpec([None, 2])` runs on tensors of a stand-in
size. Nothing is computed of them, and the user's Python sees None, as in TensorFlow: in `shape`, in
what is printed, and in all sizes that come from an unknown one.

A function that is called, and whose `input_signature` leaves sizes open, runs on the real tensors:
its program is for their sizes. Its Python sees None as well. Which sizes of a result come from an
unknown one is found when somebody asks: the types of what leads to it are inferred once more, of
arguments of another size, and what differs is unknown.
"""

import contextlib
import sys
import threading
from collections.abc import Iterator, Sequence
from typing import Any

from tapefacade._core.tensor import EagerTensor
from tapefacade._core.tensor_shape import TensorShape, as_shape
from tapefacade._core.tensor_type import TensorType, type_of
from tapefacade._state.variable import ARGUMENT
from tapefacade._tape.derivatives.derivative import GRADIENT, Derivative
from tapefacade._trace.frames import ValueWanted
from tapefacade._trace.programs import type_in
from tapefacade._trace.recording import Recording
from tapefacade._trace.slices import needed
from tapefacade._trace.tree import Node, users_line

# In the place of an unknown size while nothing is computed.
STAND_IN_SIZE, STAND_IN_TOLERANCE = 1009, 8
_PACKAGE = __name__.partition(".")[0] + "."
_PLAIN: dict[str, Any] = {
    "shape": vars(EagerTensor)["shape"],
    "get_shape": vars(EagerTensor)["get_shape"],
    "__len__": vars(EagerTensor)["__len__"],
    "__iter__": vars(EagerTensor)["__iter__"],
    "set_shape": vars(EagerTensor)["set_shape"],
}
_LOCK = threading.Lock()
# What each thread records for unknown sizes, the innermost last; None: with stand-ins.
_OPEN: "dict[int, list[OpenSizes | None]]" = {}
# In the place of an unknown size where types are inferred once more.
OTHER_SIZE = 1013
_SIZE_KEEPING_KERNELS = frozenset(("EnsureShape",))  # kernels after which sizes are known


def is_unknown(size: int | None) -> bool:
    """Whether a size is unknown, or comes from an unknown one.

    >>> [is_unknown(size) for size in (None, 1009, 2018, 1010, 504, 3, 1024)]
    [True, True, True, True, True, False, False]
    """
    if size is None:
        return True
    nearest = min((size + STAND_IN_TOLERANCE) % STAND_IN_SIZE, size % STAND_IN_SIZE)
    halves = any(abs(size - STAND_IN_SIZE // by) <= 1 for by in (2, 3, 4))
    return (size > STAND_IN_SIZE // 2 and nearest <= STAND_IN_TOLERANCE) or halves


def stand_in_shape(sizes: Sequence[int | None]) -> tuple[int, ...]:
    """Returns a shape with a stand-in for each unknown size."""
    return tuple([STAND_IN_SIZE if size is None else size for size in sizes])


def known_shape(sizes: Sequence[int]) -> TensorShape:
    """Returns a shape with None in the place of each size that is not known."""
    return TensorShape([None if is_unknown(size) else size for size in sizes])


class OpenSizes:
    """The sizes that Python does not know in one call of a function: those of its arguments.

    Args:
        arguments: the arguments that have unknown sizes, each with the shape that is known.
    """

    def __init__(self, arguments: Sequence[tuple[EagerTensor, TensorShape]]) -> None:
        # Tensors whose shapes are given, by their ids.
        self._given = {id(tensor): (tensor, shape) for tensor, shape in arguments}
        self._others: dict[tuple[int, int], TensorType] = {}  # by recording and slot
        self._recordings: list[Recording] = []  # kept, for their ids

    def shape_of(self, tensor: EagerTensor) -> TensorShape:
        """Returns the shape of a tensor as far as it is known."""
        given = self._given.get(id(tensor))
        if given is not None:
            return given[1]
        sizes = tensor._type.shape
        other = self._other(tensor).shape
        if other == sizes:
            return tensor._type.tensor_shape
        if len(other) != len(sizes):
            return TensorShape([None] * len(sizes))
        pairs = zip(sizes, other, strict=True)
        return TensorShape([size if size == more else None for size, more in pairs])

    def keep_shape(self, tensor: EagerTensor, shape: TensorShape) -> None:
        """Takes note of what is known of a shape, as `set_shape` says."""
        self._given[id(tensor)] = tensor, self.shape_of(tensor).merge_with(shape)

    def _other(self, tensor: EagerTensor) -> TensorType:
        """Returns the type that a tensor would have if unknown sizes were others."""
        given = self._given.get(id(tensor))
        if given is not None:
            sizes = [OTHER_SIZE if size is None else size for size in given[1].as_list()]
            return type_of(tuple(sizes), tensor._type.numpy_dtype)
        recording = tensor._recording
        if not isinstance(recording, Recording) or recording.at.end <= tensor._slot:
            return tensor._type
        if not any(known is recording for known in self._recordings):
            self._recordings.append(recording)
        self._infer(recording, tensor._slot)
        return self._others.get((id(recording), tensor._slot), tensor._type)

    def _infer(self, recording: Recording, slot: int) -> None:
        others, name = self._others, id(recording)
        at: Node | None = recording.at
        while at is not None:
            if at.operation is None:
                for own in range(at.first, at.end):
                    leaf = recording.data.leaves.get(own)
                    others.setdefault(
                        (name, own),
                        at.types[own - at.first] if leaf is None else self._other(leaf),
                    )
            else:
                for own in range(at.first, at.first_output):
                    others[name, own] = at.types[own - at.first]
            at = at.parent
        for own, reference in list(recording.owners.items()):
            held = reference()
            if held is not None and id(held) in self._given:
                others[name, own] = self._other(held)
        known = {own for place, own in others if place == name}
        nodes = needed(recording.at, [slot], known)
        for node in nodes:
            types = [others[name, own] for own in node.inputs]
            for own, other in enumerate(_outputs(node, types), node.first_output):
                others.setdefault((name, own), other)


def _outputs(node: Node, types: Sequence[TensorType]) -> Sequence[TensorType]:
    """Returns the types of what an instruction gives for inputs of other types."""
    real = node.types[node.first_output - node.first :]
    operation = node.operation
    assert operation is not None
    if operation is ARGUMENT:
        return types
    inputs = [type_in(node, slot) for slot in node.inputs]
    if operation.kernel in _SIZE_KEEPING_KERNELS or list(types) == inputs:
        return real
    if operation.name in ("_slice", "_slice_at"):
        return [type_of(_sliced(types[0].shape, node.static[0]), real[0].numpy_dtype)]
    if isinstance(operation, Derivative) and operation.kind is GRADIENT:
        slots = [operation.sources[group[0]] for group in operation.groups]
        if max(slots, default=0) < len(operation.part.inputs):
            return [types[slot] for slot in slots]
    for given in (types, _widened(types, inputs)):
        try:
            found = operation.infer(node.static, given)[0]
        except Exception:  # of static parameters that are for the real sizes
            continue
        if len(found) == len(real) and (found != real or given is not types):
            return found
    gone = [
        size
        for type_, other in zip(inputs, types, strict=True)
        for size, more in zip(type_.shape, other.shape, strict=False)
        if size != more
    ]
    return [type_of(_marked(known.shape, gone), known.numpy_dtype) for known in real]


def _sliced(sizes: Sequence[int], spec: Any) -> tuple[int, ...]:
    """Returns the shape of a part of a tensor: what is left of an unknown size is unknown."""
    remaining, found = iter(sizes), []
    for entry in spec:
        size = 1 if entry is None else next(remaining)
        if entry is None or (isinstance(entry, int) and entry > 0):
            found.append(size if entry is None else entry)
        elif isinstance(entry, tuple):
            found.append(size if size == OTHER_SIZE else entry[1])
    return (*found, *remaining)


def _widened(types: Sequence[TensorType], inputs: Sequence[TensorType]) -> list[TensorType]:
    """Returns types in which sizes are known that another input, which they have to equal, has."""
    known = {
        size
        for type_, other in zip(inputs, types, strict=True)
        for size, more in zip(type_.shape, other.shape, strict=False)
        if size == more != 1
    }
    return [
        other
        if len(type_.shape) != len(other.shape)
        else type_of(
            tuple([
                size if size in known else more
                for size, more in zip(type_.shape, other.shape, strict=True)
            ]),
            other.numpy_dtype,
        )
        for type_, other in zip(inputs, types, strict=True)
    ]  # fmt: skip


def _marked(sizes: Sequence[int], gone: Sequence[int]) -> tuple[int, ...]:
    """Returns sizes in which the first of each unknown one is another."""
    rest, found = list(gone), []
    for size in sizes:
        if size in rest:
            rest.remove(size)
            size = OTHER_SIZE
        found.append(size)
    return tuple(found)


@contextlib.contextmanager
def unknown_sizes_shown(sizes: OpenSizes | None = None) -> Iterator[None]:
    """Shows None in the place of unknown sizes to what is not of this package, in this thread.

    Args:
        sizes: what is unknown; by default every size that is a stand-in.
    """
    thread = threading.get_ident()
    with _LOCK:
        if not _OPEN:
            _install()
        _OPEN.setdefault(thread, []).append(sizes)
    try:
        yield
    finally:
        with _LOCK:
            _OPEN[thread].pop()
            if not _OPEN[thread]:
                del _OPEN[thread]
            if not _OPEN:
                _uninstall()


def _is_open(tensor: EagerTensor) -> bool:
    """Whether sizes of a tensor may be stand-ins: it is pending in what this thread records."""
    return tensor._value is None and _OPEN.get(threading.get_ident(), _NOT_OPEN)[-1] is None


_NOT_OPEN = (False,)


def _shape(tensor: Any) -> TensorShape:
    plain = tensor._type.tensor_shape
    opened = _OPEN.get(threading.get_ident())
    if opened is None or not tensor._type.shape:
        return plain
    caller = sys._getframe(1)
    name = caller.f_globals.get("__name__", "")
    if name.startswith(_PACKAGE) and caller.f_code.co_name not in _TEXT_METHODS:
        return plain
    sizes = opened[-1]
    if sizes is None:
        return known_shape(tensor._type.shape) if tensor._value is None else plain
    # Keras computes with sizes, which its layers get as tensors in TensorFlow.
    return plain if name.startswith("keras.") else sizes.shape_of(tensor)


def _set_shape(tensor: Any, shape: Any) -> None:
    _PLAIN["set_shape"](tensor, shape)
    sizes = _OPEN.get(threading.get_ident(), _NOT_OPEN)[-1]
    if isinstance(sizes, OpenSizes):
        sizes.keep_shape(tensor, as_shape(shape))


# Functions of the package that show shapes to the user.
_TEXT_METHODS = ("__repr__", "__str__", "__format__")


def _length(tensor: Any) -> int:
    _refuse(tensor)
    return _PLAIN["__len__"](tensor)


def _rows(tensor: Any) -> Any:
    _refuse(tensor)
    return _PLAIN["__iter__"](tensor)


def _refuse(tensor: Any) -> None:
    """Ends the recording where Python needs a size that is not known."""
    sizes = tensor._type.shape
    if sizes and is_unknown(sizes[0]) and _is_open(tensor):
        raise ValueWanted(users_line())


def _install() -> None:
    kind: Any = EagerTensor
    kind.shape = property(_shape, doc=_PLAIN["shape"].__doc__)
    kind.get_shape, kind.__len__, kind.__iter__ = _shape, _length, _rows
    kind.set_shape = _set_shape


def _uninstall() -> None:
    for name, member in _PLAIN.items():
        setattr(EagerTensor, name, member)
