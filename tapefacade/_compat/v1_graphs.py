"""Graphs and sessions of TensorFlow 1: nothing to initialize or list in eager code."""

import contextlib
import inspect
from collections.abc import Callable, Iterator
from typing import Any

from tapefacade._compat.graph_leftovers import Graph
from tapefacade._core.conversion import convert_to_tensor
from tapefacade._core.missing_members import NO_GRAPH, lacks
from tapefacade._core.missing_names import hint_for
from tapefacade._core.string_arrays import text_tensor
from tapefacade._core.tensor import MESSAGE_GRAPH_NAME, EagerTensor, Tensor
from tapefacade._definition.op import function
from tapefacade._trace.recording import THREAD

_DEFAULT_GRAPH = Graph()


class Session:
    """The session of TensorFlow 1, for annotations and `isinstance`: it cannot be made."""

    _advice = hint_for("tf.Session")  # `check` counts a class that has advice as missing

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise RuntimeError(f"There are no sessions. {self._advice}.")


class GraphDef:
    """A stored graph of TensorFlow 1, for annotations and `isinstance`: it cannot be made."""

    _advice = hint_for("tf.GraphDef")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise RuntimeError(f"There are no stored graphs. {self._advice}.")


@function("Operation")
@lacks(
    {
        "colocation_groups control_inputs device experimental_set_type from_node_def get_attr "
        "graph inputs name node_def op_def outputs run traceback type values": NO_GRAPH
    }
)
class GraphOperation:
    """A node of a graph, for annotations and `isinstance`: it cannot be made.

    >>> isinstance(tf.constant(1), tf.Operation)
    False
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise RuntimeError("Nodes of graphs cannot be made: tensors have values at once.")


GraphOperation.__name__ = GraphOperation.__qualname__ = "Operation"


@function("compat.v1.get_default_graph")
def get_default_graph() -> Graph:
    """Returns the graph that placeholders go to; outside of graphs one that says what runs now.

    >>> tf.compat.v1.get_default_graph().building_function
    False
    """
    return Graph._open[-1] if Graph._open else _DEFAULT_GRAPH


def _graph(tensor: EagerTensor) -> Graph:
    """In functions the default graph, by which libraries tell them apart; else no attribute."""
    if THREAD.functions:
        return get_default_graph()
    raise AttributeError(MESSAGE_GRAPH_NAME.format("graph"))


EagerTensor.graph = property(_graph)  # pyright: ignore[reportAttributeAccessIssue]


@function("compat.v1.colocate_with")
@contextlib.contextmanager
def colocate_with(op: Any, ignore_existing: bool = False) -> Iterator[None]:
    """Opens a block that changes nothing: JAX places what a program needs.

    Args:
        op: accepted for TensorFlow's sake.
        ignore_existing: accepted for TensorFlow's sake.

    >>> with tf.compat.v1.colocate_with(tf.constant(1)):
    ...     x = tf.constant(2)
    """
    yield


@function("compat.v1.placeholder_with_default")
def placeholder_with_default(input: Any, shape: Any, name: str | None = None) -> Any:
    """Returns a value as a tensor: nobody can feed another.

    Args:
        input: the value.
        shape: accepted for TensorFlow's sake.
        name: accepted for TensorFlow's sake.

    >>> tf.compat.v1.placeholder_with_default([1, 2], [None]).numpy()
    array([1, 2], dtype=int32)
    """
    return input if isinstance(input, Tensor) else convert_to_tensor(input)


def _nothing(table: str, value: Any = None, what: str = "Does nothing") -> None:
    """Makes functions that a program without graphs can do without.

    Args:
        table: a line for each: its name, and its parameters, with `?` behind those with a default.
        value: what they return.
        what: what they do.
    """
    for name, *given in map(str.split, table.strip().splitlines()):
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        parameters = [
            inspect.Parameter(each.rstrip("?"), kind, default=None)
            if each.endswith("?")
            else inspect.Parameter(each, kind)
            for each in given
        ]
        function(f"compat.v1.{name}")(_without_effect(name, parameters, value, what))


def _without_effect(
    name: str, parameters: list[inspect.Parameter], value: Any, what: str
) -> Callable[..., Any]:
    signature = inspect.Signature(parameters)

    def nothing(*args: Any, **kwargs: Any) -> Any:
        try:
            signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{name}() {error}") from None
        return list(value) if isinstance(value, list) else value

    described = "\n".join(f"        {parameter.name}: ignored." for parameter in parameters)
    example = ", ".join("None" for p in parameters if p.default is p.empty)
    made: Any = nothing
    made.__name__ = made.__qualname__ = name
    made.__signature__ = signature
    made.__doc__ = f"""{what}: there are no graphs.
{f"{chr(10)}    Args:{chr(10)}{described}{chr(10)}" if parameters else ""}
    >>> tf.compat.v1.{name}({example})
    {"" if value is None else value}
    """
    return made


_nothing(
    """
    global_variables_initializer
    local_variables_initializer
    tables_initializer name?
    initialize_all_variables
    variables_initializer var_list name?
    initialize_variables var_list name?
    initialize_local_variables
    initialize_all_tables name?
    enable_resource_variables
    enable_v2_tensorshape
    enable_control_flow_v2
    enable_tensor_equality
    reset_default_graph
    get_default_session
    no_regularizer _
    """
)
_nothing(
    """
    trainable_variables scope?
    global_variables scope?
    all_variables
    local_variables scope?
    model_variables scope?
    moving_average_variables scope?
    get_collection key scope?
    get_collection_ref key
    """,
    value=[],
    what="Lists nothing",
)
_nothing(
    """
    executing_eagerly
    executing_eagerly_outside_functions
    control_flow_v2_enabled
    resource_variables_enabled
    """,
    value=True,
    what="Says so",
)


@function("compat.v1.report_uninitialized_variables")
def report_uninitialized_variables(var_list: Any = None, name: str | None = None) -> Any:
    """Lists nothing: variables have a value from the start.

    Args:
        var_list: ignored.
        name: ignored.

    Returns:
        An empty string tensor.

    >>> tf.compat.v1.report_uninitialized_variables().numpy()
    array([], dtype=object)
    """
    return text_tensor([])


@function("compat.v1.is_variable_initialized")
def is_variable_initialized(variable: Any) -> Any:
    """Returns true: variables have a value from the start.

    Args:
        variable: a variable.

    >>> tf.compat.v1.is_variable_initialized(tf.Variable(1.0)).numpy()
    np.True_
    """
    return variable.is_initialized()


@function("compat.v1.GraphKeys")
class GraphKeys:
    """The names of the collections that graphs had.

    >>> tf.compat.v1.GraphKeys.TRAINABLE_VARIABLES
    'trainable_variables'
    """

    GLOBAL_VARIABLES = VARIABLES = "variables"
    LOCAL_VARIABLES = "local_variables"
    METRIC_VARIABLES = "metric_variables"
    MODEL_VARIABLES = "model_variables"
    TRAINABLE_VARIABLES = "trainable_variables"
    SUMMARIES = "summaries"
    MOVING_AVERAGE_VARIABLES = "moving_average_variables"
    REGULARIZATION_LOSSES = "regularization_losses"
    WEIGHTS = "weights"
    BIASES = "biases"
    ACTIVATIONS = "activations"
    UPDATE_OPS = "update_ops"
    LOSSES = "losses"
    GLOBAL_STEP = "global_step"
    TRAIN_OP = "train_op"
