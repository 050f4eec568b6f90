"""`tf.case` and `tf.switch_case`: one of several functions runs."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert
from tapefacade._core.error_texts import choice_no_scalar
from tapefacade._core.tensor import EagerTensor
from tapefacade._definition.op import function
from tapefacade._function.control.cond import ChoiceNames, chosen, cond, is_true
from tapefacade._function.control.row_loops import in_graph
from tapefacade._ops.array.casting import cast
from tapefacade._ops.array.joining import stack
from tapefacade._ops.array.selecting import where
from tapefacade._ops.array.shaping import reshape as reshape_op
from tapefacade._ops.debugging.finiteness import Assert
from tapefacade._ops.math.comparison import logical_and
from tapefacade._ops.math.reduction import reduce_any, reduce_sum
from tapefacade._trace.recording import THREAD

Branch = Callable[[], Any]


@function("switch_case")
def switch_case(
    branch_index: Any,
    branch_fns: Any,
    default: Branch | None = None,
    name: str = "switch_case",
) -> Any:
    """Calls one of several functions, chosen by an integer.

    In eager code the chosen function is called. In a `tf.function` all of them are recorded, and
    the integer chooses whenever the function is called.

    Args:
        branch_index: an int32 tensor without dimensions (in eager code any integer tensor).
        branch_fns: a list of functions without arguments; or pairs of an integer and a function,
            in a list or a dict, whose integers are 0, 1, ... in any order.
        default: what is called for an integer without a function; the last function if None.
        name: ignored.

    Returns:
        What the chosen function returns.

    Raises:
        TypeError: if `branch_index` is no integer tensor, `branch_fns` holds something else; in a
            `tf.function` also if the results differ in structure or dtype.
        ValueError: if there are no functions, or the integers have gaps.

    >>> tf.switch_case(tf.constant(1), [lambda: tf.constant(10), lambda: tf.constant(20)]).numpy()
    np.int32(20)

    See https://www.tensorflow.org/api_docs/python/tf/switch_case.
    """
    branches = _branches(branch_fns, branch_index)
    if default is not None:
        branches.append(default)
    if THREAD.recording.frame is not None and type(branch_index) is EagerTensor:
        if in_graph() and branch_index.dtype is not dtypes.int32:
            raise TypeError(
                f"Input 'branch_index' of 'StatelessCase' Op has type {branch_index.dtype.name} "
                "that does not match expected type of int32."
            )
        if branch_index._type.size != 1:
            raise choice_no_scalar(branch_index._type.shape)
        names = tuple(f"branches[{k}]" for k in range(len(branches)))
        made, result = chosen(
            _within(branch_index, len(branches)),
            branches,
            ChoiceNames("tf.switch_case", "case", names),
        )
        if made:
            return result
    index = int(np.asarray(branch_index.numpy()).reshape(()))
    return branches[index if 0 <= index < len(branches) else -1]()


def _within(index: EagerTensor, count: int) -> EagerTensor:
    """Returns the index of the branch to take: the last one for what is out of range."""
    flat = reshape_op(index, [])
    fits = logical_and(flat >= 0, flat < count)
    return where(fits, flat, convert(count - 1, flat.dtype))


def _branches(branch_fns: Any, index: Any) -> list[Branch]:
    """Checks the arguments of `switch_case`, and returns the functions in their order."""
    if not isinstance(index, EagerTensor):
        raise TypeError(f"'branch_index' must be a Tensor, got {type(index)}")
    if not index.dtype.is_integer:
        raise TypeError(f"'branch_index' must be an integer Tensor, got {index.dtype}")
    if not branch_fns:
        raise ValueError("Must provide at least one item in 'branch_fns'")
    if not isinstance(branch_fns, list | tuple | dict):
        raise TypeError("'branch_fns' must be a list, tuple, or dict")
    entries: list[Any] = (
        list(branch_fns.items()) if isinstance(branch_fns, dict) else list(branch_fns)
    )
    if all(callable(entry) for entry in entries):
        return entries
    pairs = [_pair(entry) for entry in entries]
    keys = sorted(key for key, _ in pairs)
    if keys != list(range(len(keys))):
        raise ValueError(
            "branch indices (keys) must form contiguous range of [0 to "
            f"{len(keys)}) but found {{{','.join(map(str, keys))}}}"
        )
    return [branch for _, branch in sorted(pairs, key=lambda pair: pair[0])]


def _pair(entry: Any) -> tuple[int, Branch]:
    if not isinstance(entry, tuple) or len(entry) != 2:
        raise TypeError(f"Each entry in 'branch_fns' must be a 2-tuple. Received {entry}.")
    key, branch = entry
    if not isinstance(key, int):
        raise TypeError(f"key must be a Python `int`, got {type(key)}")
    if not callable(branch):
        raise TypeError(f"fn for key {key} must be callable.")
    return key, branch


@function("case")
def case(
    pred_fn_pairs: Any,
    default: Branch | None = None,
    exclusive: bool = False,
    strict: bool = False,
    name: str = "case",
) -> Any:
    """Calls the function of the first condition that is true.

    In eager code the chosen function is called. In a `tf.function` all of them are recorded, and
    the conditions choose whenever the function is called.

    Args:
        pred_fn_pairs: pairs of a boolean tensor and a function without arguments.
        default: what is called if no condition is true; if None that is an error.
        exclusive: whether it is an error that more than one condition is true.
        strict: whether a list or tuple of one result stays one; in a `tf.function` it always does.
        name: ignored.

    Returns:
        What the chosen function returns.

    Raises:
        TypeError: if `pred_fn_pairs` holds something else.
        InvalidArgumentError: if no condition is true, or too many are.

    >>> x = tf.constant(3)
    >>> tf.case([(x < 2, lambda: tf.constant("small")), (x < 5, lambda: tf.constant("middle"))],
    ...         default=lambda: tf.constant("large")).numpy()
    b'middle'

    See https://www.tensorflow.org/api_docs/python/tf/case.
    """
    pairs = _pairs(pred_fn_pairs, exclusive)
    conditions = [pred for pred, _ in pairs]
    if default is not None and not callable(default):
        raise TypeError("'false_fn' must be callable.")
    if exclusive:
        _require_one(conditions)
    if THREAD.recording.frame is not None:
        return _nested(pairs, default, conditions)
    for pred, branch in pairs[: len(pairs) - (default is None)]:
        if is_true(pred):
            return _single(branch(), strict)
    if default is None:
        _require_any(conditions)
        default = pairs[-1][1]
    return _single(default(), strict)


def _pairs(given: Any, exclusive: bool) -> list[tuple[EagerTensor, Branch]]:
    pairs = as_pairs(given, exclusive)
    for entry in pairs:
        _check_pair(*entry)
    return pairs


def as_pairs(given: Any, exclusive: bool) -> list[tuple[Any, Any]]:
    """Lists the conditions and functions of `tf.case`, of whatever types.

    Args:
        given: pairs, or a dictionary.
        exclusive: whether at most one condition can hold, so that their order does not matter.

    Returns:
        The pairs.

    Raises:
        TypeError: if these are no pairs.
        ValueError: if there are none, or they have no order.
    """
    if not isinstance(given, list | tuple | dict):
        raise TypeError(f"'pred_fn_pairs' must be a list, tuple, or dict. Received: {type(given)}")
    if isinstance(given, dict):
        if not exclusive and not in_graph():
            raise ValueError(
                "Unordered dictionaries are not supported for the 'pred_fn_pairs' argument when "
                "`exclusive=False` and eager mode is enabled."
            )
        given = list(given.items())
    for entry in given:
        if not isinstance(entry, tuple) or len(entry) != 2:
            raise TypeError(f"Each entry in 'pred_fn_pairs' must be a 2-tuple. Received {entry}.")
    if not given:
        raise ValueError("not enough values to unpack (expected 2, got 0)")
    return list(given)


def _check_pair(pred: Any, branch: Any) -> None:
    if not isinstance(pred, EagerTensor):
        raise TypeError(f"pred must be a Tensor, got: {pred}")
    is_boolean = pred.dtype is dtypes.bool
    if is_boolean and callable(branch):
        return
    if not in_graph():  # TensorFlow wants to say which one it is, and fails
        raise AttributeError("Tensor.name is undefined when eager execution is enabled.")
    if not is_boolean:
        raise TypeError(f"pred must be Tensor of type bool: {_name(pred)}")
    raise TypeError(f"fn for pred {_name(pred)} must be callable.")


def _name(tensor: EagerTensor) -> str:
    """Returns TensorFlow's name of a tensor in a graph."""
    return THREAD.recording.symbolic_name(tensor) or "Const:0"


