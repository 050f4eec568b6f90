"""`tf.device` on several devices: TensorFlow's answers, and what a step costs there."""

import json
import os

import numpy as np
import pytest
from device_programs import DEVICES, PROGRAMS, STORED, plain
from steps import counted

import tapefacade as tf

pytestmark = pytest.mark.devices


@pytest.fixture(scope="module", autouse=True)
def configured():
    if "TAPEFACADE_TEST_ON_DEVICES" not in os.environ:
        return  # the process that only starts the other one
    (cpu,) = tf.config.list_physical_devices("CPU")
    part = tf.config.LogicalDeviceConfiguration()
    tf.config.set_logical_device_configuration(cpu, [part] * DEVICES)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_answers_as_in_tensorflow(name):
    stored = json.loads(STORED.read_text())
    assert json.loads(json.dumps(plain(PROGRAMS[name](tf)))) == stored[name]


def test_every_stored_answer_has_its_program():
    assert json.loads(STORED.read_text()).keys() == PROGRAMS.keys()


@pytest.mark.parametrize("size", [4, 1024])
@pytest.mark.parametrize("is_function", [False, True])
def test_a_step_on_a_device_is_one_dispatch(is_function, size):
    losses = []
    for name in None, "CPU:3":
        losses.append(_losses_of_steps(name, is_function, size))
    assert losses[0] == losses[1]


def _losses_of_steps(name, is_function, size):
    with tf.device(name):
        v = tf.Variable(np.ones((size, size), "float32"))
        m = tf.Variable(tf.zeros_like(v))

        def step(x):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.matmul(x, v) ** 2)
            m.assign(0.9 * m + tape.gradient(loss, v))
            v.assign_sub(0.1 * m)
            return loss

        way = tf.function(step) if is_function else step
        x = tf.ones([2, size])
        losses = [float(way(x)) for _ in range(4)]
        with counted() as count:
            losses += [float(way(x)) for _ in range(3)]
        assert (count.compiled, count.dispatched) == (0, 3)
        assert v.device.endswith(name or "CPU:0")
        assert {device.id for device in v._tensor._array().devices()} == {3 if name else 0}
        return losses


def test_blocks_of_the_default_device_end_no_step():
    x = tf.constant([1.0, 2.0])
    with counted() as count:
        with tf.device("/CPU:0"):
            y = x * 2.0
        with tf.device("/GPU:7"):
            z = y + 1.0
        assert z.numpy().tolist() == [3.0, 5.0]
    assert count.dispatched == 1


def test_an_error_within_a_block_leaves_it():
    with pytest.raises(ValueError), tf.device("CPU:2"):  # noqa: PT011, PT012
        tf.constant([1.0]) + 1.0
        raise ValueError
    assert tf.zeros([1]).device.endswith("CPU:0")


def test_values_on_different_devices_in_one_function():
    with tf.device("CPU:1"):
        a = tf.constant([1.0, 2.0]) + 0.0
    with tf.device("CPU:2"):
        b = tf.constant([1.0, 2.0]) + 0.0
    f = tf.function(lambda x: x * a + b)
    for _ in range(3):
        assert f(a).numpy().tolist() == [2.0, 6.0]
        assert f(a).device.endswith("CPU:0")
