"""Names of Keras 2 in the namespaces of `tf.keras`: what they are today, or what to do instead."""

import importlib
import sys
import types
from collections.abc import Callable
from typing import Any

from tapefacade._keras.attribute_patches import AttributePatches
from tapefacade._keras.keras2 import dropped_classes
from tapefacade._keras.keras2.legacy_optimizers import OLDER_CLASSES, older_class
from tapefacade._keras.keras2.notices import like, notice, source

ROOT = "keras._tf_keras.keras"
SCHEDULES = "optimizers.schedules"
# Older name: where it is today.
MOVED_NAMES: dict[str, dict[str, str]] = {
    "losses": {
        "mean_squared_error": "losses.MSE",
        "mean_absolute_error": "losses.MAE",
        "mean_absolute_percentage_error": "losses.MAPE",
        "mean_squared_logarithmic_error": "losses.MSLE",
        "kl_divergence": "losses.KLD",
        "log_cosh": "losses.logcosh",
        "cosine_proximity": "losses.cosine_similarity",
    },
    "metrics": {
        "mean_squared_error": "metrics.MSE",
        "mean_absolute_error": "metrics.MAE",
        "mean_absolute_percentage_error": "metrics.MAPE",
        "mean_squared_logarithmic_error": "metrics.MSLE",
        "kl_divergence": "metrics.KLD",
        "log_cosh": "metrics.logcosh",
        "cosine_proximity": "losses.cosine_similarity",
        "cosine_similarity": "losses.cosine_similarity",
    },
    "layers": {"CuDNNLSTM": "layers.LSTM", "CuDNNGRU": "layers.GRU"},
    "models": {"model_from_config": "layers.deserialize"},
    "callbacks": {"BaseLogger": "callbacks.Callback"},
    "utils": {"generic_utils": "utils", "np_utils": "utils", "vis_utils": "utils"},
}
# Older namespaces: the names in them, and where these are today. None is the namespace itself.
SPACES: dict[str, dict[str | None, str]] = {
    "layers.experimental.preprocessing": {None: "layers", "PreprocessingLayer": "layers.Layer"},
    "layers.experimental": {
        None: "layers",
        "SyncBatchNormalization": "layers.BatchNormalization",
    },
    "optimizers.experimental": {None: "optimizers"},
    "callbacks.experimental": {None: "callbacks"},
    "metrics.experimental": {None: "metrics"},
    "mixed_precision.experimental": {
        None: "mixed_precision",
        "set_policy": "mixed_precision.set_global_policy",
    },
    "experimental": {
        "CosineDecay": f"{SCHEDULES}.CosineDecay",
        "CosineDecayRestarts": f"{SCHEDULES}.CosineDecayRestarts",
        "SyncBatchNormalization": "layers.BatchNormalization",
    },
    "backend.experimental": {},
    "wrappers.scikit_learn": {
        "KerasClassifier": "wrappers.SKLearnClassifier",
        "KerasRegressor": "wrappers.SKLearnRegressor",
    },
}
_PREPROCESS = "use preprocessing layers."
_SCHEDULE = "use `CosineDecay`, or a schedule of your own."
_DATA = "use `tf.data`, or `model.fit` of a `PyDataset`."
# What has no counterpart, and what to do.
ABSENT_NAMES: dict[str, str] = {
    "estimator": "train with `model.fit`.",
    "dtensor": "use `tf.distribute`.",
    "experimental.LinearModel": "use a `Dense(1)` layer.",
    "experimental.WideDeepModel": "add the outputs of two models.",
    "experimental.SequenceFeatures": _PREPROCESS,
    "experimental.LinearCosineDecay": _SCHEDULE,
    "experimental.NoisyLinearCosineDecay": _SCHEDULE,
    "experimental.PeepholeLSTMCell": "use `LSTMCell`, or a cell of your own.",
    "layers.DenseFeatures": _PREPROCESS,
    "layers.experimental.DynamicEmbedding": "use `Embedding`.",
    "layers.experimental.DynamicLookup": "use `StringLookup`.",
    "models.model_from_yaml": "use `model_from_json`.",
    "utils.multi_gpu_model": "use `tf.distribute.MirroredStrategy`.",
    "utils.GeneratorEnqueuer": _DATA,
    "utils.OrderedEnqueuer": _DATA,
    "utils.SidecarEvaluator": "evaluate in a process of your own.",
    "utils.experimental": "use `tf.data`.",
    "metrics.MeanRelativeError": "use `tf.reduce_mean(tf.abs(y - p) / n)` in `Mean`.",
    "models.experimental": "write a `train_step`.",
}


