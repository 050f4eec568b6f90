"""`tf.saved_model.save`: variables and programs in a directory, loaded without the Python code."""

import inspect
import os
import zlib
from typing import Any

from tapefacade._checkpoint.array_files import Array, write_arrays
from tapefacade._checkpoint.checkpoint_files import (
    INDEX,
    VERSION,
    checked_json,
    data_files,
    write_checkpoint,
)
from tapefacade._checkpoint.divided_values import DividedValue
from tapefacade._checkpoint.object_graph import (
    Objects,
    description_and_values,
    find_objects,
    identity,
)
from tapefacade._checkpoint.saved_model import directory
from tapefacade._checkpoint.saved_model.assets import Asset, AssetFiles
from tapefacade._checkpoint.saved_model.function_variants import (
    FunctionVariant,
    export_variants,
    variants_of,
)
from tapefacade._checkpoint.saved_model.program_export import ExportedProgram
from tapefacade._checkpoint.saved_model.signatures import default_signature, named_signatures
from tapefacade._checkpoint.saved_model.tensorflow_model import Cases, TensorFlowModel
from tapefacade._checkpoint.saved_model.variable_policy import VariablePolicy
from tapefacade._checkpoint.tensorflow_files.bundle_writer import DATA, write_bundle
from tapefacade._checkpoint.tracking import tracking_rule
from tapefacade._definition.op import function
from tapefacade._function.function.concrete_function import ConcreteFunction
from tapefacade._function.function.function import Function
from tapefacade._io.file_errors import as_path
from tapefacade._io.spec_json import NotEncodedError, encoded
from tapefacade._io.storage import storage_of
from tapefacade._io.whole_files import unused_name, write_bytes
from tapefacade._state.variable import Variable

MESSAGE_UNREACHABLE = (
    "Failed to add concrete function '{}' to object-based SavedModel as it captures {} which is "
    "unsupported or not reachable from root. One reason could be that a stateful object or a "
    "variable that the function depends on is not assigned to an attribute of the serialized "
    "trackable object."
)


@function("saved_model.SaveOptions")
class SaveOptions:
    """How a model is saved; accepted for TensorFlow's sake, without effect.

    Args:
        **options: TensorFlow's options.

    >>> options = tf.saved_model.SaveOptions()
    """

    NAMES = (
        "namespace_whitelist", "save_debug_info", "function_aliases",
        "experimental_debug_stripper", "experimental_io_device", "experimental_variable_policy",
        "experimental_custom_gradients", "experimental_image_format", "experimental_skip_saver",
        "experimental_sharding_callback", "extra_tags",
    )  # fmt: skip

    def __init__(self, **options: Any) -> None:
        set_options(self, self.NAMES, options)
        policy = VariablePolicy.from_obj(options.get("experimental_variable_policy"))
        self.experimental_variable_policy = policy


def set_options(holder: Any, names: tuple[str, ...], options: dict[str, Any]) -> None:
    """Sets the options of a holder, those that were not given to None."""
    unknown = sorted(set(options) - set(names))
    if unknown:
        raise TypeError(f"There are no options {', '.join(unknown)}.")
    for name in names:
        setattr(holder, name, options.get(name))


