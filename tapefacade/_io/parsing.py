"""Examples as tensors: parse_example, parse_single_example."""

from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert
from tapefacade._core.error_texts import shape_text
from tapefacade._core.logging import warn
from tapefacade._core.tensor_shape import as_shape
from tapefacade._definition.op import function
from tapefacade._io import features as kinds, parsed_tensors
from tapefacade._io.examples import EXAMPLES, LIST_FIELDS, FeatureValues, read_example
from tapefacade._ops.array.shaping import reshape
from tapefacade._strings.arguments import Array, failed, not_allowed

MESSAGE_SERIALIZED = "Input serialized must be a scalar"
EXAMPLE_TYPES = ("float", "int64", "string")
KERNEL = "ParseExampleV2"
Found = list[dict[str, FeatureValues]]


def unsupported_feature(key: str, feature: Any) -> str:
    """Words that the feature of a key is of no class that is read here."""
    return f"Unsupported {type(feature).__name__} {feature} for key '{key}'"


@function("io.parse_single_example", on_values=True)
def parse_single_example(
    serialized: Any, features: Any, example_names: Any = None, name: str | None = None
) -> dict[str, Any]:
    """Reads the features of an example.

    Args:
        serialized: a string scalar, the bytes of a `tf.train.Example`.
        features: for the name of each feature, its description, such as a `FixedLenFeature`.
        example_names: what to call the example in errors.
        name: ignored.

    Returns:
        A dictionary of tensors.

    Raises:
        InvalidArgumentError: if the bytes are no example, or a feature is missing or of another
            kind or length.
        ValueError: if a description cannot be used.

    >>> label = tf.train.Feature(int64_list=tf.train.Int64List(value=[7]))
    >>> example = tf.train.Example(features=tf.train.Features(feature={"label": label}))
    >>> tf.io.parse_single_example(
    ...     example.SerializeToString(), {"label": tf.io.FixedLenFeature([], tf.int64)}
    ... )
    {'label': <tf.Tensor: shape=(), dtype=int64, numpy=7>}
    """
    _require_features(features)
    array = serialized_texts(serialized)
    if array.ndim:
        raise ValueError(MESSAGE_SERIALIZED)
    return _parse(array, features, example_names)


@function("io.parse_example", on_values=True)
def parse_example(
    serialized: Any, features: Any, example_names: Any = None, name: str | None = None
) -> dict[str, Any]:
    """Reads the features of many examples.

    Args:
        serialized: a string vector, the bytes of `tf.train.Example`s; or a scalar.
        features: for the name of each feature, its description, such as a `FixedLenFeature`.
        example_names: what to call the examples in errors.
        name: ignored.

    Returns:
        A dictionary of tensors, whose first dimension is that of the examples. A feature
        described by a `FixedLenFeature` is a dense tensor, by a `VarLenFeature` or a
        `SparseFeature` a sparse one, by a `RaggedFeature` a ragged one, and by a
        `FixedLenSequenceFeature` a dense one that is padded to the longest.

    Raises:
        InvalidArgumentError: if bytes are no example, or a feature is missing or of another kind
            or length.
        ValueError: if a description cannot be used.

    >>> def example(*values):
    ...     feature = tf.train.Feature(int64_list=tf.train.Int64List(value=values))
    ...     features = tf.train.Features(feature={"x": feature})
    ...     return tf.train.Example(features=features).SerializeToString()
    >>> serialized = [example(1, 2), example(3, 4)]
    >>> tf.io.parse_example(serialized, {"x": tf.io.FixedLenFeature([2], tf.int64)})["x"].numpy()
    array([[1, 2],
           [3, 4]])
    """
    _require_features(features)
    return _parse(serialized_texts(serialized), features, example_names)


def serialized_texts(serialized: Any) -> Array:
    """Returns the array of texts that are to be parsed."""
    tensor = convert(serialized)
    return convert(tensor, dtypes.string)._numpy_array()


def _require_features(features: Any) -> None:
    if features is None:
        raise ValueError("Invalid argument: features cannot be None.")
    if not features:
        raise ValueError("Invalid argument: features cannot be empty.")


def _parse(array: Array, features: Any, names: Any) -> dict[str, Any]:
    if array.ndim > 1:
        shape = shape_text(array.shape)
        raise failed(KERNEL, f"Expected serialized to be a scalar or vector, got shape: {shape}")
    found = [_read(text) for text in array.flat]
    called = None
    if array.ndim:
        called = ["<unknown>"] * len(found)
        if names is not None:
            called = [text.decode() for text in convert(names)._numpy_array().flat]
    return Parser(found, called).parse(features)


def _read(text: bytes) -> dict[str, FeatureValues]:
    try:
        return read_example(text)
    except EXAMPLES.decode_error():
        shown = text.decode("latin1")
        raise failed(KERNEL, f"Could not parse example input, value: '{shown}'") from None


