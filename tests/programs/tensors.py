"""What a Tensor is and shows: attributes, reprs, numbers, iteration, identity, errors."""

# ruff: noqa: RUF005, UP031, UP032

import copy
import operator
import pickle

from programs.program import caught


def attributes(tf, np):
    out = {}
    for key, value in {
        "scalar": 1.5,
        "vector": [1, 2, 3],
        "matrix": [[True], [False]],
        "empty": [],
    }.items():
        x = tf.constant(value)
        out[key] = [x.shape, x.dtype, x.ndim, x.shape.rank, len(x.shape), x.shape.as_list()]
    x = tf.zeros([2, 3])
    return out | {
        "get_shape": x.get_shape(),
        "numpy": x.numpy(),
        "size": caught(lambda: x.size),
        "T": caught(lambda: x.T),
        "device": isinstance(x.device, str),
        "name": caught(lambda: x.name),
        "op": caught(lambda: x.op),
        "graph": caught(lambda: x.graph),
        "consumers": caught(lambda: x.consumers()),
        "value_index": caught(lambda: x.value_index),
        "trainable": caught(lambda: x.trainable),
        "assign": caught(lambda: x.assign(1.0)),
        "unknown": caught(lambda: x.nonsense),
        "reshape": caught(lambda: x.reshape([3, 2])),
        "astype": caught(lambda: x.astype("int32")),
        "ravel": caught(lambda: x.ravel()),
        "tolist": caught(lambda: x.tolist()),
        "transpose": caught(lambda: x.transpose()),
        "clip": caught(lambda: x.clip(0, 1)),
        "data": caught(lambda: x.data),
        "is_tensor": [
            tf.is_tensor(x),
            tf.is_tensor(1.0),
            tf.is_tensor(np.ones(1)),
            tf.is_tensor(tf.Variable(1.0)),
        ],
        "classes": [
            isinstance(x, tf.Tensor),
            isinstance(x, tf.Variable),
            isinstance(1.0, tf.Tensor),
        ],
        "itemsize": caught(lambda: x.itemsize),
        "nbytes": caught(lambda: x.nbytes),
        "class": type(x).__name__,
    }


def names_of_methods(tf, np):
    x = tf.constant([1.0])
    names = [
        "__array__",
        "__len__",
        "__iter__",
        "__getitem__",
        "__matmul__",
        "__rpow__",
        "__index__",
        "__bool__",
    ]
    names += [
        "set_shape",
        "get_shape",
        "eval",
        "experimental_ref",
        "ref",
        "deref",
        "numpy",
        "cpu",
        "gpu",
        "item",
    ]
    return {name: hasattr(x, name) for name in names}


def shapes(tf, np):
    x = tf.zeros([2, 3])
    s = x.shape
    return {
        "str": str(s),
        "repr": repr(s),
        "equal": [s == [2, 3], s == (2, 3), s == tf.TensorShape([2, 3]), s != (2, 3)],
        "items": [s[0], s[-1], s[:1], list(s), len(s), tuple(s)],
        "num_elements": s.num_elements(),
        "concatenate": s.concatenate([4]),
        "add": s + [4],
        "rank": [s.rank, s.ndims, s.dims is not None],
        "defined": s.is_fully_defined(),
        "compatible": [s.is_compatible_with([2, None]), s.is_compatible_with([3])],
        "unknown": [
            str(tf.TensorShape(None)),
            repr(tf.TensorShape(None)),
            tf.TensorShape(None).rank,
        ],
        "partly": [str(tf.TensorShape([None, 3])), tf.TensorShape([None, 3]).as_list()],
        "merge": caught(lambda: s.merge_with([None, 3])),
        "merge wrong": caught(lambda: s.merge_with([3, 3])),
        "len of unknown": caught(lambda: len(tf.TensorShape(None))),
        "set_shape": caught(lambda: x.set_shape([2, 4])),
        "set_shape fits": caught(lambda: x.set_shape([2, None])),
        "hash": hash(s) == hash(tf.TensorShape([2, 3])),
        "bool": [bool(tf.TensorShape([])), bool(tf.TensorShape(None)), bool(s)],
        "tf.shape": tf.shape(x),
        "tf.shape int64": tf.shape(x, out_type=tf.int64),
        "tf.rank": tf.rank(x),
        "tf.size": tf.size(x),
    }


