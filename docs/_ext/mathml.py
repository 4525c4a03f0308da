"""Formulas as MathML, which browsers draw by themselves: the pages load nothing from elsewhere."""

from __future__ import annotations

import latex2mathml.converter
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator


def show_inline(self: HTML5Translator, node: nodes.math) -> None:
    """A formula within a line."""
    self.body.append(latex2mathml.converter.convert(node.astext(), display="inline"))
    raise nodes.SkipNode


def show_block(self: HTML5Translator, node: nodes.math_block) -> None:
    """A formula of its own."""
    self.body.append('<div class="math-block" style="overflow: auto hidden; margin: 1em 0">')
    self.body.append(latex2mathml.converter.convert(node.astext(), display="block"))
    self.body.append("</div>")
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the renderer, ``html_math_renderer = "mathml"``."""
    app.add_html_math_renderer("mathml", (show_inline, None), (show_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
