"""Tensors as messages: `TensorProto`, `tf.make_tensor_proto`, `tf.io.serialize_tensor`."""

import base64
import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert
from tapefacade._core.error_texts import MESSAGE_NONE, shape_text
from tapefacade._core.string_arrays import text_tensor
from tapefacade._core.tensor import EagerTensor, from_host
from tapefacade._core.tensor_shape import as_shape
from tapefacade._definition.op import function
from tapefacade._io.messages import MessageField, MessageFile, MessageType
from tapefacade._io.varints import read_varint, varint
from tapefacade._strings.arguments import Array, failed, object_array, text_array, texts
from tapefacade._trace.open_sizes import with_unknown_axes

FIRST_REFERENCE = 100
MESSAGE_INCONVERTIBLE = (
    "Failed to convert elements of {} to Tensor. Consider casting elements to a supported type. "
    "See https://www.tensorflow.org/api_docs/python/tf/dtypes for supported TF dtypes."
)
# Whose numbers are stored as bytes if there are several.
AS_BYTES = {
    "half", "float", "double", "int32", "uint8", "int8", "int64", "bfloat16", "uint32", "uint64",
    "qint8", "quint8", "qint32",
}  # fmt: skip
# Else they are stored in the field of their dtype.
VALUES = {
    "half": "half_val", "bfloat16": "half_val", "float": "float_val", "double": "double_val",
    "int32": "int_val", "uint8": "int_val", "int8": "int_val", "int16": "int_val",
    "uint16": "int_val", "string": "string_val", "complex64": "scomplex_val",
    "int64": "int64_val", "bool": "bool_val", "complex128": "dcomplex_val",
    "uint32": "uint32_val", "uint64": "uint64_val", "qint8": "int_val", "quint8": "int_val",
    "qint32": "int_val",
}  # fmt: skip


def _enum() -> dict[int, str]:
    names = {}
    for number in range(1, FIRST_REFERENCE):
        try:
            names[number] = f"DT_{dtypes.as_dtype(number).kernel_name.upper()}"
        except (TypeError, KeyError):
            continue
    return names


ENUM = _enum()


TENSORS = MessageFile(
    "tensorflow/core/framework/tensor.proto",
    MessageType(
        "TensorShapeProto",
        """A shape: its axes `dim`, or `unknown_rank`.""",
        (
            MessageField("dim", 2, "message", "TensorShapeProto.Dim", repeated=True),
            MessageField("unknown_rank", 3, "bool"),
        ),
    ),
    MessageType(
        "TensorShapeProto.Dim",
        """An axis of a shape: its `size` (-1 if it is not known) and its `name`.""",
        (MessageField("size", 1, "int64"), MessageField("name", 2, "string")),
    ),
    MessageType(
        "TensorProto",
        """A tensor: its `dtype` (a number), its `tensor_shape`, and its values.

        The values are in `tensor_content`, as bytes, or in the field of their dtype, such as
        `float_val`; there the last one stands for all that are missing.
        """,
        (
            MessageField("dtype", 1, "enum", "DataType"),
            MessageField("tensor_shape", 2, "message", "TensorShapeProto"),
            MessageField("version_number", 3, "int32"),
            MessageField("tensor_content", 4, "bytes"),
            MessageField("half_val", 13, "int32", repeated=True),
            MessageField("float_val", 5, "float", repeated=True),
            MessageField("double_val", 6, "double", repeated=True),
            MessageField("int_val", 7, "int32", repeated=True),
            MessageField("string_val", 8, "bytes", repeated=True),
            MessageField("scomplex_val", 9, "float", repeated=True),
            MessageField("int64_val", 10, "int64", repeated=True),
            MessageField("bool_val", 11, "bool", repeated=True),
            MessageField("dcomplex_val", 12, "double", repeated=True),
            MessageField("uint32_val", 16, "uint32", repeated=True),
            MessageField("uint64_val", 17, "uint64", repeated=True),
        ),
    ),
    enums={"DataType": {0: "DT_INVALID", **ENUM}},
)