@function("saved_model.save")
def save(
    obj: Any, export_dir: Any, signatures: Any = None, options: SaveOptions | None = None
) -> None:
    """Saves the variables and functions of an object, so that they load without its Python code.

    The directory holds a checkpoint, a StableHLO program for each signature of each `tf.function`,
    made by `jax.export`, and an index in JSON. A signature with unknown sizes is saved for all
    sizes if its program is the same for all of them; otherwise for the shapes that the function
    was called with. Programs run on CPU, GPU and TPU, and can be differentiated twice.

    TensorFlow loads it as well, and serves it: in `saved_model.pb` the programs are nodes of the
    kind `XlaCallModule`. There they have no gradients and check no values; of functions that draw
    random numbers, take extension types, or have variables divided among devices, tapefacade alone
    can load the model.

    Unlike TensorFlow, a function whose Python has to run at every call is an error.

    Args:
        obj: a `tf.Module`, a `tf.train.Checkpoint`, or another object with variables.
        export_dir: the directory.
        signatures: a function with an `input_signature` or a concrete function, or a dictionary of
            them by names. They take tensors by name, and return a dictionary of tensors.
        options: a `tf.saved_model.SaveOptions`.

    Raises:
        ValueError: if `obj` has no variables, or a function cannot be saved.
        KeyError: if a function uses a variable that is no part of `obj`.

    >>> import tempfile
    >>> directory = tempfile.mkdtemp()
    >>> module = tf.Module()
    >>> module.w = tf.Variable(2.0)
    >>> module.scale = tf.function(
    ...     lambda x: module.w * x, input_signature=[tf.TensorSpec([None], tf.float32)])
    >>> tf.saved_model.save(module, f"{directory}/scaling")
    >>> loaded = tf.saved_model.load(f"{directory}/scaling")
    >>> loaded.scale(tf.constant([1.0, 2.0])).numpy()
    array([2., 4.], dtype=float32)

    See https://www.tensorflow.org/api_docs/python/tf/saved_model/save.
    """
    kind = tracking_rule(obj)
    if kind is None or kind.is_container:
        raise ValueError(
            "Expected an object of type `Trackable`, such as `tf.Module` or a subclass of the "
            f"`Trackable` class, for export. Got {obj} with type {type(obj)}."
        )
    path = as_path(export_dir)
    found = find_objects(obj, _methods(obj))
    own = functions_of(obj)
    if signatures is None:  # a model of Keras's says how it is called
        signatures = getattr(obj, "_default_save_signature", None)
    wanted = default_signature(own) if signatures is None else named_signatures(signatures)
    graph, arrays = description_and_values(found)
    writer = _SavedModelWriter(path, found, graph)
    nodes = [writer.node(place) for place in range(len(found.objects))]
    called = {name: writer.function(name, made) for name, made in wanted.items()}
    writer.tell_signatures(wanted)
    before = _files_before(path)
    variables = os.path.join(path, directory.VARIABLES)
    directory.keep_variables(path)
    if any(isinstance(value, DividedValue) for value in arrays.values()):
        write_checkpoint(variables, graph, arrays)  # each process its parts
        before += [directory.TENSORFLOW_FILE, directory.VARIABLES + DATA]
    else:
        write_bundle(variables, graph, arrays)
        writer.for_tensorflow.write(path)
    files = writer.write()
    with storage_of(path).open(variables + INDEX, "rb") as file:
        check = zlib.crc32(file.read())
    content = {
        "format": directory.FORMAT, "version": VERSION, "objects": nodes, "signatures": called,
        "variables": check, **files,
    }  # fmt: skip
    write_bytes(os.path.join(path, directory.INDEX), checked_json(content))
    for name in (*before, *directory.kept_files(path)):
        _remove(os.path.join(path, name))


def _files_before(path: str) -> list[str]:
    """Lists the files of a model that is going to be replaced, but those with fixed names."""
    files = storage_of(path)
    found = [
        os.path.relpath(name, path)
        for name in data_files(os.path.join(path, directory.VARIABLES)) or ()
    ]
    for folder, end in ((directory.PROGRAMS, ".stablehlo"), ("constants", ".safetensors")):
        inner = os.path.join(path, folder)
        if files.isdir(inner) and directory.is_own(path):
            found += [os.path.join(folder, n) for n in files.listdir(inner) if n.endswith(end)]
    return found


def _remove(path: str) -> None:
    if storage_of(path).exists(path):
        storage_of(path).remove(path)


def functions_of(value: Any) -> dict[str, Any]:
    """Returns the functions that are attributes or methods of an object, by name."""
    attributes = getattr(value, "__dict__", {})
    found = {
        name: part
        for name, part in attributes.items()
        if isinstance(part, Function | ConcreteFunction)
    }
    return {**found, **_methods(value)}


def _methods(value: Any) -> dict[str, Function]:
    """Returns the functions that are methods of an object, by name."""
    found: dict[str, Function] = {}
    for class_ in type(value).__mro__:
        for name, part in vars(class_).items():
            if isinstance(part, Function) and name not in found:
                found[name] = getattr(value, name)
    return found


