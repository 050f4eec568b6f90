"""Keras's loops and branches, made of ours: `rnn`, `cond`, `while_loop`, `scan`, `map` and more.

Their functions close over tensors and variables, so they are recorded as the bodies of ours.
"""

from collections.abc import Callable, Sequence
from typing import Any

import jax

from tapefacade._core.conversion import convert_to_tensor
from tapefacade._core.operands import is_operand
from tapefacade._core.tensor import EagerTensor
from tapefacade._function.control.bodies import body_of
from tapefacade._function.control.cond import cond as cond_op
from tapefacade._function.control.map_fn import map_fn
from tapefacade._function.control.scan import scan as scan_op
from tapefacade._function.control.switch_case import switch_case
from tapefacade._function.control.vectorized_map import vectorized_map as vectorized_map_op
from tapefacade._function.control.while_loop import while_loop as while_loop_op
from tapefacade._keras.backend.lifted_functions import KerasState
from tapefacade._ops.array.casting import cast
from tapefacade._ops.array.copying import zeros_like
from tapefacade._ops.array.creation import range as range_op, zeros as zeros_op
from tapefacade._ops.array.joining import stack
from tapefacade._ops.array.selecting import where
from tapefacade._ops.array.shaping import reshape, reverse as reverse_op, transpose
from tapefacade._ops.math.clipping import clip_by_value
from tapefacade._trace.frames import ValueWanted

Tensors = Sequence[Any]


