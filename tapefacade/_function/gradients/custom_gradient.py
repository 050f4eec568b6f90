"""Gradients made by hand: `tf.custom_gradient` and `tf.grad_pass_through`."""

import functools
import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np

from tapefacade._core import nest
from tapefacade._core.conversion import convert
from tapefacade._core.interned_objects import interned
from tapefacade._core.random_keys import rehearsing
from tapefacade._core.tensor import EagerTensor
from tapefacade._core.thread_state import ThreadState
from tapefacade._core.tracebacks import shorten
from tapefacade._definition.op import function as registered
from tapefacade._function.control.bodies import Body, body_of, operand
from tapefacade._function.gradients.custom_gradient_op import CustomGradientByRule, Rule
from tapefacade._state.variable import Variable
from tapefacade._tape.custom_gradient_boundary import BOUNDARY, BoundaryFunction
from tapefacade._tape.gradient_arguments import differentiated, with_gradient
from tapefacade._trace.frames import ValueWanted
from tapefacade._trace.open_sizes import sized_like
from tapefacade._trace.recording import THREAD
from tapefacade._trace.slices import adopt_lines

WHY_PYTHON = "the gradient function of a tf.custom_gradient needs its Python when a gradient comes"


class _Watcher:
    """Takes note of the trainable variables that are read, as a tape does, and nothing else."""

    _recording = True
    _is_forward = False

    def __init__(self) -> None:
        self.variables: dict[int, Variable] = {}

    def _wants(self, variable: Variable) -> bool:
        return variable._trainable

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


@registered("custom_gradient")
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

    Within a `tf.function`, and in the branches of `tf.cond` and the bodies of loops, the gradient
    function runs once, when the function is recorded, and is part of the program then.

    Unlike TensorFlow, a `tf.function` runs `grad_fn` whether a gradient is asked for or not, and
    the variables that it reads have the values there that they had when `f` was called. A gradient
    function that looks at values, assigns variables, prints or checks its operands runs as Python
    at every gradient, and so does the `tf.function` around it. In functions and loops forward mode
    (`tf.autodiff.ForwardAccumulator`) uses the transpose of the gradient function; in a loop it
    has none where this is not linear in the upstream gradients, nor over reverse mode (TypeError).

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
        try:
            return _call(function, args, kwargs)
        except Exception as error:
            shorten(error)
            raise

    return decorated


@registered("grad_pass_through")
def grad_pass_through(f: Callable[..., Any]) -> Callable[..., Any]:
    """Makes a function whose gradient is that of the identity: straight through.

    Args:
        f: a function of tensors whose results have the shapes of its arguments.

    Returns:
        A function that returns what `f` does. A gradient with respect to its results is one with
        respect to its arguments, in their order, whatever `f` computes and assigns on the way; the
        variables that it reads get None.

    Raises:
        ValueError: by `tape.gradient`, if there are not as many results as arguments.

    >>> x = tf.Variable(1.4)
    >>> with tf.GradientTape() as tape:
    ...     y = tf.grad_pass_through(tf.round)(x) * 3.0
    >>> y.numpy(), tape.gradient(y, x).numpy()
    (np.float32(3.0), np.float32(3.0))

    See https://www.tensorflow.org/api_docs/python/tf/grad_pass_through.
    """

    @functools.wraps(f, updated=())
    def passing(*args: Any, **kwargs: Any) -> Any:
        def gradient(*upstream: Any, variables: Sequence[Variable] = ()) -> Any:
            return (upstream, [None] * len(variables)) if variables else upstream

        return _call(lambda *a, **k: (f(*a, **k), gradient), args, kwargs)

    return passing


