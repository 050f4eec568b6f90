"""Functions of TensorFlow 1 that libraries for TensorFlow 2 call: `tf.compat.v1`."""

from programs.program import answers, caught


def branches_and_loops(tf, np):
    v = tf.compat.v1

    def in_function(**kwargs):
        @tf.function
        def chosen(x):
            return v.cond(x > 0, lambda: [x], lambda: [-x], **kwargs)

        return chosen(tf.constant(-1.0))

    def loop_in_function(body, **kwargs):
        @tf.function
        def counted(n):
            return v.while_loop(lambda i: i < n, body, [0], **kwargs)

        return counted(tf.constant(3))

    small = lambda i, *_: i < 3  # noqa: E731
    return answers(
        lambda: v.cond(True, lambda: [1], lambda: [2]),
        lambda: v.cond(True, lambda: [tf.constant(1)], lambda: [2]),
        lambda: v.cond(True, lambda: [1], lambda: [2], strict=True),
        lambda: v.cond(tf.constant(False), fn1=lambda: (1,), fn2=lambda: (2,)),
        lambda: v.cond(True, lambda: 1, lambda: 2, fn1=lambda: 3),
        lambda: v.cond(True, lambda: 1),
        lambda: v.cond(True, lambda: [[1]], lambda: [[2]]),
        lambda: v.cond(True, lambda: {"a": 1}, lambda: {"a": 2}),
        in_function,
        lambda: in_function(strict=True),
        lambda: v.case([(tf.constant(False), lambda: 1)], default=lambda: 2),
        lambda: v.while_loop(small, lambda i: i + 1, [0]),
        lambda: v.while_loop(small, lambda i: [i + 1], [0]),
        lambda: v.while_loop(small, lambda i: i + 1, (tf.constant(0),)),
        lambda: v.while_loop(small, lambda i, j: (i + 1, j), [0, 1]),
        lambda: v.while_loop(small, lambda i: [i + 1], [0], return_same_structure=True),
        lambda: v.while_loop(small, lambda i: i + 1, [0], maximum_iterations=2),
        lambda: v.while_loop(lambda i: i < 0, lambda i: [i + 1], [0]),
        lambda: v.while_loop(1, lambda i: i, [0]),
        lambda: v.while_loop(small, 1, [0]),
        lambda: loop_in_function(lambda i: i + 1),
        lambda: loop_in_function(lambda i: [i + 1]),
        lambda: loop_in_function(lambda i: [i + 1], return_same_structure=True),
        lambda: v.map_fn(lambda x: 2 * x, tf.constant([1, 2])),
        lambda: v.scan(lambda a, x: a + x, tf.constant([1, 2, 3])),
        lambda: v.foldl(lambda a, x: a - x, tf.constant([1, 2, 3])),
        lambda: v.foldr(lambda a, x: a - x, tf.constant([1, 2, 3])),
    )


def derivatives(tf, np):
    v = tf.compat.v1

    @tf.function
    def first(x):
        return v.gradients(x**3, [x], None, "g", True, stop_gradients=None)

    @tf.function
    def second(x):
        return v.hessians(tf.reduce_sum(x**3), [x], "h", True)

    def looped():
        with tf.GradientTape() as tape:
            x = tf.constant(2.0)
            tape.watch(x)
            _, y = v.while_loop(lambda i, _: i < 3, lambda i, y: (i + 1, y * x), [0, x])
            z = v.cond(y > 0, lambda: [y * y], lambda: [y])
        return tape.gradient(z, x)

    return answers(
        lambda: v.gradients(tf.constant(1.0), [tf.constant(1.0)]),
        lambda: first(tf.constant(2.0)),
        lambda: second(tf.constant([2.0, 3.0])),
        looped,
    )


def variables(tf, np):
    v = tf.compat.v1
    return {
        "made": v.Variable(1.0, False, ["kept"], name="v"),
        "by name": v.Variable([1, 2], use_resource=True, dtype=tf.int64, collections=[]),
        "instances": [isinstance(v.Variable(1.0), tf.Variable), isinstance(1.0, v.Variable)],
        "subclass": issubclass(v.Variable, tf.Variable),
        "scope": v.variable_creator_scope is not None,
        "aggregation": v.VariableAggregation.MEAN == tf.VariableAggregation.MEAN,
        "device": v.DeviceSpec(job="a").to_string(),
    }


