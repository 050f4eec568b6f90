"""Callbacks as in Keras 2: their arguments, and file names without the suffixes of Keras 3."""

import json
import pathlib
import tempfile
from collections.abc import Callable
from typing import Any

from tapefacade._core.process_group import PROCESSES, barrier, told_by_chief
from tapefacade._keras.attribute_patches import AttributePatches
from tapefacade._keras.keras2.notices import like, notice, renamed_method, source

# Arguments that say what is written to the logs of TensorFlow 1.
OF_TENSORBOARD = ("batch_size", "write_grads", "embeddings_layer_names", "embeddings_data")
SUFFIXES = (".keras", ".h5")
OF_WEIGHTS = ".weights.h5"
# The attributes of `BackupAndRestore` that say where its files are.
BACKUP_PATHS = (
    "_weights_path", "_training_metadata_path", "_prev_weights_path",
    "_prev_training_metadata_path",
)  # fmt: skip


def apply(patches: AttributePatches) -> None:
    """Changes the classes of callbacks.

    Args:
        patches: sets the attributes.
    """
    callbacks = source("callbacks")
    base = callbacks.Callback
    patches.set(base, "validation_data", None)
    patches.set(base, "_chief_worker_only", None)
    history = callbacks.History
    patches.set(history, "__init__", _keeping(history.__init__))
    bar = callbacks.ProgbarLogger
    patches.set(bar, "__init__", _progress(bar.__init__))
    checkpoint = callbacks.ModelCheckpoint
    patches.set(checkpoint, "__init__", _checkpoint(checkpoint.__init__))
    patches.set(checkpoint, "on_epoch_end", _every(checkpoint.on_epoch_end))
    backup = callbacks.BackupAndRestore
    for method in ("_save_model", "on_train_end"):
        patches.set(backup, method, _by_chief(getattr(backup, method)))
    patches.set(backup, "on_train_begin", _with_files_of_chief(backup.on_train_begin))
    board = callbacks.TensorBoard
    patches.set(board, "__init__", _without(board.__init__, "TensorBoard", OF_TENSORBOARD))
    rate = callbacks.LearningRateScheduler
    patches.set(rate, "__init__", _numbers(rate.__init__))
    plateau = callbacks.ReduceLROnPlateau
    patches.set(plateau, "__init__", _epsilon(plateau.__init__))
    listed = callbacks.CallbackList
    for old in ("on_batch_begin", "on_batch_end"):
        new = old.replace("on_", "on_train_")
        if not hasattr(listed, old):
            call = getattr(listed, new)
            patches.set(listed, old, renamed_method(f"callbacks.{old}", call, f"callbacks.{new}"))


class FitHistory(dict[str, Any]):
    """The `history` that `fit` returns, in which some names of Keras 2 are found as well."""

    def __missing__(self, key: str) -> Any:
        for old, new in (("lr", "learning_rate"), ("acc", "accuracy")):
            other = key.removesuffix(old) + new
            if key.endswith(old) and other in self:
                notice(f"history[{key!r}]", f"history[{other!r}]")
                return self[other]
        raise KeyError(key)


def _keeping(original: Callable[[Any], None]) -> Callable[[Any], None]:
    @like(original)
    def __init__(self: Any) -> None:  # noqa: N807
        original(self)
        self.history = FitHistory(self.history)

    return __init__


def _by_chief(original: Callable[..., None]) -> Callable[..., None]:
    """Makes a method that only the chief of several processes runs; the others wait for it."""

    @like(original)
    def method(self: Any, *args: Any, **kwargs: Any) -> None:
        if PROCESSES.is_chief:
            original(self, *args, **kwargs)
        barrier("BackupAndRestore")

    return method


