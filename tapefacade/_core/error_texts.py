"""TensorFlow's wordings of the errors that more than one op raises."""

from collections.abc import Iterable
from typing import Any

from tapefacade._core.errors import InvalidArgumentError


def kernel_prefix(kernel: str) -> str:
    """Writes how TensorFlow begins an error that it finds while it computes an op."""
    return (
        f"{{{{function_node __wrapped__{kernel}_device_/job:localhost/replica:0/task:0/"
        "device:CPU:0}} "
    )


def kernel_suffix(kernel: str) -> str:
    """Writes how TensorFlow ends the error of an op.

    >>> kernel_suffix("MatMul")
    ' [Op:MatMul] name: '
    """
    return f" [Op:{kernel}] name: "


def shape_text(shape: Iterable[Any]) -> str:
    """Writes a shape as TensorFlow's kernels do.

    >>> shape_text((2, 3))
    '[2,3]'
    """
    return f"[{','.join(map(str, shape))}]"


def index_text(values: Iterable[Any]) -> str:
    """Writes an index as TensorFlow does.

    >>> index_text([0, 3])
    '[0, 3]'
    """
    return f"[{', '.join(str(int(v)) for v in values)}]"


def refused_value(attribute: str, given: str, allowed: Iterable[str], kernel: str = "") -> str:
    """Words that an attribute of an op has none of the allowed values.

    Args:
        attribute: TensorFlow's name of the attribute, such as `"T"`.
        given: the value, such as the kernel name of a dtype.
        allowed: the values it may have.
        kernel: the kernel, if TensorFlow names it here.

    Returns:
        The text.

    >>> refused_value("T", "bool", ("int32", "int64"))
    "Value for attr 'T' of bool is not in the list of allowed values: int32, int64"
    """
    node = f"\n\t; NodeDef: {{{{node {kernel}}}}}" if kernel else ""
    return (
        f"Value for attr '{attribute}' of {given} is not in the list of allowed values: "
        f"{', '.join(allowed)}{node}"
    )


def refused_choice(attribute: str, given: Any, choices: Iterable[str]) -> str:
    r"""Words that a text argument is none of the choices.

    >>> refused_choice("padding", "FULL", ("SAME", "VALID"))
    'Value for attr \'padding\' of "FULL" is not in the list of allowed values: "SAME", "VALID"'
    """
    return refused_value(attribute, f'"{given}"', [f'"{choice}"' for choice in choices])


def below_minimum(attribute: str, given: Any, minimum: int) -> str:
    """Words that an integer argument is too small.

    >>> below_minimum("num_split", 0, 1)
    "Value for attr 'num_split' of 0 must be at least minimum 1"
    """
    return f"Value for attr '{attribute}' of {given} must be at least minimum {minimum}"


def wrong_input(kernel: str, place: int, expected: str, given: str) -> str:
    """Words that an input of a kernel has a dtype that does not go with the others.

    >>> wrong_input("Mul", 1, "float", "double")
    'cannot compute Mul as input #1(zero-based) was expected to be a float tensor but is a double tensor'
    """  # noqa: E501
    return (
        f"cannot compute {kernel} as input #{place}(zero-based) was expected to be a {expected} "
        f"tensor but is a {given} tensor"
    )


def invalid(message: str) -> InvalidArgumentError:
    """Makes the exception of an op that refuses its arguments."""
    return InvalidArgumentError(None, None, message)


def refused_type(
    attribute: str, given: str, allowed: Iterable[str], kernel: str = ""
) -> InvalidArgumentError:
    """Makes the exception for an argument whose dtype is not among the `allowed` ones."""
    return invalid(refused_value(attribute, given, allowed, kernel))


def refused_input(kernel: str, place: int, expected: str, given: str) -> InvalidArgumentError:
    """Makes the exception of a kernel for an input that has the wrong dtype.

    Args:
        kernel: TensorFlow's name of the kernel.
        place: which input it is, counted from 0.
        expected: the kernel name of the dtype it should have.
        given: that of the dtype it has.

    Returns:
        The exception.
    """
    return invalid(wrong_input(kernel, place, expected, given) + kernel_suffix(kernel))


def unsupported(value: Any) -> ValueError:
    """Makes the exception for a value that is nothing a tensor could hold, such as None."""
    return ValueError(
        f"Attempt to convert a value ({value!r}) with an unsupported type ({type(value)!r}) to a "
        "Tensor."
    )


def inconvertible(value: Any, kernel_name: str) -> TypeError:
    """Makes the exception for a Python value that cannot have a certain dtype."""
    return TypeError(f"Cannot convert {value!r} to EagerTensor of dtype {kernel_name}")


def inconvertible_argument(value: Any, kernel_name: str = "int32") -> TypeError:
    """Makes that exception for a static argument of an op, where a list has become a tuple."""
    return inconvertible(list(value) if isinstance(value, tuple) else value, kernel_name)
