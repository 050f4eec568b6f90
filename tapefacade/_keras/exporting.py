"""`model.export` and `keras.export.ExportArchive`: endpoints are functions of ours.

Keras's archive for JAX hands the programs over to TensorFlow. Here layers are called with tensors
as with TensorFlow's backend, and `tf.saved_model.save` writes what they record.
"""

import importlib
import types
from typing import Any

from tapefacade._core import dtypes, nest
from tapefacade._core.missing_names import root_module
from tapefacade._core.tensor_spec import TensorSpec
from tapefacade._function.function.function import Function
from tapefacade._keras.attribute_patches import AttributePatches
from tapefacade._keras.backend.tensorflow_functions import TENSORFLOW
from tapefacade._keras.backend.variables import adopt
from tapefacade._state.variable import Variable


class _ArchiveMembers:
    """The members that Keras's archive for JAX gets."""

    _tf_trackable: Any
    _endpoint_names: list[str]

    def _backend_track_layer(self, layer: Any) -> None:
        held = self._tf_trackable
        for name in ("variables", "trainable_variables", "non_trainable_variables"):
            getattr(held, name).extend(variable._root for variable in getattr(layer, name))

    def _backend_add_endpoint(
        self, name: str, fn: Any, input_signature: Any, **options: Any
    ) -> Function:
        """Makes an endpoint; options about the hand-over to TensorFlow have nothing to change."""
        return root_module().function(fn, input_signature=input_signature, autograph=False)

    def _convert_to_tf_variable(self, backend_variable: Any) -> Variable:
        return backend_variable._root

    def _get_concrete_fn(self, endpoint: str) -> Any:
        made = getattr(self._tf_trackable, endpoint)
        return made if made.input_signature else made._list_all_concrete_functions()[0]

    def _filter_and_track_resources(self) -> None:
        """Keeps the variables of all endpoints, also those of layers that were not tracked."""
        archive = importlib.import_module("keras.src.export.saved_model_export_archive")
        functions = [self._get_concrete_fn(name) for name in self._endpoint_names]
        trainable, others = archive._list_variables_used_by_fns(functions)
        self._tf_trackable._all_variables = [*trainable, *others]


class _ModelMembers:
    """The members that Keras's class of models gets."""

    @property
    def _default_save_signature(self: Any) -> Function | None:
        """What `tf.saved_model.save` makes the default signature; None if the model is not built.

        Texts have none: what is computed of them is no program.
        """
        functional = getattr(self, "_functional", None) or self
        inputs, shapes = getattr(functional, "_inputs_struct", None), self._build_shapes_dict
        if inputs is not None:
            given = nest.map_structure(lambda x: TensorSpec(x.shape, x.dtype), inputs)
        elif shapes and all(type(shape) is tuple for shape in shapes.values()):
            given = TensorSpec((None, *next(iter(shapes.values()))[1:]), self.input_dtype)
        else:
            return None
        if any(spec.dtype is dtypes.string for spec in nest.flatten(given)):
            return None

        def serving_default(inputs: Any) -> Any:
            return self(inputs)

        return Function(serving_default, input_signature=[given], autograph=False)


def apply(patches: AttributePatches) -> None:
    """Changes how Keras exports models, and how its layer loads them.

    Args:
        patches: sets the attributes.
    """
    backend = importlib.import_module("keras.src.backend")
    patches.set_members(importlib.import_module("keras.src.models.model").Model, _ModelMembers)
    try:
        archive = importlib.import_module("keras.src.export.saved_model_export_archive")
    except ModuleNotFoundError:  # of an older Keras
        return
    patches.set(archive, "tf", TENSORFLOW)
    own = importlib.import_module("keras.src.backend.jax.export").JaxExportArchive
    patches.set_members(own, _ArchiveMembers)
    layer = importlib.import_module("keras.src.export.tfsm_layer")

    def adopted(initializer: Variable, **options: Any) -> Any:
        """Makes a variable of Keras's that holds one of a loaded model."""
        return adopt(backend.Variable(initializer=initializer, **options), initializer)

    of_tensorflow = types.SimpleNamespace(backend=lambda: "tensorflow", Variable=adopted)
    patches.set(layer, "backend", of_tensorflow)
