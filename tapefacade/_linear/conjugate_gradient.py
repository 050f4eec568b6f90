"""`tf.linalg.experimental.conjugate_gradient`."""

from typing import Any, NamedTuple

from tapefacade._core.conversion import convert_to_tensor
from tapefacade._definition.op import function
from tapefacade._linear.arguments import common_batch
from tapefacade._ops.array.casting import cast, conj
from tapefacade._ops.array.creation import zeros
from tapefacade._ops.array.shaping import broadcast_to
from tapefacade._ops.linalg.norms import norm
from tapefacade._ops.linalg.products import matvec
from tapefacade._ops.math.comparison import greater
from tapefacade._ops.math.reduction import reduce_any, reduce_sum


class CGState(NamedTuple):
    """Where the iteration is: its number, the solution, the residual, the direction, `r * q`."""

    i: Any
    x: Any
    r: Any
    p: Any
    gamma: Any


def _dot(x: Any, y: Any) -> Any:
    return reduce_sum(conj(x) * y, axis=-1)


@function("linalg.experimental.conjugate_gradient")
def conjugate_gradient(
    operator: Any,
    rhs: Any,
    preconditioner: Any = None,
    x: Any = None,
    tol: float = 1e-5,
    max_iter: int = 20,
    name: str = "conjugate_gradient",
) -> Any:
    """Solves systems of linear equations with products only (Hestenes and Stiefel, 1952).

    Beyond TensorFlow, `rhs` may be a NumPy array or a list.

    Args:
        operator: a linear operator that is known to be self-adjoint and positive definite.
        rhs: the right-hand sides, a tensor of shape `[..., N]`.
        preconditioner: a linear operator that resembles the inverse of `operator`.
        x: where to start, of the shape of `rhs`; zeros by default.
        tol: the iteration ends when the length of every residual is at most this times that of
            its right-hand side.
        max_iter: the greatest number of steps.
        name: ignored.

    Returns:
        A named tuple: the number of steps `i`, the solution `x`, the residual `r`, the direction
        `p` of the next step, and `gamma`, the product of the residual and the preconditioned
        residual.

    Raises:
        ValueError: if `operator` is not known to be self-adjoint and positive definite, or the
            shapes do not fit together.

    >>> matrix = tf.linalg.LinearOperatorDiag([1.0, 4.0], is_positive_definite=True)
    >>> tf.linalg.experimental.conjugate_gradient(matrix, tf.constant([1.0, 2.0])).x.numpy()
    array([1. , 0.5], dtype=float32)
    """
    if not (operator.is_self_adjoint and operator.is_positive_definite):
        raise ValueError("Expected a self-adjoint, positive definite operator.")
    rhs = convert_to_tensor(rhs)
    batches = [rhs.shape[:-1], operator.batch_shape]
    if preconditioner is not None:
        batches.append(preconditioner.batch_shape)
    shape = [*common_batch(batches), rhs.shape[-1]]
    residual = broadcast_to(rhs, shape)
    enough = cast(tol, rhs.dtype) * norm(residual, axis=-1)
    if x is None:
        x = zeros(shape, rhs.dtype)
    else:
        x = convert_to_tensor(x)
        residual = rhs - matvec(operator, x)

    def conditioned(residual: Any) -> Any:
        return residual if preconditioner is None else preconditioner.matvec(residual)

    direction = conditioned(residual)
    gamma = _dot(residual, direction)
    steps = 0
    while steps < max_iter and _exceeds(norm(residual, axis=-1), enough):
        image = matvec(operator, direction)
        length = gamma / _dot(direction, image)
        x = x + length[..., None] * direction
        residual = residual - length[..., None] * image
        ahead = conditioned(residual)
        after = _dot(residual, ahead)
        direction = ahead + (after / gamma)[..., None] * direction
        gamma = after
        steps += 1
    return CGState(convert_to_tensor(steps), x, residual, direction, gamma)


def _exceeds(sizes: Any, enough: Any) -> bool:
    return bool(reduce_any(greater(_magnitude(sizes), _magnitude(enough))).numpy())


def _magnitude(value: Any) -> Any:
    return cast(value, value.dtype.real_dtype)
