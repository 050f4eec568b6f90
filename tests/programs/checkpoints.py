"""Checkpoints: what is saved under which names, what is restored, and what is said about it."""

import collections
import gc
import os
import pathlib
import signal

from programs.program import answers, caught, in_a_new_directory

Pair = collections.namedtuple("Pair", "first second")


def model(tf):
    class Model(tf.Module):
        def __init__(self):
            super().__init__()
            self.w = tf.Variable([1.0, 2.0], name="w")
            self.parts = [tf.Variable(1), {"a": tf.Variable(2.0), "none": 3}]
            self.pair = Pair(tf.Variable(1.0), 2)
            self.tuple = (tf.Variable(3), "text")
            self.numbers = [1, 2]
            self.shape = (1, 2)
            self.empty = {}
            self.ordered = collections.OrderedDict(z=tf.Variable(1.5))
            self.ignored = collections.defaultdict(list, k=[tf.Variable(9.0)])
            self.constant = tf.constant(1.0)
            self.function = tf.function(lambda x: x)
            self._private = tf.Variable(9.0)
            self.generator = tf.random.Generator.from_seed(1)

        @tf.function
        def method(self, x):
            return x

    return Model()


class Grown:
    """A module whose variables are made late."""

    def __new__(cls, tf, factor=1.0):
        class Late(tf.Module):
            def __init__(self):
                super().__init__()
                self.layers = []
                self.more = {}

            def build(self):
                for k in range(2):
                    self.layers.append(tf.Variable(factor * (k + 1)))
                self.more["q"] = tf.Variable(factor * 5)
                self.v = tf.Variable([factor, factor])
                self.t = (tf.Variable(factor * 7),)

            def values(self):
                found = [v.numpy() for v in self.layers]
                return [*found, self.more["q"].numpy(), self.v.numpy(), self.t[0].numpy()]

        return Late()


@in_a_new_directory
def names(tf, np):
    m = model(tf)
    checkpoint = tf.train.Checkpoint(model=m, step=tf.Variable(7, dtype=tf.int64))
    path = checkpoint.save("saved/ck")
    view = tf.train.TrackableView(checkpoint)
    return {
        "path": path,
        "listed": tf.train.list_variables(path),
        "state": pathlib.Path("saved/checkpoint").read_text(),
        "counter": checkpoint.save_counter,
        "dtypes": sorted(tf.train.load_checkpoint("saved").get_variable_to_dtype_map().items()),
        "children": sorted(view.children(m)),
        "of list": sorted(view.children(m.parts)),
        "of pair": sorted(view.children(m.pair)),
        "descendants": len(view.descendants()),
        "numbers": sorted(
            tf.train.CheckpointView(path).children(
                tf.train.CheckpointView(path).children(0)["model"]
            )
        ),
    }


@in_a_new_directory
def names_that_are_escaped(tf, np):
    v = tf.Variable(1.0)
    found = []
    for kwargs in (
        {"a/b": v, "x.y": v},
        {"d": {"a/b": tf.Variable(1.0), ".": tf.Variable(2.0), "é": tf.Variable(3.0)}},
        {"a": v, "b": v},
        {"outer": tf.train.Checkpoint(inner=v)},
    ):
        found.append(tf.train.list_variables(tf.train.Checkpoint(**kwargs).write("w")))
    return found


@in_a_new_directory
def roots(tf, np):
    m = model(tf)
    v = tf.Variable(4.0)
    found = [
        tf.train.list_variables(tf.train.Checkpoint(m).save("a")),
        tf.train.list_variables(tf.train.Checkpoint(m, extra=v).save("b")),
        tf.train.list_variables(tf.train.Checkpoint(v).write("c")),
        tf.train.list_variables(tf.train.Checkpoint(tf.train.Checkpoint(v=v)).write("d")),
        tf.train.list_variables(tf.train.Checkpoint(tf.Module()).write("e")),
        tf.train.list_variables(tf.train.Checkpoint().save("f")),
    ]
    v.assign(8.0)
    tf.train.Checkpoint(m, extra=v).restore("b-1").assert_consumed()
    checkpoint = tf.train.Checkpoint()
    checkpoint.listed = [v, {"k": tf.Variable(3)}]
    checkpoint.listed.append(tf.Variable(5))
    return {"found": found, "v": v, "listed": tf.train.list_variables(checkpoint.write("g"))}