def _texts(tf, value, dtype=None):
    x = tf.constant(value, dtype)
    return [repr(x), str(x), f"{x}"]


def reprs_of_floats(tf, np):
    values = {
        "zero": 0.0,
        "one": 1.0,
        "third": 1.0 / 3.0,
        "tenth": 0.1,
        "large": 1e10,
        "larger": 123456789.0,
        "small": 1e-5,
        "tiny": 1.17549e-38,
        "negative": -2.5,
        "nan": float("nan"),
        "inf": float("inf"),
        "pi": 3.14159265358979,
        "vector": [1.0, 2.5, -3.0],
        "mixed": [1e-8, 1.0, 1e8],
        "specials": [float("nan"), float("inf"), -float("inf")],
        "thirds": [1 / 3, 2 / 3],
        "matrix": [[1.0, 2.0], [3.0, 4.5]],
        "cube": [[[1.0], [2.0]], [[3.0], [4.0]]],
        "empty": [],
        "empty matrix": [[], []],
    }
    return {key: _texts(tf, value) for key, value in values.items()}


def reprs_of_dtypes(tf, np):
    out = {}
    for name in (
        "float64",
        "float16",
        "bfloat16",
        "int8",
        "int16",
        "int32",
        "int64",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
    ):
        dtype = getattr(tf, name)
        out[name] = [
            _texts(tf, 3, dtype),
            _texts(tf, [1, 2], dtype),
            _texts(tf, [[1, 2], [3, 4]], dtype),
        ]
    out["float64 third"] = _texts(tf, 1 / 3, tf.float64)
    out["float16 third"] = _texts(tf, 1 / 3, tf.float16)
    out["bfloat16 third"] = _texts(tf, 1 / 3, tf.bfloat16)
    for name in ("complex64", "complex128"):
        out[name] = [
            _texts(tf, 1 + 2j, getattr(tf, name)),
            _texts(tf, [1j, 2.5], getattr(tf, name)),
        ]
    out["bool"] = [_texts(tf, True), _texts(tf, [True, False]), _texts(tf, [[True], [False]])]
    return out


def reprs_of_large_arrays(tf, np):
    return {
        "vector": _texts(tf, np.arange(2000)),
        "floats": _texts(tf, np.arange(2000, dtype=np.float32)),
        "matrix": _texts(tf, np.arange(3000).reshape(100, 30)),
        "long line": _texts(tf, np.arange(40)),
        "ones": [repr(tf.ones([30, 40])), str(tf.zeros([3, 2000]))],
        "cube": str(tf.reshape(tf.range(24), [2, 3, 4])),
    }


def formats(tf, np):
    x, v = tf.constant(1.23456789), tf.constant([1.0, 2.0])
    i = tf.constant(42)
    return {
        "f-string": [f"{x}", f"{v}", f"{i}", f"{x!r}", f"{x!s}"],
        "format": [
            caught(lambda: f"{x:.2f}"),
            caught(lambda: f"{i:5d}"),
            caught(lambda: f"{v:.2f}"),
        ],
        "percent": [caught(lambda: "%.3f" % x), caught(lambda: "%d" % i), "%s" % v],
        "str.format": ["{}".format(x), caught(lambda: "{:.1f}".format(x))],
        "list": [str([x, i]), repr((v,)), str({"a": x})],
        "numpy": [f"{x.numpy():.3f}", str(v.numpy()), repr(x.numpy())],
    }


def python_numbers(tf, np):
    x, i, b, v = tf.constant(2.5), tf.constant(3), tf.constant(True), tf.constant([1.0, 2.0])
    one = tf.constant([4.0])
    return {
        "float": [float(x), float(i), caught(float, v), caught(float, one), float(b)],
        "int": [int(x), int(i), caught(int, v), caught(int, one), int(b)],
        "complex": [complex(x), complex(i), caught(complex, v)],
        "bool": [bool(x), bool(b), bool(tf.constant(0)), caught(bool, v), caught(bool, one)],
        "bool of empty": caught(bool, tf.constant([])),
        "index": [
            operator.index(i),
            caught(operator.index, x),
            caught(operator.index, b),
            caught(operator.index, v),
        ],
        "range": [list(range(i)), [10, 20, 30, 40][i]],
        "round": [caught(round, x), caught(round, x, 1), caught(round, i)],
        "abs": abs(tf.constant(-2.0)),
        "divmod": caught(divmod, i, 2),
        "math": __import__("math").sqrt(tf.constant(4.0)),
        "sum": sum([x, x, i * 0.0 if False else x]),
        "max": max(x, tf.constant(3.0)),
        "sorted": [float(t) for t in sorted([x, tf.constant(1.0)])],
        "not": not tf.constant(False),
        "trunc": caught(__import__("math").trunc, x),
        "floor": caught(__import__("math").floor, x),
    }


