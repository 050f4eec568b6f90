"""Loops that hand a state from row to row: `tf.scan`, `tf.foldl` and `tf.foldr`."""

from collections.abc import Callable
from typing import Any

from tapefacade._core import nest
from tapefacade._core.conversion import convert
from tapefacade._core.error_texts import incompatible_dimensions, invalid
from tapefacade._core.tensor import EagerTensor
from tapefacade._core.tensor_spec import TensorSpec
from tapefacade._core.tensor_type import TensorType
from tapefacade._definition.op import function
from tapefacade._function.control.bodies import Body
from tapefacade._function.control.loop_variables import MESSAGE_DTYPE, MESSAGE_SHAPE
from tapefacade._function.control.map_fn import (
    inconsistent_shapes,
    require_function,
    without_gradient,
)
from tapefacade._function.control.row_loops import RowLoop, found_body, in_graph, record_loop
from tapefacade._function.control.scan_op import FOLD, SCAN
from tapefacade._ops.array.tensor_array import TensorArray
from tapefacade._state.variable import Variable
from tapefacade._trace.open_sizes import ACCOUNTS, with_axes_along
from tapefacade._trace.recording import THREAD

WHY_CHANGES = "the state of a loop changes its dtype or shape"
WHY_STRINGS = "a loop over strings runs its Python for each row"


