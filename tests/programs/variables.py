"""tf.Variable: making, showing, assigning, scattering, copying."""

import copy
import gc
import pickle
import weakref

from programs.program import caught


def making(tf, np):
    return {
        "int": tf.Variable(3),
        "float": tf.Variable(3.0),
        "list": tf.Variable([1, 2]),
        "tuple": tf.Variable((2, 3)),
        "bool": tf.Variable(True),
        "numpy": tf.Variable(np.array([1, 2])),
        "numpy float64": tf.Variable(np.ones(2)),
        "dtype": tf.Variable([1, 2], dtype=tf.float64),
        "dtype by name": tf.Variable([1, 2], dtype="float16"),
        "tensor": tf.Variable(tf.constant([[1, 2], [3, 4]])),
        "zeros": tf.Variable(tf.zeros([2, 3])),
        "range": tf.Variable(tf.range(5)),
        "complex": tf.Variable(1 + 2j),
        "empty": tf.Variable([]),
        "nothing": caught(lambda: tf.Variable()),
        "none": caught(lambda: tf.Variable(None)),
        "wrong dtype": caught(lambda: tf.Variable(1.5, dtype=tf.int32)),
        "tensor of another dtype": caught(lambda: tf.Variable(tf.constant(1.0), dtype=tf.float64)),
        "numpy of another dtype": tf.Variable(np.ones(2), dtype=tf.float32),
        "ragged": caught(lambda: tf.Variable([[1], [2, 3]])),
        "object": caught(lambda: tf.Variable(object())),
        "from a variable": tf.Variable(tf.Variable([1.0, 2.0])),
        "list of variables": tf.Variable([tf.Variable(1.0), tf.Variable(2.0)]),
        "unknown keyword": caught(lambda: tf.Variable(1.0, nonsense=2)),
        "positional": tf.Variable(1.0, False).trainable,
    }


def initial_values_that_are_functions(tf, np):
    def three():
        return tf.constant([1, 2, 3])

    return {
        "function": tf.Variable(three),
        "lambda": tf.Variable(lambda: 2.0),
        "with dtype": tf.Variable(lambda: tf.ones([2]), dtype=tf.float32),
        "with another dtype": caught(lambda: tf.Variable(lambda: tf.ones([2]), dtype=tf.float64)),
        "numbers with dtype": tf.Variable(lambda: [1, 2], dtype=tf.float64),
        "equal": bool(tf.reduce_all(tf.Variable(three) == three())),
        "with arguments": caught(lambda: tf.Variable(lambda shape: tf.ones(shape))),
        "with shape and dtype": caught(lambda: tf.Variable(lambda: tf.zeros([2, 2]), shape=[2, 2])),
        "raises": caught(lambda: tf.Variable(lambda: 1 / 0)),
    }


def names(tf, np):
    v = tf.Variable(1.0, name="x")
    return {
        "default": tf.Variable(1.0).name,
        "given": v.name,
        "twice": [tf.Variable(1.0, name="x").name, tf.Variable(2.0, name="x").name],
        "slashes": tf.Variable(1.0, name="a/b").name,
        "odd": caught(lambda: tf.Variable(1.0, name="a b").name),
        "empty": caught(lambda: tf.Variable(1.0, name="").name),
        "not text": caught(lambda: tf.Variable(1.0, name=3).name),
        "copied": tf.Variable(v, name="x").name,
        "set": caught(setattr, v, "name", "y"),
    }


def reprs(tf, np):
    free = tf.Variable([[1.0], [2.0]], shape=tf.TensorShape(None), name="free")
    partly = tf.Variable([[1.0]], shape=[None, 1])
    return {
        "scalar": [repr(tf.Variable(3)), str(tf.Variable(3.0)), f"{tf.Variable(3.0)}"],
        "vector": [repr(tf.Variable([1, 2])), str(tf.Variable([1.0, 2.5]))],
        "matrix": repr(tf.Variable([[1, 2], [3, 4]])),
        "zeros": repr(tf.Variable(tf.zeros([2, 3]))),
        "float64": repr(tf.Variable([1, 2], dtype=tf.float64)),
        "bool": repr(tf.Variable([True])),
        "third": repr(tf.Variable(1 / 3)),
        "name": repr(tf.Variable(1.0, name="weights")),
        "bfloat16": repr(tf.Variable([1.5], dtype=tf.bfloat16)),
        "free": [repr(free), str(free.shape), repr(free.shape)],
        "partly": [repr(partly), str(partly.shape)],
        "large": repr(tf.Variable(tf.range(2000))),
        "list": repr([tf.Variable(1.0)]),
    }


