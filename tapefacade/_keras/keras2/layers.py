"""Layers as in Keras 2: arguments, positions, `add_weight("name", ...)`, `add_loss(function)`."""

import enum
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tapefacade._core.tensor import EagerTensor
from tapefacade._keras.attribute_patches import AttributePatches
from tapefacade._keras.backend.variables import adopt, synchronized
from tapefacade._keras.keras2 import learning_phase
from tapefacade._keras.keras2.notices import Attribute, like, notice, refusal, source
from tapefacade._keras.keras2.tracked_variables import (
    is_submodule,
    setting_attribute,
    variables_of_module,
)
from tapefacade._ops.array.casting import cast
from tapefacade._tape.init_scope import init_scope

# Arguments of `add_weight` in Keras 2, in this order.
OF_WEIGHTS = (
    "name", "shape", "dtype", "initializer", "regularizer", "trainable", "constraint",
)  # fmt: skip
DROPPED_OF_WEIGHTS = {
    "use_resource", "partitioner", "collections", "caching_device", "experimental_autocast",
}  # fmt: skip
CELLS = {
    "lstm": "LSTMCell", "gru": "GRUCell", "simple_rnn": "SimpleRNNCell",
    "stacked_rnn_cells": "StackedRNNCells", "rnn": "RNN",
}  # fmt: skip
# Arguments of layers that chose among implementations; and those that change what comes out.
DROPPED_ARGUMENTS = ("implementation", "dynamic", "fused", "experimental_autocast", "inputs_dtype")
CHANGING_ARGUMENTS = {
    "time_major": "transpose the first two axes before and after the layer.",
    "virtual_batch_size": "split the batch before the layer.",
}


def apply(patches: AttributePatches) -> None:
    """Changes the classes of layers.

    Args:
        patches: sets the attributes.
    """
    layer = source("layers.layer").Layer
    patches.set(layer, "__init__", _initializing(layer.__init__))
    patches.set(layer, "__call__", _calling(layer.__call__))
    patches.set(layer, "__setattr__", setting_attribute(layer.__setattr__))
    patches.set(layer, "_is_submodule", is_submodule)
    patches.set(layer, "_variables_of_module", variables_of_module)
    patches.set(layer, "add_weight", _adding_weight(layer.add_weight))
    patches.set(layer, "add_variable", _adding_variable)
    shape = _inferring_shape(layer.compute_output_shape)
    patches.set(layer, "compute_output_shape", shape)
    patches.set(layer, "add_loss", _adding_loss(layer.add_loss))
    patches.set(layer, "_get_own_losses", _with_functions(layer._get_own_losses))
    patches.set(layer, "_post_build", _with_values(layer._post_build))
    resolve = learning_phase.resolve_with_learning_phase(layer._resolve_and_populate_arg)
    patches.set(layer, "_resolve_and_populate_arg", resolve)
    patches.set_members(layer, LayerMembers)
    module = source("layers.layer")
    shapes = module.update_shapes_dict_for_target_fn
    patches.set(module, "update_shapes_dict_for_target_fn", _with_lists(shapes))
    patches.set(layer, "build_from_config", _from_lists(layer.build_from_config))
    sequential = source("models.sequential").Sequential
    patches.set(sequential, "add", _adding_layer(sequential.add))
    embedding = source("layers.core.embedding").Embedding
    patches.set(embedding, "__init__", _embedding(embedding.__init__))
    dense = source("layers.core.dense").Dense
    patches.set(dense, "__init__", _of_numpy_units(dense.__init__))
    normalizing = source("layers.normalization.batch_normalization").BatchNormalization
    patches.set(normalizing, "__init__", _one_axis(normalizing.__init__))
    input_layer = source("layers.core.input_layer").InputLayer
    patches.set(input_layer, "__init__", _input(input_layer.__init__))
    for file, name in CELLS.items():
        cell = getattr(source(f"layers.rnn.{file}"), name)
        patches.set(cell, "get_initial_state", _starting(cell.get_initial_state))
    recurrent = source("layers.rnn.rnn").RNN
    patches.set(recurrent, "reset_states", _resetting_states)


