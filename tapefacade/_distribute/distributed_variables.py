"""Variables of strategies with several replicas: how assignments in replicas come together.

A variable holds what is seen outside of the replicas. Where these have assigned it different
values, another variable has the values of all of them, stacked: the *copies*.
"""

import contextlib
import copy
import weakref
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np

from tapefacade._core import nest
from tapefacade._core.conversion import convert
from tapefacade._core.placement import name_devices
from tapefacade._core.replica_places import current_replica, is_in_replica, is_in_run
from tapefacade._core.tensor import EagerTensor, hinted
from tapefacade._core.value_text import value_repr
from tapefacade._distribute.collectives import FIRST_REPLICA, record_collective
from tapefacade._distribute.reduction import ReduceOp, added, all_reduced
from tapefacade._distribute.replica_devices import full_name
from tapefacade._distribute.replica_values import (
    DistributedValues,
    PerReplica,
    ReplicaValues,
    rows_here,
)
from tapefacade._function.function.recorded_program import slot_in
from tapefacade._ops.array.casting import cast
from tapefacade._ops.array.copying import identity
from tapefacade._ops.array.joining import stack, unstack
from tapefacade._ops.math.arithmetic import multiply
from tapefacade._ops.math.division import truediv
from tapefacade._ops.math.reduction import reduce_mean, reduce_sum
from tapefacade._state.indexed_slices import IndexedSlices
from tapefacade._state.joint_assignments import put_together
from tapefacade._state.variable import READ_VALUE, ResourceVariable, UnreadVariable, Variable
from tapefacade._state.variable_aggregation import VariableAggregation, VariableSynchronization
from tapefacade._tape.init_scope import init_scope
from tapefacade._trace.recording import THREAD

if TYPE_CHECKING:
    from tapefacade._distribute.strategies import Strategy

HINT_SUM = (
    "Each replica would add the same number: use a tensor, or another aggregation, or assign the "
    "variable outside of `strategy.run`."
)
MESSAGE_AGGREGATION = (
    "You must specify an aggregation method to update a AggregatingVariable in Replica Context. "
    "You can do so by passing an explicit value for argument `aggregation` to tf.Variable(..)."
    "e.g. `tf.Variable(..., aggregation=tf.VariableAggregation.SUM)`"
    "`tf.VariableAggregation` lists the possible aggregation methods."
    "This is required because AggregatingVariable should always be kept in sync. When updating "
    "them or assigning to them in a replica context, we automatically try to aggregate the values "
    "before updating the variable. For this aggregation, we need to know the aggregation method. "
    "Another alternative is to not try to update such AggregatingVariable in replica context, but "
    "in cross replica context."
)
MESSAGE_NO_SYNCHRONIZATION = (
    "`NONE` variable synchronization mode is not supported with tf.distribute strategy. Please "
    "change the `synchronization` for variable: {}"
)
MESSAGE_SCATTER = (
    "scatter_{} is only supported for mirrored variable (variable created within certain "
    "`tf.distribute.Strategy` scope) with NONE or `ONLY_FIRST_REPLICA` aggregation, got: "
    "VariableAggregationV2.{}."
)
MESSAGE_NOT_REDUCED = (
    "Could not convert from `tf.VariableAggregation` {} to`tf.distribute.ReduceOp` type"
)
HINT_NOT_REDUCED = (
    "Each replica has a value of its own: `strategy.experimental_local_results(variable)`. To have "
    "one outside of the replicas, make the variable with an `aggregation`."
)
MESSAGE_ON_READ = "Variables with `synchronization=ON_READ` doesn't support `scatter_{}`"
HINT_ON_READ = "Outside of the replicas, assign the whole value: `variable.assign(...)`."
MESSAGE_PART = (
    "What one replica has of variable {} cannot be assigned {}: all replicas are one program there."
)
HINT_PART = "Assign the variable itself, in `strategy.run`: each replica changes its own value."
ROWS_THAT_ADD_UP = ("add", "sub", "mul", "div")  # those of all replicas, one after the other
SEEN_FROM_OUTSIDE = (VariableAggregation.MEAN, VariableAggregation.ONLY_FIRST_REPLICA)
REDUCTIONS = {VariableAggregation.SUM: ReduceOp.SUM, VariableAggregation.MEAN: ReduceOp.MEAN}


