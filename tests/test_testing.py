"""tf.test.TestCase where the answer is not a value: threads, streams, directories, runs."""

import io
import os
import subprocess
import sys
import textwrap
import unittest

import numpy as np
import pytest

import tapefacade as tf
from tapefacade._compat import v1_flags
from tapefacade._testing.test_case import tensorflow_test_case


class Case(tf.test.TestCase):
    def runTest(self):  # noqa: N802 - unittest's name
        pass


def test_a_thread_raises_what_it_has_raised_when_it_is_joined():
    thread = Case().checkedThread(lambda: 1 / 0)
    thread.start()
    with pytest.raises(ZeroDivisionError):
        thread.join()
    assert not thread.is_alive()
    found = []
    thread = Case().checkedThread(found.append, args=(1,))
    thread.start()
    thread.join()
    assert found == [1]


def test_what_is_written_to_a_stream_is_kept(tmp_path):
    case = Case()
    with open(tmp_path / "stream", "w") as stream, case.captureWritesToStream(stream) as captured:
        stream.write("hello")
        with pytest.raises(ValueError, match="when the block that captures them has ended"):
            captured.contents()
    assert captured.contents() == "hello"
    assert (tmp_path / "stream").read_text() == ""


def test_each_test_has_a_directory_of_its_own():
    first, second = Case(), Case()
    assert first.get_temp_dir() == first.get_temp_dir() != second.get_temp_dir()
    for case in (first, second):
        os.rmdir(case.get_temp_dir())


def test_each_test_starts_with_the_same_seed():
    def draw():
        Case().setUp()
        return tf.random.uniform([3]).numpy().tolist()

    assert draw() == draw()


def test_a_session_says_what_to_write():
    with Case().session() as session, pytest.raises(AttributeError) as caught:
        session.run(tf.constant(1))
    assert caught.value.__notes__ == ["Write `self.evaluate(tensors)`."]


def test_tests_are_run_by_unittest():
    class Tests(tf.test.TestCase):
        def test_right(self):
            self.assertAllEqual([1], tf.constant([1]))

        def test_wrong(self):
            self.assertAllClose([1.0], tf.constant([2.0]), msg="a message")

    suite = unittest.defaultTestLoader.loadTestsFromTestCase(Tests)
    result = unittest.TextTestRunner(io.StringIO()).run(suite)
    assert (result.testsRun, len(result.failures), len(result.errors)) == (2, 1, 0)
    assert "a message" in result.failures[0][1]


def test_main_runs_the_tests_of_a_program():
    program = """
import tapefacade as tf
class Test(tf.test.TestCase):
    def test_square(self):
        self.assertAllClose(tf.square([2.0]), [4.0])
tf.test.main()
"""
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert found.returncode == 0
    assert "Ran 1 test" in found.stderr


def test_it_is_a_test_case_of_absl():
    absltest = pytest.importorskip("absl.testing.absltest")
    assert issubclass(tf.test.TestCase, absltest.TestCase)
    assert tf.compat.v1.test.TestCase is tf.test.TestCase
    assert "TestCase" in dir(tf.test)


def test_dictionaries_may_hold_tensors():
    same = Case().assertDictEqual
    same({"a": 1}, {"a": 1})
    same({"a": tf.constant([1.0])}, {"a": np.array([1.0 + 1e-7])})
    same({"a": tf.constant([1])}, {"a": [1]})
    for wrong in ({"a": [2]}, {"b": [1]}, {}):
        with pytest.raises(AssertionError):
            same({"a": tf.constant([1])}, wrong)


def in_a_program(program, *arguments):
    program = f"import tapefacade as tf\n{textwrap.dedent(program)}"
    found = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True
    )
    assert not found.returncode, found.stderr
    return found.stdout.splitlines()


def test_flags_and_programs_of_tensorflow_1():
    program = """
    import sys
    assert not any(name.startswith("absl") for name in sys.modules)
    flags, FLAGS = tf.compat.v1.flags, tf.compat.v1.flags.FLAGS
    flags.DEFINE_string("name", "x", "a text")
    flags.DEFINE_integer(flag_name="size", default_value=3, docstring="a number")
    print(FLAGS.name, FLAGS.size, "name" in FLAGS, FLAGS["name"].help)
    FLAGS.size = 5
    def main(argv):
        print(FLAGS.size, argv[1:])
    tf.compat.v1.app.run()
    """
    lines = in_a_program(program, "--name=y", "file")
    assert lines == ["y 3 True a text", "5 ['file']"]
    program = """
    def main(argv):
        print(argv[1:])
    tf.compat.v1.app.run()
    """
    assert in_a_program(program, "--unknown=1", "file") == ["['--unknown=1', 'file']"]


def test_flags_are_those_of_absl():
    flags = pytest.importorskip("absl.flags")
    assert tf.compat.v1.flags.DEFINE_list is flags.DEFINE_list
    assert "DEFINE_string" in dir(tf.compat.v1.flags)
    assert tf.compat.v1.app.flags is tf.compat.v1.flags
    with pytest.raises(AttributeError, match=r"has no `tf.compat.v1.flags.DEFINE_strin`"):
        _ = tf.compat.v1.flags.DEFINE_strin


def test_what_to_install_is_said(monkeypatch):
    for name in ("absl.testing.absltest", "absl.flags", "absl.app"):
        monkeypatch.setitem(sys.modules, name, None)  # what makes an import fail
    tensorflow_test_case.cache_clear()
    v1_flags._flags.cache_clear()
    v1_flags.flag_name.cache_clear()
    monkeypatch.delitem(vars(tf.test), "TestCase", raising=False)
    for ask in (
        lambda: tf.test.TestCase,
        lambda: tf.test.main([]),
        lambda: tf.compat.v1.flags.DEFINE_string,
        lambda: tf.compat.v1.app.run(print, []),
    ):
        with pytest.raises(ImportError, match=r"`testing` brings: pip install '"):
            ask()


def test_the_code_of_a_function_is_its_own():
    def double(x):
        return x * 2

    assert tf.autograph.to_code(double) == "def double(x):\n    return x * 2\n"


def test_what_this_build_is():
    assert tf.test.is_cpu_target_available("x86_64") in (True, False)
    assert tf.test.is_built_with_gpu_support() in (True, False)
    assert tf.test.experimental.sync_devices() is None


def test_messages_of_protobuf_are_compared():
    message = tf.train.FloatList(value=[1.0, 2.5])
    Case().assertProtoEquals("value: 1.0 value: 2.501", message, relative_tolerance=0.01)
    for expected in ("value: 1.0 value: 2.501", "value: 1.0", tf.train.FloatList(value=[1.0])):
        with pytest.raises(AssertionError, match="value"):
            Case().assertProtoEquals(expected, message, "value")
    with pytest.raises(AssertionError, match="value"):
        Case().assertProtoEquals("value: 1.0", message, "value", relative_tolerance=0.01)