def truth(tf, np):
    return {
        "if": "yes" if tf.constant(2.0) > 1.0 else "no",
        "and": bool(tf.constant(True) and tf.constant(False)),
        "vector": caught(lambda: bool(tf.constant([1.0, 2.0]))),
        "matrix": caught(lambda: bool(tf.constant([[True]]))),
        "in": caught(lambda: tf.constant(1.0) in [tf.constant(2.0), tf.constant(1.0)]),
        "in tensor": caught(lambda: 1.0 in tf.constant([1.0, 2.0])),
    }


def iteration(tf, np):
    x, m = tf.constant([1.0, 2.0, 3.0]), tf.constant([[1, 2], [3, 4]])
    a, b = m
    return {
        "list": list(x),
        "unpacked": [a, b],
        "rows": [row.numpy().tolist() for row in m],
        "enumerate": [(k, float(v)) for k, v in enumerate(x)],
        "zip": [(float(u), float(v)) for u, v in zip(x, x, strict=True)],
        "scalar": caught(lambda: list(tf.constant(1.0))),
        "empty": list(tf.constant([])),
        "len": [len(x), len(m)],
        "len of scalar": caught(lambda: len(tf.constant(1.0))),
        "reversed": caught(lambda: [float(v) for v in reversed(x)]),
        "too many": caught(lambda: (lambda p, q: 0)(*x)),
        "star": [float(v) for v in (*x,)],
        "next": next(iter(x)),
        "map": [float(v) for v in map(tf.square, x)],
    }


def gradients_through_iteration(tf, np):
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        a, b, c = x
        y = a * b + c
    return tape.gradient(y, [x, a, b])


def identity_and_hash(tf, np):
    x, y = tf.constant(1.0), tf.constant(1.0)
    v = tf.Variable(2.0)
    refs = {x.ref(): "x", y.ref(): "y", v.ref(): "v"}
    return {
        "hash": caught(hash, x),
        "hash of a variable": caught(hash, v),
        "dict": caught(lambda: {x: 1}),
        "set": caught(lambda: {v}),
        "refs": [refs[x.ref()], refs[y.ref()], refs[v.ref()], len(refs)],
        "deref": [x.ref().deref() is x, v.ref().deref() is v],
        "ref equality": [x.ref() == x.ref(), x.ref() == y.ref(), hash(x.ref()) == hash(x.ref())],
        "repr of ref": repr(x.ref()),
        "is": [x is y, x is x],
    }


def immutability(tf, np):
    x = tf.constant([1, 2], dtype=tf.int8)

    def assign_item():
        x[1] = 3

    def delete_item():
        del x[0]

    def assign_shape():
        x.shape = (2,)

    def assign_dtype():
        x.dtype = tf.int32

    def augmented():
        y = x
        y += 1
        return [y, x]

    return {
        "item": caught(assign_item),
        "delete": caught(delete_item),
        "setitem": caught(lambda: x.__setitem__(0, 1.0)),
        "shape": caught(assign_shape),
        "dtype": caught(assign_dtype),
        "augmented": augmented(),
        "numpy is a copy": _numpy_is_a_copy(tf, np),
    }


def _numpy_is_a_copy(tf, np):
    a = np.array([1.0, 2.0], np.float32)
    x = tf.constant(a)
    y = tf.convert_to_tensor(a)
    v = tf.Variable(a)
    z = x + y
    a[0] = 100.0
    return [x, z, v]


