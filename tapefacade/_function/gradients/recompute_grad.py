"""`tf.recompute_grad`: what a function computes on the way is computed again for its gradient.

The function is recorded as the body of one instruction: only its operands are kept until its
gradient is computed.
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax

from tapefacade._core import nest
from tapefacade._core.conversion import convert
from tapefacade._core.gradient_rules import DIFFERENTIABLE, NoGradient
from tapefacade._core.interned_objects import interned
from tapefacade._core.random_keys import rehearsing
from tapefacade._core.tensor import EagerTensor
from tapefacade._core.tensor_type import TensorType
from tapefacade._core.tracebacks import shortening
from tapefacade._definition.op import function as registered
from tapefacade._function.control.bodies import (
    Body,
    BodyProgram,
    body_of,
    dependencies_of,
    flow_of,
    operand,
    record_checks,
)
from tapefacade._function.gradients.custom_gradient import with_gradient_function
from tapefacade._state.joint_assignments import put_together
from tapefacade._state.variable import Variable
from tapefacade._tape.derivative_modes import in_forward_mode
from tapefacade._tape.derivatives.rematerialization import recomputed
from tapefacade._tape.tape import GradientTape
from tapefacade._trace.assignments import locked
from tapefacade._trace.frames import ValueWanted
from tapefacade._trace.open_sizes import sized_like
from tapefacade._trace.operation import Operation
from tapefacade._trace.recording import THREAD


class RecomputationPlan(NamedTuple):
    """All that decides what a recomputation computes.

    Attributes:
        program: what the function computes.
        results: how many results the function has; what follows are new values of variables.
        arguments: how many operands are arguments; the rest comes from outside.
        sources: the places of the operands that gradients flow to.
        types: the types of the operands.
    """

    program: BodyProgram
    results: int
    arguments: int
    sources: frozenset[int]
    types: tuple[TensorType, ...]


class Recomputation(Operation):
    """Computes a program, and once more when its gradient is computed.

    What its checks say follows its results.
    """

    name = "recompute_grad"
    kernel = "IdentityN"

    def __init__(self, part: RecomputationPlan) -> None:
        self.part = part
        program, count = part.program, part.arguments
        self.replayable = program.replayable
        self.check_types = program.check_types(part.types[:count], part.types[count:])
        self.checks = list(program.checks)
        flow = flow_of(program.part)
        missing = sorted(frozenset[str]().union(*flow.missing[: part.results]))
        self.gradient = NoGradient(missing[0]) if missing else DIFFERENTIABLE
        used = frozenset[int]().union(*dependencies_of(program, count)[: part.results])
        # As in TensorFlow, to which it is one op, all results depend on what one depends on.
        nothing = len(program.types) - part.results + sum(map(len, self.check_types))
        self._dependencies = (part.sources & used,) * part.results + (frozenset[int](),) * nothing

    def infer(
        self, static: tuple[Any, ...], types: Sequence[TensorType]
    ) -> tuple[tuple[TensorType, ...], Any]:
        checks = [type_ for check in self.check_types for type_ in check]
        return (*self.part.program.types, *checks), None

    def resized(self, types: Sequence[TensorType], slots_of: Any) -> Sequence[TensorType]:
        program, count = self.part.program, self.part.arguments
        given = (types[:count], types[count:])
        slots = slots_of(program.part, [given[kind][place] for kind, place in program.places])
        return [slots[slot] for slot in program.part.outputs]

    def dependencies(
        self, static: tuple[Any, ...], types: Sequence[TensorType]
    ) -> tuple[frozenset[int], ...]:
        return self._dependencies

    def evaluate(self, arrays: Sequence[Any], static: tuple[Any, ...]) -> Sequence[Any]:
        part = self.part

        def compute(operands: list[Any], _: tuple[()]) -> tuple[list[Any], Any]:
            return part.program.run(operands[: part.arguments], operands[part.arguments :])

        operands = [
            array if place in part.sources else jax.lax.stop_gradient(array)
            for place, array in enumerate(arrays)
        ]
        if in_forward_mode():
            results, checks = jax.checkpoint(compute)(operands, ())
        else:
            held = range(part.arguments or len(operands))
            results, checks = recomputed(compute, held)(operands, ())
        fixed = [jax.lax.stop_gradient(result) for result in results[part.results :]]
        found = [array for check in checks for array in check]
        return [*results[: part.results], *fixed, *found]


@registered("recompute_grad")
def recompute_grad(f: Callable[..., Any]) -> Callable[..., Any]:
    """Makes a function whose intermediate values are computed again for its gradient, not kept.

    Deep models take less memory with it: of each part that is wrapped only the arguments are kept
    until the gradient is computed, which costs another forward computation (Chen et al., "Training
    Deep Nets with Sublinear Memory Cost", 2016).

    Args:
        f: a function of tensors, or nests of these, that returns tensors or a nest of these.

    Returns:
        A function that returns what `f` does. Gradients flow to its positional arguments and to the
        trainable variables that `f` reads. What else `f` uses, keyword arguments and tensors from
        outside, is constant to it, as in TensorFlow.

    Unlike TensorFlow, derivatives of any order and in forward mode are computed; `f` runs once: it
    assigns and prints once, and the random numbers for the gradient are those of the value. An `f`
    that looks at values or prints runs again as Python for the gradient, in which case it assigns
    again and draws again, as in TensorFlow.

    >>> x = tf.Variable(2.0)
    >>> with tf.GradientTape() as tape:
    ...     y = tf.recompute_grad(lambda z: tf.sin(z) * z)(x)
    >>> tape.gradient(y, x).numpy().round(4)
    np.float32(0.077)

    See https://www.tensorflow.org/api_docs/python/tf/recompute_grad.
    """
    needs_python: list[bool] = []

    @functools.wraps(f, updated=())
    @shortening
    def recomputing(*args: Any, **kwargs: Any) -> Any:
        recording = THREAD.recording
        if recording.frame is None and not recording.watchers():
            return f(*args, **kwargs)
        if not needs_python:
            try:
                return _recorded(f, args, kwargs)
            except ValueWanted:
                needs_python.append(True)
        return _by_python(f, args, kwargs)

    return recomputing


def _recorded(f: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Records a call as one instruction.

    Raises:
        ValueWanted: if the Python has to run.
    """
    flat = nest.flatten(args, expand_composites=True)
    at = [place for place, item in enumerate(flat) if isinstance(item, EagerTensor)]

    def function(inner: list[EagerTensor]) -> Any:
        leaves = list(flat)
        for place, tensor in zip(at, inner, strict=True):
            leaves[place] = tensor
        given = nest.pack_sequence_as(args, leaves, expand_composites=True)
        return _converted(f(*given, **kwargs))

    arguments = [flat[place] for place in at]
    with rehearsing():  # if the Python has to run, it draws its random numbers
        types = [argument._type for argument in arguments]
        body = body_of(sized_like(function, arguments), f, types)
    if body.uncertain or body.program.acts:
        raise ValueWanted(body.uncertain)
    with locked(body.assigned):
        return _record(body, arguments)


def _converted(result: Any) -> Any:
    flat = [convert(item) for item in nest.flatten(result, expand_composites=True)]
    return nest.pack_sequence_as(result, flat, expand_composites=True)


def _record(body: Body, arguments: list[EagerTensor]) -> Any:
    outside = body.outer_tensors()
    count = len(arguments)
    sources = {count + p for p, v in enumerate(outside) if isinstance(v, Variable) and v.trainable}
    operands = [operand(item) for item in (*arguments, *outside)]
    types = tuple([type_ for _, type_ in operands])
    part = RecomputationPlan(
        body.program, body.count, count, frozenset(sources | set(range(count))), types
    )
    operation = interned(Recomputation, part)
    slots = tuple([slot for slot, _ in operands])
    found = THREAD.recording.apply(operation, (), slots, types)
    first = body.count + len(body.assigned)
    of_checks = iter(found[first:])
    checks = [[next(of_checks) for _ in check] for check in operation.check_types]
    if checks:
        record_checks(operation.checks, checks)
    put_together(body.assigned, found[body.count : first])
    return body.structure.with_tensors(found[: body.count])


def _by_python(f: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Calls `f`, which is called again when a gradient comes."""
    flat = nest.flatten(args, expand_composites=True)
    tensors = [item for item in flat if isinstance(item, EagerTensor)]

    def gradient(*upstream: EagerTensor, variables: Sequence[Variable] = ()) -> Any:
        with GradientTape() as tape:
            tape.watch([tensor for tensor in tensors if tensor._type.inexact])
            results = nest.flatten(_converted(f(*args, **kwargs)))
        found = tape.gradient(results, [*tensors, *variables], upstream)
        of_tensors = found[: len(tensors)]
        return (of_tensors, found[len(tensors) :]) if variables else of_tensors

    return with_gradient_function(lambda: (_converted(f(*args, **kwargs)), gradient), tensors)
