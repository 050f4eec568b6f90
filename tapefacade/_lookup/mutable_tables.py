"""Tables whose entries change: `tf.lookup.experimental.MutableHashTable`, `DenseHashTable`."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert
from tapefacade._core.error_texts import shape_text
from tapefacade._core.missing_members import TABLE_ITSELF, lacks
from tapefacade._core.tensor import EagerTensor
from tapefacade._definition.op import function
from tapefacade._lookup.static_tables import (
    Table,
    inner_keys,
    require_kinds,
    wrong_keys,
    wrong_value_shape,
)
from tapefacade._lookup.table_initializers import tensor_of
from tapefacade._strings.arguments import Array, failed, tensor_of as typed_tensor
from tapefacade._strings.hash_functions import hash64
from tapefacade._trace.recording import need_python

Pairs = list[tuple[Any, tuple[Any, ...]]]  # keys and the elements of their values

INSERT, FIND, REMOVE = "LookupTableInsertV2", "LookupTableFindV2", "LookupTableRemoveV2"
WHY_TABLE = "it uses a table that changes"
NUMBERS = ("int64", "int32", "float", "double")
MUTABLE = {
    "string": (*NUMBERS, "bool"),
    "int64": ("string", *NUMBERS),
    "int32": ("int32", "float", "double"),
}
DENSE = {
    "string": (*NUMBERS, "bool"),
    "int64": (*NUMBERS, "bool"),
    "int32": ("int32", "float", "double"),
}


@function("lookup.experimental.MutableHashTable")
@lacks(
    {
        "resource_handle": TABLE_ITSELF,
    }
)
class MutableHashTable(Table):
    """A table that is filled and changed while the program runs.

    Args:
        key_dtype: the dtype of the keys.
        value_dtype: the dtype of the values.
        default_value: the value of a key that it does not have; its shape is that of each value.
        name: ignored.
        checkpoint: accepted for TensorFlow's sake.
        experimental_is_anonymous: accepted for TensorFlow's sake.

    >>> table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, default_value=-1)
    >>> table.insert(["a", "b"], [1, 2])
    >>> table.lookup(["b", "c"]).numpy()
    array([ 2, -1])
    """

    _KERNEL = "MutableHashTableV2"
    _KINDS = MUTABLE

    def __init__(
        self,
        key_dtype: Any,
        value_dtype: Any,
        default_value: Any,
        name: str = "MutableHashTable",
        checkpoint: bool = True,
        experimental_is_anonymous: bool = False,
    ) -> None:
        super().__init__(dtypes.as_dtype(key_dtype), dtypes.as_dtype(value_dtype))
        self._default = convert(default_value, self.value_dtype)
        require_kinds(self._KERNEL, self._KINDS, self.key_dtype, self.value_dtype)

    @property
    def name(self) -> str | None:
        """None: the table has no name."""
        return None

    def size(self, name: str | None = None) -> EagerTensor:
        """Returns how many entries there are, an int64 scalar."""
        need_python(WHY_TABLE)
        return super().size()

    def insert(self, keys: Any, values: Any, name: str | None = None) -> None:
        """Sets the values of keys.

        Args:
            keys: a tensor of the dtype of the keys.
            values: a tensor of the values, of the shape of `keys` and then that of a value.
            name: ignored.

        Raises:
            InvalidArgumentError: if the shapes do not fit.
            ValueError: if the values are of another dtype.
        """
        need_python(WHY_TABLE)
        self._put(self._pairs(keys, values))

    def replacement(self, keys: Any, values: Any) -> Callable[[], None]:
        """Returns a function that gives the table other entries; what `export` gave is checked.

        Args:
            keys: a tensor of the dtype of the keys.
            values: a tensor of the values, of the shape of `keys` and then that of a value.

        Raises:
            InvalidArgumentError: if the shapes do not fit.
            ValueError: if the values are of another dtype.
        """
        pairs = self._pairs(keys, values)

        def replace() -> None:
            self._entries.clear()
            self._put(pairs)

        return replace

    def _pairs(self, keys: Any, values: Any) -> Pairs:
        """Returns keys and their values, checked."""
        array = self._keys(keys, INSERT)
        held = _labelled("values", values, self.value_dtype)._numpy_array()
        shape = (*self._outer_shape(array), *self._default._type.shape)
        if held.shape != shape:
            raise failed(INSERT, wrong_value_shape(shape, held.shape), named=" name: ")
        names = self._names(array, INSERT)
        return list(zip(names, self._rows(held, len(names)), strict=True))

    def _put(self, pairs: Pairs) -> None:
        self._entries.update(pairs)

    def _take(self, key: Any) -> None:
        self._entries.pop(key, None)

    def remove(self, keys: Any, name: str | None = None) -> None:
        """Takes keys out; those that the table does not have are ignored.

        Args:
            keys: a tensor of the dtype of the keys.
            name: ignored.

        Raises:
            TypeError: if the keys are of another dtype.
        """
        need_python(WHY_TABLE)
        if keys.dtype is not self.key_dtype:
            raise TypeError(wrong_keys(self.key_dtype, keys.dtype))
        for key in self._names(self._keys(keys, REMOVE), REMOVE):
            self._take(key)

    def lookup(  # type: ignore[override]  # TensorFlow puts `name` behind the defaults
        self, keys: Any, dynamic_default_values: Any = None, name: str | None = None
    ) -> Any:
        """Returns the values of keys.

        Args:
            keys: a tensor or ragged tensor of the dtype of the keys.
            dynamic_default_values: the values of keys that the table does not have, one for each
                of the keys or one for all.
            name: ignored.

        Returns:
            The values, in the same form.
        """
        need_python(WHY_TABLE)
        inner, restored = (keys, lambda v: v) if isinstance(keys, list) else inner_keys_of(keys)
        array = self._keys(inner, FIND)
        default = self._default
        if dynamic_default_values is not None:
            default = convert(dynamic_default_values, self.value_dtype)
        names = self._names(array, FIND)
        shape = (*self._outer_shape(array), *self._default._type.shape)
        defaults = self._rows(np.broadcast_to(default._numpy_array(), shape), len(names))
        pairs = zip(names, defaults, strict=True)
        rows = [self._entries.get(key, value) for key, value in pairs]
        return restored(self._tensor(rows, shape))

    def export(self, name: str | None = None) -> tuple[EagerTensor, EagerTensor]:
        """Returns all keys and all values, in the order in which they came in."""
        need_python(WHY_TABLE)
        count = len(self._entries)
        rows = list(self._entries.values())
        return (
            tensor_of(list(self._entries), self.key_dtype, (count,)),
            self._tensor(rows, (count, *self._default._type.shape)),
        )

    def _keys(self, keys: Any, kernel: str) -> Array:
        return typed_tensor(keys, kernel, 1, self.key_dtype)._numpy_array()

    def _outer_shape(self, keys: Array) -> tuple[int, ...]:
        """Returns the shape of the keys without that of one."""
        return keys.shape

    def _names(self, keys: Array, kernel: str) -> list[Any]:
        """Returns the keys one by one, as they stand in the dictionary."""
        return keys.reshape(-1).tolist()

    def _rows(self, array: Array, count: int) -> list[tuple[Any, ...]]:
        """Returns the elements of each value."""
        width = int(np.prod(self._default._type.shape, dtype=np.int64))
        return [tuple(row) for row in array.reshape(count, width).tolist()]

    def _tensor(self, rows: list[tuple[Any, ...]], shape: tuple[int, ...]) -> EagerTensor:
        return tensor_of([value for row in rows for value in row], self.value_dtype, shape)


def inner_keys_of(keys: Any) -> tuple[Any, Any]:
    """Returns the keys within a ragged or sparse tensor, and what puts values back."""
    if hasattr(keys, "flat_values") or hasattr(keys, "dense_shape"):
        return inner_keys(keys)
    return keys, lambda values: values


def _labelled(name: str, values: Any, dtype: dtypes.DType) -> EagerTensor:
    try:
        return convert(values, dtype)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


# In the place of the key of a bucket whose entry was taken out.
DELETED_KEY = object()
BUCKETS = 131_072
GREATEST_LOAD = 0.8  # of the buckets; with more entries there are twice as many
ALL_BITS = (1 << 64) - 1


@function("lookup.experimental.DenseHashTable")
class DenseHashTable(MutableHashTable):
    """A table that is filled and changed while the program runs; two keys are reserved.

    Its entries lie in buckets, as in TensorFlow, and `export` gives the buckets.

    Args:
        key_dtype: the dtype of the keys.
        value_dtype: the dtype of the values.
        default_value: the value of a key that it does not have; its shape is that of each value.
        empty_key: a key that may not be used, a scalar or a vector; its shape is that of each key.
        deleted_key: another.
        initial_num_buckets: a power of two, 131,072 if it is not given.
        name: ignored.
        checkpoint: accepted for TensorFlow's sake.
        experimental_is_anonymous: accepted for TensorFlow's sake.

    Raises:
        InvalidArgumentError: if the two keys are one, or differ in shape.

    >>> table = tf.lookup.experimental.DenseHashTable(
    ...     tf.int64, tf.int64, default_value=-1, empty_key=0, deleted_key=-1
    ... )
    >>> table.insert(tf.constant([3], tf.int64), tf.constant([9], tf.int64))
    >>> table.lookup(tf.constant([3, 4], tf.int64)).numpy()
    array([ 9, -1])
    """

    _KERNEL = "MutableDenseHashTableV2"
    _KINDS = DENSE

    def __init__(
        self,
        key_dtype: Any,
        value_dtype: Any,
        default_value: Any,
        empty_key: Any,
        deleted_key: Any,
        initial_num_buckets: int | None = None,
        name: str = "MutableDenseHashTable",
        checkpoint: bool = True,
        experimental_is_anonymous: bool = False,
    ) -> None:
        super().__init__(key_dtype, value_dtype, default_value)
        empty, deleted = (
            convert(key, self.key_dtype)._numpy_array() for key in (empty_key, deleted_key)
        )
        count = BUCKETS if initial_num_buckets is None else initial_num_buckets
        wrong = ""
        if count < 4 or count & count - 1:
            wrong = f"Number of buckets must be at least 4 and a power of 2, got: {count}"
        elif empty.ndim > 1:
            wrong = f"Empty key must be a scalar or a vector, got shape {shape_text(empty.shape)}"
        elif empty.shape != deleted.shape:
            wrong = (
                "Empty and deleted keys must have same shape, got shapes: "
                f"{shape_text(empty.shape)} and {shape_text(deleted.shape)}"
            )
        elif np.array_equal(empty, deleted):
            wrong = "Empty and deleted keys cannot be equal"
        if wrong:
            raise failed(self._KERNEL, wrong, named=f" name: {name}")
        self._key_shape: tuple[int, ...] = empty.shape
        self._empty, self._deleted = (_one_name(key) for key in (empty, deleted))
        self._bucket_count = count
        self._keys_in_buckets: dict[int, Any] = {}  # those that are not empty
        self._rows_in_buckets: dict[int, tuple[Any, ...]] = {}  # a row outlives its key
        self._places: dict[Any, int] = {}

    def lookup(  # type: ignore[override]  # TensorFlow has no `dynamic_default_values` here
        self, keys: Any, name: str | None = None
    ) -> Any:
        """Returns the values of keys, a tensor or ragged tensor of their dtype."""
        return super().lookup(keys)

    def insert_or_assign(self, keys: Any, values: Any, name: str | None = None) -> None:
        """Sets the values of keys; see `insert`."""
        self.insert(keys, values, name)

    def erase(self, keys: Any, name: str | None = None) -> None:
        """Takes keys out; see `remove`."""
        self.remove(keys, name)

    def export(self, name: str | None = None) -> tuple[EagerTensor, EagerTensor]:
        """Returns the keys and the values of all buckets, a row for each.

        In empty buckets the key is the empty one, and the value 0 or an empty text; where an entry
        was taken out, the key is the deleted one.
        """
        need_python(WHY_TABLE)
        width = int(np.prod(self._default._type.shape, dtype=np.int64))
        nothing = (b"" if self.value_dtype == dtypes.string else 0,) * width
        keys, rows = [], []
        for place in range(self._bucket_count):
            key = self._keys_in_buckets.get(place, self._empty)
            keys.append(self._deleted if key is DELETED_KEY else key)
            rows.append(self._rows_in_buckets.get(place, nothing))
        if self._key_shape:
            keys = [part for key in keys for part in key]
        shape = (self._bucket_count, len(keys) // self._bucket_count)
        return (
            tensor_of(keys, self.key_dtype, shape),
            self._tensor(rows, (self._bucket_count, width)),
        )

    def replacement(self, keys: Any, values: Any) -> Callable[[], None]:
        """Returns a function that gives the table other buckets, or entries; see `insert`."""
        array = convert(keys, self.key_dtype)._numpy_array()
        held = convert(values, self.value_dtype)._numpy_array()
        count = array.shape[0] if array.ndim else 0
        width = int(np.prod(self._default._type.shape, dtype=np.int64))
        is_whole = held.shape == (count, width) and array.ndim == 2 and count >= 4
        if not is_whole or count & count - 1 or array.size != count * _size(self._key_shape):
            pairs = self._pairs(keys, values)  # entries only
            count = self._bucket_count
            return lambda: self._replace(count, pairs, {}, {})
        names = [_one_name(row) for row in array.reshape(count, *self._key_shape)]
        rows = dict(enumerate(self._rows(held, count)))
        found = {
            place: DELETED_KEY if key == self._deleted else key
            for place, key in enumerate(names)
            if key != self._empty
        }
        return lambda: self._replace(count, [], found, rows)

    def _replace(self, count: int, pairs: Pairs, keys: dict[int, Any], rows: dict) -> None:
        self._bucket_count, self._keys_in_buckets, self._rows_in_buckets = count, keys, rows
        self._places = {key: place for place, key in keys.items() if key is not DELETED_KEY}
        self._entries.clear()
        self._entries.update((key, rows[place]) for key, place in self._places.items())
        self._put(pairs)

    def _put(self, pairs: Pairs) -> None:
        count = len(self._entries) + len(pairs)  # as if every key were new
        if count > self._bucket_count * GREATEST_LOAD:
            while count > self._bucket_count * GREATEST_LOAD:
                self._bucket_count *= 2
            order = sorted(self._places, key=self._places.__getitem__)
            self._keys_in_buckets, self._rows_in_buckets, self._places = {}, {}, {}
            for key in order:
                self._put_one(key, self._entries[key])
        for key, row in pairs:
            self._put_one(key, row)
            self._entries[key] = row

    def _put_one(self, key: Any, row: tuple[Any, ...]) -> None:
        place = self._places.get(key)
        if place is None:
            mask, step = self._bucket_count - 1, 0
            place = _hash(key) & mask
            while self._keys_in_buckets.get(place, DELETED_KEY) is not DELETED_KEY:
                step += 1
                place = place + step & mask
            self._places[key] = place
            self._keys_in_buckets[place] = key
        self._rows_in_buckets[place] = row

    def _take(self, key: Any) -> None:
        if self._entries.pop(key, None) is not None:
            self._keys_in_buckets[self._places.pop(key)] = DELETED_KEY

    def _keys(self, keys: Any, kernel: str) -> Array:
        array = super()._keys(keys, kernel)
        axes = len(self._key_shape)
        if array.shape[array.ndim - axes :] != self._key_shape:
            raise failed(
                kernel,
                f"Input key shape {shape_text(array.shape)} must end with the table's key shape "
                f"{shape_text(self._key_shape)}",
                named=" name: ",
            )
        return array

    def _outer_shape(self, keys: Array) -> tuple[int, ...]:
        return keys.shape[: keys.ndim - len(self._key_shape)]

    def _names(self, keys: Array, kernel: str) -> list[Any]:
        count = keys.shape[0] if keys.ndim else 1
        if keys.size != count * _size(self._key_shape):
            wanted = shape_text((count, *self._key_shape))
            message = f"Expected key shape {wanted} got {shape_text(keys.shape)}"
            raise failed(kernel, message, named=" name: ")
        names = [_one_name(key) for key in keys.reshape(count, *self._key_shape)]
        for key in names:
            for reserved, what in ((self._empty, "empty_key"), (self._deleted, "deleted_key")):
                if key == reserved:
                    message = f"Using the {what} as a table key is not allowed"
                    raise failed(kernel, message, named=" name: ")
        return names


def _size(shape: tuple[int, ...]) -> int:
    return int(np.prod(shape, dtype=np.int64))


def _one_name(key: Any) -> Any:
    """Returns a key as it stands in dictionaries."""
    if isinstance(key, bytes):
        return key
    return tuple(key.tolist()) if key.ndim else key.item()


def _hash(key: Any) -> int:
    """Returns TensorFlow's hash of a key, which decides the bucket."""
    if not isinstance(key, tuple):
        return hash64(key) if isinstance(key, bytes) else key & ALL_BITS
    if len(key) == 1:
        return _hash(key[0])
    result = 0
    for part in key:
        mixed = _hash(part) + 0x9E3779B97F4A7800 + (result << 10) + (result >> 4)
        result ^= mixed & ALL_BITS
    return result
