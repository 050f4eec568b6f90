"""Strategies of one replica, and data that lies on several devices."""

import logging
import os
import subprocess
import sys

import pytest

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


def test_a_strategy_for_several_devices_says_that_it_uses_one(caplog):
    with caplog.at_level(logging.WARNING, tf.get_logger().name):
        tf.distribute.MirroredStrategy()
        tf.distribute.MirroredStrategy("/gpu:0")
        tf.distribute.MirroredStrategy(["/gpu:0"])
        assert not caplog.records
        tf.distribute.MirroredStrategy(["/gpu:0", "/gpu:1"])
    (record,) = caplog.records
    assert record.getMessage().startswith("MirroredStrategy has one replica, though there are 2")


def test_a_strategy_for_tpus_needs_one():
    with pytest.raises(ValueError, match="There is no TPU"):
        tf.distribute.TPUStrategy()


def test_what_strategies_make_are_of_the_public_classes():
    strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
    data = strategy.experimental_distribute_dataset(tf.data.Dataset.range(3))
    assert isinstance(data, tf.distribute.DistributedDataset)
    assert isinstance(strategy.extended, tf.distribute.StrategyExtended)
    context = strategy.run(tf.distribute.get_replica_context)
    assert isinstance(context, tf.distribute.ReplicaContext)
