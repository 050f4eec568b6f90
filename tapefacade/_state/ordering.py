"""The order of ops, which is that of the program: `group`, `no_op`, `tuple`, dependencies."""

import contextlib
from typing import Any

from tapefacade._ops.op import function


@function("group")
def group(*inputs: Any, **kwargs: Any) -> None:
    """Returns None: what its arguments stand for is computed in the order of the program.

    Args:
        *inputs: ignored.
        **kwargs: ignored.

    >>> v = tf.Variable(1.0)
    >>> tf.group(v.assign_add(1.0), v.assign_add(2.0))
    >>> v.numpy()
    np.float32(4.0)
    """


@function("no_op")
def no_op(name: str | None = None) -> None:
    """Does nothing.

    Args:
        name: ignored.

    >>> tf.no_op()
    """


@function("tuple")
def tuple(tensors: Any, control_inputs: Any = None, name: str | None = None) -> Any:
    """Returns its argument: all of it is computed before what follows can tell.

    Args:
        tensors: a list of tensors.
        control_inputs: ignored.
        name: ignored.

    >>> tf.tuple([tf.constant(1), None])
    [<tf.Tensor: shape=(), dtype=int32, numpy=1>, None]
    """
    return tensors


@function("control_dependencies")
def control_dependencies(control_inputs: Any) -> contextlib.AbstractContextManager[None]:
    """Opens a block whose ops come after others, as they do anyway.

    Args:
        control_inputs: a list of tensors, or of functions, which are called.

    Returns:
        A context manager.

    Raises:
        TypeError: if it is no list.

    >>> with tf.control_dependencies([tf.constant(1)]):
    ...     x = tf.constant(2)
    """
    for control in control_inputs or ():
        if callable(control):
            control()
    return contextlib.nullcontext()
