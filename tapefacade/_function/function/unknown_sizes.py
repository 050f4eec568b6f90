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
import math
import sys
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from tapefacade._core import nest
from tapefacade._core.conversion import convert_to_tensor
from tapefacade._core.kernel_dtypes import INDICES
from tapefacade._core.random_keys import current_places, rehearsing, return_to
from tapefacade._core.tensor import EagerTensor, from_host, host_value
from tapefacade._core.tensor_shape import TensorShape, as_shape
from tapefacade._core.tensor_type import TensorType, type_of
from tapefacade._function.function.stand_in_sizes import is_unknown
from tapefacade._function.function.tracing import record_body
from tapefacade._state.variable import ARGUMENT, READ, Variable
from tapefacade._tape.derivatives.derivative import GRADIENT, Derivative
from tapefacade._trace.example_values import shape_arithmetic
from tapefacade._trace.frames import ValueWanted
from tapefacade._trace.open_sizes import ACCOUNTS, OPENERS, differing_axes, open_sizes
from tapefacade._trace.operation import Operation
from tapefacade._trace.programs import type_in
from tapefacade._trace.recording import THREAD, Recording
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
# Kernels that drop or add the axis that a parameter tells.
_RANK_DECIDING = frozenset(("Sum", "Prod", "Max", "Min", "Mean", "All", "Any", "ExpandDims"))
MAX_OTHER_ELEMENTS = 1 << 36  # of a tensor of other sizes: more would be refused
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
        # Those that may have any value, by their ids, and which of their elements do.
        self._decisive: dict[int, tuple[weakref.ref[EagerTensor], Any]] = {}
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
            return TensorShape(None)
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
        reference, unknown = self._decisive.get(id(tensor), (None, False))
        if reference is not None and reference() is tensor:
            with np.errstate(over="ignore"):
                own = tensor._numpy_array()
                return np.asarray(own + np.multiply(unknown, OTHER_SIZES[0]).astype(own.dtype))
        if isinstance(tensor, Variable) and tensor.dtype.name in INDICES:
            value = host_value(tensor._seen)
            return None if value is None else value + np.array(OTHER_SIZES[0], value.dtype)
        found = self._values.get(id(tensor))
        return None if found is None else found[1]

    def note_value(self, tensor: EagerTensor, other: np.ndarray[Any, Any]) -> None:
        """Takes note of what a value on the host would be."""
        if not np.array_equal(tensor._value, other):
            self._values[id(tensor)] = tensor, other

    def note_decisive(self, tensors: Sequence[EagerTensor], are_examples: bool = False) -> None:
        """Takes note of integers that may decide sizes, but for those that constants decide.

        Args:
            tensors: the integers.
            are_examples: whether they are about to get values that stand for others.
        """
        for tensor in tensors:
            if are_examples or self._is_decided(tensor):
                self._decisive[id(tensor)] = weakref.ref(tensor), _unknown_elements(tensor)

    def _is_decided(self, tensor: EagerTensor) -> bool:
        """Whether something else than constants decides a pending value."""
        recording: Any = tensor._recording
        leaves = recording.data.leaves
        return any(
            node.operation in (ARGUMENT, READ)
            or "Random" in node.operation.kernel  # type: ignore[union-attr]
            or any(
                self.other_value(leaves[slot]) is not None for slot in node.inputs if slot in leaves
            )
            for node in needed(recording.at, [tensor._slot], recording.data)
        )

    def note_call(self, function: Callable[..., Any], arguments: Any, result: Any) -> None:
        """Takes note of sizes that a call would give if values among its arguments were others.

        Args:
            function: what has been called; it computes sizes of values as Python numbers.
            arguments: its arguments, and those by name.
            result: what it has returned.
        """
        given = nest.flatten(arguments, expand_composites=True)
        values = {place: self._values_of(value) for place, value in enumerate(given)}
        known = {place: pair for place, pair in values.items() if pair is not None}
        results = _tensors_in(result) if known else []
        for by in (0, 1, -1) if results else ():
            others = list(given)
            for place, (own, other) in known.items():
                is_moved = by and own.shape == other.shape
                array = own + by * (own != other) if is_moved else other
                others[place] = from_host(np.asarray(array, own.dtype))
            found = self._result_for(function, arguments, others)
            if len(found) == len(results):
                for tensor, other in zip(results, found, strict=True):
                    self._note_elsewhere(tensor, other, is_value=not by)
                if any(map(self._is_open, results)):
                    return

    def _is_open(self, tensor: EagerTensor) -> bool:
        """Whether something of a tensor is not known, sizes or a value that may decide some."""
        return self.other_value(tensor) is not None or not self.shape_of(tensor).is_fully_defined()

    def _values_of(self, tensor: Any) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]] | None:
        """Returns the value of integers, and what it would be; None if that is the same."""
        other = self.other_value(tensor)
        if other is not None:
            known = tensor._seen if isinstance(tensor, Variable) else tensor
            return known._numpy_array(), other
        if (
            THREAD.examples is None
            or not isinstance(tensor, EagerTensor)
            or tensor._value is not None
        ):
            return None
        number = THREAD.examples.number
        own, other = (_of_numbers(tensor, n) for n in (number, number + OTHER_SIZES[0]))
        if own is None or other is None or np.array_equal(own, other):
            return None
        return own, other

    def _result_for(
        self, function: Callable[..., Any], arguments: Any, given: Sequence[Any]
    ) -> list[EagerTensor]:
        """Returns the tensors that a call would give; none if it would fail."""
        pending = [one for one in given if isinstance(one, EagerTensor) and one._value is None]
        results: list[EagerTensor] = []

        def call(tensors: list[EagerTensor]) -> None:
            rest = iter(tensors)
            own = [next(rest) if any(one is p for p in pending) else one for one in given]
            args, kwargs = nest.pack_sequence_as(arguments, own, expand_composites=True)
            results.extend(_tensors_in(function(*args, **kwargs)))

        places = current_places()
        try:
            with rehearsing(), _unaccounted():
                record_body(call, function, [self._other(tensor) for tensor in pending])
        except (Exception, ValueWanted):  # such values do not fit, or it looks at others
            return []
        finally:
            return_to(places)
        return results

    def _note_elsewhere(self, tensor: EagerTensor, other: EagerTensor, is_value: bool) -> None:
        """Takes note of what a tensor would be if values or sizes were others."""
        value, other_value = host_value(tensor), host_value(other)
        if is_value and value is not None and other_value is not None:
            self.note_value(tensor, other_value)
        else:
            self._note_other(tensor, other._type)

    def _note_other(self, tensor: EagerTensor, other: TensorType) -> None:
        """Takes note of the type that a tensor would have if values or sizes were others."""
        self.note_unknown(tensor, differing_axes(tensor._type.shape, other.shape))

    def note_unknown(self, tensor: Any, axes: Sequence[int] | None) -> None:
        """Takes note of sizes of a tensor that are not known; None if not even their number is."""
        shape = TensorShape(None) if axes is None else self.shape_of(tensor)
        if axes is not None and shape.rank is not None:
            sizes: list[int | None] = [*shape]
            for axis in axes:
                sizes[axis] = None
            shape = TensorShape(sizes)
        if not shape.is_fully_defined():
            self._give(tensor, shape)

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
        statics: tuple[tuple[Any, ...], tuple[Any, ...]],
        inputs: Sequence[tuple[EagerTensor, TensorType]],
        results: Sequence[tuple[EagerTensor, TensorType]],
    ) -> None:
        """Takes note of unknown sizes of what an operation has computed at once.

        Args:
            operation: what has computed it.
            statics: its static parameters, and what they would be.
            inputs: the tensors, each with the type that the operation has got.
            results: the same of what it has given.
        """
        types = [type_ for _, type_ in inputs]
        others = [type_of(self.other_sizes(t), type_.numpy_dtype) for t, type_ in inputs]
        found = _outputs(operation, *statics, types, others, [t for _, t in results])
        for (tensor, _), other in zip(results, found, strict=True):
            self._note_other(tensor, other)

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
            known = [None] * tensor.ndim if given.rank is None else given.as_list()
            pairs = [*zip(tensor._type.shape, known, strict=True)]
            more = (2,) if given.rank is None else ()
            sizes = [self._other_size(size) if n is None else n for size, n in pairs]
            if math.prod(sizes) > MAX_OTHER_ELEMENTS:  # of many axes
                sizes = [size + 1 if n is None else n for size, n in pairs]
            return type_of((*sizes, *more), tensor._type.numpy_dtype)
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
                    if own not in others:
                        others[own] = at.types[own - at.first]  # of a leaf that leads back here
                        leaf = recording.data.leaves.get(own)
                        others[own] = others[own] if leaf is None else self._other(leaf)
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


