"""What is said about a name that the package does not have."""

import difflib
import functools
import opcode
import sys
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from tapefacade._core.tracebacks import shorten

IMPORT_FROM = opcode.opmap["IMPORT_FROM"]
# A name that is less alike than this puzzles more than none: `tf.tan` for `tf.train` has 0.75.
NEAR_ENOUGH = 0.8
# What to write instead, for names that programs often use, and for what lies below them. What is
# said of `tf.x` holds for `tf.compat.v1.x` as well; the longest name that fits is taken.
_LEAVE_OUT = "Leave it out: ops run as they are called, and are compiled all the same"
_COORDINATOR = (
    "Call `strategy.run` in the place of `ClusterCoordinator.schedule`: replicas run in step"
)
_PROCESS = (
    "Leave it out: processes are told of each other by TF_CONFIG, which "
    "`python -m tapefacade launch --processes N SCRIPT` sets, and "
    "`tf.distribute.MultiWorkerMirroredStrategy` reads"
)
_DENSE = "Write `tf.keras.layers.Dense` and its like, and keep the layers in variables"
_VARIABLES = "Make variables with `tf.Variable` and keep them in a list, a `tf.Module` or a model"
_PRIVATE = "It is private to TensorFlow: write `import tensorflow as tf` and use the public name"
_ABSL = "Write `from absl import app, flags, logging`, or use argparse and logging"
_NO_GRAPH = "Leave it out: there are no graphs, and tensors have values at once"
_CPP = "There is no C++ library: write the op in JAX, or call it with `tf.numpy_function`"
_SESSION = "Tensors have values at once: call `numpy()` instead of `run`"
_CONFIG = "Leave it out, or use `tf.config`"
_NO_SWITCH = "Leave it out: programs are compiled without graphs"
_INITIALIZED = "Leave it out: variables have values at once"
_CHECKPOINT = "Write `tf.train.Checkpoint`"
_CREATE_MESH = "Write `tf.experimental.dtensor.create_mesh`"
_ONE_DEVICE = "Leave it out: a program runs on JAX's default device"
_COUNTER = "Count the steps in a variable of your own"
_ITERATE = "Write `for element in dataset` or `iter(dataset)`"
_PLACED = "Leave it out: JAX places what a program needs"
_DATASET = "Hand the dataset itself on"
_JPEG_XL = "Decode with a package for JPEG XL in `tf.numpy_function`"
_PROFILE = "Open the profile that `tf.profiler.experimental.stop` writes"
_PARAMETER = "Make it a parameter of a function that is given tensors"
_SCALING = "Write `tf.keras.initializers.VarianceScaling`"
_GLOROT = "Write `tf.keras.initializers.GlorotUniform`"
_ADAGRAD = "Write `tf.keras.optimizers.Adagrad`"
_DECAY = "Write `tf.keras.optimizers.schedules.ExponentialDecay`"
_RNN = "Write `tf.keras.layers.RNN`, or `LSTM` and its like"
_PATCHES = "Write `tf.image.extract_patches`"
_FAKE_QUANT = "Write `tf.quantization.fake_quant_with_min_max_args` and its like"
_ACCUMULATED = "Add the gradients up in a `tf.Variable`"
_SPARSE = "Write `tf.sparse.SparseTensor` with the indices"
_SPARSE_MAX = "Write `tf.sparse.reduce_max` with `output_is_sparse=True`"
_SPARSE_SUM = "Write `tf.sparse.reduce_sum` with `output_is_sparse=True`"
_GENERATOR = "Leave it out, or draw from a `tf.random.Generator`"
_SUMMARY = "Write with `tf.summary`"
_POLICY = "Write `tf.keras.mixed_precision.set_global_policy`"
HINTS = {
    "tf.Session": _SESSION,
    "tf.InteractiveSession": _SESSION,
    "tf.ConfigProto": _CONFIG,
    "tf.GPUOptions": _CONFIG,
    "tf.disable_eager_execution": _NO_SWITCH,
    "tf.disable_v2_behavior": _NO_SWITCH,
    "tf.enable_eager_execution": _LEAVE_OUT,
    "tf.enable_v2_behavior": _LEAVE_OUT,
    "tf.global_variables_initializer": _INITIALIZED,
    "tf.local_variables_initializer": _INITIALIZED,
    "tf.variables_initializer": _INITIALIZED,
    "tf.tables_initializer": "Leave it out: tables have their entries at once",
    "tf.get_default_graph": _NO_GRAPH,
    "tf.reset_default_graph": _NO_GRAPH,
    "tf.get_default_session": _NO_GRAPH,
    "tf.GraphKeys": _VARIABLES,
    "tf.add_to_collection": _VARIABLES,
    "tf.get_collection": _VARIABLES,
    "tf.global_variables": _VARIABLES,
    "tf.variable_scope": _VARIABLES,
    "tf.get_variable": _VARIABLES,
    "tf.trainable_variables": _VARIABLES,
    "tf.placeholder": _PARAMETER,
    "tf.assign": "Write `variable.assign(value)`",
    "tf.assign_add": "Write `variable.assign_add(value)`",
    "tf.assign_sub": "Write `variable.assign_sub(value)`",
    "tf.set_random_seed": "Write `tf.random.set_seed`",
    "tf.random_normal": "Write `tf.random.normal`",
    "tf.random_uniform": "Write `tf.random.uniform`",
    "tf.truncated_normal": "Write `tf.random.truncated_normal`",
    "tf.matrix_band_part": "Write `tf.linalg.band_part`",
    "tf.matrix_inverse": "Write `tf.linalg.inv`",
    "tf.to_float": "Write `tf.cast(x, tf.float32)`",
    "tf.to_double": "Write `tf.cast(x, tf.float64)`",
    "tf.to_int32": "Write `tf.cast(x, tf.int32)`",
    "tf.to_int64": "Write `tf.cast(x, tf.int64)`",
    "tf.app": _ABSL,
    "tf.flags": _ABSL,
    "tf.logging": "Write `tf.get_logger()`, or use absl's logging",
    "tf.contrib": "It is no part of TensorFlow 2, but of packages such as tensorflow_addons",
    "tf.estimator": "Write the steps with `tf.GradientTape`, or call `tf.keras.Model.fit`",
    "tf.keras.estimator": "Call `tf.keras.Model.fit`",
    "tf.initializers.xavier_initializer": _GLOROT,
    "tf.layers": _DENSE,
    "tf.lite": "Save the weights, and convert them where TensorFlow is installed",
    "tf.distribute": (
        "Write `tf.distribute.MirroredStrategy` for the devices of a machine, "
        "`tf.distribute.MultiWorkerMirroredStrategy` for several machines"
    ),
    "tf.distribute.Server": _PROCESS,
    "tf.distribute.coordinator": _COORDINATOR,
    "tf.distribute.experimental.coordinator": _COORDINATOR,
    "tf.distribute.experimental.rpc": (
        "Write `strategy.run` with `tf.distribute.MultiWorkerMirroredStrategy`, in which processes "
        "compute together, or call another program by an RPC package such as grpcio"
    ),
    "tf.experimental.dtensor.name_based_save": _CHECKPOINT,
    "tf.experimental.dtensor.name_based_restore": _CHECKPOINT,
    "tf.experimental.dtensor.sharded_save": _CHECKPOINT,
    "tf.experimental.dtensor.enable_save_as_bf16": "Save a variable of dtype bfloat16",
    "tf.experimental.dtensor.create_tpu_mesh": _CREATE_MESH,
    "tf.experimental.dtensor.device_name": (
        "Leave it out: a tensor that is laid out needs no device of its own"
    ),
    "tf.train.AdagradOptimizer": _ADAGRAD,
    "tf.train.AdamOptimizer": "Write `tf.keras.optimizers.Adam`",
    "tf.train.GradientDescentOptimizer": "Write `tf.keras.optimizers.SGD`",
    "tf.train.MomentumOptimizer": "Write `tf.keras.optimizers.SGD` with `momentum`",
    "tf.train.RMSPropOptimizer": "Write `tf.keras.optimizers.RMSprop`",
    "tf.train.Optimizer": "Write `tf.keras.optimizers.Optimizer`",
    "tf.train.exponential_decay": _DECAY,
    "tf.train.Saver": _CHECKPOINT,
    "tf.train.get_global_step": _COUNTER,
    "tf.train.get_or_create_global_step": _COUNTER,
    "tf.data.make_one_shot_iterator": _ITERATE,
    "tf.data.make_initializable_iterator": _ITERATE,
    "tf.nn.dynamic_rnn": _RNN,
    "tf.nn.rnn_cell": "Write `tf.keras.layers.LSTMCell`, `GRUCell` or `SimpleRNNCell`",
    "tf.summary.FileWriter": "Write `tf.summary.create_file_writer`",
    "tf.summary.merge_all": "Leave it out: `tf.summary.scalar` writes at once",
    "tf.summary.graph": (
        "There is no graph to show: `ConcreteFunction.program()` lists what was recorded"
    ),
    # What is left out on purpose: it belongs to TensorFlow's runtime, compilers or devices.
    "tf.raw_ops": "Call the function of `tf` that TensorFlow documents for this op",
    "tf.graph_util": _NO_GRAPH,
    "tf.import_graph_def": _NO_GRAPH,
    "tf.io.write_graph": "There are no graphs: write `tf.saved_model.save`",
    "tf.test.assert_equal_graph_def": _NO_GRAPH,
    "tf.check_pinned": _PLACED,
    "tf.nondifferentiable_batch_function": "Collect the calls in a `tf.data.Dataset`, and batch it",
    "tf.load_library": _CPP,
    "tf.load_op_library": _CPP,
    "tf.sysconfig": _CPP,
    "tf.mlir": (
        "Write `ConcreteFunction.program()`, or `experimental_get_compiler_ir` of a function"
    ),
    "tf.config.experimental.ClusterDeviceFilters": _PROCESS,
    "tf.data.experimental.distributed_save": "Write `dataset.save`",
    "tf.data.experimental.enable_debug_mode": "Write `tf.config.run_functions_eagerly(True)`",
    "tf.data.experimental.from_variant": _DATASET,
    "tf.data.experimental.to_variant": _DATASET,
    "tf.data.experimental.get_model_proto": "Leave it out: nothing is tuned while a dataset runs",
    "tf.data.experimental.make_saveable_from_iterator": (
        "Track the iterator in a `tf.train.Checkpoint`"
    ),
    "tf.debugging.experimental": "Write `tf.debugging.enable_check_numerics`, or `run --report`",
    "tf.feature_column": (
        "Write a layer of `tf.keras.layers` such as `StringLookup` and `Embedding`"
    ),
    "tf.image.decode_jxl": _JPEG_XL,
    "tf.io.decode_jxl": _JPEG_XL,
    "tf.image.generate_bounding_box_proposals": "Write `tf.image.combined_non_max_suppression`",
    "tf.nn.RNNCellDeviceWrapper": _PLACED,
    "tf.nn.RNNCellDropoutWrapper": "Give a Keras cell `dropout` and `recurrent_dropout`",
    "tf.nn.RNNCellResidualWrapper": "Add the input in the `call` of a cell of your own",
    "tf.profiler.experimental.client": _PROFILE,
    "tf.quantization": (
        "Train with `tf.quantization.fake_quant_with_min_max_vars`, and convert where "
        "TensorFlow is installed"
    ),
    **dict.fromkeys(
        (
            f"tf.saved_model.{name}"
            for name in (
                "Builder",
                "build_signature_def",
                "build_tensor_info",
                "builder",
                "classification_signature_def",
                "get_tensor_from_tensor_info",
                "is_valid_signature",
                "loader",
                "main_op",
                "main_op_with_restore",
                "predict_signature_def",
                "regression_signature_def",
                "signature_def_utils",
                "simple_save",
                "utils",
            )
        ),
        "There are no graphs to save or load: write `tf.saved_model.save(module, path)`",
    ),
    "tf.test.Benchmark": "Measure with `timeit`, and `numpy()` at the end",
    "tf.test.benchmark_config": "Leave it out: there are no sessions",
    "tf.test.create_local_cluster": _PROCESS,
    "tf.tpu.experimental": (
        "JAX finds the devices: leave it out, or write `tf.config.list_physical_devices`"
    ),
    "tf.tpu.experimental.embedding": (
        "Write `tf.keras.layers.Embedding` or `tf.nn.embedding_lookup`"
    ),
    "tf.train.experimental": (
        "Write `tf.train.Checkpoint` without these options: a checkpoint is one file"
    ),
    "tf.types.experimental": "It is for annotations only: write `Any`",
    "tf.experimental.StructuredTensor": (
        "Keep the tensors in a dictionary: all functions take nests"
    ),
    "tf.experimental.enable_strict_mode": "Leave it out: what is deprecated raises",
    "tf.experimental.register_filesystem_plugin": (
        "Write paths with `://`: the extra `remote` reads them"
    ),
    "tf.experimental.tensorrt": "Leave it out: XLA compiles for the device",
    "tf.python": _PRIVATE,
    "tf.core": _PRIVATE,
    "tf.__internal__": _PRIVATE,
    # TensorFlow 1: graphs, their collections, sessions and queues.
    **{
        f"tf.{space}.{name}": hint
        for space, groups in {
            "train": {
                "CheckpointSaverHook CheckpointSaverListener FeedFnHook FinalOpsHook "
                "GlobalStepWaiterHook LoggingTensorHook NanLossDuringTrainingError NanTensorHook "
                "ProfilerHook SecondOrStepTimer SessionRunArgs SessionRunContext SessionRunHook "
                "SessionRunValues StepCounterHook StopAtStepHook SummarySaverHook": (
                    "Write a `tf.keras.callbacks.Callback`, or the loop with `tf.GradientTape`"
                ),
                "ChiefSessionCreator MonitoredSession MonitoredTrainingSession Scaffold "
                "SessionCreator SessionManager SingularMonitoredSession Supervisor "
                "WorkerSessionCreator basic_train_loop": _SESSION,
                "LooperThread": "Write `threading.Thread`",
                "QueueRunner add_queue_runner batch batch_join input_producer limit_epochs "
                "maybe_batch maybe_batch_join maybe_shuffle_batch maybe_shuffle_batch_join "
                "queue_runner range_input_producer shuffle_batch shuffle_batch_join "
                "slice_input_producer start_queue_runners string_input_producer": (
                    "Read with `tf.data.Dataset`: `batch`, `shuffle`, `repeat`, `list_files`"
                ),
                "Server replica_device_setter": _PROCESS,
                "SyncReplicasOptimizer": "Write `tf.distribute.MirroredStrategy`",
                "SaverDef VocabInfo init_from_checkpoint warm_start": _CHECKPOINT,
                "do_quantize_training_on_graphdef export_meta_graph import_meta_graph "
                "write_graph": _NO_GRAPH,
                "assert_global_step global_step": _COUNTER,
                "AdadeltaOptimizer": "Write `tf.keras.optimizers.Adadelta`",
                "FtrlOptimizer": "Write `tf.keras.optimizers.Ftrl`",
                "AdagradDAOptimizer ProximalAdagradOptimizer": (_ADAGRAD),
                "ProximalGradientDescentOptimizer sdca_fprint sdca_optimizer sdca_shrink_l1": (
                    "Write `tf.keras.optimizers.SGD`, with regularizers in the layers"
                ),
                "cosine_decay linear_cosine_decay noisy_linear_cosine_decay": (
                    "Write `tf.keras.optimizers.schedules.CosineDecay`"
                ),
                "cosine_decay_restarts": (
                    "Write `tf.keras.optimizers.schedules.CosineDecayRestarts`"
                ),
                "inverse_time_decay": "Write `tf.keras.optimizers.schedules.InverseTimeDecay`",
                "natural_exp_decay": _DECAY,
                "piecewise_constant piecewise_constant_decay": (
                    "Write `tf.keras.optimizers.schedules.PiecewiseConstantDecay`"
                ),
                "polynomial_decay": "Write `tf.keras.optimizers.schedules.PolynomialDecay`",
                "summary_iterator": "Read the file with `tf.data.TFRecordDataset`",
            },
            "image": {
                "extract_image_patches": _PATCHES,
            },
            "nn": {
                "bidirectional_dynamic_rnn static_bidirectional_rnn": (
                    "Write `tf.keras.layers.Bidirectional`"
                ),
                "raw_rnn static_rnn static_state_saving_rnn": (_RNN),
                "depthwise_conv2d_native": "Write `tf.nn.depthwise_conv2d`",
                "quantized_avg_pool quantized_conv2d quantized_max_pool quantized_relu_x": (
                    _FAKE_QUANT
                ),
            },
            "sparse": {
                "SparseConditionalAccumulator": _ACCUMULATED,
                "merge": _SPARSE,
                "reduce_max_sparse": _SPARSE_MAX,
                "reduce_sum_sparse": _SPARSE_SUM,
            },
            "errors": {
                "error_code_from_exception_type exception_type_from_error_code "
                "raise_exception_on_not_ok_status": "Read `error.error_code`",
            },
            "test": {
                "StubOutForTesting": "Write `unittest.mock.patch`",
                "compute_gradient_error": "Write `tf.test.compute_gradient`",
                "test_src_dir_path": "Write `pathlib.Path(__file__).parent`",
            },
            "random": {
                "get_seed": _GENERATOR,
                "stateless_multinomial": "Write `tf.random.stateless_categorical`",
            },
            "ragged": {
                "RaggedTensorValue constant_value": "Write `tf.ragged.constant`",
            },
            "tpu": {
                "batch_parallel core outside_compilation replicate rewrite shard": (
                    "Write `strategy.run` of a `tf.distribute.TPUStrategy`"
                ),
                "CrossShardOptimizer cross_replica_sum": (
                    "Write `tf.distribute.get_replica_context().all_reduce`"
                ),
                "bfloat16_scope": _POLICY,
                "PaddingSpec initialize_system shutdown_system": (
                    "Leave it out: JAX finds the devices"
                ),
            },
            "initializers": {"uniform_unit_scaling": _SCALING},
            "experimental": {"output_all_intermediates": _NO_SWITCH},
        }.items()
        for names, hint in groups.items()
        for name in names.split()
    },
    "tf.string_to_hash_bucket": "Write `tf.strings.to_hash_bucket`",
    **{
        f"tf.{name}": hint
        for names, hint in {
            "AttrValue GraphDef GraphOptions MetaGraphDef NameAttrList NodeDef RunMetadata "
            "add_check_numerics_ops colocate_with container op_scope": _NO_GRAPH,
            "SessionLog TensorInfo delete_session_tensor get_session_handle get_session_tensor": (
                _SESSION
            ),
            "AUTO_REUSE VariableScope add_to_collections get_variable_scope": _VARIABLES,
            "create_partitioned_variables": "Make one `tf.Variable` of the whole value",
            "ConditionalAccumulator ConditionalAccumulatorBase SparseConditionalAccumulator": (
                _ACCUMULATED
            ),
            "IdentityReader LMDBReader ReaderBase TextLineReader TFRecordReader WholeFileReader": (
                "Read with `tf.data`: `TFRecordDataset`, `TextLineDataset`, `tf.io.read_file`"
            ),
            "Event HistogramProto LogMessage": _SUMMARY,
            "CXX_VERSION load_file_system_library": _CPP,
            "placeholder_with_default sparse_placeholder": (_PARAMETER),
            "disable_control_flow_v2 disable_resource_variables disable_tensor_equality "
            "disable_v2_tensorshape": "Leave it out: there is TensorFlow 2's behaviour alone",
            "OptimizerOptions RunOptions": _CONFIG,
            "distributions": "Write `tensorflow_probability.distributions`",
            "resource_loader": "Write `importlib.resources`",
            "security tools": _PRIVATE,
            "user_ops": _CPP,
        }.items()
        for name in names.split()
    },
    "tf.FixedLengthRecordReader": "Read with `tf.data.FixedLengthRecordDataset`",
    "tf.Print": "Write `tf.print`",
    "tf.Summary": _SUMMARY,
    "tf.assert_variables_initialized": _INITIALIZED,
    "tf.extract_image_patches": _PATCHES,
    "tf.get_local_variable": _VARIABLES,
    "tf.get_seed": _GENERATOR,
    "tf.glorot_normal_initializer": "Write `tf.keras.initializers.GlorotNormal`",
    "tf.glorot_uniform_initializer": _GLOROT,
    "tf.mixed_precision": _POLICY,
    "tf.py_func": "Write `tf.numpy_function`",
    "tf.sparse_matmul": "Write `tf.matmul`, or `tf.sparse.sparse_dense_matmul`",
    "tf.sparse_segment_mean": "Write `tf.sparse.segment_mean`",
    "tf.sparse_segment_sqrt_n": "Write `tf.sparse.segment_sqrt_n`",
    "tf.sparse_split": "Write `tf.sparse.split`",
    "tf.sparse_to_dense": "Write `tf.sparse.to_dense`",
    "tf.scatter_add": "Write `variable.scatter_add(slices)`",
    "tf.scatter_div": "Write `variable.scatter_div(slices)`",
    "tf.scatter_min": "Write `variable.scatter_min(slices)`",
    "tf.scatter_nd_add": "Write `variable.scatter_nd_add(indices, updates)`",
    "tf.scatter_nd_sub": "Write `variable.scatter_nd_sub(indices, updates)`",
    "tf.scatter_nd_update": "Write `variable.scatter_nd_update(indices, updates)`",
    "tf.truncated_normal_initializer": "Write `tf.keras.initializers.TruncatedNormal`",
    "tf.variable_op_scope": _VARIABLES,
    "tf.wrap_function": "Write `tf.function`",
    "tf.Dimension": "Write `shape[k]`, which is an int or None",
    "tf.batch_scatter_update": "Write `variable.batch_scatter_update(slices)`",
    "tf.scatter_max": "Write `variable.scatter_max(slices)`",
    "tf.scatter_mul": "Write `variable.scatter_mul(slices)`",
    "tf.scatter_sub": "Write `variable.scatter_sub(slices)`",
    "tf.scatter_update": "Write `variable.scatter_update(slices)`",
    "tf.convert_to_tensor_or_indexed_slices": "Write `tf.convert_to_tensor`",
    "tf.convert_to_tensor_or_sparse_tensor": "Write `tf.convert_to_tensor`, or `tf.sparse`",
    "tf.count_up_to": "Write `tf.range`, or count in Python",
    "tf.setdiff1d": "Write `tf.boolean_mask(x, ~tf.reduce_any(x[:, None] == y, 1))`",
    "tf.sparse_add": "Write `tf.sparse.add`",
    "tf.sparse_concat": "Write `tf.sparse.concat`",
    "tf.sparse_merge": _SPARSE,
    "tf.sparse_reduce_max": "Write `tf.sparse.reduce_max`",
    "tf.sparse_reduce_max_sparse": _SPARSE_MAX,
    "tf.sparse_reduce_sum": "Write `tf.sparse.reduce_sum`",
    "tf.sparse_reduce_sum_sparse": _SPARSE_SUM,
    "tf.sparse_segment_sum": "Write `tf.sparse.segment_sum`",
    "tf.string_split": "Write `tf.strings.split`",
    "tf.orthogonal_initializer": "Write `tf.keras.initializers.Orthogonal`",
    "tf.uniform_unit_scaling_initializer": _SCALING,
    "tf.variance_scaling_initializer": _SCALING,
    # Names of older releases of Keras.
    "tf.keras.dtensor": _ONE_DEVICE,
    "tf.keras.layers.DenseFeatures": "Make the columns with `tf.keras.layers.Concatenate`",
    "tf.keras.layers.experimental": "Write `tf.keras.layers` without `experimental`",
    "tf.keras.layers.experimental.preprocessing": "Write `tf.keras.layers` alone",
    "tf.keras.mixed_precision.experimental": _POLICY,
    "tf.keras.optimizers.experimental": "Write `tf.keras.optimizers` without `experimental`",
    "tf.keras.wrappers.scikit_learn": "Use the package scikeras",
    **{
        f"tf.{space}.{old}": f"Write `tf.keras.{space.removeprefix('keras.')}.{new}`"
        for space in ("keras.losses", "keras.metrics", "losses", "metrics")
        for old, new in {
            "mean_squared_error": "MSE",
            "mean_absolute_error": "MAE",
            "mean_absolute_percentage_error": "MAPE",
            "mean_squared_logarithmic_error": "MSLE",
        }.items()
    },
}


