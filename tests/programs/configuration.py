"""What tf.config says of devices and settings, in a process whose devices are in use."""

from programs.program import caught


def devices(tf, np):
    config = tf.config
    tf.constant([1.0, 2.0, 3.0]).numpy()
    [cpu] = config.list_physical_devices("CPU")
    absent = config.PhysicalDevice("/physical_device:GPU:7", "GPU")
    part = config.LogicalDeviceConfiguration
    return {
        "physical": [repr(cpu), cpu.name, cpu.device_type],
        "none": config.list_physical_devices("gpu"),
        "visible": repr(config.get_visible_devices("CPU")),
        "make visible": [
            config.set_visible_devices(cpu, "CPU"),
            caught(config.set_visible_devices, "x"),
            caught(config.set_visible_devices, absent),
            caught(config.set_visible_devices, [cpu], "GPU"),
        ],
        "parts": [
            repr(part()),
            repr(part(memory_limit=5)),
            caught(config.get_logical_device_configuration, "x"),
            caught(config.set_logical_device_configuration, "x", []),
            caught(config.set_logical_device_configuration, cpu, [part(memory_limit=5)]),
            caught(config.set_logical_device_configuration, cpu, [part(experimental_priority=5)]),
        ],
        "names": [
            config.experimental.VirtualDeviceConfiguration is part,
            config.experimental.set_visible_devices is config.set_visible_devices,
            config.experimental.list_logical_devices is config.list_logical_devices,
        ],
        "growth": [
            caught(config.experimental.get_memory_growth, "x"),
            caught(config.experimental.set_memory_growth, "x", True),
        ],
        "details": [
            config.experimental.get_device_details(cpu),
            caught(config.experimental.get_device_details, "x"),
            caught(config.experimental.get_device_details, absent),
        ],
        "host": caught(config.experimental_connect_to_host),
    }


def memory(tf, np):
    tf.constant([1.0, 2.0, 3.0]).numpy()
    experimental = tf.config.experimental
    found = {
        name: [
            caught(experimental.get_memory_info, name),
            caught(experimental.reset_memory_stats, name),
        ]
        for name in ("CPU:0", "/device:CPU:0", "GPU:0", "CPU:7", "foo", "CPU:*", "CPU")
    }
    return found | {"usage": caught(experimental.get_memory_usage, "CPU:0")}


def settings(tf, np):
    experimental, optimizer = tf.config.experimental, tf.config.optimizer
    tf.abs(tf.constant([1.0, 2.0, 3.0])).numpy()
    found = {}
    try:
        found["jit"] = [optimizer.get_jit(), optimizer.set_jit(True), optimizer.get_jit()]
        optimizer.set_jit("x")
        found["no jit"] = optimizer.get_jit()
        found["options"] = optimizer.get_experimental_options()
        optimizer.set_experimental_options({"remapping": True, "constant_folding": False, "x": 1})
        found["more options"] = optimizer.get_experimental_options()
        found["policies"] = []
        for policy in ("warn", "silent_for_int32", "explicit", None):
            experimental.set_device_policy(policy)
            found["policies"].append(experimental.get_device_policy())
        found["no policy"] = caught(experimental.set_device_policy, "x")
        experimental.set_synchronous_execution(False)
        found["synchronous"] = experimental.get_synchronous_execution()
        experimental.enable_tensor_float_32_execution(False)
        found["precision"] = [experimental.tensor_float_32_execution_enabled()]
        experimental.enable_tensor_float_32_execution(True)
        found["precision"].append(experimental.tensor_float_32_execution_enabled())
        found["threads"] = [
            tf.config.threading.get_inter_op_parallelism_threads(),
            caught(tf.config.threading.set_inter_op_parallelism_threads, 0),
            caught(tf.config.threading.set_inter_op_parallelism_threads, 3),
            caught(tf.config.threading.set_intra_op_parallelism_threads, 3),
        ]
        found["bridge"] = [experimental.enable_mlir_bridge(), experimental.disable_mlir_bridge()]
    finally:
        optimizer.set_jit(False)
        experimental.set_device_policy(None)
        experimental.set_synchronous_execution(True)
        experimental.enable_tensor_float_32_execution(False)  # as tests of the package want it
    return found
