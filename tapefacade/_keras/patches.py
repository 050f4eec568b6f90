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

from tapefacade._core.logging import get_logger
from tapefacade._core.optional_imports import broken, how_to_install
from tapefacade._core.traced_errors import raising_as_traced
from tapefacade._keras import exporting
from tapefacade._keras.attribute_patches import AttributePatches
from tapefacade._keras.backend import (
    control_flow,
    conversion,
    random,
    shape_inference,
    symbolic_tensors,
    tracebacks,
    variables,
)
from tapefacade._keras.backend.best_forms import in_best_form
from tapefacade._keras.backend.crossentropies import of_logits, of_probabilities
from tapefacade._keras.backend.direct_functions import direct_function
from tapefacade._keras.backend.lifted_functions import KerasState, lift, with_equal_indices
from tapefacade._keras.backend.rows_of_gradients import FUNCTIONS_OF_ROWS
from tapefacade._keras.keras2 import (
    backend as keras2_backend,
    callbacks,
    files,
    layers,
    losses,
    models,
    names,
    optimizer_slots,
    optimizers,
)
from tapefacade._keras.training import (
    datasets,
    layer_calls,
    metric_updates,
    optimizer_update,
    replica_statistics,
    tracked_parts,
    trainer,
)
from tapefacade._state.scopes import VariableMeta
from tapefacade._state.variable import ResourceVariable
from tapefacade._tape.init_scope import init_scope
from tapefacade._trace.garbage_collection import OLD_OBJECTS, no_collection
from tapefacade._trace.recording import THREAD

OLDEST_VERSION, NEWEST_VERSION = (3, 10), (3, 15)  # of Keras: those that are tested
MESSAGE_NEW = (
    "Keras %s is newer than %s, the newest that tf.keras is tested with. It is used all the same; "
    "if something fails, try pip install 'keras<=%s.99'."
)
BACKEND_MODULES = ("math", "nn", "numpy", "linalg", "random", "image")
CORE_FUNCTIONS = ("scatter", "scatter_update", "unstack")
CORE_FUNCTIONS_OF_INDICES = ("slice", "slice_update")
MODULES_OF_32_BITS = ("nn", "image")  # the modules that know of no 64-bit integers
FUNCTIONS_LEFT_ALONE = {
    "jax_draw_seed", "array", "vectorize", "jvp", "ndim", "wrap_flash_attention",
}  # fmt: skip
# Functions for the modules themselves that Keras calls on tensors, too.
USED_ELSEWHERE = ("_get_complex_tensor_from_tuple",)
# Modules whose `apply` makes Keras accept spellings of Keras 2, in this order.
KERAS2_PARTS = (
    optimizers, optimizer_slots, layers, losses, models, files, callbacks, keras2_backend, names,
)  # fmt: skip


PATCHES = AttributePatches()
_ORIGINAL_FUNCTIONS: dict[Any, Any] = {}  # Keras's own functions, by ours


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
        with no_collection(counts_as_old=True):
            keras = importlib.import_module("keras")
    except ImportError as error:
        raise ImportError(
            f"tf.keras needs Keras 3, which is not installed. {how_to_install('keras')}"
        ) from broken(error, "keras")
    version = tuple(int(part) for part in keras.__version__.split(".")[:2])
    if version < OLDEST_VERSION:
        raise ImportError(
            f"tf.keras works with Keras {_text(OLDEST_VERSION)} and newer, and {keras.__version__} "
            f"is installed. {how_to_install('keras')}"
        )
    is_new = version > NEWEST_VERSION
    if is_new and not PATCHES.are_set:
        get_logger().warning(
            MESSAGE_NEW, keras.__version__, _text(NEWEST_VERSION), _text(NEWEST_VERSION)
        )
    if keras.backend.backend() != "jax":
        raise ImportError(
            f"tf.keras needs Keras on JAX, but it runs on {keras.backend.backend()}: set the "
            "environment variable KERAS_BACKEND to jax, or import tapefacade before keras"
        )
    try:
        patch()
    except Exception as error:  # whatever a Keras that nobody has tried may raise
        if not is_new:
            raise
        raise ImportError(
            f"tf.keras does not run on Keras {keras.__version__}: {type(error).__name__}: {error}. "
            f"It is tested with Keras {_text(OLDEST_VERSION)} to {_text(NEWEST_VERSION)}: "
            f"pip install 'keras<={_text(NEWEST_VERSION)}.99'"
        ) from error
    return importlib.import_module("keras._tf_keras.keras")


def _text(version: tuple[int, int]) -> str:
    return ".".join(map(str, version))


def patch() -> None:
    """Changes Keras, unless it is changed already."""
    if PATCHES.are_set:
        return
    try:
        _change()
    except BaseException:  # also Ctrl-C: Keras is changed as a whole or not at all
        PATCHES.undo()
        raise


