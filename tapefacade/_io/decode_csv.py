"""Lines of values that commas separate: decode_csv."""

import itertools
from typing import Any

import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert
from tapefacade._core.error_texts import invalid
from tapefacade._core.tensor import EagerTensor, from_host
from tapefacade._definition.op import function
from tapefacade._strings.arguments import (
    Array,
    failed,
    not_allowed,
    string_wanted,
    text_array,
    texts,
)
from tapefacade._strings.numbers import read_number

CSV_TYPES = ("float", "double", "int32", "int64", "string")
QUOTE = ord('"')


@function("io.decode_csv", on_values=True)
def decode_csv(
    records: Any,
    record_defaults: Any,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    select_cols: Any = None,
    name: str | None = None,
) -> list[EagerTensor]:
    """Reads the fields of lines, RFC 4180.

    Args:
        records: texts of any shape, a line each.
        record_defaults: for each field, its default in a list (or a vector): float32, float64,
            int32, int64 or a text. An empty vector stands for a field that must be there.
        field_delim: what separates the fields.
        use_quote_delim: whether quotes hide separators.
        na_value: a text that also stands for a missing value.
        select_cols: the numbers of the fields to read, in order; all by default.
        name: ignored.

    Returns:
        A tensor of the shape of `records` for each field, of the dtype of its default.

    Raises:
        InvalidArgumentError: if a line has another number of fields, or a field cannot be read.
        ValueError: if `select_cols` is not in order or does not fit the defaults.

    >>> tf.io.decode_csv(["1,a", "2,"], [[0], ["none"]])
    [<tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>,
     <tf.Tensor: shape=(2,), dtype=string, numpy=array([b'a', b'none'], dtype=object)>]
    """
    for option, value in (("field_delim", field_delim), ("na_value", na_value)):
        if not isinstance(value, str | bytes):
            raise TypeError(string_wanted(option, value))
    columns = _columns(select_cols, record_defaults)
    defaults = [convert(default) for default in record_defaults]
    if not defaults:
        raise invalid("Length for attr 'OUT_TYPE' of 0 must be at least minimum 1")
    kernel = f"DecodeCSV_OUT_TYPE_{len(defaults)}"
    array = texts(records, "DecodeCSV")
    _check_defaults(kernel, defaults, str(field_delim))
    separator = str(field_delim).encode()[0]
    missing = {b"", na_value.encode() if isinstance(na_value, str) else na_value}
    values: list[list[Any]] = [[] for _ in defaults]
    for place, record in enumerate(array.flat):
        found = _fields(kernel, record, separator, use_quote_delim)
        if columns is not None:
            found = [found[c] for c in columns if c < len(found)]
        if len(found) != len(defaults):
            raise failed(
                kernel, f"Expect {len(defaults)} fields but have {len(found)} in record {place}"
            )
        for field, text in enumerate(found):
            default = defaults[field]
            if text in missing:
                values[field].append(_default(kernel, default, field, place))
            else:
                values[field].append(_read(kernel, text, default.dtype, field, place))
    return [_column(column, t.dtype, array) for column, t in zip(values, defaults, strict=True)]


def _columns(select_cols: Any, record_defaults: Any) -> list[int] | None:
    if select_cols is None:
        return None
    columns = [int(c) for c in select_cols]
    if any(b <= a for a, b in itertools.pairwise(columns)):
        raise ValueError("select_cols is not strictly increasing.")
    if columns and columns[0] < 0:
        raise ValueError("select_cols contains negative values.")
    if len(columns) != len(record_defaults):
        raise ValueError("Length of select_cols and record_defaults do not match.")
    return columns


def _check_defaults(kernel: str, defaults: list[EagerTensor], separator: str) -> None:
    for default in defaults:
        if default.dtype.kernel_name not in CSV_TYPES:
            raise not_allowed("DecodeCSV", "OUT_TYPE", default.dtype.kernel_name, CSV_TYPES)
    for field, default in enumerate(defaults):
        array = default._numpy_array()
        if array.ndim > 1:
            raise failed(kernel, "Each record default should be at most rank 1")
        if array.size > 1:
            raise failed(
                kernel,
                f"There should only be 1 default per field but field {field} has {array.size}",
            )
    if len(separator) != 1:
        raise failed(kernel, "field_delim should be only 1 char")


def _default(kernel: str, default: EagerTensor, field: int, place: int) -> Any:
    array = default._numpy_array()
    if array.size == 0:
        raise failed(kernel, f"Field {field} is required but missing in record {place}!")
    return array.reshape(-1)[0]


def _read(kernel: str, text: bytes, dtype: dtypes.DType, field: int, place: int) -> Any:
    if dtype is dtypes.string:
        return text
    number = read_number(text, dtype)
    if number is None:
        shown = text.decode(errors="replace")
        raise failed(
            kernel, f"Field {field} in record {place} is not a valid {dtype.kernel_name}: {shown}"
        )
    return number


def _column(values: list[Any], dtype: dtypes.DType, like: Array) -> EagerTensor:
    if dtype is dtypes.string:
        return text_array(values, like.shape)
    with np.errstate(over="ignore"):
        return from_host(np.array(values, dtype._numpy).reshape(like.shape))


def _fields(kernel: str, record: bytes, separator: int, quotes: bool) -> list[bytes]:
    """Splits a line."""
    found: list[bytes] = []
    at = 0
    while at < len(record):
        if quotes and record[at] == QUOTE:
            text, at = _quoted(kernel, record, at, separator)
        else:
            end = record.find(bytes((separator,)), at)
            end = len(record) if end < 0 else end
            text, at = record[at:end], end + 1
            if quotes and any(letter in text for letter in b'"\r\n'):
                raise failed(kernel, "Unquoted fields cannot have quotes/CRLFs inside")
        found.append(text)
    if record and record[-1] == separator and at == len(record):
        found.append(b"")
    return found


def _quoted(kernel: str, record: bytes, at: int, separator: int) -> tuple[bytes, int]:
    """Reads a field in quotes; returns it and the place behind its separator."""
    text = bytearray()
    at += 1
    while True:
        end = record.find(b'"', at)
        if end < 0:
            raise failed(kernel, "Quoted field has to end with quote followed by delim or end")
        text += record[at:end]
        if end + 1 == len(record):
            return bytes(text), end + 2
        if record[end + 1] == separator:
            return bytes(text), end + 2
        if record[end + 1] != QUOTE:
            raise failed(kernel, "Quote inside a string has to be escaped by another quote")
        text.append(QUOTE)
        at = end + 2
