"""Classes that Keras 3 dropped, made when somebody asks for them."""

import functools
from typing import Any

import numpy as np

from tapefacade._keras.keras2.notices import notice, source
from tapefacade._ops.array.gathering import gather

CLASS_PATHS: dict[str, tuple[str, ...]] = {
    "layers": (
        "AbstractRNNCell", "LocallyConnected1D", "LocallyConnected2D", "ThresholdedReLU",
    ),
    "layers.experimental": ("RandomFourierFeatures",),
    "constraints": ("RadialConstraint", "radial_constraint"),
    "metrics": ("MeanTensor",),
}  # fmt: skip


def make(path: str, name: str) -> Any:
    """Returns a class of Keras 2.

    Args:
        path: the namespace it was in.
        name: its name.
    """
    notice(f"tf.keras.{path}.{name}", "a class of your own")
    return _MAKERS[name]()


@functools.cache
def _abstract_cell() -> type:
    class AbstractRNNCell(source("layers").Layer):
        """A cell of a recurrent layer, which says what its states are like."""

        def call(self, inputs: Any, states: Any) -> Any:
            """Takes one step."""
            raise NotImplementedError

        @property
        def state_size(self) -> Any:
            """The sizes of the states."""
            raise NotImplementedError

        @property
        def output_size(self) -> Any:
            """The size of the output."""
            raise NotImplementedError

        def get_initial_state(
            self, batch_size: Any = None, inputs: Any = None, dtype: Any = None
        ) -> list[Any]:
            """Returns zeros."""
            ops = source("ops")
            if inputs is not None:
                batch_size = ops.shape(inputs)[0]
            sizes = self.state_size
            sizes = sizes if isinstance(sizes, list | tuple) else [sizes]
            return [ops.zeros((batch_size, size), dtype or self.compute_dtype) for size in sizes]

    return AbstractRNNCell


