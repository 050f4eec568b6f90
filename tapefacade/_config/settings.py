"""Settings: `tf.config` (threads, optimizers, precision, compiled programs), and tracebacks."""

import os
from typing import Any

import jax

from tapefacade._config.devices import JAX_CONFIG, devices_in_use
from tapefacade._core import errors
from tapefacade._core.tensor import hinted
from tapefacade._core.tracebacks import Filtering
from tapefacade._definition.op import function
from tapefacade._trace.background_compilation import BACKGROUND_COMPILER
from tapefacade._trace.compilation_cache import CACHE, absolute
from tapefacade._trace.recording import THREAD
from tapefacade._trace.tree import TREE

DETERMINISTIC_FLAG = "--xla_gpu_deterministic_ops=true"
# Precisions of JAX that forbid TensorFloat-32.
PRECISIONS_WITHOUT_TF32 = ("highest", "float32")
OPTIMIZER_OPTIONS = (
    "layout_optimizer",
    "constant_folding",
    "shape_optimization",
    "remapping",
    "arithmetic_optimization",
    "dependency_optimization",
    "loop_optimization",
    "function_optimization",
    "debug_stripper",
    "disable_model_pruning",
    "scoped_allocator_optimization",
    "pin_to_host_optimization",
    "implementation_selector",
    "auto_mixed_precision",
    "use_plugin_optimizers",
    "disable_meta_optimizer",
    "auto_mixed_precision_onednn_bfloat16",
    "auto_mixed_precision_mkl",
    "min_graph_nodes",
)
POLICIES = {
    None: "silent",
    "silent": "silent",
    "silent_for_int32": "silent_for_int32",
    "warn": "warn",
    "explicit": "explicit",
}


class _ConfigSettings:
    """What programs have set."""

    def __init__(self) -> None:
        self.threads: dict[str, int | None] = {"Inter": None, "Intra": None}
        self.jit = False
        self.options: dict[str, Any] = {
            "disable_model_pruning": False,
            "disable_meta_optimizer": False,
        }
        self.policy = "silent"
        self.synchronous = True


SETTINGS = _ConfigSettings()


def _set_threads(kind: str, number: int) -> None:
    if SETTINGS.threads[kind] == number:
        return
    if devices_in_use():
        raise RuntimeError(f"{kind} op parallelism cannot be modified after initialization.")
    SETTINGS.threads[kind] = number


@function("config.threading.set_inter_op_parallelism_threads")
def set_inter_op_parallelism_threads(num_threads: int) -> None:
    """Takes note of how many ops may run at the same time.

    Unlike TensorFlow, this changes nothing: XLA decides how a program is spread over the CPU.

    Args:
        num_threads: the number, 0 for any.

    Raises:
        RuntimeError: if programs have run already.
    """
    _set_threads("Inter", num_threads)


@function("config.threading.set_intra_op_parallelism_threads")
def set_intra_op_parallelism_threads(num_threads: int) -> None:
    """Takes note of how many threads one op may use.

    Unlike TensorFlow, this changes nothing: XLA decides how a program is spread over the CPU.

    Args:
        num_threads: the number, 0 for any.

    Raises:
        RuntimeError: if programs have run already.
    """
    _set_threads("Intra", num_threads)


@function("config.threading.get_inter_op_parallelism_threads")
def get_inter_op_parallelism_threads() -> int:
    """Returns what `set_inter_op_parallelism_threads` was told, 0 at first.

    >>> tf.config.threading.get_inter_op_parallelism_threads()
    0
    """
    return SETTINGS.threads["Inter"] or 0


@function("config.threading.get_intra_op_parallelism_threads")
def get_intra_op_parallelism_threads() -> int:
    """Returns what `set_intra_op_parallelism_threads` was told, 0 at first.

    >>> tf.config.threading.get_intra_op_parallelism_threads()
    0
    """
    return SETTINGS.threads["Intra"] or 0


@function("config.optimizer.set_jit")
def set_jit(enabled: bool | str) -> None:
    """Takes note of a wish to compile programs.

    Unlike TensorFlow, this changes nothing: all programs are compiled.

    Args:
        enabled: True or "autoclustering" to compile.

    >>> tf.config.optimizer.set_jit(False)
    """
    SETTINGS.jit = enabled in (True, "autoclustering")


@function("config.optimizer.get_jit")
def get_jit() -> str:
    """Returns "autoclustering" if `set_jit` was told to compile, otherwise an empty text.

    >>> tf.config.optimizer.get_jit()
    ''
    """
    return "autoclustering" if SETTINGS.jit else ""


@function("config.optimizer.set_experimental_options")
def set_experimental_options(options: dict[str, Any]) -> None:
    """Takes note of wishes about the optimization of graphs.

    Unlike TensorFlow, this changes nothing: XLA optimizes programs.

    Args:
        options: the wishes by their names, such as "constant_folding".

    >>> tf.config.optimizer.set_experimental_options({"disable_meta_optimizer": False})
    """
    SETTINGS.options.update(options)


