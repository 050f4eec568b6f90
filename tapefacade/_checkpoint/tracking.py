"""What a checkpoint finds in an object: its parts by name, and the values that it has itself."""

import collections
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from tapefacade._checkpoint.array_files import Array
from tapefacade._checkpoint.divided_values import divided_value
from tapefacade._core import dtypes, errors
from tapefacade._core.error_texts import kernel_prefix
from tapefacade._core.string_arrays import OBJECT, string_tensor
from tapefacade._core.tensor import from_array, from_host
from tapefacade._core.tensor_shape import TensorShape
from tapefacade._data.dataset import Dataset
from tapefacade._data.iterators import Iterator
from tapefacade._definition.op import function
from tapefacade._function.function.function_types import Callable as FunctionBase
from tapefacade._function.function.tracing import begin_step
from tapefacade._lookup.mutable_tables import MutableHashTable
from tapefacade._lookup.static_tables import Table
from tapefacade._state.module import AutoTrackable
from tapefacade._state.random_generator import Generator
from tapefacade._state.sharding import sent
from tapefacade._state.variable import Variable
from tapefacade._trace.assignments import boxes_of, locked, set_together
from tapefacade._trace.recording import THREAD

MESSAGE_KEYS = (
    "Unable to save the object {} (a dictionary wrapper constructed automatically on attribute "
    "assignment). The wrapped dictionary contains a non-string key which maps to a trackable "
    "object or mutable data structure.\n\nIf you don't need this dictionary checkpointed, wrap it "
    "in a non-trackable object; it will be subsequently ignored."
)
# What Python calls attributes that hold no parts of an object.
PRIVATE_PREFIX = "_self_"


class ValueSource(Protocol):
    """Where the values of a checkpoint come from."""

    def get(self, key: str) -> Array:
        """Returns a value."""
        ...

    def dtype(self, key: str) -> dtypes.DType:
        """Returns the dtype of a value."""
        ...

    def shape(self, key: str) -> list[int]:
        """Returns the shape of a value."""
        ...

    def divided(self, key: str, sharding: Any) -> Any:
        """Returns a value as its devices hold it; None if it was written in one piece."""
        ...


class SavedValue(NamedTuple):
    """A value that an object has.

    Attributes:
        name: what it is called among the object's values.
        tensors: what is saved, by the end of the key: arrays, or values divided among devices.
        full_name: the name of the variable.
    """

    name: str
    tensors: dict[str, Any]
    full_name: str = ""


class TrackingRule(NamedTuple):
    """How a checkpoint deals with the objects of a class.

    Attributes:
        children: gives the parts by name.
        values: gives the object's own values; None if it has none.
        restoring: takes the object, the source, the keys of its values by name, and how many values
            are restored together. It checks the values and returns what puts them in the object.
        is_container: whether Python does not tell who holds it.
    """

    children: Callable[[Any], dict[str, Any]]
    values: Callable[[Any], list[SavedValue]] | None = None
    restoring: Callable[[Any, ValueSource, Mapping[str, str], int], Callable[[], None]] | None = (
        None
    )
    is_container: bool = False


TRACKING_RULES: dict[type, TrackingRule] = {}


def track(class_: type, kind: TrackingRule) -> None:
    """Tells how checkpoints deal with the objects of a class and of its subclasses.

    A class may also say it itself: by a method `_checkpoint_children()`.
    """
    TRACKING_RULES[class_] = kind


def tracking_rule(value: Any) -> TrackingRule | None:
    """Returns how checkpoints deal with an object; None if they ignore it."""
    exact = type(value)
    for class_ in exact.__mro__:
        kind = TRACKING_RULES.get(class_)
        if kind is not None:
            if kind.is_container and exact is not class_ and not isinstance(value, tuple):
                return None
            return kind
    return OBJECT_RULE if hasattr(exact, "_checkpoint_children") else None


def children(value: Any) -> dict[str, Any]:
    """Returns the parts of an object that checkpoints know, by name."""
    kind = tracking_rule(value)
    return {} if kind is None else kind.children(value)


def values(value: Any) -> list[SavedValue]:
    """Returns an object's own values."""
    kind = tracking_rule(value)
    return [] if kind is None or kind.values is None else kind.values(value)


def has_values(value: Any) -> bool:
    """Whether an object has values of its own."""
    kind = tracking_rule(value)
    return kind is not None and kind.values is not None


