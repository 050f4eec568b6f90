"""Texts: what `tf.strings` does with them, letter by letter and as numbers."""

from programs.program import answers


def case(tf, np):
    rt = tf.ragged.constant([["ab c", "d"], [], ["é f "]])
    return answers(
        lambda: tf.strings.lower(1),
        lambda: tf.strings.lower(tf.constant(1.0)),
        lambda: tf.strings.lower(np.array([1.5])),
        lambda: tf.strings.lower(None),
        lambda: tf.strings.lower([]),
        lambda: tf.strings.lower(["A", "É"]),
        lambda: tf.strings.lower("É", encoding="utf-8"),
        lambda: tf.strings.lower("É", encoding="latin"),
        lambda: tf.strings.strip(["  a b\t\n", b"\x0ba\x00"]),
        lambda: tf.strings.lower(rt),
        lambda: tf.strings.strip(rt),
        lambda: tf.strings.upper("ß", encoding="utf-8"),
        lambda: tf.strings.lower("ΑΣ İ", encoding="utf-8"),
        lambda: tf.strings.lower(b"\xffA", encoding="utf-8"),
        lambda: tf.strings.strip("\u00a0a "),
        lambda: tf.strings.lower([[]]),
    )


def length(tf, np):
    rt = tf.ragged.constant([["ab c", "d"], [], ["é f "]])
    return answers(
        lambda: tf.strings.length(1),
        lambda: tf.strings.length("é", unit="X"),
        lambda: tf.strings.length("é", unit="UTF8_CHAR"),
        lambda: tf.strings.length(rt),
        lambda: tf.strings.length(b"\x80a", unit="UTF8_CHAR"),
    )


def substr(tf, np):
    rt = tf.ragged.constant([["ab c", "d"], [], ["é f "]])
    return answers(
        lambda: tf.strings.substr("hello", 1, 3),
        lambda: tf.strings.substr("hello", -3, 2),
        lambda: tf.strings.substr("hello", 6, 2),
        lambda: tf.strings.substr("hello", 5, 2),
        lambda: tf.strings.substr(["hello", "ab"], [1, 0], [2, 1]),
        lambda: tf.strings.substr(["hello", "ab"], 1, [2, 1]),
        lambda: tf.strings.substr([["hello", "ab"]], [1, 0], [2, 1]),
        lambda: tf.strings.substr("hello", [1, 2], [1, 1]),
        lambda: tf.strings.substr("héllo", [1], [1], unit="UTF8_CHAR"),
        lambda: tf.strings.substr("héllo", 7, 1, unit="UTF8_CHAR"),
        lambda: tf.strings.substr("héllo", -7, 1, unit="UTF8_CHAR"),
        lambda: tf.strings.substr(["hello", "a"], [3, 3], [1, 1]),
        lambda: tf.strings.substr("hello", 1, -1),
        lambda: tf.strings.substr("hello", 1, -2),
        lambda: tf.strings.substr("hello", 1.0, 2.0),
        lambda: tf.strings.substr(["a", "b"], [1, 2, 3], [1, 2, 3]),
        lambda: tf.strings.substr(["a", "b"], [[0, 0], [0, 0]], [[1, 1], [1, 1]]),
        lambda: tf.strings.substr(rt, 0, 1),
        lambda: tf.strings.substr(b"\x80a\xc3\xa9", 1, 1, unit="UTF8_CHAR"),
        lambda: tf.strings.substr([["abc", "d"], ["e", "f"]], [[2, 0], [0, 4]], [[1, 1], [1, 1]]),
        lambda: tf.strings.substr([["abc", "d"], ["e", "f"]], [0, 4], [1, 1]),
        lambda: tf.strings.substr(["abc", "d"], [[0], [4]], [[1], [1]]),
        lambda: tf.strings.substr("abc", [0, 4], [1, 1]),
        lambda: tf.strings.substr(["abc"], [0, 4], [1, 1]),
        lambda: tf.strings.substr([["abc", "d"], ["e", "f"]], 2, 1),
        lambda: tf.strings.substr(b"\x80\x80a\xc3\xa9", 1, 1, unit="UTF8_CHAR"),
        lambda: tf.strings.substr(b"a\xc3", 1, 1, unit="UTF8_CHAR"),
        lambda: tf.strings.substr(b"\x80\x80a\xc3\xa9", -2, 1, unit="UTF8_CHAR"),
        lambda: tf.strings.substr(b"\xffa\xc3\xa9", 1, 1, unit="UTF8_CHAR"),
    )


