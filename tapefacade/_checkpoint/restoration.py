"""Restoring: which object gets which values of a checkpoint, now and when it is made."""

import itertools
import weakref
from collections import deque
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from tapefacade._checkpoint import deferred_values
from tapefacade._checkpoint.doubled_slots import hint_for_doubled_slots, saved_objects
from tapefacade._checkpoint.misfits import Misfit, described_misfit, refusal, tensor_count
from tapefacade._checkpoint.object_graph import identity, shown_paths
from tapefacade._checkpoint.reader import Reader
from tapefacade._checkpoint.tracking import (
    children,
    put_all,
    settle_pending,
    tensor_for_variable,
    tracking_rule,
)
from tapefacade._core import errors
from tapefacade._core.logging import get_logger
from tapefacade._core.tensor import FailedValue
from tapefacade._state.variable import Variable

_SERIALS = itertools.count()
MESSAGE_UNRESTORED = (
    "Detecting that an object or model or tf.train.Checkpoint is being deleted with unrestored "
    "values. See the following logs for the specific values in question. To silence these "
    "warnings, use `status.expect_partial()`. See https://www.tensorflow.org/api_docs/python/tf/train/"
    "Checkpoint#restorefor details about the status object returned by the restore function."
)
Put = Callable[[], None]


class Restoration:
    """The restoring of one checkpoint, which goes on as long as the objects are extended.

    Args:
        reader: the checkpoint.
        root: the object that gets it.
        attached: further parts of the root by name.
    """

    def __init__(self, reader: Reader, root: Any, attached: Callable[[], dict[str, Any]]) -> None:
        assert reader.graph is not None
        self.serial = next(_SERIALS)
        self.is_partial = False
        self._reader = reader
        self._graph = reader.graph
        self._attached = weakref.WeakMethod(attached)
        self._root = _reference(root)
        # The objects that have been found, by their places in the checkpoint.
        self._found: dict[int, Any] = {}
        self._owners: dict[int, Any] = {}  # of them those that may still get parts
        self._nodes = saved_objects(reader.graph)  # last: without it nothing is missed in the end

    def start(self, root: Any) -> None:
        """Restores what is there; all of it or, if something does not fit, nothing.

        Raises:
            ValueError: if a shape does not fit.
            InvalidArgumentError: if a dtype does not fit.
            DataLossError: if a value is damaged.
        """
        settle_pending()
        self._take([(root, 0)], direct=True)

    def end(self) -> None:
        """Lets no value wait any more, because `start` was interrupted or has failed."""
        self.is_partial = True  # nothing is missed
        for _, owner in self._living():
            deferred_values.stop_waiting(owner, self)
        self._owners.clear()

    # What happens later.

    def replaces(self, older: "Restoration") -> bool:
        """Whether this is a newer restoring of the same objects; the older one is silent then.

        A program that restores one checkpoint after the other would have more and more that wait.
        """
        if older is self or older._nodes != self._nodes or older.root() is not self.root():
            return False
        older.is_partial = True
        return True

    def resolve(self) -> None:
        """Restores variables that were made since and have found their place."""
        owners = [(owner, place) for place, owner in self._living()]
        if owners:
            self._take(owners, direct=False)

    def attribute_set(self, owner: Any, name: str) -> None:
        """Restores what has become a part of an object."""
        for place, known in self._living():
            if known is owner:
                part = self._children(owner, place).get(name)
                wanted = [node for child, node in self._nodes[place].children if child == name]
                if part is not None and wanted:
                    self._take([(part, wanted[0])], direct=True, owners=[(owner, place)])

    def _living(self) -> list[tuple[int, Any]]:
        found = [(place, reference()) for place, reference in list(self._owners.items())]
        return [(place, owner) for place, owner in found if owner is not None]

    def _children(self, value: Any, place: int) -> dict[str, Any]:
        parts = children(value)
        attached = self._attached() if place == 0 else None
        return parts if attached is None else {**parts, **attached()}

    def _take(
        self,
        start: Iterable[tuple[Any, int]],
        direct: bool,
        owners: Iterable[tuple[Any, int]] = (),
    ) -> None:
        """Goes through objects and restores those that are new.

        Args:
            start: objects and their places in the checkpoint.
            direct: whether the new ones have become parts just now. Otherwise it is only restored
                what nobody has changed since.
            owners: further objects that have been extended.
        """
        new: dict[int, Any] = {}
        seen: set[tuple[int, int]] = set()
        visited: list[tuple[Any, int]] = list(owners)
        waiting = deque(start)
        while waiting:
            value, place = waiting.popleft()
            if (identity(value), place) in seen:
                continue
            seen.add((identity(value), place))
            if not self._is_known(value, place, new, direct):
                continue
            visited.append((value, place))
            parts = self._children(value, place)
            waiting.extend(
                (parts[name], node) for name, node in self._nodes[place].children if name in parts
            )
        put_all(self._prepared(new, direct))
        for place, value in new.items():
            self._found[place] = _reference(value)
        for value, place in visited:
            self._watch(value, place)

    def _is_known(self, value: Any, place: int, new: dict[int, Any], direct: bool) -> bool:
        """Whether an object is that of a place; it becomes that if nobody is."""
        kind = tracking_rule(value)
        if kind is None:
            return False
        is_new = place not in new and place not in self._found
        if is_new or kind.is_container:
            if (
                isinstance(value, Variable)
                and not direct
                and not deferred_values.is_fresh(value._root, self)
            ):
                return False
            new[place] = value
            return True
        known = new[place] if place in new else self._at(place)
        return known is not None and identity(known) == identity(value)

    def _prepared(self, new: dict[int, Any], direct: bool) -> list[Put]:
        """Checks the values of objects, and returns what puts them there.

        Raises:
            ValueError: if shapes do not fit; the message names all values that do not.
            InvalidArgumentError: if dtypes do not fit.
        """
        with_values = [
            (place, value, self._nodes[place].keys)
            for place, value in new.items()
            if self._nodes[place].keys and place not in self._found
        ]
        count = sum(tensor_count(value) for _, value, _ in with_values)
        puts: list[Put] = []
        misfits: list[Misfit] = []
        for place, value, keys in with_values:
            kind = tracking_rule(value)
            if kind is None or kind.restoring is None:
                continue
            try:
                if isinstance(value, Variable) and deferred_values.is_fresh(value._root, self):
                    puts.append(self._settling(value._root, keys["VARIABLE_VALUE"], count))
                else:
                    puts.append(kind.restoring(value, self._reader, keys, count))
            except (errors.InvalidArgumentError, ValueError) as error:
                misfits.append(Misfit(self._described(place, value), value, error))
        if misfits:
            puts += self._refused(misfits, direct)
        return puts

    def _described(self, place: int, value: Any) -> str:
        """Returns a line about a value that does not fit."""
        path = shown_paths(self._graph)[place].removeprefix("(root).")
        return described_misfit(path, value, self._reader, self._nodes[place].keys)

    def _refused(self, misfits: list[Misfit], direct: bool) -> list[Put]:
        """Refuses values that do not fit.

        Variables that were made after the checkpoint was read, and found by themselves, raise the
        error for who uses them, and for nobody else.
        """
        error = refusal(misfits, hint_for_doubled_slots(self._nodes, self._graph))
        variables = [misfit.value for misfit in misfits]
        if direct or not all(deferred_values.is_lazy(variable) for variable in variables):
            raise error
        failed = FailedValue(error)
        return [partial(deferred_values.fail, variable, failed) for variable in variables]

    def _settling(self, variable: Variable, key: str, count: int) -> Put:
        tensor = tensor_for_variable(variable, self._reader, key, count)
        return lambda: deferred_values.settle(variable, tensor)

    def _watch(self, value: Any, place: int) -> None:
        """Waits for the parts that an object has not got yet."""
        kind = tracking_rule(value)
        if kind is None or kind.is_container or not self._nodes[place].children:
            return
        if self._is_complete(value, place, set()):
            if self._owners.pop(place, None) is not None:
                deferred_values.stop_waiting(value, self)
        elif place not in self._owners:
            try:
                self._owners[place] = weakref.ref(value)
            except TypeError:
                return
            deferred_values.wait(value, self)

    def _is_complete(self, value: Any, place: int, seen: set[int]) -> bool:
        """Whether an object has all parts; those of lists within it are its own."""
        parts = self._children(value, place)
        for name, node in self._nodes[place].children:
            if node not in self._found or name not in parts:
                return False
            kind = tracking_rule(parts[name])
            is_open = kind is not None and kind.is_container and node not in seen
            if is_open and not self._is_complete(parts[name], node, {*seen, node}):
                return False
        return True

    def _at(self, place: int) -> Any:
        reference = self._found.get(place)
        return None if reference is None else reference()

    # What is known of it.

    def root(self) -> Any:
        """Returns the root, or None if it is gone."""
        return self._root()

    def matches(self, value: Any) -> bool:
        """Whether an object has been found in the checkpoint."""
        wanted = identity(value)
        found = (reference() for reference in self._found.values())
        return any(known is not None and identity(known) == wanted for known in found)

    def unmatched(self) -> list[int]:
        """Returns the places of values that no object has got."""
        return [
            place
            for place, (_, keys) in enumerate(self._nodes)
            if keys and place not in self._found
        ]

    def described(self, place: int) -> tuple[str, Any]:
        """Returns the way to an object of the checkpoint, and its description."""
        return shown_paths(self._graph)[place], self._graph.nodes[place]

    def __del__(self) -> None:
        if not getattr(self, "_nodes", None) or self.is_partial:
            return
        places = self.unmatched()
        if places:
            logger = get_logger()
            logger.warning(MESSAGE_UNRESTORED)
            paths = shown_paths(self._graph)
            for place in places:
                logger.warning(
                    "Value in checkpoint could not be found in the restored object: %s",
                    paths[place],
                )


def _reference(value: Any) -> Callable[[], Any]:
    """Returns a weak reference, or for a list one that finds nothing but is there."""
    try:
        return weakref.ref(value)
    except TypeError:
        return lambda: None
