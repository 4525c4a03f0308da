"""The results page: tables, figures, and the command that made them.

As Markdown, to be checked in, and as one HTML file with its figures inside, which needs no network.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt

from qiskit_arcmaes.bench.report.anytime import anytime_table
from qiskit_arcmaes.bench.report.figures import Written, write_figures
from qiskit_arcmaes.bench.report.groups import Group, groups_of
from qiskit_arcmaes.bench.report.numbers import escaped
from qiskit_arcmaes.bench.report.sections import SECTIONS, sections_of
from qiskit_arcmaes.bench.report.summary import SUMMARY
from qiskit_arcmaes.bench.report.tables import Best, Table
from qiskit_arcmaes.bench.store import Store, StoreError

Lines = Iterator[str]

FIGURES = "figures"
"""The folder of the figures, beside the page."""

LIMIT = 1_000_000
"""Bytes of a page. Figures that do not fit are named and left out; they have files of their own."""

_WIDE = 400  # points: such figures scroll on a narrow screen, where their letters were too small

_ELSEWHERE = re.compile(r"^(--\w+=)?(?:\.\.|[A-Za-z]:)?[/\\].*?([^/\\]+)[/\\]*$")
"""A word of a command that is a place of one machine: an option's name, the place's last name."""


def write_report(directory: str | os.PathLike[str]) -> Path:
    """Turn a sweep into a page, figures and a text.

    Args:
        directory: Where the sweep is, finished or not. ``report.html``, ``results.md``, for runs
            on circuits ``anytime.csv`` (their errors during the run), and the folder ``figures``
            are written there.

    Returns:
        The page.

    Raises:
        StoreError: There is no sweep, or no run of it has ended.
    """
    store = Store.open(directory)
    if store.table("runs").empty and store.table("efficiency").empty:
        raise StoreError(f"{str(directory)!r} has no finished run yet; let the sweep go on first.")
    place = Path(directory)
    figures = write_figures(store, place / FIGURES)
    text = results_page(store, figures)
    during = anytime_table(store)
    if len(during):
        during.to_csv(place / "anytime.csv", index=False, lineterminator="\n")
    (place / "results.md").write_text(text, encoding="utf-8")
    (place / "report.html").write_text(page(text, figures), encoding="utf-8")
    return place / "report.html"


def results_page(store: Store, figures: Sequence[Written]) -> str:
    """Write down what a sweep found.

    Args:
        store: A sweep, finished or not.
        figures: What ``write_figures`` drew into ``FIGURES``; linked to.

    Returns:
        The page, as Markdown. Names and notes of the sweep are text there, whatever they contain.
    """
    groups, description = groups_of(store), store.description
    lines = [f"# {escaped(description.get('title') or description['experiment'])}", ""]
    lines += _pictures(figures, SUMMARY)
    lines += _made_by(description, groups, store.finished)
    for name in sections_of(description.get("shows", ())):
        section = SECTIONS[name]
        tables = (table for table in section.tables(store, groups) if table.rows)
        shown = [line for table in tables for line in _table(table)]
        shown += _pictures(figures, name)
        if shown:
            lines += [f"## {section.heading}", "", *section.words, *shown]
    return "\n".join(lines).rstrip() + "\n"


def _pictures(figures: Sequence[Written], beginning: str) -> Lines:
    for figure in (each for each in figures if each.name.startswith(beginning)):
        path, caption = f"{FIGURES}/{figure.name}", escaped(figure.caption)
        yield from (f"![{caption}]({path}.png)", "", f"{caption} ([PDF]({path}.pdf)).", "")


def _made_by(description: Mapping[str, Any], groups: Sequence[Group], finished: bool) -> Lines:
    if not finished:
        yield from ("**The sweep was not finished when this page was written.**", "")
    if description.get("command"):
        yield from ("Made by", "", f"    {_shown(description['command'])}", "")
    if description.get("reused"):
        source = description["reused"]
        yield escaped(
            f"Taken over from an earlier sweep (qiskit-arcmaes {source['version']}, made by "
            f"{_shown(source['command'])}): the runs of {source['methods']}."
        )
        yield ""
    runs = {len(group.runs) for group in groups if group.started}
    if runs:
        count = " to ".join(map(str, sorted({min(runs), max(runs)}))) + " run" + "s" * (runs != {1})
        seed = description.get("root_seed")
        yield f"{count} each, root seed {seed}. Errors are exact losses at the returned"
        yield from ("points above the lowest possible ones.", "")
    facts = (description.get(name, {}).items() for name in ("versions", "machine"))
    words = "; ".join(", ".join(f"{key} {value}" for key, value in each) for each in facts)
    yield from (f"{escaped(words)}.", "")
    for note in description.get("notes") or ():
        yield from (escaped(note), "")


def _shown(command: object) -> str:
    """A command in one line, for a code block; of places outside the folder the last name."""
    text = " ".join(str(command).split())
    with contextlib.suppress(ValueError):  # it may not be a command line
        words = [_ELSEWHERE.sub(r"\1\2", word) for word in shlex.split(text)]
        text = text if words == shlex.split(text) else shlex.join(words)
    return text


def _table(table: Table) -> Lines:
    yield from table.above
    yield f"| {' | '.join(map(escaped, table.head))} |"
    yield "|" + "---|" * len(table.head)
    for row in table.rows:
        marks = ("**" if isinstance(cell, Best) else "" for cell in row)
        cells = (mark + escaped(cell) + mark for mark, cell in zip(marks, row, strict=True))
        yield f"| {' | '.join(cells)} |"
    yield ""


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
