"""Files as in Keras 2: weights and models under names without the suffixes of Keras 3."""

import importlib
import json
import os
import threading
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from tapefacade._core.tracebacks import shortening
from tapefacade._io.storage import is_remote, local_copy, local_target, storage_of
from tapefacade._io.whole_files import write_beside
from tapefacade._keras.attribute_patches import AttributePatches
from tapefacade._keras.keras2.notices import like, notice, refusal, source
from tapefacade._trace.recording import all_or_nothing

HDF5 = (".h5", ".hdf5", ".keras")
HUGGING_FACE = "hf://"  # Keras downloads it by itself
SIGNATURE_OF_HDF5 = b"\x89HDF\r\n\x1a\n"
DROPPED_OF_SAVE = ("signatures", "options", "save_traces")
LAYER = "layer_with_weights-{}"
IN_CHECKPOINTS = "/.ATTRIBUTES/VARIABLE_VALUE"
MESSAGE_SAVED_MODEL = (
    "{} is a SavedModel. Keras 3 does not make models of these: use `tf.saved_model.load`, or save "
    "the model again with Keras 2, `model.save('name.h5')`."
)
MESSAGE_MISFITS = (
    "{}\n\n{} values in the file do not fit, and nothing was loaded:\n{}\nMake the model as it was "
    "when it was saved, or write load_weights(path, skip_mismatch=True)."
)


def apply(patches: AttributePatches) -> None:
    """Changes how models are saved and loaded.

    Args:
        patches: sets the attributes.
    """
    model = source("models.model").Model
    api = source("saving.saving_api")
    patches.set(model, "save_weights", _saving_weights(model.save_weights))
    patches.set(model, "load_weights", _loading_weights(model.load_weights))
    patches.set(model, "save", _saving(model.save))
    initializer = source("initializers.initializer").Initializer
    patches.set(initializer, "from_config", classmethod(_initializer_from_config))
    losses = source("losses")
    patches.set(losses, "deserialize", _by_short_name(losses.deserialize, losses.ALL_OBJECTS_DICT))
    made = _loading(api.load_model)
    saving = _saving(api.save_model)
    places = (
        "keras.src.saving.saving_api", "keras.src.saving", "keras.saving", "keras.models",
    )  # fmt: skip
    for place in places:
        module = importlib.import_module(place)
        for name, function in (("load_model", made), ("save_model", saving)):
            if hasattr(module, name):
                patches.set(module, name, function)
    models = source("models.model")
    reading = _from_json(models.model_from_json)
    for module in (models, importlib.import_module("keras.models")):
        patches.set(module, "model_from_json", reading)


def _initializer_from_config(cls: Any, config: dict[str, Any]) -> Any:
    """Makes an initializer; those of Keras 2 and TensorFlow 1 also kept a dtype."""
    return cls(**{key: value for key, value in config.items() if key != "dtype"})


# Weights.


def _saving_weights(original: Callable[..., None]) -> Callable[..., None]:
    @like(original)
    def save_weights(
        self: Any,
        filepath: Any,
        overwrite: bool = True,
        save_format: str | None = None,
        options: Any = None,
        **kwargs: Any,
    ) -> None:
        if isinstance(save_format, int | float) or "max_shard_size" in kwargs:
            original(self, filepath, overwrite, kwargs.get("max_shard_size", save_format))
            return
        path = os.fspath(filepath)
        if path.endswith(".weights.h5"):
            _save_beside(path, overwrite, lambda place: original(self, place, overwrite))
            return
        if path.endswith(".weights.json"):
            original(self, filepath, overwrite)
            return
        notice(f"model.save_weights({_example(path)!r})", 'model.save_weights("name.weights.h5")')
        if os.path.dirname(path):
            storage_of(path).makedirs(os.path.dirname(path))
        if path.endswith(HDF5) or save_format in ("h5", "hdf5", "keras"):
            _save_beside(path, overwrite, partial(_save_hdf5, self))
        else:
            _save_checkpoint(self, path)

    return shortening(save_weights)


