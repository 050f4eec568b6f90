"""Saved models: functions and variables that load without the code they were made by."""

import gc
import pathlib
import tempfile

from programs.functions import kind_of_error
from programs.program import answers, caught, in_a_new_directory, shown


def scaling(tf):
    class Scaling(tf.Module):
        def __init__(self):
            super().__init__()
            self.w = tf.Variable([[1.0, 2.0], [3.0, 4.0]], name="w")
            self.calls = tf.Variable(0)
            self.parts = [tf.Variable(1.0), {"k": tf.Variable(2.0, trainable=False)}]
            self.constant = tf.constant(3.0)
            self.number = 3
            self.sub = tf.Module()
            self.sub.v = self.w
            self.pair = (tf.Variable(9.0), 1)

        @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32)])
        def __call__(self, x):
            self.calls.assign_add(1)
            return {"y": x @ self.w, "z": (x, [self.calls])}

        @tf.function
        def times(self, x, k=2, flag=True):
            return x * k if flag else x

        @tf.function
        def never(self, x):
            return x

    return Scaling()


def loaded_scaling(tf):
    module = scaling(tf)
    module(tf.ones([3, 2]))
    module.times(tf.constant(1.0))
    module.times(tf.constant(1.0), 3)
    module.times(tf.constant([1.0, 2.0]), flag=False)
    module.several = tf.function(lambda a, *b: (a, b))
    module.several(tf.constant(1), tf.constant(2.0))
    tf.saved_model.save(module, "m")
    return module, tf.saved_model.load("m")


@in_a_new_directory
def variables(tf, np):
    _, loaded = loaded_scaling(tf)
    loaded.w.assign_add(tf.ones([2, 2]))
    return {
        "w": loaded.w,
        "calls": loaded.calls,
        "parts": [loaded.parts[0], loaded.parts[1]["k"]],
        "shared": loaded.sub.v is loaded.w,
        "pair": [loaded.pair[0], len(loaded.pair)],
        "constant": [hasattr(loaded, "constant"), hasattr(loaded, "number")],
        "signatures": list(loaded.signatures),
        "there": [tf.saved_model.contains_saved_model(name) for name in ("m", "n")],
        "listed": tf.train.list_variables("m/variables/variables"),
    }


@in_a_new_directory
def calls(tf, np):
    _, loaded = loaded_scaling(tf)
    return [
        *answers(
            lambda: loaded(tf.ones([1, 2]))["y"],
            lambda: loaded.calls,
            lambda: loaded(tf.ones([5, 2]))["z"][0],
            lambda: loaded(np.ones([5, 2], np.float32))["z"][1],
            lambda: loaded([[1.0, 2.0]])["y"],
            lambda: loaded(tf.ones([5, 3])),
            lambda: loaded(tf.ones([5, 2], tf.float64)),
            lambda: loaded.times(tf.constant(2.0)),
            lambda: loaded.times(tf.constant(2.0), 3),
            lambda: loaded.times(tf.constant(2.0), k=3),
            lambda: loaded.times(x=tf.constant(2.0)),
            lambda: loaded.times(tf.constant([2.0, 1.0]), flag=False),
            lambda: loaded.times(2.0),
            lambda: loaded.several(tf.constant(1), tf.constant(2.0))[1][0],
            lambda: loaded.never(1),
        ),
        type(caught(lambda: loaded.times(tf.constant(2.0), 4)).text),
        caught(lambda: loaded.times(tf.constant(2.0), 4)).name,
        len(loaded.times.concrete_functions),
    ]


@in_a_new_directory
def gradients(tf, np):
    _, loaded = loaded_scaling(tf)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(loaded(tf.constant([[1.0, 2.0]]))["y"])
    found = [tape.gradient(y, loaded.w)]
    x = tf.constant(2.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = loaded.times(x) * x
        first = inner.gradient(y, x)
    found += [first, outer.gradient(first, x)]
    for _ in range(2):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(loaded(tf.ones([4, 2]))["y"] - 1.0))
        loaded.w.assign_sub(0.1 * tape.gradient(loss, loaded.w))
    return [*found, loaded.w, loss]


