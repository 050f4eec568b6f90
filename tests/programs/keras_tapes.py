"""Keras models and tapes: orders of derivatives, several tapes, gradients of inputs."""

from programs.keras_layers import numbers, summary, weighted


def network(tf, np, *units, activation="tanh", width=3):
    layers = [tf.keras.layers.Dense(count, activation=activation) for count in units]
    model = tf.keras.Sequential([tf.keras.Input((width,)), *layers, tf.keras.layers.Dense(1)])
    return weighted(np, model)


def jacobians(tf, np):
    model, x = network(tf, np, 4), tf.constant(numbers(np, 2, 3))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = model(x)
    parts = tape.jacobian(y, model.trainable_variables)
    return parts, tape.jacobian(y, x), tape.batch_jacobian(y, x), tape.gradient(y, x)


def second_order(tf, np):
    model, x = network(tf, np, 5), tf.constant(numbers(np, 4, 3))

    def of_second_order():
        with tf.GradientTape() as outer:
            with tf.GradientTape() as middle:
                middle.watch(x)
                with tf.GradientTape() as inner:
                    inner.watch(x)
                    y = model(x)
                first = inner.gradient(y, x)
            second = middle.gradient(first, x)
            loss = tf.reduce_mean(tf.square(first)) + tf.reduce_mean(second)
        return loss, second, outer.gradient(loss, model.trainable_variables)

    return of_second_order(), tf.function(of_second_order)()


def physics(tf, np):
    model, t = network(tf, np, 6, width=1), tf.constant(numbers(np, 5, 1))
    optimizer, found = tf.keras.optimizers.Adam(0.01), []

    @tf.function
    def step():
        with tf.GradientTape() as outer:
            with tf.GradientTape() as tape:
                tape.watch(t)
                u = model(t)
            loss = tf.reduce_mean(tf.square(tape.gradient(u, t) + u))
        variables = model.trainable_variables
        optimizer.apply_gradients(zip(outer.gradient(loss, variables), variables, strict=True))
        return loss

    for _ in range(3):
        found.append(step())
    return found


def forward_mode(tf, np):
    model, x = network(tf, np, 4), tf.constant(numbers(np, 2, 3))
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
        y = model(x)
    kernel = model.layers[0].kernel
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as outer, tf.GradientTape() as tape:
        loss = tf.reduce_sum(model(x) ** 2)
        gradient = tape.gradient(loss, kernel)
    return accumulator.jvp(y), outer.jvp(gradient)


def adversarial_examples(tf, np):
    model, x = network(tf, np, 4), tf.constant(numbers(np, 3, 3))
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = tf.keras.losses.MeanSquaredError()(tf.ones((3, 1)), model(x))
    return x + 0.1 * tf.sign(tape.gradient(loss, x)), loss


def class_activation(tf, np):
    layers = tf.keras.layers
    image = tf.keras.Input((8, 8, 1))
    maps = layers.Conv2D(3, 3, activation="relu", name="last")(image)
    out = layers.Dense(2, activation="softmax")(layers.GlobalAveragePooling2D()(maps))
    model = weighted(np, tf.keras.Model(image, out))
    inner = tf.keras.Model(model.inputs, [model.get_layer("last").output, model.output])
    with tf.GradientTape() as tape:
        found, p = inner([numbers(np, 1, 8, 8, 1)])
        score = p[:, 1]
    gradient = tape.gradient(score, found)
    weights = tf.reduce_mean(gradient, axis=(0, 1, 2))
    heat = tf.nn.relu(tf.reduce_sum(weights * found[0], axis=-1))
    return summary(np, heat), summary(np, gradient), score


def several_tapes(tf, np):
    model, x = network(tf, np, 3), tf.constant(numbers(np, 2, 3))
    with tf.GradientTape(persistent=True) as tape:
        y = model(x)
        a, b = tf.reduce_sum(y), tf.reduce_sum(y**2)
    kernel = model.layers[0].kernel
    found = [tape.gradient(a, kernel), tape.gradient(b, kernel), len(tape.watched_variables())]
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(kernel.value if hasattr(kernel.value, "handle") else kernel)
        loss = tf.reduce_sum(model(x))
    found.append(tape.gradient(loss, [kernel, model.layers[1].kernel]))
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.stop_gradient(model(x)) * model(x))
    found.append(tape.gradient(loss, kernel))
    with tf.GradientTape() as tape, tape.stop_recording():
        loss = tf.reduce_sum(model(x))
    return [*found, tape.gradient(loss, kernel)]


