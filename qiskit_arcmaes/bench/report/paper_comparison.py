"""The paper's numbers compared with ours, and why they agree or cannot."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from qiskit_arcmaes.bench.grouping import distinct
from qiskit_arcmaes.bench.paper import ERRORS, OURS, REASONS, SHARES, TIMES, Printed
from qiskit_arcmaes.bench.report.ecdf import share_below
from qiskit_arcmaes.bench.report.groups import Group, label_of
from qiskit_arcmaes.bench.report.numbers import short
from qiskit_arcmaes.bench.report.numbers import shots as shots_text
from qiskit_arcmaes.bench.report.style import base_name
from qiskit_arcmaes.bench.tasks import FUNCTION

TITLES = {
    "noiseless": "Errors without noise",
    "noisy": "Errors under noise, τ² = 1",
    "times": "Seconds for a run",
    "nonsmooth-noiseless": "Non-smooth functions without noise",
    "nonsmooth-noisy": "Non-smooth functions under noise, τ² = 1",
    "shares": "Share of the runs below a target, over functions and noise levels",
}

OUR_SPREAD = "Ours: mean ± standard deviation over the runs."


@dataclass(frozen=True)
class PaperTable:
    """One table of the paper, compared with ours.

    Attributes:
        title: What it shows.
        reason: Why the two agree, or cannot.
        head: Column titles; the first is the row's.
        rows: The groups as text.
    """

    title: str
    reason: str
    head: list[str]
    rows: list[list[str]]


def compare_with_paper(groups: Sequence[Group]) -> list[PaperTable]:
    """Every table of the paper for which the sweep has something to set against.

    Args:
        groups: Of a sweep.

    Returns:
        The tables; mean ± spread as the paper gives them, and mean ± standard deviation over the
        runs for ours, since the paper's spread looks like one.
    """
    groups = [group for group in groups if group.started]
    tables = []
    for name in distinct(row.table for row in (*ERRORS, *TIMES)):
        printed = [row for row in (*ERRORS, *TIMES) if row.table == name]
        tables += list(_table(name, printed, groups))
    return tables + list(_shares(groups))


def _table(name: str, printed: Sequence[Printed], groups: Sequence[Group]) -> Iterator[PaperTable]:
    ours = [group for group in groups if any(_matches(row, group) for row in printed)]
    for budgets in distinct(_budget_name(name, group) for group in ours):
        there = [group for group in ours if _budget_name(name, group) == budgets]
        columns = _columns(distinct(row.method for row in printed), there)
        rows = [
            [label_of(problem), *(_entry(problem, column, printed, there) for column in columns)]
            for problem in distinct(row.problem for row in printed)
            if any(group.condition.problem == FUNCTION + problem for group in there)
        ]
        printed_at = " or ".join(shots_text(b) for b in distinct(row.budget for row in printed))
        title = f"{TITLES[name]}: the paper at {printed_at}, ours at {budgets}"
        head = ["function", *(_head(column) for column in columns)]
        yield PaperTable(title, f"{REASONS[name]} {OUR_SPREAD}", head, rows)


def _budget_name(table: str, group: Group) -> str:
    """Tables without noise have two budgets in one; the others one table for each."""
    if table == "noiseless":
        return "the budget of each row"
    return f"{shots_text(group.condition.budget)} shots"


def _matches(row: Printed, group: Group) -> bool:
    condition = group.condition
    return (
        condition.problem == FUNCTION + row.problem
        and condition.dim == row.dim
        and condition.noise == row.noise
        and base_name(group.method) in OURS[row.method]
        and (row.table != "noiseless" or condition.budget == row.budget)
    )


Column = tuple[str, bool]  # name, and whether it is the paper's


def _columns(theirs: Iterable[str], groups: Sequence[Group]) -> list[Column]:
    """Each method of the paper, followed by ours that are compared with it."""
    columns: list[Column] = []
    for name in theirs:
        columns.append((name, True))
        found = distinct(group.method for group in groups if base_name(group.method) in OURS[name])
        columns += [
            (method, False)
            for method in sorted(found, key=lambda each: OURS[name].index(base_name(each)))
        ]
    return columns


def _head(column: Column) -> str:
    name, theirs = column
    return f"{name} (paper)" if theirs else name


def _entry(
    problem: str, column: Column, printed: Sequence[Printed], groups: Sequence[Group]
) -> str:
    name, theirs = column
    if theirs:
        row = next(row for row in printed if (row.problem, row.method) == (problem, name))
        return f"{short(row.mean)} ± {short(row.spread)}"
    for group in groups:
        if group.method == name and group.condition.problem == FUNCTION + problem:
            return _measured(group, printed[0].table)
    return "—"


def _measured(group: Group, table: str) -> str:
    if table == "times":
        spread = "" if group.seconds_std is None else f" ± {short(group.seconds_std)}"
        return f"{short(group.seconds)}{spread}"
    spread = f" ± {short(float(np.std(group.errors, ddof=1)))}" if group.errors.size > 1 else ""
    return f"{short(float(np.mean(group.errors)))}{spread}"


def _shares(groups: Sequence[Group]) -> Iterator[PaperTable]:
    """One row for each share that the paper's text gives and the sweep can recommendation."""
    rows = []
    for share in SHARES:
        there = [
            group
            for group in groups
            if group.condition.dim == share.dim and group.condition.budget == share.budget
            if group.condition.noise in (1.0, 10.0, 100.0)
            and group.condition.problem.startswith(FUNCTION)
        ]
        for method in distinct(
            c.method for c in there if base_name(c.method) in OURS[share.method]
        ):
            errors = np.concatenate([group.errors for group in there if group.method == method])
            rows.append(
                [
                    f"{shots_text(share.budget)} shots, error ≤ {short(share.target, 1)}",
                    f"{share.method}: {share.share:.0%}",
                    f"{method}: {share_below(errors, share.target):.0%} of {errors.size} runs",
                ]
            )
    if rows:
        head = ["d = 20", "paper", "ours"]
        yield PaperTable(TITLES["shares"], REASONS["shares"], head, rows)
