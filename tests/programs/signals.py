"""Windows of all dtypes, and the functions that take or return windows."""

from programs.program import caught


def dtypes_of_windows(tf, np):
    signal = tf.signal
    return {
        "hann": [signal.hann_window(4, dtype=t) for t in (tf.float64, tf.float32)],
        "hann int": caught(lambda: signal.hann_window(4, dtype=tf.int32)),
        "hamming": signal.hamming_window(4, dtype=tf.float64),
        "kaiser": [signal.kaiser_window(4, 3.0, dtype=t) for t in (tf.float64, tf.float32)],
        "kaiser int": caught(lambda: signal.kaiser_window(4, dtype=tf.int32)),
        "derived": signal.kaiser_bessel_derived_window(4, 3.0, dtype=tf.float64),
        "vorbis": [signal.vorbis_window(4, dtype=t) for t in (tf.float64, tf.float32)],
        "vorbis int": caught(lambda: signal.vorbis_window(4, dtype=tf.int32)),
        "mel": signal.linear_to_mel_weight_matrix(2, 5, dtype=tf.float64),
        "mel int": caught(lambda: signal.linear_to_mel_weight_matrix(2, 5, dtype=tf.int32)),
    }


def windows_of_transforms(tf, np):
    x = tf.range(12.0) ** 2
    hamming = tf.signal.hamming_window
    spectra = tf.signal.stft(x, 4, 2, window_fn=hamming)
    back = tf.signal.inverse_stft_window_fn(2, hamming)
    derived = tf.signal.kaiser_bessel_derived_window
    lapped = tf.signal.mdct(x, 4, window_fn=derived)
    return {
        "spectra": spectra,
        "signal": tf.signal.inverse_stft(spectra, 4, 2, window_fn=back),
        "lapped": lapped,
        "from lapped": tf.signal.inverse_mdct(lapped, window_fn=derived),
    }


def windows_of_inverses(tf, np):
    make = tf.signal.inverse_stft_window_fn
    return {
        "3 of 4": make(3)(4, tf.float32),
        "3 of 8": make(3)(8, tf.float64),
        "gaps": make(5)(4, tf.float32),
        "hamming": make(2, tf.signal.hamming_window)(5, tf.float32),
        "vector step": caught(lambda: make([2])(4, tf.float32)),
        "vector length": caught(lambda: make(2)([4], tf.float32)),
        "step 0": caught(lambda: make(0)(4, tf.float32)),
        "no dtype": caught(lambda: make(2)(4)).name,
    }


def gradients_of_a_round_trip(tf, np):
    x = tf.Variable(tf.range(10.0))
    with tf.GradientTape() as tape:
        spectra = tf.signal.stft(x, 4, 2)
        loss = tf.reduce_sum(tf.abs(spectra) ** 2)
        loss += tf.reduce_sum(tf.signal.inverse_stft(spectra, 4, 2) ** 2)
    return {"loss": loss, "gradient": tape.gradient(loss, x)}
