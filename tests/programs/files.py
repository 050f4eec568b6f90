"""Files: `tf.io` and `tf.io.gfile`."""

import os
import pathlib

from programs.program import caught, in_a_new_directory, shown


@in_a_new_directory
def whole(tf, np):
    found = []

    def ask(statement):
        found.append(shown(caught(statement)))

    pathlib.Path("a.txt").write_bytes(b"hello\nworld\n")
    os.mkdir("d")
    pathlib.Path("d/x.txt").write_text("x")
    ask(lambda: tf.io.read_file("a.txt"))
    ask(lambda: tf.io.read_file("/nope/x"))
    ask(lambda: tf.io.read_file("."))
    ask(lambda: tf.io.read_file(["a.txt"]))
    ask(lambda: tf.io.read_file(1))
    ask(lambda: tf.io.read_file(tf.constant("a.txt")))
    ask(lambda: tf.io.write_file("w.txt", "abc"))
    ask(lambda: tf.io.write_file("q/r/w.txt", tf.constant("abc")))
    ask(lambda: tf.io.write_file("q/r", "abc"))
    ask(lambda: tf.io.write_file(["a"], "b"))
    ask(lambda: tf.io.write_file("a", ["b"]))
    ask(lambda: tf.io.write_file("a", 1))
    ask(lambda: tf.io.matching_files("*.txt"))
    ask(lambda: tf.io.matching_files(["*.txt", "d/*"]))
    ask(lambda: tf.io.matching_files("none*"))
    ask(lambda: tf.io.matching_files("**/*.txt"))
    ask(lambda: tf.io.matching_files("/nope/*"))
    ask(lambda: tf.io.matching_files("."))
    ask(lambda: tf.io.match_filenames_once("*.txt").numpy())
    return found


@in_a_new_directory
def directories(tf, np):
    found = []

    def ask(statement):
        found.append(shown(caught(statement)))

    pathlib.Path("a.txt").write_bytes(b"hello\nworld\n")
    os.mkdir("d")
    pathlib.Path("d/x.txt").write_text("x")
    ask(
        lambda: (
            tf.io.gfile.exists("."),
            tf.io.gfile.exists("/nope"),
            tf.io.gfile.isdir("a.txt"),
            tf.io.gfile.isdir("."),
        )
    )
    ask(lambda: tf.io.gfile.isdir("/nope"))
    ask(lambda: sorted(tf.io.gfile.listdir(".")))
    ask(lambda: sorted(tf.io.gfile.listdir("/nope")))
    ask(lambda: sorted(tf.io.gfile.listdir("a.txt")))
    ask(lambda: sorted(tf.io.gfile.glob("*")))
    ask(lambda: sorted(tf.io.gfile.glob(["*.txt", "d/*"])))
    ask(
        lambda: (
            tf.io.gfile.join("a", "b", "/c"),
            tf.io.gfile.join("a"),
            tf.io.gfile.join("a/", "b"),
            tf.io.gfile.join("gs://a", "b"),
        )
    )
    ask(lambda: tf.io.gfile.mkdir("m"))
    ask(lambda: tf.io.gfile.mkdir("m"))
    ask(lambda: tf.io.gfile.mkdir("k/l"))
    ask(lambda: tf.io.gfile.makedirs("k/l"))
    ask(lambda: tf.io.gfile.makedirs("k/l"))
    ask(lambda: tf.io.gfile.makedirs("a.txt" + "/k/l"))
    ask(lambda: tf.io.gfile.copy("a.txt", "c.txt"))
    ask(lambda: tf.io.gfile.copy("a.txt", "c.txt"))
    ask(lambda: tf.io.gfile.copy("a.txt", "c.txt", overwrite=True))
    ask(lambda: tf.io.gfile.copy("/nope", "c2.txt"))
    ask(lambda: tf.io.gfile.rename("c.txt", "c3.txt"))
    ask(lambda: tf.io.gfile.rename("a.txt", "c3.txt"))
    ask(lambda: tf.io.gfile.rename("/nope", "c4.txt"))
    ask(lambda: tf.io.gfile.remove("c3.txt"))
    ask(lambda: tf.io.gfile.remove("c3.txt"))
    ask(lambda: tf.io.gfile.remove("m"))
    ask(lambda: tf.io.gfile.rmtree("k"))
    ask(lambda: tf.io.gfile.rmtree("k"))
    ask(lambda: tf.io.gfile.rmtree("a.txt"))
    ask(
        lambda: (
            tf.io.gfile.stat("a.txt").length,
            tf.io.gfile.stat("a.txt").is_directory,
            tf.io.gfile.stat("a.txt").mtime_nsec > 0,
        )
    )
    ask(lambda: tf.io.gfile.stat("a.txt").length)
    ask(lambda: tf.io.gfile.stat("/nope"))
    ask(lambda: sorted((d, sorted(i), sorted(f)) for d, i, f in tf.io.gfile.walk(".")))
    ask(lambda: sorted((d, sorted(i), sorted(f)) for d, i, f in tf.io.gfile.walk("/nope")))
    ask(
        lambda: sorted(
            (d, sorted(i), sorted(f)) for d, i, f in tf.io.gfile.walk(".", topdown=False)
        )
    )
    ask(lambda: "file" in tf.io.gfile.get_registered_schemes())
    return found


