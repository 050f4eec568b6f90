"""Rewrites `if`, `while` and `for` as calls of operators; their blocks become functions."""

import ast
from collections.abc import Iterable, Sequence

from tapefacade._autograph.expressions import call, is_python, later
from tapefacade._autograph.jumps import Block, none_of, own_nodes, with_place_of
from tapefacade._autograph.liveness import called_function, dotted, names_changed, names_stored

DIRECTIVE = "set_loop_options"
# What a part that is a function of its own cannot hold.
_PYTHON_ONLY = (
    ast.Yield, ast.YieldFrom, ast.Await, ast.Import, ast.ImportFrom, ast.ClassDef, ast.Delete,
    ast.AsyncFor, ast.AsyncWith,
)  # fmt: skip


class Statements:
    """Rewrites the statements of one function, whose liveness is known.

    Attributes:
        staged: how many statements have become calls.
    """

    def __init__(self, function: ast.FunctionDef) -> None:
        self.staged = 0
        nodes = [node for statement in function.body for node in own_nodes(statement)]
        self._globals = _declared(nodes, ast.Global)
        self._free = _declared(nodes, ast.Nonlocal)
        # What functions within this one assign here: any call may change it.
        inner = [
            node for node in nodes
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        ]  # fmt: skip
        self._shared = sorted(_declared((n for f in inner for n in ast.walk(f)), ast.Nonlocal))
        arguments = {a.arg for a in ast.walk(function.args) if isinstance(a, ast.arg)}
        self._local = {n for n in names_stored(function.body) if "." not in n}
        self._local -= self._globals | self._free
        function.body = self.block(function.body)
        bound = sorted(self._local - arguments)
        if bound and self.staged:  # names of this function, also where only parts assign them
            text = f"if 0: {' = '.join(bound)} = None"
            function.body = [*_made(text, function.body[0]), *function.body]
        declared = [
            *_made(f"global {', '.join(sorted(self._globals))}", function),
        ] if self._globals else []  # fmt: skip
        if self._free:
            declared += _made(f"nonlocal {', '.join(sorted(self._free))}", function)
        function.body = [*declared, *function.body]

    def block(self, statements: Sequence[ast.stmt]) -> Block:
        """Rewrites a list of statements."""
        made: Block = []
        for statement in statements:
            made += self._rewritten(statement)
        return made or [ast.Pass()]

    def _rewritten(self, statement: ast.stmt) -> Block:
        if isinstance(statement, ast.Global | ast.Nonlocal):
            return []
        if isinstance(statement, ast.If | ast.While | ast.For):
            if _stays_python(statement):
                self._within(statement, ("body", "orelse"))
                return self._plain_loop(statement)
            return (
                self._branch(statement) if isinstance(statement, ast.If) else self._loop(statement)
            )
        if isinstance(statement, ast.With | ast.Try | ast.TryStar):
            self._within(statement, ("body", "orelse", "finalbody"))
            for handler in getattr(statement, "handlers", ()):
                self._within(handler, ("body",))
        elif isinstance(statement, ast.Match):
            for case in statement.cases:
                self._within(case, ("body",))
        return [statement]

    def _within(self, node: ast.AST, parts: Sequence[str]) -> None:
        """Rewrites the blocks of a node."""
        for part in parts:
            if getattr(node, part, None):
                setattr(node, part, self.block(getattr(node, part)))

    def _plain_loop(self, statement: ast.If | ast.While | ast.For) -> Block:
        """Ends a loop that stays Python where its flags say so."""
        ending: tuple[str, ...] = tuple(getattr(statement, "ending", ()))
        if ending and isinstance(statement, ast.While):
            test = none_of(ending, statement)
            statement.test = ast.copy_location(
                ast.BoolOp(ast.And(), [test, statement.test]), statement.test
            )
        elif ending and isinstance(statement, ast.For):
            flags = " or ".join(sorted(ending))
            statement.body += _made(f"if {flags}: break", statement)
        return [statement]

    # Statements that become calls.

    def _branch(self, statement: ast.If) -> Block:
        nodes = [*statement.body, *statement.orelse]
        live, again = statement.live, statement.again  # type: ignore[attr-defined]
        stored = names_stored(nodes)
        # What only the branches read is put back to what it was before each of them is recorded.
        names = [n for n in stored if n in live or "." in n]
        within = [n for n in stored if n not in names and n in again]
        number, made, state = self._state(statement, names, nodes, within)
        shared = {*names, *again}
        body = self.block(statement.body)
        made.append(self._part(f"ag__if_{number}", body, statement, shared))
        orelse = self.block(statement.orelse)
        made.append(self._part(f"ag__else_{number}", orelse, statement, shared))
        parts = [statement.test, *_expressions(f"ag__if_{number}, ag__else_{number}", statement)]
        made.append(_expression(call("if_stmt", [*parts, *state], statement), statement))
        return made

    def _loop(self, statement: ast.While | ast.For) -> Block:
        is_for = isinstance(statement, ast.For)
        targets = [statement.target] if is_for else []
        nodes: list[ast.AST] = [*targets, *statement.body]
        if not is_for:
            nodes.append(statement.test)
        again = statement.again  # type: ignore[attr-defined]
        live = statement.live  # type: ignore[attr-defined]
        given = set(names_stored(targets))
        carried = [
            name for name in names_stored(nodes)
            if "." in name or name in live or (name in again and name not in given)
        ]  # fmt: skip
        number, made, state = self._state(statement, carried, nodes)
        options = _options(statement)
        body = self.block(statement.body)
        if is_for:
            value = ast.copy_location(ast.Name("ag__target", ast.Load()), statement.target)
            body.insert(0, ast.copy_location(ast.Assign([statement.target], value), statement))
        title = f"ag__body_{number}"
        shared = {*carried, *again}
        made.append(self._part(title, body, statement, shared, "ag__target" if is_for else ""))
        test = _test(statement)
        names = f"None, {title}"
        if test is not None:
            result: Block = [ast.copy_location(ast.Return(test), test)]
            made.append(self._part(f"ag__test_{number}", result, statement, shared))
            names = f"ag__test_{number}, {title}"
        parts = [statement.iter] if is_for else []
        parts += _expressions(names, statement)
        state.append(options)
        if isinstance(statement, ast.For) and isinstance(statement.target, ast.Name):
            state.append(ast.copy_location(ast.Constant(statement.target.id), statement))
        which = "for_stmt" if is_for else "while_stmt"
        made.append(_expression(call(which, [*parts, *state], statement), statement))
        return made

    def _state(
        self, statement: ast.stmt, names: list[str], nodes: Sequence[ast.AST],
        within: Sequence[str] = (),
    ) -> tuple[int, Block, list[ast.expr]]:  # fmt: skip
        """Makes the functions that get and put what a statement hands on.

        Containers that it may change are part of it; last come those that are no variables of the
        function, and cannot be put.

        Args:
            statement: the statement.
            names: what it hands on.
            nodes: its parts.
            within: what it assigns, and nobody reads after it.

        Returns:
            The number of the statement, the functions, and what the operator is given: the
            functions, the names, how many of them are handed on, are assigned, and can be put, and
            the line.
        """
        self.staged += 1
        number = self.staged
        if any(isinstance(n, ast.Call) for node in nodes for n in own_nodes(node)):
            names = [*names, *(n for n in self._shared if n not in names)]
        stored = set(names_stored(nodes))
        # An attribute of what the statement makes itself is no state of it.
        names = [n for n in names if "." not in n or n.partition(".")[0] not in stored]
        changed = [
            n for n in names_changed(nodes)
            if n not in names and n not in stored and n.partition(".")[0] not in stored
        ]  # fmt: skip
        ours = self._local | self._globals | self._free
        fixed = [n for n in changed if "." not in n and n not in ours]
        results = len(names)
        names += within
        held = [*names, *(n for n in changed if n not in fixed)]
        every = [*held, *fixed]
        text = f"def ag__get_{number}():\n    return ("
        text += "".join(f"ag__.load(lambda: {n}), " for n in every) + ")\n"
        text += f"def ag__put_{number}(ag__values):\n"
        scope = self._scope(n for n in held if "." not in n)
        text += f"    {scope or 'pass'}\n"
        for place, name in enumerate(held):
            if "." in name:
                base, _, attribute = name.rpartition(".")
                text += f"    ag__.put(lambda: {base}, {attribute!r}, ag__values[{place}])\n"
            else:
                text += f"    {name} = ag__values[{place}]\n"
                text += f"    if ag__.is_undefined({name}): del {name}\n"
        counts = f"({results}, {len(names)}, {len(held)})"
        state = f"ag__get_{number}, ag__put_{number}, {tuple(every)!r}, {counts}"
        state += f", {statement.lineno}"
        return number, _made(text, statement), _expressions(state, statement)

    def _scope(self, names: Iterable[str]) -> str:
        """Declares names of the function for one of its parts."""
        names = dict.fromkeys(names)
        outer = [n for n in names if n in self._globals]
        own_names = [n for n in names if n not in self._globals]
        found = [f"global {', '.join(outer)}"] if outer else []
        if own_names:
            found.append(f"nonlocal {', '.join(own_names)}")
        return "; ".join(found)

    def _part(
        self, title: str, body: Block, place: ast.AST, shared: set[str], argument: str = ""
    ) -> ast.stmt:
        """Makes a function of a part of a statement.

        Args:
            title: its name.
            body: what it does.
            place: where it stands.
            shared: the names that it shares with the function; others are its own.
            argument: the name of its argument.
        """
        (made,) = _made(f"def {title}({argument}): pass", place)
        assert isinstance(made, ast.FunctionDef)
        stored = [n for n in names_stored(body) if "." not in n]
        inner = [n for node in body for part in own_nodes(node) for n in _nonlocal(part)]
        ours = self._local | self._globals | self._free
        names = [n for n in dict.fromkeys([*stored, *inner]) if n in ours]
        shared = shared | self._globals | self._free | set(self._shared)
        scope = self._scope(n for n in names if n in shared)
        made.body = [*(_made(scope, place) if scope else []), *body]
        alone = [n for n in names if n not in shared]
        if alone:
            made.body = [*_made(f"if 0: {' = '.join(alone)} = None", place), *made.body]
        return made


