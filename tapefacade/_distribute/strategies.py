"""The strategies: all of them have one replica."""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax

from tapefacade._config.devices import list_logical_devices
from tapefacade._core.conversion import convert
from tapefacade._core.logging import get_logger
from tapefacade._definition.op import function
from tapefacade._distribute.input_datasets import DistributedDataset, InputContext
from tapefacade._distribute.reduction import as_tensors, reduced
from tapefacade._distribute.replica_contexts import THREAD, ReplicaContext, ReplicaPlace, entered

MESSAGE_ONE = (
    "%s has one replica, though there are %d devices: programs run on JAX's default device. To use "
    "the others, put batches on all of them: `jax.device_put(batch, NamedSharding(...))`."
)
MESSAGE_MIXED = (
    "Mixing different tf.distribute.Strategy objects: {} is not {}. Leave the scope of the one "
    "before you enter that of the other."
)


@function("distribute.StrategyExtended")
class StrategyExtended:
    """What libraries ask of a strategy: `strategy.extended`.

    >>> v = tf.Variable(1.0)
    >>> extended = tf.distribute.MirroredStrategy().extended
    >>> extended.update(v, lambda v, x: v.assign(x), args=(2.0,)).numpy()
    np.float32(2.0)
    """

    experimental_require_static_shapes = False

    def __init__(self, strategy: "Strategy") -> None:
        self._strategy = strategy

    @property
    def worker_devices(self) -> tuple[str, ...]:
        """The name of the device that programs run on."""
        return (convert(0.0).device,)

    @property
    def parameter_devices(self) -> tuple[str, ...]:
        """The name of the device that variables are on."""
        return self.worker_devices

    def reduce_to(self, reduce_op: Any, value: Any, destinations: Any, options: Any = None) -> Any:
        """Brings the values of the replicas together; there is one, whose value it returns."""
        return as_tensors(reduced(reduce_op, value, None))

    def batch_reduce_to(
        self, reduce_op: Any, value_destination_pairs: Any, options: Any = None
    ) -> list[Any]:
        """Does what `reduce_to` does for each pair of a value and a destination."""
        return [self.reduce_to(reduce_op, *pair) for pair in value_destination_pairs]

    def update(
        self, var: Any, fn: Callable[..., Any], args: Any = (),
        kwargs: dict[str, Any] | None = None, group: bool = True,
    ) -> Any:  # fmt: skip
        """Calls `fn(var, *args, **kwargs)`, which changes the variable."""
        result = fn(var, *args, **(kwargs or {}))
        return result if group else (result,)

    @contextlib.contextmanager
    def colocate_vars_with(self, colocate_with_variable: Any) -> Iterator[None]:
        """Makes a block whose variables are where that variable is."""
        yield


@function("distribute.Strategy")
class Strategy:
    """How a program is distributed: not at all.

    Unlike TensorFlow, there is one replica, on JAX's default device, however many devices there
    are: what a program does for each replica, it does once.

    Args:
        extended: ignored.
    """

    cluster_resolver: Any = None

    def __init__(self, extended: Any = None) -> None:
        self._extended = StrategyExtended(self)

    @property
    def extended(self) -> StrategyExtended:
        """What libraries ask for."""
        return self._extended

    @property
    def num_replicas_in_sync(self) -> int:
        """The number of replicas: 1."""
        return 1

    def scope(self) -> contextlib.AbstractContextManager["Strategy"]:
        """Makes a block in which this is the strategy.

        Raises:
            RuntimeError: if the program is in the scope of another one.

        >>> strategy = tf.distribute.MirroredStrategy()
        >>> with strategy.scope():
        ...     tf.distribute.get_strategy() is strategy
        True
        """
        return self._scope()

    @contextlib.contextmanager
    def _scope(self) -> Iterator["Strategy"]:
        if THREAD.places and (current := THREAD.places[-1].strategy) is not self:
            raise RuntimeError(MESSAGE_MIXED.format(current, self))
        with entered(self, None):
            yield self

    def run(
        self, fn: Callable[..., Any], args: Any = (), kwargs: dict[str, Any] | None = None,
        options: Any = None,
    ) -> Any:  # fmt: skip
        """Calls a function in the replica.

        Args:
            fn: the function.
            args: its arguments.
            kwargs: those by name.
            options: ignored.

        Returns:
            What it returns.

        >>> strategy = tf.distribute.MirroredStrategy()
        >>> strategy.run(lambda x: x + 1.0, args=(tf.constant(1.0),)).numpy()
        np.float32(2.0)
        """
        with entered(self, ReplicaContext(self)):
            return fn(*args, **(kwargs or {}))

    def reduce(self, reduce_op: Any, value: Any, axis: int | None) -> Any:
        """Brings the values of the replicas together.

        Args:
            reduce_op: a `tf.distribute.ReduceOp`, or its name.
            value: a structure of tensors, such as `run` returns.
            axis: a dimension to reduce as well, or None.

        Returns:
            A structure of tensors.

        Raises:
            ValueError: if there is no such reduction.

        >>> strategy = tf.distribute.MirroredStrategy()
        >>> strategy.reduce("mean", tf.constant([1.0, 3.0]), axis=0).numpy()
        np.float32(2.0)
        """
        return as_tensors(reduced(reduce_op, value, axis))

    def gather(self, value: Any, axis: int) -> Any:
        """Joins the values of the replicas along an axis: returns that of the only one."""
        return ReplicaContext(self).all_gather(value, axis)

    def experimental_local_results(self, value: Any) -> tuple[Any, ...]:
        """Returns the values of the replicas as a tuple: of one.

        >>> tf.distribute.MirroredStrategy().experimental_local_results(3)
        (3,)
        """
        return (value,)

    def experimental_distribute_dataset(
        self, dataset: Any, options: Any = None
    ) -> DistributedDataset:
        """Returns something to iterate over, which gives the elements of the dataset.

        >>> strategy = tf.distribute.MirroredStrategy()
        >>> for x in strategy.experimental_distribute_dataset(tf.data.Dataset.range(4).batch(2)):
        ...     print(x.numpy())
        [0 1]
        [2 3]
        """
        return DistributedDataset(dataset)

    def distribute_datasets_from_function(
        self, dataset_fn: Callable[[InputContext], Any], options: Any = None
    ) -> DistributedDataset:
        """Calls a function with a `tf.distribute.InputContext`, which returns a dataset.

        Returns:
            Something to iterate over, which gives the elements of the dataset.
        """
        return DistributedDataset(dataset_fn(InputContext()))

    experimental_distribute_datasets_from_function = distribute_datasets_from_function


