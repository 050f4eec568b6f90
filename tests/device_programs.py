"""Programs about several devices, whose answers TensorFlow has given on 8 logical CPUs.

Each is a function of `tf`; what it returns is compared as JSON. TensorFlow's answers are stored by
`goldens/generate_device_programs.py`.
"""

import copy
import json
import pathlib
import re
import threading

import numpy as np

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


# tf.experimental.dtensor


def short(value):
    """Returns a mesh or layout as text, without the devices' long names."""
    return str(value).replace("/job:localhost/replica:0/task:0/device:", "")


def _meshes(tf):
    d = tf.experimental.dtensor
    return d, d.create_mesh([("batch", 2), ("model", 4)])


@program
def dtensor_meshes(tf):
    d, mesh = _meshes(tf)
    again = d.create_mesh([("batch", 2), ("model", 4)])
    others = [
        d.create_mesh({"x": 8}, device_type="CPU"),
        d.create_mesh([("x", 2)], devices=["CPU:0", "CPU:1"], mesh_name="mine"),
        d.create_mesh([("x", 2), ("y", 1)], devices=["CPU:3", "CPU:6"]),
        d.create_mesh([("x", -1)]),
        d.create_mesh(),
        d.Mesh(["a"], np.arange(2), [0, 1], d.local_devices("CPU")[3:5]),
    ]
    wrong = [
        caught(lambda: d.create_mesh([("a", 3)])),
        caught(lambda: d.create_mesh([("a", 2)], devices=["CPU:0"])),
        caught(lambda: d.create_mesh([("a", 1)], device_type="GPU")),
        caught(lambda: d.create_mesh([("a", 1)], devices=["CPU:0"], device_type="GPU"))[0],
        caught(lambda: d.create_mesh([("a", 2), ("b", 4)], device_type="TPU")),
        caught(lambda: mesh["q"]),
        caught(lambda: mesh.dim_size("q")),
    ]
    return {
        "texts": [short(each) for each in (mesh, *others)],
        "numbers": [mesh.size, mesh.shape(), mesh.dim_size("model"), mesh.strides, mesh.name],
        "names": [mesh.dim_names, mesh.contains_dim("batch"), "q" in mesh, list(mesh["model"])],
        "places": [mesh.coords(6), mesh.unravel_index()[6], mesh.local_device_locations()],
        "dtype": mesh.coords(6).dtype.name,
        "ids": [mesh.local_device_ids(), mesh.global_device_ids().tolist()],
        "local": [mesh.num_local_devices(), mesh.min_global_device_id(), mesh.is_remote()],
        "devices": [mesh.device_type(), mesh.local_devices(), short(mesh.host_mesh())],
        "equal": [mesh == again, hash(mesh) == hash(again), mesh == others[0]],
        "anew": [d.Mesh.from_string(each.to_string()) == each for each in (mesh, *others)],
        "wrong": wrong,
    }


@program
def dtensor_layouts(tf):
    d, mesh = _meshes(tf)
    layout = d.Layout
    made = [
        layout(["batch", "model"], mesh),
        layout(["batch", d.UNSHARDED], mesh),
        layout([d.UNSHARDED, "model"], mesh),
        layout.replicated(mesh, 2),
        layout.batch_sharded(mesh, "batch", 3),
        layout.batch_sharded(mesh, "model", 3, axis=1),
        layout.inner_sharded(mesh, "model", 3),
        layout.replicated(mesh, 0),
    ]
    plain = d.Layout(["batch", "model"], mesh)
    return {
        "texts": [[short(each), short(each.to_string())] for each in made],
        "specs": [[each.rank, each.sharding_specs, each.mesh == mesh] for each in made],
        "shards": [[each.num_shards(i) for i in range(each.rank)] for each in made],
        "kinds": [[each.is_fully_replicated(), each.is_single_device()] for each in made],
        "parallel": [each.is_batch_parallel() for each in made[:7]],
        "local": [
            list(each.local_shape_from_global_shape(tf.TensorShape([4, 8]))) for each in made[:4]
        ],
        "global": [
            list(each.global_shape_from_local_shape(tf.TensorShape([2, 3]))) for each in made[:4]
        ],
        "offsets": [[list(o) for o in each.offset_to_shard()] for each in made[:4]],
        "index": [each.offset_tuple_to_global_index((1, 1)) for each in made[:4]],
        "deleted": short(made[0].delete([0])),
        "anew": [layout.from_string(each.to_string()) == each for each in made[:7]],
        "equal": [plain == made[0], hash(plain) == hash(made[0]), plain == made[1]],
        "wrong": [
            caught(lambda: layout(["q", d.UNSHARDED], mesh)),
            caught(lambda: layout(["batch", "batch"], mesh)),
            caught(lambda: layout(["batch"], None)),
        ],
        "names": [d.UNSHARDED, d.MATCH],
    }