def attributes(tf, np):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]], name="v")
    return {
        "shape": [v.shape, v.get_shape(), v.shape.rank],
        "dtype": v.dtype,
        "numpy": v.numpy(),
        "trainable": [
            v.trainable,
            tf.Variable(1.0, trainable=False).trainable,
            tf.Variable(1).trainable,
        ],
        "value": [v.value(), v.read_value()],
        "classes": [isinstance(v, tf.Variable), isinstance(v, tf.Tensor), tf.is_tensor(v)],
        "class name": type(v).__name__,
        "ndim": caught(lambda: v.ndim),
        "size": caught(lambda: v.size),
        "T": caught(lambda: v.T),
        "device": isinstance(v.device, str),
        "op": caught(lambda: v.op is None),
        "graph": caught(lambda: v.graph is None),
        "handle": caught(lambda: v.handle is not None),
        "initial_value": caught(lambda: v.initial_value),
        "initialized_value": caught(lambda: v.initialized_value()),
        "initializer": caught(lambda: v.initializer is None),
        "is_initialized": caught(lambda: v.is_initialized()),
        "constraint": v.constraint,
        "synchronization": v.synchronization,
        "aggregation": v.aggregation,
        "name": v.name,
        "shared name": isinstance(v._shared_name, str),
        "unique id": isinstance(v._unique_id, str),
        "len": caught(lambda: len(v)),
        "iter": caught(lambda: [row.numpy().tolist() for row in v]),
        "bool": [bool(tf.Variable(1.0)), caught(lambda: bool(v))],
        "float": [float(tf.Variable(1.5)), int(tf.Variable(2)), complex(tf.Variable(2.0))],
        "index": [
            caught(lambda: [1, 2, 3][tf.Variable(1)]),
            caught(lambda: list(range(tf.Variable(2)))),
        ],
        "array": [np.asarray(v), np.array(v, np.float64), np.sum(v)],
        "unknown": caught(lambda: v.nonsense),
        "set_shape": caught(lambda: v.set_shape([2, 2])),
        "eval": caught(lambda: v.eval()),
        "to_proto": caught(lambda: v.to_proto() is None),
        "assign shape": caught(setattr, v, "shape", (2,)),
        "assign trainable": caught(setattr, v, "trainable", False),
        "new attribute": caught(setattr, v, "mark", 3),
        "tf functions": [tf.shape(v), tf.size(v), tf.rank(v), tf.reduce_sum(v)],
        "hash": caught(hash, v),
    }


def constructor_arguments(tf, np):
    sync, agg = tf.VariableSynchronization, tf.VariableAggregation
    v = tf.Variable(1.0, synchronization=sync.ON_READ, aggregation=agg.MEAN)
    return {
        "kept": [str(v.synchronization), str(v.aggregation), v.trainable],
        "members": [[m.name for m in sync], [m.name for m in agg]],
        "caching_device": tf.Variable(1.0, caching_device=None),
        "validate_shape": tf.Variable([1.0], validate_shape=True),
        "shape": [
            tf.Variable([1.0, 2.0], shape=[2]),
            tf.Variable([1.0], shape=tf.TensorShape([None])),
        ],
        "wrong shape": caught(lambda: tf.Variable([1.0, 2.0], shape=[3])),
        "import_scope": tf.Variable(1.0, import_scope=None),
        "variable_def": caught(lambda: tf.Variable(1.0, variable_def=None)),
        "bad synchronization": caught(lambda: tf.Variable(1.0, synchronization="x")),
        "bad aggregation": caught(lambda: tf.Variable(1.0, aggregation="x")),
        "bad constraint": caught(lambda: tf.Variable(1.0, constraint=3)),
    }


def constraints(tf, np):
    v = tf.Variable([1.0, -2.0], constraint=lambda t: tf.maximum(t, 0.0))
    before = v.numpy()
    v.assign([-3.0, 3.0])
    return {
        "initial": before,
        "assigned": v.numpy(),
        "applied": v.constraint(v),
        "kept": callable(v.constraint),
    }


