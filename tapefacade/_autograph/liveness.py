"""Which names a function reads after a statement: those that the statement has to hand on.

Jumps have been replaced before, so that every statement has one way in and one way out. Names are
those of variables, and attributes such as `self.total`.
"""

import ast
from collections.abc import Iterable, Sequence

from tapefacade._autograph.jumps import own_nodes

Names = frozenset[str]
# Methods that change the list, dictionary or set that they belong to.
MUTATORS = frozenset({
    "append", "appendleft", "extend", "insert", "pop", "popleft", "popitem", "remove", "discard",
    "clear", "add", "update", "setdefault", "sort", "reverse",
})  # fmt: skip


def dotted(node: ast.AST) -> str:
    """Returns the name of a variable or attribute; "" for any other expression."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        base = dotted(node.value)
        return f"{base}.{node.attr}" if base else ""
    return ""


def names_read(nodes: Iterable[ast.AST]) -> Names:
    """Returns what some nodes read, functions within them included."""
    found = set()
    for node in nodes:
        for inner in ast.walk(node):
            if isinstance(inner, ast.Name) and not isinstance(inner.ctx, ast.Store):
                found.add(inner.id)
            elif isinstance(inner, ast.Attribute) and (name := dotted(inner)):
                found.add(name)
            elif isinstance(inner, ast.AugAssign):
                found.add(dotted(inner.target))
    return frozenset(found - {""})


def names_stored(nodes: Iterable[ast.AST]) -> list[str]:
    """Returns what some nodes assign, in the order of the text; functions within them do not."""
    found: dict[str, None] = {}
    for node in nodes:
        for inner in own_nodes(node):
            for name in _stored(inner):
                found[name] = None
    return list(found)


def _stored(node: ast.AST) -> list[str]:
    if isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
        return []
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del):
        return [node.id]
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store | ast.Del):
        return [name] if (name := dotted(node)) else []
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.alias):
        return [(node.asname or node.name).partition(".")[0]]
    if isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar):
        return [node.name] if node.name else []
    if isinstance(node, ast.MatchMapping):
        return [node.rest] if node.rest else []
    return []


def names_changed(nodes: Iterable[ast.AST]) -> list[str]:
    """Returns the containers that some nodes may change: `x.append(1)`, `x[0] = 1`."""
    found: dict[str, None] = {}
    for node in nodes:
        for inner in own_nodes(node):
            name = ""
            if isinstance(inner, ast.Subscript) and not isinstance(inner.ctx, ast.Load):
                base = inner.value
                while isinstance(base, ast.Subscript):
                    base = base.value
                name = dotted(base)
            elif isinstance(inner, ast.Call):
                function = called_function(inner)
                if isinstance(function, ast.Attribute) and function.attr in MUTATORS:
                    base = function.value
                    while isinstance(base, ast.Subscript):
                        base = base.value
                    name = dotted(base)
            if name:
                found[name] = None
    return list(found)


def called_function(node: ast.Call) -> ast.expr:
    """Returns what the user's text calls, in the call of an operator too."""
    function = node.func
    if isinstance(function, ast.Call) and dotted(function.func).startswith("ag__."):
        return function.args[0]
    return function


