"""What two runs of a notebook differ in: text to the letter, numbers about, pictures by sight."""

import base64
import difflib
import io
import math
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
from PIL import Image

VARIES = "varies"
NUMBER = re.compile(r"[-+]?(?:(?:\d+(?:,\d{3})+|\d+)(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?", re.IGNORECASE)
UNIT = re.compile(r"# ?(?:ns|us|\u00b5s|ms|s|min)\b")
# Progress bars write over their line, and colour it.
OVERWRITTEN = re.compile(r"[^\n]*\r(?!\n)|\x08+|\x1b\[[0-9;]*m")
RELATIVE, ABSOLUTE = 1e-2, 1e-5
BLOCKS = 24  # pictures are compared as means over this many blocks each way
BRIGHTNESS = 0.06  # by which the mean of a block may differ, of 1


def differences(stored: Any, fresh: Any) -> Iterator[str]:
    """Yields what the outputs of two runs of the same notebook differ in.

    Args:
        stored: a notebook with outputs.
        fresh: the same notebook after another run.

    Yields:
        A text for each cell that differs.
    """
    for number, (before, after) in enumerate(zip(stored["cells"], fresh["cells"], strict=True)):
        if before["cell_type"] != "code":
            continue
        varies = VARIES in before["metadata"].get("tags", ())
        wanted, found = list(_shown(before["outputs"])), list(_shown(after["outputs"]))
        if [kind for kind, _ in wanted] != [kind for kind, _ in found]:
            yield f"cell {number}: shows {[k for k, _ in found]}, stored {[k for k, _ in wanted]}"
            continue
        for (kind, old), (_, new) in zip(wanted, found, strict=True):
            if kind == "image/png":
                if not varies and not same_picture(old, new):
                    yield f"cell {number}: another picture"
            elif not same_text(old, new, varies):
                lines = difflib.unified_diff(old.splitlines(), new.splitlines(), lineterm="", n=0)
                yield f"cell {number}:\n" + "\n".join(list(lines)[2:])


def _shown(outputs: Any) -> Iterator[tuple[str, str]]:
    """Yields the kind of each output, and its text."""
    for output in outputs:
        if output["output_type"] == "stream":
            yield output["name"], OVERWRITTEN.sub("", "".join(output["text"]))
        elif output["output_type"] == "error":
            yield "error", f"{output['ename']}: {output['evalue']}"
        else:
            for kind in sorted(output["data"]):
                yield kind, "".join(output["data"][kind])


def same_text(old: str, new: str, varies: bool = False) -> bool:
    """Whether two texts are the same, numbers about so.

    Args:
        old: a text.
        new: another one.
        varies: whether numbers may be any.

    Returns:
        Whether they are.
    """
    # How a number is padded depends on its digits; which unit a time has, on the machine.
    forms = [NUMBER.sub("#", text) for text in (old, new)]
    if varies:
        forms = [UNIT.sub("#", form) for form in forms]
    if forms[0].split() != forms[1].split():
        return False
    return varies or all(
        math.isclose(a, b, rel_tol=RELATIVE, abs_tol=ABSOLUTE)
        for a, b in zip(_numbers(old), _numbers(new), strict=True)
    )


def _numbers(text: str) -> list[float]:
    return [float(number.replace(",", "")) for number in NUMBER.findall(text)]


def same_picture(old: str, new: str) -> bool:
    """Whether two pictures look the same.

    Args:
        old: a PNG file in base 64.
        new: another one.

    Returns:
        Whether no block of them differs in its mean brightness by more than `BRIGHTNESS`.
    """
    return bool(np.max(np.abs(_blocks(old) - _blocks(new))) <= BRIGHTNESS)


def _blocks(png: str) -> np.ndarray:
    picture = Image.open(io.BytesIO(base64.b64decode(png))).convert("RGB")
    return np.asarray(picture.resize((BLOCKS, BLOCKS), Image.Resampling.BOX), np.float32) / 255
