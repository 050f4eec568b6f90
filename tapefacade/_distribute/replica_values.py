"""Values of which each replica has its own: `PerReplica`, and their type."""

from collections.abc import Collection, Hashable, Sequence
from typing import Any

import numpy as np

from tapefacade._core import nest
from tapefacade._core.conversion import convert
from tapefacade._core.dispatch import CompositeTensor
from tapefacade._core.operator_types import Operators
from tapefacade._core.placement import name_devices
from tapefacade._core.tensor import EagerTensor, from_host, hinted
from tapefacade._core.tensor_spec import TensorSpec
from tapefacade._core.type_spec import TypeSpec, spec_of
from tapefacade._definition.op import register
from tapefacade._distribute.collectives import REPLICA_STACK, record_collective
from tapefacade._ops.array.joining import unstack
from tapefacade._ops.operators import attach
from tapefacade._trace.recording import THREAD

MESSAGE_OUTSIDE = (
    "It looks like you are using a PerReplica object while not inside a replica context, which is "
    "not supported. Try running your op or function inside a replica context by using "
    "`strategy.run`"
)
MESSAGE_HERE = (
    "The values of the replicas of one process are known outside of a tf.function only: the "
    "program of a function is that of all processes."
)
HINT_HERE = (
    "Return the PerReplica value from the function, bring it together by `strategy.reduce` or "
    "`strategy.gather`, or compute with it in `strategy.run`."
)


class DistributedValues:
    """What each replica has its own of: values that `run` returns, and variables.

    >>> strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    >>> context = tf.distribute.get_replica_context
    >>> ids = strategy.run(lambda: context().replica_id_in_sync_group)
    >>> isinstance(ids, tf.distribute.DistributedValues)
    True
    >>> ids
    PerReplica:{
      0: <tf.Tensor: shape=(), dtype=int32, numpy=0>,
      1: <tf.Tensor: shape=(), dtype=int32, numpy=1>
    }
    """

    __slots__ = ()


class ReplicaValues(DistributedValues, CompositeTensor):
    """A value of which each replica has its own: the base class of `PerReplica`."""

    __slots__ = ("__weakref__", "_count", "_devices", "_here", "_row", "_stacked", "_values")
    _is_tensor = False

    def __init__(
        self, values: Sequence[Any] | None = None, stacked: Any = None,
        row: Any = None, count: int = 0, here: range | None = None,
        devices: tuple[str, ...] = (),
    ) -> None:  # fmt: skip
        # One of three: the values; all in one tensor; within a run what stands for each of them.
        self._values = None if values is None else tuple(values)
        self._stacked = stacked
        self._row = row
        self._count = len(values) if values is not None else count
        self._here = here  # the replicas of this process, if they run in several
        self._devices = devices  # the names of those that have the rows, if it is stacked

    @property
    def values(self) -> tuple[Any, ...]:
        """The values of the replicas of this process, in their order."""
        if self._here is None or self._row is not None:
            return self._every()
        if self._stacked is None:
            return self._every()[self._here.start : self._here.stop]
        return rows_here(self._stacked, self._here)

    def _every(self) -> tuple[Any, ...]:
        """Returns the values of all replicas, in their order."""
        if self._values is None:
            stacked = self._stacked
            if stacked is None:
                assert self._row is not None
                stacked = record_collective(REPLICA_STACK, self._row, (self._count,))
            self._values = tuple(unstack(stacked, self._count))
            name_devices(self._values, self._devices)
        return self._values

    def _held(self) -> list[Any]:
        """Returns what holds the values, without taking them apart."""
        if self._stacked is not None:
            return [self._stacked]
        return [self._row] if self._row is not None else list(self._every())

    def _components(self) -> Sequence[Any]:
        return list(map(as_component, self._held()))

    def _with_components(self, components: Sequence[Any]) -> Any:
        if self._stacked is not None:
            return type(self)(
                stacked=components[0], count=self._count, here=self._here, devices=self._devices
            )
        if self._row is not None:
            return type(self)(row=components[0], count=self._count, here=self._here)
        return type(self)(components, here=self._here)

    def _static_parts(self) -> tuple[Hashable, ...]:
        kind = self._stacked is not None, self._row is not None
        return (self._count, *kind, self._here, self._devices)

    @property
    def _type_spec(self) -> "PerReplicaSpec":
        if self._stacked is not None:
            type_ = self._stacked._type
            return PerReplicaSpec(*[TensorSpec(type_.shape[1:], type_.dtype)] * self._count)
        return PerReplicaSpec(*[spec_of(as_component(value)) for value in self._every()])

    def _refusal(self) -> str:
        return MESSAGE_OUTSIDE

    def __repr__(self) -> str:
        return self._shown(repr)

    def __str__(self) -> str:
        return self._shown(str)

    def _shown(self, text: Any) -> str:
        lines = [f"  {place}: {text(value)}" for place, value in enumerate(self.values)]
        return f"{type(self).__name__}:{{\n" + ",\n".join(lines) + "\n}"


