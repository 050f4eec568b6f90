"""Datasets of files of values that commas separate."""

import contextlib
import csv
import io
import itertools
from collections import OrderedDict
from collections.abc import Generator, Iterator, Sequence
from typing import Any

import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert
from tapefacade._core.string_arrays import OBJECT
from tapefacade._core.tensor_spec import TensorSpec
from tapefacade._data.dataset import Dataset, wrap
from tapefacade._data.element_structures import kernel_error, op_error, tensor_of
from tapefacade._data.files import FileRecords
from tapefacade._data.map import AUTOTUNE
from tapefacade._definition.op import function
from tapefacade._io.files import matching_files
from tapefacade._ops.array.creation import zeros as zeros_op

COLUMN_DTYPES = (dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64, dtypes.string)
INT32, INT64 = np.iinfo(np.int32), np.iinfo(np.int64)


class Format:
    """How the lines of a file are read.

    Args:
        delimiter: what separates the fields.
        quotes: whether quotes hide separators.
        missing: a text that stands for a missing value, beside none.
        header: whether the first line holds names.
    """

    def __init__(self, delimiter: str, quotes: bool, missing: str, header: bool) -> None:
        self.delimiter, self.quotes = delimiter, quotes
        self.missing = {"", missing}
        self.header = header

    def lines(self, file: Any) -> Generator[list[str], None, None]:
        """Yields the fields of each line, and closes the file; an empty line has one field."""
        quoting = csv.QUOTE_MINIMAL if self.quotes else csv.QUOTE_NONE
        with io.TextIOWrapper(file, "utf-8", "surrogateescape", newline="") as text:
            for line in csv.reader(text, delimiter=self.delimiter, quoting=quoting):
                yield line or [""]


class CsvRecords(FileRecords):
    """The lines of files, a scalar for each field."""

    name = "CsvDatasetV2"

    def __init__(
        self, names: Any, compression: Any, defaults: Sequence[Any], form: Format,
        chosen: Sequence[int] | None, left_out: Sequence[int] | None,
    ) -> None:  # fmt: skip
        super().__init__(names, compression, None)
        self._columns = [_column(default) for default in defaults]
        self._format = form
        self._chosen, self._left_out = chosen, set(left_out or ())

    def known_spec(self) -> Any:
        return tuple([TensorSpec([], dtype) for dtype, _ in self._columns])

    def as_element(self, data: Any) -> Any:
        return tuple([tensor_of(value) for value in data])

    def read(self, name: str) -> Iterator[Any]:
        with contextlib.closing(self._format.lines(self._open(name))) as lines:
            for line in itertools.islice(lines, int(self._format.header), None):
                yield self._values(line)

    def _values(self, line: list[str]) -> list[Any]:
        if self._chosen is not None:
            fields = [line[place] for place in self._chosen if place < len(line)]
        else:
            fields = [field for place, field in enumerate(line) if place not in self._left_out]
        count = len(self._columns)
        values = [self._value(k, field) for k, field in enumerate(fields[:count])]
        if len(fields) != count:
            found = "more" if len(fields) > count else len(fields)
            raise kernel_error(f"Expect {count} fields but have {found} in record")
        return values

    def _value(self, place: int, field: str) -> Any:
        dtype, default = self._columns[place]
        if field in self._format.missing:
            if default is None:
                raise kernel_error(f"Field {place} is required but missing in record!")
            return default
        try:
            return _array(field, dtype)
        except (ValueError, OverflowError):
            raise kernel_error(
                f"Field {place} in record is not a valid {dtype.kernel_name}: {field}"
            ) from None


def _column(default: Any) -> tuple[dtypes.DType, Any]:
    """Returns the dtype of a column and what stands for a missing value, None for an error."""
    if isinstance(default, dtypes.DType | type):
        return dtypes.as_dtype(default), None
    tensor = convert(default)
    array = tensor._numpy_array()
    if not array.size:
        return tensor.dtype, None
    return tensor.dtype, np.array(array.reshape(-1)[0], array.dtype)


def _array(field: str, dtype: dtypes.DType) -> Any:
    if dtype is dtypes.string:
        held = np.empty((), OBJECT)
        held[()] = field.encode("utf-8", "surrogateescape")
        return held
    number = int(field) if dtype.is_integer else float(field)
    return np.array(number, dtype._numpy)


