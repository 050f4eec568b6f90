"""tf.experimental.RowPartition and DynamicRaggedShape: how they are made, shown, used."""

from programs.ragged_tensors import answers


def partitions(tf, np):
    return answers(
        tf,
        np,
        """
        P = tf.experimental.RowPartition
        t32 = t([1, 2])
        p = P.from_row_splits([0, 2, 2, 3])
        u = P.from_uniform_row_length(2, nvals=4)
        repr(p), str(p), repr(u), repr(u._type_spec), repr(p._type_spec)
        repr(p.with_dtype("int32"))
        p.dtype.name, p.static_nrows, p.static_nvals, p.static_uniform_row_length, p.is_uniform()
        [p.nrows(), p.nvals(), p.row_splits(), p.row_lengths(), p.row_starts(), p.row_limits()]
        [p.value_rowids(), p.offsets_in_rows(), p.uniform_row_length(), u.uniform_row_length()]
        u.static_nrows, int(u.static_nvals), int(u.static_uniform_row_length), u.is_uniform()
        [u.nrows(), u.nvals(), u.row_splits(), u.value_rowids(), u.offsets_in_rows()]
        str([P.from_row_lengths([1, 2]), P.from_row_limits([1, 3]), P.from_row_starts([0, 1], 3)])
        str([P.from_value_rowids([0, 0, 2]), P.from_value_rowids([0, 0, 2], nrows=5)])
        str([P.from_uniform_row_length(3, nrows=2), P.from_uniform_row_length(0, 0, 4)])
        repr(P.from_value_rowids([0, 0, 2])._type_spec)
        repr(P.from_row_starts([0, 3], 5)._type_spec)
        P.from_row_lengths([1, 2], dtype=tf.int32).dtype.name
        P.from_row_lengths(np.array([1, 2], np.int32)).dtype.name
        P.from_row_lengths(np.array([1, 2], np.int32), dtype=tf.int64).dtype.name
        P.from_row_lengths(t32, dtype_hint=tf.int64).dtype.name
        P.from_row_lengths([1, 2], dtype_hint=tf.int32).dtype.name
        P.from_uniform_row_length(t(2), nrows=2).dtype.name
        P.from_uniform_row_length(2, nrows=t(2), dtype=tf.int64).dtype.name
        P.from_row_lengths(t32, dtype=tf.int64)
        P.from_row_lengths([1.5])
        P.from_row_lengths([1, 2], dtype=tf.float32)
        P.from_row_lengths([[1, 2]])
        P.from_row_lengths([-1, 2])
        P.from_row_splits([1, 2])
        P.from_row_splits([0, 2, 1])
        P.from_row_splits([])
        P.from_row_splits(t([], tf.int64))
        P.from_row_splits([0, 1], validate=1)
        P.from_row_starts([0, 3], 2)
        P.from_row_starts([1, 3], 5)
        P.from_row_limits([3, 1])
        P.from_value_rowids([1, 0])
        P.from_value_rowids([0, 1], nrows=1)
        P.from_value_rowids([-1, 1], nrows=3)
        P.from_value_rowids([0, 1], nrows=-1)
        P.from_uniform_row_length(3)
        P.from_uniform_row_length(3, nvals=7)
        P.from_uniform_row_length(-3, nvals=6)
        P.from_uniform_row_length(3.0, nvals=6)
        P(1)
        p.with_dtype(tf.float32)
        [p == p, p == P.from_row_splits([0, 2, 2, 3]), tf.is_tensor(p)]
        tf.nest.flatten(p, expand_composites=True)
        str([tf.function(lambda p: p)(p), tf.function(lambda p: p)(u)])
        tf.function(lambda p: p.nvals())(u)
        str(list(tf.data.Dataset.from_tensors(p)))
        tf.constant(p)
        """,
    )


