"""Optimizers that are written as in Keras 2: slots, hyperparameters, updates of one variable."""

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from tapefacade._core.conversion import convert_to_tensor
from tapefacade._keras.attribute_patches import AttributePatches
from tapefacade._keras.keras2.notices import Attribute, notice, source
from tapefacade._keras.keras2.optimizers import _as_rate
from tapefacade._ops.array.casting import cast
from tapefacade._ops.array.sorting import unique
from tapefacade._ops.math.segments import unsorted_segment_sum
from tapefacade._state.indexed_slices import IndexedSlices
from tapefacade._tape.init_scope import init_scope

# Where Keras 3 keeps what Keras 2 called slots.
SLOTS = {
    "m": "_momentums", "v": "_velocities", "vhat": "_velocity_hats", "momentum": "momentums",
    "rms": "_velocities", "mg": "_average_gradients", "accumulator": "_accumulators",
    "linear": "_linears", "accum_grad": "_accumulated_grads",
    "accum_var": "_accumulated_delta_vars", "average": "_model_variables_moving_average",
}  # fmt: skip


def apply(patches: AttributePatches) -> None:
    """Changes the class of optimizers, and gives `legacy` its classes.

    Args:
        patches: sets the attributes.
    """
    base = source("optimizers.base_optimizer").BaseOptimizer
    patches.set_members(base, OptimizerSlotMembers)
    patches.set(base, "build", _building(base.build))
    patches.set(base, "update_step", _updating(base.update_step))
    patches.set(base, "_backend_update_step", _all_updating(base._backend_update_step))
    patches.set(base, "_check_variables_are_known", _growing(base._check_variables_are_known))
    patches.set(base, "add_variable_from_reference", _adding(base.add_variable_from_reference))
    scaling = source("optimizers.loss_scale_optimizer").LossScaleOptimizer
    patches.set(scaling, "apply", _scaled_again(scaling.apply))
    patches.set(scaling, "get_scaled_loss", _scaled_loss)
    patches.set(scaling, "get_unscaled_gradients", _unscaled)


def variable_of(variable: Any) -> Any:
    """Returns our variable for one of Keras.

    Args:
        variable: of either kind.
    """
    held = getattr(variable, "_facade", None)
    return variable if held is None else held


class OptimizerSlotMembers:
    """The members that Keras's class of optimizers gets: slots and hyperparameters of Keras 2."""

    _index_dict = Attribute(
        "_index_dict", "`_get_variable_index`", lambda self: self._trainable_variables_indices
    )
    _hyper = Attribute("_hyper", "attributes of the optimizer", lambda self: _hypers(self))

    def _build_learning_rate(self: Any, learning_rate: Any) -> Any:
        """Makes of a rate what an optimizer keeps as `_learning_rate`."""
        rate = _as_rate(learning_rate, _schedules())
        if isinstance(rate, float):
            self._learning_rate.assign(rate)
            return self._learning_rate
        return rate

    def _set_hyper(self: Any, name: str, value: Any) -> None:
        if name != "learning_rate":
            setattr(self, name, value)
        elif value is not None:
            self.learning_rate = _as_rate(value, _schedules())

    def _get_hyper(self: Any, name: str, dtype: Any = None) -> Any:
        value = self._learning_rate if name == "learning_rate" else getattr(self, name)
        if isinstance(value, _schedules()):
            return value
        value = value() if callable(value) else value
        return value if dtype is None else cast(value, dtype)

    def _serialize_hyperparameter(self: Any, name: str) -> Any:
        value = self._get_hyper(name)
        return value if isinstance(value, _schedules()) else float(value)

    def add_slot(
        self: Any, var: Any, slot_name: str, initializer: Any = "zeros", shape: Any = None
    ) -> Any:
        """Makes a variable that goes with another, unless it is there."""
        slots = self.__dict__.setdefault("_older_slots", {})
        key = id(variable_of(var)), slot_name
        if key not in slots:
            made = self.add_variable(
                tuple(var.shape if shape is None else shape), initializer, var.dtype, name=slot_name
            )
            slots[key] = variable_of(made)
        return slots[key]

    def get_slot(self: Any, var: Any, slot_name: str) -> Any:
        """Returns the variable of a name that goes with another."""
        slots = self.__dict__.get("_older_slots", {})
        key = id(variable_of(var)), slot_name
        if key in slots:
            return slots[key]
        attribute = SLOTS.get(slot_name, slot_name)
        if slot_name == "momentum" and hasattr(self, "_momentums"):
            attribute = "_momentums"
        kept = getattr(self, attribute, None)
        known = [variable_of(v) for v in self._trainable_variables]
        if not kept or not any(v is variable_of(var) for v in known):
            raise KeyError(f"{self.name} has no slot {slot_name!r} for {var.name}")
        notice("optimizer.get_slot", "`optimizer.variables`")
        return next(s for v, s in zip(known, kept, strict=True) if v is variable_of(var))

    def add_weight(
        self: Any,
        name: str,
        shape: Any,
        dtype: Any = None,
        initializer: Any = "zeros",
        **kwargs: Any,
    ) -> Any:
        """Makes a variable of the optimizer."""
        return variable_of(self.add_variable(tuple(shape), initializer, dtype, name=name))

    def _prepare_local(self: Any, var_device: Any, var_dtype: Any, apply_state: Any) -> None:
        apply_state.setdefault((var_device, var_dtype), {})["lr_t"] = self._decayed_lr(var_dtype)

    def _fallback_apply_state(self: Any, var_device: Any, var_dtype: Any) -> dict[str, Any]:
        state: dict[Any, Any] = {(var_device, var_dtype): {}}
        self._prepare_local(var_device, var_dtype, state)
        return state[var_device, var_dtype]

    def _resource_scatter_add(self: Any, x: Any, i: Any, v: Any) -> Any:
        variable_of(x).scatter_add(IndexedSlices(v, i))
        return variable_of(x).value()


