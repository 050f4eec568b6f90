"""Calls of Keras's layers that are repeated without their Python.

A plain step spends most of its time in the Python of Keras's layers, about 0.3 ms for each call,
which does the same in every step. A call of one of Keras's own layers, in which no code of the
user's runs, depends on its attributes, its arguments and some settings only. Once it has recorded
the same at the same place twice, it is repeated (`_trace/stretches.py`), as long as these are what
they were.
"""

import itertools
import weakref
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from tapefacade._core.placement import Placement
from tapefacade._core.tensor import EagerTensor, host_value
from tapefacade._core.tracebacks import shortening
from tapefacade._keras.attribute_patches import AttributePatches
from tapefacade._keras.backend.lifted_functions import KerasState
from tapefacade._keras.backend.variables import AutocastScope
from tapefacade._keras.keras2 import learning_phase
from tapefacade._keras.keras2.notices import like, source
from tapefacade._state.variable import ResourceVariable
from tapefacade._trace.jax_transformation import NO_TRACE, current_trace
from tapefacade._trace.recording import THREAD, Recording
from tapefacade._trace.stretches import RecordedStretch, StretchNotes, stretch_of
from tapefacade._trace.tree import TREE

OWN = ("keras.src.layers.", "keras.src.models.")
# These run Python of the user's, or look at values.
NOT_REPEATED = ("keras.src.layers.preprocessing.", "keras.src.layers.core.lambda_layer")
SETTINGS = (bool, int, float, str, type(None))
MAX_CALLS = 64  # of a layer that are kept
MAX_IN_VAIN = 64  # calls recorded in a row after which a layer's Python always runs
_MISSING = object()


class NotRepeatableError(Exception):
    """A call depends on something that is not compared."""


class _Losses:
    """How many losses layers have added; the next call of a model forgets those of the last."""

    added = 0


class Call(NamedTuple):
    """A call of a layer that has been recorded.

    Attributes:
        stretch: what it has recorded.
        kind: the class of the result: list or tuple; None if it is one tensor.
        places: for each tensor of the result, which argument it is, or -1 if it is another tensor.
        masks: for each tensor, whether a mask belongs to it that follows it in the stretch.
        context: what the layers that are called after it take from it, such as `training`.
        is_certain: whether it has been recorded twice.
    """

    stretch: RecordedStretch
    kind: type | None
    places: list[int]
    masks: list[bool]
    context: dict[str, Any]
    is_certain: bool = False

    def equals(self, other: "Call") -> bool:
        """Whether the Python has done the same in another call."""
        return self[1:5] == other[1:5] and self.stretch.equals(other.stretch)

    def repeated(self, recording: Recording, arguments: Sequence[EagerTensor]) -> Any:
        """Does what the call did; returns its result, or `_MISSING` if the Python has to run."""
        found = self.stretch.repeated(recording)
        if found is None:
            return _MISSING
        outputs, tensors = iter(found), []
        for place, has_mask in zip(self.places, self.masks, strict=True):
            tensor: Any = next(outputs) if place < 0 else arguments[place]
            if has_mask:
                tensor._keras_mask = next(outputs)
            tensors.append(tensor)
        return tensors[0] if self.kind is None else self.kind(tensors)


class LayerMemory:
    """The calls of a layer that can be repeated.

    Attributes:
        variables: those of the layer and of all in it.
        methods: each class in it, and its `call`.
        calls: the calls, by their place and what they depend on.
        in_vain: how many have been recorded since one was certain.
    """

    def __init__(self, layers: Sequence[Any], variables: Sequence[Any]) -> None:
        self.variables = variables
        self.methods = [(kind, kind.call) for kind in dict.fromkeys(map(type, layers))]
        self.calls: dict[Any, Call] = {}
        self.in_vain = 0

    @property
    def is_open(self) -> bool:
        """Whether it is worth trying, and nobody has given a class another `call`."""
        return self.in_vain < MAX_IN_VAIN and all(kind.call is own for kind, own in self.methods)

    def note(self, key: Any, call: Call | None) -> None:
        """Takes note of a call; one that was recorded before is certain now."""
        if call is None:
            self.in_vain += 1
            return
        before = self.calls.get(key)
        is_certain = before is not None and before.equals(call)
        self.in_vain = 0 if is_certain else self.in_vain + 1
        if len(self.calls) >= MAX_CALLS and before is None:
            self.calls.clear()
        self.calls[key] = call._replace(is_certain=is_certain)