def shapes(tf, np):
    return answers(
        tf,
        np,
        """
        P = tf.experimental.RowPartition
        S = tf.experimental.DynamicRaggedShape
        p = P.from_row_splits([0, 2, 3])
        s = S.from_lengths([2, (1, 2), 3])
        u = S.from_lengths([2, 3, 4], num_row_partitions=1)
        str([s, u, S.from_lengths([2, (1, 2), (1, 2, 3), 4]), S.from_lengths([])])
        str([S.from_lengths([2, 3], 1), u.row_partitions, s.row_partitions])
        [s.static_lengths(), s.static_lengths(ragged_lengths=False), u.static_lengths(False)]
        [s.rank, s.inner_rank, s.num_row_partitions, s.dtype.name, s.inner_shape]
        [s[0], s[2], s[-1], u[1], u[2]]
        str([s[:2], s[:1], s[0:0], s[:], s[:-1], s[:9], u[1:], u[1:2], u[-1:], u[2:1]])
        [s.is_uniform(0), s.is_uniform(1), s.is_uniform(2), u.is_uniform(1)]
        [s.with_dtype(tf.int32).dtype.name, s.with_dtype("int32").inner_shape, s[:1].dtype.name]
        s == S.from_lengths([2, (1, 2), 3]), s == S.from_lengths([2, (2, 1), 3])
        s == S.from_lengths([2, (2, 2), 3])
        s != S.from_lengths([2, (2, 1), 3])
        str([S.from_row_partitions([p]), S.from_tensor([[1, 2]]), S.from_tensor(c([[1], [2, 3]]))])
        S.from_row_partitions([p], dtype=tf.int32).dtype.name, S.from_tensor([[1, 2]]).dtype.name
        S.from_tensor(c([[1]])).dtype.name, S.from_tensor(c([[1]]), tf.int32).dtype.name
        str([S([], [2, 3]), S([p], [3]), S([p], [4]), S([p, p], [3])])
        S([], [2, 3]).dtype.name, S([], [2, 3], dtype=tf.int32).dtype.name
        S([], np.array([2, 3], np.int32)).dtype.name, S([], t([2, 3])).dtype.name
        S([], t([2, 3]), dtype=tf.int64).dtype.name, S([p], t([3])).dtype.name
        str(S([], [2, 3], static_inner_shape=[2, None]))
        S([], [2, 3], static_inner_shape=[2, 4])
        S([], [2, 3], dtype=tf.float32)
        S([], [[1]])
        S(3, [3])
        S([3], [3])
        S([p], [4], validate=True)
        S([p, p], [3], validate=True)
        S([P.from_uniform_row_length(2, nvals=4)], [5])
        S([P.from_value_rowids([0, 1]), P.from_row_splits([0, 2, 3, 4])], [4])
        S.from_lengths((2, 3))
        S.from_lengths([2.0])
        S.from_lengths([2, (1,)])
        S.from_lengths([], num_row_partitions=1)
        S.from_lengths([2], num_row_partitions=1)
        S.from_lengths([2], num_row_partitions=1.0)
        S.from_row_partitions([])
        s[1]
        s[3]
        s[-4]
        s["a"]
        s[1:]
        s[::2]
        s.is_uniform(3)
        s.is_uniform(-1)
        s.is_uniform(1.0)
        s.rank = 3
        hash(s)
        len(s)
        [tf.is_tensor(s), list(u[1:]), tf.nest.flatten(s, expand_composites=True)]
        tf.convert_to_tensor(s)
        tf.size(s)
        tf.random.uniform(s)
        """,
    )


def specs_of_shapes(tf, np):
    return answers(
        tf,
        np,
        """
        S = tf.experimental.DynamicRaggedShape
        s = S.from_lengths([2, (1, 2), 3])
        repr(s._type_spec), repr(tf.type_spec_from_value(S.from_lengths([2, 3])))
        [s._type_spec.rank, s._type_spec.inner_rank, s._type_spec.num_row_partitions]
        repr(s._type_spec.with_dtype(tf.int32)), repr(S.Spec([], [2, None], tf.int32))
        [S.Spec([], tf.TensorShape(None), tf.int64).rank, S.Spec([], [None, 2], tf.int64).rank]
        S.Spec([1], [2], tf.int64)
        S.Spec(1, [2], tf.int64)
        S.Spec([], [2], tf.float32)
        S.Spec(s._type_spec._row_partitions, [3, 3], tf.int32)
        S.Spec(s._type_spec._row_partitions, [4, 3], tf.int64)
        S.Spec(s._type_spec._row_partitions, [], tf.int64)
        repr(S.Spec(s._type_spec._row_partitions, [None, 3], tf.int64))
        S.Spec([], [2], tf.int64) == S.Spec([], [2], tf.int64), S.Spec([], [2], tf.int64).dtype.name
        [S.Spec([], [2], "int64").is_compatible_with(S.from_lengths(x)) for x in ([2], [3], [2, 3])]
        S.Spec([], [None, 3], tf.int64).is_compatible_with(S.Spec([], [2, 3], tf.int64))
        f = lambda *specs: repr(specs[0].most_specific_common_supertype(specs[1:]))
        f(S.Spec([], [None, 3], tf.int64), S.Spec([], [2, 3], tf.int64))
        f(s._type_spec, S.from_lengths([2, (2, 2), 3])._type_spec)
        repr(S.Spec.value_type.__name__)
        """,
    )


