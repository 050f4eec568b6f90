"""Paths with `://`, which fsspec opens: here those of its storage in memory."""

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


def test_schemes_are_those_that_are_installed():
    found = gfile.get_registered_schemes()
    assert found[:2] == ["file", ""]
    assert "memory" in found
    assert len(set(found)) == len(found)


def test_without_fsspec_there_is_an_error_that_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(ImportError, match=r"`gs://` need fsspec.*'tapefacade\[remote\]'"):
        gfile.exists("gs://bucket/file")
