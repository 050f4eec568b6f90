"""Small programs against what TensorFlow's stored answers say: values, types, texts, messages."""

import functools
import json
import math
import pathlib
import re
import sys
from typing import Any

import pytest
from programs import PROGRAMS, SUBJECTS, digest
from programs.program import run

import tapefacade as tf
from tapefacade._core import logging as messages
from tapefacade._function.function import retracing_warnings
from tapefacade._tape import custom_gradient_boundary
from tapefacade._trace import shape_changes

GOLDENS = pathlib.Path(__file__).parent / "goldens"
COMMAND = "python tests/goldens/generate_programs.py {} (in an environment with TensorFlow)"

# Where we differ on purpose: the place in the answer (all below it), and why.
CLASS = "Python names our class by its last name in messages of its own"
OVER_DATASETS = "loops over datasets are differentiated, as in eager code"
AROUND_RUNS = "a tape around `strategy.run` sees the replicas, which TensorFlow's threads hide"
REPEATED = "scalar * list falls back to Python's repetition of the list in TensorFlow"
BOOLEAN = "TensorFlow's * is a logical and as soon as one operand is a boolean, whatever the other"
NUMPY = "NumPy values follow the dtype of the tensors in every op, here as well"
REGISTERED = dict(
    custom_gradient_boundary._REGISTERED
)  # the gradients that the package itself registers
# What TensorFlow would not say.
OURS = (
    "runs its Python at every call", "What changed: ", " is Keras 2; write ",
    "replicas on one device, as there is no ", "is not saved for arguments",
    "is saved for the shapes that it was called with",
)  # fmt: skip
DIFFERENT: dict[str, str] = {
    "loops.second_derivative_of_what_is_linear.list.1": "None, not zeros",
    "functions.tracing.list.2": "functions of texts run their Python: the text is known",
    "functions_datasets.gradients_over_a_dataset.list.0.list.1": OVER_DATASETS,
    "functions_datasets.gradients_over_a_dataset.list.1.list.1": OVER_DATASETS,
    "functions_errors.exceptions_of_python.list.4": "exceptions stay what they are",
    "functions_gradients.outputs_that_depend_on_others": "None, not zeros",
    "functions_keys.keys_of_equal_numbers": "1, 1.0 and True are different arguments",
    "functions_keys.keys_of_variables": "Python may tell variables apart",
    "functions_methods.instances_that_are_equal": "each instance has its own functions",
    "functions_methods.instances_that_have_no_place_in_a_dictionary": "each has its own functions",
    "functions_printed.printing_names.list.2": "tensors have no names of their own",
    "functions_signatures.shapes_that_are_not_known.dict.said": "sizes are known: one program each",
    "functions_state.variables_created_in_init_scope.tuple.2": "init_scope is outside",
    "custom_gradients.wrong_numbers_of_gradients.dict.a number": "a gradient is a tensor",
    "custom_gradients.wrong_numbers_of_gradients.dict.numpy": "a gradient is a tensor",
    "ragged_elements.watching.log": "TensorFlow warns about the splits, too",
    "indexed_slices.higher_orders.log": "said by TensorFlow's own vectorization",
    "operators.unary.dict.positive": CLASS,
    "operators.shifts": CLASS,
    "operators.dtype_conflicts.dict.f b.dict.mul": BOOLEAN,
    "operators.dtype_conflicts.dict.i b.dict.mul": BOOLEAN,
    "operators.dtype_conflicts.dict.b 1.dict.mul": BOOLEAN,
    "operators.function_conflicts.dict.numpy float64 first": NUMPY,
    "operators.function_conflicts.dict.numpy array first": NUMPY,
    "replicas_custom.tapes_around_runs.list.0.tuple.1": AROUND_RUNS,
    "replicas_custom.tapes_around_runs.list.1.tuple.1": AROUND_RUNS,
    "tapes_none.one_of_two_outputs.dict.indices": "integers have no gradient, not even zeros",
    "tapes_none.real_to_complex.log": "said by TensorFlow's own cast in the gradient of cast",
    "tensors.immutability.dict.setitem": "called by name it is the same error as x[0] = 1",
    "variables.making.dict.unknown keyword": "a misspelt keyword is an error",
    "variables.attributes.dict.aggregation": "one class, where TensorFlow has two",
    "variables.scatter.dict.out of range.text": "said by tf.tensor_scatter_nd_update",
    "variables.scatter_nd.dict.wrong updates.text": "said by tf.tensor_scatter_nd_update",
    "operators.dtype_conflicts.dict.f text.dict.mul": REPEATED,
    "operators.dtype_conflicts.dict.f list.dict.mul": REPEATED,
    "operators.dtype_conflicts.dict.f object.dict.mul": REPEATED,
    "operators.dtype_conflicts.dict.i [1.5].dict.mul": REPEATED,
    "tapes_higher.jacobian.log": "what TensorFlow's own vectorization says about itself",
    "tensors.python_numbers.dict.divmod": CLASS,
    "tensors.python_numbers.dict.trunc": CLASS,
    "variables.attributes.dict.handle": "there is no resource behind a variable",
    "variables.assignment_errors.dict.bool": "there is no kernel to be missing",
    "variables.reading_parts.dict.count_up_to": "deprecated since TensorFlow 1",
}
if sys.version_info >= (3, 12):  # TensorFlow was asked on Python 3.11
    DIFFERENT |= {
        "functions_keys.keys_that_cannot_be.list.2": "slices can be hashed",
        "extension_types_guide.type_specs_of_users.list.14.text": "worded by Python",
    }


