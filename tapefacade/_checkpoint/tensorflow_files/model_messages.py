"""The messages in `saved_model.pb`: functions, objects, signatures.

The definitions are those of TensorFlow's `saved_model.proto`, `meta_graph.proto`, `graph.proto`,
`function.proto`, `saved_object_graph.proto`, `struct.proto` and what these use, as far as they are
written here.
"""

from tapefacade._checkpoint.array_files import PURPOSE
from tapefacade._checkpoint.tensorflow_files.messages import CHECKPOINTS, TRACKED_OBJECT
from tapefacade._io.messages import MessageField, MessageFile, MessageType
from tapefacade._io.tensor_protos import TENSORS


def _type(name: str, doc: str, fields: str) -> MessageType:
    """Makes a type of lines such as `name 1 kind`, with `[]` for many and `of X` for a type's name.

    Behind `|` stands the group of which one field is set.
    """
    made = []
    for line in filter(None, map(str.strip, fields.splitlines())):
        text, _, group = line.partition(" | ")
        words = text.split()
        named = words[words.index("of") + 1] if "of" in words else ""
        kind = words[2].removesuffix("[]")
        made.append(
            MessageField(words[0], int(words[1]), kind, named, words[2].endswith("[]"), group)
        )
    return MessageType(name, doc, tuple(made))


