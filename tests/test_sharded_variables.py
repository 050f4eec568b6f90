"""Variables that own their sharding: `tf.Variable(..., sharding=NamedSharding(...))`."""

import copy
import pickle
import re
import subprocess
import sys
import tracemalloc

import jax
import numpy as np
import pytest
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from steps import counted

import tapefacade as tf
from tapefacade._checkpoint import divided_values

pytestmark = pytest.mark.devices


def at(*names, shape=(2, 4)):
    devices = np.array(jax.devices()[: int(np.prod(shape))]).reshape(shape)
    return NamedSharding(Mesh(devices, ("batch", "model")), PartitionSpec(*names))


def layout(variable):
    return variable._tensor._array().sharding.spec


def parts(variable):
    return {shard.data.shape for shard in variable._tensor._array().addressable_shards}


class Perceptron:
    """Two layers whose weights are divided by columns and by rows, and a momentum by hand."""

    def __init__(self, is_sharded, width=512):
        rng = np.random.default_rng(0)

        def made(shape, *names):
            value = 0.1 * rng.normal(size=shape).astype("float32")
            return tf.Variable(value, sharding=at(*names) if is_sharded else None)

        self.w1 = made((32, width), None, "model")
        self.b1 = made((width,), "model")
        self.w2 = made((width, 8), "model")
        self.m1 = tf.Variable(tf.zeros_like(self.w1), sharding=self.w1.sharding)
        self.x = rng.normal(size=(64, 32)).astype("float32")
        self.y = rng.normal(size=(64, 8)).astype("float32")
        self.variables = [self.w1, self.b1, self.w2]

    def loss(self):
        hidden = tf.nn.relu(tf.matmul(self.x, self.w1) + self.b1)
        return tf.reduce_mean((tf.matmul(hidden, self.w2) - self.y) ** 2)

    def by_hand(self):
        with tf.GradientTape() as tape:
            loss = self.loss()
        first, *others = tape.gradient(loss, self.variables)
        self.m1.assign(0.9 * self.m1 + first)
        self.w1.assign_sub(0.1 * self.m1)
        for variable, gradient in zip(self.variables[1:], others, strict=True):
            variable.assign_sub(0.1 * gradient)
        return loss

    def by(self, optimizer):
        def step():
            with tf.GradientTape() as tape:
                loss = self.loss()
            optimizer.apply_gradients(
                zip(tape.gradient(loss, self.variables), self.variables, strict=True)
            )
            return loss

        return step


@pytest.mark.parametrize("is_function", [False, True])
@pytest.mark.parametrize("optimizer", [None, "Adam", "Adagrad"])
def test_steps_keep_the_sharding_and_compile_nothing(is_function, optimizer):
    numbers = []
    for is_sharded in True, False:
        model = Perceptron(is_sharded)
        made = optimizer and tf.keras.optimizers.get(optimizer)
        step = model.by(made) if made else model.by_hand
        step = tf.function(step) if is_function else step
        losses = [float(step()) for _ in range(5)]
        with counted() as count:
            losses += [float(step()) for _ in range(3)]
        assert (count.compiled, count.dispatched) == (0, 3)
        numbers.append([*losses, *[float(tf.reduce_sum(v)) for v in model.variables]])
        if is_sharded:
            assert [layout(v) for v in model.variables] == [
                v.sharding.spec for v in model.variables
            ]
            assert parts(model.w1) == {(32, 128)}
        if is_sharded and made:
            slots = [v for v in made.variables if len(v.shape) == 2 and v.shape[1] == 512]
            assert slots
            assert all(parts(v._root) == {(32, 128)} for v in slots)
    np.testing.assert_allclose(*numbers, rtol=1e-4, atol=1e-5)


def test_the_program_of_a_step_has_no_buffer_of_full_size():
    model = Perceptron(True)
    step = tf.function(model.by_hand, jit_compile=True)
    step()
    text = step.experimental_get_compiler_ir()("optimized_hlo")
    shapes = set(re.findall(r"f32\[[\d,]*\]", text))
    assert {"f32[32,128]", "f32[128,8]"} <= shapes
    assert not shapes & {"f32[32,512]", "f32[512]", "f32[512,8]", "f32[64,512]"}
    assert "all-gather" not in text