def missing_attribute(
    module_name: str, depth: int = 1, late: Mapping[str, Callable[[], Any]] = MappingProxyType({})
) -> Callable[[str], Any]:
    """Makes the `__getattr__` of a namespace, which tells what the namespace has instead.

    Write it as the last line of the module, so that it is not asked while the module is still
    being filled. It costs nothing until a name is missing.

    Args:
        module_name: the `__name__` of the module it is for.
        depth: how many calls lie between the function and who asks.
        late: what makes the attributes that are made when somebody first asks for them.

    Returns:
        A function of a name, which raises an `AttributeError` for it, unless it is made late.
        Called by `from namespace import name` it raises an `ImportError` with the same text.

    >>> import types
    >>> namespace = types.ModuleType("tapefacade.math")
    >>> namespace.__getattr__ = missing_attribute("tapefacade.math")
    >>> namespace.logg
    Traceback (most recent call last):
    AttributeError: tapefacade has no `tf.math.logg`...
    """

    def raise_missing(name: str) -> Any:
        if name in late:
            try:
                return late[name]()
            except Exception as error:
                shorten(error)
                raise
        if name.startswith("_"):
            # Python and its tools ask modules for many such names; nobody mistypes them.
            raise AttributeError(f"module {module_name!r} has no attribute {name!r}", name=name)
        text = missing_message(module_name, name)
        if is_import(sys._getframe(depth)):
            raise ImportError(text, name=module_name)
        # Without `obj`, for with it Python appends a suggestion of its own to ours.
        raise AttributeError(text, name=name)

    return raise_missing


