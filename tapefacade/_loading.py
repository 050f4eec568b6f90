"""Imports nearly all of the package, and JAX, while the garbage collector is paused.

200,000 objects come to stay. To look through them for garbage again and again took a quarter of the
time until the first gradient. Afterwards they count as old, so that it is not done at once either.
"""

import contextlib
import gc
import importlib
import pathlib
from collections.abc import Iterator


@contextlib.contextmanager
def collector_paused() -> Iterator[None]:
    """While it lasts, no garbage is looked for."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
        if was_enabled and not gc.get_freeze_count():
            gc.freeze()
            gc.unfreeze()  # puts everything among the old
    finally:
        if was_enabled:
            gc.enable()


# `keras` imports Keras, which waits until somebody asks for it; `demo` is a program.
with collector_paused():
    for _path in sorted(pathlib.Path(__file__).parent.iterdir()):
        if not _path.name.startswith("_") and _path.stem not in ("demo", "keras"):
            importlib.import_module(f"tapefacade.{_path.stem}")
