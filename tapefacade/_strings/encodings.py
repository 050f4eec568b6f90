"""Texts as code points, in the encodings that TensorFlow knows."""

import codecs
from collections.abc import Callable
from typing import Any, NamedTuple

from tapefacade._strings.arguments import failed, require

ERRORS = ("strict", "replace", "ignore")
OUTPUT_ENCODINGS = ("UTF-8", "UTF-16-BE", "UTF-32-BE")
REPLACEMENT = 0xFFFD
LAST = 0x10FFFF
CONTROLS = 0x20
# What Python calls the encodings whose order of bytes a mark may tell; ICU then takes the first.
MARKED = {"utf-16": "utf-16-be", "utf-32": "utf-32-be"}
MARKS = {
    "utf-16": ((codecs.BOM_UTF16_BE, "utf-16-be"), (codecs.BOM_UTF16_LE, "utf-16-le")),
    "utf-32": ((codecs.BOM_UTF32_BE, "utf-32-be"), (codecs.BOM_UTF32_LE, "utf-32-le")),
}


class Policy(NamedTuple):
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
    allowed: tuple[str, ...] = ERRORS,
) -> Policy:
    """Checks the options.

    Raises:
        InvalidArgumentError: if `errors` is another, or the replacement no code point.
    """
    require(kernel, "errors", errors, allowed)
    if not 0 <= replacement <= LAST:
        raise failed(kernel, "replacement_char out of unicode codepoint range")
    return Policy(errors, replacement, controls)


class Decoder:
    """Decodes texts of an encoding.

    Args:
        kernel: the kernel, for errors.
        encoding: the name of the encoding.
        policy_: what is done about wrong bytes.

    Raises:
        InvalidArgumentError: if there is no such encoding.
    """

    def __init__(self, kernel: str, encoding: str, policy_: Policy, named: str = "") -> None:
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
        for mark, marked in MARKS.get(name, ()):
            if data.startswith(mark):
                name, at = marked, len(mark)
        name = MARKED.get(name, name)
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
            found = [(replacement if c < CONTROLS else c, place) for c, place in found]
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


def scalar_values(codes: list[int], kernel: str, policy_: Policy) -> list[int]:
    """Replaces what is no character: surrogates, and numbers that are no code points.

    Raises:
        InvalidArgumentError: if there is one and the policy is strict.
    """
    kept = []
    for code in codes:
        if 0 <= code <= LAST and not 0xD800 <= code <= 0xDFFF:
            kept.append(code)
        elif policy_.errors == "strict":
            message = "Code point is out of range for Unicode, or is a surrogate."
            raise failed(kernel, message, named=" name: ")
        elif policy_.errors == "replace":
            kept.append(policy_.replacement)
    return kept
