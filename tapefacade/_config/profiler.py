"""Profiles of programs, which JAX's profiler writes for TensorBoard."""

import os
from typing import Any, NamedTuple

import jax

from tapefacade._core import errors
from tapefacade._definition.op import function, register


class ProfilerOptions(NamedTuple):
    """How much a profile tells.

    Args:
        host_tracer_level: how much of the host, 0 to 3.
        python_tracer_level: 1 for calls of Python functions, 0 for none.
        device_tracer_level: ignored: devices are always traced.
        delay_ms: ignored: a profile starts at once.

    >>> tf.profiler.experimental.ProfilerOptions(host_tracer_level=3).python_tracer_level
    0
    """

    host_tracer_level: int = 2
    python_tracer_level: int = 0
    device_tracer_level: int = 1
    delay_ms: int | None = None


class _ProfilerState:
    """Whether a profile is being made."""

    running = False


@function("profiler.experimental.start")
def start(logdir: str, options: ProfilerOptions | None = None) -> None:
    """Starts a profile of all that runs.

    Args:
        logdir: the directory that `stop` writes it to.
        options: how much it tells.

    Raises:
        AlreadyExistsError: if one was started before.
        UnimplementedError: if `logdir` is no directory of this machine.

    >>> callable(tf.profiler.experimental.start)
    True
    """
    if _ProfilerState.running:
        raise errors.AlreadyExistsError(None, None, "Another profiler is running.")
    if "://" in os.fspath(logdir):
        raise errors.UnimplementedError(
            None,
            None,
            f"Profiles are written on this machine, not to {logdir}: give a local directory, and "
            "copy it with tf.io.gfile",
        )
    given = options or ProfilerOptions()
    wanted = jax.profiler.ProfileOptions()
    wanted.host_tracer_level = given.host_tracer_level
    wanted.python_tracer_level = given.python_tracer_level
    jax.profiler.start_trace(logdir, profiler_options=wanted)
    _ProfilerState.running = True


@function("profiler.experimental.stop")
def stop(save: bool = True) -> None:
    """Ends the profile, and writes it.

    Unlike TensorFlow, it is always written.

    Args:
        save: ignored.

    Raises:
        UnavailableError: if none was started.

    >>> tf.profiler.experimental.stop()
    Traceback (most recent call last):
    tapefacade.errors.UnavailableError: Cannot export profiling results. ...
    """
    if not _ProfilerState.running:
        raise errors.UnavailableError(
            None, None, "Cannot export profiling results. No profiler is running."
        )
    _ProfilerState.running = False
    jax.profiler.stop_trace()


@function("profiler.experimental.server.start")
def start_server(port: int) -> None:
    """Starts a server that TensorBoard's "capture profile" asks for profiles of this process.

    Args:
        port: the port that it listens on.

    >>> callable(tf.profiler.experimental.server.start)
    True
    """
    jax.profiler.start_server(port)


class Profile:
    """A block that is profiled.

    Args:
        logdir: the directory that the profile is written to.
        options: how much it tells.

    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     with tf.profiler.experimental.Profile(directory):
    ...         x = tf.reduce_sum(tf.ones([3])).numpy()
    ...     os.listdir(directory)
    ['plugins']
    """

    def __init__(self, logdir: str, options: ProfilerOptions | None = None) -> None:
        self._arguments = (logdir, options)

    def __enter__(self) -> None:
        start(*self._arguments)

    def __exit__(self, *exception: object) -> None:
        stop()


class Trace:
    """A block that has a name in profiles.

    Args:
        name: the name.
        **kwargs: what else to show. With `_r=1` and a `step_num` it is a step of training.

    >>> with tf.profiler.experimental.Trace("train", step_num=1, _r=1):
    ...     x = tf.constant(1.0)
    """

    def __init__(self, name: str, **kwargs: Any) -> None:
        step = kwargs.pop("_r", None) and "step_num" in kwargs
        kind = jax.profiler.StepTraceAnnotation if step else jax.profiler.TraceAnnotation
        self._annotation = kind(name, **kwargs)

    def __enter__(self) -> "Trace":
        self._annotation.__enter__()
        return self

    def set_metadata(self, **kwargs: Any) -> None:
        """Adds what else to show.

        Args:
            **kwargs: names and values.
        """
        self._annotation.set_metadata(**kwargs)

    def __exit__(self, *exception: Any) -> None:
        self._annotation.__exit__(*exception)


register(("profiler.experimental.ProfilerOptions",), ProfilerOptions)
register(("profiler.experimental.Profile",), Profile)
register(("profiler.experimental.Trace",), Trace)
