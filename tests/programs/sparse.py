"""`tf.SparseTensor`: making, arranging, arithmetic, reductions, gradients of the values."""

from programs.program import caught


def _matrix(tf, values=(1.0, 2.0, 3.0)):
    return tf.SparseTensor([[0, 0], [1, 2], [2, 1]], values, [3, 4])


def _other(tf):
    return tf.SparseTensor([[0, 0], [2, 1]], [6.0, 5.0], [3, 4])


def making(tf, np):
    s = _matrix(tf)
    return {
        "repr": [repr(s), str(s)],
        "attributes": [s.shape, s.dtype, s.indices, s.values, s.dense_shape, s.get_shape()],
        "text": tf.SparseTensor(indices=[[0]], values=["a"], dense_shape=[2]),
        "empty": tf.SparseTensor(np.empty((0, 2)), [], [2, 2]),
        "int32 array": tf.SparseTensor(np.array([[0]], np.int32), [1.0], [2]),
        "int32 tensor": caught(lambda: tf.SparseTensor(tf.constant([[0]]), [1.0], [2])),
        "vector of indices": caught(lambda: tf.SparseTensor([0, 1], [1.0, 2.0], [3])),
        "numbers differ": caught(lambda: tf.SparseTensor([[0], [1]], [1.0], [3])),
        "ranks differ": caught(lambda: tf.SparseTensor([[0], [1]], [1.0, 2.0], [3, 3])),
        "float indices": caught(lambda: tf.SparseTensor([[0.0]], [1.0], [2])),
        "scalar value": caught(lambda: tf.SparseTensor([[0]], 1.0, [2])),
        "variable": tf.sparse.to_dense(tf.SparseTensor([[0]], tf.Variable([2.0]), [2])),
        "with_values": s.with_values([7, 8, 9]),
        "with too few": caught(lambda: s.with_values([7])),
        "from_value": tf.SparseTensor.from_value(s),
        "is_tensor": [tf.is_tensor(s), isinstance(s, tf.Tensor)],
        "converted": caught(lambda: tf.convert_to_tensor(s)),
        "flat": tf.nest.flatten([s], expand_composites=True),
        "mapped": tf.nest.map_structure(tf.identity, [s], expand_composites=True),
        "spec": [repr(tf.type_spec_from_value(s)), repr(tf.SparseTensorSpec([3, None], tf.int32))],
        "compatible": tf.SparseTensorSpec([3, None]).is_compatible_with(s),
        "subscript": caught(lambda: s[0]),
        "length": caught(lambda: len(s)),
        "iterated": caught(lambda: list(s)),
    }


def dense(tf, np):
    s, unordered = _matrix(tf), tf.SparseTensor([[2, 1], [0, 0]], [5.0, 6.0], [3, 4])
    return {
        "to_dense": tf.sparse.to_dense(s),
        "default": tf.sparse.to_dense(s, default_value=-1.0),
        "texts": tf.sparse.to_dense(tf.SparseTensor([[0]], ["a"], [2])),
        "bools": tf.sparse.to_dense(tf.SparseTensor([[0]], [True], [2])),
        "unordered": caught(lambda: tf.sparse.to_dense(unordered)),
        "not validated": tf.sparse.to_dense(unordered, validate_indices=False),
        "out of bounds": caught(lambda: tf.sparse.to_dense(tf.SparseTensor([[5]], [1.0], [3]))),
        "repeated": caught(lambda: tf.sparse.to_dense(tf.SparseTensor([[1], [1]], [1, 2], [3]))),
        "not sparse": caught(lambda: tf.sparse.to_dense([1])),
        "from_dense": tf.sparse.from_dense([[0, 1], [2, 0]]),
        "from floats": tf.sparse.from_dense([0.0, -0.0, np.nan, 1.0]),
        "from texts": tf.sparse.from_dense(["", "a"]),
        "from bools": tf.sparse.from_dense([True, False]),
        "indicator": tf.sparse.to_indicator(tf.SparseTensor([[0, 0], [1, 1]], [2, 0], [2, 2]), 4),
        "eye": [tf.sparse.eye(2), tf.sparse.eye(2, 3, tf.int32)],
        "queries": [tf.shape(s), tf.size(s), tf.rank(s), tf.shape(s, out_type=tf.int64)],
    }


