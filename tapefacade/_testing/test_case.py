"""Tests of programs: `tf.test.TestCase`, `tf.test.main` and the decorators of tests."""

import contextlib
import functools
import os
import platform
import random
import re
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import jax
import numpy as np

from tapefacade._config.devices import list_physical_devices
from tapefacade._core import errors
from tapefacade._core.device_spec import DeviceSpec
from tapefacade._core.optional_imports import optional_module
from tapefacade._core.random_seeds import set_seed
from tapefacade._core.tensor import hinted
from tapefacade._definition.op import function
from tapefacade._testing.value_assertions import ValueAssertions, array_of
from tapefacade._trace.recording import THREAD

MESSAGE_SESSION = (
    "Trying to access properties or call methods on the result of self.session(), "
    "self.cached_session(), etc while eager execution is enabled. If you're porting this test case "
    "to TF 2.0, either adapt the test to work with eager execution or insert a call to "
    "tf.disable_eager_execution() in the main() function of this test file."
)


class Sessions(ValueAssertions):
    """The part of a test case that opens sessions."""

    @contextlib.contextmanager
    def session(
        self, graph: None = None, config: Any = None, use_gpu: bool = True, force_gpu: bool = False
    ) -> Iterator["_NoSession"]:
        """Opens a block for tests that were written for sessions; there is none to use.

        Args:
            graph: ignored.
            config: ignored.
            use_gpu: ignored.
            force_gpu: ignored.
        """
        yield _NoSession()

    @contextlib.contextmanager
    def cached_session(
        self, graph: None = None, config: Any = None, use_gpu: bool = True, force_gpu: bool = False
    ) -> Iterator["FakeEagerSession"]:
        """Opens a block whose session has a method `run` that does what `evaluate` does.

        Args:
            graph: ignored.
            config: ignored.
            use_gpu: ignored.
            force_gpu: ignored.

        >>> with tf.test.TestCase().cached_session() as session:
        ...     session.run([tf.constant(1), tf.constant(2)])
        [np.int32(1), np.int32(2)]
        """
        yield FakeEagerSession(self)


class _NoSession:
    """What a block is given in the place of a session."""

    def __getattr__(self, name: str) -> NoReturn:
        raise hinted(AttributeError(MESSAGE_SESSION), "Write `self.evaluate(tensors)`.")


class FakeEagerSession:  # TensorFlow's name
    """What stands for a session that runs tensors."""

    def __init__(self, case: Sessions) -> None:
        self._case = case

    def run(self, fetches: Any, *args: Any, **kwargs: Any) -> Any:
        """Returns a structure with NumPy values in the place of its tensors.

        Raises:
            RuntimeError: if there are more arguments.
        """
        for given, what in ((kwargs.pop("feed_dict", None), "feed_dict is"), (args or kwargs, "")):
            if given:
                raise RuntimeError(
                    f"{what or 'Optional args are'} not supported when eager execution is enabled "
                    "(in this case, sess.run(t) is shorthand for t.numpy()"
                )
        return self._case.evaluate(fetches)


# ruff: noqa: N802, PT009 - the names and the calls are those of unittest


SEED = 87654321
INCOMPATIBLE = r"Incompatible shapes|Dimensions must be equal|required broadcastable shapes"
PROCESSORS = {
    "x86": ("x86_64", "AMD64", "i386", "i686"),
    "arm": ("aarch64", "arm64", "armv7l"),
    "aarch64": ("aarch64", "arm64"),
    "ppc": ("ppc64le", "ppc64"),
}


