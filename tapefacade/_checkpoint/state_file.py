"""The file `checkpoint` of a directory, which lists its checkpoints in TensorFlow's form."""

import os
from collections.abc import Sequence
from typing import Any

from tapefacade._checkpoint.tensorflow_files.messages import CHECKPOINTS
from tapefacade._core.logging import get_logger
from tapefacade._definition.op import function
from tapefacade._io.file_errors import as_path
from tapefacade._io.storage import is_remote, storage_of
from tapefacade._io.whole_files import write_bytes

STATE_FILE_NAME = "checkpoint"
NANOSECONDS_PER_SECOND = 1e9


class ParseError(ValueError):
    """Says where a state file cannot be read; logged under this name, as protobuf's is."""


def _parsed(text: str) -> Any:
    """Reads a state file.

    Raises:
        ValueError: if it is none.
    """
    text_format = CHECKPOINTS.library("text_format")
    try:
        return text_format.Parse(text, CHECKPOINTS["CheckpointState"]())
    except text_format.ParseError as error:
        raise ParseError(str(error)) from None


def _absolute(directory: str, path: str) -> str:
    return path if os.path.isabs(path) or is_remote(path) else os.path.join(directory, path)


@function("train.get_checkpoint_state")
def get_checkpoint_state(checkpoint_dir: Any, latest_filename: str | None = None) -> Any:
    """Reads which checkpoints there are in a directory, from its file `checkpoint`.

    Args:
        checkpoint_dir: the directory.
        latest_filename: the name of the file, by default "checkpoint".

    Returns:
        None if there is no such file, or it cannot be read. Otherwise an object with
        `model_checkpoint_path`, `all_model_checkpoint_paths`, `all_model_checkpoint_timestamps`
        and `last_preserved_timestamp`.

    Raises:
        ValueError: if the file names no checkpoint.

    >>> tf.train.get_checkpoint_state("/tmp/there_is_no_such_directory")
    """
    directory = as_path(checkpoint_dir)
    path = os.path.join(directory, latest_filename or STATE_FILE_NAME)
    try:
        with storage_of(path).open(path, "rb") as file:
            state = _parsed(file.read().decode())
    except FileNotFoundError:
        return None
    except OSError as error:
        get_logger().warning("%s: %s", type(error).__name__, error)
        get_logger().warning("%s: Checkpoint ignored", path)
        return None
    except ValueError as error:
        get_logger().warning("%s: %s", type(error).__name__, error)
        get_logger().warning("%s: Checkpoint ignored", path)
        return None
    if not state.model_checkpoint_path:
        raise ValueError(f"Invalid checkpoint state loaded from {directory}")
    state.model_checkpoint_path = _absolute(directory, state.model_checkpoint_path)
    paths = [_absolute(directory, each) for each in state.all_model_checkpoint_paths]
    state.ClearField("all_model_checkpoint_paths")
    state.all_model_checkpoint_paths.extend(paths)
    return state


@function("train.latest_checkpoint")
def latest_checkpoint(checkpoint_dir: Any, latest_filename: str | None = None) -> str | None:
    """Returns the path of the latest checkpoint in a directory, ours or TensorFlow's.

    Args:
        checkpoint_dir: the directory.
        latest_filename: the name of the file that says which it is, by default "checkpoint".

    Returns:
        The path for `restore`, or None if there is none.

    >>> import tempfile
    >>> directory = tempfile.mkdtemp()
    >>> checkpoint = tf.train.Checkpoint(step=tf.Variable(7))
    >>> path = checkpoint.save(f"{directory}/saved/ckpt")
    >>> tf.train.latest_checkpoint(f"{directory}/saved")
    '.../saved/ckpt-...'
    """
    state = get_checkpoint_state(checkpoint_dir, latest_filename)
    if state is None:
        return None
    path = state.model_checkpoint_path
    if checkpoint_exists(path):
        return path
    get_logger().error("Couldn't match files for checkpoint %s", path)
    return None


@function("compat.v1.train.checkpoint_exists")
def checkpoint_exists(checkpoint_prefix: Any) -> bool:
    """Returns whether there is a checkpoint with a path."""
    path = f"{as_path(checkpoint_prefix)}.index"
    return storage_of(path).exists(path)


