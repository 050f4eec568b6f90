"""Whether functions run their Python at every call, and whether one runs now."""

from tapefacade._definition.op import function
from tapefacade._trace.recording import THREAD


class _EagerMode:
    """Whether functions run eagerly."""

    on = False


EAGER_MODE = _EagerMode()


@function("config.run_functions_eagerly", "config.experimental_run_functions_eagerly")
def run_functions_eagerly(run_eagerly: bool) -> None:
    """Sets whether a `tf.function` runs its Python at every call, for debugging.

    Args:
        run_eagerly: whether it does.

    >>> tf.config.run_functions_eagerly(True)
    >>> tf.function(lambda: print("runs") or 1)()
    runs
    1
    >>> tf.config.run_functions_eagerly(False)
    """
    EAGER_MODE.on = run_eagerly


@function("config.functions_run_eagerly", "config.experimental_functions_run_eagerly")
def functions_run_eagerly() -> bool:
    """Returns whether a `tf.function` runs its Python at every call.

    >>> tf.config.functions_run_eagerly()
    False
    """
    return EAGER_MODE.on


@function("inside_function")
def inside_function() -> bool:
    """Returns True within a `tf.function`, else False.

    >>> tf.inside_function()
    False
    """
    return bool(THREAD.functions)
