"""The messages in checkpoints: which objects there are, and where TensorFlow's files hold what.

The definitions are those of TensorFlow's `trackable_object_graph.proto`, `tensor_bundle.proto` and
`checkpoint_state.proto`.
"""

from tapefacade._checkpoint.array_files import PURPOSE
from tapefacade._io.messages import Field, MessageFile, MessageType
from tapefacade._io.tensor_protos import TENSORS

WRAPPERS = MessageFile(
    "google/protobuf/wrappers.proto",
    MessageType("BoolValue", "A boolean that may be missing.", (Field("value", 1, "bool"),)),
    package="google.protobuf",
    extra="checkpoint",
    use=PURPOSE,
)
TRACKED_OBJECT = "TrackableObjectGraph.TrackableObject"
CHECKPOINTS = MessageFile(
    "tensorflow/core/protobuf/tensor_bundle.proto",
    MessageType(
        "TrackableObjectGraph",
        "The objects of a checkpoint; the first is the root.",
        (Field("nodes", 1, "message", TRACKED_OBJECT, repeated=True),),
    ),
    MessageType(
        TRACKED_OBJECT,
        "An object: its children and its values.",
        (
            Field("children", 1, "message", f"{TRACKED_OBJECT}.ObjectReference", repeated=True),
            Field("attributes", 2, "message", f"{TRACKED_OBJECT}.SerializedTensor", repeated=True),
            Field(
                "slot_variables",
                3,
                "message",
                f"{TRACKED_OBJECT}.SlotVariableReference",
                repeated=True,
            ),
            Field("registered_saver", 4, "message", "RegisteredSaver"),
            Field("has_checkpoint_values", 5, "message", "BoolValue"),
        ),
    ),
    MessageType(
        f"{TRACKED_OBJECT}.ObjectReference",
        "A child of an object: its place among the objects, and its name there.",
        (Field("node_id", 1, "int32"), Field("local_name", 2, "string")),
    ),
    MessageType(
        f"{TRACKED_OBJECT}.SerializedTensor",
        "A value that an object has, and its key in the files.",
        (
            Field("name", 1, "string"),
            Field("full_name", 2, "string"),
            Field("checkpoint_key", 3, "string"),
        ),
    ),
    MessageType(
        f"{TRACKED_OBJECT}.SlotVariableReference",
        "A variable that an optimizer keeps for another one.",
        (
            Field("original_variable_node_id", 1, "int32"),
            Field("slot_name", 2, "string"),
            Field("slot_variable_node_id", 3, "int32"),
        ),
    ),
    MessageType(
        "RegisteredSaver",
        "Code that an object is saved by.",
        (Field("name", 1, "string"), Field("object_name", 2, "string")),
    ),
    MessageType(
        "VersionDef",
        "The version of a format.",
        (
            Field("producer", 1, "int32"),
            Field("min_consumer", 2, "int32"),
            Field("bad_consumers", 3, "int32", repeated=True),
        ),
    ),
    MessageType(
        "BundleHeaderProto",
        "What an index begins with: the number of its data files.",
        (
            Field("num_shards", 1, "int32"),
            Field("endianness", 2, "enum", "BundleHeaderProto.Endianness"),
            Field("version", 3, "message", "VersionDef"),
        ),
    ),
    MessageType(
        "TensorSliceProto",
        "A part of a tensor.",
        (Field("extent", 1, "message", "TensorSliceProto.Extent", repeated=True),),
    ),
    MessageType(
        "TensorSliceProto.Extent",
        "A part of an axis.",
        (Field("start", 1, "int64"), Field("length", 2, "int64", oneof="has_length")),
    ),
    MessageType(
        "BundleEntryProto",
        "Where a tensor is in the data files.",
        (
            Field("dtype", 1, "enum", "DataType"),
            Field("shape", 2, "message", "TensorShapeProto"),
            Field("shard_id", 3, "int32"),
            Field("offset", 4, "int64"),
            Field("size", 5, "int64"),
            Field("crc32c", 6, "fixed32"),
            Field("slices", 7, "message", "TensorSliceProto", repeated=True),
        ),
    ),
    MessageType(
        "CheckpointState",
        "Which checkpoints there are in a directory; the content of its file `checkpoint`.",
        (
            Field("model_checkpoint_path", 1, "string"),
            Field("all_model_checkpoint_paths", 2, "string", repeated=True),
            Field("all_model_checkpoint_timestamps", 3, "double", repeated=True),
            Field("last_preserved_timestamp", 4, "double"),
        ),
    ),
    enums={"BundleHeaderProto.Endianness": {0: "LITTLE", 1: "BIG"}},
    uses=(TENSORS, WRAPPERS),
    extra="checkpoint",
    use=PURPOSE,
)