ITEMS = "values 1 message[] of StructuredValue"
REFERENCE = f"{TRACKED_OBJECT}.ObjectReference"
MODELS = MessageFile(
    "tensorflow/core/protobuf/saved_model.proto",
    _type("SavedModel", "What a directory holds.", """
        saved_model_schema_version 1 int64
        meta_graphs 2 message[] of MetaGraphDef
    """),
    _type("MetaGraphDef", "A graph, its signatures, and the objects of a program.", """
        meta_info_def 1 message of MetaGraphDef.MetaInfoDef
        graph_def 2 message of GraphDef
        saver_def 3 message of SaverDef
        signature_def 5 map of SignatureDef
        asset_file_def 6 message[] of AssetFileDef
        object_graph_def 7 message of SavedObjectGraph
    """),
    _type("AssetFileDef", "A file of the model, and the tensor of its path.", """
        tensor_info 1 message of TensorInfo
        filename 2 string
    """),
    _type("SavedAsset", "An object that stands for a file.", "asset_file_def_index 1 int32"),
    _type("MetaGraphDef.MetaInfoDef", "By whom it was made, and what for.", """
        tags 4 string[]
        tensorflow_version 5 string
        stripped_default_attrs 7 bool
    """),
    _type("GraphDef", "Nodes and functions.", """
        node 1 message[] of NodeDef
        library 2 message of FunctionDefLibrary
        versions 4 message of VersionDef
    """),
    _type("FunctionDefLibrary", "Functions.", "function 1 message[] of FunctionDef"),
    _type("FunctionDef", "A function.", """
        signature 1 message of OpDef
        node_def 3 message[] of NodeDef
        ret 4 map of string
        attr 5 map of AttrValue
        control_ret 6 map of string
    """),
    _type("OpDef", "The arguments and results of a function.", """
        name 1 string
        input_arg 2 message[] of OpDef.ArgDef
        output_arg 3 message[] of OpDef.ArgDef
        is_stateful 17 bool
        control_output 20 string[]
    """),
    _type("OpDef.ArgDef", "An argument or a result.", """
        name 1 string
        type 3 enum of DataType
        handle_data 7 message[] of ResourceHandleProto.DtypeAndShape
    """),
    _type("ResourceHandleProto", "A handle of a variable.", ""),
    _type("ResourceHandleProto.DtypeAndShape", "What a variable holds.", """
        dtype 1 enum of DataType
        shape 2 message of TensorShapeProto
    """),
    _type("NodeDef", "A node of a graph or function.", """
        name 1 string
        op 2 string
        input 3 string[]
        device 4 string
        attr 5 map of AttrValue
    """),
    _type("AttrValue", "A static parameter.", """
        list 1 message of AttrValue.ListValue | value
        s 2 bytes | value
        i 3 int64 | value
        b 5 bool | value
        type 6 enum of DataType | value
        shape 7 message of TensorShapeProto | value
        tensor 8 message of TensorProto | value
        func 10 message of NameAttrList | value
    """),
    _type("AttrValue.ListValue", "Several values.", """
        s 2 bytes[]
        type 6 enum[] of DataType
        shape 7 message[] of TensorShapeProto
    """),
    _type("NameAttrList", "The name of a function.", "name 1 string"),
    _type("SignatureDef", "Tensors that are fed and fetched, by name.", """
        inputs 1 map of TensorInfo
        outputs 2 map of TensorInfo
        method_name 3 string
    """),
    _type("TensorInfo", "A tensor of a graph.", """
        name 1 string
        dtype 2 enum of DataType
        tensor_shape 3 message of TensorShapeProto
    """),
    _type("SaverDef", "The nodes that restore variables.", """
        filename_tensor_name 1 string
        save_tensor_name 2 string
        restore_op_name 3 string
        version 7 enum of SaverDef.CheckpointFormatVersion
    """),
    _type("SavedObjectGraph", "Objects, the first of which is the root, and functions.", """
        nodes 1 message[] of SavedObject
        concrete_functions 2 map of SavedConcreteFunction
    """),
    _type("SavedObject", "An object.", f"""
        children 1 message[] of {REFERENCE}
        user_object 4 message of SavedUserObject | kind
        asset 5 message of SavedAsset | kind
        function 6 message of SavedFunction | kind
        variable 7 message of SavedVariable | kind
        bare_concrete_function 8 message of SavedBareConcreteFunction | kind
        constant 9 message of SavedConstant | kind
    """),
    _type("SavedUserObject", "An object of a class that need not be known.", """
        identifier 1 string
        version 2 message of VersionDef
    """),
    _type("SavedVariable", "A variable.", """
        dtype 1 enum of DataType
        shape 2 message of TensorShapeProto
        trainable 3 bool
        name 6 string
    """),
    _type("SavedFunction", "A function for several signatures.", """
        concrete_functions 1 string[]
        function_spec 2 message of FunctionSpec
    """),
    _type("SavedBareConcreteFunction", "A function for one signature.", """
        concrete_function_name 1 string
        argument_keywords 2 string[]
        allowed_positional_arguments 3 int64
    """),
    _type("SavedConcreteFunction", "What a function is called with and returns.", """
        bound_inputs 2 int32[]
        canonicalized_input_signature 3 message of StructuredValue
        output_signature 4 message of StructuredValue
    """),
    _type("SavedConstant", "A tensor, the value of a node.", "operation 1 string"),
    _type("FunctionSpec", "The parameters of the Python function.", """
        fullargspec 1 message of StructuredValue
        is_method 2 bool
        input_signature 5 message of StructuredValue
    """),
    _type("StructuredValue", "A nest of Python values and specs.", """
        none_value 1 message of NoneValue | kind
        float64_value 11 double | kind
        int64_value 12 sint64 | kind
        string_value 13 string | kind
        bool_value 14 bool | kind
        tensor_shape_value 31 message of TensorShapeProto | kind
        tensor_dtype_value 32 enum of DataType | kind
        tensor_spec_value 33 message of TensorSpecProto | kind
        bounded_tensor_spec_value 35 message of BoundedTensorSpecProto | kind
        list_value 51 message of ListValue | kind
        tuple_value 52 message of TupleValue | kind
        dict_value 53 message of DictValue | kind
        named_tuple_value 54 message of NamedTupleValue | kind
    """),
    _type("NoneValue", "None.", ""),
    _type("ListValue", "A list.", ITEMS),
    _type("TupleValue", "A tuple.", ITEMS),
    _type("DictValue", "A dictionary.", "fields 1 map of StructuredValue"),
    _type("NamedTupleValue", "A named tuple.", """
        name 1 string
        values 2 message[] of PairValue
    """),
    _type("PairValue", "A value by name.", """
        key 1 string
        value 2 message of StructuredValue
    """),
    _type("TensorSpecProto", "A spec.", """
        name 1 string
        shape 2 message of TensorShapeProto
        dtype 3 enum of DataType
    """),
    _type("BoundedTensorSpecProto", "A spec with bounds.", """
        name 1 string
        shape 2 message of TensorShapeProto
        dtype 3 enum of DataType
        minimum 4 message of TensorProto
        maximum 5 message of TensorProto
    """),
    enums={"SaverDef.CheckpointFormatVersion": {0: "LEGACY", 1: "V1", 2: "V2"}},
    uses=(TENSORS, CHECKPOINTS),
    extra="checkpoint",
    use=PURPOSE,
)  # fmt: skip