class TensorFlowTestCase(Sessions, ValueAssertions):  # TensorFlow's name
    """What `tf.test.TestCase` has beyond the test case of absl that it derives from."""

    _directory: str | None = None

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        if "__test__" not in vars(cls):
            cls.__test__ = True

    def setUp(self) -> None:
        """Seeds the random numbers of Python, NumPy and the package."""
        super().setUp()
        random.seed(SEED)
        np.random.seed(SEED)  # noqa: NPY002 - what programs use
        set_seed(SEED)

    def get_temp_dir(self) -> str:
        """Returns a directory for the files of this test, always the same one."""
        if self._directory is None:
            self._directory = tempfile.mkdtemp(prefix=f"{self.id().rsplit('.', 1)[-1]}-")
        return self._directory

    # What fails.

    @contextlib.contextmanager
    def assertRaisesWithPredicateMatch(
        self, exception_type: Any, expected_err_re_or_predicate: Any
    ) -> Iterator[None]:
        """Fails unless a block raises an exception that is as expected.

        Args:
            exception_type: its class.
            expected_err_re_or_predicate: a function of the exception, or a pattern that its text
                has.
        """
        expected = expected_err_re_or_predicate

        def matches(error: Exception) -> Any:
            text = error.message if isinstance(error, errors.OpError) else str(error)
            return re.search(expected, text)

        try:
            yield
        except Exception as error:
            if isinstance(error, exception_type):
                if (expected if callable(expected) else matches)(error):
                    return
                raise AssertionError(
                    f"Exception of type {type(error)}: {error} does not match {expected!r}."
                ) from error
            raise
        self.fail(f"{exception_type.__name__} not raised")

    def assertRaisesOpError(
        self, expected_err_re_or_predicate: Any
    ) -> contextlib.AbstractContextManager[None]:
        """Fails unless a block raises a `tf.errors.OpError` that is as expected.

        Args:
            expected_err_re_or_predicate: a function of the exception, or a pattern that its text
                has.
        """
        return self.assertRaisesWithPredicateMatch(errors.OpError, expected_err_re_or_predicate)

    def assertRaisesIncompatibleShapesError(
        self, exception_type: Any = errors.InvalidArgumentError
    ) -> contextlib.AbstractContextManager[None]:
        """Fails unless a block raises an error about shapes that do not fit.

        Args:
            exception_type: the class of the error.
        """
        return self.assertRaisesWithPredicateMatch(exception_type, INCOMPATIBLE)

    def assertDeviceEqual(self, device1: str, device2: str, msg: Any = None) -> None:
        """Fails unless two names are of the same device.

        Args:
            device1: a name.
            device2: another one.
            msg: what to say if it fails.
        """
        first, second = [DeviceSpec.from_string(name).to_string() for name in (device1, device2)]
        if first != second:
            self.fail(f"Devices {first} and {second} are not equal. {msg}:")

    def assertDictEqual(  # type: ignore[override]  # the names are TensorFlow's
        self, a: Any, b: Any, msg: Any = None
    ) -> None:
        """Fails unless two dictionaries are equal; floating numbers may differ by a little.

        Args:
            a: a dictionary, of tensors or of anything else.
            b: another one.
            msg: what to say if it fails.
        """
        try:
            super().assertDictEqual(a, b, msg)
        except Exception:  # what arrays raise that are compared, and what the assertion raises
            self.assertCountEqual(a, b)
            for key, value in a.items():
                floating = np.issubdtype(array_of(value).dtype, np.floating)
                same = self.assertAllClose if floating else self.assertAllEqual
                same(value, b[key], msg=key)

    def assertStartsWith(self, actual: Any, expected_start: Any, msg: Any = None) -> None:
        """Fails unless a text begins with another one.

        Args:
            actual: the text.
            expected_start: its beginning.
            msg: what to say if it fails.
        """
        if not actual.startswith(expected_start):
            added = f" : {msg!r}" if msg else ""
            self.fail(f"{actual!r} does not start with {expected_start!r}{added}")

    def assertItemsEqual(self, first: Any, second: Any, msg: Any = None) -> None:
        """Fails unless two iterables have the same items, in any order; see `assertCountEqual`.

        Args:
            first: an iterable.
            second: another one.
            msg: what to say if it fails.
        """
        self.assertCountEqual(first, second, msg)

    # Threads and streams.

    def checkedThread(
        self,
        target: Callable[..., Any],
        args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Any] | None = None,
    ) -> "CheckedThread":
        """Makes a thread whose exception `join` raises.

        Args:
            target: the function that the thread calls.
            args: what to call it with.
            kwargs: what to call it with.
        """
        return CheckedThread(target, args or (), kwargs or {})

    @contextlib.contextmanager
    def captureWritesToStream(self, stream: Any) -> Iterator["CapturedWrites"]:
        """Keeps what a block writes to a stream, whose `contents()` are there after the block.

        Args:
            stream: a stream with a file descriptor, such as `sys.stderr`.
        """
        with tempfile.TemporaryFile() as file:
            stream.flush()
            number = stream.fileno()
            saved = os.dup(number)
            captured = CapturedWrites()
            try:
                os.dup2(file.fileno(), number)
                yield captured
            finally:
                stream.flush()
                os.dup2(saved, number)
                os.close(saved)
                file.seek(0)
                captured._contents = file.read().decode()


DOC = """A test case of absl's with assertions about tensors; each test starts with one seed.

Unlike TensorFlow, it has no assertions about protocol buffers, and no `test_session`.

>>> class SquareTest(tf.test.TestCase):
...     def test_square(self):
...         self.assertAllClose(tf.square([1.0, 2.0]), [1.0, 4.0])
>>> SquareTest("test_square").run().wasSuccessful()
True

See https://www.tensorflow.org/api_docs/python/tf/test/TestCase.
"""
# The example is run as those of other docstrings.
__test__ = {"TestCase": DOC}


