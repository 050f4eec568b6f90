"""`while` and `for` on tensors: the body is recorded once, and is one instruction."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tapefacade._autograph.state import (
    UNDEFINED,
    WHY_UNSETTLED,
    WHY_VARIABLE_CHANGES,
    Leaks,
    NotStagedError,
    Parts,
    State,
    as_tensor,
    is_same,
    is_tensor_like,
    shown_variable,
)
from tapefacade._autograph.tensor_array_growth import WHY_GROWS, LoopArray, loop_array
from tapefacade._core.random_keys import body_draws, current_places, rehearsing, return_to
from tapefacade._core.tensor import EagerTensor, from_host
from tapefacade._core.tensor_type import TensorType, type_of
from tapefacade._function.control.bodies import Body, body_of
from tapefacade._function.control.host_calls import COLLECTED_CALLS, PythonCall
from tapefacade._function.control.host_loop import HostLoop
from tapefacade._function.control.loop_variables import (
    WHY_BODY_GONE,
    WHY_WRITES_OUTSIDE,
    NotOneProgramError,
)
from tapefacade._function.control.row_loops import WHY_SOURCES, RowLoop, needs_python, record_loop
from tapefacade._function.control.scan_op import FOLD
from tapefacade._function.control.while_recording import While, same_types
from tapefacade._ops.array.casting import cast
from tapefacade._ops.array.creation import zeros
from tapefacade._ops.array.loop_rows import CURRENT_LOOP, LoopRows, with_room
from tapefacade._ops.array.shaping import reshape
from tapefacade._ops.array.tensor_array import TensorArray, unchanged_arrays
from tapefacade._ops.debugging.finiteness import Assert
from tapefacade._trace.frames import ValueWanted
from tapefacade._trace.recording import THREAD

MAX_PASSES = 8  # how often a body is recorded to learn which of its variables become tensors
WHY_SEEDS = "random ops with a seed draw TensorFlow's numbers, each iteration those after the last"
MESSAGE_ONCE = "loop must iterate at least once to initialize {}"
PYTHON, TENSOR, ARRAY, GROWING_ARRAY = "python", "tensor", "array", "growing array"
ARRAY_OF_ROWS = "array with an element for each iteration"
Step = Callable[[Any], Any]


class PythonWanted(ValueWanted):
    """A loop calls Python: it is compiled where it runs, but not as a part of another statement."""


class CarriedParts:
    """What loops hand from one iteration to the next: some parts as tensors, some as they are.

    Attributes:
        init: the values at first.
        defined: the names that only iterations define.
        index: the number of the iteration that is recorded.
    """

    def __init__(self, state: State, room: int | None, rows: LoopRows | None) -> None:
        state.require_containers()
        self._room = room
        self._rows = rows
        self.index: EagerTensor | None = None
        self.state = state
        self.init = state.get()
        self.parts = Parts(self.init)
        self.defined: list[str] = []
        self._kinds = [[_kind(leaf, room, rows) for leaf in group] for group in self.parts.groups]
        # What the parts are at first, as tensors: known for those that are tensors.
        self._start: list[list[EagerTensor | None]] = [
            [
                leaf
                if kind == TENSOR
                else leaf._stacked()
                if kind == ARRAY
                else _stacked_with_room(leaf)
                if kind == ARRAY_OF_ROWS
                else None
                for leaf, kind in zip(group, kinds, strict=True)
            ]
            for group, kinds in zip(self.parts.groups, self._kinds, strict=True)
        ]

    def tensors(self) -> list[EagerTensor]:
        """Returns what the parts are at first, as far as they are tensors."""
        return [tensor for group in self._start for tensor in group if tensor is not None]

    def tensor_names(self) -> list[str]:
        """Returns the names of the variables that the tensors belong to."""
        return [
            name for name, group in zip(self.state.names, self._start, strict=False)
            for tensor in group if tensor is not None
        ]  # fmt: skip

    def put(self, tensors: Sequence[EagerTensor]) -> None:
        """Assigns values with other tensors."""
        self.state.put(self.state.copied(self._joined(tensors)))

    def settle(self, tensors: Sequence[EagerTensor], count: EagerTensor | None = None) -> None:
        """Assigns the results of the loop.

        Args:
            tensors: those that are tensors.
            count: how many elements arrays that grow have got, where that is not all.
        """
        values = self._joined(tensors)
        if count is not None and self.has_growing:  # a shape: Python has to know it
            size = int(count.numpy())
            for leaf in (leaf for value in values for leaf in Parts([value]).groups[0]):
                if isinstance(leaf, TensorArray) and leaf.dynamic_size and leaf._whole is not None:
                    leaf._put(leaf._whole[:size])
        self.state.put(self.init)
        self.state.settle(self.init, values)

    def _joined(self, tensors: Sequence[EagerTensor]) -> list[Any]:
        rest = iter(tensors)
        values = []
        for place, (group, start) in enumerate(zip(self.parts.groups, self._start, strict=True)):
            leaves = []
            for leaf, first in zip(group, start, strict=True):
                if isinstance(leaf, TensorArray):
                    leaves.append(self._array(leaf, None if first is None else next(rest)))
                else:
                    leaves.append(leaf if first is None else next(rest))
            values.append(self.parts.joined(place, leaves))
        return values

    def _array(self, leaf: TensorArray, whole: EagerTensor | None) -> TensorArray:
        """Returns an array with other elements."""
        is_row_by_row = _kind(leaf, self._room, self._rows) == ARRAY_OF_ROWS
        if self.index is not None and self._room and _grows(leaf):
            return loop_array(leaf, whole, self.index, self._room)
        if self.index is not None and self._rows and is_row_by_row:
            self._rows.is_used = True
            return loop_array(leaf, whole, self.index, self._rows.room)
        made = leaf._copy(None)
        if whole is not None:
            made._put(whole[: leaf._length] if is_row_by_row else whole)
        return made

    @property
    def has_growing(self) -> bool:
        """Whether there are arrays that grow."""
        leaves = [leaf for group in self.parts.groups for leaf in group]
        return any(isinstance(leaf, TensorArray) and _grows(leaf) for leaf in leaves)

    def taken(self) -> tuple[list[EagerTensor], "Changes"]:
        """Takes the values after an iteration apart.

        Returns:
            Those that are tensors, and what else has become one.
        """
        after = Parts(self.state.get())
        results: list[EagerTensor] = []
        changes: Changes = {}
        for place, name in enumerate(self.state.names[: len(self.init)]):
            old, new = self.parts.values[place], after.values[place]
            if old is UNDEFINED and new is not UNDEFINED:
                changes[place] = after.joined(place, [_typed(leaf) for leaf in after.groups[place]])
                continue
            if old is not UNDEFINED and (new is UNDEFINED or not self.parts.is_like(place, after)):
                raise NotStagedError(f"the structure of {shown_variable(name)} changes")
            groups = zip(
                self.parts.groups[place], self._start[place], after.groups[place], strict=True
            )
            for number, (leaf, start, now) in enumerate(groups):
                if start is not None:
                    results.append(_stacked(now) if isinstance(leaf, TensorArray) else _tensor(now))
                elif isinstance(leaf, TensorArray):
                    if not (isinstance(now, LoopArray) and now._whole is None):  # never written
                        changes[place, number] = _typed(now)
                elif not is_same(leaf, now):
                    if not is_tensor_like(leaf) or not is_tensor_like(now):
                        raise NotStagedError(f"{shown_variable(name)} changes from {leaf!r:.40}")
                    changes[place, number] = None
        return results, changes

    def change(self, changes: "Changes", on_host: bool) -> None:
        """Makes tensors of parts that an iteration makes tensors of.

        Args:
            changes: these parts.
            on_host: whether arrays are there at once: Python runs, and is not recorded.
        """
        for place, found in changes.items():
            if isinstance(place, tuple):
                first, number = place
                leaf = self.parts.groups[first][number]
                if found is not None:
                    shape, dtype = found.type.shape, found.type.numpy_dtype
                    self._start[first][number] = (
                        from_host(np.zeros(shape, dtype)) if on_host else zeros(shape, dtype)
                    )
                else:
                    self._start[first][number] = as_tensor(leaf)
        values = list(self.parts.values)
        for place, found in changes.items():
            if isinstance(place, tuple):
                continue
            name = self.state.names[place]
            leaves = _leaves_of(found)
            if any(not isinstance(leaf, _TypedVariable) and leaf is not None for leaf in leaves):
                raise NotStagedError(f"{shown_variable(name)} is first defined in an iteration")
            if not name.startswith("ag__"):
                self.defined.append(name)
            values[place] = found
        if all(isinstance(place, tuple) for place in changes):
            return
        start = self._start
        self.parts = Parts(values)
        self._start = [
            [zeros(leaf.type.shape, leaf.type.dtype) if isinstance(leaf, _TypedVariable) else old
             for leaf, old in zip(group, _padded(before, len(group)), strict=True)]
            for group, before in zip(self.parts.groups, start, strict=True)
        ]  # fmt: skip


Changes = dict[Any, Any]


class _TypedVariable:
    """The type of what an iteration defines."""

    def __init__(self, type_: TensorType) -> None:
        self.type = type_


def _padded(values: list[Any], count: int) -> list[Any]:
    return values if len(values) == count else [None] * count


def _leaves_of(value: Any) -> list[Any]:
    return Parts([value]).groups[0]


def _kind(leaf: Any, room: int | None, rows: LoopRows | None) -> str:
    if type(leaf) is EagerTensor:
        return TENSOR
    if isinstance(leaf, TensorArray):
        if not leaf.dynamic_size and leaf._length:
            return ARRAY_OF_ROWS if rows and leaf._length == rows.count else ARRAY
        if not room or not _grows(leaf):
            raise NotStagedError(WHY_GROWS)
        return GROWING_ARRAY
    return PYTHON


def _grows(leaf: TensorArray) -> bool:
    return leaf.dynamic_size and not leaf._length


def _typed(leaf: Any) -> Any:
    """Returns what stands for a leaf that is defined in an iteration."""
    if isinstance(leaf, TensorArray):
        return _TypedVariable(_stacked(leaf)._type)
    if is_tensor_like(leaf):
        return _TypedVariable(as_tensor(leaf)._type)
    return leaf


def _tensor(leaf: Any) -> EagerTensor:
    if not is_tensor_like(leaf):
        raise NotStagedError(f"a tensor becomes {leaf!r:.40}")
    return as_tensor(leaf)


def _stacked(leaf: Any) -> EagerTensor:
    if not isinstance(leaf, TensorArray):
        raise NotStagedError("a tf.TensorArray becomes something else")
    return leaf.stacked_with_room() if isinstance(leaf, LoopArray) else leaf.stack()


def _stacked_with_room(leaf: TensorArray) -> EagerTensor | None:
    whole = leaf._stacked()
    return None if whole is None else with_room(whole)


class LoopStatement:
    """A loop on tensors.

    Its state are hidden tensors, such as the number of the row, and the variables.
    """

    def __init__(
        self, state: State, body: Step, room: int | None = None, rows: LoopRows | None = None
    ) -> None:
        """Takes the variables apart.

        Args:
            state: the variables.
            body: the body, a function of what the loop runs over.
            room: how many elements arrays that grow get, at most; the first hidden tensor counts
                them then.
            rows: what the loop takes rows of, if it is recorded for other lengths as well.
        """
        self.kept = CarriedParts(state, room, rows)
        self.rows = rows
        self.body = body
        self.calls: list[PythonCall] = []  # of the body, to Python

    def recorded_body(
        self, hidden: Sequence[TensorType], element: Callable[[list[EagerTensor]], Any],
        further: Callable[[list[EagerTensor]], list[EagerTensor]],
        rows: Sequence[TensorType] = (),
    ) -> Body:  # fmt: skip
        """Records the body, as often as it takes to learn what its variables become.

        Args:
            hidden: the types of the hidden tensors.
            element: gives what the body is called with, of the hidden tensors and the rows.
            further: gives the next hidden tensors.
            rows: the types of the rows that an iteration gets.

        Raises:
            NotStagedError: if one body cannot stand for all iterations.
        """
        kept, count, places = self.kept, len(hidden), current_places()
        for _ in range(MAX_PASSES):
            found: list[Changes] = []
            leaks: list[Leaks] = []

            def step(
                tensors: list[EagerTensor], found: list[Changes] = found,
                leaks: list[Leaks] = leaks,
            ) -> Any:  # fmt: skip
                leaks.append(Leaks(tensors))
                COLLECTED_CALLS.recording = THREAD.recording
                end = len(tensors) - len(rows)
                before = tensors[:count]
                kept.index = before[0] if before else None
                if self.rows is not None:
                    self.rows.index = kept.index
                kept.put(tensors[count:end])
                self.body(*element([*before, *tensors[end:]]))
                results, changes = kept.taken()
                kept.index = None
                if self.rows is not None:
                    self.rows.index = None
                found.append(changes)
                return [*further(before), *results]

            types = [*hidden, *(tensor._type for tensor in kept.tensors()), *rows]
            return_to(places)  # a loop is one function, however often its body is recorded
            self.calls = []
            with (
                unchanged_arrays() as changed, rehearsing(), body_draws(),
                COLLECTED_CALLS.temporarily(calls=None if rows else self.calls, recording=None),
                CURRENT_LOOP.temporarily(rows=self.rows),
            ):  # fmt: skip
                body = body_of(step, self.body, types)
            if changed:
                raise NotStagedError(WHY_WRITES_OUTSIDE)
            kept.state.put(kept.init)
            leaks[0].require_none()
            if not found[0]:
                break
            kept.change(found[0], on_host=bool(self.calls))
        else:
            raise NotStagedError(WHY_UNSETTLED)
        if not body.is_complete:
            raise NotStagedError(WHY_BODY_GONE)
        if THREAD.recording.watchers() and needs_python(body):
            raise NotStagedError(WHY_SOURCES)
        return body

    def require_same(self, state: Sequence[EagerTensor], body: Body, hidden: int) -> None:
        """Checks that an iteration keeps the types of the variables.

        Raises:
            NotStagedError: if it does not.
        """
        if same_types(state, body):
            return
        names = self.kept.tensor_names()
        for name, tensor, type_ in zip(
            names, state[hidden:], body.program.types[hidden : body.count], strict=True
        ):
            if tensor._type != type_:
                old, new = tensor._type, type_
                raise NotStagedError(
                    f"{shown_variable(name)} changes from {old.dtype.name}{list(old.shape)} to "
                    f"{new.dtype.name}{list(new.shape)}"
                )
        raise NotStagedError(WHY_VARIABLE_CHANGES)

    def run(
        self, hidden: Sequence[EagerTensor], goes_on: Callable[[list[EagerTensor]], Any],
        element: Callable[[list[EagerTensor]], Any],
        further: Callable[[list[EagerTensor]], list[EagerTensor]], limit: int | None,
    ) -> Callable[[], None] | None:  # fmt: skip
        """Records the loop with a condition.

        Args:
            hidden: the hidden tensors at first.
            goes_on: the condition, of the hidden tensors; the variables have been assigned.
            element: as for `recorded_body`.
            further: as for `recorded_body`.
            limit: the largest number of iterations, if there is one.

        Returns:
            What runs the loop, if it calls Python.
        """
        kept, count = self.kept, len(hidden)
        body = self.recorded_body([tensor._type for tensor in hidden], element, further)

        def asked(tensors: list[EagerTensor]) -> EagerTensor:
            kept.index = tensors[0] if count else None
            kept.put(tensors[count:])
            return flag_of(goes_on(tensors[:count]))

        state = [*hidden, *kept.tensors()]
        if not state:
            raise NotStagedError("there is nothing that could end it")
        places = current_places()
        with unchanged_arrays() as changed, rehearsing(), body_draws():
            condition = body_of(asked, self.body, [tensor._type for tensor in state])
        return_to(places)
        kept.index = None
        if changed or condition.assigned or not condition.is_complete:
            raise NotStagedError("the condition assigns a variable")
        self.require_same(state, body, count)
        if self.calls:
            return self._with_calls(condition, body, state, limit, count)
        loop = While(condition, body, state, limit)
        try:
            loop.prepare()
        except NotOneProgramError as error:
            raise NotStagedError(str(error)) from None
        if loop.draws_other_numbers:
            raise NotStagedError(WHY_SEEDS)
        if kept.defined and not loop.runs_once:
            kept.put(kept.tensors())
            first = flag_of(goes_on(list(hidden)))
            message = MESSAGE_ONCE.format(", ".join(map(repr, kept.defined)))
            Assert(first, [message])
        if self.rows is not None and self.rows.is_used and loop.can_be_bounded:
            tensors = loop.bounded(self.rows.room)
        else:
            tensors, _ = loop.recorded()
        kept.settle(tensors[count:], tensors[0] if limit is not None and count else None)
        return None

    def _with_calls(
        self, condition: Body, body: Body, state: list[EagerTensor], limit: int | None, hidden: int
    ) -> Callable[[], None]:
        """Prepares a loop that calls Python; returns what runs it."""
        kept = self.kept
        if THREAD.recording.enclosing is not None:
            raise PythonWanted("a loop in it calls Python")
        THREAD.recording.observe("a loop calls Python")
        try:
            loop = HostLoop(condition, body, state, limit, self.calls)
        except NotOneProgramError as error:
            raise NotStagedError(str(error)) from None

        def run() -> None:
            tensors = loop.run()
            if kept.defined and not loop.count:
                message = MESSAGE_ONCE.format(", ".join(map(repr, kept.defined)))
                Assert(False, [message])
            kept.settle(tensors[hidden:], tensors[0] if hidden else None)

        return run

    def run_rows(self, rows: EagerTensor) -> None:
        """Records the loop over the rows of a tensor, all of them."""
        row = type_of(rows._type.shape[1:], rows._type.numpy_dtype)
        body = self.recorded_body([], lambda found: found, lambda _: [], [row])
        state = self.kept.tensors()
        self.require_same(state, body, 0)
        loop = RowLoop(FOLD, self.body, state, [rows])
        self.kept.settle(record_loop(body, loop))


def flag_of(answer: Any) -> EagerTensor:
    """Returns a condition as a boolean scalar.

    Raises:
        NotStagedError: if it is none.
    """
    flag = as_tensor(answer)
    if flag._type.size != 1:
        raise NotStagedError("a condition is no scalar")
    if flag.dtype.name != "bool":
        flag = cast(flag, "bool")
    return reshape(flag, []) if flag._type.shape else flag
