"""Images resized as in TensorFlow 1, and the gradients of convolutions: `tf.compat.v1`."""

from programs.program import answers

SIZES = ([3, 7], [8, 2], [1, 1], [5, 4])


def _images(np, *shape):
    return np.random.RandomState(0).rand(*shape).astype("float32")


def kernels_that_resize(tf, np):
    v, x = tf.compat.v1.image, _images(np, 1, 5, 4, 1)
    found = {}
    for name in ("area", "bicubic", "bilinear", "nearest_neighbor"):
        resize = getattr(v, f"resize_{name}")
        found[name] = [resize(x, s, align_corners=c) for s in SIZES for c in (False, True)]
        if name != "area":
            found[f"{name} halves"] = [resize(x, s, half_pixel_centers=True) for s in SIZES]
    return found


def kernels_that_refuse(tf, np):
    v, x = tf.compat.v1.image, _images(np, 1, 5, 4, 1)
    return answers(
        lambda: v.resize_bilinear(x[0], [5, 4]),
        lambda: v.resize_area(x, [5, -4]),
        lambda: v.resize_bicubic(x, [5, 0]),
        lambda: v.resize_nearest_neighbor(x, [5]),
        lambda: v.resize_bilinear(x, [3, 3], True, None, True),
    )


def methods_by_number(tf, np):
    v, x = tf.compat.v1.image, _images(np, 1, 5, 4, 1)
    methods = [0, 1, 2, 3, "bilinear", "area", v.ResizeMethod.BICUBIC]
    return {
        "whole": [v.resize_images(x, [2, 3], method) for method in methods],
        "one": [v.resize(x[0], [2, 3], method, align_corners=True) for method in methods],
        "proportions": v.resize_images(x, [2, 9], preserve_aspect_ratio=True),
        "dtypes": [
            v.resize_images(tf.constant([[[1]]]), size, method).dtype
            for size, method in (([1, 1], 0), ([1, 2], 0), ([2, 2], 1))
        ],
        "padded": [
            v.resize_image_with_pad(x, 4, 4),
            v.resize_image_with_pad(x[0], 4, 6, 1, True),
        ],
        "refused": answers(
            lambda: v.resize_images(x, [2, 3], 4),
            lambda: v.resize_images(x[0, 0], [2, 9]),
            lambda: v.resize_images(x, [2, 9, 1]),
            lambda: v.resize_image_with_pad(x[0], 0, 6),
            lambda: v.resize_image_with_pad(x[0], 4, 0),
            lambda: v.resize_image_with_pad(x[0, 0], 4, 6),
        ),
    }


def derivatives_of_resizing(tf, np):
    x = tf.constant(_images(np, 1, 3, 4, 1))

    def slope(method, corners):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.compat.v1.image.resize_images(x, [5, 2], method, align_corners=corners)
            total = tf.reduce_sum(y**2)
        return tape.gradient(total, x)

    return answers(
        *(lambda m=m, c=c: slope(m, c) for m in (0, 1, 2, 3) for c in (False, True)),
        lambda: tf.function(slope)(0, True),
    )


def gradients_of_convolutions(tf, np):
    v, ones = tf.compat.v1.nn, [1, 1, 1, 1]
    x, filters = _images(np, 1, 4, 5, 2), _images(np, 2, 3, 2, 3)
    given, valid = _images(np, 1, 4, 5, 3), _images(np, 1, 3, 3, 3)
    explicit = [[0, 0], [1, 0], [1, 1], [0, 0]]
    sizes, filter_sizes = [1, 4, 5, 2], [2, 3, 2, 3]
    volume, of_volume = _images(np, 1, 2, 3, 3, 1), _images(np, 1, 1, 2, 2, 2)

    def slope(function, w):
        w = tf.constant(w)
        with tf.GradientTape() as tape:
            tape.watch(w)
            total = tf.reduce_sum(function(w) ** 2)
        return tape.gradient(total, w)

    return answers(
        lambda: v.conv2d_backprop_input(sizes, filters, given, ones, "SAME"),
        lambda: v.conv2d_backprop_input(sizes, filters, valid, ones, "VALID"),
        lambda: v.conv2d_backprop_input(sizes, filters, given[:, :2, :3], [1, 2, 2, 1], "SAME"),
        lambda: v.conv2d_backprop_input(sizes, filters, given, ones, explicit),
        lambda: v.conv2d_backprop_filter(x, filter_sizes, given, ones, "SAME"),
        lambda: v.conv2d_backprop_filter(x, filter_sizes, valid, ones, "VALID"),
        lambda: v.conv2d_backprop_filter(x, filter_sizes, given, ones, explicit),
        lambda: v.conv3d_backprop_filter(volume, [2, 2, 2, 1, 2], of_volume, [1] * 5, "VALID"),
        lambda: v.conv3d_backprop_filter_v2(volume, [2, 2, 2, 1], of_volume, [1] * 5, "SAME"),
        lambda: v.conv2d_backprop_input(sizes, filters, valid, 1, "VALID"),
        lambda: v.conv2d_backprop_input(sizes, filters[0], valid, ones, "VALID"),
        lambda: v.conv2d_backprop_input(sizes[1:], filters, valid, ones, "VALID"),
        lambda: v.conv2d_backprop_input(sizes, filters, given, ones, "VALID"),
        lambda: v.conv2d_backprop_input([2, 4, 5, 2], filters, valid, ones, "VALID"),
        lambda: v.conv2d_backprop_input(sizes, filters, valid[..., :2], ones, "VALID"),
        lambda: v.conv2d_backprop_input(sizes, filters, valid, ones, "X").name,
        lambda: v.conv2d_backprop_filter(x[0], filter_sizes, valid, ones, "VALID"),
        lambda: v.conv2d_backprop_filter(x, filter_sizes, given, ones, "VALID"),
        lambda: v.conv3d_backprop_filter(volume, [2, 2, 2, 1, 2], of_volume, [1] * 5, "SAME"),
        lambda: slope(lambda w: v.conv2d_backprop_input(sizes, w, valid, ones, "VALID"), filters),
        lambda: slope(lambda w: v.conv2d_backprop_filter(w, filter_sizes, valid, ones, "VALID"), x),
    )
