"""What TensorFlow reads of a saved model, so that it loads and serves it: `saved_model.pb`.

Each program is in there as the node that calls StableHLO in TensorFlow, `XlaCallModule`; a function
reads variables in front of it, and assigns them behind it. Gradients are not in there, nor checks
of values, nor functions that draw random numbers.
"""

import collections
import inspect
import os
from collections.abc import Mapping, Sequence
from typing import Any

from jax import export

from tapefacade._checkpoint.object_graph import Objects, identity
from tapefacade._checkpoint.saved_model.assets import Asset, AssetFiles
from tapefacade._checkpoint.saved_model.directory import TENSORFLOW_FILE
from tapefacade._checkpoint.saved_model.function_variants import FunctionVariant, specs_of
from tapefacade._checkpoint.saved_model.program_export import ExportedProgram
from tapefacade._checkpoint.saved_model.signatures import inputs_by_name, outputs_by_name
from tapefacade._checkpoint.tensorflow_files.model_messages import MODELS
from tapefacade._checkpoint.tensorflow_files.structures import shape_of, structured
from tapefacade._core import dtypes, nest
from tapefacade._core.logging import get_logger
from tapefacade._core.tensor import EagerTensor
from tapefacade._core.tensor_spec import TensorSpec
from tapefacade._core.versions import GRAPH_DEF_VERSION, VERSION
from tapefacade._function.function.concrete_function import ConcreteFunction
from tapefacade._function.function.function import Function
from tapefacade._io.spec_json import NotEncodedError
from tapefacade._io.tensor_protos import make_tensor_proto
from tapefacade._io.whole_files import write_bytes
from tapefacade._state.variable import Variable

Cases = Sequence[tuple[FunctionVariant, ExportedProgram]]
MESSAGE_OWN = "TensorFlow finds no %s in the saved model, which tapefacade loads: %s."
PREDICT = "tensorflow/serving/predict"
# TensorFlow's classes for the parts of objects.
IDENTIFIERS = {list: "trackable_list_wrapper", dict: "trackable_dict_wrapper"}
CALL, CALLS_MODULE = "StatefulPartitionedCall", "XlaCallModule"


