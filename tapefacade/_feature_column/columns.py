"""Columns of examples: what `tf.feature_column` makes."""

import abc
import math
from typing import Any, NamedTuple

from tapefacade._core import dtypes
from tapefacade._core.tensor_shape import TensorShape
from tapefacade._io.features import FixedLenFeature, VarLenFeature
from tapefacade._ops.random.stateful import truncated_normal

Spec = dict[str, Any]


class FeatureColumn(abc.ABC):
    """What is known about features of examples."""

    name: Any
    parse_example_spec: Any


class CategoricalColumn(FeatureColumn):
    """A column whose values are some of a number of categories."""

    num_buckets: Any


class TruncatedNormal:
    """Draws the first values of an embedding.

    Args:
        stddev: the standard deviation of the normal distribution before it is cut.
    """

    def __init__(self, stddev: float) -> None:
        self.stddev = stddev

    def __call__(self, shape: Any, dtype: Any = dtypes.float32, **_: Any) -> Any:
        return truncated_normal(shape, stddev=self.stddev, dtype=dtype)


class _NumericFields(NamedTuple):
    key: str
    shape: tuple[int, ...]
    default_value: Any
    dtype: dtypes.DType
    normalizer_fn: Any


class NumericColumn(_NumericFields, FeatureColumn):
    """A column of numbers."""

    @property
    def name(self) -> str:
        """The name of the feature."""
        return self.key

    @property
    def parse_example_spec(self) -> Spec:
        """How the feature is parsed."""
        return {self.key: FixedLenFeature(self.shape, self.dtype, self.default_value)}

    @property
    def variable_shape(self) -> TensorShape:
        """The shape of the values in one example."""
        return TensorShape(self.shape)


class _BucketizedFields(NamedTuple):
    source_column: NumericColumn
    boundaries: tuple[float, ...]


class BucketizedColumn(_BucketizedFields, CategoricalColumn):
    """A column of numbers by the intervals they lie in."""

    @property
    def name(self) -> str:
        """A name made of that of the numbers."""
        return f"{self.source_column.name}_bucketized"

    @property
    def parse_example_spec(self) -> Spec:
        """How the feature is parsed."""
        return self.source_column.parse_example_spec

    @property
    def num_buckets(self) -> int:
        """The number of categories."""
        return (len(self.boundaries) + 1) * self.source_column.shape[0]

    @property
    def variable_shape(self) -> TensorShape:
        """The shape of the values in one example, as one-hot vectors."""
        return TensorShape([*self.source_column.shape, len(self.boundaries) + 1])


class _KeyedColumn(CategoricalColumn):
    """A column of one feature of any length."""

    key: Any
    dtype: Any

    @property
    def name(self) -> str:
        """The name of the feature."""
        return self.key

    @property
    def parse_example_spec(self) -> Spec:
        """How the feature is parsed."""
        return {self.key: VarLenFeature(self.dtype)}


class _HashedFields(NamedTuple):
    key: str
    hash_bucket_size: int
    dtype: dtypes.DType


class HashedCategoricalColumn(_HashedFields, _KeyedColumn):
    """A column of categories by the hash of their values."""

    @property
    def num_buckets(self) -> int:
        """The number of categories."""
        return self.hash_bucket_size


class _VocabularyFields(NamedTuple):
    key: str
    vocabulary_list: tuple[Any, ...]
    dtype: dtypes.DType
    default_value: int
    num_oov_buckets: int


class VocabularyListCategoricalColumn(_VocabularyFields, _KeyedColumn):
    """A column of categories that a list names."""

    @property
    def num_buckets(self) -> int:
        """The number of categories."""
        return len(self.vocabulary_list) + self.num_oov_buckets


class _FileFields(NamedTuple):
    key: str
    vocabulary_file: str
    vocabulary_size: int
    num_oov_buckets: int
    dtype: dtypes.DType
    default_value: int
    file_format: str | None


class VocabularyFileCategoricalColumn(_FileFields, _KeyedColumn):
    """A column of categories that the lines of a file name."""

    @property
    def num_buckets(self) -> int:
        """The number of categories."""
        return self.vocabulary_size + self.num_oov_buckets


class _IdentityFields(NamedTuple):
    key: str
    number_buckets: int
    default_value: int | None


class IdentityCategoricalColumn(_IdentityFields, _KeyedColumn):
    """A column of the numbers of categories."""

    dtype = dtypes.int64

    @property
    def num_buckets(self) -> int:
        """The number of categories."""
        return self.number_buckets


