"""Names of older versions: `tf.compat.v1.feature_column`."""

from tapefacade._core.lazy_names import aliases as _aliases

_SAME = """
bucketized_column categorical_column_with_hash_bucket categorical_column_with_identity
categorical_column_with_vocabulary_list crossed_column embedding_column indicator_column
numeric_column weighted_categorical_column
"""
_RENAMED: dict[str, str] = {}

__getattr__, __dir__ = _aliases(__name__, _SAME, _RENAMED)
