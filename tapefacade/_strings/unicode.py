"""Characters of texts: unicode_decode, unicode_encode, unicode_split, unicode_transcode."""

import codecs
import itertools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert
from tapefacade._core.tensor import EagerTensor, from_host
from tapefacade._definition.op import function
from tapefacade._ragged.tensor import RaggedTensor
from tapefacade._strings.arguments import each, failed, misfit, require, text_array, texts
from tapefacade._strings.rows import by_rows, in_rows

ERROR_POLICIES = ("strict", "replace", "ignore")
OUTPUT_ENCODINGS = ("UTF-8", "UTF-16-BE", "UTF-32-BE")
REPLACEMENT_CHARACTER = 0xFFFD
LAST_CODE_POINT = 0x10FFFF
CONTROL_CODES_END = 0x20
# What Python calls the encodings whose order of bytes a mark may tell; ICU then takes the first.
ORDER_WITHOUT_MARK = {"utf-16": "utf-16-be", "utf-32": "utf-32-be"}
BYTE_ORDER_MARKS = {
    "utf-16": ((codecs.BOM_UTF16_BE, "utf-16-be"), (codecs.BOM_UTF16_LE, "utf-16-le")),
    "utf-32": ((codecs.BOM_UTF32_BE, "utf-32-be"), (codecs.BOM_UTF32_LE, "utf-32-le")),
}


class InvalidBytesPolicy(NamedTuple):
    """What is done about bytes that are no characters.

    Attributes:
        errors: "strict", "replace" or "ignore".
        replacement: the code point that stands for them.
        controls: whether it also stands for control characters.
    """

    errors: str
    replacement: int
    controls: bool


def policy(
    kernel: str,
    errors: str,
    replacement: int,
    controls: bool = False,
    allowed: tuple[str, ...] = ERROR_POLICIES,
) -> InvalidBytesPolicy:
    """Checks the options.

    Raises:
        InvalidArgumentError: if `errors` is another, or the replacement no code point.
    """
    require(kernel, "errors", errors, allowed)
    if not 0 <= replacement <= LAST_CODE_POINT:
        raise failed(kernel, "replacement_char out of unicode codepoint range")
    return InvalidBytesPolicy(errors, replacement, controls)


class Decoder:
    """Decodes texts of an encoding.

    Args:
        kernel: the kernel, for errors.
        encoding: the name of the encoding.
        policy_: what is done about wrong bytes.

    Raises:
        InvalidArgumentError: if there is no such encoding.
    """

    def __init__(
        self, kernel: str, encoding: str, policy_: InvalidBytesPolicy, named: str = ""
    ) -> None:
        self.kernel = kernel
        self.policy = policy_
        self.named = named
        try:
            self.codec = codecs.lookup(encoding)
            "".encode(encoding)  # raises for what is no encoding of texts
        except LookupError:
            message = f"Could not create converter for input encoding: {encoding}"
            raise failed(kernel, message, named=named) from None

    def decode(self, data: bytes) -> list[tuple[int, int]]:
        """Returns the code points of a text, and where in the bytes each begins."""
        name, at = self.codec.name, 0
        for mark, marked in BYTE_ORDER_MARKS.get(name, ()):
            if data.startswith(mark):
                name, at = marked, len(mark)
        name = ORDER_WITHOUT_MARK.get(name, name)
        found: list[tuple[int, int]] = []
        while at < len(data):
            try:
                text, end, wrong = data[at:].decode(name), len(data), None
            except UnicodeDecodeError as error:
                wrong = at + error.start
                text = data[at:wrong].decode(name)
                end = at + max(error.end, error.start + 1)
            place = at
            for letter in text:
                found.append((ord(letter), place))
                place += len(letter.encode(name))
            if wrong is not None:
                found += self._wrong(wrong)
            at = end
        if self.policy.controls:
            replacement = self.policy.replacement
            found = [(replacement if c < CONTROL_CODES_END else c, place) for c, place in found]
        return found

    def _wrong(self, place: int) -> list[tuple[int, int]]:
        if self.policy.errors == "strict":
            raise failed(self.kernel, "Invalid formatting on input string", named=self.named)
        return [] if self.policy.errors == "ignore" else [(self.policy.replacement, place)]


def encoder(kernel: str, encoding: str) -> Callable[[list[int]], bytes]:
    """Returns a function that writes code points in an encoding.

    Raises:
        InvalidArgumentError: if texts cannot be written in it.
    """
    require(kernel, "output_encoding", encoding, OUTPUT_ENCODINGS)
    name = encoding.lower()

    def encode(codes: Any) -> bytes:
        return "".join(map(chr, codes)).encode(name, "surrogatepass")

    return encode


