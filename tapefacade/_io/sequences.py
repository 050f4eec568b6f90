"""Examples with sequences as tensors: parse_sequence_example, parse_single_sequence_example."""

from typing import Any

import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert
from tapefacade._definition.op import function
from tapefacade._io import features as kinds, parsed_tensors
from tapefacade._io.examples import EXAMPLES, FeatureValues, read_sequence_example
from tapefacade._io.parsing import (
    MESSAGE_SERIALIZED,
    Parser,
    check_feature,
    serialized_texts,
    unsupported_feature,
)
from tapefacade._ragged.tensor import RaggedTensor
from tapefacade._strings.arguments import Array, failed

KERNEL = "ParseSequenceExampleV2"
NOT_FOUND = (
    "Name: {}, Feature list '{}' is required but could not be found.  Did you mean to include it "
    "in feature_list_dense_missing_assumed_empty or feature_list_dense_defaults?"
)
Lists = dict[str, list[FeatureValues | None]]


@function("io.parse_single_sequence_example", on_values=True)
def parse_single_sequence_example(
    serialized: Any,
    context_features: Any = None,
    sequence_features: Any = None,
    example_name: Any = None,
    name: str | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Reads the features of an example with sequences.

    Args:
        serialized: a string scalar, the bytes of a `tf.train.SequenceExample`.
        context_features: for the name of each feature of the context, its description.
        sequence_features: for the name of each sequence, the description of its parts: a
            `FixedLenSequenceFeature`, `VarLenFeature` or `RaggedFeature`.
        example_name: what to call the example in errors.
        name: ignored.

    Returns:
        A dictionary of the tensors of the context, and one of those of the sequences.

    Raises:
        InvalidArgumentError: if the bytes are no example, or a feature is missing or of another
            kind or length.
        ValueError: if a description cannot be used.

    >>> example = tf.train.SequenceExample()
    >>> example.feature_lists.feature_list["x"].feature.add().int64_list.value.append(3)
    >>> parts = {"x": tf.io.FixedLenSequenceFeature([], tf.int64)}
    >>> tf.io.parse_single_sequence_example(
    ...     example.SerializeToString(), sequence_features=parts
    ... )[1]["x"].numpy()
    array([3])
    """
    if not (context_features or sequence_features):
        raise ValueError(
            "Both context_features and sequence_features are None, but at least one should have "
            "values."
        )
    array = serialized_texts(serialized)
    if array.ndim:
        raise ValueError(MESSAGE_SERIALIZED)
    names = None if example_name is None else [example_name]
    context, lists, _ = _parse(array, context_features, sequence_features, names)
    return context, lists


@function("io.parse_sequence_example", on_values=True)
def parse_sequence_example(
    serialized: Any,
    context_features: Any = None,
    sequence_features: Any = None,
    example_names: Any = None,
    name: str | None = None,
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Reads the features of many examples with sequences.

    Args:
        serialized: a string vector, the bytes of `tf.train.SequenceExample`s; or a scalar.
        context_features: for the name of each feature of the context, its description.
        sequence_features: for the name of each sequence, the description of its parts: a
            `FixedLenSequenceFeature`, `VarLenFeature` or `RaggedFeature`.
        example_names: what to call the examples in errors.
        name: ignored.

    Returns:
        A dictionary of the tensors of the context, one of those of the sequences, and one of the
        lengths of the sequences that are padded.

    Raises:
        InvalidArgumentError: if bytes are no example, or a feature is missing or of another kind
            or length.
        ValueError: if a description cannot be used.

    >>> example = tf.train.SequenceExample()
    >>> example.feature_lists.feature_list["x"].feature.add().int64_list.value.append(3)
    >>> parts = {"x": tf.io.FixedLenSequenceFeature([], tf.int64)}
    >>> _, lists, lengths = tf.io.parse_sequence_example(
    ...     [example.SerializeToString()], sequence_features=parts
    ... )
    >>> lists["x"].numpy(), lengths["x"].numpy()
    (array([[3]]), array([1]))
    """
    if not (context_features or sequence_features):
        raise ValueError(
            "Both `context_features` and `sequence_features` argument are None, but at least one "
            "should have values."
        )
    array = serialized_texts(serialized)
    names = None
    if example_names is not None:
        names = [text.decode() for text in convert(example_names)._numpy_array().flat]
    return _parse(array, context_features, sequence_features, names)


def _parse(array: Array, context: Any, sequences: Any, names: Any) -> tuple[Any, Any, Any]:
    for key in sorted(sequences or {}):
        _check(key, sequences[key])
    if names is None:
        names = ["<unknown>"] * array.size
    found = []
    for text, called in zip(array.flat, names, strict=True):
        try:
            found.append(read_sequence_example(text))
        except EXAMPLES.decode_error():
            message = f"Invalid protocol message input, example id: {called}"
            raise failed(KERNEL, message) from None
    batched = array.ndim > 0
    contexts = [example[0] for example in found]
    _require(context or {}, contexts)
    tensors = Parser(contexts, names if batched else None).parse(context or {})
    parser = _Sequences([example[1] for example in found], names, batched)
    return tensors, *parser.parse(sequences or {})


def _check(key: str, feature: Any) -> None:
    match feature:
        case kinds.FixedLenSequenceFeature():
            if feature.default_value is not None:
                raise ValueError(f"Value feature_list.dense_defaults[{key}] must be None")
        case kinds.VarLenFeature() | kinds.RaggedFeature():
            check_feature(key, feature)
        case _:
            raise ValueError(unsupported_feature(key, feature))


def _require(features: Any, contexts: list[dict[str, FeatureValues]]) -> None:
    """Raises if a feature of the context is missing that must be there."""
    for key, feature in features.items():
        if not isinstance(feature, kinds.FixedLenFeature) or feature.default_value is not None:
            continue
        there = [key in context for context in contexts]
        if not any(there):
            size = int(np.prod(parsed_tensors.sizes_of(feature.shape), dtype=np.int64))
            raise failed(
                KERNEL,
                f"Inconsistent max number of elements for feature {key}: expected {size}, but "
                "found 0",
            )
        if not all(there):
            kind = dtypes.as_dtype(feature.dtype).kernel_name
            raise failed(
                KERNEL, f"Feature: {key} (data type: {kind}) is required but could not be found."
            )


class _Sequences:
    """Makes tensors of lists of features."""

    def __init__(self, found: list[Lists], names: list[str], batched: bool) -> None:
        self.found = found
        self.names = names
        self.batched = batched

    def parse(self, features: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        ranks = (kinds.VarLenFeature, kinds.FixedLenSequenceFeature, kinds.RaggedFeature)
        order = sorted(features, key=lambda key: (ranks.index(type(features[key])), key))
        tensors, lengths = {}, {}
        for key in order:
            feature = features[key]
            if isinstance(feature, kinds.FixedLenSequenceFeature):
                tensors[key], lengths[key] = self._dense(key, feature)
            elif isinstance(feature, kinds.VarLenFeature):
                tensors[key] = self._sparse(key, dtypes.as_dtype(feature.dtype))
            else:
                tensors[key] = self._ragged(key, feature)
        return tensors, lengths

    def _steps(self, key: str, dtype: dtypes.DType) -> list[list[list[Any]]]:
        """Returns the values of each step of each example."""
        examples = []
        for place, lists in enumerate(self.found):
            steps = lists.get(key, [])
            for k, values in enumerate(steps):
                if values is not None and values.dtype is not dtype:
                    raise failed(
                        KERNEL,
                        f"Name: {self.names[place]}, Feature list: {key}, Index: {k}.  Data types "
                        f"don't match. Expected type: {dtype.kernel_name}",
                    )
            examples.append([[] if values is None else values.items for values in steps])
        return examples

    def _dense(self, key: str, feature: kinds.FixedLenSequenceFeature) -> tuple[Any, Any]:
        dtype = dtypes.as_dtype(feature.dtype)
        if not feature.allow_missing:
            for place, lists in enumerate(self.found):
                if key not in lists:
                    raise failed(KERNEL, NOT_FOUND.format(self.names[place], key))
        shape = parsed_tensors.sizes_of(feature.shape)
        size = int(np.prod(shape, dtype=np.int64))
        examples = self._steps(key, dtype)
        for steps in examples:
            total = sum(map(len, steps))
            if any(len(step) != size for step in steps):
                wanted = ",".join(["?", *map(str, shape)])
                raise failed(
                    KERNEL,
                    f"Feature list '{key}' has an unexpected number of values.  Total values size: "
                    f"{total} is not consistent with output shape: [{wanted}]",
                )
        counts = [len(steps) for steps in examples]
        longest = max(counts, default=0)
        flat: list[Any] = []
        for steps in examples:
            flat += [value for step in steps for value in step]
            flat += [parsed_tensors.EMPTY_VALUES[dtype]] * (size * (longest - len(steps)))
        whole = (len(examples), longest, *shape) if self.batched else (longest, *shape)
        lengths = parsed_tensors.tensor_of(
            counts, dtypes.int64, (len(counts),) if self.batched else ()
        )
        return parsed_tensors.tensor_of(flat, dtype, whole), lengths

    def _sparse(self, key: str, dtype: dtypes.DType) -> Any:
        examples = self._steps(key, dtype)
        places, values = [], []
        for row, steps in enumerate(examples):
            for k, step in enumerate(steps):
                places += [(row, k, column) for column in range(len(step))]
                values += step
        shape = [
            len(examples),
            max(map(len, examples), default=0),
            max((len(step) for steps in examples for step in steps), default=0),
        ]
        indices = np.array(places, np.int64).reshape(len(places), 3)
        if not self.batched:
            indices, shape = indices[:, 1:], shape[1:]
        return parsed_tensors.sparse_of(indices, values, dtype, shape)

    def _ragged(self, key: str, feature: kinds.RaggedFeature) -> Any:
        examples = self._steps(feature.value_key or key, feature.dtype)
        partitions = {}
        for partition in feature.partitions:
            if not isinstance(partition, kinds.UniformRowLength):
                cuts = self._steps(partition.key, dtypes.int64)
                partitions[partition.key] = [step for steps in cuts for step in steps]
        values = [step for steps in examples for step in steps]
        made = parsed_tensors.ragged_feature(feature, values, partitions, batched=True)
        if not self.batched:
            return made
        counts = parsed_tensors.integers(
            [len(steps) for steps in examples], feature.row_splits_dtype
        )
        return RaggedTensor.from_row_lengths(made, counts, validate=False)
