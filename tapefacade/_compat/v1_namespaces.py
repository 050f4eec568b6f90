"""The namespaces of `tf.compat.v1`: a table of where they differ from those of `tf`.

A namespace shows what the one of the same name below `tf` shows, without the names that TensorFlow
1 has not or has with other arguments. These are functions of `v1_arguments`, `v1_ops`, `v1_graphs`
and others.
"""

import functools
import importlib.machinery
import operator
import sys
import types
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from tapefacade._compat import (
    graph_leftovers,
    v1_control as v1_control,  # it registers functions, as some below do
    v1_graphs,
    v1_initializers as v1_initializers,
    v1_logging,
    v1_losses as v1_losses,
    v1_ops as v1_ops,
    v1_partitioners as v1_partitioners,
    v1_resizing as v1_resizing,
    v1_schedules as v1_schedules,
    v1_scopes,
    v1_templates as v1_templates,
    v1_training as v1_training,
)
from tapefacade._compat.renamed_functions import older_function, read
from tapefacade._compat.v1_arguments import ALSO, V1_SIGNATURES
from tapefacade._config import devices
from tapefacade._core.dimension import Dimension
from tapefacade._core.missing_names import missing_attribute, root_module
from tapefacade._core.registry import FUNCTIONS
from tapefacade._ops.nn import convolution_gradients as convolution_gradients
from tapefacade._sparse.tensor import SparseTensorValue


class Namespace(NamedTuple):
    """Where a namespace below `tf.compat.v1` differs from that of the same name below `tf`.

    Attributes:
        without: the names of `tf` that it has not.
        renamed: names, and the paths below `tf` of what they mean.
        values: names of what only TensorFlow 1 has.
        twin: whether `tf` has such a namespace.
    """

    without: str = ""
    renamed: Mapping[str, str] = {}
    values: Mapping[str, Any] = {}
    twin: bool = True


