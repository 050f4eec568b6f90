"""Flags of the command line, those of absl: `tf.compat.v1.flags`."""

from typing import Any as _Any

from tapefacade._compat.v1_flags import flag_name as _flag_name, flag_names as _flag_names
from tapefacade._core.missing_names import missing_attribute as _missing_attribute


def __getattr__(name: str) -> _Any:
    if name.startswith("_") or name not in (_flag_names() or [name]):
        return _missing(name)
    return _flag_name(name)


def __dir__() -> list[str]:
    return _flag_names()


_missing = _missing_attribute(__name__, depth=2)