class TensorFlowModel:
    """Collects the objects and functions of a saved model, and writes them as TensorFlow does.

    Args:
        found: the objects; each is the node of its place.
        graph: describes them in the checkpoint beside; further objects are added.
        files: those of the assets.
    """

    def __init__(self, found: Objects, graph: Any, files: AssetFiles) -> None:
        self._graph = graph
        self._nodes = [MODELS["SavedObject"]() for _ in found.objects]
        self._files = files
        self._message = MODELS["SavedModel"](saved_model_schema_version=1)
        self._meta = self._message.meta_graphs.add()
        self._names: dict[int, str] = {}  # of functions, by their programs
        self._captured: dict[str, list[int]] = {}
        self._constants: dict[int, int] = {}
        for node, value, links in zip(self._nodes, found.objects, found.links, strict=True):
            for name, place in links.items():
                node.children.add(node_id=place, local_name=name)
            if isinstance(value, Variable):
                _describe_variable(node.variable, value)
            elif isinstance(value, Asset):
                node.asset.asset_file_def_index = files.add(value)
            elif not isinstance(value, Function | ConcreteFunction):
                kind = next((k for k in IDENTIFIERS if isinstance(value, k)), None)
                kind = list if isinstance(value, tuple) else kind
                _describe_object(node, IDENTIFIERS.get(kind, "_generic_user_object"))

    # Functions.

    def add_function(
        self, name: str, made: Any, cases: Cases, places: Mapping[int, int], node: int | None,
        owner: int | None = None,
    ) -> None:  # fmt: skip
        """Adds a function.

        Args:
            name: its name.
            made: the function.
            cases: its signatures.
            places: the places of variables among the objects, by identity.
            node: its place among the objects; None for a method, which gets one.
            owner: of a method, the place of its object.
        """
        if node is None:
            node = self._added_node(owner, name)
        saved = self._nodes[node].function
        saved.SetInParent()
        try:
            _describe_parameters(saved.function_spec, made)
            saved.concrete_functions.extend(self._concrete(name, cases, places))
        except NotEncodedError as error:
            get_logger().info(MESSAGE_OWN, name, error)
            saved.function_spec.fullargspec.CopyFrom(structured(_full_spec([], None, None, (), [])))

    def _added_node(self, owner: int | None, name: str) -> int:
        """Adds an object, here and to the checkpoint; returns its place."""
        place = len(self._nodes)
        self._nodes.append(MODELS["SavedObject"]())
        self._graph.nodes.add().has_checkpoint_values.SetInParent()
        if owner is not None:
            for holder in (self._nodes[owner], self._graph.nodes[owner]):
                holder.children.add(node_id=place, local_name=name)
        return place

    def _concrete(self, name: str, cases: Cases, places: Mapping[int, int]) -> list[str]:
        """Adds a function for each signature; returns their names.

        Raises:
            NotEncodedError: if TensorFlow cannot have one of them.
        """
        if any(program.draws for _, program in cases):
            raise NotEncodedError("it draws random numbers")
        return [self._concrete_of(name, *case, places) for case in cases]

    def _concrete_of(
        self, name: str, case: FunctionVariant, program: ExportedProgram, places: Mapping[int, int]
    ) -> str:
        if id(program) not in self._names:
            given, returned = (
                structured((tuple(case.args), case.kwargs)),
                structured(case.outputs),
            )
            own = self._names[id(program)] = f"__inference_{name}_{len(self._names)}"
            captured = self._captured[own] = [
                *(places[identity(variable)] for variable in _held_variables(program)),
                *(self._constant(tensor) for tensor in program.constants),
            ]
            self._define(own, case, program)
            self._describe_concrete(own, captured, given, returned)
        return self._names[id(program)]

    def _describe_concrete(
        self, name: str, captured: Sequence[int], given: Any, returned: Any
    ) -> None:
        concrete = self._meta.object_graph_def.concrete_functions[name]
        concrete.bound_inputs.extend(captured)
        concrete.canonicalized_input_signature.CopyFrom(given)
        concrete.output_signature.CopyFrom(returned)

    def _constant(self, tensor: EagerTensor) -> int:
        """Adds a tensor from outside; returns its place."""
        if id(tensor) not in self._constants:
            name = f"constant_{len(self._constants)}"
            value = make_tensor_proto(tensor)
            _add_node(self._meta.graph_def.node, name, "Const", [], dtype=tensor.dtype, value=value)
            place = self._constants[id(tensor)] = self._added_node(None, name)
            self._nodes[place].constant.operation = name
        return self._constants[id(tensor)]

    def _define(self, name: str, case: FunctionVariant, program: ExportedProgram) -> None:
        """Defines what a function does: reads, the call of the program, assignments."""
        made = export.deserialize(bytearray(program.program))
        specs = specs_of(case)
        body = self._meta.graph_def.library.function.add()
        _declare(body, name, specs, program)
        nodes = body.node_def
        inputs = [f"input_{place}" for place in range(len(specs))]
        for place, variable in enumerate(program.variables):  # the first of those that are held
            read = f"read_{place}"
            _add_node(nodes, read, "ReadVariableOp", [f"variable_{place}"], dtype=variable.dtype)
            inputs.append(f"{read}:value:0")
        inputs += [f"constant_{place}" for place in range(len(program.constants))]
        types = [dtypes.from_numpy(aval.dtype) for aval in (*made.in_avals, *made.out_avals)]
        kept = made.module_kept_var_idx
        _add_node(
            nodes, "call", CALLS_MODULE, [inputs[place] for place in kept],
            Tin=[types[place] for place in kept], Tout=types[len(made.in_avals) :],
            Sout=[shape_of(aval.shape) for aval in made.out_avals],
            module=made.mlir_module_serialized, version=made.calling_convention_version,
            platforms=[platform.upper().encode() for platform in made.platforms],
        )  # fmt: skip
        count = len(made.out_avals) - len(program.assigned)
        variables = {id(v): place for place, v in enumerate(_held_variables(program))}
        assigned = []
        for number, variable in enumerate(program.assigned, start=count):
            held = f"variable_{variables[id(variable)]}"
            assigned.append(f"assign_{number}")
            _add_node(
                nodes, assigned[-1], "AssignVariableOp", [held, f"call:output:{number}"],
                dtype=variable.dtype,
            )  # fmt: skip
        controls = [f"^{each}" for each in assigned]
        for number, dtype in enumerate(types[len(made.in_avals) :][:count]):
            of = f"call:output:{number}"
            _add_result(body, number, dtype, of, controls)
        for each in assigned:
            body.control_ret[each] = each
            body.signature.control_output.append(each)

    # Signatures, and the graph that is served.

    def add_signatures(self, signatures: Mapping[str, Cases], places: Mapping[int, int]) -> None:
        """Adds signatures.

        Args:
            signatures: the signatures of their functions, by name.
            places: the places of variables among the objects, by identity.
        """
        holder = self._added_node(0, "signatures")
        _describe_object(self._nodes[holder], "signature_map")
        for name, cases in signatures.items():
            try:
                own = self._concrete(name, cases, places)[0]
            except NotEncodedError as error:
                get_logger().info(MESSAGE_OWN, name, error)
            else:
                self._add_signature(holder, name, own, *cases[0])

    def _add_signature(
        self, holder: int, name: str, own: str, case: FunctionVariant, program: ExportedProgram
    ) -> None:
        captured = self._captured[own]
        given = inputs_by_name(case.args, case.kwargs)
        returned = outputs_by_name(case.outputs) or {}
        wrapper = f"__inference_signature_wrapper_{name}"
        order = sorted(given)
        body = self._meta.graph_def.library.function.add()
        _declare(body, wrapper, [given[key] for key in order], program)
        sources = [f"input_{order.index(key)}" for key in given]
        sources += [f"variable_{n}" for n in range(len(_held_variables(program)))]
        sources += [f"constant_{n}" for n in range(len(program.constants))]
        flat = [leaf for leaf in nest.flatten(case.outputs) if isinstance(leaf, TensorSpec)]
        names = sorted(returned)
        types = {
            "Tin": [spec.dtype for spec in given.values()]
            + [dtypes.resource] * len(_held_variables(program))
            + [tensor.dtype for tensor in program.constants],
            "Tout": [spec.dtype for spec in flat],
        }
        called = MODELS["NameAttrList"](name=own)
        _add_node(body.node_def, "call", CALL, sources, f=called, **types)
        for number, key in enumerate(names):
            source = f"call:output:{list(returned).index(key)}"
            _add_result(body, number, returned[key].dtype, source, ["^call"])
        given_and_returned = structured(((), given)), structured(returned)
        self._describe_concrete(wrapper, captured, *given_and_returned)
        bare = self._nodes[self._added_node(holder, name)].bare_concrete_function
        bare.concrete_function_name = wrapper
        bare.argument_keywords.extend(order)
        bare.allowed_positional_arguments = int(len(order) == 1)
        ordered = ({key: given[key] for key in order}, {key: returned[key] for key in names})
        self._serve(name, wrapper, *ordered, captured, types["Tin"][len(given) :])

    def _serve(
        self, name: str, wrapper: str, given: Mapping[str, TensorSpec],
        returned: Mapping[str, TensorSpec], captured: Sequence[int],
        kinds: Sequence[dtypes.DType],
    ) -> None:  # fmt: skip
        """Adds the nodes that are fed and fetched where the graph is run, as servers do."""
        nodes, signature = self._meta.graph_def.node, self._meta.signature_def[name]
        signature.method_name = PREDICT
        fed = []
        for key, spec in given.items():
            fed.append(f"{name}_{key}")
            _add_node(
                nodes, fed[-1], "Placeholder", [], dtype=spec.dtype, shape=shape_of(spec.shape)
            )
            _describe_tensor(signature.inputs[key], f"{fed[-1]}:0", spec)
        held = [self._name_in_graph(place) for place in captured]
        called = MODELS["NameAttrList"](name=wrapper)
        _add_node(
            nodes, f"{name}_call", CALL, [*fed, *held], f=called,
            Tin=[*(spec.dtype for spec in given.values()), *kinds],
            Tout=[spec.dtype for spec in returned.values()],
        )  # fmt: skip
        for number, (key, spec) in enumerate(returned.items()):
            _describe_tensor(signature.outputs[key], f"{name}_call:{number}", spec)

    def _name_in_graph(self, place: int) -> str:
        node = self._nodes[place]
        return node.constant.operation or f"variable_{place}"

    def _add_variables(self) -> None:
        """Adds the nodes of variables, and those that restore them."""
        nodes = self._meta.graph_def.node
        keys, held, kinds = [], [], []
        for place, described in enumerate(self._graph.nodes):
            variable = self._nodes[place].variable
            if not self._nodes[place].HasField("variable"):
                continue
            name, dtype = f"variable_{place}", dtypes.as_dtype(variable.dtype)
            _add_node(nodes, name, "VarHandleOp", [], dtype=dtype, shape=variable.shape,
                      shared_name=name.encode())  # fmt: skip
            keys += [value.checkpoint_key for value in described.attributes]
            held += [name] * len(described.attributes)
            kinds += [dtype] * len(described.attributes)
        _add_node(nodes, "file", "Placeholder", [], dtype=dtypes.string, shape=shape_of(()))
        for name, texts in (("keys", keys), ("slices", [""] * len(keys))):
            value = make_tensor_proto(texts, dtypes.string, [len(keys)])
            _add_node(nodes, name, "Const", [], dtype=dtypes.string, value=value)
        if keys:
            _add_node(nodes, "restore", "RestoreV2", ["file", "keys", "slices"], dtypes=kinds)
        for number, (name, dtype) in enumerate(zip(held, kinds, strict=True)):
            _add_node(nodes, f"restore_{number}", "AssignVariableOp", [name, f"restore:{number}"],
                      dtype=dtype)  # fmt: skip
        restored = [f"^restore_{number}" for number in range(len(keys))]
        _add_node(nodes, "restore_all", "NoOp", restored)
        self._meta.saver_def.CopyFrom(
            MODELS["SaverDef"](
                filename_tensor_name="file:0", save_tensor_name="file:0",
                restore_op_name="restore_all", version=2,
            )
        )  # fmt: skip

    def write(self, path: str) -> None:
        """Writes the file.

        Args:
            path: the directory.
        """
        self._add_variables()
        for name in self._files.names:
            file = self._meta.asset_file_def.add(filename=name)
            _describe_tensor(file.tensor_info, f"{name}:0", TensorSpec([], dtypes.string))
        self._meta.object_graph_def.nodes.extend(self._nodes)
        information = self._meta.meta_info_def
        information.tags.append("serve")
        information.tensorflow_version = VERSION
        self._meta.graph_def.versions.producer = GRAPH_DEF_VERSION
        content = self._message.SerializeToString(deterministic=True)
        write_bytes(os.path.join(path, TENSORFLOW_FILE), content)


