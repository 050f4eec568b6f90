"""What the functions of nested structures say of values."""

from typing import Any


def different_lengths(first: Any, second: Any) -> str:
    """Says that two structures differ in length."""
    return (
        "The two structures don't have the same number of elements. First structure: "
        f"{describe(first)}. Second structure: {describe(second)}"
    )


def describe(value: Any) -> str:
    """Shows a value and its type."""
    return f"type={type(value).__name__} str={value!s}"


def type_name(value: Any) -> str:
    """Names a type as C does: types that are written in C carry their module."""
    value_type = type(value)
    is_python_class = value_type.__flags__ & (1 << 9)
    if is_python_class or value_type.__module__ == "builtins":
        return value_type.__name__
    return f"{value_type.__module__}.{value_type.__name__}"


def truncate(value: Any) -> str:
    """Shows the beginning of a value."""
    text = str(value)
    return text if len(text) <= 100 else text[:100] + "..."
