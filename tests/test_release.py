"""What is published: the version is that of the tag, and the workflow needs no secret."""

import pathlib
import re
import shutil
import subprocess
import sys
import tomllib

import pytest

CHECKOUT = pathlib.Path(__file__).parents[1]
WORKFLOWS = CHECKOUT / ".github" / "workflows"
PROJECT = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
needs_bash = pytest.mark.skipif(
    sys.platform == "win32" or not WORKFLOWS.exists() or not shutil.which("git"),
    reason="needs bash, git and a checkout",
)


def release(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [str(CHECKOUT / ".ci" / "release"), *arguments], capture_output=True, text=True
    )


@needs_bash
@pytest.mark.parametrize("tag", ["1.2.3", "v1.2", "v1.2.3-beta", "vv1.2.3", "v1.2.3; true"])
def test_tags_that_are_no_versions_are_refused(tag, tmp_path):
    done = release(tag, str(tmp_path))
    assert done.returncode == 2
    assert "is no tag of a version" in done.stderr
    assert list(tmp_path.iterdir()) == []


@needs_bash
def test_without_a_tag_nothing_is_built(monkeypatch, tmp_path):
    """A text in backquotes would be a command, which builds."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    done = release()
    assert done.returncode
    assert "which tag? Write: .ci/release v1.2.3 build/release" in done.stderr
    assert list(tmp_path.iterdir()) == []


@needs_bash
def test_parts_that_are_unknown_are_refused(tmp_path):
    done = release("v1.2.3", str(tmp_path), "paper")
    assert done.returncode == 2
    assert "there is no part paper" in done.stderr


@needs_bash
def test_the_workflow_publishes_what_the_command_builds():
    text = (WORKFLOWS / "publish.yml").read_text(encoding="utf-8")
    assert '.ci/release "$GITHUB_REF_NAME" build/release' in text
    assert "pypa/gh-action-pypi-publish" in text
    assert text.count("id-token: write") == 2
    assert "secrets." not in text
    assert re.search(r'tags: \["v\*"\]', text)
    for file in WORKFLOWS.glob("*.yml"):
        assert "- run: .ci/run\n" in file.read_text(encoding="utf-8")


def test_the_extra_of_readers_has_a_reader_and_what_the_notebooks_use():
    extra = PROJECT["optional-dependencies"]["jupyter"]
    assert "tapefacade[notebooks]" in extra
    assert any(requirement.startswith("jupyterlab") for requirement in extra)
