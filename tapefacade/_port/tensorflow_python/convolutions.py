"""`nn_ops.Convolution`: a convolution whose settings are given before its tensors."""

from typing import Any

from tapefacade._core.missing_names import root_module


class Convolution:
    """A convolution of tensors that come later: `tf.nn.convolution` with settings.

    Args:
        input_shape: the shape of the input: `[..., channels]`, or `[..., channels, sizes...]` for
            a `data_format` that begins with "NC".
        filter_shape: the shape of the filters: `[sizes..., channels, filters]`.
        padding: "SAME" or "VALID".
        strides: the step along each spatial axis; by default 1.
        dilation_rate: the distance of what a filter meets along each spatial axis; by default 1.
        name: accepted for TensorFlow's sake.
        data_format: which axis the channels are, as for `tf.nn.convolution`.
        num_spatial_dims: accepted for TensorFlow's sake: `filter_shape` says it.

    >>> convolution = Convolution([1, 3, 1], [2, 1, 1], "VALID")
    >>> convolution(tf.reshape([1.0, 2.0, 3.0], [1, 3, 1]), tf.ones([2, 1, 1])).numpy().ravel()
    array([3., 5.], dtype=float32)
    """

    def __init__(
        self,
        input_shape: Any,
        filter_shape: Any,
        padding: str,
        strides: Any = None,
        dilation_rate: Any = None,
        name: str | None = None,
        data_format: str | None = None,
        num_spatial_dims: int | None = None,
    ) -> None:
        self._settings = {
            "padding": padding,
            "strides": strides,
            "dilations": dilation_rate,
            "data_format": data_format,
            "name": name,
        }

    def __call__(self, inp: Any, filter: Any) -> Any:
        """Returns the convolution of an input with filters."""
        return root_module().nn.convolution(inp, filter, **self._settings)
