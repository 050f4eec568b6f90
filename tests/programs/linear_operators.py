"""tf.linalg.LinearOperator...: what each kind computes."""

METHODS = (
    "to_dense", "diag_part", "trace", "determinant", "log_abs_determinant", "eigvals", "cond",
)  # fmt: skip
OPERATORS = ("adjoint", "inverse", "cholesky")
ASSERTIONS = ("assert_non_singular", "assert_positive_definite", "assert_self_adjoint")


def _tried(function, *args, **kwargs):
    """What a call gives; what it computes is not looked at, so that all is computed at once."""
    try:
        return function(*args, **kwargs)
    except Exception as error:
        return [type(error).__name__, str(error).split("\n")[0]]


def _known(tf, operator):
    hints = ("is_square", "is_non_singular", "is_self_adjoint", "is_positive_definite")
    return {
        **{hint: getattr(operator, hint) for hint in hints},
        "kind": type(operator).__name__,
        "name": operator.name,
        "dtype": operator.dtype,
        "shape": operator.shape,
    }


def _everything(tf, np, operator, batch=True):
    """All that an operator can compute without leaving its own kind."""
    rows, columns = operator.shape[-2:]
    kind = operator.dtype.as_numpy_dtype
    narrow = np.arange(1, columns * 2 + 1).reshape(columns, 2).astype(kind) / 4
    tall = np.arange(1, rows * 2 + 1).reshape(rows, 2).astype(kind) / 4
    if operator.dtype.is_complex:
        narrow, tall = narrow * (1 - 2j), tall * (1 - 2j)
    narrow, tall = tf.constant(narrow), tf.constant(tall)
    found = {"known": _known(tf, operator)}
    for method in METHODS:
        found[method] = _tried(getattr(operator, method))
    for method in OPERATORS:
        made = _tried(getattr(operator, method))
        known = made if isinstance(made, list) else [_known(tf, made), made.to_dense()]
        found[method] = known
    found["matmul"] = _tried(operator.matmul, narrow)
    found["matmul adjoint"] = _tried(operator.matmul, tall, adjoint=True)
    turned = tf.linalg.adjoint(narrow)
    found["matmul adjoint_arg"] = _tried(operator.matmul, turned, adjoint_arg=True)
    found["matvec"] = _tried(operator.matvec, narrow[:, 0])
    found["solve"] = _tried(operator.solve, tall)
    found["solve adjoint"] = _tried(operator.solve, narrow, adjoint=True)
    turned = tf.linalg.adjoint(tall)
    found["solve adjoint_arg"] = _tried(operator.solve, turned, adjoint_arg=True)
    found["solvevec"] = _tried(operator.solvevec, tall[:, 0])
    whole = tf.ones([rows, columns], operator.dtype)
    found["add_to_tensor"] = _tried(operator.add_to_tensor, whole)
    if batch:
        found["matmul batch"] = _tried(operator.matmul, tf.stack([narrow, 2 * narrow]))
    return found


def _check(tf, operator, name):
    """What an assertion raises; the look at a number makes it happen."""

    def check():
        getattr(operator, name)()
        tf.abs(-1.0).numpy()

    return _tried(check)


def _checked(tf, operator):
    return [_check(tf, operator, assertion) for assertion in ASSERTIONS]


def diag(tf, np):
    kind = tf.linalg.LinearOperatorDiag
    return {
        "real": _everything(tf, np, kind([1.0, -2.0, 4.0])),
        "positive": _everything(tf, np, kind([1.0, 4.0], is_positive_definite=True)),
        "complex": _everything(tf, np, kind(tf.constant([1 + 2j, 3 - 1j], tf.complex128))),
        "checked": [_checked(tf, kind([1.0, 0.0])), _checked(tf, kind([1 + 1j, 1]))],
    }


def diag_batch(tf, np):
    operator = tf.linalg.LinearOperatorDiag(np.array([[1.0, 2.0], [3.0, 4.0]]))
    return _everything(tf, np, operator)


