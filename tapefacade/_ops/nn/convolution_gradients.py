"""The gradients of convolutions for their inputs and their filters, as functions."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import jax

from tapefacade._core.conversion import convert
from tapefacade._core.error_texts import invalid
from tapefacade._core.kernel_dtypes import FLOATS_HALF_FIRST
from tapefacade._core.tensor import EagerTensor
from tapefacade._definition.argument_checks import as_sizes
from tapefacade._definition.op import TensorLike, function, op
from tapefacade._ops.nn.convolution import DataFormat, convolve, layout_of, padding_of


class _Shapes(NamedTuple):
    """The shapes of a convolution and of the gradient of its result.

    Attributes:
        start: what begins the texts of errors.
        input: that of the input.
        filter: that of the filter.
        output: that of the gradient.
    """

    start: str
    input: tuple[int, ...]
    filter: tuple[int, ...]
    output: tuple[int, ...]

    def check_ranks(self, rank: int) -> None:
        """Raises if one has the wrong number of dimensions."""
        for name, shape in zip(("input", "filter", "out_backprop"), self[1:], strict=True):
            if len(shape) != rank:
                raise invalid(f"{self.start}: {name} must be {rank}-dimensional")

    def check_sizes(self, computed: tuple[int, ...], layout: DataFormat, steps: Any) -> None:
        """Raises if the result of the convolution is no shape of such a gradient."""
        if computed[0] != self.output[0]:
            raise invalid(
                f"{self.start}: input and out_backprop must have the same batch size. Input batch: "
                f"{self.input[0]}, outbackprop batch: {self.output[0]}, batch_dim: 0"
            )
        if computed[layout.channels] != self.output[layout.channels]:
            raise invalid(f"{self.start}: filter and out_backprop must have the same out_depth")
        for place, axis in enumerate(layout.axes):
            if computed[axis] != self.output[axis]:
                stride, rate = (numbers[axis] for numbers in steps)
                raise invalid(
                    f"{self.start}: Size of out_backprop doesn't match computed: actual = "
                    f"{self.output[axis]}, computed = {computed[axis]} spatial_dim: {axis} input: "
                    f"{self.input[axis]} filter: {self.filter[place]} output: {self.output[axis]} "
                    f"stride: {stride} dilation: {rate}"
                )


def _transposed(
    of: str, shapes: _Shapes, given: tuple[jax.Array, jax.Array], padding: Any, steps: Any,
    data_format: str, spatial: int,
) -> jax.Array:  # fmt: skip
    """Returns the gradient of a convolution for its `input` or its `filter`.

    Args:
        of: which.
        shapes: those of all that takes part.
        given: the other one, and the gradient of the result.
        padding: as of `tf.nn.conv2d`.
        steps: strides and dilations, numbers for all dimensions.
        data_format: as of `tf.nn.conv2d`.
        spatial: how many dimensions are not batch or channels.
    """
    layout = layout_of(data_format, spatial)
    padding_of(padding, layout)
    shapes.check_ranks(spatial + 2)
    other, gradient = given
    wanted = jax.ShapeDtypeStruct(getattr(shapes, of), other.dtype)

    def forward(value: Any) -> jax.Array:
        both = (value, other) if of == "input" else (other, value)
        return convolve(*both, steps[0], padding, steps[1], layout)

    computed = jax.eval_shape(forward, wanted).shape
    shapes.check_sizes(computed, layout, steps)
    return jax.linear_transpose(forward, wanted)(gradient)[0]


def _list_of(strides: Any, name: str) -> None:
    if not isinstance(strides, tuple):
        raise TypeError(f"Expected list for 'strides' argument to '{name}' Op, not {strides}.")


@op(
    "compat.v1.nn.conv2d_backprop_input",
    kernel="Conv2DBackpropInput",
    dtypes=FLOATS_HALF_FIRST,
)
def conv2d_backprop_input(
    input_sizes: Any,
    filter: TensorLike,
    out_backprop: TensorLike,
    strides: Any,
    padding: Any,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
) -> jax.Array:
    """Computes the gradient of `tf.nn.conv2d` for its input.

    Args:
        input_sizes: the shape of the input, `[B, H, W, C]`.
        filter: a tensor of shape `[K, L, C, D]`.
        out_backprop: the gradient of the output, `[B, H', W', D]`.
        strides: how far the filter moves, a number for each dimension of the input.
        padding: `"SAME"`, `"VALID"`, or a pair of numbers for each dimension.
        use_cudnn_on_gpu: ignored.
        data_format: `"NHWC"` or `"NCHW"`.
        dilations: the distance of the pixels that the filter touches, four numbers.

    Returns:
        A tensor of shape `input_sizes`.

    Raises:
        TypeError: if `strides` is no list.
        InvalidArgumentError: if the shapes do not fit together.

    >>> grads, filters = tf.ones([1, 1, 1, 1]), tf.ones([2, 2, 1, 1])
    >>> tf.compat.v1.nn.conv2d_backprop_input(
    ...     [1, 2, 2, 1], filters, grads, [1, 1, 1, 1], "VALID"
    ... ).numpy().ravel()
    array([1., 1., 1., 1.], dtype=float32)
    """
    _list_of(strides, "conv2d_backprop_input")
    sizes, start = as_sizes(input_sizes), "Conv2DCustomBackpropInput"
    if len(sizes) != 4:
        raise invalid(
            "Conv2DBackpropInput requires input_sizes to contain 4 values or 2 values, but got: "
            f"{len(sizes)}"
        )
    shapes = _Shapes(start, sizes, filter.shape, out_backprop.shape)
    given, steps = (filter, out_backprop), (strides, dilations)
    return _transposed("input", shapes, given, padding, steps, data_format, 2)


@op(
    "compat.v1.nn.conv2d_backprop_filter",
    kernel="Conv2DBackpropFilter",
    dtypes=FLOATS_HALF_FIRST,
)
def conv2d_backprop_filter(
    input: TensorLike,
    filter_sizes: Any,
    out_backprop: TensorLike,
    strides: Any,
    padding: Any,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
) -> jax.Array:
    """Computes the gradient of `tf.nn.conv2d` for its filter.

    Args:
        input: a tensor of shape `[B, H, W, C]`.
        filter_sizes: the shape of the filter, `[K, L, C, D]`.
        out_backprop: the gradient of the output, `[B, H', W', D]`.
        strides: how far the filter moves, a number for each dimension of `input`.
        padding: `"SAME"`, `"VALID"`, or a pair of numbers for each dimension.
        use_cudnn_on_gpu: ignored.
        data_format: `"NHWC"` or `"NCHW"`.
        dilations: the distance of the pixels that the filter touches, four numbers.

    Returns:
        A tensor of shape `filter_sizes`.

    Raises:
        TypeError: if `strides` is no list.
        InvalidArgumentError: if the shapes do not fit together.

    >>> x, grads = tf.reshape(tf.range(4.0), [1, 2, 2, 1]), tf.ones([1, 1, 1, 1])
    >>> tf.compat.v1.nn.conv2d_backprop_filter(
    ...     x, [2, 2, 1, 1], grads, [1, 1, 1, 1], "VALID"
    ... ).numpy().ravel()
    array([0., 1., 2., 3.], dtype=float32)
    """
    _list_of(strides, "conv2d_backprop_filter")
    sizes, start = as_sizes(filter_sizes), "Conv2DCustomBackpropFilter"
    shapes = _Shapes(start, input.shape, sizes, out_backprop.shape)
    given, steps = (input, out_backprop), (strides, dilations)
    return _transposed("filter", shapes, given, padding, steps, data_format, 2)


@op(
    "compat.v1.nn.conv3d_backprop_filter",
    "compat.v1.nn.conv3d_backprop_filter_v2",
    kernel="Conv3DBackpropFilterV2",
    dtypes=FLOATS_HALF_FIRST,
)
def conv3d_backprop_filter(
    input: TensorLike,
    filter_sizes: Any,
    out_backprop: TensorLike,
    strides: Any,
    padding: Any,
    data_format: str = "NDHWC",
    dilations: Any = (1, 1, 1, 1, 1),
) -> jax.Array:
    """Computes the gradient of `tf.nn.conv3d` for its filter.

    Args:
        input: a tensor of shape `[B, D, H, W, C]`.
        filter_sizes: the shape of the filter, `[K, L, M, C, E]`.
        out_backprop: the gradient of the output, `[B, D', H', W', E]`.
        strides: how far the filter moves, a number for each dimension of `input`.
        padding: `"SAME"` or `"VALID"`.
        data_format: `"NDHWC"` or `"NCDHW"`.
        dilations: the distance of the elements that the filter touches, five numbers.

    Returns:
        A tensor of shape `filter_sizes`.

    Raises:
        TypeError: if `strides` is no list.
        InvalidArgumentError: if the shapes do not fit together.

    >>> x, grads = tf.reshape(tf.range(2.0), [1, 1, 1, 2, 1]), tf.ones([1, 1, 1, 1, 1])
    >>> tf.compat.v1.nn.conv3d_backprop_filter(
    ...     x, [1, 1, 2, 1, 1], grads, [1, 1, 1, 1, 1], "VALID"
    ... ).numpy().ravel()
    array([0., 1.], dtype=float32)
    """
    _list_of(strides, "conv3d_backprop_filter_v2")
    sizes, start = as_sizes(filter_sizes), "Conv3DBackpropFilterOp"
    if len(sizes) != 5:
        raise invalid("filter_sizes tensor must have 5 dimensions")
    shapes = _Shapes(start, input.shape, sizes, out_backprop.shape)
    given, steps = (input, out_backprop), (strides, dilations)
    return _transposed("filter", shapes, given, padding, steps, data_format, 3)


def _pairs(padding: str, explicit_paddings: Sequence[int]) -> Any:
    """Returns the margins that kernels are given one after the other as pairs."""
    if padding != "EXPLICIT":
        return padding
    return list(zip(explicit_paddings[::2], explicit_paddings[1::2], strict=True))


@function("conv2d_backprop_input_v2")
def conv2d_backprop_input_v2(
    input: Any,
    filter: Any,
    out_backprop: Any,
    strides: Sequence[int],
    padding: str,
    use_cudnn_on_gpu: bool = True,
    explicit_paddings: Sequence[int] = (),
    data_format: str = "NHWC",
    dilations: Sequence[int] = (1, 1, 1, 1),
    name: None = None,
) -> EagerTensor:
    """Computes the gradient of `tf.nn.conv2d` for its input.

    Args:
        input: a tensor of the input's shape `[B, H, W, C]`.
        filter: a tensor of shape `[K, L, C, D]`.
        out_backprop: the gradient of the output, `[B, H', W', D]`.
        strides: how far the filter moves, a number for each dimension of the input.
        padding: `"SAME"`, `"VALID"`, or `"EXPLICIT"`.
        use_cudnn_on_gpu: ignored.
        explicit_paddings: the margins with `"EXPLICIT"`, two numbers for each dimension.
        data_format: `"NHWC"` or `"NCHW"`.
        dilations: the distance of the pixels that the filter touches, four numbers.
        name: ignored.

    Returns:
        A tensor of the shape of `input`.

    Raises:
        InvalidArgumentError: if the shapes do not fit together.

    >>> x, filters, grads = tf.ones([1, 2, 2, 1]), tf.ones([2, 2, 1, 1]), tf.ones([1, 1, 1, 1])
    >>> tf.conv2d_backprop_input_v2(x, filters, grads, [1, 1, 1, 1], "VALID").numpy().ravel()
    array([1., 1., 1., 1.], dtype=float32)
    """
    return conv2d_backprop_input(
        convert(input).shape, filter, out_backprop, list(strides),
        _pairs(padding, explicit_paddings), use_cudnn_on_gpu, data_format, list(dilations),
    )  # fmt: skip


@function("conv2d_backprop_filter_v2")
def conv2d_backprop_filter_v2(
    input: Any,
    filter: Any,
    out_backprop: Any,
    strides: Sequence[int],
    padding: str,
    use_cudnn_on_gpu: bool = True,
    explicit_paddings: Sequence[int] = (),
    data_format: str = "NHWC",
    dilations: Sequence[int] = (1, 1, 1, 1),
    name: None = None,
) -> EagerTensor:
    """Computes the gradient of `tf.nn.conv2d` for its filter.

    Args:
        input: a tensor of shape `[B, H, W, C]`.
        filter: a tensor of the filter's shape `[K, L, C, D]`.
        out_backprop: the gradient of the output, `[B, H', W', D]`.
        strides: how far the filter moves, a number for each dimension of `input`.
        padding: `"SAME"`, `"VALID"`, or `"EXPLICIT"`.
        use_cudnn_on_gpu: ignored.
        explicit_paddings: the margins with `"EXPLICIT"`, two numbers for each dimension.
        data_format: `"NHWC"` or `"NCHW"`.
        dilations: the distance of the pixels that the filter touches, four numbers.
        name: ignored.

    Returns:
        A tensor of the shape of `filter`.

    Raises:
        InvalidArgumentError: if the shapes do not fit together.

    >>> x, grads = tf.reshape(tf.range(4.0), [1, 2, 2, 1]), tf.ones([1, 1, 1, 1])
    >>> filters = tf.ones([2, 2, 1, 1])
    >>> tf.conv2d_backprop_filter_v2(x, filters, grads, [1, 1, 1, 1], "VALID").numpy().ravel()
    array([0., 1., 2., 3.], dtype=float32)
    """
    return conv2d_backprop_filter(
        input, convert(filter).shape, out_backprop, list(strides),
        _pairs(padding, explicit_paddings), use_cudnn_on_gpu, data_format, list(dilations),
    )  # fmt: skip
