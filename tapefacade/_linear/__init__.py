"""Matrices that are known by their structure: the family of `tf.linalg.LinearOperator`."""

import importlib
import pathlib

# Every module of the package registers classes, rules or handlers.
for _path in sorted(pathlib.Path(__file__).parent.glob("*.py")):
    if _path.stem != "__init__":
        importlib.import_module(f"{__name__}.{_path.stem}")
