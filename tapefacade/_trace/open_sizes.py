"""Who keeps account, in each thread, of what follows from sizes that its Python does not know.

Only a function whose sizes are open has an account, while its Python runs, or one in which a value
has decided a size. Shape arithmetic is
computed at once, and static parameters are numbers: what they would be for other sizes is noted
where they are computed, since nothing tells it afterwards.
"""

import contextlib
import threading
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from tapefacade._core.kernel_dtypes import INDICES
from tapefacade._core.tensor import EagerTensor, host_value
from tapefacade._core.tensor_shape import TensorShape
from tapefacade._core.tensor_type import TensorType


class SizeAccount(Protocol):
    """What is known of sizes in one call of a function."""

    def shape_of(self, tensor: Any) -> Any:
        """Returns the `tf.TensorShape` of a tensor as far as it is known."""
        ...

    def other_sizes(self, tensor: Any) -> tuple[int, ...]:
        """Returns the shape that a tensor would have if the unknown sizes were others."""
        ...

    def other_value(self, tensor: Any) -> np.ndarray[Any, Any] | None:
        """Returns what a value on the host would be; None if it would be the same."""
        ...

    def note_value(self, tensor: EagerTensor, other: np.ndarray[Any, Any]) -> None:
        """Takes note of what a value on the host would be."""
        ...

    def note_decisive(self, tensors: Sequence[EagerTensor], are_examples: bool = False) -> None:
        """Takes note of integers that may decide sizes, but for those that constants decide."""
        ...

    def note_call(self, function: Callable[..., Any], arguments: Any, result: Any) -> None:
        """Takes note of sizes that a call would give if values among its arguments were others."""
        ...

    def note_unknown(self, tensor: Any, axes: Sequence[int] | None) -> None:
        """Takes note of sizes of a tensor that are not known; None if not even their number is."""
        ...

    def require_known(self, tensor: Any, axis: int) -> None:
        """Ends the recording if a size that Python needs is not known."""
        ...

    def keep_shape(self, tensor: EagerTensor, shape: Any) -> None:
        """Takes note of what is known of a shape."""
        ...

    def note_static(self, recording: Any, slot: int, other: tuple[Any, ...]) -> None:
        """Takes note of what the static parameters of an instruction would be."""
        ...

    def note_results(
        self,
        operation: Any,
        statics: tuple[tuple[Any, ...], tuple[Any, ...]],
        inputs: Sequence[tuple[EagerTensor, TensorType]],
        results: Sequence[tuple[EagerTensor, TensorType]],
    ) -> None:
        """Takes note of unknown sizes of what an operation has computed at once."""
        ...


ACCOUNTS: dict[int, list[SizeAccount]] = {}  # of each thread, the innermost last


def open_sizes() -> SizeAccount | None:
    """Returns the account of this thread, if it has one."""
    if not ACCOUNTS:
        return None
    found = ACCOUNTS.get(threading.get_ident())
    return found[-1] if found else None


# Opens an account for the function that runs in this thread, if there is one: of who makes them.
OPENERS: list[Callable[[], SizeAccount | None]] = []


def opened_sizes() -> SizeAccount | None:
    """Returns the account of this thread; opens one for the function that runs, if it has none."""
    return open_sizes() or OPENERS[0]()


def note_static(recording: Any, slot: int, other: tuple[Any, ...]) -> None:
    """Takes note of what the static parameters of an instruction would be.

    Args:
        recording: where it is.
        slot: that of its first result.
        other: the parameters.
    """
    account = open_sizes()
    if account is not None:
        account.note_static(recording, slot, other)


def note_decisive(tensors: Sequence[EagerTensor], are_examples: bool = False) -> None:
    """Takes note that a function is about to know integers, which may decide sizes then.

    Args:
        tensors: what has no value yet.
        are_examples: whether what they will have stands for other values.
    """
    integers = [one for one in tensors if one._type.hostable and one.dtype.name in INDICES]
    account = opened_sizes() if integers else None
    if account is not None:
        account.note_decisive(integers, are_examples)


def note_call(function: Callable[..., Any], arguments: Any, result: Any) -> Any:
    """Takes note of sizes that a call would give if values among its arguments were others.

    Args:
        function: what has been called.
        arguments: its arguments, and those by name.
        result: what it has returned.

    Returns:
        `result`.
    """
    account = open_sizes()
    if account is not None:
        account.note_call(function, arguments, result)
    return result


def keep_sizes(tensors: Sequence[EagerTensor]) -> None:
    """Takes note of unknown sizes of tensors that are about to get their values.

    Args:
        tensors: what is going to be computed.
    """
    account = open_sizes()
    if account is not None:
        for tensor in tensors:
            account.note_unknown(tensor, ())
        note_decisive(tensors)


def noted(
    result: EagerTensor, inputs: Sequence[Any], compute: Callable[..., np.ndarray[Any, Any]]
) -> EagerTensor:
    """Takes note of what a value on the host would be if those it is made of were others.

    Args:
        result: the value.
        inputs: the tensors it is made of.
        compute: makes it of their arrays.

    Returns:
        `result`.
    """
    account = open_sizes()
    if account is not None:
        others = [account.other_value(tensor) for tensor in inputs]
        if any(other is not None for other in others):
            arrays = [
                host_value(tensor) if other is None else other
                for tensor, other in zip(inputs, others, strict=True)
            ]
            with contextlib.suppress(IndexError):  # there are not as many
                account.note_value(result, np.asarray(compute(*arrays)))
    return result


