"""What the script that runs libraries' own tests counts as good."""

import importlib.util
import pathlib

import pytest

PATH = pathlib.Path(__file__).parent / "libraries" / "run.py"
specification = importlib.util.spec_from_file_location("libraries_run", PATH)
run = importlib.util.module_from_spec(specification)
specification.loader.exec_module(run)


@pytest.mark.parametrize(
    ("found", "is_good"),
    [
        ({"passed": 3, "reasons": [], "is_cut": False}, True),
        ({"runs": True, "reasons": []}, True),
        ({"passed": 3, "reasons": [], "is_cut": True}, False),
        ({"passed": 3, "failed": 1, "reasons": ["1 times E"], "is_cut": False}, False),
        ({"reasons": ["not ready after 3 s"]}, False),
        ({"skipped": 3, "reasons": [], "is_cut": False}, False),
        ({"runs": False, "reasons": ["ValueError"]}, False),
    ],
    ids=str,
)
def test_what_is_good(found, is_good):
    assert run.is_good(found) is is_good


def test_a_run_that_was_cut_fails_when_it_is_short(monkeypatch):
    cut = {"passed": 3, "reasons": [], "is_cut": True}
    monkeypatch.setattr(run, "outcome", lambda *args: cut)
    monkeypatch.setattr("sys.argv", ["run.py", "--short", "--python", "python", "dm-sonnet"])
    with pytest.raises(SystemExit, match="the tests fail of dm-sonnet"):
        run.main()
