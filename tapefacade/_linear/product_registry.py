"""Products and quotients of two operators that are simpler than a composition, by their classes."""

from collections.abc import Callable
from typing import Any

Rule = Callable[[Any, Any], Any]
# (class of the left operator, class of the right one) -> what makes `left @ right`, or
# `left^-1 @ right`.
PRODUCTS: dict[tuple[type, type], Rule] = {}
QUOTIENTS: dict[tuple[type, type], Rule] = {}


def product(left: type, right: type) -> Callable[[Rule], Rule]:
    """Registers what `left @ right` is for operators of two classes."""
    return _entered(PRODUCTS, left, right)


def quotient(left: type, right: type) -> Callable[[Rule], Rule]:
    """Registers what `left.solve(right)` is for operators of two classes."""
    return _entered(QUOTIENTS, left, right)


def _entered(rules: dict[tuple[type, type], Rule], left: type, right: type) -> Any:
    def enter(rule: Rule) -> Rule:
        rules[left, right] = rule
        return rule

    return enter


def rule_of(rules: dict[tuple[type, type], Rule], left: Any, right: Any) -> Rule:
    """Returns the rule for two operators: that of the nearest class on the left, then right."""
    for first in type(left).__mro__:
        for second in type(right).__mro__:
            if (first, second) in rules:
                return rules[first, second]
    raise TypeError(f"There is no rule for {type(left).__name__} and {type(right).__name__}.")