class Parser:
    """Makes tensors of the features of examples.

    Args:
        found: the features of each example.
        names: what to call the examples, or None if there is one only, and no batch.
    """

    def __init__(self, found: Found, names: list[str] | None) -> None:
        self.found = found
        self.names = names
        self.batched = names is not None

    def parse(self, features: Any) -> dict[str, Any]:
        """Returns the tensors of the features, in TensorFlow's order."""
        keys = self._checked(features)
        _check_keys(features)
        return {key: self._tensor(key, features[key]) for key in keys}

    def _checked(self, features: Any) -> list[str]:
        """Checks the descriptions; returns the names, sparse tensors first, then dense ones."""
        ranks = {}
        for key in sorted(features):
            feature = features[key]
            check_feature(key, feature)
            if isinstance(feature, kinds.VarLenFeature):
                ranks[key] = 0
            elif isinstance(feature, kinds.FixedLenFeature | kinds.FixedLenSequenceFeature):
                ranks[key] = 1
            elif isinstance(feature, kinds.RaggedFeature) and feature.value_key in (None, key):
                ranks[key] = 2
            else:
                ranks[key] = 3
        return sorted(ranks, key=lambda key: ranks[key])

    def _tensor(self, key: str, feature: Any) -> Any:
        match feature:
            case kinds.FixedLenFeature():
                return self._fixed(key, feature)
            case kinds.FixedLenSequenceFeature():
                return self._padded(key, feature)
            case kinds.VarLenFeature():
                dtype = dtypes.as_dtype(feature.dtype)
                return parsed_tensors.sparse_rows(self._rows(key, dtype), dtype, self.batched)
            case kinds.SparseFeature():
                if self.batched:
                    warn(
                        "SparseFeature is a complicated feature config and should only be used "
                        "after careful consideration of VarLenFeature."
                    )
                keys = feature.index_key
                keys = list(keys) if isinstance(keys, list | tuple) else [keys]
                indices = [self._rows(k, dtypes.int64) for k in keys]
                values = self._rows(feature.value_key, dtypes.as_dtype(feature.dtype))
                return parsed_tensors.sparse_feature(feature, indices, values, self.batched)
        return self._ragged(key, feature)

    def _ragged(self, key: str, feature: kinds.RaggedFeature) -> Any:
        values = self._rows(feature.value_key or key, feature.dtype)
        partitions: dict[str, parsed_tensors.Rows] = {
            p.key: self._rows(p.key, dtypes.int64)
            for p in feature.partitions
            if not isinstance(p, kinds.UniformRowLength)
        }
        return parsed_tensors.ragged_feature(feature, values, partitions, self.batched)

    def _rows(self, key: str, dtype: dtypes.DType) -> list[Sequence[Any]]:
        """Returns the values of a feature of any length, in each example."""
        rows: list[Sequence[Any]] = []
        for place, example in enumerate(self.found):
            values = example.get(key)
            if values is not None and values.dtype is not dtype:
                self._fail(
                    key,
                    place,
                    f"Data types don't match. Expected type: {dtype.kernel_name}, Actual type: "
                    f"{values.dtype.kernel_name}",
                )
            rows.append([] if values is None else values.items)
        return rows

    def _dense(self, key: str, place: int, dtype: dtypes.DType) -> list[Any] | None:
        values = self.found[place].get(key)
        if values is None:
            return None
        if values.dtype is not dtype:
            self._fail(
                key,
                place,
                f"Data types don't match. Data type: {values.dtype.kernel_name} but expected "
                f"type: {dtype.kernel_name}",
            )
        return values.items

    def _fixed(self, key: str, feature: kinds.FixedLenFeature) -> Any:
        dtype = dtypes.as_dtype(feature.dtype)
        shape = parsed_tensors.sizes_of(feature.shape)
        size = int(np.prod(shape, dtype=np.int64))
        default = fixed_default(feature, dtype, shape)
        collected: list[Any] = []
        for place in range(len(self.found)):
            values = self._dense(key, place, dtype)
            if values is None:
                if default is None:
                    name = "" if self.names is None else f"Name: {self.names[place]}, "
                    raise failed(
                        KERNEL,
                        f"{name}Feature: {key} (data type: {dtype.kernel_name}) is required but "
                        "could not be found.",
                    )
                values = default
            elif len(values) != size:
                self._fail_size(key, place, dtype, len(values), shape)
            collected += values
        if self.batched:
            shape = (len(self.found), *shape)
        return parsed_tensors.tensor_of(collected, dtype, shape)

    def _fail_size(
        self, key: str, place: int, dtype: dtypes.DType, count: int, shape: tuple[int, ...]
    ) -> NoReturn:
        kind = LIST_FIELDS[dtype]
        if not self.batched:
            too_many = dtype is dtypes.string and count > int(np.prod(shape, dtype=np.int64))
            reason = f"Parsing {kind} failed." if too_many else f"Some {kind} slice was not parsed."
            self._fail(key, place, f"Can't parse serialized Example: {reason}")
        wanted = shape_text(shape)
        self._fail(
            key,
            place,
            f"Number of {dtype.kernel_name} values != expected.  Values size: {count} but output "
            f"shape: {wanted}",
        )

    def _padded(self, key: str, feature: kinds.FixedLenSequenceFeature) -> Any:
        dtype = dtypes.as_dtype(feature.dtype)
        shape = parsed_tensors.sizes_of(feature.shape)
        stride = int(np.prod(shape, dtype=np.int64))
        rows = [self._dense(key, place, dtype) or [] for place in range(len(self.found))]
        for place, row in enumerate(rows):
            if stride and len(row) % stride:
                self._fail_stride(key, place, dtype, len(row), shape)
        longest = max(map(len, rows), default=0)
        default = parsed_tensors.EMPTY_VALUES[dtype]
        if feature.default_value is not None:
            default = convert(feature.default_value, dtype)._numpy_array().reshape(-1)[0]
        flat = [value for row in rows for value in [*row, *[default] * (longest - len(row))]]
        length = longest // stride if stride else 0
        whole = (length, *shape)
        return parsed_tensors.tensor_of(flat, dtype, (len(rows), *whole) if self.batched else whole)

    def _fail_stride(
        self, key: str, place: int, dtype: dtypes.DType, count: int, shape: tuple[int, ...]
    ) -> NoReturn:
        if not self.batched:
            stride = int(np.prod(shape, dtype=np.int64))
            raise failed(
                KERNEL,
                f"Error while parsing feature with key {key}: number of elements should be "
                f"divisible by {stride}, found {count} instead",
            )
        self._fail(
            key,
            place,
            f"Number of {dtype.kernel_name} values is not a multiple of stride length. Saw "
            f"{count} values but output shape is: [{','.join(['?', *map(str, shape)])}]",
        )

    def _fail(self, key: str, place: int, reason: str) -> NoReturn:
        name = (
            f"Key: {key}. "
            if self.names is None
            else (f"Name: {self.names[place]}, Key: {key}, Index: {place}. ")
        )
        raise failed(KERNEL, f"{name} {reason}")