class _CrossedFields(NamedTuple):
    keys: tuple[Any, ...]
    hash_bucket_size: int
    hash_key: int | None


class CrossedColumn(_CrossedFields, CategoricalColumn):
    """A column of combinations of the categories of several, by their hash."""

    @property
    def name(self) -> str:
        """A name made of those of the columns."""
        return "_X_".join(sorted(self._names()))

    def _names(self) -> list[str]:
        names: list[str] = []
        for key in self.keys:
            if isinstance(key, CrossedColumn):
                names += key._names()
            else:
                names.append(key if isinstance(key, str) else key.name)
        return names

    @property
    def parse_example_spec(self) -> Spec:
        """How the features are parsed."""
        spec: Spec = {}
        for key in self.keys:
            spec |= (
                {key: VarLenFeature(dtypes.string)}
                if isinstance(key, str)
                else key.parse_example_spec
            )
        return spec

    @property
    def num_buckets(self) -> int:
        """The number of categories."""
        return self.hash_bucket_size


class _WeightedFields(NamedTuple):
    categorical_column: Any
    weight_feature_key: str
    dtype: dtypes.DType


class WeightedCategoricalColumn(_WeightedFields, CategoricalColumn):
    """A column of categories with weights."""

    @property
    def name(self) -> str:
        """A name made of those of the features."""
        return f"{self.categorical_column.name}_weighted_by_{self.weight_feature_key}"

    @property
    def parse_example_spec(self) -> Spec:
        """How the features are parsed."""
        return {
            **self.categorical_column.parse_example_spec,
            self.weight_feature_key: VarLenFeature(self.dtype),
        }

    @property
    def num_buckets(self) -> int:
        """The number of categories."""
        return self.categorical_column.num_buckets


class _IndicatorFields(NamedTuple):
    categorical_column: Any


class IndicatorColumn(_IndicatorFields, FeatureColumn):
    """A column of categories as vectors that count them."""

    @property
    def name(self) -> str:
        """A name made of that of the categories."""
        return f"{self.categorical_column.name}_indicator"

    @property
    def parse_example_spec(self) -> Spec:
        """How the feature is parsed."""
        return self.categorical_column.parse_example_spec

    @property
    def variable_shape(self) -> TensorShape:
        """The shape of the values in one example."""
        return TensorShape([1, self.categorical_column.num_buckets])


class _EmbeddingFields(NamedTuple):
    categorical_column: Any
    dimension: int
    combiner: str
    initializer: Any
    ckpt_to_load_from: str | None
    tensor_name_in_ckpt: str | None
    max_norm: float | None
    trainable: bool
    use_safe_embedding_lookup: bool


class EmbeddingColumn(_EmbeddingFields, FeatureColumn):
    """A column of categories as vectors that are learnt."""

    @property
    def name(self) -> str:
        """A name made of that of the categories."""
        return f"{self.categorical_column.name}_embedding"

    @property
    def parse_example_spec(self) -> Spec:
        """How the feature is parsed."""
        return self.categorical_column.parse_example_spec

    @property
    def variable_shape(self) -> TensorShape:
        """The shape of the values in one example."""
        return TensorShape([self.dimension])


class _SequenceFields(NamedTuple):
    categorical_column: Any


class SequenceCategoricalColumn(_SequenceFields, CategoricalColumn):
    """A column of sequences of categories."""

    @property
    def name(self) -> str:
        """The name of the categories."""
        return self.categorical_column.name

    @property
    def parse_example_spec(self) -> Spec:
        """How the feature is parsed."""
        return self.categorical_column.parse_example_spec

    @property
    def num_buckets(self) -> int:
        """The number of categories."""
        return self.categorical_column.num_buckets


class SequenceNumericColumn(_NumericFields, FeatureColumn):
    """A column of sequences of numbers."""

    @property
    def name(self) -> str:
        """The name of the feature."""
        return self.key

    @property
    def parse_example_spec(self) -> Spec:
        """How the feature is parsed."""
        return {self.key: VarLenFeature(self.dtype)}

    @property
    def variable_shape(self) -> TensorShape:
        """The shape of the values in one step."""
        return TensorShape(self.shape)


def default_initializer(dimension: int) -> TruncatedNormal:
    """Makes the initializer of an embedding of a dimension."""
    return TruncatedNormal(1 / math.sqrt(dimension))
