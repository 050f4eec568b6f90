"""TensorFlow's raw ops: kernels by name, each of which a function of this package computes."""

import functools

from tapefacade._compat.renamed_functions import RenamedFunction, read
from tapefacade._definition.op import REGISTRY, Op

# Those whose function is no op of that kernel with these arguments; the others are found by the
# `raw_op` of their definition.
RENAMED_RAW_OPS = """
Add math.add x y
AddN math.add_n inputs
AdjustHue image.adjust_hue images:image delta
AdjustSaturation image.adjust_saturation images:image scale:saturation_factor
All math.reduce_all input:input_tensor axis keep_dims:keepdims=false
Angle math.angle input -Tout
Any math.reduce_any input:input_tensor axis keep_dims:keepdims=false
ArgMax math.argmax input dimension:axis output_type="int64"
ArgMin math.argmin input dimension:axis output_type="int64"
AsString strings.as_string input precision=-1 scientific=false shortest=false width=-1 fill=""
AvgPool nn.avg_pool2d value:input ksize strides padding data_format="NHWC"
BiasAdd nn.bias_add value bias data_format="NHWC"
Bitcast bitcast input type
BroadcastArgs broadcast_dynamic_shape s0:shape_x s1:shape_y
BroadcastGradientArgs _broadcast_gradient_args s0 s1
Cast cast x DstT:dtype -Truncate
Complex dtypes.complex real imag -Tout
ConcatV2 concat values axis
Conj math.conj input:x
Conv conv input filter strides padding explicit_paddings=[] data_format="CHANNELS_LAST"
    dilations=[] batch_dims=1 groups=1
Conv2D nn.conv2d input filter:filters strides padding data_format="NHWC" dilations=[1,1,1,1]
    -use_cudnn_on_gpu -explicit_paddings
Conv3D nn.conv3d input filter:filters strides padding data_format="NDHWC" dilations=[1,1,1,1,1]
CropAndResize image.crop_and_resize image boxes box_ind:box_indices crop_size
    method="bilinear" extrapolation_value=0
Cumprod math.cumprod x axis exclusive=false reverse=false
Cumsum math.cumsum x axis exclusive=false reverse=false
CumulativeLogsumexp math.cumulative_logsumexp x axis exclusive=false reverse=false
DecodeBase64 io.decode_base64 input
DepthwiseConv2dNative nn.depthwise_conv2d input filter strides padding data_format="NHWC"
    dilations=[1,1,1,1] -explicit_paddings
DynamicPartition dynamic_partition data partitions num_partitions
DynamicStitch dynamic_stitch indices data
EncodeBase64 io.encode_base64 input pad=false
EnsureShape ensure_shape input:x shape
Equal math.equal x y -incompatible_shape_error
EuclideanNorm math.reduce_euclidean_norm input:input_tensor axis keep_dims:keepdims=false
FFT signal.fft input
FFT2D signal.fft2d input
FFT3D signal.fft3d input
Fill fill dims value
GatherNd gather_nd params indices bad_indices_policy=""
GatherV2 gather params indices axis batch_dims=0
HistogramFixedWidth histogram_fixed_width values value_range nbins dtype="int32"
IFFT signal.ifft input
IFFT2D signal.ifft2d input
IFFT3D signal.ifft3d input
IgammaGradA _igamma_grad_a a x
Imag math.imag input -Tout
InTopKV2 math.in_top_k predictions targets k
LinSpace linspace start stop num
LogSoftmax nn.log_softmax logits
MatMul linalg.matmul a b transpose_a=false transpose_b=false grad_a=false grad_b=false
MatrixDiagPartV2 linalg.diag_part input k padding_value
MatrixDiagV3 linalg.diag diagonal k num_rows num_cols padding_value align="RIGHT_LEFT"
MatrixSetDiagV3 linalg.set_diag input diagonal k align="RIGHT_LEFT"
Max math.reduce_max input:input_tensor axis keep_dims:keepdims=false
MaxPool nn.max_pool2d input ksize strides padding data_format="NHWC" -explicit_paddings
Mean math.reduce_mean input:input_tensor axis keep_dims:keepdims=false
Min math.reduce_min input:input_tensor axis keep_dims:keepdims=false
MirrorPad pad input:tensor paddings mode
NotEqual math.not_equal x y -incompatible_shape_error
OneHot one_hot indices depth on_value off_value axis=-1
OnesLike ones_like x:input
Pack stack values axis=0
Pad pad input:tensor paddings
PadV2 pad input:tensor paddings constant_values
Prod math.reduce_prod input:input_tensor axis keep_dims:keepdims=false
RandomGammaGrad _random_gamma_grad alpha sample
RandomShuffle random.shuffle value seed=0 -seed2
RandomStandardNormal random.normal shape dtype seed=0 -seed2
RandomUniform random.uniform shape dtype seed=0 -seed2
Range range start limit delta
Rank rank input
ReadFile io.read_file filename
Real math.real input -Tout
ReverseSequence reverse_sequence input seq_lengths seq_dim:seq_axis batch_dim:batch_axis=0
SegmentMax math.segment_max data segment_ids
SegmentMean math.segment_mean data segment_ids
SegmentMin math.segment_min data segment_ids
SegmentProd math.segment_prod data segment_ids
SegmentSum math.segment_sum data segment_ids
SelectV2 where condition t:x e:y
Shape shape input out_type="int32"
Size size input out_type="int32"
Slice slice input:input_ begin size
Softmax nn.softmax logits
Split split axis value num_split:num_or_size_splits
SplitV split value size_splits:num_or_size_splits axis num_split:num
Squeeze squeeze input axis=[]
StridedSlice strided_slice input:input_ begin end strides begin_mask=0 end_mask=0
    ellipsis_mask=0 new_axis_mask=0 shrink_axis_mask=0
StringJoin strings.join inputs separator=""
StringLength strings.length input unit="BYTE"
StringLower strings.lower input encoding=""
StringStrip strings.strip input
StringToNumber strings.to_number string_tensor:input out_type="float32"
StringUpper strings.upper input encoding=""
Substr strings.substr input pos len unit="BYTE"
Sum math.reduce_sum input:input_tensor axis keep_dims:keepdims=false
TensorScatterUpdate tensor_scatter_nd_update tensor indices updates -bad_indices_policy
TopKV2 math.top_k input k sorted=true index_type="int32"
Transpose transpose x:a perm
TruncatedNormal random.truncated_normal shape dtype seed=0 -seed2
Unique unique x out_idx="int32"
UniqueV2 _unique_along x axis out_idx="int32"
UniqueWithCounts unique_with_counts x out_idx="int32"
UniqueWithCountsV2 _unique_with_counts_along x axis out_idx="int32"
Unpack unstack value num axis=0
Where where condition
WriteFile io.write_file filename contents
ZerosLike zeros_like x:input
"""


@functools.cache
def raw_ops() -> dict[str, RenamedFunction]:
    """Returns how each raw op is called, by the name of its kernel.

    >>> raw_ops()["Atan2"].path, raw_ops()["Conj"].ours
    ('math.atan2', {'input': 'x'})
    """
    found = read(RENAMED_RAW_OPS)
    found.update((op.kernel, _as_defined(op)) for op in REGISTRY.values() if op.facts.raw_op)
    return found


def _as_defined(op: Op) -> RenamedFunction:
    """Returns how an op is called whose arguments are those of the raw op."""
    parameters = [p for p in op.signature.parameters.values() if p.name != "name"]
    names = [p.name for p in parameters]
    defaults = {p.name: p.default for p in parameters if p.default is not p.empty}
    return RenamedFunction(op.name, names, {name: name for name in names}, defaults)
