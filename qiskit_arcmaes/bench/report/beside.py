"""The paper's numbers beside ours, and why they agree or cannot."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from qiskit_arcmaes.bench.paper import ERRORS, OURS, REASONS, SHARES, TIMES, Printed
from qiskit_arcmaes.bench.report.cells import Cell, distinct, label_of
from qiskit_arcmaes.bench.report.ecdf import share_below
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
class Beside:
    """One table of the paper with ours beside it.

    Attributes:
        title: What it shows.
        reason: Why the two agree, or cannot.
        head: Column titles; the first is the row's.
        rows: The cells as text.
    """

    title: str
    reason: str
    head: list[str]
    rows: list[list[str]]


def beside_paper(cells: Sequence[Cell]) -> list[Beside]:
    """Every table of the paper for which the sweep has something to set against.

    Args:
        cells: Of a sweep.

    Returns:
        The tables; mean ± spread as the paper gives them, and mean ± standard deviation over the
        runs for ours, since the paper's spread looks like one.
    """
    tables = []
    for name in distinct(row.table for row in (*ERRORS, *TIMES)):
        printed = [row for row in (*ERRORS, *TIMES) if row.table == name]
        tables += list(_table(name, printed, cells))
    return tables + list(_shares(cells))


def _table(name: str, printed: Sequence[Printed], cells: Sequence[Cell]) -> Iterator[Beside]:
    ours = [cell for cell in cells if any(_matches(row, cell) for row in printed)]
    for budgets in distinct(_budget_name(name, cell) for cell in ours):
        there = [cell for cell in ours if _budget_name(name, cell) == budgets]
        columns = _columns(distinct(row.method for row in printed), there)
        rows = [
            [label_of(problem), *(_entry(problem, column, printed, there) for column in columns)]
            for problem in distinct(row.problem for row in printed)
            if any(cell.place.problem == FUNCTION + problem for cell in there)
        ]
        printed_at = " or ".join(shots_text(b) for b in distinct(row.budget for row in printed))
        title = f"{TITLES[name]}: the paper at {printed_at}, ours at {budgets}"
        head = ["function", *(_head(column) for column in columns)]
        yield Beside(title, f"{REASONS[name]} {OUR_SPREAD}", head, rows)


def _budget_name(table: str, cell: Cell) -> str:
    """Tables without noise have two budgets in one; the others one table for each."""
    if table == "noiseless":
        return "the budget of each row"
    return f"{shots_text(cell.place.budget)} shots"


def _matches(row: Printed, cell: Cell) -> bool:
    place = cell.place
    return (
        place.problem == FUNCTION + row.problem
        and place.dim == row.dim
        and place.noise == row.noise
        and base_name(cell.method) in OURS[row.method]
        and (row.table != "noiseless" or place.budget == row.budget)
    )


Column = tuple[str, bool]  # name, and whether it is the paper's


def _columns(theirs: Iterable[str], cells: Sequence[Cell]) -> list[Column]:
    """Each method of the paper, followed by ours that stand beside it."""
    columns: list[Column] = []
    for name in theirs:
        columns.append((name, True))
        found = distinct(cell.method for cell in cells if base_name(cell.method) in OURS[name])
        columns += [
            (method, False)
            for method in sorted(found, key=lambda each: OURS[name].index(base_name(each)))
        ]
    return columns


def _head(column: Column) -> str:
    name, theirs = column
    return f"{name} (paper)" if theirs else name


def _entry(problem: str, column: Column, printed: Sequence[Printed], cells: Sequence[Cell]) -> str:
    name, theirs = column
    if theirs:
        row = next(row for row in printed if (row.problem, row.method) == (problem, name))
        return f"{short(row.mean)} ± {short(row.spread)}"
    for cell in cells:
        if cell.method == name and cell.place.problem == FUNCTION + problem:
            return _measured(cell, printed[0].table)
    return "—"


def _measured(cell: Cell, table: str) -> str:
    if table == "times":
        spread = "" if cell.seconds_std is None else f" ± {short(cell.seconds_std)}"
        return f"{short(cell.seconds)}{spread}"
    spread = f" ± {short(float(np.std(cell.errors, ddof=1)))}" if cell.errors.size > 1 else ""
    return f"{short(float(np.mean(cell.errors)))}{spread}"


def _shares(cells: Sequence[Cell]) -> Iterator[Beside]:
    """One row for each share that the paper's text gives and the sweep can answer."""
    rows = []
    for share in SHARES:
        there = [
            cell
            for cell in cells
            if cell.place.dim == share.dim and cell.place.budget == share.budget
            if cell.place.noise in (1.0, 10.0, 100.0) and cell.place.problem.startswith(FUNCTION)
        ]
        for method in distinct(
            c.method for c in there if base_name(c.method) in OURS[share.method]
        ):
            errors = np.concatenate([cell.errors for cell in there if cell.method == method])
            rows.append(
                [
                    f"{shots_text(share.budget)} shots, error ≤ {short(share.target, 1)}",
                    f"{share.method}: {share.share:.0%}",
                    f"{method}: {share_below(errors, share.target):.0%} of {errors.size} runs",
                ]
            )
    if rows:
        head = ["d = 20", "paper", "ours"]
        yield Beside(TITLES["shares"], REASONS["shares"], head, rows)
