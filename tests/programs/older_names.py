"""Names of TensorFlow 1: `tf.compat.v1`."""

from programs.program import caught


def reductions(tf, np):
    x, v = tf.constant([[1.0, 2.0], [3.0, 5.0]]), tf.compat.v1
    return {
        "indices": [
            f(x, reduction_indices=1)
            for f in (v.reduce_sum, v.reduce_mean, v.reduce_max, v.reduce_min, v.reduce_prod)
        ],
        "keep_dims": v.reduce_sum(x, axis=[0], keep_dims=True),
        "by place": v.math.reduce_mean(x, 0, True),
        "of bools": [v.reduce_any(x > 4, 1), v.reduce_all(x > 4, reduction_indices=[0])],
        "logsumexp": v.reduce_logsumexp(x, keep_dims=True),
        "both": caught(lambda: v.reduce_sum(x, axis=0, reduction_indices=0)),
        "argmax": [v.argmax(x, dimension=1), v.argmin(x, 1), v.arg_max(x, 0)],
        "count_nonzero": v.count_nonzero(x, keep_dims=True),
        "norm": [v.norm(x, keep_dims=True), v.linalg.norm(x, axis=1)],
        "moments": list(v.nn.moments(x, [0], keep_dims=True)),
        "unknown": caught(lambda: v.reduce_sum(x, axes=0)).name,
    }


def arrays(tf, np):
    x, v = tf.constant([[1.0, 2.0], [3.0, 5.0]]), tf.compat.v1
    return {
        "likes": [v.zeros_like(x, tf.int32), v.ones_like(x, optimize=False)],
        "shapes": [v.shape(x), v.shape(x, out_type=tf.int64), v.size(x)],
        "dims": [v.expand_dims(x, dim=0), v.squeeze(x[tf.newaxis], squeeze_dims=[0])],
        "transpose": v.transpose(x),
        "gather": [v.gather(x, [1]), v.gather_nd(x, [[0, 1]])],
        "pad": v.pad(x, [[0, 0], [1, 0]], "CONSTANT", None, 9),
        "where": [v.where(x > 2), v.where(x > 2, x, -x)],
        "constant": v.constant([1, 2], tf.float32, [2, 1]),
        "convert": v.convert_to_tensor([1, 2], preferred_dtype=tf.float32),
        "casts": [v.to_float([1]), v.to_int32([1.5]), v.to_int64([1]), v.to_double([1])],
        "more casts": [v.to_complex64([1]), v.to_complex128([1]), v.to_bfloat16([1]).dtype],
        "div": [v.div(7, 2), v.div(7.0, 2.0), v.floor_div(7, 2)],
        "mask": v.boolean_mask([1, 2], [True, False]),
        "bincount": v.bincount([1, 1, 2]),
        "confusion": v.confusion_matrix([0, 1], [1, 1]),
        "scalar_mul": v.scalar_mul(2.0, x),
        "finite": caught(lambda: v.verify_tensor_all_finite([np.nan], "not finite")).name,
        "depth": v.depth_to_space(tf.ones([1, 1, 1, 4]), 2),
        "reversed": v.reverse_sequence(x, [1, 2], seq_dim=1, batch_dim=0),
        "clipped": v.clip_by_average_norm([3.0, 4.0], 1.0),
    }


def networks(tf, np):
    v, image = tf.compat.v1, tf.ones([1, 4, 4, 1])
    logits, labels = tf.constant([[2.0, 3.0]]), tf.constant([[1.0, 0.0]])
    return {
        "softmax": [v.nn.softmax(logits, dim=-1), v.nn.log_softmax(logits, dim=0)],
        "conv2d": v.nn.conv2d(image, filter=tf.ones([2, 2, 1, 1]), strides=[1] * 4, padding="SAME"),
        "pool": [
            v.nn.max_pool(image, [1, 2, 2, 1], [1, 2, 2, 1], "VALID"),
            v.nn.avg_pool(image, [1, 2, 2, 1], [1, 2, 2, 1], "VALID"),
        ],
        "dropout": v.nn.dropout(tf.ones([3]), keep_prob=1.0),
        "layers": [
            v.nn.xw_plus_b([[1.0]], [[2.0]], [3.0]),
            v.nn.relu_layer([[1.0]], [[2.0]], [-3.0]),
        ],
        "lookup": v.nn.embedding_lookup(tf.ones([3, 2]), [0, 2]),
        "crelu": v.nn.crelu([-1.0, 2.0]),
        "entropies": [
            v.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits),
            v.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits),
            v.nn.sparse_softmax_cross_entropy_with_logits(labels=[1], logits=logits),
        ],
        "in_top_k": v.nn.in_top_k([[1.0, 2.0]], [1], 1),
    }