def scalar_values(codes: list[int], kernel: str, policy_: InvalidBytesPolicy) -> list[int]:
    """Replaces what is no character: surrogates, and numbers that are no code points.

    Raises:
        InvalidArgumentError: if there is one and the policy is strict.
    """
    kept = []
    for code in codes:
        if 0 <= code <= LAST_CODE_POINT and not 0xD800 <= code <= 0xDFFF:
            kept.append(code)
        elif policy_.errors == "strict":
            message = "Code point is out of range for Unicode, or is a surrogate."
            raise failed(kernel, message, named=" name: ")
        elif policy_.errors == "replace":
            kept.append(policy_.replacement)
    return kept


DECODE = "UnicodeDecode"


@function("strings.unicode_transcode", dispatch=True, elementwise=1, on_values=True)
def unicode_transcode(
    input: Any,
    input_encoding: str,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = REPLACEMENT_CHARACTER,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> EagerTensor:
    r"""Writes texts in another encoding.

    Args:
        input: texts of any shape.
        input_encoding: the encoding they have, by one of the names that Python knows.
        output_encoding: "UTF-8", "UTF-16-BE" or "UTF-32-BE".
        errors: what is done about wrong bytes: "replace", "ignore", or "strict" to raise.
        replacement_char: the code point that stands for them.
        replace_control_characters: whether it also stands for control characters.
        name: ignored.

    Returns:
        A string tensor of the shape of `input`.

    Raises:
        InvalidArgumentError: if an option is another, or bytes are wrong and `errors` is "strict".

    >>> tf.strings.unicode_transcode("é", "UTF-8", "UTF-16-BE").numpy()
    b'\x00\xe9'
    """
    kernel = "UnicodeTranscode"
    array = texts(input, kernel)
    chosen = policy(kernel, errors, replacement_char, replace_control_characters)
    encode = encoder(kernel, output_encoding)
    decoder = Decoder(kernel, input_encoding, chosen)
    return each(lambda text: encode([code for code, _ in decoder.decode(text)]), array)


@function("strings.unicode_encode")
def unicode_encode(
    input: Any,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = REPLACEMENT_CHARACTER,
    name: str | None = None,
) -> Any:
    """Writes code points as texts.

    Args:
        input: int32 code points, a tensor or ragged tensor of shape `[..., characters]`.
        output_encoding: "UTF-8", "UTF-16-BE" or "UTF-32-BE".
        errors: what is done about what is no character: "replace", "ignore", or "strict".
        replacement_char: the code point that stands for it.
        name: ignored.

    Returns:
        A string tensor of shape `[...]`, ragged where those are.

    Raises:
        InvalidArgumentError: if an option is another, or there is no such character and `errors`
            is "strict".
        ValueError: if `input` is a scalar.

    >>> tf.strings.unicode_encode([104, 233], "UTF-8").numpy().decode()
    'hé'
    """
    kernel = "UnicodeEncode"
    chosen = policy(kernel, errors, replacement_char, allowed=("ignore", "replace", "strict"))
    encode = encoder(kernel, output_encoding)

    def write(codes: list[int]) -> bytes:
        return encode(scalar_values(codes, kernel, chosen))

    if isinstance(input, RaggedTensor):
        values = input.values
        if isinstance(values, RaggedTensor):
            inner = unicode_encode(values, output_encoding, errors, replacement_char)
            return input.with_values(inner)
        _require_int32(kernel, values)
        if values.shape.rank > 1:
            inner = unicode_encode(values, output_encoding, errors, replacement_char)
            return input.with_values(inner)
        splits = input.row_splits._numpy_array().tolist()
        codes = values._numpy_array().tolist()
        rows = [codes[a:b] for a, b in itertools.pairwise(splits)]
        return text_array(map(write, rows), (len(rows),))
    tensor = convert(input)
    if not tensor._type.shape:
        raise ValueError("input_tensor's rank must be at least 1.")
    _require_int32(kernel, tensor)
    array = tensor._numpy_array()
    count = int(np.prod(array.shape[:-1], dtype=np.int64))
    rows = array.reshape(count, array.shape[-1]).tolist()
    return text_array(map(write, rows), array.shape[:-1])


def _require_int32(kernel: str, tensor: EagerTensor) -> None:
    if tensor.dtype is not dtypes.int32:
        raise misfit(kernel, 0, "int32", tensor.dtype)


def _decoded(
    kernel: str,
    input: Any,
    input_encoding: str,
    errors: str,
    replacement_char: int,
    controls: bool,
) -> tuple[Any, list[list[tuple[int, int]]]]:
    array = texts(convert(input), kernel)
    decoder = Decoder(
        kernel, input_encoding, policy(kernel, errors, replacement_char, controls), " name: "
    )
    return array, [decoder.decode(text) for text in array.flat]


def _integers(values: list[int], dtype: Any) -> EagerTensor:
    return from_host(np.array(values, dtype))


@function("strings.unicode_decode", on_values=True)
def unicode_decode(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = REPLACEMENT_CHARACTER,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Any:
    """Reads the code points of texts.

    Args:
        input: texts of any shape, or a ragged tensor of texts.
        input_encoding: their encoding, by one of the names that Python knows.
        errors: what is done about wrong bytes: "replace", "ignore", or "strict" to raise.
        replacement_char: the code point that stands for them.
        replace_control_characters: whether it also stands for control characters.
        name: ignored.

    Returns:
        An int32 tensor with one more dimension than `input`: ragged, unless `input` is a scalar.

    Raises:
        InvalidArgumentError: if an option is another, or bytes are wrong and `errors` is "strict".

    >>> tf.strings.unicode_decode(["hé", ""], "UTF-8")
    <tf.RaggedTensor [[104, 233], []]>
    """

    def decode(given: Any) -> Any:
        array, found = _decoded(
            DECODE, given, input_encoding, errors, replacement_char, replace_control_characters
        )
        rows = [[code for code, _ in letters] for letters in found]
        return in_rows(rows, array.shape, lambda values: _integers(values, np.int32))

    return by_rows(decode, input)


@function("strings.unicode_decode_with_offsets", on_values=True)
def unicode_decode_with_offsets(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = REPLACEMENT_CHARACTER,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Any:
    """Reads the code points of texts, and where each begins.

    Args:
        input: as for `tf.strings.unicode_decode`.
        input_encoding: as there.
        errors: as there.
        replacement_char: as there.
        replace_control_characters: as there.
        name: ignored.

    Returns:
        The code points, and an int64 tensor of the same form with the places of their first bytes.

    Raises:
        InvalidArgumentError: if an option is another, or bytes are wrong and `errors` is "strict".

    >>> tf.strings.unicode_decode_with_offsets("héy", "UTF-8")[1].numpy()
    array([0, 1, 3])
    """

    def decode(given: Any) -> Any:
        array, found = _decoded(
            f"{DECODE}WithOffsets",
            given,
            input_encoding,
            errors,
            replacement_char,
            replace_control_characters,
        )
        return _with_offsets(
            array.shape, [[code for code, _ in letters] for letters in found], found, False
        )

    return by_rows(decode, input)


def _with_offsets(shape: Any, rows: Any, found: Any, are_texts: bool) -> tuple[Any, Any]:
    def values_of(values: list[Any]) -> EagerTensor:
        return text_array(values, (len(values),)) if are_texts else _integers(values, np.int32)

    offsets = [[place for _, place in letters] for letters in found]
    return (
        in_rows(rows, shape, values_of),
        in_rows(offsets, shape, lambda places: _integers(places, np.int64)),
    )


@function("strings.unicode_split", on_values=True)
def unicode_split(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = REPLACEMENT_CHARACTER,
    name: str | None = None,
) -> Any:
    r"""Splits texts into their characters.

    Args:
        input: texts of any shape, or a ragged tensor of texts.
        input_encoding: their encoding: "UTF-8", "UTF-16-BE" or "UTF-32-BE".
        errors: what is done about wrong bytes: "replace", "ignore", or "strict" to raise.
        replacement_char: the code point that stands for them.
        name: ignored.

    Returns:
        A string tensor with one more dimension than `input`: ragged, unless `input` is a scalar.

    Raises:
        InvalidArgumentError: if an option is another, or bytes are wrong and `errors` is "strict".

    >>> tf.strings.unicode_split("hé", "UTF-8").numpy()
    array([b'h', b'\xc3\xa9'], dtype=object)
    """

    def split(given: Any) -> Any:
        shape, rows, _ = _split(given, input_encoding, errors, replacement_char)
        return in_rows(rows, shape, lambda values: text_array(values, (len(values),)))

    return by_rows(split, input)


@function("strings.unicode_split_with_offsets", on_values=True)
def unicode_split_with_offsets(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = REPLACEMENT_CHARACTER,
    name: str | None = None,
) -> Any:
    """Splits texts into their characters, and tells where each begins.

    Args:
        input: as for `tf.strings.unicode_split`.
        input_encoding: as there.
        errors: as there.
        replacement_char: as there.
        name: ignored.

    Returns:
        The characters, and an int64 tensor of the same form with the places of their first bytes.

    Raises:
        InvalidArgumentError: if an option is another, or bytes are wrong and `errors` is "strict".

    >>> tf.strings.unicode_split_with_offsets("héy", "UTF-8")[1].numpy()
    array([0, 1, 3])
    """

    def split(given: Any) -> Any:
        shape, rows, found = _split(given, input_encoding, errors, replacement_char)
        return _with_offsets(shape, rows, found, True)

    return by_rows(split, input)


def _split(given: Any, encoding: str, errors: str, replacement_char: int) -> tuple[Any, Any, Any]:
    array, found = _decoded(DECODE, given, encoding, errors, replacement_char, False)
    encode = encoder("UnicodeEncode", encoding)
    return array.shape, [[encode([code]) for code, _ in letters] for letters in found], found