@in_a_new_directory
def what_is_refused(tf, np):
    v = tf.Variable(1.0)
    checkpoint = tf.train.Checkpoint(v=v)
    return answers(
        lambda: tf.train.Checkpoint(x=1),
        lambda: tf.train.Checkpoint(x=tf.constant(1)),
        lambda: tf.train.Checkpoint(3),
        lambda: tf.train.Checkpoint([1]),
        lambda: tf.train.Checkpoint(x={1: v}).write("a"),
        lambda: checkpoint.restore("nope"),
        lambda: checkpoint.read("nope"),
        lambda: checkpoint.restore("no/such/dir-1"),
        lambda: checkpoint.restore(None).assert_consumed(),
        lambda: checkpoint.restore(None).assert_nontrivial_match(),
        lambda: checkpoint.restore(None).assert_existing_objects_matched(),
        lambda: tf.train.load_checkpoint("nope"),
        lambda: tf.train.load_variable(checkpoint.write("b"), "x"),
        lambda: tf.train.list_variables("nope"),
        lambda: tf.train.latest_checkpoint("nope"),
        lambda: tf.train.get_checkpoint_state("nope"),
    )


@in_a_new_directory
def restoring(tf, np):
    m = model(tf)
    checkpoint = tf.train.Checkpoint(m=m)
    path = checkpoint.save("ck")
    m.w.assign([0.0, 0.0])
    m.parts[0].assign(0)
    m.generator.normal([3])
    other = model(tf)
    state = other.generator.state.numpy()
    other.generator.normal([2])
    other.w.assign([5.0, 5.0])
    status = tf.train.Checkpoint(m=other).restore(path)
    status.assert_consumed().assert_existing_objects_matched().assert_nontrivial_match()
    return {
        "w": other.w,
        "state": np.array_equal(state, other.generator.state.numpy()),
        "again": checkpoint.restore(path).assert_consumed() is not None,
        "first": m.parts[0],
        "counter": checkpoint.save_counter,
        "next": checkpoint.save("ck"),
        "latest": tf.train.latest_checkpoint("."),
        "value": tf.train.load_variable(".", "m/w/.ATTRIBUTES/VARIABLE_VALUE"),
        "ops": status.initialize_or_restore(),
    }


@in_a_new_directory
def dtypes(tf, np):
    found = {}
    values = {
        "float16": [1.5],
        "bfloat16": [1.5, 3.0],
        "float64": [[1.5]],
        "complex64": [1 + 2j],
        "complex128": [1 - 2j],
        "bool": [True, False],
        "int8": [-1],
        "uint16": [5],
        "int32": [],
        "string": [["a", "bc"], ["", "é"]],
    }
    variables = {k: tf.Variable(tf.constant(v, dtype=k)) for k, v in values.items()}
    path = tf.train.Checkpoint(**variables).write("a")
    again = {k: tf.Variable(tf.zeros_like(v)) for k, v in variables.items()}
    tf.train.Checkpoint(**again).read(path).assert_consumed()
    for name, variable in again.items():
        found[name] = [str(variable.dtype), variable.numpy().tolist()]
    return {k: repr(v) for k, v in found.items()}


@in_a_new_directory
def what_does_not_fit(tf, np):
    path = tf.train.Checkpoint(v=tf.Variable([1.0, 2.0])).write("v")

    def read(value, **kwargs):
        return tf.train.Checkpoint(v=tf.Variable(value, **kwargs)).read(path)

    found = answers(
        lambda: read([1.0, 2.0, 3.0]).expect_partial(),
        lambda: read([1, 2]).expect_partial(),
        lambda: read([1.0, 2.0], dtype=tf.float64).expect_partial(),
    )
    open_ = tf.Variable([1.0], shape=[None])
    tf.train.Checkpoint(v=open_).read(path).assert_consumed()
    return [found, open_]


@in_a_new_directory
def statuses(tf, np):
    path = tf.train.Checkpoint(v=tf.Variable([1.0, 2.0]), w=tf.Variable(3.0)).write("v")
    found = {}
    for name, kwargs in (
        ("fewer", {"v": tf.Variable([0.0, 0.0])}),
        ("more", {"v": tf.Variable([0.0, 0.0]), "w": tf.Variable(0.0), "x": tf.Variable(0.0)}),
        ("other", {"u": tf.Variable(1.0)}),
        ("same", {"v": tf.Variable([0.0, 0.0]), "w": tf.Variable(0.0)}),
    ):
        status = tf.train.Checkpoint(**kwargs).read(path).expect_partial()
        found[name] = [
            type(caught(check)).__name__ if not hasattr(caught(check), "text") else caught(check)
            for check in (
                status.assert_consumed,
                status.assert_existing_objects_matched,
                status.assert_nontrivial_match,
            )
        ]
    return found


