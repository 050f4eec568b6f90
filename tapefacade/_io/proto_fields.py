"""The fields of serialized messages as tensors: decode_proto, encode_proto.

Both go through the bytes field by field, as TensorFlow's kernels do: what is written is there even
if it is the default, and of what is not asked for only the length is read.
https://protobuf.dev/programming-guides/encoding/
"""

import math
import struct
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from tapefacade._core import dtypes, errors
from tapefacade._core.conversion import convert
from tapefacade._core.error_texts import shape_text
from tapefacade._core.tensor import EagerTensor, from_host
from tapefacade._definition.op import function
from tapefacade._io.files import read_file
from tapefacade._io.messages import MESSAGE_FILES, MessageFile
from tapefacade._io.varints import VarintError, read_varint, varint
from tapefacade._strings.arguments import failed, text_array, texts
from tapefacade._trace.open_sizes import with_unknown_axes

VARINT, EIGHT_BYTES, LENGTH, GROUP, GROUP_END, FOUR_BYTES = range(6)  # how a field is written
REPEATED = 3  # the label, in descriptors
MAX_DEPTH = 100  # of groups in groups, as in Protocol Buffers
INLINE = "bytes://"
MESSAGE_DATA = "CountFields: Failed to consume entire buffer"
MESSAGE_PACKED = "Corrupt packed varint"
MESSAGE_FULL = (
    "ReadPackedValues: Tried to write more entries than allowed.  Field tag: {}, Max entries "
    "allowed: {}"
)
MESSAGE_LENGTH = "Illegal data length for packed fixed-size type: {}"
# For the library only: messages of any file are looked up through it.
MESSAGES = MessageFile("tapefacade/fields.proto", use="Fields of messages")


class WireType(NamedTuple):
    """How a type of .proto files is written.

    Attributes:
        name: the name of the type.
        dtypes: the dtypes of tensors of it, the narrowest first.
        wire: what its key says.
        code: of numbers of four and eight bytes, their letter in `struct`.
        zigzag: whether negative numbers are written as odd ones.
    """

    name: str
    dtypes: tuple[dtypes.DType, ...]
    wire: int
    code: str = ""
    zigzag: bool = False

    @property
    def name_in_cpp(self) -> str:
        """The name of the type of its values."""
        named = {"enum": "enum", "message": "message", "group": "message"}
        return named.get(self.name, self.dtypes[0].kernel_name)


INT32, UINT32 = (dtypes.int32, dtypes.int64), (dtypes.uint32, dtypes.uint64)
INT64, UINT64, TEXT = (dtypes.int64,), (dtypes.uint64,), (dtypes.string,)
WIRE_TYPES = {  # by the numbers that descriptors have for types
    1: WireType("double", (dtypes.float64,), EIGHT_BYTES, "d"),
    2: WireType("float", (dtypes.float32, dtypes.float64), FOUR_BYTES, "f"),
    3: WireType("int64", INT64, VARINT),
    4: WireType("uint64", UINT64, VARINT),
    5: WireType("int32", INT32, VARINT),
    6: WireType("fixed64", UINT64, EIGHT_BYTES, "Q"),
    7: WireType("fixed32", UINT32, FOUR_BYTES, "I"),
    8: WireType("bool", (dtypes.bool,), VARINT),
    9: WireType("string", TEXT, LENGTH),
    10: WireType("group", TEXT, GROUP),
    11: WireType("message", TEXT, LENGTH),
    12: WireType("bytes", TEXT, LENGTH),
    13: WireType("uint32", UINT32, VARINT),
    14: WireType("enum", (dtypes.int32,), VARINT),
    15: WireType("sfixed32", INT32, FOUR_BYTES, "i"),
    16: WireType("sfixed64", INT64, EIGHT_BYTES, "q"),
    17: WireType("sint32", INT32, VARINT, zigzag=True),
    18: WireType("sint64", INT64, VARINT, zigzag=True),
}


class ProtoField(NamedTuple):
    """A field that is read or written.

    Attributes:
        name: its name, with that of the message in front.
        number: its number.
        type: how its values are written.
        repeated: whether it holds many.
        packed: whether these are written in one piece.
        default: what stands for a value that is not there.
    """

    name: str
    number: int
    type: WireType
    repeated: bool
    packed: bool
    default: Any


class DecodedFields(NamedTuple):
    """What `tf.io.decode_proto` returns.

    Attributes:
        sizes: int32 `[..., fields]`, how many values a message has of each field.
        values: for each field a tensor `[..., most]`, filled up with the default.
    """

    sizes: EagerTensor
    values: list[EagerTensor]


