"""A function packed with all that it needs, so that another process can run it under TensorFlow.

Nothing but JSON and arrays travels. A function or class travels as its source, with the globals and
closure that the source names; its file's other statements do not run again. Tensors and variables
travel as their values, functions of TensorFlow by name. `tensorflow_recorder` unpacks it.
"""

import ast
import builtins
import functools
import importlib.util
import inspect
import json
import os
import sys
import textwrap
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from tapefacade._core.dtypes import DType
from tapefacade._core.registry import FUNCTIONS
from tapefacade._core.tensor import EagerTensor
from tapefacade._core.tensor_shape import TensorShape
from tapefacade._port.tensorflow_recorder import PARCEL, VALUES
from tapefacade._state.module import Module
from tapefacade._state.variable import Variable
from tapefacade._trace.tree import INSTALLED_LIBRARY

OWN_NAMES = "tapefacade", "tensorflow"
PLAIN = (bool, int, float, str, type(None))
MESSAGE_CANNOT_TRAVEL = (
    "{what} cannot be sent to TensorFlow's process. Functions, classes, tensors, variables, "
    "arrays, Python values and Keras's layers can: make anything else within the function."
)
MESSAGE_NO_SOURCE = (
    "{what} cannot be sent to TensorFlow's process, as its source is not to be found: define it in "
    "a file or a cell of a notebook."
)

Item = tuple[str, Any]


class FunctionParcel:
    """A function, its arguments, and all that it names.

    Args:
        f: the function.
        args: its arguments.
        kwargs: those with names.
        seed: what `tf.random.set_seed` is given first; None for nothing.

    Attributes:
        variables: the variables that are sent, by their places.

    Raises:
        TypeError: if something is needed that cannot be sent; the text names it.
    """

    def __init__(
        self, f: Callable[..., Any], args: Any, kwargs: Mapping[str, Any], seed: int | None
    ) -> None:
        self._objects: list[Item | None] = []
        self._places: dict[int, int] = {}
        self._kept: list[Any] = []  # so that no id is given twice
        self._values: dict[str, np.ndarray[Any, Any]] = {}
        self.variables: dict[int, Variable] = {}
        self._content = {
            "f": self._item(f, "the function"),
            "args": self._item(list(args), "argument"),
            "kwargs": self._item(dict(kwargs), "argument"),
            "seed": seed,
            "path": [os.path.abspath(p) for p in sys.path if not _is_of_libraries(p)],
        }  # fmt: skip

    def write(self, folder: str) -> None:
        """Writes it to a folder."""
        with open(os.path.join(folder, PARCEL), "w", encoding="utf-8") as file:
            json.dump(self._content | {"objects": self._objects}, file)
        np.savez(os.path.join(folder, VALUES), **self._values)  # type: ignore[arg-type]

    def _key(self, array: Any) -> str:
        array = np.asarray(array)
        if array.dtype.kind == "V" or array.dtype.name.startswith(("bfloat", "float8")):
            array = array.astype(np.float32)
        key = f"a{len(self._values)}"
        self._values[key] = array
        return key

    def _item(self, value: Any, what: str) -> Item:
        """Packs a value.

        Args:
            value: what is packed.
            what: what messages call it.
        """
        if isinstance(value, PLAIN) and not isinstance(value, np.generic):
            return "plain", _plain_of(value)
        found = self._collection(value, what) or self._literal(value) or _item_of_module(value)
        return found or self._shared(value, what)

    def _collection(self, value: Any, what: str) -> Item | None:
        """Packs a list, a dict and the like; None for anything else."""
        if type(value) in (list, tuple, set, frozenset):
            name = "set" if isinstance(value, set | frozenset) else type(value).__name__
            return name, [self._item(x, f"{what} [{n}]") for n, x in enumerate(value)]
        if isinstance(value, slice):
            return "slice", [self._item(x, what) for x in (value.start, value.stop, value.step)]
        if isinstance(value, dict):
            keys = [self._item(key, what) for key in value]
            return "dict", list(zip(keys, self._values_of(value, what), strict=True))
        return None

    def _values_of(self, value: Mapping[Any, Any], what: str) -> list[Item]:
        return [self._item(x, f"{what} [{key!r}]") for key, x in value.items()]

    def _literal(self, value: Any) -> Item | None:
        """Packs numbers, arrays and tensors; None for anything else."""
        match value:
            case complex():
                return "complex", (value.real, value.imag)
            case bytes():
                return "bytes", list(value)
            case DType():
                return "dtype", value.name
            case TensorShape():
                return "shape", None if value.rank is None else value.as_list()
            case np.dtype():
                return "named", ("numpy", value.name)
            case np.ndarray() | np.generic():
                return None if value.dtype.kind in "OSU" else ("array", self._key(value))
        if isinstance(value, EagerTensor):
            array = value.numpy()
            is_text = value.dtype.name == "string"
            return None if is_text else ("tensor", (self._key(array), value.dtype.name))
        return None

    def _shared(self, value: Any, what: str) -> Item:
        """Packs what may be there several times, and is one thing."""
        if isinstance(value, types.MethodType):
            return "method", (self._item(value.__self__, what), value.__name__)
        function = _python_function(value)
        if id(value) in self._places:
            return "object", self._places[id(value)]
        place = self._places[id(value)] = len(self._objects)
        self._objects.append(None)
        self._kept.append(value)
        if isinstance(value, Variable):
            self.variables[place] = value
            content: Any = {
                "key": self._key(value.numpy()), "dtype": value.dtype.name,
                "trainable": value.trainable, "name": value.name.partition(":")[0] or None,
            }  # fmt: skip
            self._objects[place] = ("variable", content)
        elif function is not None or isinstance(value, type):
            self._objects[place] = ("source", self._source(function or value, value, what))
        elif _is_keras(value):
            self._objects[place] = ("keras", self._keras(value, what))
        elif _has_own_class(value):
            self._objects[place] = ("instance", self._instance(value, what))
        else:
            raise TypeError(MESSAGE_CANNOT_TRAVEL.format(what=_described(value, what)))
        return "object", place

    def _source(self, value: Any, made: Any, what: str) -> dict[str, Any]:
        """Packs a function or class of the user's: its source, and what that names.

        Args:
            value: the function or class.
            made: what its decorators have made of it.
            what: what messages call it.
        """
        source, line, name, tree = _definition(value, made is not value, what)
        around = _cells(value)
        names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        if isinstance(value, type):
            module = vars(sys.modules.get(value.__module__, builtins))
        else:
            module = value.__globals__
        outside = {
            n: module[n] for n in sorted(names) if n in module and n not in around and n != name
        }
        file = inspect.getsourcefile(value) or ""
        return {
            "source": source, "line": line, "file": file, "name": name,
            "globals": [(n, self._item(x, f"{n!r}")) for n, x in outside.items()],
            "closure": [(n, self._item(x, f"{n!r}")) for n, x in around.items() if n != name],
        }  # fmt: skip

    def _instance(self, value: Any, what: str) -> dict[str, Any]:
        """Packs an object by its attributes."""
        own = vars(Module("m")) if isinstance(value, Module) else {}
        return {
            "class": self._item(type(value), f"the class of {what}"),
            "name": value.name if isinstance(value, Module) else None,
            "state": [(name, self._item(x, f"{what}.{name}")) for name, x in vars(value).items()
                      if name not in own],
        }  # fmt: skip

    def _keras(self, value: Any, what: str) -> dict[str, Any]:
        """Packs an object of Keras by its configuration and weights."""
        saving = importlib.import_module("keras").saving
        kinds = {type(part) for part in _parts_of_keras(value)}
        try:
            config = json.loads(json.dumps(saving.serialize_keras_object(value)))
        except Exception as error:  # Keras's, or the user's layer's
            text = MESSAGE_CANNOT_TRAVEL.format(what=_described(value, what))
            raise TypeError(f"{text} Keras says: {error}") from None
        variables = list(getattr(value, "weights", ()))
        places = []
        for variable in variables:
            places.append(len(self._objects))
            self._objects.append(None)
            self.variables[places[-1]] = variable
            self._kept.append(variable)
        has_weights = hasattr(value, "set_weights") and bool(variables)
        return {
            "config": config,
            "weights": [self._key(np.asarray(v)) for v in variables] if has_weights else None,
            "variables": places,
            "classes": [
                (kind.__name__, self._item(kind, f"the class {kind.__name__}"))
                for kind in kinds if not _is_installed(kind.__module__)
            ],
        }  # fmt: skip


