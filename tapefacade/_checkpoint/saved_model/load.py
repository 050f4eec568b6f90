"""`tf.saved_model.load`: objects with the variables and functions of a model that was saved."""

import inspect
import os
import zlib
from typing import Any

from tapefacade._checkpoint.array_files import Arrays
from tapefacade._checkpoint.checkpoint_files import INDEX
from tapefacade._checkpoint.errors import damaged_file
from tapefacade._checkpoint.reader import Reader, open_checkpoint
from tapefacade._checkpoint.saved_model import directory
from tapefacade._checkpoint.saved_model.assets import Asset
from tapefacade._checkpoint.saved_model.exported_calls import ExportedCall, SavedVariant
from tapefacade._checkpoint.saved_model.save import set_options
from tapefacade._checkpoint.saved_model.signatures import (
    SignatureMap,
    inputs_by_name,
    outputs_by_name,
)
from tapefacade._checkpoint.tracking import to_tensor
from tapefacade._core.missing_members import lacks
from tapefacade._core.tensor import hinted
from tapefacade._core.tensor_shape import TensorShape
from tapefacade._core.tensor_spec import TensorSpec
from tapefacade._definition.op import function
from tapefacade._function.function.concrete_function import ConcreteFunction
from tapefacade._function.function.function import Function
from tapefacade._io.file_errors import as_path
from tapefacade._io.spec_json import decoded
from tapefacade._io.storage import storage_of
from tapefacade._state.module import Module
from tapefacade._state.variable import Variable
from tapefacade._state.variable_aggregation import VariableAggregation, VariableSynchronization

HINT_TENSORFLOW_MODEL = (
    "Its variables can be read: tf.train.Checkpoint(...).restore({0!r}) gives them to objects with "
    "the same attributes, tf.train.load_checkpoint({1!r}) reads them by name."
)


PARAMETER_KINDS = (
    inspect.Parameter.POSITIONAL_ONLY,
    inspect.Parameter.POSITIONAL_OR_KEYWORD,
    inspect.Parameter.VAR_POSITIONAL,
    inspect.Parameter.KEYWORD_ONLY,
    inspect.Parameter.VAR_KEYWORD,
)


@function("saved_model.LoadOptions")
class LoadOptions:
    """How a model is loaded; accepted for TensorFlow's sake, without effect.

    Args:
        **options: TensorFlow's options.

    >>> options = tf.saved_model.LoadOptions()
    """

    NAMES = (
        "allow_partial_checkpoint", "experimental_io_device", "experimental_skip_checkpoint",
        "experimental_variable_policy", "experimental_load_function_aliases",
    )  # fmt: skip

    def __init__(self, **options: Any) -> None:
        set_options(self, self.NAMES, options)


def _saved_or_found(name: str) -> Any:
    """Returns the property of a module, for which an attribute may have been saved."""
    found = getattr(Module, name)
    return property(lambda self: vars(self).get(name) or found.fget(self), doc=found.__doc__)


@lacks(
    {
        "graph_debug_info tensorflow_git_version tensorflow_version": (
            "Leave it out: what was saved is not tied to a version of TensorFlow."
        )
    }
)
class LoadedObject(Module):
    """An object of a model that was loaded: its attributes are variables, functions and objects."""

    variables: Any = _saved_or_found("variables")
    trainable_variables: Any = _saved_or_found("trainable_variables")
    non_trainable_variables: Any = _saved_or_found("non_trainable_variables")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the function that was saved as `__call__`."""
        call = vars(self).get("__call__")
        if call is None:
            raise TypeError(f"{type(self).__name__!r} object is not callable")
        return call(*args, **kwargs)


class LoadedFunction(Function):
    """A function of a model that was loaded.

    Attributes:
        arguments: those of each signature that it was saved for, by position and by name.
    """

    arguments: list[tuple[tuple[Any, ...], dict[str, Any]]]
    _warns = False  # each recording is a call of a program

    @property
    def concrete_functions(self) -> list[ConcreteFunction]:
        """The function for each signature that it was saved for."""
        if self.input_signature is not None:
            return [self.get_concrete_function()]
        return [self.get_concrete_function(*args, **kwargs) for args, kwargs in self.arguments]

    _list_all_concrete_functions = concrete_functions.fget  # type: ignore[assignment]


class LoadedSignature(ConcreteFunction):
    """A signature of a model that was loaded.

    Attributes:
        held: the variables that it reads or assigns.
    """

    held: list[Variable]

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables that the function reads or assigns."""
        return tuple({id(variable): variable for variable in self.held}.values())


