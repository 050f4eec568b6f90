"""`return`, `break` and `continue` as assignments, so that statements have one way in and out."""

import ast
import copy
from collections.abc import Collection, Sequence
from typing import TypeVar

from tapefacade._autograph.sources import NoSourceError

RETURNS = "ag__do_return"  # whether the function has returned
VALUE = "ag__retval_"  # what it returns
Loop = tuple[str, str] | None  # the flags of the loop around: for break and for continue
Block = list[ast.stmt]
Node = TypeVar("Node", bound=ast.AST)
MESSAGE_FINALLY = "a finally has a return, break or continue"


class Jumps:
    """Replaces the jumps of a function.

    Loops get an attribute `ending`: the flags after which they end.

    Attributes:
        returns: whether there are flags for `return`.
    """

    def __init__(self) -> None:
        self.returns = False
        self._loops = 0

    def without(self, function: ast.FunctionDef) -> None:
        """Replaces the jumps in a function; leaves it as it is if nothing has to be replaced.

        Raises:
            NoSourceError: if that is not possible.
        """
        if not any(
            isinstance(node, ast.Return) for s in function.body[:-1] for node in own_nodes(s)
        ):
            last = function.body[-1]
            if isinstance(last, ast.Return) and len(function.body) == 1:
                return
            if isinstance(last, ast.Return):
                function.body[:-1], _ = self._block(function.body[:-1], None)
                return
        function.body, _ = self._block(function.body, None)
        if self.returns:
            first, last = function.body[0], function.body[-1]
            function.body = [
                _put(RETURNS, ast.Constant(False), first),
                *function.body,
                *_parsed(f"return ag__.returned(lambda: {VALUE})", last),
            ]

    def _block(self, statements: Sequence[ast.stmt], loop: Loop) -> tuple[Block, set[str]]:
        """Returns statements without jumps, and the flags that they may set."""
        made: Block = []
        for place, statement in enumerate(statements):
            rest = statements[place + 1 :]
            if isinstance(statement, ast.Return):
                self.returns = True
                value = statement.value or ast.copy_location(ast.Constant(None), statement)
                made += [
                    _put(RETURNS, ast.Constant(True), statement),
                    _put(VALUE, value, statement),
                ]
                return made, {RETURNS}
            if isinstance(statement, ast.Break | ast.Continue):
                assert loop is not None
                flag = loop[isinstance(statement, ast.Continue)]
                return [*made, _put(flag, ast.Constant(True), statement)], {flag}
            if isinstance(statement, ast.If):
                return self._branches(made, statement, rest, loop)
            found = self._within(made, statement, loop)
            if found and rest:
                return self._guarded(made, found, rest, loop)
            if found:
                return made, found
        return made or [ast.Pass()], set()

    def _branches(
        self, made: Block, statement: ast.If, rest: Sequence[ast.stmt], loop: Loop
    ) -> tuple[Block, set[str]]:
        """Adds a condition, and what follows it."""
        ends = _ends(statement.body), _ends(statement.orelse)
        body, orelse = list(statement.body), list(statement.orelse)
        if ends == (True, False):  # what follows belongs to the other branch
            orelse, rest = [*orelse, *rest], []
        elif ends == (False, True):
            body, rest = [*body, *rest], []
        first, flags = self._block(body, loop)
        second, others = self._block(orelse, loop) if orelse else ([], set())
        made.append(ast.copy_location(ast.If(statement.test, first, second), statement))
        found = flags | others
        if not rest:
            return made, found
        if ends == (True, True):
            return made, found  # what follows is never reached
        if found:
            return self._guarded(made, found, rest, loop)
        after, flags = self._block(rest, loop)
        return [*made, *after], flags

    def _guarded(
        self, made: Block, found: set[str], rest: Sequence[ast.stmt], loop: Loop
    ) -> tuple[Block, set[str]]:
        after, flags = self._block(rest, loop)
        guard = ast.If(none_of(found, rest[0]), after, [])
        return [*made, ast.copy_location(guard, rest[0])], found | flags

    def _within(self, made: Block, statement: ast.stmt, loop: Loop) -> set[str]:
        """Adds a statement; returns the flags that it may set."""
        found: set[str] = set()
        if isinstance(statement, ast.While | ast.For):
            return self._loop(made, statement, loop)
        if isinstance(statement, ast.With):
            statement.body, found = self._block(statement.body, loop)
        elif isinstance(statement, ast.Match):
            for case in statement.cases:
                case.body, flags = self._block(case.body, loop)
                found |= flags
        elif isinstance(statement, ast.Try | ast.TryStar):
            found = self._try(statement, loop)
        made.append(statement)
        return found

    def _try(self, statement: ast.Try | ast.TryStar, loop: Loop) -> set[str]:
        if any(isinstance(n, ast.Return) for s in statement.finalbody for n in own_nodes(s)):
            raise NoSourceError(MESSAGE_FINALLY)
        statement.body, found = self._block(statement.body, loop)
        final, flags = self._block(statement.finalbody, loop)
        if flags:
            raise NoSourceError(MESSAGE_FINALLY)
        statement.finalbody = final if statement.finalbody else []
        if statement.orelse:
            orelse: Block
            orelse, flags = self._block(statement.orelse, loop)
            if found:
                guard = ast.If(none_of(found, statement.orelse[0]), orelse, [])
                orelse = [ast.copy_location(guard, statement.orelse[0])]
            statement.orelse, found = orelse, found | flags
        for handler in statement.handlers:
            handler.body, flags = self._block(handler.body, loop)
            found |= flags
        return found

    def _loop(self, made: Block, statement: ast.While | ast.For, loop: Loop) -> set[str]:
        self._loops += 1
        flags = f"ag__break_{self._loops}", f"ag__continue_{self._loops}"
        body, found = self._block(statement.body, flags)
        ends = [flag for flag in (flags[0], RETURNS) if flag in found]
        if isinstance(statement, ast.While) and _binds(statement.test):
            body += self._asked_before(made, statement, ends)
        made += [_put(flag, ast.Constant(False), statement) for flag in flags if flag in found]
        if flags[1] in found:
            body = [_put(flags[1], ast.Constant(False), statement), *body]
        statement.body = body
        statement.ending = ends  # type: ignore[union-attr]
        orelse, statement.orelse = statement.orelse, []
        made.append(statement)
        found -= set(flags)
        if orelse:
            after, more = self._block(orelse, loop)
            if ends:
                test = none_of(ends, orelse[0])
                made.append(ast.copy_location(ast.If(test, after, []), orelse[0]))
            else:
                made += after
            found |= more
        return found

    def _asked_before(self, made: Block, statement: ast.While, ends: Collection[str]) -> Block:
        """Takes what a condition assigns out of it: it is asked before each iteration.

        Returns:
            What follows at the end of an iteration.
        """
        goes_on = f"ag__goes_on_{self._loops}"
        test = statement.test
        made.append(_put(goes_on, test, statement))
        again: Block = [_put(goes_on, copy.deepcopy(test), statement)]
        statement.test = ast.copy_location(ast.Name(goes_on, ast.Load()), test)
        if not ends:
            return again
        return [ast.copy_location(ast.If(none_of(ends, statement), again, []), statement)]


