"""Initializers of TensorFlow 1, which keep a dtype and draw by `tf.random.set_seed`."""

import math
from typing import Any, ClassVar

import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.conversion import constant
from tapefacade._core.tensor import EagerTensor
from tapefacade._core.tensor_shape import as_shape
from tapefacade._definition.op import function
from tapefacade._ops.array.creation import eye, ones, zeros
from tapefacade._ops.array.initializers import Initializer, floating
from tapefacade._ops.array.shaping import matrix_transpose, reshape
from tapefacade._ops.linalg.diagonals import diag_part
from tapefacade._ops.linalg.factorizations import qr
from tapefacade._ops.math.elementary import sign
from tapefacade._ops.random.stateful import normal, truncated_normal, uniform

# The standard deviation of normal numbers between -2 and 2.
STDDEV_OF_TRUNCATED = 0.87962566103423978
MODES = ("fan_in", "fan_out", "fan_avg")
DISTRIBUTIONS = ("normal", "uniform", "truncated_normal", "untruncated_normal")

MESSAGE_AXES = (
    "The tensor to initialize, specified by argument `shape` must be at least two-dimensional. "
    "Received shape={}"
)


class OlderInitializer(Initializer):
    """The base of initializers that were made with the dtype to use if a call names none.

    Attributes:
        CONFIGURED: the names of the attributes that `get_config` returns, beside the dtype.
    """

    CONFIGURED: ClassVar[tuple[str, ...]] = ()

    def __init__(self, dtype: dtypes.DType) -> None:
        self.dtype = dtype

    def __call__(
        self, shape: Any, dtype: Any = None, partition_info: Any = None, **kwargs: Any
    ) -> EagerTensor:
        """Makes the tensor.

        Args:
            shape: its shape.
            dtype: its dtype, by default that of the initializer.
            partition_info: of what this is a part: its `full_shape` is that of the whole.
            **kwargs: options of the class.
        """
        sizes = [int(size or 0) for size in as_shape(shape).as_list()]
        whole = sizes if partition_info is None else list(map(int, partition_info.full_shape))
        return self._made(sizes, self.dtype if dtype is None else dtype, whole, **kwargs)

    def _made(self, sizes: list[int], dtype: Any, whole: list[int]) -> EagerTensor:
        raise NotImplementedError

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments the initializer was made with."""
        return {**{name: getattr(self, name) for name in self.CONFIGURED}, "dtype": self.dtype.name}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """Makes an initializer of what `get_config` returned."""
        return cls(**config)


@function("compat.v1.zeros_initializer", "compat.v1.initializers.zeros")
class Zeros(OlderInitializer):
    """Makes zeros.

    Args:
        dtype: the dtype, if a call names none.

    >>> tf.compat.v1.zeros_initializer(tf.int32)([2]).numpy()
    array([0, 0], dtype=int32)
    """

    def __init__(self, dtype: Any = dtypes.float32) -> None:
        super().__init__(dtypes.as_dtype(dtype))

    def _made(self, sizes: list[int], dtype: Any, whole: list[int]) -> EagerTensor:
        return zeros(sizes, dtype)


@function("compat.v1.ones_initializer", "compat.v1.initializers.ones")
class Ones(OlderInitializer):
    """Makes ones.

    Args:
        dtype: the dtype, if a call names none.

    >>> tf.compat.v1.ones_initializer()([2]).numpy()
    array([1., 1.], dtype=float32)
    """

    def __init__(self, dtype: Any = dtypes.float32) -> None:
        super().__init__(dtypes.as_dtype(dtype))

    def _made(self, sizes: list[int], dtype: Any, whole: list[int]) -> EagerTensor:
        return ones(sizes, dtype)


@function("compat.v1.constant_initializer", "compat.v1.initializers.constant")
class Constant(OlderInitializer):
    """Makes tensors with given values.

    Args:
        value: a number for all elements, or a list or array with as many as the tensor has.
        dtype: the dtype, if a call names none.
        verify_shape: whether `value` has to have the shape that is asked for.

    Raises:
        TypeError: if `value` is of another kind, or does not fit.

    >>> tf.compat.v1.constant_initializer([1, 2, 3, 4])([2, 2]).numpy().tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """

    CONFIGURED = ("value",)

    def __init__(
        self, value: Any = 0, dtype: Any = dtypes.float32, verify_shape: bool = False
    ) -> None:
        super().__init__(dtypes.as_dtype(dtype))
        if not (np.isscalar(value) or isinstance(value, list | tuple | np.ndarray)):
            raise TypeError(
                f"Invalid type for initial value={value} of type: {type(value).__name__}. Expected "
                "Python scalar, list or tuple of values, or numpy.ndarray."
            )
        self.value = value
        self._verify_shape = verify_shape

    def _made(
        self, sizes: list[int], dtype: Any, whole: list[int], verify_shape: bool | None = None
    ) -> EagerTensor:
        if self._verify_shape if verify_shape is None else verify_shape:
            made = constant(self.value, dtype)
            if made.shape != sizes:
                raise TypeError(
                    f"Expected Tensor {made} (converted from {self.value}) with shape "
                    f"{tuple(sizes)}, but got shape {tuple(made.shape)}."
                )
        return constant(self.value, dtype, sizes)


@function("compat.v1.random_uniform_initializer", "compat.v1.initializers.random_uniform")
class RandomUniform(OlderInitializer):
    """Draws uniformly distributed numbers.

    Args:
        minval: the lower limit, which is included.
        maxval: the upper limit, which is excluded; by default 1 for floating dtypes.
        seed: an integer or None, see `tf.random.set_seed`.
        dtype: the dtype, if a call names none.

    >>> tf.compat.v1.random_uniform_initializer(0.0, 2.0)([2, 3]).shape
    TensorShape([2, 3])
    """

    CONFIGURED = ("minval", "maxval", "seed")

    def __init__(
        self, minval: Any = 0.0, maxval: Any = None, seed: int | None = None,
        dtype: Any = dtypes.float32,
    ) -> None:  # fmt: skip
        super().__init__(dtypes.as_dtype(dtype))
        self.minval, self.maxval, self.seed = minval, maxval, seed

    def _made(self, sizes: list[int], dtype: Any, whole: list[int]) -> EagerTensor:
        return uniform(sizes, self.minval, self.maxval, dtype, self.seed)


@function("compat.v1.random_normal_initializer", "compat.v1.initializers.random_normal")
class RandomNormal(OlderInitializer):
    """Draws normal numbers.

    Args:
        mean: the mean.
        stddev: the standard deviation.
        seed: an integer or None, see `tf.random.set_seed`.
        dtype: the dtype, if a call names none; a floating one.

    >>> tf.compat.v1.random_normal_initializer()([2, 3]).shape
    TensorShape([2, 3])
    """

    CONFIGURED = ("mean", "stddev", "seed")

    def __init__(
        self, mean: Any = 0.0, stddev: Any = 1.0, seed: int | None = None,
        dtype: Any = dtypes.float32,
    ) -> None:  # fmt: skip
        super().__init__(floating(dtype))
        self.mean, self.stddev, self.seed = mean, stddev, seed

    def _made(self, sizes: list[int], dtype: Any, whole: list[int]) -> EagerTensor:
        return normal(sizes, self.mean, self.stddev, dtype, self.seed)


@function("compat.v1.truncated_normal_initializer", "compat.v1.initializers.truncated_normal")
class OlderTruncatedNormal(RandomNormal):
    """Draws normal numbers within two standard deviations of the mean.

    Args:
        mean: the mean.
        stddev: the standard deviation before numbers are left out.
        seed: an integer or None, see `tf.random.set_seed`.
        dtype: the dtype, if a call names none; a floating one.

    >>> float(tf.reduce_max(tf.compat.v1.truncated_normal_initializer()([9]))) <= 2.0
    True
    """

    def _made(self, sizes: list[int], dtype: Any, whole: list[int]) -> EagerTensor:
        return truncated_normal(sizes, self.mean, self.stddev, dtype, self.seed)


OlderTruncatedNormal.__name__ = OlderTruncatedNormal.__qualname__ = "TruncatedNormal"
TruncatedNormal = OlderTruncatedNormal


@function(
    "compat.v1.uniform_unit_scaling_initializer", "compat.v1.initializers.uniform_unit_scaling"
)
class UniformUnitScaling(OlderInitializer):
    """Draws uniformly distributed numbers that keep the scale of what they are multiplied with.

    Args:
        factor: what the limits are multiplied by.
        seed: an integer or None, see `tf.random.set_seed`.
        dtype: the dtype, if a call names none; a floating one.

    >>> tf.compat.v1.uniform_unit_scaling_initializer()([2, 3]).shape
    TensorShape([2, 3])
    """

    CONFIGURED = ("factor", "seed")

    def __init__(
        self, factor: float = 1.0, seed: int | None = None, dtype: Any = dtypes.float32
    ) -> None:
        super().__init__(floating(dtype))
        self.factor, self.seed = factor, seed

    def _made(self, sizes: list[int], dtype: Any, whole: list[int]) -> EagerTensor:
        limit = math.sqrt(3 / max(math.prod(whole[:-1]), 1.0)) * self.factor
        return uniform(sizes, -limit, limit, dtype, self.seed)


@function("compat.v1.variance_scaling_initializer", "compat.v1.initializers.variance_scaling")
class VarianceScaling(OlderInitializer):
    """Draws numbers whose variance depends on the shape.

    Args:
        scale: the variance times the number that `mode` says.
        mode: "fan_in" for the number of inputs, "fan_out" for that of outputs, "fan_avg" for their
            mean.
        distribution: "truncated_normal" or, the same, "normal"; "untruncated_normal", "uniform".
        seed: an integer or None, see `tf.random.set_seed`.
        dtype: the dtype, if a call names none; a floating one.

    Raises:
        ValueError: if an argument is none of these.

    >>> tf.compat.v1.variance_scaling_initializer(2.0)([2, 3]).shape
    TensorShape([2, 3])
    """

    CONFIGURED = ("scale", "mode", "distribution", "seed")

    def __init__(
        self, scale: float = 1.0, mode: str = "fan_in", distribution: str = "truncated_normal",
        seed: int | None = None, dtype: Any = dtypes.float32,
    ) -> None:  # fmt: skip
        if scale <= 0:
            raise ValueError(f"Argument `scale` must be a positive float. Received: {scale}")
        if mode not in MODES:
            raise ValueError(f"Argument `mode` should be one of {MODES}. Received: {mode}")
        distribution = distribution.lower()
        if distribution not in DISTRIBUTIONS:
            raise ValueError(
                "Argument `distribution` should be one of ('normal', uniform', "
                f"'truncated_normal', 'untruncated_normal'). Received: {distribution}"
            )
        super().__init__(floating(dtype))
        self.scale, self.mode, self.distribution, self.seed = scale, mode, distribution, seed

    def _made(self, sizes: list[int], dtype: Any, whole: list[int]) -> EagerTensor:
        variance = self.scale / max(1.0, _fans(whole)[MODES.index(self.mode)])
        if self.distribution == "uniform":
            limit = math.sqrt(3.0 * variance)
            return uniform(sizes, -limit, limit, dtype, self.seed)
        if self.distribution == "untruncated_normal":
            return normal(sizes, 0.0, math.sqrt(variance), dtype, self.seed)
        stddev = math.sqrt(variance) / STDDEV_OF_TRUNCATED
        return truncated_normal(sizes, 0.0, stddev, dtype, self.seed)


def _fans(sizes: list[int]) -> tuple[float, float, float]:
    """Returns the numbers of inputs and outputs of weights, and their mean."""
    if len(sizes) < 2:
        inputs = outputs = sizes[0] if sizes else 1
    else:
        window = math.prod(sizes[:-2])
        inputs, outputs = sizes[-2] * window, sizes[-1] * window
    return inputs, outputs, (inputs + outputs) / 2


class _Glorot(VarianceScaling):
    CONFIGURED = ("seed",)
    DISTRIBUTION: ClassVar[str]

    def __init__(self, seed: int | None = None, dtype: Any = dtypes.float32) -> None:
        super().__init__(1.0, "fan_avg", self.DISTRIBUTION, seed, dtype)


@function("compat.v1.glorot_uniform_initializer", "compat.v1.initializers.glorot_uniform")
class GlorotUniform(_Glorot):
    """Draws uniform numbers between plus and minus the root of 6 / (inputs + outputs).

    Args:
        seed: an integer or None, see `tf.random.set_seed`.
        dtype: the dtype, if a call names none; a floating one.

    >>> tf.compat.v1.glorot_uniform_initializer()([2, 3]).shape
    TensorShape([2, 3])
    """

    DISTRIBUTION = "uniform"


@function("compat.v1.glorot_normal_initializer", "compat.v1.initializers.glorot_normal")
class GlorotNormal(_Glorot):
    """Draws truncated normal numbers with the variance 2 / (inputs + outputs).

    Args:
        seed: an integer or None, see `tf.random.set_seed`.
        dtype: the dtype, if a call names none; a floating one.

    >>> tf.compat.v1.glorot_normal_initializer()([2, 3]).shape
    TensorShape([2, 3])
    """

    DISTRIBUTION = "truncated_normal"


@function("compat.v1.orthogonal_initializer", "compat.v1.initializers.orthogonal")
class Orthogonal(OlderInitializer):
    """Draws a matrix with orthogonal columns, or rows if there are fewer of these.

    Args:
        gain: what it is multiplied by.
        seed: an integer or None, see `tf.random.set_seed`.
        dtype: the dtype, if a call names none; a floating one.

    >>> tf.compat.v1.orthogonal_initializer()([2, 3]).shape
    TensorShape([2, 3])
    """

    CONFIGURED = ("gain", "seed")

    def __init__(
        self, gain: float = 1.0, seed: int | None = None, dtype: Any = dtypes.float32
    ) -> None:
        super().__init__(floating(dtype))
        self.gain, self.seed = gain, seed

    def _made(self, sizes: list[int], dtype: Any, whole: list[int]) -> EagerTensor:
        if len(sizes) < 2:
            raise ValueError(MESSAGE_AXES.format(sizes))
        rows, columns = math.prod(sizes[:-1]), sizes[-1]
        flat = (max(rows, columns), min(rows, columns))
        q, r = qr(normal(flat, dtype=dtype, seed=self.seed))
        q *= sign(diag_part(r))
        return self.gain * reshape(q if rows >= columns else matrix_transpose(q), sizes)


@function("compat.v1.initializers.identity")
class Identity(OlderInitializer):
    """Makes an identity matrix.

    Args:
        gain: what it is multiplied by.
        dtype: the dtype, if a call names none; a floating one.

    >>> tf.compat.v1.initializers.identity(2.0)([2, 2]).numpy().tolist()
    [[2.0, 0.0], [0.0, 2.0]]
    """

    CONFIGURED = ("gain",)

    def __init__(self, gain: float = 1.0, dtype: Any = dtypes.float32) -> None:
        super().__init__(floating(dtype))
        self.gain = gain

    def _made(self, sizes: list[int], dtype: Any, whole: list[int]) -> EagerTensor:
        if len(whole) != 2:
            raise ValueError(MESSAGE_AXES.format(sizes))
        if whole != sizes:
            raise ValueError(
                "A part of an identity matrix cannot be made: leave the partition out."
            )
        return self.gain * eye(*sizes, dtype=dtype)


def _scaled(name: str, scale: float, distribution: str) -> None:
    def made(seed: int | None = None) -> VarianceScaling:
        return VarianceScaling(scale, "fan_in", distribution, seed)

    made.__name__ = made.__qualname__ = name
    made.__doc__ = f"""Makes the initializer of the variance {scale} / inputs.

    Args:
        seed: an integer or None, see `tf.random.set_seed`.

    Returns:
        A `tf.compat.v1.variance_scaling_initializer`.

    >>> tf.compat.v1.initializers.{name}()([2, 3]).shape
    TensorShape([2, 3])
    """
    function(f"compat.v1.initializers.{name}")(made)


for _name, _scale, _distribution in (
    ("lecun_normal", 1.0, "truncated_normal"), ("lecun_uniform", 1.0, "uniform"),
    ("he_normal", 2.0, "truncated_normal"), ("he_uniform", 2.0, "uniform"),
):  # fmt: skip
    _scaled(_name, _scale, _distribution)
