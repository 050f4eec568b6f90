"""Paths with `://`, which fsspec opens: here those of its storage in memory."""

import pathlib
import sys
import time

import numpy as np
import pytest

import tapefacade as tf

fsspec = pytest.importorskip("fsspec")
gfile = tf.io.gfile
ROOT = "memory://bucket"


@pytest.fixture(autouse=True)
def empty_storage():
    yield
    fsspec.filesystem("memory").store.clear()
    fsspec.filesystem("memory").pseudo_dirs[:] = [""]


def test_files_are_written_read_and_looked_at():
    path = f"{ROOT}/inner/file.txt"
    assert not gfile.exists(path)
    gfile.makedirs(f"{ROOT}/inner")
    with gfile.GFile(path, "w") as file:
        file.write("one\ntwé\n")
    with gfile.GFile(path) as file:
        assert file.readlines() == ["one\n", "twé\n"]
        file.seek(4)
        assert file.read() == "twé\n"
        assert file.size() == 9
    with gfile.GFile(path, "a") as file:
        file.write("three")
    with gfile.GFile(path, "rb") as file:
        assert file.read() == "one\ntwé\nthree".encode()
    found = gfile.stat(path)
    assert (found.length, found.is_directory) == (14, False)
    assert abs(found.mtime_nsec / 1e9 - time.time()) < 86400
    assert gfile.stat(f"{ROOT}/inner").is_directory
    assert gfile.isdir(f"{ROOT}/inner")
    assert not gfile.isdir(path)


def test_directories_are_listed_and_walked_through():
    for name in ("a.txt", "b.txt", "inner/c.txt"):
        tf.io.write_file(f"{ROOT}/{name}", name)
    assert sorted(gfile.listdir(ROOT)) == ["a.txt", "b.txt", "inner"]
    assert sorted(gfile.glob(f"{ROOT}/*.txt")) == [f"{ROOT}/a.txt", f"{ROOT}/b.txt"]
    assert tf.io.matching_files(f"{ROOT}/inner/?.txt").numpy().tolist() == [
        f"{ROOT}/inner/c.txt".encode()
    ]
    walked = [(top, dirs, sorted(files)) for top, dirs, files in gfile.walk(ROOT)]
    assert walked == [(ROOT, ["inner"], ["a.txt", "b.txt"]), (f"{ROOT}/inner", [], ["c.txt"])]


def test_files_are_copied_moved_and_deleted(tmp_path):
    first, second, local = f"{ROOT}/first", f"{ROOT}/second", str(tmp_path / "local")
    tf.io.write_file(first, "text")
    gfile.copy(first, local)
    gfile.copy(local, second)
    assert tf.io.read_file(second).numpy() == b"text"
    with pytest.raises(tf.errors.AlreadyExistsError):
        gfile.copy(first, second)
    gfile.rename(second, first, overwrite=True)
    assert gfile.listdir(ROOT) == ["first"]
    with pytest.raises(tf.errors.UnimplementedError, match="copy it"):
        gfile.rename(first, local, overwrite=True)
    gfile.remove(first)
    assert not gfile.exists(first)
    tf.io.write_file(f"{ROOT}/inner/x", "")
    with pytest.raises(tf.errors.FailedPreconditionError):
        gfile.remove(f"{ROOT}/inner")
    gfile.rmtree(f"{ROOT}/inner")
    assert not gfile.exists(f"{ROOT}/inner/x")


def test_what_is_not_there_is_an_error_of_tensorflow():
    path = f"{ROOT}/nowhere"
    for ask in (
        lambda: gfile.GFile(path).read(),
        lambda: gfile.listdir(path),
        lambda: gfile.stat(path),
        lambda: gfile.remove(path),
        lambda: gfile.rmtree(path),
        lambda: gfile.rename(path, f"{path}2"),
        lambda: gfile.copy(path, f"{path}2"),
        lambda: tf.io.read_file(path),
        lambda: list(tf.data.TFRecordDataset(path)),
        lambda: list(tf.data.TextLineDataset(path)),
    ):
        with pytest.raises(tf.errors.NotFoundError, match="nowhere"):
            ask()
    with pytest.raises(tf.errors.UnimplementedError, match="scheme 'nosuch' not implemented"):
        gfile.exists("nosuch://x")


@pytest.mark.parametrize("compression", ["", "GZIP", "ZLIB"])
def test_records_and_lines(compression):
    path = f"{ROOT}/records"
    with tf.io.TFRecordWriter(path, compression) as writer:
        writer.write(b"first")
        writer.write(b"second")
    found = tf.data.TFRecordDataset(path, compression)
    assert list(found.as_numpy_iterator()) == [b"first", b"second"]
    tf.io.write_file(f"{ROOT}/lines", "one\ntwo\n")
    assert list(tf.data.TextLineDataset(f"{ROOT}/lines").as_numpy_iterator()) == [b"one", b"two"]


def test_keras_saves_and_loads():
    keras = pytest.importorskip("keras")
    layers = tf.keras.layers
    model = tf.keras.Sequential([layers.Input((2,)), layers.Dense(3)])
    path = f"{ROOT}/model.keras"
    model.save(path)
    assert gfile.exists(path)
    x = np.ones((1, 2), np.float32)
    loaded = tf.keras.models.load_model(path)
    np.testing.assert_array_equal(loaded(x), model(x))
    assert keras.src.utils.file_utils.isdir(ROOT)


