"""Times the training steps of 03_higher_derivatives.ipynb and of the tutorials under TensorFlow.

    python notebooks/time_tensorflow.py

Runs the notebooks' cells with the tag `model` with `tensorflow` in the place of `tapefacade`,
trains for some steps in each of TensorFlow's ways, and writes their seconds and losses into
tensorflow_times.json. The notebooks show them beside their own. It needs TensorFlow and SciPy, not
tapefacade. `--tutorials` times these only, and keeps the rest.
"""

import importlib
import itertools
import json
import math
import os
import pathlib
import platform
import sys
import time
from typing import Any

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # as in the notebook
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import scipy.optimize

FOLDER = pathlib.Path(__file__).parent
NOTEBOOK, RESULTS = FOLDER / "03_higher_derivatives.ipynb", FOLDER / "tensorflow_times.json"
ROUNDS, STEPS = 2, 60  # each way has its turn in each round
TUTORIALS = {"gan": "09_gan", "train_step": "10_train_step", "actor_critic": "11_actor_critic"}
TUTORIAL_STEPS = 20
LOSSES = 10  # of the first steps, which are kept


def run_model_cells(tf: Any, notebook: pathlib.Path = NOTEBOOK) -> dict[str, Any]:
    """Runs the cells that define the models.

    Args:
        tf: what the cells find under that name.
        notebook: the notebook.

    Returns:
        The names that they define.
    """
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    chosen = [cell for cell in cells if "model" in cell["metadata"].get("tags", ())]
    names = {"tf": tf, "np": np, "scipy": scipy, "itertools": itertools, "time": time}
    names["STEPS_TIMED"] = TUTORIAL_STEPS
    for cell in chosen:
        exec("".join(cell["source"]), names)
    return names


def measure(train: Any, theta: Any, ways: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Trains in several ways, from the same start.

    Args:
        train: the notebook's function.
        theta: where to start.
        ways: the step for each way, which gives the loss and its gradient.

    Returns:
        For each way the seconds of the first step and of the fastest later one, and the first
        losses.
    """
    results: dict[str, dict[str, Any]] = {}
    for _ in range(ROUNDS):
        for way, step in ways.items():
            _, losses, seconds = train(step, theta, STEPS)
            result = results.setdefault(way, {"first_step": round(seconds[0], 4)})
            fastest = min(result.get("warm_step", math.inf), *seconds[1:])
            result["warm_step"] = round(fastest, 6)
            result["losses"] = [float(f"{loss:.7g}") for loss in losses[:LOSSES]]
            print(f"  {way}: {seconds[0]:.2f} s, then {fastest:.4f} s", flush=True)
    return results


def tutorials(tf: Any) -> dict[str, Any]:
    """Times the steps of the tutorials.

    Args:
        tf: TensorFlow.

    Returns:
        For each tutorial and way the seconds of the processor for the first step, and for
        the fastest later one.
    """
    found: dict[str, Any] = {}
    for tutorial, file in TUTORIALS.items():
        names = run_model_cells(tf, FOLDER / f"{file}.ipynb")
        found[tutorial] = {}
        for way, step in names["ways"]().items():
            times = names["seconds_of"](step, TUTORIAL_STEPS)
            found[tutorial][way] = {name: round(seconds, 6) for name, seconds in times.items()}
            print(f"{tutorial}, {way}: {found[tutorial][way]}", flush=True)
    return found


def main() -> None:
    """Runs the command."""
    tf = importlib.import_module("tensorflow")
    if sys.argv[1:] == ["--tutorials"]:
        kept = json.loads(RESULTS.read_text(encoding="utf-8"))
        kept["tutorials"] = tutorials(tf)
        RESULTS.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
        return
    names = run_model_cells(tf)
    results: dict[str, Any] = {
        "versions": {
            "python": platform.python_version(),
            "tensorflow": tf.__version__,
            "numpy": np.__version__,
            "scipy": scipy.__version__,
        },
        "machine": f"{os.cpu_count()} {platform.machine()} cores",
    }
    for model in ("burgers", "beam"):
        print(model, flush=True)
        step = names[f"{model}_step"]
        ways = {
            "eager": step.python_function,
            "tf.function": step,
            "tf.function, XLA": tf.function(step.python_function, jit_compile=True),
        }
        results[model] = measure(names["train"], names["start"](0), ways)
    results["tutorials"] = tutorials(tf)
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
