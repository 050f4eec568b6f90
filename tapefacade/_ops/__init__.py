"""What can be recorded: one definition for each op, in folders named as TensorFlow's namespaces."""

import importlib
import pathlib

# Every module of the package defines ops; `operators` comes last, it needs them.
_FOLDER = pathlib.Path(__file__).parent
for _path in sorted(_FOLDER.rglob("*.py")):
    if _path.stem not in ("__init__", "operators"):
        _below = _path.relative_to(_FOLDER).with_suffix("").parts
        importlib.import_module(".".join([__name__, *_below]))
