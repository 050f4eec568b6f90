"""Runs one function under TensorFlow and notes what each of its ops computes.

This file is started by `tf.debugging.compare` with a Python that has TensorFlow, as a program of
its own: it imports nothing of this package, which that Python may lack, and the name `tapefacade`
means TensorFlow there. `function_parcel` says what a parcel is.
"""

import ast
import importlib
import importlib.abc
import importlib.util
import json
import os
import re
import sys
import traceback
from typing import Any

import numpy as np

PARCEL, VALUES, ANSWER = "parcel.json", "values.npz", "answer.json"
RESULTS = "results.npz"
OP_CALLBACKS = "tensorflow.python.framework.op_callbacks"
LIBRARY = re.compile(
    r"[/\\](?:site|dist)-packages[/\\]|^<(?:frozen|string)|[/\\]lib[/\\]python3\.\d+[/\\]"
)
# Of a larger value this many elements are noted, evenly spread.
MAX_ELEMENTS = 2**15
OWN_NAMES = "tapefacade", "tensorflow"


def sample(array: "np.ndarray[Any, Any]") -> "np.ndarray[Any, Any]":
    """Returns the elements of an array that are compared, in one dimension.

    Args:
        array: of any shape and type; those that NumPy does not know become float32.

    >>> sample(np.zeros((3, 2))).shape, sample(np.zeros(2**16)).shape
    ((6,), (32768,))
    """
    if array.dtype.kind == "V" or array.dtype.name.startswith(("bfloat", "float8")):
        array = array.astype(np.float32)
    flat = array.reshape(-1)
    return flat if flat.size <= MAX_ELEMENTS else flat[:: -(-flat.size // MAX_ELEMENTS)]


class TensorFlowFinder(importlib.abc.MetaPathFinder):
    """Finds TensorFlow's modules under the names that this package's have."""

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> Any:
        """Returns a spec that loads TensorFlow's module, for the name of one of ours."""
        own, _, rest = fullname.partition(".")
        if own != OWN_NAMES[0]:
            return None
        return importlib.util.spec_from_loader(fullname, _Loader(rest))


class _Loader(importlib.abc.Loader):
    def __init__(self, path: str) -> None:
        self._path = path

    def create_module(self, spec: Any) -> Any:
        return module_of_tensorflow(self._path)

    def exec_module(self, module: Any) -> None:
        """Does nothing: the module has been loaded."""


def module_of_tensorflow(path: str) -> Any:
    """Returns a module of TensorFlow, by its name without the first part.

    Args:
        path: such as `keras.layers`; "" for TensorFlow itself.
    """
    found = importlib.import_module("tensorflow")
    for part in filter(None, path.split(".")):
        found = getattr(found, part)
    return found


class Parcel:
    """A function and what it needs, unpacked.

    Attributes:
        variables: the variables that have come with it, by their places.
    """

    def __init__(self, content: "dict[str, Any]", values: Any) -> None:
        self._tensorflow = module_of_tensorflow("")
        self._objects = content["objects"]
        self._values = values
        self._made: dict[int, Any] = {}
        self._begun: set[int] = set()
        self._later: list[tuple[dict[str, Any], str, Any]] = []
        self._namespaces: dict[str, dict[str, Any]] = {}
        self.variables: dict[int, Any] = {}

    def unpacked(self, item: Any) -> Any:
        """Returns what an item of the parcel stands for."""
        found = self._value(item)
        while self._later:
            namespace, name, waiting = self._later.pop()
            namespace[name] = self._value(waiting)
        return found

    def _value(self, item: Any) -> Any:
        kind, content = item
        return getattr(self, f"_{kind}")(content)

    def _plain(self, content: Any) -> Any:
        return content

    def _complex(self, content: Any) -> Any:
        return complex(*content)

    def _bytes(self, content: Any) -> Any:
        return bytes(content)

    def _list(self, content: Any) -> Any:
        return [self._value(item) for item in content]

    def _tuple(self, content: Any) -> Any:
        return tuple(self._list(content))

    def _set(self, content: Any) -> Any:
        return set(self._list(content))

    def _dict(self, content: Any) -> Any:
        return {self._value(key): self._value(value) for key, value in content}

    def _slice(self, content: Any) -> Any:
        return slice(*self._list(content))

    def _named(self, content: Any) -> Any:
        """Returns something of an installed module, or of a module of the user's."""
        module, path = content
        found = importlib.import_module(module)
        for part in filter(None, path.split(".")):
            found = getattr(found, part)
        return found

    def _of_tensorflow(self, content: Any) -> Any:
        return module_of_tensorflow(content)

    def _dtype(self, content: Any) -> Any:
        return self._tensorflow.as_dtype(content)

    def _shape(self, content: Any) -> Any:
        return self._tensorflow.TensorShape(content)

    def _array(self, content: Any) -> Any:
        return self._values[content]

    def _tensor(self, content: Any) -> Any:
        key, dtype = content
        return self._tensorflow.constant(self._values[key], self._tensorflow.as_dtype(dtype))

    def _object(self, place: int) -> Any:
        """Returns one of the things that may come several times, and are one."""
        if place in self._made:
            return self._made[place]
        if place in self._begun:
            raise ValueError("functions or objects that contain each other cannot be sent")
        self._begun.add(place)
        kind, content = self._objects[place]
        self._made[place] = getattr(self, f"_new_{kind}")(content, place)
        return self._made[place]

    def _new_variable(self, content: Any, place: int) -> Any:
        initial = self._tensor((content["key"], content["dtype"]))
        variable = self._tensorflow.Variable(
            initial, trainable=content["trainable"], name=content["name"]
        )
        self.variables[place] = variable
        return variable

    def _new_source(self, content: Any, place: int) -> Any:
        """Runs the statement that defines a function or class."""
        namespace = self._namespaces.setdefault(
            content["file"], {"__name__": "sent_by_tapefacade", "__file__": content["file"]}
        )
        for name, item in content["globals"]:
            if item[0] == "object" and item[1] in self._begun and item[1] not in self._made:
                self._later.append((namespace, name, item))  # they call each other
            else:
                namespace[name] = self._value(item)
        cells = [(name, self._value(item)) for name, item in content["closure"]]
        return run_definition(content, namespace, cells)

    def _new_instance(self, content: Any, place: int) -> Any:
        kind = self._value(content["class"])
        made = self._made[place] = kind.__new__(kind)
        if isinstance(made, self._tensorflow.Module):
            self._tensorflow.Module.__init__(made, name=content["name"])
        for name, item in content["state"]:
            setattr(made, name, self._value(item))
        return made

    def _method(self, content: Any) -> Any:
        owner, name = content
        return getattr(self._value(owner), name)

    def _new_keras(self, content: Any, place: int) -> Any:
        keras = importlib.import_module("keras")
        kinds = {name: self._value(item) for name, item in content["classes"]}
        made = keras.saving.deserialize_keras_object(content["config"], custom_objects=kinds)
        if content["weights"] is not None:
            weights = [self._values[key] for key in content["weights"]]
            made.set_weights(weights)
            for variable, number in zip(made.weights, content["variables"], strict=True):
                self.variables[number] = variable
        return made


def run_definition(
    content: "dict[str, Any]", namespace: "dict[str, Any]", cells: "list[tuple[str, Any]]"
) -> Any:
    """Runs the source of a function, lambda or class; its lines keep their numbers.

    Args:
        content: `source`, `line`, `file`, and `name`, which is "" for an expression.
        namespace: its global names.
        cells: the names and values around it.

    >>> content = {"source": "lambda x: x + a", "line": 7, "file": "f.py", "name": ""}
    >>> made = run_definition(content, {}, [("a", 2)])
    >>> made(1), made.__code__.co_firstlineno
    (3, 7)
    """
    name, body = content["name"], ast.parse(content["source"]).body
    if name:
        result: ast.expr = ast.Name(name, ast.Load())
    else:
        assert isinstance(body[0], ast.Expr)
        result, body = body[0].value, []
    if cells or not name:
        outer = ast.parse(f"def around({', '.join(cell for cell, _ in cells)}): pass")
        function = outer.body[0]
        assert isinstance(function, ast.FunctionDef)
        function.body = [*body, ast.Return(result)]
        tree = outer
    else:
        tree = ast.Module(body, [])
    ast.increment_lineno(tree, content["line"] - 1)
    ast.fix_missing_locations(tree)
    exec(compile(tree, content["file"], "exec", dont_inherit=True), namespace)
    if cells or not name:
        return namespace.pop("around")(*(value for _, value in cells))
    return namespace[name]


def users_line() -> str:
    """Returns `file:line` of the innermost frame that is in no library."""
    frame = sys._getframe(1)
    while frame is not None:
        name = frame.f_code.co_filename
        if name != __file__ and not LIBRARY.search(name):
            return f"{name}:{frame.f_lineno}"
        frame = frame.f_back
    return ""


class OpNotes:
    """What the ops of a program have computed, in their order.

    Attributes:
        ops: the kernel, the line, and of each result its dtype, shape and key.
        arrays: the values, by their keys.
    """

    def __init__(self) -> None:
        self.ops: list[dict[str, Any]] = []
        self.arrays: dict[str, Any] = {}

    def note(
        self, op_type: Any, inputs: Any, attrs: Any, outputs: Any, op_name: Any = None,
        graph: Any = None,
    ) -> None:  # fmt: skip
        """Takes note of an op; TensorFlow calls it."""
        if graph is not None:
            return
        kind = op_type.decode() if isinstance(op_type, bytes) else str(op_type)
        self.ops.append(
            {"kernel": kind, "line": users_line(),
             "results": [self.value(output) for output in outputs or ()]}
        )  # fmt: skip

    def value(self, value: Any) -> "dict[str, Any] | None":
        """Takes note of a value; None if it is no array."""
        try:
            array = np.asarray(value.numpy() if hasattr(value, "numpy") else value)
        except Exception:  # a resource, a variant, an object of the user's
            return None
        if array.dtype.kind == "O":
            try:
                array = np.array(
                    [x if isinstance(x, bytes) else str(x).encode() for x in array.reshape(-1)],
                    dtype=object,
                ).reshape(array.shape)
                text = b"\0".join(array.reshape(-1).tolist())
            except Exception:  # an object of the user's, of any kind
                return None
            self.arrays[f"a{len(self.arrays)}"] = np.frombuffer(text, np.uint8)
            return {"dtype": "string", "shape": list(array.shape),
                    "key": f"a{len(self.arrays) - 1}"}  # fmt: skip
        key = f"a{len(self.arrays)}"
        self.arrays[key] = sample(array)
        dtype = getattr(value, "dtype", array.dtype)
        return {"dtype": getattr(dtype, "name", str(dtype)), "shape": list(array.shape), "key": key}


def flat_results(tensorflow: Any, value: Any) -> "list[Any]":
    """Returns the values in a nest of results; ragged and sparse ones are several."""
    return tensorflow.nest.flatten(value, expand_composites=True)


def error_of(error: BaseException) -> "dict[str, str]":
    """Returns what is told of an exception."""
    lines = [
        f"{frame.filename}:{frame.lineno}"
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename != __file__ and not LIBRARY.search(frame.filename)
    ]
    return {
        "class": type(error).__name__,
        "text": str(error),
        "line": lines[-1] if lines else "",
        "traceback": "".join(traceback.format_exception(type(error), error, error.__traceback__)),
    }


def answer(content: "dict[str, Any]", values: Any) -> "tuple[dict[str, Any], dict[str, Any]]":
    """Runs the function of a parcel.

    Returns:
        What is told of it, and the values.
    """
    tensorflow = module_of_tensorflow("")
    sys.meta_path.insert(0, TensorFlowFinder())
    sys.modules[OWN_NAMES[0]] = tensorflow
    notes = OpNotes()
    told: dict[str, Any] = {"version": str(getattr(tensorflow, "__version__", "?"))}
    parcel = Parcel(content, values)
    try:
        function, arguments, named = (parcel.unpacked(content[k]) for k in ("f", "args", "kwargs"))
    except Exception as error:  # the user's
        return {**told, "refused": error_of(error)}, {}
    tensorflow.config.run_functions_eagerly(True)
    if content["seed"] is not None:
        tensorflow.random.set_seed(content["seed"])
    callbacks = importlib.import_module(OP_CALLBACKS)
    callbacks.add_op_callback(notes.note)
    result, told["error"] = None, None
    try:
        result = function(*arguments, **named)
    except Exception as error:  # the user's
        told["error"] = error_of(error)
    finally:
        callbacks.remove_op_callback(notes.note)
    told["results"] = [
        notes.value(x) for x in ([] if told["error"] else flat_results(tensorflow, result))
    ]
    told["variables"] = {
        str(place): notes.value(variable) for place, variable in parcel.variables.items()
    }
    told["ops"] = notes.ops
    return told, notes.arrays


def main(folder: str) -> None:
    """Reads a parcel in a folder, and writes the answer there."""
    with open(os.path.join(folder, PARCEL), encoding="utf-8") as file:
        content = json.load(file)
    sys.path[:] = [*content["path"], *sys.path]
    with np.load(os.path.join(folder, VALUES)) as stored:
        values = {key: stored[key] for key in stored.files}
    told, arrays = answer(content, values)
    np.savez(os.path.join(folder, RESULTS), **arrays)
    with open(os.path.join(folder, ANSWER), "w", encoding="utf-8") as file:
        json.dump(told, file)


if __name__ == "__main__":
    sys.path.pop(0)  # this folder, whose modules are none of the user's
    main(sys.argv[1])
