"""Unknown sizes: what is shown in their place while a function is recorded for all of them.

A function that is recorded for a spec like `tf.TensorSpec([None, 2])` runs on tensors of a stand-in
size. Nothing is computed of them, and the user's Python sees None, as in TensorFlow: in `shape`, in
what is printed, and in all sizes that come from an unknown one.
"""

import contextlib
import sys
import threading
from collections.abc import Iterator, Sequence
from typing import Any

from tapefacade._core.tensor import EagerTensor
from tapefacade._core.tensor_shape import TensorShape
from tapefacade._trace.frames import ValueWanted
from tapefacade._trace.tree import users_line

# In the place of an unknown size while nothing is computed.
STAND_IN_SIZE, STAND_IN_TOLERANCE = 1009, 8
_PACKAGE = __name__.partition(".")[0] + "."
_PLAIN: dict[str, Any] = {
    "shape": vars(EagerTensor)["shape"],
    "get_shape": vars(EagerTensor)["get_shape"],
    "__len__": vars(EagerTensor)["__len__"],
    "__iter__": vars(EagerTensor)["__iter__"],
}
_LOCK = threading.Lock()
_OPEN: list[int] = []  # the threads that record for unknown sizes


def is_unknown(size: int | None) -> bool:
    """Whether a size is unknown, or comes from an unknown one.

    >>> [is_unknown(size) for size in (None, 1009, 2018, 1010, 504, 3, 1024)]
    [True, True, True, True, True, False, False]
    """
    if size is None:
        return True
    nearest = min((size + STAND_IN_TOLERANCE) % STAND_IN_SIZE, size % STAND_IN_SIZE)
    halves = any(abs(size - STAND_IN_SIZE // by) <= 1 for by in (2, 3, 4))
    return (size > STAND_IN_SIZE // 2 and nearest <= STAND_IN_TOLERANCE) or halves


def stand_in_shape(sizes: Sequence[int | None]) -> tuple[int, ...]:
    """Returns a shape with a stand-in for each unknown size."""
    return tuple([STAND_IN_SIZE if size is None else size for size in sizes])


def known_shape(sizes: Sequence[int]) -> TensorShape:
    """Returns a shape with None in the place of each size that is not known."""
    return TensorShape([None if is_unknown(size) else size for size in sizes])


@contextlib.contextmanager
def unknown_sizes_shown() -> Iterator[None]:
    """Shows None in the place of stand-ins to what is not of this package, in this thread."""
    with _LOCK:
        if not _OPEN:
            _install()
        _OPEN.append(threading.get_ident())
    try:
        yield
    finally:
        with _LOCK:
            _OPEN.remove(threading.get_ident())
            if not _OPEN:
                _uninstall()


def _is_open(tensor: EagerTensor) -> bool:
    """Whether sizes of a tensor may be stand-ins: it is pending in what this thread records."""
    return tensor._value is None and threading.get_ident() in _OPEN


def _shape(tensor: Any) -> TensorShape:
    sizes = tensor._type.shape
    if not any(map(is_unknown, sizes)) or not _is_open(tensor):
        return tensor._type.tensor_shape
    caller = sys._getframe(1)
    name = caller.f_globals.get("__name__", "")
    if name.startswith(_PACKAGE) and caller.f_code.co_name not in _SHOWING:
        return tensor._type.tensor_shape
    return known_shape(sizes)


# Functions of the package that show shapes to the user.
_SHOWING = ("__repr__", "__str__", "__format__")


def _length(tensor: Any) -> int:
    _refuse(tensor)
    return _PLAIN["__len__"](tensor)


def _rows(tensor: Any) -> Any:
    _refuse(tensor)
    return _PLAIN["__iter__"](tensor)


def _refuse(tensor: Any) -> None:
    """Ends the recording where Python needs a size that is not known."""
    sizes = tensor._type.shape
    if sizes and is_unknown(sizes[0]) and _is_open(tensor):
        raise ValueWanted(users_line())


def _install() -> None:
    kind: Any = EagerTensor
    kind.shape = property(_shape, doc=_PLAIN["shape"].__doc__)
    kind.get_shape, kind.__len__, kind.__iter__ = _shape, _length, _rows


def _uninstall() -> None:
    for name, member in _PLAIN.items():
        setattr(EagerTensor, name, member)
