"""Fingerprints of saved models: `tf.saved_model.experimental.read_fingerprint`."""

import os
from typing import Any

from tapefacade._checkpoint.tensorflow_files.messages import CHECKPOINTS
from tapefacade._core import errors
from tapefacade._definition.op import function
from tapefacade._io.files import read_file
from tapefacade._io.messages import MessageField, MessageFile, MessageType

FILE = "fingerprint.pb"
HASHES = (
    "saved_model_checksum", "graph_def_program_hash", "signature_def_hash",
    "saved_object_graph_hash", "checkpoint_hash",
)  # fmt: skip
MESSAGE_NOT_THERE = (
    "SavedModel Fingerprint Error: Could not find fingerprint in directory: {0}\n"
    "{0}/fingerprint.pb not found. TensorFlow writes it; models that are saved here have none."
)
MESSAGE_UNREADABLE = (
    "SavedModel Fingerprint Error: Could not read fingerprint from fingerprint.pb file in "
    "directory: {}"
)
FINGERPRINTS = MessageFile(
    "tensorflow/core/protobuf/fingerprint.proto",
    MessageType(
        "FingerprintDef",
        "The hashes of a saved model, and a name of its own.",
        (
            *(MessageField(name, number, "uint64") for number, name in enumerate(HASHES, 1)),
            MessageField("version", 6, "message", "VersionDef"),
            MessageField("uuid", 7, "string"),
        ),
    ),
    uses=(CHECKPOINTS,),
    use="Fingerprints of saved models",
)


@function("saved_model.experimental.Fingerprint")
class Fingerprint:
    """The hashes that tell a saved model from others.

    Two are equal if their hashes are.

    Args:
        saved_model_checksum: of the whole file `saved_model.pb`.
        graph_def_program_hash: of the graph.
        signature_def_hash: of the signatures.
        saved_object_graph_hash: of the objects.
        checkpoint_hash: of the index of the variables.
        version: the version of the hashes, a message with the field `producer`.

    >>> tf.saved_model.experimental.Fingerprint(1, 2, 3, 4, 5).singleprint()
    '2/3/4/5'
    """

    def __init__(
        self,
        saved_model_checksum: int | None = None,
        graph_def_program_hash: int | None = None,
        signature_def_hash: int | None = None,
        saved_object_graph_hash: int | None = None,
        checkpoint_hash: int | None = None,
        version: Any = None,
    ) -> None:
        self.saved_model_checksum = saved_model_checksum
        self.graph_def_program_hash = graph_def_program_hash
        self.signature_def_hash = signature_def_hash
        self.saved_object_graph_hash = saved_object_graph_hash
        self.checkpoint_hash = checkpoint_hash
        self.version = version

    @classmethod
    def from_proto(cls, proto: Any) -> "Fingerprint":
        """Makes a fingerprint of what a file holds.

        Args:
            proto: a `FingerprintDef`, or its bytes.

        Raises:
            ValueError: if it is no such message.
        """
        try:
            if isinstance(proto, bytes):
                proto = FINGERPRINTS["FingerprintDef"].FromString(proto)
            hashes = [getattr(proto, name) for name in HASHES]
            return cls(*hashes, version=proto.version)
        except (AttributeError, FINGERPRINTS.decode_error()) as error:
            raise ValueError(
                f"Given proto could not be deserialized as fingerprint.{error}"
            ) from None

    def _hashes(self) -> list[int | None]:
        return [getattr(self, name) for name in HASHES]

    def __eq__(self, other: object) -> bool:
        return self._hashes() == [getattr(other, name, None) for name in HASHES]

    def __hash__(self) -> int:
        return hash(tuple(self._hashes()))

    def __str__(self) -> str:
        lines = [f"  {name}: {getattr(self, name)}" for name in HASHES]
        return "\n".join(["SavedModel Fingerprint", *lines])

    def __repr__(self) -> str:
        return f"Fingerprint({', '.join(map(str, self._hashes()))})"

    def singleprint(self) -> str:
        """Returns the hashes in one text; the checksum, which changes at every save, is left out.

        Raises:
            ValueError: if one of them is not known.
        """
        _, *regular = self._hashes()
        if any(not isinstance(one, int) for one in regular):
            named = "".join(f"{name}: {one}" for name, one in zip(HASHES[1:], regular, strict=True))
            raise ValueError(
                f"Encounted invalid fingerprint values when constructing singleprint.{named}"
            )
        return "/".join(map(str, regular))


@function("saved_model.experimental.read_fingerprint", on_values=True)
def read_fingerprint(export_dir: str) -> Fingerprint:
    """Reads the fingerprint of a model that TensorFlow has saved.

    Args:
        export_dir: the directory of the model.

    Returns:
        A `tf.saved_model.experimental.Fingerprint`.

    Raises:
        FileNotFoundError: if there is none; models that are saved here have none.
        RuntimeError: if the file cannot be read.

    >>> tf.saved_model.experimental.read_fingerprint("/none")
    Traceback (most recent call last):
    FileNotFoundError: SavedModel Fingerprint Error: Could not find fingerprint in directory...
    """
    try:
        data = read_file(os.path.join(export_dir, FILE)).numpy()
    except errors.NotFoundError:
        raise FileNotFoundError(MESSAGE_NOT_THERE.format(export_dir)) from None
    try:
        return Fingerprint.from_proto(data)
    except ValueError:
        raise RuntimeError(MESSAGE_UNREADABLE.format(export_dir)) from None
