"""What is refused at the call: attributes of ops, lengths, assertions that show nothing."""

from programs.program import caught


def lengths_of_transforms(tf, np):
    real, bins = tf.ones([4, 4]), tf.ones([4, 4], tf.complex64)
    signal = tf.signal
    return {
        "rfft": [caught(signal.rfft, real, [length]) for length in (-1, -2)],
        "irfft": caught(signal.irfft, bins, [-1]),
        "rfft2d": caught(signal.rfft2d, real, [4, -1]),
        "irfft2d": caught(signal.irfft2d, bins, [-1, 4]),
        "stft": caught(signal.stft, real[0], 2, 1, -1),
    }


def assertions_that_show_nothing(tf, np):
    x, debugging = tf.constant([1.0, -2.0]), tf.debugging
    return {
        count: [
            caught(debugging.assert_less_equal, x, -5.0, summarize=count),
            caught(debugging.assert_less_equal, x, x - 1.0, summarize=count),
        ]
        for count in (0, 1)
    }


def attributes_in_functions(tf, np):
    """Refused where the op is called, though nobody uses its result: whether it raises there."""
    text, strings, io = tf.constant("a"), tf.strings, tf.io

    def is_refused(call):
        found = []

        @tf.function
        def f(x):
            try:
                call()
            except (ValueError, TypeError, tf.errors.InvalidArgumentError):
                found.append(True)
            return x

        f(text)
        return bool(found)

    return {
        "length": is_refused(lambda: strings.length(text, unit="X")),
        "substr": is_refused(lambda: strings.substr(text, 0, 1, unit="X")),
        "number": is_refused(lambda: strings.to_number(text, tf.int8)),
        "buckets": is_refused(lambda: strings.to_hash_bucket(text, 0)),
        "fast": is_refused(lambda: strings.to_hash_bucket_fast(text, -1)),
        "errors": is_refused(lambda: strings.unicode_decode(text, "UTF-8", errors="X")),
        "transcode": is_refused(lambda: strings.unicode_transcode(text, "UTF-8", "X")),
        "raw": is_refused(lambda: io.decode_raw(text, tf.string)),
        "png": is_refused(lambda: io.decode_png(text, dtype=tf.int32)),
        "channels": is_refused(lambda: io.decode_png(text, channels=2)),
        "value": is_refused(lambda: strings.to_number(text)),
    }


def sizes(tf, np):
    image, nn, x = tf.ones([1, 4, 4, 1]), tf.nn, tf.ones([2, 3])
    filters = tf.ones([2, 2, 1, 1])
    depth = tf.ones([4, 2, 2, 1])
    calls = {
        "reshape": lambda n: tf.reshape(x, [n, n, 2]),
        "confusion_matrix": lambda n: tf.math.confusion_matrix([0, 1], [0, 1], n),
        "split": lambda n: tf.random.split([1, 2], n),
        "resize": lambda n: tf.image.resize(image, [n, 2]),
        "extract_glimpse": lambda n: tf.image.extract_glimpse(image, [n, 2], [[0.0, 0.0]]),
        "padding": lambda n: nn.conv2d(image, filters, 1, [[0, 0], [n, 1], [0, 0], [0, 0]]),
        "transpose": lambda n: nn.conv2d_transpose(image, filters, [1, 8, 8, 1], n),
        "depthwise": lambda n: nn.depthwise_conv2d(image, filters, [1, n, n, 1], "VALID"),
        "lrn": lambda n: nn.local_response_normalization(image, n),
        "crops": lambda n: tf.batch_to_space(depth, [2, 2], [[n + 9, 0], [0, 0]]),
        "gather_nd": lambda n: tf.gather_nd(x, [[0], [1]], batch_dims=n),
        "mel": lambda n: tf.signal.linear_to_mel_weight_matrix(num_spectrogram_bins=n).shape,
        "pool": lambda n: nn.pool(image, [n, n], "MAX", padding="SAME"),
    }
    return {
        name: [caught(call, n) for n in (-1, -7, 0) if (name, n) != ("lrn", 0)]
        for name, call in calls.items()
    }