@in_a_new_directory
def deferred(tf, np):
    source = Grown(tf, 10.0)
    source.build()
    path = tf.train.Checkpoint(m=source).write("a")
    late = Grown(tf)
    status = tf.train.Checkpoint(m=late).read(path)
    before = caught(status.assert_consumed)
    status.assert_existing_objects_matched()
    late.build()
    after = late.values()
    status.assert_consumed()
    alone = Grown(tf)
    tf.train.Checkpoint(m=alone).read(path).expect_partial()
    gc.collect()
    alone.build()
    alone.v.assign_add([1.0, 1.0])
    checkpoint = tf.train.Checkpoint()
    checkpoint.read(path).expect_partial()
    checkpoint.m = Grown(tf)
    checkpoint.m.v = tf.Variable([0.0, 0.0])
    return {"before": before, "after": after, "alone": alone.values(), "set": checkpoint.m.v}


@in_a_new_directory
def deferred_and_assigned(tf, np):
    source = Grown(tf, 10.0)
    source.build()
    path = tf.train.Checkpoint(m=source).write("a")
    late = Grown(tf)
    status = tf.train.Checkpoint(m=late).read(path)
    late.v = tf.Variable([1.0, 1.0])
    late.v.assign([2.0, 2.0])
    first = tf.Variable(0.0)
    first.assign(1.0)
    late.layers.append(tf.Variable(0.0))
    late.layers[0].assign_add(1.0)
    late.w = first
    x = tf.Variable([3.0, 3.0])
    x.assign([4.0, 4.0])
    late.build()
    status.expect_partial()
    return late.values()


@in_a_new_directory
def computed_with_while_others_wait(tf, np):
    """Variables whose first values are still to be computed when an op reads them."""
    source = Grown(tf, 10.0)
    source.build()
    path = tf.train.Checkpoint(m=source).write("a")
    late = Grown(tf)
    status = tf.train.Checkpoint(m=late).read(path)
    u = tf.Variable(tf.ones([3]))
    x = u + 1.0
    y = x * u
    v = tf.Variable(tf.zeros([2]))
    found = [y, u.numpy(), v.value(), v * 2.0, v.assign_add([1.0, 1.0]), v.numpy()]
    with tf.GradientTape() as tape:
        w = tf.Variable(tf.fill([2], 2.0))
        loss = tf.reduce_sum(w**2)
    found.append(tape.gradient(loss, w))
    z = tf.Variable(tf.fill([3], 2.0))
    function = tf.function(lambda: z * 2.0 + u)
    found += [function(), function()]
    layer = tf.keras.layers.LayerNormalization()
    found.append(layer(tf.constant([[1.0, 2.0, 4.0]])))
    mean = tf.keras.metrics.Mean()
    found += [mean(3.0), mean([1.0, 2.0])]
    late.v = tf.Variable(tf.zeros([2]))
    r = late.v + 1.0
    late.w = q = tf.Variable(tf.zeros([]))
    found += [r, late.v.numpy(), q + 1.0, q.numpy()]
    status.expect_partial()
    return found


@in_a_new_directory
def deferred_in_a_function(tf, np):
    class Dense(tf.Module):
        def __init__(self):
            super().__init__()
            self.w = None
            self.parts = []

        @tf.function
        def __call__(self, x):
            if self.w is None:
                self.w = tf.Variable(tf.ones([2]))
                self.parts.append(tf.Variable(3.0))
            return x * self.w + self.parts[0]

    one = Dense()
    one(tf.ones([2]))
    one.w.assign([5.0, 6.0])
    one.parts[0].assign(7.0)
    path = tf.train.Checkpoint(one).write("a")
    other = Dense()
    status = tf.train.Checkpoint(other).read(path)
    results = [other(tf.ones([2])), other(tf.ones([2]))]
    status.assert_consumed()
    return [results, other.w]


@in_a_new_directory
def values_that_are_left(tf, np):
    path = tf.train.Checkpoint(v=tf.Variable(1.0), w=[tf.Variable(2.0)]).write("a")
    status = tf.train.Checkpoint(v=tf.Variable(0.0)).read(path)
    gc.collect()
    del status
    gc.collect()
    status = tf.train.Checkpoint(v=tf.Variable(0.0)).read(path).expect_partial()
    del status
    gc.collect()


