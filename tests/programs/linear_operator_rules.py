"""tf.linalg.LinearOperator...: products of operators, hints, errors, variables, functions."""

from programs.program import caught


def _known(operator):
    hints = ("is_square", "is_non_singular", "is_self_adjoint", "is_positive_definite")
    return [type(operator).__name__, *(getattr(operator, hint) for hint in hints), operator.shape]


def _kinds(tf, np):
    linalg = tf.linalg
    hints = {"is_self_adjoint": True, "is_positive_definite": True}
    return {
        "full": linalg.LinearOperatorFullMatrix([[4.0, 1.0], [1.0, 3.0]], **hints),
        "diag": linalg.LinearOperatorDiag([1.0, 2.0], is_non_singular=True),
        "definite": linalg.LinearOperatorDiag([1.0, 2.0], is_positive_definite=True),
        "tril": linalg.LinearOperatorLowerTriangular([[2.0, 0.0], [1.0, 3.0]]),
        "identity": linalg.LinearOperatorIdentity(2),
        "scaled": linalg.LinearOperatorScaledIdentity(2, 3.0, is_non_singular=True),
        "zeros": linalg.LinearOperatorZeros(2),
        "inverse": linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 5.0]]).inverse(),
        "blocks": linalg.LinearOperatorBlockDiag([linalg.LinearOperatorDiag([2.0])] * 2),
        "householder": linalg.LinearOperatorHouseholder([1.0, 2.0]),
    }


def products(tf, np):
    kinds = _kinds(tf, np)
    found = {}
    for left, one in kinds.items():
        for right, other in kinds.items():
            made = one @ other
            found[f"{left} {right}"] = [*_known(made), made.to_dense()]
    return found


def quotients(tf, np):
    kinds = _kinds(tf, np)
    del kinds["zeros"]
    found = {}
    for left, one in kinds.items():
        for right, other in kinds.items():
            made = one.solve(other)
            found[f"{left} {right}"] = [*_known(made), made.to_dense()]
    return found


def products_of_circulants(tf, np):
    one = tf.linalg.LinearOperatorCirculant([2.0, 1.0], input_output_dtype=tf.complex64)
    two = tf.linalg.LinearOperatorCirculant2D([[2.0, 1.0]])
    three = tf.linalg.LinearOperatorCirculant3D([[[2.0, 1.0]]], is_positive_definite=True)
    return {
        "one": [*_known(one @ one), (one @ one).to_dense(), _known(one.solve(one))],
        "two": [*_known(two @ two), _known(two.solve(two))],
        "three": [*_known(three @ three), (three @ three).to_dense()],
        "mixed": _known(one @ two),
        "adjoint dtype": [
            tf.linalg.LinearOperatorCirculant(
                np.array([1.0, 1j], np.complex64), input_output_dtype=tf.float32
            ).H.dtype,
            one.inverse().dtype,
        ],
    }


def turned_products(tf, np):
    full = tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 5.0]])
    diag = tf.linalg.LinearOperatorDiag([1.0, 2.0])
    return {
        "adjoint": full.matmul(diag, adjoint=True).to_dense(),
        "adjoint_arg": diag.matmul(full, adjoint_arg=True).to_dense(),
        "both": full.solve(full, adjoint=True, adjoint_arg=True).to_dense(),
        "names": [(full @ diag).name, (full @ diag @ full).name, full.H.name, full.inverse().name],
        "identity": [(full @ tf.linalg.LinearOperatorIdentity(2)) is full],
        "choleskies": [
            _known(o.cholesky())
            for o in (
                tf.linalg.LinearOperatorDiag([1.0, 4.0], is_positive_definite=True),
                tf.linalg.LinearOperatorIdentity(2),
                tf.linalg.LinearOperatorScaledIdentity(2, 4.0, is_positive_definite=True),
            )
        ],
    }