def to_number(tf, np):
    return answers(
        lambda: tf.strings.to_number("a"),
        lambda: tf.strings.to_number(["1", "a"], tf.int32),
        lambda: tf.strings.to_number(["99999999999"], tf.int32),
        lambda: tf.strings.to_number(
            [" 1.5 ", "1e3", "nan", "-inf", "0x1p3", "1_0", "+3", ".5", "5."]
        ),
        lambda: tf.strings.to_number([""]),
        lambda: tf.strings.to_number(["0x10"], tf.int32),
        lambda: tf.strings.to_number([" 10 ", "+5", "-3"], tf.int64),
        lambda: tf.strings.to_number(["1.5"], tf.int64),
        lambda: tf.strings.to_number(["1"], tf.float64),
        lambda: tf.strings.to_number(["1"], tf.uint32),
        lambda: tf.strings.to_number(["1"], tf.uint8),
        lambda: tf.strings.to_number(["-1"], tf.uint64),
        lambda: tf.strings.to_number(["1e400", "1e39", "1e-50"]),
        lambda: tf.strings.to_number(tf.ragged.constant([["1"], ["2", "3"]])),
        lambda: tf.strings.to_number("1e5", tf.int32),
        lambda: tf.strings.to_number(
            ["0x1p3", "0x10", ".5", "5.", "+1", "infinity", "NAN", "-Inf", " 7", "1 "]
        ),
        lambda: tf.strings.to_number("1e"),
        lambda: tf.strings.to_number("1 2"),
        lambda: tf.strings.to_number("0b1", tf.int32),
        lambda: tf.strings.to_number("٣", tf.int32),
        lambda: tf.strings.to_number("+ 3", tf.int32),
        lambda: tf.strings.to_number("--3", tf.int32),
        lambda: tf.strings.to_number("2147483648", tf.int32),
        lambda: tf.strings.to_number("-2147483648", tf.int32),
        lambda: tf.strings.to_number("1.17549e-39"),
        lambda: tf.strings.to_number("0.1", tf.float64),
    )


def as_string(tf, np):
    return answers(
        lambda: tf.strings.as_string([1, -2]),
        lambda: tf.strings.as_string([1.5, 1 / 3, 1e20, float("nan"), float("inf"), -0.0]),
        lambda: tf.strings.as_string([1.5, 1 / 3, 1e20, 1e-5], precision=2),
        lambda: tf.strings.as_string([1.5, 1 / 3, 1e20, 1e-5], scientific=True),
        lambda: tf.strings.as_string([1.5, 1 / 3, 1e20, 1e-5], shortest=True),
        lambda: tf.strings.as_string([1.5, 1 / 3, 1e20, 1e-5], shortest=True, precision=3),
        lambda: tf.strings.as_string([1.5], shortest=True, scientific=True),
        lambda: tf.strings.as_string([True, False]),
        lambda: tf.strings.as_string([1 + 2j, 1 / 3 - 2j]),
        lambda: tf.strings.as_string([1 + 2j], precision=2, width=10),
        lambda: tf.strings.as_string([5, -5], width=6, fill="0"),
        lambda: tf.strings.as_string([5, -5], width=6, fill="-"),
        lambda: tf.strings.as_string([5, -5], width=6, fill="+"),
        lambda: tf.strings.as_string([5, -5], width=6, fill=" "),
        lambda: tf.strings.as_string([5, -5], width=6, fill="ab"),
        lambda: tf.strings.as_string([5, -5], width=6, fill="x"),
        lambda: tf.strings.as_string([5, -5], width=6),
        lambda: tf.strings.as_string(["a", "bcd"], width=3),
        lambda: tf.strings.as_string(["a", "bcd"], width=3, fill=" "),
        lambda: tf.strings.as_string([5], precision=2),
        lambda: tf.strings.as_string([5], scientific=True),
        lambda: tf.strings.as_string([True], width=10),
        lambda: tf.strings.as_string(tf.constant([1 / 3], tf.float16)),
        lambda: tf.strings.as_string(tf.constant([1 / 3], tf.bfloat16)),
        lambda: tf.strings.as_string(tf.constant([1 / 3], tf.float64), precision=20),
        lambda: tf.strings.as_string(tf.constant([200], tf.uint8)),
        lambda: tf.strings.as_string(np.uint64(2**64 - 1)),
        lambda: tf.as_string("a"),
        lambda: tf.strings.as_string(["a"], precision=2),
        lambda: tf.as_string(tf.constant([1.0, 2.0]), width=8, precision=1),
        lambda: tf.as_string(tf.constant([1.0, 2.0]), width=8, precision=1, fill="0"),
        lambda: tf.strings.as_string(tf.ragged.constant([[1], [2, 3]])),
        lambda: tf.as_string(tf.ragged.constant([[1], [2, 3]])),
        lambda: tf.strings.as_string(tf.constant([1.5, 2], tf.float64), width=10, fill="-"),
        lambda: tf.strings.as_string([1.5, -2], fill="+"),
        lambda: tf.strings.as_string([1.5, -2], width=8, fill="0", precision=2),
        lambda: tf.strings.as_string(
            [float("inf"), float("nan"), -float("inf")], width=6, fill="0"
        ),
        lambda: tf.strings.as_string([1.5], precision=0),
        lambda: tf.strings.as_string([123456789.0, 1e-10], shortest=True, precision=12),
        lambda: tf.strings.as_string(None),
        lambda: tf.strings.as_string([]),
        lambda: tf.strings.as_string([1, 2], width=-5),
        lambda: tf.strings.as_string(["a"], width=5, fill="-"),
        lambda: tf.strings.as_string(["a"], width=5, fill="0"),
    )