@in_a_new_directory
def shared(tf, np):
    v = tf.Variable(1.0)
    path = tf.train.Checkpoint(a=v, b=[v]).write("s")
    v.assign(2.0)
    one = tf.Variable(0.0)
    tf.train.Checkpoint(a=one, b=[one]).read(path).assert_consumed()
    two = [tf.Variable(5.0), tf.Variable(6.0)]
    apart = tf.train.Checkpoint(a=two[0], b=[two[1]]).read(path).expect_partial()
    outer = tf.train.Checkpoint(a=tf.Module())
    outer.a.itself = outer.a
    outer.a.v = v
    outer.write("cycle")
    v.assign(3.0)
    outer.read("cycle").assert_consumed()
    return [one, v, two, caught(apart.assert_consumed), tf.train.list_variables("cycle")]


@in_a_new_directory
def other_state(tf, np):
    class State(tf.train.experimental.PythonState):
        def __init__(self, text):
            self.text = text

        def serialize(self):
            return self.text

        def deserialize(self, string_value):
            self.text = string_value

    state = State("hello")
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    table.insert(tf.constant(["a", "b"]), tf.constant([1, 2], tf.int64))
    checkpoint = tf.train.Checkpoint(state=state, table=table)
    path = checkpoint.write("a")
    state.text = ""
    table.remove(tf.constant(["a"]))
    table.insert(tf.constant(["c"]), tf.constant([3], tf.int64))
    checkpoint.read(path).assert_consumed()
    return {
        "listed": tf.train.list_variables(path),
        "text": state.text,
        "table": table.lookup(tf.constant(["a", "b", "c"])),
        "reader": tf.train.load_checkpoint(path).get_tensor("state/.ATTRIBUTES/py_state"),
    }


def state_of(directory):
    lines = pathlib.Path(directory, "checkpoint").read_text().splitlines()
    return [line for line in lines if "timestamp" not in line]


@in_a_new_directory
def managing(tf, np):
    v = tf.Variable(0)
    checkpoint = tf.train.Checkpoint(v=v)
    manager = tf.train.CheckpointManager(checkpoint, "m", max_to_keep=2)
    found = {
        "none": [manager.latest_checkpoint, manager.checkpoints, manager.restore_or_initialize()]
    }
    paths = []
    for k in range(4):
        v.assign(k)
        paths.append(manager.save())
    found["paths"] = paths
    found["kept"] = manager.checkpoints
    found["files"] = sorted(name for name in os.listdir("m") if name.endswith(".index"))
    found["state"] = state_of("m")
    found["numbered"] = [manager.save(checkpoint_number=17), manager.save(checkpoint_number=v)]
    found["then"] = [manager.checkpoints, manager.latest_checkpoint, manager.directory]
    again = tf.train.CheckpointManager(tf.train.Checkpoint(v=v), "m", max_to_keep=1)
    found["again"] = [
        again.checkpoints,
        again.restore_or_initialize(),
        again.save(),
        again.checkpoints,
    ]
    found["left"] = sorted(name for name in os.listdir("m") if name.endswith(".index"))
    found["all"] = tf.train.CheckpointManager(checkpoint, "m", None).checkpoints
    found["refused"] = answers(
        lambda: tf.train.CheckpointManager(checkpoint, "m", 0),
        lambda: tf.train.CheckpointManager(checkpoint, "m", -1),
        lambda: tf.train.CheckpointManager(checkpoint, "m", 2, checkpoint_interval=2),
    )
    return found


@in_a_new_directory
def managing_intervals(tf, np):
    step, v = tf.Variable(0), tf.Variable(0)
    checkpoint = tf.train.Checkpoint(v=v)
    called = []
    manager = tf.train.CheckpointManager(
        checkpoint, "i", 3, step_counter=step, checkpoint_interval=2, checkpoint_name="model",
        init_fn=lambda: called.append(1),
    )  # fmt: skip
    found = [manager.restore_or_initialize(), called, manager.checkpoint_interval]
    for k in range(6):
        step.assign(k)
        found.append(manager.save())
        if k == 3:
            found.append(manager.save(check_interval=False))
    often = tf.train.CheckpointManager(checkpoint, "k", 1, keep_checkpoint_every_n_hours=1e-9)
    for _ in range(3):
        often.save()
    found.append(sorted(name for name in os.listdir("k") if name.endswith(".index")))
    return [*found, manager.checkpoints, often.checkpoints, state_of("k")]