# Nodes and functions.


def _add_node(nodes: Any, name: str, op: str, inputs: Sequence[str], **attributes: Any) -> None:
    node = nodes.add(name=name, op=op, input=inputs)
    for key, value in attributes.items():
        _set_attribute(node.attr[key], value)


def _set_attribute(attribute: Any, value: Any) -> None:
    """Gives a static parameter its value, in the field of its kind."""
    if isinstance(value, list):
        attribute.list.SetInParent()
        for item in value:
            if isinstance(item, dtypes.DType):
                attribute.list.type.append(item.as_datatype_enum)
            elif isinstance(item, bytes):
                attribute.list.s.append(item)
            else:
                attribute.list.shape.append(item)
    elif isinstance(value, dtypes.DType):
        attribute.type = value.as_datatype_enum
    elif isinstance(value, bytes):
        attribute.s = value
    elif isinstance(value, int):
        attribute.i = value
    else:
        kinds = {"TensorShapeProto": "shape", "TensorProto": "tensor", "NameAttrList": "func"}
        getattr(attribute, kinds[type(value).DESCRIPTOR.name]).CopyFrom(value)


def _held_variables(program: ExportedProgram) -> list[Variable]:
    """Returns the variables that a function reads, then those that it only assigns."""
    return list({id(v): v for v in (*program.variables, *program.assigned)}.values())


