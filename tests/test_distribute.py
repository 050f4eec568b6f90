"""Strategies, their replicas, and data that lies on several devices."""

import logging
import os
import pathlib
import subprocess
import sys
import threading

import numpy as np
import pytest
from programs import PROGRAMS
from steps import counted, nothing_open

import tapefacade as tf

SHARDED = """
import jax
import numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec

import tapefacade as tf

mesh = jax.make_mesh((4,), ("batch",), axis_types=(AxisType.Auto,))
rows = NamedSharding(mesh, PartitionSpec("batch"))
x = np.sin(np.arange(64 * 8, dtype="float32")).reshape(64, 8)


def step(x, v):
    with tf.GradientTape() as tape:
        y = tf.tanh(tf.matmul(x, v))
        loss = tf.reduce_mean(y**2)
    v.assign_sub(tape.gradient(loss, v))
    return y, loss


def trained(x, step):
    v = tf.Variable(tf.ones([8, 4]))
    for _ in range(3):
        y, loss = step(x, v)
    return y, np.append(v.numpy(), loss.numpy())


for way in step, tf.function(step):
    y, numbers = trained(jax.device_put(x, rows), way)
    print(y.__jax_array__().sharding == rows, np.allclose(numbers, trained(x, way)[1]))
"""


def test_steps_run_on_all_devices_that_their_data_lies_on():
    done = subprocess.run(
        [sys.executable, "-c", SHARDED],
        env={
            **os.environ, "JAX_PLATFORMS": "cpu",
            "XLA_FLAGS": "--xla_force_host_platform_device_count=4",
        },
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stdout.splitlines() == ["True True", "True True"], done.stderr


UNMOVED = """
import jax

import tapefacade as tf

strategy = tf.distribute.MirroredStrategy()
with strategy.scope():
    v = tf.Variable([1.0, 2.0])
scale = tf.constant([0.5, 0.25])
x = strategy.experimental_distribute_values_from_function(lambda context: tf.ones([2]))


def replica(x):
    v.assign_sub(0.125 * tf.distribute.get_replica_context().all_reduce("mean", scale * x))
    return tf.reduce_sum(v) * 3.0


def step():
    return strategy.reduce("MEAN", strategy.run(replica, args=(x,)), axis=None)


for way in step, tf.function(step):
    for _ in range(3):
        way().numpy()
    with jax.transfer_guard_device_to_device("disallow"):
        result = way()
        result._array()
    print(float(result))
"""


def test_what_stays_the_same_is_not_copied_to_the_devices_of_replicas_at_every_step():
    done = subprocess.run(
        [sys.executable, "-c", UNMOVED],
        env={
            **os.environ, "JAX_PLATFORMS": "cpu",
            "XLA_FLAGS": "--xla_force_host_platform_device_count=4",
        },
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stdout.splitlines() == ["7.875", "6.75"], done.stderr


def test_a_strategy_says_that_its_replicas_share_a_device(caplog):
    with caplog.at_level(logging.WARNING, tf.get_logger().name):
        tf.distribute.MirroredStrategy()
        tf.distribute.MirroredStrategy("/gpu:0")
        tf.distribute.MirroredStrategy(["/gpu:0"])
        assert not caplog.records
        strategy = tf.distribute.MirroredStrategy(["/gpu:0", "/gpu:1"])
    (record,) = caplog.records
    assert record.getMessage().startswith("MirroredStrategy has 2 replicas on one device")
    assert strategy.num_replicas_in_sync == 2
    assert strategy.mesh is None


ON_DEVICES = """
import json, sys
sys.path.insert(0, "tests")
import jax
import test_programs
import tapefacade as tf
from programs import PROGRAMS, digest
from programs.program import run
from tapefacade._trace.wait_watch import WAIT_WATCH

assert len(jax.devices()) == 8
WAIT_WATCH._is_told = True  # slow machines say nothing
found = []
for name in sys.argv[1:]:
    golden = test_programs.goldens(name.split(".")[0])[name]
    got = json.loads(json.dumps(run(tf, PROGRAMS[name])))
    told = *test_programs.OURS, " triggered tf.function retracing"  # counted since the start
    said = [m for m in got["logged"] if not any(text in m for text in told)]
    assert not said, said
    found += test_programs.differences(got["returned"], golden["returned"], name)
strategy = tf.distribute.MirroredStrategy(["CPU:2", "CPU:5"])
values = strategy.run(lambda: tf.distribute.get_replica_context().replica_id_in_sync_group)
held = values._stacked.__jax_array__().sharding.device_set
assert {device.id for device in held} == {2, 5}, held
assert tf.distribute.MirroredStrategy().num_replicas_in_sync == 8


@tf.function
def told(numbers):
    def replica(number):
        tf.print("of replica", number, output_stream=sys.stderr)
        return number + 1
    total = strategy.reduce("SUM", strategy.run(replica, args=(numbers,)), axis=None)
    tf.print("together", total, output_stream=sys.stderr)


def plainly():
    tf.print("of all", output_stream=sys.stderr)
    number = tf.distribute.get_replica_context().replica_id_in_sync_group
    tf.print("of number", number, output_stream=sys.stderr)


told(values)
strategy.run(plainly)
print(*found, "done")
"""


def test_replicas_on_devices_of_their_own_give_the_same():
    subjects = "", "_custom", "_data", "_loops", "_state", "_values"
    names = [name for name in PROGRAMS if name.startswith(tuple(f"replicas{s}." for s in subjects))]
    names += ["replicas_training.saved_models"]
    names += ["replicas_keras.steps_of_ones_own", "replicas_guides.training_by_hand"]
    names += ["replicas_variables.checkpoints_hold_one_value"]
    done = subprocess.run(
        [sys.executable, "-c", ON_DEVICES, *names],
        env={
            **os.environ, "JAX_PLATFORMS": "cpu",
            "XLA_FLAGS": "--xla_force_host_platform_device_count=8",
        },
        capture_output=True, text=True, check=False, cwd=pathlib.Path(__file__).parents[1],
    )  # fmt: skip
    assert done.stdout.splitlines() == ["done"], done.stdout + done.stderr
    lines = done.stderr.splitlines()
    said = sorted(line for line in lines if line.startswith(("of ", "together")))
    plain = ["of all", "of all", "of number 0", "of number 1"]
    assert said == [*plain, "of replica 0", "of replica 1", "together 3"]


def mirrored(count=2):
    return tf.distribute.MirroredStrategy([f"CPU:{k}" for k in range(count)])


@pytest.mark.parametrize("decorated", [False, True])
def test_a_step_of_replicas_is_one_dispatch_and_compiles_nothing(decorated):
    strategy = mirrored(3)
    with strategy.scope():
        w = tf.Variable([0.5, -0.25])
        steps = tf.Variable(
            0, dtype=tf.int64, aggregation=tf.VariableAggregation.ONLY_FIRST_REPLICA
        )
    rows = strategy.experimental_distribute_values_from_function(
        lambda context: tf.ones([4, 2]) * (1.0 + context.replica_id_in_sync_group)
    )

    def replica(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.tanh(tf.linalg.matvec(x, w)) ** 2)
        gradient = tf.distribute.get_replica_context().all_reduce("mean", tape.gradient(loss, w))
        w.assign_sub(0.1 * gradient)
        steps.assign_add(1)
        return loss

    def step(x):
        return strategy.reduce("MEAN", strategy.run(replica, args=(x,)), axis=None)

    if decorated:
        step = tf.function(step)
    losses = [float(step(rows)) for _ in range(3)]
    with counted() as count:
        for _ in range(5):
            losses.append(float(step(rows)))
    assert (count.compiled, count.dispatched, count.recorded) == (0, 5, 0)
    assert losses == sorted(losses, reverse=True)
    assert not w.has_copies  # all replicas have assigned the same
    assert int(steps) == 8


def test_epochs_in_a_function_compile_nothing_after_the_first_ones():
    strategy = mirrored()
    with strategy.scope():
        w = tf.Variable([1.0, 2.0])

    def replica(x):
        gradient = tf.reduce_sum(w * x**2, 0)
        w.assign_sub(0.1 * tf.distribute.get_replica_context().all_reduce("sum", gradient))

    @tf.function
    def train(dataset):
        for x in dataset:
            strategy.run(replica, args=(x,))

    data = tf.data.Dataset.from_tensor_slices(tf.ones([6, 2])).batch(2)
    dataset = strategy.experimental_distribute_dataset(data)
    train(dataset)
    train(dataset)
    (line,) = train.statements()
    assert line.endswith("for x in dataset:  # an instruction")
    with counted() as count:
        train(dataset)
        w.numpy()
    assert (count.compiled, count.dispatched) == (0, 3)


def test_a_function_that_replicas_run_needs_no_python():
    strategy, calls = mirrored(), []

    @tf.function
    def replica(x):
        calls.append(x)
        return x * 2.0

    for k in range(4):
        result = strategy.run(replica, args=(tf.constant(float(k)),))
    assert [float(value) for value in result.values] == [6.0, 6.0]
    assert len(calls) == 1


def test_a_loop_over_as_many_steps_as_a_tensor_says_is_compiled():
    strategy = mirrored()
    with strategy.scope():
        v = tf.Variable(0.0, aggregation=tf.VariableAggregation.SUM)

    @tf.function
    def several(count):
        def replica(count):
            total = 0.0
            for step in tf.range(count):
                total += tf.cast(step, tf.float32)
            v.assign_add(total)

        strategy.run(replica, args=(count,))
        return v + 0.0

    found = [float(several(tf.constant(count))) for count in (2, 3, 4)]
    with counted() as count:
        found += [float(several(tf.constant(count))) for count in (5, 1)]
    assert found == [2.0, 8.0, 20.0, 40.0, 40.0]
    assert (count.compiled, count.dispatched) == (0, 2)


def test_within_a_tape_a_function_that_looks_at_values_cannot_synchronize_replicas():
    strategy = mirrored()

    def replica():
        context = tf.distribute.get_replica_context()
        if context.replica_id_in_sync_group >= 0:
            return context.all_reduce("SUM", tf.constant(1.0))

    assert [float(value) for value in strategy.run(replica).values] == [2.0, 2.0]
    message = r"A tape is open.*one after the other.*reduce values.*looks at"
    with pytest.raises(RuntimeError, match=message), tf.GradientTape():
        strategy.run(replica)


@pytest.mark.parametrize("decorated", [False, True])
def test_outer_tapes_pass_the_collectives_of_replicas(decorated):
    strategy, context = mirrored(3), tf.distribute.get_replica_context
    with strategy.scope():
        w = tf.Variable([1.0, -0.5])
    rows = [tf.constant([1.0, 2.0]) + r for r in range(3)]
    own = strategy.experimental_distribute_values_from_function(
        lambda value: rows[value.replica_id_in_sync_group]
    )

    def replica(x):
        a = tf.tanh(w * x)
        total = context().all_reduce("sum", a**2)
        mean = context().all_reduce("mean", tf.exp(a))
        every = context().all_gather(a[None], 0)
        return tf.reduce_sum(a * total * mean) + tf.reduce_sum(every**3) * tf.reduce_sum(a)

    def alone():
        every = [tf.tanh(w * x) for x in rows]
        total, mean = sum(a**2 for a in every), sum(tf.exp(a) for a in every) / 3.0
        cubes = tf.reduce_sum(tf.stack(every) ** 3)
        return sum(tf.reduce_sum(a * total * mean) + cubes * tf.reduce_sum(a) for a in every)

    def derived(loss_of):
        with tf.GradientTape(persistent=True) as outer:
            with tf.GradientTape() as tape:
                loss = loss_of()
            gradient = tape.gradient(loss, w)
            norm = tf.reduce_sum(gradient**2)
        return loss, gradient, outer.gradient(norm, w), outer.jacobian(gradient, w)

    def together():
        return derived(lambda: strategy.reduce("SUM", strategy.run(replica, args=(own,)), None))

    found = tf.function(together)() if decorated else together()
    for mine, wanted in zip(found, derived(alone), strict=True):
        np.testing.assert_allclose(mine, wanted, rtol=1e-5)


def test_replicas_that_do_not_synchronize_equally_often_say_so():
    def replica():
        context = tf.distribute.get_replica_context()
        if context.replica_id_in_sync_group > 0:
            context.all_reduce("SUM", tf.constant(1.0))

    with pytest.raises(RuntimeError, match=r"not synchronize equally often: replica 0 has ended"):
        mirrored().run(replica)


@pytest.mark.parametrize("kind", [KeyError, KeyboardInterrupt])
@pytest.mark.parametrize("looks", [False, True])
@pytest.mark.parametrize("decorated", [False, True])
def test_a_step_that_is_interrupted_assigns_nothing(decorated, looks, kind):
    strategy, rounds = mirrored(), []
    with strategy.scope():
        w, total = (
            tf.Variable(1.0, aggregation=tf.VariableAggregation[way]) for way in ("NONE", "SUM")
        )
    rows = strategy.run(lambda: tf.distribute.get_replica_context().replica_id_in_sync_group)

    def replica(number):
        w.assign_add(tf.cast(number, tf.float32) + 1.0)
        if looks:
            assert int(number) >= 0
        with tf.GradientTape() as tape:
            loss = w * w
        tape.gradient(loss, w)
        total.assign_add(loss)  # where the replicas meet
        with tf.GradientTape():
            w.assign(w * 2.0)
            rounds.append(1)
            if len(rounds) > 3:
                raise kind

    def step():
        strategy.run(replica, args=(rows,))

    rounds += [1] * 9
    before = repr(w), repr(total)
    with pytest.raises(kind):
        (tf.function(step) if decorated else step)()
    assert (repr(w), repr(total)) == before
    assert nothing_open()
    assert not tf.distribute.has_strategy()
    assert not [t for t in threading.enumerate() if t.name.startswith("replica ")]
    rounds.clear()
    step()
    assert [value.numpy() for value in w.values] == [4.0, 6.0]
    assert float(total) == 14.0


INTERRUPTED = """
import os, signal, threading, time
import tapefacade as tf

signal.signal(signal.SIGINT, signal.default_int_handler)  # jobs in the background ignore it
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
with strategy.scope():
    v = tf.Variable(1.0)


def replica():
    v.assign_add(1.0)
    if v > 1.0:  # runs in threads
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.3)
        v.assign_add(1.0)
        tf.distribute.get_replica_context().all_reduce("SUM", v)
        os._exit(1)


try:
    strategy.run(replica)
except KeyboardInterrupt:
    names = [thread.name for thread in threading.enumerate()]
    print(float(v), [name for name in names if name.startswith("replica ")])
"""


def test_ctrl_c_ends_a_replica_that_runs_in_a_thread_where_it_meets_others():
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.stdout.splitlines() == ["1.0 []"], done.stderr


def test_replicas_assign_a_variable_from_outside_one_after_the_other():
    strategy, total = mirrored(), tf.Variable(1.0)

    def replica():
        number = tf.distribute.get_replica_context().replica_id_in_sync_group
        total.assign_add(tf.cast(number, tf.float32) + 1.0)

    strategy.run(replica)
    assert float(total) == 4.0


def test_synchronizing_in_a_branch_says_what_to_do():
    strategy = mirrored()
    context = tf.distribute.get_replica_context

    def replica(x):
        return tf.cond(x > 0.0, lambda: context().all_reduce("SUM", x), lambda: x)

    own = strategy.experimental_distribute_values_from_function(lambda c: tf.constant(1.0))
    with pytest.raises(RuntimeError, match="move the control flow out of `fn`"):
        strategy.run(replica, args=(own,))


def test_parameter_servers_are_refused_with_advice():
    with pytest.raises(ValueError, match=r"Use tf\.distribute\.MirroredStrategy"):
        tf.distribute.experimental.ParameterServerStrategy(None)


def test_an_iterator_of_replicas_has_its_class():
    distributed = mirrored().experimental_distribute_dataset(tf.data.Dataset.range(4).batch(4))
    assert isinstance(iter(distributed), tf.distribute.DistributedIterator)


def test_reducing_batches_of_several_sizes_says_what_to_do():
    strategy = mirrored()
    context = tf.distribute.get_replica_context
    dataset = strategy.experimental_distribute_dataset(tf.data.Dataset.range(3).batch(3))
    (batch,) = dataset
    with pytest.raises(ValueError, match="batches have different sizes") as caught:
        strategy.run(lambda x: context().all_reduce("sum", x), args=(batch,))
    assert "drop_remainder=True" in "".join(caught.value.__notes__)


def test_central_variables_say_how_replicas_assign_them():
    strategy = tf.distribute.experimental.CentralStorageStrategy(["CPU:0", "CPU:1"])
    with strategy.scope():
        total = tf.Variable(1.0, aggregation=tf.VariableAggregation.SUM)
        plain = tf.Variable(1.0)
    number = strategy.experimental_distribute_values_from_function(
        lambda context: tf.constant(float(context.replica_id_in_sync_group + 1))
    )
    strategy.run(lambda x: total.assign_add(x), args=(number,))
    assert float(total) == 4.0
    with pytest.raises(ValueError, match="specify an aggregation method"):
        strategy.run(lambda x: plain.assign_add(x), args=(number,))
    assert tf.distribute.experimental.ValueContext(1, 2).num_replicas_in_sync == 2


def test_checks_and_prints_in_replicas(capfd):
    strategy = mirrored()

    def replica(x):
        tf.print("row", x)
        tf.debugging.assert_less(x, 5)
        return tf.gather([1.0, 2.0], x)

    def numbers(*values):
        return strategy.experimental_distribute_values_from_function(
            lambda c: tf.constant(values[c.replica_id_in_sync_group])
        )

    assert [float(v) for v in strategy.run(replica, args=(numbers(1, 0),)).values] == [2.0, 1.0]
    assert sorted(capfd.readouterr().err.splitlines())[-2:] == ["row 0", "row 1"]
    strategy.run(lambda: tf.print("each"))
    assert capfd.readouterr().err.splitlines() == ["each", "each"]
    with pytest.raises(tf.errors.InvalidArgumentError):
        strategy.run(replica, args=(numbers(0, 7),)).values[0].numpy()


def test_checks_of_replicas_with_different_batches_are_those_of_equal_programs():
    """An equal program that was recorded before is the one that runs, and knows its checks."""
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    (x,) = strategy.experimental_distribute_dataset(tf.data.Dataset.range(3).batch(3))

    def checked(x):
        tf.debugging.assert_less(x, limit)
        return x * 2

    for limit in (tf.constant(5, tf.int64), tf.constant(2, tf.int64)):
        run = tf.function(lambda x: strategy.run(checked, args=(x,)))
        if int(limit) == 5:
            assert [part.numpy().tolist() for part in run(x).values] == [[0, 2], [4]]
            continue
        with pytest.raises(tf.errors.InvalidArgumentError):
            run(x)


def test_an_optimizer_from_outside_of_the_scope_is_one_of_the_replicas():
    """TensorFlow refuses Adam, and lets each replica count the steps of SGD."""
    strategy, keras = mirrored(), tf.keras
    x = np.sin(np.arange(42.0)).reshape(14, 3).astype("float32")
    data = tf.data.Dataset.from_tensor_slices((x, x.sum(1, keepdims=True))).batch(4)
    found = []
    for is_outside in (True, False):
        optimizer = keras.optimizers.Adam(0.05) if is_outside else None
        with strategy.scope():
            dense = keras.layers.Dense(1, kernel_initializer="ones")
            model = keras.Sequential([keras.Input([3]), dense])
            model.compile(optimizer or keras.optimizers.Adam(0.05), "mse")
        losses = model.fit(data, epochs=2, verbose=0).history["loss"]
        found.append([losses, int(model.optimizer.iterations), model.get_weights()[0].tolist()])
    assert found[0] == found[1]
    assert found[0][1] == 8


def test_what_is_made_outside_of_the_scope_says_so_where_replicas_synchronize():
    strategy, outside = mirrored(), tf.Variable(0.0)

    def step():
        outside.assign_add(1.0)
        return tf.distribute.get_replica_context().all_reduce("sum", tf.constant(1.0))

    with pytest.raises(RuntimeError, match=r"Variable:0, which was made outside of") as raised:
        tf.function(lambda: strategy.run(step))()
    assert "with strategy.scope(): ..." in "".join(raised.value.__notes__)


def test_weights_of_layers_are_synchronized_as_keras_2_says():
    strategy, kinds, ways = mirrored(), tf.VariableSynchronization, tf.VariableAggregation

    class Counting(tf.keras.layers.Layer):
        def build(self, input_shape):
            self.seen = self.add_weight(
                name="seen", shape=(), initializer="zeros", trainable=False,
                synchronization=kinds.ON_READ, aggregation=ways.SUM,
            )  # fmt: skip

        def call(self, x):
            self.seen.assign_add(tf.reduce_sum(x))
            return x

    with strategy.scope():
        layer = Counting()
        layer.build([None, 3])
    x = strategy.experimental_distribute_values_from_function(
        lambda c: tf.ones([1, 3]) * (1.0 + c.replica_id_in_sync_group)
    )
    for run in (strategy.run, tf.function(strategy.run)):
        run(lambda x: (layer(x), None)[1], args=(x,))
    assert layer.seen.numpy() == 18.0
    plain = Counting()
    plain(tf.ones([1, 3]))
    assert plain.seen.numpy() == 3.0


def test_a_strategy_for_tpus_needs_one():
    with pytest.raises(ValueError, match="There is no TPU"):
        tf.distribute.TPUStrategy()


def test_a_resolver_of_tpus_needs_one():
    with pytest.raises(ValueError, match="Please provide a TPU Name"):
        tf.distribute.cluster_resolver.TPUClusterResolver(tpu="")


def test_what_strategies_make_are_of_the_public_classes():
    strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
    data = strategy.experimental_distribute_dataset(tf.data.Dataset.range(3))
    assert isinstance(data, tf.distribute.DistributedDataset)
    assert isinstance(strategy.extended, tf.distribute.StrategyExtended)
    context = strategy.run(tf.distribute.get_replica_context)
    assert isinstance(context, tf.distribute.ReplicaContext)


def test_weights_of_classes_are_not_for_batches_that_are_cut():
    model = tf.keras.Sequential([tf.keras.Input([1]), tf.keras.layers.Dense(2)])
    model.compile("sgd", "sparse_categorical_crossentropy")
    data = tf.data.Dataset.from_tensor_slices(([[1.0], [2.0]], [0, 1])).batch(2)
    with pytest.raises(ValueError, match="Hand over the dataset itself"):
        model.fit(mirrored().experimental_distribute_dataset(data), class_weight={0: 1.0, 1: 2.0})


def test_backups_go_on_under_a_strategy(tmp_path):
    """Callbacks build the optimizer outside of the scope: its variables are the strategy's."""
    keras = tf.keras
    strategy = mirrored()
    x = tf.reshape(tf.sin(tf.range(42.0)), [14, 3])
    data = tf.data.Dataset.from_tensor_slices((x, tf.reduce_sum(x, 1, keepdims=True))).batch(4)

    class Stop(keras.callbacks.Callback):
        def on_epoch_begin(self, epoch, logs=None):
            if epoch == 2:
                raise KeyboardInterrupt

    def trained(*callbacks):
        start = keras.initializers.GlorotUniform(seed=1)
        with strategy.scope():
            model = keras.Sequential([
                keras.Input([3]), keras.layers.Dense(1, kernel_initializer=start),
            ])  # fmt: skip
            model.compile(keras.optimizers.Adam(0.05), "mse")
        return model.fit(data, epochs=4, verbose=0, callbacks=list(callbacks)).history["loss"]

    whole = trained()
    backup = keras.callbacks.BackupAndRestore(str(tmp_path / "backup"))
    with pytest.raises(KeyboardInterrupt):
        trained(backup, Stop())
    assert trained(keras.callbacks.BackupAndRestore(backup.backup_dir)) == whole[2:]
