"""Texts in parts."""

from programs.program import answers


def split(tf, np):
    rt = tf.ragged.constant([["ab c", "d"], [], ["é f "]])
    return answers(
        lambda: tf.strings.split("a b  c "),
        lambda: tf.strings.split(["a b", "c", ""]),
        lambda: tf.strings.split("a,b,,c", ","),
        lambda: tf.strings.split("a,b,,c", ",", maxsplit=1),
        lambda: tf.strings.split("a  b c", maxsplit=1),
        lambda: tf.strings.split([["a b"], ["c"]]),
        lambda: tf.strings.split("a<>b<>", "<>"),
        lambda: tf.strings.split("", ","),
        lambda: tf.strings.split("a", ""),
        lambda: tf.strings.split(1),
        lambda: tf.strings.split("a b", sep=None, maxsplit=0),
        lambda: tf.strings.split("a  b c ", maxsplit=1),
        lambda: tf.strings.split("a b c d ", maxsplit=2),
        lambda: tf.strings.split(" a b", maxsplit=0),
        lambda: tf.strings.split(rt),
        lambda: tf.strings.split([[], []]),
        lambda: tf.strings.split(
            tf.zeros([2, 0], tf.string) if 0 else tf.constant([], shape=[2, 0], dtype=tf.string)
        ),
        lambda: tf.strings.split(tf.constant([], tf.string)),
        lambda: tf.strings.split([]),
    )


def bytes_split(tf, np):
    rt = tf.ragged.constant([["ab c", "d"], [], ["é f "]])
    return answers(
        lambda: tf.strings.bytes_split("abc"),
        lambda: tf.strings.bytes_split(["abc", "", "d"]),
        lambda: tf.strings.bytes_split([["abc", ""], ["d", "e"]]),
        lambda: tf.strings.bytes_split(rt),
        lambda: tf.strings.bytes_split(tf.constant([["a"], ["bc"]])),
        lambda: tf.strings.bytes_split(tf.constant([["a"], ["bc"]])).shape,
    )


def ngrams(tf, np):
    rt = tf.ragged.constant([["ab c", "d"], [], ["é f "]])
    return answers(
        lambda: tf.strings.ngrams(["a", "b", "c"], 2),
        lambda: tf.strings.ngrams(["a", "b", "c"], [1, 2]),
        lambda: tf.strings.ngrams(["a", "b", "c"], 2, pad_values=("<", ">")),
        lambda: tf.strings.ngrams(["a", "b", "c"], 3, pad_values="_", padding_width=1),
        lambda: tf.strings.ngrams(["a"], 3, preserve_short_sequences=True),
        lambda: tf.strings.ngrams([["a", "b"], ["c", "d"]], 2),
        lambda: tf.strings.ngrams(tf.ragged.constant([["a", "b"], ["c"], []]), 2),
        lambda: tf.strings.ngrams(["a"], 0),
        lambda: tf.strings.ngrams("a", 2),
        lambda: tf.strings.ngrams(["a", "b"], (2, 3), separator="|", preserve_short_sequences=True),
        lambda: tf.strings.ngrams([1], 2),
        lambda: tf.strings.ngrams(["a"], 2, pad_values=("a", "b", "c")),
        lambda: tf.strings.ngrams(["a"], 2, padding_width=0, pad_values="x"),
        lambda: tf.strings.ngrams(["a"], "a"),
        lambda: tf.strings.ngrams(["a"], 2, separator=1),
        lambda: tf.strings.ngrams(rt, 1),
        lambda: tf.strings.ngrams(["a"], 3, pad_values="_", preserve_short_sequences=True),
        lambda: tf.strings.ngrams(
            ["a"], 4, pad_values="_", padding_width=1, preserve_short_sequences=True
        ),
        lambda: tf.strings.ngrams(tf.constant([], tf.string), 2, preserve_short_sequences=True),
        lambda: tf.strings.ngrams(
            ["a", "b"], [2, 5], pad_values="_", padding_width=1, preserve_short_sequences=True
        ),
    )
