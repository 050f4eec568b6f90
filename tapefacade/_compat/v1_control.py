"""Branches and loops as TensorFlow 1 has them: a list of one value may stand for the value."""

from collections.abc import Callable
from typing import Any

from tapefacade._compat.renamed_functions import public_function
from tapefacade._definition.op import function
from tapefacade._trace.recording import THREAD


@function("compat.v1.cond")
def cond(
    pred: Any,
    true_fn: Callable[[], Any] | None = None,
    false_fn: Callable[[], Any] | None = None,
    strict: bool = False,
    name: str | None = None,
    fn1: Callable[[], Any] | None = None,
    fn2: Callable[[], Any] | None = None,
) -> Any:
    """Calls one of two functions: `tf.cond` does so.

    Args:
        pred: a boolean scalar.
        true_fn: what is called if it is true.
        false_fn: what is called else.
        strict: whether a list or tuple of one value is returned as such; in a `tf.function` it
            always is.
        name: ignored.
        fn1: the older name of `true_fn`.
        fn2: the older name of `false_fn`.

    Returns:
        What the function returns.

    Raises:
        TypeError: if a function is missing, given twice, or none.

    >>> tf.compat.v1.cond(True, lambda: [1], lambda: [2])
    1
    """
    for key, given, older, other in (
        ("true_fn", true_fn, "fn1", fn1),
        ("false_fn", false_fn, "fn2", fn2),
    ):
        if given is not None and other is not None:
            raise TypeError(f"cond(): '{key}' and '{older}' may not be set simultaneously.")
    chosen = (true_fn if fn1 is None else fn1), (false_fn if fn2 is None else fn2)
    result = public_function("cond")(pred, *chosen)
    return result if strict or THREAD.functions else _only(result)


@function("compat.v1.while_loop")
def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
    maximum_iterations: Any = None,
    return_same_structure: bool = False,
) -> Any:
    """Repeats a function while a condition holds: `tf.while_loop` does so.

    Args:
        cond: a function of the loop variables that returns a boolean scalar.
        body: a function of the loop variables that returns their next values; of a single one also
            without a list around it.
        loop_vars: a list or tuple of the first values.
        shape_invariants: see `tf.while_loop`.
        parallel_iterations: accepted for TensorFlow's sake.
        back_prop: in a `tf.function`, whether gradients flow through it.
        swap_memory: accepted for TensorFlow's sake.
        name: ignored.
        maximum_iterations: how often `body` is called at most.
        return_same_structure: whether the list of a single variable is returned as such.

    Returns:
        The last values, in the structure of `loop_vars`. Of a single variable it is the value
        alone, unless `body` returns a list of it outside of functions.

    Raises:
        TypeError: if `cond` or `body` is no function.
        ValueError: if there are no loop variables.

    >>> tf.compat.v1.while_loop(lambda n: n < 10, lambda n: 2 * n, [1]).numpy()
    np.int32(16)
    """
    one = len(loop_vars) == 1 and not return_same_structure and callable(body)
    alone: list[bool] = []

    def listed(*values: Any) -> Any:
        result = body(*values)
        alone.append(not isinstance(result, list | tuple))
        return type(loop_vars)([result] if alone[-1] else result)

    result = public_function("while_loop")(
        cond, listed if one else body, loop_vars, shape_invariants, parallel_iterations, back_prop,
        swap_memory, maximum_iterations,
    )  # fmt: skip
    unpacked = one and (THREAD.functions or maximum_iterations is not None or any(alone))
    return _only(result) if unpacked else result


def _only(result: Any) -> Any:
    """Returns the value in a list or tuple of one, and all else as it is."""
    return result[0] if isinstance(result, list | tuple) and len(result) == 1 else result