@function("distribute.MirroredStrategy")
class MirroredStrategy(Strategy):
    """The strategy for the devices of one machine.

    Unlike TensorFlow, there is one replica, on JAX's default device, however many devices there
    are: what a program does for each replica, it does once.

    Args:
        devices: ignored.
        cross_device_ops: ignored.

    >>> strategy = tf.distribute.MirroredStrategy()
    >>> with strategy.scope():
    ...     v = tf.Variable(3.0)
    >>> strategy.reduce("SUM", strategy.run(lambda: v * 2.0), axis=None).numpy()
    np.float32(6.0)
    """

    def __init__(self, devices: Any = None, cross_device_ops: Any = None) -> None:
        super().__init__()
        _warn_of_one(self, [None] if isinstance(devices, str) else devices)


@function("distribute.OneDeviceStrategy")
class OneDeviceStrategy(Strategy):
    """The strategy for one device.

    Args:
        device: ignored: programs run on JAX's default device.

    >>> tf.distribute.OneDeviceStrategy("/cpu:0").num_replicas_in_sync
    1
    """

    def __init__(self, device: str) -> None:
        super().__init__()


@function("distribute.TPUStrategy")
class TPUStrategy(Strategy):
    """The strategy for TPUs.

    Unlike TensorFlow, there is one replica, on JAX's default device, however many devices there
    are: what a program does for each replica, it does once.

    Args:
        tpu_cluster_resolver: ignored.
        experimental_device_assignment: ignored.

    Raises:
        ValueError: if there is no TPU.
    """

    def __init__(
        self, tpu_cluster_resolver: Any = None, experimental_device_assignment: Any = None
    ) -> None:
        if not list_logical_devices("TPU"):
            raise ValueError("There is no TPU. Leave the strategy out, or use MirroredStrategy.")
        super().__init__()
        _warn_of_one(self, None)


def _warn_of_one(strategy: Strategy, devices: Sequence[Any] | None) -> None:
    """Says that a program does not run on all devices that TensorFlow would run it on."""
    if devices is None:
        count = 1 if jax.default_backend() == "cpu" else jax.local_device_count()
    else:
        count = len(devices)
    if count > 1:
        get_logger().warning(MESSAGE_ONE, type(strategy).__name__, count)


class _DefaultStrategy(Strategy):
    """The strategy of programs that have none."""

    @contextlib.contextmanager
    def _scope(self) -> Iterator[Strategy]:
        yield self

    def run(
        self, fn: Callable[..., Any], args: Any = (), kwargs: dict[str, Any] | None = None,
        options: Any = None,
    ) -> Any:  # fmt: skip
        return fn(*args, **(kwargs or {}))


DEFAULT = _DefaultStrategy()
_DEFAULT_PLACE = ReplicaPlace(DEFAULT, ReplicaContext(DEFAULT))


@function("distribute.get_strategy")
def get_strategy() -> Strategy:
    """Returns the strategy that the program is in the scope of, or one that does nothing.

    >>> tf.distribute.get_strategy().num_replicas_in_sync
    1
    """
    return (THREAD.places[-1] if THREAD.places else _DEFAULT_PLACE).strategy


@function("distribute.get_replica_context")
def get_replica_context() -> ReplicaContext | None:
    """Returns the context of the replica that runs; None in the scope of a strategy.

    >>> tf.distribute.get_replica_context().num_replicas_in_sync
    1
    """
    return (THREAD.places[-1] if THREAD.places else _DEFAULT_PLACE).replica


@function("distribute.experimental_set_strategy")
def experimental_set_strategy(strategy: Strategy | None) -> None:
    """Makes a strategy that of the thread from now on; None ends this.

    >>> tf.distribute.experimental_set_strategy(tf.distribute.OneDeviceStrategy("/cpu:0"))
    >>> tf.distribute.has_strategy()
    True
    >>> tf.distribute.experimental_set_strategy(None)
    """
    THREAD.places = [] if strategy is None else [ReplicaPlace(strategy, None)]
