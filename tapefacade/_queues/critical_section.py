"""Functions that only one thread runs at a time: `CriticalSection`."""

import threading
from collections.abc import Callable
from typing import Any

from tapefacade._core import nest
from tapefacade._core.conversion import convert_to_tensor
from tapefacade._definition.op import register

_SHARED_LOCKS: dict[str, threading.RLock] = {}


class CriticalSection:
    """Runs functions one after the other, whatever threads call it.

    Args:
        name: the name of the section.
        shared_name: sections with the same one exclude each other.
        critical_section_def: must be None.
        import_scope: ignored.

    Raises:
        ValueError: if `critical_section_def` is given.

    >>> v = tf.Variable(1.0)
    >>> tf.CriticalSection().execute(lambda: v.assign_add(1.0)).numpy()
    np.float32(2.0)

    See https://www.tensorflow.org/api_docs/python/tf/CriticalSection.
    """

    def __init__(
        self,
        name: str | None = None,
        shared_name: str | None = None,
        critical_section_def: None = None,
        import_scope: None = None,
    ) -> None:
        if critical_section_def is not None:
            raise ValueError("Argument `critical_section_def` is not supported.")
        self._name = name or "critical_section"
        own = threading.RLock()
        self._lock = own if shared_name is None else _SHARED_LOCKS.setdefault(shared_name, own)
        self._runner: int | None = None

    @property
    def name(self) -> str:
        """The name of the section."""
        return self._name

    def execute(
        self, fn: Callable[[], Any], exclusive_resource_access: bool = True, name: str | None = None
    ) -> Any:
        """Calls a function when no other thread is in the section.

        Args:
            fn: the function.
            exclusive_resource_access: ignored.
            name: ignored.

        Returns:
            What it returns, with tensors in the place of numbers, arrays and variables.

        Raises:
            ValueError: if it is called within the section.

        >>> tf.CriticalSection().execute(lambda: 3).numpy()
        np.int32(3)
        """
        if self._runner == threading.get_ident():
            raise ValueError(
                f"Attempting to lock a CriticalSection (signature={self._name!r}) in which we are "
                "already running. This is illegal and may cause deadlocks."
            )
        with self._lock:
            self._runner = threading.get_ident()
            try:
                result = fn()
            finally:
                self._runner = None
        return nest.map_structure(convert_to_tensor, result)


register(("CriticalSection",), CriticalSection)
