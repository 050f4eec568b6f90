"""Several processes that run one program: their numbers, and what happens when one of them dies."""

import json
import os
import pathlib
import runpy
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import worker_programs

import tapefacade as tf
from tapefacade.__main__ import main
from tapefacade._core.process_group import PROCESSES, ProcessGroup
from tapefacade._distribute import worker_connections
from tapefacade._distribute.worker_order import WorkerOrder

HERE = pathlib.Path(__file__).parent
SECONDS = 300  # for a machine that has much else to do


def environment(**more):
    found = {
        **os.environ, "JAX_PLATFORMS": "cpu", "XLA_FLAGS": "", "PYTHONUNBUFFERED": "1",
        "PYTHONPATH": os.pathsep.join([str(HERE.parent), str(HERE)]), **more,
    }  # fmt: skip
    found.pop("TF_CONFIG", None) if "TF_CONFIG" not in more else None
    return found


def started(command, count=2, **more):
    """Starts processes that know of each other."""
    places = [socket.create_server(("localhost", 0)) for _ in range(count)]
    addresses = [f"localhost:{place.getsockname()[1]}" for place in places]
    for place in places:
        place.close()
    configs = [
        {"cluster": {"worker": addresses}, "task": {"type": "worker", "index": index}}
        for index in range(count)
    ]
    return [
        subprocess.Popen(
            [sys.executable, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=environment(TF_CONFIG=json.dumps(config), **more),
        )
        for config in configs
    ]  # fmt: skip


def differences(mine, wanted, place=""):
    """Where two structures of numbers and texts differ."""
    if isinstance(wanted, dict | list):
        keys = wanted if isinstance(wanted, dict) else range(len(wanted))
        if type(mine) is not type(wanted) or len(mine) != len(wanted):
            return [f"{place}: {mine} is not {wanted}"]
        return [d for key in keys for d in differences(mine[key], wanted[key], f"{place}.{key}")]
    if isinstance(wanted, float) and isinstance(mine, float):
        near = np.isclose(mine, wanted, rtol=1e-5, atol=1e-6, equal_nan=True)
        return [] if near else [f"{place}: {mine} is not {wanted}"]
    return [] if mine == wanted else [f"{place}: {mine} is not {wanted}"]


def test_two_processes_give_the_numbers_of_tensorflow_and_of_one_process():
    """When they have run all programs, the second one is killed: the first says so and ends."""
    workers = started([str(HERE / "worker_programs.py")])
    ended = [(*worker.communicate(timeout=SECONDS), worker.returncode) for worker in workers]
    wanted = json.loads((HERE / "goldens" / "workers.json").read_text())
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    found = worker_programs.shown(worker_programs.fit_of_workers(tf, strategy))
    alone = {"fit_of_workers": json.loads(json.dumps(found))}
    for index, (out, err, _) in enumerate(ended):
        lines = [line for line in out.splitlines() if line.startswith(worker_programs.MARK)]
        assert lines, out + err
        found = json.loads(lines[0].removeprefix(worker_programs.MARK))
        assert not differences({key: found[key] for key in wanted[index]}, wanted[index])
        assert not differences({key: found[key] for key in alone}, alone)
        predicted, looped = found["files_in_fit"]
        assert predicted == looped
        assert predicted[:4] == [[0.0], [1.0], [10.0], [11.0]]  # each process reads its files
    (_, err, code), (_, _, killed) = ended
    assert (code, killed) == (75, -9), ended
    address = err.partition("worker 1 at ")[2].split()[0]
    assert f"worker 1 at {address} was killed or" in err


def test_an_address_alone_is_one_process(monkeypatch):
    config = {"cluster": {"worker": ["one:1"]}, "task": {"type": "worker", "index": 0}}
    monkeypatch.setenv("TF_CONFIG", json.dumps(config))
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    assert strategy.num_replicas_in_sync == 1
    assert strategy.cluster_resolver.task_type == "worker"
    assert not strategy.extended._in_multi_worker_mode()


DIVIDED = """
import json, os, sys
config = json.loads(os.environ.pop("TF_CONFIG"))
os.environ["DTENSOR_JOBS"] = ",".join(config["cluster"]["worker"])
os.environ["DTENSOR_CLIENT_ID"] = str(config["task"]["index"])
import tapefacade as tf

dtensor = tf.experimental.dtensor
dtensor.initialize_accelerator_system("CPU", num_logical_cpu_devices=2)
mesh = dtensor.create_distributed_mesh([("x", 2), ("y", 2)])
rows, both = (dtensor.Layout(names, mesh) for names in (["x", "unsharded"], ["x", "y"]))
v = dtensor.DVariable(tf.reshape(tf.range(16.0), [4, 4]) / 16.0, layout=both)
batches = dtensor.DTensorDataset(
    tf.data.Dataset.from_tensor_slices(tf.sin(tf.reshape(tf.range(36.0), [9, 4]))),
    mesh=mesh, layouts=rows, global_batch_size=4, batch_dim="x")


def step(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.matmul(x, v) ** 2)
    v.assign_sub(0.1 * tape.gradient(loss, v))
    return loss


losses = [float(way(x)) for way in (step, tf.function(step)) for x in batches]
path = tf.train.Checkpoint(v=v).write(sys.argv[1] + "/checkpoint")
v.assign(tf.zeros([4, 4]))
columns = dtensor.DVariable(
    tf.zeros([4, 4]), layout=dtensor.Layout(["unsharded", "y"], mesh))
for restored in v, columns:
    tf.train.Checkpoint(v=restored).read(path).assert_consumed()
whole = [
    dtensor.relayout(each, dtensor.Layout.replicated(mesh, 2)).numpy().tolist()
    for each in (v, columns)]
parts = [
    [part.numpy().tolist() for part in dtensor.unpack(each)]
    for each in (v, dtensor.pack([tf.constant([[float(dtensor.client_id())]])] * 2, both))]
dtensor.barrier(mesh)
print("found", json.dumps([
    dtensor.full_job_name(), mesh.local_device_ids(), losses, whole, parts]), flush=True)
dtensor.barrier(mesh, "found")
if dtensor.client_id() == 0:
    raise ValueError('mine')
dtensor.barrier(mesh)
"""


def trained_whole():
    """What the training of `DIVIDED` comes to."""
    v, losses = np.arange(16.0).reshape(4, 4) / 16.0, []
    x = np.sin(np.arange(36.0)).reshape(9, 4)
    for batch in (x[:4], x[4:8]) * 2:
        y = batch @ v
        losses.append((y**2).mean())
        v = v - 0.1 * batch.T @ y / 8.0
    return losses, v


def test_meshes_over_processes_and_who_has_lost_one_that_failed_says_so(tmp_path):
    workers = started(["-c", DIVIDED, str(tmp_path)])
    results = [worker.communicate(timeout=SECONDS) for worker in workers]
    assert [worker.returncode for worker in workers] == [1, 75], results
    losses, wanted = trained_whole()
    for index, (out, _) in enumerate(results):
        (line,) = [line for line in out.splitlines() if line.startswith("found ")]
        name, ids, found, whole, (parts, packed) = json.loads(line.removeprefix("found "))
        assert (name, ids) == (f"worker/replica:0/task:{index}", [2 * index, 2 * index + 1])
        assert np.allclose(found, losses, rtol=1e-5)
        assert np.allclose(whole, [wanted] * 2, rtol=1e-5)
        assert np.allclose(np.concatenate(parts, 1), wanted[2 * index : 2 * index + 2], rtol=1e-5)
        assert packed == [[[float(index)]]] * 2
    assert len(list(tmp_path.iterdir())) == 4  # the index, and the parts of each process
    address = results[1][1].partition(" at ")[2].split()[0]
    said = f"worker 0, the chief, at {address} has ended with an error, Value"
    assert said in results[1][1]


TRAINED = """
import os, pathlib, signal, sys
import tensorflow as tf

strategy = tf.distribute.MultiWorkerMirroredStrategy()
number = strategy.cluster_resolver.task_id
folder = pathlib.Path(sys.argv[1])
with strategy.scope():
    w = tf.Variable([0.5, -0.5])
    steps = tf.Variable(0)
checkpoint = tf.train.Checkpoint(w=w, steps=steps)
own = folder if number == 0 else folder / "others"
manager = tf.train.CheckpointManager(checkpoint, str(own), max_to_keep=2)
checkpoint.restore(tf.train.latest_checkpoint(str(folder)))
print("from step", int(steps))
rows = strategy.experimental_distribute_values_from_function(
    lambda context: tf.constant([1.0, 2.0]) + float(context.replica_id_in_sync_group))


@tf.function
def train(x):
    def replica(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.tanh(w * x) ** 2)
        gradient = tape.gradient(loss, w)
        w.assign_sub(0.1 * tf.distribute.get_replica_context().all_reduce("mean", gradient))
        return loss
    return strategy.reduce("MEAN", strategy.run(replica, args=(x,)), axis=None)


mark = folder / "killed"
while int(steps) < 6:
    loss = train(rows)
    steps.assign_add(1)
    manager.save()
    strategy.reduce("SUM", 1.0, axis=None)  # all have written
    if number == 1 and int(steps) == 3 and "kill" in sys.argv and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
print("loss", float(loss), w.numpy().tolist())
"""


def launched(*words, **more):
    return subprocess.run(
        [sys.executable, "-m", "tapefacade", "launch", *map(str, words)], env=environment(**more),
        capture_output=True, text=True, check=False, timeout=SECONDS,
    )  # fmt: skip


def undisturbed(steps):
    """What the training of `TRAINED` comes to."""
    w, x = np.array([0.5, -0.5]), np.array([[1.0, 2.0], [2.0, 3.0]])
    for _ in range(steps):
        y = np.tanh(w * x)
        loss = (y**2).sum(1).mean()
        w = w - 0.1 * (2.0 * y * (1.0 - y**2) * x).mean(0)
    return [loss, *w]


def test_training_goes_on_from_the_last_checkpoint_after_a_kill(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(TRAINED)
    done = launched("--processes", 2, "--restarts", 1, script, tmp_path, "kill")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "worker 1 was ended by the signal 9 (SIGKILL); the others are ended." in done.stderr
    assert "all processes start again (1 of 1 times)" in done.stderr
    lines = done.stdout.splitlines()
    for index in range(2):
        own = [line[4:] for line in lines if line.startswith(f"[{index}] ") and "Gloo" not in line]
        assert [line for line in own if line.startswith("from")] == ["from step 0", "from step 3"]
        (last,) = [line for line in own if line.startswith("loss")]
        found = json.loads(f"[{last.removeprefix('loss ').replace(' [', ', ').removesuffix(']')}]")
        assert np.allclose(found, undisturbed(6), rtol=1e-6)


TAKEN_AWAY = """
import os, pathlib, signal, sys
import tensorflow as tf

strategy = tf.distribute.MultiWorkerMirroredStrategy()
resolver = strategy.cluster_resolver
with strategy.scope():
    w = tf.Variable(0.0, aggregation=tf.VariableAggregation.MEAN)
handler = tf.distribute.experimental.PreemptionCheckpointHandler(
    resolver, tf.train.Checkpoint(w=w), sys.argv[1])
print("from run", handler.total_run_calls, float(w))
mark = pathlib.Path(sys.argv[1]) / f"told {resolver.task_id}"


def train():
    strategy.run(lambda: w.assign_add(1.0))
    if resolver.task_id == 1 and handler.total_run_calls == 2 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGTERM)


while handler.total_run_calls < 6:
    handler.run(train)
print("ended", float(w))
"""


def test_all_processes_save_the_same_step_when_one_is_to_be_taken_away(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(TAKEN_AWAY)
    done = launched("--processes", 2, "--restarts", 1, script, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    for index in range(2):
        own = [line for line in done.stdout.splitlines() if line.startswith(f"[{index}] ")]
        found = [line[4:] for line in own if "run" in line or "ended" in line]
        assert found == ["from run 0 0.0", "from run 4 4.0", "ended 6.0"]


UNEQUAL = """
import sys, time
import tensorflow as tf
from tapefacade._core.process_group import PROCESSES

strategy = tf.distribute.MultiWorkerMirroredStrategy()
number = strategy.cluster_resolver.task_id
with strategy.scope():
    w = tf.Variable(1.0)


def total():
    return tf.distribute.get_replica_context().all_reduce("sum", tf.constant(float(w)))


def once():
    return total() if number == 0 else float(w)


def failing():
    w.assign(float(w) + 5.0)
    return total() if number == 0 else [][3]


for function in (once, failing):
    try:
        strategy.run(function)
    except Exception as error:
        print(type(error).__name__, error, flush=True)
    print("w", w.numpy(), float(strategy.run(total)), flush=True)
if number == 0:
    while not PROCESSES.ended:  # who waits for the other before it has ended waits in vain
        time.sleep(0.01)
    print("sum", float(strategy.reduce("SUM", 1.0, axis=None)))
"""


def test_what_processes_do_not_do_equally_often_is_an_error(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(UNEQUAL)
    done = launched("--processes", 2, script)
    assert done.returncode == 1, done.stdout + done.stderr
    lines = [line for line in done.stdout.splitlines() if "Gloo" not in line]
    said = [[line[4:] for line in lines if line.startswith(f"[{index}] ")] for index in range(2)]
    order = "RuntimeError The replicas do not synchronize equally often: replica 1 has ended, and "
    failed = "RuntimeError Replica 1, which another process runs, has failed: IndexError: list in"
    for own, error in zip(said, (failed, "IndexError list index out of range"), strict=True):
        assert own[0].startswith(order)
        assert own[1] == own[3] == "w 1.0 2.0"
        assert own[2].startswith(error)
        assert len(own) == 4
    assert "RuntimeError: The program of worker 1 has ended, while that of this" in done.stderr


ALONE = """
import os, signal, time
import tapefacade as tf
from tapefacade._distribute import worker_watch

worker_watch.SECONDS_ALONE = 1.0
strategy = tf.distribute.MultiWorkerMirroredStrategy()
number = strategy.cluster_resolver.task_id


@tf.function
def total():
    add = lambda: tf.distribute.get_replica_context().all_reduce("sum", tf.constant(1.0))
    return strategy.reduce("MEAN", strategy.run(add), axis=None)


print("total", float(total()), flush=True)
if number == 0:
    {}
else:
    time.sleep(3.0)  # so that the other waits before this ends
"""


@pytest.mark.parametrize("line", ["total()", "strategy.reduce('SUM', 1.0, axis=None)"])
def test_who_waits_for_a_program_that_has_ended_ends_as_well(line, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(ALONE.format(line))
    workers = started([str(script)])
    found = [(*worker.communicate(timeout=SECONDS), worker.returncode) for worker in workers]
    assert [code for _, _, code in found] == [1, 75], found
    assert all("total 2.0" in out for out, _, _ in found)
    place = ALONE.splitlines().index("    {}") + 1
    waits = (
        "the program of worker 1 has ended, and that of worker 0, the chief, waits for it in vain, "
        f"so it ends as well. It waits in {script}:{place}. What all processes do together"
    )
    comes_later = "The program of worker 1 has ended, while that of this process goes on"
    assert waits in found[0][1] or comes_later in found[0][1]
    assert "worker 0, the chief, at localhost:" in found[1][1]
    assert "has ended with an error, RuntimeError." in found[1][1]


def test_a_process_can_be_ended_by_a_signal(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(ALONE.format("os.kill(os.getpid(), signal.SIGTERM)"))
    workers = started([str(script)], count=3)
    found = [(*worker.communicate(timeout=SECONDS), worker.returncode) for worker in workers]
    assert [code for _, _, code in found] == [-15, 75, 75], found
    for _, err, _ in found[1:]:
        assert "tapefacade: worker 0, the chief, at localhost:" in err


FITTED = """
import os, pathlib, signal, sys
import numpy as np
import tensorflow as tf

keras = tf.keras
x = np.sin(np.arange(36.0)).reshape(12, 3).astype("float32")
data = tf.data.Dataset.from_tensor_slices((x, x.sum(1, keepdims=True))).batch(6)


def fitted(strategy, *callbacks):
    with strategy.scope():
        model = keras.Sequential([
            keras.Input([3]), keras.layers.Dense(4, "tanh", kernel_initializer="ones"),
            keras.layers.Dense(1, kernel_initializer="ones"),
        ])
        model.compile(keras.optimizers.Adam(0.05), "mse")
    losses = model.fit(data, epochs=5, verbose=0, callbacks=list(callbacks)).history["loss"]
    return losses, np.concatenate([w.ravel() for w in model.get_weights()]).tolist()


class Killed(keras.callbacks.Callback):
    def on_epoch_begin(self, epoch, logs=None):
        print("epoch", epoch)
        mark = folder / f"killed {epoch}"
        if (epoch, number) in ((2, 2), (4, 0)) and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    number, folder = strategy.cluster_resolver.task_id, pathlib.Path(sys.argv[1])
    backup = keras.callbacks.BackupAndRestore(str(folder / f"backup {number}"))
    print("found", fitted(strategy, backup, Killed()))
"""


def test_each_process_may_have_a_folder_for_backups(tmp_path, monkeypatch):
    """Of three processes one is killed, then the chief: all go on from the chief's backup.

    How far the others have come by then is not known.
    """
    script = tmp_path / "script.py"
    script.write_text(FITTED)
    done = launched("--processes", 3, "--restarts", 2, script, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "worker 2 was ended by the signal 9 (SIGKILL); the others are ended." in done.stderr
    assert "worker 0 was ended by the signal 9 (SIGKILL); the others are ended." in done.stderr
    monkeypatch.setitem(sys.modules, "tensorflow", tf)
    names = runpy.run_path(str(script))
    losses, weights = names["fitted"](tf.distribute.MirroredStrategy(["CPU:0", "CPU:1", "CPU:2"]))
    lines = done.stdout.splitlines()
    for index in range(3):
        own = [line[4:] for line in lines if line.startswith(f"[{index}] ") and "Gloo" not in line]
        epochs = [int(line[6:]) for line in own if line.startswith("epoch")]
        assert epochs == sorted(epochs)
        assert set(epochs) == set(range(5))
        assert epochs.count({0: 4, 2: 2}.get(index, 0)) == (1 if index == 1 else 2)
        (last,) = [line for line in own if line.startswith("found")]
        found = json.loads(last.removeprefix("found ").replace("(", "[").replace(")", "]"))
        assert np.allclose(found[0], losses[4:], rtol=1e-5)
        assert np.allclose(found[1], weights, rtol=1e-4)
    assert not list(tmp_path.glob("backup*"))


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--processes", "0", __file__], "--processes is a positive number"),
        (["--processes", "2", "missing.py"], "there is no file 'missing.py'"),
    ],
)
def test_launch_refuses_what_makes_no_sense(words, text, capsys):
    with pytest.raises(SystemExit) as end:
        main(["launch", *words])
    assert end.value.code == 2
    assert text in capsys.readouterr().err


UNLIKE = """
import tapefacade as tf

strategy = tf.distribute.MultiWorkerMirroredStrategy()
number = strategy.cluster_resolver.task_id


def made(size):
    add = lambda: tf.distribute.get_replica_context().all_reduce("sum", tf.ones([size]))
    return tf.function(lambda: strategy.run(add))


one, other = made(1), made(3)
one(), other()
if number == 0:
    one()
other()
other()
"""


def test_processes_that_do_different_things_together_say_so_and_end(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(UNLIKE)
    workers = started([str(script)])
    found = [(*worker.communicate(timeout=SECONDS), worker.returncode) for worker in workers]
    assert found[0][2] == 1, found
    said = (
        "worker 0, the chief, does all_reduce of float32[1], and worker 1 does all_reduce of "
        "float32[3]."
    )
    assert all(said in err for _, err, _ in found), found


def test_where_a_program_of_a_cluster_of_pods_runs():
    places = tf.distribute.cluster_resolver.KubernetesExecutableLocation
    assert [(place.name, place.value) for place in places] == [
        ("WITHIN_CLUSTER", 0), ("OFF_CLUSTER", 1),
    ]  # fmt: skip


def test_who_has_ended_may_have_done_its_part_before():
    group = ProcessGroup()
    group.ended = {"worker 1": 2}
    for _ in range(2):  # which needed nothing of each other
        group.meet("", lambda: None)
    with pytest.raises(RuntimeError, match="program of worker 1 has ended"):
        group.meet("", lambda: None)


def test_the_order_of_what_processes_do_is_compared_when_all_have_told_of_it():
    order = WorkerOrder(3)
    assert order.take(0, ["a", "b"]) is None
    assert order.take(1, ["a", "c"]) is None
    assert order.take(2, ["a"]) is None
    assert order.take(2, ["b"]) == (2, "b", 1, "c")


FOUND_BY_JAX = """
import json, os, signal, time

config = json.loads(os.environ.pop("TF_CONFIG"))
addresses, index = config["cluster"]["worker"], config["task"]["index"]
import jax

jax.distributed.initialize(addresses[0], len(addresses), index)
import tapefacade as tf

strategy = tf.distribute.MultiWorkerMirroredStrategy()
print(strategy.reduce("SUM", tf.constant(1.0 + index), axis=None).numpy(), flush=True)
if index == 2:
    time.sleep(3.0)  # the others have their sums as well
    os.kill(os.getpid(), signal.SIGKILL)
strategy.reduce("SUM", tf.constant(1.0), axis=None)
"""


def test_processes_that_jax_has_joined_watch_each_other(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(FOUND_BY_JAX)
    workers = started([str(script)], 3)
    found = [(*worker.communicate(timeout=SECONDS), worker.returncode) for worker in workers]
    ends = [(out.splitlines()[-1], code) for out, _, code in found]
    assert ends == [("6.0", 75), ("6.0", 75), ("6.0", -9)], found
    said = f"worker 2 at {socket.gethostname()} was killed or"
    assert all(said in err for _, err, _ in found[:2]), found


def test_the_chief_takes_connections_of_its_own_program_only(monkeypatch):
    monkeypatch.setattr(PROCESSES, "count", 2)
    monkeypatch.setattr(PROCESSES, "index", 1)
    with socket.create_server(("localhost", 0)) as listener, ThreadPoolExecutor() as threads:
        names, port = ["localhost"], listener.getsockname()[1]
        accepting = threads.submit(worker_connections._welcomed, listener, b"key")
        assert worker_connections._reached(names, port, b"another") == {}
        connections = worker_connections._reached(names, port, b"key")
        assert list(connections) == [0]
        assert list(accepting.result(SECONDS)) == [1]
        for connection in (*connections.values(), *accepting.result().values()):
            connection.close()
    assert worker_connections._reached(names, port, b"key") == {}


LONG = """
import time
import tapefacade as tf
from tapefacade._distribute import worker_watch

worker_watch.SECONDS_BEFORE_QUESTION, worker_watch.SECONDS_TO_ANSWER = 1.0, 0.5
options = tf.distribute.experimental.CommunicationOptions(timeout_seconds=6.0)
strategy = tf.distribute.MultiWorkerMirroredStrategy(communication_options=options)


def total():
    return tf.distribute.get_replica_context().all_reduce("sum", tf.constant(1.0))


strategy.run(total)
if strategy.cluster_resolver.task_id:
    time.sleep(300.0)
strategy.run(total)
"""


def test_who_waits_for_long_says_where_the_others_are_and_ends_in_time(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(LONG)
    workers = started([str(script)])
    found = [(*worker.communicate(timeout=SECONDS), worker.returncode) for worker in workers]
    assert [code for _, _, code in found] == [1, 75], found
    lines = LONG.splitlines()
    here, there = len(lines), 1 + lines.index("    time.sleep(300.0)")
    waits = f"in all_reduce of float32 at {script}:{here}. worker 1 has not come there; it is at "
    for start in ("worker 0, the chief, has waited for 2 s ", "Collective has timed out during "):
        (line,) = [line for line in found[0][1].splitlines() if f"tapefacade: {start}" in line]
        assert f"{waits}{script}:{there}." in line
    assert "has ended with an error, DeadlineExceededError." in found[1][1]
