"""Unknown sizes: what is shown in their place while a function is recorded for all of them.

A function that is recorded for a spec like `tf.TensorSpec([None, 2])` runs on tensors of stand-in
sizes (`stand_in_sizes`), of which nothing is computed. One that is called, and whose
`input_signature` leaves sizes open, runs on the real tensors: its program is for their sizes. In
both cases the user's Python sees None, as in TensorFlow: in `shape`, in what is printed, and in all
sizes that come from an unknown one.

Which these are is found when somebody asks: the types of what leads to a result are inferred once
more, of arguments of other sizes, and what differs is unknown.
"""

import contextlib
import itertools
import sys
import threading
import weakref
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tapefacade._core.conversion import convert_to_tensor
from tapefacade._core.tensor import EagerTensor
from tapefacade._core.tensor_shape import TensorShape, as_shape
from tapefacade._core.tensor_type import TensorType, type_of
from tapefacade._function.function.stand_in_sizes import is_unknown
from tapefacade._state.variable import ARGUMENT, READ
from tapefacade._tape.derivatives.derivative import GRADIENT, Derivative
from tapefacade._trace.frames import ValueWanted
from tapefacade._trace.open_sizes import ACCOUNTS, OPENERS, open_sizes
from tapefacade._trace.operation import Operation
from tapefacade._trace.programs import type_in
from tapefacade._trace.recording import Recording
from tapefacade._trace.slices import Slice, needed
from tapefacade._trace.tree import Node, users_line

_PACKAGE = __name__.partition(".")[0] + "."
_PLAIN: dict[str, Any] = {
    "shape": vars(EagerTensor)["shape"],
    "get_shape": vars(EagerTensor)["get_shape"],
    "__len__": vars(EagerTensor)["__len__"],
    "__iter__": vars(EagerTensor)["__iter__"],
    "set_shape": vars(EagerTensor)["set_shape"],
}
_LOCK = threading.RLock()
# What each thread records for unknown sizes, the innermost last.
_OPEN: Any = ACCOUNTS
# In the place of unknown sizes where types are inferred once more: of equal ones the same. They can
# be divided by what shapes are often divided by, and are small enough to be those of one tensor.
OTHER_SIZES = (840, 24, 48, 72, 96, 120, 144, 168, 192, 216, 240)
_SMALLER_KERNELS = frozenset(("Svd", "Qr", "MatrixDiagPartV3"))  # with as many as the smaller side


class _Deciding(threading.local):
    """How many functions a thread is within, in which values may decide sizes."""

    depth = 0


_DECIDING = _Deciding()


