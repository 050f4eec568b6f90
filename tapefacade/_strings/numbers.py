"""Numbers as texts and texts as numbers: as_string, to_number."""

import math
import re
from typing import Any

import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert
from tapefacade._core.tensor import EagerTensor, from_host
from tapefacade._definition.op import function
from tapefacade._strings.arguments import WHITE_SPACE, each, failed, not_allowed, text_array, texts

NUMBER_TYPES = ("float", "double", "int32", "int64", "uint32", "uint64")
FLOAT = re.compile(rb"[+-]?(\d+\.?\d*([eE][+-]?\d+)?|\.\d+([eE][+-]?\d+)?|inf|infinity|nan)", re.I)
HEX_FLOAT = re.compile(rb"[+-]?0[xX]([0-9a-f]+\.?[0-9a-f]*|\.[0-9a-f]+)(p[+-]?\d+)?", re.I)
INTEGER = re.compile(rb"[+-]?\d+")


@function("strings.to_number", dispatch=True, elementwise=1, on_values=True)
def to_number(input: Any, out_type: Any = dtypes.float32, name: str | None = None) -> EagerTensor:
    """Reads the number that each text writes.

    Args:
        input: texts of any shape; white space around the number is allowed.
        out_type: float32, float64, int32, int64, uint32 or uint64.
        name: ignored.

    Returns:
        A tensor of `out_type`, of the shape of `input`.

    Raises:
        InvalidArgumentError: if a text is no number, or one that `out_type` cannot hold.

    >>> tf.strings.to_number(["1.5", "-2"]).numpy()
    array([ 1.5, -2. ], dtype=float32)
    """
    dtype = dtypes.as_dtype(out_type)
    array = texts(input, "StringToNumber")
    if dtype.kernel_name not in NUMBER_TYPES:
        raise not_allowed("StringToNumber", "out_type", dtype.kernel_name, NUMBER_TYPES)
    numbers = []
    for text in array.flat:
        number = read_number(text, dtype)
        if number is None:
            shown = text.decode(errors="replace")
            raise failed(
                "StringToNumber", f"StringToNumberOp could not correctly convert string: {shown}"
            )
        numbers.append(number)
    with np.errstate(over="ignore"):
        return from_host(np.array(numbers, dtype._numpy).reshape(array.shape))


def read_number(text: bytes, dtype: dtypes.DType) -> Any:
    """Returns the number that a text writes, or None if it writes none of that dtype."""
    text = text.strip(WHITE_SPACE)
    if dtype.is_floating:
        if FLOAT.fullmatch(text):
            return float(text)
        return float.fromhex(text.decode()) if HEX_FLOAT.fullmatch(text) else None
    if not INTEGER.fullmatch(text):
        return None
    if text.startswith(b"-") and dtype.is_unsigned:
        return None
    number = int(text)
    return number if dtype.min <= number <= dtype.max else None


@function("strings.as_string", "as_string", dispatch=True, elementwise=1, on_values=True)
def as_string(
    input: Any,
    precision: int = -1,
    scientific: bool = False,
    shortest: bool = False,
    width: int = -1,
    fill: str = "",
    name: str | None = None,
) -> EagerTensor:
    """Writes each number as a text.

    Args:
        input: numbers, booleans or texts of any shape.
        precision: how many digits after the point; 6 by default. For floats only.
        scientific: writes floats with an exponent.
        shortest: writes floats with an exponent where that is shorter.
        width: how many letters a text has at least.
        fill: what is put in front of short texts: a space or "0"; "-" puts spaces behind, "+"
            writes the sign of positive numbers.
        name: ignored.

    Returns:
        A string tensor of the shape of `input`.

    Raises:
        InvalidArgumentError: if the options do not go together, or not with the dtype.

    >>> tf.strings.as_string([3.14159, 2.0], precision=2).numpy()
    array([b'3.14', b'2.00'], dtype=object)
    >>> tf.as_string([7, 42], width=4, fill="0").numpy()
    array([b'0007', b'0042'], dtype=object)
    """
    tensor = convert(input)
    dtype = tensor.dtype
    array = tensor._numpy_array()
    if dtype is dtypes.variant or dtype is dtypes.resource:
        raise not_allowed("AsString", "T", dtype.kernel_name, NUMBER_TYPES)
    _check(dtype, precision, scientific, shortest, fill)
    flags = "" if fill == " " else fill
    space = str(width) if width > -1 else ""
    if dtype is dtypes.string:
        pad = bytes.ljust if flags == "-" else bytes.rjust
        return each(lambda text: pad(text, max(width, 0)), array)
    if dtype.is_bool:
        return text_array([b"true" if x else b"false" for x in array.flat], array.shape)
    if dtype.is_integer:
        form = f"%{flags}{space}d"
        return text_array([(form % int(x)).encode() for x in array.flat], array.shape)
    digits = f".{precision}" if precision > -1 else ""
    letter = "e" if scientific else "g" if shortest else "f"
    form = f"%{flags}{space}{digits}{letter}"
    if dtype.is_complex:
        written = [f"({_float(form, x.real)},{_float(form, x.imag)})" for x in array.flat]
    else:
        written = [_float(form, float(x)) for x in array.flat]
    return text_array([text.encode() for text in written], array.shape)


def _float(form: str, number: float) -> str:
    # C fills with zeros only in front of digits.
    return (form if math.isfinite(number) else form.replace("%0", "%")) % number


def _check(dtype: Any, precision: int, scientific: bool, shortest: bool, fill: str) -> None:
    """Raises for options that do not go together."""
    is_float = dtype.is_floating or dtype.is_complex
    name = dtype.kernel_name
    if not is_float and dtype is not dtypes.string:
        if scientific or shortest:
            raise failed(
                "AsString", f"scientific and shortest format not supported for datatype {name}"
            )
        if precision != -1:
            raise failed("AsString", f"precision not supported for datatype {name}")
    if scientific and shortest:
        raise failed("AsString", "Cannot select both scientific and shortest notation")
    if len(fill) > 1:
        raise failed("AsString", "Fill string must be one or fewer characters")
    if fill not in ("", " ", "0", "+", "-"):
        raise failed("AsString", f'Fill argument not supported: "{fill}"')
