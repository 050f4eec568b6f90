"""Compiled programs on disk: found again, no setting changed, trouble never an error."""

import collections
import json
import logging
import os
import pathlib
import shutil
import subprocess
import sys
import threading
import time
import warnings
import zlib

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental.compilation_cache import compilation_cache as of_jax

import tapefacade as tf
from tapefacade._trace import compilation_cache
from tapefacade._trace.compilation_cache import CACHE, VARIABLE, kind, sweep, through_cache

CHECKOUT = pathlib.Path(tf.__file__).parents[1]
SETTINGS = (
    "jax_compilation_cache_dir",
    "jax_compilation_cache_max_size",
    "jax_persistent_cache_min_compile_time_secs",
    "jax_persistent_cache_min_entry_size_bytes",
    "jax_raise_persistent_cache_errors",
)
EVENTS: collections.Counter[str] = collections.Counter()
jax.monitoring.register_event_listener(
    lambda name, **_: EVENTS.update([name.removeprefix("/jax/compilation_cache/")])
)
jax.monitoring.register_event_duration_secs_listener(
    lambda name, *_, **__: EVENTS.update([name.rpartition("/")[2]])
)


def settings():
    return {name: getattr(jax.config, name) for name in SETTINGS}


@pytest.fixture
def jax_as_it_is():
    """JAX without the cache of the test suite."""
    before = settings()
    jax.config.update("jax_compilation_cache_dir", None)
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 1.0)
    of_jax.reset_cache()
    yield
    for name, value in before.items():
        jax.config.update(name, value)
    of_jax.reset_cache()
    CACHE.choose(None)


@pytest.fixture
def folder(jax_as_it_is, tmp_path):
    """The folder that programs are kept in; they are in the one below."""
    tf.config.keep_compiled_programs(tmp_path / "kept")
    return tmp_path / "kept" / kind()


def double(number=2.0):
    """A program that JAX has not seen, and what it says of compiling it."""

    def _run(x):
        return x * number

    EVENTS.clear()
    result = through_cache(jax.jit(_run))(np.ones(3, np.float32))
    np.testing.assert_array_equal(result, np.full(3, number, np.float32))
    assert EVENTS["backend_compile_duration"] == 1  # though it is also called
    return "hit" if EVENTS["cache_hits"] else "written" if EVENTS["cache_misses"] else "compiled"


def entries(folder):
    return sorted(path.name for path in folder.glob("*-cache"))


def test_a_program_is_found_again(folder):
    before = settings()
    assert double() == "written"
    assert double() == "hit"
    assert double(3.0) == "written"
    assert len(entries(folder)) == 2
    assert settings() == before
    if os.name == "posix":
        assert folder.stat().st_mode & 0o777 == folder.parent.stat().st_mode & 0o777 == 0o700


def test_steps_are_kept(folder):
    v = tf.Variable([1.0, 2.0, 3.0])
    EVENTS.clear()
    for _ in range(3):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(v**3) * 0.1875  # no other test has this program
        v.assign_sub(0.5 * tape.gradient(loss, v))
        loss.numpy()
    assert EVENTS["cache_misses"] == EVENTS["backend_compile_duration"] == len(entries(folder))
    assert len(entries(folder)) in (1, 2)


def test_other_programs_are_not_kept(folder):
    assert double() == "written"
    EVENTS.clear()
    jax.jit(lambda x: x - 1.0)(jnp.ones(7))
    assert not EVENTS["cache_misses"]
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
    jax.jit(lambda x: x - 2.0)(jnp.ones(7))
    assert len(entries(folder)) == 1


def test_the_cache_of_the_program_wins(folder, tmp_path):
    assert double() == "written"
    jax.config.update("jax_compilation_cache_dir", str(tmp_path / "own"))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
    assert tf.config.compiled_programs_folder() is None
    assert double(4.0) == "written"
    jax.jit(lambda x: x - 3.0)(jnp.ones(7))
    assert len(entries(tmp_path / "own")) >= 2
    assert len(entries(folder)) == 1


@pytest.mark.parametrize("how", ["call", "0", "off", "OFF", "jax"])
def test_it_can_be_switched_off(jax_as_it_is, monkeypatch, tmp_path, how):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    if how == "call":
        tf.config.keep_compiled_programs(False)
    elif how == "jax":
        tf.config.keep_compiled_programs(tmp_path)
        jax.config.update("jax_enable_compilation_cache", False)
    else:
        monkeypatch.setenv(VARIABLE, how)
    try:
        assert tf.config.compiled_programs_folder() is None
        assert double() == "compiled"
    finally:
        jax.config.update("jax_enable_compilation_cache", True)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("platform", "variables", "found"),
    [
        ("linux", {"XDG_CACHE_HOME": "/caches"}, "/caches/tapefacade"),
        ("linux", {"XDG_CACHE_HOME": "caches", "HOME": "/me"}, "/me/.cache/tapefacade"),
        ("linux", {"HOME": "/me"}, "/me/.cache/tapefacade"),
        ("darwin", {"HOME": "/me"}, "/me/Library/Caches/tapefacade"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local/tapefacade"),
        ("win32", {}, None),
    ],
)
def test_users_folder(jax_as_it_is, monkeypatch, platform, variables, found):
    for name in ("XDG_CACHE_HOME", "LOCALAPPDATA", VARIABLE):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", platform)
    assert tf.config.compiled_programs_folder() == found


