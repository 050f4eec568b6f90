"""TensorFlow's raw ops that are a public function under other names of the arguments."""

RAW_OPS = """
Abs math.abs x
Acos math.acos x
Acosh math.acosh x
Add math.add x y
AddN math.add_n inputs
AddV2 math.add x y
AdjustHue image.adjust_hue images:image delta
AdjustSaturation image.adjust_saturation images:image scale:saturation_factor
All math.reduce_all input:input_tensor axis keep_dims:keepdims=false
Angle math.angle input -Tout
Any math.reduce_any input:input_tensor axis keep_dims:keepdims=false
ArgMax math.argmax input dimension:axis output_type="int64"
ArgMin math.argmin input dimension:axis output_type="int64"
AsString strings.as_string input precision=-1 scientific=false shortest=false width=-1 fill=""
Asin math.asin x
Asinh math.asinh x
Atan math.atan x
Atan2 math.atan2 y x
Atanh math.atanh x
AvgPool nn.avg_pool2d value:input ksize strides padding data_format="NHWC"
AvgPool3D nn.avg_pool3d input ksize strides padding data_format="NDHWC"
BatchToSpaceND batch_to_space input block_shape crops
BesselI0 math.bessel_i0 x
BesselI0e math.bessel_i0e x
BesselI1 math.bessel_i1 x
BesselI1e math.bessel_i1e x
BesselJ0 math.special.bessel_j0 x
BesselJ1 math.special.bessel_j1 x
BesselK0 math.special.bessel_k0 x
BesselK0e math.special.bessel_k0e x
BesselK1 math.special.bessel_k1 x
BesselK1e math.special.bessel_k1e x
BesselY0 math.special.bessel_y0 x
BesselY1 math.special.bessel_y1 x
Betainc math.betainc a b x
BiasAdd nn.bias_add value bias data_format="NHWC"
Bitcast bitcast input type
BitwiseAnd bitwise.bitwise_and x y
BitwiseOr bitwise.bitwise_or x y
BitwiseXor bitwise.bitwise_xor x y
BroadcastTo broadcast_to input shape
Cast cast x DstT:dtype -Truncate
Ceil math.ceil x
CheckNumerics debugging.check_numerics tensor message
Cholesky linalg.cholesky input
Complex dtypes.complex real imag -Tout
ConcatV2 concat values axis
Conj math.conj input:x
Conv conv input filter strides padding explicit_paddings=[] data_format="CHANNELS_LAST"
    dilations=[] batch_dims=1 groups=1
Conv2D nn.conv2d input filter:filters strides padding data_format="NHWC" dilations=[1,1,1,1]
    -use_cudnn_on_gpu -explicit_paddings
Conv3D nn.conv3d input filter:filters strides padding data_format="NDHWC" dilations=[1,1,1,1,1]
Cos math.cos x
Cosh math.cosh x
CropAndResize image.crop_and_resize image boxes box_ind:box_indices crop_size
    method="bilinear" extrapolation_value=0
Cross linalg.cross a b
Cumprod math.cumprod x axis exclusive=false reverse=false
Cumsum math.cumsum x axis exclusive=false reverse=false
CumulativeLogsumexp math.cumulative_logsumexp x axis exclusive=false reverse=false
Dawsn math.special.dawsn x
DecodeBase64 io.decode_base64 input
DepthToSpace nn.depth_to_space input block_size data_format="NHWC"
DepthwiseConv2dNative nn.depthwise_conv2d input filter strides padding data_format="NHWC"
    dilations=[1,1,1,1] -explicit_paddings
Diag linalg.tensor_diag diagonal
DiagPart linalg.tensor_diag_part input
Digamma math.digamma x
DivNoNan math.divide_no_nan x y
DynamicPartition dynamic_partition data partitions num_partitions
DynamicStitch dynamic_stitch indices data
Elu nn.elu features
EncodeBase64 io.encode_base64 input pad=false
EnsureShape ensure_shape input:x shape
Equal math.equal x y -incompatible_shape_error
Erf math.erf x
Erfc math.erfc x
Erfinv math.erfinv x
EuclideanNorm math.reduce_euclidean_norm input:input_tensor axis keep_dims:keepdims=false
Exp math.exp x
ExpandDims expand_dims input axis
Expint math.special.expint x
Expm1 math.expm1 x
ExtractVolumePatches extract_volume_patches input ksizes strides padding
FFT signal.fft input
FFT2D signal.fft2d input
FFT3D signal.fft3d input
Fill fill dims value
Floor math.floor x
FloorDiv math.floordiv x y
FloorMod math.floormod x y
FresnelCos math.special.fresnel_cos x
FresnelSin math.special.fresnel_sin x
FusedBatchNormV2 _fused_batch_norm x scale offset mean variance epsilon=0.0001
    exponential_avg_factor=1.0 data_format="NHWC" is_training=true
FusedBatchNormV3 _fused_batch_norm_v3 x scale offset mean variance epsilon=0.0001
    exponential_avg_factor=1.0 data_format="NHWC" is_training=true
GatherNd gather_nd params indices bad_indices_policy=""
GatherV2 gather params indices axis batch_dims=0
Greater math.greater x y
GreaterEqual math.greater_equal x y
HSVToRGB image.hsv_to_rgb images
HistogramFixedWidth histogram_fixed_width values value_range nbins dtype="int32"
IFFT signal.ifft input
IFFT2D signal.ifft2d input
IFFT3D signal.ifft3d input
Identity identity input
Igamma math.igamma a x
Igammac math.igammac a x
Imag math.imag input -Tout
InTopKV2 math.in_top_k predictions targets k
Invert bitwise.invert x
InvertPermutation math.invert_permutation x
IsFinite math.is_finite x
IsInf math.is_inf x
IsNan math.is_nan x
L2Loss nn.l2_loss t
LRN nn.local_response_normalization input depth_radius=5 bias=1 alpha=1 beta=0.5
LeakyRelu nn.leaky_relu features alpha=0.2
LeftShift bitwise.left_shift x y
Less math.less x y
LessEqual math.less_equal x y
Lgamma math.lgamma x
LinSpace linspace start stop num
Log math.log x
Log1p math.log1p x
LogMatrixDeterminant linalg.slogdet input
LogSoftmax nn.log_softmax logits
LogicalAnd math.logical_and x y
LogicalNot math.logical_not x
LogicalOr math.logical_or x y
Lu linalg.lu input output_idx_type="int32"
MatMul linalg.matmul a b transpose_a=false transpose_b=false grad_a=false grad_b=false
MatrixBandPart linalg.band_part input num_lower num_upper
MatrixDeterminant linalg.det input
MatrixDiagV3 linalg.diag diagonal k num_rows num_cols padding_value align="RIGHT_LEFT"
MatrixInverse linalg.inv input adjoint=false
MatrixLogarithm linalg.logm input
MatrixSetDiagV3 linalg.set_diag input diagonal k align="RIGHT_LEFT"
MatrixSolve linalg.solve matrix rhs adjoint=false
MatrixSquareRoot linalg.sqrtm input
MatrixTriangularSolve linalg.triangular_solve matrix rhs lower=true adjoint=false
Max math.reduce_max input:input_tensor axis keep_dims:keepdims=false
MaxPool nn.max_pool2d input ksize strides padding data_format="NHWC" -explicit_paddings
MaxPool3D nn.max_pool3d input ksize strides padding data_format="NDHWC"
Maximum math.maximum x y
Mean math.reduce_mean input:input_tensor axis keep_dims:keepdims=false
Min math.reduce_min input:input_tensor axis keep_dims:keepdims=false
Minimum math.minimum x y
MirrorPad pad input:tensor paddings mode
Mul math.multiply x y
MulNoNan math.multiply_no_nan x y
Ndtri math.ndtri x
Neg math.negative x
NextAfter math.nextafter x1 x2
NotEqual math.not_equal x y -incompatible_shape_error
OneHot one_hot indices depth on_value off_value axis=-1
OnesLike ones_like x:input
Pack stack values axis=0
Pad pad input:tensor paddings
PadV2 pad input:tensor paddings constant_values
Polygamma math.polygamma a x
Pow math.pow x y
Prod math.reduce_prod input:input_tensor axis keep_dims:keepdims=false
Qr linalg.qr input full_matrices=false
RGBToHSV image.rgb_to_hsv images
RandomShuffle random.shuffle value seed=0 -seed2
RandomStandardNormal random.normal shape dtype seed=0 -seed2
RandomUniform random.uniform shape dtype seed=0 -seed2
Range range start limit delta
Rank rank input
ReadFile io.read_file filename
Real math.real input -Tout
RealDiv realdiv x y
Reciprocal math.reciprocal x
Relu nn.relu features
Relu6 nn.relu6 features
ReluGrad _relu_grad gradients features
Reshape reshape tensor shape
ReverseSequence reverse_sequence input seq_lengths seq_dim:seq_axis batch_dim:batch_axis=0
ReverseV2 reverse tensor axis
RightShift bitwise.right_shift x y
Rint math.rint x
Roll roll input shift axis
Round math.round x
Rsqrt math.rsqrt x
ScatterNd scatter_nd indices updates shape bad_indices_policy=""
SegmentMax math.segment_max data segment_ids
SegmentMean math.segment_mean data segment_ids
SegmentMin math.segment_min data segment_ids
SegmentProd math.segment_prod data segment_ids
SegmentSum math.segment_sum data segment_ids
Select _select_older condition x y
SelectV2 where condition t:x e:y
Selu nn.selu features
Shape shape input out_type="int32"
Sigmoid math.sigmoid x
SigmoidGrad _sigmoid_grad y dy
Sign math.sign x
Sin math.sin x
Sinh math.sinh x
Size size input out_type="int32"
Slice slice input:input_ begin size
Softmax nn.softmax logits
Softplus math.softplus features
Softsign math.softsign features
SpaceToBatchND space_to_batch input block_shape paddings
SpaceToDepth nn.space_to_depth input block_size data_format="NHWC"
Spence math.special.spence x
Split split axis value num_split:num_or_size_splits
SplitV split value size_splits:num_or_size_splits axis num_split:num
Sqrt math.sqrt x
Square math.square x
SquaredDifference math.squared_difference x y
Squeeze squeeze input axis=[]
StopGradient stop_gradient input
StridedSlice strided_slice input:input_ begin end strides begin_mask=0 end_mask=0
    ellipsis_mask=0 new_axis_mask=0 shrink_axis_mask=0
StringJoin strings.join inputs separator=""
StringLength strings.length input unit="BYTE"
StringLower strings.lower input encoding=""
StringStrip strings.strip input
StringToNumber strings.to_number string_tensor:input out_type="float32"
StringUpper strings.upper input encoding=""
Sub math.subtract x y
Substr strings.substr input pos len unit="BYTE"
Sum math.reduce_sum input:input_tensor axis keep_dims:keepdims=false
Tan math.tan x
Tanh math.tanh x
TanhGrad _tanh_grad y dy
TensorScatterAdd tensor_scatter_nd_add tensor indices updates bad_indices_policy=""
TensorScatterMax tensor_scatter_nd_max tensor indices updates bad_indices_policy=""
TensorScatterMin tensor_scatter_nd_min tensor indices updates bad_indices_policy=""
TensorScatterSub tensor_scatter_nd_sub tensor indices updates bad_indices_policy=""
TensorScatterUpdate tensor_scatter_nd_update tensor indices updates -bad_indices_policy
Tile tile input multiples
TopKV2 math.top_k input k sorted=true index_type="int32"
Transpose transpose x:a perm
TruncateDiv truncatediv x y
TruncateMod truncatemod x y
TruncatedNormal random.truncated_normal shape dtype seed=0 -seed2
Unique unique x out_idx="int32"
UniqueWithCounts unique_with_counts x out_idx="int32"
Unpack unstack value num axis=0
UnsortedSegmentMax math.unsorted_segment_max data segment_ids num_segments
UnsortedSegmentMin math.unsorted_segment_min data segment_ids num_segments
UnsortedSegmentProd math.unsorted_segment_prod data segment_ids num_segments
UnsortedSegmentSum math.unsorted_segment_sum data segment_ids num_segments
Where where condition
WriteFile io.write_file filename contents
Xdivy math.xdivy x y
Xlog1py math.xlog1py x y
Xlogy math.xlogy x y
ZerosLike zeros_like x:input
Zeta math.zeta x q
"""