QUANTIZATION = """
dequantize quantize quantized_concat
fake_quant_with_min_max_args fake_quant_with_min_max_args_gradient
fake_quant_with_min_max_vars fake_quant_with_min_max_vars_gradient
fake_quant_with_min_max_vars_per_channel fake_quant_with_min_max_vars_per_channel_gradient
"""
# path below `tf.compat.v1` -> where it differs; what lies in another comes after it, itself first
NAMESPACES = {
    "": Namespace(
        without="""
            eig eigvals get_current_name_scope inside_function install_as_tensorflow
            undo_keras
        """,
        renamed={
            "COMPILER_VERSION": "version.COMPILER_VERSION",
            "CXX11_ABI_FLAG": "errors.CANCELLED",
            "FIFOQueue": "queue.FIFOQueue",
            "GIT_VERSION": "version.GIT_VERSION",
            "GRAPH_DEF_VERSION": "version.GRAPH_DEF_VERSION",
            "GRAPH_DEF_VERSION_MIN_CONSUMER": "errors.OK",
            "GRAPH_DEF_VERSION_MIN_PRODUCER": "errors.OK",
            "MONOLITHIC_BUILD": "errors.OK",
            "NoGradient": "no_gradient",
            "NotDifferentiable": "no_gradient",
            "OpError": "errors.OpError",
            "PaddingFIFOQueue": "queue.PaddingFIFOQueue",
            "PriorityQueue": "queue.PriorityQueue",
            "QUANTIZED_DTYPES": "dtypes.QUANTIZED_DTYPES",
            "QueueBase": "queue.QueueBase",
            "RandomShuffleQueue": "queue.RandomShuffleQueue",
            "VERSION": "version.VERSION",
            "accumulate_n": "math.accumulate_n",
            "angle": "math.angle",
            "assert_proper_iterable": "debugging.assert_proper_iterable",
            "assert_same_float_dtype": "debugging.assert_same_float_dtype",
            "betainc": "math.betainc",
            "ceil": "math.ceil",
            "check_numerics": "debugging.check_numerics",
            "cholesky": "linalg.cholesky",
            "cholesky_solve": "linalg.cholesky_solve",
            "conj": "math.conj",
            "cross": "linalg.cross",
            "cumprod": "math.cumprod",
            "decode_base64": "io.decode_base64",
            "decode_compressed": "io.decode_compressed",
            "decode_json_example": "io.decode_json_example",
            "deserialize_many_sparse": "io.deserialize_many_sparse",
            "diag": "linalg.tensor_diag",
            "diag_part": "linalg.tensor_diag_part",
            "digamma": "math.digamma",
            "dimension_at_index": "compat.dimension_at_index",
            "dimension_value": "compat.dimension_value",
            "div_no_nan": "math.divide_no_nan",
            "encode_base64": "io.encode_base64",
            "erf": "math.erf",
            "erfc": "math.erfc",
            "expm1": "math.expm1",
            **{name: f"quantization.{name}" for name in QUANTIZATION.split()},
            "quantize_v2": "quantization.quantize",
            "fft": "signal.fft",
            "fft2d": "signal.fft2d",
            "fft3d": "signal.fft3d",
            "floordiv": "math.floordiv",
            "floormod": "math.mod",
            "global_norm": "linalg.global_norm",
            "ifft": "signal.ifft",
            "ifft2d": "signal.ifft2d",
            "ifft3d": "signal.ifft3d",
            "igamma": "math.igamma",
            "igammac": "math.igammac",
            "imag": "math.imag",
            "invert_permutation": "math.invert_permutation",
            "is_finite": "math.is_finite",
            "is_inf": "math.is_inf",
            "is_nan": "math.is_nan",
            "is_non_decreasing": "math.is_non_decreasing",
            "keras": "keras",
            "is_numeric_tensor": "debugging.is_numeric_tensor",
            "is_strictly_increasing": "math.is_strictly_increasing",
            "lbeta": "math.lbeta",
            "lgamma": "math.lgamma",
            "lin_space": "linspace",
            "log": "math.log",
            "log1p": "math.log1p",
            "log_sigmoid": "math.log_sigmoid",
            "logical_xor": "math.logical_xor",
            "matching_files": "io.matching_files",
            "matrix_band_part": "linalg.band_part",
            "matrix_determinant": "linalg.det",
            "matrix_diag": "linalg.diag",
            "matrix_diag_part": "linalg.diag_part",
            "matrix_inverse": "linalg.inv",
            "matrix_set_diag": "linalg.set_diag",
            "matrix_solve": "linalg.solve",
            "matrix_solve_ls": "linalg.lstsq",
            "matrix_transpose": "linalg.matrix_transpose",
            "matrix_triangular_solve": "linalg.triangular_solve",
            "mod": "math.mod",
            "parse_single_sequence_example": "io.parse_single_sequence_example",
            "parse_tensor": "io.parse_tensor",
            "polygamma": "math.polygamma",
            "qr": "linalg.qr",
            "random_crop": "image.random_crop",
            "random_gamma": "random.gamma",
            "random_normal": "random.normal",
            "random_shuffle": "random.shuffle",
            "random_uniform": "random.uniform",
            "read_file": "io.read_file",
            "real": "math.real",
            "reciprocal": "math.reciprocal",
            "regex_replace": "strings.regex_replace",
            "reverse_v2": "reverse",
            "rint": "math.rint",
            "rsqrt": "math.rsqrt",
            "segment_max": "math.segment_max",
            "segment_mean": "math.segment_mean",
            "segment_min": "math.segment_min",
            "segment_prod": "math.segment_prod",
            "segment_sum": "math.segment_sum",
            "self_adjoint_eig": "linalg.eigh",
            "self_adjoint_eigvals": "linalg.eigvalsh",
            "serialize_tensor": "io.serialize_tensor",
            "sparse_fill_empty_rows": "sparse.fill_empty_rows",
            "sparse_mask": "sparse.mask",
            "sparse_maximum": "sparse.maximum",
            "sparse_minimum": "sparse.minimum",
            "sparse_reorder": "sparse.reorder",
            "sparse_reset_shape": "sparse.reset_shape",
            "sparse_reshape": "sparse.reshape",
            "sparse_retain": "sparse.retain",
            "sparse_slice": "sparse.slice",
            "sparse_softmax": "sparse.softmax",
            "sparse_tensor_dense_matmul": "sparse.sparse_dense_matmul",
            "sparse_tensor_to_dense": "sparse.to_dense",
            "sparse_to_indicator": "sparse.to_indicator",
            "sparse_transpose": "sparse.transpose",
            "squared_difference": "math.squared_difference",
            "string_join": "strings.join",
            "string_strip": "strings.strip",
            "string_to_hash_bucket_fast": "strings.to_hash_bucket_fast",
            "string_to_hash_bucket_strong": "strings.to_hash_bucket_strong",
            "svd": "linalg.svd",
            "tensor_scatter_add": "tensor_scatter_nd_add",
            "tensor_scatter_sub": "tensor_scatter_nd_sub",
            "tensor_scatter_update": "tensor_scatter_nd_update",
            "trace": "linalg.trace",
            "truncated_normal": "random.truncated_normal",
            "unsorted_segment_max": "math.unsorted_segment_max",
            "unsorted_segment_mean": "math.unsorted_segment_mean",
            "unsorted_segment_min": "math.unsorted_segment_min",
            "unsorted_segment_prod": "math.unsorted_segment_prod",
            "unsorted_segment_sqrt_n": "math.unsorted_segment_sqrt_n",
            "unsorted_segment_sum": "math.unsorted_segment_sum",
            "where_v2": "where",
            "write_file": "io.write_file",
            "zeta": "math.zeta",
        },
        values={
            "Dimension": Dimension,
            "Graph": graph_leftovers.Graph,
            "GraphDef": v1_graphs.GraphDef,
            "Session": v1_graphs.Session,
            "SparseTensorValue": SparseTensorValue,
            "VariableScope": v1_scopes.VariableScope,
            "enable_eager_execution": devices.enable_eager_execution,
            "enable_v2_behavior": devices.enable_v2_behavior,
            "placeholder": graph_leftovers.placeholder,
        },
    ),
    "audio": Namespace(),
    "autograph": Namespace(),
    "autograph.experimental": Namespace(),
    "bitwise": Namespace(),
    "config": Namespace(
        without="""
            compiled_programs_folder keep_compiled_programs ops_run_immediately
            run_ops_immediately
        """,
    ),
    "config.experimental": Namespace(
        without="enable_op_determinism",
    ),
    "config.optimizer": Namespace(),
    "config.threading": Namespace(),
    "data": Namespace(
        without="IteratorSpec",
    ),
    "data.experimental": Namespace(
        without="at load save",
    ),
    "debugging": Namespace(
        without="""
            assert_equal assert_greater assert_greater_equal
            assert_integer assert_less assert_less_equal assert_near assert_negative
            assert_non_negative assert_non_positive assert_none_equal assert_positive
            assert_rank assert_rank_at_least assert_rank_in assert_scalar assert_shapes
            assert_type check_gradients disable_none_warnings enable_none_warnings
        """,
        renamed={
            "is_finite": "math.is_finite",
            "is_inf": "math.is_inf",
            "is_nan": "math.is_nan",
            "is_non_decreasing": "math.is_non_decreasing",
            "is_strictly_increasing": "math.is_strictly_increasing",
        },
    ),
    "distribute": Namespace(
        without="""
            DistributedDataset DistributedIterator DistributedValues InputOptions
            MultiWorkerMirroredStrategy ParameterServerStrategy TPUStrategy
        """,
    ),
    "distribute.cluster_resolver": Namespace(),
    "distribute.experimental": Namespace(
        without="ValueContext",
    ),
    "dtypes": Namespace(
        renamed={
            "as_string": "as_string",
        },
    ),
    "dtypes.experimental": Namespace(),
    "errors": Namespace(
        without="OperatorNotAllowedInGraphError",
    ),
    "experimental": Namespace(
        renamed={
            "float4_e2m1fn": "dtypes.experimental.float4_e2m1fn",
            "float8_e4m3b11fnuz": "dtypes.experimental.float8_e4m3b11fnuz",
            "float8_e4m3fn": "dtypes.experimental.float8_e4m3fn",
            "float8_e4m3fnuz": "dtypes.experimental.float8_e4m3fnuz",
            "float8_e5m2": "dtypes.experimental.float8_e5m2",
            "float8_e5m2fnuz": "dtypes.experimental.float8_e5m2fnuz",
            "int2": "dtypes.experimental.int2",
            "int4": "dtypes.experimental.int4",
            "uint2": "dtypes.experimental.uint2",
            "uint4": "dtypes.experimental.uint4",
        },
    ),
    "experimental.extension_type": Namespace(),
    "feature_column": Namespace(),
    "gfile": Namespace(
        twin=False,
    ),
    "image": Namespace(
        without="""
            ResizeMethod extract_glimpse resize resize_with_pad
            sample_distorted_bounding_box stateless_random_brightness
            stateless_random_contrast stateless_random_crop
            stateless_random_flip_left_right stateless_random_flip_up_down
            stateless_random_hue stateless_random_jpeg_quality stateless_random_saturation
            stateless_sample_distorted_bounding_box
        """,
        renamed={
            "resize_image_with_crop_or_pad": "image.resize_with_crop_or_pad",
            "transpose_image": "image.transpose",
        },
    ),
    "initializers": Namespace(
        twin=False,
        renamed={
            "global_variables": "compat.v1.global_variables_initializer",
            "local_variables": "compat.v1.local_variables_initializer",
            "tables_initializer": "compat.v1.tables_initializer",
            "variables": "compat.v1.variables_initializer",
        },
    ),
    "io": Namespace(
        without="""
            decode_csv decode_raw parse_example parse_single_example serialize_many_sparse
            serialize_sparse
        """,
        renamed={
            "PaddingFIFOQueue": "queue.PaddingFIFOQueue",
            "PriorityQueue": "queue.PriorityQueue",
            "QueueBase": "queue.QueueBase",
            "RandomShuffleQueue": "queue.RandomShuffleQueue",
        },
    ),
    "io.gfile": Namespace(),
    "linalg": Namespace(
        without="banded_triangular_solve eig eigvals",
        renamed={
            "transpose": "linalg.matrix_transpose",
        },
    ),
    "linalg.experimental": Namespace(),
    "logging": Namespace(
        twin=False,
        values={
            "DEBUG": v1_logging.DEBUG,
            "ERROR": v1_logging.ERROR,
            "FATAL": v1_logging.FATAL,
            "INFO": v1_logging.INFO,
            "WARN": v1_logging.WARN,
        },
    ),
    "lookup": Namespace(),
    "lookup.experimental": Namespace(),
    "losses": Namespace(
        twin=False,
    ),
    "manip": Namespace(
        twin=False,
        renamed={
            "reshape": "reshape",
            "reverse": "reverse",
            "roll": "roll",
            "scatter_nd": "scatter_nd",
            "space_to_batch_nd": "space_to_batch_nd",
            "tile": "tile",
        },
    ),
    "math": Namespace(),
    "math.special": Namespace(),
    "nest": Namespace(),
    "nn": Namespace(
        without="""
            ctc_beam_search_decoder ctc_loss dilation2d erosion2d fractional_avg_pool
            fractional_max_pool gelu isotonic_regression nce_loss sampled_softmax_loss
        """,
        renamed={
            "avg_pool_v2": "nn.avg_pool",
            "ctc_beam_search_decoder_v2": "nn.ctc_beam_search_decoder",
            "ctc_loss_v2": "nn.ctc_loss",
            "depthwise_conv2d_native_backprop_filter": "nn.depthwise_conv2d_backprop_filter",
            "depthwise_conv2d_native_backprop_input": "nn.depthwise_conv2d_backprop_input",
            "log_uniform_candidate_sampler": "random.log_uniform_candidate_sampler",
            "max_pool_v2": "nn.max_pool",
            "uniform_candidate_sampler": "random.uniform_candidate_sampler",
        },
    ),
    "nn.experimental": Namespace(),
    "python_io": Namespace(
        twin=False,
    ),
    "quantization": Namespace(),
    "queue": Namespace(),
    "ragged": Namespace(),
    "random": Namespace(
        without="set_seed",
    ),
    "raw_ops": Namespace(),
    "random.experimental": Namespace(),
    "saved_model": Namespace(
        without="LoadOptions load",
        renamed={
            "load_v2": "saved_model.load",
            "maybe_saved_model_directory": "saved_model.contains_saved_model",
        },
        values={"LEGACY_INIT_OP_KEY": "legacy_init_op", "MAIN_OP_KEY": "saved_model_main_op"},
    ),
    **{
        f"saved_model.{namespace}": Namespace(
            twin=False, renamed={name: f"saved_model.{name}" for name in names.split()}
        )
        for namespace, names in {
            "constants": """
                ASSETS_DIRECTORY ASSETS_KEY DEBUG_DIRECTORY DEBUG_INFO_FILENAME_PB
                SAVED_MODEL_FILENAME_PB SAVED_MODEL_FILENAME_PBTXT SAVED_MODEL_SCHEMA_VERSION
                VARIABLES_DIRECTORY VARIABLES_FILENAME
            """,
            "signature_constants": """
                CLASSIFY_INPUTS CLASSIFY_METHOD_NAME CLASSIFY_OUTPUT_CLASSES
                CLASSIFY_OUTPUT_SCORES DEFAULT_SERVING_SIGNATURE_DEF_KEY PREDICT_INPUTS
                PREDICT_METHOD_NAME PREDICT_OUTPUTS REGRESS_INPUTS REGRESS_METHOD_NAME
                REGRESS_OUTPUTS
            """,
            "tag_constants": "GPU SERVING TPU TRAINING",
        }.items()
    },
    "sets": Namespace(
        renamed={
            "set_difference": "sets.difference",
            "set_intersection": "sets.intersection",
            "set_size": "sets.size",
            "set_union": "sets.union",
        },
    ),
    "signal": Namespace(),
    "sparse": Namespace(
        without="""
            map_values sampled_addmm
        """,
        renamed={
            "matmul": "sparse.sparse_dense_matmul",
        },
    ),
    "spectral": Namespace(
        twin=False,
        renamed={
            "dct": "signal.dct",
            "fft": "signal.fft",
            "fft2d": "signal.fft2d",
            "fft3d": "signal.fft3d",
            "idct": "signal.idct",
            "ifft": "signal.ifft",
            "ifft2d": "signal.ifft2d",
            "ifft3d": "signal.ifft3d",
            "irfft": "signal.irfft",
            "irfft2d": "signal.irfft2d",
            "irfft3d": "signal.irfft3d",
            "rfft": "signal.rfft",
            "rfft2d": "signal.rfft2d",
            "rfft3d": "signal.rfft3d",
        },
    ),
    "strings": Namespace(),
    "sysconfig": Namespace(),
    "test": Namespace(
        without="compute_gradient",
    ),
    "test.experimental": Namespace(),
    "train": Namespace(
        without="CheckpointView TrackableView",
        renamed={
            "match_filenames_once": "io.match_filenames_once",
        },
    ),
    "train.experimental": Namespace(),
    "tpu": Namespace(),
    "tpu.experimental": Namespace(),
    "types": Namespace(),
    "types.experimental": Namespace(
        without="Callable GenericFunction PolymorphicFunction",
    ),
    "version": Namespace(),
    "xla": Namespace(),
    "xla.experimental": Namespace(),
}
RENAMED = read(V1_SIGNATURES)
Attributes = tuple[Callable[[str], Any], Callable[[], list[str]]]