@functools.cache
def _local(rank: int) -> type:
    initializers, layers = source("initializers"), source("layers")

    class LocallyConnected(layers.Layer):
        """A convolution with another kernel at each place, without padding."""

        def __init__(
            self, filters: int, kernel_size: Any, strides: Any = 1, padding: str = "valid",
            data_format: Any = None, activation: Any = None, use_bias: bool = True,
            kernel_initializer: Any = "glorot_uniform", bias_initializer: Any = "zeros",
            **kwargs: Any,
        ) -> None:  # fmt: skip
            super().__init__(**kwargs)
            if padding != "valid":
                raise ValueError(
                    "Invalid border mode for LocallyConnected: only `padding='valid'` is supported."
                )
            self.filters = filters
            self.kernel_size = _times(kernel_size, rank)
            self.strides = _times(strides, rank)
            self.data_format = data_format
            self.activation = source("activations").get(activation)
            self.use_bias = use_bias
            self.kernel_initializer = initializers.get(kernel_initializer)
            self.bias_initializer = initializers.get(bias_initializer)

        def _places(self, input_shape: Any) -> tuple[int, ...]:
            sizes = zip(input_shape[1:-1], self.kernel_size, self.strides, strict=True)
            return tuple((length - size) // stride + 1 for length, size, stride in sizes)

        def build(self, input_shape: Any) -> None:
            """Makes the kernels."""
            places = self._places(input_shape)
            window = int(np.prod(self.kernel_size)) * input_shape[-1]
            shape = (int(np.prod(places)), window, self.filters)
            self.kernel = self.add_weight(
                shape=shape, initializer=self.kernel_initializer, name="kernel"
            )
            self.bias = None
            if self.use_bias:
                self.bias = self.add_weight(
                    shape=(*places, self.filters), initializer=self.bias_initializer, name="bias"
                )

        def call(self, inputs: Any) -> Any:
            """Multiplies each window by its kernel."""
            ops, places = source("ops"), self._places(inputs.shape)
            windows = []
            for place in np.ndindex(*places):
                parts = tuple(
                    slice(i * stride, i * stride + size)
                    for i, stride, size in zip(place, self.strides, self.kernel_size, strict=True)
                )
                window = inputs[(slice(None), *parts)]
                windows.append(ops.reshape(window, (-1, self.kernel.shape[1])))
            result = ops.einsum("bpk,pko->bpo", ops.stack(windows, axis=1), self.kernel)
            result = ops.reshape(result, (-1, *places, self.filters))
            return self.activation(result if self.bias is None else result + self.bias)

        def compute_output_shape(self, input_shape: Any) -> tuple[Any, ...]:
            """Returns the shape of the output."""
            return (input_shape[0], *self._places(input_shape), self.filters)

    LocallyConnected.__name__ = f"LocallyConnected{rank}D"
    return LocallyConnected


def _times(value: Any, rank: int) -> tuple[int, ...]:
    return (value,) * rank if isinstance(value, int) else tuple(value)


@functools.cache
def _thresholded() -> type:
    class ThresholdedReLU(source("layers").Layer):
        """Keeps what is greater than a number, and makes the rest zero."""

        def __init__(self, theta: float = 1.0, **kwargs: Any) -> None:
            super().__init__(**kwargs)
            if theta is None or theta < 0:
                raise ValueError(
                    f"Theta of a Thresholded ReLU layer should be >= 0. Received: {theta}"
                )
            self.supports_masking = True
            self.theta = float(theta)

        def call(self, inputs: Any) -> Any:
            """Compares, and multiplies."""
            ops = source("ops")
            return inputs * ops.cast(ops.greater(inputs, self.theta), inputs.dtype)

        def get_config(self) -> dict[str, Any]:
            """Returns the arguments."""
            return {**super().get_config(), "theta": self.theta}

        def compute_output_shape(self, input_shape: Any) -> Any:
            """Returns the shape of the output."""
            return input_shape

    return ThresholdedReLU


@functools.cache
def _fourier() -> type:
    class RandomFourierFeatures(source("layers").Layer):
        """Cosines of random projections: their products are near to a kernel's values.

        A. Rahimi and B. Recht, "Random features for large-scale kernel machines", 2007.
        """

        def __init__(
            self, output_dim: int, kernel_initializer: Any = "gaussian", scale: Any = None,
            trainable: bool = False, name: str | None = None, **kwargs: Any,
        ) -> None:  # fmt: skip
            super().__init__(trainable=trainable, name=name, **kwargs)
            if output_dim <= 0:
                raise ValueError(
                    f"`output_dim` should be a positive integer. Received: {output_dim}"
                )
            self.output_dim = output_dim
            self.kernel_initializer = kernel_initializer
            self.scale = scale

        def _drawn(self, shape: tuple[int, int]) -> Any:
            kind = str(self.kernel_initializer).lower()
            random = source("random")
            if kind == "gaussian":
                return np.asarray(random.normal(shape))
            if kind == "laplacian":
                return np.tan(np.pi * (np.asarray(random.uniform(shape)) - 0.5))
            return np.asarray(source("initializers").get(self.kernel_initializer)(shape))

        def build(self, input_shape: Any) -> None:
            """Draws the projections."""
            shape = (int(input_shape[-1]), self.output_dim)
            drawn = self._drawn(shape)
            shifts = np.asarray(source("random").uniform((self.output_dim,), 0.0, 2 * np.pi))
            scale = self.scale
            if scale is None:
                gaussian = str(self.kernel_initializer).lower() == "gaussian"
                scale = np.sqrt(shape[0] / 2.0) if gaussian else 1.0
            initializers = source("initializers")
            self.unscaled_kernel = self.add_weight(
                shape=shape, initializer=lambda s, dtype: drawn.astype(dtype),
                trainable=False, name="unscaled_kernel",
            )  # fmt: skip
            self.bias = self.add_weight(
                shape=(self.output_dim,), initializer=lambda s, dtype: shifts.astype(dtype),
                trainable=False, name="bias",
            )  # fmt: skip
            self.kernel_scale = self.add_weight(
                shape=(1,), initializer=initializers.Constant(float(scale)),
                trainable=self.trainable, name="kernel_scale",
            )  # fmt: skip

        def call(self, inputs: Any) -> Any:
            """Projects, and takes cosines."""
            ops = source("ops")
            kernel = self.unscaled_kernel / self.kernel_scale
            return ops.cos(ops.matmul(inputs, kernel) + self.bias)

        def compute_output_shape(self, input_shape: Any) -> tuple[Any, ...]:
            """Returns the shape of the output."""
            return (*input_shape[:-1], self.output_dim)

    return RandomFourierFeatures


@functools.cache
def _radial() -> type:
    class RadialConstraint(source("constraints").Constraint):
        """Makes kernels the same in all directions: rings of one value each."""

        def __call__(self, w: Any) -> Any:
            height, width = w.shape[0], w.shape[1]
            if height != width or not height % 2:
                raise ValueError(f"The kernel has to be a square of odd size. Received: {w.shape}")
            away = np.abs(np.arange(height) - height // 2)
            ring = np.maximum(away[:, None], away[None, :])
            first = height // 2 - 1  # on the diagonal, as Keras 2 does it
            half = [w[first + i, first + i] for i in range(height // 2 + 1)]
            rows = source("ops").stack(half)
            flat = gather(rows, ring.reshape(-1))
            return source("ops").reshape(flat, w.shape)

    return RadialConstraint


@functools.cache
def _mean_tensor() -> type:
    class MeanTensor(source("metrics").Metric):
        """The mean of tensors, element by element."""

        def __init__(self, name: str = "mean_tensor", dtype: Any = None, shape: Any = None) -> None:
            super().__init__(name=name, dtype=dtype)
            self.total: Any = None
            self.count: Any = None
            if shape is not None:
                self._build(shape)

        def _build(self, shape: Any) -> None:
            self.total = self.add_weight(name="total", shape=tuple(shape), initializer="zeros")
            self.count = self.add_weight(name="count", shape=tuple(shape), initializer="zeros")

        def update_state(self, values: Any, sample_weight: Any = None) -> None:
            """Takes a tensor into account."""
            ops = source("ops")
            values = ops.cast(values, self.dtype)
            if self.total is None:
                self._build(values.shape)
            total: Any = self.total
            count: Any = self.count
            counts = ops.ones_like(values)
            if sample_weight is not None:
                weight = ops.cast(sample_weight, self.dtype)
                while len(weight.shape) < len(values.shape):
                    weight = ops.expand_dims(weight, -1)
                values, counts = values * weight, counts * weight
            total.assign(total + values)
            count.assign(count + counts)

        def result(self) -> Any:
            """Returns the mean."""
            if self.total is None:
                raise ValueError(
                    "MeanTensor does not have any value yet. Please call the MeanTensor instance "
                    "or use `.update_state(value)` before retrieving the result."
                )
            return source("ops").divide_no_nan(self.total, self.count)

    return MeanTensor


_MAKERS: dict[str, Any] = {
    "AbstractRNNCell": _abstract_cell,
    "LocallyConnected1D": lambda: _local(1),
    "LocallyConnected2D": lambda: _local(2),
    "ThresholdedReLU": _thresholded,
    "RandomFourierFeatures": _fourier,
    "RadialConstraint": _radial,
    "radial_constraint": _radial,
    "MeanTensor": _mean_tensor,
}
