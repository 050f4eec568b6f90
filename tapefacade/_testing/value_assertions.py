"""Assertions about the values of tensors, for `tf.test.TestCase`."""

# ruff: noqa: N802, PT009 - the names and the calls are those of unittest

import math
import unittest
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from tapefacade._core import dtypes, nest

Values = Any  # a tensor, an array, a number, or a nest of them


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
    return np.asarray(value)


def _comparable(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return array.astype(np.float32) if array.dtype.kind == "V" else array


if TYPE_CHECKING:
    # The class is mixed into one of absl's, which is imported when it is first needed.
    UnittestCase = unittest.TestCase
else:
    UnittestCase = object


class ValueAssertions(UnittestCase):
    """The assertions about values; tensors are looked at."""

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

    # Closeness.

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
        self.assertEqual(
            a.shape, b.shape, f"Shape mismatch: expected {a.shape}, got {b.shape}. {msg or ''}"
        )
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

    def assertNear(self, f1: float, f2: float, err: float, msg: str | None = None) -> None:
        """Fails unless two numbers differ by `err` at most.

        Args:
            f1: a number.
            f2: another one.
            err: the largest difference.
            msg: what to say if it fails.
        """
        close = f1 == f2 or math.fabs(f1 - f2) <= err
        more = f" ({msg})" if msg is not None else ""
        self.assertTrue(
            close, f"{f1:f} != {f2:f} +/- {err:f} (difference: {math.fabs(f1 - f2)}){more}"
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

    # Equality and order.

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
            f"Shape mismatch: expected {first.shape}, got {second.shape}. {msg or ''}",
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

    # Shapes and dtypes.

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


def _uniform(a: Any, b: Any) -> bool:
    """Whether both sequences make arrays of numbers."""
    try:
        kinds = {array_of(value).dtype.kind for value in (a, b)}
    except (ValueError, TypeError):
        return False
    return kinds <= set("fiubcV")
