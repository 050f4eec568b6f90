"""How Keras infers shapes where functions of ours are called."""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import jax

from tapefacade._core.tensor import EagerTensor
from tapefacade._core.traced_errors import raising_as_traced
from tapefacade._function.function.stand_in_sizes import without_numbers
from tapefacade._keras.keras2.registered_types import as_tensor
from tapefacade._ops.array.creation import zeros
from tapefacade._tape.init_scope import outside_of_functions
from tapefacade._trace.recording import THREAD

STAND_IN_SIZES = (83, 89)  # in the place of a size that is not known


def compute_output_spec_with_tensors(original: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the function that infers shapes, for functions that give tensors of ours.

    Keras stands for an unknown size by a symbol, of which our functions know nothing. Where one of
    them is called, numbers stand for it, twice: sizes that differ then are unknown.
    """

    def compute_output_spec(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        def on_arrays(*inner: Any, **named: Any) -> Any:
            return jax.tree.map(_array, fn(*inner, **named), is_leaf=_is_tensor)

        given = args, kwargs
        args, kwargs = jax.tree.map(_described, given, is_leaf=_is_tensor)
        try:
            with _describing(), outside_of_functions():
                return original(on_arrays, *args, **kwargs)
        except Exception:  # of functions that know no symbols for sizes, of whatever class
            with _raising_as_symbolic(), _describing(), outside_of_functions():
                try:
                    first, second = (
                        original(on_arrays, *_sized(args, size), **_sized(kwargs, size))
                        for size in STAND_IN_SIZES
                    )
                except TypeError:  # JAX's, where Python computes with its values
                    fn(*_zeros(given[0]), **_zeros(given[1]))
                    raise
            return jax.tree.map(_unknown_where_different, first, second)

    return compute_output_spec


@contextlib.contextmanager
def _raising_as_symbolic() -> Iterator[None]:
    """Makes a block whose errors are those of tracing, with "?" for sizes that are not known."""
    try:
        with raising_as_traced():
            yield
    except ValueError as error:
        raise without_numbers(error, STAND_IN_SIZES) from None


@contextlib.contextmanager
def _describing() -> Iterator[None]:
    """Has functions run as Python: what is recorded here describes no call of theirs.

    64 bits are there, as when programs run. (Without them JAX warns; a filter for that would, each
    time, make Python forget which warnings it has shown.)
    """
    with THREAD.temporarily(describing=True), jax.enable_x64(True):
        yield


def _described(leaf: Any) -> Any:
    """Returns the shape and dtype of a tensor: nobody needs its value."""
    if not isinstance(leaf, EagerTensor) or leaf._type.numpy_dtype is None:
        return leaf
    return jax.ShapeDtypeStruct(leaf._type.shape, leaf._type.numpy_dtype)


def _sized(arguments: Any, size: int) -> Any:
    """Returns symbolic arguments with a number in the place of unknown sizes."""

    def sized(leaf: Any) -> Any:
        if not hasattr(leaf, "record_history"):
            return leaf
        shape = [size if length is None else length for length in leaf.shape]
        return type(leaf)(shape, dtype=leaf.dtype, name=leaf.name)  # as if it were dense

    return jax.tree.map(sized, arguments)


def _zeros(arguments: Any) -> Any:
    """Returns symbolic arguments as tensors, whose ops raise TensorFlow's errors."""

    def zeros_like(leaf: Any) -> Any:
        is_symbolic = hasattr(leaf, "record_history")
        return zeros(leaf.shape, leaf.dtype) if is_symbolic else leaf

    return jax.tree.map(zeros_like, _sized(arguments, STAND_IN_SIZES[0]))


def _unknown_where_different(first: Any, second: Any) -> Any:
    if not hasattr(first, "record_history"):
        return first
    pairs = zip(first.shape, second.shape, strict=True)
    shape = [a if a == b else None for a, b in pairs]
    return type(first)(shape, dtype=first.dtype)


def _is_tensor(value: Any) -> bool:
    return isinstance(value, EagerTensor)


def _array(value: Any) -> Any:
    value = as_tensor(value)
    return value._device_array() if isinstance(value, EagerTensor) else value