def test_a_model_larger_than_one_share_is_made_and_trained_in_parts():
    width, share = 1 << 16, (1 << 16) // 8
    whole = at(None, ("batch", "model"))
    w = tf.Variable(tf.random.normal([32, width], seed=1), sharding=whole)
    optimizer = tf.keras.optimizers.Adam(0.01)
    x = np.ones((4, 32), "float32")

    @tf.function(jit_compile=True)
    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.matmul(x, w) ** 2)
        optimizer.apply_gradients([(tape.gradient(loss, w), w)])
        return loss

    losses = [float(step()) for _ in range(4)]
    assert losses[3] < losses[0]
    assert parts(w) == {(32, share)}
    assert [parts(v._root) for v in optimizer.variables[2:]] == [{(32, share)}] * 2
    sizes = re.findall(r"f32\[([\d,]+)\]", step.experimental_get_compiler_ir()("optimized_hlo"))
    assert max(np.prod([int(n) for n in size.split(",")]) for size in sizes) <= 32 * share


def test_the_initial_value_is_computed_in_parts():
    with counted() as count:
        v = tf.Variable(tf.random.normal([64, 64], seed=3), sharding=at("batch", "model"))
        assert parts(v) == {(32, 16)}
    assert count.dispatched == 1


ASSIGNMENTS = {
    "pending": lambda v: v.assign(tf.zeros([8, 16]) + 1.0),
    "constant": lambda v: v.assign(tf.constant(np.ones((8, 16), "float32"))),
    "numpy": lambda v: v.assign(np.ones((8, 16), "float32")),
    "list": lambda v: v.assign([[1.0] * 16] * 8),
    "itself": lambda v: v.assign(v),
    "add": lambda v: v.assign_add(tf.ones([8, 16])),
    "sub": lambda v: v.assign_sub(np.ones((8, 16), "float32")),
    "row": lambda v: v[1].assign(tf.ones([16])),
    "slice": lambda v: v[1:3, ::2].assign(tf.ones([2, 8])),
    "scatter_nd_add": lambda v: v.scatter_nd_add([[0], [3]], tf.ones([2, 16])),
    "scatter_nd_update": lambda v: v.scatter_nd_update([[0, 1]], [2.0]),
    "scatter_update": lambda v: v.scatter_update(tf.IndexedSlices(tf.ones([1, 16]), [3])),
    "scatter_mul": lambda v: v.scatter_mul(tf.IndexedSlices(2.0 * tf.ones([1, 16]), [3])),
    "batch_scatter_update": lambda v: v.batch_scatter_update(
        tf.IndexedSlices(tf.ones([8, 1]), np.ones((8, 1), "int32"))
    ),
    "what an assignment returned": lambda v: v.assign(tf.zeros([8, 16])).assign_add(
        tf.ones([8, 16])
    ),
}


@pytest.mark.parametrize("is_function", [False, True])
@pytest.mark.parametrize("assign", ASSIGNMENTS.values(), ids=ASSIGNMENTS)
def test_whatever_is_assigned_is_laid_out(assign, is_function):
    start = np.sin(np.arange(128, dtype="float32")).reshape(8, 16)
    v = tf.Variable(start, sharding=at("batch", "model"))
    plain = tf.Variable(start)

    def call():
        assign(v)

    way = tf.function(call) if is_function else call
    for _ in range(3):
        way()
        assign(plain)
        assert parts(v) == {(4, 4)}
        assert layout(v) == PartitionSpec("batch", "model")
        np.testing.assert_array_equal(v, plain)


def test_values_that_lie_elsewhere_are_sent():
    v = tf.Variable(tf.zeros([8, 16]), sharding=at("batch", "model"))
    ones = np.ones((8, 16), "float32")
    for value in (
        tf.convert_to_tensor(jax.device_put(ones, jax.devices()[3])),
        tf.Variable(ones),
        tf.Variable(ones, sharding=at("model")),
    ):
        v.assign(value)
        assert parts(v) == {(4, 4)}
        assert v.numpy().sum() == 128
        v.assign(tf.zeros([8, 16]))