def incompatible(tf, np):
    linalg = tf.linalg
    full = linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 5.0]])
    wide = linalg.LinearOperatorFullMatrix([[1.0, 2.0, 3.0], [3.0, 5.0, 6.0]])
    one, three = linalg.LinearOperatorDiag([1.0]), linalg.LinearOperatorDiag([1.0, 2.0, 3.0])
    zeros = linalg.LinearOperatorZeros(3, 2, is_square=False, is_self_adjoint=False)
    blocks = linalg.LinearOperatorBlockDiag([one, three])
    diag = linalg.LinearOperatorDiag([1.0, 2.0, 3.0, 4.0])
    return {
        "matmul": caught(lambda: full @ three),
        "solve": caught(lambda: full.solve(three)),
        "solve wide": caught(lambda: wide.solve(full)),
        "zeros": caught(lambda: zeros @ full),
        "blocks": caught(lambda: blocks @ linalg.LinearOperatorBlockDiag([three, one])),
        "number of blocks": caught(lambda: blocks @ linalg.LinearOperatorBlockDiag([diag])),
        "shape": caught(lambda: full.matmul(tf.ones([3, 1]))),
        "vector": caught(lambda: full.matvec(tf.ones([3]))),
        "rhs": caught(lambda: full.solve(tf.ones([3, 1]))),
        "solvevec": caught(lambda: full.solvevec(tf.ones([3]))),
        "dtype": caught(lambda: full.matmul(np.ones((2, 1)))),
        "dtype of rhs": caught(lambda: full.solvevec(np.ones(2))),
        "eigvals": caught(full.eigvals),
        "cholesky": caught(full.cholesky),
        "wide determinant": caught(
            linalg.LinearOperatorFullMatrix([[1.0, 2.0]], is_square=False).determinant
        ),
        "inverse": caught(linalg.LinearOperatorFullMatrix([[1.0, 2.0]], is_square=False).inverse),
        "singular inverse": caught(
            linalg.LinearOperatorFullMatrix([[1.0]], is_non_singular=False).inverse
        ),
        "singular solve": caught(
            lambda: linalg.LinearOperatorFullMatrix([[1.0]], is_non_singular=False).solve([[1.0]])
        ),
        "singular": caught(
            lambda: linalg.LinearOperatorFullMatrix([[1.0, 2.0], [2.0, 4.0]]).solve([[1.0], [1.0]])
        ),
        "is_square": caught(
            lambda: linalg.LinearOperatorFullMatrix([[1.0]], is_square=False).is_square
        ),
    }


