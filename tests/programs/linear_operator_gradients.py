"""tf.linalg.LinearOperator...: gradients through products, solutions and determinants."""


def _gradients(tf, np, make, *values):
    """Gradients of what an operator computes, with respect to the tensors it is made of."""
    sources = [tf.constant(np.asarray(value)) for value in values]
    found = {}
    for label, function in FUNCTIONS.items():
        with tf.GradientTape() as outer:
            outer.watch(sources)
            with tf.GradientTape() as inner:
                inner.watch(sources)
                operator = make(*sources)
                y = function(tf, np, operator)
            first = inner.gradient(y, sources)
            z = tf.add_n([tf.reduce_sum(tf.math.real(g * g)) for g in first if g is not None])
        found[label] = [first, outer.gradient(z, sources) if label in ("matmul", "solve") else None]
    return found


def _rhs(np, operator):
    size = operator.shape[-1]
    values = np.arange(1, size * 2 + 1).reshape(size, 2) / 4
    return values.astype(operator.dtype.as_numpy_dtype)


FUNCTIONS = {
    "matmul": lambda tf, np, o: tf.reduce_sum(o.matmul(_rhs(np, o)) ** 2),
    "solve": lambda tf, np, o: tf.reduce_sum(o.solve(_rhs(np, o), adjoint=True) ** 2),
    "logdet": lambda tf, np, o: tf.reduce_sum(o.log_abs_determinant()),
    "trace": lambda tf, np, o: tf.reduce_sum(o.trace() ** 2),
}
FULL = [[4.0, 1.0], [2.0, 3.0]]
SYMMETRIC = {"is_self_adjoint": True, "is_positive_definite": True}


def simple(tf, np):
    linalg = tf.linalg
    return {
        "diag": _gradients(tf, np, linalg.LinearOperatorDiag, [1.0, -2.0]),
        "full": _gradients(tf, np, linalg.LinearOperatorFullMatrix, FULL),
        "tril": _gradients(tf, np, linalg.LinearOperatorLowerTriangular, FULL),
        "scaled": _gradients(tf, np, lambda m: linalg.LinearOperatorScaledIdentity(3, m), -2.0),
        "definite": _gradients(
            tf,
            np,
            lambda m: linalg.LinearOperatorFullMatrix(m, **SYMMETRIC),
            [[4.0, 1.0], [1.0, 3.0]],
        ),
    }


def wrapped(tf, np):
    linalg = tf.linalg
    full, diag = linalg.LinearOperatorFullMatrix, linalg.LinearOperatorDiag
    return {
        "inverse": _gradients(tf, np, lambda m: full(m).inverse(), FULL),
        "adjoint": _gradients(tf, np, lambda m: full(m).H, FULL),
        "product": _gradients(tf, np, lambda m, d: full(m) @ diag(d), FULL, [1.0, -2.0]),
        "diagonals": _gradients(tf, np, lambda c, d: diag(c) @ diag(d), [3.0, 4.0], [1.0, -2.0]),
    }


def joined(tf, np):
    linalg = tf.linalg
    full, diag = linalg.LinearOperatorFullMatrix, linalg.LinearOperatorDiag
    return {
        "kronecker": _gradients(
            tf,
            np,
            lambda m, d: linalg.LinearOperatorKronecker([full(m), diag(d)]),
            FULL,
            [1.0, -2.0],
        ),
        "blocks": _gradients(
            tf,
            np,
            lambda m, d: linalg.LinearOperatorBlockDiag([full(m), diag(d)]),
            FULL,
            [1.0, -2.0],
        ),
        "lower": _gradients(
            tf,
            np,
            lambda m, b, d: linalg.LinearOperatorBlockLowerTriangular(
                [[full(m)], [full(b), diag(d)]]
            ),
            FULL,
            [[1.0, 2.0]],
            [-2.0],
        ),
    }


def structured(tf, np):
    linalg = tf.linalg
    return {
        "low rank": _gradients(
            tf,
            np,
            lambda d, u, c: linalg.LinearOperatorLowRankUpdate(linalg.LinearOperatorDiag(d), u, c),
            [1.0, 2.0, 3.0],
            [[1.0], [2.0], [0.5]],
            [3.0],
        ),
        "definite low rank": _gradients(
            tf,
            np,
            lambda d, u: linalg.LinearOperatorLowRankUpdate(
                linalg.LinearOperatorDiag(d, is_positive_definite=True), u
            ),
            [1.0, 2.0, 3.0],
            [[1.0], [2.0], [0.5]],
        ),
        "tridiag": _gradients(
            tf,
            np,
            linalg.LinearOperatorTridiag,
            [[1.0, 2.0, 0.0], [4.0, 5.0, 6.0], [0.0, 3.0, 2.0]],
        ),
        "toeplitz": _gradients(
            tf, np, linalg.LinearOperatorToeplitz, [4.0, 1.0, 2.0], [4.0, 3.0, -1.0]
        ),
        "circulant": _gradients(
            tf, np, lambda s: linalg.LinearOperatorCirculant(s, tf.float64), [4.0, 1.0, 2.0]
        ),
        "circulant 2D": _gradients(
            tf,
            np,
            lambda s: linalg.LinearOperatorCirculant2D(s, tf.float64),
            [[4.0, 1.0], [2.0, 3.0]],
        ),
    }


def householder(tf, np):
    x = tf.constant([1.0, 2.0, -1.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        operator = tf.linalg.LinearOperatorHouseholder(x)
        y = tf.reduce_sum(operator.matvec([1.0, 2.0, 3.0]) ** 3)
    return tape.gradient(y, x)


def permutation(tf, np):
    x = tf.constant([1.0, 2.0, -1.0])
    operator = tf.linalg.LinearOperatorPermutation([2, 0, 1])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(operator.solvevec(x) * [1.0, 2.0, 3.0])
    return tape.gradient(y, x)


def likelihood(tf, np):
    """The logarithm of a normal density whose covariance is a low-rank update."""
    scale, factor = tf.Variable([1.0, 2.0, 3.0]), tf.Variable([[1.0], [0.0], [2.0]])
    noise = tf.linalg.LinearOperatorDiag(scale, is_positive_definite=True)
    covariance = tf.linalg.LinearOperatorLowRankUpdate(noise, factor)
    x = tf.constant([0.5, -1.0, 2.0])

    def loss():
        distance = tf.reduce_sum(x * covariance.solvevec(x))
        return 0.5 * (distance + covariance.log_abs_determinant())

    losses = []
    for _ in range(3):
        with tf.GradientTape() as tape:
            losses.append(loss())
        gradients = tape.gradient(losses[-1], covariance.trainable_variables)
        for variable, gradient in zip(covariance.trainable_variables, gradients, strict=True):
            variable.assign_sub(0.1 * gradient)
    names = len(covariance.trainable_variables)
    return {"losses": losses, "scale": scale.numpy(), "factor": factor.numpy(), "count": names}
