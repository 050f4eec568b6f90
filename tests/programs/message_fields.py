"""Fields of serialized messages: `tf.io.decode_proto`, `tf.io.encode_proto`."""

import functools
import struct

from programs.program import answers

KINDS = [
    "double", "float", "int64", "uint64", "int32", "fixed64", "fixed32", "bool", "string", "group",
    "message", "bytes", "uint32", "enum", "sfixed32", "sfixed64", "sint32", "sint64",
]  # fmt: skip
TEXTS = ("string", "message", "bytes")
DEFAULTS = {"int32": "7", "string": "hey", "double": "1.5", "bool": "true", "enum": "B"}


def source(syntax="proto2"):
    """Describes `t.M`: a field of each kind once (f_), in a list (r_), packed (p_), by default."""
    from google.protobuf import descriptor_pb2

    files = descriptor_pb2.FileDescriptorSet()
    file = files.file.add(name="t.proto", package="t", syntax=syntax)
    enum = file.enum_type.add(name="E")
    enum.value.add(name="A", number=0)
    enum.value.add(name="B", number=1)
    file.message_type.add(name="S").field.add(name="x", number=1, type=5, label=1)
    message = file.message_type.add(name="M")
    for number, kind in enumerate(KINDS, 1):
        given = {"type": number, "type_name": {"message": ".t.S", "enum": ".t.E"}.get(kind)}
        if kind == "group":
            if syntax == "proto2":
                inner = message.nested_type.add(name="Gr")
                inner.field.add(name="y", number=1, type=5, label=1)
                given["type_name"] = ".t.M.Gr"
                message.field.add(name="gr", number=number, label=1, **given)
            continue
        message.field.add(name=f"f_{kind}", number=number, label=1, **given)
        message.field.add(name=f"r_{kind}", number=100 + number, label=3, **given)
        if kind not in TEXTS:
            packed = message.field.add(name=f"p_{kind}", number=200 + number, label=3, **given)
            packed.options.packed = True
        if syntax == "proto2" and kind in DEFAULTS:
            given["default_value"] = DEFAULTS[kind]
            message.field.add(name=f"d_{kind}", number=300 + number, label=1, **given)
    return b"bytes://" + files.SerializeToString()


def number(value):
    value &= (1 << 64) - 1
    written = bytearray()
    while value > 127:
        written.append(value & 127 | 128)
        value >>= 7
    return bytes([*written, value])


def key(field, wire=0):
    return number(field << 3 | wire)


def one(field, value):
    return key(field) + number(value)


def block(field, data):
    return key(field, 2) + number(len(data)) + data


def every_kind(tf, np):
    numbers = [tf.constant([[1, 0]]), tf.constant([[1, 200]])]
    dtypes = (tf.float64, tf.float32, tf.int64, tf.uint64, tf.int32, tf.uint32, tf.bool, tf.string)
    described = source()

    def there_and_back(name, value, size):
        written = tf.io.encode_proto([[size]], [value], [name], "t.M", described)
        read = tf.io.decode_proto(written, "t.M", [name], [value.dtype], described)
        return written, read

    found = {}
    for kind in KINDS:
        if kind == "group":
            continue
        for dtype in dtypes:
            if (dtype == tf.string) != (kind in TEXTS):
                continue
            text = b"\x08\x05" if kind == "message" else b"ab"
            values = [tf.constant([[text, b""]])] if kind in TEXTS else numbers
            values = [v if kind in TEXTS else tf.cast(v, dtype) for v in values]
            for prefix in "frp":
                name = f"{prefix}_{kind}"
                found[f"{name} {dtype.name}"] = answers(
                    *(
                        lambda n=name, v=v, s=1 if prefix == "f" else 2: there_and_back(n, v, s)
                        for v in values
                    )
                )
    return found


