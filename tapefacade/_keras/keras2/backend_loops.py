"""Functions of `tf.keras.backend` that repeat a function or choose one, and those made of them."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tapefacade._core.conversion import convert_to_tensor
from tapefacade._function.control.cond import cond
from tapefacade._function.control.map_fn import map_fn as map_fn_op
from tapefacade._function.control.scan import foldl as foldl_op, foldr as foldr_op
from tapefacade._keras.keras2.notices import notice, source
from tapefacade._ops.array.casting import cast
from tapefacade._ops.array.selecting import where
from tapefacade._ops.array.shaping import expand_dims, reshape, transpose
from tapefacade._ops.math.elementary import log
from tapefacade._ops.nn.activation import softmax as softmax_op
from tapefacade._ops.nn.ctc import ctc_beam_search_decoder, ctc_greedy_decoder, ctc_loss


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


REPLACED: dict[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (
        foldl, foldr, map_fn, random_normal_variable, random_uniform_variable, softmax, switch,
        rnn, ctc_batch_cost, ctc_decode, manual_variable_initialization,
    )
}  # fmt: skip
