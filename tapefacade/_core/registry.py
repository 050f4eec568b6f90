"""Every op and function by its TensorFlow path, so that lower layers find them by name."""

from typing import Any

# path below `tf` -> the public function. Filled by `tapefacade._definition.op`.
FUNCTIONS: dict[str, Any] = {}
