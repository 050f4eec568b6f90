"""`tf.train.CheckpointManager`: keeps the latest checkpoints of a directory, and removes others."""

import os
import re
import time
from collections.abc import Callable, Iterator
from typing import Any

from tapefacade._checkpoint.checkpoint import Checkpoint
from tapefacade._checkpoint.checkpoint_files import INDEX, data_files
from tapefacade._checkpoint.options import CheckpointOptions
from tapefacade._checkpoint.state_file import (
    get_checkpoint_state,
    latest_checkpoint,
    update_with_relative_paths,
)
from tapefacade._core.logging import get_logger
from tapefacade._definition.op import function
from tapefacade._io.file_errors import as_path
from tapefacade._io.storage import storage_of
from tapefacade._io.whole_files import remove

SECONDS_PER_HOUR = 3600.0
DATA_FILE_SUFFIX = re.compile(r"\.data-(\d{5}-of-\d{5}|[0-9a-f]{16}\.safetensors)$")


@function("train.CheckpointManager")
class CheckpointManager:
    """Saves checkpoints in a directory and keeps the latest of them.

    Args:
        checkpoint: the `tf.train.Checkpoint` to save and restore.
        directory: where the files are written.
        max_to_keep: how many checkpoints to keep; None keeps all.
        keep_checkpoint_every_n_hours: keep one in so many hours for good.
        checkpoint_name: what the names of the files begin with.
        step_counter: a variable that counts steps, for `checkpoint_interval`.
        checkpoint_interval: save only if so many steps have passed since the last time.
        init_fn: called by `restore_or_initialize` if there is no checkpoint.
        last_checkpoint_step: the step of the last checkpoint, for `checkpoint_interval`.

    Raises:
        ValueError: if `max_to_keep` is not positive, or there is an interval and no counter.

    >>> import tempfile
    >>> directory = tempfile.mkdtemp()
    >>> v = tf.Variable(1.0)
    >>> checkpoint = tf.train.Checkpoint(v=v)
    >>> manager = tf.train.CheckpointManager(checkpoint, f"{directory}/kept", max_to_keep=3)
    >>> path = manager.save()
    >>> manager.latest_checkpoint == path
    True
    >>> manager.restore_or_initialize() == path
    True

    See https://www.tensorflow.org/api_docs/python/tf/train/CheckpointManager.
    """

    def __init__(
        self,
        checkpoint: Checkpoint,
        directory: Any,
        max_to_keep: int | None,
        keep_checkpoint_every_n_hours: float | None = None,
        checkpoint_name: str = "ckpt",
        step_counter: Any = None,
        checkpoint_interval: int | None = None,
        init_fn: Callable[[], Any] | None = None,
        last_checkpoint_step: int | None = None,
    ) -> None:
        if max_to_keep is not None and max_to_keep <= 0:
            raise ValueError(
                f"Expected a positive integer or `None` for `max_to_keep`, got {max_to_keep}."
            )
        if checkpoint_interval is not None and step_counter is None:
            raise ValueError(
                "`step_counter` should be passed if `checkpoint_interval` is not None."
            )
        self._checkpoint = checkpoint
        self._directory = as_path(directory)
        self._max_to_keep = max_to_keep
        self._every = keep_checkpoint_every_n_hours
        self._prefix = os.path.join(self._directory, checkpoint_name)
        self._step_counter = step_counter
        self._interval = checkpoint_interval
        self._init_fn = init_fn
        self._last_step = last_checkpoint_step
        self._latest: str | None = None
        self._kept: dict[str, float] = {}  # checkpoints that may go, and their times
        # Those that go, or were interrupted: their files are removed by the next `save` at last.
        self._leaving: list[str] = []
        self._preserved = time.time()
        self._take_over()

    def __repr__(self) -> str:
        kept = f"directory={self._directory!r}, max_to_keep={self._max_to_keep}"
        return f"<tf.train.CheckpointManager {kept}>"

    def _take_over(self) -> None:
        """Finds the checkpoints that a program has written before."""
        state = get_checkpoint_state(self._directory)
        if state is None:
            return
        now = time.time()
        paths = list(state.all_model_checkpoint_paths)
        times = list(state.all_model_checkpoint_timestamps) or [now] * len(paths)
        self._preserved = (
            state.last_preserved_timestamp or now - (self._every or 0) * SECONDS_PER_HOUR
        )
        self._latest = state.model_checkpoint_path
        for path, written in zip(paths, times, strict=False):
            # The clock may have been set back since.
            self._kept[path] = min(written, now)
        if self._latest and self._latest not in self._kept:
            self._kept[self._latest] = now

    @property
    def directory(self) -> str:
        """The directory."""
        return self._directory

    @property
    def checkpoint(self) -> Checkpoint:
        """The checkpoint that is saved."""
        return self._checkpoint

    @property
    def checkpoint_interval(self) -> int | None:
        """How many steps pass between checkpoints, or None."""
        return self._interval

    @property
    def latest_checkpoint(self) -> str | None:
        """The path of the latest checkpoint, or None."""
        return self._latest

    @property
    def checkpoints(self) -> list[str]:
        """The paths of the checkpoints, from the oldest to the latest; not those kept for good."""
        return list(self._kept)

    def save(
        self,
        checkpoint_number: Any = None,
        check_interval: bool = True,
        options: CheckpointOptions | None = None,
    ) -> str | None:
        """Saves a checkpoint, and removes old ones.

        Args:
            checkpoint_number: the number in its name, an integer or a variable; by default how
                often the checkpoint was saved.
            check_interval: whether to save only if enough steps have passed.
            options: a `tf.train.CheckpointOptions`.

        Returns:
            The path, or None if not enough steps have passed.
        """
        if self._interval is not None and check_interval and not self._is_due():
            return None
        counter = self._checkpoint.save_counter
        counter.assign_add(1)
        number = counter if checkpoint_number is None else checkpoint_number
        number = int(number.numpy()) if hasattr(number, "numpy") else int(number)
        path = f"{self._prefix}-{number}"
        self._leaving.append(path)
        try:
            self._checkpoint.write(path, options)
        except BaseException:  # also Ctrl-C: what was not saved is not counted
            counter.assign_sub(1)
            raise
        if self._step_counter is not None:
            self._last_step = int(self._step_counter.numpy())
        self._kept.pop(path, None)
        self._kept[path] = time.time()
        self._latest = path
        self._leaving.remove(path)
        self._note()
        self._sweep()
        return path

    def _is_due(self) -> bool:
        if self._last_step is None:
            return True
        return int(self._step_counter.numpy()) >= self._last_step + (self._interval or 0)

    def _note(self) -> None:
        assert self._latest is not None
        update_with_relative_paths(
            self._directory, self._latest, list(self._kept), list(self._kept.values()),
            self._preserved,
        )  # fmt: skip

    def _sweep(self) -> None:
        """Removes old checkpoints, once the state file does not name them any more."""
        if self._max_to_keep is None:
            return
        old = list(self._kept)[: -self._max_to_keep]
        for path in old:
            written = self._kept[path]
            if (
                self._every is not None
                and written - self._every * SECONDS_PER_HOUR >= self._preserved
            ):
                self._preserved = written
            else:
                self._leaving.append(path)
            del self._kept[path]
        if old:
            self._note()
        while self._leaving:
            if self._leaving[0] not in self._kept:
                remove_checkpoint(self._leaving[0])
            del self._leaving[0]

    def restore_or_initialize(self) -> str | None:
        """Restores the latest checkpoint, or calls `init_fn` if there is none.

        Returns:
            The path of the checkpoint, or None.
        """
        if self._latest is not None:
            self._checkpoint.restore(self._latest)
            if self._step_counter is not None:
                self._last_step = int(self._step_counter.numpy())
            return self._latest
        if self._init_fn is not None:
            self._init_fn()
            get_logger().info("Customized initialization is done through the passed `init_fn`.")
        return None

    def sync(self) -> None:
        """Does nothing: checkpoints are complete when `save` returns."""