def losses(tf, np):
    v = tf.compat.v1.losses
    y, x = [[1.0], [2.0]], [[2.0], [4.0]]
    return {
        "differences": [v.absolute_difference(y, x), v.mean_squared_error(y, x)],
        "weights": [
            v.mean_squared_error(y, x, weights=2.0),
            v.absolute_difference(y, x, weights=[[0.0], [1.0]]),
            v.absolute_difference(y, x, weights=0.0),
        ],
        "reductions": [
            v.absolute_difference(y, x, weights=[[0.5], [0.0]], reduction=r)
            for r in (
                v.Reduction.SUM,
                v.Reduction.MEAN,
                v.Reduction.NONE,
                v.Reduction.SUM_OVER_BATCH_SIZE,
            )
        ],
        "wrong weights": caught(lambda: v.absolute_difference([1.0], [2.0], weights=[1.0, 2.0])),
        "wrong rank": caught(lambda: v.absolute_difference(y, x, weights=[1.0])).name,
        "unknown": caught(lambda: v.absolute_difference(y, x, reduction="x")).name,
        "weighted": v.compute_weighted_loss([1.0, 3.0], weights=[1.0, 0.0]),
        "sigmoid": v.sigmoid_cross_entropy([1.0, 0.0], [2.0, 3.0], label_smoothing=0.1),
        "softmax": v.softmax_cross_entropy([[1.0, 0.0]], [[2.0, 3.0]], label_smoothing=0.1),
        "sparse": v.sparse_softmax_cross_entropy([1], [[2.0, 3.0]]),
        "huber": v.huber_loss([1.0, 5.0], [2.0, 2.0]),
        "hinge": v.hinge_loss([1.0, 0.0], [0.5, 0.2]),
        "log": v.log_loss([1.0, 0.0], [0.5, 0.2]),
    }


def arguments_without_graphs(tf, np):
    v, x = tf.compat.v1, tf.Variable(1.0)
    v.enable_eager_execution(config=None, device_policy=None)
    return {
        "initializers": [v.variables_initializer([x], "init"), v.tables_initializer(name="t")],
        "too many": caught(lambda: v.trainable_variables(None, 1)).name,
        "unknown": caught(lambda: v.global_variables_initializer(name="n")).name,
        "missing": caught(v.get_collection).name,
        "assigned": [v.assign(x, 2.0, use_locking=True), v.assign_sub(x, 1.0, name="n")],
        "regularizer": v.no_regularizer(x),
        "made": v.get_variable("v", [2], tf.float32, v.zeros_initializer(), None, False, ["kept"]),
        "constraint": v.get_variable("w", initializer=1.0, constraint=abs).constraint is abs,
        "getter": v.get_variable(
            "u", [], custom_getter=lambda getter, name, **kwargs: name + str(kwargs["shape"])
        ),
    }