def join(tf, np):
    rt = tf.ragged.constant([["ab c", "d"], [], ["é f "]])
    return answers(
        lambda: tf.strings.join(["a", "b"], separator=", "),
        lambda: tf.strings.join([["a", "b"], "c"]),
        lambda: tf.strings.join([["a", "b"], ["c"]]),
        lambda: tf.strings.join([]),
        lambda: tf.strings.join("abc"),
        lambda: tf.strings.join(["a", 1]),
        lambda: tf.strings.join([["a"], ["b"]], separator=1),
        lambda: tf.strings.join([rt, rt], separator="-"),
        lambda: tf.strings.join([rt, "x"]),
        lambda: tf.strings.join([tf.constant(["a"]), tf.constant(1)]),
        lambda: tf.strings.join(tf.constant(["a", "b"])),
        lambda: tf.strings.join([b"\xff", "a"], "é"),
        lambda: tf.strings.join((["a"], "b")),
    )


def reduce_join(tf, np):
    rt = tf.ragged.constant([["ab c", "d"], [], ["é f "]])
    return answers(
        lambda: tf.strings.reduce_join([["a", "b"], ["c", "d"]], axis=0),
        lambda: tf.strings.reduce_join([["a", "b"], ["c", "d"]], axis=[1, 0], separator="-"),
        lambda: tf.strings.reduce_join([["a", "b"], ["c", "d"]], axis=-1, keepdims=True),
        lambda: tf.strings.reduce_join([["a", "b"], ["c", "d"]]),
        lambda: tf.strings.reduce_join([["a", "b"], ["c", "d"]], axis=2),
        lambda: tf.strings.reduce_join([["a", "b"], ["c", "d"]], axis=[0, 0]),
        lambda: tf.strings.reduce_join([["a", "b"], ["c", "d"]], axis=[]),
        lambda: tf.strings.reduce_join("a"),
        lambda: tf.strings.reduce_join([], axis=0),
        lambda: tf.strings.reduce_join(
            tf.zeros([2, 0], tf.string) if 0 else tf.constant([], shape=[2, 0], dtype=tf.string),
            axis=1,
        ),
        lambda: tf.strings.reduce_join(rt, axis=1),
        lambda: tf.strings.reduce_join(rt, axis=1, separator=","),
        lambda: tf.strings.reduce_join(rt, axis=0),
        lambda: tf.strings.reduce_join(rt),
        lambda: tf.strings.reduce_join(rt, axis=-1, keepdims=True),
        lambda: tf.strings.reduce_join(["a", "b"], 0),
        lambda: tf.strings.reduce_join(["a", "b"], axis=tf.constant(0)),
        lambda: tf.strings.reduce_join(["a", "b"], separator=1),
        lambda: tf.strings.reduce_join(tf.constant([], tf.string)),
    )


