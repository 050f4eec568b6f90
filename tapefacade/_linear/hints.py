"""What the properties of operators say about those of their products."""

from collections.abc import Sequence
from typing import Any

MESSAGE_REAL_DIAGONAL = "A real diagonal operator is always self adjoint."


def square(left: Any, right: Any) -> bool | None:
    """Tells whether a product is square, if that is known."""
    if left.is_square and right.is_square:
        return True
    if left.is_square is False and right.is_square is False:
        return left.range_dimension == right.domain_dimension
    if None not in (left.is_square, right.is_square):
        return False
    return None


def non_singular(left: Any, right: Any) -> bool | None:
    """Tells whether a product of square operators is non-singular, if that is known."""
    if left.is_non_singular is False or right.is_non_singular is False:
        return False
    return left.is_non_singular and right.is_non_singular


def self_adjoint(left: Any, right: Any) -> bool | None:
    """Tells whether a product of operators that commute is self-adjoint, if that is known."""
    hints = (left.is_self_adjoint, right.is_self_adjoint)
    if all(hints):
        return True
    return False if True in hints and False in hints else None


def positive_definite(left: Any, right: Any) -> bool | None:
    """Tells whether a product of operators that commute is positive definite, if so."""
    hints = [(o.is_positive_definite, o.is_self_adjoint) for o in (left, right)]
    return True if hints == [(True, True)] * 2 else None


def hints_of_commuting(left: Any, right: Any) -> dict[str, Any]:
    """Returns the hints for a product of operators that commute."""
    return {
        "is_non_singular": non_singular(left, right),
        "is_self_adjoint": self_adjoint(left, right),
        "is_positive_definite": positive_definite(left, right),
        "is_square": True,
    }


def any_product(left: Any, right: Any) -> dict[str, Any]:
    """Returns the hints for a product of any two operators."""
    is_square = square(left, right)
    nothing = False if is_square is False else None
    return {
        "is_non_singular": non_singular(left, right) if is_square else nothing,
        "is_self_adjoint": nothing,
        "is_positive_definite": nothing,
        "is_square": is_square,
    }


def of(operator: Any) -> dict[str, Any]:
    """Returns the hints of an operator, which its adjoint and its inverse share."""
    return {
        "is_non_singular": operator.is_non_singular,
        "is_self_adjoint": operator.is_self_adjoint,
        "is_positive_definite": operator.is_positive_definite,
        "is_square": True,
    }


def from_parts(hint: bool | None, parts: Sequence[bool | None], message: str) -> bool | None:
    """Returns a hint that is true if it is for all parts.

    Raises:
        ValueError: if it is said to be false.
    """
    if not all(parts):
        return hint
    if hint is False:
        raise ValueError(message)
    return True


def agreed_hint(operator: Any, name: str, hint: bool | None, message: str) -> bool | None:
    """Returns a hint that is the same for another operator.

    Raises:
        ValueError: if they contradict each other.
    """
    both = {getattr(operator, name), hint}
    if both == {True, False}:
        raise ValueError(message)
    return next((value for value in both if value is not None), None)


def fixed_hint(hint: bool | None, value: bool, message: str) -> bool:
    """Returns what a hint always is for a kind of operator.

    Raises:
        ValueError: if it is said to be something else.
    """
    if hint is not None and hint is not value:
        raise ValueError(message)
    return value
