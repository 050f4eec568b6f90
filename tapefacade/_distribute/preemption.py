"""Saving a program's state before its machine is taken away: `PreemptionCheckpointHandler`.

A machine that is to be taken away sends SIGTERM first, or tells who asks. Both only make a note;
the training loop looks at it between two steps, saves, and ends the process.
"""

import contextlib
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any, NoReturn

import numpy as np

from tapefacade._checkpoint.checkpoint import Checkpoint
from tapefacade._checkpoint.manager import CheckpointManager
from tapefacade._core import dtypes
from tapefacade._core.error_texts import invalid
from tapefacade._core.logging import get_logger
from tapefacade._core.process_group import PROCESSES
from tapefacade._definition.op import function
from tapefacade._distribute.worker_processes import exchanged
from tapefacade._state.variable import Variable

# Who starts programs anew starts one that ends with this status.
RESTART_STATUS = 42
RUNS_VARIABLE = "checkpointed_runs"
SECONDS_BETWEEN_QUESTIONS = 1.0
# The last save begins so many times the duration of a run before the machine is taken away.
RUNS_LEFT_AT_LAST_SAVE = 6


def _exit() -> NoReturn:
    sys.exit(RESTART_STATUS)


@function("distribute.experimental.TerminationConfig")
class TerminationConfig:
    """Says how a program learns that its machine is taken away, and what it does then.

    Args:
        termination_watcher_fn: asked every second in a thread; returns True when the machine is to
            be taken away. By default SIGTERM says so.
        exit_fn: called after the state is saved; ends the process with status 42 by default.
        grace_period: how many seconds there are until the machine is taken away. If it is positive,
            the program saves, trains on, and saves again shortly before.
        save_fn: saves the state, by default with the checkpoint manager.

    >>> tf.distribute.experimental.TerminationConfig(grace_period=30).grace_period
    30
    """

    def __init__(
        self,
        termination_watcher_fn: Callable[[], bool] | None = None,
        exit_fn: Callable[[], Any] | None = None,
        grace_period: float | None = None,
        save_fn: Callable[..., Any] | None = None,
    ) -> None:
        self.termination_watcher_fn = termination_watcher_fn
        self.exit_fn = exit_fn
        self.grace_period = grace_period
        self.save_fn = save_fn


class _Notice:
    """Whether, and when, the program was told that its machine is taken away."""

    def __init__(self) -> None:
        self.time: float | None = None

    def note(self, *_: int | FrameType | None) -> None:
        """Takes note; the handler of a signal."""
        self.time = self.time or time.time()

    def ask(self, watcher: Callable[[], bool], ended: threading.Event) -> None:
        """Asks until the answer is True."""
        while not watcher():
            if ended.wait(SECONDS_BETWEEN_QUESTIONS):
                return
        self.note()