@function("make_tensor_proto")
def make_tensor_proto(
    values: Any,
    dtype: Any = None,
    shape: Any = None,
    verify_shape: bool = False,
    allow_broadcast: bool = False,
) -> Any:
    r"""Makes the message of a tensor.

    Args:
        values: a number, a text, an array, a tensor, or nested lists of these.
        dtype: the dtype; by default that of `values`.
        shape: the shape; the last value stands for those that are missing.
        verify_shape: whether `values` must have that shape.
        allow_broadcast: accepted for TensorFlow's sake.

    Returns:
        A `TensorProto`.

    Raises:
        ValueError: if `values` is None or there are too many.
        TypeError: if the values cannot be of `dtype`, or do not have `shape` and must.

    >>> tf.make_tensor_proto([1.0, 2.0]).SerializeToString()
    b'\x08\x01\x12\x04\x12\x02\x08\x02"\x08\x00\x00\x80?\x00\x00\x00@'
    """
    if isinstance(values, TENSORS["TensorProto"]):
        return values
    tensor = _tensor(values, None if dtype is None else dtypes.as_dtype(dtype), shape)
    array = tensor._numpy_array()
    size = list(array.shape)
    if shape is not None:
        size = [n or 0 for n in as_shape(shape).as_list()]
        _check_size(array, size, verify_shape)
    kind = tensor.dtype.kernel_name
    number = tensor.dtype.as_datatype_enum
    made = TENSORS["TensorProto"](dtype=number, tensor_shape=shape_proto(size))
    if kind in AS_BYTES and array.size > 1 and array.size == math.prod(size):
        made.tensor_content = _little_endian(array)
    elif kind in VALUES:
        getattr(made, VALUES[kind]).extend(_numbers(array, kind))
    return made


def _tensor(values: Any, dtype: dtypes.DType | None, shape: Any) -> EagerTensor:
    """Converts values, with the errors of `make_tensor_proto`."""
    if values is None:
        raise ValueError(MESSAGE_NONE)
    if shape is not None and 0 in list(shape):
        return from_host(np.zeros(0, np.float32 if dtype is None else dtype._numpy))
    if isinstance(values, list | tuple):
        np.shape(values)  # raises for lists of different lengths
    try:
        return convert(values, dtype)
    except (TypeError, ValueError):
        if dtype is None:
            raise TypeError(MESSAGE_INCONVERTIBLE.format(values)) from None
        wrong = _misfit(values, dtype)
        kind = type(wrong).__name__
        raise TypeError(f"Expected {dtype.name}, but got {wrong!r} of type '{kind}'.") from None


def _misfit(values: Any, dtype: dtypes.DType) -> Any:
    """Finds the value that cannot be of a dtype."""
    if isinstance(values, list | tuple):
        for value in values:
            try:
                convert(value, dtype)
            except (TypeError, ValueError):
                return _misfit(value, dtype)
    return values


def _check_size(array: Array, size: list[int], verify: bool) -> None:
    if verify and list(array.shape) != size:
        raise TypeError(f"Expected Tensor's shape: {tuple(size)}, but got {array.shape}.")
    if array.size > math.prod(size):
        raise ValueError(
            f"Too many elements provided. Takes at most {math.prod(size)}, but got {array.size}."
        )


def shape_proto(size: Iterable[int]) -> Any:
    """Makes the message of a shape."""
    made = TENSORS["TensorShapeProto"]()
    made.SetInParent()
    for length in size:
        made.dim.add(size=length)
    return made


def _little_endian(array: Array) -> bytes:
    return array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes()


def _numbers(array: Array, kind: str) -> Any:
    flat = np.ascontiguousarray(array).reshape(-1)
    if kind in ("half", "bfloat16"):
        return flat.view(np.uint16).tolist()
    if kind == "complex64":
        return flat.view(np.float32).tolist()
    if kind == "complex128":
        return flat.view(np.float64).tolist()
    return flat.tolist()


@function("make_ndarray")
def make_ndarray(tensor: Any) -> Array:
    """Makes the NumPy array of a message.

    Args:
        tensor: a `TensorProto`.

    Returns:
        An array; of objects for texts.

    Raises:
        TypeError: if arrays cannot have the dtype.

    >>> tf.make_ndarray(tf.make_tensor_proto([[1, 2]]))
    array([[1, 2]], dtype=int32)
    """
    shape = [dim.size for dim in tensor.tensor_shape.dim]
    dtype = dtypes.as_dtype(tensor.dtype)
    kind = dtype.kernel_name
    size = math.prod(shape)
    if kind not in VALUES:
        raise TypeError(f"Unsupported tensor type: {tensor.dtype}.")
    if kind == "string" and tensor.tensor_content:
        return _texts_of(tensor.tensor_content, size).reshape(shape)
    if kind == "string":
        return _filled(np.array([*tensor.string_val, None], object)[:-1], size, b"").reshape(shape)
    numpy_dtype = np.dtype(dtype.as_numpy_dtype)
    if tensor.tensor_content:
        flat = np.frombuffer(tensor.tensor_content, numpy_dtype.newbyteorder("<"))
        return flat.astype(numpy_dtype).reshape(shape)
    stored = list(getattr(tensor, VALUES[kind]))
    if kind in ("half", "bfloat16"):
        flat = np.array(stored, np.uint16).view(numpy_dtype)
    elif dtype.is_complex:
        flat = np.array(stored, np.dtype(dtype.real_dtype.as_numpy_dtype)).view(numpy_dtype)
    else:
        flat = np.array(stored).astype(numpy_dtype)
    return _filled(flat, size, 0).reshape(shape)