def full_matrix(tf, np):
    kind = tf.linalg.LinearOperatorFullMatrix
    matrix = [[4.0, 1.0], [1.0, 3.0]]
    return {
        "plain": _everything(tf, np, kind([[1.0, 2.0], [3.0, 5.0]])),
        "definite": _everything(
            tf, np, kind(matrix, is_self_adjoint=True, is_positive_definite=True)
        ),
        "complex": _everything(tf, np, kind(np.array([[4, 1 + 1j], [2, 3j]]))),
        "batch": _everything(tf, np, kind(np.array([[[4.0, 1], [1, 3]], [[1, 2], [3, 5]]]))),
        "wide": _everything(tf, np, kind([[1.0, 2.0, 3.0], [3.0, 5.0, 6.0]], is_square=False)),
        "checked": [_checked(tf, kind(matrix)), _checked(tf, kind([[1.0, 2.0], [2.0, 4.0]]))],
        "checked too": _checked(tf, kind(matrix, is_self_adjoint=True)),
    }


def lower_triangular(tf, np):
    kind = tf.linalg.LinearOperatorLowerTriangular
    return {
        "plain": _everything(tf, np, kind([[2.0, 9.0], [3.0, -4.0]])),
        "hinted": _everything(
            tf, np, kind([[2.0, 0.0], [0.0, 4.0]], is_self_adjoint=True, is_non_singular=True)
        ),
        "complex": _everything(tf, np, kind(np.array([[2 + 1j, 0], [1j, 3]]))),
        "checked": [_check(tf, kind([[1.0, 0.0], [1.0, 0.0]]), "assert_non_singular")],
    }


def identity(tf, np):
    kind = tf.linalg.LinearOperatorIdentity
    return {
        "plain": _everything(tf, np, kind(3)),
        "batch": _everything(tf, np, kind(2, batch_shape=[2], dtype=tf.float64)),
        "checked": _checked(tf, kind(2)),
    }


def scaled_identity(tf, np):
    kind = tf.linalg.LinearOperatorScaledIdentity
    return {
        "plain": _everything(tf, np, kind(3, -2.0)),
        "positive": _everything(tf, np, kind(2, 4.0, is_positive_definite=True)),
        "batch": _everything(tf, np, kind(2, np.array([2.0, 3.0]))),
        "complex": _everything(tf, np, kind(2, tf.constant(1 + 2j, tf.complex128))),
        "checked": [_checked(tf, kind(2, 0.0)), _checked(tf, kind(2, tf.constant(1j)))],
    }


def zeros(tf, np):
    kind = tf.linalg.LinearOperatorZeros
    wide = kind(2, 3, is_square=False, is_self_adjoint=False)
    found = {}
    for label, operator in (("square", kind(2)), ("batch", kind(2, batch_shape=[2]))):
        found[label] = {
            "known": _known(tf, operator),
            "dense": operator.to_dense(),
            "trace": operator.trace(),
            "determinant": operator.determinant(),
            "eigvals": operator.eigvals(),
            "matvec": operator.matvec([1.0, 2.0]),
            "solve": _tried(operator.solve, [[1.0], [2.0]]),
            "inverse": _tried(operator.inverse),
            "add": operator.add_to_tensor(tf.ones([2, 2])),
            "checked": _checked(tf, operator),
        }
    return {**found, "wide": [_known(tf, wide), wide.matvec([1.0, 2.0, 3.0]), wide.diag_part()]}


def adjoint(tf, np):
    full = tf.linalg.LinearOperatorFullMatrix(np.array([[4, 1 + 1j], [2, 3j]]))
    kind = tf.linalg.LinearOperatorAdjoint
    twice = full.H.H is full
    return {"complex": _everything(tf, np, kind(full)), "twice": twice}


def inversion(tf, np):
    full = tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 5.0]], is_non_singular=True)
    kind = tf.linalg.LinearOperatorInversion
    symmetric = tf.linalg.LinearOperatorFullMatrix([[4.0, 1.0], [1.0, 3.0]], is_self_adjoint=True)
    return {
        "plain": _everything(tf, np, kind(full)),
        "symmetric": _everything(tf, np, kind(symmetric)),
        "twice": full.inverse().inverse() is full,
    }


