"""Tests of programs: `tf.test.TestCase`, `tf.test.main` and the decorators of tests."""

# ruff: noqa: N802, PT009 - the names and the calls are those of unittest

import contextlib
import functools
import math
import os
import platform
import random
import re
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NoReturn

import jax
import numpy as np

from tapefacade._config.devices import list_physical_devices
from tapefacade._core import dtypes, errors, nest
from tapefacade._core.device_spec import DeviceSpec
from tapefacade._core.missing_members import NO_SESSION, lacks
from tapefacade._core.optional_imports import optional_module
from tapefacade._core.random_seeds import set_seed
from tapefacade._core.tensor import hinted
from tapefacade._definition.op import function
from tapefacade._trace.recording import THREAD

Values = Any  # a tensor, an array, a number, or a nest of them
MESSAGE_SESSION = (
    "Trying to access properties or call methods on the result of self.session(), "
    "self.cached_session(), etc while eager execution is enabled. If you're porting this test case "
    "to TF 2.0, either adapt the test to work with eager execution or insert a call to "
    "tf.disable_eager_execution() in the main() function of this test file."
)


RANDOM_SEED = 87654321
INCOMPATIBLE_SHAPES_PATTERN = (
    r"Incompatible shapes|Dimensions must be equal|required broadcastable shapes"
)
PROCESSORS = {
    "x86": ("x86_64", "AMD64", "i386", "i686"),
    "arm": ("aarch64", "arm64", "armv7l"),
    "aarch64": ("aarch64", "arm64"),
    "ppc": ("ppc64le", "ppc64"),
}


class _NoSession:
    """What a block is given in the place of a session."""

    def __getattr__(self, name: str) -> NoReturn:
        raise hinted(AttributeError(MESSAGE_SESSION), "Write `self.evaluate(tensors)`.")


class FakeEagerSession:  # TensorFlow's name
    """What stands for a session that runs tensors."""

    def __init__(self, case: "TensorFlowTestCase") -> None:
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


def evaluated(tensors: Any) -> Any:
    """Returns a structure with NumPy values in the place of its tensors.

    Raises:
        ValueError: if it holds something else.
    """
    if callable(tensors):
        return evaluated(tensors())
    return nest.map_structure(_evaluated, tensors)


def _evaluated(tensor: Any) -> Any:
    if tensor is None:
        return None
    if callable(tensor):
        return evaluated(tensor())
    if hasattr(tensor, "_evaluated"):
        return tensor._evaluated()
    if not hasattr(tensor, "numpy"):
        raise ValueError(f"Unsupported type '{type(tensor).__name__}'.")
    return tensor.numpy()


def array_of(value: Any) -> np.ndarray[Any, Any]:
    """Returns a value as an array."""
    if hasattr(value, "numpy"):
        value = value.numpy()
    elif isinstance(value, list | tuple) and any(hasattr(v, "numpy") for v in nest.flatten(value)):
        value = nest.map_structure(lambda v: v.numpy() if hasattr(v, "numpy") else v, value)
    try:
        return np.asarray(value)
    except ValueError as error:
        if "inhomogeneous shape" not in str(error):
            raise
        return np.asarray(value, object)  # lists of different lengths