def as_component(value: Any) -> Any:
    """Returns what a replica has as a tensor, or as the composite that it is."""
    return value if isinstance(value, CompositeTensor) else convert(value)


def rows_here(stacked: EagerTensor, here: range) -> tuple[EagerTensor, ...]:
    """Returns the rows of a tensor that the replicas of this process have.

    Raises:
        RuntimeError: in a function that is recorded, whose program is that of all processes.
    """
    if THREAD.functions and THREAD.recording.frame is not None:
        raise hinted(RuntimeError(MESSAGE_HERE), HINT_HERE)
    array = stacked._array()
    if isinstance(array, np.ndarray) or array.is_fully_replicated or array.is_fully_addressable:
        rows = np.asarray(array)
        return tuple(from_host(rows[replica]) for replica in here)
    found = {}
    for shard in array.addressable_shards:
        start = shard.index[0].start or 0
        found.update(enumerate(np.asarray(shard.data), start))
    return tuple(from_host(np.asarray(found[replica])) for replica in here)


class PerReplica(ReplicaValues):
    """A value of which each replica has its own, as `tf.distribute.Strategy.run` returns it."""

    __slots__ = ()


class Mirrored(ReplicaValues, Operators):
    """A value of which all replicas have the same: a tensor for those who compute with it."""

    __slots__ = ()

    def _one(self) -> Any:
        """Returns the value of one of them, which is that of all."""
        return self.values[0] if self._row is None else self._row

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> EagerTensor:
        return convert(self._one(), dtype)

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        return np.asarray(self._one(), *args, **kwargs)

    def __getitem__(self, key: Any) -> Any:
        return self._one()[key]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self._one(), name)


attach(Mirrored)
Mirrored.__eq__, Mirrored.__ne__ = object.__eq__, object.__ne__  # whether they are the same object


class PerReplicaSpec(TypeSpec):
    """The type of a value of which each replica has its own.

    Args:
        *value_specs: the types of the values of the replicas.
    """

    __slots__ = ("_value_specs",)

    def __init__(self, *value_specs: Any) -> None:
        self._value_specs = tuple(value_specs)

    @property
    def value_type(self) -> Any:
        """The class of the values."""
        return PerReplica

    def _serialize(self) -> tuple[Any, ...]:
        return self._value_specs

    @property
    def _component_specs(self) -> list[Any]:
        return list(self._value_specs)

    def _to_components(self, value: Any) -> Any:
        return list(value.values)

    def _from_components(self, components: Any) -> Any:
        return PerReplica(components)


register(("distribute.DistributedValues",), DistributedValues)


def regrouped(
    results: Sequence[Any], same: bool = True, here: range | None = None,
    apart: Collection[int] = (),
) -> Any:  # fmt: skip
    """Returns what the replicas have given as one structure, with `PerReplica` for its leaves.

    Args:
        results: what each replica has given; all have the same structure.
        same: whether what is the same object for all of them stays as it is.
        here: the replicas of this process, if they run in several.
        apart: the places of leaves that do not stay as they are, though they are the same object.
    """
    first, *others = results
    for other in others:
        nest.assert_same_structure(first, other)
    columns = zip(*(nest.flatten(result) for result in results), strict=True)
    leaves = [
        values[0]
        if same and place not in apart and all(value is values[0] for value in values)
        else PerReplica(values, here=here)
        for place, values in enumerate(columns)
    ]
    return nest.pack_sequence_as(first, leaves)


def selected(structure: Any, replica: int) -> Any:
    """Returns what a replica has of a structure with `PerReplica` leaves."""
    return nest.map_structure(
        lambda leaf: leaf.values[replica] if isinstance(leaf, ReplicaValues) else leaf,
        structure,
    )
