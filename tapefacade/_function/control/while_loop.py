"""`tf.while_loop`."""

import contextlib
import functools
from collections.abc import Callable, Sequence
from typing import Any

from tapefacade._core import dtypes, nest
from tapefacade._core.conversion import convert
from tapefacade._core.error_texts import MESSAGE_PARALLEL_ITERATIONS, invalid
from tapefacade._core.random_keys import body_draws, rehearsing
from tapefacade._core.tensor import EagerTensor
from tapefacade._core.tensor_shape import TensorShape, as_shape
from tapefacade._core.tensor_spec import TensorSpec, type_spec_from_value
from tapefacade._core.type_spec import TypeSpec
from tapefacade._definition.op import function
from tapefacade._function.control.bodies import Body, body_of
from tapefacade._function.control.cond import is_true
from tapefacade._function.control.empty_loops import learn_element_shapes
from tapefacade._function.control.loop_variables import (
    MESSAGE_DTYPE,
    MESSAGE_SHAPE,
    WHY_BODY_GONE,
    WHY_GROWS,
    WHY_SHAPE_CHANGES,
    WHY_WRITES_OUTSIDE,
    LoopVariables,
    NotOneProgramError,
    as_tensors,
    finished,
    flag_of,
    has_settled,
)
from tapefacade._function.control.map_fn import without_gradient
from tapefacade._function.control.row_loops import (
    WHY_LOOKED,
    WHY_SOURCES,
    Iteration,
    in_graph,
    needs_python,
    rehearsed,
)
from tapefacade._function.control.while_recording import (
    While,
    gets_next_element,
    same_types,
)
from tapefacade._function.function.unknown_sizes import OpenSizes, unknown_sizes_shown
from tapefacade._ops.array.creation import zeros as zeros_op
from tapefacade._ops.array.tensor_array import TensorArray, unchanged_arrays
from tapefacade._trace.frames import ValueWanted
from tapefacade._trace.open_sizes import note_shapes, open_sizes, opened_sizes, sized_like
from tapefacade._trace.recording import THREAD


def require_shape(invariant: Any) -> None:
    """Refuses a shape invariant that is none.

    Raises:
        TypeError: if it is no shape and no spec.
    """
    if not isinstance(invariant, TypeSpec | TensorShape | None):
        raise TypeError(
            f"'shape' must be one of TypeSpec, TensorShape or None. Received: {type(invariant)}"
        )


def check_invariants(values: Any, invariants: Any) -> None:
    """Checks that shape invariants fit the loop variables.

    Raises:
        ValueError: if they have another structure.
        TypeError: if a `tf.TensorSpec` has another dtype, or one is no shape.
    """
    nest.assert_same_structure(values, invariants)
    for leaf, invariant in zip(nest.flatten(values), nest.flatten(invariants), strict=True):
        require_shape(invariant)
        if (
            isinstance(invariant, TensorSpec)
            and isinstance(leaf, EagerTensor)
            and not invariant.is_compatible_with(leaf)
        ):
            raise TypeError(f"TypeSpec {invariant} is not compatible with {leaf!r}")


def require_same_types(
    values: Any, state: Sequence[EagerTensor], body: Body, invariants: Any
) -> None:
    """Refuses loop variables that have another type after an iteration.

    Raises:
        TypeError: if a dtype changes.
        ValueError: if a shape changes that must not.
        NotOneProgramError: if a shape changes that may.
    """
    types = body.program.types[: body.count]
    allowed = [None] * len(state)
    flat = [] if invariants is None else nest.flatten(invariants, expand_composites=True)
    if len(flat) == len(state):
        allowed = [spec.shape if isinstance(spec, TensorSpec) else spec for spec in flat]
    names = [_name(tensor) for tensor in state]
    for tensor, type_, name in zip(state, types, names, strict=True):
        if tensor._type.numpy_dtype != type_.numpy_dtype:
            raise TypeError(MESSAGE_DTYPE.format(name, tensor.dtype, type_.dtype))
    changes = False
    for tensor, type_, name, shape in zip(state, types, names, allowed, strict=True):
        if tensor._type.shape == type_.shape:
            continue
        wide = tensor.shape if shape is None else as_shape(shape)
        if wide.is_fully_defined() or not wide.is_compatible_with(type_.shape):
            raise ValueError(MESSAGE_SHAPE.format(name, wide, as_shape(type_.shape)))
        changes = True
    if changes:
        raise NotOneProgramError(WHY_SHAPE_CHANGES)