def apply(patches: AttributePatches) -> None:
    """Adds the names.

    Args:
        patches: sets the attributes.
    """
    root = importlib.import_module(ROOT)
    _register(root)
    legacy = importlib.import_module("keras.optimizers.legacy")
    for name in OLDER_CLASSES:
        patches.set(legacy, name, older_class(name))
    for path in sorted(SPACES):  # each after the one it is in
        parent, _, last = path.rpartition(".")
        if last not in vars(_at(root, parent)):
            patches.set(_at(root, parent), last, _space(path))
    owners = (
        {path.rpartition(".")[0] for path in ABSENT_NAMES}
        | set(MOVED_NAMES)
        | set(dropped_classes.CLASS_PATHS)
    )
    for path in sorted(owners):
        module = _at(root, path) if _has(root, path) else None
        if isinstance(module, types.ModuleType) and "__getattr__" not in vars(module):
            patches.set(module, "__getattr__", _finding(root, path, module.__name__))
    utils = source("utils.numerical_utils")
    made = _to_categorical(utils.to_categorical)
    for module in (utils, root.utils, importlib.import_module("keras.utils")):
        patches.set(module, "to_categorical", made)


def _register(root: types.ModuleType) -> None:
    """Makes `import tapefacade.keras.losses` find the module that `tf.keras.losses` is."""
    package = __name__.partition(".")[0]
    todo = [(f"{package}.keras", root)]
    while todo:
        name, module = todo.pop()
        for key, value in list(vars(module).items()):
            if _is_part(value) and f"{name}.{key}" not in sys.modules:
                sys.modules[f"{name}.{key}"] = value
                todo.append((f"{name}.{key}", value))


def _is_part(value: Any) -> bool:
    return (
        isinstance(value, types.ModuleType)
        and value.__name__.startswith("keras.")
        and not value.__name__.startswith("keras.src")
    )


def _has(root: Any, path: str) -> bool:
    try:
        _at(root, path)
    except AttributeError:
        return False
    return True


def _at(root: Any, path: str) -> Any:
    for name in filter(None, path.split(".")):
        root = getattr(root, name)
    return root


def _space(path: str) -> types.ModuleType:
    """Makes a namespace that Keras 3 dropped."""
    package = __name__.partition(".")[0]
    space = types.ModuleType(f"{package}.keras.{path}", f"The names of `tf.keras.{path}`.")
    known = SPACES[path]
    root = importlib.import_module(ROOT)

    def find(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        own = f"{path}.{name}"
        if name in dropped_classes.CLASS_PATHS.get(path, ()):
            return dropped_classes.make(path, name)
        if own in ABSENT_NAMES:
            raise _absent(own)
        place = known.get(name) or (f"{known[None]}.{name}" if None in known else "")
        if not place or not _has(root, place):
            raise AttributeError(f"module {space.__name__!r} has no attribute {name!r}")
        notice(f"tf.keras.{own}", f"tf.keras.{place}")
        return _at(root, place)

    space.__getattr__ = find
    space.__path__ = []  # it has submodules
    sys.modules[space.__name__] = space
    return space


def _absent(path: str) -> AttributeError:
    return AttributeError(
        f"tf.keras.{path} is Keras 2 and has no counterpart in Keras 3: {ABSENT_NAMES[path]}"
    )


def _finding(root: Any, path: str, module: str) -> Callable[[str], Any]:
    """Makes what finds the older names of a namespace."""
    moved = MOVED_NAMES.get(path, {})

    def find(name: str) -> Any:
        own = f"{path}.{name}" if path else name
        if name in moved:
            notice(f"tf.keras.{own}", f"tf.keras.{moved[name]}")
            return _at(root, moved[name])
        if name in dropped_classes.CLASS_PATHS.get(path, ()):
            return dropped_classes.make(path, name)
        if own in ABSENT_NAMES:
            raise _absent(own)
        raise AttributeError(f"module {module!r} has no attribute {name!r}")

    return find


def _to_categorical(original: Callable[..., Any]) -> Callable[..., Any]:
    @like(original)
    def to_categorical(x: Any = None, num_classes: Any = None, dtype: Any = None, **y: Any) -> Any:
        if "y" in y:
            notice("to_categorical(y=...)", "to_categorical(x=...)")
            x = y["y"]
        made = original(x, num_classes)
        if dtype is None:
            return made
        notice("to_categorical(dtype=...)", "to_categorical(...).astype(dtype)")
        return made.astype(dtype)

    return to_categorical