def assignments(tf, np):
    v = tf.Variable([1.0, 2.0], name="v")
    out = {
        "assign": v.assign([3.0, 4.0]),
        "add": v.assign_add([1.0, 1.0]),
        "sub": v.assign_sub([0.5, 0.5]),
    }
    return {key: value.numpy() if value is not v else "itself" for key, value in out.items()} | {
        "now": v,
        "returns": [v.assign([1.0, 1.0]) is v, type(v.assign([1.0, 1.0])) is type(v)],
        "unread": repr(v.assign([3.0, 4.0])),
        "read_value false": caught(lambda: v.assign([1.0, 2.0], read_value=False)),
        "add read_value false": caught(lambda: v.assign_add([1.0, 2.0], read_value=False)),
        "name": caught(lambda: v.assign([7.0, 7.0], name="n").numpy()),
        "use_locking": caught(lambda: v.assign([1.0, 2.0], use_locking=True).numpy()),
        "numpy": v.assign(np.array([1.0, 2.0], np.float32)).numpy(),
        "numpy float64": caught(lambda: v.assign(np.array([1.0, 2.0])).numpy()),
        "ints": v.assign([1, 2]).numpy(),
        "variable": v.assign(tf.Variable([8.0, 9.0])).numpy(),
        "itself": v.assign(v).numpy(),
        "twice itself": v.assign_add(v).numpy(),
        "chained": v.assign([1.0, 1.0]).assign_add([1.0, 2.0]).numpy(),
        "scalar to add": caught(lambda: v.assign_add(1.0).numpy()),
    }


def assignment_errors(tf, np):
    v, i, s = tf.Variable([1.0, 2.0]), tf.Variable([1, 2], name="z"), tf.Variable(1.0)
    return {
        "shape": caught(lambda: s.assign([1.0, 2.0])),
        "shape of a named one": caught(lambda: i.assign([1, 2, 3])),
        "scalar": caught(lambda: v.assign(1.0)),
        "dtype of a tensor": caught(lambda: s.assign(tf.constant(1))),
        "floats to ints": caught(lambda: i.assign([1.0, 2.0])),
        "text": caught(lambda: v.assign("a")),
        "none": caught(lambda: v.assign(None)),
        "add shape": caught(lambda: v.assign_add([1.0, 2.0, 3.0])),
        "add broadcast": caught(lambda: v.assign_add([[1.0, 2.0]])),
        "sub dtype": caught(lambda: v.assign_sub(tf.constant([1, 2]))),
        "variable of another dtype": caught(lambda: v.assign(i)),
        "unchanged": [v, i, s],
        "item": caught(lambda: v.__setitem__(0, 1.0)),
        "bool": caught(lambda: tf.Variable(True).assign_add(True)),
    }


def a_free_shape(tf, np):
    v = tf.Variable([[1.0], [2.0], [3.0]], shape=tf.TensorShape(None))
    shapes = [str(v.shape)]
    for value in ([[1.0, 2.0], [3.0, 4.0]], [1.0, 2.0, 3.0, 4.0], 5.0):
        v.assign(value)
        shapes.append([str(v.shape), v.numpy(), tf.shape(v)])
    with tf.GradientTape() as tape:
        y = v * v
    p = tf.Variable([[1.0]], shape=[None, 1])
    return {
        "shapes": shapes,
        "gradient": tape.gradient(y, v),
        "dtype": caught(lambda: v.assign([1j])),
        "partly": p.assign([[1.0], [2.0]]).numpy(),
        "partly wrong": caught(lambda: p.assign([[1.0, 2.0]])),
        "partly wrong rank": caught(lambda: p.assign([1.0])),
        "from unknown": str(tf.Variable(v).shape),
        "int": _grow(tf),
    }


def _grow(tf):
    x = tf.Variable(5, dtype=tf.int32, shape=tf.TensorShape(None), name="x")
    first = repr(x)
    x.assign([1, 2, 3])
    second = repr(x)
    x.assign([[1, 2, 3], [4, 5, 6]])
    return [first, second, repr(x)]


def sliced_assignment(tf, np):
    v = tf.Variable([1.0, 2.0, 3.0, 4.0])
    m = tf.Variable([[1, 2, 3], [4, 5, 6]])
    out = {}
    v[0].assign(10.0)
    out["item"] = v.numpy()
    v[1:3].assign([20.0, 30.0])
    out["slice"] = v.numpy()
    v[::2].assign([0.0, 0.0])
    out["step"] = v.numpy()
    m[0, 1].assign(50)
    m[:, 2].assign([70, 80])
    out["matrix"] = m.numpy()
    m[1].assign([9, 9, 9])
    out["row"] = m.numpy()
    out["returns"] = v[0].assign(5.0)
    out["errors"] = [
        caught(lambda: v[0:2].assign([1.0, 2.0, 3.0])),
        caught(lambda: v[9].assign(1.0)),
        caught(lambda: v[0].assign("a")),
        caught(lambda: v[0].assign_add(1.0)),
        caught(lambda: tf.constant([1.0])[0].assign(1.0)),
        caught(lambda: m[0].assign([1.5, 2.5, 3.5])),
    ]
    out["scalar to a slice"] = caught(lambda: v[0:2].assign(7.0))
    out["negative"] = caught(lambda: v[-1].assign(-1.0))
    out["now"] = [v, m]
    return out