class TrackableReference(NamedTuple):
    """What an object holds, by the name that checkpoints know it by.

    Attributes:
        name: the name.
        ref: the object.
    """

    name: str
    ref: Any


def attributes(value: Any) -> dict[str, Any]:
    """Returns the attributes of an object that are parts of it."""
    ignored = getattr(value, "_TF_MODULE_IGNORED_PROPERTIES", ())
    return {
        name: part
        for name, part in list(vars(value).items())
        if not name.startswith(PRIVATE_PREFIX) and name not in ignored and _is_part(part)
    }


def _is_part(value: Any) -> bool:
    if isinstance(value, tuple):
        return any(map(_is_part, value))
    return tracking_rule(value) is not None


# Containers.


def _items(value: Any) -> dict[str, Any]:
    found = {str(place): item for place, item in enumerate(value) if _is_part(item)}
    for name, item in zip(getattr(value, "_fields", ()), value, strict=False):
        if _is_part(item):
            found[name] = item
    return dict(sorted(found.items(), key=lambda pair: pair[0].isdigit()))


def _entries(value: Any) -> dict[str, Any]:
    return {
        key: item for key, item in list(value.items()) if isinstance(key, str) and _is_part(item)
    }


def require_texts(value: Any) -> None:
    """Refuses a dictionary that cannot be saved.

    Raises:
        ValueError: if parts are under keys that are no texts.
    """
    if isinstance(value, dict) and any(
        not isinstance(key, str) and _is_part(item) for key, item in value.items()
    ):
        raise ValueError(MESSAGE_KEYS.format(value))


def _nothing(value: Any) -> dict[str, Any]:
    return {}


# Variables.


def to_tensor(array: Array) -> Any:
    """Makes a tensor of a value in a file."""
    return string_tensor(array) if array.dtype == OBJECT else from_host(array)


def _variable_values(variable: Variable) -> list[SavedValue]:
    variable._look()
    array = divided_value(variable._seen._array()) or variable._seen._numpy_array()
    name = variable._root.name.removesuffix(":0")
    return [SavedValue("VARIABLE_VALUE", {"": array}, name)]


def tensor_for_variable(variable: Variable, source: ValueSource, key: str, count: int) -> Any:
    """Returns a value for a variable, as a tensor.

    Raises:
        InvalidArgumentError: if it has another dtype.
        ValueError: if it has another shape.
    """
    _require_dtype(source, key, variable.dtype, count)
    shape = TensorShape(source.shape(key))
    if not variable.shape.is_compatible_with(shape):
        raise ValueError(
            f"Received incompatible tensor with shape {shape} when attempting to restore "
            f"variable with shape {variable.shape} and name {variable.name}."
        )
    sharding = variable._root._sharding
    if sharding is None:
        return to_tensor(source.get(key))
    divided = source.divided(key, sharding)
    return sent(to_tensor(source.get(key)), sharding) if divided is None else from_array(divided)


def _require_dtype(source: ValueSource, key: str, wanted: dtypes.DType, count: int) -> None:
    """Raises InvalidArgumentError if a value has another dtype."""
    dtype = source.dtype(key)
    if dtype is not wanted:
        prefix = kernel_prefix(f"RestoreV2_dtypes_{count}")
        raise errors.InvalidArgumentError(
            None,
            None,
            f"{prefix}tensor_name = {key}; expected dtype {wanted.kernel_name} does not "
            f"equal original dtype {dtype.kernel_name} [Op:RestoreV2]",
        )


def put(variable: Variable, tensor: Any) -> None:
    """Gives a variable a value from a file."""
    root = variable._root
    functions = THREAD.functions
    if functions and any(made is root for made, _ in functions[-1].created):
        root._restore(tensor)  # its initial value
        return
    recording = THREAD.recording
    is_free = recording.at.parent is None and not recording.assigned and recording.frame is None
    if is_free and not root.has_copies:
        root._restore(tensor)  # nothing is pending that may fail and take it back
        return
    with locked([root]):
        root._put(tensor)
        root._tell_tapes()


class VariablePut(NamedTuple):
    """Puts a value from a file in a variable, when it is called."""

    variable: Variable
    tensor: Any

    def __call__(self) -> None:
        put(self.variable, self.tensor)


