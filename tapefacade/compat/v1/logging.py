"""Names of older versions: `tf.compat.v1.logging`."""

from tapefacade._core.aliases import aliases as _aliases
from tapefacade._renamed.older_logging import (
    DEBUG as DEBUG,
    ERROR as ERROR,
    FATAL as FATAL,
    INFO as INFO,
    WARN as WARN,
    debug as debug,
    error as error,
    fatal as fatal,
    flush as flush,
    get_verbosity as get_verbosity,
    info as info,
    log as log,
    log as vlog,
    log_every_n as log_every_n,
    log_first_n as log_first_n,
    log_if as log_if,
    set_verbosity as set_verbosity,
    warn as warn,
    warning as warning,
)

_SAME = ""
_RENAMED: dict[str, str] = {}

__getattr__, __dir__ = _aliases(__name__, _SAME, _RENAMED)