@functools.lru_cache(maxsize=256)
def missing_message(module_name: str, name: str) -> str:
    """Says that a name is missing and which name comes nearest.

    Args:
        module_name: the `__name__` of the module that was asked.
        name: the name it does not have.

    Returns:
        The text of the error.

    >>> missing_message("tapefacade.math", "logg")
    'tapefacade has no `tf.math.logg`...'
    """
    namespace = users_module_name(module_name)
    wanted = f"{namespace}.{name}"
    text = f"tapefacade has no `{wanted}`"
    if hint := hint_for(wanted):
        text += f". {hint}"
    elif nearest := nearest_name(wanted, [*public_names(root_module()), *_own_names(module_name)]):
        text += f"; the nearest name it has is `{nearest}`"
    else:
        text += ", nor a name like it"
    shown = namespace if namespace in {"tf", *public_names(root_module())} else "tf"
    return f"{text}. `dir({shown})` lists what there is."


def _own_names(module_name: str) -> list[str]:
    """Lists the names of a module, also those that it takes from elsewhere when it is asked."""
    namespace = users_module_name(module_name)
    known = dir(sys.modules[module_name]) if module_name in sys.modules else []
    return [f"{namespace}.{name}" for name in known if not name.startswith("_")]


def hint_for(wanted: str) -> str:
    """Says what to write instead of a name.

    Args:
        wanted: a dotted name that is missing.

    Returns:
        A sentence without its full stop; "" if nothing is known.

    >>> hint_for("tf.train.AdamOptimizer") == hint_for("tf.compat.v1.train.AdamOptimizer")
    True
    >>> hint_for("tf.summary.graph") == hint_for("tf.compat.v2.summary.graph") != ""
    True
    >>> hint_for("tf.train.AdamOptimizers")
    ''
    """
    wanted = wanted.replace("tf.compat.v1.", "tf.").replace("tf.compat.v2.", "tf.")
    fitting = [key for key in HINTS if f"{wanted}.".startswith(f"{key}.")]
    return HINTS[max(fitting, key=len)] if fitting else ""


