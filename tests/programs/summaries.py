"""Summaries: the events that are written."""

import glob
import os
import pathlib
import struct

from programs.program import answers, caught, in_a_new_directory, shown


def fields(data):
    """The fields of a message: numbers, and varints or bytes."""
    at, found = 0, []

    def varint(at):
        result = shift = 0
        while True:
            byte = data[at]
            result |= (byte & 127) << shift
            at, shift = at + 1, shift + 7
            if byte < 128:
                return result, at

    while at < len(data):
        key, at = varint(at)
        if key & 7 == 0:
            value, at = varint(at)
        else:
            size = {1: 8, 5: 4}.get(key & 7)
            if size is None:
                size, at = varint(at)
            value, at = data[at : at + size], at + size
        found.append((key >> 3, value))
    return found


def events(np, directory):
    """The summaries in a directory: step, tag, plugin, description, dtype, shape and values."""
    found = []
    for path in sorted(glob.glob(os.path.join(directory, "*tfevents*"))):
        data, at = pathlib.Path(path).read_bytes(), 0
        while at < len(data):
            (size,) = struct.unpack_from("<Q", data, at)
            record = dict(fields(data[at + 12 : at + 12 + size]))
            at += size + 16
            if 5 in record:
                found += [summary(np, record.get(2, 0), v) for _, v in fields(record[5])]
    return found


def summary(np, step, data):
    value = dict(fields(data))
    metadata = dict(fields(value.get(9, b"")))
    plugin = dict(fields(metadata.get(1, b""))).get(1, b"")
    tensor = fields(value[8])
    held = dict(tensor)
    shape = [dict(fields(d)).get(1, 0) for _, d in fields(held.get(2, b""))]
    if held[1] == 7:
        values = [
            "PNG" if text.startswith(b"\x89PNG") else text for number, text in tensor if number == 8
        ]
    else:
        dtype = {1: "<f4", 2: "<f8", 3: "<i4", 9: "<i8"}[held[1]]
        values = np.frombuffer(held.get(4, b""), dtype)
    return [step, value[1], plugin, metadata.get(3, b""), held[1], shape, values]


@in_a_new_directory
def scalars(tf, np):
    scalar = tf.summary.scalar
    found = [scalar("none", 1.0, step=0), tf.summary.should_record_summaries()]
    writer = tf.summary.create_file_writer("logs")
    with writer.as_default() as used:
        found += [used is writer, tf.summary.should_record_summaries()]
        found += answers(
            lambda: scalar("x", 1.0),
            lambda: scalar("x", 1, step=3),
            lambda: scalar("x", [1.0, 2.0], step=3),
            lambda: scalar("x", tf.constant(2.5), step=tf.constant(4)),
            lambda: scalar("x", tf.constant(2.5), tf.constant(4, tf.int64), "*said*"),
            lambda: scalar("x", "text", step=3),
            lambda: scalar("x", 1.0, step=1.5),
        )
        with tf.name_scope("outer"):
            scalar("y", np.float64(3.5), step=np.int64(5))
            scalar("y/z", tf.Variable(2.0), step=tf.Variable(5, dtype=tf.int64))
    writer.close()
    writer.close()
    writer.flush()
    found.append(events(np, "logs"))
    with tf.summary.create_noop_writer().as_default():
        found += [scalar("x", 1.0, step=0), tf.summary.should_record_summaries()]
        tf.summary.flush()
    found.append(caught(lambda: tf.summary.create_file_writer(None)))
    found.append(caught(lambda: writer.as_default().__enter__()).name)
    return found


@in_a_new_directory
def histograms(tf, np):
    with tf.summary.create_file_writer("logs").as_default(step=1):
        histogram = tf.summary.histogram
        histogram("many", tf.range(100.0))
        histogram("same", tf.ones([10]), buckets=3)
        histogram("empty", [], buckets=2)
        histogram("integers", [1, 2, 5], buckets=2)
        histogram("none", [1.0], buckets=0)
        histogram("nan", [1.0, float("nan")], buckets=2)
        histogram("matrix", [[1.0, -1.0], [0.0, 7.0]], buckets=4, description="d")
    return events(np, "logs")