def _single(result: Any, strict: bool) -> Any:
    """Unpacks a list of one result, as TensorFlow does in eager code."""
    if not strict and isinstance(result, list | tuple) and len(result) == 1:
        return result[0]
    return result


def _nested(
    pairs: Sequence[tuple[EagerTensor, Branch]],
    default: Branch | None,
    conditions: Sequence[EagerTensor],
) -> Any:
    """Makes a chain of `tf.cond`."""
    (pred, branch), *rest = pairs
    if rest:
        return cond(pred, branch, lambda: _nested(rest, default, conditions))
    if default is None:
        _require_any(conditions)
        return branch()
    return cond(pred, branch, default)


def _require_any(conditions: Sequence[EagerTensor]) -> None:
    preds = stack(list(conditions))
    Assert(
        reduce_any(preds),
        ["Input error: None of conditions evaluated as True:", preds], summarize=len(conditions),
    )  # fmt: skip
    _finish()


def _require_one(conditions: Sequence[EagerTensor]) -> None:
    preds = stack(list(conditions))
    count = reduce_sum(cast(preds, dtypes.int32))
    names = ", ".join(_name(pred) if in_graph() else "?" for pred in conditions)
    Assert(
        count < 2,
        [
            f"Input error: exclusive=True: more than 1 conditions ({names}) evaluated as True:",
            preds,
        ],
        summarize=len(conditions),
    )
    _finish()


def _finish() -> None:
    """Raises at once what is wrong, in eager code."""
    if THREAD.recording.frame is None:
        THREAD.recording.flush()