class OpenSizes:
    """The sizes that Python does not know in one call of a function: those of its arguments.

    Args:
        arguments: the arguments that have unknown sizes, each with the shape that is known.
        has_values: whether there are values; else the sizes are stand-ins.
    """

    def __init__(
        self, arguments: Sequence[tuple[EagerTensor, TensorShape]], has_values: bool = True
    ) -> None:
        self.has_values = has_values
        # Tensors whose shapes are given, by their ids; who looks for what Python has kept of a body
        # must not find them here.
        self._given: dict[int, tuple[weakref.ref[EagerTensor], TensorShape]] = {}
        # By recording and slot.
        self._others: weakref.WeakKeyDictionary[Recording, dict[int, TensorType]]
        self._others = weakref.WeakKeyDictionary()
        # Values on the host, by their ids, with what they would be.
        self._values: dict[int, tuple[EagerTensor, np.ndarray[Any, Any]]] = {}
        # Those that may have any value, by their ids.
        self._decisive: dict[int, weakref.ref[EagerTensor]] = {}
        # What static parameters would be, by recording and the first slot of the results.
        self._statics: weakref.WeakKeyDictionary[Recording, dict[int, tuple[Any, ...]]]
        self._statics = weakref.WeakKeyDictionary()
        self._sizes: dict[int, int] = {}  # for each unknown size the one in its place
        self._has_unknown_rank = any(shape.rank is None for _, shape in arguments)
        for tensor, shape in arguments:
            self._give(tensor, shape)

    def shape_of(self, tensor: EagerTensor) -> TensorShape:
        """Returns the shape of a tensor as far as it is known."""
        given = self._given_shape(tensor)
        if given is not None:
            return given
        sizes = tensor._type.shape
        other = self._other(tensor).shape
        if not self.has_values and len(other) == len(
            sizes
        ):  # where nothing tells, numbers computed from stand-ins do
            pairs = zip(sizes, other, strict=True)
            other = tuple([n + 1 if is_unknown(n) and n == m else m for n, m in pairs])
        if other == sizes:
            return tensor._type.tensor_shape
        if len(other) != len(sizes):
            return TensorShape(None if self._has_unknown_rank else [None] * len(sizes))
        pairs = zip(sizes, other, strict=True)
        return TensorShape([size if size == more else None for size, more in pairs])

    def keep_shape(self, tensor: EagerTensor, shape: TensorShape) -> None:
        """Takes note of what is known of a shape, as `set_shape` says."""
        self._give(tensor, self.shape_of(tensor).merge_with(shape))

    # What ops say about values on the host and static parameters (`SizeAccount`).

    def other_sizes(self, tensor: Any) -> tuple[int, ...]:
        """Returns the shape that a tensor would have if unknown sizes were others."""
        if not isinstance(tensor, EagerTensor):
            kind = getattr(tensor, "_type", None)
            return (convert_to_tensor(tensor)._type if kind is None else kind).shape
        return self._other(tensor).shape

    def other_value(self, tensor: Any) -> np.ndarray[Any, Any] | None:
        """Returns what a value on the host would be; None if it would be the same."""
        reference = self._decisive.get(id(tensor))
        if reference is not None and reference() is tensor:
            with np.errstate(over="ignore"):
                return np.asarray(tensor._numpy_array() + OTHER_SIZES[0])
        found = self._values.get(id(tensor))
        return None if found is None else found[1]

    def note_value(self, tensor: EagerTensor, other: np.ndarray[Any, Any]) -> None:
        """Takes note of what a value on the host would be."""
        if not np.array_equal(tensor._value, other):
            self._values[id(tensor)] = tensor, other

    def note_decisive(self, tensors: Sequence[EagerTensor]) -> None:
        """Takes note of integers that may decide sizes, but for those that constants decide."""
        for tensor in tensors:
            recording: Any = tensor._recording
            nodes = needed(recording.at, [tensor._slot], recording.data)
            if any(node.operation in (ARGUMENT, READ) for node in nodes):
                self._decisive[id(tensor)] = weakref.ref(tensor)

    def note_unknown(self, tensor: Any, axes: Sequence[int]) -> None:
        """Takes note of sizes of a tensor that are not known."""
        shape = self.shape_of(tensor)
        sizes: list[int | None] = [] if shape.rank is None else shape.as_list()
        for axis in axes if sizes else ():
            sizes[axis] = None
        if None in sizes:
            self._give(tensor, TensorShape(sizes))

    def require_known(self, tensor: Any, axis: int) -> None:
        """Ends the recording if a size that Python needs is a stand-in."""
        shape = self.shape_of(tensor)
        if not self.has_values and (shape.rank is None or shape[axis] is None):
            raise ValueWanted(users_line())

    def note_static(self, recording: Any, slot: int, other: tuple[Any, ...]) -> None:
        """Takes note of what the static parameters of an instruction would be."""
        self._statics.setdefault(recording, {})[slot] = other

    def note_results(
        self,
        operation: Operation,
        static: tuple[Any, ...],
        inputs: Sequence[tuple[EagerTensor, TensorType]],
        results: Sequence[tuple[EagerTensor, TensorType]],
    ) -> None:
        """Takes note of unknown sizes of what an operation has computed at once.

        Args:
            operation: what has computed it.
            static: its static parameters.
            inputs: the tensors, each with the type that the operation has got.
            results: the same of what it has given.
        """
        types = [type_ for _, type_ in inputs]
        others = [type_of(self.other_sizes(t), type_.numpy_dtype) for t, type_ in inputs]
        if types == others:
            return
        found = _outputs(operation, static, static, types, others, [t for _, t in results])
        for (tensor, real), other in zip(results, found, strict=True):
            pairs = zip(real.shape, other.shape, strict=False)
            self.note_unknown(tensor, [a for a, (own, size) in enumerate(pairs) if own != size])

    def _give(self, tensor: EagerTensor, shape: TensorShape) -> None:
        """Takes note of what is known of a shape."""
        self._given[id(tensor)] = weakref.ref(tensor), shape
        recording = tensor._recording
        if isinstance(recording, Recording):
            self._others.setdefault(recording, {})[tensor._slot] = self._other(tensor)

    def _given_shape(self, tensor: EagerTensor) -> TensorShape | None:
        reference, shape = self._given.get(id(tensor), (None, None))
        return shape if reference is not None and reference() is tensor else None

    # What follows from it.

    def _other_size(self, size: int) -> int:
        """Returns another size, the same each time."""
        if size not in self._sizes:
            free = [n for n in OTHER_SIZES if n != size and n not in self._sizes.values()]
            self._sizes[size] = free[0] if free else OTHER_SIZES[0] * (len(self._sizes) + size)
        return self._sizes[size]

    def _other(self, tensor: EagerTensor) -> TensorType:
        """Returns the type that a tensor would have if unknown sizes were others."""
        if id(tensor) in self._values:
            _, value = self._values[id(tensor)]
            return type_of(value.shape, tensor._type.numpy_dtype)
        given = self._given_shape(tensor)
        if given is not None:
            if given.rank is None:
                return type_of((*tensor._type.shape, OTHER_SIZES[0]), tensor._type.numpy_dtype)
            pairs = zip(tensor._type.shape, given.as_list(), strict=True)
            sizes = [self._other_size(size) if known is None else known for size, known in pairs]
            return type_of(tuple(sizes), tensor._type.numpy_dtype)
        recording = tensor._recording
        if not isinstance(recording, Recording) or recording.at.end <= tensor._slot:
            return tensor._type
        self._infer(recording, tensor._slot)
        return self._others[recording].get(tensor._slot, tensor._type)

    def _infer(self, recording: Recording, slot: int) -> None:
        others = self._others.setdefault(recording, {})
        statics = self._statics.get(recording, {})
        at: Node | None = recording.at
        while at is not None:
            if at.operation is None:
                for own in range(at.first, at.end):
                    leaf = recording.data.leaves.get(own)
                    others.setdefault(
                        own, at.types[own - at.first] if leaf is None else self._other(leaf)
                    )
            else:
                for own in range(at.first, at.first_output):
                    others[own] = at.types[own - at.first]
            at = at.parent
        for node in needed(recording.at, [slot], frozenset(others)):
            types = [others[own] for own in node.inputs]
            assert node.operation is not None
            found = _outputs(
                node.operation,
                node.static,
                statics.get(node.first_output, node.static),
                [type_in(node, own) for own in node.inputs],
                types,
                node.types[node.first_output - node.first :],
            )
            for own, other in enumerate(found, node.first_output):
                others.setdefault(own, other)


