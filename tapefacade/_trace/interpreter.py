"""A traced program, computed by NumPy: it runs at once, with nothing compiled as a whole.

XLA compiles a deep model for seconds. NumPy computes elementwise operations, products of matrices,
sums and moves of data without compiling anything, in about 5 us each and the time for the numbers.
What it lacks (sorting, scatters, error functions) is compiled by XLA, one operation at a time and
equal ones once. Convolutions are products of matrices here, which take more memory for a while. So
the first runs of a program are computed here until the whole is there.

Only arrays in the memory of the host are computed so. Numbers of 16 bits are computed in float32
and rounded after each operation.
"""

import concurrent.futures
import functools
import math
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.extend.core import ClosedJaxpr, Jaxpr, JaxprEqn, Literal

from tapefacade._trace.compilation_cache import CACHE

# Operations, as a measure of how long XLA compiles: about 2 ms for each on one core. Some of them
# take longer, and some nothing: they become part of others.
WEIGHTS = {
    "conv_general_dilated": 20.0, "shifted_products": 20.0, "sums_of_shifted_products": 60.0,
    "sort": 20.0, "top_k": 20.0, "reduce_window": 10.0,
    "reduce_window_max": 10.0, "reduce_window_sum": 10.0, "select_and_scatter_add": 10.0,
    "gather": 4.0, "scatter": 6.0, "scatter-add": 6.0, "dot_general": 3.0, "while": 20.0,
    "scan": 20.0, "reshape": 0.3, "squeeze": 0.3, "broadcast_in_dim": 0.3, "slice": 0.5,
    "copy": 0.0,
}  # fmt: skip
# Operations that a loop may have in all of its iterations to be computed here; those that one of
# computed length has beyond are XLA's. An operation counts as often as it has so many elements.
MAX_IN_LOOP = 20_000
ELEMENTS_OF_A_CALL = 2**14
# Elements in a window that NumPy takes the largest of, or adds up.
MAX_IN_WINDOW = 128
# Multiplications in a product of two matrices. For more of them NumPy's library uses threads, which
# wait actively for the next product: XLA, which compiles meanwhile, would take three times as long.
# So larger products are made of such parts, and still larger ones are compiled by XLA.
MAX_PRODUCT = 2**18
MAX_PARTS = 64
# Threads that compile single operations.
COMPILERS = max(2, min(8, os.cpu_count() or 2))
FLOATS = (np.dtype(np.float32), np.dtype(np.float64))
INTEGERS = tuple(map(np.dtype, "?bBhHiIlLqQ"))
# What is computed in float32 and rounded, as XLA does it on a CPU, and what that does not hold for:
# operations on bits, and those that round in between.
HALVES = (np.dtype(np.float16), np.dtype(jnp.bfloat16))
BY_BITS = frozenset({"bitcast_convert_type", "nextafter", "reduce_precision"})
IN_STEPS = frozenset({"scan", "while", "cond", "scatter-add"})

Function = Callable[..., Any]


class LongLoopError(Exception):
    """A loop goes on beyond what NumPy should compute, and nobody wants XLA to take over there."""


class _LongLoops(threading.local):
    """Whether long loops of this thread end in a `LongLoopError`."""

    refused = False


LONG_LOOPS = _LongLoops()


def weight_of(jaxpr: Jaxpr) -> float:
    """Estimates how long a program is compiled, in operations."""
    total = 0.0
    for equation in _needed(jaxpr):
        inner = [weight_of(_open(found)) for found in _inner(equation)]
        is_call = equation.primitive.name in CALLS
        total += sum(inner) + (0.0 if is_call else WEIGHTS.get(equation.primitive.name, 1.0))
    return total


def has_loops(jaxpr: Jaxpr) -> bool:
    """Whether a program has loops whose length is computed, which need not end for any numbers."""
    return any(
        equation.primitive.name == "while" or any(has_loops(_open(own)) for own in _inner(equation))
        for equation in jaxpr.eqns
    )


def _needed(jaxpr: Jaxpr) -> list[JaxprEqn]:
    """Returns what the results need: often not the forward part of a gradient."""
    needed = {id(atom) for atom in jaxpr.outvars}
    found = []
    for equation in reversed(jaxpr.eqns):
        if any(id(variable) in needed for variable in equation.outvars):
            needed.update(map(id, equation.invars))
            found.append(equation)
    return found[::-1]


def _inner(equation: JaxprEqn) -> list[Any]:
    """Returns the programs among the parameters of an equation."""
    found = []
    for value in equation.params.values():
        for one in value if isinstance(value, tuple | list) else (value,):
            if isinstance(one, Jaxpr | ClosedJaxpr):
                found.append(one)
    return found


def _open(jaxpr: Any) -> Jaxpr:
    return jaxpr.jaxpr if isinstance(jaxpr, ClosedJaxpr) else jaxpr


# What equations become: functions of NumPy arrays. A maker is given the equation and returns the
# function, or None where NumPy does something else than XLA.

Maker = Callable[[JaxprEqn], Function | None]


def _aval(atom: Any) -> Any:
    """Returns the type of a variable or a constant."""
    return atom.aval


def _type(equation: JaxprEqn) -> Any:
    """Returns the type of the first output."""
    return _aval(equation.outvars[0])


def _plain(function: Function, *kinds: str) -> Maker:
    """Makes a function with no parameters, for these kinds of numbers (all if none)."""
    return lambda e: function if not kinds or _aval(e.invars[0]).dtype.kind in kinds else None


def _with_dtype(function: Function, *kinds: str) -> Maker:
    """Makes a function whose result has to be given its dtype."""

    def make(equation: JaxprEqn) -> Function | None:
        if kinds and _aval(equation.invars[0]).dtype.kind not in kinds:
            return None
        dtype = _type(equation).dtype
        return lambda *a: np.asarray(function(*a)).astype(dtype, copy=False)

    return make


def _logistic(x: Any) -> Any:
    one = x.dtype.type(1)
    return one / (one + np.exp(-x))


def _integer_pow(equation: JaxprEqn) -> Function | None:
    power = equation.params["y"]
    if power == 2:
        return np.square
    if power == 3:
        return lambda x: x * x * x
    dtype = _type(equation).dtype
    if dtype.kind != "f" and power < 0:
        return None
    return lambda x: np.power(x, dtype.type(power))


def _pow(equation: JaxprEqn) -> Function | None:
    dtype = _type(equation).dtype
    if dtype.kind != "f":
        return None

    def run(x: Any, y: Any) -> Any:
        y = np.asarray(y).astype(dtype)
        found = np.power(x, y)
        if y.ndim == 0 and y == 0.5:  # for which NumPy takes the root, of -0 and -infinity as well
            found = np.where(np.isneginf(x), dtype.type(np.inf), found + dtype.type(0))
        return found

    return run


def _round(equation: JaxprEqn) -> Function | None:
    return np.rint if int(equation.params["rounding_method"]) == 1 else None


