"""Where the variables of a saved model are."""

import os

INDEX = "saved_model.json"
TENSORFLOWS = ("saved_model.pb", "saved_model.pbtxt")
VARIABLES = os.path.join("variables", "variables")


def is_own(path: str) -> bool:
    """Whether a directory holds a saved model of ours."""
    return os.path.isfile(os.path.join(path, INDEX))


def is_tensorflows(path: str) -> bool:
    """Whether a directory holds a saved model of TensorFlow's."""
    return any(os.path.isfile(os.path.join(path, name)) for name in TENSORFLOWS)


def within(path: str) -> str:
    """Returns the path of the checkpoint in a saved model; another path as it is."""
    if os.path.isdir(path) and (is_own(path) or is_tensorflows(path)):
        return os.path.join(path, VARIABLES)
    return path