def _binds(test: ast.expr) -> bool:
    return any(isinstance(node, ast.NamedExpr) for node in own_nodes(test))


def own_nodes(node: ast.AST) -> list[ast.AST]:
    """Returns a node and all below it that belong to the same function."""
    found = [node]
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
        return found
    for child in ast.iter_child_nodes(node):
        found += own_nodes(child)
    return found


def none_of(flags: Collection[str], place: ast.AST) -> ast.expr:
    """Makes the expression that none of some flags is set."""
    parts = [f"ag__.not_({flag})" for flag in sorted(flags)]
    text = parts[-1]
    for part in reversed(parts[:-1]):
        text = f"ag__.and_(lambda: {part}, lambda: {text})"
    return with_place_of(ast.parse(text, mode="eval").body, place)


def with_place_of(made: Node, place: ast.AST) -> Node:
    """Gives all of a tree the place of another node."""
    for node in ast.walk(made):
        if "lineno" in node._attributes:
            ast.copy_location(node, place)
    return made


def _parsed(text: str, place: ast.AST) -> Block:
    return [with_place_of(statement, place) for statement in ast.parse(text).body]


def _put(name: str, value: ast.expr, place: ast.AST) -> ast.stmt:
    target = ast.Name(name, ast.Store())
    made = ast.Assign([target], value)
    for node in (made, target, value):
        if not hasattr(node, "lineno"):
            ast.copy_location(node, place)
    return made


def _ends(statements: Sequence[ast.stmt]) -> bool:
    """Whether statements end in a jump, on all ways."""
    last = statements[-1] if statements else None
    if isinstance(last, ast.If):
        return _ends(last.body) and _ends(last.orelse)
    if isinstance(last, ast.With):
        return _ends(last.body)
    return isinstance(last, ast.Return | ast.Break | ast.Continue)