def fill(root: str, made: Mapping[str, Callable[[], Any]] = {}) -> Attributes:
    """Makes the modules of all namespaces, so that they can be imported.

    Args:
        root: the `__name__` of `tf.compat.v1`; its other namespaces become attributes of it.
        made: further names of that module, and what makes that which they mean.

    Returns:
        The `__getattr__` and the `__dir__` of that module.

    >>> import tapefacade.compat.v1.nn
    >>> tapefacade.compat.v1.nn.relu is tf.nn.relu
    True
    """
    of_root, *others = NAMESPACES.items()
    for path, namespace in others:
        module = _module(f"{root}.{path}", path)
        module.__getattr__, module.__dir__ = _filled(module, path, namespace)  # type: ignore[method-assign]
    return _filled(sys.modules[root], *of_root, made)


def _filled(
    module: types.ModuleType, path: str, namespace: Namespace, made: Mapping[str, Any] = {}
) -> Attributes:
    """Enters the names that only TensorFlow 1 has; returns what finds the others."""
    vars(module).update(_registered(path), **namespace.values)
    return _attributes(module, path, namespace, made)


def _module(name: str, path: str) -> types.ModuleType:
    """Makes an empty module and enters it where imports look for it."""
    is_package = any(other.startswith(f"{path}.") for other in NAMESPACES)
    module = types.ModuleType(name, f"Names of older versions: `tf.compat.v1.{path}`.")
    module.__spec__ = importlib.machinery.ModuleSpec(name, None, is_package=is_package)
    parent, _, last = name.rpartition(".")
    module.__package__ = name if is_package else parent
    if is_package:
        module.__path__ = []
    sys.modules[name] = module
    setattr(sys.modules[parent], last, module)
    return module