def arrays(tf, np):
    v = tf.compat.v1
    image, batch = tf.reshape(tf.range(4.0), [1, 2, 2, 1]), tf.reshape(tf.range(4.0), [4, 1, 1, 1])
    none = [[0, 0], [0, 0]]

    @tf.function
    def difference(x):
        return v.setdiff1d(x, [2])

    return answers(
        lambda: v.batch_to_space(batch, none, 2),
        lambda: v.batch_to_space(batch, [[0, 1], [0, 0]], block_size=2),
        lambda: v.batch_to_space(batch, none, None, block_shape=2),
        lambda: v.batch_to_space(batch, none, 2, block_shape=2),
        lambda: v.space_to_batch(image, none, 2),
        lambda: v.nn.space_to_batch(image, none, block_size=2),
        lambda: v.space_to_batch(image, none, 2, block_shape=2),
        lambda: v.tuple([1, tf.constant(2)], "x", []),
        lambda: v.setdiff1d([1, 2, 3, 4], [2, 4]),
        lambda: v.setdiff1d(["a", "b"], ["a"], index_dtype=tf.int64),
        lambda: v.setdiff1d([1.5, 1.5, 2], [2.0, 3.0]),
        lambda: v.setdiff1d([[1]], [2]),
        lambda: v.setdiff1d([1], 2),
        lambda: v.setdiff1d(np.zeros([0], np.int32), [2]),
        lambda: difference(tf.constant([1, 2, 3])),
        lambda: v.convert_to_tensor_or_indexed_slices([1, 2]),
        lambda: v.py_func(
            lambda x: (x + 1, type(x).__name__), [tf.constant(1.0)], [tf.float32, tf.string]
        ),
        lambda: v.sparse_matmul(tf.ones([2, 3]), tf.ones([2, 2]), True, a_is_sparse=True),
        lambda: v.debugging.assert_all_finite([1.0], "not finite"),
        lambda: v.image.draw_bounding_boxes(tf.zeros([1, 3, 3, 3]), [[[0, 0, 1, 1.0]]]),
        lambda: v.image.draw_bounding_boxes(
            tf.zeros([1, 3, 3, 1]), [[[0, 0, 1, 1.0]]], colors=[[0.5]]
        ),
        lambda: v.image.crop_and_resize(image, [[0, 0, 1, 1.0]], box_ind=[0], crop_size=[3, 3]),
        lambda: v.image.extract_image_patches(
            image, ksizes=[1, 2, 2, 1], strides=[1] * 4, rates=[1] * 4, padding="VALID"
        ),
    )


def networks(tf, np):
    v = tf.compat.v1
    image = tf.reshape(tf.range(32.0), [1, 4, 4, 2])
    small = tf.reshape(tf.range(8.0), [2, 2, 2, 1])
    two, step = [1, 2, 2, 1], [1, 1, 1, 1]
    one = tf.constant([1.0, 2.0])
    ids = tf.SparseTensor([[0, 0], [1, 0]], [0, 1], [3, 1])
    return answers(
        lambda: v.nn.avg_pool2d(image, two, two, "VALID"),
        lambda: v.nn.max_pool_with_argmax(image, two, two, "VALID", Targmax=tf.int32),
        lambda: v.nn.pool(image, [2, 2], "MAX", "SAME", dilation_rate=[2, 2]),
        lambda: v.nn.depthwise_conv2d_native(image, small, step, "SAME"),
        lambda: v.nn.separable_conv2d(
            image, small, tf.ones([1, 1, 2, 3]), step, "VALID", rate=[2, 2]
        ),
        lambda: v.nn.conv3d_transpose(
            tf.ones([1, 1, 1, 1, 1]), tf.ones([2, 2, 2, 1, 1]), [1, 2, 2, 2, 1], [1] * 5, "VALID"
        ),
        lambda: v.nn.batch_norm_with_global_normalization(
            t=image, m=one, v=one, beta=one, gamma=one, variance_epsilon=0.5,
            scale_after_normalization=True,
        ),
        lambda: v.nn.sufficient_statistics(image, [0, 1, 2], keep_dims=True),
        lambda: v.nn.safe_embedding_lookup_sparse(tf.constant([[1.0, 2.0], [3.0, 4.0]]), ids),
        lambda: v.random.stateless_multinomial([[0.0, 1.0]], 3, [1, 2]),
        lambda: v.random.poisson([1.0, 9.0], [2], seed=1).shape,
    )  # fmt: skip