# None: its Python always runs.
_MEMORIES: weakref.WeakKeyDictionary[Any, LayerMemory | None] = weakref.WeakKeyDictionary()
# The layers in which a layer is.
_AROUND: weakref.WeakKeyDictionary[Any, weakref.WeakSet[Any]] = weakref.WeakKeyDictionary()


def forget_calls() -> None:
    """Lets go of all calls: the tree is dropped that they are in."""
    for memory in list(_MEMORIES.values()):
        if memory is not None:
            memory.calls.clear()


TREE.dropped.append(forget_calls)


def apply(patches: AttributePatches) -> None:
    """Changes Keras's class of layers.

    Args:
        patches: sets the attributes.
    """
    layer = source("layers.layer").Layer
    patches.set(layer, "__call__", _repeating(layer.__call__))
    patches.set(layer, "__setattr__", _forgetting(layer.__setattr__))
    patches.set(layer, "__delattr__", _forgetting(layer.__delattr__))
    patches.set(layer, "add_loss", _counting(layer.add_loss))


def _forgetting(original: Callable[..., None]) -> Callable[..., None]:
    """Makes the method that changes an attribute: calls that depend on it are forgotten."""

    @like(original)
    def change(self: Any, name: str, *value: Any) -> None:
        if _AROUND and (not value or vars(self).get(name, _MISSING) is not value[0]):
            for layer in _AROUND.pop(self, ()):
                _MEMORIES.pop(layer, None)
        original(self, name, *value)

    return change


def _counting(original: Callable[..., Any]) -> Callable[..., Any]:
    @like(original)
    def add_loss(self: Any, *args: Any, **kwargs: Any) -> Any:
        _Losses.added += 1
        return original(self, *args, **kwargs)

    return add_loss


def _repeating(original: Callable[..., Any]) -> Callable[..., Any]:
    """Makes the call of a layer, which is repeated where it can be."""
    states = source("backend.common.global_state")
    config = source("backend.config")

    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        recording = THREAD.recording
        is_built = getattr(self, "built", False)  # not there without `super().__init__()`
        memory = _memory_of(self) if is_built and _is_plain(recording) else None
        if memory is None or not memory.is_open:
            return original(self, *args, **kwargs)
        context = states.get_global_attribute("current_call_ctx")
        arguments: list[EagerTensor] = []
        try:
            given = [_entered(value, arguments) for value in args]
            named = [(name, _entered(value, arguments)) for name, value in kwargs.items()]
            around = _context_of(context)
        except NotRepeatableError:
            return original(self, *args, **kwargs)
        slots = tuple([_slot_of(tensor, recording) for tensor in arguments])
        scope = AutocastScope.autocast()
        key = (
            recording.at, slots, *given, *named, *around.items(), learning_phase.preset(),
            scope and scope.dtype, config._FLOATX, config._EPSILON, config._IMAGE_DATA_FORMAT,
        )  # fmt: skip
        call = memory.calls.get(key)
        if call is not None and call.is_certain:
            result = call.repeated(recording, arguments)
            if result is not _MISSING:
                if context is not None:
                    vars(context).update(call.context)
                elif _Losses.added:
                    self._clear_losses()
                return result
        with _Noting(recording, arguments) as noting:
            result = original(self, *args, **kwargs)
        memory.note(key, noting.call(result, slots, context, memory.variables))
        return result

    return like(original)(shortening(call))


