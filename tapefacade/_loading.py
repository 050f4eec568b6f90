"""Imports nearly all of the package, and JAX, while the garbage collector is paused.

200,000 objects come to stay. To look through them for garbage again and again took a quarter of the
time until the first gradient. Afterwards they count as old, so that it is not done at once either.
"""

import importlib
import pathlib

from tapefacade._trace.garbage_collection import no_collection

# `keras` imports Keras, which waits until somebody asks for it; `demo` is a program.
with no_collection(counts_as_old=True):
    for _path in sorted(pathlib.Path(__file__).parent.iterdir()):
        is_code = _path.suffix == ".py" or _path.is_dir()
        if is_code and not _path.name.startswith("_") and _path.stem not in ("demo", "keras"):
            importlib.import_module(f"tapefacade.{_path.stem}")
