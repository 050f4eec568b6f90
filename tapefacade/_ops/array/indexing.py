"""Subscripts: `x[...]` of tensors and variables, and their assignment."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tapefacade._core import dtypes, errors
from tapefacade._core.conversion import convert_to_tensor, is_tensor, require_one_dtype
from tapefacade._core.error_texts import (
    invalid,
    kernel_prefix,
    kernel_suffix,
    refused_type,
    shape_text,
    slice_out_of_bounds,
    too_many_indices,
)
from tapefacade._core.kernel_dtypes import INDICES_INT16
from tapefacade._core.tensor import EagerTensor, from_host, hinted
from tapefacade._core.tensor_type import type_of
from tapefacade._core.tracebacks import shorten
from tapefacade._core.traced_errors import mark_as_of_types
from tapefacade._definition.op import (
    REGISTRY,
    Check,
    IndexLike,
    TensorLike,
    function,
    op,
    record1,
    record2,
)
from tapefacade._ops.array.casting import cast
from tapefacade._ops.array.joining import stack
from tapefacade._ops.array.loop_rows import CURRENT_LOOP
from tapefacade._ops.array.selecting import boolean_mask
from tapefacade._trace.open_sizes import ACCOUNTS, SizeAccount, noted, open_sizes

# What is done to each dimension, in order (further dimensions are kept):
#   (start, count, step)  a slice at a place that is part of the program,
#   count > 0             a slice whose start is an input of the program,
#   0                     an index that is an input of the program: the dimension disappears,
#   -1 - index            an index that is part of the program,
#   None                  a new dimension of size 1.
Spec = tuple[Any, ...]


def dynamic_dimensions(spec: Spec) -> list[tuple[int, int]]:
    """Returns the dimensions of the input whose start is an input, and the sizes taken of them."""
    entries = [entry for entry in spec if entry is not None]
    return [(i, e or 1) for i, e in enumerate(entries) if isinstance(e, int) and e >= 0]


def sliced_array(x: jax.Array, spec: Spec, starts: Any) -> jax.Array:
    """Takes a part of an array; `starts` are the inputs that the spec names, in a vector."""
    dynamic = dynamic_dimensions(spec)
    if dynamic:
        starts = jnp.reshape(starts, (len(dynamic),))
        begin: list[Any] = [jnp.zeros((), starts.dtype)] * x.ndim
        sizes = list(x.shape)
        for place, (dimension, size) in enumerate(dynamic):
            begin[dimension], sizes[dimension] = starts[place], size
        lacking = [max(0, size - had) for size, had in zip(sizes, x.shape, strict=True)]
        if any(lacking):  # no index fits, which is an error where this is computed
            x = jnp.pad(x, [(0, count) for count in lacking])
        x = lax.dynamic_slice(x, begin, sizes)
    entries = [entry for entry in spec if entry is not None]
    low, high, steps = [0] * x.ndim, list(x.shape), [1] * x.ndim
    turned = []
    for i, entry in enumerate(entries):
        if isinstance(entry, tuple):
            start, count, step = entry
            last = start + (count - 1) * step
            if count == 0:
                low[i] = high[i] = 0
            elif step > 0:
                low[i], high[i], steps[i] = start, last + 1, step
            else:
                low[i], high[i], steps[i] = last, start + 1, -step
                turned.append(i)
        elif entry < 0:
            low[i], high[i] = -1 - entry, -entry
    x = lax.slice(x, low, high, steps)
    if turned:
        x = lax.rev(x, turned)
    return jnp.reshape(x, shape_after(x.shape, spec))


def shape_after(shape: tuple[int, ...], spec: Spec) -> tuple[int, ...]:
    """Returns the shape with the dimensions of indices left out and the new ones put in."""
    remaining, result = iter(shape), []
    for entry in spec:
        if entry is None:
            result.append(1)
        else:
            size = next(remaining)
            if isinstance(entry, tuple) or entry > 0:
                result.append(size)
    return (*result, *remaining)


def numpy_key(spec: Spec, starts: Any) -> tuple[Any, ...]:
    """Returns the subscript for NumPy (or `jax.Array.at`) that a spec stands for."""
    remaining = iter(starts)
    key: list[Any] = []
    for entry in spec:
        if entry is None:
            key.append(None)
        elif isinstance(entry, tuple):
            start, count, step = entry
            stop = start + count * step
            key.append(slice(start, None if stop < 0 else stop, step) if count else slice(0, 0))
        elif entry > 0:
            begin = next(remaining)
            key.append(slice(begin, begin + entry))
        else:
            key.append(next(remaining) if entry == 0 else -1 - entry)
    return tuple(key)


MESSAGE_TYPE = (
    "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar "
    "tf.int32/tf.int64 tensors are valid indices, got {!r}"
)
HINT_INDICES = (
    "Write tf.gather(x, indices) for several indices, tf.boolean_mask(x, mask) for a mask."
)
MESSAGE_ELLIPSES = "Multiple ellipses in slice spec not allowed"
MESSAGE_SCALAR = "Attempting to slice scalar input."
ERROR_PREFIX = kernel_prefix("StridedSlice")
ERROR_SUFFIX = kernel_suffix("StridedSlice") + "strided_slice/"
QUICK_TYPES = (int, slice, type(None), type(Ellipsis))  # the types of items that need no look
BOUND_TYPES = (int, type(None))
SCALAR = type_of((), np.dtype(np.int32))
# What subscripts mean, by the type of the tensor: reading one takes several microseconds.
PARSED_SUBSCRIPTS: dict[Any, tuple[Spec, list[Any]]] = {}
MAX_PARSED = 4096
INDEX_TYPES = (dtypes.int16, dtypes.int32, dtypes.int64)


def slicing_error(message: str) -> errors.InvalidArgumentError:
    """Makes the exception of TensorFlow's slicing kernel."""
    return invalid(f"{ERROR_PREFIX}{message}{ERROR_SUFFIX}")