# TensorFlow's name, in what is printed.
DecodedFields.__name__ = DecodedFields.__qualname__ = "DecodeProtoV2"


@function("io.decode_proto", on_values=True)
def decode_proto(
    bytes: Any,
    message_type: str,
    field_names: Any,
    output_types: Any,
    descriptor_source: Any = "local://",
    message_format: str = "binary",
    sanitize: bool = False,
    name: str | None = None,
) -> DecodedFields:
    r"""Reads fields of serialized messages.

    Unlike TensorFlow, the messages that need no `descriptor_source` are those of `tf.train` and
    `tf.io`, and those whose Python classes the program has imported.

    Args:
        bytes: a string tensor of any shape, a message in each element.
        message_type: the full name of the messages' type, such as "tensorflow.Example".
        field_names: a list of names of its fields.
        output_types: a list of their dtypes. A message within the message is a string.
        descriptor_source: where the type is described: "local://"; the path of a file with a
            `FileDescriptorSet`, as `protoc --descriptor_set_out` writes it; or "bytes://" and the
            bytes of one.
        message_format: "binary", or "text" for messages as texts.
        sanitize: whether binary messages are parsed and written anew before.
        name: ignored.

    Returns:
        A named tuple. `sizes`, int32 `[..., fields]`, says how many values a message has of each
        field. `values` is a list with a tensor `[..., most]` for each field, in which what a
        message lacks is the field's default.

    Raises:
        InvalidArgumentError: if the type or a field is not known, or a dtype does not fit.
        DataLossError: if the bytes are no message.

    >>> data = tf.train.Int64List(value=[3, 4]).SerializeToString()
    >>> sizes, [values] = tf.io.decode_proto(
    ...     [data, b""], "tensorflow.Int64List", ["value"], [tf.int64]
    ... )
    >>> sizes.numpy().tolist(), values.numpy().tolist()
    ([[2], [0]], [[3, 4], [0, 0]])
    """
    wanted = [dtypes.as_dtype(dtype) for dtype in output_types]
    fail = _failing(f"DecodeProtoV2_output_types_{len(wanted)}")
    described = _described(message_type, descriptor_source, fail)
    if len(field_names) != len(wanted):
        raise fail("field_names and output_types attributes must have the same length")
    fields = [_field(described, each, fail) for each in field_names]
    for field, dtype in zip(fields, wanted, strict=True):
        if dtype not in field.type.dtypes:
            given = f"{field.type.name_in_cpp} to DT_{dtype.kernel_name.upper()}"
            raise fail(f"Unexpected output type for {field.name}: {given}")
    if message_format not in ("binary", "text"):
        raise fail("format must be one of binary or text")
    array = texts(bytes, "DecodeProtoV2")
    if not array.size:
        raise fail("Bufs argument must contain at least one value")
    if sanitize or message_format == "text":
        messages = [_written_anew(text, described, message_format, fail) for text in array.flat]
    else:
        messages = list(array.flat)
    found = [_values_in(message, fields, fail) for message in messages]
    of_fields = list(zip(*found, strict=True))
    for field, read in zip(fields, of_fields, strict=True):
        _check_pieces(field, read, fail)
    sizes = np.array([[len(read.values) for read in one] for one in found], np.int32)
    stacked = [
        _stacked([one.values for one in read], field, dtype, array.shape)
        for field, read, dtype in zip(fields, of_fields, wanted, strict=True)
    ]
    return DecodedFields(from_host(sizes.reshape(*array.shape, len(fields))), stacked)