@function("compat.v1.train.generate_checkpoint_state_proto")
def generate_checkpoint_state_proto(
    save_dir: Any,
    model_checkpoint_path: Any,
    all_model_checkpoint_paths: Sequence[str] | None = None,
    all_model_checkpoint_timestamps: Sequence[float] | None = None,
    last_preserved_timestamp: float | None = None,
) -> Any:
    """Makes what a file `checkpoint` says.

    Args:
        save_dir: the directory.
        model_checkpoint_path: the path of the latest checkpoint.
        all_model_checkpoint_paths: the paths of all, from the oldest to the latest.
        all_model_checkpoint_timestamps: their times.
        last_preserved_timestamp: when a checkpoint was last kept for good.

    Raises:
        ValueError: if there is not one time for each path.
    """
    directory, latest = as_path(save_dir), as_path(model_checkpoint_path)
    paths = [as_path(path) for path in all_model_checkpoint_paths or ()]
    if not paths or paths[-1] != latest:
        paths.append(latest)
    times = all_model_checkpoint_timestamps
    if times and len(times) != len(paths):
        raise ValueError(
            "Checkpoint timestamps, if provided, must match checkpoint paths (got paths "
            f"{paths} and timestamps {times})"
        )
    if not os.path.isabs(directory):
        latest, *paths = [
            path if os.path.isabs(path) else os.path.relpath(path, directory)
            for path in (latest, *paths)
        ]
    return CHECKPOINTS["CheckpointState"](
        model_checkpoint_path=latest,
        all_model_checkpoint_paths=paths,
        all_model_checkpoint_timestamps=times,
        last_preserved_timestamp=last_preserved_timestamp,
    )


@function("compat.v1.train.update_checkpoint_state")
def update_checkpoint_state(
    save_dir: Any,
    model_checkpoint_path: Any,
    all_model_checkpoint_paths: Sequence[str] | None = None,
    latest_filename: str | None = None,
    all_model_checkpoint_timestamps: Sequence[float] | None = None,
    last_preserved_timestamp: float | None = None,
) -> None:
    """Writes which checkpoints there are into the file `checkpoint` of a directory.

    Args:
        save_dir: the directory.
        model_checkpoint_path: the path of the latest checkpoint.
        all_model_checkpoint_paths: the paths of all, from the oldest to the latest.
        latest_filename: the name of the file, by default "checkpoint".
        all_model_checkpoint_timestamps: the times of all.
        last_preserved_timestamp: when a checkpoint was last kept for good.

    Raises:
        ValueError: if there is not one time for each path.
    """
    state = generate_checkpoint_state_proto(
        save_dir, model_checkpoint_path, all_model_checkpoint_paths,
        all_model_checkpoint_timestamps, last_preserved_timestamp,
    )  # fmt: skip
    write_bytes(
        os.path.join(as_path(save_dir), latest_filename or STATE_FILE_NAME), str(state).encode()
    )


def update_with_relative_paths(
    directory: str,
    latest: str,
    all_paths: Sequence[str],
    times: Sequence[float] | None = None,
    last_preserved: float | None = None,
) -> None:
    """Writes the file `checkpoint`, with paths as they are seen from the directory."""
    update_checkpoint_state(
        directory,
        _relative(latest, directory),
        [_relative(path, directory) for path in all_paths],
        all_model_checkpoint_timestamps=times,
        last_preserved_timestamp=last_preserved,
    )


def _relative(path: str, directory: str) -> str:
    """Returns a path so that `generate_checkpoint_state_proto` makes it a relative one."""
    if os.path.isabs(directory) and os.path.isabs(path):
        return os.path.relpath(path, directory)
    return path


@function("compat.v1.train.get_checkpoint_mtimes")
def get_checkpoint_mtimes(checkpoint_prefixes: Sequence[Any]) -> list[float]:
    """Returns when checkpoints were written, leaving out those that are not there."""
    paths = [f"{as_path(prefix)}.index" for prefix in checkpoint_prefixes]
    return [
        storage_of(path).status(path)[1] / NANOSECONDS_PER_SECOND
        for path in paths
        if storage_of(path).exists(path)
    ]