def zero_stride(place: int) -> str:
    """Words that the stride of a slice is 0."""
    return f"strides[{place}] must be non-zero"


def out_of_bounds(index: int, dimension: int) -> errors.InvalidArgumentError:
    """Makes the exception for an index that is not within its dimension."""
    return slicing_error(slice_out_of_bounds(index, dimension))


def _slice_host(x: Any, spec: Spec) -> Any:
    return x[numpy_key(spec, ())]


@op("_slice", kernel="StridedSlice", host=_slice_host, moves=True)
def take_slice(x: TensorLike, spec: Spec) -> jax.Array:
    """Takes a part at a place that is part of the program."""
    return sliced_array(x, spec, None)


@op("_slice_at", kernel="StridedSlice", moves=True)
def take_slice_at(x: TensorLike, starts: IndexLike, spec: Spec) -> jax.Array:
    """Takes a part at a place that is an input, so that another place needs no other program."""
    return sliced_array(x, spec, starts)


def _test_indices(x: Any, starts: Any, spec: Spec) -> tuple[Any, ...]:
    dimensions = np.array([d for d, _ in dynamic_dimensions(spec)], np.int32)
    sizes = jnp.stack([jnp.asarray(x.shape[d], np.int64) for d in dimensions])
    index = jnp.ravel(starts).astype(np.int64)
    index = jnp.where(index < 0, index + sizes, index)
    bad = (index < 0) | (index >= sizes)
    first = jnp.argmax(bad)
    return ~jnp.any(bad), index[first], jnp.asarray(dimensions)[first]


@op(
    "_slice_checked",
    kernel="StridedSlice",
    check=Check(("starts",), _test_indices, lambda index, d, spec: out_of_bounds(index, d)),
    moves=True,
)
def take_slice_checked(x: TensorLike, starts: IndexLike, spec: Spec) -> jax.Array:
    """Takes a part at indices that were not known when they were used."""
    starts = jnp.ravel(starts)
    sizes = [jnp.asarray(x.shape[d], starts.dtype) for d, _ in dynamic_dimensions(spec)]
    limits = jnp.stack(sizes)
    return sliced_array(x, spec, jnp.where(starts < 0, starts + limits, starts))


_SLICE, _SLICE_AT = REGISTRY["_slice"], REGISTRY["_slice_at"]


