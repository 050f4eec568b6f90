"""Checkpoints in files that are damaged, foreign or TensorFlow's, and programs that die."""

import gc
import json
import os
import pathlib
import pickle
import random
import shutil
import subprocess
import sys
import textwrap
import threading
import weakref

import numpy as np
import pytest
from goldens.generate_checkpoints import OPTIMIZERS, training

import tapefacade as tf
from tapefacade._checkpoint import deferred_values
from tapefacade._io import whole_files

FIXTURES = pathlib.Path(__file__).parent / "goldens" / "checkpoints"
ANSWERS = json.loads((FIXTURES / "answers.json").read_text())
KEY = "v/.ATTRIBUTES/VARIABLE_VALUE"
BROKEN = (tf.errors.DataLossError, tf.errors.NotFoundError)


def value_of(dtype, shape, listed):
    if dtype == "string":
        return np.array([text.encode() for text in listed], object).reshape(shape)
    if dtype.startswith("complex"):
        listed = [complex(*pair) for pair in listed]
    return np.array(listed, tf.as_dtype(dtype).as_numpy_dtype).reshape(shape)


# -- what TensorFlow has written ------------------------------------------------------------------


@pytest.mark.parametrize("path", ANSWERS)
def test_values_in_checkpoints_of_tensorflow(path):
    reader = tf.train.load_checkpoint(FIXTURES / path)
    names = [name for name, _ in tf.train.list_variables(FIXTURES / path)]
    assert [name for name in names if name[0] != "_"] == list(ANSWERS[path])
    for name, (dtype, shape, listed) in ANSWERS[path].items():
        assert reader.get_variable_to_dtype_map()[name].name == dtype
        assert reader.get_variable_to_shape_map()[name] == shape
        if name == "parts":
            with pytest.raises(
                tf.errors.UnimplementedError, match=r"model.ckpt: parts is stored in 2"
            ):
                reader.get_tensor(name)
            continue
        found = np.asarray(reader.get_tensor(name))
        want = value_of(dtype, shape, listed)
        assert found.shape == want.shape
        assert (found == want).all()


def model():
    made = tf.Module()
    made.w = tf.Variable([[0.0, 0.0], [0.0, 0.0]])
    made.layers = []
    made.named = {"a/b": tf.Variable(0, dtype=tf.int64), "t": (tf.Variable(False),)}
    made.texts = tf.Variable(["", "", ""])
    for dtype in ("float16", "bfloat16", "float64", "complex64", "complex128", "int8", "uint16"):
        setattr(made, dtype, tf.Variable(tf.cast([0, 0, 0], dtype)))
    made.none = tf.Variable(tf.zeros([0, 3]))
    made.generator = tf.random.Generator.from_seed(1)
    return made


def test_objects_get_what_tensorflow_has_saved():
    made, step = model(), tf.Variable(0, dtype=tf.int64)
    checkpoint = tf.train.Checkpoint(model=made, step=step)
    path = tf.train.latest_checkpoint(FIXTURES / "objects")
    status = checkpoint.restore(path)
    with pytest.raises(
        AssertionError, match=r"Unresolved object in checkpoint \(root\).model.layers.0"
    ):
        status.assert_consumed()
    made.layers += [tf.Variable(1.0), tf.Variable(2.0)]
    assert [v.numpy() for v in made.layers] == [10.0, 11.0]
    status.assert_consumed()
    assert step.numpy() == 42
    assert made.w.numpy().tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert made.texts.numpy().tolist() == [b"a", b"", ("é" * 100).encode()]
    assert made.named["a/b"].numpy() == 3
    assert made.complex128.numpy().tolist() == [1, 2, 3]
    assert checkpoint.save_counter.numpy() == 2
    manager = tf.train.CheckpointManager(checkpoint, FIXTURES / "objects", max_to_keep=5)
    assert [os.path.basename(path) for path in manager.checkpoints] == ["ckpt-1", "ckpt-2"]


