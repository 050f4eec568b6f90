"""tf.data: files."""

import contextlib
import gzip
import pathlib
import shutil
import sqlite3
import zlib

from programs.program import answers, caught, in_a_new_directory


def _all(dataset):
    return list(dataset.as_numpy_iterator())


def _records(tf, path, records, compression=None):
    with tf.io.TFRecordWriter(path, compression) as writer:
        for record in records:
            writer.write(record)


@in_a_new_directory
def records(tf, np):
    _records(tf, "one", [b"a", b"", b"ccc"])
    _records(tf, "two", [b"x", b"y"])
    _records(tf, "zipped", [b"z"], "GZIP")
    _records(tf, "deflated", [b"d"], "ZLIB")
    make = tf.data.TFRecordDataset
    names = tf.data.Dataset.from_tensor_slices(["two", "one"])
    return [
        _all(make("one")),
        _all(make(["one", "two"])),
        _all(make(names)),
        repr(make("one")),
        _all(make("zipped", compression_type="GZIP")),
        _all(make("deflated", "ZLIB")),
        _all(make(["one", "two"], num_parallel_reads=2)),
        int(make("one").cardinality()),
        _all(names.interleave(make, cycle_length=2)),
        _all(names.flat_map(make)),
        caught(lambda: list(make("nowhere"))),
        caught(lambda: make(3)),
        _all(make([])),
        isinstance(make("one"), tf.data.Dataset),
        _all(make("one").repeat(2).batch(4)),
        _all(make(pathlib.Path("one"))),
    ]


@in_a_new_directory
def broken_records(tf, np):
    _records(tf, "one", [b"abc", b"def"])
    data = pathlib.Path("one").read_bytes()
    pathlib.Path("cut").write_bytes(data[:-3])
    pathlib.Path("changed").write_bytes(data[:12] + b"z" + data[13:])
    iterator = iter(tf.data.TFRecordDataset("cut"))
    return [
        next(iterator),
        caught(lambda: next(iterator)).name,
        caught(lambda: list(tf.data.TFRecordDataset("changed"))).name,
        _all(tf.data.TFRecordDataset(["cut"]).ignore_errors()),
    ]


@in_a_new_directory
def examples(tf, np):
    def example(number):
        feature = {
            "n": tf.train.Feature(int64_list=tf.train.Int64List(value=[number])),
            "x": tf.train.Feature(float_list=tf.train.FloatList(value=[0.5 * number, 1.0])),
            "t": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"t"])),
        }
        return tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString()

    _records(tf, "examples", [example(n) for n in range(4)])
    features = {
        "n": tf.io.FixedLenFeature([], tf.int64),
        "x": tf.io.FixedLenFeature([2], tf.float32),
        "t": tf.io.FixedLenFeature([], tf.string, "none"),
    }

    def parse(record):
        return tf.io.parse_single_example(record, features)

    dataset = tf.data.TFRecordDataset("examples")
    return [
        _all(dataset.map(parse)),
        _all(dataset.map(parse, num_parallel_calls=2).batch(3)),
        _all(dataset.batch(2).map(lambda r: tf.io.parse_example(r, features)))[0],
        [int(x) for x in dataset.map(parse).map(lambda d: d["n"]).shuffle(4).unique()].__len__(),
    ]


@in_a_new_directory
def lines(tf, np):
    pathlib.Path("one").write_bytes(b"a,1\nb,2\r\n\nlast")
    pathlib.Path("two").write_bytes(b"x\n")
    pathlib.Path("three").write_bytes(b"")
    pathlib.Path("four.gz").write_bytes(gzip.compress(b"g\nh\n"))
    pathlib.Path("five").write_bytes(zlib.compress(b"i\n"))
    make = tf.data.TextLineDataset
    return [
        _all(make("one")),
        _all(make(["one", "two", "three"])),
        _all(make("four.gz", "GZIP")),
        _all(make("five", compression_type="ZLIB")),
        repr(make("one")),
        _all(make("one").skip(1).filter(lambda line: tf.strings.length(line) > 0)),
        caught(lambda: list(make("nowhere"))),
        caught(lambda: make([1, 2])),
        _all(make(["one", "two"], num_parallel_reads=2)),
        _all(make("one").take(2).map(lambda line: tf.io.decode_csv(line, ["", 0])).batch(2)),
    ]


