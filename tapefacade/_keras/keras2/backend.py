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

from tapefacade._core.conversion import convert_to_tensor
from tapefacade._core.tensor import EagerTensor, from_array
from tapefacade._function.control.cond import cond
from tapefacade._function.control.map_fn import map_fn as map_fn_op
from tapefacade._function.control.scan import foldl as foldl_op, foldr as foldr_op
from tapefacade._keras.attribute_patches import AttributePatches
from tapefacade._keras.keras2 import learning_phase
from tapefacade._keras.keras2.notices import like, notice, refusal, source
from tapefacade._keras.keras2.optimizer_slots import variable_of
from tapefacade._ops.array.casting import cast
from tapefacade._ops.array.joining import stack
from tapefacade._ops.array.printing import print as print_op
from tapefacade._ops.array.selecting import where
from tapefacade._ops.array.shaping import expand_dims, reshape, transpose
from tapefacade._ops.linalg.products import einsum
from tapefacade._ops.math.elementary import log
from tapefacade._ops.nn.activation import softmax as softmax_op
from tapefacade._ops.nn.ctc import ctc_beam_search_decoder, ctc_greedy_decoder, ctc_loss
from tapefacade._ops.nn.normalization import batch_normalization, moments

NO_SESSIONS = "there are no sessions; call the functions directly."