@function("distribute.experimental.PreemptionCheckpointHandler")
class PreemptionCheckpointHandler:
    """Saves the state of a training loop when the machine is to be taken away, and restores it.

    Unlike TensorFlow, processes agree before each run on whether one of them was told, so that all
    save the same step; it does not ask Google's metadata server: say how in a
    `tf.distribute.experimental.TerminationConfig`.

    Args:
        cluster_resolver: ignored: `TF_CONFIG` says which processes there are.
        checkpoint_or_checkpoint_manager: what is saved; the latest checkpoint is restored at once.
        checkpoint_dir: the directory, if it is a `tf.train.Checkpoint`; only its latest checkpoint
            is kept.
        termination_config: how the program is told, and what it does then.

    Raises:
        InvalidArgumentError: if there is a checkpoint without a directory.

    >>> import tempfile
    >>> step, told = tf.Variable(0), []
    >>> config = tf.distribute.experimental.TerminationConfig(
    ...     termination_watcher_fn=lambda: False, exit_fn=lambda: told.append("saved"))
    >>> handler = tf.distribute.experimental.PreemptionCheckpointHandler(
    ...     None, tf.train.Checkpoint(step=step), tempfile.mkdtemp(), config)
    >>> handler.run(lambda: int(step.assign_add(1)))
    1
    >>> handler.total_run_calls
    np.int64(1)

    See https://www.tensorflow.org/api_docs/python/tf/distribute/experimental/PreemptionCheckpointHandler.
    """

    def __init__(
        self,
        cluster_resolver: Any,
        checkpoint_or_checkpoint_manager: Checkpoint | CheckpointManager,
        checkpoint_dir: str | None = None,
        termination_config: TerminationConfig | None = None,
    ) -> None:
        config = termination_config or TerminationConfig()
        self._manager = _manager_of(checkpoint_or_checkpoint_manager, checkpoint_dir)
        self._exit: Callable[[], Any] = config.exit_fn or _exit
        self._save_fn = config.save_fn
        self._grace_period = config.grace_period or 0
        self._checkpointed_runs = Variable(0, trainable=False, dtype=dtypes.int64)
        if not hasattr(self._manager.checkpoint, RUNS_VARIABLE):
            setattr(self._manager.checkpoint, RUNS_VARIABLE, self._checkpointed_runs)
        self._manager.restore_or_initialize()
        self._runs: Any = self._checkpointed_runs.numpy()
        self._seconds_of_run = 0.0
        self._run_to_save_at: int | None = None
        self._has_saved = False
        self._notice = _Notice()
        self._ended = threading.Event()
        if config.termination_watcher_fn is None:
            signal.signal(signal.SIGTERM, self._notice.note)
            return
        threading.Thread(
            target=self._notice.ask, args=(config.termination_watcher_fn, self._ended), daemon=True
        ).start()

    def __del__(self) -> None:
        if hasattr(self, "_ended"):
            self._ended.set()

    @property
    def total_run_calls(self) -> np.int64:
        """How often `run` has been called, those before the restart too."""
        return self._runs

    def run(self, distributed_train_function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Calls a function, after it has saved and ended the program if that is due.

        Args:
            distributed_train_function: a step or an epoch.
            *args: its arguments.
            **kwargs: its arguments by name.

        Returns:
            What it returns.
        """
        self._save_if_due()
        began = time.time()
        result = distributed_train_function(*args, **kwargs)
        self._runs += 1
        seconds = time.time() - began
        self._seconds_of_run += (seconds - self._seconds_of_run) / int(self._runs)
        return result

    def save_checkpoint_if_preempted(self, *args: Any, **kwargs: Any) -> None:
        """Saves and ends the program if that is due; in the place of `run`, between two steps.

        Args:
            *args: arguments of the manager's `save`, or of `save_fn`.
            **kwargs: arguments by name.
        """
        self._save_if_due(*args, **kwargs)
        self._runs += 1
        self._seconds_of_run = 0.0

    @contextlib.contextmanager
    def watch_preemption_scope(self) -> Iterator[None]:
        """Opens a block in which steps are run; nothing is saved within one."""
        yield

    def _save_if_due(self, *args: Any, **kwargs: Any) -> None:
        if self._run_to_save_at == self._runs:
            self._save(*args, **kwargs)
            if self._grace_period <= 0 or self._has_saved:
                self._ended.set()
                get_logger().info("The state is saved; the program ends.")
                self._exit()
                return
            self._has_saved, self._run_to_save_at = True, None
        elif self._run_to_save_at is None and self._is_told():
            self._run_to_save_at = self._runs + 1

    def _is_told(self) -> bool:
        """Whether one of the processes was told that its machine is taken away."""
        noted = self._notice.time
        told = noted is not None
        if noted is not None and self._has_saved:
            left = RUNS_LEFT_AT_LAST_SAVE * self._seconds_of_run
            told = time.time() > noted + self._grace_period - left
        if PROCESSES.count == 1:
            return told
        return any(answer == b"1" for answer in exchanged(b"1" if told else b"0"))

    def _save(self, *args: Any, **kwargs: Any) -> None:
        self._checkpointed_runs.assign(self._runs)
        (self._save_fn or self._manager.save)(*args, **kwargs)


def _manager_of(given: Checkpoint | CheckpointManager, directory: str | None) -> CheckpointManager:
    if isinstance(given, CheckpointManager):
        return given
    if not directory:
        raise invalid("When a checkpoint is passed, a checkpoint_dir must be passed as well.")
    return CheckpointManager(given, directory, max_to_keep=1)


@function("distribute.experimental.PreemptionWatcher")
class PreemptionWatcher:
    """Notes that the machine is to be taken away: that the process was sent SIGTERM.

    Unlike TensorFlow, which knows it of Google's own TPUs only, it does so everywhere.

    >>> import signal
    >>> watcher = tf.distribute.experimental.PreemptionWatcher()
    >>> watcher.preemption_message
    >>> signal.raise_signal(signal.SIGTERM)
    >>> watcher.preemption_message
    'SIGTERM'
    >>> before = signal.signal(signal.SIGTERM, signal.SIG_DFL)
    """

    def __init__(self) -> None:
        self._notice = _Notice()
        signal.signal(signal.SIGTERM, self._notice.note)

    @property
    def preemption_message(self) -> str | None:
        """What was noted; None until then."""
        return None if self._notice.time is None else "SIGTERM"

    def block_until_worker_exit(self) -> None:
        """Does nothing, as in TensorFlow without Google's own TPUs."""
