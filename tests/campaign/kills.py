"""A process killed at every file operation of a save: what was saved before can always be read.

A child saves one state and then another; its file operations are counted by Python's audit hooks,
and at the n-th it is killed with SIGKILL. Afterwards another process reads what is there: one of
the two states, completely.
"""

import multiprocessing
import os
import pathlib
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from typing import Any

import numpy as np

COUNT = 200  # operations at which each kind of save is killed, at most
SHORT_COUNT = 4
OPERATIONS_PER_LINE = 20
EVENTS = (
    "open", "os.mkdir", "os.remove", "os.rename", "os.replace", "os.rmdir", "os.truncate",
    "shutil.move", "shutil.rmtree", "os.link", "os.utime", "os.chmod",
)  # fmt: skip


def module(tf: Any, value: float) -> Any:
    found = tf.Module()
    found.w = tf.Variable(tf.fill([50], value))
    found.b = tf.Variable(tf.fill([3], value))
    found.value = tf.function(lambda: found.w[0], input_signature=[])
    return found


def save_checkpoint(tf: Any, folder: str, value: float) -> None:
    found = module(tf, value)
    tf.train.CheckpointManager(
        tf.train.Checkpoint(w=found.w, b=found.b), folder, max_to_keep=1
    ).save()


def read_checkpoint(tf: Any, folder: str) -> set[float]:
    found = module(tf, -1.0)
    latest = tf.train.latest_checkpoint(folder)
    tf.train.Checkpoint(w=found.w, b=found.b).restore(latest).assert_consumed()
    return {*found.w.numpy().tolist(), *found.b.numpy().tolist()}


def save_weights(tf: Any, folder: str, value: float) -> None:
    found = module(tf, value)
    tf.train.Checkpoint(w=found.w, b=found.b).write(os.path.join(folder, "weights"))


def read_weights(tf: Any, folder: str) -> set[float]:
    found = module(tf, -1.0)
    path = os.path.join(folder, "weights")
    tf.train.Checkpoint(w=found.w, b=found.b).read(path).assert_consumed()
    return {*found.w.numpy().tolist(), *found.b.numpy().tolist()}


def layers(tf: Any, value: float) -> Any:
    found = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(4)])
    found.set_weights([np.full([3, 4], value), np.full([4], value)])
    return found


def save_layers(tf: Any, folder: str, value: float) -> None:
    layers(tf, value).save(os.path.join(folder, "model.keras"))


def read_layers(tf: Any, folder: str) -> set[float]:
    found = tf.keras.models.load_model(os.path.join(folder, "model.keras"))
    return {number for weight in found.get_weights() for number in weight.ravel().tolist()}


def save_model(tf: Any, folder: str, value: float) -> None:
    tf.saved_model.save(module(tf, value), os.path.join(folder, "model"))


def read_model(tf: Any, folder: str) -> set[float]:
    """Reads the model, calls its function, and restores its variables from the directory."""
    path = os.path.join(folder, "model")
    loaded, found = tf.saved_model.load(path), module(tf, -1.0)
    tf.train.Checkpoint(w=found.w, b=found.b).restore(path).expect_partial()
    parts = loaded.w, loaded.b, loaded.value(), found.w, found.b
    return {number for part in parts for number in np.ravel(part.numpy()).tolist()}


KINDS = {
    "checkpoints of a manager": (save_checkpoint, read_checkpoint),
    "a checkpoint written over another": (save_weights, read_weights),
    "a model of Keras written over another": (save_layers, read_layers),
    "a saved model written over another": (save_model, read_model),
}


def save(kind: str, folder: str, limit: int, count: Any) -> None:
    """Saves 1.0, then 2.0, and is killed at file operation number `limit` of the second."""
    import tapefacade as tf

    writer, _ = KINDS[kind]
    writer(tf, folder, 1.0)
    done = 0

    def at_event(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal done
        if event not in EVENTS or not str(arguments[0]).startswith(folder):
            return
        done += 1
        count.value = done
        if done == limit:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(at_event)
    writer(tf, folder, 2.0)


def read(kind: str, folder: str, answer: Any) -> None:
    import tapefacade as tf

    try:
        answer.send(KINDS[kind][1](tf, folder))
    except BaseException as error:
        answer.send(f"{type(error).__name__}: {error}")


def run(count: int, seed: int) -> Iterator[tuple[str, bool]]:
    """Yields a line for each kind of save, and one for each failure."""
    context = multiprocessing.get_context("spawn")
    for kind in KINDS:
        killed, failures = 0, []
        for limit in range(1, count + 1):
            folder = tempfile.mkdtemp(prefix="campaign-")
            try:
                operations = context.Value("i", 0)
                child = context.Process(target=save, args=(kind, folder, limit, operations))
                child.start()
                child.join()
                receiver, sender = context.Pipe(duplex=False)
                reader = context.Process(target=read, args=(kind, folder, sender))
                reader.start()
                sender.close()
                found = receiver.recv()
                reader.join()
                if found not in ({1.0}, {2.0}):
                    left = sorted(str(p.name) for p in pathlib.Path(folder).rglob("*"))
                    failures.append(f"{kind}, operation {limit}: {found}; {left}")
                if child.exitcode == 0:  # it had no more operations
                    break
                killed += 1
                if not killed % OPERATIONS_PER_LINE:
                    yield f"{kind}: killed at {killed} operations so far", False
            finally:
                shutil.rmtree(folder, ignore_errors=True)
        yield f"{kind}: killed at {killed} operations", False
        for failure in failures:
            yield failure, True