def nearest_name(wanted: str, names: list[str]) -> str | None:
    """Finds the public name that somebody who wrote `wanted` is most likely to have meant.

    The same name in another namespace comes first, for that is where names have moved to between
    TensorFlow's versions. Then come a name that is spelt nearly so, and a longer form of the name,
    first in the same namespace and then in any.

    Args:
        wanted: a dotted name, such as `tf.math.logg`.
        names: the dotted names to choose from.

    Returns:
        One of `names`, or None if none is near.

    >>> nearest_name("tf.log", ["tf.abs", "tf.math.log", "tf.nn.log_softmax"])
    'tf.math.log'
    >>> nearest_name("tf.reduce_men", ["tf.reduce_mean", "tf.reduce_min"])
    'tf.reduce_mean'
    >>> nearest_name("tf.mul", ["tf.multiply", "tf.scalar_mul"])
    'tf.multiply'
    >>> nearest_name("tf.nn.rleu", ["tf.nn.relu", "tf.nn.elu"])
    'tf.nn.relu'
    >>> nearest_name("tf.quux", ["tf.abs"])
    >>> nearest_name("tf.nn.rnn", ["tf.nn"])  # where it is missing is no answer
    """
    namespace, _, last = wanted.rpartition(".")
    names = [name for name in names if not f"{namespace}.".startswith(f"{name}.")]
    # The least deep one is kept of those that end alike.
    everywhere = {_last(name): name for name in sorted(names, key=_depth, reverse=True)}
    if last in everywhere:
        return everywhere[last]
    beside = {_last(name): name for name in names if name == f"{namespace}.{_last(name)}"}
    for choices in (beside, everywhere):
        found = [name for name in choices if sorted(name) == sorted(last)]  # letters swapped
        found = found or difflib.get_close_matches(last, choices, n=1, cutoff=NEAR_ENOUGH)
        found = found or _longer_forms(last, choices)
        if found:
            return choices[found[0]]
    return None