def arranged(tf, np):
    s, u = _matrix(tf), _other(tf)
    return {
        "reorder": tf.sparse.reorder(tf.SparseTensor([[2, 1], [0, 0]], [5.0, 6.0], [3, 4])),
        "transpose": [tf.sparse.transpose(s), tf.sparse.transpose(s, [0, 1])],
        "bad transpose": caught(lambda: tf.sparse.transpose(s, [0])),
        "reshape": [tf.sparse.reshape(s, [4, 3]), tf.sparse.reshape(s, [-1])],
        "bad reshape": caught(lambda: tf.sparse.reshape(s, [5, 5])),
        "slice": [tf.sparse.slice(s, [0, 0], [2, 3]), tf.sparse.slice(s, [1, 1], [10, 10])],
        "retain": tf.sparse.retain(s, [True, False, True]),
        "bad retain": caught(lambda: tf.sparse.retain(s, [True])),
        "expand_dims": [tf.sparse.expand_dims(s, 0), tf.sparse.expand_dims(s)],
        "bad expand_dims": caught(lambda: tf.sparse.expand_dims(s, 5)),
        "reset_shape": [tf.sparse.reset_shape(s), tf.sparse.reset_shape(s, [5, 5])],
        "smaller shape": caught(lambda: tf.sparse.reset_shape(s, [1, 1])),
        "concat": [tf.sparse.concat(0, [s, u]), tf.sparse.concat(1, [s, u])],
        "expanded concat": tf.sparse.concat(0, [s, tf.sparse.eye(2)], expand_nonconcat_dims=True),
        "bad concat": caught(lambda: tf.sparse.concat(0, [s, tf.sparse.eye(2)])),
        "concat axis": caught(lambda: tf.sparse.concat(5, [s, u])),
        "asserted type": [
            tf.debugging.assert_type(s, s.dtype),
            caught(lambda: tf.debugging.assert_type(s, tf.string)),
        ],
        "split": tf.sparse.split(s, 2, 1),
        "filled": tf.sparse.fill_empty_rows(tf.SparseTensor([[1, 0]], [1.0], [3, 2]), 9.0),
        "mask": tf.sparse.mask(
            tf.IndexedSlices(tf.constant([[1.0], [2.0]]), tf.constant([0, 1]), tf.constant([3, 1])),
            [1],
        ),
    }


def arithmetic(tf, np):
    s, u = _matrix(tf), _other(tf)
    row = np.array([1.0, 2.0, 3.0, 4.0], np.float32)
    return {
        "add": tf.sparse.add(s, u),
        "threshold": tf.sparse.add(s, u, threshold=2.0),
        "add dense": tf.sparse.add(s, np.ones((3, 4), np.float32)),
        "both dense": caught(lambda: tf.sparse.add(row, row)),
        "dtypes": caught(lambda: tf.sparse.add(s, tf.sparse.from_dense([[1]]))),
        "shapes": caught(lambda: tf.sparse.add(s, tf.sparse.from_dense([[1.0]]))),
        "times": [s * 2.0, s * np.ones((3, 4), np.float32), s * row, s * tf.Variable(2.0)],
        "divided": [s / 2.0, tf.divide(s, 2.0)],
        "reflected": caught(lambda: 2.0 * s),
        "dense times": [tf.ones((3, 4)) * s, tf.constant(row) * s, tf.Variable(2.0) * s],
        "the function": caught(lambda: tf.multiply(tf.ones((3, 4)), s)).name,
        "plus": caught(lambda: s + s),
        "minus": caught(lambda: -s),
        "extrema": [tf.sparse.maximum(s, u), tf.sparse.minimum(s, u)],
        "functions": [f(s) for f in (tf.square, tf.sqrt, tf.abs, tf.sin, tf.tanh, tf.sign)],
        "negative": tf.negative(s),
        "not of zero": caught(lambda: tf.exp(s)),
        "cast": tf.cast(s, tf.int32),
        "identity": tf.identity(s),
        "map_values": tf.sparse.map_values(tf.multiply, s, 2.0),
        "softmax": tf.sparse.softmax(s),
        "softmax of a vector": caught(
            lambda: tf.sparse.softmax(tf.SparseTensor([[0], [1]], [1.0, 2.0], [3]))
        ),
    }


