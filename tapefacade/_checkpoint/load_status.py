"""The status that `Checkpoint.restore` returns: `assert_consumed` and its like."""

from typing import Any

from tapefacade._checkpoint.deferred_values import resolve_all
from tapefacade._checkpoint.object_graph import find_objects
from tapefacade._checkpoint.restoration import Restoration
from tapefacade._checkpoint.tracking import has_values

MAX_SHOWN_OBJECTS = 10


class LoadStatus:
    """Tells how far a checkpoint has been restored; its methods return itself."""

    def assert_consumed(self) -> "LoadStatus":
        """Checks that every value has found its object, and every object its value.

        Raises:
            AssertionError: if it is not so.
        """
        raise NotImplementedError

    def assert_existing_objects_matched(self) -> "LoadStatus":
        """Checks that every object has found its value.

        Raises:
            AssertionError: if it is not so.
        """
        raise NotImplementedError

    def assert_nontrivial_match(self) -> "LoadStatus":
        """Checks that some object has found its value.

        Raises:
            AssertionError: if it is not so.
        """
        raise NotImplementedError

    def expect_partial(self) -> "LoadStatus":
        """Says that values may be left over; nothing is logged about them."""
        return self

    def run_restore_ops(self, session: Any = None) -> None:
        """Does nothing: what is there has been restored."""

    def initialize_or_restore(self, session: Any = None) -> None:
        """Does nothing: variables have values from the start."""


class CheckpointLoadStatus(LoadStatus):
    """Tells how far a checkpoint has been restored; returned by `restore` and `read`.

    Args:
        restoration: the restoring.
        attached: gives further parts of the root.
        shown: the checkpoint, for messages.
    """

    def __init__(self, restoration: Restoration, attached: Any, shown: Any) -> None:
        self._restoration = restoration
        self._attached = attached
        self._shown = shown
        # The objects are kept as long as somebody may ask about them, as in TensorFlow.
        self._root = restoration.root()

    def _objects(self) -> list[Any]:
        return find_objects(self._root, self._attached()).objects

    def assert_consumed(self) -> "CheckpointLoadStatus":
        """Checks that every value has found its object, and every object its value.

        Raises:
            AssertionError: if it is not so.
        """
        self.assert_existing_objects_matched()
        for place in self._restoration.unmatched():
            path, node = self._restoration.described(place)
            raise AssertionError(f"Unresolved object in checkpoint {path}: {node!r}")
        return self

    def assert_existing_objects_matched(self) -> "CheckpointLoadStatus":
        """Checks that every object has found its value.

        Raises:
            AssertionError: if it is not so.
        """
        resolve_all()
        unmatched = self._unmatched()
        if unmatched:
            count = len(unmatched)
            raise AssertionError(
                f"Found {count} Python objects that were not bound to checkpointed values, likely "
                f"due to changes in the Python program. Showing {min(MAX_SHOWN_OBJECTS, count)} "
                f"of {count} unmatched objects: {unmatched[:MAX_SHOWN_OBJECTS]}"
            )
        return self

    def _unmatched(self) -> list[Any]:
        return [
            value
            for value in self._objects()
            if has_values(value) and not self._restoration.matches(value)
        ]

    def assert_nontrivial_match(self) -> "CheckpointLoadStatus":
        """Checks that some object has found its value.

        Raises:
            AssertionError: if it is not so.
        """
        resolve_all()
        objects = self._objects()[1:]
        if any(self._restoration.matches(value) for value in objects):
            return self
        unmatched = self._unmatched()
        if unmatched:
            raise AssertionError(
                "Nothing except the root object matched a checkpointed value. Typically this means "
                "that the checkpoint does not match the Python program. The following objects have "
                f"no matching checkpointed value: {unmatched}"
            )
        raise AssertionError(
            f"Nothing to load. No dependencies have been added to {self._shown} yet."
        )

    def expect_partial(self) -> "CheckpointLoadStatus":
        """Says that values may be left over; nothing is logged about them."""
        self._restoration.is_partial = True
        return self


MESSAGE_NOTHING = "No checkpoint specified (save_path=None); nothing is being restored."


class InitializationOnlyStatus(LoadStatus):
    """Returned by `restore` for no checkpoint."""

    def assert_consumed(self) -> "InitializationOnlyStatus":
        """Raises: nothing is restored."""
        raise AssertionError(MESSAGE_NOTHING)

    assert_existing_objects_matched = assert_consumed
    assert_nontrivial_match = assert_consumed


class NameBasedSaverStatus(LoadStatus):
    """Returned by `restore` for a checkpoint that knows variables by their names alone.

    Args:
        missing: the variables whose names it does not have.
        unused: the names of values that no variable has.
    """

    def __init__(self, missing: list[Any], unused: list[str]) -> None:
        self._missing = missing
        self._unused = unused

    def assert_consumed(self) -> "NameBasedSaverStatus":
        """Checks that every value has found its variable, and every variable its value.

        Raises:
            AssertionError: if it is not so.
        """
        if self._unused:
            raise AssertionError(
                "Some values in the checkpoint were not restored, as no variable has their names: "
                f"{', '.join(self._unused)}"
            )
        return self.assert_existing_objects_matched()

    def assert_existing_objects_matched(self) -> "NameBasedSaverStatus":
        """Checks that every variable has found its value.

        Raises:
            AssertionError: if it is not so.
        """
        if self._missing:
            raise AssertionError(
                "Some objects do not have attributes which will be restored: "
                f"{self._missing[:MAX_SHOWN_OBJECTS]}"
            )
        return self

    assert_nontrivial_match = assert_existing_objects_matched
