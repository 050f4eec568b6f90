"""Files that belong to a saved model, as vocabularies: `tf.saved_model.Asset`."""

import os
from typing import Any

from tapefacade._checkpoint.saved_model.directory import ASSETS
from tapefacade._core import dtypes
from tapefacade._core.conversion import convert_to_tensor
from tapefacade._core.tensor import EagerTensor
from tapefacade._definition.op import function
from tapefacade._io.file_errors import translating
from tapefacade._io.storage import storage_of
from tapefacade._io.whole_files import write_bytes


@function("saved_model.Asset")
class Asset:
    """A file that is saved with a model; where the model is loaded, it is the copy beside it.

    It is kept in an attribute of what is saved. Unlike TensorFlow's, the path within a saved
    function stays the one that the function was saved with: read the attribute outside of it.

    Args:
        path: the path of the file, a text or a scalar string tensor.

    Raises:
        ValueError: if there is no path.
        TypeError: if it is no text.

    >>> import pathlib, tempfile
    >>> directory = tempfile.mkdtemp()
    >>> words = pathlib.Path(directory, "words.txt")
    >>> size = words.write_text("yes no")
    >>> module = tf.Module()
    >>> module.words = tf.saved_model.Asset(str(words))
    >>> tf.saved_model.save(module, f"{directory}/model")
    >>> loaded = tf.saved_model.load(f"{directory}/model")
    >>> tf.io.read_file(loaded.words.asset_path).numpy()
    b'yes no'

    See https://www.tensorflow.org/api_docs/python/tf/saved_model/Asset.
    """

    def __init__(self, path: Any) -> None:
        self._path = convert_to_tensor(path, dtypes.string)

    @property
    def asset_path(self) -> EagerTensor:
        """The path of the file, a string tensor."""
        return self._path

    def _checkpoint_children(self) -> dict[str, Any]:
        return {}


class AssetFiles:
    """The files of a model's assets, each under a name of its own.

    Args:
        path: the directory of the model.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._names: dict[str, str] = {}  # by the path of what is copied

    def add(self, asset: Asset) -> int:
        """Adds a file; returns its number."""
        source = os.fsdecode(asset.asset_path.numpy())
        if source not in self._names:
            own = base = os.path.basename(source)
            number = 0
            while own in self._names.values():
                number += 1
                own = f"{base}_{number}"
            self._names[source] = own
        return list(self._names).index(source)

    @property
    def names(self) -> list[str]:
        """The names, by number."""
        return list(self._names.values())

    def write(self) -> None:
        """Copies the files.

        Raises:
            NotFoundError: if there is no such file.
        """
        folder = os.path.join(self._path, ASSETS)
        if self._names:
            storage_of(folder).makedirs(folder)
        for source, name in self._names.items():
            with translating(source), storage_of(source).open(source, "rb") as file:
                write_bytes(os.path.join(folder, name), file.read())
