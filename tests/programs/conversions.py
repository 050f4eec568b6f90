"""Classes that become tensors by a function that was registered for them."""

from programs.program import caught


def _celsius(tf):
    class Celsius:
        def __init__(self, degrees):
            self.degrees = degrees

    tf.register_tensor_conversion_function(
        Celsius,
        lambda value, dtype=None, name=None, as_ref=False: tf.constant(value.degrees, dtype),
    )
    return Celsius


def where_tensors_are_expected(tf, np):
    celsius = _celsius(tf)
    return {
        "converted": tf.convert_to_tensor(celsius(1)),
        "to a dtype": tf.convert_to_tensor(celsius(1), tf.float32),
        "ops": [tf.add(celsius(1), 2), tf.square(celsius(2.0)), tf.stack([celsius(1), celsius(2)])],
        "operators": [celsius(1) + tf.constant(2), tf.constant(2) * celsius(3)],
        "variable": tf.Variable(celsius(3)),
        "is a tensor": tf.is_tensor(celsius(1)),
    }


def gradients(tf, np):
    class Box:
        def __init__(self, content):
            self.content = content

    tf.register_tensor_conversion_function(
        Box, lambda value, dtype=None, name=None, as_ref=False: value.content * 2.0
    )
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.square(Box(x)))
    return tape.gradient(y, x)


def order_of_functions(tf, np):
    celsius = _celsius(tf)

    class Derived(celsius):
        pass

    found = [tf.convert_to_tensor(Derived(5))]
    tf.register_tensor_conversion_function(
        celsius,
        lambda value, dtype=None, name=None, as_ref=False: (
            NotImplemented if value.degrees > 10 else tf.constant(value.degrees + 100, dtype)
        ),
        priority=1,
    )
    return [*found, tf.convert_to_tensor(Derived(5)), tf.convert_to_tensor(celsius(11))]


def refusals(tf, np):
    register = tf.register_tensor_conversion_function

    class Odd:
        pass

    class Other:
        pass

    register((Odd, Other), lambda value, dtype=None, name=None, as_ref=False: NotImplemented)
    return {
        "nothing found": caught(lambda: tf.convert_to_tensor(Odd())).name,
        "no class": caught(register, 3, lambda value: 0),
        "no function": caught(register, Odd, 3),
        "numbers": [caught(register, kind, lambda value: 0) for kind in (int, np.ndarray, float)],
        "several": caught(register, (Odd, int), lambda value: 0),
        "no tensor": _result(tf, "nonsense"),
        "another dtype": _result(tf, tf.constant(1)),
    }


def _result(tf, result):
    class Odd:
        pass

    tf.register_tensor_conversion_function(
        Odd, lambda value, dtype=None, name=None, as_ref=False: result
    )
    found = caught(lambda: tf.convert_to_tensor(Odd(), tf.float32))
    found.text = found.text.split(" returned ")[-1]
    return found


def critical_sections(tf, np):
    section, v = tf.CriticalSection(), tf.Variable(0.0)
    within = caught(lambda: section.execute(lambda: section.execute(lambda: 1)))
    return {
        "number": section.execute(lambda: 3),
        "structure": section.execute(lambda: (tf.constant(1), {"a": 2})),
        "list": section.execute(lambda: [tf.constant(1), 2.5]),
        "variable": section.execute(lambda: v.assign_add(1.0)),
        "no function": caught(section.execute, 3),
        "error": caught(section.execute, lambda: 1 / 0),
        "within": [within.name, within.text.split(" (")[0]],
        "after": section.execute(lambda: v),
    }


def critical_sections_of_threads(tf, np):
    threading = __import__("threading")
    section, v = tf.CriticalSection(), tf.Variable(0.0)

    def add():
        for _ in range(10):
            section.execute(lambda: v.assign(v + 1.0))

    threads = [threading.Thread(target=add) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return v


def small_types(tf, np):
    found = {}
    for name in (
        "float8_e5m2",
        "float8_e4m3fn",
        "float8_e4m3fnuz",
        "float8_e5m2fnuz",
        "float8_e4m3b11fnuz",
        "float4_e2m1fn",
        "int4",
        "uint4",
        "int2",
        "uint2",
    ):
        dtype = getattr(tf.experimental, name)
        found[name] = [
            dtype is getattr(tf.dtypes.experimental, name),
            repr(dtype),
            [dtype.size, dtype.is_floating, dtype.is_integer, dtype.is_unsigned],
            np.dtype(dtype.as_numpy_dtype).name,
        ]
    x = tf.constant([1.0, 0.0, -2.0])
    for name in ("float8_e5m2", "float8_e4m3fn"):
        dtype = getattr(tf.experimental, name)
        found[name].append(tf.cast(tf.cast(x, dtype), tf.float32))
    return found


def scopes(tf, np):
    found = []
    with tf.experimental.async_scope():
        found.append(tf.constant(1) + 1)
    with tf.experimental.function_executor_type("SINGLE_THREADED_EXECUTOR"):
        found.append(tf.constant(1) + 1)
    found.append(tf.experimental.async_clear_error())
    found.append(tf.xla.experimental.compile(lambda x: x + 1, [tf.constant(1)]))
    found.append(caught(tf.tpu.experimental.initialize_tpu_system))
    found.append(caught(tf.tpu.experimental.shutdown_tpu_system))
    found.append(dict(tf.sysconfig.get_build_info()))
    return found


def profiles(tf, np):
    profiler = tf.profiler.experimental
    with profiler.Trace("train", step_num=1, _r=1):
        y = tf.constant(1.0) + 1.0
    return {
        "options": repr(profiler.ProfilerOptions(host_tracer_level=3)),
        "stopped before": caught(profiler.stop),
        "traced": y,
    }


def kinds_of_values(tf, np):
    like = tf.types.experimental.TensorLike
    values = [tf.constant(1), 1, 1.5, True, "a", b"a", 1j, (1,), [1], np.ones(1), np.float32(1)]
    return [[isinstance(v, like) for v in values], [isinstance(v, like) for v in (None, {}, len)]]
