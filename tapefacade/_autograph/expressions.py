"""Calls, `and`, `or`, `not`, comparisons and conditional expressions, as calls of operators."""

import ast
from typing import Any

from tapefacade._autograph.jumps import own_nodes, with_place_of

# What has no tensor in it, whatever its operands are.
_PYTHON_OPERATORS = (ast.Is, ast.IsNot, ast.In, ast.NotIn)
_LEFT_ALONE = frozenset({"super", "locals", "globals", "vars", "dir", "eval", "exec"})


class Expressions(ast.NodeTransformer):
    """Rewrites the expressions of one function; those of functions within it stay."""

    def __init__(self, first_argument: str) -> None:
        self._first_argument = first_argument

    def visit(self, node: ast.AST) -> Any:
        """Rewrites a node."""
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            return node
        return super().visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        self.generic_visit(node)
        if any(map(_binds, node.values)):
            return node
        which = "and_" if isinstance(node.op, ast.And) else "or_"
        *first, last = node.values
        for value in reversed(first):
            last = call(which, [later(value), later(last)], node)
        return last

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        self.generic_visit(node)
        if not isinstance(node.op, ast.Not) or is_python(node.operand):
            return node
        return call("not_", [node.operand], node)

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        self.generic_visit(node)
        middle = node.comparators[:-1]
        if not middle or not all(map(_is_simple, middle)):
            return node
        operands = [node.left, *node.comparators]
        parts = [
            ast.copy_location(ast.Compare(operands[k], [operator], [operands[k + 1]]), node)
            for k, operator in enumerate(node.ops)
        ]
        if any(map(_binds, operands)):
            return node
        last: ast.expr = parts[-1]
        for part in reversed(parts[:-1]):
            last = call("and_", [later(part), later(last)], node)
        return last

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        self.generic_visit(node)
        if is_python(node.test) or _binds(node.body) or _binds(node.orelse):
            return node
        return call("if_exp", [node.test, later(node.body), later(node.orelse)], node)

    def visit_Assert(self, node: ast.Assert) -> ast.stmt:
        self.generic_visit(node)
        if is_python(node.test) or (node.msg is not None and _binds(node.msg)):
            return node
        parts = [node.test]
        if node.msg is not None:
            parts.append(later(node.msg))
        return ast.copy_location(ast.Expr(call("assert_", parts, node)), node)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        named = node.func.id if isinstance(node.func, ast.Name) else ""
        if named == "super" and not node.args and self._first_argument:
            node.args = [
                ast.copy_location(ast.Name(name, ast.Load()), node)
                for name in ("__class__", self._first_argument)
            ]
        self.generic_visit(node)
        if named in _LEFT_ALONE or _is_ours(node.func):
            return node
        node.func = call("converted", [node.func], node.func)
        return node

    def visit_For(self, node: ast.For) -> ast.stmt:
        header = node.iter
        self.generic_visit(node)
        if isinstance(header, ast.Call) and header is node.iter:
            function = header.func
            if isinstance(function, ast.Call) and _is_ours(function.func):
                function.func.attr = "iterated"  # type: ignore[union-attr]
        return node


def call(which: str, arguments: list[ast.expr], place: ast.AST) -> ast.expr:
    """Makes the call of an operator."""
    name = with_place_of(ast.parse(f"ag__.{which}", mode="eval").body, place)
    return ast.copy_location(ast.Call(name, arguments, []), place)


def later(value: ast.expr) -> ast.expr:
    """Makes a function without arguments of an expression."""
    none = ast.arguments([], [], None, [], [], None, [])
    return ast.copy_location(ast.Lambda(none, value), value)


def is_python(node: ast.expr) -> bool:
    """Whether a condition is no tensor for sure: `x is None`, `isinstance(x, list)`."""
    if isinstance(node, ast.Compare):
        return all(isinstance(operator, _PYTHON_OPERATORS) for operator in node.ops) and all(
            not isinstance(operator, ast.In | ast.NotIn) for operator in node.ops
        )
    if isinstance(node, ast.Call):
        function = node.func
        if isinstance(function, ast.Call) and _is_ours(function.func) and function.args:
            function = function.args[0]
        return isinstance(function, ast.Name) and function.id in (
            "isinstance", "issubclass", "hasattr", "callable",
        )  # fmt: skip
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return is_python(node.operand)
    return isinstance(node, ast.Constant)


def _binds(node: ast.AST) -> bool:
    """Whether an expression assigns a variable, which a function of its own would keep."""
    return any(
        isinstance(inner, ast.NamedExpr | ast.Await | ast.Yield | ast.YieldFrom)
        for inner in own_nodes(node)
    )


def _is_simple(node: ast.expr) -> bool:
    """Whether an expression may be evaluated twice."""
    if isinstance(node, ast.Attribute):
        return _is_simple(node.value)
    if isinstance(node, ast.UnaryOp):
        return _is_simple(node.operand)
    return isinstance(node, ast.Name | ast.Constant)


def _is_ours(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "ag__"
    )
