"""The functions of `tf.feature_column` that describe columns made of categories."""

from collections.abc import Sequence
from typing import Any

from tapefacade._core import dtypes
from tapefacade._definition.op import function
from tapefacade._feature_column import columns
from tapefacade._lookup.table_initializers import shown


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
        raise ValueError(f"dtype {shown(kind)} is not convertible to float.")
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
