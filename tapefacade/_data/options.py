"""`tf.data.Options`: how a dataset may be read. Most of it is accepted and needs nothing here."""

import enum
from typing import Any, ClassVar

from tapefacade._definition.op import function


class _OptionGroup:
    """Attributes that are known, each of one class; unset ones are None."""

    _kinds: ClassVar[dict[str, Any]] = {}
    _defaults: ClassVar[dict[str, Any]] = {}

    def __init__(self) -> None:
        object.__setattr__(self, "_values", {})
        object.__setattr__(self, "_frozen", False)

    def __getattr__(self, name: str) -> Any:
        kinds = type(self)._kinds
        if name not in kinds:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        kind = kinds[name]
        if isinstance(kind, type) and issubclass(kind, _OptionGroup):
            return self._values.setdefault(name, kind())
        return self._values.get(name, type(self)._defaults.get(name))

    def __setattr__(self, name: str, value: Any) -> None:
        kinds = type(self)._kinds
        if name not in kinds:
            raise AttributeError(f"Cannot set the property {name} on {type(self).__name__}.")
        if self._frozen:
            raise ValueError(
                "Mutating `tf.data.Options()` returned by `tf.data.Dataset.options()` has no "
                "effect. Use `tf.data.Dataset.with_options(options)` to set or update dataset "
                "options."
            )
        kind = kinds[name]
        if not isinstance(value, kind):
            raise TypeError(
                f'Property "{name}" must be of type {kind}, got: {value} (type: {type(value)})'
            )
        self._values[name] = value

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in type(self)._kinds)

    __hash__ = None  # type: ignore[assignment]  # as TensorFlow's

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *type(self)._kinds]

    def _freeze(self) -> Any:
        """Lets nobody change these settings any more."""
        object.__setattr__(self, "_frozen", True)
        for name in type(self)._kinds:
            inner = getattr(self, name)
            if isinstance(inner, _OptionGroup):
                inner._freeze()
        return self

    def _merged(self, other: Any) -> Any:
        made = type(self)()
        for name in type(self)._kinds:
            mine, others = self._values.get(name), other._values.get(name)
            if isinstance(mine or others, _OptionGroup):
                kind = type(mine or others)
                made._values[name] = (mine or kind())._merged(others or kind())
            elif (value := mine if others is None else others) is not None:
                made._values[name] = value
        return made


@function("data.experimental.AutoShardPolicy")
class AutoShardPolicy(enum.IntEnum):
    """How a dataset is divided among workers.

    >>> tf.data.experimental.AutoShardPolicy.DATA
    <AutoShardPolicy.DATA: 2>
    """

    OFF = -1
    AUTO = 0
    FILE = 1
    DATA = 2
    HINT = 3


@function("data.experimental.AutotuneAlgorithm")
class AutotuneAlgorithm(enum.Enum):
    """How TensorFlow chooses numbers of threads; without effect.

    >>> tf.data.experimental.AutotuneAlgorithm.DEFAULT
    <AutotuneAlgorithm.DEFAULT: 0>
    """

    DEFAULT = 0
    HILL_CLIMB = 1
    GRADIENT_DESCENT = 2
    MAX_PARALLELISM = 3
    STAGE_BASED = 4


@function("data.experimental.ExternalStatePolicy")
class ExternalStatePolicy(enum.Enum):
    """What TensorFlow does with state that it cannot save; without effect.

    >>> tf.data.experimental.ExternalStatePolicy.WARN
    <ExternalStatePolicy.WARN: 0>
    """

    WARN = 0
    IGNORE = 1
    FAIL = 2


@function("data.experimental.AutotuneOptions")
class AutotuneOptions(_OptionGroup):
    """How TensorFlow tunes a dataset; without effect.

    >>> tf.data.experimental.AutotuneOptions().enabled
    """

    _kinds: ClassVar[dict[str, Any]] = {
        "autotune_algorithm": AutotuneAlgorithm, "cpu_budget": int, "enabled": bool,
        "initial_parallelism": int, "min_parallelism": int, "ram_budget": int,
    }  # fmt: skip


@function("data.experimental.DistributeOptions")
class DistributeOptions(_OptionGroup):
    """How a dataset is divided among workers.

    >>> tf.data.experimental.DistributeOptions().auto_shard_policy
    <AutoShardPolicy.AUTO: 0>
    """

    _kinds: ClassVar[dict[str, Any]] = {"auto_shard_policy": AutoShardPolicy, "num_devices": int}
    _defaults: ClassVar[dict[str, Any]] = {"auto_shard_policy": AutoShardPolicy.AUTO}


@function("data.experimental.OptimizationOptions")
class OptimizationOptions(_OptionGroup):
    """Which steps TensorFlow rewrites; without effect.

    >>> tf.data.experimental.OptimizationOptions().map_fusion
    """

    _kinds: ClassVar[dict[str, Any]] = dict.fromkeys(
        (
            "apply_default_optimizations", "filter_fusion", "filter_parallelization",
            "inject_prefetch", "map_and_batch_fusion", "map_and_filter_fusion", "map_fusion",
            "map_parallelization", "noop_elimination", "parallel_batch",
            "seq_interleave_prefetch", "shuffle_and_repeat_fusion",
        ),
        bool,
    )  # fmt: skip


@function("data.experimental.ServiceOptions")
class ServiceOptions(_OptionGroup):
    """How TensorFlow's data service moves memory; without effect.

    >>> tf.data.experimental.ServiceOptions().pinned
    """

    _kinds: ClassVar[dict[str, Any]] = {"pinned": bool}


@function("data.ThreadingOptions", "data.experimental.ThreadingOptions")
class ThreadingOptions(_OptionGroup):
    """How many threads TensorFlow's kernels use; without effect.

    >>> tf.data.ThreadingOptions().private_threadpool_size
    """

    _kinds: ClassVar[dict[str, Any]] = {
        "max_intra_op_parallelism": int, "private_threadpool_size": int,
    }  # fmt: skip


@function("data.Options")
class Options(_OptionGroup):
    """How a dataset may be read, for `Dataset.with_options`.

    Unlike TensorFlow, datasets keep the order of their elements whatever `deterministic` says, and
    there is nothing to tune: the options are kept and merged, and without effect.

    >>> options = tf.data.Options()
    >>> options.deterministic = False
    >>> tf.data.Dataset.range(3).with_options(options).options().deterministic
    False

    See https://www.tensorflow.org/api_docs/python/tf/data/Options.
    """

    _kinds: ClassVar[dict[str, Any]] = {
        "autotune": AutotuneOptions,
        "dataset_name": str,
        "deterministic": bool,
        "experimental_distribute": DistributeOptions,
        "experimental_external_state_policy": ExternalStatePolicy,
        "experimental_optimization": OptimizationOptions,
        "experimental_service": ServiceOptions,
        "experimental_slack": bool,
        "experimental_symbolic_checkpoint": bool,
        "experimental_warm_start": bool,
        "framework_type": list,
        "threading": ThreadingOptions,
    }
    _older: ClassVar[dict[str, str]] = {
        "experimental_deterministic": "deterministic",
        "experimental_threading": "threading",
    }

    def __getattr__(self, name: str) -> Any:
        return super().__getattr__(self._older.get(name, name))

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(self._older.get(name, name), value)

    def merge(self, options: "Options") -> "Options":
        """Returns these options, and those of `options` where they are set.

        Args:
            options: other options.

        >>> tf.data.Options().merge(tf.data.Options()).deterministic
        """
        return self._merged(options)
