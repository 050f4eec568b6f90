"""Names of older versions: `tf.compat.v1.image`."""

from tapefacade._core.lazy_names import aliases as _aliases

_SAME = """
adjust_brightness adjust_contrast adjust_gamma adjust_hue adjust_jpeg_quality adjust_saturation
central_crop combined_non_max_suppression convert_image_dtype crop_to_bounding_box
decode_and_crop_jpeg decode_bmp decode_gif decode_image decode_jpeg decode_png decode_webp
encode_jpeg encode_png extract_jpeg_shape extract_patches flip_left_right flip_up_down
grayscale_to_rgb hsv_to_rgb image_gradients is_jpeg non_max_suppression
non_max_suppression_overlaps non_max_suppression_padded non_max_suppression_with_scores
pad_to_bounding_box per_image_standardization psnr random_brightness random_contrast random_crop
random_flip_left_right random_flip_up_down random_hue random_jpeg_quality random_saturation
resize_with_crop_or_pad rgb_to_grayscale rgb_to_hsv rgb_to_yiq rgb_to_yuv rot90 sobel_edges ssim
ssim_multiscale total_variation transpose yiq_to_rgb yuv_to_rgb
"""
_RENAMED = {
    "resize_image_with_crop_or_pad": "image.resize_with_crop_or_pad",
    "transpose_image": "image.transpose",
}

__getattr__, __dir__ = _aliases(__name__, _SAME, _RENAMED)