@function("config.optimizer.get_experimental_options")
def get_experimental_options() -> dict[str, Any]:
    """Returns what `set_experimental_options` was told.

    >>> tf.config.optimizer.get_experimental_options()["disable_meta_optimizer"]
    False
    """
    return {name: SETTINGS.options[name] for name in OPTIMIZER_OPTIONS if name in SETTINGS.options}


@function("config.experimental.enable_tensor_float_32_execution")
def enable_tensor_float_32_execution(enabled: bool) -> None:
    """Says whether float32 products may be computed from rounded numbers, on GPUs that can.

    It sets JAX's `jax_default_matmul_precision`.

    Args:
        enabled: whether they may.

    >>> allowed = tf.config.experimental.tensor_float_32_execution_enabled()
    >>> tf.config.experimental.enable_tensor_float_32_execution(allowed)
    """
    if bool(enabled) != tensor_float_32_execution_enabled():
        JAX_CONFIG.update("jax_default_matmul_precision", None if enabled else "highest")


@function("config.experimental.tensor_float_32_execution_enabled")
def tensor_float_32_execution_enabled() -> bool:
    """Returns whether float32 products may be computed from rounded numbers, on GPUs that can.

    >>> isinstance(tf.config.experimental.tensor_float_32_execution_enabled(), bool)
    True
    """
    return JAX_CONFIG.jax_default_matmul_precision not in PRECISIONS_WITHOUT_TF32


@function("config.experimental.enable_op_determinism")
def enable_op_determinism() -> None:
    """Asks that a program gives the same numbers whenever it runs.

    On a CPU compiled programs do; from now on none is computed in another way until it has been
    compiled in the background, so that a deep model's first step takes seconds. Unlike TensorFlow,
    random ops without a seed are not refused, and on a GPU it has to be asked for before the
    program starts.

    Raises:
        RuntimeError: if programs run on a GPU, and the environment variable XLA_FLAGS does not ask
            for it.

    >>> tf.config.experimental.enable_op_determinism()
    """
    if jax.default_backend() != "cpu" and DETERMINISTIC_FLAG not in os.environ.get("XLA_FLAGS", ""):
        raise hinted(
            RuntimeError("Op determinism cannot be enabled after GPUs have been initialized."),
            f"Set the environment variable XLA_FLAGS={DETERMINISTIC_FLAG} before it starts.",
        )
    BACKGROUND_COMPILER.is_on = False


@function("config.experimental.enable_mlir_bridge")
def enable_mlir_bridge() -> None:
    """Does nothing: there is one way to compile.

    >>> tf.config.experimental.enable_mlir_bridge()
    """


@function("config.experimental.disable_mlir_bridge")
def disable_mlir_bridge() -> None:
    """Does nothing: there is one way to compile.

    >>> tf.config.experimental.disable_mlir_bridge()
    """


@function("config.experimental.get_device_policy")
def get_device_policy() -> str:
    """Returns what `set_device_policy` was told, "silent" at first.

    >>> tf.config.experimental.get_device_policy()
    'silent'
    """
    return SETTINGS.policy


@function("config.experimental.set_device_policy")
def set_device_policy(device_policy: str | None) -> None:
    """Takes note of what to do about values on another device than an op.

    Unlike TensorFlow, this changes nothing: values move as programs need them.

    Args:
        device_policy: "silent", "silent_for_int32", "warn", "explicit", or None for "silent".

    Raises:
        ValueError: if it is something else.

    >>> tf.config.experimental.set_device_policy("silent")
    """
    if device_policy not in POLICIES:
        raise ValueError(
            f"Invalid argument `device_policy`: {device_policy!r}. Please refer to "
            "https://www.tensorflow.org/api_docs/python/tf/config/experimental/set_device_policy "
            "for valid `device_policy` arguments."
        )
    SETTINGS.policy = POLICIES[device_policy]


@function("config.experimental.get_synchronous_execution")
def get_synchronous_execution() -> bool:
    """Returns what `set_synchronous_execution` was told, True at first.

    >>> tf.config.experimental.get_synchronous_execution()
    True
    """
    return SETTINGS.synchronous


@function("config.experimental.set_synchronous_execution")
def set_synchronous_execution(enable: bool | None) -> None:
    """Takes note of whether ops run at once.

    Unlike TensorFlow, this changes nothing: a program runs when somebody looks at its results.
    `tf.config.run_ops_immediately` makes every op run at its call.

    Args:
        enable: whether they do; None for the default, which is True.

    >>> tf.config.experimental.set_synchronous_execution(True)
    """
    SETTINGS.synchronous = enable is None or bool(enable)