def _item_of_module(value: Any) -> Item | None:
    """Packs what can be imported where it is used; None for anything else."""
    if isinstance(value, types.ModuleType):
        own, _, rest = value.__name__.partition(".")
        return ("of_tensorflow", rest) if own in OWN_NAMES else ("named", (value.__name__, ""))
    path = _name_of_tensorflow(value)
    if path is not None:
        return "of_tensorflow", path
    module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    if isinstance(module, str) and isinstance(name, str) and _is_installed(module):
        return "named", (module, name)
    return None


def _is_of_libraries(folder: str) -> bool:
    """Whether modules in a folder are Python's, or installed ones."""
    is_standard = os.path.isfile(os.path.join(folder, "os.py"))
    return is_standard or bool(INSTALLED_LIBRARY.search(folder + os.sep))


def _plain_of(value: Any) -> Any:
    """Returns the plain value of an object of a class derived from a plain one."""
    return next((kind(value) for kind in (bool, int, float, str) if isinstance(value, kind)), None)


def _described(value: Any, what: str) -> str:
    return f"{what[:1].upper()}{what[1:]} (of {type(value).__module__}.{type(value).__qualname__})"


def _python_function(value: Any) -> Any:
    """Returns the function that decorators have been given; None if it is no Python.

    Args:
        value: a function, a `tf.function`, or what another decorator has made.
    """
    inner = getattr(value, "python_function", None)
    if inner is None and not isinstance(value, type):
        inner = getattr(value, "__wrapped__", None)
    if inner is not None:
        return _python_function(inner)
    return value if isinstance(value, types.FunctionType) else None