def wrong_arguments(tf, np):
    linalg = tf.linalg
    one, two = linalg.LinearOperatorDiag([1.0]), linalg.LinearOperatorDiag(np.ones(2))
    full = linalg.LinearOperatorFullMatrix([[1.0]], is_self_adjoint=False, is_non_singular=False)
    wide = linalg.LinearOperatorFullMatrix([[1.0, 2.0]])
    sure = linalg.LinearOperatorDiag([1.0], is_positive_definite=True)
    tril, lower = linalg.LinearOperatorLowerTriangular, linalg.LinearOperatorBlockLowerTriangular
    low_rank = linalg.LinearOperatorLowRankUpdate
    made = {
        "diag": lambda: linalg.LinearOperatorDiag(1.0),
        "diag self adjoint": lambda: linalg.LinearOperatorDiag([1.0], is_self_adjoint=False),
        "diag square": lambda: linalg.LinearOperatorDiag([1.0], is_square=False),
        "definite": lambda: linalg.LinearOperatorDiag(
            [1.0], is_positive_definite=True, is_non_singular=False
        ),
        "full": lambda: linalg.LinearOperatorFullMatrix([1.0]),
        "full dtype": lambda: linalg.LinearOperatorFullMatrix([[1]]),
        "full square": lambda: linalg.LinearOperatorFullMatrix(
            [[1.0]], is_square=False, is_self_adjoint=True
        ),
        "full non-singular": lambda: linalg.LinearOperatorFullMatrix(
            [[1.0]], is_square=False, is_non_singular=True
        ),
        "tril": lambda: tril([1.0]),
        "tril square": lambda: tril([[1.0]], is_square=False),
        "identity rows": lambda: linalg.LinearOperatorIdentity(2.0),
        "identity negative": lambda: linalg.LinearOperatorIdentity(-2),
        "identity vector": lambda: linalg.LinearOperatorIdentity([2]),
        "identity batch": lambda: linalg.LinearOperatorIdentity(2, batch_shape=2),
        "identity batch dtype": lambda: linalg.LinearOperatorIdentity(2, batch_shape=[2.0]),
        "identity batch negative": lambda: linalg.LinearOperatorIdentity(2, batch_shape=[-2]),
        "identity self adjoint": lambda: linalg.LinearOperatorIdentity(2, is_self_adjoint=False),
        "identity singular": lambda: linalg.LinearOperatorIdentity(2, is_non_singular=False),
        "identity definite": lambda: linalg.LinearOperatorIdentity(2, is_positive_definite=None),
        "identity square": lambda: linalg.LinearOperatorIdentity(2, is_square=False),
        "scaled": lambda: linalg.LinearOperatorScaledIdentity(2, 1.0, is_self_adjoint=False),
        "scaled square": lambda: linalg.LinearOperatorScaledIdentity(2, 1.0, is_square=False),
        "zeros": lambda: linalg.LinearOperatorZeros(2, 3),
        "zeros singular": lambda: linalg.LinearOperatorZeros(2, is_non_singular=True),
        "zeros definite": lambda: linalg.LinearOperatorZeros(2, is_positive_definite=True),
        "zeros self adjoint": lambda: linalg.LinearOperatorZeros(2, is_self_adjoint=False),
        "zeros columns": lambda: linalg.LinearOperatorZeros(2, 2.0),
        "composition": lambda: linalg.LinearOperatorComposition([]),
        "composition shape": lambda: linalg.LinearOperatorComposition([one, wide, wide]).shape,
        "composition singular": lambda: linalg.LinearOperatorComposition(
            [sure], is_non_singular=False
        ),
        "composition self adjoint": lambda: linalg.LinearOperatorComposition(
            [one, one], is_self_adjoint=False
        ),
        "kronecker": lambda: linalg.LinearOperatorKronecker([]),
        "kronecker dtypes": lambda: linalg.LinearOperatorKronecker([one, two]),
        "kronecker singular": lambda: linalg.LinearOperatorKronecker([sure], is_non_singular=False),
        "kronecker self adjoint": lambda: linalg.LinearOperatorKronecker(
            [one], is_self_adjoint=False
        ),
        "kronecker definite": lambda: linalg.LinearOperatorKronecker(
            [sure], is_positive_definite=False
        ),
        "blocks": lambda: linalg.LinearOperatorBlockDiag([]),
        "blocks singular": lambda: linalg.LinearOperatorBlockDiag([sure], is_non_singular=False),
        "blocks self adjoint": lambda: linalg.LinearOperatorBlockDiag([one], is_self_adjoint=False),
        "lower": lambda: lower([]),
        "lower rows": lambda: lower([[one], [one]]),
        "lower sizes": lambda: lower([[one], [wide, one]]),
        "lower heights": lambda: lower(
            [[one], [one, linalg.LinearOperatorDiag([1.0, 2.0])]]
        ),
        "lower wide": lambda: lower([[wide]], is_square=None).shape,
        "lower square": lambda: lower([[one]], is_square=False),
        "lower singular": lambda: lower([[sure]], is_non_singular=False),
        "lower non-singular": lambda: lower([[full]], is_non_singular=True),
        "low rank": lambda: low_rank(one, [[1.0]], is_diag_update_positive=False),
        "low rank self adjoint": lambda: low_rank(one, [[1.0]], is_self_adjoint=False),
        "low rank definite": lambda: low_rank(sure, [[1.0]], is_positive_definite=False),
        "low rank shape": lambda: low_rank(one, [[1.0], [2.0]]),
        "low rank diag": lambda: low_rank(one, [[1.0]], diag_update=[1.0, 2.0]),
        "low rank solve": lambda: low_rank(full, [[1.0]]).solve([[1.0]]),
        "householder": lambda: linalg.LinearOperatorHouseholder(1.0),
        "householder definite": lambda: linalg.LinearOperatorHouseholder(
            [1.0], is_positive_definite=True
        ),
        "householder self adjoint": lambda: linalg.LinearOperatorHouseholder(
            [1.0], is_self_adjoint=False
        ),
        "householder square": lambda: linalg.LinearOperatorHouseholder([1.0], is_square=False),
        "permutation": lambda: linalg.LinearOperatorPermutation([0, 0]),
        "permutation scalar": lambda: linalg.LinearOperatorPermutation(0),
        "permutation dtype": lambda: linalg.LinearOperatorPermutation([0.0]),
        "permutation singular": lambda: linalg.LinearOperatorPermutation(
            [0], is_non_singular=False
        ),
        "permutation square": lambda: linalg.LinearOperatorPermutation([0], is_square=False),
        "circulant": lambda: linalg.LinearOperatorCirculant(1.0),
        "circulant self adjoint": lambda: linalg.LinearOperatorCirculant(
            [1.0], is_self_adjoint=False
        ),
        "circulant square": lambda: linalg.LinearOperatorCirculant([1.0], is_square=False),
        "circulant 2D": lambda: linalg.LinearOperatorCirculant2D([1.0]),
        "toeplitz": lambda: linalg.LinearOperatorToeplitz(1.0, [1.0]),
        "toeplitz sizes": lambda: linalg.LinearOperatorToeplitz([1.0, 2.0], [1.0]),
        "toeplitz square": lambda: linalg.LinearOperatorToeplitz([1.0], [1.0], is_square=False),
        "tridiag": lambda: linalg.LinearOperatorTridiag([[1.0]], "x"),
        "inversion": lambda: linalg.LinearOperatorInversion(full),
        "inversion square": lambda: linalg.LinearOperatorInversion(one, is_square=False),
        "inversion hint": lambda: linalg.LinearOperatorInversion(sure, is_positive_definite=False),
        "adjoint hint": lambda: linalg.LinearOperatorAdjoint(full, is_self_adjoint=True),
        "adjoint square": lambda: linalg.LinearOperatorAdjoint(one, is_square=False),
    }  # fmt: skip
    found = {}
    for label, make in made.items():
        result = caught(make)
        found[label] = type(result).__name__ if hasattr(result, "to_dense") else result
    return found


