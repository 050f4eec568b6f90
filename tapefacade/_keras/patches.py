"""What is changed in Keras, all of it, and how it is undone.

Keras runs on its JAX backend. Its backend's functions record their calls on our tensors, and
its variables hold ours.
"""

import importlib
import inspect
import os
import sys
import types
import warnings
from collections.abc import Callable
from typing import Any

import jax
import numpy as np
from jax.core import Tracer

from tapefacade._core.convert import convert, convert_to_tensor
from tapefacade._core.dispatch import CompositeTensor
from tapefacade._core.registry import FUNCTIONS
from tapefacade._core.tensor import EagerTensor
from tapefacade._keras import (
    datasets,
    loops,
    older,
    parts,
    preprocessing,
    symbolic,
    trainer,
    updating,
    variables,
)
from tapefacade._keras.direct import directly
from tapefacade._keras.lifting import Raw, lift, raw, takes_seed
from tapefacade._state.indexed_slices import IndexedSlices
from tapefacade._state.scopes import Making
from tapefacade._state.variable import ResourceVariable
from tapefacade._tape.lifting import init_scope, outside_of_functions
from tapefacade._trace.recording import THREAD

OLDEST, NEWEST = (3, 10), (3, 16)
MODULES = ("math", "nn", "numpy", "linalg", "random", "image")
FROM_CORE = ("scatter", "scatter_update", "slice", "slice_update", "unstack")
NARROW = ("nn", "image")  # the modules that know of no 64-bit integers
SIZES = (83, 89)  # in the place of a size that is not known
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
    symbolic.unregister(tensor.KerasTensor)
    variables.release(core.JaxVariable)
    PATCHES.undo()
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
    for name, member in variables.members().items():
        PATCHES.set(core.JaxVariable, name, member)
    made = core.JaxVariable._initialize_with_initializer
    PATCHES.set(core.JaxVariable, "_initialize_with_initializer", _outside(made))
    PATCHES.set(Making, "__instancecheck__", _is_instance(core.JaxVariable))
    replaced: dict[Any, Any] = {}
    for short in MODULES:
        module = importlib.import_module(f"keras.src.backend.jax.{short}")
        for name, function in list(vars(module).items()):
            if _is_own(function, module) and name not in NOT_LIFTED:
                made = directly(name, lift(function, name, is_narrow=short in NARROW))
                replaced[function] = _seeded(made) if takes_seed(function) else made
                PATCHES.set(module, name, replaced[function])
    knumpy = importlib.import_module("keras.src.backend.jax.numpy")
    original = _originals(replaced)
    for name in ("square", "absolute", "abs", "sign"):
        replaced[original[name]] = _of_rows(replaced[original[name]])
        PATCHES.set(knumpy, name, replaced[original[name]])
    replaced[original["take"]] = _take(replaced[original["take"]])
    PATCHES.set(knumpy, "take", replaced[original["take"]])
    for name in FROM_CORE:
        replaced[getattr(core, name)] = lift(getattr(core, name), name)
    replaced.update(_of_core(core))
    replaced[knumpy.array] = _array_of(replaced[core.convert_to_tensor])
    legacy = importlib.import_module("keras.src.legacy.layers")
    PATCHES.set(legacy, "tf", importlib.import_module("tapefacade"))
    for name, function in loops.REPLACED.items():
        replaced[getattr(core, name)] = loops.own(getattr(core, name))(function)
    rnn = importlib.import_module("keras.src.backend.jax.rnn")
    replaced[rnn.rnn] = loops.own(rnn.rnn)(loops.rnn)
    for name in ("lstm", "gru", "bidirectional_lstm", "bidirectional_gru"):
        if hasattr(rnn, name):
            replaced[getattr(rnn, name)] = lift(getattr(rnn, name), name)
    replaced[core.compute_output_spec] = _compute_output_spec(core.compute_output_spec)
    optimizer = importlib.import_module("keras.src.backend.jax.optimizer").JaxOptimizer
    base = importlib.import_module("keras.src.optimizers.base_optimizer").BaseOptimizer
    applying = updating.repeating(base._backend_apply_gradients)
    PATCHES.set(optimizer, "_backend_apply_gradients", applying)
    adapters = importlib.import_module("keras.src.trainers.data_adapters")
    replaced[adapters.get_data_adapter] = datasets.adapting(adapters.get_data_adapter)
    training = importlib.import_module("keras.src.backend.jax.trainer").JAXTrainer
    for name, member in trainer.members().items():
        PATCHES.set(training, name, member)
    preprocessing.apply(PATCHES)
    saveable = importlib.import_module("keras.src.saving.keras_saveable").KerasSaveable
    PATCHES.set(saveable, "_checkpoint_children", parts.parts)
    keras_tensor = importlib.import_module("keras.src.backend.common.keras_tensor").KerasTensor
    PATCHES.set(keras_tensor, "_dense_var_to_tensor", symbolic.hand_over)
    symbolic.register(keras_tensor)
    replaced[core.stop_gradient] = _stop_gradient(core.stop_gradient)
    _CHANGED.update((ours, original) for original, ours in replaced.items())
    _replace_everywhere(replaced, (core, jax_backend, backend))
    older.apply(PATCHES)


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


