"""`tf.train.Checkpoint`: saves the variables that are found in objects, and restores them."""

import os
from typing import Any

from tapefacade._checkpoint import deferred_values
from tapefacade._checkpoint.checkpoint_files import write_checkpoint
from tapefacade._checkpoint.load_status import (
    CheckpointLoadStatus,
    InitializationOnlyStatus,
    LoadStatus,
    NameBasedSaverStatus,
)
from tapefacade._checkpoint.misfits import Misfit, described_misfit, refusal
from tapefacade._checkpoint.object_graph import Objects, description_and_values, find_objects
from tapefacade._checkpoint.options import CheckpointOptions
from tapefacade._checkpoint.reader import Reader, open_checkpoint
from tapefacade._checkpoint.restoration import Restoration
from tapefacade._checkpoint.saved_model import directory
from tapefacade._checkpoint.state_file import update_with_relative_paths
from tapefacade._checkpoint.tracking import (
    TrackingRule,
    VariablePut,
    attributes,
    children,
    put_all,
    settle_pending,
    tensor_for_variable,
    track,
    tracking_rule,
)
from tapefacade._core import errors
from tapefacade._definition.op import function
from tapefacade._io.file_errors import as_path
from tapefacade._state.variable import Variable

MESSAGE_NO_PART = (
    "`Checkpoint` was expecting {} to be a trackable object (an object derived from `Trackable`), "
    "got {}. If you believe this object should be trackable (i.e. it is part of the TensorFlow "
    "Python API and manages state), please open an issue."
)
MESSAGE_RESTORING = (
    "Error when restoring from checkpoint or SavedModel at {}: {}\nPlease double-check that the "
    "path is correct. You may be missing the checkpoint suffix (e.g. the '-1' in 'path/to/ckpt-1')."
)