def no_gradient(tf, np):
    model, other = network(tf, np, 3), tf.keras.layers.Dense(1)
    x = tf.constant(numbers(np, 2, 3))
    other(x)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(model(x))
    sources = [other.kernel, model.layers[1].bias]
    return tape.gradient(loss, sources)


def nests_of_sources(tf, np):
    model, x = network(tf, np, 3), tf.constant(numbers(np, 2, 3))
    sources = {"first": model.layers[0].trainable_variables, "last": model.layers[1].kernel}
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(model(x))
    return tape.gradient(loss, sources), tf.linalg.global_norm(model.trainable_variables)


def learning_to_learn(tf, np):
    model, x = network(tf, np, 3), tf.constant(numbers(np, 4, 3))
    y, variables = tf.constant(numbers(np, 4, 1, seed=2)), model.trainable_variables
    before = [tf.identity(v) for v in variables]
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            loss = tf.reduce_mean((model(x) - y) ** 2)
        steps = inner.gradient(loss, variables)
        kernel, bias, last, end = [v - 0.1 * g for v, g in zip(variables, steps, strict=True)]
        adapted = tf.tanh(x @ kernel + bias) @ last + end
        total = tf.reduce_mean((adapted - y) ** 2)
    return total, outer.gradient(total, variables), len(before)


def adversarial_networks(tf, np):
    make = network(tf, np, 4, width=2)
    judge = network(tf, np, 4, width=1)
    first, second = tf.keras.optimizers.Adam(0.01), tf.keras.optimizers.Adam(0.02)
    entropy = tf.keras.losses.BinaryCrossentropy(from_logits=True)
    noise, real = tf.constant(numbers(np, 4, 2)), tf.constant(numbers(np, 4, 1, seed=5))

    @tf.function
    def step(noise, real):
        with tf.GradientTape() as of_make, tf.GradientTape() as of_judge:
            fake = make(noise, training=True)
            yes, no = judge(real, training=True), judge(fake, training=True)
            loss = entropy(tf.ones_like(no), no)
            other = entropy(tf.ones_like(yes), yes) + entropy(tf.zeros_like(no), no)
        for tape, value, model, optimizer in (
            (of_make, loss, make, first), (of_judge, other, judge, second)):  # fmt: skip
            variables = model.trainable_variables
            gradients = tape.gradient(value, variables)
            optimizer.apply_gradients(zip(gradients, variables, strict=True))
        return loss, other

    return [step(noise, real) for _ in range(3)], make(noise)


def accumulated_gradients(tf, np):
    model = network(tf, np, 3)
    variables, optimizer = model.trainable_variables, tf.keras.optimizers.SGD(0.1)
    sums = [tf.Variable(tf.zeros_like(v), trainable=False) for v in variables]
    for seed in range(3):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(model(tf.constant(numbers(np, 2, 3, seed=seed))) ** 2)
        for total, gradient in zip(sums, tape.gradient(loss, variables), strict=True):
            total.assign_add(gradient / 3.0)
    optimizer.apply_gradients(zip(sums, variables, strict=True))
    clipped, norm = tf.clip_by_global_norm([tf.identity(s) for s in sums], 0.1)
    return model.get_weights(), clipped, norm


def models_as_arguments(tf, np):
    model, x, t = network(tf, np, 4, width=2), numbers(np, 5, 1), numbers(np, 5, 1) + 1.0

    @tf.function
    def derivatives(model, x, t):
        u = model(tf.concat([x, t], 1))
        u_x = tf.gradients(u, x)[0]
        return u, u_x, tf.gradients(u_x, x)[0], tf.gradients(u, t)

    @tf.function
    def loss():
        u, u_x, u_xx, u_t = derivatives(model, tf.constant(x), tf.constant(t))
        return tf.reduce_mean(tf.square(u_t + u * u_x - 0.1 * u_xx))

    with tf.GradientTape() as tape:
        value = loss()
    gradients = tape.gradient(value, model.trainable_variables)
    return derivatives(model, tf.constant(x), tf.constant(t)), value, gradients


def variables_as_arguments(tf, np):
    layer = tf.keras.layers.Dense(2, kernel_initializer="ones")
    layer.build((None, 3))

    @tf.function
    def f(kernel, x):
        return tf.matmul(x, kernel) * 2.0

    before = f(layer.kernel, tf.ones([1, 3]))
    layer.kernel.assign([[1.0, 2.0]] * 3)
    return before, f(layer.kernel, tf.ones([1, 3])), f(layer.kernel, np.ones([1, 3], "float32"))
