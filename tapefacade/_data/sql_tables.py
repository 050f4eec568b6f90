"""Rows of databases: `tf.data.experimental.SqlDataset`."""

import contextlib
import re
import sqlite3
import urllib.parse
from collections.abc import Iterator
from typing import Any

import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert
from tapefacade._core.string_arrays import text_tensor
from tapefacade._core.tensor import from_host
from tapefacade._core.tensor_spec import TensorSpec
from tapefacade._data.dataset import Dataset
from tapefacade._data.element_structures import kernel_error, op_error
from tapefacade._data.node import UNKNOWN, DatasetNode
from tapefacade._definition.op import function

KERNEL = "SqlDataset"
INT64 = np.iinfo(np.int64)
NUMBERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "bool", "double")
# What SQLite reads of a text that stands for a number.
LEADING_INTEGER = re.compile(rb"\s*([+-]?\d+)")
LEADING_NUMBER = re.compile(rb"\s*([+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?)")


class SqlRows(DatasetNode):
    """The rows that a query gives."""

    name = "SqlDataset"

    def __init__(self, path: str, query: str, kinds: tuple[dtypes.DType, ...]) -> None:
        super().__init__()
        self._path, self._query, self._kinds = path, query, kinds

    def known_spec(self) -> Any:
        return tuple([TensorSpec([], dtype) for dtype in self._kinds])

    def cardinality(self) -> int:
        return UNKNOWN

    def elements(self) -> Iterator[Any]:
        try:  # an iteration may go on in another thread
            connection = sqlite3.connect(_uri(self._path), uri=True, check_same_thread=False)
        except sqlite3.Error as error:
            raise kernel_error(f"Sqlite::Open({self._path}) failed: {error}") from None
        with contextlib.closing(connection):
            connection.text_factory = bytes  # whatever these are
            try:
                rows = connection.execute(self._query)
                count = len(rows.description or ())
                if count != len(self._kinds):
                    raise kernel_error(
                        f"The number of columns in query ({count}) must match the number of "
                        f"elements in output_types ({len(self._kinds)})."
                    )
                for row in rows:
                    yield tuple([_tensor(v, k) for v, k in zip(row, self._kinds, strict=True)])
            except sqlite3.Error as error:
                raise kernel_error(f"The query failed: {error}.") from None


def _uri(path: str) -> str:
    """Returns the URI of a database that is there, given its path or URI."""
    uri = path if path.startswith("file:") else f"file:{urllib.parse.quote(path)}"
    return uri if "mode=" in uri else f"{uri}{'&' if '?' in uri else '?'}mode=rw"


def _shown(value: Any) -> str:
    """Returns the text of a number."""
    if not isinstance(value, float):
        return str(value)
    digits, e, power = f"{value:.15g}".partition("e")
    return f"{digits}{'' if '.' in digits else '.0'}{e}{power}"


def _tensor(value: Any, kind: dtypes.DType) -> Any:
    """Makes a scalar of what is in a column, as SQLite converts it."""
    if kind is dtypes.string:
        text = b"" if value is None else value
        return text_tensor(text if isinstance(text, bytes) else _shown(text).encode())
    if isinstance(value, bytes):
        whole_only = kind is not dtypes.float64
        found = (LEADING_INTEGER if whole_only else LEADING_NUMBER).match(value)
        value = (int if whole_only else float)(found[1]) if found else 0
    if kind is dtypes.float64:
        return from_host(np.array(0.0 if value is None else value, np.float64))
    whole = np.array(int(min(max(value or 0, INT64.min), INT64.max)), np.int64)
    return from_host(whole != 0 if kind is dtypes.bool else whole.astype(kind.as_numpy_dtype))


@function("data.experimental.SqlDataset")
class SqlDataset(Dataset):
    """A dataset of the rows that a query of a database gives, a tuple of scalars each.

    Args:
        driver_name: "sqlite".
        data_source_name: the path of the database.
        query: the query, in SQL.
        output_types: the dtypes of the columns: string, float64, bool, or integers.

    Raises:
        InvalidArgumentError: if there is no such driver or a dtype is another; while it is read, if
            the database cannot be opened or the query fails or gives more or fewer columns.

    >>> import sqlite3, tempfile
    >>> path = tempfile.mkdtemp() + "/numbers"
    >>> with sqlite3.connect(path) as database:
    ...     _ = database.execute("create table squares (n integer, square integer)")
    ...     _ = database.execute("insert into squares values (2, 4), (3, 9)")
    >>> query = "select n, square from squares"
    >>> dataset = tf.data.experimental.SqlDataset("sqlite", path, query, (tf.int32, tf.int64))
    >>> list(dataset.as_numpy_iterator())
    [(np.int32(2), np.int64(4)), (np.int32(3), np.int64(9))]
    """

    def __init__(
        self, driver_name: Any, data_source_name: Any, query: Any, output_types: Any
    ) -> None:
        driver, path, text = (
            convert(given, dtypes.string).numpy().decode()
            for given in (driver_name, data_source_name, query)
        )
        if driver != "sqlite":
            raise op_error(
                KERNEL,
                f"The database type, {driver}, is not supported by SqlDataset. The set of "
                "supported databases is: {'sqlite'}.",
            )
        kinds = tuple(dtypes.as_dtype(dtype) for dtype in output_types)
        if any(kind is not dtypes.string and kind.kernel_name not in NUMBERS for kind in kinds):
            raise op_error(
                KERNEL,
                "Each element of `output_types_` must be one of: DT_STRING, DT_INT8, DT_INT16, "
                "DT_INT32, DT_INT64, DT_UINT8, DT_UINT16, DT_BOOL, DT_DOUBLE ",
            )
        self._node = SqlRows(path, text, kinds)
