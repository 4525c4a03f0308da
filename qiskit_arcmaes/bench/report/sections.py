"""The sections of a report: what each is called, what it says, and its tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from qiskit_arcmaes.bench.baselines import describe_solver
from qiskit_arcmaes.bench.report.anytime import anytime_of
from qiskit_arcmaes.bench.report.goal_tables import READING, error_text, goal_tables
from qiskit_arcmaes.bench.report.groups import Group, grouped, label_of
from qiskit_arcmaes.bench.report.numbers import short, shots
from qiskit_arcmaes.bench.report.paper_comparison import compare_with_paper
from qiskit_arcmaes.bench.report.scaling import growth_of
from qiskit_arcmaes.bench.report.scaling_page import scaling_tables
from qiskit_arcmaes.bench.report.tables import (
    Best,
    Table,
    methods_of,
    not_started,
    ranking,
    scaled_error,
    slopes,
)
from qiskit_arcmaes.bench.store import Status, Store

Tables = Callable[[Store, Sequence[Group]], Iterable[Table]]

MOST_NAMES = 4  # of problems in the title of a table

_RANKING = (
    "Geometric mean of the median errors over all problems and noise levels, and on how many",
    "of them a method has the lowest median. The mean rank is that of its error among all",
    "methods, over runs with the same start; p says how likely a difference from the first",
    "method is by chance (Wilcoxon's signed-rank test over these runs, Holm-corrected).",
    "",
)
_DURING = (
    "Shots from which on the exact error of the recommendation stays within chemical accuracy,",
    "1.6 mHa (molecules), or within a tenth of the start's error (others): median over the",
    "runs. A run that ends above never gets there and counts as infinite. With another budget",
    "a method that plans by it takes other steps: each table is of runs with one budget. Left",
    "out are the budgets with which no method gets there in the median.",
    "",
)
_SLOPES = ("Slopes of error ∝ budget^slope, with the standard error over the runs.", "")
_SCALED = ("Median error · budget / τ²: constant where the error falls as 1/budget.", "")
_ERRORS = ("Median over the runs, and the quartiles.", "")
_SECONDS = ("Mean wall-clock seconds of a run.", "")
_UNSTARTED = (
    "A method that could not start has no error: the budget does not pay its first step,",
    "or its package is not installed.",
    "",
)


@dataclass(frozen=True)
class Section:
    """A part of a report; one without figures and rows of tables is left out.

    Attributes:
        heading: Its title.
        tables: Makes its tables, of a sweep and its groups.
        words: Lines that stand before them, the last of them empty.
    """

    heading: str
    tables: Tables = lambda store, groups: ()
    words: tuple[str, ...] = ()


def sections_of(shows: Sequence[str]) -> list[str]:
    """Names of the sections that a report may have, in their order.

    Args:
        shows: What the experiment is about; empty for everything that the data has.

    Raises:
        ValueError: It names an unknown section.

    Example:
        >>> sections_of(["errors", "budget"])
        ['goals', 'ranking', 'errors', 'budget', 'anytime', 'methods']
    """
    unknown = [name for name in shows if name not in SECTIONS]
    if unknown:
        raise ValueError(
            f"shows: {unknown[0]!r} is no section of a report; take {', '.join(SECTIONS)}."
        )
    names = [*(shows or SECTIONS)]
    if "scaling" not in shows:  # each table of these had one row there
        names = [*(["ranking"] if "ranking" not in names else []), *names, "anytime"]
    return [*dict.fromkeys(["goals", *names, "methods"])]


def _ranking(_: Store, groups: Sequence[Group]) -> Iterator[Table]:
    if len(methods_of(groups)) < 2:
        return
    for where, there in _comparable(groups):
        found = ranking(there).itertuples(name=None)
        rows = [
            [name, short(mean), f"{wins} of {conditions}", f"{rank:.1f}", short(chance)]
            for name, mean, wins, conditions, rank, chance in found
        ]
        rows += [[name, Status.COULD_NOT_START, *"———"] for name in not_started(there)]
        yield Table([where, "error", "best on", "mean rank", "p"], rows)


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
    figure: Callable[[Group], Any],
    write: Callable[[Group], str] | None = None,
    above: tuple[str, ...] = (),
) -> Iterator[Table]:
    """A table for each budget, of functions also dimension and noise; the lowest figure is bold."""
    write = write or (lambda group: short(figure(group)))
    for (dim, noise, budget), there in grouped(groups, "size", "noise", "budget").items():
        rows, methods = [], methods_of(there)
        for problem, same in grouped(there, "problem").items():
            least = min((figure(group) for group in same if group.started), default=None)
            cells = dict.fromkeys(methods, "—")
            for group in same:
                kind = Best if group.started and figure(group) == least else str
                text = write(group) if group.started else Status.COULD_NOT_START
                cells[group.method] = kind(text)
            rows.append([label_of(problem), *cells.values()])
        level = "" if noise is None else f"d = {dim}, τ² = {noise:g}, "
        yield Table([f"{level}{shots(budget)} shots", *methods], rows, above)
        above = ()


def _errors(_: Store, groups: Sequence[Group]) -> Iterator[Table]:
    above = _UNSTARTED if not_started(groups) else ()
    return _by_problem(groups, lambda group: group.median, error_text, above)


def _anytime(store: Store, groups: Sequence[Group]) -> Iterator[Table]:
    taken = {(each.condition, each.method): each.shots_to_target() for each in anytime_of(store)}
    medians = {key: float(np.median(own)) for key, own in taken.items()}

    def write(group: Group) -> str:
        key = group.condition, group.method
        never, runs = int(np.isinf(taken[key]).sum()), len(taken[key])
        if never == runs:
            return "never"
        return short(medians[key]) + f" ({never} of {runs} never)" * (never > 0)

    reached = {condition for (condition, _), median in medians.items() if np.isfinite(median)}
    shown = [group for group in groups if group.condition in reached]
    return _by_problem(shown, lambda group: medians[group.condition, group.method], write)


def _slopes(_: Store, groups: Sequence[Group]) -> Iterator[Table]:
    methods, rows = methods_of(groups), []
    for (problem, dim, noise), laws in slopes(groups).items():
        level = "" if noise is None else f", τ² = {noise:g}"
        cells = [str(laws.get(method, "—")) for method in methods]
        rows.append([f"{label_of(problem)}, d = {dim}{level}", *cells])
    yield Table(["", *methods], rows)


def _where_known(figure: Callable[[Group], float | None]) -> Tables:
    return lambda _, groups: _by_problem([g for g in groups if figure(g) is not None], figure)


def _methods(_: Store, groups: Sequence[Group]) -> Iterator[Table]:
    """What the names of the methods stand for, and whose they are."""
    rows = [[name, describe_solver(name)] for name in methods_of(groups)]
    yield Table(["name", "method"], rows)


SECTIONS = {
    "goals": Section("Goals", goal_tables, (READING, "")),
    "ranking": Section("All problems at once", _ranking, _RANKING),
    "scaling": Section(
        "Growth with the number of qubits", lambda store, _: scaling_tables(growth_of(store))
    ),
    "ecdf": Section("How often which error is reached"),
    "convergence": Section("Error over shots"),
    "anytime": Section("Error during the run", _anytime, _DURING),
    "budget": Section("Error against budget", _slopes, _SLOPES),
    "efficiency": Section("Gain per shot"),
    "scaled-error": Section("Error times budget", _where_known(scaled_error), _SCALED),
    "errors": Section("Errors, problem by problem", _errors, _ERRORS),
    "seconds": Section("Seconds", _where_known(lambda group: group.seconds), _SECONDS),
    "paper": Section("Comparison with the paper", lambda _, groups: compare_with_paper(groups)),
    "methods": Section("Methods", _methods),
}
"""By name, in the order of the page."""