def _example(path: str) -> str:
    return "name" + os.path.splitext(path)[1]


def _save_hdf5(model: Any, path: str) -> None:
    with local_target(path) as local, importlib.import_module("h5py").File(local, "w") as file:
        source("legacy.saving.legacy_h5_format").save_weights_to_hdf5_group(file, model)


def _save_beside(path: str, overwrite: bool, save: Callable[[str], None]) -> None:
    """Saves over a file; what ends on the way leaves the file as it was."""
    if overwrite and not is_remote(path) and os.path.isfile(path):
        end = ".weights.h5" if path.endswith(".weights.h5") else os.path.splitext(path)[1]
        write_beside(os.path.realpath(path), save, end)
    else:
        save(path)


def _loading_weights(original: Callable[..., Any]) -> Callable[..., Any]:
    @like(original)
    def load_weights(
        self: Any,
        filepath: Any,
        skip_mismatch: Any = False,
        by_name: bool = False,
        options: Any = None,
        **kwargs: Any,
    ) -> Any:
        path = os.fspath(filepath)
        known = path.endswith((".weights.h5", ".weights.json")) and not by_name
        if known or (path.endswith(".keras") and not _is_hdf5(path)):
            load = partial(original, self, filepath, skip_mismatch=skip_mismatch, **kwargs)
            return _loaded_wholly(self, load)
        notice(f"model.load_weights({_example(path)!r})", 'model.load_weights("name.weights.h5")')
        if path.endswith(HDF5) or _is_hdf5(path):
            _loaded_wholly(self, partial(_load_hdf5, self, path, by_name, skip_mismatch))
            return None
        return _loaded_wholly(self, partial(_load_checkpoint, self, path))

    return shortening(load_weights)


def _loaded_wholly(model: Any, load: Callable[[], Any]) -> Any:
    """Loads weights; if some do not fit, all variables keep their values, and the error names all.

    Raises:
        ValueError: if a shape does not fit.
    """
    parts = [model, getattr(model, "optimizer", None)]
    held = [
        (variable, variable._root._seen)
        for part in parts
        if part is not None
        for variable in part.variables
    ]
    try:
        return all_or_nothing(load)
    except ValueError as error:
        for variable, tensor in held:
            if variable._root._seen is not tensor:
                variable._root.assign(tensor)
        misfits = _misfits(load)
        if not misfits:
            raise
        text = MESSAGE_MISFITS.format(error, len(misfits), "\n".join(misfits))
        raise ValueError(text) from None


def _misfits(load: Callable[[], Any]) -> list[str]:
    """Returns a line for each variable that a value does not fit; loads nothing."""
    kind = importlib.import_module("keras").Variable
    assign, thread = kind.assign, threading.get_ident()
    found: list[str] = []

    def note(variable: Any, value: Any, *args: Any, **kwargs: Any) -> Any:
        if threading.get_ident() != thread:
            return assign(variable, value, *args, **kwargs)
        shape, wanted = tuple(value.shape), tuple(variable.shape)
        if shape != wanted:
            found.append(f"    {variable.path}: shape {shape} in the file, {wanted} in the model")
        return value

    patches = AttributePatches()
    patches.set(kind, "assign", note)
    try:
        load()
    except ValueError:
        pass  # counts of variables that differ: the first error has told it
    finally:
        patches.undo()
    return found


def _is_hdf5(path: str) -> bool:
    if path.startswith(HUGGING_FACE) or not storage_of(path).isfile(path):
        return False
    with storage_of(path).open(path, "rb") as file:
        return file.read(len(SIGNATURE_OF_HDF5)) == SIGNATURE_OF_HDF5


def _load_hdf5(model: Any, path: str, by_name: bool, skip_mismatch: bool) -> None:
    formats = source("legacy.saving.legacy_h5_format")
    by_it = formats.load_weights_from_hdf5_group_by_name
    with local_copy(path) as local, importlib.import_module("h5py").File(local, "r") as file:
        whole = "layer_names" not in file.attrs and "model_weights" in file
        group = file["model_weights"] if whole else file
        (by_it if by_name else formats.load_weights_from_hdf5_group)(group, model, skip_mismatch)