MIXED = """
import sys
import jax, numpy as np
import tapefacade as tf
from jax.sharding import Mesh, NamedSharding, PartitionSpec

mesh = Mesh(np.array(jax.devices()), ("all",))
v = tf.Variable(tf.zeros([8]), sharding=NamedSharding(mesh, PartitionSpec("all")))
ones = np.ones(8, "float32")
x, y = [tf.convert_to_tensor(jax.device_put(ones, jax.devices()[i])) for i in (3, 5)]
if sys.argv[1] == "device":
    with tf.device("CPU:2"):
        z = tf.zeros([8]) + 1.0
    v.assign(z * 3.0)
    print(v.numpy().sum())
v.assign(x * 2.0 + 1.0)
print(v.numpy().sum())
tf.function(lambda: v.assign(x * 2.0))()
print(v.numpy().sum())
print((x + v).numpy().sum(), (x + y).numpy().sum())
print(tf.function(lambda a, b: a + b + v)(x, y).numpy().sum())
print(len(v._tensor._array().devices()))
"""


@pytest.mark.parametrize("way", ["arrays", "device"])
def test_values_on_other_devices_are_brought_together(way):
    done = subprocess.run(
        [sys.executable, "-c", MIXED, way], capture_output=True, text=True, check=False
    )
    first = ["24.0"] if way == "device" else []
    wanted = [*first, "24.0", "16.0", "24.0 16.0", "32.0", "8"]
    assert done.stdout.splitlines() == wanted, done.stderr


def test_variables_of_whole_numbers_are_divided_too():
    v = tf.Variable(tf.range(8), sharding=at("model"))
    v.assign_add(tf.ones([8], tf.int32))
    assert parts(v) == {(2,)}
    assert v.numpy().tolist() == list(range(1, 9))
    v.assign(list(range(8)))
    assert parts(v) == {(2,)}


def test_control_flow_keeps_the_sharding():
    v = tf.Variable(tf.zeros([8, 4]), sharding=at("model"))

    @tf.function
    def repeated(n):
        for i in tf.range(n):
            v.assign(tf.ones([8, 4]) * tf.cast(i, tf.float32))
        if n > 2:
            v.assign_add(tf.ones([8, 4]))
        return tf.reduce_sum(v)

    for n, wanted in (3, 96.0), (3, 96.0), (2, 32.0), (3, 96.0):
        assert float(repeated(tf.constant(n))) == wanted
        assert parts(v) == {(2, 4)}
    tf.while_loop(lambda i: i < 3, lambda i: (v.assign(tf.ones([8, 4])), i + 1)[1:], [0])
    assert parts(v) == {(2, 4)}