@in_a_new_directory
def pieces(tf, np):
    pathlib.Path("one").write_bytes(b"HEADabcdefT")
    pathlib.Path("two").write_bytes(gzip.compress(b"abcd"))
    make = tf.data.FixedLengthRecordDataset
    return [
        _all(make("one", 2, 4, 1)),
        _all(make("one", 3, header_bytes=4, footer_bytes=1)),
        _all(make("two", 2, compression_type="GZIP")),
        repr(make("one", 2)),
        caught(lambda: list(make("one", 4))),
        _all(make("one", 3, 4, 1).map(lambda r: tf.io.decode_raw(r, tf.uint8))),
    ]


@in_a_new_directory
def listed(tf, np):
    for name in ("b.txt", "a.txt", "c.csv"):
        pathlib.Path(name).write_bytes(name.encode())
    make = tf.data.Dataset.list_files
    tf.random.set_seed(1)
    return [
        _all(make("*.txt", shuffle=False)),
        sorted(_all(make("*.txt"))),
        _all(make("*", seed=3)),
        _all(make(["*.csv", "a*"], shuffle=False)),
        len(make("*.txt")),
        repr(make("*.txt")),
        caught(lambda: make("nowhere/*")),
        _all(make("*.txt", shuffle=False).map(tf.io.read_file)),
        _all(make("*.txt", shuffle=False).interleave(tf.data.TextLineDataset, cycle_length=1)),
    ]


@in_a_new_directory
def images(tf, np):
    for n in range(3):
        image = np.full([4, 5, 3], 10 * n, np.uint8)
        tf.io.write_file(f"{n}.png", tf.io.encode_png(image))

    def load(path):
        image = tf.io.decode_png(tf.io.read_file(path), channels=3)
        image.set_shape([4, 5, 3])
        return tf.image.convert_image_dtype(image, tf.float32), tf.strings.length(path)

    files = tf.data.Dataset.list_files("*.png", shuffle=False)
    dataset = files.map(load, num_parallel_calls=tf.data.AUTOTUNE).batch(2).prefetch(1)
    return [
        [x[0].shape for x in dataset],
        [x[0][:, 0, 0, 0] for x in _all(dataset)],
        repr(files.map(load).element_spec),
    ]


@in_a_new_directory
def kept_in_files(tf, np):
    called = []

    def counted(x):
        called.append(int(x))
        return x + 1

    def made():
        numbers = tf.data.Dataset.range(3)
        return numbers.map(lambda x: tf.py_function(counted, [x], tf.int64)).cache("kept")

    return [_all(made()), _all(made()), sorted(called)]


@in_a_new_directory
def saved(tf, np):
    make = tf.data.Dataset
    dataset = make.from_tensor_slices({"a": [1, 2], "b": (["x", "y"], [[1.0], [2.0]])})
    dataset.save("numbers")
    dataset.save("zipped", compression="GZIP")
    ragged = make.from_tensors((tf.ragged.constant([[1], [2, 3]]), tf.sparse.eye(2)))
    ragged.save("ragged")
    found = next(iter(make.load("ragged")))
    tf.data.experimental.save(make.range(3), "range")
    return [
        _all(make.load("numbers")),
        _all(make.load("zipped", compression="GZIP")),
        sorted(make.load("numbers").element_spec),
        repr(found[0]),
        tf.sparse.to_dense(found[1]),
        _all(tf.data.experimental.load("range")),
        len(make.load("range")),
        caught(lambda: make.load("nowhere")).name,
        _all(make.load("range", element_spec=tf.TensorSpec([], tf.int64))),
    ]


@in_a_new_directory
def snapshots(tf, np):
    called = []

    def counted(x):
        called.append(int(x))
        return x + 1

    numbers = tf.data.Dataset.range(3)
    dataset = numbers.map(lambda x: tf.py_function(counted, [x], tf.int64)).snapshot("shot")
    return [_all(dataset), _all(dataset), sorted(called)]


@in_a_new_directory
def csv_files(tf, np):
    pathlib.Path("a.csv").write_text('id,x,name\n1,2.5,ann\n2,3,bob\n3,,"c, d"\n')
    pathlib.Path("b.csv").write_text("4;1.5\n5;-\n")
    pathlib.Path("c.csv").write_bytes(gzip.compress(b"7,8\n"))
    pathlib.Path("d.csv").write_text("\na\n")
    make = tf.data.experimental.CsvDataset
    kinds = [tf.int32, 0.0, tf.string]
    return [
        _all(make("a.csv", kinds, header=True)),
        repr(make("a.csv", kinds, header=True)),
        caught(lambda: list(make("a.csv", [tf.int32, tf.float32, ""], header=True))),
        _all(make("a.csv", [tf.int32], select_cols=[0], header=True)),
        _all(make("a.csv", [tf.int32, tf.string], exclude_cols=[1], header=True)),
        caught(lambda: list(make("a.csv", [*kinds, ""], header=True))),
        caught(lambda: make("a.csv", [tf.int32, tf.float32], header=True, select_cols=[0])),
        _all(make("b.csv", [[0], [9.0]], field_delim=";", na_value="-")),
        caught(lambda: list(make("d.csv", kinds))),
        _all(make("d.csv", ["none"], select_cols=[0])),
        _all(make("c.csv", [tf.int64, tf.float64], compression_type="GZIP")),
        _all(make("a.csv", kinds, header=True).batch(2)),
    ]


