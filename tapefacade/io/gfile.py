"""`tf.io.gfile`."""

from tapefacade._core.missing_names import missing_attribute as _missing_attribute
from tapefacade._io.file_handles import GFile as GFile
from tapefacade._io.gfile import (
    copy as copy,
    exists as exists,
    get_registered_schemes as get_registered_schemes,
    glob as glob,
    isdir as isdir,
    join as join,
    listdir as listdir,
    makedirs as makedirs,
    mkdir as mkdir,
    remove as remove,
    rename as rename,
    rmtree as rmtree,
    stat as stat,
    walk as walk,
)

__getattr__ = _missing_attribute(__name__)