def composition(tf, np):
    linalg = tf.linalg
    full = linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, -5.0]], is_non_singular=True)
    wide = linalg.LinearOperatorFullMatrix([[1.0, 2.0, 0.0], [3.0, 5.0, 1.0]])
    tril = linalg.LinearOperatorLowerTriangular([[2.0, 0.0], [1.0, -3.0]], is_non_singular=True)
    kind = linalg.LinearOperatorComposition
    return {
        "two": _everything(tf, np, kind([full, full])),
        "wide": _everything(tf, np, kind([full, wide])),
        "symmetric": _everything(tf, np, kind([tril, tril.H])),
        "one": _everything(tf, np, kind([full], name="alone")),
        "checked": _checked(tf, kind([full, full])),
    }


def kronecker(tf, np):
    linalg = tf.linalg
    full = linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 5.0]])
    wide = linalg.LinearOperatorFullMatrix([[1.0, 2.0, 0.0]])
    hints = {"is_self_adjoint": True, "is_positive_definite": True}
    definite = linalg.LinearOperatorFullMatrix([[4.0, 1.0], [1.0, 3.0]], **hints)
    diag = linalg.LinearOperatorDiag([1.0, 2.0, 3.0], is_positive_definite=True)
    lots = linalg.LinearOperatorFullMatrix(np.array([[[1, 2j], [3, 4]], [[2, 0], [1j, 1]]]))
    kind = linalg.LinearOperatorKronecker
    return {
        "two": _everything(tf, np, kind([full, diag])),
        "wide": kind([full, wide]).to_dense(),
        "wide matvec": kind([full, wide]).matvec(tf.range(6.0)),
        "definite": _everything(tf, np, kind([definite, diag])),
        "batch": _everything(tf, np, kind([lots, lots])),
        "checked": _check(tf, kind([full, wide]), "assert_non_singular"),
    }


def block_diag(tf, np):
    linalg = tf.linalg
    full = linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 5.0]])
    hints = {"is_self_adjoint": True, "is_positive_definite": True}
    definite = linalg.LinearOperatorFullMatrix([[4.0, 1.0], [1.0, 3.0]], **hints)
    diag = linalg.LinearOperatorDiag([[1.0], [2.0]], is_positive_definite=True)
    wide = linalg.LinearOperatorFullMatrix([[1.0, 2.0, 0.0]])
    kind = linalg.LinearOperatorBlockDiag
    mixed = kind([full, wide], is_square=False)
    return {
        "two": _everything(tf, np, kind([full, diag])),
        "definite": _everything(tf, np, kind([definite, diag])),
        "wide": [_known(tf, mixed), mixed.to_dense(), _tried(mixed.trace)],
        "checked": _checked(tf, kind([definite, diag])),
    }


def block_lower_triangular(tf, np):
    linalg = tf.linalg
    full = linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 5.0]], is_non_singular=True)
    below = linalg.LinearOperatorFullMatrix([[[1.0, 2.0]], [[0.0, 1.0]]])
    diag = linalg.LinearOperatorDiag([2.0], is_non_singular=True)
    row = [linalg.LinearOperatorDiag([1.0, 2.0]), linalg.LinearOperatorFullMatrix([[3.0], [4.0]])]
    kind = linalg.LinearOperatorBlockLowerTriangular
    return {
        "two": _everything(tf, np, kind([[full], [below, diag]])),
        "three": _everything(tf, np, kind([[full], [below, diag], [*row, full]])),
        "one": _everything(tf, np, kind([[full]])),
        "checked": _check(tf, kind([[full], [below, diag]]), "assert_non_singular"),
    }


def low_rank_update(tf, np):
    linalg = tf.linalg
    diag = linalg.LinearOperatorDiag([1.0, 2.0, 3.0], is_positive_definite=True)
    full = linalg.LinearOperatorFullMatrix(np.array([[4, 1 + 1j], [2, 3j]]))
    u, v = np.array([[1.0], [2], [0]], "f"), np.array([[0.5], [1], [1]], "f")
    kind = linalg.LinearOperatorLowRankUpdate
    positive = kind(diag, u, diag_update=[2.0], is_diag_update_positive=True)
    return {
        "plain": _everything(tf, np, kind(diag, u)),
        "positive": _everything(tf, np, positive),
        "negative": _everything(tf, np, kind(diag, u, diag_update=[-3.0])),
        "two factors": _everything(tf, np, kind(diag, u, v=v)),
        "complex": _everything(tf, np, kind(full, np.array([[1j], [2]]), np.array([1 + 1j]))),
        "parts": [
            type(positive.base_operator).__name__, type(positive.diag_operator).__name__,
            positive.u, positive.v, positive.diag_update, positive.is_diag_update_positive,
        ],
        "checked": _check(tf, kind(diag, u), "assert_self_adjoint"),
    }  # fmt: skip


