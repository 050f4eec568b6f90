"""Formulas as MathML, which browsers draw themselves: pages need no script and no network."""

from typing import Any

import latex2mathml.converter
from docutils import nodes

NAME = "mathml"


def inline(translator: Any, node: nodes.math) -> None:
    """Writes a formula in a sentence."""
    translator.body.append(mathml(node.astext(), "inline"))
    raise nodes.SkipNode


def block(translator: Any, node: nodes.math_block) -> None:
    """Writes a formula in lines of its own."""
    text = node.astext()
    if "\\\\" in text and "\\begin" not in text:  # several lines, as LaTeX's `split` has them
        text = rf"\begin{{aligned}}{text}\end{{aligned}}"
    translator.body.append(f'<div class="math-block">{mathml(text, "block")}</div>\n')
    raise nodes.SkipNode


def mathml(text: str, display: str) -> str:
    """Translates a formula.

    Args:
        text: what LaTeX has between the dollars.
        display: "inline" or "block".

    Returns:
        The element `<math>`.
    """
    return latex2mathml.converter.convert(text, display=display)


def setup(app: Any) -> dict[str, Any]:
    """Makes it the way in which pages show formulas."""
    app.add_html_math_renderer(NAME, (inline, None), (block, None))
    app.config.html_math_renderer = NAME
    return {"parallel_read_safe": True, "parallel_write_safe": True}
