"""Executes the notebooks in clean kernels, and compares what they show with what is stored.

python notebooks/execute.py            # executes and compares all; if they differ the status is 1
python notebooks/execute.py --write 03 # executes those whose names begin so, stores the outputs

Text must be the same but for numbers, which may differ by 1 %; pictures must look the same. In a
cell with the tag `varies` (times, mostly) numbers may be any.
"""

import argparse
import base64
import difflib
import io
import math
import os
import pathlib
import re
import tempfile
import time
from collections.abc import Iterator
from typing import Any

import nbformat
import numpy as np
from nbclient import NotebookClient
from PIL import Image

FOLDER = pathlib.Path(__file__).parent
VARIES = "varies"
CELL_SECONDS = 300  # a cell that takes longer hangs
NUMBER = re.compile(r"[-+]?(?:\d+(?:,\d{3})+|\d+)?\.?\d+(?:e[-+]?\d+)?", re.IGNORECASE)
# Progress bars write over their line, and colour it.
OVERWRITTEN = re.compile(r"[^\n]*\r(?!\n)|\x08+|\x1b\[[0-9;]*m")
RELATIVE, ABSOLUTE = 1e-2, 1e-5
BLOCKS = 24  # pictures are compared as means over this many blocks each way
BRIGHTNESS = 0.06  # by which the mean of a block may differ, of 1


def execute(path: pathlib.Path) -> tuple[Any, Any]:
    """Runs a notebook in a kernel of its own, which keeps nothing of earlier runs.

    Args:
        path: the file.

    Returns:
        The notebook as it is stored, and as it is after the run.

    Raises:
        CellExecutionError: if a cell fails that has no tag `raises-exception`.
    """
    stored = nbformat.read(path, as_version=4)
    fresh = nbformat.from_dict(stored)
    for cell in fresh.cells:
        tags = cell.metadata.get("tags")
        cell.metadata = {"tags": tags} if tags else {}
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    client = NotebookClient(
        fresh,
        timeout=CELL_SECONDS,
        kernel_name="python3",
        resources={"metadata": {"path": str(FOLDER)}},
        record_timing=False,
        coalesce_streams=True,
    )
    client.execute()
    fresh.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python", "pygments_lexer": "ipython3"},
    }
    return stored, fresh


def differences(stored: Any, fresh: Any) -> Iterator[str]:
    """Yields what the outputs of two runs of the same notebook differ in.

    Args:
        stored: a notebook with outputs.
        fresh: the same notebook after another run.

    Yields:
        A text for each cell that differs.
    """
    for number, (before, after) in enumerate(zip(stored.cells, fresh.cells, strict=True)):
        if before.cell_type != "code":
            continue
        varies = VARIES in before.metadata.get("tags", ())
        wanted, found = list(_shown(before.outputs)), list(_shown(after.outputs))
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
        if output.output_type == "stream":
            yield output.name, OVERWRITTEN.sub("", output.text)
        elif output.output_type == "error":
            yield "error", f"{output.ename}: {output.evalue}"
        else:
            for kind in sorted(output.data):
                yield kind, output.data[kind]


def same_text(old: str, new: str, varies: bool = False) -> bool:
    """Whether two texts are the same, numbers about so.

    Args:
        old: a text.
        new: another one.
        varies: whether numbers may be any.

    Returns:
        Whether they are.
    """
    # How a number is padded depends on its digits.
    if NUMBER.sub("#", old).split() != NUMBER.sub("#", new).split():
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


def main(arguments: list[str] | None = None) -> None:
    """Runs the command.

    Args:
        arguments: the words after its name; None takes them from `sys.argv`.

    Raises:
        SystemExit: with status 1 if a notebook shows something else than is stored in it.
    """
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", help="beginnings of file names; all if there are none")
    parser.add_argument("--write", action="store_true", help="store the outputs")
    options = parser.parse_args(arguments)
    chosen = tuple(options.names) or ("",)
    paths = [path for path in sorted(FOLDER.glob("*.ipynb")) if path.name.startswith(chosen)]
    different = False
    for path in paths:
        start = time.perf_counter()
        with tempfile.TemporaryDirectory() as folder:
            os.environ["TAPEFACADE_COMPILATION_CACHE"] = folder  # what a first reader waits for
            stored, fresh = execute(path)
        print(f"{path.name}: {time.perf_counter() - start:.0f} s", flush=True)
        if options.write:
            nbformat.write(fresh, path)
            continue
        for difference in differences(stored, fresh):
            different = True
            print(difference, flush=True)
    raise SystemExit(different)


if __name__ == "__main__":
    main()