def texts(tf, np):
    v = tf.compat.v1
    sparse = tf.SparseTensor([[0, 1]], [3], [2, 2])
    example = tf.train.Example()
    example.features.feature["a"].int64_list.value.append(5)
    data, feature = example.SerializeToString(), {"a": tf.io.FixedLenFeature([], tf.int64)}
    return answers(
        lambda: v.strings.split(["a b", "c"]),
        lambda: v.strings.split(["a b", "c"], result_type="RaggedTensor"),
        lambda: v.strings.split("a b"),
        lambda: v.strings.split(source=[["a-b"], ["c"]], sep="-"),
        lambda: v.strings.split([["a-b"]], sep="-", result_type="RaggedTensor"),
        lambda: v.strings.split(["a"], result_type="x"),
        lambda: v.strings.split(["a"], source=["a"]),
        lambda: v.string_split(["a b", " c "]),
        lambda: v.string_split(["a--b", "c"], "-", skip_empty=False),
        lambda: v.string_split(["a-.b", ""], delimiter="-."),
        lambda: v.string_split(["abc", "c"], delimiter=""),
        lambda: v.string_split(["a]b^c"], "^]", result_type="RaggedTensor"),
        lambda: v.string_split(["a"], sep="-", delimiter="-"),
        lambda: v.string_to_hash_bucket(["a", "b"], 10),
        lambda: v.strings.to_hash_bucket(input=["a", "b"], num_buckets=10),
        lambda: v.reduce_join([["a", "b"], ["c", "d"]], reduction_indices=[1], separator="-"),
        lambda: v.decode_csv(["1,x"], [[0], [""]]),
        lambda: v.io.decode_raw(bytes=["ab"], out_type=tf.uint8),
        lambda: v.io.parse_single_example(data, feature),
        lambda: v.parse_example([data], feature, "name", None),
        lambda: tf.io.deserialize_many_sparse([v.serialize_sparse(sparse, "name")], tf.int32),
    )


def sparse_tensors(tf, np):
    v = tf.compat.v1
    a = tf.SparseTensor([[0, 0], [1, 1]], [1.0, -2.0], [2, 2])
    rows, places, segments = tf.constant([[1.0], [2.0], [4.0]]), [0, 1, 2], [0, 0, 1]
    return answers(
        lambda: v.sparse_add(a, a, thresh=3.0),
        lambda: v.sparse.add(a, tf.ones([2, 2])),
        lambda: v.sparse_concat(1, [a, a]),
        lambda: v.sparse.concat(sp_inputs=[a, a], concat_dim=0, axis=None),
        lambda: v.sparse_reduce_sum(a, reduction_axes=1, keep_dims=True),
        lambda: v.sparse.reduce_max(a, 0),
        lambda: v.sparse_segment_mean(rows, places, segments),
        lambda: v.sparse.segment_sum(rows, places, segments, None, 3),
        lambda: v.sparse_segment_sqrt_n(rows, places, segments),
        lambda: v.sparse_split(sp_input=a, num_split=2, axis=1),
        lambda: v.sparse_to_dense([[0, 1], [1, 2]], [2, 3], [5, 6], default_value=-1),
        lambda: v.sparse_to_dense([1, 2], [4], 7),
        lambda: v.sparse_to_dense(3, [4], True, False),
        lambda: v.sparse_to_dense([2, 1], [4], 7),
        lambda: v.sparse_to_dense([2, 1], [4], 7, validate_indices=False),
    )


def seeds(tf, np):
    v = tf.compat.v1
    found = [v.get_seed(None), v.get_seed(3)]
    tf.random.set_seed(5)
    found += [v.get_seed(3), v.random.get_seed(None), v.random.get_seed(None), v.get_seed(0)]
    tf.random.set_seed(0)
    return [*found, v.get_seed(0)]


def datasets(tf, np):
    v = tf.compat.v1
    data = tf.data.Dataset.range(3)
    ragged = tf.data.Dataset.from_tensor_slices(tf.ragged.constant([[1], [2, 3]]))
    sparse = tf.data.Dataset.from_tensors({"s": tf.SparseTensor([[0]], [1], [2])})
    each = (v.data.get_output_types, v.data.get_output_shapes, v.data.get_output_classes)
    return {
        "iterator": v.data.make_one_shot_iterator(data).get_next(),
        "made": [int(n) for n in v.data.Dataset.range(3).map(lambda n: n + 1)],
        "numbers": [f(data) for f in each],
        "iterators": [f(iter(data)) for f in each],
        "ragged": [f(ragged) for f in each[:2]],
        "its class": v.data.get_output_classes(ragged) == ragged.element_spec,
        "sparse": [f(sparse) for f in each],
        "unknown": v.data.experimental.cardinality(data),
    }


def errors(tf, np):
    v = tf.compat.v1.errors
    codes = range(1, 17)
    return [
        [v.exception_type_from_error_code(code).__name__ for code in codes],
        [v.error_code_from_exception_type(v.exception_type_from_error_code(c)) for c in codes],
        caught(lambda: v.exception_type_from_error_code(99)),
    ]
