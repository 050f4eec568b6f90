"""README.md says what is true: its commands, its example and its error message."""

import contextlib
import io
import pathlib
import re
import subprocess
import sys
import tomllib

import pytest

import tapefacade

CHECKOUT = pathlib.Path(__file__).parents[1]
README = (CHECKOUT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"(?ms)^```{language}\n(.*?)^```$", README)


def test_the_first_two_commands_are_the_main_job_and_the_tests():
    main_job, tests = blocks("sh")[:2]
    assert "-m tapefacade demo" in main_job
    assert "-m pytest" in tests
    for command in (main_job, tests):
        # Each stands alone: one line, with an environment of its own.
        assert len(command.splitlines()) == 1
        assert "python3 -m venv .venv" in command
        assert "/bin/python" not in README  # one way to call Python: in an active environment
    assert main_job.split()[3] != tests.split()[3]


@pytest.mark.skipif(sys.platform == "win32", reason="needs bash and awk")
def test_continuous_integration_runs_those_commands():
    script = (CHECKOUT / ".ci" / "run").read_text(encoding="utf-8")
    function = re.search(r"(?ms)^readme_block\(\) \{.*?^\}$", script)
    assert function is not None
    for number, wanted in enumerate(blocks("sh")[:2], start=1):
        assert f"$(readme_block {number})" in script
        command = f"{function[0]}\nreadme_block {number}"
        shown = subprocess.run(
            ["bash", "-c", command], cwd=CHECKOUT, capture_output=True, text=True, check=True
        )
        assert shown.stdout == wanted


def test_the_example_prints_what_is_shown():
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        exec(blocks("python")[0], {"__name__": "__main__"})
    assert shown.getvalue() == blocks("text")[0]


def test_the_example_is_short():
    assert len(blocks("python")[0].splitlines()) <= 25


def test_the_error_message_is_the_one_that_is_raised():
    code, message = blocks("pycon")[0].splitlines()
    with pytest.raises(AttributeError) as error:
        eval(code.removeprefix(">>> "), {"tf": tapefacade})
    assert message == f"AttributeError: {error.value}"


def test_installing_is_as_described():
    code = blocks("python")[1].replace("program_that_imports_tensorflow", "tensorflow as imported")
    names = {}
    exec(code, names)
    assert names["imported"] is tapefacade


def test_the_files_that_are_linked_exist():
    links = re.findall(r"\]\(([^)]+)\)", README)
    assert links
    for link in links:
        assert link.startswith("https://") or (CHECKOUT / link.partition("#")[0]).exists()


def test_the_oldest_python_is_the_one_that_is_needed():
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert f"Python {project['requires-python'].removeprefix('>=')} or newer" in README