def put_all(puts: Sequence[Callable[[], None]]) -> None:
    """Gives objects their values; variables get theirs at one moment, where nothing is pending."""
    recording = THREAD.recording
    is_free = recording.at.parent is None and not recording.assigned and recording.frame is None
    together: list[VariablePut] = []
    for one in puts:
        waits = is_free and not THREAD.functions
        if waits and isinstance(one, VariablePut) and not one.variable._root.has_copies:
            together.append(one)
        else:
            one()
    boxes = boxes_of([one.variable._root for one in together])
    set_together(boxes, [one.tensor for one in together])


def settle_pending() -> None:
    """Computes what is pending: what is restored next is no part of a step."""
    recording = THREAD.recording
    if recording.frame is None and not recording.is_held:
        begin_step(recording)


def _restore_variable(
    variable: Variable, source: ValueSource, keys: Mapping[str, str], count: int
) -> Callable[[], None]:
    tensor = tensor_for_variable(variable, source, keys["VARIABLE_VALUE"], count)
    return VariablePut(variable, tensor)


# Tables.


def _table_values(table: MutableHashTable) -> list[SavedValue]:
    keys, entries = table.export()
    return [SavedValue("table", {"-keys": keys._numpy_array(), "-values": entries._numpy_array()})]


def _restore_table(
    table: MutableHashTable, source: ValueSource, keys: Mapping[str, str], count: int
) -> Callable[[], None]:
    _require_dtype(source, keys["table"] + "-keys", table.key_dtype, count)
    _require_dtype(source, keys["table"] + "-values", table.value_dtype, count)
    names, entries = (to_tensor(source.get(keys["table"] + end)) for end in ("-keys", "-values"))
    return table.replacement(names, entries)


# Python values.


@function("train.experimental.PythonState")
class PythonState:
    """A Python object that checkpoints save: subclasses say how it becomes bytes.

    >>> class Counter(tf.train.experimental.PythonState):
    ...     count = 0
    ...     def serialize(self):
    ...         return str(self.count)
    ...     def deserialize(self, string_value):
    ...         self.count = int(string_value)
    >>> counter = Counter()
    >>> checkpoint = tf.train.Checkpoint(counter=counter)
    """

    def serialize(self) -> str | bytes:
        """Returns the state as a text."""
        raise TypeError(f"{type(self).__name__} does not say how it is saved: write `serialize`.")

    def deserialize(self, string_value: bytes) -> None:
        """Takes the state from a text that `serialize` has made."""
        raise TypeError(
            f"{type(self).__name__} does not say how it is restored: write `deserialize`."
        )


def _state_values(state: PythonState) -> list[SavedValue]:
    text = state.serialize()
    array = np.empty((), OBJECT)
    array[()] = text.encode() if isinstance(text, str) else bytes(text)
    return [SavedValue("py_state", {"": array})]


def _restore_state(
    state: PythonState, source: ValueSource, keys: Mapping[str, str], count: int
) -> Callable[[], None]:
    text = source.get(keys["py_state"]).item()
    return lambda: state.deserialize(text)


OBJECT_RULE = TrackingRule(lambda value: value._checkpoint_children())
track(Variable, TrackingRule(_nothing, _variable_values, _restore_variable))
track(AutoTrackable, TrackingRule(attributes))
track(Generator, TrackingRule(lambda generator: {"_state_var": generator._state_var}))
track(Table, TrackingRule(_nothing))
track(MutableHashTable, TrackingRule(_nothing, _table_values, _restore_table))
track(FunctionBase, TrackingRule(_nothing))
track(Dataset, TrackingRule(_nothing))
track(Iterator, TrackingRule(_nothing))  # how far it has come is not saved
track(PythonState, TrackingRule(_nothing, _state_values, _restore_state))
track(list, TrackingRule(_items, is_container=True))
track(tuple, TrackingRule(_items, is_container=True))
track(dict, TrackingRule(_entries, is_container=True))
track(collections.OrderedDict, TrackingRule(_entries, is_container=True))


def _references(self: AutoTrackable) -> list[TrackableReference]:
    """Lists the parts of an object, as libraries ask for them."""
    return [TrackableReference(*part) for part in attributes(self).items()]


AutoTrackable._unconditional_checkpoint_dependencies = property(_references)  # type: ignore[attr-defined]
