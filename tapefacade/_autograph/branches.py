"""`if` on a tensor: both branches are recorded, one of them runs."""

from collections.abc import Callable, Sequence
from typing import Any

from tapefacade._autograph.jumps import VALUE
from tapefacade._autograph.state import (
    UNDEFINED,
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
from tapefacade._core.random_keys import Draw, body_draws
from tapefacade._core.tensor import EagerTensor
from tapefacade._function.control.bodies import Body
from tapefacade._function.control.branch_op import record_choice
from tapefacade._function.control.cond import WHY_GONE
from tapefacade._function.control.row_loops import WHY_SOURCES, needs_python
from tapefacade._function.function.tracing import record_body
from tapefacade._ops.array.creation import zeros
from tapefacade._ops.array.tensor_array import TensorArray, unchanged_arrays
from tapefacade._state.variable import Variable
from tapefacade._trace.recording import THREAD

WHY_SEEDS = "random ops with a seed draw TensorFlow's numbers, if their branch runs"
Choice = int | EagerTensor | Variable


class RecordedBranch:
    """One branch, recorded.

    Attributes:
        body: what it computes.
        parts: the values of the variables after it.
        groups: what is in them; changed arrays are stacked.
    """

    def __init__(self, run: Callable[[], Any], state: State, init: Sequence[Any]) -> None:
        self._run = run
        self._state = state
        self._init = init
        self._own: dict[int, int] = {}  # the numbers of results, by their tensors
        self._kept: list[Any] = []  # while ids are compared
        with unchanged_arrays() as changed, body_draws():
            self._changed = changed
            recorded, structure = record_body(self._call, run, [])
        self.body = Body(recorded, structure)
        if not self.body.is_complete:
            raise NotStagedError(WHY_GONE)
        if any(isinstance(o, Draw) and o.is_seeded for o in self.body.outside()):
            raise NotStagedError(WHY_SEEDS)
        if THREAD.recording.watchers() and needs_python(self.body):
            raise NotStagedError(WHY_SOURCES)

    def _call(self, _: Any) -> list[EagerTensor]:
        state = self._state
        self._leaks = Leaks(())
        state.put(state.copied(self._init))
        self._run()
        self.parts = Parts(state.get())
        results: list[EagerTensor] = []
        self.groups = [[self._leaf(leaf) for leaf in group] for group in self.parts.groups]
        for group in self.groups:
            for leaf in group:
                if type(leaf) is EagerTensor and leaf._recording is THREAD.recording:
                    self._own[id(leaf)] = len(results)
                    results.append(leaf)
        self._kept.append(self.groups)
        return results

    def _leaf(self, leaf: Any) -> Any:
        if not isinstance(leaf, TensorArray):
            return leaf
        known = any(leaf is other for value in self._init for other in (value,))
        if known and id(leaf) not in self._changed:
            return leaf
        return leaf.stack()

    def require_no_leaks(self) -> None:
        """Checks that Python keeps nothing of the branch but the values of its variables."""
        groups = (*self.groups, *self.parts.groups)
        self._leaks.require_none([leaf for group in groups for leaf in group])

    def choice(self, leaf: Any) -> Choice:
        """Returns what a leaf is after this branch: a result of its own, or from before."""
        number = self._own.get(id(leaf))
        if number is not None:
            return number
        return leaf if isinstance(leaf, Variable) else as_tensor(leaf)

    def type_of(self, choice: Choice) -> Any:
        """Returns the type of a choice."""
        return self.body.program.types[choice] if isinstance(choice, int) else choice._type


class Branching:
    """One `if` on a tensor."""

    def __init__(self, flag: EagerTensor, runs: Sequence[Callable[[], Any]], state: State) -> None:
        self._flag = flag
        self._runs = runs
        self._state = state
        self._init: list[Any] = []  # the values before
        self._choices: list[tuple[Choice, Choice]] = []
        self._arrays: dict[int, TensorArray] = {}  # by the number of the choice

    def record(self) -> None:
        """Records the branches, and assigns their results.

        Raises:
            NotStagedError: if that is not possible.
        """
        state = self._state
        state.require_containers()
        init = self._init = state.get()
        sides = [RecordedBranch(run, state, init) for run in self._runs]
        state.put(init)
        for side in sides:
            side.require_no_leaks()
        self._check_variables(sides)
        merged = [self._merged(place, sides) for place in range(len(init))]
        outputs = record_choice(self._flag, [side.body for side in sides], self._choices)
        results = []
        for form, place, leaves in merged:
            found = [self._result(leaf, outputs) for leaf in leaves]
            results.append(form.joined(place, found) if form is not None else found[0])
        state.put(init)
        state.settle(init, results)

    def _check_variables(self, sides: Sequence[RecordedBranch]) -> None:
        for side in sides:
            body = side.body
            new = body.program.types[body.count :]
            if any(v._type is not type_ for v, type_ in zip(body.assigned, new, strict=True)):
                raise NotStagedError(WHY_VARIABLE_CHANGES)

    def _merged(
        self, place: int, sides: Sequence[RecordedBranch]
    ) -> tuple[Parts | None, int, list[Any]]:
        """Joins the values of a variable; returns its form, and leaves or numbers of choices."""
        name = self._state.names[place]
        if place in self._state.dead:
            return None, place, [self._init[place]]
        values = [side.parts.values[place] for side in sides]
        groups = [side.groups[place] for side in sides]
        originals = [side.parts.groups[place] for side in sides]
        lacking = [value is UNDEFINED for value in values]
        form = sides[lacking[0]].parts
        if all(lacking):
            return None, place, [UNDEFINED]
        if any(lacking):
            if name != VALUE:
                raise NotStagedError(f"{shown_variable(name)} is not defined in both branches")
            missing = lacking.index(True)
            groups[missing] = [_zero(leaf) for leaf in groups[1 - missing]]
            originals[missing] = originals[1 - missing]
        elif not sides[0].parts.is_like(place, sides[1].parts):
            raise NotStagedError(
                f"{shown_variable(name)} has another structure in the other branch"
            )
        arrays = [next(filter(_is_array, leaves), None) for leaves in zip(*originals, strict=True)]
        leaves = [
            self._leaf(name, (one, other), array, sides)
            for one, other, array in zip(*groups, arrays, strict=True)
        ]
        return form, place, leaves

    def _leaf(
        self, name: str, leaves: tuple[Any, Any], array: TensorArray | None,
        sides: Sequence[RecordedBranch],
    ) -> Any:  # fmt: skip
        """Joins what a leaf is in both branches; `array` is one that these stand for."""
        one, other = leaves
        if is_same(one, other):
            return one
        one, other = (_unstacked(a, b) for a, b in ((one, other), (other, one)))
        if isinstance(one, _Zero):
            one = _zeros_of(sides[1], other)
        elif isinstance(other, _Zero):
            other = _zeros_of(sides[0], one)
        if not is_tensor_like(one) or not is_tensor_like(other):
            raise NotStagedError(f"{shown_variable(name)} is {_kind(one)} or {_kind(other)}")
        choices = sides[0].choice(one), sides[1].choice(other)
        types = [side.type_of(choice) for side, choice in zip(sides, choices, strict=True)]
        if types[0] != types[1]:
            raise NotStagedError(
                f"{shown_variable(name)} has type {_words(types[0])} or {_words(types[1])}"
            )
        self._choices.append(choices)
        number = len(self._choices) - 1
        if array is not None:
            self._arrays[number] = array
        return _Number(number)

    def _result(self, leaf: Any, outputs: Sequence[EagerTensor]) -> Any:
        if not isinstance(leaf, _Number):
            return leaf
        array = self._arrays.get(leaf.number)
        if array is None:
            return outputs[leaf.number]
        made = array._copy(None)
        made._put(outputs[leaf.number])
        return made


class _Number:
    """The place of a result among those of the instruction."""

    def __init__(self, number: int) -> None:
        self.number = number


class _Zero:
    """Stands for zeros in the place of what only the other branch returns."""


def _zero(leaf: Any) -> Any:
    return _Zero() if is_tensor_like(leaf) else leaf


def _zeros_of(side: RecordedBranch, leaf: Any) -> EagerTensor:
    type_ = side.type_of(side.choice(leaf))
    return zeros(type_.shape, type_.dtype)


def _unstacked(leaf: Any, other: Any) -> Any:
    """Returns the tensors of an array that this branch does not change, and the other does."""
    if not isinstance(leaf, TensorArray):
        return leaf
    whole = leaf._stacked()
    if whole is None and type(other) is EagerTensor:
        whole = zeros([leaf._length, *other._type.shape[1:]], leaf.dtype)
    if whole is None:
        raise NotStagedError("the elements of a tf.TensorArray have unknown shapes")
    return whole


def _is_array(leaf: Any) -> bool:
    return isinstance(leaf, TensorArray)


def _kind(leaf: Any) -> str:
    return "a tensor" if type(leaf) is EagerTensor else f"{leaf!r:.40}"


def _words(type_: Any) -> str:
    return f"{type_.dtype.name}{list(type_.shape)}"