@in_a_new_directory
def handles(tf, np):
    found = []

    def ask(statement):
        found.append(shown(caught(statement)))

    pathlib.Path("a.txt").write_bytes(b"hello\nworld\n")
    os.mkdir("d")
    pathlib.Path("d/x.txt").write_text("x")
    gfile = tf.io.gfile.GFile
    ask(lambda: gfile("a.txt").read())
    ask(lambda: gfile("a.txt", "rb").read())
    ask(lambda: gfile("a.txt").read(3))
    ask(lambda: list(gfile("a.txt")))
    ask(lambda: gfile("a.txt").readlines())
    ask(lambda: gfile("a.txt").readline())
    ask(lambda: gfile("a.txt").size())
    ask(lambda: (gfile("a.txt").name == "a.txt", gfile("a.txt").mode))
    ask(lambda: gfile("/nope").read())
    ask(lambda: gfile(".").read())
    ask(lambda: gfile("a.txt", "x"))
    ask(lambda: gfile("a.txt", "w").read())
    pathlib.Path("a.txt").write_bytes(b"hello\nworld\n")
    ask(lambda: gfile("a.txt", "r").write("a"))
    ask(lambda: gfile("a.txt", "z"))
    g = gfile("new.txt", "w")
    g.write("abc")
    g.write("é")
    g.flush()
    found.append(g.tell())
    g.close()
    ask(lambda: (gfile("new.txt").read(), gfile("new.txt", "rb").read()))
    g = gfile("new.txt", "a")
    g.write("xyz")
    g.close()
    ask(lambda: gfile("new.txt").read())
    g = gfile("new.txt", "wb")
    g.write(b"xyz")
    g.close()
    ask(lambda: gfile("new.txt", "w+").read())
    ask(lambda: gfile("new.txt", "w").write(1))
    ask(lambda: gfile("new.txt", "w").write(b"bytes"))
    ask(lambda: gfile("new.txt", "wb").write("text"))
    ask(lambda: gfile("new.txt", "r").read())
    g = gfile("a.txt")
    g.seek(2)
    found.append((g.read(2), g.tell()))
    g.seek(offset=-3, whence=2)
    found.append(g.read())
    ask(lambda: g.seek(100))
    ask(lambda: g.seek(1, 5))
    ask(lambda: g.seek(-1))
    ask(lambda: g.seek())
    ask(lambda: g.seek(1, 1))

    ask(lambda: g.seekable())
    ask(lambda: gfile("/nope/x", "w").write("a"))
    ask(lambda: gfile("/nope/x", "w").close())
    gfile("nowhere/x", "w")
    return found