def public_names(module: types.ModuleType) -> Iterator[str]:
    """Lists the public names of the package, with their namespaces in front.

    Args:
        module: the root module.

    Yields:
        Names such as `tf.math` and `tf.math.log`. What lies in a namespace that was met before is
        not listed again.
    """
    found = {module}
    waiting = [("tf", module)]
    while waiting:
        path, namespace = waiting.pop(0)
        late = vars(namespace).get("_LATE", ())  # what is made when somebody first asks for it
        names = dict.fromkeys([*vars(namespace), *late])
        yield from (f"{path}.{name}" for name in names if name[0] != "_")
        inner = {n: m for n, m in namespaces(namespace).items() if m not in found}
        found.update(inner.values())
        waiting.extend((f"{path}.{name}", value) for name, value in inner.items())


def namespaces(module: types.ModuleType) -> dict[str, types.ModuleType]:
    """Finds the public namespaces of this package that a module holds.

    Args:
        module: the root module or one of its namespaces.

    Returns:
        The namespaces by their names in the module.

    >>> holder = types.SimpleNamespace(types=types, _core=sys.modules["tapefacade._core"])
    >>> namespaces(holder)
    {}
    """
    return {
        name: value
        for name, value in list(vars(module).items())
        if isinstance(value, types.ModuleType) and name[0] != "_" and _is_public(value.__name__)
    }


