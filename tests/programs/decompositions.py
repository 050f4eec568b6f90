"""Singular values, eigenvalues and products: what TensorFlow's kernels do at their edges."""

from programs.program import Caught, answers, caught


def tridiagonal_with_complex_sides(tf, np):
    found = []
    for dtype in (tf.complex64, tf.complex128):
        diagonal = tf.constant([1.0, 2.0, 3.0, 4.0], dtype)
        side = tf.constant([1 + 2j, 0.5 - 1j, 0 + 2j], dtype)
        values, vectors = tf.linalg.eigh_tridiagonal(diagonal, side, eigvals_only=False)
        matrix = (
            tf.linalg.diag(diagonal)
            + tf.linalg.diag(side, k=1)
            + tf.linalg.diag(tf.math.conj(side), k=-1)
        )
        rest = matrix @ vectors - vectors * tf.cast(values, dtype)[None]
        found += [values, vectors.dtype, bool(tf.reduce_max(tf.abs(rest)) < 1e-4)]
        found.append(tf.abs(vectors))
        for select, bounds in (("i", (1, 2)), ("v", (0.0, 4.0))):
            call = {"eigvals_only": False, "select": select, "select_range": bounds}
            some, columns = tf.linalg.eigh_tridiagonal(diagonal, side, **call)
            found += [some, tf.abs(columns)]
    return found


def gradients_of_singular_values(tf, np):
    rng, found = np.random.RandomState(0), {}
    for shape in ((3, 3), (2, 3), (3, 2), (2, 2, 3), (2, 1), (1, 2), (4, 2)):
        for full in (True, False):
            for parts in ((0,), (1,), (2,), (0, 1, 2)):
                x = tf.constant(rng.normal(size=shape))

                def gradient(x=x, full=full, parts=parts):
                    with tf.GradientTape() as tape:
                        tape.watch(x)
                        results = tf.linalg.svd(x, full_matrices=full)
                        loss = 0.0
                        for k in parts:  # without the signs, which are free
                            part = tf.abs(results[k])
                            loss += tf.reduce_sum(part[..., :1] * 2.0 if k else part**2)
                    return tape.gradient(loss, x)

                answer = caught(gradient)
                key = f"{shape} {full} {parts}"
                found[key] = answer.name if isinstance(answer, Caught) else answer
    return found


def gradients_of_equal_singular_values(tf, np):
    x = tf.constant(np.diag([2.0, 2.0, 1.0]))
    with tf.GradientTape() as tape:
        tape.watch(x)
        values, left, right = tf.linalg.svd(x)
        loss = tf.reduce_sum(values**2) + tf.reduce_sum(tf.abs(left @ tf.transpose(right)))
    return tape.gradient(loss, x)


def gradients_of_complex_singular_values(tf, np):
    rng, found = np.random.RandomState(0), []
    for shape in ((2, 3), (3, 2), (2, 2)):
        x = tf.constant(rng.normal(size=shape) + 1j * rng.normal(size=shape))
        for full in (True, False):
            with tf.GradientTape(persistent=True) as tape:
                tape.watch(x)
                values, left, right = tf.linalg.svd(x, full_matrices=full)
                both = left[..., :, :2] @ tf.linalg.adjoint(right[..., :, :2])
                loss = tf.math.real(tf.reduce_sum(both))
                total = tf.reduce_sum(values**2)
            found += [tape.gradient(total, x), tape.gradient(loss, x)]
    return found


def places_outside_of_a_sparse_matrix(tf, np):
    found, product = {}, tf.sparse.sparse_dense_matmul
    for places in ([[0, 5]], [[5, 0]], [[-1, 0]], [[0, -1]], [[0, 0], [0, 2]]):
        a = tf.SparseTensor(tf.constant(places, tf.int64), tf.ones([len(places)]), [2, 2])
        found[str(places)] = answers(
            lambda a=a: product(a, tf.eye(2)),
            lambda a=a: product(a, tf.eye(2), adjoint_a=True),
            lambda a=a: product(tf.eye(2), a),
            lambda a=a: tf.sparse.to_dense(a),
            lambda a=a: tf.sparse.to_dense(a, validate_indices=False),
        )
        summed = caught(lambda a=a: tf.sparse.reduce_sum(a, 1))
        found[str(places)].append(summed.name if isinstance(summed, Caught) else summed)
    empty = tf.SparseTensor(tf.zeros([0, 2], tf.int64), tf.zeros([0]), [2, 2])
    found["empty"] = tf.sparse.sparse_dense_matmul(empty, tf.eye(2))
    return found


