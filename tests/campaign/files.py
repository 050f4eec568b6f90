"""Files of every format that is read here, cut short or with flipped bits.

Whatever a file says, reading it gives a value or one clean error, within bounds of time and memory;
nothing in it is executed, nothing is written outside of its folder, and Python survives. Each
format is read in a process of its own, so that one that dies is noticed.
"""

import collections
import contextlib
import faulthandler
import gzip
import io
import json
import multiprocessing
import os
import pathlib
import random
import resource
import shutil
import signal
import struct
import tarfile
import tempfile
import traceback
import zipfile
import zlib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from tapefacade._trace.compilation_cache import through_cache

COUNT = 1000  # damaged files of each format
SHORT_COUNT = 12
SECONDS_FOR_ONE = 20
BYTES_FOR_ALL = 12 << 30  # of address space: XLA's compiler alone reserves some
GOLDENS = pathlib.Path(__file__).parents[1] / "goldens" / "checkpoints"


class Format(NamedTuple):
    """A format: how a file of it is made, which files may be damaged, how it is read."""

    make: Callable[[Any, pathlib.Path], None]
    read: Callable[[Any, pathlib.Path], Any]


def examples(tf: Any) -> list[bytes]:
    def feature(i: int) -> Any:
        return {
            "a": tf.train.Feature(int64_list=tf.train.Int64List(value=[i, i + 1])),
            "b": tf.train.Feature(float_list=tf.train.FloatList(value=[0.5 * i])),
            "c": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"text", b""])),
        }

    return [
        tf.train.Example(features=tf.train.Features(feature=feature(i))).SerializeToString()
        for i in range(3)
    ]


def write_records(tf: Any, path: pathlib.Path, options: Any = None) -> None:
    with tf.io.TFRecordWriter(str(path), options) as writer:
        for example in examples(tf):
            writer.write(example)


def read_records(tf: Any, path: pathlib.Path, compression: str = "") -> Any:
    dataset = tf.data.TFRecordDataset(str(path), compression_type=compression)
    return [record.numpy() for record in dataset]


def parse(tf: Any, path: pathlib.Path) -> Any:
    features = {
        "a": tf.io.FixedLenFeature([2], tf.int64),
        "b": tf.io.VarLenFeature(tf.float32),
        "c": tf.io.RaggedFeature(tf.string),
    }
    data = path.read_bytes()
    parsed = tf.io.parse_single_example(data, features)
    message = tf.train.Example.FromString(data)
    return [v.numpy() for v in tf.nest.flatten(parsed, True) if hasattr(v, "numpy")], str(message)


def picture(shape: tuple[int, ...], dtype: str = "uint8") -> np.ndarray:
    return np.random.default_rng(0).integers(0, 255, shape).astype(dtype)


def write_image(encode: str, channels: int = 3, dtype: str = "uint8") -> Any:
    def write(tf: Any, path: pathlib.Path) -> None:
        path.write_bytes(getattr(tf.io, encode)(picture((9, 7, channels), dtype)).numpy())

    return write


