"""`tf.keras.backend` as in Keras 2: its functions on our tensors, also those Keras 3 dropped."""

import functools
import importlib
import math
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

import jax
import numpy as np

from tapefacade._core.tensor import EagerTensor, from_array
from tapefacade._keras.attribute_patches import AttributePatches
from tapefacade._keras.keras2 import backend_loops, learning_phase
from tapefacade._keras.keras2.notices import like, notice, refusal, source
from tapefacade._keras.keras2.optimizer_slots import variable_of
from tapefacade._ops.array.joining import stack
from tapefacade._ops.array.printing import print as print_op
from tapefacade._ops.array.shaping import reshape
from tapefacade._ops.linalg.products import einsum
from tapefacade._ops.nn.normalization import batch_normalization, moments

# These look at symbolic tensors; the others become parts of a model.
LOOKING = {
    "count_params", "dtype", "eval", "function", "get_value", "int_shape", "is_sparse",
    "name_scope", "ndim", "placeholder",
}  # fmt: skip
OF_SHAPES = {
    "random_normal", "random_uniform", "random_bernoulli", "random_binomial", "truncated_normal",
    "ones", "zeros",
}  # fmt: skip
REFUSED = {
    "gradients": "use `tf.GradientTape`.",
    "get_session": "there are no sessions; call the functions directly.",
    "set_session": "there are no sessions; call the functions directly.",
    "tf": "write `import tensorflow as tf`.",
}


def apply(patches: AttributePatches) -> None:
    """Gives Keras's older functions our functions in the place of TensorFlow's.

    Args:
        patches: sets the attributes.
    """
    legacy = source("legacy.backend")
    package = sys.modules[__name__.partition(".")[0]]
    for module in (legacy, source("legacy.layers")):
        patches.set(module, "tf", package)
    public = importlib.import_module("keras._tf_keras.keras.backend")
    make_node = _node_maker()
    own: dict[str, Callable[..., Any]] = {
        name: getattr(_BackendMembers, name) for name in vars(_BackendMembers) if name[0] != "_"
    }
    own.update(backend_loops.REPLACED)
    for name, function in list(vars(legacy).items()):
        if _is_public(function, legacy) and name in vars(public):
            patches.set(public, name, _on_ours(own.pop(name, function), make_node))
    for name, function in own.items():
        patches.set(public, name, _on_ours(function, make_node))
    for name in older_phase_names():
        patches.set(public, name, getattr(learning_phase, name))
    for name in REFUSED:
        patches.set(public, name, _refusing(name))
    patches.set(public, "Variable", source("backend").Variable)


def older_phase_names() -> Iterator[str]:
    """Yields the names of functions that tell or set the phase."""
    yield from ("learning_phase", "set_learning_phase", "learning_phase_scope")
    yield from ("in_train_phase", "in_test_phase")


def _is_public(function: Any, module: types.ModuleType) -> bool:
    return (
        isinstance(function, types.FunctionType)
        and function.__module__ == module.__name__
        and not function.__name__.startswith("_")
    )


def _refusing(name: str) -> Callable[..., Any]:
    def function(*args: Any, **kwargs: Any) -> Any:
        raise refusal(f"K.{name}", REFUSED[name])

    function.__name__ = name
    return function


def _node_maker() -> Callable[..., Any]:
    """Makes the function that puts a call of one of these functions into a functional model."""
    operation = source("ops.operation").Operation
    backend = source("backend")

    @source("saving").register_keras_serializable(package="tapefacade", name="BackendCall")
    class BackendCall(operation):
        """A call of a function of `tf.keras.backend` in a functional model."""

        def __init__(self, function: str, name: str | None = None) -> None:
            super().__init__(name=name)
            self.function = function

        def call(self, *args: Any, **kwargs: Any) -> Any:
            public = importlib.import_module("keras._tf_keras.keras.backend")
            return getattr(public, self.function)(*args, **kwargs)

        def compute_output_spec(self, *args: Any, **kwargs: Any) -> Any:
            return backend.compute_output_spec(self.call, *args, **kwargs)

        def get_config(self) -> dict[str, Any]:
            return {"function": self.function, "name": self.name}

    def node(name: str, *args: Any, **kwargs: Any) -> Any:
        return BackendCall(name).symbolic_call(*args, **kwargs)

    return node


