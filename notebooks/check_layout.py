"""Looks at the pages that Sphinx has built as a reader does: in a browser, on a desk and a phone.

    python notebooks/check_layout.py .venv-docs/pages [--browser FOLDER] [--pictures FOLDER]

The pages are served by this machine, and the browser finds no other: a page that would load
something from elsewhere fails. `check_pages.py` reads the same pages as text.
"""

import argparse
import functools
import http.server
import pathlib
import threading
import urllib.parse
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import browser


class Screen(NamedTuple):
    """What a reader has before them, in pixels of CSS."""

    name: str
    width: int
    height: int
    phone: bool


SCREENS = (Screen("desk", 1280, 800, False), Screen("phone", 390, 844, True))

# Lists what is wrong with the layout of the page that is shown: [what, where] each.
LAYOUT = r"""
(width => {
  const found = [], root = document.documentElement;
  const text = e => (e.textContent || e.getAttribute("alt") || e.tagName).trim().slice(0, 60);
  const note = (what, e) => found.push([what, e ? text(e) : ""]);
  const scrolls = e => ["auto", "scroll"].includes(getComputedStyle(e).overflowX);
  const shown = e => e.getClientRects().length > 0;

  if (root.scrollWidth > width)
    note(`the page is ${root.scrollWidth} wide, and scrolls sideways`);
  const content = document.querySelector(".content article, article") || document.body;

  for (const pre of content.querySelectorAll("pre"))
    if (pre.scrollWidth > pre.clientWidth + 1 && !scrolls(pre)) note("code is cut", pre);

  // What ends to the right of the screen, or of a box that hides it, with nothing that scrolls.
  const blocks = "p, pre, table, td, img, svg, math, dt, li, h1, h2, h3";
  for (const e of content.querySelectorAll(blocks)) {
    const right = e.getBoundingClientRect().right;
    for (let box = e.parentElement; box && shown(e); box = box.parentElement) {
      if (scrolls(box)) break;
      const hides = ["hidden", "clip"].includes(getComputedStyle(box).overflowX);
      const edge = box === root ? width : hides ? box.getBoundingClientRect().right : Infinity;
      if (right > edge + 1) { note(`${e.tagName} is cut by ${box.tagName}`, e); break; }
    }
  }

  for (const table of content.querySelectorAll("table"))
    for (const row of table.rows) {
      const cells = [...row.cells].filter(shown).map(c => c.getBoundingClientRect());
      const beside = (c, i) => c.left > cells[i - 1].right - 1 && c.top < cells[0].bottom - 1;
      if (cells.some((c, i) => i && !beside(c, i)))
        note("cells of a row are not side by side", row);
      if (cells.some(c => c.width < 40)) note("a column is too narrow to be read", row);
    }
  for (const e of content.querySelectorAll("table, .table-wrapper"))
    if (width > 1000 && e.scrollWidth > e.clientWidth + 1) note("a column is out of sight", e);

  for (const e of content.querySelectorAll("math")) {
    const box = e.getBoundingClientRect();
    if (shown(e) && (box.height < 5 || box.width < 3)) note("a formula is not drawn", e);
    if (/\\[a-zA-Z]+|\$/.test([...e.querySelectorAll("mi, mo, mn, mtext")].map(text).join(" ")))
      note("a formula shows LaTeX", e);
  }
  const walker = document.createTreeWalker(content, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const parent = walker.currentNode.parentElement;
    if (!parent.closest("pre, code, math, script, style, .sig")
        && /\\(frac|begin|sum|partial|nabla|mathbb|mathrm|left)\b|\$[^$\s][^$]*\$/
          .test(walker.currentNode.data))
      note("LaTeX in the place of a formula", parent);
  }

  for (const image of content.querySelectorAll("img"))
    if (!image.complete || !image.naturalWidth) note("an image is not there: " + image.src, image);
    else if (!image.alt) note("an image says nothing to who cannot see it: " + image.src, image);

  for (const e of content.querySelectorAll("p, li, td, pre"))
    if (shown(e) && parseFloat(getComputedStyle(e).fontSize) < 11) note("letters are tiny", e);
  for (const e of content.querySelectorAll('a[href^="#"]'))
    if (e.hash.length > 1 && !document.getElementById(decodeURIComponent(e.hash.slice(1))))
      note("a link leads nowhere: " + e.hash, e);
  return found;
})
"""
LINKS = """
[...document.querySelectorAll("a[href]")].map(a => a.href)
  .filter(href => href.startsWith(location.origin))
"""
# The objects that a page of the reference describes, without their methods.
DESCRIBED = """
[...document.querySelectorAll("section > dl.py > dt[id]")].map(dt => dt.id)
"""
# [name, what is said of it] of each line of the reference's index.
INDEXED = """
[...document.querySelectorAll("article tr, article li, article dl > dt")].map(line => {
  const link = line.querySelector("a");
  const name = link && link.textContent.trim();
  const dd = line.tagName == "DT" ? line.nextElementSibling : null;
  return [name, (line.textContent + (dd ? dd.textContent : "")).replace(name, "").trim()];
})
"""
# The bottom edge of the first element that holds a text.
BOTTOM = """
(wanted => {
  const found = [...document.querySelectorAll("article pre, article img, article a")]
    .find(e => (e.textContent + " " + (e.src || e.href || "")).includes(wanted));
  return found ? found.getBoundingClientRect().top : null;
})
"""
# A page with all of these mistakes: a check that finds none of them says nothing of others.
BROKEN = pathlib.Path(__file__).with_name("broken.html")
KINDS = (
    "scrolls sideways", "code is cut", "P is cut by HTML", "TABLE is cut by DIV",
    "not side by side", "too narrow", "out of sight", "not drawn", "formula shows LaTeX",
    "LaTeX in the place",
    "is not there: http", "says nothing to who", "letters are tiny", "leads nowhere",
    "links to missing.html", "asks for https:", "a script that fails", "fails: Failed to load",
)  # fmt: skip
# What a reader of the landing page sees without scrolling, and where it scrolls to for the rest.
FIRST_SCREEN = ("tapefacade demo", "tapefacade run", "coverage.html", "changes.html")
SECOND_SCREEN = ("chart_overview",)


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves a folder, and keeps quiet about it."""

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""


@contextmanager
def served(folder: pathlib.Path) -> Iterator[str]:
    """Yields the URL under which a folder is served."""
    handler = functools.partial(Handler, directory=folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


class Check:
    """What is found in the pages of a folder.

    Attributes:
        mistakes: what is wrong, a line each.
        formulas: how many formulas are drawn.
        described: the names that pages of the reference describe.
    """

    def __init__(
        self, page: browser.Browser, url: str, folder: pathlib.Path, pictures: pathlib.Path | None
    ) -> None:
        self.mistakes: list[str] = []
        self.formulas = 0
        self.described: set[str] = set()
        self._page, self._url, self._folder, self._pictures = page, url, folder, pictures
        self._links: dict[str, str] = {}

    def look_at(self, name: str) -> None:
        """Loads a page, and looks at it on each screen."""
        page = self._page
        for screen in SCREENS:
            page.resize(screen.width, screen.height, phone=screen.phone)
            if screen is SCREENS[0]:
                page.load(f"{self._url}/{name}")
                self._contents(name)
            for what, where in page.evaluate(f"{LAYOUT}({screen.width})"):
                self._mistake(f"{name} ({screen.name})", f"{what}: {where!r}" if where else what)
            if name == "index.html":
                self._landing(screen)
            if self._pictures:
                path = self._pictures / screen.name / (name.replace("/", "_") + ".png")
                page.picture(path, whole=True)
        self._network(name)

    def _mistake(self, name: str, what: str) -> None:
        self.mistakes.append(f"{name}: {what}")

    def _network(self, name: str) -> None:
        for url in self._page.requests:
            if not url.startswith((self._url, "data:", "about:", "blob:")):
                self._mistake(name, f"asks for {url}")
        for error in self._page.errors:
            self._mistake(name, f"a script or a request fails: {error}")

    def _contents(self, name: str) -> None:
        self.formulas += self._page.evaluate("document.querySelectorAll('math').length")
        for link in self._page.evaluate(LINKS):
            self._links.setdefault(link.partition("#")[0], name)
        if name.startswith("reference/tf"):
            self.described.update(self._page.evaluate(DESCRIBED))

    def _landing(self, screen: Screen) -> None:
        for screens, texts in ((1, FIRST_SCREEN), (2, SECOND_SCREEN)):
            for text in texts:
                top = self._page.evaluate(f"{BOTTOM}({text!r})")
                if top is None or top > screens * screen.height - 40:
                    self._mistake(f"index.html ({screen.name})", f"{text} begins at {top}")

    def search(self, word: str) -> None:
        """Types a word into the search box of the landing page, as a reader does."""
        page = self._page
        screen = SCREENS[0]
        page.resize(screen.width, screen.height)
        page.load(f"{self._url}/index.html")
        page.evaluate("document.querySelector('input[name=q]').focus()")
        page.ask("Input.insertText", text=word)
        for event in ("rawKeyDown", "char", "keyUp"):
            page.ask("Input.dispatchKeyEvent", type=event, key="Enter", text="\r",
                     windowsVirtualKeyCode=13)  # fmt: skip
        results = "document.querySelectorAll('#search-results li').length"
        if not page.wait(f"location.pathname.endsWith('search.html') && {results}", 20.0):
            self._mistake("search.html", f"{word!r} is not found")
        elif not page.wait(f"document.body.textContent.includes('{word}')"):
            self._mistake("search.html", f"results do not show {word!r}")
        self._network("search.html")

    def index(self) -> None:
        """Looks at the reference's index: a line for each name, which says something."""
        self._page.load(f"{self._url}/reference/index.html")
        lines = {name: said for name, said in self._page.evaluate(INDEXED) if name}
        for name in sorted(self.described):
            if name not in lines:
                self._mistake("reference/index.html", f"has no line for {name}")
            elif len(lines[name]) < 10:
                self._mistake("reference/index.html", f"says nothing of {name}")
        if not self.described:
            self._mistake("reference/index.html", "no page describes anything")

    def links(self) -> None:
        """Looks for the pages and files that links lead to."""
        for link, name in self._links.items():
            path = urllib.parse.unquote(urllib.parse.urlsplit(link).path).lstrip("/")
            if not (self._folder / (path or "index.html")).exists():
                self._mistake(name, f"links to {path}, which is not there")


