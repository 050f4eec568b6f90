"""The messages in checkpoints: which objects there are, and where TensorFlow's files hold what.

The definitions are those of TensorFlow's `trackable_object_graph.proto`, `tensor_bundle.proto` and
`checkpoint_state.proto`.
"""

from tapefacade._checkpoint.array_files import PURPOSE
from tapefacade._io.messages import MessageField, MessageFile, MessageType
from tapefacade._io.tensor_protos import TENSORS

WRAPPERS = MessageFile(
    "google/protobuf/wrappers.proto",
    MessageType("BoolValue", "A boolean that may be missing.", (MessageField("value", 1, "bool"),)),
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
        (MessageField("nodes", 1, "message", TRACKED_OBJECT, repeated=True),),
    ),
    MessageType(
        TRACKED_OBJECT,
        "An object: its children and its values.",
        (
            MessageField(
                "children", 1, "message", f"{TRACKED_OBJECT}.ObjectReference", repeated=True
            ),
            MessageField(
                "attributes", 2, "message", f"{TRACKED_OBJECT}.SerializedTensor", repeated=True
            ),
            MessageField(
                "slot_variables",
                3,
                "message",
                f"{TRACKED_OBJECT}.SlotVariableReference",
                repeated=True,
            ),
            MessageField("registered_saver", 4, "message", "RegisteredSaver"),
            MessageField("has_checkpoint_values", 5, "message", "BoolValue"),
        ),
    ),
    MessageType(
        f"{TRACKED_OBJECT}.ObjectReference",
        "A child of an object: its place among the objects, and its name there.",
        (MessageField("node_id", 1, "int32"), MessageField("local_name", 2, "string")),
    ),
    MessageType(
        f"{TRACKED_OBJECT}.SerializedTensor",
        "A value that an object has, and its key in the files.",
        (
            MessageField("name", 1, "string"),
            MessageField("full_name", 2, "string"),
            MessageField("checkpoint_key", 3, "string"),
        ),
    ),
    MessageType(
        f"{TRACKED_OBJECT}.SlotVariableReference",
        "A variable that an optimizer keeps for another one.",
        (
            MessageField("original_variable_node_id", 1, "int32"),
            MessageField("slot_name", 2, "string"),
            MessageField("slot_variable_node_id", 3, "int32"),
        ),
    ),
    MessageType(
        "RegisteredSaver",
        "Code that an object is saved by.",
        (MessageField("name", 1, "string"), MessageField("object_name", 2, "string")),
    ),
    MessageType(
        "VersionDef",
        "The version of a format.",
        (
            MessageField("producer", 1, "int32"),
            MessageField("min_consumer", 2, "int32"),
            MessageField("bad_consumers", 3, "int32", repeated=True),
        ),
    ),
    MessageType(
        "BundleHeaderProto",
        "What an index begins with: the number of its data files.",
        (
            MessageField("num_shards", 1, "int32"),
            MessageField("endianness", 2, "enum", "BundleHeaderProto.Endianness"),
            MessageField("version", 3, "message", "VersionDef"),
        ),
    ),
    MessageType(
        "TensorSliceProto",
        "A part of a tensor.",
        (MessageField("extent", 1, "message", "TensorSliceProto.Extent", repeated=True),),
    ),
    MessageType(
        "TensorSliceProto.Extent",
        "A part of an axis.",
        (MessageField("start", 1, "int64"), MessageField("length", 2, "int64", oneof="has_length")),
    ),
    MessageType(
        "BundleEntryProto",
        "Where a tensor is in the data files.",
        (
            MessageField("dtype", 1, "enum", "DataType"),
            MessageField("shape", 2, "message", "TensorShapeProto"),
            MessageField("shard_id", 3, "int32"),
            MessageField("offset", 4, "int64"),
            MessageField("size", 5, "int64"),
            MessageField("crc32c", 6, "fixed32"),
            MessageField("slices", 7, "message", "TensorSliceProto", repeated=True),
        ),
    ),
    MessageType(
        "CheckpointState",
        "Which checkpoints there are in a directory; the content of its file `checkpoint`.",
        (
            MessageField("model_checkpoint_path", 1, "string"),
            MessageField("all_model_checkpoint_paths", 2, "string", repeated=True),
            MessageField("all_model_checkpoint_timestamps", 3, "double", repeated=True),
            MessageField("last_preserved_timestamp", 4, "double"),
        ),
    ),
    enums={"BundleHeaderProto.Endianness": {0: "LITTLE", 1: "BIG"}},
    uses=(TENSORS, WRAPPERS),
    extra="checkpoint",
    use=PURPOSE,
)
