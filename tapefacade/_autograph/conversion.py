"""Functions rewritten: their statements are calls of operators."""

import ast
import functools
import sys
import threading
import types
from collections.abc import Callable
from typing import Any

from tapefacade._autograph.expressions import Expressions
from tapefacade._autograph.jumps import Jumps, own_nodes
from tapefacade._autograph.liveness import Liveness
from tapefacade._autograph.sources import (
    NoSourceError,
    compiled,
    source_of,
    with_code,
)
from tapefacade._autograph.statement_outcomes import StatementOutcomes, noting_outcomes
from tapefacade._autograph.statements import DIRECTIVE, Statements
from tapefacade._function.control.cond import cond
from tapefacade._function.control.map_fn import map_fn
from tapefacade._function.control.scan import foldl, foldr, scan
from tapefacade._function.control.switch_case import case, switch_case
from tapefacade._function.control.vectorized_map import vectorized_map
from tapefacade._function.control.while_loop import while_loop
from tapefacade._function.function.function_types import PolymorphicFunction
from tapefacade._function.function.rewriter import REWRITER

OPERATORS = "ag__"
LEFT_ALONE = "__tapefacade_left_alone__"  # an attribute of functions
CONVERTED_MARK = "__tapefacade_converted__"
# What is not looked into: it does its own control flow.
LIBRARIES = frozenset({
    "tapefacade", "tensorflow", "keras", "jax", "jaxlib", "numpy", "scipy", "pandas", "matplotlib",
    "IPython", "ipykernel", "pytest", "_pytest", "gym", "gymnasium", "optree", "absl",
})  # fmt: skip
INSTALL_FOLDERS = ("site-packages", "dist-packages")
READS_FRAMES = frozenset({"locals", "vars", "eval", "exec", "dir"})
# Functions that record the functions they are given.
OF_FUNCTIONS = (
    map_fn, vectorized_map, cond, case, switch_case, while_loop, scan, foldl, foldr,
)  # fmt: skip

REWRITE_COUNTS = {"rewritten": 0}
_CODES: dict[tuple[types.CodeType, str], tuple[types.CodeType | None, str]] = {}
_NAMES: dict[str, Any] = {}  # the operators


def use_operators(names: Any) -> None:
    """Sets what rewritten functions call; the module of the operators does so."""
    _NAMES[OPERATORS] = names


# Python 3.11 raises SystemError where two threads make trees at the same time.
_LOCK = threading.RLock()


def rewritten_code(function: types.FunctionType) -> tuple[types.CodeType | None, str]:
    """Returns the code of a function, rewritten; or None, and why there is none."""
    code = function.__code__
    key = (code, code.co_filename)
    with _LOCK:
        found = _CODES.get(key)
        if found is None:
            try:
                node = rewritten_tree(function)
                found = compiled(node, code, OPERATORS), ""
                REWRITE_COUNTS["rewritten"] += 1
            except (NoSourceError, SyntaxError, RecursionError) as error:
                found = None, str(error)
            _CODES[key] = found
    return found


def rewritten_tree(function: types.FunctionType) -> ast.FunctionDef | ast.Lambda:
    """Returns the tree of a function, rewritten.

    Raises:
        NoSourceError: if it cannot be rewritten.
    """
    code = function.__code__
    node, owner = source_of(code, function.__globals__)
    if isinstance(node, ast.Lambda):
        node.body = Expressions("").visit(node.body)
        return node
    nodes = [inner for statement in node.body for inner in own_nodes(statement)]
    if any(isinstance(n, ast.Yield | ast.YieldFrom | ast.Await) for n in nodes):
        raise NoSourceError("generators run as Python")
    if any(isinstance(n, ast.Name) and n.id in READS_FRAMES for n in nodes):
        raise NoSourceError("it asks for its own variables")
    if owner:
        _mangle(node, owner)
    first = code.co_varnames[0] if code.co_argcount else ""
    expressions = Expressions(first if "__class__" in code.co_freevars else "")
    node.body = [expressions.visit(statement) for statement in node.body]
    Jumps().without(node)
    Liveness(node)
    Statements(node)
    return node


def _mangle(node: ast.FunctionDef, owner: str) -> None:
    """Names private attributes as Python does within a class."""
    prefix = f"_{owner.lstrip('_')}"

    def mangled(name: str) -> str:
        is_private = name.startswith("__") and not name.endswith("__") and "." not in name
        return prefix + name if is_private and owner.strip("_") else name

    for inner in ast.walk(node):
        if isinstance(inner, ast.Attribute):
            inner.attr = mangled(inner.attr)
        elif isinstance(inner, ast.Name):
            inner.id = mangled(inner.id)
        elif isinstance(inner, ast.arg):
            inner.arg = mangled(inner.arg)