@op("_slice_update", kernel="ResourceStridedSliceAssign", moves=True)
def update_slice(x: TensorLike, value: TensorLike, starts: IndexLike, spec: Spec) -> jax.Array:
    """Replaces a part; see `strided_slice_update`."""
    count = len(dynamic_dimensions(spec))
    places = jnp.reshape(starts, (-1,)) if count else ()
    places = [jnp.where(p < 0, p + x.shape[d], p) for p, (d, _) in zip(
        places, dynamic_dimensions(spec), strict=False
    )]  # fmt: skip
    part = x.at[numpy_key(spec, places)]
    shape = jax.eval_shape(lambda a: sliced_array(a, spec, jnp.zeros((count,), np.int32)), x).shape
    new = value
    while new.ndim > len(shape) and new.shape[0] == 1:
        new = jnp.reshape(new, new.shape[1:])
    if new.ndim > len(shape) or any(
        n not in (1, m) for n, m in zip(new.shape[::-1], shape[::-1], strict=False)
    ):
        raise invalid(
            f"Cannot broadcast input shape {shape_text(value.shape)} into final shape "
            f"{shape_text(shape)}"
        )
    return part.set(jnp.broadcast_to(new, shape), mode="promise_in_bounds")


# From the subscript to the spec.


def _index(item: Any) -> Any:
    """Returns an index as an integer, or as the tensor it is if its value is not known here."""
    kind = type(item)
    if kind is int:
        return item
    if kind is bool:
        raise invalid(str(refused_type("Index", "bool", INDICES_INT16)) + ERROR_SUFFIX)
    if isinstance(item, int | np.integer):
        return int(item)
    if isinstance(item, jax.Array):  # as in a loop of Keras's, where JAX traces
        item = convert_to_tensor(item)
        kind = type(item)
    if is_tensor(item):
        if item.dtype not in INDEX_TYPES or item.shape.rank:
            raise hinted(TypeError(MESSAGE_TYPE.format(item)), HINT_INDICES)
        value = item._value if kind is EagerTensor else None
        return int(value) if isinstance(value, np.ndarray) else item
    if isinstance(item, np.ndarray) and item.ndim == 0 and item.dtype.kind == "i":
        return int(item)
    if not hasattr(item, "dtype") and hasattr(item, "__index__"):
        return item.__index__()
    raise hinted(TypeError(MESSAGE_TYPE.format(item)), HINT_INDICES)


def _bound(item: Any) -> int | None:
    """Returns an end of a slice: it decides the shape, so a tensor is looked at."""
    if item is None or type(item) is int:
        return item
    return int(_index(item))


def _range(item: slice, size: int, place: int, known: bool) -> tuple[Any, int | None]:
    """Returns the entry of a slice, and its start if that becomes an input."""
    start, stop, step = _bound(item.start), _bound(item.stop), _bound(item.step)
    if step == 0:
        raise slicing_error(zero_stride(place))
    found = range(*slice(start, stop, step).indices(size))
    count = len(found)
    if known and start is not None and stop is not None and 0 < count < size and found.step == 1:
        return count, found.start
    return (found.start, count, found.step), None


def _placed(index: Any, size: int, dimension: int) -> tuple[int, Any]:
    """Returns the entry of an index, and the input it becomes unless it can only be 0."""
    if type(index) is int:
        if index < 0:
            index += size
        if not 0 <= index < size:
            raise mark_as_of_types(out_of_bounds(index, dimension))
        if size == 1:
            return -1, None
    return 0, index


def _expanded(items: Any, rank: int) -> list[Any]:
    """Puts full slices in place of the ellipsis."""
    places = [i for i, item in enumerate(items) if item is Ellipsis]
    count = len(items) - len(places) - sum(item is None for item in items)
    if len(places) > 1:
        raise mark_as_of_types(slicing_error(MESSAGE_ELLIPSES))
    if rank == 0 and count:
        raise mark_as_of_types(slicing_error(MESSAGE_SCALAR))
    if count > rank:
        raise mark_as_of_types(slicing_error(too_many_indices(rank)))
    if not places:
        return list(items)
    at = places[0]
    return [*items[:at], *[slice(None)] * (rank - count), *items[at + 1 :]]


