"""The page: the results page with its figures inside, one file that needs no network."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib import resources

from markdown_it import MarkdownIt

from qiskit_arcmaes.bench.report.figures import Written

LIMIT = 1_000_000
"""Bytes of a page. Figures that do not fit are named and left out; they have files of their own."""

_WIDE = 400  # points: such figures scroll on a narrow screen, where their letters were too small


def page(text: str, figures: Sequence[Written]) -> str:
    r"""Turn a results page into a page for a browser.

    Args:
        text: What ``results_page`` returned; HTML in it is shown as text.
        figures: The figures that it links to.

    Returns:
        The whole HTML file as text.

    Example:
        >>> html = page("# A & B\n\n| a | b |\n|---|---|\n| 1 | **2** |", [])
        >>> "<title>A &amp; B</title>" in html, "<td><strong>2</strong></td>" in html
        (True, True)
    """
    body = MarkdownIt("commonmark", {"html": False}).enable("table").render(text)
    body = body.replace("<table>", '<div class="scroll" tabindex="0">\n<table>')
    body = body.replace("</table>", "</table>\n</div>")
    title = re.search("<h1>(.*?)</h1>", body)
    style = (resources.files("qiskit_arcmaes.bench.report") / "page.css").read_text("utf-8")
    left = LIMIT - len((body + style).encode()) - 1000  # for what is around them
    drawings = {figure.name: figure.svg for figure in figures}

    def draw(image: re.Match[str]) -> str:
        nonlocal left
        name, caption = image.groups()
        svg = drawings[name].replace("<svg", f'<svg role="img" aria-label="{caption}"', 1)
        if len(svg.encode()) > left:
            return "This figure is too large for the page, and has files of its own."
        left -= len(svg.encode())
        width = re.search(r'viewBox="0 0 ([\d.]+)', svg)
        wide = " wide" if width and float(width[1]) > _WIDE else ""
        return f'<span class="figure{wide}" tabindex="0">{svg}</span>'

    body = re.sub(r'<img src="[^"]*?([^/"]+)\.png" alt="([^"]*)" />', draw, body)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title[1] if title else ''}</title>\n<style>\n{style}</style>\n</head>\n"
        f"<body>\n{body}</body>\n</html>\n"
    )
