"""Names of older versions: `tf.compat.v1.linalg`."""

from tapefacade._compat.v1_names import older_functions as _older_functions
from tapefacade._core.lazy_names import aliases as _aliases
from tapefacade.compat.v1.linalg import experimental as experimental

_SAME = """
LinearOperator LinearOperatorAdjoint LinearOperatorBlockDiag LinearOperatorBlockLowerTriangular
LinearOperatorCirculant LinearOperatorCirculant2D LinearOperatorCirculant3D
LinearOperatorComposition LinearOperatorDiag LinearOperatorFullMatrix LinearOperatorHouseholder
LinearOperatorIdentity LinearOperatorInversion LinearOperatorKronecker LinearOperatorLowRankUpdate
LinearOperatorLowerTriangular LinearOperatorPermutation LinearOperatorScaledIdentity
LinearOperatorToeplitz LinearOperatorTridiag LinearOperatorZeros adjoint band_part cholesky
cholesky_solve cross det diag diag_part eigh eigh_tridiagonal eigvalsh einsum expm eye global_norm
inv l2_normalize logdet logm lstsq lu lu_matrix_inverse lu_reconstruct lu_solve matmul matrix_rank
matrix_transpose matvec normalize pinv qr set_diag slogdet solve sqrtm svd tensor_diag
tensor_diag_part tensordot trace triangular_solve tridiagonal_matmul tridiagonal_solve
"""
_RENAMED = {
    "transpose": "linalg.matrix_transpose",
}

__getattr__, __dir__ = _aliases(__name__, _SAME, _RENAMED, _older_functions("linalg"))