@in_a_new_directory
def signatures(tf, np):
    increase = tf.function(lambda x: x + 1.0, input_signature=[tf.TensorSpec([], tf.float32)])
    module = tf.Module()
    module.v = tf.Variable(5.0)
    module.increase = increase
    tf.saved_model.save(module, "default")
    default = tf.saved_model.load("default").signatures
    both = tf.function(lambda a, b: {"sum": a + b + module.v, "first": a})
    concrete = both.get_concrete_function(
        tf.TensorSpec([None], tf.float32, name="left"), tf.TensorSpec([], tf.float32)
    )
    tf.saved_model.save(module, "named", signatures={"add": concrete, "increase": increase})
    named = tf.saved_model.load("named").signatures
    one = tf.constant(1.0)
    return [
        sorted(default),
        sorted(named),
        default["serving_default"](x=one),
        default["serving_default"](one),
        named["add"](left=tf.constant([1.0, 2.0]), b=one),
        sorted(named["add"].structured_input_signature[1]),
        str(named["add"].structured_outputs["sum"].shape),
        named["increase"](one),
        *answers(
            lambda: named["nope"],
            lambda: tf.saved_model.save(module, "x", signatures=tf.function(lambda x: x)).name,
            lambda: tf.saved_model.save(module, "x", signatures=3),
        )[:1],
        caught(lambda: tf.saved_model.save(module, "x", signatures=3)),
        caught(lambda: tf.saved_model.load("nope")),
    ]


@in_a_new_directory
def captures(tf, np):
    module = tf.Module()
    table = tf.constant(np.arange(6.0, dtype=np.float32).reshape(3, 2))
    module.look = tf.function(lambda k: tf.gather(table, k))
    module.look(tf.constant([0, 1]))
    module.noise = tf.function(lambda x: x + tf.random.normal([3]))
    module.noise(tf.zeros([3]))
    tf.saved_model.save(module, "c")
    loaded = tf.saved_model.load("c")
    zeros = tf.zeros([3])
    free = tf.Variable(1.0)
    module.bad = tf.function(lambda x: x * free)
    module.bad(tf.constant(1.0))
    error = caught(lambda: tf.saved_model.save(module, "d"))
    return [
        loaded.look(tf.constant([2, 0])),
        bool(tf.reduce_all(loaded.noise(zeros) == loaded.noise(zeros))),
        [error.name, "not reachable from root" in error.text],
    ]


@in_a_new_directory
def again(tf, np):
    """What was loaded is saved again, and gives its values to other objects."""
    module, loaded = loaded_scaling(tf)
    loaded.w.assign(tf.zeros([2, 2]))
    tf.saved_model.save(loaded, "n")
    once_more = tf.saved_model.load("n")
    tf.train.Checkpoint(module).restore("n").expect_partial()
    return [once_more(tf.ones([1, 2]))["y"], module.w, once_more.calls]


@in_a_new_directory
def open_sizes(tf, np):
    module = tf.Module()
    module.w = tf.Variable(tf.ones([3, 2]))
    module.b = tf.Variable([1.0, -1.0])

    @tf.function(input_signature=[tf.TensorSpec([None, 3])])
    def dense(x):
        hidden = tf.nn.relu(x @ module.w + module.b)
        flat = tf.reshape(hidden, [tf.shape(x)[0], -1])
        return flat / tf.cast(tf.shape(x)[0], tf.float32), tf.reduce_mean(flat, axis=0)

    @tf.function(input_signature=[tf.TensorSpec([None, None]), tf.TensorSpec([None])])
    def rows(x, y):
        return tf.concat([x, x], 0)[1:] + y, tf.zeros([tf.size(y), 2])

    module.dense, module.rows = dense, rows
    tf.saved_model.save(module, "o")
    loaded = tf.saved_model.load("o")
    return [shown(loaded.dense(tf.ones([n, 3]))) for n in (1, 4)] + [
        shown(loaded.rows(tf.ones([n, k]), tf.ones([k]))) for n, k in ((1, 2), (2, 3))
    ]


@in_a_new_directory
def open_sizes_that_variables_decide(tf, np):
    module = tf.Module()
    module.v, module.w = tf.Variable([1.0, 2.0]), tf.Variable(tf.ones([3, 2]))
    spec = tf.TensorSpec([None, None])
    module.scaled = tf.function(lambda x: module.v * x, input_signature=[tf.TensorSpec([None])])
    module.dense = tf.function(lambda x: tf.nn.relu(x @ module.w), input_signature=[spec])
    tf.saved_model.save(module, "o")
    loaded = tf.saved_model.load("o")
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(loaded.scaled(tf.constant([3.0, 4.0])) ** 2)
    wrong = [lambda: loaded.scaled(tf.ones([3])), lambda: loaded.dense(tf.ones([2, 4]))]
    return [
        y, tape.gradient(y, loaded.v), [loaded.dense(tf.ones([n, 3])) for n in (1, 4)],
        [kind_of_error(call) for call in wrong],
    ]  # fmt: skip