def numpy_interplay(tf, np):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    return {
        "asarray": np.asarray(x),
        "array": np.array(x, dtype=np.float64),
        "sum": np.sum(x),
        "mean axis": np.mean(x, axis=0),
        "sqrt": np.sqrt(x),
        "add": caught(lambda: np.add(x, 1.0)),
        "ndarray plus tensor": np.ones([2, 2], np.float32) + x,
        "tensor plus ndarray": x + np.ones([2, 2], np.float32),
        "number plus tensor": np.float32(2.0) + x,
        "dot": np.dot(x, x),
        "allclose": bool(np.allclose(x, x.numpy())),
        "testing": np.testing.assert_array_equal(x, x.numpy()),
        "list of tensors": np.array([tf.constant(1.0), tf.constant(2.0)]),
        "index with a tensor": np.arange(5)[tf.constant(2)],
        "index with a vector": np.arange(5)[tf.constant([1, 2])],
        "mask": np.arange(2)[tf.constant([True, False])],
        "where": np.where(x > 2, x, 0.0),
        "concatenate": np.concatenate([x, x]).shape,
        "shape": np.shape(x),
        "ndim": np.ndim(x),
        "isnan": np.isnan(x),
        "max": np.max(x),
        "stack": np.stack([x, x]).shape,
        "float": np.float64(tf.constant(1.5)),
        "full": np.full(tf.constant(2), tf.constant(1.0)),
    }


def copies(tf, np):
    x = tf.constant([1.0, 2.0])
    return {
        "copy": copy.copy(x),
        "deepcopy": copy.deepcopy(x),
        "deepcopy is another": copy.deepcopy(x) is x,
        "pickle": caught(lambda: pickle.loads(pickle.dumps(x))),
        "in a list": copy.deepcopy([x, {"a": x}]),
        "gradients are not copied": _deepcopy_gradient(tf),
    }


def _deepcopy_gradient(tf):
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = copy.deepcopy(x) * 2.0
    return tape.gradient(y, x)


def constants(tf, np):
    return {
        "float": tf.constant(1.0),
        "int": tf.constant(1),
        "bool": tf.constant(True),
        "big": tf.constant(2**40),
        "complex": tf.constant(1j),
        "mixed": tf.constant([1, 2.5]),
        "nested tensors": tf.constant([tf.constant(1.0), tf.constant(2.0)]) if False else None,
        "numpy float64": tf.constant(np.ones(2)),
        "numpy scalar": [
            tf.constant(np.float64(1)),
            tf.constant(np.int8(1)),
            tf.constant(np.float16(1)),
        ],
        "numpy int": tf.constant(np.array([1, 2])),
        "numpy bool": tf.constant(np.array([True])),
        "dtype": tf.constant([1, 2], tf.float32),
        "dtype by name": tf.constant([1, 2], "float64"),
        "numpy dtype": tf.constant([1, 2], np.float16),
        "python dtype": caught(lambda: tf.constant([1, 2], float)),
        "shape": tf.constant(7, shape=[2, 2]),
        "reshaped": tf.constant([1, 2, 3, 4], shape=[2, 2]),
        "wrong shape": caught(lambda: tf.constant([1, 2, 3], shape=[2, 2])),
        "float to int": caught(lambda: tf.constant(1.5, tf.int32)),
        "floats to int": caught(lambda: tf.constant([1.0, 2.0], tf.int32)),
        "numpy floats to int": caught(lambda: tf.constant(np.array([1.5, 2.5]), tf.int32)),
        "too large": caught(lambda: tf.constant(2**40, tf.int32)),
        "negative to unsigned": caught(lambda: tf.constant(-1, tf.uint8)),
        "300 as uint8": caught(lambda: tf.constant(300, tf.uint8)),
        "ragged": caught(lambda: tf.constant([[1, 2], [3]])),
        "ragged deep": caught(lambda: tf.constant([[1], 2])),
        "none": caught(lambda: tf.constant(None)),
        "list with none": caught(lambda: tf.constant([1, None])),
        "object": caught(lambda: tf.constant(object()).dtype) if False else None,
        "dict": caught(lambda: tf.constant({"a": 1})),
        "bool and number": caught(lambda: tf.constant([True, 1])),
        "number and bool": caught(lambda: tf.constant([1, True])),
        "bool to float": caught(lambda: tf.constant(True, tf.float32)),
        "int to bool": caught(lambda: tf.constant(1, tf.bool)),
        "tensor": tf.constant(tf.constant([1.0])),
        "tensor to another dtype": caught(lambda: tf.constant(tf.constant([1.0]), tf.float64)),
        "range": tf.constant(range(3)),
        "unknown dtype": caught(lambda: tf.constant(1, "nonsense")),
        "overflow": caught(lambda: tf.constant(1e300)),
    }