def _of_numbers(tensor: EagerTensor, number: int) -> np.ndarray[Any, Any] | None:
    """Returns what shape arithmetic gives if a function has been given nothing but a number."""
    return shape_arithmetic(tensor, lambda type_: np.full(type_.shape, number, type_.numpy_dtype))


def _unknown_elements(tensor: EagerTensor) -> Any:
    """Returns which elements of pending integers others decide than constants: True if all do."""
    one, other = (_of_numbers(tensor, n) for n in OTHER_SIZES[:2])
    if one is None or other is None or one.shape != other.shape or np.array_equal(one, other):
        return True
    return one != other


def _tensors_in(value: Any) -> list[EagerTensor]:
    return [
        part
        for part in nest.flatten(value, expand_composites=True)
        if isinstance(part, EagerTensor)
    ]


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
    inputs, types = list(inputs), list(types)
    if types == inputs and static == other_static:
        return real
    statics = static, other_static
    found = _told(operation, statics, inputs, types, real)
    return _inferred(operation, statics, inputs, types, real) if found is None else found


def _told(
    operation: Operation,
    statics: tuple[tuple[Any, ...], tuple[Any, ...]],
    inputs: list[TensorType],
    types: list[TensorType],
    real: Sequence[TensorType],
) -> Sequence[TensorType] | None:
    """Returns what `_outputs` does, of operations that have a rule of their own; else None."""
    static, other_static = statics
    if static == other_static and operation.name in _NAMED_SHAPES:
        return [_NAMED_SHAPES[operation.name](inputs[0], types[0], static[0], real[0])]
    if isinstance(operation, Derivative) and operation.kind is GRADIENT:
        slots = [operation.sources[group[0]] for group in operation.groups]
        if max(slots, default=0) < len(operation.part.inputs):
            return [types[slot] for slot in slots]
    try:
        resized = operation.resized(types, _slots_of)
    except Exception:  # of a body that is for the real sizes
        resized = None
    if resized is not None:
        return [*resized, *real[len(resized) :]]
    if operation.kernel == "BroadcastTo" and static == other_static:
        return real
    if operation.kernel == "Reshape" and static != other_static:
        return [_reshaped(types == inputs, static[0], other_static[0], real[0])]
    if operation.kernel in _RANK_DECIDING and static != other_static:
        return [_unranked(known, static[1:2] == (True,)) for known in real]
    if operation.kernel == "Squeeze" and not static[0]:  # which axes it drops is not known
        return [_unranked(real[0], False)]
    return None


