"""`tensorflow.python.eager.context` and `monitoring`: what runs now, and what is counted."""

import contextlib
from collections.abc import Iterator
from typing import Any, NoReturn

from tapefacade._config import devices, settings
from tapefacade._config.device_placement import spec_of_blocks
from tapefacade._core.device_spec import DeviceSpec
from tapefacade._function.function.eager_mode import inside_function

MESSAGE_NO_GRAPHS = (
    "There are no graphs: tapefacade's ops have values at once. Call the function eagerly, or "
    "within a tf.function."
)


class Context:
    """What a thread runs: eager code, or a `tf.function`; `context()` gives it."""

    def executing_eagerly(self) -> bool:
        """Returns False within a `tf.function`."""
        return settings.executing_eagerly()

    def ensure_initialized(self) -> None:
        """Does nothing: JAX starts by itself."""

    @property
    def device_name(self) -> str:
        """The name of the device that `tf.device` has chosen; empty where it has not."""
        return self.device_spec.to_string()

    @property
    def device_spec(self) -> DeviceSpec:
        """The parts of `device_name`."""
        return spec_of_blocks()

    def num_gpus(self) -> int:
        """Counts the GPUs."""
        return len(devices.list_physical_devices("GPU"))


_CONTEXT = Context()


def context() -> Context:
    """Returns the thread's context."""
    return _CONTEXT


def num_gpus() -> int:
    """Counts the GPUs."""
    return _CONTEXT.num_gpus()


@contextlib.contextmanager
def eager_mode() -> Iterator[None]:
    """A block of eager code.

    Raises:
        RuntimeError: within a `tf.function`.
    """
    if inside_function():
        raise RuntimeError("Write `with tf.init_scope():` in a tf.function instead.")
    yield


def graph_mode() -> NoReturn:
    """Raises: there are no graphs.

    Raises:
        RuntimeError: always.
    """
    raise RuntimeError(MESSAGE_NO_GRAPHS)


class Metric:
    """A number that a library counts for TensorFlow's monitoring, by labels; it stays here.

    >>> gauge = Metric("/library/used", "whether it is used", "class")
    >>> gauge.get_cell("Model").set(True)
    >>> gauge.get_cell("Model").value()
    True
    """

    def __init__(self, name: str, description: str, *labels: Any) -> None:
        self._name, self._description, self._labels = name, description, labels
        self._cells: dict[tuple[Any, ...], Cell] = {}

    def get_cell(self, *labels: Any) -> "Cell":
        """Returns the number for some labels."""
        return self._cells.setdefault(labels, Cell())


class Cell:
    """A number of a `Metric`."""

    def __init__(self) -> None:
        self._value: Any = 0

    def set(self, value: Any) -> None:
        """Sets the number."""
        self._value = value

    def increase_by(self, value: Any) -> None:
        """Adds to the number."""
        self._value += value

    add = increase_by

    def value(self) -> Any:
        """Returns the number."""
        return self._value


# The kinds of metrics differ in TensorFlow by what their numbers are.
NAMES = dict.fromkeys(
    ["BoolGauge", "IntGauge", "StringGauge", "Counter", "Sampler", "PercentileSampler"], Metric
)
