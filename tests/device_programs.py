"""Programs about several devices, whose answers TensorFlow has given on 8 logical CPUs.

Each is a function of `tf`; what it returns is compared as JSON. TensorFlow's answers are stored by
`goldens/generate_device_programs.py`.
"""

import copy
import json
import pathlib
import re
import threading

DEVICES = 8
STORED = pathlib.Path(__file__).parent / "goldens" / "device_programs.json"
PROGRAMS = {}


def program(function):
    assert function.__name__ not in PROGRAMS
    PROGRAMS[function.__name__] = function
    return function


def plain(value):
    """Returns an answer as JSON has it."""
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if hasattr(value, "numpy"):
        value = value.numpy()
    if hasattr(value, "tolist"):
        return value.tolist()
    return value if isinstance(value, int | float | str | None) else str(value)


def caught(function, *args):
    """Returns what a call returns, or the class and text of its error, without its ends."""
    try:
        return function(*args)
    except Exception as error:
        text = re.sub(r"\s*\[Op:\w*\].*", "", str(error), flags=re.DOTALL)
        return [type(error).__name__, text.split("\n")[0]]


def where(*values):
    """Returns the devices of values: the ends of their names."""
    return [value.device.removeprefix("/job:localhost/replica:0/task:0") for value in values]


def answers(tf):
    return json.loads(json.dumps({name: plain(p(tf)) for name, p in PROGRAMS.items()}))


# tf.device


@program
def names_of_blocks(tf):
    def within(name):
        with tf.device(name):
            return where(tf.constant([1.0, 2.0]), tf.constant([1.0, 2.0]) + 1.0, tf.zeros([2]))

    names = ["CPU:1", "/CPU:1", "/cpu:1", "/device:CPU:1", "cpu:1", "/CPU:2", "/GPU:0", "/GPU:1"]
    names += ["/job:localhost/replica:0/task:0/device:CPU:1", "CPU:70", "/TPU:0", "CPU", "/CPU:*"]
    names += ["", None, "foo", "/foo:1", "/job:worker/CPU:0", "/job:localhost/task:1/CPU:0", "//"]
    names += ["/replica:3/CPU:0", "CPU:a", tf.DeviceSpec(device_type="CPU", device_index=1), 3]
    names += [tf.config.list_logical_devices()[1], lambda op: "CPU:1"]
    return [caught(within, name) for name in names]


@program
def blocks_in_blocks(tf):
    def within(*names):
        if not names:
            return where(tf.zeros([2]))
        with tf.device(names[0]):
            return within(*names[1:])

    inner = ["CPU:1", None, "", "/job:localhost", "CPU", "/device:CPU:*", "GPU", "/GPU:5", "CPU:90"]
    found = [within("CPU:2", name) for name in inner]
    with tf.device("CPU:2"):
        with tf.init_scope():
            found.append(where(tf.zeros([2])))
        other = []
        thread = threading.Thread(target=lambda: other.append(where(tf.zeros([2]))))
        thread.start()
        thread.join()
        block = tf.device("CPU:1")
        with block:
            found.append(where(tf.zeros([2])))
        with block:
            found.append(where(tf.zeros([2])))
        found += [other, where(tf.zeros([2]))]
    try:
        with tf.device("CPU:1"):
            raise KeyError
    except KeyError:
        return [*found, where(tf.zeros([2]))]


def _made(tf):
    with tf.device("CPU:1"):
        a, v, i = tf.constant([1.0, 2.0]), tf.Variable([1.0, 2.0]), tf.constant(3)
    with tf.device("CPU:2"):
        b, w = tf.constant([1.0, 2.0]), tf.Variable([3.0, 2.0])
    return a, v, i, b, w


@program
def results_of_ops(tf):
    a, v, i, b, w = _made(tf)

    def results():
        return where(
            a, i, a + 1, a * a, a + b, b + a, i + 1, -a, tf.identity(a), a + v, v + w, v + 1,
            tf.convert_to_tensor(a), tf.convert_to_tensor(v), a[0], tf.reduce_sum(a), tf.shape(a),
            tf.cast(a, tf.int32), tf.concat([a, b], 0), tf.range(3), tf.eye(2), tf.constant("a"),
            tf.random.uniform([2]), tf.one_hot(1, 3), tf.split(tf.zeros([4]), 2)[0],
            tf.linalg.svd(tf.eye(2))[0], tf.strings.join(["a", "b"]),
            tf.ragged.constant([[1.0], [2.0, 3.0]]).flat_values,
            tf.cond(tf.constant(True), lambda: a + 1, lambda: a),
            tf.map_fn(lambda x: x + 1, b), next(iter(tf.data.Dataset.range(3))),
            copy.deepcopy(a), copy.deepcopy(v), a.cpu(),
        )  # fmt: skip

    found = [results()]
    with tf.device("CPU:2"):
        found.append(results())
    return [found, (a + b + v * w), caught(a.gpu)]


