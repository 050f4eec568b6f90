"""Paths with `://`, which fsspec opens: here those of its storage in memory."""

import pathlib
import sys
import time
import zipfile

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


@pytest.fixture(params=["here", "file://", "memory://", "simplecache::memory://"])
def folder(request, tmp_path):
    """A directory on this machine, or in a storage that should behave as one."""
    if request.param in ("here", "file://"):
        return f"{request.param.removeprefix('here')}{tmp_path}/folder"
    return f"{request.param}{tmp_path.name}/folder"  # of its own: simplecache keeps what it reads


def written(path, text):
    with gfile.GFile(path, "w") as file:
        file.write(text)
    return path


def test_patterns_mean_the_same_everywhere(folder):
    gfile.makedirs(f"{folder}/inner/deep")
    for name in ("a.txt", "b.txt", "c", "inner/d.txt", "inner/deep/e"):
        written(f"{folder}/{name}", name)
    for pattern, wanted in {
        "*": ["a.txt", "b.txt", "c", "inner"],
        "**": ["a.txt", "b.txt", "c", "inner"],  # no more than one star
        "[ab]*": ["a.txt", "b.txt"],
        "[!ab]*": ["c", "inner"],
        "*/*": ["inner/d.txt", "inner/deep"],
        "?": ["c"],
        "a.txt/*": [],
        "{a,b}.txt": [],
        "none/*": [],
        "c": ["c"],
        r"\*": [],
    }.items():
        assert sorted(gfile.glob(f"{folder}/{pattern}")) == [f"{folder}/{w}" for w in wanted]
    found = {top: (sorted(dirs), sorted(files)) for top, dirs, files in gfile.walk(folder)}
    assert found == {
        folder: (["inner"], ["a.txt", "b.txt", "c"]),
        f"{folder}/inner": (["deep"], ["d.txt"]),
        f"{folder}/inner/deep": ([], ["e"]),
    }
    assert list(gfile.walk(folder, topdown=False))[-1][0] == folder
    names = tf.data.Dataset.list_files(f"{folder}/*.txt", shuffle=False).as_numpy_iterator()
    assert list(names) == [f"{folder}/{name}.txt".encode() for name in "ab"]


def test_what_cannot_be_moved_is_refused_and_stays(folder):
    gfile.makedirs(f"{folder}/full")
    file, inner = written(f"{folder}/file", "1"), written(f"{folder}/full/inner", "2")
    gfile.makedirs(f"{folder}/from")
    moved = written(f"{folder}/from/moved", "3")
    for source, target in (("from", "full"), ("from", "file"), ("file", "full")):
        with pytest.raises(tf.errors.FailedPreconditionError):
            gfile.rename(f"{folder}/{source}", f"{folder}/{target}", overwrite=True)
    assert [gfile.GFile(path).read() for path in (file, inner, moved)] == ["1", "2", "3"]
    assert gfile.listdir(f"{folder}/full") == ["inner"]
    with pytest.raises(tf.errors.AlreadyExistsError):
        gfile.rename(file, moved)


def test_a_directory_takes_the_place_of_an_empty_one(folder):
    gfile.makedirs(f"{folder}/from")
    gfile.makedirs(f"{folder}/empty")
    written(f"{folder}/from/moved", "3")
    gfile.rename(f"{folder}/from", f"{folder}/empty", overwrite=True)
    assert gfile.listdir(f"{folder}/empty") == ["moved"]
    assert not gfile.exists(f"{folder}/from")


def test_a_file_moved_or_copied_to_itself_stays(folder):
    gfile.makedirs(folder)
    path = written(f"{folder}/file", "text")
    gfile.rename(path, path, overwrite=True)
    gfile.copy(path, path, overwrite=True)
    assert gfile.GFile(path).read() == "text"


