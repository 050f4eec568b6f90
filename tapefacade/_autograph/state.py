"""The Python variables of a rewritten statement, taken apart into tensors and the rest."""

import gc
import types
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tapefacade._core import nest
from tapefacade._core.conversion import convert
from tapefacade._core.dispatch import CompositeTensor
from tapefacade._core.tensor import EagerTensor
from tapefacade._ops.array.tensor_array import TensorArray
from tapefacade._state.variable import Variable
from tapefacade._trace.recording import THREAD

WHY_UNSETTLED = "its variables do not settle"
WHY_VARIABLE_CHANGES = "a variable changes its shape"
NUMBERS = (bool, int, float, complex)


class Undefined:
    """Stands for a variable that has no value."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "undefined"


UNDEFINED = Undefined()


class NotStagedError(Exception):
    """A statement cannot be an instruction; the text says why."""


def load(read: Callable[[], Any]) -> Any:
    """Returns the value of a variable or attribute, or `UNDEFINED`."""
    try:
        return read()
    except (NameError, AttributeError):
        return UNDEFINED


def put(read: Callable[[], Any], attribute: str, value: Any) -> None:
    """Assigns an attribute, unless it has this value."""
    owner = load(read)
    if owner is UNDEFINED:
        return
    before = load(lambda: getattr(owner, attribute))
    if value is UNDEFINED:
        if before is not UNDEFINED:
            delattr(owner, attribute)
    elif before is not value:
        setattr(owner, attribute, value)


def is_undefined(value: Any) -> bool:
    """Whether a variable has no value."""
    return value is UNDEFINED


def is_number(leaf: Any) -> bool:
    """Whether a value is a number of Python."""
    return type(leaf) in NUMBERS


def is_tensor_like(leaf: Any) -> bool:
    """Whether a value becomes a tensor when a statement changes it."""
    return (
        isinstance(leaf, EagerTensor | Variable | np.ndarray | np.generic) or type(leaf) in NUMBERS
    )


def as_tensor(leaf: Any) -> EagerTensor:
    """Converts a number, array or variable.

    Raises:
        NotStagedError: if that is not possible.
    """
    if type(leaf) is EagerTensor:
        return leaf
    if isinstance(leaf, Variable):
        return leaf._root.value()
    try:
        found = convert(leaf)
    except (TypeError, ValueError, OverflowError) as error:
        raise NotStagedError(f"a value becomes no tensor: {error}") from None
    if type(found) is not EagerTensor:
        raise NotStagedError("a value is a text")
    return found


def is_container(value: Any) -> bool:
    """Whether a value is a list or dictionary, which a statement may change in place."""
    return type(value) in (list, dict)


def copied(value: Any) -> Any:
    """Copies lists and dictionaries, those within them too."""
    if type(value) is list:
        return [copied(item) for item in value]
    if type(value) is dict:
        return {key: copied(item) for key, item in value.items()}
    return value


def refill(old: Any, new: Any) -> Any:
    """Puts what a container has become into the one that it was."""
    if old is new or not is_container(old) or type(old) is not type(new):
        return new
    if isinstance(old, list):
        old[:] = [refill(a, b) for a, b in zip(old, new, strict=True)]
    else:
        parts = {key: refill(old[key], value) for key, value in new.items()}
        old.clear()
        old.update(parts)
    return old


class Parts:
    """The values of variables, taken apart.

    Attributes:
        values: the values.
        groups: for each value what is in it, in order.
    """

    def __init__(self, values: Sequence[Any]) -> None:
        self.values = values
        self.groups = [_leaves(value) for value in values]

    def joined(self, place: int, leaves: Sequence[Any]) -> Any:
        """Returns a value with the structure of that at a place, and other leaves."""
        value = self.values[place]
        if _is_structure(value):
            return nest.pack_sequence_as(value, list(leaves), expand_composites=True)
        return leaves[0]

    def is_like(self, place: int, other: "Parts") -> bool:
        """Whether the value at a place has the same structure as another one there."""
        one, two = self.values[place], other.values[place]
        if not _is_structure(one) and not _is_structure(two):
            return True
        try:
            nest.assert_same_structure(one, two, expand_composites=True)
        except (TypeError, ValueError):
            return False
        return True


def _is_structure(value: Any) -> bool:
    return nest.is_nested(value) or isinstance(value, CompositeTensor)


def _leaves(value: Any) -> list[Any]:
    return nest.flatten(value, expand_composites=True) if _is_structure(value) else [value]


class State:
    """The variables that a statement hands on.

    Attributes:
        names: their names; those that it assigns first, then containers that it may change, the
            last of which are no variables of the function.
        dead: the places of those that it assigns and nobody reads afterwards.
    """

    def __init__(
        self, read: Callable[[], tuple[Any, ...]], write: Callable[[Sequence[Any]], None],
        names: tuple[str, ...], counts: tuple[int, int, int],
    ) -> None:  # fmt: skip
        self.names = names
        self._read = read
        self._write = write
        results, self._assigned, self._held = counts
        self.dead = range(results, self._assigned)

    def get(self) -> list[Any]:
        """Returns the values."""
        return list(self._read())[: self._held]

    def put(self, values: Sequence[Any]) -> None:
        """Assigns values."""
        self._write(values)

    def copied(self, values: Sequence[Any]) -> list[Any]:
        """Returns values in which containers may be changed."""
        return [*values[: self._assigned], *map(copied, values[self._assigned :])]

    def settle(self, before: Sequence[Any], after: Sequence[Any]) -> None:
        """Assigns the results of a statement; containers stay the objects that they were."""
        first = self._assigned
        changed = [refill(a, b) for a, b in zip(before[first:], after[first:], strict=True)]
        self._write([*after[:first], *changed])

    def require_containers(self) -> None:
        """Checks what the statement may change in place.

        Raises:
            NotStagedError: if that is an object whose changes cannot be undone.
        """
        for place, (name, value) in enumerate(zip(self.names, self._read(), strict=True)):
            if place < self._assigned or _is_ours(value):
                continue
            if place >= self._held or not is_container(value):
                raise NotStagedError(
                    f"it may change the {type(value).__name__} {shown_variable(name)}"
                )


def _is_ours(value: Any) -> bool:
    if value is UNDEFINED or value is None or isinstance(value, type | types.ModuleType):
        return True
    return type(value).__module__.partition(".")[0] in ("tapefacade", "keras")


class Leaks:
    """What Python keeps of a body after it has been recorded: the values of no variable of it."""

    def __init__(self, given: Sequence[EagerTensor]) -> None:
        self._recording = THREAD.recording
        self._given = [weakref.ref(tensor) for tensor in given]

    def require_none(self, besides: Sequence[Any] = ()) -> None:
        """Checks that nothing is kept.

        Args:
            besides: what may be kept.

        Raises:
            NotStagedError: if there is something: Python shows then what it is to become.
        """
        if self._is_any_kept(besides) and (gc.collect(), self._is_any_kept(besides))[1]:
            raise NotStagedError("a function that is called keeps a tensor")

    def _is_any_kept(self, besides: Sequence[Any]) -> bool:
        expected = {id(leaf) for leaf in besides}
        made = [*self._given, *self._recording.owners.values()]
        kept = [tensor for reference in made if (tensor := reference()) is not None]
        return any(id(tensor) not in expected for tensor in kept)


def shown_variable(name: str) -> str:
    """Returns how messages call a variable."""
    if name == "ag__retval_":
        return "what is returned"
    if name.startswith("ag__"):
        return "a break or return"
    return name if " " in name else f"'{name}'"


def is_same(one: Any, other: Any) -> bool:
    """Whether two leaves are the same Python value."""
    if one is other:
        return True
    if isinstance(one, EagerTensor | Variable | TensorArray | np.ndarray):
        return False
    try:
        return type(one) is type(other) and bool(one == other)
    except Exception:  # of the `__eq__` of any class of the program
        return False