def _variables(model: Any) -> dict[str, Any]:
    """Returns the variables of a model, by the names that Keras 2 gives them in checkpoints."""
    if not isinstance(model, source("models").Sequential | source("models.functional").Functional):
        return dict(_named(model, "", set()))
    layers = model._flatten_layers(include_self=False, recursive=False)
    found: dict[str, Any] = {}
    for place, layer in enumerate(layer for layer in layers if layer.weights):
        found.update(_named(layer, f"{LAYER.format(place)}/", set()))
    return found


def _named(layer: Any, prefix: str, seen: set[int]) -> Iterator[tuple[str, Any]]:
    """Yields the variables of a layer and of those in it, with the attributes on the way."""
    seen.add(id(layer))
    own = [*layer._trainable_variables, *layer._non_trainable_variables]
    for variable in own:
        if id(variable) not in seen:
            seen.add(id(variable))
            yield f"{prefix}{variable.name}", variable
    kind = source("layers.layer").Layer
    for name, value in vars(layer).items():
        if name.startswith("_"):
            continue
        parts = enumerate(value) if isinstance(value, list | tuple) else [("", value)]
        for place, part in parts:
            if isinstance(part, kind) and id(part) not in seen:
                yield from _named(part, f"{prefix}{name}/{place}{'/' * (place != '')}", seen)
    for place, part in enumerate(layer._layers):
        if id(part) not in seen:
            yield from _named(part, f"{prefix}_layers/{place}/", seen)


def _module(name: str) -> Any:
    return importlib.import_module(f"{__name__.partition('.')[0]}.{name}")


def _save_checkpoint(model: Any, path: str) -> None:
    if not model.built:
        raise ValueError(
            "Unable to save the weights of a model that has not created its variables yet: call it "
            "on data first, or `build` it."
        )
    parts: dict[str, Any] = {}
    for name, variable in _variables(model).items():
        *folders, last = name.split("/")
        inner = parts
        for folder in folders:
            inner = inner.setdefault(folder, {})
        inner[last] = variable._facade
    _module("train").Checkpoint(**parts).write(path)
    update = _module("_checkpoint.state_file").update_with_relative_paths
    update(os.path.dirname(path) or ".", path, [path])


def _load_checkpoint(model: Any, path: str) -> Any:
    reader = _module("train").load_checkpoint(path)
    stored = {
        name.removesuffix(IN_CHECKPOINTS): name
        for name in sorted(reader.get_variable_to_shape_map())
        if name.endswith(IN_CHECKPOINTS)
    }

    def put() -> None:
        for name, variable in _variables(model).items():
            if name not in stored:
                raise ValueError(
                    f"The checkpoint {path} has no value for {name}: it has {list(stored)}"
                )
            variable.assign(np.asarray(reader.get_tensor(stored[name])))

    if model.built:
        put()
    else:
        model.__dict__["_older_pending"] = put
    return _LoadWeightsStatus()


class _LoadWeightsStatus:
    """What `load_weights` of a checkpoint returns."""

    def expect_partial(self) -> "_LoadWeightsStatus":
        """Does nothing: all values were there."""
        return self

    def assert_consumed(self) -> "_LoadWeightsStatus":
        """Does nothing: all values were there."""
        return self

    def assert_existing_objects_matched(self) -> "_LoadWeightsStatus":
        """Does nothing: all values were there."""
        return self


# Models.


