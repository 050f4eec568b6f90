"""What tables are filled with: `tf.lookup.KeyValueTensorInitializer`, `TextFileInitializer`."""

from typing import Any

import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert
from tapefacade._core.missing_members import ENTRIES_AT_ONCE, lacks
from tapefacade._core.tensor import EagerTensor, from_host
from tapefacade._definition.op import function
from tapefacade._io.file_errors import as_path, translating
from tapefacade._io.storage import storage_of
from tapefacade._strings.arguments import Array, failed, object_array
from tapefacade._strings.numbers import read_number

KERNEL = "InitializeTableFromTextFileV2"
WHOLE_LINE, LINE_NUMBER = -2, -1


def shown_dtype(dtype: dtypes.DType) -> str:
    """Writes a dtype as TensorFlow's messages about tables do."""
    return f"<dtype: '{dtype.name}'>"


@function("lookup.TextFileIndex")
class TextFileIndex:
    """What of a line is a key or a value, other than one of its columns.

    >>> tf.lookup.TextFileIndex.WHOLE_LINE, tf.lookup.TextFileIndex.LINE_NUMBER
    (-2, -1)
    """

    WHOLE_LINE = WHOLE_LINE
    LINE_NUMBER = LINE_NUMBER


class TableInitializer:
    """What a table is filled with.

    Args:
        key_dtype: the dtype of the keys.
        value_dtype: the dtype of the values.
    """

    def __init__(self, key_dtype: Any, value_dtype: Any) -> None:
        self._key_dtype = dtypes.as_dtype(key_dtype)
        self._value_dtype = dtypes.as_dtype(value_dtype)

    @property
    def key_dtype(self) -> dtypes.DType:
        """The dtype of the keys."""
        return self._key_dtype

    @property
    def value_dtype(self) -> dtypes.DType:
        """The dtype of the values."""
        return self._value_dtype

    def _entries(self) -> tuple[Array, Array]:
        """Returns the keys and the values."""
        raise TypeError(f"{type(self).__name__} does not say what it holds.")


@function("lookup.KeyValueTensorInitializer")
@lacks(
    {
        "initialize": ENTRIES_AT_ONCE,
    }
)
class KeyValueTensorInitializer(TableInitializer):
    """Fills a table with the keys and values of two tensors.

    Args:
        keys: a tensor.
        values: a tensor of the same shape.
        key_dtype: the dtype of the keys, if they are no tensor.
        value_dtype: the dtype of the values, if they are no tensor.
        name: ignored.

    >>> tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2]).value_dtype
    tf.int32
    """

    def __init__(
        self,
        keys: Any,
        values: Any,
        key_dtype: Any = None,
        value_dtype: Any = None,
        name: str | None = None,
    ) -> None:
        wanted = [None if d is None else dtypes.as_dtype(d) for d in (key_dtype, value_dtype)]
        self._keys = convert(keys, wanted[0])
        self._values = convert(values, wanted[1])
        super().__init__(self._keys.dtype, self._values.dtype)

    def _entries(self) -> tuple[Array, Array]:
        return self._keys._numpy_array(), self._values._numpy_array()


