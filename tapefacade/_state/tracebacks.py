"""Whether tracebacks show the package's own lines."""

from tapefacade._ops.op import function


class _Tracebacks:
    """What programs have asked for."""

    filtered = True


@function("debugging.enable_traceback_filtering")
def enable_traceback_filtering() -> None:
    """Takes note of a wish that tracebacks leave the package's own lines out.

    Unlike TensorFlow, this changes nothing: tracebacks are Python's. An error of an op that ran
    later than it was called says in a note which line called it.

    >>> tf.debugging.enable_traceback_filtering()
    """
    _Tracebacks.filtered = True


@function("debugging.disable_traceback_filtering")
def disable_traceback_filtering() -> None:
    """Takes note of a wish that tracebacks show all lines, which they always do.

    >>> tf.debugging.disable_traceback_filtering()
    >>> tf.debugging.is_traceback_filtering_enabled()
    False
    >>> tf.debugging.enable_traceback_filtering()
    """
    _Tracebacks.filtered = False


@function("debugging.is_traceback_filtering_enabled")
def is_traceback_filtering_enabled() -> bool:
    """Returns what `enable_traceback_filtering` and its opposite were told last, True at first.

    >>> tf.debugging.is_traceback_filtering_enabled()
    True
    """
    return _Tracebacks.filtered
