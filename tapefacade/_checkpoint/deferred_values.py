"""Values that wait for objects which a program has not made yet.

While some do, and only then, `tf.Module` notices attributes that are set, and new variables are
lazy: when somebody first looks at one, the object graphs are searched for a place at which a value
waits for it. So a list that a program appends to needs no class of its own.
"""

import atexit
import inspect
import threading
import weakref
from collections.abc import Callable
from typing import Any, Protocol

from tapefacade._core.tensor import EagerTensor, FailedValue
from tapefacade._state.module import Module
from tapefacade._state.variable import Variable
from tapefacade._trace.recording import THREAD, Recording


class DeferredRestoration(Protocol):
    """What has values that wait."""

    serial: int

    def replaces(self, older: Any) -> bool:
        """Whether all values that wait in an older one wait here, too."""
        ...

    def resolve(self) -> None:
        """Gives values to new variables that have found their place."""

    def attribute_set(self, owner: Any, name: str) -> None:
        """Gives values to what has become a part of an object."""


_LOCK = threading.RLock()
_NOTHING = object()
# For each object that may get parts for which values wait: a weak reference, and what waits.
_OWNERS: dict[int, tuple[Any, dict[int, DeferredRestoration]]] = {}
# The variables that were made meanwhile, with what they hold since, and the serial of what waited
# last when they were made. Weak: an error that one holds keeps whatever its lines know.
_NEW_VARIABLES: dict[int, tuple[Any, Any, int]] = {}


class _LazyInitialValue:
    """In the place of a recording: computes the first value of a variable."""

    def __init__(self, initial: EagerTensor) -> None:
        self.initial: EagerTensor | None = initial
        self.is_sought = False  # whether a value was looked for when it was read first

    def compute(self, tensor: EagerTensor) -> None:
        """Looks for a value that waits for the variable, and takes the initial one if none does."""
        with _LOCK:  # another thread may be about it
            if self.initial is None:
                return
            initial, self.initial = self.initial, None
            try:
                resolve_all()
                if tensor._value is None:
                    tensor._value = initial._array()
            except BaseException:  # also Ctrl-C: who looks next tries again
                self.initial = initial
                raise

    def symbolic_name(self, tensor: EagerTensor) -> str | None:
        """Returns None: the variable has a value."""
        return None


def wait(owner: Any, waiting: DeferredRestoration) -> None:
    """Notes that values wait for parts of an object."""
    with _LOCK:
        known = _OWNERS.get(id(owner))
        if known is None:
            place = id(owner)
            reference = weakref.ref(owner, lambda _: _forget(place))
            _OWNERS[place] = known = (reference, {})
            if len(_OWNERS) == 1:
                _install()
        for serial, older in list(known[1].items()):
            if waiting.replaces(older):
                del known[1][serial]
        known[1][waiting.serial] = waiting


def stop_waiting(owner: Any, waiting: DeferredRestoration) -> None:
    """Notes that an object has all its parts."""
    with _LOCK:
        known = _OWNERS.get(id(owner))
        if known is not None:
            known[1].pop(waiting.serial, None)
            if not known[1]:
                _forget(id(owner))


def _forget(place: int) -> None:
    with _LOCK:
        _OWNERS.pop(place, None)
        if not _OWNERS:
            _uninstall()


def resolve_all() -> None:
    """Gives waiting values to variables that have found their place; the newest value wins."""
    with _LOCK:
        found = {serial: w for _, held in list(_OWNERS.values()) for serial, w in held.items()}
        for serial in sorted(found):
            found[serial].resolve()


def is_fresh(variable: Variable, waiting: DeferredRestoration) -> bool:
    """Whether a variable was made while some values waited, and holds what it was made with."""
    _, first, last = _NEW_VARIABLES.get(id(variable), (None, None, -1))
    return first is not None and variable._tensor is first() and last >= waiting.serial


def settle(variable: Variable, tensor: EagerTensor) -> None:
    """Gives a variable that nobody has looked at its value."""
    held = variable._tensor
    if type(held._recording) is _LazyInitialValue and type(tensor) is EagerTensor:
        held._value = tensor._value  # those who hold the lazy tensor see it too
    else:
        variable._restore(tensor)
        _note_fresh(variable)


