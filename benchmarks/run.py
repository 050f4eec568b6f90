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
import peers
import processes
import report
import tensorflow
from timing import side_by_side
from workloads import WORKLOADS, Workload

import tapefacade

ROUNDS = 15
PARTS = ("micro", "dispatch", "data", "import", "start", "memory")


def measure(workload: Workload, rounds: int) -> dict[str, Any]:
    """Checks and times one workload."""
    taking_part, left_out = peers.admitted(workload)
    for name, reason in left_out.items():
        print(f"  {name} is left out: {reason}")
    times = side_by_side(taking_part, rounds)
    return {
        "title": workload.title,
        "looked_at": workload.every,
        "contestants": times,
        "left_out": left_out,
    }


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