def _stays_python(statement: ast.If | ast.While | ast.For) -> bool:
    if any(isinstance(node, _PYTHON_ONLY) for node in own_nodes(statement)):
        return True
    return isinstance(statement, ast.If) and is_python(statement.test)


def _options(statement: ast.While | ast.For) -> ast.expr:
    """Takes the options out of the body of a loop: what `set_loop_options` is called with."""
    for place, inner in enumerate(statement.body):
        if not isinstance(inner, ast.Expr) or not isinstance(inner.value, ast.Call):
            continue
        function = dotted(called_function(inner.value))
        if function.rpartition(".")[2] != DIRECTIVE:
            continue
        del statement.body[place]
        made = ast.Call(ast.Name("dict", ast.Load()), [], inner.value.keywords)
        statement.body = statement.body or [ast.copy_location(ast.Pass(), inner)]
        return later(placed_alone(made, inner))
    return ast.copy_location(ast.Constant(None), statement)


def placed_alone(made: ast.Call, place: ast.AST) -> ast.expr:
    """Gives a call and the name that it calls the place of another node; not its arguments."""
    for node in (made, made.func):
        ast.copy_location(node, place)
    return made


def _test(statement: ast.While | ast.For) -> ast.expr | None:
    """Returns whether a loop goes on: its condition, and that no flag is set."""
    ending: tuple[str, ...] = tuple(getattr(statement, "ending", ()))
    flags = none_of(ending, statement) if ending else None
    if isinstance(statement, ast.For):
        return flags
    test = statement.test
    if flags is None:
        return test
    if isinstance(test, ast.Constant) and test.value:
        return flags
    return call("and_", [later(flags), later(test)], test)


def _nonlocal(node: ast.AST) -> list[str]:
    """Returns what a part within a part declares, and so the part has to."""
    if not isinstance(node, ast.FunctionDef):
        return []
    return [n for s in node.body if isinstance(s, ast.Nonlocal) for n in s.names]


def _declared(nodes: Iterable[ast.AST], kind: type[ast.Global] | type[ast.Nonlocal]) -> set[str]:
    return {name for node in nodes if isinstance(node, kind) for name in node.names}


def _made(text: str, place: ast.AST) -> Block:
    return [with_place_of(statement, place) for statement in ast.parse(text).body]


def _expressions(text: str, place: ast.AST) -> list[ast.expr]:
    parsed = ast.parse(f"({text},)", mode="eval").body
    assert isinstance(parsed, ast.Tuple)
    return [with_place_of(part, place) for part in parsed.elts]


def _expression(value: ast.expr, place: ast.AST) -> ast.stmt:
    return ast.copy_location(ast.Expr(value), place)
