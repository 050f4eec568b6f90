"""Saved models that are damaged, and what they do in programs that do not know their classes."""

import json
import os
import pathlib
import struct
import subprocess
import sys
import textwrap

import models_for_tensorflow
import numpy as np
import pytest
from programs.program import encoded

import tapefacade as tf
from tapefacade._checkpoint.saved_model.program_export import PLATFORMS
from tapefacade._checkpoint.tensorflow_files.sorted_table import MAGIC, read_table
from tapefacade._io.checksums import masked_crc

GOLDENS = pathlib.Path(__file__).parent / "goldens" / "models_for_tensorflow.json"


def linear():
    module = tf.Module()
    module.w = tf.Variable([[1.0], [2.0]])

    @tf.function(input_signature=[tf.TensorSpec([None, 2])])
    def predict(x):
        return x @ module.w

    module.predict = predict
    return module


def test_another_program_loads_and_trains_it(tmp_path):
    tf.saved_model.save(linear(), tmp_path / "m")
    program = textwrap.dedent(f"""
        import numpy as np
        import tapefacade as tf

        loaded = tf.saved_model.load({str(tmp_path / "m")!r})
        x, y = tf.ones([8, 2]), tf.zeros([8, 1])
        for _ in range(20):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(loaded.predict(x) - y))
            loaded.w.assign_sub(0.1 * tape.gradient(loss, loaded.w))
        print(round(float(loss), 6), loaded.predict(tf.ones([3, 2])).shape)
    """)
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.stdout == "0.0 (3, 1)\n", done.stderr


def test_a_loaded_function_is_one_program(tmp_path):
    tf.saved_model.save(linear(), tmp_path / "m")
    loaded = tf.saved_model.load(tmp_path / "m")
    outer = tf.function(lambda x: tf.reduce_sum(loaded.predict(x) * 2.0))
    assert outer(tf.ones([3, 2])).numpy() == 18.0
    loaded.w.assign([[0.0], [1.0]])
    assert outer(tf.ones([3, 2])).numpy() == 6.0
    assert outer.experimental_get_tracing_count() == 1


