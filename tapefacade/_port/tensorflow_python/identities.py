"""`tensorflow.python.util.object_identity`: sets and dictionaries of objects, not of values."""

import weakref
from collections.abc import Iterable, Iterator, MutableMapping, MutableSet
from typing import Any

from tapefacade._core.tensor import Reference as Reference


class ObjectIdentityDictionary(MutableMapping[Any, Any]):
    """A dictionary whose keys are objects: also tensors, which cannot be keys of others.

    >>> x = tf.constant(1.0)
    >>> ObjectIdentityDictionary({"a": 1}) == {"a": 1} and x in ObjectIdentityDictionary([(x, 2)])
    True
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._entries: dict[int, tuple[Any, Any]] = {}
        self.update(*args, **kwargs)

    def __getitem__(self, key: Any) -> Any:
        if id(key) not in self._entries:
            raise KeyError(key)
        return self._entries[id(key)][1]

    def __setitem__(self, key: Any, value: Any) -> None:
        self._entries[id(key)] = (key, value)

    def __delitem__(self, key: Any) -> None:
        if id(key) not in self._entries:
            raise KeyError(key)
        del self._entries[id(key)]

    def __iter__(self) -> Iterator[Any]:
        return iter([key for key, _ in self._entries.values()])

    def __contains__(self, key: object) -> bool:
        return id(key) in self._entries

    def __len__(self) -> int:
        return len(self._entries)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({dict(enumerate(self._entries.values()))!r})"


class ObjectIdentitySet(MutableSet[Any]):
    """A set of objects: also of tensors, which cannot be in others."""

    def __init__(self, *args: Iterable[Any]) -> None:
        self._entries: dict[int, Any] = {id(item): item for items in args for item in items}

    @classmethod
    def from_storage(cls, storage: Iterable[Any]) -> "ObjectIdentitySet":
        """Makes a set of the objects in another."""
        return cls(storage)

    def __contains__(self, item: object) -> bool:
        return id(item) in self._entries

    def __iter__(self) -> Iterator[Any]:
        return iter(list(self._entries.values()))

    def __len__(self) -> int:
        return len(self._entries)

    def add(self, value: Any) -> None:
        """Adds an object."""
        self._entries[id(value)] = value

    def discard(self, value: Any) -> None:
        """Takes an object out, if it is there."""
        self._entries.pop(id(value), None)

    def update(self, items: Iterable[Any]) -> None:
        """Adds objects."""
        for item in items:
            self.add(item)

    def clear(self) -> None:
        """Takes all out."""
        self._entries.clear()

    def intersection(self, items: Iterable[Any]) -> "ObjectIdentitySet":
        """Returns the objects that are in `items`, too."""
        return type(self)([item for item in items if item in self])

    def difference(self, items: Iterable[Any]) -> "ObjectIdentitySet":
        """Returns the objects that are not in `items`."""
        others = ObjectIdentitySet(items)
        return type(self)([item for item in self if item not in others])


class ObjectIdentityWeakKeyDictionary(MutableMapping[Any, Any]):
    """A dictionary whose keys are objects that it does not keep alive."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._entries: dict[int, tuple[weakref.ref[Any], Any]] = {}
        self.update(*args, **kwargs)

    def __getitem__(self, key: Any) -> Any:
        if id(key) not in self._entries:
            raise KeyError(key)
        return self._entries[id(key)][1]

    def __setitem__(self, key: Any, value: Any) -> None:
        place, entries = id(key), self._entries
        self._entries[place] = (weakref.ref(key, lambda _: entries.pop(place, None)), value)

    def __delitem__(self, key: Any) -> None:
        if id(key) not in self._entries:
            raise KeyError(key)
        del self._entries[id(key)]

    def __iter__(self) -> Iterator[Any]:
        keys = [reference() for reference, _ in list(self._entries.values())]
        return iter([key for key in keys if key is not None])

    def __contains__(self, key: object) -> bool:
        return id(key) in self._entries

    def __len__(self) -> int:
        return len(self._entries)


class ObjectIdentityWeakSet(MutableSet[Any]):
    """A set of objects that it does not keep alive."""

    def __init__(self, *args: Iterable[Any]) -> None:
        self._keys = ObjectIdentityWeakKeyDictionary([(x, None) for items in args for x in items])

    def __contains__(self, item: object) -> bool:
        return item in self._keys

    def __iter__(self) -> Iterator[Any]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)

    def add(self, value: Any) -> None:
        """Adds an object."""
        self._keys[value] = None

    def discard(self, value: Any) -> None:
        """Takes an object out, if it is there."""
        self._keys.pop(value, None)
