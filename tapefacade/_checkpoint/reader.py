"""Checkpoints of either kind: `tf.train.load_checkpoint` and what it gives."""

from typing import Any

import numpy as np

from tapefacade._checkpoint.array_files import Array
from tapefacade._checkpoint.checkpoint_files import INDEX, OwnReader
from tapefacade._checkpoint.errors import not_found
from tapefacade._checkpoint.state_file import latest_checkpoint
from tapefacade._checkpoint.tensorflow_files.bundle import BundleReader
from tapefacade._checkpoint.tensorflow_files.sorted_table import MAGIC
from tapefacade._core import dtypes, errors
from tapefacade._core.string_arrays import OBJECT
from tapefacade._definition.op import function
from tapefacade._io.file_errors import as_path, tensorflow_error
from tapefacade._io.storage import storage_of

Reader = OwnReader | BundleReader


def open_checkpoint(prefix: str) -> Reader:
    """Opens a checkpoint, ours or TensorFlow's.

    Args:
        prefix: the path, without the ends of the names of the files.

    Raises:
        NotFoundError: if there is none.
        DataLossError: if the index is damaged, or of another format.
    """
    data = _index(prefix)
    while data.lstrip()[:1] == b"{" and not data.endswith(MAGIC):
        try:
            return OwnReader(prefix, data)
        except errors.DataLossError:
            again = _index(prefix)
            if again == data:
                raise
            data = again  # somebody has just saved another one in its place
    return BundleReader(prefix, data)


def _index(prefix: str) -> bytes:
    """Reads the index of a checkpoint."""
    try:
        with storage_of(prefix).open(prefix + INDEX, "rb") as file:
            return file.read()
    except (FileNotFoundError, NotADirectoryError):
        if storage_of(prefix).isdir(prefix):
            raise errors.DataLossError(
                None,
                None,
                f"Unable to open table file {prefix}: FAILED_PRECONDITION: {prefix}; Is a "
                "directory: perhaps your file is in a different file format and you need to use a "
                "different restore operator?",
            ) from None
        raise not_found(prefix) from None
    except OSError as error:
        raise tensorflow_error(error, prefix + INDEX) from None


@function("compat.v1.train.NewCheckpointReader")
class CheckpointReader:
    """Reads the values of a checkpoint, ours or TensorFlow's; made by `tf.train.load_checkpoint`.

    Args:
        filepattern: the path, without the ends of the names of the files.

    Raises:
        NotFoundError: if there is none.
        DataLossError: if it is damaged.
    """

    def __init__(self, filepattern: Any) -> None:
        self._reader = open_checkpoint(as_path(filepattern))

    @property
    def graph(self) -> Any:
        """The objects; None in a checkpoint that has only names."""
        return self._reader.graph

    def has_tensor(self, tensor_str: str) -> bool:
        """Whether there is a value with this name."""
        return self._reader.has(tensor_str)

    def get_tensor(self, tensor_str: str) -> Any:
        """Returns a value as an array; a text as bytes.

        Raises:
            NotFoundError: if there is none with this name.
            DataLossError: if it is damaged.
        """
        return _shown(self._reader.get(tensor_str))

    def get_variable_to_shape_map(self) -> dict[str, list[int]]:
        """Returns the shapes by names."""
        return {key: self._reader.shape(key) for key in self._reader.names()}

    def get_variable_to_dtype_map(self) -> dict[str, dtypes.DType]:
        """Returns the dtypes by names."""
        return {key: self._reader.dtype(key) for key in self._reader.names()}

    def debug_string(self) -> bytes:
        """Returns a line for each value."""
        lines = [
            f"{key} (DT_{self._reader.dtype(key).kernel_name.upper()}) "
            f"[{','.join(map(str, self._reader.shape(key)))}]\n"
            for key in self._reader.names()
        ]
        return "".join(lines).encode()


def _shown(array: Array) -> Any:
    if array.dtype == OBJECT and not array.shape:
        return array.item()
    return array[()] if not array.shape else np.array(array)


@function("train.load_checkpoint")
def load_checkpoint(ckpt_dir_or_file: Any) -> CheckpointReader:
    """Opens a checkpoint, ours or TensorFlow's, to read values by their names.

    Args:
        ckpt_dir_or_file: the path, or a directory, of which the latest checkpoint is taken.

    Returns:
        An object with `get_tensor(name)`, `has_tensor(name)`, `get_variable_to_shape_map()` and
        `get_variable_to_dtype_map()`.

    Raises:
        ValueError: if a directory has no checkpoint.
        NotFoundError: if there is none.
        DataLossError: if it is damaged, or no checkpoint.

    >>> import tempfile
    >>> directory = tempfile.mkdtemp()
    >>> path = tf.train.Checkpoint(step=tf.Variable(7)).write(f"{directory}/ckpt")
    >>> reader = tf.train.load_checkpoint(path)
    >>> reader.get_tensor("step/.ATTRIBUTES/VARIABLE_VALUE")
    np.int32(7)
    """
    path = as_path(ckpt_dir_or_file)
    files = storage_of(path)
    if files.isdir(path) and not files.exists(path + INDEX):
        latest = latest_checkpoint(path)
        if latest is None:
            raise ValueError(
                f"Couldn't find 'checkpoint' file or checkpoints in given directory {path}"
            )
        path = latest
    return CheckpointReader(path)


@function("train.load_variable")
def load_variable(ckpt_dir_or_file: Any, name: str) -> Any:
    """Reads a value of a checkpoint by its name, see `tf.train.load_checkpoint`.

    Args:
        ckpt_dir_or_file: the path, or a directory, of which the latest checkpoint is taken.
        name: the name; `:0` at its end is left out.

    Returns:
        The value as an array.

    Raises:
        NotFoundError: if there is none with this name.

    >>> import tempfile
    >>> directory = tempfile.mkdtemp()
    >>> path = tf.train.Checkpoint(step=tf.Variable(7)).write(f"{directory}/ckpt")
    >>> tf.train.load_variable(path, "step/.ATTRIBUTES/VARIABLE_VALUE")
    np.int32(7)
    """
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name.removesuffix(":0"))


@function("train.list_variables")
def list_variables(ckpt_dir_or_file: Any) -> list[tuple[str, list[int]]]:
    """Lists the names and shapes of the values in a checkpoint.

    Args:
        ckpt_dir_or_file: the path, or a directory, of which the latest checkpoint is taken.

    Returns:
        Pairs of a name and a shape, by name.

    >>> import tempfile
    >>> directory = tempfile.mkdtemp()
    >>> path = tf.train.Checkpoint(step=tf.Variable(7)).write(f"{directory}/ckpt")
    >>> tf.train.list_variables(path)
    [('_CHECKPOINTABLE_OBJECT_GRAPH', []), ('step/.ATTRIBUTES/VARIABLE_VALUE', [])]
    """
    return sorted(load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map().items())
