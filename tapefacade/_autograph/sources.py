"""The syntax trees of Python functions, with the user's file and lines, and back to functions."""

import __future__

import ast
import builtins
import copy
import functools
import linecache
import operator
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

FunctionNode = ast.FunctionDef | ast.Lambda
FEATURES = functools.reduce(
    operator.or_, [getattr(__future__, name).compiler_flag for name in __future__.all_feature_names]
)
MAX_FILES = 64


class NoSourceError(Exception):
    """A function cannot be rewritten; the text says why."""


class Source(NamedTuple):
    """The text of a function, as a tree.

    Attributes:
        node: the function, a copy that may be changed.
        owner: the name of the class that it is written in; "" if there is none.
    """

    node: FunctionNode
    owner: str


def source_of(code: types.CodeType, names: Mapping[str, Any]) -> Source:
    """Finds the text of a function.

    Args:
        code: its code.
        names: its globals, which may know how a file is loaded.

    Raises:
        NoSourceError: if there is no text, or another one than the function was made of.
    """
    text = "".join(linecache.getlines(code.co_filename, dict(names)))
    if not text:
        raise NoSourceError(f"the text of {code.co_name} is not known")
    wanted = [
        (node, owner)
        for node, owner in _functions(text)
        if _first_line(node) == code.co_firstlineno and _fits(node, code)
    ]
    if len(wanted) > 1:  # lambdas of one line
        wanted = [(node, owner) for node, owner in wanted if _holds(node, code)]
    if len(wanted) != 1:
        raise NoSourceError(f"the text of {code.co_name} is not found in its file")
    ((node, owner),) = wanted
    return Source(copy.deepcopy(node), owner)


@functools.lru_cache(maxsize=MAX_FILES)
def _functions(text: str) -> tuple[tuple[FunctionNode, str], ...]:
    """Returns all functions of a file, and the classes that they are written in."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return ()
    return tuple(_found(tree, ""))


def _found(node: ast.AST, owner: str) -> Iterator[tuple[FunctionNode, str]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.Lambda):
            yield child, owner
        yield from _found(child, child.name if isinstance(child, ast.ClassDef) else owner)


def _first_line(node: FunctionNode) -> int:
    decorators = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def _fits(node: FunctionNode, code: types.CodeType) -> bool:
    name = "<lambda>" if isinstance(node, ast.Lambda) else node.name
    arguments = [a.arg for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
    count = code.co_argcount + code.co_kwonlyargcount
    given = [own.rpartition("__")[2] for own in code.co_varnames[:count]]  # names may be mangled
    return name == code.co_name and given == [a.rpartition("__")[2] for a in arguments]


def _holds(node: FunctionNode, code: types.CodeType) -> bool:
    """Whether all instructions of a code lie within a node."""
    last_line, last_column = node.end_lineno or 0, node.end_col_offset or 0
    return all(
        line is None or column is None or end is None or end_column is None or (
            (line, column) >= (node.lineno, node.col_offset)
            and (end, end_column) <= (last_line, last_column)
        )
        for line, end, column, end_column in code.co_positions()
        if (line, end, column, end_column) != (code.co_firstlineno, code.co_firstlineno, 0, 0)
    )  # fmt: skip


def compiled(node: FunctionNode, code: types.CodeType, added: str) -> types.CodeType:
    """Compiles a tree in the place of a function.

    Args:
        node: the tree, with places.
        code: the function's code.
        added: a name that is put into its closure.
    """
    for part in ("defaults", "kw_defaults"):
        given = getattr(node.args, part)
        setattr(node.args, part, [None] * len(given) if part == "kw_defaults" else [])
    for argument in ast.walk(node.args):
        if isinstance(argument, ast.arg):
            argument.annotation = None
    name = "made"
    if isinstance(node, ast.FunctionDef):
        node.decorator_list, node.returns, name = [], None, node.name
        if hasattr(node, "type_params"):
            node.type_params = []  # type: ignore[attr-defined]
        statements: list[ast.stmt] = [node, ast.Return(ast.Name(name, ast.Load()))]
    else:
        statements = [ast.Return(node)]
    free = [added, *(own for own in code.co_freevars if own != added)]
    factory = ast.parse(f"def factory({', '.join(free)}): pass").body[0]
    assert isinstance(factory, ast.FunctionDef)
    if isinstance(node, ast.FunctionDef) and node.name not in free:
        statements.insert(0, ast.Global([node.name]))  # it may call itself, by that name
    factory.body = statements
    for inner in ast.walk(factory):
        if isinstance(inner, ast.stmt | ast.expr) and not hasattr(inner, "lineno"):
            ast.copy_location(inner, node)
    tree = ast.fix_missing_locations(ast.Module([factory], []))
    flags = code.co_flags & FEATURES
    names: dict[str, Any] = {"__builtins__": builtins}
    exec(compile(tree, code.co_filename, "exec", flags, dont_inherit=True), names)
    made = names["factory"](*free)
    return made.__code__.replace(co_qualname=code.co_qualname)


def with_code(
    function: types.FunctionType, code: types.CodeType, added: Mapping[str, Any]
) -> types.FunctionType:
    """Returns a function like another one, with other code.

    Args:
        function: the function.
        code: the code; what it takes from its closure is in that of the function, or added.
        added: names and their values.
    """
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    closure = tuple(
        types.CellType(added[name]) if name in added else cells[name] for name in code.co_freevars
    )
    made = types.FunctionType(
        code, function.__globals__, function.__name__, function.__defaults__, closure
    )
    made.__kwdefaults__ = function.__kwdefaults__
    made.__dict__.update(function.__dict__)
    made.__doc__, made.__module__ = function.__doc__, function.__module__
    made.__qualname__, made.__annotations__ = function.__qualname__, function.__annotations__
    return made


Convert = Callable[[Any], Any]