@function("lookup.TextFileInitializer")
@lacks(
    {
        "initialize": ENTRIES_AT_ONCE,
    }
)
class TextFileInitializer(TableInitializer):
    r"""Fills a table with keys and values from the lines of a file.

    Args:
        filename: the file.
        key_dtype: the dtype of the keys.
        key_index: the number of the column of the keys, or one of `tf.lookup.TextFileIndex`.
        value_dtype: the dtype of the values.
        value_index: the number of the column of the values, or one of `tf.lookup.TextFileIndex`.
        vocab_size: how many lines are read; all by default.
        delimiter: what separates the columns.
        name: ignored.
        value_index_offset: what is added to the number of a line.

    Raises:
        ValueError: if a dtype cannot be that of what an index names.

    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/words"
    >>> tf.io.write_file(path, "lake 10\nsea 20\n")
    >>> source = tf.lookup.TextFileInitializer(path, tf.string, 0, tf.int64, 1, delimiter=" ")
    >>> tf.lookup.StaticHashTable(source, -1).lookup(tf.constant("sea")).numpy()
    np.int64(20)
    """

    def __init__(
        self,
        filename: Any,
        key_dtype: Any,
        key_index: int,
        value_dtype: Any,
        value_index: int,
        vocab_size: int | None = None,
        delimiter: str = "\t",
        name: str | None = None,
        value_index_offset: int = 0,
    ) -> None:
        if not hasattr(filename, "dtype") and not filename:
            raise ValueError("`filename` argument required for tf.lookup.TextFileInitializer")
        super().__init__(key_dtype, value_dtype)
        self._check("key", key_index, self.key_dtype)
        self._check("value", value_index, self.value_dtype)
        if vocab_size is not None and vocab_size <= 0:
            raise ValueError(f"`vocab_size` should be > 0, received: {vocab_size}")
        self._filename = filename
        self._indices = key_index, value_index
        self._size = vocab_size
        self._delimiter = delimiter.encode()
        self._offset = value_index_offset

    @staticmethod
    def _check(what: str, index: int, dtype: dtypes.DType) -> None:
        if index < WHOLE_LINE:
            raise ValueError(f"`{what}_index` should be >= -2, received: {index}.")
        if index == LINE_NUMBER and dtype is not dtypes.int64:
            where = "if" if what == "key" else "for"
            is_ = " is" if what == "key" else ""
            raise ValueError(
                f"`{what}_dtype` must be int64 {where} `{what}_index`{is_} {index}, received: "
                f"{shown_dtype(dtype)}"
            )
        allowed = dtype.is_integer or dtype is dtypes.string
        if index == WHOLE_LINE and not (allowed or what == "value"):
            raise ValueError(
                f"`{what}_dtype` should be either integer or string for `{what}_index` {index}, "
                f"received: {shown_dtype(dtype)}"
            )
        if index == WHOLE_LINE and what == "value" and dtype is not dtypes.string:
            raise ValueError(
                f"`value_dtype` must be string for `value_index` {index}, received: "
                f"{shown_dtype(dtype)}"
            )

    def _entries(self) -> tuple[Array, Array]:
        path = as_path(self._filename)
        with translating(path, KERNEL), storage_of(path).open(path, "rb") as file:
            lines = file.read().split(b"\n")
        if lines and not lines[-1]:
            lines.pop()
        lines = [line.removesuffix(b"\r") for line in lines[: self._size]]
        if self._size is not None and len(lines) < self._size:
            raise failed(
                KERNEL,
                f"Invalid vocab_size in {path}: expected {self._size} but got {len(lines)}",
                named=" name: ",
            )
        key, value = self._indices
        keys = self._column(path, lines, key, self.key_dtype, 0)
        return keys, self._column(path, lines, value, self.value_dtype, self._offset)

    def _column(
        self, path: str, lines: list[bytes], index: int, dtype: dtypes.DType, offset: int
    ) -> Array:
        if index == LINE_NUMBER:
            return np.arange(offset, offset + len(lines))
        fields = [self._field(path, number, line, index) for number, line in enumerate(lines)]
        if dtype is dtypes.string:
            return object_array(fields, (len(fields),))
        numbers = []
        for number, field in enumerate(fields):
            read = read_number(field, dtype)
            if read is None:
                text = field.decode(errors="replace")
                raise failed(
                    KERNEL,
                    f"Field {text} in line {number} is not a valid {dtype.kernel_name}.",
                    named=" name: ",
                )
            numbers.append(read)
        return np.array(numbers, dtype._numpy)

    def _field(self, path: str, number: int, line: bytes, index: int) -> bytes:
        if index == WHOLE_LINE:
            return line
        columns = line.split(self._delimiter)
        if index >= len(columns):
            least = max(self._indices) + 1
            text = line.decode(errors="replace")
            raise failed(
                KERNEL,
                f"Invalid number of columns in {path} line {number} ({text}) : expected at least "
                f"{least} got {len(columns)}",
                named=" name: ",
            )
        return columns[index]


def tensor_of(values: list[Any], dtype: dtypes.DType, shape: tuple[int, ...]) -> EagerTensor:
    """Makes the tensor of what a table gave, in the order of the keys."""
    if dtype is dtypes.string:
        return convert(object_array(values, (len(values),)).reshape(shape), dtypes.string)
    return from_host(np.array(values, dtype._numpy).reshape(shape))