@program
def dtensors(tf):
    d, mesh = _meshes(tf)
    both, replicated = d.Layout(["batch", "model"], mesh), d.Layout.replicated(mesh, 2)
    line = d.create_mesh([("x", 8)])
    x = d.copy_to_mesh(tf.reshape(tf.range(32.0), [4, 8]), replicated)
    y = d.relayout(x, both)
    packed = d.pack([tf.constant([1.0, 2.0]) * i for i in range(8)], d.Layout(["x"], line))
    same = d.pack([tf.constant([1.0, 2.0])] * 8, d.Layout.replicated(line, 1))

    def specs(value):
        return d.fetch_layout(value).sharding_specs

    @tf.function
    def doubled(value):
        return d.relayout(value * 2.0, d.Layout(["model", "batch"], mesh))

    @tf.function
    def looking(value):
        return d.fetch_layout(value)

    with d.default_mesh(mesh):
        ones = tf.ones([2])
        within = [short(d.fetch_layout(ones)), d.is_dtensor(ones)]
        default = d.get_default_mesh() == mesh
    with d.run_on(mesh):
        within.append(specs(tf.zeros([2, 2])))
    return {
        "values": [x, [part.numpy() for part in d.unpack(y)], where(*d.unpack(y))],
        "layouts": [specs(x), specs(y), short(d.fetch_layout(y)), specs(d.relayout(y, replicated))],
        "like": [specs(d.relayout_like(x, y)), specs(d.relayout(tf.zeros([4, 8]), both))],
        "packed": [packed.shape.as_list(), specs(packed), [p.numpy() for p in d.unpack(packed)]],
        "same": [same, specs(same), len(d.unpack(same))],
        "is": [d.is_dtensor(x), d.is_dtensor(tf.zeros([2])), d.is_dtensor(3)],
        "ops": [specs(y + y), specs(y * 2.0), specs(tf.exp(y)), specs(tf.reduce_sum(y, 0))],
        "sums": [tf.reduce_sum(y), d.relayout(tf.matmul(y, y, transpose_b=True), replicated)],
        "function": [specs(doubled(y)), d.relayout(doubled(y), replicated)],
        "checked": [caught(d.check_layout, y, both), caught(d.check_layout, y, replicated)[0]],
        "called": specs(d.call_with_layout(tf.zeros, both, shape=[4, 8])),
        "as it is": d.call_with_layout(tf.ones, None, [2]),
        "blocks": [within, default],
        "wrong": [
            caught(d.fetch_layout, tf.zeros([2])),
            caught(d.check_layout, tf.zeros([2, 2]), replicated),
            caught(d.unpack, tf.zeros([2]))[0],
            caught(d.pack, [tf.zeros([2])] * 3, d.Layout(["x"], line))[0],
            caught(d.pack, [tf.zeros([i + 1]) for i in range(8)], d.Layout(["x"], line)),
            caught(looking, y)[0],
        ],
        "processes": [
            [d.num_local_devices("CPU"), d.num_global_devices("CPU"), d.num_local_devices("GPU")],
            [d.client_id(), d.num_clients(), d.job_name(), d.full_job_name()],
            [spec.to_string() for spec in d.local_devices("CPU")], d.preferred_device_type(),
            caught(d.local_devices, "XPU"),
        ],
    }  # fmt: skip


