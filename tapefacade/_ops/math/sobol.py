"""Points that fill a cube evenly: `tf.math.sobol_sample`."""

import importlib
from typing import Any

import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert_to_tensor
from tapefacade._core.error_texts import invalid, refused_type
from tapefacade._core.kernel_dtypes import FLOATS_WIDE
from tapefacade._core.tensor import EagerTensor, from_host
from tapefacade._definition.argument_checks import numpy_type
from tapefacade._definition.op import function

ERROR_SUFFIX = " [Op:SobolSample] name: "


def _number(name: str, value: Any) -> int:
    tensor = convert_to_tensor(value, dtypes.int32)
    if len(tensor.shape):
        raise invalid(f"{name} must be a scalar{ERROR_SUFFIX}")
    return int(tensor.numpy())


@function("math.sobol_sample")
def sobol_sample(
    dim: Any,
    num_results: Any,
    skip: Any = 0,
    dtype: Any = dtypes.float32,
    name: str | None = None,
) -> EagerTensor:
    """Computes points of the Sobol sequence, which fill the unit cube more evenly than random ones.

    The direction numbers are those of Joe and Kuo, Constructing Sobol sequences with better
    two-dimensional projections (2008).

    Args:
        dim: the number of dimensions.
        num_results: the number of points.
        skip: how many points are left out first; the origin always is.
        dtype: float32 or float64.
        name: ignored.

    Returns:
        A tensor of shape `[num_results, dim]`.

    Raises:
        InvalidArgumentError: if a number is out of range, or for another dtype.

    >>> tf.math.sobol_sample(2, 3).numpy()
    array([[0.5 , 0.5 ],
           [0.75, 0.25],
           [0.25, 0.75]], dtype=float32)
    """
    kind = dtypes.as_dtype(dtype).kernel_name
    if kind not in FLOATS_WIDE:
        raise refused_type("dtype", kind, FLOATS_WIDE)
    size, count, first = (
        _number(key, value)
        for key, value in (("dim", dim), ("num_results", num_results), ("skip", skip))
    )
    for key, value in (("dim", size), ("num_results", count)):
        if value < 1:
            raise invalid(f"{key} must be at least one{ERROR_SUFFIX}")
    if first < 0:
        raise invalid(f"skip must be non-negative{ERROR_SUFFIX}")
    # SciPy, which JAX depends on, has the table. It takes a second to import: only who asks pays.
    qmc: Any = importlib.import_module("scipy.stats.qmc")
    sequence = qmc.Sobol(size, scramble=False, bits=32).fast_forward(first + 1)
    return from_host(np.asarray(sequence.random(count)).astype(numpy_type(dtype)))