def undo() -> None:
    """Makes Keras what it was; models that are there stay models of Keras."""
    if not PATCHES.are_set:
        return
    core = importlib.import_module("keras.src.backend.jax.core")
    tensor = importlib.import_module("keras.src.backend.common.keras_tensor")
    symbolic_tensors.unregister(tensor.KerasTensor)
    OLD_OBJECTS.release()  # the variables that are there are looked for
    variables.release(core.JaxVariable)
    generators = importlib.import_module("keras.src.random.seed_generator")
    PATCHES.undo()
    random.release(generators.SeedGenerator)
    _replace_everywhere(_ORIGINAL_FUNCTIONS, ())  # in modules that were imported meanwhile
    PATCHES.forget()
    _ORIGINAL_FUNCTIONS.clear()
    KerasState.variable = None


def _change() -> None:
    jax_backend = importlib.import_module("keras.src.backend.jax")
    backend = importlib.import_module("keras.src.backend")
    core = importlib.import_module("keras.src.backend.jax.core")
    scope = importlib.import_module("keras.src.backend.common.stateless_scope")
    KerasState.in_stateless_scope = staticmethod(scope.in_stateless_scope)
    KerasState.variable = backend.Variable
    KerasState.floatx = staticmethod(backend.floatx)
    common = importlib.import_module("keras.src.backend.common.variables")
    variables.AutocastScope.autocast = staticmethod(common.get_autocast_scope)
    dtypes = importlib.import_module("keras.src.backend.common.dtypes")
    wide = {int: "int64", "int": "int64", complex: "complex128"}  # as with TensorFlow
    PATCHES.set(dtypes, "PYTHON_DTYPES_MAP", {**dtypes.PYTHON_DTYPES_MAP, **wide})
    _change_variables(core)
    replaced = _lifted()
    for name in CORE_FUNCTIONS:
        lifted = lift(getattr(core, name), name)
        replaced[getattr(core, name)] = direct_function(name, lifted)
    for name in CORE_FUNCTIONS_OF_INDICES:
        replaced[getattr(core, name)] = lift(with_equal_indices(getattr(core, name)), name)
    replaced.update(conversion.core_functions(core))
    replaced.update(random.core_functions(core))
    knumpy = importlib.import_module("keras.src.backend.jax.numpy")
    replaced[knumpy.array] = conversion.array_function(replaced[core.convert_to_tensor])
    legacy = importlib.import_module("keras.src.legacy.layers")
    PATCHES.set(legacy, "tf", importlib.import_module("tapefacade"))
    for name, function in control_flow.REPLACED_FUNCTIONS.items():
        replaced[getattr(core, name)] = control_flow.own(getattr(core, name))(function)
    replaced.update(_recurrent())
    replaced[core.compute_output_spec] = shape_inference.compute_output_spec_with_tensors(
        core.compute_output_spec
    )
    adapters = importlib.import_module("keras.src.trainers.data_adapters")
    replaced[adapters.get_data_adapter] = datasets.get_data_adapter_with_datasets(
        adapters.get_data_adapter
    )
    arrays = importlib.import_module("keras.src.trainers.data_adapters.array_data_adapter")
    batches = datasets.batches_in_order_of_tensorflow(
        arrays.ArrayDataAdapter._get_iterator, arrays.tree
    )
    PATCHES.set(arrays.ArrayDataAdapter, "_get_iterator", batches)
    slicing = importlib.import_module("keras.src.trainers.data_adapters.array_slicing")
    sliceable = datasets.sliceable_with_texts(slicing.convert_to_sliceable, slicing)
    PATCHES.set(slicing, "convert_to_sliceable", sliceable)
    losses = importlib.import_module("keras.src.losses.loss")
    scaled, unscaled = optimizer_update.scaled_for_replicas, optimizer_update.unscaled_of_replicas
    if hasattr(losses, "scale_loss_for_distribution"):
        replaced[losses.scale_loss_for_distribution] = scaled
        replaced[losses.unscale_loss_for_distribution] = unscaled
    PATCHES.set(
        losses, "reduce_values", replica_statistics.reduced_in_replicas(losses.reduce_values)
    )
    _change_training()
    _change_tracebacks()
    _change_look_ups_of_tensorflow()
    saveable = importlib.import_module("keras.src.saving.keras_saveable").KerasSaveable
    PATCHES.set(saveable, "_checkpoint_children", tracked_parts.parts)
    keras_tensor = importlib.import_module("keras.src.backend.common.keras_tensor").KerasTensor
    PATCHES.set(keras_tensor, "_dense_var_to_tensor", symbolic_tensors.hand_over)
    PATCHES.set(keras_tensor, "_is_tensor", False)
    symbolic_tensors.register(keras_tensor)
    replaced[core.stop_gradient] = conversion.stop_gradient_of_tensors(core.stop_gradient)
    _ORIGINAL_FUNCTIONS.update((ours, original) for original, ours in replaced.items())
    _replace_everywhere(replaced, (core, jax_backend, backend))
    for part in KERAS2_PARTS:
        part.apply(PATCHES)
    exporting.apply(PATCHES)
    layer_calls.apply(PATCHES)  # around all other changes of calls