@program
def dtensor_variables(tf):
    d, mesh = _meshes(tf)
    both, replicated = d.Layout(["batch", "model"], mesh), d.Layout.replicated(mesh, 2)
    y = d.relayout(tf.reshape(tf.range(32.0), [4, 8]), both)
    v = d.DVariable(y)
    called = d.DVariable(lambda: y, name="made", trainable=False)
    found = [
        short(v.layout), v.layout == both,
        d.DVariable(tf.zeros([4, 8]), layout=both).layout == both,
        [called.name, called.trainable, called.shape.as_list(), called.layout == both],
        isinstance(v, tf.Variable), caught(lambda: d.DVariable(tf.zeros([2]))),
        caught(lambda: d.DVariable(y, layout=replicated))[0],
    ]  # fmt: skip
    v.assign(y * 2.0)
    found.append([d.fetch_layout(v) == both, d.relayout(v, replicated)])
    v.assign_add(y)
    v.assign(d.relayout(y + 1.0, replicated))
    found.append([d.fetch_layout(v) == both, d.relayout(v, replicated)])

    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(d.relayout(v, replicated) ** 2)
        gradient = tape.gradient(loss, v)
        v.assign_sub(0.25 * d.relayout(gradient, both))
        return loss

    with d.default_mesh(mesh):
        for _ in range(2):
            found.append([step(), d.fetch_layout(v) == both, d.relayout(v, replicated)])
    return found


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


@program
def strategies_of_one_device(tf):
    found = []
    kinds = tf.distribute.OneDeviceStrategy, lambda name: tf.distribute.MirroredStrategy([name])
    for kind in kinds:
        strategy = kind("CPU:1")
        with strategy.scope():
            v = tf.Variable([1.0])
            found.append(where(v.values[0] if hasattr(v, "values") else v, tf.zeros([1]), v + 1.0))
        found.append(where(strategy.run(lambda: tf.zeros([1]) + 1.0), tf.zeros([1])))
        found.append(where(strategy.run(lambda v=v: v * 2.0)))
        found.append(list(strategy.extended.worker_devices))
    names = ["/gpu:0", "", "/job:localhost/task:0/CPU:2", "foo"]
    strategies = [caught(tf.distribute.OneDeviceStrategy, name) for name in names]
    found += [where(s.run(lambda: tf.zeros([1]))) for s in strategies[:3]]
    return [*found, strategies[3][0]]


@program
def where_shared_variables_are(tf):
    kind = tf.distribute.experimental.CentralStorageStrategy
    strategy = kind(["CPU:1", "CPU:2"])
    with strategy.scope():
        v = tf.Variable(1.0, aggregation=tf.VariableAggregation.SUM)
    strategy.run(lambda: v.assign_add(tf.constant(2.0)))
    devices = strategy.extended.parameter_devices
    return repr(v), type(v).__name__, list(devices), list(strategy.extended.worker_devices)


@program
def where_values_of_replicas_are(tf):
    strategy = tf.distribute.MirroredStrategy(["CPU:2", "CPU:3"])
    kinds, ways = tf.VariableSynchronization, tf.VariableAggregation
    with strategy.scope():
        v = tf.Variable([1.0, 2.0])
        total = tf.Variable(1.0, synchronization=kinds.ON_READ, aggregation=ways.SUM)
    given = tf.data.Dataset.range(4).batch(4)
    found = []
    for values in (
        strategy.run(lambda: v * 2.0), *strategy.experimental_distribute_dataset(given), v, total,
    ):  # fmt: skip
        found.append([value.device for value in values.values])
        found.append([value.device for value in strategy.experimental_local_results(values)])
    doubled = strategy.run(lambda: v * 2.0)
    return [*found, v.device, total.device, strategy.reduce("SUM", doubled, axis=None).device]


