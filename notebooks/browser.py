"""A headless Chromium that loads pages and measures them, with nothing but the standard library.

`find` takes the browser that is there: `CHROME` in the environment, or Chrome or Chromium on the
path. Where there is none, it fetches one: a package of npm holds Chromium for machines that have
nothing installed, with the libraries that it needs.

The browser reads and writes messages of the DevTools protocol on a pipe, so that no port is opened
and no WebSocket is spoken.
"""

import base64
import json
import os
import pathlib
import shutil
import subprocess
import tarfile
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

NAMES = ("chrome-headless-shell", "google-chrome-stable", "google-chrome", "chromium",
         "chromium-browser")  # fmt: skip
PACKAGE = "@sparticuz/chromium@153.0.0"
# Files of it: the browser, its libraries, what draws without a graphics card.
FILES = ("chromium.br", "al2023.tar.br", "swiftshader.tar.br")
MISSING = (
    "There is no Chrome or Chromium here, and {}: install one of them, or name a browser by "
    "CHROME=PATH"
)
# Node unpacks them: Python's standard library does not know Brotli, and npm runs on Node.
UNPACK = """
const fs = require("fs"), zlib = require("zlib");
for (const file of process.argv.slice(1))
  fs.writeFileSync(file.slice(0, -3), zlib.brotliDecompressSync(fs.readFileSync(file)));
"""
OPTIONS = (
    "--headless", "--no-sandbox", "--remote-debugging-pipe", "--disable-gpu", "--no-first-run",
    "--disable-dev-shm-usage", "--disable-component-update", "--disable-background-networking",
    "--disable-default-apps", "--disable-sync", "--hide-scrollbars", "--mute-audio",
    # Nothing but this machine is found: a page that needs the network is seen without it.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)  # fmt: skip


class BrowserMissingError(RuntimeError):
    """There is no browser on this machine."""


def find(folder: pathlib.Path) -> pathlib.Path:
    """Returns the program of a browser, which is fetched if there is none.

    Args:
        folder: where a fetched browser is kept.

    Raises:
        BrowserMissingError: if there is none, and none can be fetched.
    """
    names = (os.environ.get("CHROME"), *NAMES)
    for name in names:
        if name and (path := shutil.which(name)):
            return pathlib.Path(path)
    program = folder / "chromium"
    if not program.exists():
        _fetch(folder)
    return program


def _fetch(folder: pathlib.Path) -> None:
    if shutil.which("npm") is None:
        raise BrowserMissingError(MISSING.format("no npm to fetch one"))
    folder.mkdir(parents=True, exist_ok=True)
    packed = subprocess.run(
        ["npm", "pack", "--loglevel=error", PACKAGE], cwd=folder, capture_output=True, text=True
    )
    if packed.returncode:
        raise BrowserMissingError(MISSING.format(f"npm cannot fetch one ({packed.stderr.strip()})"))
    archive = folder / packed.stdout.split()[-1]
    with tarfile.open(archive) as members, tempfile.TemporaryDirectory(dir=folder) as space:
        members.extractall(space, filter="data")
        paths = [pathlib.Path(space, "package", "bin", name) for name in FILES]
        subprocess.run(["node", "-e", UNPACK, *map(str, paths)], check=True)
        for path in paths[1:]:
            with tarfile.open(path.with_suffix("")) as libraries:
                libraries.extractall(folder, filter="data")
        program = paths[0].with_suffix("")
        program.chmod(0o755)
        program.rename(folder / "chromium")  # last: its presence says that all is there
    archive.unlink()


class Browser:
    """A browser with one page.

    Attributes:
        requests: the URLs that were asked for since the last `load`.
        errors: what went wrong in scripts, and what could not be loaded, since the last `load`.
    """

    def __init__(self, read: int, write: int) -> None:
        self.requests: list[str] = []
        self.errors: list[str] = []
        self._read, self._write = read, write
        self._rest = b""
        self._count = 0
        self._loaded = False
        self._session: str | None = None
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        found = self.ask("Target.attachToTarget", targetId=target, flatten=True)
        self._session = found["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.ask(f"{domain}.enable")

    def ask(self, method: str, **parameters: Any) -> Any:
        """Sends a message of the protocol, and returns the answer.

        Raises:
            RuntimeError: if the browser refuses.
        """
        self._count += 1
        message: dict[str, Any] = {"id": self._count, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._message()
            if answer.get("id") == self._count:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def _message(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            part = os.read(self._read, 1 << 16)
            if not part:
                raise RuntimeError("The browser has ended")
            self._rest += part
        message, _, self._rest = self._rest.partition(b"\0")
        found = json.loads(message)
        self._note(found.get("method"), found.get("params", {}))
        return found

    def _note(self, event: str | None, about: dict[str, Any]) -> None:
        if event == "Network.requestWillBeSent":
            self.requests.append(about["request"]["url"])
        elif event == "Runtime.exceptionThrown":
            details = about["exceptionDetails"]
            self.errors.append(details.get("exception", details).get("description", str(details)))
        elif event == "Log.entryAdded" and about["entry"]["level"] == "error":
            self.errors.append(f"{about['entry']['text']} {about['entry'].get('url', '')}")
        elif event == "Page.loadEventFired":
            self._loaded = True

    def resize(self, width: int, height: int, *, phone: bool = False) -> None:
        """Sets the size of the page in pixels of CSS.

        Args:
            width: of the page.
            height: of the page.
            phone: whether it lays out pages as phones do.
        """
        self.ask(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=phone,
        )  # fmt: skip

    def load(self, url: str) -> None:
        """Loads a page, and waits until all that it asks for is there."""
        self.requests.clear()
        self.errors.clear()
        self._loaded = False
        self.ask("Page.navigate", url=url)
        while not self._loaded:
            self._message()

    def evaluate(self, expression: str) -> Any:
        """Returns the value of an expression of JavaScript; promises are waited for.

        Raises:
            RuntimeError: if it throws.
        """
        found = self.ask(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in found:
            raise RuntimeError(str(found["exceptionDetails"]))
        return found["result"].get("value")

    def wait(self, expression: str, seconds: float = 5.0) -> bool:
        """Returns whether an expression becomes true in time."""
        end = time.monotonic() + seconds
        while not (found := bool(self.evaluate(expression))) and time.monotonic() < end:
            time.sleep(0.05)
        return found

    def picture(self, path: pathlib.Path, *, whole: bool = False) -> None:
        """Writes what is seen as a PNG file.

        Args:
            path: of the file.
            whole: the page from its top to its end, rather than the first screen.
        """
        found = self.ask("Page.captureScreenshot", captureBeyondViewport=whole, format="png")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(base64.b64decode(found["data"]))


@contextmanager
def opened(program: pathlib.Path) -> Iterator[Browser]:
    """Runs a browser inside a `with` block.

    Args:
        program: what `find` has returned.
    """
    environment = dict(os.environ)
    libraries = program.parent / "lib"
    if (libraries / "libnss3.so").exists():  # it is fetched, and brings them
        environment["LD_LIBRARY_PATH"] = str(libraries)
    theirs_read, ours_write = os.pipe()
    ours_read, theirs_write = os.pipe()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        process = subprocess.Popen(
            # The protocol wants the descriptors 3 and 4.
            ["sh", "-c", f'exec "$0" "$@" 3<&{theirs_read} 4>&{theirs_write}', str(program),
             *OPTIONS, f"--user-data-dir={profile}", "about:blank"],
            pass_fds=(theirs_read, theirs_write), env=environment,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(theirs_read)
        os.close(theirs_write)
        try:
            yield Browser(ours_read, ours_write)
        finally:
            process.kill()
            process.wait()
            os.close(ours_read)
            os.close(ours_write)