class _SavedModelWriter:
    """Describes the objects of a model, and collects its programs and constants.

    Args:
        path: the directory.
        found: the objects.
        graph: describes them in the checkpoint.
    """

    def __init__(self, path: str, found: Objects, graph: Any) -> None:
        self._files = AssetFiles(path)
        self.for_tensorflow = TensorFlowModel(found, graph, self._files)
        self._path = path
        self._found = found
        self._places = {identity(value): place for place, value in enumerate(found.objects)}
        self._run = unused_name()
        self._programs: dict[bytes, int] = {}
        self._constants: dict[str, Array] = {}
        self._known: dict[int, str] = {}
        self._done: dict[int, dict[str, Any]] = {}
        self._kept: list[Any] = []
        self._cases_of: dict[int, Cases] = {}
        self._exported: dict[int, ExportedProgram] = {}

    def node(self, place: int) -> dict[str, Any]:
        """Describes an object."""
        value = self._found.objects[place]
        links = dict(self._found.links[place])
        if isinstance(value, Variable):
            shape = value.shape.as_list() if value.shape.rank is not None else None
            return {
                "kind": "variable", "name": value.name.removesuffix(":0"),
                "trainable": bool(value.trainable), "shape": shape, "dtype": value.dtype.name,
                "synchronization": value.synchronization.name,
                "aggregation": value.aggregation.name,
            }  # fmt: skip
        if isinstance(value, Function | ConcreteFunction):
            name = self._found.paths[place][-1] if self._found.paths[place] else "function"
            described = self.function(name, value)
            self._tell_tensorflow(name, value, place)
            return {"kind": "function", **described}
        if isinstance(value, Asset):
            return {"kind": "asset", "file": self._files.names[self._files.add(value)]}
        kind = "object"
        if isinstance(value, list | tuple):
            kind = "list"
        elif isinstance(value, dict):
            kind = "dict"
        return {"kind": kind, "children": links, "functions": self._own_methods(place)}

    def _own_methods(self, place: int) -> dict[str, Any]:
        """Describes the methods of an object; those of the root are among its children."""
        if place == 0:
            return {}
        methods = _methods(self._found.objects[place])
        described = {name: self.function(name, made) for name, made in methods.items()}
        for name, made in methods.items():
            self._tell_tensorflow(name, made, None, place)
        return described

    def _tell_tensorflow(
        self, name: str, made: Any, node: int | None = None, owner: int | None = None
    ) -> None:
        cases = self._cases_of[id(made)]
        self.for_tensorflow.add_function(name, made, cases, self._places, node, owner)

    def tell_signatures(self, wanted: dict[str, ConcreteFunction]) -> None:
        """Describes signatures, which `function` has described, to TensorFlow."""
        cases = {name: self._cases_of[id(made)] for name, made in wanted.items()}
        self.for_tensorflow.add_signatures(cases, self._places)

    def function(self, name: str, made: Any) -> dict[str, Any]:
        """Describes a function."""
        known = self._done.get(id(made))
        if known is None:
            described = _parameters(made)
            cases = export_variants(name, variants_of(made), self._exported)
            self._cases_of[id(made)] = cases
            described["cases"] = [self._case(name, *pair) for pair in cases]
            known = self._done[id(made)] = {"name": name, **described}
            self._kept.append(made)  # so that its place is nobody else's meanwhile
        return known

    def _case(self, name: str, case: FunctionVariant, made: ExportedProgram) -> dict[str, Any]:
        return {
            "arguments": encoded((case.args, case.kwargs)),
            "outputs": encoded(case.outputs),
            "program": self._program(made.program),
            "checks": None if made.checks is None else self._program(made.checks),
            "failures": made.failures,
            "variables": [self._place(name, variable) for variable in made.variables],
            "draws": made.draws,
            "constants": [self._constant(tensor) for tensor in made.constants],
            "assigned": [self._place(name, variable) for variable in made.assigned],
        }

    def _program(self, program: bytes) -> list[Any]:
        number = self._programs.setdefault(program, len(self._programs))
        name = os.path.join(directory.PROGRAMS, f"{self._run}-{number}.stablehlo")
        return [name, len(program), zlib.crc32(program)]

    def _place(self, name: str, variable: Variable) -> int:
        place = self._places.get(identity(variable))
        if place is None:
            raise KeyError(MESSAGE_UNREACHABLE.format(name, repr(variable)))
        return place

    def _constant(self, tensor: Any) -> str:
        key = self._known.get(id(tensor))
        if key is None:
            key = self._known[id(tensor)] = f"constant_{len(self._known)}"
            self._constants[key] = tensor._numpy_array()
        return key

    def write(self) -> dict[str, Any]:
        """Writes programs, constants and assets; returns what the index says of them."""
        self._files.write()
        storage_of(self._path).makedirs(os.path.join(self._path, directory.PROGRAMS))
        for program, number in self._programs.items():
            name = f"{self._run}-{number}.stablehlo"
            write_bytes(os.path.join(self._path, directory.PROGRAMS, name), program)
        if not self._constants:
            return {"constants": None, "constant_entries": {}}
        storage_of(self._path).makedirs(os.path.join(self._path, "constants"))
        name = os.path.join("constants", f"{self._run}.safetensors")
        entries = write_arrays(os.path.join(self._path, name), self._constants)
        return {"constants": name, "constant_entries": entries}


def _parameters(made: Any) -> dict[str, Any]:
    """Describes the parameters of a function."""
    if isinstance(made, ConcreteFunction):
        names = [*made._names]
        count = len(made._arguments[0])
        parameters = [[name, int(place >= count) * 2 + 1, None] for place, name in enumerate(names)]
        return {"parameters": parameters, "signature": None}
    found = made._parameters.signature or inspect.Signature()
    parameters = []
    for parameter in found.parameters.values():
        default = None
        if parameter.default is not parameter.empty:
            try:
                default = [encoded(parameter.default)]
            except NotEncodedError:
                default = None
        parameters.append([parameter.name, int(parameter.kind), default])
    specs = made.input_signature
    return {"parameters": parameters, "signature": None if specs is None else encoded(tuple(specs))}