def _inferred(
    operation: Operation,
    statics: tuple[tuple[Any, ...], tuple[Any, ...]],
    inputs: list[TensorType],
    types: list[TensorType],
    real: Sequence[TensorType],
) -> Sequence[TensorType]:
    """Returns what `_outputs` does: what the operation says to other types and parameters.

    Where it refuses all of them, and with other parameters the real types as well, it is guessed.
    """
    others = _others(*statics)
    # Operations that want a number of axes tell it, unless they take more in front of these.
    ranked = [_ranked(types, inputs, front) for front in ((1,), ())]
    candidates = [types, _widened(types, inputs), *ranked]
    for given in candidates if others == [statics[0]] else [*candidates, inputs]:
        for values in others:
            try:
                found = operation.infer(values, given)[0]
            except Exception:  # of static parameters that are for the real sizes
                continue
            if len(found) == len(real) and (found != tuple(real) or given is not types):
                return _not_smaller(operation, values, inputs, types, found)
    return _guessed(inputs, types, real, zip(*statics, strict=True))


# By how much static parameters are others, the next of a list by the next number: an axis, or an
# index, cannot be any number, and sizes may have to make up a whole.
CHANGES = ((1,), (-1,), (1, -1))


def _others(static: Any, other: Any) -> list[Any]:
    """Returns what static parameters would be, first what was noted."""
    moved = [_moved(static, other, by) for by in CHANGES]
    return [other, *[one for one in moved if one != static]]


def _moved(static: Any, other: Any, by: Sequence[int], place: int = 0) -> Any:
    """Returns static parameters that are more by numbers where they would be others."""
    if isinstance(static, tuple) and isinstance(other, tuple) and len(static) == len(other):
        pairs = enumerate(zip(static, other, strict=True))
        return tuple([_moved(own, more, by, place) for place, (own, more) in pairs])
    if not isinstance(static, int) or static == other:
        return static
    return static + by[place % len(by)]


