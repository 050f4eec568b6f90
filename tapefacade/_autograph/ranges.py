"""`for i in range(n)` and `tf.range(n)` of tensors: the loop counts, no tensor of them is made."""

import builtins
from collections.abc import Callable, Iterable
from typing import Any

from tapefacade._core.conversion import convert
from tapefacade._core.tensor import EagerTensor, host_value
from tapefacade._ops.array.casting import cast
from tapefacade._ops.array.creation import range as range_of_tensors
from tapefacade._state.variable import Variable


class LazyRange:
    """`tf.range` or `range` in the head of a loop.

    Attributes:
        start: the first number.
        limit: where it ends.
        delta: the step, a number of Python.
    """

    def __init__(
        self, start: EagerTensor, limit: EagerTensor, delta: int, make: Callable[[], Iterable[Any]]
    ) -> None:
        self._make = make
        self.start = start
        self.limit = limit
        self.delta = delta

    def python(self) -> Iterable[Any]:
        """Returns what Python runs over, looking at the limits."""
        return self._make()

    @property
    def count(self) -> int | None:
        """How many numbers there are, if that is known."""
        start, limit = host_value(self.start), host_value(self.limit)
        if start is None or limit is None:
            return None
        return len(range(int(start), int(limit), self.delta))


def lazy_range(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> LazyRange | None:
    """Returns the range that a call in the head of a loop makes; None if it makes another one."""
    is_tensors = function is range_of_tensors
    if not is_tensors and function is not builtins.range:
        return None
    if not is_tensors and (kwargs or not any(_is_tensor(a) for a in args)):
        return None
    names = ("start", "limit", "delta")[: len(args)]
    given = dict(zip(names, args, strict=False)) | kwargs
    dtype = given.pop("dtype", None)
    given.pop("name", None)
    if set(given) - {"start", "limit", "delta"} or "start" not in given:
        return None
    if given.get("limit") is None:
        given["start"], given["limit"] = 0, given["start"]
    delta = given.get("delta", 1)
    if isinstance(delta, EagerTensor):
        known = host_value(delta)
        delta = None if known is None or known.shape else int(known)
    if type(delta) is not int or not delta:
        return None
    ends = [convert(v.value() if isinstance(v, Variable) else v) if _is_tensor(v) else v
            for v in (given["start"], given["limit"])]  # fmt: skip
    dtypes = {end.dtype.name for end in ends if isinstance(end, EagerTensor)}
    if any(not isinstance(end, EagerTensor | int) for end in ends):
        return None
    name = dtype if dtype is not None else next(iter(dtypes)) if len(dtypes) == 1 else "int32"
    found = [cast(convert(end), name) for end in ends]
    if not found[0].dtype.is_integer or any(end._type.shape for end in found):
        return None
    return LazyRange(found[0], found[1], delta, lambda: function(*args, **kwargs))


def _is_tensor(value: Any) -> bool:
    return isinstance(value, EagerTensor | Variable)
