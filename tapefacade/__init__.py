"""TensorFlow 2's imperative autodiff on JAX: `import tapefacade as tf`."""

import typing as _typing

from tapefacade import _loading as _loading  # before everything else

# isort: split
from tapefacade import (
    audio as audio,
    autodiff as autodiff,
    autograph as autograph,
    bitwise as bitwise,
    compat as compat,
    config as config,
    data as data,
    debugging as debugging,
    distribute as distribute,
    dtypes as dtypes,
    errors as errors,
    experimental as experimental,
    feature_column as feature_column,
    image as image,
    io as io,
    linalg as linalg,
    lookup as lookup,
    math as math,
    nest as nest,
    nn as nn,
    optimizers as optimizers,
    profiler as profiler,
    quantization as quantization,
    queue as queue,
    ragged as ragged,
    random as random,
    raw_ops as raw_ops,
    saved_model as saved_model,
    sets as sets,
    signal as signal,
    sparse as sparse,
    strings as strings,
    summary as summary,
    sysconfig as sysconfig,
    test as test,
    tpu as tpu,
    train as train,
    types as types,
    version as version,
    xla as xla,
)
from tapefacade._compat.graph_leftovers import (
    Graph as Graph,
    control_dependencies as control_dependencies,
    group as group,
    no_op as no_op,
    tuple as tuple,
)
from tapefacade._compat.v1_graphs import GraphOperation as Operation
from tapefacade._config.device_placement import device as device
from tapefacade._config.devices import timestamp as timestamp
from tapefacade._config.settings import executing_eagerly as executing_eagerly
from tapefacade._core.conversion import (
    constant as constant,
    convert_to_tensor as convert_to_tensor,
    is_tensor as is_tensor,
)
from tapefacade._core.conversion_registry import (
    register_tensor_conversion_function as register_tensor_conversion_function,
)
from tapefacade._core.device_spec import DeviceSpec as DeviceSpec
from tapefacade._core.dtypes import (
    DType as DType,
    as_dtype as as_dtype,
    bfloat16 as bfloat16,
    bool as bool,
    complex64 as complex64,
    complex128 as complex128,
    double as double,
    float16 as float16,
    float32 as float32,
    float64 as float64,
    half as half,
    int8 as int8,
    int16 as int16,
    int32 as int32,
    int64 as int64,
    qint8 as qint8,
    qint16 as qint16,
    qint32 as qint32,
    quint8 as quint8,
    quint16 as quint16,
    resource as resource,
    string as string,
    uint8 as uint8,
    uint16 as uint16,
    uint32 as uint32,
    uint64 as uint64,
    variant as variant,
)
from tapefacade._core.lazy_names import names_with_late as _names_with_late
from tapefacade._core.logging import get_logger as get_logger
from tapefacade._core.missing_names import missing_attribute as _missing_attribute
from tapefacade._core.optional import OptionalSpec as OptionalSpec
from tapefacade._core.tensor import EagerTensor as _EagerTensor, Tensor as _Tensor
from tapefacade._core.tensor_shape import TensorShape as TensorShape
from tapefacade._core.tensor_spec import (
    NoneTensorSpec as NoneTensorSpec,
    TensorSpec as TensorSpec,
    type_spec_from_value as type_spec_from_value,
)
from tapefacade._core.type_spec import TypeSpec as TypeSpec
from tapefacade._function.control.cond import cond as cond
from tapefacade._function.control.map_fn import map_fn as map_fn
from tapefacade._function.control.scan import foldl as foldl, foldr as foldr, scan as scan
from tapefacade._function.control.switch_case import case as case, switch_case as switch_case
from tapefacade._function.control.vectorized_map import vectorized_map as vectorized_map
from tapefacade._function.control.while_loop import while_loop as while_loop
from tapefacade._function.function.decorator import function as function
from tapefacade._function.function.eager_mode import inside_function as inside_function
from tapefacade._function.gradients.custom_gradient import (
    custom_gradient as custom_gradient,
    grad_pass_through as grad_pass_through,
)
from tapefacade._function.gradients.recompute_grad import recompute_grad as recompute_grad
from tapefacade._function.gradients.symbolic_gradients import (
    gradients as gradients,
    hessians as hessians,
)
from tapefacade._function.py_function import (
    numpy_function as numpy_function,
    py_function as py_function,
)
from tapefacade._io.tensor_protos import (
    make_ndarray as make_ndarray,
    make_tensor_proto as make_tensor_proto,
)
from tapefacade._keras.lazy_namespaces import LAZY_NAMESPACES as _LATE, undo_keras as undo_keras
from tapefacade._ops.array.casting import (
    bitcast as bitcast,
    cast as cast,
    complex as complex,
    saturate_cast as saturate_cast,
)
from tapefacade._ops.array.copying import (
    ensure_shape as ensure_shape,
    guarantee_const as guarantee_const,
    identity as identity,
    identity_n as identity_n,
    meshgrid as meshgrid,
    ones_like as ones_like,
    repeat as repeat,
    sequence_mask as sequence_mask,
    stop_gradient as stop_gradient,
    zeros_like as zeros_like,
)
from tapefacade._ops.array.creation import (
    eye as eye,
    fill as fill,
    linspace as linspace,
    one_hot as one_hot,
    ones as ones,
    range as range,
    zeros as zeros,
)
from tapefacade._ops.array.gathering import gather as gather, gather_nd as gather_nd
from tapefacade._ops.array.initializers import (
    constant_initializer as constant_initializer,
    ones_initializer as ones_initializer,
    random_normal_initializer as random_normal_initializer,
    random_uniform_initializer as random_uniform_initializer,
    zeros_initializer as zeros_initializer,
)
from tapefacade._ops.array.joining import (
    concat as concat,
    parallel_stack as parallel_stack,
    split as split,
    stack as stack,
    unstack as unstack,
)
from tapefacade._ops.array.padding import (
    batch_to_space as batch_to_space,
    pad as pad,
    reverse_sequence as reverse_sequence,
    space_to_batch as space_to_batch,
)
from tapefacade._ops.array.positions import (
    argmax as argmax,
    argmin as argmin,
    unravel_index as unravel_index,
)
from tapefacade._ops.array.printing import print as print
from tapefacade._ops.array.scattering import (
    scatter_nd as scatter_nd,
    tensor_scatter_nd_add as tensor_scatter_nd_add,
    tensor_scatter_nd_max as tensor_scatter_nd_max,
    tensor_scatter_nd_min as tensor_scatter_nd_min,
    tensor_scatter_nd_sub as tensor_scatter_nd_sub,
    tensor_scatter_nd_update as tensor_scatter_nd_update,
)
from tapefacade._ops.array.selecting import (
    boolean_mask as boolean_mask,
    dynamic_partition as dynamic_partition,
    dynamic_stitch as dynamic_stitch,
    where as where,
)
from tapefacade._ops.array.shapes import (
    broadcast_dynamic_shape as broadcast_dynamic_shape,
    broadcast_static_shape as broadcast_static_shape,
    get_static_value as get_static_value,
    is_symbolic_tensor as is_symbolic_tensor,
    rank as rank,
    shape as shape,
    shape_n as shape_n,
    size as size,
)
from tapefacade._ops.array.shaping import (
    broadcast_to as broadcast_to,
    expand_dims as expand_dims,
    reshape as reshape,
    reverse as reverse,
    roll as roll,
    squeeze as squeeze,
    tile as tile,
    transpose as transpose,
)
from tapefacade._ops.array.slicing import slice as slice, strided_slice as strided_slice
from tapefacade._ops.array.sorting import (
    approx_top_k as approx_top_k,
    argsort as argsort,
    searchsorted as searchsorted,
    sort as sort,
    unique as unique,
    unique_with_counts as unique_with_counts,
)
from tapefacade._ops.array.tensor_array import (
    TensorArray as TensorArray,
    TensorArraySpec as TensorArraySpec,
)
from tapefacade._ops.debugging.finiteness import Assert as Assert
from tapefacade._ops.debugging.shapes import assert_rank as assert_rank
from tapefacade._ops.debugging.values import (
    assert_equal as assert_equal,
    assert_greater as assert_greater,
    assert_less as assert_less,
)
from tapefacade._ops.image.patches import extract_volume_patches as extract_volume_patches
from tapefacade._ops.linalg.factorizations import eig as eig, eigvals as eigvals
from tapefacade._ops.linalg.matrix_functions import sqrtm as matrix_square_root
from tapefacade._ops.linalg.norms import norm as norm
from tapefacade._ops.linalg.products import (
    einsum as einsum,
    matmul as matmul,
    tensordot as tensordot,
)
from tapefacade._ops.math.arithmetic import (
    add as add,
    add_n as add_n,
    atan2 as atan2,
    maximum as maximum,
    minimum as minimum,
    multiply as multiply,
    scalar_mul as scalar_mul,
    subtract as subtract,
)
from tapefacade._ops.math.clipping import (
    clip_by_global_norm as clip_by_global_norm,
    clip_by_norm as clip_by_norm,
    clip_by_value as clip_by_value,
)
from tapefacade._ops.math.comparison import (
    equal as equal,
    greater as greater,
    greater_equal as greater_equal,
    less as less,
    less_equal as less_equal,
    logical_and as logical_and,
    logical_not as logical_not,
    logical_or as logical_or,
    not_equal as not_equal,
)
from tapefacade._ops.math.cumulative import cumsum as cumsum
from tapefacade._ops.math.division import (
    realdiv as realdiv,
    truediv as divide,
    truediv as truediv,
    truncatediv as truncatediv,
    truncatemod as truncatemod,
)
from tapefacade._ops.math.elementary import (
    abs as abs,
    exp as exp,
    floor as floor,
    negative as negative,
    pow as pow,
    round as round,
    sign as sign,
    sqrt as sqrt,
    square as square,
)
from tapefacade._ops.math.histograms import (
    histogram_fixed_width as histogram_fixed_width,
    histogram_fixed_width_bins as histogram_fixed_width_bins,
)
from tapefacade._ops.math.reduction import (
    reduce_all as reduce_all,
    reduce_any as reduce_any,
    reduce_logsumexp as reduce_logsumexp,
    reduce_max as reduce_max,
    reduce_mean as reduce_mean,
    reduce_min as reduce_min,
    reduce_prod as reduce_prod,
    reduce_sum as reduce_sum,
)
from tapefacade._ops.math.trigonometry import (
    acos as acos,
    acosh as acosh,
    asin as asin,
    asinh as asinh,
    atan as atan,
    atanh as atanh,
    cos as cos,
    cosh as cosh,
    sin as sin,
    sinh as sinh,
    tan as tan,
    tanh as tanh,
)
from tapefacade._ops.nn.activation import sigmoid as sigmoid
from tapefacade._ops.nn.convolution_general import (
    conv as conv,
    required_space_to_batch_paddings as required_space_to_batch_paddings,
    space_to_batch_nd as space_to_batch_nd,
)
from tapefacade._ops.nn.convolution_gradients import (
    conv2d_backprop_filter_v2 as conv2d_backprop_filter_v2,
    conv2d_backprop_input_v2 as conv2d_backprop_input_v2,
)
from tapefacade._ops.random.index_shuffle import random_index_shuffle as random_index_shuffle
from tapefacade._ops.signal.fourier_axes import (
    fftnd_kernel as fftnd,
    ifftnd_kernel as ifftnd,
    irfftnd_kernel as irfftnd,
    rfftnd_kernel as rfftnd,
)
from tapefacade._port.keras_alias import watch_keras as _watch_keras
from tapefacade._port.report import report as report
from tapefacade._port.tensorflow_alias import install_as_tensorflow as install_as_tensorflow
from tapefacade._queues.critical_section import CriticalSection as CriticalSection
from tapefacade._ragged.empty_rows import (
    ragged_fill_empty_rows as ragged_fill_empty_rows,
    ragged_fill_empty_rows_grad as ragged_fill_empty_rows_grad,
)
from tapefacade._ragged.spec import RaggedTensorSpec as RaggedTensorSpec
from tapefacade._ragged.tensor import RaggedTensor as RaggedTensor
from tapefacade._sparse.spec import SparseTensorSpec as SparseTensorSpec
from tapefacade._sparse.tensor import SparseTensor as SparseTensor
from tapefacade._state.indexed_slices import IndexedSlices as IndexedSlices
from tapefacade._state.module import Module as Module
from tapefacade._state.scopes import (
    get_current_name_scope as get_current_name_scope,
    name_scope as name_scope,
    variable_creator_scope as variable_creator_scope,
)
from tapefacade._state.variable import Variable as Variable
from tapefacade._state.variable_aggregation import (
    VariableAggregation as VariableAggregation,
    VariableSynchronization as VariableSynchronization,
)
from tapefacade._state.variable_specs import IndexedSlicesSpec as IndexedSlicesSpec
from tapefacade._strings.edit_distance import edit_distance as edit_distance
from tapefacade._strings.hashing import fingerprint as fingerprint
from tapefacade._strings.numbers import as_string as as_string
from tapefacade._tape.aggregation import AggregationMethod as AggregationMethod
from tapefacade._tape.custom_gradient_boundary import (
    RegisterGradient as RegisterGradient,
    no_gradient as no_gradient,
)
from tapefacade._tape.init_scope import init_scope as init_scope
from tapefacade._tape.tape import GradientTape as GradientTape
from tapefacade._tape.unconnected_gradients import UnconnectedGradients as UnconnectedGradients

__version__ = version.VERSION  # of the TensorFlow whose behaviour this follows
__git_version__ = version.GIT_VERSION
newaxis = None
# To a type checker, a tensor has the attributes and operators that the one subclass has.
if _typing.TYPE_CHECKING:
    Tensor = _EagerTensor
else:
    Tensor = _Tensor

_watch_keras()
__getattr__ = _missing_attribute(__name__, late=_LATE)
__dir__ = _names_with_late(__name__, _LATE)