def test_files_are_read_in_any_order(folder):
    gfile.makedirs(folder)
    path = written(f"{folder}/file", "one\ntwo\nthree")
    with gfile.GFile(path) as file:
        assert file.closed  # it is opened when it is read
        assert (file.readline(), file.tell(), file.read(2)) == ("one\n", 4, "tw")
        assert not file.closed
        file.seek(-5, 2)
        assert file.read() == "three"
        with pytest.raises(tf.errors.OutOfRangeError):
            file.seek(100)
        with pytest.raises(tf.errors.InvalidArgumentError):
            file.seek(-1)
        file.seek(0)
        assert file.readlines() == ["one\n", "two\n", "three"]
    assert file.closed
    with gfile.GFile(path, "rb") as file, pytest.raises(tf.errors.PermissionDeniedError):
        file.write(b"x")
    with gfile.GFile(path, "ab") as file, pytest.raises(tf.errors.PermissionDeniedError):
        file.read()


@pytest.mark.parametrize("compression", [None, "GZIP"])
def test_datasets_are_kept(folder, compression):
    path = f"{folder}/stored"
    numbers = tf.data.Dataset.range(5).map(lambda x: {"x": x, "text": tf.strings.as_string(x)})
    for _ in range(2):  # the second takes the place of the first
        numbers.save(path, compression=compression)
    found = [(int(e["x"]), e["text"].numpy()) for e in tf.data.Dataset.load(path)]
    assert found == [(n, str(n).encode()) for n in range(5)]
    assert sorted(gfile.listdir(path)) == ["elements.json", "elements.npy"]
    for make in (lambda d: d.cache(f"{folder}/kept"), lambda d: d.snapshot(f"{folder}/shot")):
        assert [int(x) for x in make(tf.data.Dataset.range(3))] == [0, 1, 2]
        assert [int(x) for x in make(tf.data.Dataset.range(9))] == [0, 1, 2]
    with pytest.raises(tf.errors.NotFoundError, match="metadata"):
        tf.data.Dataset.load(f"{folder}/none")


def test_a_cache_is_filled_by_one_iterator_at_a_time(folder):
    kept = tf.data.Dataset.range(3).cache(f"{folder}/kept")
    first = iter(kept)
    next(first)
    with pytest.raises(tf.errors.AlreadyExistsError, match="lockfile"):
        next(iter(kept))


def test_columns_and_tables(folder):
    gfile.makedirs(folder)
    path = written(f"{folder}/numbers.csv", "x,y\n1,2.5\n3,4.5\n")
    rows = tf.data.experimental.CsvDataset(path, [tf.int32, tf.float32], header=True)
    assert [(int(x), float(y)) for x, y in rows] == [(1, 2.5), (3, 4.5)]
    batches = tf.data.experimental.make_csv_dataset(
        f"{folder}/*.csv", 2, num_epochs=1, shuffle=False
    )
    assert [batch["x"].numpy().tolist() for batch in batches] == [[1, 3]]
    lines = tf.lookup.TextFileInitializer(
        written(f"{folder}/words", "a\nb\n"),
        tf.string, tf.lookup.TextFileIndex.WHOLE_LINE,
        tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER,
    )  # fmt: skip
    table = tf.lookup.StaticHashTable(lines, -1)
    assert table.lookup(tf.constant(["b", "z"])).numpy().tolist() == [1, -1]


def test_summaries(folder):
    pytest.importorskip("tensorboardX")
    writer = tf.summary.create_file_writer(f"{folder}/logs")
    (name,) = gfile.listdir(f"{folder}/logs")
    sizes = []
    for step in range(2):
        with writer.as_default():
            tf.summary.scalar("loss", 1.0, step=step)
        sizes.append(tf.io.read_file(f"{folder}/logs/{name}").numpy())
    writer.close()
    if "simplecache" not in folder:  # which goes on reading the copy that it has made
        assert len(sizes[1]) > len(sizes[0])
    assert b"loss" in sizes[0]
    assert gfile.listdir(f"{folder}/logs") == [name]