def reading(tf, np):
    described, newer = source(), source("proto3")

    def read(data, *fields, **options):
        names = [name for name, _ in fields]
        dtypes = [dtype for _, dtype in fields]
        sizes, values = tf.io.decode_proto(data, "t.M", names, dtypes, described, **options)
        return sizes, values

    group = key(10, 3) + one(1, 5) + key(10, 4)
    return answers(
        lambda: read([b""], *((f"f_{k}", tf.int32) for k in ("int32", "enum", "sint32"))),
        lambda: read([b""], ("d_int32", tf.int32), ("d_string", tf.string)),
        lambda: read([b""], ("d_double", tf.float64), ("d_bool", tf.bool), ("d_enum", tf.int32)),
        lambda: read([b"", one(305, 3)], ("d_int32", tf.int64)),
        lambda: read([b"", block(309, b"ab")], ("d_string", tf.string)),
        lambda: read([one(105, 1) + one(105, 2), one(105, 3)], ("r_int32", tf.int32)),
        lambda: read([one(5, 1) + one(5, 2)], ("f_int32", tf.int32)),
        lambda: read([block(105, b"\1\2")], ("r_int32", tf.int32)),
        lambda: read([one(205, 1) + one(205, 2)], ("p_int32", tf.int32)),
        lambda: read([one(205, 1) + block(205, b"\2\3") + one(205, 4)], ("p_int32", tf.int32)),
        lambda: read([key(5, 5) + b"abcd"], ("f_int32", tf.int32)),
        lambda: read([block(999, b"xx") + one(5, 2)], ("f_int32", tf.int32)),
        lambda: read([group], ("gr", tf.string)),
        lambda: read([key(98, 3) + group + key(98, 4) + one(5, 2)], ("f_int32", tf.int32)),
        lambda: read([block(11, one(1, 5))], ("f_message", tf.string)),
        lambda: read([block(11, one(1, 5)) + block(11, b"")], ("f_message", tf.string)),
        lambda: read(
            [block(11, one(1, 5)) + block(11, b"")], ("f_message", tf.string), sanitize=True
        ),
        lambda: read([one(5, -1)], ("f_int32", tf.int64)),
        lambda: read([one(5, 2**40 + 5)], ("f_int32", tf.int64)),
        lambda: read([one(13, 2**32 - 1)], ("f_uint32", tf.uint64)),
        lambda: read([one(4, -1)], ("f_uint64", tf.uint64)),
        lambda: read([one(17, 3) + one(18, 3)], ("f_sint32", tf.int32), ("f_sint64", tf.int64)),
        lambda: read([one(8, 2) + one(14, 9)], ("f_bool", tf.bool), ("f_enum", tf.int32)),
        lambda: read([key(2, 5) + struct.pack("<f", 1.25)], ("f_float", tf.float64)),
        lambda: read([[b"", one(5, 1)]], ("f_int32", tf.int32), ("r_int32", tf.int32)),
        lambda: read(one(5, 1), ("f_int32", tf.int32)),
        lambda: read([b""]),
        lambda: read([one(5, 1)], ("f_int32", tf.int32), ("f_int32", tf.int64)),
        lambda: read(
            [b"f_int32: 3 r_int32: [1, 2] f_string: 'a'"],
            ("f_int32", tf.int32), ("r_int32", tf.int32), ("f_string", tf.string),
            message_format="text",
        ),
        lambda: tf.io.decode_proto(
            [one(5, 1)], message_type="t.M", field_names=["f_int32"], output_types=[tf.int32],
            descriptor_source=newer,
        ),
        lambda: tf.io.decode_proto(
            [tf.train.Int64List(value=[1, 2]).SerializeToString()],
            "tensorflow.Int64List", ["value"], [tf.int64], "",
        ),
        lambda: type(tf.io.decode_proto([b""], "tensorflow.Int64List", [], [])).__name__,
    )  # fmt: skip


def what_cannot_be_read(tf, np):
    described = source()

    def read(data, name="f_int32", dtype=tf.int32, **options):
        return tf.io.decode_proto(data, "t.M", [name], [dtype], described, **options)

    return answers(
        lambda: read(np.zeros([0], object)),
        lambda: read([b"\xff"]),
        lambda: read([block(12, b"abc")[:-1]], "f_bytes", tf.string),
        lambda: read([block(12, b"abc")[:-1]]),
        lambda: read([b"\0"]),
        lambda: read([key(5, 4)]),
        lambda: read([key(10, 3) + one(1, 5)], "gr", tf.string),
        lambda: read([key(5, 6)]),
        lambda: read([b""], "zzz"),
        lambda: read([b""], "f_int32", tf.string),
        lambda: read([b""], "f_float", tf.int32),
        lambda: read([b""], message_format="json"),
        lambda: read([block(105, b"\1\x80")], "r_int32"),
        lambda: read([block(201, b"abcdefghi")], "p_double", tf.float64),
        lambda: read([key(98, 3) * 50 + key(98, 4) * 50]),
        lambda: read([key(98, 3) * 200 + key(98, 4) * 200]),
        lambda: read([key(98, 3) * 5000 + key(98, 4) * 5000]),
        lambda: read([b"f_int32 3"], message_format="text"),
        lambda: read([b"\xff"], sanitize=True),
        lambda: tf.io.decode_proto([b""], "t.ZZ", ["x"], [tf.int32], described),
        lambda: tf.io.decode_proto([b""], "t.M", ["f_int32"], [tf.int32] * 2, described),
        lambda: tf.io.decode_proto([1], "tensorflow.Int64List", ["value"], [tf.int64]),
    )