def with_open_axes(result: Any, deciding: dict[int, Any]) -> Any:
    """Takes note that unknown sizes decide others.

    Args:
        result: a tensor.
        deciding: for some of its axes the tensor whose value is their size.

    Returns:
        `result`.
    """
    account = open_sizes()
    if account is not None:
        axes = [a for a, tensor in deciding.items() if account.other_value(tensor) is not None]
        account.note_unknown(result, axes)
    return result


def with_axes_along(result: Any, vectors: dict[int, Any]) -> Any:
    """Takes note that sizes are the numbers of elements of tensors, which may be unknown.

    Args:
        result: a tensor.
        vectors: for some of its axes a tensor with that many elements.

    Returns:
        `result`.
    """
    account = open_sizes()
    if account is not None:
        axes = [a for a, one in vectors.items() if account.other_sizes(one) != one._type.shape]
        account.note_unknown(result, axes)
    return result


def with_sizes_of(result: Any, like: Any) -> Any:
    """Takes note that sizes are those of another tensor, which may be unknown.

    Args:
        result: a tensor.
        like: a tensor of the same rank; where it has another size, nothing is known of that.

    Returns:
        `result`.
    """
    account = open_sizes()
    if account is not None and len(result._type.shape) == len(like._type.shape):
        sizes = zip(result._type.shape, like._type.shape, account.other_sizes(like), strict=True)
        unknown = [axis for axis, (own, size, other) in enumerate(sizes) if own == size != other]
        account.note_unknown(result, unknown)
    return result


def note_shapes(account: SizeAccount, values: Sequence[Any], specs: Sequence[Any]) -> None:
    """Takes note of the sizes that specs leave open.

    Args:
        account: the account.
        values: tensors, and other values, of which nothing is noted.
        specs: what is known of each: a `tf.TensorShape`, or what has one.
    """
    for value, spec in zip(values, specs, strict=True):
        shape = getattr(spec, "shape", spec)
        if isinstance(value, EagerTensor) and isinstance(shape, TensorShape):
            open_axes = shape.rank and [a for a, size in enumerate(shape.as_list()) if size is None]
            account.note_unknown(value, None if shape.rank is None else open_axes or ())


def differing_axes(sizes: Sequence[int], others: Sequence[int]) -> list[int] | None:
    """Returns the axes of which a shape has other sizes than another; None if it has others."""
    if len(sizes) != len(others):
        return None
    return [axis for axis, pair in enumerate(zip(sizes, others, strict=True)) if pair[0] != pair[1]]


def sized_like(
    function: Callable[[list[EagerTensor]], Any],
    tensors: Sequence[Any],
    elements: Sequence[Any] = (),
) -> Callable[[list[EagerTensor]], Any]:
    """Returns a function to which sizes of its arguments are unknown that are so elsewhere.

    Args:
        function: takes a list of tensors that have no values.
        tensors: what the first of them stand for.
        elements: what the next ones are rows of.

    Returns:
        `function` itself where all sizes are known.
    """
    account = open_sizes()
    if account is None:
        return function
    pairs = [(one._type.shape, account.other_sizes(one)) for one in tensors]
    pairs += [(one._type.shape[1:], account.other_sizes(one)[1:]) for one in elements]
    unknown = [differing_axes(*pair) for pair in pairs]

    def with_unknown_sizes(placeholders: list[EagerTensor]) -> Any:
        for tensor, axes in zip(placeholders, unknown, strict=False):
            if axes or axes is None:
                account.note_unknown(tensor, axes)
        return function(placeholders)

    return with_unknown_sizes


def with_unknown_axes(result: Any, *axes: int) -> Any:
    """Takes note that values decide sizes of a tensor.

    Args:
        result: the tensor.
        *axes: which of its axes.

    Returns:
        `result`.
    """
    account = opened_sizes()
    if account is not None:
        account.note_unknown(result, axes)
    return result


def with_unknown_shape(result: Any) -> Any:
    """Takes note that Python decides the shape of a tensor.

    Args:
        result: the tensor.

    Returns:
        `result`.
    """
    account = opened_sizes() if isinstance(result, EagerTensor) else None
    if account is not None:
        account.note_unknown(result, None)
    return result


def with_sizes_among(results: Sequence[Any], inputs: Sequence[Any]) -> None:
    """Takes note that sizes of results are unknown which are as an unknown size of an input is.

    Args:
        results: what has been computed at once.
        inputs: what it was computed from.
    """
    account = open_sizes()
    if account is None:
        return
    unknown: set[int] = set()
    open_ranks: set[int] = set()
    for tensor in inputs:
        if isinstance(tensor, EagerTensor):
            sizes = tensor._type.shape
            axes = differing_axes(sizes, account.other_sizes(tensor))
            unknown.update(sizes[axis] for axis in axes or ())
            open_ranks.update((len(sizes),) if axes is None else ())
    for tensor in results:
        if isinstance(tensor, EagerTensor) and (unknown or open_ranks):
            sizes = tensor._type.shape
            axes = [axis for axis, size in enumerate(sizes) if size in unknown]
            account.note_unknown(tensor, None if len(sizes) in open_ranks else axes)