def without_graphs(tf, np):
    v, x = tf.compat.v1, tf.Variable(1.0)
    return {
        "initializers": [
            v.global_variables_initializer(),
            v.local_variables_initializer(),
            v.tables_initializer(),
            v.initialize_all_variables(),
            v.variables_initializer([x]),
            v.initialize_variables([x]),
            v.initialize_local_variables(),
            v.initialize_all_tables(),
        ],
        "switches": [
            v.enable_resource_variables(),
            v.enable_v2_tensorshape(),
            v.enable_control_flow_v2(),
            v.enable_tensor_equality(),
            v.control_flow_v2_enabled(),
            v.resource_variables_enabled(),
        ],
        "sessions": [v.reset_default_graph(), v.get_default_session(), v.no_regularizer(x)],
        "more lists": [
            v.all_variables(),
            v.local_variables(),
            v.model_variables(),
            v.moving_average_variables(),
            v.get_collection_ref("x"),
        ],
        "lists": [v.trainable_variables(), v.global_variables(), v.get_collection("losses")],
        "eager": [v.executing_eagerly(), v.executing_eagerly_outside_functions()],
        "uninitialized": v.report_uninitialized_variables(),
        "initialized": v.is_variable_initialized(x),
        "assign": [v.assign(x, 2.0).numpy(), v.assign_add(x, 2.0).numpy(), x],
        "keys": v.GraphKeys.TRAINABLE_VARIABLES,
        "levels": [v.logging.DEBUG, v.logging.INFO, v.logging.WARN, v.logging.ERROR],
        "seed": v.set_random_seed(1),
    }


def scopes_without_graphs(tf, np):
    v, x = tf.compat.v1, tf.Variable(3.0)
    found = {"scope": [v.get_variable_scope().name]}
    with v.variable_scope("outer"):
        found["scope"].append(v.get_variable_scope().name)
    with v.colocate_with(x), tf.GradientTape() as tape:
        y = v.placeholder_with_default(x * x, []) + v.placeholder_with_default([1.0, 2.0], [None])
    return {
        **found,
        "value": y,
        "gradient": tape.gradient(y, x),
        "kept": v.placeholder_with_default(tf.constant(4), [], name="unread"),
        "no tensor": caught(lambda: v.placeholder_with_default("a", []) + 1),
        "logged": v.logging.TaskLevelStatusMessage("ready"),
    }


def variable_scopes(tf, np):
    v, called = tf.compat.v1, []
    ones, zeros = v.ones_initializer(), v.zeros_initializer()

    def noted(getter, name, *args, **kwargs):
        called.append([name, *(kwargs[key] for key in ("shape", "dtype", "trainable", "reuse"))])
        return getter(name, *args, **kwargs)

    def doubled(getter, *args, **kwargs):
        called.append(kwargs["name"])
        return 2.0 * getter(*args, **kwargs)

    with v.variable_scope("a", initializer=ones, dtype=tf.float64, constraint=abs) as scope:
        w = v.get_variable("w", [2])
        found = [w, w.constraint is abs, v.get_variable("n", initializer=3)]
        found += [v.get_variable("z", [1], tf.int32, zeros), tf.Variable(1.0, name="v").name]
        with v.variable_scope("b", custom_getter=noted, initializer=zeros):
            found.append(v.get_variable("w", [2]))
            with v.variable_scope("c", custom_getter=doubled, dtype=tf.float32):
                found.append(v.get_variable("w", initializer=[3.0]))
    with tf.name_scope("outer"):
        found.append(v.get_variable("w", [1], initializer=ones).name)
        with v.variable_scope(scope, initializer=zeros) as again, tf.name_scope("more"):
            found += [again.name, v.get_variable("w", [1]), tf.Variable(1.0, name="v").name]
            with v.variable_scope("d"):
                found.append(v.get_variable("w", [1]).name)
    found.append(caught(lambda: v.get_variable("n", None, tf.float32, 3)))
    found.append(v.get_variable("g", [1], None, ones, trainable=False, custom_getter=noted))
    return {
        "found": found,
        "called": called,
        "scope": [scope.initializer is ones, scope.dtype, scope.custom_getter, scope.name],
        "outside": v.get_variable_scope().name,
    }


