"""Equally spaced numbers whose limits decide the shape: `range`."""

from typing import Any

import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.convert import convert_to_tensor
from tapefacade._core.tensor import from_host
from tapefacade._ops.arguments import invalid, written
from tapefacade._ops.op import function

RANGE_TYPES = ("int32", "int64", "float16", "bfloat16", "float32", "float64")


def _steps(start: np.ndarray, limit: np.ndarray, delta: np.ndarray) -> int:
    """Returns how many elements `range` has, with the rounding of the dtype."""
    for name, given in (("start", start), ("limit", limit), ("delta", delta)):
        if given.size != 1:
            raise invalid(f"{name} must be a scalar, not shape {written(given.shape)} [Op:Range]")
    shown = f"{_shown(start)}/{_shown(limit)}"
    if delta == 0:
        raise invalid("Requires delta != 0: 0 [Op:Range] name: ")
    if delta > 0 and not start <= limit:
        raise invalid(f"Requires start <= limit when delta > 0: {shown} [Op:Range] name: ")
    if not delta > 0 and not start >= limit:
        raise invalid(f"Requires start >= limit when delta < 0: {shown} [Op:Range] name: ")
    if start.dtype.kind == "i":
        return -(-abs(int(limit) - int(start)) // abs(int(delta)))
    with np.errstate(all="ignore"):
        count = np.ceil(np.abs((limit - start) / delta))
    if not float(count) <= 2**63 - 1:
        raise invalid("Requires ((limit - start) / delta) <= 9223372036854775807 [Op:Range] name: ")
    return int(count)


def _shown(value: np.ndarray) -> str:
    return f"{value.astype(object).item():g}" if value.dtype.kind != "i" else str(value.item())


@function("range")
def range(
    start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None, name: str = "range"
) -> Any:
    """Makes a vector of equally spaced numbers.

    Called with one number, it is the limit, and the numbers start at 0. The arguments are looked
    at, for they decide the shape.

    Args:
        start: the first number.
        limit: where the numbers end; it is not among them.
        delta: the difference of two neighbours.
        dtype: the dtype, by default the widest of those of the arguments.
        name: ignored.

    Returns:
        A vector.

    Raises:
        InvalidArgumentError: if `delta` is 0 or leads away from `limit`.

    >>> tf.range(3).numpy(), tf.range(1.0, 2.0, 0.5).numpy()
    (array([0, 1, 2], dtype=int32), array([1. , 1.5], dtype=float32))
    """
    if limit is None:
        start, limit = 0, start
    wanted = None if dtype is None else dtypes.as_dtype(dtype)
    given = []
    for value in (start, limit, delta):
        held = getattr(value, "dtype", None) is not None
        given.append(convert_to_tensor(value, None if held else wanted))
    if wanted is None:
        if not all(value.dtype.name in RANGE_TYPES for value in given):
            raise AssertionError
        wanted = max((v.dtype for v in given), key=lambda d: RANGE_TYPES.index(d.name))
    target = np.dtype(wanted.as_numpy_dtype)
    first, last, step = (np.asarray(v.numpy()).astype(target) for v in given)
    count = _steps(first, last, step)
    if target.kind in "iu":
        places = np.arange(count, dtype=np.int64)
        return from_host((first.astype(np.int64) + places * step.astype(np.int64)).astype(target))
    return from_host(first.reshape(()) + np.arange(count).astype(target) * step.reshape(()))