@function("compat.v1.train.remove_checkpoint")
def remove_checkpoint(
    checkpoint_prefix: Any, checkpoint_format_version: int = 2, meta_graph_suffix: str = "meta"
) -> None:
    """Removes a checkpoint: its index first, so that it is never there in part.

    Args:
        checkpoint_prefix: the path.
        checkpoint_format_version: accepted for TensorFlow's sake.
        meta_graph_suffix: accepted for TensorFlow's sake.
    """
    prefix = as_path(checkpoint_prefix)
    data = data_files(prefix)
    if data is not None:
        for path in (prefix + INDEX, *data):
            remove(path)
        return
    directory, name = os.path.split(prefix)
    remove(prefix + INDEX)
    files = storage_of(prefix)
    for other in files.listdir(directory or ".") if files.isdir(directory or ".") else ():
        if other.startswith(name) and DATA_FILE_SUFFIX.fullmatch(other[len(name) :]):
            remove(os.path.join(directory, other))


@function("train.checkpoints_iterator")
def checkpoints_iterator(
    checkpoint_dir: Any,
    min_interval_secs: float = 0,
    timeout: float | None = None,
    timeout_fn: Callable[[], bool] | None = None,
) -> Iterator[str]:
    """Yields the paths of new checkpoints in a directory as they are written.

    Args:
        checkpoint_dir: the directory.
        min_interval_secs: the least time between two of them.
        timeout: how many seconds to wait for the next one; None waits for ever.
        timeout_fn: called when the time is over; if it returns false, waiting goes on.

    Yields:
        The path of the latest checkpoint.

    >>> import tempfile
    >>> directory = tempfile.mkdtemp()
    >>> checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    >>> path = checkpoint.save(f"{directory}/watched/ckpt")
    >>> [found == path for found in tf.train.checkpoints_iterator(f"{directory}/watched",
    ...                                                           timeout=0)]
    [True]
    """
    last = None
    while True:
        path = _wait_for_new(checkpoint_dir, last, timeout)
        if path is None:
            if timeout_fn is None or timeout_fn():
                return
            continue
        begun = time.time()
        last = path
        yield path
        rest = begun + min_interval_secs - time.time()
        if rest > 0:
            time.sleep(rest)


def _wait_for_new(directory: Any, last: str | None, timeout: float | None) -> str | None:
    end = None if timeout is None else time.time() + timeout
    while True:
        path = latest_checkpoint(directory)
        if path is not None and path != last:
            return path
        if end is not None and time.time() + 1.0 > end:
            return None
        time.sleep(1.0)