def _initializing(original: Callable[..., None]) -> Callable[..., None]:
    @like(original)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
        if args:
            names = ("trainable", "name", "dtype")
            kwargs.update(zip(names, args, strict=False))
            notice("Layer(trainable, name, dtype)", "Layer(trainable=..., name=..., dtype=...)")
        if not kwargs:
            original(self)
            return
        name = type(self).__name__
        if "/" in str(kwargs.get("name")):
            kwargs["name"] = kwargs["name"].replace("/", "_")
            notice(f"{name}(name=...) with a slash", f"name={kwargs['name']!r}")
        for key in [key for key in DROPPED_ARGUMENTS if key in kwargs]:
            kwargs.pop(key)
            notice(f"{name}({key}=...)", f"{name} without it: it changes nothing")
        for key in [key for key in CHANGING_ARGUMENTS if key in kwargs]:
            if kwargs.pop(key):
                raise refusal(f"{name}({key}=...)", CHANGING_ARGUMENTS[key])
        values = kwargs.pop("weights", None)
        shape = kwargs.pop("batch_input_shape", None)
        original(self, **kwargs)
        if values is not None:
            notice(f"{name}(weights=...)", "`layer.set_weights(weights)` when the layer is built")
            self.__dict__["_older_values"] = list(values)
        if shape is not None:
            notice(f"{name}(batch_input_shape=...)", "tf.keras.Input(batch_shape=...) before it")
            self.__dict__["_older_batch_shape"] = tuple(shape)

    return __init__