@function("io.encode_proto", on_values=True)
def encode_proto(
    sizes: Any,
    values: Any,
    field_names: Any,
    message_type: str,
    descriptor_source: Any = "local://",
    name: str | None = None,
) -> EagerTensor:
    """Writes messages of the values of their fields.

    Args:
        sizes: int32 `[..., fields]`, how many values each message gets of each field.
        values: a list with a tensor `[..., most]` for each field, of which the first ones are
            taken.
        field_names: a list of the names of the fields.
        message_type: the full name of the messages' type.
        descriptor_source: where the type is described; see `tf.io.decode_proto`.
        name: ignored.

    Returns:
        A string tensor `[...]`: the bytes of the messages.

    Raises:
        InvalidArgumentError: if the type or a field is not known, a dtype does not fit, or shapes
            do not fit together.

    >>> data = tf.io.encode_proto([[2]], [[[3, 4]]], ["value"], "tensorflow.FloatList")
    Traceback (most recent call last):
    tapefacade.errors.InvalidArgumentError: ...Saw dtype: int32 but field type is: float...
    >>> data = tf.io.encode_proto([[2]], [[[3.0, 4.0]]], ["value"], "tensorflow.FloatList")
    >>> tf.train.FloatList.FromString(data[0].numpy()).value
    [3.0, 4.0]
    """
    tensors = [convert(value) for value in values]
    fail = _failing(f"EncodeProto_Tinput_types_{len(tensors)}")
    described = _described(message_type, descriptor_source, fail)
    if not tensors:
        raise fail("Length for attr 'Tinput_types' of 0 must be at least minimum 1")
    if len(tensors) != len(field_names):
        raise fail("Length of inputs list must match field_names")
    fields = [_field(described, each, fail) for each in field_names]
    batch = _batch(field_names, fields, tensors, fail)
    counts: Any = convert(sizes, dtypes.int32)._numpy_array()
    if counts.shape != (*batch, len(fields)):
        expected = shape_text((*batch, len(fields)))
        raise fail(
            "sizes should be batch_size + [len(field_names)].  Saw: "
            f"{shape_text(counts.shape)} but expected: {expected}"
        )
    count = math.prod(batch)
    rows: list[Any] = [
        tensor._numpy_array().reshape(count, tensor._type.shape[-1]) for tensor in tensors
    ]
    order = sorted(range(len(fields)), key=lambda place: fields[place].number)
    written = []
    for message, own in enumerate(counts.reshape(count, len(fields))):
        for place, (size, row) in enumerate(zip(own, rows, strict=True)):
            if size > row.shape[1]:
                raise fail(
                    "Size to write must not be larger than value tensor; but saw: "
                    f"{size} > {row.shape[1]} at message {message} field {place}"
                )
        parts = [_written(fields[p], rows[p][message][: max(own[p], 0)].tolist()) for p in order]
        written.append(b"".join(parts))
    return text_array(written, batch)


def _batch(
    names: Any, fields: list[ProtoField], tensors: list[EagerTensor], fail: Callable[..., Exception]
) -> tuple[int, ...]:
    """Returns the shape of what is written; raises if a tensor has another, or another dtype."""
    batch = tensors[0]._type.shape[:-1]
    for name, field, tensor in zip(names, fields, tensors, strict=True):
        shape = tensor._type.shape
        if len(shape) < 2:
            raise fail(
                f"Invalid shape for field {name}.  Saw shape {shape_text(shape)} but it should be "
                "at least a matrix."
            )
        if shape[:-1] != batch:
            raise fail(
                f"Values must match up to the last dimension.  Saw shape {shape_text(shape)}, "
                f"expected {shape_text(batch)}"
            )
        if tensor.dtype not in field.type.dtypes:
            raise fail(
                f"Incompatible type for field {name}.  Saw dtype: {tensor.dtype.kernel_name} but "
                f"field type is: {field.type.name}"
            )
    return batch


def _failing(kernel: str) -> Callable[..., Exception]:
    return lambda text, kind=None: failed(kernel, text, kind)


def _described(name: str, source: Any, fail: Callable[..., Exception]) -> Any:
    """Finds the description of a type of messages."""
    pools = MESSAGES.library("descriptor_pool")
    source = source.encode() if isinstance(source, str) else source
    if source in (b"", b"local://"):
        own = [file._pool() for file in list(MESSAGE_FILES.values())]  # the same one each time
        candidates = [own[0], pools.Default()]
    else:
        candidates = [_pool_of(source, fail)]
    for pool in candidates:
        try:
            return pool.FindMessageTypeByName(name)
        except KeyError:
            continue
    raise fail(f"No descriptor found for message type {name}")


def _pool_of(source: bytes, fail: Callable[..., Exception]) -> Any:
    """Makes a pool of a `FileDescriptorSet`."""
    inline = source.startswith(INLINE.encode())
    message = "Source does not represent serialized file descriptor set proto."
    try:
        data = source[len(INLINE) :] if inline else read_file(source).numpy()
        files = MESSAGES.library("descriptor_pb2").FileDescriptorSet.FromString(data)
    except (errors.OpError, MESSAGES.decode_error()):
        where = "" if inline else f" There is no such file: {source.decode(errors='replace')}."
        raise fail(message + where) from None
    pool = MESSAGES.library("descriptor_pool").DescriptorPool()
    for file in files.file:
        pool.AddSerializedFile(file.SerializeToString())
    return pool