def _change_variables(core: types.ModuleType) -> None:
    PATCHES.set_members(core.JaxVariable, variables.VariableMembers)
    PATCHES.set(core.JaxVariable, "_initialize_with_initializer", _outside(core))
    PATCHES.set(core.JaxVariable, "_direct_assign", _direct(core.JaxVariable._direct_assign))
    PATCHES.set(VariableMeta, "__instancecheck__", _is_instance(core.JaxVariable))


def _lifted() -> dict[Any, Any]:
    """Returns for each function of the backend's modules ours, and puts it in its place."""
    replaced: dict[Any, Any] = {}
    for short in BACKEND_MODULES:
        module = importlib.import_module(f"keras.src.backend.jax.{short}")
        for name, function in list(vars(module).items()):
            if _is_own(function, module) and name not in FUNCTIONS_LEFT_ALONE:
                computed = function
                if short == "nn":
                    computed = of_probabilities(name, in_best_form(name, function))
                lifted = lift(computed, name, is_narrow=short in MODULES_OF_32_BITS)
                made = of_logits(name, direct_function(name, lifted))
                replaced[function] = random.seeded(made) if random.takes_seed(function) else made
                PATCHES.set(module, name, replaced[function])
    knumpy = importlib.import_module("keras.src.backend.jax.numpy")
    original = _originals(replaced)
    for name, of_rows in FUNCTIONS_OF_ROWS.items():
        replaced[original[name]] = of_rows(replaced[original[name]])
        PATCHES.set(knumpy, name, replaced[original[name]])
    replaced[original["take"]] = conversion.take_with_row_gradients(replaced[original["take"]])
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


def _change_look_ups_of_tensorflow() -> None:
    """Lets Keras find this package where it looks for TensorFlow (texts, tables, files)."""
    modules = importlib.import_module("keras.src.utils.module_utils")
    PATCHES.set(modules.tensorflow, "module", importlib.import_module("tapefacade"))
    PATCHES.set(modules.tensorflow, "_available", True)
    # Its functions for files ask for this one where a path has `://`.
    PATCHES.set(modules.gfile, "module", importlib.import_module("tapefacade.io.gfile"))
    PATCHES.set(modules.gfile, "_available", True)
    utilities = importlib.import_module("keras.src.utils.dataset_utils")
    PATCHES.set(utilities, "is_tf_dataset", datasets.is_dataset)
    utils = importlib.import_module("keras.src.utils.backend_utils")
    PATCHES.set(utils, "in_tf_graph", lambda: False)
    backend = importlib.import_module("keras.src.backend")
    plain = utils.DynamicBackend.__getattr__

    def attribute(self: Any, name: str) -> Any:
        """Layers that ask for TensorFlow's backend get the one there is."""
        return getattr(backend, name) if self._backend == "tensorflow" else plain(self, name)

    PATCHES.set(utils.DynamicBackend, "__getattr__", attribute)
    PATCHES.set(backend, "tensorflow", importlib.import_module("keras.src.backend.jax"))


