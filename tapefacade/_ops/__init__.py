"""What can be recorded: one definition for each op, by subject."""

import importlib
import pathlib

# Every module of the package defines ops; `operators` comes last, it needs them.
for _path in sorted(pathlib.Path(__file__).parent.glob("*.py")):
    if _path.stem not in ("__init__", "operators"):
        importlib.import_module(f"{__name__}.{_path.stem}")