def _registered(path: str) -> dict[str, Any]:
    """Returns what other packages have defined for a namespace."""
    return _registered_by_namespace().get(path, {})


@functools.cache
def _registered_by_namespace() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for path, value in FUNCTIONS.items():
        if path.startswith("compat.v1."):
            namespace, _, name = path.removeprefix("compat.v1.").rpartition(".")
            found.setdefault(namespace, {})[name] = value
    return found


def _attributes(
    module: types.ModuleType, path: str, namespace: Namespace, made: Mapping[str, Any] = {}
) -> Attributes:
    """Makes the `__getattr__` and the `__dir__` of a namespace."""
    older = _older_functions(path)
    missing = missing_attribute(module.__name__, depth=2, late=made)

    def find(name: str) -> Any:
        if name in older:
            value = _older_function(older[name])
        elif name in namespace.renamed:
            value = operator.attrgetter(namespace.renamed[name])(root_module())
        elif name in _names_of_twin(path, namespace):
            value = getattr(_twin(path), name)
        else:
            return missing(name)
        setattr(module, name, value)
        return value

    def names() -> list[str]:
        held = [name for name in vars(module) if not name.startswith("_")]
        own = {*held, *older, *namespace.renamed, *made}
        return sorted(own | {*_names_of_twin(path, namespace)})

    return find, names


def _older_functions(namespace: str) -> dict[str, str]:
    """Returns the functions of a namespace whose arguments are others now, by their names in it."""
    prefix = f"{namespace}." if namespace else ""
    found = {
        name.removeprefix(prefix): name
        for name in RENAMED
        if name.startswith(prefix) and "." not in name.removeprefix(prefix)
    }
    return found | {name: name for name in ALSO.get(namespace, "").split()}


@functools.cache
def _older_function(name: str) -> Any:
    return older_function(name, RENAMED[name])


def _twin(path: str) -> types.ModuleType:
    return operator.attrgetter(path)(root_module()) if path else root_module()


def _names_of_twin(path: str, namespace: Namespace) -> set[str]:
    """Returns the names that mean what they mean in the namespace of `tf`; modules are no such."""
    if not namespace.twin:
        return set()
    twin = _twin(path)
    held = vars(twin)
    names = {
        name
        for name in dir(twin)
        if not name.startswith("_") and not isinstance(held.get(name), types.ModuleType)
    }
    late = held.get("_LATE", ())  # of Keras, which each namespace has in its own way
    return names.difference(namespace.without.split(), late if not path else ())