def _change_training() -> None:
    optimizer = importlib.import_module("keras.src.backend.jax.optimizer").JaxOptimizer
    base = importlib.import_module("keras.src.optimizers.base_optimizer").BaseOptimizer
    applying = optimizer_update.repeated_update(base._backend_apply_gradients)
    PATCHES.set(optimizer, "_backend_apply_gradients", applying)
    PATCHES.set(base, "apply", optimizer_update.whole_call(base.apply))
    adding = optimizer_update.slot_beside(base.add_variable_from_reference)
    PATCHES.set(base, "add_variable_from_reference", adding)
    updating = optimizer_update.update_of_replicas(base._backend_update_step)
    PATCHES.set(base, "_backend_update_step", updating)
    filtering = optimizer_update.filter_with_reason(base._filter_empty_gradients)
    PATCHES.set(base, "_filter_empty_gradients", filtering)
    PATCHES.set(base, "_clip_by_norm", optimizer_update.clip_with_rows(base._clip_by_norm))
    scaled = importlib.import_module("keras.src.optimizers.loss_scale_optimizer").LossScaleOptimizer
    applying = optimizer_update.scaled_update_of_replicas(scaled._common_apply)
    PATCHES.set(scaled, "_common_apply", applying)
    plain_layer = importlib.import_module("keras.src.layers.layer").Layer
    PATCHES.set(plain_layer, "set_weights", optimizer_update.whole_call(plain_layer.set_weights))
    metric_updates.change(PATCHES, importlib.import_module("keras.src.metrics.metric").Metric)
    losses = importlib.import_module("keras.src.trainers.compile_utils").CompileLoss
    mean = importlib.import_module("keras.src.metrics.reduction_metrics").Mean
    PATCHES.set(losses, "build", metric_updates.with_means_of_batches(losses.build, mean))
    layers = importlib.import_module("keras.src.layers.normalization.batch_normalization")
    layer = layers.BatchNormalization
    PATCHES.set(layer, "__init__", replica_statistics.synchronized_layer(layer.__init__))
    PATCHES.set(layer, "_moments", replica_statistics.moments_of_replicas(layer._moments))
    module = importlib.import_module("keras.src.backend.jax.trainer")
    # Where Keras calls a model in order to build it: on our tensors, which takes texts as well.
    PATCHES.set(module, "backend", types.SimpleNamespace(StatelessScope=raising_as_traced))
    training = module.JAXTrainer
    PATCHES.set_members(training, trainer.TrainerMembers)
    PATCHES.set(training, "__init__", trainer.made_in_scope(training.__init__))
    # Keras compiles a loaded model only if its class has the method of this one.
    plain = importlib.import_module("keras.src.trainers.trainer").Trainer
    PATCHES.set(plain, "compile", trainer.in_scope_of_model(plain.compile))
    epochs = importlib.import_module("keras.src.trainers.epoch_iterator").EpochIterator
    enumerated = trainer.ends_when_dropped(epochs._enumerate_iterator)
    PATCHES.set(epochs, "_enumerate_iterator", enumerated)
    for name in ("fit", "evaluate", "predict"):
        PATCHES.set(training, name, trainer.reads_for_strategy(getattr(training, name)))
    for name in ("train_on_batch", "test_on_batch", "predict_on_batch"):
        PATCHES.set(training, name, trainer.keeps_batch_whole(getattr(training, name)))
    PATCHES.set(training, "_symbolic_build", trainer.in_scope_of_model(training._symbolic_build))
    operation = importlib.import_module("keras.src.ops.operation").Operation
    inferred = tracebacks.inferred_with_op_errors(operation.compute_output_spec)
    PATCHES.set(operation, "compute_output_spec", inferred)


def _change_tracebacks() -> None:
    """Lets errors in layers keep their class and text, and leaves our lines out of tracebacks."""
    module = importlib.import_module("keras.src.utils.traceback_utils")
    for name, change in (
        ("inject_argument_info_in_traceback", tracebacks.inject_into_op_errors),
        ("format_argument_value", tracebacks.describe_as_tf_tensor),
        ("_process_traceback_frames", tracebacks.process_without_our_lines),
    ):
        PATCHES.set(module, name, change(getattr(module, name)))


def _is_instance(keras_variable: type) -> Callable[[Any, Any], bool]:
    """Makes Keras's variables instances of `tf.Variable`, for `isinstance`."""

    def check(cls: Any, instance: Any) -> bool:
        return type.__instancecheck__(cls, instance) or (
            isinstance(instance, keras_variable) and issubclass(ResourceVariable, cls)
        )

    return check


def _outside(core: types.ModuleType) -> Callable[[Any, Any], None]:
    """Gives variables their first value outside of the functions and tapes that run."""
    of_arrays = core.JaxVariable._initialize_with_initializer
    plain = core.KerasVariable._initialize_with_initializer
    initializers = importlib.import_module("keras.src.initializers.constant_initializers")
    numbers: dict[type, int] = {initializers.Zeros: 0, initializers.Ones: 1}

    def initialize_with_initializer(self: Any, initializer: Any) -> None:
        if KerasState.computes_on_arrays():
            of_arrays(self, initializer)
        else:
            with init_scope():
                self._initialize_layout()  # ours lays the value out where it is computed
                number = numbers.get(type(initializer))
                if number is None:
                    plain(self, initializer)
                else:
                    self._initialize(variables.filled(number, self._shape, self._dtype))
            if THREAD.functions:
                THREAD.functions[-1].note_created(self._facade)

    return initialize_with_initializer


def _direct(of_arrays: Callable[[Any, Any], None]) -> Callable[[Any, Any], None]:
    """Assigns: a variable of ours lays out what it gets itself."""

    def direct_assign(self: Any, value: Any) -> None:
        if KerasState.computes_on_arrays():
            of_arrays(self, value)
        else:
            self._value = value

    return direct_assign


def _is_own(function: Any, module: types.ModuleType) -> bool:
    return (
        isinstance(function, types.FunctionType)
        and function.__module__ == module.__name__
        and (not function.__name__.startswith("_") or function.__name__ in USED_ELSEWHERE)
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