def blind_spots(page: browser.Browser) -> list[str]:
    """Returns the mistakes of `broken.html` that are not found."""
    with served(BROKEN.parent) as url:
        check = Check(page, url, BROKEN.parent, None)
        check.look_at(BROKEN.name)
        check.links()
    said = "\n".join(check.mistakes)
    return [f"{BROKEN.name}: not found: {kind}" for kind in KINDS if kind not in said]


NOT_LOOKED_AT = 77  # what test harnesses take for "skipped"


def main() -> None:
    """Runs the command.

    Raises:
        SystemExit: with status 1 if something is wrong, and 77 if there is no browser, so that
            nothing has been looked at.
    """
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", type=pathlib.Path, help="where Sphinx has put the pages")
    parser.add_argument("pages", nargs="*", help="some of them; all where none is named")
    parser.add_argument("--browser", type=pathlib.Path, default=pathlib.Path("build/browser"),
                        help="where a browser is kept that had to be fetched")  # fmt: skip
    parser.add_argument("--pictures", type=pathlib.Path, help="where pictures of pages are put")
    chosen = parser.parse_args()
    folder: pathlib.Path = chosen.folder.resolve()
    names = chosen.pages or sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*.html"))
    try:
        program = browser.find(chosen.browser.resolve())
    except browser.BrowserMissingError as error:
        print(error)
        raise SystemExit(NOT_LOOKED_AT) from None
    with served(folder) as url, browser.opened(program) as page:
        check = Check(page, url, folder, chosen.pictures)
        check.mistakes += blind_spots(page)
        for name in names:
            check.look_at(name)
        if not chosen.pages:
            check.search("GradientTape")
            check.index()
            check.links()
            if not check.formulas:
                check.mistakes.append("no page has a formula")
    said: Any = "\n".join(check.mistakes) or f"{len(names)} pages look as they should."
    print(said)
    raise SystemExit(bool(check.mistakes))


if __name__ == "__main__":
    main()