def _slots_of(part: Slice, types: Sequence[TensorType]) -> list[TensorType]:
    """Returns the types of all slots of a slice for inputs of other types."""
    real, found = list(part.inputs), list(types)
    for step in part.steps:
        inputs = [real[slot] for slot in step.inputs]
        others = [found[slot] for slot in step.inputs]
        found += _outputs(step.operation, step.static, step.static, inputs, others, step.types)
        real += step.types
    return found


def _outputs(
    operation: Operation,
    static: tuple[Any, ...],
    other_static: tuple[Any, ...],
    inputs: Sequence[TensorType],
    types: Sequence[TensorType],
    real: Sequence[TensorType],
) -> Sequence[TensorType]:
    """Returns the types of what an instruction gives for inputs of other types.

    Args:
        operation: what it does.
        static: its static parameters.
        other_static: what these would be.
        inputs: the types of its inputs.
        types: what these would be.
        real: the types of its results.
    """
    if operation is ARGUMENT:
        return types
    inputs = list(inputs)
    is_same = list(types) == inputs and static == other_static
    if is_same:
        return real
    if static == other_static and operation.name in _NAMED_SHAPES:
        return [_NAMED_SHAPES[operation.name](inputs[0], types[0], static[0], real[0])]
    if isinstance(operation, Derivative) and operation.kind is GRADIENT:
        slots = [operation.sources[group[0]] for group in operation.groups]
        if max(slots, default=0) < len(operation.part.inputs):
            return [types[slot] for slot in slots]
    resized = operation.resized(types, _slots_of)
    if resized is not None:
        return [*resized, *real[len(resized) :]]
    others = _others(static, other_static)
    for given, values in itertools.product((types, _widened(types, inputs)), others):
        try:
            found = operation.infer(values, given)[0]
        except Exception:  # of static parameters that are for the real sizes
            continue
        if len(found) == len(real) and (found != tuple(real) or given is not types):
            return _not_smaller(operation, values, inputs, types, found)
    return _guessed(inputs, types, real)