def conversions(tf, np):
    x = tf.constant([1.0, 2.0])
    v = tf.Variable([3.0])
    return {
        "same": tf.convert_to_tensor(x) is x,
        "variable": tf.convert_to_tensor(v),
        "list of tensors": tf.convert_to_tensor([tf.constant(1.0), tf.constant(2.0)]),
        "nested list of tensors": tf.convert_to_tensor([[tf.constant(1.0), 2.0], [3.0, 4.0]]),
        "list of variables": tf.convert_to_tensor([v, v]),
        "tensors of several dtypes": caught(
            lambda: tf.convert_to_tensor([tf.constant(1.0), tf.constant(2)])
        ),
        "tensors of several shapes": caught(lambda: tf.convert_to_tensor([tf.constant(1.0), x])),
        "dtype": tf.convert_to_tensor([1, 2], dtype=tf.float64),
        "dtype hint": [
            tf.convert_to_tensor([1, 2], dtype_hint=tf.float64),
            tf.convert_to_tensor([1.5], dtype_hint=tf.int32),
        ],
        "tensor of another dtype": caught(lambda: tf.convert_to_tensor(x, dtype=tf.float64)),
        "variable of another dtype": caught(lambda: tf.convert_to_tensor(v, dtype=tf.float64)),
        "floats to int": caught(lambda: tf.convert_to_tensor([1.5], dtype=tf.int32)),
        "none": caught(lambda: tf.convert_to_tensor(None)),
        "numpy": tf.convert_to_tensor(np.arange(3)),
        "shape": tf.convert_to_tensor(x.shape),
        "partial shape": caught(lambda: tf.convert_to_tensor(tf.TensorShape([None]))),
    }


def gradients_through_conversion(tf, np):
    a, b, v = tf.constant(1.0), tf.constant(2.0), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        tape.watch([a, b])
        packed = tf.convert_to_tensor([[a, b], [v, 4.0]])
        y = tf.reduce_sum(packed * packed) + tf.reduce_sum([a, v])
    return {"packed": packed, "gradient": tape.gradient(y, [a, b, v])}


def dtypes(tf, np):
    d = tf.float32
    return {
        "repr": [repr(d), str(d), d.name, repr(tf.bool), repr(tf.string), str(tf.complex64)],
        "numpy": [d.as_numpy_dtype is np.float32, tf.int64.as_numpy_dtype is np.int64],
        "flags": [
            d.is_floating,
            d.is_integer,
            d.is_complex,
            tf.bool.is_bool,
            tf.int8.is_unsigned,
            tf.uint8.is_unsigned,
        ],
        "limits": [
            tf.int8.min,
            tf.int8.max,
            float(tf.float32.max),
            float(tf.float16.max),
            tf.uint8.max,
        ],
        "size": [d.size, tf.complex128.size, tf.bool.size],
        "equal": [d == "float32", d == np.float32, d == tf.float64, d != tf.float32, d == 1],
        "real": [tf.complex64.real_dtype, tf.complex128.real_dtype, d.real_dtype],
        "base": d.base_dtype,
        "as_dtype": [
            tf.as_dtype("float64"),
            tf.as_dtype(np.int8),
            tf.as_dtype(float),
            tf.as_dtype(bool),
        ],
        "as_dtype int": caught(lambda: tf.as_dtype(int)),
        "as_dtype half": [tf.as_dtype("half"), tf.as_dtype("double"), tf.half, tf.double],
        "wrong": caught(lambda: tf.as_dtype("nonsense")),
        "wrong object": caught(lambda: tf.as_dtype([1])),
        "hash": {tf.float32: 1}[tf.as_dtype("float32")],
        "enum": [tf.float32.as_datatype_enum, tf.int32.as_datatype_enum],
        "compatible": [d.is_compatible_with(tf.float32), d.is_compatible_with("int32")],
        "is_numpy": d.is_numpy_compatible,
        "np.dtype": np.zeros(1, tf.float64.as_numpy_dtype),
        "in": [tf.float32 in (tf.float32, tf.float64), tf.float32 in ["float32"]],
        "dtypes module": tf.dtypes.float32 is tf.float32,
        "attribute": caught(lambda: tf.float33) if False else None,
    }