@in_a_new_directory
def made_of_csv_files(tf, np):
    pathlib.Path("a.csv").write_text('id,x,name,n\n1,2.5,ann,1\n2,3,bob,9999999999\n3,,"c, d",2\n')
    pathlib.Path("b.csv").write_text("id,x,name,n\n4,1.5,eve,3\n")
    make = tf.data.experimental.make_csv_dataset
    settings = {"num_epochs": 1, "shuffle": False}
    whole = make("a.csv", 2, **settings)
    return [
        _all(whole),
        [(name, repr(spec)) for name, spec in whole.element_spec.items()],
        type(whole).__name__,
        _all(make(["a.csv", "b.csv"], 2, label_name="x", **settings)),
        _all(make("a.csv", 2, label_name="x", select_columns=["id", "x"], **settings)),
        _all(make("a.csv", 2, select_columns=[0, 2], **settings)),
        _all(make("a.csv", 3, column_names=["p", "q", "r", "s"], **settings)),
        _all(make("b.csv", 1, column_defaults=[tf.int32, 0.0, "", tf.int64], **settings)),
        caught(lambda: make("a.csv", 3, label_name="unknown")),
        int(make("*.csv", 2).cardinality()),
        _all(make("b.csv", 2).take(1)),
        sorted(int(n) for batch in make("*.csv", 1, num_epochs=1) for n in batch["id"]),
    ]


@in_a_new_directory
def examples_in_batches(tf, np):
    space = tf.data.experimental
    features = {
        "a": tf.io.FixedLenFeature([], tf.int64),
        "b": tf.io.FixedLenFeature([], tf.float32, 0.5),
    }
    for name in ("x", "y"):
        with tf.io.TFRecordWriter(f"{name}.records") as writer:
            for number in range(3):
                example = tf.train.Example()
                example.features.feature["a"].int64_list.value.append(number + 3 * (name == "y"))
                writer.write(example.SerializeToString())

    def read(pattern="*.records", size=2, count=4, **kwargs):
        batches = space.make_batched_features_dataset(pattern, size, features, **kwargs)
        return [
            batch["a"] if isinstance(batch, dict) else [batch[0]["b"], batch[1]]
            for batch in batches.take(count)
        ]

    tf.random.set_seed(7)  # for the orders
    texts = tf.data.TFRecordDataset("x.records")
    parse = space.parse_example_dataset(features, num_parallel_calls=2)
    found = answers(
        lambda: read(shuffle=False, num_epochs=1),
        lambda: read(shuffle=False),
        lambda: read(shuffle=False, num_epochs=1, reader_num_threads=2),
        lambda: read(num_epochs=1, shuffle_seed=3),
        lambda: read(num_epochs=1, shuffle_seed=3, size=4, drop_final_batch=True),
        lambda: read("x.records", shuffle=False, num_epochs=1, label_key="a"),
        lambda: read(label_key="c"),
        lambda: list(texts.batch(2).apply(parse)),
        lambda: texts.apply(parse),
        lambda: space.parse_example_dataset(None),
    )
    tf.random.set_seed(None)  # as it was for other programs
    return found


@in_a_new_directory
def datasets_written_to_records(tf, np):
    space, data = tf.data.experimental, tf.data.Dataset.from_tensor_slices(["a", "bc"])

    def written(*args):
        space.TFRecordWriter("records", *args).write(data)
        return list(tf.data.TFRecordDataset("records", *args))

    found = [caught(written), caught(written, "GZIP")]
    for wrong in (["a"], tf.data.Dataset.range(3), data.batch(2)):
        found.append(caught(lambda wrong=wrong: space.TFRecordWriter("r").write(wrong)))
    return [getattr(each, "name", each) for each in found]