@function("data.experimental.CsvDataset")
class CsvDataset(Dataset):
    r"""A dataset of the lines of files, a tuple of scalars each.

    Args:
        filenames: a path, several, or a dataset of paths.
        record_defaults: for each field that is read its default, or its dtype if it must be there.
        compression_type: "GZIP", "ZLIB", "" or None.
        buffer_size: ignored.
        header: whether the first line of each file is left out.
        field_delim: what separates the fields.
        use_quote_delim: whether quotes hide separators.
        na_value: a text that also stands for a missing value.
        select_cols: the numbers of the fields that are read, in order.
        exclude_cols: the numbers of those that are not.

    Raises:
        InvalidArgumentError: if there are as many defaults as fields are chosen; while it is read,
            if a field is missing or cannot be read.

    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/values.csv"
    >>> tf.io.write_file(path, "n,x\n1,2.5\n2,\n")
    >>> dataset = tf.data.experimental.CsvDataset(path, [tf.int32, 0.0], header=True)
    >>> list(dataset.as_numpy_iterator())
    [(np.int32(1), np.float32(2.5)), (np.int32(2), np.float32(0.0))]
    """

    def __init__(
        self,
        filenames: Any,
        record_defaults: Sequence[Any],
        compression_type: Any = None,
        buffer_size: Any = None,
        header: bool = False,
        field_delim: str = ",",
        use_quote_delim: bool = True,
        na_value: str = "",
        select_cols: Sequence[int] | None = None,
        exclude_cols: Sequence[int] | None = None,
    ) -> None:
        if select_cols is not None and len(select_cols) != len(record_defaults):
            kernel = f"CSVDatasetV2_output_types_{len(record_defaults)}"
            raise op_error(kernel, "select_cols should match output size")
        form = Format(field_delim, use_quote_delim, na_value, header)
        self._node = CsvRecords(
            filenames, compression_type, record_defaults, form, select_cols, exclude_cols
        )


@function("data.experimental.make_csv_dataset")
def make_csv_dataset(
    file_pattern: Any,
    batch_size: int,
    column_names: Sequence[str] | None = None,
    column_defaults: Sequence[Any] | None = None,
    label_name: str | None = None,
    select_columns: Sequence[Any] | None = None,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    header: bool = True,
    num_epochs: int | None = None,
    shuffle: bool = True,
    shuffle_buffer_size: int = 10000,
    shuffle_seed: int | None = None,
    prefetch_buffer_size: int | None = None,
    num_parallel_reads: int | None = None,
    sloppy: bool = False,
    num_rows_for_inference: int | None = 100,
    compression_type: str | None = None,
    ignore_errors: bool = False,
    encoding: str = "utf-8",
) -> Any:
    r"""Makes a dataset of batches of the columns of files.

    Args:
        file_pattern: a pattern of paths, or several.
        batch_size: the number of lines in a batch.
        column_names: the names of the columns; by default those in the first line.
        column_defaults: a default or a dtype for each column that is read; by default what the
            first lines have.
        label_name: the column that is the label; elements are pairs then.
        select_columns: names or numbers of the columns that are read.
        field_delim: what separates the fields.
        use_quote_delim: whether quotes hide separators.
        na_value: a text that also stands for a missing value.
        header: whether the first line of each file holds names.
        num_epochs: how often everything is read; without end by default.
        shuffle: whether the order is random.
        shuffle_buffer_size: as for `Dataset.shuffle`.
        shuffle_seed: as for `Dataset.shuffle`.
        prefetch_buffer_size: as for `Dataset.prefetch`.
        num_parallel_reads: how many files take turns, by default 1.
        sloppy: ignored: the order is always kept.
        num_rows_for_inference: how many lines of each file tell the dtypes; None for all.
        compression_type: "GZIP", "ZLIB" or None.
        ignore_errors: whether lines that cannot be read are left out.
        encoding: ignored.

    Returns:
        A dataset of dictionaries of vectors, or of pairs of these and vectors of labels.

    Raises:
        ValueError: if there are no names, or `label_name` is none of them.

    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/values.csv"
    >>> tf.io.write_file(path, "n,x\n1,2.5\n2,\n")
    >>> dataset = tf.data.experimental.make_csv_dataset(
    ...     path, 2, label_name="x", num_epochs=1, shuffle=False)
    >>> [(features["n"].numpy(), label.numpy()) for features, label in dataset]
    [(array([1, 2], dtype=int32), array([2.5, 0. ], dtype=float32))]
    """
    form = Format(field_delim, use_quote_delim, na_value, header)
    if not len(matching_files(file_pattern)):
        raise ValueError(f"No files match `file_pattern` {file_pattern}.")
    paths = Dataset.list_files(file_pattern, shuffle=shuffle, seed=shuffle_seed)
    files = sorted(path.decode() for path in paths.as_numpy_iterator())
    reader = CsvRecords(files, compression_type, [], form, None, None)
    names = list(_names(reader, files[0], form)) if column_names is None else list(column_names)
    if len(set(names)) != len(names):
        raise ValueError("Cannot have duplicate column names.")
    chosen = _chosen(names, select_columns)
    if column_defaults is None:
        column_defaults = _found_defaults(reader, files, form, chosen, num_rows_for_inference)
    names = [names[place] for place in chosen]
    if label_name is not None and label_name not in names:
        raise ValueError(
            f"`label_name` provided must be one of the columns: {names}. Received: {label_name}."
        )

    def opened(path: Any) -> Any:
        return wrap(CsvRecords(path, compression_type, column_defaults, form, chosen, None))

    def columns(*values: Any) -> Any:
        features = OrderedDict(zip(names, values, strict=True))
        if label_name is None:
            return features
        label = features.pop(label_name)
        return features, label

    made = paths.interleave(opened, cycle_length=num_parallel_reads or 1)
    made = made.ignore_errors() if ignore_errors else made
    if shuffle:
        made = made.shuffle(shuffle_buffer_size, shuffle_seed)
    made = made.repeat(num_epochs).batch(batch_size, drop_remainder=num_epochs is None)
    return made.map(columns).prefetch(
        AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size
    )