def fixed_default(
    feature: kinds.FixedLenFeature, dtype: dtypes.DType, shape: tuple[int, ...]
) -> list[Any] | None:
    """Returns the values that stand for a missing feature, or None if it must be there."""
    if feature.default_value is None:
        return None
    default = convert(feature.default_value, dtype)
    if default._type.size != int(np.prod(shape, dtype=np.int64)):
        reshape(default, list(shape)).numpy()  # raises
    return default._numpy_array().reshape(-1).tolist()


def _check_keys(features: Any) -> None:
    """Raises if a feature is to become tensors of several kinds."""
    dense, sparse, ragged = [], [], []
    for key, feature in sorted(features.items()):
        match feature:
            case kinds.FixedLenFeature() | kinds.FixedLenSequenceFeature():
                dense.append(key)
            case kinds.VarLenFeature():
                sparse.append(key)
            case kinds.SparseFeature():
                indices = feature.index_key
                sparse += indices if isinstance(indices, list | tuple) else [indices]
                sparse.append(feature.value_key)
            case kinds.RaggedFeature():
                ragged.append(key if feature.value_key is None else feature.value_key)
                ragged += [p.key for p in feature.partitions if hasattr(p, "key")]
    lists = {"dense": dense, "sparse": sparse, "ragged": ragged}
    for one, other in (("dense", "sparse"), ("dense", "ragged"), ("ragged", "sparse")):
        if both := set(lists[one]) & set(lists[other]):
            raise ValueError(
                f"{one.capitalize()} and {other} keys must not intersect; {one}_keys: "
                f"{lists[one]}, {other}_keys: {lists[other]}, intersection: {both}"
            )


def check_feature(key: str, feature: Any) -> None:
    """Raises if a description cannot be used."""
    match feature:
        case kinds.FixedLenFeature():
            _check_shape(key, feature)
            _check_dtype("Tdense", feature.dtype)
        case kinds.FixedLenSequenceFeature():
            if not feature.allow_missing:
                raise ValueError(
                    "Unsupported: FixedLenSequenceFeature requires allow_missing to be True."
                )
            _check_dtype("Tdense", feature.dtype)
        case kinds.VarLenFeature() | kinds.SparseFeature():
            _check_dtype("sparse_types", feature.dtype)
        case kinds.RaggedFeature():
            _check_dtype("ragged_value_types", feature.dtype)
        case _:
            raise ValueError(unsupported_feature(key, feature))


def _check_shape(key: str, feature: kinds.FixedLenFeature) -> None:
    if feature.shape is None:
        raise ValueError(f"Missing shape for feature {key}. Received {feature=!r}.")
    sizes = as_shape(feature.shape).as_list()
    if sizes and sizes[0] is None:
        raise ValueError(
            f"First dimension of shape for feature {key} unknown. Consider using "
            f"FixedLenSequenceFeature. Received {feature=!r}."
        )
    if None in sizes:
        raise ValueError(
            f"All dimensions of shape for feature {key} need to be known but received "
            f"{feature.shape!s}."
        )


def _check_dtype(attribute: str, dtype: Any) -> None:
    kind = dtypes.as_dtype(dtype).kernel_name
    if kind not in EXAMPLE_TYPES:
        raise not_allowed(KERNEL, attribute, kind, EXAMPLE_TYPES)