def test_checkpoints_restore_under_any_mesh(tmp_path):
    value = np.arange(64 * 8, dtype="float32").reshape(64, 8)
    v = tf.Variable(value, sharding=at("batch", "model"))
    path = tf.train.Checkpoint(v=v).save(tmp_path / "checkpoint")
    v.assign(tf.zeros_like(v))
    tf.train.Checkpoint(v=v).restore(path)
    assert parts(v) == {(32, 2)}
    np.testing.assert_array_equal(v, value)
    for sharding, wanted in (
        (at(("batch", "model")), (8, 8)),
        (at(None, "model", shape=(1, 4)), (64, 2)),
        (at("model", shape=(4, 2)), (32, 8)),
        (None, None),
    ):
        other = tf.Variable(tf.zeros([64, 8]), sharding=sharding)
        tf.train.Checkpoint(v=other).restore(path).assert_consumed()
        np.testing.assert_array_equal(other, value)
        assert sharding is None or parts(other) == {wanted}
    # A variable that is made later, and one that is restored within a step.
    later = tf.Module()
    tf.train.Checkpoint(m=tf.train.Checkpoint(v=v)).save(tmp_path / "nested")
    tf.train.Checkpoint(m=later).restore(tf.train.latest_checkpoint(tmp_path))
    later.v = tf.Variable(tf.zeros([64, 8]), sharding=at("model"))
    np.testing.assert_array_equal(later.v, value)
    assert parts(later.v) == {(16, 8)}
    with tf.GradientTape():
        loss = tf.reduce_sum(v)
        tf.train.Checkpoint(v=v).restore(path)
    assert float(loss) == value.sum()
    assert parts(v) == {(32, 2)}


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "int64", "bool", "complex128", "uint8"])
def test_checkpoints_hold_the_parts_of_divided_values(tmp_path, dtype):
    value = tf.cast(np.arange(64).reshape(8, 8) % 7, dtype)
    checkpoint = tf.train.Checkpoint(v=tf.Variable(value, sharding=at("batch", "model")))
    for _ in range(2):  # the files of the first one go
        path = checkpoint.write(tmp_path / "checkpoint")
    assert len(list(tmp_path.iterdir())) == 3
    for sharding in (at("batch", "model"), at("model"), at(None, ("model", "batch")), at(), None):
        other = tf.Variable(tf.zeros_like(value), sharding=sharding)
        tf.train.Checkpoint(v=other).read(path).assert_consumed()
        assert other.numpy().tolist() == value.numpy().tolist()
        assert other.sharding == sharding
    key = "v/.ATTRIBUTES/VARIABLE_VALUE"
    assert tf.train.load_checkpoint(path).get_tensor(key).tolist() == value.numpy().tolist()
    manager = tf.train.CheckpointManager(checkpoint, tmp_path, max_to_keep=1)
    manager.save(), manager.save()
    assert len(list(tmp_path.glob("ckpt-*"))) == 3


def test_checkpoints_are_written_and_read_part_by_part(tmp_path, monkeypatch):
    size, whole = 1 << 17, 8 << 17
    v = tf.Variable(tf.random.normal([whole], seed=1), sharding=at(("batch", "model")))
    jax.block_until_ready(v.value()._array())  # what computes it is not counted
    checkpoint = tf.train.Checkpoint(v=v)
    tracemalloc.start()
    path = checkpoint.save(tmp_path / "checkpoint")
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 4 * whole / 4
    read, sizes = divided_values.PartsRead.get, []

    def get(*args):
        found = read(*args)
        sizes.append(found.size)
        return found

    monkeypatch.setattr(divided_values.PartsRead, "get", get)
    wanted = v.numpy()
    v.assign(tf.zeros([whole]))
    checkpoint.restore(path)
    assert sizes == [size] * 8
    assert v.numpy().tolist() == wanted.tolist()
    sizes.clear()
    rows = tf.Variable(tf.zeros([whole]), sharding=at("model"))  # each part on two devices
    tf.train.Checkpoint(v=rows).restore(path)
    assert sizes == [2 * size] * 4
    assert rows.numpy().tolist() == wanted.tolist()


def test_a_damaged_part_is_not_restored(tmp_path):
    v = tf.Variable(tf.ones([64]), sharding=at("model"))
    path = tf.train.Checkpoint(v=v).write(tmp_path / "checkpoint")
    file = max(tmp_path.glob("*.safetensors"), key=lambda file: file.stat().st_size)
    data = file.read_bytes()
    file.write_bytes(data[:-1] + b"!")
    with pytest.raises(tf.errors.DataLossError, match="are not those that were written"):
        tf.train.Checkpoint(v=v).read(path)
    file.unlink()
    with pytest.raises(tf.errors.DataLossError, match="is missing"):
        tf.train.Checkpoint(v=v).read(path)
    file.write_bytes(data)
    smaller = tf.train.Checkpoint(v=tf.Variable(tf.ones([8]), sharding=at("model")))
    with pytest.raises(ValueError, match=r"tensor with shape \(64,\)"):
        smaller.read(path)


