"""`tensorflow.python.ops.random_ops`: draws that have no public name."""

from typing import Any

from tapefacade._core import dtypes
from tapefacade._core.missing_names import root_module


def parameterized_truncated_normal(
    shape: Any,
    means: Any = 0.0,
    stddevs: Any = 1.0,
    minvals: Any = -2.0,
    maxvals: Any = 2.0,
    dtype: Any = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Draws from normal distributions that are cut off.

    The numbers are not those that TensorFlow draws with the same seed.

    Args:
        shape: the shape of the result.
        means: the means.
        stddevs: the standard deviations.
        minvals: the least values.
        maxvals: the largest values.
        dtype: the dtype.
        seed: the seed.
        name: accepted for TensorFlow's sake.

    Returns:
        A tensor.
    """
    random = root_module().random
    pair = random.uniform([2], maxval=dtypes.int32.max, dtype=dtypes.int32, seed=seed)
    draw = random.stateless_parameterized_truncated_normal
    return draw(shape, pair, means, stddevs, minvals, maxvals)
