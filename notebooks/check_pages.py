"""Looks at the pages that Sphinx has built: they need no network, and no page is a book.

    python notebooks/check_pages.py .venv-docs/pages

It reads the HTML. `check_layout.py` looks at what a browser makes of it, with `static/pages.css`,
which every page has to have.
"""

import html.parser
import pathlib
import re
import sys
from collections.abc import Iterator

# Of a page of the reference, without its style sheets.
MAX_BYTES = 300_000
LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href"}
MARK = re.compile(r"<[^>]+>")
# Links that a browser does not load.
PASSIVE = {"canonical", "next", "prev", "index", "search", "genindex"}


class Page(html.parser.HTMLParser):
    """What stands in a page.

    Attributes:
        loaded: what a browser loads to show it.
        classes: the classes of its elements.
        formulas: how many formulas it has as MathML.
        text: its text.
    """

    def __init__(self, text: str) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.classes: set[str] = set()
        self.formulas = 0
        self.text: list[str] = []
        self._skipped = 0  # elements around whose text is not shown
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Notes an element."""
        found = dict(attrs)
        self.classes.update((found.get("class") or "").split())
        self.formulas += tag == "math"
        self._skipped += tag in ("script", "style", "pre", "code", "math")
        if tag in LOADED and found.get("rel") not in PASSIVE and (url := found.get(LOADED[tag])):
            self.loaded.append(url)

    def handle_endtag(self, tag: str) -> None:
        """Notes the end of an element."""
        self._skipped -= tag in ("script", "style", "pre", "code", "math")

    def handle_data(self, data: str) -> None:
        """Notes a text."""
        if not self._skipped:
            self.text.append(data)


def mistakes(folder: pathlib.Path) -> Iterator[str]:
    """Yields what is wrong with the pages in a folder.

    Args:
        folder: where Sphinx has put them.
    """
    formulas = 0
    for path in sorted(folder.rglob("*.html")):
        name = path.relative_to(folder).as_posix()
        text = path.read_text(encoding="utf-8")
        page = Page(text)
        formulas += page.formulas
        for url in page.loaded:
            if url.startswith(("http:", "https:", "//")):
                yield f"{name}: loads {url}"
        if "pages.css" not in text:
            yield f"{name}: has not our style sheet"
        if any("\\begin{" in part or "\\frac" in part for part in page.text):
            yield f"{name}: shows LaTeX instead of a formula"
        if name.startswith("reference/") and len(text.encode()) > MAX_BYTES:
            yield f"{name}: has {len(text.encode()):,} bytes, of {MAX_BYTES:,} at most"
        if name.startswith("reference/tf") and "toc-tree" not in page.classes:
            yield f"{name}: has no table of contents"
    if not formulas:
        yield "no page has a formula"
    yield from _landing_and_index(folder)


def _landing_and_index(folder: pathlib.Path) -> Iterator[str]:
    landing = (folder / "index.html").read_text(encoding="utf-8")
    landing += MARK.sub("", landing)
    for wanted in ("tapefacade demo", "tapefacade run", "chart_overview", "coverage.html",
                   "changes.html"):  # fmt: skip
        if wanted not in landing:
            yield f"index.html: has no {wanted}"
    index = (folder / "reference" / "index.html").read_text(encoding="utf-8")
    for name in ("tf.GradientTape", "tf.math.log", "tf.nn.conv2d"):
        if f">{name}<" not in index.replace('<span class="pre">', ""):
            yield f"reference/index.html: has no line for {name}"
    if "tf.linalg" not in (folder / "reference" / "coverage.html").read_text(encoding="utf-8"):
        yield "reference/coverage.html: has no tf.linalg"


def main() -> None:
    """Runs the command.

    Raises:
        SystemExit: with status 1 if something is wrong.
    """
    found = list(mistakes(pathlib.Path(sys.argv[1])))
    print("\n".join(found) or "The pages are as they should be.")
    raise SystemExit(bool(found))


if __name__ == "__main__":
    main()
