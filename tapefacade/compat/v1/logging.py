"""Names of older versions: `tf.compat.v1.logging`."""

from tapefacade._core.aliases import aliases as _aliases

_SAME = ""
_RENAMED = {
    "DEBUG": "errors.ABORTED",
}

__getattr__, __dir__ = _aliases(__name__, _SAME, _RENAMED)