def _shifted(function: Function, fill: Function) -> Maker:
    """Makes a shift; one by as many bits as there are, or more, has a result of its own."""

    def make(equation: JaxprEqn) -> Function:
        dtype = _type(equation).dtype
        bits = dtype.itemsize * 8

        def run(x: Any, y: Any) -> Any:
            most = np.asarray(y).view(f"u{dtype.itemsize}")
            if np.all(most < bits):
                return function(x, y)
            return np.where(most < bits, function(x, y), fill(x))

        return run

    return make


def _logical_shift(x: Any, y: Any) -> Any:
    dtype = x.dtype
    unsigned = f"u{dtype.itemsize}"
    return np.right_shift(np.asarray(x).view(unsigned), np.asarray(y).view(unsigned)).view(dtype)


def _arithmetic_shift(x: Any, y: Any) -> Any:
    dtype = x.dtype
    signed = f"i{dtype.itemsize}"
    return np.right_shift(np.asarray(x).view(signed), np.asarray(y).view(signed)).view(dtype)


def _signs(x: Any) -> Any:
    """Returns all bits of a number set as its first one is."""
    return _arithmetic_shift(x, x.dtype.type(x.dtype.itemsize * 8 - 1))


def _converted(equation: JaxprEqn) -> Function | None:
    before, after = _aval(equation.invars[0]).dtype, np.dtype(equation.params["new_dtype"])
    if before == after:
        return _same
    if before.kind == "f" and after.kind in "iu":  # XLA's results out of range are its own
        low, high = float(np.iinfo(after).min), float(np.iinfo(after).max)
        xla = _by_xla(equation)

        def run(x: Any) -> Any:
            if np.all((x > low) & (x < high)):
                return np.asarray(x).astype(after)
            return xla(x)

        return run
    return lambda x: np.asarray(x).astype(after)