# By how much static parameters are others, the next of a list by the next number: an axis, or an
# index, cannot be any number, and sizes may have to make up a whole.
CHANGES = ((1,), (-1,), (1, -1))


def _others(static: Any, other: Any) -> list[Any]:
    """Returns what static parameters would be, first what was noted."""
    return [other] if static == other else [other, *[_moved(static, other, by) for by in CHANGES]]


def _moved(static: Any, other: Any, by: Sequence[int], place: int = 0) -> Any:
    """Returns static parameters that are more by numbers where they would be others."""
    if isinstance(static, tuple) and isinstance(other, tuple) and len(static) == len(other):
        pairs = enumerate(zip(static, other, strict=True))
        return tuple([_moved(own, more, by, place) for place, (own, more) in pairs])
    if not isinstance(static, int) or static == other:
        return static
    return static + by[place % len(by)]


def _guessed(
    inputs: Sequence[TensorType], types: Sequence[TensorType], real: Sequence[TensorType]
) -> list[TensorType]:
    """Returns types in which sizes are unknown that are as an unknown size of an input."""
    if any(len(a.shape) != len(b.shape) for a, b in zip(inputs, types, strict=True)):
        return [type_of((*known.shape, OTHER_SIZES[0]), known.numpy_dtype) for known in real]
    gone = [
        size
        for type_, other in zip(inputs, types, strict=True)
        for size, more in zip(type_.shape, other.shape, strict=False)
        if size != more
    ]
    return [type_of(_marked(known.shape, gone), known.numpy_dtype) for known in real]


def _not_smaller(
    operation: Operation,
    static: tuple[Any, ...],
    inputs: Sequence[TensorType],
    types: Sequence[TensorType],
    found: Sequence[TensorType],
) -> Sequence[TensorType]:
    """Returns types in which what is the smaller of two sizes is unknown if one of them is."""
    if operation.kernel not in _SMALLER_KERNELS:
        return found

    def with_unknown(known: TensorType, other: TensorType, size: int) -> TensorType:
        pairs = zip(known.shape, other.shape, strict=True)
        return type_of(tuple([own if own == n else size for own, n in pairs]), known.numpy_dtype)

    least = [with_unknown(*pair, 1) for pair in zip(inputs, types, strict=True)]
    pairs = zip(found, operation.infer(static, least)[0], strict=True)
    return [with_unknown(*pair, OTHER_SIZES[0]) for pair in pairs]


