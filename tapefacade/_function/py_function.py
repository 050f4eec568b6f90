"""Python within programs: `tf.py_function` and `tf.numpy_function`."""

import contextlib
import traceback
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tapefacade._core import dtypes, errors, nest
from tapefacade._core.conversion import convert
from tapefacade._core.dispatch import CompositeTensor
from tapefacade._core.error_texts import kernel_prefix
from tapefacade._core.tensor import EagerTensor, from_host
from tapefacade._core.tensor_spec import TensorSpec
from tapefacade._core.tensor_type import type_of
from tapefacade._core.tracebacks import users_lines
from tapefacade._core.type_spec import TypeSpec
from tapefacade._definition.op import function
from tapefacade._function.control.host_calls import COLLECTED_CALLS, note_types, recorded_call
from tapefacade._function.gradients.custom_gradient import custom_gradient
from tapefacade._ops.array.copying import identity, zeros_like
from tapefacade._ops.array.creation import zeros
from tapefacade._state.variable import Variable
from tapefacade._tape.tape import GradientTape
from tapefacade._trace.open_sizes import with_unknown_shape
from tapefacade._trace.program_listing import place as text_of_line
from tapefacade._trace.recording import THREAD, need_python
from tapefacade._trace.tree import users_line
from tapefacade._trace.value_origins import note_origin

_NOTHING = contextlib.nullcontext()
MESSAGE_NO_TOUT = (
    "Missing required argument: 'Tout'\n  If using tf.{0} as a decorator, set `Tout`\n  **by name**"
    " above the function:\n  `@tf.{0}(Tout=tout)`"
)
MESSAGE_INP = "Don't set the `inp` argument when using tf.{} as a decorator (`func=None`)."
MESSAGE_VARIABLE = (
    "Attempting to return a variable from an eagerly executed py_func. Only numeric data "
    "structures like Tensors or NumPy arrays should be returned; to return the value of a "
    "variable, make sure to obtain the Tensor backing it by calling `.read_value()` on the "
    "variable in question: {}"
)
# TensorFlow's error for an exception of the Python; UnknownError for the others.
CLASSES: dict[type[Exception], type[errors.OpError]] = {
    TypeError: errors.InvalidArgumentError,
    ValueError: errors.InvalidArgumentError,
    StopIteration: errors.OutOfRangeError,
    MemoryError: errors.ResourceExhaustedError,
    NotImplementedError: errors.UnimplementedError,
}


@function("py_function")
def py_function(
    func: Callable[..., Any] | None = None, inp: Any = None, Tout: Any = None,  # noqa: N803
    name: str | None = None,
) -> Any:  # fmt: skip
    """Calls a Python function with tensors that have values, also within a `tf.function`.

    A `tf.function` with such a call runs its Python at every call. A gradient for `inp` goes
    through what the Python does; as in TensorFlow, there is none for variables and other tensors
    that it uses. Unlike in TensorFlow, derivatives of higher order go through, and a gradient that
    does not exist is zero in the shape of the input.

    Args:
        func: the function. Without it a decorator is returned.
        inp: the list of its arguments: tensors, or what makes some.
        Tout: the dtype of its result, or a list of them; `tf.RaggedTensorSpec` for ragged ones.
        name: ignored.

    Returns:
        The result as a tensor, or the list of the results; `[]` if `Tout` is empty.

    Raises:
        TypeError: if there is no `Tout`.
        ValueError: if `func` cannot be called.
        InvalidArgumentError: if the results do not fit `Tout`, or the Python raises a TypeError or
            ValueError.
        UnknownError: if it raises something else.

    >>> def clipped(x):
    ...     return x if x > 1.0 else 0.1 * x
    >>> tf.py_function(clipped, [0.5], tf.float32).numpy().round(3)
    np.float32(0.05)

    See https://www.tensorflow.org/api_docs/python/tf/py_function.
    """
    if func is None:
        return _decorator(py_function, "py_function", inp, Tout)
    _require(func, "py_function", Tout)
    listed = list(Tout) if isinstance(Tout, list | tuple) else [Tout]
    specs = [_spec(item) for item in listed]
    if (examples := _examples(inp, specs)) is not None:
        return examples if nest.is_nested(Tout) else examples[0]
    need_python("tf.py_function runs Python")
    arguments = nest.map_structure(_converted, list(inp or []))
    inputs = [item for item in nest.flatten(arguments) if type(item) is EagerTensor]
    if any(tensor._type.inexact for tensor in inputs) and THREAD.recording.watchers():
        results = _differentiable(func, arguments, inputs, specs)
    else:
        results = _call(func, arguments, specs)
    results = [_of_python(result) for result in results]
    return results if nest.is_nested(Tout) else results[0]


def _examples(inp: Any, specs: Sequence[Any]) -> list[Any] | None:
    """Returns what stands for the results where a function is described; None where it runs.

    Their shapes are not known. Where one is needed, it is that of the first argument, as of most.
    """
    if THREAD.examples is None or not all(isinstance(spec, dtypes.DType) for spec in specs):
        return None
    given = [item for item in nest.flatten(inp) if isinstance(item, EagerTensor)]
    shape = given[0]._type.shape if given else ()
    return [with_unknown_shape(zeros(shape, spec)) for spec in specs]


