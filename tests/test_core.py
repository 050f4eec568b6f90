"""Types, shapes, errors and nested structures do what TensorFlow's do."""

import json
import pickle
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from cases_core import BASIC, CASES, EXPERIMENTAL, NAMES, outcome

from tapefacade._core import dtypes, errors, nest, tensor_shape

GOLDENS = json.loads((Path(__file__).parent / "goldens" / "core.json").read_text())

TF = SimpleNamespace(
    **{name: getattr(dtypes, name) for name in BASIC},
    DType=dtypes.DType,
    as_dtype=dtypes.as_dtype,
    dtypes=SimpleNamespace(
        QUANTIZED_DTYPES=dtypes.QUANTIZED_DTYPES,
        as_dtype=dtypes.as_dtype,
        experimental=SimpleNamespace(**{name: getattr(dtypes, name) for name in EXPERIMENTAL}),
    ),
    TensorShape=tensor_shape.TensorShape,
    errors=errors,
    nest=nest,
)


@pytest.mark.parametrize("expression", CASES)
def test_expression(expression):
    got = outcome(expression, NAMES | {"tf": TF})
    assert {key: as_in_python_3_11(text) for key, text in got.items()} == GOLDENS[expression]


def as_in_python_3_11(text: str) -> str:
    """Later versions of Python show two collections in another way."""
    text = text.replace("has type deque", "has type collections.deque")
    return re.sub(r"OrderedDict\(\{(.*?)\}\)", _pairs, text)


def _pairs(match: re.Match) -> str:
    dots = match[1].replace(": .", ": '.'")  # what stands for a leaf in an error
    return f"OrderedDict({list(eval(f'{{{dots}}}').items())})".replace("'.'", ".")


def test_every_golden_has_a_case():
    assert set(GOLDENS) == set(CASES)
    assert len(CASES) == len(set(CASES))


ALL_DTYPES = list(dtypes._BY_ENUM.values())


@pytest.mark.parametrize("dtype", ALL_DTYPES, ids=str)
def test_from_numpy_inverts_as_numpy_dtype(dtype):
    if dtype.is_numpy_compatible:
        assert dtypes.from_numpy(np.dtype(dtype.as_numpy_dtype)) is dtype
        assert dtype._numpy == np.dtype(dtype.as_numpy_dtype)
    else:
        assert dtype._numpy is None


@pytest.mark.parametrize("code", [">f4", "=i8", "S5", "U2"])
def test_from_numpy_knows_byte_orders_and_text(code):
    assert dtypes.from_numpy(np.dtype(code)) is dtypes.as_dtype(np.dtype(code))


def test_from_numpy_refuses_a_type_tensorflow_lacks():
    with pytest.raises(TypeError, match="Cannot convert the argument `type_value`: dtype"):
        dtypes.from_numpy(np.dtype("M8[s]"))


def test_kernel_names_are_those_of_messages():
    names = {dtype.name: dtype.kernel_name for dtype in ALL_DTYPES}
    different = {name: kernel for name, kernel in names.items() if name != kernel}
    assert different == {"float16": "half", "float32": "float", "float64": "double"}


def test_dtype_cannot_be_changed():
    with pytest.raises(AttributeError, match="no setter"):
        dtypes.float32.kernel_name = "x"
    assert dtypes.float32.kernel_name == "float"


def test_two_types_with_one_number_are_refused():
    with pytest.raises(ValueError, match=r"The type number 1 of other is taken by tf\.float32"):
        dtypes._define(1, "other", np.float32, "floating")


def test_known_shape_is_the_shape_of_its_sizes():
    shape = tensor_shape.TensorShape._known((2, 3))
    assert shape == tensor_shape.TensorShape([2, 3])
    assert repr(shape) == "TensorShape([2, 3])"


def test_as_shape_keeps_a_shape():
    shape = tensor_shape.TensorShape([2])
    assert tensor_shape.as_shape(shape) is shape


def test_error_text_shows_where_the_op_was_made():
    frame = ("model.py", 3, "call", "y = tf.add(x, 1)")
    op = SimpleNamespace(name="Add_1", traceback=[frame])
    text = str(errors.InvalidArgumentError(None, op, "bad shape"))
    assert text.startswith("bad shape\n\nOriginal stack trace for 'Add_1':\n")
    assert 'File "model.py", line 3, in call\n    y = tf.add(x, 1)\n' in text


def test_error_without_message_is_refused():
    with pytest.raises(TypeError, match=r"__init__\(\) missing 1 required .*: 'message'"):
        errors.NotFoundError(None, None)


class WithOwnArguments(errors.InvalidArgumentError):
    def __init__(self, message, reason):
        super().__init__(None, None, message)
        self.reason = reason


def test_user_error_with_its_own_arguments_pickles():
    error = pickle.loads(pickle.dumps(WithOwnArguments("bad", "because")))
    assert (error.message, error.reason, error.error_code) == ("bad", "because", 3)


def test_nest_follows_the_value_behind_a_proxy():
    # A proxy's class is what it claims to be, so its type must not be remembered as a leaf.
    class Proxy:
        def __init__(self, value):
            self._value = value

        @property
        def __class__(self):
            return type(self._value)

        def __iter__(self):
            return iter(self._value)

    assert not nest.is_nested(Proxy(3))
    assert nest.flatten([Proxy([1, 2]), 3]) == [1, 2, 3]


def test_nest_forgets_types_rather_than_growing(monkeypatch):
    monkeypatch.setattr(nest, "_MAX_KINDS", len(nest._KINDS) + 3)
    for number in range(20):
        value = type(f"Leaf{number}", (), {})()
        assert nest.flatten([value, [value]]) == [value, value]
        assert len(nest._KINDS) <= nest._MAX_KINDS
    assert nest.flatten({"a": [1, (2,)]}) == [1, 2]


def test_nest_sees_a_list_below_known_leaves():
    assert nest.flatten([1, 2, "a"]) == [1, 2, "a"]
    assert nest.flatten([1, 2, ["a"]]) == [1, 2, "a"]
    assert nest.flatten((1, 2, {"b": 3})) == [1, 2, 3]


def test_tensorflow_is_not_imported():
    assert "tensorflow" not in sys.modules


def test_axes_may_be_a_range():
    import tapefacade as tf

    x = tf.ones([2, 3, 4])
    assert tf.reduce_sum(x, range(1, 3)).numpy().tolist() == [12.0, 12.0]
    assert tf.reduce_max(x, axis=range(0)).shape == [2, 3, 4]