def users_module_name(module_name: str) -> str:
    """Writes the name of a module as the programs that import the package write it.

    Args:
        module_name: the `__name__` of a module of this package, or of its alias.

    Returns:
        The name with `tf` in place of its first part.

    >>> users_module_name("tapefacade.math"), users_module_name("tensorflow")
    ('tf.math', 'tf')
    """
    return ".".join(["tf", *module_name.split(".")[1:]])


def root_name() -> str:
    """Names the package that this module belongs to.

    Returns:
        The name of the root module.
    """
    return __name__.partition(".")[0]


def root_module() -> types.ModuleType:
    """Finds the root module, which the layers below it cannot import.

    Returns:
        The module.
    """
    return sys.modules[root_name()]


def _longer_forms(name: str, choices: Iterable[str]) -> list[str]:
    """The names that `name` may be short for, as `reduce_sum` for `sum`, the likeliest first."""
    reduction = f"reduce_{name}"
    longer = [choice for choice in choices if choice.startswith(name) or choice == reduction]
    return sorted(longer, key=lambda choice: (choice != reduction, len(choice), choice))


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _depth(name: str) -> tuple[int, str]:
    return name.count("."), name


def _is_public(module_name: str) -> bool:
    first, *others = module_name.split(".")
    return first == root_name() and not any(part.startswith("_") for part in others)


def is_import(frame: types.FrameType) -> bool:
    """Tells whether a frame is at `from x import y`.

    There Python swallows an AttributeError and its text, and says only "cannot import name".
    Any other exception passes, so the namespaces raise an ImportError with a text of their own.
    Where the byte code does not tell, the answer is no and Python's text is shown.
    """
    return frame.f_code.co_code[frame.f_lasti] == IMPORT_FROM