def _texts_of(data: bytes, count: int) -> Array:
    """Reads texts that follow their lengths."""
    lengths, at = [], 0
    for _ in range(count):
        length, at = read_varint(data, at)
        lengths.append(length)
    ends = at + np.cumsum(lengths)
    return object_array([data[e - n : e] for e, n in zip(ends, lengths, strict=True)], (count,))


def _filled(flat: Array, size: int, default: Any) -> Array:
    """Repeats the last value up to a number of values."""
    if len(flat) >= size:
        return flat
    last = flat[-1] if len(flat) else default
    filled = np.empty(size, flat.dtype)
    filled[: len(flat)] = flat
    filled[len(flat) :] = last
    return filled


@function("io.serialize_tensor")
def serialize_tensor(tensor: Any, name: str | None = None) -> EagerTensor:
    r"""Writes a tensor as the bytes of a `TensorProto`.

    Args:
        tensor: of any dtype and shape.
        name: ignored.

    Returns:
        A string scalar.

    >>> tf.io.serialize_tensor([1, 2]).numpy()
    b'\x08\x03\x12\x04\x12\x02\x08\x02"\x08\x01\x00\x00\x00\x02\x00\x00\x00'
    """
    return text_array([serialized(convert(tensor))], ())


def serialized(tensor: EagerTensor, packed: bool = False) -> bytes:
    """Returns the bytes of a tensor's message.

    Args:
        tensor: the tensor.
        packed: whether its texts follow one another, with their lengths in front.
    """
    array = tensor._numpy_array()
    made = TENSORS["TensorProto"](
        dtype=tensor.dtype.as_datatype_enum, tensor_shape=shape_proto(list(array.shape))
    )
    if tensor.dtype is dtypes.string and packed:
        flat = array.reshape(-1).tolist()
        made.tensor_content = b"".join([*[varint(len(text)) for text in flat], *flat])
    elif tensor.dtype is dtypes.string:
        made.string_val.extend(array.reshape(-1))
    else:
        made.tensor_content = _little_endian(array)
    return made.SerializeToString()


@function("io.parse_tensor", on_values=True)
def parse_tensor(serialized: Any, out_type: Any, name: str | None = None) -> EagerTensor:
    """Reads a tensor from the bytes of a `TensorProto`.

    Args:
        serialized: a string scalar, as `tf.io.serialize_tensor` makes it.
        out_type: the dtype that the tensor must have.
        name: ignored.

    Returns:
        The tensor.

    Raises:
        InvalidArgumentError: if the bytes are no tensor, or one of another dtype.

    >>> tf.io.parse_tensor(tf.io.serialize_tensor([1, 2]), tf.int32).numpy()
    array([1, 2], dtype=int32)
    """
    wanted = dtypes.as_dtype(out_type)
    array: Any = texts(serialized, "ParseTensor")
    if array.ndim:
        shape = shape_text(array.shape)
        raise failed("ParseTensor", f"Expected `serialized` to be a scalar, got shape: {shape}")
    data = array[()]
    try:
        proto = TENSORS["TensorProto"].FromString(data)
    except TENSORS.decode_error():
        shown = base64.b64encode(data).decode()
        raise failed(
            "ParseTensor", f"Could not parse `serialized` as TensorProto, base64: {shown}"
        ) from None
    return _parsed(proto, wanted)


def _parsed(proto: Any, wanted: dtypes.DType) -> EagerTensor:
    kinds = {number: name[3:].lower() for number, name in ENUM.items()}
    kind = kinds.get(proto.dtype)
    if kind is not None and kind != wanted.kernel_name:
        raise failed(
            "ParseTensor",
            f"Type mismatch between parsed tensor ({kind}) and dtype ({wanted.kernel_name})",
            named=" name: ",
        )
    try:
        if kind is None:
            raise ValueError("no dtype")
        array = make_ndarray(proto)
    except (ValueError, TypeError):
        raise failed("ParseTensor", f"Cannot parse tensor from proto: {proto}") from None
    made = text_tensor(array) if wanted is dtypes.string else from_host(np.array(array))
    return with_unknown_axes(made, *range(array.ndim))
