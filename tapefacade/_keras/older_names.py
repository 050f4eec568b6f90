"""Names of Keras 2 in the namespaces of `tf.keras`."""

import importlib

from tapefacade._keras.older_notice import Patches
from tapefacade._keras.older_slots import OLDER_CLASSES, older_class


def apply(patches: Patches) -> None:
    """Adds the names.

    Args:
        patches: sets the attributes.
    """
    legacy = importlib.import_module("keras.optimizers.legacy")
    for name in OLDER_CLASSES:
        patches.set(legacy, name, older_class(name))
