"""Functions of `tf.compat.v1` that take their arguments by TensorFlow 1's names or order."""

V1_SIGNATURES = """
reduce_all math.reduce_all input_tensor axis=null keepdims=null -name=null
    reduction_indices:axis=null keep_dims:keepdims=null
reduce_any math.reduce_any input_tensor axis=null keepdims=null -name=null
    reduction_indices:axis=null keep_dims:keepdims=null
reduce_logsumexp math.reduce_logsumexp input_tensor axis=null keepdims=null -name=null
    reduction_indices:axis=null keep_dims:keepdims=null
reduce_max math.reduce_max input_tensor axis=null keepdims=null -name=null
    reduction_indices:axis=null keep_dims:keepdims=null
reduce_mean math.reduce_mean input_tensor axis=null keepdims=null -name=null
    reduction_indices:axis=null keep_dims:keepdims=null
reduce_min math.reduce_min input_tensor axis=null keepdims=null -name=null
    reduction_indices:axis=null keep_dims:keepdims=null
reduce_prod math.reduce_prod input_tensor axis=null keepdims=null -name=null
    reduction_indices:axis=null keep_dims:keepdims=null
reduce_sum math.reduce_sum input_tensor axis=null keepdims=null -name=null
    reduction_indices:axis=null keep_dims:keepdims=null
count_nonzero math.count_nonzero input_tensor:input=null axis=null keepdims=null dtype="int64"
    -name=null reduction_indices:axis=null keep_dims:keepdims=null input=null
arg_max math.argmax input dimension:axis output_type="int64"
arg_min math.argmin input dimension:axis output_type="int64"
argmax math.argmax input axis=null -name=null dimension:axis=null output_type="int64"
argmin math.argmin input axis=null -name=null dimension:axis=null output_type="int64"
batch_gather gather params indices batch_dims=-1
batch_to_space_nd batch_to_space input block_shape crops
bincount math.bincount arr weights=null minlength=null maxlength=null dtype="int32"
boolean_mask boolean_mask tensor mask -name=null axis=null
confusion_matrix math.confusion_matrix labels predictions num_classes=null dtype="int32" -name=null
    weights=null
constant constant value dtype=null shape=null -name=null -verify_shape=false
convert_to_tensor convert_to_tensor value dtype=null -name=null preferred_dtype:dtype_hint=null
    dtype_hint=null
depth_to_space nn.depth_to_space input block_size -name=null data_format="NHWC"
expand_dims expand_dims input axis=null -name=null dim:axis=null
floor_div math.floordiv x y
gather gather params indices validate_indices=null -name=null axis=null batch_dims=0
gather_nd gather_nd params indices -name=null batch_dims=0 bad_indices_policy=""
norm norm tensor ord="euclidean" axis=null keepdims=null -name=null keep_dims:keepdims=null
ones_like ones_like tensor:input dtype=null -name=null -optimize=true
zeros_like zeros_like tensor:input dtype=null -name=null -optimize=true
pad pad tensor paddings mode="CONSTANT" -name=null constant_values=0
reverse_sequence reverse_sequence input seq_lengths seq_axis=null batch_axis=null -name=null
    seq_dim:seq_axis=null batch_dim:batch_axis=null
scalar_mul math.scalar_mul scalar x
set_random_seed random.set_seed seed
shape shape input -name=null out_type=null
size size input -name=null out_type=null
space_to_depth nn.space_to_depth input block_size -name=null data_format="NHWC"
squeeze squeeze input axis=null -name=null squeeze_dims:axis=null
transpose transpose a perm=null -name=null conjugate=false
multinomial random.categorical logits num_samples seed=null -name=null output_dtype:dtype=null
random_poisson random.poisson lam shape dtype="float32" seed=null
verify_tensor_all_finite debugging.assert_all_finite t:x=null msg:message=null -name=null x=null
    message=null
linalg.norm norm tensor ord="euclidean" axis=null keepdims=null -name=null keep_dims:keepdims=null
math.in_top_k math.in_top_k predictions targets k
math.log_softmax nn.log_softmax logits axis=null -name=null dim:axis=null
math.softmax nn.softmax logits axis=null -name=null dim:axis=null
nn.avg_pool nn.avg_pool2d value:input ksize strides padding data_format="NHWC" -name=null
    input=null
nn.conv1d nn.conv1d value:input=null filters=null stride=null padding=null -use_cudnn_on_gpu=null
    data_format=null -name=null input=null dilations=null
nn.conv2d nn.conv2d input filter:filters=null strides=null padding=null -use_cudnn_on_gpu=true
    data_format="NHWC" dilations=[1,1,1,1] -name=null filters=null
nn.conv2d_transpose nn.conv2d_transpose value:input=null filter:filters=null output_shape=null
    strides=null padding="SAME" data_format="NHWC" -name=null input=null filters=null
    dilations=null
nn.conv3d nn.conv3d input filter:filters=null strides=null padding=null data_format="NDHWC"
    dilations=[1,1,1,1,1] -name=null filters=null
nn.convolution nn.convolution input filter:filters padding strides=null
    dilation_rate:dilations=null -name=null data_format=null filters=null dilations=null
nn.crelu nn.crelu features -name=null axis=-1
nn.depth_to_space nn.depth_to_space input block_size -name=null data_format="NHWC"
nn.depthwise_conv2d nn.depthwise_conv2d input filter strides padding rate:dilations=null -name=null
    data_format=null dilations=null
nn.embedding_lookup nn.embedding_lookup params ids -partition_strategy="mod" -name=null
    -validate_indices=true max_norm=null
nn.embedding_lookup_sparse nn.embedding_lookup_sparse params sp_ids sp_weights
    -partition_strategy="mod" -name=null combiner=null max_norm=null -allow_fast_lookup=false
nn.in_top_k math.in_top_k predictions targets k
nn.log_softmax nn.log_softmax logits axis=null -name=null dim:axis=null
nn.max_pool nn.max_pool2d value:input ksize strides padding data_format="NHWC" -name=null
    input=null
nn.moments nn.moments x axes shift=null -name=null keep_dims:keepdims=null keepdims=null
nn.sigmoid_cross_entropy_with_logits nn.sigmoid_cross_entropy_with_logits labels=null logits=null
nn.softmax nn.softmax logits axis=null -name=null dim:axis=null
nn.softmax_cross_entropy_with_logits nn.softmax_cross_entropy_with_logits labels=null logits=null
    dim:axis=-1 -name=null axis=null
nn.softmax_cross_entropy_with_logits_v2 nn.softmax_cross_entropy_with_logits labels logits axis=null
    -name=null dim:axis=null
nn.space_to_depth nn.space_to_depth input block_size -name=null data_format="NHWC"
nn.sparse_softmax_cross_entropy_with_logits nn.sparse_softmax_cross_entropy_with_logits labels=null
    logits=null
nn.weighted_cross_entropy_with_logits nn.weighted_cross_entropy_with_logits labels=null logits=null
    pos_weight=null -name=null targets:labels=null
nn.weighted_moments nn.weighted_moments x axes frequency_weights -name=null
    keep_dims:keepdims=null keepdims=null
strings.length strings.length input -name=null unit="BYTE"
strings.substr strings.substr input pos len -name=null unit="BYTE"
strings.to_number strings.to_number string_tensor:input=null out_type="float32" -name=null
    input=null
substr strings.substr input pos len -name=null unit="BYTE"
string_to_number strings.to_number string_tensor:input=null out_type="float32" -name=null
    input=null
strings.reduce_join strings.reduce_join inputs axis=null keep_dims:keepdims=null separator=""
    -name=null reduction_indices:axis=null keepdims=null
reduce_join strings.reduce_join inputs axis=null keep_dims:keepdims=null separator="" -name=null
    reduction_indices:axis=null keepdims=null
strings.to_hash_bucket strings.to_hash_bucket string_tensor:input=null num_buckets=null -name=null
    input=null
string_to_hash_bucket strings.to_hash_bucket string_tensor:input=null num_buckets=null -name=null
    input=null
gradients gradients ys xs grad_ys=null -name="gradients" -colocate_gradients_with_ops=false
    -gate_gradients=false aggregation_method=null stop_gradients=null unconnected_gradients=null
hessians hessians ys xs -name="hessians" -colocate_gradients_with_ops=false -gate_gradients=false
    aggregation_method=null
tuple tuple tensors -name=null control_inputs=null
py_func numpy_function func inp Tout stateful=true
decode_csv io.decode_csv records record_defaults field_delim="," use_quote_delim=true -name=null
    na_value="" select_cols=null
decode_raw io.decode_raw input_bytes=null out_type=null little_endian=true -name=null
    bytes:input_bytes=null
parse_example io.parse_example serialized features -name=null example_names=null
parse_single_example io.parse_single_example serialized features -name=null example_names=null
serialize_sparse io.serialize_sparse sp_input -name=null out_type="string"
serialize_many_sparse io.serialize_many_sparse sp_input -name=null out_type="string"
sparse_matmul matmul a b transpose_a=false transpose_b=false a_is_sparse=false b_is_sparse=false
image.crop_and_resize image.crop_and_resize image boxes box_ind:box_indices=null crop_size=null
    method="bilinear" extrapolation_value=0 -name=null box_indices=null
image.extract_image_patches image.extract_patches images ksizes:sizes=null strides=null rates=null
    padding=null -name=null sizes=null
extract_image_patches image.extract_patches images ksizes:sizes=null strides=null rates=null
    padding=null -name=null sizes=null
nn.avg_pool2d nn.avg_pool2d value:input ksize strides padding data_format="NHWC" -name=null
    input=null
nn.batch_norm_with_global_normalization nn.batch_norm_with_global_normalization t:input=null
    m:mean=null v:variance=null beta=null gamma=null variance_epsilon=null
    scale_after_normalization=null -name=null input=null mean=null variance=null
nn.conv3d_transpose nn.conv3d_transpose value:input=null filter:filters=null output_shape=null
    strides=null padding="SAME" data_format="NDHWC" -name=null input=null filters=null
    dilations=null
nn.depthwise_conv2d_native nn.depthwise_conv2d input filter strides padding data_format="NHWC"
    dilations=[1,1,1,1]
nn.max_pool_with_argmax nn.max_pool_with_argmax input ksize strides padding data_format="NHWC"
    Targmax:output_dtype=null -name=null output_dtype=null include_batch_in_index=false
nn.pool nn.pool input window_shape pooling_type padding dilation_rate:dilations=null strides=null
    -name=null data_format=null dilations=null
nn.safe_embedding_lookup_sparse nn.safe_embedding_lookup_sparse embedding_weights sparse_ids
    sparse_weights=null combiner="mean" default_id=null -name=null -partition_strategy="div"
    max_norm=null allow_fast_lookup=false
nn.separable_conv2d nn.separable_conv2d input depthwise_filter pointwise_filter strides padding
    rate:dilations=null -name=null data_format=null dilations=null
nn.sufficient_statistics nn.sufficient_statistics x axes shift=null keep_dims:keepdims=null
    -name=null keepdims=null
random.poisson random.poisson lam shape dtype="float32" seed=null
random.stateless_multinomial random.stateless_categorical logits num_samples seed
    output_dtype:dtype="int64"
debugging.assert_all_finite debugging.assert_all_finite t:x=null msg:message=null -name=null x=null
    message=null
"""

