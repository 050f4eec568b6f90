"""Open sizes of what control flow, derivatives and shape arithmetic give, and within bodies."""

from programs.functions import kind_of_error


def called(tf, make, rows=(3, 5)):
    """What a function of a signature that leaves the rows open sees in its first and last call."""
    found = []

    @tf.function(input_signature=[tf.TensorSpec([None, 2])])
    def f(x):
        made = {key: shapes(tf, value) for key, value in make(x).items()}
        found.append(made)
        return tf.reduce_sum(x)

    for count in rows:
        f(tf.ones([count, 2]))
    return [found[0], found[-1]]


def shapes(tf, value):
    return [str(tensor.shape) for tensor in tf.nest.flatten(value)]


def branches_and_loops(tf, np):
    def make(x):
        n, positive = tf.shape(x)[0], tf.reduce_sum(x) > 0.0
        return {
            "cond": tf.cond(positive, lambda: x + 1.0, lambda: x * 2.0),
            "rank 1": tf.cond(positive, lambda: tf.reduce_sum(x, 0), lambda: x[0]),
            "known": tf.cond(positive, lambda: tf.ones([3, 2]), lambda: tf.ones([3, 2]) * 2.0),
            "switch": tf.switch_case(tf.constant(1), [lambda: x, lambda: x * 2.0]),
            "case": tf.case([(positive, lambda: x)], default=lambda: -x),
            "while": tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * 2.0), (0, x)),
            "sum": tf.while_loop(
                lambda i, a: i < n, lambda i, a: (i + 1, a + x[i]), (0, tf.zeros([2]))
            ),
            "zeros": tf.while_loop(
                lambda i, a: i < n, lambda i, a: (i + 1, a + 1.0), (0, tf.zeros([n]))
            ),
        }

    return called(tf, make)


def rows_of_loops(tf, np):
    def make(x):
        n = tf.shape(x)[0]
        return {
            "map": tf.map_fn(lambda r: r * 2.0, x),
            "scalars": tf.map_fn(tf.reduce_sum, x),
            "two": tf.map_fn(
                lambda r: (r, tf.reduce_sum(r)), x, fn_output_signature=(tf.float32, tf.float32)
            ),
            "all": tf.map_fn(lambda r: tf.tensordot(x, r, 1), x),
            "range": tf.map_fn(
                lambda i: tf.cast(i, tf.float32), tf.range(n), fn_output_signature=tf.float32
            ),
            "vectorized": tf.vectorized_map(lambda r: tf.linalg.matvec(x, r), x),
            "scan": tf.scan(lambda a, r: a + r, x),
            "states": tf.scan(lambda a, r: (a[0] + r, a[1] + 1), x, initializer=(tf.zeros([2]), 0)),
            "fold": tf.foldl(lambda a, r: a + r, x),
            "columns": tf.foldl(lambda a, r: a + r, tf.transpose(x)),
        }

    return called(tf, make)


