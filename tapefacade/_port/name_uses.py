"""Reading which names of TensorFlow a program uses, without running it.

Names are followed through all forms of import and through assignments of names to names
(`K = tf.keras.backend`), each in its own scope: a parameter that is called as an imported module is
another thing. Functions are read after what surrounds them, as Python runs them later.

Of a value whose kind is clear, since a name of TensorFlow has made it and its variable holds
nothing else (`x = tf.constant(1)`), the members are uses, too: `tf.constant().numpy`. So are the
arguments of calls: `tf.zeros(dtype=)`, and `tf.zeros(2)` for two that have no name.
"""

import ast
import builtins
import contextlib
from collections.abc import Iterator, Sequence, Set
from typing import Any, NamedTuple

# The packages whose names are looked up, and what stands for them in dotted names.
ROOTS = {"tensorflow": "tf", "tapefacade": "tf", "keras": "keras"}
# Packages made for TensorFlow, which are not looked into.
RELATED_PACKAGES = {
    "gpflow", "sonnet", "tensorboard", "tensorflow_addons", "tensorflow_datasets",
    "tensorflow_graphics", "tensorflow_hub", "tensorflow_io", "tensorflow_probability",
    "tensorflow_text", "tf_agents", "tf_keras", "tflearn", "tf_slim",
}  # fmt: skip
# Whoever catches these expects that a name may be missing.
ERRORS_OF_MISSING_NAMES = {"ImportError", "ModuleNotFoundError", "AttributeError"}
BROAD_ERRORS = {"Exception", "BaseException"}
TAPES = {"tf.GradientTape", "tf.autodiff.GradientTape"}
NOTE_STAR = "`from {} import *`: names of it are looked up where nothing else has them"
NOTE_RELATED = "{} is made for TensorFlow and is not looked into"


class NameUse(NamedTuple):
    """One place at which a program uses a name.

    Attributes:
        name: the dotted name, such as `tf.math.log`.
        cell: the notebook's cell.
        line: the line, in the script or the cell.
        guarded: whether the program provides for the case that the name is missing.
        doubtful: whether the name may come from elsewhere: it may have been imported by a star.
        span: the lines and columns (in bytes) of its first and its last character.
    """

    name: str
    cell: int | None
    line: int
    guarded: bool
    doubtful: bool = False
    span: tuple[int, int, int, int] = (0, 0, 0, 0)


class UseNote(NamedTuple):
    """A remark on a place in a program."""

    text: str
    cell: int | None
    line: int


class _Scope:
    """The names that are bound in a module, class, function or comprehension."""

    def __init__(self, is_class: bool = False) -> None:
        self.names: dict[str, str | None] = {}  # the dotted name, if it is one of TensorFlow
        self.globals: set[str] = set()
        self.makers: dict[str, set[str | None]] = {}  # what has made the values of a name
        self.is_class = is_class