def encodings(tf, np):
    found = []

    def ask(statement):
        found.append(shown(caught(statement)))

    ask(lambda: tf.io.decode_raw("abcd", tf.uint8))
    ask(lambda: tf.io.decode_raw(["abcd", "efgh"], tf.int16))
    ask(lambda: tf.io.decode_raw(["abcd", "efgh"], tf.int16, little_endian=False))
    ask(lambda: tf.io.decode_raw(["abcd", "efg"], tf.uint8))
    ask(lambda: tf.io.decode_raw(["abc"], tf.int16))
    ask(lambda: tf.io.decode_raw(["abc", "abcdef"], tf.int16, fixed_length=4))
    ask(lambda: tf.io.decode_raw(["abc"], tf.int16, fixed_length=3))
    ask(lambda: tf.io.decode_raw(["abc"], tf.int16, fixed_length=-2))
    ask(lambda: tf.io.decode_raw([""], tf.int16))
    ask(lambda: tf.io.decode_raw([], tf.int16))
    ask(lambda: tf.io.decode_raw(b"\x01\x00", tf.bool))
    ask(lambda: tf.io.decode_raw(b"\x01\x00", tf.string))
    ask(lambda: tf.io.decode_raw(b"\x00\x00\xc0\x3f" * 2, tf.complex64))
    ask(lambda: tf.io.decode_raw(b"\x00\x3c", tf.float16))
    ask(lambda: tf.io.decode_raw(1, tf.uint8))
    ask(lambda: tf.io.encode_base64(["abc", "a", ""]))
    ask(lambda: tf.io.encode_base64(["abc", "a", ""], pad=True))
    ask(lambda: tf.io.encode_base64(b"\xff\xfe\xfd"))
    ask(lambda: tf.io.decode_base64("YWJj"))
    ask(lambda: tf.io.decode_base64("YQ"))
    ask(lambda: tf.io.decode_base64("YQ=="))
    ask(lambda: tf.io.decode_base64("Y"))
    ask(lambda: tf.io.decode_base64("Y+/"))
    ask(lambda: tf.io.decode_base64("_-8"))
    ask(lambda: tf.io.decode_base64("Y Q"))
    ask(lambda: tf.io.decode_compressed(__import__("zlib").compress(b"abc"), "ZLIB"))
    ask(lambda: tf.io.decode_compressed(__import__("gzip").compress(b"abc"), "GZIP"))
    ask(lambda: tf.io.decode_compressed(["abc"]))
    ask(lambda: tf.io.decode_compressed("abc", "ZLIB"))
    ask(lambda: tf.io.decode_compressed("abc", "FOO"))
    return found