def shapes_in_functions_of_tensors(tf, np):
    return answers(
        tf,
        np,
        """
        S = tf.experimental.DynamicRaggedShape
        L = S.from_lengths
        s = L([2, (1, 2)])
        rt = c([[1, 2], [3]])
        str([tf.shape(rt), tf.shape(rt).row_partitions]), tf.shape(rt).dtype.name
        tf.shape(rt, out_type=tf.int64).dtype.name
        [tf.ones(s), tf.ones(L([2, (1, 2), 2]), tf.int32), tf.zeros(s)]
        tf.zeros(L([2, 3]), "int32")
        [tf.fill(s, 7), tf.fill(s, [7.0]), tf.fill(L([2, 2]), 7), tf.ones(tf.shape(rt))]
        [tf.reshape([1, 2, 3], s), tf.reshape([1, 2, 3, 4], L([2, 2]))]
        [tf.reshape(rt, L([3, (1, 2, 0)])), tf.reshape(rt, [3, 1]), tf.reshape(rt, L([3]))]
        tf.reshape([1, 2, 3, 4], s)
        [tf.broadcast_to(3, s), tf.broadcast_to([[1], [2]], s)]
        tf.broadcast_to([[1], [2]], L([2, 2]))
        tf.broadcast_to([[[1, 2, 3]]], L([2, (1, 2), 3]))
        tf.broadcast_to(rt, L([2, (2, 1)])), tf.broadcast_to(rt, L([2, 2, (2, 1, 2, 1)]))
        tf.broadcast_to(c([[1], [2]]), s)
        tf.broadcast_to(c([[1], [2]]), L([2, (1, 2)], dtype=tf.int32))
        tf.broadcast_to([1, 2, 3], s)
        tf.broadcast_to([[[1]]], s)
        tf.broadcast_to([[1], [2], [3]], s)
        tf.broadcast_to(rt, [2, 2])
        b = lambda x, y: str(tf.broadcast_dynamic_shape(x, y))
        b(s, L([2, 1])), b(s, [2, 1]), b([2, 1], s), b(L([3]), L([2, 1])), b(L([]), s)
        b(L([2, 1, (1, 0)]), L([2, (2, 1), 1])), b(L([2, (1, 2), 3]), L([3]))
        b(L([2, 3], 1), L([2, 3])), b(L([2, 3], 1), L([1, 3], 1)), b(L([2, 4, 3], 1), L([2, 1, 3]))
        b(L([2, (1, 2), 3]), L([2, 1, 3])), b(L([2, (1, 2)]), L([1, 1, 1]))
        tf.broadcast_dynamic_shape(s, L([2, 1], dtype=tf.int32)).dtype.name
        tf.broadcast_dynamic_shape(L([2]), L([2, 1], dtype=tf.int32)).dtype.name
        b(s, L([2, (2, 1)]))
        b(s, L([3, 1]))
        b(s, L([2, (1, 2)], dtype=tf.int32))
        b(L([2, 2]), L([2, 2, (1, 0, 2, 3)]))
        b(L([2, (1, 2), 3]), L([2, 1, 2]))
        b(L([3]), L([2]))
        G(lambda x: tf.broadcast_to(x, s) ** 2, [[1.0], [2.0]])
        G(lambda x: tf.reshape(x, s) ** 2, [1.0, 2.0, 3.0])
        """,
    )


def shapes_through_functions_and_datasets(tf, np):
    return answers(
        tf,
        np,
        """
        S = tf.experimental.DynamicRaggedShape
        L = S.from_lengths
        D = tf.data.Dataset.from_tensors
        s = L([2, (1, 2)])
        f = tf.function(lambda s: (tf.ones(s), s, s.inner_shape))
        str([f(x)[1] for x in (s, L([2, (2, 2)]), L([2, 3]))]), f(s)[0], f(L([2, 3]))[2]
        f.experimental_get_tracing_count()
        g = tf.function(tf.ones, input_signature=[S.Spec([], [None, 3], tf.int64)])
        [g(L([2, 3])), g(L([1, 3]))]
        str(tf.cond(tf.constant(True), lambda: s, lambda: L([2, (1, 2)])))
        str(tf.nest.map_structure(lambda x: x + 0, s, expand_composites=True))
        str(list(D(s))), str(list(D(s).repeat(2).batch(2)))
        str(list(D(L([2, 3])).repeat(2).batch(2)))
        str(list(D(s).repeat(2).batch(2).unbatch())), str(list(D(L([])).repeat(2).batch(2)))
        str(list(tf.data.Dataset.from_tensor_slices(L([2, (1, 2), 2]))))
        repr(D(L([2, 3])).repeat(2).batch(2).element_spec)
        repr(D(s).repeat(2).batch(2, drop_remainder=True).element_spec)
        repr(D(s).repeat(2).batch(2, drop_remainder=True).unbatch().element_spec)
        repr(D(L([2])).batch(1, drop_remainder=True).element_spec)
        tf.map_fn(lambda s: s.inner_shape[0], L([2, (1, 2), 2]), fn_output_signature=tf.int64)
        next(iter(D(c([[1, 2], [3]])).repeat(2).batch(2))).shape.as_list()
        next(iter(D(c([[[1, 2]], [[3, 4]]], inner_shape=(2,))).batch(1))).shape.as_list()
        """,
    )