def _of_python(result: Any) -> Any:
    """Returns a result of Python: in a function a tensor of its own, of an unknown shape."""
    is_new = bool(THREAD.functions) and type(result) is EagerTensor
    return with_unknown_shape(identity(result)) if is_new else result


def _decorator(public: Callable[..., Any], name: str, inp: Any, tout: Any) -> Callable[..., Any]:
    if inp is not None:
        raise TypeError(MESSAGE_INP.format(name))

    def decorated(func: Callable[..., Any]) -> Callable[..., Any]:
        def call(*inp: Any) -> Any:
            return public(func, inp=inp, Tout=tout)

        return call

    return decorated


def _require(func: Any, name: str, tout: Any) -> None:
    if tout is None:
        raise TypeError(MESSAGE_NO_TOUT.format(name))
    if not callable(func):
        raise ValueError(
            f"Expected func to be callable. Received func={func} of type {type(func)}."
        )


def _spec(item: Any) -> Any:
    """Returns the dtype of a result, or the spec of a ragged or sparse one."""
    if isinstance(item, TensorSpec):
        return item.dtype
    return item if isinstance(item, TypeSpec) else dtypes.as_dtype(item)


def _converted(value: Any) -> Any:
    return value if isinstance(value, CompositeTensor) else convert(value)


def _call(func: Callable[..., Any], arguments: list[Any], specs: list[Any]) -> list[Any]:
    """Calls the Python; returns the results, each as its spec says."""
    where = kernel_prefix(f"EagerPyFunc_Tin_{len(arguments)}_Tout_{len(specs)}")
    try:
        with THREAD.temporarily(functions=[]):
            returned = func(*arguments)
            found = _flat(returned)
            wanted = specs[: len(found)] if isinstance(returned, list | tuple) else specs[:1]
            results = [_result(value, spec) for value, spec in zip(found, wanted, strict=False)]
            if found and not isinstance(returned, list | tuple) and not specs:
                raise IndexError("list index out of range")
    except Exception as error:  # of the user's Python: it becomes TensorFlow's
        raise error_of_python(error, where) from None  # its text tells of that one
    if len(results) < len(specs):
        raise errors.InvalidArgumentError(
            None, None,
            f"{where}pyfunc returns {len(results)} values, but expects to see {len(specs)} "
            "values. [Op:EagerPyFunc] name: ",
        )  # fmt: skip
    return results


def _flat(returned: Any) -> list[Any]:
    if isinstance(returned, list | tuple):
        return list(returned)
    return [] if returned is None else [returned]


def _result(value: Any, spec: Any) -> Any:
    if isinstance(value, Variable):
        raise RuntimeError(MESSAGE_VARIABLE.format(repr(value)))
    if isinstance(spec, TypeSpec) or isinstance(value, CompositeTensor):
        return value
    return convert(value, spec)


def error_of_python(error: Exception, where: str) -> errors.OpError:
    """Returns TensorFlow's error for an exception of Python that it calls.

    Args:
        error: the exception.
        where: what the text begins with.
    """
    kind: Any = next((CLASSES[base] for base in type(error).__mro__ if base in CLASSES), None)
    if isinstance(error, errors.OpError) or kind is None:
        kind = errors.UnknownError
    text = f"{where}{type(error).__name__}: {error}"
    lines = "".join(traceback.format_tb(users_lines(error.__traceback__)))
    if lines:
        text += f"\nTraceback (most recent call last):\n\n{lines}"
    return kind(None, None, text)


def _differentiable(
    func: Callable[..., Any], arguments: list[Any], inputs: list[EagerTensor], specs: list[Any]
) -> list[Any]:
    """Calls the Python such that gradients go to its arguments alone."""
    tape = GradientTape(persistent=True, watch_accessed_variables=False)
    composites: list[Any] = []

    def call(*tensors: EagerTensor) -> Any:
        with tape:
            tape.watch([tensor for tensor in tensors if tensor._type.inexact])
            results = _call(func, arguments, specs)
        composites.extend(results)
        dense = [result for result in results if type(result) is EagerTensor]

        def gradient(*upstream: Any, variables: Sequence[Any] = ()) -> Any:
            found = tape.gradient(dense, list(tensors), list(upstream))
            given = [
                zeros_like(tensor) if one is None and tensor._type.inexact else one
                for one, tensor in zip(found, tensors, strict=True)
            ]
            return (given, [None] * len(variables)) if variables else given

        return dense, gradient

    outputs = iter(custom_gradient(call)(*inputs))
    return [next(outputs) if type(item) is EagerTensor else item for item in composites]