def _with_files_of_chief(original: Callable[..., None]) -> Callable[..., None]:
    """Makes a method to which all processes see the chief's backup, as they all go on from there.

    A process that has a folder of its own, or does not share the chief's disk, has no backup.
    """

    @like(original)
    def on_train_begin(self: Any, logs: Any = None) -> None:
        if PROCESSES.count == 1:
            original(self, logs)
            return
        paths = {name: getattr(self, name) for name in BACKUP_PATHS}
        files = source("utils.file_utils")
        contents = {}
        for name, path in paths.items():
            if PROCESSES.is_chief and files.exists(path):
                with files.File(path, "rb") as file:
                    contents[name] = file.read()
        sizes = {name: len(content) for name, content in contents.items()}
        sizes = json.loads(told_by_chief(json.dumps(sizes).encode()))
        rest = told_by_chief(b"".join(contents.values()))
        with tempfile.TemporaryDirectory() as folder:
            try:
                for name, path in paths.items():
                    own = pathlib.Path(folder, pathlib.Path(path).name)
                    setattr(self, name, str(own))
                    if name in sizes:
                        own.write_bytes(rest[: sizes[name]])
                        rest = rest[sizes[name] :]
                original(self, logs)
            finally:
                for name, path in paths.items():
                    setattr(self, name, path)

    return on_train_begin


def _progress(original: Callable[[Any], None]) -> Callable[..., None]:
    @like(original)
    def __init__(  # noqa: N807
        self: Any, count_mode: str = "steps", stateful_metrics: Any = None
    ) -> None:
        if count_mode not in ("samples", "steps"):
            raise ValueError(
                f"Unknown `count_mode`: {count_mode}. Expected values are ['samples', 'steps']"
            )
        if count_mode != "steps" or stateful_metrics is not None:
            notice("ProgbarLogger(count_mode, stateful_metrics)", "ProgbarLogger()")
        original(self)

    return __init__


def _checkpoint(original: Callable[..., None]) -> Callable[..., None]:
    """Returns the constructor; any file name will do, and `period` counts epochs."""

    @like(original)
    def __init__(self: Any, filepath: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
        period = kwargs.pop("period", 1)
        if period != 1:
            notice("ModelCheckpoint(period=...)", "ModelCheckpoint(save_freq=...)")
        for key in ("options", "load_weights_on_restart"):
            if kwargs.pop(key, None) is not None:
                notice(f"ModelCheckpoint({key}=...)", "ModelCheckpoint without it")
        names = ("monitor", "verbose", "save_best_only", "save_weights_only", "mode", "save_freq")
        named = {**dict(zip(names, args, strict=False)), **kwargs}
        path = source("utils.file_utils").path_to_string(filepath)
        weights = named.get("save_weights_only", False)
        wanted = OF_WEIGHTS if weights else SUFFIXES
        fits = isinstance(path, str) and path.endswith(wanted)
        original(self, path if fits else f"file{OF_WEIGHTS if weights else '.keras'}", **named)
        self.__dict__["_older_period"] = period
        if not fits:
            today = '"name.weights.h5"' if weights else '"name.keras"'
            notice("ModelCheckpoint with another suffix", f"ModelCheckpoint({today})")
            self.filepath = path

    return __init__


def _every(original: Callable[..., None]) -> Callable[..., None]:
    @like(original)
    def on_epoch_end(self: Any, epoch: int, logs: Any = None) -> None:
        if (epoch + 1) % self.__dict__.get("_older_period", 1) == 0:
            original(self, epoch, logs)

    return on_epoch_end


def _without(
    original: Callable[..., None], name: str, dropped: tuple[str, ...]
) -> Callable[..., None]:
    @like(original)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
        for key in [key for key in dropped if key in kwargs]:
            kwargs.pop(key)
            notice(f"{name}({key}=...)", f"{name} without it")
        original(self, *args, **kwargs)

    return __init__


def _numbers(original: Callable[..., None]) -> Callable[..., None]:
    """Returns the constructor; a schedule may return tensors and integers."""

    @like(original)
    def __init__(self: Any, schedule: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
        def number(*at: Any) -> Any:
            rate = schedule(*at)
            return float(rate) if hasattr(rate, "__float__") else rate

        original(self, number if callable(schedule) else schedule, *args, **kwargs)

    return __init__


def _epsilon(original: Callable[..., None]) -> Callable[..., None]:
    @like(original)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
        if "epsilon" in kwargs:
            notice("ReduceLROnPlateau(epsilon=...)", "ReduceLROnPlateau(min_delta=...)")
            kwargs["min_delta"] = kwargs.pop("epsilon")
        original(self, *args, **kwargs)

    return __init__