@program
def data_of_one_device(tf):
    found = []
    for make in (
        tf.distribute.OneDeviceStrategy,
        lambda name: tf.distribute.MirroredStrategy([name]),
    ):
        strategy = make("CPU:3")
        with strategy.scope():
            v = tf.Variable([1.0, 2.0], name="v")
            w = tf.Variable(tf.zeros([2]) + 1.0, aggregation=tf.VariableAggregation.MEAN)
            i = tf.Variable(3)
            g = tf.random.Generator.from_seed(1)
            t = tf.Variable("a")
        data = tf.data.Dataset.from_tensor_slices(([1.0, 2.0, 3.0], [1, 2, 3])).batch(2)
        batches = [*strategy.experimental_distribute_dataset(data)]
        iterator = iter(strategy.experimental_distribute_dataset(data))
        batches += [next(iterator), iterator.get_next()]
        batches += strategy.distribute_datasets_from_function(lambda _, data=data: data)
        found.append([where(*batch) for batch in batches])
        found.append(where(v, w, i, t))
        found.append(where(v.read_value(), v.value(), v + 1.0, i + 1, g.state, g.normal([2])))
        x, _ = batches[0]

        def replica(x, v=v, w=w, i=i, g=g):
            w.assign_add(x)
            i.assign_add(1)
            return x * v, i + 1, tf.zeros([2]), tf.constant(1.0), tf.range(3), g.normal([2])

        for run in (strategy.run, tf.function(strategy.run)):
            results = run(replica, args=(x,))
            found.append([where(*results), results[0], results[1]])
        found.append(where(v, w, i, strategy.reduce("SUM", results[0], axis=None)))
        found.append(where(strategy.reduce("MEAN", results[0], axis=0)))
        found.append(where(strategy.gather(results[0], axis=0)))
        found.append(where(*strategy.experimental_local_results(results[0])))
        made = strategy.experimental_distribute_values_from_function(lambda c: tf.constant([1.0]))
        found.append(where(made.values[0] if hasattr(made, "values") else made))
        found.append(where(strategy.run(lambda x: x + 1.0, args=(made,))))
        with strategy.scope():
            found.append(where(x + 1.0, next(iter(tf.data.Dataset.range(2)))))
            found.append(
                [where(*batch) for batch in strategy.experimental_distribute_dataset(data)]
            )
    return found


@program
def values_of_mirrored_variables(tf):
    strategy = tf.distribute.MirroredStrategy(["CPU:1", "CPU:3"])
    kinds, ways = tf.VariableSynchronization, tf.VariableAggregation
    with strategy.scope():
        v = tf.Variable([1.0, 2.0], name="v")
        s = tf.Variable(1.0, synchronization=kinds.ON_READ, aggregation=ways.SUM)
    found = []
    for each in (v, s):
        parts = each.values
        found.append([where(*parts), where(*strategy.experimental_local_results(each))])
        found.append([where(p.value(), p.read_value(), p + 1.0, tf.identity(p)) for p in parts])
        parts[1].assign_add(tf.ones_like(parts[1]))
        found.append([where(*each.values), [p.numpy() for p in parts], each.numpy()])
        with tf.device("CPU:5"):
            found.append(where(parts[1].read_value(), parts[1] * 2.0, parts[0].value()))
    own = strategy.run(lambda: v * 2.0)
    found.append(where(*own.values, own.values[1] + 1.0))
    found.append(where(strategy.gather(own, 0), strategy.reduce("MEAN", own, axis=0)))
    made = strategy.experimental_distribute_values_from_function(lambda c: tf.constant([1.0]))
    found.append(where(*made.values))
    found.append(where(*strategy.run(lambda x: x + 1.0, args=(made,)).values))
    return found


@program
def blocks_within_replicas(tf):
    strategy = tf.distribute.MirroredStrategy(["CPU:1", "CPU:3"])
    with strategy.scope():
        v = tf.Variable([1.0, 2.0])

    def replica():
        with tf.device("CPU:5"):
            x = tf.constant([1.0, 2.0]) * v
        return x, x + 1.0

    found = []
    for run in (strategy.run, tf.function(strategy.run)):
        found.append([[p.numpy() for p in part.values] for part in run(replica)])
    with tf.device("CPU:6"):
        own = strategy.run(lambda: v + 1.0)
        found.append([where(*own.values), where(strategy.reduce("SUM", own, axis=None))])
        with strategy.scope():
            w = tf.Variable([1.0])
        found.append(where(*w.values))
        found.append(where(tf.zeros([1])))
    return found


