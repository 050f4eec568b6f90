"""`smart_cond`, `control_flow_util` and others: which branch runs, if its condition is known."""

import functools
from collections.abc import Callable
from typing import Any

from tapefacade._core import dtypes
from tapefacade._core.tensor import Tensor
from tapefacade._function.control.cond import cond
from tapefacade._function.control.map_fn import map_fn
from tapefacade._function.control.switch_case import as_pairs
from tapefacade._function.control.vectorized_map import vectorized_map
from tapefacade._ops.array.creation import range as range_op
from tapefacade._ops.array.shapes import get_static_value

# Branches and loops are functional: what libraries ask before they choose among several ways.
NAMES = {"ENABLE_CONTROL_FLOW_V2": True}
MESSAGE_PRED = (
    "Argument `pred` must be a Tensor, or a Python bool, or 1 or 0. Received: pred={} of type {}"
)


def smart_constant_value(pred: Any) -> bool | None:
    """Returns a condition, if it is known without running.

    Args:
        pred: a boolean, 0, 1 or a tensor.

    Returns:
        The condition, None if it is not known.

    Raises:
        TypeError: if it is none.

    >>> smart_constant_value(1)
    True
    """
    if isinstance(pred, Tensor):
        value = get_static_value(pred)
        return None if value is None else bool(value)
    if isinstance(pred, bool) or pred in {0, 1}:
        return bool(pred)
    raise TypeError(MESSAGE_PRED.format(pred, type(pred).__name__))


def smart_cond(
    pred: Any,
    true_fn: Callable[[], Any] | None = None,
    false_fn: Callable[[], Any] | None = None,
    name: str | None = None,
) -> Any:
    """Calls one of two functions: at once if the condition is known, else as `tf.cond` does.

    Args:
        pred: a boolean, 0, 1 or a tensor.
        true_fn: what is called if the condition holds.
        false_fn: what is called if it does not.
        name: accepted for TensorFlow's sake.

    Returns:
        What the function returns.

    Raises:
        TypeError: if one of them is not callable.

    >>> smart_cond(True, lambda: 1, lambda: 2)
    1
    """
    for key, function in (("true_fn", true_fn), ("false_fn", false_fn)):
        if not callable(function):
            raise TypeError(f"Argument `{key}` must be callable. Received {function}")
    known = smart_constant_value(pred)
    if known is None:
        return cond(pred, true_fn, false_fn)
    chosen: Any = true_fn if known else false_fn
    return chosen()


def smart_case(
    pred_fn_pairs: Any,
    default: Callable[[], Any] | None = None,
    exclusive: bool = False,
    name: str = "smart_case",
) -> Any:
    """Calls the first function whose condition holds, at once if all conditions are known.

    Args:
        pred_fn_pairs: pairs of a condition and a function, or a dictionary of them.
        default: what is called if none holds; by default the last function.
        exclusive: accepted for TensorFlow's sake.
        name: accepted for TensorFlow's sake.

    Returns:
        What the function returns.
    """
    return case_helper(smart_cond, pred_fn_pairs, default, exclusive, name, True)


def case_helper(
    cond_fn: Callable[..., Any],
    pred_fn_pairs: Any,
    default: Callable[[], Any] | None,
    exclusive: bool,
    name: str | None,
    allow_python_preds: bool = False,
    **cond_kwargs: Any,
) -> Any:
    """Calls the first function whose condition holds, by conditions within each other.

    Args:
        cond_fn: what calls one of two functions, as `tf.cond`.
        pred_fn_pairs: pairs of a condition and a function, or a dictionary of them.
        default: what is called if none holds; by default the last function.
        exclusive: accepted for TensorFlow's sake.
        name: accepted for TensorFlow's sake.
        allow_python_preds: whether conditions may be booleans of Python.
        **cond_kwargs: arguments for `cond_fn`.

    Returns:
        What the function returns.

    Raises:
        TypeError: if something is neither pair nor function.

    >>> case_helper(smart_cond, [(False, lambda: 1), (True, lambda: 2)], None, False, None, True)
    2
    """
    pairs = _pairs(pred_fn_pairs, allow_python_preds)
    if default is None:
        default = pairs.pop()[1]
    elif not callable(default):
        raise TypeError(f"`default` must be callable. Received: {default}")
    chosen: Callable[[], Any] = default
    for pred, function in reversed(pairs):
        chosen = functools.partial(cond_fn, pred, true_fn=function, false_fn=chosen, **cond_kwargs)
    return chosen()


def pfor(
    loop_fn: Callable[[Any], Any],
    iters: Any,
    fallback_to_while_loop: bool = True,
    parallel_iterations: int | None = None,
    warn: bool = False,
) -> Any:
    """Calls a function with the numbers below `iters`, all at once, and stacks its results.

    Args:
        loop_fn: a function of a number.
        iters: how often it is called.
        fallback_to_while_loop: accepted for TensorFlow's sake.
        parallel_iterations: accepted for TensorFlow's sake.
        warn: accepted for TensorFlow's sake.

    Returns:
        The results, stacked.

    >>> pfor(lambda i: i * i, 3).numpy()
    array([0, 1, 4], dtype=int32)
    """
    return vectorized_map(loop_fn, range_op(iters))


def for_loop(
    loop_fn: Callable[[Any], Any],
    loop_fn_dtypes: Any,
    iters: Any,
    parallel_iterations: int | None = None,
) -> Any:
    """Calls a function with the numbers below `iters`, one after the other, and stacks its results.

    Args:
        loop_fn: a function of a number.
        loop_fn_dtypes: the dtypes of what it returns, in its structure.
        iters: how often it is called.
        parallel_iterations: accepted for TensorFlow's sake.

    Returns:
        The results, stacked.
    """
    return map_fn(loop_fn, range_op(iters, dtype=dtypes.int32), fn_output_signature=loop_fn_dtypes)


def graph_or_parents_in_xla_context(graph: Any) -> bool:
    """Returns False, so that libraries choose what they choose for TensorFlow without XLA."""
    return False


def control_flow_v2_enabled() -> bool:
    """Returns True: branches and loops are functional."""
    return True


def enabled() -> bool:
    """Returns True: this is TensorFlow 2."""
    return True


def _pairs(given: Any, allow_python_preds: bool) -> list[tuple[Any, Callable[[], Any]]]:
    """Checks pairs of conditions and functions."""
    pairs = as_pairs(given, exclusive=True)
    for pred, function in pairs:
        if not callable(function):
            raise TypeError(f"{function} for the condition {pred} must be callable.")
        if isinstance(pred, bool) and not allow_python_preds:
            raise TypeError(f"pred must be Tensor of type bool. Received {pred}.")
    return pairs
