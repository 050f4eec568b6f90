"""The functions of `tf.keras.backend` that Keras 3 has kept from Keras 2."""


def _given(tf):
    x = tf.constant([[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]])
    p = tf.constant([[0.1, 0.2, 0.7], [0.3, 0.3, 0.4]])
    z = tf.constant([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
    return tf.keras.backend, x, p, z


def elementwise(tf, np):
    K, x, p, _ = _given(tf)  # noqa: N806
    names = "abs cos elu hard_sigmoid relu sigmoid sign sin softmax softplus softsign square tanh"
    found = {name: getattr(K, name)(x) for name in names.split()}
    found.update({name: getattr(K, name)(p) for name in ("exp", "log", "round", "sqrt")})
    pairs = "equal greater greater_equal less less_equal maximum minimum not_equal pow"
    found.update({name: getattr(K, name)(x, p) for name in pairs.split()})
    found["clip"] = K.clip(x, -1, 2)
    found["sqrt of less than 0"] = K.sqrt(x)
    found["relu of all kinds"] = K.relu(x, alpha=0.1, max_value=2.0), K.relu(x, threshold=2.0)
    return found


def reductions(tf, np):
    K, x, *_ = _given(tf)  # noqa: N806
    names = "max mean min prod std sum var"
    found = {name: [getattr(K, name)(x), getattr(K, name)(x, axis=-1)] for name in names.split()}
    found["keepdims"] = K.sum(x, axis=0, keepdims=True)
    found["argmax"] = K.argmax(x), K.argmin(x, axis=0)
    found["booleans"] = K.all(x > 0), K.any(x > 0, axis=1), K.mean(x > 0)
    found["cumulative"] = K.cumsum(x, axis=1), K.cumprod(x, axis=1)
    found["l2_normalize"] = K.l2_normalize(x, axis=1)
    return found


def losses(tf, np):
    K, x, p, z = _given(tf)  # noqa: N806
    classes = tf.constant([2, 0])
    return {
        "binary": [K.binary_crossentropy(z, p), K.binary_crossentropy(z, x, from_logits=True)],
        "focal": K.binary_focal_crossentropy(z, p),
        "categorical": K.categorical_crossentropy(z, p),
        "categorical of logits": K.categorical_crossentropy(z, x, from_logits=True),
        "sparse": K.sparse_categorical_crossentropy(classes, p),
        "sparse of logits": K.sparse_categorical_crossentropy(classes, x, from_logits=True),
        "in_top_k": K.in_top_k(p, tf.constant([2, 1]), 1),
    }


def shapes_and_places(tf, np):
    K, x, p, _ = _given(tf)  # noqa: N806
    cube = tf.reshape(tf.range(30.0), (2, 5, 3))
    return {
        "shapes": [K.int_shape(x), K.ndim(x), K.shape(x), K.dtype(x)],
        "concatenate": [K.concatenate([x, p]), K.concatenate([x, p], axis=0)],
        "stack": K.stack([x, p]),
        "expand": [K.expand_dims(x, 0), K.squeeze(x[None], 0)],
        "reshape": [K.reshape(x, (3, -1)), K.flatten(x), K.batch_flatten(cube)],
        "permute": [K.permute_dimensions(x, (1, 0)), K.transpose(x), K.reverse(x, 1)],
        "repeat": [K.repeat(x, 2), K.repeat_elements(x, 2, axis=1), K.tile(x, [1, 2])],
        "gather": K.gather(x, [1, 0]),
        "one_hot": K.one_hot(tf.constant([[0, 2], [1, 1]]), 3),
        "dot": [K.dot(x, tf.transpose(p)), K.dot(cube, tf.transpose(p))],
        "batch_dot": [K.batch_dot(x, p, axes=1), K.batch_dot(cube, cube, axes=(2, 2))],
        "made": [K.zeros((2,)), K.ones((1, 2)), K.eye(2), K.constant([1, 2]), K.arange(1, 7, 2)],
        "cast": [K.cast(x, "int32"), K.cast_to_floatx(np.array([1, 2]))],
        "padding": [K.temporal_padding(cube), K.spatial_2d_padding(cube[:, None])],
        "bias_add": K.bias_add(x, tf.constant([1.0, 2.0, 3.0])),
        "switch": K.switch(tf.constant(True), lambda: x, lambda: p),
    }


def convolutions(tf, np):
    K, *_ = _given(tf)  # noqa: N806
    image = tf.reshape(tf.range(96.0), (2, 4, 4, 3)) / 50
    kernel = tf.reshape(tf.range(24.0), (2, 2, 3, 2)) / 10
    return {
        "conv1d": K.conv1d(image[:, 0], kernel[0], padding="same"),
        "conv2d": [
            K.conv2d(image, kernel),
            K.conv2d(image, kernel, strides=(2, 2), padding="same"),
        ],
        "transposed": K.conv2d_transpose(image[..., :2], kernel, (2, 5, 5, 3)),
        "depthwise": K.depthwise_conv2d(image, tf.ones((2, 2, 3, 1))),
        "pool2d": [
            K.pool2d(image, (2, 2), strides=(2, 2)),
            K.pool2d(image, (2, 2), pool_mode="avg", padding="same"),
        ],
        "resize": K.resize_images(image, 2, 2, "channels_last"),
    }


def variables(tf, np):
    K, *_ = _given(tf)  # noqa: N806
    v = K.variable(np.array([1, 2]), dtype="float32")
    found = [K.get_value(v)]
    K.set_value(v, [3.0, 4.0])
    found.append(K.get_value(v))
    K.update(v, [1.0, 1.0])
    K.update_add(v, [1.0, 2.0])
    K.update_sub(v, [0.5, 0.5])
    found.append(K.get_value(v))
    K.moving_average_update(v, tf.constant([2.0, 2.0]), 0.9)
    K.batch_set_value([(v, K.batch_get_value([v])[0] + 1)])
    return [*found, K.eval(v * 2), K.count_params(tf.ones((2, 3)))]


def gradients(tf, np):
    K, x, p, z = _given(tf)  # noqa: N806
    with tf.GradientTape() as tape:
        tape.watch((x, p))
        loss = K.mean(K.square(x)) + K.sum(K.binary_crossentropy(z, p)) + K.max(K.relu(x))
    return tape.gradient(loss, (x, p))


def repeated(tf, np):
    K, x, *_ = _given(tf)  # noqa: N806
    cube = tf.reshape(tf.range(30.0), (2, 5, 3)) / 10
    mask = tf.constant([[True, True, False, True, True], [True, False, False, True, False]])

    def step(inputs, states):
        output = inputs + 0.5 * states[0]
        return output, [output]

    return {
        "folds": [K.foldl(lambda a, b: a - b, x), K.foldr(lambda a, b: a - b, x)],
        "map_fn": K.map_fn(lambda row: row * 2, x),
        "rnn": K.rnn(step, cube, [tf.zeros((2, 3))]),
        "masked": K.rnn(step, cube, [tf.zeros((2, 3))], mask=mask),
    }
