"""tensorflow_probability on tapefacade: densities, numbers drawn, gradients, samplers."""

import pathlib

import numpy as np
import pytest

import tapefacade

pytest.importorskip("keras", reason="needs the extra `probability`")
pytest.importorskip("tree", reason="needs the extra `probability`: tensorflow_probability")

from probability.answers import CHECKED, asked

pytestmark = pytest.mark.filterwarnings("ignore")  # those of the library
GOLDENS = pathlib.Path(__file__).parent / "goldens" / "probability.npz"


@pytest.fixture
def tfp():
    with tapefacade.install_as_tensorflow():
        yield pytest.importorskip("tensorflow_probability", reason="needs the extra `probability`")


@pytest.fixture(scope="module")
def stored():
    found: dict = {}
    with np.load(GOLDENS) as answers:
        for key in answers.files:
            case, what, kind, _ = key.split("|")
            place = found.setdefault(case, {}).setdefault(what, (kind, []))
            place[1].append(answers[key])
    return found


@pytest.mark.parametrize("case", CHECKED)
def test_answers_are_those_of_tensorflow(tfp, stored, case):
    wanted = stored[case]
    sample = wanted.get("sample", ("", None))[1]
    got = asked(tapefacade, tfp, case, sample)
    assert list(got) == list(wanted)
    for what, (kind, parts) in wanted.items():
        if kind == "raises":
            assert got[what] == str(parts[0]), what
            continue
        assert not isinstance(got[what], str), (what, got[what])
        for one, other in zip(got[what], parts, strict=True):
            one = np.asarray(one)
            assert (one.dtype, one.shape) == (other.dtype, other.shape), what
            if one.dtype.kind == "f":
                # chains of hundreds of steps in float32
                np.testing.assert_allclose(one, other, rtol=2e-4, atol=2e-5, err_msg=what)
            else:
                assert np.array_equal(one, other), what
