"""Small TensorFlow programs: `PROGRAMS` by name, each `program(tf, np)` returns what it found."""

import hashlib
import importlib
import inspect
import pathlib
from collections.abc import Callable
from typing import Any

SUBJECTS: list[str] = [
    path.stem
    for path in sorted(pathlib.Path(__file__).parent.glob("*.py"))
    if path.stem not in ("__init__", "program")
]


def programs(subject: str) -> dict[str, Callable[..., Any]]:
    """The programs of one module: its public functions of `tf` and `np`, in their order."""
    module = importlib.import_module(f"programs.{subject}")
    return {
        f"{subject}.{key}": function
        for key, function in vars(module).items()
        if inspect.isfunction(function)
        and list(inspect.signature(function).parameters) == ["tf", "np"]
        and not key.startswith("_")
    }


def logical_cpus(subject: str) -> int:
    """Into how many devices TensorFlow's CPU is divided for the programs of one module."""
    return getattr(importlib.import_module(f"programs.{subject}"), "LOGICAL_CPUS", 1)


PROGRAMS: dict[str, Callable[..., Any]] = {
    key: function for subject in SUBJECTS for key, function in programs(subject).items()
}


def digest(program: Callable[..., Any]) -> str:
    """Changes when the program's text does."""
    return hashlib.sha1(inspect.getsource(program).encode()).hexdigest()[:12]