def _declare(body: Any, name: str, specs: Sequence[TensorSpec], program: ExportedProgram) -> None:
    """Gives a function its name and arguments: tensors, then what it captures."""
    body.signature.name = name
    body.signature.is_stateful = True
    shapes = [shape_of(spec.shape) for spec in specs]
    for place, spec in enumerate(specs):
        body.signature.input_arg.add(name=f"input_{place}", type=spec.dtype.as_datatype_enum)
    for place, variable in enumerate(_held_variables(program)):
        resource = dtypes.resource.as_datatype_enum
        argument = body.signature.input_arg.add(name=f"variable_{place}", type=resource)
        argument.handle_data.add(
            dtype=variable.dtype.as_datatype_enum, shape=shape_of(variable.shape)
        )
        shapes.append(shape_of(()))
    for place, tensor in enumerate(program.constants):
        kind = tensor.dtype.as_datatype_enum
        body.signature.input_arg.add(name=f"constant_{place}", type=kind)
        shapes.append(shape_of(tensor.shape))
    _set_attribute(body.attr["_input_shapes"], shapes)


def _add_result(
    body: Any, number: int, dtype: dtypes.DType, source: str, controls: Sequence[str]
) -> None:
    name = f"result_{number}"
    _add_node(body.node_def, name, "Identity", [source, *controls], T=dtype)
    body.signature.output_arg.add(name=f"output_{number}", type=dtype.as_datatype_enum)
    body.ret[f"output_{number}"] = f"{name}:output:0"


