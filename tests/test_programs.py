"""Small programs against what TensorFlow's stored answers say: values, types, texts, messages."""

import functools
import json
import math
import pathlib
from typing import Any

import pytest
from programs import PROGRAMS, SUBJECTS, digest
from programs.program import run

import tapefacade as tf
from tapefacade._tape import tape

GOLDENS = pathlib.Path(__file__).parent / "goldens"
COMMAND = "python tests/goldens/generate_programs.py {} (in an environment with TensorFlow)"

# Where we differ on purpose: the place in the answer, and why.
DIFFERENT: dict[str, str] = {}


@functools.cache
def goldens(subject: str) -> dict[str, Any]:
    path = GOLDENS / f"programs_{subject}.json"
    return json.loads(path.read_text()) if path.exists() else {}


def differences(got: Any, want: Any, place: str) -> list[str]:
    """One line for each place where the answers differ."""
    if place in DIFFERENT:
        return []
    if isinstance(want, dict) and isinstance(got, dict) and list(want) == list(got):
        if list(want) == ["raises", "text"] and got["text"].startswith(want["text"]):
            got = {**got, "text": want["text"]}  # we may go on with what to write instead
        return [d for key in want for d in differences(got[key], want[key], f"{place}.{key}")]
    if isinstance(want, list) and isinstance(got, list) and len(want) == len(got):
        pairs = enumerate(zip(got, want, strict=True))
        return [d for k, (g, w) in pairs for d in differences(g, w, f"{place}.{k}")]
    if same(got, want):
        return []
    return [f"{place}\n    TensorFlow: {want!r}\n    tapefacade: {got!r}"]


def same(got: Any, want: Any) -> bool:
    numbers = (int, float)
    if isinstance(want, float) and isinstance(got, numbers):
        return math.isclose(got, want, rel_tol=2e-5, abs_tol=1e-6)
    return type(got) is type(want) and got == want


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name, monkeypatch):
    monkeypatch.setattr(tape, "_WARNED", {})  # messages logged "the first 5 times" start anew
    subject = name.split(".")[0]
    golden = goldens(subject).get(name)
    if golden is None or golden["program"] != digest(PROGRAMS[name]):
        pytest.fail(f"{name} was added or changed: run " + COMMAND.format(subject), pytrace=False)
    got = json.loads(json.dumps(run(tf, PROGRAMS[name])))
    found = differences(got["returned"], golden["returned"], name)
    found += differences(got["logged"], golden["logged"], f"{name}.log")
    if found:
        pytest.fail("\n".join(found), pytrace=False)


def test_no_program_is_missing():
    for subject in SUBJECTS:
        mine = {name for name in PROGRAMS if name.startswith(f"{subject}.")}
        assert set(goldens(subject)) == mine, "run " + COMMAND.format(subject)


def test_every_difference_is_about_a_program():
    programs = {".".join(place.split(".")[:2]) for place in DIFFERENT}
    assert programs <= set(PROGRAMS)