def derivatives(tf, np):
    v = tf.Variable([[1.0], [2.0]])

    @tf.custom_gradient
    def doubled(z):
        return z * 2.0, lambda upstream: upstream * 3.0

    def make(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            square, product, columns = x * x, x @ v, tf.reduce_sum(x**2, 0)
            custom = doubled(x)
        with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
            moved, total = x @ v, tf.reduce_sum(x)
        return {
            "jacobian": tape.jacobian(square, x),
            "of a variable": tape.jacobian(product, v),
            "batch": tape.batch_jacobian(product, x),
            "of columns": tape.jacobian(columns, x),
            "gradient": tape.gradient(product, [x, v]),
            "forward": [accumulator.jvp(moved), accumulator.jvp(total)],
            "custom": [custom, tape.gradient(custom, x)],
            "hessian": tf.hessians(tf.reduce_sum(x**2), x),
            "recomputed": tf.recompute_grad(lambda z: z * z)(x),
            "passed through": tf.grad_pass_through(tf.round)(x),
        }

    return called(tf, make)


def sizes_that_are_computed(tf, np):
    def make(x):
        n = tf.shape(x)[0]
        return {
            "zeros": tf.zeros([n, 3]), "zeros like": tf.zeros(tf.shape(x)), "ones": tf.ones([3, n]),
            "fill": tf.fill([n, n], 1.0), "eye": tf.eye(n), "columns": tf.eye(n, 3),
            "reshape": tf.reshape(x, [n * 2]), "deep": tf.reshape(x, [n, 1, 2]),
            "joined": tf.reshape(x, tf.concat([tf.shape(x), [1]], 0)),
            "range": tf.range(n), "steps": tf.range(0, n, 2), "linspace": tf.linspace(0.0, 1.0, n),
            "one_hot": tf.one_hot([0, 1], n), "rows": tf.one_hot(tf.range(n), 4),
            "tile": tf.tile([[1.0]], [n, 1]), "tile 2": tf.tile(x, [1, n]),
            "broadcast": tf.broadcast_to(1.0, [n, 2]), "repeat": tf.repeat([1.0, 2.0], n),
            "slice": tf.ones([4, 4])[:n], "block": tf.slice(x, [0, 0], [n, 1]),
            "pad": tf.pad(tf.ones([2, 2]), [[0, n], [0, 0]]),
            "normal": tf.random.normal(tf.shape(x)),
            "uniform": tf.random.uniform([n, 4]), "shuffle": tf.random.shuffle(x),
            "gather": tf.gather(tf.ones([5, 3]), tf.range(n)),
            "segments": tf.math.unsorted_segment_sum(x, tf.zeros([n], tf.int32), n),
            "mask": tf.sequence_mask([1, 2], n), "lengths": tf.sequence_mask(tf.range(n), 3),
            "grid": tf.meshgrid(tf.range(n), tf.range(3)),
            "resized": tf.image.resize(tf.ones([1, 4, 4, 1]), [n, n]),
            "known": [tf.zeros([3]), tf.range(3), tf.eye(3), tf.tile([1.0], [3])],
        }  # fmt: skip

    return called(tf, make)


def rows_that_values_decide(tf, np):
    def make(x):
        return {
            "mask": x[x > 0], "rows": tf.boolean_mask(x, x[:, 0] > 0), "where": tf.where(x > 0),
            "unique": list(tf.unique(tf.reshape(x, [-1]))),
            "parts": tf.dynamic_partition(x, tf.zeros([tf.shape(x)[0]], tf.int32), 2),
        }  # fmt: skip

    return called(tf, make)


def within_bodies(tf, np):
    def make(x):
        found = {}

        def seen(key, *tensors):
            found[key] = list(tensors)
            return tensors[0]

        n = tf.shape(x)[0]
        tf.map_fn(lambda r: seen("map", r, x) * 2.0, x)
        tf.map_fn(lambda r: seen("matrix", r, x @ tf.transpose(r)), x[None])
        tf.vectorized_map(lambda r: seen("vectorized", r) * 2.0, x[None])
        tf.scan(lambda a, r: seen("scan", a + r, r), tf.transpose(x))
        tf.foldl(lambda a, r: seen("fold", a + r, r), tf.transpose(x))
        positive = tf.reduce_sum(x) > 0.0
        tf.cond(positive, lambda: seen("true", x + 1.0), lambda: seen("false", x - 1.0))
        tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, seen("while", a * 2.0, a)), (0, x))
        tf.while_loop(
            lambda i, a: i < n,
            lambda i, a: (i + 1, seen("sum", a + x[i], x[i])),
            (0, tf.zeros([2])),
        )
        inner = tf.function(lambda z: tf.reduce_sum(seen("function", z, z + 1.0), 1))
        seen("after it", inner(x + 1.0))

        @tf.custom_gradient
        def tripled(z):
            return z * 3.0, lambda upstream: seen("upstream", upstream) * 3.0

        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tripled(x)
        seen("gradient", tape.gradient(y, x))
        tf.recompute_grad(lambda z: seen("recomputed", z) * 1.0)(x)
        seen("ensured", tf.ensure_shape(x, [None, 2]), tf.ensure_shape(x, [None, None]))
        return found

    return called(tf, make)


def statements_of_python(tf, np):
    found = set()

    @tf.function(input_signature=[tf.TensorSpec([None])])
    def f(x):
        y = x * 2.0
        if tf.reduce_sum(x) > 0.0:
            y = y + 1.0
        found.add("if " + str(y.shape))
        for i in tf.range(tf.shape(x)[0]):
            y = y + x[i]
        found.add("range " + str(y.shape))
        while tf.reduce_sum(y) < 10.0:
            y = y * 2.0
        found.add("while " + str(y.shape))
        for row in x:
            y = y + row
        found.add("rows " + str(y.shape))
        return y

    return [kind_of_error(lambda n=n: f(tf.ones([n]))) for n in (2, 4, 2)], sorted(found)


