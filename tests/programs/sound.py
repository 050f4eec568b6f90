"""Sound: WAV files written and read, in other lengths and numbers of channels, broken files."""

import struct

from programs.program import caught

_WAVE = [[0.0], [0.5], [-0.5], [1.0], [-1.0], [2.0], [-2.0], [0.1], [1 / 65536]]


def _file(kind=1, channels=1, bits=16, data=b"\xe8\x03", more=b"", before=b"", size=16):
    step = channels * bits // 8
    header = struct.pack("<IHHIIHH", size, kind, channels, 8000, 8000 * step, step, bits)
    body = b"WAVE" + before + b"fmt " + header + more + b"data" + struct.pack("<I", len(data))
    return b"RIFF" + struct.pack("<I", len(body + data)) + body + data


def writing(tf, np):
    encode = tf.audio.encode_wav
    return {
        "file": encode(_WAVE, 44100).numpy().hex(),
        "two channels": encode(tf.constant([[0.25, -0.25]]), tf.constant(8000)).numpy().hex(),
        "integers": encode([[1], [0]], 8000).numpy().hex(),
        "nan": encode([[np.nan], [np.inf], [-np.inf]], 8000).numpy()[44:].hex(),
        "empty": encode(tf.zeros([0, 1]), 8000).numpy().hex(),
        "type": [encode(_WAVE, 1).dtype, encode(_WAVE, 1).shape],
    }


def reading(tf, np):
    decode = tf.audio.decode_wav
    one, two = (tf.audio.encode_wav(wave, 8000) for wave in (_WAVE, [[0.25, -0.25], [1.0, 0.0]]))
    audio, rate = decode(one)
    return {
        "audio": audio,
        "rate": rate,
        "named": [decode(two).audio, decode(two).sample_rate, type(decode(two)).__name__],
        "fewer channels": decode(two, desired_channels=1).audio,
        "more channels": decode(two, desired_channels=3).audio,
        "fewer samples": decode(two, desired_samples=1).audio,
        "more samples": decode(two, -1, 4).audio,
        "no samples": decode(two, desired_samples=0).audio,
        "longer header": decode(_file(more=b"\0\0", size=18)).audio,
        "other parts": decode(_file(more=b"LIST\4\0\0\0abcd")).audio,
        "bytes": decode(_file()).audio,
    }


def errors(tf, np):
    decode, encode = tf.audio.decode_wav, tf.audio.encode_wav
    good = _file()
    return {
        "reading": [
            caught(decode, b""),
            caught(decode, b"RIFF"),
            caught(decode, b"what is this file about?"),
            caught(decode, b"RIFF\0\0\0\0WAVXfmt "),
            caught(decode, good[:-1]),
            caught(decode, good[:30]),
            caught(decode, good + b"xyz"),
            caught(decode, good + b"data\2\0\0\0ab"),
            caught(decode, _file(before=b"LIST\4\0\0\0abcd")),
            caught(decode, _file(bits=8)),
            caught(decode, _file(kind=3, bits=32)),
            caught(decode, _file(size=40)),
            caught(decode, good[:28] + b"\0\0\0\0" + good[32:]),
            caught(decode, good[:32] + b"\7\0" + good[34:]),
            caught(decode, good[:40] + b"\xff\xff\xff\xff" + good[44:]),
            caught(decode, [good]),
            caught(decode, 3),
            caught(decode, good, desired_channels=-2),
            caught(decode, good, desired_samples=-2),
        ],
        "writing": [
            caught(encode, [0.0, 1.0], 8000),
            caught(encode, tf.constant([[1]]), 8000),
            caught(encode, tf.zeros([1, 0]), 8000),
            caught(encode, tf.zeros([1, 1]), 0),
            caught(encode, tf.zeros([1, 1]), -1),
            caught(encode, tf.zeros([1, 1]), [8000]),
            caught(encode, tf.zeros([1, 1]), 8000.0),
        ],
    }


def no_gradient(tf, np):
    x = tf.constant([[0.5]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.audio.decode_wav(tf.audio.encode_wav(x, 8000)).audio * 2.0
    return tape.gradient(y, x)