@in_a_new_directory
def options(tf, np):
    module = tf.Module()
    module.v = tf.Variable(3.0)
    tf.saved_model.save(
        module, "m", options=tf.saved_model.SaveOptions(experimental_custom_gradients=True)
    )
    loaded = tf.saved_model.load(
        "m", options=tf.saved_model.LoadOptions(experimental_io_device="/job:localhost")
    )
    names = [
        tf.saved_model.DEFAULT_SERVING_SIGNATURE_DEF_KEY,
        tf.saved_model.SERVING,
        tf.saved_model.TRAINING,
        tf.saved_model.VARIABLES_DIRECTORY,
        tf.saved_model.VARIABLES_FILENAME,
        tf.saved_model.ASSETS_DIRECTORY,
        tf.saved_model.GPU,
        tf.saved_model.TPU,
    ]
    return [loaded.v, names]


def fingerprints(tf, np):
    kinds = tf.saved_model.experimental
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "fingerprint.pb").write_bytes(
            b"\x08\x01\x10\x02\x18\x03\x20\x04\x28\xff\xff\x03\x32\x02\x08\x04"
        )
        read = kinds.read_fingerprint(folder)
    made = kinds.Fingerprint(1, 2, 3, 4, 65535)
    policy = kinds.VariablePolicy
    options = tf.saved_model.SaveOptions(experimental_variable_policy="Save_variable_devices")
    return (
        [str(read), repr(read), read.singleprint(), read.version.producer],
        [read == made, made == read, read == kinds.Fingerprint(1, 2, 3, 4, 5), read == 3],
        [str(kinds.Fingerprint()), repr(kinds.Fingerprint(version=3))],
        [(one.name, one.value) for one in policy],
        [
            str(policy.from_obj(given))
            for given in (None, policy.NONE, "EXPAND_distributed_variables")
        ],
        str(options.experimental_variable_policy),
        caught(policy.from_obj, "x"),
    )


@in_a_new_directory
def assets(tf, np):
    pathlib.Path("words.txt").write_text("yes no")
    pathlib.Path("inner").mkdir()
    pathlib.Path("inner/words.txt").write_text("other")
    module = tf.Module()
    module.words = tf.saved_model.Asset("words.txt")
    module.again, module.held = module.words, [tf.saved_model.Asset("words.txt")]
    tf.saved_model.save(module, "saved")
    pathlib.Path("words.txt").unlink()
    loaded = tf.saved_model.load("saved")
    both = tf.Module()
    both.one, both.other = loaded.words, tf.saved_model.Asset("inner/words.txt")
    tf.saved_model.save(both, "both")
    again = tf.saved_model.load("both")
    return {
        "paths": [loaded.words.asset_path.numpy(), loaded.held[0].asset_path.numpy()],
        "same": loaded.words is loaded.again,
        "kind": type(loaded.words) is tf.saved_model.Asset,
        "texts": [tf.io.read_file(a.asset_path).numpy() for a in (again.one, again.other)],
        "files": sorted(path.name for path in pathlib.Path("both/assets").iterdir()),
        "tensor": tf.saved_model.Asset(tf.constant("w")).asset_path.numpy(),
        "refused": answers(
            lambda: tf.saved_model.Asset(None), lambda: tf.saved_model.Asset(1).asset_path
        ),
    }


def resources(tf, np):
    events = []

    class Three(tf.saved_model.experimental.TrackableResource):
        def __init__(self):
            super().__init__()
            events.append("init")

        def _create_resource(self):
            events.append("create")
            return tf.constant(3)

        def _destroy_resource(self):
            events.append("destroy")

    three = Three()
    handle = three.resource_handle
    found = [handle, three.resource_handle, tf.function(lambda: handle + 1)()]
    before = [*events]
    del three
    gc.collect()
    bare = tf.saved_model.experimental.TrackableResource()
    return found, before, events[-1], caught(lambda: bare.resource_handle)
