"""One precision and no silent promotion, on every device; names for the doctests."""

import getpass
import os
import pathlib
import subprocess
import sys
import tempfile

import jax
import numpy as np
import pytest

collect_ignore = ["goldens", "typed_program.py"]  # what needs TensorFlow; what is not run

jax.config.update("jax_numpy_dtype_promotion", "strict")
jax.config.update("jax_default_matmul_precision", "highest")

# Compiling is most of what the suite does: a second run takes half the time or less.
COMPILED = pathlib.Path(tempfile.gettempdir()) / f"tapefacade-tests-{getpass.getuser()}"
jax.config.update("jax_compilation_cache_dir", str(COMPILED))
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
# Processes that tests start keep theirs nearby, not in the user's folder.
os.environ["TAPEFACADE_COMPILATION_CACHE"] = str(COMPILED / "processes")


def pytest_configure(config):
    # A worker may meet an entry that another one is just writing; it then compiles.
    config.addinivalue_line("filterwarnings", "ignore:Error (reading|writing) persistent compil")


@pytest.fixture(autouse=True)
def doctest_names(doctest_namespace):
    import tapefacade as tf

    doctest_namespace.update(tf=tf, np=np, jax=jax)


@pytest.fixture(autouse=True)
def exact_counts(monkeypatch):
    """Who asks for a program in the background waits for it; slow machines say nothing."""
    from tapefacade._trace.background_compilation import BACKGROUND_COMPILER, COMPILATION_WATCH
    from tapefacade._trace.shape_changes import SHAPE_CHANGES

    monkeypatch.setattr(COMPILATION_WATCH, "_is_told", True)
    monkeypatch.setattr(SHAPE_CHANGES, "_found", {})  # only the shapes of the test count
    monkeypatch.setattr(BACKGROUND_COMPILER, "is_on", True)
    monkeypatch.setattr(BACKGROUND_COMPILER, "is_waited_for", True)


@pytest.fixture(autouse=True)
def no_evidence(monkeypatch):
    """Programs that do not repeat do not speak for running in pieces, but in `test_pieces`."""
    from tapefacade._trace import execution_mode

    monkeypatch.setattr(execution_mode._Single, "share", 0.0)
    execution_mode.EXECUTION_MODES.forget()


ALONE = "TAPEFACADE_TEST_ALONE"


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    """Runs a test marked `alone` in a process of its own: what others have recorded would count."""
    if pyfuncitem.get_closest_marker("alone") is None or ALONE in os.environ:
        return None
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")}
    found = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", pyfuncitem.nodeid],
        env={**environment, ALONE: "1"}, cwd=pyfuncitem.config.rootpath, capture_output=True,
        text=True,
    )  # fmt: skip
    assert found.returncode == 0, found.stdout[-8000:]
    return True


def pytest_addoption(parser):
    parser.addoption("--subject", action="append", help="only these subjects of tests/cases")


def pytest_collection_modifyitems(config, items):
    chosen = config.getoption("--subject")
    if not chosen:
        return
    import cases

    wanted = {id(case) for subject in chosen for case in cases.SUBJECTS[subject]}
    params = [getattr(getattr(item, "callspec", None), "params", {}) for item in items]
    kept = [i for i, p in zip(items, params, strict=True) if id(p.get("case")) in wanted]
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = kept
