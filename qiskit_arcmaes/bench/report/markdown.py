"""A results page in Markdown, to be checked in: tables, figures, and the command that made them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import Any

import numpy as np

from qiskit_arcmaes.bench.report.figures import Written
from qiskit_arcmaes.bench.report.gain_curves import efficiency_of
from qiskit_arcmaes.bench.report.groups import Group, distinct, groups_of, label_of
from qiskit_arcmaes.bench.report.numbers import short, shots
from qiskit_arcmaes.bench.report.paper_comparison import compare_with_paper
from qiskit_arcmaes.bench.report.sections import SECTIONS, sections_of
from qiskit_arcmaes.bench.report.tables import methods_of, ranking, scaled_error, slopes
from qiskit_arcmaes.bench.store import Store

Lines = Iterator[str]


def results_page(store: Store, figures: Sequence[Written], folder: str = "figures") -> str:
    """Write down what a sweep found.

    Args:
        store: A sweep, finished or not.
        figures: What ``write_figures`` drew; linked to.
        folder: Where the figures are, seen from the page.

    Returns:
        The page, as Markdown.
    """
    groups = groups_of(store)
    efficiency = efficiency_of(store)
    description = store.description
    writers = {
        "ranking": lambda: _ranking(groups),
        "errors": lambda: _errors(groups),
        "budget": lambda: _slopes(groups),
        "scaled-error": lambda: _scaled_errors(groups),
        "seconds": lambda: _seconds(groups),
        "paper": lambda: _paper(groups),
    }
    wanted = [*description.get("shows", ()), "ranking"] if description.get("shows") else [*SECTIONS]
    lines = [f"# {description.get('title') or description['experiment']}", ""]
    lines += _made_by(description, groups, store.finished)
    for part in sections_of(groups, efficiency, description.get("shows", ())):
        pictures = [figure for figure in figures if figure.name.startswith(part)]
        if part not in wanted or not (pictures or part in writers):
            continue
        lines += [f"## {SECTIONS[part]}", ""]
        lines += writers[part]() if part in writers else []
        for figure in pictures:
            path = PurePosixPath(folder) / figure.name
            lines += [f"![{figure.caption}]({path}.png)", ""]
            lines += [f"{figure.caption} ([PDF]({path}.pdf)).", ""]
    return "\n".join(lines).rstrip() + "\n"


def _made_by(description: Any, groups: Sequence[Group], finished: bool) -> Lines:
    if not finished:
        yield from ("**The sweep was not finished when this page was written.**", "")
    if description.get("command"):
        yield from ("Made by", "", f"    {description['command']}", "")
    runs = sorted({len(group.runs) for group in groups})
    versions = ", ".join(f"{k} {v}" for k, v in description.get("versions", {}).items())
    machine = ", ".join(f"{k} {v}" for k, v in description.get("machine", {}).items())
    count = " to ".join(str(number) for number in distinct([*runs[:1], *runs[-1:]]))
    if groups:
        seed = description.get("root_seed")
        noun = "run" if count == "1" else "runs"
        yield f"{count} {noun} each, root seed {seed}. Errors are exact losses at the returned"
        yield from ("points above the lowest possible ones.", "")
    yield from (f"{versions}; {machine}.", "")
    for note in description.get("notes") or ():
        yield from (note, "")


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Lines:
    yield "| " + " | ".join(head) + " |"
    yield "|" + "---|" * len(head)
    for row in rows:
        yield "| " + " | ".join(row) + " |"
    yield ""


def _ranking(groups: Sequence[Group]) -> Lines:
    yield from (
        "Geometric mean of the median errors over all problems and noise levels, and on how many",
        "of them a method has the lowest median.",
        "",
    )
    conditions = sorted({(group.condition.dim, group.condition.budget) for group in groups})
    for dim, budget in conditions:
        there = [c for c in groups if (c.condition.dim, c.condition.budget) == (dim, budget)]
        rows = [
            [row.method, short(row.mean), f"{row.wins} of {row.conditions}"]
            for row in ranking(there)
        ]
        if rows:
            yield from _table([f"d = {dim}, {shots(budget)} shots", "error", "best on"], rows)


def _by_problem(groups: Sequence[Group], write: Any, figure: Any) -> Lines:
    """A table for each dimension, noise level and budget; the lowest figure of a row is bold."""
    for dim, noise, budget in distinct(
        (group.condition.dim, group.condition.noise, group.condition.budget) for group in groups
    ):
        there = [
            group
            for group in groups
            if (group.condition.dim, group.condition.noise, group.condition.budget)
            == (dim, noise, budget)
        ]
        methods = methods_of(there)
        rows = []
        for problem in distinct(group.condition.problem for group in there):
            own = {group.method: group for group in there if group.condition.problem == problem}
            least = min(figure(group) for group in own.values())
            entries = [
                "—" if m not in own else _marked(write(own[m]), figure(own[m]) == least)
                for m in methods
            ]
            rows.append([label_of(problem), *entries])
        level = "" if noise is None else f"τ² = {noise:g}, "
        yield from _table([f"d = {dim}, {level}{shots(budget)} shots", *methods], rows)


def _marked(text: str, best: bool) -> str:
    return f"**{text}**" if best else text


def _errors(groups: Sequence[Group]) -> Lines:
    yield from ("Median over the runs, and the quartiles.", "")

    def write(group: Group) -> str:
        low, high = np.quantile(group.errors, (0.25, 0.75))
        return short(group.median) + f" ({short(low)} … {short(high)})" * (len(group.runs) > 1)

    yield from _by_problem(groups, write, lambda group: group.median)


def _slopes(groups: Sequence[Group]) -> Lines:
    laws = slopes(groups)
    yield from ("Slopes of error ∝ budget^slope, with the standard error over the runs.", "")
    methods = methods_of(groups)
    rows = []
    for problem, dim, noise in distinct(key[:3] for key in laws):
        level = "" if noise is None else f", τ² = {noise:g}"
        entries = []
        for method in methods:
            law = laws.get((problem, dim, noise, method))
            spread = "" if law is None or np.isnan(law.deviation) else f" ± {law.deviation:.2f}"
            entries.append("—" if law is None else f"{law.slope:.2f}{spread}")
        rows.append([f"{label_of(problem)}, d = {dim}{level}", *entries])
    yield from _table(["", *methods], rows)


def _scaled_errors(groups: Sequence[Group]) -> Lines:
    noisy = [group for group in groups if scaled_error(group) is not None]
    yield from ("Median error · budget / τ²: constant where the error falls as 1/budget.", "")
    yield from _by_problem(noisy, lambda group: short(scaled_error(group)), scaled_error)


def _seconds(groups: Sequence[Group]) -> Lines:
    timed = [group for group in groups if group.seconds is not None]
    yield from ("Mean wall-clock seconds of a run.", "")
    yield from _by_problem(timed, lambda group: short(group.seconds), lambda group: group.seconds)


def _paper(groups: Sequence[Group]) -> Lines:
    for table in compare_with_paper(groups):
        yield from (f"### {table.title}", "", table.reason, "")
        yield from _table(table.head, table.rows)