def _name(tensor: EagerTensor) -> str:
    """Returns TensorFlow's name of a tensor in a graph."""
    name = THREAD.recording.symbolic_name(tensor) if tensor._value is None else None
    return name or "Const:0"


MESSAGE_NO_BOOL = (
    "Input 'input' passed {} expected bool while building NodeDef 'while/LoopCond/_8' using "
    "Op<name=LoopCond; signature=input:bool -> output:bool>"
)


@function("while_loop")
def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    maximum_iterations: Any = None,
    name: None = None,
) -> Any:
    """Repeats a function as long as a condition is true.

    The loop is one instruction of the compiled program, whatever the number of iterations, also in
    eager code. Gradients flow through it, forward and in reverse. In reverse the number of
    iterations has to be known: counting loops (`i < n`, `i + 1`) are; others run once more to learn
    it, under a tape, and in a function that makes a tape itself the Python of the function runs at
    every call unless `maximum_iterations` gives a bound of up to 1,024.

    Unlike TensorFlow's eager loop, the Python of `cond` and `body` does not run in every iteration,
    but twice, on tensors without values: if both times the same is recorded, that is the loop.
    Where they differ, Python looks at a value, a tensor changes its shape or dtype, or there are
    texts, or a `tf.TensorArray` grows in another way than by an element in each of a known number
    of iterations, Python runs every iteration. Python integers among `loop_vars` are tensors from
    the start.

    Args:
        cond: a function of the loop variables that returns a boolean scalar.
        body: a function of the loop variables that returns the next ones.
        loop_vars: a list or tuple of tensors, `tf.TensorArray`s, ragged or sparse tensors, or
            structures of these.
        shape_invariants: in a `tf.function`, the shapes that the loop variables keep, in the same
            structure; needed where one of them changes its shape.
        parallel_iterations: accepted for TensorFlow's sake; a positive integer.
        back_prop: in a `tf.function`, whether gradients flow through it.
        swap_memory: accepted for TensorFlow's sake.
        maximum_iterations: the largest number of iterations, an integer scalar.
        name: ignored.

    Returns:
        The loop variables after the last iteration, in the structure of `loop_vars` (in eager code
        in that of what `body` returns).

    Raises:
        TypeError: if a function cannot be called, or a loop variable changes its dtype in a
            `tf.function`.
        ValueError: if there are no loop variables, `body` returns another structure, or in a
            `tf.function` another shape than `shape_invariants` allow.

    >>> i, total = tf.while_loop(lambda i, s: i < 5, lambda i, s: (i + 1, s + i),
    ...                          (tf.constant(0), tf.constant(0)))
    >>> total.numpy()
    np.int32(10)

    See https://www.tensorflow.org/api_docs/python/tf/while_loop.
    """
    is_graph = in_graph() and THREAD.recording.frame is not None
    if not callable(cond):
        raise TypeError("'cond' must be callable.")
    if not callable(body):
        raise TypeError("'body' must be callable.")
    if parallel_iterations < 1:
        raise TypeError(MESSAGE_PARALLEL_ITERATIONS)
    limit = iteration_limit(maximum_iterations, is_graph)
    if is_graph:
        if isinstance(loop_vars, EagerTensor):
            raise TypeError("'loop_vars' must be a list or tuple of loop variables.")
        if shape_invariants is not None:
            check_invariants(loop_vars, shape_invariants)
        values = as_tensors(loop_vars)
        result = _WhileLoop(cond, body, values, limit, is_graph, shape_invariants).run()
        return nest.map_structure(lambda leaf: without_gradient(leaf, back_prop), result)
    if not loop_vars:
        raise ValueError("'loop_vars' must be provided.")
    invariants = shape_invariants if THREAD.functions else None  # eager code knows all sizes
    return _WhileLoop(cond, body, loop_vars, limit, is_graph, invariants).run()


def iteration_limit(given: Any, is_graph: bool) -> EagerTensor | int | None:
    """Converts the largest number of iterations; in eager code it is looked at."""
    if given is None:
        return None
    if is_graph and isinstance(given, int):
        return given
    if is_graph:
        try:
            limit = convert(given, dtypes.int32)
        except ValueError as error:
            raise ValueError(f"maximum_iterations: {error}") from None
    else:
        limit = convert(given)
    if limit.shape.rank:
        raise ValueError(f"'maximum_iterations' must be a scalar. Received shape: {limit.shape}")
    if not is_graph:
        return int(limit.numpy())
    return limit