@functools.cache
def goldens(subject: str) -> dict[str, Any]:
    path = GOLDENS / f"programs_{subject}.json"
    return json.loads(path.read_text()) if path.exists() else {}


def differences(got: Any, want: Any, place: str) -> list[str]:
    """One line for each place where the answers differ, but not on purpose."""
    found = []
    if isinstance(want, dict) and isinstance(got, dict) and list(want) == list(got):
        if list(want) == ["raises", "text"] and got["text"].startswith(want["text"]):
            got = {**got, "text": want["text"]}  # we may go on with what to write instead
        for key in want:
            found += differences(got[key], want[key], f"{place}.{key}")
    elif isinstance(want, list) and isinstance(got, list) and len(want) == len(got):
        for k, (g, w) in enumerate(zip(got, want, strict=True)):
            found += differences(g, w, f"{place}.{k}")
    elif not same(got, want):
        found = [f"{place}\n    TensorFlow: {want!r}\n    tapefacade: {got!r}"]
    if place in DIFFERENT:
        return [] if found else [f"{place} differs no more: take it out of DIFFERENT"]
    return found


# In messages functions have a line in the place of an address: `f (train.py:7)`.
FUNCTION = re.compile(r"<function (?:[^ ]*[.])?([^ .]+) at 0x>|(\S+) \([^()]*[.]py:\d+\)")


def without_places(message: str) -> str:
    """Leaves the name of a function that a message is about."""
    return FUNCTION.sub(lambda found: found[1] or found[2], message)


def same(got: Any, want: Any) -> bool:
    numbers = (int, float)
    if isinstance(want, float) and isinstance(got, numbers):
        return math.isclose(got, want, rel_tol=2e-5, abs_tol=1e-6)
    return type(got) is type(want) and got == want


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name, monkeypatch):
    monkeypatch.setattr(
        messages, "_WARNING_COUNTS", {}
    )  # messages logged "the first 5 times" start anew
    monkeypatch.setattr(custom_gradient_boundary, "_REGISTERED", dict(REGISTERED))
    monkeypatch.setattr(retracing_warnings, "_DETECTORS", {})
    monkeypatch.setattr(shape_changes, "MANY_SHAPES", sys.maxsize)  # TensorFlow compiles nothing
    subject = name.split(".")[0]
    golden = goldens(subject).get(name)
    if golden is None or golden["program"] != digest(PROGRAMS[name]):
        pytest.fail(f"{name} was added or changed: run " + COMMAND.format(subject), pytrace=False)
    try:
        got = json.loads(json.dumps(run(tf, PROGRAMS[name])))
    except Exception:
        if name in DIFFERENT:
            return
        raise
    found = differences(got["returned"], golden["returned"], name)
    said = [message for message in got["logged"] if not any(text in message for text in OURS)]
    said, wanted = (list(map(without_places, logged)) for logged in (said, golden["logged"]))
    found += differences(said, wanted, f"{name}.log")
    if found:
        pytest.fail("\n".join(found), pytrace=False)


def test_no_program_is_missing():
    for subject in SUBJECTS:
        mine = {name for name in PROGRAMS if name.startswith(f"{subject}.")}
        assert set(goldens(subject)) == mine, "run " + COMMAND.format(subject)


def test_every_difference_is_about_a_program():
    programs = {".".join(place.split(".")[:2]) for place in DIFFERENT}
    assert programs <= set(PROGRAMS)
