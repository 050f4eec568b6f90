"""Deep models from the first step on: what a user waits for, and what comes later.

    python benchmarks/deep.py [--only NAME ...] [--contestants NAME ...] [--json FILE]
    python benchmarks/deep.py --write

Every model and contestant has a process of its own, with nothing compiled before. The first step,
the steps after it up to the twelfth, the longest of all after the first, the steady step, the time
of 50 steps, and the largest resident memory are reported; seconds both of the wall and of the
processor, whose work in the background counts, and that of other programs does not. `--write` puts
the results beside those of `run.py` in this folder, with the date and the machine.
"""

import argparse
import importlib
import importlib.util
import itertools
import json
import os
import pathlib
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from deep_models import MODELS, RATE, Model, arrays
from once import answer_of, resident

STEPS, EARLY = 50, 12
STEADY_SECONDS = 4.0  # how long steps are taken after these, at least
WINDOW = 10  # the steady step is the median of so many, where it is smallest
LIMIT = 240.0  # seconds after which a process is stopped
CHECKED, TOLERANCE = 3, 5e-3  # losses of the first steps
REFERENCE, KERAS = "TF eager", "Keras on JAX"
# Name: module, Keras' backend, whether the step is a `tf.function`.
CONTESTANTS = {
    "tapefacade": ("tapefacade", "jax", False),
    "its tf.function": ("tapefacade", "jax", True),
    REFERENCE: ("tensorflow", "tensorflow", False),
    "TF function": ("tensorflow", "tensorflow", True),
    KERAS: ("keras", "jax", False),  # `train_on_batch`; `jax.jit` of what is written by hand
}
RANDOM = ("bert",)  # whose losses depend on numbers drawn


def set_weights(model: Any) -> None:
    """Gives a Keras model weights that are the same everywhere."""
    rng = np.random.default_rng(5)
    model.set_weights([
        value if value.ndim < 2 else _drawn(rng, value.shape) for value in model.get_weights()
    ])  # fmt: skip


def _drawn(rng: np.random.Generator, shape: tuple[int, ...]) -> Any:
    fan = np.prod(shape[:-1])
    return (rng.standard_normal(shape) / np.sqrt(fan)).astype(np.float32)


def loss_of(keras: Any, model: Model) -> Any:
    """Returns Keras' loss for what is trained."""
    if not model.classes:
        return keras.losses.MeanSquaredError()
    return keras.losses.SparseCategoricalCrossentropy(from_logits=True)


def step_of(name: str, work: Model) -> Callable[[], float]:
    """Makes a step that gives its loss; nothing has been computed before it."""
    module, _, is_function = CONTESTANTS[name]
    x, y = arrays(work)
    if name == KERAS:
        if work.by_hand is not None:
            step = work.by_hand(importlib.import_module("jax"))
            return lambda: float(step(x, y))
        keras = importlib.import_module("keras")
        model = work.make(keras, work.shape)
        set_weights(model)
        model.compile(keras.optimizers.Adam(RATE), loss_of(keras, work))
        model.reset_metrics()
        return lambda: float(_alone(model, x, y))
    tf = importlib.import_module(module)
    compiled = tf.function if is_function else (lambda function: function)
    x, y = tf.constant(x), tf.constant(y)
    if work.by_hand is not None:
        step = work.make(tf, compiled)
        return lambda: float(step(x, y).numpy())
    step = _taped(tf, work, compiled)
    return lambda: float(step(x, y).numpy())


def _alone(model: Any, x: Any, y: Any) -> Any:
    model.reset_metrics()  # else the loss is the mean of all so far
    return model.train_on_batch(x, y)