def dtypes_of_parts(tf, np):
    one, two = tf.linalg.LinearOperatorDiag([1.0]), tf.linalg.LinearOperatorDiag(np.ones(2))
    found = {}
    for kind in ("Composition", "BlockDiag"):
        make = getattr(tf.linalg, f"LinearOperator{kind}")
        found[kind] = type(caught(lambda make=make: make([one, two]))).__name__
    return found


def variables(tf, np):
    """An operator on a variable sees what is assigned to it later."""
    v, w = tf.Variable([1.0, 2.0], name="v"), tf.Variable(3.0, trainable=False, name="w")
    diag, scaled = tf.linalg.LinearOperatorDiag(v), tf.linalg.LinearOperatorScaledIdentity(2, w)
    product = tf.linalg.LinearOperatorKronecker([diag, scaled])
    before = product.to_dense()
    v.assign([3.0, 4.0])
    w.assign(1.0)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(product.matvec([1.0, 2.0, 3.0, 4.0])) + diag.log_abs_determinant()
    return {
        "before": before,
        "after": [product.to_dense(), diag.diag.read_value(), diag.determinant()],
        "variables": [u.name for u in product.variables],
        "trainable": [u.name for u in product.trainable_variables],
        "non_trainable": [u.name for u in product.non_trainable_variables],
        "submodules": [type(o).__name__ for o in product.submodules],
        "gradient": tape.gradient(y, product.trainable_variables),
        "refused": caught(lambda: tf.linalg.LinearOperatorIdentity(tf.Variable(2))),
        "none": tf.linalg.LinearOperatorDiag([1.0]).variables,
    }