class _WhileLoop:
    """One call of `tf.while_loop`."""

    def __init__(
        self, cond: Callable[..., Any], body: Callable[..., Any], values: Any,
        limit: EagerTensor | int | None, is_graph: bool, invariants: Any,
    ) -> None:  # fmt: skip
        self._cond = cond
        self._body = body
        self._values = values  # at first
        self._limit = limit
        self._is_graph = is_graph
        self._invariants = invariants
        self._done: list[Iteration] = []  # what Python has done for the first iterations
        self._variables: LoopVariables | None = None  # of the iterations that Python has done
        self._specs = None if is_graph else _specs(values, limit is not None)

    def run(self) -> Any:
        """Runs the loop: as one program if that is possible, else in Python."""
        result = self._result()
        if self._invariants is not None and (account := opened_sizes()) is not None:
            note_shapes(account, nest.flatten(result), nest.flatten(self._invariants))
        return result

    def _result(self) -> Any:
        values, count, is_tried = self._values, 0, False
        while True:
            if not is_tried and (self._is_graph or has_settled(values)):
                is_tried = True
                made, result = self._as_program(values, count)
                if made:
                    return result
            if not self._goes_on(values, count):
                if not count and THREAD.functions:
                    self._learn_shapes(values)
                return finished(values)
            values, count = self._next(values, count + 1), count + 1

    def _learn_shapes(self, values: Any) -> None:
        """Tells arrays what shape the elements have that the body would write."""

        def step() -> list[Any]:
            return nest.flatten(self._checked(self._call(self._body, values), values, 1))

        learn_element_shapes(nest.flatten(values), step, self._body)

    # As one program.

    def _as_program(self, values: Any, count: int) -> tuple[bool, Any]:
        """Records the loop.

        Args:
            values: the loop variables.
            count: the number of iterations that Python has done.

        Returns:
            Whether it is one program, and the result.
        """
        limit = self._limit - count if isinstance(self._limit, int) else self._limit
        try:
            with unchanged_arrays() as changed:
                variables, loop = self._loop(values, limit)
            if changed:
                raise NotOneProgramError(WHY_WRITES_OUTSIDE)
        except ValueWanted as wanted:
            why = WHY_LOOKED.format(wanted.line)
        except NotOneProgramError as error:
            why = str(error)
        except Exception as error:  # Python will meet it, unless numbers are to stay numbers
            if self._is_graph:
                raise
            why = str(error)
        else:
            tensors, found = loop.recorded()
            return True, variables.result(tensors, found != 0 and loop.iterations != 0)
        if THREAD.recording.frame is not None:
            THREAD.recording.observe(why)
        return False, None

    def _loop(
        self, values: Any, limit: EagerTensor | int | None, room: int = 1
    ) -> tuple[LoopVariables, While]:
        """Records the condition and the body; `room` as of `LoopVariables`."""
        variables = LoopVariables(values, self._is_graph, room)
        state = self._state(variables)
        loop = While(*self._recorded(variables, state), state, limit)
        loop.prepare()
        if variables.growing:
            count = loop.iterations
            if count is None:
                raise NotOneProgramError(WHY_GROWS)
            if count not in (0, room):
                return self._loop(values, limit, count)
        if not all(gets_next_element(loop.body, state, place) for place in variables.growing):
            raise NotOneProgramError(WHY_GROWS)
        return variables, loop

    def _state(self, variables: LoopVariables) -> list[EagerTensor]:
        """Returns the loop variables as tensors; the body tells the shapes of empty arrays."""
        state = variables.state
        if None in state:

            def probe(tensors: list[EagerTensor]) -> Any:
                rest = iter(tensors)
                return self._step(variables, [None if t is None else next(rest) for t in state])

            with rehearsing(), body_draws():
                types = [tensor._type for tensor in state if tensor is not None]
                found = body_of(probe, self._body, types).program.types
            zeros = zeros_op
            state = [
                zeros(type_.shape, type_.dtype) if tensor is None else tensor
                for tensor, type_ in zip(state, found, strict=False)
            ]
        return [tensor for tensor in state if tensor is not None]

    def _step(self, variables: LoopVariables, tensors: Sequence[EagerTensor | None]) -> list[Any]:
        """Calls the body."""
        values = variables.packed(tensors)
        return variables.taken(self._checked(self._call(self._body, values), values, 1))

    def _recorded(
        self, variables: LoopVariables, state: Sequence[EagerTensor]
    ) -> tuple[Body, Body]:
        """Records the condition and the body.

        Raises:
            NotOneProgramError: if the body does not do the same in all iterations.
        """
        types = [tensor._type for tensor in state]
        names = [f"while/Placeholder{f'_{k}' if k else ''}" for k in range(len(types))]

        def asked(tensors: list[EagerTensor]) -> EagerTensor:
            answer = self._call(self._cond, variables.packed(tensors))
            return flag_of(answer, self._is_graph, _no_boolean)

        step = functools.partial(self._step, variables)
        with rehearsing(), body_draws():
            condition = body_of(sized_like(asked, state), self._cond, types, names)
        if condition.assigned or not condition.is_complete:
            raise NotOneProgramError("the condition of a loop assigns a variable")
        if THREAD.recording.frame is None:
            body, done = rehearsed(step, self._body, types, names, len(types))
            if body is None:
                if not variables.arrays:
                    self._done, self._variables = done, variables
                raise NotOneProgramError("the Python of the body is not the same each time")
        else:
            with rehearsing(), body_draws():
                body = body_of(sized_like(step, state), self._body, types, names)
            self._check(variables, state, body)
        if not body.is_complete:
            raise NotOneProgramError(WHY_BODY_GONE)
        return condition, body

    def _check(self, variables: LoopVariables, state: Sequence[EagerTensor], body: Body) -> None:
        if self._is_graph and body.count == len(state):
            require_same_types(self._values, state, body, self._invariants)
        if not same_types(state, body):
            raise NotOneProgramError(WHY_SHAPE_CHANGES)
        if THREAD.recording.watchers() and needs_python(body):
            raise NotOneProgramError(WHY_SOURCES)

    def _call(self, python: Callable[..., Any], values: Any) -> Any:
        """Calls the condition or the body, which know of sizes what the invariants tell."""
        if self._invariants is None:
            return python(*values)
        account, own = open_sizes(), OpenSizes(())
        with contextlib.nullcontext() if account is not None else unknown_sizes_shown(own):
            note_shapes(account or own, nest.flatten(values), nest.flatten(self._invariants))
            return python(*values)

    # In Python.

    def _goes_on(self, values: Any, count: int) -> bool:
        answer = self._call(self._cond, values)
        if self._limit is None:
            return bool(answer)
        limit = self._limit if isinstance(self._limit, int) else int(self._limit.numpy())
        return is_true(answer) and count < limit

    def _next(self, values: Any, count: int) -> Any:
        """Runs the body, unless it was run before."""
        while self._done and self._variables is not None:
            iteration = self._done.pop(0)
            state = LoopVariables(values, self._is_graph).state
            tensors = [tensor for tensor in state if tensor is not None]
            if iteration.body.count == len(state) and iteration.body.takes(tensors):
                return self._variables.result(iteration.again(tensors))
        return self._checked(self._call(self._body, values), values, count)

    def _checked(self, result: Any, values: Any, count: int) -> Any:
        """Checks what the body returns.

        Raises:
            ValueError: if it has another structure than the loop variables.
        """
        if THREAD.functions and len(values) == 1 and not nest.is_nested(result):
            result = [result]
        if not self._is_graph:
            found = list(result)
            if self._limit is None:
                nest.assert_same_structure(self._specs, found)
            else:
                nest.assert_same_structure(self._specs, [count, result])
            return result
        nest.assert_same_structure(result, values, check_types=False)
        flat = [leaf if isinstance(leaf, TensorArray) else as_tensors(leaf)
                for leaf in nest.flatten(result)]  # fmt: skip
        return nest.pack_sequence_as(values, flat)


def _no_boolean(kernel: str) -> Exception:
    return invalid(MESSAGE_NO_BOOL.format(kernel))


def _specs(values: Any, is_limited: bool) -> list[Any]:
    """Describes loop variables, as TensorFlow's messages do."""
    form = nest.map_structure(type_spec_from_value, values if is_limited else list(values))
    return [type_spec_from_value(convert(0)), form] if is_limited else form