@program
def variables_stay(tf):
    a, v, _, b, _ = _made(tf)
    made = [tf.Variable(v), tf.Variable(a), tf.Variable(1), tf.Variable(lambda: tf.ones([2]))]
    found = [where(*made), where(v, v.value(), v.read_value(), v.assign(b), v, v.value())]
    with tf.device("CPU:2"):
        found.append(where(v, v.value(), v.read_value(), v + 0, tf.Variable(v), tf.Variable(a)))
        found.append(where(v.assign(a * 3), v, v.value()))
        found.append(where(v.assign_add(b), v.assign_sub([1.0, 1.0]), v))
    found.append([where(v[0].assign(5.0), v, v.scatter_nd_add([[0]], [1.0]), v.value()), v])
    with tf.device("CPU:2"):
        g = tf.random.Generator.from_seed(1)
    found.append(where(g.state, g.normal([2]), g.state))
    return found


@program
def gradients_across_devices(tf):
    a, v, _, b, w = _made(tf)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([a, b])
        with tf.device("CPU:1"):
            y = a * b * v
        with tf.device("CPU:2"):
            z = tf.reduce_sum(y * a * w)
        q = z * 3.0
    found = [where(y, z, q), [[where(g), g] for g in tape.gradient(q, [a, b, v, w])]]
    with tf.device("CPU:2"):
        found.append([[where(g), g] for g in tape.gradient(q, [a, b, v, w])])
        found.append([where(tape.jacobian(y, a)), tape.jacobian(y, a)])
    with tf.device("CPU:1"):

        @tf.custom_gradient
        def triple(x):
            return x * 2.0, lambda g: g * 3.0

        with tf.GradientTape() as tape:
            tape.watch(b)
            y = triple(b)
        found.append([where(y, tape.gradient(y, b))])
    return found


@program
def functions_on_devices(tf):
    a, v, _, b, w = _made(tf)

    @tf.function
    def several(x):
        with tf.device("CPU:1"):
            y = x * 2.0
        with tf.device("CPU:2"):
            z = y + w
        return (
            x + 1.0,
            y,
            z,
            y + z,
            tf.zeros([2]),
            x,
            tf.constant(3),
            tf.constant([1.0, 2.0]),
            v + y,
        )

    @tf.function
    def assigning(x):
        with tf.device("CPU:2"):
            v.assign_add(x)
            w.assign(v)
            return v + x, v.read_value()

    made = []

    @tf.function
    def making():
        if not made:
            with tf.device("CPU:2"):
                made.append(tf.Variable(5.0))
        return made[0] + 1.0

    found = []
    for _ in range(3):
        for x in a, b:
            found.append([[where(y), y] for y in several(x)])
            found.append([[where(y), y] for y in assigning(x)])
            found.append([where(v, w, v.value(), w.value()), v, w])
        with tf.device("CPU:1"):
            found.append([[where(y), y] for y in several(b)])
            found.append([where(*assigning(b)), where(v, w)])
            found.append([making(), where(making()), where(made[0])])
    return found


@program
def training_on_a_device(tf):
    found = []
    for kind in "SGD", "Adam":
        with tf.device("CPU:1"):
            v = tf.Variable([1.0, -2.0])
        optimizer = getattr(tf.keras.optimizers, kind)(
            0.1, **({"momentum": 0.9} if kind == "SGD" else {})
        )
        for name in "CPU:1", "CPU:2", None:
            with tf.device(name):
                with tf.GradientTape() as tape:
                    loss = tf.reduce_sum(v**2)
                optimizer.apply_gradients([(tape.gradient(loss, v), v)])
                found.append([where(v, v.value(), loss)])
        slots = [variable.value for variable in optimizer.variables][2:]
        found += [where(*slots), [round(x, 5) for x in v.numpy().tolist()]]
    with tf.device("CPU:1"):
        layer = tf.keras.layers.Dense(2)
        layer.build((2, 2))
    found.append(where(*[weight.value for weight in layer.weights]))
    return found


@program
def devices_that_are_missing(tf):
    tf.config.set_soft_device_placement(False)
    try:

        def within(name):
            with tf.device(name):
                return where(tf.zeros([2]) + 1.0)

        @tf.function
        def inside():
            with tf.device("/GPU:0"):
                return tf.zeros([2]) + 1.0

        found = [caught(within, name) for name in ("/GPU:0", "CPU:70", "/TPU:0", "CPU:1", None)]
        return [*found, caught(inside), tf.config.get_soft_device_placement()]
    finally:
        tf.config.set_soft_device_placement(True)


@program
def configured_too_late(tf):
    (cpu,) = tf.config.list_physical_devices("CPU")
    part = tf.config.LogicalDeviceConfiguration()

    def configured(count):
        return tf.config.set_logical_device_configuration(cpu, [part] * count)

    wrong = tf.config.LogicalDeviceConfiguration(memory_limit=3)
    return [
        [caught(configured, count) for count in (2, 8, 9)],
        caught(tf.config.set_logical_device_configuration, cpu, [wrong]),
        caught(tf.config.set_visible_devices, [], "CPU"),
        [device.name for device in tf.config.list_logical_devices()],
        len(tf.config.get_logical_device_configuration(cpu)),
        caught(tf.config.experimental.set_memory_growth, cpu, True),
    ]
