"""Linear algebra: `tf.linalg`."""

from tapefacade._core.missing_names import missing_attribute as _missing_attribute
from tapefacade._linear.adjoint_inversion import (
    LinearOperatorAdjoint as LinearOperatorAdjoint,
    LinearOperatorInversion as LinearOperatorInversion,
)
from tapefacade._linear.block_diagonal import LinearOperatorBlockDiag as LinearOperatorBlockDiag
from tapefacade._linear.block_lower_triangular import (
    LinearOperatorBlockLowerTriangular as LinearOperatorBlockLowerTriangular,
)
from tapefacade._linear.circulant import (
    LinearOperatorCirculant as LinearOperatorCirculant,
    LinearOperatorCirculant2D as LinearOperatorCirculant2D,
    LinearOperatorCirculant3D as LinearOperatorCirculant3D,
)
from tapefacade._linear.composition import LinearOperatorComposition as LinearOperatorComposition
from tapefacade._linear.diagonal import LinearOperatorDiag as LinearOperatorDiag
from tapefacade._linear.full_matrix import LinearOperatorFullMatrix as LinearOperatorFullMatrix
from tapefacade._linear.householder import LinearOperatorHouseholder as LinearOperatorHouseholder
from tapefacade._linear.identity import (
    LinearOperatorIdentity as LinearOperatorIdentity,
    LinearOperatorScaledIdentity as LinearOperatorScaledIdentity,
)
from tapefacade._linear.kronecker import LinearOperatorKronecker as LinearOperatorKronecker
from tapefacade._linear.low_rank_update import (
    LinearOperatorLowRankUpdate as LinearOperatorLowRankUpdate,
)
from tapefacade._linear.lower_triangular import (
    LinearOperatorLowerTriangular as LinearOperatorLowerTriangular,
)
from tapefacade._linear.operator import LinearOperator as LinearOperator
from tapefacade._linear.permutation import LinearOperatorPermutation as LinearOperatorPermutation
from tapefacade._linear.toeplitz import LinearOperatorToeplitz as LinearOperatorToeplitz
from tapefacade._linear.tridiagonal import LinearOperatorTridiag as LinearOperatorTridiag
from tapefacade._linear.zeros import LinearOperatorZeros as LinearOperatorZeros
from tapefacade._ops.array.creation import eye as eye
from tapefacade._ops.array.shaping import matrix_transpose as matrix_transpose
from tapefacade._ops.linalg.diagonals import (
    band_part as band_part,
    diag as diag,
    diag_part as diag_part,
    set_diag as set_diag,
    tensor_diag as tensor_diag,
    tensor_diag_part as tensor_diag_part,
    trace as trace,
)
from tapefacade._ops.linalg.factorizations import (
    cholesky as cholesky,
    eig as eig,
    eigh as eigh,
    eigvals as eigvals,
    eigvalsh as eigvalsh,
    logdet as logdet,
    lu as lu,
    qr as qr,
    svd as svd,
)
from tapefacade._ops.linalg.matrix_functions import (
    logm as logm,
    lu_matrix_inverse as lu_matrix_inverse,
    lu_reconstruct as lu_reconstruct,
    sqrtm as sqrtm,
)
from tapefacade._ops.linalg.norms import (
    l2_normalize as l2_normalize,
    norm as norm,
    normalize as normalize,
)
from tapefacade._ops.linalg.products import (
    adjoint as adjoint,
    einsum as einsum,
    matmul as matmul,
    matvec as matvec,
    tensordot as tensordot,
)
from tapefacade._ops.linalg.solving import (
    banded_triangular_solve as banded_triangular_solve,
    cholesky_solve as cholesky_solve,
    det as det,
    expm as expm,
    inv as inv,
    lstsq as lstsq,
    lu_solve as lu_solve,
    matrix_rank as matrix_rank,
    pinv as pinv,
    slogdet as slogdet,
    solve as solve,
    triangular_solve as triangular_solve,
)
from tapefacade._ops.linalg.tridiagonal import (
    eigh_tridiagonal as eigh_tridiagonal,
    tridiagonal_matmul as tridiagonal_matmul,
    tridiagonal_solve as tridiagonal_solve,
)
from tapefacade._ops.math.clipping import global_norm as global_norm
from tapefacade._ops.math.cumulative import cross as cross
from tapefacade.linalg import experimental as experimental

__getattr__ = _missing_attribute(__name__)
