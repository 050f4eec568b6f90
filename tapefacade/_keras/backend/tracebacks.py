"""Errors in layers: they keep their class and text, and their tracebacks leave our lines out."""

import functools
import types
from collections.abc import Callable
from typing import Any

from tapefacade._core.errors import OpError
from tapefacade._core.tracebacks import Filtering, users_frames

INJECTED_MARK = "_keras_call_info_injected"  # Keras's mark of an error that has the arguments


def inject_into_op_errors(original: Callable[..., Any]) -> Callable[..., Any]:
    """Makes the function that adds to errors what a layer was called with, of Keras's own.

    Keras knows how to make errors of TensorFlow anew only where it runs on TensorFlow.
    """

    def inject(fn: Callable[..., Any], object_name: str | None = None) -> Callable[..., Any]:
        handled = original(fn, object_name)

        def call(*args: Any, **kwargs: Any) -> Any:
            try:
                return handled(*args, **kwargs)
            except RuntimeError as told:
                error = told.__context__
                if not isinstance(error, OpError) or not hasattr(told, INJECTED_MARK):
                    raise
                raise _with_arguments(error, told) from None

        return call

    return inject


def _with_arguments(error: OpError, told: Exception) -> OpError:
    """Returns an error with a text in which Keras tells the arguments."""
    empty = "\x1b[1m\x1b[0m"
    text = str(told).replace(empty, f"\x1b[1m{error.message}\x1b[0m", 1)
    kind: Any = type(error)
    made = kind.__new__(kind)
    made.__dict__.update(error.__dict__)
    made._message = text
    setattr(made, INJECTED_MARK, True)
    return made.with_traceback(told.__traceback__)


def inferred_with_op_errors(original: Callable[..., Any]) -> Callable[..., Any]:
    """Makes the method that infers what a layer gives: Keras makes its errors anew of a text."""

    @functools.wraps(original)
    def compute_output_spec(*args: Any, **kwargs: Any) -> Any:
        try:
            return original(*args, **kwargs)
        except TypeError as told:
            error = told.__context__
            if not isinstance(error, OpError):
                raise
            raise error from None

    return compute_output_spec


def describe_as_tf_tensor(original: Callable[[Any], str]) -> Callable[[Any], str]:
    """Makes the function that describes an argument, of Keras's own."""

    def describe(value: Any) -> str:
        return original(value).replace("jnp.ndarray(shape=", "tf.Tensor(shape=", 1)

    return describe


def process_without_our_lines(
    original: Callable[[Any], types.TracebackType | None],
) -> Callable[[Any], types.TracebackType | None]:
    """Makes the function that leaves Keras's lines out of a traceback, of Keras's own."""

    def process(traceback: types.TracebackType | None) -> types.TracebackType | None:
        return users_frames(traceback) if Filtering.on else original(traceback)

    return process
