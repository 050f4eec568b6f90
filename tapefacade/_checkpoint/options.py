"""`tf.train.CheckpointOptions`."""

from collections.abc import Callable, Sequence
from typing import Any

from tapefacade._definition.op import function


@function("train.CheckpointOptions")
class CheckpointOptions:
    """How checkpoints are written.

    Unlike TensorFlow, all of it but the callbacks is accepted and has no effect: files are written
    before `save` returns.

    Args:
        experimental_io_device: accepted for TensorFlow's sake.
        experimental_enable_async_checkpoint: accepted for TensorFlow's sake.
        experimental_write_callbacks: functions that are called after a checkpoint was written, with
            its path if they take an argument.
        enable_async: accepted for TensorFlow's sake.
        experimental_skip_slot_variables: accepted for TensorFlow's sake.
        experimental_sharding_callback: accepted for TensorFlow's sake.

    >>> import tempfile
    >>> directory = tempfile.mkdtemp()
    >>> options = tf.train.CheckpointOptions()
    >>> path = tf.train.Checkpoint(v=tf.Variable(1)).write(f"{directory}/options", options)
    """

    def __init__(
        self,
        experimental_io_device: str | None = None,
        experimental_enable_async_checkpoint: bool = False,
        experimental_write_callbacks: Sequence[Callable[..., Any]] | None = None,
        enable_async: bool = False,
        experimental_skip_slot_variables: bool = False,
        experimental_sharding_callback: Any = None,
    ) -> None:
        self.experimental_io_device = experimental_io_device
        self.experimental_enable_async_checkpoint = experimental_enable_async_checkpoint
        self.experimental_write_callbacks = experimental_write_callbacks
        self.enable_async = enable_async or experimental_enable_async_checkpoint
        self.experimental_skip_slot_variables = experimental_skip_slot_variables
        self.experimental_sharding_callback = experimental_sharding_callback