class _Noting:
    """A block in which a call runs whose recording may be repeated."""

    def __init__(self, recording: Recording, arguments: Sequence[EagerTensor]) -> None:
        self._recording = recording
        self._arguments = arguments
        self._start = recording.at
        self._state = self._now()
        self._notes = StretchNotes()

    def _now(self) -> Any:
        """What must not change; a mask is compared by its identity."""
        recording = self._recording
        masks = [id(mask_of(tensor)) for tensor in self._arguments]
        data = recording.data
        return _Losses.added, recording.epoch, data.runs, len(data.custom), masks

    def __enter__(self) -> "_Noting":
        self._recording.notes = self._notes
        return self

    def __exit__(self, *_: object) -> None:
        self._recording.notes = None

    def call(
        self, result: Any, slots: Sequence[int], context: Any, variables: Sequence[Any]
    ) -> Call | None:
        """Returns what the call has done; None if it cannot be repeated.

        Args:
            result: its result.
            slots: those of its arguments.
            context: what layers take from those around them, after it.
            variables: those that it may have read.
        """
        recording = self._recording
        kind = None if type(result) is EagerTensor else type(result)
        is_whole = recording.is_held or recording.at.limit == self._start.limit
        if (
            kind not in (None, list, tuple)
            or THREAD.recording is not recording
            or self._state != self._now()
            or not is_whole
        ):
            return None
        places_of = {id(tensor): place for place, tensor in enumerate(self._arguments)}
        places, masks, outputs = [], [], []
        for tensor in [result] if kind is None else result:
            places.append(places_of.get(id(tensor), -1))
            mask = getattr(tensor, "_keras_mask", None) if places[-1] < 0 else None
            masks.append(mask is not None)
            if places[-1] < 0:
                outputs += [tensor] if mask is None else [tensor, mask]
        if any(type(tensor) is not EagerTensor for tensor in outputs):
            return None
        stretch = stretch_of(recording, self._start, self._notes, slots, outputs, variables)
        try:
            after = _context_of(context)
        except NotRepeatableError:
            return None
        return None if stretch is None else Call(stretch, kind, places, masks, after)


def _is_plain(recording: Recording) -> bool:
    """Whether what is recorded now is neither a function, nor noted already, nor traced by JAX."""
    return (
        recording.notes is None
        and recording.frame is None
        and recording.enclosing is None
        and not THREAD.functions
        and not recording.at.eager
        and not recording.traced
        and not Placement.is_used
        and current_trace(None) is NO_TRACE
        and not KerasState.computes_on_arrays()
    )


def _memory_of(layer: Any) -> LayerMemory | None:
    """Returns what is kept of the calls of a layer; None if they cannot be repeated."""
    try:
        return _MEMORIES[layer]
    except KeyError:
        pass
    layers = layer._flatten_layers()
    variables = {id(v): v for each in layers for v in each.variables}
    roots = [variable._root for variable in variables.values()]
    memory = None
    if all(_is_of_keras(type(each)) for each in layers):
        if all(map(_is_as_made, layers)) and all(type(root) is ResourceVariable for root in roots):
            memory = LayerMemory(layers, roots)
        for each in layers:  # what keeps it from being repeated may change
            _AROUND.setdefault(each, weakref.WeakSet()).add(layer)
    _MEMORIES[layer] = memory
    return memory


def _is_of_keras(kind: type) -> bool:
    module = kind.__module__ + "."
    return module.startswith(OWN) and not module.startswith(NOT_REPEATED)


def _is_as_made(layer: Any) -> bool:
    """Whether nothing that a layer has is code of the user's."""
    parts = itertools.chain(vars(layer).values(), getattr(layer, "_operations", ()))
    return "call" not in vars(layer) and not layer._remat_mode and all(map(_is_of_library, parts))


def _is_of_library(value: Any) -> bool:
    if isinstance(value, type) or not callable(value):
        return True
    module = getattr(value, "__module__", None) or type(value).__module__
    return module.startswith(("keras.src.", "tapefacade."))


def _entered(value: Any, arguments: list[EagerTensor]) -> Any:
    """Adds the tensors of an argument to a list; returns all else that it is.

    Raises:
        NotRepeatableError: if that cannot be compared.
    """
    if type(value) is EagerTensor:
        if value._type.hostable and host_value(value) is not None:
            raise NotRepeatableError  # Python may depend on it
        arguments.append(value)
        mask = mask_of(value)
        return _entered(mask, arguments) if mask is not None else EagerTensor
    if type(value) in SETTINGS:
        return type(value), value
    if type(value) in (list, tuple):
        return type(value), tuple([_entered(each, arguments) for each in value])
    raise NotRepeatableError


def _slot_of(tensor: EagerTensor, recording: Recording) -> int:
    return tensor._slot if tensor._recording is recording else recording.leaf(tensor)


def mask_of(tensor: EagerTensor) -> Any:
    """Returns the mask that Keras has given a tensor."""
    return vars(tensor).get("_keras_mask")


def _context_of(context: Any) -> dict[str, Any]:
    """Returns what a layer takes from those around it.

    Raises:
        NotRepeatableError: if that cannot be compared.
    """
    if context is None:
        return {}
    found = {name: value for name, value in vars(context).items() if name != "entry_layer"}
    if not all(type(value) in SETTINGS for value in found.values()):
        raise NotRepeatableError
    return found