@function("train.Checkpoint")
class Checkpoint:
    """Saves and restores the values of variables.

    They are found in the objects given, in their attributes, in lists, tuples and dictionaries in
    these, and so on: a variable is known by the names on the way to it. Files are safetensors with
    an index in JSON. They are complete or not there, whenever a program is killed, and checked when
    they are read. Checkpoints that TensorFlow has made are restored as well.

    Unlike TensorFlow, how far an iterator of a dataset has come is not saved.

    Beyond TensorFlow, a list may be changed in any way before it is saved.

    Args:
        root: an object that is saved itself; its parts are known by their names in it.
        **kwargs: objects to save, by the names they are known by.

    Raises:
        ValueError: if one is no object that has variables.

    >>> import tempfile
    >>> directory = tempfile.mkdtemp()
    >>> model = tf.Module()
    >>> model.w = tf.Variable([1.0, 2.0])
    >>> checkpoint = tf.train.Checkpoint(model=model)
    >>> path = checkpoint.save(f"{directory}/model/ckpt")
    >>> model.w.assign([0.0, 0.0]).numpy()
    array([0., 0.], dtype=float32)
    >>> _ = checkpoint.restore(path).assert_consumed()
    >>> model.w.numpy()
    array([1., 2.], dtype=float32)

    See https://www.tensorflow.org/api_docs/python/tf/train/Checkpoint.
    """

    def __init__(self, root: Any = None, **kwargs: Any) -> None:
        self._self_counter: Variable | None = None
        self._self_root: Any = None
        self._self_attached: dict[str, Any] = {}
        for name, value in sorted(kwargs.items()):
            if tracking_rule(value) is None:
                raise ValueError(MESSAGE_NO_PART.format(name, value))
            setattr(self, name, value)
        if root is not None:
            self._set_root(root, kwargs)

    def __repr__(self) -> str:
        names = [name for name in vars(self) if not name.startswith("_")]
        return f"<tf.train.Checkpoint of {', '.join(names) or 'nothing'}>"

    def _set_root(self, root: Any, kwargs: dict[str, Any]) -> None:
        kind = tracking_rule(root)
        if kind is None or kind.is_container:
            raise ValueError(MESSAGE_NO_PART.format("root", root))
        if isinstance(root, Checkpoint):
            self._self_counter = root._self_counter
            self._self_attached.update(root._self_attached)
            root = root._self_root or root
        parts = children(root)
        for name, value in kwargs.items():
            if name in parts and parts[name] is not value:
                raise ValueError(
                    f"Cannot create a Checkpoint with keyword argument {name} if root.{name} "
                    "already exists."
                )
        self._self_attached.update({**kwargs, "root": root})
        self.root = root
        self._self_root = root

    def __setattr__(self, name: str, value: Any) -> None:
        deferred_values.set_attribute(self, name, value)

    # The objects.

    def _own_root(self) -> Any:
        return self if self._self_root is None else self._self_root

    def _attached(self) -> dict[str, Any]:
        counter = {} if self._self_counter is None else {"save_counter": self._self_counter}
        return {**self._self_attached, **counter}

    def _objects(self) -> Objects:
        return find_objects(self._own_root(), self._attached())

    @property
    def save_counter(self) -> Variable:
        """How often `save` was called: a variable, which is saved itself."""
        if self._self_counter is None:
            self._self_counter = Variable(0, trainable=False, dtype="int64", name="save_counter")
            deferred_values.note_attribute(self._own_root(), "save_counter")
        counter = self._self_counter
        assert counter is not None
        return counter

    # Saving.

    def write(self, file_prefix: Any, options: CheckpointOptions | None = None) -> str:
        """Saves the values under a path that is taken as it is.

        Args:
            file_prefix: the path; the names of the files begin with it.
            options: accepted for TensorFlow's sake, but for the callbacks.

        Returns:
            The path, for `read`.

        >>> import tempfile
        >>> directory = tempfile.mkdtemp()
        >>> path = tf.train.Checkpoint(step=tf.Variable(1)).write(f"{directory}/written")
        >>> path
        '.../written'
        """
        prefix = as_path(file_prefix)
        deferred_values.resolve_all()
        graph, arrays = description_and_values(self._objects())
        write_checkpoint(prefix, graph, arrays)
        call_back(options, prefix)
        return prefix

    def save(self, file_prefix: Any, options: CheckpointOptions | None = None) -> str:
        """Saves the values under a path with a number, and notes that this is the latest.

        Args:
            file_prefix: the path, which "-" and the number are added to.
            options: accepted for TensorFlow's sake, but for the callbacks.

        Returns:
            The path with the number, for `restore`.

        >>> import tempfile
        >>> directory = tempfile.mkdtemp()
        >>> checkpoint = tf.train.Checkpoint(step=tf.Variable(1))
        >>> checkpoint.save(f"{directory}/numbered/ckpt")
        '.../numbered/ckpt-1'
        """
        counter = self.save_counter
        counter.assign_add(1)
        prefix = f"{as_path(file_prefix)}-{int(counter.numpy())}"
        try:
            self.write(prefix, options)
        except BaseException:  # also Ctrl-C: what was not saved is not counted
            counter.assign_sub(1)
            raise
        update_with_relative_paths(os.path.dirname(prefix) or ".", prefix, [prefix])
        return prefix

    # Restoring.

    def read(self, save_path: Any, options: CheckpointOptions | None = None) -> LoadStatus:
        """Restores values that `write` has saved, ours or TensorFlow's.

        Variables that are there get their values now, all of them or none. Those that become parts
        of the objects later get theirs then.

        Args:
            save_path: the path; None restores nothing.
            options: accepted for TensorFlow's sake.

        Returns:
            An object that tells whether all was found, by `assert_consumed()`,
            `assert_existing_objects_matched()` and `assert_nontrivial_match()`.
            `expect_partial()` says that it need not be.

        Raises:
            NotFoundError: if there is no such checkpoint.
            DataLossError: if it is damaged, or none.
            ValueError: if a shape does not fit.
            InvalidArgumentError: if a dtype does not fit.
        """
        if save_path is None:
            return InitializationOnlyStatus()
        reader = open_checkpoint(directory.checkpoint_within(as_path(save_path)))
        if reader.graph is None:
            return self._read_names(reader)
        root = self._own_root()
        restoration = Restoration(reader, root, self._attached)
        try:
            restoration.start(root)
        except BaseException:  # also Ctrl-C: nothing waits for later
            restoration.end()
            raise
        return CheckpointLoadStatus(restoration, self._attached, self)

    def restore(self, save_path: Any, options: CheckpointOptions | None = None) -> LoadStatus:
        """Restores values that `save` has saved, and how often it was called; see `read`.

        Args:
            save_path: the path with the number, as `save` and `tf.train.latest_checkpoint` return
                it, or the directory of a saved model. None restores nothing.
            options: accepted for TensorFlow's sake.

        Returns:
            An object that tells whether all was found, see `read`.

        Raises:
            NotFoundError: if there is no such checkpoint.
            DataLossError: if it is damaged, or none.
            ValueError: if a shape does not fit.
            InvalidArgumentError: if a dtype does not fit.

        >>> import tempfile
        >>> directory = tempfile.mkdtemp()
        >>> v = tf.Variable(1.0)
        >>> path = tf.train.Checkpoint(v=v).save(f"{directory}/restored/ckpt")
        >>> v.assign(2.0).numpy()
        np.float32(2.0)
        >>> status = tf.train.Checkpoint(v=v).restore(path)
        >>> v.numpy()
        np.float32(1.0)
        """
        try:
            status = self.read(save_path, options)
        except errors.NotFoundError as error:
            text = MESSAGE_RESTORING.format(save_path, error.message)
            raise errors.NotFoundError(None, None, text) from None
        if save_path is not None:
            _ = self.save_counter  # which the checkpoint has a value for
        return status

    def sync(self) -> None:
        """Does nothing: checkpoints are complete when `save` returns."""

    def _read_names(self, reader: Reader) -> NameBasedSaverStatus:
        """Restores a checkpoint that has no objects, by the names of variables."""
        variables = [value for value in self._objects().objects if isinstance(value, Variable)]
        found = [(variable, variable.name.removesuffix(":0")) for variable in variables]
        known = [(variable, name) for variable, name in found if reader.has(name)]
        tensors, misfits = [], []
        for variable, name in known:
            try:
                tensors.append(tensor_for_variable(variable, reader, name, len(known)))
            except (errors.InvalidArgumentError, ValueError) as error:
                line = described_misfit(name, variable, reader, {"VARIABLE_VALUE": name})
                misfits.append(Misfit(line, variable, error))
        if misfits:
            raise refusal(misfits)
        settle_pending()
        pairs = zip(known, tensors, strict=True)
        put_all([VariablePut(variable, tensor) for (variable, _), tensor in pairs])
        names = {name for _, name in found}
        return NameBasedSaverStatus(
            [variable for variable, name in found if not reader.has(name)],
            [key for key in reader.names() if key not in names],
        )


def call_back(options: CheckpointOptions | None, path: str) -> None:
    """Calls what the options say is to be called after saving."""
    for callback in (options.experimental_write_callbacks or ()) if options is not None else ():
        callback(path) if callback.__code__.co_argcount else callback()


track(Checkpoint, TrackingRule(lambda value: {**attributes(value), **value._attached()}))