def gradients_after_sliced_assignment(tf, np):
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        before = v * v
        v[0].assign(5.0)
        y = tf.reduce_sum(before + v * v)
    return {"gradient": tape.gradient(y, v), "v": v}


def scatter(tf, np):
    def fresh():
        return tf.Variable([1.0, 2.0, 3.0, 4.0])

    def slices(values, indices):
        return tf.IndexedSlices(tf.constant(values), tf.constant(indices), tf.constant([4]))

    out = {}
    for name in (
        "scatter_add",
        "scatter_sub",
        "scatter_update",
        "scatter_max",
        "scatter_min",
        "scatter_mul",
        "scatter_div",
    ):
        v = fresh()
        result = caught(getattr(v, name), slices([10.0, 2.0], [0, 2]))
        out[name] = [result.numpy() if hasattr(result, "numpy") else result, v]
    v = fresh()
    out["duplicates"] = v.scatter_add(slices([1.0, 1.0], [1, 1])).numpy()
    out["not slices"] = caught(lambda: v.scatter_add([1.0]))
    out["out of range"] = caught(lambda: v.scatter_add(slices([1.0], [9])))
    return out


def scatter_nd(tf, np):
    out = {}
    for name in (
        "scatter_nd_add",
        "scatter_nd_sub",
        "scatter_nd_update",
        "scatter_nd_max",
        "scatter_nd_min",
    ):
        v = tf.Variable([1.0, 2.0, 3.0, 4.0])
        result = caught(getattr(v, name), [[1], [3]], [10.0, 0.5])
        out[name] = [result.numpy() if hasattr(result, "numpy") else result, v]
    m = tf.Variable([[1, 2], [3, 4]])
    out["matrix"] = m.scatter_nd_update([[0, 1]], [9]).numpy()
    out["rows"] = m.scatter_nd_update([[1]], [[7, 8]]).numpy()
    out["out of range"] = caught(lambda: m.scatter_nd_update([[5, 5]], [9]))
    out["wrong updates"] = caught(lambda: m.scatter_nd_update([[0, 1]], [9, 9]))
    return out


def reading_parts(tf, np):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    w = tf.Variable([[1, 2], [3, 4]])
    batch = tf.IndexedSlices(tf.constant([[9, 9]]), tf.constant([[0, 1]]))
    return {
        "sparse_read": v.sparse_read([2, 0]),
        "gather_nd": v.gather_nd([[0, 1], [2, 0]]),
        "tf.gather": tf.gather(v, [1]),
        "batch_scatter_update": [caught(lambda: w.batch_scatter_update(batch).numpy()), w],
        "count_up_to": caught(lambda: tf.Variable(0).count_up_to(3)),
        "embedding": tf.nn.embedding_lookup(v, [[0, 1]]),
    }


def gradients_of_reading_parts(tf, np):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with tf.GradientTape(persistent=True) as tape:
        a = v.sparse_read([2, 0, 2])
        b = v.gather_nd([[0, 1], [2, 0]])
    return {"sparse_read": tape.gradient(a, v), "gather_nd": tape.gradient(b, v)}


def copies(tf, np):
    a = tf.Variable([2.0, 3.0], name="unique")
    b = tf.Variable(a, name="unique")
    c, d = copy.copy(a), copy.deepcopy(a)
    a.assign([0.0, 1.0])
    return {
        "names": [a.name, b.name, d.name],
        "distinct": [a is b, d is a],
        "copy shares": c.numpy(),
        "b": b,
        "d": d,
        "trainable": copy.deepcopy(tf.Variable(1.0, trainable=False)).trainable,
        "in a structure": copy.deepcopy({"v": a, "l": [a]})["l"][0].numpy(),
        "memo": (lambda s: s[0] is s[1])(copy.deepcopy([a, a])),
        "pickle": caught(lambda: pickle.loads(pickle.dumps(a)).numpy()),
        "gradient": _copies_are_other_sources(tf),
    }


