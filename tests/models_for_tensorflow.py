"""Modules that are saved here and loaded by TensorFlow, and what is asked of them."""

import collections
import hashlib
import pathlib
import tempfile
from typing import Any

from tapefacade._checkpoint.tensorflow_files import model_messages

Pair = collections.namedtuple("Pair", "sum product")


class Layer:
    """A layer with two signatures and a method that is called by name."""

    def __new__(cls, tf: Any) -> Any:
        class Made(tf.Module):
            def __init__(self):
                super().__init__()
                self.w = tf.Variable([[1.0, 2.0], [3.0, 4.0]], name="w")
                self.calls = tf.Variable(0, dtype=tf.int64, trainable=False)
                self.parts = [tf.Variable(1.0), {"k": tf.Variable([True, False])}, (tf.Module(),)]
                self.parts[2][0].v = self.w

            @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32)])
            def __call__(self, x):
                self.calls.assign_add(1)
                return {"y": x @ self.w, "rest": [self.calls, tf.shape(x)]}

            @tf.function
            def times(self, x, k=2, *, flag=True):
                return x * k if flag else -x

        return Made()


def layer(tf):
    module, x = Layer(tf), tf.constant([[1.0, 1.0], [2.0, 0.0]])
    for given in ((3.0,), (3.0, 5), ([1.0, 2.0],)):
        module.times(tf.constant(given[0]), *given[1:])
    module.times(tf.constant(1.0), flag=False)
    module.inner = Layer(tf)
    module.inner.times(tf.constant(1.5))

    def ask(loaded, tf):
        return [
            loaded(x)["y"], loaded(x[:1])["rest"][0], loaded(x[:1])["rest"][1], loaded.calls,
            loaded.times(tf.constant(3.0)), loaded.times(tf.constant(3.0), 5),
            loaded.times(tf.constant([1.0, 2.0]), k=2), loaded.times(tf.constant(1.0), flag=False),
            loaded.inner.times(tf.constant(4.0)), loaded.parts[0], loaded.parts[1]["k"],
            loaded.parts[2][0].v,
        ]  # fmt: skip

    return module, None, ask


def signatures(tf):
    module = tf.Module()
    module.scale = tf.Variable(2.0, dtype=tf.float64)
    table = tf.constant([[1.0], [2.0], [3.0]], tf.float64)
    specs = {"b": tf.TensorSpec([None], tf.int32), "a": tf.TensorSpec([1], tf.float64)}

    @tf.function(input_signature=[specs["b"], specs["a"]])
    def look(b, a):
        rows = tf.gather(table, b)
        return {"z": rows * module.scale + a, "y": tf.reduce_sum(b), "x": b}

    module.last = tf.Variable([0.0], dtype=tf.float64)

    @tf.function(input_signature=[specs["a"]])
    def shift(a):
        module.last.assign(a)
        return [module.scale.assign_add(1.0) + a, a]

    module.look = look

    def ask(loaded, tf):
        b, a = tf.constant([2, 0]), tf.constant([0.5], tf.float64)
        served = loaded.signatures["serving_default"](b=b, a=a)
        return [
            *(served[key] for key in "zyx"), loaded.look(b, a)["z"],
            *loaded.signatures["shift"](a=a).values(), loaded.scale, loaded.last,
            *sorted(loaded.signatures),
        ]  # fmt: skip

    return module, {"serving_default": look, "shift": shift.get_concrete_function()}, ask


def structures(tf):
    module = tf.Module()
    module.texts = tf.Variable(["a", "", "long" * 40])
    module.half = tf.Variable(tf.cast([1.5, 2.5], tf.bfloat16))
    module.shaped = tf.Variable([1.0], shape=tf.TensorShape([None]))
    module.pair = tf.function(lambda a, b: Pair(a + b["x"][0], (a * b["x"][1], None, 3)))
    b = {"x": [tf.constant([1 + 2j, 3]), tf.constant([2j, 1])]}
    module.pair(tf.constant([1j, 2]), b)
    module.drawn = tf.function(lambda: tf.random.normal([2]))
    module.drawn()

    def ask(loaded, tf):
        found = loaded.pair(tf.constant([1j, 2]), b)
        kept = tf.cast(loaded.half, tf.float32)
        return [found[0], found[1][0], found[1][1:], loaded.texts, kept, loaded.shaped]

    return module, None, ask


def assets(tf):
    folder = pathlib.Path(tempfile.mkdtemp())
    module = tf.Module()
    for name in ("first", "second"):
        path = folder / name / "words.txt"
        path.parent.mkdir()
        path.write_text(f"words of the {name}")
        setattr(module, name, tf.saved_model.Asset(str(path)))
    module.again = module.first

    def ask(loaded, tf):
        files = (loaded.first, loaded.second, loaded.again)
        return [tf.io.read_file(file.asset_path) for file in files]

    return module, None, ask


MODELS = {"assets": assets, "layer": layer, "signatures": signatures, "structures": structures}


def saved(tf: Any, name: str, directory: Any) -> tuple[dict[str, str], Any]:
    """Saves a module; returns what was written, as far as it is the same each time, and `ask`.

    The programs of `jax.export` are left out: they hold line numbers.
    """
    module, signatures, ask = MODELS[name](tf)
    tf.saved_model.save(module, directory, signatures)
    written = model_messages.MODELS["SavedModel"].FromString(
        pathlib.Path(directory, "saved_model.pb").read_bytes()
    )
    for function in written.meta_graphs[0].graph_def.library.function:
        for node in function.node_def:
            for left_out in ("module", "version"):
                node.attr.pop(left_out, None)
    found = {"saved_model.pb": written.SerializeToString(deterministic=True)}
    for path in sorted(pathlib.Path(directory, "variables").iterdir()):
        found[path.name] = path.read_bytes()
    return {key: hashlib.sha256(data).hexdigest() for key, data in found.items()}, ask