@function("config.experimental_connect_to_host")
def experimental_connect_to_host(remote_host: Any = None, job_name: str = "worker") -> None:
    """Refuses to connect to another machine.

    Unlike TensorFlow, a process runs no ops in another one.

    Args:
        remote_host: the address of the machine.
        job_name: what the machine is called.

    Raises:
        ValueError: if there is no address.
        UnavailableError: otherwise.

    >>> tf.config.experimental_connect_to_host()
    Traceback (most recent call last):
    ValueError: Must provide at least one remote_host
    """
    if not remote_host:
        raise ValueError("Must provide at least one remote_host")
    raise _one_process(remote_host)


@function("config.experimental_connect_to_cluster")
def experimental_connect_to_cluster(
    cluster_spec_or_resolver: Any,
    job_name: str = "localhost",
    task_index: int = 0,
    protocol: str | None = None,
    make_master_device_default: bool = True,
    cluster_device_filters: Any = None,
) -> None:
    """Accepts a cluster that is this process alone.

    Unlike TensorFlow, a process runs no ops in another one. Those that work in step are joined by
    `tf.distribute.MultiWorkerMirroredStrategy`, which has to be made before the first op.

    Args:
        cluster_spec_or_resolver: a resolver whose `master()` is local.
        job_name: ignored.
        task_index: ignored.
        protocol: ignored.
        make_master_device_default: ignored.
        cluster_device_filters: ignored.

    Raises:
        UnavailableError: if the cluster has other processes.

    >>> tf.config.experimental_connect_to_cluster("grpc://10.0.0.1:8470")
    Traceback (most recent call last):
    tapefacade.errors.UnavailableError: ...
    """
    master = getattr(cluster_spec_or_resolver, "master", None)
    if master is None or master() not in ("", "local"):
        raise _one_process(cluster_spec_or_resolver)


def _one_process(address: Any) -> errors.UnavailableError:
    return errors.UnavailableError(
        None, None, f"tapefacade runs no ops in other processes: it cannot connect to {address!r}."
    )


def run_ops_immediately(enable: bool = True) -> None:
    """Switches deferral off: every op then runs at its own call, for debugging.

    Results are the same either way. Errors that depend on values come from the line of their op,
    and a debugger sees values, at the price of speed. (TensorFlow's
    `tf.config.run_functions_eagerly` is about functions, this is about ops.)

    Args:
        enable: whether ops run at once.

    >>> tf.config.run_ops_immediately(True)
    >>> tf.config.ops_run_immediately()
    True
    >>> tf.config.run_ops_immediately(False)
    """
    THREAD.recording.flush()
    TREE.eager = bool(enable)
    if not THREAD.recording.is_held:
        THREAD.recording.close()


def ops_run_immediately() -> bool:
    """Returns whether every op runs at its own call.

    >>> tf.config.ops_run_immediately()
    False
    """
    return TREE.eager


def keep_compiled_programs(where: str | os.PathLike[str] | bool | None = True) -> None:
    """Says where compiled programs are kept, so that the next process need not compile them again.

    At first they are kept in a folder of the user's, such as `~/.cache/tapefacade`, unless the
    environment variable TAPEFACADE_COMPILATION_CACHE names another one or is "off". A program that
    has set JAX's `jax_compilation_cache_dir` keeps everything there. (Not in TensorFlow.)

    Args:
        where: a folder, which only this user may write to: what is in it will run; True for the
            user's; False to keep nothing; None for what holds at first.

    >>> tf.config.keep_compiled_programs(False)
    >>> tf.config.compiled_programs_folder() is None
    True
    >>> tf.config.keep_compiled_programs(None)
    """
    if where is None or isinstance(where, bool):
        CACHE.choose(where)
    else:
        CACHE.choose(absolute(os.fspath(where)))


def compiled_programs_folder() -> str | None:
    """Returns the folder of compiled programs; None if they are not kept, or in JAX's folder.

    See `tf.config.keep_compiled_programs`.
    """
    folder = CACHE.folder()
    return None if folder is None else str(folder)


def executing_eagerly() -> bool:
    """Returns False within a `tf.function`, else True.

    >>> tf.executing_eagerly()
    True
    """
    return not THREAD.functions


@function("debugging.enable_traceback_filtering")
def enable_traceback_filtering() -> None:
    """Leaves the lines of tapefacade, Keras and JAX out of tracebacks, as it is at first.

    An error of an op that ran later than it was called says in a note which line called it.

    >>> tf.debugging.enable_traceback_filtering()
    """
    Filtering.on = True


@function("debugging.disable_traceback_filtering")
def disable_traceback_filtering() -> None:
    """Lets tracebacks show all lines.

    >>> tf.debugging.disable_traceback_filtering()
    >>> tf.debugging.is_traceback_filtering_enabled()
    False
    >>> tf.debugging.enable_traceback_filtering()
    """
    Filtering.on = False


@function("debugging.is_traceback_filtering_enabled")
def is_traceback_filtering_enabled() -> bool:
    """Returns whether tracebacks leave lines out.

    >>> tf.debugging.is_traceback_filtering_enabled()
    True
    """
    return Filtering.on
