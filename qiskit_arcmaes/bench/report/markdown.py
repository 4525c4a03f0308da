"""A results page in Markdown, to be checked in: tables, figures, and the command that made them."""

from __future__ import annotations

import contextlib
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from qiskit_arcmaes.bench.report.figures import Written
from qiskit_arcmaes.bench.report.groups import Group, groups_of
from qiskit_arcmaes.bench.report.numbers import escaped
from qiskit_arcmaes.bench.report.sections import SECTIONS, sections_of
from qiskit_arcmaes.bench.report.summary import SUMMARY
from qiskit_arcmaes.bench.report.tables import Best, Table
from qiskit_arcmaes.bench.store import Store

Lines = Iterator[str]

FIGURES = "figures"
"""The folder of the figures, beside the page."""

_ELSEWHERE = re.compile(r"^(--\w+=)?(?:\.\.|[A-Za-z]:)?[/\\].*?([^/\\]+)[/\\]*$")
"""A word of a command that is a place of one machine: an option's name, the place's last name."""


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
        shown = [line for table in section.tables(store, groups) for line in _table(table)]
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
    runs = sorted({len(group.runs) for group in groups if group.started})
    count = " to ".join(str(number) for number in dict.fromkeys([*runs[:1], *runs[-1:]]))
    if runs:
        count += " run" if count == "1" else " runs"
        seed = description.get("root_seed")
        yield f"{count} each, root seed {seed}. Errors are exact losses at the returned"
        yield from ("points above the lowest possible ones.", "")
    versions, machine = (
        escaped(", ".join(f"{key} {value}" for key, value in description.get(name, {}).items()))
        for name in ("versions", "machine")
    )
    yield from (f"{versions}; {machine}.", "")
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