@function("scan")
def scan(
    fn: Callable[..., Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    reverse: bool = False,
    name: str | None = None,
) -> Any:
    """Hands a state from row to row, and stacks all states.

    It is one instruction of the program, however many rows there are.

    Unlike TensorFlow, eager code does not run the Python of `fn` for every row, but twice, on
    tensors without values: if both times the same is recorded, that is done for all rows. Where
    they differ, or the Python looks at a value, it runs for every row.

    Args:
        fn: a function of the state and a row, in the structure of `elems`; returns the next state.
        elems: a tensor `[n, ...]`, or a structure of such tensors.
        initializer: the state at the beginning, a tensor or a structure of tensors; by default the
            first row.
        parallel_iterations: accepted for TensorFlow's sake.
        back_prop: in a `tf.function`, whether gradients flow through it.
        swap_memory: accepted for TensorFlow's sake.
        infer_shape: whether all states must have the same shape.
        reverse: whether the last row comes first; its state is the last of the result.
        name: ignored.

    Returns:
        The states after each row, stacked: tensors `[n, ...]` in the structure of the state.

    Raises:
        ValueError: if the state changes its structure or shape.
        InvalidArgumentError: if it changes its dtype.

    >>> tf.scan(lambda total, x: total + x, tf.constant([1.0, 2.0, 3.0])).numpy()
    array([1., 3., 6.], dtype=float32)

    See https://www.tensorflow.org/api_docs/python/tf/scan.
    """
    call = _ScanCall(SCAN, fn, elems, initializer, reverse, infer_shape)
    return call.packed(call.results(), back_prop)


@function("foldl")
def foldl(
    fn: Callable[..., Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """Hands a state from row to row, and returns the last one.

    It is one instruction of the program; see `tf.scan`.

    Args:
        fn: a function of the state and a row, in the structure of `elems`; returns the next state.
        elems: a tensor `[n, ...]`, or a structure of such tensors.
        initializer: the state at the beginning, a tensor or a structure of tensors; by default the
            first row.
        parallel_iterations: accepted for TensorFlow's sake.
        back_prop: in a `tf.function`, whether gradients flow through it.
        swap_memory: accepted for TensorFlow's sake.
        name: ignored.

    Returns:
        The last state.

    Raises:
        ValueError: if the state changes its structure, or in a `tf.function` its shape.

    >>> tf.foldl(lambda total, x: 10 * total + x, tf.constant([1, 2, 3])).numpy()
    np.int32(123)

    See https://www.tensorflow.org/api_docs/python/tf/foldl.
    """
    call = _ScanCall(FOLD, fn, elems, initializer, False, True)
    return call.packed(call.results(), back_prop)


@function("foldr")
def foldr(
    fn: Callable[..., Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """Hands a state from the last row to the first, and returns the last state.

    It is one instruction of the program; see `tf.scan`.

    Args:
        fn: a function of the state and a row, in the structure of `elems`; returns the next state.
        elems: a tensor `[n, ...]`, or a structure of such tensors.
        initializer: the state at the beginning, a tensor or a structure of tensors; by default the
            last row.
        parallel_iterations: accepted for TensorFlow's sake.
        back_prop: in a `tf.function`, whether gradients flow through it.
        swap_memory: accepted for TensorFlow's sake.
        name: ignored.

    Returns:
        The last state.

    Raises:
        ValueError: if the state changes its structure, or in a `tf.function` its shape.

    >>> tf.foldr(lambda total, x: 10 * total + x, tf.constant([1, 2, 3])).numpy()
    np.int32(321)

    See https://www.tensorflow.org/api_docs/python/tf/foldr.
    """
    call = _ScanCall(FOLD, fn, elems, initializer, True, True)
    return call.packed(call.results(), back_prop)


class _ScanCall:
    """One call of such a function, its arguments converted."""

    def __init__(
        self, kind: str, fn: Callable[..., Any], elems: Any, initializer: Any, reverse: bool,
        infer_shape: bool,
    ) -> None:  # fmt: skip
        require_function(fn)
        self.kind = kind
        self.fn = fn
        self.elems = elems
        self.begins = initializer is None
        self.pattern = elems if initializer is None else initializer
        self.reverse = reverse
        self.infer_shape = infer_shape
        self.flat = [convert(item) for item in nest.flatten(elems)]
        self.count: Any = self.flat[0].shape[0]
        self.start = [] if self.begins else [convert(i) for i in nest.flatten(initializer)]

    def packed(self, results: list[Any], back_prop: bool) -> Any:
        """Puts the results into the structure of the state."""
        flat = [without_gradient(tensor, back_prop) for tensor in results]
        return nest.pack_sequence_as(self.pattern, flat)

    def results(self) -> list[Any]:
        """Returns the states, stacked; or the last one."""
        sizes = {item.shape[0] for item in self.flat}
        dense = all(type(item) is EagerTensor for item in (*self.flat, *self.start))
        if in_graph() and len(sizes) > 1:
            other = next(item.shape[0] for item in self.flat if item.shape[0] != self.count)
            raise ValueError(incompatible_dimensions(self.count, other))
        if not dense and THREAD.recording.frame is not None:
            THREAD.recording.observe(WHY_STRINGS)
        if not dense or len(sizes) > 1 or (self.begins and self.count == 0):
            return self._in_python([])
        graph = "scan" if self.kind == SCAN else "foldr" if self.reverse else "foldl"
        states = len(self.flat if self.begins else self.start)
        names = [f"{graph}/while/Placeholder_{k + 1}" for k in range(states)]
        names += [
            f"{graph}/while/TensorArrayV2Read{f'_{k}' if k else ''}/TensorListGetItem"
            for k in range(len(self.flat))
        ]
        rows = RowLoop(
            self.kind, self.fn, self.start, self.flat, self.reverse, self.begins, tuple(names)
        )
        body, done = found_body(rows, self._step_on_placeholders, self._checked(rows))
        return self._in_python(done) if body is None else record_loop(body, rows)

    # One row.

    def _step(self, state: list[Any], row: list[Any]) -> list[Any]:
        """Calls the function with a state and a row; returns the leaves of the next state."""
        before = nest.pack_sequence_as(self.pattern, state)
        result = self.fn(before, nest.pack_sequence_as(self.elems, row))
        if self.kind == SCAN:
            nest.assert_same_structure(self.pattern, result)
        else:
            _require_same(before, result)
        return nest.flatten(result)

    def _step_on_placeholders(self, tensors: list[Any]) -> list[Any]:
        states = len(tensors) - len(self.flat)
        leaves = self._step(tensors[:states], tensors[states:])
        if not in_graph() and not all(isinstance(v, EagerTensor | Variable) for v in leaves):
            THREAD.recording.observe(WHY_CHANGES)  # TensorFlow gives numbers another dtype
        return [convert(leaf) for leaf in leaves]

    def _checked(self, rows: RowLoop) -> Callable[[Body], None]:
        """Returns what says, in a function, that the state changes its type."""
        types = rows.state_types

        def check(body: Body) -> None:
            for place, new in enumerate(body.program.types[: body.count]):
                if types[place] is not new:
                    if not in_graph():
                        THREAD.recording.observe(WHY_CHANGES)
                    raise self._changed(rows, place, types[place], new)

        return check

    def _changed(self, rows: RowLoop, place: int, old: TensorType, new: TensorType) -> Exception:
        name = ("scan" if self.kind == SCAN else "foldl") + "/Const:0"
        if not rows.begins and rows.state[place]._value is None:
            name = THREAD.recording.symbolic_name(rows.state[place]) or name
        before, after = old.tensor_shape, new.tensor_shape
        if before != after and self.kind == SCAN and self.infer_shape:
            return ValueError(inconsistent_shapes(after, before))
        if old.dtype is not new.dtype:
            return TypeError(MESSAGE_DTYPE.format(name, old.dtype, new.dtype))
        return ValueError(MESSAGE_SHAPE.format(name, before, after))

    # The Python loop.

    def _in_python(self, done: list[Any]) -> list[Any]:
        """Runs the Python for every row, as TensorFlow does in eager code."""
        arrays = [
            TensorArray(item.dtype, self.count, element_shape=item.shape[1:]).unstack(item)
            for item in self.flat
        ]
        order = list(range(self.count))
        if self.reverse:
            order.reverse()
        state = self.start
        if self.begins:
            state = self._first(arrays, order)
        results = [
            TensorArray(
                tensor.dtype, self.count, element_shape=tensor.shape if self.infer_shape else None,
                infer_shape=self.infer_shape,
            )
            for tensor in state
        ]  # fmt: skip
        if self.begins:
            self._write(results, order.pop(0), state)
        for number, place in enumerate(order):
            row = [array.read(place) for array in arrays]
            if number < len(done):
                leaves = done[number].again([*state, *row])
            else:
                leaves = self._step(state, row)
            self._write(results, place, leaves)
            state = [convert(leaf) for leaf in leaves]
        if self.kind != SCAN:
            return state
        along = {0: self.flat[0]}
        return [
            with_axes_along(array.stack(), along) if ACCOUNTS else array.stack()
            for array in results
        ]

    def _first(self, arrays: list[TensorArray], order: list[int]) -> list[Any]:
        """Returns the first row."""
        place = -1 if self.reverse else 0
        if in_graph() and not order:
            raise invalid(f"Trying to access element {place} in a list with 0 elements.")
        return [array.read(order[0] if order else place) for array in arrays]

    def _write(self, results: list[TensorArray], place: int, leaves: list[Any]) -> None:
        if self.kind == SCAN:
            for array, leaf in zip(results, leaves, strict=True):
                array.write(place, leaf)


def _require_same(before: Any, result: Any) -> None:
    """Refuses a state of another structure, as TensorFlow's loop does, which counts, too.

    Raises:
        ValueError: if the structures differ.
        TypeError: if the types of sequences do.
    """
    try:
        nest.assert_same_structure(before, result)
    except (ValueError, TypeError):
        count = convert(1)
        spec = TensorSpec([], count.dtype)
        specs = nest.map_structure(lambda tensor: TensorSpec(tensor.shape, tensor.dtype), before)
        nest.assert_same_structure([spec, [spec, specs]], [1, [count, result]])
        raise
