"""Compiled programs are kept on disk: a process does not compile what an earlier one has compiled.

JAX's persistent compilation cache does the work. Nothing changes for programs that are not ours:
its settings are in force only while one of ours compiles (what another thread compiles meanwhile is
kept as well), and a program that has configured the cache itself keeps its own. Without the cache a
program on two x86 cores compiles for 25 ms (one op) to seconds, loading it takes 3 ms (one op) to
16 ms (64 products), and writing it, once, 1 to 4 ms: keeping pays for every program, so there is no
threshold. (JAX keeps no
program that calls Python, as `tf.print` does in a function.)

An entry is code that will run. So the folder belongs to the user alone, and has a subfolder for
each version of JAX and each kind of processor: XLA compiles for the processor it finds.

JAX writes an entry in place, so that a full disk or a crash can leave half of one, and a process
may meet an entry that another is just writing. Reading it fails then, and the program is compiled.
Once a day a process removes such entries and, when there is too much, those not used for longest.
"""

import contextlib
import functools
import hashlib
import logging
import os
import pathlib
import platform
import re
import stat
import sys
import threading
import time
import warnings
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jaxlib.version
from jax.core import Tracer
from jax.experimental.compilation_cache import compilation_cache

from tapefacade._core.logging import get_logger

JAX_CONFIG: Any = jax.config  # its attributes are not declared
VARIABLE = "TAPEFACADE_COMPILATION_CACHE"
SWITCHES = {"": True, "0": False, "off": False, "false": False, "1": True, "on": True, "true": True}
# When there is more than this, what was not used for longest goes, of all versions of JAX.
MAX_BYTES = 1 << 30
SECONDS_BETWEEN_SWEEPS = 86400.0
STAMP = "swept"  # a file; when it was modified, entries were looked through
# What JAX calls an entry, and we the folders.
ENTRY = re.compile(r".+-[0-9a-f]{64}-cache")
FOLDER = re.compile(r"jax-[^-]+-jaxlib-[^-]+-[0-9a-f]{12}")
ZLIB = b"\x78"  # how an entry begins, unless the package zstandard is installed
# What JAX says of an entry that it cannot read or write. It compiles, and so nobody need know.
CACHE_WARNINGS = re.compile(
    r"Error (reading|writing) persistent compilation cache entry for 'jit__run'", re.IGNORECASE
)
PROCESSOR = ("vendor_id", "model name", "flags", "Features", "CPU implementer", "CPU part")


class _Cache:
    """Where programs are kept, and how many threads are compiling."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._chosen: pathlib.Path | bool | None = None  # None: as the environment says
        self._refused: set[pathlib.Path] = set()
        self._swept: set[pathlib.Path] = set()
        self._compiling = 0
        self._before: dict[str, Any] = {}
        self._during: dict[str, Any] = {}

    def choose(self, where: pathlib.Path | bool | None) -> None:
        """Takes a folder, True for the user's, False for none, None for the environment's."""
        with self._lock:
            self._chosen = where
            self._refused.clear()

    def folder(self) -> pathlib.Path | None:
        """Returns the folder that programs are kept in; None if they are not, or JAX's is used."""
        set_now = JAX_CONFIG.jax_compilation_cache_dir
        is_ours = self._compiling and set_now == self._during["jax_compilation_cache_dir"]
        if (set_now and not is_ours) or not JAX_CONFIG.jax_enable_compilation_cache:
            return None
        where = meant(os.environ.get(VARIABLE, "")) if self._chosen is None else self._chosen
        if isinstance(where, bool):
            return users_folder() if where else None
        return where

    @contextlib.contextmanager
    def used(self) -> Iterator[None]:
        """While it lasts, what compiles is looked up and kept."""
        with self._lock:
            is_used = self._compiling > 0 or self._begin()
            self._compiling += is_used
        try:
            yield
        finally:
            if is_used:
                with self._lock:
                    self._compiling -= 1
                    if not self._compiling:
                        self._end()

    def _begin(self) -> bool:
        root = self.folder()
        if root is None or root in self._refused:
            return False
        folder = root / kind()
        level = logging.WARNING
        try:
            trouble = _made(root) or _made(folder)
        except OSError as error:
            trouble = str(error)
            if root == users_folder():  # as in many containers; nobody has asked for it
                level = logging.DEBUG
        if trouble:
            self._refused.add(root)
            get_logger().log(level, "Compiled programs are not kept: %s", trouble)
            return False
        if root not in self._swept:
            self._swept.add(root)
            sweep(root)
        _silence()
        self._during = {
            "jax_compilation_cache_dir": str(folder),
            "jax_persistent_cache_min_compile_time_secs": 0.0,
            "jax_persistent_cache_min_entry_size_bytes": 0,
            "jax_compilation_cache_max_size": -1,  # else it wants the package filelock
            "jax_raise_persistent_cache_errors": False,
        }
        self._before = {name: getattr(JAX_CONFIG, name) for name in self._during}
        try:
            for name, value in self._during.items():
                JAX_CONFIG.update(name, value)
        except BaseException:  # such as Ctrl-C
            self._end()
            raise
        return True

    def _end(self) -> None:
        for name, value in self._before.items():
            if getattr(JAX_CONFIG, name) == self._during[name]:  # else somebody has set it
                JAX_CONFIG.update(name, value)
        # JAX goes on with the first folder that it was given, also in compiling other programs.
        compilation_cache.reset_cache()