def _name_of_tensorflow(value: Any) -> str | None:
    """Returns under which name below `tf` something of this package is public, if it is."""
    module = getattr(value, "__module__", None)
    if not isinstance(module, str) or module.partition(".")[0] != OWN_NAMES[0]:
        return None
    return _paths().get(id(value))


@functools.cache
def _paths() -> dict[int, str]:
    """Returns the paths below `tf` of public functions and classes, by their ids."""
    found = {id(value): path for path, value in FUNCTIONS.items()}
    root = sys.modules[OWN_NAMES[0]]
    waiting, seen = [("", root)], {id(root)}
    while waiting:
        path, namespace = waiting.pop(0)
        for name, value in vars(namespace).items():
            if name.startswith("_"):
                continue
            own = isinstance(value, types.ModuleType) and value.__name__.startswith(OWN_NAMES[0])
            if own and id(value) not in seen:
                seen.add(id(value))
                waiting.append((f"{path}{name}.", value))
            elif callable(value):
                found.setdefault(id(value), f"{path}{name}")
    return found


def _is_installed(module: str) -> bool:
    """Whether a module is part of Python or of an installed library, other than this one."""
    first = module.partition(".")[0]
    if first in OWN_NAMES or first == "__main__":
        return False
    if first in sys.stdlib_module_names:
        return True
    spec = getattr(sys.modules.get(first), "__spec__", None)
    return spec is not None and bool(INSTALLED_LIBRARY.search(spec.origin or ""))


def _has_own_class(value: Any) -> bool:
    """Whether an object is one of a class of the user's, and is made of its attributes."""
    kind = type(value)
    return hasattr(value, "__dict__") and not _is_installed(kind.__module__) and (
        kind.__module__.partition(".")[0] not in OWN_NAMES or kind is Module
    )  # fmt: skip


def _is_keras(value: Any) -> bool:
    return any(kind.__module__.startswith("keras.") for kind in type(value).__mro__)


def _parts_of_keras(value: Any) -> Iterator[Any]:
    yield value
    flatten = getattr(value, "_flatten_layers", None)
    if flatten is not None:
        yield from flatten(include_self=False)


def _cells(value: Any) -> dict[str, Any]:
    """Returns the names and values around a function, or around the methods of a class."""
    functions = [value] if isinstance(value, types.FunctionType) else [
        inner for item in vars(value).values()
        if (inner := _python_function(getattr(item, "__func__", getattr(item, "fget", item))))
    ]  # fmt: skip
    found = {}
    for function in functions:
        cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        for name, cell in cells:
            try:
                content = cell.cell_contents
            except ValueError:  # not assigned yet
                continue
            if name != "__class__":
                found[name] = content
    return found


def _definition(value: Any, is_decorated: bool, what: str) -> tuple[str, int, str, ast.AST]:
    """Returns the source of a function or class, its first line, its name, and the parsed source.

    Args:
        value: the function or class.
        is_decorated: whether what its decorators make of it is wanted, not the function itself.
        what: what messages call it.

    Returns:
        The source and the others; the name of a lambda is "".
    """
    try:
        lines, line = inspect.getsourcelines(value)
    except (OSError, TypeError):
        raise TypeError(MESSAGE_NO_SOURCE.format(what=_described(value, what))) from None
    text = textwrap.dedent("".join(lines))
    name = value.__name__
    if name != "<lambda>":
        tree = ast.parse(text)
        statement = tree.body[0]
        if isinstance(statement, ast.FunctionDef) and not is_decorated:
            skipped = statement.lineno - 1
            text = "\n".join(text.splitlines()[skipped:]) + "\n"
            tree, line = ast.parse(text), line + skipped
        return text, max(line, 1), name, tree
    found = _lambda_in(value, text)
    if found is None:
        raise TypeError(MESSAGE_NO_SOURCE.format(what=_described(value, what)))
    source = "(" + (ast.get_source_segment(text, found) or "") + ")"
    return source, line + found.lineno - 1, "", found


def _lambda_in(value: Any, text: str) -> ast.Lambda | None:
    """Finds the `lambda` of a function in a piece of source, which may be no statement."""
    for candidate in (
        text,
        f"({text.strip()})",
        f"({text.strip().rstrip(',)')})",
        f"f({text.strip()}",
    ):
        try:
            tree = ast.parse(candidate)
        except SyntaxError:
            continue
        lambdas = [node for node in ast.walk(tree) if isinstance(node, ast.Lambda)]
        code = value.__code__
        wanted = code.co_code, code.co_consts, code.co_names
        same = [node for node in lambdas if _code_of(node) == wanted]
        chosen = (same or lambdas)[:1]
        if len(lambdas) == 1 or len(same) == 1 or len({ast.dump(n) for n in same}) == 1:
            return chosen[0]
    return None


def _code_of(node: ast.Lambda) -> tuple[bytes, Any, Any]:
    """Returns what a `lambda` is compiled to, as far as it says what it does."""
    expression = ast.Expression(node)
    code = compile(ast.fix_missing_locations(expression), "", "eval").co_consts[0]
    return code.co_code, code.co_consts, code.co_names
