"""Tables whose entries do not change: `tf.lookup.StaticHashTable`, `StaticVocabularyTable`."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from tapefacade._core import dtypes, errors
from tapefacade._core.conversion import convert
from tapefacade._core.error_texts import shape_text
from tapefacade._core.missing_members import TABLE_ITSELF, lacks
from tapefacade._core.tensor import EagerTensor, from_host, hinted
from tapefacade._definition.op import function
from tapefacade._lookup.table_initializers import TableInitializer, shown_dtype, tensor_of
from tapefacade._ragged.tensor import RaggedTensor
from tapefacade._sparse.tensor import SparseTensor
from tapefacade._strings.arguments import Array, failed
from tapefacade._strings.hash_functions import farm64
from tapefacade._trace.open_sizes import with_sizes_of

IMPORT, FIND = "LookupTableImportV2", "LookupTableFindV2"
HINT_FILLED = "A layer of Keras gets its words by `layer.adapt(data)`, or by `vocabulary=...`."
VALUES = ("string", "int64", "int32", "float", "double")
# The kernel names of the dtypes of keys, and of the values that they can have.
STATIC = {"string": (*VALUES, "bool"), "int64": VALUES, "int32": ("string", *VALUES[2:])}


def wrong_value_shape(expected: Iterable[int], given: Iterable[int]) -> str:
    """Words that the values of a table do not have the shape that goes with its keys."""
    return f"Expected shape {shape_text(expected)} for value, got {shape_text(given)}"


def wrong_keys(expected: Any, given: Any) -> str:
    """Words that keys do not have the dtype of a table's keys."""
    return (
        f"Dtype of argument `keys` must be {shown_dtype(expected)}, received: {shown_dtype(given)}"
    )


class Table:
    """Values by keys.

    Args:
        key_dtype: the dtype of the keys.
        value_dtype: the dtype of the values.
    """

    def __init__(self, key_dtype: dtypes.DType, value_dtype: dtypes.DType) -> None:
        self._key_dtype = key_dtype
        self._value_dtype = value_dtype
        self._entries: dict[Any, Any] = {}

    def __repr__(self) -> str:
        kinds = f"{self._key_dtype.name} to {self._value_dtype.name}"
        return f"<{type(self).__name__} of {kinds}>"

    @property
    def key_dtype(self) -> dtypes.DType:
        """The dtype of the keys."""
        return self._key_dtype

    @property
    def value_dtype(self) -> dtypes.DType:
        """The dtype of the values."""
        return self._value_dtype

    def size(self, name: str | None = None) -> EagerTensor:
        """Returns how many entries there are, an int64 scalar."""
        return from_host(np.array(len(self._entries), np.int64))

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """Returns the values of keys."""
        raise TypeError(f"{type(self).__name__} looks nothing up.")

    def __getitem__(self, keys: Any) -> Any:
        return self.lookup(keys)

    def _require_keys(self, keys: Any) -> None:
        if keys.dtype.base_dtype is not self._key_dtype:
            raise TypeError(wrong_keys(self._key_dtype, keys.dtype))


def inner_keys(keys: Any) -> tuple[EagerTensor, Any]:
    """Returns the tensor of keys within a ragged or sparse one, and what puts values back."""
    if isinstance(keys, RaggedTensor):
        return keys.flat_values, keys.with_flat_values
    if not isinstance(keys, EagerTensor) and hasattr(keys, "dense_shape"):
        make = SparseTensor
        return keys.values, lambda values: make(keys.indices, values, keys.dense_shape)
    return convert(keys), lambda values: values


def require_kinds(
    kernel: str, allowed: dict[str, tuple[str, ...]], key: dtypes.DType, value: dtypes.DType
) -> None:
    """Raises if there is no table for such keys and values."""
    if value.kernel_name not in allowed.get(key.kernel_name, ()):
        raise errors.NotFoundError(
            None,
            None,
            f"Could not find device for node: {{{{node {kernel}}}}} = {kernel}: there are no "
            f"tables from {key.name} to {value.name}. [Op:{kernel}] name: ",
        )