def _quotient(equation: JaxprEqn) -> Function | None:
    """Makes a division, of integers towards zero; by zero it has all bits set."""
    dtype = _type(equation).dtype
    if dtype.kind == "f":
        return np.true_divide
    one, none = dtype.type(1), np.array(-1).astype(dtype)

    def run(x: Any, y: Any) -> Any:
        is_zero = y == 0
        y = np.where(is_zero, one, y)
        return np.where(is_zero, none, (x - np.fmod(x, y)) // y)

    return run if dtype.kind in "iu" else None


def _bitcast(equation: JaxprEqn) -> Function | None:
    before, after = _aval(equation.invars[0]).dtype, np.dtype(equation.params["new_dtype"])
    if "b" in (before.kind, after.kind):
        return None
    if before.itemsize > after.itemsize:
        return lambda x: np.ascontiguousarray(np.expand_dims(x, -1)).view(after)
    if before.itemsize < after.itemsize:
        return lambda x: np.ascontiguousarray(x).view(after)[..., 0]
    return lambda x: np.asarray(x).view(after)


def _ordered_bits(x: Any) -> Any:
    """Returns integers in the order of all numbers: -NaN, -infinity, -0, 0, infinity, NaN."""
    if x.dtype.kind != "f":
        return x
    bits = np.asarray(x).view(f"i{x.dtype.itemsize}")
    return np.where(bits < 0, bits ^ np.iinfo(bits.dtype).max, bits)


def _in_total_order(function: Function) -> Maker:
    return lambda equation: lambda x, y: function(_ordered_bits(x), _ordered_bits(y))


def _largest_ones(equation: JaxprEqn) -> Function:
    axis, count = equation.params["axis"], equation.params["k"]
    places = _aval(equation.outvars[1]).dtype

    def run(x: Any) -> list[Any]:
        last = x.shape[axis] - 1
        # Of equal ones the first: sorted from the back.
        found = last - np.argsort(np.flip(_ordered_bits(x), axis), axis, kind="stable")
        first = np.take(np.flip(found, axis), np.arange(count), axis)
        return [np.take_along_axis(x, first, axis), first.astype(places)]

    return run


def _sorted(equation: JaxprEqn) -> Function | None:
    axis, count = equation.params["dimension"], equation.params["num_keys"]
    if any(_aval(v).dtype.kind not in "fiub" for v in equation.invars[:count]):
        return None

    def run(*arrays: Any) -> list[Any]:
        order = np.lexsort(arrays[count - 1 :: -1], axis)
        return [np.take_along_axis(x, order, axis) for x in arrays]

    return run


def _reduced(function: Function) -> Maker:
    def make(equation: JaxprEqn) -> Function | None:
        axes, dtype = tuple(equation.params["axes"]), _type(equation).dtype
        if _aval(equation.invars[0]).size == 0:
            return None
        if function in (np.sum, np.prod):
            return lambda x: function(x, axis=axes, dtype=dtype)
        return lambda x: function(x, axis=axes)

    return make


def _place_of(function: Function) -> Maker:
    def make(equation: JaxprEqn) -> Function | None:
        (axis,), dtype = equation.params["axes"], _type(equation).dtype
        return lambda x: np.asarray(function(x, axis=axis)).astype(dtype)

    return make


def _cumulated(function: Function) -> Maker:
    def make(equation: JaxprEqn) -> Function:
        axis, dtype = equation.params["axis"], _type(equation).dtype
        options = {"dtype": dtype} if function in (np.cumsum, np.cumprod) else {}
        if equation.params["reverse"]:
            return lambda x: np.flip(function(np.flip(x, axis), axis=axis, **options), axis)
        return lambda x: function(x, axis=axis, **options)

    return make


def _in_shape(equation: JaxprEqn) -> Function:
    shape, order = _type(equation).shape, equation.params.get("dimensions")
    if order is not None and equation.primitive.name == "reshape":
        return lambda x: np.transpose(x, order).reshape(shape)
    return lambda x: x.reshape(shape)


def _broadcast(equation: JaxprEqn) -> Function:
    shape, dimensions = _type(equation).shape, equation.params["broadcast_dimensions"]
    before = _aval(equation.invars[0]).shape
    inner = [1] * len(shape)
    for size, dimension in zip(before, dimensions, strict=True):
        inner[dimension] = size
    return lambda x: np.broadcast_to(np.reshape(x, inner), shape)


def _transposed(equation: JaxprEqn) -> Function:
    order = equation.params["permutation"]
    return lambda x: np.transpose(x, order)


def _reversed(equation: JaxprEqn) -> Function:
    axes = equation.params["dimensions"]
    return lambda x: np.flip(x, axes)


def _sliced(equation: JaxprEqn) -> Function:
    params = equation.params
    strides = params["strides"] or (1,) * len(params["start_indices"])
    slices = tuple(map(slice, params["start_indices"], params["limit_indices"], strides))
    return lambda x: x[slices]


def _joined(equation: JaxprEqn) -> Function:
    axis = equation.params["dimension"]
    return lambda *arrays: np.concatenate(arrays, axis)


def _stacked(equation: JaxprEqn) -> Function:
    axis = equation.params["axis"]
    return lambda *arrays: np.stack(arrays, axis)


def _unstacked(equation: JaxprEqn) -> Function:
    axis = equation.params["axis"]
    return lambda x: list(np.moveaxis(x, axis, 0))


def _split(equation: JaxprEqn) -> Function:
    places = np.cumsum([int(size) for size in equation.params["sizes"]])[:-1].tolist()
    axis = equation.params["axis"]
    return lambda x: np.split(x, places, axis)


def _padded(equation: JaxprEqn) -> Function | None:
    config, shape = equation.params["padding_config"], _type(equation).shape
    if any(low < 0 or high < 0 for low, high, _ in config):
        return None
    before = _aval(equation.invars[0]).shape
    inner = tuple(
        slice(low, low + size + max(size - 1, 0) * between, between + 1)
        for size, (low, _, between) in zip(before, config, strict=True)
    )

    def run(x: Any, value: Any) -> Any:
        found = np.full(shape, value, x.dtype)
        found[inner] = x
        return found

    return run


def _iota(equation: JaxprEqn) -> Function | None:
    if equation.invars:
        return None
    params = equation.params
    inner = [1] * len(params["shape"])
    dimension = params["dimension"]
    inner[dimension] = params["shape"][dimension]
    found = np.arange(inner[dimension], dtype=params["dtype"]).reshape(inner)
    found = np.broadcast_to(found, params["shape"])
    return lambda: found


def _selected(equation: JaxprEqn) -> Function | None:
    if len(equation.invars) != 3 or _aval(equation.invars[0]).dtype != np.bool_:
        return None
    return lambda which, no, yes: np.where(which, yes, no)


def _starts(shape: Sequence[int], sizes: Sequence[int], starts: Sequence[Any]) -> tuple[slice, ...]:
    """Returns where a dynamic slice lies, moved so that it lies within."""
    found = []
    for whole, size, start in zip(shape, sizes, starts, strict=True):
        first = min(max(int(start), 0), whole - size)
        found.append(slice(first, first + size))
    return tuple(found)


def _dynamic_slice(equation: JaxprEqn) -> Function:
    sizes = equation.params["slice_sizes"]
    return lambda x, *starts: x[_starts(x.shape, sizes, starts)]


def _dynamic_update(equation: JaxprEqn) -> Function:
    def run(x: Any, update: Any, *starts: Any) -> Any:
        found = np.array(x)
        found[_starts(x.shape, update.shape, starts)] = update
        return found

    return run


class _PlacesOfWindows:
    """Where a gather or a scatter takes its windows, as indices of NumPy's.

    The dimensions of what is taken are those of the indices, then those of a window.
    """

    def __init__(
        self, equation: JaxprEqn, sizes: Sequence[int], dropped: Sequence[int],
        starts: Sequence[int], batching: Sequence[int], of_indices: Sequence[int],
    ) -> None:  # fmt: skip
        """Takes note of a gather or a scatter.

        Args:
            equation: its first operands are the array and the indices.
            sizes: of a window, in the array's dimensions.
            dropped: the array's dimensions that what is taken does not have.
            starts: the array's dimensions that the indices are for.
            batching: the array's dimensions that go along with dimensions of the indices.
            of_indices: these dimensions of the indices.
        """
        self.shape, self.sizes = _aval(equation.invars[0]).shape, sizes
        self.rows = _aval(equation.invars[1]).shape[:-1]
        within = [d for d in range(len(sizes)) if d not in (*dropped, *batching)]
        self.whole = (*self.rows, *[sizes[d] for d in within])
        self.is_filled = equation.params["mode"] == lax.GatherScatterMode.FILL_OR_DROP
        self._starts = tuple(starts)
        self._most = np.array([self.shape[d] - sizes[d] for d in starts], np.int64)
        self._offsets: list[Any] = []
        for d in range(len(sizes)):
            if d in batching:
                axis, size = of_indices[tuple(batching).index(d)], self.shape[d]
            elif d in within and sizes[d] > 1:
                axis, size = len(self.rows) + within.index(d), sizes[d]
            else:
                self._offsets.append(None)
                continue
            shape = [size if axis == place else 1 for place in range(len(self.whole))]
            self._offsets.append(np.arange(size).reshape(shape))

    def of(self, indices: Any) -> tuple[tuple[Any, ...], Any]:
        """Returns the indices of all elements, and which windows lie within the array."""
        first = indices.astype(np.int64)
        inner = np.clip(first, 0, self._most)
        lies_within = np.all(first == inner, axis=-1)
        ones = (1,) * (len(self.whole) - len(self.rows))
        found: list[Any] = [0 if offset is None else offset for offset in self._offsets]
        for place, d in enumerate(self._starts):
            found[d] = found[d] + np.reshape(inner[..., place], (*self.rows, *ones))
        return tuple(found), np.reshape(lies_within, (*self.rows, *ones))


def _gathered(equation: JaxprEqn) -> Function | None:
    params, out = equation.params, _type(equation)
    numbers = params["dimension_numbers"]
    places = _PlacesOfWindows(
        equation, params["slice_sizes"], numbers.collapsed_slice_dims, numbers.start_index_map,
        numbers.operand_batching_dims, numbers.start_indices_batching_dims,
    )  # fmt: skip
    fill = params["fill_value"]
    if out.size == 0 or 0 in places.shape or not places.shape:
        return None
    if places.is_filled and fill is None:
        kinds = {"f": np.nan, "u": _largest(out.dtype), "i": _smallest(out.dtype), "b": True}
        fill = kinds[out.dtype.kind]
    rows = iter(range(len(places.rows)))
    windows = iter(range(len(places.rows), out.ndim))
    order = [next(windows if d in numbers.offset_dims else rows) for d in range(out.ndim)]

    def run(x: Any, indices: Any) -> Any:
        where, lies_within = places.of(indices)
        found = np.broadcast_to(x[where], places.whole)
        if places.is_filled and not lies_within.all():
            found = np.where(lies_within, found, out.dtype.type(fill))
        return np.transpose(found, order)

    return run


def _largest(dtype: Any) -> Any:
    return np.iinfo(dtype).max if dtype.kind in "iu" else None


def _smallest(dtype: Any) -> Any:
    return np.iinfo(dtype).min if dtype.kind in "iu" else None


def _added_at(equation: JaxprEqn) -> Function | None:
    """Makes a sum of windows into an array: the gradient of a gather."""
    numbers, updates = equation.params["dimension_numbers"], _aval(equation.invars[2])
    shape = _aval(equation.invars[0]).shape
    if updates.size == 0 or 0 in shape or not shape or _type(equation).dtype.kind == "b":
        return None
    dropped, batching = numbers.inserted_window_dims, numbers.operand_batching_dims
    windows = iter([updates.shape[d] for d in numbers.update_window_dims])
    sizes = [1 if d in (*dropped, *batching) else next(windows) for d in range(len(shape))]
    places = _PlacesOfWindows(
        equation, sizes, dropped, numbers.scatter_dims_to_operand_dims, batching,
        numbers.scatter_indices_batching_dims,
    )  # fmt: skip
    is_clamped = equation.params["mode"] == lax.GatherScatterMode.CLIP
    rows = [d for d in range(updates.ndim) if d not in numbers.update_window_dims]
    order = (*rows, *numbers.update_window_dims)

    def run(x: Any, indices: Any, updates: Any) -> Any:
        where, lies_within = places.of(indices)
        updates = np.transpose(updates, order)
        if not is_clamped and not lies_within.all():
            updates = np.where(lies_within, updates, updates.dtype.type(0))
        found = np.array(x)
        np.add.at(found, where, updates)
        return found

    return run


def _product(equation: JaxprEqn) -> Function | None:
    """Makes a product of matrices, in any order of the dimensions."""
    left, right = (_aval(v) for v in equation.invars)
    (left_sum, right_sum), (left_batch, right_batch) = equation.params["dimension_numbers"]
    out = _type(equation)
    if left.dtype not in FLOATS or {left.dtype, right.dtype, out.dtype} != {left.dtype}:
        return None
    left_free = [d for d in range(left.ndim) if d not in (*left_sum, *left_batch)]
    right_free = [d for d in range(right.ndim) if d not in (*right_sum, *right_batch)]
    batch = [left.shape[d] for d in left_batch]
    summed = math.prod(left.shape[d] for d in left_sum)
    left_order = (*left_batch, *left_free, *left_sum)
    right_order = (*right_batch, *right_sum, *right_free)
    left_shape = (*batch, math.prod(left.shape[d] for d in left_free), summed)
    right_shape = (*batch, summed, math.prod(right.shape[d] for d in right_free))

    product = _matrix_product(left_shape, right_shape, out.dtype)

    def run(x: Any, y: Any) -> Any:
        x = np.transpose(x, left_order).reshape(left_shape)
        return product(x, np.transpose(y, right_order).reshape(right_shape)).reshape(out.shape)

    return _with_product(run, product)


def _matrix_product(left: tuple[int, ...], right: tuple[int, ...], dtype: Any) -> Function:
    """Returns a product of matrices of these shapes."""
    parts = -(-left[-2] * math.prod(right[-2:]) // MAX_PRODUCT)
    if parts <= 1:
        return np.matmul
    if parts <= MAX_PARTS and len(left) == 2:
        along = max((left[0], 0), (left[1], 1), (right[1], 2))[1]
        return (_product_by_rows, _product_by_sums, _product_by_columns)[along](parts)
    types = tuple([(shape, dtype) for shape in (left, right)])
    return _alone(("matmul", types), jnp.matmul, types)


def _product_by_rows(parts: int) -> Function:
    def run(x: Any, y: Any) -> Any:
        step = -(-len(x) // parts)
        found = np.empty((len(x), y.shape[1]), x.dtype)
        for first in range(0, len(x), step):
            np.matmul(x[first : first + step], y, found[first : first + step])
        return found

    return run


def _product_by_columns(parts: int) -> Function:
    by_rows = _product_by_rows(parts)
    return lambda x, y: by_rows(y.T, x.T).T


def _product_by_sums(parts: int) -> Function:
    def run(x: Any, y: Any) -> Any:
        step = -(-len(y) // parts)
        found = np.matmul(x[:, :step], y[:step])
        for first in range(step, len(y), step):
            found += np.matmul(x[:, first : first + step], y[first : first + step])
        return found

    return run


def _with_product(run: Function, product: Function) -> Function:
    """Notes what XLA compiles for a function."""
    run.product = product  # type: ignore[attr-defined]
    return run


def _windows(x: Any, sizes: Sequence[int], strides: Sequence[int], dilation: Sequence[int]) -> Any:
    """Returns the windows over the dimensions after the first, as a view.

    Args:
        x: `[batch, *spatial, ...]`.
        sizes: of a window.
        strides: between windows.
        dilation: between the elements of a window.

    Returns:
        `[batch, *places, *sizes, ...]`.
    """
    count = len(sizes)
    spatial, steps = x.shape[1 : 1 + count], x.strides[1 : 1 + count]
    places = tuple(
        max(0, (whole - (size - 1) * between - 1) // stride + 1)
        for whole, size, stride, between in zip(spatial, sizes, strides, dilation, strict=True)
    )
    shape = (x.shape[0], *places, *sizes, *x.shape[1 + count :])
    moves = tuple(s * n for s, n in zip(strides, steps, strict=True))
    within = tuple(d * n for d, n in zip(dilation, steps, strict=True))
    step = (x.strides[0], *moves, *within, *x.strides[1 + count :])
    return np.lib.stride_tricks.as_strided(x, shape, step, writeable=False)


def _widened(x: Any, padding: Sequence[tuple[int, int]], between: Sequence[int], value: Any) -> Any:
    """Returns an array with elements around, and between, those of all dimensions but the first."""
    count = len(padding)
    spatial = x.shape[1 : 1 + count]
    if all(pair == (0, 0) for pair in padding) and all(n == 1 for n in between):
        return x
    wide = [max(0, (n - 1) * d + 1) for n, d in zip(spatial, between, strict=True)]
    whole = [n + low + high for n, (low, high) in zip(wide, padding, strict=True)]
    found = np.full((x.shape[0], *whole, *x.shape[1 + count :]), value, x.dtype)
    taken, given = [], []
    for n, size, (low, _), d in zip(spatial, whole, padding, between, strict=True):
        # The elements that padding below zero leaves.
        first = max(0, -(low // d) if low < 0 else 0)
        last = min(n, (size - low - 1) // d + 1)
        given.append(slice(first, max(first, last)))
        start = low + first * d
        taken.append(slice(start, start + max(0, last - first) * d, d))
    everything = slice(None)
    found[(everything, *taken)] = x[(everything, *given)]
    return found


def _convolved(equation: JaxprEqn) -> Function | None:
    """Makes a convolution: a product of the windows, as rows of a matrix, and the kernel."""
    params = equation.params
    numbers, out = params["dimension_numbers"], _type(equation)
    types = {out.dtype, *(_aval(v).dtype for v in equation.invars)}
    if len(types) != 1 or out.dtype not in FLOATS or out.size == 0:
        return None
    batch, features, *spatial = numbers.lhs_spec
    outputs, inputs, *kernel = numbers.rhs_spec
    left_order = (batch, *spatial, features)
    right_order = (*kernel, inputs, outputs)
    count = len(spatial)
    back = np.argsort((numbers.out_spec[0], *numbers.out_spec[2:], numbers.out_spec[1]))
    by_batch, groups = params["batch_group_count"], params["feature_group_count"]
    ones = (1,) * count
    strides, padding = params["window_strides"], tuple(params["padding"])
    between, dilation = params["lhs_dilation"] or ones, params["rhs_dilation"] or ones
    together = max(by_batch, groups)
    sizes = _aval(equation.invars[1]).shape
    across = sizes[outputs] // together
    rows_and_window = out.size // sizes[outputs], math.prod(sizes) // sizes[outputs]
    product = (
        _matrix_product(rows_and_window, (rows_and_window[1], across), out.dtype)
        if together == 1
        else np.matmul
    )

    def run(x: Any, y: Any) -> Any:
        x, y = np.transpose(x, left_order), np.transpose(y, right_order)
        if by_batch > 1:  # groups of the batch become groups of features
            x = x.reshape(by_batch, x.shape[0] // by_batch, *x.shape[1:])
            x = np.moveaxis(x, 0, -2).reshape(*x.shape[1:-1], -1)
        windows = _windows(_widened(x, padding, between, 0), y.shape[:count], strides, dilation)
        rows = windows.shape[: 1 + count]
        if together == 1:
            found = product(windows.reshape(math.prod(rows), -1), y.reshape(-1, y.shape[-1]))
        else:
            # [rows, places in the window, groups, inputs] -> [groups, rows, ...]
            parts = windows.reshape(math.prod(rows), -1, together, x.shape[-1] // together)
            parts = np.moveaxis(parts, 2, 0)
            parts = parts.reshape(together, math.prod(rows), -1)
            kernels = y.reshape(-1, y.shape[-2], together, y.shape[-1] // together)
            kernels = np.moveaxis(kernels, 2, 0).reshape(together, -1, kernels.shape[-1])
            found = np.moveaxis(np.matmul(parts, kernels), 0, 1)
        return np.transpose(found.reshape(*rows, y.shape[-1]), back)

    return _with_product(run, product)


def _shifts(places: Any, x: Any) -> Iterator[tuple[tuple[int, ...], Any]]:
    """Gives each pixel of depthwise filters with what it is multiplied by."""
    wide = _widened(x, places.pads, places.gaps, 0)
    windows = _windows(wide, places.window, places.steps, places.rates)
    first = 1 + len(places.window)
    for pixel in np.ndindex(places.window):
        yield pixel, windows[(*[slice(None)] * first, *pixel)]


def _shifted_products(equation: JaxprEqn) -> Function:
    """Makes a depthwise convolution."""
    places = equation.params["how"]

    def run(x: Any, filters: Any) -> Any:
        return sum(part * filters[pixel] for pixel, part in _shifts(places, x))

    return run


def _sums_of_pixels(equation: JaxprEqn) -> Function:
    """Makes sums of some pixels along an axis."""
    taps = equation.params["how"]
    places, weights = taps.arrays()
    axis, dtype, ndim = taps.axis, _type(equation).dtype, len(_type(equation).shape)
    shape = [1] * ndim
    shape[axis] = taps.new

    reaches_out = places.max(initial=0) >= taps.old  # to what is zero

    def run(x: Any) -> Any:
        if reaches_out:
            zero = np.zeros((*x.shape[:axis], 1, *x.shape[axis + 1 :]), dtype)
            x = np.concatenate([x, zero], axis)
        parts = [x.take(place, axis) for place in places]
        if weights is not None:
            scales = [weight.reshape(shape).astype(dtype) for weight in weights]
            parts = [part * scale for part, scale in zip(parts, scales, strict=True)]
        return sum(parts[1:], parts[0])

    return run


def _sums_of_shifted_products(equation: JaxprEqn) -> Function:
    """Makes the gradient of the filters of a depthwise convolution."""
    places, shape = equation.params["how"], _type(equation).shape

    def run(x: Any, cotangent: Any) -> Any:
        axes = tuple(range(x.ndim - 1))
        return np.stack([(p * cotangent).sum(axes) for _, p in _shifts(places, x)]).reshape(shape)

    return run


_LOWEST = {"reduce_window_max": -np.inf, "reduce_window_min": np.inf, "reduce_window_sum": 0}


def _pooled(function: Function) -> Maker:
    def make(equation: JaxprEqn) -> Function | None:
        params, dtype = equation.params, _type(equation).dtype
        sizes, strides = params["window_dimensions"], params["window_strides"]
        if dtype.kind != "f" or math.prod(sizes) > MAX_IN_WINDOW:
            return None
        between, dilation = params["base_dilation"], params["window_dilation"]
        padding, fill = tuple(params["padding"]), _LOWEST[equation.primitive.name]
        axes = tuple(range(1 + len(sizes), 1 + 2 * len(sizes)))

        def run(x: Any) -> Any:
            x = _widened(x[None], padding, between, fill)
            return function(_windows(x, sizes, strides, dilation), axis=axes)[0]

        return run

    return make


def _scattered_to_largest(equation: JaxprEqn) -> Function | None:
    """Makes the gradient of a maximum over windows: it goes to the first of the largest."""
    params, dtype = equation.params, _type(equation).dtype
    sizes, strides = params["window_dimensions"], params["window_strides"]
    padding = tuple(params["padding"])
    if params["select_prim"].name != "ge" or dtype.kind != "f" or math.prod(sizes) > MAX_IN_WINDOW:
        return None
    ones = (1,) * len(sizes)

    def run(source: Any, x: Any) -> Any:
        wide = _widened(x[None], padding, ones, -np.inf)
        windows = _windows(wide, sizes, strides, ones)[0]
        flat = windows.reshape(*windows.shape[: len(sizes)], -1)
        chosen = np.unravel_index(np.argmax(flat, axis=-1), sizes)
        places = [
            within
            + (np.arange(n) * stride).reshape([-1 if a == axis else 1 for a in range(x.ndim)])
            for axis, (within, n, stride) in enumerate(
                zip(chosen, source.shape, strides, strict=True)
            )
        ]
        index = np.ravel_multi_index(places, wide.shape[1:])
        size = math.prod(wide.shape[1:])
        found = np.bincount(index.ravel(), source.ravel(), size).astype(dtype)
        found = found.reshape(wide.shape[1:])
        return found[
            tuple(slice(low, low + n) for n, (low, _) in zip(x.shape, padding, strict=True))
        ]

    return run


def _clamped(low: Any, x: Any, high: Any) -> Any:
    return np.minimum(np.maximum(x, low), high)


def _same(x: Any) -> Any:
    return x


def _remainder(equation: JaxprEqn) -> Function | None:
    if _type(equation).dtype.kind == "f":
        return np.fmod
    return lambda x, y: np.where(y == 0, x, np.fmod(x, np.where(y == 0, y.dtype.type(1), y)))


MAKERS: dict[str, Maker] = {
    "add": _plain(np.add), "add_any": _plain(np.add), "sub": _plain(np.subtract),
    "mul": _plain(np.multiply), "div": _quotient, "rem": _remainder,
    "max": _plain(np.maximum), "min": _plain(np.minimum), "pow": _pow, "neg": _plain(np.negative),
    "sign": _plain(np.sign, "f", "i"), "floor": _plain(np.floor), "ceil": _plain(np.ceil),
    "round": _round, "abs": _plain(np.absolute, "f", "i"), "exp": _plain(np.exp),
    "exp2": _plain(np.exp2), "expm1": _plain(np.expm1), "log": _plain(np.log),
    "log1p": _plain(np.log1p), "sin": _plain(np.sin), "cos": _plain(np.cos),
    "tan": _plain(np.tan), "asin": _plain(np.arcsin), "acos": _plain(np.arccos),
    "atan": _plain(np.arctan), "sinh": _plain(np.sinh), "cosh": _plain(np.cosh),
    "asinh": _plain(np.arcsinh), "acosh": _plain(np.arccosh), "atanh": _plain(np.arctanh),
    "tanh": _plain(np.tanh), "atan2": _plain(np.arctan2), "sqrt": _plain(np.sqrt),
    "cbrt": _plain(np.cbrt), "rsqrt": _plain(lambda x: x.dtype.type(1) / np.sqrt(x)),
    "square": _plain(np.square), "integer_pow": _integer_pow, "logistic": _plain(_logistic),
    "is_finite": _plain(np.isfinite), "not": _plain(np.invert), "and": _plain(np.bitwise_and),
    "or": _plain(np.bitwise_or), "xor": _plain(np.bitwise_xor), "eq": _plain(np.equal),
    "ne": _plain(np.not_equal), "lt": _plain(np.less), "le": _plain(np.less_equal),
    "gt": _plain(np.greater), "ge": _plain(np.greater_equal),
    "shift_left": _shifted(np.left_shift, np.zeros_like),
    "shift_right_logical": _shifted(_logical_shift, np.zeros_like),
    "shift_right_arithmetic": _shifted(_arithmetic_shift, _signs),
    "le_to": _in_total_order(np.less_equal), "lt_to": _in_total_order(np.less),
    "top_k": _largest_ones, "sort": _sorted,
    "convert_element_type": _converted, "bitcast_convert_type": _bitcast,
    "reduce_sum": _reduced(np.sum), "reduce_prod": _reduced(np.prod),
    "reduce_max": _reduced(np.max), "reduce_min": _reduced(np.min),
    "reduce_and": _reduced(np.bitwise_and.reduce), "reduce_or": _reduced(np.bitwise_or.reduce),
    "argmax": _place_of(np.argmax), "argmin": _place_of(np.argmin),
    "cumsum": _cumulated(np.cumsum), "cumprod": _cumulated(np.cumprod),
    "cummax": _cumulated(np.maximum.accumulate), "cummin": _cumulated(np.minimum.accumulate),
    "reshape": _in_shape, "squeeze": _in_shape, "expand_dims": _in_shape,
    "broadcast_in_dim": _broadcast, "transpose": _transposed, "rev": _reversed, "slice": _sliced,
    "concatenate": _joined, "stack": _stacked, "unstack": _unstacked, "split": _split,
    "pad": _padded, "iota": _iota, "select_n": _selected, "dynamic_slice": _dynamic_slice,
    "dynamic_update_slice": _dynamic_update, "gather": _gathered, "scatter-add": _added_at,
    "dot_general": _product,
    "clamp": _with_dtype(_clamped), "copy": _plain(_same), "copy_p": _plain(_same),
    "stop_gradient": _plain(_same), "conv_general_dilated": _convolved,
    "shifted_products": _shifted_products,
    "sums_of_shifted_products": _sums_of_shifted_products,
    "sums_of_pixels": _sums_of_pixels,
    "reduce_window_max": _pooled(np.max), "reduce_window_min": _pooled(np.min),
    "reduce_window_sum": _pooled(np.sum), "select_and_scatter_add": _scattered_to_largest,
}  # fmt: skip
# Calls, and where the program is that they call: it is computed in their place.
CALLS = {
    "jit": "jaxpr", "pjit": "jaxpr", "closed_call": "call_jaxpr", "core_call": "call_jaxpr",
    "custom_jvp_call": "call_jaxpr", "custom_vjp_call": "call_jaxpr", "checkpoint": "jaxpr",
    "remat2": "jaxpr", "remat": "jaxpr", "custom_lin": "",
}  # fmt: skip
# What has to be compiled as a whole: it is about several devices, or calls Python.
EXCLUDED_PRIMITIVES = frozenset({
    "shard_map", "psum", "all_gather", "all_to_all", "ppermute", "axis_index", "mesh_cast",
    "sharding_constraint", "pure_callback", "io_callback", "debug_callback", "infeed", "outfeed",
    "device_put", "custom_partitioning", "ffi_call", "pallas_call", "custom_lin",
})  # fmt: skip


def is_interpretable(closed: ClosedJaxpr) -> bool:
    """Whether a program can be computed here: on one device, and without effects."""
    ends = (*closed.jaxpr.invars, *closed.jaxpr.outvars)
    if closed.effects or not all(isinstance(_aval(v).dtype, np.dtype) for v in ends):
        return False
    return _is_plain(closed.jaxpr)


def _is_plain(jaxpr: Jaxpr) -> bool:
    return all(
        equation.primitive.name not in EXCLUDED_PRIMITIVES
        and all(_is_plain(_open(inner)) for inner in _inner(equation))
        for equation in jaxpr.eqns
    )


# What NumPy does in the same way for all sizes, where no parameter holds one.
WITHOUT_SIZES = frozenset({
    "abs", "acos", "acosh", "add", "add_any", "and", "asin", "asinh", "atan", "atan2", "atanh",
    "cbrt", "ceil", "concatenate", "copy", "copy_p", "cos", "cosh", "div", "eq", "exp", "exp2",
    "expm1", "floor", "ge", "gt", "integer_pow", "is_finite", "le", "log", "log1p", "logistic",
    "lt", "max", "min", "mul", "ne", "neg", "not", "or", "pow", "reduce_and", "reduce_max",
    "reduce_min", "reduce_or", "reduce_prod", "reduce_sum", "rev", "rsqrt", "select_n", "sign",
    "sin", "sinh", "sqrt", "square", "stop_gradient", "sub", "tan", "tanh", "transpose", "xor",
})  # fmt: skip


def is_without_sizes(jaxpr: Jaxpr) -> bool:
    """Whether a program is computed in the same way for all sizes of its inputs."""
    return all(_is_without_sizes(equation) for equation in jaxpr.eqns)


def _is_without_sizes(equation: JaxprEqn) -> bool:
    name = equation.primitive.name
    if name in CALLS:
        return all(is_without_sizes(_open(inner)) for inner in _inner(equation))
    if name == "convert_element_type":  # what NumPy does not convert, XLA does for these sizes
        after = np.dtype(equation.params["new_dtype"])
        return after.kind == "f" or _aval(equation.invars[0]).dtype.kind in "biu"
    return name in WITHOUT_SIZES


# Operations that XLA compiles alone, by what they compute; the oldest goes.
MAX_ALONE = 2048
_COMPILED_ALONE: dict[Any, Any] = {}
_LOCK = threading.RLock()


class _CompiledOperation:
    """An operation that XLA compiles alone."""

    def __init__(self, call: Function, types: Iterable[tuple[Any, Any]]) -> None:
        self.call = jax.jit(call)
        self.types = [jax.ShapeDtypeStruct(*type_) for type_ in types]
        self.is_compiled = False

    def compile(self) -> None:
        with jax.enable_x64(True):
            self.call.lower(*self.types).compile()
        self.is_compiled = True

    def __call__(self, *arrays: Any) -> Any:
        found = self.call(*arrays)
        return [_of_numpy(a) for a in found] if type(found) is list else _of_numpy(found)


def _of_numpy(value: Any) -> Any:
    """Returns an array as NumPy's; random keys, which are none, as they are."""
    return np.asarray(value) if isinstance(value.dtype, np.dtype) else value


def _bound(primitive: Any, params: dict[str, Any], *arrays: Any) -> Any:
    found = primitive.bind(*arrays, **params)
    return list(found) if primitive.multiple_results else found


def _by_xla(equation: JaxprEqn) -> _CompiledOperation:
    """Returns an operation that XLA compiles alone; equal ones are the same."""
    types = tuple([(_aval(v).shape, _aval(v).dtype) for v in equation.invars])
    key = (equation.primitive, tuple(sorted(equation.params.items(), key=_first)), types)
    return _alone(key, functools.partial(_bound, equation.primitive, equation.params), types)


def _alone(key: Any, call: Function, types: Any) -> _CompiledOperation:
    try:
        with _LOCK:
            found = _COMPILED_ALONE.get(key)
            if found is None:
                if len(_COMPILED_ALONE) >= MAX_ALONE:
                    _COMPILED_ALONE.pop(next(iter(_COMPILED_ALONE)))
                found = _COMPILED_ALONE[key] = _CompiledOperation(call, types)
            return found
    except TypeError:  # a parameter that cannot be hashed
        return _CompiledOperation(call, types)


def _first(pair: tuple[str, Any]) -> str:
    return pair[0]


class _RenamedParameters:
    """What is done where JAX names the parameters of an operation otherwise than we know.

    They are no part of its public interface, so a version to come may. XLA then compiles the
    operation alone; tests have an error, so that it is noticed.
    """

    are_errors = False


RENAMED_PARAMETERS = _RenamedParameters()


class Interpreter:
    """A program as a list of calls of NumPy's functions."""

    max_in_loop: float = MAX_IN_LOOP

    def __init__(self, closed: ClosedJaxpr) -> None:
        self._code: list[tuple[Function, tuple[int, ...], tuple[int, ...], bool]] = []
        self._start: list[Any] = []  # constants in their places, None elsewhere
        self.alone: dict[int, _CompiledOperation] = {}  # what XLA has to compile for it
        places: dict[Any, int] = {}
        for variable, value in zip(closed.jaxpr.constvars, closed.consts, strict=True):
            places[variable] = self._constant(_of_numpy(value))
        self._inputs = [self._place(places, v) for v in closed.jaxpr.invars]
        self._add(closed.jaxpr, places)
        self._outputs = [self._of(places, v) for v in closed.jaxpr.outvars]
        self._gone = self._last_uses()

    def _constant(self, value: Any) -> int:
        self._start.append(value)
        return len(self._start) - 1

    def _place(self, places: dict[Any, int], variable: Any) -> int:
        places[variable] = found = self._constant(None)
        return found

    def _of(self, places: dict[Any, int], atom: Any) -> int:
        if isinstance(atom, Literal):
            return self._constant(np.asarray(atom.val, _aval(atom).dtype))
        return places[atom]

    def _add(self, jaxpr: Jaxpr, places: dict[Any, int]) -> None:
        for equation in _needed(jaxpr):
            inputs = [self._of(places, atom) for atom in equation.invars]
            called = CALLS.get(equation.primitive.name)
            if called in equation.params or (called and RENAMED_PARAMETERS.are_errors):
                self._inline(equation, inputs, places)
                continue
            function = self._function(equation)
            outputs = tuple([self._place(places, v) for v in equation.outvars])
            several = equation.primitive.multiple_results
            self._code.append((function, tuple(inputs), outputs, several))

    def _inline(self, equation: JaxprEqn, inputs: list[int], places: dict[Any, int]) -> None:
        called = equation.params[CALLS[equation.primitive.name]]
        jaxpr = _open(called)
        inner = dict(zip(jaxpr.invars, inputs, strict=True))
        consts = called.consts if isinstance(called, ClosedJaxpr) else ()
        for variable, value in zip(jaxpr.constvars, consts, strict=True):
            inner[variable] = self._constant(_of_numpy(value))
        self._add(jaxpr, inner)
        for variable, atom in zip(equation.outvars, jaxpr.outvars, strict=True):
            places[variable] = self._of(inner, atom)

    def _function(self, equation: JaxprEqn) -> Function:
        made = None
        avals = [_aval(v) for v in (*equation.invars, *equation.outvars)]
        if all(map(_is_numpys, avals)):
            try:
                has_halves = any(aval.dtype in HALVES for aval in avals)
                if not has_halves or equation.primitive.name in IN_STEPS:
                    made = self._by_numpy(equation)
                elif equation.primitive.name not in BY_BITS:
                    made = _in_float32(self._by_numpy, equation)
            except (KeyError, AttributeError):
                if RENAMED_PARAMETERS.are_errors:
                    raise
        if made is None:
            made = _by_xla(equation)
        for one in (made, getattr(made, "product", None)):
            if isinstance(one, _CompiledOperation):
                self.alone[id(one)] = one
        return made

    def _by_numpy(self, equation: JaxprEqn) -> Function | None:
        name = equation.primitive.name
        if name == "scan":
            return self._scan(equation)
        if name == "while":
            return self._while(equation)
        if name == "cond":
            return self._cond(equation)
        if name == "optimization_barrier":
            return _listed
        maker = MAKERS.get(name)
        return maker(equation) if maker is not None else None

    def _new(self, closed: ClosedJaxpr) -> "Interpreter":
        """Returns what computes a program within this one."""
        return Interpreter(closed)

    def _inner(self, jaxpr: Any) -> "Interpreter":
        found = self._new(jaxpr if isinstance(jaxpr, ClosedJaxpr) else ClosedJaxpr(jaxpr, ()))
        self.alone.update(found.alone)
        return found

    def _cond(self, equation: JaxprEqn) -> Function:
        branches = [self._inner(branch) for branch in equation.params["branches"]]

        def run(index: Any, *operands: Any) -> Any:
            return branches[min(max(int(index), 0), len(branches) - 1)].run(operands)

        return run

    def _scan(self, equation: JaxprEqn) -> Function | None:
        params = equation.params
        length, (fixed, carried) = params["length"], scan_counts(params)
        if length * weight_of(_open(params["jaxpr"])) > self.max_in_loop or length == 0:
            return None
        body = self._inner(params["jaxpr"])
        order = range(length - 1, -1, -1) if params["reverse"] else range(length)
        types = [_aval(v) for v in equation.outvars[carried:]]

        def run(*arrays: Any) -> list[Any]:
            consts, carry = arrays[:fixed], list(arrays[fixed : fixed + carried])
            rows = arrays[fixed + carried :]
            stacked = [np.empty(t.shape, t.dtype) for t in types]
            for k in order:
                found = body.run([*consts, *carry, *[row[k] for row in rows]])
                carry = found[:carried]
                for whole, one in zip(stacked, found[carried:], strict=True):
                    whole[k] = one
            return [*carry, *stacked]

        return run

    def _while(self, equation: JaxprEqn) -> Function:
        params = equation.params
        body, test = self._inner(params["body_jaxpr"]), self._test(params["cond_jaxpr"])
        of_test = params["cond_nconsts"]
        first = of_test + params["body_nconsts"]  # of what is carried
        largest = max((math.prod(_aval(v).shape) for v in equation.outvars), default=0)
        work = weight_of(_open(params["body_jaxpr"])) * max(1.0, largest / ELEMENTS_OF_A_CALL)
        most = self.max_in_loop / max(1.0, work)
        by_xla = _by_xla(equation)  # compiled only where it is called

        def run(*arrays: Any) -> list[Any]:
            carry, count = list(arrays[first:]), 0
            while np.any(goes_on := test.run([*arrays[:of_test], *carry])[0]):
                if count >= most:  # XLA goes on from here
                    if LONG_LOOPS.refused:
                        raise LongLoopError
                    return by_xla(*arrays[:first], *carry)
                found = body.run([*arrays[of_test:first], *carry])
                carry = found if np.ndim(goes_on) == 0 else _chosen(goes_on, found, carry)
                count += 1
            return carry

        return run

    def _test(self, jaxpr: Any) -> "Interpreter":
        """Returns what computes whether a loop goes on."""
        return self._inner(jaxpr)

    def _last_uses(self) -> list[tuple[int, ...]]:
        """Returns for each call the places of values that nobody needs after it."""
        kept = {*self._outputs, *[i for i, v in enumerate(self._start) if v is not None]}
        gone = []
        for _, inputs, outputs, _ in reversed(self._code):
            last = {place for place in (*inputs, *outputs) if place not in kept}
            kept |= last
            gone.append(tuple(last))
        return gone[::-1]

    def run(self, arguments: Sequence[Any]) -> list[Any]:
        """Computes the outputs from NumPy arrays."""
        values = self._start.copy()
        for place, value in zip(self._inputs, arguments, strict=True):
            values[place] = value
        for (function, inputs, outputs, several), gone in zip(self._code, self._gone, strict=True):
            found = function(*[values[place] for place in inputs])
            if several:
                for place, value in zip(outputs, found, strict=True):
                    values[place] = value
            else:
                values[outputs[0]] = found
            for place in gone:
                values[place] = None
        return [values[place] for place in self._outputs]


def scan_counts(params: dict[str, Any]) -> tuple[int, int]:
    """Returns how many operands of a scan are constants, and how many are carried."""
    if "num_consts" in params:
        return params["num_consts"], params["num_carry"]
    constants, carried, _ = params["ft_in"].unpack()  # JAX 0.12 and newer
    return len(constants), len(carried)


def prepare_all(interpreters: Iterable[Interpreter]) -> None:
    """Compiles what XLA has to compute for programs, in several threads."""
    found = {k: one for each in interpreters for k, one in each.alone.items()}
    missing = [one for one in found.values() if not one.is_compiled]
    with CACHE.used():
        if len(missing) < 4:
            for one in missing:
                one.compile()
            return
        with concurrent.futures.ThreadPoolExecutor(COMPILERS) as pool:
            list(pool.map(_CompiledOperation.compile, missing))


def _chosen(goes_on: Any, found: Sequence[Any], before: Sequence[Any]) -> list[Any]:
    """Returns what loops side by side carry on: those that have ended keep what they had."""
    shapes = [goes_on.shape + (1,) * (np.ndim(value) - goes_on.ndim) for value in found]
    pairs = zip(shapes, found, before, strict=True)
    return [np.where(goes_on.reshape(shape), new, old) for shape, new, old in pairs]


def _listed(*arrays: Any) -> list[Any]:
    return list(arrays)


def _is_numpys(aval: Any) -> bool:
    """Whether NumPy computes with such values as XLA does."""
    dtype = getattr(aval, "dtype", None)
    return isinstance(dtype, np.dtype) and any(dtype in d for d in (FLOATS, INTEGERS, HALVES))


class _WideAtom(NamedTuple):
    """Stands for a variable or a constant, in float32 if it is of fewer bits."""

    aval: jax.ShapeDtypeStruct


class _WideEquation(NamedTuple):
    """Stands for an equation, in float32 instead of fewer bits."""

    primitive: Any
    params: dict[str, Any]
    invars: list[_WideAtom]
    outvars: list[_WideAtom]


def _wide_type(dtype: Any) -> Any:
    return np.dtype(np.float32) if dtype in HALVES else dtype


def _in_float32(make: Maker, equation: JaxprEqn) -> Function | None:
    """Makes a function of halves of that which computes in float32."""

    def wide(atoms: Sequence[Any]) -> list[_WideAtom]:
        avals = list(map(_aval, atoms))
        return [_WideAtom(jax.ShapeDtypeStruct(a.shape, _wide_type(a.dtype))) for a in avals]

    types = {k: equation.params.get(k) for k in ("new_dtype", "preferred_element_type")}
    types = {k: _wide_type(np.dtype(v)) for k, v in types.items() if v is not None}
    params = {**equation.params, **types}
    stand_in: Any = _WideEquation(
        equation.primitive, params, wide(equation.invars), wide(equation.outvars)
    )
    function = make(stand_in)
    if function is None or isinstance(function, _CompiledOperation):
        return None  # XLA has the whole
    narrow = [_aval(v).dtype for v in equation.outvars]
    several = equation.primitive.multiple_results

    def run(*arrays: Any) -> Any:
        found = function(*[a.astype(np.float32) if a.dtype in HALVES else a for a in arrays])
        if several:
            return [np.asarray(a).astype(d, copy=False) for a, d in zip(found, narrow, strict=True)]
        return np.asarray(found).astype(narrow[0], copy=False)

    product = getattr(function, "product", None)
    return run if product is None else _with_product(run, product)
