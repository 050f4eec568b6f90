"""Measures tapefacade side by side with TensorFlow and hand-written JAX.

    python benchmarks/run.py [--only NAME ...] [--json FILE] [--rounds N]

Every contestant's results are compared with TensorFlow's before anything is timed.
"""

import argparse
import json
import os
import pathlib
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")  # before TensorFlow is imported

import data
import dispatch
import micro
import numpy as np
import processes
import report
import tensorflow
from timing import Contestant, check, side_by_side
from workloads import WORKLOADS, Workload

import tapefacade

ROUNDS = 15
CHECKED_STEPS = 3
PARTS = ("micro", "dispatch", "data", "import", "start", "memory")


def look_tf(result: Any) -> list[Any]:
    """Looks at a tensor or at tensors in tuples and lists, as programs do."""
    if isinstance(result, list | tuple):
        return [array for item in result for array in look_tf(item)]
    return [result.numpy()]


def look_jax(result: Any) -> list[Any]:
    """Looks at JAX arrays."""
    if isinstance(result, list | tuple):
        return [array for item in result for array in look_jax(item)]
    return [np.asarray(result)]


def as_it_is(function: Any) -> Any:
    """Decorates nothing, where a contestant compiles nothing."""
    return function


def contestants(workload: Workload) -> list[Contestant]:
    """Makes the contestants anew, tapefacade first."""
    ways = {
        "tapefacade": (workload.tf(tapefacade, as_it_is), look_tf),
        "its tf.function": (workload.tf(tapefacade, tapefacade.function), look_tf),
        "TF eager": (workload.tf(tensorflow, as_it_is), look_tf),
        "TF function": (workload.tf(tensorflow, tensorflow.function), look_tf),
    }
    if workload.jax is not None:
        ways["jax.jit"] = (workload.jax(), look_jax)
    return [Contestant(name, step, look, workload.every) for name, (step, look) in ways.items()]


def measure(workload: Workload, rounds: int) -> dict[str, Any]:
    """Checks and times one workload."""
    taking_part = contestants(workload)
    reference = next(one for one in taking_part if one.name == "TF eager")
    others = [one for one in taking_part if one is not reference]
    check([reference, *others], CHECKED_STEPS, workload.tolerance)
    times = side_by_side(taking_part, rounds)
    return {"title": workload.title, "looked_at": workload.every, "contestants": times}


def parsed() -> argparse.Namespace:
    """Returns the arguments of the command line."""
    names = [*(workload.name for workload in WORKLOADS), *PARTS]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--only", nargs="+", choices=names, metavar="NAME", default=names,
        help=f"what to measure: {', '.join(names)}",
    )  # fmt: skip
    parser.add_argument("--json", type=pathlib.Path, help="a file for the results")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="turns of each contestant")
    return parser.parse_args()


def main() -> None:
    """Measures, prints and stores."""
    arguments = parsed()
    results: dict[str, Any] = report.about()
    results["rounds"] = arguments.rounds
    results["workloads"] = {}
    for workload in WORKLOADS:
        if workload.name in arguments.only:
            print(f"{workload.name} ...", flush=True)
            results["workloads"][workload.name] = measure(workload, arguments.rounds)
    measurements = {
        "micro": lambda: micro.measure(
            {"tapefacade": tapefacade, "TF eager": tensorflow}, arguments.rounds
        ),
        "dispatch": lambda: dispatch.measure(
            {"tapefacade": tapefacade, "TF eager": tensorflow}, arguments.rounds
        ),
        "data": lambda: data.measure(
            {"tapefacade": tapefacade, "TF": tensorflow}, max(3, arguments.rounds // 5)
        ),
        "import": processes.measure_import,
        "start": lambda: processes.measure_start(max(3, arguments.rounds // 3)),
        "memory": processes.measure_memory,
    }
    for part, measurement in measurements.items():
        if part in arguments.only:
            print(f"{part} ...", flush=True)
            results[part] = measurement()
    print(report.text(results))
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main()