def csv(tf, np):
    found = []

    def ask(statement):
        found.append(shown(caught(statement)))

    csv_ = tf.io.decode_csv
    ask(lambda: csv_("1,2.5,abc", [[0], [0.0], [""]]))
    ask(lambda: csv_(["1,2.5,abc", "2,,x"], [[0], [0.0], ["q"]]))
    ask(lambda: csv_("1,2", [[0]]))
    ask(lambda: csv_("1", [[0], [0]]))
    ask(lambda: csv_("a", [[0]]))
    ask(lambda: csv_("1.5", [[0]]))
    ask(lambda: csv_("a", [[0.0]]))
    ask(lambda: csv_("99999999999", [[0]]))
    ask(lambda: csv_("1;2", [[0], [0]], field_delim=";"))
    ask(lambda: csv_('"a,b",c', [[""], [""]]))
    ask(lambda: csv_('"a""b",c', [[""], [""]]))
    ask(lambda: csv_('"a"x,c', [[""], [""]]))
    ask(lambda: csv_('a"x,c', [[""], [""]]))
    ask(lambda: csv_('"ab,c', [[""], [""]]))
    ask(lambda: csv_('a"x,c', [[""], [""]], use_quote_delim=False))
    ask(lambda: csv_("NA,1", [[5], [6]], na_value="NA"))
    ask(lambda: csv_("1,2,3", [[0]], select_cols=[1]))
    ask(lambda: csv_("1,2,3", [[0], [0]], select_cols=[2, 1]))
    ask(lambda: csv_("1,2,3", [[0], [0]], select_cols=[0, 2]))
    ask(lambda: csv_("1,2,3", [[0], [0]], select_cols=[0, 5]))
    ask(lambda: csv_("1,2,3", [[0]], select_cols=[0, 1]))
    ask(lambda: csv_("1,2,3", [[0]], select_cols=[-1]))
    ask(lambda: csv_("1,2", [0, 0]))
    ask(lambda: csv_("1,2", [[0, 1], [0]]))
    ask(lambda: csv_("1,2", [[[0]], [0]]))
    ask(lambda: csv_("1,2", [[0], [0]], field_delim="ab"))
    ask(lambda: csv_("1,2", [[0], [0]], field_delim='"'))
    ask(lambda: csv_("1,2\n", [[0], [0]]))
    ask(lambda: csv_("1,2\r\n", [[0], [""]]))
    ask(lambda: csv_("a\nb,c", [[""], [""]]))
    ask(lambda: csv_('"a\nb",c', [[""], [""]]))
    ask(lambda: csv_("", [[0]]))
    ask(lambda: csv_("", [[""]]))
    ask(lambda: csv_(" 1 , 2", [[0], [0.0]]))
    ask(lambda: csv_("1,2", [[0], [True]]))
    ask(lambda: csv_("1,2", [[0], [np.float64(2)]]))
    ask(lambda: csv_("1,2", [[0], tf.constant([1], tf.int64)]))
    ask(lambda: csv_([["1,2"], ["3,4"]], [[0], [0]]))
    ask(lambda: csv_([], [[0]]))
    ask(lambda: csv_("1,2", []))
    ask(lambda: csv_(1, [[0]]))
    ask(lambda: csv_("1,2,", [[0], [0], [0]]))
    ask(lambda: csv_(",,", [["a"], ["b"], ["c"]]))
    ask(lambda: csv_("1,,3", [[0], tf.constant([], tf.int32), [0]]))
    ask(lambda: csv_('"",1', [["z"], [0]]))
    ask(lambda: csv_('"1",1', [[1], [0]]))
    ask(lambda: csv_('1,"', [[1], [""]]))
    ask(lambda: csv_("1,2", None))
    ask(lambda: csv_("1 2", [[0], [0]], field_delim=" "))
    ask(lambda: csv_('1,"a" ,3', [[1], [""], [0]]))
    ask(lambda: csv_("1,2", [[0], [0]], na_value=1))
    ask(lambda: csv_("x,y", [["a"], ["b"]], na_value="x"))
    ask(lambda: csv_("nan,inf,-1e3", [[0.0], [0.0], [0.0]]))
    ask(lambda: csv_("1,2", ((0,), (0,))))
    ask(lambda: csv_(["1,2", "3"], [[0], [0]]))
    ask(lambda: csv_(["1,2", "3,4,5"], [[0], [0]]))
    ask(lambda: csv_(["1,2", "b,4"], [[0], [0]]))
    return found


def json_examples(tf, np):
    text = '{"features":{"feature":{"a":{"int64List":{"value":["1"]}}}}}'
    read = tf.train.Example.FromString
    floats = '{"features":{"feature":{"a":{"floatList":{"value":[1.5,"NaN",2]}}}}}'
    return {
        "integers": repr(read(tf.io.decode_json_example(text).numpy())),
        "floats": repr(read(tf.io.decode_json_example([floats]).numpy()[0])),
        "texts": tf.io.decode_json_example(
            '{"features":{"feature":{"a":{"bytesList":{"value":["YWI="]}}}}}'
        ).numpy(),
        "empty": tf.io.decode_json_example("{}").numpy(),
        "class": type(caught(lambda: tf.io.decode_json_example('{"x":1}'))).__name__,
        "type": caught(lambda: tf.io.decode_json_example("{")).name,
    }
