"""A results page in Markdown, to be checked in: tables, figures, and the command that made them."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import PurePosixPath
from typing import Any

import numpy as np
import pandas as pd

from qiskit_arcmaes.bench.baselines import describe_solver
from qiskit_arcmaes.bench.report.anytime import anytime_of, median_shots
from qiskit_arcmaes.bench.report.figures import Written
from qiskit_arcmaes.bench.report.gain_curves import efficiency_of
from qiskit_arcmaes.bench.report.goal_tables import (
    READING,
    cell_rows,
    error_text,
    goals_of,
    summary_rows,
    unstarted_rows,
)
from qiskit_arcmaes.bench.report.groups import Group, grouped, groups_of, label_of
from qiskit_arcmaes.bench.report.numbers import short, shots, ten_to
from qiskit_arcmaes.bench.report.paper_comparison import compare_with_paper
from qiskit_arcmaes.bench.report.scaling import growth_of
from qiskit_arcmaes.bench.report.scaling_page import scaling_tables
from qiskit_arcmaes.bench.report.sections import SECTIONS, sections_of
from qiskit_arcmaes.bench.report.summary import SUMMARY
from qiskit_arcmaes.bench.report.tables import (
    Table,
    methods_of,
    not_started,
    ranking,
    scaled_error,
    slopes,
)
from qiskit_arcmaes.bench.store import Status, Store

Lines = Iterator[str]

ALWAYS = ("ranking", "anytime")
"""Sections that every page has, but for those of growth: each of its tables had one row."""

MOST_NAMES = 4  # of problems in the title of a table

_NOT_STARTED = Status.COULD_NOT_START.value


def results_page(store: Store, figures: Sequence[Written], folder: str = "figures") -> str:
    """Write down what a sweep found.

    Args:
        store: A sweep, finished or not.
        figures: What ``write_figures`` drew; linked to.
        folder: Where the figures are, seen from the page.

    Returns:
        The page, as Markdown. Names and notes of the sweep are text there, whatever they contain.
    """
    groups, description = groups_of(store), store.description
    writers: dict[str, Callable[[Sequence[Group]], Lines]]
    writers = {"ranking": _ranking, "errors": _errors, "budget": _slopes}
    writers |= {"scaled-error": _scaled_errors, "seconds": _seconds}
    shows = description.get("shows", ())
    wanted = [*shows, *([] if "scaling" in shows else ALWAYS)] if shows else [*SECTIONS]
    writers |= {"anytime": partial(_anytime, store)}
    writers["paper"] = lambda groups: _tables(compare_with_paper(groups))
    writers["scaling"] = lambda _: _tables(scaling_tables(growth_of(store)))
    lines = [f"# {escaped(description.get('title') or description['experiment'])}", ""]
    lines += _pictures([figure for figure in figures if figure.name == SUMMARY], folder)
    lines += _made_by(description, groups, store.finished)
    lines += _goals(store)
    for section in sections_of(groups, efficiency_of(store), shows):
        pictures = [figure for figure in figures if figure.name.startswith(section)]
        if section not in wanted or not (pictures or section in writers):
            continue
        lines += [f"## {SECTIONS[section]}", ""]
        lines += writers[section](groups) if section in writers else []
        lines += _pictures(pictures, folder)
    lines += _methods(groups)
    return "\n".join(lines).rstrip() + "\n"


def escaped(text: object) -> str:
    r"""Text that means nothing to Markdown and HTML, with powers of ten as people write them.

    Example:
        >>> escaped("<script> | [a](b), 3*10^5")
        '&lt;script&gt; \\| \\[a\\](b), 3·10⁵'
    """
    plain = html.escape(" ".join(str(text).split()), quote=False).replace("*10^", "·10^")
    plain = re.sub(r"\b10\^(\d+)", lambda power: ten_to(int(power[1])), plain)
    return "".join("\\" + letter if letter in "|[]`*" else letter for letter in plain)


def _pictures(figures: Sequence[Written], folder: str) -> Lines:
    for figure in figures:
        path, caption = PurePosixPath(folder) / figure.name, escaped(figure.caption)
        yield from (f"![{caption}]({path}.png)", "", f"{caption} ([PDF]({path}.pdf)).", "")


def _made_by(description: Any, groups: Sequence[Group], finished: bool) -> Lines:
    if not finished:
        yield from ("**The sweep was not finished when this page was written.**", "")
    if description.get("command"):
        command = " ".join(str(description["command"]).split())  # one line: a code block
        yield from ("Made by", "", f"    {command}", "")
    runs = sorted({len(group.runs) for group in groups if group.started})
    count = " to ".join(str(number) for number in dict.fromkeys([*runs[:1], *runs[-1:]]))
    if runs:
        seed = description.get("root_seed")
        noun = "run" if count == "1" else "runs"
        yield f"{count} {noun} each, root seed {seed}. Errors are exact losses at the returned"
        yield from ("points above the lowest possible ones.", "")
    versions, machine = (_pairs(description.get(name, {})) for name in ("versions", "machine"))
    yield from (f"{versions}; {machine}.", "")
    for note in description.get("notes") or ():
        yield from (escaped(note), "")


def _goals(store: Store) -> Lines:
    judged = goals_of(store)
    if not judged:
        return
    groups = groups_of(store)
    yield from ("## Goals", "", READING, "")
    rows = [[*map(escaped, row)] for row in summary_rows(judged, groups)]
    yield from _table(["goal", "cells", "met", "open", "missed"], rows)
    for goal, verdicts in judged:
        stuck = [*unstarted_rows(goal, groups)]
        if not (verdicts or stuck):
            continue
        yield from (f"### {escaped(goal.words)}", "", f"Figure: {goal.measure.value}.", "")
        cells = [[*map(escaped, row)] for row in (*cell_rows(goal, verdicts), *stuck)]
        yield from _table(
            ["", escaped(goal.own), "best other", "figure", "limit", "verdict"], cells
        )


def _pairs(record: Any) -> str:
    return escaped(", ".join(f"{name} {value}" for name, value in record.items()))


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Lines:
    yield "| " + " | ".join(head) + " |"
    yield "|" + "---|" * len(head)
    for row in rows:
        yield "| " + " | ".join(row) + " |"
    yield ""


def _ranking(groups: Sequence[Group]) -> Lines:
    yield from (
        "Geometric mean of the median errors over all problems and noise levels, and on how many",
        "of them a method has the lowest median. The mean rank is that of its error among all",
        "methods, over runs with the same start; p says how likely a difference from the first",
        "method is by chance (Wilcoxon's signed-rank test over these runs, Holm-corrected).",
        "",
    )
    for where, there in _comparable(groups):
        rows = [
            [
                *(escaped(row.method), short(row.mean), f"{row.wins} of {row.conditions}"),
                *(f"{row.rank:.1f}", short(row.chance)),
            ]
            for row in ranking(there)
        ]
        rows += [[escaped(name), _NOT_STARTED, *"———"] for name in not_started(there)]
        if rows:
            yield from _table([escaped(where), "error", "best on", "mean rank", "p"], rows)


def _comparable(groups: Sequence[Group]) -> Iterator[tuple[str, list[Group]]]:
    """What one ranking compares, and its title; of circuits those on which the same methods ran."""
    for (size, budget), there in sorted(grouped(groups, "size", "budget").items()):
        alike: dict[tuple[str, ...], list[Group]] = {}
        for same in grouped(there, "problem").values():
            alike.setdefault(() if size else tuple(methods_of(same)), []).extend(same)
        for same in alike.values():
            names = [*dict.fromkeys(label_of(group.condition.problem) for group in same)]
            where = "; ".join(names) if len(names) <= MOST_NAMES else f"{len(names)} problems"
            yield f"{f'd = {size}' if size else where}, {shots(budget)} shots", same


def _by_problem(
    groups: Sequence[Group],
    write: Callable[[Group], str],
    figure: Callable[[Group], float | None],
) -> Lines:
    """A table for each budget, of functions also dimension and noise; the lowest figure is bold."""
    for (dim, noise, budget), there in grouped(groups, "size", "noise", "budget").items():
        rows = [
            (escaped(label_of(group.condition.problem)), group.method, write(group), figure(group))
            if group.started
            else (escaped(label_of(group.condition.problem)), group.method, _NOT_STARTED, None)
            for group in there
        ]
        frame = pd.DataFrame(rows, columns=["problem", "method", "text", "figure"])
        least = frame.astype({"figure": float}).groupby("problem").figure.transform("min")
        frame.text = frame.text.mask(frame.figure == least, "**" + frame.text + "**")
        table = frame.pivot(index="problem", columns="method", values="text").fillna("—")
        table = table.loc[frame.problem.unique(), methods_of(there)].reset_index()
        level = "" if noise is None else f"d = {dim}, τ² = {noise:g}, "
        head = [f"{level}{shots(budget)} shots", *map(escaped, table.columns[1:])]
        yield from _table(head, table.to_numpy())


def _errors(groups: Sequence[Group]) -> Lines:
    yield from ("Median over the runs, and the quartiles.", "")
    if not_started(groups):
        yield "A method that could not start has no error: the budget does not pay its first step,"
        yield "or its package is not installed."
        yield ""
    yield from _by_problem(groups, error_text, lambda group: group.median)


def _anytime(store: Store, groups: Sequence[Group]) -> Lines:
    yield from (
        "Shots from which on the exact error of the recommendation stays within chemical accuracy,",
        "1.6 mHa (molecules), or within a tenth of the start's error (others): median over the",
        "runs. A run that ends above never gets there and counts as infinite. With another budget",
        "a method that plans by it takes other steps: each table is of runs with one budget. Left",
        "out are the budgets with which no method gets there in the median.",
        "",
    )
    shots = {
        (each.group.condition, each.group.method): each.shots_to_target()
        for each in anytime_of(store)
    }

    def median(group: Group) -> float | None:
        found = median_shots(shots[group.condition, group.method])
        return None if np.isinf(found) else found

    def write(group: Group) -> str:
        taken = shots[group.condition, group.method]
        never = int(np.isinf(taken).sum())
        if never == len(taken):
            return "never"
        return short(median_shots(taken)) + f" ({never} of {len(taken)} never)" * (never > 0)

    reached = {place for (place, _), taken in shots.items() if np.isfinite(median_shots(taken))}
    yield from _by_problem([each for each in groups if each.condition in reached], write, median)


def _slopes(groups: Sequence[Group]) -> Lines:
    laws = slopes(groups)
    yield from ("Slopes of error ∝ budget^slope, with the standard error over the runs.", "")
    methods = methods_of(groups)
    rows = []
    for problem, dim, noise in dict.fromkeys(key[:3] for key in laws):
        level = "" if noise is None else f", τ² = {noise:g}"
        entries = []
        for method in methods:
            law = laws.get((problem, dim, noise, method))
            spread = "" if law is None or np.isnan(law.deviation) else f" ± {law.deviation:.2f}"
            entries.append("—" if law is None else f"{law.slope:.2f}{spread}")
        rows.append([f"{escaped(label_of(problem))}, d = {dim}{level}", *entries])
    yield from _table(["", *map(escaped, methods)], rows)


def _scaled_errors(groups: Sequence[Group]) -> Lines:
    noisy = [group for group in groups if scaled_error(group) is not None]
    yield from ("Median error · budget / τ²: constant where the error falls as 1/budget.", "")
    yield from _by_problem(noisy, lambda group: short(scaled_error(group)), scaled_error)


def _seconds(groups: Sequence[Group]) -> Lines:
    timed = [group for group in groups if group.seconds is not None]
    yield from ("Mean wall-clock seconds of a run.", "")
    yield from _by_problem(timed, lambda group: short(group.seconds), lambda group: group.seconds)


def _tables(tables: Iterable[Table]) -> Lines:
    """Tables that are made elsewhere, each after its words."""
    for table in tables:
        yield from ([f"### {table.title}", ""] if table.title else [])
        yield from (*table.words, "")
        yield from _table([*map(escaped, table.head)], [[*map(escaped, row)] for row in table.rows])


def _methods(groups: Sequence[Group]) -> Lines:
    """What the names of the methods stand for, and whose they are."""
    if not groups:
        return
    yield from ("## Methods", "")
    rows = [[escaped(name), escaped(describe_solver(name))] for name in methods_of(groups)]
    yield from _table(["name", "method"], rows)
