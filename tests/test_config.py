"""What has to be configured before the first op, each time in a process of its own."""

import os
import subprocess
import sys
import types

import jax
import pytest

import tapefacade as tf
from tapefacade._config import devices

HEADING = """
import tapefacade as tf
config, experimental = tf.config, tf.config.experimental
part = config.LogicalDeviceConfiguration()
cpus = config.list_physical_devices("CPU")
"""


def printed(program, **environment):
    """The lines that a program prints in a new process."""
    environment = {**os.environ, "JAX_PLATFORMS": "", **environment}
    found = subprocess.run(
        [sys.executable, "-c", HEADING + program], env=environment, capture_output=True, text=True
    )
    assert found.returncode == 0, found.stderr
    return found.stdout.splitlines()


def test_a_cpu_is_divided_before_the_first_op():
    assert printed(
        """
config.set_logical_device_configuration(cpus[0], [part, part])
print(len(config.get_logical_device_configuration(cpus[0])))
print([device.name for device in config.list_logical_devices("CPU")])
print(len(cpus), len(config.list_physical_devices("CPU")))
config.set_logical_device_configuration(cpus[0], [part, part])
try:
    config.set_logical_device_configuration(cpus[0], [part])
except RuntimeError as error:
    print(error)
try:
    experimental.set_memory_growth(cpus[0], True)
except ValueError as error:
    print(error)
print((tf.ones([2]) + 1.0).numpy())
"""
    ) == [
        "2",
        "['/device:CPU:0', '/device:CPU:1']",
        "1 1",
        "Virtual devices cannot be modified after being initialized",
        "Cannot set memory growth on device when virtual devices configured",
        "[2. 2.]",
    ]


def test_all_devices_may_be_listed_before_where_jax_knows_there_are_only_cpus():
    program = """
config.list_physical_devices()
config.set_logical_device_configuration(cpus[0], [part, part, part])
print(len(config.list_logical_devices()))
"""
    assert printed(program, JAX_PLATFORMS="cpu") == ["3"]


def test_a_cpu_is_not_divided_after_the_first_op():
    assert printed(
        """
(tf.ones([2]) + 1.0).numpy()
config.set_logical_device_configuration(cpus[0], [part])  # as it is
try:
    config.set_logical_device_configuration(cpus[0], [part, part])
except RuntimeError as error:
    print(error)
    print(*error.__notes__)
""",
        JAX_PLATFORMS="cpu",
    ) == [
        "Virtual devices cannot be modified after being initialized",
        "JAX divides the CPU only, and before it starts: configure it before the first op.",
    ]


def test_threads_are_set_before_the_first_op():
    assert printed(
        """
config.threading.set_inter_op_parallelism_threads(2)
config.threading.set_intra_op_parallelism_threads(3)
(tf.ones([2]) + 1.0).numpy()
print(config.threading.get_inter_op_parallelism_threads())
print(config.threading.get_intra_op_parallelism_threads())
config.threading.set_inter_op_parallelism_threads(2)
try:
    config.threading.set_intra_op_parallelism_threads(4)
except RuntimeError as error:
    print(error)
"""
    ) == ["2", "3", "Intra op parallelism cannot be modified after initialization."]


def test_devices_are_hidden_before_the_first_op():
    assert printed(
        """
config.set_visible_devices([], "GPU")
print([device.device_type for device in config.get_visible_devices()])
print([device.device_type for device in config.list_logical_devices()])
print((tf.ones([2]) + 1.0).device.rsplit("/", 1)[1])
try:
    config.set_visible_devices([])
except RuntimeError as error:
    print(error)
"""
    ) == [
        "['CPU']",
        "['CPU']",
        "device:CPU:0",
        "Visible devices cannot be modified after being initialized",
    ]


def test_precision_is_that_of_jax():
    assert printed(
        """
import jax
print(experimental.tensor_float_32_execution_enabled())
experimental.enable_tensor_float_32_execution(False)
print(experimental.tensor_float_32_execution_enabled(), jax.config.jax_default_matmul_precision)
experimental.enable_tensor_float_32_execution(True)
print(experimental.tensor_float_32_execution_enabled(), jax.config.jax_default_matmul_precision)
"""
    ) == ["True", "False highest", "True None"]


def test_the_cluster_of_this_process_is_accepted_and_no_other():
    import tapefacade as tf

    class Local:
        def master(self):
            return ""

    tf.config.experimental_connect_to_cluster(Local())
    with pytest.raises(tf.errors.UnavailableError, match="runs no ops in other processes"):
        tf.config.experimental_connect_to_cluster("grpc://10.0.0.1:8470")
    with pytest.raises(tf.errors.UnavailableError, match="runs no ops in other processes"):
        tf.config.experimental_connect_to_host("10.0.0.1:8470")