def segments(tf, np):
    return answers(
        lambda: tf.strings.unsorted_segment_join(["a", "b", "c"], [0, 1, 0], 2, separator=":"),
        lambda: tf.strings.unsorted_segment_join([["a", "b"], ["c", "d"]], [[0, 1], [-1, 0]], 3),
        lambda: tf.strings.unsorted_segment_join([["a", "b"], ["c", "d"]], [0, 1], 3),
        lambda: tf.strings.unsorted_segment_join([["a", "b"], ["c", "d"]], [0, 0], 1),
        lambda: tf.strings.unsorted_segment_join(["a", "b"], [0, 5], 3),
        lambda: tf.strings.unsorted_segment_join(["a", "b"], [0, 1, 2], 3),
        lambda: tf.strings.unsorted_segment_join(["a", "b"], [0, 1], -3),
    )


def formats(tf, np):
    rt = tf.ragged.constant([["ab c", "d"], [], ["é f "]])
    return answers(
        lambda: tf.strings.format("x {} y", tf.constant([1, 2])),
        lambda: tf.strings.format("x {} y {}", (tf.constant(1.5),)),
        lambda: tf.strings.format("x {} y {}", (tf.range(10), tf.constant("a"))),
        lambda: tf.strings.format("x {} y {}", [tf.range(10), [tf.constant(["a", "b"])]]),
        lambda: tf.strings.format("{}", tf.reshape(tf.range(100.0), [10, 10]), summarize=-1),
        lambda: tf.strings.format("{}", tf.reshape(tf.range(100), [10, 10])),
        lambda: tf.strings.format("%s", 1, placeholder="%s"),
        lambda: tf.strings.format("{} {}", (tf.zeros([0, 2]), tf.zeros([2, 3, 0]))),
        lambda: tf.strings.format("{} {}", (tf.zeros([2]), 3), summarize=0),
        lambda: tf.strings.format("{}", tf.constant(["a\x01\x7f"])),
        lambda: tf.strings.format("{}", {"a": tf.constant(1)}),
        lambda: tf.strings.format("{}", True),
        lambda: tf.strings.format("{}", tf.constant([True, False])),
        lambda: tf.strings.format(1, tf.constant(1)),
        lambda: tf.strings.format("{} {}", [1.0, "a"]),
        lambda: tf.strings.format("{}", [1, 2]),
        lambda: tf.strings.format(
            "{}", tf.constant([1e10, 1.5, 1 / 3, 1e-7, 123456789.0]), summarize=-1
        ),
        lambda: tf.strings.format("{}", tf.constant([1 + 2j])),
        lambda: tf.strings.format("{}", tf.constant([1 / 3], tf.float16)),
        lambda: tf.strings.format("{}", tf.constant([1 / 3], tf.float64)),
        lambda: tf.strings.format("{}", tf.constant([], tf.float64)),
        lambda: tf.strings.format("{}", tf.zeros([2, 0])),
        lambda: tf.strings.format("{}", tf.constant([b"a\xff\n'\""])),
        lambda: tf.strings.format("{}", tf.constant(3, tf.int8)),
        lambda: tf.strings.format("{}", rt),
        lambda: tf.strings.format("{} {}", [rt, 1]),
        lambda: tf.strings.format("{}", []),
        lambda: tf.strings.format("abc", []),
        lambda: tf.strings.format("{}", None),
        lambda: tf.strings.format("{} {}", ("a", np.array([1.5]))),
        lambda: tf.strings.format("%t{}", tf.constant(1), placeholder="%t"),
        lambda: tf.strings.format("{}", tf.constant([[1, 2], [3, 4]]), summarize=0),
        lambda: tf.strings.format("{}", tf.reshape(tf.range(24), [2, 3, 4])),
        lambda: tf.strings.format("{}", tf.reshape(tf.range(24), [2, 3, 4]), summarize=1),
        lambda: tf.strings.format("{}", tf.Variable([1.5])),
        lambda: tf.strings.format("{}", tf.constant(["a\tb\\"])),
        lambda: tf.strings.format(tf.constant("{}"), 1.0),
        lambda: tf.strings.format("{}", tf.range(4), summarize=0),
    )
