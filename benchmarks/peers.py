"""The contestants of a workload, and which of them take part.

What has to be there is tapefacade and TensorFlow (with JAX). PyTorch and torchax take part where
they are installed and the workload has a form in PyTorch. A peer that cannot do a workload, or
takes too long for it, is left out, and the reason is kept; one whose result differs is an error.
"""

import functools
import importlib.util
import time
from collections.abc import Callable, Iterator
from typing import Any

import jax
import numpy as np
import tensorflow
import torch_table
from remote import Remote, Worker
from timing import Contestant, compare
from workloads import Workload

import tapefacade

CHECKED_STEPS = 3
FIRST_SECONDS = 60.0  # for the first steps, compiling included
STEP_SECONDS = 1.0  # a slower step would take most of the time of all
REFERENCE = "TF eager"
XLA = "TF function, XLA"
# Whose failure is the failure of the run.
NEEDED = ("tapefacade", "its tf.function", REFERENCE, "TF function", "jax.jit")
# Name: what has to be installed, and the module that makes the contestant.
REMOTE = {
    "PyTorch eager": ("torch", "torch_peers"),
    "torch.compile": ("torch", "torch_peers"),
    "torchax": ("torchax", "torchax_peers"),
}


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


@functools.cache
def installed(package: str) -> bool:
    """Tells whether a package is there; says once if it is not."""
    there = importlib.util.find_spec(package) is not None
    if not there:
        print(f"  {package} is not installed: left out")
    return there


workers: dict[str, Worker] = {}


def worker(name: str) -> Worker:
    """Returns the process of a contestant; starts it if it does not run."""
    if name not in workers or not workers[name].runs:
        workers[name] = Worker(REMOTE[name][1])
    return workers[name]


def close() -> None:
    """Ends the processes."""
    for one in workers.values():
        one.close()
    workers.clear()


def makers(workload: Workload) -> Iterator[tuple[str, Callable[[], Contestant]]]:
    """Yields the names of the contestants and what makes them, tapefacade first."""

    def here(name: str, step: Callable[[], Any], look: Any) -> tuple[str, Any]:
        return name, lambda: Contestant(name, step(), look, workload.every)

    yield here("tapefacade", lambda: workload.tf(tapefacade, as_it_is), look_tf)
    if workload.functions:
        yield here("its tf.function", lambda: workload.tf(tapefacade, tapefacade.function), look_tf)
    yield here(REFERENCE, lambda: workload.tf(tensorflow, as_it_is), look_tf)
    if workload.functions:
        yield here("TF function", lambda: workload.tf(tensorflow, tensorflow.function), look_tf)
        by_xla = functools.partial(tensorflow.function, jit_compile=True)
        yield here(XLA, lambda: workload.tf(tensorflow, by_xla), look_tf)
    if workload.jax is not None:
        yield here("JAX eager", lambda: workload.jax(as_it_is), look_jax)
        yield here("jax.jit", lambda: workload.jax(jax.jit), look_jax)
    for name, (package, _) in REMOTE.items():
        if workload.name in torch_table.NAMES and installed(package):
            yield (
                name,
                lambda name=name: Remote(
                    worker(name), name, workload.name, workload.every, FIRST_SECONDS
                ),
            )


def admitted(workload: Workload) -> tuple[list[Contestant], dict[str, str]]:
    """Makes the contestants anew, and compares what their first steps give.

    Returns:
        Those to be timed, tapefacade first, and why others are not, by name.

    Raises:
        AssertionError: if a result differs from TensorFlow's.
    """
    ways = dict(makers(workload))
    reference = ways[REFERENCE]()
    expected = reference.results(CHECKED_STEPS)
    taking_part, left_out = [], {}
    for name, make in ways.items():
        if name == REFERENCE:
            taking_part.append(reference)
            continue
        try:
            start = time.perf_counter()
            contestant = make()
            found = contestant.results(CHECKED_STEPS)
            seconds = time.perf_counter() - start
        except Exception as error:  # a peer may fail in any way; the reason is reported
            if name in NEEDED:
                raise
            left_out[name] = str(error).strip().splitlines()[0][:200] or type(error).__name__
            continue
        compare(name, found, expected, workload.tolerance)
        if name not in NEEDED and seconds > FIRST_SECONDS:
            left_out[name] = f"its first {CHECKED_STEPS} steps take {seconds:.0f} s"
        elif name not in NEEDED and (seconds := contestant.run(1)) > STEP_SECONDS:
            left_out[name] = f"a step takes {seconds:.1f} s"
        else:
            taking_part.append(contestant)
    return taking_part, left_out
