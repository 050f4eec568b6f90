"""One precision and no silent promotion, on every device; names for the doctests."""

import functools
import gc
import getpass
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

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


def pytest_collection_finish():
    # Every `gc.collect()` of a test would go through 30,000 collected tests: 0.2 s each.
    gc.freeze()


@pytest.fixture(autouse=True)
def doctest_names(doctest_namespace):
    import tapefacade as tf

    doctest_namespace.update(tf=tf, np=np, jax=jax)


@pytest.fixture(autouse=True)
def exact_counts(monkeypatch):
    """Who asks for a program in the background waits for it; slow machines say nothing."""
    from tapefacade._trace.background_compilation import BACKGROUND_COMPILER
    from tapefacade._trace.shape_changes import SHAPE_CHANGES
    from tapefacade._trace.wait_watch import WAIT_WATCH

    monkeypatch.setattr(WAIT_WATCH, "_is_told", True)
    monkeypatch.setattr(SHAPE_CHANGES, "_found", {})  # only the shapes of the test count
    monkeypatch.setattr(BACKGROUND_COMPILER, "is_on", True)
    monkeypatch.setattr(BACKGROUND_COMPILER, "is_waited_for", True)


@pytest.fixture(autouse=True)
def nothing_left():
    """A test that pauses the collector for ever is the one that fails."""
    from tapefacade._trace.garbage_collection import _PAUSES

    yield
    if _PAUSES:
        gc.collect()  # tracebacks in cycles
    assert not _PAUSES


@pytest.fixture(autouse=True)
def known_parameters(monkeypatch):
    """A JAX that names the parameters of its operations otherwise is noticed."""
    from tapefacade._trace.interpreter import RENAMED_PARAMETERS

    monkeypatch.setattr(RENAMED_PARAMETERS, "are_errors", True)


@pytest.fixture(autouse=True)
def no_evidence(monkeypatch):
    """Programs that do not repeat do not speak for running in pieces, but in `test_pieces`."""
    from tapefacade._trace import execution_mode

    monkeypatch.setattr(execution_mode._Single, "share", 0.0)
    execution_mode.EXECUTION_MODES.forget()


ALONE = "TAPEFACADE_TEST_ALONE"
ON_DEVICES = "TAPEFACADE_TEST_ON_DEVICES"
DEVICES = 8


@functools.cache
def results_on_devices(path, root):
    """Returns the failures of the tests of a file that are marked `devices`, by name.

    They run once for all workers of pytest-xdist: the first that asks runs them for the others.
    """
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID")
    if run is None:
        return run_on_devices(path, root)
    folder = COMPILED / "devices" / run
    folder.mkdir(parents=True, exist_ok=True)
    found = folder / f"{path.stem}.json"
    try:
        (folder / f"{path.stem}.begun").touch(exist_ok=False)
    except FileExistsError:
        while not found.exists():
            time.sleep(0.2)
        return json.loads(found.read_text())
    results = {}
    try:
        results = run_on_devices(path, root)
        return results
    finally:  # after an error, too: nobody waits in vain
        whole = found.with_suffix(".part")
        whole.write_text(json.dumps(results))
        whole.replace(found)


def run_on_devices(path, root):
    """Runs the tests of a file that are marked `devices`; returns their failures, by name."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")}
    environment |= {ON_DEVICES: "1", "JAX_PLATFORMS": "cpu"}
    environment["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={DEVICES}"
    with tempfile.TemporaryDirectory() as directory:
        report = os.path.join(directory, "report.xml")
        done = subprocess.run(
            [
                sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "devices",
                "-p", "no:randomly", f"--junitxml={report}", str(path),
            ],
            env=environment, cwd=root, capture_output=True, text=True,
        )  # fmt: skip
        assert os.path.exists(report), done.stdout[-8000:] + done.stderr[-4000:]
        cases = xml.etree.ElementTree.parse(report).getroot().iter("testcase")
        return {
            case.get("name"): "\n".join(part.text or part.get("message", "") for part in case)
            for case in cases
        }


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    """Runs tests marked `alone` or `devices` in other processes.

    What others have recorded would count in the first; the second need several devices.
    """
    if pyfuncitem.get_closest_marker("devices") is not None and ON_DEVICES not in os.environ:
        results = results_on_devices(pyfuncitem.path, pyfuncitem.config.rootpath)
        assert pyfuncitem.name in results, f"{pyfuncitem.name} did not run"
        assert not results[pyfuncitem.name], results[pyfuncitem.name]
        return True
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
