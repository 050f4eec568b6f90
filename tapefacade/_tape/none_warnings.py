"""Warnings of gradients that are None, each once for a line of the user's."""

from typing import Any

from tapefacade._core import nest
from tapefacade._core.logging import get_logger
from tapefacade._definition.op import function
from tapefacade._tape.tape import GradientTape
from tapefacade._trace.program_listing import place
from tapefacade._trace.tree import users_line

_LINES: set[str] = set()  # that were warned of
_ORIGINAL: list[Any] = []  # what warnings replace while they are on


def _warning(original: Any) -> Any:
    def gradient(tape: GradientTape, target: Any, sources: Any, *args: Any, **kwargs: Any) -> Any:
        results = original(tape, target, sources, *args, **kwargs)
        flat = zip(nest.flatten(sources), nest.flatten(results), strict=True)
        missing = [source for source, result in flat if result is None]
        line = users_line()
        if missing and line not in _LINES:
            _LINES.add(line)
            told = tape.explain(target, missing)
            get_logger().warning("No gradient, at %s\n%r", place(line), told)
        return results

    return gradient


@function("debugging.enable_none_warnings")
def enable_none_warnings() -> None:
    """Warns of every `tape.gradient` that gives None: what `tape.explain` says, once for each line.

    TensorFlow has nothing like it. For an error instead of a warning there is
    `tape.gradient(..., unconnected_gradients="raise")`.

    >>> tf.debugging.enable_none_warnings()
    >>> tf.debugging.disable_none_warnings()
    """
    if not _ORIGINAL:
        _LINES.clear()
        _ORIGINAL.append(GradientTape.gradient)
        GradientTape.gradient = _warning(GradientTape.gradient)


@function("debugging.disable_none_warnings")
def disable_none_warnings() -> None:
    """Takes `enable_none_warnings` back.

    >>> tf.debugging.disable_none_warnings()
    """
    if _ORIGINAL:
        GradientTape.gradient = _ORIGINAL.pop()