def test_a_manager_goes_on_where_tensorflow_has_stopped(tmp_path):
    shutil.copytree(FIXTURES / "objects", tmp_path, dirs_exist_ok=True)
    step = tf.Variable(0, dtype=tf.int64)
    manager = tf.train.CheckpointManager(tf.train.Checkpoint(step=step), tmp_path, max_to_keep=1)
    assert os.path.basename(manager.restore_or_initialize()) == "ckpt-2"
    assert step.numpy() == 42
    assert os.path.basename(manager.save()) == "ckpt-3"
    assert sorted(path.name.split(".")[0] for path in tmp_path.iterdir()) == [
        "checkpoint", "ckpt-3", "ckpt-3",
    ]  # fmt: skip


def test_variables_get_values_by_their_names():
    kernel = tf.Variable([[0.0, 0.0]], name="dense/kernel")
    bias = tf.Variable([0.0], name="dense/bias")
    path = FIXTURES / "names" / "model.ckpt"
    status = tf.train.Checkpoint(a=kernel, b=bias).restore(path)
    status.assert_existing_objects_matched()
    assert kernel.numpy().tolist() == [[1.0, 2.0]]
    assert bias.numpy().tolist() == [3.0]
    with pytest.raises(AssertionError, match="parts"):
        status.assert_consumed()
    other = tf.train.Checkpoint(a=tf.Variable(1.0, name="other")).restore(path)
    with pytest.raises(AssertionError, match="other"):
        other.assert_existing_objects_matched()


def test_a_saved_model_of_tensorflow_gives_its_variables():
    made = tf.Module()
    made.w = tf.Variable([0.0, 0.0])
    tf.train.Checkpoint(made).restore(FIXTURES / "saved_model").expect_partial()
    assert made.w.numpy().tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="whose graph cannot be run") as caught:
        tf.saved_model.load(FIXTURES / "saved_model")
    assert "tf.train.Checkpoint(...).restore" in caught.value.__notes__[0]
    assert tf.saved_model.contains_saved_model(FIXTURES / "saved_model")


# -- files that are not what was written ----------------------------------------------------------


def written(directory):
    """A checkpoint of ours and its files."""
    path = str(directory / "own" / "ck")
    tf.train.Checkpoint(v=tf.Variable([1.0, 2.0, 3.0]), s=tf.Variable(["a", "bc"])).write(path)
    return path, sorted((directory / "own").iterdir())


def all_values(path):
    reader = tf.train.load_checkpoint(path)
    return {
        name: np.asarray(reader.get_tensor(name)).tolist()
        for name, _ in tf.train.list_variables(path)
    }


def with_copies(directory, of):
    """A checkpoint of ours, or copies of one of TensorFlow's, and the files."""
    if of == "ours":
        return written(directory)
    target = directory / "copy"
    shutil.copytree(FIXTURES / of, target)
    prefix = {"objects": "ckpt-2", "saved_model": "variables/variables"}[of]
    files = sorted((target / prefix).parent.glob(pathlib.Path(prefix).name + ".*"))
    return str(target / prefix), files