def _require_one_dtype(items: Any) -> None:
    """Raises if the tensors among the beginnings, ends or steps of a subscript differ in dtype."""
    slices = [item if type(item) is slice else slice(item, item, None) for item in items]
    for bounds in zip(*[(item.start, item.stop, item.step) for item in slices], strict=True):
        if sum(is_tensor(bound) for bound in bounds) > 1:
            # What is no tensor takes the dtype of the others.
            first = next(bound for bound in bounds if is_tensor(bound))
            require_one_dtype([bound if is_tensor(bound) else first for bound in bounds])


def parse(shape: tuple[int, ...], key: Any, known: bool) -> tuple[Spec, list[Any]]:
    """Reads a subscript.

    Indices become inputs of the program, and so do the starts of slices of a tensor whose value is
    known: `data[i]` and `data[i : i + 32]` at every step must not make a new program.

    Args:
        shape: the shape of the tensor.
        key: the subscript; a list is taken as a tuple, as TensorFlow does.
        known: whether the tensor has its value.

    Returns:
        The spec, and the inputs that it names: integers, and tensors whose value is pending.
    """
    items = key if isinstance(key, tuple | list) else (key,)
    for item in items:
        if type(item) not in QUICK_TYPES:
            _index(item)
    _require_one_dtype(items)
    spec: list[Any] = []
    starts: list[Any] = []
    dimension = 0
    for place, item in enumerate(_expanded(items, len(shape))):
        if item is None:
            spec.append(None)
            continue
        if type(item) is slice:
            entry, start = _range(item, shape[dimension], place, known)
        else:
            entry, start = _placed(_index(item), shape[dimension], dimension)
        spec.append(entry)
        if start is not None:
            starts.append(start)
        dimension += 1
    return tuple(spec), starts


def _packed(starts: Any) -> Any:
    """Puts the inputs of a spec into one tensor."""
    if all(type(start) is int for start in starts):
        if len(starts) == 1:
            return EagerTensor(SCALAR, np.array(starts[0], np.int32), None, 0)
        return from_host(np.array(starts, np.int32))
    tensors = [
        convert_to_tensor(s, dtypes.int32) if type(s) is int else cast(s, dtypes.int32)
        for s in starts
    ]
    return tensors[0] if len(tensors) == 1 else stack(tensors)


def _hashable(key: Any) -> Any:
    """Returns what a subscript is found by among those that were parsed; None if by nothing."""
    if type(key) is slice:
        key = (key,)
    elif type(key) is not tuple:
        return None
    parts = []
    for item in key:
        if type(item) is slice:
            item = (item.start, item.stop, item.step)
            if type(item[0]) not in BOUND_TYPES or type(item[1]) not in BOUND_TYPES:
                return None
            if type(item[2]) not in BOUND_TYPES:
                return None
        elif item is not None and item is not Ellipsis and type(item) is not int:
            return None
        parts.append(item)
    return tuple(parts)


def _on_host(x: Any) -> bool:
    """Tells whether a tensor is part of shape arithmetic."""
    return type(x) is EagerTensor and x._type.hostable and type(x._value) is np.ndarray


def _is_range(x: Any) -> bool:
    """Tells whether a tensor is a vector of integers on the host, as `tf.range` makes them.

    Its elements are numbers of iterations, which Python looks at again and again.
    """
    return (
        type(x) is EagerTensor
        and type(x._value) is np.ndarray
        and len(x._type.shape) == 1
        and x._type.numpy_dtype.kind in "iu"
    )


def _one_row(x: Any, index: int) -> Any:
    """Takes `x[index]`."""
    shape = x._type.shape
    if not shape:
        raise slicing_error(MESSAGE_SCALAR)
    if _on_host(x) or _is_range(x):
        _placed(index, shape[0], 0)
        row = from_host(np.array(x._value[index]))
        return noted(row, [x], lambda array: array[index]) if ACCOUNTS else row
    entry, start = _placed(index, shape[0], 0)
    if start is None:
        return record1(_SLICE, x, ((entry,),))
    start = EagerTensor(SCALAR, np.array(index % shape[0], np.int32), None, 0)
    return record2(_SLICE_AT, x, start, ((0,),))


def row_at(rows: EagerTensor, index: Any) -> EagerTensor:
    """Takes a row that is known to be there."""
    return record2(_SLICE_AT, rows, index, ((0,),))