def test_the_cpu_is_divided_as_long_as_devices_were_only_listed():
    program = """
import jax
jax.devices()
config.set_logical_device_configuration(cpus[0], [part] * 3)
print([device.name for device in config.list_logical_devices("CPU")], len(jax.devices()))
x = tf.ones([2]) + 1.0
try:
    config.set_logical_device_configuration(cpus[0], [part])
except RuntimeError as error:
    print(error, x.numpy())
"""
    assert printed(program) == [
        "['/device:CPU:0', '/device:CPU:1', '/device:CPU:2'] 3",
        "Virtual devices cannot be modified after being initialized [2. 2.]",
    ]


def test_the_memory_of_gpus_is_set_before_they_are_used(monkeypatch):
    gpu = devices.PhysicalDevice("/physical_device:GPU:0", "GPU")
    taken = {"bytes_limit": 60 * 2**30}  # three quarters of 80 GiB
    known = types.SimpleNamespace(id=0, memory_stats=lambda: taken)
    starts, config = [], tf.config.experimental
    monkeypatch.setattr(devices, "list_physical_devices", lambda *kind: [gpu])
    monkeypatch.setattr(devices, "jax_devices", lambda kind: [known])
    monkeypatch.setattr(devices, "devices_in_use", lambda: False)
    monkeypatch.setattr(devices, "CHOICES", devices._Choices())
    monkeypatch.setattr(jax, "live_arrays", list)
    monkeypatch.setattr(jax.extend.backend, "clear_backends", lambda: starts.append(1))
    known_config = types.SimpleNamespace(
        jax_pjrt_client_create_options="", jax_platforms="",
        update=lambda name, value: setattr(known_config, name, value),
    )  # fmt: skip
    monkeypatch.setattr(devices, "JAX_CONFIG", known_config)
    for _ in range(2):
        config.set_memory_growth(gpu, True)
        assert config.get_memory_growth(gpu)
    half = tf.config.LogicalDeviceConfiguration(memory_limit=40 * 2**10)
    tf.config.set_logical_device_configuration(gpu, [half])
    wanted = {"preallocate": False, "memory_fraction": 0.5}
    assert known_config.jax_pjrt_client_create_options == wanted
    assert len(starts) == 2
    with pytest.raises(RuntimeError, match="Virtual devices cannot be modified"):
        tf.config.set_logical_device_configuration(gpu, [half, half])
    with pytest.raises(ValueError, match="virtual devices configured"):
        config.set_memory_growth(gpu, False)
    devices.CHOICES.divided.clear()
    monkeypatch.setattr(devices, "devices_in_use", lambda: True)
    with pytest.raises(RuntimeError, match="Physical devices cannot be modified") as caught:
        config.set_memory_growth(gpu, False)
    assert "XLA_PYTHON_CLIENT_PREALLOCATE=true" in "".join(caught.value.__notes__)


GPU_MEMORY = """
import jax
(gpu, *_) = config.list_physical_devices("GPU")
half = tf.config.LogicalDeviceConfiguration(memory_limit=8 * 2**10)
config.set_logical_device_configuration(gpu, [half])
print(round(jax.devices()[0].memory_stats()["bytes_limit"] / 2**30))
print(tf.convert_to_tensor(jax.numpy.ones([512, 512]) @ jax.numpy.ones([512, 1])).device)
"""
GPU_GROWTH = """
import jax, subprocess
(gpu, *_) = config.list_physical_devices("GPU")
experimental.set_memory_growth(gpu, True)
print(float((jax.numpy.ones([512, 512]) @ tf.ones([512, 1]))[0, 0]))
command = ["nvidia-smi", "--query-gpu=memory.used", "--format=csv,noheader,nounits"]
print(int(subprocess.check_output(command)) < 4096)
"""


@pytest.mark.gpu
def test_the_memory_of_a_gpu_is_limited_and_grows():
    if not tf.config.list_physical_devices("GPU"):
        pytest.skip("there is no GPU")
    assert printed(GPU_MEMORY) == ["8", "/job:localhost/replica:0/task:0/device:GPU:0"]
    assert printed(GPU_GROWTH) == ["512.0", "True"]


@pytest.mark.gpu
def test_memory_of_a_gpu_is_counted():
    import tapefacade as tf

    gpus = tf.config.list_physical_devices("GPU")
    if not gpus:
        pytest.skip("there is no GPU")
    x = tf.ones([1024, 1024]) + 1.0
    x.numpy()
    info = tf.config.experimental.get_memory_info("GPU:0")
    assert 4 * 1024 * 1024 <= info["current"] <= info["peak"]
    assert tf.config.experimental.get_device_details(gpus[0])["compute_capability"] >= (3, 0)
    with pytest.raises(ValueError, match="Cannot reset memory stats for device 'GPU:0'"):
        tf.config.experimental.reset_memory_stats("GPU:0")


def test_devices_have_a_name_and_a_type():
    device = tf.config.list_logical_devices("CPU")[0]
    assert isinstance(device, tf.config.LogicalDevice)
    assert device.device_type == "CPU"


def test_programs_on_a_cpu_are_deterministic():
    assert tf.config.experimental.enable_op_determinism() is None


def test_a_scope_of_compilation_changes_nothing():
    with tf.xla.experimental.jit_scope():
        assert tf.constant(1.0).numpy() == 1.0
