"""Examples in JSON: decode_json_example."""

import base64
import binascii
import json
import math
from typing import Any

from tapefacade._core.tensor import EagerTensor
from tapefacade._definition.op import function
from tapefacade._io.examples import Example, Feature
from tapefacade._strings.arguments import each, failed, texts

LISTS = {
    "bytesList": "bytes_list", "bytes_list": "bytes_list", "floatList": "float_list",
    "float_list": "float_list", "int64List": "int64_list", "int64_list": "int64_list",
}  # fmt: skip
SPECIAL = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


@function("io.decode_json_example")
def decode_json_example(json_examples: Any, name: str | None = None) -> EagerTensor:
    """Reads examples that are written in JSON.

    Unlike TensorFlow, features are in the order in which they are written.

    Args:
        json_examples: texts of any shape, each the JSON of a `tf.train.Example`, as Protocol
            Buffers write it.
        name: ignored.

    Returns:
        A string tensor of the same shape: the bytes of the examples.

    Raises:
        InvalidArgumentError: if a text is no such JSON.

    >>> text = '{"features": {"feature": {"a": {"int64List": {"value": ["1"]}}}}}'
    >>> example = tf.train.Example.FromString(tf.io.decode_json_example(text).numpy())
    >>> example.features.feature["a"].int64_list.value
    [1]
    """

    def decode(text: bytes) -> bytes:
        try:
            return _example(json.loads(text)).SerializeToString()
        except (ValueError, TypeError, binascii.Error) as error:
            raise failed("DecodeJSONExample", f"Error while parsing JSON: {error}") from None

    return each(decode, texts(json_examples, "DecodeJSONExample"))


def _example(value: Any) -> Example:
    made = Example()
    for features in _fields(value, "features"):
        made.features.SetInParent()
        for feature in _fields(features, "feature"):
            for key, item in feature.items():
                _fill(made.features.feature[key], item)
    return made


def _fields(value: Any, only: str) -> list[Any]:
    """Returns the value of the only field that a message has, if it is set."""
    if not isinstance(value, dict):
        raise TypeError(f"expected an object, not {value!r}")
    for key in value:
        if key != only:
            raise ValueError(f"no such field: {key!r}")
    return [item for item in value.values() if item is not None]


def _fill(feature: Feature, value: Any) -> None:
    if not isinstance(value, dict):
        raise TypeError(f"expected an object, not {value!r}")
    for key, inner in value.items():
        if key not in LISTS:
            raise ValueError(f"no such field: {key!r}")
        held = getattr(feature, LISTS[key])
        held.SetInParent()
        for items in _fields(inner, "value"):
            held.value.extend([_value(LISTS[key], item) for item in items])


def _value(kind: str, item: Any) -> Any:
    if kind == "bytes_list":
        return base64.b64decode(item.replace("-", "+").replace("_", "/"), validate=True)
    if kind == "int64_list":
        return int(item)
    return SPECIAL[item] if item in SPECIAL else float(item)