@program
def dtensor_members(tf):
    d, mesh = _meshes(tf)
    layout = d.Layout(["batch", "model"], mesh)
    parted = layout.to_parted()
    return {
        "mesh": [mesh.is_single_device(), mesh.single_device, mesh.use_xla_spmd()],
        "places": [mesh.device_location(k) for k in (0, 3, 7)],
        "global": mesh.global_devices(),
        "wrong": [
            caught(mesh.device_location, 9),
            caught(lambda: d.create_mesh([("x", 8)], use_xla_spmd=True)),
        ],
        "types": [str(layout.type), str(parted.type), repr(parted.type)],
        "parted": [short(parted), parted == layout, parted == layout.to_parted()],
        "anew": [d.Layout.from_string(parted.to_string()) == parted, parted.sharding_specs],
        "asked": [parted.rank, parted.mesh == mesh, parted.num_shards(1)],
        "laid out": d.relayout(tf.ones([4, 8]), layout).shape.as_list(),
    }  # fmt: skip


@program
def dtensor_of_one_device(tf):
    d, name = tf.experimental.dtensor, "/job:localhost/replica:0/task:0/device:CPU:3"
    mesh = d.Mesh.from_device(name)
    layout = d.Layout.from_single_device_mesh(mesh)
    x = d.copy_to_mesh(tf.constant([[1.0, 2.0], [3.0, 4.0]]), layout)
    found = [x, x + 1.0, tf.function(lambda x: x @ x)(x), d.relayout(x, layout)]
    found.append(d.call_with_layout(tf.zeros, layout, shape=[2]))
    return {
        "texts": [repr(mesh), repr(layout), str(layout.type), mesh.device_type(), mesh.name],
        "asked": [mesh.is_single_device(), mesh.single_device, mesh.dim_names, mesh.shape()],
        "layout": [layout.is_single_device(), layout.is_fully_replicated(), layout.rank],
        "anew": [
            d.Layout.from_device(name) == layout,
            d.Layout.from_string(layout.to_string()) == layout,
            d.Mesh.from_string(mesh.to_string()) == mesh,
        ],
        "laid out": [d.fetch_layout(each) == layout and d.is_dtensor(each) for each in found],
        "values": [each.numpy() for each in found],
        "shapes": list(layout.global_shape_from_local_shape(tf.TensorShape([2, 3]))),
        "refused": [
            caught(d.Layout, ["unsharded"], mesh)[:1], caught(layout.to_parted)[:1],
            caught(d.Layout.from_single_device_mesh, _meshes(tf)[1])[:1],
            caught(d.Mesh.from_device, ""),
        ],
    }  # fmt: skip


@program
def dtensor_training(tf):
    d, mesh = _meshes(tf)
    rows = d.Layout(["batch", d.UNSHARDED], mesh)
    columns, replicated = d.Layout([d.UNSHARDED, "model"], mesh), d.Layout.replicated(mesh, 2)

    def laid_out(value, layout):
        value = tf.constant(value, tf.float32)
        return d.relayout(d.copy_to_mesh(value, d.Layout.replicated(mesh, value.ndim)), layout)

    x = laid_out(np.sin(np.arange(32.0)).reshape(8, 4), rows)
    y = laid_out(np.cos(np.arange(8.0)).reshape(8, 1), rows)
    v = d.DVariable(laid_out(np.sin(np.arange(16.0)).reshape(4, 4), columns))
    w = d.DVariable(laid_out(np.ones((4, 1)), d.Layout(["model", d.UNSHARDED], mesh)))
    b = d.DVariable(laid_out(np.zeros(1), d.Layout.replicated(mesh, 1)))

    def step(x, y):
        with tf.GradientTape() as tape:
            hidden = tf.tanh(tf.matmul(x, v))
            loss = tf.reduce_mean((tf.matmul(hidden, w) + b - y) ** 2)
        for variable, gradient in zip([v, w, b], tape.gradient(loss, [v, w, b]), strict=True):
            variable.assign_sub(0.1 * d.relayout(gradient, variable.layout))
        return loss

    found = []
    with d.default_mesh(mesh):
        for way in (step, tf.function(step)):
            for _ in range(3):
                found.append(round(float(d.relayout(way(x, y), d.Layout.replicated(mesh, 0))), 4))
    found.append([d.fetch_layout(each).sharding_specs for each in (v, w, b)])
    whole = [d.relayout(each, replicated).numpy() for each in (v, w)]
    return [*found, [np.round(each, 3) + 0.0 for each in whole]]