class Reader(ast.NodeVisitor):
    r"""Reads the parts of one program.

    Args:
        looked_into: the names of modules and packages that are read as well.

    Attributes:
        uses: the names that are used.
        details: members of values, and arguments.
        notes: remarks.

    >>> reader = Reader()
    >>> reader.read(ast.parse("import tensorflow as tf\nf = tf.math\nf.log(f.pi)"))
    >>> reader.finish()
    >>> [use.name for use in reader.uses]
    ['tf.math', 'tf.math.log', 'tf.math.pi']
    """

    def __init__(self, looked_into: Set[str] = frozenset()) -> None:
        self._related = RELATED_PACKAGES - looked_into  # those of which nothing has been said
        self.uses: list[NameUse] = []
        self.details: list[NameUse] = []
        self._of_values: list[tuple[_Scope, str, str, NameUse]] = []
        self.notes: list[UseNote] = []
        self._scopes = [_Scope()]
        self._cell: int | None = None
        self._guards = 0  # how many blocks around expect that names are missing
        self._later: list[Any] = []  # functions, and where they are
        self._stars: list[str] = []
        self._own: set[str] = set()  # names that the program has put into TensorFlow or asked for

    def read(self, tree: ast.AST, cell: int | None = None) -> None:
        """Reads a script, or the next cell of a notebook."""
        self._cell = cell
        self.visit(tree)

    def finish(self) -> None:
        """Reads the bodies of functions, and drops what cannot be missing."""
        while self._later:
            self._scopes, self._cell, node = self._later.pop(0)
            self._guards = 0
            self._read_function(node)
        for scope, name, rest, use in self._of_values:
            makers = scope.makers.get(name, set())
            if len(makers) == 1 and (maker := next(iter(makers))):
                self.details.append(use._replace(name=f"{maker}(){rest}"))
        self.uses = [
            use._replace(guarded=True) if self._is_own(use.name) else use for use in self.uses
        ]

    def _is_own(self, name: str) -> bool:
        return any(name == own or name.startswith(f"{own}.") for own in self._own)

    # Scopes.

    def _bind(self, name: str, dotted: str | None = None, maker: str | None = None) -> None:
        scope = self._scopes[-1]
        scope = self._scopes[0] if name in scope.globals else scope
        scope.names[name] = dotted
        scope.makers.setdefault(name, set()).add(maker)

    def _find(self, name: str) -> tuple[bool, str | None]:
        """Returns whether a name is bound, and the dotted name that it stands for."""
        for scope in reversed(self._scopes):
            if name in scope.names and (not scope.is_class or scope is self._scopes[-1]):
                return True, scope.names[name]
        return False, None

    def _dotted(self, node: ast.AST) -> str | None:
        if isinstance(node, ast.Name):
            return self._find(node.id)[1]
        if isinstance(node, ast.Attribute):
            value = self._dotted(node.value)
            return value and f"{value}.{node.attr}"
        return None

    @contextlib.contextmanager
    def _within(self, scope: _Scope) -> Iterator[None]:
        self._scopes = [*self._scopes, scope]
        yield
        self._scopes = self._scopes[:-1]

    def _use(self, name: str, node: Any, guarded: bool = False, doubtful: bool = False) -> None:
        self.uses.append(self._made(name, node, guarded, doubtful))

    def _made(self, name: str, node: Any, guarded: bool = False, doubtful: bool = False) -> NameUse:
        guarded = guarded or self._guards > 0
        span = node.lineno, node.col_offset, node.end_lineno, node.end_col_offset
        return NameUse(name, self._cell, node.lineno, guarded, doubtful, span)

    # Members of values, and arguments.

    def _maker(self, node: ast.expr | None) -> str | None:
        """Returns the name of TensorFlow that is called to make a value."""
        return self._dotted(node.func) if isinstance(node, ast.Call) else None

    def _detail(self, owner: ast.AST, rest: str, node: Any) -> None:
        """Takes note of a member of a value, or of its argument."""
        if isinstance(owner, ast.Name):
            for scope in reversed(self._scopes):
                if owner.id in scope.names and (not scope.is_class or scope is self._scopes[-1]):
                    self._of_values.append((scope, owner.id, rest, self._made("", node)))
                    return
        elif isinstance(owner, ast.Call) and (maker := self._maker(owner)):
            self.details.append(self._made(f"{maker}(){rest}", node))

    def _read_arguments(self, node: ast.Call) -> None:
        keywords = [keyword for keyword in node.keywords if keyword.arg]
        has_all = not any(isinstance(argument, ast.Starred) for argument in node.args)
        texts: list[tuple[str, Any]] = [(f"({keyword.arg}=)", keyword) for keyword in keywords]
        if node.args and has_all:
            texts.append((f"({len(node.args)})", node))
        for text, where in texts:
            if dotted := self._dotted(node.func):
                self.details.append(self._made(f"{dotted}{text}", where))
            elif isinstance(node.func, ast.Attribute):
                self._detail(node.func.value, f".{node.func.attr}{text}", where)

    def _note(self, text: str, node: ast.stmt) -> None:
        self.notes.append(UseNote(text, self._cell, node.lineno))

    # Imports.

    def _note_related(self, package: str, node: ast.stmt) -> None:
        if package in self._related:
            self._related = self._related - {package}
            self._note(NOTE_RELATED.format(package), node)

    def visit_Import(self, node: ast.Import) -> None:
        """Reads `import a.b as c`."""
        for alias in node.names:
            first = alias.name.partition(".")[0]
            dotted = _of_module(alias.name)
            if dotted is None:
                self._bind(alias.asname or first)
                self._note_related(first, node)
                continue
            if "." in dotted:
                self._use(dotted, node)
            self._bind(alias.asname or first, dotted if alias.asname else ROOTS[first])

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        """Reads `from a import b as c`."""
        module = "" if node.level else node.module or ""
        dotted = _of_module(module)
        self._note_related(module.partition(".")[0], node)
        for alias in node.names:
            if dotted is None:
                self._bind(alias.asname or alias.name)
            elif alias.name == "*":
                self._stars.append(dotted)
                self._note(NOTE_STAR.format(module), node)
            else:
                name = f"{dotted}.{alias.name}"
                self._use(name, node)
                self._bind(alias.asname or alias.name, name)

    # Names.

    def visit_Name(self, node: ast.Name) -> None:
        """Reads a name."""
        if not isinstance(node.ctx, ast.Load):
            self._bind(node.id)
            return
        bound, dotted = self._find(node.id)
        if dotted and "." in dotted:
            self._use(dotted, node)
        elif not bound and not hasattr(builtins, node.id):
            for star in self._stars:
                self._use(f"{star}.{node.id}", node, doubtful=True)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        """Reads a chain of attributes."""
        dotted = self._dotted(node)
        if dotted is None:
            self.generic_visit(node)
            if isinstance(node.ctx, ast.Load):
                self._detail(node.value, f".{node.attr}", node)
        elif isinstance(node.ctx, ast.Load):
            self._use(dotted, node)
        else:
            self._own.add(dotted)

    def visit_Call(self, node: ast.Call) -> None:
        """Reads a call; `hasattr` and `getattr` ask for names."""
        self.generic_visit(node)
        self._read_arguments(node)
        match node:
            case ast.Call(
                func=ast.Name(id="hasattr" | "getattr" as asked),
                args=[owner, ast.Constant(value=str(name)), *default],
            ) if dotted := self._dotted(owner):
                if asked == "hasattr":
                    self._own.add(f"{dotted}.{name}")
                else:
                    self._use(f"{dotted}.{name}", node, guarded=bool(default))

    # Assignments.

    def visit_Assign(self, node: ast.Assign) -> None:
        """Reads `a = b`."""
        self.visit(node.value)
        for target in node.targets:
            self._assign(target, node.value)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        """Reads `a: c = b`."""
        self.visit(node.annotation)
        if node.value is not None:
            self.visit(node.value)
            self._assign(node.target, node.value)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        """Reads `(a := b)`."""
        self.visit(node.value)
        self._assign(node.target, node.value)

    def _assign(self, target: ast.expr, value: ast.expr) -> None:
        sequences = (ast.Tuple, ast.List)
        if (
            isinstance(target, sequences)
            and isinstance(value, sequences)
            and len(target.elts) == len(value.elts)
        ):
            for inner, other in zip(target.elts, value.elts, strict=True):
                self._assign(inner, other)
        elif not isinstance(target, ast.Name):
            self.visit(target)
        elif not (isinstance(value, ast.Constant) and value.value is None):
            self._bind(target.id, self._dotted(value), self._maker(value))
        elif not self._find(target.id)[1]:  # `tf = None` where the import has failed
            self._bind(target.id)

    def visit_withitem(self, node: ast.withitem) -> None:
        """Reads `with a as b`; a tape is what its block is given."""
        self.visit(node.context_expr)
        maker = self._maker(node.context_expr)
        if isinstance(node.optional_vars, ast.Name) and maker in TAPES:
            self._bind(node.optional_vars.id, None, maker)
        elif node.optional_vars is not None:
            self.visit(node.optional_vars)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        """Reads `nonlocal a`: what is assigned there is not followed."""
        for scope in self._scopes:
            for name in node.names:
                scope.makers.setdefault(name, set()).add(None)

    def visit_For(self, node: ast.For | ast.AsyncFor) -> None:
        """Reads a loop: first what it goes through."""
        self._visit_all([node.iter, node.target, *node.body, *node.orelse])

    visit_AsyncFor = visit_For  # noqa: N815

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        """Reads `except a as b`."""
        if node.type is not None:
            self.visit(node.type)
        if node.name:
            self._bind(node.name)
        self._visit_all(node.body)

    def visit_MatchAs(self, node: ast.MatchAs | ast.MatchStar) -> None:
        """Reads a pattern that binds a name."""
        if node.name:
            self._bind(node.name)
        self.generic_visit(node)

    visit_MatchStar = visit_MatchAs  # noqa: N815

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        """Reads a pattern that may bind what is left."""
        if node.rest:
            self._bind(node.rest)
        self.generic_visit(node)

    def visit_Global(self, node: ast.Global) -> None:
        """Reads `global a`."""
        self._scopes[-1].globals.update(node.names)

    def visit_Try(self, node: ast.Try) -> None:
        """Reads `try`, which may expect that names are missing."""
        guards = any(_expects_missing(handler, node.body) for handler in node.handlers)
        self._guards += guards
        self._visit_all(node.body)
        self._guards -= guards
        self._visit_all([*node.handlers, *node.orelse, *node.finalbody])

    # Definitions.

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        """Reads the head of a function, and its body later."""
        returns = [node.returns] if node.returns else []
        self._visit_all([*node.decorator_list, *returns])
        self._bind(node.name)
        self._defer(node)

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815

    def visit_Lambda(self, node: ast.Lambda) -> None:
        """Reads the head of a function, and its body later."""
        self._defer(node)

    def _defer(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> None:
        arguments = node.args
        self._visit_all([*arguments.defaults, *filter(None, arguments.kw_defaults)])
        self._visit_all([a.annotation for a in _parameters(arguments) if a.annotation])
        scopes = [scope for scope in self._scopes if not scope.is_class]
        self._later.append((scopes, self._cell, node))

    def _read_function(self, node: Any) -> None:
        with self._within(_Scope()):
            for parameter in _parameters(node.args):
                self._bind(parameter.arg)
            self._visit_all(node.body if isinstance(node.body, list) else [node.body])

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """Reads a class."""
        self._visit_all([*node.decorator_list, *node.bases, *node.keywords])
        self._bind(node.name)
        with self._within(_Scope(is_class=True)):
            self._visit_all(node.body)

    def visit_ListComp(self, node: Any) -> None:
        """Reads a comprehension: first what it goes through."""
        results = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        with self._within(_Scope()):
            for part in node.generators:
                self._visit_all([part.iter, part.target, *part.ifs])
            self._visit_all(results)

    visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_ListComp  # noqa: N815

    def _visit_all(self, nodes: Sequence[ast.AST]) -> None:
        for node in nodes:
            self.visit(node)


def _of_module(module: str) -> str | None:
    """Returns the dotted name of a module, if it is one whose names are looked up."""
    first, *others = module.split(".")
    return ".".join([ROOTS[first], *others]) if first in ROOTS else None


def _parameters(arguments: ast.arguments) -> list[ast.arg]:
    rest = [a for a in (arguments.vararg, arguments.kwarg) if a is not None]
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *rest]


def _expects_missing(handler: ast.ExceptHandler, body: list[ast.stmt]) -> bool:
    """Tells whether a handler is there for names that are missing."""
    caught = handler.type
    kinds = caught.elts if isinstance(caught, ast.Tuple) else [caught]
    names = {kind.id for kind in kinds if isinstance(kind, ast.Name)}
    # What catches everything, around more than one statement, is there for something else.
    return bool(names & ERRORS_OF_MISSING_NAMES) or (
        len(body) == 1 and (caught is None or bool(names & BROAD_ERRORS))
    )