def _names(reader: CsvRecords, path: str, form: Format) -> list[str]:
    """Returns the names in the first line of a file.

    Raises:
        ValueError: if there are none.
    """
    if not form.header:
        raise ValueError("Cannot infer column names without a header line.")
    with contextlib.closing(form.lines(reader._open(path))) as lines:
        return next(lines, [])


def _chosen(names: Sequence[str], columns: Sequence[Any] | None) -> list[int]:
    """Returns the numbers of the columns that are read.

    Raises:
        ValueError: if a column is not there, or is named twice.
    """
    if columns is None:
        return list(range(len(names)))
    places = []
    for column in columns:
        if isinstance(column, int):
            places.append(column)
        elif column in names:
            places.append(list(names).index(column))
        else:
            raise ValueError(f"Value '{column}' specified in `select_columns` is not a column.")
    if len(set(places)) != len(places):
        raise ValueError("`select_columns` cannot contain duplicate elements")
    return sorted(places)


def _found_defaults(
    reader: CsvRecords, files: Sequence[str], form: Format, chosen: Sequence[int], most: int | None
) -> list[Any]:
    """Returns a default for each column, of the narrowest dtype that has the first values."""
    kinds = [0] * len(chosen)
    for path in files:
        with contextlib.closing(form.lines(reader._open(path))) as lines:
            found = itertools.islice(lines, int(form.header), None)
            for line in itertools.islice(found, most):
                for k, place in enumerate(chosen):
                    kinds[k] = max(kinds[k], _kind(line[place], form))
    zeros: Any = zeros_op
    return [
        "" if COLUMN_DTYPES[kind] is dtypes.string else zeros([1], COLUMN_DTYPES[kind])
        for kind in kinds
    ]


def _kind(field: str, form: Format) -> int:
    """Returns the place, among the dtypes, of the narrowest that has a value."""
    if field in form.missing:
        return 0
    try:
        number = int(field)
        if INT64.min <= number <= INT64.max:
            return 0 if INT32.min <= number <= INT32.max else 1
    except ValueError:
        pass
    try:
        size = abs(float(field))
    except ValueError:
        return len(COLUMN_DTYPES) - 1
    return 2 if size <= np.finfo(np.float32).max or np.isinf(size) or np.isnan(size) else 3
