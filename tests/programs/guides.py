"""Cells of tutorials and guides as people write them: prints, f-strings, loops, mistakes."""

from programs.program import caught


class _Page:
    """Collects what a cell prints."""

    def __init__(self):
        self.lines = []

    def show(self, *values):
        self.lines.append(" ".join(str(v) for v in values))


def _told(statement):
    try:
        return statement()
    except Exception as e:
        return f"{type(e).__name__} {e}"


def variables_of_free_shape(tf, np):
    var = tf.Variable([[1.0], [2.0], [3.0]], shape=tf.TensorShape(None))
    var.assign([[1.0, 2.0], [3.0, 4.0]])
    var.assign([1.0, 2.0, 3.0, 4.0])
    var1 = tf.Variable([2.0, 3.0], name="var_unique")
    var2 = tf.Variable(var1, name="var_unique")
    return [repr(var), var1.name, var2.name, id(var1) == id(var2)]


def in_place_updates(tf, np):
    var1 = tf.Variable([2.0, 3.0])
    orig_id = id(var1)
    var1.assign_add([1, 2])
    same = orig_id == id(var1)
    var2 = tf.add(var1, [1, 2])
    return [same, id(var2) == id(var1), isinstance(var2, tf.Tensor), var1, var2]


def nested_sources_of_a_dense_layer(tf, np):
    w = tf.Variable(tf.ones((3, 2)), name="w")
    b = tf.Variable(tf.range(1, 3, dtype=tf.float32), name="b")
    x = [[1.0, 2.0, 3.0]]
    with tf.GradientTape(persistent=True) as tape:
        y = x @ w + b
        loss = tf.reduce_mean(y**2)
    dl_dw, dl_db = tape.gradient(loss, [w, {"b": b}])
    grad = tape.gradient(loss, {"w": w, "b": b})
    return [dl_dw, dl_db, grad["b"], str(w.shape), str(dl_dw.shape)]


def an_intermediate_of_a_dense_layer(tf, np):
    w = tf.Variable(tf.ones((3, 2)), name="w")
    b = tf.Variable(tf.range(1, 3, dtype=tf.float32), name="b")
    x = tf.constant([[1.0, 2.0, 3.0]])
    with tf.GradientTape() as tape:
        y = x @ w + b
        loss = tf.reduce_mean(y**2)
    return tape.gradient(loss, [w, y, x])


def watching_one_of_three(tf, np):
    x0, x1, x2 = tf.constant(0.0), tf.Variable(10.0), tf.Variable(-1.0)
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(x0)
        tape.watch(x1)
        y0 = tf.math.sin(x0)
        y1 = tf.nn.softplus(x1)
        y = tf.reduce_sum(y0 + y1 + x2)
    return [tape.gradient(y, [x0, x1, x2]), len(tape.watched_variables())]


def a_gradient_that_is_not_registered(tf, np):
    page = _Page()
    image, delta = tf.Variable([[[0.5, 0.0, 0.0]]]), tf.Variable(0.1)
    with tf.GradientTape() as tape:
        new_image = tf.image.adjust_contrast(image, delta)
    try:
        page.show(tape.gradient(new_image, [image, delta]))
    except LookupError as e:
        page.show(f"{type(e).__name__}: {e}")
    return page.lines


def sigmoid_over_a_range(tf, np):
    x = tf.linspace(-10.0, 10.0, 200 + 1)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.sigmoid(x)
    dy_dx = tape.gradient(y, x)
    return [y, dy_dx, dy_dx.shape]


def gradients_as_printed(tf, np):
    page = _Page()
    x, y = tf.Variable(3.0), tf.Variable(4.0)
    with tf.GradientTape() as tape:
        f = tf.square(x) + 2 * tf.square(y) + 1
    first_grads = tape.gradient(f, [x, y])
    page.show(f)
    page.show(first_grads)
    x, y = tf.Variable([1.0, 2.0, 3.0]), tf.Variable([4.0, 5.0, 6.0])
    with tf.GradientTape() as tape:
        f = tf.square(x) + 2 * tf.square(y) + 1
    df_dx, df_dy = tape.gradient(f, [x, y])
    page.show(f)
    page.show(df_dx)
    page.show(df_dy)
    return page.lines


def python_pow(tf, np):
    page = _Page()
    x = tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as tape:
        y = tf.square(x)
        z = pow(x, 3)
    for value in (y, tape.gradient(y, x), z, tape.gradient(z, x)):
        page.show(value)
    del tape
    return page.lines


def gradients_inside_the_block(tf, np):
    page = _Page()
    x = tf.constant(value=3.0)
    with tf.GradientTape(persistent=True, watch_accessed_variables=True) as tape:
        tape.watch(x)
        y1, y2, y3 = x * 2, x * x + 2, x * x + 2 * x
        page.show("dy1_dx:", tape.gradient(target=y1, sources=x))
        page.show("dy2_dx:", tape.gradient(target=y2, sources=x))
        page.show("dy3_dx:", tape.gradient(target=y3, sources=x))
    y = tf.constant(value=2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, y])
        z = x * x * y + x * y
        page.show(tape.gradient(sources=x, target=z))
        page.show(tape.gradient(sources=[x, y], target=z))
    return page.lines