def _call(f: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return with_gradient_function(lambda: f(*args, **kwargs), _tensors(nest.flatten(args)))


def with_gradient_function(call: Callable[[], Any], arguments: Iterable[Any]) -> Any:
    """Calls a function that returns its result and the gradient function, and notes this.

    Args:
        call: returns the pair.
        arguments: what the gradients are for, besides variables.

    Returns:
        The result.
    """
    with _watching() as watcher:
        result, grad_fn = call()
    if not callable(grad_fn):
        raise TypeError("unsupported callable")
    parts = nest.flatten(result)
    results = [convert(differentiated(part)) for part in parts]
    arguments = list(arguments)
    variables = [
        v
        for v in sorted(watcher.variables.values(), key=lambda v: v._serial)
        if not any(v is argument for argument in arguments)
    ]
    _check_takes_variables(grad_fn, variables)
    if THREAD.recording.frame is not None:
        outputs = _record(results, arguments, variables, grad_fn)
    elif THREAD.recording.watchers():
        outputs = _record_boundary(results, arguments, variables, grad_fn)
    else:
        outputs = results
    pairs = zip(parts, outputs, strict=True)
    return nest.pack_sequence_as(result, [with_gradient(*pair) for pair in pairs])


def _tensors(arguments: list[Any]) -> Iterator[Any]:
    """Yields what among the arguments is a tensor, or becomes one."""
    for item in map(differentiated, arguments):
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


# Where Python code runs when a gradient comes.


def _record_boundary(
    results: list[EagerTensor],
    arguments: list[Any],
    variables: list[Variable],
    grad_fn: Callable[..., Any],
) -> list[EagerTensor]:
    recording = THREAD.recording
    operands = [operand(item) for item in (*results, *arguments, *variables)]
    slots = tuple([slot for slot, _ in operands])
    outputs = recording.apply(BOUNDARY, (len(results),), slots, [type_ for _, type_ in operands])
    if recording.frame is None:
        for output, result in zip(outputs, results, strict=True):
            output._value = result._value  # known already, if it is
    call = functools.partial(_gradients, grad_fn, len(arguments), variables)
    recording.data.custom[outputs[0]._slot] = BoundaryFunction(call, grad_fn)
    return outputs


# Where the gradient function is a part of the program.


class _RecordedGradients(ThreadState):
    """The code of the gradient functions that this thread is recording, the outermost first."""

    codes: tuple[Any, ...] = ()


_RECORDED = _RecordedGradients()


def _codes(function: Callable[..., Any]) -> tuple[Any, ...]:
    """Returns the code of a function and of those in its closure, which tell it from others.

    `grad_fn` is a new function at each call, and may be a wrapper that several have.
    """
    functions: list[Any] = [function]
    while isinstance(function, functools.partial):
        functions += [*function.args, *function.keywords.values()]
        functions[0] = function = function.func
    for cell in getattr(function, "__closure__", None) or ():
        with suppress(ValueError):  # an empty cell
            functions.append(cell.cell_contents)
    return tuple([getattr(f, "__code__", type(f)) for f in functions if callable(f)])


def _is_seen_from_outside() -> bool:
    """Whether gradients may come from outside of the body that is recorded, if one is."""
    outer = THREAD.recording.enclosing
    while outer is not None:
        if outer.watchers():
            return True
        outer = outer.enclosing
    return False


def _record(
    results: list[EagerTensor],
    arguments: list[Any],
    variables: list[Variable],
    grad_fn: Callable[..., Any],
) -> list[EagerTensor]:
    """Records the function's results and its gradient, in a function or body."""
    sources = [*arguments, *variables]
    codes = _codes(grad_fn)
    found = None
    if codes not in _RECORDED.codes:  # else its gradients have gradients of this kind, without end
        with _RECORDED.temporarily(codes=(*_RECORDED.codes, codes)):
            found = _gradient_body(results, sources, lambda *upstream: _gradients(
                grad_fn, len(arguments), variables, *upstream
            ))  # fmt: skip
    if found is None:
        if _is_seen_from_outside():
            THREAD.recording.observe(WHY_PYTHON)
        return _record_boundary(results, arguments, variables, grad_fn)
    body, given = found
    taken = body.outer_tensors()
    outside = [operand(item) for item in taken]
    operands = [operand(item) for item in (*results, *sources)]
    rule = Rule(
        body.program, tuple(result._type for result in results),
        tuple(source._type for source in sources), given, tuple(type_ for _, type_ in outside),
        tuple(place for place, item in enumerate(taken) if _is_zero(item)),
    )  # fmt: skip
    slots = tuple([slot for slot, _ in (*operands, *outside)])
    types = [type_ for _, type_ in (*operands, *outside)]
    operation = interned(CustomGradientByRule, rule)
    adopt_lines(operation.rule, rule)
    return THREAD.recording.apply(operation, (), slots, types)


def _is_zero(tensor: EagerTensor | Variable) -> bool:
    """Whether it is a constant zero, whose value costs nothing to look at."""
    value = tensor._value if isinstance(tensor, EagerTensor) else None
    return isinstance(value, np.ndarray) and value.size == 1 and not value.any()


def _gradient_body(
    results: Sequence[EagerTensor], sources: Sequence[Any], gradients: Callable[..., list[Any]]
) -> tuple[Body, tuple[int, ...]] | None:
    """Records a gradient function.

    Args:
        results: what the upstream gradients are for.
        sources: what it gives gradients for.
        gradients: the function.

    Returns:
        Its program, and the places of the sources that it gives gradients for; None if its Python
        has to run.
    """
    given: list[int] = []

    def function(upstream: list[EagerTensor]) -> list[EagerTensor]:
        found = gradients(*upstream)
        pairs = zip(found, sources, strict=True)
        given.extend(p for p, (g, s) in enumerate(pairs) if g is not None and s._type.inexact)
        return [found[place] for place in given]

    try:
        with rehearsing():  # if the Python has to run, it draws its random numbers
            types = [result._type for result in results]
            body = body_of(sized_like(function, results), gradients, types)
    except (ValueWanted, Exception):  # of the gradient: raised again when Python runs for one
        return None
    program = body.program
    wanted = tuple(sources[place]._type for place in given)
    if body.uncertain or body.assigned or program.acts or program.types != wanted:
        return None
    types = [[item._type for item in items] for items in (results, body.drawn_tensors())]
    if program.check_types(*types):
        return None
    return body, tuple(given)
