"""Which names of TensorFlow need an extra, and whether what it brings is installed."""

import functools
import importlib.util
import re
from typing import NamedTuple


class Extra(NamedTuple):
    """An extra that names need.

    Attributes:
        name: of the extra.
        module: that it brings.
        names: a pattern of the names that need it whenever they are used.
    """

    name: str
    module: str
    names: re.Pattern[str]


EXTRAS = (
    Extra(
        "checkpoint",
        "safetensors",
        re.compile(
            r"tf\.train\.(Checkpoint|CheckpointManager|load_checkpoint|load_variable|list_variables)"
            r"|tf\.saved_model\.(save|load)"
        ),
    ),
    Extra("summary", "tensorboardX", re.compile(r"tf\.summary\..+|(tf\.)?keras\..*\.TensorBoard")),
    Extra(
        "records",
        "google.protobuf",
        re.compile(
            r"tf\.train\.(Example|SequenceExample|Features?|FeatureLists?|\w+List)"
            r"|tf\.io\.(TFRecordWriter|parse_\w*example|serialize_tensor|parse_tensor)"
            r"|tf\.data\.TFRecordDataset"
        ),
    ),
    Extra(
        "text",
        "re2",
        re.compile(r"tf\.strings\.regex_\w+|(tf\.)?keras\.layers\.TextVectorization"),
    ),
    Extra(
        "image",
        "PIL",
        re.compile(r"tf\.(io|image)\.((de|en)code_(jpeg|png)|decode_image|decode_and_crop_jpeg)"),
    ),
    Extra("testing", "absl", re.compile(r"tf\.test\.TestCase|tf\.compat\.v1\.(flags|app)(\..+)?")),
)


@functools.lru_cache(maxsize=8192)
def lacking(name: str) -> str:
    """Returns the extra that a name needs, if what that brings is not installed.

    Args:
        name: a dotted name that begins with `tf` or `keras`.

    Returns:
        The name of the extra, "" if nothing is lacking.

    >>> lacking("tf.math.log")
    ''
    """
    for extra in EXTRAS:
        if extra.names.fullmatch(name) and not _is_there(extra.module):
            return extra.name
    return ""


def _is_there(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # not even the package around it
        return False