@in_a_new_directory
def state_files(tf, np):
    found = []
    os.makedirs("b")
    file = pathlib.Path("b/checkpoint")
    for text in ("garbage {", 'model_checkpoint_path: "nofile"\n', ""):
        file.write_text(text)
        found += answers(lambda: tf.train.latest_checkpoint("b"))
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1))
    checkpoint.save(os.path.abspath("b/x"))
    state = tf.train.get_checkpoint_state("b")
    found += [state.model_checkpoint_path, list(state.all_model_checkpoint_paths), state_of("b")]
    found += [tf.train.latest_checkpoint("b"), tf.train.latest_checkpoint("b", "other")]
    found += [list(tf.train.checkpoints_iterator("b", timeout=0))]
    found += [list(tf.train.checkpoints_iterator("c", timeout=0, timeout_fn=lambda: True))]
    update = tf.compat.v1.train.update_checkpoint_state
    update("b", "b/c", ["b/a"], latest_filename="other")
    found.append(pathlib.Path("b/other").read_text())
    update(os.path.abspath("b"), "/p/c", ["/p/a", "/p/c"], "third", [1.5, 2.5], 0.5)
    found.append(pathlib.Path("b/third").read_text())
    found += answers(lambda: update("b", "b/c", ["b/a"], None, [1.0]))
    return found


@in_a_new_directory
def places(tf, np):
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1))
    options = tf.train.CheckpointOptions()
    return [
        checkpoint.write("sub/dir/x"),
        checkpoint.save("sub2/"),
        checkpoint.save(file_prefix="y", options=options),
        checkpoint.write(pathlib.Path("p")),
        checkpoint.restore(pathlib.Path("p")) is not None,
        caught(lambda: checkpoint.read("sub")),
        sorted(name for name in os.listdir(".") if "data" not in name),
    ]


@in_a_new_directory
def older_names(tf, np):
    train = tf.compat.v1.train
    v = tf.Variable(3.0)
    path = tf.train.Checkpoint(v=v).save("ck")
    reader = train.NewCheckpointReader(path)
    state = train.generate_checkpoint_state_proto("d", "d/x", ["d/w", "d/x"])
    found = [
        reader.get_tensor("v/.ATTRIBUTES/VARIABLE_VALUE"),
        reader.has_tensor("w"),
        reader.debug_string(),
        train.checkpoint_exists(path),
        [type(t).__name__ for t in train.get_checkpoint_mtimes([path, "nope"])],
        [state.model_checkpoint_path, list(state.all_model_checkpoint_paths)],
        train.latest_checkpoint("."),
    ]
    train.remove_checkpoint(path)
    return [*found, train.checkpoint_exists(path), os.listdir(".")]


def _trained(tf, noted, steps, told_at=-1, **options):
    """Trains until its machine is taken away; notes what came before, of it, and when it ended."""
    of = tf.distribute.experimental
    step, ended = tf.Variable(0), []
    checkpoint = tf.train.Checkpoint(step=step)
    config = of.TerminationConfig(exit_fn=lambda: ended.append(int(step)), **options)
    handler = of.PreemptionCheckpointHandler(None, checkpoint, "saved", config)
    first, found = int(step), []

    def train(more):
        step.assign_add(more)
        if int(step) == told_at:
            signal.raise_signal(signal.SIGTERM)
        return int(step) * 10

    while len(found) < steps and not ended:
        found.append(handler.run(train, 1))
    noted.append((first, found, ended, handler.total_run_calls))
    return checkpoint


@in_a_new_directory
def before_a_machine_is_taken_away(tf, np):
    """SIGTERM in a step: the state is saved after the next one, and restored by who comes then."""
    of = tf.distribute.experimental
    before, noted = signal.getsignal(signal.SIGTERM), []
    try:
        _trained(tf, noted, 5, told_at=2)
        _trained(tf, noted, 3)
        _trained(tf, noted, 4, told_at=5, save_fn=lambda: noted.append("saves"))
        checkpoint = _trained(tf, noted, 2)
        config = of.TerminationConfig(exit_fn=lambda: noted.append("ends"))
        handler = of.PreemptionCheckpointHandler(None, checkpoint, "saved", config)
        for told in (False, True, False, False):
            if told:
                signal.raise_signal(signal.SIGTERM)
            handler.save_checkpoint_if_preempted()
        with handler.watch_preemption_scope():
            noted.append(handler.total_run_calls)
        message = of.PreemptionWatcher().preemption_message
    finally:
        signal.signal(signal.SIGTERM, before)
    kept = sorted(name for name in os.listdir("saved") if "data" not in name)
    return noted, kept, message