@program
def dtensors_in_functions(tf):
    d, mesh = _meshes(tf)
    both, replicated = d.Layout(["batch", "model"], mesh), d.Layout.replicated(mesh, 2)
    x = d.relayout(d.copy_to_mesh(tf.reshape(tf.range(32.0), [4, 8]), replicated), both)
    traced = []

    @tf.function
    def several(x):
        traced.append(1)
        y = d.relayout(tf.reshape(x, [8, 4]), d.Layout(["model", "batch"], mesh))
        return tf.reduce_sum(x, 0), tf.transpose(y), tf.concat([x, x], 0), tf.reduce_max(x)

    @tf.function
    def looped(x):
        for _ in tf.range(3):
            x = d.relayout(x * 2.0, both)
        return x

    values = several(x)
    values = several(x)
    found = [d.relayout(v, d.Layout.replicated(mesh, v.ndim)).numpy() for v in values]
    with tf.GradientTape() as tape:
        tape.watch(x)
        z = tf.reduce_sum(d.relayout(x * x, replicated) * 3.0)
    gradient = tape.gradient(z, x)
    found += [d.relayout(gradient, replicated).numpy(), len(traced)]
    return [*found, d.relayout(looped(x), replicated).numpy()]


@program
def models_on_one_device(tf):
    keras, found = tf.keras, []
    x = np.sin(np.arange(24.0)).reshape(8, 3).astype("float32")
    y = x.sum(1, keepdims=True)
    data = tf.data.Dataset.from_tensor_slices((x, y)).batch(4)
    for make in tf.distribute.OneDeviceStrategy, lambda n: tf.distribute.MirroredStrategy([n]):
        strategy = make("CPU:3")
        with strategy.scope():
            model = keras.Sequential([keras.Input([3]), keras.layers.Dense(1)])
            model.compile(keras.optimizers.SGD(0.1, momentum=0.9), "mse")
        model.set_weights([np.ones((3, 1)), np.zeros(1)])
        losses = model.fit(data, epochs=2, verbose=0).history["loss"]
        found.append([round(loss, 4) for loss in losses])
        found.append([v.value.device.rpartition("/")[2] for v in model.variables])
        found.append([v.value.device.rpartition("/")[2] for v in model.optimizer.variables[2:]])
        found.append(np.round(model.predict(x, verbose=0), 3).tolist())
        found.append(round(model.evaluate(data, verbose=0), 4))
        found.append(np.round(model(x[:2]).numpy(), 3).tolist())
        optimizer = model.optimizer

        @tf.function
        def step(x, y, model=model, optimizer=optimizer):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((model(x) - y) ** 2)
            weights = model.trainable_variables
            optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))
            return loss

        for batch in strategy.experimental_distribute_dataset(data):
            found.append(round(float(strategy.run(step, args=batch)), 4))
        found.append([v.value.device.rpartition("/")[2] for v in model.variables])
    return found


@program
def functions_and_blocks(tf):
    with tf.device("CPU:1"):
        v = tf.Variable([1.0, 2.0])
        a = tf.constant([1.0, 1.0])
    with tf.device("CPU:2"):
        w = tf.Variable([3.0, 4.0])

    @tf.function
    def inner(x):
        return x * v + w

    @tf.function
    def outer(x):
        v.assign_add(x)
        w.assign(inner(x))
        return inner(x) + a

    found = []
    for name in "CPU:5", None, "CPU:6":
        with tf.device(name):
            y = outer(tf.constant([1.0, 1.0]))
            found.append([y.numpy().tolist(), v.numpy().tolist(), w.numpy().tolist()])
        found.append(where(v, w))
    with tf.GradientTape(persistent=True) as tape:
        with tf.device("CPU:4"):
            z = inner(a) * v
        loss = tf.reduce_sum(z * w)
    found += [x.numpy().tolist() for x in tape.gradient(loss, [v, w])]
    moved = [tf.identity(a), a + 0.0]
    with tf.device("CPU:7"):
        moved += [tf.identity(a), tf.identity(v), tf.concat([a, v], 0), tf.stack([v, w])]
    with tf.device("CPU:6"):
        moved += list(tf.data.Dataset.from_tensor_slices([1.0, 2.0]))
    return [*found, where(*moved)]
