"""Files of records."""

import pathlib

from programs.program import caught, in_a_new_directory, shown


@in_a_new_directory
def records(tf, np):
    found = []

    def ask(statement):
        found.append(shown(caught(statement)))

    path = "r.tfrecord"
    writer, options, read = (
        tf.io.TFRecordWriter,
        tf.io.TFRecordOptions,
        tf.compat.v1.io.tf_record_iterator,
    )
    w = writer(path)
    w.write(b"abc")
    w.write(b"")
    w.write(b"x" * 1000)
    w.flush()
    w.close()
    ask(lambda: pathlib.Path(path).read_bytes()[:40])
    ask(lambda: [len(r) for r in read(path)])
    w = writer(path, "GZIP")
    w.write(b"abc")
    w.close()
    ask(lambda: list(read(path, options("GZIP"))))
    ask(lambda: list(read(path)))
    w = writer(path, options(compression_type="ZLIB", compression_level=9))
    w.write(b"abc")
    w.close()
    ask(lambda: list(read(path, options("ZLIB"))))
    ask(lambda: writer(path, "FOO"))
    ask(lambda: options("FOO"))
    ask(
        lambda: (
            options(None).compression_type,
            options("").compression_type,
            options("GZIP").compression_type,
        )
    )
    ask(
        lambda: (
            options.get_compression_type_string(options("GZIP")),
            options.get_compression_type_string("ZLIB"),
            options.get_compression_type_string(None),
        )
    )
    ask(lambda: options.get_compression_type_string("X"))
    ask(lambda: (tf.compat.v1.io.TFRecordCompressionType.GZIP, options(2).compression_type))
    ask(lambda: writer("/nope/x"))
    w = writer(path)
    ask(lambda: w.write("abc"))
    ask(lambda: w.write(bytearray(b"u")))
    w.close()
    ask(lambda: w.write(b"abc"))
    ask(lambda: w.close())
    ask(lambda: w.flush())
    with writer(path) as w:
        w.write(b"a")
        w.write(b"b")
    ask(lambda: list(read(path)))
    data = pathlib.Path(path).read_bytes()
    pathlib.Path(path).write_bytes(data[:-3])
    ask(lambda: list(read(path)))
    pathlib.Path(path).write_bytes(data[:5])
    ask(lambda: list(read(path)))
    pathlib.Path(path).write_bytes(data[:12] + b"z" + data[13:])
    ask(lambda: list(read(path)))
    pathlib.Path(path).write_bytes(b"z" + data[1:])
    ask(lambda: list(read(path)))
    ask(lambda: list(read("/nope")))
    ask(lambda: list(read(".")))
    ask(lambda: writer(1))
    ask(lambda: type(next(read(path))).__name__)
    ask(lambda: options(flush_mode=1, window_bits=3).window_bits)
    return found