def tables_of_datasets(tf, np):
    space, words = tf.data.experimental, tf.data.Dataset.from_tensor_slices(["a", "b", "c"])
    numbers = tf.data.Dataset.range(10, 13)
    pairs, asked = tf.data.Dataset.zip((words, numbers)), tf.constant(["b", "z", "c"])

    def looked_up(make, *args, **kwargs):
        table = make(*args, **kwargs)
        return table.lookup(asked), table.size()

    return answers(
        lambda: tf.lookup.StaticHashTable(space.DatasetInitializer(pairs), -1).lookup(asked),
        lambda: [
            space.DatasetInitializer(pairs).key_dtype,
            space.DatasetInitializer(pairs).dataset,
        ],
        lambda: looked_up(space.table_from_dataset, pairs),
        lambda: looked_up(space.table_from_dataset, pairs, default_value=5),
        lambda: looked_up(space.table_from_dataset, pairs, vocab_size=2),
        lambda: looked_up(space.table_from_dataset, pairs, vocab_size=9),
        lambda: looked_up(space.index_table_from_dataset, words),
        lambda: looked_up(space.index_table_from_dataset, words, num_oov_buckets=5),
        lambda: space.table_from_dataset(words),
        lambda: space.table_from_dataset(tf.data.Dataset.zip((words, words))),
        lambda: space.table_from_dataset(tf.data.Dataset.zip((words.batch(1), numbers))),
        lambda: space.table_from_dataset(pairs, num_oov_buckets=-1),
        lambda: space.table_from_dataset(pairs, vocab_size=0),
        lambda: space.table_from_dataset(pairs, key_dtype=tf.float32),
    )


@in_a_new_directory
def rows_of_databases(tf, np):
    with contextlib.closing(sqlite3.connect("database")) as database:
        database.execute("create table t (a integer, b text, c real, d integer)")
        rows = [(1, "x", 0.5, 1), (2, "12 y", 1.5, 0), (300, None, None, None)]
        database.executemany("insert into t values (?, ?, ?, ?)", rows)
        database.commit()
    shutil.copy("database", "a b?c%20#d")

    def rows_of(columns, *dtypes, driver="sqlite", where=" from t", name="database"):
        query = f"select {columns}{where}"
        dataset = tf.data.experimental.SqlDataset(driver, name, query, dtypes)
        return list(dataset.as_numpy_iterator()), dataset.element_spec, dataset.cardinality()

    return answers(
        lambda: rows_of("a, b, c, d", tf.int32, tf.string, tf.float64, tf.bool)[0],
        lambda: str(rows_of("a, b", tf.int64, tf.string)[1]),
        lambda: rows_of("a", tf.int32)[2],
        lambda: rows_of("a", tf.int8)[0],
        lambda: rows_of("a", tf.uint8)[0],
        lambda: rows_of("a, d", tf.string, tf.uint16)[0],
        lambda: rows_of("b", tf.int32)[0],
        lambda: rows_of("b", tf.float64)[0],
        lambda: rows_of("c", tf.int64)[0],
        lambda: rows_of("a", tf.bool)[0],
        lambda: rows_of("a", tf.int32, where=" from t where a > 999")[0],
        lambda: rows_of("a", tf.int32, name="a b?c%20#d")[0],
        lambda: rows_of("1", tf.int32, where="", name=":memory:")[0],
        lambda: rows_of("1", tf.int32, where="", name="file:database?mode=ro")[0],
        lambda: rows_of("cast(x'61ff' as text)", tf.string, where="")[0],
        lambda: rows_of("x'00ff', x'3132'", tf.string, tf.int32, where="")[0],
        lambda: rows_of("1.0, 1.0 / 3, 1e20, 1e-7", *[tf.string] * 4, where="")[0],
        lambda: rows_of("9e999, -9e999, 1e19, 5e18", *[tf.int64] * 4, where="")[0],
        lambda: rows_of("9e999, 1e10", tf.int32, tf.int32, where="")[0],
        lambda: rows_of("9e999, -9e999, 9223372036854775807", *[tf.float64] * 3, where="")[0],
        lambda: rows_of("'99999999999999999999', '1e3', '-7z'", *[tf.int64] * 3, where="")[0],
        lambda: rows_of("' 1e3', '.5', '1e400', '0x10'", *[tf.float64] * 4, where="")[0],
        lambda: rows_of("0.5, '0.5', '1', 'x', 2, -1", *[tf.bool] * 6, where="")[0],
        lambda: rows_of("c", tf.float32),
        lambda: rows_of("a, b", tf.int32),
        lambda: rows_of("a", tf.int32, driver="mysql"),
    )
