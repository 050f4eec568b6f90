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