def _taped(tf: Any, work: Model, compiled: Any) -> Callable[[Any, Any], Any]:
    model = work.make(tf.keras, work.shape)
    set_weights(model)
    optimizer = tf.keras.optimizers.Adam(RATE)
    optimizer.build(model.trainable_variables)
    wanted = loss_of(tf.keras, work)

    @compiled
    def step(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = wanted(y, model(x, training=True))
        variables = model.trainable_variables
        gradients = tape.gradient(loss, variables)
        optimizer.apply_gradients(zip(gradients, variables, strict=True))
        return loss

    return step


def doing(work: str, name: str) -> dict[str, Any]:
    """Takes the steps in this process; returns the figures."""
    step = step_of(name, MODELS[work])
    made, processor = time.perf_counter(), time.process_time()
    losses, walls = [], []
    for index in range(STEPS):
        before = time.perf_counter()
        losses.append(step())
        walls.append(time.perf_counter() - before)
        if index in (0, EARLY - 1):
            found = time.process_time()
            if index == 0:
                first_cpu = found - processor
            else:
                early_cpu = found - processor
    total, total_cpu = time.perf_counter() - made, time.process_time() - processor
    ended = time.time()
    peak = resident()
    if CONTESTANTS[name][0] == "tapefacade":  # the steady step is that of what is compiled
        background = importlib.import_module("tapefacade._trace.background_compilation")
        background.BACKGROUND_COMPILER.wait()
    later: list[float] = []
    later_cpu = [time.process_time()]
    until = time.perf_counter() + STEADY_SECONDS
    while time.perf_counter() < until or len(later) < WINDOW:
        before = time.perf_counter()
        step()
        later.append(time.perf_counter() - before)
        if len(later) % WINDOW == 0:
            later_cpu.append(time.process_time())
    windows = [later[i : i + WINDOW] for i in range(0, len(later) - WINDOW + 1, WINDOW)]
    steady_cpu = min(after - before for before, after in itertools.pairwise(later_cpu)) / WINDOW
    return {
        "first": walls[0], "first_cpu": first_cpu, "early_cpu": early_cpu,
        "longest": max(walls[1:]), "steady_ms": 1e3 * min(map(float, map(np.median, windows))),
        "steady_cpu_ms": 1e3 * steady_cpu,
        "total": total, "total_cpu": total_cpu, "ended": ended, "peak_mib": peak,
        "losses": losses[:CHECKED],
    }  # fmt: skip


def in_process(work: str, name: str) -> dict[str, Any]:
    """Calls `doing` in a new interpreter.

    Raises:
        RuntimeError: with the last line of its error, or that it took too long.
    """
    command = [sys.executable, __file__, "--contestant", work, name]
    environment = {
        **os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "TAPEFACADE_COMPILATION_CACHE": "off",
        "KERAS_BACKEND": CONTESTANTS[name][1],
    }  # fmt: skip
    start = time.time()  # the clock that processes share
    found = answer_of(command, environment, LIMIT)
    found["process"] = found.pop("ended") - start
    return found


def measure(
    only: Any = tuple(MODELS), names: Any = tuple(CONTESTANTS), told: bool = False
) -> dict[str, Any]:
    """Returns the figures of all models and contestants.

    Raises:
        AssertionError: if the losses of the first steps differ from TensorFlow's.
    """
    results: dict[str, Any] = {}
    for work in only:
        print(f"{work} ...", flush=True)
        found, left_out = {}, {}
        for name in names:
            package = CONTESTANTS[name][0]
            if importlib.util.find_spec(package) is None:
                continue
            try:
                found[name] = in_process(work, name)
            except RuntimeError as error:
                left_out[name] = str(error)
                print(f"  {name} is left out: {error}", flush=True)
                continue
            if told:
                print(line(name, found[name]), flush=True)
        expected = found.get(REFERENCE, {}).get("losses")
        for name, figures in found.items():
            losses = figures.pop("losses")
            if expected is not None and work not in RANDOM:
                np.testing.assert_allclose(losses, expected, TOLERANCE, err_msg=name)
            found[name] = {key: round(value, 4) for key, value in figures.items()}
        results[work] = {
            "title": MODELS[work].title, "contestants": found, "left_out": left_out,
        }  # fmt: skip
    return results


def line(name: str, found: dict[str, Any]) -> str:
    """Returns the figures of a contestant as a line."""
    return (
        f"  {name:16} first {found['first']:6.2f} s (cpu {found['first_cpu']:6.2f}), to step "
        f"{EARLY} cpu {found['early_cpu']:6.2f}, longest {found['longest']:6.2f} s, steady "
        f"{found['steady_ms']:7.2f} ms, {STEPS} steps {found['total']:6.2f} s (cpu "
        f"{found['total_cpu']:6.2f}), process {found['process']:6.2f} s, "
        f"{found['peak_mib']:6.0f} MiB"
    )


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=MODELS, default=list(MODELS))
    parser.add_argument("--contestants", nargs="+", choices=CONTESTANTS, default=list(CONTESTANTS))
    parser.add_argument("--json", type=pathlib.Path, help="a file for the results")
    parser.add_argument(
        "--write", action="store_true", help="update results.json, the tables and the charts here"
    )
    parser.add_argument("--contestant", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.contestant:
        print(json.dumps(doing(*arguments.contestant)))
        return
    if arguments.write and (arguments.only, arguments.contestants) != (
        list(MODELS), list(CONTESTANTS)
    ):  # fmt: skip
        parser.error("--write is for whole runs: leave out --only, or use --json.")
    results = measure(arguments.only, arguments.contestants, told=True)
    if arguments.json is not None:
        arguments.json.write_text(json.dumps(results, indent=1) + "\n")
    if arguments.write:
        write(results, pathlib.Path(__file__).parent)


def write(found: dict[str, Any], folder: pathlib.Path) -> None:
    """Puts results into `results.json`, the tables of the page and the charts."""
    charts, report = map(importlib.import_module, ("charts", "report"))
    file = folder / "results.json"
    results = {**json.loads(file.read_text()), "deep": found, "deep_run": report.about()}
    file.write_text(json.dumps(results, indent=2) + "\n")
    report.put(results, folder / "README.md")
    charts.draw(results, folder)


if __name__ == "__main__":
    main()