def test_files_that_are_damaged_are_errors_that_name_them(tmp_path):
    module = linear()
    table = tf.constant(np.arange(100.0, dtype=np.float32))
    module.look = tf.function(lambda k: tf.gather(table, k))
    module.look(tf.constant([1]))
    tf.saved_model.save(module, tmp_path)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    files.remove(tmp_path / "saved_model.pb")  # for TensorFlow
    assert len(files) == 7
    for path in files:
        data = path.read_bytes()
        for content in (data[: len(data) // 2], b"", bytes([data[0] ^ 1]) + data[1:]):
            path.write_bytes(content)
            with pytest.raises((tf.errors.DataLossError, OSError), match=path.name.split(".")[0]):
                tf.saved_model.load(tmp_path)
        path.unlink()
        with pytest.raises((tf.errors.OpError, OSError)):
            tf.saved_model.load(tmp_path)
        path.write_bytes(data)
    tf.saved_model.load(tmp_path)


def test_variables_of_another_save_are_refused(tmp_path):
    tf.saved_model.save(linear(), tmp_path)
    other = linear()
    other.w.assign([[5.0], [5.0]])
    tf.train.Checkpoint(other).write(tmp_path / "variables" / "variables")
    with pytest.raises(tf.errors.DataLossError, match="not those that the model was saved with"):
        tf.saved_model.load(tmp_path)


def test_a_model_that_is_saved_again_leaves_nothing_behind(tmp_path):
    tf.saved_model.save(linear(), tmp_path)
    count = len(list(tmp_path.rglob("*")))
    tf.saved_model.save(linear(), tmp_path)
    assert len(list(tmp_path.rglob("*"))) == count
    assert tf.saved_model.load(tmp_path).predict(tf.ones([1, 2])).numpy() == 3.0


def test_a_function_that_needs_python_is_an_error(tmp_path):
    module = tf.Module()

    @tf.function
    def looking(x):
        return x if x > 0.0 else -x

    module.looking = looking
    module.looking(tf.constant(1.0))
    with pytest.raises(
        ValueError, match=r"looking cannot be saved: .*test_saved_models.py:\d+ looked"
    ):
        tf.saved_model.save(module, tmp_path)
    module.looking = tf.function(lambda x: tf.print(x))
    module.looking(tf.constant(1.0))
    with pytest.raises(ValueError, match=r"print at .* is Python code"):
        tf.saved_model.save(module, tmp_path)
    assert not tf.saved_model.contains_saved_model(tmp_path)


def test_sizes_that_cannot_be_left_open(tmp_path, caplog):
    module = tf.Module()
    signature = [tf.TensorSpec([None])]
    module.counted = tf.function(lambda x: tf.range(tf.size(x)), input_signature=signature)
    with pytest.raises(ValueError, match="Call it once with each shape that is needed"):
        tf.saved_model.save(module, tmp_path)
    for n in (2, 5):
        module.counted(tf.ones([n]))
    tf.saved_model.save(module, tmp_path)
    assert "for the shapes that it was called with" in caplog.text
    loaded = tf.saved_model.load(tmp_path)
    assert loaded.counted(tf.ones([5])).numpy().tolist() == [0, 1, 2, 3, 4]
    with pytest.raises(ValueError, match="Could not find matching concrete function"):
        loaded.counted(tf.ones([3]))


def test_values_are_checked_as_before(tmp_path):
    module = tf.Module()
    module.take = tf.function(lambda x, k: tf.gather(x, k))
    module.take(tf.ones([3]), tf.constant([0, 1]))
    tf.saved_model.save(module, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    assert loaded.take(tf.constant([1.0, 2.0, 3.0]), tf.constant([2, 0])).numpy().tolist() == [3, 1]
    with pytest.raises(tf.errors.InvalidArgumentError, match="The values given to gather"):
        loaded.take(tf.ones([3]), tf.constant([0, 7]))


def test_gradients_are_those_from_before(tmp_path):
    module = tf.Module()
    module.v = tf.Variable(3.0)

    @tf.custom_gradient
    def doubled(x):
        return x * 1.0, lambda upstream: 2.0 * upstream

    @tf.function
    def mixed(x):
        module.v.assign(x * 2.0)
        safe = tf.where(tf.math.is_finite(x), x, 0.0)
        return doubled(x) * x + tf.stop_gradient(x) * x + tf.floor(x) * x + module.v * x + safe

    module.mixed = mixed
    module.sampled = tf.function(lambda x: tf.linalg.logm(x))
    module.sampled(tf.eye(2, dtype=tf.complex64))
    x = tf.constant(1.5)
    module.mixed(x)
    tf.saved_model.save(module, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    found = []
    for function in (module.mixed, loaded.mixed):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = function(x)
            first = tape.gradient(y, x)
        found.append([y.numpy(), first.numpy(), outer.gradient(first, x).numpy()])
    assert found[0] == found[1]
    z = tf.eye(2, dtype=tf.complex64)
    with tf.GradientTape() as tape:
        tape.watch(z)
        y = loaded.sampled(z)
    with pytest.raises(LookupError, match="gradient registry has no entry"):
        tape.gradient(y, z)


def test_random_numbers_are_drawn_at_every_call(tmp_path):
    module = tf.Module()
    module.generator = tf.random.Generator.from_seed(3)
    module.normal = tf.function(lambda: tf.random.normal([2]) + module.generator.normal([2]))
    module.gamma = tf.function(lambda: tf.random.gamma([2], 1.0))
    module.normal(), module.gamma()
    tf.saved_model.save(module, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    for name in ("normal", "gamma"):
        draws = [getattr(loaded, name)().numpy() for _ in range(2)]
        assert (draws[0] != draws[1]).all()
    tf.random.set_seed(1)
    first = loaded.gamma().numpy()
    tf.random.set_seed(1)
    assert (loaded.gamma().numpy() == first).all()


def test_programs_are_for_every_platform(tmp_path):
    tf.saved_model.save(linear(), tmp_path)
    content = json.loads((tmp_path / "saved_model.json").read_text())["content"]
    (node,) = [node for node in content["objects"] if node["kind"] == "function"]
    loaded = tf.saved_model.load(tmp_path)
    assert PLATFORMS == ("cpu", "cuda", "tpu")
    assert pathlib.Path(tmp_path, node["cases"][0]["program"][0]).exists()
    assert loaded.predict.name == "predict"


def test_methods_of_inner_objects_are_saved(tmp_path):
    class Layer(tf.Module):
        def __init__(self):
            super().__init__()
            self.w = tf.Variable(2.0)

        @tf.function
        def __call__(self, x):
            return x * self.w

    module = tf.Module()
    module.layers = [Layer(), Layer()]
    for layer in module.layers:
        layer(tf.constant(1.0))
    tf.saved_model.save(module, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    loaded.layers[1].w.assign(5.0)
    assert [layer(tf.constant(3.0)).numpy() for layer in loaded.layers] == [6.0, 15.0]
    with pytest.raises(TypeError, match="not callable"):
        loaded(1.0)


def test_nothing_but_the_index_decides(tmp_path):
    with pytest.raises(OSError, match="SavedModel file does not exist at"):
        tf.saved_model.load(tmp_path)
    (tmp_path / "saved_model.json").write_text("{}")
    with pytest.raises(tf.errors.DataLossError, match=r"saved_model\.json"):
        tf.saved_model.load(tmp_path)


# -- the formats of TensorFlow's files ------------------------------------------------------------


def test_a_table_that_is_compressed_is_refused():
    block, handle = b"\x00\x01\x00\x00\x00\x00" + struct.pack("<I", 1), b"\x00\x00"
    block += b"\x01"  # by Snappy
    block += struct.pack("<I", masked_crc(block))
    footer = handle + bytes((0, len(block) - 5)) + bytes(36) + MAGIC
    with pytest.raises(
        tf.errors.UnimplementedError, match=r"^index is compressed by Snappy"
    ) as info:
        read_table("index", block + footer)
    assert "Save it anew" in info.value.__notes__[0]


def test_a_table_names_its_file():
    with pytest.raises(tf.errors.DataLossError, match="too short to be an sstable: file"):
        read_table("file", b"abc")
    with pytest.raises(tf.errors.DataLossError, match="bad magic number"):
        read_table("file", bytes(100))


def test_an_extra_that_is_missing_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "flatbuffers", None)
    for name in [n for n in sys.modules if n.startswith("jax._src.export.serialization")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(ImportError, match=r"`checkpoint` brings: pip install '"):
        tf.saved_model.save(linear(), tmp_path)
    assert os.listdir(tmp_path) == []


# -- what TensorFlow loads ------------------------------------------------------------------------


@pytest.mark.parametrize("name", models_for_tensorflow.MODELS)
def test_what_tensorflow_has_loaded_is_written_again_and_loads_here(tmp_path, name):
    stored = json.loads(GOLDENS.read_text())[name]
    written, ask = models_for_tensorflow.saved(tf, name, tmp_path)
    assert written == stored["written"], (
        "run python tests/goldens/generate_models_for_tensorflow.py"
    )
    answers = encoded(tf, ask(tf.saved_model.load(tmp_path), tf))
    assert json.loads(json.dumps(answers)) == stored["answers"]


def test_fingerprints_that_cannot_be_read(tmp_path):
    read = tf.saved_model.experimental.read_fingerprint
    with pytest.raises(FileNotFoundError, match="models that are saved here have none"):
        read(str(tmp_path))
    (tmp_path / "fingerprint.pb").write_bytes(b"\xff\xff")
    with pytest.raises(RuntimeError, match="Could not read fingerprint from"):
        read(str(tmp_path))
    kind = tf.saved_model.experimental.Fingerprint
    with pytest.raises(ValueError, match="could not be deserialized as fingerprint"):
        kind.from_proto(b"\xff\xff")
    with pytest.raises(ValueError, match="graph_def_program_hash: None"):
        kind(1).singleprint()