# These look at symbolic tensors; the others become parts of a model.
FUNCTIONS_OF_SYMBOLIC_TENSORS = {
    "count_params", "dtype", "eval", "function", "get_value", "int_shape", "is_sparse",
    "name_scope", "ndim", "placeholder",
}  # fmt: skip
OF_SHAPES = {
    "random_normal", "random_uniform", "random_bernoulli", "random_binomial", "truncated_normal",
    "ones", "zeros",
}  # fmt: skip
REFUSED_FUNCTIONS = {
    "gradients": "use `tf.GradientTape`.",
    "get_session": NO_SESSIONS,
    "set_session": NO_SESSIONS,
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
    own.update(LOOPS_AND_CHOICES)
    for name, function in list(vars(legacy).items()):
        if _is_public(function, legacy) and name in vars(public):
            patches.set(public, name, _on_ours(own.pop(name, function), make_node))
    for name, function in own.items():
        patches.set(public, name, _on_ours(function, make_node))
    for name in older_phase_names():
        patches.set(public, name, getattr(learning_phase, name))
    for name in REFUSED_FUNCTIONS:
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
        raise refusal(f"K.{name}", REFUSED_FUNCTIONS[name])

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
        if name not in FUNCTIONS_OF_SYMBOLIC_TENSORS and any(
            isinstance(leaf, symbolic) for leaf in leaves
        ):
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


def foldl(fn: Callable[..., Any], elems: Any, initializer: Any = None, name: Any = None) -> Any:
    """Puts the rows of a tensor together by a function, from the first to the last.

    Args:
        fn: a function of what there is so far and of a row.
        elems: the tensor.
        initializer: what there is at first; the first row, if None.
        name: a name, which means nothing.
    """
    return foldl_op(fn, elems, initializer=initializer)


def foldr(fn: Callable[..., Any], elems: Any, initializer: Any = None, name: Any = None) -> Any:
    """Puts the rows of a tensor together by a function, from the last to the first.

    Args:
        fn: a function of what there is so far and of a row.
        elems: the tensor.
        initializer: what there is at first; the last row, if None.
        name: a name, which means nothing.
    """
    return foldr_op(fn, elems, initializer=initializer)


def map_fn(fn: Callable[..., Any], elems: Any, name: Any = None, dtype: Any = None) -> Any:
    """Calls a function on each row of a tensor.

    Args:
        fn: the function.
        elems: the tensor, or several.
        name: a name, which means nothing.
        dtype: the dtype of the results, where it is another one.
    """
    return map_fn_op(fn, elems, dtype=dtype)


def random_normal_variable(
    shape: Any, mean: float, scale: float, dtype: Any = None, name: Any = None, seed: Any = None
) -> Any:
    """Makes a variable of normal numbers.

    Args:
        shape: its shape.
        mean: the mean.
        scale: the standard deviation.
        dtype: its dtype; that of `K.floatx()`, if None.
        name: its name.
        seed: the seed.
    """
    legacy = source("legacy.backend")
    return legacy.variable(legacy.random_normal(shape, mean, scale, dtype, seed), dtype, name)


def random_uniform_variable(
    shape: Any, low: float, high: float, dtype: Any = None, name: Any = None, seed: Any = None
) -> Any:
    """Makes a variable of uniform numbers.

    Args:
        shape: its shape.
        low: the least.
        high: what they are less than.
        dtype: its dtype; that of `K.floatx()`, if None.
        name: its name.
        seed: the seed.
    """
    legacy = source("legacy.backend")
    return legacy.variable(legacy.random_uniform(shape, low, high, dtype, seed), dtype, name)


def softmax(x: Any, axis: int = -1) -> Any:
    """Computes exponentials, divided by their sum.

    Args:
        x: a tensor.
        axis: the axis of the sum.
    """
    return softmax_op(x, axis=axis)


def switch(condition: Any, then_expression: Any, else_expression: Any) -> Any:
    """Chooses one of two tensors, or of what two functions return.

    Args:
        condition: a boolean, or one for each row.
        then_expression: a tensor, or a function that returns it.
        else_expression: a tensor, or a function that returns it.
    """
    if len(condition.shape) == 0:
        return cond(
            cast(condition, "bool"),
            then_expression if callable(then_expression) else lambda: then_expression,
            else_expression if callable(else_expression) else lambda: else_expression,
        )
    then: Any = then_expression() if callable(then_expression) else then_expression
    other: Any = else_expression() if callable(else_expression) else else_expression
    rank = len(then.shape)
    if len(condition.shape) > rank:
        raise ValueError(
            f"Rank of `condition` should be less than or equal to rank of `then_expression` and "
            f"`else_expression`. ndim(condition)={len(condition.shape)}, ndim(then_expression)="
            f"{rank}"
        )
    more = [1] * (rank - len(condition.shape))
    condition = reshape(condition, [*condition.shape, *more])
    return where(cast(condition, "bool"), then, other)


def rnn(
    step_function: Callable[..., Any], inputs: Any, initial_states: Any, go_backwards: bool = False,
    mask: Any = None, constants: Any = None, unroll: bool = False, input_length: Any = None,
    time_major: bool = False, zero_output_for_mask: bool = False, return_all_outputs: bool = True,
) -> Any:  # fmt: skip
    """Takes a step for each time; returns the last output, all of them, and the states.

    Args:
        step_function: a function of an input and the states; returns an output and states.
        inputs: a tensor of batches of times.
        initial_states: the states at first.
        go_backwards: begin with the last time.
        mask: where there is something: a boolean for each time.
        constants: what the function gets after the states.
        unroll: means nothing here.
        input_length: how many times there are; means nothing here.
        time_major: whether the first axis is time.
        zero_output_for_mask: whether the output is zero where the mask is false.
        return_all_outputs: whether all outputs are returned, or the last one.
    """
    if mask is not None:
        mask = cast(mask, "bool")
    return source("backend").rnn(
        step_function, inputs, list(initial_states), go_backwards=go_backwards, mask=mask,
        constants=constants, unroll=unroll, input_length=input_length, time_major=time_major,
        zero_output_for_mask=zero_output_for_mask, return_all_outputs=return_all_outputs,
    )  # fmt: skip


def ctc_batch_cost(y_true: Any, y_pred: Any, input_length: Any, label_length: Any) -> Any:
    """Computes the loss of connectionist temporal classification, one row for each example.

    Args:
        y_true: labels of shape (examples, labels).
        y_pred: probabilities of shape (examples, times, classes); the last class is the blank.
        input_length: how many times there are, of shape (examples, 1).
        label_length: how many labels there are, of shape (examples, 1).
    """
    logits = log(transpose(y_pred, [1, 0, 2]) + _small())
    loss = ctc_loss(
        cast(y_true, "int32"),
        logits,
        _lengths(label_length),
        _lengths(input_length),
        blank_index=-1,
    )
    return expand_dims(loss, 1)


def ctc_decode(
    y_pred: Any, input_length: Any, greedy: bool = True, beam_width: int = 100, top_paths: int = 1
) -> tuple[list[Any], Any]:
    """Finds the most probable labels; returns them, with -1 after the last, and log probabilities.

    Args:
        y_pred: probabilities of shape (examples, times, classes); the last class is the blank.
        input_length: how many times there are, of shape (examples,).
        greedy: take the most probable class at each time.
        beam_width: how many beginnings are looked at, if not greedy.
        top_paths: how many results are returned, if not greedy.
    """
    logits = log(transpose(y_pred, [1, 0, 2]) + _small())
    lengths = cast(input_length, "int32")
    if greedy:
        found, scores = ctc_greedy_decoder(logits, lengths)
    else:
        found, scores = ctc_beam_search_decoder(
            logits, lengths, beam_width=beam_width, top_paths=top_paths
        )
    count, times = y_pred.shape[0], y_pred.shape[1]
    return [_dense(labels, count, times) for labels in found], scores


def _dense(labels: Any, count: int, times: int) -> Any:
    dense = np.full((count, times), -1, np.int64)
    places = labels.indices.numpy()
    dense[places[:, 0], places[:, 1]] = labels.values.numpy()
    return convert_to_tensor(dense)


def _lengths(value: Any) -> Any:
    return cast(reshape(value, [-1]), "int32")


def _small() -> float:
    return source("backend").epsilon()


def manual_variable_initialization(value: bool) -> None:
    """Does nothing: variables have their values when they are made.

    Args:
        value: means nothing.
    """
    notice("K.manual_variable_initialization", "nothing")


LOOPS_AND_CHOICES: dict[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (
        foldl, foldr, map_fn, random_normal_variable, random_uniform_variable, softmax, switch,
        rnn, ctc_batch_cost, ctc_decode, manual_variable_initialization,
    )
}  # fmt: skip


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
