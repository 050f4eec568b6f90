"""Measures tapefacade side by side with TensorFlow, hand-written JAX, PyTorch and others.

    python benchmarks/run.py [--only NAME ...] [--rounds N] [--gpu] [--json FILE] [--write]

Every contestant's results are compared with TensorFlow's before anything is timed. `--write` puts
the results, the tables and the charts into this folder.
"""

import argparse
import json
import os
import pathlib
import sys
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")  # before TensorFlow is imported
os.environ["TAPEFACADE_COMPILATION_CACHE"] = "off"  # all compile what they run
# Before JAX is imported, here and in the processes of the contestants.
if "--gpu" in sys.argv:
    os.environ["JAX_DEFAULT_MATMUL_PRECISION"] = "highest"  # or results differ from TensorFlow's
else:
    os.environ["JAX_PLATFORMS"] = "cpu"

import charts
import data
import deep
import dispatch
import jax
import keras_models
import micro
import once
import peers
import processes
import report
import tensorflow
from timing import side_by_side
from workloads import WORKLOADS, Workload

import tapefacade

ROUNDS = 15
PARTS = ("keras", "deep", "once", "micro", "dispatch", "data", "import", "start", "memory")
HERE = pathlib.Path(__file__).parent


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
    parser.add_argument(
        "--gpu",
        action="store_true",
        help="let JAX and PyTorch compute on the accelerator; TensorFlow stays on the processor",
    )
    parser.add_argument(
        "--write", action="store_true", help="update results.json, the tables and the charts here"
    )
    arguments = parser.parse_args()
    if arguments.gpu and jax.default_backend() == "cpu":
        parser.error(
            "--gpu: jax.devices() has no accelerator. Install jax[cuda12] on a machine "
            "with a GPU, or leave out --gpu."
        )
    if arguments.write and set(arguments.only) != set(names):
        parser.error("--write is for whole runs: leave out --only, or use --json.")
    return arguments


def main() -> None:
    """Measures, prints and stores."""
    arguments = parsed()
    if arguments.gpu:
        tensorflow.config.set_visible_devices([], "GPU")
    results: dict[str, Any] = report.about()
    results["rounds"] = arguments.rounds
    results["workloads"] = {}
    for workload in WORKLOADS:
        if workload.name in arguments.only:
            print(f"{workload.name} ...", flush=True)
            results["workloads"][workload.name] = measure(workload, arguments.rounds)
    peers.close()
    measurements = {
        "keras": lambda: keras_models.measure(arguments.rounds),
        "deep": deep.measure,
        "once": once.measure,
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
    for file in [arguments.json, HERE / "results.json" if arguments.write else None]:
        if file is not None:
            file.write_text(json.dumps(results, indent=2) + "\n")
    if arguments.write:
        report.put(results, HERE / "README.md")
        charts.draw(results, HERE)


if __name__ == "__main__":
    main()