@function("saved_model.load")
def load(export_dir: Any, tags: Any = None, options: LoadOptions | None = None) -> Any:
    """Loads what `tf.saved_model.save` has saved.

    Args:
        export_dir: the directory.
        tags: accepted for TensorFlow's sake.
        options: accepted for TensorFlow's sake.

    Returns:
        An object with the variables and functions as attributes. `signatures` holds the functions
        that were saved as such, by name. All of them can be differentiated.

    Raises:
        OSError: if there is no saved model.
        ValueError: if it is one of TensorFlow's, whose graph cannot be run here.
        DataLossError: if a file is damaged.

    >>> import tempfile
    >>> directory = tempfile.mkdtemp()
    >>> module = tf.Module()
    >>> module.v = tf.Variable(3.0)
    >>> tf.saved_model.save(module, f"{directory}/loaded")
    >>> tf.saved_model.load(f"{directory}/loaded").v.numpy()
    np.float32(3.0)

    See https://www.tensorflow.org/api_docs/python/tf/saved_model/load.
    """
    path = as_path(export_dir)
    if not directory.is_own(path):
        raise _no_model(path)
    return _SavedModelLoader(path, directory.read_index(path)).root()


def _no_model(path: str) -> Exception:
    if storage_of(path).isdir(os.path.join(path, directory.PROGRAMS)):
        return damaged_file(os.path.join(path, directory.INDEX), "the index is missing")
    if directory.is_of_tensorflow(path):
        variables = os.path.join(path, directory.VARIABLES)
        return hinted(
            ValueError(f"{path} holds a SavedModel of TensorFlow's, whose graph cannot be run."),
            HINT_TENSORFLOW_MODEL.format(path, variables),
        )
    return OSError(
        f"SavedModel file does not exist at: {path}/{{saved_model.pbtxt|saved_model.pb}}"
    )


@function("saved_model.contains_saved_model")
def contains_saved_model(export_dir: Any) -> bool:
    """Returns whether a directory holds a saved model, ours or TensorFlow's.

    >>> tf.saved_model.contains_saved_model("/tmp/there_is_no_such_directory")
    False
    """
    path = as_path(export_dir)
    return directory.is_own(path) or directory.is_of_tensorflow(path)


