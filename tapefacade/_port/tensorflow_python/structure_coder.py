"""`nested_structure_coder` and `struct_pb2`: nests of specs and Python values as messages."""

from typing import Any

from tapefacade._checkpoint.tensorflow_files.model_messages import MODELS
from tapefacade._checkpoint.tensorflow_files.structures import structured, unstructured


def encode_structure(nested_structure: Any) -> Any:
    """Writes a nest of specs and Python values as a message, a `StructuredValue`.

    Args:
        nested_structure: the nest.

    Raises:
        NotEncodedError: if there is something else in it.

    >>> decode_proto(encode_structure([1, None]))
    [1, None]
    """
    return structured(nested_structure)


def decode_proto(proto: Any) -> Any:
    """Reads what `encode_structure` has written.

    Args:
        proto: the message.
    """
    return unstructured(proto)


def __getattr__(name: str) -> Any:
    if name == "StructuredValue":
        return MODELS[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
