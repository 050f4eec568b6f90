"""Names of older versions: `tf.compat.v1.gfile`."""

from tapefacade._core.lazy_names import aliases as _aliases
from tapefacade._io.file_handles import GFile as FastGFile, GFile as GFile, GFile as Open
from tapefacade._io.gfile import (
    copy as Copy,
    exists as Exists,
    glob as Glob,
    isdir as IsDirectory,
    listdir as ListDirectory,
    makedirs as MakeDirs,
    mkdir as MkDir,
    remove as Remove,
    rename as Rename,
    rmtree as DeleteRecursively,
    stat as Stat,
    walk as Walk,
)

_SAME = ""
_RENAMED: dict[str, str] = {}

__getattr__, __dir__ = _aliases(__name__, _SAME, _RENAMED)