def absl(name: str) -> Any:
    """Returns a module of absl that tests need.

    Raises:
        ImportError: if absl-py is not installed.
    """
    return optional_module(f"absl.{name}", "testing", "Tests with `tf.test`", "absl-py")


@functools.cache
def tensorflow_test_case() -> type:
    """Makes the class `tf.test.TestCase`."""
    parts = (TensorFlowTestCase, absl("testing.absltest").TestCase)
    # Without `__test__` pytest would collect the class itself.
    held = {"__doc__": DOC, "__module__": "tapefacade.test", "__test__": False}
    return type("TestCase", parts, held)


class CapturedWrites:
    """What was written to a stream."""

    _contents: str | None = None

    def contents(self) -> str:
        """Returns the text.

        Raises:
            ValueError: within the block that writes.
        """
        if self._contents is None:
            raise ValueError("The writes are known when the block that captures them has ended.")
        return self._contents


class CheckedThread:
    """A thread whose exception is raised by `join`."""

    def __init__(
        self, target: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        self._call = (target, args, kwargs)
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)

    def _run(self) -> None:
        target, args, kwargs = self._call
        try:
            target(*args, **kwargs)
        except BaseException as error:
            self._error = error

    def start(self) -> None:
        """Starts the thread."""
        self._thread.start()

    def join(self) -> None:
        """Waits for the thread, and raises what it has raised."""
        self._thread.join()
        if self._error is not None:
            raise self._error

    def is_alive(self) -> bool:
        """Returns whether the thread runs."""
        return self._thread.is_alive()


@function("test.main")
def main(argv: Any = None) -> None:
    """Runs the tests of the program that calls it, and ends the program.

    Args:
        argv: the arguments of the command line.

    >>> callable(tf.test.main)
    True
    """
    absltest = absl("testing.absltest")
    arguments = sys.argv if argv is None else argv
    absl("app").run(main=lambda left: absltest.main(argv=left), argv=arguments)


@function("test.disable_with_predicate")
def disable_with_predicate(pred: Callable[[], Any], skip_message: str) -> Callable[..., Any]:
    """Makes a decorator that skips a test where a function returns True.

    Args:
        pred: the function; it is asked when the test runs.
        skip_message: why the test is skipped.

    Returns:
        A decorator for the methods of a `tf.test.TestCase`.

    >>> skipped = tf.test.disable_with_predicate(lambda: True, "not here")
    >>> callable(skipped(lambda self: None))
    True
    """

    def decorate(method: Callable[..., Any]) -> Callable[..., Any]:
        def run(self: Any, *args: Any, **kwargs: Any) -> Any:
            if pred():
                self.skipTest(skip_message)
            return method(self, *args, **kwargs)

        return run

    return decorate


@function("test.with_eager_op_as_function")
def with_eager_op_as_function(cls: Any = None, only_as_function: bool = False) -> Any:
    """Returns the class, or the method, that it decorates: ops run in one way only.

    Args:
        cls: the class of tests.
        only_as_function: ignored.

    >>> tf.test.with_eager_op_as_function(int)
    <class 'int'>
    """
    if cls is None:
        return lambda decorated: decorated
    return cls


@function("test.is_built_with_gpu_support")
def is_built_with_gpu_support() -> bool:
    """Returns whether programs run on a GPU.

    >>> tf.test.is_built_with_gpu_support() == (jax.default_backend() == "gpu")
    True
    """
    return bool(list_physical_devices("GPU"))


@function("test.is_built_with_rocm")
def is_built_with_rocm() -> bool:
    """Returns whether programs run on a GPU made by AMD.

    >>> tf.test.is_built_with_rocm()
    False
    """
    return any(device.platform == "rocm" for device in jax.devices())


@function("test.is_built_with_xla")
def is_built_with_xla() -> bool:
    """Returns True: all programs are compiled by XLA.

    >>> tf.test.is_built_with_xla()
    True
    """
    return True


@function("test.is_cpu_target_available")
def is_cpu_target_available(target: str) -> bool:
    """Returns whether programs run on a kind of processor.

    Args:
        target: "x86", "arm", "aarch64" or "ppc".

    >>> tf.test.is_cpu_target_available("x86") != tf.test.is_cpu_target_available("arm")
    True
    """
    return platform.machine() in PROCESSORS.get(target, ())


@function("test.experimental.sync_devices")
def sync_devices() -> None:
    """Waits until all that was asked of the devices is done.

    >>> tf.test.experimental.sync_devices()
    """
    THREAD.recording.flush()
    for device in jax.devices():
        (jax.device_put(0.0, device) + 0.0).block_until_ready()