def compatible(tf, np):
    c, shape = tf.compat, tf.TensorShape([3, None])
    with c.forward_compatibility_horizon(2000, 1, 1):
        before = c.forward_compatible(2020, 1, 1)
    return {
        "bytes": [c.as_bytes("\u00e9"), c.as_bytes(b"x"), c.as_bytes(bytearray(b"q"))],
        "latin": c.as_bytes("\u00e9", "latin1"),
        "text": [c.as_text(b"\xc3\xa9"), c.as_str("a"), c.as_str_any(5), c.as_str_any(b"a")],
        "number": [caught(lambda: c.as_bytes(1)), caught(lambda: c.as_text(1))],
        "path": c.path_to_str("a"),
        "types": [isinstance(np.int8(1), c.integral_types), isinstance(1.0, c.real_types)],
        "more types": [isinstance(1j, c.complex_types), isinstance("a", c.bytes_or_text_types)],
        "dimensions": [c.dimension_value(shape[0]), c.dimension_value(shape[1])],
        "objects": [repr(c.dimension_at_index(shape, i)) for i in (0, 1)],
        "unknown rank": repr(c.dimension_at_index(tf.TensorShape(None), 0)),
        "compatible": [before, c.forward_compatible(2020, 1, 1), c.forward_compatible(2099, 1, 1)],
    }


def name_scopes(tf, np):
    def entered(*args, **kwargs):
        with tf.compat.v1.name_scope(*args, **kwargs) as prefix:
            return [prefix, tf.Variable(1.0, name="w").name]

    with tf.name_scope("outer"):
        inner = [entered(name) for name in ("a", "a/", "", None)]
    return {
        "inner": inner,
        "default": [entered(None, "b"), entered("a", "b", values=[1.0]), entered(None, None)],
        "names": [tf.compat.v1.name_scope(*names).name for names in ((None, "b"), ("a", 3))],
        "no name": tf.compat.v1.name_scope(None).name is None,
        "no text": [caught(lambda: entered(3)), caught(lambda: entered(None, 3))],
    }


def kernels_of_batch_normalization(tf, np):
    x = np.sin(np.arange(72, dtype="float32") ** 2).reshape(2, 3, 4, 3)
    scale, offset, mean, variance = np.float32(
        [[0.5, 1.0, 2.0], [0.1, -0.2, 0.3], [0.2, 0.0, -0.1], [1.0, 2.0, 0.7]]
    )
    arrays = {"x": x, "scale": scale, "offset": offset, "mean": mean, "variance": variance}
    found = []
    for kernel in (tf.raw_ops.FusedBatchNormV2, tf.raw_ops.FusedBatchNormV3):
        for settings in ({}, {"is_training": False}):
            tensors = {key: tf.constant(value) for key, value in arrays.items()}
            with tf.GradientTape(persistent=True) as tape:
                tape.watch(tensors)
                result = kernel(**tensors, **settings)
                loss = tf.reduce_sum(result.y**2)
                mean_loss = tf.reduce_sum(result.batch_mean)
            rounded = [np.round(part.numpy(), 3) + 0.0 for part in result[:3]]
            slopes = tape.gradient(loss, tensors)
            slopes = {k: g if g is None else np.round(g.numpy(), 2) for k, g in slopes.items()}
            none = {k: g is None for k, g in tape.gradient(mean_loss, tensors).items()}
            found.append((len(result), result._fields, rounded, slopes, none))
    return found