def own(original: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Makes a decorator: the function stands for one of Keras's, but where Keras infers shapes."""

    def decorated(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            if not KerasState.computes_on_arrays():
                return function(*args, **kwargs)
            args, kwargs = _map(_array, (args, kwargs))  # what is carried has one type throughout
            return original(*args, **kwargs)

        call.__name__, call.__doc__ = original.__name__, original.__doc__
        return call

    return decorated


def _map(function: Callable[..., Any], *structures: Any) -> Any:
    return jax.tree.map(function, *structures, is_leaf=is_operand)


def _array(value: Any) -> Any:
    return value._device_array() if isinstance(value, EagerTensor) else value


def _flat(structure: Any) -> list[Any]:
    return jax.tree.leaves(structure, is_leaf=is_operand)


def _transposed(x: Any) -> Any:
    """Returns a tensor whose first two axes have changed places."""
    return transpose(x, [1, 0, *range(2, len(x.shape))])


def rnn(
    step_function: Callable[..., Any],
    inputs: Any,
    initial_states: Any,
    go_backwards: bool = False,
    mask: Any = None,
    constants: Any = None,
    unroll: bool = False,
    input_length: Any = None,
    time_major: bool = False,
    zero_output_for_mask: bool = False,
    return_all_outputs: bool = True,
) -> tuple[Any, Any, Any]:
    """Runs a step over the time axis of inputs; see `keras.backend.rnn`.

    Args:
        step_function: of the inputs at one time, and the states (and constants); returns an output
            and the new states.
        inputs: tensors of shape `[batch, time, ...]`, or `[time, batch, ...]` if `time_major`.
        initial_states: the states before the first step.
        go_backwards: begin with the last time.
        mask: a boolean tensor `[batch, time]`: where it is false, the output and the states stay.
        constants: passed on to every step.
        unroll: write the steps out.
        input_length: not used.
        time_major: where the time axis is.
        zero_output_for_mask: the output is zero where the mask is false.
        return_all_outputs: return the outputs of all times, not only the last one.

    Returns:
        The last output, the outputs of all times, and the last states.
    """
    inputs = _map(convert_to_tensor, inputs)
    if not time_major:
        inputs = _map(_transposed, inputs)
    if mask is not None:
        mask = cast(mask, "bool")
        mask = mask if time_major else _transposed(mask)
    if go_backwards:
        inputs = _map(lambda x: reverse_op(x, [0]), inputs)
        mask = None if mask is None else reverse_op(mask, [0])
    steps = _Steps(step_function, initial_states, constants or [], zero_output_for_mask)
    outputs, states = steps.over(inputs, mask, unroll)
    last = _map(lambda x: x[-1], outputs)
    if not return_all_outputs:
        outputs = _map(lambda x: x[-1:], outputs)
    if not time_major:
        outputs = _map(_transposed, outputs)
    return last, outputs, states


class _Steps:
    """The steps of a recurrent network."""

    def __init__(
        self, function: Callable[..., Any], states: Any, constants: Any, zero_output: bool
    ) -> None:
        self._function = function
        self._constants = tuple(constants)
        self._states = [convert_to_tensor(state) for state in _flat(tuple(states))]
        self._structure = jax.tree.structure(tuple(states), is_leaf=is_operand)
        self._zero_output = zero_output

    def _step(self, states: Tensors, inputs: Any) -> tuple[Any, list[Any]]:
        packed = jax.tree.unflatten(self._structure, list(states))
        output, new = self._function(inputs, (*packed, *self._constants))
        return output, _flat(tuple(new))

    def over(self, inputs: Any, mask: Any, unroll: bool) -> tuple[Any, Any]:
        """Runs the steps; returns the outputs of all times and the last states."""
        leaves, self._inputs = jax.tree.flatten(inputs, is_leaf=is_operand)
        count = leaves[0].shape[0]
        elements = leaves if mask is None else [*leaves, mask]
        first = None
        if not unroll:
            try:
                first = self._zeros([leaf[0] for leaf in leaves])
            except ValueWanted:
                unroll = True
        if unroll:
            return self._written_out(elements, count, mask is not None)
        zeros, self._outputs = jax.tree.flatten(first, is_leaf=is_operand)
        places = len(zeros)

        def move(state: Tensors, rows: Tensors) -> list[Any]:
            return self._moved(state[:places], state[places:], rows, mask is not None)

        found = scan_op(move, elements, [*zeros, *self._states])
        outputs = jax.tree.unflatten(self._outputs, found[:places])
        states = jax.tree.unflatten(self._structure, [state[-1] for state in found[places:]])
        return outputs, states

    def _zeros(self, rows: Tensors) -> Any:
        """Returns zeros in the form of an output."""
        given = [*rows, *self._states]
        count = len(rows)

        def step(tensors: list[EagerTensor]) -> Any:
            inputs = jax.tree.unflatten(self._inputs, tensors[:count])
            return self._step(tensors[count:], inputs)[0]

        body = body_of(step, self._function, [tensor._type for tensor in given])
        zeros = [zeros_op(type_.shape, type_.dtype) for type_ in body.program.types[: body.count]]
        return body.structure.with_tensors(zeros)

    def _moved(
        self, outputs: Tensors, states: Tensors, rows: Tensors, is_masked: bool
    ) -> list[Any]:
        """Takes a step: where the mask is false, outputs and states stay what they were."""
        inputs = jax.tree.unflatten(self._inputs, list(rows[: len(rows) - is_masked]))
        output, new = self._step(states, inputs)
        found = _flat(output)
        if is_masked:
            if self._zero_output:
                outputs = [zeros_like(x) for x in found]
            found = [_chosen(rows[-1], *pair) for pair in zip(found, outputs, strict=True)]
            new = [_chosen(rows[-1], *pair) for pair in zip(new, states, strict=True)]
        return [*found, *new]

    def _written_out(self, elements: Tensors, count: int, is_masked: bool) -> tuple[Any, Any]:
        states, last = self._states, None
        structure, collected = None, []
        for time in range(count):
            rows = [element[time] for element in elements]
            inputs = jax.tree.unflatten(self._inputs, rows[: len(rows) - is_masked])
            output, new = self._step(states, inputs)
            structure = jax.tree.structure(output, is_leaf=is_operand)
            found = _flat(output)
            if is_masked:
                if last is None or self._zero_output:
                    last = [zeros_like(x) for x in found]
                found = [_chosen(rows[-1], *pair) for pair in zip(found, last, strict=True)]
                new = [_chosen(rows[-1], *pair) for pair in zip(new, states, strict=True)]
            states, last = new, found
            collected.append(found)
        stacked = [stack(list(column)) for column in zip(*collected, strict=True)]
        assert structure is not None
        return (
            jax.tree.unflatten(structure, stacked),
            jax.tree.unflatten(self._structure, states),
        )


def _chosen(mask: Any, new: Any, old: Any) -> Any:
    """Returns `new` where the mask is true for the example, else `old`."""
    mask = reshape(mask, [-1] + [1] * (len(new.shape) - 1))
    return where(mask, new, cast(old, new.dtype))


def cond(pred: Any, true_fn: Callable[[], Any], false_fn: Callable[[], Any]) -> Any:
    """Calls one of two functions."""
    return cond_op(cast(pred, "bool"), true_fn, false_fn)


def switch(index: Any, branches: Sequence[Callable[..., Any]], *operands: Any) -> Any:
    """Calls the function of a number; a number out of range is brought within it."""
    index = clip_by_value(cast(index, "int32"), 0, len(branches) - 1)
    calls = [lambda branch=branch: branch(*operands) for branch in branches]
    return switch_case(index, calls)


def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    maximum_iterations: int | None = None,
) -> Any:
    """Repeats a function while another one says so."""
    is_tuple = isinstance(loop_vars, tuple | list)
    given = tuple(loop_vars) if is_tuple else (loop_vars,)

    def repeated(*values: Any) -> Any:
        result = body(*values)
        return tuple(result) if is_tuple else (result,)

    found = while_loop_op(cond, repeated, given, maximum_iterations=maximum_iterations)
    return tuple(found) if is_tuple else found[0]


def fori_loop(lower: Any, upper: Any, body_fun: Callable[..., Any], init_val: Any) -> Any:
    """Repeats a function of the number of the iteration and a value."""
    index = convert_to_tensor(lower, "int32")
    return while_loop_op(
        lambda i, _: i < upper, lambda i, value: (i + 1, body_fun(i, value)), (index, init_val)
    )[1]


def map_rows(f: Callable[..., Any], xs: Any) -> Any:
    """Calls a function for each row."""
    first = _map(lambda x: x[0], xs)
    like = body_of(
        lambda tensors: f(_packed(first, tensors)), f, [leaf._type for leaf in _flat(first)]
    )
    specs = like.structure.with_tensors([type_.dtype for type_ in like.program.types[: like.count]])
    return map_fn(f, xs, fn_output_signature=specs)


def _packed(like: Any, tensors: Sequence[Any]) -> Any:
    structure = jax.tree.structure(like, is_leaf=is_operand)
    return jax.tree.unflatten(structure, list(tensors))


def vectorized_map(function: Callable[..., Any], elements: Any) -> Any:
    """Calls a function for all rows at once."""
    return vectorized_map_op(function, elements)


def scan(
    f: Callable[..., Any], init: Any, xs: Any = None, length: int | None = None,
    reverse: bool = False, unroll: Any = 1,
) -> tuple[Any, Any]:  # fmt: skip
    """Carries a value along rows, and collects what the function gives for each."""
    if xs is None:
        xs = range_op(length)
        return scan(lambda carry, _: f(carry, None), init, xs, None, reverse)
    init, xs = _map(convert_to_tensor, init), _map(convert_to_tensor, xs)
    first = _map(lambda x: x[0], xs)
    given = [*_flat(init), *_flat(first)]
    count = len(_flat(init))
    body = body_of(
        lambda tensors: f(_packed(init, tensors[:count]), _packed(first, tensors[count:]))[1],
        f, [tensor._type for tensor in given],
    )  # fmt: skip
    types = body.program.types[: body.count]
    zeros = body.structure.with_tensors([zeros_op(t.shape, t.dtype) for t in types])
    carries, collected = scan_op(
        lambda state, row: f(state[0], row), xs, (init, zeros), reverse=reverse
    )
    return _map(lambda x: x[0 if reverse else -1], carries), collected


REPLACED_FUNCTIONS = {
    "cond": cond, "switch": switch, "while_loop": while_loop, "fori_loop": fori_loop,
    "map": map_rows, "vectorized_map": vectorized_map, "scan": scan,
}  # fmt: skip