CACHE = _Cache()


def through_cache(jitted: Any) -> Callable[..., Any]:
    """Returns a function for the first call of a jitted one: it looks in the cache.

    Only compiling happens with the settings changed; JAX's function finds what was compiled.
    """

    def call(*arguments: Any) -> Any:
        if not JAX_CONFIG.jax_disable_jit and not any(isinstance(a, Tracer) for a in arguments):
            lowered = jitted.lower(*arguments)
            # A warning becomes an error where the program wants that.
            with contextlib.suppress(Warning), CACHE.used():
                lowered.compile()
        return jitted(*arguments)

    return call


@functools.cache
def kind() -> str:
    """Returns the name of the subfolder: what programs compiled here can be used with."""
    found = [platform.machine(), os.environ.get("PROCESSOR_IDENTIFIER", "")]
    with contextlib.suppress(OSError), open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if not line.strip():
                break  # the first of several equal ones
            if line.startswith(PROCESSOR):
                found.append(line)
    processor = hashlib.sha256("\n".join(found).encode()).hexdigest()[:12]
    return f"jax-{jax.__version__}-jaxlib-{jaxlib.version.__version__}-{processor}"


def users_folder() -> pathlib.Path | None:
    """Returns the folder in which programs of this user are kept, if nobody has chosen another."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA", "")
    elif sys.platform == "darwin":
        base = os.path.expanduser("~/Library/Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME", "")
        if not os.path.isabs(base):
            base = os.path.expanduser("~/.cache")
    return pathlib.Path(base, "tapefacade") if os.path.isabs(base) else None


@functools.cache
def meant(value: str) -> pathlib.Path | bool:
    """Returns what the environment variable says."""
    switch = SWITCHES.get(value.lower())
    return absolute(value) if switch is None else switch


def absolute(folder: str) -> pathlib.Path:
    """Returns a folder that may have been written with a tilde or without its beginning."""
    return pathlib.Path(os.path.abspath(os.path.expanduser(folder)))


def _made(folder: pathlib.Path) -> str:
    """Makes a folder if there is none.

    Returns:
        Why it may not be used, if so.

    Raises:
        OSError: if it cannot be made.
    """
    try:
        found = os.stat(folder)
    except FileNotFoundError:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileExistsError):  # another process was faster
            folder.mkdir(mode=0o700)
        found = os.stat(folder)
    if not stat.S_ISDIR(found.st_mode):
        return f"{folder} is no folder."
    user = getattr(os, "getuid", lambda: found.st_uid)()  # Windows has no such numbers
    if found.st_uid != user:
        return f"{folder} belongs to another user."
    if os.name == "posix" and found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return f"Other users may write to {folder}."
    return ""


def _silence() -> None:
    """Keeps JAX's warnings about single entries from being shown, or raised."""
    if (
        not warnings.filters or warnings.filters[0][1] != CACHE_WARNINGS
    ):  # the first rule that fits counts
        warnings.filterwarnings("ignore", message=CACHE_WARNINGS.pattern, category=UserWarning)


def sweep(root: pathlib.Path) -> None:
    """Once a day, removes entries that are broken, or too many."""
    try:
        stamp = root / STAMP
        last = stamp.stat().st_mtime if stamp.exists() else 0.0
        if 0 <= time.time() - last < SECONDS_BETWEEN_SWEEPS:
            return
        stamp.touch()  # other processes need not do it as well
        entries = []
        for folder in filter(lambda path: FOLDER.fullmatch(path.name), root.iterdir()):
            for entry in os.scandir(folder):
                if ENTRY.fullmatch(entry.name):
                    found = entry.stat()
                    if found.st_mtime >= last and _is_broken(entry.path):
                        _remove(entry.path)
                    else:
                        # Many systems note a use once a day, some never.
                        used = max(found.st_atime, found.st_mtime)
                        entries.append((used, found.st_size, entry.path))
    except OSError:  # another process is sweeping, or the folder is read-only
        return
    total = sum(size for _, size, _ in entries)
    for _, size, path in sorted(entries):
        if total <= MAX_BYTES:
            break
        _remove(path)
        total -= size


def _is_broken(path: str) -> bool:
    """Whether an entry is not whole."""
    content = pathlib.Path(path).read_bytes()
    if content[:1] != ZLIB:
        return not content
    try:
        zlib.decompress(content)
    except zlib.error:
        return True
    return False


def _remove(path: str) -> None:
    with contextlib.suppress(OSError):
        os.unlink(path)
