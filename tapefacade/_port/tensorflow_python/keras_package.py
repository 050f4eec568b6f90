"""The package `tf_keras`, which libraries import for Keras 2: it is `tf.keras` here.

Keras 2 itself is made of TensorFlow's graphs. `tf.keras` is Keras 3, which accepts the spellings of
Keras 2 (`tapefacade/_keras/keras2`).
"""

import sys
import types
from typing import Any

from tapefacade._core.missing_names import is_import, root_module
from tapefacade._keras.keras2.older_layers import Dense, dense
from tapefacade._keras.keras2.registered_types import register_symbolic_tensor_type

TF_KERAS = "tf_keras"
V1 = "api._v1.keras"
# Packages of Keras 2 that `tf.keras` has not, and what libraries need of them.
OWN_PACKAGES: dict[str, dict[str, Any]] = {
    "__internal__": {},
    "__internal__.legacy": {},
    "__internal__.legacy.layers": {"Dense": Dense, "dense": dense},
    "__internal__.utils": {"register_symbolic_tensor_type": register_symbolic_tensor_type},
}
MESSAGE_NAME = (
    "{module!r} is `tf.keras` here, Keras 3, which has no {name!r}. Run the program with "
    "TensorFlow's Keras 2, or write what `tf.keras` has."
)


class KerasPackage(types.ModuleType):
    """A module of `tf_keras`, whose names are those of `tf.keras`.

    Attributes:
        path: its name below `tf_keras`, without the part for TensorFlow 1.
    """

    path: str

    def __init__(self, name: str, path: str) -> None:
        super().__init__(name, f"`{name}`: the names of `tf.keras`.")
        self.path = path
        self.__path__ = []

    def __getattr__(self, name: str) -> Any:
        if name == "__all__":
            return [n for n in dir(_namespace(self.path)) if not n.startswith("_")]
        if name.startswith("__") and name != "__internal__":
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        below = f"{self.path}.{name}".lstrip(".")
        if below in OWN_PACKAGES:
            return KerasPackage(f"{self.__name__}.{name}", below)
        own = OWN_PACKAGES.get(self.path)
        value = getattr(_namespace(self.path), name, None) if own is None else own.get(name)
        if value is None:
            text = MESSAGE_NAME.format(module=self.__name__, name=name)
            if is_import(sys._getframe(1)):
                raise ImportError(text, name=self.__name__)
            raise AttributeError(text, name=name)
        return value


def keras_package(fullname: str) -> types.ModuleType:
    """Makes a module of `tf_keras`.

    Args:
        fullname: its name, which begins with `tf_keras`.

    Returns:
        The module.

    Raises:
        ModuleNotFoundError: if `tf.keras` has no such namespace.
    """
    path = fullname.removeprefix(TF_KERAS).lstrip(".")
    if path in ("api", "api._v1"):
        return KerasPackage(fullname, "")
    path = path.removeprefix(V1).lstrip(".")
    if path not in OWN_PACKAGES and not isinstance(_namespace(path), types.ModuleType):
        module, _, name = fullname.rpartition(".")
        text = MESSAGE_NAME.format(module=module or TF_KERAS, name=name)
        raise ModuleNotFoundError(text, name=fullname)
    return KerasPackage(fullname, path)


def _namespace(path: str) -> Any:
    found = root_module().keras
    for part in path.split(".") if path else ():
        found = getattr(found, part, None)
    return found