def products_of_8_bits(tf, np):
    found = {}
    for first in (tf.int8, tf.uint8):
        for second in (tf.int8, tf.uint8):
            a = tf.cast(tf.reshape(tf.range(90, 96), [2, 3]), first)
            b = tf.cast(tf.reshape(tf.range(6), [3, 2]), second)
            found[f"{first.name} {second.name}"] = answers(
                lambda a=a, b=b: tf.matmul(a, b, output_type=tf.int32),
                lambda a=a, b=b: tf.matmul(a, a, transpose_b=True, output_type=tf.int32),
                lambda a=a, b=b: tf.matmul(a[None], b[None], output_type=tf.int32),
                lambda a=a, b=b: tf.function(
                    lambda: tf.matmul(b, a, adjoint_a=True, adjoint_b=True, output_type=tf.int32)
                )(),
            )
    found["floats"] = answers(
        lambda: tf.matmul(tf.ones([1, 2], tf.bfloat16), tf.ones([2, 1], tf.bfloat16)),
        lambda: tf.matmul(tf.ones([1, 2]), tf.ones([2, 1]), output_type=tf.float32),
    )
    return found


def third_derivatives(tf, np):
    functions = {
        "relu": tf.nn.relu,
        "relu6": tf.nn.relu6,
        "crelu": tf.nn.crelu,
        "leaky_relu": tf.nn.leaky_relu,
        "elu": tf.nn.elu,
        "abs": tf.abs,
        "maximum": lambda x: tf.maximum(x, 0.0),
        "of a product": lambda x: tf.nn.relu(x[None] @ tf.ones([2, 2])),
        "x relu": lambda x: x * tf.nn.relu(x),
        "keras": lambda x: tf.keras.activations.relu(x),
    }

    def derivatives(function):
        x = tf.constant([1.5, -2.0])
        with tf.GradientTape() as first:
            first.watch(x)
            with tf.GradientTape() as second:
                second.watch(x)
                with tf.GradientTape() as third:
                    third.watch(x)
                    y = function(x)
                one = third.gradient(y, x)
            two = None if one is None else second.gradient(one, x)
        return [one, two, None if two is None else first.gradient(two, x)]

    def four(function):
        x, found = tf.constant([1.5, -2.0]), []
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = function(x)
            for _ in range(4):
                y = None if y is None else tape.gradient(y, x)
                found.append(y)
        return found

    found = {}
    for name, function in functions.items():
        found[name] = [
            derivatives(function),
            four(function),
            tf.function(lambda function=function: derivatives(function))(),
        ]
    return found


def norms_of_several_dtypes(tf, np):
    single, double = tf.constant([3.0, 4.0]), tf.constant([6.0, 8.0], tf.float64)
    half = tf.constant([1.0, 1.0], tf.float16)
    clip = tf.clip_by_global_norm
    slices = tf.IndexedSlices(double, tf.constant([0, 1]))
    return answers(
        lambda: clip([single, double], 1.0),
        lambda: clip([single, double, half, None], 1.0, use_norm=tf.constant(2.0)),
        lambda: clip([slices, single], 1.0, use_norm=tf.constant(2.0))[0][0].values,
        lambda: clip([half, single], 1.0),
        lambda: tf.linalg.global_norm([single, double]),
        lambda: clip([single], 1.0),
    )


def matrices_that_are_not_finite(tf, np):
    """Where a solver does not converge an error says so; LAPACK takes NaN for a number."""
    nan, inf = float("nan"), float("inf")
    matrices = {
        "below": [[1.0, 0.0], [nan, 1.0]], "diagonal": [[nan, 0.0], [0.0, 1.0]],
        "infinite": [[1.0, 0.0], [inf, 1.0]], "one of two": [np.eye(2), [[nan, 1.0], [2.0, 1.0]]],
        "number": [[2.0]], "empty": np.zeros([0, 0]),
    }  # fmt: skip
    found = {}
    for name in ("eigh", "eigvalsh", "eig", "eigvals"):
        for kind, matrix in matrices.items():
            x = tf.constant(matrix, tf.float32)
            try:
                values = tf.nest.flatten(getattr(tf.linalg, name)(x))[0].numpy().tolist()
            except tf.errors.InvalidArgumentError as error:
                values = "Self-adjoint" in error.message, "was not successful" in error.message
            found[f"{name} {kind}"] = values
    alpha, beta = tf.constant([nan, 1.0]), tf.constant([1.0])
    values, vectors = tf.linalg.eigh_tridiagonal(alpha, beta, eigvals_only=False)
    return found, tf.linalg.eigh_tridiagonal(alpha, beta), values, vectors