def test_keras_distribution_lays_out_weights_and_slots():
    keras = tf.keras
    mesh = keras.distribution.DeviceMesh((2, 4), ("batch", "model"))
    layouts = keras.distribution.LayoutMap(mesh)
    layouts[".*hidden/kernel"] = (None, "model")
    layouts[".*hidden/bias"] = ("model",)
    x = np.random.default_rng(0).normal(size=(64, 16)).astype("float32")
    histories = []
    for distribution in (
        None,
        keras.distribution.ModelParallel(layout_map=layouts, batch_dim_name="batch"),
    ):
        keras.distribution.set_distribution(distribution)
        try:
            keras.utils.set_random_seed(1)
            inputs = keras.layers.Input((16,))
            hidden = keras.layers.Dense(64, "relu", name="hidden")(inputs)
            model = keras.Model(inputs, keras.layers.Dense(1)(hidden))
            model.compile("adam", "mse")
            y = x.sum(1, keepdims=True)
            fitted = model.fit(x, y, epochs=2, batch_size=16, verbose=0, shuffle=False)
            histories.append(fitted.history["loss"])
        finally:
            keras.distribution.set_distribution(None)
    np.testing.assert_allclose(*histories, rtol=1e-5)
    kernel = model.get_layer("hidden").kernel
    slots = [v for v in model.optimizer.variables if v.shape == kernel.shape]
    assert len(slots) == 2
    assert all(parts(v._root) == {(16, 16)} for v in (kernel, *slots))
    kernel.assign(np.zeros((16, 64), "float32"))
    assert parts(kernel._root) == {(16, 16)}


def test_weights_of_examples_and_classes_for_divided_data():
    keras, random = tf.keras, np.random.default_rng(0)
    x, y = random.normal(size=(16, 3)).astype("float32"), np.arange(16) % 3
    weights = np.linspace(0.5, 2.0, 16).astype("float32")
    starts = [random.normal(size=s).astype("float32") for s in ((3, 8), (8,), (8, 3), (3,))]

    def trained(*data):
        x, y, weights = data
        found = []
        for options in ({"sample_weight": weights}, {"class_weight": {0: 1.0, 1: 3.0, 2: 0.5}}):
            model = keras.Sequential([
                keras.Input([3]), keras.layers.Dense(8, "tanh"), keras.layers.Dense(3, "softmax"),
            ])  # fmt: skip
            loss = "sparse_categorical_crossentropy"
            model.compile("adam", loss, weighted_metrics=["accuracy"])
            model.set_weights(starts)
            options |= {"batch_size": 8, "epochs": 2, "verbose": 0, "shuffle": False}
            found += list(model.fit(x, y, **options).history.values())
            found += [model.evaluate(x, y, sample_weight=weights, verbose=0)]
        return found

    wanted = trained(x, y, weights)
    mesh = keras.distribution.DeviceMesh((8,), ["batch"])
    on_batch = NamedSharding(jax.make_mesh((8,), ("b",)), PartitionSpec("b"))
    arrays = [jax.device_put(array, on_batch) for array in (x, y, weights)]
    np.testing.assert_allclose(trained(*arrays), wanted, rtol=1e-5)
    np.testing.assert_allclose(trained(*map(tf.constant, arrays)), wanted, rtol=1e-5)
    keras.distribution.set_distribution(keras.distribution.DataParallel(mesh))
    try:
        np.testing.assert_allclose(trained(x, y, weights), wanted, rtol=1e-5)
    finally:
        keras.distribution.set_distribution(None)


def test_copies_have_the_sharding():
    v = tf.Variable(np.arange(8.0), name="w", sharding=at("model"))
    for other in copy.deepcopy(v), pickle.loads(pickle.dumps(v)):
        assert other.sharding == v.sharding
        assert other.name == "w:0"
        other.assign(np.zeros(8))
        assert parts(other) == {(2,)}
        assert v.numpy().tolist() == list(range(8))
    copy.copy(v).assign(np.ones(8))
    assert parts(v) == {(2,)}
    assert v.numpy().tolist() == [1.0] * 8


def test_a_pickled_variable_whose_devices_are_missing_lies_on_one(monkeypatch, caplog):
    text = pickle.dumps(tf.Variable(np.arange(8.0), name="w", sharding=at("model")))
    monkeypatch.setattr(jax, "devices", lambda *a: [])
    tf.get_logger().propagate = True
    v = pickle.loads(text)
    assert v.sharding is None
    assert v.numpy().tolist() == list(range(8))
    assert "was pickled with the sharding" in caplog.text


