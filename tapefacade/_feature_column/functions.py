"""The functions of `tf.feature_column`: descriptions of columns, and how to parse them.

They do no more than describe: TensorFlow's layers that took them are gone as well.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tapefacade._core import dtypes
from tapefacade._definition.op import function
from tapefacade._feature_column import columns
from tapefacade._io.files import read_file
from tapefacade._io.gfile import exists
from tapefacade._io.records import tf_record_iterator
from tapefacade._lookup.table_initializers import shown_dtype


def _require_key(key: Any) -> None:
    if not isinstance(key, str):
        raise ValueError(f"key must be a string. Got: type {type(key)}. Given key: {key}.")


def _require_discrete(dtype: dtypes.DType, key: str) -> None:
    if not (dtype is dtypes.string or dtype.is_integer):
        raise ValueError(
            f"column_name: {key} dtype must be string or integer. dtype: {shown_dtype(dtype)}."
        )


def _require_one_choice(num_oov_buckets: int, has_default: bool, key: str) -> None:
    """Refuses two ways to treat values that are in no vocabulary."""
    if num_oov_buckets and has_default:
        raise ValueError(f"Can't specify both num_oov_buckets and default_value in {key}.")
    if num_oov_buckets < 0:
        raise ValueError(f"Invalid num_oov_buckets {num_oov_buckets} in {key}.")


@function("feature_column.numeric_column")
def numeric_column(
    key: str,
    shape: Any = (1,),
    default_value: Any = None,
    dtype: Any = dtypes.float32,
    normalizer_fn: Callable[[Any], Any] | None = None,
) -> columns.NumericColumn:
    """Describes a column of numbers.

    Args:
        key: the name of the feature.
        shape: the shape of its values in one example.
        default_value: what stands for a missing feature: a number, or one for each element.
        dtype: the dtype of the values.
        normalizer_fn: what is applied to the values.

    Returns:
        A named tuple with `parse_example_spec`.

    Raises:
        ValueError: if an argument has a value that cannot be used.
        TypeError: if `normalizer_fn` is no function, or the default is no number.

    >>> tf.feature_column.numeric_column("age").parse_example_spec
    {'age': FixedLenFeature(shape=(1,), dtype=tf.float32, default_value=None)}
    """
    _require_key(key)
    sizes, kind = _numbers(key, shape, dtype, normalizer_fn)
    default = _default(default_value, sizes, kind, key)
    return columns.NumericColumn(key, sizes, default, kind, normalizer_fn)


@function("feature_column.sequence_numeric_column")
def sequence_numeric_column(
    key: str,
    shape: Any = (1,),
    default_value: float = 0.0,
    dtype: Any = dtypes.float32,
    normalizer_fn: Callable[[Any], Any] | None = None,
) -> columns.SequenceNumericColumn:
    """Describes a column of sequences of numbers.

    Args:
        key: the name of the feature.
        shape: the shape of its values in one step.
        default_value: what stands behind shorter sequences.
        dtype: the dtype of the values.
        normalizer_fn: what is applied to the values.

    Returns:
        A named tuple with `parse_example_spec`.

    Raises:
        ValueError: if an argument has a value that cannot be used.
        TypeError: if `normalizer_fn` is no function.

    >>> tf.feature_column.sequence_numeric_column("price").parse_example_spec
    {'price': VarLenFeature(dtype=tf.float32)}
    """
    sizes, kind = _numbers(key, shape, dtype, normalizer_fn)
    return columns.SequenceNumericColumn(key, sizes, default_value, kind, normalizer_fn)


def _numbers(
    key: str, shape: Any, dtype: Any, normalizer_fn: Any
) -> tuple[tuple[int, ...], dtypes.DType]:
    """Returns the sizes and the dtype of a column of numbers."""
    sizes = tuple(int(n) for n in shape) if isinstance(shape, Sequence) else (int(shape),)
    if any(size <= 0 for size in sizes):
        raise ValueError(f"shape dimensions must be greater than 0. shape: {sizes}, key: {key}")
    kind = dtypes.as_dtype(dtype)
    if not (kind.is_integer or kind.is_floating):
        raise ValueError(
            f"dtype must be convertible to float. dtype: {shown_dtype(kind)}, key: {key}"
        )
    if normalizer_fn is not None and not callable(normalizer_fn):
        raise TypeError(f"normalizer_fn must be a callable. Given: {normalizer_fn}")
    return sizes, kind


def _default(value: Any, shape: tuple[int, ...], dtype: dtypes.DType, key: str) -> Any:
    if value is None:
        return None
    array = np.array(value)
    if array.dtype.kind not in "biuf" or (array.dtype.kind == "f" and dtype.is_integer):
        raise TypeError(
            f"default_value must be compatible with dtype. default_value: {value}, dtype: "
            f"{shown_dtype(dtype)}, key: {key}"
        )
    if array.ndim == 0:
        array = np.full(shape, value, float if dtype.is_floating else int)
    elif array.shape != shape:
        raise ValueError(
            "The shape of default_value must be equal to given shape. default_value: "
            f"{value}, shape: {shape}, key: {key}"
        )
    return _tuples(array.tolist())


def _tuples(value: Any) -> Any:
    return tuple([_tuples(item) for item in value]) if isinstance(value, list) else value


@function("feature_column.bucketized_column")
def bucketized_column(
    source_column: columns.NumericColumn, boundaries: Sequence[float]
) -> columns.BucketizedColumn:
    """Describes a column of numbers by the intervals they lie in.

    Args:
        source_column: what `numeric_column` returns, of one dimension.
        boundaries: where the intervals end, sorted.

    Returns:
        A named tuple with `parse_example_spec`.

    Raises:
        ValueError: if an argument has a value that cannot be used.

    >>> age = tf.feature_column.numeric_column("age")
    >>> tf.feature_column.bucketized_column(age, [18, 65]).num_buckets
    3
    """
    if not isinstance(source_column, columns.NumericColumn):
        raise ValueError(
            "source_column must be a column generated with numeric_column(). Given: "
            f"{source_column}"
        )
    if len(source_column.shape) > 1:
        raise ValueError(f"source_column must be one-dimensional column. Given: {source_column}")
    if not boundaries:
        raise ValueError("boundaries must not be empty.")
    if not isinstance(boundaries, list | tuple) or sorted(set(boundaries)) != list(boundaries):
        raise ValueError("boundaries must be a sorted list.")
    return columns.BucketizedColumn(source_column, tuple(boundaries))


@function("feature_column.categorical_column_with_hash_bucket")
def categorical_column_with_hash_bucket(
    key: str, hash_bucket_size: int, dtype: Any = dtypes.string
) -> columns.HashedCategoricalColumn:
    """Describes a column of categories by the hash of their values.

    Args:
        key: the name of the feature.
        hash_bucket_size: the number of categories.
        dtype: string or an integer dtype.

    Returns:
        A named tuple with `parse_example_spec`.

    Raises:
        ValueError: if an argument has a value that cannot be used.

    >>> tf.feature_column.categorical_column_with_hash_bucket("word", 100).parse_example_spec
    {'word': VarLenFeature(dtype=tf.string)}
    """
    if hash_bucket_size is None:
        raise ValueError(f"hash_bucket_size must be set. key: {key}")
    if hash_bucket_size < 1:
        raise ValueError(
            f"hash_bucket_size must be at least 1. hash_bucket_size: {hash_bucket_size}, key: {key}"
        )
    _require_key(key)
    kind = dtypes.as_dtype(dtype)
    _require_discrete(kind, key)
    return columns.HashedCategoricalColumn(key, hash_bucket_size, kind)


@function("feature_column.categorical_column_with_vocabulary_list")
def categorical_column_with_vocabulary_list(
    key: str,
    vocabulary_list: Sequence[Any],
    dtype: Any = None,
    default_value: int = -1,
    num_oov_buckets: int = 0,
) -> columns.VocabularyListCategoricalColumn:
    """Describes a column of categories that a list names.

    Args:
        key: the name of the feature.
        vocabulary_list: the values, texts or integers.
        dtype: their dtype.
        default_value: the category of other values.
        num_oov_buckets: how many categories there are for other values.

    Returns:
        A named tuple with `parse_example_spec`.

    Raises:
        ValueError: if an argument has a value that cannot be used.

    >>> tf.feature_column.categorical_column_with_vocabulary_list("size", ["S", "L"]).num_buckets
    2
    """
    if vocabulary_list is None or len(vocabulary_list) < 1:
        raise ValueError(f"vocabulary_list {vocabulary_list} must be non-empty, column_name: {key}")
    if len(set(vocabulary_list)) != len(vocabulary_list):
        raise ValueError(f"Duplicate keys in vocabulary_list {vocabulary_list}, column_name: {key}")
    own = dtypes.as_dtype(np.array(vocabulary_list).dtype)
    _require_one_choice(num_oov_buckets, default_value != -1, key)
    _require_discrete(own, key)
    kind = own if dtype is None else dtypes.as_dtype(dtype)
    if kind.is_integer != own.is_integer or not (kind.is_integer or kind is dtypes.string):
        raise ValueError(
            f"dtype {shown_dtype(kind)} and vocabulary dtype {shown_dtype(own)} do not match, "
            f"column_name: {key}"
        )
    _require_key(key)
    return columns.VocabularyListCategoricalColumn(
        key, tuple(vocabulary_list), kind, default_value, num_oov_buckets
    )


@function("feature_column.categorical_column_with_vocabulary_file")
def categorical_column_with_vocabulary_file(
    key: str,
    vocabulary_file: str,
    vocabulary_size: int | None = None,
    dtype: Any = dtypes.string,
    default_value: int | None = None,
    num_oov_buckets: int = 0,
    file_format: str | None = None,
) -> columns.VocabularyFileCategoricalColumn:
    r"""Describes a column of categories that the lines of a file name.

    Args:
        key: the name of the feature.
        vocabulary_file: the path of the file, which is read if there is no size.
        vocabulary_size: how many lines count; all by default.
        dtype: string or an integer dtype.
        default_value: the category of other values, -1 by default.
        num_oov_buckets: how many categories there are for other values.
        file_format: "tfrecord_gzip" for a file of records, as one that ends in "tfrecord.gz" is.

    Returns:
        A named tuple with `parse_example_spec`.

    Raises:
        ValueError: if an argument has a value that cannot be used, or there is no file.

    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/sizes"
    >>> tf.io.write_file(path, "S\nL\n")
    >>> tf.feature_column.categorical_column_with_vocabulary_file("size", path).num_buckets
    2
    """
    if not vocabulary_file:
        raise ValueError(f"Missing vocabulary_file in {key}.")
    if file_format is None and vocabulary_file.endswith("tfrecord.gz"):
        file_format = "tfrecord_gzip"
    if vocabulary_size is None:
        if not exists(vocabulary_file):
            raise ValueError(f"vocabulary_file in {key} does not exist.")
        if file_format == "tfrecord_gzip":
            vocabulary_size = sum(1 for _ in tf_record_iterator(vocabulary_file, "GZIP"))
        else:
            vocabulary_size = len(read_file(vocabulary_file).numpy().splitlines())
    if vocabulary_size < 1:
        raise ValueError(f"Invalid vocabulary_size in {key}.")
    _require_one_choice(num_oov_buckets, default_value is not None, key)
    kind = dtypes.as_dtype(dtype)
    _require_discrete(kind, key)
    _require_key(key)
    return columns.VocabularyFileCategoricalColumn(
        key, vocabulary_file, vocabulary_size, num_oov_buckets, kind,
        -1 if default_value is None else default_value, file_format,
    )  # fmt: skip


@function("feature_column.categorical_column_with_identity")
def categorical_column_with_identity(
    key: str, num_buckets: int, default_value: int | None = None
) -> columns.IdentityCategoricalColumn:
    """Describes a column of the numbers of categories.

    Args:
        key: the name of the feature.
        num_buckets: the number of categories.
        default_value: the category of other numbers.

    Returns:
        A named tuple with `parse_example_spec`.

    Raises:
        ValueError: if an argument has a value that cannot be used.

    >>> tf.feature_column.categorical_column_with_identity("month", 12).parse_example_spec
    {'month': VarLenFeature(dtype=tf.int64)}
    """
    if num_buckets < 1:
        raise ValueError(f"num_buckets {num_buckets} < 1, column_name {key}")
    if default_value is not None and not 0 <= default_value < num_buckets:
        raise ValueError(
            f"default_value {default_value} not in range [0, {num_buckets}), column_name {key}"
        )
    _require_key(key)
    return columns.IdentityCategoricalColumn(key, num_buckets, default_value)


@function("feature_column.crossed_column")
def crossed_column(
    keys: Sequence[Any], hash_bucket_size: int, hash_key: int | None = None
) -> columns.CrossedColumn:
    """Describes a column of combinations of categories, by their hash.

    Args:
        keys: two or more names of features, or categorical columns.
        hash_bucket_size: the number of categories.
        hash_key: a key of the hash.

    Returns:
        A named tuple with `parse_example_spec`.

    Raises:
        ValueError: if an argument has a value that cannot be used.

    >>> tf.feature_column.crossed_column(["city", "month"], 100).name
    'city_X_month'
    """
    if not hash_bucket_size or hash_bucket_size < 1:
        raise ValueError(f"hash_bucket_size must be > 1. hash_bucket_size: {hash_bucket_size}")
    if not keys or len(keys) < 2:
        raise ValueError(f"keys must be a list with length > 1. Given: {keys}")
    for key in keys:
        if not isinstance(key, str | columns.CategoricalColumn):
            raise ValueError(
                "Unsupported key type. All keys must be either string, or categorical column "
                f"except HashedCategoricalColumn. Given: {key}"
            )
        if isinstance(key, columns.HashedCategoricalColumn):
            raise ValueError(
                "categorical_column_with_hash_bucket is not supported for crossing. Hashing "
                "before crossing will increase probability of collision. Instead, use the feature "
                f"name as a string. Given: {key}"
            )
    return columns.CrossedColumn(tuple(keys), hash_bucket_size, hash_key)


@function("feature_column.weighted_categorical_column")
def weighted_categorical_column(
    categorical_column: Any, weight_feature_key: str, dtype: Any = dtypes.float32
) -> columns.WeightedCategoricalColumn:
    """Describes a column of categories with weights.

    Args:
        categorical_column: the column of the categories.
        weight_feature_key: the name of the feature of the weights.
        dtype: the dtype of these.

    Returns:
        A named tuple with `parse_example_spec`.

    Raises:
        ValueError: if the dtype cannot be that of weights.

    >>> words = tf.feature_column.categorical_column_with_hash_bucket("word", 100)
    >>> tf.feature_column.weighted_categorical_column(words, "count").name
    'word_weighted_by_count'
    """
    kind = dtypes.as_dtype(dtype)
    if not (kind.is_integer or kind.is_floating):
        raise ValueError(f"dtype {shown_dtype(kind)} is not convertible to float.")
    return columns.WeightedCategoricalColumn(categorical_column, weight_feature_key, kind)


@function("feature_column.indicator_column")
def indicator_column(categorical_column: Any) -> columns.IndicatorColumn:
    """Describes a column of categories as vectors that count them.

    Args:
        categorical_column: the column of the categories.

    Returns:
        A named tuple with `parse_example_spec`.

    Raises:
        ValueError: if it is no such column.

    >>> months = tf.feature_column.categorical_column_with_identity("month", 12)
    >>> tf.feature_column.indicator_column(months).variable_shape
    TensorShape([1, 12])
    """
    if not isinstance(categorical_column, columns.CategoricalColumn):
        raise ValueError(
            "Unsupported input type. Input must be a CategoricalColumn. Given: "
            f"{categorical_column}"
        )
    return columns.IndicatorColumn(categorical_column)


@function("feature_column.embedding_column")
def embedding_column(
    categorical_column: Any,
    dimension: int,
    combiner: str = "mean",
    initializer: Any = None,
    ckpt_to_load_from: str | None = None,
    tensor_name_in_ckpt: str | None = None,
    max_norm: float | None = None,
    trainable: bool = True,
    use_safe_embedding_lookup: bool = True,
) -> columns.EmbeddingColumn:
    """Describes a column of categories as vectors that are learnt.

    Args:
        categorical_column: the column of the categories.
        dimension: the length of the vectors.
        combiner: how several categories of an example are put together.
        initializer: what makes the first vectors; by default a cut normal distribution.
        ckpt_to_load_from: a checkpoint that holds the vectors.
        tensor_name_in_ckpt: their name there.
        max_norm: how long a vector may be.
        trainable: whether the vectors change.
        use_safe_embedding_lookup: whether empty examples are allowed.

    Returns:
        A named tuple with `parse_example_spec`.

    Raises:
        ValueError: if an argument has a value that cannot be used.

    >>> months = tf.feature_column.categorical_column_with_identity("month", 12)
    >>> tf.feature_column.embedding_column(months, 3).name
    'month_embedding'
    """
    if dimension is None or dimension < 1:
        raise ValueError(f"Invalid dimension {dimension}.")
    if (ckpt_to_load_from is None) != (tensor_name_in_ckpt is None):
        raise ValueError(
            "Must specify both `ckpt_to_load_from` and `tensor_name_in_ckpt` or none of them."
        )
    if initializer is not None and not callable(initializer):
        raise ValueError(
            "initializer must be callable if specified. Embedding of column_name: "
            f"{categorical_column.name}"
        )
    return columns.EmbeddingColumn(
        categorical_column, dimension, combiner,
        initializer or columns.default_initializer(dimension), ckpt_to_load_from,
        tensor_name_in_ckpt, max_norm, trainable, use_safe_embedding_lookup,
    )  # fmt: skip


@function("feature_column.make_parse_example_spec")
def make_parse_example_spec(feature_columns: Sequence[Any]) -> dict[str, Any]:
    """Says how the features of columns are parsed.

    Args:
        feature_columns: columns.

    Returns:
        A dictionary for `tf.io.parse_example`.

    Raises:
        ValueError: if there is something else among them, or two need different features of one
            name.

    >>> months = tf.feature_column.categorical_column_with_identity("month", 12)
    >>> tf.feature_column.make_parse_example_spec([months])
    {'month': VarLenFeature(dtype=tf.int64)}
    """
    result: dict[str, Any] = {}
    for column in feature_columns:
        if not isinstance(column, columns.FeatureColumn):
            raise ValueError(
                f"All feature_columns must be FeatureColumn instances. Given: {column}"
            )
        spec = column.parse_example_spec
        for key, value in spec.items():
            if key in result and value != result[key]:
                raise ValueError(
                    f"feature_columns contain different parse_spec for key {key}. Given {value} "
                    f"and {result[key]}"
                )
        result.update(spec)
    return result


@function("feature_column.sequence_categorical_column_with_hash_bucket")
def sequence_categorical_column_with_hash_bucket(
    key: str, hash_bucket_size: int, dtype: Any = dtypes.string
) -> columns.SequenceCategoricalColumn:
    """Describes a column of sequences of categories; see `categorical_column_with_hash_bucket`.

    Args:
        key: as there.
        hash_bucket_size: as there.
        dtype: as there.

    Returns:
        A named tuple with `parse_example_spec`.

    >>> make = tf.feature_column.sequence_categorical_column_with_hash_bucket
    >>> make("word", 10).num_buckets
    10
    """
    return columns.SequenceCategoricalColumn(
        categorical_column_with_hash_bucket(key, hash_bucket_size, dtype)
    )


@function("feature_column.sequence_categorical_column_with_identity")
def sequence_categorical_column_with_identity(
    key: str, num_buckets: int, default_value: int | None = None
) -> columns.SequenceCategoricalColumn:
    """Describes a column of sequences of categories; see `categorical_column_with_identity`.

    Args:
        key: as there.
        num_buckets: as there.
        default_value: as there.

    Returns:
        A named tuple with `parse_example_spec`.

    >>> make = tf.feature_column.sequence_categorical_column_with_identity
    >>> make("word", 10).num_buckets
    10
    """
    return columns.SequenceCategoricalColumn(
        categorical_column_with_identity(key, num_buckets, default_value)
    )


@function("feature_column.sequence_categorical_column_with_vocabulary_list")
def sequence_categorical_column_with_vocabulary_list(
    key: str,
    vocabulary_list: Sequence[Any],
    dtype: Any = None,
    default_value: int = -1,
    num_oov_buckets: int = 0,
) -> columns.SequenceCategoricalColumn:
    """Describes a column of sequences of categories; see `categorical_column_with_vocabulary_list`.

    Args:
        key: as there.
        vocabulary_list: as there.
        dtype: as there.
        default_value: as there.
        num_oov_buckets: as there.

    Returns:
        A named tuple with `parse_example_spec`.

    >>> make = tf.feature_column.sequence_categorical_column_with_vocabulary_list
    >>> make("word", ["a", "b"]).num_buckets
    2
    """
    return columns.SequenceCategoricalColumn(
        categorical_column_with_vocabulary_list(
            key, vocabulary_list, dtype, default_value, num_oov_buckets
        )
    )


@function("feature_column.sequence_categorical_column_with_vocabulary_file")
def sequence_categorical_column_with_vocabulary_file(
    key: str,
    vocabulary_file: str,
    vocabulary_size: int | None = None,
    num_oov_buckets: int = 0,
    default_value: int | None = None,
    dtype: Any = dtypes.string,
    file_format: str | None = None,
) -> columns.SequenceCategoricalColumn:
    """Describes a column of sequences of categories; see `categorical_column_with_vocabulary_file`.

    Args:
        key: as there.
        vocabulary_file: as there.
        vocabulary_size: as there.
        num_oov_buckets: as there.
        default_value: as there.
        dtype: as there.
        file_format: as there.

    Returns:
        A named tuple with `parse_example_spec`.

    >>> make = tf.feature_column.sequence_categorical_column_with_vocabulary_file
    >>> make("word", "words", 5).num_buckets
    5
    """
    return columns.SequenceCategoricalColumn(
        categorical_column_with_vocabulary_file(
            key,
            vocabulary_file,
            vocabulary_size,
            dtype,
            default_value,
            num_oov_buckets,
            file_format,
        )
    )
