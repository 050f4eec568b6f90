"""Work that is done once, in a process of its own: what compiling costs is part of it.

    python benchmarks/once.py [--only NAME ...]

Each contestant's process imports its package, makes the work, does it, and does it again. The
seconds and the largest resident memory are reported. What the work gives is compared with eager
TensorFlow's. Whoever takes too long stops after the part at hand, and its parts are counted.
"""

import argparse
import importlib.util
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import once_loops
import once_nets

ENOUGH = 40.0  # seconds after which no further part of the work is begun
LIMIT = 120.0  # seconds after which a process is stopped, whatever it does
AGAIN_LIMIT = 20.0  # whose first time took longer does it once
REFERENCE = "TF eager"
PACKAGES = {
    "tapefacade": "tapefacade",
    "its tf.function": "tapefacade",
    REFERENCE: "tensorflow",
    "TF function": "tensorflow",
    "jax.jit": "jax",
    "jax.jit, padded": "jax",
    "JAX eager": "jax",
    "PyTorch eager": "torch",
}
# Name: title, what is counted and how many, and the makers by contestant.
WORK: dict[str, tuple[str, str, int, dict[str, Callable[[Any], Any]]]] = {
    "lengths": ("RNN on sequences of 1 to 200", "step", once_loops.SEQUENCES, once_loops.LENGTHS),
    "euler": ("10,000 iterations in a tape, gradient", "run", 1, once_loops.EULER),
    "trees": ("tree nets of 1,000 ops, none like another", "tree", once_nets.TREES,
              once_nets.TREE_NETS),
    "large": ("MLP 4x2048, batch 64, SGD", "step", once_nets.STEPS, once_nets.LARGE),
}  # fmt: skip


def resident() -> float:
    """Returns the largest resident memory so far, in MiB."""
    if sys.platform == "linux":  # where `ru_maxrss` is at least that of the process before `exec`
        with open("/proc/self/status") as status:
            return next(int(line.split()[1]) / 2**10 for line in status if "VmHWM" in line)
    largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return largest / (2**20 if sys.platform == "darwin" else 2**10)


def doing(work: str, name: str) -> dict[str, Any]:
    """Does the work in this process; returns the figures."""
    package = importlib.import_module(PACKAGES[name])
    imported = resident()
    if name == "PyTorch eager":
        package.set_num_threads(os.cpu_count() or 1)
        if os.environ.get("JAX_PLATFORMS") != "cpu" and package.cuda.is_available():
            package.set_default_device("cuda")
    run = WORK[work][3][name](package)
    first, parts = timed(run)
    found = {"first": first, "parts": len(parts), "imported_mib": imported, "result": parts}
    if first < AGAIN_LIMIT:
        found["again"], _ = timed(run)
    return {**found, "peak_mib": resident()}


def timed(run: once_loops.Work) -> tuple[float, list[list[float]]]:
    """Does the work, or what there is time for; returns the seconds and what its parts gave."""
    start, parts = time.perf_counter(), []
    for part in run():
        parts.append(part)
        if time.perf_counter() - start > ENOUGH:
            break
    return time.perf_counter() - start, parts


def answer_of(command: list[str], environment: dict[str, str], limit: float) -> dict[str, Any]:
    """Runs a process; returns the JSON that its last line is.

    Raises:
        RuntimeError: with the last line of its error, or that it took longer than `limit` seconds.
    """
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, env=environment, timeout=limit
        )
    except subprocess.TimeoutExpired:
        raise RuntimeError(f"stopped after {limit:.0f} s") from None
    if done.returncode:
        raise RuntimeError((done.stderr.strip().splitlines() or ["its process ended"])[-1][:200])
    return json.loads(done.stdout.splitlines()[-1])


def in_process(work: str, name: str) -> dict[str, Any]:
    """Calls `doing` in a new interpreter.

    Raises:
        RuntimeError: with the last line of its error, or that it took too long.
    """
    command = [sys.executable, __file__, "--contestant", work, name]
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "TAPEFACADE_COMPILATION_CACHE": "off"}
    return answer_of(command, environment, LIMIT)


def measure(only: Any = tuple(WORK)) -> dict[str, Any]:
    """Returns the figures of all work and contestants.

    Raises:
        AssertionError: if a result differs from TensorFlow's.
    """
    results: dict[str, Any] = {}
    for work in only:
        title, unit, count, makers = WORK[work]
        print(f"{work} ...", flush=True)
        found, left_out = {}, {}
        for name in makers:
            if importlib.util.find_spec(PACKAGES[name]) is None:
                continue
            try:
                found[name] = in_process(work, name)
            except RuntimeError as error:
                left_out[name] = str(error)
                print(f"  {name} is left out: {error}", flush=True)
        expected = found[REFERENCE]["result"]
        for name, figures in found.items():
            result = figures.pop("result")
            both = min(len(result), len(expected))
            np.testing.assert_allclose(result[:both], expected[:both], 2e-3, 1e-5, err_msg=name)
            found[name] = {key: round(value, 4) for key, value in figures.items()}
        results[work] = {
            "title": title, "unit": unit, "count": count, "contestants": found,
            "left_out": left_out,
        }  # fmt: skip
    return results


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=WORK, default=list(WORK))
    parser.add_argument("--contestant", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.contestant:
        print(json.dumps(doing(*arguments.contestant)))
        return
    print(json.dumps(measure(arguments.only), indent=2))


if __name__ == "__main__":
    main()