def _with_sizes(
    _: TensorType, given: TensorType, shape: Sequence[int | None] | None, real: TensorType
) -> TensorType:
    """Returns a type with the sizes that a shape tells, which may be None."""
    if shape is None:
        return given
    pairs = zip(shape, given.shape, strict=True)
    sizes = [other if size is None else size for size, other in pairs]
    return type_of(tuple(sizes), given.numpy_dtype)


def _sliced(known: TensorType, given: TensorType, spec: Any, real: TensorType) -> TensorType:
    """Returns the type of a part of a tensor: what is left of an unknown size is unknown."""
    remaining, found = iter(zip(known.shape, given.shape, strict=True)), []
    if len(known.shape) != len(given.shape):  # not even the rank is known
        return given
    for entry in spec:
        own, size = (1, 1) if entry is None else next(remaining)
        if entry is None or (isinstance(entry, int) and entry > 0):
            found.append(size if entry is None else entry)
        elif isinstance(entry, tuple):
            found.append(entry[1] if own == size else size)
    return type_of((*found, *[size for _, size in remaining]), real.numpy_dtype)


# Ops whose results have sizes that their static parameter tells.
_NAMED_SHAPES = {"_slice": _sliced, "_slice_at": _sliced, "_ensure_shape": _with_sizes}


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
            size = OTHER_SIZES[0]
        found.append(size)
    return tuple(found)


@contextlib.contextmanager
def unknown_sizes_shown(sizes: OpenSizes) -> Iterator[None]:
    """Shows None in the place of unknown sizes to what is not of this package, in this thread."""
    _open(sizes)
    try:
        yield
    finally:
        _close(sizes)


@contextlib.contextmanager
def sizes_decided_within() -> Iterator[None]:
    """Ends with the outermost function what `opened_sizes` has begun in it or in others within."""
    before = open_sizes()
    _DECIDING.depth += 1
    try:
        yield
    finally:
        _DECIDING.depth -= 1
        if not _DECIDING.depth and (found := open_sizes()) is not before:
            _close(found)


def _open(sizes: OpenSizes) -> None:
    with _LOCK:
        if not _OPEN:
            _install()
        _OPEN.setdefault(threading.get_ident(), []).append(sizes)


def _close(sizes: Any) -> None:
    thread = threading.get_ident()
    with _LOCK:
        _OPEN[thread].remove(sizes)
        if not _OPEN[thread]:
            del _OPEN[thread]
        if not _OPEN:
            _uninstall()


def _opened_for_function() -> OpenSizes | None:
    """Opens the sizes of the function that runs, in which a value has decided one."""
    if not _DECIDING.depth:
        return None
    sizes = OpenSizes(())
    _open(sizes)
    return sizes


OPENERS.append(_opened_for_function)


def _shape(tensor: Any) -> TensorShape:
    plain = tensor._type.tensor_shape
    opened = _OPEN.get(threading.get_ident())
    if opened is None or not tensor._type.shape:
        return plain
    caller = sys._getframe(1)
    name = caller.f_globals.get("__name__", "")
    if name.startswith(_PACKAGE) and caller.f_code.co_name not in _TEXT_METHODS:
        return plain
    # Keras computes with sizes, which its layers get as tensors in TensorFlow.
    return plain if name.startswith("keras.") else opened[-1].shape_of(tensor)


def _set_shape(tensor: Any, shape: Any) -> None:
    _PLAIN["set_shape"](tensor, shape)
    sizes = open_sizes()
    if sizes is not None:
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
    sizes = open_sizes()
    if sizes is not None and tensor._type.shape and tensor._value is None:
        sizes.require_known(tensor, 0)


def _install() -> None:
    kind: Any = EagerTensor
    kind.shape = property(_shape, doc=_PLAIN["shape"].__doc__)
    kind.get_shape, kind.__len__, kind.__iter__ = _shape, _length, _rows
    kind.set_shape = _set_shape


def _uninstall() -> None:
    for name, member in _PLAIN.items():
        setattr(EagerTensor, name, member)
