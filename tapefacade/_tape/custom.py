"""Gradients made by hand: `tf.custom_gradient`."""

import functools
import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from tapefacade._core import nest
from tapefacade._core.convert import convert
from tapefacade._core.tensor import EagerTensor
from tapefacade._state.variable import Variable
from tapefacade._tape.boundary import BOUNDARY, Custom
from tapefacade._trace.recording import THREAD


class _Watcher:
    """Takes note of the trainable variables that are read, as a tape does, and nothing else."""

    _watch_accessed_variables = True
    _recording = True

    def __init__(self) -> None:
        self.variables: dict[int, Variable] = {}

    def _read(self, variable: Variable, slot: int) -> None:
        self.variables[id(variable)] = variable


@contextmanager
def _watching() -> Iterator[_Watcher]:
    watcher = _Watcher()
    trace = THREAD.recording
    trace.open_block(watcher)
    trace.epoch += 1
    try:
        yield watcher
    finally:
        trace.close_block(watcher)
        trace.epoch += 1


def custom_gradient(f: Callable[..., Any] | None = None) -> Any:
    """Defines the gradient of a function by hand.

    Args:
        f: a function of tensors that returns `(y, grad_fn)`: its result, and a function from the
            gradient with respect to each tensor of `y` to the gradients with respect to the
            arguments. If `f` reads trainable variables, `grad_fn` also takes `variables=` (a list)
            and returns the pair of the arguments' gradients and a list of the variables'.

    Returns:
        A function that returns `y`. Its gradient function runs whenever a gradient is asked for,
        on the upstream gradients as they are; what it computes is recorded, so that derivatives
        of higher order go through it.

    Raises:
        TypeError: by the function, if `grad_fn` does not take `variables` but needs to.
        ValueError: by `tape.gradient`, if `grad_fn` returns a wrong number of gradients.

    >>> @tf.custom_gradient
    ... def clipped(x):
    ...     return x * x, lambda upstream: tf.minimum(upstream * 2.0 * x, 1.0)
    >>> x = tf.Variable(3.0)
    >>> with tf.GradientTape() as tape:
    ...     y = clipped(x)
    >>> tape.gradient(y, x).numpy()
    np.float32(1.0)

    See https://www.tensorflow.org/api_docs/python/tf/custom_gradient.
    """
    if f is None:
        return custom_gradient
    function = f

    @functools.wraps(function)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        return _call(function, args, kwargs)

    return decorated


def _call(f: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    with _watching() as watcher:
        result, grad_fn = f(*args, **kwargs)
    if not callable(grad_fn):
        raise TypeError("unsupported callable")
    results = [convert(item) for item in nest.flatten(result)]
    arguments = list(_tensors(nest.flatten(args)))
    variables = [
        v
        for v in sorted(watcher.variables.values(), key=lambda v: v._serial)
        if not any(v is argument for argument in arguments)
    ]
    _check_takes_variables(grad_fn, variables)
    if not THREAD.recording.watchers() and THREAD.recording.frame is None:
        return nest.pack_sequence_as(result, results)
    outputs = _record_boundary(results, arguments, variables, grad_fn)
    return nest.pack_sequence_as(result, outputs)


def _tensors(arguments: list[Any]) -> Iterator[Any]:
    """Yields what among the arguments is a tensor, or becomes one."""
    for item in arguments:
        if isinstance(item, Variable | EagerTensor):
            yield item
        else:
            with suppress(ValueError, TypeError):
                yield convert(item)


def _check_takes_variables(grad_fn: Callable[..., Any], variables: Sequence[Variable]) -> None:
    parameters = inspect.signature(grad_fn).parameters.values()
    takes = any(p.name == "variables" or p.kind is p.VAR_KEYWORD for p in parameters)
    if variables and not takes:
        raise TypeError(
            "@tf.custom_gradient grad_fn must accept keyword argument 'variables', since function "
            f"uses variables: {list(variables)}"
        )


def _record_boundary(
    results: list[EagerTensor],
    arguments: list[Any],
    variables: list[Variable],
    grad_fn: Callable[..., Any],
) -> list[EagerTensor]:
    trace = THREAD.recording
    inputs = [
        item._slot_in(trace)
        if isinstance(item, Variable)
        else (item._slot if item._recording is trace else trace.leaf(item))
        for item in (*results, *arguments, *variables)
    ]
    types = [item._type for item in (*results, *arguments, *variables)]
    outputs = trace.apply(BOUNDARY, (len(results),), tuple(inputs), types)
    for output, result in zip(outputs, results, strict=True):
        output._value = result._value  # known already, if it is
    call = functools.partial(_gradients, grad_fn, len(arguments), variables)
    trace.data.custom[outputs[0]._slot] = Custom(call)
    return outputs


def _gradients(
    grad_fn: Callable[..., Any], count: int, variables: list[Variable], *upstream: EagerTensor
) -> list[Any]:
    """Calls the user's gradient function; returns a gradient or None for each input."""
    if variables:
        given, of_variables = grad_fn(*upstream, variables=variables)
        if len(of_variables) != len(variables):
            raise ValueError(
                "Must return gradient for each variable from @custom_gradient grad_fn."
            )
    else:
        given, of_variables = grad_fn(*upstream), []
    flat = nest.flatten(given)
    if len(flat) != count:
        raise ValueError(
            f"custom_gradient function expected to return {count} gradients, but returned "
            f"{len(flat)} instead."
        )
    return [None if item is None else convert(item) for item in (*flat, *of_variables)]
