"""Executes the notebooks in clean kernels, and compares what they show with what is stored.

python notebooks/execute.py            # executes and compares all; if they differ the status is 1
python notebooks/execute.py --write 03 # executes those whose names begin so, stores the outputs

Text must be the same but for numbers, which may differ by 1 %; pictures must look the same. In a
cell with the tag `varies` (times, mostly) numbers may be any.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import tempfile
import time
from typing import Any

import nbformat
from comparing import differences
from nbclient import NotebookClient

FOLDER = pathlib.Path(__file__).parent
# What is said of a wait, which a faster machine does not say; a cell may print it over some lines.
WAITS = re.compile(
    r"^(log: )?(Recording|Compiling|NumPy computes) .*?\(This\sis\ssaid\sonce\.\)\n?",
    re.MULTILINE | re.DOTALL,
)
CELL_SECONDS = 300  # a cell that takes longer hangs


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
    with tempfile.TemporaryDirectory() as folder:  # nothing is compiled yet, as for a first reader
        client.execute(env={**os.environ, "TAPEFACADE_COMPILATION_CACHE": folder})
    for cell in fresh.cells:
        if cell.cell_type == "code":
            _forget_waits(cell)
    fresh.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python", "pygments_lexer": "ipython3"},
    }
    return stored, fresh


def _forget_waits(cell: Any) -> None:
    """Takes away what is said of a wait for the compiler, which depends on the machine."""
    for output in cell.outputs:
        if output.output_type == "stream":
            output["text"] = WAITS.sub("", output["text"])
    cell.outputs = [o for o in cell.outputs if o.output_type != "stream" or o["text"]]


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
    # Times that are stored are those of a notebook that runs alone.
    with concurrent.futures.ThreadPoolExecutor(1 if options.write else 2) as pool:
        found = list(pool.map(_written if options.write else _differs, paths))
    raise SystemExit(any(found))


def _written(path: pathlib.Path) -> bool:
    start = time.perf_counter()
    _, fresh = execute(path)
    nbformat.write(fresh, path)
    print(f"{path.name}: {time.perf_counter() - start:.0f} s", flush=True)
    return False


def _differs(path: pathlib.Path) -> bool:
    start = time.perf_counter()
    found = list(differences(*execute(path)))
    took = f"{path.name}: {time.perf_counter() - start:.0f} s"
    print("\n".join([took, *found]), flush=True)
    return bool(found)


if __name__ == "__main__":
    main()