def _on_ours(function: Callable[..., Any], make_node: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function that takes Keras's variables and symbolic tensors."""
    name = function.__name__
    symbolic = source("backend").KerasTensor
    others = (source("backend").Variable, jax.Array)

    @like(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        leaves = list(_leaves((args, kwargs)))
        if name not in LOOKING and any(isinstance(leaf, symbolic) for leaf in leaves):
            if name in OF_SHAPES:
                raise refusal(
                    f"K.{name} of a shape that is symbolic", "write it within a layer's `call`."
                )
            return make_node(name, *args, **kwargs)
        if any(isinstance(leaf, others) for leaf in leaves):
            args, kwargs = _with_ours((args, kwargs), others)
        return function(*args, **kwargs)

    return called


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, list | tuple):
        for part in value:
            yield from _leaves(part)
    elif isinstance(value, dict):
        for part in value.values():
            yield from _leaves(part)
    else:
        yield value


def _with_ours(value: Any, kind: Any) -> Any:
    if isinstance(value, list | tuple):
        parts = [_with_ours(part, kind) for part in value]
        return parts if isinstance(value, list) else tuple(parts)
    if isinstance(value, dict):
        return {key: _with_ours(part, kind) for key, part in value.items()}
    if isinstance(value, jax.Array):
        return from_array(value)
    return variable_of(value) if isinstance(value, kind) else value


class _BackendMembers:
    """Functions of `tf.keras.backend`, in the place of Keras's own or besides them."""

    @staticmethod
    def int_shape(x: Any) -> tuple[int | None, ...] | None:
        """Returns the shape of a tensor as a tuple."""
        shape = getattr(x, "shape", None)
        return None if shape is None else tuple(shape)

    @staticmethod
    def ndim(x: Any) -> int:
        """Returns how many axes a tensor has."""
        return len(x.shape)

    @staticmethod
    def dtype(x: Any) -> str:
        """Returns the name of a tensor's dtype."""
        return getattr(x.dtype, "name", x.dtype)

    @staticmethod
    def count_params(x: Any) -> int:
        """Returns how many numbers there are in a tensor."""
        return math.prod(tuple(x.shape))

    @staticmethod
    def get_value(x: Any) -> Any:
        """Returns the value of a variable or tensor as an array."""
        return x.numpy() if hasattr(x, "numpy") else x

    @staticmethod
    def set_value(x: Any, value: Any) -> None:
        """Gives a variable a value."""
        x.assign(np.asarray(value, dtype=_BackendMembers.dtype(x)))

    @staticmethod
    def batch_set_value(tuples: Any) -> None:
        """Gives variables values."""
        for x, value in tuples:
            _BackendMembers.set_value(x, value)

    @staticmethod
    def function(inputs: Any, outputs: Any, updates: Any = None, name: str | None = None) -> Any:
        """Makes a function of symbolic inputs that computes symbolic outputs, as arrays."""
        notice("K.function", "`tf.keras.Model(inputs, outputs)`")
        if updates:
            raise refusal("K.function(updates=...)", "assign to the variables in a `tf.function`.")
        return _BackendFunction(inputs, outputs)

    @staticmethod
    def placeholder(
        shape: Any = None, ndim: int | None = None, dtype: Any = None, sparse: bool = False,
        name: str | None = None, ragged: bool = False,
    ) -> Any:  # fmt: skip
        """Makes a symbolic input."""
        notice("K.placeholder", "`tf.keras.Input`")
        if shape is None and ndim is None:
            raise ValueError("Specify either a shape or ndim value.")
        shape = (None,) * (ndim or 0) if shape is None else tuple(shape)
        make = source("layers").Input
        return make(batch_shape=shape, dtype=dtype, sparse=sparse, ragged=ragged, name=name)

    @staticmethod
    def print_tensor(x: Any, message: str = "", summarize: int = 3) -> Any:
        """Prints a tensor with a message; returns it."""
        notice("K.print_tensor", "`tf.print`")
        print_op(message, x, output_stream=sys.stdout, summarize=summarize)
        return x

    @staticmethod
    def random_binomial(shape: Any, p: float = 0.0, dtype: Any = None, seed: Any = None) -> Any:
        """Returns zeros, and ones with probability `p`."""
        notice("K.random_binomial", "`K.random_bernoulli`")
        return source("legacy.backend").random_bernoulli(shape, p, dtype, seed)

    @staticmethod
    def normalize_batch_in_training(
        x: Any, gamma: Any, beta: Any, reduction_axes: Any, epsilon: float = 1e-3
    ) -> tuple[Any, Any, Any]:
        """Normalizes a batch by its own mean and variance; returns these, too."""
        notice("K.normalize_batch_in_training", "`tf.nn.batch_normalization`")
        axes = [axis % len(x.shape) for axis in reduction_axes]
        mean, variance = moments(x, axes)
        shape = [1 if axis in axes else size for axis, size in enumerate(x.shape)]
        found, spread, offset, scale = [
            None if part is None else reshape(part, shape) for part in (mean, variance, beta, gamma)
        ]
        normalized = batch_normalization(x, found, spread, offset, scale, epsilon)
        return normalized, mean, variance

    @staticmethod
    def local_conv1d(
        inputs: Any, kernel: Any, kernel_size: Any, strides: Any, data_format: Any = None
    ) -> Any:
        """Convolves with a kernel that is another one at each place."""
        notice("K.local_conv1d", "`tf.einsum` of windows")
        return _local(inputs, kernel, kernel_size, strides, data_format)

    @staticmethod
    def local_conv2d(
        inputs: Any, kernel: Any, kernel_size: Any, strides: Any, output_shape: Any,
        data_format: Any = None,
    ) -> Any:  # fmt: skip
        """Convolves with a kernel that is another one at each place."""
        notice("K.local_conv2d", "`tf.einsum` of windows")
        rows = _local(inputs, kernel, kernel_size, strides, data_format)
        return reshape(rows, [-1, *output_shape, kernel.shape[-1]])

    @staticmethod
    def reset_uids() -> None:
        """Starts the names of layers again."""
        notice("K.reset_uids", "`K.clear_session`")
        source("backend.common.global_state").clear_session()


def _local(inputs: Any, kernel: Any, size: Any, strides: Any, data_format: Any) -> Any:
    """Multiplies each window of a tensor, row by row, by a matrix of its own."""
    if data_format == "channels_first":
        raise refusal("a local convolution of channels first", "transpose the inputs.")
    lengths = inputs.shape[1:-1]
    windows = []
    for place in np.ndindex(
        *((length - n) // s + 1 for length, n, s in zip(lengths, size, strides, strict=True))
    ):
        parts = tuple(slice(i * s, i * s + n) for i, s, n in zip(place, strides, size, strict=True))
        windows.append(reshape(inputs[(slice(None), *parts)], [inputs.shape[0], -1]))
    stacked = stack(windows, axis=1)
    return einsum("bpk,pko->bpo", stacked, kernel)


class _BackendFunction:
    """What `K.function` returns."""

    def __init__(self, inputs: Any, outputs: Any) -> None:
        self._inputs = inputs
        self._function = source("ops.function").Function(inputs, outputs)

    def __call__(self, inputs: Any) -> Any:
        if isinstance(self._inputs, list | tuple) and not isinstance(inputs, list | tuple):
            inputs = [inputs]
        convert = functools.partial(source("ops").convert_to_tensor)
        tree = source("tree")
        wanted = tree.flatten(self._inputs)
        given = tree.flatten(inputs)[: len(wanted)]  # the phase may follow
        tensors = [convert(x, dtype=w.dtype) for x, w in zip(given, wanted, strict=True)]
        results = self._function(tree.pack_sequence_as(self._inputs, tensors))
        return tree.map_structure(
            lambda x: x.numpy() if isinstance(x, EagerTensor) else np.asarray(x), results
        )
