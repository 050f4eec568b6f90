"""How Sphinx makes the documentation: these pages, the notebooks, and the reference.

    sphinx-build -W --keep-going notebooks build/documentation

Docstrings that are missing, that Sphinx cannot read, or that speak of parameters which are not
there are warnings, and so errors with `-W`.
"""

import importlib.metadata
import inspect
import pathlib
import re
import sys
from typing import Any

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import reference

project = "tapefacade"
release = version = importlib.metadata.version("tapefacade")
author = "the tapefacade developers"
copyright = author

extensions = ["sphinx.ext.autodoc", "sphinx.ext.napoleon", "local_math", "myst_nb"]
exclude_patterns = ["build", "**/.ipynb_checkpoints"]
html_math_renderer = "mathml"
html_theme = "furo"
html_title = "tapefacade"
html_static_path = ["static"]
html_favicon = "static/icon.svg"
html_css_files = ["pages.css"]
html_copy_source = False
nb_execution_mode = "off"  # the outputs are stored; notebooks/execute.py compares them
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
myst_heading_slug_func = "reference.anchor"
default_role = "py:obj"  # docstrings have names and code in single backticks
toc_object_entries = False  # each page has its list; in the tree of pages they take a minute
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True
maximum_signature_line_length = 90
# Annotations are texts for readers, not all of them names with a page.
nitpicky = False

ARGUMENT = re.compile(r"^    (\*{0,2}\w+(?:, \*{0,2}\w+)*): ")
MATH = re.compile(r"(?<![\w`$])\$([^$\n]+)\$(?![\w`$])")
CODE = re.compile(r"`([^`\n]+)`(s\b)?")
NAME = re.compile(r"\.?[A-Za-z_][\w.]*(\(\))?")


def check(app: Any, what: str, name: str, found: Any, options: Any, lines: list[str]) -> None:
    """Warns of a docstring that is missing, or has arguments that are not in the signature."""
    logger = sphinx_logger()
    if what in ("function", "method", "class", "exception") and not "".join(lines).strip():
        logger.warning("%s has no docstring", name)
    if what in ("function", "method"):
        known = parameters(found)
        for argument in arguments(lines):
            if known is not None and argument.lstrip("*") not in known:
                logger.warning("%s has no parameter %s, which its docstring has", name, argument)
    lines[:] = [as_rst(line) for line in lines]


def parameters(found: Any) -> set[str] | None:
    """Returns the names of the parameters; None if any are taken."""
    try:
        signature = inspect.signature(found)
    except (TypeError, ValueError):
        return None
    if any(p.kind is p.VAR_KEYWORD for p in signature.parameters.values()):
        return None
    return set(signature.parameters)


def arguments(lines: list[str]) -> list[str]:
    """Returns the names that the section "Args" of a docstring describes."""
    names: list[str] = []
    inside = False
    for line in lines:
        if line and not line.startswith(" "):
            inside = line == "Args:"
        elif inside and (match := ARGUMENT.match(line)):
            names += match.group(1).split(", ")
    return names


def as_rst(line: str) -> str:
    """Translates what docstrings have of Markdown: formulas, and code that is no name."""
    if line.lstrip().startswith((">>>", "...")):
        return line
    line = MATH.sub(r":math:`\1`", line)
    return CODE.sub(_code, line)


def _code(match: re.Match[str]) -> str:
    code, plural = match.groups()
    marked = f"`{code}`" if NAME.fullmatch(code) else f"``{code}``"
    return f"{marked}\\ s" if plural else marked


def sphinx_logger() -> Any:
    """Returns Sphinx's logger, whose warnings count."""
    from sphinx.util import logging

    return logging.getLogger(__name__)


def setup(app: Any) -> None:
    """Has Sphinx write the pages of the reference first, and look at every docstring."""
    reference.write(pathlib.Path(app.srcdir, "reference"))
    # Before napoleon, which makes other sections of "Args" and the like.
    app.connect("autodoc-process-docstring", check, priority=1)