@in_a_new_directory
def others(tf, np):
    writer = tf.summary.create_file_writer("logs")
    with writer.as_default(step=2):
        found = answers(
            lambda: tf.summary.text("t", "hello"),
            lambda: tf.summary.text("t", [["a", "b"], ["c", "d"]], description="q"),
            lambda: tf.summary.text("t", 3),
            lambda: tf.summary.image("i", np.full([2, 3, 4, 1], 0.5, np.float32)),
            lambda: tf.summary.image("i", np.full([5, 2, 2, 3], 7, np.uint8), max_outputs=2),
            lambda: tf.summary.image("i", np.ones([3, 4, 1], np.float32)),
            lambda: tf.summary.image("i", np.full([1, 2, 2, 4], 5, np.int32), max_outputs=0),
            lambda: tf.summary.audio("a", np.zeros([1, 8, 1], np.float32), 8000),
            lambda: tf.summary.write("w", tf.constant([1, 2])),
            lambda: tf.summary.write("w", lambda: tf.constant(1.5)),
        )
        tf.summary.experimental.write_raw_pb(tf.constant(b""), step=1)
    return [found, events(np, "logs")]


@in_a_new_directory
def steps(tf, np):
    scalar, experimental = tf.summary.scalar, tf.summary.experimental
    found = [experimental.get_step()]
    with tf.summary.create_file_writer("logs").as_default() as writer:
        experimental.set_step(11)
        found.append(experimental.get_step())
        scalar("set", 1.0)
        step = tf.Variable(20, dtype=tf.int64)
        experimental.set_step(step)
        scalar("variable", 1.0)
        step.assign_add(1)
        scalar("variable", 1.0)
        with writer.as_default(step=99):
            scalar("inner", 1.0)
        found.append(experimental.get_step() is step)
        experimental.set_step(None)
        with experimental.summary_scope("name", "other", values=[1]) as (tag, scope):
            found += [tag, scope]
        with tf.name_scope("o"), experimental.summary_scope("name") as (tag, scope):
            found += [tag, scope]
    other = tf.summary.create_file_writer("more", filename_suffix=".end", max_queue=1)
    other.set_as_default(step=3)
    scalar("last", 1.0)
    tf.summary.flush()
    found += [len(glob.glob("more/*.end")), events(np, "more")]
    tf.summary.create_noop_writer().set_as_default()
    experimental.set_step(None)
    return [found, events(np, "logs")]


@in_a_new_directory
def conditions(tf, np):
    scalar = tf.summary.scalar
    found = []
    step = tf.Variable(0, dtype=tf.int64)
    with tf.summary.create_file_writer("logs").as_default():
        for name, condition in (
            ("false", False),
            ("true", True),
            ("tensor", tf.constant(False)),
            ("function", lambda: True),
            ("tensors", lambda: tf.constant(False)),
        ):
            with tf.summary.record_if(condition):
                found += [tf.summary.should_record_summaries(), scalar(name, 1.0, step=1)]
        with tf.summary.record_if(False):
            found.append(scalar("no step", 1.0))
        with tf.summary.record_if(lambda: tf.equal(0, step % 2)):
            for k in range(4):
                step.assign(k)
                scalar("even", float(k), step=step)
    return [found, events(np, "logs")]


@in_a_new_directory
def functions(tf, np):
    writer = tf.summary.create_file_writer("logs")
    step = tf.Variable(0, dtype=tf.int64)
    traced = []

    @tf.function
    def train(x):
        traced.append(1)
        with writer.as_default():
            with tf.summary.record_if(tf.equal(step % 2, 0)):
                tf.summary.scalar("even", x, step=step)
            tf.summary.scalar("loss", x * 2.0, step=step)
            tf.summary.histogram("weights", x * tf.range(4.0), step=step, buckets=2)
            tf.summary.text("note", "in a function", step=step)
        step.assign_add(1)
        return x

    for k in range(3):
        train(tf.constant(float(k)))

    with writer.as_default():
        v = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            loss = train(v * v)
        gradient = tape.gradient(loss, v)
    return [shown(gradient), len(traced), events(np, "logs")]
