"""The directory of a saved model: what it holds, and where its variables are."""

import os
import shutil
from typing import Any

from tapefacade._checkpoint.checkpoint_files import INDEX as CHECKPOINT_INDEX, read_json
from tapefacade._io.storage import is_remote, storage_of
from tapefacade._io.whole_files import write_beside

FORMAT = "tapefacade saved model"
INDEX = "saved_model.json"
TENSORFLOW_FILE = "saved_model.pb"
TENSORFLOW_FILES = (TENSORFLOW_FILE, "saved_model.pbtxt")
PROGRAMS = "programs"
ASSETS = "assets"
VARIABLES = os.path.join("variables", "variables")
KEPT = "kept-"  # begins the names of variables of a model that is being replaced


def is_own(path: str) -> bool:
    """Whether a directory holds a saved model of ours."""
    return storage_of(path).isfile(os.path.join(path, INDEX))


def is_of_tensorflow(path: str) -> bool:
    """Whether a directory holds a saved model of TensorFlow's."""
    return any(storage_of(path).isfile(os.path.join(path, name)) for name in TENSORFLOW_FILES)


def read_index(path: str) -> dict[str, Any]:
    """Reads the index of a saved model of ours.

    Raises:
        DataLossError: if it is damaged.
    """
    index = os.path.join(path, INDEX)
    with storage_of(index).open(index, "rb") as file:
        return read_json(index, file.read(), FORMAT)


def checkpoint_within(path: str) -> str:
    """Returns the path of the checkpoint in a saved model; another path as it is."""
    if storage_of(path).isdir(path) and (is_own(path) or is_of_tensorflow(path)):
        return variables_of(path, read_index(path)) if kept_files(path) else _usual(path)
    return path


def variables_of(path: str, index: dict[str, Any]) -> str:
    """Returns the path of the checkpoint that an index belongs to.

    It is not at the usual place if a process was killed while it replaced the model.
    """
    kept = _kept(path, index)
    return kept if storage_of(kept).isfile(kept + CHECKPOINT_INDEX) else _usual(path)


def keep_variables(path: str) -> None:
    """Keeps the variables of a model of ours beside those that are going to replace them."""
    if is_remote(path) or not is_own(path):
        return
    usual, kept = _usual(path), _kept(path, read_index(path))
    folder, start = os.path.split(usual)
    names = [name for name in os.listdir(folder) if name.startswith(start + ".")]
    # The index last: with it they are complete, and what is at the usual place may be another's.
    names.sort(key=lambda name: name == start + CHECKPOINT_INDEX)
    for name in [] if os.path.isfile(kept + CHECKPOINT_INDEX) else names:
        _link(os.path.join(folder, name), kept + name.removeprefix(start))


def kept_files(path: str) -> list[str]:
    """Lists the variables that have been kept, relative to the directory."""
    folder = os.path.dirname(_usual(path))
    names = storage_of(path).listdir(folder) if storage_of(path).isdir(folder) else []
    return [os.path.join(os.path.dirname(VARIABLES), n) for n in names if n.startswith(KEPT)]


def _usual(path: str) -> str:
    return os.path.join(path, VARIABLES)


def _kept(path: str, index: dict[str, Any]) -> str:
    return os.path.join(path, os.path.dirname(VARIABLES), f"{KEPT}{index['variables']:08x}")


def _link(source: str, target: str) -> None:
    """Gives a file a second name; copies it where the file system has no links."""

    def write(beside: str) -> None:
        try:
            os.link(source, beside)
        except OSError:
            shutil.copyfile(source, beside)

    write_beside(target, write)