def _field(described: Any, name: str, fail: Callable[..., Exception]) -> ProtoField:
    found = described.fields_by_name.get(name)
    if found is None:
        raise fail(f"Unknown field: {name} in message type {described.full_name}")
    library = MESSAGES.library("descriptor_pb2")
    message, file = library.DescriptorProto(), library.FileDescriptorProto()
    described.CopyToProto(message)
    described.file.CopyToProto(file)
    (own,) = [field for field in message.field if field.name == name]
    wire_type, repeated = WIRE_TYPES[own.type], own.label == REPEATED
    chosen = own.options.HasField("packed")
    packed = own.options.packed if chosen else file.syntax not in ("", "proto2")
    default = found.default_value if own.HasField("default_value") and not repeated else None
    if default is None:
        default = b"" if wire_type.dtypes == TEXT else 0
    if isinstance(default, str):
        default = default.encode()
    packable = repeated and wire_type.dtypes != TEXT
    return ProtoField(
        found.full_name, own.number, wire_type, repeated, packed and packable, default
    )


def _written_anew(
    text: bytes, described: Any, message_format: str, fail: Callable[..., Exception]
) -> bytes:
    """Parses a message, and writes it as bytes."""
    kind = MESSAGES.library("message_factory").GetMessageClass(described)
    library = MESSAGES.library("text_format")
    try:
        binary = message_format == "binary"
        message = kind.FromString(text) if binary else library.Parse(text, kind())
    except (library.ParseError, MESSAGES.decode_error()):
        problem = f"Unable to parse {message_format} protobuf"
        raise fail(problem, errors.DataLossError) from None
    return message.SerializeToString()


class _ReadField:
    """What has been read of a field in one message.

    Attributes:
        values: its values.
        pieces: for each packed piece, how many values were there before it.
    """

    def __init__(self, field: ProtoField) -> None:
        self._field = field
        self._is_default = False
        self.values: list[Any] = []
        self.pieces: list[int] = []

    def add(self, data: bytes, in_one: bool, fail: Callable[..., Exception]) -> None:
        """Takes a value, or several in one piece.

        Of a field that is not repeated the last value counts. A piece is no value of it: as in
        TensorFlow, it stands for the default.
        """
        repeated, kind = self._field.repeated, self._field.type
        values = list(_unpacked(data, kind, fail)) if in_one else [data]
        if in_one:
            self.pieces.append(0 if self._is_default else len(self.values))
        if repeated or not in_one:
            kept = self.values if repeated else []
            self.values = kept + [_value(value, kind) for value in values]
            self._is_default = False
        elif values and not self.values:
            self.values, self._is_default = [self._field.default], True


def _check_pieces(
    field: ProtoField, read: tuple[_ReadField, ...], fail: Callable[..., Exception]
) -> None:
    """Raises if a packed piece, even an empty one, comes where a tensor's row is full already."""
    most = max(len(one.values) for one in read)
    if most and any(before >= most for one in read for before in one.pieces):
        raise fail(MESSAGE_FULL.format(field.number, most), errors.DataLossError)


def _values_in(
    data: bytes, fields: list[ProtoField], fail: Callable[..., Exception]
) -> list[_ReadField]:
    """Returns the values of each field in a message."""
    by_number = {field.number: place for place, field in reversed(list(enumerate(fields)))}
    found = [_ReadField(field) for field in fields]
    at = 0
    while at < len(data):
        try:
            key, start = read_varint(data, at)
        except VarintError:
            raise fail(MESSAGE_DATA, errors.DataLossError) from None
        number, wire = key >> 3, key & 7
        if number == 0 or wire == GROUP_END:
            raise fail(MESSAGE_DATA, errors.DataLossError)
        place = by_number.get(number)
        field = None if place is None else fields[place]
        fits = field is not None and wire == field.type.wire
        in_one = field is not None and wire == LENGTH != field.type.wire != GROUP
        try:
            end = _end(data, start, number, wire)
        except VarintError:
            problem = "Failed skipping unrequested field"
            if field is not None:
                problem = "CollectField: Failed skipping malformed field"
            if fits:
                problem = "ReadValue: Failed skipping field when counting"
            raise fail(problem, errors.DataLossError) from None
        if place is not None and field is not None and (fits or in_one):
            if wire == LENGTH:
                _, start = read_varint(data, start)
            elif wire == GROUP:  # with its two keys
                start = at
            found[place].add(data[start:end], in_one, fail)
        at = end
    return found


