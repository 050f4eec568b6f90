"""Kernels by name, where a public function does the same: `tf.raw_ops`."""

from typing import Any as _Any

from tapefacade._core.missing import missing_attribute as _missing_attribute
from tapefacade._raw.functions import raw_function as _raw_function, table as _table

_missing = _missing_attribute(__name__, depth=2)


def __getattr__(name: str) -> _Any:
    if name not in _table():
        return _missing(name)
    globals()[name] = found = _raw_function(name)
    return found


def __dir__() -> list[str]:
    return sorted(_table())