class Liveness:
    """Follows what is read backwards through a function.

    Conditions and loops get two attributes: `live`, the names that are read after them, and
    `again`, those that are read in them before they assign them. What inner functions read counts
    as read everywhere.
    """

    def __init__(self, function: ast.FunctionDef) -> None:
        inner = _inner_functions(function.body)
        declared = [
            name for statement in function.body for node in own_nodes(statement)
            if isinstance(node, ast.Global | ast.Nonlocal) for name in node.names
        ]  # fmt: skip
        parts = [part for node in inner for part in _within(node)]
        self._always = names_read(parts) | frozenset(declared)
        self.block(function.body, self._always)

    def block(self, statements: Sequence[ast.stmt], after: Names) -> Names:
        """Returns what is read before some statements, given what is read after them."""
        for statement in reversed(statements):
            after = self._before(statement, after) | self._always
        return after

    def _before(self, statement: ast.stmt, after: Names) -> Names:
        match statement:
            case ast.If():
                statement.live = after  # type: ignore[attr-defined]
                branches = self.block(statement.body, after) | self.block(statement.orelse, after)
                statement.again = branches  # type: ignore[attr-defined]
                return names_read([statement.test]) | (branches - _names_bound(statement.test))
            case ast.While():
                return self._loop(statement, after, names_read([statement.test]), frozenset())
            case ast.For():
                target = frozenset(names_stored([statement.target]))
                reads = names_read([statement.iter])
                return reads | self._loop(statement, after, frozenset(), target)
            case ast.With():
                body = self.block(statement.body, after)
                targets = names_stored(i.optional_vars for i in statement.items if i.optional_vars)
                return (body - frozenset(targets)) | names_read(statement.items)
            case ast.Try() | ast.TryStar():
                return self._try(statement, after)
            case ast.Match():
                cases = [self.block(case.body, after) for case in statement.cases]
                return after.union(names_read([statement]), *cases)
            case ast.FunctionDef() | ast.ClassDef() | ast.AsyncFunctionDef():
                return after | names_read([statement])
            case ast.Assign() | ast.AnnAssign() | ast.Expr() | ast.Return():
                target = getattr(statement, "target", None)
                targets = getattr(statement, "targets", [target])
                stored = names_stored(t for t in targets if t is not None)
                value = getattr(statement, "value", None)
                killed = frozenset(n for n in stored if "." not in n and value is not None)
                killed |= _names_bound(value)
                return (after - killed) | names_read([statement])
        return after | names_read([statement])

    def _loop(
        self, statement: ast.While | ast.For, after: Names, reads: Names, target: Names
    ) -> Names:
        ending = frozenset(getattr(statement, "ending", ()))
        again = after | reads | ending
        while True:
            before = self.block(statement.body, again) - target
            if before <= again:
                break
            again |= before
        statement.live = after  # type: ignore[attr-defined]
        statement.again = again  # type: ignore[attr-defined]
        return again

    def _try(self, statement: ast.Try | ast.TryStar, after: Names) -> Names:
        """Any statement of the body may be the last one."""
        final = self.block(statement.finalbody, after)
        caught = [self.block(handler.body, final) for handler in statement.handlers]
        kinds = [h.type for h in statement.handlers if h.type is not None]
        before, self._always = self._always, self._always.union(final, names_read(kinds), *caught)
        try:
            return self.block([*statement.body, *statement.orelse], final)
        finally:
            self._always = before


def _inner_functions(nodes: Iterable[ast.AST]) -> list[ast.AST]:
    """Returns what is called later than where it stands, unlike what operators are given."""
    every = [part for node in nodes for part in own_nodes(node)]
    called_here = {
        id(argument) for node in every
        if isinstance(node, ast.Call) and dotted(node.func).startswith("ag__.")
        for argument in node.args
    }  # fmt: skip
    found: list[ast.AST] = []
    for node in every:
        if isinstance(node, ast.Lambda) and id(node) in called_here:
            found += _inner_functions([node.body])
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            found.append(node)
    return found


def _names_bound(test: ast.expr | None) -> Names:
    """Returns what an expression assigns for sure, as in `(x := f()) > 0`."""
    if isinstance(test, ast.NamedExpr):
        return _names_bound(test.value) | {test.target.id}
    if isinstance(test, ast.Compare):
        return _names_bound(test.left) | _names_bound(test.comparators[0])
    if isinstance(test, ast.BinOp):
        return _names_bound(test.left) | _names_bound(test.right)
    if isinstance(test, ast.UnaryOp):
        return _names_bound(test.operand)
    if isinstance(test, ast.Call):
        return frozenset().union(*map(_names_bound, test.args))
    return frozenset()


def _within(node: ast.AST) -> list[ast.AST]:
    """Returns what runs later: the body of a function."""
    if isinstance(node, ast.Lambda):
        return [node.body]
    return list(getattr(node, "body", ()))