def test_the_environment_names_a_folder(jax_as_it_is, monkeypatch, tmp_path):
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    assert tf.config.compiled_programs_folder() == str(tmp_path)
    tf.config.keep_compiled_programs(tmp_path / "other")
    assert tf.config.compiled_programs_folder() == str(tmp_path / "other")
    monkeypatch.chdir(tmp_path)
    tf.config.keep_compiled_programs("below")
    assert tf.config.compiled_programs_folder() == str(tmp_path / "below")


# Trouble.


def is_file(folder):
    folder.parent.write_text("")


def below_a_file(folder):
    folder.parent.write_text("")
    tf.config.keep_compiled_programs(folder.parent / "below")


def of_everybody(folder):
    folder.parent.mkdir()
    folder.parent.chmod(0o777)


def subfolder_of_everybody(folder):
    folder.mkdir(parents=True)
    folder.parent.chmod(0o700)
    folder.chmod(0o777)


@pytest.mark.skipif(os.name != "posix", reason="about POSIX's permissions")
@pytest.mark.parametrize("trouble", [is_file, below_a_file, of_everybody, subfolder_of_everybody])
def test_a_folder_that_cannot_be_used(folder, caplog, trouble):
    trouble(folder)
    with caplog.at_level(logging.DEBUG, "tensorflow"):
        assert double() == double() == "compiled"
    (record,) = (r for r in caplog.records if r.name == "tensorflow")
    assert record.levelname == "WARNING"
    assert "Compiled programs are not kept" in record.getMessage()
    assert not entries(folder) if folder.exists() else True


@pytest.mark.skipif(os.name != "posix", reason="about POSIX's users")
def test_a_folder_of_another_user(folder, caplog, monkeypatch):
    folder.mkdir(parents=True)
    monkeypatch.setattr(os, "getuid", lambda: 12345)
    assert double() == double() == "compiled"
    (record,) = (r for r in caplog.records if r.name == "tensorflow")
    assert "belongs to another user" in record.getMessage()


def test_no_home(jax_as_it_is, caplog, monkeypatch, tmp_path):
    """In a container it is usual that nothing can be written there: not a word."""
    (tmp_path / "home").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(sys, "platform", "linux")
    tf.config.keep_compiled_programs(True)
    assert double() == double() == "compiled"
    assert not [r for r in caplog.records if r.levelname == "WARNING"]


@pytest.mark.parametrize("content", [b"", b"x", zlib.compress(b"some"), "half"])
def test_a_broken_entry(folder, content):
    assert double() == "written"
    (entry,) = folder.glob("*-cache")
    whole = entry.read_bytes()
    entry.write_bytes(whole[: len(whole) // 2] if content == "half" else content)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert double() in ("compiled", "written")  # JAX says "written", and does not


def test_the_folder_is_deleted_meanwhile(folder):
    assert double() == "written"
    shutil.rmtree(folder.parent)
    assert double() == "written"
    assert double() == "hit"


def test_nothing_can_be_written(folder):
    resource = pytest.importorskip("resource")
    assert double() == "written"
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))  # as if the disk were full
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert double(5.0) == double(5.0) == "written"  # as JAX says
            assert double() == "hit"
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_inside_jax_nothing_is_compiled_at_once(folder):
    found = jax.jit(lambda x: tf.square(x) * 0.3125)(jnp.ones(3, jnp.float32))
    np.testing.assert_array_equal(found, np.full(3, 0.3125))
    assert not folder.exists() or not entries(folder)


def test_the_folder_is_known_while_something_compiles(folder):
    before = settings()
    with CACHE.used():
        assert settings() != before
        assert tf.config.compiled_programs_folder() == str(folder.parent)
    assert settings() == before


def test_errors_are_those_of_the_program(folder):
    def _run(x):
        raise TypeError("wrong")

    with pytest.raises(TypeError, match="wrong"):
        through_cache(jax.jit(_run))(np.ones(3, np.float32))