def _guessed(
    inputs: Sequence[TensorType],
    types: Sequence[TensorType],
    real: Sequence[TensorType],
    statics: Iterable[tuple[Any, Any]],
) -> list[TensorType]:
    """Returns types in which sizes are unknown that are as an unknown size of an input.

    So are those that a static parameter tells, a list of all sizes, where it would be another.
    """
    if any(len(a.shape) != len(b.shape) for a, b in zip(inputs, types, strict=True)):
        return [type_of((*known.shape, OTHER_SIZES[0]), known.numpy_dtype) for known in real]
    gone = [
        size
        for type_, other in zip(inputs, types, strict=True)
        for size, more in zip(type_.shape, other.shape, strict=False)
        if size != more
    ]
    told = [pair for pair in statics if pair[0] != pair[1]] if len(real) == 1 else []
    shapes = [_untold(known.shape, told) or _marked(known.shape, gone) for known in real]
    return [type_of(shape, known.numpy_dtype) for shape, known in zip(shapes, real, strict=True)]


def _untold(sizes: tuple[int, ...], statics: Iterable[tuple[Any, Any]]) -> tuple[int, ...] | None:
    """Returns sizes in which those are others that a static parameter would tell otherwise.

    None if no parameter tells the sizes.
    """
    for own, other in statics:
        is_shape = isinstance(own, tuple) and len(own) == len(sizes) and isinstance(other, tuple)
        if is_shape and all(n in (-1, size) for n, size in zip(own, sizes, strict=True)):
            if len(other) != len(own):
                return (*sizes, OTHER_SIZES[0])
            pairs = zip(sizes, own, other, strict=True)
            return tuple([OTHER_SIZES[0] if n == -1 or n != m else size for size, n, m in pairs])
    return None


def _not_smaller(
    operation: Operation,
    static: tuple[Any, ...],
    inputs: Sequence[TensorType],
    types: Sequence[TensorType],
    found: Sequence[TensorType],
) -> Sequence[TensorType]:
    """Returns types in which what is the smaller of two sizes is unknown if one of them is."""
    ranks, other_ranks = ([len(type_.shape) for type_ in given] for given in (inputs, types))
    if operation.kernel not in _SMALLER_KERNELS or ranks != other_ranks:
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
    others = given.shape if len(given.shape) == len(shape) else OTHER_SIZES
    pairs = zip(shape, others, strict=False)
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


def _unranked(known: TensorType, keeps_axes: bool) -> TensorType:
    """Returns a type with another number of axes, or of as many with all other sizes."""
    more = () if keeps_axes else (1,)
    return type_of((*[size + 1 for size in known.shape], *more), known.numpy_dtype)


def _reshaped(is_known: bool, shape: Any, other: Any, real: TensorType) -> TensorType:
    """Returns the type after a reshape: one size that is not told follows from known ones."""
    sizes = _untold(real.shape, [(shape, other)]) or (*real.shape, OTHER_SIZES[0])
    changes = [own for own, size in zip(real.shape, sizes, strict=False) if own != size]
    is_real = is_known and len(changes) == 1 and len(sizes) == len(real.shape)
    return real if is_real else type_of(sizes, real.numpy_dtype)


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


def _ranked(
    types: Sequence[TensorType], inputs: Sequence[TensorType], front: tuple[int, ...]
) -> list[TensorType]:
    """Returns types that have the axes of the inputs and some in front, where they have more."""
    return [
        other
        if len(own.shape) == len(other.shape)
        else type_of((*front, *other.shape[: len(own.shape)]), other.numpy_dtype)
        for other, own in zip(types, inputs, strict=True)
    ]


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


@contextlib.contextmanager
def _unaccounted() -> Iterator[None]:
    """Makes a block in which this thread keeps no account of sizes."""
    depth, _DECIDING.depth = _DECIDING.depth, 0
    _open(None)
    try:
        yield
    finally:
        _close(None)
        _DECIDING.depth = depth


def _open(sizes: OpenSizes | None) -> None:
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
    sizes = open_sizes()
    if sizes is None or not tensor._type.shape:
        return plain
    caller = sys._getframe(1)
    name = caller.f_globals.get("__name__", "")
    if name.startswith(_PACKAGE) and caller.f_code.co_name not in _TEXT_METHODS:
        return plain
    # Keras computes with sizes, which its layers get as tensors in TensorFlow.
    return plain if name.startswith("keras.") else sizes.shape_of(tensor)


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