class _SavedModelLoader:
    """Makes the objects of a model.

    Args:
        path: the directory.
        content: the index.
    """

    def __init__(self, path: str, content: dict[str, Any]) -> None:
        self._path = path
        self._content = content
        self._nodes: list[dict[str, Any]] = content["objects"]
        self._reader = self._variables()
        name = content["constants"]
        entries = content["constant_entries"]
        self._constants = Arrays(os.path.join(path, name), entries) if name else None
        self._tensors: dict[str, Any] = {}
        self._objects: dict[int, Any] = {}

    def _variables(self) -> Reader:
        prefix = directory.variables_of(self._path, self._content)
        reader = open_checkpoint(prefix)
        with storage_of(prefix).open(prefix + INDEX, "rb") as file:
            if zlib.crc32(file.read()) != self._content["variables"]:
                raise damaged_file(
                    prefix + INDEX, "the variables are not those that the model was saved with"
                )
        return reader

    def root(self) -> Any:
        """Makes all objects and returns the root."""
        for place, key in self._variable_keys().items():
            self._objects[place] = self._variable(self._nodes[place], key)
        for place, node in enumerate(self._nodes):
            if node["kind"] == "function":
                self._objects[place] = self._function(node)
        for place, node in enumerate(self._nodes):
            if node["kind"] == "object":
                self._objects[place] = LoadedObject(name="loaded_object")
            elif node["kind"] == "asset":
                file = os.path.join(self._path, directory.ASSETS, node["file"])
                self._objects[place] = Asset(file)
        root = self._object(0, set())
        for place in range(len(self._nodes)):
            self._object(place, set())
        signatures = {
            name: self._signature(name, node) for name, node in self._content["signatures"].items()
        }
        if isinstance(root, LoadedObject):
            object.__setattr__(root, "signatures", SignatureMap(signatures))
        return root

    def _variable_keys(self) -> dict[int, str]:
        """Returns the keys of the variables by their places in the model."""
        graph = self._reader.graph
        assert graph is not None
        found: dict[int, str] = {}
        nodes = list(graph.nodes)
        waiting = [(0, 0)]
        seen = set()
        while waiting:
            own, saved = waiting.pop()
            if own in seen:
                continue
            seen.add(own)
            for value in nodes[saved].attributes:
                found[own] = value.checkpoint_key
            links = self._nodes[own].get("children", {})
            waiting += [
                (links[child.local_name], child.node_id)
                for child in nodes[saved].children
                if child.local_name in links
            ]
        return {place: k for place, k in found.items() if self._nodes[place]["kind"] == "variable"}

    def _variable(self, node: dict[str, Any], key: str) -> Variable:
        value = to_tensor(self._reader.get(key))
        variable = Variable(
            value, trainable=node["trainable"], name=node["name"],
            shape=TensorShape(node["shape"]),
            synchronization=VariableSynchronization[node.get("synchronization", "AUTO")],
            aggregation=VariableAggregation[node.get("aggregation", "NONE")],
        )  # fmt: skip
        if variable.synchronization is VariableSynchronization.ON_READ:
            variable.assign(value)  # of all replicas together: a first value is that of each
        return variable

    def _object(self, place: int, within: set[int]) -> Any:
        """Makes an object with its parts."""
        node = self._nodes[place]
        made = self._objects.get(place)
        if node["kind"] == "object":
            self._fill(made, node)
        elif made is None and place not in within:
            parts = {
                name: self._object(child, {*within, place})
                for name, child in node["children"].items()
            }
            digits = [name for name in parts if name.isdigit()]
            made = parts if node["kind"] == "dict" else [parts[n] for n in sorted(digits, key=int)]
            self._objects[place] = made
        return made

    def _fill(self, made: Any, node: dict[str, Any]) -> None:
        if node.get("filled"):
            return
        node["filled"] = True
        for name, child in node["children"].items():
            vars(made)[name] = self._object(child, set())
        for name, described in node["functions"].items():
            vars(made)[name] = self._function(described)

    # Functions.

    def _cases(self, node: dict[str, Any]) -> list[SavedVariant]:
        return [self._case(case) for case in node["cases"]]

    def _case(self, case: dict[str, Any]) -> SavedVariant:
        call = ExportedCall(
            self._file(case["program"]),
            None if case["checks"] is None else self._file(case["checks"]),
            case["failures"],
        )
        args, kwargs = decoded(case["arguments"])
        return SavedVariant(
            args, kwargs, decoded(case["outputs"]), call,
            [self._objects[place] for place in case["variables"]],
            case["draws"],
            [self._constant(key) for key in case["constants"]],
            [self._objects[place] for place in case["assigned"]],
        )  # fmt: skip

    def _file(self, described: list[Any]) -> bytes:
        name, size, check = described
        path = os.path.join(self._path, name)
        try:
            with storage_of(path).open(path, "rb") as file:
                data = file.read()
        except FileNotFoundError:
            raise damaged_file(path, "a program of the saved model is missing") from None
        if len(data) != size or zlib.crc32(data) != check:
            raise damaged_file(path, "the program is not what was written")
        return data

    def _constant(self, key: str) -> Any:
        if key not in self._tensors:
            assert self._constants is not None
            self._tensors[key] = to_tensor(self._constants.get(key))
        return self._tensors[key]

    def _function(self, node: dict[str, Any]) -> Any:
        cases = self._cases(node)
        python = _python_function(node, cases)
        signature = None if node["signature"] is None else decoded(node["signature"])
        made = LoadedFunction(python, node["name"], signature)
        made.arguments = [(case.args, case.kwargs) for case in cases]
        return made

    def _signature(self, name: str, node: dict[str, Any]) -> ConcreteFunction:
        cases = self._cases(node)
        case = cases[0]
        inputs = inputs_by_name(case.args, case.kwargs)
        outputs = outputs_by_name(case.outputs) or {}
        specs = {
            key: TensorSpec(spec.shape, spec.dtype, key) if isinstance(spec, TensorSpec) else spec
            for key, spec in outputs.items()
        }
        order = list(inputs)

        def python(*tensors: Any) -> Any:
            for each in cases:
                specs = inputs_by_name(each.args, each.kwargs).values()
                if all(map(TensorSpec.is_compatible_with, specs, tensors)):
                    return outputs_by_name(each.run(list(tensors)))
            raise ValueError(
                f"The signature {name!r} was saved for other shapes than "
                f"{[tensor.shape.as_list() for tensor in tensors]}."
            )

        compiled = Function(python, name)

        def call(*values: Any) -> Any:
            return compiled(*values)

        made = LoadedSignature(
            call, f"__inference_signature_wrapper_{name}", ((), inputs), order, None, specs, False
        )
        made.held = [v for each in cases for v in (*each.variables, *each.assigned)]
        return made


def _python_function(node: dict[str, Any], cases: list[SavedVariant]) -> Any:
    """Returns a Python function with the parameters of the one that was saved."""

    def restored(*args: Any, **kwargs: Any) -> Any:
        return _called(cases, args, kwargs)

    parameters = [
        inspect.Parameter(
            name,
            PARAMETER_KINDS[kind],
            default=inspect.Parameter.empty if default is None else decoded(default[0]),
        )
        for name, kind, default in node["parameters"]
    ]
    restored.__name__ = restored.__qualname__ = node["name"]
    restored.__signature__ = inspect.Signature(parameters)
    return restored


def _called(cases: list[SavedVariant], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if not cases:
        raise ValueError("Found zero restored functions for caller function.")
    for converting in (False, True):
        for case in cases:
            tensors = case.matched(args, kwargs, converting)
            if tensors is not None:
                return case.run(tensors)
    options = "\n\n".join(
        f"Option {place}:\n{_shown(case.args, case.kwargs)}"
        for place, case in enumerate(cases, start=1)
    )
    raise ValueError(
        "Could not find matching concrete function to call loaded from the SavedModel. Got:\n"
        f"{_shown(args, kwargs)}\n\n Expected these arguments to match one of the following "
        f"{len(cases)} option(s):\n\n{options}"
    )


def _shown(args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    listed = "\n".join(f"    * {value!r}" for value in args)
    return f"  Positional arguments ({len(args)} total):\n{listed}\n  Keyword arguments: {kwargs}"