def note_attribute(owner: Any, name: str) -> None:
    """Notes that an attribute of an object was set."""
    known = _OWNERS.get(id(owner))
    if known is not None:
        with _LOCK:
            for serial in sorted(known[1]):
                known[1][serial].attribute_set(owner, name)


def is_lazy(variable: Variable) -> bool:
    """Whether nobody has looked at a variable that was made while values waited."""
    held = variable._tensor
    return held._value is None and type(held._recording) is _LazyInitialValue


def fail(variable: Variable, failed: FailedValue) -> None:
    """Lets an error be raised for who looks at a variable."""
    variable._tensor._value = failed


def _note_fresh(variable: Variable) -> None:
    place = id(variable)
    reference = weakref.ref(variable, lambda _: _NEW_VARIABLES.pop(place, None))
    _, _, last = _NEW_VARIABLES.get(place, (None, None, None))
    if last is None:
        last = max((s for _, held in list(_OWNERS.values()) for s in held), default=-1)
    _NEW_VARIABLES[place] = (reference, weakref.ref(variable._tensor), last)


# Hooks that are there while something waits.

_VARIABLE_METHODS: dict[str, Callable[..., Any]] = {
    "init": Variable.__init__, "put": Variable._put, "note": Variable._note_put,
    "slot": Variable._slot_in,
}  # fmt: skip


def _made(variable: Variable, *args: Any, **kwargs: Any) -> None:
    _VARIABLE_METHODS["init"](variable, *args, **kwargs)
    tensor = variable._tensor
    if type(tensor) is not EagerTensor:
        return  # texts
    if tensor._value is not None or THREAD.recording.frame is None:
        variable._tensor = EagerTensor(tensor._type, None, _LazyInitialValue(tensor), 0)
    _note_fresh(variable)


def _put(variable: Variable, tensor: EagerTensor) -> None:
    if is_lazy(variable):
        resolve_all()  # the value that waits comes before the one that is assigned
    _VARIABLE_METHODS["put"](variable, tensor)


def _note_put(variable: Variable) -> None:
    if is_lazy(variable):
        resolve_all()
    _VARIABLE_METHODS["note"](variable)


def _slot_in(variable: Variable, recording: Recording) -> int:
    """Looks for a value that waits before an op uses a variable: one that does not fit raises."""
    held = variable._tensor
    lazy = held._recording
    if type(lazy) is _LazyInitialValue:
        if not lazy.is_sought:
            lazy.is_sought = True
            resolve_all()
        initial = lazy.initial
        if is_lazy(variable) and initial is not None and initial._recording is recording:
            # To compute it would end the recording that the op is about to enter.
            variable._restore(initial)
            _note_fresh(variable)
    if type(held._value) is FailedValue:
        held._array()
    return _VARIABLE_METHODS["slot"](variable, recording)


def set_attribute(owner: Any, name: str, value: Any) -> None:
    """Sets an attribute, unless values wait for it that do not fit."""
    before = vars(owner).get(name, _NOTHING)
    object.__setattr__(owner, name, value)
    try:
        note_attribute(owner, name)
    except BaseException:  # also Ctrl-C: the attribute is what it was
        if before is not _NOTHING:
            object.__setattr__(owner, name, before)
        elif name in vars(owner):
            object.__delattr__(owner, name)
        raise


def _install() -> None:
    # The signature is asked for by creators of variables.
    _made.__signature__ = inspect.signature(_VARIABLE_METHODS["init"])
    Variable.__init__ = _made  # type: ignore[method-assign]
    Variable._put = _put  # type: ignore[method-assign]
    Variable._note_put = _note_put  # type: ignore[method-assign]
    Variable._slot_in = _slot_in  # type: ignore[method-assign]
    Module.__setattr__ = set_attribute


def _uninstall() -> None:
    Variable.__init__ = _VARIABLE_METHODS["init"]
    Variable._put = _VARIABLE_METHODS["put"]
    Variable._note_put = _VARIABLE_METHODS["note"]
    Variable._slot_in = _VARIABLE_METHODS["slot"]
    if "__setattr__" in vars(Module):
        del Module.__setattr__
    _NEW_VARIABLES.clear()


@atexit.register
def _end() -> None:
    """Lets go of everything while there still is a logger to tell what was not restored."""
    with _LOCK:
        _OWNERS.clear()
        _uninstall()
