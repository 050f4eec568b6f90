"""Extension types: tensors of classes that programs define, and what functions do with them."""

import importlib
import pathlib

# Every module of the package registers functions or handlers.
for _path in sorted(pathlib.Path(__file__).parent.glob("*.py")):
    if _path.stem != "__init__":
        importlib.import_module(f"{__name__}.{_path.stem}")