def converted(function: Any) -> Any:
    """Returns what is called in the place of a function that a rewritten one calls."""
    kind = type(function)
    if kind is types.FunctionType:
        return _converted_function(function)
    if kind is types.MethodType:
        inner = function.__func__
        if type(inner) is not types.FunctionType:
            return function
        made = _converted_function(inner)
        return function if made is inner else types.MethodType(made, function.__self__)
    if kind is functools.partial:
        made = converted(function.func)
        if made is function.func:
            return function
        return functools.partial(made, *function.args, **function.keywords)
    if isinstance(function, type | PolymorphicFunction):
        return function
    call = _inherited(kind)
    if type(call) is types.FunctionType and is_users(call):
        made = _converted_function(call)
        return function if made is call else types.MethodType(made, function)
    return function


def _inherited(kind: type) -> Any:
    """Returns what calls the objects of a class."""
    return next((vars(base)["__call__"] for base in kind.__mro__ if "__call__" in vars(base)), None)


def _converted_function(function: types.FunctionType) -> Any:
    if not is_users(function):
        return _given_converted(function) if _takes_functions(function) else function
    return converted_function(function) or function


def converted_function(function: types.FunctionType) -> types.FunctionType | None:
    """Returns a function, rewritten; None if it cannot be, or needs not."""
    if function.__dict__.get(LEFT_ALONE) or function.__dict__.get(CONVERTED_MARK):
        return None
    code, _ = rewritten_code(function)
    if code is None:
        return None
    made = with_code(function, code, _NAMES)
    made.__dict__[CONVERTED_MARK] = True
    made.__dict__.pop("__wrapped__", None)
    return made


def is_users(function: types.FunctionType) -> bool:
    """Whether a function is the user's, and not one of a library."""
    if function.__code__.co_filename.startswith("<"):  # of a prompt, a notebook or a doctest
        return True
    root = (function.__module__ or "").partition(".")[0]
    if root in LIBRARIES or (root in sys.stdlib_module_names and root != "__main__"):
        return False
    return not any(part in function.__code__.co_filename for part in INSTALL_FOLDERS)


def _takes_functions(function: types.FunctionType) -> bool:
    return any(function is known for known in OF_FUNCTIONS)


def _given_converted(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function that is called with rewritten functions."""

    def call(*args: Any, **kwargs: Any) -> Any:
        return function(
            *map(_argument, args), **{key: _argument(value) for key, value in kwargs.items()}
        )

    return call


def _argument(value: Any) -> Any:
    if type(value) in (types.FunctionType, types.MethodType, functools.partial):
        return converted(value)
    if type(value) is dict and value and all(map(callable, value.values())):
        return {key: converted(item) for key, item in value.items()}
    if type(value) in (list, tuple) and any(map(_is_choice, value)):
        return type(value)(
            (item[0], converted(item[1])) if type(item) is tuple else converted(item)
            for item in value
        )
    return value


def _is_choice(item: Any) -> bool:
    """Whether an item is a function, or a pair of `tf.case`."""
    if type(item) is tuple and len(item) == 2:
        item = item[1]
    return type(item) is types.FunctionType


def rewritten(function: Any) -> tuple[Any, str]:
    """Rewrites what `tf.function` was given.

    Returns:
        What is called in its place, or None; and why there is none.
    """
    inner = getattr(function, "_function", None)  # a method, bound to an object it does not own
    instance = getattr(function, "_instance", None)
    if type(inner) is types.FunctionType and instance is not None:
        made, why = rewritten(inner)
        if made is None:
            return None, why
        return functools.partial(_of_instance, made, function), ""
    target = function
    while isinstance(target, functools.partial):
        target = target.func
    if isinstance(target, types.MethodType):
        target = target.__func__
    if not isinstance(target, types.FunctionType):
        target = _inherited(type(target))
    if type(target) is not types.FunctionType:
        return None, "it is no Python function"
    if target.__dict__.get(LEFT_ALONE):
        return None, "it is left alone"
    if not is_users(target):
        return None, "it belongs to a library"
    _, why = rewritten_code(target)
    made = converted(function)
    return (None, why) if made is function else (made, "")


def _of_instance(made: Callable[..., Any], method: Any, *args: Any, **kwargs: Any) -> Any:
    instance = method._instance()
    return made(instance, *args, **kwargs) if instance is not None else method(*args, **kwargs)


class RewrittenFunction:
    """A function, rewritten, and what has become of its statements."""

    def __init__(self, python: Callable[..., Any]) -> None:
        self._python = python
        self._outcomes = StatementOutcomes()

    @property
    def is_useful(self) -> bool:
        """Whether a statement has become an instruction, or may; known when it has run."""
        return bool(self._outcomes.staged) or self._outcomes.is_too_early

    def lines(self) -> list[str]:
        """Returns what has become of the statements on tensors, a line for each."""
        return self._outcomes.lines()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the function."""
        with noting_outcomes(self._outcomes):
            return self._python(*args, **kwargs)


def _rewrite(function: Any) -> RewrittenFunction | None:
    made, _ = rewritten(function)
    return None if made is None else RewrittenFunction(made)


def _is_directed(function: Any) -> bool:
    """Whether a function sets options of its loops."""
    code = getattr(function, "__code__", None)
    return DIRECTIVE in getattr(code, "co_names", ())


REWRITER.rewrite = _rewrite
REWRITER.is_directed = _is_directed
