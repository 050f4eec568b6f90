"""Examples in JSON: decode_json_example."""

from typing import Any

from tapefacade._core.tensor import EagerTensor
from tapefacade._definition.op import function
from tapefacade._io.examples import EXAMPLES
from tapefacade._strings.arguments import each, failed, texts


@function("io.decode_json_example", on_values=True)
def decode_json_example(json_examples: Any, name: str | None = None) -> EagerTensor:
    """Reads examples that are written in JSON.

    Unlike TensorFlow, features are in the order of their names.

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
    json_format = EXAMPLES.library("json_format")

    def decode(text: bytes) -> bytes:
        try:
            example = json_format.Parse(text, EXAMPLES["Example"]())
        except json_format.ParseError as error:
            raise failed("DecodeJSONExample", f"Error while parsing JSON: {error}") from None
        return example.SerializeToString(deterministic=True)

    return each(decode, texts(json_examples, "DecodeJSONExample"))
