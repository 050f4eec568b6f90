"""Tables whose entries come from datasets: `tf.data.experimental.table_from_dataset`."""

from typing import Any, NamedTuple

import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert
from tapefacade._core.missing_members import ENTRIES_AT_ONCE, lacks
from tapefacade._core.string_arrays import OBJECT
from tapefacade._core.tensor import hinted
from tapefacade._core.tensor_spec import TensorSpec
from tapefacade._data.experimental import assert_cardinality
from tapefacade._definition.op import function
from tapefacade._lookup.static_tables import StaticHashTable, StaticVocabularyTable
from tapefacade._lookup.table_initializers import TableInitializer, shown_dtype

MESSAGE_ELEMENTS = (
    "Datasets used to initialize lookup tables must produce elements in the form (key, value), "
    "where the keys and values are scalar tensors. However, the given dataset produces "
)


class HasherSpec(NamedTuple):
    """How keys that are not in a table are hashed.

    Attributes:
        hasher: the name of the hash.
        key: its key, if it has one.
    """

    hasher: str
    key: Any


FAST_HASH = HasherSpec("fasthash", None)


def _require_pairs(spec: Any) -> None:
    """Refuses a dataset whose elements are no pairs of scalars."""
    if len(spec) != 2:
        raise ValueError(
            f"{MESSAGE_ELEMENTS}{len(spec)} components instead of two (key, value) components. "
            f"Full dataset element spec: {spec}."
        )
    for what, part in zip(("key", "value"), spec, strict=True):
        if not isinstance(part, TensorSpec):
            raise ValueError(f"{MESSAGE_ELEMENTS}non-Tensor {what}s of type {type(part)}.")
    for what, part in zip(("key", "value"), spec, strict=True):
        if part.shape.rank not in (None, 0):
            raise ValueError(
                f"{MESSAGE_ELEMENTS}non-scalar {what} Tensors of rank {part.shape.rank}."
            )


@function("data.experimental.DatasetInitializer")
@lacks({"initialize": ENTRIES_AT_ONCE})
class DatasetInitializer(TableInitializer):
    """Fills a table with the elements of a dataset, which are read when the table is made.

    Args:
        dataset: a dataset of pairs of scalars, a key and a value.

    Raises:
        ValueError: if its elements are others.

    >>> keys = tf.data.Dataset.from_tensor_slices(["a", "b"])
    >>> pairs = tf.data.Dataset.zip((keys, tf.data.Dataset.range(2)))
    >>> table = tf.lookup.StaticHashTable(tf.data.experimental.DatasetInitializer(pairs), -1)
    >>> table.lookup(tf.constant(["b", "c"])).numpy()
    array([ 1, -1])
    """

    def __init__(self, dataset: Any) -> None:
        self.dataset = dataset
        spec = dataset.element_spec
        _require_pairs(spec)
        super().__init__(spec[0].dtype, spec[1].dtype)

    def _entries(self) -> Any:
        pairs = list(self.dataset.as_numpy_iterator())
        kinds = [
            OBJECT if dtype is dtypes.string else dtype.as_numpy_dtype
            for dtype in (self.key_dtype, self.value_dtype)
        ]
        return tuple(np.array([pair[n] for pair in pairs], kinds[n]) for n in range(2))


@function("data.experimental.table_from_dataset")
def table_from_dataset(
    dataset: Any = None,
    num_oov_buckets: int = 0,
    vocab_size: Any = None,
    default_value: Any = None,
    hasher_spec: HasherSpec = FAST_HASH,
    key_dtype: Any = dtypes.string,
    name: str | None = None,
) -> Any:
    """Makes a table of the elements of a dataset.

    Args:
        dataset: a dataset of pairs of scalars, a key and a value.
        num_oov_buckets: how many values stand for other keys, chosen by a hash.
        vocab_size: how many elements the dataset must have at least; what follows is not read.
        default_value: the value of other keys, -1 by default, if these have no values of their own.
        hasher_spec: how keys are hashed; there is one way.
        key_dtype: string or an integer dtype.
        name: ignored.

    Returns:
        A `tf.lookup.StaticHashTable`, or a `tf.lookup.StaticVocabularyTable` if other keys have
        values of their own.

    Raises:
        ValueError: if an argument has a value that cannot be used.
        TypeError: if `key_dtype` is another.

    >>> keys = tf.data.Dataset.from_tensor_slices(["a", "b"])
    >>> pairs = tf.data.Dataset.zip((keys, tf.data.Dataset.range(2)))
    >>> table = tf.data.experimental.table_from_dataset(pairs)
    >>> table.lookup(tf.constant(["b", "c"])).numpy()
    array([ 1, -1])
    """
    spec = dataset.element_spec
    _require_pairs(spec)
    if default_value is None:
        default_value = -1
        if not (spec[1].dtype.is_integer or spec[1].dtype.is_floating):
            raise ValueError(
                "`default_value` must be specified when creating a table from a dataset that "
                f"produces values of type {shown_dtype(spec[1].dtype)}."
            )
    if num_oov_buckets < 0:
        raise ValueError(
            f"`num_oov_buckets` must be greater than or equal to 0, got {num_oov_buckets}."
        )
    if vocab_size is not None and int(convert(vocab_size)) < 1:
        raise ValueError(f"`vocab_size` must be greater than 0, got {vocab_size}.")
    kind = dtypes.as_dtype(key_dtype)
    if not kind.is_integer and kind is not dtypes.string:
        raise TypeError(
            f"`key_dtype` must be either an integer or string type, but got {shown_dtype(kind)}"
        )
    if hasher_spec != FAST_HASH:
        error = ValueError(f"There is one hash of keys, not {hasher_spec!r}.")
        raise hinted(error, "Leave `hasher_spec` out.")
    if vocab_size is not None:
        dataset = dataset.take(vocab_size).apply(assert_cardinality(vocab_size))
    initializer = DatasetInitializer(dataset)
    if num_oov_buckets:
        return StaticVocabularyTable(initializer, num_oov_buckets, lookup_key_dtype=kind)
    return StaticHashTable(initializer, default_value)


@function("data.experimental.index_table_from_dataset")
def index_table_from_dataset(
    dataset: Any = None,
    num_oov_buckets: int = 0,
    vocab_size: Any = None,
    default_value: Any = -1,
    hasher_spec: HasherSpec = FAST_HASH,
    key_dtype: Any = dtypes.string,
    name: str | None = None,
) -> Any:
    """Makes a table of the keys in a dataset and their numbers.

    Args:
        dataset: a dataset of scalars.
        num_oov_buckets: see `tf.data.experimental.table_from_dataset`, as for the others.
        vocab_size: how many keys there must be at least.
        default_value: the number of other keys.
        hasher_spec: how keys are hashed; there is one way.
        key_dtype: string or an integer dtype.
        name: ignored.

    Returns:
        A table.

    >>> keys = tf.data.Dataset.from_tensor_slices(["a", "b"])
    >>> tf.data.experimental.index_table_from_dataset(keys).lookup(tf.constant(["b", "c"])).numpy()
    array([ 1, -1])
    """
    pairs = dataset.enumerate().map(lambda number, key: (key, number))
    return table_from_dataset(
        pairs, num_oov_buckets, vocab_size, default_value, hasher_spec, key_dtype
    )
