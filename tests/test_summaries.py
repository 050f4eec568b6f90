"""Summaries: files of their own, threads, the ends of programs, and what is compiled."""

import glob
import struct
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest
from programs.summaries import events

import tapefacade as tf
from tapefacade._trace.execution import STATISTICS


def test_writers_in_one_directory_have_files_of_their_own(tmp_path):
    for k in range(3):
        with tf.summary.create_file_writer(tmp_path).as_default():
            tf.summary.scalar("x", float(k), step=k)
    assert len(glob.glob(str(tmp_path / "events.out.tfevents.*"))) == 3
    assert sorted(step for step, *_ in events(np, tmp_path)) == [0, 1, 2]


def test_threads_write_whole_events(tmp_path):
    writer = tf.summary.create_file_writer(tmp_path)
    assert isinstance(writer, tf.summary.SummaryWriter)

    def write(k):
        with writer.as_default():
            for step in range(50):
                tf.summary.scalar(f"x{k}", float(step), step=step)

    threads = [threading.Thread(target=write, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    writer.close()
    found = events(np, tmp_path)
    assert len(found) == 200
    assert tf.summary.should_record_summaries().numpy() == False  # noqa: E712


def test_what_is_written_is_there_when_the_program_ends(tmp_path):
    program = textwrap.dedent(f"""
        import tapefacade as tf
        writer = tf.summary.create_file_writer({str(tmp_path)!r})
        writer.set_as_default()
        tf.summary.scalar("x", 1.0, step=1)
    """)
    subprocess.run([sys.executable, "-c", program], check=True, timeout=120)
    assert [step for step, *_ in events(np, tmp_path)] == [1]


def test_a_function_with_summaries_compiles_once(tmp_path):
    writer = tf.summary.create_file_writer(tmp_path)

    @tf.function
    def step(x, k):
        tf.summary.scalar("loss", tf.reduce_sum(x), step=k)
        tf.summary.histogram("x", x, step=k)
        return x + 1.0

    with writer.as_default():
        x = step(tf.ones([3]), tf.constant(0, tf.int64))
        x = step(x, tf.constant(1, tf.int64))
        before = STATISTICS.compiled
        for k in range(2, 5):
            x = step(x, tf.constant(k, tf.int64))
        assert STATISTICS.compiled == before
    found = events(np, tmp_path)
    losses = [float(values[0]) for _, tag, *_, values in found if tag == b"loss"]
    assert losses == [3.0, 6.0, 9.0, 12.0, 15.0]
    assert [step for step, tag, *_ in found if tag == b"x"] == [0, 1, 2, 3, 4]


def test_a_summary_under_a_tape_is_written_once(tmp_path):
    v = tf.Variable(2.0)

    @tf.function
    def loss():
        value = v * v
        tf.summary.scalar("loss", value, step=0)
        return value

    with tf.summary.create_file_writer(tmp_path).as_default():
        for _ in range(3):
            with tf.GradientTape() as tape:
                value = loss()
            assert tape.gradient(value, v).numpy() == 4.0
    assert len(events(np, tmp_path)) == 3


def test_a_default_writer_that_is_closed_writes_nothing(tmp_path):
    writer = tf.summary.create_file_writer(tmp_path)
    with writer.as_default():
        writer.close()
        tf.summary.scalar("x", 1.0, step=0)
    assert events(np, tmp_path) == []


def test_a_writer_that_is_closed_is_named(tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path))
    assert repr(writer) == f"<tf.summary.SummaryWriter of {str(tmp_path)!r}>"
    writer.close()
    with pytest.raises(RuntimeError, match=r"SummaryWriter .* is already closed"):
        writer.set_as_default()


def test_what_is_no_number_is_refused_without_a_writer():
    with pytest.raises(tf.errors.UnimplementedError, match="Cast string to float"):
        tf.summary.scalar("loss", "b", step=0)
    with pytest.raises(TypeError, match="expected string or bytes-like object, got 'int'"):
        tf.summary.scalar(3, 1.0)
    assert not tf.summary.scalar("loss", 1.0)


def test_without_tensorboardx_there_is_an_error_that_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "tensorboardX.event_file_writer", None)
    with pytest.raises(ImportError, match=r"`summary` brings: pip install '"):
        tf.summary.create_file_writer(tmp_path)


def test_what_is_absent_is_named():
    with pytest.raises(AttributeError, match=r"tapefacade has no `tf.summary.graph`"):
        tf.summary.graph()