def _seeded(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a random function that draws its seed before its call is recorded."""
    signature = inspect.signature(function)
    draw = importlib.import_module("keras.src.random.seed_generator").draw_seed

    def seeded(*args: Any, **kwargs: Any) -> Any:
        if Raw.now():
            return function(*args, **kwargs)
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        seed = bound.arguments["seed"]
        if not isinstance(seed, EagerTensor | jax.Array):
            bound.arguments["seed"] = convert(draw(seed))
        return function(*bound.args, **bound.kwargs)

    seeded.__name__, seeded.__doc__ = function.__name__, function.__doc__
    return seeded


def _originals(replaced: dict[Any, Any]) -> dict[str, Any]:
    """Returns the functions of `keras.src.backend.jax.numpy`, by name."""
    return {f.__name__: f for f in replaced if f.__module__.endswith("jax.numpy")}


def _of_rows(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns an elementwise function that treats the rows of a sparse gradient one by one."""

    def of_rows(x: Any) -> Any:
        if isinstance(x, IndexedSlices):
            return IndexedSlices(function(x.values), x.indices, x.dense_shape)
        return function(x)

    of_rows.__name__, of_rows.__doc__ = function.__name__, function.__doc__
    return of_rows


def _take(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns `take`; of rows it is a gather, whose gradient is made of rows."""

    def take(x: Any, indices: Any, axis: int | None = None) -> Any:
        if Raw.now() or axis != 0:
            return function(x, indices, axis=axis)
        return FUNCTIONS["gather"](x, indices, axis=0)

    take.__doc__ = function.__doc__
    return take


def _array_of(convert_to_keras: Callable[..., Any]) -> Callable[..., Any]:
    def array(x: Any, dtype: Any = None) -> Any:
        return convert_to_keras(x, dtype)

    return array


def _stop_gradient(original: Callable[..., Any]) -> Callable[..., Any]:
    def stop_gradient(variable: Any) -> Any:
        if Raw.now():
            return original(variable)
        return FUNCTIONS["stop_gradient"](variable)

    return stop_gradient


def _of_core(core: types.ModuleType) -> dict[Any, Any]:
    """Returns our versions of the functions that make tensors or tell what they are."""
    original = core.convert_to_tensor

    def convert_to_keras(x: Any, dtype: Any = None, sparse: Any = None, ragged: Any = None) -> Any:
        if isinstance(x, CompositeTensor):
            return x
        if Raw.now() or isinstance(x, Tracer):
            if isinstance(x, EagerTensor):
                x = x._device_array()
            return raw(original, (x, dtype, sparse, ragged), {})
        if dtype is not None:
            dtype = core.standardize_dtype(dtype)
        if isinstance(x, core.JaxVariable):
            x = x.value
        if not isinstance(x, EagerTensor):
            if dtype is None and isinstance(x, float):
                dtype = core.config.floatx()
            x = _tensor(x, dtype)
        if dtype is not None and x.dtype.name != dtype:
            return FUNCTIONS["cast"](x, dtype)
        return x

    def cast(x: Any, dtype: Any) -> Any:
        if isinstance(x, float):  # it has Keras's precision first
            x = convert_to_keras(x)
        return convert_to_keras(x, dtype)

    def convert_to_numpy(x: Any) -> Any:
        return np.array(x)

    def is_tensor(x: Any, original: Any = core.is_tensor) -> bool:
        return isinstance(x, EagerTensor | CompositeTensor) or original(x)

    def shape(x: Any) -> Any:
        return tuple(x.shape.as_list()) if isinstance(x, EagerTensor) else tuple(x.shape)

    return {
        original: convert_to_keras, core.cast: cast, core.convert_to_numpy: convert_to_numpy,
        core.is_tensor: is_tensor, core.shape: shape,
    }  # fmt: skip


def _compute_output_spec(original: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the function that infers shapes, for functions that give tensors of ours.

    Keras stands for an unknown size by a symbol, of which our functions know nothing. Where one of
    them is called, numbers stand for it, twice: sizes that differ then are unknown.
    """

    def compute_output_spec(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        def on_arrays(*inner: Any, **named: Any) -> Any:
            return jax.tree.map(_array, fn(*inner, **named), is_leaf=_is_tensor)

        args, kwargs = jax.tree.map(_described, (args, kwargs), is_leaf=_is_tensor)
        try:
            # Keras asks JAX for 64 bits, and does not need them.
            with outside_of_functions(), warnings.catch_warnings():
                warnings.filterwarnings("ignore", "Explicitly requested dtype")
                return original(on_arrays, *args, **kwargs)
        except Exception:
            with outside_of_functions():
                first, second = (
                    original(on_arrays, *_sized(args, size), **_sized(kwargs, size))
                    for size in SIZES
                )
            return jax.tree.map(_unknown_where_different, first, second)

    return compute_output_spec


def _described(leaf: Any) -> Any:
    """Returns the shape and dtype of a tensor: nobody needs its value."""
    if not isinstance(leaf, EagerTensor) or leaf._type.numpy_dtype is None:
        return leaf
    return jax.ShapeDtypeStruct(leaf._type.shape, leaf._type.numpy_dtype)


def _sized(arguments: Any, size: int) -> Any:
    """Returns symbolic arguments with a number in the place of unknown sizes."""

    def sized(leaf: Any) -> Any:
        if not hasattr(leaf, "record_history"):
            return leaf
        shape = [size if length is None else length for length in leaf.shape]
        return type(leaf)(shape, dtype=leaf.dtype, name=leaf.name)  # as if it were dense

    return jax.tree.map(sized, arguments)


def _unknown_where_different(first: Any, second: Any) -> Any:
    if not hasattr(first, "record_history"):
        return first
    pairs = zip(first.shape, second.shape, strict=True)
    shape = [a if a == b else None for a, b in pairs]
    return type(first)(shape, dtype=first.dtype)


def _is_tensor(value: Any) -> bool:
    return isinstance(value, EagerTensor)


def _array(value: Any) -> Any:
    return value._device_array() if isinstance(value, EagerTensor) else value


def _tensor(x: Any, dtype: str | None) -> EagerTensor:
    try:
        return convert_to_tensor(x, dtype)
    except (TypeError, ValueError):
        return convert_to_tensor(x)