# Those of sparse tensors, which have two names each.
_OF_SPARSE = """
add a b threshold=null thresh:threshold=null
concat axis sp_inputs -name=null expand_nonconcat_dim:expand_nonconcat_dims=false
    concat_dim:axis=null expand_nonconcat_dims=null
reduce_max sp_input axis=null keepdims=null reduction_axes:axis=null keep_dims:keepdims=null
reduce_sum sp_input axis=null keepdims=null reduction_axes:axis=null keep_dims:keepdims=null
segment_mean data indices segment_ids -name=null num_segments=null sparse_gradient=false
segment_sqrt_n data indices segment_ids -name=null num_segments=null sparse_gradient=false
segment_sum data indices segment_ids -name=null num_segments=null sparse_gradient=false
split -keyword_required=null sp_input=null num_split=null axis=null -name=null split_dim:axis=null
"""
V1_SIGNATURES += "".join(
    f"{older}{line.partition(' ')[0]} sparse.{line}\n"
    for line in _OF_SPARSE.strip().replace("\n    ", " ").splitlines()
    for older in ("sparse_", "sparse.")
)

# Assertions: what they compare; the tensors that TensorFlow 1 shows if they fail are left out.
_COMPARED = {
    "x y": "equal none_equal less less_equal greater greater_equal",
    "x": "negative positive non_negative non_positive",
    "x y rtol=null atol=null": "near",
}
_OF_TYPES = {
    "x rank -data=null -summarize=null": "rank rank_at_least",
    "x ranks -data=null -summarize=null": "rank_in",
    "x": "integer",
    "tensor tf_type": "type",
}
V1_SIGNATURES += "".join(
    f"assert_{name} debugging.assert_{name} {given}{rest} message=null -name=null\n"
    for table, rest in ((_COMPARED, " -data=null summarize=null"), (_OF_TYPES, ""))
    for given, names in table.items()
    for name in names.split()
)
V1_SIGNATURES += """\
assert_scalar debugging.assert_scalar tensor -name=null message=null
debugging.assert_shapes debugging.assert_shapes shapes -data=null summarize=null message=null
    -name=null
"""

# Other names of these, in the namespaces that have them as well.
ALSO = {
    "math": "reduce_all reduce_any reduce_logsumexp reduce_max reduce_mean reduce_min reduce_prod "
    "reduce_sum count_nonzero argmax argmin bincount confusion_matrix scalar_mul",
    "io": "decode_csv decode_raw parse_example parse_single_example serialize_many_sparse "
    "serialize_sparse",
    "random": "set_random_seed multinomial",
    "manip": "batch_to_space_nd gather_nd",
    "debugging": "assert_equal assert_none_equal assert_less assert_less_equal assert_greater "
    "assert_greater_equal assert_negative assert_positive assert_non_negative assert_non_positive "
    "assert_near assert_rank assert_rank_at_least assert_rank_in assert_integer assert_type "
    "assert_scalar",
}
