"""What needs a process of its own: importing, the first gradient, memory over many steps."""

import importlib.util
import json
import os
import statistics
import subprocess
import sys
import tempfile
from typing import Any

IMPORT_REPEATS = 7
MEMORY_STEPS = 100_000

IMPORT = """
import json, time
start = time.perf_counter()
import jax
middle = time.perf_counter()
import tapefacade
print(json.dumps({"jax": middle - start, "tapefacade": time.perf_counter() - middle}))
"""

# The first gradient of a process.
FIRST_STEP = """
import json, os, time
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
start = time.perf_counter()
import {module} as tf
imported = time.perf_counter()
variables = [tf.Variable([[0.5, 0.25], [0.125, 1.0]]) for _ in range(3)]
x = tf.constant([[1.0, 2.0]])
def gradients():
    with tf.GradientTape() as tape:
        y = x
        for v in variables:
            y = tf.tanh(y @ v)
        loss = tf.reduce_mean(tf.square(y))
    return tape.gradient(loss, variables)
if {compiled}:
    gradients = tf.function(gradients)
before = time.perf_counter()
[g.numpy() for g in gradients()]
after = time.perf_counter()
print(json.dumps({{"import": imported - start, "first": after - before, "total": after - start}}))
"""

FIRST_STEP_JAX = """
import json, time
start = time.perf_counter()
import jax
import jax.numpy as jnp
imported = time.perf_counter()
variables = [jnp.array([[0.5, 0.25], [0.125, 1.0]]) for _ in range(3)]
x = jnp.array([[1.0, 2.0]])
def loss(variables, x):
    for v in variables:
        x = jnp.tanh(x @ v)
    return jnp.mean(jnp.square(x))
before = time.perf_counter()
jax.block_until_ready(jax.jit(jax.grad(loss))(variables, x))
after = time.perf_counter()
print(json.dumps({"import": imported - start, "first": after - before, "total": after - start}))
"""

FIRST_STEP_TORCH = """
import json, time
start = time.perf_counter()
import torch
imported = time.perf_counter()
values = [[0.5, 0.25], [0.125, 1.0]]
variables = [torch.tensor(values, requires_grad=True) for _ in range(3)]
x = torch.tensor([[1.0, 2.0]])
def loss():
    y = x
    for v in variables:
        y = torch.tanh(y @ v)
    return y.square().mean()
before = time.perf_counter()
loss().backward()
[v.grad.numpy() for v in variables]
after = time.perf_counter()
print(json.dumps({"import": imported - start, "first": after - before, "total": after - start}))
"""

# Reads the resident memory from Linux's /proc.
MEMORY = """
import gc, json, sys, time
import numpy as np
import tapefacade as tf
steps = int(sys.argv[1])
rng = np.random.default_rng(0)
variables = [tf.Variable(rng.standard_normal((8, 8)).astype("f")) for _ in range(2)]
x = tf.constant(rng.standard_normal((4, 8)).astype("f"))
def resident():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS")) / 1024
def run(count):
    for _ in range(count):
        with tf.GradientTape() as tape:
            y = x
            for v in variables:
                y = tf.tanh(y @ v)
            loss = tf.reduce_mean(tf.square(y))
        for v, g in zip(variables, tape.gradient(loss, variables)):
            v.assign_sub(0.01 * g)
        loss.numpy()
run(2000)
gc.collect()
before, objects = resident(), len(gc.get_objects())
start = time.perf_counter()
run(steps)
seconds = time.perf_counter() - start
gc.collect()
print(json.dumps({"steps": steps, "before_mib": before, "after_mib": resident(),
                  "objects_before": objects, "objects_after": len(gc.get_objects()),
                  "seconds": seconds}))
"""


def in_process(code: str, *arguments: str, cache: str = "off") -> Any:
    """Runs a script in a new interpreter; returns what it prints as its last line, from JSON.

    `cache` is the folder in which tapefacade keeps compiled programs.
    """
    command = [sys.executable, "-c", code, *arguments]
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    environment["TAPEFACADE_COMPILATION_CACHE"] = cache
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    return json.loads(done.stdout.splitlines()[-1])


def measure_import(repeats: int = IMPORT_REPEATS) -> dict[str, float]:
    """Returns the seconds to import JAX, and tapefacade on top of it; the best of some."""
    runs = [in_process(IMPORT) for _ in range(repeats + 1)][1:]  # the first one may compile
    return {name: round(min(run[name] for run in runs), 3) for name in ("jax", "tapefacade")}


def measure_start(repeats: int) -> dict[str, dict[str, float]]:
    """Returns the seconds from the start of a process to its first gradient, in medians."""
    scripts = {
        "tapefacade": FIRST_STEP.format(module="tapefacade", compiled=False),
        "its tf.function": FIRST_STEP.format(module="tapefacade", compiled=True),
        "TF eager": FIRST_STEP.format(module="tensorflow", compiled=False),
        "TF function": FIRST_STEP.format(module="tensorflow", compiled=True),
        "jax.jit": FIRST_STEP_JAX,
    }
    scripts["tapefacade, warm"] = scripts["tapefacade"]  # its program was compiled before
    if importlib.util.find_spec("torch") is not None:
        scripts["PyTorch eager"] = FIRST_STEP_TORCH
    runs: dict[str, list[Any]] = {name: [] for name in scripts}
    with tempfile.TemporaryDirectory() as folder:
        in_process(scripts["tapefacade, warm"], cache=folder)
        for _ in range(repeats):
            for name, script in scripts.items():
                is_warm = name.endswith("warm")
                runs[name].append(in_process(script, cache=folder if is_warm else "off"))
    return {
        name: {key: round(statistics.median(run[key] for run in found), 3) for key in found[0]}
        for name, found in runs.items()
    }


def measure_memory(steps: int = MEMORY_STEPS) -> dict[str, float]:
    """Returns the resident memory, in MiB, and the number of objects around identical steps."""
    found = in_process(MEMORY, str(steps))
    return {key: round(value, 2) for key, value in found.items()}