def initializers(tf, np):
    v = tf.compat.v1
    tf.random.set_seed(3)
    made = {
        "zeros": v.zeros_initializer,
        "ones": v.ones_initializer,
        "random_uniform": v.random_uniform_initializer,
        "random_normal": v.random_normal_initializer,
        "truncated_normal": v.truncated_normal_initializer,
        "uniform_unit_scaling": v.uniform_unit_scaling_initializer,
        "variance_scaling": v.variance_scaling_initializer,
        "glorot_uniform": v.glorot_uniform_initializer,
        "glorot_normal": v.glorot_normal_initializer,
    }
    short = {
        "lecun_normal": v.initializers.lecun_normal,
        "lecun_uniform": v.initializers.lecun_uniform,
        "he_normal": v.initializers.he_normal,
        "he_uniform": v.initializers.he_uniform,
    }
    q = v.orthogonal_initializer(2.0, seed=1)([3, 2, 2])
    scaling = v.variance_scaling_initializer
    return {
        "drawn": {name: make()([2, 3]) for name, make in {**made, **short}.items()},
        "configured": {name: make().get_config() for name, make in made.items()},
        "again": {name: make.from_config(make().get_config())([1]) for name, make in made.items()},
        "scaled": [
            scaling(2.0, mode, kind, seed=4)([2, 2, 3])
            for mode in ("fan_in", "fan_out", "fan_avg")
            for kind in ("uniform", "normal", "untruncated_normal")
        ],
        "of few axes": [scaling(seed=4)([]), scaling(seed=4)([3])],
        "float64": scaling(seed=4)([2], tf.float64),
        "typed": [made["zeros"](tf.int32)([2]), made["ones"]()([1], "int64"),
                  made["random_uniform"](1, 5, seed=2, dtype=tf.int32)([3])],
        "orthogonal": [tf.matmul(q, q, transpose_a=True).shape,
                       tf.tensordot(q, q, [[0, 1], [0, 1]])],
        "wide": tf.matmul(*2 * [v.orthogonal_initializer(seed=1)([2, 3])], transpose_b=True),
        "identity": v.initializers.identity(3.0)([2, 2]),
        "constant": [v.constant_initializer(x)([2, 2]) for x in (3, [1, 2, 3, 4])],
        "refused": [
            caught(statement)
            for statement in (
                lambda: scaling(0.0), lambda: scaling(mode="fan"),
                lambda: scaling(1.0, "fan_in", "x"), lambda: scaling(dtype=tf.int32),
                lambda: v.constant_initializer({})([1]),
                lambda: v.constant_initializer([1, 2])([3]), lambda: v.initializers.identity()([2]),
                lambda: v.orthogonal_initializer()([2]),
                lambda: v.constant_initializer([1, 2], verify_shape=True)([1, 2]),
            )
        ],
    }  # fmt: skip


def assertions(tf, np):
    v, x = tf.compat.v1, tf.constant([1.0, 2.0])
    held = [
        v.assert_equal(x, x), v.assert_less(x, 3.0, [x], 3), v.assert_less_equal(x, x, message="m"),
        v.assert_greater(x, 0.0), v.debugging.assert_greater_equal(x, x),
        v.assert_none_equal(x, 3.0), v.assert_near(x, x + 1e-9), v.assert_positive(x),
        v.assert_non_negative(x),
        v.assert_negative(-x), v.assert_non_positive(-x), v.assert_rank(x, 1),
        v.assert_rank_at_least(x, 1), v.assert_rank_in(x, [0, 1]), v.assert_integer([1]),
        v.assert_type(x, tf.float32), v.debugging.assert_shapes([(x, ("n",))]),
    ]  # fmt: skip
    return {
        "held": [value is None for value in held],
        "failed": [
            caught(statement).name
            for statement in (
                lambda: v.assert_equal(x, 1.0), lambda: v.assert_near(x, x + 1.0, 0.1, 0.1),
                lambda: v.assert_rank(x, 2), lambda: v.assert_scalar(x),
                lambda: v.assert_type(x, tf.int32), lambda: v.assert_greater(x, x),
            )
        ],
        "text": caught(lambda: v.assert_less(x, x, message="said")),
    }  # fmt: skip


def scattered(tf, np):
    v, found = tf.compat.v1, {}
    ways = {
        "update": v.scatter_update, "add": v.scatter_add, "sub": v.scatter_sub,
        "max": v.scatter_max, "min": v.scatter_min, "mul": v.scatter_mul, "div": v.scatter_div,
    }  # fmt: skip
    for name, scatter in ways.items():
        x = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
        returned = scatter(x, [2, 0], [[2.0, 8.0], [4.0, 1.0]])
        found[name] = [returned, scatter(x, 1, [2.0, 2.0]), x, scatter(x, [[0], [1]], 2.0)]
    ways = {"update": v.scatter_nd_update, "add": v.scatter_nd_add, "sub": v.scatter_nd_sub}
    for name, scatter in ways.items():
        x = tf.Variable([1, 2, 3])
        found[f"nd {name}"] = [scatter(x, [[2], [0]], [5, 7]), x]
    x = tf.Variable([1.0, 2.0])
    found["one"] = [v.scatter_update(x, 1, 5.0), v.scatter_add(x, [0, 1], 1.0)]
    x = tf.Variable([1.0])
    return found, x.scatter_nd_update([[0]], [2.0]).op is None, x.assign([1.0]).op is None