def functions(tf, np):
    linalg = tf.linalg
    full = linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 5.0]])
    hints = {"is_self_adjoint": True, "is_positive_definite": True}
    definite = linalg.LinearOperatorFullMatrix([[4.0, 1.0], [1.0, 3.0]], **hints)
    x = tf.constant([[1.0, 2.0], [0.0, 1.0]])
    return {
        "matmul": [tf.matmul(full, x), linalg.matmul(x, full), x @ full, full @ x],
        "adjoints": [
            tf.matmul(full, x, adjoint_a=True),
            tf.matmul(x, full, adjoint_b=True),
            tf.matmul(full, x, adjoint_b=True),
        ],
        "operators": type(tf.matmul(full, full)).__name__,
        "transpose": caught(lambda: tf.matmul(full, x, transpose_a=True)),
        "sparse": caught(lambda: tf.matmul(full, x, a_is_sparse=True)),
        "matvec": linalg.matvec(full, [1.0, 2.0]),
        "solve": [linalg.solve(full, x), linalg.solve(full, x, adjoint=True)],
        "solve tensor": caught(lambda: linalg.solve(x, full)),
        "adjoint": linalg.adjoint(full).to_dense(),
        "inv": [linalg.inv(full).to_dense(), linalg.inv(full, adjoint=True).to_dense()],
        "numbers": [linalg.det(full), linalg.trace(full), linalg.diag_part(full)],
        "logdet": [linalg.logdet(definite), caught(lambda: linalg.logdet(full))],
        "cholesky": [linalg.cholesky(definite).to_dense(), caught(lambda: linalg.cholesky(full))],
        "no sum": caught(lambda: full + full),
    }


def blocks(tf, np):
    linalg = tf.linalg
    full = linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 5.0]])
    diag = linalg.LinearOperatorDiag([1.0, 2.0, 4.0])
    below = linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0], [0.0, 1.0]])
    lower = linalg.LinearOperatorBlockLowerTriangular([[full], [below, diag]])
    both = linalg.LinearOperatorBlockDiag([full, diag])
    one, two = tf.constant([[1.0], [2.0]]), tf.constant([[1.0], [2.0], [3.0]])
    found = {}
    for label, operator in (("diag", both), ("lower", lower)):
        found[label] = [
            operator.matmul([one, two]),
            operator.matmul([one, two], adjoint=True),
            operator.matmul([tf.transpose(one), tf.transpose(two)], adjoint_arg=True),
            operator.matvec([one[:, 0], two[:, 0]]),
            operator.solve([one, two]),
            operator.solve([one, two], adjoint=True),
            operator.solvevec([one[:, 0], two[:, 0]]),
            operator.matvec([1.0, 2.0, 3.0, 4.0, 5.0]),
            operator.matvec([[1.0, 2.0], [3.0, 4.0, 5.0]]),
            caught(lambda operator=operator: operator.matmul([two, one])),
        ]
    return found


def slices(tf, np):
    linalg = tf.linalg
    stacked = linalg.LinearOperatorDiag(np.arange(1.0, 13).reshape(2, 3, 2))
    full = linalg.LinearOperatorFullMatrix(np.arange(12.0).reshape(3, 2, 2))
    low_rank = linalg.LinearOperatorLowRankUpdate(
        linalg.LinearOperatorDiag(np.ones((3, 2))), np.ones((2, 1))
    )
    kronecker = linalg.LinearOperatorKronecker([full, linalg.LinearOperatorDiag(np.ones(2))])
    return {
        "diag": [stacked[0].to_dense(), stacked[1, 2].to_dense(), stacked[:, 1:].shape],
        "ellipsis": [stacked[..., 0].shape, stacked[...].shape, stacked[tf.newaxis].shape],
        "step": stacked[::-1, ::2].diag_part(),
        "full": [full[1].to_dense(), full[1:].shape, full.H[0].to_dense()],
        "low rank": [low_rank[0].to_dense(), low_rank[1:].shape],
        "kronecker": kronecker[2].to_dense(),
        "composition": (full @ full)[1].to_dense(),
        "identity": linalg.LinearOperatorIdentity(2, batch_shape=[3, 4])[0].shape,
        "name": [type(stacked[0]).__name__, stacked[0].name],
    }