def sum_and_square(tf, np):
    x = tf.ones((2, 2))
    with tf.GradientTape(persistent=True) as t:
        t.watch(x)
        y = tf.reduce_sum(x)
        z = tf.multiply(y, y)
    dz_dx = t.gradient(z, x)
    items = [dz_dx[i][j].numpy() for i in [0, 1] for j in [0, 1]]
    return [items, t.gradient(z, y).numpy()]


def immutability(tf, np):
    page = _Page()
    x = tf.constant([1, 2], dtype=tf.int8)
    try:
        x[1] = 3
    except Exception as ex:
        page.show(type(ex).__name__, ex)
    x = tf.ones(2, dtype=tf.int8)
    page.show(x)
    page.show(f"Shape of x : {x.shape}")
    page.show(f"Another method to obtain the shape using `tf.shape(..)`: {tf.shape(x)}")
    page.show(f"Rank of the tensor: {x.ndim}")
    page.show(f"dtype of the tensor: {x.dtype}")
    page.show(f"Total size of the tensor: {tf.size(x)}")
    page.show(f"Values of the tensor: {x.numpy()}")
    y = tf.constant([1, 2, 3], dtype=tf.int8).numpy()
    page.show(f"`y` is now a {type(y)} object and have a value == {y}")
    return page.lines


def masks(tf, np):
    page = _Page()
    x = tf.cast([1, 2, 3, 4, 5], dtype=tf.float32)
    page.show("Original tensor: ", x)
    mask = x % 2 == 0
    page.show("Original mask: ", mask)
    mask = tf.cast(mask, dtype=x.dtype)
    page.show("Mask casted to original tensor type: ", mask)
    temp = tf.cast(tf.range(1, 6) * 100, dtype=x.dtype)
    page.show("Output tensor: ", x * (1 - mask) + mask * temp)
    indices = tf.where(x % 2 == 0)
    page.show("Indices to update: ", indices)
    page.show(tf.tensor_scatter_nd_update(x, indices, [200.0, 400.0]))
    page.show(_told(lambda: x[[1, 4]]))
    page.show(tf.gather(x, indices).numpy())
    return page.lines


def variables_and_tensors(tf, np):
    page = _Page()
    t = tf.constant([1, 2], dtype=tf.int32)
    z = tf.Variable(t)

    def set_item(target):
        target[0] = 10

    page.show(_told(lambda: set_item(t)))
    page.show(_told(lambda: set_item(z)))
    page.show("Original variable: ", z)
    z[0].assign(5)
    page.show("Updated variable: ", z)
    page.show(f"Shape of variable : {z.shape}, {tf.shape(z)}, {z.dtype}, {tf.size(z)}, {z.numpy()}")
    page.show(_told(lambda: f"Rank: {z.ndim}"))
    page.show("This works: ", (t + 5))
    page.show("So does this: ", (z + 5))
    page.show(f"Another example just for demonstration: {(t * 5).numpy()}, {(z * 5).numpy()}")
    page.show(repr(tf.gather(z, indices=[1])))
    page.show("Is variable z trainable? ", z.trainable)
    page.show("Is tensor t trainable? ", _told(lambda: t.trainable))
    return page.lines


def names_of_watched_variables(tf, np):
    x = tf.Variable(2.0, name="x")
    y = tf.Variable(4.0, trainable=False, name="y")
    z = tf.Variable(6.0, name="z")
    with tf.GradientTape() as tape:
        x = x + 2
        y = y + 5
    return [[variable.name for variable in tape.watched_variables()], z.name]


def assignments_that_fail(tf, np):
    page = _Page()
    z = tf.Variable([1, 2], dtype=tf.int32, name="z")
    page.show(f"Variable {z.name}: ", z)
    page.show(_told(lambda: z.assign([1.0, 2.0])))
    page.show(_told(lambda: z.assign([1, 2, 3])))
    x = tf.Variable(5, dtype=tf.int32, shape=tf.TensorShape(None), name="x")
    page.show("Original Variable x: ", x)
    x.assign([1, 2, 3])
    page.show("Modified Variable x: ", x)
    x.assign([[1, 2, 3], [4, 5, 6]])
    page.show("Variable value modified with a diff shape: ", x)
    return page.lines


def one_set_of_gradients(tf, np):
    page = _Page()
    x, y = tf.Variable(3.0), tf.Variable(4.0)
    with tf.GradientTape() as tape:
        z = x * y
    dx, dy = tape.gradient(z, [x, y])
    page.show(f"Output z: {z}, wrt x: {dx}, wrt y: {dy}")
    with tf.GradientTape() as tape:
        z = x * y
    try:
        dx = tape.gradient(z, x)
        dy = tape.gradient(z, y)
    except Exception as ex:
        page.show(type(ex).__name__, ex)
    return page.lines