def _copies_are_other_sources(tf):
    v = tf.Variable(2.0)
    w, u = tf.Variable(v), copy.deepcopy(v)
    with tf.GradientTape() as tape:
        y = v * w * w * u
    return tape.gradient(y, [v, w, u])


def two_variables_of_one_array(tf, np):
    t = tf.constant([1.0, 2.0])
    v, w = tf.Variable(t), tf.Variable(t)
    with tf.GradientTape() as tape:
        tape.watch(t)
        y = v * w * w * t
    g = tape.gradient(y, [v, w, t])
    v.assign_add([1.0, 1.0])
    return {"gradient": g, "v": v, "w": w, "t": t}


def a_kept_value(tf, np):
    """A value read before an assignment keeps what it was."""
    v = tf.Variable([1.0, 2.0])
    read, same, array = v.read_value(), v + 0.0, v.numpy()
    v.assign([5.0, 5.0])
    v.assign_add([1.0, 1.0])
    return {"read": read, "same": same, "array": array, "now": v}


def a_changed_array(tf, np):
    a = np.array([1.0, 2.0], np.float32)
    v = tf.Variable(a)
    w = tf.Variable([0.0, 0.0])
    w.assign(a)
    a[:] = 9.0
    n = v.numpy()
    n = np.array(n)
    n[0] = -1.0
    return [v, w]


def lifetimes(tf, np):
    v = tf.Variable(1.0)
    y = v * 2.0
    ref = weakref.ref(v)
    del v
    gc.collect()
    return {"freed": ref() is None, "value": y}


def in_python_structures(tf, np):
    v, w = tf.Variable(1.0), tf.Variable(1.0)
    refs = {v.ref(): "v", w.ref(): "w"}
    return {
        "refs": [refs[v.ref()], refs[w.ref()]],
        "deref": v.ref().deref() is v,
        "equal": [v == w, v is w],
        "in list": caught(lambda: w in [v]),
        "index": caught(lambda: [v, w].index(w)),
        "set": caught(lambda: {v}),
        "sorted": [float(x) for x in sorted([tf.Variable(2.0), tf.Variable(1.0)])],
    }


def updates_in_a_loop(tf, np):
    v, seen = tf.Variable(0.0), []
    for k in range(5):
        v.assign_add(float(k))
        if k % 2:
            seen.append(float(v))
    return {"seen": seen, "v": v}


def momentum(tf, np):
    w, m = tf.Variable([1.0, -1.0]), tf.Variable([0.0, 0.0], trainable=False)
    for _ in range(3):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(w * w)
        g = tape.gradient(loss, w)
        m.assign(0.5 * m + g)
        w.assign_sub(0.1 * m)
    return [w, m, loss]


def an_exception_between_assignments(tf, np):
    v, w = tf.Variable(1.0), tf.Variable(1.0)

    def step():
        v.assign_add(1.0)
        tf.constant([1.0, 2.0]) + tf.constant([1.0, 2.0, 3.0])
        w.assign_add(1.0)

    told = caught(step)
    return {"told": told, "v": v, "w": w}


def devices(tf, np):
    with tf.device("CPU:0"):
        a = tf.Variable([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
        b = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
        c = tf.matmul(a, b)
    return {"c": str(c), "same": [str(tf.add(a, 1.0)), repr(tf.add(b, 0.0)[0])]}


def functions_of_variables(tf, np):
    v = tf.Variable([1.0, 4.0])
    return {
        "sqrt": tf.sqrt(v),
        "concat": tf.concat([v, v], 0),
        "stack": tf.stack([v, v]),
        "add_n": tf.add_n([v, v]),
        "where": tf.where(v > 2.0, v, 0.0),
        "cast": tf.cast(v, tf.int32),
        "real": [tf.math.real(v), tf.math.conj(v)],
        "list": tf.add([1.0, 1.0], v),
        "ones_like": tf.ones_like(v),
        "convert": tf.convert_to_tensor(v, dtype=tf.float32),
        "convert wrong": caught(lambda: tf.convert_to_tensor(v, dtype=tf.float64)),
        "nest": tf.nest.map_structure(lambda t: t * 2.0, {"a": v, "b": [v]}),
        "identity": tf.identity(v) is v,
        "is_tensor": tf.is_tensor(v),
        "numpy": np.sqrt(v),
        "numpy add": np.ones(2, np.float32) + v,
    }
