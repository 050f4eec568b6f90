"""Characters: decoding, encoding, splitting."""

from programs.program import answers


def transcode(tf, np):
    rt = tf.ragged.constant([["ab c", "d"], [], ["é f "]])
    return answers(
        lambda: tf.strings.unicode_transcode("é", "UTF-8", "UTF-16-BE"),
        lambda: tf.strings.unicode_transcode("é", "UTF-8", "UTF-16"),
        lambda: tf.strings.unicode_transcode("é", "UTF-8", "latin1"),
        lambda: tf.strings.unicode_transcode(b"\xe9", "latin1", "UTF-8"),
        lambda: tf.strings.unicode_transcode(b"\xe9", "nope", "UTF-8"),
        lambda: tf.strings.unicode_transcode(b"a\xe9b\xc3", "UTF-8", "UTF-8"),
        lambda: tf.strings.unicode_transcode(b"a\xe9b", "UTF-8", "UTF-8", errors="ignore"),
        lambda: tf.strings.unicode_transcode(b"a\xe9b", "UTF-8", "UTF-8", errors="strict"),
        lambda: tf.strings.unicode_transcode(b"a\xe9b", "UTF-8", "UTF-8", errors="foo"),
        lambda: tf.strings.unicode_transcode(
            b"a\xe9b\x00\x1f\t\n",
            "UTF-8",
            "UTF-8",
            replacement_char=65,
            replace_control_characters=True,
        ),
        lambda: tf.strings.unicode_transcode("a", "UTF-8", "UTF-32-BE"),
        lambda: tf.strings.unicode_transcode(b"\x00a\xd8\x00", "UTF-16-BE", "UTF-8"),
        lambda: tf.strings.unicode_transcode(
            b"\xed\xa0\x80 \xf0\x90\x80 \xf8\x88\x80\x80\x80 \xe2\x82 \xc0\x80 \xf4\x90\x80\x80",
            "UTF-8",
            "UTF-8",
        ),
        lambda: tf.strings.unicode_transcode("a", "UTF-8", "UTF-8", replacement_char=0x110000),
        lambda: tf.strings.unicode_transcode("a", "UTF-8", "UTF-8", replacement_char=0xD800),
        lambda: tf.strings.unicode_transcode(
            b"\xff", "UTF-8", "UTF-16-BE", replacement_char=0x1F600
        ),
        lambda: tf.strings.unicode_transcode(rt, "UTF-8", "UTF-16-BE"),
    )


def encode(tf, np):
    rt = tf.ragged.constant([["ab c", "d"], [], ["é f "]])
    return answers(
        lambda: tf.strings.unicode_encode([104, 233], "UTF-8"),
        lambda: tf.strings.unicode_encode([[104, 233], [1, 2]], "UTF-16-BE"),
        lambda: tf.strings.unicode_encode(tf.ragged.constant([[104, 233], [1], []]), "UTF-32-BE"),
        lambda: tf.strings.unicode_encode([104, 0xD800, 0x110000, -1], "UTF-8"),
        lambda: tf.strings.unicode_encode([104, 0xD800], "UTF-8", errors="strict"),
        lambda: tf.strings.unicode_encode([104, 0xD800], "UTF-8", errors="ignore"),
        lambda: tf.strings.unicode_encode([104, 0xD800], "UTF-8", replacement_char=65),
        lambda: tf.strings.unicode_encode(104, "UTF-8"),
        lambda: tf.strings.unicode_encode([104], "latin1"),
        lambda: tf.strings.unicode_encode([104.0], "UTF-8"),
        lambda: tf.strings.unicode_encode(tf.strings.unicode_decode(rt, "UTF-8"), "UTF-8"),
        lambda: tf.strings.unicode_encode([[[65], [66]]], "UTF-8"),
        lambda: tf.strings.unicode_encode([], "UTF-8"),
        lambda: tf.strings.unicode_encode(np.array([65, 66]), "UTF-8"),
        lambda: tf.strings.unicode_encode([0xFEFF, 0x1F600], "UTF-16-BE"),
        lambda: tf.strings.unicode_encode([65], "UTF-8", errors="x"),
        lambda: tf.strings.unicode_encode([65], "UTF-8", replacement_char=0x110000),
    )