def _comparable(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return array.astype(np.float32) if array.dtype.kind == "V" else array


if TYPE_CHECKING:
    import unittest

    # The class is mixed into one of absl's, which is imported when it is first needed.
    UnittestCase = unittest.TestCase
else:
    UnittestCase = object


def _shapes_differ(first: Any, second: Any, message: Any) -> str:
    return f"Shape mismatch: expected {first.shape}, got {second.shape}. {message or ''}"


@lacks(
    {
        "test_session": NO_SESSION,
        "assertProtoEqualsVersion": "Write `assertProtoEquals`: there are no versions of graphs.",
    }
)
class TensorFlowTestCase(UnittestCase):  # TensorFlow's name
    """What `tf.test.TestCase` has beyond the test case of absl that it derives from."""

    _directory: str | None = None

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        if "__test__" not in vars(cls):
            cls.__test__ = True

    def setUp(self) -> None:
        """Seeds the random numbers of Python, NumPy and the package."""
        super().setUp()
        random.seed(RANDOM_SEED)
        np.random.seed(RANDOM_SEED)  # noqa: NPY002 - what programs use
        set_seed(RANDOM_SEED)

    def get_temp_dir(self) -> str:
        """Returns a directory for the files of this test, always the same one."""
        if self._directory is None:
            self._directory = tempfile.mkdtemp(prefix=f"{self.id().rsplit('.', 1)[-1]}-")
        return self._directory

    # Values of tensors.

    def evaluate(self, tensors: Values) -> Any:
        """Returns a structure with NumPy values in the place of its tensors.

        Args:
            tensors: a structure of tensors, or a function that returns one.

        Raises:
            ValueError: if it holds something else.

        >>> tf.test.TestCase().evaluate([tf.constant(1), tf.constant(2)])
        [np.int32(1), np.int32(2)]
        """
        return evaluated(tensors)

    def evaluate_if_both_tensors(self, a: Values, b: Values) -> tuple[Any, Any]:
        """Returns both values as they are: every tensor has a value.

        Args:
            a: a value.
            b: another one.
        """
        return a, b

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

    # Assertions about values.

    def assertAllClose(
        self, a: Values, b: Values, rtol: float = 1e-6, atol: float = 1e-6, msg: str | None = None
    ) -> None:
        """Fails unless two values, or all values of two structures, are close; NaN is to NaN.

        Args:
            a: a value, or a structure of values.
            b: another one.
            rtol: the relative tolerance.
            atol: the absolute tolerance.
            msg: what to say if it fails.

        Raises:
            ValueError: if one is a dictionary and the other is none.

        >>> tf.test.TestCase().assertAllClose(tf.constant([1.0, 2.0]), [1.0, 2.0])
        """
        self._close(a, b, rtol, atol, "", msg)

    def _close(self, a: Any, b: Any, rtol: float, atol: float, path: str, msg: Any) -> None:
        if hasattr(a, "_asdict"):
            a = a._asdict()
        if hasattr(b, "_asdict"):
            b = b._asdict()
        shown = (f"a{path}", f"b{path}")
        if isinstance(a, Mapping) != isinstance(b, Mapping):
            raise ValueError("Can't compare dict to non-dict, {} vs {}.".format(*shown))
        if isinstance(a, Mapping):
            keys = "mismatched keys: {} has keys {}, but {} has keys {}. {}"
            text = keys.format(shown[0], a.keys(), shown[1], b.keys(), msg)
            self.assertCountEqual(a.keys(), b.keys(), msg=text)
            for key in a:
                self._close(a[key], b[key], rtol, atol, f"{path}[{key}]", msg)
            return
        if isinstance(a, list | tuple) and isinstance(b, list | tuple) and not _uniform(a, b):
            self.assertEqual(len(a), len(b), f"Mismatched length: {shown} {msg}")
            for i, (first, second) in enumerate(zip(a, b, strict=True)):
                self._close(first, second, rtol, atol, f"{path}[{i}]", msg)
            return
        self._arrays_close(array_of(a), array_of(b), rtol, atol, msg)

    def _arrays_close(self, a: Any, b: Any, rtol: float, atol: float, msg: Any) -> None:
        self.assertEqual(a.shape, b.shape, _shapes_differ(a, b, msg))
        np.testing.assert_allclose(
            _comparable(b), _comparable(a), rtol=rtol, atol=atol, err_msg=msg or "", equal_nan=True
        )

    def assertAllCloseAccordingToType(
        self,
        a: Values,
        b: Values,
        rtol: float = 1e-6,
        atol: float = 1e-6,
        float_rtol: float = 1e-6,
        float_atol: float = 1e-6,
        half_rtol: float = 1e-3,
        half_atol: float = 1e-3,
        bfloat16_rtol: float = 1e-2,
        bfloat16_atol: float = 1e-2,
        msg: str | None = None,
    ) -> None:
        """Fails unless two values are as close as their dtypes allow.

        Args:
            a: a value.
            b: another one.
            rtol: the relative tolerance.
            atol: the absolute tolerance.
            float_rtol: the least relative tolerance if one is float32 or complex64.
            float_atol: the least absolute tolerance if one is float32 or complex64.
            half_rtol: the least relative tolerance if one is float16.
            half_atol: the least absolute tolerance if one is float16.
            bfloat16_rtol: the least relative tolerance if one is bfloat16.
            bfloat16_atol: the least absolute tolerance if one is bfloat16.
            msg: what to say if it fails.
        """
        first, second = array_of(a), array_of(b)
        kinds = {first.dtype.name, second.dtype.name}
        for names, relative, absolute in (
            (("float32", "complex64"), float_rtol, float_atol),
            (("float16",), half_rtol, half_atol),
            (("bfloat16",), bfloat16_rtol, bfloat16_atol),
        ):
            if kinds.intersection(names):
                rtol, atol = max(rtol, relative), max(atol, absolute)
        self._arrays_close(first, second, rtol, atol, msg)

    def assertNotAllClose(
        self, a: Values, b: Values, rtol: float = 1e-6, atol: float = 1e-6, msg: str | None = None
    ) -> None:
        """Fails if two values are close.

        Args:
            a: a value.
            b: another one.
            rtol: the relative tolerance.
            atol: the absolute tolerance.
            msg: what to say if it fails.
        """
        try:
            self.assertAllClose(a, b, rtol=rtol, atol=atol, msg=msg)
        except AssertionError:
            return
        raise AssertionError(f"The two values are close at all elements. {msg or ''}".rstrip())

    def assertNear(self, f1: Any, f2: Any, err: float, msg: str | None = None) -> None:
        """Fails unless two numbers differ by `err` at most.

        Args:
            f1: a number, or an array of one.
            f2: another one.
            err: the largest difference.
            msg: what to say if it fails.
        """
        f1, f2 = np.squeeze(f1), np.squeeze(f2)
        if f1 != f2:  # infinite numbers have no difference
            difference = math.fabs(f1 - f2)
            more = f" ({msg})" if msg is not None else ""
            self.assertTrue(
                difference <= err,
                f"{f1.item():f} != {f2.item():f} +/- {err:f} (difference: {difference:g}){more}",
            )

    def assertArrayNear(
        self, farray1: Any, farray2: Any, err: float, msg: str | None = None
    ) -> None:
        """Fails unless the numbers of two sequences differ by `err` at most.

        Args:
            farray1: a sequence of numbers.
            farray2: another one.
            err: the largest difference.
            msg: what to say if it fails.
        """
        self.assertEqual(len(farray1), len(farray2), msg=msg)
        for f1, f2 in zip(farray1, farray2, strict=True):
            self.assertNear(float(f1), float(f2), err, msg=msg)

    def assertNDArrayNear(
        self, ndarray1: Any, ndarray2: Any, err: float, msg: str | None = None
    ) -> None:
        """Fails unless the distance of two arrays is smaller than `err`.

        Args:
            ndarray1: an array.
            ndarray2: another one.
            err: the largest distance.
            msg: what to say if it fails.
        """
        self.assertTrue(np.linalg.norm(array_of(ndarray1) - array_of(ndarray2)) < err, msg=msg)

    def assertAllEqual(self, a: Values, b: Values, msg: str | None = None) -> None:
        """Fails unless two values are equal, element by element; NaN is equal to NaN.

        Args:
            a: a value.
            b: another one.
            msg: what to say if it fails.

        >>> tf.test.TestCase().assertAllEqual(tf.range(3), [0, 1, 2])
        """
        first, second = array_of(a), array_of(b)
        self.assertEqual(
            first.shape,
            second.shape,
            _shapes_differ(first, second, msg),
        )
        np.testing.assert_array_equal(_comparable(second), _comparable(first), err_msg=msg or "")

    def assertNotAllEqual(self, a: Values, b: Values, msg: str | None = None) -> None:
        """Fails if two values are equal.

        Args:
            a: a value.
            b: another one.
            msg: what to say if it fails.
        """
        try:
            self.assertAllEqual(a, b)
        except AssertionError:
            return
        raise AssertionError(f"The two values are equal at all elements. {msg or ''}".rstrip())

    def assertAllGreater(self, a: Values, comparison_target: Any) -> None:
        """Fails unless all elements are greater than a number.

        Args:
            a: a value.
            comparison_target: the number.
        """
        self.assertGreater(np.min(array_of(a)), comparison_target)

    def assertAllGreaterEqual(self, a: Values, comparison_target: Any) -> None:
        """Fails unless all elements are at least a number.

        Args:
            a: a value.
            comparison_target: the number.
        """
        self.assertGreaterEqual(np.min(array_of(a)), comparison_target)

    def assertAllLess(self, a: Values, comparison_target: Any) -> None:
        """Fails unless all elements are less than a number.

        Args:
            a: a value.
            comparison_target: the number.
        """
        self.assertLess(np.max(array_of(a)), comparison_target)

    def assertAllLessEqual(self, a: Values, comparison_target: Any) -> None:
        """Fails unless all elements are at most a number.

        Args:
            a: a value.
            comparison_target: the number.
        """
        self.assertLessEqual(np.max(array_of(a)), comparison_target)

    def assertAllInRange(
        self,
        target: Values,
        lower_bound: Any,
        upper_bound: Any,
        open_lower_bound: bool = False,
        open_upper_bound: bool = False,
    ) -> None:
        """Fails unless all elements are in a range.

        Args:
            target: a value.
            lower_bound: the lower end of the range.
            upper_bound: the upper end of the range.
            open_lower_bound: whether the lower end is outside.
            open_upper_bound: whether the upper end is outside.
        """
        array = array_of(target)
        if array.dtype.kind not in "fiuV":
            raise AssertionError(
                f"The value of {target} does not have an ordered numeric type, instead it has "
                f"type: {array.dtype}"
            )
        low = array <= lower_bound if open_lower_bound else array < lower_bound
        high = array >= upper_bound if open_upper_bound else array > upper_bound
        bad = np.argwhere(low | high | (array != array))
        if bad.size or (array.ndim == 0 and bool(low | high)):
            opening, closing = "(" if open_lower_bound else "[", ")" if open_upper_bound else "]"
            shown = "\n".join(f"  {list(at)} {array[tuple(at)]}" for at in bad[:100])
            raise AssertionError(
                f"{len(bad)} of the {array.size} element(s) are outside the range {opening}"
                f"{lower_bound}, {upper_bound}{closing}. Subscript(s) and value(s) of the "
                f"offending elements:\n{shown}"
            )

    def assertAllInSet(self, target: Values, expected_set: Any) -> None:
        """Fails unless all elements are among some values.

        Args:
            target: a value.
            expected_set: the values.
        """
        found = set(array_of(target).ravel().tolist())
        if others := sorted(found - set(expected_set)):
            raise AssertionError(
                f"{len(others)} unique element(s) are not in the set {expected_set}: {others}"
            )

    def assertShapeEqual(self, input_a: Any, input_b: Any, msg: str | None = None) -> None:
        """Fails unless two arrays or tensors have the same shape.

        Args:
            input_a: an array or tensor.
            input_b: another one.
            msg: what to say if it fails.

        Raises:
            TypeError: if one of them is neither.
        """
        for name, value in (("input_a", input_a), ("input_b", input_b)):
            if not isinstance(value, np.ndarray | np.generic) and not hasattr(value, "numpy"):
                raise TypeError(
                    f"{name} must be a Numpy ndarray, Numpy scalar, or a Tensor.Instead received "
                    f"{type(value)}"
                )
        self.assertAllEqual(list(input_a.shape), list(input_b.shape), msg=msg)

    def assertDTypeEqual(self, target: Any, expected_dtype: Any) -> None:
        """Fails unless a value has a dtype.

        Args:
            target: a tensor, an array or a list of numbers.
            expected_dtype: a NumPy dtype, or its name.
        """
        found = array_of(target).dtype
        if isinstance(expected_dtype, dtypes.DType):
            expected_dtype = expected_dtype.as_numpy_dtype
        self.assertEqual(found, expected_dtype)

    # Assertions about errors, devices and containers.

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
        except Exception as error:  # of the block: its class is compared
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
        return self.assertRaisesWithPredicateMatch(exception_type, INCOMPATIBLE_SHAPES_PATTERN)

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

    def assertItemsEqual(self, first: Any, second: Any, msg: Any = None) -> None:
        """Fails unless two iterables have the same items, in any order; see `assertCountEqual`.

        Args:
            first: an iterable.
            second: another one.
            msg: what to say if it fails.
        """
        self.assertCountEqual(first, second, msg)

    def assertProtoEquals(
        self,
        expected_message_maybe_ascii: Any,
        validate_message: Any,
        msg: str | None = None,
        relative_tolerance: float | None = None,
    ) -> None:
        """Fails unless two messages of Protocol Buffers are equal.

        Args:
            expected_message_maybe_ascii: a message, or the text of one.
            validate_message: a message.
            msg: what to say if it fails.
            relative_tolerance: by which part floating-point numbers may differ.
        """
        library = optional_module("google.protobuf.text_format", "records", "Messages", "protobuf")
        expected = expected_message_maybe_ascii
        if isinstance(expected, str):
            expected = library.Parse(expected, type(validate_message)())
        self.assertIs(type(expected), type(validate_message), msg)
        found, wanted = (str(message) for message in (validate_message, expected))
        if relative_tolerance is None:
            self.assertMultiLineEqual(wanted, found, msg)
            return
        number = re.compile(r"(?<=: )-?[0-9][0-9.e+-]*$", re.MULTILINE)
        self.assertMultiLineEqual(number.sub("0", wanted), number.sub("0", found), msg)
        for one, other in zip(number.findall(wanted), number.findall(found), strict=True):
            self.assertTrue(math.isclose(float(one), float(other), rel_tol=relative_tolerance), msg)

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
        except BaseException as error:  # `join` raises it
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


def _uniform(a: Any, b: Any) -> bool:
    """Whether both sequences make arrays of numbers."""
    try:
        kinds = {array_of(value).dtype.kind for value in (a, b)}
    except (ValueError, TypeError):
        return False
    return kinds <= set("fiubcV")