def test_threads(folder):
    before, found, start = settings(), {}, threading.Barrier(4)

    def work(number):
        start.wait()
        for k in range(5):
            program = through_cache(jax.jit(lambda x, k=k: x * (10.0 * number + k)))
            found[number, k] = float(np.asarray(program(np.ones(3, np.float32)))[0])

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {(number, k): 10.0 * number + k for number in range(4) for k in range(5)}
    assert settings() == before
    assert len(entries(folder)) == 20


# Once a day.


DIGEST = "0123456789abcdef" * 4


def subfolder(root, number=1):
    return root / f"jax-{number}-jaxlib-{number}-0123456789ab"


def make(folder, name, size=0, content=None, age=0.0):
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}-{DIGEST}-cache"
    path.write_bytes(zlib.compress(os.urandom(size)) if content is None else content)
    os.utime(path, (time.time() - age, time.time() - age))


def names(folder):
    return [name.removesuffix(f"-{DIGEST}-cache") for name in entries(folder)]


def test_sweep_removes_what_is_broken(tmp_path):
    folder = subfolder(tmp_path)
    make(folder, "good", 100)
    make(folder, "of-zstandard", content=b"\x28\xb5\x2f\xfd....")
    make(folder, "empty", content=b"")
    make(folder, "half", content=zlib.compress(os.urandom(1000))[:500])
    make(tmp_path / "jax-of-somebody", "empty", content=b"")
    (folder / "something-cache").write_bytes(b"")
    sweep(tmp_path)
    assert names(folder) == ["good", "of-zstandard", "something-cache"]
    assert names(tmp_path / "jax-of-somebody") == ["empty"]
    make(folder, "empty", content=b"")
    sweep(tmp_path)  # not again on the same day
    assert len(entries(folder)) == 4
    day_ago = time.time() - 90_000
    os.utime(tmp_path / "swept", (day_ago, day_ago))
    make(folder, "looked at before", content=b"", age=100_000)
    sweep(tmp_path)
    assert names(folder) == ["good", "looked at before", "of-zstandard", "something-cache"]


def test_sweep_removes_what_was_not_used_for_longest(tmp_path, monkeypatch):
    monkeypatch.setattr(compilation_cache, "MAX_BYTES", 10_000)
    for age in range(20):
        make(subfolder(tmp_path, age % 3), str(age), 1000, age=age * 1000.0)
    (subfolder(tmp_path, 0) / "something else").write_bytes(bytes(100_000))
    sweep(tmp_path)
    kept = {name for k in range(3) for name in names(subfolder(tmp_path, k))}
    assert kept == {str(age) for age in range(9)}
    assert (subfolder(tmp_path, 0) / "something else").exists()


def test_the_names_are_those_that_are_swept(folder):
    assert double() == "written"
    assert compilation_cache.FOLDER.fullmatch(folder.name)
    assert all(compilation_cache.ENTRY.fullmatch(name) for name in entries(folder))


# Processes of their own.

SCRIPT = """
import collections, json, os, sys
import jax
events = collections.Counter()
jax.monitoring.register_event_listener(lambda name, **_: events.update([name.rpartition("/")[2]]))
before = dict(jax.config.values)
import tapefacade as tf
assert not os.path.exists(os.environ["TAPEFACADE_COMPILATION_CACHE"]) or sys.argv[1:]
assert jax.config.values == before
v = tf.Variable([1.0, 2.0])

@tf.function
def step(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.square(x * v))
    v.assign_sub(0.125 * tape.gradient(loss, v))
    return loss

@tf.function
def show(x):  # calls Python, so it cannot be kept
    tf.print("loss", x)

losses = [float(step(tf.constant([1.0, 0.5]))) for _ in range(3)]
for loss in losses:
    show(tf.constant(loss))
assert jax.config.values == before
print(json.dumps([losses, events["cache_hits"], events["cache_misses"]]))
"""


def start(folder, *arguments):
    environment = {
        **os.environ, "PYTHONPATH": str(CHECKOUT), "JAX_PLATFORMS": "cpu", VARIABLE: str(folder),
    }  # fmt: skip
    environment.pop("JAX_COMPILATION_CACHE_DIR", None)
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-c", SCRIPT, *arguments],
        env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def result(process):
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    words = [line.split()[0] for line in err.splitlines()]
    assert [word for word in words if word != "Compiling"] == ["loss"] * 3  # said if that is slow
    return json.loads(out)


def test_processes(tmp_path):
    losses, hits, written = result(start(tmp_path / "kept"))
    assert (hits, written > 0) == (0, True)
    assert result(start(tmp_path / "kept", "again")) == [losses, written, 0]


def test_processes_at_the_same_time(tmp_path):
    processes = [start(tmp_path / "kept", "at once") for _ in range(3)]
    found = [result(process) for process in processes]
    assert found[0][0] == found[1][0] == found[2][0]
    assert all(hits + written == sum(found[0][1:]) for _, hits, written in found)