def products(tf, np):
    s = _matrix(tf)
    b = np.arange(8, dtype=np.float32).reshape(4, 2)
    multiply = tf.sparse.sparse_dense_matmul
    c = tf.SparseTensor([[0, 1]], tf.constant([1 + 2j], tf.complex64), [2, 2])
    return {
        "matmul": multiply(s, b),
        "dense first": multiply(b[:3].T, s),
        "adjoint a": multiply(s, b[:3], adjoint_a=True),
        "adjoint b": multiply(s, b.T, adjoint_b=True),
        "complex": multiply(c, np.ones((2, 1), np.complex64), adjoint_a=True),
        "sizes": caught(lambda: multiply(s, b[:3])),
        "dtypes": caught(lambda: multiply(s, tf.constant(b, tf.float64))),
        "dense function": caught(lambda: tf.matmul(s, b)),
        "sampled": list(
            tf.sparse.sampled_addmm(
                tf.constant([[0, 0], [1, 2]]),
                tf.constant([1.0, 2.0]),
                tf.constant([2, 3]),
                tf.constant([[1.0, 2.0], [3.0, 4.0]]),
                tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]),
                alpha=2.0,
                beta=0.5,
            )
        ),
    }


def reductions(tf, np):
    s = _matrix(tf)
    return {
        "sum": [tf.sparse.reduce_sum(s), tf.sparse.reduce_sum(s, axis=0)],
        "sum kept": tf.sparse.reduce_sum(s, axis=1, keepdims=True),
        "sum sparse": tf.sparse.reduce_sum(s, axis=1, output_is_sparse=True),
        "max": [tf.sparse.reduce_max(s, axis=a) for a in (None, 0, 1, [0, 1])],
        "dense function": caught(lambda: tf.reduce_sum(s)),
        "bincount": tf.sparse.bincount([1, 1, 2]),
        "bincount rows": tf.sparse.bincount([[1, 2], [2, 2]], axis=-1),
        "bincount weights": tf.sparse.bincount(
            [[1, 2], [2, 2]], weights=[[1.0, 2.0], [3.0, 4.0]], axis=-1, minlength=5
        ),
        "bincount binary": tf.sparse.bincount([1, 1, 3], binary_output=True, maxlength=3),
        "segments": [
            f([[1.0, 2.0], [3.0, 4.0]], [0, 1, 1], [0, 0, 2])
            for f in (tf.sparse.segment_sum, tf.sparse.segment_mean, tf.sparse.segment_sqrt_n)
        ],
        "more segments": tf.sparse.segment_sum([[1.0], [3.0]], [0, 1], [0, 2], num_segments=4),
    }


def embeddings(tf, np):
    table = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    ids = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [0, 1, 1], [2, 2])
    weights = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [1.0, 2.0, 3.0], [2, 2])
    holes = tf.SparseTensor([[0, 0], [2, 0]], [0, -1], [3, 2])
    lookup = tf.nn.embedding_lookup_sparse
    with tf.GradientTape() as tape:
        tape.watch(table)
        y = lookup(table, ids, None, combiner="sum")
    return {
        "combiners": [lookup(table, ids, None, combiner=c) for c in ("sum", "mean", "sqrtn")],
        "weights": [lookup(table, ids, weights, combiner=c) for c in ("sum", "mean", "sqrtn")],
        "norm": lookup(table, ids, None, max_norm=1.0),
        "unknown": caught(lambda: lookup(table, ids, None, combiner="x")),
        "gradient": tape.gradient(y, table),
        "safe": tf.nn.safe_embedding_lookup_sparse(table, holes),
        "safe with an id": tf.nn.safe_embedding_lookup_sparse(table, holes, default_id=1),
    }