@function("lookup.StaticHashTable")
@lacks(
    {
        "resource_handle": TABLE_ITSELF,
        "name": "A table has no name: hand the table itself on.",
    }
)
class StaticHashTable(Table):
    """A table whose entries are given when it is made.

    Args:
        initializer: what it is filled with.
        default_value: the value of a key that it does not have.
        name: the name of the table.
        experimental_is_anonymous: accepted for TensorFlow's sake.

    Raises:
        FailedPreconditionError: if a key has two values.
        InvalidArgumentError: if there are not as many values as keys.

    >>> source = tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2])
    >>> table = tf.lookup.StaticHashTable(source, default_value=-1)
    >>> table.lookup(tf.constant(["b", "c"])).numpy()
    array([ 2, -1], dtype=int32)
    """

    def __init__(
        self,
        initializer: TableInitializer,
        default_value: Any,
        name: str | None = None,
        experimental_is_anonymous: bool = False,
    ) -> None:
        super().__init__(
            dtypes.as_dtype(initializer.key_dtype), dtypes.as_dtype(initializer.value_dtype)
        )
        require_kinds("HashTableV2", STATIC, self.key_dtype, self.value_dtype)
        self._default = convert(default_value, self.value_dtype)
        self._name = name
        self._is_filled = "initialize" not in vars(type(initializer))
        if not self._is_filled:  # by an initializer of the program's own, or Keras's
            return
        keys, values = initializer._entries()
        if keys.shape != values.shape:
            raise failed(IMPORT, wrong_value_shape(keys.shape, values.shape), named=" name: ")
        for key, value in zip(_items(keys), _items(values), strict=True):
            held = self._entries.setdefault(key, value)
            if held != value:
                raise failed(
                    IMPORT,
                    "HashTable has different value for same key. Key "
                    f"{_text(key)} has {_text(held)} and trying to add value {_text(value)}",
                    errors.FailedPreconditionError,
                    " name: ",
                )

    @property
    def default_value(self) -> EagerTensor:
        """The value of a key that the table does not have."""
        return self._default

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """Returns the values of keys.

        Args:
            keys: a tensor, ragged tensor or sparse tensor of the dtype of the keys.
            name: ignored.

        Returns:
            The values, in the same form.

        Raises:
            TypeError: if the keys are of another dtype.
            FailedPreconditionError: if nothing has filled the table.
        """
        self._require_keys(keys)
        tensor, restored = inner_keys(keys)
        array = tensor._numpy_array()
        if not self._is_filled:
            raise hinted(
                failed(FIND, "Table not initialized.", errors.FailedPreconditionError, " name: "),
                HINT_FILLED,
            )
        default = self._default._numpy_array().item()
        values = [self._entries.get(key, default) for key in _items(array)]
        found = tensor_of(values, self.value_dtype, array.shape)
        return restored(with_sizes_of(found, tensor))

    def export(self, name: str | None = None) -> tuple[EagerTensor, EagerTensor]:
        """Returns all keys and all values, two vectors."""
        count = (len(self._entries),)
        return (
            tensor_of(list(self._entries), self.key_dtype, count),
            tensor_of(list(self._entries.values()), self.value_dtype, count),
        )


def _items(array: Array) -> list[Any]:
    return array.reshape(-1).tolist()


def _text(value: Any) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)


@function("lookup.StaticVocabularyTable")
@lacks(
    {
        "resource_handle": TABLE_ITSELF,
    }
)
class StaticVocabularyTable(Table):
    """A table of the numbers of words, which gives other words numbers by their hash.

    Args:
        initializer: what it is filled with, of int64 values; None for no entries.
        num_oov_buckets: how many numbers there are for other words.
        lookup_key_dtype: the dtype of the keys that are looked up, if it is another.
        name: the name of the table.
        experimental_is_anonymous: accepted for TensorFlow's sake.

    Raises:
        TypeError: if the values are no int64, or the keys neither int64 nor string.
        ValueError: if there are no such numbers.

    >>> words = tf.lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([0, 1], tf.int64))
    >>> table = tf.lookup.StaticVocabularyTable(words, num_oov_buckets=3)
    >>> table.lookup(tf.constant(["b", "other"])).numpy()
    array([1, 4])
    """

    def __init__(
        self,
        initializer: TableInitializer | None,
        num_oov_buckets: int,
        lookup_key_dtype: Any = None,
        name: str | None = None,
        experimental_is_anonymous: bool = False,
    ) -> None:
        if num_oov_buckets <= 0:
            raise ValueError("`num_oov_buckets` must be > 0; use StaticHashTable.")
        given = None if lookup_key_dtype is None else dtypes.as_dtype(lookup_key_dtype)
        self._table: StaticHashTable | None = None
        if initializer is not None:
            if initializer.value_dtype is not dtypes.int64:
                raise TypeError(
                    f"Invalid `value_dtype`, expected {shown_dtype(dtypes.int64)} but got "
                    f"{shown_dtype(initializer.value_dtype)}."
                )
            if initializer.key_dtype not in (dtypes.int64, dtypes.string):
                raise TypeError(
                    "Invalid `key_dtype`, expected one of (tf.int64, tf.string), but got "
                    f"{shown_dtype(initializer.key_dtype)}."
                )
            self._table = StaticHashTable(initializer, -1, name=name)
            given = given or initializer.key_dtype
        super().__init__(given or dtypes.string, dtypes.int64)
        self._buckets = int(num_oov_buckets)
        self._name = name

    @property
    def name(self) -> str | None:
        """The name of the table."""
        return self._name

    def size(self, name: str | None = None) -> EagerTensor:
        """Returns how many numbers there are, those for other words included."""
        return from_host(np.array(self._known() + self._buckets, np.int64))

    def _known(self) -> int:
        return 0 if self._table is None else len(self._table._entries)

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """Returns the numbers of words.

        Args:
            keys: a tensor, ragged tensor or sparse tensor of the dtype of the keys.
            name: ignored.

        Returns:
            The int64 numbers, in the same form.

        Raises:
            TypeError: if the keys are of another dtype.
        """
        self._require_keys(keys)
        tensor, restored = inner_keys(keys)
        array = tensor._numpy_array()
        entries = {} if self._table is None else self._table._entries
        values = [
            entries[key] if key in entries else self._known() + self._hashed(key)
            for key in _items(array)
        ]
        found = tensor_of(values, dtypes.int64, array.shape)
        return restored(with_sizes_of(found, tensor))

    def _hashed(self, key: Any) -> int:
        text = key if isinstance(key, bytes) else str(key).encode()
        return farm64(text) % self._buckets