def _of_numpy_units(original: Callable[..., None]) -> Callable[..., None]:
    @like(original)
    def __init__(self: Any, units: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
        if isinstance(units, np.integer):
            notice("Dense(a number of NumPy's)", "Dense(int(units))")
            units = int(units)
        original(self, units, *args, **kwargs)

    return __init__


def _with_values(original: Callable[[Any], None]) -> Callable[[Any], None]:
    def _post_build(self: Any) -> None:
        original(self)
        values = self.__dict__.pop("_older_values", None)
        if values is not None:
            self.set_weights([np.asarray(value) for value in values])

    return _post_build


class Shape(tuple[Any, ...]):
    """What `build` gets: a tuple that can do what a `tf.TensorShape` was asked for."""

    __slots__ = ()

    def as_list(self) -> list[int | None]:
        """Returns the sizes as a list."""
        notice("input_shape.as_list()", "list(input_shape)")
        return list(self)

    def __getitem__(self, key: Any) -> Any:
        part = super().__getitem__(key)
        return Shape(part) if isinstance(key, slice) else part

    @property
    def rank(self) -> int:
        """How many axes there are."""
        return len(self)

    ndims = rank


def _with_lists(original: Callable[..., Any]) -> Callable[..., Any]:
    """Returns what says which shapes `build` gets; those that users have written get lists."""

    @like(original)
    def update_shapes_dict_for_target_fn(target_fn: Any, shapes_dict: Any, **kwargs: Any) -> Any:
        shapes = original(target_fn, shapes_dict=shapes_dict, **kwargs)
        module = target_fn.__module__ or ""  # None of what `exec` makes without a `__name__`
        if target_fn.__name__ != "build" or module.startswith("keras."):
            return shapes
        return {name: _with_methods(shape) for name, shape in shapes.items()}

    return update_shapes_dict_for_target_fn


def _with_methods(shape: Any) -> Any:
    if shape is None:  # of what is no tensor
        return None
    return source("tree").map_shape_structure(Shape, shape)


def _from_lists(original: Callable[..., None]) -> Callable[..., None]:
    @like(original)
    def build_from_config(self: Any, config: Any) -> None:
        own = not type(self).__module__.startswith("keras.")
        if own and config and config.get("input_shape") is not None:
            config = {**config, "input_shape": _with_methods(config["input_shape"])}
        original(self, config)

    return build_from_config


def _calling(original: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the call of a layer; what is no tensor may come without its name."""

    @like(original)
    def __call__(self: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N807
        if len(args) > 1 and not getattr(self, "_allow_non_tensor_positional_args", False):
            args, kwargs = _by_name(self, args, kwargs)
        if "_older_pending" in self.__dict__:  # values read before there were variables
            put = self.__dict__.pop("_older_pending")
            original(self, *args, **kwargs)
            with init_scope():
                put()
        return original(self, *args, **kwargs)

    return __call__


def _by_name(
    layer: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Gives arguments names, from the first on that is no tensor."""
    first = next((i for i, x in enumerate(args) if i and not _is_tensors(x)), None)
    signature = getattr(layer, "_call_signature", None)
    if first is None or signature is None:
        return args, kwargs
    parameters = list(signature.parameters.values())
    kinds = {p.kind for p in parameters[: len(args)]}
    if inspect.Parameter.VAR_POSITIONAL in kinds or len(parameters) < len(args):
        return args, kwargs
    names = [p.name for p in parameters[first : len(args)]]
    if any(name in kwargs for name in names):
        return args, kwargs
    text = ", ".join(f"{name}=..." for name in names)
    notice(f"{type(layer).__name__}()(x, {', '.join(names)})", f"layer(x, {text})")
    return args[:first], {**kwargs, **dict(zip(names, args[first:], strict=True))}


def _is_tensors(value: Any) -> bool:
    if isinstance(value, EagerTensor):
        return True
    core = source("backend")
    kinds = (np.ndarray, core.KerasTensor, type(None))
    leaves = source("tree").flatten(value)
    return all(isinstance(leaf, kinds) or core.is_tensor(leaf) for leaf in leaves)


def _adding_weight(original: Callable[..., Any]) -> Callable[..., Any]:
    @like(original)
    def add_weight(self: Any, *args: Any, **kwargs: Any) -> Any:
        """Makes a variable of the layer; takes the arguments of Keras 2 as well.

        One of them, `getter`, is a function that returns a `tf.Variable` which the layer is to use.
        """
        if (args and (args[0] is None or isinstance(args[0], str))) or len(args) > 3:
            notice('layer.add_weight("name", shape)', 'layer.add_weight(shape=..., name="name")')
            kwargs.update(zip(OF_WEIGHTS, args, strict=False))
            args = ()
        if kwargs.keys() & DROPPED_OF_WEIGHTS:
            kwargs = {k: v for k, v in kwargs.items() if k not in DROPPED_OF_WEIGHTS}
        shape = kwargs.get("shape")
        if isinstance(shape, int):
            kwargs["shape"] = (shape,)
        elif shape is not None and not isinstance(shape, tuple):
            kwargs["shape"] = tuple(shape)
        if "aggregation" in kwargs:
            kwargs["aggregation"] = _mode(kwargs["aggregation"])
        synchronization = _mode(kwargs.pop("synchronization", None))
        getter = kwargs.pop("getter", None)
        if kwargs.get("name") is not None:
            kwargs["name"] = kwargs["name"].replace("/", "_")
        made = original(self, *args, **kwargs)
        if synchronization is not None:
            made = synchronized(made, synchronization)
        return made if getter is None else adopt(made, getter(**kwargs))

    return add_weight


def _mode(given: Any) -> Any:
    """Returns Keras's name of a `tf.VariableAggregation` or `tf.VariableSynchronization`."""
    return given.name.lower() if isinstance(given, enum.Enum) else given


def _inferring_shape(original: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the method that layers call which have one of their own: Keras 3's only raises."""

    @like(original)
    def compute_output_shape(self: Any, input_shape: Any) -> Any:
        tensor, tree = source("backend").KerasTensor, source("tree")
        inputs = tree.map_shape_structure(
            lambda shape: tensor(tuple(shape), self.compute_dtype), input_shape
        )
        outputs = source("backend").compute_output_spec(self.call, inputs)
        return tree.map_structure(lambda output: tuple(output.shape), outputs)

    return compute_output_shape


def _adding_variable(self: Any, *args: Any, **kwargs: Any) -> Any:
    """Makes a variable of the layer, as `add_weight` does."""
    return self.add_weight(*args, **kwargs)


def _starting(original: Callable[..., Any]) -> Callable[..., Any]:
    """Returns what gives the first state of a cell, which was told the inputs or a dtype."""

    @like(original)
    def get_initial_state(
        self: Any, inputs: Any = None, batch_size: Any = None, dtype: Any = None
    ) -> Any:
        if inputs is not None and not hasattr(inputs, "shape"):  # Keras 3's first argument
            inputs, batch_size = None, inputs
        if inputs is None and dtype is None:
            return original(self, batch_size)
        notice("cell.get_initial_state(inputs, batch_size, dtype)", "get_initial_state(batch_size)")
        if inputs is not None:
            batch_size, dtype = source("ops").shape(inputs)[0], inputs.dtype
        states = original(self, batch_size)
        return source("tree").map_structure(lambda state: cast(state, dtype), states)

    return get_initial_state


def _adding_loss(original: Callable[..., None]) -> Callable[..., None]:
    def add_loss(self: Any, loss: Any, inputs: Any = None) -> None:
        """Adds a loss: a tensor within `call`, or a function that is called for every loss."""
        losses = source("tree").flatten(loss)
        functions = [one for one in losses if callable(one)]
        others = [one for one in losses if not callable(one)]
        if functions:
            notice("layer.add_loss(function)", "`self.add_loss(value)` within `call`")
            self.__dict__.setdefault("_older_losses", []).extend(functions)
        if any(isinstance(one, source("backend").KerasTensor) for one in others):
            self._add_symbolic_losses(others)
        elif others:
            original(self, [_as_tensor(one) for one in others])

    return add_loss


def _as_tensor(loss: Any) -> Any:
    return source("ops").convert_to_tensor(loss) if isinstance(loss, float | int) else loss


def _with_functions(original: Callable[[Any], list[Any]]) -> Callable[[Any], list[Any]]:
    def _get_own_losses(self: Any) -> list[Any]:
        functions = self.__dict__.get("_older_losses", ())
        values = [value for value in (function() for function in functions) if value is not None]
        return [*original(self), *values]

    return _get_own_losses


class LayerMembers:
    """The members that Keras's class of layers gets: methods of Keras 2."""

    _compute_dtype = Attribute(
        "_compute_dtype", "`self.compute_dtype`", lambda self: self.compute_dtype
    )

    def add_update(self: Any, updates: Any, inputs: Any = None) -> None:
        """Does nothing: an assignment within `call` is an update."""
        notice("layer.add_update", "`variable.assign(...)` within `call`")
        if callable(updates):
            updates()

    def add_metric(self: Any, value: Any, name: str | None = None, aggregation: Any = None) -> None:
        """Adds a value within `call` to a mean that `fit` shows.

        Args:
            value: a tensor, or what a metric has returned.
            name: the name of the metric.
            aggregation: always the mean.
        """
        notice("layer.add_metric", "a metric made in `__init__` and updated in `call`")
        if name is None:
            raise refusal("layer.add_metric(value) without a name", "give `name=`.")
        if isinstance(value, source("backend").KerasTensor):
            raise refusal("model.add_metric(symbolic tensor)", "compute it in a layer's `call`.")
        metric = next((m for m in self._metrics if m.name == name), None)
        if metric is None:
            metric = source("metrics").Mean(name=name)
            locked = self._tracker.locked
            self._tracker.unlock()
            self._tracker.add_to_store("metrics", metric)
            if locked:
                self._tracker.lock()
        metric.update_state(value)

    def _add_symbolic_losses(self: Any, losses: Sequence[Any]) -> None:
        raise refusal("add_loss(symbolic tensor) of this layer", "call `add_loss` within `call`.")

    def get_updates_for(self: Any, inputs: Any) -> list[Any]:
        """Returns nothing: updates are assignments."""
        notice("layer.get_updates_for", "nothing: assignments within `call` happen by themselves")
        return []

    def get_losses_for(self: Any, inputs: Any) -> list[Any]:
        """Returns all losses."""
        notice("layer.get_losses_for", "`layer.losses`")
        return self.losses

    def get_input_at(self: Any, node_index: int) -> Any:
        """Returns the symbolic input of a call."""
        notice("layer.get_input_at", "`layer.input`")
        return _one(self._inbound_nodes[node_index].input_tensors)

    def get_output_at(self: Any, node_index: int) -> Any:
        """Returns the symbolic output of a call."""
        notice("layer.get_output_at", "`layer.output`")
        return _one(self._inbound_nodes[node_index].output_tensors)

    def get_input_shape_at(self: Any, node_index: int) -> Any:
        """Returns the shape of the symbolic input of a call."""
        return _shapes(self.get_input_at(node_index))

    def get_output_shape_at(self: Any, node_index: int) -> Any:
        """Returns the shape of the symbolic output of a call."""
        return _shapes(self.get_output_at(node_index))

    updates = Attribute("updates", "nothing: assignments happen by themselves", lambda self: [])
    inbound_nodes = Attribute("inbound_nodes", "_inbound_nodes", lambda self: self._inbound_nodes)
    outbound_nodes = Attribute(
        "outbound_nodes", "_outbound_nodes", lambda self: self._outbound_nodes
    )
    output_shape = Attribute(
        "output_shape", "`layer.output.shape`", lambda self: _shapes(_symbolic(self, "output"))
    )
    input_shape = Attribute(
        "input_shape", "`layer.input.shape`", lambda self: _shapes(_symbolic(self, "input"))
    )


def _symbolic(layer: Any, name: str) -> Any:
    try:
        return getattr(layer, name)
    except (ValueError, AttributeError) as error:
        raise AttributeError(f"Layer {layer.name} has no {name} shape: {error}") from None


def _one(values: Sequence[Any]) -> Any:
    return values[0] if len(values) == 1 else list(values)


def _shapes(values: Any) -> Any:
    if isinstance(values, list | tuple):
        return [tuple(value.shape) for value in values]
    return tuple(values.shape)


def _adding_layer(original: Callable[..., None]) -> Callable[..., None]:
    @like(original)
    def add(self: Any, layer: Any, *args: Any, **kwargs: Any) -> None:
        shape = getattr(layer, "_older_batch_shape", None)
        if shape is not None and not self._layers:
            original(self, source("layers").InputLayer(batch_shape=shape))
        original(self, layer, *args, **kwargs)

    return add


def _embedding(original: Callable[..., None]) -> Callable[..., None]:
    @like(original)
    def __init__(self: Any, input_dim: Any, output_dim: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
        length = kwargs.pop("input_length", None)
        sizes = (int(n) if isinstance(n, np.integer) else n for n in (input_dim, output_dim))
        original(self, *sizes, *args, **kwargs)
        if length is not None:
            notice("Embedding(input_length=...)", "tf.keras.Input((length,)) before it")
            if getattr(self, "_input_shape_arg", None) is None:
                self._input_shape_arg = tuple(np.ravel(length).tolist())

    return __init__


def _one_axis(original: Callable[..., None]) -> Callable[..., None]:
    @like(original)
    def __init__(self: Any, axis: Any = -1, *args: Any, **kwargs: Any) -> None:  # noqa: N807
        if isinstance(axis, list | tuple) and len(axis) == 1:
            axis = axis[0]
        original(self, axis, *args, **kwargs)

    return __init__


def _input(original: Callable[..., None]) -> Callable[..., None]:
    @like(original)
    def __init__(self: Any, shape: Any = None, *args: Any, **kwargs: Any) -> None:  # noqa: N807
        if isinstance(shape, int | np.integer):
            notice("Input(2)", "Input((2,))")
            shape = (int(shape),)
        original(self, shape, *args, **kwargs)

    return __init__


def _resetting_states(self: Any) -> None:
    """Gives the state of a recurrent layer its first value."""
    notice("layer.reset_states", "`layer.reset_state`")
    self.reset_state()
