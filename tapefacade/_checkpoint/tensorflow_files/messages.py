"""The messages in checkpoints: which objects there are, and where TensorFlow's files hold what.

The definitions are those of TensorFlow's `trackable_object_graph.proto`, `tensor_bundle.proto` and
`checkpoint_state.proto`.
"""

from tapefacade._io.messages import Field, Message
from tapefacade._io.tensor_protos import ENUM, TensorShapeProto


class ObjectReference(Message):
    """A child of an object: its place among the objects, and its name there."""

    __slots__ = ()
    FIELDS = (Field("node_id", 1, "int32"), Field("local_name", 2, "string"))


class SerializedTensor(Message):
    """A value that an object has, and its key in the files."""

    __slots__ = ()
    FIELDS = (
        Field("name", 1, "string"),
        Field("full_name", 2, "string"),
        Field("checkpoint_key", 3, "string"),
    )


class SlotVariableReference(Message):
    """A variable that an optimizer keeps for another one."""

    __slots__ = ()
    FIELDS = (
        Field("original_variable_node_id", 1, "int32"),
        Field("slot_name", 2, "string"),
        Field("slot_variable_node_id", 3, "int32"),
    )


class RegisteredSaver(Message):
    """Code that an object is saved by."""

    __slots__ = ()
    FIELDS = (Field("name", 1, "string"), Field("object_name", 2, "string"))


class BoolValue(Message):
    """A boolean that may be missing."""

    __slots__ = ()
    FIELDS = (Field("value", 1, "bool"),)
    PACKAGE = "google.protobuf"


class TrackableObject(Message):
    """An object: its children and its values."""

    __slots__ = ()
    FIELDS = (
        Field("children", 1, "message", ObjectReference, repeated=True),
        Field("attributes", 2, "message", SerializedTensor, repeated=True),
        Field("slot_variables", 3, "message", SlotVariableReference, repeated=True),
        Field("registered_saver", 4, "message", RegisteredSaver),
        Field("has_checkpoint_values", 5, "message", BoolValue),
    )


class TrackableObjectGraph(Message):
    """The objects of a checkpoint; the first is the root."""

    __slots__ = ()
    FIELDS = (Field("nodes", 1, "message", TrackableObject, repeated=True),)


class VersionDef(Message):
    """The version of a format."""

    __slots__ = ()
    FIELDS = (
        Field("producer", 1, "int32"),
        Field("min_consumer", 2, "int32"),
        Field("bad_consumers", 3, "int32", repeated=True),
    )


class BundleHeaderProto(Message):
    """What an index begins with: the number of its data files."""

    __slots__ = ()
    FIELDS = (
        Field("num_shards", 1, "int32"),
        Field("endianness", 2, "enum", enum={0: "LITTLE", 1: "BIG"}),
        Field("version", 3, "message", VersionDef),
    )


class Extent(Message):
    """A part of an axis."""

    __slots__ = ()
    FIELDS = (Field("start", 1, "int64"), Field("length", 2, "int64", group="has_length"))


class TensorSliceProto(Message):
    """A part of a tensor."""

    __slots__ = ()
    FIELDS = (Field("extent", 1, "message", Extent, repeated=True),)


class BundleEntryProto(Message):
    """Where a tensor is in the data files."""

    __slots__ = ()
    FIELDS = (
        Field("dtype", 1, "enum", enum=ENUM),
        Field("shape", 2, "message", TensorShapeProto),
        Field("shard_id", 3, "int32"),
        Field("offset", 4, "int64"),
        Field("size", 5, "int64"),
        Field("crc32c", 6, "fixed32"),
        Field("slices", 7, "message", TensorSliceProto, repeated=True),
    )


class CheckpointState(Message):
    """Which checkpoints there are in a directory; the content of its file `checkpoint`."""

    __slots__ = ()
    FIELDS = (
        Field("model_checkpoint_path", 1, "string"),
        Field("all_model_checkpoint_paths", 2, "string", repeated=True),
        Field("all_model_checkpoint_timestamps", 3, "double", repeated=True),
        Field("last_preserved_timestamp", 4, "double"),
    )