@function("_getitem")
def getitem(x: Any, key: Any) -> Any:
    """Takes `x[key]` of a tensor or variable.

    Args:
        x: a tensor or variable.
        key: integers, slices, `...`, `tf.newaxis`, scalar integer tensors, or a tuple of these; or
            a boolean tensor or array, which selects as `tf.boolean_mask` does.

    Returns:
        A tensor.

    Raises:
        InvalidArgumentError: if an index is out of bounds, or there are too many.
        TypeError: if something is no index.

    >>> tf.constant([[1, 2], [3, 4]])[:, 0].numpy()
    array([1, 3], dtype=int32)
    """
    try:
        if type(key) is int:
            return _one_row(x, key)
        known = type(x) is EagerTensor and x._value is not None
        short = _hashable(key)
        if short is not None:
            short = (x._type, known, short)
            found = PARSED_SUBSCRIPTS.get(short)
            if found is None:
                if len(PARSED_SUBSCRIPTS) > MAX_PARSED:
                    PARSED_SUBSCRIPTS.clear()
                found = PARSED_SUBSCRIPTS[short] = parse(x._type.shape, key, known)
            spec, starts = found
        elif type(key) is bool or (
            isinstance(key, EagerTensor | np.ndarray) and key.dtype == dtypes.bool
        ):
            return boolean_mask(x, key)
        else:
            rows = CURRENT_LOOP.rows
            if rows is not None and (longer := rows.holding(x, key)) is not None:
                return row_at(longer, key)
            spec, starts = parse(x._type.shape, key, known)
        part = _taken(x, key, spec, starts, short)
        if ACCOUNTS and (account := open_sizes()) is not None:
            account.note_unknown(part, _open_axes(x, key, account))
        return part
    except Exception as error:
        shorten(error)
        raise


def _open_axes(x: Any, key: Any, account: SizeAccount) -> list[int]:
    """Returns the axes of a part whose sizes are not known.

    They are those of slices that end at tensors, and of parts of what has an unknown size itself.
    """
    items = list(key) if isinstance(key, tuple | list) else [key]
    sizes = iter(zip(x._type.shape, account.other_sizes(x), strict=True))
    found, axis = [], 0
    for item in _expanded(items, len(x._type.shape)):
        own, other = (1, 1) if item is None else next(sizes)
        if type(item) is slice:
            bounds = (item.start, item.stop, item.step)
            if any(is_tensor(bound) or (bound is not None and own != other) for bound in bounds):
                found.append(axis)
        axis += item is None or type(item) is slice
    return found


def _taken(x: Any, key: Any, spec: Spec, starts: list[Any], short: Any) -> Any:
    """Takes the part that a spec stands for."""
    if not starts:
        return record1(_SLICE, x, (spec,))
    if short is not None or all(type(start) is int for start in starts):
        if _on_host(x):
            places = numpy_key(spec, starts)
            part = from_host(np.array(np.asarray(x._value)[places]))
            return noted(part, [x], lambda array: array[places]) if ACCOUNTS else part
        return record2(_SLICE_AT, x, _packed(starts), (spec,))
    if any(isinstance(entry, int) and entry > 0 for entry in spec):
        spec, starts = parse(x._type.shape, key, False)
    return take_slice_checked(x, _packed(starts), spec)


@function("_strided_slice_update")
def strided_slice_update(x: Any, key: Any, value: Any) -> Any:
    """Returns a tensor that equals `x` but for `x[key]`, which is `value`.

    Args:
        x: a tensor or variable.
        key: as for `getitem`, without masks.
        value: what is put there; it broadcasts to that shape.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        InvalidArgumentError: if an index is out of bounds, or `value` does not broadcast.
        ValueError: if `value` has another dtype.

    >>> from tapefacade._ops.array.indexing import strided_slice_update
    >>> strided_slice_update(tf.constant([1, 2, 3]), slice(1, None), 0).numpy()
    array([1, 0, 0], dtype=int32)
    """
    spec, starts = parse(x._type.shape, key, False)
    value = convert_to_tensor(value, x.dtype)
    return update_slice(x, value, _packed(starts or [0]), spec)
