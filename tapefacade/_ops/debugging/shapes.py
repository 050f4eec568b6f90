"""Assertions about shapes and dtypes, which are always known: they raise at once."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert_to_tensor, is_tensor
from tapefacade._core.dispatch import CompositeTensor
from tapefacade._core.tensor import EagerTensor
from tapefacade._definition.op import function


def _prefix(message: str | None) -> str:
    return f"{message}.  " if message else ""


def _checked_rank(rank: Any) -> int:
    found = convert_to_tensor(rank) if not isinstance(rank, str) else None
    if found is None or found.dtype is not dtypes.int32:
        given = dtypes.string if found is None else found.dtype
        raise TypeError(f"tensor must be of type tf.int32; got {given!r}")
    if found.shape.rank:
        raise ValueError("Rank must be a scalar.")
    return int(found.numpy())


def _refuse(x: Any, wanted: str, message: str | None) -> ValueError:
    return ValueError(
        f"{_prefix(message)}Tensor  must have rank {wanted}.  Received rank {len(x.shape)}, "
        f"shape {x.shape}"
    )


@function("debugging.assert_rank", "assert_rank")
def assert_rank(x: Any, rank: Any, message: str | None = None, name: None = None) -> None:
    """Asserts how many dimensions a tensor has.

    Args:
        x: a tensor.
        rank: the number of dimensions, an integer.
        message: what the error begins with.
        name: ignored.

    Raises:
        ValueError: if `x` has another rank.

    >>> tf.debugging.assert_rank([1, 2], 1)
    """
    x = convert_to_tensor(x)
    wanted = _checked_rank(rank)
    if len(x.shape) != wanted:
        raise _refuse(x, str(wanted), message)


@function("debugging.assert_rank_at_least")
def assert_rank_at_least(x: Any, rank: Any, message: str | None = None, name: None = None) -> None:
    """Asserts that a tensor has at least so many dimensions.

    Args:
        x: a tensor.
        rank: the number of dimensions, an integer.
        message: what the error begins with.
        name: ignored.

    Raises:
        ValueError: if `x` has fewer.

    >>> tf.debugging.assert_rank_at_least([1, 2], 1)
    """
    x = convert_to_tensor(x)
    wanted = _checked_rank(rank)
    if len(x.shape) < wanted:
        raise _refuse(x, f"at least {wanted}", message)


@function("debugging.assert_rank_in")
def assert_rank_in(
    x: Any, ranks: Iterable[Any], message: str | None = None, name: None = None
) -> None:
    """Asserts that the number of dimensions of a tensor is one of several.

    Args:
        x: a tensor.
        ranks: the numbers of dimensions.
        message: what the error begins with.
        name: ignored.

    Raises:
        ValueError: if `x` has another rank.

    >>> tf.debugging.assert_rank_in([1, 2], [1, 2])
    """
    x = convert_to_tensor(x)
    wanted = tuple(_checked_rank(rank) for rank in ranks)
    if len(x.shape) not in wanted:
        raise _refuse(x, f"in {wanted}", message)


@function("debugging.assert_type")
def assert_type(tensor: Any, tf_type: Any, message: str | None = None, name: None = None) -> None:
    """Asserts the dtype of a tensor.

    Args:
        tensor: a tensor.
        tf_type: the dtype.
        message: what the error begins with.
        name: ignored.

    Raises:
        TypeError: if it has another dtype.

    >>> tf.debugging.assert_type(1.0, tf.float32)
    """
    wanted = dtypes.as_dtype(tf_type)
    is_typed = isinstance(tensor, CompositeTensor) and tensor._is_tensor
    checked: Any = tensor if is_typed else convert_to_tensor(tensor)
    if checked.dtype is not wanted:
        raise TypeError(
            f"{_prefix(message)}tensor must be of type {wanted!r}; got {checked.dtype!r}"
        )


@function("debugging.assert_integer")
def assert_integer(x: Any, message: str | None = None, name: None = None) -> None:
    """Asserts that a tensor holds integers.

    Args:
        x: a tensor.
        message: what the error begins with.
        name: ignored.

    Raises:
        TypeError: if it does not.

    >>> tf.debugging.assert_integer([1, 2])
    """
    x = convert_to_tensor(x)
    if not x.dtype.is_integer:
        raise TypeError(
            f'{_prefix(message)}Expected "x" to be integer type.  Found: tensor of dtype {x.dtype}'
        )


@function("debugging.assert_scalar")
def assert_scalar(tensor: Any, message: str | None = None, name: None = None) -> None:
    """Asserts that a tensor has no dimensions.

    Args:
        tensor: a tensor.
        message: what the error begins with.
        name: ignored.

    Raises:
        ValueError: if it has.

    >>> tf.debugging.assert_scalar(1.0)
    """
    tensor = convert_to_tensor(tensor)
    if len(tensor.shape):
        raise ValueError(f"{_prefix(message)}Expected scalar shape, saw shape: {tensor.shape}.")


@function("debugging.assert_same_float_dtype")
def assert_same_float_dtype(tensors: Any = None, dtype: Any = None) -> dtypes.DType:
    """Asserts that tensors have one floating dtype, and returns it.

    Args:
        tensors: a list of tensors; None among them is skipped.
        dtype: the dtype they must have, or None.

    Returns:
        The dtype; float32 if there are no tensors.

    Raises:
        ValueError: if the dtypes differ or are not floating.

    >>> tf.debugging.assert_same_float_dtype([tf.constant(1.0)])
    tf.float32
    """
    wanted = None if dtype is None else dtypes.as_dtype(dtype)
    first = None
    for tensor in tensors or ():
        if tensor is None:
            continue
        if wanted is None:
            wanted, first = tensor.dtype, tensor
        elif tensor.dtype is not wanted:
            origin = "" if first is None else f" as {getattr(first, 'name', first)!s}"
            raise ValueError(
                f"{tensor!s}, type={tensor.dtype!s}, must be of the same type ({wanted!s}){origin}."
            )
    wanted = dtypes.float32 if wanted is None else wanted
    if not wanted.is_floating:
        raise ValueError(f"Expected floating point type, got {wanted}.")
    return wanted


@function("debugging.assert_proper_iterable")
def assert_proper_iterable(values: Any) -> None:
    """Asserts that something is a collection, and neither a tensor nor a string.

    Args:
        values: anything.

    Raises:
        TypeError: if it is not.

    >>> tf.debugging.assert_proper_iterable([1, 2])
    """
    kind = type(values)
    if is_tensor(values) or isinstance(values, str | bytes) or kind.__name__ == "ndarray":
        raise TypeError(f'Expected argument "values" to be a "proper" iterable.  Found: {kind}')
    if not hasattr(values, "__iter__"):
        raise TypeError(f'Expected argument "values" to be iterable.  Found: {kind}')


@function("debugging.is_numeric_tensor")
def is_numeric_tensor(tensor: Any) -> bool:
    """Tells whether something is a tensor of numbers.

    Args:
        tensor: anything.

    Returns:
        False for what is no tensor, and for tensors of booleans.

    >>> tf.debugging.is_numeric_tensor(tf.constant(1)), tf.debugging.is_numeric_tensor(1)
    (True, False)
    """
    return isinstance(tensor, EagerTensor) and tensor.dtype.is_numeric


class _ShapedTensor(NamedTuple):
    """A dense or sparse tensor and the symbols of its last dimensions, or of all of them."""

    tensor: Any
    symbols: tuple[Any, ...]
    innermost: bool

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(self.tensor.shape.as_list()) or (1,)


@function("debugging.assert_shapes")
def assert_shapes(
    shapes: Any,
    data: Any = None,
    summarize: int | None = None,
    message: str | None = None,
    name: None = None,
) -> None:
    """Asserts the shapes of tensors, and that dimensions with the same symbol have the same size.

    Args:
        shapes: a dictionary, or a list of pairs, of dense or sparse tensors and their shapes. A
            shape is None (any) or a tuple or string of sizes and symbols. None and `"."` stand for
            any size; `...` or `"*"` in the first place for any leading dimensions.
        data: ignored.
        summarize: ignored.
        message: what the error begins with.
        name: ignored.

    Raises:
        ValueError: if a tensor has another shape.

    >>> x, y = tf.ones([2, 3]), tf.ones([3])
    >>> tf.debugging.assert_shapes([(x, ("N", "D")), (y, ("D",))])
    """
    pairs = shapes.items() if isinstance(shapes, dict) else shapes
    found = [
        _specified(x if hasattr(x, "dense_shape") else convert_to_tensor(x), symbols, message)
        for x, symbols in pairs
        if symbols is not None
    ]
    for specified in found:
        _check_rank(specified, message)
    sizes: dict[Any, tuple[int, EagerTensor, int]] = {}
    for specified in found:
        for place, symbol in enumerate(specified.symbols):
            if symbol is not None and symbol != ".":
                axis = place - len(specified.symbols) if specified.innermost else place
                _check_size(specified, axis, symbol, sizes, message)


def _specified(x: Any, symbols: Any, message: str | None) -> _ShapedTensor:
    if not (hasattr(symbols, "__iter__") or hasattr(symbols, "__getitem__")):
        raise ValueError(
            f"{_prefix(message)}Tensor {_described(x)}.  Specified shape must be an iterable.  An "
            "iterable has the attribute `__iter__` or `__getitem__`.  Received specified shape: "
            f"{symbols}"
        )
    symbols = tuple(symbols)
    innermost = bool(symbols) and (symbols[0] is Ellipsis or symbols[0] == "*")
    if any(symbol is Ellipsis or symbol == "*" for symbol in symbols[1:]):
        place = next(n for n, s in enumerate(symbols) if n and (s is Ellipsis or s == "*"))
        raise ValueError(
            f"{_prefix(message)}Tensor {_described(x)} specified shape index {place}.  Symbol "
            "`...` or `*` for a variable number of unspecified dimensions is only allowed as the "
            "first entry"
        )
    wanted = symbols[1:] if innermost else symbols
    return _ShapedTensor(x, wanted or (1,), innermost)


def _check_rank(specified: _ShapedTensor, message: str | None) -> None:
    x, rank = specified.tensor, len(specified.symbols)
    if specified.innermost:
        if rank > 1 and len(x.shape) < rank:
            raise _refuse(x, f"at least {rank}", message)
    elif rank <= 1:
        if len(x.shape) > 1:
            raise _refuse(x, "in (0, 1)", message)
    elif len(x.shape) != rank:
        raise _refuse(x, str(rank), message)


def _check_size(
    specified: _ShapedTensor,
    axis: int,
    symbol: Any,
    sizes: dict[Any, tuple[int, EagerTensor, int]],
    message: str | None,
) -> None:
    actual = specified.sizes[axis]
    number = _as_number(symbol)
    if number is None and symbol not in sizes:
        sizes[symbol] = (actual, specified.tensor, axis)
        return
    if number is not None:
        wanted, origin = number, "Specified explicitly"
    else:
        wanted, by, place = sizes[symbol]
        origin = f"Specified by tensor {_described(by)} dimension {place}"
    if actual != wanted:
        x = specified.tensor
        raise ValueError(
            f"{_prefix(message)}{origin}.  Tensor {_described(x)} dimension {axis} must have size "
            f"{wanted}.  Received size {actual}, shape {x.shape}"
        )


def _as_number(symbol: Any) -> int | None:
    try:
        return int(symbol)
    except (TypeError, ValueError):
        return None


def _described(x: Any) -> str:
    return f"shape={x.shape} dtype={x.dtype.name}"