def what_is_printed_and_compared(tf, np):
    found = []

    @tf.function(input_signature=[tf.TensorSpec([None, 2])])
    def f(x):
        y, n = tf.map_fn(lambda r: r + 1.0, x), tf.shape(x)[0]
        z = tf.zeros([n])
        found.append([
            str(y.shape), repr(y.shape), y.shape.as_list(), y.shape[0], len(y.shape),
            y.shape == [None, 2], y.shape == [3, 2], z.shape.as_list(), z.shape.num_elements(),
            y.get_shape().as_list(), y.shape.is_compatible_with([7, 2]),
            str(tf.TensorShape([None]).merge_with(z.shape)), str(z.shape.concatenate([4])),
            tf.get_static_value(tf.shape(y)), tf.get_static_value(n), tf.get_static_value(n * 2),
            str(tf.get_static_value(tf.shape(y), partial=True)), tf.get_static_value(tf.rank(y)),
            tf.get_static_value(tf.constant([3])),
        ])  # fmt: skip
        return y

    f(tf.ones([3, 2]))
    f(tf.ones([5, 2]))
    return found[0], found[-1]


def functions_within(tf, np):
    found = set()

    @tf.function
    def inner(z):
        found.add(f"inner {z.shape} {tf.zeros([tf.shape(z)[0]]).shape}")
        return tf.concat([z, z], 0), tf.zeros([tf.shape(z)[0], 3])

    @tf.function(input_signature=[tf.TensorSpec([None, None])])
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = inner(x)[0] ** 2
        results = [*inner(x[:2]), *inner(tf.transpose(x)), y, tape.gradient(y, x)]
        found.add(str([str(tensor.shape) for tensor in results]))
        return tf.reduce_sum(y)

    return [f(tf.ones(sizes)) for sizes in ([3, 2], [4, 5], [3, 2])], sorted(found)


def values_for_several_sizes(tf, np):
    v = tf.Variable([[1.0], [2.0]])

    @tf.function(input_signature=[tf.TensorSpec([None, 2])])
    def f(x):
        n = tf.shape(x)[0]
        with tf.GradientTape() as tape:
            tape.watch(x)
            rows = tf.map_fn(lambda r: tf.reduce_sum(r * r), x)
            sums = tf.scan(lambda a, r: a + r, x)
            _, total = tf.while_loop(
                lambda i, a: i < n, lambda i, a: (i + 1, a + x[i]), (0, tf.zeros([2]))
            )
            product = tf.cond(tf.reduce_sum(x) > 3.0, lambda: x @ v, lambda: -x @ v)
            made = tf.zeros([n, 3]) + tf.eye(n, 3) + tf.linspace(0.0, 1.0, n)[:, None]
            made += tf.cast(tf.range(n), tf.float32)[:, None]
            loss = sum(map(tf.reduce_sum, (rows, sums, total, product, made)))
        return [
            loss, tape.gradient(loss, [x, v]), made, tf.repeat(x, n, 0), tf.tile(x, [1, n]),
            tf.one_hot(tf.range(n), n), x[: n - 1], tf.reshape(x, [n * 2]),
        ]  # fmt: skip

    return [f(tf.reshape(tf.range(2.0 * k) - 1.5, [k, 2])) for k in (2, 3, 4, 3, 1)]


def noise_and_smaller_sides(tf, np):
    dropout = tf.keras.layers.Dropout(0.5)

    def make(x):
        return {
            "svd": tf.linalg.svd(x), "all": tf.linalg.svd(x, full_matrices=True)[1],
            "values": tf.linalg.svd(x, compute_uv=False), "qr": tf.linalg.qr(x),
            "diagonal": tf.linalg.diag_part(x), "layer": dropout(x, training=True),
            "dropout": tf.nn.dropout(x, 0.5),
            "stateless": tf.nn.experimental.stateless_dropout(x, 0.5, [1, 2]),
        }  # fmt: skip

    return called(tf, make)