def higher_order_with_prints(tf, np):
    page = _Page()
    x = tf.Variable(3.0, name="x")
    with tf.GradientTape() as tape1:
        with tf.GradientTape() as tape0:
            y = x * x * x
        first_order_grad = tape0.gradient(y, x)
    second_order_grad = tape1.gradient(first_order_grad, x)
    page.show(f"Variable x: {x.numpy()}")
    page.show(f"First: {first_order_grad}")
    page.show(f"Second: {second_order_grad}")
    return page.lines


def an_unwatched_tensor_with_prints(tf, np):
    page = _Page()
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        y = x * x
    page.show(x)
    page.show("Gradient of y wrt x: ", tape.gradient(y, x))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    page.show("Gradient of y wrt x: ", tape.gradient(y, x))
    return page.lines


def linear_regression(tf, np):
    true_w, true_b = 3.0, 2.0
    x = tf.linspace(-2.0, 2.0, 21)
    noise = tf.constant(np.sin(np.arange(21) * 7.0).astype(np.float32)) * 0.1
    y = x * true_w + true_b + noise

    class Model:
        def __init__(self):
            self.w = tf.Variable(5.0)
            self.b = tf.Variable(0.0)

        def __call__(self, x):
            return self.w * x + self.b

    def train(model, x, y, learning_rate):
        with tf.GradientTape() as t:
            current_loss = tf.reduce_mean(tf.square(y - model(x)))
        dw, db = t.gradient(current_loss, [model.w, model.b])
        model.w.assign_sub(learning_rate * dw)
        model.b.assign_sub(learning_rate * db)

    model, weights, biases, report = Model(), [], [], []
    for epoch in range(5):
        train(model, x, y, learning_rate=0.1)
        weights.append(model.w.numpy())
        biases.append(model.b.numpy())
        current_loss = tf.reduce_mean(tf.square(y - model(x)))
        report.append(f"Epoch {epoch:2d}: W={weights[-1]:1.1f}, loss={current_loss:2.2f}")
    return [weights, biases, report]


def a_two_layer_classifier(tf, np):
    rng = np.random.default_rng(0)
    x = tf.constant(rng.normal(size=(8, 3)).astype(np.float32))
    labels = tf.constant(rng.integers(0, 2, size=8))
    w1 = tf.Variable(rng.normal(size=(3, 4)).astype(np.float32))
    b1, b2 = tf.Variable(tf.zeros([4])), tf.Variable(tf.zeros([2]))
    w2 = tf.Variable(rng.normal(size=(4, 2)).astype(np.float32))
    losses = []
    for _ in range(4):
        with tf.GradientTape() as tape:
            h = tf.nn.relu(x @ w1 + b1)
            logits = h @ w2 + b2
            loss = tf.reduce_mean(
                tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
            )
        variables = [w1, b1, w2, b2]
        for v, g in zip(variables, tape.gradient(loss, variables), strict=True):
            v.assign_sub(0.5 * g)
        losses.append(float(loss))
    accuracy = tf.reduce_mean(tf.cast(tf.argmax(logits, 1) == labels, tf.float32))
    return [losses, accuracy, w2]


def newton_with_two_tapes(tf, np):
    x, steps = tf.Variable(2.0), []
    for _ in range(4):
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                y = x**4 - 3.0 * x**2 + x
            g = inner.gradient(y, x)
        h = outer.gradient(g, x)
        x.assign_sub(g / h)
        steps.append((float(y), float(g), float(h)))
    return {"steps": steps, "x": x}


def newton_with_a_hessian(tf, np):
    x = tf.Variable([1.0, 2.0, -1.0])
    with tf.GradientTape() as t2:
        with tf.GradientTape() as t1:
            loss = tf.reduce_sum(x**4) + tf.reduce_prod(x)
        g = t1.gradient(loss, x)
    h = t2.jacobian(g, x)
    eye_eps = tf.eye(3) * 1e-3
    step = tf.linalg.solve(h + eye_eps, tf.reshape(g, [3, 1]))
    x.assign_sub(tf.reshape(step, [3]))
    return {"hessian": h, "x": x, "caught": caught(lambda: t2.jacobian(g, x))}


def a_saddle_of_gradients(tf, np):
    """Two players: each has its own tape, both in one with."""
    g, d = tf.Variable(0.5), tf.Variable(-0.3)
    out = []
    for _ in range(3):
        with tf.GradientTape() as gen_tape, tf.GradientTape() as disc_tape:
            fake = g * 2.0
            score = tf.sigmoid(d * fake)
            gen_loss, disc_loss = -tf.math.log(score), tf.math.log(score) + d * d
        g.assign_sub(0.1 * gen_tape.gradient(gen_loss, g))
        d.assign_sub(0.1 * disc_tape.gradient(disc_loss, d))
        out.append([float(gen_loss), float(disc_loss)])
    return [out, g, d]