@pytest.mark.parametrize("of", ["ours", "objects"])
def test_a_truncated_file_is_an_error_that_names_it(of, tmp_path):
    path, files = with_copies(tmp_path, of)
    for file in files:
        data = file.read_bytes()
        for length in {0, 1, 7, len(data) // 3, len(data) // 2, len(data) - 9, len(data) - 1}:
            file.write_bytes(data[:length])
            if file.suffix == ".index" and length == len(data) - 1 and of == "ours":
                continue  # without the last line end it is complete
            with pytest.raises(BROKEN) as caught:
                all_values(path)
            assert file.name in str(caught.value) or pathlib.Path(path).name in str(caught.value)
        file.write_bytes(data)
    all_values(path)


@pytest.mark.parametrize("of", ["ours", "objects", "saved_model"])
def test_a_flipped_bit_changes_no_value_unnoticed(of, tmp_path):
    path, files = with_copies(tmp_path, of)
    want = all_values(path)
    choose = random.Random(1)
    noticed = 0
    for file in files:
        data = file.read_bytes()
        for place in choose.sample(range(len(data)), min(len(data), 150)):
            changed = bytearray(data)
            changed[place] ^= 1 << choose.randrange(8)
            file.write_bytes(changed)
            try:
                found = all_values(path)
            except BROKEN:
                noticed += 1
            else:
                assert found == want, (file.name, place)
        file.write_bytes(data)
    assert noticed > 100


class Payload:
    def __reduce__(self):
        return pathlib.Path.touch, (pathlib.Path("unpickled"),)


@pytest.mark.parametrize(
    "content", [pickle.dumps(Payload()), b"", b"\x93NUMPY", b"{}", b"{" * 100, b"x" * 500]
)
def test_foreign_files_are_refused(content, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path, files = written(tmp_path)
    for file in files:
        data = file.read_bytes()
        file.write_bytes(content)
        with pytest.raises(tf.errors.DataLossError, match="ck"):
            tf.train.Checkpoint(v=tf.Variable([1.0, 2.0, 3.0])).restore(path)
        file.write_bytes(data)
    assert not pathlib.Path("unpickled").exists()


def test_values_that_are_missing_are_an_error(tmp_path):
    path, files = written(tmp_path)
    files[0].unlink()
    with pytest.raises(tf.errors.DataLossError, match=r"ck.data-\w+.safetensors: .* is missing"):
        tf.train.load_checkpoint(path)


def test_an_index_of_another_kind_is_an_error(tmp_path):
    module = tf.Module()
    module.v = tf.Variable(1.0)
    tf.saved_model.save(module, str(tmp_path / "m"))
    shutil.copy(tmp_path / "m" / "saved_model.json", tmp_path / "ck.index")
    with pytest.raises(
        tf.errors.DataLossError, match=r"ck\.index: the file is no index of a tapefacade"
    ):
        tf.train.load_checkpoint(tmp_path / "ck")


# -- saving ---------------------------------------------------------------------------------------

KILLED = """
import os, signal, sys
import numpy as np
import tapefacade as tf

directory = sys.argv[1]
names = ["a", "b", "c"]

def save(value):
    variables = {name: tf.Variable(np.full([5], value, np.int32)) for name in names}
    tf.train.Checkpoint(**variables).save(directory + "/ck")

def dying(before, count):
    calls = [0]
    def wrapped(original):
        def call(*args, **kwargs):
            calls[0] += 1
            if calls[0] == count and before:
                os.kill(os.getpid(), signal.SIGKILL)
            result = original(*args, **kwargs)
            if calls[0] == count:
                os.kill(os.getpid(), signal.SIGKILL)
            return result
        return call
    for name in ("replace", "fsync", "remove", "open", "makedirs"):
        setattr(os, name, wrapped(getattr(os, name)))

count, alive = 1, False
while not alive:
    for before in (True, False):
        child = os.fork()
        if child == 0:
            dying(before, count)
            save(count)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        alive = os.WIFEXITED(status)
        assert not alive or os.WEXITSTATUS(status) == 0
        latest = tf.train.latest_checkpoint(directory)
        if latest is not None:
            reader = tf.train.load_checkpoint(latest)
            keys = [name + "/.ATTRIBUTES/VARIABLE_VALUE" for name in names]
            found = {tuple(reader.get_tensor(key).tolist()) for key in keys}
            assert len(found) == 1, found
    count += 1
print(count)
"""


def test_a_save_that_is_killed_leaves_a_checkpoint_that_loads(tmp_path):
    command = [sys.executable, "-W", "ignore", "-c", KILLED, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 5


def test_an_overwritten_checkpoint_leaves_no_values_behind(tmp_path):
    v = tf.Variable(1.0)
    for k in range(3):
        v.assign(k)
        path = tf.train.Checkpoint(v=v).write(tmp_path / "ck")
    assert len(list(tmp_path.iterdir())) == 2
    assert tf.train.load_variable(path, KEY) == 2.0


def test_a_failed_save_leaves_what_was_there(tmp_path, monkeypatch):
    v = tf.Variable(1.0)
    checkpoint = tf.train.Checkpoint(v=v)
    path = checkpoint.save(tmp_path / "ck")
    v.assign(2.0)

    def fail(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(whole_files.os, "replace", fail)
        with pytest.raises(OSError, match="No space"):
            checkpoint.save(tmp_path / "ck")
        with pytest.raises(OSError, match="No space"):
            checkpoint.write(path)
    assert tf.train.load_variable(path, KEY) == 1.0
    assert checkpoint.save_counter.numpy() == 1
    assert not [name for name in os.listdir(tmp_path) if name.endswith(".part")]


def test_saves_at_the_same_time(tmp_path):
    """Readers find one of the checkpoints that were saved, whole."""
    failures = []

    def save(value):
        variables = {name: tf.Variable(np.full([100], value)) for name in "abc"}
        for _ in range(10):
            tf.train.Checkpoint(**variables).write(tmp_path / "ck")

    def read():
        for _ in range(30):
            try:
                reader = tf.train.load_checkpoint(tmp_path / "ck")
                found = [reader.get_tensor(f"{n}/.ATTRIBUTES/VARIABLE_VALUE") for n in "abc"]
                assert len(np.unique(found)) == 1
            except Exception as error:
                failures.append(error)

    save(0.0)
    threads = [threading.Thread(target=save, args=(k,)) for k in (1.0, 2.0)]
    threads.append(threading.Thread(target=read))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_what_is_pending_is_saved_as_its_value(tmp_path):
    v = tf.Variable(tf.ones([3]))
    v.assign_add(tf.ones([3]) * 2.0)
    path = tf.train.Checkpoint(v=v).write(tmp_path / "ck")
    assert tf.train.load_variable(path, KEY).tolist() == [3.0, 3.0, 3.0]


def test_safetensors_reads_the_values(tmp_path):
    _, files = written(tmp_path)
    safetensors = pytest.importorskip("safetensors.numpy")
    found = safetensors.load_file(files[0])
    assert found[KEY].tolist() == [1.0, 2.0, 3.0]


def test_without_safetensors_there_is_an_error_that_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "safetensors.numpy", None)
    with pytest.raises(ImportError, match=r"`checkpoint` brings: pip install '"):
        tf.train.Checkpoint(v=tf.Variable(1.0)).write(tmp_path / "ck")
    tf.train.load_checkpoint(FIXTURES / "objects")  # which needs nothing


# -- restoring ------------------------------------------------------------------------------------


def test_a_restore_that_fails_changes_nothing(tmp_path):
    path = tf.train.Checkpoint(a=tf.Variable(1.0), b=tf.Variable([1.0, 2.0])).write(tmp_path / "ck")
    a, b = tf.Variable(5.0), tf.Variable([1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="incompatible tensor with shape"):
        tf.train.Checkpoint(a=a, b=b).read(path)
    assert a.numpy() == 5.0


def test_a_variable_whose_first_value_fails_is_assigned_while_others_wait(tmp_path):
    path = tf.train.Checkpoint(m=module_with(2)).write(tmp_path / "ck")
    module = module_with(1)
    tf.train.Checkpoint(m=module).read(path).expect_partial()
    place = tf.cast(tf.Variable([9.0]) * 1.0, tf.int32)
    bad = tf.gather([1.0, 2.0], place)
    variable = tf.Variable(bad)
    with pytest.raises(tf.errors.InvalidArgumentError):
        bad.numpy()
    variable.assign([7.0])
    assert variable.numpy() == 7.0


def test_restoring_again_and_again_leaves_one_restoring_that_waits(tmp_path):
    """An evaluator restores every checkpoint of a training, of which it has a part."""
    path = tf.train.Checkpoint(m=module_with(2), other=tf.Variable(7.0)).write(tmp_path / "ck")
    module = module_with(1)
    checkpoint = tf.train.Checkpoint(m=module)
    for _ in range(3):
        checkpoint.read(path).expect_partial()
    _, waiting = deferred_values._OWNERS[id(checkpoint)]
    assert len(waiting) == 1
    checkpoint.other = tf.Variable(0.0)
    assert checkpoint.other.numpy() == 7.0


def test_nothing_is_hooked_when_nothing_waits(tmp_path):
    gc.collect()
    init, put = tf.Variable.__init__, tf.Variable._put
    path = tf.train.Checkpoint(m=module_with(2)).write(tmp_path / "ck")
    module = module_with(1)
    tf.train.Checkpoint(m=module).read(path).expect_partial()
    assert tf.Variable.__init__ is not init
    assert "__setattr__" in vars(tf.Module)
    module.extra = tf.Variable(0.0)
    module.layers.append(tf.Variable(0.0))
    assert module.layers[1].numpy() == 1.0
    gc.collect()
    del module
    gc.collect()
    assert tf.Variable.__init__ is init
    assert tf.Variable._put is put
    assert "__setattr__" not in vars(tf.Module)
    assert not deferred_values._NEW_VARIABLES


def module_with(count):
    module = tf.Module()
    module.layers = [tf.Variable(float(k)) for k in range(count)]
    return module


def test_iterators_are_accepted(tmp_path):
    v, dataset = tf.Variable(1.0), tf.data.Dataset.range(3)
    checkpoint = tf.train.Checkpoint(v=v, iterator=iter(dataset), dataset=dataset)
    path = checkpoint.save(tmp_path / "ck")
    v.assign(2.0)
    checkpoint.restore(path).assert_consumed()
    assert v.numpy() == 1.0


def test_restoring_keeps_nothing_alive(tmp_path):
    path = tf.train.Checkpoint(m=module_with(3)).write(tmp_path / "ck")
    module = module_with(1)
    checkpoint = tf.train.Checkpoint(m=module)
    status = checkpoint.read(path).expect_partial()
    gone = weakref.ref(module.layers[0]), weakref.ref(module), weakref.ref(checkpoint)
    del module, checkpoint, status
    gc.collect()
    assert [reference() for reference in gone] == [None, None, None]


def test_a_later_restore_wins(tmp_path):
    first = tf.train.Checkpoint(m=module_with(2)).write(tmp_path / "first")
    source = module_with(2)
    source.layers[1].assign(20.0)
    second = tf.train.Checkpoint(m=source).write(tmp_path / "second")
    late = module_with(1)
    for path in (first, second):
        tf.train.Checkpoint(m=late).read(path).expect_partial()
    late.layers.append(tf.Variable(0.0))
    assert late.layers[1].numpy() == 20.0


def two_that_do_not_fit():
    made = module_with(2)
    made.layers[0] = tf.Variable([0.0, 0.0])
    made.layers[1] = tf.Variable([[0.0]])
    return made


def test_a_checkpoint_that_does_not_fit_is_refused_with_all_names(tmp_path):
    path = tf.train.Checkpoint(m=module_with(3)).write(tmp_path / "ck")
    target = two_that_do_not_fit()
    target.layers.append(tf.Variable(-7.0))
    with pytest.raises(ValueError, match="incompatible tensor with shape") as caught:
        tf.train.Checkpoint(m=target).read(path)
    text = str(caught.value)
    assert "2 values of the checkpoint do not fit, and nothing was restored" in text
    assert "m.layers.0: float32 of shape () in the checkpoint, float32 of shape (2,) in" in text
    assert "m.layers.1: float32 of shape () in the checkpoint, float32 of shape (1, 1) in" in text
    assert "m.layers.2" not in text
    assert target.layers[2].numpy() == -7.0


def test_dtypes_are_looked_at_before_shapes(tmp_path):
    path = tf.train.Checkpoint(v=tf.Variable(1.0), w=tf.Variable(2)).write(tmp_path / "ck")
    v, w = tf.Variable([0.0, 0.0]), tf.Variable(0.0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="tensor_name = w/") as caught:
        tf.train.Checkpoint(v=v, w=w).read(path)
    assert "v: float32 of shape () in the checkpoint, float32 of shape (2,)" in str(caught.value)


@pytest.mark.parametrize("dtypes", [(tf.int64, tf.float32), (tf.string, tf.int64)])
def test_tables_of_other_dtypes_are_refused_before_anything_is_restored(tmp_path, dtypes):
    def made(key, value):
        module = tf.Module()
        module.a = tf.Variable(0.0)
        module.t = tf.lookup.experimental.MutableHashTable(key, value, tf.cast(-1, value))
        return module

    source = made(tf.string, tf.float32)
    source.a.assign(1.0)
    source.t.insert(["x"], [1.0])
    path = tf.train.Checkpoint(m=source).write(tmp_path / "ck")
    target = made(*dtypes)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"(?s)table-.*RestoreV2_dtypes_3"):
        tf.train.Checkpoint(m=target).read(path)
    assert target.a.numpy() == 0.0
    same = made(tf.string, tf.float32)
    tf.train.Checkpoint(m=same).read(path).assert_consumed()
    assert same.t.lookup(tf.constant(["x"])).numpy() == [1.0]


def test_an_attribute_that_does_not_fit_is_refused_where_it_is_set(tmp_path):
    source = tf.Module()
    source.v = tf.Variable([1.0, 2.0])
    path = tf.train.Checkpoint(m=source).write(tmp_path / "ck")
    target = tf.Module()
    tf.train.Checkpoint(m=target).read(path).expect_partial()
    with pytest.raises(ValueError, match=r"shape \(2,\) when attempting .* shape \(3,\)"):
        target.v = tf.Variable([0.0, 0.0, 0.0])
    assert not hasattr(target, "v")
    target.v = tf.Variable([0.0, 0.0])
    assert target.v.numpy().tolist() == [1.0, 2.0]


def test_the_op_that_uses_a_variable_that_does_not_fit_raises(tmp_path):
    path = tf.train.Checkpoint(m=module_with(2)).write(tmp_path / "ck")
    late = module_with(0)
    status = tf.train.Checkpoint(m=late).read(path).expect_partial()
    late.layers.append(tf.Variable([1.0, 2.0]))
    late.layers.append(tf.Variable(0.0))
    for _ in range(2):
        with pytest.raises(ValueError, match="incompatible tensor with shape"):
            late.layers[0] + 1.0
    assert (late.layers[1] + 1.0).numpy() == 2.0
    del status


def test_a_value_that_does_not_fit_is_an_error_where_the_variable_is_used(tmp_path):
    path = tf.train.Checkpoint(m=module_with(2)).write(tmp_path / "ck")
    late = module_with(0)
    status = tf.train.Checkpoint(m=late).read(path).expect_partial()
    late.layers.append(tf.Variable([1.0, 2.0]))
    other = tf.Variable(3.0)
    assert other.numpy() == 3.0
    with pytest.raises(ValueError, match="incompatible tensor with shape"):
        late.layers[0].numpy()
    late.layers.append(tf.Variable(0.0))
    assert late.layers[1].numpy() == 1.0
    del status


def test_variables_that_wait_train_as_others(tmp_path):
    path = tf.train.Checkpoint(m=module_with(3)).write(tmp_path / "ck")
    late = module_with(0)
    tf.train.Checkpoint(m=late).read(path).expect_partial()
    late.layers += [tf.Variable(0.0), tf.Variable(0.0)]
    with tf.GradientTape() as tape:
        loss = late.layers[0] + 3.0 * late.layers[1] * late.layers[1]
    gradients = tape.gradient(loss, late.layers)
    assert [g.numpy() for g in gradients] == [1.0, 6.0]
    late.layers[1].assign_sub(gradients[1])
    assert late.layers[1].numpy() == -5.0
    unattached = tf.Variable(8.0)
    assert (unattached + 1.0).numpy() == 9.0


def test_jax_flags_and_programs_stay_as_they_are(tmp_path):
    """Reading costs a compiled step nothing: the same program runs before and after a restore."""
    v = tf.Variable([1.0, 2.0])

    @tf.function
    def step(x):
        v.assign_add(x)
        return tf.reduce_sum(v)

    checkpoint = tf.train.Checkpoint(v=v)
    step(tf.ones([2]))
    path = checkpoint.write(tmp_path / "ck")
    assert step(tf.ones([2])).numpy() == 7.0
    checkpoint.read(path).assert_consumed()
    assert step(tf.ones([2])).numpy() == 7.0
    assert step.experimental_get_tracing_count() == 1


def test_a_program_that_ends_says_what_was_not_restored(tmp_path):
    path = tf.train.Checkpoint(m=module_with(2)).write(tmp_path / "ck")
    program = textwrap.dedent(f"""
        import tapefacade as tf
        module = tf.Module()
        module.layers = [tf.Variable(0.0)]
        status = tf.train.Checkpoint(m=module).read({path!r})
        print(module.layers[0].numpy())
    """)
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout == "0.0\n"
    assert "could not be found in the restored object: (root).m.layers.1" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("name", OPTIMIZERS)
@pytest.mark.parametrize("is_built", [False, True])
def test_slots_that_tensorflow_saves_twice(name, is_built):
    model, step, checkpoint = training(tf, OPTIMIZERS[name](tf.keras), name)
    if is_built:
        model(tf.zeros([1, 2]))
        getattr(checkpoint, name).build(model.trainable_variables)
    status = checkpoint.read(FIXTURES / "doubled" / name)
    losses = json.loads((FIXTURES / "doubled" / "losses.json").read_text())[name]
    np.testing.assert_allclose([step() for _ in losses], losses, rtol=2e-6)
    status.assert_existing_objects_matched()


def test_doubled_slots_in_a_file_without_the_model_are_named():
    model = training(tf, OPTIMIZERS["an_adam"](tf.keras), "an_adam")[0]
    optimizer = tf.keras.optimizers.Adam()
    model(tf.zeros([1, 2]))
    optimizer.build(model.trainable_variables)
    before = [v.numpy() for v in optimizer.variables]
    with pytest.raises(ValueError, match=r"incompatible tensor[\s\S]*Slots of an optimizer bear"):
        tf.train.Checkpoint(other=optimizer).restore(FIXTURES / "doubled" / "alone")
    for kept, variable in zip(before, optimizer.variables, strict=True):
        np.testing.assert_array_equal(kept, variable.numpy())


def test_slots_of_equal_names_are_not_taken_for_doubled(tmp_path):
    def made():
        variables = [tf.Variable([float(n)]) for n in range(3)]  # all are called "Variable"
        optimizer = tf.keras.optimizers.Adam(0.1)
        return variables, optimizer, tf.train.Checkpoint(last=variables[2], optimizer=optimizer)

    variables, optimizer, checkpoint = made()
    gradients = [tf.constant([2.0 + n]) for n in range(3)]
    optimizer.apply_gradients(zip(gradients, variables, strict=True))
    path = checkpoint.save(str(tmp_path / "c"))
    others, other, checkpoint = made()
    other.build(others)
    checkpoint.restore(path).assert_consumed()
    for saved, restored in zip(optimizer.variables, other.variables, strict=True):
        np.testing.assert_array_equal(saved.numpy(), restored.numpy())
    np.testing.assert_array_equal(np.stack(variables), np.stack(others))


def test_variables_that_keras_layers_and_optimizers_set_late_are_restored(tmp_path):
    class Counting(tf.keras.layers.Layer):
        def build(self, shape):
            self.count = tf.keras.Variable(0.0, trainable=False)
            self.kernel = self.add_weight(shape=(2, 1), name="kernel")

        def call(self, x):
            self.count.assign(self.count + 1.0)
            return x @ self.kernel * self.count

    def made():
        model, optimizer = tf.keras.Sequential([Counting()]), tf.keras.optimizers.Nadam(0.1)

        def step():
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(model(tf.ones([3, 2])) ** 2)
            variables = model.trainable_variables
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
            return float(loss)

        return step, tf.train.Checkpoint(model=model, optimizer=optimizer)

    step, checkpoint = made()
    step(), step()
    path = checkpoint.save(str(tmp_path / "c"))
    again, other = made()
    status = other.restore(path)
    assert [again(), again(), again()] == [step(), step(), step()]
    status.assert_consumed()


def test_a_restoration_that_an_interrupt_ended_says_nothing(tmp_path, monkeypatch, caplog):
    """It may go in the middle of being made, where not all of its attributes are there."""
    v = tf.Variable(1.0)
    checkpoint = tf.train.Checkpoint(v=v)
    path = checkpoint.write(tmp_path / "saved")

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("tapefacade._checkpoint.restoration._reference", interrupted)
    unraisable = []
    monkeypatch.setattr("sys.unraisablehook", unraisable.append)
    with pytest.raises(KeyboardInterrupt):
        checkpoint.read(path)
    gc.collect()
    assert not unraisable
    assert not caplog.records


def test_variables_from_before_a_checkpoint_keep_their_values_while_another_one_waits(tmp_path):
    """An optimizer that is not built yet takes no values for variables that are there."""
    pytest.importorskip("keras")
    late = tf.train.Checkpoint(v=tf.Variable(7.0)).save(tmp_path / "late")
    waiting = tf.train.Checkpoint()
    waiting.restore(late)
    trained = tf.Variable(5.0)
    optimizer = tf.keras.optimizers.SGD(1.0)
    optimizer.build([trained])
    saved = tf.train.Checkpoint(optimizer=optimizer).save(tmp_path / "saved")
    variable, again = tf.Variable(1.0), tf.keras.optimizers.SGD(1.0)
    tf.train.Checkpoint(optimizer=again).restore(saved)
    again.apply_gradients([(tf.constant(0.25), variable)])
    assert variable.numpy() == 0.75  # as in TensorFlow
    waiting.v = tf.Variable(0.0)
    assert waiting.v.numpy() == 7.0