def gradients(tf, np):
    v = tf.constant([1.0, 2.0, 3.0])
    ones = np.ones((4, 2), np.float32)

    def gradient(function, source=v):
        with tf.GradientTape() as tape:
            tape.watch(source)
            y = function(tf.SparseTensor([[0, 0], [1, 2], [2, 1]], v, [3, 4]))
        return tape.gradient(y, source)

    s, table = tf.sparse, tf.constant(ones)
    return {
        "to_dense": gradient(lambda x: s.to_dense(x) ** 2),
        "default": gradient(lambda x: s.to_dense(x, default_value=v[0])),
        "matmul": gradient(lambda x: s.sparse_dense_matmul(x, ones) ** 2),
        "matmul, dense": gradient(lambda x: s.sparse_dense_matmul(x, table) ** 2, table),
        "reduce_sum": gradient(lambda x: s.reduce_sum(x, 1) ** 2),
        "reduce_max": caught(lambda: gradient(lambda x: s.reduce_max(x, 1))),
        "slice": gradient(lambda x: s.slice(x, [0, 0], [2, 4]).values ** 2),
        "reorder": gradient(lambda x: s.reorder(x).values ** 2),
        "add": gradient(lambda x: s.add(x, x).values ** 2),
        "add dense": gradient(lambda x: s.add(x, np.ones((3, 4), np.float32)) ** 2),
        "times dense": gradient(lambda x: (x * np.full((3, 4), 2, np.float32)).values ** 2),
        "softmax": gradient(lambda x: s.softmax(x).values * v),
        "transpose": gradient(lambda x: s.transpose(x).values ** 2),
        "reshape": gradient(lambda x: s.reshape(x, [4, 3]).values ** 2),
        "concat": gradient(lambda x: s.concat(0, [x, x]).values ** 2),
        "retain": gradient(lambda x: s.retain(x, [True, False, True]).values ** 2),
        "square": gradient(lambda x: tf.square(x).values),
        "fill_empty_rows": gradient(lambda x: s.fill_empty_rows(x, 9.0)[0].values ** 2),
        "expand_dims": gradient(lambda x: s.expand_dims(x, 0).values ** 2),
        "map_values": gradient(lambda x: s.map_values(tf.multiply, x, 2.0).values),
        "segments": gradient(lambda x: s.segment_sum(x.values, [0, 1], [0, 0]) ** 2),
        "from_dense": gradient(lambda x: s.from_dense(table).values ** 2, table),
    }


def second_order(tf, np):
    v, b = tf.constant([1.0, 2.0, 3.0]), tf.Variable(np.ones((4, 2), np.float32))
    with tf.GradientTape() as outer:
        outer.watch(v)
        with tf.GradientTape() as inner:
            s = tf.SparseTensor([[0, 0], [1, 2], [2, 1]], v, [3, 4])
            y = tf.reduce_sum(tf.sparse.sparse_dense_matmul(s, b) ** 3)
        of_b = inner.gradient(y, b)
    return [of_b, *outer.gradient(of_b, [v, b])]


def sets(tf, np):
    a, b = [[1, 2], [3, 4]], [[2, 5], [3, 3]]
    return {
        "intersection": tf.sets.intersection(a, b),
        "union": tf.sets.union(a, b),
        "difference": [tf.sets.difference(a, b), tf.sets.difference(a, b, aminusb=False)],
        "size": tf.sets.size(tf.sets.union(a, b)),
        "texts": tf.sets.union([["a", "b"]], [["c", "a"]]),
        "sparse": tf.sets.intersection(tf.sparse.from_dense(a), tf.sparse.from_dense(b)),
        "dense and sparse": tf.sets.union(tf.constant(a), tf.sparse.from_dense(b)),
        "floats": caught(lambda: tf.sets.union([[1.0]], [[2.0]])).name,
        "vectors": caught(lambda: tf.sets.union([1], [2])),
        "dtypes": caught(lambda: tf.sets.difference([[1, 2]], [["a"]])),
    }


def crosses(tf, np):
    a, b = tf.constant([["a"], ["b"]]), tf.constant([["c"], ["d"]])
    s = tf.sparse.from_dense([["a", "b"], ["", "c"]])
    n = tf.constant([[1], [2]], tf.int64)
    cross, hashed = tf.sparse.cross, tf.sparse.cross_hashed
    return {
        "dense": [cross([a, b]), cross([a, b], separator="-")],
        "sparse": [cross([s, b]), cross([s, s]), cross([s])],
        "numbers": [cross([a, n]), cross([s, n, b]), cross([a, tf.constant([[1.5], [2.0]])])],
        "empty row": cross([tf.sparse.from_dense([["a"], [""]]), b]),
        "none": cross([]),
        "lists": caught(lambda: cross([[["a"]], [["c"]]])),
        "no list": caught(lambda: cross(a)),
        "rows": caught(lambda: cross([a, tf.constant([["x"]])])),
        "rank": caught(lambda: cross([a, tf.constant(["x"])])),
        "hashed": [hashed([a, b], num_buckets=100), hashed([a, b])],
        "key": hashed([a, b], num_buckets=100, hash_key=1),
        "hashed numbers": hashed([s, n], num_buckets=1000),
        "negative": caught(lambda: hashed([a, b], num_buckets=-1)).name,
    }
