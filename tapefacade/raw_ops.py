"""Kernels by name, where a public function does the same: `tf.raw_ops`."""

from typing import Any as _Any

from tapefacade._compat.raw_ops import raw_ops as _raw_ops
from tapefacade._compat.renamed_functions import keyword_function as _keyword_function
from tapefacade._core.missing_names import missing_attribute as _missing_attribute

_missing = _missing_attribute(__name__, depth=2)
_TABLE = _raw_ops()


def __getattr__(name: str) -> _Any:
    if name not in _TABLE:
        return _missing(name)
    globals()[name] = found = _keyword_function(name, _TABLE[name])
    return found


def __dir__() -> list[str]:
    return sorted(_TABLE)
