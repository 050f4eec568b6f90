"""What is changed in Keras, all of it, and how it is undone.

Keras runs on its JAX backend. Its backend's functions record their calls on our tensors, and
its variables hold ours.
"""

import importlib
import os
import sys
import types
from collections.abc import Callable
from typing import Any

from tapefacade._keras import preprocessing
from tapefacade._keras.backend import (
    control_flow,
    conversion,
    random,
    shape_inference,
    symbolic_tensors,
    variables,
)
from tapefacade._keras.backend.direct_functions import directly
from tapefacade._keras.backend.lifted_functions import Raw, lift
from tapefacade._keras.keras2 import installation
from tapefacade._keras.training import datasets, optimizer_update, tracked_parts, trainer
from tapefacade._state.scopes import Making
from tapefacade._state.variable import ResourceVariable
from tapefacade._tape.init_scope import init_scope
from tapefacade._trace.recording import THREAD

OLDEST, NEWEST = (3, 10), (3, 16)
MODULES = ("math", "nn", "numpy", "linalg", "random", "image")
FROM_CORE = ("scatter", "scatter_update", "slice", "slice_update", "unstack")
NARROW = ("nn", "image")  # the modules that know of no 64-bit integers
NOT_LIFTED = {
    "jax_draw_seed", "array", "vectorize", "jvp", "ndim", "wrap_flash_attention",
}  # fmt: skip


class Patches:
    """Changes of attributes, which can be undone."""

    def __init__(self) -> None:
        self._before: list[tuple[Any, str, Any]] = []

    def set(self, owner: Any, name: str, value: Any) -> None:
        """Changes an attribute."""
        self._before.append((owner, name, vars(owner).get(name, _MISSING)))
        setattr(owner, name, value)

    def undo(self) -> None:
        """Gives every attribute back what it was."""
        while self._before:
            owner, name, value = self._before.pop()
            if value is _MISSING:
                delattr(owner, name)
            else:
                setattr(owner, name, value)


_MISSING = object()
PATCHES = Patches()
_CHANGED: dict[Any, Any] = {}  # Keras's own functions, by ours


def load() -> types.ModuleType:
    """Imports Keras on its JAX backend, and changes it.

    Returns:
        The module that `tf.keras` is.

    Raises:
        ImportError: if Keras is not installed, runs on another backend, or is of a version that
            this one does not know.
    """
    os.environ.setdefault("KERAS_BACKEND", "jax")
    try:
        keras = importlib.import_module("keras")
    except ImportError as error:
        raise ImportError(
            "tf.keras needs Keras 3, which is not installed: pip install 'tapefacade[keras]'"
        ) from error
    version = tuple(int(part) for part in keras.__version__.split(".")[:2])
    if not OLDEST <= version < NEWEST:
        raise ImportError(
            f"tf.keras works with Keras {_text(OLDEST)} to {_text(NEWEST)} (not included), and "
            f"{keras.__version__} is installed: pip install 'tapefacade[keras]'"
        )
    if keras.backend.backend() != "jax":
        raise ImportError(
            f"tf.keras needs Keras on JAX, but it runs on {keras.backend.backend()}: set the "
            "environment variable KERAS_BACKEND to jax, or import tapefacade before keras"
        )
    patch()
    return importlib.import_module("keras._tf_keras.keras")


def _text(version: tuple[int, int]) -> str:
    return ".".join(map(str, version))


def patch() -> None:
    """Changes Keras, unless it is changed already."""
    if PATCHES._before:
        return
    try:
        _change()
    except BaseException:
        PATCHES.undo()
        raise


def undo() -> None:
    """Makes Keras what it was; models that are there stay models of Keras."""
    if not PATCHES._before:
        return
    core = importlib.import_module("keras.src.backend.jax.core")
    tensor = importlib.import_module("keras.src.backend.common.keras_tensor")
    symbolic_tensors.unregister(tensor.KerasTensor)
    variables.release(core.JaxVariable)
    generators = importlib.import_module("keras.src.random.seed_generator")
    PATCHES.undo()
    random.release(generators.SeedGenerator)
    _replace_everywhere(_CHANGED, ())  # in modules that were imported meanwhile
    PATCHES._before.clear()
    _CHANGED.clear()
    Raw.variable = None