def test_nothing_is_written_beside_a_storage(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tf.data.Dataset.range(2).save(f"{ROOT}/stored")
    list(tf.data.Dataset.range(2).cache(f"{ROOT}/kept"))
    with pytest.raises(tf.errors.UnimplementedError, match="give a local directory"):
        tf.profiler.experimental.start(f"{ROOT}/profile")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.filterwarnings("ignore")
def test_models_and_callbacks_of_keras(folder, tmp_path, monkeypatch):
    keras = pytest.importorskip("keras")
    monkeypatch.chdir(tmp_path)
    layers, callbacks = tf.keras.layers, tf.keras.callbacks
    model = tf.keras.Sequential([layers.Input((2,)), layers.Dense(1)])
    model.compile("sgd", "mse")
    gfile.makedirs(folder)
    x, y = np.ones((4, 2), np.float32), np.ones((4, 1), np.float32)
    model.fit(
        x, y, epochs=2, verbose=0,
        callbacks=[
            callbacks.ModelCheckpoint(f"{folder}/at-{{epoch}}.keras"),
            callbacks.CSVLogger(f"{folder}/log.csv"),
            callbacks.BackupAndRestore(f"{folder}/backup"),
        ],
    )  # fmt: skip
    assert gfile.exists(f"{folder}/at-2.keras")
    assert gfile.GFile(f"{folder}/log.csv").readline().startswith("epoch,loss")
    for name in ("whole.keras", "whole.h5", "whole.hdf5"):
        model.save(f"{folder}/{name}")
        loaded = tf.keras.models.load_model(f"{folder}/{name}")
        np.testing.assert_array_equal(loaded(x), model(x))
    assert {path.name for path in tmp_path.iterdir()} <= {"folder"}
    assert keras.src.utils.file_utils.isdir(folder)


def test_files_in_an_archive_are_read(tmp_path):
    archive = tmp_path / "some.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("a.txt", "one\ntwo\n")
        file.writestr("inner/b.txt", "three")
    end = f"::file://{archive}"
    assert sorted(gfile.listdir(f"zip://{end}")) == ["a.txt", "inner"]
    assert gfile.glob(f"zip://*/*{end}") == [f"zip://inner/b.txt{end}"]
    assert [top for top, _, _ in gfile.walk(f"zip://{end}")] == [
        f"zip://{end}",
        f"zip://inner{end}",
    ]
    assert gfile.exists(f"zip://a.txt{end}")
    assert not gfile.exists(f"zip://none{end}")
    assert tf.io.read_file(f"zip://inner/b.txt{end}").numpy() == b"three"
    lines = tf.data.TextLineDataset(f"zip://a.txt{end}")
    assert list(lines.as_numpy_iterator()) == [b"one", b"two"]
    gfile.copy(f"zip://a.txt{end}", f"{ROOT}/copied")
    assert gfile.GFile(f"{ROOT}/copied").read() == "one\ntwo\n"
    with pytest.raises(tf.errors.UnimplementedError, match="cannot do it"):
        gfile.remove(f"zip://a.txt{end}")
    with pytest.raises(tf.errors.NotFoundError, match="No such file"):
        gfile.exists("zip://a.txt::file:///no/such.zip")
    with pytest.raises(tf.errors.UnimplementedError, match="'nosuch::memory' not implemented"):
        gfile.exists("nosuch::memory://x")
    with pytest.raises(
        tf.errors.UnimplementedError, match=r"scheme 'simplecache' .*: Please provide"
    ):
        gfile.exists("simplecache://x")  # of what it should keep copies is missing


def test_an_error_that_comes_when_a_file_is_closed_is_one_of_tensorflow():
    gfile.makedirs(f"{ROOT}/directory")
    file = gfile.GFile(f"simplecache::{ROOT}/directory", "w")
    file.write("text")
    with pytest.raises(tf.errors.FailedPreconditionError, match="directory"):
        file.close()


def test_candidates_are_drawn_with_the_weights_of_a_remote_file():
    tf.io.write_file(f"{ROOT}/vocabulary.csv", "a,0\nb,3.5\nc,0\n")

    def drawn(name):
        sample = tf.random.fixed_unigram_candidate_sampler
        return sample([[1]], 1, 3, False, 3, vocab_file=f"{ROOT}/{name}").sampled_candidates

    assert drawn("vocabulary.csv").numpy().tolist() == [1, 1, 1]
    assert tf.function(drawn)("vocabulary.csv").numpy().tolist() == [1, 1, 1]
    with pytest.raises(tf.errors.NotFoundError, match=f"{ROOT}/x; No such file or directory"):
        drawn("x")
