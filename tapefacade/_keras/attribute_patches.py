"""Changes of attributes of Keras's modules and classes, and how they are undone."""

from typing import Any


class _Empty:
    """An empty class: its attributes are those that every class has."""


_MISSING = object()
_NOT_MEMBERS = {*vars(_Empty), "__annotations__", "__annotate_func__"}


class AttributePatches:
    """Changes of attributes, which can be undone."""

    def __init__(self) -> None:
        self._before: list[tuple[Any, str, Any]] = []

    @property
    def are_set(self) -> bool:
        """Whether there is something to undo."""
        return bool(self._before)

    def set(self, owner: Any, name: str, value: Any) -> None:
        """Changes an attribute."""
        self._before.append((owner, name, vars(owner).get(name, _MISSING)))
        setattr(owner, name, value)

    def set_members(self, owner: type, members: type) -> None:
        """Gives a class all that is written in the body of another one.

        Args:
            owner: the class of Keras.
            members: a class that is written for this; nobody makes objects of it.
        """
        for name, member in vars(members).items():
            if name not in _NOT_MEMBERS:
                self.set(owner, name, member)

    def undo(self) -> None:
        """Gives every attribute back what it was."""
        while self._before:
            owner, name, value = self._before.pop()
            if value is _MISSING:
                delattr(owner, name)
            else:
                setattr(owner, name, value)

    def forget(self) -> None:
        """Leaves the attributes as they are from now on."""
        self._before.clear()