def _change() -> None:
    jax_backend = importlib.import_module("keras.src.backend.jax")
    backend = importlib.import_module("keras.src.backend")
    core = importlib.import_module("keras.src.backend.jax.core")
    scope = importlib.import_module("keras.src.backend.common.stateless_scope")
    Raw.in_stateless_scope = staticmethod(scope.in_stateless_scope)
    Raw.variable = backend.Variable
    Raw.floatx = staticmethod(backend.floatx)
    common = importlib.import_module("keras.src.backend.common.variables")
    variables.Scope.autocast = staticmethod(common.get_autocast_scope)
    dtypes = importlib.import_module("keras.src.backend.common.dtypes")
    wide = {int: "int64", "int": "int64", complex: "complex128"}  # as with TensorFlow
    PATCHES.set(dtypes, "PYTHON_DTYPES_MAP", {**dtypes.PYTHON_DTYPES_MAP, **wide})
    _change_variables(core)
    replaced = _lifted()
    for name in FROM_CORE:
        replaced[getattr(core, name)] = lift(getattr(core, name), name)
    replaced.update(conversion.of_core(core))
    replaced.update(random.of_core(core))
    knumpy = importlib.import_module("keras.src.backend.jax.numpy")
    replaced[knumpy.array] = conversion.array_of(replaced[core.convert_to_tensor])
    legacy = importlib.import_module("keras.src.legacy.layers")
    PATCHES.set(legacy, "tf", importlib.import_module("tapefacade"))
    for name, function in control_flow.REPLACED.items():
        replaced[getattr(core, name)] = control_flow.own(getattr(core, name))(function)
    replaced.update(_recurrent())
    replaced[core.compute_output_spec] = shape_inference.inferring(core.compute_output_spec)
    adapters = importlib.import_module("keras.src.trainers.data_adapters")
    replaced[adapters.get_data_adapter] = datasets.adapting(adapters.get_data_adapter)
    arrays = importlib.import_module("keras.src.trainers.data_adapters.array_data_adapter")
    batches = datasets.in_order_of_tensorflow(arrays.ArrayDataAdapter._get_iterator, arrays.tree)
    PATCHES.set(arrays.ArrayDataAdapter, "_get_iterator", batches)
    _change_training()
    preprocessing.apply(PATCHES)
    saveable = importlib.import_module("keras.src.saving.keras_saveable").KerasSaveable
    PATCHES.set(saveable, "_checkpoint_children", tracked_parts.parts)
    keras_tensor = importlib.import_module("keras.src.backend.common.keras_tensor").KerasTensor
    PATCHES.set(keras_tensor, "_dense_var_to_tensor", symbolic_tensors.hand_over)
    symbolic_tensors.register(keras_tensor)
    replaced[core.stop_gradient] = conversion.stopping(core.stop_gradient)
    _CHANGED.update((ours, original) for original, ours in replaced.items())
    _replace_everywhere(replaced, (core, jax_backend, backend))
    installation.apply(PATCHES)


def _change_variables(core: types.ModuleType) -> None:
    for name, member in variables.members().items():
        PATCHES.set(core.JaxVariable, name, member)
    made = core.JaxVariable._initialize_with_initializer
    PATCHES.set(core.JaxVariable, "_initialize_with_initializer", _outside(made))
    PATCHES.set(Making, "__instancecheck__", _is_instance(core.JaxVariable))


def _lifted() -> dict[Any, Any]:
    """Returns for each function of the backend's modules ours, and puts it in its place."""
    replaced: dict[Any, Any] = {}
    for short in MODULES:
        module = importlib.import_module(f"keras.src.backend.jax.{short}")
        for name, function in list(vars(module).items()):
            if _is_own(function, module) and name not in NOT_LIFTED:
                made = directly(name, lift(function, name, is_narrow=short in NARROW))
                replaced[function] = random.seeded(made) if random.takes_seed(function) else made
                PATCHES.set(module, name, replaced[function])
    knumpy = importlib.import_module("keras.src.backend.jax.numpy")
    original = _originals(replaced)
    for name in ("square", "absolute", "abs", "sign"):
        replaced[original[name]] = conversion.of_rows(replaced[original[name]])
        PATCHES.set(knumpy, name, replaced[original[name]])
    replaced[original["take"]] = conversion.taking(replaced[original["take"]])
    PATCHES.set(knumpy, "take", replaced[original["take"]])
    return replaced


def _recurrent() -> dict[Any, Any]:
    """Returns for each function of recurrent networks ours."""
    rnn = importlib.import_module("keras.src.backend.jax.rnn")
    replaced = {rnn.rnn: control_flow.own(rnn.rnn)(control_flow.rnn)}
    for name in ("lstm", "gru", "bidirectional_lstm", "bidirectional_gru"):
        if hasattr(rnn, name):
            replaced[getattr(rnn, name)] = lift(getattr(rnn, name), name)
    return replaced


def _change_training() -> None:
    optimizer = importlib.import_module("keras.src.backend.jax.optimizer").JaxOptimizer
    base = importlib.import_module("keras.src.optimizers.base_optimizer").BaseOptimizer
    applying = optimizer_update.repeating(base._backend_apply_gradients)
    PATCHES.set(optimizer, "_backend_apply_gradients", applying)
    training = importlib.import_module("keras.src.backend.jax.trainer").JAXTrainer
    for name, member in trainer.members().items():
        PATCHES.set(training, name, member)


def _is_instance(keras_variable: type) -> Callable[[Any, Any], bool]:
    """Makes Keras's variables instances of `tf.Variable`, for `isinstance`."""

    def check(cls: Any, instance: Any) -> bool:
        return type.__instancecheck__(cls, instance) or (
            isinstance(instance, keras_variable) and issubclass(ResourceVariable, cls)
        )

    return check


def _outside(initialize: Callable[..., None]) -> Callable[..., None]:
    """Gives variables their first value outside of the functions and tapes that run."""

    def initialize_with_initializer(self: Any, initializer: Any) -> None:
        if Raw.now():
            initialize(self, initializer)
        else:
            with init_scope():
                initialize(self, initializer)
            if THREAD.functions:
                THREAD.functions[-1].note_created(self._facade)

    return initialize_with_initializer


def _is_own(function: Any, module: types.ModuleType) -> bool:
    return (
        isinstance(function, types.FunctionType)
        and function.__module__ == module.__name__
        and not function.__name__.startswith("_")
    )


def _replace_everywhere(replaced: dict[Any, Any], first: tuple[Any, ...]) -> None:
    """Puts functions in the place of others, wherever Keras has imported these by name."""
    modules = [m for name, m in list(sys.modules.items()) if name.startswith("keras.")]
    for module in (*first, *modules):
        if not isinstance(module, types.ModuleType):
            continue
        for name, value in list(vars(module).items()):
            if isinstance(value, types.FunctionType) and value in replaced:
                PATCHES.set(module, name, replaced[value])


def _originals(replaced: dict[Any, Any]) -> dict[str, Any]:
    """Returns the functions of `keras.src.backend.jax.numpy`, by name."""
    return {f.__name__: f for f in replaced if f.__module__.endswith("jax.numpy")}