def householder(tf, np):
    kind = tf.linalg.LinearOperatorHouseholder
    return {
        "plain": _everything(tf, np, kind([1.0, -2.0, 4.0])),
        "batch": _everything(tf, np, kind(np.array([[1.0, 2.0], [3.0, 4.0]]))),
        "checked": _checked(tf, kind([1.0, 2.0])),
    }


def permutation(tf, np):
    kind = tf.linalg.LinearOperatorPermutation
    return {
        "plain": _everything(tf, np, kind([2, 0, 1])),
        "batch": _everything(tf, np, kind(np.array([[1, 0], [0, 1]], np.int32), dtype=tf.float64)),
        "checked": _check(tf, kind([1, 0]), "assert_non_singular"),
    }


def circulant(tf, np):
    kind = tf.linalg.LinearOperatorCirculant
    hermitian = np.array([6.0, 1 + 1j, 2, 1 - 1j], np.complex64)
    plain = kind(hermitian, input_output_dtype=tf.float32)
    return {
        "real": _everything(tf, np, kind([6.0, 1.0, 2.0], is_positive_definite=True)),
        "hermitian": _everything(tf, np, plain),
        "kernel": plain.convolution_kernel(),
        "block": [plain.block_depth, plain.block_shape, plain.block_shape_tensor(), plain.spectrum],
        "complex": _everything(tf, np, kind(np.array([6.0, 1 + 1j, 2j], np.complex64))),
        "checked": [_checked(tf, plain), _checked(tf, kind([1.0, 0.0]))],
    }


def circulant_blocks(tf, np):
    two, three = tf.linalg.LinearOperatorCirculant2D, tf.linalg.LinearOperatorCirculant3D
    spectrum = np.arange(1, 7).reshape(2, 3).astype("complex64") * (1 + 0.5j)
    return {
        "2D": _everything(tf, np, two(spectrum)),
        "2D batch": two(tf.ones([2, 1, 2]), tf.float64).matvec(np.ones(2)),
        "3D": _everything(tf, np, three(spectrum.reshape(1, 3, 2))),
        "block": [three(spectrum.reshape(1, 3, 2)).block_shape, two(spectrum).block_depth],
    }


def toeplitz(tf, np):
    kind = tf.linalg.LinearOperatorToeplitz
    row = np.array([1 + 1j, 2, 3j])
    return {
        "plain": _everything(tf, np, kind([1.0, 2.0, 3.0], [1.0, 5.0, 7.0])),
        "complex": _everything(tf, np, kind(row * 1j + [1 + 2j, 0, 0], row)),
        "batch": _everything(tf, np, kind(np.array([[1.0, 2], [3, 4]]), np.array([[1.0, 5]] * 2))),
        "checked": [
            _check(tf, kind([1.0, 2.0], [1.0, 2.0]), "assert_self_adjoint"),
            _check(tf, kind([1.0, 2.0], [1.0, 3.0]), "assert_self_adjoint"),
        ],
    }


def tridiag(tf, np):
    kind = tf.linalg.LinearOperatorTridiag
    rows = np.array([[1.0, 2, 9], [4, 5, 6], [8, 3, 2]])
    full = np.array([[4.0, 1, 0], [3, 5, 2], [0, 2, 6]])
    sequence = [tf.constant(row) for row in rows]
    return {
        "compact": _everything(tf, np, kind(rows), batch=False),
        "sequence": _everything(tf, np, kind(sequence, "sequence"), batch=False),
        "matrix": _everything(tf, np, kind(full, diagonals_format="matrix"), batch=False),
        "complex": _everything(tf, np, kind(rows + 1j * rows[::-1]), batch=False),
        "format": kind(rows).diagonals_format,
        "checked": [
            _check(tf, kind(rows), "assert_self_adjoint"),
            _check(tf, kind(full + full.T, "matrix"), "assert_self_adjoint"),
            _check(tf, kind([[1.0, 0], [2, 2], [0, 1]]), "assert_self_adjoint"),
        ],
    }