class DistributedVariable(ResourceVariable):
    """A variable that a strategy with replicas has made.

    Outside of the replicas it is one value. In them, an assignment does what `aggregation` says.
    """

    _strategy: "Strategy"
    _copies: Variable | None = None
    _parts: Any = None  # those of `values` that somebody has

    def __init__(self, strategy: "Strategy", **kwargs: Any) -> None:
        self._strategy = strategy
        super().__init__(**kwargs)
        strategy._variables.append(weakref.ref(self))

    @property
    def _count(self) -> int:
        """The number of replicas."""
        return self._strategy.num_replicas_in_sync

    def _rows(self) -> tuple[EagerTensor, ...]:
        """Returns the values of the replicas of this process, in their order."""
        count, here = self._count, self._strategy.here
        if self._copies is not None and here is not None:
            return rows_here(self._copies.value(), here)
        if self._copies is not None:
            found = unstack(self._copies.value(), count)
        else:
            found = [identity(self._shares(own_value(self))) for _ in here or range(count)]
        name_devices(found, self._strategy.extended.parameter_devices)
        return tuple(found)

    @property
    def device(self) -> str:
        """The name of the device that holds the value of the first replica."""
        return self._strategy.extended.parameter_devices[0]

    @property
    def has_copies(self) -> bool:
        """Whether each replica has a value of its own."""
        return self._copies is not None

    @property
    def has_own_values(self) -> bool:
        """Whether a replica reads something else than what is seen outside."""
        return self.has_copies

    def _outside(self, stacked: EagerTensor) -> EagerTensor:
        """Returns what is seen outside of the replicas, given what each of them has."""
        return stacked[0]

    def _shares(self, tensor: EagerTensor) -> EagerTensor:
        """Returns what each replica has, given what is seen outside."""
        return tensor

    def _set_up(self, tensor: EagerTensor, *args: Any, **kwargs: Any) -> None:
        super()._set_up(self._strategy.agreed(tensor), *args, **kwargs)

    # Assigning.

    def _brought_together(self, value: Any) -> Any:
        """Returns what is assigned where the replicas assign `value`."""
        replica = current_replica()
        if replica is None:
            return value
        if self._aggregation is VariableAggregation.NONE:
            if self._strategy.requires_aggregation:
                raise ValueError(MESSAGE_AGGREGATION)
            return value
        if any(isinstance(part, EagerTensor | Variable) for part in nest.flatten(value)):
            value = self._converted(value)
        if self._aggregation is VariableAggregation.MEAN and not isinstance(value, EagerTensor):
            return value
        replica._require_replicas("assign a variable whose values are brought together")
        if self._aggregation is VariableAggregation.ONLY_FIRST_REPLICA:
            return replica._of_first(self._converted(value))
        if not isinstance(value, EagerTensor | Variable) and value != 0:
            raise hinted(
                ValueError(
                    f"A non-DistributedValues value {value} cannot be reduced with the given "
                    "reduce op ReduceOp.SUM."
                ),
                HINT_SUM,
            )
        tensor = self._converted(value)
        return replica._all_reduced(REDUCTIONS[self._aggregation], tensor)

    def _changed(
        self, change: Callable[[Any], Any], value: Any, bring: Callable[[Any], Any], alike: bool
    ) -> Any:
        """Changes the value.

        Args:
            change: does so, given `value` or what has become of it.
            value: what the program gives.
            bring: brings together what the replicas give.
            alike: whether all replicas have the same afterwards, outside of them.
        """
        if self._count == 1:
            return change(value.values[0] if isinstance(value, ReplicaValues) else value)
        if current_replica() is not None:
            return change(bring(value))
        if is_in_run():
            own = isinstance(value, ReplicaValues) and value._row is not None
            return change(value._row if own else value)
        if not isinstance(value, ReplicaValues) and (alike or not self.has_copies):
            return change(value)
        self._strategy.run(lambda own: (change(own), None)[1], args=(value,))
        return self._unread()

    def assign(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        """Replaces the value; in a replica by what the replicas assign, brought together."""
        assign = super().assign
        return self._changed(
            lambda own: assign(own, *args, **kwargs), value, self._brought_together, alike=True
        )

    def assign_add(self, delta: Any, *args: Any, **kwargs: Any) -> Any:
        """Adds to the value; in a replica what the replicas add, brought together."""
        self._require_addable("assign_add")
        add = super().assign_add
        return self._changed(
            lambda own: add(own, *args, **kwargs), delta, self._brought_together, alike=False
        )

    def assign_sub(self, delta: Any, *args: Any, **kwargs: Any) -> Any:
        """Subtracts from the value; in a replica what the replicas subtract, brought together."""
        self._require_addable("assign_sub")
        subtract = super().assign_sub
        return self._changed(
            lambda own: subtract(own, *args, **kwargs), delta, self._brought_together, alike=False
        )

    def _require_addable(self, what: str) -> None:
        """Raises if the value cannot be changed outside of the replicas."""

    def _put(self, tensor: EagerTensor) -> None:
        super()._put(tensor)
        for copies, rows in self._followed_by(tensor):
            copies._put(rows)

    def _followed_by(self, tensor: EagerTensor) -> list[tuple[Variable, EagerTensor]]:
        if self._copies is None or is_in_run():
            return []
        return [(self._copies, stack([self._shares(tensor)] * self._count))]

    def _scatter_rows(self, path: str, sparse_delta: Any) -> Any:
        scatter, name = super()._scatter_rows, path.removeprefix("tensor_scatter_nd_")
        return self._rows_changed(name, lambda rows: scatter(path, rows), sparse_delta)

    def _scatter_each(self, path: str, sparse_delta: Any) -> Any:
        scatter = super()._scatter_each
        return self._rows_changed(path[:3], lambda rows: scatter(path, rows), sparse_delta)

    def _rows_changed(self, name: str, change: Callable[[Any], Any], rows: Any) -> Any:
        """Changes rows; in a replica by what the replicas give, brought together."""
        if self._aggregation in REDUCTIONS and name not in ROWS_THAT_ADD_UP:
            raise NotImplementedError(MESSAGE_SCATTER.format(name, self._aggregation.name))
        return self._changed(change, rows, self._rows_brought_together, alike=False)

    def _rows_brought_together(self, rows: Any) -> Any:
        replica = current_replica()
        if self._aggregation is VariableAggregation.NONE:
            return rows
        if self._aggregation in REDUCTIONS:
            return replica._all_reduced(REDUCTIONS[self._aggregation], rows)
        values, indices = (replica._of_first(convert(p)) for p in (rows.values, rows.indices))
        return IndexedSlices(values, indices, rows.dense_shape)

    # Python's protocols.

    def __repr__(self) -> str:
        if THREAD.recording.frame is not None:
            return super().__repr__()
        lines = []
        for place, value in enumerate(self._rows()):
            text = f"shape={self.shape} dtype={self.dtype.name}, numpy={value_repr(value._shown())}"
            lines.append(f"  {place}: <tf.Variable '{_part_name(self, place)}:0' {text}>")
        return f"{type(self).__name__}:{{\n" + ",\n".join(lines) + "\n}"

    def __str__(self) -> str:
        return repr(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Variable:
        copied: Any = super().__deepcopy__(memo)
        copied.__class__, copied._strategy = type(self), self._strategy
        copied._copies = copy.deepcopy(self._copies, memo)
        self._strategy._variables.append(weakref.ref(copied))
        return copied


class ReplicaVariable(UnreadVariable):
    """What one replica has of a variable: an element of `values`. The variable has the value."""

    def __init__(self, whole: DistributedVariable, replica: int, name: str | None = None) -> None:
        vars(self).update(_whole=whole, _replica=replica, _alias=name)

    @property
    def _root(self) -> Variable:  # type: ignore[override]
        return self

    def __getattr__(self, name: str) -> Any:
        if name == "values":  # those who look for the values of replicas end here
            raise AttributeError("'ResourceVariable' object has no attribute 'values'")
        return getattr(self.__dict__["_whole"], name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._whole, name, value)

    @property
    def name(self) -> str:
        """The name, in which the replica is, unless an assignment has returned it."""
        return self._alias or f"{_part_name(self._whole, self._replica)}:0"

    def _unread(self) -> Variable:
        return ReplicaVariable(self._whole, self._replica, "UnreadVariable")

    @property
    def device(self) -> str:
        """The name of the device of the replica."""
        return self._whole._strategy.extended.parameter_devices[self._replica]

    def value(self) -> EagerTensor:
        """Returns the value as a tensor."""
        whole = self._whole
        is_open = whole._count > 1 and whole._copies is None and not is_in_run()
        if THREAD.functions and is_open and whole._strategy.here is None:
            copies_of_replicas(whole)  # there may be some when the function is called again
        return whole._rows()[self._replica]

    @property
    def _seen(self) -> EagerTensor:
        return self.value()

    def _host_value(self) -> Any:
        return None

    def _slot_in(self, recording: Any) -> int:
        slot = slot_in(recording, self.value())
        for reference in recording.blocks:
            tape = reference()
            if tape is not None and tape._wants(self):
                tape._read(self, slot)
        return slot

    def _put(self, tensor: EagerTensor) -> None:
        whole = self._whole
        if whole._count == 1:
            return whole._put(tensor)
        where = "in a replica" if is_in_run() else "where there are several processes"
        if is_in_run() or whole._strategy.here is not None:
            raise hinted(RuntimeError(MESSAGE_PART.format(whole.name, where)), HINT_PART)
        copies, rows = copies_of_replicas(whole), list(whole._rows())
        rows[self._replica] = tensor
        stacked = stack(rows)
        put_together([whole, copies], [whole._outside(stacked), stacked])
        return None


def _part_name(whole: Variable, replica: int) -> str:
    return f"{whole._name}/replica_{replica}" if replica else whole._name


class AggregatingVariable(DistributedVariable):
    """A variable of which there is one: replicas that assign it must say how."""

    __repr__ = ResourceVariable.__repr__
    __str__ = ResourceVariable.__str__

    @property
    def device(self) -> str:
        """The name of the device that holds the value."""
        return full_name(super().device)


class MirroredVariable(DistributedVariable, DistributedValues):
    """A variable of which all replicas have the same value, unless they assign different ones."""

    def __init__(self, strategy: "Strategy", **kwargs: Any) -> None:
        super().__init__(strategy, **kwargs)
        if self._synchronization is VariableSynchronization.NONE:
            raise ValueError(MESSAGE_NO_SYNCHRONIZATION.format(kwargs.get("name")))
        if self._aggregation is VariableAggregation.MEAN and not self.dtype.is_floating:
            raise ValueError(
                "creating distributed tf.Variable with aggregation=MEAN and a non-floating dtype "
                "is not supported, please use a different aggregation or dtype"
            )
        if self._synchronization is VariableSynchronization.AUTO:
            self._synchronization = VariableSynchronization.ON_WRITE

    @property
    def values(self) -> tuple[Variable, ...]:
        """What the replicas of this process have, in their order: a variable of each."""
        here = self._strategy.here or range(self._count)
        if self._parts is None:
            self._parts = weakref.WeakValueDictionary()
        known = self._parts
        return tuple(
            [known.setdefault(place, ReplicaVariable(self, place)) for place in range(len(here))]
        )


class SyncOnReadVariable(MirroredVariable):
    """A variable of which each replica has its own value, brought together where it is read."""

    def __init__(self, strategy: "Strategy", **kwargs: Any) -> None:
        self._aggregation = kwargs.get("aggregation", VariableAggregation.NONE)
        super().__init__(strategy, **kwargs)
        is_seen = self._is_sum or self._aggregation in SEEN_FROM_OUTSIDE
        if not is_seen and self._count > 1:  # from outside
            copies_of_replicas(self)

    def _set_up(self, tensor: EagerTensor, *args: Any, **kwargs: Any) -> None:
        is_sum = self._aggregation is VariableAggregation.SUM and tensor.dtype != "bool"
        if is_sum and self._count > 1:  # each replica has the initial value
            tensor = multiply(tensor, np.asarray(self._count, tensor._type.numpy_dtype))
        super()._set_up(tensor, *args, **kwargs)

    @property
    def _is_sum(self) -> bool:
        return self._aggregation is VariableAggregation.SUM and self.dtype != "bool"

    @property
    def has_own_values(self) -> bool:
        """Whether a replica reads something else than what is seen outside: its part of a sum."""
        return self.has_copies or self._is_sum

    # Outside of the replicas it is read and assigned only if it says how.

    def _require_aggregation(self) -> None:
        if is_in_replica():
            return
        if self._aggregation is VariableAggregation.NONE:
            raise hinted(
                ValueError(MESSAGE_NOT_REDUCED.format(self._aggregation)), HINT_NOT_REDUCED
            )
        if self._aggregation is VariableAggregation.SUM and not self._is_sum and self._count > 1:
            added(False)  # raises, as truths are not added up

    def _look(self) -> None:
        self._require_aggregation()
        super()._look()

    def _host_value(self) -> Any:
        self._require_aggregation()
        return super()._host_value()

    def _slot_in(self, recording: Any) -> int:
        self._require_aggregation()
        if self._is_read_in_merge():
            return slot_in(recording, self.value())
        return super()._slot_in(recording)

    def value(self) -> EagerTensor:
        """Returns the value as a tensor."""
        self._require_aggregation()
        if not self._is_read_in_merge():
            return super().value()
        if self._aggregation in REDUCTIONS:
            return all_reduced(REDUCTIONS[self._aggregation], own_value(self), self._count)
        return record_collective(FIRST_REPLICA, own_value(self))

    def _is_read_in_merge(self) -> bool:
        """Whether it is read across the replicas while they are recorded."""
        return is_in_run() and current_replica() is None

    def _changed(self, *args: Any, **kwargs: Any) -> Any:
        self._require_aggregation()
        result = super()._changed(*args, **kwargs)
        return result if result is None or is_in_run() or is_in_replica() else self.value()

    def _put(self, tensor: EagerTensor) -> None:
        if self._is_sum and self.dtype.is_integer and not is_in_run():
            count = np.asarray(self._count, tensor._type.numpy_dtype)
            tensor = multiply(self._shares(tensor), count)  # what is left over, no replica gets
        super()._put(tensor)

    def _brought_together(self, value: Any) -> Any:
        return value

    def _rows_changed(self, name: str, change: Callable[[Any], Any], rows: Any) -> Any:
        raise hinted(NotImplementedError(MESSAGE_ON_READ.format(name)), HINT_ON_READ)

    def _require_addable(self, what: str) -> None:
        if self._aggregation is VariableAggregation.SUM and not is_in_replica():
            raise ValueError(
                f"SyncOnReadVariable does not support `{what}` in cross-replica context when "
                "aggregation is set to `tf.VariableAggregation.SUM`."
            )

    def _outside(self, stacked: EagerTensor) -> EagerTensor:
        if self._is_sum:
            return reduce_sum(stacked, 0)
        if self._aggregation is VariableAggregation.MEAN:
            return reduce_mean(stacked, 0)
        return stacked[0]

    def _shares(self, tensor: EagerTensor) -> EagerTensor:
        if not self._is_sum or self._count == 1:
            return tensor
        return cast(truediv(tensor, np.asarray(self._count, tensor._type.numpy_dtype)), self.dtype)


def copies_of_replicas(variable: DistributedVariable) -> Variable:
    """Returns what holds the values of the replicas; makes it if they have had one value so far."""
    if variable._copies is not None:
        return variable._copies
    count = variable._strategy.num_replicas_in_sync
    recording = THREAD.recording
    before, frame = variable._seen, recording.frame
    while frame is not None:  # what it held before all functions that are recorded now
        before = frame.assigned.get(id(variable), (variable, before))[1]
        frame = frame.outer
    created = THREAD.functions[-1].created if THREAD.functions else []
    if recording.frame is not None and not any(made is variable for made, _ in created):
        before._array()
    with init_scope() if before._value is not None else contextlib.nullcontext():
        stacked = stack([variable._shares(before)] * count)
        if before._value is not None:
            stacked._array()
    copies = ResourceVariable.__new__(ResourceVariable)
    copies._set_up(stacked, False, f"{variable._name}/replicas", stacked.shape)
    if stacked._value is None and THREAD.functions:
        THREAD.functions[-1].note_created(copies)
    variable._copies = copies
    if variable._seen is not before:
        copies._put(stack([variable._shares(variable.value())] * count))
    return copies


def own_value(variable: DistributedVariable) -> EagerTensor:
    """Records a read of a variable that may say nothing of how its replicas come together.

    Within a run it is what the replica that is recorded has.
    """
    if type(variable._tensor) is not EagerTensor:  # strings are on the host
        return variable._tensor
    recording = THREAD.recording
    slot = ResourceVariable._slot_in(variable, recording)
    (value,) = recording.apply(READ_VALUE, (), (slot,), [variable._type])
    return value


def values_of_variable(part: Any) -> Any:
    """Returns what the replicas have of a variable as a `PerReplica` value, if it is one."""
    if not isinstance(part, DistributedVariable):
        return part
    count, here = part._strategy.num_replicas_in_sync, part._strategy.here
    if is_in_run():
        return PerReplica(row=own_value(part), count=count)
    if part._copies is not None:
        return PerReplica(stacked=part._copies.value(), count=count, here=here)
    return PerReplica([part._shares(own_value(part))] * count, here=here)


def replicas_in_turn(strategy: "Strategy") -> Iterator[int]:
    """Yields the places of the replicas of this process, from 0 on.

    Meanwhile the strategy's variables hold what the replica has.
    """
    variables = strategy.variables
    before = [variable._seen for variable in variables]
    here = strategy.here or range(strategy.num_replicas_in_sync)
    given = [
        strategy.own_values(variable._rows() if variable.has_own_values else [v] * len(here))
        for variable, v in zip(variables, before, strict=True)
    ]
    found: list[list[EagerTensor]] = []
    try:
        for place in range(len(here)):
            for variable, rows in zip(variables, given, strict=True):
                Variable._put(variable, rows[place])
            yield place
            found.append([variable._seen for variable in variables])
    finally:
        for variable, tensor in zip(variables, before, strict=True):
            Variable._put(variable, tensor)
        if len(found) == len(here):
            columns = [[row[place] for row in found] for place in range(len(variables))]
            _take_rows(strategy, variables, given, columns)


def _take_rows(
    strategy: "Strategy", variables: Sequence[DistributedVariable], given: Sequence[Any],
    found: Sequence[Sequence[EagerTensor]],
) -> None:  # fmt: skip
    """Gives variables what the replicas have assigned; one for all, if that is the same."""
    changed = [
        [a is not b for a, b in zip(rows, own, strict=True)]
        for rows, own in zip(found, given, strict=True)
    ]
    told = strategy.of_all(list(map(list, zip(*changed, strict=True)))) if variables else []
    for variable, rows, each in zip(variables, found, zip(*told, strict=True), strict=True):
        if not any(each):
            continue
        if not variable.has_own_values and _are_equal(strategy, rows):
            Variable._put(variable, strategy.row_of_all(rows[0]))
            continue
        copies = copies_of_replicas(variable)
        stacked = strategy.rows_of_all(rows)
        copies._put(stacked)
        Variable._put(variable, variable._outside(stacked))


def _are_equal(strategy: "Strategy", rows: Sequence[EagerTensor]) -> bool:
    """Whether all replicas have assigned the same."""
    arrays = [np.asarray(row._array()) for row in rows]
    if strategy.here is not None:
        return len(set(strategy.of_all([sha256(a.tobytes()).hexdigest() for a in arrays]))) == 1
    return all(np.array_equal(arrays[0], other) for other in arrays[1:])


@contextlib.contextmanager
def restored_if_it_fails(strategy: "Strategy") -> Iterator[None]:
    """Makes a block after which the variables have the values from before, if it raises."""
    copies = [(variable, variable._copies) for variable in strategy.variables]
    boxes = [box for pair in copies for box in pair if box is not None]
    before = [(box, box._seen) for box in boxes]
    try:
        yield
    except BaseException:  # also Ctrl-C
        for variable, held in copies:
            variable._copies = held
        for box, tensor in before:
            Variable._put(box, tensor)
            THREAD.recording.assigned.pop(id(box))  # who undoes more would put back what it was
        raise


def distributed(strategy: "Strategy") -> Callable[..., Variable]:
    """Returns the function that makes the variables of a strategy, for its scope."""

    def create(next_creator: Callable[..., Any], **kwargs: Any) -> Variable:
        is_on_read = kwargs.get("synchronization") is VariableSynchronization.ON_READ
        mirrored = SyncOnReadVariable if is_on_read else MirroredVariable
        kind = AggregatingVariable if strategy.requires_aggregation else mirrored
        with strategy.placed():
            return kind(strategy, **kwargs)

    return create
