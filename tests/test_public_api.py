"""The public API of TensorFlow is there as far as it was: no row of the table shrinks."""

import importlib.util
import json
import pathlib

import pytest

FOLDER = pathlib.Path(__file__).parents[1] / "notebooks"
specification = importlib.util.spec_from_file_location("api_coverage", FOLDER / "api_coverage.py")
api_coverage = importlib.util.module_from_spec(specification)
specification.loader.exec_module(api_coverage)

ROWS = {row.path: row for row in api_coverage.rows()}
COUNTS = json.loads(api_coverage.COUNTS.read_text(encoding="utf-8"))
WRITE = "`python notebooks/api_coverage.py` stores the counts"


def test_every_namespace_has_a_row():
    assert list(ROWS) == list(COUNTS), WRITE


@pytest.mark.parametrize("path", COUNTS)
def test_a_row_does_not_shrink(path):
    there, missing, different = COUNTS[path]
    row = ROWS[path]
    assert row.there >= there, row.missing
    assert len(row.missing) <= missing, row.missing
    assert len(row.different) <= different, row.different


def test_most_of_the_api_is_there():
    there, missing, different = map(sum, zip(*COUNTS.values(), strict=True))
    assert there > 1600
    assert missing < 0.09 * (there + missing)
    assert different < 0.01 * there


@pytest.mark.parametrize(
    ("wanted", "is_different"),
    [
        (["x", "axis=None", "name=None"], False),
        (["x", "axis=None", "name='other'"], False),
        (["x", "axis=0"], True),
        (["x", "axis=None", "keepdims=False"], True),
        (["x", "sizes=[1, 2]"], False),
        (["x", "dtype=tf.float32"], False),
        (["*args", "**kwargs"], False),
    ],
    ids=str,
)
def test_what_differs(wanted, is_different):
    def found(x, axis=None, sizes=(1, 2), dtype=api_coverage.tapefacade.float32, name=None):
        return x

    assert api_coverage.differs(found, wanted) is is_different