def _saving(original: Callable[..., Any]) -> Callable[..., Any]:
    """Returns `model.save`, or `save_model`, for any path."""

    @like(original)
    def save(model: Any, filepath: Any, overwrite: bool = True, *args: Any, **kwargs: Any) -> Any:
        path = os.fspath(filepath)
        for key in [key for key in DROPPED_OF_SAVE if key in kwargs]:
            kwargs.pop(key)
            notice(f"model.save({key}=...)", "model.save without it")
        save_format = kwargs.pop("save_format", None)
        if len(args) > 1 or (args and kwargs.get("zipped") is None and save_format):
            args = args[:1]
        if save_format is not None:
            notice("model.save(save_format=...)", 'model.save("name.keras")')
        is_hdf5 = path.endswith((".h5", ".hdf5")) or save_format in ("h5", "hdf5")
        if (
            is_hdf5 and is_remote(path) and not path.startswith(HUGGING_FACE)
        ):  # h5py writes files of this machine
            with local_target(path) as local:
                return save(model, local, overwrite, *args, save_format=save_format, **kwargs)
        if path.endswith(HDF5) and kwargs.get("zipped") is not False:
            write = partial(_save_beside, path, overwrite)
            return _with_all_of_it(
                model, lambda: write(lambda place: original(model, place, overwrite, **kwargs))
            )
        if path.startswith(HUGGING_FACE) or kwargs.get("zipped") is False:
            return _with_all_of_it(model, lambda: original(model, filepath, overwrite, **kwargs))
        if save_format in ("h5", "hdf5"):
            formats = source("legacy.saving.legacy_h5_format")
            include = kwargs.get("include_optimizer", True)
            return _with_all_of_it(
                model, lambda: formats.save_model_to_hdf5(model, path, overwrite, include)
            )
        notice('model.save("directory")', 'model.save("name.keras")')
        if overwrite and storage_of(path).isfile(os.path.join(path, "config.json")):
            storage_of(path).rmtree(path)  # Keras cannot write over it
        return original(model, path, overwrite, zipped=False)

    return shortening(save)


def _with_all_of_it(model: Any, save: Callable[[], Any]) -> Any:
    """Saves a model; Keras forgets the optimizer that it was compiled with when it writes HDF5."""
    kept = getattr(model, "_compile_config", None)
    before = None if kept is None else dict(kept.config)
    try:
        return save()
    finally:
        if kept is not None:
            kept.config.update(before or {})


def _by_short_name(original: Callable[..., Any], known: dict[str, Any]) -> Callable[..., Any]:
    """Returns `losses.deserialize`, which finds functions by all of their names."""

    @like(original)
    def deserialize(name: Any, custom_objects: Any = None) -> Any:
        if isinstance(name, str) and not (custom_objects or {}).get(name):
            found = known.get(name)
            if found is not None and not isinstance(found, type):
                return found
        return original(name, custom_objects)

    return deserialize


def _loading(original: Callable[..., Any]) -> Callable[..., Any]:
    @like(original)
    def load_model(
        filepath: Any, custom_objects: Any = None, compile: bool = True, **kwargs: Any
    ) -> Any:
        path = os.fspath(filepath)
        kwargs.pop("options", None)
        if path.startswith(HUGGING_FACE):
            return original(filepath, custom_objects=custom_objects, compile=compile, **kwargs)
        if storage_of(path).isfile(os.path.join(path, "saved_model.pb")):
            raise refusal(
                "tf.keras.models.load_model(SavedModel)", MESSAGE_SAVED_MODEL.format(path)
            )
        if _is_hdf5(path) and is_remote(path):
            with local_copy(path) as local:
                return load_model(local, custom_objects, compile, **kwargs)
        if _is_hdf5(path) and not path.endswith((".h5", ".hdf5")):
            return source("legacy.saving.legacy_h5_format").load_model_from_hdf5(
                path, custom_objects=custom_objects, compile=compile, **kwargs
            )
        return original(filepath, custom_objects=custom_objects, compile=compile, **kwargs)

    return load_model


def _from_json(original: Callable[..., Any]) -> Callable[..., Any]:
    """Returns `model_from_json`, which reads what Keras 2 has written as well."""

    @like(original)
    def model_from_json(json_string: str, custom_objects: Any = None) -> Any:
        config = json.loads(json_string)
        if "module" in config:
            return original(json_string, custom_objects)
        return source("legacy.saving.saving_utils").model_from_config(config, custom_objects)

    return model_from_json