@function("numpy_function")
def numpy_function(
    func: Callable[..., Any] | None = None, inp: Any = None, Tout: Any = None,  # noqa: N803
    stateful: bool = True, name: str | None = None,
) -> Any:  # fmt: skip
    """Calls a Python function with NumPy arrays, also within a `tf.function`.

    A `tf.function` with such a call runs its Python at every call; a loop in it that makes the call
    is compiled up to it, once the function has returned arrays of the same shapes. No gradient goes
    through it. Unlike in TensorFlow, the arrays are copies: to change them changes no tensor.

    Args:
        func: the function. Without it a decorator is returned.
        inp: the list of its arguments: tensors, or what makes some.
        Tout: the dtype of its result, or a list of them. As in TensorFlow, eager code takes the
            results as they are, and a `tf.function` wants these dtypes.
        stateful: accepted for TensorFlow's sake.
        name: ignored.

    Returns:
        The result as a tensor, or the list of the results.

    Raises:
        TypeError: if there is no `Tout`.
        InvalidArgumentError: in a `tf.function`, if the results do not fit `Tout`.

    >>> tf.numpy_function(np.sort, [[3.0, 1.0, 2.0]], tf.float32).numpy()
    array([1., 2., 3.], dtype=float32)

    See https://www.tensorflow.org/api_docs/python/tf/numpy_function.
    """
    if func is None:
        return _decorator(numpy_function, "numpy_function", inp, Tout)
    if Tout is None:
        raise TypeError(MESSAGE_NO_TOUT.format("numpy_function"))
    in_graph, wanted = bool(THREAD.functions), []
    if in_graph:
        _require(func, "numpy_function", Tout)
        listed = list(Tout) if isinstance(Tout, list | tuple) else [Tout]
        wanted = [dtypes.as_dtype(item) for item in listed]
        staged = _in_loop(func, inp, wanted)
        if staged is not None:
            return staged if nest.is_nested(Tout) else staged[0]
        if (examples := _examples(inp, wanted)) is not None:
            return examples if nest.is_nested(Tout) else examples[0]
    need_python("tf.numpy_function runs Python")
    arrays = [np.array(item if isinstance(item, np.ndarray) else convert(item)) for item in inp]
    if in_graph:
        results = [_of_python(result) for result in _in_graph(func, arrays, wanted)]
        return results if nest.is_nested(Tout) else results[0]
    flat = nest.flatten(func(*arrays))
    results = [None if item is None else convert(item) for item in flat]
    if THREAD.recording.blocks:
        for result in results:
            if type(result) is EagerTensor:
                note_origin(result, f"{text_of_line(users_line())}: tf.numpy_function runs Python")
    return results[0] if len(results) == 1 else results


def _in_loop(
    func: Callable[..., Any], inp: Any, wanted: list[dtypes.DType]
) -> list[EagerTensor] | None:
    """Records the call in the body of a loop; None where that is not possible."""
    if COLLECTED_CALLS.calls is None:
        return None
    inputs = [convert(item) for item in inp]
    if not wanted or any(type(item) is not EagerTensor for item in inputs):
        return None

    def run(arrays: Sequence[Any]) -> list[Any]:
        return _results(func, arrays, wanted)

    return recorded_call(func, run, inputs)


def _in_graph(func: Callable[..., Any], arrays: list[Any], wanted: list[dtypes.DType]) -> list[Any]:
    """Calls the function as TensorFlow's op in a graph does, which is strict."""
    results: list[Any] = _results(func, [x[()] if x.ndim == 0 else x for x in arrays], wanted)
    results = [np.array(x) if isinstance(x, np.ndarray | np.generic) else x for x in results]
    note_types(
        func, [type_of(x.shape, x.dtype) if type(x) is np.ndarray else x._type for x in results]
    )
    return [from_host(x) if type(x) is np.ndarray else x for x in results]


def _results(
    func: Callable[..., Any], given: Sequence[Any], wanted: list[dtypes.DType]
) -> list[Any]:
    """Returns what the function gives in a graph: arrays, and tensors where it gives texts.

    The arrays are the user's own.
    """
    try:
        # In a loop it is so from the begin to the end: it takes some microseconds.
        with THREAD.temporarily(functions=[]) if THREAD.functions else _NOTHING:
            found = func(*given)
    except Exception as error:  # of the user's Python: it becomes TensorFlow's
        raise error_of_python(error, "") from None  # its text tells of that one
    flat = _flat(found)
    if len(flat) != len(wanted):
        raise errors.InvalidArgumentError(
            None, None,
            f"pyfunc returns {len(flat)} values, but expects to see {len(wanted)} values.",
        )  # fmt: skip
    results = []
    for place, (value, dtype) in enumerate(zip(flat, wanted, strict=True)):
        result: Any = value if isinstance(value, np.ndarray | np.generic) else np.array(value)
        if result.dtype != dtype._numpy:
            result = convert(value) if result.dtype.kind in "OSU" else result
            given_dtype = dtypes.as_dtype(result.dtype)
            if given_dtype is not dtype:
                raise errors.InvalidArgumentError(
                    None, None,
                    f"{place}-th value returned by pyfunc is {given_dtype.kernel_name}, but "
                    f"expects {dtype.kernel_name}",
                )  # fmt: skip
            if isinstance(result, np.ndarray):  # of another order of bytes
                result = result.astype(dtype._numpy)
        results.append(result)
    return results