def test_traces_are_profiles(tmp_path, caplog):
    with pytest.raises(ValueError, match=r"Must enable trace before export through tf\.summary"):
        tf.summary.trace_export("nothing")
    tf.summary.trace_on(profiler=True)
    tf.summary.trace_off()
    tf.summary.trace_on()
    tf.summary.trace_on()
    assert "Trace already enabled" in caplog.text
    tf.summary.trace_off()
    tf.summary.trace_on(profiler=True, profiler_outdir=str(tmp_path))
    tf.sin(1.0).numpy()
    tf.summary.trace_export("sines")
    assert list(tmp_path.rglob("*.xplane.pb"))


def graphs_in(directory):
    """The graphs in the summaries of a directory, with tags and steps."""
    from tensorboardX.proto import event_pb2, graph_pb2

    found = []
    for path in sorted(directory.iterdir()):
        data = path.read_bytes()
        while data:
            (size,) = struct.unpack("<Q", data[:8])
            event, data = event_pb2.Event.FromString(data[12 : 12 + size]), data[16 + size :]
            for value in event.summary.value:
                plugin = value.metadata.plugin_data
                assert (plugin.plugin_name, plugin.content) == ("graph_run_metadata_graph", b"1")
                message, graphs = value.tensor.string_val[0], []
                while message:  # RunMetadata: its `partition_graphs` are field 3
                    field, size, shift, place = message[0] >> 3, 0, 0, 1
                    while True:
                        byte = message[place]
                        size, shift, place = size | (byte & 0x7F) << shift, shift + 7, place + 1
                        if byte < 0x80:
                            break
                    content, message = message[place : place + size], message[place + size :]
                    if field == 3:
                        graphs.append(graph_pb2.GraphDef.FromString(content))
                found.append((value.tag, event.step, graphs))
    return found


# TensorFlow 2.21 reads the same nodes from the file, and TensorBoard 2.21 lists the tag as a graph.
NODES = [
    ("input_0", "Placeholder", []),
    ("input_1", "Placeholder", []),
    ("LINE_1/tf.linalg.matmul", "MatMul", ["input_0", "input_1"]),
    ("LINE_2/tf.nn.relu", "Relu", ["LINE_1/tf.linalg.matmul"]),
    ("LINE_2/tf.math.reduce_sum", "Sum", ["LINE_2/tf.nn.relu"]),
]


def test_programs_that_run_are_graphs_of_tensorboard(tmp_path):
    weight = tf.Variable([[1.0], [2.0]])

    @tf.function
    def network(x):
        y = x @ weight
        return tf.reduce_sum(tf.nn.relu(y))

    first = network.python_function.__code__.co_firstlineno + 2
    x = tf.constant([[3.0, 4.0]])
    writer = tf.summary.create_file_writer(str(tmp_path))
    with writer.as_default():
        tf.summary.trace_on()
        network(x).numpy()
        network(x).numpy()
        tf.summary.trace_export("network", step=7)
        network(x).numpy()  # is no part of a trace
        tf.summary.trace_on()
        with tf.GradientTape() as tape:
            y = network(x) * 2.0
        tape.gradient(y, weight).numpy()
        tf.summary.experimental.set_step(8)
        tf.summary.trace_export("gradient")
        tf.summary.experimental.set_step(None)
        tf.summary.trace_on()
        with pytest.raises(ValueError, match="No step set"):
            tf.summary.trace_export("no step")
        tf.summary.trace_off()
    tf.summary.trace_on()
    tf.summary.trace_export("no writer")
    writer.close()
    (tag, step, graphs), (other, later, gradients) = graphs_in(tmp_path)
    assert (tag, step, other, later) == ("network", 7, "gradient", 8)
    names = {f"LINE_{n}": f"test_summaries.py_line_{first + n - 1}" for n in (1, 2)}

    def renamed(text):
        for short, full in names.items():
            text = text.replace(short, full)
        return text

    wanted = [(renamed(n), kernel, list(map(renamed, inputs))) for n, kernel, inputs in NODES]
    assert wanted in [[(n.name, n.op, list(n.input)) for n in graph.node] for graph in graphs]
    node = next(n for graph in graphs for n in graph.node if n.op == "MatMul")
    assert node.attr["line"].s.decode() == f"test_summaries.py:{first}  y = x @ weight"
    assert node.attr["T"].type == 1
    assert [d.size for d in node.attr["_output_shapes"].list.shape[0].dim] == [1, 1]
    inner = [n.name for graph in gradients for n in graph.node if "gradient/" in n.name]
    assert any(name.endswith("tf.linalg.matmul") for name in inner)
    every = [n.name for graph in gradients for n in graph.node]
    assert len(every) >= len(set(every)) > 0