def test_checkpoints_are_saved_and_restored():
    v, text = tf.Variable([1.0, 2.0]), tf.Variable(["a", "bc"])
    half = tf.Variable(tf.ones((3,), tf.bfloat16))
    checkpoint = tf.train.Checkpoint(v=v, text=text, half=half)
    path = checkpoint.save(f"{ROOT}/run/ckpt")
    assert path == f"{ROOT}/run/ckpt-1"
    assert tf.train.latest_checkpoint(f"{ROOT}/run") == path
    assert (
        tf.io.read_file(f"{ROOT}/run/checkpoint")
        .numpy()
        .startswith(b'model_checkpoint_path: "ckpt-1"')
    )
    v.assign([0.0, 0.0])
    text.assign(["", ""])
    half.assign(tf.zeros_like(half))
    checkpoint.restore(path).assert_consumed()
    np.testing.assert_array_equal(v.numpy(), [1.0, 2.0])
    assert text.numpy().tolist() == [b"a", b"bc"]
    np.testing.assert_array_equal(tf.cast(half, tf.float32).numpy(), np.ones(3))
    reader = tf.train.load_checkpoint(f"{ROOT}/run")
    assert reader.get_tensor("v/.ATTRIBUTES/VARIABLE_VALUE").tolist() == [1.0, 2.0]
    left = {name.partition(".")[0] for name in gfile.listdir(f"{ROOT}/run")}
    assert left == {"checkpoint", "ckpt-1"}
    checkpoint.write(path)  # in its place: no values of the one before stay
    assert len(gfile.listdir(f"{ROOT}/run")) == 3
    with pytest.raises(tf.errors.NotFoundError):
        checkpoint.restore(f"{ROOT}/run/ckpt-2")


def test_a_remote_checkpoint_without_its_values_is_damaged():
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    path = checkpoint.write(f"{ROOT}/cut")
    for name in gfile.listdir(ROOT):
        if ".data-" in name:
            gfile.remove(f"{ROOT}/{name}")
    with pytest.raises(tf.errors.DataLossError, match="values of the checkpoint is missing"):
        checkpoint.read(path)


def test_a_failed_save_leaves_nothing(monkeypatch):
    system = fsspec.filesystem("memory")
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))

    def refused(*_, **__):
        raise PermissionError("no")

    monkeypatch.setattr(type(system), "mv", refused)
    with pytest.raises(PermissionError):
        checkpoint.save(f"{ROOT}/denied/ckpt")
    assert not gfile.glob(f"{ROOT}/denied/*")
    assert int(checkpoint.save_counter.numpy()) == 0


def test_a_manager_keeps_the_latest_checkpoints():
    v = tf.Variable(0)
    checkpoint = tf.train.Checkpoint(v=v)
    manager = tf.train.CheckpointManager(checkpoint, f"{ROOT}/managed", max_to_keep=2)
    for number in range(4):
        v.assign(number)
        manager.save()
    assert manager.checkpoints == [f"{ROOT}/managed/ckpt-{number}" for number in (3, 4)]
    assert len(gfile.listdir(f"{ROOT}/managed")) == 5
    v.assign(9)
    again = tf.train.CheckpointManager(checkpoint, f"{ROOT}/managed", max_to_keep=2)
    assert again.restore_or_initialize() == f"{ROOT}/managed/ckpt-4"
    assert int(v) == 3
    times = tf.compat.v1.train.get_checkpoint_mtimes(manager.checkpoints)
    assert len(times) == 2
    assert all(abs(found - time.time()) < 86400 for found in times)


def test_checkpoints_of_tensorflow_are_read_remotely():
    folder = pathlib.Path(__file__).parent / "goldens" / "checkpoints" / "objects"
    for path in folder.iterdir():
        tf.io.write_file(f"{ROOT}/theirs/{path.name}", path.read_bytes())
    ours = tf.train.load_checkpoint(str(folder / "ckpt-2"))
    theirs = tf.train.load_checkpoint(f"{ROOT}/theirs/ckpt-2")
    shapes = ours.get_variable_to_shape_map()
    assert theirs.get_variable_to_shape_map() == shapes
    for key in shapes:
        np.testing.assert_array_equal(theirs.get_tensor(key), ours.get_tensor(key))


def test_saved_models():
    module = tf.Module()
    module.w = tf.Variable([2.0, 3.0])
    module.scale = tf.function(
        lambda x: module.w * x + tf.constant([1.0, 1.0]),
        input_signature=[tf.TensorSpec([2], tf.float32)],
    )
    for _ in range(2):  # the second takes the place of the first
        tf.saved_model.save(module, f"{ROOT}/model")
    assert tf.saved_model.contains_saved_model(f"{ROOT}/model")
    loaded = tf.saved_model.load(f"{ROOT}/model")
    np.testing.assert_array_equal(loaded.scale(tf.constant([1.0, 2.0])), [3.0, 7.0])
    assert len(gfile.listdir(f"{ROOT}/model/programs")) == 1


@pytest.mark.parametrize("name", ["w.weights.h5", "weights", "w.h5", "inner/w"])
@pytest.mark.filterwarnings("ignore")
def test_weights_of_keras(name):
    pytest.importorskip("keras")
    layers = tf.keras.layers
    model = tf.keras.Sequential([layers.Input((2,)), layers.Dense(3)])
    before = [w.copy() for w in model.get_weights()]
    model.save_weights(f"{ROOT}/{name}")
    model.set_weights([np.zeros_like(w) for w in before])
    model.load_weights(f"{ROOT}/{name}")
    for found, wanted in zip(model.get_weights(), before, strict=True):
        np.testing.assert_array_equal(found, wanted)


def test_schemes_are_those_that_are_installed():
    found = gfile.get_registered_schemes()
    assert found[:2] == ["file", ""]
    assert "memory" in found
    assert len(set(found)) == len(found)


def test_without_fsspec_there_is_an_error_that_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(ImportError, match=r"`gs://` need fsspec.*`remote` brings: pip install '"):
        gfile.exists("gs://bucket/file")
