"""Tables whose entries change: `tf.lookup.experimental.MutableHashTable`, `DenseHashTable`."""

from typing import Any

import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert
from tapefacade._core.tensor import EagerTensor
from tapefacade._definition.op import function
from tapefacade._lookup.static_tables import Table, inner_keys, require_kinds
from tapefacade._lookup.table_initializers import shown, tensor_of
from tapefacade._strings.arguments import Array, failed, tensor_of as typed_tensor

INSERT, FIND, REMOVE = "LookupTableInsertV2", "LookupTableFindV2", "LookupTableRemoveV2"
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
        self._entries.update(self.entries_of(keys, values))

    def entries_of(self, keys: Any, values: Any) -> dict[Any, tuple[Any, ...]]:
        """Returns the entries that `insert` would make, checked.

        Args:
            keys: a tensor of the dtype of the keys.
            values: a tensor of the values, of the shape of `keys` and then that of a value.

        Raises:
            InvalidArgumentError: if the shapes do not fit.
            ValueError: if the values are of another dtype.
        """
        array = self._keys(keys, INSERT)
        held = _labelled("values", values, self.value_dtype)._numpy()
        shape = (*array.shape, *self._default._type.shape)
        if held.shape != shape:
            wanted, given = (",".join(map(str, s)) for s in (shape, held.shape))
            raise failed(
                INSERT, f"Expected shape [{wanted}] for value, got [{given}]", named=" name: "
            )
        rows = self._rows(held, array.size)
        return dict(zip(array.reshape(-1).tolist(), rows, strict=True))

    def remove(self, keys: Any, name: str | None = None) -> None:
        """Takes keys out; those that the table does not have are ignored.

        Args:
            keys: a tensor of the dtype of the keys.
            name: ignored.

        Raises:
            TypeError: if the keys are of another dtype.
        """
        if keys.dtype is not self.key_dtype:
            raise TypeError(
                f"Dtype of argument `keys` must be {shown(self.key_dtype)}, received: "
                f"{shown(keys.dtype)}"
            )
        for key in self._keys(keys, REMOVE).reshape(-1).tolist():
            self._entries.pop(key, None)

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
        inner, restored = (keys, lambda v: v) if isinstance(keys, list) else inner_keys_of(keys)
        array = self._keys(inner, FIND)
        default = self._default
        if dynamic_default_values is not None:
            default = convert(dynamic_default_values, self.value_dtype)
        shape = (*array.shape, *self._default._type.shape)
        defaults = self._rows(np.broadcast_to(default._numpy(), shape), array.size)
        pairs = zip(array.reshape(-1).tolist(), defaults, strict=True)
        rows = [self._entries.get(key, value) for key, value in pairs]
        return restored(self._tensor(rows, shape))

    def export(self, name: str | None = None) -> tuple[EagerTensor, EagerTensor]:
        """Returns all keys and all values.

        Unlike TensorFlow, a table of any class gives its entries in the order in which they came
        in, and nothing else.
        """
        count = len(self._entries)
        rows = list(self._entries.values())
        return (
            tensor_of(list(self._entries), self.key_dtype, (count,)),
            self._tensor(rows, (count, *self._default._type.shape)),
        )

    def _keys(self, keys: Any, kernel: str) -> Array:
        return typed_tensor(keys, kernel, 1, self.key_dtype)._numpy()

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


@function("lookup.experimental.DenseHashTable")
class DenseHashTable(MutableHashTable):
    """A table that is filled and changed while the program runs; two keys are reserved.

    Unlike in TensorFlow, it is no other data structure than `MutableHashTable`, and `export`
    gives the entries only.

    Args:
        key_dtype: the dtype of the keys.
        value_dtype: the dtype of the values.
        default_value: the value of a key that it does not have; its shape is that of each value.
        empty_key: a key that may not be used.
        deleted_key: another.
        initial_num_buckets: accepted for TensorFlow's sake, a power of two.
        name: ignored.
        checkpoint: accepted for TensorFlow's sake.
        experimental_is_anonymous: accepted for TensorFlow's sake.

    Raises:
        InvalidArgumentError: if the two keys are one.

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
        self._empty = convert(empty_key, self.key_dtype)._numpy().tolist()
        self._deleted = convert(deleted_key, self.key_dtype)._numpy().tolist()
        count = initial_num_buckets
        if count is not None and (count < 4 or count & count - 1):
            raise failed(
                self._KERNEL,
                f"Number of buckets must be at least 4 and a power of 2, got: {count}",
                named=f" name: {name}",
            )
        if self._empty == self._deleted:
            message = "Empty and deleted keys cannot be equal"
            raise failed(self._KERNEL, message, named=f" name: {name}")

    def _keys(self, keys: Any, kernel: str) -> Array:
        array = super()._keys(keys, kernel)
        for key in array.reshape(-1).tolist():
            for reserved, what in ((self._empty, "empty_key"), (self._deleted, "deleted_key")):
                if key == reserved:
                    message = f"Using the {what} as a table key is not allowed"
                    raise failed(kernel, message, named=" name: ")
        return array

    def insert_or_assign(self, keys: Any, values: Any, name: str | None = None) -> None:
        """Sets the values of keys; see `insert`."""
        self.insert(keys, values, name)

    def erase(self, keys: Any, name: str | None = None) -> None:
        """Takes keys out; see `remove`."""
        self.remove(keys, name)
