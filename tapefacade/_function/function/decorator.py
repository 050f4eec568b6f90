"""The decorator `tf.function`."""

from collections.abc import Callable, Sequence
from typing import Any

from tapefacade._core.tracebacks import shortening
from tapefacade._definition.op import function as registered
from tapefacade._function.function.device_implementations import (
    API_ATTRIBUTE,
    DEVICE_ATTRIBUTE,
    DeviceImplementation,
)
from tapefacade._function.function.function import Function


@registered("function")
def function(
    func: Callable[..., Any] | None = None,
    input_signature: Sequence[Any] | None = None,
    autograph: bool = True,
    jit_compile: bool | None = None,
    reduce_retracing: bool = False,
    experimental_implements: str | None = None,
    experimental_autograph_options: Any = None,
    experimental_attributes: dict[str, Any] | None = None,
    experimental_relax_shapes: bool | None = None,
    experimental_compile: bool | None = None,
    experimental_follow_type_hints: bool | None = None,
    max_traces: int | None = None,
) -> Any:
    """Compiles a function: its Python runs once, and is recorded; then it is one program.

    The first call with arguments of some shapes and dtypes runs the Python, on tensors whose values
    nobody has computed yet. If the Python looks at none of them, what was recorded is the function:
    later calls run it as one compiled program, without Python. Arguments, variables and random
    numbers are inputs of it, results and the variables' new values are outputs.

    If the Python looks at a value (`if x > 0`, `while`, `for i in tf.range(n)`), the second call
    records it rewritten, as TensorFlow's AutoGraph does: statements on tensors are instructions
    then. A statement that cannot be one, because a variable changes its shape in a loop or has a
    value on one way only, stays Python. Where something of the kind or `x.numpy()` is left, the
    Python runs at every call, and a message says so once.

    Python side effects (`print`, counting, appending to lists) happen when the Python runs.
    `tf.print`, assertions, assignments and random ops happen at every call.

    A function is recorded anew for other shapes and dtypes of tensors, and for other Python
    arguments. One program belongs to each shape, also where a `tf.TensorSpec` leaves sizes open.

    Args:
        func: the function. Without it a decorator is returned.
        input_signature: a `tf.TensorSpec` for each argument, which arguments are converted to.
        autograph: whether Python that looks at values is rewritten.
        jit_compile: accepted for TensorFlow's sake; all functions are compiled.
        reduce_retracing: do not warn of many recordings.
        experimental_implements: accepted for TensorFlow's sake.
        experimental_autograph_options: accepted for TensorFlow's sake.
        experimental_attributes: `api_implements` and `api_preferred_device`: of functions that
            implement the same, the one that prefers the device is called.
        experimental_relax_shapes: the older name of `reduce_retracing`.
        experimental_compile: the older name of `jit_compile`.
        experimental_follow_type_hints: accepted for TensorFlow's sake.
        max_traces: how often the function may be recorded. Not in TensorFlow.

    Returns:
        A function like `func`, with `get_concrete_function` and what else TensorFlow's have.

    Raises:
        ValueError: if `experimental_attributes` has an unknown one.
        TypeError: if `func` cannot be called, or `input_signature` does not fit it.
        RuntimeError: by a call that would be recorded once too often.

    >>> @tf.function
    ... def square(x):
    ...     print("recorded")
    ...     return x * x
    >>> square(tf.constant(3.0)).numpy()
    recorded
    np.float32(9.0)
    >>> square(tf.constant(4.0)).numpy()
    np.float32(16.0)

    See https://www.tensorflow.org/api_docs/python/tf/function.
    """
    for attribute in experimental_attributes or {}:
        if attribute not in (API_ATTRIBUTE, DEVICE_ATTRIBUTE):
            raise ValueError(f"`{attribute} is not supported by tf.function as an attribute.")
    settings = {
        "autograph": autograph,
        "jit_compile": experimental_compile if jit_compile is None else jit_compile,
        "reduce_retracing": bool(experimental_relax_shapes or reduce_retracing),
        "max_traces": max_traces,
    }

    @shortening
    def decorated(python: Callable[..., Any]) -> Function:
        if not callable(python):
            raise TypeError(f"{python!r} is not a callable object")
        if experimental_attributes:
            return DeviceImplementation(
                python, experimental_attributes, input_signature, **settings
            )
        return Function(python, None, input_signature, **settings)

    return decorated if func is None else decorated(func)