def test_a_mesh_of_one_device_without_axes():
    dtensor = tf.experimental.dtensor
    layout = dtensor.Layout.from_device("CPU:0")
    v = dtensor.DVariable(tf.constant([1.0, 2.0]), layout=layout)
    v.assign_add([1.0, 1.0])
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(v**2)
    assert tape.gradient(loss, v).numpy().tolist() == [4.0, 6.0]
    assert v.layout == layout
    assert dtensor.pack([tf.constant([3.0])], layout).numpy().tolist() == [3.0]
    assert [part.numpy().tolist() for part in dtensor.unpack(v)] == [[2.0, 3.0]]
    assert (layout.num_shards(0), layout.offset_to_shard()) == (1, [()])
    with dtensor.default_mesh(layout.mesh):
        assert dtensor.fetch_layout(tf.zeros([2])) == layout
    with pytest.raises(ValueError, match=r"write Layout\.from_single_device_mesh"):
        dtensor.Layout.replicated(layout.mesh, 1)
    mesh = dtensor.create_mesh([("x", 1)], devices=["CPU:0"])
    for made in layout, layout.mesh, mesh, dtensor.Layout(["x"], mesh):
        assert pickle.loads(pickle.dumps(made)) == made


def test_it_shows_itself_as_any_variable_does():
    v = tf.Variable([1.0, 2.0], sharding=at("batch"))
    shown = (
        "<tf.Variable 'Variable:0' shape=(2,) dtype=float32, numpy=array([1., 2.], dtype=float32)>"
    )
    assert repr(v) == shown
    assert v.device == "/job:localhost/replica:0/task:0/device:CPU:0"
    assert tf.Variable(1.0).sharding is None


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: tf.Variable(tf.zeros([6]), sharding=at("model")), ValueError, "into 4 equal"),
        (lambda: tf.Variable(1.0, sharding=at("model")), ValueError, "has 0 axes"),
        (
            lambda: tf.Variable(tf.zeros([12, 2]), sharding=at(("batch", "model"))),
            ValueError, "multiple of 8",
        ),
        (lambda: tf.Variable(1.0, sharding="model"), TypeError, "must be a jax.sharding.Named"),
        (lambda: tf.Variable(["a"], sharding=at()), ValueError, "lies on the host"),
        (lambda: tf.Variable([1.0], sharding=at("modle")), ValueError, "modle"),
    ],
)  # fmt: skip
def test_a_wrong_sharding_is_an_error_of_the_call(make, error, text):
    with pytest.raises(error, match=text):
        make()


def test_an_assignment_that_cannot_be_divided_changes_nothing():
    v = tf.Variable(tf.zeros([8]), shape=[None], sharding=at("model"))
    v.assign(tf.ones([4]))
    assert parts(v) == {(1,)}
    with pytest.raises(ValueError, match="cannot be divided"):
        v.assign(tf.zeros([6]))
    assert v.numpy().tolist() == [1.0] * 4


def test_a_mesh_with_explicit_axes_is_taken_as_one_whose_axes_are_automatic():
    mesh = jax.make_mesh((8,), ("all",), axis_types=(jax.sharding.AxisType.Explicit,))
    v = tf.Variable(tf.zeros([8, 2]), sharding=NamedSharding(mesh, PartitionSpec("all", None)))
    v.assign_add(tf.matmul(tf.ones([8, 2]), tf.ones([2, 2])))
    assert parts(v) == {(1, 2)}
    assert v.numpy().tolist() == [[2.0, 2.0]] * 8


def test_jax_transformations_take_them():
    v = tf.Variable(tf.ones([8]), sharding=at("model"))
    assert jax.jit(lambda u: u.assign_add(tf.ones([8])).value())(v).numpy().tolist() == [2.0] * 8
    gradient = jax.grad(lambda u: tf.reduce_sum(u * u).__jax_array__())(v)
    assert gradient.numpy().tolist() == [2.0] * 8
    assert gradient.sharding == v.sharding
