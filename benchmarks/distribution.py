"""What replicas cost: a step of 1, 2, 4 and 8 of them on virtual devices, and processes that join.

    python benchmarks/distribution.py [--tensorflow-python PYTHON] [--rounds N]

Prints the tables of README.md. A plain step and replicas take turns in a process, for each number
of them.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import time

REPLICAS = (1, 2, 4, 8)
# Name, rows of the global batch, width of the layers, rows of each replica for weak scaling.
MODELS = (("small", 64, 16, 8), ("wide", 1024, 1024, 128))
FEATURES = 32
SECONDS_OF_TURN = 0.15
BYTES = {"f32": 4, "s32": 4, "f64": 8, "s64": 8, "bf16": 2, "f16": 2, "pred": 1, "u32": 4}
ALL_REDUCE = re.compile(r"= (.*?) all-reduce(?:-start)?\(")
SHAPE = re.compile(r"(\w+)\[([\d,]*)\]")
JOIN = """
import time
start = time.perf_counter()
import tapefacade as tf
imported = time.perf_counter()
strategy = tf.distribute.MultiWorkerMirroredStrategy()
joined = time.perf_counter()
float(strategy.reduce("SUM", 1.0, axis=None))
print("joined", joined - imported, time.perf_counter() - joined)
"""


def made(tf, strategy, rows, width):
    """Makes a step of a network with two hidden layers; returns it, its function and its batch."""
    import numpy as np

    random = np.random.default_rng(0)
    x, y = (random.normal(size=(rows, n)).astype("float32") for n in (FEATURES, 1))
    shapes = ((FEATURES, width), (width,), (width, width), (width,), (width, 1))
    with strategy.scope():
        variables = [tf.Variable(random.normal(size=s).astype("float32") * 0.05) for s in shapes]
    data = tf.data.Dataset.from_tensors((x, y))
    (batch,) = strategy.experimental_distribute_dataset(data)

    def replica(x, y):
        with tf.GradientTape() as tape:
            h = tf.tanh(tf.matmul(x, variables[0]) + variables[1])
            h = tf.tanh(tf.matmul(h, variables[2]) + variables[3])
            loss = tf.reduce_sum((tf.matmul(h, variables[4]) - y) ** 2) / rows
        gradients = tape.gradient(loss, variables)
        context = tf.distribute.get_replica_context()
        if strategy.num_replicas_in_sync > 1:
            gradients = context.all_reduce("sum", gradients)
        for variable, gradient in zip(variables, gradients, strict=True):
            variable.assign_sub(0.01 * gradient)
        return loss

    @tf.function(jit_compile=True if tf.__name__ == "tapefacade" else None)
    def train(x, y):
        return strategy.reduce("SUM", strategy.run(replica, args=(x, y)), axis=None)

    return train, batch


def measure(module, rounds, counts):
    """Measures steps in this process; prints JSON."""
    tf = __import__(module)
    if module == "tensorflow":
        (cpu,) = tf.config.list_physical_devices("CPU")
        parts = [tf.config.LogicalDeviceConfiguration()] * max(REPLICAS)
        tf.config.set_logical_device_configuration(cpu, parts)
    strategies = {0: tf.distribute.get_strategy()}
    for count in counts:
        devices = [f"CPU:{k}" for k in range(count)]
        strategies[count] = tf.distribute.MirroredStrategy(devices)
    found = {}
    for name, rows, width, own in MODELS:
        steps, bytes_ = {}, {}
        for count, strategy in strategies.items():
            steps[f"{count}"] = made(tf, strategy, rows, width)
            steps[f"{count} weak"] = made(tf, strategy, own * max(count, 1), width)
            if module == "tapefacade" and count > 1:
                bytes_[count] = communicated(*steps[f"{count}"])
        losses = {key: float(train(*batch)) for key, (train, batch) in steps.items()}
        times = {key: [] for key in steps}
        for turn in range(rounds + 1):
            for key, (train, batch) in steps.items():
                times[key].append(turn_of(train, batch) if turn else turn_of(train, batch, 0.02))
        median = {key: statistics.median(each[1:]) for key, each in times.items()}
        ratio = {
            key: statistics.median(a / b for a, b in zip(each[1:], times["0"][1:], strict=True))
            for key, each in times.items()
        }
        found[name] = {"seconds": median, "ratio": ratio, "bytes": bytes_, "losses": losses}
    print(json.dumps(found))


def turn_of(train, batch, seconds=SECONDS_OF_TURN):
    """Takes steps for some time; returns the seconds of one."""
    start, count = time.perf_counter(), 0
    while time.perf_counter() - start < seconds:
        float(train(*batch))
        count += 1
    return (time.perf_counter() - start) / count


def communicated(train, batch):
    """Returns how many bytes a replica hands to all-reduces in a step: what the program says."""
    float(train(*batch))
    text = train.experimental_get_compiler_ir(*batch)(stage="optimized_hlo")
    total = 0
    for types in ALL_REDUCE.findall(text):
        for kind, shape in SHAPE.findall(types):
            size = BYTES[kind]
            for part in filter(None, shape.split(",")):
                size *= int(part)
            total += size
    return total


def joining(count):
    """Returns the longest time to join of some processes, and that of their first sum."""
    from tapefacade._port.launcher import _free_addresses

    addresses = _free_addresses(count)
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", JOIN], stdout=subprocess.PIPE, text=True,
            env={**os.environ, "TF_CONFIG": json.dumps({
                "cluster": {"worker": addresses}, "task": {"type": "worker", "index": index},
            })},
        )
        for index in range(count)
    ]  # fmt: skip
    times = []
    for process in processes:
        lines = process.communicate()[0].splitlines()
        times += [line.split()[1:] for line in lines if line.startswith("joined")]
    return [max(float(each[k]) for each in times) for k in range(2)]


def in_processes(python, module, rounds):
    """Measures each number of replicas in a process of its own, as TensorFlow has to."""
    found = {}
    for count in REPLICAS:
        for name, about in in_process(python, module, rounds, [count]).items():
            for what, values in about.items():
                found.setdefault(name, {}).setdefault(what, {}).update(values)
    return found


def in_process(python, module, rounds, counts):
    flags = f"--xla_force_host_platform_device_count={max(REPLICAS)}"
    done = subprocess.run(
        [python, __file__, "--measure", module, "--rounds", str(rounds), "--replicas",
         *map(str, counts)], check=True, stdout=subprocess.PIPE, text=True,
        env={
            **os.environ, "XLA_FLAGS": flags, "JAX_PLATFORMS": "cpu", "TF_CPP_MIN_LOG_LEVEL": "3",
        },
    )  # fmt: skip
    return json.loads(done.stdout.splitlines()[-1])


def table(ours, theirs):
    """Prints the tables."""
    print("| model | replicas | step | to plain | TensorFlow | to plain | weak: step | bytes |")
    print("|---|---|---|---|---|---|---|---|")
    for name, *_ in MODELS:
        mine, other = ours[name], (theirs or {}).get(name)
        for count in ("0", *map(str, REPLICAS)):
            cells = [name, "plain" if count == "0" else count, milliseconds(mine, count)]
            cells.append(f"{mine['ratio'][count]:.2f}")
            cells.append(milliseconds(other, count) if other else "")
            cells.append(f"{other['ratio'][count]:.2f}" if other else "")
            cells += [milliseconds(mine, f"{count} weak"), f"{mine['bytes'].get(count, 0):,}"]
            print("| " + " | ".join(cells) + " |")


def milliseconds(found, key):
    return f"{1e3 * found['seconds'][key]:.2f} ms"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--tensorflow-python")
    parser.add_argument("--replicas", type=int, nargs="*", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        measure(options.measure, options.rounds, options.replicas)
        return
    ours = in_processes(sys.executable, "tapefacade", options.rounds)
    python = options.tensorflow_python
    table(ours, in_processes(python, "tensorflow", options.rounds) if python else None)
    for count in (2, 4):
        joined, summed = joining(count)
        print(f"{count} processes join in {joined:.2f} s; their first sum takes {summed:.2f} s.")


if __name__ == "__main__":
    main()