def packed_pieces(tf, np):
    described = source()

    def read(*data, name="f_int32", dtype=tf.int32):
        return tf.io.decode_proto(data, "t.M", [name], [dtype], described)

    found = {}
    for field, name in ((5, "f_int32"), (105, "r_int32"), (305, "d_int32")):
        single, packed, empty = one(field, 5), block(field, b"\7\10"), block(field, b"")
        joined = {
            "packed": packed, "packed single": packed + single, "single packed": single + packed,
            "packed packed": packed + packed, "empty": empty, "single empty": single + empty,
            "empty single": empty + single, "three": packed + single + packed,
        }  # fmt: skip
        for order, data in joined.items():
            found[name, order] = answers(
                functools.partial(read, data, name=name),
                functools.partial(read, data, single + single, name=name),
                functools.partial(read, packed, data, name=name),
            )
    bad = block(5, b"\xff")
    found["bad"] = answers(lambda: read(bad), lambda: read(one(5, 5) + bad))
    floats = key(2, 5) + struct.pack("<f", 1.5) + block(2, struct.pack("<2f", 2.0, 3.0))
    found["floats"] = answers(lambda: read(floats, name="f_float", dtype=tf.float32))
    return {" ".join(k) if isinstance(k, tuple) else k: v for k, v in found.items()}


def writing(tf, np):
    described, newer = source(), source("proto3")

    def write(sizes, values, *names, where=described, kind="t.M"):
        return tf.io.encode_proto(sizes, values, names, kind, where)

    wide = tf.constant([[2**40 + 5]], tf.int64)
    return answers(
        lambda: write([[2]], [[[1, 0]]], "r_int32", where=newer),
        lambda: write([[1]], [[[0]]], "f_int32", where=newer),
        lambda: write([[1]], [[[-1]]], "f_int32"),
        lambda: write([[1]], [[[-1]]], "f_sint32"),
        lambda: write([[1]], [tf.constant([[-(2**40)]], tf.int64)], "f_sint64"),
        lambda: write([[1]], [[[-2]]], "f_sfixed32"),
        lambda: write([[1, 1]], [[[b"z"]], [[2]]], "f_bytes", "f_int32"),
        lambda: write([[2]], [[[1, 2]]], "f_int32"),
        lambda: write([[-1]], [[[1, 2]]], "r_int32"),
        lambda: write([[0]], [[[1, 2]]], "p_int32"),
        lambda: write([[[1], [2]]], [[[[1, 2], [3, 4]]]], "r_int32"),
        lambda: write([[1]], [wide], "f_int32"),
        lambda: write([[1]], [[[b"\x08\x05"]]], "gr"),
        lambda: write(np.zeros([2, 1], np.int32), [np.zeros([2, 0], np.int32)], "r_int32"),
        lambda: write([[3]], [[[1, 2]]], "r_int32"),
        lambda: write([[1], [1]], [[[1, 2]]], "r_int32"),
        lambda: write([1], [[[1, 2]]], "r_int32"),
        lambda: write([[1, 1]], [[[1, 2]]], "r_int32"),
        lambda: write([[1, 1]], [[[1, 2]], [[1], [2]]], "r_int32", "f_int32"),
        lambda: write([[1]], [[[1, 2]], [[1]]], "r_int32"),
        lambda: write([1], [[1, 2]], "r_int32"),
        lambda: write([[1, 1]], [[[1, 2]], [[1], [2]]], "r_int32", "r_enum"),
        lambda: write([[1]], [[[1, 2]]], "zzz"),
        lambda: write([[1]], [[[1, 2]]], "x", kind="t.Z"),
        lambda: write([[1]], [[[1.0]]], "f_int32"),
        lambda: write([[1]], [], "f_int32"),
    )


def in_functions_and_datasets(tf, np):
    described = source()

    @tf.function
    def read(data):
        sizes, [values] = tf.io.decode_proto(data, "t.M", ["r_int32"], [tf.int32], described)
        return sizes, values, tf.io.encode_proto(sizes, [values], ["r_int32"], "t.M", described)

    def watched():
        x = tf.constant([[1.5]])
        with tf.GradientTape() as tape:
            tape.watch(x)
            data = tf.io.encode_proto([[1]], [x], ["f_float"], "t.M", described)
            _, [y] = tf.io.decode_proto(data, "t.M", ["f_float"], [tf.float32], described)
        return y, tape.gradient(y, x)

    def mapped():
        data = tf.data.Dataset.from_tensor_slices([one(105, 1), one(105, 1) + one(105, 2), b""])
        return list(data.batch(2).map(lambda each: read(each)[:2]))

    return answers(lambda: read([one(105, 1) + one(105, 2), b""]), watched, mapped)