def _end(data: bytes, at: int, number: int, wire: int, depth: int = 0) -> int:
    """Finds where a field ends.

    Raises:
        VarintError: if it does not end, its key says nothing, or groups are too deep in groups.
    """
    if wire == VARINT:
        return read_varint(data, at)[1]
    if wire == GROUP:
        inner, inner_wire = 0, 0
        if depth == MAX_DEPTH:
            raise VarintError("groups are too deep in groups")
        while (inner, inner_wire) != (number, GROUP_END):
            key, at = read_varint(data, at)
            inner, inner_wire = key >> 3, key & 7
            if inner_wire != GROUP_END:
                at = _end(data, at, inner, inner_wire, depth + 1)
            elif inner != number:
                raise VarintError("another group ends")
        return at
    if wire == LENGTH:
        length, at = read_varint(data, at)
        at += length
    elif wire in (EIGHT_BYTES, FOUR_BYTES):
        at += 8 if wire == EIGHT_BYTES else 4
    else:
        raise VarintError("nothing is written so")
    if at > len(data):
        raise VarintError("the bytes end before")
    return at


def _unpacked(data: bytes, kind: WireType, fail: Callable[..., Exception]) -> Iterator[bytes]:
    """Yields what is written of each number of several in one piece."""
    at = 0
    while at < len(data):
        try:
            end = _end(data, at, 0, kind.wire)
        except VarintError:
            problem = MESSAGE_PACKED if kind.wire == VARINT else MESSAGE_LENGTH.format(len(data))
            raise fail(problem, errors.DataLossError) from None
        yield data[at:end]
        at = end


def _value(data: bytes, kind: WireType) -> Any:
    """Reads one value."""
    if kind.dtypes == TEXT:
        return data
    if kind.code:
        return struct.unpack(f"<{kind.code}", data)[0]
    number, _ = read_varint(data, 0)
    narrow = kind.dtypes[0]
    if narrow is dtypes.bool:
        return number != 0
    bits = 8 * narrow.size
    number &= (1 << bits) - 1
    if kind.zigzag:
        return (number >> 1) ^ -(number & 1)
    signed = not narrow.is_unsigned
    return number - (1 << bits) if signed and number >> (bits - 1) else number


def _stacked(
    rows: list[list[Any]], field: ProtoField, dtype: dtypes.DType, shape: tuple[int, ...]
) -> EagerTensor:
    """Makes a tensor of lists of values, filled up with the default."""
    most = max([1, *map(len, rows)])
    filled = [value for row in rows for value in [*row, *[field.default] * (most - len(row))]]
    if dtype is dtypes.string:
        made: EagerTensor = text_array(filled, (*shape, most))
    else:
        made = from_host(np.array(filled, dtype.as_numpy_dtype).reshape(*shape, most))
    return with_unknown_axes(made, -1)


def _written(field: ProtoField, values: list[Any]) -> bytes:
    """Writes the values of a field."""
    key = varint(field.number << 3 | field.type.wire)
    encoded = [_encoded(value, field.type) for value in values]
    if field.packed:
        data = b"".join(encoded)
        return varint(field.number << 3 | LENGTH) + varint(len(data)) + data if values else b""
    if field.type.wire == GROUP:
        end = varint(field.number << 3 | GROUP_END)
        return b"".join(key + value + end for value in encoded)
    if field.type.wire == LENGTH:
        return b"".join(key + varint(len(value)) + value for value in encoded)
    return b"".join(key + value for value in encoded)


def _encoded(value: Any, kind: WireType) -> bytes:
    """Writes one value."""
    if kind.dtypes == TEXT:
        return value
    if kind.code in ("d", "f"):
        return np.array(value, f"<f{struct.calcsize(kind.code)}").tobytes()
    bits = 8 * kind.dtypes[0].size
    number = int(value) & ((1 << bits) - 1)  # what is too long is cut off
    if kind.code:
        return number.to_bytes(bits // 8, "little")
    signed = kind.dtypes[0] in (dtypes.int32, dtypes.int64)
    if signed and number >> (bits - 1):
        number -= 1 << bits
    if kind.zigzag:
        number = (number << 1) ^ (number >> (bits - 1))
    return varint(number & 0xFFFFFFFFFFFFFFFF)