def decode(tf, np):
    rt = tf.ragged.constant([["ab c", "d"], [], ["é f "]])
    return answers(
        lambda: tf.strings.unicode_decode("hé", "UTF-8"),
        lambda: tf.strings.unicode_decode(["hé", "", "a"], "UTF-8"),
        lambda: tf.strings.unicode_decode([["hé", ""], ["a", "b"]], "UTF-8"),
        lambda: tf.strings.unicode_decode_with_offsets(["hé", "", "a"], "UTF-8"),
        lambda: tf.strings.unicode_decode_with_offsets("héa", "UTF-8"),
        lambda: tf.strings.unicode_decode(b"a\xffb", "UTF-8", errors="strict"),
        lambda: tf.strings.unicode_decode(b"a\xffb", "UTF-8", errors="ignore"),
        lambda: tf.strings.unicode_decode(b"a\xffb\x01", "UTF-8", replace_control_characters=True),
        lambda: tf.strings.unicode_decode(b"a\xffb", "UTF-8", errors="x"),
        lambda: tf.strings.unicode_decode(b"a\xffb", "nope"),
        lambda: tf.strings.unicode_decode(b"a\xe9b", "latin1"),
        lambda: tf.strings.unicode_decode(b"\x00a\xe9\x00", "UTF-16-BE"),
        lambda: tf.strings.unicode_decode(rt, "UTF-8"),
        lambda: tf.strings.unicode_decode([[]], "UTF-8"),
        lambda: tf.strings.unicode_decode("a", "utf8"),
        lambda: tf.strings.unicode_decode("a", "Shift_JIS"),
        lambda: tf.strings.unicode_decode(b"\x82\xa0b", "Shift_JIS"),
        lambda: tf.strings.unicode_decode(b"\xff\xfea\x00", "UTF-16"),
        lambda: tf.strings.unicode_decode(b"\x00a", "UTF-16"),
        lambda: tf.strings.unicode_decode(b"\xef\xbb\xbfa", "UTF-8"),
        lambda: tf.strings.unicode_decode(b"a\xc3", "UTF-8"),
        lambda: tf.strings.unicode_decode_with_offsets(b"a\xff\xe2\x82b\xf0\x9f\x98\x80c", "UTF-8"),
        lambda: tf.strings.unicode_decode("a", "US-ASCII"),
        lambda: tf.strings.unicode_decode(b"a\xe9", "US-ASCII"),
        lambda: tf.strings.unicode_decode("a", "rot13"),
        lambda: tf.strings.unicode_decode_with_offsets([], "UTF-8"),
    )


def split(tf, np):
    rt = tf.ragged.constant([["ab c", "d"], [], ["é f "]])
    return answers(
        lambda: tf.strings.unicode_split("hé", "UTF-8"),
        lambda: tf.strings.unicode_split(["hé", "a"], "UTF-8"),
        lambda: tf.strings.unicode_split_with_offsets(["hé", "a"], "UTF-8"),
        lambda: tf.strings.unicode_split(b"a\xffb", "UTF-8"),
        lambda: tf.strings.unicode_split(b"a\xffb", "UTF-8", errors="strict"),
        lambda: tf.strings.unicode_split(b"a\xffb", "UTF-8", errors="ignore"),
        lambda: tf.strings.unicode_split(b"\x00a\x00b", "UTF-16-BE"),
        lambda: tf.strings.unicode_split(rt, "UTF-8"),
        lambda: tf.strings.unicode_split_with_offsets(rt, "UTF-8"),
        lambda: tf.strings.unicode_split("a", "latin1"),
    )


def scripts(tf, np):
    return answers(
        lambda: tf.strings.unicode_script([65, 0x3B1, 0x4E00, 32, -1, 0x110000, 0xD800, 0x378]),
        lambda: tf.strings.unicode_script("a"),
        lambda: tf.strings.unicode_script(np.arange(0, 0x110000, 997, np.int32)),
    )