# Objects.


def _describe_object(node: Any, identifier: str) -> None:
    node.user_object.identifier = identifier
    node.user_object.version.producer = node.user_object.version.min_consumer = 1


def _describe_variable(described: Any, variable: Variable) -> None:
    described.dtype = variable.dtype.as_datatype_enum
    described.shape.CopyFrom(shape_of(variable.shape))
    described.trainable = bool(variable.trainable)
    described.name = variable.name.removesuffix(":0")


def _describe_tensor(described: Any, name: str, spec: TensorSpec) -> None:
    described.name, described.dtype = name, spec.dtype.as_datatype_enum
    described.tensor_shape.CopyFrom(shape_of(spec.shape))


def _describe_parameters(described: Any, made: Any) -> None:
    """Describes the parameters of a function as `inspect.getfullargspec` does."""
    if isinstance(made, ConcreteFunction):
        count = len(made._arguments[0])
        full = _full_spec(made._names[:count], None, None, (), made._names[count:])
        specs = None
    else:
        full, specs = _spec_of_parameters(made._parameters.signature), made.input_signature
    described.fullargspec.CopyFrom(structured(full))
    described.input_signature.CopyFrom(structured(None if specs is None else tuple(specs)))


def _spec_of_parameters(signature: inspect.Signature | None) -> Any:
    named: dict[Any, list[inspect.Parameter]] = collections.defaultdict(list)
    for parameter in (signature or inspect.Signature()).parameters.values():
        named[parameter.kind].append(parameter)
    by_place = named[inspect.Parameter.POSITIONAL_ONLY]
    by_place = [*by_place, *named[inspect.Parameter.POSITIONAL_OR_KEYWORD]]
    by_name = named[inspect.Parameter.KEYWORD_ONLY]
    varargs, varkw = (
        next((parameter.name for parameter in named[kind]), None)
        for kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    )
    defaults = tuple(p.default for p in by_place if p.default is not p.empty)
    named_defaults = {p.name: p.default for p in by_name if p.default is not p.empty}
    names = [p.name for p in by_place]
    return _full_spec(names, varargs, varkw, defaults, [p.name for p in by_name], named_defaults)


def _full_spec(
    args: Sequence[str], varargs: str | None, varkw: str | None, defaults: tuple[Any, ...],
    kwonlyargs: Sequence[str], kwonlydefaults: Mapping[str, Any] = {},
) -> inspect.FullArgSpec:  # fmt: skip
    return inspect.FullArgSpec(
        list(args), varargs, varkw, defaults or None, list(kwonlyargs),
        dict(kwonlydefaults) or None, {},
    )  # fmt: skip