def _schedules() -> type:
    return source("optimizers.schedules.learning_rate_schedule").LearningRateSchedule


def _hypers(optimizer: Any) -> dict[str, Any]:
    names = ("beta_1", "beta_2", "momentum", "rho", "decay")
    found = {name: getattr(optimizer, name) for name in names if hasattr(optimizer, name)}
    return {"learning_rate": optimizer._learning_rate, **found}


def _building(original: Callable[..., None]) -> Callable[..., None]:
    def build(self: Any, variables: Sequence[Any]) -> None:
        """Makes the variables of the optimizer, for those that it is to change."""
        if not len(variables):  # Keras does so where it reads models from HDF5
            self._older_waiting = True
            return
        original(self, variables)
        if hasattr(self, "_create_slots"):
            notice("an optimizer with `_create_slots`", "`build`")
            self._create_slots(list(variables))

    return build


def _updating(original: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the update of one variable; the methods of a class of Keras 2 do it."""

    def update_step(self: Any, gradient: Any, variable: Any, learning_rate: Any = None) -> Any:
        if not hasattr(self, "_resource_apply_dense"):
            return original(self, gradient, variable, learning_rate)
        notice("an optimizer with `_resource_apply_dense`", "`update_step`")
        variable = variable_of(variable)
        state: dict[Any, Any] = {}
        self._prepare_local(variable.device, variable.dtype, state)
        rows = isinstance(gradient, IndexedSlices) and hasattr(self, "_resource_apply_sparse")
        function = self._resource_apply_sparse if rows else self._resource_apply_dense
        known = "apply_state" in inspect.signature(function).parameters
        more = {"apply_state": state} if known else {}
        if not rows:
            return function(convert_to_tensor(gradient), variable, **more)
        indices, places = unique(gradient.indices)[:2]
        count: Any = indices.shape[0]
        values = unsorted_segment_sum(gradient.values, places, count)
        return function(values, variable, indices, **more)

    return update_step


@functools.cache
def _takes_no_rate(cls: type) -> bool:
    """Whether the update of a class is that of Keras 2, without the learning rate."""
    parameters = inspect.signature(cls.update_step).parameters
    return len(parameters) == 3 and not any(
        p.kind is inspect.Parameter.VAR_POSITIONAL for p in parameters.values()
    )


def _all_updating(original: Callable[..., Any]) -> Callable[..., Any]:
    def _backend_update_step(self: Any, grads: Any, variables: Any, learning_rate: Any) -> Any:
        if self.__dict__.get("_decay"):
            learning_rate = self._get_current_learning_rate()
        if not _takes_no_rate(type(self)):
            return original(self, grads, variables, learning_rate)
        notice(
            "update_step(gradient, variable)", "`update_step(gradient, variable, learning_rate)`"
        )
        for gradient, variable in zip(grads, variables, strict=True):
            self.update_step(gradient, variable)
        return None

    return _backend_update_step


def _adding(original: Callable[..., Any]) -> Callable[..., Any]:
    def add_variable_from_reference(
        self: Any,
        reference_variable: Any = None,
        name: str | None = None,
        initializer: Any = "zeros",
        **older: Any,
    ) -> Any:
        """Makes a variable like another one; takes the arguments of Keras 2 as well."""
        if not older:
            return original(self, reference_variable, name, initializer)
        notice(
            "add_variable_from_reference(model_variable=..., variable_name=...)",
            "`reference_variable=` and `name=`",
        )
        reference_variable = older.pop("model_variable", reference_variable)
        name = older.pop("variable_name", name)
        value = older.pop("initial_value", None)
        shape = older.pop("shape", None)
        made = (
            original(self, reference_variable, name, initializer)
            if shape is None
            else self.add_variable(shape, initializer, reference_variable.dtype, name=name)
        )
        if value is not None:
            made.assign(value)
        return made

    return add_variable_from_reference


def _growing(original: Callable[..., None]) -> Callable[..., None]:
    """Returns the check of variables; optimizers of the older kind take new ones at any time."""

    def _check_variables_are_known(self: Any, variables: Sequence[Any]) -> None:
        values = self.__dict__.pop("_older_values", None)
        if values is not None:
            with init_scope():
                self.set_weights(values)
        known = self._trainable_variables_indices
        new = [v for v in variables if self._var_key(v) not in known]
        if not new:
            return
        if not self.__dict__.get("_older"):
            try:
                original(self, variables)
            except ValueError as error:
                error.add_note("`tf.keras.optimizers.legacy` takes new variables at any time.")
                raise
        _grow(self, new)

    return _check_variables_are_known


def _grow(optimizer: Any, new: Sequence[Any]) -> None:
    """Builds an optimizer for more variables: its lists of slots get longer."""
    names = [name for name, value in vars(optimizer).items() if _is_slots(optimizer, name, value)]
    before = {name: list(getattr(optimizer, name)) for name in names}
    indices, trained = dict(optimizer._trainable_variables_indices), optimizer._trainable_variables
    optimizer.built = False
    optimizer.build(list(new))
    optimizer.built = True
    for name, slots in before.items():
        object.__setattr__(optimizer, name, [*slots, *getattr(optimizer, name)])
    places = {key: len(trained) + i for key, i in optimizer._trainable_variables_indices.items()}
    optimizer._trainable_variables_indices = {**indices, **{
        key: place for key, place in places.items() if key not in indices
    }}  # fmt: skip
    optimizer._trainable_variables = [*trained, *new]


def _is_slots(optimizer: Any, name: str, value: Any) -> bool:
    return (
        isinstance(value, list)
        and name not in ("_variables", "_trainable_variables")
        and len(value) == len(optimizer._trainable_variables) > 0
    )


def _scaled_loss(self: Any, loss: Any) -> Any:
    """Returns a loss times the scale."""
    notice("optimizer.get_scaled_loss", "`optimizer.scale_loss`")
    return self.scale_loss(loss() if callable(loss) else loss)


def _unscaled(self: Any, grads: Sequence[Any]) -> list[Any]:
    """Returns gradients divided by the scale."""
    notice("optimizer.get_unscaled_gradients", "nothing: `apply` divides by the scale")
    self.__dict__["_older_unscaled"] = True
    scale = _scale_of(self)
    return [None if gradient is None else gradient / scale for gradient in grads]


def _scale_of(optimizer: Any) -> Any:
    """Returns the scale of losses; before the optimizer is built, the one that it starts with."""
    return optimizer.dynamic_scale if optimizer.built else optimizer.initial_scale


def _scaled_again(original: Callable[..., Any]) -> Callable[..., Any]:
    """Returns `apply`, which divides by the scale; what is divided already is scaled again."""

    @functools.wraps(original)
    def apply(self: Any, grads: Sequence[Any], trainable_variables: Any = None) -> Any:
        if self.__dict__.pop("_older_unscaled", False):
            scale = _scale_of(self)
            grads = [None if gradient is None else gradient * scale for gradient in grads]
        return original(self, grads, trainable_variables)

    return apply
