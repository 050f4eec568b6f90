"""The directory of a saved model: what it holds, and where its variables are."""

import os

from tapefacade._io.storage import storage_of

INDEX = "saved_model.json"
TENSORFLOW_FILE = "saved_model.pb"
TENSORFLOW_FILES = (TENSORFLOW_FILE, "saved_model.pbtxt")
PROGRAMS = "programs"
ASSETS = "assets"
VARIABLES = os.path.join("variables", "variables")


def is_own(path: str) -> bool:
    """Whether a directory holds a saved model of ours."""
    return storage_of(path).isfile(os.path.join(path, INDEX))


def is_of_tensorflow(path: str) -> bool:
    """Whether a directory holds a saved model of TensorFlow's."""
    return any(storage_of(path).isfile(os.path.join(path, name)) for name in TENSORFLOW_FILES)


def checkpoint_within(path: str) -> str:
    """Returns the path of the checkpoint in a saved model; another path as it is."""
    if storage_of(path).isdir(path) and (is_own(path) or is_of_tensorflow(path)):
        return os.path.join(path, VARIABLES)
    return path
