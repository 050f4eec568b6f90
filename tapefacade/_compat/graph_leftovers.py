"""What is left of TensorFlow 1's graphs: placeholders, `group`, `no_op`, control dependencies."""

import contextlib
import itertools
from collections.abc import Iterator
from typing import Any, NoReturn

from tapefacade._core import dtypes
from tapefacade._core.missing_members import NO_GRAPH, NO_SESSION, lacks
from tapefacade._core.random_seeds import GLOBAL
from tapefacade._core.tensor import Tensor
from tapefacade._core.tensor_shape import TensorShape, as_shape
from tapefacade._definition.op import function
from tapefacade._trace.recording import THREAD


@function("Graph")
@lacks(
    {
        "Dismantle add_to_collection add_to_collections clear_collection collections "
        "get_all_collection_keys get_collection get_collection_ref": (
            "Keep them in a list, a `tf.Module` or a model: there are no collections."
        ),
        "as_graph_def as_graph_element create_op finalize finalized from_proto get "
        "get_operation_by_name get_tensor_by_name get_name_scope graph_def_versions "
        "is_feedable is_fetchable new_operations num_operations op_def_for_type operations "
        "prevent_feeding prevent_fetching version": NO_GRAPH,
        "colocate_with container control_dependencies device gradient_override_map "
        "name_scope": "Write the function of `tf` with this name: ops run as they are called.",
        "switch_to_thread_local": NO_SESSION,
    }
)
class Graph:
    """A graph of TensorFlow 1: a place in which placeholders can be made, and nothing else.

    Unlike TensorFlow's, it records no ops: those in its block have values at once.

    >>> with tf.compat.v1.Graph().as_default():
    ...     print(tf.compat.v1.placeholder(tf.float32, [None, 3]))
    Tensor("Placeholder:0", shape=(None, 3), dtype=float32)
    """

    _open: "list[Graph]" = []  # noqa: RUF012  the stack of all graphs

    def __init__(self) -> None:
        self._names: dict[str, Iterator[int]] = {}

    @contextlib.contextmanager
    def as_default(self) -> "Iterator[Graph]":
        """Makes the graph the one that placeholders go to."""
        Graph._open.append(self)
        try:
            yield self
        finally:
            Graph._open.remove(self)

    @property
    def building_function(self) -> bool:
        """Whether a `tf.function` is recorded."""
        return bool(THREAD.functions)

    @property
    def seed(self) -> int | None:
        """The global seed."""
        return GLOBAL.seeds.seed

    def get_operations(self) -> "list[OpsBefore]":
        """Returns what stands for all ops so far: those that follow come after them anyway."""
        return [OpsBefore()]

    def unique_name(self, name: str, mark_as_used: bool = True) -> str:
        """Returns the name: tensors have none, so that none is taken."""
        return name

    def _unique(self, name: str) -> str:
        number = next(self._names.setdefault(name, itertools.count()))
        return f"{name}_{number}" if number else name


class OpsBefore:
    """Stands for the ops that have been called, where a program makes others wait for them."""

    def __repr__(self) -> str:
        return "<all ops so far>"


class SymbolicTensor(Tensor):
    """A tensor without a value, of a shape that need not be known."""

    def __init__(self, graph: Graph, name: str, dtype: dtypes.DType, shape: TensorShape) -> None:
        self.graph = graph
        self.name = f"{name}:0"
        self.dtype = dtype
        self.shape = shape

    def __repr__(self) -> str:
        return f"<tf.Tensor {self.name!r} shape={self.shape} dtype={self.dtype.name}>"

    def __str__(self) -> str:
        shape = "" if self.shape.rank is None else f", shape={self.shape}"
        return f'Tensor("{self.name}"{shape}, dtype={self.dtype.name})'

    def _dense_var_to_tensor(self, dtype: Any = None) -> "SymbolicTensor":
        return self

    def _slot_in(self, recording: Any) -> NoReturn:
        self._refuse()

    @property
    def _type(self) -> NoReturn:
        self._refuse()

    def numpy(self) -> NoReturn:
        """Raises: a placeholder has no value."""
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise RuntimeError(
            f"{self} has no value, and tapefacade runs no TensorFlow 1 graphs. Write a function of "
            "a tensor instead of a graph of placeholders."
        )


def placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> SymbolicTensor:
    """Makes a tensor without a value within a `tf.compat.v1.Graph`.

    Args:
        dtype: its dtype.
        shape: its shape; None if nothing is known of it.
        name: its name, "Placeholder" by default.

    Returns:
        A symbolic tensor. It can be shown and converted, not computed with.

    Raises:
        RuntimeError: outside of a graph.

    >>> with tf.compat.v1.Graph().as_default():
    ...     print(tf.compat.v1.placeholder(tf.int32))
    Tensor("Placeholder:0", dtype=int32)
    """
    if not Graph._open:
        raise RuntimeError("tf.placeholder() is not compatible with eager execution.")
    graph = Graph._open[-1]
    unique = graph._unique("Placeholder" if name is None else name)
    return SymbolicTensor(graph, unique, dtypes.as_dtype(dtype), as_shape(shape))


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