def subclass(tf, np):
    class Twice(tf.linalg.LinearOperator):
        def __init__(self):
            super().__init__(dtype=tf.float32, is_self_adjoint=True, is_positive_definite=True)

        def _shape(self):
            return tf.TensorShape([2, 2])

        def _matmul(self, x, adjoint=False, adjoint_arg=False):
            return 2.0 * (tf.linalg.adjoint(x) if adjoint_arg else x)

    operator = Twice()
    return {
        "known": [operator.name, operator.is_square, operator.is_non_singular, operator.shape],
        "dense": operator.to_dense(),
        "solve": operator.solvevec([2.0, 4.0]),
        "numbers": [operator.determinant(), operator.log_abs_determinant(), operator.cond()],
        "cholesky": operator.cholesky().to_dense(),
        "eigvals": operator.eigvals(),
        "product": [(operator @ operator).to_dense(), (operator @ operator).name],
        "parameters": caught(lambda: operator.parameters),
        "abstract": caught(lambda: tf.linalg.LinearOperator(tf.float32)).name,
    }


def sizes(tf, np):
    operator = tf.linalg.LinearOperatorFullMatrix(np.ones((4, 2, 3), np.float32))
    flat = tf.nest.flatten(operator, expand_composites=True)
    return {
        "shape": [operator.shape, operator.batch_shape, operator.tensor_rank],
        "dimensions": [str(operator.domain_dimension), str(operator.range_dimension)],
        "tensors": [
            operator.shape_tensor(), operator.batch_shape_tensor(), operator.tensor_rank_tensor(),
            operator.domain_dimension_tensor(), operator.range_dimension_tensor(),
        ],
        "square": operator.is_square,
        "parameters": {k: v for k, v in operator.parameters.items() if k != "matrix"},
        "repr": repr(operator),
        "nested": [len(tf.nest.flatten(operator)), flat[0].shape],
    }  # fmt: skip


def gradients_of_operators(tf, np):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        operator = tf.linalg.LinearOperatorDiag(x)
        y = tf.reduce_sum(operator.matvec([3.0, 4.0]))
    gradient = tape.gradient(y, operator)
    return [type(gradient).__name__, gradient.diag]


def conjugate_gradient(tf, np):
    solve = tf.linalg.experimental.conjugate_gradient
    hints = {"is_self_adjoint": True, "is_positive_definite": True}
    matrix = np.array([[4.0, 1.0], [1.0, 3.0]])
    operator = tf.linalg.LinearOperatorFullMatrix(matrix, **hints)
    rhs = tf.constant([1.0, 2.0], tf.float64)
    inverse = tf.linalg.LinearOperatorDiag(np.array([0.25, 1 / 3]))
    m = tf.constant(matrix)
    with tf.GradientTape() as tape:
        tape.watch([m, rhs])
        x = solve(tf.linalg.LinearOperatorFullMatrix(m, **hints), rhs).x
    return {
        "plain": solve(operator, rhs).x,
        "steps": solve(operator, rhs).i,
        "one step": list(solve(operator, rhs, max_iter=1)),
        "no step": list(solve(operator, rhs, tol=10.0)),
        "start": solve(operator, rhs, x=tf.constant([1.0, 1.0], tf.float64)).x,
        "batch": solve(operator, tf.stack([rhs, 2 * rhs])).x,
        "preconditioned": list(solve(operator, rhs, inverse, max_iter=1)),
        "fields": type(solve(operator, rhs)).__name__,
        "gradient": tape.gradient(x, [m, rhs]),
        "hints": caught(lambda: solve(tf.linalg.LinearOperatorFullMatrix(matrix), rhs)),
        "dtype": caught(lambda: solve(operator, tf.constant([1.0, 2.0]))),
        "shape": caught(lambda: solve(operator, tf.ones([3], tf.float64))),
    }
