"""Dawson's integral by rational approximations: not every JAX that is supported has it.

The coefficients are those of Cephes (S. L. Moshier, Methods and Programs for Mathematical Functions,
1989; https://www.netlib.org/cephes), which TensorFlow uses as well.
"""

import jax
import jax.numpy as jnp
import numpy as np

# The highest power first.
NEAR = (
    (1.13681498971755972054e-11, 8.49262267667473811108e-10, 1.94434204175553054283e-8,
     9.53151741254484363489e-7, 3.07828309874913200438e-6, 3.52513368520288738649e-4,
     -8.50149846724410912031e-4, 4.22618223005546594270e-2, -9.17480371773452345351e-2,
     9.99999999999999994612e-1),
    (2.40372073066762605484e-11, 1.48864681368493396752e-9, 5.21265281010541664570e-8,
     1.27258478273186970203e-6, 2.32490249820789513991e-5, 3.25524741826057911661e-4,
     3.48805814657162590916e-3, 2.79448531198828973716e-2, 1.58874241960120565368e-1,
     5.74918629489320327824e-1, 1.00000000000000000539e0),
)  # fmt: skip
MIDDLE = (
    (5.08955156417900903354e-1, -2.44754418142697847934e-1, 9.41512335303534411857e-2,
     -2.18711255142039025206e-2, 3.66207612329569181322e-3, -4.23209114460388756528e-4,
     3.59641304793896631888e-5, -2.14640351719968974225e-6, 9.10010780076391431042e-8,
     -2.40274520828250956942e-9, 3.59233385440928410398e-11),
    (1.0, -6.31839869873368190192e-1, 2.36706788228248691528e-1, -5.31806367003223277662e-2,
     8.48041718586295374409e-3, -9.47996768486665330168e-4, 7.81025592944552338085e-5,
     -4.55875153252442634831e-6, 1.89100358111421846170e-7, -4.91324691331920606875e-9,
     7.18466403235734541950e-11),
)  # fmt: skip
FAR = (
    (-5.90592860534773254987e-1, 6.29235242724368800674e-1, -1.72858975380388136411e-1,
     1.64837047825189632310e-2, -4.86827613020462700845e-4),
    (1.0, -2.69820057197544900361e0, 1.73270799045947845857e0, -3.93708582281939493482e-1,
     3.44278924041233391079e-2, -9.73655226040941223894e-4),
)  # fmt: skip
FIRST, SECOND = 3.25, 6.25  # where the next approximation begins


def dawson(x: jax.Array) -> jax.Array:
    """Computes Dawson's integral of each element, in float32 where `x` is of fewer bits."""
    if x.dtype not in (np.float32, np.float64):
        return dawson(x.astype(np.float32)).astype(x.dtype)
    size = jnp.abs(x)
    square = jnp.minimum(size, FIRST) ** 2
    near = size * _ratio(NEAR, square)
    inverse = 1 / jnp.maximum(size, FIRST) ** 2
    far = jnp.where(size < SECOND, _ratio(MIDDLE, inverse), _ratio(FAR, inverse))
    beyond = (1 + inverse * far) / (2 * jnp.maximum(size, FIRST))
    # Comparisons with NaN are false, and of 1 / infinity no more is left than 0.
    return jnp.sign(x) * jnp.where(size < FIRST, near, beyond)


def _ratio(coefficients: tuple, x: jax.Array) -> jax.Array:
    over, under = (np.array(c, x.dtype) for c in coefficients)
    return jnp.polyval(over, x) / jnp.polyval(under, x)
