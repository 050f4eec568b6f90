"""Columns: `tf.feature_column`."""

import pathlib

from programs.program import answers, in_a_new_directory


def descriptions(tf, np):
    columns = tf.feature_column
    n = columns.numeric_column("x")
    h = columns.categorical_column_with_hash_bucket("h", 10)
    vl = columns.categorical_column_with_vocabulary_list("v", ["a", "b"])
    b = columns.bucketized_column(n, [0.0, 1.0])
    idc = columns.categorical_column_with_identity("i", 5)
    return answers(
        lambda: repr(n),
        lambda: repr(h),
        lambda: repr(vl),
        lambda: repr(b),
        lambda: repr(idc),
        lambda: repr(
            columns.numeric_column("x", shape=[2, 3], default_value=1.0, dtype=tf.float64)
        ),
        lambda: repr(columns.numeric_column("x", shape=3, default_value=[1, 2, 3])),
        lambda: repr(columns.numeric_column("x", shape=(0,))),
        lambda: repr(columns.numeric_column("x", dtype=tf.string)),
        lambda: repr(columns.numeric_column("x", normalizer_fn=5)),
        lambda: repr(columns.numeric_column(5)),
        lambda: repr(columns.numeric_column("x", shape=[2], default_value=[1, 2, 3])),
        lambda: repr(columns.numeric_column("x", shape=[2], default_value="a")),
        lambda: repr(columns.categorical_column_with_hash_bucket("h", 0)),
        lambda: repr(columns.categorical_column_with_hash_bucket("h", None)),
        lambda: repr(columns.categorical_column_with_hash_bucket("h", 5, dtype=tf.float32)),
        lambda: repr(columns.categorical_column_with_vocabulary_list("v", [1, 2])),
        lambda: repr(columns.categorical_column_with_vocabulary_list("v", ["a", "a"])),
        lambda: repr(columns.categorical_column_with_vocabulary_list("v", [])),
        lambda: repr(
            columns.categorical_column_with_vocabulary_list("v", ["a"], num_oov_buckets=2)
        ),
        lambda: repr(
            columns.categorical_column_with_vocabulary_list(
                "v", ["a"], num_oov_buckets=2, default_value=3
            )
        ),
        lambda: repr(columns.categorical_column_with_vocabulary_list("v", ["a"], dtype=tf.int64)),
        lambda: repr(columns.categorical_column_with_vocabulary_list("v", [1], dtype=tf.float32)),
        lambda: repr(columns.categorical_column_with_identity("i", 0)),
        lambda: repr(columns.categorical_column_with_identity("i", 5, default_value=7)),
        lambda: repr(columns.bucketized_column(h, [1])),
        lambda: repr(columns.bucketized_column(n, [])),
        lambda: repr(columns.bucketized_column(n, [2, 1])),
        lambda: repr(columns.bucketized_column(columns.numeric_column("x", shape=[2, 2]), [1])),
        lambda: repr(columns.indicator_column(vl)),
        lambda: repr(columns.indicator_column(b)),
        lambda: repr(columns.indicator_column(n)),
        lambda: repr(columns.embedding_column(vl, 0)),
        lambda: repr(columns.embedding_column(vl, 4, initializer=3)),
        lambda: repr(columns.crossed_column(["a", "b"], 100)),
        lambda: repr(columns.crossed_column([vl, "b"], 100)),
        lambda: repr(columns.crossed_column([b, "q"], 100, hash_key=5)),
        lambda: repr(columns.crossed_column(["a"], 100)),
        lambda: repr(columns.crossed_column(["a", "b"], 0)),
        lambda: repr(columns.crossed_column([n, "b"], 10)),
        lambda: repr(columns.crossed_column([h, "b"], 10)),
        lambda: repr(columns.weighted_categorical_column(vl, "w")),
        lambda: repr(
            columns.make_parse_example_spec(
                [
                    n,
                    h,
                    vl,
                    b,
                    idc,
                    columns.indicator_column(vl),
                    columns.embedding_column(h, 3),
                    columns.crossed_column(["a", "c"], 10),
                ]
            )
        ),
        lambda: repr(columns.make_parse_example_spec(n)),
        lambda: repr(columns.make_parse_example_spec([5])),
        lambda: repr(columns.make_parse_example_spec([n, columns.numeric_column("x", shape=[2])])),
        lambda: (
            n.name,
            h.name,
            vl.name,
            b.name,
            idc.name,
            columns.indicator_column(vl).name,
            columns.embedding_column(h, 3).name,
            columns.crossed_column(["c", "a"], 10).name,
            columns.weighted_categorical_column(vl, "w").name,
        ),
        lambda: (
            n.parse_example_spec,
            h.parse_example_spec,
            b.parse_example_spec,
            columns.crossed_column(["c", b], 10).parse_example_spec,
        ),
        lambda: (
            h.num_buckets,
            vl.num_buckets,
            b.num_buckets,
            columns.crossed_column(["c", "a"], 10).num_buckets,
            idc.num_buckets,
        ),
        lambda: (
            columns.indicator_column(vl).variable_shape,
            columns.embedding_column(h, 3).variable_shape,
            n.variable_shape,
            b.variable_shape,
        ),
        lambda: (
            n.key,
            n.shape,
            n.default_value,
            n.dtype,
            n.normalizer_fn,
            h.hash_bucket_size,
            vl.vocabulary_list,
            b.boundaries,
            b.source_column,
        ),
        lambda: [type(x).__name__ for x in (n, h, vl, b, idc)],
    )


@in_a_new_directory
def files_and_sequences(tf, np):
    columns = tf.feature_column
    file = columns.categorical_column_with_vocabulary_file
    pathlib.Path("words").write_text("a\nb\nc\n")
    with tf.io.TFRecordWriter("words.tfrecord.gz", "GZIP") as writer:
        writer.write(b"a")
        writer.write(b"b")

    def described(column):
        return [repr(column), column.name, column.num_buckets, repr(column.parse_example_spec)]

    return answers(
        lambda: repr(file("v", "words")),
        lambda: [file("v", "words").num_buckets, repr(file("v", "words").parse_example_spec)],
        lambda: repr(file("v", "words", 2, tf.int64, num_oov_buckets=3)),
        lambda: repr(file("v", "words", default_value=1)),
        lambda: int(file("v", "words.tfrecord.gz").num_buckets),
        lambda: file("v", "words", num_oov_buckets=3).num_buckets,
        lambda: file("v", ""),
        lambda: file("v", "nowhere"),
        lambda: file("v", "words", 0),
        lambda: file("v", "words", 2, default_value=1, num_oov_buckets=3),
        lambda: file("v", "words", 2, num_oov_buckets=-1),
        lambda: file("v", "words", dtype=tf.float32),
        lambda: file(5, "words"),
        lambda: described(columns.sequence_categorical_column_with_hash_bucket("h", 10)),
        lambda: described(
            columns.sequence_categorical_column_with_identity("i", 5, default_value=2)
        ),
        lambda: described(
            columns.sequence_categorical_column_with_vocabulary_list(
                "v", ["a", "b"], num_oov_buckets=2
            )
        ),
        lambda: described(
            columns.sequence_categorical_column_with_vocabulary_file("v", "words", 2, 3)
        ),
        lambda: repr(columns.sequence_numeric_column("x")),
        lambda: repr(columns.sequence_numeric_column("x", 2, 1.0, tf.float64).parse_example_spec),
        lambda: columns.sequence_numeric_column("x", shape=[0]),
        lambda: columns.sequence_numeric_column("x", dtype=tf.string),
        lambda: columns.sequence_numeric_column("x", normalizer_fn=5),
    )