def write_with_pillow(kind: str) -> Any:
    def write(tf: Any, path: pathlib.Path) -> None:
        from PIL import Image

        first, second = (Image.fromarray(picture((8, 6, 3)) // n) for n in (1, 2))
        more = {"save_all": True, "append_images": [second]} if kind == "gif" else {}
        first.save(path, kind, **more)

    return write


def read_image(tf: Any, path: pathlib.Path) -> Any:
    return tf.io.decode_image(path.read_bytes()).numpy()


def write_wav(tf: Any, path: pathlib.Path) -> None:
    sound = np.sin(np.arange(40, dtype=np.float32)).reshape(20, 2)
    path.write_bytes(tf.audio.encode_wav(sound, 8000).numpy())


def read_wav(tf: Any, path: pathlib.Path) -> Any:
    return tf.audio.decode_wav(path.read_bytes())[0].numpy()


def write_csv(tf: Any, path: pathlib.Path) -> None:
    path.write_text('a,b,c\n1,2.5,"x, ""y"""\n2,,z\n-3,1e3,\n')


def read_csv(tf: Any, path: pathlib.Path) -> Any:
    kinds = [tf.int32, 0.0, ""]
    dataset = tf.data.experimental.CsvDataset(str(path), kinds, header=True)
    return [[v.numpy() for v in row] for row in dataset]


def write_tensor(tf: Any, path: pathlib.Path) -> None:
    path.write_bytes(tf.io.serialize_tensor(tf.reshape(tf.range(12.0), [3, 4])).numpy())


def read_tensor(tf: Any, path: pathlib.Path) -> Any:
    return tf.io.parse_tensor(path.read_bytes(), tf.float32).numpy()


def write_json(tf: Any, path: pathlib.Path) -> None:
    content = {"a": {"int64List": {"value": ["1", "2"]}}, "b": {"floatList": {"value": [0.5]}}}
    path.write_text(json.dumps({"features": {"feature": content}}))


def read_json(tf: Any, path: pathlib.Path) -> Any:
    return tf.io.decode_json_example(path.read_bytes()).numpy()


def write_compressed(compress: Any) -> Any:
    return lambda tf, path: path.write_bytes(compress(b"some text, some text, more text " * 9))


def read_compressed(kind: str) -> Any:
    return lambda tf, path: tf.io.decode_compressed(path.read_bytes(), kind).numpy()


def variables(tf: Any) -> Any:
    return tf.train.Checkpoint(
        w=tf.Variable(tf.reshape(tf.range(6.0), [2, 3])), n=tf.Variable(3, dtype=tf.int64)
    )


def write_checkpoint(tf: Any, path: pathlib.Path) -> None:
    path.mkdir()
    tf.train.CheckpointManager(variables(tf), str(path), 2).save()


def read_checkpoint(tf: Any, path: pathlib.Path) -> Any:
    latest = tf.train.latest_checkpoint(str(path))
    if latest is None:
        return None
    reader = tf.train.load_checkpoint(latest)
    values = [reader.get_tensor(name) for name in reader.get_variable_to_shape_map()]
    again = variables(tf)
    again.restore(latest)
    return values, again.w.numpy(), again.n.numpy()


def copy_golden(name: str) -> Any:
    return lambda tf, path: shutil.copytree(GOLDENS / name, path)


def read_golden(prefix: str) -> Any:
    def read(tf: Any, path: pathlib.Path) -> Any:
        reader = tf.train.load_checkpoint(str(path / prefix))
        return [reader.get_tensor(name) for name in reader.get_variable_to_shape_map()]

    return read


def write_saved_model(tf: Any, path: pathlib.Path) -> None:
    module = tf.Module()
    module.w = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    module.apply = tf.function(
        lambda x: tf.tanh(x @ module.w), input_signature=[tf.TensorSpec([1, 2])]
    )
    tf.saved_model.save(module, str(path))


def read_saved_model(tf: Any, path: pathlib.Path) -> Any:
    return tf.saved_model.load(str(path)).apply(tf.ones([1, 2])).numpy()


def write_dataset(tf: Any, path: pathlib.Path) -> None:
    tf.data.Dataset.from_tensor_slices({"x": np.arange(4.0), "t": ["a", "b", "c", "d"]}).save(
        str(path)
    )


def read_dataset(tf: Any, path: pathlib.Path) -> Any:
    return [[v.numpy() for v in row.values()] for row in tf.data.Dataset.load(str(path))]


def write_summary(tf: Any, path: pathlib.Path) -> None:
    path.mkdir()
    writer = tf.summary.create_file_writer(str(path))
    with writer.as_default():
        for step in range(3):
            tf.summary.scalar("loss", 0.5 * step, step)
            tf.summary.histogram("weights", tf.range(9.0), step)
    writer.close()


def read_summary(tf: Any, path: pathlib.Path) -> Any:
    return [read_records(tf, file) for file in sorted(path.iterdir())]


def write_keras(tf: Any, path: pathlib.Path) -> None:
    model = tf.keras.Sequential([tf.keras.layers.Input((2,)), tf.keras.layers.Dense(1)])
    model.save(str(path) + ".keras")
    os.replace(str(path) + ".keras", path)


def read_keras(tf: Any, path: pathlib.Path) -> Any:
    named = path.with_suffix(".keras")
    os.replace(path, named)
    try:
        return tf.keras.models.load_model(str(named)).predict(np.ones((1, 2)), verbose=0)
    finally:
        os.replace(named, path)


def write_notebook(tf: Any, path: pathlib.Path) -> None:
    cell = {"cell_type": "code", "source": ["import tensorflow as tf\n", "tf.sin(1.0)"]}
    cells = [{**cell, "metadata": {}, "outputs": [], "execution_count": None}]
    book = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(book))


def read_notebook(tf: Any, path: pathlib.Path) -> Any:
    from tapefacade.__main__ import main

    named = path.with_suffix(".ipynb")
    os.replace(path, named)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            return main(["check", "--quiet", "--json", str(named)])
    except SystemExit as done:
        return done.code
    finally:
        os.replace(named, path)


def write_weights(tf: Any, path: pathlib.Path) -> None:
    named = str(path) + ".weights.h5"
    tf.keras.Sequential([tf.keras.layers.Input((2,)), tf.keras.layers.Dense(1)]).save_weights(named)
    os.replace(named, path)


def read_weights(tf: Any, path: pathlib.Path) -> Any:
    named = path.with_suffix(".weights.h5")
    os.replace(path, named)
    model = tf.keras.Sequential([tf.keras.layers.Input((2,)), tf.keras.layers.Dense(1)])
    try:
        return model.load_weights(str(named))
    finally:
        os.replace(named, path)


def write_sequence(tf: Any, path: pathlib.Path) -> None:
    rows = [tf.train.Feature(int64_list=tf.train.Int64List(value=[k, k + 1])) for k in range(3)]
    lists = tf.train.FeatureLists(feature_list={"a": tf.train.FeatureList(feature=rows)})
    path.write_bytes(tf.train.SequenceExample(feature_lists=lists).SerializeToString())


def read_sequence(tf: Any, path: pathlib.Path) -> Any:
    features = {"a": tf.io.FixedLenSequenceFeature([2], tf.int64)}
    found = tf.io.parse_single_sequence_example(path.read_bytes(), sequence_features=features)
    return found[1]["a"].numpy()


def write_vocabulary(tf: Any, path: pathlib.Path) -> None:
    path.write_text("".join(f"word{k}\t{k}\n" for k in range(9)))


def read_vocabulary(tf: Any, path: pathlib.Path) -> Any:
    source = tf.lookup.TextFileInitializer(str(path), tf.string, 0, tf.int64, 1)
    return tf.lookup.StaticHashTable(source, -1).lookup(tf.constant(["word3"])).numpy()


def read_webp(tf: Any, path: pathlib.Path) -> Any:
    return tf.io.decode_webp(path.read_bytes()).numpy()


def write_arrays(tf: Any, path: pathlib.Path) -> None:
    with open(path, "wb") as file:
        np.savez(file, x=np.arange(6.0).reshape(3, 2), y=np.arange(3))


def read_arrays(tf: Any, path: pathlib.Path) -> Any:
    with np.load(path) as arrays:
        elements = {name: arrays[name] for name in arrays.files}
    return [row["x"].numpy() for row in tf.data.Dataset.from_tensor_slices(elements)]


def write_archive(kind: str) -> Any:
    def write(tf: Any, path: pathlib.Path) -> None:
        source = path.parent / "source"
        source.mkdir()
        (source / "a.txt").write_text("some text " * 30)
        made = shutil.make_archive(str(path) + ".made", kind, source)
        os.replace(made, path)
        shutil.rmtree(source)

    return write


def read_archive(tf: Any, path: pathlib.Path) -> Any:
    shutil.rmtree(path.parent / "got", ignore_errors=True)
    found = tf.keras.utils.get_file(
        "archive", path.as_uri(), extract=True, cache_dir=str(path.parent / "got")
    )
    return [file.read_text() for file in pathlib.Path(found).rglob("*.txt")]


def compute_again(tf: Any) -> Any:
    jax.clear_caches()
    run = through_cache(jax.jit(lambda x: jnp.sin(x) @ jnp.cos(x)))
    return np.asarray(run(np.ones((4, 4), np.float32)))


def write_programs(tf: Any, path: pathlib.Path) -> None:
    path.mkdir(mode=0o700)
    tf.config.keep_compiled_programs(str(path))
    compute_again(tf)


def read_programs(tf: Any, path: pathlib.Path) -> Any:
    for folder in (path, *path.rglob("*")):
        folder.chmod(0o700)
    tf.config.keep_compiled_programs(str(path))
    np.testing.assert_allclose(compute_again(tf), 4 * np.sin(1) * np.cos(1), rtol=1e-5)


FORMATS = {
    "records": Format(write_records, read_records),
    "records, gzip": Format(
        lambda tf, path: write_records(tf, path, "GZIP"),
        lambda tf, path: read_records(tf, path, "GZIP"),
    ),
    "example": Format(lambda tf, path: path.write_bytes(examples(tf)[0]), parse),
    "tensor": Format(write_tensor, read_tensor),
    "json example": Format(write_json, read_json),
    "csv": Format(write_csv, read_csv),
    "zlib": Format(write_compressed(zlib.compress), read_compressed("ZLIB")),
    "gzip": Format(write_compressed(gzip.compress), read_compressed("GZIP")),
    "png": Format(write_image("encode_png"), read_image),
    "png of 16 bits": Format(write_image("encode_png", 1, "uint16"), read_image),
    "jpeg": Format(write_image("encode_jpeg"), read_image),
    "gif": Format(write_with_pillow("gif"), read_image),
    "bmp": Format(write_with_pillow("bmp"), read_image),
    "webp": Format(write_with_pillow("webp"), read_webp),
    "arrays of NumPy": Format(write_arrays, read_arrays),
    "zip": Format(write_archive("zip"), read_archive),
    "tar": Format(write_archive("gztar"), read_archive),
    "kept programs": Format(write_programs, read_programs),
    "wav": Format(write_wav, read_wav),
    "checkpoint": Format(write_checkpoint, read_checkpoint),
    "TensorFlow's checkpoint of objects": Format(copy_golden("objects"), read_golden("ckpt-1")),
    "TensorFlow's checkpoint of a model": Format(copy_golden("keras"), read_golden("ckpt-1")),
    "saved model": Format(write_saved_model, read_saved_model),
    "data set": Format(write_dataset, read_dataset),
    "summary": Format(write_summary, read_summary),
    "keras": Format(write_keras, read_keras),
    "weights": Format(write_weights, read_weights),
    "sequence example": Format(write_sequence, read_sequence),
    "vocabulary": Format(write_vocabulary, read_vocabulary),
    "notebook": Format(write_notebook, read_notebook),
}


def damaged(data: bytes, index: int, count: int, dice: random.Random) -> bytes:
    """Cuts the data short (one case in two, at evenly spread lengths), or flips some bits."""
    if index % 2 == 0:
        return data[: index * len(data) // count]
    changed = bytearray(data)
    for _ in range(dice.choice([1, 1, 2, 8])):
        if changed:
            changed[dice.randrange(len(changed))] ^= 1 << dice.randrange(8)
    return bytes(changed)


def is_clean(tf: Any, error: BaseException) -> bool:
    """Whether a reader may raise an error: TensorFlow's classes, Python's for data, or HDF5's."""
    frames = traceback.extract_tb(error.__traceback__)
    if isinstance(error, tarfile.TarError | zlib.error | struct.error):
        return True  # said by Python's own readers
    if isinstance(error, RuntimeError) and frames and "zipfile" in frames[-1].filename:
        return True  # of a method of compression or a password, said by Python's own reader
    if isinstance(error, RuntimeError) and frames and frames[-1].filename.startswith("h5py"):
        return True  # said to Keras, which hands it on
    return isinstance(
        error, tf.errors.OpError | ValueError | OSError | EOFError | KeyError | zipfile.BadZipFile
    )


def contents(folder: pathlib.Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


class TooLongError(BaseException):
    """A file took longer than it may."""


def _alarm(*_: Any) -> None:
    raise TooLongError


def work(name: str, count: int, seed: int, start: int, report: Any) -> None:
    """Reads damaged files from number `start` on, and tells of each before and after."""
    faulthandler.enable()
    resource.setrlimit(resource.RLIMIT_AS, (BYTES_FOR_ALL, BYTES_FOR_ALL))
    signal.signal(signal.SIGALRM, _alarm)
    import tapefacade as tf

    kind = FORMATS[name]
    outer = pathlib.Path(tempfile.mkdtemp(prefix="campaign-"))
    os.chdir(outer)
    try:
        inner = outer / "inner"
        inner.mkdir()
        original = inner / "file"
        kind.make(tf, original)
        kind.read(tf, original)  # what is whole is read
        whole = contents(inner)
        for index in range(start, count):
            dice = random.Random(f"{name} {seed} {index}")
            shutil.rmtree(inner)
            chosen = dice.choice([n for n, data in whole.items() if data])
            for path, data in whole.items():
                (inner / path).parent.mkdir(parents=True, exist_ok=True)
                (inner / path).write_bytes(
                    damaged(data, index, count, dice) if path == chosen else data
                )
            report.send(("start", index, chosen))
            signal.alarm(SECONDS_FOR_ONE)
            try:
                kind.read(tf, original)
                outcome, text = "read", ""
            except TooLongError:
                outcome, text = "too long", "".join(traceback.format_stack(limit=4))
            except MemoryError as error:
                outcome, text = "too much memory", str(error)
            except BaseException as error:
                outcome = "clean error" if is_clean(tf, error) else "other error"
                text = "" if outcome == "clean error" else traceback.format_exc(limit=-4)
            signal.alarm(0)
            if [path.name for path in outer.iterdir()] != ["inner"]:
                outcome, text = "written outside", str(list(outer.iterdir()))
            report.send((outcome, index, text))
        report.send(("end", count, ""))
    finally:
        os.chdir("/")
        shutil.rmtree(outer, ignore_errors=True)


def read_all(name: str, count: int, seed: int) -> tuple[collections.Counter, list[str]]:
    """Reads `count` damaged files of a format; returns the outcomes, and what went wrong."""
    outcomes: collections.Counter[str] = collections.Counter()
    wrong: list[str] = []
    start = 0
    while start < count:
        receiver, sender = multiprocessing.get_context("spawn").Pipe(duplex=False)
        process = multiprocessing.get_context("spawn").Process(
            target=work, args=(name, count, seed, start, sender), daemon=True
        )
        process.start()
        sender.close()
        current = start - 1
        ended = False
        try:
            while True:
                if not receiver.poll(SECONDS_FOR_ONE + 120):
                    process.kill()
                    break
                outcome, index, text = receiver.recv()
                if outcome == "end":
                    ended = True
                    break
                if outcome == "start":
                    current = index
                    continue
                outcomes[outcome] += 1
                if text:
                    wrong.append(f"{name}, number {index}: {outcome}: {text}")
        except EOFError:
            pass
        process.join()
        if ended:
            break
        if current < start:
            wrong.append(f"{name}: the whole file is not read (exit {process.exitcode})")
            break
        outcomes["died"] += 1
        wrong.append(f"{name}, number {current}: the process died with {process.exitcode}")
        start = current + 1
    return outcomes, wrong


def run(count: int, seed: int, names: Any = FORMATS) -> Iterator[tuple[str, bool]]:
    """Yields a line for each format, and one for each failure."""
    for name in names:
        outcomes, wrong = read_all(name, count, seed)
        told = ", ".join(f"{n} {outcome}" for outcome, n in sorted(outcomes.items()))
        yield f"{name}: {told}", False
        for text in wrong:
            yield text, True
